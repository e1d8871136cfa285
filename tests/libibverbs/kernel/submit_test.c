/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends commands in all three forms. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/submit.h"
#include "support/alloc_fail.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

/* ------------------------------------------------------------------------ */
/* Ioctl methods                                                             */
/* ------------------------------------------------------------------------ */

static void expect_dealloc_pd(uint32_t handle, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_PD,
		.method = UVERBS_METHOD_PD_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_PD_HANDLE, handle)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int submit_dealloc_pd(struct kernel_test *t, uint32_t handle)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, handle);
	return submit_ioctl(t->ctx, &cmd);
}

static void submit_ioctl_sends_header_and_attrs(void **state)
{
	expect_dealloc_pd(3, 0);
	assert_int_equal(submit_dealloc_pd(*state, 3), 0);
}

static void submit_ioctl_error_is_returned_and_not_learned(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_dealloc_pd(3, kernel_test_errors[i]);
		assert_int_equal(submit_dealloc_pd(t, 3),
				 -kernel_test_errors[i]);
		assert_int_equal(t->state.refused, 0);
	}
}

static void submit_ioctl_refused_method_is_not_tried_again(void **state)
{
	struct kernel_test *t = *state;

	expect_dealloc_pd(3, EPROTONOSUPPORT);
	assert_int_equal(submit_dealloc_pd(t, 3), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_DEALLOC_PD));
	assert_false(kernel_test_refused(t, KERNEL_CAP_IOCTL));
	assert_int_equal(submit_dealloc_pd(t, 3), SUBMIT_NOT_OFFERED);
}

static void submit_ioctl_enotty_refuses_all_methods(void **state)
{
	struct kernel_test *t = *state;

	expect_dealloc_pd(3, ENOTTY);
	assert_int_equal(submit_dealloc_pd(t, 3), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_IOCTL));
	assert_int_equal(submit_dealloc_pd(t, 3), SUBMIT_NOT_OFFERED);
}

static void submit_refusals_are_kept_per_context(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_kernel_state other = { .driver_id = TEST_DRIVER_ID };

	expect_dealloc_pd(3, ENOTTY);
	assert_int_equal(submit_dealloc_pd(t, 3), SUBMIT_NOT_OFFERED);
	t->vctx.priv = (struct verbs_ex_private *)(void *)&other;
	expect_dealloc_pd(3, 0);
	assert_int_equal(submit_dealloc_pd(t, 3), 0);
}

static void submit_ioctl_build_error_is_returned_without_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_ptr(&cmd, 0, NULL, SIZE_MAX);
	assert_int_equal(submit_ioctl(t->ctx, &cmd), -EINVAL);
}

static void submit_ioctl_only_refused_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, 3);
	expect_dealloc_pd(3, EPROTONOSUPPORT);
	assert_int_equal(submit_ioctl_only(t->ctx, &cmd), -EOPNOTSUPP);
	assert_int_equal(submit_ioctl_only(t->ctx, &cmd), -EOPNOTSUPP);
}

static void submit_ioctl_imported_context_retries_refused_method(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	expect_dealloc_pd(3, EPROTONOSUPPORT);
	assert_int_equal(submit_dealloc_pd(t, 3), SUBMIT_NOT_OFFERED);
	expect_dealloc_pd(3, 0);
	assert_int_equal(submit_dealloc_pd(t, 3), 0);
}

/* ------------------------------------------------------------------------ */
/* Write commands                                                            */
/* ------------------------------------------------------------------------ */

/* A command with core and driver input and output, and its expected result. */
struct full_cmd {
	uint64_t in[2], out[2];
	struct fake_write expected;
	struct write_cmd req;
};

static const uint64_t full_resp[2] = { 0x1111, 0x2222 };

static void full_cmd_init(struct full_cmd *w, struct kernel_test *t,
			  uint32_t command)
{
	*w = (struct full_cmd){
		.in = { 0, 0x0123456789abcdef },
		.expected = {
			.command = command,
			.in_len = sizeof(w->in),
			.out = full_resp,
			.out_len = sizeof(full_resp),
			.driver_in = t->driver_in,
			.driver_in_len = t->udata.in_len,
			.driver_out = kernel_test_driver_resp,
			.driver_out_len = t->udata.out_len,
		},
		.req = {
			.command = command,
			.in_len = sizeof(w->in),
			.out_len = sizeof(w->out),
			.udata = &t->udata,
		},
	};
	w->expected.in = w->in;
	w->req.in = w->in;
	w->req.out = w->out;
}

static void check_full_cmd(struct kernel_test *t, struct full_cmd *w)
{
	assert_int_equal(submit_write(t->ctx, &w->req), 0);
	assert_memory_equal(w->out, full_resp, sizeof(full_resp));
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    t->udata.out_len);
}

static void submit_write_sends_invoke_write(void **state)
{
	struct full_cmd w;

	full_cmd_init(&w, *state, IB_USER_VERBS_CMD_CREATE_CQ);
	fake_kernel_expect_invoke_write(&w.expected);
	check_full_cmd(*state, &w);
}

static void submit_write_ex_sends_invoke_write(void **state)
{
	struct full_cmd w;

	full_cmd_init(&w, *state, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	fake_kernel_expect_invoke_write(&w.expected);
	check_full_cmd(*state, &w);
}

static void submit_write_invoke_write_refused_falls_back_to_write(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.expected.err = EPROTONOSUPPORT;
	fake_kernel_expect_invoke_write(&w.expected);
	w.expected.err = 0;
	fake_kernel_expect_write(&w.expected);
	check_full_cmd(t, &w);
	assert_true(kernel_test_refused(t, KERNEL_CAP_INVOKE_WRITE));
	assert_false(kernel_test_refused(t, KERNEL_CAP_IOCTL));

	fake_kernel_expect_write(&w.expected);
	check_full_cmd(t, &w);
}

static void submit_write_without_ioctl_falls_back_to_write(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.expected.err = ENOTTY;
	fake_kernel_expect_invoke_write(&w.expected);
	w.expected.err = 0;
	fake_kernel_expect_write(&w.expected);
	check_full_cmd(t, &w);
	assert_true(kernel_test_refused(t, KERNEL_CAP_IOCTL));
}

static void submit_write_ex_without_ioctl_falls_back_to_write(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	kernel_test_force(t, FORM_WRITE);
	fake_kernel_expect_write(&w.expected);
	check_full_cmd(t, &w);
}

static void submit_write_ex_pads_driver_data_with_zeros(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	t->udata.in_len = 12;
	t->udata.out_len = 4;
	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	kernel_test_force(t, FORM_WRITE);
	fake_kernel_expect_write(&w.expected);
	check_full_cmd(t, &w);
	for (size_t i = 4; i < sizeof(t->driver_out); i++)
		assert_int_equal(t->driver_out[i], 0);
}

static void submit_write_unfilled_response_is_zero(void **state)
{
	struct kernel_test *t = *state;
	const uint64_t zeros[2] = {};

	for (int extended = 0; extended < 2; extended++) {
		struct full_cmd w;

		full_cmd_init(&w, t,
			      IB_USER_VERBS_CMD_CREATE_CQ |
				      (extended ? EXTENDED : 0));
		w.expected.out = NULL;
		w.expected.driver_out = NULL;
		kernel_test_force(t, FORM_WRITE);
		fake_kernel_expect_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), 0);
		assert_memory_equal(w.out, zeros, sizeof(zeros));
		assert_memory_equal(t->driver_out, zeros, sizeof(zeros));
	}
}

static void submit_write_ex_without_response_sends_no_address(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	w.req.udata = NULL;
	w.req.out_len = 0;
	w.expected.out_len = 0;
	w.expected.driver_in_len = 0;
	w.expected.driver_out_len = 0;
	kernel_test_force(t, FORM_WRITE);
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), 0);
}

static void submit_write_without_response_leaves_request_unchanged(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_MODIFY_SRQ);
	w.in[0] = 0xfefefefefefefefe; /* offset of "response" in requests that
					 have it */
	w.req.out_len = 0;
	w.expected.out_len = 0;
	w.expected.driver_out_len = 0;
	t->udata.out_len = 0;
	kernel_test_force(t, FORM_WRITE);
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), 0);
}

static void
submit_write_error_does_not_fall_back_or_change_outputs(void **state)
{
	struct kernel_test *t = *state;
	const uint8_t zeros[16] = {};

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		struct full_cmd w;

		t->state.refused = 0;
		kernel_test_force(t, FORM_WRITE);
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.expected.err = kernel_test_errors[i];
		fake_kernel_expect_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req),
				 -kernel_test_errors[i]);
		assert_memory_equal(w.out, zeros, sizeof(w.out));
		assert_memory_equal(t->driver_out, zeros, sizeof(zeros));
	}
}

static void submit_write_invoke_write_error_does_not_fall_back(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		struct full_cmd w;

		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.expected.err = kernel_test_errors[i];
		fake_kernel_expect_invoke_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req),
				 -kernel_test_errors[i]);
		assert_int_equal(t->state.refused, 0);
	}
}

static void submit_write_short_write_returns_eproto(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.expected.short_by = 4;
	kernel_test_force(t, FORM_WRITE);
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), -EPROTO);
}

/* Driver data alone exceeds the limit of request or response. */
static void submit_write_oversized_driver_data_returns_emsgsize(void **state)
{
	static uint8_t big[65544];
	static const size_t lengths[] = { 65536, 65544, SIZE_MAX & ~(size_t)7 };
	struct kernel_test *t = *state;
	struct full_cmd w;

	kernel_test_force(t, FORM_WRITE);
	for (int extended = 0; extended < 2; extended++) {
		for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths);
		     i++) {
			struct verbs_udata in = { .in = big,
						  .in_len = lengths[i] };
			struct verbs_udata out = { .out = big,
						   .out_len = lengths[i] };

			full_cmd_init(&w, t,
				      IB_USER_VERBS_CMD_CREATE_CQ |
					      (extended ? EXTENDED : 0));
			w.req.udata = &in;
			assert_int_equal(submit_write(t->ctx, &w.req),
					 -EMSGSIZE);
			w.req.udata = &out;
			assert_int_equal(submit_write(t->ctx, &w.req),
					 -EMSGSIZE);
		}
	}
}

static void submit_write_oversized_core_data_returns_emsgsize(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	kernel_test_force(t, FORM_WRITE);
	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.req.in_len = SIZE_MAX & ~(size_t)7;
	assert_int_equal(submit_write(t->ctx, &w.req), -EMSGSIZE);
	w.req.in_len = 16;
	w.req.out_len = SIZE_MAX & ~(size_t)7;
	assert_int_equal(submit_write(t->ctx, &w.req), -EMSGSIZE);
}

/* Lengths around the size of the stack buffer, and up to the limit. */
static void submit_write_all_lengths_up_to_limit_are_sent(void **state)
{
	static const size_t totals[] = {
		24 + 16, 1024, 1028, 2048, 2052, 65536
	};
	static uint8_t big[65536], resp[65536];
	struct kernel_test *t = *state;
	struct full_cmd w;

	kernel_test_force(t, FORM_WRITE);
	for (size_t i = 0; i < sizeof(big); i++) {
		big[i] = (uint8_t)(i * 7);
		resp[i] = (uint8_t)(i * 11);
	}
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		static uint8_t resp_buf[65536];
		struct verbs_udata udata = {
			.in = big,
			/* request: 8 bytes of header, 16 of core */
			.in_len = totals[i] - 8 - 16,
			.out = resp_buf,
			.out_len = totals[i] - 16,
		};

		memset(resp_buf, 0, sizeof(resp_buf));
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.req.udata = &udata;
		w.expected.driver_in = big;
		w.expected.driver_in_len = udata.in_len;
		w.expected.driver_out = resp;
		w.expected.driver_out_len = udata.out_len;
		fake_kernel_expect_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), 0);
		assert_memory_equal(w.out, full_resp, sizeof(full_resp));
		assert_memory_equal(resp_buf, resp, udata.out_len);
	}
}

static void
submit_write_large_request_without_memory_returns_enomem(void **state)
{
	static uint8_t big[4096];
	struct kernel_test *t = *state;
	struct verbs_udata udata = { .in = big, .in_len = sizeof(big) };
	size_t blocks = alloc_fail_nr_blocks();
	struct full_cmd w;

	kernel_test_force(t, FORM_WRITE);
	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.req.udata = &udata;
	alloc_fail_at(1);
	assert_int_equal(submit_write(t->ctx, &w.req), -ENOMEM);
	assert_true(alloc_fail_done());
	errno = TEST_ERRNO;

	w.expected.driver_in = big;
	w.expected.driver_in_len = sizeof(big);
	w.expected.driver_out_len = 0;
	w.expected.err = EBUSY;
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), -EBUSY);
	fake_kernel_finish();
	fake_kernel_driver_id(TEST_DRIVER_ID);
	assert_int_equal(alloc_fail_nr_blocks(), blocks);
}

static void submit_write_out_on_error_copies_response(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct full_cmd w;

		kernel_test_force(t, form);
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_POST_SEND);
		w.expected.err = ENOMEM;
		w.req.out_on_error = true;
		kernel_test_expect(form, &w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), -ENOMEM);
		assert_memory_equal(w.out, full_resp, sizeof(full_resp));
	}
}

/* ------------------------------------------------------------------------ */
/* Driver-specific attributes                                                */
/* ------------------------------------------------------------------------ */

static void expect_with_attrs(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_PD,
		.method = UVERBS_METHOD_PD_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_PD_HANDLE, 3),
			   TEST_DRIVER_ATTRS),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int submit_dealloc_pd_with_attrs(struct kernel_test *t)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, 3);
	cmd_udata(&cmd, &t->attrs_only);
	return submit_ioctl(t->ctx, &cmd);
}

static void submit_ioctl_driver_attrs_are_sent_and_copied_back(void **state)
{
	struct kernel_test *t = *state;

	expect_with_attrs(0);
	assert_int_equal(submit_dealloc_pd_with_attrs(t), 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(t->driver_attrs[0].data, 0x0d0e0a0d);
}

static void submit_ioctl_error_leaves_driver_attrs_unchanged(void **state)
{
	struct kernel_test *t = *state;

	expect_with_attrs(EBUSY);
	assert_int_equal(submit_dealloc_pd_with_attrs(t), -EBUSY);
	assert_false(kernel_test_driver_attrs_updated(t));
}

/* The attribute may be the unsupported part, not the method. */
static void
submit_ioctl_refusal_with_mandatory_driver_attr_is_not_learned(void **state)
{
	struct kernel_test *t = *state;

	expect_with_attrs(EPROTONOSUPPORT);
	assert_int_equal(submit_dealloc_pd_with_attrs(t), SUBMIT_NOT_OFFERED);
	assert_int_equal(t->state.refused, 0);
	expect_with_attrs(ENOTTY);
	assert_int_equal(submit_dealloc_pd_with_attrs(t), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_IOCTL));
}

static void
submit_ioctl_refusal_with_optional_driver_attr_is_learned(void **state)
{
	struct kernel_test *t = *state;
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_PD,
		.method = UVERBS_METHOD_PD_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_PD_HANDLE, 3),
			   { .id = TEST_DRIVER_OBJ,
			     .kind = FAKE_OUT_NUM,
			     .optional = true }),
		.err = EPROTONOSUPPORT,
	};

	t->attrs_only.attrs = &t->driver_attrs[1];
	t->attrs_only.nr_attrs = 1;
	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(submit_dealloc_pd_with_attrs(t), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_DEALLOC_PD));
}

static void
submit_write_with_mandatory_driver_attr_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct full_cmd w;

		t->state.refused = 0;
		kernel_test_force(t, form);
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.req.udata = &t->attrs_only;
		assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
		assert_int_equal(submit_invoke_write(t->ctx, &w.req),
				 -EOPNOTSUPP);
	}
}

static void submit_write_with_ioctl_only_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;

	t->udata.ioctl_only = true;
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct full_cmd w;

		kernel_test_force(t, form);
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
	}
}

static void submit_write_drops_optional_driver_attrs(void **state)
{
	struct kernel_test *t = *state;

	t->udata.attrs = &t->driver_attrs[1];
	t->udata.nr_attrs = 1;
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct full_cmd w;

		kernel_test_force(t, form);
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		kernel_test_expect(form, &w.expected);
		check_full_cmd(t, &w);
	}
	assert_false(kernel_test_driver_attrs_updated(t));
}

/* ------------------------------------------------------------------------ */
/* Ioctl messages built by a driver                                          */
/* ------------------------------------------------------------------------ */

static int send_raw(struct kernel_test *t)
{
	struct {
		uint16_t length, object_id, method_id, num_attrs;
		uint64_t reserved1;
		uint32_t driver_id, reserved2;
		struct ib_uverbs_attr attr;
	} msg = {
		.length = sizeof(msg),
		.object_id = UVERBS_OBJECT_PD,
		.method_id = UVERBS_METHOD_PD_DESTROY,
		.num_attrs = 1,
		.driver_id = 99,
		.attr = { .attr_id = UVERBS_ATTR_DESTROY_PD_HANDLE,
			  .flags = UVERBS_ATTR_F_MANDATORY,
			  .data = 3 },
	};

	_Static_assert(sizeof(msg) == sizeof(struct ib_uverbs_ioctl_hdr) +
					      sizeof(struct ib_uverbs_attr),
		       "message layout");
	return submit_ioctl_raw(t->ctx,
				(struct ib_uverbs_ioctl_hdr *)(void *)&msg);
}

static void submit_ioctl_raw_sets_driver_id(void **state)
{
	expect_dealloc_pd(3, 0);
	assert_int_equal(send_raw(*state), 0);
}

static void submit_ioctl_raw_does_not_learn_refusals(void **state)
{
	static const int errors[] = { EINVAL, EPROTONOSUPPORT, ENOTTY };
	struct kernel_test *t = *state;

	for (int i = 0; i < 3; i++) {
		expect_dealloc_pd(3, errors[i]);
		assert_int_equal(send_raw(t), -errors[i]);
		assert_int_equal(t->state.refused, 0);
	}
}

/* ------------------------------------------------------------------------ */
/* Contexts without write(2)                                                 */
/* ------------------------------------------------------------------------ */

static void submit_write_imported_context_does_not_use_write(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	t->state.imported = true;
	for (int i = 0; i < 2; i++) {
		full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.expected.err = EPROTONOSUPPORT;
		fake_kernel_expect_invoke_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
	}
}

static void submit_write_all_forms_refused_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct full_cmd w;

	full_cmd_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	kernel_test_refuse(t, KERNEL_CAP_IOCTL);
	kernel_test_refuse(t, KERNEL_CAP_WRITE);
	assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(submit_ioctl_sends_header_and_attrs),
		KERNEL_TEST(submit_ioctl_error_is_returned_and_not_learned),
		KERNEL_TEST(submit_ioctl_refused_method_is_not_tried_again),
		KERNEL_TEST(submit_ioctl_enotty_refuses_all_methods),
		KERNEL_TEST(submit_refusals_are_kept_per_context),
		KERNEL_TEST(submit_ioctl_build_error_is_returned_without_ioctl),
		KERNEL_TEST(submit_ioctl_only_refused_returns_eopnotsupp),
		KERNEL_TEST(
			submit_ioctl_imported_context_retries_refused_method),
		KERNEL_TEST(submit_write_sends_invoke_write),
		KERNEL_TEST(submit_write_ex_sends_invoke_write),
		KERNEL_TEST(
			submit_write_invoke_write_refused_falls_back_to_write),
		KERNEL_TEST(submit_write_without_ioctl_falls_back_to_write),
		KERNEL_TEST(submit_write_ex_without_ioctl_falls_back_to_write),
		KERNEL_TEST(submit_write_ex_pads_driver_data_with_zeros),
		KERNEL_TEST(submit_write_unfilled_response_is_zero),
		KERNEL_TEST(submit_write_ex_without_response_sends_no_address),
		KERNEL_TEST(
			submit_write_without_response_leaves_request_unchanged),
		KERNEL_TEST(
			submit_write_error_does_not_fall_back_or_change_outputs),
		KERNEL_TEST(submit_write_invoke_write_error_does_not_fall_back),
		KERNEL_TEST(submit_write_short_write_returns_eproto),
		KERNEL_TEST(
			submit_write_oversized_driver_data_returns_emsgsize),
		KERNEL_TEST(submit_write_oversized_core_data_returns_emsgsize),
		KERNEL_TEST(submit_write_all_lengths_up_to_limit_are_sent),
		KERNEL_TEST(
			submit_write_large_request_without_memory_returns_enomem),
		KERNEL_TEST(submit_write_out_on_error_copies_response),
		KERNEL_TEST(submit_ioctl_driver_attrs_are_sent_and_copied_back),
		KERNEL_TEST(submit_ioctl_error_leaves_driver_attrs_unchanged),
		KERNEL_TEST(
			submit_ioctl_refusal_with_mandatory_driver_attr_is_not_learned),
		KERNEL_TEST(
			submit_ioctl_refusal_with_optional_driver_attr_is_learned),
		KERNEL_TEST(
			submit_write_with_mandatory_driver_attr_returns_eopnotsupp),
		KERNEL_TEST(submit_write_with_ioctl_only_returns_eopnotsupp),
		KERNEL_TEST(submit_write_drops_optional_driver_attrs),
		KERNEL_TEST(submit_ioctl_raw_sets_driver_id),
		KERNEL_TEST(submit_ioctl_raw_does_not_learn_refusals),
		KERNEL_TEST(submit_write_imported_context_does_not_use_write),
		KERNEL_TEST(submit_write_all_forms_refused_returns_eopnotsupp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
