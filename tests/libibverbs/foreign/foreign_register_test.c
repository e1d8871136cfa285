/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registration of foreign providers: libibverbs/foreign/foreign_register.c and
 * foreign_provider.c. A registration lasts as long as the process, so each test
 * runs in its own process.
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

static const struct foreign_provider *registered_provider(void)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_non_null(ops[0]->foreign);
	return foreign_provider_of(ops[0]);
}

/* ------------------------------------------------------------------------ */
/* Accepted providers                                                        */
/* ------------------------------------------------------------------------ */

static void
assert_variant(void (*register_driver)(const struct foreign_device_ops *ops),
	       enum foreign_variant_id id, unsigned int release)
{
	const struct foreign_provider *provider;

	register_driver(&one);
	provider = registered_provider();
	assert_int_equal(nr_warnings, 0);
	assert_string_equal(provider->ops.name, "one");
	assert_ptr_equal(provider->module_ops, &one);
	assert_ptr_equal(provider->variant, &foreign_variants[id]);
	assert_int_equal(provider->release, release);
	assert_ptr_equal(provider->ops.foreign->origin(&provider->ops), &one);
}

/*
 * v34 and v35 are excluded. The others differ in verbs_qp, so the release is
 * unknown.
 */
static void foreign_register_node_34_has_unknown_release(void **state)
{
	assert_variant(foreign_register_driver_34, FOREIGN_34, 0);
}

/* v45 and later have the same verbs_qp. */
static void foreign_register_node_34_from_v45_keeps_release(void **state)
{
	fake_detect_oldest = 45;
	assert_variant(foreign_register_driver_34, FOREIGN_34, 45);
}

static void foreign_register_node_34_from_v44_has_unknown_release(void **state)
{
	fake_detect_oldest = 44;
	assert_variant(foreign_register_driver_34, FOREIGN_34, 0);
}

static void foreign_register_node_34_known_release_is_stored(void **state)
{
	fake_detect_oldest = 54;
	assert_variant(foreign_register_driver_34, FOREIGN_34, 54);
}

static void foreign_register_node_57_is_accepted(void **state)
{
	assert_variant(foreign_register_driver_57, FOREIGN_57, 57);
}

static void foreign_register_node_59_until_v61_has_variant_59a(void **state)
{
	fake_detect_newest = 61;
	assert_variant(foreign_register_driver_59, FOREIGN_59A, 59);
}

static void foreign_register_node_59_from_v62_has_variant_59b(void **state)
{
	fake_detect_oldest = 62;
	assert_variant(foreign_register_driver_59, FOREIGN_59B, 62);
}

static void foreign_register_node_64_is_accepted(void **state)
{
	assert_variant(foreign_register_driver_64, FOREIGN_64, 64);
}

static void foreign_register_node_65_is_accepted(void **state)
{
	assert_variant(foreign_register_driver_65, FOREIGN_65, 65);
}

/* ------------------------------------------------------------------------ */
/* Rejected providers                                                        */
/* ------------------------------------------------------------------------ */

static void assert_rejected(const char *text)
{
	assert_int_equal(nr_registered(), 0);
	assert_int_equal(nr_warnings, 1);
	assert_string_equal(warning, text);
	nr_warnings = 0;
}

static void foreign_register_node_59_unknown_release_is_rejected(void **state)
{
	foreign_register_driver_59(&one);
	assert_rejected(
		"provider one: built for an rdma-core release from 59 to "
		"63, which have different ABIs");
}

static void foreign_register_node_34_v35_is_rejected(void **state)
{
	fake_detect_oldest = fake_detect_newest = 35;
	foreign_register_driver_34(&one);
	assert_rejected("provider one: rdma-core release 35 is not supported");
}

static void foreign_register_incomplete_table_is_rejected(void **state)
{
	struct foreign_device_ops ops = one;

	foreign_register_driver_34(NULL);
	assert_rejected("provider unknown: its op table is incomplete");
	ops.name = NULL;
	foreign_register_driver_34(&ops);
	assert_rejected("provider unknown: its op table is incomplete");
	ops = one;
	ops.alloc_context = NULL;
	foreign_register_driver_34(&ops);
	assert_rejected("provider one: its op table is incomplete");
	ops = one;
	ops.alloc_device = NULL;
	foreign_register_driver_34(&ops);
	assert_rejected("provider one: its op table is incomplete");
	ops = one;
	ops.match_table = NULL;
	foreign_register_driver_34(&ops);
	assert_rejected("provider one: its op table is incomplete");
}

static void
foreign_register_second_registration_warns_and_changes_nothing(void **state)
{
	foreign_register_driver_34(&one);
	foreign_register_driver_34(&one);
	foreign_register_driver_65(&one);
	assert_int_equal(nr_warnings, 2);
	assert_string_equal(warning, "provider one: registers twice");
	assert_ptr_equal(registered_provider()->variant,
			 &foreign_variants[FOREIGN_34]);
}

static void foreign_register_duplicate_name_is_rejected(void **state)
{
	foreign_register_driver_34(&one);
	foreign_register_driver_65(&one_again);
	assert_int_equal(nr_warnings, 1);
	assert_string_equal(warning,
			    "provider one: a provider of this name exists");
	assert_ptr_equal(registered_provider()->module_ops, &one);

	/* The next provider is registered. */
	foreign_register_driver_65(&two);
	assert_int_equal(nr_registered(), 2);
	assert_int_equal(nr_warnings, 1);
}

static void foreign_register_full_table_rejects_provider(void **state)
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
/* Tables that are not registered                                            */
/* ------------------------------------------------------------------------ */

static void foreign_provider_of_module_same_module_is_found(void **state)
{
	const struct foreign_provider *provider;

	fake_detect_oldest = 62;
	foreign_register_driver_59(&one);
	provider = foreign_provider_of_module(&two);
	assert_non_null(provider);
	assert_ptr_equal(provider->module_ops, &two);
	assert_string_equal(provider->ops.name, "two");
	assert_ptr_equal(provider->variant, &foreign_variants[FOREIGN_59B]);
	assert_int_equal(provider->release, 62);
	assert_ptr_equal(foreign_provider_of_module(&two), provider);
	assert_ptr_equal(foreign_provider_of_module(&one),
			 registered_provider());
	assert_int_equal(nr_registered(), 1);
}

static void foreign_provider_of_module_unknown_module_returns_null(void **state)
{
	static const struct foreign_device_ops *null_ops;
	struct foreign_device_ops on_the_stack = one;

	foreign_register_driver_34(&one);
	assert_null(foreign_provider_of_module(&on_the_stack));
	assert_null(foreign_provider_of_module(null_ops));
	/* This function is in libc and no sanitizer replaces it. */
	assert_null(foreign_provider_of_module(
		(const void *)(uintptr_t)gnu_get_libc_version));
}

static void
foreign_provider_of_module_without_providers_returns_null(void **state)
{
	assert_null(foreign_provider_of_module(&one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_register_node_34_has_unknown_release),
		cmocka_unit_test(
			foreign_register_node_34_known_release_is_stored),
		cmocka_unit_test(
			foreign_register_node_34_from_v45_keeps_release),
		cmocka_unit_test(
			foreign_register_node_34_from_v44_has_unknown_release),
		cmocka_unit_test(foreign_register_node_57_is_accepted),
		cmocka_unit_test(
			foreign_register_node_59_until_v61_has_variant_59a),
		cmocka_unit_test(
			foreign_register_node_59_from_v62_has_variant_59b),
		cmocka_unit_test(foreign_register_node_64_is_accepted),
		cmocka_unit_test(foreign_register_node_65_is_accepted),
		cmocka_unit_test(
			foreign_register_node_59_unknown_release_is_rejected),
		cmocka_unit_test(foreign_register_node_34_v35_is_rejected),
		cmocka_unit_test(foreign_register_incomplete_table_is_rejected),
		cmocka_unit_test(
			foreign_register_second_registration_warns_and_changes_nothing),
		cmocka_unit_test(foreign_register_duplicate_name_is_rejected),
		cmocka_unit_test(foreign_register_full_table_rejects_provider),
		cmocka_unit_test(
			foreign_provider_of_module_same_module_is_found),
		cmocka_unit_test(
			foreign_provider_of_module_unknown_module_returns_null),
		cmocka_unit_test(
			foreign_provider_of_module_without_providers_returns_null),
	};

	return own_process_run_group_tests(tests);
}
