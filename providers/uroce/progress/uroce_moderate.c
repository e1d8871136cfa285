/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Moderation of completion events (ibv_modify_cq): an event waits for more
 * completions. When the engine raises an event, uroce_worker_pass.c calls
 * uroce_moderate_holds() to decide whether to deliver it now, and at the end of
 * each pass uroce_moderate_deliver() for the waiting ones.
 */
#include "uroce/progress/uroce_moderate.h"
#include "util/clock.h"

#define US UINT64_C(1000)

static bool moderate_is_due(const struct uroce_cq *cq, uint64_t now_ns)
{
	uint32_t nr = cq->ring.head - cq->moderate.from;

	return nr >= cq->moderate.count || !cq->moderate.period_us ||
	       now_ns >= cq->moderate.until_ns;
}

bool uroce_moderate_holds(struct uroce_worker *worker, struct uroce_cq *cq)
{
	struct uroce_moderate *moderate = &cq->moderate;

	if (moderate->count <= 1 || !moderate->period_us)
		return false;
	if (!list_empty(&moderate->entry))
		return true;
	/* worker->now may be stale, and the period is in microseconds */
	moderate->until_ns = verbs_now_ns() + moderate->period_us * US;
	moderate->from = cq->ring.head - 1;
	list_add_tail(&worker->moderated, &moderate->entry);
	return true;
}

void uroce_moderate_deliver(struct uroce_worker *worker)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &worker->moderated) {
		struct uroce_cq *cq =
			list_entry(pos, struct uroce_cq, moderate.entry);

		if (!moderate_is_due(cq, worker->now))
			continue;
		list_del(&cq->moderate.entry);
		worker->process->ops->cq_event(cq, true, false);
	}
}

uint64_t uroce_moderate_deadline(const struct uroce_worker *worker)
{
	uint64_t at_ns = UROCE_NEVER;
	struct list_node *pos;

	list_for_each (pos, &worker->moderated) {
		const struct uroce_cq *cq =
			list_entry(pos, struct uroce_cq, moderate.entry);

		if (cq->moderate.until_ns < at_ns)
			at_ns = cq->moderate.until_ns;
	}
	return at_ns;
}
