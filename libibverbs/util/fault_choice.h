/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of the events that match a rule have a fault: the selectors nth=,
 * every=, p=, after=, before= and limit=, which all rules may have.
 *
 * The decision is a function of the seed, the rule, and the numbers of the
 * object and of the event among those of the object. So it does not depend on
 * the order in which threads run.
 */
#ifndef UTIL_FAULT_CHOICE_H
#define UTIL_FAULT_CHOICE_H

#include "util/fault_text.h"

/* Bits of fault_choice.has. */
enum fault_choice_selector {
	FAULT_HAS_NTH = 1 << 0,
	FAULT_HAS_EVERY = 1 << 1,
	FAULT_HAS_P = 1 << 2,
	FAULT_HAS_AFTER = 1 << 3,
	FAULT_HAS_BEFORE = 1 << 4,
	FAULT_HAS_LIMIT = 1 << 5,
};

struct fault_choice {
	unsigned int has;    /* the members that are valid */
	uint64_t nth, every; /* > 0 */
	double p;	     /* 0 to 1 */
	uint64_t after_ns, before_ns;
	uint64_t limit; /* > 0 */
};

/* Of one rule and one object. */
struct fault_count {
	uint64_t nr_events; /* that match the rule */
	uint64_t nr_faults;
};

/**
 * fault_choice_parse() - read a selector
 * @ret_message: NULL, or what is wrong
 *
 * Return: whether it is one of these selectors.
 */
bool fault_choice_parse(struct fault_setting setting,
			struct fault_choice *choice, const char **ret_message);

/** fault_choice_check() - return NULL, or what is wrong with a combination */
const char *fault_choice_check(const struct fault_choice *choice);

/** fault_choice_is_now() - @age_ns: since the beginning of after= */
bool fault_choice_is_now(const struct fault_choice *choice, uint64_t age_ns);

/**
 * fault_choice_takes() - whether an event has a fault
 * @count: of the events before it
 * @hash: fault_hash() of the event, @count->nr_events + 1
 */
bool fault_choice_takes(const struct fault_choice *choice,
			const struct fault_count *count, uint64_t hash);

/**
 * fault_choice_count() - count an event
 *
 * Return: its number, from 1, if it has a fault; otherwise 0.
 */
uint64_t fault_choice_count(const struct fault_choice *choice,
			    struct fault_count *count, uint64_t hash);

/** fault_hash() - each bit of the result depends on each of the arguments */
uint64_t fault_hash(uint64_t seed, uint64_t rule, uint64_t kind,
		    uint64_t serial, uint64_t event);

/** fault_hash_between() - return a number from @min to @max */
uint64_t fault_hash_between(uint64_t hash, uint64_t min, uint64_t max);

#endif
