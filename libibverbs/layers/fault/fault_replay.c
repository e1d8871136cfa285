/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_replay.h. */
#include "layers/fault/fault_replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* ------------------------------------------------------------------------ */
/* Lines: "verbs-fault: rule 1, ibv_reg_mr, context 1, event 3: RULE"        */
/* ------------------------------------------------------------------------ */

/* Removes a word from the start of @text. */
static bool line_cut_word(struct fault_text *text, const char *word)
{
	size_t len = strlen(word);

	if (text->len < len || strncmp(text->start, word, len) != 0)
		return false;
	text->start += len;
	text->len -= len;
	return true;
}

/* A part such as "QP 5". */
static bool line_parse_object(struct fault_text text,
			      struct fault_replayed *ret)
{
	struct fault_text kind = fault_text_cut(&text, ' ');

	for (int i = 0; i < FAULT_NR_KINDS; i++) {
		ret->kind = (enum fault_kind)i;
		if (fault_text_is(kind, fault_kind_name(ret->kind)))
			return fault_parse_positive(text, &ret->serial);
	}
	return false;
}

/* @text: begins after "verbs-fault: rule " */
static bool line_parse(struct fault_text text, const struct fault_plan *plan,
		       struct fault_replayed *ret)
{
	uint32_t number;
	struct fault_text event;

	if (!fault_parse_u32(fault_text_cut(&text, ','), &number) ||
	    number > plan->nr_rules)
		return false;
	ret->rule = number - 1;
	(void)fault_text_cut(&text, ','); /* the function */
	if (!line_parse_object(fault_text_cut(&text, ','), ret))
		return false;
	event = fault_text_cut(&text, ':');
	if (!line_cut_word(&event, "event ") ||
	    !fault_parse_positive(event, &ret->event))
		return false;
	text = fault_text_trim(text);
	event = fault_logged_text(&plan->rules[ret->rule]);
	return text.len == event.len &&
	       memcmp(text.start, event.start, event.len) == 0;
}

static bool line_is_idle_rule(struct fault_text text)
{
	(void)fault_text_cut(&text, ' ');
	return line_cut_word(&text, "has never acted");
}

int fault_replay_add(struct fault_replay *replay, const struct fault_plan *plan,
		     struct fault_text line)
{
	struct fault_replayed *faults, added = {};

	if (!line_cut_word(&line, "verbs-fault: rule ") ||
	    line_is_idle_rule(line))
		return 0;
	if (!line_parse(line, plan, &added))
		return -EINVAL;
	faults = array_grow(replay->faults, replay->nr, sizeof(*faults));
	if (!faults)
		return -ENOMEM;
	replay->faults = faults;
	memcpy(&faults[replay->nr++], &added, sizeof(added));
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Faults                                                                    */
/* ------------------------------------------------------------------------ */

static int numbers_compare(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

static int replayed_compare(const void *left, const void *right)
{
	const struct fault_replayed *a = left, *b = right;
	int order = numbers_compare(a->rule, b->rule);

	if (order == 0)
		order = numbers_compare(a->kind, b->kind);
	if (order == 0)
		order = numbers_compare(a->serial, b->serial);
	return order ? order : numbers_compare(a->event, b->event);
}

/* The log of several processes may have a fault twice. */
void fault_replay_sort(struct fault_replay *replay)
{
	struct fault_replayed *faults = replay->faults;
	size_t nr = 0;

	if (replay->nr)
		qsort(faults, replay->nr, sizeof(*faults), replayed_compare);
	for (size_t i = 0; i < replay->nr; i++)
		if (nr == 0 || replayed_compare(&faults[nr - 1], &faults[i]))
			memmove(&faults[nr++], &faults[i], sizeof(*faults));
	replay->nr = nr;
}

struct fault_replayed *fault_replay_find(const struct fault_replay *replay,
					 const struct fault_replayed *event)
{
	if (replay->nr == 0)
		return NULL;
	return bsearch(event, replay->faults, replay->nr, sizeof(*event),
		       replayed_compare);
}

size_t fault_replay_missing(const struct fault_replay *replay,
			    const struct fault_replayed **ret_first)
{
	size_t nr = 0;

	for (size_t i = replay->nr; i-- > 0;) {
		if (atomic_load(&replay->faults[i].is_repeated))
			continue;
		*ret_first = &replay->faults[i];
		nr++;
	}
	return nr;
}

void fault_replay_free(struct fault_replay *replay)
{
	free(replay->faults);
	*replay = (struct fault_replay){};
}
