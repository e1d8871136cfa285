/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices of foreign providers: libibverbs/foreign/foreign_device.c below the
 * device list of core/. Each test has a process of its own.
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
	/* Others are about devices without a provider. */
	if (strncmp(text, "provider ", 9) == 0) {
		nr_warnings++;
		strcpy(warning, text);
	}
}

static struct ibv_device **array;
static int count;

static void get_list(void)
{
	assert_int_equal(verbs_device_list_get(&array, &count), 0);
}

static void appear(unsigned int n)
{
	struct verbs_kernel_device record = fake_discover_record(n);

	fake_discover_add(&record);
}

static void start(void)
{
	fake_foreign_start(&fake_layouts[0]);
	appear(0);
}

static struct foreign_device *foreign_of(struct ibv_device *device)
{
	return (struct foreign_device *)device;
}

/* ------------------------------------------------------------------------ */
/* Devices of the kernel                                                     */
/* ------------------------------------------------------------------------ */

static void device_is_the_provider_s_object(void **state)
{
	const struct ibv_device *device;
	struct verbs_device *dev;

	start();
	get_list();
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

static void device_has_what_providers_expect_of_it(void **state)
{
	const struct foreign_device *device;

	start();
	get_list();
	device = foreign_of(array[0]);
	assert_ptr_equal(device->ops, &fake_foreign_ops);
	assert_int_equal(atomic_load(&device->refcount), 1);
	assert_string_equal(device->sysfs->ibdev_name, "fake0");
	assert_string_equal(fake_foreign.sysfs.sysfs_name, "uverbs0");
	assert_ptr_equal(fake_foreign.sysfs.match,
			 fake_foreign_ops.match_table);
	assert_int_equal(fake_foreign.sysfs.abi_ver, FAKE_ABI_VERSION);
}

static void devices_are_made_once(void **state)
{
	struct ibv_device *first;

	start();
	get_list();
	first = array[0];
	verbs_device_list_put(array);
	get_list();
	assert_ptr_equal(array[0], first);
	assert_int_equal(fake_foreign.nr_alloc_device, 1);
}

static void last_reference_undoes_everything(void **state)
{
	struct leak_check check;

	start();
	leak_check_begin(&check);
	get_list();
	assert_true(fake_discover_remove("fake0"));
	verbs_device_list_put(array);
	get_list();
	assert_int_equal(count, 0);
	verbs_device_list_put(array);
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
	assert_true(fake_foreign.sysfs_was_gone);
	leak_check_end(&check);
}

static void open_list_keeps_the_device(void **state)
{
	struct ibv_device **later;

	start();
	get_list();
	assert_true(fake_discover_remove("fake0"));
	assert_int_equal(verbs_device_list_get(&later, &count), 0);
	assert_int_equal(fake_foreign.nr_uninit_device, 0);
	assert_string_equal(array[0]->name, "fake0");
	verbs_device_list_put(array);
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
}

static void provider_that_refuses_is_told_once(void **state)
{
	struct leak_check check;

	start();
	appear(1);
	fake_foreign.refuses_device = true;
	leak_check_begin(&check);
	for (int i = 0; i < 2; i++) {
		get_list();
		assert_int_equal(count, 0);
		verbs_device_list_put(array);
		assert_int_equal(nr_warnings, 1);
	}
	assert_string_equal(warning, "provider foreign: matches fake0, but its "
				     "alloc_device() fails");
	leak_check_end(&check);

	fake_foreign.refuses_device = false;
	get_list();
	assert_int_equal(count, 2);
}

static void out_of_memory_leaves_nothing(void **state)
{
	struct leak_check check;
	unsigned int nth = 0;
	bool failed;

	start();
	/* What discovery keeps for ever. */
	get_list();
	assert_true(fake_discover_remove("fake0"));
	verbs_device_list_put(array);
	get_list();
	verbs_device_list_put(array);
	appear(1);
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

/* Modules read it in code of their own. */
static void setting_is_handed_on_before_a_device_is_made(void **state)
{
	start();
	assert_false(foreign_allow_disassociate_destroy);
	verbs_allow_disassociate_destroy = true;
	get_list();
	assert_true(foreign_allow_disassociate_destroy);
}

/* ------------------------------------------------------------------------ */
/* Devices that a provider makes by itself                                   */
/* ------------------------------------------------------------------------ */

/* As a function of a vendor library returns it. */
static struct ibv_device **own_device(const struct foreign_device_ops *ops)
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

static void own_device_is_known_when_it_comes(void **state)
{
	struct leak_check check;
	struct ibv_device **own;
	struct verbs_device *dev;

	start();
	leak_check_begin(&check);
	own = own_device(&fake_foreign_ops);
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

static void own_device_may_be_freed_unused(void **state)
{
	struct leak_check check;

	start();
	leak_check_begin(&check);
	verbs_device_list_put(own_device(&fake_foreign_ops));
	assert_int_equal(fake_foreign.nr_uninit_device, 1);
	leak_check_end(&check);
}

/* mlx5 has a table of its own for such devices, and does not register it. */
static void own_device_may_have_another_table(void **state)
{
	static struct foreign_device_ops other;
	struct ibv_device **own;
	struct verbs_device *dev;

	start();
	other = fake_foreign_ops;
	other.name = "other";
	own = own_device(&other);
	dev = verbs_device_of(own[0]);
	assert_non_null(dev);
	assert_string_equal(dev->provider->name, "other");
}

static void device_of_nobody_is_unknown(void **state)
{
	struct foreign_device_ops on_the_stack;
	struct ibv_device **own;

	start();
	on_the_stack = fake_foreign_ops;
	own = own_device(&on_the_stack);
	assert_null(verbs_device_of(own[0]));
	free(own[0]);
	own[0] = NULL;
	verbs_device_list_put(own);
	own = own_device(NULL);
	assert_null(verbs_device_of(own[0]));
}

static void without_foreign_providers_nobody_is_asked(void **state)
{
	struct ibv_device **own = own_device(NULL);

	assert_null(verbs_device_of(own[0]));
	verbs_device_list_put(own); /* and nothing but the array is freed */
}

static void device_without_uninit_stays(void **state)
{
	struct ibv_device **own;
	struct ibv_device *device;

	start();
	fake_foreign_ops.uninit_device = NULL;
	own = own_device(&fake_foreign_ops);
	device = own[0];
	assert_non_null(verbs_device_of(device));
	verbs_device_list_put(own);
	assert_null(device->_ops._dummy1);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_is_the_provider_s_object),
		cmocka_unit_test(device_has_what_providers_expect_of_it),
		cmocka_unit_test(devices_are_made_once),
		cmocka_unit_test(last_reference_undoes_everything),
		cmocka_unit_test(open_list_keeps_the_device),
		cmocka_unit_test(provider_that_refuses_is_told_once),
		cmocka_unit_test(out_of_memory_leaves_nothing),
		cmocka_unit_test(setting_is_handed_on_before_a_device_is_made),
		cmocka_unit_test(own_device_is_known_when_it_comes),
		cmocka_unit_test(own_device_may_be_freed_unused),
		cmocka_unit_test(own_device_may_have_another_table),
		cmocka_unit_test(device_of_nobody_is_unknown),
		cmocka_unit_test(without_foreign_providers_nobody_is_asked),
		cmocka_unit_test(device_without_uninit_stays),
	};

	return own_process_run_group_tests(tests);
}
