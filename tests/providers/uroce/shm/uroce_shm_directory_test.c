/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An MR directory and the remote directory that maps it, both in this process:
 * permitted and refused accesses, and invalid directories.
 */
#include "uroce/shm/uroce_shm_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/shm/uroce_shm_directory_layout.h"

#define NONCE 77

enum { READ_RIGHT = 4, WRITE_RIGHT = 2 };

static const struct uroce_published_region a_region = {
	.key = 5 << 8 | 9,
	.pd = 3,
	.access = READ_RIGHT | WRITE_RIGHT,
	.base = 0x10000,
	.iova = 0x7000,
	.bytes = 1000,
};

static const struct uroce_published_qp a_qp = {
	.qpn = 0x10abc,
	.ready = true,
	.dest_qpn = 0x20def,
	.pd = 3,
	.access = READ_RIGHT | WRITE_RIGHT,
	.token = 4711,
};

static const struct uroce_wanted an_access = {
	.qpn = 0x20def,
	.token = 4711,
	.dest_qpn = 0x10abc,
	.rkey = 5 << 8 | 9,
	.va = 0x7000,
	.bytes = 1000,
	.access = WRITE_RIGHT,
};

static struct uroce_shm_directory directory;
static struct uroce_shm_remote remote;

static int open_both(void **state)
{
	uroce_shm_directory_init(&directory);
	assert_int_equal(uroce_shm_directory_open(&directory, NONCE), 0);
	assert_int_equal(uroce_shm_remote_open(directory.fd, &remote), 0);
	uroce_shm_directory_publish_region(&directory, &a_region);
	uroce_shm_directory_publish_qp(&directory, &a_qp);
	return 0;
}

static int close_both(void **state)
{
	uroce_shm_remote_close(&remote);
	uroce_shm_directory_close(&directory);
	assert_null(remote.memory);
	assert_int_equal(directory.fd, -1);
	return 0;
}

static int find(const struct uroce_wanted *wanted, uint64_t *ret_address)
{
	struct uroce_found found;
	int ret = uroce_shm_remote_find(&remote, wanted, &found);

	if (!ret)
		*ret_address = found.address;
	return ret;
}

static void assert_refused(const struct uroce_wanted *wanted)
{
	uint64_t address = 1;

	assert_int_equal(find(wanted, &address), -EACCES);
	assert_int_equal(address, 1);
}

static void directory_published_region_is_found(void **state)
{
	struct uroce_wanted wanted = an_access;
	struct uroce_nonce nonce;
	uint64_t address;

	assert_int_equal(find(&wanted, &address), 0);
	assert_int_equal(address, 0x10000);
	wanted.va += 999;
	wanted.bytes = 1;
	assert_int_equal(find(&wanted, &address), 0);
	assert_int_equal(address, 0x10000 + 999);
	nonce = uroce_shm_remote_nonce(&remote);
	assert_int_equal(nonce.value, NONCE);
	assert_int_equal(*(const uint64_t *)(uintptr_t)nonce.address, NONCE);
}

static void directory_range_out_of_region_is_refused(void **state)
{
	struct uroce_wanted wanted = an_access;

	wanted.bytes++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.va--;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.va += 1001;
	wanted.bytes = 0;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.va++;
	wanted.bytes = UINT64_MAX;
	assert_refused(&wanted);
}

static void directory_wrong_qp_token_or_key_is_refused(void **state)
{
	struct uroce_wanted wanted = an_access;

	wanted.qpn++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.dest_qpn++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.dest_qpn += 0x10000; /* another process, in the same row */
	assert_refused(&wanted);
	wanted = an_access;
	wanted.token++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.rkey++;
	assert_refused(&wanted);
	wanted = an_access;
	wanted.rkey += 1 << 8;
	assert_refused(&wanted);
	wanted.rkey = UINT32_MAX;
	assert_refused(&wanted);
	wanted.rkey = 0;
	assert_refused(&wanted);
}

static void directory_qp_and_region_rights_are_checked(void **state)
{
	struct uroce_published_region region = a_region;
	struct uroce_published_qp qp = a_qp;
	struct uroce_wanted wanted = an_access;
	uint64_t address;

	region.access = READ_RIGHT;
	uroce_shm_directory_publish_region(&directory, &region);
	assert_refused(&wanted);
	wanted.access = READ_RIGHT;
	assert_int_equal(find(&wanted, &address), 0);
	qp.access = WRITE_RIGHT;
	uroce_shm_directory_publish_qp(&directory, &qp);
	assert_refused(&wanted);
	uroce_shm_directory_publish_qp(&directory, &a_qp);
	region.pd = 4;
	uroce_shm_directory_publish_region(&directory, &region);
	assert_refused(&wanted);
}

static void directory_withdrawn_entry_is_refused(void **state)
{
	struct uroce_published_region region = a_region;
	struct uroce_published_qp qp = a_qp;
	uint64_t address;

	region.access = 0;
	uroce_shm_directory_publish_region(&directory, &region);
	assert_refused(&an_access);
	uroce_shm_directory_publish_region(&directory, &a_region);
	assert_int_equal(find(&an_access, &address), 0);
	qp.ready = false;
	uroce_shm_directory_publish_qp(&directory, &qp);
	assert_refused(&an_access);
	uroce_shm_directory_publish_qp(&directory, &a_qp);
	assert_int_equal(find(&an_access, &address), 0);
}

/* A process that imports it has the rights, not a QP of the peer. */
static void directory_region_for_imports_is_refused(void **state)
{
	struct uroce_published_region region = a_region, found;
	struct uroce_wanted wanted = an_access;

	region.access = 0;
	region.import = UROCE_IMPORT_POSSIBLE | WRITE_RIGHT;
	uroce_shm_directory_publish_region(&directory, &region);
	assert_refused(&wanted);
	wanted.access = 0;
	assert_refused(&wanted);
	assert_true(uroce_shm_remote_region(&remote, region.key, &found));
	assert_int_equal(found.import, region.import);
	assert_int_equal(found.pd, region.pd);
	assert_true(found.base == region.base && found.iova == region.iova &&
		    found.bytes == region.bytes);
	assert_false(uroce_shm_remote_region(&remote, region.key + 1, &found));
	region.import = 0;
	uroce_shm_directory_publish_region(&directory, &region);
	assert_false(uroce_shm_remote_region(&remote, region.key, &found));
}

static void directory_pds_are_found_until_withdrawn(void **state)
{
	assert_false(uroce_shm_remote_has_pd(&remote, 1, 7));
	for (uint32_t i = 1; i <= UROCE_SHM_DIRECTORY_PDS + 1; i++)
		uroce_shm_directory_publish_pd(&directory, 1, i, true);
	assert_true(uroce_shm_remote_has_pd(&remote, 1, 7));
	assert_false(uroce_shm_remote_has_pd(&remote, 2, 7));
	assert_false(uroce_shm_remote_has_pd(&remote, 0, 0));
	assert_true(
		uroce_shm_remote_has_pd(&remote, 1, UROCE_SHM_DIRECTORY_PDS));
	assert_false(uroce_shm_remote_has_pd(&remote, 1,
					     UROCE_SHM_DIRECTORY_PDS + 1));
	uroce_shm_directory_publish_pd(&directory, 1, 7, false);
	assert_false(uroce_shm_remote_has_pd(&remote, 1, 7));
	uroce_shm_directory_publish_pd(&directory, 2, 7, true);
	assert_true(uroce_shm_remote_has_pd(&remote, 2, 7));
}

static void directory_import_is_announced(void **state)
{
	assert_false(uroce_shm_remote_waits(&remote, 9, 4711));
	uroce_shm_directory_publish_peer(&directory, 9, 4711);
	assert_true(uroce_shm_remote_waits(&remote, 9, 4711));
	assert_false(uroce_shm_remote_waits(&remote, 8, 4711));
	uroce_shm_directory_begin_import(&directory, 9);
	assert_int_equal(uroce_shm_remote_importing(&remote, 9), 1);
	assert_int_equal(uroce_shm_remote_copying(&remote, 9), 0);
	uroce_shm_directory_end_import(&directory, 9);
	assert_int_equal(uroce_shm_remote_importing(&remote, 9), 2);
}

/* A key or index beyond the directory: such requests are sent. */
static void directory_key_beyond_directory_is_refused(void **state)
{
	struct uroce_published_region region = a_region;
	struct uroce_wanted wanted = an_access;

	region.key = UROCE_SHM_DIRECTORY_REGIONS << 8;
	uroce_shm_directory_publish_region(&directory, &region);
	wanted.rkey = region.key;
	assert_refused(&wanted);
}

/* Only the owner can write such a row, which affects its own memory. */
static void directory_hostile_row_is_refused(void **state)
{
	struct uroce_shm_directory_region *row = &directory.memory->regions[5];
	struct uroce_wanted wanted = an_access;

	row->base = UINT64_MAX - 10;
	assert_refused(&wanted);
	row->base = a_region.base;
	row->iova = 0;
	row->bytes = UINT64_MAX;
	wanted.va = UINT64_MAX - 500;
	assert_refused(&wanted);
	uroce_shm_directory_publish_region(&directory, &a_region);
	directory.memory->qps[0xabc].sequence++; /* an update that never ends */
	assert_refused(&an_access);
}

static void directory_is_read_only_for_peers(void **state)
{
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			      directory.fd, 0),
			 MAP_FAILED);
	assert_int_equal(errno, EPERM);
	assert_int_equal(pwrite(directory.fd, "x", 1, 0), -1);
	assert_int_equal(ftruncate(directory.fd, 4096), -1);
	assert_int_equal(
		mprotect((void *)remote.memory, 4096, PROT_READ | PROT_WRITE),
		-1);
	assert_int_equal(fcntl(directory.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
}

static void refuse_fd(int fd)
{
	struct uroce_shm_remote other = {};

	assert_int_equal(uroce_shm_remote_open(fd, &other), -EPROTO);
	assert_null(other.memory);
	(void)close(fd);
}

static int make_memfd(off_t size, int seals)
{
	int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void directory_remote_of_bad_memfd_is_refused(void **state)
{
	const off_t size = sizeof(struct uroce_shm_directory_memory);
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;

	refuse_fd(make_memfd(size, F_SEAL_GROW));
	refuse_fd(make_memfd(size - 1, seals));
	refuse_fd(make_memfd(size, seals)); /* zeros have no magic number */
	refuse_fd(open("/dev/zero", O_RDONLY | O_CLOEXEC));
}

static void directory_poll_time_is_published_every_256_ns(void **state)
{
	uroce_shm_directory_polled(&directory, 100000);
	assert_int_equal(uroce_shm_remote_polled(&remote), 100000);
	uroce_shm_directory_polled(&directory, 100255);
	assert_int_equal(uroce_shm_remote_polled(&remote), 100000);
	uroce_shm_directory_polled(&directory, 100256);
	assert_int_equal(uroce_shm_remote_polled(&remote), 100256);
}

static void directory_copy_counter_is_published(void **state)
{
	assert_int_equal(uroce_shm_remote_copying(&remote, 255), 0);
	uroce_shm_directory_begin(&directory, 255);
	assert_int_equal(uroce_shm_remote_copying(&remote, 255), 1);
	assert_int_equal(uroce_shm_remote_copying(&remote, 254), 0);
	uroce_shm_directory_end(&directory, 255);
	assert_int_equal(uroce_shm_remote_copying(&remote, 255), 2);
}

/* -- connected ------------------------------------------------------------ */

static const struct uroce_wanted a_connection = {
	.qpn = 0x20def,
	.token = 4711,
	.dest_qpn = 0x10abc,
};

static void assert_closed(const struct uroce_wanted *wanted)
{
	bool pulls = true;

	assert_false(uroce_shm_remote_is_open(&remote, wanted, &pulls));
	assert_true(pulls);
}

static void directory_pull_flag_is_published(void **state)
{
	struct uroce_published_qp qp = a_qp;
	bool pulls = true;

	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
	assert_false(pulls);
	qp.pulls = true;
	uroce_shm_directory_publish_qp(&directory, &qp);
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
	assert_true(pulls);
	/* even without any access right */
	qp.access = 0;
	uroce_shm_directory_publish_qp(&directory, &qp);
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
	uroce_shm_directory_publish_qp(&directory, &a_qp);
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
	assert_false(pulls);
}

static void directory_qp_is_open_to_connected_peer_only(void **state)
{
	struct uroce_wanted wanted = a_connection;
	struct uroce_published_qp qp = a_qp;
	bool pulls;

	wanted.qpn++;
	assert_closed(&wanted);
	wanted = a_connection;
	wanted.dest_qpn++;
	assert_closed(&wanted);
	wanted = a_connection;
	wanted.dest_qpn += 0x10000;
	assert_closed(&wanted);
	wanted = a_connection;
	wanted.token++;
	assert_closed(&wanted);
	qp.ready = false;
	uroce_shm_directory_publish_qp(&directory, &qp);
	assert_closed(&a_connection);
	uroce_shm_directory_publish_qp(&directory, &a_qp);
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
	directory.memory->qps[0xabc].sequence++; /* an update in progress */
	assert_closed(&a_connection);
	directory.memory->qps[0xabc].sequence++;
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
}

/* -- sinks ------------------------------------------------------------- */

#define ADDRESS UINT64_C(0x7f0012345678)

static const struct uroce_sink nowhere;

static struct uroce_sink a_sink(uint32_t psn)
{
	return (struct uroce_sink){
		.psn = psn,
		.bytes = 1000000 + psn,
		.address = ADDRESS + psn,
	};
}

static void publish_sink(enum uroce_sink_kind kind, uint32_t psn)
{
	struct uroce_sink sink = a_sink(psn);

	uroce_shm_directory_publish_sink(&directory, a_qp.qpn, kind, &sink);
}

static void withdraw_sink(enum uroce_sink_kind kind)
{
	uroce_shm_directory_publish_sink(&directory, a_qp.qpn, kind, &nowhere);
}

static bool is_sink(const struct uroce_sink *sink, uint32_t psn)
{
	return sink->psn == psn && sink->bytes == 1000000 + psn &&
	       sink->address == ADDRESS + psn;
}

static void assert_sink(enum uroce_sink_kind kind, uint32_t psn)
{
	struct uroce_sink sink;

	assert_true(uroce_shm_remote_sink(&remote, a_qp.qpn, kind, &sink));
	assert_true(is_sink(&sink, psn));
}

static void assert_no_sink(uint32_t qpn, enum uroce_sink_kind kind)
{
	struct uroce_sink sink;

	assert_false(uroce_shm_remote_sink(&remote, qpn, kind, &sink));
}

static void directory_sink_is_found_until_withdrawn(void **state)
{
	static const uint32_t psns[] = { 0, 1, 0x800000, 0xffffff };

	for (int kind = 0; kind < UROCE_NR_SINKS; kind++)
		for (size_t i = 0; i < sizeof(psns) / sizeof(psns[0]); i++) {
			enum uroce_sink_kind k = (enum uroce_sink_kind)kind;

			assert_no_sink(a_qp.qpn, k);
			publish_sink(k, psns[i]);
			assert_sink(k, psns[i]);
			assert_sink(k, psns[i]);
			withdraw_sink(k);
			assert_no_sink(a_qp.qpn, k);
			/* hiding twice is allowed */
			withdraw_sink(k);
			assert_no_sink(a_qp.qpn, k);
		}
}

static void directory_sink_replaces_previous_sink(void **state)
{
	publish_sink(UROCE_SINK_RECEIVE, 5);
	publish_sink(UROCE_SINK_RECEIVE, 77);
	assert_sink(UROCE_SINK_RECEIVE, 77);
	publish_sink(UROCE_SINK_RECEIVE, 5);
	assert_sink(UROCE_SINK_RECEIVE, 5);
}

static void directory_sink_kinds_are_separate(void **state)
{
	publish_sink(UROCE_SINK_RECEIVE, 5);
	assert_no_sink(a_qp.qpn, UROCE_SINK_READ);
	publish_sink(UROCE_SINK_READ, 6);
	assert_sink(UROCE_SINK_RECEIVE, 5);
	assert_sink(UROCE_SINK_READ, 6);
	withdraw_sink(UROCE_SINK_RECEIVE);
	assert_no_sink(a_qp.qpn, UROCE_SINK_RECEIVE);
	assert_sink(UROCE_SINK_READ, 6);
	publish_sink(UROCE_SINK_RECEIVE, 7);
	withdraw_sink(UROCE_SINK_READ);
	assert_sink(UROCE_SINK_RECEIVE, 7);
	assert_no_sink(a_qp.qpn, UROCE_SINK_READ);
}

static void directory_sink_belongs_to_single_qp(void **state)
{
	struct uroce_published_qp qp = a_qp;
	bool pulls;

	publish_sink(UROCE_SINK_RECEIVE, 5);
	for (uint32_t i = 1; i < UROCE_SHM_DIRECTORY_QPS; i *= 2)
		assert_no_sink(a_qp.qpn ^ i, UROCE_SINK_RECEIVE);
	/* the open state is separate, and both stay unchanged */
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
	qp.ready = false;
	uroce_shm_directory_publish_qp(&directory, &qp);
	assert_sink(UROCE_SINK_RECEIVE, 5);
	withdraw_sink(UROCE_SINK_RECEIVE);
	assert_closed(&a_connection);
	uroce_shm_directory_publish_qp(&directory, &a_qp);
	assert_no_sink(a_qp.qpn, UROCE_SINK_RECEIVE);
	assert_true(uroce_shm_remote_is_open(&remote, &a_connection, &pulls));
}

#define NR_SHOWN 300000

/* The other fields depend on the PSN; now and then there is no sink. */
static void *keep_publishing(void *arg)
{
	bool *stop = arg;

	for (uint32_t i = 0; !__atomic_load_n(stop, __ATOMIC_RELAXED); i++) {
		publish_sink(UROCE_SINK_READ, i & 0xffffff);
		if (i % 3 == 0)
			withdraw_sink(UROCE_SINK_READ);
	}
	return NULL;
}

static void directory_concurrent_sink_update_is_atomic(void **state)
{
	const struct uroce_shm_remote direct = { .memory = directory.memory };
	struct uroce_sink sink;
	uint32_t nr = 0, nr_none = 0, nr_mixed = 0;
	bool stop = false;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, keep_publishing, &stop),
			 0);
	for (uint32_t i = 0; i < NR_SHOWN || !nr || !nr_none; i++) {
		if (!uroce_shm_remote_sink(&direct, a_qp.qpn, UROCE_SINK_READ,
					   &sink)) {
			nr_none++;
			continue;
		}
		nr_mixed += !is_sink(&sink, sink.psn);
		nr++;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(nr_mixed, 0);
}

#define NR_INTERRUPTS 200

static uint32_t interrupts; /* atomic: of the reading thread */
static bool looks;	    /* atomic */

/* Runs between any two loads of the reader. */
static void publish_another_one(int signal)
{
	publish_sink(UROCE_SINK_READ,
		     __atomic_add_fetch(&interrupts, 1, __ATOMIC_RELAXED));
}

/* One at a time; a sanitizer may delay signals. */
static void wait_for_interrupt(uint32_t before)
{
	for (int i = 0; i < 1000; i++) {
		if (__atomic_load_n(&interrupts, __ATOMIC_RELAXED) != before)
			return;
		(void)sched_yield();
	}
}

static void *keep_interrupting(void *arg)
{
	const pthread_t *looker = arg;

	for (uint32_t i = 0; i < NR_INTERRUPTS; i++) {
		uint32_t before =
			__atomic_load_n(&interrupts, __ATOMIC_RELAXED);

		if (pthread_kill(*looker, SIGUSR1))
			return arg;
		wait_for_interrupt(before);
	}
	__atomic_store_n(&looks, false, __ATOMIC_RELAXED);
	return NULL;
}

static void directory_interrupted_sink_lookup_is_consistent(void **state)
{
	struct sigaction action = { .sa_handler = publish_another_one }, before;
	const struct uroce_shm_remote direct = { .memory = directory.memory };
	pthread_t looker = pthread_self(), thread;
	struct uroce_sink sink;
	uint32_t nr_mixed = 0;
	void *failed;

	interrupts = 0;
	looks = true;
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(
		pthread_create(&thread, NULL, keep_interrupting, &looker), 0);
	while (__atomic_load_n(&looks, __ATOMIC_RELAXED))
		if (uroce_shm_remote_sink(&direct, a_qp.qpn, UROCE_SINK_READ,
					  &sink))
			nr_mixed += !is_sink(&sink, sink.psn);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	assert_true(interrupts > 0);
	assert_int_equal(nr_mixed, 0);
}

/* Another process, step by step; @fds: to it and from it. */
static void look_from_outside(const int *fds, int directory_fd)
{
	struct uroce_shm_remote other;
	struct uroce_sink sink;
	char step;

	if (uroce_shm_remote_open(directory_fd, &other))
		_exit(1);
	for (uint32_t i = 0; i < 4; i++) {
		bool is_there;

		if (write(fds[1], "", 1) != 1 || read(fds[0], &step, 1) != 1)
			_exit(2);
		is_there = uroce_shm_remote_sink(&other, a_qp.qpn,
						 UROCE_SINK_RECEIVE, &sink);
		if (is_there != (i % 2 == 1) ||
		    (is_there && !is_sink(&sink, i)))
			_exit(3);
	}
	_exit(0);
}

static void directory_sink_is_visible_in_second_process(void **state)
{
	int to[2], from[2], status;
	char step;
	int pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)close(to[1]);
		(void)close(from[0]);
		look_from_outside((const int[]){ to[0], from[1] },
				  directory.fd);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	for (uint32_t i = 0; i < 4; i++) {
		/* it has read the previous sink, or has ended */
		if (read(from[0], &step, 1) != 1)
			break;
		if (i % 2)
			publish_sink(UROCE_SINK_RECEIVE, i);
		else
			withdraw_sink(UROCE_SINK_RECEIVE);
		assert_int_equal(write(to[1], "", 1), 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)close(to[1]);
	(void)close(from[0]);
}

/* In a child of fork(), or where memory cannot be sealed. */
static void directory_without_memory_publish_nothing(void **state)
{
	const struct uroce_sink sink = a_sink(1);
	struct uroce_shm_directory none;

	uroce_shm_directory_init(&none);
	uroce_shm_directory_publish_region(&none, &a_region);
	uroce_shm_directory_publish_qp(&none, &a_qp);
	uroce_shm_directory_publish_sink(&none, a_qp.qpn, UROCE_SINK_READ,
					 &sink);
	uroce_shm_directory_polled(&none, 100000);
	uroce_shm_directory_close(&none);
	uroce_shm_directory_forget(&none);
	assert_null(none.memory);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_both, close_both)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(directory_published_region_is_found),
		TEST(directory_range_out_of_region_is_refused),
		TEST(directory_wrong_qp_token_or_key_is_refused),
		TEST(directory_qp_and_region_rights_are_checked),
		TEST(directory_withdrawn_entry_is_refused),
		TEST(directory_region_for_imports_is_refused),
		TEST(directory_pds_are_found_until_withdrawn),
		TEST(directory_import_is_announced),
		TEST(directory_key_beyond_directory_is_refused),
		TEST(directory_hostile_row_is_refused),
		TEST(directory_is_read_only_for_peers),
		TEST(directory_remote_of_bad_memfd_is_refused),
		TEST(directory_poll_time_is_published_every_256_ns),
		TEST(directory_copy_counter_is_published),
		TEST(directory_pull_flag_is_published),
		TEST(directory_qp_is_open_to_connected_peer_only),
		TEST(directory_sink_is_found_until_withdrawn),
		TEST(directory_sink_replaces_previous_sink),
		TEST(directory_sink_kinds_are_separate),
		TEST(directory_sink_belongs_to_single_qp),
		TEST(directory_concurrent_sink_update_is_atomic),
		TEST(directory_interrupted_sink_lookup_is_consistent),
		TEST(directory_sink_is_visible_in_second_process),
		TEST(directory_without_memory_publish_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
