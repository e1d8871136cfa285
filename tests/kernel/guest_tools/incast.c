/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Latency of messages of 4 KB from many senders to one receiver, with RDMA
 * SENDs or over TCP. All senders send a message at the same times, each
 * PERIOD_NS. A message contains the time when it was sent; all processes run on
 * one machine, so the clock of the receiver is the same. Both ends sleep while
 * they wait. The receiver prints "p50 US p99 US max US".
 *
 *   incast receive verbs|tcp PORT DEVICE GID_INDEX ROUNDS SENDERS
 *   incast send verbs|tcp PORT DEVICE GID_INDEX ROUNDS ADDRESS
 */
#include "check_need.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#define MESSAGE	     4096
#define MAX_SENDERS  16
#define DEPTH	     256
#define PERIOD_NS    UINT64_C(20000000)
#define START_IN_NS  UINT64_C(500000000)
#define FIRST_PSN    1000
#define NS_PER_S     UINT64_C(1000000000)
#define NS_PER_US    1000.0
#define ACK_TIMEOUT  14 /* 67 ms */
#define RNR_TIMER    12 /* 0.64 ms */
#define MOST_RETRIES 7

struct address {
	union ibv_gid gid;
	uint32_t qpn;
};

struct flow {
	int fd;
	struct ibv_qp *qp;
	uint8_t *memory; /* of DEPTH messages */
	struct ibv_mr *mr;
	size_t received; /* bytes of the first message, over TCP */
};

static struct flow flows[MAX_SENDERS];
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static int gid_index;
static uint64_t *latencies;
static size_t nr_latencies;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = { .tv_sec = (time_t)(ns / NS_PER_S),
			       .tv_nsec = (long)(ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

static void record_message(const uint8_t *message)
{
	uint64_t sent;

	memcpy(&sent, message, sizeof(sent));
	latencies[nr_latencies++] = now_ns() - sent;
}

/* -- verbs -- */

static bool open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	NEED(ctx);
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(channel = ibv_create_comp_channel(ctx));
	NEED(cq = ibv_create_cq(ctx, MAX_SENDERS * DEPTH, NULL, channel, 0));
	NEED(ibv_req_notify_cq(cq, 0) == 0);
	return true;
}

static bool post_receive(struct flow *flow, uint64_t slot)
{
	struct ibv_sge sge = { .addr = (uintptr_t)flow->memory +
				       slot % DEPTH * MESSAGE,
			       .length = MESSAGE,
			       .lkey = flow->mr->lkey };
	struct ibv_recv_wr wr = {
		.wr_id = (uint64_t)(flow - flows) * DEPTH + slot % DEPTH,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_recv_wr *bad;

	NEED(ibv_post_recv(flow->qp, &wr, &bad) == 0);
	return true;
}

static bool connect_qp(struct flow *flow, const struct address *peer)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	NEED(ibv_modify_qp(flow->qp, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_ACCESS_FLAGS) == 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qpn,
		.rq_psn = FIRST_PSN,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = peer->gid,
				 .sgid_index = (uint8_t)gid_index,
				 .hop_limit = 64 },
		},
	};
	NEED(ibv_modify_qp(flow->qp, &attr,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER) == 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = FIRST_PSN,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = MOST_RETRIES,
		.rnr_retry = MOST_RETRIES,
		.max_rd_atomic = 1,
	};
	NEED(ibv_modify_qp(flow->qp, &attr,
			   IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				   IBV_QP_MAX_QP_RD_ATOMIC) == 0);
	return true;
}

/* Exchanges addresses over the TCP connection of the flow. */
static bool flow_connect(struct flow *flow, bool receives)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct address own = {}, peer = {};

	NEED(flow->mr = ibv_reg_mr(pd, flow->memory, DEPTH * MESSAGE,
				   IBV_ACCESS_LOCAL_WRITE));
	NEED(flow->qp = ibv_create_qp(pd, &init));
	own.qpn = flow->qp->qp_num;
	NEED(ibv_query_gid(ctx, 1, gid_index, &own.gid) == 0);
	NEED(send(flow->fd, &own, sizeof(own), 0) == sizeof(own));
	NEED(recv(flow->fd, &peer, sizeof(peer), MSG_WAITALL) == sizeof(peer));
	if (!connect_qp(flow, &peer))
		return false;
	for (uint64_t i = 0; receives && i < DEPTH; i++)
		if (!post_receive(flow, i))
			return false;
	return true;
}

/* Polls the CQ until it is empty; @ret_nr counts completions. */
static bool drain_cq(size_t *ret_nr)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) == 1) {
		struct flow *flow = &flows[wc.wr_id / DEPTH];
		uint64_t slot = wc.wr_id % DEPTH;

		if (wc.status != IBV_WC_SUCCESS)
			FAIL("%s", ibv_wc_status_str(wc.status));
		++*ret_nr;
		if (wc.opcode != IBV_WC_RECV)
			continue;
		record_message(flow->memory + slot * MESSAGE);
		if (!post_receive(flow, slot))
			return false;
	}
	return true;
}

/* Sleeps until @ret_nr is at least @wanted. */
static bool wait_for_completions(size_t *ret_nr, size_t wanted)
{
	struct ibv_cq *of;
	void *context;

	if (!drain_cq(ret_nr))
		return false;
	while (*ret_nr < wanted) {
		NEED(ibv_get_cq_event(channel, &of, &context) == 0);
		ibv_ack_cq_events(of, 1);
		NEED(ibv_req_notify_cq(cq, 0) == 0);
		if (!drain_cq(ret_nr))
			return false;
	}
	return true;
}

/* The device logs its counters when it is closed. */
static bool close_device(void)
{
	for (int i = 0; i < MAX_SENDERS && flows[i].qp; i++) {
		NEED(ibv_destroy_qp(flows[i].qp) == 0);
		NEED(ibv_dereg_mr(flows[i].mr) == 0);
	}
	NEED(ibv_destroy_cq(cq) == 0);
	NEED(ibv_destroy_comp_channel(channel) == 0);
	NEED(ibv_dealloc_pd(pd) == 0);
	NEED(ibv_close_device(ctx) == 0);
	return true;
}

/* -- both ends -- */

/* Reads from TCP until each message has arrived. */
static bool receive_tcp(int nr_senders, size_t wanted)
{
	struct pollfd fds[MAX_SENDERS];

	for (int i = 0; i < nr_senders; i++)
		fds[i] = (struct pollfd){ flows[i].fd, POLLIN, 0 };
	while (nr_latencies < wanted) {
		NEED(poll(fds, (nfds_t)nr_senders, -1) > 0);
		for (int i = 0; i < nr_senders; i++) {
			struct flow *flow = &flows[i];
			ssize_t len;

			if (!fds[i].revents)
				continue;
			len = recv(flow->fd, flow->memory + flow->received,
				   MESSAGE - flow->received, 0);
			NEED(len > 0);
			flow->received += (size_t)len;
			if (flow->received < MESSAGE)
				continue;
			record_message(flow->memory);
			flow->received = 0;
		}
	}
	return true;
}

static int compare_latencies(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_latencies(void)
{
	qsort(latencies, nr_latencies, sizeof(*latencies), compare_latencies);
	printf("p50 %.1f p99 %.1f max %.1f\n",
	       (double)latencies[nr_latencies / 2] / NS_PER_US,
	       (double)latencies[nr_latencies * 99 / 100] / NS_PER_US,
	       (double)latencies[nr_latencies - 1] / NS_PER_US);
}

static bool receive_all(bool verbs, int port, size_t rounds, int nr_senders)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	size_t wanted = rounds * (size_t)nr_senders, nr = 0;
	uint64_t start;

	NEED(nr_senders > 0 && nr_senders <= MAX_SENDERS);
	NEED(latencies = calloc(wanted, sizeof(*latencies)));
	NEED(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
	NEED(bind(fd, (void *)&addr, sizeof(addr)) == 0);
	NEED(listen(fd, MAX_SENDERS) == 0);
	for (int i = 0; i < nr_senders; i++) {
		NEED((flows[i].fd = accept(fd, NULL, NULL)) >= 0);
		NEED(flows[i].memory = calloc(DEPTH, MESSAGE));
		if (verbs && !flow_connect(&flows[i], true))
			return false;
	}
	start = now_ns() + START_IN_NS;
	for (int i = 0; i < nr_senders; i++)
		NEED(send(flows[i].fd, &start, sizeof(start), 0) ==
		     sizeof(start));
	if (verbs ? !wait_for_completions(&nr, wanted)
		  : !receive_tcp(nr_senders, wanted))
		return false;
	print_latencies();
	for (int i = 0; i < nr_senders; i++)
		close(flows[i].fd);
	return true;
}

static bool send_verbs(struct flow *flow, size_t round, size_t *nr_sent)
{
	uint8_t *message = flow->memory + round % DEPTH * MESSAGE;
	struct ibv_sge sge = { .addr = (uintptr_t)message,
			       .length = MESSAGE,
			       .lkey = flow->mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;
	uint64_t now = now_ns();

	memcpy(message, &now, sizeof(now));
	if (round >= DEPTH && !wait_for_completions(nr_sent, round - DEPTH + 1))
		return false;
	NEED(ibv_post_send(flow->qp, &wr, &bad) == 0);
	return true;
}

static bool send_tcp(struct flow *flow)
{
	uint64_t now = now_ns();

	memcpy(flow->memory, &now, sizeof(now));
	NEED(send(flow->fd, flow->memory, MESSAGE, MSG_NOSIGNAL) == MESSAGE);
	return true;
}

static bool send_all(bool verbs, int port, size_t rounds, const char *to)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons((uint16_t)port) };
	struct flow *flow = &flows[0];
	size_t nr_sent = 0;
	uint64_t start;
	int on = 1;
	char end;

	NEED((flow->fd = socket(AF_INET, SOCK_STREAM, 0)) >= 0);
	NEED(inet_pton(AF_INET, to, &addr.sin_addr) == 1);
	NEED(connect(flow->fd, (void *)&addr, sizeof(addr)) == 0);
	NEED(setsockopt(flow->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ==
	     0);
	NEED(flow->memory = calloc(DEPTH, MESSAGE));
	if (verbs && !flow_connect(flow, false))
		return false;
	NEED(recv(flow->fd, &start, sizeof(start), MSG_WAITALL) ==
	     sizeof(start));
	for (size_t round = 0; round < rounds; round++) {
		sleep_until(start + round * PERIOD_NS);
		if (verbs ? !send_verbs(flow, round, &nr_sent)
			  : !send_tcp(flow))
			return false;
	}
	if (verbs && !wait_for_completions(&nr_sent, rounds))
		return false;
	/* until the receiver has all messages */
	NEED(recv(flow->fd, &end, 1, 0) == 0);
	return true;
}

int main(int argc, char **argv)
{
	bool verbs, ok;

	if (argc != 8)
		return 2;
	verbs = strcmp(argv[2], "verbs") == 0;
	gid_index = atoi(argv[5]);
	ok = !verbs || open_device(argv[4]);
	if (ok && strcmp(argv[1], "receive") == 0)
		ok = receive_all(verbs, atoi(argv[3]), (size_t)atoi(argv[6]),
				 atoi(argv[7]));
	else if (ok)
		ok = send_all(verbs, atoi(argv[3]), (size_t)atoi(argv[6]),
			      argv[7]);
	ok = ok && (!verbs || close_device());
	if (!ok)
		printf("FAIL %s: %s\n", argv[1], why);
	return !ok;
}
