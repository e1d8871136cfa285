/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clocks of several traces. Files of one machine have one clock. Others
 * are compared by messages: each one was posted before it was received, which
 * bounds the offset of the clocks from below, or in the other direction from
 * above. The middle of these bounds is the offset. If no offset is within all
 * bounds, the clocks run at different rates.
 */
#include "tools/trace/trace_match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Clocks that differ by more are broken. */
#define CLOCK_MAX_DRIFT 1e-3
#define CLOCK_NR_STEPS	60

/* A bound of the offset at a time of the file that is placed. */
struct clock_bound {
	double at, ns;
};

struct clock_bounds {
	struct clock_bound *list;
	size_t nr, size;
};

/* Relative to an offset near all of them, so that a double is exact. */
struct clock_problem {
	const struct trace_source *placed;
	struct clock_bounds lower, upper;
	bool has_origin;
	int64_t origin_ns;
	int ret; /* 0, or -ENOMEM */
};

static int64_t clock_round(double ns)
{
	if (!(ns > -9e18))
		return INT64_MIN;
	return ns < 9e18 ? (int64_t)llround(ns) : INT64_MAX;
}

/* Times of a damaged file may be anything, so this wraps. */
static int64_t clock_difference(uint64_t left, uint64_t right)
{
	return (int64_t)(left - right);
}

int64_t trace_source_time(const struct trace_source *source, uint64_t time_ns)
{
	int64_t drift = clock_round(source->clock.drift * (double)time_ns);

	return (int64_t)(time_ns + (uint64_t)source->clock.offset_ns +
			 (uint64_t)drift);
}

/* ------------------------------------------------------------------------ */
/* Bounds                                                                    */
/* ------------------------------------------------------------------------ */

static void bounds_add(struct clock_problem *problem,
		       struct clock_bounds *bounds, uint64_t placed_ns,
		       uint64_t new_ns)
{
	uint64_t time = (uint64_t)trace_source_time(problem->placed, placed_ns);
	int64_t offset = clock_difference(time, new_ns);
	size_t size = bounds->size ? 2 * bounds->size : 64;
	struct clock_bound *list = bounds->list;

	if (bounds->nr == bounds->size) {
		list = realloc(list, size * sizeof(*list));
		if (!list) {
			problem->ret = -ENOMEM;
			return;
		}
		bounds->list = list;
		bounds->size = size;
	}
	if (!problem->has_origin)
		problem->origin_ns = offset;
	problem->has_origin = true;
	offset = clock_difference((uint64_t)offset,
				  (uint64_t)problem->origin_ns);
	list[bounds->nr++] =
		(struct clock_bound){ (double)new_ns, (double)offset };
}

/*
 * A message that the new file has received. @by_acks: its receive was posted
 * before the sender got the acknowledgement.
 */
static void bounds_add_received(struct clock_problem *problem,
				const struct trace_message *message,
				bool by_acks)
{
	const struct trace_record *recv = message->recv;

	if (!by_acks)
		bounds_add(problem, &problem->lower, message->send->begin_ns,
			   recv->begin_ns);
	else if (message->ack && recv->value <= recv->begin_ns)
		bounds_add(problem, &problem->upper, message->ack->begin_ns,
			   recv->begin_ns - recv->value);
}

static void bounds_add_sent(struct clock_problem *problem,
			    const struct trace_message *message, bool by_acks)
{
	const struct trace_record *recv = message->recv;

	if (!by_acks)
		bounds_add(problem, &problem->upper, recv->begin_ns,
			   message->send->begin_ns);
	else if (message->ack && recv->value <= recv->begin_ns)
		bounds_add(problem, &problem->lower,
			   recv->begin_ns - recv->value,
			   message->ack->begin_ns);
}

static void bounds_add_direction(struct clock_problem *problem,
				 const struct trace_direction *direction,
				 bool is_received, bool by_acks)
{
	for (size_t i = 0; i < direction->nr_messages; i++)
		if (is_received)
			bounds_add_received(problem, &direction->messages[i],
					    by_acks);
		else
			bounds_add_sent(problem, &direction->messages[i],
					by_acks);
}

static void bounds_collect(struct clock_problem *problem,
			   const struct trace_match *match, size_t placed,
			   size_t added, bool by_acks)
{
	for (size_t i = 0; i < match->nr_pairs; i++) {
		const struct trace_pair *pair = &match->pairs[i];

		for (unsigned int from = 0; from < 2; from++) {
			size_t sender = pair->ends[from].source;
			size_t receiver = pair->ends[1 - from].source;

			if (sender == placed && receiver == added)
				bounds_add_direction(problem,
						     &pair->directions[from],
						     true, by_acks);
			if (sender == added && receiver == placed)
				bounds_add_direction(problem,
						     &pair->directions[from],
						     false, by_acks);
		}
	}
}

/* ------------------------------------------------------------------------ */
/* Fit                                                                       */
/* ------------------------------------------------------------------------ */

/* The highest lower and the lowest upper bound with a rate. */
struct clock_interval {
	double lower, upper;
};

static struct clock_interval problem_interval(const struct clock_problem *from,
					      double drift)
{
	struct clock_interval interval = { -INFINITY, INFINITY };

	for (size_t i = 0; i < from->lower.nr; i++)
		interval.lower = fmax(interval.lower,
				      from->lower.list[i].ns -
					      drift * from->lower.list[i].at);
	for (size_t i = 0; i < from->upper.nr; i++)
		interval.upper = fmin(interval.upper,
				      from->upper.list[i].ns -
					      drift * from->upper.list[i].at);
	return interval;
}

static double problem_width(const struct clock_problem *from, double drift)
{
	struct clock_interval interval = problem_interval(from, drift);

	return interval.upper - interval.lower;
}

/* The width has one maximum. */
static double problem_find_drift(const struct clock_problem *from)
{
	double low = -CLOCK_MAX_DRIFT, high = CLOCK_MAX_DRIFT;

	for (unsigned int i = 0; i < CLOCK_NR_STEPS; i++) {
		double third = (high - low) / 3;

		if (problem_width(from, low + third) <
		    problem_width(from, high - third))
			low += third;
		else
			high -= third;
	}
	return (low + high) / 2;
}

static struct trace_clock_map problem_fit(const struct clock_problem *problem)
{
	double drift =
		problem_width(problem, 0) < 0 ? problem_find_drift(problem) : 0;
	struct clock_interval interval = problem_interval(problem, drift);
	double width = interval.upper - interval.lower;
	double middle = (interval.upper + interval.lower) / 2;

	return (struct trace_clock_map){
		.source = width < 0 ? TRACE_CLOCK_CONTRADICTED
				    : TRACE_CLOCK_MESSAGES,
		.offset_ns = (int64_t)((uint64_t)clock_round(middle) +
				       (uint64_t)problem->origin_ns),
		.drift = drift,
		.error_ns = (uint64_t)clock_round(fabs(width) / 2),
	};
}

static struct trace_clock_map
problem_fit_one_direction(const struct clock_problem *problem)
{
	struct clock_interval interval = problem_interval(problem, 0);
	double offset = problem->lower.nr ? interval.lower : interval.upper;

	return (struct trace_clock_map){
		.source = TRACE_CLOCK_ONE_DIRECTION,
		.offset_ns = (int64_t)((uint64_t)clock_round(offset) +
				       (uint64_t)problem->origin_ns),
	};
}

/* Return: the clock of @added by its messages with @placed, or unknown. */
static int clock_compare(const struct trace_match *match, size_t placed,
			 size_t added, struct trace_clock_map *ret)
{
	struct clock_problem problem = { .placed = &match->sources[placed] };

	*ret = (struct trace_clock_map){ .source = TRACE_CLOCK_UNKNOWN };
	bounds_collect(&problem, match, placed, added, false);
	if (problem.lower.nr == 0 || problem.upper.nr == 0)
		bounds_collect(&problem, match, placed, added, true);
	if (problem.lower.nr && problem.upper.nr)
		*ret = problem_fit(&problem);
	else if (problem.lower.nr || problem.upper.nr)
		*ret = problem_fit_one_direction(&problem);
	free(problem.lower.list);
	free(problem.upper.list);
	return problem.ret;
}

/* ------------------------------------------------------------------------ */
/* Files                                                                     */
/* ------------------------------------------------------------------------ */

static bool clocks_are_same(const struct trace_header *left,
			    const struct trace_header *right)
{
	return left->boot_id[0] && strcmp(left->boot_id, right->boot_id) == 0;
}

/* Two measurements of one counter differ; its ticks do not. */
static struct trace_clock_map clock_of_same(const struct trace_source *placed,
					    const struct trace_header *added)
{
	const struct trace_header *from = &placed->data.header;
	double start = (double)clock_difference(added->start_monotonic_ns,
						from->start_monotonic_ns);
	double rate = 1;

	if (from->clock.multiplier && added->clock.multiplier) {
		rate = (double)from->clock.multiplier /
		       (double)added->clock.multiplier;
		start = (double)clock_difference(added->clock.start,
						 from->clock.start) *
			(double)from->clock.multiplier /
			(double)(1U << TRACE_CLOCK_SHIFT);
	}
	return (struct trace_clock_map){
		.source = TRACE_CLOCK_SAME,
		.offset_ns =
			(int64_t)((uint64_t)placed->clock.offset_ns +
				  (uint64_t)clock_round(
					  start * (1 + placed->clock.drift))),
		.drift = rate * (1 + placed->clock.drift) - 1,
	};
}

static struct trace_clock_map clock_of_first(const struct trace_header *first)
{
	return (struct trace_clock_map){
		.source = TRACE_CLOCK_FIRST,
		.offset_ns = (int64_t)first->start_monotonic_ns,
	};
}

static struct trace_clock_map
clock_of_stranger(const struct trace_header *first,
		  const struct trace_header *added)
{
	return (struct trace_clock_map){
		.source = TRACE_CLOCK_REALTIME,
		.offset_ns = (int64_t)(first->start_monotonic_ns +
				       added->start_realtime_ns -
				       first->start_realtime_ns),
	};
}

static int clock_find(const struct trace_match *match, size_t placed,
		      size_t added, struct trace_clock_map *ret)
{
	const struct trace_source *from = &match->sources[placed];
	const struct trace_header *to = &match->sources[added].data.header;

	if (!clocks_are_same(&from->data.header, to))
		return clock_compare(match, placed, added, ret);
	*ret = clock_of_same(from, to);
	return 0;
}

static bool clock_is_better(const struct trace_clock_map *left,
			    const struct trace_clock_map *right)
{
	return left->source < right->source ||
	       (left->source == right->source &&
		left->error_ns < right->error_ns);
}

/* Places the file whose clock is known best; false: there is none. */
static int match_place_best(struct trace_match *match, bool *ret_placed)
{
	struct trace_clock_map best = { .source = TRACE_CLOCK_UNKNOWN };
	size_t which = 0;

	for (size_t added = 0; added < match->nr_sources; added++) {
		if (match->sources[added].clock.source != TRACE_CLOCK_UNKNOWN)
			continue;
		for (size_t from = 0; from < match->nr_sources; from++) {
			struct trace_clock_map map;
			int ret;

			if (match->sources[from].clock.source ==
			    TRACE_CLOCK_UNKNOWN)
				continue;
			ret = clock_find(match, from, added, &map);
			if (ret)
				return ret;
			if (!clock_is_better(&map, &best))
				continue;
			best = map;
			which = added;
		}
	}
	*ret_placed = best.source != TRACE_CLOCK_UNKNOWN;
	if (*ret_placed)
		match->sources[which].clock = best;
	return 0;
}

/* Return: the first file without a clock, or the number of files. */
static size_t match_find_unplaced(const struct trace_match *match)
{
	size_t i = 0;

	while (i < match->nr_sources &&
	       match->sources[i].clock.source != TRACE_CLOCK_UNKNOWN)
		i++;
	return i;
}

int trace_match_clocks(struct trace_match *match)
{
	const struct trace_header *first = &match->sources[0].data.header;
	size_t next;

	for (size_t i = 0; i < match->nr_sources; i++)
		match->sources[i].clock.source = TRACE_CLOCK_UNKNOWN;
	match->sources[0].clock = clock_of_first(first);
	while ((next = match_find_unplaced(match)) < match->nr_sources) {
		bool is_placed;
		int ret = match_place_best(match, &is_placed);

		if (ret)
			return ret;
		if (!is_placed)
			match->sources[next].clock = clock_of_stranger(
				first, &match->sources[next].data.header);
	}
	return 0;
}
