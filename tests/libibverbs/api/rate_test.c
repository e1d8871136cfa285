/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares conversions of rates with those of releases, and converts each rate
 * in both directions.
 */
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "strings_tsv.h"

#define LAST_RATE IBV_RATE_1200_GBPS

static int parse_result(const struct strings_tsv_row *row)
{
	return (int)strtol(row->result, NULL, 10);
}

static void check_rate_to_mult(const struct strings_tsv_row *row)
{
	assert_int_equal(ibv_rate_to_mult((enum ibv_rate)row->argument),
			 parse_result(row));
}

static void check_rate_to_mbps(const struct strings_tsv_row *row)
{
	assert_int_equal(ibv_rate_to_mbps((enum ibv_rate)row->argument),
			 parse_result(row));
}

static void check_mult_to_rate(const struct strings_tsv_row *row)
{
	assert_int_equal(mult_to_ibv_rate(row->argument), parse_result(row));
}

static void check_mbps_to_rate(const struct strings_tsv_row *row)
{
	assert_int_equal(mbps_to_ibv_rate(row->argument), parse_result(row));
}

/* The number of rows shows that no row was skipped. */
static void rate_to_mult_matches_observed_releases(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_rate_to_mult", check_rate_to_mult),
		28);
}

static void rate_to_mbps_matches_observed_releases(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_rate_to_mbps", check_rate_to_mbps),
		28);
}

static void mult_to_rate_matches_observed_releases(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("mult_to_ibv_rate", check_mult_to_rate),
		18);
}

static void mbps_to_rate_matches_observed_releases(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("mbps_to_ibv_rate", check_mbps_to_rate),
		25);
}

static void rate_converted_and_back_is_unchanged(void **state)
{
	for (int i = 0; i <= LAST_RATE; i++) {
		int mult = ibv_rate_to_mult((enum ibv_rate)i);
		int mbps = ibv_rate_to_mbps((enum ibv_rate)i);

		if (mult != -1)
			assert_int_equal(mult_to_ibv_rate(mult), i);
		if (mbps != -1)
			assert_int_equal(mbps_to_ibv_rate(mbps), i);
	}
}

static void rate_of_minus_1_is_rate_max(void **state)
{
	assert_int_equal(mult_to_ibv_rate(-1), IBV_RATE_MAX);
	assert_int_equal(mbps_to_ibv_rate(-1), IBV_RATE_MAX);
}

static void rate_out_of_range_converts_to_minus_1(void **state)
{
	assert_int_equal(ibv_rate_to_mult((enum ibv_rate)INT32_MIN), -1);
	assert_int_equal(ibv_rate_to_mbps((enum ibv_rate)INT32_MAX), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_to_mult_matches_observed_releases),
		cmocka_unit_test(rate_to_mbps_matches_observed_releases),
		cmocka_unit_test(mult_to_rate_matches_observed_releases),
		cmocka_unit_test(mbps_to_rate_matches_observed_releases),
		cmocka_unit_test(rate_converted_and_back_is_unchanged),
		cmocka_unit_test(rate_of_minus_1_is_rate_max),
		cmocka_unit_test(rate_out_of_range_converts_to_minus_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
