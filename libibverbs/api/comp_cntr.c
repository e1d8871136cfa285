/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion counters: ibv_create_comp_cntr(3), ibv_query_comp_cntr_caps(3),
 * ibv_qp_attach_comp_cntr(3), ibv_read_comp_cntr(3).
 */
#include <infiniband/verbs.h>

#include "api/api_check.h"
#include "api/api_err.h"
#include "api/sized_copy.h"

/* Size of struct ibv_comp_cntr_caps when it was introduced. */
#define FIRST_CAPS_SIZE 16

#define ATTACH_OPS_KNOWN                                          \
	((uint32_t)(IBV_QP_ATTACH_COMP_CNTR_OP_SEND |             \
		    IBV_QP_ATTACH_COMP_CNTR_OP_RECV |             \
		    IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ |        \
		    IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ | \
		    IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE |       \
		    IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE))

/* The caller's struct may be longer than the library's. */
int _ibv_query_comp_cntr_caps(struct ibv_context *context,
			      struct ibv_comp_cntr_caps *caps, size_t caps_size)
{
	struct ibv_comp_cntr_caps own = {};
	int ret;

	if (!context || !caps || caps_size < FIRST_CAPS_SIZE)
		return api_ret_errno(-EINVAL);
	ret = VERBS_CALL_OP(context, query_comp_cntr_caps, context, &own);
	if (ret)
		return api_ret_errno(ret);
	api_copy_sized(caps, caps_size, &own, sizeof(own));
	return 0;
}

static int comp_cntr_check_attr(const struct ibv_comp_cntr_init_attr *attr)
{
	if (!attr)
		return -EINVAL;
	if (attr->comp_mask || attr->flags)
		return -EOPNOTSUPP;
	return attr->type <= IBV_COMP_CNTR_TYPE_BYTES ? 0 : -EINVAL;
}

struct ibv_comp_cntr *
ibv_create_comp_cntr(struct ibv_context *context,
		     struct ibv_comp_cntr_init_attr *cc_attr)
{
	struct ibv_comp_cntr *cntr;
	int ret = context ? comp_cntr_check_attr(cc_attr) : -EINVAL;

	if (ret == 0)
		ret = VERBS_CALL_OP(context, create_comp_cntr, context, cc_attr,
				    &cntr);
	return ret ? api_ret_null(ret) : cntr;
}

int ibv_destroy_comp_cntr(struct ibv_comp_cntr *comp_cntr)
{
	if (!API_EXISTS(comp_cntr))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(comp_cntr->context,
					   destroy_comp_cntr, comp_cntr));
}

int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *comp_cntr,
			    struct ibv_qp_attach_comp_cntr_attr *attr)
{
	if (!attr || !API_EXISTS(qp) ||
	    !API_ACCEPTS(__func__, qp->context, comp_cntr))
		return api_ret_errno(-EINVAL);
	if (attr->comp_mask || (attr->op_mask & ~ATTACH_OPS_KNOWN))
		return api_ret_errno(-EOPNOTSUPP);
	return api_ret_errno(VERBS_CALL_OP(qp->context, qp_attach_comp_cntr, qp,
					   comp_cntr, attr));
}

int ibv_read_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value)
{
	if (!API_EXISTS(comp_cntr) || !value)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(comp_cntr->context, read_comp_cntr,
					   comp_cntr, value));
}

int ibv_set_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t value)
{
	if (!API_EXISTS(comp_cntr))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(comp_cntr->context, set_comp_cntr,
					   comp_cntr, value));
}

int ibv_inc_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t amount)
{
	if (!API_EXISTS(comp_cntr))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(comp_cntr->context, inc_comp_cntr,
					   comp_cntr, amount));
}

int ibv_read_err_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t *value)
{
	if (!API_EXISTS(comp_cntr) || !value)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(
		comp_cntr->context, read_err_comp_cntr, comp_cntr, value));
}

int ibv_set_err_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t value)
{
	if (!API_EXISTS(comp_cntr))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(
		comp_cntr->context, set_err_comp_cntr, comp_cntr, value));
}

int ibv_inc_err_comp_cntr(struct ibv_comp_cntr *comp_cntr, uint64_t amount)
{
	if (!API_EXISTS(comp_cntr))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(
		comp_cntr->context, inc_err_comp_cntr, comp_cntr, amount));
}
