/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: settings of the layer fault, and after a zero byte the log of an
 * earlier run. Each rule that the parser accepts is within the limits of its
 * numbers, and each mistake is within the text. Each fault of the log is one of
 * the rules, and is found.
 */
#include "fuzz/fuzz_target.h"
#include "layers/fault/fault_replay.h"
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

static void check_replay(const struct fault_plan *plan, struct fault_text log)
{
	struct fault_replay replay = {};
	const struct fault_replayed *first = NULL;

	while (log.len)
		(void)fault_replay_add(&replay, plan,
				       fault_text_cut(&log, '\n'));
	fault_replay_sort(&replay);
	for (size_t i = 0; i < replay.nr; i++) {
		fuzz_assert(replay.faults[i].rule < plan->nr_rules);
		fuzz_assert(replay.faults[i].event > 0);
		fuzz_assert(fault_replay_find(&replay, &replay.faults[i]) ==
			    &replay.faults[i]);
	}
	fuzz_assert(fault_replay_missing(&replay, &first) == replay.nr);
	fuzz_assert(first == replay.faults);
	fault_replay_free(&replay);
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
		if (strlen(text) < len)
			check_replay(&plan, (struct fault_text){
						    text + strlen(text) + 1,
						    len - strlen(text) - 1 });
		return 0;
	}
	fuzz_assert(mistake.message && mistake.line > 0 && mistake.column > 0);
	fuzz_assert(mistake.text.start >= text &&
		    mistake.text.start + mistake.text.len <=
			    text + strlen(text));
	return 0;
}
