/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Extended reliable connections (XRC): domains and QPs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "verbs_xrc_fixture.h"

static void xrc_is_in_capabilities(void **state)
{
	struct ibv_device_attr attr;

	assert_int_equal(ibv_query_device(xrc.ctx, &attr), 0);
	assert_true(attr.device_cap_flags & IBV_DEVICE_XRC);
}

static void xrc_domain_in_use_cannot_be_closed(void **state)
{
	assert_int_equal(ibv_close_xrcd(xrc.xrcd), EBUSY);
}

static void xrc_domain_of_file_is_shared(void **state)
{
	FILE *file = tmpfile();
	struct ibv_xrcd *first, *second;
	struct ibv_qp *qp;
	int fd;

	assert_non_null(file);
	fd = fileno(file);
	assert_null(xrc_open_domain(fd, 0));
	assert_int_equal(errno, EAGAIN);
	first = xrc_open_domain(fd, O_CREAT | O_EXCL);
	assert_non_null(first);
	assert_null(xrc_open_domain(fd, O_CREAT | O_EXCL));
	assert_int_equal(errno, EINVAL);
	second = xrc_open_domain(fd, 0);
	assert_non_null(second);

	/* a target of one, an SRQ of the other */
	qp = xrc.target;
	xrc.target = xrc_create_target(first);
	assert_non_null(xrc.target);
	assert_int_equal(ibv_destroy_srq(xrc.srqs[0].srq), 0);
	xrc.srqs[0].srq =
		xrc_create_srq(second, xrc.srqs[0].pd, xrc.srqs[0].cq);
	assert_non_null(xrc.srqs[0].srq);
	assert_int_equal(ibv_get_srq_num(xrc.srqs[0].srq, &xrc.srqs[0].number),
			 0);
	xrc_connect_qps(7);
	xrc_post_receive(&xrc.srqs[0], 1);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 1, 8);

	assert_int_equal(ibv_destroy_qp(xrc.target), 0);
	xrc.target = qp;
	assert_int_equal(ibv_close_xrcd(first), 0);
	assert_int_equal(ibv_destroy_srq(xrc.srqs[0].srq), 0);
	xrc.srqs[0].srq = NULL;
	assert_int_equal(ibv_close_xrcd(second), 0);
	assert_null(xrc_open_domain(fd, 0));
	(void)fclose(file);
	assert_null(xrc_open_domain(1 << 20, O_CREAT));
	assert_int_equal(errno, EBADF);
}

static struct ibv_qp *open_target(struct ibv_xrcd *domain, uint32_t qpn,
				  enum ibv_qp_type type)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_CONTEXT | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qpn,
		.xrcd = domain,
		.qp_context = &xrc.srqs[0],
		.qp_type = type,
	};

	return ibv_open_qp(domain->context, &attr);
}

static void xrc_target_is_opened_by_number(void **state)
{
	struct ibv_qp *handle;
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	handle = open_target(xrc.xrcd, xrc.target->qp_num, IBV_QPT_XRC_RECV);
	assert_non_null(handle);
	assert_int_equal(handle->qp_num, xrc.target->qp_num);
	assert_ptr_equal(handle->qp_context, &xrc.srqs[0]);
	assert_int_equal(ibv_query_qp(handle, &attr, 0, &init), 0);
	assert_int_equal(init.qp_type, IBV_QPT_XRC_RECV);
	assert_int_equal(attr.qp_state, IBV_QPS_RTR);
	assert_int_equal(attr.dest_qp_num, xrc.initiator->qp_num);

	/* the creator is the first to destroy it */
	assert_int_equal(ibv_destroy_qp(xrc.target), 0);
	xrc.target = handle;
	xrc_post_receive(&xrc.srqs[0], 1);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 1, 8);
	xrc_connect_qps(7);
	xrc_post_receive(&xrc.srqs[0], 2);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 2, 8);
}

static void xrc_open_needs_target_of_domain(void **state)
{
	struct ibv_xrcd *foreign = xrc_open_domain(-1, 0);

	assert_non_null(foreign);
	assert_null(open_target(foreign, xrc.target->qp_num, IBV_QPT_XRC_RECV));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_close_xrcd(foreign), 0);
	assert_null(
		open_target(xrc.xrcd, xrc.initiator->qp_num, IBV_QPT_XRC_RECV));
	assert_int_equal(errno, EINVAL);
	assert_null(
		open_target(xrc.xrcd, xrc.target->qp_num, IBV_QPT_XRC_SEND));
	assert_int_equal(errno, EINVAL);
}

/* All handles get the events; a destroyed one does not. */
static void xrc_event_reaches_each_handle(void **state)
{
	struct ibv_qp *first, *second;
	int seen[2] = {};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	first = open_target(xrc.xrcd, xrc.target->qp_num, IBV_QPT_XRC_RECV);
	second = open_target(xrc.xrcd, xrc.target->qp_num, IBV_QPT_XRC_RECV);
	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal(ibv_destroy_qp(first), 0);
	assert_int_equal(xrc_try_post(wr, xrc_local_sge(8), 0xffffff), 0);
	xrc_expect_sent(IBV_WC_REM_INV_REQ_ERR);
	for (int i = 0; i < 4; i++) {
		struct ibv_async_event event = xrc_next_event();

		if (event.event_type == IBV_EVENT_QP_REQ_ERR)
			seen[event.element.qp == second]++;
		else
			assert_int_equal(event.event_type,
					 IBV_EVENT_QP_LAST_WQE_REACHED);
	}
	assert_int_equal(seen[0], 1);
	assert_int_equal(seen[1], 1);
	assert_int_equal(ibv_destroy_qp(second), 0);
}

/* A context of its own, as of a library in the same process. */
static void xrc_contexts_share_domain_of_file(void **state)
{
	FILE *file = tmpfile();
	struct ibv_context *context = fixture_open();
	struct ibv_xrcd *mine, *shared;
	struct target_srq srq;
	struct ibv_qp *qp = xrc.target, *created;

	assert_non_null(file);
	mine = xrc_open_domain(fileno(file), O_CREAT);
	shared = xrc_open_domain_of(context, fileno(file), 0);
	assert_non_null(mine);
	assert_non_null(shared);
	xrc_srq_set_up(&srq, shared);
	xrc.target = xrc_create_target(mine);
	assert_non_null(xrc.target);
	xrc_connect_qps(7);
	xrc_post_receive(&srq, 6);
	xrc_fill(3);
	xrc_post(IBV_WR_SEND, BYTES, &srq);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&srq, 6, BYTES);
	assert_memory_equal(srq.memory, xrc.memory, BYTES);

	/* the second context opens the target, and keeps it */
	created = xrc.target;
	xrc.target = open_target(shared, xrc.target->qp_num, IBV_QPT_XRC_RECV);
	assert_non_null(xrc.target);
	assert_int_equal(ibv_destroy_qp(created), 0);
	assert_int_equal(ibv_close_xrcd(mine), 0);
	xrc_post_receive(&srq, 7);
	xrc_post(IBV_WR_SEND, 8, &srq);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&srq, 7, 8);
	assert_int_equal(ibv_destroy_qp(xrc.target), 0);
	xrc.target = qp;
	xrc_srq_tear_down(&srq);
	assert_int_equal(ibv_close_xrcd(shared), 0);
	assert_int_equal(ibv_close_device(context), 0);
	(void)fclose(file);
}

static void xrc_operations_of_wrong_side_are_refused(void **state)
{
	struct ibv_sge sge = xrc_local_sge(8);
	struct ibv_recv_wr recv = { 1, NULL, &sge, 1 }, *bad_recv;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;

	xrc_to_rts(xrc.target, 7);
	assert_int_equal(ibv_post_send(xrc.target, &wr, &bad), EINVAL);
	assert_int_equal(ibv_post_recv(xrc.target, &recv, &bad_recv), EINVAL);
	assert_int_equal(ibv_post_recv(xrc.initiator, &recv, &bad_recv),
			 EINVAL);
	wr.opcode = IBV_WR_SEND_WITH_INV;
	assert_int_equal(ibv_post_send(xrc.initiator, &wr, &bad), EINVAL);
	wr.opcode = IBV_WR_LOCAL_INV;
	assert_int_equal(ibv_post_send(xrc.initiator, &wr, &bad), EINVAL);
}

static void xrc_qp_query_has_type_and_states(void **state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(xrc.target, &attr, 0, &init), 0);
	assert_int_equal(init.qp_type, IBV_QPT_XRC_RECV);
	assert_int_equal(attr.qp_state, IBV_QPS_RTR);
	assert_int_equal(attr.dest_qp_num, xrc.initiator->qp_num);
	assert_int_equal(attr.max_dest_rd_atomic, 4);
	assert_int_equal(ibv_query_qp(xrc.initiator, &attr, 0, &init), 0);
	assert_int_equal(init.qp_type, IBV_QPT_XRC_SEND);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	assert_int_equal(attr.max_rd_atomic, 4);
}

static void xrc_srq_is_not_accepted_by_rc(void **state)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = xrc.cq,
		.recv_cq = xrc.cq,
		.srq = xrc.srqs[0].srq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};

	assert_null(ibv_create_qp(xrc.pd, &attr));
	assert_int_equal(errno, EINVAL);
}

/* Programs set the attributes of RC; the kernel ignores those of one side. */
static void xrc_attributes_of_missing_side_are_ignored(void **state)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	const int mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_MAX_QP_RD_ATOMIC;
	struct ibv_qp_init_attr init;

	assert_int_equal(ibv_modify_qp(xrc.target, &attr, mask), 0);
	assert_int_equal(ibv_query_qp(xrc.target, &attr, 0, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	assert_int_equal(attr.max_rd_atomic, 0);
	attr.max_dest_rd_atomic = 9;
	attr.min_rnr_timer = 3;
	assert_int_equal(
		ibv_modify_qp(xrc.initiator, &attr,
			      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
		0);
	assert_int_equal(ibv_query_qp(xrc.initiator, &attr, 0, &init), 0);
	assert_int_equal(attr.max_dest_rd_atomic, 0);
}

static void xrc_request_to_initiator_is_dropped(void **state)
{
	struct ibv_qp *second = xrc_create_initiator(), *first = xrc.initiator;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 10,
		.sq_psn = 0xfffffe,
		.max_rd_atomic = 1,
	};

	assert_non_null(second);
	xrc_to_init(second);
	xrc_to_rtr(second, first->qp_num);
	assert_int_equal(
		ibv_modify_qp(second, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				      IBV_QP_MAX_QP_RD_ATOMIC),
		0);
	xrc_post_receive(&xrc.srqs[0], 1);
	xrc.initiator = second;
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_RETRY_EXC_ERR);
	xrc.initiator = first;
	assert_int_equal(ibv_destroy_qp(second), 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, xrc_setup, xrc_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(xrc_is_in_capabilities),
		TEST(xrc_target_is_opened_by_number),
		TEST(xrc_open_needs_target_of_domain),
		TEST(xrc_event_reaches_each_handle),
		TEST(xrc_contexts_share_domain_of_file),
		TEST(xrc_domain_in_use_cannot_be_closed),
		TEST(xrc_domain_of_file_is_shared),
		TEST(xrc_operations_of_wrong_side_are_refused),
		TEST(xrc_qp_query_has_type_and_states),
		TEST(xrc_srq_is_not_accepted_by_rc),
		TEST(xrc_attributes_of_missing_side_are_ignored),
		TEST(xrc_request_to_initiator_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
