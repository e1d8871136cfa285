/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of the kernel's connection manager: each function sends one. Queries
 * are in ucm_query.h, events in ucm_event.h.
 *
 * @fd is a descriptor of ucm_node_open(), @id a number that the kernel assigned
 * to an id of this descriptor (0 is one). The kernel checks the state of the id
 * and the values of all arguments.
 *
 * Functions return 0; -ENODATA if the kernel took only a part of the command;
 * -EPROTO if its response is incomplete or invalid; or the kernel's -errno,
 * among them ENOENT (no such id), EINVAL (wrong state) and ENXIO (the device of
 * the id is gone). After a failure, outputs and errno are unchanged. Any thread
 * may call them.
 */
#ifndef KERNEL_UCM_CMD_H
#define KERNEL_UCM_CMD_H

#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------
 * Ids
 */

/**
 * ucm_cmd_create_id() - create an id
 * @uid: returned by the events of the id; not 0
 * @qp_type: used if @ps is RDMA_PS_IB
 */
int ucm_cmd_create_id(int fd, uint64_t uid, enum rdma_port_space ps,
		      enum ibv_qp_type qp_type, uint32_t *ret_id);

/**
 * ucm_cmd_destroy_id() - destroy an id, and drop its events
 * @ret_nr_events: events of the id that were fetched so far
 */
int ucm_cmd_destroy_id(int fd, uint32_t id, uint32_t *ret_nr_events);

/**
 * ucm_cmd_migrate_id() - move an id with its events to another descriptor
 * @to_fd: receives the id
 * @from_fd: has the id
 * @ret_nr_events: events of the id that were fetched from @from_fd
 */
int ucm_cmd_migrate_id(int to_fd, uint32_t id, int from_fd,
		       uint32_t *ret_nr_events);

/**
 * ucm_cmd_set_option() - set an option of an id
 * @level, @name: RDMA_OPTION_*
 * @value: @len bytes
 */
int ucm_cmd_set_option(int fd, uint32_t id, int level, int name,
		       const void *value, size_t len);

/* Reports an event of the QP. */
int ucm_cmd_notify(int fd, uint32_t id, enum ibv_event_type event);

/* ------------------------------------------------------------------------
 * Addresses and routes. -EINVAL also for an unknown family.
 */

int ucm_cmd_bind(int fd, uint32_t id, const struct sockaddr *addr);

/* @src: or NULL. Causes an event ADDR_RESOLVED or ADDR_ERROR. */
int ucm_cmd_resolve_addr(int fd, uint32_t id, const struct sockaddr *src,
			 const struct sockaddr *dst, int timeout_ms);

/* @timeout_ms: not 0. Causes an event ROUTE_RESOLVED or ROUTE_ERROR. */
int ucm_cmd_resolve_route(int fd, uint32_t id, int timeout_ms);

/**
 * ucm_cmd_resolve_service_id(), ucm_cmd_resolve_service_name() - find a service
 * @service_id: host order
 * @name: at most 63 characters
 *
 * Cause an event ADDRINFO_RESOLVED or ADDRINFO_ERROR. Kernels up to 6.12 return
 * -EINVAL; devices other than InfiniBand have no services (-EOPNOTSUPP).
 */
int ucm_cmd_resolve_service_id(int fd, uint32_t id, uint64_t service_id);
int ucm_cmd_resolve_service_name(int fd, uint32_t id, const char *name);

/* ------------------------------------------------------------------------
 * Connections
 */

/* @backlog: 0 or less, the kernel's maximum */
int ucm_cmd_listen(int fd, uint32_t id, int backlog);

/**
 * ucm_cmd_connect() - send a connection request
 * @param: the kernel checks private_data_len
 * @ece: or NULL
 */
int ucm_cmd_connect(int fd, uint32_t id, const struct rdma_conn_param *param,
		    const struct ibv_ece *ece);

/**
 * ucm_cmd_accept() - send a reply to a connection request
 * @uid: returned by the events of the id from now on
 * @ece: or NULL
 */
int ucm_cmd_accept(int fd, uint32_t id, uint64_t uid,
		   const struct rdma_conn_param *param,
		   const struct ibv_ece *ece);

/* Confirms a reply: the active side is ready to receive. */
int ucm_cmd_confirm(int fd, uint32_t id);

/* @reason: of IBTA; 0: 28, rejected by the consumer */
int ucm_cmd_reject(int fd, uint32_t id, const void *private_data,
		   uint8_t private_data_len, uint8_t reason);

int ucm_cmd_disconnect(int fd, uint32_t id);

/**
 * ucm_cmd_init_qp_attr() - get the attributes that move a QP to a state
 * @ret_mask: enum ibv_qp_attr_mask
 */
int ucm_cmd_init_qp_attr(int fd, uint32_t id, enum ibv_qp_state state,
			 struct ibv_qp_attr *ret_attr, int *ret_mask);

/* ------------------------------------------------------------------------
 * Multicast
 */

/**
 * ucm_cmd_join_mcast() - join a group
 * @uid: returned by the events of this membership
 * @flags: enum rdma_cm_mc_join_flags
 * @ret_member: the number of the membership
 *
 * Causes an event MULTICAST_JOIN or MULTICAST_ERROR. Return: also -EINVAL for
 * an unknown family.
 */
int ucm_cmd_join_mcast(int fd, uint32_t id, uint64_t uid,
		       const struct sockaddr *addr, uint16_t flags,
		       uint32_t *ret_member);

/* @ret_nr_events: events of the membership that were fetched so far */
int ucm_cmd_leave_mcast(int fd, uint32_t member, uint32_t *ret_nr_events);

#endif
