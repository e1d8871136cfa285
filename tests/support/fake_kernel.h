/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A scripted uverbs kernel for unit tests. The test says which commands will
 * come, in which order, with every attribute and every byte of them, and how
 * each is answered. A command that differs, that was not expected, or that did
 * not come fails the test.
 *
 * Link with WRAP ioctl write. Only descriptors of fake_kernel_fd() are served;
 * all others reach the real functions.
 *
 * Answers are delivered also when a command is made to fail, so that a test
 * sees what a careless caller would hand on.
 */
#ifndef SUPPORT_FAKE_KERNEL_H
#define SUPPORT_FAKE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_attr_kind {
	FAKE_IN_BYTES,	/* len bytes; inside the attribute if 8 or fewer */
	FAKE_IN_NUM,	/* an object's handle or a descriptor */
	FAKE_OUT_BYTES, /* room for len bytes, answered with answer_len */
	FAKE_OUT_NUM,	/* a new object or descriptor, answered with num */
};

struct fake_attr {
	uint16_t id;
	enum fake_attr_kind kind;
	bool optional;	   /* the kernel may ignore it; default: mandatory */
	uint8_t elem;	   /* enum attributes: which choice */
	size_t len;	   /* bytes the command must give or make room for */
	size_t answer_len; /* OUT_BYTES: bytes that the kernel writes */
	uint64_t num;
	const void *bytes; /* expected, or the answer */
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
		.answer_len = (_len), .bytes = (_bytes)             \
	}
#define FAKE_U32_OUT(_id, v) FAKE_BYTES_OUT(_id, 4, &(const uint32_t){ (v) })
#define FAKE_U64_OUT(_id, v) FAKE_BYTES_OUT(_id, 8, &(const uint64_t){ (v) })

struct fake_ioctl {
	uint16_t object, method;
	const struct fake_attr *attrs; /* in any order */
	size_t nr_attrs;
	int err; /* errno it fails with, 0 for success */
};

/* Members attrs and nr_attrs of a struct fake_ioctl. */
#define FAKE_ATTRS(...)                                                 \
	.attrs = (const struct fake_attr[]){ __VA_ARGS__ },             \
	.nr_attrs = sizeof((const struct fake_attr[]){ __VA_ARGS__ }) / \
		    sizeof(struct fake_attr)

/*
 * A command of the older protocol, whatever carries it. The member "response"
 * of a request stays 0 here.
 */
struct fake_write {
	uint32_t command; /* with IB_USER_VERBS_CMD_FLAG_EXTENDED if it is */
	const void *in;	  /* request without any header */
	size_t in_len;
	const void *out; /* answer; NULL: the kernel leaves it alone */
	size_t out_len;
	const void *driver_in; /* the driver's part */
	size_t driver_in_len;
	const void *driver_out; /* the same */
	size_t driver_out_len;
	int err;	 /* errno it fails with, 0 for success */
	size_t short_by; /* write(2) only: bytes that are not taken */
};

/** fake_kernel_start() - forget everything; call it before each test */
void fake_kernel_start(void);

/** fake_kernel_fd() - a descriptor that leads here */
int fake_kernel_fd(void);

/** fake_kernel_driver_id() - what every ioctl's header must say; default 0 */
void fake_kernel_driver_id(uint32_t driver_id);

/** fake_kernel_expect_ioctl() - the next command; everything is copied */
void fake_kernel_expect_ioctl(const struct fake_ioctl *cmd);
/** fake_kernel_expect_wrapped() - the next, a write command in an ioctl */
void fake_kernel_expect_wrapped(const struct fake_write *cmd);
/** fake_kernel_expect_write() - the next, by write(2) */
void fake_kernel_expect_write(const struct fake_write *cmd);

/** fake_kernel_finish() - fails the test if a command has not come */
void fake_kernel_finish(void);

/**
 * fake_kernel_on_fail() - what to do instead of failing the test
 * @fail: called with the reason; NULL restores the default. If it returns, the
 *	command fails with EFAULT.
 */
void fake_kernel_on_fail(void (*fail)(const char *reason));

#endif
