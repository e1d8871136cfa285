/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The on-demand region is always the local side of process_vm_*(): the kernel
 * accesses it with the rights of the calling thread, like read(2) its buffer.
 * The remote side is memory of the library in the same process.
 */
#include "uroce/qp/uroce_odp.h"

#include <errno.h>
#include <unistd.h>

#include "util/lock.h"

/* A leaf: no other lock is taken with it. */
static struct verbs_mutex atomic_mutex = VERBS_MUTEX_INIT;

static int odp_check(ssize_t copied, size_t bytes)
{
	return copied >= 0 && (size_t)copied == bytes ? 0 : -EFAULT;
}

int uroce_odp_load(uint8_t *to, const struct iovec *from, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct iovec here = { to, from[i].iov_len };
		int ret = odp_check(
			process_vm_writev(getpid(), &from[i], 1, &here, 1, 0),
			here.iov_len);

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
			ret = odp_check(process_vm_readv(getpid(), &to[i], 1,
							 &here, 1, 0),
					here.iov_len);
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
