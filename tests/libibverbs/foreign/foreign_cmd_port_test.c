/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Port attributes for foreign providers, older of which have shorter buffers:
 * libibverbs/foreign/foreign_cmd_port.c.
 */
#include <string.h>

#include "foreign/foreign_port_attr.h"
#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

static const struct ib_uverbs_query_port_resp_ex answer = {
	.legacy_resp = { .state = 4, .max_mtu = 5, .lid = 77 },
	.port_cap_flags2 = 0x20,
	.active_speed_ex = 0x12345,
};

static void expect_query_port_native(int err)
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

static void expect_query_port_write(enum test_form form)
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
		fake_kernel_expect_invoke_write(&cmd);
	else
		fake_kernel_expect_write(&cmd);
}

#define CMD 24 /* bytes of the request without driver data */

static void foreign_cmd_query_port_fills_attr(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_port_attr attr = {};

	expect_query_port_native(0);
	assert_succeeds(
		foreign_cmd_query_port(t->ctx, 2, &attr, t->caller.cmd, CMD));
	assert_int_equal(attr.state, 4);
	assert_int_equal(attr.lid, 77);
	assert_int_equal(attr.port_cap_flags2, 0x20);
	assert_int_equal(attr.active_speed_ex, 0x12345);
}

static void
foreign_cmd_query_port_older_kernel_falls_back_to_write(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_port_attr attr = {};

		foreign_cmd_test_force_form(t, form);
		expect_query_port_write(form);
		assert_succeeds(foreign_cmd_query_port(t->ctx, 2, &attr,
						       t->caller.cmd, CMD));
		assert_int_equal(attr.max_mtu, 5);
		expect_query_port_write(form);
		/* The kernel passes no driver data with this command. */
		assert_succeeds(foreign_cmd_query_port(t->ctx, 2, &attr,
						       t->caller.cmd, CMD + 8));
	}
}

/* As on the stack of a provider: other data follows immediately. */
struct short_attr {
	char attr[52];
	uint32_t behind;
};

static void foreign_cmd_query_port_abi_34_writes_short_attr_only(void **state)
{
	struct foreign_cmd_test *t = *state;
	union {
		struct short_attr is;
		struct ibv_port_attr as;
	} attr = { .is.behind = 0xdeadbeef };

	_Static_assert(FOREIGN_PORT_ATTR_MIN_SIZE == 52, "first members");
	foreign_cmd_test_set_release(t, FOREIGN_34, 44);
	expect_query_port_native(0);
	assert_succeeds(foreign_cmd_query_port_34(t->ctx, 2, &attr.as,
						  t->caller.cmd, CMD));
	assert_int_equal(attr.as.lid, 77);
	assert_int_equal(attr.as.port_cap_flags2, 0x20);
	assert_int_equal(attr.is.behind, 0xdeadbeef);
}

static void foreign_cmd_query_port_abi_34_fills_library_buffer(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_port_attr *before;
	struct ibv_port_attr attr = {};

	foreign_cmd_test_set_release(t, FOREIGN_34, 56);
	before = foreign_port_attr_set_own(&attr);
	expect_query_port_native(0);
	assert_succeeds(foreign_cmd_query_port_34(t->ctx, 2, &attr,
						  t->caller.cmd, CMD));
	(void)foreign_port_attr_set_own(before);
	assert_int_equal(attr.lid, 77);
	assert_int_equal(attr.active_speed_ex, 0x12345);
}

static void foreign_cmd_query_port_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_port_attr before, attr;

	memset(&attr, 0xdd, sizeof(attr));
	before = attr;
	expect_query_port_native(EINVAL);
	assert_fails(
		foreign_cmd_query_port(t->ctx, 2, &attr, t->caller.cmd, CMD),
		EINVAL);
	expect_query_port_native(EINVAL);
	assert_fails(
		foreign_cmd_query_port_34(t->ctx, 2, &attr, t->caller.cmd, CMD),
		EINVAL);
	assert_fails(foreign_cmd_query_port(t->ctx, 2, &attr, t->caller.cmd,
					    CMD - 1),
		     EINVAL);
	assert_memory_equal(&attr, &before, sizeof(attr));
}

static void expect_query_port_speed(int err)
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

static void foreign_cmd_query_port_speed_returns_speed(void **state)
{
	struct foreign_cmd_test *t = *state;
	uint64_t speed = 0;

	expect_query_port_speed(0);
	assert_succeeds(foreign_cmd_query_port_speed(t->ctx, 300, &speed));
	assert_int_equal(speed, 4000);
	expect_query_port_speed(EPROTONOSUPPORT);
	assert_fails(foreign_cmd_query_port_speed(t->ctx, 300, &speed),
		     EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_query_port_fills_attr),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_port_older_kernel_falls_back_to_write),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_port_abi_34_writes_short_attr_only),
		FOREIGN_CMD_TEST(
			foreign_cmd_query_port_abi_34_fills_library_buffer),
		FOREIGN_CMD_TEST(foreign_cmd_query_port_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_query_port_speed_returns_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
