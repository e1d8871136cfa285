/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery by sysfs: records, skipped devices, and errors. */
#include "discover/discover_sysfs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "libibverbs/discover/count_calls.h"
#include "support/fake_netlink.h"
#include "support/fake_sysfs.h"

#define CLASS "sys/class/infiniband_verbs/"

static struct fake_sysfs fake;
static struct verbs_device_records records;

static int setup(void **state)
{
	fake_sysfs_init(&fake);
	count_calls_reset();
	records = (struct verbs_device_records){};
	return 0;
}

static int teardown(void **state)
{
	verbs_device_records_free(&records);
	count_calls_reset();
	fake_sysfs_fini(&fake);
	return 0;
}

static int scan(void)
{
	verbs_device_records_free(&records);
	return verbs_discover_sysfs(fake.sysfs, &records);
}

/* Precondition: two devices, of which the first one is invalid. */
static void check_second_found(void)
{
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 1);
	assert_string_equal(records.devices[0].ibdev_name, "rxe1");
}

static void add_two_devices(void)
{
	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 0);
	fake_sysfs_device(&fake, 1);
}

static void sysfs_scan_device_fills_record(void **state)
{
	const struct verbs_kernel_device *record;
	char path[512];
	struct stat st;

	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 3);
	fake_sysfs_write(&fake, "sys/class/infiniband/rxe3/node_type",
			 "4: RNIC\n");
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 1);
	record = &records.devices[0];
	assert_string_equal(record->ibdev_name, "rxe3");
	assert_string_equal(record->uverbs_name, "uverbs3");
	assert_int_equal(record->ibdev_index, -1);
	assert_int_equal(major(record->cdev), 231);
	assert_int_equal(minor(record->cdev), 195);
	assert_int_equal(record->abi_version, 2);
	assert_int_equal(record->driver_id, 0);
	assert_int_equal(record->nr_ports, 0);
	assert_false(record->has_node_guid);
	assert_int_equal(record->node_type, IBV_NODE_RNIC);

	snprintf(path, sizeof(path), "%s/class/infiniband/rxe3", fake.sysfs);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(record->created.tv_sec, st.st_mtim.tv_sec);
	assert_int_equal(record->created.tv_nsec, st.st_mtim.tv_nsec);
}

static void sysfs_scan_many_devices_are_all_found(void **state)
{
	fake_sysfs_class(&fake, "6\n");
	for (unsigned int i = 0; i < 70; i++)
		fake_sysfs_device(&fake, i);
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 70);
}

static void sysfs_scan_empty_class_returns_0(void **state)
{
	fake_sysfs_class(&fake, "6\n");
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 0);
}

static void sysfs_scan_empty_class_ignores_abi(void **state)
{
	fake_sysfs_class(&fake, "99\n");
	assert_int_equal(scan(), 0);
}

static void sysfs_scan_missing_class_returns_enosys(void **state)
{
	assert_int_equal(scan(), -ENOSYS);
	fake_sysfs_write(&fake, "sys/class/infiniband_verbs", "a file");
	assert_int_equal(scan(), -ENOSYS);
}

static void sysfs_scan_unreadable_class_returns_eperm(void **state)
{
	add_two_devices();
	count_calls.fail_path = "/class/infiniband_verbs";
	count_calls.fail_errno = EACCES;
	assert_int_equal(scan(), -EPERM);
	count_calls.fail_errno = EPERM;
	assert_int_equal(scan(), -EPERM);
}

static void sysfs_scan_resource_error_at_class_is_returned(void **state)
{
	const int errors[] = { ENOMEM, EMFILE, ENFILE };

	add_two_devices();
	count_calls.fail_path = "/class/infiniband_verbs";
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		count_calls.fail_errno = errors[i];
		assert_int_equal(scan(), -errors[i]);
	}
}

static void sysfs_scan_unlistable_class_returns_enosys(void **state)
{
	add_two_devices();
	count_calls.getdents_errno = EIO;
	assert_int_equal(scan(), -ENOSYS);
	count_calls.getdents_errno = ENOMEM;
	assert_int_equal(scan(), -ENOMEM);
}

static void sysfs_scan_abi_outside_3_to_6_returns_enosys(void **state)
{
	static const struct {
		const char *text;
		int ret;
	} abis[] = {
		{ "2\n", -ENOSYS },	{ "3\n", 0 },
		{ "4\n", 0 },		{ "5\n", 0 },
		{ "6\n", 0 },		{ "6", 0 },
		{ "7\n", -ENOSYS },	{ "0\n", -ENOSYS },
		{ "-6\n", -ENOSYS },	{ "\n", -ENOSYS },
		{ "", -ENOSYS },	{ "six\n", -ENOSYS },
		{ "65536\n", -ENOSYS }, { "4294967299\n", -ENOSYS },
	};

	add_two_devices();
	for (size_t i = 0; i < sizeof(abis) / sizeof(*abis); i++) {
		fake_sysfs_class(&fake, abis[i].text);
		assert_int_equal(scan(), abis[i].ret);
		assert_int_equal(records.count, abis[i].ret ? 0 : 2);
	}
	fake_sysfs_remove(&fake, CLASS "abi_version");
	assert_int_equal(scan(), -ENOSYS);
}

static void sysfs_scan_non_directory_entry_is_skipped(void **state)
{
	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 1);
	fake_sysfs_write(&fake, CLASS "uverbs0", "a file");
	check_second_found();
}

static void sysfs_scan_hidden_entry_is_skipped(void **state)
{
	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 1);
	fake_sysfs_write(&fake, CLASS ".uverbs0/ibdev", "rxe0\n");
	fake_sysfs_write(&fake, CLASS ".uverbs0/dev", "231:192\n");
	fake_sysfs_write(&fake, "sys/class/infiniband/rxe0/node_type", "1: CA");
	check_second_found();
}

static void sysfs_scan_device_without_required_file_is_skipped(void **state)
{
	static const char *const files[] = {
		CLASS "uverbs0/ibdev",
		CLASS "uverbs0/dev",
		"sys/class/infiniband/rxe0/node_type",
		"sys/class/infiniband/rxe0",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		add_two_devices();
		fake_sysfs_remove(&fake, files[i]);
		check_second_found();
	}
}

static void sysfs_scan_unreadable_device_is_skipped(void **state)
{
	static const char *const files[] = {
		"uverbs0/ibdev",
		"uverbs0/dev",
		"rxe0/node_type",
		"infiniband/rxe0",
	};

	add_two_devices();
	count_calls.fail_errno = EACCES;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		count_calls.fail_path = files[i];
		check_second_found();
	}
}

static void sysfs_scan_resource_error_at_device_is_returned(void **state)
{
	static const char *const files[] = {
		"uverbs0/ibdev",  "uverbs0/dev",     "uverbs0/abi_version",
		"rxe0/node_type", "infiniband/rxe0", "abi_version",
	};
	const int errors[] = { ENOMEM, EMFILE, ENFILE };

	add_two_devices();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		for (size_t k = 0; k < sizeof(errors) / sizeof(*errors); k++) {
			count_calls.fail_path = files[i];
			count_calls.fail_errno = errors[k];
			assert_int_equal(scan(), -errors[k]);
			assert_int_equal(records.count, 0);
		}
	}
}

static void sysfs_scan_device_with_invalid_name_is_skipped(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} names[] = {
		{ "", 0 },	  { "\n", 1 },	     { "../rxe0\n", 8 },
		{ "..\n", 3 },	  { "rxe0\0\n", 6 }, { "rxe0\0rxe0", 9 },
		{ "rxe/0\n", 6 }, { "rxe0\n\n", 6 }, { "no-such-dev", 11 },
	};
	char text[4096];

	add_two_devices();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		fake_sysfs_write_bytes(&fake, CLASS "uverbs0/ibdev",
				       names[i].text, names[i].len);
		check_second_found();
	}
	memset(text, 'x', sizeof(text));
	fake_sysfs_write_bytes(&fake, CLASS "uverbs0/ibdev", text, 64);
	check_second_found();
	fake_sysfs_write_bytes(&fake, CLASS "uverbs0/ibdev", text,
			       sizeof(text));
	check_second_found();
}

static void sysfs_scan_device_with_invalid_number_is_skipped(void **state)
{
	static const char *const numbers[] = {
		"",
		"\n",
		"231\n",
		"231:\n",
		":192\n",
		"a:b\n",
		"231:-1\n",
		"-1:192\n",
		" 231:192\n",
		"231: 192\n",
		"231:192x",
		"231:192:1",
		"4096:1\n",
		"231:1048576\n",
		"4294967296:1\n",
		"231:18446744073709551616\n",
	};

	add_two_devices();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		fake_sysfs_write(&fake, CLASS "uverbs0/dev", numbers[i]);
		check_second_found();
	}
}

static void sysfs_scan_missing_driver_abi_is_0(void **state)
{
	static const char *const texts[] = { "", "x\n", "-1\n",
					     "99999999999\n" };

	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		fake_sysfs_write(&fake, CLASS "uverbs0/abi_version", texts[i]);
		assert_int_equal(scan(), 0);
		assert_int_equal(records.count, 1);
		assert_int_equal(records.devices[0].abi_version, 0);
	}
	fake_sysfs_remove(&fake, CLASS "uverbs0/abi_version");
	assert_int_equal(scan(), 0);
	assert_int_equal(records.devices[0].abi_version, 0);
}

static void sysfs_scan_malformed_node_type_skips_device(void **state)
{
	add_two_devices();
	fake_sysfs_write(&fake, "sys/class/infiniband/rxe0/node_type", "CA\n");
	check_second_found();
}

static void sysfs_scan_undefined_node_type_is_unknown(void **state)
{
	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 0);
	fake_sysfs_write(&fake, "sys/class/infiniband/rxe0/node_type", "12\n");
	assert_int_equal(scan(), 0);
	assert_int_equal(records.devices[0].node_type, IBV_NODE_UNKNOWN);
}

static void sysfs_scan_overlong_root_returns_enosys(void **state)
{
	char root[5000];

	memset(root, 'x', sizeof(root));
	root[sizeof(root) - 1] = '\0';
	assert_int_equal(verbs_discover_sysfs(root, &records), -ENOSYS);
}

static struct verbs_kernel_device netlink_device(void)
{
	struct verbs_kernel_device device = {
		.ibdev_name = "rxe0",
		.ibdev_index = 5,
		.abi_version = 77,
	};

	return device;
}

static void sysfs_chardev_is_read_from_parent_device(void **state)
{
	struct verbs_kernel_device device = netlink_device();

	fake_sysfs_parent(&fake, "rxe0", "uverbs4", "231:196\n", "3\n");
	assert_int_equal(verbs_sysfs_chardev(fake.sysfs, &device), 0);
	assert_string_equal(device.uverbs_name, "uverbs4");
	assert_string_equal(device.ibdev_name, "rxe0");
	assert_int_equal(device.ibdev_index, 5);
	assert_int_equal(minor(device.cdev), 196);
	assert_int_equal(device.abi_version, 3);
}

static void sysfs_chardev_missing_leaves_record_unchanged(void **state)
{
	struct verbs_kernel_device device = netlink_device();
	const struct verbs_kernel_device before = device;

	/* no directory; empty directory; hidden entry; invalid number */
	assert_int_equal(verbs_sysfs_chardev(fake.sysfs, &device), -ENOENT);
	fake_sysfs_write(&fake,
			 "sys/class/infiniband/rxe0/device/infiniband_verbs",
			 NULL);
	assert_int_equal(verbs_sysfs_chardev(fake.sysfs, &device), -ENOENT);
	fake_sysfs_parent(&fake, "rxe0", ".uverbs0", "231:192\n", "2\n");
	assert_int_equal(verbs_sysfs_chardev(fake.sysfs, &device), -ENOENT);
	fake_sysfs_parent(&fake, "rxe0", "uverbs0", "231\n", "2\n");
	assert_int_equal(verbs_sysfs_chardev(fake.sysfs, &device), -EINVAL);
	assert_memory_equal(&device, &before, sizeof(device));
}

static void sysfs_chardev_resource_error_is_returned(void **state)
{
	static const char *const files[] = { "infiniband_verbs", "uverbs0/dev",
					     "uverbs0/abi_version" };
	struct verbs_kernel_device device = netlink_device();

	fake_sysfs_parent(&fake, "rxe0", "uverbs0", "231:192\n", "2\n");
	count_calls.fail_errno = EMFILE;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		count_calls.fail_path = files[i];
		assert_int_equal(verbs_sysfs_chardev(fake.sysfs, &device),
				 -EMFILE);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sysfs_scan_device_fills_record),
		TEST(sysfs_scan_many_devices_are_all_found),
		TEST(sysfs_scan_empty_class_returns_0),
		TEST(sysfs_scan_empty_class_ignores_abi),
		TEST(sysfs_scan_missing_class_returns_enosys),
		TEST(sysfs_scan_unreadable_class_returns_eperm),
		TEST(sysfs_scan_resource_error_at_class_is_returned),
		TEST(sysfs_scan_unlistable_class_returns_enosys),
		TEST(sysfs_scan_abi_outside_3_to_6_returns_enosys),
		TEST(sysfs_scan_non_directory_entry_is_skipped),
		TEST(sysfs_scan_hidden_entry_is_skipped),
		TEST(sysfs_scan_device_without_required_file_is_skipped),
		TEST(sysfs_scan_unreadable_device_is_skipped),
		TEST(sysfs_scan_resource_error_at_device_is_returned),
		TEST(sysfs_scan_device_with_invalid_name_is_skipped),
		TEST(sysfs_scan_device_with_invalid_number_is_skipped),
		TEST(sysfs_scan_missing_driver_abi_is_0),
		TEST(sysfs_scan_malformed_node_type_skips_device),
		TEST(sysfs_scan_undefined_node_type_is_unknown),
		TEST(sysfs_scan_overlong_root_returns_enosys),
		TEST(sysfs_chardev_is_read_from_parent_device),
		TEST(sysfs_chardev_missing_leaves_record_unchanged),
		TEST(sysfs_chardev_resource_error_is_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
