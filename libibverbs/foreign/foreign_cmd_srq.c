/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues, for foreign providers. Calls kernel/cmd_srq.c. */
#include <errno.h>
#include <provider/kernel.h>

#include "core/object_life.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
			   struct ibv_srq_init_attr *attr, const void *cmd,
			   size_t cmd_size,
			   struct ib_uverbs_create_srq_resp *resp,
			   size_t resp_size)
{
	/*
	 * verbs_cmd_create_srq() does not access verbs_srq behind an SRQ of the
	 * basic type.
	 */
	struct verbs_srq *vsrq = verbs_container_of(srq, struct verbs_srq, srq);
	struct ibv_srq_init_attr_ex attr_ex = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_create_srq), resp,
				 resp_size, sizeof(*resp), &udata);
	if (ret)
		return foreign_errno(ret);
	/* The kernel can raise events for the SRQ as soon as it exists. */
	verbs_prepare_srq(srq, pd->context, &attr_ex);
	ret = verbs_cmd_create_srq(pd->context, vsrq, &attr_ex, &udata);
	if (!ret)
		attr->attr = attr_ex.attr;
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_srq, ibv_cmd_create_srq)

static void foreign_cmd_srq_set_type(struct verbs_srq *vsrq,
				     const struct ibv_srq_init_attr_ex *attr)
{
	vsrq->srq_type = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE
				 ? attr->srq_type
				 : IBV_SRQT_BASIC;
	if (vsrq->srq_type == IBV_SRQT_XRC)
		vsrq->xrcd =
			verbs_container_of(attr->xrcd, struct verbs_xrcd, xrcd);
	if (attr->comp_mask & IBV_SRQ_INIT_ATTR_CQ)
		vsrq->cq = attr->cq;
}

int foreign_cmd_create_srq_ex(struct ibv_context *ctx, struct verbs_srq *vsrq,
			      struct ibv_srq_init_attr_ex *attr,
			      const void *cmd, size_t cmd_size,
			      struct ib_uverbs_create_srq_resp *resp,
			      size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_create_xsrq), resp,
				 resp_size, sizeof(*resp), &udata);
	if (ret)
		return foreign_errno(ret);
	verbs_prepare_srq(&vsrq->srq, ctx, attr);
	ret = verbs_cmd_create_srq(ctx, vsrq, attr, &udata);
	if (!ret)
		foreign_cmd_srq_set_type(vsrq, attr);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_srq_ex, ibv_cmd_create_srq_ex)

int foreign_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			   int attr_mask, const void *cmd, size_t cmd_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_modify_srq), NULL, 0,
				 0, &udata);
	if (!ret)
		ret = verbs_cmd_modify_srq(srq, attr, attr_mask, &udata);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_modify_srq, ibv_cmd_modify_srq)

/* The kernel does not pass this command to its drivers: no driver data. */
int foreign_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  const void *cmd, size_t cmd_size)
{
	struct verbs_udata unused;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_query_srq), NULL, 0,
				 0, &unused);
	if (!ret)
		ret = verbs_cmd_query_srq(srq, attr);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_query_srq, ibv_cmd_query_srq)

int foreign_cmd_destroy_srq(struct ibv_srq *srq)
{
	struct verbs_event_count raised;
	int ret = verbs_cmd_destroy_srq(srq, &raised);

	if (!ret)
		verbs_wait_srq_acked(srq, &raised);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_srq, ibv_cmd_destroy_srq)
