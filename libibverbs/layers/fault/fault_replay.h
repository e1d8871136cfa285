/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The faults of an earlier run, which the setting replay= names by their log.
 * The lines of the log have the number of each fault among the events of its
 * object, so that a later run has the same faults, whatever the time.
 */
#ifndef LAYERS_FAULT_REPLAY_H
#define LAYERS_FAULT_REPLAY_H

#include <stdatomic.h>

#include "layers/fault/fault_rules.h"

/* The first four members are those of a line of the log. */
struct fault_replayed {
	unsigned int rule; /* index */
	enum fault_kind kind;
	uint64_t serial, event;
	atomic_bool is_repeated;
};

struct fault_replay {
	struct fault_replayed *faults; /* sorted after fault_replay_sort() */
	size_t nr;
};

/**
 * fault_replay_add() - read a line of a log
 *
 * Lines that report no fault are ignored.
 *
 * Return: 0; -EINVAL: it is not the fault of a rule of @plan; -ENOMEM.
 */
int fault_replay_add(struct fault_replay *replay, const struct fault_plan *plan,
		     struct fault_text line);

/** fault_replay_sort() - called after the last line, for the next functions */
void fault_replay_sort(struct fault_replay *replay);

/** fault_replay_find() - return the fault of an event, or NULL */
struct fault_replayed *fault_replay_find(const struct fault_replay *replay,
					 const struct fault_replayed *event);

/**
 * fault_replay_missing() - return the number of faults that were not repeated
 * @ret_first: the first one of them
 */
size_t fault_replay_missing(const struct fault_replay *replay,
			    const struct fault_replayed **ret_first);

void fault_replay_free(struct fault_replay *replay);

#endif
