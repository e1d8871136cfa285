/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The query for the character device: request, responses, invalid lengths. */
#include "kernel/ucm_chardev.h"

#include "librdmacm/kernel/ucm_fake.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TEST_SOCKET 0x7ffb0000

/* errno of a system call, 0: it succeeds */
static int socket_error, send_error, recv_error;
static uint32_t sender_pid;
static struct ucm_bytes response;
static size_t claimed_len; /* length that recvfrom() returns; 0: the real one */
static bool is_sent, is_open;

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
ssize_t __real_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __real_recvfrom(int fd, void *buf, size_t len, int flags,
			struct sockaddr *addr, socklen_t *addr_len);
ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags,
			struct sockaddr *addr, socklen_t *addr_len);
int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_socket(int domain, int type, int protocol)
{
	assert_int_equal(domain, AF_NETLINK);
	assert_int_equal(type, SOCK_RAW | SOCK_CLOEXEC);
	assert_int_equal(protocol, 20); /* NETLINK_RDMA */
	if (socket_error) {
		errno = socket_error;
		return -1;
	}
	is_open = true;
	return TEST_SOCKET;
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	struct ucm_bytes expected = {};

	if (fd != TEST_SOCKET)
		return __real_send(fd, buf, len, flags);
	if (send_error) {
		errno = send_error;
		return -1;
	}
	ucm_put_u32(&expected, 0, 28);
	ucm_put_u16(&expected, 4, 0x140f);
	ucm_put_u16(&expected, 6, NLM_F_REQUEST);
	ucm_put_u32(&expected, 8, 1);
	ucm_put_u32(&expected, 12, 0);
	ucm_put_u16(&expected, 16, 12);
	ucm_put_u16(&expected, 18, 69);
	ucm_put_bytes(&expected, 20, "rdma_cm", 8);
	assert_int_equal(len, expected.len);
	assert_memory_equal(buf, expected.bytes, len);
	is_sent = true;
	return (ssize_t)len;
}

ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags,
			struct sockaddr *addr, socklen_t *addr_len)
{
	const struct sockaddr_nl sender = { .nl_family = AF_NETLINK,
					    .nl_pid = sender_pid };

	if (fd != TEST_SOCKET)
		return __real_recvfrom(fd, buf, len, flags, addr, addr_len);
	assert_true(is_sent);
	assert_true(flags & MSG_DONTWAIT);
	if (recv_error) {
		errno = recv_error;
		return -1;
	}
	assert_true(response.len <= len);
	memcpy(buf, response.bytes, response.len);
	memcpy(addr, &sender, sizeof(sender));
	return (ssize_t)(claimed_len ? claimed_len : response.len);
}

int __wrap_close(int fd)
{
	if (fd != TEST_SOCKET)
		return __real_close(fd);
	is_open = false;
	return 0;
}

static void put_attr(uint16_t type, const void *value, size_t len)
{
	size_t at = response.len;

	ucm_put_u16(&response, at, (uint16_t)(4 + len));
	ucm_put_u16(&response, at + 2, type);
	ucm_put_bytes(&response, at + 4, value, len);
	response.len = (response.len + 3) / 4 * 4;
	ucm_put_u32(&response, 0, (uint32_t)response.len);
}

static void put_u64_attr(uint16_t type, uint64_t value)
{
	put_attr(type, &value, sizeof(value));
}

static void put_header(uint16_t type)
{
	response = (struct ucm_bytes){};
	ucm_put_u32(&response, 0, 16);
	ucm_put_u16(&response, 4, type);
	ucm_put_u32(&response, 8, 1);
	ucm_put_u32(&response, 12, 4711);
}

/* The response of Linux: 10:260, version 4 */
static void put_response(void)
{
	put_header(0x140f);
	put_u64_attr(72, 0x00100a04);
	put_u64_attr(71, 4);
	put_attr(70, "rdma_cm", 8);
}

static int setup_chardev(void **state)
{
	socket_error = 0;
	send_error = 0;
	recv_error = 0;
	sender_pid = 0;
	claimed_len = 0;
	is_sent = false;
	put_response();
	return ucm_fake_setup(state);
}

static int teardown_chardev(void **state)
{
	assert_false(is_open);
	return ucm_fake_teardown(state);
}

static int query_unchanged(void)
{
	struct ucm_chardev chardev = { .abi_version = 55 };
	int ret = ucm_chardev_query(&chardev);

	assert_int_equal(chardev.abi_version, 55);
	return ret;
}

static void chardev_query_returns_number_and_version(void **state)
{
	struct ucm_chardev chardev = {};

	assert_int_equal(ucm_chardev_query(&chardev), 0);
	assert_int_equal(major(chardev.number), 10);
	assert_int_equal(minor(chardev.number), 260);
	assert_int_equal(chardev.abi_version, 4);
}

static void chardev_query_system_call_error_is_returned(void **state)
{
	socket_error = EPROTONOSUPPORT;
	assert_int_equal(query_unchanged(), -EPROTONOSUPPORT);
	socket_error = 0;
	send_error = ECONNREFUSED;
	assert_int_equal(query_unchanged(), -ECONNREFUSED);
	send_error = 0;
	recv_error = EAGAIN;
	assert_int_equal(query_unchanged(), -EAGAIN);
}

static void chardev_query_error_response_is_returned(void **state)
{
	static const int codes[][2] = {
		{ -ENOENT, -ENOENT }, { -EPERM, -EPERM }, { 0, -EPROTO },
		{ 5, -EPROTO },	      { -4096, -EPROTO }, { -4095, -4095 },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		put_header(NLMSG_ERROR);
		ucm_put_u32(&response, 16, (uint32_t)codes[i][0]);
		ucm_put_u32(&response, 0, 20);
		assert_int_equal(query_unchanged(), codes[i][1]);
	}
	put_header(NLMSG_ERROR);
	assert_int_equal(query_unchanged(), -EPROTO);
}

static void chardev_query_response_of_process_returns_eproto(void **state)
{
	sender_pid = 99;
	assert_int_equal(query_unchanged(), -EPROTO);
}

static void chardev_query_truncated_response_returns_eproto(void **state)
{
	claimed_len = 5000;
	assert_int_equal(query_unchanged(), -EPROTO);
}

/* ------------------------------------------------------------------------
 * Parser
 */

static int parse_unchanged(size_t len)
{
	struct ucm_chardev chardev = { .abi_version = 55 };
	int ret = ucm_chardev_parse(response.bytes, len, &chardev);

	assert_int_equal(chardev.abi_version, 55);
	return ret;
}

static void chardev_parse_short_datagram_returns_eproto(void **state)
{
	for (size_t len = 0; len < response.len; len++)
		assert_int_equal(parse_unchanged(len), -EPROTO);
}

static void chardev_parse_invalid_header_returns_eproto(void **state)
{
	static const uint32_t lengths[] = { 0, 15, 1000, UINT32_MAX };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		ucm_put_u32(&response, 0, lengths[i]);
		assert_int_equal(parse_unchanged(response.len), -EPROTO);
	}
	put_response();
	ucm_put_u16(&response, 4, 0x1410);
	assert_int_equal(parse_unchanged(response.len), -EPROTO);
	put_response();
	ucm_put_u32(&response, 8, 2);
	assert_int_equal(parse_unchanged(response.len), -EPROTO);
}

static void chardev_parse_invalid_attribute_returns_eproto(void **state)
{
	static const uint16_t lengths[] = { 0, 3, 4, 8, 11, 13, 16, 0xffff };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_response();
		ucm_put_u16(&response, 16, lengths[i]);
		assert_int_equal(parse_unchanged(response.len), -EPROTO);
	}
}

static void chardev_parse_missing_attribute_returns_eproto(void **state)
{
	put_header(0x140f);
	put_u64_attr(72, 0x00100a04);
	assert_int_equal(parse_unchanged(response.len), -EPROTO);
	put_header(0x140f);
	put_u64_attr(71, 4);
	assert_int_equal(parse_unchanged(response.len), -EPROTO);
	put_header(0x140f);
	assert_int_equal(parse_unchanged(response.len), -EPROTO);
}

static void chardev_parse_number_above_32_bits_returns_eproto(void **state)
{
	put_header(0x140f);
	put_u64_attr(72, 0x100000000);
	put_u64_attr(71, 4);
	assert_int_equal(parse_unchanged(response.len), -EPROTO);
}

static void chardev_parse_unknown_attributes_are_skipped(void **state)
{
	struct ucm_chardev chardev = {};

	put_header(0x140f);
	put_attr(1, "", 0);
	put_attr(999, "abcde", 5);
	put_u64_attr(72, 0x00000a7c);
	put_attr(0, "", 0);
	put_u64_attr(71, 4);
	put_attr(70, "x", 1);
	/* The last attribute has no padding. */
	response.len -= 3;
	ucm_put_u32(&response, 0, (uint32_t)response.len);
	assert_int_equal(
		ucm_chardev_parse(response.bytes, response.len, &chardev), 0);
	assert_int_equal(major(chardev.number), 10);
	assert_int_equal(minor(chardev.number), 124);
}

#define CHARDEV_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_chardev, teardown_chardev)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHARDEV_TEST(chardev_query_returns_number_and_version),
		CHARDEV_TEST(chardev_query_system_call_error_is_returned),
		CHARDEV_TEST(chardev_query_error_response_is_returned),
		CHARDEV_TEST(chardev_query_response_of_process_returns_eproto),
		CHARDEV_TEST(chardev_query_truncated_response_returns_eproto),
		CHARDEV_TEST(chardev_parse_short_datagram_returns_eproto),
		CHARDEV_TEST(chardev_parse_invalid_header_returns_eproto),
		CHARDEV_TEST(chardev_parse_invalid_attribute_returns_eproto),
		CHARDEV_TEST(chardev_parse_missing_attribute_returns_eproto),
		CHARDEV_TEST(chardev_parse_number_above_32_bits_returns_eproto),
		CHARDEV_TEST(chardev_parse_unknown_attributes_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
