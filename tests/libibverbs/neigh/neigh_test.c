/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address resolution with a real kernel: this process and a child process are
 * two hosts on one link (neigh_net.h). Exits 77 where network namespaces are
 * not permitted. Wrappers of four functions force what depends on the kernel
 * version or on timing.
 */
#include "neigh/neigh.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "neigh_net.h"

#define SKIPPED 77

#define OUR_LINK_LOCAL	"fe80::11:22ff:fe33:4455"
#define PEER_LINK_LOCAL "fe80::aa:bbff:fecc:ddee"

/* Faults that the wrappers inject, and the calls that they count. */
static struct {
	bool no_single_neigh;  /* Linux 4.20 or older */
	bool no_notifications; /* RTNLGRP_NEIGH is not joined */
	int interrupted_dumps;
	int nr_neigh_dumps;
	int nr_datagrams;
} wrap;

static int nr_fds;

int __real_nl_send_auto(struct nl_sock *sk, struct nl_msg *msg);
int __wrap_nl_send_auto(struct nl_sock *sk, struct nl_msg *msg);
int __real_nl_recvmsgs(struct nl_sock *sk, struct nl_cb *cb);
int __wrap_nl_recvmsgs(struct nl_sock *sk, struct nl_cb *cb);
int __real_nl_socket_add_membership(struct nl_sock *sk, int group);
int __wrap_nl_socket_add_membership(struct nl_sock *sk, int group);
ssize_t __real_sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *addr, socklen_t addr_len);
ssize_t __wrap_sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *addr, socklen_t addr_len);

int __wrap_nl_send_auto(struct nl_sock *sk, struct nl_msg *msg)
{
	const struct nlmsghdr *header = nlmsg_hdr(msg);

	if (header->nlmsg_type == RTM_GETNEIGH) {
		if (header->nlmsg_flags & NLM_F_DUMP)
			wrap.nr_neigh_dumps++;
		else if (wrap.no_single_neigh)
			return -NLE_OPNOTSUPP;
	}
	return __real_nl_send_auto(sk, msg);
}

int __wrap_nl_recvmsgs(struct nl_sock *sk, struct nl_cb *cb)
{
	int err = __real_nl_recvmsgs(sk, cb);

	if (wrap.interrupted_dumps > 0) {
		wrap.interrupted_dumps--;
		return -NLE_DUMP_INTR;
	}
	return err;
}

int __wrap_nl_socket_add_membership(struct nl_sock *sk, int group)
{
	return wrap.no_notifications
		       ? 0
		       : __real_nl_socket_add_membership(sk, group);
}

ssize_t __wrap_sendto(int fd, const void *buf, size_t len, int flags,
		      const struct sockaddr *addr, socklen_t addr_len)
{
	wrap.nr_datagrams++;
	return __real_sendto(fd, buf, len, flags, addr, addr_len);
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	assert_int_equal(closedir(dir), 0);
	return count;
}

/* Each test starts with an empty neighbour table. */
static int setup_neigh(void **state)
{
	memset(&wrap, 0, sizeof(wrap));
	nr_fds = count_fds();
	return neigh_net_ip("neigh flush dev ve0") ? 0 : -1;
}

static int teardown_neigh(void **state)
{
	return count_fds() == nr_fds ? 0 : -1;
}

static void gid_from_text(const char *text, uint8_t gid[16])
{
	char mapped[INET6_ADDRSTRLEN];

	if (!strchr(text, ':')) {
		(void)snprintf(mapped, sizeof(mapped), "::ffff:%s", text);
		text = mapped;
	}
	assert_int_equal(inet_pton(AF_INET6, text, gid), 1);
}

static int resolve_text(const char *interface, const char *src, const char *dst,
			uint8_t *ret_mac, uint16_t *ret_vlan)
{
	struct verbs_neigh_query query = {};

	gid_from_text(src, query.src_gid);
	gid_from_text(dst, query.dst_gid);
	if (interface)
		query.src_ifindex = if_nametoindex(interface);
	return verbs_neigh_resolve(&query, ret_mac, ret_vlan);
}

static void assert_mac(const char *src, const char *dst,
		       const char expected[VERBS_NEIGH_MAC_LEN])
{
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
	uint16_t vlan = 0;

	assert_int_equal(resolve_text(NULL, src, dst, mac, &vlan), 0);
	assert_memory_equal(mac, expected, sizeof(mac));
	assert_int_equal(vlan, VERBS_NEIGH_NO_VLAN);
}

static void assert_fails(const char *src, const char *dst, int expected)
{
	uint8_t mac[VERBS_NEIGH_MAC_LEN] = "abcde";
	uint16_t vlan = 0x7777;

	assert_int_equal(resolve_text(NULL, src, dst, mac, &vlan), expected);
	assert_string_equal((char *)mac, "abcde");
	assert_int_equal(vlan, 0x7777);
}

static void resolve_local_ipv4_returns_own_mac(void **state)
{
	assert_mac("10.7.0.1", "10.7.0.1", NEIGH_NET_OUR_MAC);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void resolve_local_ipv6_returns_own_mac(void **state)
{
	assert_mac("fd00::1", "fd00::1", NEIGH_NET_OUR_MAC);
	assert_mac(OUR_LINK_LOCAL, OUR_LINK_LOCAL, NEIGH_NET_OUR_MAC);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void resolve_unresolved_ipv4_sends_probe(void **state)
{
	assert_mac("10.7.0.1", "10.7.0.2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void resolve_unresolved_ipv6_sends_probe(void **state)
{
	assert_mac("fd00::1", "fd00::2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void resolve_known_neighbour_sends_no_probe(void **state)
{
	assert_true(neigh_net_ip("neigh add 10.7.0.50 dev ve0 "
				 "lladdr 02:00:00:00:00:50"));
	assert_mac("10.7.0.1", "10.7.0.50", "\x02\x00\x00\x00\x00\x50");
	assert_int_equal(wrap.nr_datagrams, 0);
	assert_int_equal(wrap.nr_neigh_dumps, 0);
	assert_true(neigh_net_ip("neigh del 10.7.0.50 dev ve0"));
}

static void resolve_without_single_lookup_falls_back_to_dump(void **state)
{
	wrap.no_single_neigh = true;
	assert_mac("10.7.0.1", "10.7.0.2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_neigh_dumps, 1, 12);
	assert_mac("fd00::1", "fd00::2", NEIGH_NET_PEER_MAC);
}

static void resolve_lost_notification_retries_request(void **state)
{
	wrap.no_notifications = true;
	assert_mac("10.7.0.1", "10.7.0.2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void resolve_interrupted_dump_repeats_dump(void **state)
{
	wrap.interrupted_dumps = 3;
	assert_mac("10.7.0.1", "10.7.0.1", NEIGH_NET_OUR_MAC);
	assert_int_equal(wrap.interrupted_dumps, 0);
}

static void resolve_endlessly_interrupted_dump_returns_eio(void **state)
{
	wrap.interrupted_dumps = 1000;
	assert_fails("10.7.0.1", "10.7.0.1", -EIO);
	assert_in_range(wrap.interrupted_dumps, 900, 999);
}

static void resolve_via_gateway_returns_gateway_mac(void **state)
{
	assert_true(neigh_net_ip("route add 10.20.0.0/16 via 10.7.0.2"));
	assert_true(neigh_net_ip("-6 route add fd20::/64 via fd00::2"));
	assert_mac("10.7.0.1", "10.20.3.3", NEIGH_NET_PEER_MAC);
	assert_mac("fd00::1", "fd20::3", NEIGH_NET_PEER_MAC);
	assert_true(neigh_net_ip("route del 10.20.0.0/16"));
	assert_true(neigh_net_ip("-6 route del fd20::/64"));
}

static void resolve_via_ipv6_gateway_for_ipv4_returns_mac(void **state)
{
	assert_true(neigh_net_ip("route add 10.22.0.0/16 via inet6 fd00::2"));
	assert_mac("10.7.0.1", "10.22.3.3", NEIGH_NET_PEER_MAC);
	assert_true(neigh_net_ip("route del 10.22.0.0/16"));
}

/* The typical address of a router: link-local, without an EUI-64. */
static void resolve_via_link_local_gateway_sends_probe(void **state)
{
	assert_true(neigh_net_ip("-6 route add fd23::/64 via fe80::2 dev ve0"));
	assert_mac("fd00::1", "fd23::3", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
	assert_true(neigh_net_ip("-6 route del fd23::/64"));
}

static void resolve_silent_neighbour_fails_after_11_probes(void **state)
{
	assert_fails("10.7.0.1", "10.7.0.99", -EHOSTUNREACH);
	assert_int_equal(wrap.nr_datagrams, 11);
}

static void resolve_unreachable_route_fails_without_probe(void **state)
{
	assert_true(neigh_net_ip("-6 route add unreachable fd21::/64"));
	assert_fails("fd00::1", "fd21::1", -EHOSTUNREACH);
	assert_true(neigh_net_ip("-6 route del unreachable fd21::/64"));
	assert_true(neigh_net_ip("-6 route add blackhole fd21::/64"));
	assert_fails("fd00::1", "fd21::1", -EHOSTUNREACH);
	assert_true(neigh_net_ip("-6 route del blackhole fd21::/64"));
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void resolve_missing_route_fails_without_probe(void **state)
{
	assert_fails("fd00::1", "fd99::1", -EHOSTUNREACH);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void resolve_multicast_sends_no_probe(void **state)
{
	assert_mac("10.7.0.1", "224.1.2.3", "\x01\x00\x5e\x01\x02\x03");
	assert_mac("10.7.0.1", "ff0e::ffff:225.129.2.3",
		   "\x01\x00\x5e\x01\x02\x03");
	assert_mac("fd00::1", "ff0e::1:2:3", "\x33\x33\x00\x02\x00\x03");
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void resolve_link_local_eui64_sends_no_probe(void **state)
{
	assert_mac(OUR_LINK_LOCAL, PEER_LINK_LOCAL, NEIGH_NET_PEER_MAC);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void resolve_link_local_without_eui64_sends_probe(void **state)
{
	assert_mac(OUR_LINK_LOCAL, "fe80::2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void resolve_foreign_source_returns_einval(void **state)
{
	assert_fails("10.7.0.77", "10.7.0.2", -EINVAL);
	assert_fails("::", "fd00::2", -EINVAL);
}

/* VLAN interfaces of one port share its link-local address. */
static void resolve_shared_source_uses_given_interface(void **state)
{
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
	uint16_t vlan;

	assert_true(neigh_net_ip("link add ve2 address 02:00:00:00:00:02 "
				 "type veth peer name ve3"));
	assert_true(neigh_net_ip("link set ve3 up"));
	assert_true(neigh_net_ip("link set ve2 up"));
	assert_true(
		neigh_net_ip("addr add " OUR_LINK_LOCAL "/64 dev ve2 nodad"));
	assert_true(neigh_net_wait_local(OUR_LINK_LOCAL, "ve2"));

	assert_int_equal(
		resolve_text("ve2", OUR_LINK_LOCAL, OUR_LINK_LOCAL, mac, &vlan),
		0);
	assert_memory_equal(mac, "\x02\x00\x00\x00\x00\x02", sizeof(mac));
	assert_int_equal(
		resolve_text("ve0", OUR_LINK_LOCAL, OUR_LINK_LOCAL, mac, &vlan),
		0);
	assert_memory_equal(mac, NEIGH_NET_OUR_MAC, sizeof(mac));
	/* an interface without the source address is ignored */
	assert_int_equal(
		resolve_text("ve2", "10.7.0.1", "10.7.0.1", mac, &vlan), 0);
	assert_memory_equal(mac, NEIGH_NET_OUR_MAC, sizeof(mac));
	assert_true(neigh_net_ip("link del ve2"));
}

static void resolve_on_vlan_interface_returns_vlan_id(void **state)
{
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
	uint16_t vlan;

	if (!neigh_net_ip("link add link ve0 name ve0.5 type vlan id 5")) {
		print_message("this kernel has no VLAN interfaces\n");
		skip();
	}
	assert_true(neigh_net_ip("addr add 10.8.0.1/24 dev ve0.5"));
	assert_true(neigh_net_ip("link set ve0.5 up"));
	assert_true(neigh_net_ip("neigh add 10.8.0.2 dev ve0.5 "
				 "lladdr 02:00:00:00:00:08"));

	assert_int_equal(resolve_text(NULL, "10.8.0.1", "10.8.0.2", mac, &vlan),
			 0);
	assert_memory_equal(mac, "\x02\x00\x00\x00\x00\x08", sizeof(mac));
	assert_int_equal(vlan, 5);
	assert_int_equal(resolve_text(NULL, "10.8.0.1", "10.8.0.1", mac, &vlan),
			 0);
	assert_memory_equal(mac, NEIGH_NET_OUR_MAC, sizeof(mac));
	assert_int_equal(vlan, 5);
	assert_true(neigh_net_ip("link del ve0.5"));
}

#define NEIGH_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_neigh, teardown_neigh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NEIGH_TEST(resolve_local_ipv4_returns_own_mac),
		NEIGH_TEST(resolve_local_ipv6_returns_own_mac),
		NEIGH_TEST(resolve_unresolved_ipv4_sends_probe),
		NEIGH_TEST(resolve_unresolved_ipv6_sends_probe),
		NEIGH_TEST(resolve_known_neighbour_sends_no_probe),
		NEIGH_TEST(resolve_without_single_lookup_falls_back_to_dump),
		NEIGH_TEST(resolve_lost_notification_retries_request),
		NEIGH_TEST(resolve_interrupted_dump_repeats_dump),
		NEIGH_TEST(resolve_endlessly_interrupted_dump_returns_eio),
		NEIGH_TEST(resolve_via_gateway_returns_gateway_mac),
		NEIGH_TEST(resolve_via_ipv6_gateway_for_ipv4_returns_mac),
		NEIGH_TEST(resolve_via_link_local_gateway_sends_probe),
		NEIGH_TEST(resolve_silent_neighbour_fails_after_11_probes),
		NEIGH_TEST(resolve_unreachable_route_fails_without_probe),
		NEIGH_TEST(resolve_missing_route_fails_without_probe),
		NEIGH_TEST(resolve_multicast_sends_no_probe),
		NEIGH_TEST(resolve_link_local_eui64_sends_no_probe),
		NEIGH_TEST(resolve_link_local_without_eui64_sends_probe),
		NEIGH_TEST(resolve_foreign_source_returns_einval),
		NEIGH_TEST(resolve_shared_source_uses_given_interface),
		NEIGH_TEST(resolve_on_vlan_interface_returns_vlan_id),
	};
	const char *reason = neigh_net_enter();
	int failed;

	if (reason) {
		(void)printf("skipped: %s\n", reason);
		neigh_net_leave();
		return SKIPPED;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	neigh_net_leave();
	return failed;
}
