/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Combinations of actions, calls and selectors: see fault_rules.h. */
#include "layers/fault/fault_rules.h"

#include "core/event_object.h"

enum fault_kind fault_event_kind(enum ibv_event_type type)
{
	switch (verbs_event_object(type)) {
	case EVENT_OF_CQ:
		return FAULT_CQ;
	case EVENT_OF_QP:
		return FAULT_QP;
	case EVENT_OF_SRQ:
		return FAULT_SRQ;
	case EVENT_OF_DEVICE:
	case EVENT_OF_WQ:
		break;
	}
	return FAULT_CONTEXT;
}

/* The kind of the object that the events of a call belong to. */
static enum fault_kind call_kind(enum fault_call call)
{
	if ((call >= FAULT_MODIFY_QP && call <= FAULT_POST_RECV) ||
	    call == FAULT_ATTACH_MCAST || call == FAULT_DETACH_MCAST)
		return FAULT_QP;
	if (call == FAULT_POLL_CQ || call == FAULT_REQ_NOTIFY_CQ ||
	    (call >= FAULT_RESIZE_CQ && call <= FAULT_DESTROY_CQ))
		return FAULT_CQ;
	if (call == FAULT_POST_SRQ_RECV ||
	    (call >= FAULT_MODIFY_SRQ && call <= FAULT_DESTROY_SRQ))
		return FAULT_SRQ;
	return FAULT_CONTEXT;
}

static bool call_has_bytes(enum fault_call call)
{
	return call == FAULT_REG_MR || call == FAULT_REG_DMABUF_MR ||
	       call == FAULT_DEREG_MR ||
	       (call >= FAULT_POST_SEND && call <= FAULT_POST_SRQ_RECV);
}

/* The call that an action belongs to, or FAULT_NO_CALL: call= is needed. */
static enum fault_call action_call(enum fault_action action)
{
	switch (action) {
	case FAULT_SHORT:
	case FAULT_SHUFFLE:
		return FAULT_POLL_CQ;
	case FAULT_DISARM:
		return FAULT_REQ_NOTIFY_CQ;
	case FAULT_CQE:
		return FAULT_CREATE_CQ;
	case FAULT_WC:
		return FAULT_POST_SEND;
	case FAULT_HOLD:
		return FAULT_POST_RECV;
	default:
		return FAULT_NO_CALL;
	}
}

static const char *rule_check_call(struct fault_rule *rule)
{
	enum fault_call call = action_call(rule->action);

	if (call == FAULT_NO_CALL)
		return rule->call == FAULT_NO_CALL ? "the action needs call="
						   : NULL;
	if (rule->call == FAULT_NO_CALL)
		rule->call = call;
	return rule->call == call ? NULL
				  : "the action is not possible with this call";
}

/* Selectors of numbered objects; @kind: of the events of the rule */
static const char *rule_check_kind(const struct fault_rule *rule,
				   enum fault_kind kind)
{
	if ((rule->selectors & FAULT_HAS_QP) && kind != FAULT_QP)
		return "qp= is not possible with this call";
	if ((rule->selectors & FAULT_HAS_CQ) && kind != FAULT_CQ)
		return "cq= is not possible with this call";
	if ((rule->selectors & FAULT_HAS_SRQ) && kind != FAULT_SRQ)
		return "srq= is not possible with this call";
	return NULL;
}

/* An event that comes at a time, not with a call. */
static const char *rule_check_timed(const struct fault_rule *rule)
{
	enum fault_kind kind = fault_event_kind(rule->event_type);
	unsigned int number = kind == FAULT_QP	  ? FAULT_HAS_QP
			      : kind == FAULT_CQ  ? FAULT_HAS_CQ
			      : kind == FAULT_SRQ ? FAULT_HAS_SRQ
						  : FAULT_HAS_PORT;

	if (!(rule->choice.has & FAULT_HAS_AFTER))
		return "event= needs call= or after=";
	if (rule->choice.has != FAULT_HAS_AFTER ||
	    (rule->selectors & ~(FAULT_HAS_DEV | number)))
		return "without call=, event= can have after=, dev=, and the "
		       "number of its object only";
	if (kind != FAULT_CONTEXT && !(rule->selectors & number))
		return "without call=, the event needs the number of its "
		       "object: qp=, cq= or srq=";
	return NULL;
}

static const char *rule_check_event(const struct fault_rule *rule)
{
	enum fault_kind kind = fault_event_kind(rule->event_type);

	if ((rule->selectors & FAULT_HAS_PORT) &&
	    (kind != FAULT_CONTEXT ||
	     rule->event_type == IBV_EVENT_DEVICE_FATAL))
		return "port= is possible with events of ports only";
	if (rule->call == FAULT_NO_CALL)
		return rule_check_timed(rule);
	if (kind != FAULT_CONTEXT && kind != call_kind(rule->call))
		return "the call has no object for this event";
	return NULL;
}

const char *fault_rule_check(struct fault_rule *rule)
{
	const char *message = fault_choice_check(&rule->choice);
	unsigned int has = rule->selectors;

	if (!message)
		message = rule->action == FAULT_EVENT ? rule_check_event(rule)
						      : rule_check_call(rule);
	if (!message && rule->call != FAULT_NO_CALL)
		message = rule_check_kind(rule, call_kind(rule->call));
	if (message)
		return message;
	if ((has & FAULT_HAS_PORT) && rule->action != FAULT_EVENT)
		return "port= is possible with event= only";
	if (rule->action == FAULT_ERRNO && rule->call == FAULT_POLL_CQ)
		return "the action is not possible with this call";
	if ((has & FAULT_HAS_OP) && rule->call != FAULT_POST_SEND)
		return "op= is not possible with this call";
	if ((has & FAULT_HAS_BYTES) && !call_has_bytes(rule->call))
		return "bytes= is not possible with this call";
	if ((has & FAULT_HAS_STATUS) &&
	    (rule->action != FAULT_DELAY || rule->call != FAULT_POLL_CQ))
		return "status= is possible with delay= and call=poll_cq only";
	return NULL;
}
