/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of "ibv_trace top": functions, queue pairs, then SRQs. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "tools/trace/trace_top.h"

/* A QP whose oldest send request is older is printed before the others. */
#define TOP_WAITING_NS 1000000000U

/* Numbers of a QP for an interval. */
struct top_qp {
	const struct trace_qp_stats *stats;
	const struct trace_queues *queues;
	double sends, recvs, bytes; /* each second */
	uint64_t total_bytes;
	/* The oldest request that it waits for. */
	bool has_oldest;
	uint64_t oldest_ns; /* its age */
	char waits_for[64];
};

static uint64_t top_requests(const struct trace_qp_stats *qp)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; qp && i < TRACE_NR_OPCODES; i++)
		sum += qp->requests[i];
	return sum;
}

static uint64_t top_bytes(const struct trace_qp_stats *qp)
{
	uint64_t sum = qp ? qp->recv_bytes : 0;

	for (unsigned int i = 0; qp && i < TRACE_NR_OPCODES; i++)
		sum += qp->bytes[i];
	return sum;
}

static uint64_t top_polls(const struct trace_data *data)
{
	return data->calls[TRACE_POLL_CQ].calls +
	       data->calls[TRACE_START_POLL].calls;
}

/* ------------------------------------------------------------------------ */
/* What a QP waits for                                                       */
/* ------------------------------------------------------------------------ */

static const char *top_waits_for_send(const struct trace_qp_stats *qp,
				      unsigned int opcode)
{
	if (opcode == IBV_WR_LOCAL_INV || opcode == IBV_WR_BIND_MW)
		return "the device";
	if (opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_FLUSH)
		return "response";
	if (qp->type == IBV_QPT_RC || qp->type == IBV_QPT_XRC_SEND)
		return "acknowledgement";
	return "the device";
}

static const char *top_waits_for_state(const struct trace_qp_stats *qp)
{
	if (qp->first_status)
		return "ibv_modify_qp(RESET): it has failed";
	if (qp->state == IBV_QPS_ERR)
		return "ibv_modify_qp(RESET)";
	if (qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT)
		return "ibv_modify_qp(RTR)";
	return NULL;
}

/* Completions that the program does not poll are in flight, too. */
static bool top_program_polls(const struct top_sample *sample)
{
	return !sample->before ||
	       top_polls(sample->now) != top_polls(sample->before);
}

/* A QP without receive requests of its own takes those of its SRQ. */
static const char *top_waits_for_shared(const struct top_sample *sample,
					const struct trace_qp_stats *qp)
{
	if (qp->srq == 0 || qp->srq > sample->now->nr_srqs)
		return NULL;
	return sample->now->srq_queues[qp->srq - 1].nr
		       ? "message of the peer"
		       : "receive requests, its SRQ has none";
}

static void top_find_wait(const struct top_sample *sample, struct top_qp *qp)
{
	const struct trace_in_flight *send = &qp->queues->send;
	const struct trace_in_flight *recv = &qp->queues->recv;
	const struct trace_in_flight *queue = send->nr ? send : recv;
	const char *what = top_waits_for_state(qp->stats), *opcode = NULL;

	qp->has_oldest = queue->has_oldest;
	qp->oldest_ns = top_age(sample, queue);
	if (!what && queue->nr == 0)
		what = top_waits_for_shared(sample, qp->stats);
	if (!what && queue->nr == 0)
		what = "nothing";
	if (!what && !top_program_polls(sample))
		what = "the program, which does not poll";
	if (!what && queue == recv)
		what = "message of the peer";
	if (!what && send->has_oldest) {
		what = top_waits_for_send(qp->stats, send->oldest.opcode);
		opcode = trace_opcode_name(send->oldest.opcode);
	}
	(void)snprintf(qp->waits_for, sizeof(qp->waits_for), "%s%s%s%s",
		       what ? what : "completion", opcode ? " (" : "",
		       opcode ? opcode : "", opcode ? ")" : "");
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

static void top_fill_qp(const struct top_sample *sample, size_t index,
			struct top_qp *qp)
{
	const struct trace_qp_stats *before = NULL;
	uint64_t interval = top_interval(sample);

	qp->stats = &sample->now->qps[index];
	qp->queues = &sample->now->queues[index];
	if (sample->before && index < sample->before->nr_qps)
		before = &sample->before->qps[index];
	qp->total_bytes = top_bytes(qp->stats);
	qp->sends = top_rate(top_requests(qp->stats), top_requests(before),
			     interval);
	qp->recvs = top_rate(qp->stats->recv_completions,
			     before ? before->recv_completions : 0, interval);
	qp->bytes = top_rate(qp->total_bytes, top_bytes(before), interval);
	top_find_wait(sample, qp);
}

/* Return: the age if the QP waits for long, otherwise 0. */
static uint64_t top_long_wait(const struct top_qp *qp)
{
	return qp->queues->send.nr && qp->oldest_ns > TOP_WAITING_NS
		       ? qp->oldest_ns
		       : 0;
}

static int top_compare(const void *left, const void *right)
{
	const struct top_qp *a = left, *b = right;
	uint64_t wait_a = top_long_wait(a), wait_b = top_long_wait(b);

	if (wait_a != wait_b)
		return wait_a > wait_b ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->stats < b->stats ? -1 : a->stats > b->stats;
}

/* Return: the QPs that exist, in the order of the table; NULL: no memory. */
static struct top_qp *top_make_qps(const struct top_sample *sample,
				   size_t *ret_nr)
{
	struct top_qp *qps = calloc(sample->now->nr_qps + 1, sizeof(*qps));
	size_t nr = 0;

	for (size_t i = 0; qps && i < sample->now->nr_qps; i++)
		if (sample->now->qps[i].destroyed_ns == 0)
			top_fill_qp(sample, i, &qps[nr++]);
	if (nr)
		qsort(qps, nr, sizeof(*qps), top_compare);
	*ret_nr = nr;
	return qps;
}

/* ------------------------------------------------------------------------ */
/* Text                                                                      */
/* ------------------------------------------------------------------------ */

static unsigned int top_text_calls(FILE *out, const struct top_sample *sample)
{
	unsigned int nr = 1;
	char buf[32];

	fprintf(out, "%12s %12s %9s %9s  %s\n", "calls/s", "calls", "errors",
		"mean", "function");
	for (unsigned int op = 0; op < TRACE_NR_OPS; op++) {
		const struct trace_call_stats *now = &sample->now->calls[op];
		const struct trace_call_stats *before =
			sample->before ? &sample->before->calls[op] : NULL;

		if (now->calls == 0 || (before && before->calls == now->calls))
			continue;
		fprintf(out, "%12.1f %12" PRIu64 " %9" PRIu64 " %9s  %s",
			top_rate(now->calls, before ? before->calls : 0,
				 top_interval(sample)),
			now->calls, now->errors,
			trace_time_text(now->total_ns / now->calls, buf,
					sizeof(buf)),
			trace_op_name(op));
		if (now->empty)
			fprintf(out, " (%.0f %% empty)",
				100.0 * (double)now->empty /
					(double)now->calls);
		fprintf(out, "\n");
		nr++;
	}
	return nr;
}

static void top_text_qp(FILE *out, const struct top_qp *qp)
{
	char gid[INET6_ADDRSTRLEN], time[32], peer[INET6_ADDRSTRLEN + 16] = "-";

	if (qp->stats->dest_qp_num)
		(void)snprintf(
			peer, sizeof(peer), "0x%06x %s", qp->stats->dest_qp_num,
			trace_gid_text(qp->stats->peer_gid, gid, sizeof(gid)));
	fprintf(out,
		"0x%06x %-4s %-5s %-10s %-26s %11.1f %11.1f %9.2f "
		"%10.2f %6" PRIu32 " %6" PRIu32 " %8s  %s",
		qp->stats->number, trace_qp_type(qp->stats->type),
		trace_qp_state(qp->stats->state), qp->stats->device, peer,
		qp->sends, qp->recvs, qp->bytes / 1e6,
		(double)qp->total_bytes / 1e6, qp->queues->send.nr,
		qp->queues->recv.nr,
		qp->oldest_ns
			? trace_time_text(qp->oldest_ns, time, sizeof(time))
			: "-",
		qp->waits_for);
	if (qp->stats->first_status)
		fprintf(out, " (%s)",
			trace_status_name(qp->stats->first_status));
	fprintf(out, "\n");
}

void top_print_text(FILE *out, const struct top_sample *sample,
		    unsigned int max_lines)
{
	unsigned int nr_lines = 4; /* the others and the cursor */
	char time[32];
	size_t nr;
	struct top_qp *qps = top_make_qps(sample, &nr);

	fprintf(out, "%s (process %" PRIu32 ")%s, traced for %s, %zu QPs\n",
		sample->now->header.program, sample->now->header.process,
		sample->has_ended ? ", which has ended" : "",
		trace_time_text(sample->now_ns, time, sizeof(time)), nr);
	nr_lines += top_text_calls(out, sample);
	fprintf(out,
		"\n%-8s %-4s %-5s %-10s %-26s %11s %11s %9s %10s %6s %6s "
		"%8s  %s\n",
		"QP", "type", "state", "device", "peer", "sends/s", "recvs/s",
		"MB/s", "MB", "sends", "recvs", "oldest", "waits for");
	for (size_t i = 0; i < nr; i++)
		if (max_lines == 0 || nr_lines++ < max_lines)
			top_text_qp(out, &qps[i]);
	free(qps);
	top_text_srqs(out, sample, max_lines, nr_lines);
}

/* ------------------------------------------------------------------------ */
/* JSON                                                                      */
/* ------------------------------------------------------------------------ */

static void top_json_qp(struct json_out *out, const struct top_sample *sample,
			const struct top_qp *qp)
{
	char gid[INET6_ADDRSTRLEN];

	json_object(out, NULL);
	json_uint(out, "qp_num", qp->stats->number);
	json_string(out, "type", trace_qp_type(qp->stats->type));
	json_string(out, "state", trace_qp_state(qp->stats->state));
	json_string(out, "device", qp->stats->device);
	json_uint(out, "peer_qp_num", qp->stats->dest_qp_num);
	json_string(out, "peer_gid",
		    trace_gid_text(qp->stats->peer_gid, gid, sizeof(gid)));
	json_uint(out, "requests", top_requests(qp->stats));
	json_uint(out, "recv_completions", qp->stats->recv_completions);
	json_uint(out, "bytes", qp->total_bytes);
	json_uint(out, "requests_per_second", top_integer(qp->sends));
	json_uint(out, "recv_completions_per_second", top_integer(qp->recvs));
	json_uint(out, "bytes_per_second", top_integer(qp->bytes));
	if (qp->stats->srq && qp->stats->srq <= sample->now->nr_srqs)
		json_uint(out, "srq",
			  sample->now->srqs[qp->stats->srq - 1].handle);
	top_json_queue(out, "send", sample, &qp->queues->send, true);
	top_json_queue(out, "recv", sample, &qp->queues->recv, false);
	json_string(out, "waits_for", qp->waits_for);
	if (qp->stats->first_status)
		json_string(out, "first_error",
			    trace_status_name(qp->stats->first_status));
	json_object_end(out);
}

static void top_json_calls(struct json_out *out,
			   const struct top_sample *sample)
{
	json_array(out, "calls");
	for (unsigned int op = 0; op < TRACE_NR_OPS; op++) {
		const struct trace_call_stats *now = &sample->now->calls[op];
		uint64_t before =
			sample->before ? sample->before->calls[op].calls : 0;

		if (now->calls == 0)
			continue;
		json_object(out, NULL);
		json_string(out, "function", trace_op_name(op));
		json_uint(out, "calls", now->calls);
		json_uint(out, "calls_per_second",
			  top_integer(top_rate(now->calls, before,
					       top_interval(sample))));
		json_uint(out, "errors", now->errors);
		json_uint(out, "empty", now->empty);
		json_uint(out, "total_ns", now->total_ns);
		json_object_end(out);
	}
	json_array_end(out);
}

int top_print_json(FILE *out, const struct top_sample *sample)
{
	struct json_out document;
	size_t nr;
	struct top_qp *qps = top_make_qps(sample, &nr);

	json_begin(&document, out);
	json_object(&document, NULL);
	json_string(&document, "program", sample->now->header.program);
	json_uint(&document, "process", sample->now->header.process);
	json_bool(&document, "ended", sample->has_ended);
	json_uint(&document, "time_ns", sample->now_ns);
	json_uint(&document, "interval_ns", top_interval(sample));
	top_json_calls(&document, sample);
	json_array(&document, "qps");
	for (size_t i = 0; i < nr; i++)
		top_json_qp(&document, sample, &qps[i]);
	json_array_end(&document);
	top_json_srqs(&document, sample);
	json_object_end(&document);
	free(qps);
	return json_end(&document) == 0 && fflush(out) == 0 ? 0 : -EIO;
}
