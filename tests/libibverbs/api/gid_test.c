/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_gid(3), ibv_query_gid_ex(3), ibv_query_gid_table(3):
 * libibverbs/api/gid.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* A caller's entry that is longer than ours. */
#define LONGER (sizeof(struct ibv_gid_entry) + 8)
/* And one that is shorter: without the interface. */
#define SHORTER offsetof(struct ibv_gid_entry, ndev_ifindex)

static const struct ibv_gid_entry gids[] = {
	{
		.gid.raw = { 0xfe, 0x80, [15] = 1 },
		.gid_index = 0,
		.port_num = 1,
		.gid_type = IBV_GID_TYPE_ROCE_V1,
		.ndev_ifindex = 7,
	},
	{ .gid_index = 1 }, /* an empty slot */
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

static int start(void **state)
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
/* One entry                                                                 */
/* ------------------------------------------------------------------------ */

static int query_ex(uint32_t index, uint32_t flags, size_t size)
{
	return _ibv_query_gid_ex(api.ctx, 1, index, (void *)buffer, flags,
				 size);
}

static void entry_is_told(void **state)
{
	struct ibv_gid_entry entry;

	ASSERT_OK(ibv_query_gid_ex(api.ctx, 1, 2, &entry, 0));
	assert_memory_equal(&entry, &gids[2], sizeof(entry));
	assert_int_equal(fake_provider.args.port_num, 1);
}

static void empty_slot_is_enodata(void **state)
{
	ASSERT_ERRNO(query_ex(EMPTY, 0, sizeof(struct ibv_gid_entry)), ENODATA);
	assert_untouched_from(0);
}

static void slot_behind_the_table_is_einval(void **state)
{
	ASSERT_ERRNO(query_ex(NR_GIDS, 0, sizeof(struct ibv_gid_entry)),
		     EINVAL);
	assert_untouched_from(0);
}

static void flags_are_refused(void **state)
{
	ASSERT_ERRNO(query_ex(0, 1, sizeof(struct ibv_gid_entry)), EINVAL);
	ASSERT_ERRNO(query_ex(0, 1U << 31, sizeof(struct ibv_gid_entry)),
		     EINVAL);
	assert_untouched_from(0);
}

static void entry_of_no_size_is_refused(void **state)
{
	ASSERT_ERRNO(query_ex(0, 0, 0), EINVAL);
	assert_untouched_from(0);
}

static void older_caller_gets_a_shorter_entry(void **state)
{
	ASSERT_OK(query_ex(0, 0, SHORTER));
	assert_memory_equal(buffer, &gids[0], SHORTER);
	assert_untouched_from(SHORTER);
}

static void newer_caller_gets_zeroes_behind_the_entry(void **state)
{
	static const unsigned char zeroes[8];

	ASSERT_OK(query_ex(0, 0, LONGER));
	assert_memory_equal(buffer, &gids[0], sizeof(gids[0]));
	assert_memory_equal(buffer + sizeof(gids[0]), zeroes, sizeof(zeroes));
	assert_untouched_from(LONGER);
}

static void failure_of_an_entry_touches_nothing(void **state)
{
	fake_provider.ret = -ENODEV;
	ASSERT_ERRNO(query_ex(0, 0, sizeof(struct ibv_gid_entry)), ENODEV);
	assert_untouched_from(0);
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */
/* ------------------------------------------------------------------------ */

static ssize_t query_table(size_t max, uint32_t flags, size_t size)
{
	return _ibv_query_gid_table(api.ctx, (void *)buffer, max, flags, size);
}

/* The count or -errno; errno is set with the latter. */
static void assert_table_fails(size_t max, uint32_t flags, size_t size, int err)
{
	errno = SOME_ERRNO;
	assert_int_equal(query_table(max, flags, size), -err);
	assert_int_equal(errno, err);
}

static void table_has_the_used_slots(void **state)
{
	struct ibv_gid_entry entries[4];

	errno = SOME_ERRNO;
	assert_int_equal(ibv_query_gid_table(api.ctx, entries, 4, 0), NR_VALID);
	assert_int_equal(errno, SOME_ERRNO);
	assert_memory_equal(&entries[0], &gids[0], sizeof(gids[0]));
	assert_memory_equal(&entries[1], &gids[2], sizeof(gids[2]));
}

static void table_may_fit_exactly(void **state)
{
	assert_int_equal(query_table(NR_VALID, 0, sizeof(gids[0])), NR_VALID);
	assert_untouched_from(NR_VALID * sizeof(gids[0]));
}

static void table_that_is_too_small_is_einval(void **state)
{
	assert_table_fails(NR_VALID - 1, 0, sizeof(gids[0]), EINVAL);
	assert_table_fails(NR_VALID - 1, 0, LONGER, EINVAL);
	assert_table_fails(0, 0, sizeof(gids[0]), EINVAL);
	assert_table_fails(0, 0, LONGER, EINVAL);
}

static void table_without_used_slots_is_0(void **state)
{
	fake_provider.nr_gids = 0;
	assert_int_equal(query_table(4, 0, sizeof(gids[0])), 0);
	assert_int_equal(query_table(0, 0, LONGER), 0);
	assert_untouched_from(0);
}

static void flags_of_a_table_are_refused(void **state)
{
	assert_table_fails(4, 1, sizeof(gids[0]), EINVAL);
	assert_untouched_from(0);
}

static void table_of_entries_of_no_size_is_refused(void **state)
{
	assert_table_fails(4, 0, 0, EINVAL);
	assert_untouched_from(0);
}

static void older_caller_gets_shorter_entries(void **state)
{
	assert_int_equal(query_table(4, 0, SHORTER), NR_VALID);
	assert_memory_equal(buffer, &gids[0], SHORTER);
	assert_memory_equal(buffer + SHORTER, &gids[2], SHORTER);
	assert_untouched_from(2 * SHORTER);
}

static void newer_caller_gets_zeroes_behind_each_entry(void **state)
{
	static const unsigned char zeroes[8];

	assert_int_equal(query_table(4, 0, LONGER), NR_VALID);
	for (size_t i = 0; i < NR_VALID; i++) {
		const unsigned char *entry = buffer + i * LONGER;

		assert_memory_equal(entry, &gids[2 * i], sizeof(gids[0]));
		assert_memory_equal(entry + sizeof(gids[0]), zeroes,
				    sizeof(zeroes));
	}
	assert_untouched_from(NR_VALID * LONGER);
}

static void absurd_number_of_entries_is_enomem(void **state)
{
	assert_table_fails(SIZE_MAX / 16, 0, LONGER, ENOMEM);
	assert_untouched_from(0);
}

static void failure_of_the_table_is_told(void **state)
{
	fake_provider.ret = -ENODEV;
	assert_table_fails(4, 0, sizeof(gids[0]), ENODEV);
	assert_table_fails(4, 0, LONGER, ENODEV);
	assert_untouched_from(0);
}

/* ------------------------------------------------------------------------ */
/* The GID alone, its type                                                   */
/* ------------------------------------------------------------------------ */

static void gid_is_told(void **state)
{
	union ibv_gid gid;

	ASSERT_OK(ibv_query_gid(api.ctx, 1, 2, &gid));
	assert_memory_equal(&gid, &gids[2].gid, sizeof(gid));
}

static void gid_of_an_empty_slot_is_zero(void **state)
{
	static const union ibv_gid zero;
	union ibv_gid gid;

	memset(&gid, 0xee, sizeof(gid));
	ASSERT_OK(ibv_query_gid(api.ctx, 1, EMPTY, &gid));
	assert_memory_equal(&gid, &zero, sizeof(gid));
}

static void gid_behind_the_table_is_minus_1(void **state)
{
	union ibv_gid gid;

	memset(&gid, 0xee, sizeof(gid));
	ASSERT_MINUS1(ibv_query_gid(api.ctx, 1, NR_GIDS, &gid), EINVAL);
	assert_int_equal(gid.raw[0], 0xee);
}

static void negative_index_is_minus_1(void **state)
{
	union ibv_gid gid;

	ASSERT_MINUS1(ibv_query_gid(api.ctx, 1, -1, &gid), EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(entry_is_told),
		TEST(empty_slot_is_enodata),
		TEST(slot_behind_the_table_is_einval),
		TEST(flags_are_refused),
		TEST(entry_of_no_size_is_refused),
		TEST(older_caller_gets_a_shorter_entry),
		TEST(newer_caller_gets_zeroes_behind_the_entry),
		TEST(failure_of_an_entry_touches_nothing),
		TEST(table_has_the_used_slots),
		TEST(table_may_fit_exactly),
		TEST(table_that_is_too_small_is_einval),
		TEST(table_without_used_slots_is_0),
		TEST(flags_of_a_table_are_refused),
		TEST(table_of_entries_of_no_size_is_refused),
		TEST(older_caller_gets_shorter_entries),
		TEST(newer_caller_gets_zeroes_behind_each_entry),
		TEST(absurd_number_of_entries_is_enomem),
		TEST(failure_of_the_table_is_told),
		TEST(gid_is_told),
		TEST(gid_of_an_empty_slot_is_zero),
		TEST(gid_behind_the_table_is_minus_1),
		TEST(negative_index_is_minus_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
