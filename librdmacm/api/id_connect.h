/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of ids. */
#ifndef API_ID_CONNECT_H
#define API_ID_CONNECT_H

#include "api/own_id.h"

int own_listen(struct rdma_cm_id *id, int backlog);
int own_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id);
int own_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
int own_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
int own_reject(struct rdma_cm_id *id, const void *private_data,
	       uint8_t private_data_len);
int own_reject_ece(struct rdma_cm_id *id, const void *private_data,
		   uint8_t private_data_len);
int own_establish(struct rdma_cm_id *id);
int own_notify(struct rdma_cm_id *id, enum ibv_event_type event);
int own_disconnect(struct rdma_cm_id *id);

#endif
