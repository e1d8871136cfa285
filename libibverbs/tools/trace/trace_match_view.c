/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints what several traces have in common: see trace_match.h. */
#include "tools/trace/trace_match.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>

/* One-way times of a direction, in increasing order. */
struct match_times {
	uint64_t *ns;
	size_t nr;
};

int64_t trace_message_time(const struct trace_match *match,
			   const struct trace_pair *pair, unsigned int from,
			   const struct trace_message *message)
{
	const struct trace_source *sender =
		&match->sources[pair->ends[from].source];
	const struct trace_source *receiver =
		&match->sources[pair->ends[1 - from].source];
	int64_t begin = trace_source_time(sender, message->send->begin_ns);
	int64_t end = trace_source_time(receiver, message->recv->begin_ns);

	return (int64_t)((uint64_t)end - (uint64_t)begin);
}

static int time_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Return: 0, or -ENOMEM. @ret: free(ret->ns) */
static int times_collect(const struct trace_match *match,
			 const struct trace_pair *pair, unsigned int from,
			 struct match_times *ret)
{
	const struct trace_direction *direction = &pair->directions[from];

	ret->nr = direction->nr_messages;
	ret->ns = calloc(ret->nr + 1, sizeof(*ret->ns));
	if (!ret->ns)
		return -ENOMEM;
	for (size_t i = 0; i < ret->nr; i++) {
		int64_t ns = trace_message_time(match, pair, from,
						&direction->messages[i]);

		ret->ns[i] = ns > 0 ? (uint64_t)ns : 0;
	}
	qsort(ret->ns, ret->nr, sizeof(*ret->ns), time_compare);
	return 0;
}

static uint64_t times_percentile(const struct match_times *times, double part)
{
	size_t index = (size_t)(part * (double)times->nr);

	return times->ns[index < times->nr ? index : times->nr - 1];
}

/* Clock of the file less that of the first one, at the start of the file. */
static int64_t match_clock_offset(const struct trace_source *source)
{
	return (int64_t)(source->data.header.start_monotonic_ns -
			 (uint64_t)source->clock.offset_ns);
}

static bool direction_has_messages(const struct trace_direction *direction)
{
	return direction->nr_sent || direction->nr_received;
}

/* ------------------------------------------------------------------------ */
/* Text                                                                      */
/* ------------------------------------------------------------------------ */

static void match_text_offset(FILE *out, const struct trace_source *source)
{
	int64_t offset = match_clock_offset(source);
	char buf[32];

	fprintf(out, ", clock %s %s that of the first",
		trace_time_text(offset < 0 ? -(uint64_t)offset
					   : (uint64_t)offset,
				buf, sizeof(buf)),
		offset < 0 ? "behind" : "ahead of");
	if (source->clock.drift != 0)
		fprintf(out, " (rate %+.1f ppm)", -source->clock.drift * 1e6);
}

static void match_text_clock(FILE *out, const struct trace_source *source)
{
	char buf[32];

	trace_time_text(source->clock.error_ns, buf, sizeof(buf));
	switch (source->clock.source) {
	case TRACE_CLOCK_SAME:
		fprintf(out, ", on the same machine as another file");
		break;
	case TRACE_CLOCK_MESSAGES:
		match_text_offset(out, source);
		fprintf(out, ", +- %s by its messages", buf);
		break;
	case TRACE_CLOCK_CONTRADICTED:
		match_text_offset(out, source);
		fprintf(out, ", but messages contradict this by up to %s", buf);
		break;
	case TRACE_CLOCK_ONE_DIRECTION:
		match_text_offset(out, source);
		fprintf(out, "; messages in one direction only, the fastest of "
			     "them counts as 0 ns");
		break;
	case TRACE_CLOCK_REALTIME:
		match_text_offset(out, source);
		fprintf(out, " by the time of day: no message connects it");
		break;
	default:
		break;
	}
}

static void match_text_files(FILE *out, const struct trace_match *match)
{
	for (size_t i = 0; i < match->nr_sources; i++) {
		const struct trace_source *source = &match->sources[i];

		fprintf(out, "%zu  %s: %s (process %" PRIu32 ")", i + 1,
			source->path, source->data.header.program,
			source->data.header.process);
		match_text_clock(out, source);
		fprintf(out, "\n");
	}
}

static void match_text_end(FILE *out, const struct trace_match *match,
			   const struct trace_end *end)
{
	const struct trace_qp_stats *qp = trace_source_qp(match, end);

	fprintf(out, "QP 0x%x (file %zu, %s)", qp->number, end->source + 1,
		qp->device);
}

static int match_text_direction(FILE *out, const struct trace_match *match,
				const struct trace_pair *pair,
				unsigned int from)
{
	static const double parts[] = { 0.5, 0.99, 0.999, 1 };
	const struct trace_direction *direction = &pair->directions[from];
	struct match_times times;
	char buf[32];
	int ret;

	if (!direction_has_messages(direction))
		return 0;
	fprintf(out,
		"  %s %" PRIu64 " messages sent, %" PRIu64
		" received, %zu matched",
		from ? "<-" : "->", direction->nr_sent, direction->nr_received,
		direction->nr_messages);
	if (direction->problem[0])
		fprintf(out, ": %s", direction->problem);
	fprintf(out, "\n");
	if (direction->nr_messages == 0)
		return 0;
	ret = times_collect(match, pair, from, &times);
	if (ret)
		return ret;
	fprintf(out, "     post to remote completion (p50, p99, p99.9, max):");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		fprintf(out, " %9s",
			trace_time_text(times_percentile(&times, parts[i]), buf,
					sizeof(buf)));
	fprintf(out, "\n");
	free(times.ns);
	return 0;
}

static int match_text_pair(FILE *out, const struct trace_match *match,
			   const struct trace_pair *pair)
{
	int ret;

	fprintf(out, "\n");
	match_text_end(out, match, &pair->ends[0]);
	fprintf(out, " and ");
	match_text_end(out, match, &pair->ends[1]);
	fprintf(out, "\n");
	if (!direction_has_messages(&pair->directions[0]) &&
	    !direction_has_messages(&pair->directions[1]))
		fprintf(out, "  no message: RDMA writes, reads and atomic "
			     "operations leave no record at their target\n");
	ret = match_text_direction(out, match, pair, 0);
	return ret ? ret : match_text_direction(out, match, pair, 1);
}

static int match_text(FILE *out, const struct trace_match *match)
{
	int ret = 0;

	match_text_files(out, match);
	for (size_t i = 0; i < match->nr_pairs && ret == 0; i++)
		ret = match_text_pair(out, match, &match->pairs[i]);
	if (match->nr_singles)
		fprintf(out, "\n");
	for (size_t i = 0; i < match->nr_singles; i++) {
		const struct trace_single *single = &match->singles[i];
		const struct trace_qp_stats *qp =
			trace_source_qp(match, &single->end);
		char gid[INET6_ADDRSTRLEN];

		match_text_end(out, match, &single->end);
		if (qp->dest_qp_num)
			fprintf(out, ", peer QP 0x%x %s", qp->dest_qp_num,
				trace_gid_text(qp->peer_gid, gid, sizeof(gid)));
		fprintf(out, ": not matched, %s\n", single->reason);
	}
	return ret;
}

/* ------------------------------------------------------------------------ */
/* JSON                                                                      */
/* ------------------------------------------------------------------------ */

static void match_json_file(struct json_out *out,
			    const struct trace_source *source)
{
	static const char *const sources[] = {
		[TRACE_CLOCK_FIRST] = "first",
		[TRACE_CLOCK_SAME] = "same",
		[TRACE_CLOCK_MESSAGES] = "messages",
		[TRACE_CLOCK_CONTRADICTED] = "contradicted",
		[TRACE_CLOCK_ONE_DIRECTION] = "one direction",
		[TRACE_CLOCK_REALTIME] = "time of day",
		[TRACE_CLOCK_UNKNOWN] = "unknown",
	};

	json_object(out, NULL);
	json_string(out, "path", source->path);
	json_string(out, "program", source->data.header.program);
	json_uint(out, "process", source->data.header.process);
	json_string(out, "clock", sources[source->clock.source]);
	json_int(out, "clock_offset_ns", match_clock_offset(source));
	json_uint(out, "clock_error_ns", source->clock.error_ns);
	json_int(out, "clock_drift_ppb", (int64_t)(-source->clock.drift * 1e9));
	json_object_end(out);
}

static void match_json_end(struct json_out *out, const char *key,
			   const struct trace_match *match,
			   const struct trace_end *end)
{
	const struct trace_qp_stats *qp = trace_source_qp(match, end);

	json_object(out, key);
	json_uint(out, "file", end->source + 1);
	json_uint(out, "qp_num", qp->number);
	json_string(out, "device", qp->device);
	json_object_end(out);
}

static int match_json_direction(struct json_out *out, const char *key,
				const struct trace_match *match,
				const struct trace_pair *pair,
				unsigned int from)
{
	const struct trace_direction *direction = &pair->directions[from];
	struct match_times times;
	int ret = times_collect(match, pair, from, &times);

	if (ret)
		return ret;
	json_object(out, key);
	json_uint(out, "sent", direction->nr_sent);
	json_uint(out, "received", direction->nr_received);
	json_uint(out, "matched", direction->nr_messages);
	if (direction->problem[0])
		json_string(out, "problem", direction->problem);
	else
		json_null(out, "problem");
	if (times.nr) {
		json_uint(out, "min_ns", times.ns[0]);
		json_uint(out, "p50_ns", times_percentile(&times, 0.5));
		json_uint(out, "p99_ns", times_percentile(&times, 0.99));
		json_uint(out, "p999_ns", times_percentile(&times, 0.999));
		json_uint(out, "max_ns", times.ns[times.nr - 1]);
	}
	json_object_end(out);
	free(times.ns);
	return 0;
}

static int match_json_pairs(struct json_out *out,
			    const struct trace_match *match)
{
	int ret = 0;

	for (size_t i = 0; i < match->nr_pairs && ret == 0; i++) {
		const struct trace_pair *pair = &match->pairs[i];

		json_object(out, NULL);
		match_json_end(out, "left", match, &pair->ends[0]);
		match_json_end(out, "right", match, &pair->ends[1]);
		ret = match_json_direction(out, "to_right", match, pair, 0);
		if (ret == 0)
			ret = match_json_direction(out, "to_left", match, pair,
						   1);
		json_object_end(out);
	}
	return ret;
}

static int match_json(FILE *file, const struct trace_match *match)
{
	struct json_out out;
	int ret;

	json_begin(&out, file);
	json_object(&out, NULL);
	json_array(&out, "files");
	for (size_t i = 0; i < match->nr_sources; i++)
		match_json_file(&out, &match->sources[i]);
	json_array_end(&out);
	json_array(&out, "pairs");
	ret = match_json_pairs(&out, match);
	json_array_end(&out);
	json_array(&out, "not_matched");
	for (size_t i = 0; i < match->nr_singles; i++) {
		json_object(&out, NULL);
		match_json_end(&out, "qp", match, &match->singles[i].end);
		json_string(&out, "reason", match->singles[i].reason);
		json_object_end(&out);
	}
	json_array_end(&out);
	json_object_end(&out);
	return json_end(&out) == 0 ? ret : -EIO;
}

int trace_match_print(FILE *out, const struct trace_match *match, bool json)
{
	return json ? match_json(out, match) : match_text(out, match);
}
