/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* verbs_cmd_ring_send_doorbell() in cmd_qp.c. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>

static void expect_doorbell(enum test_form form, int err)
{
	static const struct ib_uverbs_post_send in = {
		.qp_handle = 61,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	static const struct ib_uverbs_post_send_resp out;
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_POST_SEND,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static int ring_doorbell(struct kernel_test *t)
{
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };
	int ret = verbs_cmd_ring_send_doorbell(&qp);

	errno = TEST_ERRNO; /* data path: errno may change */
	return ret;
}

static void send_doorbell_is_sent_by_write(void **state)
{
	struct kernel_test *t = *state;

	expect_doorbell(FORM_WRITE, 0);
	assert_int_equal(ring_doorbell(t), 0);
	kernel_test_force(t, FORM_WRITE); /* also without ioctl */
	expect_doorbell(FORM_WRITE, 0);
	assert_int_equal(ring_doorbell(t), 0);
}

static void send_doorbell_returns_kernel_error(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		if (kernel_test_errors[i] == EACCES)
			continue;
		expect_doorbell(FORM_WRITE, kernel_test_errors[i]);
		assert_int_equal(ring_doorbell(t), -kernel_test_errors[i]);
	}
	assert_int_equal(t->state.refused, 0);
}

static void send_doorbell_write_refused_falls_back_to_ioctl(void **state)
{
	struct kernel_test *t = *state;

	expect_doorbell(FORM_WRITE, EACCES);
	expect_doorbell(FORM_INVOKE_WRITE, 0);
	assert_int_equal(ring_doorbell(t), 0);
	assert_true(kernel_test_refused(t, KERNEL_CAP_WRITE));
	/* Later calls skip write(2). */
	expect_doorbell(FORM_INVOKE_WRITE, 0);
	assert_int_equal(ring_doorbell(t), 0);
}

static void send_doorbell_eacces_by_both_forms_is_not_learned(void **state)
{
	struct kernel_test *t = *state;

	expect_doorbell(FORM_WRITE, EACCES);
	expect_doorbell(FORM_INVOKE_WRITE, EACCES);
	assert_int_equal(ring_doorbell(t), -EACCES);
	assert_false(kernel_test_refused(t, KERNEL_CAP_WRITE));
}

static void send_doorbell_without_ioctl_returns_write_error(void **state)
{
	struct kernel_test *t = *state;

	kernel_test_force(t, FORM_WRITE);
	expect_doorbell(FORM_WRITE, EACCES);
	assert_int_equal(ring_doorbell(t), -EACCES);
}

static void send_doorbell_imported_context_uses_ioctl(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	expect_doorbell(FORM_INVOKE_WRITE, 0);
	assert_int_equal(ring_doorbell(t), 0);
	expect_doorbell(FORM_INVOKE_WRITE, EPROTONOSUPPORT);
	assert_int_equal(ring_doorbell(t), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(send_doorbell_is_sent_by_write),
		KERNEL_TEST(send_doorbell_returns_kernel_error),
		KERNEL_TEST(send_doorbell_write_refused_falls_back_to_ioctl),
		KERNEL_TEST(send_doorbell_eacces_by_both_forms_is_not_learned),
		KERNEL_TEST(send_doorbell_without_ioctl_returns_write_error),
		KERNEL_TEST(send_doorbell_imported_context_uses_ioctl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
