/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frame around a call of a foreign op, which returns NULL with errno, or a
 * positive errno, or (some ops, sometimes) -1 with errno, or a negative errno.
 * An adapter in foreign_adapt_*.c is
 *
 *	int saved = foreign_call_begin();
 *	int ret = foreign_call_int(saved, foreign_ops(ctx)->some_op(...));
 */
#ifndef FOREIGN_FOREIGN_CALL_H
#define FOREIGN_FOREIGN_CALL_H

/**
 * foreign_call_begin() - clear errno before a call of a foreign op
 *
 * With errno cleared, foreign_call_error() can see whether the op has set it.
 *
 * Return: the errno of the application, for the functions below to restore.
 */
int foreign_call_begin(void);

/**
 * foreign_call_error() - convert the errno of a failed call
 * @saved: return value of foreign_call_begin(); restored to errno
 *
 * Return: the errno that the op has set, as -errno; -EIO if it has set none.
 */
int foreign_call_error(int saved);

/**
 * foreign_call_int() - convert the result of an op that returns int
 * @saved: return value of foreign_call_begin(); restored to errno
 * @ret: 0, a positive or negative errno, or -1 with errno set
 *
 * Return: 0 or -errno; -EIO if neither @ret nor errno is an error number.
 */
int foreign_call_int(int saved, int ret);

/**
 * foreign_call_object() - convert the result of an op that returns an object
 * @saved: return value of foreign_call_begin(); restored to errno
 *
 * Return: 0, or -errno if @object is NULL.
 */
int foreign_call_object(int saved, const void *object);

#endif
