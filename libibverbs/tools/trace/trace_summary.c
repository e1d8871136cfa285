/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary of a trace: functions, then queue pairs. */
#include <inttypes.h>
#include <netinet/in.h>

#include "tools/trace/trace_tool.h"

uint64_t trace_percentile(const uint64_t *buckets, double part)
{
	uint64_t total = 0, sum = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; i < TRACE_NR_BUCKETS; i++)
		total += buckets[i];
	for (uint32_t i = 0; i < TRACE_NR_BUCKETS && total; i++) {
		if (!buckets[i])
			continue;
		last = i;
		sum += buckets[i];
		if ((double)sum >= part * (double)total)
			break;
	}
	return trace_bucket_ns(last);
}

static void summary_add_times(FILE *out, const uint64_t *buckets,
			      uint64_t max_ns)
{
	static const double parts[] = { 0.5, 0.99, 0.999 };
	char buf[32];

	for (size_t i = 0; i < 3; i++)
		fprintf(out, " %9s",
			trace_time_text(trace_percentile(buckets, parts[i]),
					buf, sizeof(buf)));
	fprintf(out, " %9s", trace_time_text(max_ns, buf, sizeof(buf)));
}

static void summary_text_calls(FILE *out, const struct trace_data *data)
{
	char buf[32];

	fprintf(out, "\n%10s %9s %9s %9s %9s %9s %7s  %s\n", "calls", "time",
		"p50", "p99", "p99.9", "max", "errors", "function");
	for (unsigned int op = 0; op < TRACE_NR_OPS; op++) {
		const struct trace_call_stats *calls = &data->calls[op];

		if (!calls->calls)
			continue;
		fprintf(out, "%10" PRIu64 " %9s", calls->calls,
			trace_time_text(calls->total_ns, buf, sizeof(buf)));
		summary_add_times(out, calls->buckets, calls->max_ns);
		fprintf(out, " %7" PRIu64 "  %s", calls->errors,
			trace_op_name(op));
		if (calls->empty)
			fprintf(out, " (%" PRIu64 " empty)", calls->empty);
		fprintf(out, "\n");
	}
}

static double summary_seconds(const struct trace_qp_stats *qp)
{
	return qp->last_ns > qp->first_ns
		       ? (double)(qp->last_ns - qp->first_ns) / 1e9
		       : 0;
}

static double summary_rate(uint64_t count, double seconds)
{
	return seconds > 0 ? (double)count / seconds : 0;
}

static uint64_t summary_requests(const struct trace_qp_stats *qp)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < TRACE_NR_OPCODES; i++)
		sum += qp->requests[i];
	return sum;
}

static void summary_text_in_flight(FILE *out, const struct trace_queues *queues)
{
	const struct trace_entry *oldest = &queues->send.oldest;

	if (queues->send.nr == 0 && queues->recv.nr == 0)
		return;
	fprintf(out, "  in flight: %" PRIu32 " sends, %" PRIu32 " receives",
		queues->send.nr, queues->recv.nr);
	if (queues->send.has_oldest)
		fprintf(out,
			"; the oldest send: %s, wr_id 0x%" PRIx64
			", posted at %" PRIu64 ".%09" PRIu64 " s",
			trace_opcode_name(oldest->opcode), oldest->wr_id,
			oldest->begin_ns / 1000000000,
			oldest->begin_ns % 1000000000);
	fprintf(out, "\n");
}

static void summary_text_qp(FILE *out, const struct trace_qp_stats *qp,
			    const struct trace_queues *queues)
{
	double seconds = summary_seconds(qp);
	char gid[INET6_ADDRSTRLEN];

	fprintf(out, "\nQP 0x%x (%s, %s)", qp->number, trace_qp_type(qp->type),
		qp->device);
	if (qp->dest_qp_num)
		fprintf(out, ", peer QP 0x%x %s", qp->dest_qp_num,
			trace_gid_text(qp->peer_gid, gid, sizeof(gid)));
	fprintf(out, ", active for %.3f s\n", seconds);
	for (unsigned int i = 0; i < TRACE_NR_OPCODES; i++)
		if (qp->requests[i])
			fprintf(out,
				"  %-20s %10" PRIu64 " requests %14" PRIu64
				" bytes %12.1f /s %10.2f MB/s\n",
				trace_opcode_name(i), qp->requests[i],
				qp->bytes[i],
				summary_rate(qp->requests[i], seconds),
				summary_rate(qp->bytes[i], seconds) / 1e6);
	if (qp->recv_requests || qp->recv_completions)
		fprintf(out,
			"  %-20s %10" PRIu64 " requests %14" PRIu64
			" bytes %12.1f /s %10.2f MB/s\n",
			"RECV", qp->recv_requests, qp->recv_bytes,
			summary_rate(qp->recv_completions, seconds),
			summary_rate(qp->recv_bytes, seconds) / 1e6);
	fprintf(out,
		"  completions: %" PRIu64 " of sends, %" PRIu64
		" of receives, %" PRIu64 " unmatched\n",
		qp->send_completions, qp->recv_completions, qp->unmatched);
	if (qp->destroyed_ns == 0)
		summary_text_in_flight(out, queues);
	if (qp->send_completions) {
		fprintf(out, "  post to completion (p50, p99, p99.9, max):");
		summary_add_times(out, qp->buckets, qp->max_ns);
		fprintf(out, "\n");
	}
	for (unsigned int i = 1; i < TRACE_NR_STATUS; i++)
		if (qp->status[i])
			fprintf(out, "  error %s: %" PRIu64 "\n",
				trace_status_name(i), qp->status[i]);
}

static void summary_text_srq(FILE *out, const struct trace_srq_stats *srq,
			     const struct trace_in_flight *queue)
{
	fprintf(out,
		"\nSRQ 0x%x (%s)\n  %-20s %10" PRIu64 " requests %14" PRIu64
		" bytes, %" PRIu64 " completions",
		srq->handle, srq->device, "RECV", srq->requests, srq->bytes,
		srq->completions);
	if (srq->destroyed_ns == 0)
		fprintf(out, ", %" PRIu32 " in flight", queue->nr);
	fprintf(out, "\n");
}

static void summary_text(FILE *out, const struct trace_data *data)
{
	fprintf(out, "%s (process %" PRIu32 ")\n", data->header.program,
		data->header.process);
	summary_text_calls(out, data);
	for (size_t i = 0; i < data->nr_qps; i++)
		summary_text_qp(out, &data->qps[i], &data->queues[i]);
	for (size_t i = 0; i < data->nr_srqs; i++)
		summary_text_srq(out, &data->srqs[i], &data->srq_queues[i]);
	if (data->header.lost_threads)
		fprintf(out, "\n%" PRIu64 " threads were not recorded\n",
			data->header.lost_threads);
	if (data->header.lost_qps)
		fprintf(out, "\n%" PRIu64 " QPs were not recorded\n",
			data->header.lost_qps);
	if (data->header.lost_srqs)
		fprintf(out, "\n%" PRIu64 " SRQs were not recorded\n",
			data->header.lost_srqs);
}

/* ------------------------------------------------------------------------ */
/* JSON                                                                      */
/* ------------------------------------------------------------------------ */

static void summary_json_times(struct json_out *out, const uint64_t *buckets,
			       uint64_t max_ns)
{
	json_uint(out, "p50_ns", trace_percentile(buckets, 0.5));
	json_uint(out, "p99_ns", trace_percentile(buckets, 0.99));
	json_uint(out, "p999_ns", trace_percentile(buckets, 0.999));
	json_uint(out, "max_ns", max_ns);
}

static void summary_json_call(struct json_out *out, unsigned int op,
			      const struct trace_call_stats *calls)
{
	json_object(out, NULL);
	json_string(out, "function", trace_op_name(op));
	json_uint(out, "calls", calls->calls);
	json_uint(out, "errors", calls->errors);
	json_uint(out, "empty", calls->empty);
	json_uint(out, "total_ns", calls->total_ns);
	summary_json_times(out, calls->buckets, calls->max_ns);
	json_object_end(out);
}

static void summary_json_qp(struct json_out *out,
			    const struct trace_qp_stats *qp,
			    const struct trace_queues *queues)
{
	char gid[INET6_ADDRSTRLEN];

	json_object(out, NULL);
	json_uint(out, "qp_num", qp->number);
	json_string(out, "type", trace_qp_type(qp->type));
	json_string(out, "device", qp->device);
	json_uint(out, "peer_qp_num", qp->dest_qp_num);
	json_string(out, "peer_gid",
		    trace_gid_text(qp->peer_gid, gid, sizeof(gid)));
	json_uint(out, "active_ns", qp->last_ns - qp->first_ns);
	json_uint(out, "requests", summary_requests(qp));
	json_array(out, "opcodes");
	for (unsigned int i = 0; i < TRACE_NR_OPCODES; i++) {
		if (!qp->requests[i])
			continue;
		json_object(out, NULL);
		json_string(out, "opcode", trace_opcode_name(i));
		json_uint(out, "requests", qp->requests[i]);
		json_uint(out, "bytes", qp->bytes[i]);
		json_object_end(out);
	}
	json_array_end(out);
	json_uint(out, "recv_requests", qp->recv_requests);
	json_uint(out, "recv_bytes", qp->recv_bytes);
	json_uint(out, "send_completions", qp->send_completions);
	json_uint(out, "recv_completions", qp->recv_completions);
	json_uint(out, "unmatched", qp->unmatched);
	json_bool(out, "destroyed", qp->destroyed_ns != 0);
	json_uint(out, "sends_in_flight", queues->send.nr);
	json_uint(out, "recvs_in_flight", queues->recv.nr);
	summary_json_times(out, qp->buckets, qp->max_ns);
	json_object(out, "errors");
	for (unsigned int i = 1; i < TRACE_NR_STATUS; i++)
		if (qp->status[i])
			json_uint(out, trace_status_name(i), qp->status[i]);
	json_object_end(out);
	json_object_end(out);
}

static void summary_json_srq(struct json_out *out,
			     const struct trace_srq_stats *srq,
			     const struct trace_in_flight *queue)
{
	json_object(out, NULL);
	json_uint(out, "handle", srq->handle);
	json_string(out, "device", srq->device);
	json_uint(out, "recv_requests", srq->requests);
	json_uint(out, "recv_completions", srq->completions);
	json_uint(out, "recv_bytes", srq->bytes);
	json_bool(out, "destroyed", srq->destroyed_ns != 0);
	json_uint(out, "recvs_in_flight", queue->nr);
	json_object_end(out);
}

static void summary_json(struct json_out *out, const struct trace_data *data)
{
	json_object(out, NULL);
	json_string(out, "program", data->header.program);
	json_uint(out, "process", data->header.process);
	json_uint(out, "start_realtime_ns", data->header.start_realtime_ns);
	json_uint(out, "lost_threads", data->header.lost_threads);
	json_uint(out, "lost_qps", data->header.lost_qps);
	json_uint(out, "lost_srqs", data->header.lost_srqs);
	json_array(out, "calls");
	for (unsigned int op = 0; op < TRACE_NR_OPS; op++)
		if (data->calls[op].calls)
			summary_json_call(out, op, &data->calls[op]);
	json_array_end(out);
	json_array(out, "qps");
	for (size_t i = 0; i < data->nr_qps; i++)
		summary_json_qp(out, &data->qps[i], &data->queues[i]);
	json_array_end(out);
	json_array(out, "srqs");
	for (size_t i = 0; i < data->nr_srqs; i++)
		summary_json_srq(out, &data->srqs[i], &data->srq_queues[i]);
	json_array_end(out);
	json_object_end(out);
}

const struct trace_view trace_summary = {
	.text = summary_text,
	.json = summary_json,
};
