/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parameters of connections. Called by both back ends. */
#include "api/conn_param.h"

#include <errno.h>

#define PARAM_MAX_RETRIES 7

static uint8_t limit_of(int device_max)
{
	return device_max > UINT8_MAX ? UINT8_MAX : (uint8_t)device_max;
}

static uint8_t param_min(uint8_t left, uint8_t right)
{
	return left < right ? left : right;
}

/* Only the port space TCP checks the depths. */
static int param_check(const struct own_id *own,
		       const struct rdma_conn_param *param)
{
	const struct ibv_device_attr *attr = &own->device->attr;

	if (!param)
		return own->id.qp ? 0 : -EINVAL;
	if (own->id.ps != RDMA_PS_TCP)
		return 0;
	if ((param->responder_resources != RDMA_MAX_RESP_RES &&
	     param->responder_resources > limit_of(attr->max_qp_rd_atom)) ||
	    (param->initiator_depth != RDMA_MAX_INIT_DEPTH &&
	     param->initiator_depth > limit_of(attr->max_qp_init_rd_atom)))
		return -EINVAL;
	return 0;
}

static const struct rdma_conn_param default_param = {
	.responder_resources = RDMA_MAX_RESP_RES,
	.initiator_depth = RDMA_MAX_INIT_DEPTH,
	.retry_count = PARAM_MAX_RETRIES,
	.rnr_retry_count = PARAM_MAX_RETRIES,
};

static int param_fill(const struct own_id *own,
		      const struct rdma_conn_param *param, size_t max_private,
		      struct rdma_conn_param *ret_param)
{
	int ret = param_check(own, param);

	if (ret)
		return ret;
	*ret_param = param ? *param : default_param;
	if (ret_param->private_data_len > max_private ||
	    (ret_param->private_data_len && !ret_param->private_data))
		return -EINVAL;
	if (!ret_param->private_data)
		ret_param->private_data = "";
	ret_param->retry_count =
		param_min(ret_param->retry_count, PARAM_MAX_RETRIES);
	ret_param->rnr_retry_count =
		param_min(ret_param->rnr_retry_count, PARAM_MAX_RETRIES);
	if (own->id.qp) {
		ret_param->qp_num = own->id.qp->qp_num;
		ret_param->srq = own->id.qp->srq != NULL;
	}
	return 0;
}

int conn_param_for_request(const struct own_id *own,
			   const struct rdma_conn_param *param,
			   size_t max_private,
			   struct rdma_conn_param *ret_param)
{
	const struct ibv_device_attr *attr = &own->device->attr;
	int ret = param_fill(own, param, max_private, ret_param);

	if (ret)
		return ret;
	if (ret_param->responder_resources == RDMA_MAX_RESP_RES)
		ret_param->responder_resources = limit_of(attr->max_qp_rd_atom);
	if (ret_param->initiator_depth == RDMA_MAX_INIT_DEPTH)
		ret_param->initiator_depth =
			limit_of(attr->max_qp_init_rd_atom);
	return 0;
}

int conn_param_for_reply(const struct own_id *own,
			 const struct rdma_conn_param *param,
			 size_t max_private,
			 const struct own_conn_values *request,
			 struct rdma_conn_param *ret_param)
{
	const struct ibv_device_attr *attr = &own->device->attr;
	int ret = param_fill(own, param, max_private, ret_param);

	if (ret)
		return ret;
	if (ret_param->responder_resources == RDMA_MAX_RESP_RES)
		ret_param->responder_resources =
			param_min(request->responder_resources,
				  limit_of(attr->max_qp_rd_atom));
	if (ret_param->initiator_depth == RDMA_MAX_INIT_DEPTH)
		ret_param->initiator_depth =
			param_min(request->initiator_depth,
				  limit_of(attr->max_qp_init_rd_atom));
	return 0;
}
