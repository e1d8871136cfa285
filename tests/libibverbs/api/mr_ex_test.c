/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_reg_mr_ex(3), ibv_reg_buf_mr(3), ibv_alloc_null_mr(3), ibv_import_mr(3):
 * libibverbs/api/mr.c.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core_context.h"
#include "core/op_table.h"
#include "libibverbs/api/api_fixture.h"

#define ACCESS	 IBV_ACCESS_LOCAL_WRITE
#define OPTIONAL IBV_ACCESS_RELAXED_ORDERING
#define IOVA	 UINT64_C(0x123456789abcdef0)
#define BY_FD \
	(IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET | IBV_REG_MR_MASK_IOVA)
#define BY_BUF (IBV_REG_MR_MASK_BUF | IBV_REG_MR_MASK_ADDR)

static const struct ibv_mr_init_attr *given = &fake_provider.args.mr_attr;
static struct ibv_mr_init_attr attr;
static char memory[64];

static int start(void **state)
{
	attr = (struct ibv_mr_init_attr){
		.length = sizeof(memory),
		.access = ACCESS,
		.comp_mask = IBV_REG_MR_MASK_ADDR,
		.iova = IOVA,
		.addr = memory,
		.fd = 33,
		.fd_offset = 0x1000,
	};
	return api_open(state);
}

static struct ibv_mr *reg(void)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = ibv_reg_mr_ex(api.pd, &attr);
	assert_non_null(mr);
	assert_int_equal(errno, SOME_ERRNO);
	return mr;
}

static void dereg(struct ibv_mr *mr)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_dereg_mr(mr));
}

static void assert_refused(uint64_t mask, int err)
{
	attr.comp_mask = mask;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), err);
	ASSERT_OP("alloc_pd");
}

static void memory_at_an_address(void **state)
{
	struct ibv_mr *mr = reg();

	ASSERT_OP("reg_mr_ex");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_int_equal(given->comp_mask, IBV_REG_MR_MASK_ADDR);
	assert_ptr_equal(given->addr, memory);
	assert_int_equal(given->length, sizeof(memory));
	assert_int_equal(given->access, ACCESS);
	assert_ptr_equal(mr->context, api.ctx);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, sizeof(memory));
	dereg(mr);
}

static void memory_in_a_dmabuf(void **state)
{
	struct ibv_mr *mr;

	attr.comp_mask = BY_FD;
	mr = reg();
	assert_int_equal(given->comp_mask, BY_FD);
	assert_int_equal(given->fd, 33);
	assert_int_equal(given->fd_offset, 0x1000);
	assert_int_equal(given->iova, IOVA);
	assert_ptr_equal(mr->addr, (void *)0x1000);
	assert_int_equal(mr->length, sizeof(memory));
	dereg(mr);
}

static void memory_is_in_one_place(void **state)
{
	assert_refused(0, EINVAL);
	assert_refused(IBV_REG_MR_MASK_IOVA, EINVAL);
	assert_refused(BY_FD | IBV_REG_MR_MASK_ADDR, EINVAL);
	assert_refused(BY_FD & ~IBV_REG_MR_MASK_IOVA, EINVAL);
	assert_refused(BY_FD & ~IBV_REG_MR_MASK_FD_OFFSET, EINVAL);
	assert_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_FD_OFFSET,
		       EINVAL);
}

static void unknown_attributes_are_eopnotsupp(void **state)
{
	assert_refused(IBV_REG_MR_MASK_ADDR | (IBV_REG_MR_MASK_BUF << 1),
		       EOPNOTSUPP);
	assert_refused(IBV_REG_MR_MASK_ADDR | (UINT64_C(1) << 63), EOPNOTSUPP);
}

static void hints_are_of_the_same_context(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_dmah dmah = { .context = other };

	assert_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH, EINVAL);
	attr.dmah = &dmah;
	assert_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH, EINVAL);
	dmah.context = api.ctx;
	dereg(reg());
	ASSERT_OK(ibv_close_device(other));
}

static void attributes_of_the_caller_stay(void **state)
{
	struct ibv_mr_init_attr before;

	attr.access = ACCESS | OPTIONAL;
	before = attr;
	dereg(reg());
	assert_memory_equal(&attr, &before, sizeof(attr));
}

static void optional_access_is_dropped_for_older_kernels(void **state)
{
	struct ibv_mr *older, *newer;

	attr.access = ACCESS | OPTIONAL;
	older = reg();
	assert_int_equal(given->access, ACCESS);
	verbs_priv(api.ctx)->kernel.core_support = 1;
	newer = reg();
	assert_int_equal(given->access, ACCESS | OPTIONAL);
	dereg(older);
	dereg(newer);
}

/* A sanitizer sees a read behind the block. */
static void struct_of_the_first_programs_ends_before_buf(void **state)
{
	size_t size = offsetof(struct ibv_mr_init_attr, buf);
	struct ibv_mr_init_attr *first = malloc(size);
	struct ibv_mr *mr;

	memcpy(first, &attr, size);
	mr = ibv_reg_mr_ex(api.pd, first);
	assert_non_null(mr);
	assert_null(given->buf);
	dereg(mr);
	free(first);
}

static void failure_is_null(void **state)
{
	fake_provider.ret = -EFAULT;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), EFAULT);
}

/* ------------------------------------------------------------------------ */
/* Providers that only have the older operations                             */
/* ------------------------------------------------------------------------ */

static void has_older_ops_only(void)
{
	static const struct verbs_context_ops none;
	struct verbs_context_ops defaults = none;

	verbs_op_table_init(&defaults, false);
	verbs_priv(api.ctx)->ops.reg_mr_ex = defaults.reg_mr_ex;
}

static void older_operation_takes_an_address(void **state)
{
	struct ibv_mr *mr;

	has_older_ops_only();
	mr = reg();
	ASSERT_OP("reg_mr");
	assert_ptr_equal(fake_provider.args.addr, memory);
	assert_int_equal(fake_provider.args.iova, (uintptr_t)memory);
	dereg(mr);

	attr.comp_mask |= IBV_REG_MR_MASK_IOVA;
	mr = reg();
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_int_equal(fake_provider.args.length, sizeof(memory));
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg(mr);
}

static void older_operation_takes_a_dmabuf(void **state)
{
	struct ibv_mr *mr;

	has_older_ops_only();
	attr.comp_mask = BY_FD;
	mr = reg();
	ASSERT_OP("reg_dmabuf_mr");
	assert_int_equal(fake_provider.args.offset, 0x1000);
	assert_int_equal(fake_provider.args.fd, 33);
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_int_equal(fake_provider.args.length, sizeof(memory));
	assert_int_equal(fake_provider.args.access, ACCESS);
	assert_ptr_equal(mr->addr, (void *)0x1000);
	dereg(mr);
}

static void older_operations_have_no_hints(void **state)
{
	struct ibv_dmah dmah = { .context = api.ctx };

	has_older_ops_only();
	attr.dmah = &dmah;
	assert_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH, EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Buffers                                                                   */
/* ------------------------------------------------------------------------ */

static void part_of_a_buffer_is_memory(void **state)
{
	struct ibv_buf *buf;
	char *addr = ibv_alloc_buf(api.pd, 100, &buf);
	struct ibv_mr *mr = ibv_reg_buf_mr(api.pd, buf, addr + 10, 90, ACCESS);

	assert_non_null(mr);
	ASSERT_OP("reg_mr_ex");
	assert_int_equal(given->comp_mask, IBV_REG_MR_MASK_ADDR);
	assert_ptr_equal(given->addr, addr + 10);
	assert_int_equal(given->length, 90);
	assert_int_equal(given->access, ACCESS);
	assert_ptr_equal(mr->addr, addr + 10);
	dereg(mr);
	ibv_free_buf(buf);
}

static void part_of_a_dmabuf_is_found_by_its_offset(void **state)
{
	struct ibv_buf *buf;
	struct ibv_mr *mr;
	char *addr;

	fake_provider.buf_dmabuf_fd = 55;
	addr = ibv_alloc_buf(api.pd, 100, &buf);
	mr = ibv_reg_buf_mr(api.pd, buf, addr + 10, 90, ACCESS);
	assert_non_null(mr);
	assert_int_equal(given->comp_mask, BY_FD);
	assert_int_equal(given->fd, 55);
	assert_int_equal(given->fd_offset, 10);
	assert_int_equal(given->iova, (uintptr_t)addr + 10);
	assert_null(given->addr);
	assert_ptr_equal(mr->addr, addr + 10);
	assert_int_equal(mr->length, 90);
	dereg(mr);
	ibv_free_buf(buf);
}

/* reg_buf_mr() with an address and a length relative to the buffer. */
static void assert_outside(ptrdiff_t offset, size_t length)
{
	struct ibv_buf *buf;
	char *addr = ibv_alloc_buf(api.pd, 100, &buf);

	ASSERT_NULL(
		ibv_reg_buf_mr(api.pd, buf,
			       (void *)((uintptr_t)addr + (uintptr_t)offset),
			       length, ACCESS),
		EINVAL);
	ASSERT_OP("alloc_buf");
	ibv_free_buf(buf);
}

static void what_is_not_in_the_buffer_is_einval(void **state)
{
	assert_outside(0, 101);
	assert_outside(100, 1);
	assert_outside(101, 0);
	assert_outside(-1, 1);
	assert_outside(-1, SIZE_MAX);
	assert_outside(1, SIZE_MAX);
}

static void buffer_of_another_pd_is_einval(void **state)
{
	struct ibv_pd *other = ibv_alloc_pd(api.ctx);
	struct ibv_buf *buf;
	void *addr = ibv_alloc_buf(api.pd, 100, &buf);

	ASSERT_NULL(ibv_reg_buf_mr(other, buf, addr, 100, ACCESS), EINVAL);
	ASSERT_NULL(ibv_reg_buf_mr(api.pd, NULL, addr, 100, ACCESS), EINVAL);
	ASSERT_NULL(ibv_reg_buf_mr(NULL, buf, addr, 100, ACCESS), EINVAL);
	ibv_free_buf(buf);
	ASSERT_OK(ibv_dealloc_pd(other));
}

static void buffer_needs_an_address_and_no_descriptor(void **state)
{
	struct ibv_buf *buf;

	attr.addr = ibv_alloc_buf(api.pd, 100, &buf);
	attr.buf = buf;
	fake_provider.last_op = "alloc_pd";
	assert_refused(IBV_REG_MR_MASK_BUF, EINVAL);
	assert_refused(BY_BUF | IBV_REG_MR_MASK_FD, EINVAL);
	assert_refused(BY_BUF | IBV_REG_MR_MASK_FD_OFFSET, EINVAL);
	assert_refused(BY_BUF | (UINT64_C(1) << 40), EOPNOTSUPP);
	ibv_free_buf(buf);
}

static void iova_is_for_buffers_of_plain_memory_only(void **state)
{
	struct ibv_buf *buf;
	struct ibv_mr *mr;

	attr.addr = ibv_alloc_buf(api.pd, 100, &buf);
	attr.buf = buf;
	attr.comp_mask = BY_BUF | IBV_REG_MR_MASK_IOVA;
	mr = reg();
	assert_int_equal(given->iova, IOVA);
	dereg(mr);
	ibv_free_buf(buf);

	fake_provider.buf_dmabuf_fd = 55;
	attr.addr = ibv_alloc_buf(api.pd, 100, &buf);
	attr.buf = buf;
	fake_provider.last_op = "alloc_pd";
	assert_refused(BY_BUF | IBV_REG_MR_MASK_IOVA, EINVAL);
	ibv_free_buf(buf);
}

/* ------------------------------------------------------------------------ */
/* No memory, and that of others                                             */
/* ------------------------------------------------------------------------ */

static void null_mr_comes_from_the_provider(void **state)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = ibv_alloc_null_mr(api.pd);
	assert_non_null(mr);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_null_mr");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	dereg(mr);
	fake_provider.ret = -ENOSPC;
	ASSERT_NULL(ibv_alloc_null_mr(api.pd), ENOSPC);
}

static void imported_mr_belongs_to_the_pd(void **state)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = ibv_import_mr(api.pd, 6);
	assert_non_null(mr);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("import_mr");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_int_equal(fake_provider.args.handle, 6);
	assert_ptr_equal(mr->context, api.ctx);
	assert_ptr_equal(mr->pd, api.pd);
	ibv_unimport_mr(mr);
	ASSERT_OP("unimport_mr");
	assert_int_equal(fake_provider.nr_objects, 1);
	ibv_unimport_mr(NULL);
}

static void failure_of_import_is_null(void **state)
{
	fake_provider.ret = -ENOENT;
	ASSERT_NULL(ibv_import_mr(api.pd, 6), ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_at_an_address),
		TEST(memory_in_a_dmabuf),
		TEST(memory_is_in_one_place),
		TEST(unknown_attributes_are_eopnotsupp),
		TEST(hints_are_of_the_same_context),
		TEST(attributes_of_the_caller_stay),
		TEST(optional_access_is_dropped_for_older_kernels),
		TEST(struct_of_the_first_programs_ends_before_buf),
		TEST(failure_is_null),
		TEST(older_operation_takes_an_address),
		TEST(older_operation_takes_a_dmabuf),
		TEST(older_operations_have_no_hints),
		TEST(part_of_a_buffer_is_memory),
		TEST(part_of_a_dmabuf_is_found_by_its_offset),
		TEST(what_is_not_in_the_buffer_is_einval),
		TEST(buffer_of_another_pd_is_einval),
		TEST(buffer_needs_an_address_and_no_descriptor),
		TEST(iova_is_for_buffers_of_plain_memory_only),
		TEST(null_mr_comes_from_the_provider),
		TEST(imported_mr_belongs_to_the_pd),
		TEST(failure_of_import_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
