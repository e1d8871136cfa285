/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of device memory. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <limits.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <string.h>

#include "kernel/uapi_newer.h"

#define ACCESS (IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_READ)

static const struct ibv_alloc_dm_attr dm_attr = {
	.length = 0x12345678,
	.log_align_req = 12,
};

/* ------------------------------------------------------------------------ */
/* Allocation                                                                */
/* ------------------------------------------------------------------------ */

static void expect_alloc(bool driver_attrs, int err)
{
	const struct fake_attr attrs[] = {
		FAKE_NUM_OUT(UVERBS_ATTR_ALLOC_DM_HANDLE, 43),
		FAKE_U64_IN(UVERBS_ATTR_ALLOC_DM_LENGTH, 0x12345678),
		FAKE_U32_IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 12),
		TEST_DRIVER_ATTRS,
	};
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DM,
		.method = UVERBS_METHOD_DM_ALLOC,
		.attrs = attrs,
		.nr_attrs = driver_attrs ? 5 : 3,
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void alloc_dm_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_dm dm = {};

	expect_alloc(false, 0);
	assert_int_equal(verbs_cmd_alloc_dm(t->ctx, &dm_attr, &dm, NULL), 0);
	assert_int_equal(dm.handle, 43);
	assert_ptr_equal(dm.dm.context, t->ctx);
	assert_int_equal(dm.dm.comp_mask, IBV_DM_MASK_HANDLE);
	assert_int_equal(dm.dm.handle, 43);
	assert_null(dm.dm.memcpy_to_dm);
}

static void alloc_dm_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_dm dm = {};

	expect_alloc(true, 0);
	assert_int_equal(
		verbs_cmd_alloc_dm(t->ctx, &dm_attr, &dm, &t->attrs_only), 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(verbs_cmd_alloc_dm(t->ctx, &dm_attr, &dm, &t->udata),
			 -EOPNOTSUPP);
}

static void alloc_dm_error_leaves_object_unchanged(void **state)
{
	const struct verbs_dm before = { .handle = 99 };
	const struct ibv_alloc_dm_attr unknown = { .comp_mask = 1 };
	struct kernel_test *t = *state;
	struct verbs_dm dm = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_alloc(false, kernel_test_errors[i]);
		assert_int_equal(
			verbs_cmd_alloc_dm(t->ctx, &dm_attr, &dm, NULL),
			-kernel_test_errors[i]);
	}
	assert_int_equal(verbs_cmd_alloc_dm(t->ctx, &unknown, &dm, NULL),
			 -EOPNOTSUPP);
	expect_alloc(false, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			verbs_cmd_alloc_dm(t->ctx, &dm_attr, &dm, NULL),
			-EOPNOTSUPP);
	assert_memory_equal(&dm, &before, sizeof(before));
}

static int run_free(struct kernel_test *t)
{
	struct verbs_dm dm = { .dm.context = t->ctx, .handle = 43 };

	return verbs_cmd_free_dm(&dm);
}

static const struct destroy_case free_dm_case = {
	.cap = KERNEL_CAP_FREE_DM,
	.handle_attr = UVERBS_ATTR_FREE_DM_HANDLE,
	.ioctl_only = true,
	.handle = 43,
	.run = run_free,
};

DESTROY_IOCTL_ONLY_TESTS(free_dm)

/* ------------------------------------------------------------------------ */
/* Registration                                                              */
/* ------------------------------------------------------------------------ */

static void expect_reg(bool driver_attrs, int err)
{
	const struct fake_attr attrs[] = {
		FAKE_NUM_OUT(UVERBS_ATTR_REG_DM_MR_HANDLE, 71),
		FAKE_U64_IN(UVERBS_ATTR_REG_DM_MR_OFFSET, 0x1000),
		FAKE_U64_IN(UVERBS_ATTR_REG_DM_MR_LENGTH, 0x2000),
		FAKE_NUM_IN(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 7),
		FAKE_U32_IN(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, ACCESS),
		FAKE_NUM_IN(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 43),
		FAKE_U32_OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 72),
		FAKE_U32_OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 73),
		TEST_DRIVER_ATTRS,
	};
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_DM_MR_REG,
		.attrs = attrs,
		.nr_attrs = driver_attrs ? 10 : 8,
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_reg(struct kernel_test *t, unsigned int access,
		   struct verbs_mr *vmr, const struct verbs_udata *udata)
{
	struct verbs_dm dm = { .dm.context = t->ctx, .handle = 43 };

	return verbs_cmd_reg_dm_mr(&t->pd, &dm, 0x1000, 0x2000, access, vmr,
				   udata);
}

static void reg_dm_mr_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = { .mr_type = VERBS_MR_TYPE_NULL_MR };

	expect_reg(false, 0);
	assert_int_equal(run_reg(t, ACCESS, &vmr, NULL), 0);
	assert_int_equal(vmr.ibv_mr.handle, 71);
	assert_int_equal(vmr.ibv_mr.lkey, 72);
	assert_int_equal(vmr.ibv_mr.rkey, 73);
	assert_int_equal(vmr.ibv_mr.length, 0x2000);
	assert_ptr_equal(vmr.ibv_mr.context, t->ctx);
	assert_ptr_equal(vmr.ibv_mr.pd, &t->pd);
	assert_null(vmr.ibv_mr.addr);
	assert_int_equal(vmr.mr_type, VERBS_MR_TYPE_MR);
	assert_int_equal(vmr.access, ACCESS);
}

static void reg_dm_mr_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	expect_reg(true, 0);
	assert_int_equal(run_reg(t, ACCESS, &vmr, &t->attrs_only), 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(run_reg(t, ACCESS, &vmr, &t->udata), -EOPNOTSUPP);
}

static void reg_dm_mr_error_leaves_object_unchanged(void **state)
{
	const struct verbs_mr before = { .ibv_mr.handle = 99 };
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_reg(false, kernel_test_errors[i]);
		assert_int_equal(run_reg(t, ACCESS, &vmr, NULL),
				 -kernel_test_errors[i]);
	}
	assert_int_equal(run_reg(t, IBV_ACCESS_REMOTE_READ, &vmr, NULL),
			 -EINVAL);
	expect_reg(false, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(run_reg(t, ACCESS, &vmr, NULL), -EOPNOTSUPP);
	assert_memory_equal(&vmr, &before, sizeof(before));
}

/* ------------------------------------------------------------------------ */
/* Export as dma-buf                                                         */
/* ------------------------------------------------------------------------ */

static void expect_export(uint64_t fd, int err)
{
	const struct fake_ioctl cmd = {
		.object = VERBS_UAPI_UVERBS_OBJECT_DMABUF,
		.method = VERBS_UAPI_UVERBS_METHOD_DMABUF_ALLOC,
		FAKE_ATTRS(
			FAKE_NUM_OUT(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_HANDLE,
				     fd),
			FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_PGOFF,
				    0x7000)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void export_dmabuf_returns_descriptor(void **state)
{
	struct kernel_test *t = *state;
	int fd = -1;

	expect_export(88, 0);
	assert_int_equal(verbs_cmd_export_dmabuf_fd(t->ctx, 0x7000, &fd), 0);
	assert_int_equal(fd, 88);
}

static void export_dmabuf_error_leaves_output_unchanged(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	expect_export(88, EINVAL);
	assert_int_equal(verbs_cmd_export_dmabuf_fd(t->ctx, 0x7000, &fd),
			 -EINVAL);
	expect_export((uint64_t)INT_MAX + 1, 0);
	assert_int_equal(verbs_cmd_export_dmabuf_fd(t->ctx, 0x7000, &fd),
			 -EPROTO);
	expect_export(88, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			verbs_cmd_export_dmabuf_fd(t->ctx, 0x7000, &fd),
			-EOPNOTSUPP);
	assert_int_equal(fd, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(alloc_dm_sends_ioctl),
		KERNEL_TEST(alloc_dm_passes_driver_attrs),
		KERNEL_TEST(alloc_dm_error_leaves_object_unchanged),
		DESTROY_IOCTL_ONLY_TEST_LIST(free_dm),
		KERNEL_TEST(reg_dm_mr_sends_ioctl),
		KERNEL_TEST(reg_dm_mr_passes_driver_attrs),
		KERNEL_TEST(reg_dm_mr_error_leaves_object_unchanged),
		KERNEL_TEST(export_dmabuf_returns_descriptor),
		KERNEL_TEST(export_dmabuf_error_leaves_output_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
