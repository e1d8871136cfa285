/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device memory and DMA handle commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_dm.c and foreign_cmd_dmah.c.
 */
#include <string.h>

#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

static void expect_alloc_dm(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DM,
		.method = UVERBS_METHOD_DM_ALLOC,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_ALLOC_DM_HANDLE, 91),
			   FAKE_U64_IN(UVERBS_ATTR_ALLOC_DM_LENGTH, 4096),
			   FAKE_U32_IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 6),
			   TEST_LINK_EXPECTED),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void *fake_memcpy_to_dm(struct ibv_dm *dm, uint64_t offset,
			       const void *from, size_t len)
{
	return NULL;
}

static void foreign_cmd_alloc_dm_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_alloc_dm_attr attr = {
		.length = 4096,
		.log_align_req = 6,
	};
	/* The provider may have set its functions before the command. */
	struct verbs_dm dm = { .dm.memcpy_to_dm = (void *)fake_memcpy_to_dm };
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	expect_alloc_dm(ENOMEM);
	assert_fails(foreign_cmd_alloc_dm(t->ctx, &attr, &dm, TEST_LINK(&link)),
		     ENOMEM);
	assert_null(dm.dm.context);
	assert_int_equal(link.attrs[0].data, 0);

	expect_alloc_dm(0);
	assert_succeeds(
		foreign_cmd_alloc_dm(t->ctx, &attr, &dm, TEST_LINK(&link)));
	assert_ptr_equal(dm.dm.context, t->ctx);
	assert_int_equal(dm.handle, 91);
	assert_int_equal(dm.dm.handle, 91);
	assert_int_equal(dm.dm.comp_mask, IBV_DM_MASK_HANDLE);
	assert_ptr_equal(dm.dm.memcpy_to_dm, fake_memcpy_to_dm);
	foreign_cmd_test_check_link(&link);

	foreign_cmd_test_force_form(t, WRITE);
	assert_fails(foreign_cmd_alloc_dm(t->ctx, &attr, &dm, NULL),
		     EOPNOTSUPP);
}

#define ACCESS (IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE)

static void expect_reg_dm_mr(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_DM_MR_REG,
		FAKE_ATTRS(
			FAKE_NUM_OUT(UVERBS_ATTR_REG_DM_MR_HANDLE, 61),
			FAKE_U64_IN(UVERBS_ATTR_REG_DM_MR_OFFSET, 128),
			FAKE_U64_IN(UVERBS_ATTR_REG_DM_MR_LENGTH, 256),
			FAKE_NUM_IN(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 7),
			FAKE_U32_IN(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, ACCESS),
			FAKE_NUM_IN(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 91),
			FAKE_U32_OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 62),
			FAKE_U32_OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 63),
			TEST_LINK_EXPECTED),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void foreign_cmd_reg_dm_mr_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_dm dm = { .dm.context = t->ctx, .handle = 91 };
	struct verbs_mr vmr = { .ibv_mr.addr = &dm, .mr_type = 99 };
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	expect_reg_dm_mr(EINVAL);
	assert_fails(foreign_cmd_reg_dm_mr(&t->pd, &dm, 128, 256, ACCESS, &vmr,
					   TEST_LINK(&link)),
		     EINVAL);
	assert_ptr_equal(vmr.ibv_mr.addr, &dm);

	expect_reg_dm_mr(0);
	assert_succeeds(foreign_cmd_reg_dm_mr(&t->pd, &dm, 128, 256, ACCESS,
					      &vmr, TEST_LINK(&link)));
	assert_ptr_equal(vmr.ibv_mr.context, t->ctx);
	assert_ptr_equal(vmr.ibv_mr.pd, &t->pd);
	assert_null(vmr.ibv_mr.addr);
	assert_int_equal(vmr.ibv_mr.length, 256);
	assert_int_equal(vmr.ibv_mr.handle, 61);
	assert_int_equal(vmr.ibv_mr.lkey, 62);
	assert_int_equal(vmr.ibv_mr.rkey, 63);
	assert_int_equal(vmr.mr_type, VERBS_MR_TYPE_MR);
	foreign_cmd_test_check_link(&link);

	assert_fails(foreign_cmd_reg_dm_mr(&t->pd, &dm, 128, 256,
					   IBV_ACCESS_LOCAL_WRITE, &vmr, NULL),
		     EINVAL);
}

static void foreign_cmd_export_dmabuf_fd_returns_descriptor(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct fake_ioctl cmd = {
		.object = VERBS_UAPI_UVERBS_OBJECT_DMABUF,
		.method = VERBS_UAPI_UVERBS_METHOD_DMABUF_ALLOC,
		FAKE_ATTRS(
			FAKE_NUM_OUT(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_HANDLE,
				     17),
			FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_PGOFF,
				    0x3000)),
	};

	errno = TEST_ERRNO;
	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(foreign_cmd_export_dmabuf_fd(t->ctx, 0x3000), 17);
	assert_int_equal(errno, TEST_ERRNO);
	cmd.err = EINVAL;
	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(foreign_cmd_export_dmabuf_fd(t->ctx, 0x3000), -1);
	assert_int_equal(errno, EINVAL);
}

static void foreign_cmd_alloc_dmah_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_dmah_init_attr attr = {
		.comp_mask = IBV_DMAH_INIT_ATTR_MASK_CPU_ID |
			     IBV_DMAH_INIT_ATTR_MASK_PH,
		.cpu_id = 3,
		.ph = 2,
	};
	struct fake_ioctl cmd = {
		.object = VERBS_UAPI_UVERBS_OBJECT_DMAH,
		.method = VERBS_UAPI_UVERBS_METHOD_DMAH_ALLOC,
		FAKE_ATTRS(
			FAKE_NUM_OUT(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_HANDLE,
				     95),
			FAKE_U32_IN(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_CPU_ID,
				    3),
			FAKE_U8_IN(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_PH, 2)),
	};
	struct verbs_dmah dmah = {};

	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_alloc_dmah(t->ctx, &dmah, &attr));
	assert_ptr_equal(dmah.dmah.context, t->ctx);
	assert_int_equal(dmah.handle, 95);
	cmd.err = ENOSPC;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(foreign_cmd_alloc_dmah(t->ctx, &dmah, &attr), ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_alloc_dm_fills_object),
		FOREIGN_CMD_TEST(foreign_cmd_reg_dm_mr_fills_object),
		FOREIGN_CMD_TEST(
			foreign_cmd_export_dmabuf_fd_returns_descriptor),
		FOREIGN_CMD_TEST(foreign_cmd_alloc_dmah_fills_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
