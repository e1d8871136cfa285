/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only place where the result of a kernel command (0 or -errno) becomes
 * what modules of existing releases expect. Both set errno on failure and
 * leave it alone on success.
 */
#ifndef FOREIGN_FOREIGN_RESULT_H
#define FOREIGN_FOREIGN_RESULT_H

#include <errno.h>
#include <stddef.h>

/** foreign_errno() - for functions that return 0 or a positive errno */
static inline int foreign_errno(int ret)
{
	if (ret >= 0)
		return 0;
	errno = -ret;
	return -ret;
}

/** foreign_null() - for functions that return a pointer; @ret is negative */
static inline void *foreign_null(int ret)
{
	errno = -ret;
	return NULL;
}

#endif
