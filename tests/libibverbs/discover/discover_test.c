/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Discovery by netlink and sysfs, against a fake kernel and a fake sysfs: which
 * source is used, the resulting records, and the number of system calls. The
 * state kept between scans must not change the records.
 */
#include "discover/discover.h"

#include <errno.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "discover/discover_internal.h"
#include "libibverbs/discover/count_calls.h"
#include "support/fake_netlink.h"
#include "support/fake_sysfs.h"

static struct fake_sysfs fake;
static struct verbs_discover_paths paths;
static struct verbs_discover_cache *memory;
static struct verbs_device_records records;

static int setup(void **state)
{
	fake_sysfs_init(&fake);
	paths = (struct verbs_discover_paths){
		.sysfs = fake.sysfs,
		.dev_dir = fake.dev,
	};
	fake_netlink_reset();
	count_calls_reset();
	count_calls.modified.tv_sec = count_calls.now.tv_sec - 100;
	memory = NULL;
	records = (struct verbs_device_records){};
	return 0;
}

static int teardown(void **state)
{
	fake_netlink_check_closed();
	verbs_discover_cache_free(memory);
	verbs_device_records_free(&records);
	count_calls_reset();
	fake_sysfs_fini(&fake);
	return 0;
}

static void add_node(unsigned int n)
{
	char name[32];

	snprintf(name, sizeof(name), "uverbs%u", n);
	fake_sysfs_node(&fake, name);
}

/* Adds devices to the kernel with their nodes, and to sysfs if @sysfs. */
static void add_devices(unsigned int count, bool sysfs)
{
	for (unsigned int i = 0; i < count; i++) {
		(void)fake_netlink_add(i); /* with default values */
		add_node(i);
		if (sysfs)
			fake_sysfs_device(&fake, i);
	}
	if (sysfs)
		fake_sysfs_class(&fake, "6\n");
}

static int scan(void)
{
	verbs_device_records_free(&records);
	fake_calls = 0;
	count_calls.nr_opens = 0;
	count_calls.nr_stats = 0;
	return verbs_discover_at(&paths, &memory, &records);
}

/* Checks that all devices were found by the given source. */
static void check_found(size_t count, bool by_netlink)
{
	assert_int_equal(records.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct verbs_kernel_device *device = &records.devices[i];

		assert_string_not_equal(device->uverbs_name, "");
		if (by_netlink)
			assert_int_equal(device->ibdev_index, i);
		else
			assert_int_equal(device->ibdev_index, -1);
	}
}

static void discover_uses_netlink_first(void **state)
{
	add_devices(3, true);
	assert_int_equal(scan(), 0);
	check_found(3, true);
	assert_int_equal(records.devices[0].driver_id, 14);
	assert_true(records.devices[0].has_node_guid);
}

static void discover_by_netlink_does_not_read_sysfs(void **state)
{
	add_devices(1, true);
	assert_int_equal(scan(), 0);
	assert_int_equal(count_calls.nr_opens, 0);
	assert_int_equal(count_calls.nr_stats, 1); /* the device node */
}

static void discover_no_device_by_netlink_does_not_read_sysfs(void **state)
{
	fake_sysfs_class(&fake, "6\n");
	fake_sysfs_device(&fake, 0);
	add_node(0);
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 0);
}

static void discover_socket_refused_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.socket_errno = EPROTONOSUPPORT;
	assert_int_equal(scan(), 0);
	check_found(3, false);
	fake_netlink.socket_errno = EPERM;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_send_refused_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.send_errno = EPERM;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_receive_refused_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.recv_errno = ENOSYS;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_dump_refused_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.dump_error = EOPNOTSUPP;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_dump_always_interrupted_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.nr_dump_interrupted = INT32_MAX;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_endless_dump_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.never_done = true;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_missing_attr_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.devices[1].name = NULL;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void truncate_datagram(struct fake_netlink_datagram *datagram,
			      unsigned int nr)
{
	datagram->len -= 4;
}

static void discover_malformed_response_falls_back_to_sysfs(void **state)
{
	add_devices(3, true);
	fake_netlink.edit = truncate_datagram;
	assert_int_equal(scan(), 0);
	check_found(3, false);
}

static void discover_next_scan_tries_netlink_again(void **state)
{
	add_devices(3, true);
	fake_netlink.socket_errno = EPERM;
	assert_int_equal(scan(), 0);
	check_found(3, false);
	fake_netlink.socket_errno = 0;
	assert_int_equal(scan(), 0);
	check_found(3, true);
}

static void discover_device_with_invalid_name_is_skipped(void **state)
{
	add_devices(3, true);
	fake_netlink.devices[1].name = "../rxe1";
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 2);
	assert_int_equal(records.devices[1].ibdev_index, 2);
}

static void discover_missing_chardev_is_read_from_sysfs(void **state)
{
	add_devices(3, false);
	fake_netlink.devices[1].uverbs_name = NULL;
	fake_sysfs_parent(&fake, "rxe1", "uverbs1", "231:193\n", "5\n");
	assert_int_equal(scan(), 0);
	check_found(3, true);
	assert_string_equal(records.devices[1].uverbs_name, "uverbs1");
	assert_int_equal(records.devices[1].abi_version, 5);
	assert_int_equal(records.devices[1].driver_id, 0);
	assert_true(records.devices[1].has_node_guid);
}

static void discover_device_without_chardev_is_skipped(void **state)
{
	add_devices(3, true);
	fake_netlink.devices[1].uverbs_name = NULL;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 2);
	assert_int_equal(records.devices[0].ibdev_index, 0);
	assert_int_equal(records.devices[1].ibdev_index, 2);
}

static void discover_resource_error_at_chardev_is_returned(void **state)
{
	add_devices(2, false);
	fake_netlink.devices[1].uverbs_name = NULL;
	fake_sysfs_parent(&fake, "rxe1", "uverbs1", "231:193\n", "5\n");
	count_calls.fail_path = "infiniband_verbs";
	count_calls.fail_errno = EMFILE;
	assert_int_equal(scan(), -EMFILE);
}

static void discover_device_without_node_is_skipped(void **state)
{
	add_devices(3, true);
	fake_sysfs_remove(&fake, "dev/uverbs0");
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 2);

	count_calls.modified.tv_sec++;
	fake_netlink.socket_errno = EPERM;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 2);
}

static void discover_both_sources_fail_returns_sysfs_error(void **state)
{
	fake_netlink.socket_errno = EPROTONOSUPPORT;
	assert_int_equal(scan(), -ENOSYS);

	fake_sysfs_class(&fake, "2\n");
	fake_sysfs_device(&fake, 0);
	assert_int_equal(scan(), -ENOSYS);

	count_calls.fail_path = "/class/infiniband_verbs";
	count_calls.fail_errno = EACCES;
	assert_int_equal(scan(), -EPERM);
	count_calls.fail_errno = ENOMEM;
	assert_int_equal(scan(), -ENOMEM);
	count_calls.fail_errno = EMFILE;
	assert_int_equal(scan(), -EMFILE);
}

static void discover_error_leaves_records_unchanged(void **state)
{
	struct verbs_device_records untouched = { NULL, 4711 };

	fake_netlink.socket_errno = EPERM;
	assert_int_equal(verbs_discover_at(&paths, &memory, &untouched),
			 -ENOSYS);
	assert_null(untouched.devices);
	assert_int_equal(untouched.count, 4711);
}

/* The class ABI version is a file of sysfs, which may be missing. */
static void discover_by_netlink_ignores_class_abi(void **state)
{
	add_devices(2, true);
	fake_sysfs_class(&fake, "99\n");
	assert_int_equal(scan(), 0);
	check_found(2, true);
}

/* Limits documented in README.md and checked by the benchmark. */
static void discover_number_of_system_calls_is_bounded(void **state)
{
	static const struct {
		unsigned int devices, first, again;
	} limits[] = {
		{ 1, 7, 5 },
		{ 2, 11, 5 },
		{ 64, 11 + 64 / 16, 5 + 64 / 16 },
		{ 200, 11 + 200 / 16, 5 + 200 / 16 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		(void)teardown(state);
		(void)setup(state);
		add_devices(limits[i].devices, false);
		assert_int_equal(scan(), 0);
		check_found(limits[i].devices, true);
		assert_in_range(fake_calls, 1, limits[i].first);
		print_message("%3u devices: first scan %u calls",
			      limits[i].devices, fake_calls);
		assert_int_equal(scan(), 0);
		check_found(limits[i].devices, true);
		assert_in_range(fake_calls, 1, limits[i].again);
		print_message(", again %u\n", fake_calls);
	}
}

static void discover_without_paths_finds_devices(void **state)
{
	struct verbs_device_records found = {};

	/* Without devices, the real directory of nodes is not read. */
	assert_int_equal(verbs_discover(&memory, &found), 0);
	assert_int_equal(found.count, 0);
	verbs_discover_cache_free(NULL);
}

/* Private random generator: every run is the same. */
static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

static void check_same(const struct verbs_device_records *with,
		       const struct verbs_device_records *without)
{
	assert_int_equal(with->count, without->count);
	for (size_t i = 0; i < with->count; i++) {
		const struct verbs_kernel_device *a = &with->devices[i];
		const struct verbs_kernel_device *b = &without->devices[i];

		assert_string_equal(a->ibdev_name, b->ibdev_name);
		assert_string_equal(a->uverbs_name, b->uverbs_name);
		assert_true(a->cdev == b->cdev);
		assert_int_equal(a->ibdev_index, b->ibdev_index);
		assert_int_equal(a->driver_id, b->driver_id);
		assert_int_equal(a->abi_version, b->abi_version);
		assert_int_equal(a->nr_ports, b->nr_ports);
		assert_int_equal(a->has_node_guid, b->has_node_guid);
		assert_true(a->node_guid == b->node_guid);
		assert_int_equal(a->node_type, b->node_type);
		assert_int_equal(a->created.tv_sec, b->created.tv_sec);
		assert_int_equal(a->created.tv_nsec, b->created.tv_nsec);
	}
}

#define NR_UVERBS 90

/* Applies one random change to devices, names, nodes or kernel behavior. */
static void change_devices(unsigned int *next_index, bool nodes[NR_UVERBS])
{
	struct fake_netlink_device *device = NULL;
	unsigned int n = random_below(NR_UVERBS);
	char path[64];

	if (fake_netlink.nr_devices)
		device = &fake_netlink.devices[random_below(
			(uint32_t)fake_netlink.nr_devices)];

	switch (random_below(10)) {
	case 0:
	case 1:
	case 2: /* add a device, maybe with the node of a removed one */
		if (fake_netlink.nr_devices >= NR_UVERBS)
			return;
		device = fake_netlink_add((*next_index)++);
		snprintf(device->uverbs_store, sizeof(device->uverbs_store),
			 "uverbs%u", n);
		return;
	case 3:
		if (device)
			fake_netlink_remove(
				(size_t)(device - fake_netlink.devices));
		return;
	case 4: /* replace a device by one of the same name */
		if (device)
			device->index = (*next_index)++;
		return;
	case 5: /* remove or restore its character device */
		if (device)
			device->uverbs_name = device->uverbs_name
						      ? NULL
						      : device->uverbs_store;
		return;
	case 6: /* rename it */
		if (device)
			snprintf(device->name_store, sizeof(device->name_store),
				 "new%u", (*next_index)++);
		return;
	case 7:
	case 8:
		snprintf(path, sizeof(path), "dev/uverbs%u", n);
		if (nodes[n])
			fake_sysfs_remove(&fake, path);
		else
			fake_sysfs_write(&fake, path, "");
		nodes[n] = !nodes[n];
		count_calls.modified = count_calls.now;
		return;
	default: /* change the size of the receive buffer */
		fake_netlink.queue_limit = 1 + random_below(100);
		return;
	}
}

static void compare_with_fresh_scan(void)
{
	struct verbs_discover_cache *fresh_memory = NULL;
	struct verbs_device_records fresh = {};
	int ret = scan();

	assert_int_equal(verbs_discover_at(&paths, &fresh_memory, &fresh), ret);
	check_same(&records, &fresh);
	verbs_device_records_free(&fresh);
	verbs_discover_cache_free(fresh_memory);
}

static void discover_memory_does_not_change_result(void **state)
{
	size_t found = 0;

	for (uint32_t seed = 0; seed < 40; seed++) {
		bool nodes[NR_UVERBS] = {};
		unsigned int next_index = 0;

		(void)teardown(state);
		(void)setup(state);
		fake_sysfs_class(&fake, "6\n");
		random_state = seed;
		for (int step = 0; step < 60; step++) {
			for (uint32_t i = random_below(8); i; i--)
				change_devices(&next_index, nodes);
			/* The kernel's clock has ticks of 4 ms. */
			count_calls.now.tv_nsec += 4000000 * random_below(20);
			if (count_calls.now.tv_nsec >= 1000000000) {
				count_calls.now.tv_nsec -= 1000000000;
				count_calls.now.tv_sec++;
			}
			fake_netlink.socket_errno =
				random_below(20) == 0 ? EPERM : 0;
			fake_netlink.nr_dump_interrupted = random_below(2);
			fake_netlink.devices_per_datagram =
				random_below(15) == 0 ? 20 : 1;
			compare_with_fresh_scan();
			found += records.count;
		}
	}
	assert_true(found > 1000); /* The comparison must not be empty. */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(discover_uses_netlink_first),
		TEST(discover_by_netlink_does_not_read_sysfs),
		TEST(discover_no_device_by_netlink_does_not_read_sysfs),
		TEST(discover_socket_refused_falls_back_to_sysfs),
		TEST(discover_send_refused_falls_back_to_sysfs),
		TEST(discover_receive_refused_falls_back_to_sysfs),
		TEST(discover_dump_refused_falls_back_to_sysfs),
		TEST(discover_dump_always_interrupted_falls_back_to_sysfs),
		TEST(discover_endless_dump_falls_back_to_sysfs),
		TEST(discover_missing_attr_falls_back_to_sysfs),
		TEST(discover_malformed_response_falls_back_to_sysfs),
		TEST(discover_next_scan_tries_netlink_again),
		TEST(discover_device_with_invalid_name_is_skipped),
		TEST(discover_missing_chardev_is_read_from_sysfs),
		TEST(discover_device_without_chardev_is_skipped),
		TEST(discover_resource_error_at_chardev_is_returned),
		TEST(discover_device_without_node_is_skipped),
		TEST(discover_both_sources_fail_returns_sysfs_error),
		TEST(discover_error_leaves_records_unchanged),
		TEST(discover_by_netlink_ignores_class_abi),
		TEST(discover_number_of_system_calls_is_bounded),
		TEST(discover_without_paths_finds_devices),
		TEST(discover_memory_does_not_change_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
