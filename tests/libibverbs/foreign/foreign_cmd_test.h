/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of foreign_cmd_*.c share: a context of a foreign provider
 * whose descriptor leads to the fake kernel, buffers as the provider has them,
 * and the three forms in which a command can be forced to travel.
 */
#ifndef FOREIGN_CMD_TEST_H
#define FOREIGN_CMD_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* last: it needs the four above */
#include <cmocka.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>

#include "foreign/foreign_abi.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_context.h"
#include "foreign/foreign_state.h"
#include "support/fake_kernel.h"
#include "support/foreign_caller.h"

#define TEST_DRIVER_ID	14
#define TEST_ASYNC_FD	33
#define TEST_CHANNEL_FD 44
#define TEST_ERRNO	77 /* what errno holds while a command runs */
#define TEST_HANDLE	21 /* of the object in a destroy command */

struct foreign_cmd_test {
	struct foreign_device device;
	struct foreign_context priv;
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd; /* handle 7 */
	struct caller caller;
};

enum test_form { NATIVE, WRAPPED, WRITE };

/* cmocka's setup and teardown; the context is of release 65. */
int foreign_cmd_test_setup(void **state);
int foreign_cmd_test_teardown(void **state);

#define FOREIGN_CMD_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, foreign_cmd_test_setup, \
					foreign_cmd_test_teardown)

/* Make the provider one of another release. */
void foreign_cmd_test_release(struct foreign_cmd_test *t,
			      enum foreign_variant_id variant,
			      unsigned int release);
/* The provider's verbs_context, as it passes it to the library. */
void *foreign_cmd_test_vctx(struct foreign_cmd_test *t);

/* From now on, everything before @form is refused. */
void foreign_cmd_test_force(struct foreign_cmd_test *t, enum test_form form);

/* Begin a new script; everything in the one until now has to have come. */
void foreign_cmd_test_next_script(void);

/* @form WRAPPED or WRITE; with the driver's bytes of the test's caller */
void foreign_cmd_test_expect(struct foreign_cmd_test *t, enum test_form form,
			     struct fake_write cmd);

/* The driver's bytes as attributes of a native ioctl. */
#define CALLER_ATTR_IN(t)                                    \
	FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, CALLER_DRIVER_LEN, \
		      caller_in(&(t)->caller))
#define CALLER_ATTR_OUT \
	FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, CALLER_DRIVER_LEN, caller_answer)

/* The four arguments that describe the buffers of the test's caller. */
#define CALLER_CMD(t)  (t)->caller.cmd, (t)->caller.cmd_size
#define CALLER_RESP(t) (void *)(t)->caller.resp, (t)->caller.resp_size

/* A call that succeeds leaves errno alone; one that fails sets it. */
#define assert_done(call)                            \
	do {                                         \
		errno = TEST_ERRNO;                  \
		assert_int_equal(call, 0);           \
		assert_int_equal(errno, TEST_ERRNO); \
	} while (0)
#define assert_fails(call, err)               \
	do {                                  \
		errno = TEST_ERRNO;           \
		assert_int_equal(call, err);  \
		assert_int_equal(errno, err); \
	} while (0)

/*
 * A chain of the provider's with one attribute that the kernel answers. It has
 * the first number that a driver may use: creating a CQ or a QP has input and
 * output for the driver, whose numbers those would be.
 */
#define TEST_LINK_ATTR	   0x1000
#define TEST_LINK_UHW_ATTR 0x1002
#define TEST_LINK_ANSWER   0x1234

void foreign_cmd_test_link(struct caller_buffer *link, uint16_t object,
			   uint16_t method);
void foreign_cmd_test_check_link(const struct caller_buffer *link);
#define TEST_LINK(buf)	   ((struct foreign_command_buffer *)(void *)(buf))
#define TEST_LINK_EXPECTED FAKE_NUM_OUT(TEST_LINK_ATTR, TEST_LINK_ANSWER)
#define TEST_LINK_UHW_EXPECTED \
	FAKE_NUM_OUT(TEST_LINK_UHW_ATTR, TEST_LINK_ANSWER)

#endif
