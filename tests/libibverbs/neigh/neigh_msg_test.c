/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The requests that the kernel receives; valid and malformed responses. */
#include "neigh/neigh_msg.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define IFINDEX 7

static const uint8_t mac[VERBS_NEIGH_MAC_LEN] = { 2, 3, 4, 5, 6, 7 };
static const uint8_t ip[4] = { 10, 1, 2, 3 };
static const uint8_t ip6[16] = { 0xfd, [15] = 9 };

static struct nl_msg *new_response(int type, const void *body, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	void *place;

	assert_non_null(msg);
	/* a received message has the protocol of its socket */
	nlmsg_set_proto(msg, NETLINK_ROUTE);
	place = nlmsg_reserve(msg, len, NLMSG_ALIGNTO);
	assert_non_null(place);
	memcpy(place, body, len);
	return msg;
}

static void put_attr(struct nl_msg *msg, int attr, const void *data, size_t len)
{
	assert_int_equal(nla_put(msg, attr, (int)len, data), 0);
}

static void assert_bytes(const struct verbs_neigh_addr *addr,
			 sa_family_t family, const uint8_t *bytes, size_t len)
{
	assert_int_equal(addr->family, family);
	assert_int_equal(addr->len, len);
	assert_memory_equal(addr->bytes, bytes, len);
}

static struct verbs_neigh_addr ip_addr(void)
{
	struct verbs_neigh_addr addr;

	assert_true(verbs_neigh_addr_init(AF_INET, ip, sizeof(ip), &addr));
	return addr;
}

/* Requests */

static void addrs_request_dumps_family(void **state)
{
	struct nl_msg *msg = verbs_neigh_msg_request_addrs(AF_INET6);
	const struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct ifaddrmsg *body = nlmsg_data(header);

	assert_int_equal(header->nlmsg_type, RTM_GETADDR);
	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(body->ifa_family, AF_INET6);
	nlmsg_free(msg);
}

static void route_request_has_destination_and_interface(void **state)
{
	struct verbs_neigh_addr addr = ip_addr();
	struct nl_msg *msg = verbs_neigh_msg_request_route(&addr, IFINDEX);
	struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct rtmsg *body = nlmsg_data(header);
	struct nlattr *attrs[RTA_MAX + 1];

	assert_int_equal(header->nlmsg_type, RTM_GETROUTE);
	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST);
	assert_int_equal(body->rtm_family, AF_INET);
	assert_int_equal(body->rtm_dst_len, 32);
	assert_int_equal(
		nlmsg_parse(header, sizeof(*body), attrs, RTA_MAX, NULL), 0);
	assert_memory_equal(nla_data(attrs[RTA_DST]), ip, sizeof(ip));
	assert_int_equal(nla_get_u32(attrs[RTA_OIF]), IFINDEX);
	nlmsg_free(msg);
}

static void neigh_request_has_address_and_interface(void **state)
{
	struct verbs_neigh_addr addr = ip_addr();
	struct nl_msg *msg =
		verbs_neigh_msg_request_neigh(&addr, IFINDEX, false);
	struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct ndmsg *body = nlmsg_data(header);
	struct nlattr *attrs[NDA_MAX + 1];

	assert_int_equal(header->nlmsg_type, RTM_GETNEIGH);
	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST);
	assert_int_equal(body->ndm_family, AF_INET);
	assert_int_equal(body->ndm_ifindex, IFINDEX);
	assert_int_equal(body->ndm_state, 0);
	assert_int_equal(
		nlmsg_parse(header, sizeof(*body), attrs, NDA_MAX, NULL), 0);
	assert_memory_equal(nla_data(attrs[NDA_DST]), ip, sizeof(ip));
	nlmsg_free(msg);
}

static void neigh_dump_request_has_only_family(void **state)
{
	struct verbs_neigh_addr addr = ip_addr();
	struct nl_msg *msg =
		verbs_neigh_msg_request_neigh(&addr, IFINDEX, true);
	const struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct ndmsg *body = nlmsg_data(header);

	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	assert_int_equal(header->nlmsg_len, NLMSG_LENGTH(sizeof(*body)));
	assert_int_equal(body->ndm_family, AF_INET);
	assert_int_equal(body->ndm_ifindex, 0);
	nlmsg_free(msg);
}

static void link_request_excludes_virtual_functions(void **state)
{
	struct nl_msg *msg = verbs_neigh_msg_request_link(IFINDEX);
	const struct nlmsghdr *header = nlmsg_hdr(msg);
	const struct ifinfomsg *body = nlmsg_data(header);

	assert_int_equal(header->nlmsg_type, RTM_GETLINK);
	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST);
	assert_int_equal(header->nlmsg_len, NLMSG_LENGTH(sizeof(*body)));
	assert_int_equal(body->ifi_index, IFINDEX);
	nlmsg_free(msg);
}

/* Addresses */

static void parse_addr_point_to_point_returns_local(void **state)
{
	const struct ifaddrmsg body = { .ifa_family = AF_INET,
					.ifa_index = IFINDEX };
	const uint8_t other_end[4] = { 10, 9, 9, 9 };
	struct nl_msg *msg = new_response(RTM_NEWADDR, &body, sizeof(body));
	struct verbs_neigh_addr addr;
	uint32_t ifindex;

	put_attr(msg, IFA_ADDRESS, other_end, sizeof(other_end));
	put_attr(msg, IFA_LOCAL, ip, sizeof(ip));
	assert_true(verbs_neigh_msg_parse_addr(msg, &addr, &ifindex));
	assert_bytes(&addr, AF_INET, ip, sizeof(ip));
	assert_int_equal(ifindex, IFINDEX);
	nlmsg_free(msg);
}

static void parse_addr_without_local_returns_address(void **state)
{
	const struct ifaddrmsg body = { .ifa_family = AF_INET6 };
	struct nl_msg *msg = new_response(RTM_NEWADDR, &body, sizeof(body));
	struct verbs_neigh_addr addr;
	uint32_t ifindex;

	put_attr(msg, IFA_ADDRESS, ip6, sizeof(ip6));
	assert_true(verbs_neigh_msg_parse_addr(msg, &addr, &ifindex));
	assert_bytes(&addr, AF_INET6, ip6, sizeof(ip6));
	nlmsg_free(msg);
}

static void parse_addr_malformed_message_returns_false(void **state)
{
	const struct ifaddrmsg body = { .ifa_family = AF_INET };
	struct verbs_neigh_addr addr;
	struct nl_msg *msg;
	uint32_t ifindex;

	msg = new_response(RTM_NEWADDR, &body, sizeof(body));
	assert_false(verbs_neigh_msg_parse_addr(msg, &addr, &ifindex));
	put_attr(msg, IFA_LOCAL, ip6, sizeof(ip6));
	assert_false(verbs_neigh_msg_parse_addr(msg, &addr, &ifindex));
	nlmsg_free(msg);

	msg = new_response(RTM_NEWADDR, &body, sizeof(body) - 4);
	assert_false(verbs_neigh_msg_parse_addr(msg, &addr, &ifindex));
	nlmsg_free(msg);

	msg = new_response(RTM_DELADDR, &body, sizeof(body));
	put_attr(msg, IFA_LOCAL, ip, sizeof(ip));
	assert_false(verbs_neigh_msg_parse_addr(msg, &addr, &ifindex));
	nlmsg_free(msg);
}

/* Routes */

static struct nl_msg *new_route(uint8_t type)
{
	const struct rtmsg body = { .rtm_family = AF_INET, .rtm_type = type };
	const uint32_t ifindex = IFINDEX;
	struct nl_msg *msg = new_response(RTM_NEWROUTE, &body, sizeof(body));

	put_attr(msg, RTA_OIF, &ifindex, sizeof(ifindex));
	return msg;
}

static void parse_route_direct_has_no_gateway(void **state)
{
	struct nl_msg *msg = new_route(RTN_UNICAST);
	struct verbs_neigh_route route;

	assert_true(verbs_neigh_msg_parse_route(msg, &route));
	assert_int_equal(route.type, RTN_UNICAST);
	assert_int_equal(route.ifindex, IFINDEX);
	assert_false(route.has_gateway);
	nlmsg_free(msg);
}

static void parse_route_prohibit_returns_type(void **state)
{
	struct nl_msg *msg = new_route(RTN_PROHIBIT);
	struct verbs_neigh_route route;

	assert_true(verbs_neigh_msg_parse_route(msg, &route));
	assert_int_equal(route.type, RTN_PROHIBIT);
	nlmsg_free(msg);
}

static void parse_route_gateway_has_route_family(void **state)
{
	struct nl_msg *msg = new_route(RTN_UNICAST);
	struct verbs_neigh_route route;

	put_attr(msg, RTA_GATEWAY, ip, sizeof(ip));
	assert_true(verbs_neigh_msg_parse_route(msg, &route));
	assert_true(route.has_gateway);
	assert_bytes(&route.gateway, AF_INET, ip, sizeof(ip));
	nlmsg_free(msg);
}

static void parse_route_via_has_own_family(void **state)
{
	const sa_family_t family = AF_INET6;
	struct nl_msg *msg = new_route(RTN_UNICAST);
	uint8_t via[sizeof(family) + sizeof(ip6)];
	struct verbs_neigh_route route;

	memcpy(via, &family, sizeof(family));
	memcpy(via + sizeof(family), ip6, sizeof(ip6));
	put_attr(msg, RTA_VIA, via, sizeof(via));
	assert_true(verbs_neigh_msg_parse_route(msg, &route));
	assert_true(route.has_gateway);
	assert_bytes(&route.gateway, AF_INET6, ip6, sizeof(ip6));
	nlmsg_free(msg);
}

static void parse_route_malformed_message_returns_false(void **state)
{
	const struct rtmsg body = { .rtm_family = AF_INET };
	const sa_family_t family = AF_INET6;
	struct verbs_neigh_route route;
	struct nl_msg *msg;

	msg = new_response(RTM_NEWROUTE, &body, sizeof(body));
	assert_false(verbs_neigh_msg_parse_route(msg, &route));
	put_attr(msg, RTA_OIF, ip, 2);
	assert_false(verbs_neigh_msg_parse_route(msg, &route));
	nlmsg_free(msg);

	msg = new_route(RTN_UNICAST);
	put_attr(msg, RTA_GATEWAY, ip6, sizeof(ip6));
	assert_false(verbs_neigh_msg_parse_route(msg, &route));
	nlmsg_free(msg);

	msg = new_route(RTN_UNICAST);
	put_attr(msg, RTA_VIA, &family, 1);
	assert_false(verbs_neigh_msg_parse_route(msg, &route));
	nlmsg_free(msg);

	msg = new_route(RTN_UNICAST);
	put_attr(msg, RTA_VIA, &family, sizeof(family));
	assert_false(verbs_neigh_msg_parse_route(msg, &route));
	nlmsg_free(msg);
}

/* Neighbours */

static struct nl_msg *new_neigh(const void *addr, size_t addr_len,
				const void *ll_addr, size_t ll_len,
				uint16_t state)
{
	const struct ndmsg body = { .ndm_family = AF_INET,
				    .ndm_ifindex = IFINDEX,
				    .ndm_state = state };
	struct nl_msg *msg = new_response(RTM_NEWNEIGH, &body, sizeof(body));

	if (addr)
		put_attr(msg, NDA_DST, addr, addr_len);
	if (ll_addr)
		put_attr(msg, NDA_LLADDR, ll_addr, ll_len);
	return msg;
}

static bool parse_neigh(struct nl_msg *msg, uint32_t ifindex, uint8_t *ret_mac)
{
	struct verbs_neigh_addr addr = ip_addr();
	bool found = verbs_neigh_msg_parse_neigh(msg, &addr, ifindex, ret_mac);

	nlmsg_free(msg);
	return found;
}

static void parse_neigh_usable_state_returns_mac(void **state)
{
	const uint16_t usable[] = { NUD_REACHABLE, NUD_STALE, NUD_DELAY,
				    NUD_PROBE,	   NUD_NOARP, NUD_PERMANENT };

	for (size_t i = 0; i < sizeof(usable) / sizeof(usable[0]); i++) {
		uint8_t found[VERBS_NEIGH_MAC_LEN] = {};

		assert_true(parse_neigh(
			new_neigh(ip, sizeof(ip), mac, sizeof(mac), usable[i]),
			IFINDEX, found));
		assert_memory_equal(found, mac, sizeof(mac));
	}
}

static void parse_neigh_unusable_state_returns_false(void **state)
{
	const uint16_t unusable[] = { NUD_NONE, NUD_INCOMPLETE, NUD_FAILED };
	uint8_t found[VERBS_NEIGH_MAC_LEN];

	for (size_t i = 0; i < sizeof(unusable) / sizeof(unusable[0]); i++)
		assert_false(parse_neigh(new_neigh(ip, sizeof(ip), mac,
						   sizeof(mac), unusable[i]),
					 IFINDEX, found));
}

static void parse_neigh_different_address_returns_false(void **state)
{
	const uint8_t address[4] = { 10, 1, 2, 4 };
	uint8_t found[VERBS_NEIGH_MAC_LEN];

	assert_false(parse_neigh(new_neigh(address, sizeof(address), mac,
					   sizeof(mac), NUD_REACHABLE),
				 IFINDEX, found));
	assert_false(parse_neigh(
		new_neigh(ip, sizeof(ip), mac, sizeof(mac), NUD_REACHABLE),
		IFINDEX + 1, found));
}

static void parse_neigh_malformed_message_returns_false(void **state)
{
	const uint8_t infiniband[20] = {};
	uint8_t found[VERBS_NEIGH_MAC_LEN];

	assert_false(parse_neigh(new_neigh(ip, sizeof(ip), infiniband,
					   sizeof(infiniband), NUD_REACHABLE),
				 IFINDEX, found));
	assert_false(
		parse_neigh(new_neigh(ip, sizeof(ip), NULL, 0, NUD_REACHABLE),
			    IFINDEX, found));
	assert_false(
		parse_neigh(new_neigh(NULL, 0, mac, sizeof(mac), NUD_REACHABLE),
			    IFINDEX, found));
	assert_false(parse_neigh(
		new_neigh(ip6, sizeof(ip6), mac, sizeof(mac), NUD_REACHABLE),
		IFINDEX, found));
}

/* Links */

static struct nl_msg *new_link(const void *ll_addr, size_t ll_len,
			       const char *kind, const void *data, size_t len)
{
	const struct ifinfomsg body = { .ifi_index = IFINDEX };
	struct nl_msg *msg = new_response(RTM_NEWLINK, &body, sizeof(body));
	struct nlattr *info, *nested;

	/* libnl requires a name */
	put_attr(msg, IFLA_IFNAME, "ve0", sizeof("ve0"));
	if (ll_addr)
		put_attr(msg, IFLA_ADDRESS, ll_addr, ll_len);
	if (!kind)
		return msg;

	info = nla_nest_start(msg, IFLA_LINKINFO);
	assert_non_null(info);
	put_attr(msg, IFLA_INFO_KIND, kind, strlen(kind) + 1);
	nested = nla_nest_start(msg, IFLA_INFO_DATA);
	assert_non_null(nested);
	put_attr(msg, IFLA_VLAN_ID, data, len);
	assert_int_equal(nla_nest_end(msg, nested), 0);
	assert_int_equal(nla_nest_end(msg, info), 0);
	return msg;
}

static struct verbs_neigh_link parse_link(struct nl_msg *msg)
{
	struct verbs_neigh_link link;

	assert_true(verbs_neigh_msg_parse_link(msg, &link));
	nlmsg_free(msg);
	return link;
}

static void parse_link_plain_has_no_vlan(void **state)
{
	struct verbs_neigh_link link =
		parse_link(new_link(mac, sizeof(mac), NULL, NULL, 0));

	assert_true(link.has_mac);
	assert_memory_equal(link.mac, mac, sizeof(mac));
	assert_int_equal(link.vlan, VERBS_NEIGH_NO_VLAN);
}

static void parse_link_vlan_returns_id(void **state)
{
	const uint16_t id = 1234;
	struct verbs_neigh_link link =
		parse_link(new_link(mac, sizeof(mac), "vlan", &id, sizeof(id)));

	assert_int_equal(link.vlan, id);
}

static void parse_link_different_kind_has_no_vlan(void **state)
{
	const uint16_t id = 1234;
	struct verbs_neigh_link link = parse_link(
		new_link(mac, sizeof(mac), "vlan2", &id, sizeof(id)));

	assert_int_equal(link.vlan, VERBS_NEIGH_NO_VLAN);
}

static void parse_link_short_vlan_id_returns_false(void **state)
{
	struct nl_msg *msg = new_link(mac, sizeof(mac), "vlan", ip, 1);
	struct verbs_neigh_link link;

	assert_false(verbs_neigh_msg_parse_link(msg, &link));
	nlmsg_free(msg);
}

static void parse_link_infiniband_has_no_mac(void **state)
{
	const uint8_t infiniband[20] = {};
	struct verbs_neigh_link link = parse_link(
		new_link(infiniband, sizeof(infiniband), NULL, NULL, 0));

	assert_false(link.has_mac);
	assert_false(parse_link(new_link(NULL, 0, NULL, NULL, 0)).has_mac);
}

static void parse_link_route_message_returns_false(void **state)
{
	struct nl_msg *msg = new_route(RTN_UNICAST);
	struct verbs_neigh_link link;

	assert_false(verbs_neigh_msg_parse_link(msg, &link));
	nlmsg_free(msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addrs_request_dumps_family),
		cmocka_unit_test(route_request_has_destination_and_interface),
		cmocka_unit_test(neigh_request_has_address_and_interface),
		cmocka_unit_test(neigh_dump_request_has_only_family),
		cmocka_unit_test(link_request_excludes_virtual_functions),
		cmocka_unit_test(parse_addr_point_to_point_returns_local),
		cmocka_unit_test(parse_addr_without_local_returns_address),
		cmocka_unit_test(parse_addr_malformed_message_returns_false),
		cmocka_unit_test(parse_route_direct_has_no_gateway),
		cmocka_unit_test(parse_route_prohibit_returns_type),
		cmocka_unit_test(parse_route_gateway_has_route_family),
		cmocka_unit_test(parse_route_via_has_own_family),
		cmocka_unit_test(parse_route_malformed_message_returns_false),
		cmocka_unit_test(parse_neigh_usable_state_returns_mac),
		cmocka_unit_test(parse_neigh_unusable_state_returns_false),
		cmocka_unit_test(parse_neigh_different_address_returns_false),
		cmocka_unit_test(parse_neigh_malformed_message_returns_false),
		cmocka_unit_test(parse_link_plain_has_no_vlan),
		cmocka_unit_test(parse_link_vlan_returns_id),
		cmocka_unit_test(parse_link_different_kind_has_no_vlan),
		cmocka_unit_test(parse_link_short_vlan_id_returns_false),
		cmocka_unit_test(parse_link_infiniband_has_no_mac),
		cmocka_unit_test(parse_link_route_message_returns_false),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
