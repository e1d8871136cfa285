/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The less frequent operations on a command: see kernel/cmd.h. Called by the
 * *_ioctl() functions of the cmd_*.c files and by submit.c; makes no system
 * call.
 */
#include "kernel/cmd.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

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

void cmd_add_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata)
{
	if (udata->nr_attrs > (size_t)(CMD_MAX_ATTRS - cmd->msg.num_attrs)) {
		cmd_set_error(cmd, -E2BIG);
		return;
	}
	cmd->has_results = true;
	cmd->driver = udata;
	cmd->first_driver_attr = cmd->msg.num_attrs;
	memcpy(&cmd->msg.attrs[cmd->msg.num_attrs], udata->attrs,
	       udata->nr_attrs * sizeof(*udata->attrs));
	cmd->msg.num_attrs = (uint16_t)(cmd->msg.num_attrs + udata->nr_attrs);
}

void cmd_driver_attrs(struct cmd *cmd, const struct verbs_udata *udata)
{
	if (udata && (udata->in_len || udata->out_len))
		cmd_set_error(cmd, -EOPNOTSUPP);
	if (udata && udata->nr_attrs)
		cmd_add_driver_attrs(cmd, udata);
}

bool cmd_has_mandatory_attr(const struct verbs_udata *udata)
{
	for (size_t i = 0; i < udata->nr_attrs; i++)
		if (udata->attrs[i].flags & UVERBS_ATTR_F_MANDATORY)
			return true;
	return false;
}

int cmd_read_results(const struct cmd *cmd)
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
