/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records of a trace, one line each. */
#include <infiniband/verbs.h>
#include <inttypes.h>

#include "tools/trace/trace_tool.h"

static void dump_text_request(FILE *out, const struct trace_data *data,
			      const struct trace_record *record)
{
	fprintf(out, "%s(qp 0x%x, wr_id 0x%" PRIx64 ", %s, %" PRIu64 " bytes",
		trace_op_name(record->op), trace_record_qpn(data, record),
		record->wr_id, trace_record_opcode(record), record->bytes);
	if (trace_record_is_ud(data, record))
		fprintf(out, ", to qp 0x%x", record->key);
	else if (record->value || record->key)
		fprintf(out, ", remote 0x%" PRIx64 " rkey 0x%x", record->value,
			record->key);
	fprintf(out, ") = %d", record->result);
}

static void dump_text_completion(FILE *out, const struct trace_data *data,
				 const struct trace_record *record)
{
	fprintf(out,
		"%s: qp 0x%x, wr_id 0x%" PRIx64 ", %s, %" PRIu64 " bytes, %s",
		trace_op_name(record->op), trace_record_qpn(data, record),
		record->wr_id, trace_record_opcode(record), record->bytes,
		trace_status_name(record->status));
	if (trace_record_is_ud(data, record) &&
	    (record->opcode & IBV_WC_RECV) && record->status == IBV_WC_SUCCESS)
		fprintf(out, ", from qp 0x%x", record->key);
	if (record->value != TRACE_NO_LATENCY)
		fprintf(out, ", %" PRIu64 " ns after the post", record->value);
}

static void dump_text_record(FILE *out, const struct trace_data *data,
			     const struct trace_record *record)
{
	fprintf(out, "%" PRIu64 ".%09" PRIu64 " [%" PRIu32 "] ",
		record->begin_ns / 1000000000, record->begin_ns % 1000000000,
		record->thread);
	switch (record->kind) {
	case TRACE_SEND:
	case TRACE_RECV:
		dump_text_request(out, data, record);
		break;
	case TRACE_COMPLETION:
		dump_text_completion(out, data, record);
		break;
	case TRACE_EVENT:
		fprintf(out, "%s: %s, 0x%x", trace_op_name(record->op),
			trace_event_name(record->opcode), record->key);
		break;
	default:
		fprintf(out, "%s(0x%x", trace_op_name(record->op), record->key);
		if (record->bytes)
			fprintf(out, ", %" PRIu64 " bytes", record->bytes);
		if (record->value)
			fprintf(out, ", %" PRIu64 " requests not posted",
				record->value);
		fprintf(out, ") = %d", record->result);
	}
	if (record->duration_ns)
		fprintf(out, " <%" PRIu32 " ns>", record->duration_ns);
	fprintf(out, "\n");
}

static void dump_text(FILE *out, const struct trace_data *data)
{
	if (data->nr_lost)
		fprintf(out,
			"# %" PRIu64 " older records were replaced by newer "
			"ones\n",
			data->nr_lost);
	for (size_t i = 0; i < data->nr_records; i++)
		dump_text_record(out, data, &data->records[i]);
}

static void dump_json_record(struct json_out *out,
			     const struct trace_data *data,
			     const struct trace_record *record)
{
	static const char *const kinds[] = {
		[TRACE_CALL] = "call",	 [TRACE_SEND] = "send",
		[TRACE_RECV] = "recv",	 [TRACE_COMPLETION] = "completion",
		[TRACE_EVENT] = "event",
	};
	unsigned int kind = record->kind;

	json_object(out, NULL);
	json_string(out, "kind",
		    kind >= TRACE_CALL && kind <= TRACE_EVENT ? kinds[kind]
							      : "unknown");
	json_uint(out, "begin_ns", record->begin_ns);
	json_uint(out, "duration_ns", record->duration_ns);
	json_uint(out, "thread", record->thread);
	json_string(out, "function", trace_op_name(record->op));
	json_uint(out, "bytes", record->bytes);
	if (kind == TRACE_CALL || kind == TRACE_SEND || kind == TRACE_RECV)
		json_int(out, "result", record->result);
	if (kind == TRACE_CALL || kind == TRACE_SEND || kind == TRACE_EVENT)
		json_uint(out, "key", record->key);
	if (kind == TRACE_CALL && record->value)
		json_uint(out, "requests_not_posted", record->value);
	if (kind == TRACE_EVENT)
		json_string(out, "event", trace_event_name(record->opcode));
	if (kind != TRACE_CALL && kind != TRACE_EVENT) {
		json_uint(out, "qp_num", trace_record_qpn(data, record));
		json_uint(out, "wr_id", record->wr_id);
		json_string(out, "opcode", trace_record_opcode(record));
	}
	if (kind == TRACE_SEND && trace_record_is_ud(data, record))
		json_uint(out, "remote_qp_num", record->key);
	if (kind == TRACE_SEND)
		json_uint(out, "remote_addr", record->value);
	if (kind == TRACE_COMPLETION) {
		json_string(out, "status", trace_status_name(record->status));
		if (record->value == TRACE_NO_LATENCY)
			json_null(out, "latency_ns");
		else
			json_uint(out, "latency_ns", record->value);
	}
	json_object_end(out);
}

static void dump_json(struct json_out *out, const struct trace_data *data)
{
	json_object(out, NULL);
	json_string(out, "program", data->header.program);
	json_uint(out, "process", data->header.process);
	json_uint(out, "start_realtime_ns", data->header.start_realtime_ns);
	json_uint(out, "replaced", data->nr_lost);
	json_array(out, "records");
	for (size_t i = 0; i < data->nr_records; i++)
		dump_json_record(out, data, &data->records[i]);
	json_array_end(out);
	json_object_end(out);
}

const struct trace_view trace_dump = {
	.text = dump_text,
	.json = dump_json,
};
