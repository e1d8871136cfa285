/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * local_threads ROUND - rate of 8-byte SENDs with one, two and four threads in
 * a process, with eight and sixteen if the machine has as many processors, and
 * with two processes of one thread. Each thread has a CQ and two queue pairs,
 * which are connected with each other, and does the work of both ends. So two
 * threads do twice the work of one if nothing that they share slows them down.
 * Prints "name<tab>round<tab>million messages per second".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire_verbs.h"

#define MAX_THREADS  16
#define BATCH	     8	  /* messages in flight */
#define MEMORY_BYTES 4096 /* of a thread */
#define WARM_NS	     20000000
#define MEASURE_NS   100000000

struct worker {
	struct wire_device device; /* the process's, with a CQ of this thread */
	struct wire_link from, to;
	char *memory; /* no other thread uses its cache lines */
	pthread_t thread;
	double rate; /* million messages per second */
};

/* Memory that all processes map. */
struct common {
	struct wire_shared shared;
	double rate[2]; /* of the two processes */
};

static struct wire_end end;
static struct common *common;
static pthread_barrier_t threads_start;

static void post_batch(const struct worker *worker)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)worker->memory,
		.length = WIRE_SMALL,
		.lkey = worker->device.mr->lkey,
	};
	struct ibv_recv_wr recv[BATCH], *bad_recv;
	struct ibv_send_wr send[BATCH], *bad_send;

	for (unsigned int i = 0; i < BATCH; i++) {
		recv[i] = (struct ibv_recv_wr){
			.next = i + 1 < BATCH ? &recv[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
		};
		send[i] = (struct ibv_send_wr){
			.next = i + 1 < BATCH ? &send[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_INLINE,
		};
	}
	wire_must(&end, -ibv_post_recv(worker->to.qp, recv, &bad_recv),
		  "post_recv");
	wire_must(&end, -ibv_post_send(worker->from.qp, send, &bad_send),
		  "post_send");
}

static void check_status(const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS) {
		errno = EIO;
		wire_die(&end, ibv_wc_status_str(wc->status));
	}
}

/* Sends and receives for some time; returns the number of messages. */
static uint64_t send_messages(const struct worker *worker, uint64_t limit_ns)
{
	const uint64_t start_ns = wire_now_ns();
	uint64_t messages = 0;
	struct ibv_wc wc[2 * BATCH];

	while (wire_now_ns() - start_ns < limit_ns) {
		int left = 2 * BATCH; /* completions of both ends */

		post_batch(worker);
		while (left > 0) {
			int nr = wire_must(
				&end, ibv_poll_cq(worker->device.cq, left, wc),
				"poll_cq");

			for (int i = 0; i < nr; i++)
				check_status(&wc[i]);
			left -= nr;
			if (!nr)
				wire_check_time(&end, start_ns, "messages");
		}
		messages += BATCH;
	}
	return messages;
}

static void *run_worker(void *arg)
{
	struct worker *worker = arg;
	uint64_t start_ns, nr;

	pthread_barrier_wait(&threads_start);
	(void)send_messages(worker, WARM_NS);
	start_ns = wire_now_ns();
	nr = send_messages(worker, MEASURE_NS);
	worker->rate = (double)nr * 1e3 / (double)(wire_now_ns() - start_ns);
	return NULL;
}

static void open_worker(struct worker *worker, const struct wire_device *device,
			unsigned int number)
{
	struct wire_address *own = &common->shared.address[1][2 * number];
	struct wire_address *peer = &common->shared.address[0][2 * number];

	worker->device = *device;
	worker->memory = device->memory + (size_t)number * MEMORY_BYTES;
	worker->device.cq = wire_need(
		&end, ibv_create_cq(device->ctx, 4 * BATCH, NULL, NULL, 0),
		"create_cq");
	wire_link_open(&end, &worker->device, &worker->from, 2 * number);
	wire_link_open(&end, &worker->device, &worker->to, 2 * number + 1);
	peer[0] = own[1];
	peer[1] = own[0];
	wire_link_connect(&end, &worker->device, &worker->from, 2 * number,
			  IBV_MTU_4096);
	wire_link_connect(&end, &worker->device, &worker->to, 2 * number + 1,
			  IBV_MTU_4096);
}

static void close_worker(struct worker *worker)
{
	wire_link_close(&end, &worker->from);
	wire_link_close(&end, &worker->to);
	wire_must(&end, -ibv_destroy_cq(worker->device.cq), "destroy_cq");
}

/*
 * Returns the rate of all threads together. Their connections have numbers from
 * @first on, which no other process uses.
 */
static double measure_threads(unsigned int first, unsigned int nr)
{
	static struct worker workers[MAX_THREADS];
	struct wire_device device;
	double rate = 0;

	wire_device_open(&end, &device, 1, WIRE_MESSAGE);
	pthread_barrier_init(&threads_start, NULL, nr);
	for (unsigned int i = 0; i < nr; i++)
		open_worker(&workers[i], &device, first + i);
	for (unsigned int i = 0; i < nr; i++)
		wire_must(&end,
			  -pthread_create(&workers[i].thread, NULL, run_worker,
					  &workers[i]),
			  "pthread_create");
	for (unsigned int i = 0; i < nr; i++) {
		pthread_join(workers[i].thread, NULL);
		rate += workers[i].rate;
		close_worker(&workers[i]);
	}
	pthread_barrier_destroy(&threads_start);
	wire_device_close(&end, &device);
	return rate;
}

/* Each process measures @nr_threads, and all do it at the same time. */
static void measure_processes(const char *name, const char *round,
			      unsigned int nr, unsigned int nr_threads)
{
	pid_t pid[2];
	double rate = 0;

	for (unsigned int i = 0; i < nr; i++) {
		pid[i] = wire_must(&end, fork(), "fork");
		if (pid[i] == 0) {
			common->rate[i] =
				measure_threads(i * nr_threads, nr_threads);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < nr; i++) {
		int status;

		wire_must(&end, waitpid(pid[i], &status, 0), "waitpid");
		if (status)
			exit(1);
		rate += common->rate[i];
	}
	printf("%s\t%s\t%.3f\n", name, round, rate);
}

int main(int argc, char **argv)
{
	const char *round = argc > 1 ? argv[1] : "0";

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (common == MAP_FAILED)
		return 1;
	end.shared = &common->shared;
	end.client = true;
	end.interface[0] = end.interface[1] = "lo";
	end.ip[0].s_addr = end.ip[1].s_addr = htonl(INADDR_LOOPBACK);
	measure_processes("threads_1", round, 1, 1);
	measure_processes("threads_2", round, 1, 2);
	measure_processes("threads_4", round, 1, 4);
	if (sysconf(_SC_NPROCESSORS_ONLN) >= 8)
		measure_processes("threads_8", round, 1, 8);
	if (sysconf(_SC_NPROCESSORS_ONLN) >= 16)
		measure_processes("threads_16", round, 1, 16);
	measure_processes("processes_2", round, 2, 1);
	return 0;
}
