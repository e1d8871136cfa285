/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that only the layer trace observes. Most are alike, so macros make their
 * functions from the table in trace_ops.h: 60 functions by hand would
 * differ in nothing that a reader needs.
 */
#include "core/event_object.h"
#include "layers/layers.h"
#include "layers/layers_record.h"
#include "layers/layers_replace.h"
#include "layers/trace/trace.h"
#include "layers/trace/trace_ops.h"

/* The object is destroyed or unchanged, so its key is read before the call. */
#define LAYERS_DEFINE_OP(op, id, name, ctx_of, key, bytes, parameters,        \
			 arguments)                                           \
	static int layers_##op parameters                                     \
	{                                                                     \
		const struct verbs_context_ops *below = layers_below(ctx_of); \
		uint32_t key_before = (key);                                  \
		uint64_t bytes_before = (bytes), begin = trace_begin();       \
		int ret = below->op arguments;                                \
                                                                              \
		trace_call(TRACE_##id, begin, key_before, bytes_before,       \
			   ret < 0 ? ret : 0);                                \
		return ret;                                                   \
	}

#define LAYERS_DEFINE_NEW(op, id, name, ctx_of, key, bytes, parameters,       \
			  arguments)                                          \
	static int layers_##op parameters                                     \
	{                                                                     \
		uint64_t begin = trace_begin();                               \
		int ret = layers_below(ctx_of)->op arguments;                 \
                                                                              \
		trace_call(TRACE_##id, begin, ret ? 0 : (key), (bytes), ret); \
		return ret;                                                   \
	}

#define LAYERS_DEFINE_VOID(op, id, name, ctx_of, key, bytes, parameters,      \
			   arguments)                                         \
	static void layers_##op parameters                                    \
	{                                                                     \
		const struct verbs_context_ops *below = layers_below(ctx_of); \
		uint32_t key_before = (key);                                  \
		uint64_t bytes_before = (bytes), begin = trace_begin();       \
                                                                              \
		below->op arguments;                                          \
		trace_call(TRACE_##id, begin, key_before, bytes_before, 0);   \
	}

#define LAYERS_DEFINE_NOTHING(id, name)

TRACE_CONTROL_OPS(LAYERS_DEFINE_OP, LAYERS_DEFINE_NEW, LAYERS_DEFINE_VOID,
		  LAYERS_DEFINE_NOTHING)

/* The result is the number of entries. */
static ssize_t layers_query_gid_table(struct ibv_context *ctx,
				      struct ibv_gid_entry *entries,
				      size_t max_entries)
{
	uint64_t begin = trace_begin();
	ssize_t ret =
		layers_below(ctx)->query_gid_table(ctx, entries, max_entries);

	trace_call(TRACE_QUERY_GID_TABLE, begin, 0, 0, ret < 0 ? (int)ret : 0);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Data path: the results are positive                                       */
/* ------------------------------------------------------------------------ */

static int layers_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(cq->context)->req_notify_cq(cq, solicited_only);

	trace_call(TRACE_REQ_NOTIFY_CQ, begin, cq->handle, 0, -ret);
	return ret;
}

static int layers_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr,
			       struct ibv_ops_wr **bad_wr)
{
	uint64_t begin = trace_begin();
	int ret = layers_below(srq->context)->post_srq_ops(srq, wr, bad_wr);

	trace_call(TRACE_POST_SRQ_OPS, begin, srq->handle, 0, -ret);
	return ret;
}

/* The completion is that of a send request. */
static int layers_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
			  struct ibv_mw_bind *bind)
{
	const struct layers_record *record = layers_record_find(qp);
	const struct ibv_send_wr wr = { .wr_id = bind->wr_id,
					.opcode = IBV_WR_BIND_MW };
	uint64_t begin = trace_begin();
	struct trace_post post;
	int ret;

	trace_send_begin(&post, record ? record->qp.trace : NULL, &wr, begin);
	ret = layers_below(qp->context)->bind_mw(qp, mw, bind);
	trace_call(TRACE_BIND_MW, begin, mw->rkey, bind->bind_info.length,
		   -ret);
	trace_bind_end(&post, &wr, ret);
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Events that the program has read                                          */
/* ------------------------------------------------------------------------ */

static void layers_cq_event(struct ibv_cq *cq)
{
	uint64_t begin = trace_begin();

	layers_below(cq->context)->cq_event(cq);
	trace_call(TRACE_GET_CQ_EVENT, begin, cq->handle, 0, 0);
}

static struct trace_event
layers_describe_event(const struct ibv_async_event *event)
{
	struct trace_event to = { .type = event->event_type };
	const struct layers_record *record;

	switch (verbs_event_object(event->event_type)) {
	case EVENT_OF_CQ:
		to.number = event->element.cq->handle;
		break;
	case EVENT_OF_QP:
		to.number = event->element.qp->qp_num;
		record = layers_record_find(event->element.qp);
		to.qp = record ? record->qp.trace : NULL;
		break;
	case EVENT_OF_SRQ:
		to.number = event->element.srq->handle;
		break;
	case EVENT_OF_WQ:
		to.number = event->element.wq->wq_num;
		break;
	case EVENT_OF_DEVICE:
		to.number = (uint32_t)event->element.port_num;
		break;
	}
	return to;
}

static void layers_async_event(struct ibv_context *ctx,
			       struct ibv_async_event *event)
{
	uint64_t begin = trace_begin();
	struct trace_event described;

	layers_below(ctx)->async_event(ctx, event);
	described = layers_describe_event(event);
	trace_event(&described, begin);
}

/* The provider's ops are in layers_below(). */
void layers_replace_trace_ops(struct verbs_context_ops *table)
{
#define REPLACE_ROW(op, id, name, ctx_of, key, bytes, parameters, arguments) \
	LAYERS_REPLACE(table, layers, op);
	TRACE_CONTROL_OPS(REPLACE_ROW, REPLACE_ROW, REPLACE_ROW,
			  LAYERS_DEFINE_NOTHING)
	LAYERS_REPLACE(table, layers, query_gid_table);
	LAYERS_REPLACE(table, layers, req_notify_cq);
	LAYERS_REPLACE(table, layers, post_srq_ops);
	LAYERS_REPLACE(table, layers, bind_mw);
	LAYERS_REPLACE(table, layers, cq_event);
	LAYERS_REPLACE(table, layers, async_event);
#undef REPLACE_ROW
}
