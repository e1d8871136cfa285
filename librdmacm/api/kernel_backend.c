/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The back end of devices with a kernel driver. The functions of the table are
 * commands of the kernel; id_backend.h describes them.
 */
#include "api/conn_param.h"
#include "api/id_backend.h"
#include "api/id_ece.h"
#include "api/id_qp.h"
#include "api/kernel_id.h"
#include "kernel/ucm_cmd.h"

/* The kernel knows how much private data a message has. */
#define KERNEL_MAX_PRIVATE UINT8_MAX

static int kernel_bind(struct own_id *own, const struct sockaddr *address)
{
	int ret = ucm_cmd_bind(kernel_id_fd(own), own->kernel->number, address);

	return ret ? ret : kernel_id_query_addr(own);
}

static int kernel_resolve_addr(struct own_id *own, const struct sockaddr *src,
			       const struct sockaddr *dst, int timeout_ms)
{
	return ucm_cmd_resolve_addr(kernel_id_fd(own), own->kernel->number, src,
				    dst, timeout_ms);
}

static int kernel_resolve_route(struct own_id *own, int timeout_ms)
{
	return ucm_cmd_resolve_route(kernel_id_fd(own), own->kernel->number,
				     timeout_ms);
}

static int kernel_listen(struct own_id *own, int backlog)
{
	int ret =
		ucm_cmd_listen(kernel_id_fd(own), own->kernel->number, backlog);

	return ret ? ret : kernel_id_query_addr(own);
}

static int kernel_connect(struct own_id *own,
			  const struct rdma_conn_param *param)
{
	struct rdma_conn_param conn;
	int ret = conn_param_for_request(own, param, KERNEL_MAX_PRIVATE, &conn);

	if (ret)
		return ret;
	return ucm_cmd_connect(kernel_id_fd(own), own->kernel->number, &conn,
			       &own->local_ece);
}

static int kernel_accept(struct own_id *own,
			 const struct rdma_conn_param *param)
{
	struct ibv_ece ece = own->local_ece;
	struct rdma_conn_param conn;
	int ret = conn_param_for_reply(own, param, KERNEL_MAX_PRIVATE,
				       &own->values, &conn);

	/* The peer may send as soon as it has the reply. */
	if (!ret && own->id.qp && own->id.qp_type != IBV_QPT_UD) {
		ret = id_qp_connect(own, &conn);
		if (!ret)
			ret = id_ece_reply(own, &ece);
	}
	if (ret)
		return ret;
	ret = ucm_cmd_accept(kernel_id_fd(own), own->kernel->number,
			     (uintptr_t)own, &conn, &ece);
	/* The kernel has rejected the request. */
	if (ret)
		id_qp_fail(own);
	return ret;
}

static int kernel_confirm(struct own_id *own)
{
	return ucm_cmd_confirm(kernel_id_fd(own), own->kernel->number);
}

static int kernel_reject(struct own_id *own, uint8_t reason,
			 const void *private_data, uint8_t len)
{
	return ucm_cmd_reject(kernel_id_fd(own), own->kernel->number,
			      private_data, len, reason);
}

static int kernel_disconnect(struct own_id *own, bool *ret_has_event)
{
	int ret = ucm_cmd_disconnect(kernel_id_fd(own), own->kernel->number);

	*ret_has_event = own->id.qp_type != IBV_QPT_UD &&
			 !own->kernel->is_ended;
	return ret;
}

static int kernel_notify(struct own_id *own, enum ibv_event_type event)
{
	return ucm_cmd_notify(kernel_id_fd(own), own->kernel->number, event);
}

static int kernel_get_qp_attr(const struct own_id *own,
			      struct ibv_qp_attr *attr, int *ret_mask)
{
	return ucm_cmd_init_qp_attr(kernel_id_fd(own), own->kernel->number,
				    attr->qp_state, attr, ret_mask);
}

static int kernel_join(struct own_id *own, struct multicast_group *group)
{
	uint16_t flags = group->is_send_only
				 ? RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER
				 : RDMA_MC_JOIN_FLAG_FULLMEMBER;

	return ucm_cmd_join_mcast(kernel_id_fd(own), own->kernel->number,
				  (uintptr_t)group,
				  (const struct sockaddr *)&group->address,
				  flags, &group->member);
}

static int kernel_leave(struct own_id *own, struct multicast_group *group)
{
	return ucm_cmd_leave_mcast(kernel_id_fd(own), group->member,
				   &group->nr_events);
}

/* The event that the application gets if a query fails. */
static int event_set_error(struct channel_event *event,
			   enum rdma_cm_event_type type, int status)
{
	if (status) {
		event->public.event = type;
		event->public.status = status;
	}
	return 0;
}

static int kernel_prepare_event(struct own_id *own, struct channel_event *event)
{
	int ret;

	switch (event->public.event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return event_set_error(event, RDMA_CM_EVENT_ADDR_ERROR,
				       kernel_id_query_addr(own));
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return event_set_error(event, RDMA_CM_EVENT_ROUTE_ERROR,
				       kernel_id_query_path(own));
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		ret = kernel_id_query_addr(own);
		if (!ret && own->id.qp_type != IBV_QPT_UD)
			ret = kernel_id_query_path(own);
		return ret;
	case RDMA_CM_EVENT_DISCONNECTED:
		own->kernel->is_ended = true;
		return 0;
	default:
		return 0;
	}
}

const struct id_backend kernel_backend = {
	.bind = kernel_bind,
	.resolve_addr = kernel_resolve_addr,
	.resolve_route = kernel_resolve_route,
	.listen = kernel_listen,
	.connect = kernel_connect,
	.accept = kernel_accept,
	.confirm = kernel_confirm,
	.reject = kernel_reject,
	.disconnect = kernel_disconnect,
	.notify = kernel_notify,
	.get_qp_attr = kernel_get_qp_attr,
	.join = kernel_join,
	.leave = kernel_leave,
	.prepare_event = kernel_prepare_event,
};
