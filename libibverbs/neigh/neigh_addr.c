/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts GIDs to IP addresses, and IP addresses to Ethernet addresses where
 * no neighbour discovery is needed: see neigh/neigh_addr.h.
 */
#include "neigh/neigh_addr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define NEIGH_IPV4_LEN 4
#define NEIGH_IPV6_LEN 16

/* An IPv4-mapped GID is one of these prefixes followed by the IPv4 address. */
static const uint8_t ipv4_prefixes[][NEIGH_IPV6_LEN - NEIGH_IPV4_LEN] = {
	{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff },
	{ 0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, /* multicast */
};

bool verbs_neigh_addr_init(sa_family_t family, const void *bytes, size_t len,
			   struct verbs_neigh_addr *ret_addr)
{
	if (!(family == AF_INET && len == NEIGH_IPV4_LEN) &&
	    !(family == AF_INET6 && len == NEIGH_IPV6_LEN))
		return false;

	*ret_addr = (struct verbs_neigh_addr){ .family = family,
					       .len = (uint8_t)len };
	memcpy(ret_addr->bytes, bytes, len);
	return true;
}

struct verbs_neigh_addr verbs_neigh_addr_from_gid(const uint8_t gid[16])
{
	const size_t prefix_len = sizeof(ipv4_prefixes[0]);
	struct verbs_neigh_addr addr = { .family = AF_INET6,
					 .len = NEIGH_IPV6_LEN };

	if (memcmp(gid, ipv4_prefixes[0], prefix_len) == 0 ||
	    memcmp(gid, ipv4_prefixes[1], prefix_len) == 0) {
		addr.family = AF_INET;
		addr.len = NEIGH_IPV4_LEN;
		memcpy(addr.bytes, gid + prefix_len, NEIGH_IPV4_LEN);
	} else {
		memcpy(addr.bytes, gid, NEIGH_IPV6_LEN);
	}
	return addr;
}

bool verbs_neigh_addr_equal(const struct verbs_neigh_addr *a,
			    const struct verbs_neigh_addr *b)
{
	return a->family == b->family &&
	       memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* RFC 1112, 6.4: the low 23 bits of the group address. */
static bool neigh_mac_from_ipv4(const uint8_t *ip, uint8_t *ret_mac)
{
	if ((ip[0] & 0xf0) != 0xe0)
		return false;

	ret_mac[0] = 0x01;
	ret_mac[1] = 0x00;
	ret_mac[2] = 0x5e;
	ret_mac[3] = ip[1] & 0x7f;
	ret_mac[4] = ip[2];
	ret_mac[5] = ip[3];
	return true;
}

/*
 * RFC 4291, appendix A: an EUI-64 made from an Ethernet address has ff:fe in
 * the middle. Any other interface identifier does not contain the Ethernet
 * address.
 */
static bool neigh_is_link_local_eui64(const uint8_t *ip)
{
	return ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80 && ip[11] == 0xff &&
	       ip[12] == 0xfe;
}

static bool neigh_mac_from_ipv6(const uint8_t *ip, uint8_t *ret_mac)
{
	if (ip[0] == 0xff) {
		/* RFC 2464, 7: the low 32 bits of the group address */
		ret_mac[0] = 0x33;
		ret_mac[1] = 0x33;
		memcpy(&ret_mac[2], &ip[12], 4);
		return true;
	}
	if (!neigh_is_link_local_eui64(ip))
		return false;

	ret_mac[0] = ip[8] ^ 0x02; /* the universal/local bit is inverted */
	ret_mac[1] = ip[9];
	ret_mac[2] = ip[10];
	ret_mac[3] = ip[13];
	ret_mac[4] = ip[14];
	ret_mac[5] = ip[15];
	return true;
}

bool verbs_neigh_addr_derive_mac(const struct verbs_neigh_addr *addr,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	return addr->family == AF_INET
		       ? neigh_mac_from_ipv4(addr->bytes, ret_mac)
		       : neigh_mac_from_ipv6(addr->bytes, ret_mac);
}

socklen_t verbs_neigh_addr_to_sockaddr(const struct verbs_neigh_addr *addr,
				       uint32_t ifindex, uint16_t port,
				       struct sockaddr_storage *ret_sockaddr)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(port),
				    .sin6_scope_id = ifindex };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port) };

	if (addr->family == AF_INET) {
		memcpy(&in.sin_addr, addr->bytes, NEIGH_IPV4_LEN);
		memcpy(ret_sockaddr, &in, sizeof(in));
		return sizeof(in);
	}
	memcpy(&in6.sin6_addr, addr->bytes, NEIGH_IPV6_LEN);
	memcpy(ret_sockaddr, &in6, sizeof(in6));
	return sizeof(in6);
}
