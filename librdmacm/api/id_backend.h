/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an id needs from a connection manager. There are two: the engine of
 * devices with a GSI, and the kernel. The address of an id selects one. Without
 * an address, or with a wildcard address, an id has a part in both, and none is
 * selected: own_id.backend is NULL.
 *
 * Functions return 0, or -errno as the rdma_* function of the same name; they
 * do not wait for events. Callers are id_resolve.c, id_connect.c, id_qp.c,
 * id_multicast.c and id_event.c.
 */
#ifndef API_ID_BACKEND_H
#define API_ID_BACKEND_H

#include "api/multicast_group.h"
#include "api/own_id.h"

struct id_backend {
	/*
	 * The engine gives the id its device if it has the local address, and
	 * returns -ENODEV if the kernel must be asked.
	 */
	int (*bind)(struct own_id *own, const struct sockaddr *address);
	/* The same; @src: or NULL */
	int (*resolve_addr)(struct own_id *own, const struct sockaddr *src,
			    const struct sockaddr *dst, int timeout_ms);
	int (*resolve_route)(struct own_id *own, int timeout_ms);
	int (*listen)(struct own_id *own, int backlog);

	/* @param: of the application, or NULL */
	int (*connect)(struct own_id *own, const struct rdma_conn_param *param);
	/* Moves the QP, too. */
	int (*accept)(struct own_id *own, const struct rdma_conn_param *param);
	/* Confirms a reply: this side is ready to receive. */
	int (*confirm)(struct own_id *own);
	/* @reason: of IBTA; @private_data: @len bytes */
	int (*reject)(struct own_id *own, uint8_t reason,
		      const void *private_data, uint8_t len);
	/* @ret_has_event: whether DISCONNECTED follows */
	int (*disconnect)(struct own_id *own, bool *ret_has_event);
	int (*notify)(struct own_id *own, enum ibv_event_type event);

	/* Attributes that move a QP to the state in @attr */
	int (*get_qp_attr)(const struct own_id *own, struct ibv_qp_attr *attr,
			   int *ret_mask);
	/* Joins a group; MULTICAST_JOIN follows. */
	int (*join)(struct own_id *own, struct multicast_group *group);
	/* After this, no further event of the group is queued. */
	int (*leave)(struct own_id *own, struct multicast_group *group);

	/*
	 * Completes an id when the application fetches its event; may change
	 * the event. If it fails, the application does not get the event, which
	 * is a CONNECT_REQUEST, and its id is destroyed.
	 */
	int (*prepare_event)(struct own_id *own, struct channel_event *event);
};

extern const struct id_backend engine_backend;
extern const struct id_backend kernel_backend;

#endif
