/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of support/fake_kernel.c. Each test sends a command that differs from
 * the expected one in one field, and requires a failure report. The tests build
 * the commands themselves, without any code of the library.
 */
#include "support/fake_kernel.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static char reason[256];
static int nr_failures;

static void record_failure(const char *text)
{
	nr_failures++;
	(void)snprintf(reason, sizeof(reason), "%s",
		       text); /* truncated if too long */
}

static int setup(void **state)
{
	fake_kernel_start();
	fake_kernel_on_fail(record_failure);
	fake_kernel_driver_id(14);
	nr_failures = 0;
	reason[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	fake_kernel_start();
	return 0;
}

static void assert_reported(int ret, const char *what)
{
	assert_int_equal(ret, -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(nr_failures, 1);
	if (!strstr(reason, what))
		fail_msg("\"%s\" does not mention \"%s\"", reason, what);
	nr_failures = 0;
}

/* ------------------------------------------------------------------------ */
/* ioctl                                                                     */
/* ------------------------------------------------------------------------ */

static const uint8_t long_in[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
static uint8_t out_room[16];

/* The message that is sent: it has every kind of attribute. */
struct message {
	uint16_t length, object_id, method_id, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
	struct ib_uverbs_attr attrs[6];
};

static struct message good_message(void)
{
	struct message m = {
		.length = 24 + 5 * 16,
		.object_id = UVERBS_OBJECT_MR,
		.method_id = 2,
		.num_attrs = 5,
		.driver_id = 14,
		.attrs = {
			{ .attr_id = 0, .flags = 1, .data = 77 },
			{ .attr_id = 1, .flags = 1, .len = 4 },
			{ .attr_id = 2, .flags = 1, .len = 12 },
			{ .attr_id = 3, .flags = 1, .len = 16 },
			{ .attr_id = 4, .flags = 0 },
		},
	};

	memcpy(&m.attrs[1].data, &(uint32_t){ 0xabcd }, 4);
	m.attrs[2].data = (uintptr_t)long_in;
	m.attrs[3].data = (uintptr_t)out_room;
	m.attrs[4].data_s64 = 33;
	return m;
}

static const uint8_t driver_response[16] = { 0xa0, 0xa1, 0xa2, 0xa3 };

static void expect_message(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = 2,
		FAKE_ATTRS(FAKE_NUM_OUT(0, 99), FAKE_U32_IN(1, 0xabcd),
			   FAKE_BYTES_IN(2, 12, long_in),
			   FAKE_BYTES_OUT(3, 16, driver_response),
			   FAKE_NUM_IN_OPTIONAL(4, 33)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int send_message(struct message *m)
{
	return ioctl(fake_kernel_fd(), RDMA_VERBS_IOCTL, m);
}

static void fake_kernel_expected_ioctl_receives_response(void **state)
{
	struct message m = good_message();

	expect_message(0);
	memset(out_room, 0, sizeof(out_room));
	assert_int_equal(send_message(&m), 0);
	assert_memory_equal(out_room, driver_response, sizeof(driver_response));
	assert_int_equal(m.attrs[0].data, 99);
	fake_kernel_finish();
	assert_int_equal(nr_failures, 0);
}

static void fake_kernel_failing_ioctl_receives_response(void **state)
{
	struct message m = good_message();

	expect_message(EBUSY);
	memset(out_room, 0, sizeof(out_room));
	assert_int_equal(send_message(&m), -1);
	assert_int_equal(errno, EBUSY);
	assert_memory_equal(out_room, driver_response, sizeof(driver_response));
	assert_int_equal(nr_failures, 0);
}

static void fake_kernel_expectations_are_copied(void **state)
{
	struct message m = good_message();
	struct fake_attr attrs[5] = {
		FAKE_NUM_OUT(0, 99),
		FAKE_U32_IN(1, 0xabcd),
		FAKE_BYTES_IN(2, 12, long_in),
		FAKE_BYTES_OUT(3, 16, driver_response),
		FAKE_NUM_IN_OPTIONAL(4, 33),
	};
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_MR,
		.method = 2,
		.attrs = attrs,
		.nr_attrs = 5,
	};

	fake_kernel_expect_ioctl(&cmd);
	memset(attrs, 0xff, sizeof(attrs));
	memset(&cmd, 0xff, sizeof(cmd));
	assert_int_equal(send_message(&m), 0);
}

/* One difference, and the text that the failure report must contain. */
struct difference {
	void (*make)(struct message *m);
	const char *mentions;
};

static void other_object(struct message *m)
{
	m->object_id++;
}

static void other_method(struct message *m)
{
	m->method_id++;
}

static void other_driver(struct message *m)
{
	m->driver_id++;
}

static void used_reserved1(struct message *m)
{
	m->reserved1 = 1;
}

static void used_reserved2(struct message *m)
{
	m->reserved2 = 1;
}

static void other_length(struct message *m)
{
	m->length += 16;
}

static void missing_attribute(struct message *m)
{
	m->attrs[1].attr_id = 5;
}

static void surplus_attribute(struct message *m)
{
	m->attrs[5].attr_id = 5;
	m->num_attrs++;
	m->length += 16;
}

static void duplicate_attribute(struct message *m)
{
	m->attrs[5] = m->attrs[0];
	m->num_attrs++;
	m->length += 16;
}

static void no_longer_mandatory(struct message *m)
{
	m->attrs[0].flags = 0;
}

static void not_optional(struct message *m)
{
	m->attrs[4].flags = 1;
}

static void other_inline_length(struct message *m)
{
	m->attrs[1].len = 8;
}

static void other_inline_value(struct message *m)
{
	*(uint8_t *)&m->attrs[1].data ^= 1;
}

static void other_bytes(struct message *m)
{
	static uint8_t bytes[12];

	memcpy(bytes, long_in, sizeof(bytes));
	bytes[11] ^= 1;
	m->attrs[2].data = (uintptr_t)bytes;
}

static void other_output_len(struct message *m)
{
	m->attrs[3].len = 8;
}

static void other_handle(struct message *m)
{
	m->attrs[4].data_s64 = 34;
}

static void other_enum_value(struct message *m)
{
	m->attrs[1].attr_data.enum_data.elem_id = 1;
}

static void used_reserved(struct message *m)
{
	m->attrs[1].attr_data.enum_data.reserved = 1;
}

static void fake_kernel_each_ioctl_difference_is_reported(void **state)
{
	static const struct difference differences[] = {
		{ other_object, "object" },
		{ other_method, "method" },
		{ other_driver, "driver id" },
		{ used_reserved1, "reserved1" },
		{ used_reserved2, "reserved2" },
		{ other_length, "length of the header" },
		{ missing_attribute, "0x1 is missing" },
		{ surplus_attribute, "number of attributes" },
		{ duplicate_attribute, "twice" },
		{ no_longer_mandatory, "flags of attribute 0" },
		{ not_optional, "flags of attribute 0x4" },
		{ other_inline_length, "length of attribute 0x1" },
		{ other_inline_value, "attribute 0x1" },
		{ other_bytes, "byte 11 of 12" },
		{ other_output_len, "length of attribute 0x3" },
		{ other_handle, "attribute 0x4" },
		{ other_enum_value, "choice of attribute 0x1" },
		{ used_reserved, "choice of attribute 0x1" },
	};

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences);
	     i++) {
		struct message m = good_message();

		(void)setup(state); /* cannot fail */
		expect_message(0);
		differences[i].make(&m);
		assert_reported(send_message(&m), differences[i].mentions);
	}
}

static void fake_kernel_different_request_is_reported(void **state)
{
	struct message m = good_message();

	expect_message(0);
	assert_reported(ioctl(fake_kernel_fd(), 0x1234, &m), "request");
}

static void fake_kernel_unexpected_ioctl_is_reported(void **state)
{
	struct message m = good_message();

	assert_reported(send_message(&m), "unexpected");
}

static void fake_kernel_missing_command_is_reported(void **state)
{
	struct message m = good_message();

	expect_message(0);
	expect_message(0);
	expect_message(0);
	assert_int_equal(send_message(&m), 0);
	fake_kernel_finish();
	assert_int_equal(nr_failures, 1);
	assert_string_equal(reason, "command 2: was not sent, and 1 after it");
}

static void fake_kernel_wrong_order_is_reported(void **state)
{
	const struct fake_ioctl first = { .object = UVERBS_OBJECT_PD };
	struct message m = good_message();

	fake_kernel_expect_ioctl(&first);
	expect_message(0);
	assert_reported(send_message(&m), "object");
}

/* ------------------------------------------------------------------------ */
/* write(2)                                                                  */
/* ------------------------------------------------------------------------ */

static uint32_t response[4];

struct plain {
	struct ib_uverbs_cmd_hdr hdr;
	/* struct ib_uverbs_resize_cq */
	uint64_t response;
	uint32_t cq_handle, cqe;
	uint8_t driver[4];
	uint32_t padding;
};

#define PLAIN_LEN offsetof(struct plain, padding)

static struct plain good_plain(void)
{
	return (struct plain){
		.hdr = { IB_USER_VERBS_CMD_RESIZE_CQ, PLAIN_LEN / 4, 12 / 4 },
		.response = (uintptr_t)response,
		.cq_handle = 81,
		.cqe = 200,
		.driver = { 1, 2, 3, 4 },
	};
}

static struct fake_write plain_cmd(void)
{
	static const struct ib_uverbs_resize_cq in = { .cq_handle = 81,
						       .cqe = 200 };
	static const struct ib_uverbs_resize_cq_resp out = { .cqe = 255 };

	return (struct fake_write){
		.command = IB_USER_VERBS_CMD_RESIZE_CQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = "\1\2\3\4",
		.driver_in_len = 4,
		.driver_out = driver_response,
		.driver_out_len = 4,
	};
}

static void expect_plain(void)
{
	const struct fake_write cmd = plain_cmd();

	fake_kernel_expect_write(&cmd);
}

static int send_plain(const struct plain *p, size_t len)
{
	return write(fake_kernel_fd(), p, len) == (ssize_t)len ? 0 : -1;
}

static void fake_kernel_expected_write_receives_response(void **state)
{
	struct plain p = good_plain();

	expect_plain();
	memset(response, 0, sizeof(response));
	assert_int_equal(send_plain(&p, PLAIN_LEN), 0);
	assert_int_equal(response[0], 255);
	assert_memory_equal(&response[2], driver_response, 4);
	assert_int_equal(nr_failures, 0);
}

static void fake_kernel_write_fails_or_is_short_on_request(void **state)
{
	struct plain p = good_plain();
	struct fake_write cmd = plain_cmd();

	cmd.err = EACCES;
	fake_kernel_expect_write(&cmd);
	cmd.err = 0;
	cmd.short_by = 3;
	fake_kernel_expect_write(&cmd);
	assert_int_equal(write(fake_kernel_fd(), &p, PLAIN_LEN), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(write(fake_kernel_fd(), &p, PLAIN_LEN), PLAIN_LEN - 3);
}

static void fake_kernel_each_write_difference_is_reported(void **state)
{
	static const char *const mentions[] = { "command",
						"in_words",
						"out_words",
						"no response address",
						"request: byte 4 of 8",
						"driver's input: byte 3",
						"length of the write" };

	for (int i = 0; i < 7; i++) {
		struct plain p = good_plain();

		(void)setup(state); /* cannot fail */
		expect_plain();
		p.hdr.command += i == 0;
		p.hdr.in_words += i == 1;
		p.hdr.out_words += i == 2;
		p.response = i == 3 ? 0 : p.response;
		*(uint8_t *)&p.cqe += i == 4;
		p.driver[3] += i == 5;
		assert_reported(send_plain(&p, PLAIN_LEN + 4 * (i == 6)),
				mentions[i]);
	}
}

static void fake_kernel_unexpected_write_is_reported(void **state)
{
	struct plain p = good_plain();

	assert_reported(send_plain(&p, PLAIN_LEN), "unexpected");
}

static void fake_kernel_write_and_ioctl_are_distinguished(void **state)
{
	struct plain p = good_plain();
	struct message m = good_message();

	expect_message(0);
	assert_reported(send_plain(&p, PLAIN_LEN), "expected an ioctl");
	expect_plain();
	assert_reported(send_message(&m), "expected write(2)");
}

struct extended {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
	struct ib_uverbs_ex_modify_cq core;
	uint8_t driver[8];
};

static void expect_extended(void)
{
	static const struct ib_uverbs_ex_modify_cq in = { .cq_handle = 81 };
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_CQ | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
		.driver_in = "\1\2\3\4",
		.driver_in_len = 4,
		.driver_out = driver_response,
		.driver_out_len = 4,
	};

	fake_kernel_expect_write(&cmd);
}

static struct extended good_extended(void)
{
	return (struct extended){
		.hdr = { IB_USER_VERBS_EX_CMD_MODIFY_CQ | EXTENDED, 2, 0 },
		.ex = { (uintptr_t)response, 1, 1, 0 },
		.core = { .cq_handle = 81 },
		.driver = { 1, 2, 3, 4 },
	};
}

static int send_extended(const struct extended *e)
{
	return write(fake_kernel_fd(), e, sizeof(*e)) < 0 ? -1 : 0;
}

static void fake_kernel_expected_extended_write_receives_response(void **state)
{
	struct extended e = good_extended();

	_Static_assert(sizeof(struct extended) == 24 + 16 + 8, "no padding");
	expect_extended();
	memset(response, 0, sizeof(response));
	assert_int_equal(send_extended(&e), 0);
	assert_memory_equal(response, driver_response, 4);
	assert_int_equal(nr_failures, 0);
}

static void fake_kernel_each_extended_write_difference_is_reported(void **state)
{
	static const char *const mentions[] = {
		"in_words",	      "out_words",	  "provider_in_words",
		"provider_out_words", "cmd_hdr_reserved", "response is given",
		"request: byte 0 of", "driver's input",	  "padding: byte 3",
	};

	for (int i = 0; i < 9; i++) {
		struct extended e = good_extended();

		(void)setup(state); /* cannot fail */
		expect_extended();
		e.hdr.in_words += i == 0;
		e.hdr.out_words += i == 1;
		e.ex.provider_in_words += i == 2;
		e.ex.provider_out_words += i == 3;
		e.ex.cmd_hdr_reserved += i == 4;
		e.ex.response = i == 5 ? 0 : e.ex.response;
		*(uint8_t *)&e.core.cq_handle += i == 6;
		e.driver[0] += i == 7;
		e.driver[7] += i == 8;
		assert_reported(send_extended(&e), mentions[i]);
	}
}

/* ------------------------------------------------------------------------ */
/* Wrapped commands and foreign descriptors                                  */
/* ------------------------------------------------------------------------ */

static void fake_kernel_wrapped_write_has_five_ioctl_attributes(void **state)
{
	const struct fake_write cmd = plain_cmd();
	const struct ib_uverbs_resize_cq in = { .cq_handle = 81, .cqe = 200 };
	struct ib_uverbs_resize_cq_resp out = {};
	uint32_t driver_out = 0;
	struct message m = {
		.length = 24 + 5 * 16,
		.object_id = UVERBS_OBJECT_DEVICE,
		.method_id = UVERBS_METHOD_INVOKE_WRITE,
		.num_attrs = 5,
		.driver_id = 14,
		.attrs = {
			{ .attr_id = UVERBS_ATTR_CORE_IN, .flags = 1,
			  .len = sizeof(in), .data = (uintptr_t)&in },
			{ .attr_id = UVERBS_ATTR_CORE_OUT, .flags = 1,
			  .len = sizeof(out), .data = (uintptr_t)&out },
			{ .attr_id = UVERBS_ATTR_WRITE_CMD, .flags = 1,
			  .len = 8, .data = IB_USER_VERBS_CMD_RESIZE_CQ },
			{ .attr_id = UVERBS_ATTR_UHW_IN, .flags = 1, .len = 4 },
			{ .attr_id = UVERBS_ATTR_UHW_OUT, .flags = 1, .len = 4,
			  .data = (uintptr_t)&driver_out },
		},
	};

	memcpy(&m.attrs[3].data, "\1\2\3\4", 4);
	fake_kernel_expect_invoke_write(&cmd);
	assert_int_equal(send_message(&m), 0);
	assert_int_equal(out.cqe, 255);
	assert_memory_equal(&driver_out, driver_response, 4);

	fake_kernel_expect_invoke_write(&cmd);
	m.attrs[2].data++;
	assert_reported(send_message(&m), "attribute 0x2");
}

static void
fake_kernel_foreign_descriptors_reach_the_real_functions(void **state)
{
	char byte = 0;
	int fds[2], waiting = 0;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(ioctl(fds[0], FIONREAD, &waiting), 0);
	assert_int_equal(waiting, 1);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
	assert_int_equal(nr_failures, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(fake_kernel_expected_ioctl_receives_response),
		TEST(fake_kernel_failing_ioctl_receives_response),
		TEST(fake_kernel_expectations_are_copied),
		TEST(fake_kernel_each_ioctl_difference_is_reported),
		TEST(fake_kernel_different_request_is_reported),
		TEST(fake_kernel_unexpected_ioctl_is_reported),
		TEST(fake_kernel_missing_command_is_reported),
		TEST(fake_kernel_wrong_order_is_reported),
		TEST(fake_kernel_expected_write_receives_response),
		TEST(fake_kernel_write_fails_or_is_short_on_request),
		TEST(fake_kernel_each_write_difference_is_reported),
		TEST(fake_kernel_unexpected_write_is_reported),
		TEST(fake_kernel_write_and_ioctl_are_distinguished),
		TEST(fake_kernel_expected_extended_write_receives_response),
		TEST(fake_kernel_each_extended_write_difference_is_reported),
		TEST(fake_kernel_wrapped_write_has_five_ioctl_attributes),
		TEST(fake_kernel_foreign_descriptors_reach_the_real_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
