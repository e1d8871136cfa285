/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a QP or an SRQ may be made of: libibverbs/api/qp.c, srq.c. An object
 * that is missing, or of another context, is EINVAL before the provider sees
 * it; what a type does not use may be anything.
 */
#include "libibverbs/api/api_fixture.h"

/* Pointers that must not be followed. */
#define GARBAGE ((void *)(uintptr_t)8)

static struct ibv_context *other;
static struct ibv_pd *other_pd;
static struct ibv_cq *cq, *other_cq;
static struct ibv_xrcd *xrcd, *other_xrcd;
static struct ibv_srq *srq, *other_srq;

static void make(struct ibv_context *ctx, struct ibv_pd *pd,
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

static int start(void **state)
{
	int ret = api_open(state);

	make(api.ctx, api.pd, &cq, &xrcd, &srq);
	other = api_open_another();
	other_pd = ibv_alloc_pd(other);
	make(other, other_pd, &other_cq, &other_xrcd, &other_srq);
	return ret;
}

static int finish(void **state)
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

/* Not through the inline function, which knows a shorter way. */
static struct ibv_qp *create(struct ibv_qp_init_attr_ex *attr)
{
	return verbs_get_ctx_op(api.ctx, create_qp_ex)
		->create_qp_ex(api.ctx, attr);
}

static void assert_accepted(struct ibv_qp_init_attr_ex attr)
{
	struct ibv_qp *qp = create(&attr);

	assert_non_null(qp);
	ASSERT_OP("create_qp");
	ASSERT_OK(ibv_destroy_qp(qp));
}

static void assert_refused(struct ibv_qp_init_attr_ex attr)
{
	fake_provider.last_op = "none";
	ASSERT_NULL(create(&attr), EINVAL);
	ASSERT_OP("none");
}

static struct ibv_qp_init_attr_ex rc(void)
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

static void queues_are_of_the_context(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc();

	assert_accepted(attr);
	attr.send_cq = other_cq;
	assert_refused(attr);
	attr = rc();
	attr.recv_cq = other_cq;
	assert_refused(attr);
	attr = rc();
	attr.srq = other_srq;
	assert_refused(attr);
}

static void pd_is_there_and_of_the_context(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc();

	attr.pd = NULL;
	assert_refused(attr);
	attr.pd = other_pd;
	assert_refused(attr);
	attr.comp_mask = 0;
	assert_refused(attr);
}

static void objects_of_an_imported_context_are_shared(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc();

	api_pretend_import(other);
	attr.recv_cq = other_cq;
	assert_accepted(attr);
}

static void
objects_of_an_imported_context_of_another_device_are_not(void **state)
{
	static struct ibv_device another;
	struct ibv_device *device = other->device;
	struct ibv_qp_init_attr_ex attr = rc();

	api_pretend_import(other);
	other->device = &another;
	attr.recv_cq = other_cq;
	assert_refused(attr);
	other->device = device;
}

static void unknown_attributes_and_types_are_refused(void **state)
{
	struct ibv_qp_init_attr_ex attr = rc();

	attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS << 1;
	assert_refused(attr);
	attr = rc();
	attr.qp_type = 5;
	assert_refused(attr);
}

static void xrc_receiver_needs_a_domain_of_the_context(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	assert_accepted(attr);
	attr.xrcd = NULL;
	assert_refused(attr);
	attr.xrcd = other_xrcd;
	assert_refused(attr);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	attr.pd = api.pd;
	assert_refused(attr);
}

static void what_a_type_does_not_use_is_not_looked_at(void **state)
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

	assert_accepted(recv);
	assert_accepted(send);
}

static void spreading_qp_needs_its_table(void **state)
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

	assert_accepted(attr);
	attr.rx_hash_conf.rx_hash_key = NULL;
	assert_refused(attr);
	attr.rx_hash_conf.rx_hash_key_len = 0;
	assert_accepted(attr);
	table.context = other;
	assert_refused(attr);
	attr.rwq_ind_tbl = NULL;
	assert_refused(attr);
}

static void spreading_qp_that_sends_needs_a_cq(void **state)
{
	struct ibv_rwq_ind_table table = { .context = api.ctx };
	struct ibv_qp_init_attr_ex attr = {
		.cap.max_send_wr = 1,
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = api.pd,
		.rwq_ind_tbl = &table,
	};

	assert_refused(attr);
	attr.send_cq = cq;
	assert_accepted(attr);
}

static void shared_qp_needs_number_domain_and_type(void **state)
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

static struct ibv_srq *create_srq(struct ibv_srq_init_attr_ex *attr)
{
	return verbs_get_ctx_op(api.ctx, create_srq_ex)
		->create_srq_ex(api.ctx, attr);
}

static void assert_srq_accepted(struct ibv_srq_init_attr_ex attr)
{
	struct ibv_srq *made = create_srq(&attr);

	assert_non_null(made);
	ASSERT_OK(ibv_destroy_srq(made));
}

static void assert_srq_refused(struct ibv_srq_init_attr_ex attr)
{
	fake_provider.last_op = "none";
	ASSERT_NULL(create_srq(&attr), EINVAL);
	ASSERT_OP("none");
}

static void xrc_srq_needs_domain_and_cq_of_the_context(void **state)
{
	const struct ibv_srq_init_attr_ex whole = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = api.pd,
		.xrcd = xrcd,
		.cq = cq,
	};
	struct ibv_srq_init_attr_ex attr = whole;

	assert_srq_accepted(attr);
	attr.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_XRCD;
	assert_srq_refused(attr);
	attr = whole;
	attr.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_CQ;
	assert_srq_refused(attr);
	attr = whole;
	attr.xrcd = other_xrcd;
	assert_srq_refused(attr);
	attr = whole;
	attr.cq = other_cq;
	assert_srq_refused(attr);
	attr = whole;
	attr.pd = other_pd;
	assert_srq_refused(attr);
	attr = whole;
	attr.srq_type = IBV_SRQT_TM + 1;
	assert_srq_refused(attr);
}

static void tag_matching_srq_needs_cq_and_tags(void **state)
{
	const struct ibv_srq_init_attr_ex whole = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM,
		.srq_type = IBV_SRQT_TM,
		.pd = api.pd,
		.cq = cq,
		.tm_cap = { .max_num_tags = 1 },
	};
	struct ibv_srq_init_attr_ex attr = whole;

	assert_srq_accepted(attr);
	attr.tm_cap.max_num_tags = 0;
	assert_srq_refused(attr);
	attr = whole;
	attr.comp_mask &= ~(uint32_t)IBV_SRQ_INIT_ATTR_TM;
	assert_srq_refused(attr);
	attr = whole;
	attr.cq = NULL;
	assert_srq_refused(attr);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(queues_are_of_the_context),
		TEST(pd_is_there_and_of_the_context),
		TEST(objects_of_an_imported_context_are_shared),
		TEST(objects_of_an_imported_context_of_another_device_are_not),
		TEST(unknown_attributes_and_types_are_refused),
		TEST(xrc_receiver_needs_a_domain_of_the_context),
		TEST(what_a_type_does_not_use_is_not_looked_at),
		TEST(spreading_qp_needs_its_table),
		TEST(spreading_qp_that_sends_needs_a_cq),
		TEST(shared_qp_needs_number_domain_and_type),
		TEST(xrc_srq_needs_domain_and_cq_of_the_context),
		TEST(tag_matching_srq_needs_cq_and_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
