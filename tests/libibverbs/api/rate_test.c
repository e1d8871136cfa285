/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates against what existing releases return, and the ways there and back. */
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "strings_tsv.h"

#define LAST_RATE IBV_RATE_1200_GBPS

static int result_of(const struct strings_tsv_row *row)
{
	return (int)strtol(row->result, NULL, 10);
}

static void check_to_mult(const struct strings_tsv_row *row)
{
	assert_int_equal(ibv_rate_to_mult((enum ibv_rate)row->argument),
			 result_of(row));
}

static void check_to_mbps(const struct strings_tsv_row *row)
{
	assert_int_equal(ibv_rate_to_mbps((enum ibv_rate)row->argument),
			 result_of(row));
}

static void check_from_mult(const struct strings_tsv_row *row)
{
	assert_int_equal(mult_to_ibv_rate(row->argument), result_of(row));
}

static void check_from_mbps(const struct strings_tsv_row *row)
{
	assert_int_equal(mbps_to_ibv_rate(row->argument), result_of(row));
}

/* The counts say that no row was passed over. */
static void rate_to_mult_is_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_rate_to_mult", check_to_mult), 28);
}

static void rate_to_mbps_is_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_rate_to_mbps", check_to_mbps), 28);
}

static void mult_to_rate_is_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("mult_to_ibv_rate", check_from_mult), 18);
}

static void mbps_to_rate_is_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("mbps_to_ibv_rate", check_from_mbps), 25);
}

static void there_and_back_is_the_same_rate(void **state)
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

static void a_missing_number_has_no_rate(void **state)
{
	assert_int_equal(mult_to_ibv_rate(-1), IBV_RATE_MAX);
	assert_int_equal(mbps_to_ibv_rate(-1), IBV_RATE_MAX);
}

static void far_away_codes_have_no_number(void **state)
{
	assert_int_equal(ibv_rate_to_mult((enum ibv_rate)INT32_MIN), -1);
	assert_int_equal(ibv_rate_to_mbps((enum ibv_rate)INT32_MAX), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_to_mult_is_as_observed),
		cmocka_unit_test(rate_to_mbps_is_as_observed),
		cmocka_unit_test(mult_to_rate_is_as_observed),
		cmocka_unit_test(mbps_to_rate_is_as_observed),
		cmocka_unit_test(there_and_back_is_the_same_rate),
		cmocka_unit_test(a_missing_number_has_no_rate),
		cmocka_unit_test(far_away_codes_have_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
