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

#define BULK  (64 * 1024)
#define LARGE WIRE_MESSAGE

static double gb_s(double ns, uint32_t bytes)
{
	return bytes / ns;
}

static double writev_8(struct local_bench *bench)
{
	return local_writev_ns(bench, 8);
}

static double writev_64k(struct local_bench *bench)
{
	return gb_s(local_writev_ns(bench, BULK), BULK);
}

static double writev_1m(struct local_bench *bench)
{
	return gb_s(local_writev_ns(bench, LARGE), LARGE);
}

static double send_8(struct local_bench *bench)
{
	return local_trip_ns(bench, LOCAL_SEND);
}

static double send_8_td(struct local_bench *bench)
{
	return local_trip_ns(bench->single, LOCAL_SEND);
}

static double write_8(struct local_bench *bench)
{
	return local_trip_ns(bench, LOCAL_WRITE);
}

static double write_8_mapped(struct local_bench *bench)
{
	return local_trip_ns(bench, LOCAL_MAPPED);
}

static double fetch_add(struct local_bench *bench)
{
	return local_fetch_add_ns(bench, false);
}

static double fetch_add_mapped(struct local_bench *bench)
{
	return local_fetch_add_ns(bench, true);
}

static double write_8_deaf(struct local_bench *bench)
{
	return local_one_sided_ns(bench, IBV_WR_RDMA_WRITE, 8, LOCAL_COMPUTES);
}

static double write_1m_deaf(struct local_bench *bench)
{
	return gb_s(local_one_sided_ns(bench, IBV_WR_RDMA_WRITE, LARGE,
				       LOCAL_COMPUTES),
		    LARGE);
}

static double write_1m(struct local_bench *bench)
{
	return gb_s(local_one_sided_ns(bench, IBV_WR_RDMA_WRITE, LARGE,
				       LOCAL_POLLS),
		    LARGE);
}

static double read_1m(struct local_bench *bench)
{
	return gb_s(
		local_one_sided_ns(bench, IBV_WR_RDMA_READ, LARGE, LOCAL_POLLS),
		LARGE);
}

static double send_1m(struct local_bench *bench)
{
	return gb_s(local_send_ns(bench, LARGE), LARGE);
}

static double send_64k(struct local_bench *bench)
{
	return gb_s(local_send_ns(bench, BULK), BULK);
}

/* Compared measurements are adjacent. */
static const struct measurement {
	const char *name;
	double (*measure)(struct local_bench *bench);
} measurements[] = {
	{ "send_8", send_8 },
	{ "send_8_td", send_8_td },
	{ "line", local_lines },
	{ "write_8", write_8 },
	{ "write_8_mapped", write_8_mapped },
	{ "fetch_add", fetch_add },
	{ "fetch_add_mapped", fetch_add_mapped },
	{ "rate_8", local_rate },
	{ "write_8_deaf", write_8_deaf },
	{ "writev_8", writev_8 },
	{ "write_1m_deaf", write_1m_deaf },
	{ "writev_1m", writev_1m },
	{ "write_1m", write_1m },
	{ "send_1m", send_1m },
	{ "read_1m", read_1m },
	{ "send_64k", send_64k },
	{ "writev_64k", writev_64k },
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
		value = m->measure(bench);
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
