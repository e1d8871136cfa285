/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lists of the engine: QPs that were kicked, and QPs with packets to send.
 */
#include "uroce/roce/uroce_engine.h"

#include "uroce/qp/uroce_chaos.h"
#include "uroce/roce/uroce_delack.h"

/* In chaos mode: QPs that move behind the others, and packets in a row. */
#define MAX_MOVED	8
#define MAX_CHAOS_BURST 8

void uroce_engine_kick(struct uroce_engine *engine, struct uroce_qp *qp)
{
	struct uroce_qp *first;

	if (__atomic_exchange_n(&qp->roce->kicked, 1, __ATOMIC_SEQ_CST))
		return; /* already in the list */
	first = __atomic_load_n(&engine->kicks, __ATOMIC_RELAXED);
	do {
		qp->roce->next_kick = first;
		/* pairs with the exchange in uroce_engine_take_kicks() */
	} while (!__atomic_compare_exchange_n(&engine->kicks, &first, qp, true,
					      __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
}

void uroce_engine_take_kicks(struct uroce_engine *engine)
{
	struct uroce_qp *qp, *next;

	if (!uroce_engine_has_kicks(engine))
		return;
	qp = __atomic_exchange_n(&engine->kicks, NULL, __ATOMIC_SEQ_CST);
	for (; qp; qp = next) {
		next = qp->roce->next_kick;
		/* from here on another kick links the QP again */
		__atomic_store_n(&qp->roce->kicked, 0, __ATOMIC_SEQ_CST);
		uroce_engine_activate(engine, qp);
	}
}

void uroce_engine_activate(struct uroce_engine *engine, struct uroce_qp *qp)
{
	uroce_delack_has_posted(qp);
	if (list_empty(&qp->roce->active) && qp->state != IBV_QPS_RESET)
		list_add_tail(&engine->active, &qp->roce->active);
}

void uroce_engine_chaos(struct uroce_engine *engine)
{
	struct uroce_chaos *chaos = engine->core.chaos;
	uint32_t nr_behind = uroce_chaos_random(chaos, MAX_MOVED);

	uroce_engine_take_kicks(engine);
	for (; nr_behind && !list_empty(&engine->active); nr_behind--) {
		struct list_node *first = engine->active.next;

		list_del(first);
		list_add_tail(&engine->active, first);
	}
	engine->burst = 0;
	engine->max_burst = 1 + uroce_chaos_random(chaos, MAX_CHAOS_BURST);
	uroce_chaos_step(&engine->core);
}
