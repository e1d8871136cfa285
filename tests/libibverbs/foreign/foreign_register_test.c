/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registration of foreign providers: libibverbs/foreign/foreign_register.c.
 * What has registered stays for ever, so each test has a process of its own.
 *
 * Linked with WRAP foreign_detect verbs_warn.
 */
#include "foreign/foreign_register.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>

#include "core/foreign_hooks.h"
#include "core/provider_registry.h"
#include "foreign/foreign_provider.h"
#include "libibverbs/core/own_process.h"
#include "libibverbs/foreign/fake_foreign.h"

static unsigned int nr_warnings;
static char warning[512];

void __wrap_verbs_warn(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

void __wrap_verbs_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(warning, sizeof(warning), fmt, args);
	va_end(args);
	nr_warnings++;
}

static struct foreign_verbs_context *
alloc_context(struct ibv_device *device, int cmd_fd, void *private_data)
{
	return NULL;
}

static struct foreign_device *alloc_device(struct foreign_sysfs_dev *sysfs_dev)
{
	return NULL;
}

static const struct foreign_match_ent no_match[] = {
	{ .kind = FOREIGN_MATCH_SENTINEL },
};

#define OPS(_name)                                                           \
	{                                                                    \
		.name = (_name), .match_table = no_match,                    \
		.alloc_context = alloc_context, .alloc_device = alloc_device \
	}

static const struct foreign_device_ops one = OPS("one");
static const struct foreign_device_ops two = OPS("two");
static const struct foreign_device_ops one_again = OPS("one");

static size_t nr_registered(void)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	return verbs_provider_snapshot(ops);
}

static const struct foreign_provider *registered(void)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_non_null(ops[0]->foreign);
	return foreign_provider_of(ops[0]);
}

/* ------------------------------------------------------------------------ */
/* What is registered                                                        */
/* ------------------------------------------------------------------------ */

static void
assert_variant(void (*register_driver)(const struct foreign_device_ops *ops),
	       enum foreign_variant_id id, unsigned int release)
{
	const struct foreign_provider *provider;

	register_driver(&one);
	provider = registered();
	assert_int_equal(nr_warnings, 0);
	assert_string_equal(provider->ops.name, "one");
	assert_ptr_equal(provider->module_ops, &one);
	assert_ptr_equal(provider->variant, &foreign_variants[id]);
	assert_int_equal(provider->release, release);
	assert_ptr_equal(provider->ops.foreign->origin(&provider->ops), &one);
}

/* Two releases of 34 are extinct, so it can only be one of the others. */
static void any_34_is_taken_for_36_or_newer(void **state)
{
	assert_variant(foreign_register_driver_34, FOREIGN_34, 0);
}

/* That of v44 has a verbs_qp of its own, so "44 or newer" says nothing. */
static void release_counts_if_the_qp_is_the_same_in_all_newer_ones(void **state)
{
	fake_oldest = 45;
	assert_variant(foreign_register_driver_34, FOREIGN_34, 45);
}

static void release_with_different_qps_is_unknown(void **state)
{
	fake_oldest = 44;
	assert_variant(foreign_register_driver_34, FOREIGN_34, 0);
}

static void known_34_keeps_its_release(void **state)
{
	fake_oldest = 54;
	assert_variant(foreign_register_driver_34, FOREIGN_34, 54);
}

static void any_57_is_taken(void **state)
{
	assert_variant(foreign_register_driver_57, FOREIGN_57, 57);
}

static void early_59_has_its_variant(void **state)
{
	fake_newest = 61;
	assert_variant(foreign_register_driver_59, FOREIGN_59A, 59);
}

static void late_59_has_its_variant(void **state)
{
	fake_oldest = 62;
	assert_variant(foreign_register_driver_59, FOREIGN_59B, 62);
}

static void any_64_is_taken(void **state)
{
	assert_variant(foreign_register_driver_64, FOREIGN_64, 64);
}

static void any_65_is_taken(void **state)
{
	assert_variant(foreign_register_driver_65, FOREIGN_65, 65);
}

/* ------------------------------------------------------------------------ */
/* What is refused                                                           */
/* ------------------------------------------------------------------------ */

static void assert_refused(const char *text)
{
	assert_int_equal(nr_registered(), 0);
	assert_int_equal(nr_warnings, 1);
	assert_string_equal(warning, text);
	nr_warnings = 0;
}

static void any_59_is_refused(void **state)
{
	foreign_register_driver_59(&one);
	assert_refused(
		"provider one: built for an rdma-core release from 59 to "
		"63, which have different ABIs");
}

static void extinct_release_is_refused(void **state)
{
	fake_oldest = fake_newest = 35;
	foreign_register_driver_34(&one);
	assert_refused("provider one: rdma-core release 35 is not supported");
}

static void incomplete_table_is_refused(void **state)
{
	struct foreign_device_ops ops = one;

	foreign_register_driver_34(NULL);
	assert_refused("provider unknown: its op table is incomplete");
	ops.name = NULL;
	foreign_register_driver_34(&ops);
	assert_refused("provider unknown: its op table is incomplete");
	ops = one;
	ops.alloc_context = NULL;
	foreign_register_driver_34(&ops);
	assert_refused("provider one: its op table is incomplete");
	ops = one;
	ops.alloc_device = NULL;
	foreign_register_driver_34(&ops);
	assert_refused("provider one: its op table is incomplete");
	ops = one;
	ops.match_table = NULL;
	foreign_register_driver_34(&ops);
	assert_refused("provider one: its op table is incomplete");
}

static void second_registration_is_told_and_changes_nothing(void **state)
{
	foreign_register_driver_34(&one);
	foreign_register_driver_34(&one);
	foreign_register_driver_65(&one);
	assert_int_equal(nr_warnings, 2);
	assert_string_equal(warning, "provider one: registers twice");
	assert_ptr_equal(registered()->variant, &foreign_variants[FOREIGN_34]);
}

static void name_of_another_is_refused(void **state)
{
	foreign_register_driver_34(&one);
	foreign_register_driver_65(&one_again);
	assert_int_equal(nr_warnings, 1);
	assert_string_equal(warning,
			    "provider one: a provider of this name exists");
	assert_ptr_equal(registered()->module_ops, &one);

	/* And it does not stand in the way of others. */
	foreign_register_driver_65(&two);
	assert_int_equal(nr_registered(), 2);
	assert_int_equal(nr_warnings, 1);
}

static void too_many_are_refused(void **state)
{
	static struct foreign_device_ops many[VERBS_MAX_PROVIDERS + 1];
	static char names[VERBS_MAX_PROVIDERS + 1][8];

	for (size_t i = 0; i <= VERBS_MAX_PROVIDERS; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "p%zu", i);
		many[i] = one;
		many[i].name = names[i];
		foreign_register_driver_34(&many[i]);
	}
	assert_int_equal(nr_registered(), VERBS_MAX_PROVIDERS);
	assert_int_equal(nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* Tables that were not registered                                           */
/* ------------------------------------------------------------------------ */

static void table_of_the_same_module_is_known(void **state)
{
	const struct foreign_provider *provider;

	fake_oldest = 62;
	foreign_register_driver_59(&one);
	provider = foreign_provider_of_module(&two);
	assert_non_null(provider);
	assert_ptr_equal(provider->module_ops, &two);
	assert_string_equal(provider->ops.name, "two");
	assert_ptr_equal(provider->variant, &foreign_variants[FOREIGN_59B]);
	assert_int_equal(provider->release, 62);
	assert_ptr_equal(foreign_provider_of_module(&two), provider);
	assert_ptr_equal(foreign_provider_of_module(&one), registered());
	assert_int_equal(nr_registered(), 1);
}

static void table_of_another_module_is_not(void **state)
{
	static const struct foreign_device_ops *nobody;
	struct foreign_device_ops on_the_stack = one;

	foreign_register_driver_34(&one);
	assert_null(foreign_provider_of_module(&on_the_stack));
	assert_null(foreign_provider_of_module(nobody));
	/* In libc, and not replaced by a sanitizer. */
	assert_null(foreign_provider_of_module(
		(const void *)(uintptr_t)gnu_get_libc_version));
}

static void without_any_provider_no_table_is_known(void **state)
{
	assert_null(foreign_provider_of_module(&one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_34_is_taken_for_36_or_newer),
		cmocka_unit_test(known_34_keeps_its_release),
		cmocka_unit_test(
			release_counts_if_the_qp_is_the_same_in_all_newer_ones),
		cmocka_unit_test(release_with_different_qps_is_unknown),
		cmocka_unit_test(any_57_is_taken),
		cmocka_unit_test(early_59_has_its_variant),
		cmocka_unit_test(late_59_has_its_variant),
		cmocka_unit_test(any_64_is_taken),
		cmocka_unit_test(any_65_is_taken),
		cmocka_unit_test(any_59_is_refused),
		cmocka_unit_test(extinct_release_is_refused),
		cmocka_unit_test(incomplete_table_is_refused),
		cmocka_unit_test(
			second_registration_is_told_and_changes_nothing),
		cmocka_unit_test(name_of_another_is_refused),
		cmocka_unit_test(too_many_are_refused),
		cmocka_unit_test(table_of_the_same_module_is_known),
		cmocka_unit_test(table_of_another_module_is_not),
		cmocka_unit_test(without_any_provider_no_table_is_known),
	};

	return own_process_run_group_tests(tests);
}
