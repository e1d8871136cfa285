/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Undefined values: bits of masks and flags, values of enums, and lengths. The
 * provider is not called. Attributes and flags that a later release may define
 * are EOPNOTSUPP, values that can never be valid are EINVAL. Values with a
 * meaning for the device only (ports, slots, handles, access rights, sizes of
 * queues) are checked by the provider and not tested here.
 */
#include <infiniband/verbs.h>

#include "libibverbs/api/api_fixture.h"

#define HIGH_BIT (1u << 31)

static struct ibv_srq srq;
static struct ibv_cq cq;
static struct ibv_qp qp;
static struct ibv_wq wq;
static struct ibv_xrcd xrcd;

static int misuse_bits_setup(void **state)
{
	int ret = api_open(state);

	srq = (struct ibv_srq){ .context = api.ctx };
	cq = (struct ibv_cq){ .context = api.ctx };
	qp = (struct ibv_qp){ .context = api.ctx };
	wq = (struct ibv_wq){ .context = api.ctx };
	xrcd = (struct ibv_xrcd){ .context = api.ctx };
	fake_provider.last_op = "none";
	return ret;
}

static int misuse_bits_teardown(void **state)
{
	ASSERT_OP("none");
	return api_close(state);
}

static void misuse_bits_of_device_and_port_are_rejected(void **state)
{
	struct verbs_context *vctx = verbs_get_ctx(api.ctx);
	struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct ibv_device_attr_ex attr;
	struct ibv_gid_entry entry;
	union ibv_gid gid;

	assert_int_equal(ibv_query_device_ex(api.ctx, &input, &attr), EINVAL);
	ASSERT_ERRNO(
		vctx->query_device_ex(api.ctx, &input, &attr, sizeof(attr)),
		EINVAL);
	ASSERT_ERRNO(vctx->query_device_ex(api.ctx, NULL, &attr,
					   sizeof(attr.orig_attr) - 1),
		     EINVAL);
	ASSERT_MINUS1(ibv_query_gid(api.ctx, 1, -1, &gid), EINVAL);
	ASSERT_ERRNO(ibv_query_gid_ex(api.ctx, 1, 0, &entry, 1), EINVAL);
	ASSERT_ERRNO(_ibv_query_gid_ex(api.ctx, 1, 0, &entry, 0, 0), EINVAL);
	assert_int_equal(ibv_query_gid_table(api.ctx, &entry, 1, 1), -EINVAL);
	assert_int_equal(_ibv_query_gid_table(api.ctx, &entry, 1, 0, 0),
			 -EINVAL);
	ASSERT_NULL(ibv_import_device(-1), EINVAL);
}

static void misuse_bits_of_domains_are_rejected(void **state)
{
	struct ibv_parent_domain_init_attr domain = {
		.pd = api.pd,
		.comp_mask = HIGH_BIT,
	};
	struct ibv_td_init_attr td = { .comp_mask = 1 };
	struct ibv_xrcd_init_attr domain_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS |
			     IBV_XRCD_INIT_ATTR_RESERVED,
	};

	ASSERT_NULL(ibv_alloc_td(api.ctx, &td), EOPNOTSUPP);
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, &domain), EOPNOTSUPP);
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &domain_attr), EOPNOTSUPP);
	domain_attr.comp_mask = IBV_XRCD_INIT_ATTR_FD;
	ASSERT_NULL(ibv_open_xrcd(api.ctx, &domain_attr), EINVAL);
}

static void assert_rereg_is_refused(int flags, int access)
{
	struct verbs_mr mr = { .ibv_mr.context = api.ctx };

	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(&mr.ibv_mr, flags, NULL, &mr, 1, access),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
}

static void misuse_bits_of_mr_are_rejected(void **state)
{
	struct ibv_mr_init_attr attr = {
		.comp_mask = IBV_REG_MR_MASK_ADDR | UINT64_C(1) << 63,
		.addr = &srq,
		.length = 1,
	};

	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), EINVAL);
	attr.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_FD;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), EINVAL);
	assert_rereg_is_refused(IBV_REREG_MR_FLAGS_SUPPORTED + 1, 0);
	assert_rereg_is_refused(IBV_REREG_MR_CHANGE_TRANSLATION,
				IBV_ACCESS_LOCAL_WRITE);
	ASSERT_NULL(ibv_alloc_mw(api.pd, 0), EINVAL);
	ASSERT_NULL(ibv_alloc_mw(api.pd, (enum ibv_mw_type)3), EINVAL);
}

static void misuse_bits_of_dm_are_rejected(void **state)
{
	struct ibv_alloc_dm_attr dm = { .comp_mask = 1 };

	ASSERT_NULL(ibv_alloc_dm(api.ctx, &dm), EOPNOTSUPP);
}

static void misuse_bits_of_cq_are_rejected(void **state)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 1 };
	struct ibv_modify_cq_attr change = {
		.attr_mask = IBV_CQ_ATTR_RESERVED,
	};

	ASSERT_NULL(ibv_create_cq(api.ctx, 0, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(ibv_create_cq(api.ctx, -1, NULL, NULL, 0), EINVAL);
	ASSERT_NULL(ibv_create_cq(api.ctx, 1, NULL, NULL, -1), EINVAL);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD << 1;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN << 1;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.wc_flags = UINT64_C(1) << 63;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.cqe = 0;
	ASSERT_NULL(ibv_create_cq_ex(api.ctx, &attr), EINVAL);
	ASSERT_ERRNO(ibv_resize_cq(&cq, 0), EINVAL);
	ASSERT_ERRNO(ibv_resize_cq(&cq, -1), EINVAL);
	ASSERT_ERRNO(ibv_modify_cq(&cq, &change), EINVAL);
}

static void misuse_bits_of_srq_are_rejected(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_RESERVED,
		.pd = api.pd,
		.cq = &cq,
		.xrcd = &xrcd,
	};
	struct ibv_srq_attr change = {};

	ASSERT_NULL(ibv_create_srq_ex(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_RESERVED - 1;
	attr.srq_type = (enum ibv_srq_type)(IBV_SRQT_TM + 1);
	ASSERT_NULL(ibv_create_srq_ex(api.ctx, &attr), EINVAL);
	attr.srq_type = IBV_SRQT_TM; /* for no tags */
	ASSERT_NULL(ibv_create_srq_ex(api.ctx, &attr), EINVAL);
	ASSERT_ERRNO(ibv_modify_srq(&srq, &change, IBV_SRQ_LIMIT << 1), EINVAL);
	ASSERT_ERRNO(ibv_modify_srq(&srq, &change, -1), EINVAL);
}

static void misuse_bits_of_qp_create_are_rejected(void **state)
{
	struct ibv_qp_init_attr init = { .send_cq = &cq, .recv_cq = &cq };
	struct ibv_qp_init_attr_ex init_ex = {
		.qp_type = IBV_QPT_UD,
		.send_cq = &cq,
		.recv_cq = &cq,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS << 1,
		.pd = api.pd,
	};
	struct ibv_qp_open_attr open_attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_RESERVED,
		.xrcd = &xrcd,
	};

	init.qp_type = (enum ibv_qp_type)0;
	ASSERT_NULL(ibv_create_qp(api.pd, &init), EINVAL);
	init.qp_type = (enum ibv_qp_type)5;
	ASSERT_NULL(ibv_create_qp(api.pd, &init), EINVAL);
	init.qp_type = (enum ibv_qp_type)256;
	ASSERT_NULL(ibv_create_qp(api.pd, &init), EINVAL);
	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &init_ex), EINVAL);
	ASSERT_NULL(ibv_open_qp(api.ctx, &open_attr), EOPNOTSUPP);
	open_attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD;
	ASSERT_NULL(ibv_open_qp(api.ctx, &open_attr), EINVAL);
}

static void misuse_bits_of_qp_are_rejected(void **state)
{
	struct ibv_qp_rate_limit_attr limit = { .comp_mask = 1 };
	struct ibv_ece ece = { .vendor_id = 0 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };

	qp.state = IBV_QPS_INIT;
	ASSERT_ERRNO(ibv_modify_qp(&qp, &attr, IBV_QP_STATE), EINVAL);
	/* The kernel would truncate these values to RTS. */
	attr.qp_state = (enum ibv_qp_state)(256 + IBV_QPS_RTS);
	ASSERT_ERRNO(ibv_modify_qp(&qp, &attr, IBV_QP_STATE), EINVAL);
	attr.qp_state = IBV_QPS_RTS;
	attr.cur_qp_state = (enum ibv_qp_state)(256 + IBV_QPS_RTS);
	ASSERT_ERRNO(ibv_modify_qp(&qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE),
		     EINVAL);
	assert_int_equal(qp.state, IBV_QPS_INIT);
	ASSERT_ERRNO(ibv_modify_qp_rate_limit(&qp, &limit), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_set_ece(&qp, &ece), EOPNOTSUPP);
	assert_int_equal(ibv_query_qp_data_in_order(&qp, IBV_WR_SEND, HIGH_BIT),
			 0);
}

static void misuse_bits_of_wq_are_rejected(void **state)
{
	struct ibv_wq *entries[] = { &wq };
	struct ibv_wq_attr change = { .attr_mask = IBV_WQ_ATTR_RESERVED };
	struct ibv_wq_init_attr init = {
		.pd = api.pd,
		.cq = &cq,
		.comp_mask = IBV_WQ_INIT_ATTR_RESERVED,
	};
	struct ibv_rwq_ind_table_init_attr table = {
		.comp_mask = 1,
		.ind_tbl = entries,
	};

	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
	init.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	init.create_flags = IBV_WQ_FLAGS_RESERVED;
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EOPNOTSUPP);
	init.comp_mask = 0;
	init.wq_type = (enum ibv_wq_type)(IBV_WQT_RQ + 1);
	ASSERT_NULL(ibv_create_wq(api.ctx, &init), EINVAL);
	ASSERT_ERRNO(ibv_modify_wq(&wq, &change), EINVAL);
	change.attr_mask = IBV_WQ_ATTR_FLAGS;
	change.flags_mask = IBV_WQ_FLAGS_RESERVED;
	ASSERT_ERRNO(ibv_modify_wq(&wq, &change), EOPNOTSUPP);
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &table), EINVAL);
	table.comp_mask = 0;
	table.log_ind_tbl_size = 32;
	ASSERT_NULL(ibv_create_rwq_ind_table(api.ctx, &table), EINVAL);
}

static void misuse_bits_of_flows_and_counters_are_rejected(void **state)
{
	struct ibv_counters_init_attr counters_attr = { .comp_mask = 1 };
	struct ibv_counter_attach_attr attach = { .comp_mask = 1 };
	struct ibv_flow_action_esp_attr esp = {
		.comp_mask = IBV_FLOW_ACTION_ESP_MASK_ESN << 1,
	};
	struct ibv_counters counters = { .context = api.ctx };
	struct ibv_flow_action action = { .context = api.ctx };

	ASSERT_NULL(ibv_create_flow_action_esp(api.ctx, &esp), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_modify_flow_action_esp(&action, &esp), EOPNOTSUPP);
	ASSERT_NULL(ibv_create_counters(api.ctx, &counters_attr), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_attach_counters_point_flow(&counters, &attach, NULL),
		     EOPNOTSUPP);
}

static void misuse_bits_of_comp_cntr_are_rejected(void **state)
{
	struct ibv_comp_cntr_init_attr attr = { .comp_mask = 1 };
	struct ibv_qp_attach_comp_cntr_attr attach = { .comp_mask = 1 };
	struct ibv_comp_cntr cntr = { .context = api.ctx };
	struct ibv_comp_cntr_caps caps;

	ASSERT_ERRNO(_ibv_query_comp_cntr_caps(api.ctx, &caps, 15), EINVAL);
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.flags = 1;
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &attr), EOPNOTSUPP);
	attr.flags = 0;
	attr.type = (enum ibv_comp_cntr_type)(IBV_COMP_CNTR_TYPE_BYTES + 1);
	ASSERT_NULL(ibv_create_comp_cntr(api.ctx, &attr), EINVAL);
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, &cntr, &attach), EOPNOTSUPP);
	attach.comp_mask = 0;
	attach.op_mask = HIGH_BIT;
	ASSERT_ERRNO(ibv_qp_attach_comp_cntr(&qp, &cntr, &attach), EOPNOTSUPP);
}

#define TEST(name)                                               \
	cmocka_unit_test_setup_teardown(name, misuse_bits_setup, \
					misuse_bits_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(misuse_bits_of_device_and_port_are_rejected),
		TEST(misuse_bits_of_domains_are_rejected),
		TEST(misuse_bits_of_mr_are_rejected),
		TEST(misuse_bits_of_dm_are_rejected),
		TEST(misuse_bits_of_cq_are_rejected),
		TEST(misuse_bits_of_srq_are_rejected),
		TEST(misuse_bits_of_qp_create_are_rejected),
		TEST(misuse_bits_of_qp_are_rejected),
		TEST(misuse_bits_of_wq_are_rejected),
		TEST(misuse_bits_of_flows_and_counters_are_rejected),
		TEST(misuse_bits_of_comp_cntr_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
