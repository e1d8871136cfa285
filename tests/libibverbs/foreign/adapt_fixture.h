/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A context of a foreign provider with fake ops, for the tests of
 * libibverbs/foreign/foreign_adapt_*.c. The fake ops return the values in
 * struct adapt_fixture and record their arguments there.
 */
#ifndef FOREIGN_ADAPT_FIXTURE_H
#define FOREIGN_ADAPT_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* last: requires the headers above */
#include <cmocka.h>

#include "foreign/foreign_adapt.h"
#include "foreign/foreign_state.h"

#define ADAPT_MAX_ARGS 6

/* Value of errno before each call; no op may change it. */
#define ADAPT_ERRNO_BEFORE ENOTBLK

struct adapt_fixture {
	/* The context and the private block that refers to the ops. */
	struct foreign_context private;
	struct foreign_variant variant;
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd; /* belongs to ctx */

	struct verbs_context_ops ops; /* filled by foreign_adapt() */

	/* Results of the fake ops. */
	int ret;      /* returned by ops of type int */
	int err;      /* stored to errno; 0: errno is not set */
	void *object; /* returned by ops that return an object */

	/* The last call. */
	const char *op;
	size_t nr_args;
	uint64_t args[ADAPT_MAX_ARGS];
};

extern struct adapt_fixture adapt;

/** adapt_fixture_start() - create a context of v65 with @ops */
void adapt_fixture_start(const struct foreign_ops *ops);

/**
 * adapt_fixture_set_abi_34() - change the provider to private ABI 34; @release
 * 0 means unknown
 */
void adapt_fixture_set_abi_34(unsigned int release);

/** adapt_record_call() - record a call of a fake op; use ADAPT_RECORD() */
void adapt_record_call(const char *op, const uint64_t *args, size_t nr_args);

#define ADAPT_PTR(pointer) ((uint64_t)(uintptr_t)(pointer))
#define ADAPT_ARGS(...)                      \
	((const uint64_t[]){ __VA_ARGS__ }), \
		(sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
#define ADAPT_RECORD(op, ...) adapt_record_call(op, ADAPT_ARGS(__VA_ARGS__))

/** adapt_result(), adapt_new_object() - return the result of a fake op */
int adapt_result(void);
void *adapt_new_object(void);

/**
 * adapt_check_call() - check the last op and its arguments; use
 * ADAPT_CHECK_CALL()
 */
void adapt_check_call(const char *op, const uint64_t *args, size_t nr_args);

#define ADAPT_CHECK_CALL(op, ...) adapt_check_call(op, ADAPT_ARGS(__VA_ARGS__))

/*
 * The call succeeds, or fails with the error of the provider; errno is
 * unchanged.
 */
#define ADAPT_OK(call) adapt_check_result(0, (adapt_will_succeed(), (call)))
#define ADAPT_FAILS(call) \
	adapt_check_result(-EXDEV, (adapt_will_fail(), (call)))
/* The call succeeds and its op returns @object. */
#define ADAPT_CREATES(object, call) \
	adapt_check_result(0, (adapt_will_create(object), (call)))

void adapt_will_succeed(void);
void adapt_will_fail(void);
void adapt_will_create(void *object);
void adapt_check_result(int expected, int ret);

#endif
