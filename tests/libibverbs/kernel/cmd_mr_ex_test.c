/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* verbs_cmd_reg_mr_ex(). Other MR commands: cmd_mr_test.c. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/uapi_newer.h"

#define ATTR(x)	  VERBS_UAPI_UVERBS_ATTR_REG_MR_##x
#define ACCESS	  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define IOVA	  UINT64_C(0x7700001000)
#define ADDR_MASK IBV_REG_MR_MASK_ADDR
#define FD_MASK \
	(IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET | IBV_REG_MR_MASK_IOVA)

static char memory[4096];
static struct verbs_dmah dmah = { .handle = 45 };

static int dmabuf_fd = 19;

static const struct verbs_mr before = {
	.ibv_mr = { .handle = 99, .lkey = 98, .rkey = 97 },
	.mr_type = VERBS_MR_TYPE_NULL_MR,
	.access = 96,
};

static struct ibv_mr_init_attr attr_of(uint64_t mask)
{
	return (struct ibv_mr_init_attr){
		.length = sizeof(memory),
		.access = ACCESS,
		.comp_mask = mask,
		.iova = IOVA,
		.addr = memory,
		.fd = dmabuf_fd,
		.fd_offset = 0x2000,
		.dmah = &dmah.dmah,
	};
}

/* Expects the ioctl for a request with this mask. */
static void expect_ioctl(uint64_t mask, bool driver_attrs, int err)
{
	bool has_iova = mask & IBV_REG_MR_MASK_IOVA;
	const struct fake_attr addr =
		FAKE_U64_IN(ATTR(ADDR), (uintptr_t)memory);
	const struct fake_attr fd = FAKE_NUM_IN(ATTR(FD), dmabuf_fd);
	const struct fake_attr offset = FAKE_U64_IN(ATTR(FD_OFFSET), 0x2000);
	const struct fake_attr hint = FAKE_NUM_IN(ATTR(DMA_HANDLE), 45);
	const struct fake_attr drivers[] = { TEST_DRIVER_ATTRS };
	struct fake_attr attrs[12] = {
		FAKE_NUM_OUT(ATTR(HANDLE), 71),
		FAKE_NUM_IN(ATTR(PD_HANDLE), 7),
		FAKE_U64_IN(ATTR(IOVA), has_iova ? IOVA : (uintptr_t)memory),
		FAKE_U64_IN(ATTR(LENGTH), sizeof(memory)),
		FAKE_U32_IN(ATTR(ACCESS_FLAGS), ACCESS),
		FAKE_U32_OUT(ATTR(RESP_LKEY), 72),
		FAKE_U32_OUT(ATTR(RESP_RKEY), 73),
	};
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = VERBS_UAPI_UVERBS_METHOD_REG_MR,
		.attrs = attrs,
		.nr_attrs = 7,
		.err = err,
	};

	if (mask & IBV_REG_MR_MASK_FD) {
		attrs[cmd.nr_attrs++] = fd;
		attrs[cmd.nr_attrs++] = offset;
	} else {
		attrs[cmd.nr_attrs++] = addr;
	}
	if (mask & IBV_REG_MR_MASK_DMAH)
		attrs[cmd.nr_attrs++] = hint;
	if (driver_attrs) {
		attrs[cmd.nr_attrs++] = drivers[0];
		attrs[cmd.nr_attrs++] = drivers[1];
	}
	fake_kernel_expect_ioctl(&cmd);
}

static void expect_write_command(enum test_form form, uint64_t iova, int err)
{
	const struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)memory,
		.length = sizeof(memory),
		.hca_va = iova,
		.pd_handle = 7,
		.access_flags = ACCESS,
	};
	static const struct ib_uverbs_reg_mr_resp out = {
		.mr_handle = 71,
		.lkey = 72,
		.rkey = 73,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_REG_MR,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static int run_reg(struct kernel_test *t, uint64_t mask, struct verbs_mr *vmr,
		   const struct verbs_udata *udata)
{
	const struct ibv_mr_init_attr attr = attr_of(mask);

	return verbs_cmd_reg_mr_ex(&t->pd, &attr, vmr, udata);
}

static void check_registered(struct kernel_test *t, uint64_t mask,
			     const struct verbs_mr *vmr)
{
	assert_int_equal(vmr->ibv_mr.handle, 71);
	assert_int_equal(vmr->ibv_mr.lkey, 72);
	assert_int_equal(vmr->ibv_mr.rkey, 73);
	assert_ptr_equal(vmr->ibv_mr.context, t->ctx);
	assert_int_equal(vmr->mr_type, mask & IBV_REG_MR_MASK_FD
					       ? VERBS_MR_TYPE_DMABUF_MR
					       : VERBS_MR_TYPE_MR);
	assert_int_equal(vmr->access, ACCESS);
}

static void reg_mr_ex_sends_ioctl_for_each_mask(void **state)
{
	static const uint64_t masks[] = {
		ADDR_MASK,
		ADDR_MASK | IBV_REG_MR_MASK_IOVA,
		ADDR_MASK | IBV_REG_MR_MASK_DMAH,
		ADDR_MASK | IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_DMAH,
		FD_MASK,
		FD_MASK | IBV_REG_MR_MASK_DMAH,
	};
	struct kernel_test *t = *state;

	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		struct verbs_mr vmr = {};

		expect_ioctl(masks[i], false, 0);
		assert_int_equal(run_reg(t, masks[i], &vmr, NULL), 0);
		check_registered(t, masks[i], &vmr);
	}
}

static void reg_mr_ex_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	expect_ioctl(ADDR_MASK, true, 0);
	assert_int_equal(run_reg(t, ADDR_MASK, &vmr, &t->attrs_only), 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	check_registered(t, ADDR_MASK, &vmr);

	vmr = before;
	expect_ioctl(ADDR_MASK, true, EPROTONOSUPPORT);
	assert_int_equal(run_reg(t, ADDR_MASK, &vmr, &t->attrs_only),
			 -EOPNOTSUPP);
	assert_int_equal(run_reg(t, ADDR_MASK, &vmr, &t->udata), -EOPNOTSUPP);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void
reg_mr_ex_addr_ioctl_refused_falls_back_to_write_command(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct verbs_mr vmr = before;

		t->state.refused = 0;
		expect_ioctl(ADDR_MASK, false,
			     form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
		expect_write_command(form, (uintptr_t)memory, 0);
		assert_int_equal(run_reg(t, ADDR_MASK, &vmr, NULL), 0);
		check_registered(t, ADDR_MASK, &vmr);

		expect_write_command(form, IOVA, 0);
		assert_int_equal(run_reg(t, ADDR_MASK | IBV_REG_MR_MASK_IOVA,
					 &vmr, NULL),
				 0);
	}
}

static void
reg_mr_ex_dmabuf_or_dmah_ioctl_refused_returns_eopnotsupp(void **state)
{
	static const uint64_t masks[] = {
		ADDR_MASK | IBV_REG_MR_MASK_DMAH,
		FD_MASK,
		FD_MASK | IBV_REG_MR_MASK_DMAH,
	};
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		t->state.refused = 0;
		expect_ioctl(masks[i], false, EPROTONOSUPPORT);
		assert_int_equal(run_reg(t, masks[i], &vmr, NULL), -EOPNOTSUPP);
		assert_int_equal(run_reg(t, masks[i], &vmr, NULL), -EOPNOTSUPP);
	}
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void reg_mr_ex_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		t->state.refused = 0;
		expect_ioctl(FD_MASK, false, kernel_test_errors[i]);
		assert_int_equal(run_reg(t, FD_MASK, &vmr, NULL),
				 -kernel_test_errors[i]);
		kernel_test_force(t, FORM_WRITE);
		expect_write_command(FORM_WRITE, (uintptr_t)memory,
				     kernel_test_errors[i]);
		assert_int_equal(run_reg(t, ADDR_MASK, &vmr, NULL),
				 -kernel_test_errors[i]);
	}
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void reg_mr_ex_invalid_mask_is_refused(void **state)
{
	static const struct {
		uint64_t mask;
		int ret;
	} cases[] = {
		{ 0, -EINVAL },
		{ IBV_REG_MR_MASK_IOVA, -EINVAL },
		{ ADDR_MASK | IBV_REG_MR_MASK_FD_OFFSET, -EINVAL },
		{ FD_MASK & ~(uint64_t)IBV_REG_MR_MASK_FD, -EINVAL },
		{ FD_MASK & ~(uint64_t)IBV_REG_MR_MASK_FD_OFFSET, -EINVAL },
		{ FD_MASK & ~(uint64_t)IBV_REG_MR_MASK_IOVA, -EINVAL },
		{ FD_MASK | IBV_REG_MR_MASK_ADDR, -EINVAL },
		{ ADDR_MASK | IBV_REG_MR_MASK_BUF, -EOPNOTSUPP },
		{ ADDR_MASK | (UINT64_C(1) << 32), -EOPNOTSUPP },
	};
	struct kernel_test *t = *state;
	struct ibv_mr_init_attr attr = attr_of(FD_MASK);
	struct verbs_mr vmr = before;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(run_reg(t, cases[i].mask, &vmr, NULL),
				 cases[i].ret);
	attr.fd = -1;
	assert_int_equal(verbs_cmd_reg_mr_ex(&t->pd, &attr, &vmr, NULL),
			 -EBADF);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

/* A process without standard input may have this descriptor. */
static void reg_mr_ex_dmabuf_fd_0_is_valid(void **state)
{
	struct verbs_mr vmr = {};

	dmabuf_fd = 0;
	expect_ioctl(FD_MASK, false, 0);
	assert_int_equal(run_reg(*state, FD_MASK, &vmr, NULL), 0);
	check_registered(*state, FD_MASK, &vmr);
	dmabuf_fd = 19;
}

static void reg_mr_ex_implicit_odp_sends_length_uint64_max(void **state)
{
	const int access = ACCESS | IBV_ACCESS_ON_DEMAND;
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = VERBS_UAPI_UVERBS_METHOD_REG_MR,
		FAKE_ATTRS(FAKE_NUM_OUT(ATTR(HANDLE), 71),
			   FAKE_NUM_IN(ATTR(PD_HANDLE), 7),
			   FAKE_U64_IN(ATTR(IOVA), 0),
			   FAKE_U64_IN(ATTR(ADDR), 0),
			   FAKE_U64_IN(ATTR(LENGTH), UINT64_MAX),
			   FAKE_U32_IN(ATTR(ACCESS_FLAGS), (uint32_t)access),
			   FAKE_U32_OUT(ATTR(RESP_LKEY), 72),
			   FAKE_U32_OUT(ATTR(RESP_RKEY), 73)),
	};
	struct ibv_mr_init_attr attr = {
		.length = SIZE_MAX,
		.access = access,
		.comp_mask = ADDR_MASK,
	};
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(verbs_cmd_reg_mr_ex(&t->pd, &attr, &vmr, NULL), 0);
	attr.addr = memory;
	assert_int_equal(verbs_cmd_reg_mr_ex(&t->pd, &attr, &vmr, NULL),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(reg_mr_ex_sends_ioctl_for_each_mask),
		KERNEL_TEST(reg_mr_ex_passes_driver_attrs),
		KERNEL_TEST(
			reg_mr_ex_addr_ioctl_refused_falls_back_to_write_command),
		KERNEL_TEST(
			reg_mr_ex_dmabuf_or_dmah_ioctl_refused_returns_eopnotsupp),
		KERNEL_TEST(reg_mr_ex_error_leaves_object_unchanged),
		KERNEL_TEST(reg_mr_ex_invalid_mask_is_refused),
		KERNEL_TEST(reg_mr_ex_dmabuf_fd_0_is_valid),
		KERNEL_TEST(reg_mr_ex_implicit_odp_sends_length_uint64_max),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
