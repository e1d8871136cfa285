/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hammer SECONDS THREADS DEVICE - threads list all devices, open them, query
 * device, port, GID and P_Key, close and free, all at once. DEVICE must exist
 * and work all the time; others may come and go meanwhile. At the end the
 * process must have as many descriptors as at the begin, and as much allocated
 * memory as after the first fifth of the time, except for a few records.
 */
#include <infiniband/verbs.h>

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64
/* Records that the library keeps for devices; a leak is larger. */
#define MAX_GROWTH_BYTES (64 * 1024)

static const char *wanted;
static atomic_bool stop;
static atomic_ulong nr_lists, nr_opens, nr_refused, nr_failures;

static void report_failure(const char *format, ...)
{
	va_list args;

	/* The first few messages are sufficient. */
	if (atomic_fetch_add(&nr_failures, 1) > 10)
		return;
	va_start(args, format);
	fputs("hammer: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static int nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	if (!dir)
		return -1;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/*
 * Resident memory is no measure of a leak: malloc() gives each thread an arena
 * when threads meet, and up to Linux 6.1 the kernel counts the page faults of a
 * thread in steps of 64 (2 MB for eight threads).
 */
static size_t allocated_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void query_attributes(struct ibv_context *context, const char *name)
{
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	union ibv_gid gid;
	__be16 pkey;
	int must = !strcmp(name, wanted);

	if (ibv_query_device(context, &device) && must)
		report_failure("ibv_query_device: %s", strerror(errno));
	if (ibv_query_port(context, 1, &port) && must)
		report_failure("ibv_query_port: %s", strerror(errno));
	if (ibv_query_gid(context, 1, 1, &gid) && must)
		report_failure("ibv_query_gid: %s", strerror(errno));
	if (ibv_query_pkey(context, 1, 0, &pkey) && must)
		report_failure("ibv_query_pkey: %s", strerror(errno));
	if (must && device.phys_port_cnt != 1)
		report_failure("%s has %d ports", name, device.phys_port_cnt);
}

static void use_device(struct ibv_device *device)
{
	const char *name = ibv_get_device_name(device);
	struct ibv_context *context;

	ibv_get_device_guid(device);
	ibv_get_device_index(device);
	context = ibv_open_device(device);
	if (!context) {
		atomic_fetch_add(&nr_refused, 1);
		if (!strcmp(name, wanted))
			report_failure("ibv_open_device: %s", strerror(errno));
		return;
	}
	atomic_fetch_add(&nr_opens, 1);
	query_attributes(context, name);
	if (ibv_close_device(context))
		report_failure("ibv_close_device: %s", strerror(errno));
}

/* Open devices must outlive the list: every second thread frees it first. */
static void *run_thread(void *argument)
{
	int free_first = argument != NULL, i, nr, seen;
	struct ibv_device **list;
	struct ibv_context *context;

	while (!stop) {
		list = ibv_get_device_list(&nr);
		if (!list) {
			report_failure("ibv_get_device_list: %s",
				       strerror(errno));
			continue;
		}
		atomic_fetch_add(&nr_lists, 1);
		context = NULL;
		seen = 0;
		for (i = 0; i < nr; i++) {
			if (!strcmp(ibv_get_device_name(list[i]), wanted)) {
				seen = 1;
				if (free_first)
					context = ibv_open_device(list[i]);
			}
			if (!free_first)
				use_device(list[i]);
		}
		if (list[nr])
			report_failure("the list does not end");
		if (!seen)
			report_failure("%s is not listed", wanted);
		ibv_free_device_list(list);
		if (context) {
			atomic_fetch_add(&nr_opens, 1);
			query_attributes(context,
					 ibv_get_device_name(context->device));
			if (ibv_close_device(context))
				report_failure("ibv_close_device: %s",
					       strerror(errno));
		}
	}
	return NULL;
}

/* Runs all threads for a time; false: a thread could not be started. */
static int run_threads(int nr_threads, int ms)
{
	pthread_t threads[MAX_THREADS];
	int i, nr;

	stop = 0;
	for (nr = 0; nr < nr_threads; nr++)
		if (pthread_create(&threads[nr], NULL, run_thread,
				   nr % 2 ? &stop : NULL))
			break;
	usleep(ms * 1000);
	stop = 1;
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return nr == nr_threads;
}

int main(int argc, char **argv)
{
	int seconds = argc == 4 ? atoi(argv[1]) : 0;
	int nr_threads = argc == 4 ? atoi(argv[2]) : 0;
	int fds_before, fds_after;
	size_t before, after;

	if (seconds < 1 || nr_threads < 1 || nr_threads > MAX_THREADS) {
		fprintf(stderr, "usage: hammer SECONDS THREADS DEVICE\n");
		return 2;
	}
	wanted = argv[3];
	fds_before = nr_descriptors();
	if (!run_threads(nr_threads, seconds * 200))
		return 2;
	before = allocated_bytes();
	if (!run_threads(nr_threads, seconds * 800))
		return 2;
	after = allocated_bytes();
	fds_after = nr_descriptors();

	printf("lists %lu, opens %lu, refused %lu, failures %lu\n", nr_lists,
	       nr_opens, nr_refused, nr_failures);
	printf("descriptors %d before, %d after\n", fds_before, fds_after);
	printf("allocated %zu bytes early, %zu bytes late\n", before, after);
	if (fds_after != fds_before)
		report_failure("descriptors leak");
	if (after > before + MAX_GROWTH_BYTES)
		report_failure("memory leaks");
	if (!nr_lists || !nr_opens)
		report_failure("no device was opened");
	return nr_failures ? 1 : 0;
}
