/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Indirection tables, which distribute a QP's packets over work queues. Called
 * by kernel-backed providers through <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdlib.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

struct rwq_table_request {
	struct ib_uverbs_ex_create_rwq_ind_table *in;
	size_t len; /* bytes, a multiple of 8 */
};

/* The caller frees request->in. */
static int cmd_rwq_request_init(struct rwq_table_request *request,
				const struct ibv_rwq_ind_table_init_attr *attr)
{
	size_t entries = (size_t)1 << attr->log_ind_tbl_size;

	/* A table of one entry has 4 bytes of padding. */
	request->len = sizeof(*request->in) + entries * sizeof(uint32_t);
	request->len = (request->len + 7) & ~(size_t)7;
	request->in = calloc(1, request->len);
	if (!request->in)
		return -ENOMEM;
	request->in->log_ind_tbl_size = attr->log_ind_tbl_size;
	for (size_t i = 0; i < entries; i++)
		request->in->wq_handles[i] = attr->ind_tbl[i]->handle;
	return 0;
}

static int
cmd_rwq_create_write(struct ibv_context *ctx,
		     const struct rwq_table_request *request,
		     const struct verbs_udata *udata,
		     struct ib_uverbs_ex_create_rwq_ind_table_resp *ret_resp)
{
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL | EXTENDED,
		.in = request->in,
		.in_len = request->len,
		WRITE_OUT(*ret_resp),
		.udata = udata,
	};
	int ret = submit_write_ex(ctx, &req);

	if (ret)
		return ret;
	return ret_resp->response_length < sizeof(*ret_resp) ? -EINVAL : 0;
}

int verbs_cmd_create_rwq_ind_table(
	struct ibv_context *ctx, struct ibv_rwq_ind_table *table,
	const struct ibv_rwq_ind_table_init_attr *attr,
	const struct verbs_udata *udata)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct rwq_table_request request;
	int ret;

	if (attr->comp_mask ||
	    attr->log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return -EINVAL;
	ret = cmd_rwq_request_init(&request, attr);
	if (ret)
		return ret;
	ret = cmd_rwq_create_write(ctx, &request, udata, &resp);
	free(request.in);
	if (ret)
		return ret;
	table->context = ctx;
	table->ind_tbl_handle = (int)resp.ind_tbl_handle;
	table->ind_tbl_num = (int)resp.ind_tbl_num;
	return 0;
}

int verbs_cmd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_RWQ_IND_TABLE,
		.handle_attr = UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE,
		.write_command = IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL |
				 EXTENDED,
	};

	return cmd_destroy_by_handle(table->context, &destroy,
				     (uint32_t)table->ind_tbl_handle);
}
