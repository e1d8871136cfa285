/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: trace files of another machine, or of a program that writes at
 * the same time. Each form of output prints a file that the reader accepts.
 *
 * An input is a byte with the size of a ring and flags, and changes of a file
 * that is otherwise empty and valid: the part of the file, an index, an offset
 * in two bytes, the length, and so many bytes. The file is sparse and in
 * memory.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "tools/trace/trace_match.h"
#include "tools/trace/trace_top.h"

#define FLAG_TRUNCATED 0x80 /* by a byte */
#define FLAG_TEXT      0x40 /* the file is the rest of the input */
#define SIZE_MASK      0x07

enum part { HEADER, QP, CALL, RING, RECORD, ENTRY, SRQ, NR_PARTS };

static int trace = -1;

static uint64_t file_ring_bytes(uint32_t ring_records)
{
	return TRACE_RECORDS_OFFSET +
	       ring_records * sizeof(struct trace_record);
}

static uint64_t file_entries(uint32_t ring_records)
{
	return TRACE_RING_OFFSET +
	       TRACE_NR_RINGS * file_ring_bytes(ring_records);
}

static void file_write(uint64_t offset, const void *data, size_t len)
{
	fuzz_assert(pwrite(trace, data, len, (off_t)offset) == (ssize_t)len);
}

static void file_write_header(uint32_t ring_records)
{
	const struct trace_header header = {
		.magic = TRACE_MAGIC,
		.header_bytes = sizeof(header),
		.record_bytes = sizeof(struct trace_record),
		.qp_bytes = TRACE_QP_BYTES,
		.call_bytes = TRACE_CALL_BYTES,
		.nr_data_ops = TRACE_NR_DATA_OPS,
		.nr_ops = TRACE_NR_OPS,
		.nr_buckets = TRACE_NR_BUCKETS,
		.nr_qps = TRACE_NR_QPS,
		.nr_rings = TRACE_NR_RINGS,
		.ring_records = ring_records,
		.qp_offset = TRACE_QP_OFFSET,
		.call_offset = TRACE_CALL_OFFSET,
		.ring_offset = TRACE_RING_OFFSET,
		.ring_bytes = file_ring_bytes(ring_records),
		.entries_offset = file_entries(ring_records),
		.entries_bytes = TRACE_ENTRIES_BYTES,
	};

	file_write(0, &header, sizeof(header));
}

static uint64_t file_part(enum part part, uint64_t index, uint32_t ring_records)
{
	switch (part) {
	case QP:
		return TRACE_QP_OFFSET + index * TRACE_QP_BYTES;
	case SRQ:
		return TRACE_SRQ_OFFSET + index * TRACE_SRQ_BYTES;
	case CALL:
		return TRACE_CALL_OFFSET +
		       index % TRACE_NR_CONTROL_OPS * TRACE_CALL_BYTES;
	case RING:
		return TRACE_RING_OFFSET +
		       index % TRACE_NR_RINGS * file_ring_bytes(ring_records);
	case RECORD:
		return TRACE_RING_OFFSET + TRACE_RECORDS_OFFSET +
		       index * sizeof(struct trace_record);
	case ENTRY:
		return file_entries(ring_records) +
		       index * sizeof(struct trace_entry);
	default:
		return 0;
	}
}

static void file_change(struct fuzz_reader *reader, uint32_t ring_records)
{
	enum part part = fuzz_take_u8(reader) % NR_PARTS;
	uint64_t index = fuzz_take_u8(reader);
	uint16_t offset = fuzz_take_u16(reader);
	size_t len;
	const uint8_t *data = fuzz_take(reader, fuzz_take_u8(reader), &len);

	file_write(file_part(part, index, ring_records) + offset, data, len);
}

static void file_make(struct fuzz_reader *reader)
{
	uint8_t flags = fuzz_take_u8(reader);
	uint32_t ring_records = 1U << (flags & SIZE_MASK);
	uint64_t size = file_entries(ring_records) + TRACE_ENTRIES_BYTES;

	if (flags & FLAG_TEXT) {
		file_write(0, reader->data, reader->len);
		return;
	}
	if (flags & FLAG_TRUNCATED)
		size--;
	file_write_header(ring_records);
	while (reader->len)
		file_change(reader, ring_records);
	fuzz_assert(ftruncate(trace, (off_t)size) == 0);
}

static void print_view(FILE *out, const struct trace_data *data,
		       const struct trace_view *view)
{
	struct json_out json;

	view->text(out, data);
	json_begin(&json, out);
	view->json(&json, data);
	(void)json_end(&json);
}

static void print_all(FILE *out, const struct trace_data *data)
{
	struct top_sample sample = { .now = data, .now_ns = UINT64_MAX };

	print_view(out, data, &trace_summary);
	print_view(out, data, &trace_dump);
	trace_metrics_print(out, data, false);
	top_print_text(out, &sample, 0);
	sample.before = data;
	sample.before_ns = UINT64_MAX - 1;
	(void)top_print_json(out, &sample);
}

/* A file and a copy, since both may be connected with each other. */
static void print_matched(FILE *out, const struct trace_data *data)
{
	struct trace_source sources[] = {
		{ .path = "left", .data = *data },
		{ .path = "right", .data = *data },
	};
	struct trace_match match;

	for (size_t nr = 1; nr <= 2; nr++) {
		if (trace_match_files(sources, nr, &match) != 0)
			continue;
		fuzz_assert(match.nr_pairs + match.nr_singles <=
			    2 * data->nr_qps);
		(void)trace_match_print(out, &match, false);
		(void)trace_match_print(out, &match, true);
		(void)trace_perfetto_write(out, sources, nr);
		trace_match_free(&match);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t len)
{
	static FILE *out;
	struct fuzz_reader reader = { input, len };
	struct trace_data data;
	const char *problem = NULL;
	char path[64];

	if (trace < 0) {
		trace = memfd_create("trace", MFD_CLOEXEC);
		out = fopen("/dev/null", "we");
	}
	fuzz_assert(trace >= 0 && out && ftruncate(trace, 0) == 0);
	file_make(&reader);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", trace);
	if (trace_file_read(path, &data, &problem) == 0) {
		fuzz_assert(data.nr_qps <= TRACE_NR_QPS);
		fuzz_assert(data.nr_srqs <= TRACE_NR_SRQS);
		fuzz_assert(data.nr_records <=
			    (size_t)TRACE_NR_RINGS * data.header.ring_records);
		print_all(out, &data);
		print_matched(out, &data);
		trace_file_free(&data);
	} else {
		fuzz_assert(problem && !data.qps && !data.records);
	}
	if (trace_file_read_state(trace, &data, &problem) == 0) {
		fuzz_assert(data.nr_records == 0);
		trace_file_free(&data);
	}
	return 0;
}
