/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The on-demand region is always the local side of process_vm_*(): the kernel
 * accesses it with the rights of the calling thread, like read(2) its buffer.
 * The remote side is memory of the library in the same process.
 */
#include "uroce/qp/uroce_odp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lock.h"

#define GROW_BY 64

/* Taken with no other lock but range_mutex. */
static struct verbs_mutex atomic_mutex = VERBS_MUTEX_INIT;

/*
 * The ranges of all imported regions, by address. The mutex is a leaf, and held
 * for each copy.
 */
static struct verbs_mutex range_mutex = VERBS_MUTEX_INIT;
static const struct uroce_odp_range **ranges;
static size_t nr_ranges; /* atomic: without ranges, the mutex is not taken */

static int odp_check(ssize_t copied, size_t bytes)
{
	return copied >= 0 && (size_t)copied == bytes ? 0 : -EFAULT;
}

/* Number of ranges that begin at @at or in front of it. */
static size_t range_count_until(const uint8_t *at)
{
	size_t from = 0, to = nr_ranges;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if ((uintptr_t)ranges[middle]->base <= (uintptr_t)at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

int uroce_odp_add_range(const struct uroce_odp_range *range)
{
	size_t at;
	int ret = 0;

	verbs_mutex_lock(&range_mutex);
	if (nr_ranges % GROW_BY == 0) {
		const struct uroce_odp_range **grown = reallocarray(
			(void *)ranges, nr_ranges + GROW_BY, sizeof(*grown));

		if (grown)
			ranges = grown;
		else
			ret = -ENOMEM;
	}
	if (!ret) {
		at = range_count_until(range->base);
		memmove((void *)&ranges[at + 1], (const void *)&ranges[at],
			(nr_ranges - at) * sizeof(*ranges));
		ranges[at] = range;
		__atomic_store_n(&nr_ranges, nr_ranges + 1, __ATOMIC_RELAXED);
	}
	verbs_mutex_unlock(&range_mutex);
	return ret;
}

void uroce_odp_remove_range(const struct uroce_odp_range *range)
{
	size_t at;

	verbs_mutex_lock(&range_mutex);
	at = range_count_until(range->base);
	memmove((void *)&ranges[at - 1], (const void *)&ranges[at],
		(nr_ranges - at) * sizeof(*ranges));
	__atomic_store_n(&nr_ranges, nr_ranges - 1, __ATOMIC_RELAXED);
	if (!nr_ranges) {
		free((void *)ranges);
		ranges = NULL;
	}
	verbs_mutex_unlock(&range_mutex);
}

/*
 * Copies to or from @there if it is in a range. Return: 0; -EFAULT; or -ENOENT
 * for memory of this process.
 */
static int copy_range(const struct iovec *there, const struct iovec *here,
		      bool write)
{
	const uint8_t *at = there->iov_base;
	const struct uroce_odp_range *range;
	int ret = -ENOENT;
	size_t nr, offset;

	/* a thread that has found the address in a region knows its range */
	if (!__atomic_load_n(&nr_ranges, __ATOMIC_RELAXED))
		return -ENOENT;
	verbs_mutex_lock(&range_mutex);
	nr = range_count_until(at);
	if (nr) {
		range = ranges[nr - 1];
		offset = (uintptr_t)at - (uintptr_t)range->base;
		if (offset < range->bytes)
			ret = here->iov_len <= range->bytes - offset &&
					      !range->copy(range, offset, here,
							   write)
				      ? 0
				      : -EFAULT;
	}
	verbs_mutex_unlock(&range_mutex);
	return ret;
}

/* The region is the own side of the call, @here that of "another process". */
static int odp_copy(const struct iovec *there, const struct iovec *here,
		    bool write)
{
	int ret = copy_range(there, here, write);
	ssize_t copied;

	if (ret != -ENOENT)
		return ret;
	if (write)
		copied = process_vm_readv(getpid(), there, 1, here, 1, 0);
	else
		copied = process_vm_writev(getpid(), there, 1, here, 1, 0);
	return odp_check(copied, here->iov_len);
}

int uroce_odp_load(uint8_t *to, const struct iovec *from, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct iovec here = { to, from[i].iov_len };
		int ret = odp_copy(&from[i], &here, false);

		if (ret)
			return ret;
		to += here.iov_len;
	}
	return 0;
}

int uroce_odp_store(const struct iovec *to, uint32_t nr, const uint8_t *from)
{
	for (uint32_t i = 0; i < nr; i++) {
		/* it is only read */
		const struct iovec here = { (void *)(uintptr_t)from,
					    to[i].iov_len };
		int ret = 0;

		if (to[i].iov_base)
			ret = odp_copy(&to[i], &here, true);
		if (ret)
			return ret;
		from += here.iov_len;
	}
	return 0;
}

int uroce_odp_atomic(uint8_t *at, bool add, uint64_t compare, uint64_t operand,
		     uint64_t *ret_orig)
{
	const struct iovec iov = { at, sizeof(operand) };
	uint64_t orig = 0;
	int ret;

	verbs_mutex_lock(&atomic_mutex);
	ret = uroce_odp_load((uint8_t *)&orig, &iov, 1);
	if (add)
		operand += orig;
	if (ret == 0 && (add || orig == compare))
		ret = uroce_odp_store(&iov, 1, (const uint8_t *)&operand);
	verbs_mutex_unlock(&atomic_mutex);
	if (ret == 0)
		*ret_orig = orig;
	return ret;
}

bool uroce_odp_is_possible(void)
{
	uint8_t from = 1, to = 0;
	const struct iovec iov_from = { &from, 1 }, iov_to = { &to, 1 };

	return uroce_odp_load(&to, &iov_from, 1) == 0 &&
	       uroce_odp_store(&iov_to, 1, &from) == 0;
}
