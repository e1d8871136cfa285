/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Building one native ioctl: a header and a list of attributes in a buffer of
 * fixed size on the caller's stack. The first mistake (too many attributes, an
 * impossible length) is remembered and comes out of submit_ioctl(), so the
 * calls need no checks in between:
 *
 *	struct cmd cmd;
 *
 *	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
 *	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, pd->handle);
 *	return submit_ioctl(pd->context, &cmd);
 *
 * Attributes are mandatory (the kernel refuses the method if it does not know
 * one) unless cmd_optional() says otherwise. Pointers handed in must stay
 * valid until submit_ioctl() returns.
 */
#ifndef KERNEL_CMD_H
#define KERNEL_CMD_H

#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel_caps.h"

/*
 * The largest method, creating a QP, has 15, and 2 for the driver's bytes. The
 * rest is for attributes of the driver's own; none of today's adds more than 8.
 */
#define CMD_MAX_ATTRS 48

/* struct ib_uverbs_ioctl_hdr with room for its attributes. */
struct cmd_message {
	uint16_t length; /* bytes in use, set by submit_ioctl() */
	uint16_t object_id;
	uint16_t method_id;
	uint16_t num_attrs;
	uint64_t reserved1;
	uint32_t driver_id; /* set by submit_ioctl() */
	uint32_t reserved2;
	struct ib_uverbs_attr attrs[CMD_MAX_ATTRS];
};

struct cmd {
	enum verbs_kernel_cap cap; /* which method this is */
	int error;		   /* first mistake of the builder, or 0 */
	/* the new object or descriptor, if the method makes one */
	struct ib_uverbs_attr *out_attr;
	uint32_t *ret_handle;
	int *ret_fd;
	/* the driver's own attributes, if there are any */
	const struct verbs_udata *driver;
	uint16_t first_driver_attr;
	struct cmd_message msg; /* what the kernel reads */
};

/* An address as the kernel takes it, 64 bits on every architecture. */
static inline uint64_t cmd_addr(const void *ptr)
{
	return (uintptr_t)ptr;
}

/** cmd_init() - begin the method of row @cap, without any attribute */
void cmd_init(struct cmd *cmd, enum verbs_kernel_cap cap);

/** cmd_in_ptr() - @len bytes at @data; up to 8 of them are copied */
void cmd_in_ptr(struct cmd *cmd, uint16_t attr_id, const void *data,
		size_t len);
/** cmd_in_u8() - a number that the kernel declares as 1 byte */
void cmd_in_u8(struct cmd *cmd, uint16_t attr_id, uint8_t value);
/** cmd_in_u32() - a number of 4 bytes, or flags */
void cmd_in_u32(struct cmd *cmd, uint16_t attr_id, uint32_t value);
/**
 * cmd_in_u64() - also for each attribute that the kernel declares as a
 * constant, whatever the width of its type: a port number, for example
 */
void cmd_in_u64(struct cmd *cmd, uint16_t attr_id, uint64_t value);
/** cmd_in_enum() - choice number @elem of an attribute, with its data */
void cmd_in_enum(struct cmd *cmd, uint16_t attr_id, uint8_t elem,
		 const void *data, size_t len);
/** cmd_in_obj() - handle of an existing object */
void cmd_in_obj(struct cmd *cmd, uint16_t attr_id, uint32_t handle);
/** cmd_in_fd() - descriptor; -1 adds nothing */
void cmd_in_fd(struct cmd *cmd, uint16_t attr_id, int fd);
/**
 * cmd_in_async_fd() - where the events of a new object go
 *
 * Optional, because older kernels have one place only; mandatory on an
 * imported context, whose default is another process's descriptor.
 */
void cmd_in_async_fd(struct cmd *cmd, uint16_t attr_id,
		     const struct ibv_context *ctx);

/** cmd_out_ptr() - room for an answer of @len bytes */
void cmd_out_ptr(struct cmd *cmd, uint16_t attr_id, void *data, size_t len);
/** cmd_out_obj() - the new object; one per command, excludes cmd_out_fd() */
void cmd_out_obj(struct cmd *cmd, uint16_t attr_id, uint32_t *ret_handle);
/** cmd_out_fd() - the new descriptor; the caller owns it afterwards */
void cmd_out_fd(struct cmd *cmd, uint16_t attr_id, int *ret_fd);

/** cmd_uhw() - the driver's input and output; @udata may be NULL */
void cmd_uhw(struct cmd *cmd, const struct verbs_udata *udata);
/** cmd_udata() - the same, and the driver's own attributes; comes last */
void cmd_udata(struct cmd *cmd, const struct verbs_udata *udata);
/**
 * cmd_driver_attrs() - the driver's own attributes; comes last
 *
 * For a method that has no place for input and output: they are a mistake then.
 */
void cmd_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata);

/**
 * cmd_needs_ioctl() - whether the driver rules out write commands
 *
 * By its flag, or by an attribute of its own that must not be lost.
 */
bool cmd_needs_ioctl(const struct verbs_udata *udata);

/** cmd_optional() - let the kernel ignore @attr_id if it was added */
void cmd_optional(struct cmd *cmd, uint16_t attr_id);

/**
 * cmd_finish() - take the results out of a command that succeeded
 *
 * Return: 0; -EPROTO if the kernel's handle or descriptor cannot be one.
 */
int cmd_finish(const struct cmd *cmd);

#endif
