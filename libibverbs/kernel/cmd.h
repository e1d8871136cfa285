/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds one ioctl method call: a header and a list of attributes, in a buffer
 * of fixed size on the caller's stack. The builder stores its first error (too
 * many attributes, an impossible length), and submit_ioctl() returns it, so the
 * caller checks only that result:
 *
 *	struct cmd cmd;
 *
 *	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
 *	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, pd->handle);
 *	return submit_ioctl(pd->context, &cmd);
 *
 * All attributes except cmd_in_async_fd() are mandatory: the kernel refuses the
 * method if it does not support one of them. Pointers must stay valid until
 * submit_ioctl() returns.
 *
 * The functions are inline because nearly all arguments are constants. The
 * compiler then computes offsets, lengths and limit checks, and only the stores
 * into the message remain. As separate calls the functions would cost more than
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
 * The largest method, QP_CREATE, has 15 attributes, plus 2 for the driver's
 * input and output. The rest is for driver-specific attributes; no present
 * driver adds more than 8.
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
	enum verbs_kernel_cap cap; /* row of the method */
	int error;		   /* first error of the builder, or 0 */
	bool has_results;	   /* any member below is set */
	/* the new object or descriptor, if the method creates one */
	struct ib_uverbs_attr *out_attr;
	uint32_t *ret_handle;
	int *ret_fd;
	/* driver-specific attributes, or NULL */
	const struct verbs_udata *driver;
	uint16_t first_driver_attr;
	struct cmd_message msg; /* argument of the ioctl */
};

/* The kernel takes addresses as 64 bits on every architecture. */
static inline uint64_t cmd_addr(const void *ptr)
{
	return (uintptr_t)ptr;
}

/** cmd_init() - start a call of the method in row @cap, without attributes */
static inline void cmd_init(struct cmd *cmd, enum verbs_kernel_cap cap)
{
	const struct kernel_cap *row = kernel_cap_row(cap);

	/* cmd_add_attr() writes every member of an attribute. */
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

/** cmd_set_error() - store @error, unless an earlier error is stored */
static inline void cmd_set_error(struct cmd *cmd, int error)
{
	if (!cmd->error)
		cmd->error = error;
}

/**
 * cmd_add_attr() - append an attribute with a length and no value
 *
 * An attribute whose length does not fit into the field is an error, but it is
 * appended nevertheless: otherwise the offsets of later attributes would not be
 * constant.
 *
 * Return: the attribute, or NULL if the message is full.
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
	/* The compiler merges the first four assignments into one store. */
	attr->attr_id = attr_id;
	attr->len = (uint16_t)len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->attr_data.reserved = 0;
	attr->data = 0;
	return attr;
}

/**
 * cmd_in_ptr() - append @len bytes of input at @data
 *
 * Up to 8 bytes are copied into the attribute itself.
 */
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

/** cmd_in_u8() - append a number that the kernel declares as 1 byte */
static inline void cmd_in_u8(struct cmd *cmd, uint16_t attr_id, uint8_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

/** cmd_in_u32() - append a number of 4 bytes, or flags */
static inline void cmd_in_u32(struct cmd *cmd, uint16_t attr_id, uint32_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

/**
 * cmd_in_u64() - append a number of 8 bytes
 *
 * The kernel also takes 8 bytes for each attribute that it declares as a
 * constant, for any width of the type: a port number, for example.
 */
static inline void cmd_in_u64(struct cmd *cmd, uint16_t attr_id, uint64_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

/** cmd_in_enum() - append element @elem of an enum attribute, with its data */
static inline void cmd_in_enum(struct cmd *cmd, uint16_t attr_id, uint8_t elem,
			       const void *data, size_t len)
{
	uint16_t before = cmd->msg.num_attrs;

	cmd_in_ptr(cmd, attr_id, data, len);
	if (cmd->msg.num_attrs > before)
		cmd->msg.attrs[before].attr_data.enum_data.elem_id = elem;
}

/** cmd_in_obj() - append the handle of an existing object */
static inline void cmd_in_obj(struct cmd *cmd, uint16_t attr_id,
			      uint32_t handle)
{
	struct ib_uverbs_attr *attr = cmd_add_attr(cmd, attr_id, 0);

	if (attr)
		attr->data = handle;
}

/** cmd_in_fd() - append a file descriptor; nothing if @fd is -1 */
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
 * cmd_in_async_fd() - append the descriptor for events of a new object
 *
 * The attribute is optional, because older kernels send all events of a context
 * to one descriptor. On an imported context it is mandatory: the default there
 * is a descriptor of another process.
 */
static inline void cmd_in_async_fd(struct cmd *cmd, uint16_t attr_id,
				   const struct ibv_context *ctx)
{
	int fd = verbs_kernel_async_fd(ctx);
	struct ib_uverbs_attr *attr;

	if (fd == -1)
		return;
	attr = cmd_add_attr(cmd, attr_id, 0);
	if (!attr)
		return;
	attr->data_s64 = fd;
	if (!verbs_kernel_state(ctx)->imported)
		attr->flags = 0;
}

/** cmd_out_ptr() - append a buffer for @len bytes of output */
static inline void cmd_out_ptr(struct cmd *cmd, uint16_t attr_id, void *data,
			       size_t len)
{
	struct ib_uverbs_attr *attr = cmd_add_attr(cmd, attr_id, len);

	if (attr)
		attr->data = cmd_addr(data);
}

/**
 * cmd_add_result_attr() - append the attribute for the new object
 *
 * A method creates at most one object or descriptor.
 */
static inline void cmd_add_result_attr(struct cmd *cmd, uint16_t attr_id)
{
	if (cmd->out_attr)
		cmd_set_error(cmd, -EINVAL);
	else
		cmd->out_attr = cmd_add_attr(cmd, attr_id, 0);
	cmd->has_results = true;
}

/** cmd_out_obj() - append the output attribute for a new handle */
static inline void cmd_out_obj(struct cmd *cmd, uint16_t attr_id,
			       uint32_t *ret_handle)
{
	cmd_add_result_attr(cmd, attr_id);
	cmd->ret_handle = ret_handle;
}

/**
 * cmd_out_fd() - append the output attribute for a new descriptor
 *
 * The caller owns the descriptor.
 */
static inline void cmd_out_fd(struct cmd *cmd, uint16_t attr_id, int *ret_fd)
{
	cmd_add_result_attr(cmd, attr_id);
	cmd->ret_fd = ret_fd;
}

/** cmd_uhw() - append the driver's input and output; @udata may be NULL */
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

/** cmd_add_driver_attrs() - append a copy of @udata->attrs; nr_attrs > 0 */
void cmd_add_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata);

/**
 * cmd_udata() - append the driver's input, output and attributes
 *
 * Must be the last call before the command is sent.
 */
static inline void cmd_udata(struct cmd *cmd, const struct verbs_udata *udata)
{
	cmd_uhw(cmd, udata);
	if (udata && udata->nr_attrs)
		cmd_add_driver_attrs(cmd, udata);
}

/**
 * cmd_driver_attrs() - append driver-specific attributes only
 *
 * For methods without driver input and output; a driver that passes either gets
 * -EOPNOTSUPP. Must be the last call before the command is sent.
 */
void cmd_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata);

/** cmd_has_mandatory_attr() - check for mandatory driver attributes */
bool cmd_has_mandatory_attr(const struct verbs_udata *udata);

/** cmd_needs_ioctl() - check whether @udata requires an ioctl method */
static inline bool cmd_needs_ioctl(const struct verbs_udata *udata)
{
	return udata && (udata->ioctl_only ||
			 (udata->nr_attrs && cmd_has_mandatory_attr(udata)));
}

/**
 * cmd_read_results() - copy handle, descriptor and driver attributes out of a
 * command that succeeded
 *
 * Return: 0; -EPROTO if the kernel returned an invalid handle or descriptor.
 */
int cmd_read_results(const struct cmd *cmd);

#endif
