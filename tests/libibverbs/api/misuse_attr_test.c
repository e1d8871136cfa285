/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Missing attributes, outputs and second objects, for each function and each
 * inline function of the control path: the result is EINVAL in the convention
 * of the function, the provider is not called, and no output is written.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "libibverbs/api/api_fixture.h"

#define NOTHING NULL

/* Objects of the context, for calls that do not reach the provider. */
static struct ibv_srq srq;
static struct ibv_cq cq;
static struct ibv_qp qp;
static struct ibv_wq wq;

static int misuse_attr_setup(void **state)
{
	int ret = api_open(state);

	srq = (struct ibv_srq){ .context = api.ctx };
	cq = (struct ibv_cq){ .context = api.ctx };
	qp = (struct ibv_qp){ .context = api.ctx };
	wq = (struct ibv_wq){ .context = api.ctx };
	fake_provider.last_op = "none";
	return ret;
}

static int misuse_attr_teardown(void **state)
{
	ASSERT_OP("none");
	return api_close(state);
}

static void misuse_attr_of_device_is_rejected(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);

	ASSERT_ERRNO(ibv_query_device(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(vctx->query_device_ex(api.ctx, NULL, NOTHING,
					   sizeof(struct ibv_device_attr_ex)),
		     EINVAL);
	ASSERT_ERRNO(ibv_query_rt_values_ex(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(vctx->query_port(api.ctx, 1, NOTHING,
				      sizeof(struct ibv_port_attr)),
		     EINVAL);
	ASSERT_ERRNO((ibv_query_port)(api.ctx, 1, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_query_port_speed(api.ctx, 1, NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_query_pkey(api.ctx, 1, 0, NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_query_gid(api.ctx, 1, 0, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_query_gid_ex(api.ctx, 1, 0, NOTHING, 0), EINVAL);
	assert_int_equal(ibv_query_gid_table(api.ctx, NOTHING, 1, 0), -EINVAL);
}

static void misuse_attr_of_domains_is_rejected(void **state)
{
	struct ibv_parent_domain_init_attr domain = {};

	ASSERT_NULL(ibv_alloc_td(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, &domain), EINVAL);
	ASSERT_NULL(ibv_open_xrcd(api.ctx, NOTHING), EINVAL);
}

static void misuse_attr_of_memory_is_rejected(void **state)
{
	struct ibv_mr_init_attr hint = {
		.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH,
		.addr = &srq,
		.length = 1,
	};
	struct verbs_mr mr = { .ibv_mr = { .context = api.ctx } };

	ASSERT_NULL(ibv_reg_mr_ex(api.pd, NOTHING), EINVAL);
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &hint), EINVAL);
	ASSERT_NULL(ibv_reg_buf_mr(api.pd, NOTHING, &srq, 1, 0), EINVAL);
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(&mr.ibv_mr, IBV_REREG_MR_CHANGE_PD,
				      NOTHING, NULL, 0, 0),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_rereg_mr(&mr.ibv_mr,
				      IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				      NOTHING, 1, 0),
			 IBV_REREG_MR_ERR_INPUT);
	ASSERT_ERRNO(ibv_advise_mr(api.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				   NOTHING, 1),
		     EINVAL);
	ASSERT_NULL(ibv_alloc_dm(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_reg_dm_mr(api.pd, NOTHING, 0, 1, 0), EINVAL);
	ASSERT_NULL(ibv_alloc_buf(api.pd, 1, NOTHING), EINVAL);
}

static void misuse_attr_of_ah_is_rejected(void **state)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct ibv_ah_attr ah = { .dlid = 5 };
	uint8_t mac[ETHERNET_LL_SIZE];
	union ibv_gid *no_gid = NOTHING;

	ASSERT_NULL(ibv_create_ah(api.pd, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_ah_from_wc(api.pd, NOTHING, NOTHING, 1), EINVAL);
	ASSERT_NULL(ibv_create_ah_from_wc(api.pd, &wc, NOTHING, 1), EINVAL);
	ASSERT_MINUS1(ibv_init_ah_from_wc(api.ctx, 1, NOTHING, NOTHING, &ah),
		      EINVAL);
	ASSERT_MINUS1(ibv_init_ah_from_wc(api.ctx, 1, &wc, NOTHING, &ah),
		      EINVAL);
	assert_int_equal(ah.dlid, 5);
	wc.wc_flags = 0;
	ASSERT_MINUS1(ibv_init_ah_from_wc(api.ctx, 1, &wc, NOTHING, NOTHING),
		      EINVAL);
	ASSERT_MINUS1(ibv_resolve_eth_l2_from_gid(api.ctx, NOTHING, mac, NULL),
		      EINVAL);
	ASSERT_MINUS1(ibv_resolve_eth_l2_from_gid(api.ctx, &ah, NOTHING, NULL),
		      EINVAL);
	ASSERT_ERRNO(ibv_attach_mcast(&qp, no_gid, 0), EINVAL);
	ASSERT_ERRNO(ibv_detach_mcast(&qp, no_gid, 0), EINVAL);
}

static void misuse_attr_of_cq_is_rejected(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
	};
	struct ibv_comp_channel channel = { .context = api.ctx, .fd = -1 };
	struct ibv_cq *event_cq;
	void *cq_context;

	ASSERT_NULL(ibv_create_cq_ex(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EINVAL);
	ASSERT_ERRNO(ibv_modify_cq(&cq, NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_get_cq_event(&channel, NOTHING, &cq_context), EINVAL);
	ASSERT_MINUS1(ibv_get_cq_event(&channel, &event_cq, NOTHING), EINVAL);
	ASSERT_MINUS1(ibv_get_async_event(api.ctx, NOTHING), EINVAL);
}

static void misuse_attr_of_srq_is_rejected(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);
	struct ibv_srq_init_attr_ex attr = { .comp_mask = 0 };

	ASSERT_NULL(ibv_create_srq(api.pd, NOTHING), EINVAL);
	/* The inline function reads the attributes. */
	ASSERT_NULL(vctx->create_srq_ex(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_srq_ex(api.ctx, &attr), EINVAL);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_PD;
	ASSERT_NULL(ibv_create_srq_ex(api.ctx, &attr), EINVAL);
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_CQ |
			  IBV_SRQ_INIT_ATTR_XRCD;
	attr.pd = api.pd;
	attr.srq_type = IBV_SRQT_XRC;
	ASSERT_NULL(ibv_create_srq_ex(api.ctx, &attr), EINVAL);
	ASSERT_ERRNO(ibv_modify_srq(&srq, NOTHING, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_srq(&srq, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_get_srq_num(&srq, NOTHING), EINVAL);
}

/* rdma-core reads the two pointers to CQs. */
static void misuse_attr_of_qp_without_queues_is_rejected(void **state)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RC,
		IBV_QPT_UC,
		IBV_QPT_UD,
		IBV_QPT_RAW_PACKET,
	};
	struct ibv_qp_init_attr attr = {};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		attr.qp_type = types[i];
		attr.send_cq = attr.recv_cq = NULL;
		ASSERT_NULL(ibv_create_qp(api.pd, &attr), EINVAL);
		attr.send_cq = &cq;
		ASSERT_NULL(ibv_create_qp(api.pd, &attr), EINVAL);
		attr.send_cq = NULL;
		attr.recv_cq = &cq;
		ASSERT_NULL(ibv_create_qp(api.pd, &attr), EINVAL);
	}
	attr.qp_type = IBV_QPT_XRC_SEND;
	ASSERT_NULL(ibv_create_qp(api.pd, &attr), EINVAL);
}

static void misuse_attr_of_qp_is_rejected(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);
	struct ibv_qp_init_attr_ex init_ex = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};
	struct ibv_qp_open_attr open_attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
	};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ASSERT_NULL(ibv_create_qp(api.pd, NOTHING), EINVAL);
	/* The inline function reads the attributes. */
	ASSERT_NULL(vctx->create_qp_ex(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &init_ex), EINVAL);
	init_ex.comp_mask = 0;
	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &init_ex), EINVAL);
	init_ex = (struct ibv_qp_init_attr_ex){
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = api.pd,
	};
	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &init_ex), EINVAL);
	ASSERT_NULL(ibv_open_qp(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_open_qp(api.ctx, &open_attr), EINVAL);
	ASSERT_ERRNO(ibv_modify_qp(&qp, NOTHING, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_qp(&qp, NOTHING, 0, &init), EINVAL);
	ASSERT_ERRNO(ibv_query_qp(&qp, &attr, 0, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_qp_rate_limit(&qp, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_set_ece(&qp, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_query_ece(&qp, NOTHING), EINVAL);
}

static void misuse_attr_of_wq_is_rejected(void **state)
{
	struct ibv_wq_init_attr init = { .wq_type = IBV_WQT_RQ };
	struct ibv_wq *entries[] = { &wq, NOTHING };
	struct ibv_rwq_ind_table_init_attr table = { .log_ind_tbl_size = 1 };

	ASSERT_NULL(ibv_create_wq(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
	ASSERT_ERRNO(ibv_modify_wq(&wq, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &table), EINVAL);
	table.ind_tbl = entries;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &table), EINVAL);
}

/* A flow with one specification, which follows without alignment. */
static struct ibv_flow *create_flow_with(const void *spec, size_t len)
{
	union {
		struct ibv_flow_attr attr;
		char bytes[sizeof(struct ibv_flow_attr) + 64];
	} flow = { .attr.num_of_specs = 1 };

	assert_true(len <= 64);
	memcpy(flow.bytes + sizeof(flow.attr), spec, len);
	return ibv_create_flow(&qp, &flow.attr);
}

static void misuse_attr_of_flow_is_rejected(void **state)
{
	const struct ibv_flow_spec_action_handle handle = {
		.type = IBV_FLOW_SPEC_ACTION_HANDLE,
		.size = sizeof(handle),
	};
	const struct ibv_flow_spec_counter_action count = {
		.type = IBV_FLOW_SPEC_ACTION_COUNT,
		.size = sizeof(count),
	};
	struct ibv_flow_action_esp_attr key = { .keymat_len = 1 };
	struct ibv_flow_action_esp_attr replay = { .replay_len = 1 };
	struct ibv_flow_action action = { .context = api.ctx };

	ASSERT_NULL(ibv_create_flow(&qp, NOTHING), EINVAL);
	ASSERT_NULL(create_flow_with(&handle, sizeof(handle)), EINVAL);
	ASSERT_NULL(create_flow_with(&count, sizeof(count)), EINVAL);
	ASSERT_NULL(ibv_create_flow_action_esp(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_flow_action_esp(api.ctx, &key), EINVAL);
	ASSERT_NULL(ibv_create_flow_action_esp(api.ctx, &replay), EINVAL);
	ASSERT_ERRNO(ibv_modify_flow_action_esp(&action, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_modify_flow_action_esp(&action, &key), EINVAL);
}

static void misuse_attr_of_counters_is_rejected(void **state)
{
	struct ibv_comp_cntr cntr = { .context = api.ctx };
	struct ibv_counters counters = { .context = api.ctx };

	ASSERT_NULL(ibv_create_counters(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_attach_counters_point_flow(&counters, NOTHING, NULL),
		     EINVAL);
	ASSERT_ERRNO(ibv_read_counters(&counters, NOTHING, 1, 0), EINVAL);
	ASSERT_ERRNO(ibv_query_comp_cntr_caps(api.ctx, NOTHING), EINVAL);
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, &cntr, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_read_comp_cntr(&cntr, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_read_err_comp_cntr(&cntr, NOTHING), EINVAL);
}

#define TEST(name)                                               \
	cmocka_unit_test_setup_teardown(name, misuse_attr_setup, \
					misuse_attr_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(misuse_attr_of_device_is_rejected),
		TEST(misuse_attr_of_domains_is_rejected),
		TEST(misuse_attr_of_memory_is_rejected),
		TEST(misuse_attr_of_ah_is_rejected),
		TEST(misuse_attr_of_cq_is_rejected),
		TEST(misuse_attr_of_srq_is_rejected),
		TEST(misuse_attr_of_qp_without_queues_is_rejected),
		TEST(misuse_attr_of_qp_is_rejected),
		TEST(misuse_attr_of_wq_is_rejected),
		TEST(misuse_attr_of_flow_is_rejected),
		TEST(misuse_attr_of_counters_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
