/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of another context. In the kernel, their handles denote other
 * objects, or none: the result is EINVAL, and the provider is not called. A
 * context and an imported one share a descriptor and may use each other's
 * objects.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "libibverbs/api/api_fixture.h"
#include "libibverbs/api/misuse_foreign.h"

__attribute__((weak)) void misuse_foreign_called(bool is_refused)
{
}

/* One object of each kind; the "their" objects belong to the other context. */
struct objects {
	struct ibv_pd pd;
	struct ibv_td td;
	struct ibv_xrcd xrcd;
	struct ibv_cq cq;
	struct ibv_comp_channel channel;
	struct ibv_srq srq;
	struct ibv_qp qp;
	struct ibv_wq wq;
	struct ibv_rwq_ind_table table;
	struct ibv_dm dm;
	struct ibv_dmah dmah;
	struct ibv_flow flow;
	struct ibv_flow_action action;
	struct ibv_counters counters;
	struct ibv_comp_cntr comp_cntr;
	struct verbs_mr mr;
};

static struct ibv_context *other;
static struct objects ours, their;

static void objects_init(struct objects *objects, struct ibv_context *ctx)
{
	memset(objects, 0, sizeof(*objects));
	objects->pd.context = ctx;
	objects->td.context = ctx;
	objects->xrcd.context = ctx;
	objects->cq.context = ctx;
	objects->channel.context = ctx;
	objects->srq.context = ctx;
	objects->qp.context = ctx;
	objects->wq.context = ctx;
	objects->table.context = ctx;
	objects->dm.context = ctx;
	objects->dmah.context = ctx;
	objects->flow.context = ctx;
	objects->action.context = ctx;
	objects->counters.context = ctx;
	objects->comp_cntr.context = ctx;
	objects->mr.ibv_mr.context = ctx;
	objects->mr.ibv_mr.pd = &objects->pd;
}

static int misuse_foreign_setup(void **state)
{
	int ret = api_open(state);

	other = api_open_another();
	objects_init(&ours, api.ctx);
	objects_init(&their, other);
	fake_provider.last_op = "none";
	return ret;
}

static int misuse_foreign_teardown(void **state)
{
	assert_int_equal(ibv_close_device(other), 0);
	return api_close(state);
}

/*
 * Each call is made twice. The first call is rejected by the library. Then the
 * other context is marked as imported, and the same call reaches the provider,
 * which returns EBUSY.
 */
static int expected;

static void assert_asked(const char *op)
{
	ASSERT_OP(expected == EBUSY ? op : "none");
	misuse_foreign_called(expected == EINVAL);
}

#define OBJECT(op, call)                     \
	do {                                 \
		ASSERT_NULL(call, expected); \
		assert_asked(op);            \
	} while (0)
#define ERRNO(op, call)                       \
	do {                                  \
		ASSERT_ERRNO(call, expected); \
		assert_asked(op);             \
	} while (0)

static void assert_calls_are_rejected(void (*calls)(void))
{
	expected = EINVAL;
	calls();
	api_pretend_import(other);
	fake_provider.ret = -EBUSY;
	expected = EBUSY;
	calls();
}

static void domains(void)
{
	struct ibv_parent_domain_init_attr pd = { .pd = &their.pd };
	struct ibv_parent_domain_init_attr td = {
		.pd = &ours.pd,
		.td = &their.td,
	};

	OBJECT("alloc_parent_domain", ibv_alloc_parent_domain(api.ctx, &pd));
	OBJECT("alloc_parent_domain", ibv_alloc_parent_domain(api.ctx, &td));
}

static void mrs(void)
{
	struct ibv_mr_init_attr attr = {
		.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH,
		.addr = &ours,
		.length = 1,
		.dmah = &their.dmah,
	};

	OBJECT("reg_mr_ex", ibv_reg_mr_ex(&ours.pd, &attr));
	OBJECT("reg_dm_mr", ibv_reg_dm_mr(&ours.pd, &their.dm, 0, 1, 0));
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(&ours.mr.ibv_mr, IBV_REREG_MR_CHANGE_PD,
				      &their.pd, NULL, 0, 0),
			 expected == EBUSY ? IBV_REREG_MR_ERR_CMD
					   : IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, expected);
	assert_asked("rereg_mr");
}

static void cqs(void)
{
	struct ibv_cq_init_attr_ex channel = {
		.cqe = 1,
		.channel = &their.channel,
	};
	struct ibv_cq_init_attr_ex domain = {
		.cqe = 1,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = &their.pd,
	};

	OBJECT("create_cq", ibv_create_cq(api.ctx, 1, NULL, &their.channel, 0));
	OBJECT("create_cq", ibv_create_cq_ex(api.ctx, &channel));
	OBJECT("create_cq", ibv_create_cq_ex(api.ctx, &domain));
	assert_int_equal(their.channel.refcnt, 0);
}

static void srqs(void)
{
	const struct ibv_srq_init_attr_ex good = {
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_TM,
		.srq_type = IBV_SRQT_XRC,
		.pd = &ours.pd,
		.xrcd = &ours.xrcd,
		.cq = &ours.cq,
		.tm_cap = { .max_num_tags = 1 },
	};
	struct ibv_srq_init_attr_ex pd = good, xrcd = good, cq = good, tm;

	pd.pd = &their.pd;
	xrcd.xrcd = &their.xrcd;
	cq.cq = &their.cq;
	tm = cq;
	tm.srq_type = IBV_SRQT_TM;
	OBJECT("create_srq", ibv_create_srq_ex(api.ctx, &pd));
	OBJECT("create_srq", ibv_create_srq_ex(api.ctx, &xrcd));
	OBJECT("create_srq", ibv_create_srq_ex(api.ctx, &cq));
	OBJECT("create_srq", ibv_create_srq_ex(api.ctx, &tm));
}

static void qps(void)
{
	const struct ibv_qp_init_attr good = {
		.qp_type = IBV_QPT_RC,
		.send_cq = &ours.cq,
		.recv_cq = &ours.cq,
	};
	struct ibv_qp_init_attr send = good, recv = good, srq = good;

	send.send_cq = &their.cq;
	recv.recv_cq = &their.cq;
	srq.srq = &their.srq;
	OBJECT("create_qp", ibv_create_qp(&ours.pd, &send));
	OBJECT("create_qp", ibv_create_qp(&ours.pd, &recv));
	OBJECT("create_qp", ibv_create_qp(&ours.pd, &srq));
}

static void extended_qps(void)
{
	struct ibv_qp_init_attr_ex pd = {
		.qp_type = IBV_QPT_UD,
		.send_cq = &ours.cq,
		.recv_cq = &ours.cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = &their.pd,
	};
	struct ibv_qp_init_attr_ex xrc_send = {
		.qp_type = IBV_QPT_XRC_SEND,
		.send_cq = &their.cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = &ours.pd,
	};
	struct ibv_qp_init_attr_ex xrc_recv = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = &their.xrcd,
	};
	struct ibv_qp_init_attr_ex rss = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = &ours.pd,
		.rwq_ind_tbl = &their.table,
	};
	struct ibv_qp_open_attr open_attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.xrcd = &their.xrcd,
	};

	OBJECT("create_qp", ibv_create_qp_ex(api.ctx, &pd));
	OBJECT("create_qp", ibv_create_qp_ex(api.ctx, &xrc_send));
	OBJECT("create_qp", ibv_create_qp_ex(api.ctx, &xrc_recv));
	OBJECT("create_qp", ibv_create_qp_ex(api.ctx, &rss));
	OBJECT("open_qp", ibv_open_qp(api.ctx, &open_attr));
}

static void wqs(void)
{
	struct ibv_wq_init_attr pd = { .pd = &their.pd, .cq = &ours.cq };
	struct ibv_wq_init_attr cq = { .pd = &ours.pd, .cq = &their.cq };
	struct ibv_wq *entries[] = { &ours.wq, &their.wq };
	struct ibv_rwq_ind_table_init_attr table = {
		.log_ind_tbl_size = 1,
		.ind_tbl = entries,
	};

	OBJECT("create_wq", ibv_create_wq(api.ctx, &pd));
	OBJECT("create_wq", ibv_create_wq(api.ctx, &cq));
	OBJECT("create_rwq_ind_table",
	       ibv_create_rwq_ind_table(api.ctx, &table));
}

static void counters(void)
{
	struct ibv_counter_attach_attr attach = {};
	struct ibv_qp_attach_comp_cntr_attr qp_attach = {};

	ERRNO("attach_counters_point_flow",
	      ibv_attach_counters_point_flow(&ours.counters, &attach,
					     &their.flow));
	ERRNO("qp_attach_comp_cntr",
	      ibv_qp_attach_comp_cntr(&ours.qp, &their.comp_cntr, &qp_attach));
}

/* ------------------------------------------------------------------------ */
/* Specifications of a flow                                                 */
/* ------------------------------------------------------------------------ */

/* Specifications follow one another without alignment. */
struct flow {
	union {
		struct ibv_flow_attr attr;
		char bytes[sizeof(struct ibv_flow_attr) + 256];
	};
	size_t len;
};

static void flow_init(struct flow *flow)
{
	*flow = (struct flow){ .len = sizeof(flow->attr) };
}

static void flow_add_spec(struct flow *flow, const void *spec, size_t len)
{
	assert_true(flow->len + len <= sizeof(flow->bytes));
	memcpy(flow->bytes + flow->len, spec, len);
	flow->len += len;
	flow->attr.num_of_specs++;
}

static void flow_add_filter(struct flow *flow)
{
	const struct ibv_flow_spec_eth eth = {
		.type = IBV_FLOW_SPEC_ETH,
		.size = sizeof(eth),
	};

	flow_add_spec(flow, &eth, sizeof(eth));
}

static void flow_add_action(struct flow *flow,
			    const struct ibv_flow_action *action)
{
	const struct ibv_flow_spec_action_handle spec = {
		.type = IBV_FLOW_SPEC_ACTION_HANDLE,
		.size = sizeof(spec),
		.action = action,
	};

	flow_add_spec(flow, &spec, sizeof(spec));
}

static void flow_add_count(struct flow *flow, struct ibv_counters *of)
{
	const struct ibv_flow_spec_counter_action spec = {
		.type = IBV_FLOW_SPEC_ACTION_COUNT,
		.size = sizeof(spec),
		.counters = of,
	};

	flow_add_spec(flow, &spec, sizeof(spec));
}

static void flows(void)
{
	struct flow flow;

	flow_init(&flow);
	flow_add_filter(&flow);
	flow_add_action(&flow, &their.action);
	OBJECT("create_flow", ibv_create_flow(&ours.qp, &flow.attr));
	flow_init(&flow);
	flow_add_action(&flow, &ours.action);
	flow_add_count(&flow, &their.counters);
	OBJECT("create_flow", ibv_create_flow(&ours.qp, &flow.attr));
}

static void misuse_flow_objects_of_same_context_reach_provider(void **state)
{
	struct flow flow;

	flow_init(&flow);
	flow_add_filter(&flow);
	flow_add_action(&flow, &ours.action);
	flow_add_count(&flow, &ours.counters);
	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_flow(&ours.qp, &flow.attr), EBUSY);
	ASSERT_OP("create_flow");
}

/* Modules of other releases may leave the context of an object NULL. */
static void misuse_flow_objects_without_context_reach_provider(void **state)
{
	struct ibv_flow_action action = {};
	struct ibv_counters of = {};
	struct flow flow;

	flow_init(&flow);
	flow_add_action(&flow, &action);
	flow_add_count(&flow, &of);
	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_flow(&ours.qp, &flow.attr), EBUSY);
	ASSERT_OP("create_flow");
}

/*
 * The provider checks a specification whose size is invalid, and all that
 * follow.
 */
static void misuse_flow_spec_of_size_0_reaches_provider(void **state)
{
	struct {
		uint32_t type;
		uint16_t size;
	} spec = { .type = IBV_FLOW_SPEC_ETH, .size = 5 };
	struct flow flow;

	flow_init(&flow);
	flow_add_spec(&flow, &spec, 6);
	flow_add_action(&flow, &their.action);
	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_flow(&ours.qp, &flow.attr), EBUSY);
	ASSERT_OP("create_flow");
}

/* A specification may consist of its head only. */
static void misuse_flow_object_behind_short_spec_is_checked(void **state)
{
	struct {
		uint32_t type;
		uint16_t size;
	} spec = { .type = IBV_FLOW_SPEC_ACTION_DROP, .size = 6 };
	struct flow flow;

	flow_init(&flow);
	flow_add_spec(&flow, &spec, 6);
	flow_add_count(&flow, &their.counters);
	ASSERT_NULL(ibv_create_flow(&ours.qp, &flow.attr), EINVAL);
	ASSERT_OP("none");
}

/* Bytes behind the last specification are not part of the flow. */
static void misuse_flow_object_behind_last_spec_is_ignored(void **state)
{
	struct flow flow;

	flow_init(&flow);
	flow_add_filter(&flow);
	flow_add_count(&flow, &their.counters);
	flow.attr.num_of_specs--;
	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_flow(&ours.qp, &flow.attr), EBUSY);
	ASSERT_OP("create_flow");
}

/* The specification is too short for a pointer: no bytes behind it are read. */
static void misuse_flow_short_action_spec_reaches_provider(void **state)
{
	struct {
		uint32_t type;
		uint16_t size;
	} spec = { .type = IBV_FLOW_SPEC_ACTION_HANDLE, .size = 6 };
	struct flow flow;

	flow_init(&flow);
	flow_add_spec(&flow, &spec, 6);
	spec.type = IBV_FLOW_SPEC_ACTION_COUNT;
	flow_add_spec(&flow, &spec, 6);
	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_flow(&ours.qp, &flow.attr), EBUSY);
	ASSERT_OP("create_flow");
}

#define TWICE(name)                                                    \
	static void misuse_foreign_##name##_are_rejected(void **state) \
	{                                                              \
		assert_calls_are_rejected(name);                       \
	}
TWICE(domains)
TWICE(mrs)
TWICE(cqs)
TWICE(srqs)
TWICE(qps)
TWICE(extended_qps)
TWICE(wqs)
TWICE(counters)
TWICE(flows)

#define TEST(name)                                                  \
	cmocka_unit_test_setup_teardown(name, misuse_foreign_setup, \
					misuse_foreign_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(misuse_foreign_domains_are_rejected),
		TEST(misuse_foreign_mrs_are_rejected),
		TEST(misuse_foreign_cqs_are_rejected),
		TEST(misuse_foreign_srqs_are_rejected),
		TEST(misuse_foreign_qps_are_rejected),
		TEST(misuse_foreign_extended_qps_are_rejected),
		TEST(misuse_foreign_wqs_are_rejected),
		TEST(misuse_foreign_counters_are_rejected),
		TEST(misuse_foreign_flows_are_rejected),
		TEST(misuse_flow_objects_of_same_context_reach_provider),
		TEST(misuse_flow_objects_without_context_reach_provider),
		TEST(misuse_flow_spec_of_size_0_reaches_provider),
		TEST(misuse_flow_object_behind_short_spec_is_checked),
		TEST(misuse_flow_object_behind_last_spec_is_ignored),
		TEST(misuse_flow_short_action_spec_reaches_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
