/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The transport of messages between two QPs: what verbs cannot show, such as
 * the entries that were sent, and what a hostile or a silent peer causes. The
 * conformance tests (tests/verbs) show the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/wire/uroce_packet.h"
#include "uroce_msg_rig.h"

#define RNR_NS UINT64_C(10000) /* of timer 1 */

static struct rig *rig;
static struct rig_end *left, *right;

static int open_rc(void **state)
{
	rig = rig_open(IBV_QPT_RC);
	left = &rig->left;
	right = &rig->right;
	return 0;
}

static int open_uc(void **state)
{
	rig = rig_open(IBV_QPT_UC);
	left = &rig->left;
	right = &rig->right;
	return 0;
}

static int open_init(void **state)
{
	rig = rig_open_init(IBV_QPT_RC);
	left = &rig->left;
	right = &rig->right;
	return 0;
}

static int close_rig(void **state)
{
	rig_close(rig);
	return 0;
}

static uint64_t sent(const struct rig_end *end)
{
	return uroce_msg_counters(end->transport).tx_messages;
}

static uint64_t counted(const struct rig_end *end, enum uroce_counter counter)
{
	return end->engine.core.counters.count[counter];
}

static void fill(struct rig_end *end, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		end->bytes[i] = (uint8_t)(i * 7 + i / 251);
}

/* -- acknowledgements -- */

static void single_message_defers_ack_to_next_pass(void **state)
{
	rig_post_receive(right, 8);
	rig_post(left, IBV_WR_SEND, 8);
	assert_int_equal(rig_poll(rig, right), 1);
	rig_expect(right, IBV_WC_RECV, IBV_WC_SUCCESS);
	assert_int_equal(sent(right), 0);
	assert_int_equal(right->transport->ops->deadline(right->transport), 0);
	assert_int_equal(rig_poll(rig, right), 0);
	assert_int_equal(sent(right), 1);
	assert_int_equal(rig_poll(rig, left), 1);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
}

static void deferred_ack_travels_with_request(void **state)
{
	rig_post_receive(right, 8);
	rig_post_receive(left, 8);
	rig_post(left, IBV_WR_SEND, 8);
	(void)rig_poll(rig, right);
	rig_post(right, IBV_WR_SEND, 8);
	assert_int_equal(sent(right), 1);
	(void)rig_poll(rig, right);
	assert_int_equal(sent(right), 1);
	assert_int_equal(rig_poll(rig, left), 1);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_RECV, IBV_WC_SUCCESS);
}

static void several_messages_share_immediate_ack(void **state)
{
	for (int i = 0; i < 3; i++) {
		rig_post_receive(right, 8);
		rig_post(left, IBV_WR_SEND, 8);
	}
	assert_int_equal(rig_poll(rig, right), 3);
	assert_int_equal(sent(right), 1);
	assert_int_equal(rig_poll(rig, left), 1);
	for (int i = 0; i < 3; i++)
		rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
}

static void flush_sends_deferred_ack(void **state)
{
	rig_post_receive(right, 8);
	rig_post(left, IBV_WR_SEND, 8);
	(void)rig_poll(rig, right);
	assert_true(right->transport->ops->owes(right->qp));
	assert_true(right->transport->ops->flush(right->transport));
	assert_false(right->transport->ops->owes(right->qp));
	assert_int_equal(sent(right), 1);
}

static void ack_of_unsent_message_is_ignored(void **state)
{
	struct uroce_msg_entry ack = {
		.type = UROCE_MSG_RESP,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.qpn = right->qp->qpn,
		.msn = (RIG_PSN + 2) & 0xffffff,
	};

	rig_post(right, IBV_WR_RDMA_WRITE, 8);
	rig_forge(rig, &ack);
	(void)rig_poll(rig, right);
	rig_expect_none(right);
	assert_int_equal(counted(right, UROCE_C_STALE_ACKS), 1);
	rig_run(rig);
	rig_expect(right, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
}

static void ack_of_read_without_data_is_bad_response(void **state)
{
	struct uroce_msg_entry ack = {
		.type = UROCE_MSG_RESP,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.qpn = right->qp->qpn,
		.msn = RIG_PSN + 1,
	};

	rig_post(right, IBV_WR_RDMA_READ, 8);
	rig_forge(rig, &ack);
	(void)rig_poll(rig, right);
	rig_expect(right, IBV_WC_RDMA_READ, IBV_WC_BAD_RESP_ERR);
}

static void read_data_at_wrong_offset_is_bad_response(void **state)
{
	const struct uroce_msg_data data = { .offset = 4 };
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_READ_RESP,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.bytes = 4,
		.qpn = right->qp->qpn,
		.msn = RIG_PSN,
	};

	memcpy(entry.body, &data, sizeof(data));
	rig_post(right, IBV_WR_RDMA_READ, 8);
	rig_forge(rig, &entry);
	(void)rig_poll(rig, right);
	rig_expect(right, IBV_WC_RDMA_READ, IBV_WC_BAD_RESP_ERR);
}

static void read_response_longer_than_read_is_bad_response(void **state)
{
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_READ_RESP,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.bytes = 16,
		.qpn = right->qp->qpn,
		.msn = RIG_PSN,
	};

	rig_post(right, IBV_WR_RDMA_READ, 8);
	right->bytes[8] = 0x55;
	memset(entry.body, 0xaa, sizeof(entry.body));
	memset(entry.body, 0, sizeof(struct uroce_msg_data));
	rig_forge(rig, &entry);
	(void)rig_poll(rig, right);
	rig_expect(right, IBV_WC_RDMA_READ, IBV_WC_BAD_RESP_ERR);
	assert_int_equal(right->bytes[8], 0x55);
}

/* -- long messages, and full rings -- */

static void message_longer_than_ring_arrives(void **state)
{
	uint32_t bytes = RIG_BYTES;

	fill(left, bytes);
	rig_post_receive(right, bytes);
	rig_post(left, IBV_WR_SEND, bytes);
	/* the ring is full: the rest follows as the peer makes room */
	assert_true(sent(left) < bytes / UROCE_MSG_FRAGMENT);
	rig_run(rig);
	rig_expect(right, IBV_WC_RECV, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
	assert_memory_equal(right->bytes, left->bytes, bytes);
}

static void reads_of_both_ends_fill_both_rings(void **state)
{
	for (int i = 0; i < 2; i++) {
		rig_post(left, IBV_WR_RDMA_READ, RIG_BYTES);
		rig_post(right, IBV_WR_RDMA_READ, RIG_BYTES);
	}
	rig_run(rig);
	for (int i = 0; i < 2; i++) {
		rig_expect(left, IBV_WC_RDMA_READ, IBV_WC_SUCCESS);
		rig_expect(right, IBV_WC_RDMA_READ, IBV_WC_SUCCESS);
	}
}

static void entries_without_room_wait_in_order(void **state)
{
	for (int i = 0; i < RIG_DEPTH; i++) {
		left->bytes[0] = (uint8_t)i;
		rig_post(left, IBV_WR_RDMA_WRITE, UROCE_MSG_FRAGMENT);
	}
	assert_true(sent(left) < RIG_DEPTH);
	rig_run(rig);
	for (int i = 0; i < RIG_DEPTH; i++)
		rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	assert_int_equal(right->bytes[0], RIG_DEPTH - 1);
}

static void read_of_region_that_is_gone_is_refused(void **state)
{
	rig_post(left, IBV_WR_RDMA_READ, RIG_BYTES);
	(void)rig_poll(rig, right); /* fills the ring with a part of the data */
	assert_int_equal(uroce_memory_remove(&right->memory, right->key), 0);
	rig_run(rig);
	rig_expect(left, IBV_WC_RDMA_READ, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(right->qp->state, IBV_QPS_ERR);
}

static void cancelled_read_is_not_acknowledged(void **state)
{
	const struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };

	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_post(left, IBV_WR_RDMA_READ, RIG_BYTES);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	(void)rig_poll(rig, right);
	assert_int_equal(uroce_qp_modify(right->qp, &err, IBV_QP_STATE,
					 IBV_MTU_4096, NULL, rig->now),
			 0);
	rig_run(rig);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	/* the READ waits for the timer */
	rig_expect_none(left);
}

/* -- RNR -- */

static void rnr_sends_again_after_timer(void **state)
{
	rig_post(left, IBV_WR_SEND, 8);
	rig_run(rig);
	rig_expect_none(left);
	rig_post_receive(right, 8);
	rig->now += RNR_NS - 1;
	rig_run(rig);
	rig_expect_none(right);
	rig->now += 1;
	rig_run(rig);
	rig_expect(right, IBV_WC_RECV, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
}

static void rnr_retries_exhausted_fails(void **state)
{
	rig_post(left, IBV_WR_SEND, 8);
	rig_run(rig);
	rig->now += RNR_NS;
	rig_run(rig);
	rig_expect(left, IBV_WC_SEND, IBV_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(counted(right, UROCE_C_NO_RECEIVE), 2);
}

static void rnr_of_write_imm_sends_last_fragment_again(void **state)
{
	uint32_t bytes = 3 * UROCE_MSG_FRAGMENT;
	uint64_t before;

	fill(left, bytes);
	rig_post(left, IBV_WR_RDMA_WRITE_WITH_IMM, bytes);
	rig_run(rig);
	before = sent(left);
	assert_int_equal(before, 3);
	rig_post_receive(right, 0);
	rig->now += RNR_NS;
	rig_run(rig);
	assert_int_equal(sent(left) - before, 1);
	rig_expect(right, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	assert_memory_equal(right->bytes, left->bytes, bytes);
}

static void rnr_drops_later_messages_until_first_arrives(void **state)
{
	rig_post(left, IBV_WR_SEND, 2 * UROCE_MSG_FRAGMENT);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	left->bytes[0] = 1;
	rig_run(rig);
	assert_int_equal(right->bytes[0], 0);
	rig_post_receive(right, 2 * UROCE_MSG_FRAGMENT);
	rig->now += RNR_NS;
	rig_run(rig);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	assert_int_equal(right->bytes[0], 1);
}

/* -- timeouts, and messages that were dropped -- */

static void message_before_rtr_is_sent_again(void **state)
{
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_run(rig);
	rig_expect_none(left);
	rig_modify(rig, right, IBV_QPS_RTR);
	rig->now += RIG_T_NS;
	rig_run(rig);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
}

static void later_message_reveals_gap(void **state)
{
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_run(rig);
	rig_modify(rig, right, IBV_QPS_RTR);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_run(rig);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
}

static void rest_of_message_after_rtr_reveals_gap(void **state)
{
	fill(left, RIG_BYTES);
	rig_post(left, IBV_WR_RDMA_WRITE, RIG_BYTES);
	(void)rig_progress(rig, right);
	rig_modify(rig, right, IBV_QPS_RTR);
	rig_run(rig);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	assert_memory_equal(right->bytes, left->bytes, RIG_BYTES);
}

static void silent_peer_fails_after_all_retries(void **state)
{
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	(void)rig_progress(rig, left);
	for (int i = 0; i < 2; i++) {
		rig->now += RIG_T_NS;
		(void)rig_progress(rig, left);
	}
	rig->now += RIG_T_NS - 1;
	(void)rig_progress(rig, left);
	rig_expect_none(left);
	rig->now += 1;
	(void)rig_progress(rig, left);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_RETRY_EXC_ERR);
}

static uint64_t first_number(const struct rig_end *end)
{
	uint64_t number;

	memcpy(&number, end->bytes, sizeof(number));
	return number;
}

static void retry_does_not_execute_atomic_twice(void **state)
{
	rig_post(left, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	(void)rig_progress(rig, left);
	for (int i = 0; i < 2; i++) {
		rig->now += RIG_T_NS;
		(void)rig_progress(rig, left);
	}
	assert_true(sent(left) > 1);
	rig_run(rig);
	rig_expect(left, IBV_WC_FETCH_ADD, IBV_WC_SUCCESS);
	rig_expect_none(left);
	assert_int_equal(first_number(right), 1);
	rig_post(left, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	rig_run(rig);
	assert_int_equal(first_number(right), 2);
}

static void stopped_peer_continues_long_message(void **state)
{
	fill(left, RIG_BYTES);
	rig_post_receive(right, RIG_BYTES);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_post(left, IBV_WR_SEND, RIG_BYTES);
	(void)rig_progress(rig, left);
	for (int i = 0; i < 2; i++) {
		rig->now += RIG_T_NS;
		(void)rig_progress(rig, left);
	}
	rig_run(rig);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
	rig_expect(right, IBV_WC_RECV, IBV_WC_SUCCESS);
	assert_memory_equal(right->bytes, left->bytes, RIG_BYTES);
}

static void idle_ends_have_no_deadline(void **state)
{
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_run(rig);
	rig->now += RIG_T_NS;
	rig_run(rig);
	assert_true(left->transport->ops->deadline(left->transport) ==
		    UROCE_NEVER);
	assert_true(right->transport->ops->deadline(right->transport) ==
		    UROCE_NEVER);
}

/* -- peers -- */

static void dead_peer_fails_requests_without_timeout_at_once(void **state)
{
	left->qp->timeout = 0;
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	uroce_msg_pair_fail(&left->pair);
	(void)rig_progress(rig, left);
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_RETRY_EXC_ERR);
}

static void dead_peer_fails_requests_after_retries(void **state)
{
	uroce_msg_pair_fail(&left->pair);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	(void)rig_progress(rig, left);
	for (int i = 0; i < 3; i++) {
		rig_expect_none(left);
		rig->now += RIG_T_NS;
		(void)rig_progress(rig, left);
	}
	rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_RETRY_EXC_ERR);
}

static void malformed_entry_ends_reception(void **state)
{
	const struct uroce_msg_entry entry = { .type = UROCE_MSG_NR_TYPES };

	rig_forge(rig, &entry);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	assert_int_equal(rig_poll(rig, right), 0);
	assert_true(right->pair.broken);
	assert_int_equal(rig_poll(rig, right), 0);
	assert_int_equal(right->bytes[0], 0);
}

static void entry_for_unbound_qp_is_dropped(void **state)
{
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_WRITE,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.qpn = right->qp->qpn,
		.msn = RIG_PSN,
	};

	uroce_msg_detach(right->qp);
	rig_forge(rig, &entry);
	assert_int_equal(rig_poll(rig, right), 1);
	assert_int_equal(counted(right, UROCE_C_BAD_SOURCE), 1);
	entry.qpn ^= 1;
	rig_forge(rig, &entry);
	assert_int_equal(rig_poll(rig, right), 1);
	assert_int_equal(counted(right, UROCE_C_NO_QP), 1);
}

static void entry_of_uc_is_dropped_by_rc(void **state)
{
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_WRITE,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST | UROCE_MSG_UC,
		.qpn = right->qp->qpn,
		.msn = RIG_PSN,
	};

	rig_forge(rig, &entry);
	assert_int_equal(rig_poll(rig, right), 1);
	assert_int_equal(counted(right, UROCE_C_BAD_TRANSPORT), 1);
}

static void write_longer_than_announced_is_refused(void **state)
{
	const struct uroce_msg_range range = {
		.va = RIG_IOVA,
		.rkey = right->key,
		.bytes = 4,
	};
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_WRITE,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.bytes = 8,
		.qpn = right->qp->qpn,
		.msn = RIG_PSN,
	};

	memset(entry.body, 0xaa, sizeof(entry.body));
	memcpy(entry.body, &range, sizeof(range));
	rig_forge(rig, &entry);
	(void)rig_poll(rig, right);
	assert_int_equal(right->bytes[0], 0);
	assert_int_equal(right->qp->state, IBV_QPS_ERR);
	assert_int_equal(counted(right, UROCE_C_BAD_LENGTH), 1);
}

static void too_many_reads_are_refused(void **state)
{
	const struct uroce_msg_range range = {
		.va = RIG_IOVA,
		.rkey = right->key,
		.bytes = 8,
	};
	struct uroce_msg_entry entry = {
		.type = UROCE_MSG_READ_REQ,
		.flags = UROCE_MSG_FIRST | UROCE_MSG_LAST,
		.qpn = right->qp->qpn,
	};

	memcpy(entry.body, &range, sizeof(range));
	for (uint32_t i = 0; i < 3; i++) {
		entry.msn = (RIG_PSN + i) & 0xffffff;
		rig_forge(rig, &entry);
	}
	(void)rig_poll(rig, right);
	assert_int_equal(counted(right, UROCE_C_TOO_MANY_READS), 1);
	assert_int_equal(right->qp->state, IBV_QPS_ERR);
}

static void sleeping_peer_gets_single_bell(void **state)
{
	left->nr_bells = 0;
	assert_false(right->transport->ops->arm(right->transport, true));
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	assert_int_equal(left->nr_bells, 1);
	assert_true(right->transport->ops->arm(right->transport, true));
	assert_true(right->transport->ops->arm(right->transport, false));
	rig_post(left, IBV_WR_RDMA_WRITE, 8);
	assert_int_equal(left->nr_bells, 1);
}

/* -- UC -- */

static void uc_completes_without_response(void **state)
{
	rig_post_receive(right, 8);
	rig_post(left, IBV_WR_SEND, 8);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
	rig_run(rig);
	rig_expect(right, IBV_WC_RECV, IBV_WC_SUCCESS);
	assert_int_equal(sent(right), 0);
}

static void uc_message_without_receive_is_dropped_whole(void **state)
{
	rig_post(left, IBV_WR_SEND, 2 * UROCE_MSG_FRAGMENT);
	rig_expect(left, IBV_WC_SEND, IBV_WC_SUCCESS);
	rig_run(rig);
	rig_expect_none(right);
	rig_post_receive(right, 8);
	rig_post(left, IBV_WR_SEND, 8);
	rig_run(rig);
	rig_expect(right, IBV_WC_RECV, IBV_WC_SUCCESS);
}

static void uc_without_room_continues_later(void **state)
{
	for (int i = 0; i < RIG_DEPTH; i++)
		rig_post(left, IBV_WR_RDMA_WRITE, UROCE_MSG_FRAGMENT);
	assert_true(left->transport->ops->deadline(left->transport) <
		    UROCE_NEVER);
	rig_run(rig);
	for (int i = 0; i < RIG_DEPTH; i++)
		rig_expect(left, IBV_WC_RDMA_WRITE, IBV_WC_SUCCESS);
}

#define RC(test)   cmocka_unit_test_setup_teardown(test, open_rc, close_rig)
#define UC(test)   cmocka_unit_test_setup_teardown(test, open_uc, close_rig)
#define INIT(test) cmocka_unit_test_setup_teardown(test, open_init, close_rig)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(single_message_defers_ack_to_next_pass),
		RC(deferred_ack_travels_with_request),
		RC(several_messages_share_immediate_ack),
		RC(flush_sends_deferred_ack),
		RC(ack_of_unsent_message_is_ignored),
		RC(ack_of_read_without_data_is_bad_response),
		RC(read_data_at_wrong_offset_is_bad_response),
		RC(read_response_longer_than_read_is_bad_response),
		RC(message_longer_than_ring_arrives),
		RC(reads_of_both_ends_fill_both_rings),
		RC(entries_without_room_wait_in_order),
		RC(read_of_region_that_is_gone_is_refused),
		RC(cancelled_read_is_not_acknowledged),
		RC(rnr_sends_again_after_timer),
		RC(rnr_retries_exhausted_fails),
		RC(rnr_of_write_imm_sends_last_fragment_again),
		RC(rnr_drops_later_messages_until_first_arrives),
		INIT(message_before_rtr_is_sent_again),
		INIT(later_message_reveals_gap),
		INIT(rest_of_message_after_rtr_reveals_gap),
		RC(silent_peer_fails_after_all_retries),
		RC(retry_does_not_execute_atomic_twice),
		RC(stopped_peer_continues_long_message),
		RC(idle_ends_have_no_deadline),
		RC(dead_peer_fails_requests_without_timeout_at_once),
		RC(dead_peer_fails_requests_after_retries),
		RC(malformed_entry_ends_reception),
		RC(entry_for_unbound_qp_is_dropped),
		RC(entry_of_uc_is_dropped_by_rc),
		RC(write_longer_than_announced_is_refused),
		RC(too_many_reads_are_refused),
		RC(sleeping_peer_gets_single_bell),
		UC(uc_completes_without_response),
		UC(uc_message_without_receive_is_dropped_whole),
		UC(uc_without_room_continues_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
