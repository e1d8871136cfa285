/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An open device of the fake provider, for tests of the exported functions.
 * core/ is real; the floors below it are fakes.
 */
#ifndef API_TEST_API_FIXTURE_H
#define API_TEST_API_FIXTURE_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "support/fake_provider.h"

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

struct api {
	struct ibv_device **list;
	struct ibv_context *ctx; /* of "soft0" */
	struct ibv_pd *pd;
};

extern struct api api;

/* A value that is not a valid pointer; for outputs. */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a5a)

/* An errno that no function under test returns. */
#define SOME_ERRNO EXDEV

/**
 * api_open() - setup of a test: the only device, "soft0", is open, with a PD
 */
int api_open(void **state);

/** api_open_another() - open a second context */
struct ibv_context *api_open_another(void);

/** api_pretend_import() - mark a context as made by ibv_import_device() */
void api_pretend_import(struct ibv_context *ctx);

/** api_close() - teardown: close everything; a leak fails the test */
int api_close(void **state);

/*
 * Checks of a result in the convention of the man page. Each sets errno to
 * SOME_ERRNO, calls, and checks result and errno. The call is evaluated once.
 */
#define ASSERT_OK(call)                              \
	do {                                         \
		errno = SOME_ERRNO;                  \
		assert_int_equal((call), 0);         \
		assert_int_equal(errno, SOME_ERRNO); \
	} while (0)

#define ASSERT_ERRNO(call, err)                  \
	do {                                     \
		errno = SOME_ERRNO;              \
		assert_int_equal((call), (err)); \
		assert_int_equal(errno, (err));  \
	} while (0)

#define ASSERT_MINUS1(call, err)                \
	do {                                    \
		errno = SOME_ERRNO;             \
		assert_int_equal((call), -1);   \
		assert_int_equal(errno, (err)); \
	} while (0)

#define ASSERT_NULL(call, err)                  \
	do {                                    \
		errno = SOME_ERRNO;             \
		assert_null(call);              \
		assert_int_equal(errno, (err)); \
	} while (0)

/* The provider's op that was called last. */
#define ASSERT_OP(name) assert_string_equal(fake_provider.last_op, name)

#define API_TEST(name) \
	cmocka_unit_test_setup_teardown(name, api_open, api_close)

#endif
