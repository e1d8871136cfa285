/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of a port, and how many of them older providers have room for. */
#include <string.h>

#include "foreign/foreign_port_attr.h"
#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

static const struct ib_uverbs_query_port_resp_ex answer = {
	.legacy_resp = { .state = 4, .max_mtu = 5, .lid = 77 },
	.port_cap_flags2 = 0x20,
	.active_speed_ex = 0x12345,
};

static void expect_native(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_PORT,
		FAKE_ATTRS(FAKE_U64_IN(UVERBS_ATTR_QUERY_PORT_PORT_NUM, 2),
			   FAKE_BYTES_OUT(UVERBS_ATTR_QUERY_PORT_RESP,
					  sizeof(answer), &answer)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_write(enum test_form form)
{
	const struct ib_uverbs_query_port in = { .port_num = 2 };
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_PORT,
		.in = &in,
		.in_len = sizeof(in),
		.out = &answer.legacy_resp,
		.out_len = sizeof(answer.legacy_resp),
	};

	if (form == WRAPPED)
		fake_kernel_expect_wrapped(&cmd);
	else
		fake_kernel_expect_write(&cmd);
}

#define CMD 24 /* bytes of the request, without any for the driver */

static void the_port_is_described(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_port_attr attr = {};

	expect_native(0);
	assert_done(
		foreign_cmd_query_port(t->ctx, 2, &attr, t->caller.cmd, CMD));
	assert_int_equal(attr.state, 4);
	assert_int_equal(attr.lid, 77);
	assert_int_equal(attr.port_cap_flags2, 0x20);
	assert_int_equal(attr.active_speed_ex, 0x12345);
}

static void older_kernels_describe_the_port_too(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_port_attr attr = {};

		foreign_cmd_test_force(t, form);
		expect_write(form);
		assert_done(foreign_cmd_query_port(t->ctx, 2, &attr,
						   t->caller.cmd, CMD));
		assert_int_equal(attr.max_mtu, 5);
		expect_write(form);
		/* No driver reads the bytes behind this request. */
		assert_done(foreign_cmd_query_port(t->ctx, 2, &attr,
						   t->caller.cmd, CMD + 8));
	}
}

/* As in the stack of a provider: something else is right behind it. */
struct short_attr {
	char attr[52];
	uint32_t behind;
};

static void a_short_attr_is_not_written_beyond(void **state)
{
	struct foreign_cmd_test *t = *state;
	union {
		struct short_attr is;
		struct ibv_port_attr as;
	} attr = { .is.behind = 0xdeadbeef };

	_Static_assert(FOREIGN_PORT_ATTR_MIN_SIZE == 52, "first members");
	foreign_cmd_test_release(t, FOREIGN_34, 44);
	expect_native(0);
	assert_done(foreign_cmd_query_port_34(t->ctx, 2, &attr.as,
					      t->caller.cmd, CMD));
	assert_int_equal(attr.as.lid, 77);
	assert_int_equal(attr.as.port_cap_flags2, 0x20);
	assert_int_equal(attr.is.behind, 0xdeadbeef);
}

static void the_library_s_own_attr_is_filled(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_port_attr *before;
	struct ibv_port_attr attr = {};

	foreign_cmd_test_release(t, FOREIGN_34, 56);
	before = foreign_port_attr_set_own(&attr);
	expect_native(0);
	assert_done(foreign_cmd_query_port_34(t->ctx, 2, &attr, t->caller.cmd,
					      CMD));
	(void)foreign_port_attr_set_own(before);
	assert_int_equal(attr.lid, 77);
	assert_int_equal(attr.active_speed_ex, 0x12345);
}

static void query_port_fails_with_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_port_attr before, attr;

	memset(&attr, 0xdd, sizeof(attr));
	before = attr;
	expect_native(EINVAL);
	assert_fails(
		foreign_cmd_query_port(t->ctx, 2, &attr, t->caller.cmd, CMD),
		EINVAL);
	expect_native(EINVAL);
	assert_fails(
		foreign_cmd_query_port_34(t->ctx, 2, &attr, t->caller.cmd, CMD),
		EINVAL);
	assert_fails(foreign_cmd_query_port(t->ctx, 2, &attr, t->caller.cmd,
					    CMD - 1),
		     EINVAL);
	assert_memory_equal(&attr, &before, sizeof(attr));
}

static void expect_speed(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = VERBS_UAPI_UVERBS_METHOD_QUERY_PORT_SPEED,
		FAKE_ATTRS(
			FAKE_U64_IN(
				VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM,
				300),
			FAKE_U64_OUT(
				VERBS_UAPI_UVERBS_ATTR_QUERY_PORT_SPEED_RESP,
				4000)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void the_speed_of_a_port(void **state)
{
	struct foreign_cmd_test *t = *state;
	uint64_t speed = 0;

	expect_speed(0);
	assert_done(foreign_cmd_query_port_speed(t->ctx, 300, &speed));
	assert_int_equal(speed, 4000);
	expect_speed(EPROTONOSUPPORT);
	assert_fails(foreign_cmd_query_port_speed(t->ctx, 300, &speed),
		     EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(the_port_is_described),
		FOREIGN_CMD_TEST(older_kernels_describe_the_port_too),
		FOREIGN_CMD_TEST(a_short_attr_is_not_written_beyond),
		FOREIGN_CMD_TEST(the_library_s_own_attr_is_filled),
		FOREIGN_CMD_TEST(query_port_fails_with_errno),
		FOREIGN_CMD_TEST(the_speed_of_a_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
