/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs by deadline: a binary heap. A place in the heap may be earlier than the
 * QP's real deadline, because that moves back with each acknowledgement; it is
 * put right when its time has come. So an acknowledgement costs nothing here.
 */
#ifndef UROCE_TIMERS_H
#define UROCE_TIMERS_H

#include "uroce/engine/uroce_engine.h"

/** uroce_timers_reserve() - have room for @nr QPs; 0, or -ENOMEM */
int uroce_timers_reserve(struct uroce_engine *engine, uint32_t nr);

/** uroce_timers_set() - be sure to come to @qp at @at_ns, or before it */
void uroce_timers_set(struct uroce_engine *engine, struct uroce_qp *qp,
		      uint64_t at_ns);

/** uroce_timers_remove() - forget @qp */
void uroce_timers_remove(struct uroce_engine *engine, struct uroce_qp *qp);

#endif
