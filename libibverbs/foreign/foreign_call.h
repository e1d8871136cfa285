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
 * foreign_call_begin() - clear errno, so that one that was not set shows
 *
 * Return: the application's errno, for the functions below to restore.
 */
int foreign_call_begin(void);

/**
 * foreign_call_error() - end of a call that has failed
 *
 * Return: the errno that the op has set, as -errno; -EIO if it has set none.
 */
int foreign_call_error(int saved);

/**
 * foreign_call_int() - end of a call that returns 0 or some form of error
 *
 * Return: 0 or -errno; -EIO if what the op returned is no error number and
 * errno tells none.
 */
int foreign_call_int(int saved, int ret);

/**
 * foreign_call_object() - end of a call that returns an object
 *
 * Return: 0, or -errno if @object is NULL.
 */
int foreign_call_object(int saved, const void *object);

#endif
