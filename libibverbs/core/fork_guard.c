/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the registered pages of the process and sets madvise(2) for them.
 * api/fork.c and api/mr.c call it, and modules of existing releases do through
 * api/fork.c.
 *
 * util/range_counts.c counts registrations of each page. The kernel gets
 * advice only for pages whose count becomes 1 or 0. Adjacent pages are passed
 * as one range, so that the kernel merges their mappings: a process may have
 * about 65,000 of them (vm.max_map_count), and each separate range uses some.
 */
#include "core/fork_guard.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/page_bounds.h"
#include "discover/copy_on_fork.h"
#include "util/lock.h"
#include "util/range_counts.h"

/*
 * Limit of the number of times that one verbs_fork_guard_remove() divides a
 * range that the kernel rejects.
 */
#define MAX_HALVES 512

enum guard_state {
	GUARD_OFF,
	GUARD_TOO_LATE, /* off, and memory was registered: cannot be turned on
			 */
	GUARD_ON,
};

/* Changes once, from GUARD_OFF to one of the other states. */
static atomic_int state = GUARD_OFF;
/* Written before the state becomes GUARD_ON. */
static atomic_bool has_huge_pages;
static atomic_size_t base_page_bytes; /* bytes */

static struct verbs_mutex range_mutex = VERBS_MUTEX_INIT;
static struct range_counts ranges GUARDED_BY(range_mutex);

static int fork_guard_madvise(uintptr_t begin, uintptr_t end, int advice)
{
	int saved = errno;
	int ret;

	if (madvise((void *)begin, end - begin, advice) == 0)
		return 0;
	ret = -errno;
	errno = saved;
	return ret;
}

/* ------------------------------------------------------------------------ */
/* State                                                                    */
/* ------------------------------------------------------------------------ */

/* Checks whether the kernel supports the advice. */
static int fork_guard_probe_madvise(void)
{
	size_t size = atomic_load(&base_page_bytes);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret = 0;

	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (madvise(memory, size, MADV_DONTFORK) != 0 ||
	    madvise(memory, size, MADV_DOFORK) != 0)
		ret = -ENOSYS;
	(void)munmap(memory, size); /* no other thread uses it */
	return ret;
}

static int fork_guard_enable(void)
{
	int seen = atomic_load(&state);
	int ret;

	if (seen == GUARD_ON || verbs_copy_on_fork())
		return 0;
	if (seen == GUARD_TOO_LATE)
		return -EINVAL;
	atomic_store(&base_page_bytes, (size_t)sysconf(_SC_PAGESIZE));
	ret = fork_guard_probe_madvise();
	if (ret)
		return ret;

	if (getenv("RDMAV_HUGEPAGES_SAFE"))
		atomic_store(&has_huge_pages, true);
	seen = GUARD_OFF;
	if (!atomic_compare_exchange_strong(&state, &seen, GUARD_ON) &&
	    seen == GUARD_TOO_LATE)
		return -EINVAL;
	return 0;
}

int verbs_fork_init(void)
{
	int saved = errno;
	int ret = fork_guard_enable();

	errno = saved;
	return ret;
}

enum ibv_fork_status verbs_fork_status(void)
{
	int saved = errno;
	bool copies = verbs_copy_on_fork();

	errno = saved;
	if (copies)
		return IBV_FORK_UNNEEDED;
	return atomic_load(&state) == GUARD_ON ? IBV_FORK_ENABLED
					       : IBV_FORK_DISABLED;
}

/*
 * Whether ranges are counted. If not, the state makes sure that they never
 * will be.
 */
static bool fork_guard_is_enabled(void)
{
	int seen = atomic_load(&state);

	if (seen == GUARD_OFF)
		(void)atomic_compare_exchange_strong(&state, &seen,
						     GUARD_TOO_LATE);
	return seen == GUARD_ON;
}

/* ------------------------------------------------------------------------ */
/* Ranges                                                                   */
/* ------------------------------------------------------------------------ */

/* Without /proc/self/smaps, all pages are assumed to have the base size. */
static __attribute__((cold, noinline)) int
fork_guard_page_range_by_smaps(const void *base, size_t size,
			       uintptr_t *ret_begin, uintptr_t *ret_end)
{
	int saved = errno;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	int ret = verbs_page_bounds(smaps, (uintptr_t)base, size,
				    atomic_load(&base_page_bytes), ret_begin,
				    ret_end);

	if (smaps)
		(void)fclose(smaps); /* was only read */
	errno = saved;
	return ret;
}

static int fork_guard_page_range(const void *base, size_t size,
				 uintptr_t *ret_begin, uintptr_t *ret_end)
{
	size_t page = atomic_load(&base_page_bytes);

	if (atomic_load(&has_huge_pages))
		return fork_guard_page_range_by_smaps(base, size, ret_begin,
						      ret_end);
	return verbs_page_round((uintptr_t)base, size, page, page, ret_begin,
				ret_end);
}

/*
 * Lets children inherit pages again. A range that the kernel rejects is
 * divided and retried, so that one mapping cannot prevent the advice for the
 * others.
 */
static void fork_guard_dofork_range(uintptr_t begin, uintptr_t end,
				    unsigned int *halves)
{
	size_t page = atomic_load(&base_page_bytes);
	uintptr_t half = begin + (end - begin) / 2 / page * page;
	int ret = fork_guard_madvise(begin, end, MADV_DOFORK);

	/* ENOMEM: a part is not mapped; the kernel has advised the rest */
	if (ret == 0 || ret == -ENOMEM || half == begin || !*halves)
		return;
	(*halves)--;
	fork_guard_dofork_range(begin, half, halves);
	fork_guard_dofork_range(half, end, halves);
}

/* Lets children inherit all pages of a range that are not registered. */
static void fork_guard_dofork_free_locked(uintptr_t begin, uintptr_t end)
	REQUIRES(range_mutex)
{
	unsigned int halves = MAX_HALVES;
	uintptr_t free_begin, free_end;

	while (begin < end &&
	       range_counts_first_uncovered(&ranges, begin, end, &free_begin,
					    &free_end)) {
		fork_guard_dofork_range(free_begin, free_end, &halves);
		begin = free_end;
	}
}

/*
 * Advises one range from the first to the last page that is not registered
 * yet. The kernel skips the registered pages between them quickly.
 */
static int fork_guard_add_locked(uintptr_t begin, uintptr_t end)
	REQUIRES(range_mutex)
{
	uintptr_t free_begin, free_end, last_begin;

	if (range_counts_first_uncovered(&ranges, begin, end, &free_begin,
					 &free_end)) {
		int ret;

		if (free_end < end)
			(void)range_counts_last_uncovered(
				&ranges, begin, end, &last_begin, &free_end);
		ret = fork_guard_madvise(free_begin, free_end, MADV_DONTFORK);
		if (ret) {
			fork_guard_dofork_free_locked(free_begin, free_end);
			/*
			 * EAGAIN: the limit of mappings, which does not go
			 * away by itself
			 */
			return ret == -EAGAIN ? -ENOMEM : ret;
		}
	}
	range_counts_add(&ranges, begin, end);
	return 0;
}

static void fork_guard_remove_locked(uintptr_t begin, uintptr_t end)
	REQUIRES(range_mutex)
{
	range_counts_remove(&ranges, begin, end);
	fork_guard_dofork_free_locked(begin, end);
}

/*
 * Restores errno outside of range_counts_reserve(): clang assumes that
 * malloc() does not change errno, and removes a restore beside the call.
 */
static int fork_guard_reserve_locked(void) REQUIRES(range_mutex)
{
	int saved = errno;
	int ret = range_counts_reserve(&ranges);

	if (ret)
		errno = saved;
	return ret;
}

static int fork_guard_update(void *base, size_t size, bool is_registered)
{
	uintptr_t begin, end;
	int ret;

	if (!fork_guard_is_enabled() || !base || !size)
		return 0;
	ret = fork_guard_page_range(base, size, &begin, &end);
	if (ret)
		return ret;
	verbs_mutex_lock(&range_mutex);
	ret = fork_guard_reserve_locked();
	if (ret == 0 && is_registered)
		ret = fork_guard_add_locked(begin, end);
	else if (ret == 0)
		fork_guard_remove_locked(begin, end);
	verbs_mutex_unlock(&range_mutex);
	return ret;
}

int verbs_fork_guard_add(void *base, size_t size)
{
	return fork_guard_update(base, size, true);
}

int verbs_fork_guard_remove(void *base, size_t size)
{
	return fork_guard_update(base, size, false);
}
