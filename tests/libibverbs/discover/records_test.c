/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names, node types and the array of records. */
#include "discover/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool name_accepted(const char *text, size_t len)
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

static void record_name_valid_in_path_is_accepted(void **state)
{
	assert_true(name_accepted("rxe0", 4));
	assert_true(name_accepted("x", 1));
	assert_true(name_accepted("...", 3));
	assert_true(name_accepted(".hidden", 7));
	assert_true(name_accepted("mlx5_0\n",
				  7)); /* unusual, but valid in a path */
}

static void record_name_that_leaves_directory_is_refused(void **state)
{
	assert_false(name_accepted("", 0));
	assert_false(name_accepted(".", 1));
	assert_false(name_accepted("..", 2));
	assert_false(name_accepted("/", 1));
	assert_false(name_accepted("a/b", 3));
	assert_false(name_accepted("../x", 4));
	assert_false(name_accepted("rxe/", 4));
}

static void record_name_with_nul_is_refused(void **state)
{
	assert_false(name_accepted("a\0b", 3));
	assert_false(name_accepted("a\0", 2));
}

static void record_name_must_leave_room_for_nul(void **state)
{
	char text[VERBS_DEVICE_NAME_LEN + 1];

	memset(text, 'x', sizeof(text));
	assert_true(name_accepted(text, VERBS_DEVICE_NAME_LEN - 1));
	assert_false(name_accepted(text, VERBS_DEVICE_NAME_LEN));
	assert_false(name_accepted(text, VERBS_DEVICE_NAME_LEN + 1));
}

static void record_node_types_of_kernel_equal_public_values(void **state)
{
	assert_int_equal(verbs_record_node_type(1), IBV_NODE_CA);
	assert_int_equal(verbs_record_node_type(2), IBV_NODE_SWITCH);
	assert_int_equal(verbs_record_node_type(3), IBV_NODE_ROUTER);
	assert_int_equal(verbs_record_node_type(4), IBV_NODE_RNIC);
	assert_int_equal(verbs_record_node_type(5), IBV_NODE_USNIC);
	assert_int_equal(verbs_record_node_type(6), IBV_NODE_USNIC_UDP);
	assert_int_equal(verbs_record_node_type(7), IBV_NODE_UNSPECIFIED);
}

static void record_node_type_undefined_is_unknown(void **state)
{
	assert_int_equal(verbs_record_node_type(0), IBV_NODE_UNKNOWN);
	assert_int_equal(verbs_record_node_type(8), IBV_NODE_UNKNOWN);
	assert_int_equal(verbs_record_node_type(255), IBV_NODE_UNKNOWN);
	assert_int_equal(verbs_record_node_type(UINT32_MAX), IBV_NODE_UNKNOWN);
}

static void records_add_keeps_order(void **state)
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
	verbs_device_records_free(&records); /* empty array */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_name_valid_in_path_is_accepted),
		cmocka_unit_test(record_name_that_leaves_directory_is_refused),
		cmocka_unit_test(record_name_with_nul_is_refused),
		cmocka_unit_test(record_name_must_leave_room_for_nul),
		cmocka_unit_test(
			record_node_types_of_kernel_equal_public_values),
		cmocka_unit_test(record_node_type_undefined_is_unknown),
		cmocka_unit_test(records_add_keeps_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
