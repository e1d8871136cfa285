// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A pingpong from beginning to end: see pingpong.h. What is printed is what
 * scripts know.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/pingpong.h"
#include "tools/tool_device.h"

#define GRH_SIZE sizeof(struct ibv_grh)

static void print_addresses(const struct pp_world *world, const char *whose,
			    const struct pp_address *addresses)
{
	/* so one of the programs has always punctuated its own */
	const char *comma = world->kind->type == IBV_QPT_UD &&
					    addresses == world->local
				    ? ":"
				    : ",";

	for (uint32_t i = 0; i < world->options->nr_qps; i++) {
		char gid[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET6, addresses[i].gid.raw, gid, sizeof(gid));
		printf("  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x%s GID %s\n",
		       whose, addresses[i].lid, addresses[i].qpn,
		       addresses[i].psn, comma, gid);
	}
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - start->tv_sec +
	       (now.tv_nsec - start->tv_nsec) / 1e9;
}

static void print_result(const struct pp_options *options, double seconds,
			 const struct pp_clock *clock)
{
	uint64_t bytes = (uint64_t)options->size * options->iters * 2;

	printf("%" PRIu64 " bytes in %.2f seconds = %.2f Mbit/sec\n", bytes,
	       seconds, bytes * 8 / seconds / 1e6);
	printf("%" PRIu32 " iters in %.2f seconds = %.2f usec/iter\n",
	       options->iters, seconds, seconds * 1e6 / options->iters);
	if (!clock->count)
		return;
	printf("Max receive completion clock cycles = %" PRIu64 "\n",
	       clock->max);
	printf("Min receive completion clock cycles = %" PRIu64 "\n",
	       clock->min);
	printf("Average receive completion clock cycles = %f\n",
	       clock->sum / clock->count);
}

/* What the device and its port can do. */
static int query(struct pp_world *world)
{
	const struct pp_options *options = world->options;
	uint32_t mtu;

	if (ibv_query_device_ex(world->context, NULL, &world->device) != 0) {
		fprintf(stderr, "Couldn't query device for its features\n");
		return -1;
	}
	if (ibv_query_port(world->context, options->ib_port, &world->port)) {
		fprintf(stderr, "Couldn't get port info: port %u of %s\n",
			options->ib_port,
			ibv_get_device_name(world->context->device));
		return -1;
	}
	mtu = 128U << world->port.active_mtu;
	if (world->kind->type == IBV_QPT_UD && options->size > mtu) {
		fprintf(stderr, "Requested size larger than port MTU (%u)\n",
			mtu);
		return -1;
	}
	return 0;
}

static int open_all(struct pp_world *world)
{
	uint32_t addresses = world->kind->nr_addresses;

	world->local = calloc(addresses, sizeof(*world->local));
	world->remote = calloc(addresses, sizeof(*world->remote));
	if (!world->local || !world->remote)
		return -1;
	world->context = tool_open(world->options->device);
	if (!world->context || query(world) != 0)
		return -1;
	world->pd = ibv_alloc_pd(world->context);
	if (!world->pd) {
		fprintf(stderr, "Couldn't allocate PD\n");
		return -1;
	}
	if (pp_memory_open(world) != 0)
		return -1;
	return pp_queues_open(world);
}

static int close_all(struct pp_world *world)
{
	int bad = pp_queues_close(world) != 0;

	bad += pp_memory_close(world) != 0;
	if (world->pd && ibv_dealloc_pd(world->pd) != 0) {
		fprintf(stderr, "Couldn't deallocate PD\n");
		bad++;
	}
	if (world->context && ibv_close_device(world->context) != 0) {
		fprintf(stderr, "Couldn't release context\n");
		bad++;
	}
	free(world->local);
	free(world->remote);
	return bad ? -1 : 0;
}

/* With everything open: meet, exchange messages, print. */
static int play(struct pp_world *world)
{
	const struct pp_options *options = world->options;
	struct pp_clock clock = {};
	struct timespec start;
	uint32_t receives;

	receives = pp_post_receives(world, options->rx_depth);
	if (receives < options->rx_depth) {
		fprintf(stderr, "Couldn't post receive (%u)\n", receives);
		return -1;
	}
	if (world->channel && ibv_req_notify_cq(world->cq, 0) != 0) {
		fprintf(stderr, "Couldn't request CQ notification\n");
		return -1;
	}
	print_addresses(world, "local address:", world->local);
	fflush(stdout); /* a server may wait for long */
	if (pp_exchange(world, pp_queues_connect) != 0)
		return -1;
	print_addresses(world, "remote address:", world->remote);
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (pp_traffic(world, receives, &clock) != 0)
		return -1;
	print_result(options, seconds_since(&start), &clock);
	return options->validate ? pp_memory_check(world) : 0;
}

int pp_main(const struct pp_kind *kind, int argc, char **argv)
{
	struct pp_options options;
	struct pp_world world = { .kind = kind, .options = &options };
	int ret = pp_parse(kind, argc, argv, &options);

	if (ret)
		return ret < 0 ? 1 : tool_finish(0);
	if (kind->type == IBV_QPT_UD)
		world.header = GRH_SIZE;
	ret = open_all(&world);
	if (ret == 0)
		ret = play(&world);
	if (close_all(&world) != 0)
		ret = -1;
	return tool_finish(ret ? 1 : 0);
}
