/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The GID table, by ioctl and from sysfs. */
#include "libibverbs/kernel/sysfs_tree.h"

#include <errno.h>
#include <net/if.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GID_A_TEXT "fe80:0000:0000:0000:0011:22ff:fe33:4455\n"
#define GID_B_TEXT "0000:0000:0000:0000:0000:ffff:0A00:0001\n"
#define ZERO_TEXT  "0000:0000:0000:0000:0000:0000:0000:0000\n"

static const union ibv_gid gid_a = {
	.raw = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x11, 0x22, 0xff, 0xfe,
		 0x33, 0x44, 0x55 },
};
static const union ibv_gid gid_b = {
	.raw = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1 },
};

static const struct ibv_gid_entry untouched = { .gid_index = 55 };

/* ------------------------------------------------------------------------ */
/* Expected commands                                                         */
/* ------------------------------------------------------------------------ */

static void expect_entry(uint64_t port, uint64_t index,
			 const struct ibv_gid_entry *expected, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_GID_ENTRY,
		FAKE_ATTRS(
			FAKE_U64_IN(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, port),
			FAKE_U64_IN(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX,
				    index),
			FAKE_U32_IN(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0),
			FAKE_BYTES_OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
				       32, expected)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_table(size_t room, const struct ibv_gid_entry *expected,
			 size_t nr, uint64_t count, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_GID_TABLE,
		FAKE_ATTRS(
			FAKE_U64_IN(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 32),
			FAKE_U32_IN(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0),
			{
				.id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
				.kind = FAKE_OUT_BYTES,
				.len = room * 32,
				.response_len = nr * 32,
				.bytes = expected,
			},
			FAKE_U64_OUT(
				UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
				count)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_port(uint8_t port_num, uint32_t gid_tbl_len,
			uint8_t link_layer, int err)
{
	const struct ib_uverbs_query_port in = { .port_num = port_num };
	const struct ib_uverbs_query_port_resp out = {
		.gid_tbl_len = gid_tbl_len,
		.link_layer = link_layer,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_PORT,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	fake_kernel_expect_write(&cmd);
}

static void expect_device(uint8_t nr_ports, int err)
{
	static const struct ib_uverbs_query_device in;
	const struct ib_uverbs_query_device_resp out = {
		.phys_port_cnt = nr_ports,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_DEVICE,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	fake_kernel_expect_write(&cmd);
}

/* ------------------------------------------------------------------------ */
/* One entry, by ioctl                                                       */
/* ------------------------------------------------------------------------ */

static const struct ibv_gid_entry kernel_entries[3] = {
	{ .gid_index = 0, .port_num = 1, .gid_type = 2, .ndev_ifindex = 4 },
	{ .gid_index = 3, .port_num = 1, .gid_type = 1, .ndev_ifindex = 4 },
	{ .gid_index = 0, .port_num = 2, .gid_type = 0, .ndev_ifindex = 0 },
};

static void query_gid_entry_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry expected = kernel_entries[1], entry = untouched;

	expected.gid = gid_a;
	expect_entry(1, 3, &expected, 0);
	assert_int_equal(verbs_cmd_query_gid_entry(t->ctx, 1, 3, &entry), 0);
	assert_memory_equal(&entry, &expected, sizeof(entry));
}

static void query_gid_entry_empty_returns_enodata(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry = untouched;

	expect_entry(1, 3, &kernel_entries[1], ENODATA);
	assert_int_equal(verbs_cmd_query_gid_entry(t->ctx, 1, 3, &entry),
			 -ENODATA);
	assert_memory_equal(&entry, &untouched, sizeof(entry));
}

static void query_gid_entry_error_does_not_read_sysfs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry = untouched;

	sysfs_tree_write("ports/1/gids/3", GID_A_TEXT);
	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_entry(1, 3, &kernel_entries[1], kernel_test_errors[i]);
		assert_int_equal(
			verbs_cmd_query_gid_entry(t->ctx, 1, 3, &entry),
			-kernel_test_errors[i]);
	}
	assert_memory_equal(&entry, &untouched, sizeof(entry));
}

/* ------------------------------------------------------------------------ */
/* One entry, from sysfs                                                     */
/* ------------------------------------------------------------------------ */

static void write_sysfs_entry(const char *gid, const char *type,
			      const char *ndev)
{
	sysfs_tree_write("ports/1/gids/3", gid);
	if (type)
		sysfs_tree_write("ports/1/gid_attrs/types/3", type);
	if (ndev)
		sysfs_tree_write("ports/1/gid_attrs/ndevs/3", ndev);
}

static int query_sysfs(struct kernel_test *t, struct ibv_gid_entry *entry)
{
	kernel_test_force(t, FORM_WRITE);
	*entry = untouched;
	return verbs_cmd_query_gid_entry(t->ctx, 1, 3, entry);
}

static void query_gid_entry_ioctl_refused_falls_back_to_sysfs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry = untouched;

	write_sysfs_entry(GID_A_TEXT, "RoCE v2\n", "lo\n");
	expect_entry(1, 3, &kernel_entries[1], EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_query_gid_entry(t->ctx, 1, 3, &entry), 0);
	assert_memory_equal(&entry.gid, &gid_a, sizeof(gid_a));
	assert_int_equal(entry.gid_index, 3);
	assert_int_equal(entry.port_num, 1);
	assert_int_equal(entry.gid_type, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(entry.ndev_ifindex, if_nametoindex("lo"));

	/* The method is not tried again. */
	assert_int_equal(verbs_cmd_query_gid_entry(t->ctx, 1, 3, &entry), 0);
	errno = TEST_ERRNO; /* if_nametoindex() above */
}

static void query_gid_entry_without_ioctl_falls_back_to_sysfs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry = untouched;

	write_sysfs_entry(GID_B_TEXT, "RoCE v2\n", NULL);
	expect_entry(1, 3, &kernel_entries[1], ENOTTY);
	assert_int_equal(verbs_cmd_query_gid_entry(t->ctx, 1, 3, &entry), 0);
	assert_memory_equal(&entry.gid, &gid_b, sizeof(gid_b));
	assert_int_equal(entry.ndev_ifindex, 0);
}

static void gid_sysfs_v1_type_follows_link_layer(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry(GID_A_TEXT, "IB/RoCE v1\n", NULL);
	expect_port(1, 8, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(query_sysfs(t, &entry), 0);
	assert_int_equal(entry.gid_type, IBV_GID_TYPE_ROCE_V1);
	expect_port(1, 8, IBV_LINK_LAYER_INFINIBAND, 0);
	assert_int_equal(query_sysfs(t, &entry), 0);
	assert_int_equal(entry.gid_type, IBV_GID_TYPE_IB);
}

static void gid_sysfs_without_type_file_is_v1(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry(GID_A_TEXT, NULL, NULL);
	expect_port(1, 8, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(query_sysfs(t, &entry), 0);
	assert_int_equal(entry.gid_type, IBV_GID_TYPE_ROCE_V1);
}

static void gid_sysfs_unknown_type_returns_eopnotsupp(void **state)
{
	static const char *const texts[] = { "RoCE v3\n", "", "RoCE v2 \n" };
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		write_sysfs_entry(GID_A_TEXT, texts[i], NULL);
		assert_int_equal(query_sysfs(t, &entry), -EOPNOTSUPP);
		assert_memory_equal(&entry, &untouched, sizeof(entry));
	}
}

static void gid_sysfs_oversized_type_returns_eoverflow(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry(GID_A_TEXT,
			  "RoCE v2 RoCE v2 RoCE v2 RoCE v2 RoCE v2 RoCE v2\n",
			  NULL);
	assert_int_equal(query_sysfs(t, &entry), -EOVERFLOW);
}

static void gid_sysfs_port_query_error_is_returned(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry(GID_A_TEXT, NULL, NULL);
	expect_port(1, 8, IBV_LINK_LAYER_ETHERNET, EINVAL);
	assert_int_equal(query_sysfs(t, &entry), -EINVAL);
	assert_memory_equal(&entry, &untouched, sizeof(entry));
}

static void gid_sysfs_empty_entry_returns_enodata(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry(ZERO_TEXT, NULL, NULL);
	assert_int_equal(query_sysfs(t, &entry), -ENODATA);
	assert_memory_equal(&entry, &untouched, sizeof(entry));
}

static void gid_sysfs_missing_entry_returns_enoent(void **state)
{
	struct ibv_gid_entry entry;

	assert_int_equal(query_sysfs(*state, &entry), -ENOENT);
	assert_memory_equal(&entry, &untouched, sizeof(entry));
}

static void gid_sysfs_text_accepts_both_letter_cases(void **state)
{
	static const uint8_t raw[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
					 0xcd, 0xef, 0xab, 0xcd, 0xef, 0x98,
					 0x76, 0x54, 0x32, 0x10 };
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry("0123:4567:89ab:cdef:ABCD:EF98:7654:3210\n",
			  "RoCE v2\n", NULL);
	assert_int_equal(query_sysfs(t, &entry), 0);
	assert_memory_equal(entry.gid.raw, raw, sizeof(raw));
}

static void gid_sysfs_malformed_text_returns_eproto(void **state)
{
	static const char *const texts[] = {
		"",
		"fe80",
		"fe80::1",
		"fe80:0000:0000:0000:0011:22ff:fe33:445",
		"fe80:0000:0000:0000:0011:22ff:fe33:44555",
		"fe80:0000:0000:0000:0011:22ff:fe33:4455:6677",
		"fe80:0000:0000:0000:0011:22ff:fe33:44g5",
		"fe80:0000:0000:0000:0011:22ff:fe33:44G5",
		"fe80:0000:0000:0000:0011:22ff:fe33:44`5",
		"fe80:0000:0000:0000:0011:22ff:fe33:44@5",
		"fe80:0000:0000:0000:0011:22ff:fe33:44/5",
		"fe80:0000:0000:0000:0011:22ff:fe33:44:5",
		"fe80-0000:0000:0000:0011:22ff:fe33:4455",
		" fe80:0000:0000:0000:0011:22ff:fe33:4455",
	};
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		write_sysfs_entry(texts[i], "RoCE v2\n", NULL);
		assert_int_equal(query_sysfs(t, &entry), -EPROTO);
		assert_memory_equal(&entry, &untouched, sizeof(entry));
	}
}

static void gid_sysfs_oversized_text_returns_eoverflow(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	write_sysfs_entry(GID_A_TEXT GID_A_TEXT GID_A_TEXT, NULL, NULL);
	assert_int_equal(query_sysfs(t, &entry), -EOVERFLOW);
}

static void gid_sysfs_invalid_netdev_name_gives_ifindex_0(void **state)
{
	static const char *const names[] = {
		"",
		"\n",
		"../../etc\n",
		"/\n",
		"lo/\n",
		"not-there\n",
		"lo lo\n",
		"lo\nlo\n",
		"a_name_that_is_too_long_for_an_interface\n",
	};
	struct kernel_test *t = *state;
	struct ibv_gid_entry entry;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		write_sysfs_entry(GID_A_TEXT, "RoCE v2\n", names[i]);
		assert_int_equal(query_sysfs(t, &entry), 0);
		assert_int_equal(entry.ndev_ifindex, 0);
	}
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */
/* ------------------------------------------------------------------------ */

static void query_gid_table_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[8] = {};

	expect_table(8, kernel_entries, 3, 3, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 8), 3);
	assert_memory_equal(table, kernel_entries, sizeof(kernel_entries));
	expect_table(8, NULL, 0, 0, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 8), 0);
	expect_table(3, kernel_entries, 3, 3, 0); /* exactly full */
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), 3);
}

static void
query_gid_table_kernel_einval_for_short_array_is_returned(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[2];

	expect_table(2, NULL, 0, 0, EINVAL);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 2), -EINVAL);
}

static void query_gid_table_invalid_count_returns_eproto(void **state)
{
	static const uint64_t counts[] = { 3, UINT32_MAX, UINT64_MAX,
					   INT64_MAX };
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[2];

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		expect_table(2, NULL, 0, counts[i], 0);
		assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 2),
				 -EPROTO);
	}
}

static void query_gid_table_error_does_not_read_sysfs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[2];

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_table(2, NULL, 0, 0, kernel_test_errors[i]);
		assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 2),
				 -kernel_test_errors[i]);
	}
}

static void write_two_ports(void)
{
	sysfs_tree_write("ports/1/gids/0", GID_A_TEXT);
	sysfs_tree_write("ports/1/gid_attrs/types/0", "RoCE v2\n");
	sysfs_tree_write("ports/1/gids/1", ZERO_TEXT);
	sysfs_tree_write("ports/1/gids/2", GID_B_TEXT);
	sysfs_tree_write("ports/1/gid_attrs/types/2", "RoCE v2\n");
	sysfs_tree_write("ports/2/gids/0", GID_B_TEXT);
	sysfs_tree_write("ports/2/gid_attrs/types/0", "RoCE v2\n");
}

static void check_two_ports(const struct ibv_gid_entry *table)
{
	static const uint32_t index[3] = { 0, 2, 0 }, port[3] = { 1, 1, 2 };

	for (int i = 0; i < 3; i++) {
		assert_memory_equal(&table[i].gid, i ? &gid_b : &gid_a, 16);
		assert_int_equal(table[i].gid_index, index[i]);
		assert_int_equal(table[i].port_num, port[i]);
		assert_int_equal(table[i].gid_type, IBV_GID_TYPE_ROCE_V2);
	}
}

static void query_gid_table_ioctl_refused_falls_back_to_sysfs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[3];

	t->state.nr_ports = 2;
	write_two_ports();
	expect_table(3, NULL, 0, 0, ENOTTY);
	expect_port(1, 3, IBV_LINK_LAYER_ETHERNET, 0);
	expect_port(2, 1, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), 3);
	check_two_ports(table);
}

static void gid_table_sysfs_unknown_port_count_queries_device(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[3];

	write_two_ports();
	kernel_test_force(t, FORM_WRITE);
	expect_device(2, 0);
	expect_port(1, 3, IBV_LINK_LAYER_ETHERNET, 0);
	expect_port(2, 1, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), 3);
	check_two_ports(table);

	expect_device(2, EIO);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), -EIO);
}

static void gid_table_sysfs_short_array_returns_einval(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[3] = { [2] = untouched };

	t->state.nr_ports = 2;
	write_two_ports();
	kernel_test_force(t, FORM_WRITE);
	expect_port(1, 3, IBV_LINK_LAYER_ETHERNET, 0);
	expect_port(2, 1, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 2), -EINVAL);
	assert_memory_equal(&table[2], &untouched, sizeof(untouched));
}

static void gid_table_sysfs_stops_at_first_missing_file(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[3];

	t->state.nr_ports = 2;
	write_two_ports();
	kernel_test_force(t, FORM_WRITE);
	expect_port(1, INT32_MAX, IBV_LINK_LAYER_ETHERNET, 0);
	expect_port(2, UINT32_MAX, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), 2);
}

static void gid_table_sysfs_error_is_returned(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[3];

	t->state.nr_ports = 2;
	write_two_ports();
	sysfs_tree_write("ports/1/gids/1", "nonsense\n");
	kernel_test_force(t, FORM_WRITE);
	expect_port(1, 3, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), -EPROTO);
	expect_port(1, 3, IBV_LINK_LAYER_ETHERNET, EPERM);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 3), -EPERM);
}

static void gid_table_sysfs_port_count_is_limited_to_255(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry table[1];

	t->state.nr_ports = UINT32_MAX;
	kernel_test_force(t, FORM_WRITE);
	expect_port(1, 0, IBV_LINK_LAYER_ETHERNET, 0);
	expect_port(2, 0, IBV_LINK_LAYER_ETHERNET, EINVAL);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 1), -EINVAL);
}

static void
query_gid_table_above_attr_limit_is_truncated_or_read_from_sysfs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_gid_entry *table = calloc(4096, sizeof(*table));

	expect_table(2047, kernel_entries, 3, 3, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 4096), 3);

	/* The table is longer than the attribute limit: sysfs has it all. */
	t->state.nr_ports = 1;
	write_two_ports();
	expect_table(2047, NULL, 0, 0, EINVAL);
	kernel_test_refuse(t, KERNEL_CAP_QUERY_PORT);
	kernel_test_refuse(t, KERNEL_CAP_INVOKE_WRITE);
	expect_port(1, 3, IBV_LINK_LAYER_ETHERNET, 0);
	assert_int_equal(verbs_cmd_query_gid_table(t->ctx, table, 4096), 2);
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SYSFS_TEST(query_gid_entry_sends_ioctl),
		SYSFS_TEST(query_gid_entry_empty_returns_enodata),
		SYSFS_TEST(query_gid_entry_error_does_not_read_sysfs),
		SYSFS_TEST(query_gid_entry_ioctl_refused_falls_back_to_sysfs),
		SYSFS_TEST(query_gid_entry_without_ioctl_falls_back_to_sysfs),
		SYSFS_TEST(gid_sysfs_v1_type_follows_link_layer),
		SYSFS_TEST(gid_sysfs_without_type_file_is_v1),
		SYSFS_TEST(gid_sysfs_unknown_type_returns_eopnotsupp),
		SYSFS_TEST(gid_sysfs_oversized_type_returns_eoverflow),
		SYSFS_TEST(gid_sysfs_port_query_error_is_returned),
		SYSFS_TEST(gid_sysfs_empty_entry_returns_enodata),
		SYSFS_TEST(gid_sysfs_missing_entry_returns_enoent),
		SYSFS_TEST(gid_sysfs_text_accepts_both_letter_cases),
		SYSFS_TEST(gid_sysfs_malformed_text_returns_eproto),
		SYSFS_TEST(gid_sysfs_oversized_text_returns_eoverflow),
		SYSFS_TEST(gid_sysfs_invalid_netdev_name_gives_ifindex_0),
		SYSFS_TEST(query_gid_table_sends_ioctl),
		SYSFS_TEST(
			query_gid_table_kernel_einval_for_short_array_is_returned),
		SYSFS_TEST(query_gid_table_invalid_count_returns_eproto),
		SYSFS_TEST(query_gid_table_error_does_not_read_sysfs),
		SYSFS_TEST(query_gid_table_ioctl_refused_falls_back_to_sysfs),
		SYSFS_TEST(gid_table_sysfs_unknown_port_count_queries_device),
		SYSFS_TEST(gid_table_sysfs_short_array_returns_einval),
		SYSFS_TEST(gid_table_sysfs_stops_at_first_missing_file),
		SYSFS_TEST(gid_table_sysfs_error_is_returned),
		SYSFS_TEST(gid_table_sysfs_port_count_is_limited_to_255),
		SYSFS_TEST(
			query_gid_table_above_attr_limit_is_truncated_or_read_from_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
