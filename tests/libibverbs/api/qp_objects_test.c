/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects that a QP or an SRQ is created with: libibverbs/api/qp.c, srq.c.
 * If an object is missing or belongs to another context, the function fails
 * with EINVAL before it calls the provider. It ignores the objects that the
 * type does not use.
 */
#include "libibverbs/api/api_fixture.h"

/* A pointer that must not be dereferenced. */
#define GARBAGE ((void *)(uintptr_t)8)

static struct ibv_context *other;
static struct ibv_pd *other_pd;
static struct ibv_cq *cq, *other_cq;
static struct ibv_xrcd *xrcd, *other_xrcd;
static struct ibv_srq *srq, *other_srq;

static void create_objects(struct ibv_context *ctx, struct ibv_pd *pd,
			   struct ibv_cq **ret_cq, struct ibv_xrcd **ret_xrcd,
			   struct ibv_srq **ret_srq)
{
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
	};
	struct ibv_srq_init_attr srq_attr = {};

	*ret_cq = ibv_create_cq(ctx, 10, NULL, NULL, 0);
	*ret_xrcd = ibv_open_xrcd(ctx, &xrcd_attr);
	*ret_srq = ibv_create_srq(pd, &srq_attr);
	assert_non_null(*ret_cq);
	assert_non_null(*ret_xrcd);
	assert_non_null(*ret_srq);
}

static int qp_objects_setup(void **state)
{
	int ret = api_open(state);

	create_objects(api.ctx, api.pd, &cq, &xrcd, &srq);
	other = api_open_another();
	other_pd = ibv_alloc_pd(other);
	create_objects(other, other_pd, &other_cq, &other_xrcd, &other_srq);
	return ret;
}

static int qp_objects_teardown(void **state)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_destroy_srq(other_srq), 0);
	assert_int_equal(ibv_close_xrcd(xrcd), 0);
	assert_int_equal(ibv_close_xrcd(other_xrcd), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_destroy_cq(other_cq), 0);
	assert_int_equal(ibv_dealloc_pd(other_pd), 0);
	assert_int_equal(ibv_close_device(other), 0);
	return api_close(state);
}

/* Bypasses the shortcut of the inline function ibv_create_qp_ex(). */
static struct ibv_qp *create_qp_by_op_table(struct ibv_qp_init_attr_ex *attr)
{
	return verbs_get_ctx_op(api.ctx, create_qp_ex)
		->create_qp_ex(api.ctx, attr);
}

static void assert_qp_accepted(struct ibv_qp_init_attr_ex attr)
{
	struct ibv_qp *qp = create_qp_by_op_table(&attr);

	assert_non_null(qp);
	ASSERT_OP("create_qp");
	ASSERT_OK(ibv_destroy_qp(qp));
}

static void assert_qp_refused(struct ibv_qp_init_attr_ex attr)
{
	fake_provider.last_op = "none";
	ASSERT_NULL(create_qp_by_op_table(&attr), EINVAL);
	ASSERT_OP("none");
}

static struct ibv_qp_init_attr_ex rc_attr(void)
{
	return (struct ibv_qp_init_attr_ex){
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = api.pd,
	};
}

static void
create_qp_ex_with_cq_or_srq_of_another_context_is_einval(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc_attr();

	assert_qp_accepted(attr);
	attr.send_cq = other_cq;
	assert_qp_refused(attr);
	attr = rc_attr();
	attr.recv_cq = other_cq;
	assert_qp_refused(attr);
	attr = rc_attr();
	attr.srq = other_srq;
	assert_qp_refused(attr);
}

static void create_qp_ex_without_pd_of_context_is_einval(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc_attr();

	attr.pd = NULL;
	assert_qp_refused(attr);
	attr.pd = other_pd;
	assert_qp_refused(attr);
	attr.comp_mask = 0;
	assert_qp_refused(attr);
}

static void create_qp_ex_with_cq_of_imported_context_succeeds(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc_attr();

	api_pretend_import(other);
	attr.recv_cq = other_cq;
	assert_qp_accepted(attr);
}

static void
create_qp_ex_with_cq_of_imported_context_of_another_device_is_einval(
	void **state)
{
	static struct ibv_device another;
	struct ibv_device *device = other->device;
	struct ibv_qp_init_attr_ex attr = rc_attr();

	api_pretend_import(other);
	other->device = &another;
	attr.recv_cq = other_cq;
	assert_qp_refused(attr);
	other->device = device;
}

static void create_qp_ex_unknown_attribute_or_type_is_einval(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc_attr();

	attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS << 1;
	assert_qp_refused(attr);
	attr = rc_attr();
	attr.qp_type = 5;
	assert_qp_refused(attr);
}

static void
create_qp_ex_xrc_recv_without_xrcd_of_context_is_einval(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	assert_qp_accepted(attr);
	attr.xrcd = NULL;
	assert_qp_refused(attr);
	attr.xrcd = other_xrcd;
	assert_qp_refused(attr);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	attr.pd = api.pd;
	assert_qp_refused(attr);
}

static void create_qp_ex_ignores_objects_that_type_does_not_use(void **state)
{
	struct ibv_qp_init_attr_ex recv = {
		.send_cq = GARBAGE,
		.recv_cq = GARBAGE,
		.srq = GARBAGE,
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
		.pd = GARBAGE,
	};
	struct ibv_qp_init_attr_ex send = {
		.send_cq = cq,
		.recv_cq = GARBAGE,
		.srq = GARBAGE,
		.qp_type = IBV_QPT_XRC_SEND,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = api.pd,
		.xrcd = GARBAGE,
		.rwq_ind_tbl = GARBAGE,
	};

	assert_qp_accepted(recv);
	assert_qp_accepted(send);
}

static void create_qp_ex_rss_without_table_or_key_is_einval(void **state)
{
	struct ibv_rwq_ind_table table = { .context = api.ctx };
	uint8_t key[4] = {};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = api.pd,
		.rwq_ind_tbl = &table,
		.rx_hash_conf = { .rx_hash_key_len = sizeof(key),
				  .rx_hash_key = key },
	};

	assert_qp_accepted(attr);
	attr.rx_hash_conf.rx_hash_key = NULL;
	assert_qp_refused(attr);
	attr.rx_hash_conf.rx_hash_key_len = 0;
	assert_qp_accepted(attr);
	table.context = other;
	assert_qp_refused(attr);
	attr.rwq_ind_tbl = NULL;
	assert_qp_refused(attr);
}

static void create_qp_ex_rss_with_send_queue_needs_send_cq(void **state)
{
	struct ibv_rwq_ind_table table = { .context = api.ctx };
	struct ibv_qp_init_attr_ex attr = {
		.cap.max_send_wr = 1,
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = api.pd,
		.rwq_ind_tbl = &table,
	};

	assert_qp_refused(attr);
	attr.send_cq = cq;
	assert_qp_accepted(attr);
}

static void open_qp_without_number_xrcd_or_type_is_einval(void **state)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.xrcd = xrcd,
	};
	uint32_t all = attr.comp_mask;

	for (uint32_t bit = 1; bit < IBV_QP_OPEN_ATTR_RESERVED; bit <<= 1) {
		if (!(all & bit))
			continue;
		attr.comp_mask = all & ~bit;
		ASSERT_NULL(ibv_open_qp(api.ctx, &attr), EINVAL);
	}
	attr.comp_mask = all | IBV_QP_OPEN_ATTR_RESERVED;
	ASSERT_NULL(ibv_open_qp(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = all;
	attr.xrcd = other_xrcd;
	ASSERT_NULL(ibv_open_qp(api.ctx, &attr), EINVAL);
	attr.xrcd = NULL;
	ASSERT_NULL(ibv_open_qp(api.ctx, &attr), EINVAL);
	ASSERT_NULL(ibv_open_qp(api.ctx, NULL), EINVAL);
}

/* ------------------------------------------------------------------------ */
/* SRQs                                                                      */
/* ------------------------------------------------------------------------ */

static struct ibv_srq *create_srq_by_op_table(struct ibv_srq_init_attr_ex *attr)
{
	return verbs_get_ctx_op(api.ctx, create_srq_ex)
		->create_srq_ex(api.ctx, attr);
}

static void assert_srq_accepted(struct ibv_srq_init_attr_ex attr)
{
	struct ibv_srq *created = create_srq_by_op_table(&attr);

	assert_non_null(created);
	ASSERT_OK(ibv_destroy_srq(created));
}

static void assert_srq_refused(struct ibv_srq_init_attr_ex attr)
{
	fake_provider.last_op = "none";
	ASSERT_NULL(create_srq_by_op_table(&attr), EINVAL);
	ASSERT_OP("none");
}

static void
create_srq_ex_xrc_without_xrcd_and_cq_of_context_is_einval(void **state)
{
	const struct ibv_srq_init_attr_ex valid = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = api.pd,
		.xrcd = xrcd,
		.cq = cq,
	};
	struct ibv_srq_init_attr_ex attr = valid;

	assert_srq_accepted(attr);
	attr.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_XRCD;
	assert_srq_refused(attr);
	attr = valid;
	attr.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_CQ;
	assert_srq_refused(attr);
	attr = valid;
	attr.xrcd = other_xrcd;
	assert_srq_refused(attr);
	attr = valid;
	attr.cq = other_cq;
	assert_srq_refused(attr);
	attr = valid;
	attr.pd = other_pd;
	assert_srq_refused(attr);
	attr = valid;
	attr.srq_type = IBV_SRQT_TM + 1;
	assert_srq_refused(attr);
}

static void create_srq_ex_tm_without_cq_or_tags_is_einval(void **state)
{
	const struct ibv_srq_init_attr_ex valid = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM,
		.srq_type = IBV_SRQT_TM,
		.pd = api.pd,
		.cq = cq,
		.tm_cap = { .max_num_tags = 1 },
	};
	struct ibv_srq_init_attr_ex attr = valid;

	assert_srq_accepted(attr);
	attr.tm_cap.max_num_tags = 0;
	assert_srq_refused(attr);
	attr = valid;
	attr.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_TM;
	assert_srq_refused(attr);
	attr = valid;
	attr.cq = NULL;
	assert_srq_refused(attr);
}

#define TEST(name)                                              \
	cmocka_unit_test_setup_teardown(name, qp_objects_setup, \
					qp_objects_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_qp_ex_with_cq_or_srq_of_another_context_is_einval),
		TEST(create_qp_ex_without_pd_of_context_is_einval),
		TEST(create_qp_ex_with_cq_of_imported_context_succeeds),
		TEST(create_qp_ex_with_cq_of_imported_context_of_another_device_is_einval),
		TEST(create_qp_ex_unknown_attribute_or_type_is_einval),
		TEST(create_qp_ex_xrc_recv_without_xrcd_of_context_is_einval),
		TEST(create_qp_ex_ignores_objects_that_type_does_not_use),
		TEST(create_qp_ex_rss_without_table_or_key_is_einval),
		TEST(create_qp_ex_rss_with_send_queue_needs_send_cq),
		TEST(open_qp_without_number_xrcd_or_type_is_einval),
		TEST(create_srq_ex_xrc_without_xrcd_and_cq_of_context_is_einval),
		TEST(create_srq_ex_tm_without_cq_or_tags_is_einval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
