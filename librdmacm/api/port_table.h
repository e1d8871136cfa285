/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ports of the port spaces, which are separate from those of sockets. Within
 * the process this table decides on conflicts; between processes the GSI does,
 * for ports that are claimed.
 */
#ifndef API_PORT_TABLE_H
#define API_PORT_TABLE_H

#include "api/own_id.h"

/**
 * port_binding_add() - give an id a port
 * @binding: with port space, address (whose port is 0 for any), device and
 *	flags
 * @is_claimed: the port also belongs to this process on its devices
 *
 * Writes the port to @binding.
 *
 * Context: any thread.
 * Return: 0; -EADDRINUSE, -EADDRNOTAVAIL if the conflict is with a wildcard
 * address, or -EACCES for a port that needs a privilege.
 */
int port_binding_add(struct port_binding *binding, bool is_claimed);

/**
 * port_binding_claim() - claim the port of a binding, to listen
 *
 * Return: 0; -EADDRNOTAVAIL if another id has the port, -EADDRINUSE if another
 * process has it.
 */
int port_binding_claim(struct port_binding *binding);

/* Is the device one of those whose requests to the port the id receives? A
 * wildcard address is that of all devices. */
bool port_binding_covers(const struct port_binding *binding,
			 const struct own_device *device);

/* Does nothing if there is no port. */
void port_binding_remove(struct port_binding *binding);

#endif
