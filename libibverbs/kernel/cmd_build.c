/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills the attribute list of a native ioctl: see kernel/cmd.h. Called by the
 * *_native() functions of the cmd_*.c files and by submit.c; makes no system
 * call.
 */
#include "kernel/cmd.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "kernel/kernel_state.h"

#define SAME_PLACE(member)                                                   \
	_Static_assert(offsetof(struct cmd_message, member) ==               \
			       offsetof(struct ib_uverbs_ioctl_hdr, member), \
		       "message layout")
SAME_PLACE(length);
SAME_PLACE(object_id);
SAME_PLACE(method_id);
SAME_PLACE(num_attrs);
SAME_PLACE(reserved1);
SAME_PLACE(driver_id);
SAME_PLACE(reserved2);
SAME_PLACE(attrs);

static void fail(struct cmd *cmd, int error)
{
	if (!cmd->error)
		cmd->error = error;
}

/* Attribute without a value, or NULL when the buffer is full. */
static struct ib_uverbs_attr *add_attr(struct cmd *cmd, uint16_t attr_id)
{
	struct ib_uverbs_attr *attr;

	if (cmd->msg.num_attrs >= CMD_MAX_ATTRS) {
		fail(cmd, -E2BIG);
		return NULL;
	}
	attr = &cmd->msg.attrs[cmd->msg.num_attrs++];
	*attr = (struct ib_uverbs_attr){
		.attr_id = attr_id,
		.flags = UVERBS_ATTR_F_MANDATORY,
	};
	return attr;
}

/* The same with a length, or NULL when it does not fit its field. */
static struct ib_uverbs_attr *add_sized(struct cmd *cmd, uint16_t attr_id,
					size_t len)
{
	struct ib_uverbs_attr *attr;

	if (len > UINT16_MAX) {
		fail(cmd, -EINVAL);
		return NULL;
	}
	attr = add_attr(cmd, attr_id);
	if (attr)
		attr->len = (uint16_t)len;
	return attr;
}

void cmd_init(struct cmd *cmd, enum verbs_kernel_cap cap)
{
	const struct kernel_cap *row = kernel_cap_row(cap);

	/* Not the attributes: add_attr() writes each of them whole. */
	cmd->cap = cap;
	cmd->error = 0;
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

void cmd_in_ptr(struct cmd *cmd, uint16_t attr_id, const void *data, size_t len)
{
	struct ib_uverbs_attr *attr = add_sized(cmd, attr_id, len);

	if (!attr)
		return;
	if (len > sizeof(attr->data))
		attr->data = cmd_addr(data);
	else if (len > 0)
		memcpy(&attr->data, data, len);
}

void cmd_in_u8(struct cmd *cmd, uint16_t attr_id, uint8_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

void cmd_in_u32(struct cmd *cmd, uint16_t attr_id, uint32_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

void cmd_in_u64(struct cmd *cmd, uint16_t attr_id, uint64_t value)
{
	cmd_in_ptr(cmd, attr_id, &value, sizeof(value));
}

void cmd_in_enum(struct cmd *cmd, uint16_t attr_id, uint8_t elem,
		 const void *data, size_t len)
{
	uint16_t before = cmd->msg.num_attrs;

	cmd_in_ptr(cmd, attr_id, data, len);
	if (cmd->msg.num_attrs > before)
		cmd->msg.attrs[before].attr_data.enum_data.elem_id = elem;
}

void cmd_in_obj(struct cmd *cmd, uint16_t attr_id, uint32_t handle)
{
	struct ib_uverbs_attr *attr = add_attr(cmd, attr_id);

	if (attr)
		attr->data = handle;
}

void cmd_in_fd(struct cmd *cmd, uint16_t attr_id, int fd)
{
	struct ib_uverbs_attr *attr;

	if (fd == -1)
		return;
	attr = add_attr(cmd, attr_id);
	if (attr)
		attr->data_s64 = fd;
}

void cmd_in_async_fd(struct cmd *cmd, uint16_t attr_id,
		     const struct ibv_context *ctx)
{
	cmd_in_fd(cmd, attr_id, ctx->async_fd);
	if (!verbs_kernel_state(ctx)->imported)
		cmd_optional(cmd, attr_id);
}

void cmd_out_ptr(struct cmd *cmd, uint16_t attr_id, void *data, size_t len)
{
	struct ib_uverbs_attr *attr = add_sized(cmd, attr_id, len);

	if (attr)
		attr->data = cmd_addr(data);
}

static void add_result(struct cmd *cmd, uint16_t attr_id)
{
	if (cmd->out_attr) {
		fail(cmd, -EINVAL);
		return;
	}
	cmd->out_attr = add_attr(cmd, attr_id);
}

void cmd_out_obj(struct cmd *cmd, uint16_t attr_id, uint32_t *ret_handle)
{
	add_result(cmd, attr_id);
	cmd->ret_handle = ret_handle;
}

void cmd_out_fd(struct cmd *cmd, uint16_t attr_id, int *ret_fd)
{
	add_result(cmd, attr_id);
	cmd->ret_fd = ret_fd;
}

void cmd_uhw(struct cmd *cmd, const struct verbs_udata *udata)
{
	if (!udata)
		return;
	if (udata->in_len)
		cmd_in_ptr(cmd, UVERBS_ATTR_UHW_IN, udata->in, udata->in_len);
	if (udata->out_len)
		cmd_out_ptr(cmd, UVERBS_ATTR_UHW_OUT, udata->out,
			    udata->out_len);
}

static void add_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata)
{
	if (!udata || !udata->nr_attrs)
		return;
	if (udata->nr_attrs > (size_t)(CMD_MAX_ATTRS - cmd->msg.num_attrs)) {
		fail(cmd, -E2BIG);
		return;
	}
	cmd->driver = udata;
	cmd->first_driver_attr = cmd->msg.num_attrs;
	memcpy(&cmd->msg.attrs[cmd->msg.num_attrs], udata->attrs,
	       udata->nr_attrs * sizeof(*udata->attrs));
	cmd->msg.num_attrs = (uint16_t)(cmd->msg.num_attrs + udata->nr_attrs);
}

void cmd_udata(struct cmd *cmd, const struct verbs_udata *udata)
{
	cmd_uhw(cmd, udata);
	add_driver_attrs(cmd, udata);
}

void cmd_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata)
{
	if (udata && (udata->in_len || udata->out_len))
		fail(cmd, -EOPNOTSUPP);
	add_driver_attrs(cmd, udata);
}

bool cmd_needs_ioctl(const struct verbs_udata *udata)
{
	if (!udata)
		return false;
	for (size_t i = 0; i < udata->nr_attrs; i++)
		if (udata->attrs[i].flags & UVERBS_ATTR_F_MANDATORY)
			return true;
	return udata->ioctl_only;
}

void cmd_optional(struct cmd *cmd, uint16_t attr_id)
{
	for (uint16_t i = 0; i < cmd->msg.num_attrs; i++)
		if (cmd->msg.attrs[i].attr_id == attr_id)
			cmd->msg.attrs[i].flags &=
				(uint16_t)~UVERBS_ATTR_F_MANDATORY;
}

int cmd_finish(const struct cmd *cmd)
{
	if (cmd->ret_handle) {
		if (cmd->out_attr->data > UINT32_MAX)
			return -EPROTO;
		*cmd->ret_handle = (uint32_t)cmd->out_attr->data;
	}
	if (cmd->ret_fd) {
		if (cmd->out_attr->data_s64 < 0 ||
		    cmd->out_attr->data_s64 > INT_MAX)
			return -EPROTO;
		*cmd->ret_fd = (int)cmd->out_attr->data_s64;
	}
	if (cmd->driver)
		memcpy(cmd->driver->attrs,
		       &cmd->msg.attrs[cmd->first_driver_attr],
		       cmd->driver->nr_attrs * sizeof(*cmd->driver->attrs));
	return 0;
}
