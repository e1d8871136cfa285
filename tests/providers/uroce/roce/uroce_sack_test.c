/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selective retransmission: what is sent again after losses, what a hostile
 * list does, and what the application sees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce_expect.h"
#include "uroce_losses.h"

#define MTU 1024
#define MS  UINT64_C(1000000)

/* Drops packets of side 0. */
struct wire {
	struct losses losses;
	unsigned int nr_lists; /* NAKs with a list */
};

static enum pair_action lose_requests(struct pair *pair, unsigned int from,
				      const struct uroce_packet *packet)
{
	struct wire *wire = pair->filter_data;

	if (from) {
		wire->nr_lists += (packet->syndrome & UROCE_AETH_KIND) ==
					  UROCE_AETH_NAK &&
				  packet->payload_len;
		return PAIR_PASS;
	}
	return losses_pass(&wire->losses, packet);
}

static struct pair *new_pair(struct wire *wire, struct pair_options *o)
{
	struct pair *pair;

	wire->losses.first_psn = o->psn;
	pair = pair_new(o);
	pair->filter = lose_requests;
	pair->filter_data = wire;
	return pair;
}

static void fill_source(struct pair *pair, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		pair->side[0].memory[i] = (uint8_t)(i * 31 + i / MTU);
}

static void expect_written(const struct pair *pair, uint32_t length)
{
	assert_memory_equal(pair->side[0].memory, pair->side[1].memory + TARGET,
			    length);
}

static void sack_sends_only_lost_packets_again(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 3, 9, 10, 30, 52 },
			    .times = { 1, 1, 1, 1, 1 },
			    .nr_lost = 5 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	fill_source(pair, 60 * MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, 60 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_written(pair, 60 * MTU);
	losses_expect_sent(&wire.losses, 60, 5);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	assert_int_equal(pair_count(pair, 1, UROCE_C_DUPLICATES), 0);
	assert_true(wire.nr_lists);
	pair_free(pair);
}

/* The second message is lost in part, too. */
static void sack_memory_is_used_for_next_loss(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 3, 9, 41, 50 },
			    .times = { 1, 1, 1, 1 },
			    .nr_lost = 4 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);
	const void *record, *held;

	fill_source(pair, 40 * MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, 40 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	record = pair->side[0].engine.sack_pages.first;
	held = pair->side[1].engine.reorder_pages.first;
	assert_non_null(record);
	assert_non_null(held);
	memset(pair->side[1].memory + TARGET, 0, 40 * MTU);
	post(pair, 2, IBV_WR_RDMA_WRITE, 40 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	expect_written(pair, 40 * MTU);
	losses_expect_sent(&wire.losses, 80, 4);
	assert_ptr_equal(pair->side[0].engine.sack_pages.first, record);
	assert_ptr_equal(pair->side[1].engine.reorder_pages.first, held);
	assert_int_equal(pair->side[1].engine.held_bytes, 0);
	pair_free(pair);
}

static void sack_retransmission_is_lost_again(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 3, 12 },
			    .times = { 3, 2 },
			    .nr_lost = 2 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	fill_source(pair, 200 * MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, 200 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_written(pair, 200 * MTU);
	assert_int_equal(wire.losses.sent[3], 4);
	assert_int_equal(wire.losses.sent[12], 3);
	losses_expect_sent(&wire.losses, 200, 5);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

/* Loses the last packet of the second of two messages @nr times. */
static void expect_probes(unsigned int nr)
{
	struct wire wire = {
		.losses = { .lost = { 39 }, .times = { nr }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.timeout = 17; /* 0.5 s */
	pair = new_pair(&wire, &o);
	fill_source(pair, 20 * MTU);
	/* the first message measures the RTT */
	post(pair, 1, IBV_WR_RDMA_WRITE, 20 * MTU);
	pair_run_until(pair, pair->now + MS);
	post(pair, 2, IBV_WR_RDMA_WRITE, 20 * MTU);
	/* after 2 ms, 4 ms more, 8 ms more, ... */
	pair_run_until(pair, pair->now + ((2u << nr) - 1) * MS);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	expect_written(pair, 20 * MTU);
	losses_expect_sent(&wire.losses, 40, nr);
	assert_int_equal(pair_count(pair, 0, UROCE_C_PROBES), nr);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void sack_last_packet_is_lost(void **state)
{
	expect_probes(1);
}

static void sack_lost_probes_are_repeated(void **state)
{
	expect_probes(2);
	expect_probes(5);
}

/* No ACK has measured the RTT. The window begins again with two packets. */
static void sack_lost_first_window_is_probed(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0, 1, 2, 3, 4, 5, 6, 7 },
			    .times = { 1, 1, 1, 1, 1, 1, 1, 1 },
			    .nr_lost = 8 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.timeout = 17; /* 0.5 s */
	pair = new_pair(&wire, &o);
	fill_source(pair, 8 * MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, 8 * MTU);
	/* after 2 ms to 4 ms */
	pair_run_until(pair, pair->now + 4 * MS + MS / 10);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_written(pair, 8 * MTU);
	losses_expect_sent(&wire.losses, 8, 8);
	assert_int_equal(pair_count(pair, 0, UROCE_C_PROBES), 1);
	assert_in_range(pair->side[0].qp->roce->req.cwnd.packets, 2, 10);
	pair_free(pair);
}

/* Probes that were in vain become rarer until an RTT is known. */
static void sack_first_probes_allow_any_rtt(void **state)
{
	struct wire wire = {};
	struct pair_options o = pair_defaults();
	struct pair *pair;
	const struct uroce_cwnd *cwnd;

	o.timeout = 20; /* 4 s */
	pair = new_pair(&wire, &o);
	cwnd = &pair->side[0].qp->roce->req.cwnd;
	for (unsigned int i = 0; i < 2; i++)
		pair->link[i] = (struct pair_link){
			.bits_per_s = 1000000000,
			.delay_ns = 50 * MS,
			.queue_bytes = 1 << 20,
		};
	for (uint64_t i = 0; i < 10; i++) {
		post(pair, i, IBV_WR_RDMA_WRITE, 100);
		pair_run(pair);
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	}
	assert_in_range(cwnd->rtt.min_ns, 100 * MS, 101 * MS);
	assert_in_range(cwnd->packets, 64, 64);
	/* 2 ms to 4 ms, 4 ms to 8 ms more, ... */
	assert_in_range(pair_count(pair, 0, UROCE_C_PROBES), 4, 8);
	pair_free(pair);
}

/*
 * Packets are late by up to 30 us, and others need 0.9 us each. 500 of 100000
 * are late; the first of them, and some at the end of a message, are sent
 * again.
 */
static void sack_late_packets_are_not_lost(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);

	for (unsigned int i = 0; i < 2; i++)
		pair->link[i] = (struct pair_link){
			.bits_per_s = UINT64_C(10000000000),
			.delay_ns = MS / 10,
			.queue_bytes = 1 << 20,
		};
	pair->faults.reorder = 5;
	for (uint64_t i = 0; i < 200; i++) {
		post(pair, i, IBV_WR_RDMA_WRITE, 500 * MTU);
		pair_run(pair);
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	}
	assert_in_range(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 1, 40);
	pair_free(pair);
}

/* The second last: nothing but the last packet can show that it is lost. */
static void sack_single_arrival_shows_last_loss(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 18 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_WRITE, 20 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	losses_expect_sent(&wire.losses, 20, 1);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void sack_messages_complete_in_order(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0, 7, 20 },
			    .times = { 1, 1, 1 },
			    .nr_lost = 3 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	for (uint64_t i = 0; i < 10; i++)
		post_recv(pair, i, 3 * MTU);
	for (uint64_t i = 0; i < 10; i++)
		post(pair, i, IBV_WR_SEND, 3 * MTU - 1);
	pair_run(pair);
	for (uint64_t i = 0; i < 10; i++) {
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
		expect(&pair->side[1].recv_cq, i, IBV_WC_SUCCESS);
	}
	losses_expect_sent(&wire.losses, 30, 3);
	pair_free(pair);
}

/* A receiver that is not ready while requests wait behind it. */
static void sack_held_send_without_receive_is_rnr(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	post_recv(pair, 0, MTU);
	for (uint64_t i = 0; i < 6; i++)
		post(pair, i, IBV_WR_SEND, 100);
	pair_run_until(pair, pair->now + 100000);
	assert_true(pair_count(pair, 1, UROCE_C_NO_RECEIVE));
	for (uint64_t i = 1; i < 6; i++)
		post_recv(pair, i, MTU);
	pair_run(pair);
	for (uint64_t i = 0; i < 6; i++) {
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
		expect(&pair->side[1].recv_cq, i, IBV_WC_SUCCESS);
	}
	pair_free(pair);
}

/* An invalid request behind a gap has no effect until the gap is filled. */
static void sack_held_request_is_refused_in_order(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);
	struct uroce_send_wqe bad = request(pair, 2, IBV_WR_RDMA_WRITE);
	struct ibv_sge sge = pair_sge(pair, 0, 0, 100);

	fill_source(pair, MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, MTU);
	bad.remote.rkey ^= 0x100;
	pair_post(pair, 0, &bad, &sge);
	post(pair, 3, IBV_WR_RDMA_WRITE, MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_REM_ACCESS_ERR);
	expect(&pair->side[0].send_cq, 3, IBV_WC_WR_FLUSH_ERR);
	expect_written(pair, MTU);
	assert_int_equal(pair->side[1].engine.held_bytes, 0);
	pair_free(pair);
}

static void sack_reads_wait_behind_gap(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);
	uint64_t value = 5;

	memset(pair->side[0].memory, 0, 8);
	memcpy(pair->side[0].memory, &value, sizeof(value));
	post(pair, 1, IBV_WR_RDMA_WRITE, 8);
	post(pair, 2, IBV_WR_RDMA_READ, 8);
	post(pair, 3, IBV_WR_RDMA_WRITE, 8);
	pair_run(pair);
	for (uint64_t i = 1; i <= 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	/* the READ came after the WRITE */
	assert_memory_equal(pair->side[0].memory, &value, sizeof(value));
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void sack_reset_drops_held_requests(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 200 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_WRITE, 10 * MTU);
	pair_run_until(pair, pair->now + 10000);
	assert_true(pair->side[1].engine.held_bytes);
	pair_reconnect(pair, &o);
	assert_int_equal(pair->side[1].engine.held_bytes, 0);
	pair_free(pair);
}

static void sack_dead_request_uses_up_retries(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 200 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.retry_cnt = 2;
	pair = new_pair(&wire, &o);
	post(pair, 1, IBV_WR_RDMA_WRITE, 200 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 3);
	assert_in_range(wire.losses.sent[0], 3, 12);
	pair_free(pair);
}

/* The queue of a busy network may lose a packet many times. */
static void sack_many_losses_use_up_no_retry(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 8 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.retry_cnt = 2;
	pair = new_pair(&wire, &o);
	fill_source(pair, 200 * MTU);
	for (unsigned int i = 0; i < 3; i++)
		post(pair, i, IBV_WR_RDMA_WRITE, 80 * MTU);
	pair_run(pair);
	for (unsigned int i = 0; i < 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	expect_written(pair, 80 * MTU);
	pair_free(pair);
}

/* Requests of other devices: nothing waits, and the NAK has no list. */
static void sack_foreign_device_gets_plain_nak(void **state)
{
	struct wire wire = {
		.losses = { .lost = { 3 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.go_back_n = true;
	pair = new_pair(&wire, &o);
	post(pair, 1, IBV_WR_RDMA_WRITE, 20 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	losses_expect_sent(&wire.losses, 20, 17);
	assert_int_equal(pair_count(pair, 1, UROCE_C_HELD), 0);
	assert_int_equal(wire.nr_lists, 0);
	pair_free(pair);
}

static void inject_acknowledge(struct pair *pair, uint8_t syndrome,
			       const void *payload, uint32_t bytes)
{
	const struct uroce_packet nak = {
		.path = &pair->side[1].path,
		.opcode = UROCE_RC | UROCE_ACKNOWLEDGE,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[0].qp->qpn,
		.psn = pair->side[0].qp->roce->req.una_psn,
		.syndrome = syndrome,
		.payload_len = bytes,
	};

	pair_inject(pair, 1, &nak, payload);
}

static void inject_list(struct pair *pair, const void *list, uint32_t bytes)
{
	inject_acknowledge(pair, UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ, list,
			   bytes);
}

/* Only a NAK for a PSN sequence error has a payload. */
static void sack_payload_of_ack_is_refused(void **state)
{
	static const uint8_t syndromes[] = {
		UROCE_AETH_ACK,
		UROCE_AETH_RNR,
		UROCE_AETH_NAK | UROCE_NAK_REMOTE_ACCESS,
	};
	static const uint8_t payload[4] = { 0x02 };
	struct wire wire = {
		.losses = { .lost = { 0 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	fill_source(pair, MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, MTU);
	pair_run_until(pair, pair->now);
	for (unsigned int i = 0; i < sizeof(syndromes); i++)
		inject_acknowledge(pair, syndromes[i], payload,
				   sizeof(payload));
	pair_run(pair);
	assert_int_equal(pair_count(pair, 0, UROCE_C_BAD_RESPONSES),
			 sizeof(syndromes));
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_written(pair, MTU);
	pair_free(pair);
}

/* Lists of what was never sent, or is missing: as a NAK without a list. */
static void sack_invalid_list_retransmits_all(void **state)
{
	static const uint8_t lists[][4] = {
		{ 0, 0, 0, 0 },	   /* empty */
		{ 0x81, 0, 0, 0 }, /* the missing packet itself */
		{ 0, 0, 0, 0x80 }, /* never sent */
	};
	static const uint8_t all[UROCE_MAX_MTU] = { 0xfe, 0xff };

	for (unsigned int i = 0; i <= sizeof(lists) / sizeof(lists[0]); i++) {
		struct wire wire = {
			.losses = { .lost = { 0, 1, 2 },
				    .times = { 1, 1, 1 },
				    .nr_lost = 3 },
		};
		struct pair_options o = pair_defaults();
		struct pair *pair = new_pair(&wire, &o);

		fill_source(pair, 3 * MTU);
		post(pair, 1, IBV_WR_RDMA_WRITE, 3 * MTU);
		pair_run_until(pair, pair->now);
		if (i < sizeof(lists) / sizeof(lists[0]))
			inject_list(pair, lists[i], sizeof(lists[i]));
		else
			inject_list(pair, all, sizeof(all));
		pair_run(pair);
		expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
		expect_written(pair, 3 * MTU);
		losses_expect_sent(&wire.losses, 3, 3);
		assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
		pair_free(pair);
	}
}

/* The list of a dead peer, again and again: the retries still end. */
static void sack_repeated_list_is_no_progress(void **state)
{
	static const uint8_t list[1] = { 0x02 };
	struct wire wire = {
		.losses = { .lost = { 0, 2, 3, 4, 5 },
			    .times = { 200, 200, 200, 200, 200 },
			    .nr_lost = 5 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_WRITE, 6 * MTU);
	for (unsigned int i = 0; i < 200; i++) {
		pair_run_until(pair, pair->now + MS / 10);
		inject_list(pair, list, sizeof(list));
	}
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	assert_in_range(pair_count(pair, 0, UROCE_C_TIMEOUTS), 1, 8);
	pair_free(pair);
}

/* A list that claims too much delays the retransmission, but loses no data. */
static void sack_false_list_loses_nothing(void **state)
{
	static const uint8_t list[1] = { 0x0e };
	struct wire wire = {
		.losses = { .lost = { 0, 1, 2, 3, 4 },
			    .times = { 1, 1, 1, 1, 1 },
			    .nr_lost = 5 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = new_pair(&wire, &o);

	fill_source(pair, 5 * MTU);
	post(pair, 1, IBV_WR_RDMA_WRITE, 5 * MTU);
	pair_run_until(pair, pair->now);
	inject_list(pair, list, sizeof(list));
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_written(pair, 5 * MTU);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sack_sends_only_lost_packets_again),
		cmocka_unit_test(sack_memory_is_used_for_next_loss),
		cmocka_unit_test(sack_retransmission_is_lost_again),
		cmocka_unit_test(sack_last_packet_is_lost),
		cmocka_unit_test(sack_lost_probes_are_repeated),
		cmocka_unit_test(sack_lost_first_window_is_probed),
		cmocka_unit_test(sack_first_probes_allow_any_rtt),
		cmocka_unit_test(sack_late_packets_are_not_lost),
		cmocka_unit_test(sack_single_arrival_shows_last_loss),
		cmocka_unit_test(sack_messages_complete_in_order),
		cmocka_unit_test(sack_held_send_without_receive_is_rnr),
		cmocka_unit_test(sack_held_request_is_refused_in_order),
		cmocka_unit_test(sack_reads_wait_behind_gap),
		cmocka_unit_test(sack_reset_drops_held_requests),
		cmocka_unit_test(sack_dead_request_uses_up_retries),
		cmocka_unit_test(sack_many_losses_use_up_no_retry),
		cmocka_unit_test(sack_foreign_device_gets_plain_nak),
		cmocka_unit_test(sack_invalid_list_retransmits_all),
		cmocka_unit_test(sack_repeated_list_is_no_progress),
		cmocka_unit_test(sack_false_list_loses_nothing),
		cmocka_unit_test(sack_payload_of_ack_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
