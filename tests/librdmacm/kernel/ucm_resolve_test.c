/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of addresses, routes and services: bytes and errors. */
#include "kernel/ucm_cmd.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <errno.h>
#include <infiniband/ib.h>
#include <netinet/in.h>
#include <string.h>

static const struct sockaddr_in ip4 = {
	.sin_family = AF_INET,
	.sin_port = 0x1234,
	.sin_addr.s_addr = 0x01020304,
};
static const struct sockaddr_in6 ip6 = {
	.sin6_family = AF_INET6,
	.sin6_port = 0x5678,
	.sin6_addr.s6_addr = { 1, 2, [15] = 15 },
	.sin6_scope_id = 7,
};
static const struct sockaddr_ib gid = {
	.sib_family = AF_IB,
	.sib_sid = 0x1122,
};

static const struct sockaddr *generic(const void *addr)
{
	return addr;
}

/* ------------------------------------------------------------------------
 * BIND
 */

static struct ucm_fake_command bind_command(const void *addr, uint16_t len)
{
	struct ucm_fake_command command = { .number = 20 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u16(&command.payload, 4, len);
	ucm_put_u16(&command.payload, 6, 0);
	ucm_put_bytes(&command.payload, 8, addr, len);
	command.payload.len = 136;
	return command;
}

static void bind_each_family_sends_exact_length(void **state)
{
	const struct {
		const void *addr;
		uint16_t len;
	} cases[] = { { &ip4, 16 }, { &ip6, 28 }, { &gid, 48 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ucm_fake_command command =
			bind_command(cases[i].addr, cases[i].len);

		ucm_fake_expect(&command);
		assert_int_equal(
			ucm_cmd_bind(UCM_FAKE_FD, 42, generic(cases[i].addr)),
			0);
	}
}

static int run_bind(void)
{
	return ucm_cmd_bind(UCM_FAKE_FD, 42, generic(&ip4));
}

static void bind_error_returns_errno(void **state)
{
	struct ucm_fake_command command = bind_command(&ip4, 16);

	ucm_check_errors(&command, run_bind);
}

static void bind_unknown_family_sends_nothing(void **state)
{
	const struct sockaddr addr = { .sa_family = AF_UNIX };
	const struct sockaddr none = { .sa_family = 0 };

	assert_int_equal(ucm_cmd_bind(UCM_FAKE_FD, 42, &addr), -EINVAL);
	assert_int_equal(ucm_cmd_bind(UCM_FAKE_FD, 42, &none), -EINVAL);
}

/* ------------------------------------------------------------------------
 * RESOLVE_ADDR and RESOLVE_ROUTE
 */

static struct ucm_fake_command resolve_command(void)
{
	struct ucm_fake_command command = { .number = 21 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u32(&command.payload, 4, 2000);
	ucm_put_u16(&command.payload, 8, 16);
	ucm_put_u16(&command.payload, 10, 28);
	ucm_put_u32(&command.payload, 12, 0);
	ucm_put_bytes(&command.payload, 16, &ip4, sizeof(ip4));
	ucm_put_bytes(&command.payload, 144, &ip6, sizeof(ip6));
	command.payload.len = 272;
	return command;
}

static int run_resolve(void)
{
	return ucm_cmd_resolve_addr(UCM_FAKE_FD, 42, generic(&ip4),
				    generic(&ip6), 2000);
}

static void resolve_addr_sends_both_addresses(void **state)
{
	struct ucm_fake_command command = resolve_command();

	ucm_fake_expect(&command);
	assert_int_equal(run_resolve(), 0);
}

static void resolve_addr_without_source_sends_length_zero(void **state)
{
	struct ucm_fake_command command = resolve_command();

	ucm_put_u16(&command.payload, 8, 0);
	memset(command.payload.bytes + 16, 0, 128);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_resolve_addr(UCM_FAKE_FD, 42, NULL,
					      generic(&ip6), 2000),
			 0);
}

static void resolve_addr_unknown_family_sends_nothing(void **state)
{
	const struct sockaddr addr = { .sa_family = AF_UNIX };

	assert_int_equal(ucm_cmd_resolve_addr(UCM_FAKE_FD, 42, &addr,
					      generic(&ip6), 2000),
			 -EINVAL);
	assert_int_equal(ucm_cmd_resolve_addr(UCM_FAKE_FD, 42, generic(&ip4),
					      &addr, 2000),
			 -EINVAL);
}

static void resolve_addr_error_returns_errno(void **state)
{
	struct ucm_fake_command command = resolve_command();

	ucm_check_errors(&command, run_resolve);
}

static int run_route(void)
{
	return ucm_cmd_resolve_route(UCM_FAKE_FD, 42, 3000);
}

static void resolve_route_sends_timeout(void **state)
{
	struct ucm_fake_command command = { .number = 4 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u32(&command.payload, 4, 3000);
	ucm_fake_expect(&command);
	assert_int_equal(run_route(), 0);
	ucm_check_errors(&command, run_route);
}

/* ------------------------------------------------------------------------
 * RESOLVE_IB_SERVICE
 */

static struct ucm_fake_command service_command(uint64_t service_id,
					       const char *name, uint32_t flags)
{
	struct ucm_fake_command command = { .number = 23 };

	ucm_put_u32(&command.payload, 0, 42);
	ucm_put_u32(&command.payload, 4, 0);
	ucm_put_u64(&command.payload, 8, service_id);
	ucm_put_bytes(&command.payload, 16, name, strlen(name));
	ucm_put_u32(&command.payload, 80, flags);
	ucm_put_u32(&command.payload, 84, 0);
	return command;
}

static int run_service_id(void)
{
	return ucm_cmd_resolve_service_id(UCM_FAKE_FD, 42, 0x1122334455667788);
}

static int run_service_name(void)
{
	return ucm_cmd_resolve_service_name(UCM_FAKE_FD, 42, "storage");
}

static void resolve_service_id_sends_number(void **state)
{
	struct ucm_fake_command command =
		service_command(0x1122334455667788, "", 1);

	ucm_fake_expect(&command);
	assert_int_equal(run_service_id(), 0);
	ucm_check_errors(&command, run_service_id);
}

static void resolve_service_name_sends_text(void **state)
{
	struct ucm_fake_command command = service_command(0, "storage", 2);

	ucm_fake_expect(&command);
	assert_int_equal(run_service_name(), 0);
	ucm_check_errors(&command, run_service_name);
}

static void resolve_service_name_limit_is_63_characters(void **state)
{
	char name[65] = {};
	struct ucm_fake_command command;

	memset(name, 'x', 63);
	command = service_command(0, name, 2);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_resolve_service_name(UCM_FAKE_FD, 42, name),
			 0);
	name[63] = 'x';
	assert_int_equal(ucm_cmd_resolve_service_name(UCM_FAKE_FD, 42, name),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UCM_TEST(bind_each_family_sends_exact_length),
		UCM_TEST(bind_error_returns_errno),
		UCM_TEST(bind_unknown_family_sends_nothing),
		UCM_TEST(resolve_addr_sends_both_addresses),
		UCM_TEST(resolve_addr_without_source_sends_length_zero),
		UCM_TEST(resolve_addr_unknown_family_sends_nothing),
		UCM_TEST(resolve_addr_error_returns_errno),
		UCM_TEST(resolve_route_sends_timeout),
		UCM_TEST(resolve_service_id_sends_number),
		UCM_TEST(resolve_service_name_sends_text),
		UCM_TEST(resolve_service_name_limit_is_63_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
