/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Telling the release of a module: libibverbs/foreign/foreign_detect.c and
 * foreign_imports.c, on modules made of detect_module.c that are copied into
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

/* last: it needs those above */
#include <cmocka.h>

/* What the modules import; nobody calls it. */
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

/* root/lib and root/lib/libibverbs. */
static struct fake_sysfs tree;
static void *module;

static int make_tree(void **state)
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

/* Copies a module that was built to @path, below the root. */
static void install(const char *built, const char *path)
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

static struct foreign_range detect_of(const char *path, const char *name,
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
/* By imports                                                                */
/* ------------------------------------------------------------------------ */

#define RXE_59 "lib/libibverbs/librxe-rdmav59.so"
#define RXE_34 "lib/libibverbs/librxe-rdmav34.so"

static void without_evidence_nothing_is_said(void **state)
{
	install("plain", RXE_59);
	assert_range(detect_of(RXE_59, "rxe", 59), 59, 63);
}

static void function_of_v62_rules_out_older_ones(void **state)
{
	install("export_dmabuf", RXE_59);
	assert_range(detect_of(RXE_59, "rxe", 59), 62, 63);
}

static void pointer_to_a_function_is_an_import_too(void **state)
{
	install("pointer", RXE_59);
	assert_range(detect_of(RXE_59, "rxe", 59), 62, 63);
}

static void function_of_v59_says_nothing_among_59(void **state)
{
	install("reg_mr_ex", RXE_59);
	assert_range(detect_of(RXE_59, "rxe", 59), 59, 63);
}

static void function_of_v53_rules_out_older_ones(void **state)
{
	install("create_cq_ex2", RXE_34);
	assert_range(detect_of(RXE_34, "rxe", 34), 53, 56);
}

/* A module of 34 cannot be so new: somebody has given it a wrong name. */
static void function_that_its_number_has_not_is_ignored(void **state)
{
	install("reg_mr_ex", RXE_34);
	assert_range(detect_of(RXE_34, "rxe", 34), 34, 56);
}

static void mlx5_without_export_is_before_v62(void **state)
{
	install("plain", "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_of("lib/libibverbs/libmlx5-rdmav59.so", "mlx5", 59),
		     59, 61);
}

static void mlx5_with_the_old_create_is_before_v53(void **state)
{
	install("create_cq_ex", "lib/libibverbs/libmlx5-rdmav34.so");
	assert_range(detect_of("lib/libibverbs/libmlx5-rdmav34.so", "mlx5", 34),
		     34, 52);
}

static void others_with_the_old_create_may_be_anything(void **state)
{
	install("create_cq_ex", RXE_34);
	assert_range(detect_of(RXE_34, "rxe", 34), 34, 56);
}

/* ------------------------------------------------------------------------ */
/* By file names                                                             */
/* ------------------------------------------------------------------------ */

static void neighbour_tells_the_release(void **state)
{
	install("plain", RXE_34);
	install_link("../libmlx5.so.1.24.44.0",
		     "lib/libibverbs/libmlx5-rdmav34.so");
	assert_range(detect_of(RXE_34, "rxe", 34), 44, 44);
}

static void neighbour_tells_which_59_it_is(void **state)
{
	install("plain", RXE_59);
	install_link("../libefa.so.1.4.61.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	assert_range(detect_of(RXE_59, "rxe", 59), 61, 61);
}

static void neighbours_that_agree_tell_it_too(void **state)
{
	install("plain", RXE_59);
	install_link("../libefa.so.1.4.62.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	install_link("../libmlx5.so.1.25.62.1",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_of(RXE_59, "rxe", 59), 62, 62);
}

static void neighbours_that_differ_tell_nothing(void **state)
{
	install("plain", RXE_59);
	install_link("../libefa.so.1.4.61.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	install_link("../libmlx5.so.1.25.62.0",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_of(RXE_59, "rxe", 59), 59, 63);
}

static void neighbours_of_other_numbers_tell_nothing(void **state)
{
	install("plain", RXE_59);
	install_link("../libmlx5.so.1.24.44.0",
		     "lib/libibverbs/libmlx5-rdmav34.so");
	install_link("../libmlx5.so.1.25.61.0", "lib/libibverbs/libmlx5.so");
	assert_range(detect_of(RXE_59, "rxe", 59), 59, 63);
}

static void neighbour_of_an_impossible_release_tells_nothing(void **state)
{
	install("plain", RXE_59);
	install_link("../libmlx5.so.1.25.64.0",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_of(RXE_59, "rxe", 59), 59, 63);
}

/* What the module itself says is worth more than what is beside it. */
static void imports_go_before_a_neighbour(void **state)
{
	install("export_dmabuf", RXE_59);
	install_link("../libmlx5.so.1.25.60.0",
		     "lib/libibverbs/libmlx5-rdmav59.so");
	assert_range(detect_of(RXE_59, "rxe", 59), 62, 63);
}

static void link_tells_its_own_release(void **state)
{
	install("plain", "lib/libefa.so.1.4.61.0");
	install_link("../libefa.so.1.4.61.0",
		     "lib/libibverbs/libefa-rdmav59.so");
	assert_range(detect_of("lib/libibverbs/libefa-rdmav59.so", "efa", 59),
		     61, 61);
}

/* A program that is linked to libefa.so.1 loads it by this name. */
static void vendor_library_tells_its_own_release(void **state)
{
	install("plain", "lib/libefa.so.1.4.62.0");
	install_link("libefa.so.1.4.62.0", "lib/libefa.so.1");
	assert_range(detect_of("lib/libefa.so.1", "efa", 59), 62, 62);
}

static void address_in_no_module_says_nothing(void **state)
{
	struct foreign_range range = { 59, 63 };

	foreign_detect(&range, "rxe", 59, &range);
	assert_range(range, 59, 63);
}

/* The provider may be linked into the program. */
static void program_itself_says_what_it_imports(void **state)
{
	static char here;
	struct foreign_range range = { 59, 63 };

	foreign_detect(&here, "rxe", 59, &range);
	assert_range(range, 59, 63);
}

static void release_is_in_the_third_place(void **state)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_evidence_nothing_is_said),
		TEST(function_of_v62_rules_out_older_ones),
		TEST(pointer_to_a_function_is_an_import_too),
		TEST(function_of_v59_says_nothing_among_59),
		TEST(function_of_v53_rules_out_older_ones),
		TEST(function_that_its_number_has_not_is_ignored),
		TEST(mlx5_without_export_is_before_v62),
		TEST(mlx5_with_the_old_create_is_before_v53),
		TEST(others_with_the_old_create_may_be_anything),
		TEST(neighbour_tells_the_release),
		TEST(neighbour_tells_which_59_it_is),
		TEST(neighbours_that_agree_tell_it_too),
		TEST(neighbours_that_differ_tell_nothing),
		TEST(neighbours_of_other_numbers_tell_nothing),
		TEST(neighbour_of_an_impossible_release_tells_nothing),
		TEST(imports_go_before_a_neighbour),
		TEST(link_tells_its_own_release),
		TEST(vendor_library_tells_its_own_release),
		TEST(address_in_no_module_says_nothing),
		TEST(program_itself_says_what_it_imports),
		TEST(release_is_in_the_third_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
