/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls that a trace has, and how layers_trace.c makes the functions of
 * those that no other layer observes. The constants are TRACE_* of
 * trace_format.h.
 */
#ifndef LAYERS_TRACE_OPS_H
#define LAYERS_TRACE_OPS_H

/*
 * Called often, so that each thread counts its own: OP(constant, "function of
 * the program").
 */
#define TRACE_DATA_OPS(OP)                     \
	OP(POST_SEND, "ibv_post_send")         \
	OP(WR_COMPLETE, "ibv_wr_complete")     \
	OP(WR_ABORT, "ibv_wr_abort")           \
	OP(POST_RECV, "ibv_post_recv")         \
	OP(POST_SRQ_RECV, "ibv_post_srq_recv") \
	OP(POLL_CQ, "ibv_poll_cq")             \
	OP(START_POLL, "ibv_start_poll")       \
	OP(NEXT_POLL, "ibv_next_poll")         \
	OP(REQ_NOTIFY_CQ, "ibv_req_notify_cq") \
	OP(GET_CQ_EVENT, "ibv_get_cq_event")

/*
 * The others, in the order of provider.h: OP(op, constant, "function of the
 * program", context, key, bytes, (parameters), (arguments)). NEW: the key is
 * that of the object that the op makes. VOID: the op has no result.
 * OWN(constant, "function of the program"): written by hand.
 *
 * alloc_async_fd, describe_error, get_gsi_ops and qp_to_ex are not recorded,
 * because the program does not call them.
 */
/* clang-format off: it takes the asterisks of parameters for products */
#define TRACE_CONTROL_OPS(OP, NEW, VOID, OWN)                                  \
	OP(query_device, QUERY_DEVICE, "ibv_query_device", ctx, 0, 0,          \
	   (struct ibv_context * ctx,                                          \
	    const struct ibv_query_device_ex_input *input,                     \
	    struct ibv_device_attr_ex *attr, size_t size),                     \
	   (ctx, input, attr, size))                                           \
	OP(query_port, QUERY_PORT, "ibv_query_port", ctx, port, 0,             \
	   (struct ibv_context * ctx, uint8_t port,                            \
	    struct ibv_port_attr * attr),                                      \
	   (ctx, port, attr))                                                  \
	OP(query_gid_entry, QUERY_GID_ENTRY, "ibv_query_gid_ex", ctx, port, 0, \
	   (struct ibv_context * ctx, uint32_t port, uint32_t index,           \
	    struct ibv_gid_entry * ret_entry),                                 \
	   (ctx, port, index, ret_entry))                                      \
	OWN(QUERY_GID_TABLE, "ibv_query_gid_table")                            \
	OP(query_pkey, QUERY_PKEY, "ibv_query_pkey", ctx, port, 0,             \
	   (struct ibv_context * ctx, uint8_t port, int index,                 \
	    __be16 *ret_pkey),                                                 \
	   (ctx, port, index, ret_pkey))                                       \
	OP(query_port_speed, QUERY_PORT_SPEED, "ibv_query_port_speed", ctx,    \
	   port, 0,                                                            \
	   (struct ibv_context * ctx, uint32_t port, uint64_t * ret_speed),    \
	   (ctx, port, ret_speed))                                             \
	OP(query_rt_values, QUERY_RT_VALUES, "ibv_query_rt_values_ex", ctx, 0, \
	   0, (struct ibv_context * ctx, struct ibv_values_ex * values),       \
	   (ctx, values))                                                      \
	OP(create_comp_channel, CREATE_COMP_CHANNEL,                           \
	   "ibv_create_comp_channel", ctx, 0, 0,                               \
	   (struct ibv_context * ctx, int *ret_fd), (ctx, ret_fd))             \
	OWN(GET_ASYNC_EVENT, "ibv_get_async_event")                            \
	OWN(ALLOC_PD, "ibv_alloc_pd")                                          \
	OP(dealloc_pd, DEALLOC_PD, "ibv_dealloc_pd", pd->context, pd->handle,  \
	   0, (struct ibv_pd * pd), (pd))                                      \
	NEW(import_pd, IMPORT_PD, "ibv_import_pd", ctx, (*ret_pd)->handle, 0,  \
	    (struct ibv_context * ctx, uint32_t handle,                        \
	     struct ibv_pd * *ret_pd),                                         \
	    (ctx, handle, ret_pd))                                             \
	VOID(unimport_pd, UNIMPORT_PD, "ibv_unimport_pd", pd->context,         \
	     pd->handle, 0, (struct ibv_pd * pd), (pd))                        \
	OP(alloc_td, ALLOC_TD, "ibv_alloc_td", ctx, 0, 0,                      \
	   (struct ibv_context * ctx, struct ibv_td_init_attr * attr,          \
	    struct ibv_td * *ret_td),                                          \
	   (ctx, attr, ret_td))                                                \
	OP(dealloc_td, DEALLOC_TD, "ibv_dealloc_td", td->context, 0, 0,        \
	   (struct ibv_td * td), (td))                                         \
	NEW(alloc_parent_domain, ALLOC_PARENT_DOMAIN,                          \
	    "ibv_alloc_parent_domain", ctx, (*ret_pd)->handle, 0,              \
	    (struct ibv_context * ctx,                                         \
	     struct ibv_parent_domain_init_attr * attr,                        \
	     struct ibv_pd * *ret_pd),                                         \
	    (ctx, attr, ret_pd))                                               \
	OP(open_xrcd, OPEN_XRCD, "ibv_open_xrcd", ctx, 0, 0,                   \
	   (struct ibv_context * ctx, const struct ibv_xrcd_init_attr *attr,   \
	    struct ibv_xrcd **ret_xrcd),                                       \
	   (ctx, attr, ret_xrcd))                                              \
	OP(close_xrcd, CLOSE_XRCD, "ibv_close_xrcd", xrcd->context, 0, 0,      \
	   (struct ibv_xrcd * xrcd), (xrcd))                                   \
	OWN(REG_MR, "ibv_reg_mr")                                              \
	NEW(reg_dmabuf_mr, REG_DMABUF_MR, "ibv_reg_dmabuf_mr", pd->context,    \
	    (*ret_mr)->lkey, length,                                           \
	    (struct ibv_pd * pd, uint64_t offset, size_t length,               \
	     uint64_t iova, int fd, int access, struct ibv_mr **ret_mr),       \
	    (pd, offset, length, iova, fd, access, ret_mr))                    \
	OP(rereg_mr, REREG_MR, "ibv_rereg_mr", vmr->ibv_mr.context,            \
	   vmr->ibv_mr.lkey, length,                                           \
	   (struct verbs_mr * vmr, int flags, struct ibv_pd *pd, void *addr,   \
	    size_t length, int access),                                        \
	   (vmr, flags, pd, addr, length, access))                             \
	OP(dereg_mr, DEREG_MR, "ibv_dereg_mr", vmr->ibv_mr.context,            \
	   vmr->ibv_mr.lkey, vmr->ibv_mr.length, (struct verbs_mr * vmr),      \
	   (vmr))                                                              \
	OP(advise_mr, ADVISE_MR, "ibv_advise_mr", pd->context, pd->handle, 0,  \
	   (struct ibv_pd * pd, enum ibv_advise_mr_advice advice,              \
	    uint32_t flags, struct ibv_sge * list, uint32_t nr),               \
	   (pd, advice, flags, list, nr))                                      \
	NEW(reg_mr_ex, REG_MR_EX, "ibv_reg_mr_ex", pd->context,                \
	    (*ret_mr)->lkey, attr->length,                                     \
	    (struct ibv_pd * pd, struct ibv_mr_init_attr * attr,               \
	     struct ibv_mr * *ret_mr),                                         \
	    (pd, attr, ret_mr))                                                \
	NEW(alloc_null_mr, ALLOC_NULL_MR, "ibv_alloc_null_mr", pd->context,    \
	    (*ret_mr)->lkey, 0, (struct ibv_pd * pd, struct ibv_mr * *ret_mr), \
	    (pd, ret_mr))                                                      \
	NEW(import_mr, IMPORT_MR, "ibv_import_mr", pd->context,                \
	    (*ret_mr)->lkey, 0,                                                \
	    (struct ibv_pd * pd, uint32_t handle, struct ibv_mr * *ret_mr),    \
	    (pd, handle, ret_mr))                                              \
	VOID(unimport_mr, UNIMPORT_MR, "ibv_unimport_mr", mr->context,         \
	     mr->lkey, 0, (struct ibv_mr * mr), (mr))                          \
	OWN(ALLOC_MW, "ibv_alloc_mw")                                          \
	OP(dealloc_mw, DEALLOC_MW, "ibv_dealloc_mw", mw->context, mw->rkey, 0, \
	   (struct ibv_mw * mw), (mw))                                         \
	NEW(alloc_dm, ALLOC_DM, "ibv_alloc_dm", ctx, (*ret_dm)->handle,        \
	    attr->length,                                                      \
	    (struct ibv_context * ctx, struct ibv_alloc_dm_attr * attr,        \
	     struct ibv_dm * *ret_dm),                                         \
	    (ctx, attr, ret_dm))                                               \
	OP(free_dm, FREE_DM, "ibv_free_dm", dm->context, dm->handle, 0,        \
	   (struct ibv_dm * dm), (dm))                                         \
	NEW(reg_dm_mr, REG_DM_MR, "ibv_reg_dm_mr", pd->context,                \
	    (*ret_mr)->lkey, length,                                           \
	    (struct ibv_pd * pd, struct ibv_dm * dm, uint64_t offset,          \
	     size_t length, unsigned int access, struct ibv_mr **ret_mr),      \
	    (pd, dm, offset, length, access, ret_mr))                          \
	OP(dm_export_dmabuf_fd, DM_EXPORT_DMABUF_FD,                           \
	   "ibv_dm_export_dmabuf_fd", dm->context, dm->handle, 0,              \
	   (struct ibv_dm * dm, int *ret_fd), (dm, ret_fd))                    \
	NEW(import_dm, IMPORT_DM, "ibv_import_dm", ctx, (*ret_dm)->handle, 0,  \
	    (struct ibv_context * ctx, uint32_t handle,                        \
	     struct ibv_dm * *ret_dm),                                         \
	    (ctx, handle, ret_dm))                                             \
	VOID(unimport_dm, UNIMPORT_DM, "ibv_unimport_dm", dm->context,         \
	     dm->handle, 0, (struct ibv_dm * dm), (dm))                        \
	OP(alloc_dmah, ALLOC_DMAH, "ibv_alloc_dmah", ctx, 0, 0,                \
	   (struct ibv_context * ctx, struct ibv_dmah_init_attr * attr,        \
	    struct ibv_dmah * *ret_dmah),                                      \
	   (ctx, attr, ret_dmah))                                              \
	OP(dealloc_dmah, DEALLOC_DMAH, "ibv_dealloc_dmah", dmah->context, 0,   \
	   0, (struct ibv_dmah * dmah), (dmah))                                \
	OP(alloc_buf, ALLOC_BUF, "ibv_alloc_buf", pd->context, pd->handle,     \
	   size, (struct ibv_pd * pd, size_t size, struct ibv_buf * *ret_buf), \
	   (pd, size, ret_buf))                                                \
	VOID(free_buf, FREE_BUF, "ibv_free_buf", buf->pd->context,             \
	     buf->pd->handle, buf->size, (struct ibv_buf * buf), (buf))        \
	OWN(CREATE_AH, "ibv_create_ah")                                        \
	OP(destroy_ah, DESTROY_AH, "ibv_destroy_ah", ah->context, ah->handle,  \
	   0, (struct ibv_ah * ah), (ah))                                      \
	OP(attach_mcast, ATTACH_MCAST, "ibv_attach_mcast", qp->context,        \
	   qp->qp_num, 0,                                                      \
	   (struct ibv_qp * qp, const union ibv_gid *gid, uint16_t lid),       \
	   (qp, gid, lid))                                                     \
	OP(detach_mcast, DETACH_MCAST, "ibv_detach_mcast", qp->context,        \
	   qp->qp_num, 0,                                                      \
	   (struct ibv_qp * qp, const union ibv_gid *gid, uint16_t lid),       \
	   (qp, gid, lid))                                                     \
	OWN(CREATE_CQ, "ibv_create_cq")                                        \
	OP(resize_cq, RESIZE_CQ, "ibv_resize_cq", cq->context, cq->handle, 0,  \
	   (struct ibv_cq * cq, int cqe), (cq, cqe))                           \
	OP(modify_cq, MODIFY_CQ, "ibv_modify_cq", cq->context, cq->handle, 0,  \
	   (struct ibv_cq * cq, struct ibv_modify_cq_attr * attr), (cq, attr)) \
	OWN(DESTROY_CQ, "ibv_destroy_cq")                                      \
	OWN(CREATE_SRQ, "ibv_create_srq")                                      \
	OP(modify_srq, MODIFY_SRQ, "ibv_modify_srq", srq->context,             \
	   srq->handle, 0,                                                     \
	   (struct ibv_srq * srq, struct ibv_srq_attr * attr, int attr_mask),  \
	   (srq, attr, attr_mask))                                             \
	OP(query_srq, QUERY_SRQ, "ibv_query_srq", srq->context, srq->handle,   \
	   0, (struct ibv_srq * srq, struct ibv_srq_attr * attr), (srq, attr)) \
	OP(get_srq_num, GET_SRQ_NUM, "ibv_get_srq_num", srq->context,          \
	   srq->handle, 0, (struct ibv_srq * srq, uint32_t * ret_srq_num),     \
	   (srq, ret_srq_num))                                                 \
	OWN(DESTROY_SRQ, "ibv_destroy_srq")                                    \
	OWN(CREATE_QP, "ibv_create_qp")                                        \
	NEW(open_qp, OPEN_QP, "ibv_open_qp", ctx, (*ret_vqp)->qp.qp_num, 0,    \
	    (struct ibv_context * ctx, struct ibv_qp_open_attr * attr,         \
	     struct verbs_qp * *ret_vqp),                                      \
	    (ctx, attr, ret_vqp))                                              \
	OWN(MODIFY_QP, "ibv_modify_qp")                                        \
	OP(query_qp, QUERY_QP, "ibv_query_qp", qp->context, qp->qp_num, 0,     \
	   (struct ibv_qp * qp, struct ibv_qp_attr * attr, int attr_mask,      \
	    struct ibv_qp_init_attr *init_attr),                               \
	   (qp, attr, attr_mask, init_attr))                                   \
	OWN(DESTROY_QP, "ibv_destroy_qp")                                      \
	OP(modify_qp_rate_limit, MODIFY_QP_RATE_LIMIT,                         \
	   "ibv_modify_qp_rate_limit", qp->context, qp->qp_num, 0,             \
	   (struct ibv_qp * qp, struct ibv_qp_rate_limit_attr * attr),         \
	   (qp, attr))                                                         \
	OP(set_ece, SET_ECE, "ibv_set_ece", qp->context, qp->qp_num, 0,        \
	   (struct ibv_qp * qp, struct ibv_ece * ece), (qp, ece))              \
	OP(query_ece, QUERY_ECE, "ibv_query_ece", qp->context, qp->qp_num, 0,  \
	   (struct ibv_qp * qp, struct ibv_ece * ece), (qp, ece))              \
	OP(query_qp_data_in_order, QUERY_QP_DATA_IN_ORDER,                     \
	   "ibv_query_qp_data_in_order", qp->context, qp->qp_num, 0,           \
	   (struct ibv_qp * qp, enum ibv_wr_opcode opcode, uint32_t flags),    \
	   (qp, opcode, flags))                                                \
	NEW(create_wq, CREATE_WQ, "ibv_create_wq", ctx, (*ret_wq)->wq_num, 0,  \
	    (struct ibv_context * ctx, struct ibv_wq_init_attr * attr,         \
	     struct ibv_wq * *ret_wq),                                         \
	    (ctx, attr, ret_wq))                                               \
	OP(modify_wq, MODIFY_WQ, "ibv_modify_wq", wq->context, wq->wq_num, 0,  \
	   (struct ibv_wq * wq, struct ibv_wq_attr * attr), (wq, attr))        \
	OP(destroy_wq, DESTROY_WQ, "ibv_destroy_wq", wq->context, wq->wq_num,  \
	   0, (struct ibv_wq * wq), (wq))                                      \
	NEW(create_rwq_ind_table, CREATE_RWQ_IND_TABLE,                        \
	    "ibv_create_rwq_ind_table", ctx,                                   \
	    (uint32_t)(*ret_table)->ind_tbl_num, 0,                            \
	    (struct ibv_context * ctx,                                         \
	     struct ibv_rwq_ind_table_init_attr * attr,                        \
	     struct ibv_rwq_ind_table * *ret_table),                           \
	    (ctx, attr, ret_table))                                            \
	OP(destroy_rwq_ind_table, DESTROY_RWQ_IND_TABLE,                       \
	   "ibv_destroy_rwq_ind_table", table->context,                        \
	   (uint32_t)table->ind_tbl_num, 0,                                    \
	   (struct ibv_rwq_ind_table * table), (table))                        \
	NEW(create_flow, CREATE_FLOW, "ibv_create_flow", qp->context,          \
	    (*ret_flow)->handle, 0,                                            \
	    (struct ibv_qp * qp, struct ibv_flow_attr * attr,                  \
	     struct ibv_flow * *ret_flow),                                     \
	    (qp, attr, ret_flow))                                              \
	OP(destroy_flow, DESTROY_FLOW, "ibv_destroy_flow", flow->context,      \
	   flow->handle, 0, (struct ibv_flow * flow), (flow))                  \
	OP(create_flow_action_esp, CREATE_FLOW_ACTION_ESP,                     \
	   "ibv_create_flow_action_esp", ctx, 0, 0,                            \
	   (struct ibv_context * ctx, struct ibv_flow_action_esp_attr * attr,  \
	    struct ibv_flow_action * *ret_action),                             \
	   (ctx, attr, ret_action))                                            \
	OP(modify_flow_action_esp, MODIFY_FLOW_ACTION_ESP,                     \
	   "ibv_modify_flow_action_esp", action->context, 0, 0,                \
	   (struct ibv_flow_action * action,                                   \
	    struct ibv_flow_action_esp_attr * attr),                           \
	   (action, attr))                                                     \
	OP(destroy_flow_action, DESTROY_FLOW_ACTION,                           \
	   "ibv_destroy_flow_action", action->context, 0, 0,                   \
	   (struct ibv_flow_action * action), (action))                        \
	OP(create_counters, CREATE_COUNTERS, "ibv_create_counters", ctx, 0, 0, \
	   (struct ibv_context * ctx, struct ibv_counters_init_attr * attr,    \
	    struct ibv_counters * *ret_counters),                              \
	   (ctx, attr, ret_counters))                                          \
	OP(destroy_counters, DESTROY_COUNTERS, "ibv_destroy_counters",         \
	   counters->context, 0, 0, (struct ibv_counters * counters),          \
	   (counters))                                                         \
	OP(attach_counters_point_flow, ATTACH_COUNTERS_POINT_FLOW,             \
	   "ibv_attach_counters_point_flow", counters->context, 0, 0,          \
	   (struct ibv_counters * counters,                                    \
	    struct ibv_counter_attach_attr * attr, struct ibv_flow * flow),    \
	   (counters, attr, flow))                                             \
	OP(read_counters, READ_COUNTERS, "ibv_read_counters",                  \
	   counters->context, 0, 0,                                            \
	   (struct ibv_counters * counters, uint64_t * values, uint32_t nr,    \
	    uint32_t flags),                                                   \
	   (counters, values, nr, flags))                                      \
	OP(query_comp_cntr_caps, QUERY_COMP_CNTR_CAPS,                         \
	   "ibv_query_comp_cntr_caps", ctx, 0, 0,                              \
	   (struct ibv_context * ctx, struct ibv_comp_cntr_caps * caps),       \
	   (ctx, caps))                                                        \
	NEW(create_comp_cntr, CREATE_COMP_CNTR, "ibv_create_comp_cntr", ctx,   \
	    (*ret_cntr)->handle, 0,                                            \
	    (struct ibv_context * ctx, struct ibv_comp_cntr_init_attr * attr,  \
	     struct ibv_comp_cntr * *ret_cntr),                                \
	    (ctx, attr, ret_cntr))                                             \
	OP(destroy_comp_cntr, DESTROY_COMP_CNTR, "ibv_destroy_comp_cntr",      \
	   cntr->context, cntr->handle, 0, (struct ibv_comp_cntr * cntr),      \
	   (cntr))                                                             \
	OP(qp_attach_comp_cntr, QP_ATTACH_COMP_CNTR,                           \
	   "ibv_qp_attach_comp_cntr", qp->context, qp->qp_num, 0,              \
	   (struct ibv_qp * qp, struct ibv_comp_cntr * cntr,                   \
	    struct ibv_qp_attach_comp_cntr_attr * attr),                       \
	   (qp, cntr, attr))                                                   \
	OP(read_comp_cntr, READ_COMP_CNTR, "ibv_read_comp_cntr",               \
	   cntr->context, cntr->handle, 0,                                     \
	   (struct ibv_comp_cntr * cntr, uint64_t * ret_value),                \
	   (cntr, ret_value))                                                  \
	OP(set_comp_cntr, SET_COMP_CNTR, "ibv_set_comp_cntr", cntr->context,   \
	   cntr->handle, 0, (struct ibv_comp_cntr * cntr, uint64_t value),     \
	   (cntr, value))                                                      \
	OP(inc_comp_cntr, INC_COMP_CNTR, "ibv_inc_comp_cntr", cntr->context,   \
	   cntr->handle, 0, (struct ibv_comp_cntr * cntr, uint64_t amount),    \
	   (cntr, amount))                                                     \
	OP(read_err_comp_cntr, READ_ERR_COMP_CNTR, "ibv_read_err_comp_cntr",   \
	   cntr->context, cntr->handle, 0,                                     \
	   (struct ibv_comp_cntr * cntr, uint64_t * ret_value),                \
	   (cntr, ret_value))                                                  \
	OP(set_err_comp_cntr, SET_ERR_COMP_CNTR, "ibv_set_err_comp_cntr",      \
	   cntr->context, cntr->handle, 0,                                     \
	   (struct ibv_comp_cntr * cntr, uint64_t value), (cntr, value))       \
	OP(inc_err_comp_cntr, INC_ERR_COMP_CNTR, "ibv_inc_err_comp_cntr",      \
	   cntr->context, cntr->handle, 0,                                     \
	   (struct ibv_comp_cntr * cntr, uint64_t amount), (cntr, amount))     \
	OWN(POST_SRQ_OPS, "ibv_post_srq_ops")                                  \
	OWN(BIND_MW, "ibv_bind_mw")
/* clang-format on */

#endif
