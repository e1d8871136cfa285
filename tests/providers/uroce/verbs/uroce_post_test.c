/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_post_*() and ibv_poll_cq(), from one QP of the device to another:
 * verbs/uroce_{post,send,cq}.c.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <string.h>

#define ALL_ACCESS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

#define GRH 40

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq, *peer_cq;
static struct ibv_qp *qp, *peer;
static struct ibv_mr *mr;
static _Alignas(8) uint8_t from[8192], to[8192];
static struct ibv_mr *to_mr;

static void connect_pair(enum ibv_qp_type type)
{
	qp = new_qp(pd, cq, type, NULL);
	peer = new_qp(pd, peer_cq, type, NULL);
	connect_qp(qp, peer);
	connect_qp(peer, qp);
}

static int setup(void **state)
{
	ctx = fake_worker_context();
	pd = new_pd(ctx);
	cq = new_cq(ctx, 32, NULL);
	peer_cq = new_cq(ctx, 32, NULL);
	mr = new_mr(pd, from, sizeof(from), ALL_ACCESS);
	to_mr = new_mr(pd, to, sizeof(to), ALL_ACCESS);
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + 1);
	memset(to, 0, sizeof(to));
	return 0;
}

static void dereg(struct ibv_mr *region)
{
	assert_int_equal(uroce_dereg_mr(verbs_container_of(
				 region, struct verbs_mr, ibv_mr)),
			 0);
}

static int teardown(void **state)
{
	if (qp)
		assert_int_equal(uroce_destroy_qp(qp), 0);
	if (peer)
		assert_int_equal(uroce_destroy_qp(peer), 0);
	qp = peer = NULL;
	dereg(mr);
	dereg(to_mr);
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(uroce_destroy_cq(peer_cq), 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

static int setup_rc(void **state)
{
	(void)setup(state);
	connect_pair(IBV_QPT_RC);
	return 0;
}

static int setup_uc(void **state)
{
	(void)setup(state);
	connect_pair(IBV_QPT_UC);
	return 0;
}

static int setup_ud(void **state)
{
	(void)setup(state);
	connect_pair(IBV_QPT_UD);
	return 0;
}

static struct ibv_sge piece(const uint8_t *addr, uint32_t length)
{
	const bool is_from = addr >= from && addr < from + sizeof(from);

	return (struct ibv_sge){ (uintptr_t)addr, length,
				 is_from ? mr->lkey : to_mr->lkey };
}

static void post_recv(uint64_t wr_id, uint8_t *addr, uint32_t length)
{
	struct ibv_sge sge = piece(addr, length);
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1 },
			   *bad;

	assert_int_equal(uroce_post_recv(peer, &wr, &bad), 0);
}

static int post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int err = uroce_post_send(qp, wr, &bad);

	if (err)
		assert_ptr_equal(bad, wr);
	else
		assert_null(bad);
	return err;
}

/* A signaled work request with one SGE. */
static struct ibv_send_wr request(enum ibv_wr_opcode opcode,
				  struct ibv_sge *sge)
{
	return (struct ibv_send_wr){
		.wr_id = 77,
		.sg_list = sge,
		.num_sge = sge ? 1 : 0,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};
}

static void assert_sent(enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = poll_one(cq);

	assert_int_equal(wc.wr_id, 77);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, opcode);
	assert_int_equal(wc.qp_num, qp->qp_num);
	assert_no_completion(cq);
}

/* -- successful transfers -- */

static void uroce_post_send_message_arrives(void **state)
{
	struct ibv_sge sge = piece(from, 3000); /* three packets */
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);
	struct ibv_wc wc;

	post_recv(5, to, 4000);
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_SEND);
	wc = poll_one(peer_cq);
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.byte_len, 3000);
	assert_int_equal(wc.qp_num, peer->qp_num);
	assert_int_equal(wc.wc_flags, 0);
	assert_memory_equal(to, from, 3000);
}

static void uroce_post_send_gathers_and_scatters_sges(void **state)
{
	struct ibv_sge sges[3] = { piece(from, 10), piece(from + 100, 0),
				   piece(from + 50, 20) };
	struct ibv_sge into[2] = { piece(to, 15), piece(to + 100, 100) };
	struct ibv_recv_wr recv = { .sg_list = into, .num_sge = 2 }, *bad;
	struct ibv_send_wr wr = request(IBV_WR_SEND, sges);

	wr.num_sge = 3;
	assert_int_equal(uroce_post_recv(peer, &recv, &bad), 0);
	assert_int_equal(post(&wr), 0);
	assert_int_equal(poll_one(peer_cq).byte_len, 30);
	assert_memory_equal(to, from, 10);
	assert_memory_equal(to + 10, from + 50, 5);
	assert_memory_equal(to + 100, from + 55, 15);
}

/* The memory may change as soon as the call has returned; no lkey is needed. */
static void uroce_post_send_inline_copies_data_at_once(void **state)
{
	uint8_t own[64], copy[64];
	struct ibv_sge sges[2] = { { (uintptr_t)own, 30, 0 },
				   { (uintptr_t)own + 30, 34, 0 } };
	struct ibv_send_wr wr = request(IBV_WR_SEND, sges);

	memset(own, 9, sizeof(own));
	memcpy(copy, own, sizeof(own));
	wr.num_sge = 2;
	wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(post(&wr), 0); /* no receive is posted yet */
	memset(own, 0, sizeof(own));
	post_recv(1, to, 64);
	fake_worker_pass(
		UINT64_C(1000000000)); /* retransmitted after the RNR NAK */
	assert_int_equal(poll_one(peer_cq).byte_len, 64);
	assert_memory_equal(to, copy, 64);
	assert_sent(IBV_WC_SEND);
}

static void uroce_post_send_imm_and_invalidate_arrive(void **state)
{
	struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_IMM, NULL);
	struct ibv_wc wc;

	wr.imm_data = 0x11223344;
	post_recv(1, to, 0);
	assert_int_equal(post(&wr), 0);
	wc = poll_one(peer_cq);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_IMM);
	assert_int_equal(wc.imm_data, 0x11223344);
}

static void uroce_post_send_write_and_read_access_peer_memory(void **state)
{
	struct ibv_sge sge = piece(from, 2000);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge);

	wr.wr.rdma.remote_addr = (uintptr_t)to + 8;
	wr.wr.rdma.rkey = to_mr->rkey;
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_RDMA_WRITE);
	assert_memory_equal(to + 8, from, 2000);
	assert_no_completion(peer_cq);

	to[8] = 200;
	wr.opcode = IBV_WR_RDMA_READ;
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_RDMA_READ);
	assert_int_equal(from[0], 200);
}

static void uroce_post_send_write_imm_consumes_receive(void **state)
{
	struct ibv_sge sge = piece(from, 100);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE_WITH_IMM, &sge);
	struct ibv_wc wc;

	post_recv(4, to, 0);
	wr.wr.rdma.remote_addr = (uintptr_t)to;
	wr.wr.rdma.rkey = to_mr->rkey;
	wr.imm_data = 5;
	assert_int_equal(post(&wr), 0);
	wc = poll_one(peer_cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.imm_data, 5);
	assert_int_equal(wc.byte_len, 100);
	assert_memory_equal(to, from, 100);
}

static uint64_t word(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void set_word(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void uroce_post_send_atomics_return_old_value(void **state)
{
	struct ibv_sge sge = piece(from, 8);
	struct ibv_send_wr wr = request(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);

	set_word(to, 10);
	wr.wr.atomic.remote_addr = (uintptr_t)to;
	wr.wr.atomic.rkey = to_mr->rkey;
	wr.wr.atomic.compare_add = 5;
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_FETCH_ADD);
	assert_int_equal(word(from), 10);
	assert_int_equal(word(to), 15);

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 15;
	wr.wr.atomic.swap = 99;
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_COMP_SWAP);
	assert_int_equal(word(from), 15);
	assert_int_equal(word(to), 99);
}

static void uroce_post_send_atomic_write_stores_value(void **state)
{
	struct ibv_sge sge = piece(from, 8);
	struct ibv_send_wr wr = request(IBV_WR_ATOMIC_WRITE, &sge);

	wr.wr.rdma.remote_addr = (uintptr_t)to;
	wr.wr.rdma.rkey = to_mr->rkey;
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_ATOMIC_WRITE);
	assert_memory_equal(to, from, 8);
}

static void uroce_post_send_unsignaled_raises_no_completion(void **state)
{
	struct ibv_sge sge = piece(from, 10);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);

	wr.send_flags = 0;
	post_recv(1, to, 10);
	assert_int_equal(post(&wr), 0);
	assert_int_equal(poll_one(peer_cq).byte_len, 10);
	assert_no_completion(cq);
}

static void uroce_post_send_uc_message_arrives(void **state)
{
	struct ibv_sge sge = piece(from, 700);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);

	post_recv(5, to, 800);
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_SEND);
	assert_int_equal(poll_one(peer_cq).byte_len, 700);
	assert_memory_equal(to, from, 700);
}

static void uroce_post_send_datagram_follows_grh(void **state)
{
	struct ibv_sge sge = piece(from, 1000);
	struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_IMM, &sge);
	struct ibv_ah *ah = new_ah(pd);
	struct ibv_wc wc;

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = peer->qp_num;
	wr.wr.ud.remote_qkey = 0x1234;
	wr.imm_data = 3;
	post_recv(6, to, 2000);
	assert_int_equal(post(&wr), 0);
	assert_sent(IBV_WC_SEND);
	wc = poll_one(peer_cq);
	assert_int_equal(wc.byte_len, GRH + 1000);
	assert_int_equal(wc.src_qp, qp->qp_num);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
	assert_int_equal(wc.sl, 10);
	assert_int_equal(to[20], 0x45); /* an IPv4 header */
	assert_memory_equal(to + GRH, from, 1000);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

static void uroce_post_send_datagram_without_ah_returns_einval(void **state)
{
	struct ibv_send_wr wr = request(IBV_WR_SEND, NULL);

	assert_int_equal(post(&wr), EINVAL);
}

/* -- rejected work requests -- */

static void uroce_post_send_before_rts_returns_einval(void **state)
{
	struct ibv_send_wr wr = request(IBV_WR_SEND, NULL);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post(&wr), EINVAL);
	assert_int_equal(fake_worker.nr_posts, 0);
}

static void uroce_post_recv_in_reset_returns_einval(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_recv_wr wr = {}, *bad = NULL;

	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(uroce_post_recv(qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
}

static void uroce_post_send_invalid_wr_returns_einval(void **state)
{
	struct ibv_sge sges[5] = { piece(from, 65) };
	struct ibv_send_wr wr = request(IBV_WR_SEND, sges);

	wr.num_sge = 5;
	assert_int_equal(post(&wr), EINVAL);
	wr.num_sge = -1;
	assert_int_equal(post(&wr), EINVAL);
	wr = request(IBV_WR_SEND, sges);
	wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(post(&wr), EINVAL); /* 65 bytes */
	wr = request(IBV_WR_RDMA_READ, sges);
	wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(post(&wr), EINVAL);
	wr = request(IBV_WR_TSO, sges);
	assert_int_equal(post(&wr), EINVAL);
	wr = request(IBV_WR_FLUSH, sges); /* ibv_wr_flush() only */
	assert_int_equal(post(&wr), EINVAL);
	wr = request((enum ibv_wr_opcode)200, sges);
	assert_int_equal(post(&wr), EINVAL);
	sges[0].length = sges[1].length = UINT32_MAX;
	wr = request(IBV_WR_SEND, sges);
	wr.num_sge = 2;
	assert_int_equal(post(&wr), EINVAL);
	assert_int_equal(uroce_ring_used(&to_uroce_qp(qp)->qp->sq), 0);
}

/* No QP has the offload. */
static void uroce_post_send_ip_csum_returns_einval(void **state)
{
	struct ibv_sge sge = piece(from, 8);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);

	wr.send_flags |= IBV_SEND_IP_CSUM;
	assert_int_equal(post(&wr), EINVAL);
	assert_int_equal(uroce_ring_used(&to_uroce_qp(qp)->qp->sq), 0);
}

static void uroce_post_send_uc_read_returns_einval(void **state)
{
	struct ibv_sge sge = piece(from, 8);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_READ, &sge);

	assert_int_equal(post(&wr), EINVAL);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	assert_int_equal(post(&wr), EINVAL);
	wr.opcode = IBV_WR_SEND_WITH_INV;
	assert_int_equal(post(&wr), EINVAL);
}

static void uroce_post_send_list_posts_wrs_before_bad_wr(void **state)
{
	struct ibv_sge sge = piece(from, 10);
	struct ibv_send_wr last = request(IBV_WR_SEND, &sge);
	struct ibv_send_wr bad_one = request(IBV_WR_TSO, &sge);
	struct ibv_send_wr first = request(IBV_WR_SEND, &sge);
	struct ibv_send_wr *bad = NULL;

	first.next = &bad_one;
	bad_one.next = &last;
	post_recv(1, to, 10);
	post_recv(2, to, 10);
	assert_int_equal(uroce_post_send(qp, &first, &bad), EINVAL);
	assert_ptr_equal(bad, &bad_one);
	assert_sent(IBV_WC_SEND);
	assert_int_equal(poll_one(peer_cq).wr_id, 1);
	assert_no_completion(peer_cq);
}

static void uroce_post_full_queue_returns_enomem(void **state)
{
	struct ibv_send_wr wr = request(IBV_WR_SEND, NULL);
	struct ibv_recv_wr recv = {}, *bad;

	for (int i = 0; i < 8; i++)
		assert_int_equal(post(&wr), 0); /* no receive is posted */
	assert_int_equal(post(&wr), ENOMEM);
	for (int i = 0; i < 8; i++)
		assert_int_equal(uroce_post_recv(qp, &recv, &bad), 0);
	assert_int_equal(uroce_post_recv(qp, &recv, &bad), ENOMEM);
	assert_ptr_equal(bad, &recv);
}

static void uroce_post_recv_bad_num_sge_returns_einval(void **state)
{
	struct ibv_sge sges[5] = {};
	struct ibv_recv_wr wr = { .sg_list = sges, .num_sge = 5 }, *bad = NULL;

	assert_int_equal(uroce_post_recv(qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	wr.num_sge = -1;
	assert_int_equal(uroce_post_recv(qp, &wr, &bad), EINVAL);
}

static void uroce_post_in_err_completes_flushed(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_send_wr wr = request(IBV_WR_SEND, NULL);
	struct ibv_recv_wr recv = { .wr_id = 9 }, *bad;

	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post(&wr), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(uroce_post_recv(qp, &recv, &bad), 0);
	assert_int_equal(poll_one(cq).wr_id, 9);
}

/* Half of the completions belong to the peer, which keeps them. */
static void uroce_reset_and_destroy_qp_purge_completions(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = request(IBV_WR_SEND, NULL);

	post_recv(1, to, 10);
	post_recv(2, to, 10);
	for (int i = 0; i < 2; i++)
		assert_int_equal(post(&wr), 0);
	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_no_completion(cq);
	assert_int_equal(poll_one(peer_cq).wr_id, 1);
	connect_qp(qp, peer);
	assert_no_completion(cq);
	assert_int_equal(poll_one(peer_cq).wr_id, 2);

	attr.qp_state = IBV_QPS_ERR;
	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(post(&wr), 0);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_no_completion(cq);
	qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
}

static void uroce_post_send_bad_lkey_completes_with_error(void **state)
{
	struct ibv_sge sge = { (uintptr_t)from, 10, mr->lkey + 1 };
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);

	post_recv(1, to, 10);
	assert_int_equal(post(&wr), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_LOC_PROT_ERR);
}

/* -- shared receive queues -- */

static void uroce_post_srq_recv_serves_qps(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_sge into = piece(to, 100), sge = piece(from, 50);
	struct ibv_recv_wr recv = { .wr_id = 3,
				    .sg_list = &into,
				    .num_sge = 1 },
			   *bad;
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);
	struct ibv_srq_attr larger = { .max_wr = 100 };
	struct verbs_srq *vsrq = NULL;

	assert_int_equal(uroce_create_srq(pd->context, &attr, &vsrq), 0);
	qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	peer = new_qp(pd, peer_cq, IBV_QPT_RC, &vsrq->srq);
	connect_qp(qp, peer);
	connect_qp(peer, qp);
	assert_int_equal(uroce_post_recv(peer, &recv, &bad), EINVAL);
	assert_int_equal(uroce_post_srq_recv(&vsrq->srq, &recv, &bad), 0);
	assert_int_equal(uroce_modify_srq(&vsrq->srq, &larger, IBV_SRQ_MAX_WR),
			 0);
	assert_int_equal(post(&wr), 0);
	assert_int_equal(poll_one(peer_cq).wr_id, 3);
	assert_memory_equal(to, from, 50);
	assert_int_equal(uroce_destroy_qp(peer), 0);
	peer = NULL;
	assert_int_equal(uroce_destroy_srq(&vsrq->srq), 0);
}

/* -- polling -- */

static void uroce_poll_cq_empty_makes_progress(void **state)
{
	assert_no_completion(cq);
	assert_int_equal(fake_worker.nr_polls, 1);
}

static void uroce_poll_cq_returns_at_most_num_entries(void **state)
{
	struct ibv_sge sge = piece(from, 10);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge);
	struct ibv_wc wc[4];

	for (uint64_t i = 0; i < 3; i++) {
		post_recv(i, to, 10);
		assert_int_equal(post(&wr), 0);
	}
	assert_int_equal(uroce_poll_cq(peer_cq, 2, wc), 2);
	assert_int_equal(wc[1].wr_id, 1);
	assert_int_equal(uroce_poll_cq(peer_cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 2);
}

#define PLAIN(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define RC(name)    cmocka_unit_test_setup_teardown(name, setup_rc, teardown)
#define UC(name)    cmocka_unit_test_setup_teardown(name, setup_uc, teardown)
#define UD(name)    cmocka_unit_test_setup_teardown(name, setup_ud, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(uroce_post_send_message_arrives),
		RC(uroce_post_send_gathers_and_scatters_sges),
		RC(uroce_post_send_inline_copies_data_at_once),
		RC(uroce_post_send_imm_and_invalidate_arrive),
		RC(uroce_post_send_write_and_read_access_peer_memory),
		RC(uroce_post_send_write_imm_consumes_receive),
		RC(uroce_post_send_atomics_return_old_value),
		RC(uroce_post_send_atomic_write_stores_value),
		RC(uroce_post_send_unsignaled_raises_no_completion),
		UC(uroce_post_send_uc_message_arrives),
		UD(uroce_post_send_datagram_follows_grh),
		UD(uroce_post_send_datagram_without_ah_returns_einval),
		RC(uroce_post_send_before_rts_returns_einval),
		RC(uroce_post_recv_in_reset_returns_einval),
		RC(uroce_post_send_invalid_wr_returns_einval),
		RC(uroce_post_send_ip_csum_returns_einval),
		UD(uroce_post_send_ip_csum_returns_einval),
		UC(uroce_post_send_uc_read_returns_einval),
		RC(uroce_post_send_list_posts_wrs_before_bad_wr),
		RC(uroce_post_full_queue_returns_enomem),
		RC(uroce_post_recv_bad_num_sge_returns_einval),
		RC(uroce_post_in_err_completes_flushed),
		RC(uroce_reset_and_destroy_qp_purge_completions),
		RC(uroce_post_send_bad_lkey_completes_with_error),
		PLAIN(uroce_post_srq_recv_serves_qps),
		RC(uroce_poll_cq_empty_makes_progress),
		RC(uroce_poll_cq_returns_at_most_num_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
