/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtnetlink requests and responses: see neigh/neigh_msg.h. No system calls. For
 * each kind of message the request stands next to the parser of its response.
 *
 * libnl-route parses a message into an object; the functions here copy the few
 * properties that matter and free the object. Links and addresses have no
 * public parser of their own in libnl-route, so nl_msg_parse() finds theirs by
 * the message type and hands the object to a callback.
 */
#include "neigh/neigh_msg.h"

#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/attr.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/vlan.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <string.h>

/* States in which the kernel itself would use the link layer address. */
#define NUD_USABLE                                                           \
	(NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | \
	 NUD_DELAY)

/*
 * For messages that libnl-route has no builder for: its builders make requests
 * that change something, and the one for RTM_GETLINK asks for the virtual
 * functions as well.
 */
static struct nl_msg *neigh_new_request(int type, int flags, void *body,
					size_t body_len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (!msg)
		return NULL;
	if (nlmsg_append(msg, body, body_len, NLMSG_ALIGNTO) != 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static bool neigh_msg_has_type(struct nl_msg *msg, int type)
{
	return nlmsg_hdr(msg)->nlmsg_type == type;
}

/* libnl does not check that the length of an address fits its family. */
static bool neigh_addr_from_nl(sa_family_t family,
			       const struct nl_addr *nl_addr,
			       struct verbs_neigh_addr *ret_addr)
{
	return nl_addr &&
	       verbs_neigh_addr_init(family, nl_addr_get_binary_addr(nl_addr),
				     nl_addr_get_len(nl_addr), ret_addr);
}

static bool neigh_mac_from_nl(const struct nl_addr *nl_addr,
			      uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	if (!nl_addr || nl_addr_get_len(nl_addr) != VERBS_NEIGH_MAC_LEN)
		return false;
	memcpy(ret_mac, nl_addr_get_binary_addr(nl_addr), VERBS_NEIGH_MAC_LEN);
	return true;
}

struct nl_msg *verbs_neigh_msg_request_addrs(sa_family_t family)
{
	struct ifaddrmsg body = { .ifa_family = (uint8_t)family };

	return neigh_new_request(RTM_GETADDR, NLM_F_DUMP, &body, sizeof(body));
}

struct parsed_addr {
	bool valid;
	struct verbs_neigh_addr addr;
	uint32_t ifindex;
};

/*
 * libnl-route takes an IPv4 message without an address for one with 0.0.0.0,
 * which is not the address of any interface.
 */
static void neigh_copy_addr(struct nl_object *object, void *arg)
{
	struct rtnl_addr *addr = (void *)object;
	struct nl_addr *local = rtnl_addr_get_local(addr);
	struct parsed_addr *parsed = arg;

	if (!local || nl_addr_iszero(local))
		return;
	parsed->valid = neigh_addr_from_nl(
		(sa_family_t)rtnl_addr_get_family(addr), local, &parsed->addr);
	parsed->ifindex = (uint32_t)rtnl_addr_get_ifindex(addr);
}

bool verbs_neigh_msg_parse_addr(struct nl_msg *msg,
				struct verbs_neigh_addr *ret_addr,
				uint32_t *ret_ifindex)
{
	struct parsed_addr parsed = {};

	if (!neigh_msg_has_type(msg, RTM_NEWADDR) ||
	    nl_msg_parse(msg, neigh_copy_addr, &parsed) < 0 || !parsed.valid)
		return false;
	*ret_addr = parsed.addr;
	*ret_ifindex = parsed.ifindex;
	return true;
}

/* Gives @route the destination @dst and the interface @ifindex. */
static int neigh_fill_route(struct rtnl_route *route,
			    const struct verbs_neigh_addr *dst,
			    uint32_t ifindex)
{
	struct nl_addr *nl_addr;
	struct rtnl_nexthop *hop;
	int err;

	nl_addr = nl_addr_build(dst->family, dst->bytes, dst->len);
	if (!nl_addr)
		return -1;
	err = rtnl_route_set_dst(route, nl_addr);
	nl_addr_put(nl_addr); /* the route has a reference */
	hop = rtnl_route_nh_alloc();
	if (err < 0 || !hop) {
		if (hop)
			rtnl_route_nh_free(hop);
		return -1;
	}
	rtnl_route_nh_set_ifindex(hop, (int)ifindex);
	rtnl_route_add_nexthop(route, hop); /* takes ownership */
	return 0;
}

struct nl_msg *verbs_neigh_msg_request_route(const struct verbs_neigh_addr *dst,
					     uint32_t ifindex)
{
	struct rtnl_route *route = rtnl_route_alloc();
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST);

	if (!route || !msg || neigh_fill_route(route, dst, ifindex) != 0 ||
	    rtnl_route_build_msg(msg, route) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	rtnl_route_put(route);
	return msg;
}

/* libnl-route subtracts the header of RTA_VIA from its length unchecked. */
static bool neigh_via_is_too_short(struct nl_msg *msg)
{
	const struct nlattr *via =
		nlmsg_find_attr(nlmsg_hdr(msg), sizeof(struct rtmsg), RTA_VIA);

	return via && nla_len(via) < (int)sizeof(struct rtvia);
}

/* The gateway has the family of the route, or with RTA_VIA its own. */
static bool neigh_copy_gateway(struct rtnl_route *route,
			       struct rtnl_nexthop *hop,
			       struct verbs_neigh_route *ret_route)
{
	struct nl_addr *gateway = rtnl_route_nh_get_gateway(hop);
	sa_family_t family = rtnl_route_get_family(route);

	if (!gateway) {
		gateway = rtnl_route_nh_get_via(hop);
		if (!gateway)
			return true;
		family = (sa_family_t)nl_addr_get_family(gateway);
	}
	ret_route->has_gateway = true;
	return neigh_addr_from_nl(family, gateway, &ret_route->gateway);
}

static bool neigh_copy_route(struct rtnl_route *route,
			     struct verbs_neigh_route *ret_route)
{
	struct verbs_neigh_route copy = { .type = rtnl_route_get_type(route) };
	struct rtnl_nexthop *hop;

	if (rtnl_route_get_nnexthops(route) < 1)
		return false;
	hop = rtnl_route_nexthop_n(route, 0);
	copy.ifindex = (uint32_t)rtnl_route_nh_get_ifindex(hop);
	if (!copy.ifindex || !neigh_copy_gateway(route, hop, &copy))
		return false;
	*ret_route = copy;
	return true;
}

bool verbs_neigh_msg_parse_route(struct nl_msg *msg,
				 struct verbs_neigh_route *ret_route)
{
	struct rtnl_route *route;
	bool valid;

	if (!neigh_msg_has_type(msg, RTM_NEWROUTE) ||
	    neigh_via_is_too_short(msg) ||
	    rtnl_route_parse(nlmsg_hdr(msg), &route) < 0)
		return false;
	valid = neigh_copy_route(route, ret_route);
	rtnl_route_put(route);
	return valid;
}

struct nl_msg *
verbs_neigh_msg_request_neigh(const struct verbs_neigh_addr *addr,
			      uint32_t ifindex, bool dump)
{
	struct ndmsg body = { .ndm_family = (uint8_t)addr->family };
	struct nl_msg *msg;

	if (dump)
		return neigh_new_request(RTM_GETNEIGH, NLM_F_DUMP, &body,
					 sizeof(body));

	body.ndm_ifindex = (int)ifindex;
	msg = neigh_new_request(RTM_GETNEIGH, 0, &body, sizeof(body));
	if (msg && nla_put(msg, NDA_DST, addr->len, addr->bytes) != 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* libnl-route guesses the family of the address; that of the entry is known. */
static bool neigh_entry_matches(struct rtnl_neigh *neigh,
				const struct verbs_neigh_addr *addr,
				uint32_t ifindex)
{
	struct verbs_neigh_addr dst;

	return (uint32_t)rtnl_neigh_get_ifindex(neigh) == ifindex &&
	       neigh_addr_from_nl((sa_family_t)rtnl_neigh_get_family(neigh),
				  rtnl_neigh_get_dst(neigh), &dst) &&
	       verbs_neigh_addr_equal(&dst, addr);
}

bool verbs_neigh_msg_parse_neigh(struct nl_msg *msg,
				 const struct verbs_neigh_addr *addr,
				 uint32_t ifindex,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	struct rtnl_neigh *neigh;
	bool found;

	if (!neigh_msg_has_type(msg, RTM_NEWNEIGH) ||
	    rtnl_neigh_parse(nlmsg_hdr(msg), &neigh) < 0)
		return false;
	found = rtnl_neigh_get_state(neigh) & NUD_USABLE &&
		neigh_entry_matches(neigh, addr, ifindex) &&
		neigh_mac_from_nl(rtnl_neigh_get_lladdr(neigh), ret_mac);
	rtnl_neigh_put(neigh);
	return found;
}

struct nl_msg *verbs_neigh_msg_request_link(uint32_t ifindex)
{
	struct ifinfomsg body = { .ifi_index = (int)ifindex };

	return neigh_new_request(RTM_GETLINK, 0, &body, sizeof(body));
}

static void neigh_copy_link(struct nl_object *object, void *arg)
{
	struct rtnl_link *link = (void *)object;
	struct verbs_neigh_link *copy = arg;

	copy->has_mac = neigh_mac_from_nl(rtnl_link_get_addr(link), copy->mac);
	copy->vlan = rtnl_link_is_vlan(link)
			     ? (uint16_t)rtnl_link_vlan_get_id(link)
			     : VERBS_NEIGH_NO_VLAN;
}

bool verbs_neigh_msg_parse_link(struct nl_msg *msg,
				struct verbs_neigh_link *ret_link)
{
	struct verbs_neigh_link link = {};

	if (!neigh_msg_has_type(msg, RTM_NEWLINK) ||
	    nl_msg_parse(msg, neigh_copy_link, &link) < 0)
		return false;
	*ret_link = link;
	return true;
}
