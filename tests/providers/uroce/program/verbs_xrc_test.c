/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Extended reliable connections (XRC): requests, and the SRQs they name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs_xrc_fixture.h"

#define NR_ROUNDS 50

static void post_atomic(uint64_t add, const struct target_srq *to)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD };

	wr.wr.atomic.remote_addr = (uintptr_t)to->memory;
	wr.wr.atomic.rkey = to->mr->rkey;
	wr.wr.atomic.compare_add = add;
	assert_int_equal(xrc_try_post(wr, xrc_local_sge(8), to->number), 0);
}

/* Reads to the second half of the memory of the initiator. */
static void post_read_to_second_half(const struct target_srq *from)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ };
	struct ibv_sge sge = xrc_local_sge(PART / 2);

	sge.addr += PART / 2;
	wr.wr.rdma.remote_addr = (uintptr_t)from->memory;
	wr.wr.rdma.rkey = from->mr->rkey;
	assert_int_equal(xrc_try_post(wr, sge, from->number), 0);
}

/* -- data -- */

static void xrc_send_reaches_named_srq(void **state)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		struct target_srq *to = &xrc.srqs[i % 3 == 1];
		struct target_srq *idle = &xrc.srqs[i % 3 != 1];
		uint32_t length = i % 2 ? BYTES : 8;

		xrc_fill((uint8_t)i);
		memset(idle->memory, 0, PART);
		xrc_post_receive(&xrc.srqs[0], 100 + (uint64_t)i);
		xrc_post_receive(&xrc.srqs[1], 500 + (uint64_t)i);
		xrc_post(IBV_WR_SEND, length, to);
		xrc_expect_sent(IBV_WC_SUCCESS);
		xrc_expect_received(
			to, (to == xrc.srqs ? 100 : 500) + (uint64_t)i, length);
		assert_memory_equal(to->memory, xrc.memory, length);
		assert_int_equal(idle->memory[0], 0);
		/* takes the WQE of the other SRQ */
		xrc_post(IBV_WR_SEND_WITH_IMM, 4, idle);
		xrc_expect_sent(IBV_WC_SUCCESS);
		xrc_expect_received(
			idle, (to == xrc.srqs ? 500 : 100) + (uint64_t)i, 4);
	}
}

static void xrc_rdma_uses_pd_of_srq(void **state)
{
	for (int i = 0; i < 2; i++) {
		xrc_fill((uint8_t)(i + 1));
		xrc_post(IBV_WR_RDMA_WRITE, BYTES, &xrc.srqs[i]);
		xrc_expect_sent(IBV_WC_SUCCESS);
		assert_memory_equal(xrc.srqs[i].memory, xrc.memory, BYTES);
		memset(xrc.memory, 0, PART);
		xrc_post(IBV_WR_RDMA_READ, BYTES, &xrc.srqs[i]);
		xrc_expect_sent(IBV_WC_SUCCESS);
		assert_memory_equal(xrc.srqs[i].memory, xrc.memory, BYTES);
	}
	/* both are outstanding: each response has the PD of its request */
	xrc_post(IBV_WR_RDMA_READ, PART / 2, &xrc.srqs[0]);
	post_read_to_second_half(&xrc.srqs[1]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_sent(IBV_WC_SUCCESS);
	assert_memory_equal(xrc.srqs[0].memory, xrc.memory, PART / 2);
	assert_memory_equal(xrc.srqs[1].memory, xrc.memory + PART / 2,
			    PART / 2);
}

static void xrc_atomic_changes_memory(void **state)
{
	uint64_t *value = (uint64_t *)(void *)xrc.srqs[1].memory;

	*value = 40;
	for (uint64_t i = 0; i < 10; i++) {
		post_atomic(2, &xrc.srqs[1]);
		xrc_expect_sent(IBV_WC_SUCCESS);
		assert_int_equal(*(uint64_t *)(void *)xrc.memory, 40 + 2 * i);
	}
	assert_int_equal(*value, 60);
}

static void xrc_write_with_immediate_takes_receive(void **state)
{
	struct ibv_wc wc;

	xrc_post_receive(&xrc.srqs[1], 3);
	xrc_fill(9);
	xrc_post(IBV_WR_RDMA_WRITE_WITH_IMM, BYTES, &xrc.srqs[1]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	wc = fixture_poll(xrc.srqs[1].cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.wr_id, 3);
	assert_int_equal(be32toh(wc.imm_data), 7);
	assert_memory_equal(xrc.srqs[1].memory, xrc.memory, BYTES);
}

static void xrc_wr_functions_need_srq_number(void **state)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(xrc.initiator);

	xrc_post_receive(&xrc.srqs[0], 1);
	xrc_post_receive(&xrc.srqs[1], 2);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qpx);
	ibv_wr_set_xrc_srqn(qpx, xrc.srqs[1].number);
	ibv_wr_set_sge(qpx, xrc.mr->lkey, (uintptr_t)xrc.memory, 16);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[1], 2, 16);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, xrc.mr->lkey, (uintptr_t)xrc.memory, 16);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);
}

/* Several messages in flight to both SRQs keep their order. */
static void xrc_messages_to_two_srqs_stay_in_order(void **state)
{
	for (uint64_t i = 0; i < 16; i++) {
		xrc_post_receive(&xrc.srqs[0], i);
		xrc_post_receive(&xrc.srqs[1], i);
	}
	for (uint64_t i = 0; i < 32; i++)
		xrc_post(IBV_WR_SEND, 3000, &xrc.srqs[i % 2]);
	for (uint64_t i = 0; i < 32; i++)
		xrc_expect_sent(IBV_WC_SUCCESS);
	for (uint64_t i = 0; i < 16; i++) {
		xrc_expect_received(&xrc.srqs[0], i, 3000);
		xrc_expect_received(&xrc.srqs[1], i, 3000);
	}
}

/* -- the SRQ -- */

static void xrc_empty_srq_is_not_ready(void **state)
{
	xrc_connect_qps(1);
	xrc_post_receive(&xrc.srqs[0], 1);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[1]);
	xrc_expect_sent(IBV_WC_RNR_RETRY_EXC_ERR);
}

static void xrc_srq_filled_later_receives(void **state)
{
	xrc_post(IBV_WR_SEND, BYTES, &xrc.srqs[1]);
	assert_int_equal(usleep(2000), 0); /* RNR NAKs meanwhile, or not */
	xrc_post_receive(&xrc.srqs[1], 5);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[1], 5, BYTES);
}

static void xrc_unknown_srq_fails_connection(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	xrc_post_receive(&xrc.srqs[0], 1);
	assert_int_equal(xrc_try_post(wr, xrc_local_sge(8),
				      xrc.srqs[0].number + 0x10000),
			 0);
	xrc_expect_sent(IBV_WC_REM_INV_REQ_ERR);
	xrc_expect_event(IBV_EVENT_QP_REQ_ERR, xrc.target);
	/* the WQE is still there, for the next connection */
	xrc_connect_qps(7);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 1, 8);
}

static void xrc_srq_of_foreign_domain_is_refused(void **state)
{
	struct ibv_xrcd *foreign = xrc_open_domain(-1, O_CREAT);
	struct target_srq outside = xrc.srqs[1];
	uint32_t number;

	assert_non_null(foreign);
	outside.srq = xrc_create_srq(foreign, xrc.srqs[1].pd, xrc.srqs[1].cq);
	assert_non_null(outside.srq);
	assert_int_equal(ibv_get_srq_num(outside.srq, &number), 0);
	outside.number = number;
	xrc_post_receive(&outside, 1);
	xrc_post(IBV_WR_SEND, 8, &outside);
	xrc_expect_sent(IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(ibv_close_xrcd(foreign), EBUSY);
	assert_int_equal(ibv_destroy_srq(outside.srq), 0);
	assert_int_equal(ibv_close_xrcd(foreign), 0);
}

static void xrc_key_of_different_srq_is_refused(void **state)
{
	struct target_srq mixed = xrc.srqs[0];

	mixed.mr = xrc.srqs[1].mr;
	mixed.memory = xrc.srqs[1].memory;
	xrc_post(IBV_WR_RDMA_WRITE, 8, &mixed);
	xrc_expect_sent(IBV_WC_REM_ACCESS_ERR);
}

static void xrc_destroyed_srq_is_not_found(void **state)
{
	xrc_post_receive(&xrc.srqs[1], 1);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[1]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[1], 1, 8);
	xrc_post_receive(&xrc.srqs[1], 2);
	assert_int_equal(ibv_destroy_cq(xrc.srqs[1].cq), EBUSY);
	assert_int_equal(ibv_destroy_srq(xrc.srqs[1].srq), 0);
	xrc.srqs[1].srq = NULL;
	/* the target works with the other SRQ, but not with this one */
	xrc_post_receive(&xrc.srqs[0], 3);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 3, 8);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[1]);
	xrc_expect_sent(IBV_WC_REM_INV_REQ_ERR);
}

static void xrc_numbers_are_not_reused_at_once(void **state)
{
	uint32_t number = xrc.srqs[1].number;

	assert_int_equal(ibv_destroy_srq(xrc.srqs[1].srq), 0);
	xrc.srqs[1].srq =
		xrc_create_srq(xrc.xrcd, xrc.srqs[1].pd, xrc.srqs[1].cq);
	assert_non_null(xrc.srqs[1].srq);
	assert_int_equal(ibv_get_srq_num(xrc.srqs[1].srq, &xrc.srqs[1].number),
			 0);
	assert_int_not_equal(xrc.srqs[1].number, number);
	assert_int_not_equal(xrc.srqs[1].number, xrc.srqs[0].number);
	xrc_post_receive(&xrc.srqs[1], 4);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[1]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[1], 4, 8);
}

static void xrc_srq_limit_raises_event(void **state)
{
	struct ibv_srq_attr attr = { .srq_limit = 2 };
	struct ibv_async_event event;

	for (uint64_t i = 0; i < 3; i++)
		xrc_post_receive(&xrc.srqs[1], i);
	assert_int_equal(ibv_modify_srq(xrc.srqs[1].srq, &attr, IBV_SRQ_LIMIT),
			 0);
	for (uint64_t i = 0; i < 2; i++) {
		xrc_post(IBV_WR_SEND, 8, &xrc.srqs[1]);
		xrc_expect_sent(IBV_WC_SUCCESS);
		xrc_expect_received(&xrc.srqs[1], i, 8);
	}
	event = xrc_next_event();
	assert_int_equal(event.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_ptr_equal(event.element.srq, xrc.srqs[1].srq);
}

/*
 * The NAK after which the target is in ERR. It is not repeated, so if the
 * network has lost it, the retries of the initiator end.
 */
static void expect_refused(void)
{
	struct ibv_wc wc = fixture_poll(xrc.cq);

	if (getenv("UROCE_WIRE_FAULTS") && wc.status == IBV_WC_RETRY_EXC_ERR)
		return;
	assert_int_equal(wc.status, IBV_WC_REM_INV_REQ_ERR);
}

/*
 * The initiator sends the message again, to an SRQ that no longer exists. How
 * often depends on time.
 */
static void xrc_srq_destroyed_before_receive_fails_connection(void **state)
{
	/* waits for a receive, for ever */
	xrc_post(IBV_WR_SEND, BYTES, &xrc.srqs[1]);
	assert_int_equal(ibv_destroy_srq(xrc.srqs[1].srq), 0);
	xrc.srqs[1].srq = NULL;
	expect_refused();
	xrc_connect_qps(7);
	xrc_post_receive(&xrc.srqs[0], 1);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 1, 8);
}

/* -- alternate path -- */

static void send_8_bytes(void)
{
	xrc_post_receive(&xrc.srqs[0], 1);
	xrc_post(IBV_WR_SEND, 8, &xrc.srqs[0]);
	xrc_expect_sent(IBV_WC_SUCCESS);
	xrc_expect_received(&xrc.srqs[0], 1, 8);
}

static void xrc_target_follows_migration_of_initiator(void **state)
{
	xrc_to_rts(xrc.target, 7);
	fixture_rearm(xrc.target);
	fixture_rearm(xrc.initiator);
	send_8_bytes();
	fixture_migrate(xrc.initiator);
	xrc_expect_event(IBV_EVENT_PATH_MIG, xrc.initiator);
	send_8_bytes();
	xrc_expect_event(IBV_EVENT_PATH_MIG, xrc.target);
	send_8_bytes();
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, xrc_setup, xrc_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(xrc_send_reaches_named_srq),
		TEST(xrc_rdma_uses_pd_of_srq),
		TEST(xrc_atomic_changes_memory),
		TEST(xrc_write_with_immediate_takes_receive),
		TEST(xrc_wr_functions_need_srq_number),
		TEST(xrc_messages_to_two_srqs_stay_in_order),
		TEST(xrc_empty_srq_is_not_ready),
		TEST(xrc_srq_filled_later_receives),
		TEST(xrc_unknown_srq_fails_connection),
		TEST(xrc_srq_of_foreign_domain_is_refused),
		TEST(xrc_key_of_different_srq_is_refused),
		TEST(xrc_destroyed_srq_is_not_found),
		TEST(xrc_numbers_are_not_reused_at_once),
		TEST(xrc_srq_limit_raises_event),
		TEST(xrc_srq_destroyed_before_receive_fails_connection),
		TEST(xrc_target_follows_migration_of_initiator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
