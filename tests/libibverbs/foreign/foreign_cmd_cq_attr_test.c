/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of foreign providers that resize or modify a CQ or request
 * completion events: libibverbs/foreign/foreign_cmd_cq.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static void foreign_cmd_resize_cq_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_resize_cq in = { .cq_handle = 31, .cqe = 500 };
	const struct ib_uverbs_resize_cq_resp out = { .cqe = 511 };
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_RESIZE_CQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_cq cq = { .context = t->ctx, .handle = 31 };

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_resize_cq_resp *resp = (void *)t->caller.resp;

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 24, 8);
		cq.cqe = 0;
		cmd.err = EBUSY;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_resize_cq(&cq, 500, CALLER_CMD(t),
						   CALLER_RESP(t)),
			     EBUSY);
		assert_int_equal(cq.cqe, 0);
		caller_check_core_untouched(&t->caller);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_resize_cq(&cq, 500, CALLER_CMD(t),
						      CALLER_RESP(t)));
		assert_int_equal(cq.cqe, 511);
		assert_int_equal(resp->cqe, 511);
		caller_check_response(&t->caller);
	}
	assert_fails(foreign_cmd_resize_cq(&cq, 500, t->caller.cmd, 23,
					   CALLER_RESP(t)),
		     EINVAL);
}

static void foreign_cmd_modify_cq_sends_moderation(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_ex_modify_cq in = {
		.cq_handle = 31,
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.attr = { .cq_count = 9, .cq_period = 10 },
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_CQ | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
	};
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 9, .cq_period = 10 },
	};
	struct ibv_cq cq = { .context = t->ctx, .handle = 31 };

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(
			foreign_cmd_modify_cq(&cq, &attr, t->caller.cmd, 40));
	}
	assert_fails(foreign_cmd_modify_cq(&cq, &attr, t->caller.cmd, 39),
		     EINVAL);
	attr.attr_mask = 2;
	assert_fails(foreign_cmd_modify_cq(&cq, &attr, t->caller.cmd, 40),
		     EINVAL);
}

static void foreign_cmd_req_notify_cq_sends_write_command(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_req_notify_cq in = { .cq_handle = 31,
						    .solicited_only = 1 };
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
		.in = &in,
		.in_len = sizeof(in),
	};
	struct ibv_cq cq = { .context = t->ctx, .handle = 31 };

	foreign_cmd_test_force_form(t, WRITE);
	foreign_cmd_test_expect(t, WRITE, cmd);
	assert_succeeds(foreign_cmd_req_notify_cq(&cq, 1));
	cmd.err = EINVAL;
	foreign_cmd_test_expect(t, WRITE, cmd);
	assert_fails(foreign_cmd_req_notify_cq(&cq, 1), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_resize_cq_fills_object_and_response),
		FOREIGN_CMD_TEST(foreign_cmd_modify_cq_sends_moderation),
		FOREIGN_CMD_TEST(foreign_cmd_req_notify_cq_sends_write_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
