/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * objects DEVICE GID_INDEX [CHECK] - objects used together with a queue pair:
 * memory windows, extended and resized CQs, completion events, SRQs, multicast
 * groups, memory regions.
 */
#define _GNU_SOURCE
#include "operations_pair.h"

/* -- memory windows -- */

/* A writes through the window; @good: whether that must succeed. */
static bool write_through(struct pair *p, uint32_t rkey, bool good)
{
	struct ibv_sge list = sge(from, 16);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &list,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)to, .rkey = rkey },
	};
	struct ibv_wc wc;

	memset(to, 't', 16);
	NEED(post(p->a, &wr) == 0);
	if (!complete(p, &wc))
		return false;
	if (good && wc.status != IBV_WC_SUCCESS)
		FAIL("%s", ibv_wc_status_str(wc.status));
	NEED(good || wc.status == IBV_WC_REM_ACCESS_ERR);
	NEED(memcmp(to, from, 16) == 0 || !good);
	return true;
}

static bool window_type_1(struct pair *p)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = mr,
			.addr = (uintptr_t)to,
			.length = 64,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		},
	};
	uint32_t old_rkey;

	NEED(mw);
	old_rkey = mw->rkey;
	NEED(ibv_bind_mw(p->b, mw, &bind) == 0);
	if (!sent(p, IBV_WC_BIND_MW))
		return false;
	NEED(mw->rkey != old_rkey);
	if (!write_through(p, mw->rkey, true))
		return false;
	bind.bind_info.length = 0; /* unbind */
	NEED(ibv_bind_mw(p->b, mw, &bind) == 0);
	if (!sent(p, IBV_WC_BIND_MW))
		return false;
	if (!write_through(p, mw->rkey, false))
		return false;
	NEED(ibv_dealloc_mw(mw) == 0);
	return true;
}

static bool bind_type_2(struct pair *p, struct ibv_mw *mw, uint32_t rkey,
			bool ex)
{
	struct ibv_mw_bind_info info = {
		.mr = mr,
		.addr = (uintptr_t)to,
		.length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = mw, .rkey = rkey, .bind_info = info },
	};
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(p->b);

	if (ex) {
		ibv_wr_start(qpx);
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_bind_mw(qpx, mw, rkey, &info);
		NEED(ibv_wr_complete(qpx) == 0);
	} else {
		NEED(post(p->b, &wr) == 0);
	}
	return sent(p, IBV_WC_BIND_MW);
}

static bool window_type_2(struct pair *p)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV };
	struct ibv_wc wc;
	uint32_t rkey;

	NEED(mw);
	rkey = ibv_inc_rkey(mw->rkey);
	if (!bind_type_2(p, mw, rkey, false) || !write_through(p, rkey, true))
		return false;
	NEED(ibv_dereg_mr(mr) != 0); /* a window is bound to it */

	wr.invalidate_rkey = rkey;
	NEED(post(p->b, &wr) == 0);
	if (!sent(p, IBV_WC_LOCAL_INV))
		return false;

	/* again with the next key, and with a remote invalidation */
	rkey = ibv_inc_rkey(rkey);
	if (!bind_type_2(p, mw, rkey, true) || !write_through(p, rkey, true))
		return false;
	wr.opcode = IBV_WR_SEND_WITH_INV;
	wr.invalidate_rkey = rkey;
	NEED(post_recv(p, to, 10) == 0);
	NEED(post(p->a, &wr) == 0);
	if (!sent_and_received(p, &wc))
		return false;
	NEED(wc.invalidated_rkey == rkey);
	if (!(wc.wc_flags & IBV_WC_WITH_INV))
		FAIL("flags of the completion are %#x", wc.wc_flags);
	if (!write_through(p, rkey, false))
		return false;
	NEED(ibv_dealloc_mw(mw) == 0);
	return true;
}

/* -- completion queues -- */

static bool extended_poll(struct pair *p)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_send_wr wr = { .wr_id = 5, .opcode = IBV_WR_SEND_WITH_IMM };
	int received = 0, nr = 0, err;

	NEED(ibv_start_poll(p->cq, &attr) == ENOENT);
	wr.imm_data = htobe32(9);
	for (int i = 0; i < 3; i++) {
		NEED(post_recv(p, to, 10) == 0);
		NEED(post(p->a, &wr) == 0);
	}
	for (int ms = 0; nr < 6 && ms < 60000; ms++) {
		err = ibv_start_poll(p->cq, &attr);
		if (err == ENOENT) {
			usleep(1000);
			continue;
		}
		NEED(err == 0);
		for (; err == 0; err = ibv_next_poll(p->cq)) {
			nr++;
			NEED(p->cq->status == IBV_WC_SUCCESS);
			if (!(ibv_wc_read_opcode(p->cq) & IBV_WC_RECV)) {
				NEED(p->cq->wr_id == 5);
				continue;
			}
			received++;
			NEED(p->cq->wr_id == 77);
			NEED(ibv_wc_read_imm_data(p->cq) == htobe32(9));
			NEED(ibv_wc_read_wc_flags(p->cq) & IBV_WC_WITH_IMM);
			NEED(ibv_wc_read_byte_len(p->cq) == 0);
			NEED(ibv_wc_read_qp_num(p->cq) == p->b->qp_num);
		}
		ibv_end_poll(p->cq);
	}
	NEED(nr == 6 && received == 3);
	return quiet(p);
}

static bool refused_cq(struct pair *p)
{
	(void)p;
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_EX_WITH_FLOW_TAG,
	};

	NEED(!ibv_create_cq_ex(ctx, &attr) && errno == EOPNOTSUPP);
	return true;
}

/* The completion generates an event, and stays in the CQ. */
static bool brings_event(struct pair *p, struct ibv_send_wr *wr)
{
	struct pollfd fd = { .fd = p->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *cq_context;

	NEED(ibv_req_notify_cq(ibv_cq_ex_to_cq(p->cq), 0) == 0);
	NEED(poll(&fd, 1, 0) == 0);
	NEED(post(p->a, wr) == 0);
	NEED(poll(&fd, 1, 60000) == 1);
	NEED(ibv_get_cq_event(p->channel, &cq, &cq_context) == 0);
	NEED(cq == ibv_cq_ex_to_cq(p->cq));
	ibv_ack_cq_events(cq, 1);
	return true;
}

static bool resized_cq(struct pair *p)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(p->cq);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_wc wc;

	/* with an event for each, so that all of them are in the CQ */
	for (wr.wr_id = 0; wr.wr_id < 6; wr.wr_id++)
		NEED(brings_event(p, &wr));
	if (!complete(p, &wc))
		return false;
	NEED(ibv_resize_cq(cq, 2) != 0); /* five are left */
	NEED(ibv_resize_cq(cq, 1000) == 0);
	NEED(cq->cqe >= 1000);
	NEED(post(p->a, &wr) == 0);
	for (uint64_t i = 1; i <= 6; i++) {
		if (!complete(p, &wc))
			return false;
		NEED(wc.wr_id == i);
	}
	return rc_send(p);
}

static bool completion_event(struct pair *p)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	return brings_event(p, &wr) && sent(p, IBV_WC_RDMA_WRITE);
}

/* -- SRQ, multicast -- */

static bool srq_traffic(struct pair *p)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };
	struct pollfd fd = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (!do_send(p, IBV_WR_SEND, 0))
		return false;
	NEED(post_recv(p, to, LEN) == 0);
	NEED(post_recv(p, to, LEN) == 0);
	NEED(ibv_modify_srq(p->srq, &attr, IBV_SRQ_LIMIT) == 0);
	attr = (struct ibv_srq_attr){};
	NEED(ibv_query_srq(p->srq, &attr) == 0 && attr.srq_limit == 3);
	if (!do_send(p, IBV_WR_SEND, 0))
		return false;
	NEED(poll(&fd, 1, 60000) == 1);
	NEED(ibv_get_async_event(ctx, &event) == 0);
	NEED(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED);
	NEED(event.element.srq == p->srq);
	ibv_ack_async_event(&event);

	/* two receives are left and must survive the resize */
	attr = (struct ibv_srq_attr){ .max_wr = 500 };
	NEED(ibv_modify_srq(p->srq, &attr, IBV_SRQ_MAX_WR) == 0);
	NEED(ibv_query_srq(p->srq, &attr) == 0 && attr.max_wr >= 500);
	for (int i = 0; i < 4; i++) {
		memset(to, 't', 100);
		if (!do_send(p, IBV_WR_SEND, 0))
			return false;
	}
	return true;
}

static bool multicast(struct pair *p)
{
	union ibv_gid group = { .raw = {
					0xff,
					0x0e,
					0,
					0,
					0,
					0,
					0,
					0,
					0,
					0,
					0xff,
					0xff,
					239,
					1,
					1,
					1,
				} };

	NEED(ibv_attach_mcast(p->b, &group, 0) == 0);
	NEED(ibv_destroy_qp(p->b) != 0);
	NEED(ibv_detach_mcast(p->b, &group, 0) == 0);
	NEED(ibv_detach_mcast(p->b, &group, 0) != 0);
	return true;
}

/* -- memory -- */

static bool memory(struct pair *p)
{
	(void)p;
	struct ibv_sge list = sge(from, 10);
	struct ibv_mr *other =
		ibv_reg_mr(pd, from, LEN, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *at_zero;
	int err;

	NEED(other);
	NEED(!ibv_reg_mr(pd, (void *)4096, LEN, 0)); /* not mapped */
	at_zero = ibv_reg_mr_iova(pd, from, LEN, 0, ACCESS);
	NEED(at_zero);
	NEED(ibv_dereg_mr(at_zero) == 0);
	err = ibv_rereg_mr(other, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	printf("note: ibv_rereg_mr: %d\n", err);
	err = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &list, 1);
	printf("note: ibv_advise_mr: %d\n", err);
	NEED(ibv_dereg_mr(other) == 0);
	return true;
}

static const struct check checks[] = {
	{ "window of type 1", window_type_1, { .type = IBV_QPT_RC } },
	{ "window of type 2",
	  window_type_2,
	  { .type = IBV_QPT_RC, .send_ops = RC_OPS } },
	{ "extended poll", extended_poll, { .type = IBV_QPT_RC } },
	{ "refused extended CQ", refused_cq, { .type = IBV_QPT_RC } },
	{ "resized CQ", resized_cq, { .type = IBV_QPT_RC } },
	{ "completion event", completion_event, { .type = IBV_QPT_RC } },
	{ "SRQ, limit, resize",
	  srq_traffic,
	  { .type = IBV_QPT_RC, .srq = true } },
	{ "multicast", multicast, { .type = IBV_QPT_UD } },
	{ "memory", memory, { .type = IBV_QPT_RC } },
	{},
};

int main(int argc, char **argv)
{
	return run_checks(argc, argv, checks);
}
