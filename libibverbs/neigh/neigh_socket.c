/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends the requests that neigh_msg.c builds and passes the responses to its
 * parsers: see neigh/neigh_socket.h. A request and its response are two system
 * calls; a dump takes one more for each further datagram.
 */
#include "neigh/neigh_socket.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/netlink.h>
#include <string.h>

/* A table that changes during so many dumps in a row is not reliable. */
#define NEIGH_MAX_DUMPS 10

static int neigh_errno_from_nl(int nl_err)
{
	switch (-nl_err) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOACCESS:
		return -EACCES;
	case NLE_AF_NOSUPPORT:
	case NLE_PROTO_MISMATCH:
		return -EAFNOSUPPORT;
	default:
		return -EIO;
	}
}

int verbs_neigh_socket_new(struct nl_sock **ret_socket)
{
	struct nl_sock *socket = nl_socket_alloc();
	int err;

	if (!socket)
		return -ENOMEM;

	/*
	 * Requests do not overlap, so a response needs neither an
	 * acknowledgement nor a sequence number. All responses fit libnl's
	 * buffer, so the system call that looks at their length first is
	 * unnecessary.
	 */
	nl_socket_disable_auto_ack(socket);
	nl_socket_disable_seq_check(socket);
	nl_socket_disable_msg_peek(socket);

	err = nl_connect(socket, NETLINK_ROUTE); /* with SOCK_CLOEXEC */
	if (err) {
		nl_socket_free(socket);
		return neigh_errno_from_nl(err);
	}
	*ret_socket = socket;
	return 0;
}

static int neigh_request_once(struct nl_sock *socket, struct nl_msg *msg,
			      nl_recvmsg_msg_cb_t parse, void *arg)
{
	struct nl_cb *callbacks;
	int err;

	callbacks = nl_cb_alloc(NL_CB_DEFAULT);
	if (!callbacks)
		return -NLE_NOMEM;
	(void)nl_cb_set(callbacks, NL_CB_VALID, NL_CB_CUSTOM, parse,
			arg); /* fails only for an invalid callback kind */

	err = nl_send_auto(socket, msg);
	if (err >= 0)
		err = nl_recvmsgs(socket, callbacks);
	nl_cb_put(callbacks);
	return err;
}

/*
 * Sends and frees @msg and passes each response to @parse. Repeats a dump
 * during which the table changed. Returns -NLE_*.
 */
static int neigh_request(struct nl_sock *socket, struct nl_msg *msg,
			 nl_recvmsg_msg_cb_t parse, void *arg)
{
	int err = -NLE_NOMEM;

	if (!msg)
		return err;
	for (int i = 0; i < NEIGH_MAX_DUMPS; i++) {
		err = neigh_request_once(socket, msg, parse, arg);
		if (err != -NLE_DUMP_INTR)
			break;
	}
	nlmsg_free(msg);
	return err;
}

struct owner_search {
	const struct verbs_neigh_addr *addr;
	uint32_t preferred;
	uint32_t ifindex; /* 0 until an owner is found */
};

static int neigh_on_addr(struct nl_msg *msg, void *arg)
{
	struct owner_search *search = arg;
	struct verbs_neigh_addr addr;
	uint32_t ifindex;

	if (verbs_neigh_msg_parse_addr(msg, &addr, &ifindex) &&
	    verbs_neigh_addr_equal(&addr, search->addr) &&
	    (!search->ifindex || ifindex == search->preferred))
		search->ifindex = ifindex;
	return NL_OK;
}

int verbs_neigh_socket_find_owner(struct nl_sock *socket,
				  const struct verbs_neigh_addr *addr,
				  uint32_t preferred, uint32_t *ret_ifindex)
{
	struct owner_search search = { .addr = addr, .preferred = preferred };
	int err = neigh_request(socket,
				verbs_neigh_msg_request_addrs(addr->family),
				neigh_on_addr, &search);

	if (err < 0)
		return neigh_errno_from_nl(err);
	if (!search.ifindex)
		return -ENODEV;
	*ret_ifindex = search.ifindex;
	return 0;
}

struct route_response {
	bool found;
	struct verbs_neigh_route route;
};

static int neigh_on_route(struct nl_msg *msg, void *arg)
{
	struct route_response *response = arg;

	if (verbs_neigh_msg_parse_route(msg, &response->route))
		response->found = true;
	return NL_OK;
}

int verbs_neigh_socket_get_route(struct nl_sock *socket,
				 const struct verbs_neigh_addr *dst,
				 uint32_t ifindex,
				 struct verbs_neigh_route *ret_route)
{
	struct route_response response = {};
	int err = neigh_request(socket,
				verbs_neigh_msg_request_route(dst, ifindex),
				neigh_on_route, &response);

	if (err == -NLE_NOMEM)
		return -ENOMEM;
	if (err < 0 || !response.found)
		return -EHOSTUNREACH;
	*ret_route = response.route;
	return 0;
}

struct neigh_search {
	const struct verbs_neigh_addr *addr;
	uint32_t ifindex;
	bool found;
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
};

static int neigh_on_neigh(struct nl_msg *msg, void *arg)
{
	struct neigh_search *search = arg;

	if (verbs_neigh_msg_parse_neigh(msg, search->addr, search->ifindex,
					search->mac))
		search->found = true;
	return NL_OK;
}

int verbs_neigh_socket_get_neigh(struct nl_sock *socket,
				 const struct verbs_neigh_addr *addr,
				 uint32_t ifindex,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	struct neigh_search search = { .addr = addr, .ifindex = ifindex };
	int err;

	err = neigh_request(socket,
			    verbs_neigh_msg_request_neigh(addr, ifindex, false),
			    neigh_on_neigh, &search);
	if (err == -NLE_OPNOTSUPP) /* before Linux 5.0 */
		err = neigh_request(
			socket,
			verbs_neigh_msg_request_neigh(addr, ifindex, true),
			neigh_on_neigh, &search);

	if (err == -NLE_NOMEM)
		return -ENOMEM;
	if (err < 0 || !search.found)
		return -EHOSTUNREACH;
	memcpy(ret_mac, search.mac, sizeof(search.mac));
	return 0;
}

struct link_response {
	bool found;
	struct verbs_neigh_link link;
};

static int neigh_on_link(struct nl_msg *msg, void *arg)
{
	struct link_response *response = arg;

	if (verbs_neigh_msg_parse_link(msg, &response->link))
		response->found = true;
	return NL_OK;
}

int verbs_neigh_socket_get_link(struct nl_sock *socket, uint32_t ifindex,
				struct verbs_neigh_link *ret_link)
{
	struct link_response response = {};
	int err = neigh_request(socket, verbs_neigh_msg_request_link(ifindex),
				neigh_on_link, &response);

	if (err == -NLE_NOMEM)
		return -ENOMEM;
	if (err < 0 || !response.found)
		return -EHOSTUNREACH;
	*ret_link = response.link;
	return 0;
}
