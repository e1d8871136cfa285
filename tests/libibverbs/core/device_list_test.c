/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/device_list.c: scans, the identity, order and
 * lifetime of devices. The list cannot be reset, so each test runs in its own
 * process.
 */
#include "core/device_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "libibverbs/core/list_fixture.h"
#include "libibverbs/core/own_process.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"

/* ------------------------------------------------------------------------ */
/* Results of a scan                                                        */
/* ------------------------------------------------------------------------ */

static void device_list_without_devices_is_empty(void **state)
{
	list_start();
	list_assert_names_now(NO_NAMES);
}

static void device_list_kernel_without_rdma_is_enosys(void **state)
{
	list_start();
	fake_discover_fail(-ENOSYS);
	list_assert_error(-ENOSYS);
}

static void device_list_forbidden_scan_is_eperm(void **state)
{
	list_start();
	fake_discover_fail(-EPERM);
	list_assert_error(-EPERM);
}

static void device_list_scan_without_memory_is_enomem(void **state)
{
	list_start();
	fake_discover_fail(-ENOMEM);
	list_assert_error(-ENOMEM);
}

static void device_list_failed_scan_keeps_known_devices(void **state)
{
	struct ibv_device *before;
	struct list list;

	list_start();
	list_appear(0, 0);
	list = list_get();
	before = list.array[0];
	list_put(&list);

	fake_discover_fail(-EPERM);
	list_assert_error(-EPERM);
	fake_discover_fail(0);
	list = list_get();
	assert_int_equal(list.count, 1);
	assert_ptr_equal(list.array[0], before);
	list_put(&list);
}

static void device_list_loses_devices_when_kernel_loses_rdma(void **state)
{
	list_start();
	list_appear(0, 0);
	list_assert_names_now(NAMES("fake0"));
	fake_discover_fail(-ENOSYS);
	list_assert_error(-ENOSYS);
	fake_discover_reset();
	list_assert_names_now(NO_NAMES);
}

static void device_list_call_scans_once(void **state)
{
	list_start();
	list_appear(0, 3);
	list_assert_names_now(NAMES("fake0", "fake1", "fake2", "fake3"));
	assert_int_equal(fake_discover_nr_scans(), 1);
}

static void device_list_fills_public_fields_from_record(void **state)
{
	struct ibv_device *dev;
	struct list list;

	list_start();
	assert_int_equal(setenv("SYSFS_PATH", "/fake/sys", 1), 0);
	list_appear(7, 7);
	list = list_get();
	dev = list.array[0];
	assert_string_equal(dev->name, "fake7");
	assert_string_equal(dev->dev_name, "uverbs7");
	assert_string_equal(dev->dev_path,
			    "/fake/sys/class/infiniband_verbs/uverbs7");
	assert_string_equal(dev->ibdev_path,
			    "/fake/sys/class/infiniband/fake7");
	assert_int_equal(dev->node_type, IBV_NODE_CA);
	assert_ptr_equal((void *)dev->_ops._dummy1, verbs_device_of(dev));
	assert_null(dev->_ops._dummy2);
	assert_true(verbs_device_of(dev)->has_node);
	assert_int_equal(verbs_device_of(dev)->kernel.ibdev_index, 7);
	list_put(&list);
}

static void device_list_longest_name_is_not_cut(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct list list;

	list_start();
	memset(record.ibdev_name, 'n', sizeof(record.ibdev_name) - 1);
	memset(record.uverbs_name, 'u', sizeof(record.uverbs_name) - 1);
	fake_discover_add(&record);
	list = list_get();
	assert_string_equal(list.array[0]->name, record.ibdev_name);
	assert_string_equal(list.array[0]->dev_name, record.uverbs_name);
	list_put(&list);
}

/* At most 256 characters of SYSFS_PATH are used. */
static void device_list_overlong_path_is_left_empty(void **state)
{
	char root[257];
	struct list list;

	list_start();
	memset(root, 'r', sizeof(root));
	root[0] = '/';
	root[256] = '\0';
	assert_int_equal(setenv("SYSFS_PATH", root, 1), 0);
	list_appear(0, 0);
	list = list_get();
	assert_string_equal(list.array[0]->dev_path, "");
	assert_string_equal(list.array[0]->ibdev_path, "");
	list_put(&list);
}

static void assert_transport(int node_type, int transport_type)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct list list;

	fake_discover_reset();
	record.node_type = node_type;
	/* A new device of the same name. */
	record.ibdev_index = 100 + node_type;
	fake_discover_add(&record);
	list = list_get();
	assert_int_equal(list.count, 1);
	assert_int_equal(list.array[0]->node_type, node_type);
	assert_int_equal(list.array[0]->transport_type, transport_type);
	list_put(&list);
}

static void device_list_derives_transport_from_node_type(void **state)
{
	list_start();
	assert_transport(IBV_NODE_CA, IBV_TRANSPORT_IB);
	assert_transport(IBV_NODE_SWITCH, IBV_TRANSPORT_IB);
	assert_transport(IBV_NODE_ROUTER, IBV_TRANSPORT_IB);
	assert_transport(IBV_NODE_RNIC, IBV_TRANSPORT_IWARP);
	assert_transport(IBV_NODE_USNIC, IBV_TRANSPORT_USNIC);
	assert_transport(IBV_NODE_USNIC_UDP, IBV_TRANSPORT_USNIC_UDP);
	assert_transport(IBV_NODE_UNSPECIFIED, IBV_TRANSPORT_UNSPECIFIED);
	assert_transport(IBV_NODE_UNKNOWN, IBV_TRANSPORT_UNKNOWN);
}

/* ------------------------------------------------------------------------ */
/* Order                                                                    */
/* ------------------------------------------------------------------------ */

static void device_list_first_call_has_kernel_order(void **state)
{
	list_start();
	list_appear(2, 2);
	list_appear(0, 1);
	list_assert_names_now(NAMES("fake2", "fake0", "fake1"));
}

static void device_list_next_call_keeps_order(void **state)
{
	list_start();
	list_appear(0, 2);
	list_assert_names_now(NAMES("fake0", "fake1", "fake2"));
	list_assert_names_now(NAMES("fake0", "fake1", "fake2"));
}

static void device_list_new_devices_precede_older_devices(void **state)
{
	list_start();
	list_appear(0, 1);
	list_assert_names_now(NAMES("fake0", "fake1"));
	list_appear(2, 3);
	list_assert_names_now(NAMES("fake2", "fake3", "fake0", "fake1"));
	list_appear(4, 4);
	list_assert_names_now(
		NAMES("fake4", "fake2", "fake3", "fake0", "fake1"));
}

/* ------------------------------------------------------------------------ */
/* Identity of devices                                                      */
/* ------------------------------------------------------------------------ */

static void device_list_vanished_device_is_removed(void **state)
{
	list_start();
	list_appear(0, 2);
	list_assert_names_now(NAMES("fake0", "fake1", "fake2"));
	fake_discover_remove("fake1");
	list_assert_names_now(NAMES("fake0", "fake2"));
	fake_discover_remove("fake0");
	fake_discover_remove("fake2");
	list_assert_names_now(NO_NAMES);
}

/*
 * Lists, changes fake0 to @changed, and lists again. Return: whether it is the
 * same device.
 */
static bool keeps_its_object(const struct verbs_kernel_device *original,
			     const struct verbs_kernel_device *changed)
{
	struct list first, second;
	bool same;

	list_start();
	fake_discover_add(original);
	list_appear(1, 1);
	first = list_get();
	fake_discover_remove(original->ibdev_name);
	fake_discover_add(changed);
	second = list_get();
	assert_int_equal(first.count, 2);
	assert_int_equal(second.count, 2);

	same = second.array[0] == first.array[0];
	if (!same)
		assert_ptr_not_equal(second.array[1], first.array[0]);
	assert_string_equal(second.array[0]->name, changed->ibdev_name);
	assert_ptr_equal(second.array[1], first.array[1]); /* fake1 stays */
	list_put(&second);
	list_put(&first);
	return same;
}

/* The same without netlink: the time of the folder instead of the index. */
static struct verbs_kernel_device sysfs_record(void)
{
	struct verbs_kernel_device record = fake_discover_record(0);

	record.ibdev_index = -1;
	record.created = (struct timespec){ .tv_sec = 5, .tv_nsec = 6 };
	return record;
}

static void device_list_known_device_keeps_object(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);

	assert_true(keeps_its_object(&record, &record));
}

static void
device_list_same_name_with_different_index_is_new_device(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct verbs_kernel_device changed = record;

	changed.ibdev_index = 55;
	assert_false(keeps_its_object(&record, &changed));
}

static void
device_list_same_index_with_different_node_is_new_device(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct verbs_kernel_device changed = record;

	(void)strcpy(changed.uverbs_name, "uverbs9");
	assert_false(keeps_its_object(&record, &changed));
}

static void
device_list_same_node_with_different_number_is_new_device(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct verbs_kernel_device changed = record;

	changed.cdev = makedev(231, 250);
	assert_false(keeps_its_object(&record, &changed));
}

static void device_list_renamed_device_is_new_device(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct verbs_kernel_device changed = record;

	(void)strcpy(changed.ibdev_name, "renamed");
	assert_false(keeps_its_object(&record, &changed));
}

static void device_list_with_index_ignores_folder_time(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct verbs_kernel_device changed = record;

	changed.created.tv_sec = 99;
	assert_true(keeps_its_object(&record, &changed));
}

static void device_list_without_index_same_time_is_same_device(void **state)
{
	struct verbs_kernel_device record = sysfs_record();

	assert_true(keeps_its_object(&record, &record));
}

static void
device_list_without_index_different_seconds_are_new_device(void **state)
{
	struct verbs_kernel_device record = sysfs_record();
	struct verbs_kernel_device changed = record;

	changed.created.tv_sec++;
	assert_false(keeps_its_object(&record, &changed));
}

static void
device_list_without_index_different_nanoseconds_are_new_device(void **state)
{
	struct verbs_kernel_device record = sysfs_record();
	struct verbs_kernel_device changed = record;

	changed.created.tv_nsec++;
	assert_false(keeps_its_object(&record, &changed));
}

static void device_list_device_that_returns_is_new_device(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);
	struct list first, second;

	list_start();
	fake_discover_add(&record);
	first = list_get();
	fake_discover_remove("fake0");
	list_assert_names_now(NO_NAMES);
	fake_discover_add(&record);
	second = list_get();
	assert_ptr_not_equal(second.array[0], first.array[0]);
	list_put(&second);
	list_put(&first);
}

static void device_list_permuted_scan_keeps_devices(void **state)
{
	struct list first, second;

	list_start();
	list_appear(0, 2);
	first = list_get();
	fake_discover_reset();
	list_appear(2, 2);
	list_appear(1, 1);
	list_appear(0, 0);
	second = list_get();
	assert_int_equal(second.count, 3);
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(second.array[i], first.array[i]);
	list_put(&second);
	list_put(&first);
}

/* ------------------------------------------------------------------------ */
/* Lifetime of devices                                                      */
/* ------------------------------------------------------------------------ */

static void device_list_two_arrays_share_devices(void **state)
{
	struct list first, second;

	list_start();
	list_appear(0, 0);
	first = list_get();
	second = list_get();
	assert_ptr_equal(first.array[0], second.array[0]);
	assert_ptr_not_equal(first.array, second.array);
	list_put(&first);
	assert_string_equal(second.array[0]->name, "fake0");
	list_put(&second);
}

static void device_list_array_keeps_removed_devices_alive(void **state)
{
	size_t nr_blocks = alloc_fail_nr_blocks();
	struct list first;

	list_start();
	list_appear(0, 0);
	first = list_get();
	fake_discover_remove("fake0");
	list_assert_names_now(NO_NAMES);
	assert_string_equal(first.array[0]->name, "fake0");
	list_put(&first);
	assert_int_equal(alloc_fail_nr_blocks(), nr_blocks);
}

static void device_list_device_survives_free_of_arrays(void **state)
{
	struct ibv_device *dev;
	struct list list;

	list_start();
	list_appear(0, 0);
	list = list_get();
	dev = list.array[0];
	list_put(&list);
	assert_string_equal(dev->name,
			    "fake0"); /* the list holds a reference */
}

static void device_reference_survives_list_and_arrays(void **state)
{
	size_t nr_blocks = alloc_fail_nr_blocks();
	struct verbs_device *dev;
	struct list list;

	list_start();
	list_appear(0, 0);
	list = list_get();
	dev = verbs_device_of(list.array[0]);
	verbs_device_get(dev);
	list_put(&list);
	fake_discover_remove("fake0");
	list_assert_names_now(NO_NAMES);
	assert_string_equal(dev->pub->name, "fake0");
	verbs_device_put(dev);
	assert_int_equal(alloc_fail_nr_blocks(), nr_blocks);
}

static void device_list_repeated_calls_do_not_grow_memory(void **state)
{
	size_t nr_blocks;

	list_start();
	list_appear(0, 9);
	list_assert_names_now(NAMES("fake0", "fake1", "fake2", "fake3", "fake4",
				    "fake5", "fake6", "fake7", "fake8",
				    "fake9"));
	nr_blocks = alloc_fail_nr_blocks();
	for (int i = 0; i < 10; i++) {
		struct list list = list_get();

		list_put(&list);
	}
	assert_int_equal(alloc_fail_nr_blocks(), nr_blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_list_without_devices_is_empty),
		cmocka_unit_test(device_list_kernel_without_rdma_is_enosys),
		cmocka_unit_test(device_list_forbidden_scan_is_eperm),
		cmocka_unit_test(device_list_scan_without_memory_is_enomem),
		cmocka_unit_test(device_list_failed_scan_keeps_known_devices),
		cmocka_unit_test(
			device_list_loses_devices_when_kernel_loses_rdma),
		cmocka_unit_test(device_list_call_scans_once),
		cmocka_unit_test(device_list_fills_public_fields_from_record),
		cmocka_unit_test(device_list_longest_name_is_not_cut),
		cmocka_unit_test(device_list_overlong_path_is_left_empty),
		cmocka_unit_test(device_list_derives_transport_from_node_type),
		cmocka_unit_test(device_list_first_call_has_kernel_order),
		cmocka_unit_test(device_list_next_call_keeps_order),
		cmocka_unit_test(device_list_new_devices_precede_older_devices),
		cmocka_unit_test(device_list_vanished_device_is_removed),
		cmocka_unit_test(device_list_known_device_keeps_object),
		cmocka_unit_test(
			device_list_same_name_with_different_index_is_new_device),
		cmocka_unit_test(
			device_list_same_index_with_different_node_is_new_device),
		cmocka_unit_test(
			device_list_same_node_with_different_number_is_new_device),
		cmocka_unit_test(device_list_renamed_device_is_new_device),
		cmocka_unit_test(device_list_with_index_ignores_folder_time),
		cmocka_unit_test(
			device_list_without_index_same_time_is_same_device),
		cmocka_unit_test(
			device_list_without_index_different_seconds_are_new_device),
		cmocka_unit_test(
			device_list_without_index_different_nanoseconds_are_new_device),
		cmocka_unit_test(device_list_device_that_returns_is_new_device),
		cmocka_unit_test(device_list_permuted_scan_keeps_devices),
		cmocka_unit_test(device_list_two_arrays_share_devices),
		cmocka_unit_test(device_list_array_keeps_removed_devices_alive),
		cmocka_unit_test(device_list_device_survives_free_of_arrays),
		cmocka_unit_test(device_reference_survives_list_and_arrays),
		cmocka_unit_test(device_list_repeated_calls_do_not_grow_memory),
	};

	return own_process_run_group_tests(tests);
}
