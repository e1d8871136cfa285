/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_choice.h. */
#include "util/fault_choice.h"

static const struct {
	const char *key;
	enum fault_choice_selector bit;
	const char *message;
} choice_selectors[] = {
	{ "nth", FAULT_HAS_NTH, "nth= needs a number, from 1" },
	{ "every", FAULT_HAS_EVERY, "every= needs a number, from 1" },
	{ "p", FAULT_HAS_P,
	  "p= needs a number from 0 to 1 such as 0.01, or 1%" },
	{ "after", FAULT_HAS_AFTER, "after= needs a time such as 2s" },
	{ "before", FAULT_HAS_BEFORE, "before= needs a time such as 2s" },
	{ "limit", FAULT_HAS_LIMIT, "limit= needs a number, from 1" },
};

#define NR_SELECTORS (sizeof(choice_selectors) / sizeof(choice_selectors[0]))

static bool choice_has(const struct fault_choice *choice,
		       enum fault_choice_selector bit)
{
	return (choice->has & bit) != 0;
}

static bool choice_parse_value(enum fault_choice_selector bit,
			       struct fault_text value,
			       struct fault_choice *choice)
{
	switch (bit) {
	case FAULT_HAS_NTH:
		return fault_parse_positive(value, &choice->nth);
	case FAULT_HAS_EVERY:
		return fault_parse_positive(value, &choice->every);
	case FAULT_HAS_P:
		return fault_parse_p(value, &choice->p);
	case FAULT_HAS_AFTER:
		return fault_parse_time(value, &choice->after_ns);
	case FAULT_HAS_BEFORE:
		return fault_parse_time(value, &choice->before_ns);
	case FAULT_HAS_LIMIT:
		return fault_parse_positive(value, &choice->limit);
	}
	return false;
}

bool fault_choice_parse(struct fault_setting setting,
			struct fault_choice *choice, const char **ret_message)
{
	size_t i = 0;

	while (i < NR_SELECTORS &&
	       !fault_text_is(setting.key, choice_selectors[i].key))
		i++;
	if (i == NR_SELECTORS)
		return false;
	*ret_message = NULL;
	if (choice_has(choice, choice_selectors[i].bit))
		*ret_message = "the selector is there twice";
	else if (!choice_parse_value(choice_selectors[i].bit, setting.value,
				     choice))
		*ret_message = choice_selectors[i].message;
	choice->has |= choice_selectors[i].bit;
	return true;
}

const char *fault_choice_check(const struct fault_choice *choice)
{
	if (choice_has(choice, FAULT_HAS_AFTER) &&
	    choice_has(choice, FAULT_HAS_BEFORE) &&
	    choice->after_ns >= choice->before_ns)
		return "before= must be later than after=";
	return NULL;
}

bool fault_choice_is_now(const struct fault_choice *choice, uint64_t age_ns)
{
	return (!choice_has(choice, FAULT_HAS_AFTER) ||
		age_ns >= choice->after_ns) &&
	       (!choice_has(choice, FAULT_HAS_BEFORE) ||
		age_ns < choice->before_ns);
}

bool fault_choice_takes(const struct fault_choice *choice,
			const struct fault_count *count, uint64_t hash)
{
	uint64_t event = count->nr_events + 1;

	if (choice_has(choice, FAULT_HAS_LIMIT) &&
	    count->nr_faults >= choice->limit)
		return false;
	if (choice_has(choice, FAULT_HAS_NTH) && event != choice->nth)
		return false;
	if (choice_has(choice, FAULT_HAS_EVERY) && event % choice->every != 0)
		return false;
	/* 53 bits, the precision of a double */
	return !choice_has(choice, FAULT_HAS_P) ||
	       (double)(hash >> 11) * 0x1p-53 < choice->p;
}

uint64_t fault_choice_count(const struct fault_choice *choice,
			    struct fault_count *count, uint64_t hash)
{
	bool takes = fault_choice_takes(choice, count, hash);

	count->nr_events++;
	count->nr_faults += takes;
	return takes ? count->nr_events : 0;
}

/* splitmix64 */
static uint64_t hash_mix(uint64_t value)
{
	value += UINT64_C(0x9e3779b97f4a7c15);
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

uint64_t fault_hash(uint64_t seed, uint64_t rule, uint64_t kind,
		    uint64_t serial, uint64_t event)
{
	uint64_t hash = hash_mix(seed);

	hash = hash_mix(hash ^ rule);
	hash = hash_mix(hash ^ kind);
	hash = hash_mix(hash ^ serial);
	return hash_mix(hash ^ event);
}

uint64_t fault_hash_between(uint64_t hash, uint64_t min, uint64_t max)
{
	uint64_t range = max - min;

	return min + (range < UINT64_MAX ? hash % (range + 1) : hash);
}
