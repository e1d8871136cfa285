/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Driver-specific attributes with every command that takes driver data. Ioctl
 * methods send them and copy the output back. Write commands return EOPNOTSUPP
 * if there is a mandatory one.
 */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

/* Storage for any object, zeroed before each command. */
static union {
	struct ibv_pd pd;
	struct verbs_xrcd xrcd;
	struct verbs_mr mr;
	struct ibv_mw mw;
	struct ibv_ah ah;
	struct ibv_cq cq;
	struct verbs_srq srq;
	struct ibv_qp qp;
	struct ibv_wq wq;
	struct ibv_rwq_ind_table table;
	struct ibv_flow flow;
	struct verbs_counters counters;
} object;

/* ------------------------------------------------------------------------ */
/* Ioctl methods                                                             */
/* ------------------------------------------------------------------------ */

#define COMMON_CQ                                                    \
	FAKE_NUM_OUT(UVERBS_ATTR_CREATE_CQ_HANDLE, 81),              \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_CQE, 100),         \
		FAKE_U64_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE,       \
			    (uintptr_t)&object),                     \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 0),   \
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_CQ_EVENT_FD, \
				     TEST_ASYNC_FD),                 \
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 127)

static void expect_cq(void)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_CREATE,
		FAKE_ATTRS(COMMON_CQ, TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_cq(struct kernel_test *t, const struct verbs_udata *udata)
{
	const struct ibv_cq_init_attr_ex attr = { .cqe = 100 };

	return verbs_cmd_create_cq(t->ctx, &object.cq, &attr, udata);
}

static void expect_qp(void)
{
	static const struct ib_uverbs_qp_cap cap;
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_METHOD_QP_CREATE,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_CREATE_QP_HANDLE, 61),
			   FAKE_NUM_IN(UVERBS_ATTR_CREATE_QP_PD_HANDLE, 7),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE,
				       (uintptr_t)&object),
			   FAKE_BYTES_IN(UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap),
					 &cap),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_TYPE, 0xff),
			   FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_QP_EVENT_FD,
						TEST_ASYNC_FD),
			   FAKE_BYTES_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,
					  sizeof(cap), &cap),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 5),
			   TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_qp(struct kernel_test *t, const struct verbs_udata *udata)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &t->pd,
	};

	return verbs_cmd_create_qp(t->ctx, &object.qp, &attr, udata);
}

static void expect_srq(void)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_SRQ,
		.method = UVERBS_METHOD_SRQ_CREATE,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_CREATE_SRQ_HANDLE, 91),
			   FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 7),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_SRQ_TYPE, 0),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE,
				       (uintptr_t)&object),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 0),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 0),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, 0),
			   FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_SRQ_EVENT_FD,
						TEST_ASYNC_FD),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 1),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 1),
			   TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_srq(struct kernel_test *t, const struct verbs_udata *udata)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = &t->pd,
	};

	return verbs_cmd_create_srq(t->ctx, &object.srq, &attr, udata);
}

static void expect_context(void)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_GET_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				     1),
			FAKE_U64_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 1),
			TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_context(struct kernel_test *t, const struct verbs_udata *udata)
{
	return verbs_cmd_get_context(t->ctx, udata);
}

static void expect_query(void)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
				     1),
			FAKE_U64_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 1),
			TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_query(struct kernel_test *t, const struct verbs_udata *udata)
{
	return verbs_cmd_query_context(t->ctx, udata);
}

static void expect_dmabuf(void)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_REG_DMABUF_MR,
		FAKE_ATTRS(
			FAKE_NUM_OUT(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 71),
			FAKE_NUM_IN(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 7),
			FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 1),
			FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 2),
			FAKE_U64_IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, 3),
			FAKE_U32_IN(UVERBS_ATTR_REG_DMABUF_MR_FD, 4),
			FAKE_U32_IN(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 5),
			FAKE_U32_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 72),
			FAKE_U32_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 73),
			TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_dmabuf(struct kernel_test *t, const struct verbs_udata *udata)
{
	return verbs_cmd_reg_dmabuf_mr(&t->pd, 1, 2, 3, 4, 5, &object.mr,
				       udata);
}

static void driver_attrs_of_ioctl_methods_are_sent_and_copied_back(void **state)
{
	static const struct {
		void (*expect)(void);
		int (*run)(struct kernel_test *t,
			   const struct verbs_udata *udata);
	} methods[] = {
		{ expect_cq, run_cq },	     { expect_qp, run_qp },
		{ expect_srq, run_srq },     { expect_context, run_context },
		{ expect_query, run_query }, { expect_dmabuf, run_dmabuf },
	};
	struct kernel_test *t = *state;

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		memset(&object, 0, sizeof(object));
		t->driver_attrs[1].data = 0;
		methods[i].expect();
		assert_int_equal(methods[i].run(t, &t->attrs_only), 0);
		assert_true(kernel_test_driver_attrs_updated(t));

		kernel_test_force(t, FORM_WRITE);
		assert_int_equal(methods[i].run(t, &t->attrs_only),
				 -EOPNOTSUPP);
		t->state.refused = 0;
	}
}

/* ------------------------------------------------------------------------ */
/* Write commands                                                            */
/* ------------------------------------------------------------------------ */

static int run_pd(struct kernel_test *t, const struct verbs_udata *udata)
{
	return verbs_cmd_alloc_pd(t->ctx, &object.pd, udata);
}

static int run_xrcd(struct kernel_test *t, const struct verbs_udata *udata)
{
	const struct ibv_xrcd_init_attr attr = { .comp_mask = 3, .fd = -1 };

	return verbs_cmd_open_xrcd(t->ctx, &object.xrcd, &attr, udata);
}

static int run_mr(struct kernel_test *t, const struct verbs_udata *udata)
{
	return verbs_cmd_reg_mr(&t->pd, NULL, 1, 0, 0, &object.mr, udata);
}

static int run_rereg(struct kernel_test *t, const struct verbs_udata *udata)
{
	object.mr.ibv_mr.context = t->ctx;
	return verbs_cmd_rereg_mr(&object.mr, 0, NULL, NULL, 0, 0, 0, udata);
}

static int run_mw(struct kernel_test *t, const struct verbs_udata *udata)
{
	return verbs_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_1, &object.mw, udata);
}

static int run_ah(struct kernel_test *t, const struct verbs_udata *udata)
{
	const struct ibv_ah_attr attr = {};

	return verbs_cmd_create_ah(&t->pd, &attr, &object.ah, udata);
}

static int run_resize(struct kernel_test *t, const struct verbs_udata *udata)
{
	object.cq.context = t->ctx;
	return verbs_cmd_resize_cq(&object.cq, 5, udata);
}

static int run_modify_srq(struct kernel_test *t,
			  const struct verbs_udata *udata)
{
	const struct ibv_srq_attr attr = {};

	object.srq.srq.context = t->ctx;
	return verbs_cmd_modify_srq(&object.srq.srq, &attr, 0, udata);
}

static int run_open_qp(struct kernel_test *t, const struct verbs_udata *udata)
{
	static struct verbs_xrcd xrcd;
	const struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.xrcd = &xrcd.xrcd,
	};

	return verbs_cmd_open_qp(t->ctx, &object.qp, &attr, udata);
}

static int run_modify_qp(struct kernel_test *t, const struct verbs_udata *udata)
{
	const struct ibv_qp_attr attr = {};

	object.qp.context = t->ctx;
	return verbs_cmd_modify_qp(&object.qp, &attr, 0, udata);
}

static int run_modify_qp_ex(struct kernel_test *t,
			    const struct verbs_udata *udata)
{
	const struct ibv_qp_attr attr = {};

	object.qp.context = t->ctx;
	return verbs_cmd_modify_qp_ex(&object.qp, &attr, 0, udata);
}

static int run_modify_wq(struct kernel_test *t, const struct verbs_udata *udata)
{
	const struct ibv_wq_attr attr = {};

	object.wq.context = t->ctx;
	return verbs_cmd_modify_wq(&object.wq, &attr, udata);
}

static int run_table(struct kernel_test *t, const struct verbs_udata *udata)
{
	static struct ibv_wq wq;
	struct ibv_wq *entry = &wq;
	const struct ibv_rwq_ind_table_init_attr attr = { .ind_tbl = &entry };

	return verbs_cmd_create_rwq_ind_table(t->ctx, &object.table, &attr,
					      udata);
}

static int run_flow(struct kernel_test *t, const struct verbs_udata *udata)
{
	struct ibv_qp qp = { .context = t->ctx };
	const struct ibv_flow_attr attr = {};

	return verbs_cmd_create_flow(&qp, &object.flow, &attr, udata);
}

static void driver_attrs_with_write_command_return_eopnotsupp(void **state)
{
	int (*const commands[])(struct kernel_test * t,
				const struct verbs_udata *udata) = {
		run_pd,	     run_xrcd,	    run_mr,	      run_rereg,
		run_mw,	     run_ah,	    run_resize,	      run_modify_srq,
		run_open_qp, run_modify_qp, run_modify_qp_ex, run_modify_wq,
		run_table,   run_flow,
	};
	const struct verbs_udata ioctl_only = { .ioctl_only = true };
	struct kernel_test *t = *state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		memset(&object, 0, sizeof(object));
		assert_int_equal(commands[i](t, &t->attrs_only), -EOPNOTSUPP);
		assert_int_equal(commands[i](t, &ioctl_only), -EOPNOTSUPP);
	}
	assert_false(kernel_test_driver_attrs_updated(t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(
			driver_attrs_of_ioctl_methods_are_sent_and_copied_back),
		KERNEL_TEST(driver_attrs_with_write_command_return_eopnotsupp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
