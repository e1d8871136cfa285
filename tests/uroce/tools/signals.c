/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signals MILLISECONDS GID_INDEX - verbs in a signal handler.
 *
 * A timer interrupts the main thread, which calls verbs all the time, and the
 * handler posts to three queue pairs, polls and arms. The first queue pair is
 * posted to by the handler alone: a post succeeds or finds the queue full. The
 * main thread posts to the other two as well, to one with ibv_post_send() and
 * to the other with ibv_wr_*(): the handler may also get EBUSY. Everything that
 * was posted successfully completes once; nothing else does.
 */
#include "peer.h"

#include <signal.h>

#define DEPTH	    64
#define INTERVAL_NS 150000
#define HANG_S	    60
#define PAIRS	    3 /* handler; both; both with ibv_wr_*() */

enum caller { MAIN, HANDLER };

/* Each caller has its own counts, so that none is changed by two. */
struct counts {
	uint64_t posted[PAIRS], posted_sum[PAIRS];
	uint64_t completed[PAIRS], completed_sum[PAIRS];
	uint64_t receives[PAIRS], full, busy, armed;
};

static struct ibv_cq *cq;
static struct ibv_qp *qp[2 * PAIRS];
static struct ibv_mr *mr;
static struct peer_address address[2 * PAIRS];
static uint64_t memory[2 * PAIRS];
static struct counts counts[2];
static uint64_t next_id;
static volatile sig_atomic_t enabled;

static void fail(const char *text, int err)
{
	fprintf(stderr, "%s: %s\n", text, strerror(err));
	_exit(1);
}

static uint64_t total(const uint64_t *main_count, const uint64_t *handler_count)
{
	uint64_t sum = 0;

	for (int i = 0; i < PAIRS; i++)
		sum += main_count[i] + handler_count[i];
	return sum;
}

static int post_classic(struct ibv_qp *to, uint64_t id, int pair)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&id, .length = sizeof(id) };
	struct ibv_send_wr wr = {
		.wr_id = id,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = address[2 * pair + 1].addr,
			     .rkey = mr->rkey },
	};
	struct ibv_send_wr *bad = NULL;
	int err = ibv_post_send(to, &wr, &bad);

	if (err && bad != &wr)
		fail("bad_wr", err);
	return err;
}

/* The members of the QP belong to the section, which may be interrupted. */
static int post_extended(struct ibv_qp *to, uint64_t id, int pair)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(to);
	uint64_t old_id = qpx->wr_id;
	unsigned int old_flags = qpx->wr_flags;
	int err;

	ibv_wr_start(qpx);
	qpx->wr_id = id;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, mr->rkey, address[2 * pair + 1].addr);
	ibv_wr_set_inline_data(qpx, &id, sizeof(id));
	err = ibv_wr_complete(qpx);
	qpx->wr_id = old_id;
	qpx->wr_flags = old_flags;
	return err;
}

static void post(enum caller caller, int pair)
{
	struct counts *own = &counts[caller];
	uint64_t id = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
	int err;

	id = id * PAIRS + (uint64_t)pair;
	err = pair == 2 ? post_extended(qp[2 * pair], id, pair)
			: post_classic(qp[2 * pair], id, pair);
	if (!err) {
		own->posted[pair]++;
		own->posted_sum[pair] += id;
	} else if (err == ENOMEM) {
		own->full++;
	} else if (err == EBUSY && caller == HANDLER && pair != 0) {
		own->busy++;
	} else {
		fail("post", err);
	}
}

static void receive(enum caller caller, int pair)
{
	struct ibv_recv_wr wr = { .wr_id = UINT64_MAX };
	struct ibv_recv_wr *bad;
	int err = ibv_post_recv(qp[2 * pair], &wr, &bad);

	if (!err)
		counts[caller].receives[pair]++;
	else if (err != ENOMEM && (err != EBUSY || caller != HANDLER))
		fail("receive", err);
}

static void poll_some(enum caller caller)
{
	struct counts *own = &counts[caller];
	struct ibv_wc wc[8];
	int nr = ibv_poll_cq(cq, 8, wc);

	if (nr < 0)
		fail("poll", errno);
	for (int i = 0; i < nr; i++) {
		if (wc[i].status)
			fail(ibv_wc_status_str(wc[i].status), 0);
		own->completed[wc[i].wr_id % PAIRS]++;
		own->completed_sum[wc[i].wr_id % PAIRS] += wc[i].wr_id;
	}
}

static void arm(enum caller caller)
{
	int err = ibv_req_notify_cq(cq, 0);

	if (!err)
		counts[caller].armed++;
	else if (err != EBUSY || caller != HANDLER)
		fail("arm", err);
}

static void on_timer(int number)
{
	int saved = errno;

	if (!enabled)
		return;
	for (int pair = 0; pair < PAIRS; pair++)
		post(HANDLER, pair);
	receive(HANDLER, 1);
	poll_some(HANDLER);
	arm(HANDLER);
	errno = saved;
}

static void on_alarm(int number)
{
	static const char text[] = "hang\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(2);
}

static void control(void)
{
	struct ibv_cq *other = ibv_create_cq(peer_ctx, 16, NULL, NULL, 0);
	struct ibv_mr *region =
		ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);

	NEED(other && region);
	NEED(ibv_dereg_mr(region) == 0);
	NEED(ibv_destroy_cq(other) == 0);
}

static struct ibv_qp *extended_qp(void)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = sizeof(uint64_t) },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.pd = peer_pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = PEER_ACCESS };
	struct ibv_qp *new = ibv_create_qp_ex(peer_ctx, &init);

	NEED(new);
	NEED(ibv_modify_qp(new, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_ACCESS_FLAGS) == 0);
	return new;
}

static void connect_pairs(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(peer_ctx);

	NEED(channel);
	cq = ibv_create_cq(peer_ctx, 4 * PAIRS * DEPTH, NULL, channel, 0);
	mr = ibv_reg_mr(peer_pd, memory, sizeof(memory), PEER_ACCESS);
	NEED(cq && mr);
	for (int i = 0; i < 2 * PAIRS; i++) {
		qp[i] = extended_qp();
		address[i] = peer_address(qp[i], mr);
		address[i].addr = (uintptr_t)&memory[i];
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		peer_connect(qp[i], &address[i], &address[i ^ 1], 18, 7);
}

static void start_timer(void)
{
	struct sigaction action = { .sa_handler = on_timer,
				    .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR1 };
	struct itimerspec interval = {
		.it_interval.tv_nsec = INTERVAL_NS,
		.it_value.tv_nsec = INTERVAL_NS,
	};
	timer_t timer;

	NEED(signal(SIGALRM, on_alarm) != SIG_ERR);
	(void)alarm(HANG_S);
	NEED(sigaction(SIGUSR1, &action, NULL) == 0);
	NEED(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	NEED(timer_settime(timer, 0, &interval, NULL) == 0);
}

static void run(uint64_t until_us)
{
	enabled = 1;
	for (uint64_t i = 0; peer_now_us() < until_us; i++) {
		post(MAIN, 1);
		post(MAIN, 2);
		receive(MAIN, 1);
		poll_some(MAIN);
		if (i % 8 == 0)
			arm(MAIN);
		if (i % 64 == 0)
			control();
	}
	enabled = 0;
	while (total(counts[MAIN].completed, counts[HANDLER].completed) <
	       total(counts[MAIN].posted, counts[HANDLER].posted))
		poll_some(MAIN);
}

static void check(void)
{
	const struct counts *m = &counts[MAIN], *h = &counts[HANDLER];
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	uint64_t flushed = 0;
	struct ibv_wc wc;

	for (int i = 0; i < PAIRS; i++) {
		NEED(m->completed[i] + h->completed[i] ==
		     m->posted[i] + h->posted[i]);
		NEED(m->completed_sum[i] + h->completed_sum[i] ==
		     m->posted_sum[i] + h->posted_sum[i]);
	}
	NEED(h->posted[0] > 0);
	NEED(ibv_modify_qp(qp[2], &attr, IBV_QP_STATE) == 0);
	while (flushed < m->receives[1] + h->receives[1])
		if (ibv_poll_cq(cq, 1, &wc) == 1) {
			NEED(wc.status == IBV_WC_WR_FLUSH_ERR);
			flushed++;
		}
	NEED(ibv_poll_cq(cq, 1, &wc) == 0);
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	const struct counts *m = &counts[MAIN], *h = &counts[HANDLER];

	peer_open(argc > 2 ? atoi(argv[2]) : 1);
	connect_pairs();
	start_timer();
	run(peer_now_us() + ms * 1000);
	check();
	printf("posted: handler %lu %lu %lu, main %lu %lu; full %lu, busy %lu; "
	       "polled by handler %lu\n",
	       (unsigned long)h->posted[0], (unsigned long)h->posted[1],
	       (unsigned long)h->posted[2], (unsigned long)m->posted[1],
	       (unsigned long)m->posted[2], (unsigned long)(h->full + m->full),
	       (unsigned long)h->busy,
	       (unsigned long)total(h->completed, (uint64_t[PAIRS]){}));
	return 0;
}
