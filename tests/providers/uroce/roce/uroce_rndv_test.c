/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Long messages that both sides copy: the received data is correct for any
 * distribution of the copies, and after any failure. uroce_rndv_end_test.c
 * covers how they end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce_long_message.h"

/* -- distribution of the copies -- */

static void rndv_each_side_copies_about_half(void **state)
{
	static const uint32_t lengths[] = {
		LONG, LONG + 1, 300001,	  777777,	 MB - 1,
		MB,   MB + 1,	MB + MTU, 2 * MB + 4097, 4 * PART + 1
	};

	for (size_t i = 0; i < NR_OPCODES; i++)
		for (size_t n = 0; n < sizeof(lengths) / 4; n++) {
			struct fake *fake = fake_new();
			struct message m =
				message_new(fake, opcodes[i], lengths[n]);
			uint32_t half = lengths[n] / 2;
			/* the payload of two packets counts in short ones */
			uint32_t payload = lengths[n] < 2 * LONG ? 2 * MTU : 0;
			uint32_t least = half - half / 4 - payload;

			message_transfer(fake, &m, 7);
			assert_in_range(message_bytes_by_sender(fake, &m),
					least, half + half / 16);
			assert_in_range(message_bytes_by_receiver(fake, &m),
					least, half + half / 4);
			/* the first packets, the last one, and odd ends */
			assert_true(message_bytes_by_payload(fake, &m) <=
				    16 * MTU);
			assert_int_equal(fake->side[0].nr_chosen, 1);
			assert_int_equal(fake->side[0].nr_learned, 1);
			assert_int_equal(fake->side[0].learned, lengths[n]);
			assert_int_equal(fake->side[1].nr_chosen, 0);
			fake_free(fake);
		}
}

static void rndv_short_message_is_sent_as_payload(void **state)
{
	static const uint32_t lengths[] = { 0, 1, MTU, 100000, LONG - 1 };

	for (size_t i = 0; i < NR_OPCODES; i++)
		for (size_t n = 0; n < sizeof(lengths) / 4; n++) {
			struct fake *fake = fake_new();
			struct message m =
				message_new(fake, opcodes[i], lengths[n]);

			m.room = 2 * LONG;
			message_transfer(fake, &m, 3);
			message_check_not_rndv(fake);
			assert_int_equal(fake->side[0].nr_chosen, 0);
			assert_int_equal(fake->side[0].nr_learned, 0);
			fake_free(fake);
		}
}

static void rndv_not_chosen_is_sent_as_payload(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);

		fake->side[0].unwilling = 1;
		message_transfer(fake, &m, 3);
		message_check_not_rndv(fake);
		assert_int_equal(fake->side[0].nr_chosen, 1);
		assert_int_equal(fake->side[0].nr_learned, 1);
		/* a READ publishes no sink */
		assert_string_equal(fake_log(fake, 0), "");
		/* the path of the next message is selected again */
		message_transfer(fake, &m, 4);
		assert_true(message_bytes_by_sender(fake, &m) &&
			    message_bytes_by_receiver(fake, &m));
		fake_free(fake);
	}
}

/* The channel cannot split, or the peer's memory is not accessible. */
static void rndv_closed_peer_gets_payload(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);

		fake->side[0].closed = true;
		fake->side[1].closed = true;
		message_transfer(fake, &m, 3);
		message_check_not_rndv(fake);
		fake->pair->side[0].channel.rndv = NULL;
		fake->pair->side[1].channel.rndv = NULL;
		message_transfer(fake, &m, 4);
		message_check_not_rndv(fake);
		fake_free(fake);
	}
}

/* No path was selected, so no rate is learned. */
static void rndv_direct_access_needs_no_choice(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_RDMA_WRITE, MB);

	fake->side[1].idle = true;
	message_transfer(fake, &m, 1);
	m = message_new(fake, IBV_WR_RDMA_READ, MB);
	message_transfer(fake, &m, 2);
	assert_int_equal(fake->side[0].nr_packets, 0);
	assert_int_equal(fake->side[0].nr_chosen, 0);
	assert_int_equal(fake->side[0].nr_learned, 0);
	fake_free(fake);
}

/* The peer may not accept an announced source. */
static void rndv_peer_in_sqd_gets_payload(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);

		fake_modify(fake, 1, IBV_QPS_SQD);
		message_post(fake, &m, 1);
		fake_run(fake);
		fake_modify(fake, 1, IBV_QPS_RTS);
		message_check(fake, &m, 1);
		message_check_not_rndv(fake);
		message_transfer(fake, &m, 2);
		assert_true(message_bytes_by_sender(fake, &m) &&
			    message_bytes_by_receiver(fake, &m));
		fake_free(fake);
	}
}

/* The QP opens with its first packet, and not before the event of it. */
static void rndv_peer_in_rtr_is_open_after_first_packet(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);
		struct uroce_qp *qp = fake->pair->side[1].qp;

		qp->state = IBV_QPS_RTR;
		qp->roce->resp.established = false;
		uroce_qp_tell(qp);
		assert_string_equal(fake_log(fake, 1), "e");
		fake->side[0].room = 1;
		message_post(fake, &m, 1);
		fake_run(fake);
		assert_int_equal(fake_log(fake, 1)[1], 't');
		assert_true(message_bytes_by_sender(fake, &m) &&
			    message_bytes_by_receiver(fake, &m));
		qp->state = IBV_QPS_RTS;
		message_check(fake, &m, 1);
		fake_free(fake);
	}
}

static void rndv_uc_message_is_sent_as_payload(void **state)
{
	struct pair_options o = fake_defaults();
	struct message m;
	struct fake *fake;

	o.type = IBV_QPT_UC;
	fake = fake_new_with(&o);
	m = message_new(fake, IBV_WR_SEND, MB);
	message_transfer(fake, &m, 1);
	m = message_new(fake, IBV_WR_RDMA_WRITE, MB);
	message_transfer(fake, &m, 2);
	message_check_not_rndv(fake);
	assert_string_equal(fake_log(fake, 1), "");
	fake_free(fake);
}

/* -- SGE lists -- */

static const uint32_t cuts[][MAX_BATCH_IOVECS] = {
	{ 0 },
	{ LONG },
	{ LONG + 5, LONG },
	{ 100, 3 * MTU, MTU, LONG + MTU },
	{ 10 * MTU, 20 * MTU + 1, 40 * MTU },
};
#define NR_CUTS (sizeof(cuts) / sizeof(cuts[0]))

static void rndv_copies_sge_lists(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++)
		for (size_t n = 0; n < NR_CUTS * NR_CUTS; n++) {
			struct fake *fake = fake_new();
			struct message m =
				message_new(fake, opcodes[i], MB + 1);
			bool read = opcodes[i] == IBV_WR_RDMA_READ;

			/* remote memory has one SGE */
			if (!read)
				m.from = place_with_sges(fake, 0, FROM,
							 m.length,
							 cuts[n % NR_CUTS]);
			if (read || message_is_send(&m))
				m.to = place_with_sges(fake, !read, TO,
						       m.length,
						       cuts[n / NR_CUTS]);
			m.room = 5;
			message_transfer(fake, &m, 3);
			fake_free(fake);
		}
}

/* A message from many SGEs uses rendezvous where there are enough packets. */
static void rndv_part_stays_within_sge(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_RDMA_WRITE, MB);
	static const uint32_t small[] = { 3 * MTU, 3 * MTU, 3 * MTU, 0 };
	static const uint32_t large[] = { 3 * MTU, 4 * MTU, 4 * MTU, 0 };

	m.from = place_with_sges(fake, 0, FROM, 12 * MTU + LONG, small);
	m.length = 12 * MTU + LONG;
	m.to = place_with_sge(fake, 1, TO, m.length);
	message_transfer(fake, &m, 1);
	assert_in_range(message_bytes_by_payload(fake, &m), 9 * MTU,
			9 * MTU + 4 * MTU);
	fake->side[0].pushed = 0;
	fake->side[1].pulled = 0;
	m.from = place_with_sges(fake, 0, FROM, 11 * MTU + LONG, large);
	m.length = 11 * MTU + LONG;
	m.to = place_with_sge(fake, 1, TO, m.length);
	message_transfer(fake, &m, 2);
	assert_in_range(message_bytes_by_payload(fake, &m), 3 * MTU,
			3 * MTU + 4 * MTU);
	fake_free(fake);
}

/* -- missing sinks -- */

/* All packets were sent before any arrived, including the second half. */
static void rndv_without_sink_is_pulled_entirely(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	fake->side[0].room = 1000;
	message_transfer(fake, &m, 3);
	assert_int_equal(fake->side[0].push.nr, 0);
	assert_int_equal(fake->side[0].nr_absent, 1);
	assert_string_equal(fake_log(fake, 1), "lx");
	fake_free(fake);
}

/* The first packet was just sent, so the sink will appear soon. */
static void rndv_sink_is_awaited_once(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, 2 * MB);

	fake->side[0].room = 1;
	fake->side[0].blind = 300;
	message_transfer(fake, &m, 3);
	assert_int_equal(message_bytes_by_payload(fake, &m), 2 * MTU);
	/* waits once, and not forever */
	fake->side[0].pushed = 0;
	fake->side[1].pulled = 0;
	fake->side[0].nr_looks = 0;
	fake->side[0].blind = UINT32_MAX;
	message_transfer(fake, &m, 4);
	assert_int_equal(message_bytes_by_sender(fake, &m), 0);
	assert_in_range(fake->side[0].nr_looks, 300, 2000);
	/* the sink appears at the end */
	fake->side[1].pulled = 0;
	fake->side[0].blind = fake->side[0].nr_looks - 20;
	message_transfer(fake, &m, 5);
	assert_true(message_bytes_by_sender(fake, &m) &&
		    message_bytes_by_payload(fake, &m) > 20 * MTU);
	fake_free(fake);
}

/* Only the first SGE is published, if it is long enough. */
static void rndv_sink_is_first_sge_if_long_enough(void **state)
{
	static const uint32_t too_short[] = { LONG - 1, 0 };
	static const uint32_t enough[] = { 3 * PART, 0 };
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, 2 * MB);

	fake->side[0].room = 1;
	m.to = place_with_sges(fake, 1, TO, m.length, too_short);
	message_transfer(fake, &m, 3);
	assert_int_equal(fake->side[0].push.nr, 0);
	assert_string_equal(fake_log(fake, 1), "");
	fake->side[1].pulled = 0;
	m.to = place_with_sges(fake, 1, TO, m.length, enough);
	message_transfer(fake, &m, 4);
	/* the second pushed part would cross the end */
	assert_int_equal(message_bytes_by_sender(fake, &m), PART);
	assert_int_equal(message_bytes_by_receiver(fake, &m), 2 * PART - MTU);
	assert_string_equal(fake_log(fake, 1), "lx");
	fake_free(fake);
}

static void withdraw_region(struct fake *fake, unsigned int side)
{
	struct pair_side *real = &fake->pair->side[side];

	uroce_memory_withdraw(real->engine.core.memory, real->key);
	uroce_rndv_withdraw_all(&real->engine);
}

/* Between the first and the last step of ibv_dereg_mr(). */
static void rndv_region_being_deregistered_publishes_no_sink(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	withdraw_region(fake, 1);
	message_transfer(fake, &m, 1);
	assert_int_equal(fake->side[0].push.nr, 0);
	assert_string_equal(fake_log(fake, 1), "");
	withdraw_region(fake, 0);
	m = message_new(fake, IBV_WR_RDMA_READ, MB);
	message_transfer(fake, &m, 2);
	assert_int_equal(fake->side[1].nr_absent, 0);
	assert_string_equal(fake_log(fake, 0), "");
	fake_free(fake);
}

/* A READ uses rendezvous only if it has one SGE. */
static void rndv_read_with_two_sges_gets_payload(void **state)
{
	static const uint32_t two[] = { 2 * LONG, 0 };
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_RDMA_READ, MB);

	m.to = place_with_sges(fake, 0, TO, m.length, two);
	message_transfer(fake, &m, 5);
	message_check_not_rndv(fake);
	assert_string_equal(fake_log(fake, 0), "");
	fake_free(fake);
}

static uint32_t add_null(struct fake *fake, unsigned int side)
{
	const struct uroce_region null = {
		.bytes = UINT64_MAX,
		.pd = PAIR_PD,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.kind = UROCE_REGION_NULL,
	};
	uint32_t key;

	assert_int_equal(
		uroce_memory_add(fake->pair->side[side].engine.core.memory,
				 &null, &key),
		0);
	return key;
}

static void rndv_receive_into_null_region_publishes_no_sink(void **state)
{
	static const uint32_t half[] = { MB / 2, 0 };
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);

	/* the first half of the message is discarded; the second one arrives */
	m.to = place_with_sges(fake, 1, TO, MB, half);
	m.to.sge[0].lkey = add_null(fake, 1);
	message_post(fake, &m, 1);
	fake_run(fake);
	assert_int_equal(fake->side[0].push.nr, 0);
	message_expect_completions(fake, &m, 1);
	message_expect_no_completion(fake);
	assert_string_equal(fake_log(fake, 1), "");
	assert_memory_equal(fake_at(fake, 1, &m.to.sge[1]),
			    fake_at(fake, 0, &m.from.sge[0]) + MB / 2, MB / 2);
	fake_clear(fake, 1, &m.to.sge[1]);
	fake_check_rest(fake, 1);
	fake_free(fake);
}

static void rndv_read_into_null_region_publishes_no_sink(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_RDMA_READ, MB);

	m.to.sge[0].lkey = add_null(fake, 0);
	message_post(fake, &m, 2);
	fake_run(fake);
	message_check_not_rndv(fake);
	message_expect_completions(fake, &m, 2);
	message_expect_no_completion(fake);
	assert_string_equal(fake_log(fake, 0), "");
	fake_check_rest(fake, 0);
	fake_free(fake);
}

/*
 * The null region has zeros for a single packet: one address for all of them.
 */
static void rndv_send_from_null_region_is_sent_as_payload(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);
	uint8_t *to = fake->pair->side[1].memory + TO;

	m.from.sge[0].lkey = add_null(fake, 0);
	message_post(fake, &m, 1);
	fake_run(fake);
	message_check_not_rndv(fake);
	message_expect_completions(fake, &m, 1);
	message_expect_no_completion(fake);
	for (uint32_t i = 0; i < MB; i++)
		assert_int_equal(to[i], 0);
	fake_free(fake);
}

/* -- failing copies -- */

static struct fake_trouble make_trouble(unsigned int after, unsigned int times)
{
	return (struct fake_trouble){ .after = after, .times = times };
}

/* Tests the side that pushes, or the one that pulls. */
static void each_way_fails(unsigned int after, unsigned int times, bool pushes)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], 2 * MB + 1);
		bool read = opcodes[i] == IBV_WR_RDMA_READ;

		if (pushes)
			fake->side[read].push = make_trouble(after, times);
		else
			fake->side[!read].pull = make_trouble(after, times);
		message_transfer(fake, &m, 3);
		if (pushes)
			assert_true(fake->side[read].push.nr > after);
		else
			assert_true(fake->side[!read].pull.nr > after);
		if (times == FAKE_ALWAYS && !after)
			assert_int_equal(
				pushes ? message_bytes_by_sender(fake, &m)
				       : message_bytes_by_receiver(fake, &m),
				0);
		assert_int_equal(pair_count(fake->pair, 0, UROCE_C_TIMEOUTS),
				 0);
		/* the next message is tried again */
		fake->side[read].push.times = 0;
		fake->side[!read].pull.times = 0;
		fake->side[read].pushed = 0;
		fake->side[!read].pulled = 0;
		message_transfer(fake, &m, 4);
		if (read && !pushes) /* except the requester of a READ */
			assert_false(message_bytes_by_sender(fake, &m) ||
				     message_bytes_by_receiver(fake, &m));
		else
			assert_true(message_bytes_by_sender(fake, &m) &&
				    message_bytes_by_receiver(fake, &m));
		fake_free(fake);
	}
}

static void rndv_failed_push_falls_back_to_payload(void **state)
{
	each_way_fails(0, 1, true);
	each_way_fails(1, 1, true);
	each_way_fails(0, FAKE_ALWAYS, true);
	each_way_fails(1, FAKE_ALWAYS, true);
}

static void rndv_failed_pull_falls_back_to_payload(void **state)
{
	each_way_fails(0, 1, false);
	each_way_fails(1, 1, false);
	each_way_fails(0, FAKE_ALWAYS, false);
	each_way_fails(1, FAKE_ALWAYS, false);
}

/* The packet counts as lost, but the channel loses nothing and has no timer. */
static void rndv_failed_pull_consumes_no_retry(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct pair_options o = fake_defaults();
		struct message m;
		struct fake *fake;
		uint32_t window;

		o.timeout = 0;
		o.retry_cnt = 0;
		fake = fake_new_with(&o);
		window = fake->pair->side[0].qp->roce->req.cwnd.packets;
		m = message_new(fake, opcodes[i], MB);
		fake->side[message_receiver(&m)].pull =
			make_trouble(0, FAKE_ALWAYS);
		for (uint32_t seed = 1; seed < 20; seed++)
			message_transfer(fake, &m, seed);
		/* a READ is tried once */
		assert_int_equal(fake->side[message_receiver(&m)].pull.nr,
				 opcodes[i] == IBV_WR_RDMA_READ ? 1 : 19);
		assert_int_equal(fake->pair->side[0].qp->roce->req.cwnd.packets,
				 window);
		fake_free(fake);
	}
}

/* The peer may have caused it, and a new connection has another peer. */
static void rndv_failed_pull_is_forgotten_by_new_connection(void **state)
{
	struct pair_options o = fake_defaults();
	struct fake *fake = fake_new_with(&o);
	struct message m = message_new(fake, IBV_WR_RDMA_READ, MB);

	fake->side[0].pull = make_trouble(0, 1);
	message_transfer(fake, &m, 1);
	fake->side[1].pushed = 0;
	message_transfer(fake, &m, 2);
	assert_int_equal(message_bytes_by_sender(fake, &m), 0);
	pair_reconnect(fake->pair, &o);
	for (unsigned int i = 0; i < 2; i++)
		fake->side[i].any[0] = fake->side[i].any[1] = false;
	message_transfer(fake, &m, 3);
	assert_true(message_bytes_by_sender(fake, &m));
	fake_free(fake);
}

/* A side that publishes whether it pulls updates that state. */
static void rndv_failed_pull_is_reported_to_peer(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);

		if (opcodes[i] == IBV_WR_RDMA_READ) {
			fake_free(fake);
			continue;
		}
		message_transfer(fake, &m, 1);
		assert_int_equal(fake->side[1].nr_notified, 0);
		fake->side[1].pull = make_trouble(0, FAKE_ALWAYS);
		message_transfer(fake, &m, 3);
		assert_int_equal(fake->side[1].pull.nr, 1);
		assert_int_equal(fake->side[1].nr_notified, 1);
		fake_free(fake);
	}
}

/* -- lost packets -- */

static bool lose_one(struct fake *fake, unsigned int from,
		     const struct uroce_packet *packet)
{
	return !fake->nr_lost && from == fake->from &&
	       !uroce_psn_before(packet->psn, fake->psn);
}

/* At both ends of the pulled and of the pushed range; first and last packet. */
static void rndv_lost_packet_is_retransmitted(void **state)
{
	static const uint32_t places[] = { 0,  1,  2,	32,  63, 64,
					   65, 66, 100, 126, 127 };

	for (size_t i = 0; i < NR_OPCODES; i++)
		for (size_t at = 0; at < sizeof(places) / 4; at++) {
			uint32_t n = places[at];
			struct fake *fake = fake_new();
			struct message m =
				message_new(fake, opcodes[i], 2 * MB);

			fake->side[0].room = 1 + n % 5;
			fake->loses = lose_one;
			fake->from = opcodes[i] == IBV_WR_RDMA_READ;
			fake->psn =
				(fake->pair->side[0].qp->roce->req.next_psn +
				 n) &
				UROCE_PSN_MASK;
			message_transfer(fake, &m, 3);
			assert_int_equal(fake->nr_lost, 1);
			fake->loses = NULL;
			message_transfer(fake, &m, 4);
			fake_free(fake);
		}
}

static bool lose_acks(struct fake *fake, unsigned int from,
		      const struct uroce_packet *packet)
{
	return fake->nr_lost < 40 && from == 1 &&
	       (packet->opcode & UROCE_OP_MASK) == UROCE_ACKNOWLEDGE;
}

/* The timeout expires although everything has arrived. */
static void rndv_retransmission_contains_payload(void **state)
{
	for (size_t i = 0; i < NR_OPCODES - 1; i++) {
		struct fake *fake = fake_new();
		struct message m = message_new(fake, opcodes[i], MB);

		fake->loses = lose_acks;
		message_transfer(fake, &m, 3);
		assert_true(pair_count(fake->pair, 0, UROCE_C_TIMEOUTS) >= 1);
		assert_true(pair_count(fake->pair, 1, UROCE_C_DUPLICATES) >= 1);
		fake_free(fake);
	}
}

/* There is no receive work request at first. */
static void rndv_rnr_message_completes_after_receive(void **state)
{
	struct fake *fake = fake_new();
	struct message m = message_new(fake, IBV_WR_SEND, MB);
	struct message imm = message_new(fake, IBV_WR_RDMA_WRITE_WITH_IMM, MB);

	fake_fill(fake, 0, m.from.sge, 1, 1);
	fake_post(fake, 0, 1, m.opcode, m.from.sge, 1, 0);
	for (unsigned int i = 0; i < 20; i++)
		(void)fake_step(fake);
	message_post_receive(fake, &m, 1);
	fake_run(fake);
	message_check(fake, &m, 1);
	assert_true(pair_count(fake->pair, 0, UROCE_C_NAKS_RNR) >= 1);

	fake_fill(fake, 0, m.from.sge, 1, 2);
	fake_post(fake, 0, 2, imm.opcode, imm.from.sge, 1, TO);
	for (unsigned int i = 0; i < 100; i++)
		(void)fake_step(fake);
	message_post_receive(fake, &imm, 2);
	fake_run(fake);
	message_check(fake, &imm, 2);
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rndv_each_side_copies_about_half),
		cmocka_unit_test(rndv_short_message_is_sent_as_payload),
		cmocka_unit_test(rndv_not_chosen_is_sent_as_payload),
		cmocka_unit_test(rndv_closed_peer_gets_payload),
		cmocka_unit_test(rndv_direct_access_needs_no_choice),
		cmocka_unit_test(rndv_peer_in_sqd_gets_payload),
		cmocka_unit_test(rndv_peer_in_rtr_is_open_after_first_packet),
		cmocka_unit_test(rndv_uc_message_is_sent_as_payload),
		cmocka_unit_test(rndv_copies_sge_lists),
		cmocka_unit_test(rndv_part_stays_within_sge),
		cmocka_unit_test(rndv_without_sink_is_pulled_entirely),
		cmocka_unit_test(rndv_sink_is_awaited_once),
		cmocka_unit_test(rndv_sink_is_first_sge_if_long_enough),
		cmocka_unit_test(
			rndv_region_being_deregistered_publishes_no_sink),
		cmocka_unit_test(rndv_read_with_two_sges_gets_payload),
		cmocka_unit_test(
			rndv_receive_into_null_region_publishes_no_sink),
		cmocka_unit_test(rndv_read_into_null_region_publishes_no_sink),
		cmocka_unit_test(rndv_send_from_null_region_is_sent_as_payload),
		cmocka_unit_test(rndv_failed_push_falls_back_to_payload),
		cmocka_unit_test(rndv_failed_pull_falls_back_to_payload),
		cmocka_unit_test(rndv_failed_pull_consumes_no_retry),
		cmocka_unit_test(
			rndv_failed_pull_is_forgotten_by_new_connection),
		cmocka_unit_test(rndv_failed_pull_is_reported_to_peer),
		cmocka_unit_test(rndv_lost_packet_is_retransmitted),
		cmocka_unit_test(rndv_retransmission_contains_payload),
		cmocka_unit_test(rndv_rnr_message_completes_after_receive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
