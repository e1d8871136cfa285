// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: unreliable connections. The responder reports no
 * error to the requester, which completes each request once it is sent.
 */
#include "conform.h"

#include <sched.h>
#include <string.h>

#define UC_SIZE 65536

struct uc_rig {
	struct pair pair;
	struct mem *mem, *target; /* of the client, of the server */
	struct mem *mark;	  /* 8 bytes of the server: uc_sync() */
	uint32_t seed;
};

static struct uc_rig uc_rig_new(const struct connect_args *connect)
{
	const struct qp_args args = { .type = IBV_QPT_UC };
	struct uc_rig rig = { .pair = pair_new(&args, connect) };

	rig.mem = mem_new(CLIENT, UC_SIZE, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, UC_SIZE, CONFORM_ALL_ACCESS);
	rig.mark = mem_new(SERVER, 8, CONFORM_ALL_ACCESS);
	return rig;
}

static void uc_wait_byte(const struct mem *mem, size_t offset, uint8_t value)
{
	const uint64_t end =
		conform_now_ns() + CONFORM_WAIT_MS * UINT64_C(1000000);

	while (__atomic_load_n(&mem->view[offset], __ATOMIC_ACQUIRE) != value) {
		REQUIRE(conform_now_ns() < end);
		sched_yield();
	}
}

/* Returns after the server has processed all requests before: a WRITE. */
static void uc_sync(struct uc_rig *rig)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig->mem, UC_SIZE - 8,
				     8, rig->mark, 0);
	uint8_t value = (uint8_t)(rig->mark->view[7] + 1);

	memset(rig->mem->view + UC_SIZE - 8, value, 8);
	work.wr_id = 0x5359;
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, 0x5359);
	uc_wait_byte(rig->mark, 7, value);
}

static void uc_require_rts(struct uc_rig *rig)
{
	struct conform_event event;

	REQUIRE_EQUAL(qp_query(rig->pair.client).qp_state, IBV_QPS_RTS);
	REQUIRE_EQUAL(qp_query(rig->pair.server).qp_state, IBV_QPS_RTS);
	poll_nothing(rig->pair.client->send_cq, 0);
	poll_nothing(rig->pair.server->recv_cq, 0);
	REQUIRE(!event_wait(CLIENT, &event, 0));
	REQUIRE(!event_wait(SERVER, &event, 0));
}

/* A SEND whose receive is posted; both completions and the data. */
static void uc_send(struct uc_rig *rig, uint32_t length, bool has_imm)
{
	struct work work = work_send(rig->mem, 64, length);
	struct ibv_wc wc;

	conform_context("SEND of %u bytes", length);
	memset(rig->target->view, 0, UC_SIZE);
	mem_fill(rig->mem, 64, length, ++rig->seed);
	work.opcode = has_imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
	work.imm = 0xabcd0000 + rig->seed;
	work.wr_id = rig->seed;
	post_recv(rig->pair.server, rig->target, 128, length, 1000 + rig->seed);
	post(rig->pair.client, &work);
	wc = poll_success(rig->pair.client->send_cq, rig->seed);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_SEND);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.client->num);
	wc = poll_success(rig->pair.server->recv_cq, 1000 + rig->seed);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.server->num);
	REQUIRE_EQUAL(wc.byte_len, length);
	REQUIRE_EQUAL(wc.wc_flags & ~IBV_WC_GRH, has_imm ? IBV_WC_WITH_IMM : 0);
	if (has_imm)
		REQUIRE_EQUAL(be32toh(wc.imm_data), work.imm);
	mem_require_value(rig->target, 0, 128, 0);
	mem_require(rig->target, 128, length, rig->seed);
	mem_require_value(rig->target, 128 + length, 64, 0);
}

static void uc_send_every_size_arrives_intact(void)
{
	const uint32_t mtu = conform_mtu();
	const uint32_t sizes[] = { 0,	    1,	  40,	   mtu - 1, mtu,
				   mtu + 1, 8193, 3 * mtu, 40000 };
	struct uc_rig rig = uc_rig_new(NULL);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uc_send(&rig, sizes[i], false);
		uc_send(&rig, sizes[i], true);
	}
	uc_require_rts(&rig);
}

/* PSNs of all packets of a message are on both sides of the wrap. */
static void uc_psn_wrap_arrives_intact(void)
{
	const struct connect_args connect = { .sq_psn = 0xfffffe,
					      .rq_psn = 0xffffff };
	struct uc_rig rig = uc_rig_new(&connect);

	uc_send(&rig, 3 * conform_mtu() + 1, false);
	uc_send(&rig, 100, true);
	uc_require_rts(&rig);
}

static void uc_send_without_receive_is_dropped(void)
{
	const uint32_t sizes[] = { 0, 100, 3 * conform_mtu() };
	struct uc_rig rig = uc_rig_new(NULL);

	for (int i = 0; i < 3; i++) {
		struct work work = work_send(rig.mem, 0, sizes[i]);

		conform_context("SEND of %u bytes", sizes[i]);
		mem_fill(rig.mem, 0, sizes[i], 77);
		work.wr_id = 9;
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 9);
		uc_sync(&rig);
		uc_send(&rig, 200, i & 1);
		uc_require_rts(&rig);
	}
}

static void uc_write_every_size_arrives_intact(void)
{
	const uint32_t mtu = conform_mtu();
	const uint32_t sizes[] = { 0, 1, 8, 41, mtu, mtu + 1, 3 * mtu, 40001 };
	struct uc_rig rig = uc_rig_new(NULL);

	post_recv(rig.pair.server, rig.target, 0, 64, 1); /* not taken */
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, rig.mem, 3,
					     sizes[i], rig.target, 130);

		conform_context("WRITE of %u bytes", sizes[i]);
		memset(rig.target->view, 0, UC_SIZE);
		mem_fill(rig.mem, 3, sizes[i], i);
		work.wr_id = i;
		post(rig.pair.client, &work);
		REQUIRE_EQUAL(poll_success(rig.pair.client->send_cq, i).opcode,
			      IBV_WC_RDMA_WRITE);
		uc_sync(&rig);
		mem_require_value(rig.target, 0, 130, 0);
		mem_require(rig.target, 130, sizes[i], i);
		mem_require_value(rig.target, 130 + sizes[i], 64, 0);
	}
	uc_require_rts(&rig);
}

/* Both completions of a WRITE with immediate data, and the data. */
static void uc_write_imm(struct uc_rig *rig, uint32_t length)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, rig->mem, 0,
				     length, rig->target, 1000);
	struct ibv_wc wc;

	memset(rig->target->view, 0, UC_SIZE);
	mem_fill(rig->mem, 0, length, ++rig->seed);
	work.imm = 0x11000000 + rig->seed;
	work.wr_id = rig->seed;
	post_recv(rig->pair.server, rig->target, 0, 64, 500 + rig->seed);
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, rig->seed);
	wc = poll_success(rig->pair.server->recv_cq, 500 + rig->seed);
	REQUIRE_EQUAL(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	REQUIRE_EQUAL(wc.byte_len, length);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.server->num);
	REQUIRE_EQUAL(wc.wc_flags & ~IBV_WC_GRH, IBV_WC_WITH_IMM);
	REQUIRE_EQUAL(be32toh(wc.imm_data), work.imm);
	mem_require_value(rig->target, 0, 1000, 0);
	mem_require(rig->target, 1000, length, rig->seed);
	mem_require_value(rig->target, 1000 + length, 64, 0);
}

static void uc_write_imm_completes_receive(void)
{
	struct uc_rig rig = uc_rig_new(NULL);

	uc_write_imm(&rig, 0);
	uc_write_imm(&rig, 500);
	uc_write_imm(&rig, 2 * conform_mtu() + 1);
	uc_require_rts(&rig);
}

static void uc_write_imm_without_receive_takes_no_receive(void)
{
	struct uc_rig rig = uc_rig_new(NULL);
	struct work work = work_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, rig.mem, 0, 8,
				     rig.target, 0);

	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	uc_sync(&rig);
	uc_send(&rig, 100, false);
	uc_require_rts(&rig);
}

/* Ways in which the responder must not execute a WRITE. */
enum uc_fault {
	UC_BAD_KEY,
	UC_OTHER_PD,
	UC_BEYOND_END,
	UC_BEFORE_START,
	UC_NO_REMOTE_WRITE,
	UC_DEREGISTERED,
	UC_NR_FAULTS,
};

static void uc_apply_fault(struct uc_rig *rig, enum uc_fault fault,
			   uint32_t length, struct work *work)
{
	struct mem *mem = rig->target;

	conform_context("fault %d, %u bytes", (int)fault, length);
	if (fault == UC_OTHER_PD)
		mem = mem_new_in_pd(SERVER, pd_new(SERVER), UC_SIZE,
				    CONFORM_ALL_ACCESS);
	else if (fault == UC_NO_REMOTE_WRITE)
		mem = mem_new(SERVER, UC_SIZE,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	else if (fault == UC_DEREGISTERED)
		mem = mem_new(SERVER, UC_SIZE, CONFORM_ALL_ACCESS);
	work->remote_addr = mem->addr;
	work->rkey = mem->rkey;
	if (fault == UC_BAD_KEY)
		work->rkey ^= 0x3300;
	else if (fault == UC_BEYOND_END)
		work->remote_addr += UC_SIZE - length + 1;
	else if (fault == UC_BEFORE_START)
		work->remote_addr--;
	else if (fault == UC_DEREGISTERED)
		REQUIRE_EQUAL(mem_dereg(mem), 0);
}

static void uc_require_dropped(enum ibv_wr_opcode opcode)
{
	struct uc_rig rig = uc_rig_new(NULL);

	for (int fault = 0; fault < UC_NR_FAULTS; fault++) {
		for (uint32_t length = 8; length < 20000; length += 15000) {
			struct work work = work_rdma(opcode, rig.mem, 0, length,
						     rig.target, 0);

			memset(rig.mem->view, 0x55, UC_SIZE);
			memset(rig.target->view, 0, UC_SIZE);
			uc_apply_fault(&rig, (enum uc_fault)fault, length,
				       &work);
			work.wr_id = 3;
			post(rig.pair.client, &work);
			poll_success(rig.pair.client->send_cq, 3);
			uc_sync(&rig);
			mem_require_value(rig.target, 0, UC_SIZE, 0);
			uc_require_rts(&rig);
		}
	}
	uc_send(&rig, 100, true);
}

static void uc_write_bad_rkey_is_dropped(void)
{
	uc_require_dropped(IBV_WR_RDMA_WRITE);
}

/* The receive, which is there only now, belongs to the next message. */
static void uc_write_imm_bad_rkey_is_dropped(void)
{
	uc_require_dropped(IBV_WR_RDMA_WRITE_WITH_IMM);
}

static void uc_write_without_access_flag_is_dropped(void)
{
	const struct connect_args connect = { .access =
						      IBV_ACCESS_LOCAL_WRITE };
	struct uc_rig rig = uc_rig_new(&connect);
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, rig.mem, 0, 100, rig.target, 0);

	memset(rig.mem->view, 0x55, 100);
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	work = work_send(rig.mem, 0, 0);
	REQUIRE_EQUAL(post_recv_try(rig.pair.server, 1, NULL, 0), 0);
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	poll_success(rig.pair.server->recv_cq, 1);
	mem_require_value(rig.target, 0, UC_SIZE, 0);
	uc_require_rts(&rig);
}

/* SENDs, WRITEs and WRITEs with immediate data in one list. */
static void uc_requests_arrive_in_order(void)
{
	struct uc_rig rig = uc_rig_new(NULL);
	struct work work[24];

	for (uint32_t i = 0; i < 24; i++) {
		static const enum ibv_wr_opcode opcodes[] = {
			IBV_WR_RDMA_WRITE,
			IBV_WR_SEND_WITH_IMM,
			IBV_WR_RDMA_WRITE_WITH_IMM,
		};

		mem_fill(rig.mem, (size_t)i * 1000, 1000, i + 1);
		work[i] = work_rdma(opcodes[i % 3], rig.mem, (size_t)i * 1000,
				    1000, rig.target, (size_t)i * 1000);
		work[i].imm = i;
		work[i].wr_id = i;
		if (i % 3 == 1)
			post_recv(rig.pair.server, rig.target, (size_t)i * 1000,
				  1000, i);
		else if (i % 3 == 2)
			REQUIRE_EQUAL(
				post_recv_try(rig.pair.server, i, NULL, 0), 0);
	}
	post_list(rig.pair.client, work, 24);
	for (uint32_t i = 0; i < 24; i++) {
		poll_success(rig.pair.client->send_cq, i);
		if (i % 3 == 0)
			continue;
		REQUIRE_EQUAL(be32toh(poll_success(rig.pair.server->recv_cq, i)
					      .imm_data),
			      i);
		mem_require(rig.target, (size_t)i * 1000, 1000, i + 1);
		if (i % 3 == 1)
			mem_require(rig.target, (size_t)(i - 1) * 1000, 1000,
				    i);
	}
	uc_require_rts(&rig);
}

/* RDMA READ and atomics: refused at once, or with a completion. */
static void uc_unsupported_opcodes_are_refused(void)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	for (int i = 0; i < 3; i++) {
		struct uc_rig rig = uc_rig_new(NULL);
		struct work work = work_atomic(opcodes[i], rig.mem, 0,
					       rig.target, 0, 1, 2);
		int err;

		conform_context("opcode %d", (int)opcodes[i]);
		memset(rig.mem->view, 0x44, 8);
		err = post_try(rig.pair.client, &work, 1, NULL);
		if (!err)
			poll_status(rig.pair.client->send_cq,
				    IBV_WC_LOC_QP_OP_ERR);
		else
			uc_send(&rig, 100, false);
		mem_require_value(rig.target, 0, 8, 0);
		mem_require_value(rig.mem, 0, 8, 0x44);
	}
}

const struct conform_test conform_uc[] = {
	{ "uc.send_every_size_arrives_intact",
	  uc_send_every_size_arrives_intact, NEED_UC },
	{ "uc.psn_wrap_arrives_intact", uc_psn_wrap_arrives_intact, NEED_UC },
	{ "uc.send_without_receive_is_dropped",
	  uc_send_without_receive_is_dropped, NEED_UC },
	{ "uc.write_every_size_arrives_intact",
	  uc_write_every_size_arrives_intact, NEED_UC },
	{ "uc.write_imm_completes_receive", uc_write_imm_completes_receive,
	  NEED_UC },
	{ "uc.write_imm_without_receive_takes_no_receive",
	  uc_write_imm_without_receive_takes_no_receive, NEED_UC },
	{ "uc.write_bad_rkey_is_dropped", uc_write_bad_rkey_is_dropped,
	  NEED_UC },
	{ "uc.write_imm_bad_rkey_is_dropped", uc_write_imm_bad_rkey_is_dropped,
	  NEED_UC },
	{ "uc.write_without_access_flag_is_dropped",
	  uc_write_without_access_flag_is_dropped, NEED_UC },
	{ "uc.requests_arrive_in_order", uc_requests_arrive_in_order, NEED_UC },
	{ "uc.unsupported_opcodes_are_refused",
	  uc_unsupported_opcodes_are_refused, NEED_UC },
	{},
};
