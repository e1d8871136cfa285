/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * "ibv_trace metrics": the counters of a trace in the OpenMetrics 1.0 text
 * format. All samples of a metric family are together, so each family is a loop
 * over the functions or the queue pairs. A number of a QP may be used again, so
 * that the label qp, its place in the trace, makes the samples unique.
 */
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include "layers/trace/trace_clock.h"
#include "tools/trace/trace_tool.h"

/* Upper bounds of histograms: 2^n - 1 ns, 63 ns to 17 s. */
#define METRICS_FIRST_POWER 6U
#define METRICS_LAST_POWER  34U
#define METRICS_POWER_STEP  2U

/* Space for the labels of a QP. */
#define METRICS_LABELS 256U

static void metrics_family(FILE *out, const char *name, const char *type,
			   const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s %s\n", name, type);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

/* The text must be UTF-8, which a name possibly is not. */
static const char *metrics_escape(const char *text, char *buf, size_t size)
{
	size_t len = 0;

	for (; *text && len + 3 < size; text++) {
		if (*text == '\\' || *text == '"')
			buf[len++] = '\\';
		buf[len] = *text;
		if (*text < ' ' || *text > '~')
			buf[len] = '?';
		len++;
	}
	buf[len] = '\0';
	return buf;
}

/* Prints the buckets of a histogram; the labels have no closing brace. */
static void metrics_buckets(FILE *out, const char *name, const char *labels,
			    const uint64_t *buckets)
{
	uint64_t sum = 0;
	uint32_t next = 0;

	for (uint32_t power = METRICS_FIRST_POWER; power <= METRICS_LAST_POWER;
	     power += METRICS_POWER_STEP) {
		uint32_t end = trace_bucket(UINT64_C(1) << power);

		while (next < end)
			sum += buckets[next++];
		fprintf(out, "%s_bucket%s,le=\"%.12g\"} %" PRIu64 "\n", name,
			labels, (double)((UINT64_C(1) << power) - 1) / 1e9,
			sum);
	}
	while (next < TRACE_NR_BUCKETS)
		sum += buckets[next++];
	fprintf(out, "%s_bucket%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
		sum);
}

/* ------------------------------------------------------------------------ */
/* Functions                                                                 */
/* ------------------------------------------------------------------------ */

static uint64_t metrics_value(const void *stats, size_t offset)
{
	return *(const uint64_t *)(const void *)((const char *)stats + offset);
}

static void metrics_call_counter(FILE *out, const struct trace_data *data,
				 const char *name, const char *help,
				 size_t offset)
{
	metrics_family(out, name, "counter", NULL, help);
	for (unsigned int op = 0; op < TRACE_NR_OPS; op++) {
		const struct trace_call_stats *calls = &data->calls[op];

		if (calls->calls)
			fprintf(out, "%s_total{function=\"%s\"} %" PRIu64 "\n",
				name, trace_op_name(op),
				metrics_value(calls, offset));
	}
}

static void metrics_calls(FILE *out, const struct trace_data *data)
{
	static const char name[] = "verbs_call_duration_seconds";
	char labels[64];

	metrics_call_counter(out, data, "verbs_call_errors",
			     "Calls that failed.",
			     offsetof(struct trace_call_stats, errors));
	metrics_call_counter(out, data, "verbs_empty_polls",
			     "Polls that found no completion.",
			     offsetof(struct trace_call_stats, empty));
	metrics_family(out, name, "histogram", "seconds",
		       "Durations of calls.");
	for (unsigned int op = 0; op < TRACE_NR_OPS; op++) {
		const struct trace_call_stats *calls = &data->calls[op];
		uint64_t nr = 0;

		if (!calls->calls)
			continue;
		/* A call may be counted while this is read. */
		for (uint32_t i = 0; i < TRACE_NR_BUCKETS; i++)
			nr += calls->buckets[i];
		(void)snprintf(labels, sizeof(labels), "{function=\"%s\"",
			       trace_op_name(op));
		metrics_buckets(out, name, labels, calls->buckets);
		fprintf(out, "%s_count%s} %" PRIu64 "\n", name, labels, nr);
		fprintf(out, "%s_sum%s} %.12g\n", name, labels,
			(double)calls->total_ns / 1e9);
	}
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

/* Makes the labels of a QP, without the closing brace. */
static const char *metrics_qp_labels(const struct trace_data *data,
				     size_t index, char *buf, size_t size)
{
	const struct trace_qp_stats *qp = &data->qps[index];
	char device[2 * sizeof(qp->device) + 3];

	(void)snprintf(buf, size,
		       "{device=\"%s\",qp=\"%zu\",qp_num=\"%" PRIu32 "\"",
		       metrics_escape(qp->device, device, sizeof(device)),
		       index, qp->number);
	return buf;
}

static void metrics_qp(FILE *out, const char *name,
		       const struct trace_data *data, size_t index)
{
	char labels[METRICS_LABELS];

	fprintf(out, "%s%s", name,
		metrics_qp_labels(data, index, labels, sizeof(labels)));
}

static void metrics_qp_info(FILE *out, const struct trace_data *data)
{
	char gid[INET6_ADDRSTRLEN];

	metrics_family(out, "verbs_qp", "info", NULL,
		       "Queue pairs and their peers.");
	for (size_t i = 0; i < data->nr_qps; i++) {
		metrics_qp(out, "verbs_qp_info", data, i);
		fprintf(out,
			",type=\"%s\",peer_qp_num=\"%" PRIu32
			"\",peer_gid=\"%s\"} 1\n",
			trace_qp_type(data->qps[i].type),
			data->qps[i].dest_qp_num,
			trace_gid_text(data->qps[i].peer_gid, gid,
				       sizeof(gid)));
	}
}

static const char *metrics_name(const char *(*get_name)(unsigned int index),
				unsigned int index, char *buf, size_t size)
{
	const char *name = get_name(index);

	if (strcmp(name, "unknown") != 0)
		return name;
	(void)snprintf(buf, size, "%u", index);
	return buf;
}

/* Counters with a label for each element of an array of a QP. */
static void metrics_qp_array(FILE *out, const struct trace_data *data,
			     const char *name, const char *label,
			     const char *(*get_name)(unsigned int index),
			     size_t offset, unsigned int nr)
{
	char number[16];

	for (size_t i = 0; i < data->nr_qps; i++) {
		const uint64_t *values =
			(const void *)((const char *)&data->qps[i] + offset);

		for (unsigned int k = 0; k < nr; k++) {
			if (!values[k])
				continue;
			metrics_qp(out, name, data, i);
			fprintf(out, ",%s=\"%s\"} %" PRIu64 "\n", label,
				metrics_name(get_name, k, number,
					     sizeof(number)),
				values[k]);
		}
	}
}

static void metrics_qp_counter(FILE *out, const struct trace_data *data,
			       const char *name, const char *labels,
			       size_t offset)
{
	for (size_t i = 0; i < data->nr_qps; i++) {
		metrics_qp(out, name, data, i);
		fprintf(out, "%s} %" PRIu64 "\n", labels,
			metrics_value(&data->qps[i], offset));
	}
}

static void metrics_qp_counters(FILE *out, const struct trace_data *data)
{
#define OFFSET(member) offsetof(struct trace_qp_stats, member)
	metrics_family(out, "verbs_qp_requests", "counter", NULL,
		       "Send requests that were posted.");
	metrics_qp_array(out, data, "verbs_qp_requests_total", "opcode",
			 trace_opcode_name, OFFSET(requests), TRACE_NR_OPCODES);
	metrics_family(out, "verbs_qp_request_bytes", "counter", "bytes",
		       "Bytes of send requests.");
	metrics_qp_array(out, data, "verbs_qp_request_bytes_total", "opcode",
			 trace_opcode_name, OFFSET(bytes), TRACE_NR_OPCODES);
	metrics_family(out, "verbs_qp_receive_requests", "counter", NULL,
		       "Receive requests that were posted.");
	metrics_qp_counter(out, data, "verbs_qp_receive_requests_total", "",
			   OFFSET(recv_requests));
	metrics_family(out, "verbs_qp_received_bytes", "counter", "bytes",
		       "Bytes of receive completions.");
	metrics_qp_counter(out, data, "verbs_qp_received_bytes_total", "",
			   OFFSET(recv_bytes));
	metrics_family(out, "verbs_qp_completions", "counter", NULL,
		       "Completions that were polled.");
	metrics_qp_counter(out, data, "verbs_qp_completions_total",
			   ",queue=\"send\"", OFFSET(send_completions));
	metrics_qp_counter(out, data, "verbs_qp_completions_total",
			   ",queue=\"receive\"", OFFSET(recv_completions));
	metrics_family(out, "verbs_qp_unmatched_completions", "counter", NULL,
		       "Completions whose request is not known.");
	metrics_qp_counter(out, data, "verbs_qp_unmatched_completions_total",
			   "", OFFSET(unmatched));
	metrics_family(out, "verbs_qp_errors", "counter", NULL,
		       "Completions with an error.");
	metrics_qp_array(out, data, "verbs_qp_errors_total", "status",
			 trace_status_name, OFFSET(status), TRACE_NR_STATUS);
#undef OFFSET
}

static void metrics_qp_in_flight(FILE *out, const struct trace_data *data)
{
	static const char name[] = "verbs_qp_requests_in_flight";

	metrics_family(out, name, "gauge", NULL,
		       "Requests without a completion.");
	for (size_t i = 0; i < data->nr_qps; i++) {
		if (data->qps[i].destroyed_ns)
			continue;
		metrics_qp(out, name, data, i);
		fprintf(out, ",queue=\"send\"} %" PRIu32 "\n",
			data->queues[i].send.nr);
		metrics_qp(out, name, data, i);
		fprintf(out, ",queue=\"receive\"} %" PRIu32 "\n",
			data->queues[i].recv.nr);
	}
}

static void metrics_qp_ages(FILE *out, const struct trace_data *data,
			    uint64_t now_ns)
{
	static const char name[] = "verbs_qp_oldest_send_age_seconds";

	metrics_family(out, name, "gauge", "seconds",
		       "Time since the oldest send request in flight was "
		       "posted.");
	for (size_t i = 0; i < data->nr_qps; i++) {
		const struct trace_in_flight *send = &data->queues[i].send;
		uint64_t begin_ns = send->oldest.begin_ns;

		if (data->qps[i].destroyed_ns || !send->has_oldest)
			continue;
		metrics_qp(out, name, data, i);
		fprintf(out, "} %.12g\n",
			now_ns > begin_ns ? (double)(now_ns - begin_ns) / 1e9
					  : 0.0);
	}
}

static void metrics_qp_latencies(FILE *out, const struct trace_data *data)
{
	static const char name[] = "verbs_qp_send_latency_seconds";
	char labels[METRICS_LABELS];

	metrics_family(out, name, "histogram", "seconds",
		       "Times from the post of a send request to its "
		       "completion.");
	for (size_t i = 0; i < data->nr_qps; i++)
		metrics_buckets(
			out, name,
			metrics_qp_labels(data, i, labels, sizeof(labels)),
			data->qps[i].buckets);
}

/* ------------------------------------------------------------------------ */
/* Shared receive queues                                                     */
/* ------------------------------------------------------------------------ */

static void metrics_srq(FILE *out, const char *name,
			const struct trace_data *data, size_t index,
			uint64_t value)
{
	const struct trace_srq_stats *srq = &data->srqs[index];
	char device[2 * sizeof(srq->device) + 3];

	fprintf(out,
		"%s{device=\"%s\",srq=\"%zu\",handle=\"%" PRIu32 "\"} %" PRIu64
		"\n",
		name, metrics_escape(srq->device, device, sizeof(device)),
		index, srq->handle, value);
}

static void metrics_srqs(FILE *out, const struct trace_data *data)
{
	metrics_family(out, "verbs_srq_receive_requests", "counter", NULL,
		       "Receive requests that were posted to an SRQ.");
	for (size_t i = 0; i < data->nr_srqs; i++)
		metrics_srq(out, "verbs_srq_receive_requests_total", data, i,
			    data->srqs[i].requests);
	metrics_family(out, "verbs_srq_completions", "counter", NULL,
		       "Completions of the receive requests of an SRQ.");
	for (size_t i = 0; i < data->nr_srqs; i++)
		metrics_srq(out, "verbs_srq_completions_total", data, i,
			    data->srqs[i].completions);
	metrics_family(out, "verbs_srq_requests_in_flight", "gauge", NULL,
		       "Receive requests of an SRQ without a completion.");
	for (size_t i = 0; i < data->nr_srqs; i++)
		if (data->srqs[i].destroyed_ns == 0)
			metrics_srq(out, "verbs_srq_requests_in_flight", data,
				    i, data->srq_queues[i].nr);
}

/* ------------------------------------------------------------------------ */

static void metrics_trace(FILE *out, const struct trace_data *data)
{
	const struct trace_header *header = &data->header;
	char program[2 * sizeof(header->program) + 3];

	metrics_family(out, "verbs_trace", "info", NULL,
		       "The program that is traced.");
	fprintf(out,
		"verbs_trace_info{program=\"%s\",process=\"%" PRIu32 "\"} 1\n",
		metrics_escape(header->program, program, sizeof(program)),
		header->process);
	metrics_family(out, "verbs_trace_lost_threads", "counter", NULL,
		       "Threads that are not recorded.");
	fprintf(out, "verbs_trace_lost_threads_total %" PRIu64 "\n",
		header->lost_threads);
	metrics_family(out, "verbs_trace_lost_qps", "counter", NULL,
		       "Queue pairs that are not recorded.");
	fprintf(out, "verbs_trace_lost_qps_total %" PRIu64 "\n",
		header->lost_qps);
	metrics_family(out, "verbs_trace_lost_srqs", "counter", NULL,
		       "SRQs that are not recorded.");
	fprintf(out, "verbs_trace_lost_srqs_total %" PRIu64 "\n",
		header->lost_srqs);
}

void trace_metrics_print(FILE *out, const struct trace_data *data,
			 bool has_ended)
{
	metrics_trace(out, data);
	metrics_calls(out, data);
	metrics_qp_info(out, data);
	metrics_qp_counters(out, data);
	metrics_qp_in_flight(out, data);
	if (!has_ended)
		metrics_qp_ages(out, data,
				trace_clock_read(&data->header.clock));
	metrics_qp_latencies(out, data);
	metrics_srqs(out, data);
	fprintf(out, "# EOF\n");
}
