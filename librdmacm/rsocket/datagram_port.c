/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A UD queue pair with its memory: a slot for each receive, in which the GRH
 * comes first, and a slot for each send. A received message stays in its slot
 * until the application has read it.
 */
#include "rsocket/datagram_port.h"

#include "api/ip_address.h"
#include "api/ip_route.h"
#include "rsocket/datagram_queue.h"
#include "rsocket/rsocket_config.h"
#include "rsocket/socket_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define PORT_NR_COMPLETIONS 16
#define PORT_GRH_LEN	    40
#define PORT_RECV_LEN	    (PORT_GRH_LEN + DATAGRAM_MAX_LEN)

/* The bit of a work request id of a receive; the rest is a slot. */
#define PORT_RECV_BIT (1ull << 32)

uint32_t datagram_port_qpn(const struct datagram_port *port)
{
	return port->id->qp->qp_num;
}

int datagram_port_post_recv_locked(struct datagram_port *port, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)&port->recv[(size_t)slot * PORT_RECV_LEN],
		.length = PORT_RECV_LEN,
		.lkey = port->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = PORT_RECV_BIT | slot,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return -ibv_post_recv(port->id->qp, &wr, &bad);
}

static int port_open_memory(struct datagram_port *port)
{
	size_t recv_len = (size_t)port->nr_recvs * PORT_RECV_LEN;
	size_t len = recv_len + (size_t)port->nr_sends * DATAGRAM_MAX_LEN;
	void *bytes;

	port->free_sends = calloc(port->nr_sends, sizeof(*port->free_sends));
	if (!port->free_sends ||
	    posix_memalign(&bytes, (size_t)sysconf(_SC_PAGESIZE), len) != 0)
		return -ENOMEM;
	memset(bytes, 0, len);
	port->recv = bytes;
	port->send = &port->recv[recv_len];
	for (uint32_t i = 0; i < port->nr_sends; i++)
		port->free_sends[i] = i;
	port->nr_free_sends = port->nr_sends;
	port->mr = ibv_reg_mr(port->id->pd, bytes, len, IBV_ACCESS_LOCAL_WRITE);
	return port->mr ? 0 : -errno;
}

static int port_open_cq(struct datagram_port *port)
{
	struct ibv_context *context = port->id->verbs;
	int flags;

	port->channel = ibv_create_comp_channel(context);
	if (!port->channel)
		return -errno;
	flags = fcntl(port->channel->fd, F_GETFL);
	if (flags < 0 ||
	    fcntl(port->channel->fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return -errno;
	port->cq = ibv_create_cq(context,
				 (int)(port->nr_sends + port->nr_recvs), port,
				 port->channel, 0);
	return port->cq ? 0 : -errno;
}

static int port_open_qp(struct datagram_port *port,
			const struct rsocket_options *options)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = port->cq,
		.recv_cq = port->cq,
		.cap = { .max_send_wr = port->nr_sends,
			 .max_recv_wr = port->nr_recvs,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = options->max_inline },
		.qp_type = IBV_QPT_UD,
	};

	if (rdma_create_qp(port->id, NULL, &attr) != 0) {
		/* The device may have less inline data, or none. */
		attr.cap.max_inline_data = 0;
		if (rdma_create_qp(port->id, NULL, &attr) != 0)
			return -errno;
	}
	port->max_inline = attr.cap.max_inline_data;
	return 0;
}

static int port_choose_sizes(struct datagram_port *port,
			     const struct rsocket_options *options)
{
	struct ibv_device_attr device;
	struct ibv_port_attr attr;
	uint32_t max;
	int ret = ibv_query_device(port->id->verbs, &device);

	if (!ret)
		ret = ibv_query_port(port->id->verbs, port->id->port_num,
				     &attr);
	if (ret)
		return -ret;
	port->max_len = (size_t)128 << attr.active_mtu;
	if (port->max_len > DATAGRAM_MAX_LEN)
		port->max_len = DATAGRAM_MAX_LEN;
	max = rsocket_size_clamp((uint32_t)device.max_qp_wr, 1,
				 RSOCKET_MAX_QUEUE);
	port->nr_recvs = rsocket_size_clamp(options->nr_recvs, 1, max);
	port->nr_sends = rsocket_size_clamp(options->nr_sends, 1, max);
	return 0;
}

/* @address: local, with the port of the UDP socket */
static int port_open_id(struct rsocket *socket, struct datagram_port *port,
			const struct sockaddr *address)
{
	/* Nothing connects to the id, so it needs no port of its own choice. */
	struct sockaddr_storage local;

	if (rdma_create_id(socket->datagram->cm_channel, &port->id, NULL,
			   RDMA_PS_UDP) != 0)
		return -errno;
	ip_address_copy(&local, address);
	ip_address_set_port((struct sockaddr *)&local, 0);
	if (rdma_bind_addr(port->id, (struct sockaddr *)&local) != 0)
		return -errno;
	return port->id->verbs ? 0 : -ENODEV;
}

static int port_open(struct rsocket *socket, struct datagram_port *port,
		     const struct sockaddr *address)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ret = port_open_id(socket, port, address);

	if (!ret)
		ret = port_choose_sizes(port, &socket->options);
	if (!ret)
		ret = port_open_memory(port);
	if (!ret)
		ret = port_open_cq(port);
	if (!ret)
		ret = port_open_qp(port, &socket->options);
	for (uint32_t i = 0; !ret && i < port->nr_recvs; i++)
		ret = datagram_port_post_recv_locked(port, i);
	if (!ret && epoll_ctl(socket->datagram->epoll_fd, EPOLL_CTL_ADD,
			      port->channel->fd, &event) != 0)
		ret = -errno;
	if (ret)
		return ret;
	ip_address_copy(&port->address, address);
	port->header_len = datagram_ud_encode(address, port->header);
	return 0;
}

void datagram_port_free(struct datagram_port *port)
{
	if (port->id && port->id->qp)
		rdma_destroy_qp(port->id);
	if (port->cq)
		(void)ibv_destroy_cq(port->cq);
	if (port->channel)
		(void)ibv_destroy_comp_channel(port->channel);
	if (port->mr)
		(void)ibv_dereg_mr(port->mr);
	if (port->id)
		(void)rdma_destroy_id(port->id);
	free(port->recv);
	free(port->free_sends);
	free(port);
}

/* The address of the UDP socket, which gets a port if it has none. */
static int udp_address(const struct rsocket *socket,
		       struct sockaddr_storage *ret_address)
{
	struct sockaddr *address = (struct sockaddr *)ret_address;
	int udp_fd = socket->datagram->udp_fd;
	socklen_t len = sizeof(*ret_address);

	if (getsockname(udp_fd, address, &len) != 0)
		return -errno;
	if (ip_address_port(address))
		return 0;
	ip_address_set_any(ret_address, (sa_family_t)socket->domain);
	len = sizeof(*ret_address);
	if (bind(udp_fd, address, ip_address_size(address)) != 0 ||
	    getsockname(udp_fd, address, &len) != 0)
		return -errno;
	return 0;
}

int datagram_port_get_locked(struct rsocket *socket,
			     const struct sockaddr *peer,
			     struct datagram_port **ret_port)
{
	struct sockaddr_storage bound, address;
	struct datagram_port *port;
	struct list_node *node;
	int ret = udp_address(socket, &bound);

	if (!ret)
		ret = ip_route_source((struct sockaddr *)&bound, peer,
				      &address);
	if (ret)
		return ret;
	socket_name_unmap(&address);
	list_for_each (node, &socket->datagram->ports) {
		port = list_entry(node, struct datagram_port, node);
		if (ip_address_equal((struct sockaddr *)&port->address,
				     (struct sockaddr *)&address)) {
			*ret_port = port;
			return 0;
		}
	}
	ip_address_set_port((struct sockaddr *)&address,
			    ip_address_port((struct sockaddr *)&bound));
	port = calloc(1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	ret = port_open(socket, port, (struct sockaddr *)&address);
	if (ret) {
		datagram_port_free(port);
		return ret;
	}
	list_add_tail(&socket->datagram->ports, &port->node);
	*ret_port = port;
	return 0;
}

int datagram_port_send_locked(struct datagram_port *port,
			      const struct datagram_dest *dest,
			      struct io_cursor *cursor)
{
	uint32_t slot = port->free_sends[port->nr_free_sends - 1];
	uint8_t *bytes = &port->send[(size_t)slot * DATAGRAM_MAX_LEN];
	struct ibv_sge sge = {
		.addr = (uintptr_t)bytes,
		.length = (uint32_t)(port->header_len + cursor->left),
		.lkey = port->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = slot,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = dest->ah,
			   .remote_qpn = dest->qpn,
			   .remote_qkey = RDMA_UDP_QKEY },
	};
	struct ibv_send_wr *bad;
	int ret;

	memcpy(bytes, port->header, port->header_len);
	io_cursor_read(cursor, &bytes[port->header_len], cursor->left);
	if (sge.length <= port->max_inline)
		wr.send_flags |= IBV_SEND_INLINE;
	ret = ibv_post_send(port->id->qp, &wr, &bad);
	if (!ret)
		port->nr_free_sends--;
	return -ret;
}

static int message_receive_locked(struct rsocket *socket,
				  struct datagram_port *port,
				  const struct ibv_wc *wc)
{
	uint32_t slot = (uint32_t)wc->wr_id;
	const uint8_t *bytes =
		&port->recv[(size_t)slot * PORT_RECV_LEN + PORT_GRH_LEN];
	struct sockaddr_storage from = { 0 };
	int header_len = -EPROTO;
	size_t len = 0;

	if (wc->byte_len >= PORT_GRH_LEN) {
		len = wc->byte_len - PORT_GRH_LEN;
		header_len = datagram_ud_decode(bytes, len, &from);
	}
	if (socket->domain == AF_INET6)
		socket_name_map(&from);
	if (header_len < 0 || !datagram_queue_add_slot_locked(
				      socket, &from, &bytes[header_len],
				      len - (size_t)header_len, port, slot))
		return datagram_port_post_recv_locked(port, slot);
	return 0;
}

static int completion_handle_locked(struct rsocket *socket,
				    struct datagram_port *port,
				    const struct ibv_wc *wc)
{
	if (!(wc->wr_id & PORT_RECV_BIT))
		port->free_sends[port->nr_free_sends++] = (uint32_t)wc->wr_id;
	if (wc->status != IBV_WC_SUCCESS)
		return -EIO;
	if (wc->wr_id & PORT_RECV_BIT)
		return message_receive_locked(socket, port, wc);
	return 0;
}

bool datagram_port_poll_locked(struct rsocket *socket,
			       struct datagram_port *port)
{
	struct ibv_wc completions[PORT_NR_COMPLETIONS];
	uint32_t nr_rounds = (uint32_t)port->cq->cqe / PORT_NR_COMPLETIONS + 1;
	bool has_changed = false;
	int nr, ret;

	/* All of now, but not forever those that peers add meanwhile. */
	do {
		nr = ibv_poll_cq(port->cq, PORT_NR_COMPLETIONS, completions);
		for (int i = 0; i < nr; i++) {
			ret = completion_handle_locked(socket, port,
						       &completions[i]);
			if (ret)
				socket->error = ret;
		}
		if (nr < 0)
			socket->error = -EIO;
		has_changed = has_changed || nr != 0;
	} while (nr == PORT_NR_COMPLETIONS && --nr_rounds);
	return has_changed;
}
