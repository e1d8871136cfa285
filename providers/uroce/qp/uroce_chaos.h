/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chaos mode (UROCE_CHAOS): what the specification allows and adapters rarely
 * do. Received data is stored late and in any order, and completions are added
 * to their CQs late. A pseudo-random sequence makes all decisions.
 *
 * IBTA 9.5 (o9-20) and 10.8.3.3 say when data must be visible. Late data of a
 * SEND or WRITE is stored before a receive completion of the QP, before a READ,
 * atomic, FLUSH or ATOMIC WRITE of the QP is executed, and before the ACK:
 * a requester that has the completion may notify the responder by any way. Late
 * data of a READ is stored before a send completion of the QP, and before a
 * fenced request starts. Data for the same bytes is stored in the order of its
 * arrival, and an aligned word of 8 bytes by a single store.
 *
 * With the engine lock. In chaos mode a process has one worker and no shared
 * memory, so all messages take the path that calls these functions.
 */
#ifndef UROCE_CHAOS_H
#define UROCE_CHAOS_H

#include "uroce/qp/uroce_qp.h"

/* Where late data comes from. */
enum uroce_chaos_source {
	UROCE_CHAOS_REQUEST,  /* SEND or WRITE of the peer */
	UROCE_CHAOS_RESPONSE, /* to a READ */
};

/**
 * uroce_chaos_new() - begin
 * @seed: of all decisions; not 0
 *
 * Context: control path.
 * Return: the state, which free() frees; NULL: no memory.
 */
struct uroce_chaos *uroce_chaos_new(uint64_t seed);

/** uroce_chaos_random() - return the next decision, from 0 to @end - 1 */
uint32_t uroce_chaos_random(struct uroce_chaos *chaos, uint32_t end);

/**
 * uroce_chaos_store() - store received data, or keep a copy that is stored late
 * @qp: the QP that has received it; in chaos mode
 * @to: its destination; not NULL
 * @from: the data
 */
void uroce_chaos_store(struct uroce_qp *qp, enum uroce_chaos_source source,
		       uint8_t *to, const uint8_t *from, uint32_t bytes);

/** uroce_chaos_has_late_request() - whether data of a SEND or WRITE is late */
bool uroce_chaos_has_late_request(const struct uroce_qp *qp);

/** uroce_chaos_place() - store the late data of a QP from @source */
void uroce_chaos_place(struct uroce_qp *qp, enum uroce_chaos_source source);

/** uroce_chaos_place_all() - store the late data of all QPs */
void uroce_chaos_place_all(struct uroce_chaos *chaos);

/**
 * uroce_chaos_hold() - keep a completion that is added to its CQ late
 * @core: in chaos mode
 * @solicited: as for uroce_cq_push()
 *
 * Return: false: the CQ has no room; the caller adds the completion.
 */
bool uroce_chaos_hold(struct uroce_core *core, struct uroce_cq *cq,
		      const struct uroce_cqe *cqe, bool solicited);

/** uroce_chaos_release_all() - add all completions to their CQs */
void uroce_chaos_release_all(struct uroce_core *core);

/**
 * uroce_chaos_step() - store some of the late data, and add some completions
 * @core: in chaos mode
 *
 * To be called in each pass, and soon after a pass at whose end
 * uroce_chaos_is_late() is true.
 */
void uroce_chaos_step(struct uroce_core *core);

/** uroce_chaos_is_late() - whether there is late data or a late completion */
bool uroce_chaos_is_late(const struct uroce_chaos *chaos);

#endif
