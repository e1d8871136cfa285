// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: requests that fail, at the end that finds the
 * fault and at the other one.
 */
#include "conform.h"

#include <string.h>

#define ERROR_LENGTH 4096
#define ERROR_CLIENT 0x44 /* contents before the request */
#define ERROR_SERVER 0x33

struct error_rig {
	struct pair pair;
	struct mem *client, *server;
};

static struct error_rig error_rig_in_pd(int pd, unsigned int access)
{
	struct error_rig rig = { .pair = pair_new(NULL, NULL) };

	rig.client = mem_new(CLIENT, ERROR_LENGTH, CONFORM_ALL_ACCESS);
	rig.server = mem_new_in_pd(SERVER, pd, ERROR_LENGTH, access);
	memset(rig.client->view, ERROR_CLIENT, ERROR_LENGTH);
	memset(rig.server->view, ERROR_SERVER, ERROR_LENGTH);
	return rig;
}

static struct error_rig error_rig_new(void)
{
	return error_rig_in_pd(0, CONFORM_ALL_ACCESS);
}

static void error_require_unchanged(const struct error_rig *rig)
{
	mem_require_value(rig->client, 0, ERROR_LENGTH, ERROR_CLIENT);
	mem_require_value(rig->server, 0, ERROR_LENGTH, ERROR_SERVER);
}

/* The first of two requests fails at both ends, and has no effect. */
static void error_require_refused(const struct error_rig *rig,
				  const struct work *first,
				  enum ibv_wc_status status)
{
	struct work work[2] = { *first, work_send(rig->client, 0, 8) };
	struct ibv_wc wc;

	work[0].wr_id = 21;
	work[1].wr_id = 22;
	post_list(rig->pair.client, work, 2);
	wc = poll_status(rig->pair.client->send_cq, status);
	REQUIRE_EQUAL(wc.wr_id, 21);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.client->num);
	wc = poll_status(rig->pair.client->send_cq, IBV_WC_WR_FLUSH_ERR);
	REQUIRE_EQUAL(wc.wr_id, 22);
	qp_wait_state(rig->pair.client, IBV_QPS_ERR);
	qp_wait_state(rig->pair.server, IBV_QPS_ERR);
	poll_nothing(rig->pair.client->send_cq, 0);
	error_require_unchanged(rig);
}

static struct work error_work(const struct error_rig *rig,
			      enum ibv_wr_opcode opcode, uint32_t length)
{
	return work_rdma(opcode, rig->client, 0, length, rig->server, 0);
}

/* -- keys, rights and ranges of the responder -- */

static void error_each_bad_rkey(enum ibv_wr_opcode opcode)
{
	const uint32_t flips[] = { 1, 0x80, 0x100, 0x80000000 };

	for (size_t i = 0; i < 4; i++) {
		struct error_rig rig = error_rig_new();
		struct work work = error_work(&rig, opcode, 100);

		conform_context("key ^ %#x", flips[i]);
		work.rkey ^= flips[i];
		error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
		poll_nothing(rig.pair.server->recv_cq, 0);
	}
}

static void error_write_bad_rkey_is_rem_access_both_ends(void)
{
	error_each_bad_rkey(IBV_WR_RDMA_WRITE);
}

static void error_read_bad_rkey_is_rem_access_both_ends(void)
{
	error_each_bad_rkey(IBV_WR_RDMA_READ);
}

/* The receive is not completed by the request, but flushed. */
static void error_write_imm_bad_rkey_is_rem_access(void)
{
	struct error_rig rig = error_rig_new();
	struct work work = error_work(&rig, IBV_WR_RDMA_WRITE_WITH_IMM, 100);
	struct ibv_wc wc;

	work.rkey ^= 1;
	post_recv(rig.pair.server, rig.server, 0, 200, 5);
	error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
	wc = poll_status(rig.pair.server->recv_cq, IBV_WC_WR_FLUSH_ERR);
	REQUIRE_EQUAL(wc.wr_id, 5);
	poll_nothing(rig.pair.server->recv_cq, 0);
}

static void error_long_write_bad_rkey_is_rem_access(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *client = mem_new(CLIENT, 1 << 20, CONFORM_ALL_ACCESS);
	struct mem *server = mem_new(SERVER, 1 << 20, CONFORM_ALL_ACCESS);
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, client, 0, 1 << 20, server, 0);

	memset(client->view, 1, 1 << 20);
	work.rkey ^= 1;
	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
	qp_wait_state(pair.server, IBV_QPS_ERR);
	mem_require_value(server, 0, 1 << 20, 0);
}

static void error_access_error_raises_event(void)
{
	struct error_rig rig = error_rig_new();
	struct work work = error_work(&rig, IBV_WR_RDMA_WRITE, 100);
	struct conform_event event;

	work.rkey ^= 1;
	error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
	event_require(SERVER, IBV_EVENT_QP_ACCESS_ERR, rig.pair.server->id);
	REQUIRE(!event_wait(CLIENT, &event, 0));
}

static void error_dereg_rkey_is_rem_access(void)
{
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 2; i++) {
		struct error_rig rig = error_rig_new();
		struct work work = error_work(&rig, opcodes[i], 8);

		/* the key has worked once */
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 0);
		memset(rig.client->view, ERROR_CLIENT, ERROR_LENGTH);
		memset(rig.server->view, ERROR_SERVER, ERROR_LENGTH);
		REQUIRE_EQUAL(mem_dereg(rig.server), 0);
		error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
	}
}

static void error_region_of_other_pd_is_rem_access(void)
{
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 2; i++) {
		struct error_rig rig =
			error_rig_in_pd(pd_new(SERVER), CONFORM_ALL_ACCESS);
		struct work work = error_work(&rig, opcodes[i], 100);

		conform_context("opcode %d", (int)opcodes[i]);
		error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
	}
}

static void error_region_without_right_is_rem_access(void)
{
	const struct {
		enum ibv_wr_opcode opcode;
		unsigned int access;
	} cases[] = {
		{ IBV_WR_RDMA_WRITE,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ },
		{ IBV_WR_RDMA_READ,
		  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE },
		{ IBV_WR_RDMA_WRITE, IBV_ACCESS_LOCAL_WRITE },
		{ IBV_WR_RDMA_READ, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error_rig rig = error_rig_in_pd(0, cases[i].access);
		struct work work = error_work(&rig, cases[i].opcode, 100);

		conform_context("opcode %d, access %#x", (int)cases[i].opcode,
				cases[i].access);
		error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
	}
}

/* IBTA 9.7.4.1.5: an operation that the QP does not enable is invalid. */
static void error_qp_without_right_is_rem_inv_req(void)
{
	const struct {
		enum ibv_wr_opcode opcode;
		unsigned int access;
	} cases[] = {
		{ IBV_WR_RDMA_WRITE, IBV_ACCESS_REMOTE_READ },
		{ IBV_WR_RDMA_READ, IBV_ACCESS_REMOTE_WRITE },
	};

	for (size_t i = 0; i < 2; i++) {
		const struct connect_args args = { .access = cases[i].access };
		struct error_rig rig = error_rig_new();
		struct work work = error_work(&rig, cases[i].opcode, 100);

		conform_context("opcode %d", (int)cases[i].opcode);
		rig.pair = pair_new(NULL, &args);
		error_require_refused(&rig, &work, IBV_WC_REM_INV_REQ_ERR);
	}
}

static void error_range_outside_is_rem_access(void)
{
	const struct {
		int64_t offset;
		uint32_t length;
	} cases[] = {
		{ -1, 1 },	     { -1, 100 },
		{ ERROR_LENGTH, 1 }, { ERROR_LENGTH - 7, 8 },
		{ 1, ERROR_LENGTH }, { INT64_MIN, 8 },
	};
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct error_rig rig = error_rig_new();
		struct work work =
			error_work(&rig, opcodes[i % 2], cases[i / 2].length);

		conform_context("opcode %d, %u bytes at %lld",
				(int)opcodes[i % 2], cases[i / 2].length,
				(long long)cases[i / 2].offset);
		work.remote_addr += (uint64_t)cases[i / 2].offset;
		error_require_refused(&rig, &work, IBV_WC_REM_ACCESS_ERR);
	}
}

/* IBTA 9.7.4.1.3: with length 0 neither key nor address is checked. */
static void error_zero_length_ignores_rkey(void)
{
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 2; i++) {
		struct error_rig rig = error_rig_new();
		struct work work = error_work(&rig, opcodes[i], 0);

		work.rkey ^= 0x1234500;
		work.remote_addr = 0;
		post(rig.pair.client, &work);
		poll_success(rig.pair.client->send_cq, 0);
		error_require_unchanged(&rig);
		REQUIRE_EQUAL(qp_query(rig.pair.server).qp_state, IBV_QPS_RTS);
	}
}

/* -- receives -- */

/* A SEND that the receive cannot take fails at both ends. */
static void error_require_bad_receive(const struct error_rig *rig,
				      const struct ibv_sge *recv,
				      uint32_t length,
				      enum ibv_wc_status server,
				      enum ibv_wc_status client)
{
	struct work work = work_send(rig->client, 0, length);
	struct ibv_wc wc;

	work.wr_id = 31;
	REQUIRE_EQUAL(post_recv_try(rig->pair.server, 8, recv, 1), 0);
	post_recv(rig->pair.server, rig->server, 0, ERROR_LENGTH, 9);
	post(rig->pair.client, &work);
	wc = poll_status(rig->pair.server->recv_cq, server);
	REQUIRE_EQUAL(wc.wr_id, 8);
	wc = poll_status(rig->pair.server->recv_cq, IBV_WC_WR_FLUSH_ERR);
	REQUIRE_EQUAL(wc.wr_id, 9);
	wc = poll_status(rig->pair.client->send_cq, client);
	REQUIRE_EQUAL(wc.wr_id, 31);
	qp_wait_state(rig->pair.client, IBV_QPS_ERR);
	qp_wait_state(rig->pair.server, IBV_QPS_ERR);
}

static void error_recv_short_fails_both_ends(void)
{
	const uint32_t lengths[] = { 1, 100, 101, 4096 };

	for (size_t i = 0; i < 4; i++) {
		struct error_rig rig = error_rig_new();
		struct ibv_sge recv = sge(rig.server, 0, lengths[i] - 1);

		conform_context("%u bytes", lengths[i]);
		error_require_bad_receive(&rig, &recv, lengths[i],
					  IBV_WC_LOC_LEN_ERR,
					  IBV_WC_REM_INV_REQ_ERR);
		/* nothing behind the receive */
		mem_require_value(rig.server, lengths[i] - 1,
				  ERROR_LENGTH - lengths[i] + 1, ERROR_SERVER);
	}
}

static void error_recv_bad_lkey_fails_both_ends(void)
{
	struct error_rig rig = error_rig_new();
	struct ibv_sge recv = sge(rig.server, 0, 200);

	recv.lkey ^= 0x100;
	error_require_bad_receive(&rig, &recv, 100, IBV_WC_LOC_PROT_ERR,
				  IBV_WC_REM_OP_ERR);
	error_require_unchanged(&rig);
}

static void error_recv_of_other_pd_fails_both_ends(void)
{
	struct error_rig rig = error_rig_new();
	struct mem *other = mem_new_in_pd(SERVER, pd_new(SERVER), ERROR_LENGTH,
					  CONFORM_ALL_ACCESS);
	struct ibv_sge recv = sge(other, 0, 200);

	error_require_bad_receive(&rig, &recv, 100, IBV_WC_LOC_PROT_ERR,
				  IBV_WC_REM_OP_ERR);
	mem_require_value(other, 0, ERROR_LENGTH, 0);
}

static void error_recv_without_local_write_fails_both_ends(void)
{
	struct error_rig rig = error_rig_new();
	struct mem *other = mem_new(SERVER, ERROR_LENGTH, 0);
	struct ibv_sge recv = sge(other, 0, 200);

	error_require_bad_receive(&rig, &recv, 100, IBV_WC_LOC_PROT_ERR,
				  IBV_WC_REM_OP_ERR);
	mem_require_value(other, 0, ERROR_LENGTH, 0);
}

/* -- faults of the requester -- */

/* The second of three requests fails at its turn; the peer is unaffected. */
static void error_require_local(struct error_rig *rig, const struct work *bad,
				enum ibv_wc_status status)
{
	struct work work[3] = {
		work_rdma(IBV_WR_RDMA_WRITE, rig->client, 0, 3000, rig->server,
			  0),
		*bad,
		work_rdma(IBV_WR_RDMA_WRITE, rig->client, 0, 8, rig->server,
			  4000),
	};

	for (uint64_t i = 0; i < 3; i++)
		work[i].wr_id = 40 + i;
	post_list(rig->pair.client, work, 3);
	poll_success(rig->pair.client->send_cq, 40);
	REQUIRE_EQUAL(poll_status(rig->pair.client->send_cq, status).wr_id, 41);
	REQUIRE_EQUAL(
		poll_status(rig->pair.client->send_cq, IBV_WC_WR_FLUSH_ERR)
			.wr_id,
		42);
	qp_wait_state(rig->pair.client, IBV_QPS_ERR);
	REQUIRE_EQUAL(qp_query(rig->pair.server).qp_state, IBV_QPS_RTS);
	mem_require_value(rig->server, 0, 3000, ERROR_CLIENT);
	mem_require_value(rig->server, 3000, 1000, ERROR_SERVER);
	/* a WRITE may be executed before the response of an older READ */
	if (bad->opcode != IBV_WR_RDMA_READ)
		mem_require_value(rig->server, 4000, 96, ERROR_SERVER);
	mem_require_value(rig->client, 0, ERROR_LENGTH, ERROR_CLIENT);
	poll_nothing(rig->pair.client->send_cq, 0);
	poll_nothing(rig->pair.server->recv_cq, 0);
}

static void error_local_fault_waits_for_older_wqes(void)
{
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 3; i++) {
		struct error_rig rig = error_rig_new();
		struct work work = error_work(&rig, opcodes[i], 100);

		conform_context("opcode %d", (int)opcodes[i]);
		work.sge[0].lkey ^= 0x100;
		error_require_local(&rig, &work, IBV_WC_LOC_PROT_ERR);
	}
}

static void error_local_range_outside_is_loc_prot(void)
{
	struct error_rig rig = error_rig_new();
	struct work work = error_work(&rig, IBV_WR_RDMA_WRITE, 100);

	work.sge[0].addr = rig.client->addr + ERROR_LENGTH - 99;
	error_require_local(&rig, &work, IBV_WC_LOC_PROT_ERR);
}

static void error_local_region_of_other_pd_is_loc_prot(void)
{
	const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE,
					       IBV_WR_RDMA_READ };

	for (size_t i = 0; i < 2; i++) {
		struct error_rig rig = error_rig_new();
		struct mem *other = mem_new_in_pd(CLIENT, pd_new(CLIENT), 4096,
						  CONFORM_ALL_ACCESS);
		struct work work =
			work_rdma(opcodes[i], other, 0, 100, rig.server, 3500);

		conform_context("opcode %d", (int)opcodes[i]);
		error_require_local(&rig, &work, IBV_WC_LOC_PROT_ERR);
		mem_require_value(other, 0, 4096, 0);
	}
}

static void error_read_without_local_write_is_loc_prot(void)
{
	struct error_rig rig = error_rig_new();
	struct mem *other = mem_new(CLIENT, 4096, IBV_ACCESS_REMOTE_READ);
	struct work work =
		work_rdma(IBV_WR_RDMA_READ, other, 0, 100, rig.server, 3500);

	error_require_local(&rig, &work, IBV_WC_LOC_PROT_ERR);
	mem_require_value(other, 0, 4096, 0);
}

const struct conform_test conform_error[] = {
	{ "error.write_bad_rkey_is_rem_access_both_ends",
	  error_write_bad_rkey_is_rem_access_both_ends, NEED_RC },
	{ "error.read_bad_rkey_is_rem_access_both_ends",
	  error_read_bad_rkey_is_rem_access_both_ends, NEED_RC },
	{ "error.write_imm_bad_rkey_is_rem_access",
	  error_write_imm_bad_rkey_is_rem_access, NEED_IMM },
	{ "error.long_write_bad_rkey_is_rem_access",
	  error_long_write_bad_rkey_is_rem_access, NEED_RC },
	{ "error.access_error_raises_event", error_access_error_raises_event,
	  NEED_RC },
	{ "error.dereg_rkey_is_rem_access", error_dereg_rkey_is_rem_access,
	  NEED_RC },
	{ "error.region_of_other_pd_is_rem_access",
	  error_region_of_other_pd_is_rem_access, NEED_RC },
	{ "error.region_without_right_is_rem_access",
	  error_region_without_right_is_rem_access, NEED_RC },
	{ "error.qp_without_right_is_rem_inv_req",
	  error_qp_without_right_is_rem_inv_req, NEED_RC },
	{ "error.range_outside_is_rem_access",
	  error_range_outside_is_rem_access, NEED_RC },
	{ "error.zero_length_ignores_rkey", error_zero_length_ignores_rkey,
	  NEED_RC },
	{ "error.recv_short_fails_both_ends", error_recv_short_fails_both_ends,
	  NEED_RC },
	{ "error.recv_bad_lkey_fails_both_ends",
	  error_recv_bad_lkey_fails_both_ends, NEED_RC },
	{ "error.recv_of_other_pd_fails_both_ends",
	  error_recv_of_other_pd_fails_both_ends, NEED_RC },
	{ "error.recv_without_local_write_fails_both_ends",
	  error_recv_without_local_write_fails_both_ends, NEED_RC },
	{ "error.local_fault_waits_for_older_wqes",
	  error_local_fault_waits_for_older_wqes, NEED_RC },
	{ "error.local_range_outside_is_loc_prot",
	  error_local_range_outside_is_loc_prot, NEED_RC },
	{ "error.local_region_of_other_pd_is_loc_prot",
	  error_local_region_of_other_pd_is_loc_prot, NEED_RC },
	{ "error.read_without_local_write_is_loc_prot",
	  error_read_without_local_write_is_loc_prot, NEED_RC },
	{},
};
