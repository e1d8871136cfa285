/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls every verb of the API like an application: checks that it reaches the
 * op of its name, its result when the op fails, and its result when the
 * provider lacks the op. Verbs whose names are inline functions are called
 * through the tables of the context.
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "core/core_context.h"
#include "core/op_table.h"
#include "libibverbs/api/api_fixture.h"

/* Expected result of each call: the provider's errno, or EOPNOTSUPP. */
static int expected;

static void assert_asked(const char *op)
{
	if (expected != EOPNOTSUPP)
		ASSERT_OP(op);
	fake_provider.last_op = "none";
}

/* A verb that returns an object, an errno, or a number. */
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
#define MINUS1(op, call)                       \
	do {                                   \
		ASSERT_MINUS1(call, expected); \
		assert_asked(op);              \
	} while (0)

static void device_verbs(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr domain = { .pd = api.pd };
	struct ibv_xrcd_init_attr xrcd_attr = { .comp_mask = 3, .fd = -1 };
	struct ibv_xrcd xrcd = { .context = api.ctx };
	struct ibv_td td = { .context = api.ctx };
	struct ibv_device_attr_ex device_attr_ex;
	struct ibv_device_attr device_attr;
	struct ibv_values_ex values = {};
	struct ibv_port_attr port_attr;
	struct ibv_gid_entry entry;
	union ibv_gid gid;
	uint64_t speed;
	__be16 pkey;

	ERRNO("query_device", ibv_query_device(api.ctx, &device_attr));
	ERRNO("query_device",
	      ibv_query_device_ex(api.ctx, NULL, &device_attr_ex));
	ERRNO("query_rt_values", ibv_query_rt_values_ex(api.ctx, &values));
	ERRNO("query_port", ibv_query_port(api.ctx, 1, &port_attr));
	ERRNO("query_port", (ibv_query_port)(api.ctx, 1, (void *)&port_attr));
	ERRNO("query_port_speed", ibv_query_port_speed(api.ctx, 1, &speed));
	MINUS1("query_pkey", ibv_query_pkey(api.ctx, 1, 0, &pkey));
	MINUS1("query_pkey", ibv_get_pkey_index(api.ctx, 1, 0xffff));
	MINUS1("query_gid_entry", ibv_query_gid(api.ctx, 1, 0, &gid));
	ERRNO("query_gid_entry", ibv_query_gid_ex(api.ctx, 1, 0, &entry, 0));
	assert_int_equal(ibv_query_gid_table(api.ctx, &entry, 1, 0), -expected);
	assert_asked("query_gid_table");

	OBJECT("create_comp_channel", ibv_create_comp_channel(api.ctx));
	OBJECT("alloc_pd", ibv_alloc_pd(api.ctx));
	ERRNO("dealloc_pd", ibv_dealloc_pd(api.pd));
	OBJECT("import_pd", ibv_import_pd(api.ctx, 1));
	OBJECT("alloc_td", ibv_alloc_td(api.ctx, &td_attr));
	ERRNO("dealloc_td", ibv_dealloc_td(&td));
	OBJECT("alloc_parent_domain",
	       ibv_alloc_parent_domain(api.ctx, &domain));
	OBJECT("open_xrcd", ibv_open_xrcd(api.ctx, &xrcd_attr));
	ERRNO("close_xrcd", ibv_close_xrcd(&xrcd));
}

static void memory_verbs(void)
{
	struct ibv_alloc_dm_attr dm_attr = {};
	struct ibv_dmah_init_attr dmah_attr = {};
	struct ibv_mr_init_attr mr_attr = {
		.comp_mask = IBV_REG_MR_MASK_ADDR,
		.addr = &dm_attr,
	};
	struct verbs_mr mr = { .ibv_mr.context = api.ctx };
	struct ibv_mw mw = { .context = api.ctx, .type = IBV_MW_TYPE_1 };
	struct ibv_dm dm = { .context = api.ctx };
	struct ibv_dmah dmah = { .context = api.ctx };
	struct ibv_sge sge = {};

	OBJECT("reg_mr", ibv_reg_mr(api.pd, &sge, sizeof(sge), 0));
	OBJECT("reg_mr", (ibv_reg_mr)(api.pd, &sge, sizeof(sge), 0));
	OBJECT("reg_mr", ibv_reg_mr_iova(api.pd, &sge, sizeof(sge), 0, 0));
	OBJECT("reg_mr", (ibv_reg_mr_iova)(api.pd, &sge, sizeof(sge), 0, 0));
	OBJECT("reg_mr", ibv_reg_mr_iova2(api.pd, &sge, sizeof(sge), 0, 0));
	OBJECT("reg_dmabuf_mr", ibv_reg_dmabuf_mr(api.pd, 0, 1, 0, 3, 0));
	OBJECT("reg_mr_ex", ibv_reg_mr_ex(api.pd, &mr_attr));
	OBJECT("alloc_null_mr", ibv_alloc_null_mr(api.pd));
	OBJECT("import_mr", ibv_import_mr(api.pd, 1));
	ERRNO("dereg_mr", ibv_dereg_mr(&mr.ibv_mr));
	ERRNO("advise_mr",
	      ibv_advise_mr(api.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1));
	OBJECT("alloc_mw", ibv_alloc_mw(api.pd, IBV_MW_TYPE_2));
	ERRNO("dealloc_mw", ibv_dealloc_mw(&mw));

	OBJECT("alloc_dm", ibv_alloc_dm(api.ctx, &dm_attr));
	ERRNO("free_dm", ibv_free_dm(&dm));
	OBJECT("reg_dm_mr", ibv_reg_dm_mr(api.pd, &dm, 0, 1, 0));
	OBJECT("import_dm", ibv_import_dm(api.ctx, 1));
	MINUS1("dm_export_dmabuf_fd", ibv_dm_export_dmabuf_fd(&dm));
	OBJECT("alloc_dmah", ibv_alloc_dmah(api.ctx, &dmah_attr));
	ERRNO("dealloc_dmah", ibv_dealloc_dmah(&dmah));
}

static void queue_verbs(void)
{
	struct ibv_cq_init_attr_ex cq_attr_ex = { .cqe = 1 };
	struct ibv_modify_cq_attr cq_attr = {};
	struct ibv_srq_init_attr srq_init = {};
	struct ibv_srq_attr srq_attr = {};
	struct ibv_ah_attr ah_attr = {};
	union ibv_gid gid = {};
	struct ibv_cq cq = { .context = api.ctx };
	struct ibv_xrcd xrcd = { .context = api.ctx };
	struct ibv_srq srq = { .context = api.ctx };
	struct ibv_ah ah = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	struct ibv_srq_init_attr_ex srq_init_ex = {
		.comp_mask = 15,
		.srq_type = IBV_SRQT_XRC,
		.pd = api.pd,
		.xrcd = &xrcd,
		.cq = &cq,
	};

	OBJECT("create_cq", ibv_create_cq(api.ctx, 1, NULL, NULL, 0));
	OBJECT("create_cq", ibv_create_cq_ex(api.ctx, &cq_attr_ex));
	ERRNO("resize_cq", ibv_resize_cq(&cq, 2));
	ERRNO("modify_cq", ibv_modify_cq(&cq, &cq_attr));
	ERRNO("destroy_cq", ibv_destroy_cq(&cq));
	OBJECT("create_srq", ibv_create_srq(api.pd, &srq_init));
	OBJECT("create_srq", ibv_create_srq_ex(api.ctx, &srq_init_ex));
	ERRNO("modify_srq", ibv_modify_srq(&srq, &srq_attr, 0));
	ERRNO("query_srq", ibv_query_srq(&srq, &srq_attr));
	ERRNO("destroy_srq", ibv_destroy_srq(&srq));
	OBJECT("create_ah", ibv_create_ah(api.pd, &ah_attr));
	ERRNO("destroy_ah", ibv_destroy_ah(&ah));
	ERRNO("attach_mcast", ibv_attach_mcast(&qp, &gid, 0));
	ERRNO("detach_mcast", ibv_detach_mcast(&qp, &gid, 0));
}

static void queue_pair_verbs(void)
{
	struct ibv_qp_rate_limit_attr limit = {};
	struct ibv_qp_attr qp_attr = {};
	struct ibv_ece ece = { .vendor_id = 1 };
	struct ibv_cq cq = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	struct ibv_xrcd xrcd = { .context = api.ctx };
	struct ibv_qp_init_attr init = {
		.send_cq = &cq,
		.recv_cq = &cq,
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_qp_init_attr_ex init_ex = {
		.send_cq = &cq,
		.recv_cq = &cq,
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = api.pd,
	};
	struct ibv_qp_open_attr open_attr = { .comp_mask = 15, .xrcd = &xrcd };

	OBJECT("create_qp", ibv_create_qp(api.pd, &init));
	OBJECT("create_qp", ibv_create_qp_ex(api.ctx, &init_ex));
	OBJECT("open_qp", ibv_open_qp(api.ctx, &open_attr));
	ERRNO("modify_qp", ibv_modify_qp(&qp, &qp_attr, 0));
	ERRNO("query_qp", ibv_query_qp(&qp, &qp_attr, 0, &init));
	ERRNO("modify_qp_rate_limit", ibv_modify_qp_rate_limit(&qp, &limit));
	ERRNO("set_ece", ibv_set_ece(&qp, &ece));
	ERRNO("query_ece", ibv_query_ece(&qp, &ece));
	ERRNO("destroy_qp", ibv_destroy_qp(&qp));
}

static void work_queue_and_flow_verbs(void)
{
	struct ibv_flow_action_esp_attr esp = {};
	struct ibv_flow_attr flow_attr = {};
	struct ibv_wq_attr wq_attr = {};
	struct ibv_cq cq = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	struct ibv_wq wq = { .context = api.ctx };
	struct ibv_wq *entries[] = { &wq };
	struct ibv_flow flow = { .context = api.ctx };
	struct ibv_flow_action action = { .context = api.ctx };
	struct ibv_rwq_ind_table table = { .context = api.ctx };
	struct ibv_rwq_ind_table_init_attr table_attr = { .ind_tbl = entries };
	struct ibv_wq_init_attr wq_init = { .pd = api.pd, .cq = &cq };

	OBJECT("create_wq", ibv_create_wq(api.ctx, &wq_init));
	ERRNO("modify_wq", ibv_modify_wq(&wq, &wq_attr));
	ERRNO("destroy_wq", ibv_destroy_wq(&wq));
	OBJECT("create_rwq_ind_table",
	       ibv_create_rwq_ind_table(api.ctx, &table_attr));
	ERRNO("destroy_rwq_ind_table", ibv_destroy_rwq_ind_table(&table));
	OBJECT("create_flow", ibv_create_flow(&qp, &flow_attr));
	ERRNO("destroy_flow", ibv_destroy_flow(&flow));
	OBJECT("create_flow_action_esp",
	       ibv_create_flow_action_esp(api.ctx, &esp));
	ERRNO("modify_flow_action_esp",
	      ibv_modify_flow_action_esp(&action, &esp));
	ERRNO("destroy_flow_action", ibv_destroy_flow_action(&action));
}

static void counter_verbs(void)
{
	struct ibv_counters_init_attr counters_init = {};
	struct ibv_counter_attach_attr attach = {};
	struct ibv_comp_cntr_init_attr cntr_init = {};
	struct ibv_qp_attach_comp_cntr_attr qp_attach = {};
	struct ibv_comp_cntr_caps caps;
	struct ibv_counters counters = { .context = api.ctx };
	struct ibv_comp_cntr cntr = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	uint64_t value;

	OBJECT("create_counters", ibv_create_counters(api.ctx, &counters_init));
	ERRNO("attach_counters_point_flow",
	      ibv_attach_counters_point_flow(&counters, &attach, NULL));
	ERRNO("read_counters", ibv_read_counters(&counters, &value, 1, 0));
	ERRNO("destroy_counters", ibv_destroy_counters(&counters));
	ERRNO("query_comp_cntr_caps", ibv_query_comp_cntr_caps(api.ctx, &caps));
	OBJECT("create_comp_cntr", ibv_create_comp_cntr(api.ctx, &cntr_init));
	ERRNO("qp_attach_comp_cntr",
	      ibv_qp_attach_comp_cntr(&qp, &cntr, &qp_attach));
	ERRNO("read_comp_cntr", ibv_read_comp_cntr(&cntr, &value));
	ERRNO("set_comp_cntr", ibv_set_comp_cntr(&cntr, 1));
	ERRNO("inc_comp_cntr", ibv_inc_comp_cntr(&cntr, 1));
	ERRNO("read_err_comp_cntr", ibv_read_err_comp_cntr(&cntr, &value));
	ERRNO("set_err_comp_cntr", ibv_set_err_comp_cntr(&cntr, 1));
	ERRNO("inc_err_comp_cntr", ibv_inc_err_comp_cntr(&cntr, 1));
	ERRNO("destroy_comp_cntr", ibv_destroy_comp_cntr(&cntr));
}

static void every_verb(void)
{
	device_verbs();
	memory_verbs();
	queue_verbs();
	queue_pair_verbs();
	work_queue_and_flow_verbs();
	counter_verbs();
}

static void every_verb_calls_provider_and_returns_errno(void **state)
{
	expected = EBUSY;
	fake_provider.ret = -EBUSY;
	every_verb();
}

/* Simulates a provider that was compiled with a shorter second table. */
static void every_verb_works_with_shortest_table(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);

	vctx->sz = sizeof(*vctx) - offsetof(struct verbs_context, query_port);
	memset(vctx, 0, offsetof(struct verbs_context, query_port));
	expected = EBUSY;
	fake_provider.ret = -EBUSY;
	every_verb();
}

/* Restores the provider's ops for the teardown. */
static void without_operations(void (*verbs)(void))
{
	struct verbs_context_ops *ops = &verbs_priv(api.ctx)->ops;
	const struct verbs_context_ops before = *ops;

	verbs_op_table_init(ops, false);
	verbs_op_table_mirror(ops, &api.ctx->ops);
	verbs();
	*ops = before;
	verbs_op_table_mirror(ops, &api.ctx->ops);
}

static void every_verb_without_op_is_eopnotsupp(void **state)
{
	expected = EOPNOTSUPP;
	without_operations(every_verb);
}

/* ------------------------------------------------------------------------ */
/* The data path, which bypasses the library                                */
/* ------------------------------------------------------------------------ */

static void data_path(void)
{
	struct ibv_send_wr send = {}, *bad_send = NULL;
	struct ibv_recv_wr recv = {}, *bad_recv = NULL;
	struct ibv_ops_wr op = {}, *bad_op = NULL;
	struct ibv_mw_bind bind = {};
	struct ibv_cq cq = { .context = api.ctx };
	struct ibv_qp qp = { .context = api.ctx };
	struct ibv_srq srq = { .context = api.ctx };
	struct ibv_mw mw = { .context = api.ctx, .type = IBV_MW_TYPE_1 };
	struct ibv_wc wc;

	assert_int_equal(ibv_post_send(&qp, &send, &bad_send), EOPNOTSUPP);
	assert_ptr_equal(bad_send, &send);
	assert_int_equal(ibv_post_recv(&qp, &recv, &bad_recv), EOPNOTSUPP);
	assert_ptr_equal(bad_recv, &recv);
	bad_recv = NULL;
	assert_int_equal(ibv_post_srq_recv(&srq, &recv, &bad_recv), EOPNOTSUPP);
	assert_ptr_equal(bad_recv, &recv);
	assert_int_equal(ibv_post_srq_ops(&srq, &op, &bad_op), EOPNOTSUPP);
	assert_ptr_equal(bad_op, &op);
	assert_int_equal(ibv_req_notify_cq(&cq, 0), EOPNOTSUPP);
	assert_int_equal(ibv_bind_mw(&qp, &mw, &bind), EOPNOTSUPP);
	/* A positive number would be a count of completions. */
	assert_int_equal(ibv_poll_cq(&cq, 1, &wc), -EOPNOTSUPP);
}

static void every_data_path_verb_without_op_is_eopnotsupp(void **state)
{
	without_operations(data_path);
}

/* ------------------------------------------------------------------------ */
/* Verbs whose result does not need the provider                            */
/* ------------------------------------------------------------------------ */

static void objects(void)
{
	struct verbs_srq srq = { .srq.context = api.ctx, .srq_num = 6 };
	struct verbs_qp qp = { .qp.context = api.ctx };
	struct verbs_mr mr = { .ibv_mr.context = api.ctx };
	struct ibv_dm dm = { .context = api.ctx };
	struct ibv_pd pd = { .context = api.ctx };
	uint32_t number = 0;

	ASSERT_ERRNO(ibv_get_srq_num(&srq.srq, &number), EINVAL);
	srq.srq_type = IBV_SRQT_XRC;
	ASSERT_OK(ibv_get_srq_num(&srq.srq, &number));
	assert_int_equal(number, 6);

	assert_null(ibv_qp_to_qp_ex(&qp.qp));
	qp.comp_mask = VERBS_QP_MASK_EX;
	assert_ptr_equal(ibv_qp_to_qp_ex(&qp.qp), &qp.qp_ex);
	assert_int_equal(ibv_query_qp_data_in_order(&qp.qp, IBV_WR_SEND, 0), 0);

	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(&mr.ibv_mr, IBV_REREG_MR_CHANGE_ACCESS,
				      NULL, NULL, 0, 0),
			 IBV_REREG_MR_ERR_CMD);
	assert_int_equal(errno, EOPNOTSUPP);

	ibv_unimport_pd(&pd);
	ibv_unimport_dm(&dm);
	ibv_unimport_mr(&mr.ibv_mr);
}

static void every_verb_with_default_result_needs_no_op(void **state)
{
	without_operations(objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(every_verb_calls_provider_and_returns_errno),
		API_TEST(every_verb_works_with_shortest_table),
		API_TEST(every_verb_without_op_is_eopnotsupp),
		API_TEST(every_data_path_verb_without_op_is_eopnotsupp),
		API_TEST(every_verb_with_default_result_needs_no_op),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
