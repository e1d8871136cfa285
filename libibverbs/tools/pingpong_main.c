// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The steps of a pingpong: see pingpong.h. Scripts parse the printed text. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/pingpong.h"
#include "tools/tool_device.h"

#define PP_GRH_SIZE sizeof(struct ibv_grh)

static void pp_print_addresses(const struct pp_session *session,
			       const char *title,
			       const struct pp_address *addresses)
{
	/* rdma-core's ibv_ud_pingpong prints a colon here */
	const char *comma = session->kind->type == IBV_QPT_UD &&
					    addresses == session->local
				    ? ":"
				    : ",";

	for (uint32_t i = 0; i < session->options->nr_qps; i++) {
		char gid[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET6, addresses[i].gid.raw, gid, sizeof(gid));
		printf("  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x%s GID %s\n",
		       title, addresses[i].lid, addresses[i].qpn,
		       addresses[i].psn, comma, gid);
	}
}

static double pp_seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void pp_print_result(const struct pp_options *options, double seconds,
			    const struct pp_clock_stats *clock)
{
	uint64_t bytes = (uint64_t)options->size * options->iters * 2;

	printf("%" PRIu64 " bytes in %.2f seconds = %.2f Mbit/sec\n", bytes,
	       seconds, (double)bytes * 8 / seconds / 1e6);
	printf("%" PRIu32 " iters in %.2f seconds = %.2f usec/iter\n",
	       options->iters, seconds, seconds * 1e6 / options->iters);
	if (!clock->count)
		return;
	printf("Max receive completion clock cycles = %" PRIu64 "\n",
	       clock->max);
	printf("Min receive completion clock cycles = %" PRIu64 "\n",
	       clock->min);
	printf("Average receive completion clock cycles = %f\n",
	       clock->sum / (double)clock->count);
}

/* Queries the device and its port; checks the message size of UD. */
static int pp_query_device(struct pp_session *session)
{
	const struct pp_options *options = session->options;
	uint32_t mtu;

	if (ibv_query_device_ex(session->context, NULL, &session->device) !=
	    0) {
		fprintf(stderr, "Couldn't query device for its features\n");
		return -1;
	}
	if (ibv_query_port(session->context, options->ib_port,
			   &session->port)) {
		fprintf(stderr, "Couldn't get port info: port %u of %s\n",
			options->ib_port,
			ibv_get_device_name(session->context->device));
		return -1;
	}
	mtu = 128U << session->port.active_mtu;
	if (session->kind->type == IBV_QPT_UD && options->size > mtu) {
		fprintf(stderr, "Requested size larger than port MTU (%u)\n",
			mtu);
		return -1;
	}
	return 0;
}

static int pp_session_open(struct pp_session *session)
{
	uint32_t addresses = session->kind->nr_addresses;

	session->local = calloc(addresses, sizeof(*session->local));
	session->remote = calloc(addresses, sizeof(*session->remote));
	if (!session->local || !session->remote)
		return -1;
	session->context = tool_open_device(session->options->device);
	if (!session->context || pp_query_device(session) != 0)
		return -1;
	session->pd = ibv_alloc_pd(session->context);
	if (!session->pd) {
		fprintf(stderr, "Couldn't allocate PD\n");
		return -1;
	}
	if (pp_memory_open(session) != 0)
		return -1;
	return pp_queues_open(session);
}

static int pp_session_close(struct pp_session *session)
{
	int bad = pp_queues_close(session) != 0;

	bad += pp_memory_close(session) != 0;
	if (session->pd && ibv_dealloc_pd(session->pd) != 0) {
		fprintf(stderr, "Couldn't deallocate PD\n");
		bad++;
	}
	if (session->context && ibv_close_device(session->context) != 0) {
		fprintf(stderr, "Couldn't release context\n");
		bad++;
	}
	free(session->local);
	free(session->remote);
	return bad ? -1 : 0;
}

/* Exchanges addresses and messages, and prints the result. */
static int pp_session_run(struct pp_session *session)
{
	const struct pp_options *options = session->options;
	struct pp_clock_stats clock = {};
	struct timespec start;
	uint32_t receives;

	receives = pp_post_receives(session, options->rx_depth);
	if (receives < options->rx_depth) {
		fprintf(stderr, "Couldn't post receive (%u)\n", receives);
		return -1;
	}
	if (session->channel && ibv_req_notify_cq(session->cq, 0) != 0) {
		fprintf(stderr, "Couldn't request CQ notification\n");
		return -1;
	}
	pp_print_addresses(session, "local address:", session->local);
	fflush(stdout); /* show the address before waiting for a client */
	if (pp_exchange_addresses(session, pp_queues_connect) != 0)
		return -1;
	pp_print_addresses(session, "remote address:", session->remote);
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (pp_exchange_messages(session, receives, &clock) != 0)
		return -1;
	pp_print_result(options, pp_seconds_since(&start), &clock);
	return options->validate ? pp_memory_check(session) : 0;
}

int pp_main(const struct pp_kind *kind, int argc, char **argv)
{
	struct pp_options options;
	struct pp_session session = { .kind = kind, .options = &options };
	int ret = pp_parse_options(kind, argc, argv, &options);

	if (ret)
		return ret < 0 ? 1 : tool_exit_code(0);
	if (kind->type == IBV_QPT_UD)
		session.header = PP_GRH_SIZE;
	ret = pp_session_open(&session);
	if (ret == 0)
		ret = pp_session_run(&session);
	if (pp_session_close(&session) != 0)
		ret = -1;
	return tool_exit_code(ret ? 1 : 0);
}
