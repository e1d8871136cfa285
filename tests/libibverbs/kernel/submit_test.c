/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How commands reach the kernel, in all three forms. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/submit.h"
#include "support/alloc_fail.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

/* ------------------------------------------------------------------------ */
/* Native                                                                    */
/* ------------------------------------------------------------------------ */

static void expect_dealloc(uint32_t handle, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_PD,
		.method = UVERBS_METHOD_PD_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_PD_HANDLE, handle)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int dealloc(struct kernel_test *t, uint32_t handle)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, handle);
	return submit_ioctl(t->ctx, &cmd);
}

static void ioctl_carries_header_and_attributes(void **state)
{
	expect_dealloc(3, 0);
	assert_int_equal(dealloc(*state, 3), 0);
}

static void ioctl_error_is_returned_and_not_learned(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_dealloc(3, kernel_test_errors[i]);
		assert_int_equal(dealloc(t, 3), -kernel_test_errors[i]);
		assert_int_equal(t->state.refused, 0);
	}
}

static void ioctl_refused_method_is_not_offered_again(void **state)
{
	struct kernel_test *t = *state;

	expect_dealloc(3, EPROTONOSUPPORT);
	assert_int_equal(dealloc(t, 3), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_DEALLOC_PD));
	assert_false(kernel_test_refused(t, KERNEL_CAP_IOCTL));
	assert_int_equal(dealloc(t, 3), SUBMIT_NOT_OFFERED);
}

static void ioctl_enotty_is_learned_for_all_methods(void **state)
{
	struct kernel_test *t = *state;

	expect_dealloc(3, ENOTTY);
	assert_int_equal(dealloc(t, 3), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_IOCTL));
	assert_int_equal(dealloc(t, 3), SUBMIT_NOT_OFFERED);
}

static void refusals_are_kept_per_context(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_kernel_state other = { .driver_id = TEST_DRIVER_ID };

	expect_dealloc(3, ENOTTY);
	assert_int_equal(dealloc(t, 3), SUBMIT_NOT_OFFERED);
	t->vctx.priv = (struct verbs_ex_private *)(void *)&other;
	expect_dealloc(3, 0);
	assert_int_equal(dealloc(t, 3), 0);
}

static void ioctl_that_could_not_be_built_is_not_sent(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_ptr(&cmd, 0, NULL, SIZE_MAX);
	assert_int_equal(submit_ioctl(t->ctx, &cmd), -EINVAL);
}

static void ioctl_without_another_form_is_not_supported(void **state)
{
	struct kernel_test *t = *state;
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, 3);
	expect_dealloc(3, EPROTONOSUPPORT);
	assert_int_equal(submit_ioctl_only(t->ctx, &cmd), -EOPNOTSUPP);
	assert_int_equal(submit_ioctl_only(t->ctx, &cmd), -EOPNOTSUPP);
}

static void imported_context_does_not_remember_refusals(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	expect_dealloc(3, EPROTONOSUPPORT);
	assert_int_equal(dealloc(t, 3), SUBMIT_NOT_OFFERED);
	expect_dealloc(3, 0);
	assert_int_equal(dealloc(t, 3), 0);
}

/* ------------------------------------------------------------------------ */
/* Write commands                                                            */
/* ------------------------------------------------------------------------ */

/* A command with all four parts, and how it ends. */
struct whole_cmd {
	uint64_t in[2], out[2];
	struct fake_write expected;
	struct write_cmd req;
};

static const uint64_t whole_answer[2] = { 0x1111, 0x2222 };

static void whole_init(struct whole_cmd *w, struct kernel_test *t,
		       uint32_t command)
{
	*w = (struct whole_cmd){
		.in = { 0, 0x0123456789abcdef },
		.expected = {
			.command = command,
			.in_len = sizeof(w->in),
			.out = whole_answer,
			.out_len = sizeof(whole_answer),
			.driver_in = t->driver_in,
			.driver_in_len = t->udata.in_len,
			.driver_out = kernel_test_answer,
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

static void check_whole(struct kernel_test *t, struct whole_cmd *w)
{
	assert_int_equal(submit_write(t->ctx, &w->req), 0);
	assert_memory_equal(w->out, whole_answer, sizeof(whole_answer));
	assert_memory_equal(t->driver_out, kernel_test_answer,
			    t->udata.out_len);
}

static void write_command_travels_inside_an_ioctl(void **state)
{
	struct whole_cmd w;

	whole_init(&w, *state, IB_USER_VERBS_CMD_CREATE_CQ);
	fake_kernel_expect_wrapped(&w.expected);
	check_whole(*state, &w);
}

static void extended_command_travels_inside_an_ioctl(void **state)
{
	struct whole_cmd w;

	whole_init(&w, *state, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	fake_kernel_expect_wrapped(&w.expected);
	check_whole(*state, &w);
}

static void write_command_falls_back_to_write(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.expected.err = EPROTONOSUPPORT;
	fake_kernel_expect_wrapped(&w.expected);
	w.expected.err = 0;
	fake_kernel_expect_write(&w.expected);
	check_whole(t, &w);
	assert_true(kernel_test_refused(t, KERNEL_CAP_INVOKE_WRITE));
	assert_false(kernel_test_refused(t, KERNEL_CAP_IOCTL));

	fake_kernel_expect_write(&w.expected);
	check_whole(t, &w);
}

static void write_command_falls_back_to_write_without_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.expected.err = ENOTTY;
	fake_kernel_expect_wrapped(&w.expected);
	w.expected.err = 0;
	fake_kernel_expect_write(&w.expected);
	check_whole(t, &w);
	assert_true(kernel_test_refused(t, KERNEL_CAP_IOCTL));
}

static void extended_command_falls_back_to_extended_write(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	kernel_test_force(t, WRITE);
	fake_kernel_expect_write(&w.expected);
	check_whole(t, &w);
}

static void extended_write_pads_the_drivers_data_with_zeros(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	t->udata.in_len = 12;
	t->udata.out_len = 4;
	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	kernel_test_force(t, WRITE);
	fake_kernel_expect_write(&w.expected);
	check_whole(t, &w);
	for (size_t i = 4; i < sizeof(t->driver_out); i++)
		assert_int_equal(t->driver_out[i], 0);
}

static void what_the_kernel_does_not_fill_is_zero(void **state)
{
	struct kernel_test *t = *state;
	const uint64_t zeros[2] = {};

	for (int extended = 0; extended < 2; extended++) {
		struct whole_cmd w;

		whole_init(&w, t,
			   IB_USER_VERBS_CMD_CREATE_CQ |
				   (extended ? EXTENDED : 0));
		w.expected.out = NULL;
		w.expected.driver_out = NULL;
		kernel_test_force(t, WRITE);
		fake_kernel_expect_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), 0);
		assert_memory_equal(w.out, zeros, sizeof(zeros));
		assert_memory_equal(t->driver_out, zeros, sizeof(zeros));
	}
}

static void extended_write_without_any_answer_has_no_address(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ | EXTENDED);
	w.req.udata = NULL;
	w.req.out_len = 0;
	w.expected.out_len = 0;
	w.expected.driver_in_len = 0;
	w.expected.driver_out_len = 0;
	kernel_test_force(t, WRITE);
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), 0);
}

static void write_without_an_answer_leaves_the_request_alone(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_MODIFY_SRQ);
	w.in[0] = 0xfefefefefefefefe; /* where "response" would be */
	w.req.out_len = 0;
	w.expected.out_len = 0;
	w.expected.driver_out_len = 0;
	t->udata.out_len = 0;
	kernel_test_force(t, WRITE);
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), 0);
}

static void write_error_is_final_and_leaves_outputs(void **state)
{
	struct kernel_test *t = *state;
	const uint8_t zeros[16] = {};

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		struct whole_cmd w;

		t->state.refused = 0;
		kernel_test_force(t, WRITE);
		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.expected.err = kernel_test_errors[i];
		fake_kernel_expect_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req),
				 -kernel_test_errors[i]);
		assert_memory_equal(w.out, zeros, sizeof(w.out));
		assert_memory_equal(t->driver_out, zeros, sizeof(zeros));
	}
}

static void wrapped_error_is_final(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		struct whole_cmd w;

		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.expected.err = kernel_test_errors[i];
		fake_kernel_expect_wrapped(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req),
				 -kernel_test_errors[i]);
		assert_int_equal(t->state.refused, 0);
	}
}

static void short_write_is_a_protocol_error(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.expected.short_by = 4;
	kernel_test_force(t, WRITE);
	fake_kernel_expect_write(&w.expected);
	assert_int_equal(submit_write(t->ctx, &w.req), -EPROTO);
}

/* More than request or response may have, header and core not counted. */
static void too_much_drivers_data_for_a_write_is_refused(void **state)
{
	static uint8_t big[65544];
	static const size_t lengths[] = { 65536, 65544, SIZE_MAX & ~(size_t)7 };
	struct kernel_test *t = *state;
	struct whole_cmd w;

	kernel_test_force(t, WRITE);
	for (int extended = 0; extended < 2; extended++) {
		for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths);
		     i++) {
			struct verbs_udata in = { .in = big,
						  .in_len = lengths[i] };
			struct verbs_udata out = { .out = big,
						   .out_len = lengths[i] };

			whole_init(&w, t,
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

static void too_much_core_for_a_write_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	kernel_test_force(t, WRITE);
	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	w.req.in_len = SIZE_MAX & ~(size_t)7;
	assert_int_equal(submit_write(t->ctx, &w.req), -EMSGSIZE);
	w.req.in_len = 16;
	w.req.out_len = SIZE_MAX & ~(size_t)7;
	assert_int_equal(submit_write(t->ctx, &w.req), -EMSGSIZE);
}

/* On both sides of what there is room for on the stack, and up to the limit. */
static void as_much_as_fits_is_written(void **state)
{
	static const size_t totals[] = {
		24 + 16, 1024, 1028, 2048, 2052, 65536
	};
	static uint8_t big[65536], answer[65536];
	struct kernel_test *t = *state;
	struct whole_cmd w;

	kernel_test_force(t, WRITE);
	for (size_t i = 0; i < sizeof(big); i++) {
		big[i] = (uint8_t)(i * 7);
		answer[i] = (uint8_t)(i * 11);
	}
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		static uint8_t room[65536];
		struct verbs_udata udata = {
			.in = big,
			/* request: 8 bytes of header, 16 of core */
			.in_len = totals[i] - 8 - 16,
			.out = room,
			.out_len = totals[i] - 16,
		};

		memset(room, 0, sizeof(room));
		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.req.udata = &udata;
		w.expected.driver_in = big;
		w.expected.driver_in_len = udata.in_len;
		w.expected.driver_out = answer;
		w.expected.driver_out_len = udata.out_len;
		fake_kernel_expect_write(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), 0);
		assert_memory_equal(w.out, whole_answer, sizeof(whole_answer));
		assert_memory_equal(room, answer, udata.out_len);
	}
}

static void no_memory_for_a_large_write_is_an_error(void **state)
{
	static uint8_t big[4096];
	struct kernel_test *t = *state;
	struct verbs_udata udata = { .in = big, .in_len = sizeof(big) };
	size_t blocks = alloc_fail_nr_blocks();
	struct whole_cmd w;

	kernel_test_force(t, WRITE);
	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
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

static void an_answer_can_be_wanted_after_an_error(void **state)
{
	struct kernel_test *t = *state;

	for (int form = WRAPPED; form <= WRITE; form++) {
		struct whole_cmd w;

		kernel_test_force(t, form);
		whole_init(&w, t, IB_USER_VERBS_CMD_POST_SEND);
		w.expected.err = ENOMEM;
		w.req.out_on_error = true;
		kernel_test_expect(form, &w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), -ENOMEM);
		assert_memory_equal(w.out, whole_answer, sizeof(whole_answer));
	}
}

/* ------------------------------------------------------------------------ */
/* Attributes of the driver's own                                            */
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

static int dealloc_with_attrs(struct kernel_test *t)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DEALLOC_PD);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_PD_HANDLE, 3);
	cmd_udata(&cmd, &t->attrs_only);
	return submit_ioctl(t->ctx, &cmd);
}

static void drivers_attributes_are_sent_and_copied_back(void **state)
{
	struct kernel_test *t = *state;

	expect_with_attrs(0);
	assert_int_equal(dealloc_with_attrs(t), 0);
	assert_true(kernel_test_driver_answered(t));
	assert_int_equal(t->driver_attrs[0].data, 0x0d0e0a0d);
}

static void drivers_attributes_are_left_alone_after_an_error(void **state)
{
	struct kernel_test *t = *state;

	expect_with_attrs(EBUSY);
	assert_int_equal(dealloc_with_attrs(t), -EBUSY);
	assert_false(kernel_test_driver_answered(t));
}

/* It may be the attribute that the kernel does not know. */
static void refusal_with_a_mandatory_attribute_is_not_learned(void **state)
{
	struct kernel_test *t = *state;

	expect_with_attrs(EPROTONOSUPPORT);
	assert_int_equal(dealloc_with_attrs(t), SUBMIT_NOT_OFFERED);
	assert_int_equal(t->state.refused, 0);
	expect_with_attrs(ENOTTY);
	assert_int_equal(dealloc_with_attrs(t), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_IOCTL));
}

static void refusal_with_optional_attributes_is_learned(void **state)
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
	assert_int_equal(dealloc_with_attrs(t), SUBMIT_NOT_OFFERED);
	assert_true(kernel_test_refused(t, KERNEL_CAP_DEALLOC_PD));
}

static void a_mandatory_attribute_rules_out_write_commands(void **state)
{
	struct kernel_test *t = *state;

	for (int form = WRAPPED; form <= WRITE; form++) {
		struct whole_cmd w;

		t->state.refused = 0;
		kernel_test_force(t, form);
		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.req.udata = &t->attrs_only;
		assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
		assert_int_equal(submit_invoke_write(t->ctx, &w.req),
				 -EOPNOTSUPP);
	}
}

static void a_wish_for_the_ioctl_rules_out_write_commands(void **state)
{
	struct kernel_test *t = *state;

	t->udata.ioctl_only = true;
	for (int form = WRAPPED; form <= WRITE; form++) {
		struct whole_cmd w;

		kernel_test_force(t, form);
		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
	}
}

static void optional_attributes_are_left_out_of_write_commands(void **state)
{
	struct kernel_test *t = *state;

	t->udata.attrs = &t->driver_attrs[1];
	t->udata.nr_attrs = 1;
	for (int form = WRAPPED; form <= WRITE; form++) {
		struct whole_cmd w;

		kernel_test_force(t, form);
		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		kernel_test_expect(form, &w.expected);
		check_whole(t, &w);
	}
	assert_false(kernel_test_driver_answered(t));
}

/* ------------------------------------------------------------------------ */
/* An ioctl that somebody else built                                         */
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

static void raw_ioctl_gets_the_driver_id(void **state)
{
	expect_dealloc(3, 0);
	assert_int_equal(send_raw(*state), 0);
}

static void raw_ioctl_learns_nothing(void **state)
{
	static const int errors[] = { EINVAL, EPROTONOSUPPORT, ENOTTY };
	struct kernel_test *t = *state;

	for (int i = 0; i < 3; i++) {
		expect_dealloc(3, errors[i]);
		assert_int_equal(send_raw(t), -errors[i]);
		assert_int_equal(t->state.refused, 0);
	}
}

/* ------------------------------------------------------------------------ */
/* Contexts that do not write                                                */
/* ------------------------------------------------------------------------ */

static void imported_context_never_writes(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	t->state.imported = true;
	for (int i = 0; i < 2; i++) {
		whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
		w.expected.err = EPROTONOSUPPORT;
		fake_kernel_expect_wrapped(&w.expected);
		assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
	}
}

static void refused_write_is_not_supported(void **state)
{
	struct kernel_test *t = *state;
	struct whole_cmd w;

	whole_init(&w, t, IB_USER_VERBS_CMD_CREATE_CQ);
	kernel_test_refuse(t, KERNEL_CAP_IOCTL);
	kernel_test_refuse(t, KERNEL_CAP_WRITE);
	assert_int_equal(submit_write(t->ctx, &w.req), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(ioctl_carries_header_and_attributes),
		KERNEL_TEST(ioctl_error_is_returned_and_not_learned),
		KERNEL_TEST(ioctl_refused_method_is_not_offered_again),
		KERNEL_TEST(ioctl_enotty_is_learned_for_all_methods),
		KERNEL_TEST(refusals_are_kept_per_context),
		KERNEL_TEST(ioctl_that_could_not_be_built_is_not_sent),
		KERNEL_TEST(ioctl_without_another_form_is_not_supported),
		KERNEL_TEST(imported_context_does_not_remember_refusals),
		KERNEL_TEST(write_command_travels_inside_an_ioctl),
		KERNEL_TEST(extended_command_travels_inside_an_ioctl),
		KERNEL_TEST(write_command_falls_back_to_write),
		KERNEL_TEST(write_command_falls_back_to_write_without_ioctl),
		KERNEL_TEST(extended_command_falls_back_to_extended_write),
		KERNEL_TEST(extended_write_pads_the_drivers_data_with_zeros),
		KERNEL_TEST(what_the_kernel_does_not_fill_is_zero),
		KERNEL_TEST(extended_write_without_any_answer_has_no_address),
		KERNEL_TEST(write_without_an_answer_leaves_the_request_alone),
		KERNEL_TEST(write_error_is_final_and_leaves_outputs),
		KERNEL_TEST(wrapped_error_is_final),
		KERNEL_TEST(short_write_is_a_protocol_error),
		KERNEL_TEST(too_much_drivers_data_for_a_write_is_refused),
		KERNEL_TEST(too_much_core_for_a_write_is_refused),
		KERNEL_TEST(as_much_as_fits_is_written),
		KERNEL_TEST(no_memory_for_a_large_write_is_an_error),
		KERNEL_TEST(an_answer_can_be_wanted_after_an_error),
		KERNEL_TEST(drivers_attributes_are_sent_and_copied_back),
		KERNEL_TEST(drivers_attributes_are_left_alone_after_an_error),
		KERNEL_TEST(refusal_with_a_mandatory_attribute_is_not_learned),
		KERNEL_TEST(refusal_with_optional_attributes_is_learned),
		KERNEL_TEST(a_mandatory_attribute_rules_out_write_commands),
		KERNEL_TEST(a_wish_for_the_ioctl_rules_out_write_commands),
		KERNEL_TEST(optional_attributes_are_left_out_of_write_commands),
		KERNEL_TEST(raw_ioctl_gets_the_driver_id),
		KERNEL_TEST(raw_ioctl_learns_nothing),
		KERNEL_TEST(imported_context_never_writes),
		KERNEL_TEST(refused_write_is_not_supported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
