/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Netlink messages about addresses, routes, neighbours and links: see
 * neigh/neigh_msg.h. Pure. For each family the request stands next to the
 * parser of its answer.
 */
#include "neigh/neigh_msg.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <string.h>

/* States in which the kernel itself would use the link layer address. */
#define NUD_USABLE                                                           \
	(NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | \
	 NUD_DELAY)

static struct nl_msg *new_request(int type, int flags, void *body,
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

static bool put_addr(struct nl_msg *msg, int attr,
		     const struct verbs_neigh_addr *addr)
{
	return nla_put(msg, attr, addr->len, addr->bytes) == 0;
}

/*
 * The attributes of a message of type @type whose body is @body_len long. No
 * policy: what is read of an attribute is checked where it is read.
 */
static bool parse_message(struct nlmsghdr *header, int type, int body_len,
			  struct nlattr **ret_attrs, int max_attr)
{
	return header->nlmsg_type == type &&
	       nlmsg_parse(header, body_len, ret_attrs, max_attr, NULL) == 0;
}

static bool addr_from_attr(sa_family_t family, const struct nlattr *attr,
			   struct verbs_neigh_addr *ret_addr)
{
	return attr && verbs_neigh_addr_init(family, nla_data(attr),
					     (size_t)nla_len(attr), ret_addr);
}

static bool u32_from_attr(const struct nlattr *attr, uint32_t *ret_value)
{
	if (!attr || nla_len(attr) != sizeof(*ret_value))
		return false;
	memcpy(ret_value, nla_data(attr), sizeof(*ret_value));
	return true;
}

struct nl_msg *verbs_neigh_msg_addrs(sa_family_t family)
{
	struct ifaddrmsg body = { .ifa_family = (uint8_t)family };

	return new_request(RTM_GETADDR, NLM_F_DUMP, &body, sizeof(body));
}

bool verbs_neigh_msg_parse_addr(struct nlmsghdr *header,
				struct verbs_neigh_addr *ret_addr,
				uint32_t *ret_ifindex)
{
	struct nlattr *attrs[IFA_MAX + 1];
	const struct ifaddrmsg *body;
	const struct nlattr *attr;

	if (!parse_message(header, RTM_NEWADDR, sizeof(*body), attrs, IFA_MAX))
		return false;
	body = nlmsg_data(header);

	/* IFA_ADDRESS of a point-to-point link is the other end. */
	attr = attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS];
	if (!addr_from_attr(body->ifa_family, attr, ret_addr))
		return false;
	*ret_ifindex = body->ifa_index;
	return true;
}

struct nl_msg *verbs_neigh_msg_route(const struct verbs_neigh_addr *dst,
				     uint32_t ifindex)
{
	struct rtmsg body = { .rtm_family = (uint8_t)dst->family,
			      .rtm_dst_len = (uint8_t)(dst->len * 8) };
	struct nl_msg *msg;

	msg = new_request(RTM_GETROUTE, 0, &body, sizeof(body));
	if (msg && (!put_addr(msg, RTA_DST, dst) ||
		    nla_put_u32(msg, RTA_OIF, ifindex) != 0)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* A gateway of the route's family, or, with RTA_VIA, of any. */
static bool parse_gateway(const struct rtmsg *body, struct nlattr **attrs,
			  struct verbs_neigh_addr *ret_gateway)
{
	const struct nlattr *via = attrs[RTA_VIA];
	struct rtvia head;

	if (attrs[RTA_GATEWAY])
		return addr_from_attr(body->rtm_family, attrs[RTA_GATEWAY],
				      ret_gateway);

	if (nla_len(via) < (int)sizeof(head))
		return false;
	memcpy(&head, nla_data(via), sizeof(head));
	return verbs_neigh_addr_init(
		head.rtvia_family, (const char *)nla_data(via) + sizeof(head),
		(size_t)nla_len(via) - sizeof(head), ret_gateway);
}

bool verbs_neigh_msg_parse_route(struct nlmsghdr *header,
				 struct verbs_neigh_route *ret_route)
{
	struct verbs_neigh_route route = {};
	struct nlattr *attrs[RTA_MAX + 1];
	const struct rtmsg *body;

	if (!parse_message(header, RTM_NEWROUTE, sizeof(*body), attrs, RTA_MAX))
		return false;
	body = nlmsg_data(header);

	route.type = body->rtm_type;
	if (!u32_from_attr(attrs[RTA_OIF], &route.ifindex))
		return false;
	route.has_gateway = attrs[RTA_GATEWAY] || attrs[RTA_VIA];
	if (route.has_gateway && !parse_gateway(body, attrs, &route.gateway))
		return false;
	*ret_route = route;
	return true;
}

struct nl_msg *verbs_neigh_msg_entry(const struct verbs_neigh_addr *addr,
				     uint32_t ifindex, bool dump)
{
	struct ndmsg body = { .ndm_family = (uint8_t)addr->family };
	struct nl_msg *msg;

	if (dump)
		return new_request(RTM_GETNEIGH, NLM_F_DUMP, &body,
				   sizeof(body));

	body.ndm_ifindex = (int)ifindex;
	msg = new_request(RTM_GETNEIGH, 0, &body, sizeof(body));
	if (msg && !put_addr(msg, NDA_DST, addr)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

bool verbs_neigh_msg_parse_entry(struct nlmsghdr *header,
				 const struct verbs_neigh_addr *addr,
				 uint32_t ifindex,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	struct nlattr *attrs[NDA_MAX + 1];
	struct verbs_neigh_addr entry;
	const struct ndmsg *body;

	if (!parse_message(header, RTM_NEWNEIGH, sizeof(*body), attrs, NDA_MAX))
		return false;
	body = nlmsg_data(header);

	if ((uint32_t)body->ndm_ifindex != ifindex ||
	    !(body->ndm_state & NUD_USABLE) ||
	    !addr_from_attr(body->ndm_family, attrs[NDA_DST], &entry) ||
	    !verbs_neigh_addr_equal(&entry, addr))
		return false;
	if (!attrs[NDA_LLADDR] ||
	    nla_len(attrs[NDA_LLADDR]) != VERBS_NEIGH_MAC_LEN)
		return false;
	memcpy(ret_mac, nla_data(attrs[NDA_LLADDR]), VERBS_NEIGH_MAC_LEN);
	return true;
}

struct nl_msg *verbs_neigh_msg_link(uint32_t ifindex)
{
	struct ifinfomsg body = { .ifi_index = (int)ifindex };

	return new_request(RTM_GETLINK, 0, &body, sizeof(body));
}

/* The id of a VLAN interface is in the part that depends on the kind. */
static uint16_t parse_vlan(struct nlattr *link_info)
{
	struct nlattr *info[IFLA_INFO_MAX + 1];
	struct nlattr *data[IFLA_VLAN_MAX + 1];
	uint16_t vlan;

	if (!link_info ||
	    nla_parse_nested(info, IFLA_INFO_MAX, link_info, NULL) != 0 ||
	    !info[IFLA_INFO_KIND] || !info[IFLA_INFO_DATA] ||
	    nla_strcmp(info[IFLA_INFO_KIND], "vlan") != 0)
		return VERBS_NEIGH_NO_VLAN;
	if (nla_parse_nested(data, IFLA_VLAN_MAX, info[IFLA_INFO_DATA], NULL) !=
		    0 ||
	    !data[IFLA_VLAN_ID] || nla_len(data[IFLA_VLAN_ID]) != sizeof(vlan))
		return VERBS_NEIGH_NO_VLAN;
	memcpy(&vlan, nla_data(data[IFLA_VLAN_ID]), sizeof(vlan));
	return vlan;
}

bool verbs_neigh_msg_parse_link(struct nlmsghdr *header,
				struct verbs_neigh_link *ret_link)
{
	struct verbs_neigh_link link = {};
	struct nlattr *attrs[IFLA_MAX + 1];
	const struct nlattr *mac;

	if (!parse_message(header, RTM_NEWLINK, sizeof(struct ifinfomsg), attrs,
			   IFLA_MAX))
		return false;

	mac = attrs[IFLA_ADDRESS];
	link.has_mac = mac && nla_len(mac) == sizeof(link.mac);
	if (link.has_mac)
		memcpy(link.mac, nla_data(mac), sizeof(link.mac));
	link.vlan = parse_vlan(attrs[IFLA_LINKINFO]);
	*ret_link = link;
	return true;
}
