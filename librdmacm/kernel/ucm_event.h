/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the kernel's connection manager. Return values are those of
 * ucm_cmd.h.
 */
#ifndef KERNEL_UCM_EVENT_H
#define KERNEL_UCM_EVENT_H

#include <rdma/rdma_cma.h>
#include <rdma/rdma_cma_abi.h>
#include <stdint.h>

/*
 * One event. @uid and @id are those of the id, with two exceptions: a
 * CONNECT_REQUEST has the uid of the listening id and the number of the new id,
 * and events of multicast have those of the membership.
 */
struct ucm_event {
	uint64_t uid; /* 0: of an id that has none yet */
	uint32_t id;
	uint32_t event;	    /* enum rdma_cm_event_type, or newer than it */
	int status;	    /* as in struct rdma_cm_event */
	struct ibv_ece ece; /* of the peer; all 0: none */
	/* private: */
	struct ucma_abi_event_resp response;
};

/**
 * ucm_cmd_get_event() - take the first event of a descriptor
 *
 * Return: also -EAGAIN: there is no event.
 */
int ucm_cmd_get_event(int fd, struct ucm_event *ret_event);

/*
 * The parameters of an event. Those of multicast, and of ids of the type UD,
 * are ucm_event_ud(), those of USER and INTERNAL ucm_event_arg(), all others
 * ucm_event_conn(). The private data has at most 255 bytes and is a part of
 * @event; it is NULL if its length is 0.
 */
struct rdma_conn_param ucm_event_conn(const struct ucm_event *event);
struct rdma_ud_param ucm_event_ud(const struct ucm_event *event);
uint64_t ucm_event_arg(const struct ucm_event *event);

/**
 * ucm_cmd_write_event() - add an event to the queue of an id
 * @event: RDMA_CM_EVENT_USER or RDMA_CM_EVENT_INTERNAL
 *
 * Return: also -EINVAL on kernels up to 6.12, which lack the command.
 */
int ucm_cmd_write_event(int fd, uint32_t id, enum rdma_cm_event_type event,
			int status, uint64_t arg);

#endif
