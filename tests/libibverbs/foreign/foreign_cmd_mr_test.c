/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory region and memory window commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_mr.c and foreign_cmd_mw.c.
 */
#include <string.h>

#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

#define ADDR   ((void *)(uintptr_t)0x7f001000)
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)

/* -- registration -- */

static void expect_reg_mr(struct foreign_cmd_test *t, enum test_form form,
			  int err)
{
	const struct ib_uverbs_reg_mr in = {
		.start = 0x7f001000,
		.length = 4096,
		.hca_va = 0x9000,
		.pd_handle = 7,
		.access_flags = ACCESS,
	};
	const struct ib_uverbs_reg_mr_resp out = {
		.mr_handle = 61,
		.lkey = 62,
		.rkey = 63,
	};

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_REG_MR,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static int call_reg_mr(struct foreign_cmd_test *t, struct verbs_mr *vmr)
{
	return foreign_cmd_reg_mr(&t->pd, ADDR, 4096, 0x9000, ACCESS, vmr,
				  CALLER_CMD(t), CALLER_RESP(t));
}

static void foreign_cmd_reg_mr_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_reg_mr_resp *resp = (void *)t->caller.resp;
		struct verbs_mr vmr = { .mr_type = 99 };

		caller_init(&t->caller, 48, 12);
		expect_reg_mr(t, form, 0);
		assert_succeeds(call_reg_mr(t, &vmr));
		assert_ptr_equal(vmr.ibv_mr.context, t->ctx);
		assert_int_equal(vmr.ibv_mr.handle, 61);
		assert_int_equal(vmr.ibv_mr.lkey, 62);
		assert_int_equal(vmr.ibv_mr.rkey, 63);
		assert_int_equal(vmr.mr_type, VERBS_MR_TYPE_MR);
		assert_int_equal(vmr.access, ACCESS);
		assert_int_equal(resp->mr_handle, 61);
		assert_int_equal(resp->lkey, 62);
		assert_int_equal(resp->rkey, 63);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_reg_mr_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct verbs_mr before = { .mr_type = 99 };
	struct verbs_mr vmr = before;

	caller_init(&t->caller, 48, 12);
	expect_reg_mr(t, WRAPPED, ENOMEM);
	assert_fails(call_reg_mr(t, &vmr), ENOMEM);
	assert_fails(foreign_cmd_reg_mr(&t->pd, ADDR, SIZE_MAX, 0,
					IBV_ACCESS_ON_DEMAND, &vmr,
					CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	t->caller.cmd_size = 47;
	assert_fails(call_reg_mr(t, &vmr), EINVAL);
	t->caller.cmd_size = 48;
	t->caller.resp_size = 11;
	assert_fails(call_reg_mr(t, &vmr), EINVAL);
	assert_memory_equal(&vmr, &before, sizeof(before));
	caller_check_core_untouched(&t->caller);
}

/* -- reregistration -- */

static void expect_rereg_mr(struct foreign_cmd_test *t, enum test_form form,
			    uint32_t flags, int err)
{
	const struct ib_uverbs_rereg_mr in = {
		.mr_handle = 61,
		.flags = flags,
		.start = 0x7f001000,
		.length = 4096,
		.hca_va = 0x9000,
		.pd_handle = flags & IBV_REREG_MR_CHANGE_PD ? 7 : 0,
		.access_flags = ACCESS,
	};
	const struct ib_uverbs_rereg_mr_resp out = { .lkey = 72, .rkey = 73 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_REREG_MR,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static void foreign_cmd_rereg_mr_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_rereg_mr_resp *resp = (void *)t->caller.resp;
		uint32_t flags = form == WRITE
					 ? IBV_REREG_MR_CHANGE_PD
					 : IBV_REREG_MR_CHANGE_TRANSLATION;
		struct verbs_mr vmr = {
			.ibv_mr = { .context = t->ctx, .handle = 61 },
		};

		caller_init(&t->caller, 56, 8);
		expect_rereg_mr(t, form, flags, 0);
		assert_succeeds(foreign_cmd_rereg_mr(
			&vmr, flags, ADDR, 4096, 0x9000, ACCESS,
			form == WRITE ? &t->pd : NULL, CALLER_CMD(t),
			CALLER_RESP(t)));
		assert_int_equal(vmr.ibv_mr.lkey, 72);
		assert_int_equal(vmr.ibv_mr.rkey, 73);
		assert_int_equal(resp->lkey, 72);
		assert_int_equal(resp->rkey, 73);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_rereg_mr_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_mr vmr = {
		.ibv_mr = { .context = t->ctx, .handle = 61, .lkey = 5 },
	};
	uint32_t flags = IBV_REREG_MR_CHANGE_PD;

	caller_init(&t->caller, 56, 8);
	expect_rereg_mr(t, WRITE, flags, EBUSY);
	assert_fails(foreign_cmd_rereg_mr(&vmr, flags, ADDR, 4096, 0x9000,
					  ACCESS, &t->pd, CALLER_CMD(t),
					  CALLER_RESP(t)),
		     EBUSY);
	assert_fails(foreign_cmd_rereg_mr(&vmr, flags, ADDR, 4096, 0x9000,
					  ACCESS, &t->pd, t->caller.cmd, 55,
					  CALLER_RESP(t)),
		     EINVAL);
	assert_int_equal(vmr.ibv_mr.lkey, 5);
	caller_check_core_untouched(&t->caller);
}

/* -- imported regions, advice -- */

static void expect_query_mr(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_QUERY_MR,
		FAKE_ATTRS(
			FAKE_NUM_IN(UVERBS_ATTR_QUERY_MR_HANDLE, 61),
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, 62),
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, 63),
			FAKE_U64_OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 4096)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void foreign_cmd_query_mr_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_mr vmr = { .ibv_mr.addr = ADDR };

	expect_query_mr(0);
	assert_succeeds(foreign_cmd_query_mr(&t->pd, &vmr, 61));
	assert_ptr_equal(vmr.ibv_mr.context, t->ctx);
	assert_ptr_equal(vmr.ibv_mr.pd, &t->pd);
	assert_null(vmr.ibv_mr.addr);
	assert_int_equal(vmr.ibv_mr.length, 4096);
	assert_int_equal(vmr.ibv_mr.handle, 61);
	assert_int_equal(vmr.ibv_mr.lkey, 62);
	assert_int_equal(vmr.ibv_mr.rkey, 63);
	assert_int_equal(vmr.mr_type, VERBS_MR_TYPE_IMPORTED_MR);

	vmr.ibv_mr.addr = ADDR;
	expect_query_mr(ENOENT);
	assert_fails(foreign_cmd_query_mr(&t->pd, &vmr, 61), ENOENT);
	assert_ptr_equal(vmr.ibv_mr.addr, ADDR);
}

static void foreign_cmd_advise_mr_sends_advice(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_sge sge = { .addr = 1, .length = 2, .lkey = 3 };
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_ADVISE_MR,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 7),
			   FAKE_U64_IN(UVERBS_ATTR_ADVISE_MR_ADVICE, 1),
			   FAKE_U32_IN(UVERBS_ATTR_ADVISE_MR_FLAGS, 4),
			   FAKE_BYTES_IN(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
					 sizeof(sge), &sge)),
	};

	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_advise_mr(
		&t->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 4, &sge, 1));
	cmd.err = EFAULT;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(foreign_cmd_advise_mr(&t->pd,
					   IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
					   4, &sge, 1),
		     EFAULT);
}

/* -- dma-bufs -- */

#define DMABUF_ATTRS                                                    \
	FAKE_NUM_OUT(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 61),             \
		FAKE_NUM_IN(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 7),    \
		FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 0x2000),  \
		FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 4096),    \
		FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, 0x9000),    \
		FAKE_U32_IN(UVERBS_ATTR_REG_DMABUF_MR_FD, 5),           \
		FAKE_U32_IN(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 1), \
		FAKE_U32_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 62),  \
		FAKE_U32_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 63)

static void expect_reg_dmabuf_mr(bool link, int err)
{
	const struct fake_ioctl plain = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_REG_DMABUF_MR,
		FAKE_ATTRS(DMABUF_ATTRS),
		.err = err,
	};
	const struct fake_ioctl linked = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_REG_DMABUF_MR,
		FAKE_ATTRS(DMABUF_ATTRS, TEST_LINK_EXPECTED),
		.err = err,
	};

	fake_kernel_expect_ioctl(link ? &linked : &plain);
}

static void check_dmabuf_mr(struct foreign_cmd_test *t,
			    const struct verbs_mr *vmr)
{
	assert_ptr_equal(vmr->ibv_mr.context, t->ctx);
	assert_ptr_equal(vmr->ibv_mr.pd, &t->pd);
	assert_int_equal((uintptr_t)vmr->ibv_mr.addr, 0x2000);
	assert_int_equal(vmr->ibv_mr.length, 4096);
	assert_int_equal(vmr->ibv_mr.handle, 61);
	assert_int_equal(vmr->ibv_mr.lkey, 62);
	assert_int_equal(vmr->ibv_mr.rkey, 63);
	assert_int_equal(vmr->mr_type, VERBS_MR_TYPE_DMABUF_MR);
}

static void foreign_cmd_reg_dmabuf_mr_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct caller_buffer link;
	struct verbs_mr vmr = {};

	expect_reg_dmabuf_mr(false, 0);
	assert_succeeds(foreign_cmd_reg_dmabuf_mr(&t->pd, 0x2000, 4096, 0x9000,
						  5, 1, &vmr, NULL));
	check_dmabuf_mr(t, &vmr);

	foreign_cmd_test_link(&link, UVERBS_OBJECT_MR,
			      UVERBS_METHOD_REG_DMABUF_MR);
	vmr = (struct verbs_mr){};
	expect_reg_dmabuf_mr(true, 0);
	assert_succeeds(foreign_cmd_reg_dmabuf_mr(
		&t->pd, 0x2000, 4096, 0x9000, 5, 1, &vmr, TEST_LINK(&link)));
	check_dmabuf_mr(t, &vmr);
	foreign_cmd_test_check_link(&link);

	expect_reg_dmabuf_mr(false, EINVAL);
	assert_fails(foreign_cmd_reg_dmabuf_mr(&t->pd, 0x2000, 4096, 0x9000, 5,
					       1, &vmr, NULL),
		     EINVAL);
}

/*
 * An arbitrary value of the eighth argument, as in a call with seven arguments.
 */
#define GARBAGE TEST_LINK((uintptr_t)0x1122334455667788)

static void foreign_cmd_reg_dmabuf_mr_older_release_ignores_chain(void **state)
{
	static const unsigned int without[] = { 0, 36, 44, 53 };
	struct foreign_cmd_test *t = *state;
	struct caller_buffer link;
	struct verbs_mr vmr = {};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		foreign_cmd_test_set_release(t, FOREIGN_34, without[i]);
		expect_reg_dmabuf_mr(false, 0);
		assert_succeeds(foreign_cmd_reg_dmabuf_mr_34(
			&t->pd, 0x2000, 4096, 0x9000, 5, 1, &vmr, GARBAGE));
		check_dmabuf_mr(t, &vmr);
	}
	foreign_cmd_test_link(&link, UVERBS_OBJECT_MR,
			      UVERBS_METHOD_REG_DMABUF_MR);
	foreign_cmd_test_set_release(t, FOREIGN_34, 54);
	expect_reg_dmabuf_mr(true, 0);
	assert_succeeds(foreign_cmd_reg_dmabuf_mr_34(
		&t->pd, 0x2000, 4096, 0x9000, 5, 1, &vmr, TEST_LINK(&link)));
	foreign_cmd_test_check_link(&link);
}

/* -- registration by attributes -- */

static void foreign_cmd_reg_mr_ex_sends_method_or_reg_mr(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_mr_init_attr attr = {
		.length = 4096,
		.access = ACCESS,
		.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_IOVA,
		.addr = ADDR,
		.iova = 0x9000,
	};
	const struct fake_ioctl native = {
		.object = UVERBS_OBJECT_MR,
		.method = VERBS_UAPI_UVERBS_METHOD_REG_MR,
		FAKE_ATTRS(
			FAKE_NUM_OUT(VERBS_UAPI_UVERBS_ATTR_REG_MR_HANDLE, 61),
			FAKE_NUM_IN(VERBS_UAPI_UVERBS_ATTR_REG_MR_PD_HANDLE, 7),
			FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_REG_MR_IOVA, 0x9000),
			FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_REG_MR_ADDR,
				    0x7f001000),
			FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_REG_MR_LENGTH, 4096),
			FAKE_U32_IN(VERBS_UAPI_UVERBS_ATTR_REG_MR_ACCESS_FLAGS,
				    ACCESS),
			FAKE_U32_OUT(VERBS_UAPI_UVERBS_ATTR_REG_MR_RESP_LKEY,
				     62),
			FAKE_U32_OUT(VERBS_UAPI_UVERBS_ATTR_REG_MR_RESP_RKEY,
				     63)),
	};
	struct verbs_mr vmr = {};

	fake_kernel_expect_ioctl(&native);
	assert_succeeds(foreign_cmd_reg_mr_ex(&t->pd, &vmr, &attr));
	assert_int_equal(vmr.ibv_mr.lkey, 62);
	assert_int_equal(vmr.access, ACCESS);

	vmr = (struct verbs_mr){};
	expect_reg_mr(t, WRITE, 0);
	assert_succeeds(foreign_cmd_reg_mr_ex(&t->pd, &vmr, &attr));
	assert_int_equal(vmr.ibv_mr.lkey, 62);

	attr.comp_mask = IBV_REG_MR_MASK_FD;
	assert_fails(foreign_cmd_reg_mr_ex(&t->pd, &vmr, &attr), EINVAL);
}

/* -- memory windows -- */

static void expect_alloc_mw(struct foreign_cmd_test *t, enum test_form form,
			    int err)
{
	const struct ib_uverbs_alloc_mw in = { .pd_handle = 7, .mw_type = 2 };
	const struct ib_uverbs_alloc_mw_resp out = { .mw_handle = 81,
						     .rkey = 82 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_ALLOC_MW,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static void foreign_cmd_alloc_mw_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_alloc_mw_resp *resp = (void *)t->caller.resp;
		struct ibv_mw mw = {};

		caller_init(&t->caller, 24, 8);
		expect_alloc_mw(t, form, 0);
		assert_succeeds(foreign_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_2, &mw,
						     CALLER_CMD(t),
						     CALLER_RESP(t)));
		assert_ptr_equal(mw.context, t->ctx);
		assert_ptr_equal(mw.pd, &t->pd);
		assert_int_equal(mw.rkey, 82);
		assert_int_equal(mw.handle, 81);
		assert_int_equal(mw.type, IBV_MW_TYPE_2);
		assert_int_equal(resp->mw_handle, 81);
		assert_int_equal(resp->rkey, 82);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_alloc_mw_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_mw mw = {};

	caller_init(&t->caller, 24, 8);
	expect_alloc_mw(t, WRITE, EINVAL);
	assert_fails(foreign_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_2, &mw,
					  CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_2, &mw,
					  t->caller.cmd, 23, CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_2, &mw,
					  CALLER_CMD(t), (void *)t->caller.resp,
					  7),
		     EINVAL);
	assert_null(mw.context);
	caller_check_core_untouched(&t->caller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_reg_mr_fills_object_and_response),
		FOREIGN_CMD_TEST(foreign_cmd_reg_mr_failure_sets_errno),
		FOREIGN_CMD_TEST(
			foreign_cmd_rereg_mr_fills_object_and_response),
		FOREIGN_CMD_TEST(foreign_cmd_rereg_mr_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_query_mr_fills_object),
		FOREIGN_CMD_TEST(foreign_cmd_advise_mr_sends_advice),
		FOREIGN_CMD_TEST(foreign_cmd_reg_dmabuf_mr_fills_object),
		FOREIGN_CMD_TEST(
			foreign_cmd_reg_dmabuf_mr_older_release_ignores_chain),
		FOREIGN_CMD_TEST(foreign_cmd_reg_mr_ex_sends_method_or_reg_mr),
		FOREIGN_CMD_TEST(
			foreign_cmd_alloc_mw_fills_object_and_response),
		FOREIGN_CMD_TEST(foreign_cmd_alloc_mw_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
