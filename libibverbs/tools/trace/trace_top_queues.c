/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The numbers of queues in "ibv_trace top", and its table of SRQs. */
#include <inttypes.h>

#include "tools/trace/trace_top.h"

/* Counters may be read while they change, so a difference may be negative. */
double top_rate(uint64_t now, uint64_t before, uint64_t interval_ns)
{
	if (interval_ns == 0 || now <= before)
		return 0;
	return (double)(now - before) / ((double)interval_ns / 1e9);
}

/* Numbers of a damaged file may be larger than any integer. */
uint64_t top_integer(double value)
{
	return value < 18446744073709549568.0 ? (uint64_t)value : UINT64_MAX;
}

uint64_t top_interval(const struct top_sample *sample)
{
	return sample->now_ns > sample->before_ns
		       ? sample->now_ns - sample->before_ns
		       : 0;
}

uint64_t top_age(const struct top_sample *sample,
		 const struct trace_in_flight *queue)
{
	return queue->has_oldest && sample->now_ns > queue->oldest.begin_ns
		       ? sample->now_ns - queue->oldest.begin_ns
		       : 0;
}

void top_json_queue(struct json_out *out, const char *key,
		    const struct top_sample *sample,
		    const struct trace_in_flight *queue, bool has_opcode)
{
	json_object(out, key);
	json_uint(out, "in_flight", queue->nr);
	if (queue->has_oldest) {
		json_uint(out, "oldest_wr_id", queue->oldest.wr_id);
		json_uint(out, "oldest_age_ns", top_age(sample, queue));
		json_uint(out, "oldest_bytes", queue->oldest.bytes);
		if (has_opcode)
			json_string(out, "oldest_opcode",
				    trace_opcode_name(queue->oldest.opcode));
	}
	json_object_end(out);
}

/* ------------------------------------------------------------------------ */
/* Shared receive queues                                                     */
/* ------------------------------------------------------------------------ */

static const struct trace_srq_stats *
top_srq_before(const struct top_sample *sample, size_t index)
{
	return sample->before && index < sample->before->nr_srqs
		       ? &sample->before->srqs[index]
		       : NULL;
}

static void top_text_srq(FILE *out, const struct top_sample *sample,
			 size_t index)
{
	const struct trace_srq_stats *now = &sample->now->srqs[index];
	const struct trace_srq_stats *before = top_srq_before(sample, index);
	const struct trace_in_flight *queue = &sample->now->srq_queues[index];
	uint64_t interval = top_interval(sample);
	char time[32];

	fprintf(out,
		"0x%06x %-10s %11.1f %11.1f %9.2f %10.2f %6" PRIu32 " %8s\n",
		now->handle, now->device,
		top_rate(now->requests, before ? before->requests : 0,
			 interval),
		top_rate(now->completions, before ? before->completions : 0,
			 interval),
		top_rate(now->bytes, before ? before->bytes : 0, interval) /
			1e6,
		(double)now->bytes / 1e6, queue->nr,
		top_age(sample, queue) ? trace_time_text(top_age(sample, queue),
							 time, sizeof(time))
				       : "-");
}

void top_text_srqs(FILE *out, const struct top_sample *sample,
		   unsigned int max_lines, unsigned int nr_lines)
{
	bool has_head = false;

	for (size_t i = 0; i < sample->now->nr_srqs; i++) {
		if (sample->now->srqs[i].destroyed_ns)
			continue;
		if (!has_head)
			nr_lines += 2;
		if (max_lines && nr_lines++ >= max_lines)
			return;
		if (!has_head)
			fprintf(out,
				"\n%-8s %-10s %11s %11s %9s %10s %6s %8s\n",
				"SRQ", "device", "posts/s", "recvs/s", "MB/s",
				"MB", "recvs", "oldest");
		has_head = true;
		top_text_srq(out, sample, i);
	}
}

static void top_json_srq(struct json_out *out, const struct top_sample *sample,
			 size_t index)
{
	const struct trace_srq_stats *now = &sample->now->srqs[index];
	const struct trace_srq_stats *before = top_srq_before(sample, index);
	uint64_t interval = top_interval(sample);

	json_object(out, NULL);
	json_uint(out, "handle", now->handle);
	json_string(out, "device", now->device);
	json_uint(out, "recv_requests", now->requests);
	json_uint(out, "recv_completions", now->completions);
	json_uint(out, "recv_bytes", now->bytes);
	json_uint(
		out, "recv_requests_per_second",
		top_integer(top_rate(now->requests,
				     before ? before->requests : 0, interval)));
	json_uint(out, "recv_completions_per_second",
		  top_integer(top_rate(now->completions,
				       before ? before->completions : 0,
				       interval)));
	top_json_queue(out, "recv", sample, &sample->now->srq_queues[index],
		       false);
	json_object_end(out);
}

void top_json_srqs(struct json_out *out, const struct top_sample *sample)
{
	json_array(out, "srqs");
	for (size_t i = 0; i < sample->now->nr_srqs; i++)
		if (sample->now->srqs[i].destroyed_ns == 0)
			top_json_srq(out, sample, i);
	json_array_end(out);
}
