/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/provider_registry.c. A provider cannot be
 * unregistered, so each test runs in its own process.
 */
#include "core/provider_registry.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "libibverbs/core/own_process.h"

static const struct verbs_device_ops one = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "one",
};
static const struct verbs_device_ops two = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "two",
};
static const struct verbs_device_ops another_one = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "one",
};

static size_t nr_registered(void)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	return verbs_provider_snapshot(ops);
}

static void provider_registry_is_empty_at_start(void **state)
{
	assert_int_equal(nr_registered(), 0);
}

static void provider_registry_keeps_order(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	assert_int_equal(verbs_provider_register(&two), 0);
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(verbs_provider_snapshot(ops), 2);
	assert_ptr_equal(ops[0], &two);
	assert_ptr_equal(ops[1], &one);
}

static void provider_registry_known_finds_name(void **state)
{
	assert_false(verbs_provider_known("one"));
	assert_int_equal(verbs_provider_register(&two), 0);
	assert_false(verbs_provider_known("one"));
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_true(verbs_provider_known("one"));
	assert_true(verbs_provider_known("two"));
	assert_false(verbs_provider_known("on"));
}

static void provider_registry_second_registration_is_harmless(void **state)
{
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(nr_registered(), 1);
}

static void provider_registry_duplicate_name_is_rejected(void **state)
{
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(verbs_provider_register(&another_one), -EEXIST);
	assert_int_equal(nr_registered(), 1);
}

static void provider_registry_newer_abi_is_rejected(void **state)
{
	static const struct verbs_device_ops newer = {
		.provider_abi = VERBS_PROVIDER_ABI + 1,
		.name = "newer",
	};

	assert_int_equal(verbs_provider_register(&newer), -EINVAL);
	assert_int_equal(nr_registered(), 0);
}

static void provider_registry_older_abi_is_rejected(void **state)
{
	static const struct verbs_device_ops older = {
		.provider_abi = VERBS_PROVIDER_ABI - 1,
		.name = "older",
	};

	assert_int_equal(verbs_provider_register(&older), -EINVAL);
	assert_int_equal(nr_registered(), 0);
}

static void provider_registry_missing_name_is_rejected(void **state)
{
	static const struct verbs_device_ops nameless = {
		.provider_abi = VERBS_PROVIDER_ABI,
	};

	assert_int_equal(verbs_provider_register(&nameless), -EINVAL);
	assert_int_equal(nr_registered(), 0);
}

static void provider_registry_full_is_enospc(void **state)
{
	static struct verbs_device_ops many[VERBS_MAX_PROVIDERS + 1];
	static char names[VERBS_MAX_PROVIDERS + 1][16];

	for (int i = 0; i <= VERBS_MAX_PROVIDERS; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "p%d", i);
		many[i].provider_abi = VERBS_PROVIDER_ABI;
		many[i].name = names[i];
	}
	for (int i = 0; i < VERBS_MAX_PROVIDERS; i++)
		assert_int_equal(verbs_provider_register(&many[i]), 0);
	assert_int_equal(verbs_provider_register(&many[VERBS_MAX_PROVIDERS]),
			 -ENOSPC);
	/* The last provider that was accepted is still registered. */
	assert_int_equal(
		verbs_provider_register(&many[VERBS_MAX_PROVIDERS - 1]), 0);
	assert_int_equal(nr_registered(), VERBS_MAX_PROVIDERS);
}

static void *register_many(void *arg)
{
	for (int i = 0; i < 100; i++) {
		(void)verbs_provider_register(&one);
		(void)nr_registered();
		(void)verbs_provider_register(&two);
	}
	return NULL;
}

static void provider_registry_concurrent_registration_succeeds(void **state)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, register_many, NULL),
			0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(nr_registered(), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(provider_registry_is_empty_at_start),
		cmocka_unit_test(provider_registry_keeps_order),
		cmocka_unit_test(provider_registry_known_finds_name),
		cmocka_unit_test(
			provider_registry_second_registration_is_harmless),
		cmocka_unit_test(provider_registry_duplicate_name_is_rejected),
		cmocka_unit_test(provider_registry_newer_abi_is_rejected),
		cmocka_unit_test(provider_registry_older_abi_is_rejected),
		cmocka_unit_test(provider_registry_missing_name_is_rejected),
		cmocka_unit_test(provider_registry_full_is_enospc),
		cmocka_unit_test(
			provider_registry_concurrent_registration_succeeds),
	};

	return own_process_run_group_tests(tests);
}
