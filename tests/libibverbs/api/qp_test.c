/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_qp(3), ibv_create_qp_ex(3), ibv_open_qp(3), changing, querying,
 * options of the connection (ECE): libibverbs/api/qp.c.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "libibverbs/api/api_fixture.h"

static int app_context;
static struct ibv_cq *cq;
static struct ibv_qp_init_attr init;

static int start(void **state)
{
	int ret = api_open(state);

	cq = ibv_create_cq(api.ctx, 10, NULL, NULL, 0);
	assert_non_null(cq);
	init = (struct ibv_qp_init_attr){
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

static int finish(void **state)
{
	fake_provider.ret = 0;
	fake_provider.raised = (struct verbs_event_count){};
	assert_int_equal(ibv_destroy_cq(cq), 0);
	return api_close(state);
}

static struct ibv_qp *create(void)
{
	struct ibv_qp *qp = ibv_create_qp(api.pd, &init);

	assert_non_null(qp);
	return qp;
}

static void destroy(struct ibv_qp *qp)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_qp(qp));
}

/* ------------------------------------------------------------------------ */
/* Creating                                                                  */
/* ------------------------------------------------------------------------ */

static void qp_gets_what_the_application_said(void **state)
{
	struct ibv_qp *qp;

	errno = SOME_ERRNO;
	qp = create();
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(qp->context, api.ctx);
	assert_ptr_equal(qp->qp_context, &app_context);
	assert_ptr_equal(qp->pd, api.pd);
	assert_ptr_equal(qp->send_cq, cq);
	assert_ptr_equal(qp->recv_cq, cq);
	assert_null(qp->srq);
	assert_int_equal(qp->qp_type, IBV_QPT_RC);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy(qp);
}

static void provider_gets_what_the_application_said(void **state)
{
	const struct ibv_qp_init_attr_ex *attr = &fake_provider.args.qp_attr;
	struct ibv_qp *qp = create();

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
	destroy(qp);
}

static void real_sizes_are_written_back(void **state)
{
	struct ibv_qp *qp = create();

	assert_int_equal(init.cap.max_send_wr, 16);
	assert_int_equal(init.cap.max_recv_wr, 32);
	assert_int_equal(init.cap.max_inline_data, 64);
	destroy(qp);
}

static void failure_of_create_is_null_and_writes_nothing_back(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_create_qp(api.pd, &init), ENOMEM);
	assert_int_equal(init.cap.max_send_wr, 10);
	assert_int_equal(init.cap.max_recv_wr, 20);
}

static void assert_needs_cqs(enum ibv_qp_type type, bool needs_send,
			     bool needs_recv)
{
	struct ibv_qp *qp;

	init.qp_type = type;
	for (int given = 0; given < 4; given++) {
		bool has_send = given & 1, has_recv = given & 2;

		init.send_cq = has_send ? cq : NULL;
		init.recv_cq = has_recv ? cq : NULL;
		fake_provider.last_op = "none";
		if ((needs_send && !has_send) || (needs_recv && !has_recv)) {
			ASSERT_NULL(ibv_create_qp(api.pd, &init), EINVAL);
			ASSERT_OP("none");
			continue;
		}
		qp = create();
		assert_int_equal(qp->qp_type, type);
		destroy(qp);
	}
}

static void connected_qp_without_cqs_is_einval(void **state)
{
	assert_needs_cqs(IBV_QPT_RC, true, true);
	assert_needs_cqs(IBV_QPT_UC, true, true);
}

static void datagram_qp_without_cqs_is_einval(void **state)
{
	assert_needs_cqs(IBV_QPT_UD, true, true);
}

static void xrc_sender_needs_a_send_cq_only(void **state)
{
	assert_needs_cqs(IBV_QPT_XRC_SEND, true, false);
}

static void raw_packet_qp_without_cqs_is_einval(void **state)
{
	assert_needs_cqs(IBV_QPT_RAW_PACKET, true, true);
}

static void cqs_of_driver_types_are_the_provider_s_business(void **state)
{
	assert_needs_cqs(IBV_QPT_DRIVER, false, false);
}

static void extended_create_checks_cqs_too(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = api.pd,
	};

	ASSERT_NULL(ibv_create_qp_ex(api.ctx, &attr), EINVAL);
}

static void extended_create_reaches_the_provider(void **state)
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
	destroy(qp);
}

static void inline_create_of_a_plain_qp_is_the_same(void **state)
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
	destroy(qp);
}

static void failure_of_extended_create_is_null(void **state)
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

static void open_takes_part_in_a_shared_qp(void **state)
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
	destroy(qp);
}

static void qp_ex_is_there_if_the_provider_made_one(void **state)
{
	struct ibv_qp *plain = create(), *extended;

	fake_provider.qp_mask = VERBS_QP_MASK_EX;
	extended = create();
	assert_null(ibv_qp_to_qp_ex(plain));
	assert_non_null(ibv_qp_to_qp_ex(extended));
	assert_ptr_equal(&ibv_qp_to_qp_ex(extended)->qp_base, extended);
	destroy(extended);
	destroy(plain);
}

/* A provider that keeps them elsewhere. */
static struct ibv_qp_ex elsewhere;

static struct ibv_qp_ex *own_qp_to_ex(struct ibv_qp *qp)
{
	return &elsewhere;
}

static void provider_may_have_its_own_idea_of_a_qp_ex(void **state)
{
	static const struct verbs_context_ops ops = {
		.qp_to_ex = own_qp_to_ex,
	};
	struct ibv_qp *qp = create();

	verbs_context_set_ops(verbs_get_ctx(api.ctx), &ops);
	assert_ptr_equal(ibv_qp_to_qp_ex(qp), &elsewhere);
	destroy(qp);
}

/* ------------------------------------------------------------------------ */
/* State                                                                     */
/* ------------------------------------------------------------------------ */

static void modify_keeps_the_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	struct ibv_qp *qp = create();

	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT));
	ASSERT_OP("modify_qp");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_int_equal(fake_provider.args.attr_mask,
			 IBV_QP_STATE | IBV_QP_PORT);
	assert_int_equal(qp->state, IBV_QPS_INIT);
	attr.qp_state = IBV_QPS_RTR;
	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	assert_int_equal(qp->state, IBV_QPS_RTR);
	destroy(qp);
}

static void modify_of_something_else_leaves_the_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp *qp = create();

	ASSERT_OK(ibv_modify_qp(qp, &attr, IBV_QP_PORT));
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy(qp);
}

/* What the mask does not name may be anything. */
static void each_state_there_is_reaches_the_provider(void **state)
{
	struct ibv_qp *qp = create();
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
	destroy(qp);
}

static void failed_modify_leaves_the_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	struct ibv_qp *qp = create();

	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy(qp);
}

static void query_keeps_the_state(void **state)
{
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp *qp = create();
	struct ibv_qp_attr attr;

	fake_provider.qp_attr.qp_state = IBV_QPS_SQE;
	ASSERT_OK(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init_attr));
	ASSERT_OP("query_qp");
	assert_int_equal(fake_provider.args.attr_mask, IBV_QP_STATE);
	assert_int_equal(attr.qp_state, IBV_QPS_SQE);
	assert_int_equal(qp->state, IBV_QPS_SQE);
	destroy(qp);
}

static void query_of_something_else_leaves_the_state(void **state)
{
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp *qp = create();
	struct ibv_qp_attr attr;

	fake_provider.qp_attr.qp_state = IBV_QPS_SQE;
	ASSERT_OK(ibv_query_qp(qp, &attr, IBV_QP_CAP, &init_attr));
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy(qp);
}

static void failed_query_leaves_the_state(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp_init_attr init_attr;
	struct ibv_qp *qp = create();

	fake_provider.ret = -EIO;
	ASSERT_ERRNO(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init_attr), EIO);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	destroy(qp);
}

static void rate_limit_reaches_the_provider(void **state)
{
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = 1000 };
	struct ibv_qp *qp = create();

	ASSERT_OK(ibv_modify_qp_rate_limit(qp, &attr));
	ASSERT_OP("modify_qp_rate_limit");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, qp);
	attr.comp_mask = 1;
	ASSERT_ERRNO(ibv_modify_qp_rate_limit(qp, &attr), EOPNOTSUPP);
	destroy(qp);
}

/* ------------------------------------------------------------------------ */
/* Order of writes                                                           */
/* ------------------------------------------------------------------------ */

#define WHOLE	    IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG
#define BLOCKS	    IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES
#define RETURN_CAPS IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS
#define DEVICE_ONLY IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY

/* What the application learns if the provider says @caps. */
static void assert_in_order(uint64_t caps, uint32_t flags, int answer)
{
	struct ibv_qp *qp = create();

	fake_provider.value = caps;
	assert_int_equal(
		ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, flags),
		answer);
	ASSERT_OP("query_qp_data_in_order");
	assert_ptr_equal(fake_provider.args.object, qp);
	assert_int_equal(fake_provider.args.opcode, IBV_WR_RDMA_WRITE);
	assert_int_equal(fake_provider.args.flags, flags);
	destroy(qp);
}

static void order_is_a_boolean_for_whole_messages(void **state)
{
	assert_in_order(0, DEVICE_ONLY, 0);
	assert_in_order(WHOLE, DEVICE_ONLY, 1);
	assert_in_order(WHOLE | BLOCKS, DEVICE_ONLY, 1);
	assert_in_order(BLOCKS, DEVICE_ONLY, 0);
}

static void order_of_messages_includes_that_of_blocks(void **state)
{
	assert_in_order(WHOLE, DEVICE_ONLY | RETURN_CAPS, WHOLE | BLOCKS);
	assert_in_order(BLOCKS, DEVICE_ONLY | RETURN_CAPS, BLOCKS);
	assert_in_order(0, DEVICE_ONLY | RETURN_CAPS, 0);
}

static void cpu_has_a_word_in_it_too(void **state)
{
#if defined(__x86_64__) || defined(__i386__)
	assert_in_order(WHOLE, 0, 1);
#else
	struct ibv_qp *qp = create();

	fake_provider.value = WHOLE;
	assert_int_equal(ibv_query_qp_data_in_order(qp, IBV_WR_SEND, 0), 0);
	ASSERT_OP("create_qp");
	destroy(qp);
#endif
}

static void unknown_question_about_order_is_no(void **state)
{
	struct ibv_qp *qp = create();

	fake_provider.value = WHOLE;
	assert_int_equal(
		ibv_query_qp_data_in_order(qp, IBV_WR_SEND, DEVICE_ONLY << 1),
		0);
	ASSERT_OP("create_qp");
	destroy(qp);
}

/* ------------------------------------------------------------------------ */
/* Options of the connection                                                 */
/* ------------------------------------------------------------------------ */

static void ece_reaches_the_provider(void **state)
{
	struct ibv_ece ece = { .vendor_id = 1, .options = 2 };
	struct ibv_qp *qp = create();

	ASSERT_OK(ibv_set_ece(qp, &ece));
	ASSERT_OP("set_ece");
	assert_ptr_equal(fake_provider.args.attr, &ece);
	destroy(qp);
}

static void ece_without_a_vendor_is_eopnotsupp(void **state)
{
	struct ibv_ece ece = { .options = 2 };
	struct ibv_qp *qp = create();

	fake_provider.last_op = "none";
	ASSERT_ERRNO(ibv_set_ece(qp, &ece), EOPNOTSUPP);
	ASSERT_OP("none");
	destroy(qp);
}

static void ece_is_told(void **state)
{
	struct ibv_qp *qp = create();
	struct ibv_ece ece = {};

	fake_provider.ece = (struct ibv_ece){ .vendor_id = 3, .options = 4 };
	ASSERT_OK(ibv_query_ece(qp, &ece));
	assert_int_equal(ece.vendor_id, 3);
	assert_int_equal(ece.options, 4);
	destroy(qp);
}

static void failures_of_ece_are_positive_errnos(void **state)
{
	struct ibv_ece ece = { .vendor_id = 1 };
	struct ibv_qp *qp = create();

	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_ERRNO(ibv_set_ece(qp, &ece), EOPNOTSUPP);
	ASSERT_ERRNO(ibv_query_ece(qp, &ece), EOPNOTSUPP);
	destroy(qp);
}

/* ------------------------------------------------------------------------ */
/* Destroying                                                                */
/* ------------------------------------------------------------------------ */

static void failed_destroy_leaves_the_qp(void **state)
{
	struct ibv_qp *qp = create();

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_destroy_qp(qp), EBUSY);
	assert_ptr_equal(qp->pd, api.pd);
	destroy(qp);
}

static atomic_bool destroyed;

static void *destroy_in_thread(void *qp)
{
	atomic_store(&destroyed, ibv_destroy_qp(qp) == 0);
	return NULL;
}

static void destroy_waits_for_acknowledgements(void **state)
{
	struct ibv_async_event event = { .event_type = IBV_EVENT_QP_FATAL };
	struct ibv_qp *qp = create();
	pthread_t thread;

	fake_provider.raised.async_events = 1;
	event.element.qp = qp;
	atomic_store(&destroyed, false);
	assert_int_equal(pthread_create(&thread, NULL, destroy_in_thread, qp),
			 0);
	assert_false(atomic_load(&destroyed));
	ibv_ack_async_event(&event);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(atomic_load(&destroyed));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(qp_gets_what_the_application_said),
		TEST(provider_gets_what_the_application_said),
		TEST(real_sizes_are_written_back),
		TEST(failure_of_create_is_null_and_writes_nothing_back),
		TEST(connected_qp_without_cqs_is_einval),
		TEST(datagram_qp_without_cqs_is_einval),
		TEST(xrc_sender_needs_a_send_cq_only),
		TEST(raw_packet_qp_without_cqs_is_einval),
		TEST(cqs_of_driver_types_are_the_provider_s_business),
		TEST(extended_create_checks_cqs_too),
		TEST(extended_create_reaches_the_provider),
		TEST(inline_create_of_a_plain_qp_is_the_same),
		TEST(failure_of_extended_create_is_null),
		TEST(open_takes_part_in_a_shared_qp),
		TEST(qp_ex_is_there_if_the_provider_made_one),
		TEST(provider_may_have_its_own_idea_of_a_qp_ex),
		TEST(modify_keeps_the_state),
		TEST(modify_of_something_else_leaves_the_state),
		TEST(each_state_there_is_reaches_the_provider),
		TEST(failed_modify_leaves_the_state),
		TEST(query_keeps_the_state),
		TEST(query_of_something_else_leaves_the_state),
		TEST(failed_query_leaves_the_state),
		TEST(rate_limit_reaches_the_provider),
		TEST(order_is_a_boolean_for_whole_messages),
		TEST(order_of_messages_includes_that_of_blocks),
		TEST(cpu_has_a_word_in_it_too),
		TEST(unknown_question_about_order_is_no),
		TEST(ece_reaches_the_provider),
		TEST(ece_without_a_vendor_is_eopnotsupp),
		TEST(ece_is_told),
		TEST(failures_of_ece_are_positive_errnos),
		TEST(failed_destroy_leaves_the_qp),
		TEST(destroy_waits_for_acknowledgements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
