/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The namespace, and its interfaces (netdevice(7), rtnetlink(7)). */
#include "uroce_netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static bool entered;

static struct ifreq request_for(const char *label)
{
	struct ifreq request = {};

	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", label);
	return request;
}

static void do_ioctl(unsigned long what, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, what, request), 0);
	(void)close(fd);
}

/* root needs its capabilities after exec as well */
static int enter_as_root(void)
{
	unsigned int uid = geteuid();
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	(void)dprintf(fd, "0 %u 1", uid);
	return close(fd);
}

bool uroce_netns_enter(void)
{
	if (unshare(CLONE_NEWNET) && enter_as_root()) {
		print_message("no network namespace of our own: %s\n",
			      strerror(errno));
		return false;
	}
	entered = true;
	uroce_netns_set_up("lo", true);
	return true;
}

bool uroce_netns_entered(void)
{
	return entered;
}

void uroce_netns_set_address(const char *label, const char *address)
{
	struct ifreq request = request_for(label);
	struct sockaddr_in in = { .sin_family = AF_INET };

	assert_int_equal(inet_pton(AF_INET, address, &in.sin_addr), 1);
	memcpy(&request.ifr_addr, &in, sizeof(in));
	do_ioctl(SIOCSIFADDR, &request);
}

void uroce_netns_set_mtu(const char *name, int mtu)
{
	struct ifreq request = request_for(name);

	request.ifr_mtu = mtu;
	do_ioctl(SIOCSIFMTU, &request);
}

void uroce_netns_set_up(const char *label, bool up)
{
	struct ifreq request = request_for(label);

	do_ioctl(SIOCGIFFLAGS, &request);
	if (up)
		request.ifr_flags |= IFF_UP;
	else
		request.ifr_flags &= ~IFF_UP;
	do_ioctl(SIOCSIFFLAGS, &request);
}

/* Sends an rtnetlink request, which must succeed, and frees it. */
static void do_netlink(struct nl_msg *msg)
{
	struct nl_sock *sock = nl_socket_alloc();

	assert_non_null(sock);
	assert_int_equal(nl_connect(sock, NETLINK_ROUTE), 0);
	assert_int_equal(nl_send_sync(sock, msg), 0);
	nl_socket_free(sock);
}

void uroce_netns_add_veth(const char *name, const char *peer, int peer_pid)
{
	struct ifinfomsg info = {};
	struct nl_msg *msg = nlmsg_alloc_simple(
		RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_REQUEST);
	struct nlattr *link, *data, *other;

	assert_non_null(msg);
	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), 0), 0);
	assert_int_equal(nla_put_string(msg, IFLA_IFNAME, name), 0);
	link = nla_nest_start(msg, IFLA_LINKINFO);
	assert_int_equal(nla_put_string(msg, IFLA_INFO_KIND, "veth"), 0);
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	other = nla_nest_start(msg, VETH_INFO_PEER);
	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), 0), 0);
	assert_int_equal(nla_put_string(msg, IFLA_IFNAME, peer), 0);
	if (peer_pid)
		assert_int_equal(
			nla_put_u32(msg, IFLA_NET_NS_PID, (uint32_t)peer_pid),
			0);
	(void)nla_nest_end(msg, other);
	(void)nla_nest_end(msg, data);
	(void)nla_nest_end(msg, link);
	do_netlink(msg);
	uroce_netns_set_up(name, true);
	if (!peer_pid)
		uroce_netns_set_up(peer, true);
}

void uroce_netns_add_ipv6(const char *name, const char *address)
{
	struct ifaddrmsg info = {
		.ifa_family = AF_INET6,
		.ifa_prefixlen = 64,
		.ifa_flags = IFA_F_NODAD,
		.ifa_index = if_nametoindex(name),
	};
	struct nl_msg *msg = nlmsg_alloc_simple(
		RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL | NLM_F_REQUEST);
	uint8_t gid[16];

	assert_non_null(msg);
	uroce_netns_gid(address, gid);
	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), 0), 0);
	assert_int_equal(nla_put(msg, IFA_LOCAL, sizeof(gid), gid), 0);
	do_netlink(msg);
}

void uroce_netns_gid(const char *address, uint8_t *ret_gid)
{
	if (inet_pton(AF_INET6, address, ret_gid) == 1)
		return;
	memset(ret_gid, 0, 10);
	ret_gid[10] = 0xff;
	ret_gid[11] = 0xff;
	assert_int_equal(inet_pton(AF_INET, address, ret_gid + 12), 1);
}
