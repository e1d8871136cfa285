/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several traces as one: the queue pairs that are connected, the messages
 * between them, and the differences of their clocks.
 */
#ifndef TOOLS_TRACE_MATCH_H
#define TOOLS_TRACE_MATCH_H

#include "tools/trace/trace_tool.h"

/* How the clock of a file is known, best first. */
enum trace_clock_source {
	TRACE_CLOCK_FIRST,	   /* it is the clock of reference */
	TRACE_CLOCK_SAME,	   /* both files are of one machine */
	TRACE_CLOCK_MESSAGES,	   /* an offset that no message contradicts */
	TRACE_CLOCK_CONTRADICTED,  /* the offset that fits best */
	TRACE_CLOCK_ONE_DIRECTION, /* the fastest message takes no time */
	TRACE_CLOCK_REALTIME,	   /* CLOCK_REALTIME of both machines */
	TRACE_CLOCK_UNKNOWN,
};

/* Time of the first file = time + offset_ns + drift * time. */
struct trace_clock_map {
	enum trace_clock_source source;
	int64_t offset_ns;
	double drift;
	uint64_t error_ns; /* at most, if messages are its source */
};

struct trace_source {
	const char *path;
	struct trace_data data;
	struct trace_clock_map clock;
	uint64_t *flows; /* by record: the number of its message, or 0 */
};

struct trace_message {
	const struct trace_record *send, *recv;
	/* A completion that the sender got afterwards, or NULL. */
	const struct trace_record *ack;
};

/* Messages of one direction of a connection. */
struct trace_direction {
	uint64_t nr_sent, nr_received; /* of all times */
	struct trace_message *messages;
	size_t nr_messages;
	char problem[128]; /* why there are none, or "" */
};

/* A queue pair: its file, and its index in the file. */
struct trace_end {
	size_t source, qp;
};

struct trace_pair {
	struct trace_end ends[2];
	struct trace_direction directions[2]; /* [0]: from ends[0] to ends[1] */
};

/* A queue pair without a peer in the files. */
struct trace_single {
	struct trace_end end;
	const char *reason;
};

struct trace_match {
	struct trace_source *sources;
	size_t nr_sources;
	struct trace_pair *pairs;
	size_t nr_pairs;
	struct trace_single *singles;
	size_t nr_singles;
};

/**
 * trace_match_files() - find connections, messages and clock offsets
 * @sources: with their data; stay valid until trace_match_free()
 *
 * Sets the clocks and the flows of @sources.
 *
 * Return: 0, or -ENOMEM.
 */
int trace_match_files(struct trace_source *sources, size_t nr_sources,
		      struct trace_match *ret);

/** trace_match_free() - free the memory of @match, and the flows */
void trace_match_free(struct trace_match *match);

/** trace_match_messages() - fill the directions of the pairs and the flows */
int trace_match_messages(struct trace_match *match);

/** trace_match_clocks() - set the clocks of all files; 0, or -ENOMEM */
int trace_match_clocks(struct trace_match *match);

/** trace_end_compare() - order by file, then by QP; as for qsort(3) */
static inline int trace_end_compare(const struct trace_end *left,
				    const struct trace_end *right)
{
	if (left->source != right->source)
		return left->source < right->source ? -1 : 1;
	return left->qp < right->qp ? -1 : left->qp > right->qp;
}

/** trace_source_qp() - return a queue pair */
const struct trace_qp_stats *trace_source_qp(const struct trace_match *match,
					     const struct trace_end *end);

/** trace_source_time() - return a time of a file as one of the first file */
int64_t trace_source_time(const struct trace_source *source, uint64_t time_ns);

/** trace_message_time() - return the time from the post to the completion */
int64_t trace_message_time(const struct trace_match *match,
			   const struct trace_pair *pair, unsigned int from,
			   const struct trace_message *message);

/** trace_match_print() - print the result; 0, or -errno */
int trace_match_print(FILE *out, const struct trace_match *match, bool json);

/**
 * trace_perfetto_write() - write a Perfetto trace
 * @sources: with their clocks
 *
 * Return: 0, or -errno.
 */
int trace_perfetto_write(FILE *out, const struct trace_source *sources,
			 size_t nr_sources);

#endif
