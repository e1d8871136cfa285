/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_gid(3), ibv_query_gid_ex(3), ibv_query_gid_table(3):
 * libibverbs/api/gid.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* Entry size of a caller that is newer than the library. */
#define LONGER (sizeof(struct ibv_gid_entry) + 8)
/* Entry size of an older caller: the struct had no ndev_ifindex. */
#define SHORTER offsetof(struct ibv_gid_entry, ndev_ifindex)

static const struct ibv_gid_entry gids[] = {
	{
		.gid.raw = { 0xfe, 0x80, [15] = 1 },
		.gid_index = 0,
		.port_num = 1,
		.gid_type = IBV_GID_TYPE_ROCE_V1,
		.ndev_ifindex = 7,
	},
	{ .gid_index = 1 }, /* an empty entry */
	{
		.gid.raw = { 0xfe, 0x80, [15] = 2 },
		.gid_index = 2,
		.port_num = 1,
		.gid_type = IBV_GID_TYPE_ROCE_V2,
		.ndev_ifindex = 8,
	},
};

#define NR_GIDS	 3
#define EMPTY	 1
#define NR_VALID 2

static unsigned char buffer[1024];

static int gid_setup(void **state)
{
	int ret = api_open(state);

	memset(buffer, 0xee, sizeof(buffer));
	fake_provider.gids = gids;
	fake_provider.nr_gids = NR_GIDS;
	return ret;
}

static void assert_untouched_from(size_t offset)
{
	for (size_t i = offset; i < sizeof(buffer); i++)
		assert_int_equal(buffer[i], 0xee);
}

/* ------------------------------------------------------------------------ */
/* Single entries                                                            */
/* ------------------------------------------------------------------------ */

static int query_gid_ex_with_size(uint32_t index, uint32_t flags, size_t size)
{
	return _ibv_query_gid_ex(api.ctx, 1, index, (void *)buffer, flags,
				 size);
}

static void query_gid_ex_returns_entry(void **state)
{
	struct ibv_gid_entry entry;

	ASSERT_OK(ibv_query_gid_ex(api.ctx, 1, 2, &entry, 0));
	assert_memory_equal(&entry, &gids[2], sizeof(entry));
	assert_int_equal(fake_provider.args.port_num, 1);
}

static void query_gid_ex_empty_entry_is_enodata(void **state)
{
	ASSERT_ERRNO(
		query_gid_ex_with_size(EMPTY, 0, sizeof(struct ibv_gid_entry)),
		ENODATA);
	assert_untouched_from(0);
}

static void query_gid_ex_index_out_of_range_is_einval(void **state)
{
	ASSERT_ERRNO(query_gid_ex_with_size(NR_GIDS, 0,
					    sizeof(struct ibv_gid_entry)),
		     EINVAL);
	assert_untouched_from(0);
}

static void query_gid_ex_flags_are_einval(void **state)
{
	ASSERT_ERRNO(query_gid_ex_with_size(0, 1, sizeof(struct ibv_gid_entry)),
		     EINVAL);
	ASSERT_ERRNO(query_gid_ex_with_size(0, 1U << 31,
					    sizeof(struct ibv_gid_entry)),
		     EINVAL);
	assert_untouched_from(0);
}

static void query_gid_ex_entry_size_0_is_einval(void **state)
{
	ASSERT_ERRNO(query_gid_ex_with_size(0, 0, 0), EINVAL);
	assert_untouched_from(0);
}

static void query_gid_ex_shorter_entry_is_filled(void **state)
{
	ASSERT_OK(query_gid_ex_with_size(0, 0, SHORTER));
	assert_memory_equal(buffer, &gids[0], SHORTER);
	assert_untouched_from(SHORTER);
}

static void query_gid_ex_longer_entry_is_filled_with_zeroes(void **state)
{
	static const unsigned char zeroes[8];

	ASSERT_OK(query_gid_ex_with_size(0, 0, LONGER));
	assert_memory_equal(buffer, &gids[0], sizeof(gids[0]));
	assert_memory_equal(buffer + sizeof(gids[0]), zeroes, sizeof(zeroes));
	assert_untouched_from(LONGER);
}

static void query_gid_ex_provider_failure_writes_nothing(void **state)
{
	fake_provider.ret = -ENODEV;
	ASSERT_ERRNO(query_gid_ex_with_size(0, 0, sizeof(struct ibv_gid_entry)),
		     ENODEV);
	assert_untouched_from(0);
}

/* ------------------------------------------------------------------------ */
/* GID table                                                                 */
/* ------------------------------------------------------------------------ */

static ssize_t query_gid_table_with_size(size_t max, uint32_t flags,
					 size_t size)
{
	return _ibv_query_gid_table(api.ctx, (void *)buffer, max, flags, size);
}

/* ibv_query_gid_table() returns -errno on failure and sets errno. */
static void assert_query_gid_table_fails(size_t max, uint32_t flags,
					 size_t size, int err)
{
	errno = SOME_ERRNO;
	assert_int_equal(query_gid_table_with_size(max, flags, size), -err);
	assert_int_equal(errno, err);
}

static void query_gid_table_returns_valid_entries(void **state)
{
	struct ibv_gid_entry entries[4];

	errno = SOME_ERRNO;
	assert_int_equal(ibv_query_gid_table(api.ctx, entries, 4, 0), NR_VALID);
	assert_int_equal(errno, SOME_ERRNO);
	assert_memory_equal(&entries[0], &gids[0], sizeof(gids[0]));
	assert_memory_equal(&entries[1], &gids[2], sizeof(gids[2]));
}

static void query_gid_table_exact_size_returns_all_entries(void **state)
{
	assert_int_equal(
		query_gid_table_with_size(NR_VALID, 0, sizeof(gids[0])),
		NR_VALID);
	assert_untouched_from(NR_VALID * sizeof(gids[0]));
}

static void query_gid_table_small_buffer_is_einval(void **state)
{
	assert_query_gid_table_fails(NR_VALID - 1, 0, sizeof(gids[0]), EINVAL);
	assert_query_gid_table_fails(NR_VALID - 1, 0, LONGER, EINVAL);
	assert_query_gid_table_fails(0, 0, sizeof(gids[0]), EINVAL);
	assert_query_gid_table_fails(0, 0, LONGER, EINVAL);
}

static void query_gid_table_without_entries_returns_0(void **state)
{
	fake_provider.nr_gids = 0;
	assert_int_equal(query_gid_table_with_size(4, 0, sizeof(gids[0])), 0);
	assert_int_equal(query_gid_table_with_size(0, 0, LONGER), 0);
	assert_untouched_from(0);
}

static void query_gid_table_flags_are_einval(void **state)
{
	assert_query_gid_table_fails(4, 1, sizeof(gids[0]), EINVAL);
	assert_untouched_from(0);
}

static void query_gid_table_entry_size_0_is_einval(void **state)
{
	assert_query_gid_table_fails(4, 0, 0, EINVAL);
	assert_untouched_from(0);
}

static void query_gid_table_shorter_entries_are_filled(void **state)
{
	assert_int_equal(query_gid_table_with_size(4, 0, SHORTER), NR_VALID);
	assert_memory_equal(buffer, &gids[0], SHORTER);
	assert_memory_equal(buffer + SHORTER, &gids[2], SHORTER);
	assert_untouched_from(2 * SHORTER);
}

static void query_gid_table_longer_entries_are_filled_with_zeroes(void **state)
{
	static const unsigned char zeroes[8];

	assert_int_equal(query_gid_table_with_size(4, 0, LONGER), NR_VALID);
	for (size_t i = 0; i < NR_VALID; i++) {
		const unsigned char *entry = buffer + i * LONGER;

		assert_memory_equal(entry, &gids[2 * i], sizeof(gids[0]));
		assert_memory_equal(entry + sizeof(gids[0]), zeroes,
				    sizeof(zeroes));
	}
	assert_untouched_from(NR_VALID * LONGER);
}

static void query_gid_table_huge_entry_count_is_enomem(void **state)
{
	assert_query_gid_table_fails(SIZE_MAX / 16, 0, LONGER, ENOMEM);
	assert_untouched_from(0);
}

static void
query_gid_table_provider_failure_returns_negative_errno(void **state)
{
	fake_provider.ret = -ENODEV;
	assert_query_gid_table_fails(4, 0, sizeof(gids[0]), ENODEV);
	assert_query_gid_table_fails(4, 0, LONGER, ENODEV);
	assert_untouched_from(0);
}

/* ------------------------------------------------------------------------ */
/* GIDs without the other members of an entry                                */
/* ------------------------------------------------------------------------ */

static void query_gid_returns_gid(void **state)
{
	union ibv_gid gid;

	ASSERT_OK(ibv_query_gid(api.ctx, 1, 2, &gid));
	assert_memory_equal(&gid, &gids[2].gid, sizeof(gid));
}

static void query_gid_empty_entry_returns_zero_gid(void **state)
{
	static const union ibv_gid zero;
	union ibv_gid gid;

	memset(&gid, 0xee, sizeof(gid));
	ASSERT_OK(ibv_query_gid(api.ctx, 1, EMPTY, &gid));
	assert_memory_equal(&gid, &zero, sizeof(gid));
}

static void query_gid_index_out_of_range_returns_minus_1(void **state)
{
	union ibv_gid gid;

	memset(&gid, 0xee, sizeof(gid));
	ASSERT_MINUS1(ibv_query_gid(api.ctx, 1, NR_GIDS, &gid), EINVAL);
	assert_int_equal(gid.raw[0], 0xee);
}

static void query_gid_negative_index_returns_minus_1(void **state)
{
	union ibv_gid gid;

	ASSERT_MINUS1(ibv_query_gid(api.ctx, 1, -1, &gid), EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gid_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(query_gid_ex_returns_entry),
		TEST(query_gid_ex_empty_entry_is_enodata),
		TEST(query_gid_ex_index_out_of_range_is_einval),
		TEST(query_gid_ex_flags_are_einval),
		TEST(query_gid_ex_entry_size_0_is_einval),
		TEST(query_gid_ex_shorter_entry_is_filled),
		TEST(query_gid_ex_longer_entry_is_filled_with_zeroes),
		TEST(query_gid_ex_provider_failure_writes_nothing),
		TEST(query_gid_table_returns_valid_entries),
		TEST(query_gid_table_exact_size_returns_all_entries),
		TEST(query_gid_table_small_buffer_is_einval),
		TEST(query_gid_table_without_entries_returns_0),
		TEST(query_gid_table_flags_are_einval),
		TEST(query_gid_table_entry_size_0_is_einval),
		TEST(query_gid_table_shorter_entries_are_filled),
		TEST(query_gid_table_longer_entries_are_filled_with_zeroes),
		TEST(query_gid_table_huge_entry_count_is_enomem),
		TEST(query_gid_table_provider_failure_returns_negative_errno),
		TEST(query_gid_returns_gid),
		TEST(query_gid_empty_entry_returns_zero_gid),
		TEST(query_gid_index_out_of_range_returns_minus_1),
		TEST(query_gid_negative_index_returns_minus_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
