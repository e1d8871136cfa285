/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the fake provider share: writing down a call, and objects
 * that are counted.
 */
#ifndef SUPPORT_FAKE_PROVIDER_INTERNAL_H
#define SUPPORT_FAKE_PROVIDER_INTERNAL_H

#include "support/fake_provider.h"

/**
 * fake_seen() - begin an operation
 *
 * Return: what it returns unless it can do more.
 */
int fake_seen(const char *op, const struct fake_args *args);

/* SEEN(op, .member = argument, ...) */
#define SEEN(op, ...) fake_seen(op, &(struct fake_args){ __VA_ARGS__ })

/** fake_seen_object() - the same, where the only argument is an object */
int fake_seen_object(const char *op, const void *object);

/** fake_object_new() - zeroed, or NULL */
void *fake_object_new(size_t size);

void fake_object_free(void *object);

/** fake_object_end() - an operation that frees an object */
int fake_object_end(const char *op, void *object);

#endif
