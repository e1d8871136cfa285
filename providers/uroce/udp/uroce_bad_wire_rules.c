/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See uroce_bad_wire_rules.h. Functions return NULL, or a message. */
#include "uroce/udp/uroce_bad_wire_rules.h"

#include <string.h>

static const char *wire_parse_action(struct fault_text text,
				     struct uroce_wire_rule *rule)
{
	static const struct {
		const char *name;
		enum uroce_wire_action action;
	} plain[] = {
		{ "drop", UROCE_WIRE_DROP },
		{ "dup", UROCE_WIRE_DUP },
		{ "corrupt", UROCE_WIRE_CORRUPT },
	};
	struct fault_setting setting = fault_text_split(text);

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		rule->action = plain[i].action;
		if (fault_text_is(text, plain[i].name))
			return NULL;
	}
	if (fault_text_is(setting.key, "delay")) {
		rule->action = UROCE_WIRE_DELAY;
		return fault_parse_times(setting.value, &rule->min_ns,
					 &rule->max_ns)
			       ? NULL
			       : "delay= needs a time such as 100us..1ms";
	}
	if (fault_text_is(setting.key, "reorder")) {
		rule->action = UROCE_WIRE_REORDER;
		return fault_parse_u32(setting.value, &rule->nr_later)
			       ? NULL
			       : "reorder= needs a number of packets, from 1";
	}
	return "unknown action; there are drop, dup, corrupt, delay= and "
	       "reorder=";
}

static const char *wire_parse_selector(struct fault_text text,
				       struct uroce_wire_rule *rule)
{
	struct fault_setting setting = fault_text_split(text);
	const char *message;

	if (fault_choice_parse(setting, &rule->choice, &message))
		return message;
	if (fault_text_is(setting.key, "qpn")) {
		rule->has_qpn = true;
		return fault_parse_positive(setting.value, &rule->qpn)
			       ? NULL
			       : "qpn= needs the number of a queue pair";
	}
	if (fault_text_is(setting.key, "bytes")) {
		rule->has_bytes = true;
		return fault_parse_bytes(setting.value, &rule->min_bytes,
					 &rule->max_bytes)
			       ? NULL
			       : "bytes= needs a number or a range such as "
				 "1-4096";
	}
	return "unknown selector; there are qpn=, bytes=, nth=, every=, p=, "
	       "after=, before= and limit=";
}

static const char *wire_parse_rule(struct fault_text text,
				   struct uroce_wire_rule *rule)
{
	struct fault_text rest = text;
	const char *message =
		wire_parse_action(fault_text_cut(&rest, '@'), rule);

	if (message)
		return message;
	if (!memchr(text.start, '@', text.len))
		return "a rule needs \"@\" and selectors";
	for (bool is_last = false; !is_last;) {
		is_last = !memchr(rest.start, ',', rest.len);
		message = wire_parse_selector(fault_text_cut(&rest, ','), rule);
		if (message)
			return message;
	}
	return fault_choice_check(&rule->choice);
}

static const char *wire_parse_item(struct fault_text text,
				   struct uroce_wire_rules *rules)
{
	struct fault_setting setting = fault_text_split(text);
	struct uroce_wire_rule *rule = &rules->rules[rules->nr];

	if (fault_text_is(setting.key, "seed"))
		return fault_parse_number(setting.value, &rules->seed)
			       ? NULL
			       : "seed= needs a number";
	if (rules->nr == UROCE_MAX_WIRE_RULES)
		return "too many rules";
	rules->nr++;
	rule->text = text;
	return wire_parse_rule(text, rule);
}

const char *uroce_wire_rules_parse(const char *text,
				   struct uroce_wire_rules *ret_rules,
				   struct fault_text *ret_wrong)
{
	struct fault_items items = fault_items_begin(text);
	const char *message = NULL;

	*ret_rules = (struct uroce_wire_rules){};
	while (!message && fault_items_next(&items, ret_wrong))
		message = wire_parse_item(*ret_wrong, ret_rules);
	return message;
}
