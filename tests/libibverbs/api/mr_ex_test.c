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

static const struct ibv_mr_init_attr *passed_attr = &fake_provider.args.mr_attr;
static struct ibv_mr_init_attr attr;
static char memory[64];

static int mr_ex_setup(void **state)
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

static struct ibv_mr *reg_test_mr(void)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = ibv_reg_mr_ex(api.pd, &attr);
	assert_non_null(mr);
	assert_int_equal(errno, SOME_ERRNO);
	return mr;
}

static void dereg_test_mr(struct ibv_mr *mr)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_dereg_mr(mr));
}

static void assert_reg_mr_ex_refused(uint64_t mask, int err)
{
	attr.comp_mask = mask;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), err);
	ASSERT_OP("alloc_pd");
}

static void reg_mr_ex_address_registers_memory(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	ASSERT_OP("reg_mr_ex");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_int_equal(passed_attr->comp_mask, IBV_REG_MR_MASK_ADDR);
	assert_ptr_equal(passed_attr->addr, memory);
	assert_int_equal(passed_attr->length, sizeof(memory));
	assert_int_equal(passed_attr->access, ACCESS);
	assert_ptr_equal(mr->context, api.ctx);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, sizeof(memory));
	dereg_test_mr(mr);
}

static void reg_mr_ex_fd_registers_dmabuf(void **state)
{
	struct ibv_mr *mr;

	attr.comp_mask = BY_FD;
	mr = reg_test_mr();
	assert_int_equal(passed_attr->comp_mask, BY_FD);
	assert_int_equal(passed_attr->fd, 33);
	assert_int_equal(passed_attr->fd_offset, 0x1000);
	assert_int_equal(passed_attr->iova, IOVA);
	assert_ptr_equal(mr->addr, (void *)0x1000);
	assert_int_equal(mr->length, sizeof(memory));
	dereg_test_mr(mr);
}

static void reg_mr_ex_without_single_memory_source_is_einval(void **state)
{
	assert_reg_mr_ex_refused(0, EINVAL);
	assert_reg_mr_ex_refused(IBV_REG_MR_MASK_IOVA, EINVAL);
	assert_reg_mr_ex_refused(BY_FD | IBV_REG_MR_MASK_ADDR, EINVAL);
	assert_reg_mr_ex_refused(BY_FD & ~IBV_REG_MR_MASK_IOVA, EINVAL);
	assert_reg_mr_ex_refused(BY_FD & ~IBV_REG_MR_MASK_FD_OFFSET, EINVAL);
	assert_reg_mr_ex_refused(
		IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_FD_OFFSET, EINVAL);
}

static void reg_mr_ex_unknown_attribute_is_eopnotsupp(void **state)
{
	assert_reg_mr_ex_refused(
		IBV_REG_MR_MASK_ADDR | (IBV_REG_MR_MASK_BUF << 1), EOPNOTSUPP);
	assert_reg_mr_ex_refused(IBV_REG_MR_MASK_ADDR | (UINT64_C(1) << 63),
				 EOPNOTSUPP);
}

static void reg_mr_ex_dmah_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_dmah dmah = { .context = other };

	assert_reg_mr_ex_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH,
				 EINVAL);
	attr.dmah = &dmah;
	assert_reg_mr_ex_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH,
				 EINVAL);
	dmah.context = api.ctx;
	dereg_test_mr(reg_test_mr());
	ASSERT_OK(ibv_close_device(other));
}

static void reg_mr_ex_keeps_attributes_of_caller(void **state)
{
	struct ibv_mr_init_attr before;

	attr.access = ACCESS | OPTIONAL;
	before = attr;
	dereg_test_mr(reg_test_mr());
	assert_memory_equal(&attr, &before, sizeof(attr));
}

static void
reg_mr_ex_optional_access_unsupported_by_kernel_is_dropped(void **state)
{
	struct ibv_mr *older, *newer;

	attr.access = ACCESS | OPTIONAL;
	older = reg_test_mr();
	assert_int_equal(passed_attr->access, ACCESS);
	verbs_priv(api.ctx)->kernel.core_support = 1;
	newer = reg_test_mr();
	assert_int_equal(passed_attr->access, ACCESS | OPTIONAL);
	dereg_test_mr(older);
	dereg_test_mr(newer);
}

/* A sanitizer detects a read beyond the end of the allocated struct. */
static void reg_mr_ex_short_struct_is_read_up_to_buf(void **state)
{
	size_t size = offsetof(struct ibv_mr_init_attr, buf);
	struct ibv_mr_init_attr *first_release_attr = malloc(size);
	struct ibv_mr *mr;

	memcpy(first_release_attr, &attr, size);
	mr = ibv_reg_mr_ex(api.pd, first_release_attr);
	assert_non_null(mr);
	assert_null(passed_attr->buf);
	dereg_test_mr(mr);
	free(first_release_attr);
}

static void reg_mr_ex_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -EFAULT;
	ASSERT_NULL(ibv_reg_mr_ex(api.pd, &attr), EFAULT);
}

/* ------------------------------------------------------------------------ */
/* Providers without the operation reg_mr_ex                                 */
/* ------------------------------------------------------------------------ */

static void remove_reg_mr_ex_op(void)
{
	static const struct verbs_context_ops none;
	struct verbs_context_ops defaults = none;

	verbs_op_table_init(&defaults, false);
	verbs_priv(api.ctx)->ops.reg_mr_ex = defaults.reg_mr_ex;
}

static void reg_mr_ex_without_op_uses_reg_mr_op(void **state)
{
	struct ibv_mr *mr;

	remove_reg_mr_ex_op();
	mr = reg_test_mr();
	ASSERT_OP("reg_mr");
	assert_ptr_equal(fake_provider.args.addr, memory);
	assert_int_equal(fake_provider.args.iova, (uintptr_t)memory);
	dereg_test_mr(mr);

	attr.comp_mask |= IBV_REG_MR_MASK_IOVA;
	mr = reg_test_mr();
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_int_equal(fake_provider.args.length, sizeof(memory));
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg_test_mr(mr);
}

static void reg_mr_ex_without_op_uses_reg_dmabuf_mr_op(void **state)
{
	struct ibv_mr *mr;

	remove_reg_mr_ex_op();
	attr.comp_mask = BY_FD;
	mr = reg_test_mr();
	ASSERT_OP("reg_dmabuf_mr");
	assert_int_equal(fake_provider.args.offset, 0x1000);
	assert_int_equal(fake_provider.args.fd, 33);
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_int_equal(fake_provider.args.length, sizeof(memory));
	assert_int_equal(fake_provider.args.access, ACCESS);
	assert_ptr_equal(mr->addr, (void *)0x1000);
	dereg_test_mr(mr);
}

static void reg_mr_ex_without_op_dmah_is_eopnotsupp(void **state)
{
	struct ibv_dmah dmah = { .context = api.ctx };

	remove_reg_mr_ex_op();
	attr.dmah = &dmah;
	assert_reg_mr_ex_refused(IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_DMAH,
				 EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Buffers                                                                   */
/* ------------------------------------------------------------------------ */

static void reg_buf_mr_part_of_buffer_registers_memory(void **state)
{
	struct ibv_buf *buf;
	char *addr = ibv_alloc_buf(api.pd, 100, &buf);
	struct ibv_mr *mr = ibv_reg_buf_mr(api.pd, buf, addr + 10, 90, ACCESS);

	assert_non_null(mr);
	ASSERT_OP("reg_mr_ex");
	assert_int_equal(passed_attr->comp_mask, IBV_REG_MR_MASK_ADDR);
	assert_ptr_equal(passed_attr->addr, addr + 10);
	assert_int_equal(passed_attr->length, 90);
	assert_int_equal(passed_attr->access, ACCESS);
	assert_ptr_equal(mr->addr, addr + 10);
	dereg_test_mr(mr);
	ibv_free_buf(buf);
}

static void reg_buf_mr_part_of_dmabuf_registers_offset(void **state)
{
	struct ibv_buf *buf;
	struct ibv_mr *mr;
	char *addr;

	fake_provider.buf_dmabuf_fd = 55;
	addr = ibv_alloc_buf(api.pd, 100, &buf);
	mr = ibv_reg_buf_mr(api.pd, buf, addr + 10, 90, ACCESS);
	assert_non_null(mr);
	assert_int_equal(passed_attr->comp_mask, BY_FD);
	assert_int_equal(passed_attr->fd, 55);
	assert_int_equal(passed_attr->fd_offset, 10);
	assert_int_equal(passed_attr->iova, (uintptr_t)addr + 10);
	assert_null(passed_attr->addr);
	assert_ptr_equal(mr->addr, addr + 10);
	assert_int_equal(mr->length, 90);
	dereg_test_mr(mr);
	ibv_free_buf(buf);
}

/* @offset is relative to the address of the buffer. */
static void assert_reg_buf_mr_refused(ptrdiff_t offset, size_t length)
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

static void reg_buf_mr_range_outside_buffer_is_einval(void **state)
{
	assert_reg_buf_mr_refused(0, 101);
	assert_reg_buf_mr_refused(100, 1);
	assert_reg_buf_mr_refused(101, 0);
	assert_reg_buf_mr_refused(-1, 1);
	assert_reg_buf_mr_refused(-1, SIZE_MAX);
	assert_reg_buf_mr_refused(1, SIZE_MAX);
}

static void reg_buf_mr_buffer_of_another_pd_is_einval(void **state)
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

static void reg_mr_ex_buf_without_address_or_with_fd_is_refused(void **state)
{
	struct ibv_buf *buf;

	attr.addr = ibv_alloc_buf(api.pd, 100, &buf);
	attr.buf = buf;
	fake_provider.last_op = "alloc_pd";
	assert_reg_mr_ex_refused(IBV_REG_MR_MASK_BUF, EINVAL);
	assert_reg_mr_ex_refused(BY_BUF | IBV_REG_MR_MASK_FD, EINVAL);
	assert_reg_mr_ex_refused(BY_BUF | IBV_REG_MR_MASK_FD_OFFSET, EINVAL);
	assert_reg_mr_ex_refused(BY_BUF | (UINT64_C(1) << 40), EOPNOTSUPP);
	ibv_free_buf(buf);
}

static void reg_mr_ex_buf_with_iova_needs_plain_memory(void **state)
{
	struct ibv_buf *buf;
	struct ibv_mr *mr;

	attr.addr = ibv_alloc_buf(api.pd, 100, &buf);
	attr.buf = buf;
	attr.comp_mask = BY_BUF | IBV_REG_MR_MASK_IOVA;
	mr = reg_test_mr();
	assert_int_equal(passed_attr->iova, IOVA);
	dereg_test_mr(mr);
	ibv_free_buf(buf);

	fake_provider.buf_dmabuf_fd = 55;
	attr.addr = ibv_alloc_buf(api.pd, 100, &buf);
	attr.buf = buf;
	fake_provider.last_op = "alloc_pd";
	assert_reg_mr_ex_refused(BY_BUF | IBV_REG_MR_MASK_IOVA, EINVAL);
	ibv_free_buf(buf);
}

/* ------------------------------------------------------------------------ */
/* Null MRs and imported MRs                                                 */
/* ------------------------------------------------------------------------ */

static void alloc_null_mr_calls_provider(void **state)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = ibv_alloc_null_mr(api.pd);
	assert_non_null(mr);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_null_mr");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	dereg_test_mr(mr);
	fake_provider.ret = -ENOSPC;
	ASSERT_NULL(ibv_alloc_null_mr(api.pd), ENOSPC);
}

static void import_mr_returns_mr_of_pd(void **state)
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

static void import_mr_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -ENOENT;
	ASSERT_NULL(ibv_import_mr(api.pd, 6), ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mr_ex_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reg_mr_ex_address_registers_memory),
		TEST(reg_mr_ex_fd_registers_dmabuf),
		TEST(reg_mr_ex_without_single_memory_source_is_einval),
		TEST(reg_mr_ex_unknown_attribute_is_eopnotsupp),
		TEST(reg_mr_ex_dmah_of_another_context_is_einval),
		TEST(reg_mr_ex_keeps_attributes_of_caller),
		TEST(reg_mr_ex_optional_access_unsupported_by_kernel_is_dropped),
		TEST(reg_mr_ex_short_struct_is_read_up_to_buf),
		TEST(reg_mr_ex_provider_failure_returns_null),
		TEST(reg_mr_ex_without_op_uses_reg_mr_op),
		TEST(reg_mr_ex_without_op_uses_reg_dmabuf_mr_op),
		TEST(reg_mr_ex_without_op_dmah_is_eopnotsupp),
		TEST(reg_buf_mr_part_of_buffer_registers_memory),
		TEST(reg_buf_mr_part_of_dmabuf_registers_offset),
		TEST(reg_buf_mr_range_outside_buffer_is_einval),
		TEST(reg_buf_mr_buffer_of_another_pd_is_einval),
		TEST(reg_mr_ex_buf_without_address_or_with_fd_is_refused),
		TEST(reg_mr_ex_buf_with_iova_needs_plain_memory),
		TEST(alloc_null_mr_calls_provider),
		TEST(import_mr_returns_mr_of_pd),
		TEST(import_mr_provider_failure_returns_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
