/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selecting the faster of two protocols, and following changes. Messages are
 * sent one at a time, or with many outstanding that are processed one at a
 * time; they complete when an ACK covers some of them.
 */
#include "uroce/shm/uroce_selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define QPN	0x10002
#define BYTES	1000000u
#define RING_US 100u
#define RNDV_US 50u
#define ROW	24u
#define EVERY	1024u
#define NS	1000u
#define S	UINT64_C(1000000000)

static struct uroce_selection selection;
static uint64_t now;			/* ns */
static uint32_t us[UROCE_NR_PROTOCOLS]; /* duration of a message */

/* PSNs of messages: those from @ended to @begun are outstanding. */
static uint32_t begun, ended;
static enum uroce_protocol protocols[256];

static int setup(void **state)
{
	selection = (struct uroce_selection){};
	now = 5 * S;
	us[UROCE_PROTOCOL_RING] = RING_US;
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	begun = ended = 0;
	return 0;
}

static enum uroce_protocol begin(void)
{
	enum uroce_protocol protocol =
		uroce_selection_begin(&selection, QPN, begun, now);

	protocols[begun % 256] = protocol;
	begun++;
	return protocol;
}

/*
 * Processes the oldest outstanding messages; their completions come at the end.
 */
static void end_some(uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		now += (uint64_t)us[protocols[(ended + i) % 256]] * NS;
	while (nr--)
		uroce_selection_end(&selection, QPN, ended++, BYTES, now);
}

/* Sends a message to its completion. Return: its protocol. */
static enum uroce_protocol send(void)
{
	enum uroce_protocol protocol = begin();

	end_some(1);
	return protocol;
}

/* Return: how many of the messages are rndv. */
static uint32_t send_some(uint32_t nr)
{
	uint32_t nr_rndv = 0;

	while (nr--)
		nr_rndv += send() == UROCE_PROTOCOL_RNDV;
	return nr_rndv;
}

/* Checks that all messages use rendezvous, or none. */
static void assert_all(enum uroce_protocol protocol, uint32_t nr)
{
	assert_int_equal(send_some(nr),
			 protocol == UROCE_PROTOCOL_RNDV ? nr : 0);
}

/* Up to the message with that number. */
static void send_until(uint32_t until)
{
	(void)send_some(until - begun);
}

/* The same with @depth outstanding, completing @batch at a time. */
static uint32_t stream(uint32_t nr, uint32_t depth, uint32_t batch)
{
	uint32_t nr_rndv = 0;

	assert_true(depth >= batch && depth < 256);
	while (nr--) {
		if (begun - ended == depth)
			end_some(batch);
		nr_rndv += begin() == UROCE_PROTOCOL_RNDV;
	}
	return nr_rndv;
}

static void assert_rates(uint32_t ring, uint32_t rndv)
{
	assert_int_equal(selection.rate[UROCE_PROTOCOL_RING], ring);
	assert_int_equal(selection.rate[UROCE_PROTOCOL_RNDV], rndv);
}

static void selection_first_windows_sample_both_protocols(void **state)
{
	assert_all(UROCE_PROTOCOL_RING, ROW);
	assert_rates(BYTES / RING_US, 0);
	assert_all(UROCE_PROTOCOL_RNDV, ROW);
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

static void selection_faster_protocol_is_selected(void **state)
{
	send_until(2 * ROW);
	assert_all(UROCE_PROTOCOL_RNDV, 64 - 2 * ROW);
	setup(NULL);
	us[UROCE_PROTOCOL_RNDV] = RING_US + 1;
	send_until(2 * ROW);
	assert_all(UROCE_PROTOCOL_RING, 64 - 2 * ROW);
	/* the simpler protocol */
	setup(NULL);
	us[UROCE_PROTOCOL_RNDV] = RING_US;
	send_until(2 * ROW);
	assert_all(UROCE_PROTOCOL_RING, 64 - 2 * ROW);
}

static void assert_rows(enum uroce_protocol best, enum uroce_protocol other)
{
	static const uint32_t rows[] = { 64,   128,  256,  512,	 1024,
					 2048, 3072, 4096, 5120, 6144 };

	send_until(2 * ROW);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_all(best, rows[i] - begun);
		assert_all(other, ROW);
	}
	assert_all(best, 7 * EVERY - begun);
}

static void selection_slower_protocol_is_sampled_periodically(void **state)
{
	assert_rows(UROCE_PROTOCOL_RNDV, UROCE_PROTOCOL_RING);
	setup(NULL);
	us[UROCE_PROTOCOL_RNDV] = 150;
	assert_rows(UROCE_PROTOCOL_RING, UROCE_PROTOCOL_RNDV);
}

/* The memory has not been touched yet. */
static void selection_cold_first_messages_are_corrected(void **state)
{
	/* of one protocol... */
	send_until(ROW);
	us[UROCE_PROTOCOL_RNDV] = 900;
	send_until(2 * ROW);
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	assert_all(UROCE_PROTOCOL_RING, 64 - 2 * ROW);
	assert_all(UROCE_PROTOCOL_RNDV, 128 - 64);
	/* ...or the other */
	setup(NULL);
	us[UROCE_PROTOCOL_RING] = 900;
	send_until(ROW);
	us[UROCE_PROTOCOL_RING] = RNDV_US / 2;
	send_until(2 * ROW);
	assert_all(UROCE_PROTOCOL_RNDV, 64 - 2 * ROW);
	assert_all(UROCE_PROTOCOL_RING, 128 - 64);
}

/* The caches still contain data of the other protocol. */
static void selection_first_message_of_window_is_ignored(void **state)
{
	for (uint32_t i = 0; i < 100; i++) {
		bool first = i == 0 || i == ROW || i == 2 * ROW + 16;

		us[UROCE_PROTOCOL_RING] = first ? 10 : RING_US;
		us[UROCE_PROTOCOL_RNDV] = first ? 5000 : RNDV_US;
		(void)send();
	}
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

static void selection_protocol_that_slows_down_is_left(void **state)
{
	send_until(600);
	us[UROCE_PROTOCOL_RNDV] = 1000;
	/* a few messages suffice, without a sampling window */
	(void)send_some(10);
	assert_all(UROCE_PROTOCOL_RING, EVERY - begun);
	/* the sampling window finds the old speed again */
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	assert_all(UROCE_PROTOCOL_RNDV, 2 * EVERY - begun);
	setup(NULL);
	us[UROCE_PROTOCOL_RNDV] = 2 * RING_US;
	send_until(600);
	us[UROCE_PROTOCOL_RING] = 1000;
	(void)send_some(20);
	assert_all(UROCE_PROTOCOL_RNDV, EVERY - begun);
	us[UROCE_PROTOCOL_RING] = RING_US;
	assert_all(UROCE_PROTOCOL_RING, 2 * EVERY - begun);
}

static void selection_protocol_that_speeds_up_is_selected(void **state)
{
	send_until(600);
	us[UROCE_PROTOCOL_RING] = RNDV_US / 2;
	assert_all(UROCE_PROTOCOL_RNDV, EVERY - begun);
	assert_all(UROCE_PROTOCOL_RING, 2 * EVERY - begun);
	setup(NULL);
	us[UROCE_PROTOCOL_RNDV] = 2 * RING_US;
	send_until(600);
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	assert_all(UROCE_PROTOCOL_RING, EVERY - begun);
	assert_all(UROCE_PROTOCOL_RNDV, 2 * EVERY - begun);
}

/*
 * Rises at once, falls slowly; a sample is learned when the next message ends.
 */
static void selection_slow_sample_has_lower_weight(void **state)
{
	const uint32_t rate = BYTES / RNDV_US;

	send_until(50);
	us[UROCE_PROTOCOL_RNDV] = 25;
	(void)send();
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	(void)send();
	assert_rates(BYTES / RING_US, (rate + 2 * rate) / 2);
	(void)send();
	assert_rates(BYTES / RING_US, (3 * (rate + 2 * rate) / 2 + rate) / 4);
}

static void selection_very_slow_sample_counts_as_half_rate(void **state)
{
	const uint32_t rate = BYTES / RNDV_US;

	send_until(50);
	us[UROCE_PROTOCOL_RNDV] = 500000;
	(void)send();
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	assert_all(UROCE_PROTOCOL_RNDV, 1);
	assert_rates(BYTES / RING_US, (3 * rate + rate / 2) / 4);
}

/* Sometimes a process does not run. */
static void selection_rare_slow_samples_change_nothing(void **state)
{
	for (uint32_t i = 0; i < 4000; i++) {
		bool slow = i % 17 == 16;
		uint32_t old = selection.rate[UROCE_PROTOCOL_RNDV];
		enum uroce_protocol protocol;

		us[UROCE_PROTOCOL_RING] = slow ? 20000 : RING_US;
		us[UROCE_PROTOCOL_RNDV] = slow ? 20000 : RNDV_US;
		protocol = send();
		if (i >= 88 && i < 128)
			assert_int_equal(protocol, UROCE_PROTOCOL_RNDV);
		if (i >= 1100 && i < 2048)
			assert_int_equal(protocol, UROCE_PROTOCOL_RNDV);
		if (i >= 100)
			assert_true(old > BYTES / RING_US);
	}
}

/* The first message of a window, and messages that queued, are no samples. */
static void selection_outstanding_messages_give_same_rates(void **state)
{
	static const uint32_t depths[] = { 2, 3, 16, 48, 64 };

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		setup(NULL);
		(void)stream(152, depths[i], 1);
		assert_rates(BYTES / RING_US, BYTES / RNDV_US);
		assert_int_equal(stream(256 - begun, depths[i], 1), 256 - 152);
		assert_int_equal(stream(ROW, depths[i], 1), 0);
		/* the other protocol round */
		setup(NULL);
		us[UROCE_PROTOCOL_RNDV] = 3 * RING_US;
		(void)stream(152, depths[i], 1);
		assert_int_equal(stream(256 - begun, depths[i], 1), 0);
		assert_int_equal(stream(ROW, depths[i], 1), ROW);
	}
}

static void selection_outstanding_messages_follow_changed_speed(void **state)
{
	(void)stream(1500, 32, 1);
	us[UROCE_PROTOCOL_RING] = 20;
	assert_int_equal(stream(2048 - 1500, 32, 1), 2048 - 1500);
	(void)stream(100, 32, 1);
	assert_int_equal(stream(3072 - 2148, 32, 1), 0);
	us[UROCE_PROTOCOL_RING] = 500;
	(void)stream(100, 32, 1);
	assert_int_equal(stream(4096 - 3172, 32, 1), 4096 - 3172);
}

/* No completion has arrived: the ring, and the sampling windows. */
static void selection_without_completion_uses_ring(void **state)
{
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(begin(), i >= ROW && i < 2 * ROW
						  ? UROCE_PROTOCOL_RNDV
						  : UROCE_PROTOCOL_RING);
	assert_rates(0, 0);
	end_some(64);
	assert_rates(0, 0);
}

/* Like single completions. */
static void selection_cumulative_ack_gives_same_rates(void **state)
{
	static const uint32_t batches[] = { 2, 3, 4, 6, 8 };

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		setup(NULL);
		(void)stream(200, 32, batches[i]);
		assert_rates(BYTES / RING_US, BYTES / RNDV_US);
		assert_int_equal(stream(256 - 200, 32, batches[i]), 256 - 200);
		setup(NULL);
		us[UROCE_PROTOCOL_RNDV] = 3 * RING_US;
		(void)stream(200, 32, batches[i]);
		assert_rates(BYTES / RING_US, BYTES / (3 * RING_US));
		assert_int_equal(stream(256 - 200, 32, batches[i]), 0);
	}
}

/* Each window boundary is inside of a batch. */
static void selection_mixed_batch_is_ignored(void **state)
{
	static const uint32_t batches[] = { 5, 7 };

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		setup(NULL);
		us[UROCE_PROTOCOL_RNDV] = 1;
		while (begun < 2000) {
			uint32_t ring = selection.rate[UROCE_PROTOCOL_RING];
			uint32_t rndv = selection.rate[UROCE_PROTOCOL_RNDV];

			(void)stream(1, 16, batches[i]);
			assert_true(ring == 0 || ring == BYTES / RING_US);
			assert_true(rndv == 0 || rndv == BYTES);
		}
		assert_rates(BYTES / RING_US, BYTES);
	}
}

/* No two consecutive batches all use rendezvous, so there is no sample. */
static void selection_mixed_batches_only_keep_ring(void **state)
{
	us[UROCE_PROTOCOL_RNDV] = 1;
	(void)stream(152, 40, 40);
	assert_rates(0, 0);
	/* except the windows at 256, 512, 1024 and 2048 */
	assert_int_equal(stream(3000 - 152, 40, 40), 4 * ROW);
	assert_rates(BYTES / RING_US, 0);
}

/*
 * Begins three messages, and ends the second one @gap_ns after the first one.
 */
static void end_two(uint64_t gap_ns)
{
	setup(NULL);
	send();
	for (int i = 0; i < 3; i++)
		(void)begin();
	end_some(1);
	now += gap_ns;
	uroce_selection_end(&selection, QPN, ended++, BYTES, now);
	end_some(1);
}

static void selection_completions_within_2_us_form_batch(void **state)
{
	const uint32_t alone = BYTES / RING_US;
	const uint64_t gap = 2001;

	end_two(2000);
	assert_rates((uint32_t)(2ull * BYTES * NS / (RING_US * NS + 2000)), 0);
	/* the second message is very fast */
	end_two(gap);
	assert_rates((uint32_t)((alone + (uint64_t)BYTES * NS / gap) / 2), 0);
}

/* Between messages the application does something else. */
static void selection_idle_time_is_ignored(void **state)
{
	for (uint32_t i = 0; i < 100; i++) {
		now += 7 * S;
		(void)send();
	}
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

static void selection_above_64_outstanding_forgets_oldest(void **state)
{
	struct uroce_selection before;

	(void)send_some(50);
	for (uint32_t i = 0; i < 100; i++)
		(void)begin();
	before = selection;
	end_some(100 - UROCE_SELECTION_MESSAGES);
	assert_memory_equal(&selection, &before, sizeof(selection));
	end_some(1);
	assert_memory_not_equal(&selection, &before, sizeof(selection));
	/* nothing of them remains */
	end_some(UROCE_SELECTION_MESSAGES - 1);
	for (uint32_t i = 0; i < UROCE_SELECTION_MESSAGES; i++)
		assert_true(selection.message[i].begun_ns == 0);
	send_until(512);
	assert_all(UROCE_PROTOCOL_RING, ROW);
	assert_all(UROCE_PROTOCOL_RNDV, EVERY - begun);
}

/* All are forgotten before they end. */
static void selection_always_above_64_outstanding_learns_nothing(void **state)
{
	(void)stream(3000, UROCE_SELECTION_MESSAGES + 1, 1);
	assert_rates(0, 0);
	assert_int_equal(
		stream(EVERY - 72 - 24, UROCE_SELECTION_MESSAGES + 1, 1), ROW);
}

static void selection_unknown_completion_is_ignored(void **state)
{
	struct uroce_selection before = selection;

	uroce_selection_end(&selection, 0, 0, BYTES, now);
	uroce_selection_end(&selection, QPN, 0, BYTES, now);
	assert_memory_equal(&selection, &before, sizeof(selection));
	(void)send_some(10);
	(void)begin();
	now += S;
	before = selection;
	uroce_selection_end(&selection, QPN + 1, ended, BYTES, now);
	uroce_selection_end(&selection, QPN, ended + 1, BYTES, now);
	uroce_selection_end(&selection, QPN, ended - 1, BYTES, now);
	assert_memory_equal(&selection, &before, sizeof(selection));
	/* nor a second completion */
	end_some(1);
	before = selection;
	uroce_selection_end(&selection, QPN, ended - 1, BYTES, now);
	assert_memory_equal(&selection, &before, sizeof(selection));
}

/* Two QPs with equal PSNs take turns. */
static void selection_equal_psns_of_two_qps_are_separate(void **state)
{
	for (uint32_t i = 0; i < 200; i++) {
		enum uroce_protocol protocol[2];

		for (uint32_t qp = 0; qp < 2; qp++)
			protocol[qp] = uroce_selection_begin(&selection,
							     QPN + qp, i, now);
		for (uint32_t qp = 2; qp-- > 0;) {
			now += (uint64_t)us[protocol[qp]] * NS;
			uroce_selection_end(&selection, QPN + qp, i, BYTES,
					    now);
		}
	}
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

static void selection_failed_message_is_ignored(void **state)
{
	send_until(100);
	for (uint32_t i = 0; i < 10; i++) {
		(void)begin();
		now += S;
		ended++;
		(void)send();
	}
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

/* The QP was reset and begins with the same PSN again. */
static void selection_reused_psn_replaces_old_message(void **state)
{
	send_until(50);
	(void)begin();
	now += S;
	begun--;
	for (uint32_t i = 0; i < 5; i++) {
		(void)send();
		assert_rates(BYTES / RING_US, BYTES / RNDV_US);
	}
}

static void selection_zero_duration_is_ignored(void **state)
{
	us[UROCE_PROTOCOL_RING] = us[UROCE_PROTOCOL_RNDV] = 0;
	send_until(300);
	assert_rates(0, 0);
	us[UROCE_PROTOCOL_RING] = RING_US;
	us[UROCE_PROTOCOL_RNDV] = RNDV_US;
	send_until(1100);
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

static void selection_message_counter_wraps(void **state)
{
	send_until(600);
	selection.nr = UINT32_MAX - 99;
	assert_all(UROCE_PROTOCOL_RNDV, 100);
	/* continues as in the middle of a period */
	assert_all(UROCE_PROTOCOL_RING, ROW);
	assert_all(UROCE_PROTOCOL_RNDV, EVERY - ROW);
	assert_all(UROCE_PROTOCOL_RING, ROW);
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

/* All outstanding messages are kept. */
static void
selection_message_counter_wraps_with_outstanding_messages(void **state)
{
	(void)stream(600, UROCE_SELECTION_MESSAGES, 1);
	end_some(begun - ended);
	selection.nr = UINT32_MAX - 31;
	(void)stream(UROCE_SELECTION_MESSAGES, UROCE_SELECTION_MESSAGES, 1);
	for (uint32_t i = 0; i < UROCE_SELECTION_MESSAGES; i++)
		assert_true(selection.message[i].begun_ns != 0);
	end_some(UROCE_SELECTION_MESSAGES);
	for (uint32_t i = 0; i < UROCE_SELECTION_MESSAGES; i++)
		assert_true(selection.message[i].begun_ns == 0);
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

/* A message of @bytes that takes so many ns. */
static void send_in(uint32_t bytes, uint64_t ns)
{
	(void)begin();
	now += ns;
	uroce_selection_end(&selection, QPN, ended++, bytes, now);
}

/* The rate is clamped, so it does not wrap. */
static void selection_rate_is_limited_to_maximum(void **state)
{
	for (uint32_t i = 0; i < 20; i++) {
		now += S;
		send_in(UINT32_MAX, 1);
	}
	assert_rates(UINT32_MAX, 0);
	/* falls from there */
	for (uint32_t i = 0; i < 4 * EVERY; i++)
		(void)send();
	assert_rates(BYTES / RING_US, BYTES / RNDV_US);
}

/* Below 1 byte per us the rate counts as unknown. */
static void selection_rate_below_byte_per_us_is_unknown(void **state)
{
	for (uint32_t i = 0; i < 10; i++)
		send_in(1000, 10 * S);
	assert_rates(0, 0);
	(void)send_some(2);
	assert_rates(BYTES / RING_US, 0);
	/* the rate may fall to that as well */
	setup(NULL);
	for (uint32_t i = 0; i < 300; i++)
		send_in(i < 100 ? BYTES : 0, 10 * S);
	assert_int_equal(selection.rate[UROCE_PROTOCOL_RING], 0);
	send_until(2 * EVERY);
	assert_all(UROCE_PROTOCOL_RING, ROW);
	assert_all(UROCE_PROTOCOL_RNDV, EVERY - ROW);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(selection_first_windows_sample_both_protocols),
		TEST(selection_faster_protocol_is_selected),
		TEST(selection_slower_protocol_is_sampled_periodically),
		TEST(selection_cold_first_messages_are_corrected),
		TEST(selection_first_message_of_window_is_ignored),
		TEST(selection_protocol_that_slows_down_is_left),
		TEST(selection_protocol_that_speeds_up_is_selected),
		TEST(selection_slow_sample_has_lower_weight),
		TEST(selection_very_slow_sample_counts_as_half_rate),
		TEST(selection_rare_slow_samples_change_nothing),
		TEST(selection_outstanding_messages_give_same_rates),
		TEST(selection_outstanding_messages_follow_changed_speed),
		TEST(selection_without_completion_uses_ring),
		TEST(selection_cumulative_ack_gives_same_rates),
		TEST(selection_mixed_batch_is_ignored),
		TEST(selection_mixed_batches_only_keep_ring),
		TEST(selection_completions_within_2_us_form_batch),
		TEST(selection_idle_time_is_ignored),
		TEST(selection_above_64_outstanding_forgets_oldest),
		TEST(selection_always_above_64_outstanding_learns_nothing),
		TEST(selection_unknown_completion_is_ignored),
		TEST(selection_equal_psns_of_two_qps_are_separate),
		TEST(selection_failed_message_is_ignored),
		TEST(selection_reused_psn_replaces_old_message),
		TEST(selection_zero_duration_is_ignored),
		TEST(selection_message_counter_wraps),
		TEST(selection_message_counter_wraps_with_outstanding_messages),
		TEST(selection_rate_is_limited_to_maximum),
		TEST(selection_rate_below_byte_per_us_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
