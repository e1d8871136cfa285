/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs: creating, opening and destroying them, for foreign providers.
 * Calls kernel/cmd_qp.c. foreign_cmd_qp_attr.c has the attributes of an
 * existing QP.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <stddef.h>

#include "core/object_life.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_state.h"
#include "foreign/foreign_udata.h"

/*
 * Set the members of verbs_qp behind the QP. In some releases of private ABI 34
 * their offsets differ. Nothing is written for that ABI: the library does not
 * read these members there.
 */
static void foreign_cmd_qp_set_xrcd(struct ibv_context *ctx,
				    struct verbs_qp *vqp, struct ibv_xrcd *xrcd)
{
	if (foreign_variant(ctx)->qp_mask_moved)
		return;
	vqp->comp_mask = 0;
	if (xrcd) {
		vqp->comp_mask = VERBS_QP_MASK_XRCD;
		vqp->xrcd = verbs_container_of(xrcd, struct verbs_xrcd, xrcd);
	}
}

int foreign_cmd_create_qp(struct ibv_pd *pd, struct ibv_qp *qp,
			  struct ibv_qp_init_attr *attr, const void *cmd,
			  size_t cmd_size,
			  struct ib_uverbs_create_qp_resp *resp,
			  size_t resp_size)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_create_qp), resp,
				 resp_size, sizeof(*resp), &udata);
	if (ret)
		return foreign_errno(ret);
	/* The kernel can raise events for the QP as soon as it exists. */
	verbs_prepare_qp(qp, pd->context, &attr_ex);
	ret = verbs_cmd_create_qp(pd->context, qp, &attr_ex, &udata);
	if (!ret)
		attr->cap = attr_ex.cap;
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_qp, ibv_cmd_create_qp)

static int foreign_cmd_create_vqp(struct ibv_context *ctx, struct verbs_qp *vqp,
				  struct ibv_qp_init_attr_ex *attr,
				  const struct verbs_udata *udata)
{
	int ret;

	verbs_prepare_qp(&vqp->qp, ctx, attr);
	ret = verbs_cmd_create_qp(ctx, &vqp->qp, attr, udata);
	if (!ret)
		foreign_cmd_qp_set_xrcd(ctx, vqp,
					attr->comp_mask & IBV_QP_INIT_ATTR_XRCD
						? attr->xrcd
						: NULL);
	return ret;
}

int foreign_cmd_create_qp_ex(struct ibv_context *ctx, struct verbs_qp *vqp,
			     struct ibv_qp_init_attr_ex *attr, const void *cmd,
			     size_t cmd_size,
			     struct ib_uverbs_create_qp_resp *resp,
			     size_t resp_size)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
			       IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	struct verbs_udata udata;
	int ret;

	if (attr->comp_mask & ~known)
		return foreign_errno(-EINVAL);
	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_create_qp), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = foreign_cmd_create_vqp(ctx, vqp, attr, &udata);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_qp_ex, ibv_cmd_create_qp_ex)

int foreign_cmd_create_qp_ex2(struct ibv_context *ctx, struct verbs_qp *vqp,
			      struct ibv_qp_init_attr_ex *attr, const void *cmd,
			      size_t cmd_size,
			      struct ib_uverbs_ex_create_qp_resp *resp,
			      size_t resp_size,
			      struct foreign_command_buffer *link)
{
	struct verbs_udata udata;
	struct foreign_link driver;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_EX_CMD_LEN(ib_uverbs_ex_create_qp),
				 resp, resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = foreign_link_collect(link, FOREIGN_METHOD_WITH_UHW,
					   &driver, &udata);
	if (!ret)
		ret = foreign_cmd_create_vqp(ctx, vqp, attr, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_FROM_64(foreign_cmd_create_qp_ex2, ibv_cmd_create_qp_ex2)

int foreign_cmd_create_qp_ex2_34(struct ibv_context *ctx, struct verbs_qp *vqp,
				 struct ibv_qp_init_attr_ex *attr,
				 const void *cmd, size_t cmd_size,
				 struct ib_uverbs_ex_create_qp_resp *resp,
				 size_t resp_size)
{
	return foreign_cmd_create_qp_ex2(ctx, vqp, attr, cmd, cmd_size, resp,
					 resp_size, NULL);
}
FOREIGN_EXPORT(foreign_cmd_create_qp_ex2_34, ibv_cmd_create_qp_ex2, 34)
FOREIGN_EXPORT(foreign_cmd_create_qp_ex2_34, ibv_cmd_create_qp_ex2, 57)
FOREIGN_EXPORT(foreign_cmd_create_qp_ex2_34, ibv_cmd_create_qp_ex2, 59)

/* The QP belongs to another process: it has no queues in this process. */
static void foreign_cmd_prepare_opened_qp(struct ibv_qp *qp,
					  struct ibv_context *ctx,
					  const struct ibv_qp_open_attr *attr)
{
	const bool has_context = attr->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT;
	const struct ibv_qp_init_attr_ex without_queues = {
		.qp_context = has_context ? attr->qp_context : NULL,
		.qp_type = attr->qp_type,
	};

	verbs_prepare_qp(qp, ctx, &without_queues);
	qp->state = IBV_QPS_UNKNOWN;
}

int foreign_cmd_open_qp(struct ibv_context *ctx, struct verbs_qp *vqp,
			int vqp_size, struct ibv_qp_open_attr *attr,
			const void *cmd, size_t cmd_size,
			struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	const uint32_t needed = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
				IBV_QP_OPEN_ATTR_TYPE;
	const size_t with_xrcd =
		offsetof(struct verbs_qp, xrcd) + sizeof(vqp->xrcd);
	struct verbs_udata udata;
	int ret;

	if (attr->comp_mask & ~(needed | IBV_QP_OPEN_ATTR_CONTEXT))
		return foreign_errno(-EOPNOTSUPP);
	if ((attr->comp_mask & needed) != needed ||
	    vqp_size < (int)sizeof(vqp->qp))
		return foreign_errno(-EINVAL);
	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_open_qp), resp,
				 resp_size, sizeof(*resp), &udata);
	if (ret)
		return foreign_errno(ret);

	foreign_cmd_prepare_opened_qp(&vqp->qp, ctx, attr);
	ret = verbs_cmd_open_qp(ctx, &vqp->qp, attr, &udata);
	if (ret)
		return foreign_errno(ret);
	if ((size_t)vqp_size >= with_xrcd)
		foreign_cmd_qp_set_xrcd(ctx, vqp, attr->xrcd);
	if (resp) {
		resp->qp_handle = vqp->qp.handle;
		resp->qpn = vqp->qp.qp_num;
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_open_qp, ibv_cmd_open_qp)

int foreign_cmd_destroy_qp(struct ibv_qp *qp)
{
	struct verbs_event_count raised;
	int ret = verbs_cmd_destroy_qp(qp, &raised);

	if (!ret)
		verbs_wait_qp_acked(qp, &raised);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_qp, ibv_cmd_destroy_qp)
