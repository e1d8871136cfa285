/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of foreign providers that modify and query a QP:
 * libibverbs/foreign/foreign_cmd_qp_attr.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static struct ib_uverbs_modify_qp modify_qp_core(int mask)
{
	return (struct ib_uverbs_modify_qp){
		.qp_handle = 31,
		.attr_mask = (uint32_t)mask,
		.qp_state = IBV_QPS_INIT,
		.port_num = 2,
	};
}

#define MASK (IBV_QP_STATE | IBV_QP_PORT)

static struct ibv_qp_attr modify_qp_attr(void)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.port_num = 2,
		.rate_limit = 5000,
	};
}

static void foreign_cmd_modify_qp_sends_driver_data(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_modify_qp in = modify_qp_core(MASK);
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_MODIFY_QP,
		.in = &in,
		.in_len = sizeof(in),
	};
	struct ibv_qp qp = { .context = t->ctx, .handle = 31 };
	struct ibv_qp_attr attr = modify_qp_attr();

	caller_init(&t->caller, 120, 0);
	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(
			foreign_cmd_modify_qp(&qp, &attr, MASK, CALLER_CMD(t)));
		cmd.err = EINVAL;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(
			foreign_cmd_modify_qp(&qp, &attr, MASK, CALLER_CMD(t)),
			EINVAL);
	}
	assert_fails(
		foreign_cmd_modify_qp(&qp, &attr, MASK, t->caller.cmd, 119),
		EINVAL);
	assert_fails(foreign_cmd_modify_qp(&qp, &attr, MASK | IBV_QP_RATE_LIMIT,
					   CALLER_CMD(t)),
		     EOPNOTSUPP);
	assert_fails(foreign_cmd_modify_qp(&qp, &attr, 1 << 26, CALLER_CMD(t)),
		     EOPNOTSUPP);
}

static void expect_modify_qp_ex(struct foreign_cmd_test *t, enum test_form form,
				int mask, int err)
{
	const struct ib_uverbs_ex_modify_qp in = {
		.base = modify_qp_core(mask),
		.rate_limit = mask & IBV_QP_RATE_LIMIT ? 5000 : 0,
	};
	const struct ib_uverbs_ex_modify_qp_resp out = {
		.response_length = sizeof(out),
	};

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_EX_CMD_MODIFY_QP | EXTENDED,
			.in = &in,
			.in_len = sizeof(in),
			.out = &out,
			.out_len = sizeof(out),
			.err = err,
		});
}

/*
 * Some drivers have a response, so the extended command is sent even without a
 * rate limit.
 */
static void foreign_cmd_modify_qp_ex_sends_extended_command(void **state)
{
	static const int masks[] = { MASK, MASK | IBV_QP_RATE_LIMIT };
	struct foreign_cmd_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 31 };
	struct ibv_qp_attr attr = modify_qp_attr();

	for (enum test_form form = WRAPPED; form <= WRITE; form++)
		for (int i = 0; i < 2; i++) {
			struct ib_uverbs_ex_modify_qp_resp *resp =
				(void *)t->caller.resp;

			foreign_cmd_test_force_form(t, form);
			caller_init(&t->caller, 144, 8);
			expect_modify_qp_ex(t, form, masks[i], 0);
			assert_succeeds(foreign_cmd_modify_qp_ex(
				&qp, &attr, masks[i], CALLER_CMD(t),
				CALLER_RESP(t)));
			assert_int_equal(resp->comp_mask, 0);
			assert_int_equal(resp->response_length, 8);
			caller_check_response(&t->caller);
		}
}

static void foreign_cmd_modify_qp_ex_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 31 };
	struct ibv_qp_attr attr = modify_qp_attr();

	caller_init(&t->caller, 144, 8);
	foreign_cmd_test_force_form(t, WRITE);
	expect_modify_qp_ex(t, WRITE, MASK, EBUSY);
	assert_fails(foreign_cmd_modify_qp_ex(&qp, &attr, MASK, CALLER_CMD(t),
					      CALLER_RESP(t)),
		     EBUSY);
	caller_check_core_untouched(&t->caller);
	assert_fails(
		foreign_cmd_modify_qp_ex(&qp, &attr, MASK | IBV_QP_RATE_LIMIT,
					 t->caller.cmd, 143, CALLER_RESP(t)),
		EINVAL);
	assert_fails(foreign_cmd_modify_qp_ex(&qp, &attr, MASK, CALLER_CMD(t),
					      (void *)t->caller.resp, 7),
		     EINVAL);
	assert_fails(foreign_cmd_modify_qp_ex(&qp, &attr, 1 << 26,
					      CALLER_CMD(t), CALLER_RESP(t)),
		     EOPNOTSUPP);
}

static void foreign_cmd_query_qp_fills_attr_and_init_attr(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_query_qp in = { .qp_handle = 31,
					       .attr_mask = MASK };
	const struct ib_uverbs_query_qp_resp out = {
		.qp_state = IBV_QPS_RTS,
		.port_num = 2,
		.max_send_wr = 16,
		.sq_sig_all = 1,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_QP,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_cq cq;
	struct ibv_qp qp = {
		.context = t->ctx,
		.handle = 31,
		.send_cq = &cq,
		.qp_type = IBV_QPT_UD,
	};

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_qp_init_attr init = {};
		struct ibv_qp_attr attr = { .rate_limit = 6 };

		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_query_qp(&qp, &attr, MASK, &init,
						     t->caller.cmd, 24));
		assert_int_equal(attr.qp_state, IBV_QPS_RTS);
		assert_int_equal(attr.port_num, 2);
		assert_int_equal(attr.cap.max_send_wr, 16);
		assert_int_equal(attr.rate_limit, 6);
		assert_ptr_equal(init.send_cq, &cq);
		assert_int_equal(init.qp_type, IBV_QPT_UD);
		assert_int_equal(init.sq_sig_all, 1);
		cmd.err = EIO;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_query_qp(&qp, &attr, MASK, &init,
						  t->caller.cmd, 24),
			     EIO);
		assert_fails(foreign_cmd_query_qp(&qp, &attr, MASK, &init,
						  t->caller.cmd, 23),
			     EINVAL);
		assert_fails(foreign_cmd_query_qp(&qp, &attr, IBV_QP_RATE_LIMIT,
						  &init, t->caller.cmd, 24),
			     EOPNOTSUPP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_modify_qp_sends_driver_data),
		FOREIGN_CMD_TEST(
			foreign_cmd_modify_qp_ex_sends_extended_command),
		FOREIGN_CMD_TEST(foreign_cmd_modify_qp_ex_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_query_qp_fills_attr_and_init_attr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
