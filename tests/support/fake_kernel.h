/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the uverbs ioctl() and write() of the kernel in unit tests by a
 * script. The test lists the commands that the code under test must send, in
 * order, with every attribute and every byte, and the response of each. A
 * command that differs, an unexpected command and a missing command fail the
 * test.
 *
 * Link with WRAP ioctl write. Only the descriptor of fake_kernel_fd() is
 * scripted; calls on all other descriptors reach the real functions.
 *
 * A command that is scripted to fail still writes its response, so that a test
 * detects a caller that uses output of a failed command.
 */
#ifndef SUPPORT_FAKE_KERNEL_H
#define SUPPORT_FAKE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_attr_kind {
	FAKE_IN_BYTES,	/* len bytes; inside the attribute if 8 or fewer */
	FAKE_IN_NUM,	/* an object's handle or a descriptor */
	FAKE_OUT_BYTES, /* room for len bytes; the kernel writes response_len */
	FAKE_OUT_NUM,	/* a new object or descriptor; the kernel writes num */
};

struct fake_attr {
	uint16_t id;
	enum fake_attr_kind kind;
	bool optional; /* the kernel may ignore it; default: mandatory */
	uint8_t elem;  /* enum attributes: the selected value */
	size_t len;    /* bytes that the command passes or makes room for */
	size_t response_len; /* OUT_BYTES: bytes that the kernel writes */
	uint64_t num;
	const void *bytes; /* expected bytes, or the response */
};

#define FAKE_BYTES_IN(_id, _len, _bytes)                           \
	{                                                          \
		.id = (_id), .kind = FAKE_IN_BYTES, .len = (_len), \
		.bytes = (_bytes)                                  \
	}
#define FAKE_U8_IN(_id, v)  FAKE_BYTES_IN(_id, 1, &(const uint8_t){ (v) })
#define FAKE_U32_IN(_id, v) FAKE_BYTES_IN(_id, 4, &(const uint32_t){ (v) })
#define FAKE_U64_IN(_id, v) FAKE_BYTES_IN(_id, 8, &(const uint64_t){ (v) })
#define FAKE_NUM_IN(_id, v)                                  \
	{                                                    \
		.id = (_id), .kind = FAKE_IN_NUM, .num = (v) \
	}
#define FAKE_NUM_IN_OPTIONAL(_id, v)                                           \
	{                                                                      \
		.id = (_id), .kind = FAKE_IN_NUM, .num = (v), .optional = true \
	}
#define FAKE_NUM_OUT(_id, v)                                  \
	{                                                     \
		.id = (_id), .kind = FAKE_OUT_NUM, .num = (v) \
	}
#define FAKE_BYTES_OUT(_id, _len, _bytes)                           \
	{                                                           \
		.id = (_id), .kind = FAKE_OUT_BYTES, .len = (_len), \
		.response_len = (_len), .bytes = (_bytes)           \
	}
#define FAKE_U32_OUT(_id, v) FAKE_BYTES_OUT(_id, 4, &(const uint32_t){ (v) })
#define FAKE_U64_OUT(_id, v) FAKE_BYTES_OUT(_id, 8, &(const uint64_t){ (v) })

struct fake_ioctl {
	uint16_t object, method;
	const struct fake_attr *attrs; /* in any order */
	size_t nr_attrs;
	int err; /* errno of the command, 0 for success */
};

/* Members attrs and nr_attrs of a struct fake_ioctl. */
#define FAKE_ATTRS(...)                                                 \
	.attrs = (const struct fake_attr[]){ __VA_ARGS__ },             \
	.nr_attrs = sizeof((const struct fake_attr[]){ __VA_ARGS__ }) / \
		    sizeof(struct fake_attr)

/*
 * A command of the write protocol, whether it is sent by write(2) or inside an
 * ioctl. The member "response" of a request stays 0 here.
 */
struct fake_write {
	uint32_t command; /* extended: with IB_USER_VERBS_CMD_FLAG_EXTENDED */
	const void *in;	  /* request without any header */
	size_t in_len;
	const void *out; /* response; NULL: the kernel writes none */
	size_t out_len;
	const void *driver_in; /* the driver's part of the request */
	size_t driver_in_len;
	const void *driver_out; /* the driver's part of the response */
	size_t driver_out_len;
	int err;	 /* errno of the command, 0 for success */
	size_t short_by; /* write(2) only: bytes that are not taken */
};

/**
 * fake_kernel_start() - reset the script; call it before each test
 */
void fake_kernel_start(void);

/**
 * fake_kernel_fd() - return the scripted descriptor
 */
int fake_kernel_fd(void);

/**
 * fake_kernel_driver_id() - set the driver id that every ioctl header must have
 *
 * The default is 0.
 */
void fake_kernel_driver_id(uint32_t driver_id);

/**
 * fake_kernel_expect_ioctl() - append an ioctl to the script; copies everything
 */
void fake_kernel_expect_ioctl(const struct fake_ioctl *cmd);
/**
 * fake_kernel_expect_invoke_write() - append a write command inside an ioctl
 */
void fake_kernel_expect_invoke_write(const struct fake_write *cmd);
/**
 * fake_kernel_expect_write() - append a write command by write(2)
 */
void fake_kernel_expect_write(const struct fake_write *cmd);

/**
 * fake_kernel_finish() - fail the test if an expected command was not sent
 */
void fake_kernel_finish(void);

/**
 * fake_kernel_on_fail() - set a function to call instead of failing the test
 * @fail: called with the reason; NULL restores the default. If it returns, the
 * 	command fails with EFAULT.
 */
void fake_kernel_on_fail(void (*fail)(const char *reason));

#endif
