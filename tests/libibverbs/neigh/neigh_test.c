/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Look-ups in a real kernel: this process and a child are two hosts on a wire
 * (neigh_net.h). Exits 77 where that is not permitted. What depends on the
 * kernel's age or on luck is forced by wrapping four calls.
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

/* What the wrapped calls do to the library, and what they saw of it. */
static struct {
	bool no_single_entry; /* before Linux 5.0 */
	bool deaf;	      /* notifications do not arrive */
	int interrupted_dumps;
	int nr_entry_dumps;
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
			wrap.nr_entry_dumps++;
		else if (wrap.no_single_entry)
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
	return wrap.deaf ? 0 : __real_nl_socket_add_membership(sk, group);
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

/* Nothing is known of the other host when a test begins. */
static int start(void **state)
{
	memset(&wrap, 0, sizeof(wrap));
	nr_fds = count_fds();
	return neigh_net_ip("neigh flush dev ve0") ? 0 : -1;
}

static int finish(void **state)
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

static int resolve_from(const char *interface, const char *src, const char *dst,
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

	assert_int_equal(resolve_from(NULL, src, dst, mac, &vlan), 0);
	assert_memory_equal(mac, expected, sizeof(mac));
	assert_int_equal(vlan, VERBS_NEIGH_NO_VLAN);
}

static void assert_fails(const char *src, const char *dst, int expected)
{
	uint8_t mac[VERBS_NEIGH_MAC_LEN] = "abcde";
	uint16_t vlan = 0x7777;

	assert_int_equal(resolve_from(NULL, src, dst, mac, &vlan), expected);
	assert_string_equal((char *)mac, "abcde");
	assert_int_equal(vlan, 0x7777);
}

static void local_ipv4_is_our_own(void **state)
{
	assert_mac("10.7.0.1", "10.7.0.1", NEIGH_NET_OUR_MAC);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void local_ipv6_is_our_own(void **state)
{
	assert_mac("fd00::1", "fd00::1", NEIGH_NET_OUR_MAC);
	assert_mac(OUR_LINK_LOCAL, OUR_LINK_LOCAL, NEIGH_NET_OUR_MAC);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void unknown_ipv4_neighbour_is_provoked(void **state)
{
	assert_mac("10.7.0.1", "10.7.0.2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void unknown_ipv6_neighbour_is_provoked(void **state)
{
	assert_mac("fd00::1", "fd00::2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void known_neighbour_needs_no_datagram(void **state)
{
	assert_true(neigh_net_ip("neigh add 10.7.0.50 dev ve0 "
				 "lladdr 02:00:00:00:00:50"));
	assert_mac("10.7.0.1", "10.7.0.50", "\x02\x00\x00\x00\x00\x50");
	assert_int_equal(wrap.nr_datagrams, 0);
	assert_int_equal(wrap.nr_entry_dumps, 0);
	assert_true(neigh_net_ip("neigh del 10.7.0.50 dev ve0"));
}

static void old_kernels_are_asked_for_a_dump(void **state)
{
	wrap.no_single_entry = true;
	assert_mac("10.7.0.1", "10.7.0.2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_entry_dumps, 1, 12);
	assert_mac("fd00::1", "fd00::2", NEIGH_NET_PEER_MAC);
}

static void lost_notification_costs_a_round_only(void **state)
{
	wrap.deaf = true;
	assert_mac("10.7.0.1", "10.7.0.2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void interrupted_dump_is_taken_again(void **state)
{
	wrap.interrupted_dumps = 3;
	assert_mac("10.7.0.1", "10.7.0.1", NEIGH_NET_OUR_MAC);
	assert_int_equal(wrap.interrupted_dumps, 0);
}

static void dump_that_is_always_interrupted_is_given_up(void **state)
{
	wrap.interrupted_dumps = 1000;
	assert_fails("10.7.0.1", "10.7.0.1", -EIO);
	assert_in_range(wrap.interrupted_dumps, 900, 999);
}

static void gateway_stands_for_the_destination(void **state)
{
	assert_true(neigh_net_ip("route add 10.20.0.0/16 via 10.7.0.2"));
	assert_true(neigh_net_ip("-6 route add fd20::/64 via fd00::2"));
	assert_mac("10.7.0.1", "10.20.3.3", NEIGH_NET_PEER_MAC);
	assert_mac("fd00::1", "fd20::3", NEIGH_NET_PEER_MAC);
	assert_true(neigh_net_ip("route del 10.20.0.0/16"));
	assert_true(neigh_net_ip("-6 route del fd20::/64"));
}

static void gateway_may_be_of_another_family(void **state)
{
	assert_true(neigh_net_ip("route add 10.22.0.0/16 via inet6 fd00::2"));
	assert_mac("10.7.0.1", "10.22.3.3", NEIGH_NET_PEER_MAC);
	assert_true(neigh_net_ip("route del 10.22.0.0/16"));
}

/* As routers have it: link-local, and not made from an Ethernet address. */
static void link_local_gateway_is_looked_up(void **state)
{
	assert_true(neigh_net_ip("-6 route add fd23::/64 via fe80::2 dev ve0"));
	assert_mac("fd00::1", "fd23::3", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
	assert_true(neigh_net_ip("-6 route del fd23::/64"));
}

static void silent_neighbour_is_unreachable_after_11_tries(void **state)
{
	assert_fails("10.7.0.1", "10.7.0.99", -EHOSTUNREACH);
	assert_int_equal(wrap.nr_datagrams, 11);
}

static void unreachable_route_fails_at_once(void **state)
{
	assert_true(neigh_net_ip("-6 route add unreachable fd21::/64"));
	assert_fails("fd00::1", "fd21::1", -EHOSTUNREACH);
	assert_true(neigh_net_ip("-6 route del unreachable fd21::/64"));
	assert_true(neigh_net_ip("-6 route add blackhole fd21::/64"));
	assert_fails("fd00::1", "fd21::1", -EHOSTUNREACH);
	assert_true(neigh_net_ip("-6 route del blackhole fd21::/64"));
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void missing_route_fails_at_once(void **state)
{
	assert_fails("fd00::1", "fd99::1", -EHOSTUNREACH);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void groups_need_no_neighbour(void **state)
{
	assert_mac("10.7.0.1", "224.1.2.3", "\x01\x00\x5e\x01\x02\x03");
	assert_mac("10.7.0.1", "ff0e::ffff:225.129.2.3",
		   "\x01\x00\x5e\x01\x02\x03");
	assert_mac("fd00::1", "ff0e::1:2:3", "\x33\x33\x00\x02\x00\x03");
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void link_local_eui64_needs_no_neighbour(void **state)
{
	assert_mac(OUR_LINK_LOCAL, PEER_LINK_LOCAL, NEIGH_NET_PEER_MAC);
	assert_int_equal(wrap.nr_datagrams, 0);
}

static void other_link_local_is_looked_up(void **state)
{
	assert_mac(OUR_LINK_LOCAL, "fe80::2", NEIGH_NET_PEER_MAC);
	assert_in_range(wrap.nr_datagrams, 1, 11);
}

static void source_that_nobody_has_is_invalid(void **state)
{
	assert_fails("10.7.0.77", "10.7.0.2", -EINVAL);
	assert_fails("::", "fd00::2", -EINVAL);
}

/* As on the VLANs of one card, which share its link-local address. */
static void interface_decides_between_owners(void **state)
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
		resolve_from("ve2", OUR_LINK_LOCAL, OUR_LINK_LOCAL, mac, &vlan),
		0);
	assert_memory_equal(mac, "\x02\x00\x00\x00\x00\x02", sizeof(mac));
	assert_int_equal(
		resolve_from("ve0", OUR_LINK_LOCAL, OUR_LINK_LOCAL, mac, &vlan),
		0);
	assert_memory_equal(mac, NEIGH_NET_OUR_MAC, sizeof(mac));
	/* one that has not the address decides nothing */
	assert_int_equal(
		resolve_from("ve2", "10.7.0.1", "10.7.0.1", mac, &vlan), 0);
	assert_memory_equal(mac, NEIGH_NET_OUR_MAC, sizeof(mac));
	assert_true(neigh_net_ip("link del ve2"));
}

static void vlan_interface_gives_its_id(void **state)
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

	assert_int_equal(resolve_from(NULL, "10.8.0.1", "10.8.0.2", mac, &vlan),
			 0);
	assert_memory_equal(mac, "\x02\x00\x00\x00\x00\x08", sizeof(mac));
	assert_int_equal(vlan, 5);
	assert_int_equal(resolve_from(NULL, "10.8.0.1", "10.8.0.1", mac, &vlan),
			 0);
	assert_memory_equal(mac, NEIGH_NET_OUR_MAC, sizeof(mac));
	assert_int_equal(vlan, 5);
	assert_true(neigh_net_ip("link del ve0.5"));
}

#define test(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(local_ipv4_is_our_own),
		test(local_ipv6_is_our_own),
		test(unknown_ipv4_neighbour_is_provoked),
		test(unknown_ipv6_neighbour_is_provoked),
		test(known_neighbour_needs_no_datagram),
		test(old_kernels_are_asked_for_a_dump),
		test(lost_notification_costs_a_round_only),
		test(interrupted_dump_is_taken_again),
		test(dump_that_is_always_interrupted_is_given_up),
		test(gateway_stands_for_the_destination),
		test(gateway_may_be_of_another_family),
		test(link_local_gateway_is_looked_up),
		test(silent_neighbour_is_unreachable_after_11_tries),
		test(unreachable_route_fails_at_once),
		test(missing_route_fails_at_once),
		test(groups_need_no_neighbour),
		test(link_local_eui64_needs_no_neighbour),
		test(other_link_local_is_looked_up),
		test(source_that_nobody_has_is_invalid),
		test(interface_decides_between_owners),
		test(vlan_interface_gives_its_id),
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
