// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: work requests, completions and events of one end
 * in its process. Called by node_execute().
 */
#include "conform_call.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPIN_POLLS 2000 /* before a waiting end sleeps between its polls */

static const uint16_t node_ops[] = {
	[IBV_WR_RDMA_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
	[IBV_WR_SEND] = IBV_QP_EX_WITH_SEND,
	[IBV_WR_SEND_WITH_IMM] = IBV_QP_EX_WITH_SEND_WITH_IMM,
	[IBV_WR_RDMA_READ] = IBV_QP_EX_WITH_RDMA_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	[IBV_WR_LOCAL_INV] = IBV_QP_EX_WITH_LOCAL_INV,
	[IBV_WR_BIND_MW] = IBV_QP_EX_WITH_BIND_MW,
	[IBV_WR_SEND_WITH_INV] = IBV_QP_EX_WITH_SEND_WITH_INV,
	[IBV_WR_FLUSH] = IBV_QP_EX_WITH_FLUSH,
	[IBV_WR_ATOMIC_WRITE] = IBV_QP_EX_WITH_ATOMIC_WRITE,
};

/* -- ibv_wr_*() -- */

/* False: ibv_post_send() posts the list. */
static bool node_has_ops(const struct object *object, const struct call *call)
{
	const size_t known = sizeof(node_ops) / sizeof(node_ops[0]);

	if (!object->send_ops)
		return false;
	for (int i = 0; i < call->nr; i++) {
		uint32_t opcode = (uint32_t)call->work[i].work.opcode;

		if (opcode >= known || !(object->send_ops & node_ops[opcode]))
			return false;
	}
	return true;
}

static struct ibv_mw_bind_info node_bind_info(struct node *node,
					      const struct call_work *cw)
{
	/* The client has written the address into remote_addr. */
	return (struct ibv_mw_bind_info){
		.mr = node_ptr(node, cw->mr, OBJECT_MR),
		.addr = cw->work.remote_addr,
		.length = cw->work.bind_length,
		.mw_access_flags = cw->work.bind_access,
	};
}

static void node_wr_opcode(struct node *node, struct ibv_qp_ex *qp,
			   const struct call_work *cw)
{
	const struct work *work = &cw->work;
	struct ibv_mw_bind_info info;

	switch (work->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qp);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qp, htobe32(work->imm));
		break;
	case IBV_WR_SEND_WITH_INV:
		ibv_wr_send_inv(qp, work->imm);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qp, work->rkey, work->remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qp, work->rkey, work->remote_addr,
				      htobe32(work->imm));
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qp, work->rkey, work->remote_addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qp, work->rkey, work->remote_addr,
				      work->compare_add, work->swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qp, work->rkey, work->remote_addr,
					work->compare_add);
		break;
	case IBV_WR_ATOMIC_WRITE:
		ibv_wr_atomic_write(qp, work->rkey, work->remote_addr,
				    &work->compare_add);
		break;
	case IBV_WR_FLUSH:
		ibv_wr_flush(qp, work->rkey, work->remote_addr,
			     work->flush_length, work->flush_type,
			     work->flush_level);
		break;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(qp, work->imm);
		break;
	case IBV_WR_BIND_MW:
		info = node_bind_info(node, cw);
		ibv_wr_bind_mw(qp, node_ptr(node, cw->mw, OBJECT_MW),
			       work->bind_rkey, &info);
		break;
	default: /* node_has_ops() is false */
		break;
	}
}

static bool node_has_data(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_ATOMIC_WRITE:
	case IBV_WR_FLUSH:
	case IBV_WR_LOCAL_INV:
	case IBV_WR_BIND_MW:
		return false;
	default:
		return true;
	}
}

static void node_wr_data(struct ibv_qp_ex *qp, const struct work *work)
{
	struct ibv_data_buf bufs[CONFORM_MAX_WORK] = {};

	if (!(work->flags & IBV_SEND_INLINE)) {
		if (work->nr_sge == 1)
			ibv_wr_set_sge(qp, work->sge[0].lkey, work->sge[0].addr,
				       work->sge[0].length);
		else
			ibv_wr_set_sge_list(qp, (size_t)work->nr_sge,
					    work->sge);
		return;
	}
	for (int i = 0; i < work->nr_sge && i < CONFORM_MAX_SGE; i++) {
		bufs[i].addr = (void *)(uintptr_t)work->sge[i].addr;
		bufs[i].length = work->sge[i].length;
	}
	if (work->nr_sge == 1)
		ibv_wr_set_inline_data(qp, bufs[0].addr, bufs[0].length);
	else
		ibv_wr_set_inline_data_list(qp, (size_t)work->nr_sge, bufs);
}

static int node_wr_post(struct node *node, struct ibv_qp *qp,
			const struct call *call)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(qpx);
	for (int i = 0; i < call->nr; i++) {
		const struct call_work *cw = &call->work[i];

		qpx->wr_id = cw->work.wr_id;
		qpx->wr_flags = cw->work.flags & ~IBV_SEND_INLINE;
		if (!cw->work.unsignaled)
			qpx->wr_flags |= IBV_SEND_SIGNALED;
		node_wr_opcode(node, qpx, cw);
		if (qp->qp_type == IBV_QPT_UD)
			ibv_wr_set_ud_addr(
				qpx, node_ptr(node, cw->ah, OBJECT_AH),
				cw->work.remote_qpn, cw->work.remote_qkey);
		if (qp->qp_type == IBV_QPT_XRC_SEND)
			ibv_wr_set_xrc_srqn(qpx, cw->work.remote_srqn);
		if (node_has_data(cw->work.opcode))
			node_wr_data(qpx, &cw->work);
	}
	return ibv_wr_complete(qpx);
}

/* -- ibv_post_send(), ibv_post_recv() -- */

static void node_fill_wr(struct node *node, const struct ibv_qp *qp,
			 struct call_work *cw, struct ibv_send_wr *wr)
{
	struct work *work = &cw->work;

	*wr = (struct ibv_send_wr){
		.wr_id = work->wr_id,
		.sg_list = work->sge,
		.num_sge = work->nr_sge,
		.opcode = work->opcode,
		.send_flags = work->flags,
	};
	if (!work->unsignaled)
		wr->send_flags |= IBV_SEND_SIGNALED;
	if (qp->qp_type == IBV_QPT_XRC_SEND)
		wr->qp_type.xrc.remote_srqn = work->remote_srqn;
	switch (work->opcode) {
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		wr->invalidate_rkey = work->imm;
		break;
	case IBV_WR_BIND_MW:
		wr->bind_mw.mw = node_ptr(node, cw->mw, OBJECT_MW);
		wr->bind_mw.rkey = work->bind_rkey;
		wr->bind_mw.bind_info = node_bind_info(node, cw);
		return;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wr->wr.atomic.remote_addr = work->remote_addr;
		wr->wr.atomic.rkey = work->rkey;
		wr->wr.atomic.compare_add = work->compare_add;
		wr->wr.atomic.swap = work->swap;
		return;
	case IBV_WR_ATOMIC_WRITE: /* from any memory, as inline data */
		work->sge[0] = (struct ibv_sge){
			.addr = (uintptr_t)&work->compare_add,
			.length = sizeof(work->compare_add),
		};
		wr->num_sge = 1;
		wr->send_flags |= IBV_SEND_INLINE;
		break;
	default:
		wr->imm_data = htobe32(work->imm);
		break;
	}
	if (qp->qp_type == IBV_QPT_UD) {
		wr->wr.ud.ah = node_ptr(node, cw->ah, OBJECT_AH);
		wr->wr.ud.remote_qpn = work->remote_qpn;
		wr->wr.ud.remote_qkey = work->remote_qkey;
	} else {
		wr->wr.rdma.remote_addr = work->remote_addr;
		wr->wr.rdma.rkey = work->rkey;
	}
}

static void node_post_list(struct node *node, struct ibv_qp *qp,
			   const struct call *call, struct reply *reply)
{
	static struct call_work works[CONFORM_MAX_WORK];
	struct ibv_send_wr wr[CONFORM_MAX_WORK], *bad = NULL;

	for (int i = 0; i < call->nr; i++) {
		works[i] = call->work[i];
		node_fill_wr(node, qp, &works[i], &wr[i]);
		if (i)
			wr[i - 1].next = &wr[i];
	}
	reply->error = ibv_post_send(qp, wr, &bad);
	reply->nr = bad ? (int)(bad - wr) : -1;
}

void node_post_send(struct node *node, const struct call *call,
		    struct reply *reply)
{
	struct object *object = node_object(node, call->object, OBJECT_QP);

	if (!object || call->nr < 1) {
		reply->error = EBADF;
	} else if (node_has_ops(object, call)) {
		reply->error = node_wr_post(node, object->ptr, call);
		reply->nr = -1;
	} else {
		node_post_list(node, object->ptr, call, reply);
	}
	/* A negative result would be an error of the provider. */
	if (reply->error < 0)
		reply->error = EPROTO;
}

void node_post_recv(struct node *node, const struct call *call,
		    struct reply *reply)
{
	struct ibv_qp *qp = node_ptr(node, call->object, OBJECT_QP);
	struct ibv_srq *srq = node_ptr(node, call->object, OBJECT_SRQ);
	struct ibv_sge sge[CONFORM_MAX_WORK];
	struct ibv_recv_wr *bad = NULL, wr = {
		.wr_id = call->wr_id,
		.sg_list = sge,
		.num_sge = call->nr,
	};

	if (call->nr)
		memcpy(sge, call->sge, (size_t)call->nr * sizeof(sge[0]));
	if (srq)
		reply->error = ibv_post_srq_recv(srq, &wr, &bad);
	else if (qp)
		reply->error = ibv_post_recv(qp, &wr, &bad);
	else
		reply->error = EBADF;
	if (reply->error < 0 || ((qp || srq) && reply->error && bad != &wr))
		reply->error = EPROTO;
}

/* -- completions -- */

/* Keeps completions of a CQ for the next CALL_CQ_POLL. */
static void node_keep_cq(struct object *object)
{
	int nr = 1;

	while (nr > 0) {
		if (object->kept_nr + CALL_MAX_WC > object->kept_size) {
			int size = 2 * object->kept_size + CALL_MAX_WC;
			void *kept =
				realloc(object->kept,
					(size_t)size * sizeof(struct ibv_wc));

			if (!kept)
				abort();
			object->kept = kept;
			object->kept_size = size;
		}
		nr = ibv_poll_cq(object->ptr, CALL_MAX_WC,
				 object->kept + object->kept_nr);
		if (nr > 0)
			object->kept_nr += nr;
	}
}

void node_keep(struct node *node)
{
	for (int i = 0; i < node->nr_objects; i++) {
		if (node->object[i].kind == OBJECT_CQ &&
		    !node->object[i].has_channel && !node->object[i].wc_flags)
			node_keep_cq(&node->object[i]);
	}
}

static int node_take_kept(struct object *object, struct ibv_wc *wc, int nr)
{
	if (nr > object->kept_nr)
		nr = object->kept_nr;
	if (!nr)
		return 0;
	memcpy(wc, object->kept, (size_t)nr * sizeof(*wc));
	object->kept_nr -= nr;
	memmove(object->kept, object->kept + nr,
		(size_t)object->kept_nr * sizeof(*wc));
	return nr;
}

uint64_t node_deadline(int ms)
{
	return conform_now_ns() + (uint64_t)ms * 1000000;
}

int node_ms_left(uint64_t end)
{
	uint64_t now = conform_now_ns();

	return now < end ? (int)((end - now) / 1000000 + 1) : 0;
}

/* Lets other processes run; sleeps once the wait is long. */
void node_pause(unsigned int polls)
{
	if (polls < SPIN_POLLS)
		sched_yield();
	else
		usleep(50);
}

void node_cq_poll(struct node *node, const struct call *call,
		  struct reply *reply)
{
	struct object *object = node_object(node, call->object, OBJECT_CQ);
	uint64_t end = node_deadline(call->ms);
	bool is_last = false;

	if (!object || call->nr < 0 || call->nr > CALL_MAX_WC) {
		reply->error = EBADF;
		return;
	}
	reply->nr = node_take_kept(object, reply->wc, call->nr);
	for (unsigned int polls = 0; reply->nr == 0; polls++) {
		reply->nr = ibv_poll_cq(object->ptr, call->nr, reply->wc);
		if (reply->nr || is_last)
			break;
		node_pause(polls);
		/* One more poll, however long the pause was. */
		is_last = conform_now_ns() >= end;
	}
	if (reply->nr < 0)
		reply->error = EPROTO;
}

/* -- events -- */

/*
 * Waits until a descriptor can be read. Meanwhile, a server that polls
 * (--poll) polls its CQs.
 */
static void node_wait_fd(struct node *node, int fd, uint64_t end)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	bool keeps = conform_options.poll && node != end_client();
	int ms = node_ms_left(end);

	while (keeps && ms > 0) {
		node_keep(node);
		if (poll(&pollfd, 1, 0) > 0)
			return;
		sched_yield();
		ms = node_ms_left(end);
	}
	if (ms > 0)
		(void)poll(&pollfd, 1, ms);
}

void node_cq_event(struct node *node, const struct call *call,
		   struct reply *reply)
{
	struct ibv_comp_channel *channel =
		node_ptr(node, call->channel, OBJECT_CHANNEL);
	uint64_t end = node_deadline(call->ms);
	struct ibv_cq *cq;
	void *context;

	if (!channel) {
		reply->error = EBADF;
		return;
	}
	while (ibv_get_cq_event(channel, &cq, &context)) {
		/* EAGAIN: the descriptor does not block. */
		if (errno != EAGAIN)
			reply->error = errno;
		if (errno != EAGAIN || node_ms_left(end) == 0)
			return;
		node_wait_fd(node, channel->fd, end);
	}
	if (!call->flag)
		ibv_ack_cq_events(cq, 1);
	reply->nr = 1;
	reply->object = (int)(intptr_t)context;
}

static void *node_event_context(const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return event->element.cq->cq_context;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return event->element.srq->srq_context;
	default:
		return event->element.qp->qp_context;
	}
}

/* Ports and GIDs may change for reasons that have nothing to do with a test. */
static bool node_event_has_object(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return true;
	default:
		return false;
	}
}

void node_async_event(struct node *node, const struct call *call,
		      struct reply *reply)
{
	uint64_t end = node_deadline(call->ms);
	struct ibv_async_event event;

	for (;;) {
		if (ibv_get_async_event(node->ctx, &event) == 0) {
			bool found = node_event_has_object(event.event_type);

			reply->type = (int)event.event_type;
			if (found)
				reply->object =
					(int)(intptr_t)node_event_context(
						&event);
			ibv_ack_async_event(&event);
			if (!found)
				continue;
			reply->nr = 1;
			return;
		}
		if (errno != EAGAIN)
			reply->error = errno;
		if (errno != EAGAIN || node_ms_left(end) == 0)
			return;
		node_wait_fd(node, node->ctx->async_fd, end);
	}
}

void node_forget_events(struct node *node)
{
	struct ibv_async_event event;

	while (ibv_get_async_event(node->ctx, &event) == 0)
		ibv_ack_async_event(&event);
}
