/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_qp(3), ibv_create_qp_ex(3), ibv_open_qp(3), ibv_modify_qp(3),
 * ibv_query_qp(3) and ibv_set_ece(3): libibverbs/api/qp.c.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "libibverbs/api/api_fixture.h"

static int app_context;
static struct ibv_cq *cq;
static struct ibv_qp_init_attr create_attr;

static int qp_setup(void **state)
{
	int ret = api_open(state);

	cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	assert_non_null(cq);
	create_attr = (struct ibv_qp_init_attr){
		.qp_context = &app_context,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 10, .max_recv_wr = 20 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	fake_provider.qp_cap = (struct ibv_qp_cap){
		.max_send_wr = 16,
		.max_recv_wr = 32,
		.max_inline_data = 64,
	};
	return ret;
}

static int qp_teardown(void **state)
{
	fake_provider.ret = 0;
	fake_provider.raised = (struct verbs_event_count){};
	assert_int_equal(ibv_destroy_cq(cq), 0);
	return api_close(state);
}

static struct ibv_qp *create_qp(void)
{
	struct ibv_qp *qp = ibv_create_qp(api.pd, &create_attr);

	assert_non_null(qp);
	return qp;
}

static void destroy_qp(struct ibv_qp *qp)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_qp(qp));
}

/* ------------------------------------------------------------------------ */
/* Create and open                                                           */
/* ------------------------------------------------------------------------ */

static void create_qp_stores_attributes_in_qp(void **state)
{
	struct ibv_qp *qp;

	errno = SOME_ERRNO;
	qp = create_qp();
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(qp->context, api.ctx);
	assert_ptr_equal(qp->qp_context, &app_context);
	assert_ptr_equal(qp->pd, api.pd);
	assert_ptr_equal(qp->send_cq, cq);
	assert_ptr_equal(qp->recv_cq, cq);
	assert_null(qp->srq);
	assert_int_equal(qp->qp_type, IBV_QPT_RC);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy_qp(qp);
}

static void create_qp_passes_attributes_to_provider(void **state)
{
	const struct ibv_qp_init_attr_ex *attr = &fake_provider.args.qp_attr;
	struct ibv_qp *qp = create_qp();

	ASSERT_OP("create_qp");
	assert_ptr_equal(attr->qp_context, &app_context);
	assert_ptr_equal(attr->send_cq, cq);
	assert_ptr_equal(attr->recv_cq, cq);
	assert_int_equal(attr->cap.max_send_wr, 10);
	assert_int_equal(attr->cap.max_recv_wr, 20);
	assert_int_equal(attr->qp_type, IBV_QPT_RC);
	assert_int_equal(attr->sq_sig_all, 1);
	assert_int_equal(attr->comp_mask, IBV_QP_INIT_ATTR_PD);
	assert_ptr_equal(attr->pd, api.pd);
	destroy_qp(qp);
}

static void create_qp_writes_actual_sizes_back(void **state)
{
	struct ibv_qp *qp = create_qp();

	assert_int_equal(create_attr.cap.max_send_wr, 16);
	assert_int_equal(create_attr.cap.max_recv_wr, 32);
	assert_int_equal(create_attr.cap.max_inline_data, 64);
	destroy_qp(qp);
}

static void
create_qp_provider_failure_returns_null_and_keeps_sizes(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_qp(api.pd, &create_attr), ENOMEM);
	assert_int_equal(create_attr.cap.max_send_wr, 10);
	assert_int_equal(create_attr.cap.max_recv_wr, 20);
}

static void assert_create_qp_needs_cqs(enum ibv_qp_type type, bool needs_send,
				       bool needs_recv)
{
	struct ibv_qp *qp;

	create_attr.qp_type = type;
	for (int present = 0; present < 4; present++) {
		bool has_send = present & 1, has_recv = present & 2;

		create_attr.send_cq = has_send ? cq : NULL;
		create_attr.recv_cq = has_recv ? cq : NULL;
		fake_provider.last_op = "none";
		if ((needs_send && !has_send) || (needs_recv && !has_recv)) {
			ASSERT_NULL(ibv_create_qp(api.pd, &create_attr),
				    EINVAL);
			ASSERT_OP("none");
			continue;
		}
		qp = create_qp();
		assert_int_equal(qp->qp_type, type);
		destroy_qp(qp);
	}
}

static void create_qp_connected_without_cqs_is_einval(void **state)
{
	assert_create_qp_needs_cqs(IBV_QPT_RC, true, true);
	assert_create_qp_needs_cqs(IBV_QPT_UC, true, true);
}

static void create_qp_ud_without_cqs_is_einval(void **state)
{
	assert_create_qp_needs_cqs(IBV_QPT_UD, true, true);
}

static void create_qp_xrc_send_needs_only_send_cq(void **state)
{
	assert_create_qp_needs_cqs(IBV_QPT_XRC_SEND, true, false);
}

static void create_qp_raw_packet_without_cqs_is_einval(void **state)
{
	assert_create_qp_needs_cqs(IBV_QPT_RAW_PACKET, true, true);
}

static void create_qp_driver_type_without_cqs_calls_provider(void **state)
{
	assert_create_qp_needs_cqs(IBV_QPT_DRIVER, false, false);
}

static void create_qp_ex_without_cqs_is_einval(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = api.pd,
	};

	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &attr), EINVAL);
}

static void create_qp_ex_calls_provider(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = api.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(api.ctx, &attr);

	assert_non_null(qp);
	assert_int_equal(fake_provider.args.qp_attr.send_ops_flags,
			 IBV_QP_EX_WITH_SEND);
	assert_int_equal(attr.cap.max_send_wr, 16);
	destroy_qp(qp);
}

static void create_qp_ex_without_extensions_returns_qp(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = api.pd,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(api.ctx, &attr);

	assert_non_null(qp);
	assert_ptr_equal(qp->pd, api.pd);
	assert_int_equal(attr.cap.max_send_wr, 16);
	destroy_qp(qp);
}

static void create_qp_ex_provider_failure_returns_null(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = api.pd,
	};

	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &attr), EOPNOTSUPP);
}

static void open_qp_returns_shared_qp(void **state)
{
	struct ibv_xrcd xrcd = { .context = api.ctx };
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_CONTEXT | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = 42,
		.xrcd = &xrcd,
		.qp_type = IBV_QPT_XRC_RECV,
		.qp_context = &app_context,
	};
	struct ibv_qp *qp = ibv_open_qp(api.ctx, &attr);

	assert_non_null(qp);
	ASSERT_OP("open_qp");
	assert_int_equal(qp->qp_num, 42);
	assert_ptr_equal(qp->qp_context, &app_context);
	destroy_qp(qp);
}

static void qp_to_qp_ex_plain_qp_returns_null(void **state)
{
	struct ibv_qp *plain = create_qp(), *extended;

	fake_provider.qp_mask = VERBS_QP_MASK_EX;
	extended = create_qp();
	assert_null(ibv_qp_to_qp_ex(plain));
	assert_non_null(ibv_qp_to_qp_ex(extended));
	assert_ptr_equal(&ibv_qp_to_qp_ex(extended)->qp_base, extended);
	destroy_qp(extended);
	destroy_qp(plain);
}

/* A provider that does not embed the extended QP in struct verbs_qp. */
static struct ibv_qp_ex provider_qp_ex;

static struct ibv_qp_ex *qp_to_ex_of_provider(struct ibv_qp *qp)
{
	return &provider_qp_ex;
}

static void qp_to_qp_ex_calls_op_of_provider(void **state)
{
	static const struct verbs_context_ops ops = {
		.qp_to_ex = qp_to_ex_of_provider,
	};
	struct ibv_qp *qp = create_qp();

	verbs_context_set_ops(verbs_get_ctx(api.ctx), &ops);
	assert_ptr_equal(ibv_qp_to_qp_ex(qp), &provider_qp_ex);
	destroy_qp(qp);
}

/* ------------------------------------------------------------------------ */
/* State                                                                     */
/* ------------------------------------------------------------------------ */

static void modify_qp_stores_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	struct ibv_qp *qp = create_qp();

	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT));
	ASSERT_OP("modify_qp");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_int_equal(fake_provider.args.attr_mask,
			 IBV_QP_STATE | IBV_QP_PORT);
	assert_int_equal(qp->state, IBV_QPS_INIT);
	attr.qp_state = IBV_QPS_RTR;
	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	assert_int_equal(qp->state, IBV_QPS_RTR);
	destroy_qp(qp);
}

static void modify_qp_without_state_bit_keeps_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp *qp = create_qp();

	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_PORT));
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy_qp(qp);
}

/*
 * Attributes without a bit in the mask may have any value, as cur_qp_state
 * here.
 */
static void modify_qp_accepts_every_state(void **state)
{
	struct ibv_qp *qp = create_qp();
	struct ibv_qp_attr attr = {
		.cur_qp_state = (enum ibv_qp_state)1000,
	};

	for (int to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++) {
		attr.qp_state = (enum ibv_qp_state)to;
		ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
		assert_int_equal(qp->state, to);
	}
	attr.cur_qp_state = IBV_QPS_ERR;
	attr.qp_state = (enum ibv_qp_state)1000;
	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_CUR_STATE));
	destroy_qp(qp);
}

static void modify_qp_provider_failure_keeps_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	struct ibv_qp *qp = create_qp();

	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy_qp(qp);
}

static void query_qp_stores_state(void **state)
{
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp *qp = create_qp();
	struct ibv_qp_attr attr;

	fake_provider.qp_attr.qp_state = IBV_QPS_SQE;
	ASSERT_OK(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init_attr));
	ASSERT_OP("query_qp");
	assert_int_equal(fake_provider.args.attr_mask, IBV_QP_STATE);
	assert_int_equal(attr.qp_state, IBV_QPS_SQE);
	assert_int_equal(qp->state, IBV_QPS_SQE);
	destroy_qp(qp);
}

static void query_qp_without_state_bit_keeps_state(void **state)
{
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp *qp = create_qp();
	struct ibv_qp_attr attr;

	fake_provider.qp_attr.qp_state = IBV_QPS_SQE;
	ASSERT_OK(ibv_query_qp(qp, &attr, IBV_QP_CAP, &init_attr));
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy_qp(qp);
}

static void query_qp_provider_failure_keeps_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp *qp = create_qp();

	fake_provider.ret = -EIO;
	ASSERT_ERRNO(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init_attr), EIO);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy_qp(qp);
}

static void modify_qp_rate_limit_calls_provider(void **state)
{
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = 1000 };
	struct ibv_qp *qp = create_qp();

	ASSERT_OK(ibv_modify_qp_rate_limit(qp, &attr));
	ASSERT_OP("modify_qp_rate_limit");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, qp);
	attr.comp_mask = 1;
	ASSERT_ERRNO(ibv_modify_qp_rate_limit(qp, &attr), EOPNOTSUPP);
	destroy_qp(qp);
}

/* ------------------------------------------------------------------------ */
/* Data in order                                                             */
/* ------------------------------------------------------------------------ */

#define WHOLE	    IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG
#define BLOCKS	    IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES
#define RETURN_CAPS IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS
#define DEVICE_ONLY IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY

/* Check the result for the application when the provider reports @caps. */
static void assert_data_in_order(uint64_t caps, uint32_t flags, int result)
{
	struct ibv_qp *qp = create_qp();

	fake_provider.value = caps;
	assert_int_equal(
		ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, flags),
		result);
	ASSERT_OP("query_qp_data_in_order");
	assert_ptr_equal(fake_provider.args.object, qp);
	assert_int_equal(fake_provider.args.opcode, IBV_WR_RDMA_WRITE);
	assert_int_equal(fake_provider.args.flags, flags);
	destroy_qp(qp);
}

static void
query_qp_data_in_order_without_caps_flag_returns_boolean(void **state)
{
	assert_data_in_order(0, DEVICE_ONLY, 0);
	assert_data_in_order(WHOLE, DEVICE_ONLY, 1);
	assert_data_in_order(WHOLE | BLOCKS, DEVICE_ONLY, 1);
	assert_data_in_order(BLOCKS, DEVICE_ONLY, 0);
}

static void
query_qp_data_in_order_whole_msg_implies_aligned_blocks(void **state)
{
	assert_data_in_order(WHOLE, DEVICE_ONLY | RETURN_CAPS, WHOLE | BLOCKS);
	assert_data_in_order(BLOCKS, DEVICE_ONLY | RETURN_CAPS, BLOCKS);
	assert_data_in_order(0, DEVICE_ONLY | RETURN_CAPS, 0);
}

static void query_qp_data_in_order_depends_on_cpu_architecture(void **state)
{
#if defined(__x86_64__) || defined(__i386__)
	assert_data_in_order(WHOLE, 0, 1);
#else
	struct ibv_qp *qp = create_qp();

	fake_provider.value = WHOLE;
	assert_int_equal(ibv_query_qp_data_in_order(qp, IBV_WR_SEND, 0), 0);
	ASSERT_OP("create_qp");
	destroy_qp(qp);
#endif
}

static void query_qp_data_in_order_unknown_flag_returns_0(void **state)
{
	struct ibv_qp *qp = create_qp();

	fake_provider.value = WHOLE;
	assert_int_equal(
		ibv_query_qp_data_in_order(qp, IBV_WR_SEND, DEVICE_ONLY << 1),
		0);
	ASSERT_OP("create_qp");
	destroy_qp(qp);
}

/* ------------------------------------------------------------------------ */
/* Enhanced connection establishment (ECE)                                   */
/* ------------------------------------------------------------------------ */

static void set_ece_calls_provider(void **state)
{
	struct ibv_ece ece = { .vendor_id = 1, .options = 2 };
	struct ibv_qp *qp = create_qp();

	ASSERT_OK(ibv_set_ece(qp, &ece));
	ASSERT_OP("set_ece");
	assert_ptr_equal(fake_provider.args.attr, &ece);
	destroy_qp(qp);
}

static void set_ece_without_vendor_id_is_eopnotsupp(void **state)
{
	struct ibv_ece ece = { .options = 2 };
	struct ibv_qp *qp = create_qp();

	fake_provider.last_op = "none";
	ASSERT_ERRNO(ibv_set_ece(qp, &ece), EOPNOTSUPP);
	ASSERT_OP("none");
	destroy_qp(qp);
}

static void query_ece_returns_options(void **state)
{
	struct ibv_qp *qp = create_qp();
	struct ibv_ece ece = {};

	fake_provider.ece = (struct ibv_ece){ .vendor_id = 3, .options = 4 };
	ASSERT_OK(ibv_query_ece(qp, &ece));
	assert_int_equal(ece.vendor_id, 3);
	assert_int_equal(ece.options, 4);
	destroy_qp(qp);
}

static void ece_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_ece ece = { .vendor_id = 1 };
	struct ibv_qp *qp = create_qp();

	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_ERRNO(ibv_set_ece(qp, &ece), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_query_ece(qp, &ece), EOPNOTSUPP);
	destroy_qp(qp);
}

/* ------------------------------------------------------------------------ */
/* Destroy                                                                   */
/* ------------------------------------------------------------------------ */

static void destroy_qp_provider_failure_keeps_qp(void **state)
{
	struct ibv_qp *qp = create_qp();

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_destroy_qp(qp), EBUSY);
	assert_ptr_equal(qp->pd, api.pd);
	destroy_qp(qp);
}

static atomic_bool destroyed;

static void *destroy_qp_thread(void *qp)
{
	atomic_store(&destroyed, ibv_destroy_qp(qp) == 0);
	return NULL;
}

static void destroy_qp_waits_for_event_acknowledgement(void **state)
{
	struct ibv_async_event event = { .event_type = IBV_EVENT_QP_FATAL };
	struct ibv_qp *qp = create_qp();
	pthread_t thread;

	fake_provider.raised.async_events = 1;
	event.element.qp = qp;
	atomic_store(&destroyed, false);
	assert_int_equal(pthread_create(&thread, NULL, destroy_qp_thread, qp),
			 0);
	assert_false(atomic_load(&destroyed));
	ibv_ack_async_event(&event);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(atomic_load(&destroyed));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, qp_setup, qp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_qp_stores_attributes_in_qp),
		TEST(create_qp_passes_attributes_to_provider),
		TEST(create_qp_writes_actual_sizes_back),
		TEST(create_qp_provider_failure_returns_null_and_keeps_sizes),
		TEST(create_qp_connected_without_cqs_is_einval),
		TEST(create_qp_ud_without_cqs_is_einval),
		TEST(create_qp_xrc_send_needs_only_send_cq),
		TEST(create_qp_raw_packet_without_cqs_is_einval),
		TEST(create_qp_driver_type_without_cqs_calls_provider),
		TEST(create_qp_ex_without_cqs_is_einval),
		TEST(create_qp_ex_calls_provider),
		TEST(create_qp_ex_without_extensions_returns_qp),
		TEST(create_qp_ex_provider_failure_returns_null),
		TEST(open_qp_returns_shared_qp),
		TEST(qp_to_qp_ex_plain_qp_returns_null),
		TEST(qp_to_qp_ex_calls_op_of_provider),
		TEST(modify_qp_stores_state),
		TEST(modify_qp_without_state_bit_keeps_state),
		TEST(modify_qp_accepts_every_state),
		TEST(modify_qp_provider_failure_keeps_state),
		TEST(query_qp_stores_state),
		TEST(query_qp_without_state_bit_keeps_state),
		TEST(query_qp_provider_failure_keeps_state),
		TEST(modify_qp_rate_limit_calls_provider),
		TEST(query_qp_data_in_order_without_caps_flag_returns_boolean),
		TEST(query_qp_data_in_order_whole_msg_implies_aligned_blocks),
		TEST(query_qp_data_in_order_depends_on_cpu_architecture),
		TEST(query_qp_data_in_order_unknown_flag_returns_0),
		TEST(set_ece_calls_provider),
		TEST(set_ece_without_vendor_id_is_eopnotsupp),
		TEST(query_ece_returns_options),
		TEST(ece_provider_failure_returns_positive_errno),
		TEST(destroy_qp_provider_failure_keeps_qp),
		TEST(destroy_qp_waits_for_event_acknowledgement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
