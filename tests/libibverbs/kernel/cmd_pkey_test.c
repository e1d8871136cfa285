/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The P_Key table, which is read from sysfs. */
#include "libibverbs/kernel/sysfs_tree.h"

#include <errno.h>
#include <string.h>

#define UNTOUCHED 0x5a5a

static int run_query(struct kernel_test *t, int index, __be16 *ret_pkey)
{
	*ret_pkey = UNTOUCHED;
	return verbs_cmd_query_pkey(t->ctx, 2, index, ret_pkey);
}

static void query_pkey_returns_big_endian(void **state)
{
	struct kernel_test *t = *state;
	const uint8_t bytes[2] = { 0x81, 0x23 };
	__be16 pkey;

	sysfs_tree_write("ports/2/pkeys/3", "0x8123\n");
	assert_int_equal(run_query(t, 3, &pkey), 0);
	assert_memory_equal(&pkey, bytes, 2);
}

static void query_pkey_empty_entry_is_0(void **state)
{
	struct kernel_test *t = *state;
	__be16 pkey;

	sysfs_tree_write("ports/2/pkeys/0", "0x0000\n");
	assert_int_equal(run_query(t, 0, &pkey), 0);
	assert_int_equal(pkey, 0);
}

static void query_pkey_index_past_table_returns_enoent(void **state)
{
	struct kernel_test *t = *state;
	__be16 pkey;

	sysfs_tree_write("ports/2/pkeys/0", "0xffff\n");
	assert_int_equal(run_query(t, 1, &pkey), -ENOENT);
	assert_int_equal(run_query(t, -1, &pkey), -EINVAL);
	assert_int_equal(pkey, UNTOUCHED);
}

static void query_pkey_malformed_text_returns_eproto(void **state)
{
	static const char *const texts[] = { "",	"0x",	   "ffff",
					     "0xfffff", "0x12g4",  "0x-1",
					     "0x 1",	"0X1234",  " 0x1234",
					     "0x1234 ", "0x12\n34" };
	struct kernel_test *t = *state;
	__be16 pkey;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		sysfs_tree_write("ports/2/pkeys/0", texts[i]);
		assert_int_equal(run_query(t, 0, &pkey), -EPROTO);
		assert_int_equal(pkey, UNTOUCHED);
	}
}

static void query_pkey_text_with_nul_returns_eproto(void **state)
{
	struct kernel_test *t = *state;
	__be16 pkey;

	sysfs_tree_write_bytes("ports/2/pkeys/0", "0x1234\0\n", 8);
	assert_int_equal(run_query(t, 0, &pkey), -EPROTO);
}

static void query_pkey_oversized_text_returns_eoverflow(void **state)
{
	struct kernel_test *t = *state;
	char text[5000];
	__be16 pkey;

	memset(text, '0', sizeof(text));
	sysfs_tree_write_bytes("ports/2/pkeys/0", text, sizeof(text));
	assert_int_equal(run_query(t, 0, &pkey), -EOVERFLOW);
}

static void query_pkey_device_without_sysfs_path_returns_enodev(void **state)
{
	struct kernel_test *t = *state;
	__be16 pkey;

	assert_int_equal(run_query(t, 0, &pkey), -ENODEV);
}

static void query_pkey_unterminated_sysfs_path_is_bounded(void **state)
{
	struct kernel_test *t = *state;
	__be16 pkey;

	memset(t->device.ibdev_path, 'x', sizeof(t->device.ibdev_path));
	assert_int_equal(run_query(t, 0, &pkey), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SYSFS_TEST(query_pkey_returns_big_endian),
		SYSFS_TEST(query_pkey_empty_entry_is_0),
		SYSFS_TEST(query_pkey_index_past_table_returns_enoent),
		SYSFS_TEST(query_pkey_malformed_text_returns_eproto),
		SYSFS_TEST(query_pkey_text_with_nul_returns_eproto),
		SYSFS_TEST(query_pkey_oversized_text_returns_eoverflow),
		KERNEL_TEST(
			query_pkey_device_without_sysfs_path_returns_enodev),
		KERNEL_TEST(query_pkey_unterminated_sysfs_path_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
