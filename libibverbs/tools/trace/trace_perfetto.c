/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a trace in Perfetto's format: protobuf messages of type Trace, whose
 * packets are TrackDescriptor and TrackEvent (perfetto.dev, "Synthetic
 * TrackEvent"; the field numbers are those of trace_packet.proto,
 * track_descriptor.proto and track_event.proto). Threads have tracks with
 * calls. Each QP has tracks with its requests, from post to completion:
 * requests that overlap are on different tracks. Of several files, flows
 * connect the post of a message with its remote completion.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trace/trace_match.h"

/* Fields. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48,
	ANNOTATION_UINT = 3,
	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

enum { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };

/* Numbers of tracks; bits above are the index of the file. */
#define PROCESS_TRACK 1U
#define THREAD_TRACK  (UINT64_C(1) << 40)
#define QP_TRACK      (UINT64_C(1) << 41)
#define FILE_SHIFT    48
#define MAX_LANES     256U

/* Linux has less processes. */
#define MAX_PROCESSES (1U << 22)

/* A file that is written. */
struct perfetto_file {
	FILE *out;
	const struct trace_source *source;
	uint64_t tracks;    /* what is added to their numbers */
	uint32_t processes; /* what is added to processes and threads */
};

/* A message; longer ones do not occur. */
struct proto {
	size_t len;
	uint8_t buf[1024];
};

static void proto_byte(struct proto *to, uint64_t byte)
{
	if (to->len < sizeof(to->buf))
		to->buf[to->len++] = (uint8_t)byte;
}

static void proto_varint(struct proto *to, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		proto_byte(to, value | 128);
	proto_byte(to, value);
}

static void proto_uint(struct proto *to, unsigned int field, uint64_t value)
{
	proto_varint(to, (uint64_t)field << 3);
	proto_varint(to, value);
}

static void proto_fixed64(struct proto *to, unsigned int field, uint64_t value)
{
	proto_varint(to, (uint64_t)field << 3 | 1);
	for (unsigned int i = 0; i < 8; i++)
		proto_byte(to, value >> (8 * i) & 255);
}

static void proto_bytes(struct proto *to, unsigned int field, const void *data,
			size_t len)
{
	proto_varint(to, (uint64_t)field << 3 | 2);
	proto_varint(to, len);
	for (size_t i = 0; i < len; i++)
		proto_byte(to, ((const uint8_t *)data)[i]);
}

static void proto_text(struct proto *to, unsigned int field, const char *text)
{
	proto_bytes(to, field, text, strlen(text));
}

static void proto_message(struct proto *to, unsigned int field,
			  const struct proto *message)
{
	proto_bytes(to, field, message->buf, message->len);
}

static void perfetto_add_packet(FILE *out, const struct proto *packet)
{
	struct proto head = {};

	proto_varint(&head, TRACE_PACKET << 3 | 2);
	proto_varint(&head, packet->len);
	(void)fwrite(head.buf, 1, head.len, out); /* see ferror() */
	(void)fwrite(packet->buf, 1, packet->len, out);
}

static void perfetto_add_track(FILE *out, struct proto *track)
{
	struct proto packet = {};

	proto_uint(&packet, PACKET_SEQUENCE_ID, 1);
	proto_message(&packet, PACKET_TRACK_DESCRIPTOR, track);
	perfetto_add_packet(out, &packet);
}

static void perfetto_add_process(const struct perfetto_file *file)
{
	const struct trace_header *header = &file->source->data.header;
	struct proto process = {}, track = {}, packet = {};

	proto_uint(&process, PROCESS_PID, file->processes + header->process);
	proto_text(&process, PROCESS_NAME, header->program);
	proto_uint(&track, DESCRIPTOR_UUID, file->tracks + PROCESS_TRACK);
	proto_message(&track, DESCRIPTOR_PROCESS, &process);
	proto_uint(&packet, PACKET_SEQUENCE_ID, 1);
	/* SEQ_INCREMENTAL_STATE_CLEARED: the sequence begins. */
	proto_uint(&packet, PACKET_SEQUENCE_FLAGS, 1);
	proto_message(&packet, PACKET_TRACK_DESCRIPTOR, &track);
	perfetto_add_packet(file->out, &packet);
}

static void perfetto_add_thread(const struct perfetto_file *file,
				uint32_t number)
{
	struct proto thread = {}, track = {};

	proto_uint(&thread, THREAD_PID,
		   file->processes + file->source->data.header.process);
	proto_uint(&thread, THREAD_TID, file->processes + number);
	proto_uint(&track, DESCRIPTOR_UUID,
		   file->tracks + THREAD_TRACK + number);
	proto_uint(&track, DESCRIPTOR_PARENT, file->tracks + PROCESS_TRACK);
	proto_message(&track, DESCRIPTOR_THREAD, &thread);
	perfetto_add_track(file->out, &track);
}

static void event_annotate_uint(struct proto *event, const char *name,
				uint64_t value)
{
	struct proto annotation = {};

	proto_text(&annotation, ANNOTATION_NAME, name);
	proto_uint(&annotation, ANNOTATION_UINT, value);
	proto_message(event, EVENT_ANNOTATION, &annotation);
}

static void event_annotate_text(struct proto *event, const char *name,
				const char *value)
{
	struct proto annotation = {};

	proto_text(&annotation, ANNOTATION_NAME, name);
	proto_text(&annotation, ANNOTATION_STRING, value);
	proto_message(event, EVENT_ANNOTATION, &annotation);
}

static void perfetto_add_event(const struct perfetto_file *file, uint64_t time,
			       uint64_t track, unsigned int type,
			       struct proto *event)
{
	struct proto packet = {};

	proto_uint(event, EVENT_TYPE, type);
	proto_uint(event, EVENT_TRACK, file->tracks + track);
	proto_uint(&packet, PACKET_TIMESTAMP,
		   (uint64_t)trace_source_time(file->source, time));
	proto_uint(&packet, PACKET_SEQUENCE_ID, 1);
	proto_message(&packet, PACKET_TRACK_EVENT, event);
	perfetto_add_packet(file->out, &packet);
}

static void perfetto_annotate_request(struct proto *event,
				      const struct trace_data *data,
				      const struct trace_record *record)
{
	event_annotate_uint(event, "qp_num", trace_record_qpn(data, record));
	event_annotate_uint(event, "wr_id", record->wr_id);
	event_annotate_uint(event, "bytes", record->bytes);
	event_annotate_text(event, "opcode", trace_record_opcode(record));
	if (record->kind == TRACE_COMPLETION)
		event_annotate_text(event, "status",
				    trace_status_name(record->status));
}

/* The message of a record begins with its post and ends with its receive. */
static void perfetto_add_flow(struct proto *event,
			      const struct trace_source *source,
			      const struct trace_record *record)
{
	uint64_t flow = source->flows
				? source->flows[record - source->data.records]
				: 0;

	if (flow)
		proto_fixed64(event,
			      record->kind == TRACE_SEND ? EVENT_FLOWS
							 : EVENT_LAST_FLOWS,
			      flow);
}

/* A call, post or poll on the track of its thread. */
static void perfetto_add_record(const struct perfetto_file *file,
				const struct trace_record *record)
{
	const struct trace_data *data = &file->source->data;
	uint64_t begin = record->begin_ns;
	uint64_t track = THREAD_TRACK + record->thread;
	struct proto event = {}, end = {};

	proto_text(&event, EVENT_NAME,
		   record->kind == TRACE_EVENT
			   ? trace_event_name(record->opcode)
			   : trace_op_name(record->op));
	if (record->kind != TRACE_CALL && record->kind != TRACE_EVENT)
		perfetto_annotate_request(&event, data, record);
	else
		event_annotate_uint(&event, "key", record->key);
	if (record->result)
		event_annotate_uint(&event, "errno",
				    (uint64_t) - (int64_t)record->result);
	perfetto_add_flow(&event, file->source, record);
	perfetto_add_event(file, begin, track,
			   record->duration_ns ? EVENT_BEGIN : EVENT_INSTANT,
			   &event);
	if (record->duration_ns)
		perfetto_add_event(file, begin + record->duration_ns, track,
				   EVENT_END, &end);
}

/* ------------------------------------------------------------------------ */
/* Requests                                                                  */
/* ------------------------------------------------------------------------ */

/* Receives wait, so they are on tracks of their own. */
static bool perfetto_is_recv(const struct trace_record *record)
{
	return record->opcode & 128; /* IBV_WC_RECV */
}

static uint64_t perfetto_post_time(const struct trace_record *record)
{
	return record->begin_ns - record->value;
}

/* By QP, direction and time of the post. */
static int perfetto_compare(const void *left, const void *right)
{
	const struct trace_record *a =
		*(const struct trace_record *const *)left;
	const struct trace_record *b =
		*(const struct trace_record *const *)right;
	uint64_t time_a = perfetto_post_time(a), time_b = perfetto_post_time(b);

	if (a->qp != b->qp)
		return a->qp < b->qp ? -1 : 1;
	if (perfetto_is_recv(a) != perfetto_is_recv(b))
		return perfetto_is_recv(a) ? 1 : -1;
	return time_a < time_b ? -1 : time_a > time_b;
}

/* The tracks of a queue: the end of the last slice of each. */
struct perfetto_lanes {
	uint64_t first; /* uuid */
	unsigned int nr;
	uint64_t ends[MAX_LANES];
};

static void perfetto_add_lane(const struct perfetto_file *file,
			      const struct trace_record *record, uint64_t uuid)
{
	struct proto track = {};
	char name[64];

	(void)snprintf(name, sizeof(name), "QP 0x%x %s",
		       trace_record_qpn(&file->source->data, record),
		       perfetto_is_recv(record) ? "receives" : "sends");
	proto_uint(&track, DESCRIPTOR_UUID, file->tracks + uuid);
	proto_uint(&track, DESCRIPTOR_PARENT, file->tracks + PROCESS_TRACK);
	proto_text(&track, DESCRIPTOR_NAME, name);
	perfetto_add_track(file->out, &track);
}

/* Return: a lane that is free at @time, or the one that is free first. */
static unsigned int perfetto_find_lane(struct perfetto_lanes *lanes,
				       uint64_t time)
{
	unsigned int first = 0;

	for (unsigned int i = 0; i < lanes->nr; i++) {
		if (lanes->ends[i] <= time)
			return i;
		if (lanes->ends[i] < lanes->ends[first])
			first = i;
	}
	return lanes->nr < MAX_LANES ? lanes->nr : first;
}

static void perfetto_add_request(const struct perfetto_file *file,
				 const struct trace_record *record,
				 struct perfetto_lanes *lanes)
{
	uint64_t begin = perfetto_post_time(record);
	unsigned int lane = perfetto_find_lane(lanes, begin);
	struct proto event = {}, end = {};

	if (lane == lanes->nr) {
		perfetto_add_lane(file, record, lanes->first + lane);
		lanes->nr++;
	} else if (begin < lanes->ends[lane]) {
		begin = lanes->ends[lane];
	}
	if (begin > record->begin_ns)
		begin = record->begin_ns;
	lanes->ends[lane] = record->begin_ns;
	proto_text(&event, EVENT_NAME, trace_record_opcode(record));
	perfetto_annotate_request(&event, &file->source->data, record);
	perfetto_add_event(file, begin, lanes->first + lane, EVENT_BEGIN,
			   &event);
	perfetto_add_event(file, record->begin_ns, lanes->first + lane,
			   EVENT_END, &end);
}

static int perfetto_add_requests(const struct perfetto_file *file)
{
	const struct trace_data *data = &file->source->data;
	const struct trace_record **sorted =
		calloc(data->nr_records + 1, sizeof(const void *));
	struct perfetto_lanes lanes = {};
	size_t nr = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < data->nr_records; i++)
		if (data->records[i].kind == TRACE_COMPLETION &&
		    data->records[i].value <= data->records[i].begin_ns)
			sorted[nr++] = &data->records[i];
	qsort(sorted, nr, sizeof(const void *), perfetto_compare);
	for (size_t i = 0; i < nr; i++) {
		if (i == 0 || sorted[i]->qp != sorted[i - 1]->qp ||
		    perfetto_is_recv(sorted[i]) !=
			    perfetto_is_recv(sorted[i - 1]))
			lanes = (struct perfetto_lanes){
				.first = QP_TRACK +
					 ((uint64_t)sorted[i]->qp << 16) +
					 (perfetto_is_recv(sorted[i]) ? 32768
								      : 0),
			};
		perfetto_add_request(file, sorted[i], &lanes);
	}
	free(sorted);
	return 0;
}

static int thread_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static int perfetto_add_threads(const struct perfetto_file *file)
{
	const struct trace_data *data = &file->source->data;
	uint32_t *threads = calloc(data->nr_records + 1, sizeof(*threads));

	if (!threads)
		return -ENOMEM;
	for (size_t i = 0; i < data->nr_records; i++)
		threads[i] = data->records[i].thread;
	qsort(threads, data->nr_records, sizeof(*threads), thread_compare);
	for (size_t i = 0; i < data->nr_records; i++)
		if (i == 0 || threads[i] != threads[i - 1])
			perfetto_add_thread(file, threads[i]);
	free(threads);
	return 0;
}

static int perfetto_add_file(const struct perfetto_file *file)
{
	const struct trace_data *data = &file->source->data;
	int ret;

	perfetto_add_process(file);
	ret = perfetto_add_threads(file);
	if (ret)
		return ret;
	for (size_t i = 0; i < data->nr_records; i++)
		perfetto_add_record(file, &data->records[i]);
	return perfetto_add_requests(file);
}

/* Whether an earlier file has a process of the same number, on another host. */
static bool perfetto_has_process(const struct trace_source *sources,
				 size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (sources[i].data.header.process ==
		    sources[index].data.header.process)
			return true;
	return false;
}

int trace_perfetto_write(FILE *out, const struct trace_source *sources,
			 size_t nr_sources)
{
	int ret = 0;

	for (size_t i = 0; i < nr_sources && ret == 0; i++) {
		const struct perfetto_file file = {
			.out = out,
			.source = &sources[i],
			.tracks = (uint64_t)i << FILE_SHIFT,
			.processes = perfetto_has_process(sources, i)
					     ? (uint32_t)i * MAX_PROCESSES
					     : 0,
		};

		ret = perfetto_add_file(&file);
	}
	if (ret)
		return ret;
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
