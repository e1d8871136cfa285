/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Headers of datagrams. */
#include "rsocket/datagram_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t udp_ipv4[] = { 0x55, 0x55, 0x55, 0x55, 4,	0, 16, 0,
				    0,	  0,	2,    0x88, 10, 8, 0,  1 };
static const uint8_t ud_ipv4[] = { 4, 8, 0x1c, 0x06, 10, 8, 0, 1 };

static struct sockaddr_in6 address_ipv6(void)
{
	struct sockaddr_in6 address = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(7174),
		.sin6_flowinfo = htonl(5),
	};

	assert_int_equal(inet_pton(AF_INET6, "fd98::2", &address.sin6_addr), 1);
	return address;
}

static struct sockaddr_in address_ipv4(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(7174) };

	assert_int_equal(inet_pton(AF_INET, "10.8.0.1", &address.sin_addr), 1);
	return address;
}

static void udp_header_of_ipv4_has_qpn_and_address(void **state)
{
	struct datagram_udp_header header = { .op = DATAGRAM_DATA,
					      .qpn = 0x288 };
	struct sockaddr_in address = address_ipv4();
	uint8_t bytes[DATAGRAM_UDP_MAX_HEADER];

	assert_int_equal(datagram_udp_encode(
				 &header, (struct sockaddr *)&address, bytes),
			 sizeof(udp_ipv4));
	assert_memory_equal(bytes, udp_ipv4, sizeof(udp_ipv4));
	memset(&header, 0xff, sizeof(header));
	assert_int_equal(
		datagram_udp_decode(udp_ipv4, sizeof(udp_ipv4), &header), 16);
	assert_int_equal(header.op, DATAGRAM_DATA);
	assert_int_equal(header.qpn, 0x288);
}

static void udp_header_of_ipv6_has_28_bytes(void **state)
{
	struct datagram_udp_header header = { .op = DATAGRAM_CONTROL,
					      .qpn = 0xffffff };
	struct sockaddr_in6 address = address_ipv6();
	uint8_t bytes[DATAGRAM_UDP_MAX_HEADER];

	assert_int_equal(datagram_udp_encode(
				 &header, (struct sockaddr *)&address, bytes),
			 28);
	assert_int_equal(bytes[4], 6);
	assert_int_equal(bytes[5], 7);
	assert_int_equal(bytes[6], 28);
	assert_memory_equal(&bytes[12], &address.sin6_addr, 16);
	assert_int_equal(datagram_udp_decode(bytes, 28, &header), 28);
	assert_int_equal(header.op, DATAGRAM_CONTROL);
	assert_int_equal(header.qpn, 0xffffff);
}

static void udp_header_with_invalid_field_is_rejected(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} changes[] = { { 0, 0x54 }, { 3, 0 }, { 4, 5 },  { 4, 6 },
			{ 5, 1 },    { 6, 8 }, { 6, 28 }, { 6, 0 } };
	struct datagram_udp_header header;
	uint8_t bytes[sizeof(udp_ipv4)];

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		memcpy(bytes, udp_ipv4, sizeof(bytes));
		bytes[changes[i].at] = changes[i].value;
		assert_int_equal(
			datagram_udp_decode(bytes, sizeof(bytes), &header),
			-EPROTO);
	}
	for (size_t len = 0; len < sizeof(udp_ipv4); len++)
		assert_int_equal(datagram_udp_decode(udp_ipv4, len, &header),
				 -EPROTO);
}

static void ud_header_of_ipv4_has_port_and_address(void **state)
{
	struct sockaddr_in address = address_ipv4(), decoded;
	uint8_t bytes[DATAGRAM_UD_MAX_HEADER];
	struct sockaddr_storage storage;

	assert_int_equal(datagram_ud_encode((struct sockaddr *)&address, bytes),
			 sizeof(ud_ipv4));
	assert_memory_equal(bytes, ud_ipv4, sizeof(ud_ipv4));
	assert_int_equal(datagram_ud_decode(ud_ipv4, sizeof(ud_ipv4), &storage),
			 8);
	memcpy(&decoded, &storage, sizeof(decoded));
	assert_memory_equal(&decoded, &address, sizeof(address));
}

static void ud_header_of_ipv6_keeps_flow_and_address(void **state)
{
	struct sockaddr_in6 address = address_ipv6(), decoded;
	uint8_t bytes[DATAGRAM_UD_MAX_HEADER];
	struct sockaddr_storage storage;

	assert_int_equal(datagram_ud_encode((struct sockaddr *)&address, bytes),
			 24);
	assert_int_equal(bytes[0], 6);
	assert_int_equal(bytes[1], 24);
	assert_int_equal(datagram_ud_decode(bytes, 24, &storage), 24);
	memcpy(&decoded, &storage, sizeof(decoded));
	assert_memory_equal(&decoded, &address, sizeof(address));
}

static void ud_header_with_invalid_field_is_rejected(void **state)
{
	struct sockaddr_storage storage;
	uint8_t bytes[sizeof(ud_ipv4)];

	for (size_t len = 0; len < sizeof(ud_ipv4); len++)
		assert_int_equal(datagram_ud_decode(ud_ipv4, len, &storage),
				 -EPROTO);
	memcpy(bytes, ud_ipv4, sizeof(bytes));
	bytes[0] = 6;
	bytes[1] = 24;
	assert_int_equal(datagram_ud_decode(bytes, sizeof(bytes), &storage),
			 -EPROTO);
	bytes[0] = 5;
	assert_int_equal(datagram_ud_decode(bytes, sizeof(bytes), &storage),
			 -EPROTO);
	bytes[0] = 4;
	bytes[1] = 24;
	assert_int_equal(datagram_ud_decode(bytes, sizeof(bytes), &storage),
			 -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(udp_header_of_ipv4_has_qpn_and_address),
		cmocka_unit_test(udp_header_of_ipv6_has_28_bytes),
		cmocka_unit_test(udp_header_with_invalid_field_is_rejected),
		cmocka_unit_test(ud_header_of_ipv4_has_port_and_address),
		cmocka_unit_test(ud_header_of_ipv6_keeps_flow_and_address),
		cmocka_unit_test(ud_header_with_invalid_field_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
