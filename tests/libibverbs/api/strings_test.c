/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts of the enums against what existing releases return. */
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "strings_tsv.h"

static void check_node_type(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_node_type_str((enum ibv_node_type)row->argument),
		row->result);
}

static void check_port_state(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_port_state_str((enum ibv_port_state)row->argument),
		row->result);
}

static void check_event_type(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_event_type_str((enum ibv_event_type)row->argument),
		row->result);
}

static void check_wc_status(const struct strings_tsv_row *row)
{
	assert_string_equal(
		ibv_wc_status_str((enum ibv_wc_status)row->argument),
		row->result);
}

/* The one difference: we never return NULL. */
static void check_wr_opcode(const struct strings_tsv_row *row)
{
	const char *expected = row->result;

	if (strcmp(expected, "(NULL pointer)") == 0)
		expected = "unknown";
	assert_string_equal(
		ibv_wr_opcode_str((enum ibv_wr_opcode)row->argument), expected);
}

/* The counts say that no row was passed over. */
static void node_types_are_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_node_type_str", check_node_type), 12);
}

static void port_states_are_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_port_state_str", check_port_state),
		9);
}

static void event_types_are_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_event_type_str", check_event_type),
		24);
}

static void wc_statuses_are_as_observed(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_wc_status_str", check_wc_status), 27);
}

static void wr_opcodes_are_as_observed_but_for_null(void **state)
{
	assert_int_equal(
		strings_tsv_for_each("ibv_wr_opcode_str", check_wr_opcode), 19);
}

static void far_away_values_are_unknown(void **state)
{
	assert_string_equal(ibv_wc_status_str((enum ibv_wc_status)INT32_MAX),
			    "unknown");
	assert_string_equal(ibv_wc_status_str((enum ibv_wc_status)INT32_MIN),
			    "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_types_are_as_observed),
		cmocka_unit_test(port_states_are_as_observed),
		cmocka_unit_test(event_types_are_as_observed),
		cmocka_unit_test(wc_statuses_are_as_observed),
		cmocka_unit_test(wr_opcodes_are_as_observed_but_for_null),
		cmocka_unit_test(far_away_values_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
