/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parameters of rdma_connect() and rdma_accept(), checked and completed. */
#ifndef API_CONN_PARAM_H
#define API_CONN_PARAM_H

#include "api/own_id.h"

/**
 * conn_param_for_request() - the parameters of a REQ
 * @param: of the application, or NULL
 * @max_private: bytes of private data
 *
 * Return: 0, or -EINVAL.
 */
int conn_param_for_request(const struct own_id *own,
			   const struct rdma_conn_param *param,
			   size_t max_private,
			   struct rdma_conn_param *ret_param);

/* The same for a REP; values that the application leaves open are those of the
 * request, if the device has them. */
int conn_param_for_reply(const struct own_id *own,
			 const struct rdma_conn_param *param,
			 size_t max_private,
			 const struct own_conn_values *request,
			 struct rdma_conn_param *ret_param);

#endif
