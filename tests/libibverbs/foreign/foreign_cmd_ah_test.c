/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address handle and multicast commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_ah.c and foreign_cmd_mcast.c.
 */
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

static void expect_create_ah(struct foreign_cmd_test *t, enum test_form form,
			     const struct ibv_ah *ah, int err)
{
	const struct ib_uverbs_create_ah in = {
		.user_handle = (uintptr_t)ah,
		.pd_handle = 7,
		.attr = { .dlid = 12, .port_num = 2 },
	};
	const struct ib_uverbs_create_ah_resp out = { .ah_handle = 41 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_CREATE_AH,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static void foreign_cmd_create_ah_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_ah_attr attr = { .dlid = 12, .port_num = 2 };

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_create_ah_resp *resp = (void *)t->caller.resp;
		struct ibv_ah ah = {};

		caller_init(&t->caller, 0, 4);
		expect_create_ah(t, form, &ah, 0);
		assert_succeeds(foreign_cmd_create_ah(&t->pd, &ah, &attr,
						      CALLER_RESP(t)));
		assert_ptr_equal(ah.context, t->ctx);
		assert_int_equal(ah.handle, 41);
		assert_int_equal(resp->ah_handle, 41);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_create_ah_without_response_buffer_succeeds(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_ah_attr attr = { .dlid = 12, .port_num = 2 };
	struct ibv_ah ah = {};

	expect_create_ah(t, WRITE, &ah, 0);
	assert_succeeds(foreign_cmd_create_ah(&t->pd, &ah, &attr, NULL, 0));
	assert_int_equal(ah.handle, 41);
}

static void foreign_cmd_create_ah_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_ah_attr attr = { .dlid = 12, .port_num = 2 };
	struct ibv_ah ah = {};

	caller_init(&t->caller, 0, 4);
	expect_create_ah(t, WRAPPED, &ah, EINVAL);
	assert_fails(foreign_cmd_create_ah(&t->pd, &ah, &attr, CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_create_ah(&t->pd, &ah, &attr,
					   (void *)t->caller.resp, 3),
		     EINVAL);
	caller_check_core_untouched(&t->caller);
}

static void foreign_cmd_attach_mcast_sends_gid_and_lid(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp qp = { .context = t->ctx, .handle = 51 };
	const union ibv_gid gid = { .raw = { 0xff, 0x0e, [15] = 9 } };
	struct ib_uverbs_attach_mcast in = { .qp_handle = 51, .mlid = 0xc001 };
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_ATTACH_MCAST,
		.in = &in,
		.in_len = sizeof(in),
	};

	memcpy(in.gid, gid.raw, sizeof(in.gid));
	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		cmd.command = IB_USER_VERBS_CMD_ATTACH_MCAST;
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_attach_mcast(&qp, &gid, 0xc001));
		cmd.err = ENOMEM;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_attach_mcast(&qp, &gid, 0xc001),
			     ENOMEM);
		cmd.command = IB_USER_VERBS_CMD_DETACH_MCAST;
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_detach_mcast(&qp, &gid, 0xc001));
		cmd.err = EIO;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_detach_mcast(&qp, &gid, 0xc001), EIO);
	}
	verbs_allow_disassociate_destroy = true;
	foreign_cmd_test_expect(t, WRITE, cmd);
	assert_succeeds(foreign_cmd_detach_mcast(&qp, &gid, 0xc001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_create_ah_fills_object_and_response),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_ah_without_response_buffer_succeeds),
		FOREIGN_CMD_TEST(foreign_cmd_create_ah_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_attach_mcast_sends_gid_and_lid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
