/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interop_cm_killed OWN_ADDRESS PORT VICTIM HOW [ADDRESS] - two processes send
 * to each other without a pause until one of them ends: VICTIM is "server" or
 * "client", and HOW is "kill", by SIGKILL, or "exit", without a disconnect. The
 * other one prints whether it has noticed: by DISCONNECTED, which must follow
 * an exit, or by a failed completion. Afterwards all its work requests must
 * complete.
 */
#include "interop_cm_end.h"

#include <signal.h>

#define SIZE 4096
/* Messages in each direction before the victim ends */
#define NR_MESSAGES 50

struct traffic {
	struct ibv_mr *mr;
	uint8_t *memory;
	int nr_posted;
	int nr_received;
	enum ibv_wc_status failed; /* of the first failed completion */
};

static bool traffic_post(struct end *end, struct traffic *traffic, bool is_send)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(traffic->memory + (is_send ? 0 : SIZE)),
		.length = SIZE,
		.lkey = traffic->mr->lkey,
	};
	struct ibv_send_wr send = { .wr_id = 1,
				    .sg_list = &sge,
				    .num_sge = 1,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED },
			   *bad_send;
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 }, *bad_recv;

	NEED((is_send ? ibv_post_send(end->id->qp, &send, &bad_send)
		      : ibv_post_recv(end->id->qp, &recv, &bad_recv)) == 0);
	traffic->nr_posted++;
	return true;
}

static bool traffic_prepare(struct end *end, struct traffic *traffic)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	NEED(rdma_create_qp(end->id, NULL, &attr) == 0);
	NEED(traffic->memory = calloc(2, SIZE));
	NEED(traffic->mr = ibv_reg_mr(end->id->pd, traffic->memory, 2 * SIZE,
				      IBV_ACCESS_LOCAL_WRITE));
	return traffic_post(end, traffic, false) &&
	       traffic_post(end, traffic, false);
}

static bool connect_ends(struct end *end, struct traffic *traffic)
{
	/* rxe retries without end if the number is 7. */
	struct rdma_conn_param param = { .retry_count = 6,
					 .rnr_retry_count = 6 };

	if (!end_begin(end, RDMA_PS_TCP) ||
	    (!end->is_active && !end_expect_request(end)) ||
	    !traffic_prepare(end, traffic))
		return false;
	NEED((end->is_active ? rdma_connect(end->id, &param)
			     : rdma_accept(end->id, &param)) == 0);
	return end_expect(end, RDMA_CM_EVENT_ESTABLISHED, 0) &&
	       wait_for_other();
}

/* Takes the completions of a CQ, and posts the work requests again. */
static bool traffic_poll(struct end *end, struct traffic *traffic,
			 struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int nr;

	while ((nr = ibv_poll_cq(cq, 1, &wc)) > 0) {
		traffic->nr_posted--;
		if (wc.status != IBV_WC_SUCCESS && !traffic->failed)
			traffic->failed = wc.status;
		if (traffic->failed)
			continue;
		traffic->nr_received += wc.wr_id == 0;
		if (!traffic_post(end, traffic, wc.wr_id == 1))
			return false;
	}
	NEED(nr == 0);
	return true;
}

static bool traffic_poll_both(struct end *end, struct traffic *traffic)
{
	return traffic_poll(end, traffic, end->id->send_cq) &&
	       traffic_poll(end, traffic, end->id->recv_cq);
}

/* Sends until the end of the victim. */
static bool traffic_run(struct end *end, struct traffic *traffic,
			const char *how, bool is_victim)
{
	struct pollfd fd = { .fd = end->channel->fd, .events = POLLIN };
	uint64_t limit = now_ms() + WAIT_MS;

	if (!traffic_post(end, traffic, true))
		return false;
	while (!traffic->failed && poll(&fd, 1, 0) == 0) {
		if (now_ms() > limit)
			FAIL("the end of the peer was not noticed");
		if (!traffic_poll_both(end, traffic))
			return false;
		if (!is_victim || traffic->nr_received < NR_MESSAGES)
			continue;
		if (strcmp(how, "kill") == 0)
			(void)raise(SIGKILL);
		exit(0);
	}
	return true;
}

/* After the disconnect, no work request stays posted. */
static bool traffic_flush(struct end *end, struct traffic *traffic)
{
	uint64_t limit = now_ms() + WAIT_MS;

	NEED(rdma_disconnect(end->id) == 0);
	if (!traffic->failed)
		traffic->failed = IBV_WC_WR_FLUSH_ERR;
	while (traffic->nr_posted > 0) {
		if (now_ms() > limit)
			FAIL("%d work requests are not flushed",
			     traffic->nr_posted);
		if (!traffic_poll_both(end, traffic))
			return false;
	}
	return true;
}

static bool survive(struct end *end, struct traffic *traffic, const char *how)
{
	if (!connect_ends(end, traffic) ||
	    !traffic_run(end, traffic, how, false))
		return false;
	if (traffic->failed)
		printf("noticed by %s\n", ibv_wc_status_str(traffic->failed));
	if (!traffic->failed || strcmp(how, "exit") == 0) {
		if (!end_expect(end, RDMA_CM_EVENT_DISCONNECTED, 0))
			return false;
		printf("noticed by DISCONNECTED\n");
	}
	return traffic_flush(end, traffic);
}

int main(int argc, char **argv)
{
	struct traffic traffic = {};
	struct end end = {};
	bool is_victim;

	if (argc < 5)
		return 2;
	end.is_active = argc > 5;
	is_victim = strcmp(argv[3], end.is_active ? "client" : "server") == 0;
	if (!set_own_address(argv[1]) ||
	    !find_other_end(atoi(argv[2]), end.is_active ? argv[5] : NULL)) {
		printf("FAIL open: %s\n", why);
		return 1;
	}
	if (is_victim && connect_ends(&end, &traffic))
		(void)traffic_run(&end, &traffic, argv[4], true);
	else if (!is_victim && survive(&end, &traffic, argv[4]))
		return 0;
	printf("FAIL: %s\n", why);
	return 1;
}
