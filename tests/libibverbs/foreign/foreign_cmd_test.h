/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fixture of the foreign_cmd_*_test.c files: a context of a foreign provider
 * whose descriptor belongs to the fake kernel, buffers in the format of the
 * provider, and the three forms of a command: native ioctl method, write
 * command inside an ioctl (wrapped), write(2).
 */
#ifndef FOREIGN_CMD_TEST_H
#define FOREIGN_CMD_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* last: requires the four headers above */
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
#define TEST_ERRNO	77 /* value of errno before each command */
#define TEST_HANDLE	21 /* of the object to destroy */

struct foreign_cmd_test {
	struct foreign_device device;
	struct foreign_context priv;
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd; /* handle 7 */
	struct caller caller;
};

enum test_form { NATIVE, WRAPPED, WRITE };

/* Setup and teardown for cmocka; the context is of v65. */
int foreign_cmd_test_setup(void **state);
int foreign_cmd_test_teardown(void **state);

#define FOREIGN_CMD_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, foreign_cmd_test_setup, \
					foreign_cmd_test_teardown)

/* Change the release of the provider. */
void foreign_cmd_test_set_release(struct foreign_cmd_test *t,
				  enum foreign_variant_id variant,
				  unsigned int release);
/* The verbs_context, as the provider passes it to the library. */
void *foreign_cmd_test_vctx(struct foreign_cmd_test *t);

/* Make the kernel refuse all forms before @form. */
void foreign_cmd_test_force_form(struct foreign_cmd_test *t,
				 enum test_form form);

/* Start a new script; all commands of the previous one must have been sent. */
void foreign_cmd_test_next_script(void);

/* @form: WRAPPED or WRITE. Adds the driver data of t->caller. */
void foreign_cmd_test_expect(struct foreign_cmd_test *t, enum test_form form,
			     struct fake_write cmd);

/* The driver data as attributes of a native ioctl. */
#define CALLER_ATTR_IN(t)                                    \
	FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, CALLER_DRIVER_LEN, \
		      caller_in(&(t)->caller))
#define CALLER_ATTR_OUT                                        \
	FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, CALLER_DRIVER_LEN, \
		       caller_driver_response)

/* The four arguments for the buffers of t->caller. */
#define CALLER_CMD(t)  (t)->caller.cmd, (t)->caller.cmd_size
#define CALLER_RESP(t) (void *)(t)->caller.resp, (t)->caller.resp_size

/* A successful call leaves errno unchanged; a failed one sets it. */
#define assert_succeeds(call)                        \
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
 * A chain of the provider with one attribute, which the kernel sets. Its id is
 * the first one that a driver may use. In the methods that create a CQ or a QP,
 * the ids from 0x1000 on are those of driver input and output.
 */
#define TEST_LINK_ATTR	   0x1000
#define TEST_LINK_UHW_ATTR 0x1002
#define TEST_LINK_VALUE	   0x1234

void foreign_cmd_test_link(struct caller_buffer *link, uint16_t object,
			   uint16_t method);
void foreign_cmd_test_check_link(const struct caller_buffer *link);
#define TEST_LINK(buf)	       ((struct foreign_command_buffer *)(void *)(buf))
#define TEST_LINK_EXPECTED     FAKE_NUM_OUT(TEST_LINK_ATTR, TEST_LINK_VALUE)
#define TEST_LINK_UHW_EXPECTED FAKE_NUM_OUT(TEST_LINK_UHW_ATTR, TEST_LINK_VALUE)

#endif
