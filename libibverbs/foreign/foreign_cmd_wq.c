/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work queues and their indirection tables, for foreign providers. Calls
 * kernel/cmd_wq.c.
 */
#include <errno.h>
#include <provider/kernel.h>

#include "core/object_life.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_create_wq(struct ibv_context *ctx,
			  struct ibv_wq_init_attr *attr, struct ibv_wq *wq,
			  const void *cmd, size_t cmd_size,
			  struct ib_uverbs_ex_create_wq_resp *resp,
			  size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_EX_CMD_LEN(ib_uverbs_ex_create_wq),
				 resp, resp_size, sizeof(*resp), &udata);
	if (ret)
		return foreign_errno(ret);
	wq->context = ctx;
	wq->cq = attr->cq;
	wq->pd = attr->pd;
	wq->wq_type = attr->wq_type;
	return foreign_errno(verbs_cmd_create_wq(ctx, wq, attr, &udata));
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_wq, ibv_cmd_create_wq)

int foreign_cmd_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr,
			  const void *cmd, size_t cmd_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_EX_CMD_LEN(ib_uverbs_ex_modify_wq),
				 NULL, 0, 0, &udata);
	if (!ret)
		ret = verbs_cmd_modify_wq(wq, attr, &udata);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_modify_wq, ibv_cmd_modify_wq)

int foreign_cmd_destroy_wq(struct ibv_wq *wq)
{
	struct verbs_event_count raised;
	int ret = verbs_cmd_destroy_wq(wq, &raised);

	if (!ret)
		verbs_wait_wq_acked(wq, &raised);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_wq, ibv_cmd_destroy_wq)

int foreign_cmd_create_rwq_ind_table(
	struct ibv_context *ctx, struct ibv_rwq_ind_table_init_attr *attr,
	struct ibv_rwq_ind_table *table,
	struct ib_uverbs_ex_create_rwq_ind_table_resp *resp, size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(NULL, 0, 0, resp, resp_size, sizeof(*resp),
				 &udata);
	if (!ret)
		ret = verbs_cmd_create_rwq_ind_table(ctx, table, attr, &udata);
	if (ret)
		return foreign_errno(ret);
	if (resp) {
		resp->comp_mask = 0;
		resp->response_length = sizeof(*resp);
		resp->ind_tbl_handle = (uint32_t)table->ind_tbl_handle;
		resp->ind_tbl_num = (uint32_t)table->ind_tbl_num;
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_rwq_ind_table,
		   ibv_cmd_create_rwq_ind_table)

int foreign_cmd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	return foreign_errno(verbs_cmd_destroy_rwq_ind_table(table));
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_rwq_ind_table,
		   ibv_cmd_destroy_rwq_ind_table)
