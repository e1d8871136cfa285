/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids: creation, destruction, channel, ports and options. */
#ifndef API_ID_OBJECT_H
#define API_ID_OBJECT_H

#include "api/own_id.h"

struct rdma_event_channel *own_create_event_channel(void);
void own_destroy_event_channel(struct rdma_event_channel *channel);
int own_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		  void *context, enum rdma_port_space ps);
int own_destroy_id(struct rdma_cm_id *id);
int own_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);
__be16 own_get_src_port(struct rdma_cm_id *id);
__be16 own_get_dst_port(struct rdma_cm_id *id);
int own_set_option(struct rdma_cm_id *id, int level, int optname, void *optval,
		   size_t optlen);

/* Acknowledges the event that a synchronous id has kept. */
void id_object_ack(struct own_id *own);

/**
 * id_object_make_sync() - give an id a channel of its own
 *
 * Return: 0, or -errno.
 */
int id_object_make_sync(struct own_id *own);

/* Destroys the id of a request that no application has. */
void id_object_drop_request(struct own_id *own);

#endif
