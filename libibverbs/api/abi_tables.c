/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills the two public function tables of a context: struct ibv_context_ops
 * and, in front of the context, struct verbs_context. api/context.c calls it
 * after the provider has made the context. A provider of an older release has
 * a shorter second table, which lacks members at its front. core/op_table.c
 * has set the data path slots, which point to the provider itself.
 */
#include "api/abi_tables.h"

#include <provider/objects.h>

/* The slots need the functions, not the macros of the same names. */
#undef ibv_query_port
#undef ibv_reg_mr

/* Programs of the first releases cast these slots to the real types. */
typedef void *(*compat_slot)(void);
typedef void (*any_function)(void);

static compat_slot abi_compat_slot(any_function function)
{
	return (compat_slot)function;
}

#define COMPAT(function) abi_compat_slot((any_function)(function))

/*
 * This slot never had a cq_context argument: programs set the member
 * afterwards.
 */
static struct ibv_cq *abi_create_cq(struct ibv_context *ctx, int cqe,
				    struct ibv_comp_channel *channel,
				    int comp_vector)
{
	return ibv_create_cq(ctx, cqe, NULL, channel, comp_vector);
}

static void abi_fill_context_ops(struct ibv_context_ops *ops)
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
	ops->_compat_create_cq = COMPAT(abi_create_cq);
	ops->_compat_cq_event = COMPAT(verbs_api_cq_event);
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
	ops->_compat_async_event = COMPAT(verbs_api_async_event);
}

/* Slots in front of query_port exist in the tables of newer providers only. */
#define HAS_SLOT(vctx, slot) \
	((vctx)->sz >=       \
	 sizeof(struct verbs_context) - offsetof(struct verbs_context, slot))

static void abi_fill_newer_slots(struct verbs_context *vctx)
{
	if (HAS_SLOT(vctx, alloc_dmah))
		vctx->alloc_dmah = ibv_alloc_dmah;
	if (HAS_SLOT(vctx, dealloc_dmah))
		vctx->dealloc_dmah = ibv_dealloc_dmah;
	if (HAS_SLOT(vctx, reg_mr_ex))
		vctx->reg_mr_ex = ibv_reg_mr_ex;
	if (HAS_SLOT(vctx, dm_export_dmabuf_fd))
		vctx->dm_export_dmabuf_fd = ibv_dm_export_dmabuf_fd;
	if (HAS_SLOT(vctx, alloc_buf))
		vctx->alloc_buf = ibv_alloc_buf;
	if (HAS_SLOT(vctx, free_buf))
		vctx->free_buf = ibv_free_buf;
}

/* Device, domains, memory. */
static void abi_fill_memory_slots(struct verbs_context *vctx)
{
	vctx->query_port = verbs_api_query_port;
	vctx->query_device_ex = verbs_api_query_device_ex;
	vctx->query_rt_values = verbs_api_query_rt_values;
	vctx->alloc_td = verbs_api_alloc_td;
	vctx->dealloc_td = verbs_api_dealloc_td;
	vctx->alloc_parent_domain = verbs_api_alloc_parent_domain;
	vctx->open_xrcd = verbs_api_open_xrcd;
	vctx->close_xrcd = verbs_api_close_xrcd;
	vctx->advise_mr = verbs_api_advise_mr;
	vctx->alloc_null_mr = verbs_api_alloc_null_mr;
	vctx->alloc_dm = verbs_api_alloc_dm;
	vctx->free_dm = verbs_api_free_dm;
	vctx->reg_dm_mr = verbs_api_reg_dm_mr;
}

static void abi_fill_queue_slots(struct verbs_context *vctx)
{
	vctx->create_cq_ex = verbs_api_create_cq_ex;
	vctx->modify_cq = verbs_api_modify_cq;
	vctx->create_srq_ex = verbs_api_create_srq_ex;
	vctx->get_srq_num = verbs_api_get_srq_num;
	vctx->post_srq_ops = verbs_api_post_srq_ops;
	vctx->create_qp_ex = verbs_api_create_qp_ex;
	vctx->open_qp = verbs_api_open_qp;
	vctx->modify_qp_rate_limit = verbs_api_modify_qp_rate_limit;
	vctx->create_wq = verbs_api_create_wq;
	vctx->modify_wq = verbs_api_modify_wq;
	vctx->destroy_wq = verbs_api_destroy_wq;
	vctx->create_rwq_ind_table = verbs_api_create_rwq_ind_table;
	vctx->destroy_rwq_ind_table = verbs_api_destroy_rwq_ind_table;
}

static void abi_fill_flow_slots(struct verbs_context *vctx)
{
	vctx->ibv_create_flow = verbs_api_create_flow;
	vctx->ABI_placeholder1 = (any_function)verbs_api_create_flow;
	vctx->ibv_destroy_flow = verbs_api_destroy_flow;
	vctx->ABI_placeholder2 = (any_function)verbs_api_destroy_flow;
	vctx->create_flow_action_esp = verbs_api_create_flow_action_esp;
	vctx->modify_flow_action_esp = verbs_api_modify_flow_action_esp;
	vctx->destroy_flow_action = verbs_api_destroy_flow_action;
	vctx->create_counters = verbs_api_create_counters;
	vctx->destroy_counters = verbs_api_destroy_counters;
	vctx->attach_counters_point_flow = verbs_api_attach_counters_point_flow;
	vctx->read_counters = verbs_api_read_counters;
}

void verbs_fill_abi_tables(struct ibv_context *ctx)
{
	struct verbs_context *vctx =
		verbs_container_of(ctx, struct verbs_context, context);

	abi_fill_context_ops(&ctx->ops);
	abi_fill_newer_slots(vctx);
	abi_fill_memory_slots(vctx);
	abi_fill_queue_slots(vctx);
	abi_fill_flow_slots(vctx);
}
