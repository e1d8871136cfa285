/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Device memory: verbs/uroce_dm.c. Linked with WRAP mmap munmap. */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE  4096
#define BYTES 10000u

void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __real_munmap(void *at, size_t bytes);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *at, size_t bytes);

static unsigned int countdown; /* 1: the next mmap() fails; 0: none */
static size_t mapped;	       /* bytes that are mapped */

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset)
{
	if (countdown && !--countdown) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (!(flags & MAP_FIXED))
		mapped += bytes;
	return __real_mmap(at, bytes, prot, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t bytes)
{
	mapped -= bytes;
	return __real_munmap(at, bytes);
}

static struct uroce_context *ctx;
static struct ibv_context *ibctx;
static struct ibv_pd *pd;
static uint8_t memory[BYTES];

static int setup(void **state)
{
	ctx = fake_worker_context();
	ibctx = &ctx->vctx.context;
	pd = new_pd(ctx);
	mapped = 0;
	countdown = 0;
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(mapped, 0);
	assert_int_equal(ctx->dm_bytes, 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

static int alloc(size_t length, uint32_t log_align, struct ibv_dm **ret_dm)
{
	struct ibv_alloc_dm_attr attr = {
		.length = length,
		.log_align_req = log_align,
	};

	return uroce_alloc_dm(ibctx, &attr, ret_dm);
}

static struct ibv_dm *new_dm(size_t length)
{
	struct ibv_dm *dm = NULL;

	assert_int_equal(alloc(length, 0, &dm), 0);
	return dm;
}

static int reg(struct ibv_dm *dm, uint64_t offset, size_t length,
	       unsigned int access, struct ibv_mr **ret_mr)
{
	return uroce_reg_dm_mr(pd, dm, offset, length, access, ret_mr);
}

static int dereg(struct ibv_mr *mr)
{
	return uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr));
}

static void assert_usable(struct ibv_dm *dm, size_t length)
{
	uint8_t *result = calloc(1, length);

	assert_non_null(result);
	memset(memory, 0x5a, sizeof(memory));
	assert_true(length <= sizeof(memory));
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, memory, length), 0);
	assert_int_equal(ibv_memcpy_from_dm(result, dm, 0, length), 0);
	assert_memory_equal(result, memory, length);
	free(result);
}

/* -- allocation -- */

static void uroce_query_device_reports_device_memory(void **state)
{
	struct ibv_device_attr_ex attr = {};
	size_t without = offsetof(struct ibv_device_attr_ex, max_dm_size);

	assert_int_equal(uroce_query_device(ibctx, NULL, &attr, sizeof(attr)),
			 0);
	assert_int_equal(attr.max_dm_size, UROCE_MAX_DM_BYTES);
	attr.max_dm_size = 1;
	assert_int_equal(uroce_query_device(ibctx, NULL, &attr, without), 0);
	assert_int_equal(attr.max_dm_size, 1);
}

static void uroce_alloc_dm_is_aligned(void **state)
{
	for (uint32_t log_align = 0; log_align <= 24; log_align++) {
		struct ibv_dm *dm;

		assert_int_equal(alloc(BYTES, log_align, &dm), 0);
		assert_int_equal((uintptr_t)to_uroce_dm(dm)->base &
					 ((UINT64_C(1) << log_align) - 1),
				 0);
		assert_ptr_equal(dm->context, ibctx);
		assert_int_equal(dm->comp_mask, 0);
		assert_usable(dm, BYTES);
		assert_int_equal(uroce_free_dm(dm), 0);
	}
}

static void uroce_alloc_dm_bad_attributes_are_rejected(void **state)
{
	struct ibv_dm *dm;

	assert_int_equal(alloc(0, 0, &dm), -EINVAL);
	assert_int_equal(alloc(4, 25, &dm), -EINVAL);
	assert_int_equal(alloc(4, 64, &dm), -EINVAL);
	assert_int_equal(alloc(4, UINT32_MAX, &dm), -EINVAL);
	assert_int_equal(alloc(SIZE_MAX, 0, &dm), -ENOMEM);
	assert_int_equal(alloc(UROCE_MAX_DM_BYTES + 1, 0, &dm), -ENOMEM);
}

/* The limit is one of the context, in pages. */
static void uroce_alloc_dm_stops_at_limit(void **state)
{
	struct ibv_dm *most = new_dm(UROCE_MAX_DM_BYTES - PAGE);
	struct ibv_dm *last = new_dm(1), *more;

	assert_int_equal(alloc(1, 0, &more), -ENOMEM);
	assert_int_equal(uroce_free_dm(last), 0);
	last = new_dm(PAGE);
	assert_int_equal(alloc(1, 0, &more), -ENOMEM);
	assert_int_equal(uroce_free_dm(most), 0);
	assert_int_equal(uroce_free_dm(last), 0);
}

static void uroce_alloc_dm_without_file_uses_private_memory(void **state)
{
	struct ibv_dm *dm;

	fake_worker.file_error = -ENOSYS;
	dm = new_dm(BYTES);
	assert_usable(dm, BYTES);
	assert_int_equal(uroce_free_dm(dm), 0);
	fake_worker.file_error = 0;
	countdown = 2; /* the file cannot be mapped */
	dm = new_dm(BYTES);
	assert_int_equal(countdown, 0);
	assert_usable(dm, BYTES);
	assert_int_equal(uroce_free_dm(dm), 0);
}

static void uroce_alloc_dm_without_memory_fails(void **state)
{
	struct ibv_dm *dm;

	countdown = 1;
	assert_int_equal(alloc(BYTES, 0, &dm), -ENOMEM);
	assert_int_equal(ctx->dm_bytes, 0);
	fake_worker.file_error = -ENOSYS;
	countdown = 2;
	assert_int_equal(alloc(BYTES, 0, &dm), -ENOMEM);
	assert_int_equal(ctx->dm_bytes, 0);
}

static void uroce_free_dm_changed_handle_is_rejected(void **state)
{
	struct ibv_dm *dm = new_dm(BYTES);

	dm->handle++;
	assert_int_equal(uroce_free_dm(dm), -ENOENT);
	dm->handle--;
	dm->context = NULL;
	assert_int_equal(uroce_free_dm(dm), -EINVAL);
	dm->context = ibctx;
	assert_int_equal(uroce_free_dm(dm), 0);
}

/* -- copies -- */

static void uroce_dm_copy_unaligned_returns_efault(void **state)
{
	struct ibv_dm *dm = new_dm(100);

	memset(memory, 0x11, 100);
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, memory, 100), 0);
	for (uint64_t i = 1; i < 4; i++) {
		memset(memory, 0x77, 100);
		assert_int_equal(ibv_memcpy_to_dm(dm, i, memory, 4), EFAULT);
		assert_int_equal(ibv_memcpy_to_dm(dm, 0, memory, i), EFAULT);
		assert_int_equal(ibv_memcpy_from_dm(memory, dm, i, 4), EFAULT);
		assert_int_equal(ibv_memcpy_from_dm(memory, dm, 4, i), EFAULT);
		assert_int_equal(memory[0], 0x77);
	}
	assert_int_equal(ibv_memcpy_from_dm(memory, dm, 0, 100), 0);
	assert_int_equal(memory[0], 0x11);
	assert_int_equal(uroce_free_dm(dm), 0);
}

/* The rest of the last page is not accessible. */
static void uroce_dm_copy_behind_length_returns_einval(void **state)
{
	struct ibv_dm *dm = new_dm(100);

	assert_int_equal(ibv_memcpy_to_dm(dm, 100, memory, 4), EINVAL);
	assert_int_equal(ibv_memcpy_to_dm(dm, 96, memory, 8), EINVAL);
	assert_int_equal(ibv_memcpy_to_dm(dm, UINT64_MAX - 3, memory, 8),
			 EINVAL);
	assert_int_equal(ibv_memcpy_from_dm(memory, dm, 0, 104), EINVAL);
	assert_int_equal(ibv_memcpy_from_dm(memory, dm, 4, SIZE_MAX - 3),
			 EINVAL);
	assert_int_equal(ibv_memcpy_from_dm(memory, dm, 100, 0), 0);
	assert_int_equal(uroce_free_dm(dm), 0);
}

/* -- regions -- */

static void uroce_reg_dm_mr_has_part_of_memory(void **state)
{
	const unsigned int access = IBV_ACCESS_ZERO_BASED |
				    IBV_ACCESS_LOCAL_WRITE;
	struct ibv_dm *dm = new_dm(BYTES);
	const struct uroce_region *region;
	struct ibv_mr *mr;

	assert_int_equal(reg(dm, 64, 128, access, &mr), 0);
	region = uroce_memory_find(&fake_worker.regions, mr->lkey);
	assert_non_null(region);
	assert_ptr_equal(region->base, to_uroce_dm(dm)->base + 64);
	assert_int_equal(region->iova, 0);
	assert_int_equal(region->bytes, 128);
	assert_int_equal(region->access, access);
	assert_int_equal(region->pd, to_uroce_pd(pd)->number);
	assert_int_equal(mr->length, 128);
	assert_int_equal(mr->rkey, mr->lkey);
	assert_null(mr->addr);
	assert_int_equal(uroce_free_dm(dm), -EBUSY);
	assert_int_equal(dereg(mr), 0);
	assert_int_equal(reg(dm, BYTES, 0, access, &mr), 0);
	assert_int_equal(dereg(mr), 0);
	assert_int_equal(uroce_free_dm(dm), 0);
}

static void uroce_reg_dm_mr_bad_arguments_are_rejected(void **state)
{
	struct ibv_dm *dm = new_dm(100);
	struct ibv_mr *mr;

	assert_int_equal(reg(dm, 0, 100, IBV_ACCESS_LOCAL_WRITE, &mr), -EINVAL);
	assert_int_equal(reg(dm, 0, 101, IBV_ACCESS_ZERO_BASED, &mr), -EINVAL);
	assert_int_equal(reg(dm, 101, 0, IBV_ACCESS_ZERO_BASED, &mr), -EINVAL);
	assert_int_equal(reg(dm, UINT64_MAX, 2, IBV_ACCESS_ZERO_BASED, &mr),
			 -EINVAL);
	assert_int_equal(reg(dm, 0, 4,
			     IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE,
			     &mr),
			 -EINVAL);
	assert_int_equal(reg(dm, 0, 4,
			     IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND, &mr),
			 -EOPNOTSUPP);
	dm->handle++;
	assert_int_equal(reg(dm, 0, 4, IBV_ACCESS_ZERO_BASED, &mr), -ENOENT);
	dm->handle--;
	assert_int_equal(uroce_free_dm(dm), 0);
}

static void uroce_reg_dm_mr_share_lasts_as_long_as_region(void **state)
{
	struct ibv_dm *dm = new_dm(BYTES);
	struct ibv_mr *mr;

	fake_worker.share = 7;
	assert_int_equal(reg(dm, 0, BYTES,
			     IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_READ,
			     &mr),
			 0);
	assert_int_equal(fake_worker.nr_shares, 1);
	assert_int_equal(
		uroce_memory_find(&fake_worker.regions, mr->rkey)->share, 7);
	assert_int_equal(dereg(mr), 0);
	assert_int_equal(fake_worker.nr_shares, 0);
	assert_int_equal(uroce_free_dm(dm), 0);
}

/* A region that a stopped peer may still access keeps the memory. */
static void uroce_free_dm_waits_for_failed_deregistration(void **state)
{
	struct ibv_dm *dm = new_dm(BYTES);
	struct ibv_mr *mr;

	assert_int_equal(reg(dm, 0, BYTES, IBV_ACCESS_ZERO_BASED, &mr), 0);
	fake_worker.copies_error = -EBUSY;
	assert_int_equal(dereg(mr), -EBUSY);
	assert_int_equal(uroce_free_dm(dm), -EBUSY);
	fake_worker.copies_error = 0;
	assert_int_equal(dereg(mr), 0);
	assert_int_equal(uroce_free_dm(dm), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_query_device_reports_device_memory),
		TEST(uroce_alloc_dm_is_aligned),
		TEST(uroce_alloc_dm_bad_attributes_are_rejected),
		TEST(uroce_alloc_dm_stops_at_limit),
		TEST(uroce_alloc_dm_without_file_uses_private_memory),
		TEST(uroce_alloc_dm_without_memory_fails),
		TEST(uroce_free_dm_changed_handle_is_rejected),
		TEST(uroce_dm_copy_unaligned_returns_efault),
		TEST(uroce_dm_copy_behind_length_returns_einval),
		TEST(uroce_reg_dm_mr_has_part_of_memory),
		TEST(uroce_reg_dm_mr_bad_arguments_are_rejected),
		TEST(uroce_reg_dm_mr_share_lasts_as_long_as_region),
		TEST(uroce_free_dm_waits_for_failed_deregistration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
