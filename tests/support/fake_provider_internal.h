/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that the files of the fake provider share: recording of calls, and
 * counted objects.
 */
#ifndef SUPPORT_FAKE_PROVIDER_INTERNAL_H
#define SUPPORT_FAKE_PROVIDER_INTERNAL_H

#include "support/fake_provider.h"

/**
 * fake_record_op() - record the begin of an operation
 *
 * Return: the result of the operation if it has no other work.
 */
int fake_record_op(const char *op, const struct fake_args *args);

/* RECORD_OP(op, .member = argument, ...) */
#define RECORD_OP(op, ...) \
	fake_record_op(op, &(struct fake_args){ __VA_ARGS__ })

/**
 * fake_record_object_op() - record an operation whose only argument is an
 * object
 */
int fake_record_object_op(const char *op, const void *object);

/**
 * fake_object_new() - allocate a zeroed, counted object; NULL without memory
 */
void *fake_object_new(size_t size);

void fake_object_free(void *object);

/**
 * fake_object_end() - record an operation that frees an object, and free it
 */
int fake_object_end(const char *op, void *object);

#endif
