/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/provider_load_static.c. A provider cannot be
 * unregistered, so each test runs in its own process.
 */
/* Makes the header declare the names that a static build uses. */
#define RDMA_STATIC_PROVIDERS none
#include <infiniband/verbs.h>

#include "core/provider_load.h"
#include "core/provider_registry.h"
#include "libibverbs/core/own_process.h"

static const struct verbs_device_ops one = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "one",
};
static const struct verbs_device_ops two = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "two",
};
static const struct verbs_device_ops other_abi = {
	.provider_abi = VERBS_PROVIDER_ABI + 1,
	.name = "other_abi",
};
static const struct verbs_device_ops *const members[] = { &one, &two, NULL };
static const struct verbs_device_ops all = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.members = members,
};

static void static_providers_are_registered_in_order(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	ibv_static_providers(NULL, &two, &one, NULL);
	assert_int_equal(verbs_provider_snapshot(ops), 2);
	assert_ptr_equal(ops[0], &two);
	assert_ptr_equal(ops[1], &one);
}

static void static_providers_none_registers_nothing(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	ibv_static_providers(NULL, &verbs_provider_none, &one,
			     &verbs_provider_none, NULL);
	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_ptr_equal(ops[0], &one);
}

static void static_providers_all_registers_members(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	ibv_static_providers(NULL, &all, NULL);
	assert_int_equal(verbs_provider_snapshot(ops), 2);
	assert_ptr_equal(ops[0], &one);
	assert_ptr_equal(ops[1], &two);
}

static void static_providers_second_call_is_harmless(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	ibv_static_providers(NULL, &one, NULL);
	ibv_static_providers(NULL, &one, NULL);
	assert_int_equal(verbs_provider_snapshot(ops), 1);
}

static void static_providers_wrong_abi_is_skipped(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	ibv_static_providers(NULL, &other_abi, &one, NULL);
	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_ptr_equal(ops[0], &one);
}

static void static_providers_load_functions_do_nothing(void **state)
{
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_all());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(static_providers_are_registered_in_order),
		cmocka_unit_test(static_providers_none_registers_nothing),
		cmocka_unit_test(static_providers_all_registers_members),
		cmocka_unit_test(static_providers_second_call_is_harmless),
		cmocka_unit_test(static_providers_wrong_abi_is_skipped),
		cmocka_unit_test(static_providers_load_functions_do_nothing),
	};

	return own_process_run_group_tests(tests);
}
