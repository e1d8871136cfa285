/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Accesses to on-demand regions (IBV_ACCESS_ON_DEMAND), whose pages may be
 * unmapped or protected at any time. The kernel copies the bytes, as between
 * two processes (process_vm_readv(2)), so an invalid page is an error and no
 * signal. Only these functions access such memory.
 *
 * Memory of another process (UROCE_REGION_IMPORTED) is accessed in the same
 * way. An address range without pages stands for it in this process.
 */
#ifndef UROCE_ODP_H
#define UROCE_ODP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* An address range that stands for memory of another process. */
struct uroce_odp_range {
	uint8_t *base; /* reserved: no access to it succeeds */
	size_t bytes;
	/*
	 * copy() - copy between @here and the memory that @offset stands for
	 * @write: to the other process
	 *
	 * Context: one call at a time in the process; takes no lock.
	 * Return: 0, or -errno: the memory is not accessible any more.
	 */
	int (*copy)(const struct uroce_odp_range *range, size_t offset,
		    const struct iovec *here, bool write);
};

/**
 * uroce_odp_add_range() - use a range from now on
 * @range: of the caller, which removes it before it frees it
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_odp_add_range(const struct uroce_odp_range *range);

/** uroce_odp_remove_range() - when it returns, @range is not in use */
void uroce_odp_remove_range(const struct uroce_odp_range *range);

/** uroce_odp_is_possible() - whether the kernel permits these accesses */
bool uroce_odp_is_possible(void);

/**
 * uroce_odp_load() - read from on-demand regions, or from ordinary memory
 * @to: memory of the library; undefined after an error
 * @from: ranges to read
 * @nr: their number
 *
 * Return: 0, or -EFAULT: a page is invalid.
 */
int uroce_odp_load(uint8_t *to, const struct iovec *from, uint32_t nr);

/**
 * uroce_odp_store() - write to on-demand regions, or to ordinary memory
 * @to: ranges to write; with a base of NULL, the bytes are discarded
 * @nr: their number
 * @from: memory of the library, with all bytes
 *
 * Return: 0, or -EFAULT: a page is invalid. Ranges in front of it, and bytes of
 * its own range, may have been written.
 */
int uroce_odp_store(const struct iovec *to, uint32_t nr, const uint8_t *from);

/**
 * uroce_odp_atomic() - FetchAdd or CmpSwap (IBTA 9.4.5)
 * @at: 8 aligned bytes of an on-demand region
 * @add: FetchAdd of @operand; otherwise CmpSwap
 * @compare: CmpSwap stores @operand if this is the original value
 * @operand: see above
 * @ret_orig: receives the original value
 *
 * It is atomic with the other calls of this function in the process, but not
 * with the CPU: the kernel has no atomic operation on 8 bytes.
 *
 * Return: 0, or -EFAULT: the page is invalid.
 */
int uroce_odp_atomic(uint8_t *at, bool add, uint64_t compare, uint64_t operand,
		     uint64_t *ret_orig);

#endif
