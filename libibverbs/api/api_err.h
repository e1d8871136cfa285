/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only functions that convert the internal convention (0 or -errno) to
 * that of the man pages. All of them set errno on failure and leave it
 * unchanged on success.
 */
#ifndef API_API_ERR_H
#define API_API_ERR_H

#include <errno.h>
#include <stddef.h>

/** api_ret_errno() - for functions that return 0 or a positive errno */
static inline int api_ret_errno(int ret)
{
	if (ret >= 0)
		return 0;
	errno = -ret;
	return -ret;
}

/** api_ret_minus1() - for functions that return 0 or -1 */
static inline int api_ret_minus1(int ret)
{
	if (ret >= 0)
		return 0;
	errno = -ret;
	return -1;
}

/** api_ret_null() - for functions that return an object; @ret is negative */
static inline void *api_ret_null(int ret)
{
	errno = -ret;
	return NULL;
}

#endif
