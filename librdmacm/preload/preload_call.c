/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls of rsockets by the descriptor of the application. */
#include "preload/preload_call.h"

#include "preload/preload_fork.h"
#include "preload/preload_libc.h"

#include <stddef.h>

static struct preload_file *call_begin(struct preload_file *file)
{
	if (preload_file_kind(file) != PRELOAD_RSOCKET) {
		preload_file_put(file);
		return NULL;
	}
	preload_enter();
	return file;
}

struct preload_file *preload_begin(int fd)
{
	struct preload_file *file = preload_file_get(fd);

	return file ? call_begin(file) : NULL;
}

struct preload_file *preload_begin_transfer(int fd)
{
	struct preload_file *file = preload_file_get(fd);

	if (!file)
		return NULL;
	preload_fork_convert(fd, file);
	return call_begin(file);
}

ssize_t preload_end(struct preload_file *file, ssize_t ret)
{
	preload_leave();
	preload_file_put(file);
	return ret;
}
