/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deadlines: a pairing heap whose nodes are in their owners. Arming is O(1),
 * taking the first is O(log n) amortized; nothing is allocated.
 */
#ifndef CM_CM_TIMER_H
#define CM_CM_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros is a timer that is not armed. */
struct cm_timer {
	uint64_t deadline_ns;
	struct cm_timer *child; /* the first of those that are not earlier */
	struct cm_timer *next;	/* sibling */
	struct cm_timer *prev;	/* sibling, or the parent of a first child */
	bool armed;
};

struct cm_timers {
	struct cm_timer *first; /* the earliest; NULL: none is armed */
};

/* Sets the deadline, also of a timer that is armed. */
void cm_timer_arm(struct cm_timers *timers, struct cm_timer *timer,
		  uint64_t deadline_ns);

/* Does nothing if the timer is not armed. */
void cm_timer_disarm(struct cm_timers *timers, struct cm_timer *timer);

#endif
