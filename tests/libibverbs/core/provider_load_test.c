/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loading of provider modules: libibverbs/core/provider_load.c, compiled with
 * folders of the build tree, on modules made of load_module.c. What was loaded
 * stays for ever, so each test has a process of its own.
 *
 * Linked with WRAP secure_getenv verbs_warn.
 */
#include "core/provider_load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/provider_registry.h"
#include "libibverbs/core/own_process.h"

#define SUFFIX "-anyverbs" VERBS_PROVIDER_ABI_STRING ".so"

static bool privileged;
static unsigned int nr_warnings;

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);
void __wrap_verbs_warn(const char *fmt, ...);

char *__wrap_secure_getenv(const char *name)
{
	return privileged ? NULL : __real_secure_getenv(name);
}

void __wrap_verbs_warn(const char *fmt, ...)
{
	nr_warnings++;
}

/* ------------------------------------------------------------------------ */
/* The configuration folder, empty at the start of each test                 */
/* ------------------------------------------------------------------------ */

static void config_path(char *path, size_t size, const char *name)
{
	(void)snprintf(path, size, IBV_CONFIG_DIR "/%s.driver", name);
}

static void write_file(const char *path, const void *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(close(fd), 0);
}

static void configure(const char *name)
{
	char path[512], text[128];

	config_path(path, sizeof(path), name);
	(void)snprintf(text, sizeof(text), "driver %s\n", name);
	write_file(path, text, strlen(text));
}

static void unconfigure(const char *name)
{
	char path[512];

	config_path(path, sizeof(path), name);
	(void)unlink(path);
}

static void start(void)
{
	static const char *const names[] = { "rxe",	"siw",	 "good",
					     "missing", "nosym", "elsewhere",
					     "beside",	"notelf" };

	(void)mkdir(IBV_CONFIG_DIR, 0755);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unconfigure(names[i]);
	(void)unsetenv("RDMAV_DRIVERS");
	(void)unsetenv("IBV_DRIVERS");
}

static void set_env(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

/* ------------------------------------------------------------------------ */
/* What was loaded                                                           */
/* ------------------------------------------------------------------------ */

static void assert_registered(const char *const *names, size_t count)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];

	assert_int_equal(verbs_provider_snapshot(ops), count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(ops[i]->name, names[i]);
}

/* Exactly these, in this order. */
#define ASSERT_REGISTERED(...)                                           \
	assert_registered((const char *const[]){ __VA_ARGS__ },          \
			  sizeof((const char *const[]){ __VA_ARGS__ }) / \
				  sizeof(const char *))

static void assert_nothing_registered(void)
{
	assert_registered(NULL, 0);
}

static bool is_loaded(const char *path)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	if (module)
		(void)dlclose(module);
	return module;
}

/* ------------------------------------------------------------------------ */
/* By kernel driver                                                          */
/* ------------------------------------------------------------------------ */

static void driver_id_loads_only_the_named_provider(void **state)
{
	start();
	configure("rxe");
	configure("siw");
	configure("good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("rxe");
	assert_false(is_loaded(VERBS_PROVIDER_DIR "/libsiw" SUFFIX));
	assert_int_equal(nr_warnings, 0);
}

static void driver_that_is_not_configured_is_not_loaded(void **state)
{
	start();
	configure("siw");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_nothing_registered();
}

static void unknown_driver_loads_nothing(void **state)
{
	start();
	configure("rxe");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	assert_false(verbs_provider_load_for(123456));
	assert_nothing_registered();
}

static void provider_is_loaded_once(void **state)
{
	start();
	configure("rxe");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("rxe");
}

static void module_that_failed_is_not_tried_again(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "missing:missing");
	assert_false(verbs_provider_load_all());
	assert_int_equal(nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* All                                                                       */
/* ------------------------------------------------------------------------ */

static bool has_registered(const char *name)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];
	size_t count = verbs_provider_snapshot(ops);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(ops[i]->name, name) == 0)
			return true;
	}
	return false;
}

static void load_all_loads_what_is_configured(void **state)
{
	start();
	configure("rxe");
	configure("siw");
	assert_true(verbs_provider_load_all());
	assert_true(has_registered("rxe"));
	assert_true(has_registered("siw"));
	assert_false(has_registered("good"));
}

static void load_all_works_once(void **state)
{
	start();
	configure("rxe");
	assert_true(verbs_provider_load_all());
	configure("siw");
	assert_false(verbs_provider_load_all());
	ASSERT_REGISTERED("rxe");
}

static void load_all_passes_over_what_is_there(void **state)
{
	start();
	configure("rxe");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_all());
	ASSERT_REGISTERED("rxe");
}

static void after_load_all_a_driver_loads_nothing(void **state)
{
	start();
	assert_false(verbs_provider_load_all());
	configure("rxe");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_nothing_registered();
}

static void bad_modules_do_not_keep_good_ones_out(void **state)
{
	start();
	configure("missing");
	configure("nosym");
	configure("good");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
	assert_int_equal(nr_warnings, 2);
}

/* ------------------------------------------------------------------------ */
/* The environment                                                           */
/* ------------------------------------------------------------------------ */

static void rdmav_drivers_come_first_and_in_order(void **state)
{
	start();
	configure("rxe");
	set_env("RDMAV_DRIVERS", "siw:good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	ASSERT_REGISTERED("siw", "good", "rxe");
}

static void drivers_may_be_separated_by_semicolons(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", ";;good;siw::rxe:");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good", "siw", "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void rdmav_drivers_need_no_configuration(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	ASSERT_REGISTERED("good");
}

static void ibv_drivers_is_the_older_name(void **state)
{
	start();
	set_env("IBV_DRIVERS", "good");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

static void rdmav_drivers_hides_ibv_drivers(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "good");
	set_env("IBV_DRIVERS", "siw");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

static void empty_rdmav_drivers_hides_ibv_drivers(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "");
	set_env("IBV_DRIVERS", "siw");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
}

static void environment_is_read_once(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "good");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	set_env("RDMAV_DRIVERS", "siw");
	assert_false(verbs_provider_load_for(RDMA_DRIVER_UNKNOWN));
	ASSERT_REGISTERED("good");
}

static void privileged_program_ignores_the_environment(void **state)
{
	start();
	privileged = true;
	set_env("RDMAV_DRIVERS", "good");
	set_env("IBV_DRIVERS", "siw");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
}

static void absolute_name_needs_the_suffix_only(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", VERBS_PROVIDER_DIR "/libgood");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

static void absolute_name_is_looked_for_nowhere_else(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "/nonexistent/libgood");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
}

static void over_long_names_are_refused(void **state)
{
	char list[9000];

	start();
	memset(list, 'a', sizeof(list));
	memcpy(list, "/tmp", 4);
	list[4999] = ':';
	memcpy(list + sizeof(list) - sizeof(":good"), ":good", sizeof(":good"));
	set_env("RDMAV_DRIVERS", list);
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
}

/* ------------------------------------------------------------------------ */
/* Where modules are                                                         */
/* ------------------------------------------------------------------------ */

static void module_beside_the_library_goes_first(void **state)
{
	const struct verbs_device_ops *ops[VERBS_MAX_PROVIDERS];
	Dl_info info;

	start();
	set_env("RDMAV_DRIVERS", "beside");
	assert_true(verbs_provider_load_all());
	assert_int_equal(verbs_provider_snapshot(ops), 1);
	assert_int_not_equal(dladdr(ops[0], &info), 0);
	assert_string_equal(info.dli_fname, BESIDE_DIR "/libbeside" SUFFIX);
}

static void module_is_found_by_the_dynamic_linker(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "elsewhere");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("elsewhere");
}

static void missing_module_warns(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "missing");
	assert_false(verbs_provider_load_all());
	assert_int_equal(nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* Modules that are none                                                     */
/* ------------------------------------------------------------------------ */

static void module_without_its_symbol_is_unloaded(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "nosym");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
	assert_false(is_loaded(VERBS_PROVIDER_DIR "/libnosym" SUFFIX));
}

static void module_of_another_abi_is_unloaded(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "otherabi");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
	assert_false(is_loaded(VERBS_PROVIDER_DIR "/libotherabi" SUFFIX));
}

static void module_with_the_name_of_another_is_unloaded(void **state)
{
	start();
	set_env("RDMAV_DRIVERS", "good:impostor");
	assert_true(verbs_provider_load_all());
	ASSERT_REGISTERED("good");
	assert_int_equal(nr_warnings, 1);
	assert_false(is_loaded(VERBS_PROVIDER_DIR "/libimpostor" SUFFIX));
}

static void file_that_is_no_module_warns(void **state)
{
	start();
	write_file(VERBS_PROVIDER_DIR "/libnotelf" SUFFIX, "text\n", 5);
	set_env("RDMAV_DRIVERS", "notelf");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
}

static void empty_file_warns(void **state)
{
	start();
	write_file(VERBS_PROVIDER_DIR "/libempty" SUFFIX, "", 0);
	set_env("RDMAV_DRIVERS", "empty");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
}

static void folder_in_place_of_a_module_warns(void **state)
{
	start();
	(void)mkdir(VERBS_PROVIDER_DIR "/libfolder" SUFFIX, 0755);
	set_env("RDMAV_DRIVERS", "folder");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
}

/* The headers are there, the segments are not. */
static void truncated_module_warns(void **state)
{
	char bytes[1024];
	ssize_t len;
	int fd;

	start();
	fd = open(VERBS_PROVIDER_DIR "/libgood" SUFFIX, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	len = read(fd, bytes, sizeof(bytes));
	assert_int_equal(len, sizeof(bytes));
	assert_int_equal(close(fd), 0);
	write_file(VERBS_PROVIDER_DIR "/libtruncated" SUFFIX, bytes, 40);
	set_env("RDMAV_DRIVERS", "truncated");
	assert_false(verbs_provider_load_all());
	assert_nothing_registered();
	assert_int_equal(nr_warnings, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(driver_id_loads_only_the_named_provider),
		cmocka_unit_test(driver_that_is_not_configured_is_not_loaded),
		cmocka_unit_test(unknown_driver_loads_nothing),
		cmocka_unit_test(provider_is_loaded_once),
		cmocka_unit_test(module_that_failed_is_not_tried_again),
		cmocka_unit_test(load_all_loads_what_is_configured),
		cmocka_unit_test(load_all_works_once),
		cmocka_unit_test(load_all_passes_over_what_is_there),
		cmocka_unit_test(after_load_all_a_driver_loads_nothing),
		cmocka_unit_test(bad_modules_do_not_keep_good_ones_out),
		cmocka_unit_test(rdmav_drivers_come_first_and_in_order),
		cmocka_unit_test(drivers_may_be_separated_by_semicolons),
		cmocka_unit_test(rdmav_drivers_need_no_configuration),
		cmocka_unit_test(ibv_drivers_is_the_older_name),
		cmocka_unit_test(rdmav_drivers_hides_ibv_drivers),
		cmocka_unit_test(empty_rdmav_drivers_hides_ibv_drivers),
		cmocka_unit_test(environment_is_read_once),
		cmocka_unit_test(privileged_program_ignores_the_environment),
		cmocka_unit_test(absolute_name_needs_the_suffix_only),
		cmocka_unit_test(absolute_name_is_looked_for_nowhere_else),
		cmocka_unit_test(over_long_names_are_refused),
		cmocka_unit_test(module_beside_the_library_goes_first),
		cmocka_unit_test(module_is_found_by_the_dynamic_linker),
		cmocka_unit_test(missing_module_warns),
		cmocka_unit_test(module_without_its_symbol_is_unloaded),
		cmocka_unit_test(module_of_another_abi_is_unloaded),
		cmocka_unit_test(module_with_the_name_of_another_is_unloaded),
		cmocka_unit_test(file_that_is_no_module_warns),
		cmocka_unit_test(empty_file_warns),
		cmocka_unit_test(folder_in_place_of_a_module_warns),
		cmocka_unit_test(truncated_module_warns),
	};

	return own_process_run_group_tests(tests);
}
