/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registration by attributes; the other commands of MRs: cmd_mr_test.c. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/uapi_newer.h"

#define ATTR(x)	  VERBS_UAPI_UVERBS_ATTR_REG_MR_##x
#define ACCESS	  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define IOVA	  UINT64_C(0x7700001000)
#define ADDR_FORM IBV_REG_MR_MASK_ADDR
#define FD_FORM \
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

/* What the kernel must see of a request with this mask. */
static void expect_native(uint64_t mask, bool driver_attrs, int err)
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

static void expect_older(enum test_form form, uint64_t iova, int err)
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

static int reg(struct kernel_test *t, uint64_t mask, struct verbs_mr *vmr,
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

static void each_form_is_one_native_method(void **state)
{
	static const uint64_t masks[] = {
		ADDR_FORM,
		ADDR_FORM | IBV_REG_MR_MASK_IOVA,
		ADDR_FORM | IBV_REG_MR_MASK_DMAH,
		ADDR_FORM | IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_DMAH,
		FD_FORM,
		FD_FORM | IBV_REG_MR_MASK_DMAH,
	};
	struct kernel_test *t = *state;

	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		struct verbs_mr vmr = {};

		expect_native(masks[i], false, 0);
		assert_int_equal(reg(t, masks[i], &vmr, NULL), 0);
		check_registered(t, masks[i], &vmr);
	}
}

static void attributes_of_the_driver_are_sent(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	expect_native(ADDR_FORM, true, 0);
	assert_int_equal(reg(t, ADDR_FORM, &vmr, &t->attrs_only), 0);
	assert_true(kernel_test_driver_answered(t));
	check_registered(t, ADDR_FORM, &vmr);

	vmr = before;
	expect_native(ADDR_FORM, true, EPROTONOSUPPORT);
	assert_int_equal(reg(t, ADDR_FORM, &vmr, &t->attrs_only), -EOPNOTSUPP);
	assert_int_equal(reg(t, ADDR_FORM, &vmr, &t->udata), -EOPNOTSUPP);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void memory_falls_back_to_the_older_command(void **state)
{
	struct kernel_test *t = *state;

	for (int form = WRAPPED; form <= WRITE; form++) {
		struct verbs_mr vmr = before;

		t->state.refused = 0;
		expect_native(ADDR_FORM, false,
			      form == WRITE ? ENOTTY : EPROTONOSUPPORT);
		expect_older(form, (uintptr_t)memory, 0);
		assert_int_equal(reg(t, ADDR_FORM, &vmr, NULL), 0);
		check_registered(t, ADDR_FORM, &vmr);

		expect_older(form, IOVA, 0);
		assert_int_equal(
			reg(t, ADDR_FORM | IBV_REG_MR_MASK_IOVA, &vmr, NULL),
			0);
	}
}

static void what_the_older_command_cannot_say_is_not_supported(void **state)
{
	static const uint64_t masks[] = {
		ADDR_FORM | IBV_REG_MR_MASK_DMAH,
		FD_FORM,
		FD_FORM | IBV_REG_MR_MASK_DMAH,
	};
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		t->state.refused = 0;
		expect_native(masks[i], false, EPROTONOSUPPORT);
		assert_int_equal(reg(t, masks[i], &vmr, NULL), -EOPNOTSUPP);
		assert_int_equal(reg(t, masks[i], &vmr, NULL), -EOPNOTSUPP);
	}
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void registration_that_fails_leaves_the_object(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		t->state.refused = 0;
		expect_native(FD_FORM, false, kernel_test_errors[i]);
		assert_int_equal(reg(t, FD_FORM, &vmr, NULL),
				 -kernel_test_errors[i]);
		kernel_test_force(t, WRITE);
		expect_older(WRITE, (uintptr_t)memory, kernel_test_errors[i]);
		assert_int_equal(reg(t, ADDR_FORM, &vmr, NULL),
				 -kernel_test_errors[i]);
	}
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void masks_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		uint64_t mask;
		int ret;
	} cases[] = {
		{ 0, -EINVAL },
		{ IBV_REG_MR_MASK_IOVA, -EINVAL },
		{ ADDR_FORM | IBV_REG_MR_MASK_FD_OFFSET, -EINVAL },
		{ FD_FORM & ~(uint64_t)IBV_REG_MR_MASK_FD, -EINVAL },
		{ FD_FORM & ~(uint64_t)IBV_REG_MR_MASK_FD_OFFSET, -EINVAL },
		{ FD_FORM & ~(uint64_t)IBV_REG_MR_MASK_IOVA, -EINVAL },
		{ FD_FORM | IBV_REG_MR_MASK_ADDR, -EINVAL },
		{ ADDR_FORM | IBV_REG_MR_MASK_BUF, -EOPNOTSUPP },
		{ ADDR_FORM | (UINT64_C(1) << 32), -EOPNOTSUPP },
	};
	struct kernel_test *t = *state;
	struct ibv_mr_init_attr attr = attr_of(FD_FORM);
	struct verbs_mr vmr = before;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(reg(t, cases[i].mask, &vmr, NULL),
				 cases[i].ret);
	attr.fd = -1;
	assert_int_equal(verbs_cmd_reg_mr_ex(&t->pd, &attr, &vmr, NULL),
			 -EBADF);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

/* A process without standard input may get this number. */
static void descriptor_0_is_one(void **state)
{
	struct verbs_mr vmr = {};

	dmabuf_fd = 0;
	expect_native(FD_FORM, false, 0);
	assert_int_equal(reg(*state, FD_FORM, &vmr, NULL), 0);
	check_registered(*state, FD_FORM, &vmr);
	dmabuf_fd = 19;
}

static void whole_address_space_is_64_bits_long(void **state)
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
		.comp_mask = ADDR_FORM,
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
		KERNEL_TEST(each_form_is_one_native_method),
		KERNEL_TEST(attributes_of_the_driver_are_sent),
		KERNEL_TEST(memory_falls_back_to_the_older_command),
		KERNEL_TEST(what_the_older_command_cannot_say_is_not_supported),
		KERNEL_TEST(registration_that_fails_leaves_the_object),
		KERNEL_TEST(masks_that_make_no_sense_are_refused),
		KERNEL_TEST(descriptor_0_is_one),
		KERNEL_TEST(whole_address_space_is_64_bits_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
