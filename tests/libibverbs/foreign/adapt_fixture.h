/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A context of a foreign provider whose ops are the test's own: for the tests
 * of libibverbs/foreign/foreign_adapt_*.c. The fake ops answer what the test
 * has put into adapt, and write down what they were given.
 */
#ifndef FOREIGN_ADAPT_FIXTURE_H
#define FOREIGN_ADAPT_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* last: it needs those above */
#include <cmocka.h>

#include "foreign/foreign_adapt.h"
#include "foreign/foreign_state.h"

#define ADAPT_MAX_ARGS 6

/* What errno is before each call; no op may leave another one. */
#define ADAPT_ERRNO_BEFORE ENOTBLK

struct adapt_fixture {
	/* The context, and what leads to the ops from it. */
	struct foreign_context private;
	struct foreign_variant variant;
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd; /* of ctx */

	struct verbs_context_ops ops; /* made by foreign_adapt() */

	/* Answers. */
	int ret;      /* of ops that return an int */
	int err;      /* what they leave in errno; 0: they leave it alone */
	void *object; /* of ops that return an object */

	/* What was seen. */
	const char *op;
	size_t nr_args;
	uint64_t args[ADAPT_MAX_ARGS];
};

extern struct adapt_fixture adapt;

/** adapt_start() - a context with @ops; of v65 */
void adapt_start(const struct foreign_ops *ops);

/** adapt_of_34() - the provider is one of private ABI 34; @release 0: unknown
 */
void adapt_of_34(unsigned int release);

/** adapt_saw() - to be called by fake ops, through ADAPT_SAW() */
void adapt_saw(const char *op, const uint64_t *args, size_t nr_args);

#define ADAPT_PTR(pointer) ((uint64_t)(uintptr_t)(pointer))
#define ADAPT_ARGS(...)                      \
	((const uint64_t[]){ __VA_ARGS__ }), \
		(sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
#define ADAPT_SAW(op, ...) adapt_saw(op, ADAPT_ARGS(__VA_ARGS__))

/** adapt_int(), adapt_object() - the answer of a fake op */
int adapt_int(void);
void *adapt_object(void);

/** adapt_check_seen() - through ADAPT_SEEN(): the last op and its arguments */
void adapt_check_seen(const char *op, const uint64_t *args, size_t nr_args);

#define ADAPT_SEEN(op, ...) adapt_check_seen(op, ADAPT_ARGS(__VA_ARGS__))

/* A call succeeds, or fails with the provider's error; errno is left alone. */
#define ADAPT_OK(call)	  adapt_check(0, (adapt_will_succeed(), (call)))
#define ADAPT_FAILS(call) adapt_check(-EXDEV, (adapt_will_fail(), (call)))
/* The same for an op that answers with @made. */
#define ADAPT_MAKES(made, call) adapt_check(0, (adapt_will_make(made), (call)))

void adapt_will_succeed(void);
void adapt_will_fail(void);
void adapt_will_make(void *object);
void adapt_check(int expected, int ret);

#endif
