/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Private to the files of "ibv_trace top". */
#ifndef TOOLS_TRACE_TOP_H
#define TOOLS_TRACE_TOP_H

#include "tools/trace/trace_tool.h"

/* The state of a trace at a time, and before. */
struct top_sample {
	const struct trace_data *now;
	const struct trace_data *before; /* NULL: since the start */
	uint64_t now_ns, before_ns;	 /* times of the trace */
	bool has_ended;
};

/** top_print_text() - print tables; @max_lines: 0: unlimited */
void top_print_text(FILE *out, const struct top_sample *sample,
		    unsigned int max_lines);

/** top_print_json() - print one document; 0, or -EIO */
int top_print_json(FILE *out, const struct top_sample *sample);

/* ------------------------------------------------------------------------ */
/* trace_top_queues.c                                                        */
/* ------------------------------------------------------------------------ */

/** top_interval() - return the time between the samples in ns, or 0 */
uint64_t top_interval(const struct top_sample *sample);

/** top_rate() - return the increase of a counter each second */
double top_rate(uint64_t now, uint64_t before, uint64_t interval_ns);

/** top_integer() - return a rate for JSON */
uint64_t top_integer(double value);

/** top_age() - return the age of the oldest request in ns, or 0 */
uint64_t top_age(const struct top_sample *sample,
		 const struct trace_in_flight *queue);

/** top_json_queue() - print the requests in flight of a queue */
void top_json_queue(struct json_out *out, const char *key,
		    const struct top_sample *sample,
		    const struct trace_in_flight *queue, bool has_opcode);

/** top_text_srqs() - print the table; the text has @nr_lines already */
void top_text_srqs(FILE *out, const struct top_sample *sample,
		   unsigned int max_lines, unsigned int nr_lines);

/** top_json_srqs() - print the array of SRQs */
void top_json_srqs(struct json_out *out, const struct top_sample *sample);

#endif
