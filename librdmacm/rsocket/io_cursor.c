/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies between buffers of the application and contiguous memory. */
#include "rsocket/io_cursor.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

int io_cursor_init(struct io_cursor *cursor, const struct iovec *iov,
		   int nr_iov)
{
	size_t sum = 0;

	if (nr_iov < 0 || nr_iov > IOV_MAX)
		return -EINVAL;
	for (int i = 0; i < nr_iov; i++) {
		if (__builtin_add_overflow(sum, iov[i].iov_len, &sum) ||
		    sum > SSIZE_MAX)
			return -EINVAL;
	}
	*cursor =
		(struct io_cursor){ .iov = iov, .nr_iov = nr_iov, .left = sum };
	return 0;
}

/* The next contiguous bytes, at most @len; moves behind them. */
static uint8_t *cursor_next(struct io_cursor *cursor, size_t len,
			    size_t *ret_len)
{
	uint8_t *bytes;

	while (cursor->at == cursor->iov->iov_len) {
		cursor->iov++;
		cursor->at = 0;
	}
	bytes = (uint8_t *)cursor->iov->iov_base + cursor->at;
	if (len > cursor->iov->iov_len - cursor->at)
		len = cursor->iov->iov_len - cursor->at;
	cursor->at += len;
	cursor->left -= len;
	*ret_len = len;
	return bytes;
}

void io_cursor_read(struct io_cursor *cursor, uint8_t *to, size_t len)
{
	while (len) {
		size_t part;
		const uint8_t *bytes = cursor_next(cursor, len, &part);

		memcpy(to, bytes, part);
		to += part;
		len -= part;
	}
}

void io_cursor_write(struct io_cursor *cursor, const uint8_t *from, size_t len)
{
	while (len) {
		size_t part;
		uint8_t *bytes = cursor_next(cursor, len, &part);

		memcpy(bytes, from, part);
		from += part;
		len -= part;
	}
}
