/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The trace file of the process: creates and maps it at the first open of a
 * device, and hands out places to QPs and to the numbers of control calls. Disk
 * space is allocated before it is written, because a store to a page without
 * space raises SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layers/layers_settings.h"
#include "layers/trace/trace_clock.h"
#include "layers/trace/trace_ring.h"
#include "layers/trace/trace_settings.h"
#include "util/cancel.h"
#include "util/clock.h"
#include "util/text_file.h"

atomic_bool trace_is_on;
struct trace_header *trace_header;
uint32_t trace_ring_mask;

static struct trace_settings settings;
static int trace_fd = -1;
static struct stat trace_stat; /* of the descriptor */
static pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;

static atomic_uint nr_qps, nr_srqs;
static atomic_uint nr_entries; /* that were taken */

/* Control calls have space in the file after the first one. */
enum call_state { CALL_NEW, CALL_HAS_SPACE, CALL_HAS_NONE };
static atomic_uint call_states[TRACE_NR_CONTROL_OPS];

bool trace_file_configure(const char *text)
{
	return trace_settings_parse(text, &settings);
}

/* ------------------------------------------------------------------------ */
/* The file                                                                  */
/* ------------------------------------------------------------------------ */

static uint64_t file_ring_bytes(void)
{
	return TRACE_RECORDS_OFFSET +
	       (uint64_t)settings.ring_records * sizeof(struct trace_record);
}

static uint64_t file_entries_offset(void)
{
	return TRACE_RING_OFFSET + TRACE_NR_RINGS * file_ring_bytes();
}

static uint64_t file_bytes(void)
{
	return file_entries_offset() + TRACE_ENTRIES_BYTES;
}

/* A file above the limit would raise SIGXFSZ. */
static int file_check_limit(void)
{
	struct rlimit limit = {};

	/* 32-bit machines cannot map the largest size. */
	if (file_bytes() > SIZE_MAX / 2)
		return -EFBIG;
	(void)getrlimit(RLIMIT_FSIZE, &limit); /* cannot fail */
	return limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < file_bytes()
		       ? -EFBIG
		       : 0;
}

static int file_map(int fd)
{
	int ret = file_check_limit();
	void *map;

	if (ret)
		return ret;
	if (ftruncate(fd, (off_t)file_bytes()) != 0)
		return -errno;
	if (fstat(fd, &trace_stat) != 0)
		return -errno;
	ret = posix_fallocate(fd, 0, TRACE_PAGE);
	if (ret)
		return -ret;
	map = mmap(NULL, file_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	if (map == MAP_FAILED)
		return -errno;
	trace_header = map;
	return 0;
}

static void file_write_header(void)
{
	struct trace_header *header = trace_header;

	header->header_bytes = sizeof(*header);
	header->record_bytes = sizeof(struct trace_record);
	header->qp_bytes = TRACE_QP_BYTES;
	header->call_bytes = TRACE_CALL_BYTES;
	header->nr_data_ops = TRACE_NR_DATA_OPS;
	header->nr_ops = TRACE_NR_OPS;
	header->nr_buckets = TRACE_NR_BUCKETS;
	header->nr_qps = TRACE_NR_QPS;
	header->nr_rings = TRACE_NR_RINGS;
	header->ring_records = settings.ring_records;
	header->process = (uint32_t)getpid();
	header->qp_offset = TRACE_QP_OFFSET;
	header->call_offset = TRACE_CALL_OFFSET;
	header->ring_offset = TRACE_RING_OFFSET;
	header->ring_bytes = file_ring_bytes();
	header->entries_offset = file_entries_offset();
	header->entries_bytes = TRACE_ENTRIES_BYTES;
	trace_clock_start();
	header->clock = trace_clock;
	header->start_monotonic_ns = verbs_now_ns();
	header->start_realtime_ns = verbs_clock_ns(CLOCK_REALTIME);
	(void)snprintf(header->program, sizeof(header->program), "%s",
		       program_invocation_short_name);
	/* Without it, files of one machine look like those of two. */
	if (text_file_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id",
			      header->boot_id, sizeof(header->boot_id)) < 0)
		header->boot_id[0] = '\0';
	header->magic = TRACE_MAGIC;
}

static int file_create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	int ret;

	if (fd < 0)
		return -errno;
	ret = file_map(fd);
	if (ret) {
		(void)unlink(path); /* it is empty */
		(void)close(fd);
		return ret;
	}
	trace_fd = fd;
	trace_ring_mask = settings.ring_records - 1;
	file_write_header();
	return 0;
}

/* A process that fails once is not traced. */
static void file_open_locked(void)
{
	static long failed_process;
	char path[PATH_MAX];
	int ret = -ENAMETOOLONG;

	if (atomic_load(&trace_is_on) || failed_process == (long)getpid())
		return;
	if (layers_settings_expand(settings.file, path, sizeof(path)))
		ret = file_create(path);
	if (ret) {
		failed_process = (long)getpid();
		trace_warn("cannot create %s: %s; no trace is written", path,
			   strerror(-ret));
		return;
	}
	/* Pairs with the loads in trace_begin() and trace_ring_get(). */
	atomic_store(&trace_is_on, true);
}

void trace_open(void)
{
	int saved = errno;
	int state = cancel_disable();

	(void)pthread_mutex_lock(&open_mutex);
	file_open_locked();
	(void)pthread_mutex_unlock(&open_mutex);
	cancel_restore(state);
	errno = saved;
}

/*
 * The child must not write to the rings of its parent. The mapping stays, since
 * QPs that the child inherited refer to it.
 */
void trace_file_forked(void)
{
	atomic_store(&trace_is_on, false);
	(void)pthread_mutex_init(&open_mutex, NULL);
	if (trace_fd >= 0)
		(void)close(trace_fd);
	trace_fd = -1;
	atomic_store(&nr_qps, 0);
	atomic_store(&nr_srqs, 0);
	atomic_store(&nr_entries, 0);
	for (unsigned int i = 0; i < TRACE_NR_CONTROL_OPS; i++)
		atomic_store(&call_states[i], CALL_NEW);
}

/* Whether the program did not close the descriptor, as daemons do. */
static bool file_is_open(void)
{
	struct stat now;

	return fstat(trace_fd, &now) == 0 && now.st_dev == trace_stat.st_dev &&
	       now.st_ino == trace_stat.st_ino;
}

/* A file that has no space for one object has possibly space for others. */
static void file_warn_once(int error)
{
	static atomic_flag has_warned = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&has_warned))
		trace_warn("the trace is incomplete: %s",
			   error == EBADF ? "the program closed its descriptor"
					  : strerror(error));
}

bool trace_file_allocate(uint64_t offset, uint64_t len)
{
	int saved = errno;
	int state = cancel_disable();
	int error = file_is_open() ? posix_fallocate(trace_fd, (off_t)offset,
						     (off_t)len)
				   : EBADF;

	if (error)
		file_warn_once(error);
	cancel_restore(state);
	errno = saved;
	return error == 0;
}

/* A part of the file with objects of one kind. */
struct file_part {
	atomic_uint *nr;
	uint32_t max;
	uint64_t offset, bytes; /* bytes: of one */
};

/* Return: the index of a new object, or UINT32_MAX. */
static uint32_t file_add(const struct file_part *part, uint64_t *lost,
			 void *ret_object)
{
	uint32_t index = atomic_fetch_add(part->nr, 1);
	uint64_t offset = part->offset + index * part->bytes;
	void *object = (char *)trace_header + offset;

	if (index >= part->max || !trace_file_allocate(offset, part->bytes)) {
		__atomic_fetch_add(lost, 1, __ATOMIC_RELAXED);
		return UINT32_MAX;
	}
	memcpy(ret_object, &object, sizeof(object));
	return index;
}

uint32_t trace_file_add_qp(struct trace_qp_stats **ret_stats)
{
	static const struct file_part part = { &nr_qps, TRACE_NR_QPS,
					       TRACE_QP_OFFSET,
					       TRACE_QP_BYTES };

	return atomic_load(&trace_is_on)
		       ? file_add(&part, &trace_header->lost_qps, ret_stats)
		       : TRACE_NO_QP;
}

uint32_t trace_file_add_srq(struct trace_srq_stats **ret_stats)
{
	static const struct file_part part = { &nr_srqs, TRACE_NR_SRQS,
					       TRACE_SRQ_OFFSET,
					       TRACE_SRQ_BYTES };

	return atomic_load(&trace_is_on)
		       ? file_add(&part, &trace_header->lost_srqs, ret_stats)
		       : TRACE_NO_SRQ;
}

struct trace_entry *trace_file_add_entries(uint32_t nr, uint64_t *ret_offset)
{
	const uint32_t max = TRACE_ENTRIES_BYTES / sizeof(struct trace_entry);
	uint32_t first = atomic_load(&nr_entries);
	uint64_t offset;

	do {
		if (!atomic_load(&trace_is_on) || nr > max - first)
			return NULL;
	} while (
		!atomic_compare_exchange_weak(&nr_entries, &first, first + nr));
	offset = trace_header->entries_offset +
		 first * sizeof(struct trace_entry);
	if (!trace_file_allocate(offset, nr * sizeof(struct trace_entry)))
		return NULL;
	*ret_offset = offset;
	return (void *)((char *)trace_header + offset);
}

/* Several threads may allocate the same space. */
struct trace_call_stats *trace_file_get_call(enum trace_op op)
{
	unsigned int index = (unsigned int)op - TRACE_NR_DATA_OPS;
	uint64_t offset =
		TRACE_CALL_OFFSET + (uint64_t)index * TRACE_CALL_BYTES;

	if (atomic_load(&call_states[index]) == CALL_NEW)
		atomic_store(&call_states[index],
			     trace_file_allocate(offset, TRACE_CALL_BYTES)
				     ? CALL_HAS_SPACE
				     : CALL_HAS_NONE);
	return atomic_load(&call_states[index]) == CALL_HAS_SPACE
		       ? (void *)((char *)trace_header + offset)
		       : NULL;
}
