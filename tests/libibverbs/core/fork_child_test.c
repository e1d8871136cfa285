/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/fork_guard.c with the running kernel: which pages a
 * child process inherits. Each test runs in its own process.
 */
#include "core/fork_guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"

static size_t page; /* bytes */

static char *map_guarded_pages(size_t nr_pages, int prot)
{
	char *memory = mmap(NULL, nr_pages * page, prot,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/*
 * Memory with a guard page on each side, so that its mapping is not merged
 * with neighbours.
 */
static char *fork_child_setup_with_range(size_t nr_pages, int prot)
{
	char *memory;

	page = (size_t)sysconf(_SC_PAGESIZE);
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(verbs_fork_status(), IBV_FORK_ENABLED);
	memory = map_guarded_pages(nr_pages + 2, prot);
	assert_int_equal(mprotect(memory, page, PROT_NONE), 0);
	assert_int_equal(
		mprotect(memory + (nr_pages + 1) * page, page, PROT_NONE), 0);
	return memory + page;
}

static char *fork_child_setup(size_t nr_pages)
{
	return fork_child_setup_with_range(nr_pages, PROT_READ | PROT_WRITE);
}

static bool page_is_mapped(char *memory)
{
	unsigned char resident;

	return mincore(memory, page, &resident) == 0;
}

/* Pages in a child: one letter for each page, x if present, - if absent. */
static void check_child(char *memory, const char *expected)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		for (size_t i = 0; expected[i]; i++) {
			if (page_is_mapped(memory + i * page) !=
			    (expected[i] == 'x'))
				_exit((int)i + 1);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status))
		fail_msg("page %d of %s", WEXITSTATUS(status) - 1, expected);
}

static void dontfork(char *memory, size_t first, size_t count)
{
	assert_int_equal(
		verbs_fork_guard_add(memory + first * page, count * page), 0);
}

static void dofork(char *memory, size_t first, size_t count)
{
	assert_int_equal(
		verbs_fork_guard_remove(memory + first * page, count * page),
		0);
}

/* Number of mappings of the process within these pages. */
static unsigned int nr_mappings(const char *memory, size_t nr_pages)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int count = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		uintptr_t begin = strtoull(line, NULL, 16);

		count += begin >= (uintptr_t)memory &&
			 begin < (uintptr_t)memory + nr_pages * page;
	}
	assert_int_equal(fclose(maps), 0);
	return count;
}

/* ------------------------------------------------------------------------ */

static void fork_child_registered_pages_are_absent(void **state)
{
	char *memory = fork_child_setup(8);

	memory[3 * page] = 'p';
	check_child(memory, "xxxxxxxx");
	dontfork(memory, 2, 3);
	check_child(memory, "xx---xxx");
	assert_int_equal(memory[3 * page], 'p');
	dofork(memory, 2, 3);
	check_child(memory, "xxxxxxxx");
	assert_int_equal(memory[3 * page], 'p');
}

static void fork_child_pages_are_absent_while_registered(void **state)
{
	char *memory = fork_child_setup(8);

	dontfork(memory, 1, 4);
	dontfork(memory, 3, 4);
	dontfork(memory, 4, 1);
	check_child(memory, "x------x");
	dofork(memory, 1, 4);
	check_child(memory, "xxx----x");
	dofork(memory, 3, 4);
	check_child(memory, "xxxx-xxx");
	dofork(memory, 4, 1);
	check_child(memory, "xxxxxxxx");
}

static void fork_child_single_byte_excludes_page(void **state)
{
	char *memory = fork_child_setup(4);

	assert_int_equal(verbs_fork_guard_add(memory + 2 * page - 1, 2), 0);
	check_child(memory, "x--x");
	assert_int_equal(verbs_fork_guard_remove(memory + 2 * page - 1, 2), 0);
	check_child(memory, "xxxx");
}

/* The advice also holds for children of children. */
static void fork_child_removed_range_is_present(void **state)
{
	char *memory = fork_child_setup(4);

	dontfork(memory, 0, 4);
	check_child(memory, "----");
	check_child(memory, "----");
	dofork(memory, 0, 4);
	check_child(memory, "xxxx");
}

static void fork_child_many_pages_use_single_mapping(void **state)
{
	const size_t count = 4096;
	char *memory = fork_child_setup(count);

	assert_int_equal(nr_mappings(memory, count), 1);
	for (size_t i = 0; i < count; i += 2)
		dontfork(memory, i, 1);
	assert_int_equal(nr_mappings(memory, count), count);
	for (size_t i = 1; i < count; i += 2)
		dontfork(memory, i, 1);
	assert_int_equal(nr_mappings(memory, count), 1);
	for (size_t i = 0; i < count; i++)
		dofork(memory, i, 1);
	assert_int_equal(nr_mappings(memory, count), 1);
	check_child(memory, "xxxx");
}

/* Address space only, without memory. */
static void fork_child_huge_range_is_excluded(void **state)
{
	const size_t count = ((size_t)1 << (sizeof(size_t) == 8 ? 23 : 16));
	char *memory = fork_child_setup_with_range(count, PROT_READ);

	dontfork(memory, 0, count);
	dontfork(memory, 1, count - 2);
	check_child(memory, "----");
	check_child(memory + (count - 4) * page, "----");
	dofork(memory, 0, count);
	check_child(memory, "x---");
	check_child(memory + (count - 4) * page, "---x");
	dofork(memory, 1, count - 2);
	check_child(memory, "xxxx");
	check_child(memory + (count - 4) * page, "xxxx");
}

static void fork_child_range_with_hole_is_unchanged(void **state)
{
	char *memory = fork_child_setup(8);

	assert_int_equal(munmap(memory + 4 * page, page), 0);
	dontfork(memory, 1, 1);
	assert_int_equal(verbs_fork_guard_add(memory, 8 * page), -ENOMEM);
	check_child(memory, "x-xx-xxx");
	dofork(memory, 1, 1);
	check_child(memory, "xxxx-xxx");
}

/* The program unmaps the memory before it calls the library. */
static void fork_child_unmapped_range_can_be_removed(void **state)
{
	char *memory = fork_child_setup(8);

	dontfork(memory, 1, 6);
	assert_int_equal(munmap(memory + 3 * page, 2 * page), 0);
	dofork(memory, 1, 6);
	check_child(memory, "xxx--xxx");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_child_registered_pages_are_absent),
		cmocka_unit_test(fork_child_pages_are_absent_while_registered),
		cmocka_unit_test(fork_child_single_byte_excludes_page),
		cmocka_unit_test(fork_child_removed_range_is_present),
		cmocka_unit_test(fork_child_many_pages_use_single_mapping),
		cmocka_unit_test(fork_child_huge_range_is_excluded),
		cmocka_unit_test(fork_child_range_with_hole_is_unchanged),
		cmocka_unit_test(fork_child_unmapped_range_can_be_removed),
	};

	return own_process_run_group_tests(tests);
}
