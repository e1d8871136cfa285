/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids that listen, and the service ids of each device. Several ids may listen
 * on one port, at different addresses; the engine of a device knows one
 * listener for the port.
 */
#ifndef API_LISTEN_TABLE_H
#define API_LISTEN_TABLE_H

#include "api/cm_host.h"
#include "api/own_id.h"

/**
 * listen_id_add_locked() - receive requests for an id that is bound
 *
 * Return: 0, -ENOMEM, or -EADDRINUSE.
 */
int listen_id_add_locked(struct own_id *own) REQUIRES(host_mutex);

void listen_id_remove_locked(struct own_id *own) REQUIRES(host_mutex);

/* Adds the wildcard ids to a new device. */
void listen_device_add_locked(struct own_device *device) REQUIRES(host_mutex);

/* The id that listens at an address, for QPs of a type (enum ibv_qp_type);
 * NULL: there is none. */
struct own_id *listen_find_locked(const struct own_device *device,
				  uint64_t service_id, int qp_type,
				  const struct sockaddr *address)
	REQUIRES(host_mutex);

#endif
