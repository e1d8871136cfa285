/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of verbs_device_node_guid() in libibverbs/core/device_object.c, which
 * reads the GUID on demand, on a sysfs tree that the tests create. Each test
 * runs in its own process.
 */
#include <stdlib.h>
#include <string.h>

#include "libibverbs/core/list_fixture.h"
#include "libibverbs/core/own_process.h"
#include "support/fake_discover.h"
#include "support/fake_sysfs.h"

#define GUID_FILE "sys/class/infiniband/fake0/node_guid"

static struct fake_sysfs sysfs;

static int guid_sysfs_setup(void **state)
{
	fake_sysfs_init(&sysfs);
	assert_int_equal(setenv("SYSFS_PATH", sysfs.sysfs, 1), 0);
	return 0;
}

static int guid_sysfs_teardown(void **state)
{
	fake_sysfs_fini(&sysfs);
	return 0;
}

/* Lists fake0, whose record from netlink has no GUID. */
static struct list list_without_guid(void)
{
	struct verbs_kernel_device record = fake_discover_record(0);

	list_start();
	record.has_node_guid = false;
	record.node_guid = 0;
	fake_discover_add(&record);
	return list_get();
}

static uint64_t node_guid_of_text(const struct list *list)
{
	return be64toh(verbs_device_node_guid(verbs_device_of(list->array[0])));
}

static void assert_guid_of_file(const char *text, uint64_t guid)
{
	struct list list;

	fake_sysfs_write(&sysfs, GUID_FILE, text);
	list = list_without_guid();
	assert_int_equal(node_guid_of_text(&list), guid);
	list_put(&list);
}

static void node_guid_from_netlink_reads_no_file(void **state)
{
	struct list list;

	list_start();
	list_appear(0, 0);
	fake_sysfs_write(&sysfs, GUID_FILE, "0002:c903:00aa:bbcc\n");
	list = list_get();
	assert_int_equal(node_guid_of_text(&list), 1);
	list_put(&list);
}

static void node_guid_is_read_from_sysfs_folder(void **state)
{
	assert_guid_of_file("0002:c903:00aa:bbcc\n",
			    UINT64_C(0x0002c90300aabbcc));
}

static void node_guid_without_newline_is_parsed(void **state)
{
	assert_guid_of_file("0002:c903:00aa:bbcc",
			    UINT64_C(0x0002c90300aabbcc));
}

static void node_guid_parses_all_bits(void **state)
{
	assert_guid_of_file("ffff:ffff:ffff:ffff\n", UINT64_MAX);
}

static void node_guid_is_not_read_before_query(void **state)
{
	struct list list = list_without_guid();

	fake_sysfs_write(&sysfs, GUID_FILE, "0000:0000:0000:0007\n");
	assert_int_equal(node_guid_of_text(&list), 7);
	list_put(&list);
}

static void node_guid_is_read_once(void **state)
{
	struct list list = list_without_guid();

	fake_sysfs_write(&sysfs, GUID_FILE, "0000:0000:0000:0007\n");
	assert_int_equal(node_guid_of_text(&list), 7);
	fake_sysfs_write(&sysfs, GUID_FILE, "0000:0000:0000:0008\n");
	assert_int_equal(node_guid_of_text(&list), 7);
	list_put(&list);
}

static void node_guid_failed_read_is_retried(void **state)
{
	struct list list = list_without_guid();

	assert_int_equal(node_guid_of_text(&list), 0);
	fake_sysfs_write(&sysfs, GUID_FILE, "0000:0000:0000:0008\n");
	assert_int_equal(node_guid_of_text(&list), 8);
	list_put(&list);
}

static void node_guid_missing_file_is_zero(void **state)
{
	struct list list = list_without_guid();

	assert_int_equal(node_guid_of_text(&list), 0);
	list_put(&list);
}

static void node_guid_empty_file_is_zero(void **state)
{
	assert_guid_of_file("", 0);
}

static void node_guid_three_groups_are_rejected(void **state)
{
	assert_guid_of_file("0002:c903:00aa\n", 0);
}

static void node_guid_five_groups_are_rejected(void **state)
{
	assert_guid_of_file("0002:c903:00aa:bbcc:ddee\n", 0);
}

static void node_guid_trailing_text_is_rejected(void **state)
{
	assert_guid_of_file("0002:c903:00aa:bbcc x\n", 0);
}

static void node_guid_five_digit_group_is_rejected(void **state)
{
	assert_guid_of_file("0002:c903:00aa:bbccd\n", 0);
}

static void node_guid_invalid_digits_are_rejected(void **state)
{
	assert_guid_of_file("0002:c903:00aa:bbxx\n", 0);
}

static void node_guid_sign_is_rejected(void **state)
{
	assert_guid_of_file("0002:c903:00aa:-1\n", 0);
}

static void node_guid_blanks_are_rejected(void **state)
{
	assert_guid_of_file("0002: c903:00aa:bbcc\n", 0);
}

static void node_guid_hex_prefix_is_rejected(void **state)
{
	assert_guid_of_file("0x02:c903:00aa:bbcc\n", 0);
}

static void node_guid_overlong_file_is_rejected(void **state)
{
	char text[4096];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_guid_of_file(text, 0);
}

#define TEST(name)                                              \
	cmocka_unit_test_setup_teardown(name, guid_sysfs_setup, \
					guid_sysfs_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(node_guid_from_netlink_reads_no_file),
		TEST(node_guid_is_read_from_sysfs_folder),
		TEST(node_guid_without_newline_is_parsed),
		TEST(node_guid_parses_all_bits),
		TEST(node_guid_is_not_read_before_query),
		TEST(node_guid_is_read_once),
		TEST(node_guid_failed_read_is_retried),
		TEST(node_guid_missing_file_is_zero),
		TEST(node_guid_empty_file_is_zero),
		TEST(node_guid_three_groups_are_rejected),
		TEST(node_guid_five_groups_are_rejected),
		TEST(node_guid_trailing_text_is_rejected),
		TEST(node_guid_five_digit_group_is_rejected),
		TEST(node_guid_invalid_digits_are_rejected),
		TEST(node_guid_sign_is_rejected),
		TEST(node_guid_blanks_are_rejected),
		TEST(node_guid_hex_prefix_is_rejected),
		TEST(node_guid_overlong_file_is_rejected),
	};

	return own_process_run_group_tests(tests);
}
