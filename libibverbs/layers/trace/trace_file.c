/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The trace file of the process: creates and maps it at the first open of a
 * device, and hands out rings to threads and places to QPs. Disk space is
 * allocated before it is written, because a store to a page without space
 * raises SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layers/trace/trace_clock.h"
#include "layers/trace/trace_ring.h"
#include "layers/trace/trace_settings.h"
#include "util/cancel.h"

#define QP_OFFSET   ((uint64_t)TRACE_PAGE)
#define RING_OFFSET (QP_OFFSET + (uint64_t)TRACE_NR_QPS * TRACE_QP_BYTES)

bool trace_is_requested;
atomic_bool trace_is_on;

static struct trace_settings settings;
/* The mapped file, constant while trace_is_on; its descriptor. */
static struct trace_header *trace_header;
static int trace_fd = -1;
static struct stat trace_stat; /* of the descriptor */
static uint32_t ring_mask;
static pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Threads that end leave their ring to others. */
enum ring_state { RING_NEW, RING_USED, RING_LEFT };
static atomic_uint ring_states[TRACE_NR_RINGS];
static atomic_uint nr_qps;
static atomic_uint nr_entries; /* that were taken */
static pthread_key_t ring_key;

static __thread struct trace_ring *thread_ring;
static __thread uint32_t thread_number;
static __thread bool thread_has_no_ring;

static struct trace_ring *ring_at(uint32_t index)
{
	/* The offsets are multiples of the alignment. */
	return (void *)((char *)trace_header + RING_OFFSET +
			index * trace_header->ring_bytes);
}

/* Destructor of ring_key. */
static void ring_leave(void *ring)
{
	size_t distance;

	thread_ring = NULL;
	if (!atomic_load(&trace_is_on))
		return;
	distance = (size_t)((char *)ring - (char *)ring_at(0));
	/* Pairs with the exchange in ring_take(). */
	atomic_store(&ring_states[distance / trace_header->ring_bytes],
		     RING_LEFT);
}

void trace_request(const char *text)
{
	trace_is_requested = trace_settings_parse(text, &settings) &&
			     pthread_key_create(&ring_key, ring_leave) == 0;
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
	return RING_OFFSET + TRACE_NR_RINGS * file_ring_bytes();
}

static uint64_t file_bytes(void)
{
	return file_entries_offset() + TRACE_ENTRIES_BYTES;
}

/* A file above the limit would raise SIGXFSZ. */
static int file_check_limit(void)
{
	struct rlimit limit = {};

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
	header->call_bytes = sizeof(struct trace_call_stats);
	header->nr_ops = TRACE_NR_OPS;
	header->nr_buckets = TRACE_NR_BUCKETS;
	header->nr_qps = TRACE_NR_QPS;
	header->nr_rings = TRACE_NR_RINGS;
	header->ring_records = settings.ring_records;
	header->process = (uint32_t)getpid();
	header->qp_offset = QP_OFFSET;
	header->ring_offset = RING_OFFSET;
	header->ring_bytes = file_ring_bytes();
	header->entries_offset = file_entries_offset();
	header->entries_bytes = TRACE_ENTRIES_BYTES;
	trace_clock_start();
	header->clock = trace_clock;
	header->start_monotonic_ns = trace_monotonic_ns(CLOCK_MONOTONIC);
	header->start_realtime_ns = trace_monotonic_ns(CLOCK_REALTIME);
	(void)snprintf(header->program, sizeof(header->program), "%s",
		       program_invocation_short_name);
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
	ring_mask = settings.ring_records - 1;
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
	if (trace_settings_expand(settings.file, path, sizeof(path)))
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
void trace_forked(void)
{
	atomic_store(&trace_is_on, false);
	(void)pthread_mutex_init(&open_mutex, NULL);
	thread_ring = NULL;
	thread_has_no_ring = false;
	if (trace_fd >= 0)
		(void)close(trace_fd);
	trace_fd = -1;
	for (uint32_t i = 0; i < TRACE_NR_RINGS; i++)
		atomic_store(&ring_states[i], RING_NEW);
	atomic_store(&nr_qps, 0);
	atomic_store(&nr_entries, 0);
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

/* Return: whether the file has space there; if not, a warning was printed. */
static bool file_allocate(uint64_t offset, uint64_t len)
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

uint32_t trace_file_add_qp(struct trace_qp_stats **ret_stats)
{
	uint32_t index;
	uint64_t offset;

	if (!atomic_load(&trace_is_on))
		return TRACE_NO_QP;
	index = atomic_fetch_add(&nr_qps, 1);
	offset = QP_OFFSET + (uint64_t)index * TRACE_QP_BYTES;
	if (index >= TRACE_NR_QPS || !file_allocate(offset, TRACE_QP_BYTES)) {
		__atomic_fetch_add(&trace_header->lost_qps, 1,
				   __ATOMIC_RELAXED);
		return TRACE_NO_QP;
	}
	*ret_stats = (void *)((char *)trace_header + offset);
	return index;
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
	if (!file_allocate(offset, nr * sizeof(struct trace_entry)))
		return NULL;
	*ret_offset = offset;
	return (void *)((char *)trace_header + offset);
}

/* ------------------------------------------------------------------------ */
/* Rings                                                                     */
/* ------------------------------------------------------------------------ */

/* Return: the index of a ring that had this state, or TRACE_NR_RINGS. */
static uint32_t ring_take(unsigned int state)
{
	for (uint32_t i = 0; i < TRACE_NR_RINGS; i++) {
		unsigned int expected = state;

		if (atomic_compare_exchange_strong(&ring_states[i], &expected,
						   RING_USED))
			return i;
	}
	return TRACE_NR_RINGS;
}

static struct trace_ring *ring_new(void)
{
	uint32_t index = ring_take(RING_LEFT);
	struct trace_ring *ring;

	if (index == TRACE_NR_RINGS) {
		index = ring_take(RING_NEW);
		if (index == TRACE_NR_RINGS ||
		    !file_allocate(RING_OFFSET +
					   index * trace_header->ring_bytes,
				   trace_header->ring_bytes))
			return NULL;
	}
	ring = ring_at(index);
	thread_number = (uint32_t)syscall(SYS_gettid);
	__atomic_store_n(&ring->thread, thread_number, __ATOMIC_RELEASE);
	/* Without memory, the ring is not given to other threads. */
	(void)pthread_setspecific(ring_key, ring);
	return ring;
}

static struct trace_ring *ring_find(void)
{
	struct trace_ring *ring;

	if (thread_has_no_ring)
		return NULL;
	ring = ring_new();
	thread_ring = ring;
	if (!ring) {
		thread_has_no_ring = true;
		__atomic_fetch_add(&trace_header->lost_threads, 1,
				   __ATOMIC_RELAXED);
	}
	return ring;
}

struct trace_ring *trace_ring_get(void)
{
	struct trace_ring *ring = thread_ring;

	if (!atomic_load_explicit(&trace_is_on, memory_order_acquire))
		return NULL;
	return ring ? ring : ring_find();
}

void trace_ring_add(struct trace_ring *ring, const struct trace_record *record)
{
	uint64_t index = ring->next;
	struct trace_record *to =
		(struct trace_record *)(void *)((char *)ring +
						TRACE_RECORDS_OFFSET) +
		(index & ring_mask);

	/* A signal handler continues behind this record. */
	ring->next = index + 1;
	__atomic_store_n(&to->sequence, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy((char *)to + sizeof(to->sequence),
	       (const char *)record + sizeof(to->sequence),
	       sizeof(*to) - sizeof(to->sequence));
	to->thread = thread_number;
	/* Readers skip records without the right sequence number. */
	__atomic_store_n(&to->sequence, index + 1, __ATOMIC_RELEASE);
}

void trace_ring_count(struct trace_ring *ring, enum trace_op op,
		      uint64_t duration_ns, bool failed)
{
	struct trace_call_stats *stats = &ring->calls[op];

	stats->calls++;
	stats->errors += failed;
	stats->total_ns += duration_ns;
	if (duration_ns > stats->max_ns)
		stats->max_ns = duration_ns;
	stats->buckets[trace_bucket(duration_ns)]++;
}
