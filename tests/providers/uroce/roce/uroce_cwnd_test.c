/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The congestion window of a requester, with simulated round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uroce/roce/uroce_cwnd.h"
#include "uroce/roce/uroce_psn.h"

#define MS    1000000ull
#define LIMIT 64u
#define FIRST 16u

struct path {
	struct uroce_cwnd cwnd;
	uint32_t una_psn;
	uint64_t now;
};

static struct path path_new(void)
{
	/* the PSN wraps during the test */
	return (struct path){ .cwnd.packets = FIRST,
			      .cwnd.rtt.end_psn = UROCE_PSN_MASK - 20,
			      .una_psn = UROCE_PSN_MASK - 20,
			      .now = 1000 * MS };
}

/* A round trip with @in_flight packets, acknowledged by one ACK. */
static void path_transfer(struct path *path, uint32_t in_flight,
			  uint64_t rtt_ns)
{
	struct uroce_acked acked = {
		.nr_packets = in_flight,
		.in_flight = in_flight,
		.limit = LIMIT,
	};

	uroce_rtt_sent(&path->cwnd.rtt,
		       uroce_psn_add(path->una_psn, in_flight - 1), path->now);
	path->una_psn = uroce_psn_add(path->una_psn, in_flight);
	path->now += rtt_ns;
	acked.una_psn = path->una_psn;
	uroce_cwnd_acked(&path->cwnd, &acked, path->now);
}

static bool path_is_congested(const struct path *path)
{
	return uroce_cwnd_is_congested(&path->cwnd, path->cwnd.rtt.min_ns);
}

/* A round trip with the whole window in flight. */
static void path_fill(struct path *path, uint64_t rtt_ns)
{
	path_transfer(path, path->cwnd.packets, rtt_ns);
}

static void window_doubles_up_to_limit(void **state)
{
	struct path path = path_new();

	path_fill(&path, MS / 2);
	assert_int_equal(path.cwnd.packets, 2 * FIRST);
	path_fill(&path, MS / 2);
	assert_int_equal(path.cwnd.packets, 4 * FIRST);
	path_fill(&path, MS / 2);
	assert_int_equal(path.cwnd.packets, LIMIT);
}

static void window_limit_is_proportional_to_rtt(void **state)
{
	struct path path = path_new();

	for (int i = 0; i < 20; i++)
		path_fill(&path, 10 * MS + MS / 2);
	assert_int_equal(path.cwnd.packets, 10 * LIMIT);
	/* The RTT of the path is the minimum. */
	path = path_new();
	path_fill(&path, MS / 2);
	path_fill(&path, 10 * MS);
	for (int i = 0; i < 200; i++)
		path_fill(&path, 10 * MS);
	assert_int_equal(path.cwnd.packets, LIMIT);
}

static void window_limit_is_below_psn_space(void **state)
{
	struct path path = path_new();

	for (int i = 0; i < 40; i++)
		path_fill(&path, 1000000 * MS);
	assert_int_equal(path.cwnd.packets, 1u << 20);
}

static void window_that_is_not_used_does_not_grow(void **state)
{
	struct path path = path_new();

	for (int i = 0; i < 100; i++)
		path_transfer(&path, FIRST / 2 - 1, MS);
	assert_int_equal(path.cwnd.packets, FIRST);
}

static void window_stops_doubling_when_rtt_rises(void **state)
{
	struct path path = path_new();
	uint32_t grown;

	path_fill(&path, 10 * MS);
	path_fill(&path, 12 * MS);
	assert_int_equal(path.cwnd.packets, 4 * FIRST);
	/* a quarter with each of five RTTs */
	path_fill(&path, 13 * MS);
	assert_int_equal(path.cwnd.packets, 5 * FIRST);
	for (int i = 0; i < 4; i++)
		path_fill(&path, 13 * MS);
	assert_in_range(path.cwnd.packets, 12 * FIRST, 13 * FIRST);
	grown = path.cwnd.packets;
	path_fill(&path, 13 * MS);
	path_fill(&path, 10 * MS);
	assert_in_range(path.cwnd.packets, grown, grown + 3);
}

static void window_doubles_again_when_rtt_falls(void **state)
{
	struct path path = path_new();

	path_fill(&path, 10 * MS);
	path_fill(&path, 13 * MS);
	assert_in_range(path.cwnd.packets, 2 * FIRST, 3 * FIRST);
	path.cwnd.packets = 2 * FIRST;
	path_fill(&path, 10 * MS);
	assert_int_equal(path.cwnd.packets, 4 * FIRST);
}

static void window_stops_growing_when_queue_is_long(void **state)
{
	struct path path = path_new();

	path_fill(&path, 10 * MS);
	path_fill(&path, 14 * MS);
	path_fill(&path, 10 * MS);
	assert_in_range(path.cwnd.packets, 2 * FIRST, 2 * FIRST + 3);
}

static void window_after_loss_is_7_tenths(void **state)
{
	struct path path = path_new();

	path.cwnd.packets = 50;
	uroce_cwnd_lost(&path.cwnd, path.now);
	assert_int_equal(path.cwnd.packets, 35);
	for (int i = 0; i < 100; i++)
		uroce_cwnd_lost(&path.cwnd, path.now);
	assert_in_range(path.cwnd.packets, 2, 4);
}

/* RFC 9438: K = cbrt(500 * 0.3 / 0.4) s = 7.2 s. */
static void window_returns_to_old_value_after_k_seconds(void **state)
{
	struct path path = path_new();
	uint64_t lost;

	path.cwnd.packets = 500;
	path_fill(&path, 50 * MS);
	path.cwnd.packets = 500;
	lost = path.now;
	uroce_cwnd_lost(&path.cwnd, path.now);
	assert_int_equal(path.cwnd.packets, 350);
	while (path.now < lost + 5000 * MS)
		path_fill(&path, 50 * MS);
	assert_in_range(path.cwnd.packets, 450, 499);
	while (path.now < lost + 7300 * MS)
		path_fill(&path, 50 * MS);
	assert_in_range(path.cwnd.packets, 500, 515);
	/* Then the window is searched for that the network allows now. */
	while (path.now < lost + 15000 * MS)
		path_fill(&path, 50 * MS);
	assert_in_range(path.cwnd.packets, 650, 750);
}

static void late_packet_restores_window(void **state)
{
	struct path path = path_new();

	path.cwnd.packets = 500;
	uroce_cwnd_lost(&path.cwnd, path.now);
	uroce_cwnd_undo(&path.cwnd);
	assert_int_equal(path.cwnd.packets, 500);
	assert_false(path.cwnd.steady); /* slow start goes on */
	uroce_cwnd_lost(&path.cwnd, path.now);
	uroce_cwnd_lost(&path.cwnd, path.now);
	uroce_cwnd_undo(&path.cwnd); /* of the second loss only */
	uroce_cwnd_undo(&path.cwnd);
	assert_int_equal(path.cwnd.packets, 350);
	assert_true(path.cwnd.steady);
}

static void late_packet_restores_no_marked_or_smaller_window(void **state)
{
	struct path path = path_new();

	path.cwnd.packets = 500;
	uroce_cwnd_lost(&path.cwnd, path.now);
	path.cwnd.packets = 600;
	uroce_cwnd_undo(&path.cwnd);
	assert_int_equal(path.cwnd.packets, 600);
	uroce_cwnd_lost(&path.cwnd, path.now);
	uroce_cwnd_marked(&path.cwnd, path.now);
	uroce_cwnd_undo(&path.cwnd);
	assert_in_range(path.cwnd.packets, 355, 358);
}

static void loss_without_queue_is_random(void **state)
{
	struct path path = path_new();

	assert_true(path_is_congested(&path)); /* no RTT yet */
	for (unsigned int i = 0; i < 8; i++)
		path_fill(&path, 10 * MS);
	path.cwnd.lost = 2;
	assert_false(path_is_congested(&path));
}

static void loss_with_queue_is_congestion(void **state)
{
	struct path path = path_new();

	for (unsigned int i = 0; i < 8; i++)
		path_fill(&path, 10 * MS);
	path_fill(&path, 12 * MS);
	assert_false(path_is_congested(&path));
	path_fill(&path, 14 * MS);
	assert_true(path_is_congested(&path));
}

/* The RTT of one packet of each window is long. */
static void loss_with_busy_processor_is_random(void **state)
{
	struct path path = path_new();

	for (unsigned int i = 0; i < 8; i++)
		path_fill(&path, 10 * MS);
	uroce_cwnd_lost(&path.cwnd, path.now); /* ends slow start */
	for (unsigned int i = 0; i < 100; i++) {
		path_fill(&path, 20 * MS);
		path_fill(&path, 10 * MS);
		path_fill(&path, 15 * MS);
		assert_false(path_is_congested(&path));
	}
	for (unsigned int i = 0; i < 32; i++)
		path_fill(&path, 15 * MS);
	assert_true(path_is_congested(&path));
}

/* The window began when the queue of others was long. */
static void loss_with_queue_of_path_is_congestion(void **state)
{
	struct path path = path_new();

	for (unsigned int i = 0; i < 8; i++)
		path_fill(&path, 15 * MS);
	assert_false(path_is_congested(&path));
	assert_true(uroce_cwnd_is_congested(&path.cwnd, 10 * MS));
}

static void many_losses_are_congestion(void **state)
{
	struct path path = path_new();

	for (unsigned int i = 0; i < 8; i++)
		path_fill(&path, 10 * MS);
	path.cwnd.lost = 400;
	assert_true(path_is_congested(&path));
	/* they are forgotten */
	for (unsigned int i = 0; i < 40; i++)
		path_fill(&path, 10 * MS);
	assert_false(path_is_congested(&path));
}

/* Its ACK may be for the packet that was sent first, or for the second one. */
static void retransmission_gives_no_rtt(void **state)
{
	struct path path = path_new();
	struct uroce_acked acked = { .nr_packets = 1, .in_flight = 1 };

	uroce_rtt_sent(&path.cwnd.rtt, path.una_psn, path.now);
	uroce_rtt_stop_packet(&path.cwnd.rtt, path.una_psn);
	acked.una_psn = uroce_psn_add(path.una_psn, 1);
	uroce_cwnd_acked(&path.cwnd, &acked, path.now + 1);
	assert_true(!path.cwnd.rtt.min_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_doubles_up_to_limit),
		cmocka_unit_test(window_limit_is_proportional_to_rtt),
		cmocka_unit_test(window_limit_is_below_psn_space),
		cmocka_unit_test(window_that_is_not_used_does_not_grow),
		cmocka_unit_test(window_stops_doubling_when_rtt_rises),
		cmocka_unit_test(window_doubles_again_when_rtt_falls),
		cmocka_unit_test(window_stops_growing_when_queue_is_long),
		cmocka_unit_test(window_after_loss_is_7_tenths),
		cmocka_unit_test(window_returns_to_old_value_after_k_seconds),
		cmocka_unit_test(late_packet_restores_window),
		cmocka_unit_test(
			late_packet_restores_no_marked_or_smaller_window),
		cmocka_unit_test(loss_without_queue_is_random),
		cmocka_unit_test(loss_with_queue_is_congestion),
		cmocka_unit_test(loss_with_busy_processor_is_random),
		cmocka_unit_test(loss_with_queue_of_path_is_congestion),
		cmocka_unit_test(many_losses_are_congestion),
		cmocka_unit_test(retransmission_gives_no_rtt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
