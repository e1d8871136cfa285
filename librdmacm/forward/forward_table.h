/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of the distribution's librdmacm, to which this library forwards the
 * calls that it does not implement itself.
 */
#ifndef FORWARD_FORWARD_TABLE_H
#define FORWARD_FORWARD_TABLE_H

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <rdma/rsocket.h>

/* X(name) for each function */
#define FORWARD_NAMES(X)              \
	X(raccept)                    \
	X(rbind)                      \
	X(rclose)                     \
	X(rconnect)                   \
	X(rdma_accept)                \
	X(rdma_ack_cm_event)          \
	X(rdma_bind_addr)             \
	X(rdma_connect)               \
	X(rdma_create_ep)             \
	X(rdma_create_event_channel)  \
	X(rdma_create_id)             \
	X(rdma_create_qp)             \
	X(rdma_create_qp_ex)          \
	X(rdma_create_srq)            \
	X(rdma_create_srq_ex)         \
	X(rdma_destroy_ep)            \
	X(rdma_destroy_event_channel) \
	X(rdma_destroy_id)            \
	X(rdma_destroy_qp)            \
	X(rdma_destroy_srq)           \
	X(rdma_disconnect)            \
	X(rdma_establish)             \
	X(rdma_event_str)             \
	X(rdma_free_devices)          \
	X(rdma_freeaddrinfo)          \
	X(rdma_get_cm_event)          \
	X(rdma_get_devices)           \
	X(rdma_get_dst_port)          \
	X(rdma_get_remote_ece)        \
	X(rdma_get_request)           \
	X(rdma_get_src_port)          \
	X(rdma_getaddrinfo)           \
	X(rdma_init_qp_attr)          \
	X(rdma_join_multicast)        \
	X(rdma_join_multicast_ex)     \
	X(rdma_leave_multicast)       \
	X(rdma_listen)                \
	X(rdma_migrate_id)            \
	X(rdma_notify)                \
	X(rdma_query_addrinfo)        \
	X(rdma_reject)                \
	X(rdma_reject_ece)            \
	X(rdma_resolve_addr)          \
	X(rdma_resolve_addrinfo)      \
	X(rdma_resolve_route)         \
	X(rdma_set_local_ece)         \
	X(rdma_set_option)            \
	X(rdma_write_cm_event)        \
	X(repoll_create)              \
	X(repoll_ctl)                 \
	X(repoll_wait)                \
	X(rfcntl)                     \
	X(rgetpeername)               \
	X(rgetsockname)               \
	X(rgetsockopt)                \
	X(riomap)                     \
	X(riounmap)                   \
	X(riowrite)                   \
	X(rlisten)                    \
	X(rpoll)                      \
	X(rread)                      \
	X(rreadv)                     \
	X(rrecv)                      \
	X(rrecvfrom)                  \
	X(rrecvmsg)                   \
	X(rselect)                    \
	X(rsend)                      \
	X(rsendmsg)                   \
	X(rsendto)                    \
	X(rsetsockopt)                \
	X(rshutdown)                  \
	X(rsocket)                    \
	X(rwrite)                     \
	X(rwritev)

#define FORWARD_MEMBER(name) __typeof__(name) *name;

/* A member is NULL if the distribution's library does not have the function. */
struct forward_table {
	FORWARD_NAMES(FORWARD_MEMBER)
};

/**
 * forward_table_get() - the functions of the distribution's library
 *
 * Loads that library on the first call, and never unloads it.
 *
 * Context: any thread.
 * Return: never NULL; all members are NULL if there is no such library.
 */
const struct forward_table *forward_table_get(void);

/* Results of a function that the distribution's library lacks; errno ENOSYS. */
int forward_minus1(void);
void *forward_null(void);

#endif
