/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the QPs of a worker share besides the protocol (uroce_engine.h): keys,
 * counters, and the lists of objects with events for the worker. With the
 * engine lock.
 */
#ifndef UROCE_CORE_H
#define UROCE_CORE_H

#include <stdint.h>

#include "uroce/qp/uroce_counters.h"
#include "uroce/qp/uroce_memory.h"
#include "util/list.h"

struct uroce_chaos;
struct uroce_cq;
struct uroce_qp;
struct uroce_rq;

/* Row of the table of XRC SRQs. */
struct uroce_xrc_entry {
	struct uroce_rq *rq; /* NULL: free */
	uint8_t generation;
};

/* See uroce_xrc.h. */
struct uroce_xrc {
	struct uroce_xrc_entry *rqs; /* by index */
	uint32_t nr_rqs;
	struct list_node targets; /* struct uroce_qp */
	struct list_node domains; /* of verbs/ */
};

struct uroce_core {
	struct uroce_memory *memory;
	struct uroce_chaos *chaos; /* NULL: no chaos mode (uroce_chaos.h) */
	struct uroce_xrc xrc;
	struct uroce_counters counters;
	/* on_qp() - state or attributes have changed; NULL is allowed */
	void (*on_qp)(void *arg, const struct uroce_qp *qp);
	void *arg;
	struct uroce_cq *cq_events;
	struct uroce_rq *rq_events;
	struct uroce_qp *qp_events;
	struct list_node faulted; /* QPs whose fault is not applied yet */
};

/** uroce_core_has_events() - whether an object is in an event list */
static inline bool uroce_core_has_events(const struct uroce_core *core)
{
	return (uintptr_t)core->cq_events | (uintptr_t)core->rq_events |
	       (uintptr_t)core->qp_events;
}

/**
 * uroce_core_take_cq() - take a CQ out of the event list; NULL if empty
 *
 * The caller reads and resets cq->wake and cq->report_overrun.
 */
struct uroce_cq *uroce_core_take_cq(struct uroce_core *core);

/** uroce_core_take_rq() - take an SRQ that has reached its limit, or NULL */
struct uroce_rq *uroce_core_take_rq(struct uroce_core *core);

/**
 * uroce_core_take_qp() - take a QP with events, or NULL
 *
 * The caller reads and resets qp->events.
 */
struct uroce_qp *uroce_core_take_qp(struct uroce_core *core);

/** uroce_core_forget_cq() - drop the events of a CQ before it is freed */
void uroce_core_forget_cq(struct uroce_core *core, struct uroce_cq *cq);

/** uroce_core_forget_rq() - drop the events of an SRQ before it is freed */
void uroce_core_forget_rq(struct uroce_core *core, struct uroce_rq *rq);

/** uroce_core_count() - add to a counter */
static inline void uroce_core_count(struct uroce_core *core,
				    enum uroce_counter counter, uint64_t n)
{
	core->counters.count[counter] += n;
}

/** uroce_core_cq_event() - add a CQ to the event list */
void uroce_core_cq_event(struct uroce_core *core, struct uroce_cq *cq);

/** uroce_core_rq_event() - add an SRQ to the event list */
void uroce_core_rq_event(struct uroce_core *core, struct uroce_rq *rq);

/**
 * uroce_core_apply_faults() - do what the faults of QPs require (IBTA 10.3.1)
 *
 * Call it when no packet is unsent that points to memory of a work request. The
 * affected work requests complete, at the latest after 2 s.
 */
void uroce_core_apply_faults(struct uroce_core *core, uint64_t now);

/** uroce_core_forget_qp() - drop the events of a QP before it is freed */
void uroce_core_forget_qp(struct uroce_core *core, struct uroce_qp *qp);

#endif
