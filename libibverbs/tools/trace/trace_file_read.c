/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See trace_file_read.h. */
#include "tools/trace/trace_file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return: 0, -EIO, or -EINVAL at the end of the file. */
static int file_read_at(int fd, uint64_t offset, void *buf, size_t len)
{
	char *to = buf;

	while (len > 0) {
		ssize_t nr = pread(fd, to, len, (off_t)offset);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr < 0 ? -errno : -EINVAL;
		to += nr;
		offset += (uint64_t)nr;
		len -= (size_t)nr;
	}
	return 0;
}

static bool header_has_layout(const struct trace_header *header)
{
	return header->header_bytes == sizeof(*header) &&
	       header->record_bytes == sizeof(struct trace_record) &&
	       header->qp_bytes == TRACE_QP_BYTES &&
	       header->call_bytes == TRACE_CALL_BYTES &&
	       header->nr_data_ops == TRACE_NR_DATA_OPS &&
	       header->nr_ops == TRACE_NR_OPS &&
	       header->nr_buckets == TRACE_NR_BUCKETS &&
	       header->nr_qps == TRACE_NR_QPS &&
	       header->nr_rings == TRACE_NR_RINGS;
}

static bool header_is_consistent(const struct trace_header *header,
				 uint64_t file_bytes)
{
	uint32_t records = header->ring_records;

	return records > 0 && records <= 1U << 22 &&
	       (records & (records - 1)) == 0 &&
	       header->qp_offset == TRACE_QP_OFFSET &&
	       header->call_offset == TRACE_CALL_OFFSET &&
	       header->ring_offset == TRACE_RING_OFFSET &&
	       header->ring_bytes ==
		       TRACE_RECORDS_OFFSET +
			       (uint64_t)records *
				       sizeof(struct trace_record) &&
	       header->entries_offset ==
		       header->ring_offset +
			       TRACE_NR_RINGS * header->ring_bytes &&
	       header->entries_bytes == TRACE_ENTRIES_BYTES &&
	       file_bytes == header->entries_offset + header->entries_bytes;
}

static int file_read_header(int fd, struct trace_data *data,
			    const char **ret_problem)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st) != 0)
		return -errno;
	*ret_problem = "is not a trace file";
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	ret = file_read_at(fd, 0, &data->header, sizeof(data->header));
	if (ret)
		return ret;
	if (data->header.magic == __builtin_bswap64(TRACE_MAGIC)) {
		*ret_problem = "was written by a machine with another byte "
			       "order";
		return -EINVAL;
	}
	if (data->header.magic != TRACE_MAGIC)
		return -EINVAL;
	*ret_problem = "was written by another version of the library";
	if (!header_has_layout(&data->header))
		return -EINVAL;
	*ret_problem = "is damaged or truncated";
	data->header.program[sizeof(data->header.program) - 1] = '\0';
	data->header.boot_id[sizeof(data->header.boot_id) - 1] = '\0';
	return header_is_consistent(&data->header, (uint64_t)st.st_size)
		       ? 0
		       : -EINVAL;
}

/* Whether the entries of a queue are in their part of the file. */
static bool queue_is_in_file(const struct trace_data *data,
			     const struct trace_queue_state *queue)
{
	uint64_t begin = data->header.entries_offset;
	uint64_t bytes = data->header.entries_bytes;

	return queue->size > 0 && queue->size <= TRACE_MAX_ENTRIES &&
	       (queue->size & (queue->size - 1)) == 0 &&
	       queue->entries >= begin && queue->entries - begin <= bytes &&
	       queue->size * sizeof(struct trace_entry) <=
		       bytes - (queue->entries - begin);
}

static void queue_count(struct trace_in_flight *to,
			const struct trace_queue_state *queue,
			const struct trace_entry *entries)
{
	for (uint32_t place = queue->head; place != queue->tail; place++) {
		const struct trace_entry *entry =
			&entries[place & (queue->size - 1)];

		if (entry->state != TRACE_ENTRY_POSTED)
			continue;
		if (to->nr++ == 0)
			to->oldest = *entry;
	}
	to->has_oldest = to->nr > 0;
}

/* Places are in use only between head and tail, which may move meanwhile. */
static int queue_read(int fd, const struct trace_data *data,
		      const struct trace_queue_state *queue,
		      struct trace_in_flight *to)
{
	uint32_t nr = queue->tail - queue->head;
	struct trace_entry *entries;
	int ret;

	if (nr == 0)
		return 0;
	if (!queue_is_in_file(data, queue) || nr > queue->size) {
		to->nr = nr;
		return 0;
	}
	entries = malloc(queue->size * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	ret = file_read_at(fd, queue->entries, entries,
			   queue->size * sizeof(*entries));
	if (ret == 0)
		queue_count(to, queue, entries);
	free(entries);
	return ret;
}

/* Return: 1 if there is a QP, 0 at the end, or -errno. */
static int file_read_qp(int fd, struct trace_data *data, size_t index)
{
	struct trace_qp_stats *qp = &data->qps[index];
	struct trace_queues *queues = &data->queues[index];
	int ret = file_read_at(fd, TRACE_QP_OFFSET + index * TRACE_QP_BYTES, qp,
			       sizeof(*qp));

	if (ret)
		return ret;
	if (qp->number == 0 && qp->type == 0)
		return 0;
	qp->device[sizeof(qp->device) - 1] = '\0';
	ret = queue_read(fd, data, &qp->send, &queues->send);
	if (ret == 0)
		ret = queue_read(fd, data, &qp->recv, &queues->recv);
	return ret ? ret : 1;
}

/* Return: 1 if there is an SRQ, 0 at the end, or -errno. */
static int file_read_srq(int fd, struct trace_data *data, size_t index)
{
	struct trace_srq_stats *srq = &data->srqs[index];
	int ret = file_read_at(fd, TRACE_SRQ_OFFSET + index * TRACE_SRQ_BYTES,
			       srq, sizeof(*srq));

	if (ret || !srq->is_used)
		return ret;
	srq->device[sizeof(srq->device) - 1] = '\0';
	ret = queue_read(fd, data, &srq->queue, &data->srq_queues[index]);
	return ret ? ret : 1;
}

static int file_read_srqs(int fd, struct trace_data *data)
{
	int ret = 1;

	while (data->nr_srqs < TRACE_NR_SRQS && ret > 0) {
		ret = file_read_srq(fd, data, data->nr_srqs);
		data->nr_srqs += ret > 0;
	}
	return ret < 0 ? ret : 0;
}

static int file_read_qps(int fd, struct trace_data *data)
{
	int ret = 1;

	data->qps = calloc(TRACE_NR_QPS, sizeof(*data->qps));
	data->queues = calloc(TRACE_NR_QPS, sizeof(*data->queues));
	if (!data->qps || !data->queues)
		return -ENOMEM;
	while (data->nr_qps < TRACE_NR_QPS && ret > 0) {
		ret = file_read_qp(fd, data, data->nr_qps);
		data->nr_qps += ret > 0;
	}
	return ret < 0 ? ret : 0;
}

static void calls_add(struct trace_call_stats *to,
		      const struct trace_call_stats *from)
{
	to->calls += from->calls;
	to->errors += from->errors;
	to->empty += from->empty;
	to->total_ns += from->total_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	for (uint32_t i = 0; i < TRACE_NR_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

/* Most ops have no numbers, and no space in the file. */
static int file_read_calls(int fd, struct trace_data *data)
{
	int ret = 0;

	for (uint32_t op = TRACE_NR_DATA_OPS; op < TRACE_NR_OPS && ret == 0;
	     op++) {
		struct trace_call_stats *calls = &data->calls[op];
		uint64_t offset =
			TRACE_CALL_OFFSET +
			(uint64_t)(op - TRACE_NR_DATA_OPS) * TRACE_CALL_BYTES;

		ret = file_read_at(fd, offset, &calls->calls,
				   sizeof(calls->calls));
		if (ret == 0 && calls->calls)
			ret = file_read_at(fd, offset, calls, sizeof(*calls));
	}
	return ret;
}

/* A thread writes a record at the end of its call. */
static void records_note_lost(struct trace_data *data,
			      const struct trace_record *oldest)
{
	uint64_t end_ns = oldest->begin_ns + oldest->duration_ns;

	if (end_ns > data->complete_ns)
		data->complete_ns = end_ns;
}

/* Adds the records of a ring that are complete. */
static int records_add(struct trace_data *data, struct trace_record *ring,
		       uint64_t next)
{
	uint64_t nr = data->header.ring_records;
	struct trace_record *records;
	size_t first = data->nr_records;

	data->nr_lost += next > nr ? next - nr : 0;
	records = realloc(data->records,
			  (data->nr_records + (size_t)nr) * sizeof(*records));
	if (!records)
		return -ENOMEM;
	data->records = records;
	for (uint64_t i = next > nr ? next - nr : 0; i < next; i++) {
		const struct trace_record *record = &ring[i & (nr - 1)];

		if (record->sequence == i + 1 && record->op < TRACE_NR_OPS)
			records[data->nr_records++] = *record;
		else
			data->nr_torn++;
	}
	if (next > nr && data->nr_records > first)
		records_note_lost(data, &records[first]);
	return 0;
}

static int file_read_records(int fd, struct trace_data *data, uint64_t offset,
			     uint64_t next)
{
	size_t bytes = data->header.ring_records * sizeof(struct trace_record);
	struct trace_record *records = malloc(bytes);
	int ret = records ? file_read_at(fd, offset, records, bytes) : -ENOMEM;

	if (ret == 0)
		ret = records_add(data, records, next);
	free(records);
	return ret;
}

static int file_read_used_ring(int fd, struct trace_data *data, uint64_t offset,
			       bool with_records)
{
	struct trace_ring *ring = malloc(sizeof(*ring));
	int ret = ring ? file_read_at(fd, offset, ring, sizeof(*ring))
		       : -ENOMEM;

	for (uint32_t i = 0; ret == 0 && i < TRACE_NR_DATA_OPS; i++)
		calls_add(&data->calls[i], &ring->calls[i]);
	if (ret == 0 && with_records)
		ret = file_read_records(fd, data, offset + TRACE_RECORDS_OFFSET,
					ring->next);
	free(ring);
	return ret;
}

static int file_read_ring(int fd, struct trace_data *data, uint32_t index,
			  bool with_records)
{
	uint64_t offset =
		data->header.ring_offset + index * data->header.ring_bytes;
	uint32_t thread;
	int ret = file_read_at(fd, offset, &thread, sizeof(thread));

	return ret || thread == 0
		       ? ret
		       : file_read_used_ring(fd, data, offset, with_records);
}

static int record_compare(const void *left, const void *right)
{
	const struct trace_record *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static int file_read_all(int fd, bool with_records, struct trace_data *data,
			 const char **ret_problem)
{
	int ret = file_read_header(fd, data, ret_problem);

	if (ret == 0)
		ret = file_read_srqs(fd, data);
	if (ret == 0)
		ret = file_read_qps(fd, data);
	if (ret == 0)
		ret = file_read_calls(fd, data);
	for (uint32_t i = 0; i < TRACE_NR_RINGS && ret == 0; i++)
		ret = file_read_ring(fd, data, i, with_records);
	if (ret == 0 && data->nr_records > 0)
		qsort(data->records, data->nr_records, sizeof(*data->records),
		      record_compare);
	if (ret && ret != -EINVAL)
		*ret_problem = strerror(-ret);
	if (ret)
		trace_file_free(data);
	return ret;
}

int trace_file_read(const char *path, struct trace_data *ret,
		    const char **ret_problem)
{
	/* A FIFO must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0) {
		error = -errno;
		*ret_problem = strerror(errno);
		return error;
	}
	error = file_read_all(fd, true, ret, ret_problem);
	(void)close(fd);
	return error;
}

int trace_file_read_state(int fd, struct trace_data *ret,
			  const char **ret_problem)
{
	memset(ret, 0, sizeof(*ret));
	return file_read_all(fd, false, ret, ret_problem);
}

void trace_file_free(struct trace_data *data)
{
	free(data->qps);
	free(data->queues);
	free(data->records);
	memset(data, 0, sizeof(*data));
}
