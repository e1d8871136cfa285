/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests which advice libibverbs/core/fork_guard.c gives the kernel. The memory
 * does not exist: the replacement of madvise() keeps one flag for each page.
 * Each test runs in its own process. Linked with WRAP madvise mmap fopen
 * malloc.
 */
#include "core/fork_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"
#include "support/fake_copy_on_fork.h"

#define NR_PAGES 4096

/* Addresses at which no process has memory. */
#define ARENA ((uintptr_t)16 << 20)

static size_t page; /* bytes */

/* State of the simulated kernel. */
static struct {
	bool dontfork[NR_PAGES];
	bool unmapped[NR_PAGES];
	bool special[NR_PAGES];	   /* rejects MADV_DOFORK */
	unsigned int max_mappings; /* 0: no limit */
	int fail_with;		   /* errno of the next call */
	bool knows_no_advice;
	unsigned int nr_calls;
} kernel;

static bool malloc_fails, mmap_fails;
static const char *smaps; /* NULL: cannot be opened */
static unsigned int nr_smaps;

int __real_madvise(void *addr, size_t len, int advice);
int __wrap_madvise(void *addr, size_t len, int advice);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

/* Runs of equal pages; each is one mapping. */
static unsigned int fake_mapping_count(void)
{
	unsigned int count = 1;

	for (size_t i = 1; i < NR_PAGES; i++)
		count += kernel.dontfork[i] != kernel.dontfork[i - 1];
	return count;
}

static int fake_page_madvise(size_t i, bool dontfork)
{
	if (!dontfork && kernel.special[i])
		return EINVAL;
	kernel.dontfork[i] = dontfork;
	if (kernel.max_mappings && fake_mapping_count() > kernel.max_mappings) {
		kernel.dontfork[i] = !dontfork;
		return EAGAIN;
	}
	return 0;
}

/* Like Linux: stops at the first page that fails, but skips unmapped pages. */
static int fake_arena_madvise(size_t first, size_t count, bool dontfork)
{
	int missing = 0;

	for (size_t i = first; i < first + count; i++) {
		int error;

		if (kernel.unmapped[i]) {
			missing = ENOMEM;
			continue;
		}
		error = fake_page_madvise(i, dontfork);
		if (error)
			return error;
	}
	return missing;
}

int __wrap_madvise(void *addr, size_t len, int advice)
{
	uintptr_t begin = (uintptr_t)addr;

	if (advice != MADV_DONTFORK && advice != MADV_DOFORK)
		return __real_madvise(addr, len, advice);
	if (kernel.knows_no_advice)
		errno = EINVAL;
	if (kernel.knows_no_advice || begin < ARENA ||
	    begin >= ARENA + NR_PAGES * page)
		return kernel.knows_no_advice ? -1 : 0;

	kernel.nr_calls++;
	errno = kernel.fail_with;
	kernel.fail_with = 0;
	if (errno)
		return -1;
	assert_int_equal(begin % page, 0);
	assert_int_equal(len % page, 0);
	assert_in_range(len, page, NR_PAGES * page - (begin - ARENA));
	errno = fake_arena_madvise((begin - ARENA) / page, len / page,
				   advice == MADV_DONTFORK);
	return errno ? -1 : 0;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t offset)
{
	if (mmap_fails) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (strcmp(path, "/proc/self/smaps") != 0)
		return __real_fopen(path, mode);
	nr_smaps++;
	if (!smaps) {
		errno = EMFILE;
		return NULL;
	}
	return fmemopen((void *)(uintptr_t)smaps, strlen(smaps), "r");
}

void *__wrap_malloc(size_t size)
{
	if (!malloc_fails)
		return __real_malloc(size);
	errno = ENOMEM;
	return NULL;
}

/* ------------------------------------------------------------------------ */

static void *fake_page_address(size_t first)
{
	return (void *)(ARENA + first * page);
}

static int dontfork(size_t first, size_t count)
{
	return verbs_fork_guard_add(fake_page_address(first), count * page);
}

static int dofork(size_t first, size_t count)
{
	return verbs_fork_guard_remove(fake_page_address(first), count * page);
}

/*
 * Checks that exactly the pages [first, first + count) are excluded from
 * children.
 */
static void assert_only_excluded(size_t first, size_t count)
{
	for (size_t i = 0; i < NR_PAGES; i++) {
		bool expected = i >= first && i < first + count;

		if (kernel.dontfork[i] != expected)
			fail_msg("page %zu is %s", i,
				 expected ? "given to children"
					  : "kept from children");
	}
}

static void assert_none_excluded(void)
{
	assert_only_excluded(0, 0);
}

static void fork_guard_setup(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	(void)unsetenv("RDMAV_HUGEPAGES_SAFE");
}

static void fork_guard_setup_enabled(void)
{
	fork_guard_setup();
	assert_int_equal(verbs_fork_init(), 0);
}

/* ------------------------------------------------------------------------ */
/* State                                                                    */
/* ------------------------------------------------------------------------ */

static void fork_guard_off_calls_no_madvise(void **state)
{
	fork_guard_setup();
	assert_int_equal(verbs_fork_status(), IBV_FORK_DISABLED);
	assert_int_equal(dontfork(0, 4), 0);
	assert_int_equal(dofork(0, 4), 0);
	assert_int_equal(kernel.nr_calls, 0);
	assert_int_equal(verbs_fork_status(), IBV_FORK_DISABLED);
}

static void fork_init_twice_enables_once(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(verbs_fork_status(), IBV_FORK_ENABLED);
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(dontfork(0, 4), 0);
	assert_int_equal(verbs_fork_init(), 0);
	assert_only_excluded(0, 4);
}

static void fork_guard_enabled_after_registration_is_einval(void **state)
{
	fork_guard_setup();
	assert_int_equal(dontfork(0, 4), 0);
	assert_int_equal(verbs_fork_init(), -EINVAL);
	assert_int_equal(verbs_fork_init(), -EINVAL);
	assert_int_equal(verbs_fork_status(), IBV_FORK_DISABLED);
	assert_int_equal(dontfork(0, 4), 0);
	assert_int_equal(kernel.nr_calls, 0);
}

static void fork_guard_enabled_after_deregistration_is_einval(void **state)
{
	fork_guard_setup();
	assert_int_equal(dofork(0, 4), 0);
	assert_int_equal(verbs_fork_init(), -EINVAL);
}

static void fork_init_does_nothing_if_kernel_copies(void **state)
{
	fork_guard_setup();
	fake_copy_on_fork.result = true;
	assert_int_equal(verbs_fork_status(), IBV_FORK_UNNEEDED);
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(dontfork(0, 4), 0);
	assert_int_equal(kernel.nr_calls, 0);
	/* the guard can still be turned on */
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(verbs_fork_status(), IBV_FORK_UNNEEDED);
}

static void fork_status_reads_kernel_each_time(void **state)
{
	fork_guard_setup_enabled();
	fake_copy_on_fork.nr_calls = 0;
	assert_int_equal(verbs_fork_status(), IBV_FORK_ENABLED);
	fake_copy_on_fork.result = true;
	assert_int_equal(verbs_fork_status(), IBV_FORK_UNNEEDED);
	assert_int_equal(fake_copy_on_fork.nr_calls, 2);
}

static void fork_init_kernel_without_advice_is_enosys(void **state)
{
	fork_guard_setup();
	kernel.knows_no_advice = true;
	assert_int_equal(verbs_fork_init(), -ENOSYS);
	assert_int_equal(verbs_fork_status(), IBV_FORK_DISABLED);
	kernel.knows_no_advice = false;
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(verbs_fork_status(), IBV_FORK_ENABLED);
}

static void fork_init_without_memory_is_enomem(void **state)
{
	fork_guard_setup();
	mmap_fails = true;
	assert_int_equal(verbs_fork_init(), -ENOMEM);
	assert_int_equal(verbs_fork_status(), IBV_FORK_DISABLED);
}

/* ------------------------------------------------------------------------ */
/* Ranges                                                                   */
/* ------------------------------------------------------------------------ */

static void fork_guard_pages_are_counted(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(dontfork(10, 10), 0);
	assert_int_equal(dontfork(15, 10), 0);
	assert_only_excluded(10, 15);
	assert_int_equal(dofork(10, 10), 0);
	assert_only_excluded(15, 10);
	assert_int_equal(dontfork(15, 10), 0);
	assert_int_equal(dofork(15, 10), 0);
	assert_only_excluded(15, 10);
	assert_int_equal(dofork(15, 10), 0);
	assert_none_excluded();
}

static void fork_guard_partial_pages_are_rounded(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(verbs_fork_guard_add(
				 (char *)fake_page_address(3) + page - 1, 2),
			 0);
	assert_only_excluded(3, 2);
	assert_int_equal(
		verbs_fork_guard_add((char *)fake_page_address(4) + 100, 1), 0);
	assert_int_equal(verbs_fork_guard_remove(
				 (char *)fake_page_address(3) + page - 1, 2),
			 0);
	assert_only_excluded(4, 1);
	assert_int_equal(
		verbs_fork_guard_remove((char *)fake_page_address(4) + 100, 1),
		0);
	assert_none_excluded();
}

static void fork_guard_empty_range_is_ignored(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(verbs_fork_guard_add(NULL, 100), 0);
	assert_int_equal(verbs_fork_guard_add(fake_page_address(3), 0), 0);
	assert_int_equal(verbs_fork_guard_remove(NULL, 100), 0);
	assert_int_equal(verbs_fork_guard_remove(fake_page_address(3), 0), 0);
	assert_int_equal(kernel.nr_calls, 0);
}

static void fork_guard_wrapping_range_is_einval(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(verbs_fork_guard_add(fake_page_address(3), SIZE_MAX),
			 -EINVAL);
	assert_int_equal(
		verbs_fork_guard_remove(fake_page_address(3), SIZE_MAX),
		-EINVAL);
	assert_int_equal(verbs_fork_guard_add((void *)(UINTPTR_MAX - 10), 4),
			 -EINVAL);
	assert_int_equal(kernel.nr_calls, 0);
}

static void fork_guard_range_over_islands_is_single_madvise(void **state)
{
	fork_guard_setup_enabled();
	for (size_t i = 0; i < 100; i += 2)
		assert_int_equal(dontfork(i, 1), 0);
	kernel.nr_calls = 0;
	assert_int_equal(dontfork(0, 100), 0);
	assert_int_equal(kernel.nr_calls, 1);
	assert_only_excluded(0, 100);
	assert_int_equal(dontfork(20, 30), 0);
	assert_int_equal(kernel.nr_calls, 1);

	assert_int_equal(dofork(20, 30), 0);
	assert_int_equal(kernel.nr_calls, 1);
	assert_int_equal(dofork(0, 100), 0);
	assert_int_equal(kernel.nr_calls, 1 + 50);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(kernel.dontfork[i], i % 2 == 0);
}

/* A fixed seed. */
static unsigned int random_below(unsigned int limit)
{
	static uint32_t x = 12345;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % limit;
}

static void fork_guard_random_ranges_match_model(void **state)
{
	static unsigned int model[NR_PAGES];
	struct {
		size_t first, count;
	} live[64];
	size_t nr_live = 0;

	fork_guard_setup_enabled();
	for (int step = 0; step < 10000; step++) {
		bool adds = nr_live < 64 && random_below(2);
		size_t i = 0;

		if (!adds && !nr_live)
			continue;
		if (adds) {
			i = nr_live++;
			live[i].first = random_below(64);
			live[i].count = 1 + random_below(20);
			assert_int_equal(dontfork(live[i].first, live[i].count),
					 0);
		} else {
			i = random_below((unsigned int)nr_live);
			assert_int_equal(dofork(live[i].first, live[i].count),
					 0);
		}
		for (size_t p = 0; p < live[i].count; p++)
			model[live[i].first + p] += adds ? 1u : -1u;
		if (!adds)
			live[i] = live[--nr_live];
		for (size_t p = 0; p < 100; p++)
			assert_int_equal(kernel.dontfork[p], model[p] != 0);
	}
}

/* ------------------------------------------------------------------------ */
/* Rejected ranges                                                          */
/* ------------------------------------------------------------------------ */

static void fork_guard_rejected_range_changes_nothing(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(dontfork(10, 5), 0);
	kernel.fail_with = EPERM;
	assert_int_equal(dontfork(8, 10), -EPERM);
	assert_only_excluded(10, 5);
	assert_int_equal(dofork(10, 5), 0);
	assert_none_excluded();
}

static void fork_guard_range_with_hole_is_rolled_back(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(dontfork(10, 5), 0);
	assert_int_equal(dontfork(20, 5), 0);
	kernel.unmapped[30] = true;
	assert_int_equal(dontfork(5, 30), -ENOMEM);
	for (size_t i = 0; i < NR_PAGES; i++)
		assert_int_equal(kernel.dontfork[i],
				 (i >= 10 && i < 15) || (i >= 20 && i < 25));
	assert_int_equal(dofork(10, 5), 0);
	assert_int_equal(dofork(20, 5), 0);
	assert_none_excluded();
}

static void fork_guard_mapping_limit_is_enomem(void **state)
{
	size_t i;

	fork_guard_setup_enabled();
	kernel.max_mappings = 101;
	for (i = 1; i < 101; i += 2)
		assert_int_equal(dontfork(i, 1), 0);
	assert_int_equal(dontfork(200, 1), -ENOMEM);
	assert_false(kernel.dontfork[200]);

	/* merged islands use fewer mappings */
	assert_int_equal(dontfork(2, 1), 0);
	assert_int_equal(dontfork(200, 1), 0);

	/* removed ranges use fewer mappings */
	assert_int_equal(dontfork(202, 1), -ENOMEM);
	assert_int_equal(dofork(99, 1), 0);
	assert_int_equal(dontfork(202, 1), 0);
}

static void fork_guard_without_memory_changes_nothing(void **state)
{
	fork_guard_setup_enabled();
	malloc_fails = true;
	errno = EXDEV;
	assert_int_equal(dontfork(10, 5), -ENOMEM);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(kernel.nr_calls, 0);
	malloc_fails = false;
	assert_int_equal(dontfork(10, 5), 0);
	malloc_fails = true;
	assert_int_equal(dofork(10, 5), -ENOMEM);
	assert_only_excluded(10, 5);
	malloc_fails = false;
	assert_int_equal(dofork(10, 5), 0);
	assert_none_excluded();
}

static void fork_guard_unmapped_range_can_be_removed(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(dontfork(10, 50), 0);
	for (size_t i = 20; i < 30; i++)
		kernel.unmapped[i] = true;
	kernel.nr_calls = 0;
	errno = EXDEV;
	assert_int_equal(dofork(10, 50), 0);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(kernel.nr_calls, 1);
	for (size_t i = 0; i < NR_PAGES; i++)
		assert_int_equal(kernel.dontfork[i], kernel.unmapped[i]);
}

static void fork_guard_rejected_page_does_not_affect_neighbours(void **state)
{
	fork_guard_setup_enabled();
	assert_int_equal(dontfork(0, 1000), 0);
	kernel.special[0] = true;
	kernel.special[333] = true;
	kernel.special[999] = true;
	assert_int_equal(dofork(0, 1000), 0);
	for (size_t i = 0; i < NR_PAGES; i++)
		assert_int_equal(kernel.dontfork[i], kernel.special[i]);
}

static void fork_guard_division_of_rejected_range_is_limited(void **state)
{
	fork_guard_setup_enabled();
	for (size_t i = 1; i < NR_PAGES; i++)
		kernel.special[i] = true;
	assert_int_equal(dontfork(0, NR_PAGES), 0);
	kernel.nr_calls = 0;
	assert_int_equal(dofork(0, NR_PAGES), 0);
	assert_in_range(kernel.nr_calls, 2, 2000);
	assert_false(kernel.dontfork[0]);
}

/* Each part has own boundaries, so that every part is visited. */
static void fork_guard_many_parts_are_all_removed(void **state)
{
	fork_guard_setup_enabled();
	for (size_t i = 0; i < NR_PAGES; i += 2)
		assert_int_equal(dontfork(i, 1), 0);
	assert_int_equal(dontfork(0, NR_PAGES), 0);
	assert_int_equal(dofork(0, NR_PAGES), 0);
	for (size_t i = 0; i < NR_PAGES; i++)
		assert_int_equal(kernel.dontfork[i], i % 2 == 0);
}

/* ------------------------------------------------------------------------ */
/* Huge pages, threads                                                      */
/* ------------------------------------------------------------------------ */

/* The 64 base pages from page 128 on are two huge pages. */
static void fake_smaps_open(char *text, size_t size)
{
	(void)snprintf(text, size,
		       "%lx-%lx rw-p 00000000 00:0f 7 /anon_hugepage\n"
		       "KernelPageSize: %zu kB\n",
		       (unsigned long)(ARENA + 128 * page),
		       (unsigned long)(ARENA + 192 * page), 32 * page / 1024);
	smaps = text;
}

static void fork_guard_huge_pages_are_advised_whole(void **state)
{
	char text[256];

	fork_guard_setup();
	fake_smaps_open(text, sizeof(text));
	assert_int_equal(setenv("RDMAV_HUGEPAGES_SAFE", "", 1), 0);
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(dontfork(130, 1), 0);
	assert_only_excluded(128, 32);
	assert_int_equal(dontfork(159, 2), 0);
	assert_only_excluded(128, 64);
	assert_int_equal(dofork(130, 1), 0);
	assert_only_excluded(128, 64);
	assert_int_equal(dofork(159, 2), 0);
	assert_none_excluded();
	assert_int_equal(dontfork(10, 1), 0);
	assert_only_excluded(10, 1);
}

static void fork_guard_without_variable_uses_base_pages(void **state)
{
	char text[256];

	fork_guard_setup_enabled();
	fake_smaps_open(text, sizeof(text));
	assert_int_equal(setenv("RDMAV_HUGEPAGES_SAFE", "1", 1), 0);
	assert_int_equal(dontfork(130, 1), 0);
	assert_only_excluded(130, 1);
	assert_int_equal(nr_smaps, 0);
}

static void fork_guard_without_smaps_uses_base_pages(void **state)
{
	fork_guard_setup();
	assert_int_equal(setenv("RDMAV_HUGEPAGES_SAFE", "1", 1), 0);
	assert_int_equal(verbs_fork_init(), 0);
	assert_int_equal(dontfork(130, 1), 0);
	assert_only_excluded(130, 1);
	assert_int_equal(nr_smaps, 1);
}

static void *thread_register_ranges(void *arg)
{
	size_t first = *(const size_t *)arg;

	for (size_t i = 0; i < 2000; i++) {
		assert_int_equal(dontfork(first + i % 7, 10), 0);
		assert_int_equal(dofork(first + i % 7, 10), 0);
	}
	return NULL;
}

static void fork_guard_concurrent_ranges_are_counted(void **state)
{
	size_t firsts[4] = { 0, 5, 10, 8 };
	pthread_t threads[4];

	fork_guard_setup_enabled();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						thread_register_ranges,
						&firsts[i]),
				 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_none_excluded();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_guard_off_calls_no_madvise),
		cmocka_unit_test(fork_init_twice_enables_once),
		cmocka_unit_test(
			fork_guard_enabled_after_registration_is_einval),
		cmocka_unit_test(
			fork_guard_enabled_after_deregistration_is_einval),
		cmocka_unit_test(fork_init_does_nothing_if_kernel_copies),
		cmocka_unit_test(fork_status_reads_kernel_each_time),
		cmocka_unit_test(fork_init_kernel_without_advice_is_enosys),
		cmocka_unit_test(fork_init_without_memory_is_enomem),
		cmocka_unit_test(fork_guard_pages_are_counted),
		cmocka_unit_test(fork_guard_partial_pages_are_rounded),
		cmocka_unit_test(fork_guard_empty_range_is_ignored),
		cmocka_unit_test(fork_guard_wrapping_range_is_einval),
		cmocka_unit_test(
			fork_guard_range_over_islands_is_single_madvise),
		cmocka_unit_test(fork_guard_random_ranges_match_model),
		cmocka_unit_test(fork_guard_rejected_range_changes_nothing),
		cmocka_unit_test(fork_guard_range_with_hole_is_rolled_back),
		cmocka_unit_test(fork_guard_mapping_limit_is_enomem),
		cmocka_unit_test(fork_guard_without_memory_changes_nothing),
		cmocka_unit_test(fork_guard_unmapped_range_can_be_removed),
		cmocka_unit_test(
			fork_guard_rejected_page_does_not_affect_neighbours),
		cmocka_unit_test(
			fork_guard_division_of_rejected_range_is_limited),
		cmocka_unit_test(fork_guard_many_parts_are_all_removed),
		cmocka_unit_test(fork_guard_huge_pages_are_advised_whole),
		cmocka_unit_test(fork_guard_without_variable_uses_base_pages),
		cmocka_unit_test(fork_guard_without_smaps_uses_base_pages),
		cmocka_unit_test(fork_guard_concurrent_ranges_are_counted),
	};

	return own_process_run_group_tests(tests);
}
