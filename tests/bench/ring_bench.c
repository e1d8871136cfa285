/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cost of a shared-memory ring, compared with its lower bounds: a packet of 8
 * bytes through two rings and back, compared with a cache line that two
 * processes write in turn (P); and a stream of 1 MB through one ring, compared
 * with process_vm_writev(2) of as many bytes (V). The measurements take turns,
 * because all of them depend on which cores run the processes. Started by
 * ring_bench.sh.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_shm_ring.h"

#define NR_ROUNDS 31
#define NR_TRIPS  2000
#define NR_BURST  20000
#define NR_BULKS  10
#define BULK	  ((size_t)1 << 20)

/* One measurement. Both processes run it; one of them is first. */
struct figure {
	const char *name;
	void (*run)(bool first);
	double least_ns; /* all iterations of a round */
};

struct line {
	uint32_t value;
	uint8_t pad[124];
};

static struct shared {
	struct line lines[2]; /* the first process writes the first line */
	struct line turn[2];
} * shared;

static struct uroce_shm_ring_sender out;
static struct uroce_shm_ring_receiver in;
static uint8_t source[BULK], sink[BULK];
static int other_pid;
static void *other_sink;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static double now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The other process may have counted on already. */
static void wait_for(const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		cpu_relax();
}

/* Barrier of both processes. */
static void wait_for_both(bool first)
{
	static uint32_t nr;

	nr++;
	__atomic_store_n(&shared->turn[first].value, nr, __ATOMIC_RELEASE);
	wait_for(&shared->turn[!first].value, nr);
}

static void run_lines(bool first)
{
	static uint32_t nr;
	uint32_t *ours = &shared->lines[first].value;
	uint32_t *theirs = &shared->lines[!first].value;

	for (int i = 0; i < NR_TRIPS; i++) {
		nr++;
		if (!first)
			wait_for(theirs, nr);
		__atomic_store_n(ours, nr, __ATOMIC_RELEASE);
		if (first)
			wait_for(theirs, nr);
	}
}

static void put(const void *data, uint32_t len)
{
	struct uroce_packet packet = {
		.opcode = UROCE_SEND_ONLY,
		.dest_qpn = 1,
		.payload_len = len,
	};
	struct iovec iov = { (void *)data, len };

	while (!uroce_shm_ring_has_room(&out))
		cpu_relax();
	uroce_shm_ring_put(&out, &packet, &iov, 1);
}

static void take(void *data)
{
	struct uroce_packet packet;
	int ret;

	while (!(ret = uroce_shm_ring_take(&in, &packet)))
		cpu_relax();
	if (ret < 0)
		die("take");
	memcpy(data, packet.payload, packet.payload_len);
	uroce_shm_ring_done(&in);
}

static void run_packets(bool first)
{
	for (int i = 0; i < NR_TRIPS; i++) {
		if (!first)
			take(sink);
		put(source, 8);
		if (first)
			take(sink);
	}
}

static void run_called_packets(bool first)
{
	for (int i = 0; i < NR_TRIPS; i++) {
		if (!first)
			take(sink);
		put(source, 8);
		(void)uroce_shm_ring_is_watched(&out);
		if (first)
			take(sink);
	}
}

static void run_burst(bool first)
{
	for (int i = 0; i < NR_BURST; i++) {
		if (first)
			put(source, 8);
		else
			take(sink);
	}
}

static void run_called_burst(bool first)
{
	for (int i = 0; i < NR_BURST; i++) {
		if (first) {
			put(source, 8);
			(void)uroce_shm_ring_is_watched(&out);
		} else {
			take(sink);
		}
	}
}

static void run_stream(bool first)
{
	for (int i = 0; i < NR_BULKS; i++)
		for (size_t at = 0; at < BULK; at += UROCE_CHANNEL_MTU) {
			if (first)
				put(source + at, UROCE_CHANNEL_MTU);
			else
				take(sink + at);
		}
}

static void run_writev(bool first)
{
	struct iovec from = { source, BULK };
	struct iovec to = { other_sink, BULK };

	for (int i = 0; first && i < NR_BULKS; i++)
		if (process_vm_writev(other_pid, &from, 1, &to, 1, 0) !=
		    (ssize_t)BULK)
			die("process_vm_writev");
}

static struct figure figures[] = {
	{ .name = "line", .run = run_lines },
	{ .name = "packet", .run = run_packets },
	{ .name = "packet and call", .run = run_called_packets },
	{ .name = "burst", .run = run_burst },
	{ .name = "burst and call", .run = run_called_burst },
	{ .name = "stream", .run = run_stream },
	{ .name = "writev", .run = run_writev },
};

#define NR_FIGURES (sizeof(figures) / sizeof(figures[0]))

static void run_all(bool first)
{
	/* the first round touches the memory */
	for (int round = 0; round <= NR_ROUNDS; round++)
		for (size_t i = 0; i < NR_FIGURES; i++) {
			struct figure *figure = &figures[i];
			double took_ns;

			wait_for_both(first);
			took_ns = now_ns();
			figure->run(first);
			wait_for_both(first);
			took_ns = now_ns() - took_ns;
			if (round &&
			    (!figure->least_ns || took_ns < figure->least_ns))
				figure->least_ns = took_ns;
		}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void print_results(void)
{
	const double p = figures[0].least_ns / NR_TRIPS / 2;
	const double v = NR_BULKS * (double)BULK / figures[6].least_ns;

	printf("line, one way         %6.1f ns  (P)\n", p);
	for (int i = 1; i < 3; i++) {
		double ns = figures[i].least_ns / NR_TRIPS / 2;

		printf("%-20s  %6.1f ns  %.2f P\n", figures[i].name, ns,
		       ns / p);
	}
	for (int i = 3; i < 5; i++)
		printf("%-20s  %6.1f M/s\n", figures[i].name,
		       NR_BURST / figures[i].least_ns * 1e3);
	printf("writev of 1 MB        %6.2f GB/s (V)\n", v);
	printf("stream of 1 MB        %6.2f GB/s  %.2f V\n",
	       NR_BULKS * (double)BULK / figures[5].least_ns,
	       NR_BULKS * (double)BULK / figures[5].least_ns / v);
}

int main(void)
{
	int to = uroce_shm_ring_create(), back = uroce_shm_ring_create();
	int pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (to < 0 || back < 0 || shared == MAP_FAILED)
		die("memory");
	memset(source, 1, sizeof(source));
	memset(sink, 1, sizeof(sink));
	other_sink = sink; /* the same address in the child */
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(!pid);
	other_pid = pid;
	if (uroce_shm_ring_open_sender(pid ? to : back, &out) ||
	    uroce_shm_ring_open_receiver(pid ? back : to, &in))
		die("ring");
	run_all(pid > 0);
	if (!pid)
		return 0;
	(void)waitpid(pid, NULL, 0);
	print_results();
	return 0;
}
