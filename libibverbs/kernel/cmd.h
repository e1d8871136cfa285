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
 * one) but for cmd_in_async_fd(). Pointers handed in must stay valid until
 * submit_ioctl() returns.
 *
 * The functions are inline because nearly all arguments are constants: places,
 * lengths and limits are then known when this is compiled, and what remains of
 * a call is the stores into the message. Called one by one they cost more than
 * the rest of a command.
 */
#ifndef KERNEL_CMD_H
#define KERNEL_CMD_H

#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"

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
	bool has_results;	   /* for cmd_finish(): any of what follows */
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
static inline void cmd_init(struct cmd *cmd, enum verbs_kernel_cap cap)
{
	const struct kernel_cap *row = kernel_cap_row(cap);

	/* Not the attributes: cmd_add() writes each of them whole. */
	cmd->cap = cap;
	cmd->error = 0;
	cmd->has_results = false;
	cmd->out_attr = NULL;
	cmd->ret_handle = NULL;
	cmd->ret_fd = NULL;
	cmd->driver = NULL;
	cmd->msg.object_id = row->object;
	cmd->msg.method_id = row->method;
	cmd->msg.num_attrs = 0;
	cmd->msg.reserved1 = 0;
	cmd->msg.reserved2 = 0;
}

/** cmd_fail() - remember a mistake, unless there was one before */
static inline void cmd_set_error(struct cmd *cmd, int error)
{
	if (!cmd->error)
		cmd->error = error;
}

/**
 * cmd_add() - an attribute with a length and no value, for those below
 *
 * Return: NULL when there is no room for it. A length that its field has no
 * room for is a mistake too, but takes its place: else no later attribute had a
 * constant one.
 */
static inline struct ib_uverbs_attr *cmd_add_attr(struct cmd *cmd,
						  uint16_t attr_id, size_t len)
{
	struct ib_uverbs_attr *attr;

	if (cmd->msg.num_attrs >= CMD_MAX_ATTRS) {
		cmd_set_error(cmd, -E2BIG);
		return NULL;
	}
	if (len > UINT16_MAX)
		cmd_set_error(cmd, -EINVAL);
	attr = &cmd->msg.attrs[cmd->msg.num_attrs++];
	/* one by one: the first four become a single store */
	attr->attr_id = attr_id;
	attr->len = (uint16_t)len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->attr_data.reserved = 0;
	attr->data = 0;
	return attr;
}

/** cmd_in_ptr() - @len bytes at @data; up to 8 of them are copied */
static inline void cmd_in_ptr(struct cmd *cmd, uint16_t attr_id,
			      const void *data, size_t len)
{
	struct ib_uverbs_attr *attr = cmd_add_attr(cmd, attr_id, len);

	if (!attr)
		return;
	if (len > sizeof(attr->data))
		attr->data = cmd_addr(data);
	else if (len > 0)
		memcpy(&attr->data, data, len);
}

/** cmd_in_u8() - a number that the kernel declares as 1 byte */
static inline void cmd_in_u8(struct cmd *cmd, uint16_t attr_id, uint8_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

/** cmd_in_u32() - a number of 4 bytes, or flags */
static inline void cmd_in_u32(struct cmd *cmd, uint16_t attr_id, uint32_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

/**
 * cmd_in_u64() - also for each attribute that the kernel declares as a
 * constant, whatever the width of its type: a port number, for example
 */
static inline void cmd_in_u64(struct cmd *cmd, uint16_t attr_id, uint64_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

/** cmd_in_enum() - choice number @elem of an attribute, with its data */
static inline void cmd_in_enum(struct cmd *cmd, uint16_t attr_id, uint8_t elem,
			       const void *data, size_t len)
{
	uint16_t before = cmd->msg.num_attrs;

	cmd_in_ptr(cmd, attr_id, data, len);
	if (cmd->msg.num_attrs > before)
		cmd->msg.attrs[before].attr_data.enum_data.elem_id = elem;
}

/** cmd_in_obj() - handle of an existing object */
static inline void cmd_in_obj(struct cmd *cmd, uint16_t attr_id,
			      uint32_t handle)
{
	struct ib_uverbs_attr *attr = cmd_add_attr(cmd, attr_id, 0);

	if (attr)
		attr->data = handle;
}

/** cmd_in_fd() - descriptor; -1 adds nothing */
static inline void cmd_in_fd(struct cmd *cmd, uint16_t attr_id, int fd)
{
	struct ib_uverbs_attr *attr;

	if (fd == -1)
		return;
	attr = cmd_add_attr(cmd, attr_id, 0);
	if (attr)
		attr->data_s64 = fd;
}

/**
 * cmd_in_async_fd() - where the events of a new object go
 *
 * Optional, because older kernels have one place only; mandatory on an
 * imported context, whose default is another process's descriptor.
 */
static inline void cmd_in_async_fd(struct cmd *cmd, uint16_t attr_id,
				   const struct ibv_context *ctx)
{
	struct ib_uverbs_attr *attr;

	if (ctx->async_fd == -1)
		return;
	attr = cmd_add_attr(cmd, attr_id, 0);
	if (!attr)
		return;
	attr->data_s64 = ctx->async_fd;
	if (!verbs_kernel_state(ctx)->imported)
		attr->flags = 0;
}

/** cmd_out_ptr() - room for an answer of @len bytes */
static inline void cmd_out_ptr(struct cmd *cmd, uint16_t attr_id, void *data,
			       size_t len)
{
	struct ib_uverbs_attr *attr = cmd_add_attr(cmd, attr_id, len);

	if (attr)
		attr->data = cmd_addr(data);
}

/** cmd_add_result() - the attribute of what the method makes; one of them */
static inline void cmd_add_result_attr(struct cmd *cmd, uint16_t attr_id)
{
	if (cmd->out_attr)
		cmd_set_error(cmd, -EINVAL);
	else
		cmd->out_attr = cmd_add_attr(cmd, attr_id, 0);
	cmd->has_results = true;
}

/** cmd_out_obj() - the new object; one per command, excludes cmd_out_fd() */
static inline void cmd_out_obj(struct cmd *cmd, uint16_t attr_id,
			       uint32_t *ret_handle)
{
	cmd_add_result_attr(cmd, attr_id);
	cmd->ret_handle = ret_handle;
}

/** cmd_out_fd() - the new descriptor; the caller owns it afterwards */
static inline void cmd_out_fd(struct cmd *cmd, uint16_t attr_id, int *ret_fd)
{
	cmd_add_result_attr(cmd, attr_id);
	cmd->ret_fd = ret_fd;
}

/** cmd_uhw() - the driver's input and output; @udata may be NULL */
static inline void cmd_uhw(struct cmd *cmd, const struct verbs_udata *udata)
{
	if (!udata)
		return;
	if (udata->in_len)
		cmd_in_ptr(cmd, UVERBS_ATTR_UHW_IN, udata->in, udata->in_len);
	if (udata->out_len)
		cmd_out_ptr(cmd, UVERBS_ATTR_UHW_OUT, udata->out,
			    udata->out_len);
}

/** cmd_add_driver_attrs() - a copy of the driver's own; there are some */
void cmd_add_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata);

/** cmd_udata() - the same, and the driver's own attributes; comes last */
static inline void cmd_udata(struct cmd *cmd, const struct verbs_udata *udata)
{
	cmd_uhw(cmd, udata);
	if (udata && udata->nr_attrs)
		cmd_add_driver_attrs(cmd, udata);
}

/**
 * cmd_driver_attrs() - the driver's own attributes; comes last
 *
 * For a method that has no place for input and output: they are a mistake then.
 */
void cmd_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata);

/** cmd_has_mandatory() - whether an attribute of the driver must not be lost */
bool cmd_has_mandatory_attr(const struct verbs_udata *udata);

/** cmd_needs_ioctl() - whether the driver rules out write commands */
static inline bool cmd_needs_ioctl(const struct verbs_udata *udata)
{
	return udata && (udata->ioctl_only ||
			 (udata->nr_attrs && cmd_has_mandatory_attr(udata)));
}

/**
 * cmd_finish() - take the results, if it has any, out of a command that
 * succeeded
 *
 * Return: 0; -EPROTO if the kernel's handle or descriptor cannot be one.
 */
int cmd_read_results(const struct cmd *cmd);

#endif
