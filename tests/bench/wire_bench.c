/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire_bench SET CLIENT_IF CLIENT_IP SERVER_IF SERVER_IP [NETNS [ROUNDS]] -
 * latency and bandwidth of the user-space device, of plain UDP and of TCP on
 * one path, in turn: compared measurements run within a second or two. NETNS is
 * a file of the network namespace of the server's interface. SET selects the
 * measurements: "base", "mtu1500" or "mtu9000". The last two have messages of
 * 1 to 64 KB, for interfaces with that MTU.
 *
 * Prints a line "name<tab>round<tab>value" for each measurement; wire_bench.sh
 * makes a table of them.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "wire_verbs.h"

#define TRIPS	    1000 /* of a measurement */
#define SIZED_TRIPS 300	 /* of one with larger messages */
#define LARGE	    64	 /* messages of WIRE_MESSAGE bytes */
#define MEDIUM	    512	 /* messages of 64 KB */
#define WARM	    8	 /* messages, before the first round */
#define ROUNDS	    21
#define KB	    1024
#define MB	    WIRE_MESSAGE

enum link { LINK_1024, LINK_4096, NR_LINKS };

static const enum ibv_mtu link_mtus[NR_LINKS] = { IBV_MTU_1024, IBV_MTU_4096 };
static const uint32_t link_payloads[NR_LINKS] = { 1024, 4096 };

static struct wire_end end;
static struct wire_device device;
static struct wire_link links[NR_LINKS];

struct measurement {
	const char *name;
	double (*measure)(const struct measurement *m);
	uint32_t bytes;
	enum link link; /* of verbs; for UDP, the payload of a datagram */
};

static double rate_of(const struct measurement *m, enum ibv_wr_opcode opcode,
		      bool server_sleeps)
{
	return wire_verbs_rate(&end, &device, &links[m->link], opcode, m->bytes,
			       server_sleeps, m->bytes == MB ? LARGE : MEDIUM);
}

static unsigned int trips_of(const struct measurement *m)
{
	return m->bytes == WIRE_SMALL ? TRIPS : SIZED_TRIPS;
}

static double udp_trip(const struct measurement *m)
{
	return wire_udp_latency(&end, false, trips_of(m));
}

static double connected_trip(const struct measurement *m)
{
	return wire_udp_latency(&end, true, trips_of(m));
}

static double gso_trip(const struct measurement *m)
{
	return wire_gso_latency(&end, m->bytes, link_payloads[m->link],
				trips_of(m));
}

static double floor_trip(const struct measurement *m)
{
	return wire_floor_latency(&end, m->bytes, link_payloads[m->link],
				  trips_of(m));
}

static double tcp_trip(const struct measurement *m)
{
	return wire_tcp_latency(&end, m->bytes, trips_of(m));
}

static double verbs_trip(const struct measurement *m)
{
	return wire_verbs_latency(&end, &device, &links[m->link], 1, m->bytes,
				  trips_of(m));
}

static double udp_rate(const struct measurement *m)
{
	return wire_udp_rate(&end, link_payloads[m->link], LARGE);
}

static double floor_rate(const struct measurement *m)
{
	return wire_floor_rate(&end, m->bytes, link_payloads[m->link], MEDIUM);
}

static double tcp_rate(const struct measurement *m)
{
	return wire_tcp_rate(&end, m->bytes, m->bytes == MB ? LARGE : MEDIUM);
}

static double send_rate(const struct measurement *m)
{
	return rate_of(m, IBV_WR_SEND, false);
}

static double write_rate(const struct measurement *m)
{
	return rate_of(m, IBV_WR_RDMA_WRITE, false);
}

static double deaf_rate(const struct measurement *m)
{
	return rate_of(m, IBV_WR_RDMA_WRITE, true);
}

static double read_rate(const struct measurement *m)
{
	return rate_of(m, IBV_WR_RDMA_READ, false);
}

static const struct measurement base[] = {
	{ "udp_8", udp_trip, WIRE_SMALL, LINK_4096 },
	{ "send_8", verbs_trip, WIRE_SMALL, LINK_4096 },
	{ "connected_8", connected_trip, WIRE_SMALL, LINK_4096 },
	{ "tcp_8", tcp_trip, WIRE_SMALL, LINK_4096 },
	{ "udp_4096", udp_rate, MB, LINK_4096 },
	{ "send_4096", send_rate, MB, LINK_4096 },
	{ "write_4096", write_rate, MB, LINK_4096 },
	{ "read_4096", read_rate, MB, LINK_4096 },
	{ "deaf_4096", deaf_rate, MB, LINK_4096 },
	{ "udp_1024", udp_rate, MB, LINK_1024 },
	{ "send_1024", send_rate, MB, LINK_1024 },
	{ "write_1024", write_rate, MB, LINK_1024 },
	{ "tcp_1m", tcp_rate, MB, LINK_4096 },
	{},
};

#define SIZES(mtu, link)                                                      \
	{                                                                     \
		{ "tcp_1k_" mtu, tcp_trip, KB, link },                        \
			{ "send_1k_" mtu, verbs_trip, KB, link },             \
			{ "gso_1k_" mtu, gso_trip, KB, link },                \
			{ "floor_1k_" mtu, floor_trip, KB, link },            \
			{ "tcp_2k_" mtu, tcp_trip, 2 * KB, link },            \
			{ "send_2k_" mtu, verbs_trip, 2 * KB, link },         \
			{ "gso_2k_" mtu, gso_trip, 2 * KB, link },            \
			{ "floor_2k_" mtu, floor_trip, 2 * KB, link },        \
			{ "tcp_4k_" mtu, tcp_trip, 4 * KB, link },            \
			{ "send_4k_" mtu, verbs_trip, 4 * KB, link },         \
			{ "gso_4k_" mtu, gso_trip, 4 * KB, link },            \
			{ "floor_4k_" mtu, floor_trip, 4 * KB, link },        \
			{ "tcp_16k_" mtu, tcp_trip, 16 * KB, link },          \
			{ "send_16k_" mtu, verbs_trip, 16 * KB, link },       \
			{ "gso_16k_" mtu, gso_trip, 16 * KB, link },          \
			{ "floor_16k_" mtu, floor_trip, 16 * KB, link },      \
			{ "tcp_64k_" mtu, tcp_trip, 64 * KB, link },          \
			{ "send_64k_" mtu, verbs_trip, 64 * KB, link },       \
			{ "gso_64k_" mtu, gso_trip, 64 * KB, link },          \
			{ "floor_64k_" mtu, floor_trip, 64 * KB, link },      \
			{ "tcp_rate_" mtu, tcp_rate, 64 * KB, link },         \
			{ "send_rate_" mtu, send_rate, 64 * KB, link },       \
			{ "write_rate_" mtu, write_rate, 64 * KB, link },     \
			{ "read_rate_" mtu, read_rate, 64 * KB, link },       \
			{ "floor_rate_" mtu, floor_rate, 64 * KB, link }, {}, \
	}

static const struct measurement mtu1500[] = SIZES("1500", LINK_1024);
static const struct measurement mtu9000[] = SIZES("9000", LINK_4096);

static const struct {
	const char *name;
	const struct measurement *measurements;
	enum link most; /* that the interface's MTU permits */
} sets[] = {
	{ "base", base, LINK_4096 },
	{ "mtu1500", mtu1500, LINK_1024 },
	{ "mtu9000", mtu9000, LINK_4096 },
};

static void open_links(enum link most)
{
	unsigned int nr = (unsigned int)most + 1;

	wire_device_open(&end, &device, nr, WIRE_MESSAGE);
	for (unsigned int i = 0; i < nr; i++)
		wire_link_open(&end, &device, &links[i], i);
	wire_meet(&end);
	for (unsigned int i = 0; i < nr; i++)
		wire_link_connect(&end, &device, &links[i], i, link_mtus[i]);
	wire_meet(&end);
	for (unsigned int i = 0; i < nr; i++)
		(void)wire_verbs_rate(&end, &device, &links[i],
				      IBV_WR_RDMA_WRITE, MB, false, WARM);
}

static void close_links(enum link most)
{
	wire_meet(&end);
	for (unsigned int i = 0; i <= (unsigned int)most; i++)
		wire_link_close(&end, &links[i]);
	wire_device_close(&end, &device);
}

/* WIRE_ONLY in the environment names measurements, for a profiler. */
static bool is_selected(const char *name)
{
	const char *only = getenv("WIRE_ONLY");

	return !only || strstr(only, name);
}

static void run_one(const struct measurement *m, int round)
{
	double value;

	if (!is_selected(m->name))
		return;
	value = m->measure(m);
	if (end.client)
		printf("%s\t%d\t%.4f\n", m->name, round, value);
}

/* In forward, then in reverse order, so that the predecessors vary. */
static void run_rounds(const struct measurement *measurements, int rounds)
{
	size_t nr = 0;

	while (measurements[nr].name)
		nr++;
	for (int round = 0; round < rounds; round++) {
		for (size_t i = 0; i < nr; i++)
			run_one(&measurements[round % 2 ? nr - 1 - i : i],
				round);
		(void)fflush(stdout);
	}
}

static int run_set(const char *name, const char *netns, int rounds)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (strcmp(sets[i].name, name) != 0)
			continue;
		wire_start(&end, netns);
		open_links(sets[i].most);
		run_rounds(sets[i].measurements, rounds);
		close_links(sets[i].most);
		return wire_finish(&end);
	}
	fprintf(stderr, "wire_bench: no set %s\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	int rounds = argc > 7 ? atoi(argv[7]) : ROUNDS;

	if (argc < 6 || rounds < 1 ||
	    inet_pton(AF_INET, argv[3], &end.ip[1]) != 1 ||
	    inet_pton(AF_INET, argv[5], &end.ip[0]) != 1) {
		fprintf(stderr, "usage: wire_bench SET CLIENT_IF CLIENT_IP "
				"SERVER_IF SERVER_IP [NETNS [ROUNDS]]\n");
		return 2;
	}
	end.interface[1] = argv[2];
	end.interface[0] = argv[4];
	return run_set(argv[1], argc > 6 && *argv[6] ? argv[6] : NULL, rounds);
}
