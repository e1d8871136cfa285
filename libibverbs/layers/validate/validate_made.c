/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that make and destroy objects of which only the existence is recorded.
 * They differ in nothing that a reader needs, so macros make their functions
 * from a table. Without memory for its record, an object is unknown.
 */
#include "layers/validate/validate.h"

/*
 * MAKE(op, kind, context, object, number, used, used, (parameters),
 * (arguments)): the object exists afterwards, and uses two objects, or NULL.
 * DROP(op, "function of the program", type): the object is destroyed.
 * VOID(op, type): the same, without a result.
 */
/* clang-format off: it takes the asterisks of parameters for products */
#define MADE_OPS(MAKE, DROP, VOID)                                             \
	MAKE(import_pd, LAYERS_PD, ctx, *ret_pd, (*ret_pd)->handle, NULL,      \
	     NULL,                                                             \
	     (struct ibv_context * ctx, uint32_t handle,                       \
	      struct ibv_pd * *ret_pd),                                        \
	     (ctx, handle, ret_pd))                                            \
	VOID(unimport_pd, struct ibv_pd)                                       \
	MAKE(alloc_td, LAYERS_TD, ctx, *ret_td, 0, NULL, NULL,                 \
	     (struct ibv_context * ctx, struct ibv_td_init_attr * attr,        \
	      struct ibv_td * *ret_td),                                        \
	     (ctx, attr, ret_td))                                              \
	DROP(dealloc_td, "ibv_dealloc_td", struct ibv_td)                      \
	MAKE(open_xrcd, LAYERS_XRCD, ctx, *ret_xrcd, 0, NULL, NULL,            \
	     (struct ibv_context * ctx, const struct ibv_xrcd_init_attr *attr, \
	      struct ibv_xrcd **ret_xrcd),                                     \
	     (ctx, attr, ret_xrcd))                                            \
	DROP(close_xrcd, "ibv_close_xrcd", struct ibv_xrcd)                    \
	MAKE(alloc_dm, LAYERS_DM, ctx, *ret_dm, (*ret_dm)->handle, NULL, NULL, \
	     (struct ibv_context * ctx, struct ibv_alloc_dm_attr * attr,       \
	      struct ibv_dm * *ret_dm),                                        \
	     (ctx, attr, ret_dm))                                              \
	DROP(free_dm, "ibv_free_dm", struct ibv_dm)                            \
	MAKE(import_dm, LAYERS_DM, ctx, *ret_dm, handle, NULL, NULL,           \
	     (struct ibv_context * ctx, uint32_t handle,                       \
	      struct ibv_dm * *ret_dm),                                        \
	     (ctx, handle, ret_dm))                                            \
	VOID(unimport_dm, struct ibv_dm)                                       \
	MAKE(alloc_dmah, LAYERS_DMAH, ctx, *ret_dmah, 0, NULL, NULL,           \
	     (struct ibv_context * ctx, struct ibv_dmah_init_attr * attr,      \
	      struct ibv_dmah * *ret_dmah),                                    \
	     (ctx, attr, ret_dmah))                                            \
	DROP(dealloc_dmah, "ibv_dealloc_dmah", struct ibv_dmah)                \
	MAKE(create_wq, LAYERS_WQ, ctx, *ret_wq, (*ret_wq)->wq_num, attr->pd,  \
	     attr->cq,                                                         \
	     (struct ibv_context * ctx, struct ibv_wq_init_attr * attr,        \
	      struct ibv_wq * *ret_wq),                                        \
	     (ctx, attr, ret_wq))                                              \
	DROP(destroy_wq, "ibv_destroy_wq", struct ibv_wq)                      \
	MAKE(create_rwq_ind_table, LAYERS_TABLE, ctx, *ret_table,              \
	     (uint32_t)(*ret_table)->ind_tbl_num, NULL, NULL,                  \
	     (struct ibv_context * ctx,                                        \
	      struct ibv_rwq_ind_table_init_attr * attr,                       \
	      struct ibv_rwq_ind_table * *ret_table),                          \
	     (ctx, attr, ret_table))                                           \
	DROP(destroy_rwq_ind_table, "ibv_destroy_rwq_ind_table",               \
	     struct ibv_rwq_ind_table)                                         \
	MAKE(create_flow, LAYERS_FLOW, qp->context, *ret_flow,                 \
	     (*ret_flow)->handle, qp, NULL,                                    \
	     (struct ibv_qp * qp, struct ibv_flow_attr * attr,                 \
	      struct ibv_flow * *ret_flow),                                    \
	     (qp, attr, ret_flow))                                             \
	DROP(destroy_flow, "ibv_destroy_flow", struct ibv_flow)                \
	MAKE(create_flow_action_esp, LAYERS_ACTION, ctx, *ret_action, 0, NULL, \
	     NULL,                                                             \
	     (struct ibv_context * ctx,                                        \
	      struct ibv_flow_action_esp_attr * attr,                          \
	      struct ibv_flow_action * *ret_action),                           \
	     (ctx, attr, ret_action))                                          \
	DROP(destroy_flow_action, "ibv_destroy_flow_action",                   \
	     struct ibv_flow_action)                                           \
	MAKE(create_counters, LAYERS_COUNTERS, ctx, *ret_counters, 0, NULL,    \
	     NULL,                                                             \
	     (struct ibv_context * ctx, struct ibv_counters_init_attr * attr,  \
	      struct ibv_counters * *ret_counters),                            \
	     (ctx, attr, ret_counters))                                        \
	DROP(destroy_counters, "ibv_destroy_counters", struct ibv_counters)    \
	MAKE(create_comp_cntr, LAYERS_COMP_CNTR, ctx, *ret_cntr, 0, NULL,      \
	     NULL,                                                             \
	     (struct ibv_context * ctx, struct ibv_comp_cntr_init_attr * attr, \
	      struct ibv_comp_cntr * *ret_cntr),                               \
	     (ctx, attr, ret_cntr))                                            \
	DROP(destroy_comp_cntr, "ibv_destroy_comp_cntr", struct ibv_comp_cntr)
/* clang-format on */

static void made_add(enum layers_kind kind, const struct ibv_context *ctx,
		     const void *object, uint32_t number, const void *used,
		     const void *used_too)
{
	(void)layers_record_add(&(const struct layers_made){
		.kind = kind,
		.ctx = ctx,
		.object = object,
		.number = number,
		.used = { used, used_too },
	});
}

#define DEFINE_MAKE(op, kind, ctx_of, object, number, used, used_too, \
		    parameters, arguments)                            \
	static int validate_##op parameters                           \
	{                                                             \
		int ret = validate_below(ctx_of)->op arguments;       \
                                                                      \
		if (ret == 0)                                         \
			made_add(kind, ctx_of, object, number, used,  \
				 used_too);                           \
		return ret;                                           \
	}

#define DEFINE_DROP(op, function, type)                               \
	static int validate_##op(type *object)                        \
	{                                                             \
		struct ibv_context *ctx = object->context;            \
		struct layers_mark mark = layers_record_mark(object); \
		int ret = validate_below(ctx)->op(object);            \
                                                                      \
		if (ret == 0)                                         \
			layers_record_drop(mark);                     \
		else                                                  \
			validate_busy(function, ctx, object, ret);    \
		return ret;                                           \
	}

#define DEFINE_VOID(op, type)                                         \
	static void validate_##op(type *object)                       \
	{                                                             \
		struct layers_mark mark = layers_record_mark(object); \
                                                                      \
		validate_below(object->context)->op(object);          \
		layers_record_drop(mark);                             \
	}

MADE_OPS(DEFINE_MAKE, DEFINE_DROP, DEFINE_VOID)

/* Another process may have created the queues of the QP. */
static int validate_open_qp(struct ibv_context *ctx,
			    struct ibv_qp_open_attr *attr,
			    struct verbs_qp **ret_vqp)
{
	int ret = validate_below(ctx)->open_qp(ctx, attr, ret_vqp);

	if (ret == 0)
		(void)layers_record_adopt_qp(&(*ret_vqp)->qp);
	return ret;
}

void validate_replace_made_ops(struct verbs_context_ops *table)
{
#define REPLACE(op, ...) LAYERS_REPLACE(table, validate, op);
	MADE_OPS(REPLACE, REPLACE, REPLACE)
#undef REPLACE
	LAYERS_REPLACE(table, validate, open_qp);
}
