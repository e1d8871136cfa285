/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections of datagram ids. The active side sends a SIDR_REQ, the passive
 * side responds with the number and the Q_Key of its QP, and nothing remains.
 * Called by engine_connect.c and
 * engine_accept.c.
 */
#include "api/engine_datagram.h"

#include "api/cm_host.h"
#include "api/id_path.h"
#include "api/id_qp.h"
#include "api/ip_address.h"
#include "api/ip_header.h"
#include "cm/cm_service.h"

#include <errno.h>
#include <string.h>

/* What Linux sends */
#define DATAGRAM_CM_TIMEOUT 20 /* 4.096 us * 2^n */
#define DATAGRAM_CM_RETRIES 15

#define DATAGRAM_REQ_PRIVATE_LEN (CM_SIDR_REQ_PRIVATE_LEN - CM_IP_HEADER_LEN)

static int private_data_copy(const void *private_data, size_t len,
			     uint8_t *ret_bytes, size_t max)
{
	if (len > max || (len && !private_data))
		return -EINVAL;
	if (len)
		memcpy(ret_bytes, private_data, len);
	return 0;
}

/* Without parameters, the QP must be known. */
static int param_copy_data(const struct own_id *own,
			   const struct rdma_conn_param *param,
			   uint8_t *ret_bytes, size_t max)
{
	if (!param)
		return own->id.qp ? 0 : -EINVAL;
	return private_data_copy(param->private_data, param->private_data_len,
				 ret_bytes, max);
}

int engine_datagram_connect(struct own_id *own,
			    const struct rdma_conn_param *param)
{
	const struct rdma_addr *addresses = &own->id.route.addr;
	struct cm_sidr_param sidr = {
		.timeout = DATAGRAM_CM_TIMEOUT,
		.max_retries = DATAGRAM_CM_RETRIES,
		.req.pkey = CM_PKEY,
	};
	int ret = param_copy_data(own, param,
				  &sidr.req.private_data[CM_IP_HEADER_LEN],
				  DATAGRAM_REQ_PRIVATE_LEN);

	if (ret)
		return ret;
	id_path_mad(own, &sidr.path);
	sidr.req.service_id = cm_service_id(
		(uint16_t)own->id.ps, ip_address_port(&addresses->dst_addr));
	ip_header_write(addresses, sidr.req.private_data);
	verbs_mutex_lock(&host_mutex);
	ret = host_sidr_resolve_locked(own, &sidr);
	if (!ret)
		own->state = OWN_ID_CONNECT;
	verbs_mutex_unlock(&host_mutex);
	return ret;
}

static int datagram_reply(struct own_id *own, const struct cm_sidr_rep *rep)
{
	struct cm_output out;
	int ret = -EINVAL;

	verbs_mutex_lock(&host_mutex);
	if (own->has_sidr)
		ret = cm_sidr_reply(&own->device->cm, &own->sidr, rep,
				    rep->vendor_id ? own->local_ece.options : 0,
				    &out);
	if (!ret)
		host_flush_locked(own->device, &out);
	verbs_mutex_unlock(&host_mutex);
	return ret == -ERANGE ? -EINVAL : ret;
}

int engine_datagram_reject(struct own_id *own, const void *private_data,
			   size_t len)
{
	struct cm_sidr_rep rep = { .status = CM_SIDR_REJECTED };
	int ret = private_data_copy(private_data, len, rep.private_data,
				    CM_SIDR_REP_PRIVATE_LEN);

	return ret ? ret : datagram_reply(own, &rep);
}

int engine_datagram_accept(struct own_id *own,
			   const struct rdma_conn_param *param)
{
	struct cm_sidr_rep rep = {
		.status = CM_SIDR_OK,
		.qkey = RDMA_UDP_QKEY,
	};
	int ret = param_copy_data(own, param, rep.private_data,
				  CM_SIDR_REP_PRIVATE_LEN);

	/* The kernel, too, rejects a request whose reply is too long. */
	if (ret) {
		if (param && engine_datagram_reject(own, NULL, 0) == 0)
			id_qp_fail(own);
		return ret;
	}
	rep.qpn = own->id.qp ? own->id.qp->qp_num : param->qp_num & CM_QPN_MASK;
	if (!own->id.qp)
		rep.vendor_id = own->local_ece.vendor_id;
	return datagram_reply(own, &rep);
}
