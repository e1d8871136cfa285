/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which IP identifications are accepted, with a clock of the test. */
#include "uroce/wire/uroce_ip_id.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NR_IDS	     65536u
#define MAX_ACCEPTED 256u /* 24 of 32 bits */

struct fixture {
	struct uroce_ip_id_latest latest;
	struct uroce_ip_id_table *table;
	struct uroce_ip_id_source *source;
};

static uint64_t now_ms;

static uint64_t clock_of_test(void)
{
	return now_ms;
}

static struct uroce_path path_from(uint8_t host)
{
	return (struct uroce_path){
		.sgid = { [10] = 0xff, 0xff, 192, 0, 2, host },
		.dgid = { [10] = 0xff, 0xff, 198, 51, 100, 7 },
	};
}

static int setup(void **state)
{
	struct uroce_path path = path_from(1);
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	now_ms = 1000000;
	f->table = uroce_ip_id_new_table(clock_of_test, &f->latest);
	assert_non_null(f->table);
	f->source = uroce_ip_id_find(f->table, &path);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	free(f->table);
	free(f);
	return 0;
}

/* A packet that comes after all others were checked. */
static int check(struct fixture *f, uint32_t ip_id)
{
	uroce_ip_id_note_empty(f->table);
	return uroce_ip_id_check(f->source, (uint16_t)ip_id, true);
}

/* How many identifications the source may use now, with and without DF. */
static uint32_t count_accepted(struct fixture *f)
{
	const struct uroce_ip_id_latest latest = f->latest;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < 2 * NR_IDS; i++) {
		struct uroce_ip_id_source copy = *f->source;

		f->latest = latest;
		nr += uroce_ip_id_check(&copy, (uint16_t)i, i < NR_IDS) == 0;
	}
	f->latest = latest;
	return nr;
}

static void ip_id_unknown_source_learns_from_first_packet(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(count_accepted(f), 2 * NR_IDS);
	assert_int_equal(check(f, 0x4000), 0);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
	assert_int_equal(uroce_ip_id_check(f->source, 0x4001, false), -EBADMSG);
	assert_int_equal(uroce_ip_id_expected(f->source), 0x4001);
}

static void ip_id_segments_stay_strict_after_pause(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(check(f, i), 0);
	now_ms += 3600000;
	assert_in_range(count_accepted(f), 64, MAX_ACCEPTED);
	assert_int_equal(uroce_ip_id_expected(f->source), 0);
}

static void ip_id_counter_wraps_through_segments(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = NR_IDS - 200; i < NR_IDS + 400; i += 2)
		assert_int_equal(check(f, i), 0);
	assert_int_equal(uroce_ip_id_table_counters(f->table)->refused, 0);
}

/* The kernel adds up to a clock tick, 1 ms or more, to the counter. */
static void ip_id_pause_permits_larger_steps(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(check(f, 0x4000), 0);
	assert_int_equal(check(f, 0x4000 + 1200), -EBADMSG);
	now_ms += 1100;
	assert_int_equal(check(f, 0x4000 + 1100), 0);
	now_ms += 100000;
	assert_int_equal(check(f, 0x3000), 0);
}

/* The receiver was late: packets were sent long before, and long after. */
static void ip_id_backlog_permits_larger_steps(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(check(f, 0x4000), 0);
	now_ms += 2000;
	for (uint32_t i = 1; i <= 4; i++)
		assert_int_equal(uroce_ip_id_check(f->source,
						   (uint16_t)(0x4000 + 500 * i),
						   true),
				 0);
	assert_int_equal(check(f, 0x4000 + 2001), 0);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
}

static void ip_id_wrong_packet_after_pause_keeps_steps_small(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(check(f, 0x4000), 0);
	now_ms += 60000;
	uroce_ip_id_note_bad(f->source);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
	/* the counter has advanced: one packet is lost */
	assert_int_equal(check(f, 0x6000), -EBADMSG);
	now_ms += 1000;
	assert_int_equal(check(f, 0x6300), 0);
	assert_int_equal(check(f, 0x6301), 0);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
}

static void ip_id_restart_loses_single_packet(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(check(f, 0x4000), 0);
	assert_int_equal(check(f, 0x8000), -EBADMSG);
	assert_int_equal(uroce_ip_id_table_counters(f->table)->refused, 1);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
	assert_int_equal(check(f, 0x8001), 0);
	assert_int_equal(check(f, 0x4001), -EBADMSG);
}

/* Two sockets of a process: the counter advances by the packets of both. */
static void ip_id_second_table_follows_first(void **state)
{
	struct fixture *f = *state, second;
	struct uroce_path path = path_from(1);

	second.table = uroce_ip_id_new_table(clock_of_test, &f->latest);
	assert_non_null(second.table);
	second.source = uroce_ip_id_find(second.table, &path);
	assert_int_equal(check(f, 0x4000), 0);
	assert_int_equal(check(&second, 0x4001), 0);
	for (uint32_t i = 0x4002; i < 0x4800; i++)
		assert_int_equal(check(f, i), 0);
	assert_int_equal(check(&second, 0x4900), -EBADMSG);
	assert_int_equal(check(&second, 0x4800), 0);
	assert_int_equal(check(f, 0x4801), 0);
	/* the counter adds no values to a source that has none any more */
	assert_int_equal(check(f, 5), 0);
	now_ms += 3600000;
	assert_in_range(count_accepted(f), 64, MAX_ACCEPTED);
	assert_int_equal(check(f, 0x4802), -EBADMSG);
	free(second.table);
}

static void ip_id_source_without_order_is_accepted(void **state)
{
	const struct uroce_ip_id_counters *counters;
	struct fixture *f = *state;

	counters = uroce_ip_id_table_counters(f->table);
	assert_int_equal(check(f, 0x4000), 0);
	for (uint32_t i = 1; i < 100; i++)
		(void)check(f, 0x4000 + 7919 * i);
	assert_int_equal(counters->refused, 4);
	assert_int_equal(counters->unordered, 95);
	/* what may be damage begins it all anew */
	uroce_ip_id_note_bad(f->source);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
}

static void ip_id_source_in_order_again_is_strict(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 10; i++)
		(void)check(f, 0x4000 + 7919 * i);
	assert_int_equal(count_accepted(f), 2 * NR_IDS);
	for (uint32_t i = 0; i < 2 * NR_IDS; i++)
		assert_int_equal(check(f, 0x4000 + 7919 * 9 + i), 0);
	assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
}

static void ip_id_find_remembers_recent_sources(void **state)
{
	struct fixture *f = *state;
	struct uroce_path path;

	for (int round = 0; round < 2; round++) {
		for (uint8_t host = 1; host < 60; host++) {
			path = path_from(host);
			f->source = uroce_ip_id_find(f->table, &path);
			assert_int_equal(check(f, 0x1000u * host + round * 10),
					 0);
		}
	}
	for (uint8_t host = 1; host < 60; host++) {
		path = path_from(host);
		f->source = uroce_ip_id_find(f->table, &path);
		assert_in_range(count_accepted(f), 1, MAX_ACCEPTED);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ip_id_unknown_source_learns_from_first_packet),
		TEST(ip_id_segments_stay_strict_after_pause),
		TEST(ip_id_counter_wraps_through_segments),
		TEST(ip_id_pause_permits_larger_steps),
		TEST(ip_id_backlog_permits_larger_steps),
		TEST(ip_id_wrong_packet_after_pause_keeps_steps_small),
		TEST(ip_id_restart_loses_single_packet),
		TEST(ip_id_second_table_follows_first),
		TEST(ip_id_source_without_order_is_accepted),
		TEST(ip_id_source_in_order_again_is_strict),
		TEST(ip_id_find_remembers_recent_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
