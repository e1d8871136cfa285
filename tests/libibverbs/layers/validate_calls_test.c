/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every call with an object that was destroyed: the layer validate reports
 * AV-LT-003, the result is EINVAL, and the provider is not called. The same
 * call with an object that exists reaches the provider without a message.
 *
 * Inline functions read the object first, so its memory must exist. The
 * module's objects are linked: their records say that an object was destroyed.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "core/core_context.h"
#include "layers/layers_record.h"
#include "libibverbs/api/api_fixture.h"
#include "libibverbs/layers/validate_requested.h"

struct objects {
	struct ibv_pd pd;
	struct ibv_td td;
	struct ibv_xrcd xrcd;
	struct ibv_ah ah;
	struct ibv_cq cq;
	struct ibv_srq srq;
	struct verbs_qp vqp;
	struct ibv_wq wq;
	struct ibv_rwq_ind_table table;
	struct ibv_dm dm;
	struct ibv_dmah dmah;
	struct ibv_flow flow;
	struct ibv_flow_action action;
	struct ibv_counters counters;
	struct ibv_comp_cntr comp_cntr;
	struct verbs_mr vmr;
	struct ibv_mw mw;
	struct ibv_buf buf;
};

static struct objects live, gone;

/* The objects that the calls use: &live or &gone. */
static struct objects *used;

static void objects_init(struct objects *objects)
{
	memset(objects, 0, sizeof(*objects));
	objects->pd.context = api.ctx;
	objects->td.context = api.ctx;
	objects->xrcd.context = api.ctx;
	objects->ah.context = api.ctx;
	objects->cq.context = api.ctx;
	objects->srq.context = api.ctx;
	objects->vqp.qp.context = api.ctx;
	objects->wq.context = api.ctx;
	objects->table.context = api.ctx;
	objects->dm.context = api.ctx;
	objects->dmah.context = api.ctx;
	objects->flow.context = api.ctx;
	objects->action.context = api.ctx;
	objects->counters.context = api.ctx;
	objects->comp_cntr.context = api.ctx;
	objects->vmr.ibv_mr.context = api.ctx;
	objects->mw.context = api.ctx;
	objects->mw.type = IBV_MW_TYPE_1;
	objects->buf.pd = &objects->pd;
}

static void object_destroy(enum layers_kind kind, const void *object)
{
	static const struct layers_mr mr;

	assert_non_null(layers_record_add(&(const struct layers_made){
		.kind = kind, .ctx = api.ctx, .object = object, .mr = &mr }));
	layers_record_drop(layers_record_mark(object));
}

static void objects_destroy(void)
{
	object_destroy(LAYERS_PD, &gone.pd);
	object_destroy(LAYERS_TD, &gone.td);
	object_destroy(LAYERS_XRCD, &gone.xrcd);
	object_destroy(LAYERS_AH, &gone.ah);
	object_destroy(LAYERS_CQ, &gone.cq);
	object_destroy(LAYERS_SRQ, &gone.srq);
	object_destroy(LAYERS_QP, &gone.vqp.qp);
	object_destroy(LAYERS_WQ, &gone.wq);
	object_destroy(LAYERS_TABLE, &gone.table);
	object_destroy(LAYERS_DM, &gone.dm);
	object_destroy(LAYERS_DMAH, &gone.dmah);
	object_destroy(LAYERS_FLOW, &gone.flow);
	object_destroy(LAYERS_ACTION, &gone.action);
	object_destroy(LAYERS_COUNTERS, &gone.counters);
	object_destroy(LAYERS_COMP_CNTR, &gone.comp_cntr);
	object_destroy(LAYERS_MR, &gone.vmr.ibv_mr);
	object_destroy(LAYERS_MW, &gone.mw);
}

static int calls_setup(void **state)
{
	int ret = api_open(state);

	objects_init(&live);
	objects_init(&gone);
	objects_destroy();
	fake_provider.last_op = "none";
	(void)validate_requested_take();
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Checks of a call                                                          */
/* ------------------------------------------------------------------------ */

/* The message names the function, perhaps by its old name: without "_ex". */
static void assert_reported(const char *call)
{
	static const char prefix[] = "verbs-validate: AV-LT-003 error: ";
	const char *text = validate_requested_take();
	const char *name = text + strlen(prefix);

	if (strncmp(text, prefix, strlen(prefix)) != 0 ||
	    strncmp(name, call, strcspn(name, "(")) != 0 ||
	    strchr(text, '\n') != strrchr(text, '\n'))
		fail_msg("%s: \"%s\"", call, text);
}

static void assert_silent(const char *call)
{
	const char *text = validate_requested_take();

	if (*text)
		fail_msg("%s: \"%s\"", call, text);
}

static void assert_call(const char *call)
{
	bool called = strcmp(fake_provider.last_op, "none") != 0;

	if (called != (used == &live))
		fail_msg("%s: the op was %s", call, fake_provider.last_op);
	fake_provider.last_op = "none";
	if (used == &live)
		assert_silent(call);
	else
		assert_reported(call);
}

static int call_errno(void)
{
	return used == &live ? EBUSY : EINVAL;
}

#define OBJECT(call)                             \
	do {                                     \
		ASSERT_NULL(call, call_errno()); \
		assert_call(#call);              \
	} while (0)
#define ERRNO(call)                               \
	do {                                      \
		ASSERT_ERRNO(call, call_errno()); \
		assert_call(#call);               \
	} while (0)

/* ------------------------------------------------------------------------ */
/* Calls                                                                     */
/* ------------------------------------------------------------------------ */

static void domains(void)
{
	struct ibv_parent_domain_init_attr pd = { .pd = &used->pd };
	struct ibv_parent_domain_init_attr td = {
		.pd = &live.pd,
		.td = &used->td,
	};

	ERRNO(ibv_dealloc_pd(&used->pd));
	OBJECT(ibv_alloc_parent_domain(api.ctx, &pd));
	OBJECT(ibv_alloc_parent_domain(api.ctx, &td));
	ERRNO(ibv_dealloc_td(&used->td));
	ERRNO(ibv_close_xrcd(&used->xrcd));
}

static void regions(void)
{
	struct ibv_mr_init_attr attr = {
		.comp_mask = IBV_REG_MR_MASK_ADDR,
		.addr = &live,
		.length = 1,
	};
	struct ibv_mr_init_attr dmah = attr;
	struct ibv_sge sge = {};
	struct ibv_buf *buf;

	dmah.comp_mask |= IBV_REG_MR_MASK_DMAH;
	dmah.dmah = &used->dmah;
	OBJECT(ibv_reg_mr(&used->pd, &sge, sizeof(sge), 0));
	OBJECT(ibv_reg_mr_iova2(&used->pd, &sge, sizeof(sge), 0, 0));
	OBJECT(ibv_reg_dmabuf_mr(&used->pd, 0, 1, 0, 3, 0));
	OBJECT(ibv_reg_mr_ex(&used->pd, &attr));
	OBJECT(ibv_reg_mr_ex(&live.pd, &dmah));
	OBJECT(ibv_alloc_null_mr(&used->pd));
	OBJECT(ibv_import_mr(&used->pd, 1));
	OBJECT(ibv_alloc_buf(&used->pd, 1, &buf));
	ERRNO(ibv_advise_mr(&used->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge,
			    1));
	ERRNO(ibv_dereg_mr(&used->vmr.ibv_mr));
	OBJECT(ibv_alloc_mw(&used->pd, IBV_MW_TYPE_2));
	ERRNO(ibv_dealloc_mw(&used->mw));
}

static void changes(void)
{
	const int error = used == &live ? IBV_REREG_MR_ERR_CMD
					: IBV_REREG_MR_ERR_INPUT;

	assert_int_equal(ibv_rereg_mr(&used->vmr.ibv_mr, IBV_REREG_MR_CHANGE_PD,
				      &live.pd, NULL, 0, 0),
			 error);
	assert_call("ibv_rereg_mr()");
	assert_int_equal(ibv_rereg_mr(&live.vmr.ibv_mr, IBV_REREG_MR_CHANGE_PD,
				      &used->pd, NULL, 0, 0),
			 error);
	assert_call("ibv_rereg_mr()");
}

static void device_memory(void)
{
	OBJECT(ibv_reg_dm_mr(&used->pd, &live.dm, 0, 1, 0));
	OBJECT(ibv_reg_dm_mr(&live.pd, &used->dm, 0, 1, 0));
	ERRNO(ibv_free_dm(&used->dm));
	ASSERT_MINUS1(ibv_dm_export_dmabuf_fd(&used->dm), call_errno());
	assert_call("ibv_dm_export_dmabuf_fd()");
	ERRNO(ibv_dealloc_dmah(&used->dmah));
}

static void cqs(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = &used->pd,
	};
	struct ibv_modify_cq_attr modify = {};

	OBJECT(ibv_create_cq_ex(api.ctx, &attr));
	ERRNO(ibv_resize_cq(&used->cq, 2));
	ERRNO(ibv_modify_cq(&used->cq, &modify));
	ERRNO(ibv_destroy_cq(&used->cq));
}

static void srqs(void)
{
	const struct ibv_srq_init_attr_ex good = {
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = &live.pd,
		.xrcd = &live.xrcd,
		.cq = &live.cq,
	};
	struct ibv_srq_init_attr_ex pd = good, xrcd = good, cq = good;
	struct ibv_srq_init_attr basic = {};
	struct ibv_srq_attr attr = {};

	pd.pd = &used->pd;
	xrcd.xrcd = &used->xrcd;
	cq.cq = &used->cq;
	OBJECT(ibv_create_srq(&used->pd, &basic));
	OBJECT(ibv_create_srq_ex(api.ctx, &pd));
	OBJECT(ibv_create_srq_ex(api.ctx, &xrcd));
	OBJECT(ibv_create_srq_ex(api.ctx, &cq));
	ERRNO(ibv_modify_srq(&used->srq, &attr, 0));
	ERRNO(ibv_query_srq(&used->srq, &attr));
	ERRNO(ibv_destroy_srq(&used->srq));
}

static void new_qps(void)
{
	const struct ibv_qp_init_attr good = {
		.qp_type = IBV_QPT_RC,
		.send_cq = &live.cq,
		.recv_cq = &live.cq,
	};
	struct ibv_qp_init_attr init = good, send = good, recv = good,
				srq = good;

	send.send_cq = &used->cq;
	recv.recv_cq = &used->cq;
	srq.srq = &used->srq;
	OBJECT(ibv_create_qp(&used->pd, &init));
	OBJECT(ibv_create_qp(&live.pd, &send));
	OBJECT(ibv_create_qp(&live.pd, &recv));
	OBJECT(ibv_create_qp(&live.pd, &srq));
}

static void new_extended_qps(void)
{
	struct ibv_qp_init_attr_ex pd = {
		.qp_type = IBV_QPT_UD,
		.send_cq = &live.cq,
		.recv_cq = &live.cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = &used->pd,
	};
	struct ibv_qp_init_attr_ex xrc = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = &used->xrcd,
	};
	struct ibv_qp_init_attr_ex rss = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = &live.pd,
		.rwq_ind_tbl = &used->table,
	};
	struct ibv_qp_open_attr open_attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.xrcd = &used->xrcd,
	};

	OBJECT(ibv_create_qp_ex(api.ctx, &pd));
	OBJECT(ibv_create_qp_ex(api.ctx, &xrc));
	OBJECT(ibv_create_qp_ex(api.ctx, &rss));
	OBJECT(ibv_open_qp(api.ctx, &open_attr));
}

static void qps(void)
{
	struct ibv_qp_rate_limit_attr limit = {};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};
	struct ibv_ece ece = { .vendor_id = 1 };
	const union ibv_gid gid = { .raw = { 0xff } };
	struct ibv_qp *qp = &used->vqp.qp;

	qp->qp_type = IBV_QPT_UD;
	ERRNO(ibv_modify_qp(qp, &attr, 0));
	ERRNO(ibv_query_qp(qp, &attr, 0, &init));
	ERRNO(ibv_modify_qp_rate_limit(qp, &limit));
	ERRNO(ibv_set_ece(qp, &ece));
	ERRNO(ibv_query_ece(qp, &ece));
	ERRNO(ibv_attach_mcast(qp, &gid, 0));
	ERRNO(ibv_detach_mcast(qp, &gid, 0));
	ERRNO(ibv_destroy_qp(qp));
}

static void address_handles(void)
{
	struct ibv_ah_attr attr = {};

	OBJECT(ibv_create_ah(&used->pd, &attr));
	ERRNO(ibv_destroy_ah(&used->ah));
}

static void wqs(void)
{
	struct ibv_wq_init_attr pd = { .pd = &used->pd, .cq = &live.cq };
	struct ibv_wq_init_attr cq = { .pd = &live.pd, .cq = &used->cq };
	struct ibv_wq *entries[] = { &live.wq, &used->wq };
	struct ibv_rwq_ind_table_init_attr table = {
		.log_ind_tbl_size = 1,
		.ind_tbl = entries,
	};
	struct ibv_wq_attr attr = {};

	OBJECT(ibv_create_wq(api.ctx, &pd));
	OBJECT(ibv_create_wq(api.ctx, &cq));
	ERRNO(ibv_modify_wq(&used->wq, &attr));
	ERRNO(ibv_destroy_wq(&used->wq));
	OBJECT(ibv_create_rwq_ind_table(api.ctx, &table));
	ERRNO(ibv_destroy_rwq_ind_table(&used->table));
}

/* The specification follows without alignment. */
struct flow {
	union {
		struct ibv_flow_attr attr;
		char bytes[sizeof(struct ibv_flow_attr) + 64];
	};
};

static void flow_init(struct flow *flow, const void *spec, size_t len)
{
	*flow = (struct flow){ .attr.num_of_specs = 1 };
	assert_true(sizeof(flow->attr) + len <= sizeof(flow->bytes));
	memcpy(flow->bytes + sizeof(flow->attr), spec, len);
}

static void flow_init_action(struct flow *flow,
			     const struct ibv_flow_action *action)
{
	const struct ibv_flow_spec_action_handle spec = {
		.type = IBV_FLOW_SPEC_ACTION_HANDLE,
		.size = sizeof(spec),
		.action = action,
	};

	flow_init(flow, &spec, sizeof(spec));
}

static void flow_init_count(struct flow *flow, struct ibv_counters *of)
{
	const struct ibv_flow_spec_counter_action spec = {
		.type = IBV_FLOW_SPEC_ACTION_COUNT,
		.size = sizeof(spec),
		.counters = of,
	};

	flow_init(flow, &spec, sizeof(spec));
}

static void flows(void)
{
	struct ibv_flow_action_esp_attr esp = {};
	struct ibv_flow_attr attr = {};
	struct flow with_action, with_count;

	flow_init_action(&with_action, &used->action);
	flow_init_count(&with_count, &used->counters);
	OBJECT(ibv_create_flow(&used->vqp.qp, &attr));
	OBJECT(ibv_create_flow(&live.vqp.qp, &with_action.attr));
	OBJECT(ibv_create_flow(&live.vqp.qp, &with_count.attr));
	ERRNO(ibv_destroy_flow(&used->flow));
	ERRNO(ibv_modify_flow_action_esp(&used->action, &esp));
	ERRNO(ibv_destroy_flow_action(&used->action));
}

static void counters(void)
{
	struct ibv_counter_attach_attr attach = {};
	struct ibv_qp_attach_comp_cntr_attr qp_attach = {};
	uint64_t value;

	ERRNO(ibv_attach_counters_point_flow(&used->counters, &attach,
					     &live.flow));
	ERRNO(ibv_attach_counters_point_flow(&live.counters, &attach,
					     &used->flow));
	ERRNO(ibv_read_counters(&used->counters, &value, 1, 0));
	ERRNO(ibv_destroy_counters(&used->counters));
	ERRNO(ibv_qp_attach_comp_cntr(&used->vqp.qp, &live.comp_cntr,
				      &qp_attach));
	ERRNO(ibv_qp_attach_comp_cntr(&live.vqp.qp, &used->comp_cntr,
				      &qp_attach));
	ERRNO(ibv_read_comp_cntr(&used->comp_cntr, &value));
	ERRNO(ibv_set_comp_cntr(&used->comp_cntr, 1));
	ERRNO(ibv_inc_comp_cntr(&used->comp_cntr, 1));
	ERRNO(ibv_read_err_comp_cntr(&used->comp_cntr, &value));
	ERRNO(ibv_set_err_comp_cntr(&used->comp_cntr, 1));
	ERRNO(ibv_inc_err_comp_cntr(&used->comp_cntr, 1));
	ERRNO(ibv_destroy_comp_cntr(&used->comp_cntr));
}

static void every_call(struct objects *objects)
{
	used = objects;
	fake_provider.ret = -EBUSY;
	domains();
	regions();
	changes();
	device_memory();
	cqs();
	srqs();
	new_qps();
	new_extended_qps();
	qps();
	address_handles();
	wqs();
	flows();
	counters();
}

static void calls_with_destroyed_object_are_reported(void **state)
{
	every_call(&gone);
}

static void calls_with_live_object_are_silent(void **state)
{
	every_call(&live);
}

/* Their results do not say that the call was refused. */
static void calls_without_errno_are_reported(void **state)
{
	struct ibv_mw_bind bind = { .bind_info = { .mr = &gone.vmr.ibv_mr } };
	uint32_t number;

	used = &gone;
	assert_null(ibv_qp_to_qp_ex(&gone.vqp.qp));
	assert_call("ibv_qp_to_qp_ex()");
	assert_int_equal(
		ibv_query_qp_data_in_order(&gone.vqp.qp, IBV_WR_SEND, 0), 0);
	assert_call("ibv_query_qp_data_in_order()");
	assert_int_equal(ibv_get_srq_num(&gone.srq, &number), EINVAL);
	assert_call("ibv_get_srq_num()");
	ibv_unimport_pd(&gone.pd);
	assert_call("ibv_unimport_pd()");
	ibv_unimport_mr(&gone.vmr.ibv_mr);
	assert_call("ibv_unimport_mr()");
	ibv_unimport_dm(&gone.dm);
	assert_call("ibv_unimport_dm()");
	ibv_free_buf(&gone.buf);
	assert_call("ibv_free_buf()");

	assert_int_equal(ibv_bind_mw(&live.vqp.qp, &gone.mw, &bind), EINVAL);
	assert_call("ibv_bind_mw()");
	assert_int_equal(ibv_bind_mw(&live.vqp.qp, &live.mw, &bind), EINVAL);
	assert_call("ibv_bind_mw()");
}

/* ------------------------------------------------------------------------ */
/* Objects of the provider                                                   */
/* ------------------------------------------------------------------------ */

/*
 * An object is made and destroyed, so its memory is free. A function that is
 * not inline, or takes it as a second object, does not read it.
 */
#define MADE(object)                       \
	do {                               \
		assert_non_null(object);   \
		assert_silent("creation"); \
	} while (0)
#define DESTROYED(call)                         \
	do {                                    \
		ASSERT_OK(call);                \
		assert_silent(#call);           \
		fake_provider.last_op = "none"; \
	} while (0)

static int provider_setup(void **state)
{
	int ret = calls_setup(state);

	used = &gone;
	return ret;
}

static void destroyed_domain_is_reported(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_xrcd_init_attr xrcd_attr = { .comp_mask = 3, .fd = -1 };
	struct ibv_pd *pd = ibv_alloc_pd(api.ctx);
	struct ibv_pd *imported = ibv_import_pd(api.ctx, 1);
	struct ibv_td *td = ibv_alloc_td(api.ctx, &td_attr);
	struct ibv_xrcd *xrcd = ibv_open_xrcd(api.ctx, &xrcd_attr);
	struct ibv_parent_domain_init_attr attr = { .pd = api.pd, .td = td };
	struct ibv_pd *parent = ibv_alloc_parent_domain(api.ctx, &attr);
	struct ibv_qp_open_attr open_attr = { .comp_mask = 15, .xrcd = xrcd };

	MADE(pd && imported && td && xrcd && parent ? pd : NULL);
	DESTROYED(ibv_dealloc_pd(pd));
	ERRNO(ibv_dealloc_pd(pd));
	ibv_unimport_pd(imported);
	fake_provider.last_op = "none";
	ERRNO(ibv_dealloc_pd(imported));
	DESTROYED(ibv_dealloc_pd(parent));
	ERRNO(ibv_dealloc_pd(parent));
	DESTROYED(ibv_dealloc_td(td));
	OBJECT(ibv_alloc_parent_domain(api.ctx, &attr));
	DESTROYED(ibv_close_xrcd(xrcd));
	OBJECT(ibv_open_qp(api.ctx, &open_attr));
}

static void destroyed_memory_is_reported(void **state)
{
	struct ibv_alloc_dm_attr dm_attr = {};
	struct ibv_dmah_init_attr dmah_attr = {};
	struct ibv_mr *mr = ibv_reg_mr(api.pd, &live, 1, 0);
	struct ibv_dm *dm = ibv_alloc_dm(api.ctx, &dm_attr);
	struct ibv_dm *imported = ibv_import_dm(api.ctx, 1);
	struct ibv_dmah *dmah = ibv_alloc_dmah(api.ctx, &dmah_attr);

	MADE(mr && dm && imported && dmah ? mr : NULL);
	DESTROYED(ibv_dereg_mr(mr));
	ERRNO(ibv_dereg_mr(mr));
	DESTROYED(ibv_free_dm(dm));
	OBJECT(ibv_reg_dm_mr(api.pd, dm, 0, 1, 0));
	ibv_unimport_dm(imported);
	fake_provider.last_op = "none";
	OBJECT(ibv_reg_dm_mr(api.pd, imported, 0, 1, 0));
	DESTROYED(ibv_dealloc_dmah(dmah));
	ERRNO(ibv_dealloc_dmah(dmah));
}

static void destroyed_queue_is_reported(void **state)
{
	struct ibv_cq *cq = ibv_create_cq(api.ctx, 1, NULL, NULL, 0);
	struct ibv_srq_init_attr srq_attr = {};
	struct ibv_srq *srq = ibv_create_srq(api.pd, &srq_attr);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_qp *qp = ibv_create_qp(api.pd, &attr);
	struct ibv_qp_open_attr open_attr = { .comp_mask = 15,
					      .xrcd = &live.xrcd };
	struct ibv_qp *opened = ibv_open_qp(api.ctx, &open_attr);
	struct ibv_ah_attr ah_attr = {};
	struct ibv_ah *ah = ibv_create_ah(api.pd, &ah_attr);

	MADE(cq && srq && qp && opened && ah ? qp : NULL);
	DESTROYED(ibv_destroy_ah(ah));
	ERRNO(ibv_destroy_ah(ah));
	DESTROYED(ibv_destroy_qp(opened));
	ERRNO(ibv_destroy_qp(opened));
	DESTROYED(ibv_destroy_qp(qp));
	ERRNO(ibv_destroy_qp(qp));
	DESTROYED(ibv_destroy_srq(srq));
	ERRNO(ibv_destroy_srq(srq));
	DESTROYED(ibv_destroy_cq(cq));
	ERRNO(ibv_destroy_cq(cq));
	OBJECT(ibv_create_qp(api.pd, &attr));
}

static void destroyed_work_queue_is_reported(void **state)
{
	struct ibv_wq_init_attr attr = { .pd = api.pd, .cq = &live.cq };
	struct ibv_wq *wq = ibv_create_wq(api.ctx, &attr);
	struct ibv_rwq_ind_table_init_attr table_attr = { .ind_tbl = &wq };
	struct ibv_rwq_ind_table *table =
		ibv_create_rwq_ind_table(api.ctx, &table_attr);
	struct ibv_qp_init_attr_ex rss = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = api.pd,
		.rwq_ind_tbl = table,
	};

	MADE(wq && table ? wq : NULL);
	DESTROYED(ibv_destroy_rwq_ind_table(table));
	OBJECT(ibv_create_qp_ex(api.ctx, &rss));
	DESTROYED(ibv_destroy_wq(wq));
	OBJECT(ibv_create_rwq_ind_table(api.ctx, &table_attr));
}

static void destroyed_flow_object_is_reported(void **state)
{
	struct ibv_flow_action_esp_attr esp = {};
	struct ibv_counters_init_attr counters_attr = {};
	struct ibv_comp_cntr_init_attr cntr_attr = {};
	struct ibv_counter_attach_attr attach = {};
	struct ibv_flow_attr attr = {};
	struct ibv_flow *flow = ibv_create_flow(&live.vqp.qp, &attr);
	struct ibv_comp_cntr *cntr = ibv_create_comp_cntr(api.ctx, &cntr_attr);
	struct ibv_flow_action *action =
		ibv_create_flow_action_esp(api.ctx, &esp);
	struct ibv_counters *of = ibv_create_counters(api.ctx, &counters_attr);
	struct flow with_action, with_count;

	flow_init_action(&with_action, action);
	flow_init_count(&with_count, of);
	MADE(flow && cntr && action && of ? flow : NULL);
	DESTROYED(ibv_destroy_flow(flow));
	ERRNO(ibv_attach_counters_point_flow(of, &attach, flow));
	DESTROYED(ibv_destroy_flow_action(action));
	OBJECT(ibv_create_flow(&live.vqp.qp, &with_action.attr));
	DESTROYED(ibv_destroy_counters(of));
	OBJECT(ibv_create_flow(&live.vqp.qp, &with_count.attr));
	DESTROYED(ibv_destroy_comp_cntr(cntr));
	ERRNO(ibv_destroy_comp_cntr(cntr));
}

/* An object at the address of a destroyed one exists. */
static void object_at_address_of_destroyed_is_silent(void **state)
{
	static const struct layers_mr mr;

	assert_non_null(layers_record_add(
		&(const struct layers_made){ .kind = LAYERS_PD,
					     .ctx = api.ctx,
					     .object = &gone.pd,
					     .mr = &mr }));
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dealloc_pd(&gone.pd), EBUSY);
	ASSERT_OP("dealloc_pd");
	assert_silent("ibv_dealloc_pd()");
	layers_record_drop(layers_record_mark(&gone.pd));
}

#define CALLS_TEST(name, setup) \
	cmocka_unit_test_setup_teardown(name, setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(calls_with_destroyed_object_are_reported,
			   calls_setup),
		CALLS_TEST(calls_with_live_object_are_silent, calls_setup),
		CALLS_TEST(calls_without_errno_are_reported, calls_setup),
		CALLS_TEST(destroyed_domain_is_reported, provider_setup),
		CALLS_TEST(destroyed_memory_is_reported, provider_setup),
		CALLS_TEST(destroyed_queue_is_reported, provider_setup),
		CALLS_TEST(destroyed_work_queue_is_reported, provider_setup),
		CALLS_TEST(destroyed_flow_object_is_reported, provider_setup),
		CALLS_TEST(object_at_address_of_destroyed_is_silent,
			   calls_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
