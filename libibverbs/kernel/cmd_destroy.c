/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The shared half of the destroy commands: see kernel/cmd_destroy.h. Called by
 * the cmd_*.c files of the objects, calls submit.c.
 */
#include "kernel/cmd_destroy.h"

#include <errno.h>

#include "kernel/cmd.h"
#include "kernel/kernel_state.h"
#include "kernel/submit.h"

bool verbs_allow_disassoc_destroy;

bool destroy_device_gone(int ret)
{
	return ret == -EIO && verbs_allow_disassoc_destroy;
}

static int by_handle_native(struct ibv_context *ctx,
			    const struct destroy_cmd *destroy, uint32_t handle)
{
	struct cmd cmd;

	cmd_init(&cmd, destroy->cap);
	cmd_in_obj(&cmd, destroy->handle_attr, handle);
	return submit_ioctl(ctx, &cmd);
}

/* All request structs of this kind are one handle: ib_uverbs_dealloc_pd, ... */
static int by_handle_write(struct ibv_context *ctx,
			   const struct destroy_cmd *destroy, uint32_t handle)
{
	const struct write_cmd req = {
		.command = destroy->write_command,
		.in = &handle,
		.in_len = sizeof(handle),
	};

	return submit_write(ctx, &req);
}

int destroy_by_handle(struct ibv_context *ctx,
		      const struct destroy_cmd *destroy, uint32_t handle)
{
	int ret = by_handle_native(ctx, destroy, handle);

	if (ret == SUBMIT_NOT_OFFERED)
		ret = by_handle_write(ctx, destroy, handle);
	return destroy_device_gone(ret) ? 0 : ret;
}
