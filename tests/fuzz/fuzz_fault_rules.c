/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: settings of the layer fault. Each rule that the parser accepts
 * is within the limits of its numbers, and each mistake is within the text.
 */
#include "fuzz/fuzz_target.h"
#include "layers/fault/fault_rules.h"

static void check_rule(const struct fault_rule *rule)
{
	/* An event that comes at a time has no call. */
	fuzz_assert(rule->call < FAULT_NR_CALLS);
	fuzz_assert(rule->call > FAULT_NO_CALL ||
		    (rule->action == FAULT_EVENT &&
		     (rule->choice.has & FAULT_HAS_AFTER)));
	fuzz_assert(rule->port <= UINT8_MAX);
	fuzz_assert(rule->min_ns <= rule->max_ns);
	fuzz_assert(rule->min_bytes <= rule->max_bytes);
	fuzz_assert(rule->choice.p >= 0 && rule->choice.p <= 1);
	fuzz_assert(!(rule->choice.has & FAULT_HAS_EVERY) ||
		    rule->choice.every > 0);
	fuzz_assert(rule->action != FAULT_ERRNO || rule->error > 0);
	fuzz_assert(rule->action != FAULT_WC || rule->status != IBV_WC_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct fault_plan plan;
	struct fault_mistake mistake;
	char text[4096];

	if (len >= sizeof(text))
		return 0;
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	if (fault_plan_parse(text, &plan, &mistake)) {
		fuzz_assert(plan.nr_rules <= FAULT_MAX_RULES);
		for (unsigned int i = 0; i < plan.nr_rules; i++)
			check_rule(&plan.rules[i]);
		return 0;
	}
	fuzz_assert(mistake.message && mistake.line > 0 && mistake.column > 0);
	fuzz_assert(mistake.text.start >= text &&
		    mistake.text.start + mistake.text.len <=
			    text + strlen(text));
	return 0;
}
