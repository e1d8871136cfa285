/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries of addresses: bytes, responses of old and new kernels, invalid
 * lengths, errors.
 */
#include "kernel/ucm_query.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/ib.h>
#include <netinet/in.h>
#include <string.h>

static struct ucm_fake_command query_command(uint32_t option, size_t room)
{
	struct ucm_fake_command command = { .number = 19,
					    .response_at = 0,
					    .response_len = room };

	ucm_put_u64(&command.payload, 0, 0);
	ucm_put_u32(&command.payload, 8, 42);
	ucm_put_u32(&command.payload, 12, option);
	return command;
}

/* ------------------------------------------------------------------------
 * Addresses
 */

#define ADDR_SRC_LEN_AT 12
#define ADDR_DST_LEN_AT 14

static const struct sockaddr_in src = {
	.sin_family = AF_INET,
	.sin_port = 0x1234,
	.sin_addr.s_addr = 0x01020304,
};
static const struct sockaddr_in6 dst = {
	.sin6_family = AF_INET6,
	.sin6_port = 0x5678,
	.sin6_addr.s6_addr = { 1, [15] = 15 },
};

static struct ucm_fake_command addr_command(void)
{
	struct ucm_fake_command command = query_command(0, 280);
	const uint64_t guid = htobe64(0x0102030405060708);
	const uint16_t pkey = htobe16(0x8001);

	ucm_put_bytes(&command.response, 0, &guid, sizeof(guid));
	ucm_put_u8(&command.response, 8, 2);
	ucm_put_bytes(&command.response, 10, &pkey, sizeof(pkey));
	ucm_put_u16(&command.response, ADDR_SRC_LEN_AT, 16);
	ucm_put_u16(&command.response, ADDR_DST_LEN_AT, 28);
	ucm_put_bytes(&command.response, 16, &src, sizeof(src));
	ucm_put_bytes(&command.response, 144, &dst, sizeof(dst));
	ucm_put_u32(&command.response, 272, 5);
	ucm_put_u32(&command.response, 276, 0);
	return command;
}

static const struct ucm_addr addr_before = { .port_num = 77 };

static void check_addr_unchanged(const struct ucm_addr *addr)
{
	assert_memory_equal(addr, &addr_before, sizeof(*addr));
}

static void query_addr_response_is_decoded(void **state)
{
	struct ucm_fake_command command = addr_command();
	struct ucm_addr addr = addr_before;

	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr), 0);
	assert_true(addr.node_guid == htobe64(0x0102030405060708));
	assert_int_equal(addr.port_num, 2);
	assert_int_equal(addr.pkey, htobe16(0x8001));
	assert_int_equal(addr.ibdev_index, 5);
	assert_memory_equal(&addr.src, &src, sizeof(src));
	assert_memory_equal(&addr.dst, &dst, sizeof(dst));
}

static void query_addr_old_kernel_has_no_device_index(void **state)
{
	struct ucm_fake_command command = addr_command();
	struct ucm_addr addr = addr_before;

	command.response.len = 272;
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr), 0);
	assert_int_equal(addr.ibdev_index, -1);
}

static void query_addr_bytes_after_length_are_ignored(void **state)
{
	const struct sockaddr_storage none = {};
	struct ucm_fake_command command = addr_command();
	struct ucm_addr addr = addr_before;

	ucm_put_u16(&command.response, ADDR_DST_LEN_AT, 0);
	memset(command.response.bytes + 16 + 16, 0xff, 112);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr), 0);
	assert_memory_equal(&addr.dst, &none, sizeof(none));
	assert_memory_equal((char *)&addr.src + sizeof(src), &none,
			    sizeof(none) - sizeof(src));
}

static void query_addr_invalid_lengths_return_eproto(void **state)
{
	static const uint16_t lengths[] = { 1,	 15,  17,     28,    48,
					    128, 129, 0x7fff, 0xffff };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct ucm_fake_command command = addr_command();
		struct ucm_addr addr = addr_before;

		(void)ucm_fake_setup(NULL);
		ucm_put_u16(&command.response, ADDR_SRC_LEN_AT, lengths[i]);
		ucm_fake_expect(&command);
		command = addr_command();
		ucm_put_u16(&command.response, ADDR_DST_LEN_AT,
			    lengths[i] == 28 ? 16 : lengths[i]);
		ucm_fake_expect(&command);
		assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr),
				 -EPROTO);
		assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr),
				 -EPROTO);
		check_addr_unchanged(&addr);
	}
}

static void query_addr_unknown_family_returns_eproto(void **state)
{
	struct ucm_fake_command command = addr_command();
	struct ucm_addr addr = addr_before;

	ucm_put_u16(&command.response, 16, 250);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr), -EPROTO);
	check_addr_unchanged(&addr);
}

static void query_addr_without_response_returns_eproto(void **state)
{
	struct ucm_fake_command command = addr_command();
	struct ucm_addr addr = addr_before;

	command.response.len = 0;
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr), -EPROTO);
	check_addr_unchanged(&addr);
}

static int run_addr(void)
{
	struct ucm_addr addr = addr_before;
	int ret = ucm_cmd_query_addr(UCM_FAKE_FD, 42, &addr);

	check_addr_unchanged(&addr);
	return ret;
}

static void query_addr_error_returns_errno(void **state)
{
	struct ucm_fake_command command = addr_command();

	ucm_check_errors(&command, run_addr);
}

static void query_gid_response_is_decoded(void **state)
{
	const struct sockaddr_ib gid = { .sib_family = AF_IB, .sib_sid = 9 };
	struct ucm_fake_command command = query_command(2, 280);
	struct ucm_addr addr = addr_before;

	ucm_put_u16(&command.response, ADDR_SRC_LEN_AT, 48);
	ucm_put_u16(&command.response, ADDR_DST_LEN_AT, 48);
	ucm_put_bytes(&command.response, 16, &gid, sizeof(gid));
	ucm_put_bytes(&command.response, 144, &gid, sizeof(gid));
	ucm_put_u64(&command.response, 272, 0);
	ucm_fake_expect(&command);
	assert_int_equal(ucm_cmd_query_gid(UCM_FAKE_FD, 42, &addr), 0);
	assert_memory_equal(&addr.src, &gid, sizeof(gid));
	assert_memory_equal(&addr.dst, &gid, sizeof(gid));
	assert_int_equal(addr.ibdev_index, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UCM_TEST(query_addr_response_is_decoded),
		UCM_TEST(query_addr_old_kernel_has_no_device_index),
		UCM_TEST(query_addr_bytes_after_length_are_ignored),
		UCM_TEST(query_addr_invalid_lengths_return_eproto),
		UCM_TEST(query_addr_unknown_family_returns_eproto),
		UCM_TEST(query_addr_without_response_returns_eproto),
		UCM_TEST(query_addr_error_returns_errno),
		UCM_TEST(query_gid_response_is_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
