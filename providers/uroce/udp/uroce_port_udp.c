/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens and closes the UDP port. uroce_port_address.c keeps its addresses,
 * uroce_port_send.c sends, uroce_port_receive.c receives. Called by the worker.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uroce/udp/uroce_bad_wire.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce/udp/uroce_udp.h"
#include "uroce/wire/uroce_icrc.h"
#include "util/env.h"
#include "util/nocancel.h"

/* Range of the source ports of RoCEv2 (IBTA A17.9.2). */
#define FIRST_SPORT 0xc000
#define NR_SPORTS   0x4000

static int open_sender(struct uroce_sender *sender, uint16_t from)
{
	int fd = uroce_socket_sender();
	int ret = -EADDRINUSE;

	if (fd < 0)
		return fd;
	for (uint32_t i = 0; i < NR_SPORTS && ret == -EADDRINUSE; i++) {
		sender->port = (uint16_t)(FIRST_SPORT + (from + i) % NR_SPORTS);
		ret = uroce_socket_bind(fd, sender->port);
	}
	/* the port is taken; further sockets of this user may now share it */
	if (!ret)
		ret = uroce_socket_share(fd);
	if (ret)
		(void)close(fd);
	else
		sender->fd = fd;
	return ret;
}

static int open_senders(struct uroce_port *port)
{
	uint32_t from = (uint32_t)getpid() * UROCE_NR_SENDERS;

	for (uint32_t i = 0; i < UROCE_NR_SENDERS; i++) {
		struct uroce_sender *sender = &port->senders[i];
		int ret = sender->fd < 0
				  ? open_sender(sender, (uint16_t)(from + i))
				  : 0;

		if (ret)
			return ret;
	}
	return 0;
}

/* A failure is not fatal: the port works without a capture. */
static void open_capture(struct uroce_port *port)
{
	const char *path = env_path("UROCE_PCAP");

	if (path && *path)
		port->capture_error = uroce_pcap_open(path, &port->pcap);
}

/* Likewise. */
static void open_bad_wire(struct uroce_port *port)
{
	const char *settings = env_path("UROCE_WIRE_FAULTS");

	if (settings && *settings)
		(void)uroce_bad_wire_open(settings, &port->bad_wire);
}

int uroce_port_open(struct uroce_port **ret_port)
{
	struct uroce_port *port = calloc(1, sizeof(*port));

	if (!port)
		return -ENOMEM;
	uroce_icrc_init();
	port->version = 1;
	uroce_slots_init(&port->slots);
	for (uint32_t i = 0; i < UROCE_NR_SENDERS; i++)
		port->senders[i].fd = -1;
	port->send = uroce_udp_new_send();
	port->receive = uroce_udp_new_receive();
	if (!port->send || !port->receive) {
		uroce_port_close(port);
		return -ENOMEM;
	}
	open_capture(port);
	open_bad_wire(port);
	*ret_port = port;
	return 0;
}

int uroce_port_claim(struct uroce_port *port, uint32_t from)
{
	uroce_slots_leave(&port->slots);
	return uroce_slots_claim(&port->slots, from);
}

int uroce_port_acquire_sockets(struct uroce_port *port, int stop_fd)
{
	int ret = open_senders(port);

	if (!ret)
		ret = uroce_slots_join(&port->slots, stop_fd);
	if (ret)
		return ret;
	port->family = uroce_socket_family(uroce_port_fd(port));
	/* so that a limit on messages is one on MADs */
	if (port->slots.slot != UROCE_GSI_SLOT)
		uroce_socket_no_merge(uroce_port_gsi_fd(port));
	/* the previous process of the slot may have set the options */
	uroce_port_report_header(port, false);
	port->old_drops = uroce_socket_drops(uroce_port_fd(port));
	return port->family < 0 ? port->family : 0;
}

void uroce_port_lock_fds(struct uroce_port *port)
{
	(void)pthread_mutex_lock(&port->slots.fds_mutex);
}

void uroce_port_unlock_fds(struct uroce_port *port)
{
	(void)pthread_mutex_unlock(&port->slots.fds_mutex);
}

void uroce_port_close(struct uroce_port *port)
{
	uroce_bad_wire_close(port->bad_wire); /* uses the senders */
	for (uint32_t i = 0; i < UROCE_NR_SENDERS; i++)
		if (port->senders[i].fd >= 0)
			(void)close(port->senders[i].fd);
	uroce_slots_leave(&port->slots);
	uroce_pcap_close(port->pcap);
	uroce_udp_free_addresses(port);
	uroce_udp_free_receive(port->receive);
	free(port->send);
	free(port);
}

int uroce_port_capture_error(const struct uroce_port *port)
{
	return port->capture_error;
}

uint32_t uroce_port_slot(const struct uroce_port *port)
{
	return port->slots.slot;
}

uint32_t uroce_port_room_bytes(const struct uroce_port *port)
{
	int bytes;
	socklen_t len = sizeof(bytes);

	return getsockopt(uroce_port_fd(port), SOL_SOCKET, SO_RCVBUF, &bytes,
			  &len)
		       ? 0
		       : (uint32_t)bytes;
}

int uroce_port_member_fd(const struct uroce_port *port)
{
	return port->slots.listener;
}

int uroce_port_inbox_fd(const struct uroce_port *port)
{
	return port->slots.inbox;
}

void uroce_port_report_header(struct uroce_port *port, bool on)
{
	uroce_socket_report_header(uroce_port_fd(port), on || port->pcap);
}

bool uroce_port_serve(struct uroce_port *port)
{
	return uroce_slots_serve(&port->slots);
}

/*
 * The socket of a slot and its multicast memberships outlive the process that
 * has the slot. -EADDRINUSE means that the socket is a member already.
 */
int uroce_port_join(struct uroce_port *port, const uint8_t *gid,
		    unsigned int ifindex, bool join)
{
	int ret = uroce_socket_join(uroce_port_fd(port), gid, ifindex, join);

	return ret == -EADDRINUSE && join ? 0 : ret;
}

uint16_t uroce_port_sport(const struct uroce_port *port, uint32_t dest_qpn)
{
	uint32_t slot = dest_qpn >> UROCE_SLOT_SHIFT;

	return port->senders[slot % UROCE_NR_SENDERS].port;
}

void uroce_port_counters(const struct uroce_port *port,
			 struct uroce_port_counters *ret_counters)
{
	*ret_counters = port->counters;
	uroce_udp_count_ip_ids(port->receive, ret_counters);
	ret_counters->rx_overflow =
		uroce_socket_drops(uroce_port_fd(port)) - port->old_drops;
}
