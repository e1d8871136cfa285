/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The begin and the end of a call that an rsocket may serve. */
#ifndef PRELOAD_PRELOAD_CALL_H
#define PRELOAD_PRELOAD_CALL_H

#include "preload/preload_file.h"

#include <sys/types.h>

/**
 * preload_begin() - begin a call of an rsocket
 *
 * Return: the file, for preload_end(); NULL: the call is one of the C library.
 */
struct preload_file *preload_begin(int fd);

/** preload_begin_transfer() - the same for a call that transfers data */
struct preload_file *preload_begin_transfer(int fd);

/** preload_end() - @ret: result of the call, which is returned */
ssize_t preload_end(struct preload_file *file, ssize_t ret);

#endif
