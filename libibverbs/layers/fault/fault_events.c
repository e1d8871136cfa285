/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_events.h. */
#include "layers/fault/fault_events.h"

#include <string.h>
#include <time.h>

#include "layers/fault/fault_async_queue.h"
#include "layers/fault/fault_log.h"
#include "layers/fault/fault_replay.h"
#include "layers/layers_record.h"
#include "util/clock.h"

/* Constant after fault_plan_start(). */
static const struct fault_plan *plan;
static const struct fault_replay *plan_replay; /* NULL: there is none */
static uint64_t start_ns;

void fault_plan_start(const struct fault_plan *from,
		      const struct fault_replay *replay)
{
	plan = from;
	plan_replay = replay;
	start_ns = verbs_now_ns();
}

/* ------------------------------------------------------------------------ */
/* Selectors of events                                                       */
/* ------------------------------------------------------------------------ */

/* A program may post a request that the provider would refuse. */
#define MAX_SGES 1024

static uint64_t sges_length(const struct ibv_sge *sges, int nr)
{
	uint64_t length = 0;

	if (!sges || nr > MAX_SGES)
		return 0;
	for (int i = 0; i < nr; i++)
		length += sges[i].length;
	return length;
}

static bool rule_has(const struct fault_rule *rule, unsigned int selector)
{
	return (rule->selectors & selector) != 0;
}

static bool rule_takes_bytes(const struct fault_rule *rule, uint64_t bytes)
{
	return !rule_has(rule, FAULT_HAS_BYTES) ||
	       (bytes >= rule->min_bytes && bytes <= rule->max_bytes);
}

static bool rule_takes_send(const struct fault_rule *rule,
			    const struct ibv_send_wr *wr)
{
	if (rule_has(rule, FAULT_HAS_OP) && wr->opcode != rule->op)
		return false;
	return !rule_has(rule, FAULT_HAS_BYTES) ||
	       rule_takes_bytes(rule, sges_length(wr->sg_list, wr->num_sge));
}

/* A list matches if one of its requests does. */
static bool rule_takes_sends(const struct fault_rule *rule,
			     const struct ibv_send_wr *wr)
{
	for (; wr; wr = wr->next)
		if (rule_takes_send(rule, wr))
			return true;
	return false;
}

static bool rule_takes_recvs(const struct fault_rule *rule,
			     const struct ibv_recv_wr *wr)
{
	if (!rule_has(rule, FAULT_HAS_BYTES))
		return true;
	for (; wr; wr = wr->next)
		if (rule_takes_bytes(rule,
				     sges_length(wr->sg_list, wr->num_sge)))
			return true;
	return false;
}

/* Rules with status= act after a poll, the others before. */
static bool rule_takes_status(const struct fault_rule *rule,
			      const struct fault_event *event)
{
	if (!rule_has(rule, FAULT_HAS_STATUS))
		return !event->wc;
	for (int i = 0; event->wc && i < event->nr_wc; i++)
		if (event->wc[i].status == rule->selected_status)
			return true;
	return false;
}

static bool rule_takes_serial(const struct fault_rule *rule,
			      unsigned int selector, uint64_t serial,
			      const struct fault_object *object)
{
	return !rule_has(rule, selector) || serial == FAULT_ANY ||
	       serial == object->serial;
}

static bool rule_takes_object(const struct fault_rule *rule,
			      const struct fault_object *object)
{
	if (!rule_takes_serial(rule, FAULT_HAS_QP, rule->qp, object) ||
	    !rule_takes_serial(rule, FAULT_HAS_CQ, rule->cq, object) ||
	    !rule_takes_serial(rule, FAULT_HAS_SRQ, rule->srq, object))
		return false;
	return !rule_has(rule, FAULT_HAS_DEV) ||
	       strcmp(rule->dev, object->ctx->device->name) == 0;
}

static bool rule_takes_time(const struct fault_rule *rule)
{
	const unsigned int times = FAULT_HAS_AFTER | FAULT_HAS_BEFORE;

	return !(rule->choice.has & times) ||
	       fault_choice_is_now(&rule->choice, verbs_now_ns() - start_ns);
}

static bool rule_takes_event(const struct fault_rule *rule,
			     const struct fault_event *event)
{
	if (rule->action == FAULT_WC || rule->call != event->call ||
	    !rule_takes_object(rule, event->object) ||
	    !rule_takes_status(rule, event))
		return false;
	switch (event->call) {
	case FAULT_POST_SEND:
		return rule_takes_sends(rule, event->sends);
	case FAULT_POST_RECV:
	case FAULT_POST_SRQ_RECV:
		return rule_takes_recvs(rule, event->recvs);
	default:
		return rule_takes_bytes(rule, event->bytes);
	}
}

/* ------------------------------------------------------------------------ */
/* Decisions                                                                 */
/* ------------------------------------------------------------------------ */

static uint64_t event_hash(const struct fault_rule *rule,
			   const struct fault_object *object, uint64_t event)
{
	return fault_hash(plan->seed, (uint64_t)(rule - plan->rules),
			  (uint64_t)object->kind, object->serial, event);
}

/* The fault of an event in the run that is replayed, or NULL. */
static struct fault_replayed *event_find_replayed(const struct fault_rule *rule,
						  struct fault_object *object,
						  uint64_t event)
{
	const struct fault_replayed wanted = {
		.rule = (unsigned int)(rule - plan->rules),
		.kind = object->kind,
		.serial = object->serial,
		.event = event,
	};

	return fault_replay_find(plan_replay, &wanted);
}

static bool event_replay(const struct fault_rule *rule,
			 struct fault_object *object, uint64_t event)
{
	struct fault_replayed *found = event_find_replayed(rule, object, event);

	if (found)
		atomic_store(&found->is_repeated, true);
	return found != NULL;
}

/*
 * Counts an event that matches a rule. The count and the decision are one step,
 * so that the first events use up a limit, whatever thread they belong to.
 *
 * @is_time: it is the time of the rule
 *
 * Return: the number of the event if the rule acts; otherwise 0.
 */
static uint64_t rule_count_event(const struct fault_rule *rule,
				 struct fault_object *object, bool is_time)
{
	size_t index = (size_t)(rule - plan->rules);
	uint64_t event;
	bool acts;

	layers_lock();
	event = ++object->nr_matching[index];
	if (plan_replay)
		acts = event_replay(rule, object, event);
	else
		acts = is_time &&
		       fault_choice_count(&rule->choice, &object->counts[index],
					  event_hash(rule, object, event)) != 0;
	layers_unlock();
	return acts ? event : 0;
}

/* Counts an event that matches a rule. Return: whether the rule acts. */
static bool rule_acts(const struct fault_rule *rule,
		      struct fault_object *object, bool is_time,
		      struct fault_decision *ret_decision)
{
	uint64_t event = rule_count_event(rule, object, is_time);

	if (event == 0)
		return false;
	fault_log(rule, object, event);
	ret_decision->rule = rule;
	ret_decision->object = object;
	ret_decision->hash = event_hash(rule, object, event);
	return true;
}

static bool call_is_destroy(enum fault_call call)
{
	switch (call) {
	case FAULT_DEALLOC_PD:
	case FAULT_CLOSE_XRCD:
	case FAULT_DEREG_MR:
	case FAULT_DEALLOC_MW:
	case FAULT_DESTROY_AH:
	case FAULT_DESTROY_CQ:
	case FAULT_DESTROY_SRQ:
	case FAULT_DESTROY_QP:
		return true;
	default:
		return false;
	}
}

struct fault_decision fault_decide(const struct fault_event *event)
{
	struct fault_decision decision = { .call = event->call };

	if (fault_async_is_raising)
		return decision;
	if (event->object && fault_is_removed(event->object->ctx)) {
		decision.is_removed = !call_is_destroy(event->call);
		return decision;
	}

	for (unsigned int i = 0; event->object && i < plan->nr_rules; i++)
		if (rule_takes_event(&plan->rules[i], event) &&
		    rule_acts(&plan->rules[i], event->object,
			      rule_takes_time(&plan->rules[i]), &decision))
			break;
	return decision;
}

struct fault_decision fault_decide_wc(struct fault_object *qp,
				      const struct ibv_send_wr *wr)
{
	struct fault_decision decision = {};

	for (unsigned int i = 0; i < plan->nr_rules; i++) {
		const struct fault_rule *rule = &plan->rules[i];

		if (rule->action == FAULT_WC && rule_takes_object(rule, qp) &&
		    rule_takes_send(rule, wr) &&
		    rule_acts(rule, qp, rule_takes_time(rule), &decision))
			break;
	}
	return decision;
}

static bool action_is_possible(enum fault_action action,
			       const struct fault_object *object)
{
	for (unsigned int i = 0; i < plan->nr_rules; i++)
		if (plan->rules[i].action == action &&
		    rule_takes_object(&plan->rules[i], object))
			return true;
	return false;
}

bool fault_has_rule_at_time(unsigned int index, uint64_t *ret_due_ns)
{
	const struct fault_rule *rule = &plan->rules[index];

	if (index >= plan->nr_rules || rule->action != FAULT_EVENT ||
	    rule->call != FAULT_NO_CALL)
		return false;
	*ret_due_ns = start_ns + rule->choice.after_ns;
	return true;
}

const struct fault_rule *fault_decide_at_time(unsigned int index,
					      struct fault_object *object)
{
	const struct fault_rule *rule = &plan->rules[index];
	struct fault_decision decision = {};

	if (object->kind == fault_event_kind(rule->event_type) &&
	    rule_takes_object(rule, object))
		(void)rule_acts(rule, object, true, &decision);
	return decision.rule;
}

bool fault_events_are_possible(void)
{
	for (unsigned int i = 0; i < plan->nr_rules; i++)
		if (plan->rules[i].action == FAULT_EVENT)
			return true;
	return false;
}

bool fault_polls_are_events(void)
{
	for (unsigned int i = 0; i < plan->nr_rules; i++)
		if (plan->rules[i].action == FAULT_WC ||
		    plan->rules[i].call == FAULT_POLL_CQ)
			return true;
	return false;
}

/* After DEVICE_FATAL, posts fail, so they are not left to the provider. */
bool fault_posts_are_events(void)
{
	for (unsigned int i = 0; i < plan->nr_rules; i++)
		if (plan->rules[i].call == FAULT_POST_SEND ||
		    plan->rules[i].action == FAULT_EVENT)
			return true;
	return false;
}

bool fault_wc_is_possible(const struct fault_object *qp)
{
	return action_is_possible(FAULT_WC, qp);
}

bool fault_shuffle_is_possible(const struct fault_object *cq)
{
	return action_is_possible(FAULT_SHUFFLE, cq);
}

bool fault_hold_is_possible(const struct fault_object *qp)
{
	return action_is_possible(FAULT_HOLD, qp);
}

static bool rule_may_choose_next_locked(const struct fault_rule *rule,
					struct fault_object *qp)
	REQUIRES(layers_mutex)
{
	size_t index = (size_t)(rule - plan->rules);
	uint64_t next = qp->nr_matching[index] + 1;

	if (plan_replay)
		return event_find_replayed(rule, qp, next) != NULL;
	return fault_choice_takes(&rule->choice, &qp->counts[index],
				  event_hash(rule, qp, next));
}

bool fault_may_choose_next(struct fault_object *qp)
{
	bool may = false;

	layers_lock();
	for (unsigned int i = 0; i < plan->nr_rules; i++)
		if (plan->rules[i].action == FAULT_WC &&
		    rule_takes_object(&plan->rules[i], qp) &&
		    rule_may_choose_next_locked(&plan->rules[i], qp))
			may = true;
	layers_unlock();
	return may;
}

uint64_t fault_duration_ns(struct fault_decision decision)
{
	return fault_hash_between(decision.hash, decision.rule->min_ns,
				  decision.rule->max_ns);
}
