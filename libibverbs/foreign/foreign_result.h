/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts the result of a kernel command (0 or -errno) to what modules of
 * rdma-core releases expect; no other file does this. Both functions set errno
 * on failure and leave it unchanged on success.
 */
#ifndef FOREIGN_FOREIGN_RESULT_H
#define FOREIGN_FOREIGN_RESULT_H

#include <errno.h>
#include <stddef.h>

/** foreign_errno() - convert to 0 or a positive errno */
static inline int foreign_errno(int ret)
{
	if (ret >= 0)
		return 0;
	errno = -ret;
	return -ret;
}

/** foreign_null() - set errno from a negative @ret and return NULL */
static inline void *foreign_null(int ret)
{
	errno = -ret;
	return NULL;
}

#endif
