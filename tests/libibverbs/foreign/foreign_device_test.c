/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices of foreign providers: libibverbs/foreign/foreign_device.c below the
 * device list of core/. Each test runs in its own process.
 *
 * Linked with WRAP foreign_detect verbs_warn.
 */
#include "foreign/foreign_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_list.h"
#include "core/provider_registry.h"
#include "kernel/kernel_state.h"
#include "libibverbs/core/own_process.h"
#include "libibverbs/foreign/fake_foreign.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/leak_check.h"

static unsigned int nr_warnings;
static char warning[512];

void __wrap_verbs_warn(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

void __wrap_verbs_warn(const char *fmt, ...)
{
	char text[sizeof(warning)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* Ignore warnings about devices without a provider. */
	if (strncmp(text, "provider ", 9) == 0) {
		nr_warnings++;
		strcpy(warning, text);
	}
}

static struct ibv_device **array;
static int count;

static void get_device_list(void)
{
	assert_int_equal(verbs_device_list_get(&array, &count), 0);
}

static void add_kernel_device(unsigned int n)
{
	struct verbs_kernel_device record = fake_discover_record(n);

	fake_discover_add(&record);
}

static void start_provider(void)
{
	fake_foreign_start(&fake_layouts[0]);
	add_kernel_device(0);
}

static struct foreign_device *foreign_device_cast(struct ibv_device *device)
{
	return (struct foreign_device *)device;
}

/* ------------------------------------------------------------------------ */
/* Kernel devices                                                            */
/* ------------------------------------------------------------------------ */

static void foreign_device_list_returns_provider_object(void **state)
{
	const struct ibv_device *device;
	struct verbs_device *dev;

	start_provider();
	get_device_list();
	assert_int_equal(count, 1);
	device = array[0];
	assert_string_equal(device->name, "fake0");
	assert_string_equal(device->dev_name, "uverbs0");
	assert_non_null(strstr(device->dev_path, "/class/infiniband_verbs/"));
	assert_non_null(strstr(device->ibdev_path, "/class/infiniband/fake0"));
	assert_int_equal(device->node_type, IBV_NODE_CA);
	assert_int_equal(device->transport_type, IBV_TRANSPORT_IB);

	dev = verbs_device_of(array[0]);
	assert_ptr_equal(dev->pub, device);
	assert_string_equal(dev->kernel.ibdev_name, "fake0");
	assert_true(dev->has_node);
	assert_ptr_equal(verbs_device_of(array[0]), dev);
}

static void foreign_device_alloc_sets_members_for_provider(void **state)
{
	const struct foreign_device *device;

	start_provider();
	get_device_list();
	device = foreign_device_cast(array[0]);
	assert_ptr_equal(device->ops, &fake_foreign_ops);
	assert_int_equal(atomic_load(&device->refcount), 1);
	assert_string_equal(device->sysfs->ibdev_name, "fake0");
	assert_string_equal(fake_foreign.sysfs.sysfs_name, "uverbs0");
	assert_ptr_equal(fake_foreign.sysfs.match,
			 fake_foreign_ops.match_table);
	assert_int_equal(fake_foreign.sysfs.abi_ver, FAKE_ABI_VERSION);
}

static void foreign_device_second_list_reuses_object(void **state)
{
	struct ibv_device *first;

	start_provider();
	get_device_list();
	first = array[0];
	verbs_device_list_put(array);
	get_device_list();
	assert_ptr_equal(array[0], first);
	assert_int_equal(fake_foreign.nr_alloc_device, 1);
}

static void foreign_device_last_put_frees_device(void **state)
{
	struct leak_check check;

	start_provider();
	leak_check_begin(&check);
	get_device_list();
	assert_true(fake_discover_remove("fake0"));
	verbs_device_list_put(array);
	get_device_list();
	assert_int_equal(count, 0);
	verbs_device_list_put(array);
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
	assert_true(fake_foreign.sysfs_was_gone);
	leak_check_end(&check);
}

static void foreign_device_list_holds_reference_of_removed_device(void **state)
{
	struct ibv_device **later;

	start_provider();
	get_device_list();
	assert_true(fake_discover_remove("fake0"));
	assert_int_equal(verbs_device_list_get(&later, &count), 0);
	assert_int_equal(fake_foreign.nr_uninit_device, 0);
	assert_string_equal(array[0]->name, "fake0");
	verbs_device_list_put(array);
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
}

static void foreign_device_alloc_failure_warns_once(void **state)
{
	struct leak_check check;

	start_provider();
	add_kernel_device(1);
	fake_foreign.fails_alloc_device = true;
	leak_check_begin(&check);
	for (int i = 0; i < 2; i++) {
		get_device_list();
		assert_int_equal(count, 0);
		verbs_device_list_put(array);
		assert_int_equal(nr_warnings, 1);
	}
	assert_string_equal(warning, "provider foreign: matches fake0, but its "
				     "alloc_device() fails");
	leak_check_end(&check);

	fake_foreign.fails_alloc_device = false;
	get_device_list();
	assert_int_equal(count, 2);
}

static void foreign_device_list_without_memory_leaks_nothing(void **state)
{
	struct leak_check check;
	unsigned int nth = 0;
	bool failed;

	start_provider();
	/* Discovery keeps some memory for the life of the process. */
	get_device_list();
	assert_true(fake_discover_remove("fake0"));
	verbs_device_list_put(array);
	get_device_list();
	verbs_device_list_put(array);
	add_kernel_device(1);
	leak_check_begin(&check);
	do {
		int ret;

		alloc_fail_at(++nth);
		ret = verbs_device_list_get(&array, &count);
		failed = alloc_fail_done();
		if (ret == 0)
			verbs_device_list_put(array);
		if (failed && fake_foreign.nr_alloc_device == 1)
			leak_check_end(&check);
	} while (failed);
	assert_true(nth > 3);
	assert_int_equal(count, 1);
}

/* Inline functions in modules read the variable. */
static void foreign_device_alloc_copies_disassociate_setting(void **state)
{
	start_provider();
	assert_false(foreign_allow_disassociate_destroy);
	verbs_allow_disassociate_destroy = true;
	get_device_list();
	assert_true(foreign_allow_disassociate_destroy);
}

/* ------------------------------------------------------------------------ */
/* Devices that a vendor library allocates                                   */
/* ------------------------------------------------------------------------ */

/* Returns a device list as a function of a vendor library does. */
static struct ibv_device **
vendor_device_list(const struct foreign_device_ops *ops)
{
	struct ibv_device **own = calloc(2, sizeof(*own));
	struct foreign_device *device = calloc(1, sizeof(*device));

	assert_non_null(own);
	assert_non_null(device);
	device->ops = ops;
	atomic_store(&device->refcount, 1);
	strcpy(device->device.name, "0000:03:00.0");
	own[0] = &device->device;
	return own;
}

static void foreign_device_vendor_device_is_adopted(void **state)
{
	struct leak_check check;
	struct ibv_device **own;
	struct verbs_device *dev;

	start_provider();
	leak_check_begin(&check);
	own = vendor_device_list(&fake_foreign_ops);
	dev = verbs_device_of(own[0]);
	assert_non_null(dev);
	assert_ptr_equal(dev->pub, own[0]);
	assert_false(dev->has_node);
	assert_string_equal(own[0]->name, "0000:03:00.0");
	assert_ptr_equal(verbs_device_of(own[0]), dev);
	assert_int_equal(verbs_device_node_guid(dev), 0);
	verbs_device_list_put(own);
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
	leak_check_end(&check);
}

static void foreign_device_vendor_device_unused_is_freed(void **state)
{
	struct leak_check check;

	start_provider();
	leak_check_begin(&check);
	verbs_device_list_put(vendor_device_list(&fake_foreign_ops));
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
	leak_check_end(&check);
}

/* mlx5 has a separate table for such devices and does not register it. */
static void
foreign_device_vendor_device_unregistered_table_is_adopted(void **state)
{
	static struct foreign_device_ops other;
	struct ibv_device **own;
	struct verbs_device *dev;

	start_provider();
	other = fake_foreign_ops;
	other.name = "other";
	own = vendor_device_list(&other);
	dev = verbs_device_of(own[0]);
	assert_non_null(dev);
	assert_string_equal(dev->provider->name, "other");
}

static void foreign_device_vendor_device_unknown_table_is_rejected(void **state)
{
	struct foreign_device_ops on_the_stack;
	struct ibv_device **own;

	start_provider();
	on_the_stack = fake_foreign_ops;
	own = vendor_device_list(&on_the_stack);
	assert_null(verbs_device_of(own[0]));
	free(own[0]);
	own[0] = NULL;
	verbs_device_list_put(own);
	own = vendor_device_list(NULL);
	assert_null(verbs_device_of(own[0]));
}

static void
foreign_device_vendor_device_without_foreign_provider_is_rejected(void **state)
{
	struct ibv_device **own = vendor_device_list(NULL);

	assert_null(verbs_device_of(own[0]));
	verbs_device_list_put(own); /* frees the array only */
}

static void foreign_device_vendor_device_without_uninit_is_kept(void **state)
{
	struct ibv_device **own;
	struct ibv_device *device;

	start_provider();
	fake_foreign_ops.uninit_device = NULL;
	own = vendor_device_list(&fake_foreign_ops);
	device = own[0];
	assert_non_null(verbs_device_of(device));
	verbs_device_list_put(own);
	assert_null(device->_ops._dummy1);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_device_list_returns_provider_object),
		cmocka_unit_test(
			foreign_device_alloc_sets_members_for_provider),
		cmocka_unit_test(foreign_device_second_list_reuses_object),
		cmocka_unit_test(foreign_device_last_put_frees_device),
		cmocka_unit_test(
			foreign_device_list_holds_reference_of_removed_device),
		cmocka_unit_test(foreign_device_alloc_failure_warns_once),
		cmocka_unit_test(
			foreign_device_list_without_memory_leaks_nothing),
		cmocka_unit_test(
			foreign_device_alloc_copies_disassociate_setting),
		cmocka_unit_test(foreign_device_vendor_device_is_adopted),
		cmocka_unit_test(foreign_device_vendor_device_unused_is_freed),
		cmocka_unit_test(
			foreign_device_vendor_device_unregistered_table_is_adopted),
		cmocka_unit_test(
			foreign_device_vendor_device_unknown_table_is_rejected),
		cmocka_unit_test(
			foreign_device_vendor_device_without_foreign_provider_is_rejected),
		cmocka_unit_test(
			foreign_device_vendor_device_without_uninit_is_kept),
	};

	return own_process_run_group_tests(tests);
}
