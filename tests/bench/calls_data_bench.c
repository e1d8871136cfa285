/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that move data: calls_data_bench DEVICE GID_INDEX, started by
 * calls_bench.sh, makes each of them several times while callgrind counts its
 * instructions (calls_rig.h). Messages go from a queue pair to itself. A
 * polling call starts after all its completions have arrived, so that it never
 * waits.
 */
#include <infiniband/verbs.h>

#include "calls_rig.h"

static struct ibv_wc wcs[BURST];

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */
/* ------------------------------------------------------------------------ */

/* The two halves of memory: the source and the target of messages. */
static struct ibv_sge sge_to_send(void)
{
	return (struct ibv_sge){ (uintptr_t)memory, LEN, mr->lkey };
}

static struct ibv_sge sge_to_receive(void)
{
	return (struct ibv_sge){ (uintptr_t)memory + sizeof(memory) / 2,
				 LEN + GRH, mr->lkey };
}

static int post_recv(struct loop *loop)
{
	struct ibv_sge sge = sge_to_receive();
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (loop->srq)
		return ibv_post_srq_recv(loop->srq, &wr, &bad);
	return ibv_post_recv(loop->qp, &wr, &bad);
}

static void set_address(const struct loop *loop, struct ibv_send_wr *wr)
{
	if (loop != &ud)
		return;
	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = loop->qp->qp_num;
	wr->wr.ud.remote_qkey = QKEY;
}

/* A solicited message raises an event on arrival. */
static int post_send(struct loop *loop, unsigned int flags)
{
	struct ibv_sge sge = sge_to_send();
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | flags,
	};
	struct ibv_send_wr *bad;

	set_address(loop, &wr);
	return ibv_post_send(loop->qp, &wr, &bad);
}

/* The last of @nr outstanding messages raises an event. */
static void expect_messages(struct loop *loop, int nr)
{
	require_success(ibv_req_notify_cq(loop->recv_cq, 1), "req_notify_cq");
	for (int i = 0; i < nr; i++)
		require_success(post_recv(loop), "post_recv");
}

static void wait_for_event(struct loop *loop)
{
	struct ibv_cq *cq;
	void *context;

	require_success(ibv_get_cq_event(loop->channel, &cq, &context),
			"get_cq_event");
	ibv_ack_cq_events(cq, 1);
}

static void drain_cq(struct ibv_cq *cq, int nr)
{
	struct ibv_wc wc;

	while (nr > 0) {
		int found = ibv_poll_cq(cq, 1, &wc);

		if (found < 0 || (found && wc.status != IBV_WC_SUCCESS))
			die("a message was not delivered");
		nr -= found;
	}
}

static void send_burst(struct loop *loop, int nr)
{
	expect_messages(loop, nr);
	for (int i = 1; i <= nr; i++)
		require_success(
			post_send(loop, i == nr ? IBV_SEND_SOLICITED : 0),
			"post_send");
}

/* Waits until all completions are in recv_cq. */
static void deliver(struct loop *loop, int nr)
{
	send_burst(loop, nr);
	wait_for_event(loop);
	drain_cq(loop->send_cq, nr);
}

/* ------------------------------------------------------------------------ */
/* Posting                                                                   */
/* ------------------------------------------------------------------------ */

static void expect_one(void)
{
	expect_messages(&rc, 1);
}

static void drain_one(void)
{
	drain_cq(rc.send_cq, 1);
	drain_cq(rc.recv_cq, 1);
}

static void finish_one(void)
{
	wait_for_event(&rc);
	drain_one();
}

static int post_send_one(void)
{
	return post_send(&rc, IBV_SEND_SOLICITED);
}

static int post_send_inline(void)
{
	return post_send(&rc, IBV_SEND_SOLICITED | IBV_SEND_INLINE);
}

static int post_write(void)
{
	struct ibv_sge sge = sge_to_send();
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { sge_to_receive().addr, mr->rkey },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(rc.qp, &wr, &bad);
}

static void finish_write(void)
{
	drain_cq(rc.send_cq, 1);
}

static int post_send_gather(void)
{
	struct ibv_sge sges[4];
	struct ibv_send_wr wr = {
		.sg_list = sges,
		.num_sge = 4,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
	};
	struct ibv_send_wr *bad;

	for (int i = 0; i < 4; i++) {
		sges[i] = sge_to_send();
		sges[i].length /= 4;
	}
	return ibv_post_send(rc.qp, &wr, &bad);
}

static void expect_burst(void)
{
	expect_messages(&rc, BURST);
}

static void finish_burst(void)
{
	wait_for_event(&rc);
	drain_cq(rc.send_cq, BURST);
	drain_cq(rc.recv_cq, BURST);
}

static int post_send_burst(void)
{
	struct ibv_sge sge = sge_to_send();
	struct ibv_send_wr wrs[BURST];
	struct ibv_send_wr *bad;

	for (int i = 0; i < BURST; i++)
		wrs[i] = (struct ibv_send_wr){
			.next = &wrs[i + 1],
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED,
		};
	wrs[BURST - 1].next = NULL;
	wrs[BURST - 1].send_flags |= IBV_SEND_SOLICITED;
	return ibv_post_send(rc.qp, wrs, &bad);
}

static void expect_ud(void)
{
	expect_messages(&ud, 1);
}

static int post_send_ud(void)
{
	return post_send(&ud, IBV_SEND_SOLICITED);
}

static void finish_ud(void)
{
	wait_for_event(&ud);
	drain_cq(ud.send_cq, 1);
	drain_cq(ud.recv_cq, 1);
}

static void post_one_receive(void)
{
	expect_messages(&rc, 0);
}

static int post_recv_one(void)
{
	return post_recv(&rc);
}

static int post_recv_burst(void)
{
	struct ibv_sge sge = sge_to_receive();
	struct ibv_recv_wr wrs[BURST];
	struct ibv_recv_wr *bad;

	for (int i = 0; i < BURST; i++)
		wrs[i] = (struct ibv_recv_wr){
			.next = &wrs[i + 1],
			.sg_list = &sge,
			.num_sge = 1,
		};
	wrs[BURST - 1].next = NULL;
	return ibv_post_recv(rc.qp, wrs, &bad);
}

static void use_recv(void)
{
	require_success(post_send(&rc, IBV_SEND_SOLICITED), "post_send");
	finish_one();
}

static void use_recv_burst(void)
{
	for (int i = 0; i < BURST; i++) {
		use_recv();
		post_one_receive();
	}
}

static void arm_shared(void)
{
	expect_messages(&shared, 0);
}

static int post_srq_recv(void)
{
	return post_recv(&shared);
}

static void use_srq_recv(void)
{
	require_success(post_send(&shared, IBV_SEND_SOLICITED), "post_send");
	wait_for_event(&shared);
	drain_cq(shared.send_cq, 1);
	drain_cq(shared.recv_cq, 1);
}

static int wr_send(void)
{
	struct ibv_qp_ex *qpx = rc.qpx;

	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)memory, LEN);
	return ibv_wr_complete(qpx);
}

static int wr_send_inline(void)
{
	struct ibv_qp_ex *qpx = rc.qpx;

	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
			IBV_SEND_INLINE;
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, memory, LEN);
	return ibv_wr_complete(qpx);
}

static int wr_send_burst(void)
{
	struct ibv_qp_ex *qpx = rc.qpx;

	ibv_wr_start(qpx);
	for (int i = 1; i <= BURST; i++) {
		qpx->wr_id = 1;
		qpx->wr_flags = IBV_SEND_SIGNALED |
				(i == BURST ? IBV_SEND_SOLICITED : 0);
		ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)memory, LEN);
	}
	return ibv_wr_complete(qpx);
}

static int wr_write(void)
{
	struct ibv_qp_ex *qpx = rc.qpx;

	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, mr->rkey, sge_to_receive().addr);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)memory, LEN);
	return ibv_wr_complete(qpx);
}

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

static int poll_empty(void)
{
	return ibv_poll_cq(rc.recv_cq, BURST, wcs) != 0;
}

static void deliver_one(void)
{
	deliver(&rc, 1);
}

static void deliver_burst(void)
{
	deliver(&rc, BURST);
}

static int poll_one(void)
{
	return ibv_poll_cq(rc.recv_cq, 1, wcs) != 1;
}

static int poll_burst(void)
{
	return ibv_poll_cq(rc.recv_cq, BURST, wcs) != BURST;
}

static void read_wc(struct ibv_cq_ex *cq, struct ibv_wc *wc)
{
	wc->wr_id = cq->wr_id;
	wc->status = cq->status;
	wc->opcode = ibv_wc_read_opcode(cq);
	wc->byte_len = ibv_wc_read_byte_len(cq);
	wc->qp_num = ibv_wc_read_qp_num(cq);
	wc->wc_flags = ibv_wc_read_wc_flags(cq);
}

static int poll_ex(int nr)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cq = extended.recv_cq_ex;
	int found = 0;

	if (ibv_start_poll(cq, &attr))
		return -1;
	do {
		read_wc(cq, &wcs[found++]);
	} while (found < nr && !ibv_next_poll(cq));
	ibv_end_poll(cq);
	return found != nr;
}

static void deliver_one_ex(void)
{
	deliver(&extended, 1);
}

static void deliver_burst_ex(void)
{
	deliver(&extended, BURST);
}

static int poll_ex_empty(void)
{
	struct ibv_poll_cq_attr attr = {};

	return ibv_start_poll(extended.recv_cq_ex, &attr) != ENOENT;
}

static int poll_ex_one(void)
{
	return poll_ex(1);
}

static int poll_ex_burst(void)
{
	return poll_ex(BURST);
}

static int req_notify(void)
{
	return ibv_req_notify_cq(rc.recv_cq, 1);
}

static void send_one(void)
{
	send_burst(&rc, 1);
}

static int get_event(void)
{
	struct ibv_cq *cq;
	void *context;

	return ibv_get_cq_event(rc.channel, &cq, &context);
}

static void do_get_event(void)
{
	send_one();
	require_success(get_event(), "get_cq_event");
}

static int ack_event(void)
{
	ibv_ack_cq_events(rc.recv_cq, 1);
	return 0;
}

static void do_ack_event(void)
{
	(void)ack_event(); /* cannot fail */
	drain_one();
}

static const struct call calls[] = {
	{ "ibv_post_send", expect_one, post_send_one, finish_one },
	{ "ibv_post_send, inline", expect_one, post_send_inline, finish_one },
	{ "ibv_post_send, 4 buffers", expect_one, post_send_gather,
	  finish_one },
	{ "ibv_post_send, RDMA write", NULL, post_write, finish_write },
	{ "ibv_post_send, list of 16", expect_burst, post_send_burst,
	  finish_burst },
	{ "ibv_post_send, UD", expect_ud, post_send_ud, finish_ud },
	{ "ibv_wr_start..complete", expect_one, wr_send, finish_one },
	{ "ibv_wr_start..complete, inline", expect_one, wr_send_inline,
	  finish_one },
	{ "ibv_wr_start..complete, RDMA write", NULL, wr_write, finish_write },
	{ "ibv_wr_start..complete, 16", expect_burst, wr_send_burst,
	  finish_burst },
	{ "ibv_post_recv", post_one_receive, post_recv_one, use_recv },
	{ "ibv_post_recv, list of 16", post_one_receive, post_recv_burst,
	  use_recv_burst },
	{ "ibv_post_srq_recv", arm_shared, post_srq_recv, use_srq_recv },
	{ "ibv_poll_cq, empty", NULL, poll_empty, NULL },
	{ "ibv_poll_cq, 1", deliver_one, poll_one, NULL },
	{ "ibv_poll_cq, 16", deliver_burst, poll_burst, NULL },
	{ "ibv_start_poll, empty", NULL, poll_ex_empty, NULL },
	{ "ibv_start_poll..end_poll, 1", deliver_one_ex, poll_ex_one, NULL },
	{ "ibv_start_poll..end_poll, 16", deliver_burst_ex, poll_ex_burst,
	  NULL },
	{ "ibv_req_notify_cq", NULL, req_notify, NULL },
	{ "ibv_get_cq_event", send_one, get_event, do_ack_event },
	{ "ibv_ack_cq_events", do_get_event, ack_event, drain_one },
};

int main(int argc, char **argv)
{
	struct ibv_device **devices;

	if (argc != 3) {
		fprintf(stderr, "usage: calls_data_bench DEVICE GID_INDEX\n");
		return 2;
	}
	gid_index = atoi(argv[2]);
	devices = require_object(ibv_get_device_list(NULL), "list");
	rig_up(find_device(devices, argv[1]));
	ibv_free_device_list(devices);

	measure_all(calls, sizeof(calls) / sizeof(calls[0]));
	return 0;
}
