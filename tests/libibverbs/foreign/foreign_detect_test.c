/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detection of the release of a module: libibverbs/foreign/foreign_detect.c and
 * foreign_imports.c, with modules built from detect_module.c and copied into
 * folders like those of distributions.
 */
#include "foreign/foreign_detect.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fake_sysfs.h"

/* last: requires the headers above */
#include <cmocka.h>

/* Functions that the modules import; never called. */
void ibv_cmd_create_cq_ex(void);
void ibv_cmd_create_cq_ex2(void);
void ibv_cmd_reg_mr_ex(void);
void ibv_cmd_export_dmabuf_fd(void);

void ibv_cmd_create_cq_ex(void)
{
}
void ibv_cmd_create_cq_ex2(void)
{
}
void ibv_cmd_reg_mr_ex(void)
{
}
void ibv_cmd_export_dmabuf_fd(void)
{
}

/* The folders lib and lib/libibverbs below the root. */
static struct fake_sysfs tree;
static void *module;

static int create_tree(void **state)
{
	fake_sysfs_init(&tree);
	fake_sysfs_write(&tree, "lib/libibverbs", NULL);
	return 0;
}

static int remove_tree(void **state)
{
	if (module)
		assert_int_equal(dlclose(module), 0);
	module = NULL;
	fake_sysfs_fini(&tree);
	return 0;
}

/* Copy the module @built to @path below the root. */
static void install_module(const char *built, const char *path)
{
	static char bytes[1 << 20];
	char from[512];
	ssize_t len;
	int fd;

	(void)snprintf(from, sizeof(from), MODULE_DIR "/libdetect_%s.so",
		       built);
	fd = open(from, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	len = read(fd, bytes, sizeof(bytes));
	assert_true(len > 0 && (size_t)len < sizeof(bytes));
	assert_int_equal(close(fd), 0);
	fake_sysfs_write_bytes(&tree, path, bytes, (size_t)len);
}

static void install_link(const char *target, const char *path)
{
	char full[512];

	(void)snprintf(full, sizeof(full), "%s/%s", tree.root, path);
	assert_int_equal(symlink(target, full), 0);
}

static struct foreign_range detect_module(const char *path, const char *name,
					  unsigned int node)
{
	struct foreign_range range = { node, node == 34 ? 56 : node };
	char full[512];
	void *address;

	if (node == 59)
		range.newest = 63;
	(void)snprintf(full, sizeof(full), "%s/%s", tree.root, path);
	module = dlopen(full, RTLD_NOW | RTLD_LOCAL);
	if (!module)
		fail_msg("%s", dlerror());
	address = dlsym(module, "detect_module_address");
	assert_non_null(address);
	foreign_detect(address, name, node, &range);
	return range;
}

static void assert_range(struct foreign_range range, unsigned int oldest,
			 unsigned int newest)
{
	assert_int_equal(range.oldest, oldest);
	assert_int_equal(range.newest, newest);
}

/* ------------------------------------------------------------------------ */
/* Detection by imports                                                      */
/* ------------------------------------------------------------------------ */

#define RXE_59 "lib/libibverbs/librxe-rdmav59.so"
#define RXE_34 "lib/libibverbs/librxe-rdmav34.so"

static void foreign_detect_without_evidence_keeps_range(void **state)
{
	install_module("plain", RXE_59);
	assert_range(detect_module(RXE_59, "rxe", 59), 59, 63);
}

static void foreign_detect_import_of_v62_excludes_older_releases(void **state)
{
	install_module("export_dmabuf", RXE_59);
	assert_range(detect_module(RXE_59, "rxe", 59), 62, 63);
}

static void foreign_detect_function_pointer_counts_as_import(void **state)
{
	install_module("pointer", RXE_59);
	assert_range(detect_module(RXE_59, "rxe", 59), 62, 63);
}

static void foreign_detect_import_of_v59_keeps_range_of_59(void **state)
{
	install_module("reg_mr_ex", RXE_59);
	assert_range(detect_module(RXE_59, "rxe", 59), 59, 63);
}

static void foreign_detect_import_of_v53_excludes_older_releases(void **state)
{
	install_module("create_cq_ex2", RXE_34);
	assert_range(detect_module(RXE_34, "rxe", 34), 53, 56);
}

/* A module of node 34 cannot be that new, so its file name is wrong. */
static void foreign_detect_import_newer_than_node_is_ignored(void **state)
{
	install_module("reg_mr_ex", RXE_34);
	assert_range(detect_module(RXE_34, "rxe", 34), 34, 56);
}

static void
foreign_detect_mlx5_without_export_dmabuf_is_before_v62(void **state)
{
	install_module("plain", "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(
		detect_module("lib/libibverbs/libmlx5-rdmav59.so", "mlx5", 59),
		59, 61);
}

static void foreign_detect_mlx5_with_create_cq_ex_is_before_v53(void **state)
{
	install_module("create_cq_ex", "lib/libibverbs/libmlx5-rdmav34.so");
	assert_range(
		detect_module("lib/libibverbs/libmlx5-rdmav34.so", "mlx5", 34),
		34, 52);
}

static void foreign_detect_rxe_with_create_cq_ex_keeps_range(void **state)
{
	install_module("create_cq_ex", RXE_34);
	assert_range(detect_module(RXE_34, "rxe", 34), 34, 56);
}

/* ------------------------------------------------------------------------ */
/* Detection by file names                                                   */
/* ------------------------------------------------------------------------ */

static void foreign_detect_library_in_folder_sets_release(void **state)
{
	install_module("plain", RXE_34);
	install_link("../libmlx5.so.1.24.44.0",
		     "lib/libibverbs/libmlx5-rdmav34.so");
	assert_range(detect_module(RXE_34, "rxe", 34), 44, 44);
}

static void foreign_detect_library_in_folder_selects_variant_of_59(void **state)
{
	install_module("plain", RXE_59);
	install_link("../libefa.so.1.4.61.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	assert_range(detect_module(RXE_59, "rxe", 59), 61, 61);
}

static void foreign_detect_libraries_of_same_release_set_release(void **state)
{
	install_module("plain", RXE_59);
	install_link("../libefa.so.1.4.62.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	install_link("../libmlx5.so.1.25.62.1",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_module(RXE_59, "rxe", 59), 62, 62);
}

static void
foreign_detect_libraries_of_different_releases_keep_range(void **state)
{
	install_module("plain", RXE_59);
	install_link("../libefa.so.1.4.61.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	install_link("../libmlx5.so.1.25.62.0",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_module(RXE_59, "rxe", 59), 59, 63);
}

static void foreign_detect_libraries_of_different_nodes_keep_range(void **state)
{
	install_module("plain", RXE_59);
	install_link("../libmlx5.so.1.24.44.0",
		     "lib/libibverbs/libmlx5-rdmav34.so");
	install_link("../libmlx5.so.1.25.61.0", "lib/libibverbs/libmlx5.so");
	assert_range(detect_module(RXE_59, "rxe", 59), 59, 63);
}

static void foreign_detect_library_outside_range_is_ignored(void **state)
{
	install_module("plain", RXE_59);
	install_link("../libmlx5.so.1.25.64.0",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_module(RXE_59, "rxe", 59), 59, 63);
}

/* The imports of the module are more reliable than the files in its folder. */
static void
foreign_detect_imports_take_precedence_over_library_in_folder(void **state)
{
	install_module("export_dmabuf", RXE_59);
	install_link("../libmlx5.so.1.25.60.0",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_module(RXE_59, "rxe", 59), 62, 63);
}

static void foreign_detect_link_target_of_module_sets_release(void **state)
{
	install_module("plain", "lib/libefa.so.1.4.61.0");
	install_link("../libefa.so.1.4.61.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	assert_range(
		detect_module("lib/libibverbs/libefa-rdmav59.so", "efa", 59),
		61, 61);
}

/* A program that is linked to libefa.so.1 loads it by this name. */
static void foreign_detect_vendor_library_name_sets_release(void **state)
{
	install_module("plain", "lib/libefa.so.1.4.62.0");
	install_link("libefa.so.1.4.62.0", "lib/libefa.so.1");
	assert_range(detect_module("lib/libefa.so.1", "efa", 59), 62, 62);
}

static void foreign_detect_address_outside_modules_keeps_range(void **state)
{
	struct foreign_range range = { 59, 63 };

	foreign_detect(&range, "rxe", 59, &range);
	assert_range(range, 59, 63);
}

/*
 * The provider may be linked into the program, whose file name has no release.
 */
static void foreign_detect_provider_in_program_keeps_range(void **state)
{
	static char here;
	struct foreign_range range = { 59, 63 };

	foreign_detect(&here, "rxe", 59, &range);
	assert_range(range, 59, 63);
}

static void foreign_release_of_file_returns_third_number(void **state)
{
	static const struct {
		const char *file;
		unsigned int release;
	} known[] = {
		{ "libmlx5.so.1.24.44.0", 44 },
		{ "../libmlx5.so.1.25.56.1", 56 },
		{ "/usr/lib/x/libefa.so.1.1.65.0", 65 },
		{ "/so.1.1.65.0/libefa.so", 0 },
		{ "libmlx5.so", 0 },
		{ "libmlx5.so.", 0 },
		{ "libmlx5.so.1", 0 },
		{ "libmlx5.so.1.24.44", 0 },
		{ "libmlx5.so.1.24.44.0.1", 0 },
		{ "libmlx5.so.1.24.44.0x", 0 },
		{ "libmlx5.so.1.24.x.0", 0 },
		{ "libmlx5.so.1.24.999999.0", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(foreign_release_of_file(known[i].file),
				 known[i].release);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, create_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(foreign_detect_without_evidence_keeps_range),
		TEST(foreign_detect_import_of_v62_excludes_older_releases),
		TEST(foreign_detect_function_pointer_counts_as_import),
		TEST(foreign_detect_import_of_v59_keeps_range_of_59),
		TEST(foreign_detect_import_of_v53_excludes_older_releases),
		TEST(foreign_detect_import_newer_than_node_is_ignored),
		TEST(foreign_detect_mlx5_without_export_dmabuf_is_before_v62),
		TEST(foreign_detect_mlx5_with_create_cq_ex_is_before_v53),
		TEST(foreign_detect_rxe_with_create_cq_ex_keeps_range),
		TEST(foreign_detect_library_in_folder_sets_release),
		TEST(foreign_detect_library_in_folder_selects_variant_of_59),
		TEST(foreign_detect_libraries_of_same_release_set_release),
		TEST(foreign_detect_libraries_of_different_releases_keep_range),
		TEST(foreign_detect_libraries_of_different_nodes_keep_range),
		TEST(foreign_detect_library_outside_range_is_ignored),
		TEST(foreign_detect_imports_take_precedence_over_library_in_folder),
		TEST(foreign_detect_link_target_of_module_sets_release),
		TEST(foreign_detect_vendor_library_name_sets_release),
		TEST(foreign_detect_address_outside_modules_keeps_range),
		TEST(foreign_detect_provider_in_program_keeps_range),
		TEST(foreign_release_of_file_returns_third_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
