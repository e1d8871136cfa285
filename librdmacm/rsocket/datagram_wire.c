/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Headers of datagrams. Those of IPv4 and IPv6 differ in their length and the
 * address. A UDP datagram has no port in its header: that of UDP is used.
 */
#include "rsocket/datagram_wire.h"

#include "rsocket/wire_bytes.h"

#include <errno.h>
#include <string.h>

#define WIRE_TAG      0x55555555u
#define WIRE_QPN_MASK 0xffffffu

#define WIRE_IPV4     4
#define WIRE_IPV6     6
#define WIRE_IPV4_LEN 4
#define WIRE_IPV6_LEN 16

/* Offsets in the header of a UDP datagram */
enum wire_udp {
	WIRE_UDP_TAG = 0,
	WIRE_UDP_VERSION = 4,
	WIRE_UDP_OP = 5,
	WIRE_UDP_LENGTH = 6,
	WIRE_UDP_QPN = 8,
	WIRE_UDP_ADDRESS = 12,
};

/* Offsets in the header of a message of a UD QP */
enum wire_ud {
	WIRE_UD_VERSION = 0,
	WIRE_UD_LENGTH = 1,
	WIRE_UD_PORT = 2,
	WIRE_UD_IPV4 = 4,
	WIRE_UD_FLOW = 4,
	WIRE_UD_IPV6 = 8,
};

static int version_domain(uint8_t version)
{
	switch (version) {
	case WIRE_IPV4:
		return AF_INET;
	case WIRE_IPV6:
		return AF_INET6;
	default:
		return AF_UNSPEC;
	}
}

static uint8_t domain_version(int domain)
{
	return domain == AF_INET6 ? WIRE_IPV6 : WIRE_IPV4;
}

size_t datagram_udp_header_len(int domain)
{
	return WIRE_UDP_ADDRESS +
	       (domain == AF_INET6 ? WIRE_IPV6_LEN : WIRE_IPV4_LEN);
}

size_t datagram_ud_header_len(int domain)
{
	return domain == AF_INET6 ? WIRE_UD_IPV6 + WIRE_IPV6_LEN
				  : WIRE_UD_IPV4 + WIRE_IPV4_LEN;
}

/* The address of a socket as the structure of its domain */
static struct sockaddr_in ipv4_of(const struct sockaddr *address)
{
	struct sockaddr_in in;

	memcpy(&in, address, sizeof(in));
	return in;
}

static struct sockaddr_in6 ipv6_of(const struct sockaddr *address)
{
	struct sockaddr_in6 in6;

	memcpy(&in6, address, sizeof(in6));
	return in6;
}

size_t datagram_udp_encode(const struct datagram_udp_header *header,
			   const struct sockaddr *address,
			   uint8_t bytes[DATAGRAM_UDP_MAX_HEADER])
{
	size_t len = datagram_udp_header_len(address->sa_family);

	memset(bytes, 0, len);
	wire_put_be32(&bytes[WIRE_UDP_TAG], WIRE_TAG);
	bytes[WIRE_UDP_VERSION] = domain_version(address->sa_family);
	bytes[WIRE_UDP_OP] = (uint8_t)header->op;
	bytes[WIRE_UDP_LENGTH] = (uint8_t)len;
	wire_put_be32(&bytes[WIRE_UDP_QPN], header->qpn);
	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 in6 = ipv6_of(address);

		memcpy(&bytes[WIRE_UDP_ADDRESS], &in6.sin6_addr, WIRE_IPV6_LEN);
	} else {
		struct sockaddr_in in = ipv4_of(address);

		memcpy(&bytes[WIRE_UDP_ADDRESS], &in.sin_addr, WIRE_IPV4_LEN);
	}
	return len;
}

int datagram_udp_decode(const uint8_t *bytes, size_t len,
			struct datagram_udp_header *ret_header)
{
	size_t header_len;
	int domain;

	if (len <= WIRE_UDP_ADDRESS ||
	    wire_get_be32(&bytes[WIRE_UDP_TAG]) != WIRE_TAG)
		return -EPROTO;
	domain = version_domain(bytes[WIRE_UDP_VERSION]);
	header_len = datagram_udp_header_len(domain);
	if (domain == AF_UNSPEC || bytes[WIRE_UDP_LENGTH] != header_len ||
	    len < header_len ||
	    (bytes[WIRE_UDP_OP] != DATAGRAM_DATA &&
	     bytes[WIRE_UDP_OP] != DATAGRAM_CONTROL))
		return -EPROTO;
	ret_header->op = bytes[WIRE_UDP_OP];
	ret_header->qpn = wire_get_be32(&bytes[WIRE_UDP_QPN]) & WIRE_QPN_MASK;
	return (int)header_len;
}

size_t datagram_ud_encode(const struct sockaddr *address,
			  uint8_t bytes[DATAGRAM_UD_MAX_HEADER])
{
	size_t len = datagram_ud_header_len(address->sa_family);

	bytes[WIRE_UD_VERSION] = domain_version(address->sa_family);
	bytes[WIRE_UD_LENGTH] = (uint8_t)len;
	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 in6 = ipv6_of(address);

		memcpy(&bytes[WIRE_UD_PORT], &in6.sin6_port, 2);
		memcpy(&bytes[WIRE_UD_FLOW], &in6.sin6_flowinfo, 4);
		memcpy(&bytes[WIRE_UD_IPV6], &in6.sin6_addr, WIRE_IPV6_LEN);
	} else {
		struct sockaddr_in in = ipv4_of(address);

		memcpy(&bytes[WIRE_UD_PORT], &in.sin_port, 2);
		memcpy(&bytes[WIRE_UD_IPV4], &in.sin_addr, WIRE_IPV4_LEN);
	}
	return len;
}

static void ud_decode_ipv4(const uint8_t *bytes,
			   struct sockaddr_storage *ret_address)
{
	struct sockaddr_in in = { .sin_family = AF_INET };

	memcpy(&in.sin_port, &bytes[WIRE_UD_PORT], 2);
	memcpy(&in.sin_addr, &bytes[WIRE_UD_IPV4], WIRE_IPV4_LEN);
	memcpy(ret_address, &in, sizeof(in));
}

static void ud_decode_ipv6(const uint8_t *bytes,
			   struct sockaddr_storage *ret_address)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	memcpy(&in6.sin6_port, &bytes[WIRE_UD_PORT], 2);
	memcpy(&in6.sin6_flowinfo, &bytes[WIRE_UD_FLOW], 4);
	memcpy(&in6.sin6_addr, &bytes[WIRE_UD_IPV6], WIRE_IPV6_LEN);
	memcpy(ret_address, &in6, sizeof(in6));
}

int datagram_ud_decode(const uint8_t *bytes, size_t len,
		       struct sockaddr_storage *ret_address)
{
	size_t header_len;
	int domain;

	if (len < datagram_ud_header_len(AF_INET))
		return -EPROTO;
	domain = version_domain(bytes[WIRE_UD_VERSION]);
	header_len = datagram_ud_header_len(domain);
	if (domain == AF_UNSPEC || bytes[WIRE_UD_LENGTH] != header_len ||
	    len < header_len)
		return -EPROTO;
	memset(ret_address, 0, sizeof(*ret_address));
	if (domain == AF_INET6)
		ud_decode_ipv6(bytes, ret_address);
	else
		ud_decode_ipv4(bytes, ret_address);
	return (int)header_len;
}
