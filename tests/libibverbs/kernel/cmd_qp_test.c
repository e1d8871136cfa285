/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands that create, open and destroy queue pairs. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED
#define NOT_SENT UINT32_MAX /* not part of the request */

static struct verbs_xrcd xrcd = { .handle = 31 };
static struct ibv_cq send_cq = { .handle = 81 }, recv_cq = { .handle = 82 };
static struct ibv_srq srq = { .handle = 91 };
static struct ibv_rwq_ind_table ind_table = { .ind_tbl_handle = 95 };

/* Input of the application, and the fields that the kernel must receive. */
struct qp_case {
	struct ibv_qp_init_attr_ex attr;
	struct verbs_qp vqp;
	uint32_t pd, xrcd, send_cq, recv_cq, srq, ind_table;
	struct ib_uverbs_qp_cap cap;
	uint32_t ioctl_flags;  /* 0: none */
	uint32_t create_flags; /* of the write commands */
	uint32_t source_qpn;   /* or NOT_SENT */
	uint8_t sq_sig_all;
};

static void case_init(struct qp_case *c, struct kernel_test *t,
		      enum ibv_qp_type type)
{
	*c = (struct qp_case){
		.attr = {
			.send_cq = &send_cq,
			.recv_cq = &recv_cq,
			.cap = { 100, 101, 2, 3, 64 },
			.qp_type = type,
			.comp_mask = IBV_QP_INIT_ATTR_PD,
			.pd = &t->pd,
			.xrcd = &xrcd.xrcd,
		},
		.pd = 7,
		.xrcd = NOT_SENT,
		.send_cq = 81,
		.recv_cq = 82,
		.srq = NOT_SENT,
		.ind_table = NOT_SENT,
		.cap = { 100, 101, 2, 3, 64 },
		.source_qpn = NOT_SENT,
	};
}

static void case_srq(struct qp_case *c, struct kernel_test *t)
{
	case_init(c, t, IBV_QPT_RC);
	c->attr.srq = &srq;
	c->srq = 91;
	c->attr.sq_sig_all = 77;
	c->sq_sig_all = 1;
	c->ioctl_flags = IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
}

static void case_xrc_send(struct qp_case *c, struct kernel_test *t)
{
	case_init(c, t, IBV_QPT_XRC_SEND);
	c->attr.srq = &srq; /* ignored for XRC_SEND */
	c->recv_cq = NOT_SENT;
	c->cap.max_recv_wr = 0;
	c->cap.max_recv_sge = 0;
}

static void case_xrc_recv(struct qp_case *c, struct kernel_test *t)
{
	case_init(c, t, IBV_QPT_XRC_RECV);
	c->attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	c->attr.srq = &srq; /* ignored for XRC_RECV */
	c->pd = NOT_SENT;
	c->xrcd = 31;
	c->send_cq = NOT_SENT;
	c->recv_cq = NOT_SENT;
}

static void case_flags(struct qp_case *c, struct kernel_test *t)
{
	case_init(c, t, IBV_QPT_UD);
	c->attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS |
			     IBV_QP_INIT_ATTR_MAX_TSO_HEADER |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	c->attr.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB |
			       IBV_QP_CREATE_SOURCE_QPN;
	c->attr.source_qpn = 0x123;
	c->create_flags = c->attr.create_flags;
	c->ioctl_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	c->source_qpn = 0x123;
}

static void case_rss(struct qp_case *c, struct kernel_test *t)
{
	case_init(c, t, IBV_QPT_RAW_PACKET);
	c->attr.comp_mask |= IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH;
	c->attr.rwq_ind_tbl = &ind_table;
	c->attr.recv_cq = NULL;
	c->attr.cap = (struct ibv_qp_cap){ 0 };
	c->cap = (struct ib_uverbs_qp_cap){ 0 };
	c->ind_table = 95;
	c->send_cq = NOT_SENT; /* no send queue */
	c->recv_cq = NOT_SENT;
}

typedef void (*case_fn)(struct qp_case *c, struct kernel_test *t);

static const case_fn all_cases[] = { case_srq, case_xrc_send, case_xrc_recv,
				     case_flags, case_rss };
#define NR_CASES (sizeof(all_cases) / sizeof(*all_cases))

static bool needs_ex(const struct qp_case *c)
{
	return c->create_flags || c->ind_table != NOT_SENT;
}

/* ------------------------------------------------------------------------ */
/* Expected commands                                                         */
/* ------------------------------------------------------------------------ */

static const struct ib_uverbs_qp_cap created_cap = { 127, 128, 4, 5, 96 };

static void add_obj(struct fake_ioctl *cmd, struct fake_attr *attrs,
		    uint16_t id, uint32_t handle)
{
	if (handle != NOT_SENT)
		attrs[cmd->nr_attrs++] =
			(struct fake_attr)FAKE_NUM_IN(id, handle);
}

static void expect_ioctl(struct kernel_test *t, const struct qp_case *c,
			 int err)
{
	struct fake_attr attrs[20] = {
		FAKE_NUM_OUT(UVERBS_ATTR_CREATE_QP_HANDLE, 61),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE,
			    (uintptr_t)&c->vqp),
		FAKE_BYTES_IN(UVERBS_ATTR_CREATE_QP_CAP, sizeof(c->cap),
			      &c->cap),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_TYPE, c->attr.qp_type),
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_QP_EVENT_FD,
				     TEST_ASYNC_FD),
		FAKE_BYTES_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,
			       sizeof(created_cap), &created_cap),
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 0x616161),
		FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, 16, t->driver_in),
		FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, 16,
			       kernel_test_driver_resp),
	};
	const struct fake_attr flags =
		FAKE_U32_IN(UVERBS_ATTR_CREATE_QP_FLAGS, c->ioctl_flags);
	const struct fake_attr source =
		FAKE_U32_IN(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, c->source_qpn);
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_METHOD_QP_CREATE,
		.attrs = attrs,
		.nr_attrs = 9,
		.err = err,
	};

	add_obj(&cmd, attrs, UVERBS_ATTR_CREATE_QP_PD_HANDLE, c->pd);
	add_obj(&cmd, attrs, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, c->xrcd);
	add_obj(&cmd, attrs, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, c->send_cq);
	add_obj(&cmd, attrs, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, c->recv_cq);
	add_obj(&cmd, attrs, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, c->srq);
	add_obj(&cmd, attrs, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
		c->ind_table);
	if (c->ioctl_flags)
		attrs[cmd.nr_attrs++] = flags;
	if (c->source_qpn != NOT_SENT)
		attrs[cmd.nr_attrs++] = source;
	fake_kernel_expect_ioctl(&cmd);
}

static const struct ib_uverbs_ex_create_qp_resp created = {
	.base = {
		.qp_handle = 61,
		.qpn = 0x616161,
		.max_send_wr = 127,
		.max_recv_wr = 128,
		.max_send_sge = 4,
		.max_recv_sge = 5,
		.max_inline_data = 96,
	},
	.response_length = sizeof(struct ib_uverbs_ex_create_qp_resp),
};

static void expect_write_command(struct kernel_test *t, enum test_form form,
				 uint32_t command, const void *in,
				 size_t in_len, size_t out_len, int err)
{
	const struct fake_write cmd = {
		.command = command,
		.in = in,
		.in_len = in_len,
		.out = &created,
		.out_len = out_len,
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static uint32_t handle_or_0(uint32_t handle)
{
	return handle == NOT_SENT ? 0 : handle;
}

static void expect_basic(struct kernel_test *t, enum test_form form,
			 const struct qp_case *c, int err)
{
	const struct ib_uverbs_create_qp in = {
		.user_handle = (uintptr_t)&c->vqp,
		.pd_handle = c->pd == NOT_SENT ? c->xrcd : c->pd,
		.send_cq_handle = handle_or_0(c->send_cq),
		.recv_cq_handle = handle_or_0(c->recv_cq),
		.srq_handle = handle_or_0(c->srq),
		.max_send_wr = c->cap.max_send_wr,
		.max_recv_wr = c->cap.max_recv_wr,
		.max_send_sge = c->cap.max_send_sge,
		.max_recv_sge = c->cap.max_recv_sge,
		.max_inline_data = c->cap.max_inline_data,
		.sq_sig_all = c->sq_sig_all,
		.qp_type = (uint8_t)c->attr.qp_type,
		.is_srq = c->srq != NOT_SENT,
	};

	expect_write_command(t, form, IB_USER_VERBS_CMD_CREATE_QP, &in,
			     sizeof(in), sizeof(created.base), err);
}

static void expect_ex(struct kernel_test *t, enum test_form form,
		      const struct qp_case *c, int err)
{
	const struct ib_uverbs_ex_create_qp in = {
		.user_handle = (uintptr_t)&c->vqp,
		.pd_handle = c->pd == NOT_SENT ? c->xrcd : c->pd,
		.send_cq_handle = handle_or_0(c->send_cq),
		.recv_cq_handle = handle_or_0(c->recv_cq),
		.srq_handle = handle_or_0(c->srq),
		.max_send_wr = c->cap.max_send_wr,
		.max_recv_wr = c->cap.max_recv_wr,
		.max_send_sge = c->cap.max_send_sge,
		.max_recv_sge = c->cap.max_recv_sge,
		.max_inline_data = c->cap.max_inline_data,
		.sq_sig_all = c->sq_sig_all,
		.qp_type = (uint8_t)c->attr.qp_type,
		.is_srq = c->srq != NOT_SENT,
		.comp_mask = c->ind_table == NOT_SENT ? 0 : 1,
		.create_flags = c->create_flags,
		.rwq_ind_tbl_handle = handle_or_0(c->ind_table),
		.source_qpn = handle_or_0(c->source_qpn),
	};

	expect_write_command(t, form, IB_USER_VERBS_EX_CMD_CREATE_QP | EXTENDED,
			     &in, sizeof(in), sizeof(created), err);
}

static void expect_fallback(struct kernel_test *t, enum test_form form,
			    const struct qp_case *c, int err)
{
	if (needs_ex(c))
		expect_ex(t, form, c, err);
	else
		expect_basic(t, form, c, err);
}

static void check_created(struct kernel_test *t, struct qp_case *c)
{
	memset(t->driver_out, 0, sizeof(t->driver_out));
	assert_int_equal(
		verbs_cmd_create_qp(t->ctx, &c->vqp.qp, &c->attr, &t->udata),
		0);
	assert_int_equal(c->vqp.qp.handle, 61);
	assert_int_equal(c->vqp.qp.qp_num, 0x616161);
	assert_memory_equal(&c->attr.cap, &created_cap, sizeof(created_cap));
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

/* ------------------------------------------------------------------------ */
/* Creation                                                                  */
/* ------------------------------------------------------------------------ */

static void create_qp_sends_ioctl(void **state)
{
	for (size_t i = 0; i < NR_CASES; i++) {
		struct qp_case c;

		all_cases[i](&c, *state);
		expect_ioctl(*state, &c, 0);
		check_created(*state, &c);
	}
}

static void create_qp_accepts_each_type_with_pd(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC,
						  IBV_QPT_UD,
						  IBV_QPT_RAW_PACKET,
						  IBV_QPT_DRIVER };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct qp_case c;

		case_init(&c, *state, types[i]);
		expect_ioctl(*state, &c, 0);
		check_created(*state, &c);
	}
}

static void check_fallback(struct kernel_test *t, enum test_form form)
{
	for (size_t i = 0; i < NR_CASES; i++) {
		struct qp_case c;

		t->state.refused = 0;
		all_cases[i](&c, t);
		expect_ioctl(t, &c,
			     form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
		expect_fallback(t, form, &c, 0);
		check_created(t, &c);
	}
}

static void create_qp_ioctl_refused_falls_back_to_invoke_write(void **state)
{
	check_fallback(*state, FORM_INVOKE_WRITE);
}

static void create_qp_without_ioctl_falls_back_to_write(void **state)
{
	check_fallback(*state, FORM_WRITE);
}

/* No ioctl precedes the write command, so it must fill all outputs itself. */
static void create_qp_write_forms_fill_all_outputs(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		for (size_t i = 0; i < NR_CASES; i++) {
			struct qp_case c;

			all_cases[i](&c, t);
			expect_fallback(t, form, &c, 0);
			check_created(t, &c);
		}
	}
}

/* An SRQ in a request that needs the extended command. */
static void case_srq_with_flags(struct qp_case *c, struct kernel_test *t)
{
	case_srq(c, t);
	c->attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	c->attr.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	c->create_flags = c->attr.create_flags;
	c->ioctl_flags |= IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
}

static void create_qp_ex_command_sends_basic_fields(void **state)
{
	struct kernel_test *t = *state;
	struct qp_case c;

	case_srq_with_flags(&c, t);
	expect_ioctl(t, &c, 0);
	check_created(t, &c);
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		case_srq_with_flags(&c, t);
		expect_ex(t, form, &c, 0);
		check_created(t, &c);
	}
}

static void create_qp_rss_with_send_queue_sends_send_cq(void **state)
{
	struct kernel_test *t = *state;
	struct qp_case c;

	case_rss(&c, t);
	c.attr.cap.max_send_wr = 10;
	c.cap.max_send_wr = 10;
	c.send_cq = 81;
	expect_ioctl(t, &c, 0);
	check_created(t, &c);
}

static void create_qp_rss_with_receive_queue_is_refused(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < 4; i++) {
		struct qp_case c;

		case_rss(&c, t);
		c.attr.cap.max_recv_wr = i == 0;
		c.attr.cap.max_recv_sge = i == 1;
		c.attr.recv_cq = i == 2 ? &recv_cq : NULL;
		c.attr.srq = i == 3 ? &srq : NULL;
		assert_int_equal(
			verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, NULL),
			-EINVAL);
	}
}

static void create_qp_error_leaves_outputs_unchanged(void **state)
{
	struct kernel_test *t = *state;

	for (size_t i = 0; i < NR_CASES; i++) {
		for (int form = FORM_IOCTL; form <= FORM_WRITE; form++) {
			struct qp_case c;
			struct ibv_qp_cap before;

			all_cases[i](&c, t);
			before = c.attr.cap;
			c.vqp.qp.handle = 99;
			c.vqp.qp.qp_num = 98;
			t->state.refused = 0;
			kernel_test_force(t, form);
			if (form == FORM_IOCTL)
				expect_ioctl(t, &c, ENOMEM);
			else
				expect_fallback(t, form, &c, ENOMEM);
			assert_int_equal(verbs_cmd_create_qp(t->ctx, &c.vqp.qp,
							     &c.attr,
							     &t->udata),
					 -ENOMEM);
			assert_int_equal(c.vqp.qp.handle, 99);
			assert_int_equal(c.vqp.qp.qp_num, 98);
			assert_memory_equal(&c.attr.cap, &before,
					    sizeof(before));
		}
	}
}

static void create_qp_flags_on_old_kernel_return_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct qp_case c;

	kernel_test_force(t, FORM_WRITE);
	case_flags(&c, t);
	expect_ex(t, FORM_WRITE, &c, ENOSYS);
	assert_int_equal(
		verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, &t->udata),
		-EOPNOTSUPP);
}

static void create_qp_without_required_domain_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct qp_case c;

	case_init(&c, t, IBV_QPT_RC);
	c.attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	assert_int_equal(verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, NULL),
			 -EINVAL);
	case_init(&c, t, IBV_QPT_XRC_RECV);
	assert_int_equal(verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, NULL),
			 -EINVAL);
}

static void create_qp_unknown_attrs_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct qp_case c;

	case_init(&c, t, (enum ibv_qp_type)5);
	assert_int_equal(verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, NULL),
			 -EINVAL);
	case_init(&c, t, IBV_QPT_RC);
	c.attr.comp_mask |= 1 << 7;
	assert_int_equal(verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, NULL),
			 -EINVAL);
	case_flags(&c, t);
	c.attr.create_flags |= 1;
	assert_int_equal(verbs_cmd_create_qp(t->ctx, &c.vqp.qp, &c.attr, NULL),
			 -EINVAL);
}

/* ------------------------------------------------------------------------ */
/* Open                                                                      */
/* ------------------------------------------------------------------------ */

static struct ibv_qp_open_attr open_attr = {
	.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
		     IBV_QP_OPEN_ATTR_TYPE,
	.qp_num = 0x616161,
	.xrcd = &xrcd.xrcd,
	.qp_type = IBV_QPT_XRC_RECV,
};

static void expect_open(struct kernel_test *t, enum test_form form,
			const struct verbs_qp *vqp, int err)
{
	const struct ib_uverbs_open_qp in = {
		.user_handle = (uintptr_t)vqp,
		.pd_handle = 31,
		.qpn = 0x616161,
		.qp_type = IBV_QPT_XRC_RECV,
	};

	kernel_test_force(t, form);
	expect_write_command(t, form, IB_USER_VERBS_CMD_OPEN_QP, &in,
			     sizeof(in), sizeof(created.base), err);
}

static void open_qp_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct verbs_qp vqp = {};

		expect_open(t, form, &vqp, 0);
		assert_int_equal(verbs_cmd_open_qp(t->ctx, &vqp.qp, &open_attr,
						   &t->udata),
				 0);
		assert_int_equal(vqp.qp.handle, 61);
		assert_int_equal(vqp.qp.qp_num, 0x616161);
		assert_int_equal(vqp.qp.state, IBV_QPS_UNKNOWN);
		assert_int_equal(vqp.comp_mask, 0); /* follows the ibv_qp */
		assert_null(vqp.xrcd);
	}
}

static void open_qp_error_leaves_object_unchanged(void **state)
{
	static const struct verbs_qp before = { .qp.handle = 99 };
	struct kernel_test *t = *state;
	struct verbs_qp vqp = before;

	expect_open(t, FORM_INVOKE_WRITE, &vqp, EINVAL);
	assert_int_equal(
		verbs_cmd_open_qp(t->ctx, &vqp.qp, &open_attr, &t->udata),
		-EINVAL);
	assert_memory_equal(&vqp, &before, sizeof(vqp));
}

static void open_qp_missing_required_attr_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_qp vqp = {};

	for (uint32_t bit = 1; bit <= 8; bit <<= 1) {
		struct ibv_qp_open_attr attr = open_attr;

		if (!(attr.comp_mask & bit))
			continue;
		attr.comp_mask &= ~bit;
		assert_int_equal(
			verbs_cmd_open_qp(t->ctx, &vqp.qp, &attr, NULL),
			-EINVAL);
		attr.comp_mask |= 16;
		assert_int_equal(
			verbs_cmd_open_qp(t->ctx, &vqp.qp, &attr, NULL),
			-EOPNOTSUPP);
	}
}

/* ------------------------------------------------------------------------ */
/* Destruction                                                               */
/* ------------------------------------------------------------------------ */

static void expect_destroy(enum test_form form, int err)
{
	static const struct ib_uverbs_destroy_qp in = { .qp_handle = 61 };
	static const struct ib_uverbs_destroy_qp_resp out = { 5 };
	const struct fake_ioctl ioctl_cmd = {
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_METHOD_QP_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_QP_HANDLE, 61),
			   FAKE_BYTES_OUT(UVERBS_ATTR_DESTROY_QP_RESP,
					  sizeof(out), &out)),
		.err = err,
	};
	const struct fake_write write = {
		.command = IB_USER_VERBS_CMD_DESTROY_QP,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	if (form == FORM_IOCTL)
		fake_kernel_expect_ioctl(&ioctl_cmd);
	else
		kernel_test_expect(form, &write);
}

/* 2 events are acknowledged. */
static int run_destroy(struct kernel_test *t, struct verbs_event_count *count)
{
	struct ibv_qp qp = {
		.context = t->ctx,
		.handle = 61,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.events_completed = 2,
	};

	return verbs_cmd_destroy_qp(&qp, count);
}

static const struct destroy_events_case destroy_qp_case = {
	.expect = expect_destroy,
	.destroy = run_destroy,
	.raised = { 0, 5 },
	.acked = { 0, 2 },
};

DESTROY_EVENTS_TESTS(destroy_qp)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_qp_sends_ioctl),
		KERNEL_TEST(create_qp_accepts_each_type_with_pd),
		KERNEL_TEST(create_qp_ioctl_refused_falls_back_to_invoke_write),
		KERNEL_TEST(create_qp_without_ioctl_falls_back_to_write),
		KERNEL_TEST(create_qp_write_forms_fill_all_outputs),
		KERNEL_TEST(create_qp_ex_command_sends_basic_fields),
		KERNEL_TEST(create_qp_rss_with_send_queue_sends_send_cq),
		KERNEL_TEST(create_qp_rss_with_receive_queue_is_refused),
		KERNEL_TEST(create_qp_error_leaves_outputs_unchanged),
		KERNEL_TEST(create_qp_flags_on_old_kernel_return_eopnotsupp),
		KERNEL_TEST(create_qp_without_required_domain_is_refused),
		KERNEL_TEST(create_qp_unknown_attrs_are_refused),
		KERNEL_TEST(open_qp_sends_both_write_forms),
		KERNEL_TEST(open_qp_error_leaves_object_unchanged),
		KERNEL_TEST(open_qp_missing_required_attr_is_refused),
		DESTROY_EVENTS_TEST_LIST(destroy_qp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
