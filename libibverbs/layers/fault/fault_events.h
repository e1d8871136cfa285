/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events, and the decision which rule acts on them. */
#ifndef LAYERS_FAULT_EVENTS_H
#define LAYERS_FAULT_EVENTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "layers/fault/fault_objects.h"
#include "layers/fault/fault_replay.h"
#include "layers/fault/fault_rules.h"

struct fault_event {
	enum fault_call call;
	struct fault_object *object; /* NULL: unknown, and no rule acts */
	uint64_t bytes;		     /* of a memory region; 0 for others */

	/* Requests of a post; NULL for other calls. */
	const struct ibv_send_wr *sends;
	const struct ibv_recv_wr *recvs;

	/* Completions that a poll has returned; NULL before the poll. */
	const struct ibv_wc *wc;
	int nr_wc;
};

struct fault_decision {
	enum fault_call call;
	const struct fault_rule *rule; /* NULL: none acts */
	struct fault_object *object;   /* of the event, if a rule acts */
	uint64_t hash;		       /* constant for the event */
	bool is_removed;	       /* the device; the call fails */
};

/**
 * fault_plan_start() - use a plan; it is constant from now on
 * @replay: the faults to repeat; NULL: the selectors of the rules decide
 */
void fault_plan_start(const struct fault_plan *plan,
		      const struct fault_replay *replay);

/** fault_events_are_possible() - whether there is a rule with event= */
bool fault_events_are_possible(void);

/**
 * fault_has_rule_at_time() - whether a rule has event= without a call
 * @index: 0 to FAULT_MAX_RULES - 1
 * @ret_due_ns: as verbs_now_ns()
 */
bool fault_has_rule_at_time(unsigned int index, uint64_t *ret_due_ns);

/**
 * fault_decide_at_time() - let such a rule decide on an object
 *
 * Return: it, or NULL if it does not act.
 */
const struct fault_rule *fault_decide_at_time(unsigned int index,
					      struct fault_object *object);

/** fault_polls_are_events() - whether rules need to see ibv_start_poll() */
bool fault_polls_are_events(void);

/** fault_posts_are_events() - likewise ibv_wr_start() */
bool fault_posts_are_events(void);

/** fault_wc_is_possible() - whether a rule with wc= may act on a QP */
bool fault_wc_is_possible(const struct fault_object *qp);

/** fault_shuffle_is_possible() - likewise with shuffle on a CQ */
bool fault_shuffle_is_possible(const struct fault_object *cq);

/**
 * fault_decide() - find the rule that acts on a call, and write it to the log
 *
 * Rules with wc= select requests, not calls, so they are not considered.
 */
struct fault_decision fault_decide(const struct fault_event *event);

/** fault_decide_wc() - likewise for a send request and rules with wc= */
struct fault_decision fault_decide_wc(struct fault_object *qp,
				      const struct ibv_send_wr *wr);

/**
 * fault_may_choose_next() - whether a rule with wc= may act on the next request
 *
 * It does if the next request matches the selectors of the rule.
 */
bool fault_may_choose_next(struct fault_object *qp);

/** fault_duration_ns() - time of a rule with delay= or hold= */
uint64_t fault_duration_ns(struct fault_decision decision);

/** fault_hold_is_possible() - whether a rule with hold= may act on a QP */
bool fault_hold_is_possible(const struct fault_object *qp);

#endif
