/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that only the layer trace observes, in the order of provider.h:
 * OP(op, constant of trace_ops.h, context, key, bytes, (parameters),
 * (arguments)). NEW: the key is that of the object that the op makes. VOID: the
 * op has no result.
 *
 * alloc_async_fd, get_gsi_ops and qp_to_ex are not recorded, because the
 * program does not call them. The other ops are in layers_*.c.
 */
#ifndef LAYERS_LAYERS_TRACE_OPS_H
#define LAYERS_LAYERS_TRACE_OPS_H

/* clang-format off: it takes the asterisks of parameters for products */
#define LAYERS_TRACED_OPS(OP, NEW, VOID)                                       \
	OP(query_device, QUERY_DEVICE, ctx, 0, 0,                              \
	   (struct ibv_context * ctx,                                          \
	    const struct ibv_query_device_ex_input *input,                     \
	    struct ibv_device_attr_ex *attr, size_t size),                     \
	   (ctx, input, attr, size))                                           \
	OP(query_port, QUERY_PORT, ctx, port, 0,                               \
	   (struct ibv_context * ctx, uint8_t port,                            \
	    struct ibv_port_attr * attr),                                      \
	   (ctx, port, attr))                                                  \
	OP(query_gid_entry, QUERY_GID_ENTRY, ctx, port, 0,                     \
	   (struct ibv_context * ctx, uint32_t port, uint32_t index,           \
	    struct ibv_gid_entry * ret_entry),                                 \
	   (ctx, port, index, ret_entry))                                      \
	OP(query_pkey, QUERY_PKEY, ctx, port, 0,                               \
	   (struct ibv_context * ctx, uint8_t port, int index,                 \
	    __be16 *ret_pkey),                                                 \
	   (ctx, port, index, ret_pkey))                                       \
	OP(query_port_speed, QUERY_PORT_SPEED, ctx, port, 0,                   \
	   (struct ibv_context * ctx, uint32_t port, uint64_t * ret_speed),    \
	   (ctx, port, ret_speed))                                             \
	OP(query_rt_values, QUERY_RT_VALUES, ctx, 0, 0,                        \
	   (struct ibv_context * ctx, struct ibv_values_ex * values),          \
	   (ctx, values))                                                      \
	OP(create_comp_channel, CREATE_COMP_CHANNEL, ctx, 0, 0,                \
	   (struct ibv_context * ctx, int *ret_fd), (ctx, ret_fd))             \
	OP(dealloc_pd, DEALLOC_PD, pd->context, pd->handle, 0,                 \
	   (struct ibv_pd * pd), (pd))                                         \
	NEW(import_pd, IMPORT_PD, ctx, (*ret_pd)->handle, 0,                   \
	    (struct ibv_context * ctx, uint32_t handle,                        \
	     struct ibv_pd * *ret_pd),                                         \
	    (ctx, handle, ret_pd))                                             \
	VOID(unimport_pd, UNIMPORT_PD, pd->context, pd->handle, 0,             \
	     (struct ibv_pd * pd), (pd))                                       \
	OP(alloc_td, ALLOC_TD, ctx, 0, 0,                                      \
	   (struct ibv_context * ctx, struct ibv_td_init_attr * attr,          \
	    struct ibv_td * *ret_td),                                          \
	   (ctx, attr, ret_td))                                                \
	OP(dealloc_td, DEALLOC_TD, td->context, 0, 0, (struct ibv_td * td),    \
	   (td))                                                               \
	NEW(alloc_parent_domain, ALLOC_PARENT_DOMAIN, ctx, (*ret_pd)->handle,  \
	    0,                                                                 \
	    (struct ibv_context * ctx,                                         \
	     struct ibv_parent_domain_init_attr * attr,                        \
	     struct ibv_pd * *ret_pd),                                         \
	    (ctx, attr, ret_pd))                                               \
	OP(open_xrcd, OPEN_XRCD, ctx, 0, 0,                                    \
	   (struct ibv_context * ctx, const struct ibv_xrcd_init_attr *attr,   \
	    struct ibv_xrcd **ret_xrcd),                                       \
	   (ctx, attr, ret_xrcd))                                              \
	OP(close_xrcd, CLOSE_XRCD, xrcd->context, 0, 0,                        \
	   (struct ibv_xrcd * xrcd), (xrcd))                                   \
	NEW(reg_dmabuf_mr, REG_DMABUF_MR, pd->context, (*ret_mr)->lkey,        \
	    length,                                                            \
	    (struct ibv_pd * pd, uint64_t offset, size_t length,               \
	     uint64_t iova, int fd, int access, struct ibv_mr **ret_mr),       \
	    (pd, offset, length, iova, fd, access, ret_mr))                    \
	OP(rereg_mr, REREG_MR, vmr->ibv_mr.context, vmr->ibv_mr.lkey, length,  \
	   (struct verbs_mr * vmr, int flags, struct ibv_pd *pd, void *addr,   \
	    size_t length, int access),                                        \
	   (vmr, flags, pd, addr, length, access))                             \
	OP(dereg_mr, DEREG_MR, vmr->ibv_mr.context, vmr->ibv_mr.lkey,          \
	   vmr->ibv_mr.length, (struct verbs_mr * vmr), (vmr))                 \
	OP(advise_mr, ADVISE_MR, pd->context, pd->handle, 0,                   \
	   (struct ibv_pd * pd, enum ibv_advise_mr_advice advice,              \
	    uint32_t flags, struct ibv_sge * list, uint32_t nr),               \
	   (pd, advice, flags, list, nr))                                      \
	NEW(reg_mr_ex, REG_MR_EX, pd->context, (*ret_mr)->lkey, attr->length,  \
	    (struct ibv_pd * pd, struct ibv_mr_init_attr * attr,               \
	     struct ibv_mr * *ret_mr),                                         \
	    (pd, attr, ret_mr))                                                \
	NEW(alloc_null_mr, ALLOC_NULL_MR, pd->context, (*ret_mr)->lkey, 0,     \
	    (struct ibv_pd * pd, struct ibv_mr * *ret_mr), (pd, ret_mr))       \
	NEW(import_mr, IMPORT_MR, pd->context, (*ret_mr)->lkey, 0,             \
	    (struct ibv_pd * pd, uint32_t handle, struct ibv_mr * *ret_mr),    \
	    (pd, handle, ret_mr))                                              \
	VOID(unimport_mr, UNIMPORT_MR, mr->context, mr->lkey, 0,               \
	     (struct ibv_mr * mr), (mr))                                       \
	OP(dealloc_mw, DEALLOC_MW, mw->context, mw->rkey, 0,                   \
	   (struct ibv_mw * mw), (mw))                                         \
	NEW(alloc_dm, ALLOC_DM, ctx, (*ret_dm)->handle, attr->length,          \
	    (struct ibv_context * ctx, struct ibv_alloc_dm_attr * attr,        \
	     struct ibv_dm * *ret_dm),                                         \
	    (ctx, attr, ret_dm))                                               \
	OP(free_dm, FREE_DM, dm->context, dm->handle, 0, (struct ibv_dm * dm), \
	   (dm))                                                               \
	NEW(reg_dm_mr, REG_DM_MR, pd->context, (*ret_mr)->lkey, length,        \
	    (struct ibv_pd * pd, struct ibv_dm * dm, uint64_t offset,          \
	     size_t length, unsigned int access, struct ibv_mr **ret_mr),      \
	    (pd, dm, offset, length, access, ret_mr))                          \
	OP(dm_export_dmabuf_fd, DM_EXPORT_DMABUF_FD, dm->context, dm->handle,  \
	   0, (struct ibv_dm * dm, int *ret_fd), (dm, ret_fd))                 \
	NEW(import_dm, IMPORT_DM, ctx, (*ret_dm)->handle, 0,                   \
	    (struct ibv_context * ctx, uint32_t handle,                        \
	     struct ibv_dm * *ret_dm),                                         \
	    (ctx, handle, ret_dm))                                             \
	VOID(unimport_dm, UNIMPORT_DM, dm->context, dm->handle, 0,             \
	     (struct ibv_dm * dm), (dm))                                       \
	OP(alloc_dmah, ALLOC_DMAH, ctx, 0, 0,                                  \
	   (struct ibv_context * ctx, struct ibv_dmah_init_attr * attr,        \
	    struct ibv_dmah * *ret_dmah),                                      \
	   (ctx, attr, ret_dmah))                                              \
	OP(dealloc_dmah, DEALLOC_DMAH, dmah->context, 0, 0,                    \
	   (struct ibv_dmah * dmah), (dmah))                                   \
	OP(alloc_buf, ALLOC_BUF, pd->context, pd->handle, size,                \
	   (struct ibv_pd * pd, size_t size, struct ibv_buf * *ret_buf),       \
	   (pd, size, ret_buf))                                                \
	VOID(free_buf, FREE_BUF, buf->pd->context, buf->pd->handle, buf->size, \
	     (struct ibv_buf * buf), (buf))                                    \
	OP(destroy_ah, DESTROY_AH, ah->context, ah->handle, 0,                 \
	   (struct ibv_ah * ah), (ah))                                         \
	OP(attach_mcast, ATTACH_MCAST, qp->context, qp->qp_num, 0,             \
	   (struct ibv_qp * qp, const union ibv_gid *gid, uint16_t lid),       \
	   (qp, gid, lid))                                                     \
	OP(detach_mcast, DETACH_MCAST, qp->context, qp->qp_num, 0,             \
	   (struct ibv_qp * qp, const union ibv_gid *gid, uint16_t lid),       \
	   (qp, gid, lid))                                                     \
	OP(resize_cq, RESIZE_CQ, cq->context, cq->handle, 0,                   \
	   (struct ibv_cq * cq, int cqe), (cq, cqe))                           \
	OP(modify_cq, MODIFY_CQ, cq->context, cq->handle, 0,                   \
	   (struct ibv_cq * cq, struct ibv_modify_cq_attr * attr), (cq, attr)) \
	OP(modify_srq, MODIFY_SRQ, srq->context, srq->handle, 0,               \
	   (struct ibv_srq * srq, struct ibv_srq_attr * attr, int attr_mask),  \
	   (srq, attr, attr_mask))                                             \
	OP(query_srq, QUERY_SRQ, srq->context, srq->handle, 0,                 \
	   (struct ibv_srq * srq, struct ibv_srq_attr * attr), (srq, attr))    \
	OP(get_srq_num, GET_SRQ_NUM, srq->context, srq->handle, 0,             \
	   (struct ibv_srq * srq, uint32_t * ret_srq_num), (srq, ret_srq_num)) \
	NEW(open_qp, OPEN_QP, ctx, (*ret_vqp)->qp.qp_num, 0,                   \
	    (struct ibv_context * ctx, struct ibv_qp_open_attr * attr,         \
	     struct verbs_qp * *ret_vqp),                                      \
	    (ctx, attr, ret_vqp))                                              \
	OP(query_qp, QUERY_QP, qp->context, qp->qp_num, 0,                     \
	   (struct ibv_qp * qp, struct ibv_qp_attr * attr, int attr_mask,      \
	    struct ibv_qp_init_attr *init_attr),                               \
	   (qp, attr, attr_mask, init_attr))                                   \
	OP(modify_qp_rate_limit, MODIFY_QP_RATE_LIMIT, qp->context,            \
	   qp->qp_num, 0,                                                      \
	   (struct ibv_qp * qp, struct ibv_qp_rate_limit_attr * attr),         \
	   (qp, attr))                                                         \
	OP(set_ece, SET_ECE, qp->context, qp->qp_num, 0,                       \
	   (struct ibv_qp * qp, struct ibv_ece * ece), (qp, ece))              \
	OP(query_ece, QUERY_ECE, qp->context, qp->qp_num, 0,                   \
	   (struct ibv_qp * qp, struct ibv_ece * ece), (qp, ece))              \
	OP(query_qp_data_in_order, QUERY_QP_DATA_IN_ORDER, qp->context,        \
	   qp->qp_num, 0,                                                      \
	   (struct ibv_qp * qp, enum ibv_wr_opcode opcode, uint32_t flags),    \
	   (qp, opcode, flags))                                                \
	NEW(create_wq, CREATE_WQ, ctx, (*ret_wq)->wq_num, 0,                   \
	    (struct ibv_context * ctx, struct ibv_wq_init_attr * attr,         \
	     struct ibv_wq * *ret_wq),                                         \
	    (ctx, attr, ret_wq))                                               \
	OP(modify_wq, MODIFY_WQ, wq->context, wq->wq_num, 0,                   \
	   (struct ibv_wq * wq, struct ibv_wq_attr * attr), (wq, attr))        \
	OP(destroy_wq, DESTROY_WQ, wq->context, wq->wq_num, 0,                 \
	   (struct ibv_wq * wq), (wq))                                         \
	NEW(create_rwq_ind_table, CREATE_RWQ_IND_TABLE, ctx,                   \
	    (uint32_t)(*ret_table)->ind_tbl_num, 0,                            \
	    (struct ibv_context * ctx,                                         \
	     struct ibv_rwq_ind_table_init_attr * attr,                        \
	     struct ibv_rwq_ind_table * *ret_table),                           \
	    (ctx, attr, ret_table))                                            \
	OP(destroy_rwq_ind_table, DESTROY_RWQ_IND_TABLE, table->context,       \
	   (uint32_t)table->ind_tbl_num, 0,                                    \
	   (struct ibv_rwq_ind_table * table), (table))                        \
	NEW(create_flow, CREATE_FLOW, qp->context, (*ret_flow)->handle, 0,     \
	    (struct ibv_qp * qp, struct ibv_flow_attr * attr,                  \
	     struct ibv_flow * *ret_flow),                                     \
	    (qp, attr, ret_flow))                                              \
	OP(destroy_flow, DESTROY_FLOW, flow->context, flow->handle, 0,         \
	   (struct ibv_flow * flow), (flow))                                   \
	OP(create_flow_action_esp, CREATE_FLOW_ACTION_ESP, ctx, 0, 0,          \
	   (struct ibv_context * ctx, struct ibv_flow_action_esp_attr * attr,  \
	    struct ibv_flow_action * *ret_action),                             \
	   (ctx, attr, ret_action))                                            \
	OP(modify_flow_action_esp, MODIFY_FLOW_ACTION_ESP, action->context, 0, \
	   0,                                                                  \
	   (struct ibv_flow_action * action,                                   \
	    struct ibv_flow_action_esp_attr * attr),                           \
	   (action, attr))                                                     \
	OP(destroy_flow_action, DESTROY_FLOW_ACTION, action->context, 0, 0,    \
	   (struct ibv_flow_action * action), (action))                        \
	OP(create_counters, CREATE_COUNTERS, ctx, 0, 0,                        \
	   (struct ibv_context * ctx, struct ibv_counters_init_attr * attr,    \
	    struct ibv_counters * *ret_counters),                              \
	   (ctx, attr, ret_counters))                                          \
	OP(destroy_counters, DESTROY_COUNTERS, counters->context, 0, 0,        \
	   (struct ibv_counters * counters), (counters))                       \
	OP(attach_counters_point_flow, ATTACH_COUNTERS_POINT_FLOW,             \
	   counters->context, 0, 0,                                            \
	   (struct ibv_counters * counters,                                    \
	    struct ibv_counter_attach_attr * attr, struct ibv_flow * flow),    \
	   (counters, attr, flow))                                             \
	OP(read_counters, READ_COUNTERS, counters->context, 0, 0,              \
	   (struct ibv_counters * counters, uint64_t * values, uint32_t nr,    \
	    uint32_t flags),                                                   \
	   (counters, values, nr, flags))                                      \
	OP(query_comp_cntr_caps, QUERY_COMP_CNTR_CAPS, ctx, 0, 0,              \
	   (struct ibv_context * ctx, struct ibv_comp_cntr_caps * caps),       \
	   (ctx, caps))                                                        \
	NEW(create_comp_cntr, CREATE_COMP_CNTR, ctx, (*ret_cntr)->handle, 0,   \
	    (struct ibv_context * ctx, struct ibv_comp_cntr_init_attr * attr,  \
	     struct ibv_comp_cntr * *ret_cntr),                                \
	    (ctx, attr, ret_cntr))                                             \
	OP(destroy_comp_cntr, DESTROY_COMP_CNTR, cntr->context, cntr->handle,  \
	   0, (struct ibv_comp_cntr * cntr), (cntr))                           \
	OP(qp_attach_comp_cntr, QP_ATTACH_COMP_CNTR, qp->context, qp->qp_num,  \
	   0,                                                                  \
	   (struct ibv_qp * qp, struct ibv_comp_cntr * cntr,                   \
	    struct ibv_qp_attach_comp_cntr_attr * attr),                       \
	   (qp, cntr, attr))                                                   \
	OP(read_comp_cntr, READ_COMP_CNTR, cntr->context, cntr->handle, 0,     \
	   (struct ibv_comp_cntr * cntr, uint64_t * ret_value),                \
	   (cntr, ret_value))                                                  \
	OP(set_comp_cntr, SET_COMP_CNTR, cntr->context, cntr->handle, 0,       \
	   (struct ibv_comp_cntr * cntr, uint64_t value), (cntr, value))       \
	OP(inc_comp_cntr, INC_COMP_CNTR, cntr->context, cntr->handle, 0,       \
	   (struct ibv_comp_cntr * cntr, uint64_t amount), (cntr, amount))     \
	OP(read_err_comp_cntr, READ_ERR_COMP_CNTR, cntr->context,              \
	   cntr->handle, 0,                                                    \
	   (struct ibv_comp_cntr * cntr, uint64_t * ret_value),                \
	   (cntr, ret_value))                                                  \
	OP(set_err_comp_cntr, SET_ERR_COMP_CNTR, cntr->context, cntr->handle,  \
	   0, (struct ibv_comp_cntr * cntr, uint64_t value), (cntr, value))    \
	OP(inc_err_comp_cntr, INC_ERR_COMP_CNTR, cntr->context, cntr->handle,  \
	   0, (struct ibv_comp_cntr * cntr, uint64_t amount), (cntr, amount))
/* clang-format on */

#endif
