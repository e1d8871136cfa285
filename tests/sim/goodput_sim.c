/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Goodput of one QP over links with delay and random loss, in simulated time:
 * two engines, a link of 200 Mbit/s whose queue has the data of one RTT and 100
 * packets, and messages of 512 KB, eight of them outstanding. Then four QPs
 * share the link. Prints tables, and fails if a row has less than its share of
 * the link, or its QPs too different ones. In some tables other programs use
 * the processors of both hosts. The same seed gives the same tables on every
 * machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net_host.h"
#include "net_topology.h"

#define LINK_BITS	   UINT64_C(200000000)
#define ADAPTER_BITS	   UINT64_C(10000000000)
#define MESSAGE_BYTES	   (512u << 10)
#define OUTSTANDING	   8
#define SIMULATED_MS	   UINT64_C(5000)
#define SHARING_QPS	   4
#define HOSTS		   3
#define LEAST_WRITE_JAIN   50
#define LEAST_READ_JAIN	   70
#define LEAST_BUSY_JAIN	   40
#define LEAST_MARKED_JAIN  75
#define LEAST_SHARE	   75
#define MOST_OF_LATE	   140 /* percent of the first QP */
#define MOST_RETRANSMITTED 1500
#define QUEUED_PACKETS	   100
#define MARKED_PACKETS	   20
#define ETHERNET_PACKET	   1500
/* Of the socket: responses to READs that are in flight must fit into it. */
#define SOCKET_BYTES (8u << 20)
#define BUSY_NS	     (4 * NET_MS)
#define EARLY_PPM    10000

static const struct scenario {
	uint32_t rtt_us;
	uint32_t lost_of_10000;
	uint32_t least_write, least_read; /* percent of the link */
	uint32_t least_busy;		  /* the same for busy hosts */
	uint32_t least_early; /* and if the network reorders packets; 0: none */
} scenarios[] = {
	{ 100, 0, 85, 85, 85, 85 },    { 100, 10, 85, 85, 75, 85 },
	{ 100, 100, 85, 85, 70, 85 },  { 1000, 0, 85, 85, 85, 85 },
	{ 1000, 10, 85, 85, 78, 85 },  { 1000, 100, 85, 85, 70, 80 },
	{ 10000, 0, 85, 85, 85, 85 },  { 10000, 10, 80, 70, 78, 0 },
	{ 10000, 100, 75, 70, 70, 0 }, { 50000, 0, 80, 80, 80, 80 },
	{ 50000, 10, 70, 70, 68, 0 },  { 50000, 100, 65, 55, 60, 0 },
};

struct sim_traffic {
	enum ibv_wr_opcode opcode;
	uint32_t nr_qps;
	bool marks;	   /* the queue marks packets before it is full (ECN) */
	bool busy;	   /* the hosts have other work */
	bool early;	   /* 1 % of the packets overtake others */
	uint32_t apart_ms; /* begin of the second QP, of another host */
};

/* Hosts, whose adapters are fast, and a switch with slow links to them. */
struct sim {
	struct net net;
	struct net_topology topology;
	struct net_hosts hosts;
	struct net_conn *conn[SHARING_QPS];
};

static struct net_topology_config sim_topology(const struct scenario *s,
					       bool marks)
{
	uint64_t rtt_bytes = LINK_BITS / 8 * s->rtt_us / 1000000;
	uint64_t mark_bytes =
		marks ? rtt_bytes / 4 + MARKED_PACKETS * ETHERNET_PACKET : 0;

	return (struct net_topology_config){
		.leaves = 1,
		.hosts_per_leaf = HOSTS,
		.host_bits_per_s = LINK_BITS,
		.delay_ns = s->rtt_us * UINT64_C(500),
		.queueing = { .buffer_bytes = rtt_bytes +
					      QUEUED_PACKETS * ETHERNET_PACKET,
			      .mark_min_bytes = mark_bytes,
			      .mark_max_bytes = mark_bytes },
	};
}

static struct sim *sim_new(const struct scenario *s,
			   const struct sim_traffic *traffic)
{
	const struct net_host_config config = {
		.mtu = 1024,
		.message_bytes = MESSAGE_BYTES,
		.outstanding = OUTSTANDING,
		.timeout = 17, /* 0.5 s */
		.room_bytes = SOCKET_BYTES,
		.busy_ns = traffic->busy ? BUSY_NS : 0,
	};
	const struct net_topology_config topology =
		sim_topology(s, traffic->marks);
	struct sim *sim = calloc(1, sizeof(*sim));

	assert_non_null(sim);
	net_init(&sim->net, 1);
	net_topology_init(&sim->topology, &sim->net, &topology);
	net_hosts_init(&sim->hosts, &sim->net, HOSTS, &config);
	for (uint32_t i = 0; i < HOSTS; i++) {
		net_link_init(&sim->topology.from_host[i], ADAPTER_BITS, 0,
			      &sim->topology.switches[0]);
		sim->topology.to_host[i].loss_ppm = s->lost_of_10000 * 100;
		sim->topology.to_host[i].early_ppm = traffic->early ? EARLY_PPM
								    : 0;
		net_host_attach(&sim->hosts.host[i],
				&sim->topology.from_host[i],
				&sim->topology.to_host[i]);
	}
	for (uint32_t n = 0; n < traffic->nr_qps; n++) {
		sim->conn[n] = net_conn_new(&sim->hosts,
					    traffic->apart_ms && n ? 2 : 0, 1);
		sim->conn[n]->opcode = traffic->opcode;
	}
	return sim;
}

static void sim_free(struct sim *sim)
{
	net_hosts_fini(&sim->hosts);
	net_topology_fini(&sim->topology, &sim->net);
	net_fini(&sim->net);
	free(sim);
}

static uint64_t sim_count(const struct sim *sim, unsigned int host,
			  enum uroce_counter counter)
{
	return sim->hosts.host[host].engine.core.counters.count[counter];
}

static const char *sim_opcode_name(enum ibv_wr_opcode opcode)
{
	if (opcode == IBV_WR_SEND)
		return "SEND";
	return opcode == IBV_WR_RDMA_READ ? "READ" : "WRITE";
}

/*
 * Returns QPs that have transferred for SIMULATED_MS; they start one after the
 * other. @bytes receives what each of them has completed.
 */
static struct sim *sim_transfer(const struct scenario *s,
				const struct sim_traffic *traffic,
				uint64_t *bytes)
{
	struct sim *sim = sim_new(s, traffic);

	for (unsigned int n = 0; n < traffic->nr_qps; n++) {
		if (n)
			net_run_until(&sim->net,
				      sim->net.now +
					      (traffic->apart_ms
						       ? traffic->apart_ms
						       : 10) *
						      NET_MS);
		net_conn_start(sim->conn[n], UINT64_MAX);
	}
	net_run_until(&sim->net, sim->net.now + SIMULATED_MS * NET_MS);
	printf("%6.1f %6.1f %6s", s->rtt_us / 1000.0, s->lost_of_10000 / 100.0,
	       sim_opcode_name(traffic->opcode));
	for (unsigned int n = 0; n < traffic->nr_qps; n++) {
		assert_false(sim->conn[n]->failed);
		bytes[n] = sim->conn[n]->done_bytes;
		printf(" %8.2f",
		       (double)bytes[n] / (double)SIMULATED_MS / 1000);
	}
	return sim;
}

/* The percentage of the link that a payload of @bytes has used. */
static uint32_t sim_share(uint64_t bytes)
{
	return (uint32_t)(bytes * 100 * 8 * 1000 / LINK_BITS / SIMULATED_MS);
}

/* Returns that of the QP. */
static uint32_t sim_run(const struct scenario *s,
			const struct sim_traffic *traffic)
{
	uint64_t bytes = 0;
	struct sim *sim = sim_transfer(s, traffic, &bytes);

	printf(" %14llu %6llu %9llu\n",
	       (unsigned long long)sim_count(sim, 0, UROCE_C_RETRANSMITTED),
	       (unsigned long long)sim_count(sim, 0, UROCE_C_PROBES),
	       (unsigned long long)sim_count(sim, 0, UROCE_C_TIMEOUTS));
	sim_free(sim);
	return sim_share(bytes);
}

static void print_goodput_head(void)
{
	printf("RTT ms loss %%            MB/s  retransmitted probes  "
	       "timeouts\n");
}

static void goodput_has_share_of_link(void **state)
{
	struct sim_traffic write = { IBV_WR_RDMA_WRITE, .nr_qps = 1 };
	struct sim_traffic send = { IBV_WR_SEND, .nr_qps = 1 };
	struct sim_traffic read = { IBV_WR_RDMA_READ, .nr_qps = 1 };
	unsigned int nr_poor = 0;

	print_goodput_head();
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		const struct scenario *s = &scenarios[i];

		nr_poor += sim_run(s, &write) < s->least_write;
		nr_poor += sim_run(s, &send) < s->least_write;
		nr_poor += sim_run(s, &read) < s->least_read;
	}
	assert_int_equal(nr_poor, 0);
}

/* Samples of the RTT are too long by up to BUSY_NS. */
static void busy_hosts_have_share_of_link(void **state)
{
	struct sim_traffic write = { IBV_WR_RDMA_WRITE, .nr_qps = 1,
				     .busy = true };
	struct sim_traffic send = { IBV_WR_SEND, .nr_qps = 1, .busy = true };
	unsigned int nr_poor = 0;

	print_goodput_head();
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		const struct scenario *s = &scenarios[i];

		nr_poor += sim_run(s, &write) < s->least_busy;
		nr_poor += sim_run(s, &send) < s->least_busy;
	}
	assert_int_equal(nr_poor, 0);
}

/* Packets arrive before others that are half of the RTT older. */
static void reordering_leaves_share_of_link(void **state)
{
	struct sim_traffic write = { IBV_WR_RDMA_WRITE, .nr_qps = 1,
				     .early = true };
	struct sim_traffic read = { IBV_WR_RDMA_READ, .nr_qps = 1,
				    .early = true };
	unsigned int nr_poor = 0;

	print_goodput_head();
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		const struct scenario *s = &scenarios[i];

		if (!s->least_early)
			continue;
		nr_poor += sim_run(s, &write) < s->least_early;
		nr_poor += sim_run(s, &read) < s->least_early;
	}
	assert_int_equal(nr_poor, 0);
}

/* Jain's index of the bytes of four QPs that share the link, in percent */
static uint32_t sim_jain(const uint64_t *bytes)
{
	double sum = 0, squares = 0;

	for (unsigned int n = 0; n < SHARING_QPS; n++) {
		sum += (double)bytes[n];
		squares += (double)bytes[n] * (double)bytes[n];
	}
	printf(" %6.2f", sum * sum / SHARING_QPS / squares);
	return (uint32_t)(100 * sum * sum / SHARING_QPS / squares);
}

static uint32_t sim_run_qps(const struct scenario *s, enum ibv_wr_opcode opcode,
			    bool busy)
{
	const struct sim_traffic traffic = { .opcode = opcode,
					     .nr_qps = SHARING_QPS,
					     .busy = busy };
	uint64_t bytes[SHARING_QPS] = {};
	uint32_t jain;

	sim_free(sim_transfer(s, &traffic, bytes));
	jain = sim_jain(bytes);
	printf("\n");
	return jain;
}

/* The bounds are of Jain's index. */
static void expect_shares(bool busy, uint32_t least_write, uint32_t least_read)
{
	unsigned int nr_unfair = 0;

	printf("RTT ms loss %%         MB/s of each of four QPs           "
	       "Jain\n");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		const struct scenario *s = &scenarios[i];

		if (s->lost_of_10000 == 10)
			continue;
		nr_unfair += sim_run_qps(s, IBV_WR_RDMA_WRITE, busy) <
			     least_write;
		nr_unfair += sim_run_qps(s, IBV_WR_RDMA_READ, busy) <
			     least_read;
	}
	assert_int_equal(nr_unfair, 0);
}

static void qps_share_link_fairly(void **state)
{
	expect_shares(false, LEAST_WRITE_JAIN, LEAST_READ_JAIN);
}

static void busy_hosts_share_link(void **state)
{
	expect_shares(true, LEAST_BUSY_JAIN, LEAST_BUSY_JAIN);
}

/*
 * Returns whether the QP that begins late has more than its share. The rates of
 * a pair depend on the moment at which it begins, so several pairs count.
 */
static bool sim_run_late(const struct scenario *s, bool busy)
{
	static const uint32_t begins_ms[] = { 500, 507, 517 };
	uint64_t first = 0, late = 0;

	for (size_t i = 0; i < sizeof(begins_ms) / sizeof(begins_ms[0]); i++) {
		const struct sim_traffic traffic = {
			.opcode = IBV_WR_RDMA_WRITE,
			.nr_qps = 2,
			.apart_ms = begins_ms[i],
			.busy = busy,
		};
		uint64_t bytes[SHARING_QPS] = {};

		sim_free(sim_transfer(s, &traffic, bytes));
		printf(" %6.2f\n", (double)bytes[1] / (double)bytes[0]);
		first += bytes[0];
		late += bytes[1];
	}
	return late * 100 > first * MOST_OF_LATE;
}

/* The second QP never sees the RTT without the queue of the first one. */
static void late_host_leaves_share_of_link(void **state)
{
	unsigned int nr_unfair = 0;

	printf("RTT ms loss %%         MB/s of both QPs   ratio\n");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (scenarios[i].lost_of_10000)
			continue;
		nr_unfair += sim_run_late(&scenarios[i], false);
		nr_unfair += sim_run_late(&scenarios[i], true);
	}
	assert_int_equal(nr_unfair, 0);
}

/* Four QPs; returns how many bounds are missed. */
static unsigned int sim_run_marks(const struct scenario *s,
				  enum ibv_wr_opcode opcode, bool marks)
{
	const struct sim_traffic traffic = { .opcode = opcode,
					     .nr_qps = SHARING_QPS,
					     .marks = marks };
	uint64_t bytes[SHARING_QPS] = {}, sum = 0, again, marked;
	struct sim *sim = sim_transfer(s, &traffic, bytes);
	uint32_t jain = sim_jain(bytes);

	for (unsigned int n = 0; n < SHARING_QPS; n++)
		sum += bytes[n];
	again = sim_count(sim, 0, UROCE_C_RETRANSMITTED);
	marked = sim_count(sim, 0, UROCE_C_ECN_MARKED) +
		 sim_count(sim, 1, UROCE_C_ECN_MARKED);
	printf(" %8llu %8llu\n", (unsigned long long)marked,
	       (unsigned long long)again);
	sim_free(sim);
	return !marks ? 0
		      : (jain < LEAST_MARKED_JAIN) +
				(sim_share(sum) < LEAST_SHARE) +
				(again > MOST_RETRANSMITTED);
}

/* The first row of each two is without marks. */
static void marks_replace_losses(void **state)
{
	static const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
						      IBV_WR_RDMA_READ };
	unsigned int nr_poor = 0;

	printf("RTT ms loss %%         MB/s of each of four QPs           "
	       "Jain   marked retransmitted\n");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		for (size_t op = 0; op < 2 && !scenarios[i].lost_of_10000; op++)
			for (int marks = 0; marks < 2; marks++)
				nr_poor += sim_run_marks(&scenarios[i],
							 opcodes[op], marks);
	assert_int_equal(nr_poor, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goodput_has_share_of_link),
		cmocka_unit_test(busy_hosts_have_share_of_link),
		cmocka_unit_test(reordering_leaves_share_of_link),
		cmocka_unit_test(qps_share_link_fairly),
		cmocka_unit_test(busy_hosts_share_link),
		cmocka_unit_test(late_host_leaves_share_of_link),
		cmocka_unit_test(marks_replace_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
