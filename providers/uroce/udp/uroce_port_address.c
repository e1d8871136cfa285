/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The addresses of the UDP port, each with the sockets that are bound to it,
 * and the socket from which this process receives.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uroce/udp/uroce_socket.h"
#include "uroce/udp/uroce_udp.h"
#include "util/array.h"

#include "util/nocancel.h"

int uroce_port_fd(const struct uroce_port *port)
{
	return port->slots.fds[port->slots.slot];
}

int uroce_port_gsi_fd(const struct uroce_port *port)
{
	return port->slots.fds[UROCE_GSI_SLOT];
}

static void close_bound(const struct uroce_address *address)
{
	for (uint32_t i = 0; i < UROCE_NR_SENDERS; i++)
		if (address->fds[i] >= 0)
			(void)close(address->fds[i]);
}

static struct uroce_address *port_find(const struct uroce_port *port,
				       const uint8_t *gid, unsigned int ifindex)
{
	for (uint32_t i = 0; i < port->nr_addresses; i++) {
		struct uroce_address *address = &port->addresses[i];

		if (memcmp(address->gid, gid, UROCE_GID_LEN) == 0 &&
		    (!ifindex || address->ifindex == ifindex))
			return address;
	}
	return NULL;
}

struct uroce_address *uroce_udp_find(const struct uroce_port *port,
				     const uint8_t *gid)
{
	return port_find(port, gid, 0);
}

static int open_bound(const uint8_t *gid, uint16_t port)
{
	int fd = uroce_socket_sender();

	if (fd < 0)
		return -1;
	if (!uroce_socket_share(fd) && !uroce_socket_bind_to(fd, gid, port))
		return fd;
	(void)close(fd);
	return -1;
}

int uroce_udp_bound(const struct uroce_port *port,
		    struct uroce_address *address, unsigned int sender)
{
	int *fd = &address->fds[sender];

	if (*fd == UROCE_UNTRIED)
		*fd = open_bound(address->gid, port->senders[sender].port);
	return *fd;
}

int uroce_port_add_address(struct uroce_port *port, const uint8_t *gid,
			   unsigned int ifindex)
{
	struct uroce_address *address = port_find(port, gid, ifindex);

	if (address) {
		address->uses++;
		return 0;
	}
	address = array_grow(port->addresses, port->nr_addresses,
			     sizeof(*address));
	if (!address)
		return -ENOMEM;
	port->addresses = address;
	address = &port->addresses[port->nr_addresses++];
	port->version++;
	memcpy(address->gid, gid, UROCE_GID_LEN);
	address->ifindex = ifindex;
	address->uses = 1;
	for (uint32_t i = 0; i < UROCE_NR_SENDERS; i++)
		address->fds[i] = UROCE_UNTRIED;
	return 0;
}

void uroce_port_remove_address(struct uroce_port *port, const uint8_t *gid,
			       unsigned int ifindex)
{
	struct uroce_address *address = port_find(port, gid, ifindex);

	if (!address || --address->uses)
		return;
	port->version++;
	close_bound(address);
	*address = port->addresses[--port->nr_addresses];
}

void uroce_udp_free_addresses(struct uroce_port *port)
{
	for (uint32_t i = 0; i < port->nr_addresses; i++)
		close_bound(&port->addresses[i]);
	free(port->addresses);
}
