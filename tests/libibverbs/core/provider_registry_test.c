/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who has registered: libibverbs/core/provider_registry.c. Nobody can leave the
 * registry, so each test has a process of its own.
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

static void registry_is_empty_at_first(void **state)
{
	assert_int_equal(nr_registered(), 0);
}

static void providers_are_kept_in_the_order_they_came(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	assert_int_equal(verbs_provider_register(&two), 0);
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(verbs_provider_snapshot(ops), 2);
	assert_ptr_equal(ops[0], &two);
	assert_ptr_equal(ops[1], &one);
}

static void registered_provider_is_known_by_its_name(void **state)
{
	assert_false(verbs_provider_known("one"));
	assert_int_equal(verbs_provider_register(&two), 0);
	assert_false(verbs_provider_known("one"));
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_true(verbs_provider_known("one"));
	assert_true(verbs_provider_known("two"));
	assert_false(verbs_provider_known("on"));
}

static void registering_twice_is_harmless(void **state)
{
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(nr_registered(), 1);
}

static void another_provider_of_the_same_name_is_refused(void **state)
{
	assert_int_equal(verbs_provider_register(&one), 0);
	assert_int_equal(verbs_provider_register(&another_one), -EEXIST);
	assert_int_equal(nr_registered(), 1);
}

static void newer_abi_is_refused(void **state)
{
	static const struct verbs_device_ops newer = {
		.provider_abi = VERBS_PROVIDER_ABI + 1,
		.name = "newer",
	};

	assert_int_equal(verbs_provider_register(&newer), -EINVAL);
	assert_int_equal(nr_registered(), 0);
}

static void older_abi_is_refused(void **state)
{
	static const struct verbs_device_ops older = {
		.provider_abi = VERBS_PROVIDER_ABI - 1,
		.name = "older",
	};

	assert_int_equal(verbs_provider_register(&older), -EINVAL);
	assert_int_equal(nr_registered(), 0);
}

static void nameless_provider_is_refused(void **state)
{
	static const struct verbs_device_ops nameless = {
		.provider_abi = VERBS_PROVIDER_ABI,
	};

	assert_int_equal(verbs_provider_register(&nameless), -EINVAL);
	assert_int_equal(nr_registered(), 0);
}

static void one_more_than_there_is_room_for_is_refused(void **state)
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
	/* The last that fitted is still known. */
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

static void threads_may_register_at_the_same_time(void **state)
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
		cmocka_unit_test(registry_is_empty_at_first),
		cmocka_unit_test(providers_are_kept_in_the_order_they_came),
		cmocka_unit_test(registered_provider_is_known_by_its_name),
		cmocka_unit_test(registering_twice_is_harmless),
		cmocka_unit_test(another_provider_of_the_same_name_is_refused),
		cmocka_unit_test(newer_abi_is_refused),
		cmocka_unit_test(older_abi_is_refused),
		cmocka_unit_test(nameless_provider_is_refused),
		cmocka_unit_test(one_more_than_there_is_room_for_is_refused),
		cmocka_unit_test(threads_may_register_at_the_same_time),
	};

	return own_process_run_group_tests(tests);
}
