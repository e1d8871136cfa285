/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RTTs of a requester, and the least RTT of each peer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uroce/roce/uroce_path_rtts.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_rtt.h"

/* PSNs wrap during the tests. */
#define FIRST UROCE_PSN_MASK

static uint32_t psn_of(unsigned int number)
{
	return uroce_psn_add(FIRST, number);
}

/* Packet number n is sent at 100 + n. */
static struct uroce_rtt rtt_new(unsigned int nr_packets)
{
	struct uroce_rtt rtt = { .end_psn = psn_of(nr_packets) };

	for (unsigned int n = 0; n < nr_packets; n++)
		uroce_rtt_sent(&rtt, psn_of(n), 100 + n);
	return rtt;
}

static void rtt_is_that_of_last_acknowledged_packet(void **state)
{
	struct uroce_rtt rtt = rtt_new(4);

	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(3), psn_of(4), 1, 150),
			 0);
	assert_int_equal(uroce_rtt_least(&rtt), 48);
	assert_int_equal(rtt.nr_packets, 1);
}

static void rtt_of_round_is_known_at_end(void **state)
{
	struct uroce_rtt rtt = rtt_new(2);

	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(1), psn_of(2), 1, 150),
			 0);
	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(2), psn_of(2), 1, 141),
			 40);
}

static void rtt_of_round_is_known_once_after_four_packets(void **state)
{
	struct uroce_rtt rtt = rtt_new(6);

	for (unsigned int n = 1; n <= 3; n++)
		assert_int_equal(
			uroce_rtt_acked(&rtt, psn_of(n), psn_of(6), 1, 200 - n),
			0);
	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(4), psn_of(6), 1, 200),
			 95);
	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(5), psn_of(6), 1, 200),
			 0);
	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(6), psn_of(6), 1, 200),
			 0);
}

/* Each ACK but the second one ends a round. */
static void rtt_of_two_rounds_is_least(void **state)
{
	struct uroce_rtt rtt = rtt_new(4);

	rtt.end_psn = psn_of(1);
	(void)uroce_rtt_acked(&rtt, psn_of(1), psn_of(3), 1, 110);
	assert_int_equal(uroce_rtt_least(&rtt), 10);
	(void)uroce_rtt_acked(&rtt, psn_of(2), psn_of(4), 1, 121);
	assert_int_equal(uroce_rtt_least(&rtt), 10);
	(void)uroce_rtt_acked(&rtt, psn_of(3), psn_of(4), 1, 132);
	assert_int_equal(uroce_rtt_least(&rtt), 20);
	(void)uroce_rtt_acked(&rtt, psn_of(4), psn_of(4), 1, 118);
	assert_int_equal(uroce_rtt_least(&rtt), 15);
	assert_int_equal(rtt.min_ns, 10);
}

static void rtt_round_goes_on_with_too_few_packets(void **state)
{
	struct uroce_rtt rtt = rtt_new(4);

	rtt.end_psn = psn_of(1);
	for (unsigned int n = 1; n <= 2; n++)
		(void)uroce_rtt_acked(&rtt, psn_of(n), psn_of(4), 3, 109 + n);
	assert_int_equal(rtt.end_psn, psn_of(1));
	(void)uroce_rtt_acked(&rtt, psn_of(3), psn_of(4), 3, 150);
	assert_int_equal(rtt.end_psn, psn_of(4));
	assert_int_equal(uroce_rtt_least(&rtt), 10);
}

static void rtt_of_retransmitted_packets_is_unknown(void **state)
{
	struct uroce_rtt rtt = rtt_new(4);

	uroce_rtt_stop_packet(&rtt, psn_of(1));
	assert_int_equal(rtt.nr_packets, 3);
	uroce_rtt_stop_packet(&rtt, psn_of(1));
	assert_int_equal(rtt.nr_packets, 3);
	uroce_rtt_stop(&rtt, psn_of(2));
	assert_int_equal(rtt.nr_packets, 1);
	assert_int_equal(rtt.packets[0].psn, psn_of(0));
	uroce_rtt_stop_all(&rtt);
	(void)uroce_rtt_acked(&rtt, psn_of(4), psn_of(4), 1, 200);
	assert_int_equal(rtt.min_ns, 0);
}

static void rtt_of_packet_behind_gap_is_taken(void **state)
{
	struct uroce_rtt rtt = rtt_new(4);

	uroce_rtt_take(&rtt, 2, 132);
	assert_int_equal(uroce_rtt_least(&rtt), 30);
	assert_int_equal(rtt.nr_packets, 3);
	assert_int_equal(rtt.packets[2].psn, psn_of(3));
}

static void rtt_measures_no_more_packets_than_fit(void **state)
{
	struct uroce_rtt rtt = rtt_new(UROCE_RTT_PACKETS + 3);

	assert_int_equal(rtt.nr_packets, UROCE_RTT_PACKETS);
	assert_int_equal(rtt.packets[UROCE_RTT_PACKETS - 1].psn,
			 psn_of(UROCE_RTT_PACKETS - 1));
}

/* A clock that jumps back gives no RTT. */
static void rtt_is_not_negative(void **state)
{
	struct uroce_rtt rtt = rtt_new(1);

	assert_int_equal(uroce_rtt_acked(&rtt, psn_of(1), psn_of(1), 1, 99), 0);
	assert_int_equal(rtt.min_ns, 0);
}

static void path_rtt_is_least_of_peer(void **state)
{
	const uint8_t first[UROCE_GID_LEN] = { 1 };
	struct uroce_path_rtts rtts = {};
	uint8_t other[UROCE_GID_LEN] = { 1, [15] = 1 };

	assert_int_equal(uroce_path_rtts_least(&rtts, first, 0), 0);
	assert_int_equal(uroce_path_rtts_least(&rtts, first, 50), 50);
	assert_int_equal(uroce_path_rtts_least(&rtts, first, 70), 50);
	assert_int_equal(uroce_path_rtts_least(&rtts, first, 30), 30);
	assert_int_equal(uroce_path_rtts_least(&rtts, other, 90), 90);
	/* more peers than the table has room for replace each other */
	for (int i = 0; i < 256; i++) {
		other[14] = (uint8_t)i;
		assert_int_equal(uroce_path_rtts_least(&rtts, other, 80), 80);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rtt_is_that_of_last_acknowledged_packet),
		cmocka_unit_test(rtt_of_round_is_known_at_end),
		cmocka_unit_test(rtt_of_round_is_known_once_after_four_packets),
		cmocka_unit_test(rtt_of_two_rounds_is_least),
		cmocka_unit_test(rtt_round_goes_on_with_too_few_packets),
		cmocka_unit_test(rtt_of_retransmitted_packets_is_unknown),
		cmocka_unit_test(rtt_of_packet_behind_gap_is_taken),
		cmocka_unit_test(rtt_measures_no_more_packets_than_fit),
		cmocka_unit_test(rtt_is_not_negative),
		cmocka_unit_test(path_rtt_is_least_of_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
