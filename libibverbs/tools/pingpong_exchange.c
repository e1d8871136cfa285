// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exchange of addresses over TCP: see pingpong.h. The client connects and sends
 * its addresses. The server connects its queue pairs and sends its own
 * addresses. The client then sends "done". An address is 52 bytes:
 * "LID:QPN:PSN:GID" in hexadecimal digits with leading zeroes and a terminating
 * NUL. rdma-core's programs use the same format.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pingpong.h"
#include "tools/tool_tcp.h"

#define PP_ADDRESS_SIZE \
	sizeof("0000:000000:000000:00000000000000000000000000000000")
static const char pp_done_message[] = "done";

static void pp_address_format(const struct pp_address *address, char *text)
{
	char gid[TOOL_GID_DIGITS + 1];

	tool_gid_format(&address->gid, gid);
	snprintf(text, PP_ADDRESS_SIZE, "%04x:%06x:%06x:%s", address->lid,
		 address->qpn & 0xffffff, address->psn & 0xffffff, gid);
}

static int pp_address_parse(const char *text, struct pp_address *ret_address)
{
	unsigned int lid, qpn, psn;
	char gid[TOOL_GID_DIGITS + 1];

	if (strnlen(text, PP_ADDRESS_SIZE) == PP_ADDRESS_SIZE ||
	    sscanf(text, "%4x:%6x:%6x:%32s", &lid, &qpn, &psn, gid) != 4 ||
	    tool_gid_parse(gid, &ret_address->gid) != 0) {
		fprintf(stderr, "Couldn't read remote address: invalid format. "
				"Run the same program on both sides\n");
		return -EPROTO;
	}
	ret_address->lid = lid;
	ret_address->qpn = qpn;
	ret_address->psn = psn;
	return 0;
}

static int pp_send_addresses(int fd, struct pp_session *session)
{
	uint32_t count = session->kind->nr_addresses;
	char *text = calloc(count, PP_ADDRESS_SIZE);
	int ret;

	if (!text)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		pp_address_format(&session->local[i],
				  text + i * PP_ADDRESS_SIZE);
	ret = tool_tcp_send(fd, text, count * PP_ADDRESS_SIZE);
	if (ret)
		fprintf(stderr, "Couldn't send local address: %s\n",
			strerror(-ret));
	free(text);
	return ret;
}

static int pp_receive_addresses(int fd, struct pp_session *session)
{
	char text[PP_ADDRESS_SIZE];

	for (uint32_t i = 0; i < session->kind->nr_addresses; i++) {
		int ret = tool_tcp_receive(fd, text, sizeof(text));

		if (ret) {
			fprintf(stderr, "Couldn't read remote address: %s\n",
				strerror(-ret));
			return ret;
		}
		ret = pp_address_parse(text, &session->remote[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int pp_exchange_as_client(int fd, struct pp_session *session,
				 pp_ready_fn ready)
{
	int ret = pp_send_addresses(fd, session);

	if (ret == 0)
		ret = pp_receive_addresses(fd, session);
	if (ret == 0)
		ret = tool_tcp_send(fd, pp_done_message,
				    sizeof(pp_done_message));
	return ret ? ret : ready(session);
}

static int pp_exchange_as_server(int fd, struct pp_session *session,
				 pp_ready_fn ready)
{
	char word[sizeof(pp_done_message)];
	int ret = pp_receive_addresses(fd, session);

	if (ret == 0)
		ret = ready(session);
	if (ret == 0)
		ret = pp_send_addresses(fd, session);
	if (ret)
		return ret;
	ret = tool_tcp_receive(fd, word, sizeof(word));
	if (ret)
		fprintf(stderr, "The client closed the connection: %s\n",
			strerror(-ret));
	return ret;
}

int pp_exchange_addresses(struct pp_session *session, pp_ready_fn ready)
{
	const struct pp_options *options = session->options;
	int ret, fd;

	if (options->host) {
		fd = tool_tcp_connect(options->host, options->tcp_port);
		if (fd < 0)
			return fd;
		ret = pp_exchange_as_client(fd, session, ready);
	} else {
		int listener = tool_tcp_listen(options->tcp_port);

		if (listener < 0)
			return listener;
		fd = tool_tcp_accept(listener);
		tool_tcp_close(listener);
		if (fd < 0)
			return fd;
		ret = pp_exchange_as_server(fd, session, ready);
	}
	tool_tcp_close(fd);
	return ret;
}
