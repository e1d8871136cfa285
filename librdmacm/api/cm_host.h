/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engines of the connection manager, one for each device, and their lock:
 * MADs of the GSI and deadlines enter here, MADs and events leave here.
 */
#ifndef API_CM_HOST_H
#define API_CM_HOST_H

#include "api/own_id.h"

#include "util/lock.h"

/* Engines, and the members of ids and devices that own_id.h names */
extern struct verbs_mutex host_mutex;

/**
 * host_device_start() - begin connection management on a device
 * @device: with context, attributes and gsi_ops
 *
 * Context: without host_mutex, since MADs may arrive at once.
 * Return: 0, or -errno.
 */
int host_device_start(struct own_device *device);

/**
 * host_conn_add_locked() - give an id a connection in the engine of its device
 *
 * Return: 0, or -EADDRNOTAVAIL if the process has no unused comm id.
 */
int host_conn_add_locked(struct own_id *own) REQUIRES(host_mutex);

/**
 * host_conn_confirm() - send the RTU
 *
 * Return: 0, or -EINVAL if the id does not wait for it.
 */
int host_conn_confirm(struct own_id *own);

/**
 * host_watch_peer_locked() - end the connection when the peer's process ends
 *
 * For a connection that has its peer; on this host only. The connection ends in
 * the call if the process has ended already.
 */
void host_watch_peer_locked(struct own_id *own) REQUIRES(host_mutex);

/**
 * host_sidr_resolve_locked() - send a SIDR_REQ for an id
 * @param: this function chooses the request id
 *
 * Return: 0, or -EADDRNOTAVAIL if the process has no unused request id.
 */
int host_sidr_resolve_locked(struct own_id *own, struct cm_sidr_param *param)
	REQUIRES(host_mutex);

/* Ends the connection or the resolution of an id, in any state. */
void host_conn_remove_locked(struct own_id *own) REQUIRES(host_mutex);

/* Posts the event of a call of the engine, and sets the timer. The caller sends
 * the MADs. */
void host_deliver_locked(struct own_device *device, const struct cm_output *out)
	REQUIRES(host_mutex);

/* Sends the MADs of a call of the engine, with or without host_mutex. */
void host_send(const struct own_device *device, const struct cm_output *out);

/* Both */
void host_flush_locked(struct own_device *device, const struct cm_output *out)
	REQUIRES(host_mutex);

enum own_id_state host_id_state(const struct own_id *own);
void host_id_set_state(struct own_id *own, enum own_id_state state);

/* Processes the deadlines that have come; called by the timer thread. */
void host_expire(void);

#endif
