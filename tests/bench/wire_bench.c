/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire_bench CLIENT_IF CLIENT_IP SERVER_IF SERVER_IP [NETNS [ROUNDS]] - latency
 * and bandwidth of the user-space device, of plain UDP and of TCP on one path,
 * in turn: compared measurements run within a second or two. NETNS is a file of
 * the network namespace of the server's interface.
 *
 * Prints a line "name<tab>round<tab>value" for each measurement; wire_bench.sh
 * makes a table of them.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "wire_verbs.h"

#define TRIPS  1000 /* of a measurement */
#define LARGE  64   /* messages of a measurement */
#define WARM   8    /* messages, before the first round */
#define ROUNDS 21

enum link { LINK_1024, LINK_4096, NR_LINKS };

static struct wire_end end;
static struct wire_device device;
static struct wire_link links[NR_LINKS];

static double rate(enum link link, enum ibv_wr_opcode opcode,
		   bool server_sleeps)
{
	return wire_verbs_rate(&end, &device, &links[link], opcode,
			       server_sleeps, LARGE);
}

static double udp_8(void)
{
	return wire_udp_latency(&end, false, TRIPS);
}

static double connected_8(void)
{
	return wire_udp_latency(&end, true, TRIPS);
}

static double udp_4096(void)
{
	return wire_udp_rate(&end, 4096, LARGE);
}

static double udp_1024(void)
{
	return wire_udp_rate(&end, 1024, LARGE);
}

static double tcp_8(void)
{
	return wire_tcp_latency(&end, TRIPS);
}

static double tcp_1m(void)
{
	return wire_tcp_rate(&end, LARGE);
}

static double send_8(void)
{
	return wire_verbs_latency(&end, &device, &links[LINK_4096], 1, TRIPS);
}

static double send_4096(void)
{
	return rate(LINK_4096, IBV_WR_SEND, false);
}

static double send_1024(void)
{
	return rate(LINK_1024, IBV_WR_SEND, false);
}

static double write_4096(void)
{
	return rate(LINK_4096, IBV_WR_RDMA_WRITE, false);
}

static double write_1024(void)
{
	return rate(LINK_1024, IBV_WR_RDMA_WRITE, false);
}

static double deaf_4096(void)
{
	return rate(LINK_4096, IBV_WR_RDMA_WRITE, true);
}

static double read_4096(void)
{
	return rate(LINK_4096, IBV_WR_RDMA_READ, false);
}

static const struct measurement {
	const char *name;
	double (*measure)(void);
} measurements[] = {
	{ "udp_8", udp_8 },
	{ "send_8", send_8 },
	{ "connected_8", connected_8 },
	{ "tcp_8", tcp_8 },
	{ "udp_4096", udp_4096 },
	{ "send_4096", send_4096 },
	{ "write_4096", write_4096 },
	{ "read_4096", read_4096 },
	{ "deaf_4096", deaf_4096 },
	{ "udp_1024", udp_1024 },
	{ "send_1024", send_1024 },
	{ "write_1024", write_1024 },
	{ "tcp_1m", tcp_1m },
};

#define NR_MEASUREMENTS (sizeof(measurements) / sizeof(measurements[0]))

static void open_links(void)
{
	static const enum ibv_mtu mtus[NR_LINKS] = { IBV_MTU_1024,
						     IBV_MTU_4096 };

	wire_device_open(&end, &device, NR_LINKS);
	for (unsigned int i = 0; i < NR_LINKS; i++)
		wire_link_open(&end, &device, &links[i], i);
	wire_meet(&end);
	for (unsigned int i = 0; i < NR_LINKS; i++)
		wire_link_connect(&end, &device, &links[i], i, mtus[i]);
	wire_meet(&end);
	for (unsigned int i = 0; i < NR_LINKS; i++)
		(void)wire_verbs_rate(&end, &device, &links[i],
				      IBV_WR_RDMA_WRITE, false, WARM);
}

static void close_links(void)
{
	wire_meet(&end);
	for (unsigned int i = 0; i < NR_LINKS; i++)
		wire_link_close(&end, &links[i]);
	wire_device_close(&end, &device);
}

/* WIRE_ONLY in the environment names measurements, for a profiler. */
static bool is_selected(const char *name)
{
	const char *only = getenv("WIRE_ONLY");

	return !only || strstr(only, name);
}

/* In forward, then in reverse order, so that the predecessors vary. */
static void run_rounds(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		for (size_t i = 0; i < NR_MEASUREMENTS; i++) {
			const struct measurement *m =
				&measurements[round % 2
						      ? NR_MEASUREMENTS - 1 - i
						      : i];
			double value;

			if (!is_selected(m->name))
				continue;
			value = m->measure();
			if (end.client)
				printf("%s\t%d\t%.4f\n", m->name, round, value);
		}
		(void)fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 6 ? atoi(argv[6]) : ROUNDS;

	if (argc < 5 || rounds < 1 ||
	    inet_pton(AF_INET, argv[2], &end.ip[1]) != 1 ||
	    inet_pton(AF_INET, argv[4], &end.ip[0]) != 1) {
		fprintf(stderr, "usage: wire_bench CLIENT_IF CLIENT_IP "
				"SERVER_IF SERVER_IP [NETNS [ROUNDS]]\n");
		return 2;
	}
	end.interface[1] = argv[1];
	end.interface[0] = argv[3];
	wire_start(&end, argc > 5 && *argv[5] ? argv[5] : NULL);
	open_links();
	run_rounds(rounds);
	close_links();
	return wire_finish(&end);
}
