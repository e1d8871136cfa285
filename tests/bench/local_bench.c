/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * local_bench FIRST-ROUND ROUNDS - the user-space device between two processes
 * of one host, compared with a cache line that they write in turn and with
 * process_vm_writev(2). The measurements take turns: each round runs every
 * measurement once, in forward or reverse order.
 *
 * Prints a line "name<tab>round<tab>value" for each measurement; local_bench.sh
 * makes a table of them.
 */
#include <arpa/inet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "local_bench.h"

#define MIDDLE (16 * 1024)
#define BULK   (64 * 1024)
#define LARGE  (1024 * 1024)
#define HUGE   LOCAL_MEMORY

static double gb_s(double ns, uint32_t bytes)
{
	return bytes / ns;
}

/* Latencies of 8 bytes, in ns. */

static double writev_8(struct local_bench *bench, uint32_t bytes)
{
	return local_writev_ns(bench, bytes);
}

static double line(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_lines(bench);
}

static double send_8(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_trip_ns(bench, LOCAL_SEND);
}

static double send_8_td(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_trip_ns(bench->single, LOCAL_SEND);
}

static double write_8(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_trip_ns(bench, LOCAL_WRITE);
}

static double write_8_mapped(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_trip_ns(bench, LOCAL_MAPPED);
}

static double write_8_deaf(struct local_bench *bench, uint32_t bytes)
{
	return local_one_sided_ns(bench, IBV_WR_RDMA_WRITE, bytes,
				  LOCAL_COMPUTES);
}

static double fetch_add(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_fetch_add_ns(bench, false);
}

static double fetch_add_mapped(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_fetch_add_ns(bench, true);
}

/* Rates: million messages per second, and GB/s. */

static double rate_8(struct local_bench *bench, uint32_t bytes)
{
	(void)bytes;
	return local_rate(bench);
}

static double copy_by_kernel(struct local_bench *bench, uint32_t bytes)
{
	return gb_s(local_writev_ns(bench, bytes), bytes);
}

static double stream(struct local_bench *bench, uint32_t bytes)
{
	return gb_s(local_send_ns(bench, bytes), bytes);
}

static double write_polled(struct local_bench *bench, uint32_t bytes)
{
	return gb_s(local_one_sided_ns(bench, IBV_WR_RDMA_WRITE, bytes,
				       LOCAL_POLLS),
		    bytes);
}

static double write_deaf(struct local_bench *bench, uint32_t bytes)
{
	return gb_s(local_one_sided_ns(bench, IBV_WR_RDMA_WRITE, bytes,
				       LOCAL_COMPUTES),
		    bytes);
}

static double read_polled(struct local_bench *bench, uint32_t bytes)
{
	return gb_s(
		local_one_sided_ns(bench, IBV_WR_RDMA_READ, bytes, LOCAL_POLLS),
		bytes);
}

/* Compared measurements are adjacent. */
static const struct measurement {
	const char *name;
	double (*measure)(struct local_bench *bench, uint32_t bytes);
	uint32_t bytes;
} measurements[] = {
	{ "send_8", send_8, 8 },
	{ "send_8_td", send_8_td, 8 },
	{ "line", line, 8 },
	{ "write_8", write_8, 8 },
	{ "write_8_mapped", write_8_mapped, 8 },
	{ "fetch_add", fetch_add, 8 },
	{ "fetch_add_mapped", fetch_add_mapped, 8 },
	{ "rate_8", rate_8, 8 },
	{ "write_8_deaf", write_8_deaf, 8 },
	{ "writev_8", writev_8, 8 },
	{ "write_1m_deaf", write_deaf, LARGE },
	{ "writev_1m", copy_by_kernel, LARGE },
	{ "write_1m", write_polled, LARGE },
	{ "send_1m", stream, LARGE },
	{ "read_1m", read_polled, LARGE },
	{ "send_16m", stream, HUGE },
	{ "writev_16m", copy_by_kernel, HUGE },
	{ "write_16m", write_polled, HUGE },
	{ "read_16m", read_polled, HUGE },
	{ "send_64k", stream, BULK },
	{ "writev_64k", copy_by_kernel, BULK },
	{ "write_64k", write_polled, BULK },
	{ "read_64k", read_polled, BULK },
	{ "send_16k", stream, MIDDLE },
	{ "writev_16k", copy_by_kernel, MIDDLE },
	{ "write_16k", write_polled, MIDDLE },
	{ "read_16k", read_polled, MIDDLE },
};

#define NR_MEASUREMENTS (sizeof(measurements) / sizeof(measurements[0]))

/* LOCAL_ONLY in the environment selects one measurement, for a profiler. */
static bool is_selected(const char *name)
{
	const char *only = getenv("LOCAL_ONLY");

	return !only || strcmp(only, name) == 0;
}

static void run_round(struct local_bench *bench, int round)
{
	for (size_t i = 0; i < NR_MEASUREMENTS; i++) {
		const struct measurement *m =
			&measurements[round % 2 ? NR_MEASUREMENTS - 1 - i : i];
		double value;

		if (!is_selected(m->name))
			continue;
		value = m->measure(bench, m->bytes);
		if (bench->end->client)
			printf("%s\t%d\t%.3f\n", m->name, round, value);
	}
	(void)fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct wire_end end;
	struct local_bench bench = { .end = &end };
	struct local_bench single = { .end = &end, .number = 1 };
	int first = argc > 2 ? atoi(argv[1]) : 0;
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	bench.shared = mmap(NULL, sizeof(*bench.shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (bench.shared == MAP_FAILED)
		wire_die(&end, "mmap");
	end.interface[0] = end.interface[1] = "lo";
	end.ip[0].s_addr = end.ip[1].s_addr = htonl(INADDR_LOOPBACK);
	bench.realtime = sched_getscheduler(0) == SCHED_FIFO;
	wire_start(&end, NULL);
	if (!end.client)
		bench.shared->server_pid = getpid();
	single.shared = bench.shared;
	bench.single = &single;
	local_open(&bench, false);
	local_open(&single, true);
	local_mapped_open(&bench);
	for (int round = 0; round < rounds; round++)
		run_round(&bench, first + round);
	local_mapped_close(&bench);
	local_close(&single);
	local_close(&bench);
	return wire_finish(&end);
}
