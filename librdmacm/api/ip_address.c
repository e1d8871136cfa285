/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Socket addresses of ids. Called by most files of api/. */
#include "api/ip_address.h"

#include <arpa/inet.h>
#include <infiniband/ib.h>
#include <string.h>

static const struct sockaddr_in *address_sin(const struct sockaddr *address)
{
	return (const struct sockaddr_in *)(const void *)address;
}

static const struct sockaddr_in6 *address_sin6(const struct sockaddr *address)
{
	return (const struct sockaddr_in6 *)(const void *)address;
}

socklen_t ip_address_size(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return sizeof(struct sockaddr_in);
	if (address->sa_family == AF_INET6)
		return sizeof(struct sockaddr_in6);
	return 0;
}

socklen_t id_address_size(const struct sockaddr *address)
{
	if (!address)
		return 0;
	return address->sa_family == AF_IB ? sizeof(struct sockaddr_ib)
					   : ip_address_size(address);
}

void ip_address_copy(struct sockaddr_storage *ret_to,
		     const struct sockaddr *from)
{
	memset(ret_to, 0, sizeof(*ret_to));
	memcpy(ret_to, from, ip_address_size(from));
}

uint16_t ip_address_port(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohs(address_sin(address)->sin_port);
	if (address->sa_family == AF_INET6)
		return ntohs(address_sin6(address)->sin6_port);
	return 0;
}

void ip_address_set_port(struct sockaddr *address, uint16_t port)
{
	if (address->sa_family == AF_INET)
		((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
	else if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)(void *)address)->sin6_port =
			htons(port);
}

bool ip_address_is_any(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return address_sin(address)->sin_addr.s_addr ==
		       htonl(INADDR_ANY);
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_UNSPECIFIED(&address_sin6(address)->sin6_addr);
}

bool ip_address_is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohl(address_sin(address)->sin_addr.s_addr) >> 24 ==
		       IN_LOOPBACKNET;
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&address_sin6(address)->sin6_addr);
}

bool ip_address_is_link_local(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(&address_sin6(address)->sin6_addr);
}

bool ip_address_equal(const struct sockaddr *left, const struct sockaddr *right)
{
	union ibv_gid left_gid, right_gid;

	if (left->sa_family != right->sa_family)
		return false;
	ip_address_to_gid(left, &left_gid);
	ip_address_to_gid(right, &right_gid);
	return memcmp(&left_gid, &right_gid, sizeof(left_gid)) == 0;
}

bool ip_address_equal_port(const struct sockaddr *left,
			   const struct sockaddr *right)
{
	return ip_address_equal(left, right) &&
	       ip_address_port(left) == ip_address_port(right);
}

void ip_address_set_any(struct sockaddr_storage *ret_address,
			sa_family_t family)
{
	memset(ret_address, 0, sizeof(*ret_address));
	ret_address->ss_family = family;
}

void ip_address_to_gid(const struct sockaddr *address, union ibv_gid *ret_gid)
{
	memset(ret_gid, 0, sizeof(*ret_gid));
	if (address->sa_family == AF_INET) {
		ret_gid->raw[10] = 0xff;
		ret_gid->raw[11] = 0xff;
		memcpy(&ret_gid->raw[12], &address_sin(address)->sin_addr, 4);
	} else if (address->sa_family == AF_INET6) {
		memcpy(ret_gid->raw, &address_sin6(address)->sin6_addr, 16);
	}
}
