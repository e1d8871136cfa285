/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* GIDs to IP addresses; Ethernet addresses that need no neighbour discovery. */
#include "neigh/neigh_addr.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct verbs_neigh_addr addr_from_text(sa_family_t family,
					      const char *text)
{
	struct verbs_neigh_addr addr;
	uint8_t bytes[16];

	assert_int_equal(inet_pton(family, text, bytes), 1);
	assert_true(verbs_neigh_addr_init(family, bytes,
					  family == AF_INET ? 4 : 16, &addr));
	return addr;
}

static struct verbs_neigh_addr addr_from_gid_text(const char *text)
{
	uint8_t gid[16];

	assert_int_equal(inet_pton(AF_INET6, text, gid), 1);
	return verbs_neigh_addr_from_gid(gid);
}

static void assert_addr(struct verbs_neigh_addr addr, sa_family_t family,
			const char *text)
{
	struct verbs_neigh_addr expected = addr_from_text(family, text);

	assert_true(verbs_neigh_addr_equal(&addr, &expected));
	assert_int_equal(addr.len, expected.len);
}

static void assert_mac(sa_family_t family, const char *text,
		       const char expected[VERBS_NEIGH_MAC_LEN])
{
	struct verbs_neigh_addr addr = addr_from_text(family, text);
	uint8_t mac[VERBS_NEIGH_MAC_LEN];

	assert_true(verbs_neigh_addr_derive_mac(&addr, mac));
	assert_memory_equal(mac, expected, sizeof(mac));
}

static void assert_no_mac(sa_family_t family, const char *text)
{
	struct verbs_neigh_addr addr = addr_from_text(family, text);
	uint8_t mac[VERBS_NEIGH_MAC_LEN];

	assert_false(verbs_neigh_addr_derive_mac(&addr, mac));
}

static void gid_ipv4_mapped_converts_to_ipv4(void **state)
{
	assert_addr(addr_from_gid_text("::ffff:10.1.2.3"), AF_INET, "10.1.2.3");
}

static void gid_ipv4_multicast_converts_to_ipv4(void **state)
{
	assert_addr(addr_from_gid_text("ff0e::ffff:239.1.2.3"), AF_INET,
		    "239.1.2.3");
}

static void gid_not_mapped_converts_to_ipv6(void **state)
{
	assert_addr(addr_from_gid_text("fe80::1"), AF_INET6, "fe80::1");
	assert_addr(addr_from_gid_text("ff0e::1:10.1.2.3"), AF_INET6,
		    "ff0e::1:10.1.2.3");
	assert_addr(addr_from_gid_text("ff05::ffff:239.1.2.3"), AF_INET6,
		    "ff05::ffff:239.1.2.3");
	assert_addr(addr_from_gid_text("::10.1.2.3"), AF_INET6, "::10.1.2.3");
	assert_addr(addr_from_gid_text("::"), AF_INET6, "::");
}

static void addr_init_wrong_length_returns_false(void **state)
{
	const uint8_t bytes[16] = {};
	struct verbs_neigh_addr addr;

	assert_false(verbs_neigh_addr_init(AF_INET, bytes, 16, &addr));
	assert_false(verbs_neigh_addr_init(AF_INET6, bytes, 4, &addr));
	assert_false(verbs_neigh_addr_init(AF_INET, bytes, 0, &addr));
	assert_false(verbs_neigh_addr_init(AF_UNIX, bytes, 4, &addr));
}

static void addr_equal_compares_family_and_bytes(void **state)
{
	struct verbs_neigh_addr four = addr_from_text(AF_INET, "0.0.0.0");
	struct verbs_neigh_addr four_next = addr_from_text(AF_INET, "0.0.0.1");
	struct verbs_neigh_addr six = addr_from_text(AF_INET6, "::");

	assert_true(verbs_neigh_addr_equal(&four, &four));
	assert_false(verbs_neigh_addr_equal(&four, &four_next));
	assert_false(verbs_neigh_addr_equal(&four, &six));
}

static void derive_mac_ipv4_multicast_uses_23_bits(void **state)
{
	assert_mac(AF_INET, "224.1.2.3", "\x01\x00\x5e\x01\x02\x03");
	assert_mac(AF_INET, "239.255.2.3", "\x01\x00\x5e\x7f\x02\x03");
}

static void derive_mac_ipv4_unicast_returns_false(void **state)
{
	assert_no_mac(AF_INET, "223.255.255.255");
	assert_no_mac(AF_INET, "240.0.0.1");
	assert_no_mac(AF_INET, "255.255.255.255");
	assert_no_mac(AF_INET, "10.1.2.3");
}

static void derive_mac_ipv6_multicast_uses_32_bits(void **state)
{
	assert_mac(AF_INET6, "ff02::1:ff12:3456", "\x33\x33\xff\x12\x34\x56");
}

static void derive_mac_eui64_returns_embedded_mac(void **state)
{
	assert_mac(AF_INET6, "fe80::211:22ff:fe33:4455",
		   "\x00\x11\x22\x33\x44\x55");
	assert_mac(AF_INET6, "fe80::aa:bbff:fecc:ddee",
		   "\x02\xaa\xbb\xcc\xdd\xee");
	assert_mac(AF_INET6, "febf::211:22ff:fe33:4455",
		   "\x00\x11\x22\x33\x44\x55");
}

static void derive_mac_ipv6_without_eui64_returns_false(void **state)
{
	assert_no_mac(AF_INET6, "fe80::1");
	assert_no_mac(AF_INET6, "fe80::211:22fe:ff33:4455");
	assert_no_mac(AF_INET6, "fec0::211:22ff:fe33:4455");
	assert_no_mac(AF_INET6, "fd00::211:22ff:fe33:4455");
	assert_no_mac(AF_INET6, "::");
}

static void addr_to_sockaddr_sets_port_and_scope(void **state)
{
	struct verbs_neigh_addr four = addr_from_text(AF_INET, "10.1.2.3");
	struct verbs_neigh_addr six = addr_from_text(AF_INET6, "fe80::1");
	struct sockaddr_storage storage;
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	assert_int_equal(verbs_neigh_addr_to_sockaddr(&four, 7, 9, &storage),
			 sizeof(in));
	memcpy(&in, &storage, sizeof(in));
	assert_int_equal(in.sin_family, AF_INET);
	assert_int_equal(in.sin_port, htons(9));
	assert_int_equal(in.sin_addr.s_addr, htonl(0x0a010203));

	assert_int_equal(verbs_neigh_addr_to_sockaddr(&six, 7, 9, &storage),
			 sizeof(in6));
	memcpy(&in6, &storage, sizeof(in6));
	assert_int_equal(in6.sin6_family, AF_INET6);
	assert_int_equal(in6.sin6_port, htons(9));
	assert_int_equal(in6.sin6_scope_id, 7);
	assert_memory_equal(&in6.sin6_addr, six.bytes, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gid_ipv4_mapped_converts_to_ipv4),
		cmocka_unit_test(gid_ipv4_multicast_converts_to_ipv4),
		cmocka_unit_test(gid_not_mapped_converts_to_ipv6),
		cmocka_unit_test(addr_init_wrong_length_returns_false),
		cmocka_unit_test(addr_equal_compares_family_and_bytes),
		cmocka_unit_test(derive_mac_ipv4_multicast_uses_23_bits),
		cmocka_unit_test(derive_mac_ipv4_unicast_returns_false),
		cmocka_unit_test(derive_mac_ipv6_multicast_uses_32_bits),
		cmocka_unit_test(derive_mac_eui64_returns_embedded_mac),
		cmocka_unit_test(derive_mac_ipv6_without_eui64_returns_false),
		cmocka_unit_test(addr_to_sockaddr_sets_port_and_scope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
