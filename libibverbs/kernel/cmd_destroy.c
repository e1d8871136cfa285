/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The destroy commands of all objects: see kernel/cmd_destroy.h. Called by the
 * cmd_*.c files of the objects, calls submit.c.
 */
#include "kernel/cmd_destroy.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>

#include "kernel/cmd.h"
#include "kernel/kernel_state.h"
#include "kernel/submit.h"

/* Basic commands with a response all send struct ib_uverbs_destroy_cq. */
_Static_assert(sizeof(struct ib_uverbs_destroy_qp) ==
			       sizeof(struct ib_uverbs_destroy_cq) &&
		       offsetof(struct ib_uverbs_destroy_qp, qp_handle) ==
			       offsetof(struct ib_uverbs_destroy_cq, cq_handle),
	       "one request for CQs and QPs");
_Static_assert(sizeof(struct ib_uverbs_destroy_srq) ==
			       sizeof(struct ib_uverbs_destroy_cq) &&
		       offsetof(struct ib_uverbs_destroy_srq, srq_handle) ==
			       offsetof(struct ib_uverbs_destroy_cq, cq_handle),
	       "one request for CQs and SRQs");

/* Extended commands all send struct ib_uverbs_destroy_flow. */
_Static_assert(sizeof(struct ib_uverbs_ex_destroy_rwq_ind_table) ==
			       sizeof(struct ib_uverbs_destroy_flow) &&
		       offsetof(struct ib_uverbs_ex_destroy_rwq_ind_table,
				ind_tbl_handle) ==
			       offsetof(struct ib_uverbs_destroy_flow,
					flow_handle),
	       "one request for flows and indirection tables");

static int cmd_destroy_write_ex(struct ibv_context *ctx,
				const struct destroy_cmd *destroy,
				uint32_t handle)
{
	const struct ib_uverbs_destroy_flow in = { .flow_handle = handle };
	const struct write_cmd req = {
		.command = destroy->write_command,
		WRITE_IN(in),
	};

	return submit_write_ex(ctx, &req);
}

static SUBMIT_SLOW_PATH int cmd_destroy_write(struct ibv_context *ctx,
					      const struct destroy_cmd *destroy,
					      uint32_t handle, void *resp,
					      size_t resp_len)
{
	const struct ib_uverbs_destroy_cq in = { .cq_handle = handle };
	const struct write_cmd with_resp = {
		.command = destroy->write_command,
		WRITE_IN(in),
		.out = resp,
		.out_len = resp_len,
	};
	/* Basic commands without a response send the handle alone. */
	const struct write_cmd without_resp = {
		.command = destroy->write_command,
		.in = &handle,
		.in_len = sizeof(handle),
	};

	if (destroy->ioctl_only)
		return -EOPNOTSUPP;
	if (destroy->write_command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		return cmd_destroy_write_ex(ctx, destroy, handle);
	return submit_write(ctx, resp_len ? &with_resp : &without_resp);
}

int cmd_destroy_with_resp(struct ibv_context *ctx,
			  const struct destroy_cmd *destroy, uint32_t handle,
			  void *resp, size_t resp_len)
{
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, destroy->cap);
	cmd_in_obj(&cmd, destroy->handle_attr, handle);
	if (resp_len)
		cmd_out_ptr(&cmd, destroy->resp_attr, resp, resp_len);
	ret = submit_ioctl(ctx, &cmd);
	return ret == SUBMIT_NOT_OFFERED
		       ? cmd_destroy_write(ctx, destroy, handle, resp, resp_len)
		       : ret;
}

uint32_t cmd_destroy_acked_events(pthread_mutex_t *mutex,
				  const uint32_t *completed)
{
	uint32_t count;

	(void)pthread_mutex_lock(mutex); /* fails on misuse only */
	count = *completed;
	(void)pthread_mutex_unlock(mutex);
	return count;
}

int cmd_destroy_count_events(int ret, uint32_t reported, pthread_mutex_t *mutex,
			     const uint32_t *completed,
			     struct verbs_event_count *ret_raised)
{
	if (cmd_destroy_device_gone(ret)) {
		reported = cmd_destroy_acked_events(mutex, completed);
		ret = 0;
	}
	if (!ret)
		*ret_raised = (struct verbs_event_count){
			.async_events = reported,
		};
	return ret;
}

int cmd_destroy_by_handle(struct ibv_context *ctx,
			  const struct destroy_cmd *destroy, uint32_t handle)
{
	int ret = cmd_destroy_with_resp(ctx, destroy, handle, NULL, 0);

	return ret && cmd_destroy_device_gone(ret) ? 0 : ret;
}
