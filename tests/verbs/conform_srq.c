// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: shared receive queues.
 */
#include "conform.h"

#include <errno.h>

static struct pair srq_pair_new(struct srq *srq)
{
	const struct qp_args args = { .srq = srq };
	struct pair pair = { qp_new(CLIENT, NULL), qp_new(SERVER, &args) };

	qp_connect(pair.client, pair.server, NULL);
	return pair;
}

static void srq_send(struct pair pair, struct mem *mem, uint64_t wr_id)
{
	struct work work = work_send(mem, 0, 100);

	work.wr_id = wr_id;
	post(pair.client, &work);
}

static void srq_several_qps_take_receives_once(void)
{
	struct srq *srq = srq_new(SERVER, 64, 1);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 1 << 16, CONFORM_ALL_ACCESS);
	struct pair pair[3];

	mem_fill(mem, 0, 100, 1);
	for (int i = 0; i < 3; i++)
		pair[i] = srq_pair_new(srq);
	for (int i = 0; i < 12; i++)
		post_srq_recv(srq, target, (size_t)i * 1000, 1000, i);
	for (int i = 0; i < 12; i++) {
		struct pair p = pair[i % 3];
		struct ibv_wc wc;

		srq_send(p, mem, 100 + i);
		wc = poll_success(p.server->recv_cq, i);
		REQUIRE_EQUAL(wc.qp_num, p.server->num);
		REQUIRE_EQUAL(wc.byte_len, 100);
		poll_success(p.client->send_cq, 100 + i);
		mem_require(target, (size_t)i * 1000, 100, 1);
		mem_require_value(target, (size_t)i * 1000 + 100, 900, 0);
	}
}

static void srq_limit_fires_once(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct conform_event event;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			post_srq_recv(srq, target, 0, 1000, i);
		REQUIRE_EQUAL(srq_modify(srq, 3), 0);
		REQUIRE_EQUAL(srq_query(srq).srq_limit, 3);
		for (int i = 0; i < 4; i++) {
			srq_send(pair, mem, i);
			poll_success(pair.server->recv_cq, i);
			poll_success(pair.client->send_cq, i);
			if (i == 0)
				REQUIRE(!event_wait(SERVER, &event, 2));
		}
		event_require(SERVER, IBV_EVENT_SRQ_LIMIT_REACHED, srq->id);
		REQUIRE(!event_wait(SERVER, &event, 2));
		REQUIRE_EQUAL(srq_query(srq).srq_limit, 0);
	}
}

static void srq_last_wqe_reached_on_error(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq), other = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	post_srq_recv(srq, target, 0, 1000, 1);
	REQUIRE_EQUAL(qp_to_state(pair.server, IBV_QPS_ERR), 0);
	event_require(SERVER, IBV_EVENT_QP_LAST_WQE_REACHED, pair.server->id);
	poll_nothing(pair.server->recv_cq, 1);
	srq_send(other, mem, 5);
	poll_success(other.server->recv_cq, 1);
	poll_success(other.client->send_cq, 5);
}

static void srq_destroy_while_used_is_ebusy(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	const struct qp_args args = { .srq = srq };
	struct qp *qp = qp_new(SERVER, &args);

	REQUIRE_EQUAL(srq_destroy(srq), EBUSY);
	REQUIRE_EQUAL(qp_destroy(qp), 0);
	REQUIRE_EQUAL(srq_destroy(srq), 0);
}

static void srq_empty_is_rnr_until_receive(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	srq_send(pair, mem, 5);
	poll_nothing(pair.client->send_cq, 5);
	post_srq_recv(srq, target, 0, 1000, 1);
	poll_success(pair.server->recv_cq, 1);
	poll_success(pair.client->send_cq, 5);
}

static void srq_overflow_is_enomem(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	const uint32_t max_wr = srq_query(srq).max_wr;
	struct ibv_sge list = sge(target, 0, 100);

	REQUIRE(max_wr >= 16);
	for (uint32_t i = 0; i < max_wr; i++)
		REQUIRE_EQUAL(post_srq_recv_try(srq, i, &list, 1), 0);
	REQUIRE_EQUAL(post_srq_recv_try(srq, max_wr, &list, 1), ENOMEM);
}

const struct conform_test conform_srq[] = {
	{ "srq.several_qps_take_receives_once",
	  srq_several_qps_take_receives_once, NEED_SRQ },
	{ "srq.limit_fires_once", srq_limit_fires_once, NEED_SRQ },
	{ "srq.last_wqe_reached_on_error", srq_last_wqe_reached_on_error,
	  NEED_SRQ },
	{ "srq.destroy_while_used_is_ebusy", srq_destroy_while_used_is_ebusy,
	  NEED_SRQ },
	{ "srq.empty_is_rnr_until_receive", srq_empty_is_rnr_until_receive,
	  NEED_SRQ },
	{ "srq.overflow_is_enomem", srq_overflow_is_enomem, NEED_SRQ },
	{},
};
