/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs by deadline: a binary heap. A QP's time in the heap (heap_ns) may be
 * earlier than its real deadline: an ACK postpones the deadline, but leaves the
 * heap alone. uroce_engine_expire() corrects heap_ns when that time has come.
 */
#ifndef UROCE_TIMERS_H
#define UROCE_TIMERS_H

#include "uroce/roce/uroce_engine.h"

/** uroce_timers_reserve() - allocate a heap for @nr QPs; 0, or -ENOMEM */
int uroce_timers_reserve(struct uroce_engine *engine, uint32_t nr);

/** uroce_timers_set() - expire @qp at @at_ns, or earlier if already set */
void uroce_timers_set(struct uroce_engine *engine, struct uroce_qp *qp,
		      uint64_t at_ns);

/** uroce_timers_remove() - remove @qp from the heap, if it is there */
void uroce_timers_remove(struct uroce_engine *engine, struct uroce_qp *qp);

#endif
