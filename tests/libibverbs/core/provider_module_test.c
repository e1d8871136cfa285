/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/provider_module.c: which module of a name is
 * loaded. The modules are built from load_foreign_module.c and register
 * themselves. A loaded module is never unloaded, so each test runs in its own
 * process.
 *
 * Linked with WRAP secure_getenv verbs_warn.
 */
#include "core/provider_module.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "core/provider_load.h"
#include "core/provider_registry.h"
#include "libibverbs/core/load_fixture.h"
#include "libibverbs/core/own_process.h"

static bool module_load_by_text(const char *text)
{
	struct verbs_provider_name name = verbs_provider_name_split(text);

	load_start();
	return verbs_provider_module_load(&name);
}

static void assert_loaded(const char *text, const char *file)
{
	assert_true(module_load_by_text(text));
	assert_string_equal(load_origin(), file);
	assert_int_equal(load_nr_warnings, 0);
}

/* ------------------------------------------------------------------------ */
/* The choice                                                               */
/* ------------------------------------------------------------------------ */

static void module_search_prefers_own_module(void **state)
{
	assert_loaded("rxe", VERBS_PROVIDER_DIR "/librxe-anyverbs1.so");
}

static void module_search_suffix_selects_foreign_module(void **state)
{
	assert_loaded("rxe-rdmav34", DISTRO_DIR "/librxe-rdmav34.so");
}

static void module_search_prefers_newest_foreign_module(void **state)
{
	assert_loaded("both", DISTRO_DIR "/libboth-rdmav65.so");
	assert_false(load_is_loaded(DISTRO_DIR "/libboth-rdmav34.so"));
}

static void module_search_tries_every_suffix(void **state)
{
	static const char *const names[] = { "only34", "only57", "only59",
					     "only64", "only65" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(module_load_by_text(names[i]));
	ASSERT_REGISTERED("only34", "only57", "only59", "only64", "only65");
}

static void module_search_prefers_own_folder_to_distribution(void **state)
{
	assert_loaded("placed", VERBS_PROVIDER_DIR "/libplaced-rdmav34.so");
}

static void module_search_uses_dynamic_linker_last(void **state)
{
	assert_loaded("found", SEARCHED_DIR "/libfound-rdmav34.so");
}

static void module_search_absolute_name_tries_all_kinds(void **state)
{
	assert_loaded(DISTRO_DIR "/libonly57",
		      DISTRO_DIR "/libonly57-rdmav57.so");
}

static void module_search_absolute_name_with_suffix_is_exact(void **state)
{
	assert_loaded(DISTRO_DIR "/libboth-rdmav34",
		      DISTRO_DIR "/libboth-rdmav34.so");
}

static void module_search_missing_module_warns_once(void **state)
{
	assert_false(module_load_by_text("missing"));
	assert_string_equal(load_warning, "provider missing: no module");
	assert_int_equal(load_nr_warnings, 1);
}

static void module_search_missing_kind_warns(void **state)
{
	assert_false(module_load_by_text("rxe-rdmav57"));
	assert_string_equal(load_warning, "provider rxe-rdmav57: no module");
	load_assert_nothing_registered();
}

static void module_search_empty_name_is_ignored(void **state)
{
	assert_false(module_load_by_text(""));
	assert_false(module_load_by_text("/"));
	assert_int_equal(load_nr_warnings, 0);
}

/*
 * The program may be linked to the vendor library, whose constructor has run.
 */
static void module_search_loaded_module_counts(void **state)
{
	assert_true(module_load_by_text("only34"));
	assert_true(module_load_by_text("only34"));
	ASSERT_REGISTERED("only34");
	assert_int_equal(load_nr_warnings, 0);
}

static void module_search_suffix_excludes_own_module(void **state)
{
	load_start();
	load_configure("rxe", "rxe");
	load_set_env("RDMAV_DRIVERS", "rxe-rdmav34");
	assert_true(verbs_provider_load_for(RDMA_DRIVER_RXE));
	assert_false(verbs_provider_load_all());
	assert_string_equal(load_origin(), DISTRO_DIR "/librxe-rdmav34.so");
	assert_int_equal(load_nr_warnings, 0);
}

/* ------------------------------------------------------------------------ */
/* Unusable modules                                                         */
/* ------------------------------------------------------------------------ */

static void module_without_registration_is_unloaded(void **state)
{
	assert_false(module_load_by_text("mute"));
	assert_string_equal(load_warning,
			    "provider mute: libmute-rdmav34.so does not "
			    "register a provider");
	assert_int_equal(load_nr_warnings, 1);
	assert_false(load_is_loaded(DISTRO_DIR "/libmute-rdmav34.so"));
}

static void module_with_own_warning_is_not_warned_about_twice(void **state)
{
	assert_false(module_load_by_text("refused"));
	assert_int_equal(
		load_nr_warnings,
		0); /* the module's own warning did not use verbs_warn() */
	assert_false(load_is_loaded(DISTRO_DIR "/librefused-rdmav34.so"));
}

static void module_with_missing_symbol_warns_and_next_is_tried(void **state)
{
	assert_true(module_load_by_text("needy"));
	assert_string_equal(load_origin(), DISTRO_DIR "/libneedy-rdmav34.so");
	assert_int_equal(load_nr_warnings, 1);
	assert_non_null(strstr(load_warning, "a_function_of_the_future"));
}

static char bytes[1 << 20];

/* Creates lib<name>-rdmav34.so in DISTRO_DIR from a valid module. */
static size_t module_read_file(void)
{
	int fd = open(DISTRO_DIR "/libonly34-rdmav34.so", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	assert_true(fd >= 0);
	len = read(fd, bytes, sizeof(bytes));
	assert_true(len > 1024);
	assert_int_equal(close(fd), 0);
	return (size_t)len;
}

static void assert_problem(const char *bytes_to_write, size_t len,
			   const char *problem)
{
	load_write_file(DISTRO_DIR "/libbad-rdmav34.so", bytes_to_write, len);
	load_nr_warnings = 0;
	assert_false(module_load_by_text("bad"));
	assert_int_equal(load_nr_warnings, 1);
	assert_non_null(strstr(load_warning, "libbad-rdmav34.so"));
	assert_non_null(strstr(load_warning, problem));
	load_assert_nothing_registered();
}

/* Behind the segments, a module contains only section tables. */
static size_t end_of_segments(void)
{
	ElfW(Ehdr) header;
	size_t end = 0;

	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) segment;

		memcpy(&segment, bytes + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_LOAD &&
		    segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	return end;
}

/*
 * The dynamic linker can map the file, but an access behind its end kills the
 * process.
 */
static void module_truncated_warns_once(void **state)
{
	size_t end;

	(void)module_read_file(); /* offset in bytes */
	end = end_of_segments();
	assert_true(end > 1024);
	for (size_t cut = 4; cut < end; cut = cut * 2 + 1)
		assert_problem(bytes, cut, "is truncated");
	assert_problem(bytes, end - 1, "is truncated");
}

/* The dynamic linker would crash on this file. */
static void module_truncated_found_by_linker_warns_once(void **state)
{
	(void)module_read_file(); /* offset in bytes */
	load_write_file(SEARCHED_DIR "/libcut-rdmav34.so", bytes,
			end_of_segments() / 2);
	assert_false(module_load_by_text("cut"));
	assert_int_equal(load_nr_warnings, 1);
	assert_string_equal(load_warning, "provider cut: " SEARCHED_DIR
					  "/libcut-rdmav34.so is truncated");
}

static void module_text_file_warns_once(void **state)
{
	assert_problem("", 0, "is not a module");
	assert_problem("text", 4, "is not a module");
}

static void module_for_wrong_machine_warns_once(void **state)
{
	size_t len = module_read_file();
	Elf64_Half other = EM_SPARC;

	/* The member has the same offset in both ELF classes. */
	memcpy(bytes + offsetof(Elf64_Ehdr, e_machine), &other, sizeof(other));
	assert_problem(bytes, len, "is not for this machine");
}

static void module_for_wrong_word_size_warns_once(void **state)
{
	size_t len = module_read_file();

	bytes[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
	assert_problem(bytes, len, "is not for this machine");
}

static void module_for_wrong_byte_order_warns_once(void **state)
{
	size_t len = module_read_file();

	bytes[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
	assert_problem(bytes, len, "is not for this machine");
}

static void module_with_invalid_headers_warns_once(void **state)
{
	size_t len = module_read_file();
	ElfW(Ehdr) header;

	memcpy(&header, bytes, sizeof(header));
	header.e_phnum = 0xffff;
	memcpy(bytes, &header, sizeof(header));
	assert_problem(bytes, len, "is not a module");
	header.e_phnum = 1;
	header.e_phoff = (ElfW(Off)) - 64;
	memcpy(bytes, &header, sizeof(header));
	assert_problem(bytes, len, "is truncated");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(module_search_prefers_own_module),
		cmocka_unit_test(module_search_suffix_selects_foreign_module),
		cmocka_unit_test(module_search_prefers_newest_foreign_module),
		cmocka_unit_test(module_search_tries_every_suffix),
		cmocka_unit_test(
			module_search_prefers_own_folder_to_distribution),
		cmocka_unit_test(module_search_uses_dynamic_linker_last),
		cmocka_unit_test(module_search_absolute_name_tries_all_kinds),
		cmocka_unit_test(
			module_search_absolute_name_with_suffix_is_exact),
		cmocka_unit_test(module_search_missing_module_warns_once),
		cmocka_unit_test(module_search_missing_kind_warns),
		cmocka_unit_test(module_search_empty_name_is_ignored),
		cmocka_unit_test(module_search_loaded_module_counts),
		cmocka_unit_test(module_search_suffix_excludes_own_module),
		cmocka_unit_test(module_without_registration_is_unloaded),
		cmocka_unit_test(
			module_with_own_warning_is_not_warned_about_twice),
		cmocka_unit_test(
			module_with_missing_symbol_warns_and_next_is_tried),
		cmocka_unit_test(module_truncated_warns_once),
		cmocka_unit_test(module_truncated_found_by_linker_warns_once),
		cmocka_unit_test(module_for_wrong_machine_warns_once),
		cmocka_unit_test(module_for_wrong_word_size_warns_once),
		cmocka_unit_test(module_for_wrong_byte_order_warns_once),
		cmocka_unit_test(module_with_invalid_headers_warns_once),
		cmocka_unit_test(module_text_file_warns_once),
	};

	return own_process_run_group_tests(tests);
}
