/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opening of XRC queue pairs by foreign providers:
 * libibverbs/foreign/foreign_cmd_qp.c.
 */
#include <pthread.h>
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

/* Fill the bytes behind ibv_qp; older releases had other members there. */
static void fill_qp(struct verbs_qp *qp)
{
	memset(qp, 0xdd, sizeof(*qp));
}

static void check_behind_qp(const struct verbs_qp *qp)
{
	const uint8_t *bytes = (const uint8_t *)qp;

	for (size_t i = sizeof(qp->qp); i < sizeof(*qp); i++)
		assert_int_equal(bytes[i], 0xdd);
}

static void check_qp_events(struct ibv_qp *qp)
{
	assert_int_equal(qp->events_completed, 0);
	assert_int_equal(pthread_mutex_trylock(&qp->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&qp->mutex), 0);
	assert_int_equal(pthread_cond_signal(&qp->cond), 0);
}

static void expect_open_qp(struct foreign_cmd_test *t, enum test_form form,
			   const struct verbs_qp *qp, int err)
{
	const struct ib_uverbs_open_qp in = {
		.user_handle = (uintptr_t)qp,
		.pd_handle = 41,
		.qpn = 777,
		.qp_type = IBV_QPT_XRC_RECV,
	};
	const struct ib_uverbs_create_qp_resp out = { .qp_handle = 31,
						      .qpn = 777 };

	foreign_cmd_test_force_form(t, form);
	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_OPEN_QP,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static struct ibv_qp_open_attr open_qp_attr(struct verbs_xrcd *xrcd,
					    void *context)
{
	return (struct ibv_qp_open_attr){
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE | IBV_QP_OPEN_ATTR_CONTEXT,
		.qp_num = 777,
		.xrcd = &xrcd->xrcd,
		.qp_context = context,
		.qp_type = IBV_QPT_XRC_RECV,
	};
}

static void foreign_cmd_open_qp_fills_object_and_response(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_xrcd xrcd = { .handle = 41 };
	struct ibv_qp_open_attr attr = open_qp_attr(&xrcd, t);

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ib_uverbs_create_qp_resp *resp = (void *)t->caller.resp;
		struct verbs_qp qp;

		fill_qp(&qp);
		caller_init(&t->caller, 40, 32);
		expect_open_qp(t, form, &qp, 0);
		assert_succeeds(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp),
						    &attr, CALLER_CMD(t),
						    CALLER_RESP(t)));
		assert_int_equal(qp.qp.handle, 31);
		assert_int_equal(qp.qp.qp_num, 777);
		assert_ptr_equal(qp.qp.context, t->ctx);
		assert_ptr_equal(qp.qp.qp_context, t);
		assert_null(qp.qp.pd);
		assert_null(qp.qp.send_cq);
		assert_null(qp.qp.recv_cq);
		assert_null(qp.qp.srq);
		assert_int_equal(qp.qp.qp_type, IBV_QPT_XRC_RECV);
		assert_int_equal(qp.qp.state, IBV_QPS_UNKNOWN);
		check_qp_events(&qp.qp);
		assert_int_equal(qp.comp_mask, VERBS_QP_MASK_XRCD);
		assert_ptr_equal(qp.xrcd, &xrcd);
		assert_int_equal(resp->qp_handle, 31);
		assert_int_equal(resp->qpn, 777);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_open_qp_short_object_omits_xrcd(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_xrcd xrcd = { .handle = 41 };
	struct ibv_qp_open_attr attr = open_qp_attr(&xrcd, t);
	struct verbs_qp qp;

	fill_qp(&qp);
	caller_init(&t->caller, 40, 32);
	expect_open_qp(t, WRITE, &qp, 0);
	assert_succeeds(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp) - 1, &attr,
					    CALLER_CMD(t), CALLER_RESP(t)));
	check_behind_qp(&qp);

	foreign_cmd_test_set_release(t, FOREIGN_34, 44);
	expect_open_qp(t, WRITE, &qp, 0);
	assert_succeeds(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp), &attr,
					    CALLER_CMD(t), CALLER_RESP(t)));
	check_behind_qp(&qp);
}

static void foreign_cmd_open_qp_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_xrcd xrcd = { .handle = 41 };
	struct ibv_qp_open_attr attr = open_qp_attr(&xrcd, t);
	struct verbs_qp qp = {};

	caller_init(&t->caller, 40, 32);
	expect_open_qp(t, WRITE, &qp, ENOENT);
	assert_fails(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp), &attr,
					 CALLER_CMD(t), CALLER_RESP(t)),
		     ENOENT);
	caller_check_core_untouched(&t->caller);
	assert_fails(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp.qp) - 1, &attr,
					 CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_open_qp(t->ctx, &qp, -1, &attr, CALLER_CMD(t),
					 CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp), &attr,
					 t->caller.cmd, 39, CALLER_RESP(t)),
		     EINVAL);
	attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_TYPE;
	assert_fails(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp), &attr,
					 CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	attr.comp_mask = 1 << 4;
	assert_fails(foreign_cmd_open_qp(t->ctx, &qp, sizeof(qp), &attr,
					 CALLER_CMD(t), CALLER_RESP(t)),
		     EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_open_qp_fills_object_and_response),
		FOREIGN_CMD_TEST(foreign_cmd_open_qp_short_object_omits_xrcd),
		FOREIGN_CMD_TEST(foreign_cmd_open_qp_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
