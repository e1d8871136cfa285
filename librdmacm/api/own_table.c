/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of the own connection manager. Used by entry/. */
#include "api/own_table.h"

#include "api/addrinfo_query.h"
#include "api/device_table.h"
#include "api/id_bind.h"
#include "api/id_connect.h"
#include "api/id_ece.h"
#include "api/id_endpoint.h"
#include "api/id_event.h"
#include "api/id_multicast.h"
#include "api/id_object.h"
#include "api/id_qp.h"
#include "api/id_srq.h"

const struct forward_table own_table = {
	.rdma_accept = own_accept,
	.rdma_ack_cm_event = own_ack_cm_event,
	.rdma_bind_addr = own_bind_addr,
	.rdma_connect = own_connect,
	.rdma_create_ep = own_create_ep,
	.rdma_create_event_channel = own_create_event_channel,
	.rdma_create_id = own_create_id,
	.rdma_create_qp = own_create_qp,
	.rdma_create_qp_ex = own_create_qp_ex,
	.rdma_create_srq = own_create_srq,
	.rdma_create_srq_ex = own_create_srq_ex,
	.rdma_destroy_ep = own_destroy_ep,
	.rdma_destroy_event_channel = own_destroy_event_channel,
	.rdma_destroy_id = own_destroy_id,
	.rdma_destroy_qp = own_destroy_qp,
	.rdma_destroy_srq = own_destroy_srq,
	.rdma_disconnect = own_disconnect,
	.rdma_establish = own_establish,
	.rdma_event_str = own_event_str,
	.rdma_free_devices = own_free_devices,
	.rdma_freeaddrinfo = own_freeaddrinfo,
	.rdma_get_cm_event = own_get_cm_event,
	.rdma_get_devices = own_get_devices,
	.rdma_get_dst_port = own_get_dst_port,
	.rdma_get_remote_ece = own_get_remote_ece,
	.rdma_get_request = own_get_request,
	.rdma_get_src_port = own_get_src_port,
	.rdma_getaddrinfo = own_getaddrinfo,
	.rdma_init_qp_attr = own_init_qp_attr,
	.rdma_join_multicast = own_join_multicast,
	.rdma_join_multicast_ex = own_join_multicast_ex,
	.rdma_leave_multicast = own_leave_multicast,
	.rdma_listen = own_listen,
	.rdma_migrate_id = own_migrate_id,
	.rdma_notify = own_notify,
	.rdma_query_addrinfo = own_query_addrinfo,
	.rdma_reject = own_reject,
	.rdma_reject_ece = own_reject_ece,
	.rdma_resolve_addr = own_resolve_addr,
	.rdma_resolve_addrinfo = own_resolve_addrinfo,
	.rdma_resolve_route = own_resolve_route,
	.rdma_set_local_ece = own_set_local_ece,
	.rdma_set_option = own_set_option,
	.rdma_write_cm_event = own_write_cm_event,
};
