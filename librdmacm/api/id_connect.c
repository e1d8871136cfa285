/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections of ids. The back end of the id does the work; on a synchronous
 * id, the functions wait for the event that follows.
 */
#include "api/api_err.h"
#include "api/cm_host.h"
#include "api/engine_backend.h"
#include "api/id_backend.h"
#include "api/id_event.h"
#include "api/id_object.h"
#include "api/id_qp.h"
#include "api/id_resolve.h"

#include <errno.h>

static int listen_in_both(struct own_id *own, int backlog)
{
	int ret = engine_backend.listen(own, backlog);

	if (ret || !own->kernel)
		return ret;
	ret = kernel_backend.listen(own, backlog);
	if (ret)
		engine_id_unlisten(own);
	return ret;
}

static int id_listen(struct own_id *own, int backlog)
{
	int ret = 0;

	if (own->backend)
		return own->backend->listen(own, backlog);
	if (host_id_state(own) == OWN_ID_IDLE)
		ret = id_bind_any(own);
	return ret ? ret : listen_in_both(own, backlog);
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	return api_ret_minus1(id_listen(own_id_of(id), backlog));
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	struct own_id *own = own_id_of(id);
	int ret = -EINVAL;

	if (own_id_has_device(own))
		ret = own->backend->connect(own, conn_param);
	if (!ret)
		ret = id_event_complete(own);
	return api_ret_minus1(ret);
}

static int id_accept(struct own_id *own, const struct rdma_conn_param *param)
{
	int ret;

	if (!own_id_has_device(own))
		return -EINVAL;
	ret = own->backend->accept(own, param);
	if (ret || own->id.qp_type != IBV_QPT_UD)
		return ret ? ret : id_event_complete(own);
	/* No event follows. */
	if (own->is_sync)
		id_object_ack(own);
	return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	return api_ret_minus1(id_accept(own_id_of(id), conn_param));
}

int rdma_establish(struct rdma_cm_id *id)
{
	struct own_id *own = own_id_of(id);

	if (id->qp || !own_id_has_device(own))
		return api_ret_minus1(-EINVAL);
	return api_ret_minus1(own->backend->confirm(own));
}

static int id_reject(struct own_id *own, enum cm_reject_reason reason,
		     const void *private_data, uint8_t len)
{
	if (!own_id_has_device(own) || (len && !private_data))
		return -EINVAL;
	return own->backend->reject(own, (uint8_t)reason, private_data, len);
}

int rdma_reject(struct rdma_cm_id *id, const void *private_data,
		uint8_t private_data_len)
{
	return api_ret_minus1(id_reject(own_id_of(id), CM_REJ_CONSUMER,
					private_data, private_data_len));
}

int rdma_reject_ece(struct rdma_cm_id *id, const void *private_data,
		    uint8_t private_data_len)
{
	return api_ret_minus1(id_reject(own_id_of(id), CM_REJ_VENDOR_OPTION,
					private_data, private_data_len));
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
	struct own_id *own = own_id_of(id);

	return api_ret_minus1(own_id_has_device(own)
				      ? own->backend->notify(own, event)
				      : -EINVAL);
}

static int id_disconnect(struct own_id *own)
{
	bool has_event = false;
	int ret;

	if (!own_id_has_device(own))
		return -EINVAL;
	id_qp_disconnect(own);
	ret = own->backend->disconnect(own, &has_event);
	return ret || !has_event ? ret : id_event_complete(own);
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	return api_ret_minus1(id_disconnect(own_id_of(id)));
}

static int id_get_request(struct own_id *listener, struct rdma_cm_id **ret_id)
{
	struct rdma_cm_event *event;
	struct ibv_qp_init_attr attr;
	struct own_id *own;
	int ret;

	if (!listener->is_sync)
		return -EINVAL;
	ret = id_event_complete(listener);
	if (ret)
		return ret;
	event = listener->id.event;
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return -EINVAL;
	own = own_id_of(event->id);
	if (listener->endpoint_attr) {
		attr = *listener->endpoint_attr;
		if (rdma_create_qp(&own->id, listener->id.pd, &attr) != 0) {
			ret = -errno;
			listener->id.event = NULL;
			channel_ack(channel_event_of(event));
			(void)rdma_destroy_id(&own->id);
			return ret;
		}
	}
	listener->id.event = NULL;
	own->id.event = event;
	*ret_id = &own->id;
	return 0;
}

int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)
{
	return api_ret_minus1(id_get_request(own_id_of(listen), id));
}
