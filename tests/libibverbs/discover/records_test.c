/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names, node types and the array of records. */
#include "discover/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool takes(const char *text, size_t len)
{
	char name[VERBS_DEVICE_NAME_LEN] = "untouched";

	if (!verbs_record_name(text, len, name)) {
		assert_string_equal(name, "untouched");
		return false;
	}
	assert_memory_equal(name, text, len);
	for (size_t i = len; i < sizeof(name); i++)
		assert_int_equal(name[i], 0);
	return true;
}

static void name_is_taken_when_it_can_be_part_of_a_path(void **state)
{
	assert_true(takes("rxe0", 4));
	assert_true(takes("x", 1));
	assert_true(takes("...", 3));
	assert_true(takes(".hidden", 7));
	assert_true(takes("mlx5_0\n", 7)); /* odd, but harmless */
}

static void name_that_would_leave_its_folder_is_refused(void **state)
{
	assert_false(takes("", 0));
	assert_false(takes(".", 1));
	assert_false(takes("..", 2));
	assert_false(takes("/", 1));
	assert_false(takes("a/b", 3));
	assert_false(takes("../x", 4));
	assert_false(takes("rxe/", 4));
}

static void name_with_a_nul_is_refused(void **state)
{
	assert_false(takes("a\0b", 3));
	assert_false(takes("a\0", 2));
}

static void name_has_to_leave_room_for_its_nul(void **state)
{
	char text[VERBS_DEVICE_NAME_LEN + 1];

	memset(text, 'x', sizeof(text));
	assert_true(takes(text, VERBS_DEVICE_NAME_LEN - 1));
	assert_false(takes(text, VERBS_DEVICE_NAME_LEN));
	assert_false(takes(text, VERBS_DEVICE_NAME_LEN + 1));
}

static void node_types_of_the_kernel_are_the_public_ones(void **state)
{
	assert_int_equal(verbs_record_node_type(1), IBV_NODE_CA);
	assert_int_equal(verbs_record_node_type(2), IBV_NODE_SWITCH);
	assert_int_equal(verbs_record_node_type(3), IBV_NODE_ROUTER);
	assert_int_equal(verbs_record_node_type(4), IBV_NODE_RNIC);
	assert_int_equal(verbs_record_node_type(5), IBV_NODE_USNIC);
	assert_int_equal(verbs_record_node_type(6), IBV_NODE_USNIC_UDP);
	assert_int_equal(verbs_record_node_type(7), IBV_NODE_UNSPECIFIED);
}

static void other_node_types_are_unknown(void **state)
{
	assert_int_equal(verbs_record_node_type(0), IBV_NODE_UNKNOWN);
	assert_int_equal(verbs_record_node_type(8), IBV_NODE_UNKNOWN);
	assert_int_equal(verbs_record_node_type(255), IBV_NODE_UNKNOWN);
	assert_int_equal(verbs_record_node_type(UINT32_MAX), IBV_NODE_UNKNOWN);
}

static void records_grow_and_keep_their_order(void **state)
{
	struct verbs_device_records records = {};

	for (int i = 0; i < 1000; i++) {
		struct verbs_kernel_device device = { .ibdev_index = i };

		assert_int_equal(verbs_records_add(&records, &device), 0);
	}
	assert_int_equal(records.count, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(records.devices[i].ibdev_index, i);
	verbs_device_records_free(&records);
	assert_null(records.devices);
	assert_int_equal(records.count, 0);
	verbs_device_records_free(&records); /* of an empty array */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_is_taken_when_it_can_be_part_of_a_path),
		cmocka_unit_test(name_that_would_leave_its_folder_is_refused),
		cmocka_unit_test(name_with_a_nul_is_refused),
		cmocka_unit_test(name_has_to_leave_room_for_its_nul),
		cmocka_unit_test(node_types_of_the_kernel_are_the_public_ones),
		cmocka_unit_test(other_node_types_are_unknown),
		cmocka_unit_test(records_grow_and_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
