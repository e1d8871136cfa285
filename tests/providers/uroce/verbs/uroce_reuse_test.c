/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A slot of the send queue is not cleared for the next request
 * (uroce_wqe_start()). So each operation is posted, in every possible way, into
 * an unused slot, into one full of garbage, and after each other operation.
 * Packets and completions must be equal. The queue has one slot.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <string.h>

#include "uroce/verbs/uroce_send.h"
#include "uroce/wire/uroce_wire.h"

#define ALL_ACCESS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_FLUSH_GLOBAL)

#define WR_ID  77
#define LENGTH 8 /* of every operation with data */
#define QKEY   0x1234

/* How an operation is posted. */
enum style {
	LIST, /* ibv_post_send() */
	LIST_INLINE,
	LIST_EMPTY, /* without data */
	CALLS,	    /* ibv_wr_*() */
	CALLS_INLINE,
	CALLS_EMPTY,
	NR_STYLES,
};

struct request {
	enum ibv_wr_opcode opcode;
	enum style style;
	uint32_t window; /* index of two, so that one window can follow another
			  */
};

#define MAX_PACKETS 4

/* Result of an operation. */
struct outcome {
	uint32_t nr_packets;
	struct {
		struct uroce_path path;
		uint8_t header[UROCE_MAX_HEADER];
		uint8_t payload[LENGTH];
		uint32_t header_len, payload_len;
	} packet[MAX_PACKETS];
	uint32_t nr_wcs;
	struct {
		uint64_t wr_id;
		uint32_t status, opcode, byte_len, wc_flags, imm_data;
	} wc[2]; /* sent, received */
};

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp; /* connected to itself */
static struct ibv_qp_ex *qpx;
static struct ibv_mr *mr;
static struct ibv_ah *ah;
static struct ibv_mw *windows[2];
static bool bound[2];
static _Alignas(8) uint8_t memory[4096];
static uint8_t *const from = memory, *const to = memory + 2048;
static struct outcome *seen;

/* -- setup ---------------------------------------------------------------- */

static struct ibv_qp *new_short_qp(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 8,
			 .max_send_sge = 4,
			 .max_recv_sge = 1,
			 .max_inline_data = 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = type == IBV_QPT_UD   ? UROCE_UD_SEND_OPS
				  : type == IBV_QPT_UC ? UROCE_UC_SEND_OPS
						       : UROCE_RC_SEND_OPS,
	};
	struct verbs_qp *vqp = NULL;

	assert_int_equal(uroce_create_qp(pd->context, &attr, &vqp), 0);
	assert_int_equal(to_uroce_qp(&vqp->qp)->qp->sq.size, 1);
	return &vqp->qp;
}

static int setup(enum ibv_qp_type type)
{
	ctx = fake_worker_context();
	pd = new_pd(ctx);
	cq = new_cq(ctx, 32, NULL);
	mr = new_mr(pd, memory, sizeof(memory), ALL_ACCESS);
	ah = new_ah(pd);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(uroce_alloc_mw(pd, IBV_MW_TYPE_2, &windows[i]),
				 0);
		bound[i] = false;
	}
	qp = new_short_qp(type);
	qpx = &verbs_container_of(qp, struct verbs_qp, qp)->qp_ex;
	connect_qp(qp, qp);
	return 0;
}

static int setup_rc(void **state)
{
	return setup(IBV_QPT_RC);
}

static int setup_uc(void **state)
{
	return setup(IBV_QPT_UC);
}

static int setup_ud(void **state)
{
	return setup(IBV_QPT_UD);
}

static int teardown(void **state)
{
	assert_int_equal(uroce_destroy_qp(qp), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(uroce_dealloc_mw(windows[i]), 0);
	assert_int_equal(uroce_destroy_ah(ah), 0);
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

/* -- posting -------------------------------------------------------------- */

static bool is_inline(enum style style)
{
	return style == LIST_INLINE || style == CALLS_INLINE;
}

static bool is_empty(enum style style)
{
	return style == LIST_EMPTY || style == CALLS_EMPTY;
}

static bool has_data(const struct request *request)
{
	return (uroce_op_traits(request->opcode) & UROCE_OP_DATA) &&
	       !is_empty(request->style);
}

/* Other flags each time, so that none may remain. */
static unsigned int flags_of(const struct request *request)
{
	return IBV_SEND_SIGNALED |
	       (is_inline(request->style)
			? 0
			: IBV_SEND_SOLICITED | IBV_SEND_FENCE);
}

static struct ibv_mw_bind_info bind_info(void)
{
	return (struct ibv_mw_bind_info){
		.mr = mr,
		.addr = (uintptr_t)to,
		.length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
}

static struct ibv_send_wr wr_of(const struct request *request,
				struct ibv_sge *sge)
{
	struct ibv_mw *mw = windows[request->window];
	struct ibv_send_wr wr = {
		.wr_id = WR_ID,
		.opcode = request->opcode,
		.send_flags = flags_of(request),
	};

	if (has_data(request)) {
		wr.sg_list = sge;
		wr.num_sge = 1;
	}
	if (request->opcode == IBV_WR_SEND_WITH_INV ||
	    request->opcode == IBV_WR_LOCAL_INV)
		wr.invalidate_rkey = mw->rkey;
	else
		wr.imm_data = 0x11223344;
	if (request->opcode == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = mw;
		wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
		wr.bind_mw.bind_info = bind_info();
	} else if (qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = qp->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (request->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
		   request->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = (uintptr_t)to;
		wr.wr.atomic.rkey = mr->rkey;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.swap = 6;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)to;
		wr.wr.rdma.rkey = mr->rkey;
	}
	return wr;
}

static void post_list(const struct request *request)
{
	struct ibv_sge sge = { (uintptr_t)from, LENGTH, mr->lkey };
	struct ibv_send_wr wr = wr_of(request, &sge), *bad = NULL;

	if (is_inline(request->style))
		wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(uroce_post_send(qp, &wr, &bad), 0);
}

static void call(const struct request *request)
{
	struct ibv_mw *mw = windows[request->window];
	const struct ibv_mw_bind_info info = bind_info();
	const uint64_t there = (uintptr_t)to;

	switch (request->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qpx);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, 0x11223344);
		break;
	case IBV_WR_SEND_WITH_INV:
		ibv_wr_send_inv(qpx, mw->rkey);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, mr->rkey, there);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, mr->rkey, there, 0x11223344);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qpx, mr->rkey, there);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, mr->rkey, there, 5);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, mr->rkey, there, 5, 6);
		break;
	case IBV_WR_ATOMIC_WRITE:
		ibv_wr_atomic_write(qpx, mr->rkey, there, from);
		break;
	case IBV_WR_FLUSH:
		ibv_wr_flush(qpx, mr->rkey, there, LENGTH, IBV_FLUSH_GLOBAL,
			     IBV_FLUSH_RANGE);
		break;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(qpx, mw->rkey);
		break;
	case IBV_WR_BIND_MW:
		ibv_wr_bind_mw(qpx, mw, ibv_inc_rkey(mw->rkey), &info);
		break;
	default:
		fail_msg("no such operation");
	}
}

static void post_calls(const struct request *request)
{
	ibv_wr_start(qpx);
	qpx->wr_id = WR_ID;
	qpx->wr_flags = flags_of(request);
	call(request);
	if (qp->qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qpx, ah, qp->qp_num, QKEY);
	if (is_inline(request->style))
		ibv_wr_set_inline_data(qpx, from, LENGTH);
	else if (has_data(request))
		ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)from, LENGTH);
	assert_int_equal(ibv_wr_complete(qpx), 0);
}

static bool may_be_empty(enum ibv_wr_opcode opcode)
{
	return (uroce_op_traits(opcode) & UROCE_OP_DATA) &&
	       opcode != IBV_WR_ATOMIC_FETCH_AND_ADD &&
	       opcode != IBV_WR_ATOMIC_CMP_AND_SWP &&
	       opcode != IBV_WR_ATOMIC_WRITE;
}

static bool is_possible(const struct request *request)
{
	enum ibv_wr_opcode opcode = request->opcode;

	if (!(uroce_op_traits(opcode) & uroce_op_trait_of(qp->qp_type)))
		return false;
	/* struct ibv_send_wr has no members for it */
	if (opcode == IBV_WR_FLUSH && request->style < CALLS)
		return false;
	if (is_inline(request->style))
		return uroce_op_traits(opcode) & UROCE_OP_INLINE;
	return !is_empty(request->style) || may_be_empty(opcode);
}

static void post(const struct request *request)
{
	if (request->style < CALLS)
		post_list(request);
	else
		post_calls(request);
	if (request->opcode == IBV_WR_BIND_MW)
		bound[request->window] = true;
	else if (request->opcode == IBV_WR_LOCAL_INV ||
		 request->opcode == IBV_WR_SEND_WITH_INV)
		bound[request->window] = false;
}

/* -- results -------------------------------------------------------------- */

static void post_recv(void)
{
	struct ibv_sge sge = { (uintptr_t)memory + 1024, 64, mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 },
			   *bad;

	assert_int_equal(uroce_post_recv(qp, &wr, &bad), 0);
}

/* Without values that differ each time: the PSN, and the tag of a key. */
static void see_packet(const struct uroce_packet *packet)
{
	struct uroce_packet copy = *packet;

	if (!seen || uroce_wire_is_response(packet->opcode))
		return;
	assert_true(seen->nr_packets < MAX_PACKETS);
	copy.psn = 0;
	if (packet->traits & UROCE_T_IETH)
		copy.inv_rkey &= ~0xffu;
	/* bytes behind the headers of this opcode are not sent */
	seen->packet[seen->nr_packets].header_len = (uint32_t)uroce_wire_encode(
		&copy, seen->packet[seen->nr_packets].header);
	/* without the padding of the struct */
	memcpy(&seen->packet[seen->nr_packets].path, packet->path,
	       offsetof(struct uroce_path, here) + sizeof(bool));
	assert_in_range(packet->payload_len, 0, LENGTH);
	seen->packet[seen->nr_packets].payload_len = packet->payload_len;
	memcpy(seen->packet[seen->nr_packets].payload, packet->payload,
	       packet->payload_len);
	seen->nr_packets++;
}

static void see_completions(struct outcome *outcome)
{
	struct ibv_wc wc;

	while (uroce_poll_cq(cq, 1, &wc)) {
		bool sent = wc.wr_id == WR_ID;

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		outcome->nr_wcs++;
		outcome->wc[!sent].wr_id = wc.wr_id;
		outcome->wc[!sent].status = wc.status;
		outcome->wc[!sent].opcode = wc.opcode;
		outcome->wc[!sent].byte_len = wc.byte_len;
		outcome->wc[!sent].wc_flags = (uint32_t)wc.wc_flags;
		if (wc.wc_flags & IBV_WC_WITH_IMM)
			outcome->wc[!sent].imm_data = wc.imm_data;
	}
}

/* The target is reset each time, because some operations read it. */
static void do_request(const struct request *request, struct outcome *outcome)
{
	memset(memory, 0, sizeof(memory));
	memcpy(from, "12345678", LENGTH);
	memset(outcome, 0, sizeof(*outcome));
	seen = outcome;
	post(request);
	seen = NULL;
	see_completions(outcome);
	assert_true(outcome->nr_wcs);
	assert_int_equal(uroce_ring_used(&to_uroce_qp(qp)->qp->sq), 0);
}

/* Binds or unbinds the window, as the operation requires. */
static void prepare(const struct request *request)
{
	bool wanted = request->opcode == IBV_WR_LOCAL_INV ||
		      request->opcode == IBV_WR_SEND_WITH_INV;
	const struct request change = {
		.opcode = wanted ? IBV_WR_BIND_MW : IBV_WR_LOCAL_INV,
		.style = CALLS,
		.window = request->window,
	};
	struct outcome outcome;

	if (wanted || request->opcode == IBV_WR_BIND_MW)
		if (bound[request->window] != wanted)
			do_request(&change, &outcome);
	while (uroce_ring_used(&to_uroce_qp(qp)->qp->rq->ring) < 2)
		post_recv();
}

static void fill_slot(uint8_t byte)
{
	const struct uroce_ring *sq = &to_uroce_qp(qp)->qp->sq;

	memset(sq->slots, byte, sq->stride);
}

/* Calls @fn for each operation of this QP type, in each way of posting. */
static void for_each_request(uint32_t window,
			     void (*fn)(const struct request *request,
					void *arg),
			     void *arg)
{
	struct request request = { .window = window };

	for (int opcode = 0; opcode < UROCE_NR_OPS; opcode++)
		for (int style = 0; style < NR_STYLES; style++) {
			request.opcode = (enum ibv_wr_opcode)opcode;
			request.style = (enum style)style;
			if (is_possible(&request))
				fn(&request, arg);
		}
}

struct expected {
	const struct request *request;
	struct outcome fresh;
	uint32_t nr_before; /* operations posted before */
};

static void do_after(const struct request *before, void *arg)
{
	struct expected *expected = arg;
	struct outcome outcome;

	prepare(before);
	prepare(expected->request);
	do_request(before, &outcome);
	while (uroce_ring_used(&to_uroce_qp(qp)->qp->rq->ring) < 2)
		post_recv();
	do_request(expected->request, &outcome);
	assert_memory_equal(&outcome, &expected->fresh, sizeof(outcome));
	expected->nr_before++;
}

static void do_in_every_slot(const struct request *request, void *arg)
{
	static const uint8_t garbage[] = { 0xff, 0xa5, 1 };
	struct expected expected = { .request = request };
	struct outcome outcome;
	uint32_t *nr = arg;

	prepare(request);
	fill_slot(0);
	do_request(request, &expected.fresh);
	for (size_t i = 0; i < sizeof(garbage); i++) {
		prepare(request);
		fill_slot(garbage[i]);
		do_request(request, &outcome);
		assert_memory_equal(&outcome, &expected.fresh, sizeof(outcome));
	}
	for_each_request(1, do_after, &expected);
	*nr = expected.nr_before;
}

static void check_all(uint32_t nr_requests)
{
	uint32_t nr = 0;

	fake_worker.on_packet = see_packet;
	for_each_request(0, do_in_every_slot, &nr);
	assert_int_equal(nr, nr_requests);
}

static void wqe_slot_reuse_of_rc_leaves_no_old_fields(void **state)
{
	/* 12 in two ways, except one; 6 of them may be inline, and 6 empty */
	check_all(2 * 12 - 1 + 2 * 6 + 2 * 6);
}

static void wqe_slot_reuse_of_uc_leaves_no_old_fields(void **state)
{
	check_all(2 * 6 + 2 * 4 + 2 * 4);
}

static void wqe_slot_reuse_of_ud_leaves_no_old_fields(void **state)
{
	check_all(2 * 2 + 2 * 2 + 2 * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			wqe_slot_reuse_of_rc_leaves_no_old_fields, setup_rc,
			teardown),
		cmocka_unit_test_setup_teardown(
			wqe_slot_reuse_of_uc_leaves_no_old_fields, setup_uc,
			teardown),
		cmocka_unit_test_setup_teardown(
			wqe_slot_reuse_of_ud_leaves_no_old_fields, setup_ud,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
