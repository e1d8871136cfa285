/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A position in the buffers of a call such as readv(2). */
#ifndef RSOCKET_IO_CURSOR_H
#define RSOCKET_IO_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct io_cursor {
	const struct iovec *iov;
	int nr_iov;
	size_t at;   /* in the first one */
	size_t left; /* bytes in all */
};

/**
 * io_cursor_init() - begin at the first byte
 *
 * Return: 0; -EINVAL if the number or the sum of the lengths is invalid.
 */
int io_cursor_init(struct io_cursor *cursor, const struct iovec *iov,
		   int nr_iov);

/** io_cursor_read() - copy the next @len bytes, at most those left, to @to */
void io_cursor_read(struct io_cursor *cursor, uint8_t *to, size_t len);

/** io_cursor_write() - fill the next @len bytes, at most those left */
void io_cursor_write(struct io_cursor *cursor, const uint8_t *from, size_t len);

#endif
