/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creates UDP sockets and sets their options. Called by uroce_slots_join.c for
 * receivers, by uroce_port_udp.c for senders.
 */
#include "uroce/udp/uroce_socket.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

#include "util/nocancel.h"

/* Waits for room; a signal ends one of them. */
#define WAIT_MS	  10
#define MAX_WAITS 10

/* Requested bytes; net.core.rmem_max and wmem_max limit the buffers. */
#define RECEIVE_BUFFER (4 << 20)
#define SEND_BUFFER    (1 << 20)

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno
								    : 0;
}

static int open_socket(void)
{
	int type = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int fd = socket(AF_INET6, type, 0);

	if (fd < 0 && errno == EAFNOSUPPORT)
		fd = socket(AF_INET, type, 0);
	return fd < 0 ? -errno : fd;
}

/* The ICRC of a sent packet is correct only if it is never fragmented. */
static int never_fragment(int fd, int family)
{
	int ret = set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);

	if (ret || family == AF_INET)
		return ret;
	ret = set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
	return ret ? ret : set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
}

static int report_address(int fd, int family)
{
	int ret;

	if (family == AF_INET6)
		ret = set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	else
		ret = set(fd, IPPROTO_IP, IP_PKTINFO, 1);
	if (ret)
		return ret;
	/* do not receive packets of groups that other sockets have joined */
	(void)set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
	if (family == AF_INET6)
		(void)set(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
	return 0;
}

/* An IPv4 socket rejects the options of IPv6, and does not need them. */
void uroce_socket_report_header(int fd, bool on)
{
	(void)set(fd, IPPROTO_IP, IP_RECVTOS, on);
	(void)set(fd, IPPROTO_IP, IP_RECVTTL, on);
	(void)set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, on);
	(void)set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, on);
}

void uroce_socket_no_merge(int fd)
{
	(void)set(fd, IPPROTO_UDP, UDP_GRO, 0);
}

uint32_t uroce_socket_drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = {};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return 0;
	return info[SK_MEMINFO_DROPS];
}

int uroce_socket_family(int fd)
{
	int family;
	socklen_t len = sizeof(family);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len))
		return -errno;
	return family;
}

/* Return: a socket of @ret_family that never fragments, or -errno. */
static int open_whole(int *ret_family)
{
	int fd = open_socket();
	int family, ret;

	if (fd < 0)
		return fd;
	family = uroce_socket_family(fd);
	ret = family < 0 ? family : never_fragment(fd, family);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	*ret_family = family;
	return fd;
}

int uroce_socket_receiver(void)
{
	int family = AF_UNSPEC, ret;
	int fd = open_whole(&family);

	if (fd < 0)
		return fd;
	ret = report_address(fd, family);
	if (!ret)
		ret = set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	(void)set(fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER);
	/* kernels before 5.0 do not merge packets */
	(void)set(fd, IPPROTO_UDP, UDP_GRO, 1);
	/* rdma_rxe and hardware send no UDP checksum, only the ICRC */
	if (family == AF_INET6)
		(void)set(fd, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
	return fd;
}

int uroce_socket_sender(void)
{
	int family = AF_UNSPEC;
	int fd = open_whole(&family);

	if (fd < 0)
		return fd;
	(void)set(fd, IPPROTO_IP, IP_TTL, UROCE_SENDER_HOPS);
	if (family == AF_INET6)
		(void)set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS,
			  UROCE_SENDER_HOPS);
	(void)set(fd, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER);
	(void)set(fd, SOL_SOCKET, SO_RCVBUF, 1); /* receives no packets */
	return fd;
}

int uroce_socket_bind_to(int fd, const uint8_t *gid, uint16_t port)
{
	struct sockaddr_in6 to6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	struct sockaddr_in to4 = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	int family = uroce_socket_family(fd);
	int ret;

	if (family < 0)
		return family;
	memcpy(&to6.sin6_addr, gid, UROCE_GID_LEN);
	memcpy(&to4.sin_addr, gid + 12, sizeof(to4.sin_addr));
	if (family == AF_INET6)
		ret = bind(fd, (struct sockaddr *)&to6, sizeof(to6));
	else
		ret = bind(fd, (struct sockaddr *)&to4, sizeof(to4));
	return ret ? -errno : 0;
}

int uroce_socket_bind(int fd, uint16_t port)
{
	static const uint8_t any[UROCE_GID_LEN];

	return uroce_socket_bind_to(fd, any, port);
}

int uroce_socket_share(int fd)
{
	return set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
}

int uroce_socket_unshare(int fd)
{
	return set(fd, SOL_SOCKET, SO_REUSEPORT, 0);
}

int uroce_socket_free_bind(int fd)
{
	return set(fd, IPPROTO_IP, IP_FREEBIND, 1);
}

bool uroce_socket_is_multicast(const uint8_t *gid)
{
	if (uroce_gid_is_ipv4(gid))
		return (gid[12] & 0xf0) == 0xe0; /* RFC 1112: class D */
	return gid[0] == 0xff;			 /* RFC 4291, 2.7 */
}

int uroce_socket_join(int fd, const uint8_t *gid, unsigned int ifindex,
		      bool join)
{
	struct ip_mreqn mreq4 = { .imr_ifindex = (int)ifindex };
	struct ipv6_mreq mreq6 = { .ipv6mr_interface = ifindex };
	int ret;

	if (!uroce_socket_is_multicast(gid))
		return -EINVAL;
	if (uroce_gid_is_ipv4(gid)) {
		memcpy(&mreq4.imr_multiaddr, gid + 12, 4);
		ret = setsockopt(fd, IPPROTO_IP,
				 join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP,
				 &mreq4, sizeof(mreq4));
	} else {
		memcpy(&mreq6.ipv6mr_multiaddr, gid, UROCE_GID_LEN);
		ret = setsockopt(fd, IPPROTO_IPV6,
				 join ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP,
				 &mreq6, sizeof(mreq6));
	}
	return ret ? -errno : 0;
}

bool uroce_socket_await_retry(int fd, int err)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	if (err == EINTR)
		return true;
	for (int i = 0; err == EAGAIN && i < MAX_WAITS; i++)
		if (poll(&room, 1, WAIT_MS) > 0)
			return true;
	return false;
}
