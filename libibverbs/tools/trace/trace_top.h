/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Private to trace_top.c and trace_top_view.c. */
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

#endif
