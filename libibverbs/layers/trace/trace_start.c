/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Enables the layer trace, and ends it in the child of a fork. */
#include "layers/trace/trace_ring.h"

bool trace_is_requested;

void trace_request(const char *settings)
{
	trace_is_requested = trace_file_configure(settings) &&
			     trace_ring_start();
}

void trace_forked(void)
{
	trace_file_forked();
	trace_ring_forked();
}
