/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pairing heap of deadlines. Called by the state machine. */
#include "cm/cm_timer.h"

#include <stddef.h>

/* Merges two heaps without siblings; either may be NULL. */
static struct cm_timer *timer_merge(struct cm_timer *a, struct cm_timer *b)
{
	struct cm_timer *first, *later;

	if (!a)
		return b;
	if (!b)
		return a;
	first = a->deadline_ns <= b->deadline_ns ? a : b;
	later = first == a ? b : a;
	later->prev = first;
	later->next = first->child;
	if (first->child)
		first->child->prev = later;
	first->child = later;
	return first;
}

/* Makes a list of siblings one heap: in pairs, then from the last pair on. */
static struct cm_timer *timer_merge_siblings(struct cm_timer *list)
{
	struct cm_timer *pairs = NULL, *heap = NULL;

	while (list) {
		struct cm_timer *a = list, *b = a->next;

		list = b ? b->next : NULL;
		a->next = NULL;
		a->prev = NULL;
		if (b) {
			b->next = NULL;
			b->prev = NULL;
		}
		a = timer_merge(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct cm_timer *pair = pairs;

		pairs = pair->next;
		pair->next = NULL;
		heap = timer_merge(heap, pair);
	}
	return heap;
}

void cm_timer_disarm(struct cm_timers *timers, struct cm_timer *timer)
{
	struct cm_timer *children;

	if (!timer->armed)
		return;
	children = timer_merge_siblings(timer->child);
	if (timers->first == timer) {
		timers->first = children;
	} else {
		if (timer->prev->child == timer)
			timer->prev->child = timer->next;
		else
			timer->prev->next = timer->next;
		if (timer->next)
			timer->next->prev = timer->prev;
		timers->first = timer_merge(timers->first, children);
	}
	timer->child = NULL;
	timer->next = NULL;
	timer->prev = NULL;
	timer->armed = false;
}

void cm_timer_arm(struct cm_timers *timers, struct cm_timer *timer,
		  uint64_t deadline_ns)
{
	cm_timer_disarm(timers, timer);
	timer->deadline_ns = deadline_ns;
	timer->armed = true;
	timers->first = timer_merge(timers->first, timer);
}
