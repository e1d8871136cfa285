/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: rules of UROCE_WIRE_FAULTS. Each rule that the parser accepts is
 * within the limits of its numbers, and each mistake is within the text. The
 * input up to the first 0 is the variable; the rest is each file that it names.
 */
#include "fuzz/fuzz_target.h"
#include "fuzz/input_file.h"
#include "uroce/udp/uroce_bad_wire_rules.h"

static void check_wire_rule(const struct uroce_wire_rule *rule)
{
	fuzz_assert(rule->min_ns <= rule->max_ns);
	fuzz_assert(rule->min_bytes <= rule->max_bytes);
	fuzz_assert(rule->action != UROCE_WIRE_REORDER || rule->nr_later > 0);
	fuzz_assert(rule->rate <= UROCE_MAX_WIRE_LINK_RATE);
	fuzz_assert(rule->link_ns <= UROCE_MAX_WIRE_LINK_NS);
	fuzz_assert(rule->action != UROCE_WIRE_LINK || rule->rate ||
		    memchr(rule->text.start, '+', rule->text.len));
	fuzz_assert(rule->from.bits <= 128 && rule->to.bits <= 128);
	fuzz_assert(rule->choice.p >= 0 && rule->choice.p <= 1);
	fuzz_assert(!(rule->choice.has & FAULT_HAS_EVERY) ||
		    rule->choice.every > 0);
}

static bool wire_text_has(const char *start, size_t len, struct fault_text item)
{
	return item.start >= start && item.start + item.len <= start + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct uroce_wire_rules rules;
	struct uroce_wire_mistake wrong;
	char text[4096];
	size_t at;

	if (len >= sizeof(text))
		return 0;
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	at = strlen(text);
	at += at < len;
	input_file_set(data + at, len - at);
	if (uroce_wire_rules_parse(text, &rules, &wrong)) {
		fuzz_assert(wrong.file.len ? wire_text_has(rules.file_text,
							   rules.file_bytes,
							   wrong.item)
					   : wire_text_has(text, strlen(text),
							   wrong.item));
		return 0;
	}
	fuzz_assert(rules.nr <= UROCE_MAX_WIRE_RULES);
	for (unsigned int i = 0; i < rules.nr; i++)
		check_wire_rule(&rules.rules[i]);
	return 0;
}
