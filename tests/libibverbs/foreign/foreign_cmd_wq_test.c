/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work queue and indirection table commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_wq.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static void expect_create_wq_native(struct foreign_cmd_test *t,
				    const struct ibv_wq *wq, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_WQ,
		.method = UVERBS_METHOD_WQ_CREATE,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_CREATE_WQ_HANDLE, 31),
			   FAKE_NUM_IN(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, 7),
			   FAKE_NUM_IN(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, 51),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE,
				       (uintptr_t)wq),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_WQ_TYPE, IBV_WQT_RQ),
			   FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_WQ_EVENT_FD,
						TEST_ASYNC_FD),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_MAX_WR, 100),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, 3),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_FLAGS,
				       IBV_WQ_FLAGS_SCATTER_FCS),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 127),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 777),
			   CALLER_ATTR_IN(t), CALLER_ATTR_OUT),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_create_wq_write(struct foreign_cmd_test *t,
				   enum test_form form, const struct ibv_wq *wq)
{
	const struct ib_uverbs_ex_create_wq in = {
		.wq_type = IBV_WQT_RQ,
		.user_handle = (uintptr_t)wq,
		.pd_handle = 7,
		.cq_handle = 51,
		.max_wr = 100,
		.max_sge = 3,
		.create_flags = IBV_WQ_FLAGS_SCATTER_FCS,
	};
	const struct ib_uverbs_ex_create_wq_resp out = {
		.response_length = sizeof(out),
		.wq_handle = 31,
		.max_wr = 127,
		.max_sge = 4,
		.wqn = 777,
	};

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_EX_CMD_CREATE_WQ | EXTENDED,
			.in = &in,
			.in_len = sizeof(in),
			.out = &out,
			.out_len = sizeof(out),
		});
}

static struct ibv_wq_init_attr wq_init_attr(struct foreign_cmd_test *t,
					    struct ibv_cq *cq)
{
	return (struct ibv_wq_init_attr){
		.wq_type = IBV_WQT_RQ,
		.max_wr = 100,
		.max_sge = 3,
		.pd = &t->pd,
		.cq = cq,
		.comp_mask = IBV_WQ_INIT_ATTR_FLAGS,
		.create_flags = IBV_WQ_FLAGS_SCATTER_FCS,
	};
}

static void foreign_cmd_create_wq_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq cq = { .handle = 51 };

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_wq_init_attr attr = wq_init_attr(t, &cq);
		struct ibv_wq wq = { .wq_type = 99, .state = IBV_WQS_UNKNOWN };

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 64, 24);
		if (form == NATIVE)
			expect_create_wq_native(t, &wq, 0);
		else
			expect_create_wq_write(t, form, &wq);
		assert_succeeds(foreign_cmd_create_wq(
			t->ctx, &attr, &wq, CALLER_CMD(t), CALLER_RESP(t)));
		assert_ptr_equal(wq.context, t->ctx);
		assert_ptr_equal(wq.cq, &cq);
		assert_ptr_equal(wq.pd, &t->pd);
		assert_int_equal(wq.wq_type, IBV_WQT_RQ);
		assert_int_equal(wq.handle, 31);
		assert_int_equal(wq.wq_num, 777);
		assert_int_equal(wq.state, IBV_WQS_UNKNOWN);
		assert_int_equal(attr.max_wr, 127);
		assert_int_equal(attr.max_sge, 4);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_create_wq_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq cq = { .handle = 51 };
	struct ibv_wq_init_attr attr = wq_init_attr(t, &cq);
	struct ibv_wq wq = { .handle = 9 };

	caller_init(&t->caller, 64, 24);
	expect_create_wq_native(t, &wq, ENOMEM);
	assert_fails(foreign_cmd_create_wq(t->ctx, &attr, &wq, CALLER_CMD(t),
					   CALLER_RESP(t)),
		     ENOMEM);
	assert_int_equal(wq.handle, 9);
	assert_fails(foreign_cmd_create_wq(t->ctx, &attr, &wq, t->caller.cmd,
					   63, CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_create_wq(t->ctx, &attr, &wq, CALLER_CMD(t),
					   (void *)t->caller.resp, 23),
		     EINVAL);
	attr.create_flags = 16;
	assert_fails(foreign_cmd_create_wq(t->ctx, &attr, &wq, CALLER_CMD(t),
					   CALLER_RESP(t)),
		     EOPNOTSUPP);
	attr.comp_mask = 2;
	assert_fails(foreign_cmd_create_wq(t->ctx, &attr, &wq, CALLER_CMD(t),
					   CALLER_RESP(t)),
		     EINVAL);
}

static void foreign_cmd_modify_wq_leaves_state_unchanged(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_ex_modify_wq in = {
		.attr_mask = IBV_WQ_ATTR_STATE,
		.wq_handle = 31,
		.wq_state = IBV_WQS_RDY,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_WQ | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
	};
	struct ibv_wq_attr attr = {
		.attr_mask = IBV_WQ_ATTR_STATE,
		.wq_state = IBV_WQS_RDY,
	};
	struct ibv_wq wq = { .context = t->ctx, .handle = 31 };

	caller_init(&t->caller, 48, 0);
	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		wq.state = IBV_WQS_RESET;
		cmd.err = EINVAL;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_modify_wq(&wq, &attr, CALLER_CMD(t)),
			     EINVAL);
		assert_int_equal(wq.state, IBV_WQS_RESET);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(
			foreign_cmd_modify_wq(&wq, &attr, CALLER_CMD(t)));
		assert_int_equal(wq.state, IBV_WQS_RDY);
	}
	assert_fails(foreign_cmd_modify_wq(&wq, &attr, t->caller.cmd, 47),
		     EINVAL);
	attr.attr_mask = 8;
	assert_fails(foreign_cmd_modify_wq(&wq, &attr, CALLER_CMD(t)), EINVAL);
}

/* -- indirection tables -- */

static void
foreign_cmd_create_rwq_ind_table_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct {
		uint32_t comp_mask, log_ind_tbl_size, handles[2];
	} in = {
		.log_ind_tbl_size = 1,
		.handles = { 61, 62 },
	};
	const struct ib_uverbs_ex_create_rwq_ind_table_resp out = {
		.response_length = sizeof(out),
		.ind_tbl_handle = 31,
		.ind_tbl_num = 777,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_wq wq[2] = { { .handle = 61 }, { .handle = 62 } };
	struct ibv_wq *queues[2] = { &wq[0], &wq[1] };
	struct ibv_rwq_ind_table_init_attr attr = {
		.log_ind_tbl_size = 1,
		.ind_tbl = queues,
	};

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_ex_create_rwq_ind_table_resp *resp =
			(void *)t->caller.resp;
		struct ibv_rwq_ind_table table = {};

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 0, 16);
		cmd.err = ENOMEM;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_create_rwq_ind_table(
				     t->ctx, &attr, &table, CALLER_RESP(t)),
			     ENOMEM);
		caller_check_core_untouched(&t->caller);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_create_rwq_ind_table(
			t->ctx, &attr, &table, CALLER_RESP(t)));
		assert_ptr_equal(table.context, t->ctx);
		assert_int_equal(table.ind_tbl_handle, 31);
		assert_int_equal(table.ind_tbl_num, 777);
		assert_memory_equal(resp, &out, sizeof(out));
		caller_check_response(&t->caller);
		assert_fails(foreign_cmd_create_rwq_ind_table(
				     t->ctx, &attr, &table,
				     (void *)t->caller.resp, 15),
			     EINVAL);
	}
	attr.comp_mask = 1;
	assert_fails(
		foreign_cmd_create_rwq_ind_table(t->ctx, &attr, NULL, NULL, 0),
		EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_create_wq_sends_every_form),
		FOREIGN_CMD_TEST(foreign_cmd_create_wq_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_modify_wq_leaves_state_unchanged),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_rwq_ind_table_fills_object_and_response),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
