/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of sockets. Sizes of buffers and queues are used when the connection
 * is made, and then no longer change. Options of TCP that have no meaning for
 * RDMA are stored, so that a program reads what it has set.
 */
#include "rsocket/socket_option.h"

#include "rsocket/rsocket_config.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/rsocket.h>
#include <string.h>

#define OPTION_MAX_INLINE 256

/* Values of different levels in one number */
#define OPTION(level, name) \
	((uint64_t)(uint32_t)(level) << 32 | (uint32_t)(name))

static bool has_resources(const struct rsocket *socket)
{
	return socket->state != RSOCKET_NEW && socket->state != RSOCKET_BOUND &&
	       socket->state != RSOCKET_LISTENING;
}

/* Linux doubles the value for its own needs, and programs expect that. */
static int option_set_buffer(const struct rsocket *socket, int value,
			     uint32_t *len)
{
	uint32_t wanted = (uint32_t)value;

	if (has_resources(socket) || value < 0)
		return -EINVAL;
	if (wanted > RSOCKET_MAX_BUFFER / 2)
		wanted = RSOCKET_MAX_BUFFER / 2;
	*len = rsocket_size_clamp(wanted * 2, RSOCKET_MIN_BUFFER,
				  RSOCKET_MAX_BUFFER);
	return 0;
}

static int option_set_rdma(struct rsocket *socket, int name, int value)
{
	struct rsocket_options *options = &socket->options;

	if (has_resources(socket) || value < 0)
		return -EINVAL;
	switch (name) {
	case RDMA_SQSIZE:
		options->nr_sends = rsocket_size_clamp(
			(uint32_t)value, RSOCKET_MIN_QUEUE, RSOCKET_MAX_QUEUE);
		return 0;
	case RDMA_RQSIZE:
		options->nr_recvs = rsocket_size_clamp(
			(uint32_t)value, RSOCKET_MIN_QUEUE, RSOCKET_MAX_QUEUE);
		return 0;
	case RDMA_INLINE:
		options->max_inline = rsocket_size_clamp((uint32_t)value, 0,
							 OPTION_MAX_INLINE);
		return 0;
	case RDMA_IOMAPSIZE:
		options->nr_iomaps = stream_iomaps_round((uint32_t)value);
		return 0;
	default:
		return -ENOTSUP;
	}
}

static int option_set_id(struct rsocket *socket, int name, void *value,
			 size_t len)
{
	return rdma_set_option(socket->id, RDMA_OPTION_ID, name, value, len) ==
			       0
		       ? 0
		       : -errno;
}

static int option_set_reuse(struct rsocket *socket, int value)
{
	int ret = option_set_id(socket, RDMA_OPTION_ID_REUSEADDR, &value,
				sizeof(value));

	/* It makes no difference for a socket that has its address. */
	if (ret && socket->state == RSOCKET_NEW)
		return ret;
	socket->options.reuses_address = value != 0;
	return 0;
}

static int option_set_ipv6_only(struct rsocket *socket, int value)
{
	int ret = option_set_id(socket, RDMA_OPTION_ID_AFONLY, &value,
				sizeof(value));

	if (!ret)
		socket->options.is_ipv6_only = value != 0;
	return ret;
}

static int option_set_traffic_class(struct rsocket *socket, int value)
{
	uint8_t tos = (uint8_t)value;
	int ret;

	if (value < 0 || value > UINT8_MAX)
		return -EINVAL;
	ret = option_set_id(socket, RDMA_OPTION_ID_TOS, &tos, sizeof(tos));
	if (!ret)
		socket->options.tos = value;
	return ret;
}

static int option_store_positive(int value, int *ret_value)
{
	if (value <= 0)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

static int option_set_number(struct rsocket *socket, int level, int name,
			     int value)
{
	struct rsocket_options *options = &socket->options;

	switch (OPTION(level, name)) {
	case OPTION(SOL_SOCKET, SO_REUSEADDR):
		return option_set_reuse(socket, value);
	case OPTION(SOL_SOCKET, SO_RCVBUF):
		return option_set_buffer(socket, value, &options->recv_len);
	case OPTION(SOL_SOCKET, SO_SNDBUF):
		return option_set_buffer(socket, value, &options->send_len);
	case OPTION(SOL_SOCKET, SO_KEEPALIVE):
		options->keeps_alive = value != 0;
		return 0;
	case OPTION(SOL_SOCKET, SO_OOBINLINE):
		options->has_inline_oob = value != 0;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_NODELAY):
		options->has_no_delay = value != 0;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_KEEPIDLE):
		return option_store_positive(value, &options->keep_idle);
	case OPTION(IPPROTO_TCP, TCP_KEEPCNT):
		return option_store_positive(value, &options->keep_count);
	case OPTION(IPPROTO_TCP, TCP_KEEPINTVL):
		return option_store_positive(value, &options->keep_interval);
	case OPTION(IPPROTO_TCP, TCP_MAXSEG):
		return option_store_positive(value, &options->max_segment);
	case OPTION(IPPROTO_IP, IP_TOS):
		return option_set_traffic_class(socket, value);
	case OPTION(IPPROTO_IPV6, IPV6_V6ONLY):
		return option_set_ipv6_only(socket, value);
	default:
		return -ENOTSUP;
	}
}

int socket_option_set_locked(struct rsocket *socket, int level, int name,
			     const void *value, socklen_t len)
{
	int number;

	if (level == SOL_SOCKET && name == SO_LINGER) {
		if (len < sizeof(struct linger))
			return -EINVAL;
		memcpy(socket->options.linger, value, sizeof(struct linger));
		return 0;
	}
	/* The protocol has its own congestion control. */
	if (level == IPPROTO_TCP && name == TCP_CONGESTION)
		return 0;
	/* A path of InfiniBand has no meaning on RoCE. */
	if (level == SOL_RDMA && name == RDMA_ROUTE)
		return -ENOTSUP;
	if (len < sizeof(number))
		return -EINVAL;
	memcpy(&number, value, sizeof(number));
	if (level == SOL_RDMA)
		return option_set_rdma(socket, name, number);
	return option_set_number(socket, level, name, number);
}

/* SO_ERROR reports an error once. */
static int option_take_error(struct rsocket *socket)
{
	int error = -socket->error;

	if (!error)
		error = -socket->flow.error;
	socket->error = 0;
	return error;
}

static int option_get_rdma(const struct rsocket *socket, int name,
			   int *ret_number)
{
	const struct rsocket_options *options = &socket->options;

	switch (name) {
	case RDMA_SQSIZE:
		*ret_number = (int)options->nr_sends;
		return 0;
	case RDMA_RQSIZE:
		*ret_number = (int)options->nr_recvs;
		return 0;
	case RDMA_INLINE:
		*ret_number = (int)options->max_inline;
		return 0;
	case RDMA_IOMAPSIZE:
		*ret_number = (int)options->nr_iomaps;
		return 0;
	default:
		return -ENOTSUP;
	}
}

static int option_get_number(struct rsocket *socket, int level, int name,
			     int *ret_number)
{
	const struct rsocket_options *options = &socket->options;

	switch (OPTION(level, name)) {
	case OPTION(SOL_SOCKET, SO_ERROR):
		*ret_number = option_take_error(socket);
		return 0;
	case OPTION(SOL_SOCKET, SO_TYPE):
		*ret_number = SOCK_STREAM;
		return 0;
	case OPTION(SOL_SOCKET, SO_DOMAIN):
		*ret_number = socket->domain;
		return 0;
	case OPTION(SOL_SOCKET, SO_PROTOCOL):
		*ret_number = IPPROTO_TCP;
		return 0;
	case OPTION(SOL_SOCKET, SO_ACCEPTCONN):
		*ret_number = socket->state == RSOCKET_LISTENING;
		return 0;
	case OPTION(SOL_SOCKET, SO_BROADCAST):
		*ret_number = 0;
		return 0;
	case OPTION(SOL_SOCKET, SO_REUSEADDR):
		*ret_number = options->reuses_address;
		return 0;
	case OPTION(SOL_SOCKET, SO_RCVBUF):
		*ret_number = (int)options->recv_len;
		return 0;
	case OPTION(SOL_SOCKET, SO_SNDBUF):
		*ret_number = (int)options->send_len;
		return 0;
	case OPTION(SOL_SOCKET, SO_KEEPALIVE):
		*ret_number = options->keeps_alive;
		return 0;
	case OPTION(SOL_SOCKET, SO_OOBINLINE):
		*ret_number = options->has_inline_oob;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_NODELAY):
		*ret_number = options->has_no_delay;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_KEEPIDLE):
		*ret_number = options->keep_idle;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_KEEPCNT):
		*ret_number = options->keep_count;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_KEEPINTVL):
		*ret_number = options->keep_interval;
		return 0;
	case OPTION(IPPROTO_TCP, TCP_MAXSEG):
		*ret_number = options->max_segment ? options->max_segment
						   : STREAM_MAX_MESSAGE;
		return 0;
	case OPTION(IPPROTO_IP, IP_TOS):
		*ret_number = options->tos;
		return 0;
	case OPTION(IPPROTO_IPV6, IPV6_V6ONLY):
		*ret_number = options->is_ipv6_only;
		return 0;
	default:
		return -ENOTSUP;
	}
}

static void option_fill_tcp_info(const struct rsocket *socket, void *value,
				 socklen_t *len)
{
	struct tcp_info info = {
		.tcpi_state = TCP_CLOSE,
		.tcpi_snd_mss = STREAM_MAX_MESSAGE,
		.tcpi_rcv_mss = STREAM_MAX_MESSAGE,
	};

	if (socket->state == RSOCKET_LISTENING)
		info.tcpi_state = TCP_LISTEN;
	else if (socket->state == RSOCKET_CONNECTED && !socket->has_cm_end)
		info.tcpi_state = TCP_ESTABLISHED;
	if (*len > sizeof(info))
		*len = sizeof(info);
	memcpy(value, &info, *len);
}

int socket_option_get_locked(struct rsocket *socket, int level, int name,
			     void *value, socklen_t *len)
{
	int number;
	int ret;

	if (level == SOL_SOCKET && name == SO_LINGER) {
		if (*len < sizeof(struct linger))
			return -EINVAL;
		memcpy(value, socket->options.linger, sizeof(struct linger));
		*len = sizeof(struct linger);
		return 0;
	}
	if (level == IPPROTO_TCP && name == TCP_INFO) {
		option_fill_tcp_info(socket, value, len);
		return 0;
	}
	if (*len < sizeof(number))
		return -EINVAL;
	ret = level == SOL_RDMA
		      ? option_get_rdma(socket, name, &number)
		      : option_get_number(socket, level, name, &number);
	if (ret)
		return ret;
	memcpy(value, &number, sizeof(number));
	*len = sizeof(number);
	return 0;
}
