/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs: ibv_create_qp(3), ibv_modify_qp(3), ibv_query_qp(3),
 * ibv_query_qp_data_in_order(3), ibv_set_ece(3), and through the table of a
 * context ibv_create_qp_ex(3), ibv_open_qp(3), ibv_modify_qp_rate_limit(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

#define IN_ORDER_FLAGS_KNOWN                                 \
	((uint32_t)(IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS | \
		    IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY))

#define INIT_ATTR_KNOWN ((IBV_QP_INIT_ATTR_SEND_OPS_FLAGS << 1) - 1U)

#define OPEN_ATTR_NEEDED                                           \
	((uint32_t)(IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | \
		    IBV_QP_OPEN_ATTR_TYPE))

/* The program's function, for layers. */
static const char create_qp_name[] = "ibv_create_qp";

/* Whether the completion queues that the type needs are present. */
static bool qp_attr_has_needed_cqs(const struct ibv_qp_init_attr_ex *attr)
{
	/* Receives go to the work queues of the table. */
	if (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
		return !attr->cap.max_send_wr || attr->send_cq;
	switch (attr->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
	case IBV_QPT_RAW_PACKET:
		return attr->send_cq && attr->recv_cq;
	case IBV_QPT_XRC_SEND:
		return attr->send_cq;
	case IBV_QPT_XRC_RECV:
	case IBV_QPT_DRIVER: /* the provider checks them */
		return true;
	default:
		return false;
	}
}

/*
 * The queues belong to the QP's context. Members that the type does not use
 * may have any value and are not read.
 */
static bool qp_queues_match_context(const struct ibv_context *ctx,
				    const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type == IBV_QPT_XRC_RECV)
		return true;
	if (attr->send_cq && !API_ACCEPTS(create_qp_name, ctx, attr->send_cq))
		return false;
	if (attr->qp_type == IBV_QPT_XRC_SEND)
		return true;
	return (!attr->recv_cq ||
		API_ACCEPTS(create_qp_name, ctx, attr->recv_cq)) &&
	       (!attr->srq || API_ACCEPTS(create_qp_name, ctx, attr->srq));
}

/* The objects that the mask selects exist and belong to the context. */
static bool qp_objects_match_context(const struct ibv_context *ctx,
				     const struct ibv_qp_init_attr_ex *attr)
{
	uint32_t mask = attr->comp_mask;

	if ((mask & IBV_QP_INIT_ATTR_PD) &&
	    !API_ACCEPTS(create_qp_name, ctx, attr->pd))
		return false;
	if ((mask & IBV_QP_INIT_ATTR_XRCD) &&
	    !API_ACCEPTS(create_qp_name, ctx, attr->xrcd))
		return false;
	if ((mask & IBV_QP_INIT_ATTR_IND_TABLE) &&
	    !API_ACCEPTS(create_qp_name, ctx, attr->rwq_ind_tbl))
		return false;
	return !(mask & IBV_QP_INIT_ATTR_RX_HASH) ||
	       !attr->rx_hash_conf.rx_hash_key_len ||
	       attr->rx_hash_conf.rx_hash_key;
}

/* Whether the domain that the type needs is present. */
static bool qp_attr_has_needed_domain(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask &
	       (attr->qp_type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD
						  : IBV_QP_INIT_ATTR_PD);
}

static bool qp_init_attr_is_valid(const struct ibv_context *ctx,
				  const struct ibv_qp_init_attr_ex *attr)
{
	return attr && !(attr->comp_mask & ~INIT_ATTR_KNOWN) &&
	       qp_attr_has_needed_domain(attr) &&
	       qp_attr_has_needed_cqs(attr) &&
	       qp_queues_match_context(ctx, attr) &&
	       qp_objects_match_context(ctx, attr);
}

struct ibv_qp *verbs_api_create_qp_ex(struct ibv_context *ctx,
				      struct ibv_qp_init_attr_ex *attr)
{
	struct verbs_qp *vqp;
	int ret;

	if (!qp_init_attr_is_valid(ctx, attr))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(ctx, create_qp, ctx, attr, &vqp);
	return ret ? api_ret_null(ret) : &vqp->qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd,
			     struct ibv_qp_init_attr *qp_init_attr)
{
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp;

	if (!API_EXISTS(pd) || !qp_init_attr)
		return api_ret_null(-EINVAL);
	attr.qp_context = qp_init_attr->qp_context;
	attr.send_cq = qp_init_attr->send_cq;
	attr.recv_cq = qp_init_attr->recv_cq;
	attr.srq = qp_init_attr->srq;
	attr.cap = qp_init_attr->cap;
	attr.qp_type = qp_init_attr->qp_type;
	attr.sq_sig_all = qp_init_attr->sq_sig_all;
	qp = verbs_api_create_qp_ex(pd->context, &attr);
	if (qp)
		qp_init_attr->cap = attr.cap;
	return qp;
}

static int qp_check_open_attr(const struct ibv_context *ctx,
			      const struct ibv_qp_open_attr *attr)
{
	if (!attr)
		return -EINVAL;
	if (attr->comp_mask >= IBV_QP_OPEN_ATTR_RESERVED)
		return -EOPNOTSUPP;
	if ((attr->comp_mask & OPEN_ATTR_NEEDED) != OPEN_ATTR_NEEDED ||
	    !API_ACCEPTS("ibv_open_qp", ctx, attr->xrcd))
		return -EINVAL;
	return 0;
}

struct ibv_qp *verbs_api_open_qp(struct ibv_context *ctx,
				 struct ibv_qp_open_attr *attr)
{
	struct verbs_qp *vqp;
	int ret = qp_check_open_attr(ctx, attr);

	if (ret == 0)
		ret = VERBS_CALL_OP(ctx, open_qp, ctx, attr, &vqp);
	return ret ? api_ret_null(ret) : &vqp->qp;
}

/* The kernel's field has eight bits, so larger values would be truncated. */
static bool qp_attr_states_are_valid(const struct ibv_qp_attr *attr,
				     int attr_mask)
{
	if ((attr_mask & IBV_QP_STATE) &&
	    (unsigned int)attr->qp_state > IBV_QPS_ERR)
		return false;
	return !(attr_mask & IBV_QP_CUR_STATE) ||
	       (unsigned int)attr->cur_qp_state <= IBV_QPS_ERR;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int ret;

	if (!API_EXISTS(qp) || !attr ||
	    !qp_attr_states_are_valid(attr, attr_mask))
		return api_ret_errno(-EINVAL);
	ret = VERBS_CALL_OP(qp->context, modify_qp, qp, attr, attr_mask);
	if (ret == 0 && (attr_mask & IBV_QP_STATE))
		qp->state = attr->qp_state;
	return api_ret_errno(ret);
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr)
{
	int ret;

	if (!API_EXISTS(qp) || !attr || !init_attr)
		return api_ret_errno(-EINVAL);
	ret = VERBS_CALL_OP(qp->context, query_qp, qp, attr, attr_mask,
			    init_attr);
	if (ret == 0 && (attr_mask & IBV_QP_STATE))
		qp->state = attr->qp_state;
	return api_ret_errno(ret);
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	if (!API_EXISTS(qp))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(qp->context, destroy_qp, qp));
}

int verbs_api_modify_qp_rate_limit(struct ibv_qp *qp,
				   struct ibv_qp_rate_limit_attr *attr)
{
	if (!API_EXISTS(qp) || !attr)
		return api_ret_errno(-EINVAL);
	if (attr->comp_mask)
		return api_ret_errno(-EOPNOTSUPP);
	return api_ret_errno(
		VERBS_CALL_OP(qp->context, modify_qp_rate_limit, qp, attr));
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return API_EXISTS(qp) ? verbs_ops(qp->context)->qp_to_ex(qp) : NULL;
}

/*
 * On other CPU architectures, writes of a device may become visible in another
 * order.
 */
static bool cpu_keeps_write_order(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return true;
#else
	return false;
#endif
}

/* Returns capability bits, not an errno; 0 also if the order is unknown. */
int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op,
			       uint32_t flags)
{
	int caps;

	if (!API_EXISTS(qp) || (flags & ~IN_ORDER_FLAGS_KNOWN))
		return 0;
	if (!cpu_keeps_write_order() &&
	    !(flags & IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY))
		return 0;
	caps = verbs_ops(qp->context)->query_qp_data_in_order(qp, op, flags);
	if (!(flags & IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS))
		return caps & IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG;
	if (caps & IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG)
		caps |= IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES;
	return caps;
}

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	if (!API_EXISTS(qp) || !ece)
		return api_ret_errno(-EINVAL);
	if (!ece->vendor_id)
		return api_ret_errno(-EOPNOTSUPP);
	return api_ret_errno(VERBS_CALL_OP(qp->context, set_ece, qp, ece));
}

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	if (!API_EXISTS(qp) || !ece)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(qp->context, query_ece, qp, ece));
}
