// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of the framework of the conformance tests: the functions of conform.h
 * for all kinds of objects, requests and events do what they say.
 */
#include "conform.h"

static void framework_srq_functions_work(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	const struct qp_args args = { .srq = srq };
	struct pair pair = pair_new(&args, NULL);
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct mem *to = mem_new(SERVER, 64, IBV_ACCESS_LOCAL_WRITE);
	struct work work = work_send(from, 0, 64);

	REQUIRE(!pair.client->srq && pair.server->srq == srq);
	mem_fill(from, 0, 64, 1);
	post_srq_recv(srq, to, 0, 64, 3);
	REQUIRE_EQUAL(srq_modify(srq, 1), 0);
	REQUIRE_EQUAL(srq_query(srq).srq_limit, 1);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	poll_success(pair.server->recv_cq, 3);
	event_require(SERVER, IBV_EVENT_SRQ_LIMIT_REACHED, srq->id);
	mem_require(to, 0, 64, 1);
	if (conform_device()->orig_attr.device_cap_flags &
	    IBV_DEVICE_SRQ_RESIZE) {
		REQUIRE_EQUAL(srq_resize(srq, 100), 0);
		REQUIRE(srq_query(srq).max_wr >= 100);
	}
	REQUIRE_EQUAL(srq_destroy(srq), EBUSY);
}

static void framework_channel_functions_work(void)
{
	struct channel *channel = channel_new(SERVER);
	struct cq *cq = cq_new(SERVER, 16, channel);
	const struct qp_args args = { .send_cq = cq, .recv_cq = cq };
	struct pair pair = pair_new(&args, NULL);
	struct mem *mem = mem_new(CLIENT, 64, 0);
	struct work work = work_send(mem, 0, 0);

	REQUIRE_EQUAL(cq_req_notify(cq, false), 0);
	REQUIRE(!cq_event_wait(channel, cq, 10));
	REQUIRE_EQUAL(post_recv_try(pair.server, 4, NULL, 0), 0);
	post(pair.client, &work);
	REQUIRE(cq_event_wait(channel, cq, CONFORM_WAIT_MS));
	poll_success(cq, 4);
	poll_nothing(cq, 0);
	REQUIRE_EQUAL(cq_resize(cq, 64), 0);
	REQUIRE_EQUAL(cq_destroy(cq), EBUSY);
	REQUIRE_EQUAL(qp_destroy(pair.server), 0);
	REQUIRE_EQUAL(cq_destroy(cq), 0);
}

static void framework_cq_ex_functions_work(void)
{
	struct cq *cq = cq_new_ex(CLIENT, 16, NULL, IBV_WC_STANDARD_FLAGS);
	const struct qp_args args = { .send_cq = cq, .recv_cq = cq };
	struct pair pair = pair_new(&args, NULL);
	struct mem *to = mem_new(SERVER, 64, CONFORM_ALL_ACCESS);
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, to, 0, 0, to, 0); /* no bytes */
	struct wc_ex wc[2];

	REQUIRE(cq->cqe >= 16);
	REQUIRE_EQUAL(poll_ex(cq, wc, 2, 0), 0);
	work.wr_id = 5;
	work.nr_sge = 0;
	post(pair.client, &work);
	REQUIRE_EQUAL(poll_ex(cq, wc, 2, CONFORM_WAIT_MS), 1);
	REQUIRE_EQUAL(wc[0].wc.wr_id, 5);
	REQUIRE_EQUAL(wc[0].wc.qp_num, pair.client->num);
}

static void framework_step_gives_required_attributes(void)
{
	struct qp *qp = qp_new(CLIENT, NULL);
	struct ibv_qp_attr attr;
	int mask = qp_step(qp, NULL, IBV_QPS_INIT, NULL, &attr);

	REQUIRE_EQUAL(mask, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				    IBV_QP_ACCESS_FLAGS);
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), 0);
	REQUIRE(conform_gid()->global.interface_id != 0);
}

static void framework_event_functions_work(void)
{
	struct channel *channel = channel_new(SERVER);
	struct cq *cq = cq_new(SERVER, 16, channel);
	const struct qp_args args = { .send_cq = cq, .recv_cq = cq };
	struct qp *qp = qp_new(SERVER, &args);

	for (int i = 0; i < 3; i++) {
		REQUIRE_EQUAL(cq_req_notify(cq, false), 0);
		REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
		REQUIRE_EQUAL(post_recv_try(qp, 4, NULL, 0), 0);
		REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_ERR), 0);
		REQUIRE(cq_event_get(channel, cq, CONFORM_WAIT_MS));
		REQUIRE_EQUAL(qp_to_state(qp, IBV_QPS_RESET), 0);
	}
	cq_event_ack(cq, 1);
	REQUIRE_EQUAL(qp_destroy(qp), 0);
	REQUIRE(cq_destroy_acking(cq, 2, 20));
	REQUIRE(cq_destroy(cq) != 0);
}

static void framework_datagram(struct pair pair, struct ah *ah, uint32_t qpn)
{
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct mem *to = mem_new(SERVER, 200, IBV_ACCESS_LOCAL_WRITE);
	struct work work = work_send(from, 0, 64);
	struct ibv_wc wc;

	work.ah = ah;
	work.remote_qpn = qpn;
	work.remote_qkey = CONFORM_QKEY;
	mem_fill(from, 0, 64, 1);
	post_recv(pair.server, to, 0, 200, 3);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	wc = poll_success(pair.server->recv_cq, 3);
	REQUIRE_EQUAL(wc.byte_len, 104);
	REQUIRE_EQUAL(wc.src_qp, pair.client->num);
	mem_require(to, 40, 64, 1);
}

static void framework_datagram_functions_work(void)
{
	const struct qp_args args = { .type = IBV_QPT_UD };
	struct pair pair = pair_new(&args, NULL);

	framework_datagram(pair, ah_new(CLIENT), pair.server->num);
	REQUIRE_EQUAL(mcast_attach(pair.server, 7), 0);
	framework_datagram(pair, ah_new_mcast(CLIENT, 7), 0xffffff);
	REQUIRE_EQUAL(mcast_detach(pair.server, 7), 0);
	REQUIRE_EQUAL(mcast_attach(pair.server, 8), 0); /* detached later */
}

/* Writes 8 bytes by a key. */
static void framework_write_by(struct pair pair, struct mem *from,
			       const struct mem *to, uint32_t rkey,
			       uint32_t seed)
{
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, from, 0, 8, to, 100);

	mem_fill(from, 0, 8, seed);
	work.rkey = rkey;
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	mem_require(to, 100, 8, seed);
}

static void framework_window_functions_work(void)
{
	const struct connect_args connect = { .access = CONFORM_ALL_ACCESS };
	struct pair pair = pair_new(NULL, &connect);
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct mem *to = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct mw *one = mw_new(SERVER, IBV_MW_TYPE_1);
	struct mw *two = mw_new(SERVER, IBV_MW_TYPE_2);
	struct work work = {
		.opcode = IBV_WR_BIND_MW,
		.wr_id = 2,
		.mw = two,
		.bind_rkey = mw_inc_rkey(two),
		.bind_mem = to,
		.bind_offset = 100,
		.bind_length = 8,
		.bind_access = IBV_ACCESS_REMOTE_WRITE,
	};

	REQUIRE_EQUAL(mw_bind_1(pair.server, one, to, 100, 8,
				IBV_ACCESS_REMOTE_WRITE, 1),
		      0);
	REQUIRE_EQUAL(poll_success(pair.server->send_cq, 1).opcode,
		      IBV_WC_BIND_MW);
	framework_write_by(pair, from, to, one->rkey, 1);
	post(pair.server, &work);
	poll_success(pair.server->send_cq, 2);
	framework_write_by(pair, from, to, two->rkey, 2);
	work = (struct work){ .opcode = IBV_WR_LOCAL_INV, .imm = two->rkey };
	post(pair.server, &work);
	poll_success(pair.server->send_cq, 0);
	REQUIRE_EQUAL(mw_dealloc(one), 0);
}

static void framework_atomic_functions_work(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *old = mem_new(CLIENT, 64, IBV_ACCESS_LOCAL_WRITE);
	struct mem *to = mem_new(SERVER, 64, CONFORM_ALL_ACCESS);
	uint64_t *result = (uint64_t *)(void *)old->view;
	uint64_t *target = (uint64_t *)(void *)to->view;
	struct work work[3] = {
		work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, old, 0, to, 8, 5, 0),
		work_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, old, 8, to, 8, 15, 99),
		work_atomic_write(to, 16, 1234),
	};

	target[1] = 10;
	post_list(pair.client, work, 3);
	for (int i = 0; i < 3; i++)
		poll_success(pair.client->send_cq, 0);
	REQUIRE_EQUAL(result[0], 10);
	REQUIRE_EQUAL(result[1], 15);
	REQUIRE_EQUAL(target[1], 99);
	REQUIRE_EQUAL(target[2], 1234);
}

static void framework_flush_functions_work(void)
{
	const struct qp_args args = { .wr_api = true };
	const struct connect_args connect = {
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_FLUSH_GLOBAL,
	};
	struct pair pair = pair_new(&args, &connect);
	struct mem *to = mem_new(SERVER, 64,
				 CONFORM_ALL_ACCESS | IBV_ACCESS_FLUSH_GLOBAL);
	struct work work =
		work_flush(to, 0, 64, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);

	post(pair.client, &work);
	REQUIRE_EQUAL(poll_success(pair.client->send_cq, 0).opcode,
		      IBV_WC_FLUSH);
}

static void framework_spin_sees_copy(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct mem *to = mem_new(SERVER, 64, CONFORM_ALL_ACCESS);
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, from, 0, 64, to, 0);
	const uint8_t *copy;

	memset(from->view, 0x77, 64);
	server_spin_byte(to, 0, 0x77, 0, 1);
	post(pair.client, &work);
	copy = server_spin_result();
	REQUIRE_EQUAL(copy[0], 0x77);
	poll_success(pair.client->send_cq, 0);
}

static void framework_memory_functions_work(void)
{
	struct mem *mem = mem_new_in_pd(SERVER, pd_new(SERVER), 4096,
					IBV_ACCESS_LOCAL_WRITE);

	REQUIRE_EQUAL(mem_rereg(mem, IBV_REREG_MR_CHANGE_PD, 0, 0), 0);
	REQUIRE_EQUAL(mem_rereg(mem, IBV_REREG_MR_CHANGE_ACCESS, -1,
				CONFORM_ALL_ACCESS),
		      0);
	REQUIRE(mem->addr != (uintptr_t)mem->view);
	REQUIRE_EQUAL(mem_dereg(mem), 0);
	REQUIRE(mem_dereg(mem) != 0);
}

static void framework_dm_functions_work(void)
{
	struct dm *dm = dm_new(SERVER, 4096), *aligned = NULL;
	struct mem *buffer = mem_new(SERVER, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct mem *region = dm_mem_new(dm, 64, 128, IBV_ACCESS_LOCAL_WRITE);

	REQUIRE_EQUAL(dm_new_try(CLIENT, 8, 6, &aligned), 0);
	REQUIRE_EQUAL(aligned->length, 8);
	REQUIRE_EQUAL(region->addr, 0);
	REQUIRE_EQUAL(region->length, 128);
	mem_fill(buffer, 0, 64, 1);
	REQUIRE_EQUAL(dm_copy_to(dm, 64, buffer, 0, 64), 0);
	REQUIRE_EQUAL(dm_copy_from(buffer, 1024, dm, 64, 64), 0);
	mem_require(buffer, 1024, 64, 1);
	REQUIRE(dm_reg_try(dm, 0, 8192, IBV_ACCESS_ZERO_BASED) != 0);
	REQUIRE_EQUAL(mem_dereg(region), 0);
	REQUIRE_EQUAL(dm_free(dm), 0);
	REQUIRE(dm_free(dm) != 0);
}

static void framework_error_functions_work(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct mem *to = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work[2] = {
		work_rdma(IBV_WR_RDMA_WRITE, from, 0, 64, to, 0),
		work_send(from, 0, 64),
	};
	int bad = 0;

	work[0].rkey ^= 0x5500;
	post_list(pair.client, work, 2);
	poll_status(pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
	poll_status(pair.client->send_cq, IBV_WC_WR_FLUSH_ERR);
	qp_wait_state(pair.client, IBV_QPS_ERR);
	qp_wait_state(pair.server, IBV_QPS_ERR);
	event_require(SERVER, IBV_EVENT_QP_ACCESS_ERR, pair.server->id);
	REQUIRE_EQUAL(qp_to_state(pair.client, IBV_QPS_RESET), 0);
	REQUIRE_EQUAL(qp_query(pair.client).qp_state, IBV_QPS_RESET);
	REQUIRE_EQUAL(post_try(pair.client, work, 2, &bad), EINVAL);
	REQUIRE_EQUAL(bad, conform_is_wr() ? -1 : 0);
	REQUIRE_EQUAL(qp_to_state(pair.server, IBV_QPS_RESET), 0);
	qp_connect(pair.client, pair.server, NULL);
	framework_write_by(pair, from, to, to->rkey, 1);
}

const struct conform_test conform_framework_api[] = {
	{ "framework.srq_functions_work", framework_srq_functions_work,
	  NEED_SRQ },
	{ "framework.channel_functions_work", framework_channel_functions_work,
	  NEED_RESIZE_CQ },
	{ "framework.cq_ex_functions_work", framework_cq_ex_functions_work,
	  NEED_RC },
	{ "framework.step_gives_required_attributes",
	  framework_step_gives_required_attributes, NEED_RC },
	{ "framework.event_functions_work", framework_event_functions_work,
	  NEED_RC },
	{ "framework.datagram_functions_work",
	  framework_datagram_functions_work, NEED_UD | NEED_MCAST },
	{ "framework.window_functions_work", framework_window_functions_work,
	  NEED_MW | NEED_MW_1 },
	{ "framework.atomic_functions_work", framework_atomic_functions_work,
	  NEED_ATOMIC | NEED_ATOMIC_WRITE },
	{ "framework.flush_functions_work", framework_flush_functions_work,
	  NEED_FLUSH },
	{ "framework.spin_sees_copy", framework_spin_sees_copy, NEED_RC },
	{ "framework.memory_functions_work", framework_memory_functions_work,
	  NEED_REREG },
	{ "framework.dm_functions_work", framework_dm_functions_work, NEED_DM },
	{ "framework.error_functions_work", framework_error_functions_work,
	  NEED_RC },
	{},
};
