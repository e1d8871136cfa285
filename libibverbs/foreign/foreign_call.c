/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts what an op of a foreign provider returns and leaves in errno to the
 * convention of this library. Called by foreign_adapt_*.c.
 */
#include "foreign/foreign_call.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* The largest error number that the kernel returns. */
#define FOREIGN_CALL_MAX_ERRNO 4095

static bool foreign_call_is_errno(int number)
{
	return number > 0 && number <= FOREIGN_CALL_MAX_ERRNO;
}

int foreign_call_begin(void)
{
	int saved = errno;

	errno = 0;
	return saved;
}

int foreign_call_error(int saved)
{
	int error = errno;

	errno = saved;
	/*
	 * Some ops store a negative number, such as the result of a function.
	 */
	if (error < 0 && error >= -FOREIGN_CALL_MAX_ERRNO)
		error = -error;
	return foreign_call_is_errno(error) ? -error : -EIO;
}

int foreign_call_int(int saved, int ret)
{
	if (ret == -1 || ret < -FOREIGN_CALL_MAX_ERRNO ||
	    ret > FOREIGN_CALL_MAX_ERRNO)
		return foreign_call_error(saved);
	errno = saved;
	return ret > 0 ? -ret : ret;
}

int foreign_call_object(int saved, const void *object)
{
	if (!object)
		return foreign_call_error(saved);
	errno = saved;
	return 0;
}
