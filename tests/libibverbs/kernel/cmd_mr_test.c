/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of memory regions. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define IOVA   UINT64_C(0x7700001000)

static char memory[4096];

static const struct verbs_mr before = {
	.ibv_mr = { .handle = 99, .lkey = 98, .rkey = 97 },
	.access = 96,
};

/* ------------------------------------------------------------------------ */
/* Registration                                                              */
/* ------------------------------------------------------------------------ */

static void expect_reg(struct kernel_test *t, enum test_form form,
		       const struct ib_uverbs_reg_mr *in, int err)
{
	static const struct ib_uverbs_reg_mr_resp out = {
		.mr_handle = 71,
		.lkey = 72,
		.rkey = 73,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_REG_MR,
		.in = in,
		.in_len = sizeof(*in),
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static const struct ib_uverbs_reg_mr *reg_request(void)
{
	static struct ib_uverbs_reg_mr in;

	in = (struct ib_uverbs_reg_mr){
		.start = (uintptr_t)memory,
		.length = sizeof(memory),
		.hca_va = IOVA,
		.pd_handle = 7,
		.access_flags = ACCESS,
	};
	return &in;
}

static int run_reg(struct kernel_test *t, struct verbs_mr *vmr)
{
	return verbs_cmd_reg_mr(&t->pd, memory, sizeof(memory), IOVA, ACCESS,
				vmr, &t->udata);
}

static void check_registered(struct kernel_test *t, const struct verbs_mr *vmr,
			     enum verbs_mr_type type, int access)
{
	assert_ptr_equal(vmr->ibv_mr.context, t->ctx);
	assert_int_equal(vmr->ibv_mr.handle, 71);
	assert_int_equal(vmr->ibv_mr.lkey, 72);
	assert_int_equal(vmr->ibv_mr.rkey, 73);
	assert_int_equal(vmr->mr_type, type);
	assert_int_equal(vmr->access, access);
}

static void check_reg(struct kernel_test *t, enum test_form form)
{
	struct verbs_mr vmr = {};

	kernel_test_force(t, form);
	expect_reg(t, form, reg_request(), 0);
	assert_int_equal(run_reg(t, &vmr), 0);
	check_registered(t, &vmr, VERBS_MR_TYPE_MR, ACCESS);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

static void reg_mr_sends_invoke_write(void **state)
{
	check_reg(*state, FORM_INVOKE_WRITE);
}

static void reg_mr_sends_write(void **state)
{
	check_reg(*state, FORM_WRITE);
}

static void reg_mr_ioctl_refused_falls_back_to_write(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	expect_reg(t, FORM_INVOKE_WRITE, reg_request(), ENOTTY);
	expect_reg(t, FORM_WRITE, reg_request(), 0);
	assert_int_equal(run_reg(t, &vmr), 0);
	check_registered(t, &vmr, VERBS_MR_TYPE_MR, ACCESS);
}

static void reg_mr_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct verbs_mr vmr = before;

		kernel_test_force(t, form);
		expect_reg(t, form, reg_request(), EFAULT);
		assert_int_equal(run_reg(t, &vmr), -EFAULT);
		assert_memory_equal(&vmr, &before, sizeof(vmr));
	}
}

static void reg_mr_implicit_odp_sends_length_uint64_max(void **state)
{
	struct kernel_test *t = *state;
	const struct ib_uverbs_reg_mr in = {
		.length = UINT64_MAX,
		.pd_handle = 7,
		.access_flags = IBV_ACCESS_ON_DEMAND,
	};
	struct verbs_mr vmr = {};

	expect_reg(t, FORM_INVOKE_WRITE, &in, 0);
	assert_int_equal(verbs_cmd_reg_mr(&t->pd, NULL, SIZE_MAX, 0,
					  IBV_ACCESS_ON_DEMAND, &vmr,
					  &t->udata),
			 0);
	check_registered(t, &vmr, VERBS_MR_TYPE_MR, IBV_ACCESS_ON_DEMAND);
}

static void reg_mr_implicit_odp_with_addr_returns_einval(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	assert_int_equal(verbs_cmd_reg_mr(&t->pd, memory, SIZE_MAX, 0,
					  IBV_ACCESS_ON_DEMAND, &vmr, NULL),
			 -EINVAL);
}

/* Without the flag or without SIZE_MAX the kernel checks the values. */
static void reg_mr_implicit_odp_requires_flag_and_size_max(void **state)
{
	struct kernel_test *t = *state;
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)memory,
		.length = SIZE_MAX,
		.hca_va = IOVA,
		.pd_handle = 7,
	};
	struct verbs_mr vmr = {};

	expect_reg(t, FORM_INVOKE_WRITE, &in, EINVAL);
	assert_int_equal(verbs_cmd_reg_mr(&t->pd, memory, SIZE_MAX, IOVA, 0,
					  &vmr, &t->udata),
			 -EINVAL);
	in.length = sizeof(memory);
	in.access_flags = IBV_ACCESS_ON_DEMAND;
	expect_reg(t, FORM_INVOKE_WRITE, &in, 0);
	assert_int_equal(verbs_cmd_reg_mr(&t->pd, memory, sizeof(memory), IOVA,
					  IBV_ACCESS_ON_DEMAND, &vmr,
					  &t->udata),
			 0);
}

/* ------------------------------------------------------------------------ */
/* Re-registration                                                           */
/* ------------------------------------------------------------------------ */

static void expect_rereg(struct kernel_test *t, enum test_form form,
			 uint32_t flags, uint32_t pd_handle, int err)
{
	static const struct ib_uverbs_rereg_mr_resp out = {
		.lkey = 82,
		.rkey = 83,
	};
	const struct ib_uverbs_rereg_mr in = {
		.mr_handle = 99,
		.flags = flags,
		.start = (uintptr_t)memory,
		.length = sizeof(memory),
		.hca_va = IOVA,
		.pd_handle = pd_handle,
		.access_flags = ACCESS,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_REREG_MR,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static int run_rereg(struct kernel_test *t, struct verbs_mr *vmr, int flags)
{
	*vmr = before;
	vmr->ibv_mr.context = t->ctx;
	return verbs_cmd_rereg_mr(vmr, flags, &t->pd, memory, sizeof(memory),
				  IOVA, ACCESS, &t->udata);
}

static void rereg_mr_all_flags_update_object(void **state)
{
	const int flags = IBV_REREG_MR_FLAGS_SUPPORTED;
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct verbs_mr vmr;

		expect_rereg(t, form, flags, 7, 0);
		assert_int_equal(run_rereg(t, &vmr, flags), 0);
		assert_int_equal(vmr.ibv_mr.handle, 99);
		assert_int_equal(vmr.ibv_mr.lkey, 82);
		assert_int_equal(vmr.ibv_mr.rkey, 83);
		assert_int_equal(vmr.access, ACCESS);
	}
}

static void rereg_mr_without_change_pd_sends_pd_handle_0(void **state)
{
	const int flags = IBV_REREG_MR_CHANGE_TRANSLATION;
	struct kernel_test *t = *state;
	struct verbs_mr vmr;

	expect_rereg(t, FORM_INVOKE_WRITE, flags, 0, 0);
	assert_int_equal(run_rereg(t, &vmr, flags), 0);
	assert_int_equal(vmr.access, 96);
}

/* The new PD may belong to an imported context. */
static void rereg_mr_change_pd_updates_context(void **state)
{
	const int moves = IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS;
	struct kernel_test *t = *state;
	struct ibv_context imported;
	struct verbs_mr vmr;

	t->pd.context = &imported;
	expect_rereg(t, FORM_INVOKE_WRITE, moves, 7, 0);
	assert_int_equal(run_rereg(t, &vmr, moves), 0);
	assert_ptr_equal(vmr.ibv_mr.context, &imported);
	expect_rereg(t, FORM_INVOKE_WRITE, IBV_REREG_MR_CHANGE_ACCESS, 0, 0);
	assert_int_equal(run_rereg(t, &vmr, IBV_REREG_MR_CHANGE_ACCESS), 0);
	assert_ptr_equal(vmr.ibv_mr.context, t->ctx);
}

static void rereg_mr_error_leaves_object_unchanged(void **state)
{
	const int flags = IBV_REREG_MR_FLAGS_SUPPORTED;
	struct kernel_test *t = *state;
	struct verbs_mr vmr;

	expect_rereg(t, FORM_WRITE, flags, 7, EOPNOTSUPP);
	assert_int_equal(run_rereg(t, &vmr, flags), -EOPNOTSUPP);
	vmr.ibv_mr.context = NULL;
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

/* ------------------------------------------------------------------------ */
/* Commands that exist as ioctl methods only                                 */
/* ------------------------------------------------------------------------ */

static const struct ibv_sge advised[2] = {
	{ .addr = 0x1000, .length = 0x2000, .lkey = 72 },
	{ .addr = 0x9000, .length = 0x3000, .lkey = 73 },
};

static void expect_advise(size_t nr, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_ADVISE_MR,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 7),
			   FAKE_U64_IN(UVERBS_ATTR_ADVISE_MR_ADVICE,
				       IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE),
			   FAKE_U32_IN(UVERBS_ATTR_ADVISE_MR_FLAGS,
				       IBV_ADVISE_MR_FLAG_FLUSH),
			   FAKE_BYTES_IN(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
					 nr * sizeof(advised[0]), advised)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_advise(struct kernel_test *t, uint32_t nr)
{
	return verbs_cmd_advise_mr(&t->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				   IBV_ADVISE_MR_FLAG_FLUSH, advised, nr);
}

static void advise_mr_sends_ioctl(void **state)
{
	for (uint32_t nr = 0; nr <= 2; nr++) {
		expect_advise(nr, 0);
		assert_int_equal(run_advise(*state, nr), 0);
	}
}

static void advise_mr_ioctl_refused_returns_eopnotsupp(void **state)
{
	expect_advise(1, EPROTONOSUPPORT);
	assert_int_equal(run_advise(*state, 1), -EOPNOTSUPP);
	assert_int_equal(run_advise(*state, 1), -EOPNOTSUPP);
}

static void advise_mr_returns_kernel_error(void **state)
{
	expect_advise(1, EFAULT);
	assert_int_equal(run_advise(*state, 1), -EFAULT);
}

static void advise_mr_sge_list_above_attr_limit_is_refused(void **state)
{
	static const struct ibv_sge longest[4095];
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_ADVISE_MR,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 7),
			   FAKE_U64_IN(UVERBS_ATTR_ADVISE_MR_ADVICE, 0),
			   FAKE_U32_IN(UVERBS_ATTR_ADVISE_MR_FLAGS, 0),
			   FAKE_BYTES_IN(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
					 sizeof(longest), longest)),
	};
	struct kernel_test *t = *state;

	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(verbs_cmd_advise_mr(&t->pd,
					     IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
					     longest, 4095),
			 0);
	assert_int_equal(run_advise(*state, 4096), -EINVAL);
	assert_int_equal(run_advise(*state, UINT32_MAX), -EINVAL);
}

static void expect_dmabuf_fd(uint32_t fd, uint64_t handle, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_REG_DMABUF_MR,
		FAKE_ATTRS(
			FAKE_NUM_OUT(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, handle),
			FAKE_NUM_IN(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 7),
			FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 0x3000),
			FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 0x2000),
			FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, IOVA),
			FAKE_U32_IN(UVERBS_ATTR_REG_DMABUF_MR_FD, fd),
			FAKE_U32_IN(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
				    ACCESS),
			FAKE_U32_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 72),
			FAKE_U32_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 73)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_dmabuf(uint64_t handle, int err)
{
	expect_dmabuf_fd(19, handle, err);
}

static int run_reg_dmabuf(struct kernel_test *t, struct verbs_mr *vmr)
{
	return verbs_cmd_reg_dmabuf_mr(&t->pd, 0x3000, 0x2000, IOVA, 19, ACCESS,
				       vmr, NULL);
}

static void reg_dmabuf_mr_sends_ioctl(void **state)
{
	struct verbs_mr vmr = {};

	expect_dmabuf(71, 0);
	assert_int_equal(run_reg_dmabuf(*state, &vmr), 0);
	check_registered(*state, &vmr, VERBS_MR_TYPE_DMABUF_MR, ACCESS);
}

static void reg_dmabuf_mr_ioctl_refused_returns_eopnotsupp(void **state)
{
	struct verbs_mr vmr = before;

	expect_dmabuf(71, EPROTONOSUPPORT);
	assert_int_equal(run_reg_dmabuf(*state, &vmr), -EOPNOTSUPP);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static void reg_dmabuf_mr_error_leaves_object_unchanged(void **state)
{
	struct verbs_mr vmr = before;

	expect_dmabuf(71, EINVAL);
	assert_int_equal(run_reg_dmabuf(*state, &vmr), -EINVAL);
	expect_dmabuf(UINT64_MAX, 0);
	assert_int_equal(run_reg_dmabuf(*state, &vmr), -EPROTO);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

/*
 * NCCL passes fd -1 to detect dma-buf support: EOPNOTSUPP means that the device
 * lacks it.
 */
static void reg_dmabuf_mr_fd_minus_1_returns_kernel_error(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	expect_dmabuf_fd(UINT32_MAX, 71, EOPNOTSUPP);
	assert_int_equal(verbs_cmd_reg_dmabuf_mr(&t->pd, 0x3000, 0x2000, IOVA,
						 -1, ACCESS, &vmr, NULL),
			 -EOPNOTSUPP);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
	expect_dmabuf_fd(UINT32_MAX, 71, EBADF);
	assert_int_equal(verbs_cmd_reg_dmabuf_mr(&t->pd, 0x3000, 0x2000, IOVA,
						 -1, ACCESS, &vmr, NULL),
			 -EBADF);
}

/* A process without standard input may have this descriptor. */
static void reg_dmabuf_mr_fd_0_is_valid(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	expect_dmabuf_fd(0, 71, 0);
	assert_int_equal(verbs_cmd_reg_dmabuf_mr(&t->pd, 0x3000, 0x2000, IOVA,
						 0, ACCESS, &vmr, NULL),
			 0);
}

static void reg_dmabuf_mr_with_driver_data_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	assert_int_equal(verbs_cmd_reg_dmabuf_mr(&t->pd, 0, 0, 0, 19, 0, &vmr,
						 &t->udata),
			 -EOPNOTSUPP);
}

static void expect_query(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_QUERY_MR,
		FAKE_ATTRS(
			FAKE_NUM_IN(UVERBS_ATTR_QUERY_MR_HANDLE, 71),
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, 72),
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, 73),
			FAKE_U64_OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 4096)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void query_mr_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = {};

	expect_query(0);
	assert_int_equal(verbs_cmd_query_mr(&t->pd, 71, &vmr), 0);
	check_registered(t, &vmr, VERBS_MR_TYPE_IMPORTED_MR, 0);
	assert_int_equal(vmr.ibv_mr.length, 4096);
}

static void query_mr_ioctl_refused_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_mr vmr = before;

	expect_query(EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_query_mr(&t->pd, 71, &vmr), -EOPNOTSUPP);
	t->state.refused = 0;
	expect_query(ENOENT);
	assert_int_equal(verbs_cmd_query_mr(&t->pd, 71, &vmr), -ENOENT);
	assert_memory_equal(&vmr, &before, sizeof(vmr));
}

static int run_dereg(struct kernel_test *t)
{
	struct verbs_mr vmr = { .ibv_mr = { .context = t->ctx, .handle = 71 } };

	return verbs_cmd_dereg_mr(&vmr);
}

static const struct destroy_case dereg_mr_case = {
	.cap = KERNEL_CAP_DEREG_MR,
	.handle_attr = UVERBS_ATTR_DESTROY_MR_HANDLE,
	.write_command = IB_USER_VERBS_CMD_DEREG_MR,
	.handle = 71,
	.run = run_dereg,
};
DESTROY_TESTS(dereg_mr)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(reg_mr_sends_invoke_write),
		KERNEL_TEST(reg_mr_sends_write),
		KERNEL_TEST(reg_mr_ioctl_refused_falls_back_to_write),
		KERNEL_TEST(reg_mr_error_leaves_object_unchanged),
		KERNEL_TEST(reg_mr_implicit_odp_sends_length_uint64_max),
		KERNEL_TEST(reg_mr_implicit_odp_with_addr_returns_einval),
		KERNEL_TEST(reg_mr_implicit_odp_requires_flag_and_size_max),
		KERNEL_TEST(rereg_mr_all_flags_update_object),
		KERNEL_TEST(rereg_mr_without_change_pd_sends_pd_handle_0),
		KERNEL_TEST(rereg_mr_change_pd_updates_context),
		KERNEL_TEST(rereg_mr_error_leaves_object_unchanged),
		KERNEL_TEST(advise_mr_sends_ioctl),
		KERNEL_TEST(advise_mr_ioctl_refused_returns_eopnotsupp),
		KERNEL_TEST(advise_mr_returns_kernel_error),
		KERNEL_TEST(advise_mr_sge_list_above_attr_limit_is_refused),
		KERNEL_TEST(reg_dmabuf_mr_sends_ioctl),
		KERNEL_TEST(reg_dmabuf_mr_ioctl_refused_returns_eopnotsupp),
		KERNEL_TEST(reg_dmabuf_mr_error_leaves_object_unchanged),
		KERNEL_TEST(reg_dmabuf_mr_fd_minus_1_returns_kernel_error),
		KERNEL_TEST(reg_dmabuf_mr_fd_0_is_valid),
		KERNEL_TEST(reg_dmabuf_mr_with_driver_data_returns_eopnotsupp),
		KERNEL_TEST(query_mr_sends_ioctl),
		KERNEL_TEST(query_mr_ioctl_refused_returns_eopnotsupp),
		DESTROY_TEST_LIST(dereg_mr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
