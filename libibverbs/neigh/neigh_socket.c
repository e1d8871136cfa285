/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends what neigh_msg.c builds and feeds its parsers: see
 * neigh/neigh_socket.h. A request and its answer are two system calls; a dump
 * takes as many more as it has pieces.
 */
#include "neigh/neigh_socket.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/netlink.h>
#include <string.h>

/* An address table that changes during so many dumps is none to rely on. */
#define MAX_DUMPS 10

static int errno_from_nl(int nl_err)
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
	 * Nobody else sends to this socket and questions do not overlap, so an
	 * answer needs neither an acknowledgement nor a sequence number.
	 */
	nl_socket_disable_auto_ack(socket);
	nl_socket_disable_seq_check(socket);
	nl_socket_disable_msg_peek(socket);

	err = nl_connect(socket, NETLINK_ROUTE); /* with SOCK_CLOEXEC */
	if (err) {
		nl_socket_free(socket);
		return errno_from_nl(err);
	}
	*ret_socket = socket;
	return 0;
}

static int ask_once(struct nl_sock *socket, struct nl_msg *msg,
		    nl_recvmsg_msg_cb_t parse, void *arg)
{
	struct nl_cb *callbacks;
	int err;

	callbacks = nl_cb_alloc(NL_CB_DEFAULT);
	if (!callbacks)
		return -NLE_NOMEM;
	(void)nl_cb_set(callbacks, NL_CB_VALID, NL_CB_CUSTOM, parse,
			arg); /* fails on a wrong kind only */

	err = nl_send_auto(socket, msg);
	if (err >= 0)
		err = nl_recvmsgs(socket, callbacks);
	nl_cb_put(callbacks);
	return err;
}

/*
 * Sends and frees @msg; hands each answer to @parse. A dump in which something
 * changed is taken again. Returns -NLE_*.
 */
static int ask(struct nl_sock *socket, struct nl_msg *msg,
	       nl_recvmsg_msg_cb_t parse, void *arg)
{
	int err = -NLE_NOMEM;

	if (!msg)
		return err;
	for (int i = 0; i < MAX_DUMPS; i++) {
		err = ask_once(socket, msg, parse, arg);
		if (err != -NLE_DUMP_INTR)
			break;
	}
	nlmsg_free(msg);
	return err;
}

struct owner_search {
	const struct verbs_neigh_addr *addr;
	uint32_t preferred;
	uint32_t ifindex; /* 0 until one is found */
};

static int on_addr(struct nl_msg *msg, void *arg)
{
	struct owner_search *search = arg;
	struct verbs_neigh_addr addr;
	uint32_t ifindex;

	if (verbs_neigh_msg_parse_addr(nlmsg_hdr(msg), &addr, &ifindex) &&
	    verbs_neigh_addr_equal(&addr, search->addr) &&
	    (!search->ifindex || ifindex == search->preferred))
		search->ifindex = ifindex;
	return NL_OK;
}

int verbs_neigh_socket_owner(struct nl_sock *socket,
			     const struct verbs_neigh_addr *addr,
			     uint32_t preferred, uint32_t *ret_ifindex)
{
	struct owner_search search = { .addr = addr, .preferred = preferred };
	int err = ask(socket, verbs_neigh_msg_addrs(addr->family), on_addr,
		      &search);

	if (err < 0)
		return errno_from_nl(err);
	if (!search.ifindex)
		return -ENODEV;
	*ret_ifindex = search.ifindex;
	return 0;
}

struct route_answer {
	bool found;
	struct verbs_neigh_route route;
};

static int on_route(struct nl_msg *msg, void *arg)
{
	struct route_answer *answer = arg;

	if (verbs_neigh_msg_parse_route(nlmsg_hdr(msg), &answer->route))
		answer->found = true;
	return NL_OK;
}

int verbs_neigh_socket_route(struct nl_sock *socket,
			     const struct verbs_neigh_addr *dst,
			     uint32_t ifindex,
			     struct verbs_neigh_route *ret_route)
{
	struct route_answer answer = {};
	int err = ask(socket, verbs_neigh_msg_route(dst, ifindex), on_route,
		      &answer);

	if (err == -NLE_NOMEM)
		return -ENOMEM;
	if (err < 0 || !answer.found)
		return -EHOSTUNREACH;
	*ret_route = answer.route;
	return 0;
}

struct entry_search {
	const struct verbs_neigh_addr *addr;
	uint32_t ifindex;
	bool found;
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
};

static int on_entry(struct nl_msg *msg, void *arg)
{
	struct entry_search *search = arg;

	if (verbs_neigh_msg_parse_entry(nlmsg_hdr(msg), search->addr,
					search->ifindex, search->mac))
		search->found = true;
	return NL_OK;
}

int verbs_neigh_socket_entry(struct nl_sock *socket,
			     const struct verbs_neigh_addr *addr,
			     uint32_t ifindex,
			     uint8_t ret_mac[VERBS_NEIGH_MAC_LEN])
{
	struct entry_search search = { .addr = addr, .ifindex = ifindex };
	int err;

	err = ask(socket, verbs_neigh_msg_entry(addr, ifindex, false), on_entry,
		  &search);
	if (err == -NLE_OPNOTSUPP) /* before Linux 5.0 */
		err = ask(socket, verbs_neigh_msg_entry(addr, ifindex, true),
			  on_entry, &search);

	if (err == -NLE_NOMEM)
		return -ENOMEM;
	if (err < 0 || !search.found)
		return -EHOSTUNREACH;
	memcpy(ret_mac, search.mac, sizeof(search.mac));
	return 0;
}

struct link_answer {
	bool found;
	struct verbs_neigh_link link;
};

static int on_link(struct nl_msg *msg, void *arg)
{
	struct link_answer *answer = arg;

	if (verbs_neigh_msg_parse_link(nlmsg_hdr(msg), &answer->link))
		answer->found = true;
	return NL_OK;
}

int verbs_neigh_socket_link(struct nl_sock *socket, uint32_t ifindex,
			    struct verbs_neigh_link *ret_link)
{
	struct link_answer answer = {};
	int err = ask(socket, verbs_neigh_msg_link(ifindex), on_link, &answer);

	if (err == -NLE_NOMEM)
		return -ENOMEM;
	if (err < 0 || !answer.found)
		return -EHOSTUNREACH;
	*ret_link = answer.link;
	return 0;
}
