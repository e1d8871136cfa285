/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills the two public function tables of a context: struct ibv_context_ops
 * and, in front of the context, struct verbs_context. Called by api/context.c
 * once the provider has made the context. The data path slots were set by
 * core/op_table.c: those lead to the provider itself.
 */
#include "api/abi_tables.h"

#include <provider/objects.h>

/* Headers define macros of these names; the slots want the functions. */
#undef ibv_query_port
#undef ibv_reg_mr

/* Programs of the first releases cast these slots to what they need. */
typedef void *(*compat_slot)(void);
typedef void (*any_function)(void);

static compat_slot compat(any_function function)
{
	return (compat_slot)function;
}

#define COMPAT(function) compat((any_function)(function))

static void fill_context_ops(struct ibv_context_ops *ops)
{
	ops->_compat_query_device = ibv_query_device;
	ops->_compat_query_port = ibv_query_port;
	ops->_compat_alloc_pd = COMPAT(ibv_alloc_pd);
	ops->_compat_dealloc_pd = COMPAT(ibv_dealloc_pd);
	ops->_compat_reg_mr = COMPAT(ibv_reg_mr);
	ops->_compat_rereg_mr = COMPAT(ibv_rereg_mr);
	ops->_compat_dereg_mr = COMPAT(ibv_dereg_mr);
	ops->alloc_mw = verbs_api_alloc_mw;
	ops->dealloc_mw = verbs_api_dealloc_mw;
	ops->_compat_create_cq = COMPAT(ibv_create_cq);
	ops->_compat_resize_cq = COMPAT(ibv_resize_cq);
	ops->_compat_destroy_cq = COMPAT(ibv_destroy_cq);
	ops->_compat_create_srq = COMPAT(ibv_create_srq);
	ops->_compat_modify_srq = COMPAT(ibv_modify_srq);
	ops->_compat_query_srq = COMPAT(ibv_query_srq);
	ops->_compat_destroy_srq = COMPAT(ibv_destroy_srq);
	ops->_compat_create_qp = COMPAT(ibv_create_qp);
	ops->_compat_query_qp = COMPAT(ibv_query_qp);
	ops->_compat_modify_qp = COMPAT(ibv_modify_qp);
	ops->_compat_destroy_qp = COMPAT(ibv_destroy_qp);
	ops->_compat_create_ah = COMPAT(ibv_create_ah);
	ops->_compat_destroy_ah = COMPAT(ibv_destroy_ah);
	ops->_compat_attach_mcast = COMPAT(ibv_attach_mcast);
	ops->_compat_detach_mcast = COMPAT(ibv_detach_mcast);
}

void verbs_fill_abi_tables(struct ibv_context *ctx)
{
	struct verbs_context *vctx =
		verbs_container_of(ctx, struct verbs_context, context);

	fill_context_ops(&ctx->ops);

	vctx->query_port = verbs_api_query_port;
	vctx->query_device_ex = verbs_api_query_device_ex;
	vctx->advise_mr = verbs_api_advise_mr;
	vctx->create_cq_ex = verbs_api_create_cq_ex;
	vctx->modify_cq = verbs_api_modify_cq;
	vctx->create_srq_ex = verbs_api_create_srq_ex;
	vctx->get_srq_num = verbs_api_get_srq_num;
	vctx->create_qp_ex = verbs_api_create_qp_ex;
	vctx->open_qp = verbs_api_open_qp;
	vctx->open_xrcd = verbs_api_open_xrcd;
	vctx->close_xrcd = verbs_api_close_xrcd;
}
