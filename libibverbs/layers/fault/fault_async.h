/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asynchronous events of rules with event=.
 *
 * The descriptor async_fd of the program becomes one of epoll(7) that is ready
 * if the provider's descriptor is, or if events of rules are pending. The op
 * get_async_event returns the latter first. So events of the provider are read
 * only when the program reads them, and their numbers remain those that the
 * provider waits for when it destroys an object.
 *
 * Contexts have this only if a rule has event=. Otherwise every function does
 * nothing.
 */
#ifndef LAYERS_FAULT_ASYNC_H
#define LAYERS_FAULT_ASYNC_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/fault/fault_objects.h"

/** fault_async_attach() - give a context a descriptor for events of rules */
void fault_async_attach(struct ibv_context *ctx);

/** fault_async_detach() - restore the descriptor of the provider */
void fault_async_detach(struct ibv_context *ctx);

/**
 * fault_async_raise() - do what an event means, and make it readable
 * @object: of the call that is the reason of the event
 *
 * QP_FATAL, QP_REQ_ERR and QP_ACCESS_ERR move the QP to ERR; CQ_ERR and SRQ_ERR
 * all QPs of the queue, DEVICE_FATAL all of the context, whose calls fail from
 * then on. PORT_ERR and PORT_ACTIVE change the state that the port reports.
 */
void fault_async_raise(const struct fault_rule *rule,
		       struct fault_object *object);

/** fault_is_removed() - whether DEVICE_FATAL has removed the device */
bool fault_is_removed(const struct ibv_context *ctx);

/** fault_port_is_down() - whether the last event of the port was PORT_ERR */
bool fault_port_is_down(const struct ibv_context *ctx, uint8_t port_num);

/**
 * fault_async_leave() - prepare to destroy a QP, CQ or SRQ
 *
 * Its events cannot be read any more. Waits until the program has acknowledged
 * those that it has read, as the provider does for events of its own. One of
 * the next functions follows.
 */
void fault_async_leave(const void *object);

/** fault_async_stay() - the object was not destroyed */
void fault_async_stay(const void *object);

/** fault_async_drop() - an object of @ctx was destroyed; @serial: its number */
void fault_async_drop(const struct ibv_context *ctx, enum fault_kind kind,
		      uint64_t serial);

/** fault_async_lock_fork() - call before fork() */
void fault_async_lock_fork(void);
void fault_async_unlock_fork(void);

/** fault_async_forked() - in the child, after the lock is released */
void fault_async_forked(void);

#endif
