/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The doorbell of a send queue that is shared memory: the last of cmd_qp.c. */
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

static int ring(struct kernel_test *t)
{
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };
	int ret = verbs_cmd_ring_send_doorbell(&qp);

	errno = TEST_ERRNO; /* data path: it need not be kept */
	return ret;
}

static void doorbell_is_one_write(void **state)
{
	struct kernel_test *t = *state;

	expect_doorbell(WRITE, 0);
	assert_int_equal(ring(t), 0);
	kernel_test_force(t, WRITE); /* whatever ioctl can do */
	expect_doorbell(WRITE, 0);
	assert_int_equal(ring(t), 0);
}

static void doorbell_error_is_returned(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		if (kernel_test_errors[i] == EACCES)
			continue;
		expect_doorbell(WRITE, kernel_test_errors[i]);
		assert_int_equal(ring(t), -kernel_test_errors[i]);
	}
	assert_int_equal(t->state.refused, 0);
}

static void doorbell_goes_by_ioctl_after_a_change_of_credentials(void **state)
{
	struct kernel_test *t = *state;

	expect_doorbell(WRITE, EACCES);
	expect_doorbell(WRAPPED, 0);
	assert_int_equal(ring(t), 0);
	assert_true(kernel_test_refused(t, KERNEL_CAP_WRITE));
	/* from now on a single system call again */
	expect_doorbell(WRAPPED, 0);
	assert_int_equal(ring(t), 0);
}

static void doorbell_that_the_device_forbids_is_not_learned(void **state)
{
	struct kernel_test *t = *state;

	expect_doorbell(WRITE, EACCES);
	expect_doorbell(WRAPPED, EACCES);
	assert_int_equal(ring(t), -EACCES);
	assert_false(kernel_test_refused(t, KERNEL_CAP_WRITE));
}

static void doorbell_without_ioctl_says_what_write_said(void **state)
{
	struct kernel_test *t = *state;

	kernel_test_force(t, WRITE);
	expect_doorbell(WRITE, EACCES);
	assert_int_equal(ring(t), -EACCES);
}

static void doorbell_of_an_imported_context_is_an_ioctl(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	expect_doorbell(WRAPPED, 0);
	assert_int_equal(ring(t), 0);
	expect_doorbell(WRAPPED, EPROTONOSUPPORT);
	assert_int_equal(ring(t), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(doorbell_is_one_write),
		KERNEL_TEST(doorbell_error_is_returned),
		KERNEL_TEST(
			doorbell_goes_by_ioctl_after_a_change_of_credentials),
		KERNEL_TEST(doorbell_that_the_device_forbids_is_not_learned),
		KERNEL_TEST(doorbell_without_ioctl_says_what_write_said),
		KERNEL_TEST(doorbell_of_an_imported_context_is_an_ioctl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
