/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rate limits in virtual time: the rate and the bursts of each type of QP, over
 * the network and through a channel, and a QP that changes while it waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/roce/uroce_fast.h"
#include "uroce/roce/uroce_pace.h"
#include "uroce_expect.h"

#define MS	     UINT64_C(1000000)
#define KBPS	     UINT32_C(100000)
#define MESSAGE	     (256u << 10)
#define BURST_BYTES  (16u << 10)
#define PACKET_BYTES (UROCE_BTH_LEN + UROCE_ICRC_LEN)

/*
 * What side 0 sent: a bucket that leaks at the rate limit. Its highest level is
 * the longest burst.
 */
struct leak {
	uint32_t kbps;
	uint64_t bytes, packets;
	uint64_t first_ns, last_ns;
	int64_t level, most; /* microbits */
	uint64_t nr_instants;
};

static enum pair_action leak_add(struct pair *pair, unsigned int from,
				 const struct uroce_packet *packet)
{
	struct leak *leak = pair->filter_data;
	uint32_t bytes = packet->payload_len + PACKET_BYTES;

	if (from)
		return PAIR_PASS;
	if (!leak->packets)
		leak->first_ns = pair->now;
	if (!leak->packets || pair->now != leak->last_ns)
		leak->nr_instants++;
	leak->level -= (int64_t)(pair->now - leak->last_ns) * leak->kbps;
	if (!leak->packets || leak->level < 0)
		leak->level = 0;
	leak->level += bytes * INT64_C(8000000);
	if (leak->level > leak->most)
		leak->most = leak->level;
	leak->last_ns = pair->now;
	leak->bytes += bytes;
	leak->packets++;
	return PAIR_PASS;
}

static struct pair *pace_new_pair(const struct pair_options *o,
				  struct leak *leak, uint32_t kbps,
				  uint32_t burst_bytes)
{
	struct pair *pair = pair_new(o);

	*leak = (struct leak){ .kbps = kbps };
	pair->filter = leak_add;
	pair->filter_data = leak;
	uroce_pace_limit(pair->side[0].qp, kbps, burst_bytes);
	return pair;
}

static void pace_transfer(struct pair *pair, enum ibv_wr_opcode opcode,
			  unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (opcode == IBV_WR_SEND)
			post_recv(pair, i, MESSAGE);
		post(pair, i, opcode, MESSAGE);
	}
	pair_run(pair);
	for (unsigned int i = 0; i < nr; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	expect_none(&pair->side[0].send_cq);
}

static uint64_t burst_bytes_of(const struct leak *leak)
{
	return (uint64_t)leak->most / 8000000;
}

/*
 * The QP has sent a burst at first, and then at the limit, except for what it
 * sends after one wait.
 */
static void expect_rate(const struct leak *leak, uint64_t burst_bytes)
{
	uint64_t ns = leak->last_ns - leak->first_ns;
	uint64_t bytes = burst_bytes + ns * leak->kbps / 8000000;
	uint64_t part = burst_bytes / 8 + PACKET_BYTES + UROCE_CHANNEL_MTU;

	assert_in_range(leak->bytes, bytes - part, bytes + 32);
	assert_true(burst_bytes_of(leak) <= burst_bytes + 32);
}

static void expect_no_loss_recovery(const struct pair *pair)
{
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_PROBES), 0);
}

static void pace_check_transfer(const struct pair_options *o,
				enum ibv_wr_opcode opcode, uint32_t kbps,
				uint32_t burst_bytes)
{
	uint64_t least = (o->bound ? UROCE_CHANNEL_MTU : 1024) + PACKET_BYTES;
	uint64_t burst = burst_bytes ? burst_bytes : kbps / 8 * 10;
	struct leak leak;
	struct pair *pair = pace_new_pair(o, &leak, kbps, burst_bytes);

	pace_transfer(pair, opcode, 4);
	expect_rate(&leak, burst > least ? burst : least);
	expect_no_loss_recovery(pair);
	pair_free(pair);
}

static void limited_write_and_send_keep_rate_and_burst(void **state)
{
	struct pair_options o = pair_defaults();

	(void)state;
	pace_check_transfer(&o, IBV_WR_RDMA_WRITE, KBPS, 0);
	pace_check_transfer(&o, IBV_WR_RDMA_WRITE, KBPS, BURST_BYTES);
	pace_check_transfer(&o, IBV_WR_SEND, KBPS, 0);
	pace_check_transfer(&o, IBV_WR_SEND, KBPS, BURST_BYTES);
}

static void limited_uc_keeps_rate_and_burst(void **state)
{
	struct pair_options o = pair_defaults();

	(void)state;
	o.type = IBV_QPT_UC;
	pace_check_transfer(&o, IBV_WR_RDMA_WRITE, KBPS, BURST_BYTES);
	pace_check_transfer(&o, IBV_WR_SEND, KBPS, BURST_BYTES);
}

static void limited_qp_with_channel_keeps_rate_and_burst(void **state)
{
	struct pair_options o = pair_defaults();

	(void)state;
	o.bound = true;
	pace_check_transfer(&o, IBV_WR_RDMA_WRITE, KBPS, 0);
	pace_check_transfer(&o, IBV_WR_SEND, KBPS, BURST_BYTES);
}

/* Timeout of 16 us: a packet of 1 KB alone takes 83 us. */
static void limited_qp_does_not_time_out(void **state)
{
	struct pair_options o = pair_defaults();

	(void)state;
	o.timeout = 2;
	pace_check_transfer(&o, IBV_WR_RDMA_WRITE, KBPS, 1);
	pace_check_transfer(&o, IBV_WR_RDMA_WRITE, KBPS, BURST_BYTES);
}

static void limited_ud_keeps_rate(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;

	(void)state;
	o.type = IBV_QPT_UD;
	pair = pace_new_pair(&o, &leak, KBPS, BURST_BYTES);
	for (unsigned int i = 0; i < 100; i++) {
		struct uroce_send_wqe wqe = request(pair, i, IBV_WR_SEND);
		struct ibv_sge sge = pair_sge(pair, 0, 0, 1000);

		wqe.ud.path = pair->side[0].path;
		wqe.ud.qpn = pair->side[1].qp->qpn;
		wqe.ud.qkey = 0x1ee7;
		pair_post(pair, 0, &wqe, &sge);
	}
	pair_run(pair);
	assert_int_equal(leak.packets, 100);
	expect_rate(&leak, BURST_BYTES);
	pair_free(pair);
}

/* A wait ends with the credit of 250 us, not with that of each packet. */
static void limited_qp_waits_for_several_packets(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;

	(void)state;
	pair = pace_new_pair(&o, &leak, 10 * KBPS, 0);
	pace_transfer(pair, IBV_WR_RDMA_WRITE, 4);
	assert_true(leak.packets / leak.nr_instants >= 16);
	pair_free(pair);
}

static void late_timers_do_not_lower_rate(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;

	(void)state;
	o.timeout = 14; /* 67 ms */
	pair = pace_new_pair(&o, &leak, KBPS, 0);
	for (unsigned int i = 0; i < 4; i++)
		post(pair, i, IBV_WR_RDMA_WRITE, MESSAGE);
	while (leak.bytes < 4 * MESSAGE) {
		pair_run_until(pair, pair->now);
		pair->now += MS;
		(void)uroce_engine_expire(&pair->side[0].engine, pair->now);
	}
	expect_rate(&leak, KBPS / 8 * 10);
	pair_free(pair);
}

static void limit_of_path_applies_if_lower(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;

	(void)state;
	pair = pace_new_pair(&o, &leak, 2 * KBPS, BURST_BYTES);
	uroce_pace_limit_path(pair->side[0].qp, KBPS);
	leak.kbps = KBPS;
	pace_transfer(pair, IBV_WR_RDMA_WRITE, 4);
	expect_rate(&leak, BURST_BYTES);
	pair_free(pair);
}

static void unlimited_qp_does_not_wait(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;
	uint64_t from_ns;

	(void)state;
	o.nr_qps = 2;
	pair = pace_new_pair(&o, &leak, KBPS, BURST_BYTES);
	from_ns = pair->now;
	post(pair, 1, IBV_WR_RDMA_WRITE, MESSAGE);
	pair_use_qp(pair, 1);
	post(pair, 2, IBV_WR_RDMA_WRITE, MESSAGE);
	pair_run_until(pair, from_ns + MS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	expect_none(&pair->side[0].send_cq);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_true(pair->now - from_ns > 18 * MS);
	pair_free(pair);
}

static void removed_limit_ends_wait(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;
	uint64_t from_ns;

	(void)state;
	pair = pace_new_pair(&o, &leak, 1, 0);
	post(pair, 1, IBV_WR_RDMA_WRITE, MESSAGE);
	pair_run_until(pair, pair->now + MS);
	expect_none(&pair->side[0].send_cq);
	from_ns = pair->now;
	uroce_pace_limit(pair->side[0].qp, 0, 0);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_true(pair->now - from_ns < 10 * MS);
	pair_free(pair);
}

static void pace_modify(struct pair *pair, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = { .qp_state = to };

	assert_int_equal(uroce_qp_modify(pair->side[0].qp, &attr, IBV_QP_STATE,
					 IBV_MTU_1024, NULL, pair->now),
			 0);
}

static void waiting_qp_is_flushed_at_once(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;

	(void)state;
	pair = pace_new_pair(&o, &leak, 1, 0);
	post(pair, 1, IBV_WR_RDMA_WRITE, MESSAGE);
	pair_run_until(pair, pair->now + MS);
	pace_modify(pair, IBV_QPS_ERR);
	expect(&pair->side[0].send_cq, 1, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(uroce_engine_deadline(&pair->side[0].engine),
			 UROCE_NEVER);
	pair_free(pair);
}

static void reset_removes_limits(void **state)
{
	struct pair_options o = pair_defaults();
	struct ibv_qp_attr attr;
	struct leak leak;
	struct pair *pair;
	uint64_t from_ns;

	(void)state;
	pair = pace_new_pair(&o, &leak, KBPS, BURST_BYTES);
	uroce_pace_limit_path(pair->side[0].qp, 2 * KBPS);
	uroce_qp_query(pair->side[0].qp, &attr);
	assert_int_equal(attr.rate_limit, KBPS);
	pair_reconnect(pair, &o);
	uroce_qp_query(pair->side[0].qp, &attr);
	assert_int_equal(attr.rate_limit, 0);
	from_ns = pair->now;
	pace_transfer(pair, IBV_WR_RDMA_WRITE, 4);
	assert_true(pair->now - from_ns < 10 * MS);
	pair_free(pair);
}

/* Losses are repaired, and retransmitted packets count. */
static void limited_qp_repairs_losses_within_rate(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;

	(void)state;
	o.timeout = 12; /* 17 ms */
	pair = pace_new_pair(&o, &leak, KBPS, BURST_BYTES);
	pair->faults.loss = 20;
	pace_transfer(pair, IBV_WR_RDMA_WRITE, 4);
	assert_true(pair_count(pair, 0, UROCE_C_RETRANSMITTED));
	assert_true(burst_bytes_of(&leak) <= BURST_BYTES + 16);
	pair_free(pair);
}

/* Requests are short; the responses of the peer are not limited. */
static void limited_qp_reads_at_full_speed(void **state)
{
	struct pair_options o = pair_defaults();
	struct leak leak;
	struct pair *pair;
	uint64_t from_ns;

	(void)state;
	pair = pace_new_pair(&o, &leak, KBPS, BURST_BYTES);
	from_ns = pair->now;
	pace_transfer(pair, IBV_WR_RDMA_READ, 4);
	assert_true(pair->now - from_ns < 10 * MS);
	pair_free(pair);
}

static void limited_qp_does_not_use_fast_path(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_eager_entry eager;
	struct leak leak;
	struct pair *pair;

	(void)state;
	o.bound = true;
	pair = pace_new_pair(&o, &leak, KBPS, 0);
	post(pair, 1, IBV_WR_RDMA_WRITE, 8);
	assert_false(uroce_fast_next(pair->side[0].qp, pair->now, &eager));
	uroce_pace_limit(pair->side[0].qp, 0, 0);
	assert_true(uroce_fast_next(pair->side[0].qp, pair->now, &eager));
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limited_write_and_send_keep_rate_and_burst),
		cmocka_unit_test(limited_uc_keeps_rate_and_burst),
		cmocka_unit_test(limited_qp_with_channel_keeps_rate_and_burst),
		cmocka_unit_test(limited_qp_does_not_time_out),
		cmocka_unit_test(limited_ud_keeps_rate),
		cmocka_unit_test(limited_qp_waits_for_several_packets),
		cmocka_unit_test(late_timers_do_not_lower_rate),
		cmocka_unit_test(limit_of_path_applies_if_lower),
		cmocka_unit_test(unlimited_qp_does_not_wait),
		cmocka_unit_test(removed_limit_ends_wait),
		cmocka_unit_test(waiting_qp_is_flushed_at_once),
		cmocka_unit_test(reset_removes_limits),
		cmocka_unit_test(limited_qp_repairs_losses_within_rate),
		cmocka_unit_test(limited_qp_reads_at_full_speed),
		cmocka_unit_test(limited_qp_does_not_use_fast_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
