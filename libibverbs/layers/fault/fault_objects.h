/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts, QPs, CQs and SRQs, with the counts that decisions depend on.
 *
 * An object is never freed, since a thread may look for another one meanwhile:
 * that of a destroyed QP, CQ or SRQ is used again.
 */
#ifndef LAYERS_FAULT_OBJECTS_H
#define LAYERS_FAULT_OBJECTS_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/fault/fault_rules.h"
#include "util/lock.h"

struct fault_cq_ex;
struct fault_wr;

struct fault_object {
	_Atomic(const void *) object; /* NULL: not in use */
	struct fault_object *next; /* in the chain of its address; constant */
	enum fault_kind kind;
	uint64_t serial; /* among those of its kind, from 1 */
	const struct ibv_context *ctx;
	/* Of a CQ or QP; NULL: the provider's functions are called. */
	struct fault_cq_ex *cq_ex;
	struct fault_wr *wr;
	bool is_opaque; /* a CQ whose completions poll_cq cannot return */
	/* Protected by layers_mutex. */
	struct fault_count counts[FAULT_MAX_RULES];
	uint64_t nr_matching[FAULT_MAX_RULES]; /* events, at any time */
	/* Protected by fault_async_mutex (fault_async.h). */
	bool is_going;	       /* it is being destroyed */
	uint32_t nr_read;      /* asynchronous events of the provider */
	uint32_t nr_made_read; /* those of rules, not yet waited for */
};

/*
 * Protects which objects exist, as fault_objects_visit() sees them, and the
 * state of fault_async.h. It is held while the provider moves QPs to ERR, so
 * that none is destroyed meanwhile. fault_requests_mutex and layers_mutex are
 * taken under it.
 */
extern struct verbs_mutex fault_async_mutex;

/**
 * fault_object_add() - number a new object
 *
 * Without memory, the object is unknown, and has no faults.
 *
 * Return: it, or NULL.
 */
struct fault_object *fault_object_add(enum fault_kind kind,
				      const struct ibv_context *ctx,
				      const void *object);

/**
 * fault_object_find() - return an object, or NULL
 *
 * The caller may use the object, so no thread destroys it meanwhile.
 *
 * Context: any thread; takes no lock.
 */
struct fault_object *fault_object_find(const void *object);

/** fault_object_serial() - return the number of an object; 0: unknown */
uint64_t fault_object_serial(const void *object);

/**
 * fault_object_drop() - forget a destroyed object
 * @serial: of fault_object_serial() before it was destroyed; a new object at
 *	the same address stays
 */
void fault_object_drop(enum fault_kind kind, const void *object,
		       uint64_t serial);

/**
 * fault_objects_visit() - call @visit for each object of a kind
 */
void fault_objects_visit(enum fault_kind kind,
			 void (*visit)(struct fault_object *object, void *arg),
			 void *arg) REQUIRES(fault_async_mutex);

/** fault_objects_drop_context() - forget a context, and objects that it left */
void fault_objects_drop_context(struct ibv_context *ctx);

#endif
