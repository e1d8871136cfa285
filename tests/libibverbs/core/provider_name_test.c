/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of libibverbs/core/provider_name.c. */
#include "core/provider_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

static void assert_parts(const char *text, const char *stem, const char *proper,
			 const char *suffix)
{
	struct verbs_provider_name name = verbs_provider_name_split(text);

	assert_ptr_equal(name.text, text);
	assert_int_equal(name.stem_len, strlen(stem));
	assert_memory_equal(text, stem, name.stem_len);
	assert_int_equal(name.len, strlen(proper));
	assert_memory_equal(name.start, proper, name.len);
	if (suffix)
		assert_string_equal(name.kind->suffix, suffix);
	else
		assert_null(name.kind);
	assert_true(verbs_provider_name_is(&name, proper));
	assert_false(verbs_provider_name_is(&name, "another"));
}

static void provider_name_plain_has_no_kind(void **state)
{
	assert_parts("rxe", "rxe", "rxe", NULL);
	assert_parts("bnxt_re", "bnxt_re", "bnxt_re", NULL);
}

static void provider_name_suffix_selects_kind(void **state)
{
	assert_parts("rxe-rdmav34", "rxe", "rxe", "-rdmav34");
	assert_parts("rxe-rdmav57", "rxe", "rxe", "-rdmav57");
	assert_parts("rxe-rdmav59", "rxe", "rxe", "-rdmav59");
	assert_parts("rxe-rdmav64", "rxe", "rxe", "-rdmav64");
	assert_parts("rxe-rdmav65", "rxe", "rxe", "-rdmav65");
	assert_parts("rxe-anyverbs1", "rxe", "rxe", "-anyverbs1");
}

static void provider_name_unknown_suffix_is_part_of_name(void **state)
{
	assert_parts("rxe-rdmav35", "rxe-rdmav35", "rxe-rdmav35", NULL);
	assert_parts("rxe-rdmav34x", "rxe-rdmav34x", "rxe-rdmav34x", NULL);
	assert_parts("rxe-rdmav34.so", "rxe-rdmav34.so", "rxe-rdmav34.so",
		     NULL);
}

static void provider_name_suffix_alone_is_plain_name(void **state)
{
	assert_parts("-rdmav34", "-rdmav34", "-rdmav34", NULL);
}

static void provider_name_path_yields_last_component(void **state)
{
	assert_parts("/opt/librxe", "/opt/librxe", "rxe", NULL);
	assert_parts("/opt/rxe", "/opt/rxe", "rxe", NULL);
	assert_parts("/opt/x-rdmav34/librxe", "/opt/x-rdmav34/librxe", "rxe",
		     NULL);
	assert_parts("/opt/librxe-rdmav34", "/opt/librxe", "rxe", "-rdmav34");
}

static void provider_name_path_without_file_is_empty(void **state)
{
	assert_parts("", "", "", NULL);
	assert_parts("/", "/", "", NULL);
	assert_parts("/opt/lib", "/opt/lib", "", NULL);
	assert_parts("/-rdmav34", "/", "", "-rdmav34");
	assert_parts("/lib-rdmav34", "/lib", "", "-rdmav34");
}

static void provider_name_lib_prefix_without_path_is_kept(void **state)
{
	assert_parts("librxe", "librxe", "librxe", NULL);
}

static void provider_name_own_kind_is_first_and_newest_second(void **state)
{
	static const char *const order[VERBS_NR_MODULE_KINDS] = {
		"-anyverbs1", "-rdmav65", "-rdmav64",
		"-rdmav59",   "-rdmav57", "-rdmav34",
	};

	for (size_t i = 0; i < VERBS_NR_MODULE_KINDS; i++) {
		assert_string_equal(verbs_module_kinds[i].suffix, order[i]);
		assert_int_equal(verbs_module_kinds[i].foreign, i > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(provider_name_plain_has_no_kind),
		cmocka_unit_test(provider_name_suffix_selects_kind),
		cmocka_unit_test(provider_name_unknown_suffix_is_part_of_name),
		cmocka_unit_test(provider_name_suffix_alone_is_plain_name),
		cmocka_unit_test(provider_name_path_yields_last_component),
		cmocka_unit_test(provider_name_path_without_file_is_empty),
		cmocka_unit_test(provider_name_lib_prefix_without_path_is_kept),
		cmocka_unit_test(
			provider_name_own_kind_is_first_and_newest_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
