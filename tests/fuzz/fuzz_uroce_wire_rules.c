/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: rules of UROCE_WIRE_FAULTS. Each rule that the parser accepts is
 * within the limits of its numbers, and each mistake is within the text.
 */
#include "fuzz/fuzz_target.h"
#include "uroce/udp/uroce_bad_wire_rules.h"

static void check_wire_rule(const struct uroce_wire_rule *rule)
{
	fuzz_assert(rule->min_ns <= rule->max_ns);
	fuzz_assert(rule->min_bytes <= rule->max_bytes);
	fuzz_assert(rule->action != UROCE_WIRE_REORDER || rule->nr_later > 0);
	fuzz_assert(rule->choice.p >= 0 && rule->choice.p <= 1);
	fuzz_assert(!(rule->choice.has & FAULT_HAS_EVERY) ||
		    rule->choice.every > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct uroce_wire_rules rules;
	struct fault_text wrong;
	char text[4096];

	if (len >= sizeof(text))
		return 0;
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	if (uroce_wire_rules_parse(text, &rules, &wrong)) {
		fuzz_assert(wrong.start >= text &&
			    wrong.start + wrong.len <= text + strlen(text));
		return 0;
	}
	fuzz_assert(rules.nr <= UROCE_MAX_WIRE_RULES);
	for (unsigned int i = 0; i < rules.nr; i++)
		check_wire_rule(&rules.rules[i]);
	return 0;
}
