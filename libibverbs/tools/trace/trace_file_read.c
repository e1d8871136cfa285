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
	       header->call_bytes == sizeof(struct trace_call_stats) &&
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
	       header->qp_offset == TRACE_PAGE &&
	       header->ring_offset ==
		       TRACE_PAGE + (uint64_t)TRACE_NR_QPS * TRACE_QP_BYTES &&
	       header->ring_bytes ==
		       TRACE_RECORDS_OFFSET +
			       (uint64_t)records *
				       sizeof(struct trace_record) &&
	       file_bytes == header->ring_offset +
				     TRACE_NR_RINGS * header->ring_bytes;
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
	return header_is_consistent(&data->header, (uint64_t)st.st_size)
		       ? 0
		       : -EINVAL;
}

static int file_read_qps(int fd, struct trace_data *data)
{
	data->qps = calloc(TRACE_NR_QPS, sizeof(*data->qps));
	if (!data->qps)
		return -ENOMEM;
	for (; data->nr_qps < TRACE_NR_QPS; data->nr_qps++) {
		struct trace_qp_stats *qp = &data->qps[data->nr_qps];
		int ret = file_read_at(fd,
				       TRACE_PAGE + (uint64_t)data->nr_qps *
							    TRACE_QP_BYTES,
				       qp, sizeof(*qp));

		if (ret)
			return ret;
		if (qp->number == 0 && qp->type == 0)
			return 0;
		qp->device[sizeof(qp->device) - 1] = '\0';
	}
	return 0;
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

/* Adds the records of a ring that are complete. */
static int records_add(struct trace_data *data, struct trace_record *ring,
		       uint64_t next)
{
	uint64_t nr = data->header.ring_records;
	struct trace_record *records;

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
	return 0;
}

static int file_read_ring(int fd, struct trace_data *data, uint32_t index)
{
	uint64_t offset =
		data->header.ring_offset + index * data->header.ring_bytes;
	size_t bytes = data->header.ring_records * sizeof(struct trace_record);
	struct trace_record *records = malloc(bytes);
	struct trace_ring *ring = malloc(sizeof(*ring));
	int ret = records && ring ? 0 : -ENOMEM;

	if (ret == 0)
		ret = file_read_at(fd, offset, ring, sizeof(*ring));
	if (ret == 0 && ring->thread) {
		ret = file_read_at(fd, offset + TRACE_RECORDS_OFFSET, records,
				   bytes);
		for (uint32_t i = 0; i < TRACE_NR_OPS; i++)
			calls_add(&data->calls[i], &ring->calls[i]);
		if (ret == 0)
			ret = records_add(data, records, ring->next);
	}
	free(ring);
	free(records);
	return ret;
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

static int file_read_all(int fd, struct trace_data *data,
			 const char **ret_problem)
{
	int ret = file_read_header(fd, data, ret_problem);

	if (ret == 0)
		ret = file_read_qps(fd, data);
	for (uint32_t i = 0; i < TRACE_NR_RINGS && ret == 0; i++)
		ret = file_read_ring(fd, data, i);
	if (ret == 0 && data->nr_records > 0)
		qsort(data->records, data->nr_records, sizeof(*data->records),
		      record_compare);
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
	error = file_read_all(fd, ret, ret_problem);
	if (error && error != -EINVAL)
		*ret_problem = strerror(-error);
	(void)close(fd);
	if (error)
		trace_file_free(ret);
	return error;
}

void trace_file_free(struct trace_data *data)
{
	free(data->qps);
	free(data->records);
	memset(data, 0, sizeof(*data));
}
