/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device attributes for foreign providers, which read the response of the
 * kernel too: libibverbs/foreign/foreign_cmd_device.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static const struct ib_uverbs_ex_query_device_resp answer = {
	.base = { .fw_ver = 0x123400010002, .max_qp = 100, .phys_port_cnt = 2 },
	.response_length = sizeof(answer),
	.hca_core_clock = 250,
	.max_dm_size = 4096,
};

static void expect_query_device_ex(struct foreign_cmd_test *t,
				   enum test_form form, int err)
{
	static const struct ib_uverbs_ex_query_device in;

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_EX_CMD_QUERY_DEVICE | EXTENDED,
			.in = &in,
			.in_len = sizeof(in),
			.out = &answer,
			.out_len = sizeof(answer),
			.err = err,
		});
}

static void expect_query_device(enum test_form form, int err)
{
	static const struct ib_uverbs_query_device in;
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_DEVICE,
		.in = &in,
		.in_len = sizeof(in),
		.out = &answer.base,
		.out_len = sizeof(answer.base),
		.err = err,
	};

	if (form == WRAPPED)
		fake_kernel_expect_invoke_write(&cmd);
	else
		fake_kernel_expect_write(&cmd);
}

struct call_query_device {
	struct ibv_device_attr_ex attr;
	struct ib_uverbs_ex_query_device_resp *resp;
	size_t resp_size;
};

static void query_init(struct call_query_device *q, struct foreign_cmd_test *t)
{
	caller_init(&t->caller, 0, sizeof(answer));
	memset(&q->attr, 0xdd, sizeof(q->attr));
	q->resp = (void *)t->caller.resp;
	q->resp_size = t->caller.resp_size;
}

static int call_query_device(struct foreign_cmd_test *t,
			     struct call_query_device *q, size_t attr_size)
{
	return foreign_cmd_query_device_any(t->ctx, NULL, &q->attr, attr_size,
					    q->resp, &q->resp_size);
}

static void foreign_cmd_query_device_fills_attr_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct call_query_device q;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		query_init(&q, t);
		foreign_cmd_test_force_form(t, form);
		expect_query_device_ex(t, form, 0);
		assert_succeeds(call_query_device(t, &q, sizeof(q.attr)));
		assert_int_equal(q.attr.orig_attr.max_qp, 100);
		assert_int_equal(q.attr.hca_core_clock, 250);
		assert_int_equal(q.attr.max_dm_size, 4096);
		assert_int_equal(q.attr.phys_port_cnt_ex, 2);
		/* Members that the provider fills are zeroed. */
		assert_int_equal(q.attr.orig_attr.fw_ver[0], 0);
		assert_int_equal(q.attr.tso_caps.max_tso, 0);
		assert_memory_equal(q.resp, &answer, sizeof(answer));
		assert_int_equal(q.resp_size, sizeof(answer));
		caller_check_response(&t->caller);
	}
}

static void
foreign_cmd_query_device_without_extended_command_fills_base(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct call_query_device q;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		query_init(&q, t);
		foreign_cmd_test_force_form(t, form);
		expect_query_device_ex(t, form,
				       form == WRAPPED ? EOPNOTSUPP : ENOSYS);
		expect_query_device(form, 0);
		assert_succeeds(call_query_device(t, &q, sizeof(q.attr)));
		assert_int_equal(q.attr.orig_attr.max_qp, 100);
		assert_int_equal(q.attr.max_dm_size, 0);
		assert_int_equal(q.resp_size, sizeof(answer.base));
		assert_int_equal(q.resp->response_length, sizeof(answer.base));
		assert_memory_equal(&q.resp->base, &answer.base,
				    sizeof(answer.base));
	}
}

static void
foreign_cmd_query_device_smallest_attr_sends_basic_command(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct call_query_device q;

	query_init(&q, t);
	foreign_cmd_test_force_form(t, WRITE);
	expect_query_device(WRITE, 0);
	assert_succeeds(call_query_device(t, &q, sizeof(q.attr.orig_attr)));
	assert_int_equal(q.attr.orig_attr.max_qp, 100);
	assert_int_equal(q.attr.comp_mask, 0xdddddddd);
	assert_int_equal(q.resp_size, sizeof(answer.base));
}

static void
foreign_cmd_query_device_without_response_buffer_succeeds(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct call_query_device q;

	query_init(&q, t);
	t->caller.resp_core = 0;
	foreign_cmd_test_force_form(t, WRAPPED);
	expect_query_device_ex(t, WRAPPED, 0);
	assert_succeeds(foreign_cmd_query_device_any(
		t->ctx, NULL, &q.attr, sizeof(q.attr), NULL, NULL));
	assert_int_equal(q.attr.orig_attr.max_qp, 100);
}

static void
foreign_cmd_query_device_invalid_argument_returns_einval(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct call_query_device q;

	query_init(&q, t);
	assert_fails(call_query_device(t, &q, sizeof(q.attr.orig_attr) - 1),
		     EINVAL);
	assert_fails(foreign_cmd_query_device_any(t->ctx, &input, &q.attr,
						  sizeof(q.attr), q.resp,
						  &q.resp_size),
		     EINVAL);
	assert_int_equal(q.resp_size, t->caller.resp_size);
	q.resp_size = sizeof(answer) - 1;
	assert_fails(call_query_device(t, &q, sizeof(q.attr)), EINVAL);
	caller_check_untouched(&t->caller);
	assert_int_equal((uint32_t)q.attr.orig_attr.max_qp, 0xdddddddd);
	assert_int_equal(q.attr.comp_mask, 0xdddddddd);
}

static void foreign_cmd_query_device_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct call_query_device q;

	query_init(&q, t);
	foreign_cmd_test_force_form(t, WRAPPED);
	expect_query_device_ex(t, WRAPPED, EIO);
	assert_fails(call_query_device(t, &q, sizeof(q.attr)), EIO);
	assert_int_equal(q.resp_size, t->caller.resp_size);
	caller_check_core_untouched(&t->caller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_query_device_fills_attr_and_response),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_device_without_extended_command_fills_base),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_device_smallest_attr_sends_basic_command),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_device_without_response_buffer_succeeds),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_device_invalid_argument_returns_einval),
		FOREIGN_CMD_TEST(foreign_cmd_query_device_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
