/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Endpoints: synchronous ids with their address, route and QP. */

#include "api/api_err.h"
#include "api/id_object.h"
#include "api/id_qp.h"

#include <rdma/rdma_verbs.h>
#include <stdlib.h>

#define ENDPOINT_TIMEOUT_MS 2000

/* QPs of requests are created by rdma_get_request(). */
static int endpoint_listen(struct own_id *own, struct ibv_pd *pd,
			   const struct ibv_qp_init_attr *attr,
			   const struct rdma_addrinfo *res)
{
	if (rdma_bind_addr(&own->id, res->ai_src_addr) != 0)
		return -errno;
	if (pd)
		own->id.pd = pd;
	if (!attr)
		return 0;
	own->endpoint_attr = malloc(sizeof(*attr));
	if (!own->endpoint_attr)
		return -ENOMEM;
	*own->endpoint_attr = *attr;
	own->endpoint_attr->qp_type = (enum ibv_qp_type)res->ai_qp_type;
	return 0;
}

static int endpoint_route(struct own_id *own, struct ibv_pd *pd,
			  struct ibv_qp_init_attr *attr,
			  const struct rdma_addrinfo *res)
{
	if (rdma_resolve_addr(&own->id, res->ai_src_addr, res->ai_dst_addr,
			      ENDPOINT_TIMEOUT_MS) != 0 ||
	    rdma_resolve_route(&own->id, ENDPOINT_TIMEOUT_MS) != 0)
		return -errno;
	if (!attr)
		return 0;
	attr->qp_type = (enum ibv_qp_type)res->ai_qp_type;
	return rdma_create_qp(&own->id, pd, attr) == 0 ? 0 : -errno;
}

int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res,
		   struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	struct rdma_cm_id *endpoint;
	struct own_id *own;
	int ret;

	if (rdma_create_id(NULL, &endpoint, NULL,
			   (enum rdma_port_space)res->ai_port_space) != 0)
		return -1;
	own = own_id_of(endpoint);
	endpoint->qp_type = (enum ibv_qp_type)res->ai_qp_type;
	if (res->ai_flags & RAI_PASSIVE)
		ret = endpoint_listen(own, pd, qp_init_attr, res);
	else
		ret = endpoint_route(own, pd, qp_init_attr, res);
	if (ret) {
		rdma_destroy_ep(endpoint);
		return api_ret_minus1(ret);
	}
	*id = endpoint;
	return 0;
}

void rdma_destroy_ep(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	if (id->srq)
		rdma_destroy_srq(id);
	(void)rdma_destroy_id(id);
}
