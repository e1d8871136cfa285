/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * operations DEVICE GID_INDEX [CHECK] - every data operation once, over RC, UC
 * and UD: arriving data and refused requests are checked.
 */
#define _GNU_SOURCE
#include "operations_pair.h"

/* -- RC, ibv_post_send() -- */

static bool rc_send_imm_inline(struct pair *p)
{
	return do_send(p, IBV_WR_SEND_WITH_IMM,
		       IBV_SEND_INLINE | IBV_SEND_SOLICITED);
}

static bool rc_rdma(struct pair *p)
{
	struct ibv_sge list = sge(from, 3000); /* three packets */
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &list,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)to },
	};

	wr.wr.rdma.rkey = mr->rkey;
	NEED(post(p->a, &wr) == 0);
	if (!sent(p, IBV_WC_RDMA_WRITE))
		return false;
	NEED(memcmp(to, from, 3000) == 0 && to[3000] == 't');

	memset(to, 'r', LEN);
	wr.opcode = IBV_WR_RDMA_READ;
	NEED(post(p->a, &wr) == 0);
	if (!sent(p, IBV_WC_RDMA_READ))
		return false;
	NEED(memcmp(to, from, 3000) == 0 && from[3000] == 'f');
	return true;
}

static bool rc_write_imm(struct pair *p)
{
	struct ibv_sge list = sge(from, 5);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_INLINE,
		.imm_data = htobe32(5),
		.sg_list = &list,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)to },
	};
	struct ibv_wc wc;

	wr.wr.rdma.rkey = mr->rkey;
	memset(to, 't', 100);
	NEED(post_recv(p, from + 100, 10) == 0);
	NEED(post(p->a, &wr) == 0);
	if (!sent_and_received(p, &wc))
		return false;
	NEED(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM);
	NEED(wc.byte_len == 5 && wc.imm_data == htobe32(5));
	NEED(memcmp(to, "ffffft", 6) == 0);
	return true;
}

static bool rc_atomics(struct pair *p)
{
	uint64_t *result = (void *)from, *word = (void *)to;
	struct ibv_sge list = sge(from, 8);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.sg_list = &list,
		.num_sge = 1,
		.wr.atomic = { .remote_addr = (uintptr_t)to, .compare_add = 5 },
	};

	wr.wr.atomic.rkey = mr->rkey;
	*word = 100;
	NEED(post(p->a, &wr) == 0);
	if (!sent(p, IBV_WC_FETCH_ADD))
		return false;
	NEED(*result == 100 && *word == 105);

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 105;
	wr.wr.atomic.swap = 7;
	NEED(post(p->a, &wr) == 0);
	if (!sent(p, IBV_WC_COMP_SWAP))
		return false;
	NEED(*result == 105 && *word == 7);
	NEED(post(p->a, &wr) == 0); /* the value does not match any more */
	if (!sent(p, IBV_WC_COMP_SWAP))
		return false;
	NEED(*result == 7 && *word == 7);
	return true;
}

static bool rc_many(struct pair *p)
{
	struct ibv_wc wc;

	for (int i = 0; i < 300; i++) {
		struct ibv_sge list = sge(from, 64);
		struct ibv_send_wr wr[3] = {
			{ .opcode = IBV_WR_SEND, .next = &wr[1] },
			{ .opcode = IBV_WR_SEND, .next = &wr[2] },
			{ .opcode = IBV_WR_SEND },
		};

		snprintf(from, 64, "message %d", i);
		for (int k = 0; k < 3; k++) {
			wr[k].sg_list = &list;
			wr[k].num_sge = 1;
			NEED(post_recv(p, to + k * 64, 64) == 0);
		}
		wr[2].send_flags = IBV_SEND_SIGNALED;
		NEED(post(p->a, &wr[2]) == 0);
		NEED(post_recv(p, to + 192, 64) == 0);
		NEED(ibv_post_send(p->a, wr, &(struct ibv_send_wr *){ NULL }) ==
		     0);
		for (int k = 0; k < 6; k++) {
			if (!complete(p, &wc))
				return false;
			NEED(wc.status == IBV_WC_SUCCESS);
		}
		for (int k = 0; k < 4; k++)
			NEED(strcmp(to + k * 64, from) == 0);
	}
	return quiet(p);
}

/* -- errors -- */

static bool full_queues(struct pair *p)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_recv_wr recv_wr = {};
	struct ibv_send_wr *bad;
	struct ibv_recv_wr *bad_recv;
	uint32_t nr = 0;

	/* no receive is posted, so no request leaves the queue */
	while (nr <= p->cap.max_send_wr && ibv_post_send(p->a, &wr, &bad) == 0)
		nr++;
	NEED(nr == p->cap.max_send_wr);
	bad = NULL;
	NEED(ibv_post_send(p->a, &wr, &bad) == ENOMEM && bad == &wr);
	nr = 0;
	while (nr <= p->cap.max_recv_wr &&
	       ibv_post_recv(p->a, &recv_wr, &bad_recv) == 0)
		nr++;
	NEED(nr == p->cap.max_recv_wr);
	NEED(ibv_post_recv(p->a, &recv_wr, &bad_recv) == ENOMEM);
	return true;
}

static bool bad_requests(struct pair *p)
{
	struct ibv_sge list[64] = {};
	struct ibv_send_wr wr[2] = {
		{ .opcode = IBV_WR_RDMA_WRITE,
		  .next = &wr[1],
		  .send_flags = IBV_SEND_SIGNALED,
		  .sg_list = list },
		{ .opcode = IBV_WR_SEND, .sg_list = list, .num_sge = 64 },
	};
	struct ibv_recv_wr recv_wr = { .sg_list = list, .num_sge = 64 };
	struct ibv_recv_wr *bad_recv;
	struct ibv_send_wr *bad = NULL;

	/* the first request is sent */
	NEED(ibv_post_send(p->a, wr, &bad) == EINVAL && bad == &wr[1]);
	if (!sent(p, IBV_WC_RDMA_WRITE))
		return false;
	wr[1].opcode = IBV_WR_TSO;
	wr[1].num_sge = 0;
	NEED(ibv_post_send(p->a, &wr[1], &bad) == EINVAL && bad == &wr[1]);
	wr[1].opcode = IBV_WR_SEND;
	wr[1].num_sge = 1;
	wr[1].send_flags = IBV_SEND_INLINE;
	list[0] = sge(from, p->cap.max_inline_data + 1);
	NEED(ibv_post_send(p->a, &wr[1], &bad) == EINVAL && bad == &wr[1]);
	NEED(ibv_post_recv(p->a, &recv_wr, &bad_recv) == EINVAL);
	NEED(bad_recv == &recv_wr);
	return quiet(p);
}

/* Later kernels (6.12) flush the queue before they report the error. */
static bool is_local_error(enum ibv_wc_status status)
{
	return status == IBV_WC_LOC_PROT_ERR ||
	       status == IBV_WC_LOC_QP_OP_ERR || status == IBV_WC_WR_FLUSH_ERR;
}

static bool wrong_key(struct pair *p)
{
	struct ibv_sge list = sge(from, 10);
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.opcode = IBV_WR_SEND,
		.sg_list = &list,
		.num_sge = 1,
	};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;

	list.lkey ^= 0x5500;
	NEED(post(p->a, &wr) == 0);
	if (!complete(p, &wc))
		return false;
	NEED(is_local_error(wc.status));
	NEED(wc.wr_id == 1 && wc.qp_num == p->a->qp_num);
	NEED(ibv_query_qp(p->a, &attr, IBV_QP_STATE, &init) == 0);
	NEED(attr.qp_state == IBV_QPS_ERR);
	wr.wr_id = 2;
	NEED(post(p->a, &wr) == 0); /* flushed */
	if (!complete(p, &wc))
		return false;
	NEED(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 2);

	/* and back */
	attr.qp_state = IBV_QPS_RESET;
	NEED(ibv_modify_qp(p->a, &attr, IBV_QP_STATE) == 0);
	NEED(ibv_modify_qp(p->b, &attr, IBV_QP_STATE) == 0);
	NEED(post(p->a, &wr) == EINVAL);
	return pair_connect(p) && rc_send(p);
}

static bool local_invalidate_of_nothing(struct pair *p)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = 0x12345678,
	};
	struct ibv_wc wc;

	NEED(post(p->a, &wr) == 0);
	if (!complete(p, &wc))
		return false;
	NEED(is_local_error(wc.status));
	return true;
}

/* -- ibv_wr_*() -- */

static bool wr_batch(struct pair *p)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(p->a);
	uint64_t *word = (void *)(to + 2048), *result = (void *)(from + 2048);
	struct ibv_data_buf bufs[2] = {
		{ .addr = "hello ", .length = 6 },
		{ .addr = "world", .length = 5 },
	};
	struct ibv_sge list[2] = { sge(from, 100), sge(from + 100, 100) };
	struct ibv_wc wc;

	NEED(qpx);
	*word = 10;
	NEED(post_recv(p, to + 1024, 100) == 0);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	qpx->wr_id = 1;
	ibv_wr_rdma_write(qpx, mr->rkey, (uintptr_t)to);
	ibv_wr_set_sge_list(qpx, 2, list);
	qpx->wr_id = 2;
	ibv_wr_atomic_fetch_add(qpx, mr->rkey, (uintptr_t)word, 3);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)result, 8);
	qpx->wr_id = 3;
	ibv_wr_rdma_read(qpx, mr->rkey, (uintptr_t)(to + 300));
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)(from + 300), 50);
	qpx->wr_id = 4;
	ibv_wr_send_imm(qpx, htobe32(44));
	ibv_wr_set_inline_data_list(qpx, 2, bufs);
	NEED(ibv_wr_complete(qpx) == 0);
	for (uint64_t seen = 0, want = 1; seen < 5; seen++) {
		if (!complete(p, &wc))
			return false;
		NEED(wc.status == IBV_WC_SUCCESS);
		if (wc.opcode & IBV_WC_RECV) {
			NEED(wc.byte_len == 11 && wc.imm_data == htobe32(44));
			continue;
		}
		NEED(wc.wr_id == want);
		want++;
	}
	NEED(memcmp(to, from, 200) == 0 && to[200] == 't');
	NEED(*word == 13 && *result == 10);
	NEED(from[300] == 't' && from[349] == 't' && from[350] == 'f');
	NEED(memcmp(to + 1024, "hello worldt", 12) == 0);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)from, 1);
	ibv_wr_abort(qpx);
	usleep(20000);
	return quiet(p) && rc_send(p); /* both APIs on one QP */
}

static bool refused_send_ops(struct pair *p)
{
	struct pair_args args = {
		.type = IBV_QPT_RC,
		.send_ops = IBV_QP_EX_WITH_TSO,
	};

	NEED(!qp_new(p, &args) && errno == EOPNOTSUPP);
	args.type = IBV_QPT_UD;
	args.send_ops = IBV_QP_EX_WITH_RDMA_WRITE;
	NEED(!qp_new(p, &args) && errno == EOPNOTSUPP);
	return true;
}

/* -- operations of newer kernels only -- */

#define CAP_FLUSH	 (1ULL << 38) /* of device_cap_flags_ex */
#define CAP_ATOMIC_WRITE (1ULL << 40)

/*
 * Makes A again with these operations. If the kernel lacks them they must be
 * refused, and the check ends.
 */
static bool renew_a(struct pair *p, uint64_t send_ops, uint64_t cap)
{
	const struct pair_args args = { .type = IBV_QPT_RC,
					.send_ops = send_ops };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	NEED(ibv_destroy_qp(p->a) == 0);
	p->a = qp_new(p, &args);
	if (!(device.device_cap_flags_ex & cap)) {
		NEED(!p->a && errno == EOPNOTSUPP);
		return skip_because("not in this kernel");
	}
	NEED(p->a);
	NEED(ibv_modify_qp(p->b, &attr, IBV_QP_STATE) == 0);
	return true;
}

static bool wr_atomic_write(struct pair *p)
{
	struct ibv_qp_ex *qpx;

	if (!renew_a(p, IBV_QP_EX_WITH_ATOMIC_WRITE, CAP_ATOMIC_WRITE))
		return false;
	if (skipped)
		return true;
	if (!pair_connect(p))
		return false;
	qpx = ibv_qp_to_qp_ex(p->a);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(qpx, mr->rkey, (uintptr_t)to, "12345678");
	NEED(ibv_wr_complete(qpx) == 0);
	if (!sent(p, IBV_WC_ATOMIC_WRITE))
		return false;
	NEED(memcmp(to, "12345678t", 9) == 0);
	return true;
}

static bool wr_flush(struct pair *p)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_FLUSH_GLOBAL;
	struct ibv_mr *flush_mr;
	struct ibv_qp_ex *qpx;
	bool ok;

	if (!renew_a(p, IBV_QP_EX_WITH_FLUSH, CAP_FLUSH))
		return false;
	if (skipped)
		return true;
	NEED(flush_mr = ibv_reg_mr(pd, to, LEN, access));
	qp_access |= IBV_ACCESS_FLUSH_GLOBAL;
	ok = pair_connect(p);
	qp_access &= ~IBV_ACCESS_FLUSH_GLOBAL;
	if (!ok)
		return false;
	qpx = ibv_qp_to_qp_ex(p->a);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_flush(qpx, flush_mr->rkey, (uintptr_t)to, 100, IBV_FLUSH_GLOBAL,
		     IBV_FLUSH_RANGE);
	NEED(ibv_wr_complete(qpx) == 0);
	ok = sent(p, IBV_WC_FLUSH);
	ibv_dereg_mr(flush_mr);
	return ok;
}

/* -- UC, UD -- */

static bool uc_traffic(struct pair *p)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ };

	NEED(post(p->a, &wr) == EINVAL);
	return do_send(p, IBV_WR_SEND_WITH_IMM, 0) && rc_write_imm(p);
}

static struct ibv_ah *ah_new(const union ibv_gid *dgid)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = *dgid, .hop_limit = 1 },
	};

	attr.grh.sgid_index = gid_index;
	return ibv_create_ah(pd, &attr);
}

static bool ud_arrived(struct pair *p, const char *text)
{
	struct ibv_wc wc;

	if (!sent_and_received(p, &wc))
		return false;
	NEED(wc.byte_len == 40 + strlen(text));
	NEED(wc.src_qp == p->a->qp_num);
	NEED(wc.wc_flags & IBV_WC_GRH);
	NEED(memcmp(to + 40, text, strlen(text)) == 0);
	return true;
}

static bool ud_traffic(struct pair *p)
{
	struct ibv_sge list = sge(from, 5);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.sg_list = &list,
		.num_sge = 1,
		.wr.ud = { .remote_qpn = p->b->qp_num, .remote_qkey = QKEY },
	};
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(p->a);
	struct ibv_ah *ah = ah_new(&gid);

	NEED(ah);
	NEED(post(p->a, &wr) == EINVAL); /* no address handle */
	wr.wr.ud.ah = ah;
	NEED(post_recv(p, to, 100) == 0);
	NEED(post(p->a, &wr) == 0);
	if (!ud_arrived(p, "fffff"))
		return false;

	NEED(post_recv(p, to, 100) == 0);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, p->b->qp_num, QKEY);
	ibv_wr_set_inline_data(qpx, "inline", 6);
	NEED(ibv_wr_complete(qpx) == 0);
	if (!ud_arrived(p, "inline"))
		return false;
	NEED(ibv_destroy_ah(ah) == 0);
	return true;
}

static const struct check checks[] = {
	{ "send", rc_send, { .type = IBV_QPT_RC } },
	{ "send with immediate, inline",
	  rc_send_imm_inline,
	  { .type = IBV_QPT_RC } },
	{ "write and read", rc_rdma, { .type = IBV_QPT_RC } },
	{ "write with immediate", rc_write_imm, { .type = IBV_QPT_RC } },
	{ "atomics", rc_atomics, { .type = IBV_QPT_RC } },
	{ "queues wrap many times",
	  rc_many,
	  { .type = IBV_QPT_RC, .depth = 5 } },
	{ "full queues", full_queues, { .type = IBV_QPT_RC } },
	{ "bad requests", bad_requests, { .type = IBV_QPT_RC } },
	{ "wrong key, flush, reset", wrong_key, { .type = IBV_QPT_RC } },
	{ "invalidate nothing",
	  local_invalidate_of_nothing,
	  { .type = IBV_QPT_RC } },
	{ "ibv_wr batch",
	  wr_batch,
	  { .type = IBV_QPT_RC, .send_ops = RC_OPS } },
	{ "refused ibv_wr operations",
	  refused_send_ops,
	  { .type = IBV_QPT_RC } },
	{ "atomic write", wr_atomic_write, { .type = IBV_QPT_RC } },
	{ "flush", wr_flush, { .type = IBV_QPT_RC } },
	{ "UC", uc_traffic, { .type = IBV_QPT_UC } },
	{ "UD",
	  ud_traffic,
	  { .type = IBV_QPT_UD, .send_ops = IBV_QP_EX_WITH_SEND } },
	{},
};

int main(int argc, char **argv)
{
	return run_checks(argc, argv, checks);
}
