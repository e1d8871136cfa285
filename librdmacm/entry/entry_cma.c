/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of rdma_cma.h and rdma_verbs.h that the library exports: each
 * calls the function of the connection manager of the process.
 */
#include "entry/entry_table.h"

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_accept)
		return forward_minus1();
	return table->rdma_accept(id, conn_param);
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_ack_cm_event)
		return forward_minus1();
	return table->rdma_ack_cm_event(event);
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_bind_addr)
		return forward_minus1();
	return table->rdma_bind_addr(id, addr);
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_connect)
		return forward_minus1();
	return table->rdma_connect(id, conn_param);
}

int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res,
		   struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_ep)
		return forward_minus1();
	return table->rdma_create_ep(id, res, pd, qp_init_attr);
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_event_channel)
		return forward_null();
	return table->rdma_create_event_channel();
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		   void *context, enum rdma_port_space ps)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_id)
		return forward_minus1();
	return table->rdma_create_id(channel, id, context, ps);
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd,
		   struct ibv_qp_init_attr *qp_init_attr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_qp)
		return forward_minus1();
	return table->rdma_create_qp(id, pd, qp_init_attr);
}

int rdma_create_qp_ex(struct rdma_cm_id *id,
		      struct ibv_qp_init_attr_ex *qp_init_attr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_qp_ex)
		return forward_minus1();
	return table->rdma_create_qp_ex(id, qp_init_attr);
}

int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd,
		    struct ibv_srq_init_attr *attr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_srq)
		return forward_minus1();
	return table->rdma_create_srq(id, pd, attr);
}

int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_create_srq_ex)
		return forward_minus1();
	return table->rdma_create_srq_ex(id, attr);
}

void rdma_destroy_ep(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (table->rdma_destroy_ep)
		table->rdma_destroy_ep(id);
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	const struct forward_table *table = entry_table_get();

	if (table->rdma_destroy_event_channel)
		table->rdma_destroy_event_channel(channel);
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_destroy_id)
		return forward_minus1();
	return table->rdma_destroy_id(id);
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (table->rdma_destroy_qp)
		table->rdma_destroy_qp(id);
}

void rdma_destroy_srq(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (table->rdma_destroy_srq)
		table->rdma_destroy_srq(id);
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_disconnect)
		return forward_minus1();
	return table->rdma_disconnect(id);
}

int rdma_establish(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_establish)
		return forward_minus1();
	return table->rdma_establish(id);
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_event_str)
		return "UNKNOWN EVENT";
	return table->rdma_event_str(event);
}

void rdma_free_devices(struct ibv_context **list)
{
	const struct forward_table *table = entry_table_get();

	if (table->rdma_free_devices)
		table->rdma_free_devices(list);
}

void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	const struct forward_table *table = entry_table_get();

	if (table->rdma_freeaddrinfo)
		table->rdma_freeaddrinfo(res);
}

int rdma_get_cm_event(struct rdma_event_channel *channel,
		      struct rdma_cm_event **event)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_get_cm_event)
		return forward_minus1();
	return table->rdma_get_cm_event(channel, event);
}

struct ibv_context **rdma_get_devices(int *num_devices)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_get_devices)
		return forward_null();
	return table->rdma_get_devices(num_devices);
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_get_dst_port)
		return 0;
	return table->rdma_get_dst_port(id);
}

int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_get_remote_ece)
		return forward_minus1();
	return table->rdma_get_remote_ece(id, ece);
}

int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_get_request)
		return forward_minus1();
	return table->rdma_get_request(listen, id);
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_get_src_port)
		return 0;
	return table->rdma_get_src_port(id);
}

int rdma_getaddrinfo(const char *node, const char *service,
		     const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_getaddrinfo)
		return forward_minus1();
	return table->rdma_getaddrinfo(node, service, hints, res);
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr,
		      int *qp_attr_mask)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_init_qp_attr)
		return forward_minus1();
	return table->rdma_init_qp_attr(id, qp_attr, qp_attr_mask);
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr,
			void *context)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_join_multicast)
		return forward_minus1();
	return table->rdma_join_multicast(id, addr, context);
}

int rdma_join_multicast_ex(struct rdma_cm_id *id,
			   struct rdma_cm_join_mc_attr_ex *mc_join_attr,
			   void *context)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_join_multicast_ex)
		return forward_minus1();
	return table->rdma_join_multicast_ex(id, mc_join_attr, context);
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_leave_multicast)
		return forward_minus1();
	return table->rdma_leave_multicast(id, addr);
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_listen)
		return forward_minus1();
	return table->rdma_listen(id, backlog);
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_migrate_id)
		return forward_minus1();
	return table->rdma_migrate_id(id, channel);
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_notify)
		return forward_minus1();
	return table->rdma_notify(id, event);
}

int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_query_addrinfo)
		return forward_minus1();
	return table->rdma_query_addrinfo(id, info);
}

int rdma_reject(struct rdma_cm_id *id, const void *private_data,
		uint8_t private_data_len)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_reject)
		return forward_minus1();
	return table->rdma_reject(id, private_data, private_data_len);
}

int rdma_reject_ece(struct rdma_cm_id *id, const void *private_data,
		    uint8_t private_data_len)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_reject_ece)
		return forward_minus1();
	return table->rdma_reject_ece(id, private_data, private_data_len);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		      struct sockaddr *dst_addr, int timeout_ms)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_resolve_addr)
		return forward_minus1();
	return table->rdma_resolve_addr(id, src_addr, dst_addr, timeout_ms);
}

int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
			  const char *service,
			  const struct rdma_addrinfo *hints)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_resolve_addrinfo)
		return forward_minus1();
	return table->rdma_resolve_addrinfo(id, node, service, hints);
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_resolve_route)
		return forward_minus1();
	return table->rdma_resolve_route(id, timeout_ms);
}

int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_set_local_ece)
		return forward_minus1();
	return table->rdma_set_local_ece(id, ece);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval,
		    size_t optlen)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_set_option)
		return forward_minus1();
	return table->rdma_set_option(id, level, optname, optval, optlen);
}

int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type event,
			int status, uint64_t arg)
{
	const struct forward_table *table = entry_table_get();

	if (!table->rdma_write_cm_event)
		return forward_minus1();
	return table->rdma_write_cm_event(id, event, status, arg);
}
