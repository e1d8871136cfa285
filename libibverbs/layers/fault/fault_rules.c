/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parser of VERBS_FAULT: see fault_rules.h for the grammar. The functions
 * go from values to the plan. The first mistake ends the parser.
 */
#include "layers/fault/fault_rules.h"

#include <string.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* ------------------------------------------------------------------------ */
/* Rules. Each function returns NULL, or a message.                          */
/* ------------------------------------------------------------------------ */

static bool rule_parse_wc(struct fault_text text, struct fault_rule *rule)
{
	struct fault_text rest = text;
	struct fault_text status = fault_text_cut(&rest, ',');

	rule->is_late = memchr(text.start, ',', text.len) != NULL;
	return fault_find_status(status, &rule->status) &&
	       rule->status != IBV_WC_SUCCESS &&
	       (!rule->is_late || fault_text_is(fault_text_trim(rest), "late"));
}

static bool rule_parse_hold(struct fault_text text, struct fault_rule *rule)
{
	struct fault_text time = text;

	return fault_text_is(fault_text_cut(&time, ','), "recv") &&
	       fault_parse_times(fault_text_trim(time), &rule->min_ns,
				 &rule->max_ns);
}

static const char *rule_parse_action(struct fault_text text,
				     struct fault_rule *rule)
{
	struct fault_setting setting = fault_text_split(text);

	if (fault_text_is(setting.key, "errno")) {
		rule->action = FAULT_ERRNO;
		return fault_find_errno(setting.value, &rule->error)
			       ? NULL
			       : "errno= needs a name such as ENOMEM";
	}
	if (fault_text_is(setting.key, "delay")) {
		rule->action = FAULT_DELAY;
		return fault_parse_times(setting.value, &rule->min_ns,
					 &rule->max_ns)
			       ? NULL
			       : "delay= needs a time such as 50us..2ms";
	}
	if (fault_text_is(setting.key, "short")) {
		rule->action = FAULT_SHORT;
		return fault_parse_u32(setting.value, &rule->number)
			       ? NULL
			       : "short= needs a number of completions, from 1";
	}
	if (fault_text_is(setting.key, "cqe")) {
		rule->action = FAULT_CQE;
		return fault_parse_u32(setting.value, &rule->number)
			       ? NULL
			       : "cqe= needs a number of entries, from 1";
	}
	if (fault_text_is(setting.key, "wc")) {
		rule->action = FAULT_WC;
		return rule_parse_wc(setting.value, rule)
			       ? NULL
			       : "wc= needs an error such as RETRY_EXC_ERR, "
				 "or RETRY_EXC_ERR,late";
	}
	if (fault_text_is(setting.key, "hold")) {
		rule->action = FAULT_HOLD;
		return rule_parse_hold(setting.value, rule)
			       ? NULL
			       : "hold= needs a time such as recv,200ms";
	}
	if (fault_text_is(setting.key, "event")) {
		rule->action = FAULT_EVENT;
		return fault_find_event_type(setting.value, &rule->event_type)
			       ? NULL
			       : "event= needs an event such as PORT_ERR";
	}
	if (text.len > 5 && strncmp(text.start, "wire.", 5) == 0)
		return "packets have faults by UROCE_WIRE_FAULTS, see uroce(7)";
	rule->action = fault_text_is(text, "shuffle") ? FAULT_SHUFFLE
						      : FAULT_DISARM;
	return rule->action == FAULT_SHUFFLE || fault_text_is(text, "disarm")
		       ? NULL
		       : "unknown action; there are errno=, delay=, short=, "
			 "disarm, cqe=, wc=, hold=, event= and shuffle";
}

static bool selector_parse_call(struct fault_text text, struct fault_rule *rule)
{
	return fault_find_call(text, &rule->call);
}

static bool selector_parse_op(struct fault_text text, struct fault_rule *rule)
{
	return fault_find_opcode(text, &rule->op);
}

/* All objects, "any", are FAULT_ANY. */
static bool selector_parse_serial(struct fault_text text, uint64_t *ret_serial)
{
	*ret_serial = FAULT_ANY;
	return fault_text_is(text, "any") ||
	       fault_parse_positive(text, ret_serial);
}

static bool selector_parse_qp(struct fault_text text, struct fault_rule *rule)
{
	return selector_parse_serial(text, &rule->qp);
}

static bool selector_parse_cq(struct fault_text text, struct fault_rule *rule)
{
	return selector_parse_serial(text, &rule->cq);
}

static bool selector_parse_srq(struct fault_text text, struct fault_rule *rule)
{
	return selector_parse_serial(text, &rule->srq);
}

static bool selector_parse_port(struct fault_text text, struct fault_rule *rule)
{
	return fault_parse_u32(text, &rule->port) && rule->port <= UINT8_MAX;
}

static bool selector_parse_dev(struct fault_text text, struct fault_rule *rule)
{
	return fault_text_copy(text, rule->dev, sizeof(rule->dev));
}

static bool selector_parse_bytes(struct fault_text text,
				 struct fault_rule *rule)
{
	return fault_parse_bytes(text, &rule->min_bytes, &rule->max_bytes);
}

static bool selector_parse_status(struct fault_text text,
				  struct fault_rule *rule)
{
	return fault_find_status(text, &rule->selected_status);
}

static const struct {
	const char *key;
	unsigned int bit;
	bool (*parse)(struct fault_text text, struct fault_rule *rule);
	const char *message;
} selectors[] = {
	{ "call", FAULT_HAS_CALL, selector_parse_call,
	  "call= needs a function such as reg_mr that the layer observes" },
	{ "op", FAULT_HAS_OP, selector_parse_op,
	  "op= needs an operation such as RDMA_WRITE" },
	{ "qp", FAULT_HAS_QP, selector_parse_qp,
	  "qp= needs the number of a QP, from 1, or any" },
	{ "cq", FAULT_HAS_CQ, selector_parse_cq,
	  "cq= needs the number of a CQ, from 1, or any" },
	{ "srq", FAULT_HAS_SRQ, selector_parse_srq,
	  "srq= needs the number of an SRQ, from 1, or any" },
	{ "port", FAULT_HAS_PORT, selector_parse_port,
	  "port= needs a number from 1 to 255" },
	{ "dev", FAULT_HAS_DEV, selector_parse_dev,
	  "dev= needs the name of a device" },
	{ "bytes", FAULT_HAS_BYTES, selector_parse_bytes,
	  "bytes= needs a number or a range such as 1-4096" },
	{ "status", FAULT_HAS_STATUS, selector_parse_status,
	  "status= needs a status such as SUCCESS" },
};

static const char *rule_parse_selector(struct fault_text text,
				       struct fault_rule *rule)
{
	struct fault_setting setting = fault_text_split(text);
	const char *message;

	if (fault_choice_parse(setting, &rule->choice, &message))
		return message;
	for (size_t i = 0; i < NR(selectors); i++) {
		if (!fault_text_is(setting.key, selectors[i].key))
			continue;
		if (rule->selectors & selectors[i].bit)
			return "the selector is there twice";
		rule->selectors |= selectors[i].bit;
		return selectors[i].parse(setting.value, rule)
			       ? NULL
			       : selectors[i].message;
	}
	return "unknown selector; there are call=, op=, qp=, cq=, srq=, port=, "
	       "dev=, bytes=, status=, nth=, every=, p=, after=, before= and "
	       "limit=";
}

/* ------------------------------------------------------------------------ */
/* The plan                                                                  */
/* ------------------------------------------------------------------------ */

/* @ret_wrong: the part that is wrong, within @text */
static const char *plan_parse_rule(struct fault_text text,
				   struct fault_rule *rule,
				   struct fault_text *ret_wrong)
{
	struct fault_text rest = text;
	const char *message;

	*ret_wrong = fault_text_cut(&rest, '@');
	message = rule_parse_action(*ret_wrong, rule);
	if (message)
		return message;
	*ret_wrong = text;
	if (!memchr(text.start, '@', text.len))
		return "a rule needs \"@\" and selectors";
	for (bool is_last = false; !is_last;) {
		is_last = !memchr(rest.start, ',', rest.len);
		*ret_wrong = fault_text_cut(&rest, ',');
		message = rule_parse_selector(*ret_wrong, rule);
		if (message)
			return message;
	}
	*ret_wrong = text;
	return fault_rule_check(rule);
}

static const char *plan_parse_item(struct fault_text text,
				   struct fault_plan *plan,
				   struct fault_text *ret_wrong)
{
	struct fault_setting setting = fault_text_split(text);
	struct fault_rule *rule = &plan->rules[plan->nr_rules];

	*ret_wrong = text;
	if (fault_text_is(setting.key, "seed"))
		return fault_parse_number(setting.value, &plan->seed)
			       ? NULL
			       : "seed= needs a number";
	if (fault_text_is(setting.key, "log"))
		return fault_text_copy(setting.value, plan->log,
				       sizeof(plan->log))
			       ? NULL
			       : "log= needs the name of a file";
	if (fault_text_is(setting.key, "replay"))
		return fault_text_copy(setting.value, plan->replay,
				       sizeof(plan->replay))
			       ? NULL
			       : "replay= needs the name of a file";
	if (plan->nr_rules == FAULT_MAX_RULES)
		return "too many rules";
	plan->nr_rules++;
	rule->text = text;
	return plan_parse_rule(text, rule, ret_wrong);
}

bool fault_plan_parse(const char *text, struct fault_plan *ret_plan,
		      struct fault_mistake *ret_mistake)
{
	struct fault_items items = fault_items_begin(text);
	struct fault_text item;

	memset(ret_plan, 0, sizeof(*ret_plan));
	memset(ret_mistake, 0, sizeof(*ret_mistake));
	while (fault_items_next(&items, &item)) {
		ret_mistake->message =
			plan_parse_item(item, ret_plan, &ret_mistake->text);
		if (!ret_mistake->message)
			continue;
		ret_mistake->line = items.line_nr;
		ret_mistake->column = (unsigned int)(ret_mistake->text.start -
						     items.line_start) +
				      1;
		return false;
	}
	return true;
}
