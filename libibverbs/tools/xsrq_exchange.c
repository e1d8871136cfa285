// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exchange of addresses over TCP: see xsrq.h. A client connects and sends its
 * address; the server responds with its address for this client. At the end,
 * each client sends "END", and the server responds with "END" when all clients
 * have sent it. An address is 66 bytes: "LID:receiving QPN:sending
 * QPN:PSN:SRQN:GID" in hexadecimal digits with leading zeroes and a terminating
 * NUL. rdma-core's program uses the same format.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/tool_tcp.h"
#include "tools/xsrq.h"

#define XSRQ_ADDRESS_SIZE                          \
	sizeof("0000:000000:000000:000000:000000:" \
	       "00000000000000000000000000000000")
static const char xsrq_end_message[] = "END";

static void xsrq_print_address(const char *title,
			       const struct xsrq_address *address)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, address->gid.raw, gid, sizeof(gid));
	printf("%8s: LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, "
	       "GID %s\n",
	       title, address->lid, address->receive_qpn, address->send_qpn,
	       address->psn, address->srqn, gid);
}

static int xsrq_send_address(struct xsrq_peer *peer)
{
	const struct xsrq_address *address = &peer->local;
	char text[XSRQ_ADDRESS_SIZE], gid[TOOL_GID_DIGITS + 1];
	int ret;

	tool_gid_format(&address->gid, gid);
	snprintf(text, sizeof(text), "%04x:%06x:%06x:%06x:%06x:%s",
		 address->lid, address->receive_qpn & 0xffffff,
		 address->send_qpn & 0xffffff, address->psn & 0xffffff,
		 address->srqn & 0xffffff, gid);
	ret = tool_tcp_send(peer->fd, text, sizeof(text));
	if (ret)
		fprintf(stderr, "Couldn't send local address: %s\n",
			strerror(-ret));
	else
		xsrq_print_address("local", address);
	return ret;
}

static int xsrq_receive_address(struct xsrq_peer *peer)
{
	struct xsrq_address *address = &peer->remote;
	char text[XSRQ_ADDRESS_SIZE], gid[TOOL_GID_DIGITS + 1];
	unsigned int lid;
	int ret = tool_tcp_receive(peer->fd, text, sizeof(text));

	if (ret) {
		fprintf(stderr, "Couldn't read remote address: %s\n",
			strerror(-ret));
		return ret;
	}
	if (strnlen(text, sizeof(text)) == sizeof(text) ||
	    sscanf(text, "%4x:%6x:%6x:%6x:%6x:%32s", &lid,
		   &address->receive_qpn, &address->send_qpn, &address->psn,
		   &address->srqn, gid) != 6 ||
	    tool_gid_parse(gid, &address->gid) != 0) {
		fprintf(stderr, "Couldn't read remote address: invalid format. "
				"Run the same program on both sides\n");
		return -EPROTO;
	}
	address->lid = lid;
	xsrq_print_address("remote", address);
	return 0;
}

static int xsrq_exchange_with_server(struct xsrq_session *session)
{
	const struct xsrq_options *options = session->options;
	struct xsrq_peer *peer = session->peers;
	int ret;

	peer->fd = tool_tcp_connect(options->host, options->tcp_port);
	if (peer->fd < 0)
		return peer->fd;
	ret = xsrq_send_address(peer);
	if (ret == 0)
		ret = xsrq_receive_address(peer);
	if (ret == 0)
		ret = xsrq_connect_peer(session, peer);
	return ret;
}

static int xsrq_exchange_with_clients(struct xsrq_session *session)
{
	int listener = tool_tcp_listen(session->options->tcp_port);
	int ret = listener < 0 ? listener : 0;

	for (uint32_t i = 0; i < session->options->clients && ret == 0; i++) {
		struct xsrq_peer *peer = &session->peers[i];

		peer->fd = tool_tcp_accept(listener);
		if (peer->fd < 0)
			ret = peer->fd;
		if (ret == 0)
			ret = xsrq_receive_address(peer);
		if (ret == 0)
			ret = xsrq_connect_peer(session, peer);
		if (ret == 0)
			ret = xsrq_send_address(peer);
	}
	if (listener >= 0)
		tool_tcp_close(listener);
	return ret;
}

int xsrq_exchange_addresses(struct xsrq_session *session)
{
	return session->options->host ? xsrq_exchange_with_server(session)
				      : xsrq_exchange_with_clients(session);
}

static int xsrq_send_end(struct xsrq_peer *peer)
{
	int ret = tool_tcp_send(peer->fd, xsrq_end_message,
				sizeof(xsrq_end_message));

	if (ret)
		fprintf(stderr, "Couldn't send termination ack: %s\n",
			strerror(-ret));
	return ret;
}

static int xsrq_receive_end(struct xsrq_peer *peer)
{
	char word[sizeof(xsrq_end_message)];
	int ret = tool_tcp_receive(peer->fd, word, sizeof(word));

	if (ret == 0 &&
	    memcmp(word, xsrq_end_message, sizeof(xsrq_end_message)) != 0)
		ret = -EPROTO;
	if (ret)
		fprintf(stderr, "Couldn't read remote termination ack: %s\n",
			strerror(-ret));
	return ret;
}

int xsrq_exchange_end(struct xsrq_session *session)
{
	uint32_t clients = session->options->clients;
	int ret = 0;

	if (session->options->host) {
		ret = xsrq_send_end(session->peers);
		return ret ? ret : xsrq_receive_end(session->peers);
	}
	/*
	 * no client may exit while a message to or from another client may be
	 * in flight
	 */
	for (uint32_t i = 0; i < clients && ret == 0; i++)
		ret = xsrq_receive_end(&session->peers[i]);
	for (uint32_t i = 0; i < clients && ret == 0; i++)
		ret = xsrq_send_end(&session->peers[i]);
	return ret;
}
