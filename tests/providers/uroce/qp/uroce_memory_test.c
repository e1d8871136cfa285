/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys, ranges, access rights, PDs and windows, and scatter/gather lists. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/qp/uroce_memory.h"
#include "uroce/qp/uroce_sge.h"

#define PD  7
#define QPN 0x1234
#define ALL_RIGHTS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

struct fixture {
	struct uroce_memory memory;
	uint8_t bytes[4096];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	uroce_memory_init(&f->memory, 42);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	uroce_memory_fini(&f->memory);
	free(f);
	return 0;
}

static uint32_t add(struct fixture *f, uint64_t iova, unsigned int access)
{
	struct uroce_region region = {
		.base = f->bytes,
		.iova = iova,
		.bytes = sizeof(f->bytes),
		.pd = PD,
		.access = access,
		.kind = UROCE_REGION_MEMORY,
	};
	uint32_t key = 0;

	assert_int_equal(uroce_memory_add(&f->memory, &region, &key), 0);
	assert_int_not_equal(key, 0);
	return key;
}

static uint32_t add_window(struct fixture *f, enum uroce_region_kind kind)
{
	struct uroce_region window = { .pd = PD, .kind = kind };
	uint32_t key;

	assert_int_equal(uroce_memory_add(&f->memory, &window, &key), 0);
	return key;
}

static int local(struct fixture *f, uint32_t key, uint64_t addr,
		 uint32_t length, bool write, uint8_t **ptr)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = key };

	return uroce_memory_local(&f->memory, PD, &sge, write, ptr);
}

static int remote(struct fixture *f, uint32_t key, uint64_t va, uint64_t bytes,
		  unsigned int access, uint8_t **ptr)
{
	struct uroce_remote_access wanted = {
		.va = va,
		.bytes = bytes,
		.rkey = key,
		.pd = PD,
		.qpn = QPN,
		.access = access,
	};

	return uroce_memory_remote(&f->memory, &wanted, ptr);
}

static void memory_range_is_checked_to_byte(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0x10000, ALL_RIGHTS);
	uint8_t *ptr;

	assert_int_equal(local(f, key, 0x10000, 4096, true, &ptr), 0);
	assert_ptr_equal(ptr, f->bytes);
	assert_int_equal(local(f, key, 0x10fff, 1, true, &ptr), 0);
	assert_ptr_equal(ptr, f->bytes + 4095);
	assert_int_equal(local(f, key, 0x10fff, 2, true, &ptr), -EACCES);
	assert_int_equal(local(f, key, 0xffff, 1, true, &ptr), -EACCES);
	assert_int_equal(local(f, key, 0x11000, 1, true, &ptr), -EACCES);
	assert_int_equal(local(f, key, UINT64_MAX, 2, true, &ptr), -EACCES);
	assert_int_equal(remote(f, key, 0x10000, UINT64_MAX,
				IBV_ACCESS_REMOTE_READ, &ptr),
			 -ERANGE);
	assert_int_equal(
		remote(f, key, 0x10000, 4096, IBV_ACCESS_REMOTE_READ, &ptr), 0);
}

static void memory_access_rights_are_checked(void **state)
{
	struct fixture *f = *state;
	uint32_t read_only = add(f, 0, 0);
	uint32_t readable = add(f, 0, IBV_ACCESS_REMOTE_READ);
	uint8_t *ptr;

	assert_int_equal(local(f, read_only, 0, 8, false, &ptr), 0);
	assert_int_equal(local(f, read_only, 0, 8, true, &ptr), -EACCES);
	assert_int_equal(
		remote(f, read_only, 0, 8, IBV_ACCESS_REMOTE_READ, &ptr),
		-EACCES);
	assert_int_equal(
		remote(f, readable, 0, 8, IBV_ACCESS_REMOTE_READ, &ptr), 0);
	assert_int_equal(
		remote(f, readable, 0, 8, IBV_ACCESS_REMOTE_WRITE, &ptr),
		-EACCES);
	assert_int_equal(
		remote(f, readable, 0, 8, IBV_ACCESS_REMOTE_ATOMIC, &ptr),
		-EACCES);
}

static void memory_pd_is_checked(void **state)
{
	struct fixture *f = *state;
	struct uroce_region other = {
		.base = f->bytes,
		.bytes = 16,
		.pd = PD + 1,
		.access = ALL_RIGHTS,
		.kind = UROCE_REGION_MEMORY,
	};
	uint8_t *ptr;
	uint32_t key;

	assert_int_equal(uroce_memory_add(&f->memory, &other, &key), 0);
	assert_int_equal(local(f, key, 0, 8, false, &ptr), -EACCES);
	assert_int_equal(remote(f, key, 0, 8, IBV_ACCESS_REMOTE_READ, &ptr),
			 -EPERM);
}

static void memory_zero_length_skips_checks(void **state)
{
	struct fixture *f = *state;
	uint8_t *ptr;

	assert_int_equal(local(f, 0xdead, 5, 0, true, &ptr), 0);
	assert_int_equal(remote(f, 0xdead, 5, 0, IBV_ACCESS_REMOTE_WRITE, &ptr),
			 0);
}

static void memory_removed_key_is_invalid(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0, ALL_RIGHTS), again;
	uint8_t *ptr;

	assert_int_equal(uroce_memory_remove(&f->memory, key), 0);
	assert_int_equal(uroce_memory_remove(&f->memory, key), -ENOENT);
	assert_int_equal(local(f, key, 0, 8, false, &ptr), -EACCES);
	assert_int_equal(remote(f, key, 0, 8, IBV_ACCESS_REMOTE_READ, &ptr),
			 -ENOENT);
	again = add(f, 0, ALL_RIGHTS);
	assert_int_equal(again >> 8, key >> 8);
	assert_int_not_equal(again, key);
	assert_int_equal(local(f, key, 0, 8, false, &ptr), -EACCES);
	assert_int_equal(local(f, again, 0, 8, false, &ptr), 0);
}

static void memory_wrong_key_is_rejected(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0, ALL_RIGHTS);
	unsigned int nr_good = 0;

	for (uint32_t tag = 0; tag < 256; tag++)
		if (uroce_memory_find(&f->memory, (key & ~0xffu) | tag))
			nr_good++;
	assert_int_equal(nr_good, 1);
	assert_null(uroce_memory_find(&f->memory, 0));
	assert_null(uroce_memory_find(&f->memory, key + 256));
	assert_null(uroce_memory_find(&f->memory, UINT32_MAX));
}

static void memory_freed_indices_are_reused_in_order(void **state)
{
	struct fixture *f = *state;
	uint32_t keys[600];

	for (size_t i = 0; i < 600; i++)
		keys[i] = add(f, 0, ALL_RIGHTS);
	for (size_t i = 0; i < 600; i += 2)
		assert_int_equal(uroce_memory_remove(&f->memory, keys[i]), 0);
	for (size_t i = 0; i < 600; i += 2)
		assert_int_equal(add(f, 0, 0) >> 8, keys[i] >> 8);
	for (size_t i = 1; i < 600; i += 2)
		assert_non_null(uroce_memory_find(&f->memory, keys[i]));
}

static void memory_overflowing_region_returns_einval(void **state)
{
	struct fixture *f = *state;
	struct uroce_region region = {
		.base = f->bytes,
		.iova = UINT64_MAX - 10,
		.bytes = 12,
		.kind = UROCE_REGION_MEMORY,
	};
	uint32_t key = 5;

	assert_int_equal(uroce_memory_add(&f->memory, &region, &key), -EINVAL);
	region.iova = 0;
	region.bytes = UINT64_MAX;
	assert_int_equal(uroce_memory_add(&f->memory, &region, &key), -EINVAL);
	assert_int_equal(key, 5);
}

static void memory_change_replaces_region(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0, ALL_RIGHTS);
	struct uroce_region region = {
		.base = f->bytes + 100,
		.iova = 0x5000,
		.bytes = 8,
		.kind = UROCE_REGION_MEMORY,
		.pd = PD,
		.access = IBV_ACCESS_REMOTE_READ,
	};
	uint8_t *ptr;

	assert_int_equal(uroce_memory_change(&f->memory, key, &region), 0);
	assert_int_equal(local(f, key, 0, 8, false, &ptr), -EACCES);
	assert_int_equal(local(f, key, 0x5000, 8, false, &ptr), 0);
	assert_ptr_equal(ptr, f->bytes + 100);
	assert_int_equal(uroce_memory_change(&f->memory, key + 1, &region),
			 -ENOENT);
}

static void
memory_withdrawn_region_is_usable_and_restored_by_change(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0, ALL_RIGHTS);
	struct uroce_region region = *uroce_memory_find(&f->memory, key);
	uint8_t *ptr;

	assert_false(region.withdrawn);
	uroce_memory_withdraw(&f->memory, key + 1);
	assert_false(uroce_memory_find(&f->memory, key)->withdrawn);
	uroce_memory_withdraw(&f->memory, key);
	assert_true(uroce_memory_find(&f->memory, key)->withdrawn);
	assert_int_equal(local(f, key, region.iova, 8, true, &ptr), 0);
	region = *uroce_memory_find(&f->memory, key);
	assert_int_equal(uroce_memory_change(&f->memory, key, &region), 0);
	assert_false(uroce_memory_find(&f->memory, key)->withdrawn);
}

static struct uroce_bind bind_of(uint32_t window, uint32_t memory)
{
	return (struct uroce_bind){
		.window_key = window,
		.new_tag = 0x5a,
		.memory_key = memory,
		.access = IBV_ACCESS_REMOTE_WRITE,
		.va = 0x1100,
		.bytes = 64,
		.pd = PD,
		.qpn = QPN,
	};
}

static void window_grants_bound_range_only(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0x1000, ALL_RIGHTS);
	uint32_t window = add_window(f, UROCE_REGION_WINDOW_2), bound;
	struct uroce_bind bind = bind_of(window, key);
	uint8_t *ptr;

	assert_int_equal(
		remote(f, window, 0x1100, 1, IBV_ACCESS_REMOTE_WRITE, &ptr),
		-EACCES);
	assert_int_equal(uroce_window_bind(&f->memory, &bind, &bound), 0);
	assert_int_equal(bound, (window & ~0xffu) | 0x5a);
	assert_int_equal(
		remote(f, bound, 0x1100, 64, IBV_ACCESS_REMOTE_WRITE, &ptr), 0);
	assert_ptr_equal(ptr, f->bytes + 0x100);
	assert_int_equal(
		remote(f, bound, 0x10ff, 1, IBV_ACCESS_REMOTE_WRITE, &ptr),
		-ERANGE);
	assert_int_equal(
		remote(f, bound, 0x1100, 65, IBV_ACCESS_REMOTE_WRITE, &ptr),
		-ERANGE);
	assert_int_equal(
		remote(f, bound, 0x1100, 1, IBV_ACCESS_REMOTE_READ, &ptr),
		-EACCES);
	/* local work requests cannot use a window */
	assert_int_equal(local(f, bound, 0x1100, 1, false, &ptr), -EACCES);
	/* the region stays while a window is bound to it */
	assert_int_equal(uroce_memory_remove(&f->memory, key), -EBUSY);
	assert_int_equal(uroce_window_invalidate(&f->memory, bound, PD, QPN),
			 0);
	assert_int_equal(
		remote(f, bound, 0x1100, 1, IBV_ACCESS_REMOTE_WRITE, &ptr),
		-EACCES);
	assert_int_equal(uroce_memory_remove(&f->memory, key), 0);
}

static void window_type_2_is_limited_to_qp(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0x1000, ALL_RIGHTS);
	uint32_t bound;
	struct uroce_bind bind =
		bind_of(add_window(f, UROCE_REGION_WINDOW_2), key);
	uint8_t *ptr;

	bind.qpn = QPN + 1;
	assert_int_equal(uroce_window_bind(&f->memory, &bind, &bound), 0);
	assert_int_equal(
		remote(f, bound, 0x1100, 1, IBV_ACCESS_REMOTE_WRITE, &ptr),
		-EACCES);
	assert_int_equal(uroce_window_invalidate(&f->memory, bound, PD, QPN),
			 -EACCES);
	/* bound twice without an invalidate */
	bind.window_key = bound;
	assert_int_equal(uroce_window_bind(&f->memory, &bind, &bound), -EACCES);
}

static void window_type_1_can_be_rebound_and_unbound(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0x1000, ALL_RIGHTS);
	uint32_t bound;
	struct uroce_bind bind =
		bind_of(add_window(f, UROCE_REGION_WINDOW_1), key);
	uint8_t *ptr;

	bind.access |= IBV_ACCESS_ZERO_BASED;
	assert_int_equal(uroce_window_bind(&f->memory, &bind, &bound), 0);
	assert_int_equal(remote(f, bound, 0, 64, IBV_ACCESS_REMOTE_WRITE, &ptr),
			 0);
	assert_ptr_equal(ptr, f->bytes + 0x100);
	/* with any tag of its key */
	bind.window_key = bound ^ 0x77;
	bind.va = 0x1200;
	bind.new_tag = 1;
	assert_int_equal(uroce_window_bind(&f->memory, &bind, &bound), 0);
	assert_int_equal(remote(f, bound, 0, 1, IBV_ACCESS_REMOTE_WRITE, &ptr),
			 0);
	assert_ptr_equal(ptr, f->bytes + 0x200);
	assert_int_equal(uroce_window_invalidate(&f->memory, bound, PD, QPN),
			 -EACCES);
	bind.window_key = bound;
	bind.bytes = 0;
	assert_int_equal(uroce_window_bind(&f->memory, &bind, &bound), 0);
	assert_int_equal(uroce_memory_remove(&f->memory, key), 0);
}

static void window_bind_bad_attributes_are_rejected(void **state)
{
	struct fixture *f = *state;
	uint32_t window = add_window(f, UROCE_REGION_WINDOW_2);
	uint32_t good = add(f, 0x1000, ALL_RIGHTS);
	uint32_t no_bind = add(f, 0x1000, ALL_RIGHTS & ~IBV_ACCESS_MW_BIND);
	uint32_t no_write = add(f, 0x1000, IBV_ACCESS_MW_BIND);
	struct uroce_bind bind[8];
	uint32_t bound = 1;

	for (size_t i = 0; i < 8; i++)
		bind[i] = bind_of(window, good);
	bind[0].memory_key = no_bind;
	bind[1].memory_key = no_write;
	bind[2].memory_key = window;
	bind[3].memory_key = good + 1;
	bind[4].bytes = 4096;
	bind[5].access = IBV_ACCESS_LOCAL_WRITE;
	bind[6].pd = PD + 1;
	bind[7].window_key = good;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(
			uroce_window_bind(&f->memory, &bind[i], &bound),
			-EACCES);
	assert_int_equal(bound, 1);
	assert_int_equal(uroce_memory_remove(&f->memory, good), 0);
}

static struct uroce_sge_list list_of(struct fixture *f, struct ibv_sge *sge,
				     uint32_t nr)
{
	return (struct uroce_sge_list){
		.memory = &f->memory,
		.sge = sge,
		.nr_sge = nr,
		.pd = PD,
	};
}

/* SGEs of 0, 1, 2, ... bytes, one behind the other. */
static void sge_resolve_finds_any_offset(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add(f, 0, ALL_RIGHTS), total = 0;
	struct ibv_sge sge[UROCE_MAX_SGE];
	struct uroce_sge_list list = list_of(f, sge, UROCE_MAX_SGE);
	struct uroce_cursor cursor = {};
	struct uroce_iovecs iovecs;

	for (uint32_t i = 0; i < UROCE_MAX_SGE; i++) {
		sge[i] = (struct ibv_sge){ total, i, key };
		total += i;
	}
	/* forwards with one cursor, then from any offset, and backwards */
	for (uint32_t step = 1; step < 40; step++) {
		for (uint32_t at = 0; at < total; at += step) {
			uint32_t len = at + step > total ? total - at : step;
			uint8_t *expected = f->bytes + at;

			assert_int_equal(uroce_sge_resolve(&list, &cursor, at,
							   len, &iovecs),
					 0);
			for (uint32_t i = 0; i < iovecs.nr; i++) {
				assert_ptr_equal(iovecs.iov[i].iov_base,
						 expected);
				expected += iovecs.iov[i].iov_len;
			}
			assert_ptr_equal(expected, f->bytes + at + len);
		}
	}
	assert_int_equal(
		uroce_sge_resolve(&list, &cursor, total - 1, 2, &iovecs),
		-EMSGSIZE);
	assert_int_equal(
		uroce_sge_resolve(&list, &cursor, total + 5, 1, &iovecs),
		-EMSGSIZE);
	assert_int_equal(uroce_sge_resolve(&list, &cursor, total, 0, &iovecs),
			 0);
	assert_int_equal(iovecs.nr, 0);
}

static void sge_resolve_checks_access_rights(void **state)
{
	struct fixture *f = *state;
	struct ibv_sge sge[2] = {
		{ 0, 10, add(f, 0, ALL_RIGHTS) },
		{ 10, 10, add(f, 0, 0) },
	};
	struct uroce_sge_list list = list_of(f, sge, 2);
	struct uroce_cursor cursor = {};
	struct uroce_iovecs iovecs;

	assert_int_equal(uroce_sge_resolve(&list, &cursor, 0, 20, &iovecs), 0);
	list.write = true;
	assert_int_equal(uroce_sge_resolve(&list, &cursor, 0, 10, &iovecs), 0);
	assert_int_equal(uroce_sge_resolve(&list, &cursor, 0, 11, &iovecs),
			 -EACCES);
}

static void null_region_reads_zeros_and_discards_writes(void **state)
{
	struct fixture *f = *state;
	struct uroce_region null = {
		.bytes = UINT64_MAX / 2,
		.pd = PD,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.kind = UROCE_REGION_NULL,
	};
	static const uint8_t zeros[100];
	struct ibv_sge sge = { .addr = 0x123456, .length = 100 };
	struct uroce_sge_list list = list_of(f, &sge, 1);
	struct uroce_cursor cursor = {};
	struct uroce_iovecs iovecs;

	assert_int_equal(uroce_memory_add(&f->memory, &null, &sge.lkey), 0);
	assert_int_equal(uroce_sge_resolve(&list, &cursor, 0, 100, &iovecs), 0);
	assert_memory_equal(iovecs.iov[0].iov_base, zeros, 100);
	list.write = true;
	assert_int_equal(uroce_sge_resolve(&list, &cursor, 0, 100, &iovecs), 0);
	assert_null(iovecs.iov[0].iov_base);
}

static uint32_t add_on_demand(struct fixture *f, uint8_t *base, uint64_t bytes)
{
	struct uroce_region region = {
		.base = base,
		.iova = (uintptr_t)base,
		.bytes = bytes,
		.pd = PD,
		.access = ALL_RIGHTS,
		.kind = UROCE_REGION_ON_DEMAND,
	};
	uint32_t key = 0;

	assert_int_equal(uroce_memory_add(&f->memory, &region, &key), 0);
	return key;
}

/* Callers that do not expect the result treat it as an error. */
static void on_demand_region_is_reported(void **state)
{
	struct fixture *f = *state;
	const uint64_t va = (uintptr_t)f->bytes;
	uint32_t key = add_on_demand(f, f->bytes, sizeof(f->bytes));
	struct ibv_sge sge = { .addr = va, .length = 100, .lkey = key };
	struct uroce_sge_list list = list_of(f, &sge, 1);
	struct uroce_cursor cursor = {};
	struct uroce_iovecs iovecs;
	uint8_t *ptr;

	assert_int_equal(local(f, key, va + 8, 8, true, &ptr),
			 UROCE_MEMORY_ON_DEMAND);
	assert_ptr_equal(ptr, f->bytes + 8);
	assert_int_equal(remote(f, key, va, 8, IBV_ACCESS_REMOTE_READ, &ptr),
			 UROCE_MEMORY_ON_DEMAND);
	assert_int_equal(
		remote(f, key, va + 4090, 8, IBV_ACCESS_REMOTE_READ, &ptr),
		-ERANGE);
	assert_int_equal(uroce_sge_run(&list, &cursor, 10, 4, &iovecs), 4);
	assert_true(iovecs.on_demand);
	assert_ptr_equal(iovecs.iov[0].iov_base, f->bytes);
	assert_int_equal(iovecs.iov[0].iov_len, 40);
	assert_int_equal(uroce_sge_resolve(&list, &cursor, 0, 100, &iovecs), 0);
	assert_true(iovecs.on_demand);
	assert_ptr_equal(iovecs.iov[0].iov_base, f->bytes);
}

static void on_demand_region_of_all_addresses_has_no_null(void **state)
{
	struct fixture *f = *state;
	uint32_t key = add_on_demand(f, NULL, UINTPTR_MAX);
	const uint64_t va = (uintptr_t)f->bytes;
	uint8_t *ptr;

	assert_int_equal(local(f, key, va, 8, true, &ptr),
			 UROCE_MEMORY_ON_DEMAND);
	assert_ptr_equal(ptr, f->bytes);
	assert_int_equal(local(f, key, 0, 8, true, &ptr), -EACCES);
	assert_int_equal(remote(f, key, 0, 8, IBV_ACCESS_REMOTE_READ, &ptr),
			 -EACCES);
	assert_int_equal(local(f, key, UINTPTR_MAX - 4, 8, true, &ptr),
			 -EACCES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_range_is_checked_to_byte),
		TEST(memory_access_rights_are_checked),
		TEST(memory_pd_is_checked),
		TEST(memory_zero_length_skips_checks),
		TEST(memory_removed_key_is_invalid),
		TEST(memory_wrong_key_is_rejected),
		TEST(memory_freed_indices_are_reused_in_order),
		TEST(memory_overflowing_region_returns_einval),
		TEST(memory_change_replaces_region),
		TEST(memory_withdrawn_region_is_usable_and_restored_by_change),
		TEST(window_grants_bound_range_only),
		TEST(window_type_2_is_limited_to_qp),
		TEST(window_type_1_can_be_rebound_and_unbound),
		TEST(window_bind_bad_attributes_are_rejected),
		TEST(sge_resolve_finds_any_offset),
		TEST(sge_resolve_checks_access_rights),
		TEST(null_region_reads_zeros_and_discards_writes),
		TEST(on_demand_region_is_reported),
		TEST(on_demand_region_of_all_addresses_has_no_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
