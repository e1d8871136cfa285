/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of two ways is the faster one: found out, and found out again. Messages
 * are sent one at a time, or with many on the way that one at a time are
 * worked off, and end when an ACK comes for some of them.
 */
#include "uroce/local/uroce_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define QPN	 0x10002
#define BYTES	 1000000u
#define INBOX_US 100u
#define SPLIT_US 50u
#define ROW	 24u
#define EVERY	 1024u
#define NS	 1000u
#define S	 UINT64_C(1000000000)

static struct uroce_trial trial;
static uint64_t now;		   /* ns */
static uint32_t us[UROCE_NR_WAYS]; /* that a message takes */

/* Messages by their PSNs: those from @ended to @begun are on the way. */
static uint32_t begun, ended;
static enum uroce_way ways[256];

static int setup(void **state)
{
	trial = (struct uroce_trial){};
	now = 5 * S;
	us[UROCE_WAY_INBOX] = INBOX_US;
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	begun = ended = 0;
	return 0;
}

static enum uroce_way begin(void)
{
	enum uroce_way way = uroce_trial_begin(&trial, QPN, begun, now);

	ways[begun % 256] = way;
	begun++;
	return way;
}

/* The oldest ones on the way are done, and that is heard of at the end. */
static void end_some(uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		now += (uint64_t)us[ways[(ended + i) % 256]] * NS;
	while (nr--)
		uroce_trial_end(&trial, QPN, ended++, BYTES, now);
}

/* A whole message; returns its way. */
static enum uroce_way send(void)
{
	enum uroce_way way = begin();

	end_some(1);
	return way;
}

/* Of so many messages, how many are split. */
static uint32_t send_some(uint32_t nr)
{
	uint32_t nr_split = 0;

	while (nr--)
		nr_split += send() == UROCE_WAY_SPLIT;
	return nr_split;
}

/* All of them are, or none. */
static void assert_all(enum uroce_way way, uint32_t nr)
{
	assert_int_equal(send_some(nr), way == UROCE_WAY_SPLIT ? nr : 0);
}

/* Up to the message with that number. */
static void send_until(uint32_t until)
{
	(void)send_some(until - begun);
}

/* The same with @depth on the way, that end @batch at a time. */
static uint32_t stream(uint32_t nr, uint32_t depth, uint32_t batch)
{
	uint32_t nr_split = 0;

	assert_true(depth >= batch && depth < 256);
	while (nr--) {
		if (begun - ended == depth)
			end_some(batch);
		nr_split += begin() == UROCE_WAY_SPLIT;
	}
	return nr_split;
}

static void assert_rates(uint32_t inbox, uint32_t split)
{
	assert_int_equal(trial.rate[UROCE_WAY_INBOX], inbox);
	assert_int_equal(trial.rate[UROCE_WAY_SPLIT], split);
}

static void the_first_two_rows_try_both(void **state)
{
	assert_all(UROCE_WAY_INBOX, ROW);
	assert_rates(BYTES / INBOX_US, 0);
	assert_all(UROCE_WAY_SPLIT, ROW);
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

static void the_faster_one_is_used_then(void **state)
{
	send_until(2 * ROW);
	assert_all(UROCE_WAY_SPLIT, 64 - 2 * ROW);
	setup(NULL);
	us[UROCE_WAY_SPLIT] = INBOX_US + 1;
	send_until(2 * ROW);
	assert_all(UROCE_WAY_INBOX, 64 - 2 * ROW);
	/* it is the simpler one */
	setup(NULL);
	us[UROCE_WAY_SPLIT] = INBOX_US;
	send_until(2 * ROW);
	assert_all(UROCE_WAY_INBOX, 64 - 2 * ROW);
}

static void assert_rows(enum uroce_way best, enum uroce_way other)
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

static void the_slower_one_is_tried_again_in_rows(void **state)
{
	assert_rows(UROCE_WAY_SPLIT, UROCE_WAY_INBOX);
	setup(NULL);
	us[UROCE_WAY_SPLIT] = 150;
	assert_rows(UROCE_WAY_INBOX, UROCE_WAY_SPLIT);
}

/* Memory that nobody has touched yet. */
static void cold_first_messages_do_not_decide_for_ever(void **state)
{
	/* of the one way... */
	send_until(ROW);
	us[UROCE_WAY_SPLIT] = 900;
	send_until(2 * ROW);
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	assert_all(UROCE_WAY_INBOX, 64 - 2 * ROW);
	assert_all(UROCE_WAY_SPLIT, 128 - 64);
	/* ...or the other */
	setup(NULL);
	us[UROCE_WAY_INBOX] = 900;
	send_until(ROW);
	us[UROCE_WAY_INBOX] = SPLIT_US / 2;
	send_until(2 * ROW);
	assert_all(UROCE_WAY_SPLIT, 64 - 2 * ROW);
	assert_all(UROCE_WAY_INBOX, 128 - 64);
}

/* In the caches are the things of the other way still. */
static void the_first_one_of_a_row_does_not_count(void **state)
{
	for (uint32_t i = 0; i < 100; i++) {
		bool first = i == 0 || i == ROW || i == 2 * ROW + 16;

		us[UROCE_WAY_INBOX] = first ? 10 : INBOX_US;
		us[UROCE_WAY_SPLIT] = first ? 5000 : SPLIT_US;
		(void)send();
	}
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

static void what_becomes_slower_is_left(void **state)
{
	send_until(600);
	us[UROCE_WAY_SPLIT] = 1000;
	/* some messages tell, no row is needed for that */
	(void)send_some(10);
	assert_all(UROCE_WAY_INBOX, EVERY - begun);
	/* the row finds that it is as it was */
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	assert_all(UROCE_WAY_SPLIT, 2 * EVERY - begun);
	setup(NULL);
	us[UROCE_WAY_SPLIT] = 2 * INBOX_US;
	send_until(600);
	us[UROCE_WAY_INBOX] = 1000;
	(void)send_some(20);
	assert_all(UROCE_WAY_SPLIT, EVERY - begun);
	us[UROCE_WAY_INBOX] = INBOX_US;
	assert_all(UROCE_WAY_INBOX, 2 * EVERY - begun);
}

static void what_becomes_faster_takes_over(void **state)
{
	send_until(600);
	us[UROCE_WAY_INBOX] = SPLIT_US / 2;
	assert_all(UROCE_WAY_SPLIT, EVERY - begun);
	assert_all(UROCE_WAY_INBOX, 2 * EVERY - begun);
	setup(NULL);
	us[UROCE_WAY_SPLIT] = 2 * INBOX_US;
	send_until(600);
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	assert_all(UROCE_WAY_INBOX, EVERY - begun);
	assert_all(UROCE_WAY_SPLIT, 2 * EVERY - begun);
}

/* Up at once, down slowly; each is learned when the next one ends. */
static void slow_ones_count_less(void **state)
{
	const uint32_t rate = BYTES / SPLIT_US;

	send_until(50);
	us[UROCE_WAY_SPLIT] = 25;
	(void)send();
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	(void)send();
	assert_rates(BYTES / INBOX_US, (rate + 2 * rate) / 2);
	(void)send();
	assert_rates(BYTES / INBOX_US, (3 * (rate + 2 * rate) / 2 + rate) / 4);
}

static void one_that_is_very_slow_counts_as_half(void **state)
{
	const uint32_t rate = BYTES / SPLIT_US;

	send_until(50);
	us[UROCE_WAY_SPLIT] = 500000;
	(void)send();
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	assert_all(UROCE_WAY_SPLIT, 1);
	assert_rates(BYTES / INBOX_US, (3 * rate + rate / 2) / 4);
}

/* Somebody does not run now and then. */
static void a_few_very_slow_ones_change_nothing(void **state)
{
	for (uint32_t i = 0; i < 4000; i++) {
		bool slow = i % 17 == 16;
		uint32_t old = trial.rate[UROCE_WAY_SPLIT];
		enum uroce_way way;

		us[UROCE_WAY_INBOX] = slow ? 20000 : INBOX_US;
		us[UROCE_WAY_SPLIT] = slow ? 20000 : SPLIT_US;
		way = send();
		if (i >= 88 && i < 128)
			assert_int_equal(way, UROCE_WAY_SPLIT);
		if (i >= 1100 && i < 2048)
			assert_int_equal(way, UROCE_WAY_SPLIT);
		if (i >= 100)
			assert_true(old > BYTES / INBOX_US);
	}
}

/* What comes first in a row does not tell; nor what has waited for another. */
static void with_many_on_the_way_the_same_is_learned(void **state)
{
	static const uint32_t depths[] = { 2, 3, 16, 48, 64 };

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		setup(NULL);
		(void)stream(152, depths[i], 1);
		assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
		assert_int_equal(stream(256 - begun, depths[i], 1), 256 - 152);
		assert_int_equal(stream(ROW, depths[i], 1), 0);
		/* and the other way round */
		setup(NULL);
		us[UROCE_WAY_SPLIT] = 3 * INBOX_US;
		(void)stream(152, depths[i], 1);
		assert_int_equal(stream(256 - begun, depths[i], 1), 0);
		assert_int_equal(stream(ROW, depths[i], 1), ROW);
	}
}

static void with_many_on_the_way_it_changes_as_well(void **state)
{
	(void)stream(1500, 32, 1);
	us[UROCE_WAY_INBOX] = 20;
	assert_int_equal(stream(2048 - 1500, 32, 1), 2048 - 1500);
	(void)stream(100, 32, 1);
	assert_int_equal(stream(3072 - 2148, 32, 1), 0);
	us[UROCE_WAY_INBOX] = 500;
	(void)stream(100, 32, 1);
	assert_int_equal(stream(4096 - 3172, 32, 1), 4096 - 3172);
}

/* Nobody has told before, so nobody knows: the simple one, and what is tried.
 */
static void before_the_first_one_ends_nothing_is_known(void **state)
{
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(begin(), i >= ROW && i < 2 * ROW
						  ? UROCE_WAY_SPLIT
						  : UROCE_WAY_INBOX);
	assert_rates(0, 0);
	end_some(64);
	assert_rates(0, 0);
}

/* As if each one had come by itself. */
static void one_ack_can_end_several(void **state)
{
	static const uint32_t batches[] = { 2, 3, 4, 6, 8 };

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		setup(NULL);
		(void)stream(200, 32, batches[i]);
		assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
		assert_int_equal(stream(256 - 200, 32, batches[i]), 256 - 200);
		setup(NULL);
		us[UROCE_WAY_SPLIT] = 3 * INBOX_US;
		(void)stream(200, 32, batches[i]);
		assert_rates(BYTES / INBOX_US, BYTES / (3 * INBOX_US));
		assert_int_equal(stream(256 - 200, 32, batches[i]), 0);
	}
}

/* Each row is cut somewhere in the middle of one. */
static void a_batch_of_both_ways_teaches_nothing(void **state)
{
	static const uint32_t batches[] = { 5, 7 };

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		setup(NULL);
		us[UROCE_WAY_SPLIT] = 1;
		while (begun < 2000) {
			uint32_t inbox = trial.rate[UROCE_WAY_INBOX];
			uint32_t split = trial.rate[UROCE_WAY_SPLIT];

			(void)stream(1, 16, batches[i]);
			assert_true(inbox == 0 || inbox == BYTES / INBOX_US);
			assert_true(split == 0 || split == BYTES);
		}
		assert_rates(BYTES / INBOX_US, BYTES);
	}
}

/* No two of its batches are all split: it never hears what that would do. */
static void who_always_has_both_keeps_the_simple_one(void **state)
{
	us[UROCE_WAY_SPLIT] = 1;
	(void)stream(152, 40, 40);
	assert_rates(0, 0);
	/* but for the rows from 256, 512, 1024 and 2048 on */
	assert_int_equal(stream(3000 - 152, 40, 40), 4 * ROW);
	assert_rates(BYTES / INBOX_US, 0);
}

/* Begin three, and end the second one @gap_ns after the first one. */
static void end_two(uint64_t gap_ns)
{
	setup(NULL);
	send();
	for (int i = 0; i < 3; i++)
		(void)begin();
	end_some(1);
	now += gap_ns;
	uroce_trial_end(&trial, QPN, ended++, BYTES, now);
	end_some(1);
}

static void what_ends_within_two_us_ends_together(void **state)
{
	const uint32_t alone = BYTES / INBOX_US;
	const uint64_t gap = 2001;

	end_two(2000);
	assert_rates((uint32_t)(2ull * BYTES * NS / (INBOX_US * NS + 2000)), 0);
	/* the second one is very fast then */
	end_two(gap);
	assert_rates((uint32_t)((alone + (uint64_t)BYTES * NS / gap) / 2), 0);
}

/* Between messages the application does something else. */
static void time_without_messages_does_not_count(void **state)
{
	for (uint32_t i = 0; i < 100; i++) {
		now += 7 * S;
		(void)send();
	}
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

static void of_more_than_64_the_oldest_are_forgotten(void **state)
{
	struct uroce_trial before;

	(void)send_some(50);
	for (uint32_t i = 0; i < 100; i++)
		(void)begin();
	before = trial;
	end_some(100 - UROCE_TRIAL_MESSAGES);
	assert_memory_equal(&trial, &before, sizeof(trial));
	end_some(1);
	assert_memory_not_equal(&trial, &before, sizeof(trial));
	/* and nothing is left of them */
	end_some(UROCE_TRIAL_MESSAGES - 1);
	for (uint32_t i = 0; i < UROCE_TRIAL_MESSAGES; i++)
		assert_true(trial.message[i].begun_ns == 0);
	send_until(512);
	assert_all(UROCE_WAY_INBOX, ROW);
	assert_all(UROCE_WAY_SPLIT, EVERY - begun);
}

/* Then all are forgotten before they end, and nothing is known. */
static void always_more_than_64_learn_nothing(void **state)
{
	(void)stream(3000, UROCE_TRIAL_MESSAGES + 1, 1);
	assert_rates(0, 0);
	assert_int_equal(stream(EVERY - 72 - 24, UROCE_TRIAL_MESSAGES + 1, 1),
			 ROW);
}

static void what_has_not_begun_does_not_end(void **state)
{
	struct uroce_trial before = trial;

	uroce_trial_end(&trial, 0, 0, BYTES, now);
	uroce_trial_end(&trial, QPN, 0, BYTES, now);
	assert_memory_equal(&trial, &before, sizeof(trial));
	(void)send_some(10);
	(void)begin();
	now += S;
	before = trial;
	uroce_trial_end(&trial, QPN + 1, ended, BYTES, now);
	uroce_trial_end(&trial, QPN, ended + 1, BYTES, now);
	uroce_trial_end(&trial, QPN, ended - 1, BYTES, now);
	assert_memory_equal(&trial, &before, sizeof(trial));
	/* nor twice */
	end_some(1);
	before = trial;
	uroce_trial_end(&trial, QPN, ended - 1, BYTES, now);
	assert_memory_equal(&trial, &before, sizeof(trial));
}

/* Two QPs, with the same PSNs, that take turns. */
static void qps_are_told_apart(void **state)
{
	for (uint32_t i = 0; i < 200; i++) {
		enum uroce_way way[2];

		for (uint32_t qp = 0; qp < 2; qp++)
			way[qp] = uroce_trial_begin(&trial, QPN + qp, i, now);
		for (uint32_t qp = 2; qp-- > 0;) {
			now += (uint64_t)us[way[qp]] * NS;
			uroce_trial_end(&trial, QPN + qp, i, BYTES, now);
		}
	}
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

static void of_one_that_has_failed_nothing_is_learned(void **state)
{
	send_until(100);
	for (uint32_t i = 0; i < 10; i++) {
		(void)begin();
		now += S;
		ended++;
		(void)send();
	}
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

/* Of a QP that was reset, and begins with the same PSN as before. */
static void a_name_can_come_again(void **state)
{
	send_until(50);
	(void)begin();
	now += S;
	begun--;
	for (uint32_t i = 0; i < 5; i++) {
		(void)send();
		assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
	}
}

static void no_time_at_all_teaches_nothing(void **state)
{
	us[UROCE_WAY_INBOX] = us[UROCE_WAY_SPLIT] = 0;
	send_until(300);
	assert_rates(0, 0);
	us[UROCE_WAY_INBOX] = INBOX_US;
	us[UROCE_WAY_SPLIT] = SPLIT_US;
	send_until(1100);
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

static void the_number_of_messages_may_wrap(void **state)
{
	send_until(600);
	trial.nr = UINT32_MAX - 99;
	assert_all(UROCE_WAY_SPLIT, 100);
	/* it goes on as if it was somewhere in the middle */
	assert_all(UROCE_WAY_INBOX, ROW);
	assert_all(UROCE_WAY_SPLIT, EVERY - ROW);
	assert_all(UROCE_WAY_INBOX, ROW);
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

/* None of those on the way then is lost. */
static void it_may_wrap_with_many_on_the_way(void **state)
{
	(void)stream(600, UROCE_TRIAL_MESSAGES, 1);
	end_some(begun - ended);
	trial.nr = UINT32_MAX - 31;
	(void)stream(UROCE_TRIAL_MESSAGES, UROCE_TRIAL_MESSAGES, 1);
	for (uint32_t i = 0; i < UROCE_TRIAL_MESSAGES; i++)
		assert_true(trial.message[i].begun_ns != 0);
	end_some(UROCE_TRIAL_MESSAGES);
	for (uint32_t i = 0; i < UROCE_TRIAL_MESSAGES; i++)
		assert_true(trial.message[i].begun_ns == 0);
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

/* A message of @bytes, in so many ns. */
static void send_in(uint32_t bytes, uint64_t ns)
{
	(void)begin();
	now += ns;
	uroce_trial_end(&trial, QPN, ended++, bytes, now);
}

/* Nothing wraps, however fast it is. */
static void the_fastest_has_the_highest_rate(void **state)
{
	for (uint32_t i = 0; i < 20; i++) {
		now += S;
		send_in(UINT32_MAX, 1);
	}
	assert_rates(UINT32_MAX, 0);
	/* and from there it comes down again */
	for (uint32_t i = 0; i < 4 * EVERY; i++)
		(void)send();
	assert_rates(BYTES / INBOX_US, BYTES / SPLIT_US);
}

/* Less than a byte in a us is as if it were not known. */
static void the_slowest_has_none(void **state)
{
	for (uint32_t i = 0; i < 10; i++)
		send_in(1000, 10 * S);
	assert_rates(0, 0);
	(void)send_some(2);
	assert_rates(BYTES / INBOX_US, 0);
	/* it may go down to that as well */
	setup(NULL);
	for (uint32_t i = 0; i < 300; i++)
		send_in(i < 100 ? BYTES : 0, 10 * S);
	assert_int_equal(trial.rate[UROCE_WAY_INBOX], 0);
	send_until(2 * EVERY);
	assert_all(UROCE_WAY_INBOX, ROW);
	assert_all(UROCE_WAY_SPLIT, EVERY - ROW);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_two_rows_try_both),
		TEST(the_faster_one_is_used_then),
		TEST(the_slower_one_is_tried_again_in_rows),
		TEST(cold_first_messages_do_not_decide_for_ever),
		TEST(the_first_one_of_a_row_does_not_count),
		TEST(what_becomes_slower_is_left),
		TEST(what_becomes_faster_takes_over),
		TEST(slow_ones_count_less),
		TEST(one_that_is_very_slow_counts_as_half),
		TEST(a_few_very_slow_ones_change_nothing),
		TEST(with_many_on_the_way_the_same_is_learned),
		TEST(with_many_on_the_way_it_changes_as_well),
		TEST(before_the_first_one_ends_nothing_is_known),
		TEST(one_ack_can_end_several),
		TEST(a_batch_of_both_ways_teaches_nothing),
		TEST(who_always_has_both_keeps_the_simple_one),
		TEST(what_ends_within_two_us_ends_together),
		TEST(time_without_messages_does_not_count),
		TEST(of_more_than_64_the_oldest_are_forgotten),
		TEST(always_more_than_64_learn_nothing),
		TEST(what_has_not_begun_does_not_end),
		TEST(qps_are_told_apart),
		TEST(of_one_that_has_failed_nothing_is_learned),
		TEST(a_name_can_come_again),
		TEST(no_time_at_all_teaches_nothing),
		TEST(the_number_of_messages_may_wrap),
		TEST(it_may_wrap_with_many_on_the_way),
		TEST(the_fastest_has_the_highest_rate),
		TEST(the_slowest_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
