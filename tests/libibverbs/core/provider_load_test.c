/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/provider_load.c: which providers are loaded, and in
 * which order. The modules are built from load_module.c. A loaded module is
 * never unloaded, so each test runs in its own process.
 *
 * Linked with WRAP secure_getenv verbs_warn.
 */
#include "core/provider_load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/provider_registry.h"
#include "libibverbs/core/load_fixture.h"
#include "libibverbs/core/own_process.h"

#define SUFFIX "-anyverbs" VERBS_PROVIDER_ABI_STRING ".so"

/* ------------------------------------------------------------------------ */
/* By kernel driver                                                         */
/* ------------------------------------------------------------------------ */

static void load_for_driver_loads_named_provider_only(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	load_configure("siw", "siw");
	load_configure("good", "good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("rxe");
	assert_false(load_is_loaded(VERBS_PROVIDER_DIR "/libsiw" SUFFIX));
	assert_int_equal(load_nr_warnings, 0);
}

static void load_for_unlisted_driver_loads_nothing(void **state)
{
	load_start();
	load_configure("siw", "siw");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	load_assert_nothing_registered();
}

static void load_for_unknown_driver_loads_nothing(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	assert_false(verbs_provider_load_for(123456));
	load_assert_nothing_registered();
}

static void load_for_same_driver_loads_once(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("rxe");
}

static void load_failed_module_is_not_retried(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "missing:missing");
	assert_false(verbs_provider_load_all());
	assert_int_equal(load_nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* At most one module of a name                                             */
/* ------------------------------------------------------------------------ */

static void load_name_with_suffix_excludes_plain_name(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	load_set_env("RDMAV_DRIVERS",
		     "rxe-anyverbs1:rxe:" VERBS_PROVIDER_DIR "/librxe");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("rxe");
	assert_int_equal(load_nr_warnings, 0);
}

static void load_missing_module_does_not_exclude_name(void **state)
{
	load_start();
	load_configure("good", "good");
	load_set_env("RDMAV_DRIVERS", "good-rdmav34:/nonexistent/libgood");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
	assert_int_equal(load_nr_warnings, 2);
}

static void load_config_line_selects_module(void **state)
{
	load_start();
	load_configure("rxe", "rxe-anyverbs1");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("rxe");
}

/*
 * The result does not depend on the order of the files: the other line would
 * load another module.
 */
static void load_lines_with_suffix_precede_plain_names(void **state)
{
	load_start();
	load_configure("good", BESIDE_DIR "/libbeside");
	load_configure("beside", VERBS_PROVIDER_DIR "/libbeside-anyverbs1");
	assert_true(verbs_provider_load_all());
	assert_true(load_is_loaded(VERBS_PROVIDER_DIR "/libbeside" SUFFIX));
	assert_false(load_is_loaded(BESIDE_DIR "/libbeside" SUFFIX));
	ASSERT_REGISTERED("beside");
}

static const struct verbs_device_ops linked = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "rxe",
};

static void load_linked_provider_is_not_loaded(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	assert_int_equal(verbs_provider_register(&linked), 0);
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_all());
	ASSERT_REGISTERED("rxe");
	assert_false(load_is_loaded(VERBS_PROVIDER_DIR "/librxe" SUFFIX));
	assert_int_equal(load_nr_warnings, 0);
}

/* ------------------------------------------------------------------------ */
/* All                                                                      */
/* ------------------------------------------------------------------------ */

static void load_all_loads_configured_providers(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	load_configure("siw", "siw");
	assert_true(verbs_provider_load_all());
	assert_true(load_has_registered("rxe"));
	assert_true(load_has_registered("siw"));
	assert_false(load_has_registered("good"));
}

static void load_all_second_call_does_nothing(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	assert_true(verbs_provider_load_all());
	load_configure("siw", "siw");
	assert_false(verbs_provider_load_all());
	ASSERT_REGISTERED("rxe");
}

static void load_all_skips_loaded_providers(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_all());
	ASSERT_REGISTERED("rxe");
}

static void load_for_driver_after_load_all_does_nothing(void **state)
{
	load_start();
	assert_false(verbs_provider_load_all());
	load_configure("rxe", "rxe");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	load_assert_nothing_registered();
}

static void load_bad_modules_do_not_exclude_good_modules(void **state)
{
	load_start();
	load_configure("missing", "missing");
	load_configure("nosym", "nosym");
	load_configure("good", "good");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
	assert_int_equal(load_nr_warnings, 2);
}

/* ------------------------------------------------------------------------ */
/* The environment                                                          */
/* ------------------------------------------------------------------------ */

static void load_rdmav_drivers_precede_config_in_order(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	load_set_env("RDMAV_DRIVERS", "siw:good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("siw", "good", "rxe");
}

static void load_drivers_accepts_semicolons(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", ";;good;siw::rxe:");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good", "siw", "rxe");
	assert_int_equal(load_nr_warnings, 0);
}

static void load_rdmav_drivers_needs_no_config(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	ASSERT_REGISTERED("good");
}

static void load_ibv_drivers_is_fallback(void **state)
{
	load_start();
	load_set_env("IBV_DRIVERS", "good");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

static void load_rdmav_drivers_hides_ibv_drivers(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "good");
	load_set_env("IBV_DRIVERS", "siw");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

static void load_empty_rdmav_drivers_hides_ibv_drivers(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "");
	load_set_env("IBV_DRIVERS", "siw");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
}

static void load_environment_is_read_once(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	load_set_env("RDMAV_DRIVERS", "siw");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	ASSERT_REGISTERED("good");
}

static void load_privileged_program_ignores_environment(void **state)
{
	load_start();
	load_privileged = true;
	load_set_env("RDMAV_DRIVERS", "good");
	load_set_env("IBV_DRIVERS", "siw");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
}

static void load_absolute_name_gets_suffix_appended(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", VERBS_PROVIDER_DIR "/libgood");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

static void load_absolute_name_is_not_searched(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "/nonexistent/libgood");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
}

static void load_overlong_names_are_rejected(void **state)
{
	char list[9000];

	load_start();
	memset(list, 'a', sizeof(list));
	memcpy(list, "/tmp", 4);
	list[4999] = ':';
	memcpy(list + sizeof(list) - sizeof(":good"), ":good", sizeof(":good"));
	load_set_env("RDMAV_DRIVERS", list);
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

/* ------------------------------------------------------------------------ */
/* Search order                                                             */
/* ------------------------------------------------------------------------ */

static void load_module_beside_library_is_first(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];
	Dl_info info;

	load_start();
	load_set_env("RDMAV_DRIVERS", "beside");
	assert_true(verbs_provider_load_all());
	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_int_not_equal(dladdr(ops[0], &info), 0);
	assert_string_equal(info.dli_fname, BESIDE_DIR "/libbeside" SUFFIX);
}

static void load_module_is_found_by_dynamic_linker(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "elsewhere");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("elsewhere");
}

static void load_missing_module_warns(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "missing");
	assert_false(verbs_provider_load_all());
	assert_int_equal(load_nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* An install tree without its configuration folder                         */
/* ------------------------------------------------------------------------ */

static void
load_for_driver_without_config_folder_uses_module_beside_library(void **state)
{
	load_start_without_config();
	assert_true(verbs_provider_load_for(RDMA_DRIVER_EFA));
	assert_false(verbs_provider_load_for(RDMA_DRIVER_EFA));
	ASSERT_REGISTERED("efa");
	assert_string_equal(load_origin(), BESIDE_DIR "/libefa" SUFFIX);
}

static void
load_for_driver_without_config_folder_ignores_configured_dirs(void **state)
{
	load_start_without_config();
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	load_assert_nothing_registered();
}

static void
load_for_driver_without_config_folder_ignores_foreign_modules(void **state)
{
	load_start_without_config();
	assert_int_equal(access(BESIDE_DIR "/libmana-rdmav34.so", F_OK), 0);
	assert_false(verbs_provider_load_for(RDMA_DRIVER_MANA));
	load_assert_nothing_registered();
}

static void
load_for_driver_with_empty_config_folder_loads_no_module(void **state)
{
	load_start();
	assert_false(verbs_provider_load_for(RDMA_DRIVER_EFA));
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 0);
}

/*
 * "beside" is in the folder as well, but it is not the name of a kernel
 * driver.
 */
static void
load_all_without_config_folder_loads_drivers_beside_library(void **state)
{
	load_start_without_config();
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("efa");
}

static void
load_for_driver_without_config_folder_ignores_privileged_env(void **state)
{
	load_start_without_config();
	load_privileged = true;
	load_set_env("RDMAV_DRIVERS", "good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_EFA));
	ASSERT_REGISTERED("efa");
}

/* ------------------------------------------------------------------------ */
/* Invalid modules                                                          */
/* ------------------------------------------------------------------------ */

static void load_module_without_symbol_is_unloaded(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "nosym");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
	assert_false(load_is_loaded(VERBS_PROVIDER_DIR "/libnosym" SUFFIX));
}

static void load_module_of_wrong_abi_is_unloaded(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "otherabi");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
	assert_false(load_is_loaded(VERBS_PROVIDER_DIR "/libotherabi" SUFFIX));
}

static void load_module_with_wrong_name_is_unloaded(void **state)
{
	load_start();
	load_set_env("RDMAV_DRIVERS", "good:impostor");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
	assert_int_equal(load_nr_warnings, 1);
	assert_false(load_is_loaded(VERBS_PROVIDER_DIR "/libimpostor" SUFFIX));
}

static void load_text_file_warns(void **state)
{
	load_start();
	load_write_file(VERBS_PROVIDER_DIR "/libnotelf" SUFFIX, "text\n", 5);
	load_set_env("RDMAV_DRIVERS", "notelf");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
}

static void load_empty_file_warns(void **state)
{
	load_start();
	load_write_file(VERBS_PROVIDER_DIR "/libempty" SUFFIX, "", 0);
	load_set_env("RDMAV_DRIVERS", "empty");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
}

static void load_folder_instead_of_module_warns(void **state)
{
	load_start();
	(void)mkdir(VERBS_PROVIDER_DIR "/libfolder" SUFFIX, 0755);
	load_set_env("RDMAV_DRIVERS", "folder");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
}

/* The file ends behind the headers. */
static void load_truncated_file_warns(void **state)
{
	char bytes[1024];
	ssize_t len;
	int fd;

	load_start();
	fd = open(VERBS_PROVIDER_DIR "/libgood" SUFFIX, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	len = read(fd, bytes, sizeof(bytes));
	assert_int_equal(len, sizeof(bytes));
	assert_int_equal(close(fd), 0);
	load_write_file(VERBS_PROVIDER_DIR "/libtruncated" SUFFIX, bytes, 40);
	load_set_env("RDMAV_DRIVERS", "truncated");
	assert_false(verbs_provider_load_all());
	load_assert_nothing_registered();
	assert_int_equal(load_nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* Opt-in providers                                                         */
/* ------------------------------------------------------------------------ */

static void load_setup_without_opt_in(void)
{
	load_start();
	(void)unlink(WISH_FILE); /* possibly left by a previous test */
}

static void load_opt_in_disabled_loads_nothing(void **state)
{
	load_setup_without_opt_in();
	load_configure("rxe", "rxe");
	assert_false(verbs_provider_load_opt_in());
	load_assert_nothing_registered();
	load_set_env("GOOD_DEVICES", "");
	assert_false(verbs_provider_load_opt_in());
	load_assert_nothing_registered();
}

static void load_opt_in_variable_loads_provider(void **state)
{
	load_setup_without_opt_in();
	load_configure("rxe", "rxe");
	load_set_env("GOOD_DEVICES", "all");
	assert_true(verbs_provider_load_opt_in());
	assert_false(verbs_provider_load_opt_in());
	ASSERT_REGISTERED("good");
}

static void load_opt_in_variable_set_later_loads_provider(void **state)
{
	load_setup_without_opt_in();
	assert_false(verbs_provider_load_opt_in());
	load_set_env("GOOD_DEVICES", "all");
	assert_true(verbs_provider_load_opt_in());
	ASSERT_REGISTERED("good");
}

static void load_opt_in_file_loads_provider(void **state)
{
	load_setup_without_opt_in();
	load_write_file(WISH_FILE, "", 0);
	assert_true(verbs_provider_load_opt_in());
	ASSERT_REGISTERED("good");
	assert_int_equal(unlink(WISH_FILE), 0);
}

static void load_opt_in_privileged_program_uses_file_only(void **state)
{
	load_setup_without_opt_in();
	load_privileged = true;
	load_set_env("GOOD_DEVICES", "all");
	assert_false(verbs_provider_load_opt_in());
	load_assert_nothing_registered();
}

/*
 * The providers in RDMAV_DRIVERS may be opt-in providers; only their names are
 * known.
 */
static void load_opt_in_includes_rdmav_drivers(void **state)
{
	load_setup_without_opt_in();
	load_set_env("RDMAV_DRIVERS", "siw");
	assert_true(verbs_provider_load_opt_in());
	ASSERT_REGISTERED("siw");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_for_driver_loads_named_provider_only),
		cmocka_unit_test(load_for_unlisted_driver_loads_nothing),
		cmocka_unit_test(load_for_unknown_driver_loads_nothing),
		cmocka_unit_test(load_for_same_driver_loads_once),
		cmocka_unit_test(load_failed_module_is_not_retried),
		cmocka_unit_test(load_name_with_suffix_excludes_plain_name),
		cmocka_unit_test(load_missing_module_does_not_exclude_name),
		cmocka_unit_test(load_config_line_selects_module),
		cmocka_unit_test(load_lines_with_suffix_precede_plain_names),
		cmocka_unit_test(load_linked_provider_is_not_loaded),
		cmocka_unit_test(load_all_loads_configured_providers),
		cmocka_unit_test(load_all_second_call_does_nothing),
		cmocka_unit_test(load_all_skips_loaded_providers),
		cmocka_unit_test(load_for_driver_after_load_all_does_nothing),
		cmocka_unit_test(load_bad_modules_do_not_exclude_good_modules),
		cmocka_unit_test(load_rdmav_drivers_precede_config_in_order),
		cmocka_unit_test(load_drivers_accepts_semicolons),
		cmocka_unit_test(load_rdmav_drivers_needs_no_config),
		cmocka_unit_test(load_ibv_drivers_is_fallback),
		cmocka_unit_test(load_rdmav_drivers_hides_ibv_drivers),
		cmocka_unit_test(load_empty_rdmav_drivers_hides_ibv_drivers),
		cmocka_unit_test(load_environment_is_read_once),
		cmocka_unit_test(load_privileged_program_ignores_environment),
		cmocka_unit_test(load_absolute_name_gets_suffix_appended),
		cmocka_unit_test(load_absolute_name_is_not_searched),
		cmocka_unit_test(load_overlong_names_are_rejected),
		cmocka_unit_test(load_module_beside_library_is_first),
		cmocka_unit_test(load_module_is_found_by_dynamic_linker),
		cmocka_unit_test(load_missing_module_warns),
		cmocka_unit_test(
			load_for_driver_without_config_folder_uses_module_beside_library),
		cmocka_unit_test(
			load_for_driver_without_config_folder_ignores_configured_dirs),
		cmocka_unit_test(
			load_for_driver_without_config_folder_ignores_foreign_modules),
		cmocka_unit_test(
			load_for_driver_with_empty_config_folder_loads_no_module),
		cmocka_unit_test(
			load_all_without_config_folder_loads_drivers_beside_library),
		cmocka_unit_test(
			load_for_driver_without_config_folder_ignores_privileged_env),
		cmocka_unit_test(load_module_without_symbol_is_unloaded),
		cmocka_unit_test(load_module_of_wrong_abi_is_unloaded),
		cmocka_unit_test(load_module_with_wrong_name_is_unloaded),
		cmocka_unit_test(load_text_file_warns),
		cmocka_unit_test(load_empty_file_warns),
		cmocka_unit_test(load_folder_instead_of_module_warns),
		cmocka_unit_test(load_truncated_file_warns),
		cmocka_unit_test(load_opt_in_disabled_loads_nothing),
		cmocka_unit_test(load_opt_in_variable_loads_provider),
		cmocka_unit_test(load_opt_in_variable_set_later_loads_provider),
		cmocka_unit_test(load_opt_in_file_loads_provider),
		cmocka_unit_test(load_opt_in_privileged_program_uses_file_only),
		cmocka_unit_test(load_opt_in_includes_rdmav_drivers),
	};

	return own_process_run_group_tests(tests);
}
