/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The heap of deadlines; uroce_engine_expire() handles those that passed. */
#include "uroce/roce/uroce_timers.h"

#include <errno.h>
#include <stdlib.h>

#include "uroce/roce/uroce_roce.h"

int uroce_timers_reserve(struct uroce_engine *engine, uint32_t nr)
{
	uint32_t max = engine->max_timers ? engine->max_timers : 16;
	struct uroce_roce **grown;

	if (nr <= engine->max_timers)
		return 0;
	while (max < nr)
		max *= 2;
	grown = reallocarray(engine->timers, max, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	engine->timers = grown;
	engine->max_timers = max;
	return 0;
}

static void timers_place(struct uroce_engine *engine, uint32_t at,
			 struct uroce_roce *roce)
{
	engine->timers[at] = roce;
	roce->heap_at = at + 1;
}

/* Moves @roce from the place @at up or down until the heap is ordered. */
static void sift(struct uroce_engine *engine, uint32_t at,
		 struct uroce_roce *roce)
{
	struct uroce_roce **timers = engine->timers;
	uint32_t child;

	while (at && timers[(at - 1) / 2]->heap_ns > roce->heap_ns) {
		timers_place(engine, at, timers[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	while ((child = 2 * at + 1) < engine->nr_timers) {
		if (child + 1 < engine->nr_timers &&
		    timers[child + 1]->heap_ns < timers[child]->heap_ns)
			child++;
		if (timers[child]->heap_ns >= roce->heap_ns)
			break;
		timers_place(engine, at, timers[child]);
		at = child;
	}
	timers_place(engine, at, roce);
}

void uroce_timers_set(struct uroce_engine *engine, struct uroce_qp *qp,
		      uint64_t at_ns)
{
	struct uroce_roce *roce = qp->roce;
	uint32_t at;

	if (at_ns == UROCE_NEVER || (roce->heap_at && roce->heap_ns <= at_ns))
		return;
	at = roce->heap_at ? roce->heap_at - 1 : engine->nr_timers++;
	roce->heap_ns = at_ns;
	timers_place(engine, at, roce);
	sift(engine, at, roce);
}

void uroce_timers_remove(struct uroce_engine *engine, struct uroce_qp *qp)
{
	struct uroce_roce *last;
	uint32_t at = qp->roce->heap_at;

	if (!at)
		return;
	qp->roce->heap_at = 0;
	last = engine->timers[--engine->nr_timers];
	if (last != qp->roce)
		sift(engine, at - 1, last);
}

uint64_t uroce_engine_deadline(const struct uroce_engine *engine)
{
	return engine->nr_timers ? engine->timers[0]->heap_ns : UROCE_NEVER;
}
