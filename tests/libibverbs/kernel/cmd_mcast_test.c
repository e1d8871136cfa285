/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of multicast groups. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static const union ibv_gid group = {
	.raw = { 0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2, 3 },
};

/* Requests of both commands have the same layout. */
static void expect_mcast(struct kernel_test *t, enum test_form form,
			 uint32_t command, int err)
{
	const struct ib_uverbs_attach_mcast in = {
		.gid = { 0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1,
			 2, 3 },
		.qp_handle = 61,
		.mlid = 0xc001,
	};
	const struct fake_write cmd = {
		.command = command,
		.in = &in,
		.in_len = sizeof(in),
		.err = err,
	};

	_Static_assert(sizeof(struct ib_uverbs_attach_mcast) ==
			       sizeof(struct ib_uverbs_detach_mcast),
		       "same shape");
	t->state.refused = 0;
	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static void attach_mcast_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		expect_mcast(t, form, IB_USER_VERBS_CMD_ATTACH_MCAST, 0);
		assert_int_equal(verbs_cmd_attach_mcast(&qp, &group, 0xc001),
				 0);
		expect_mcast(t, form, IB_USER_VERBS_CMD_ATTACH_MCAST, EINVAL);
		assert_int_equal(verbs_cmd_attach_mcast(&qp, &group, 0xc001),
				 -EINVAL);
	}
}

static void detach_mcast_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		expect_mcast(t, form, IB_USER_VERBS_CMD_DETACH_MCAST, 0);
		assert_int_equal(verbs_cmd_detach_mcast(&qp, &group, 0xc001),
				 0);
		expect_mcast(t, form, IB_USER_VERBS_CMD_DETACH_MCAST, EINVAL);
		assert_int_equal(verbs_cmd_detach_mcast(&qp, &group, 0xc001),
				 -EINVAL);
	}
}

static void detach_mcast_device_gone_succeeds_if_allowed(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	expect_mcast(t, FORM_INVOKE_WRITE, IB_USER_VERBS_CMD_DETACH_MCAST, EIO);
	assert_int_equal(verbs_cmd_detach_mcast(&qp, &group, 0xc001), -EIO);
	verbs_allow_disassociate_destroy = true;
	expect_mcast(t, FORM_INVOKE_WRITE, IB_USER_VERBS_CMD_DETACH_MCAST, EIO);
	assert_int_equal(verbs_cmd_detach_mcast(&qp, &group, 0xc001), 0);
}

static void attach_mcast_device_gone_returns_eio(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	verbs_allow_disassociate_destroy = true;
	expect_mcast(t, FORM_INVOKE_WRITE, IB_USER_VERBS_CMD_ATTACH_MCAST, EIO);
	assert_int_equal(verbs_cmd_attach_mcast(&qp, &group, 0xc001), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(attach_mcast_sends_both_write_forms),
		KERNEL_TEST(detach_mcast_sends_both_write_forms),
		KERNEL_TEST(detach_mcast_device_gone_succeeds_if_allowed),
		KERNEL_TEST(attach_mcast_device_gone_returns_eio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
