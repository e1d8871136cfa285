/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares the texts of enum values with those that releases return. */
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "strings_tsv.h"

static void check_node_type_str(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_node_type_str((enum ibv_node_type)row->argument),
		row->result);
}

static void check_port_state_str(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_port_state_str((enum ibv_port_state)row->argument),
		row->result);
}

static void check_event_type_str(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_event_type_str((enum ibv_event_type)row->argument),
		row->result);
}

static void check_wc_status_str(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_wc_status_str((enum ibv_wc_status)row->argument),
		row->result);
}

/*
 * The only difference: where the observed releases return NULL, this library
 * returns "unknown".
 */
static void check_wr_opcode_str(const struct strings_tsv_row *row)
{
	const char *expected = row->result;

	if (strcmp(expected, "(NULL pointer)") == 0)
		expected = "unknown";
	assert_string_equal(
		ibv_wr_opcode_str((enum ibv_wr_opcode)row->argument), expected);
}

/* The number of rows shows that no row was skipped. */
static void node_type_str_matches_observed_releases(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_node_type_str", check_node_type_str),
		12);
}

static void port_state_str_matches_observed_releases(void **state)
{
	assert_int_equal(strings_tsv_for_each("ibv_port_state_str",
					      check_port_state_str),
			 9);
}

static void event_type_str_matches_observed_releases(void **state)
{
	assert_int_equal(strings_tsv_for_each("ibv_event_type_str",
					      check_event_type_str),
			 24);
}

static void wc_status_str_matches_observed_releases(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_wc_status_str", check_wc_status_str),
		27);
}

static void wr_opcode_str_matches_observed_releases_except_null(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_wr_opcode_str", check_wr_opcode_str),
		19);
}

static void wc_status_str_out_of_range_returns_unknown(void **state)
{
	assert_string_equal(ibv_wc_status_str((enum ibv_wc_status)INT32_MAX),
			    "unknown");
	assert_string_equal(ibv_wc_status_str((enum ibv_wc_status)INT32_MIN),
			    "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_type_str_matches_observed_releases),
		cmocka_unit_test(port_state_str_matches_observed_releases),
		cmocka_unit_test(event_type_str_matches_observed_releases),
		cmocka_unit_test(wc_status_str_matches_observed_releases),
		cmocka_unit_test(
			wr_opcode_str_matches_observed_releases_except_null),
		cmocka_unit_test(wc_status_str_out_of_range_returns_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
