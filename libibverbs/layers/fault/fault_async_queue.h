/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of fault_async.h: pending events of contexts, which
 * fault_async_mutex protects.
 */
#ifndef LAYERS_FAULT_ASYNC_QUEUE_H
#define LAYERS_FAULT_ASYNC_QUEUE_H

#include <rdma/ib_user_verbs.h>
#include <stdatomic.h>

#include "layers/fault/fault_async.h"
#include "util/lock.h"

/*
 * The thread raises an event. A provider may call verbs when it moves a QP;
 * these are no events of rules.
 */
extern _Thread_local bool fault_async_is_raising;

struct fault_pending {
	struct fault_pending *next;
	struct fault_object *object; /* is reused: compare @serial */
	enum fault_kind kind;
	uint64_t serial;
	struct ib_uverbs_async_event_desc event;
};

struct fault_context {
	struct fault_context *next;
	struct ibv_context *ctx;
	int provider_fd; /* non-blocking */
	int wait_fd;	 /* of the program; epoll of the two others */
	int pending_fd;	 /* eventfd: ready if an event can be read */
	struct fault_pending *first;
	atomic_bool is_removed;
	bool ports_down[UINT8_MAX + 1];
};

/** fault_async_add_locked() - make an event readable */
void fault_async_add_locked(struct fault_context *fault,
			    struct fault_object *object,
			    enum ibv_event_type type, uint64_t element)
	REQUIRES(fault_async_mutex);

/** fault_get_async_event() - op of contexts that have events of rules */
int fault_get_async_event(struct ibv_context *ctx,
			  struct ib_uverbs_async_event_desc *ret_event);

#endif
