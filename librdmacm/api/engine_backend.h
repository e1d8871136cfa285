/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of an id in the engine. The functions of the table engine_backend
 * are in several files; id_backend.h describes them.
 */
#ifndef API_ENGINE_BACKEND_H
#define API_ENGINE_BACKEND_H

#include "api/own_id.h"

/* Ends the connection and the listener of an id that is destroyed. */
void engine_id_end(struct own_id *own);

/* Gives up the port of an id without a device, which is idle then. */
void engine_id_unbind(struct own_id *own);

/* Undoes a listen of an id without a device. */
void engine_id_unlisten(struct own_id *own);

/* engine_bind.c */
int engine_bind(struct own_id *own, const struct sockaddr *address);
int engine_resolve_addr(struct own_id *own, const struct sockaddr *src,
			const struct sockaddr *dst, int timeout_ms);
int engine_resolve_route(struct own_id *own, int timeout_ms);

/* engine_connect.c */
int engine_connect(struct own_id *own, const struct rdma_conn_param *param);
int engine_notify(struct own_id *own, enum ibv_event_type event);
int engine_disconnect(struct own_id *own, bool *ret_has_event);

/* engine_accept.c */
int engine_listen(struct own_id *own, int backlog);
int engine_accept(struct own_id *own, const struct rdma_conn_param *param);
int engine_reject(struct own_id *own, uint8_t reason, const void *private_data,
		  uint8_t len);

/* engine_qp_attr.c */
int engine_get_qp_attr(const struct own_id *own, struct ibv_qp_attr *attr,
		       int *ret_mask);

#endif
