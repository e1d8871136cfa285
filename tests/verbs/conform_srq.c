// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: shared receive queues.
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

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
			if (i == 0) /* 3 are left, which is the limit */
				REQUIRE(!event_wait(SERVER, &event, 2));
			if (i == 1)
				event_require(SERVER,
					      IBV_EVENT_SRQ_LIMIT_REACHED,
					      srq->id);
		}
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

/* A refused request takes no place; a taken one makes room for the next. */
static void srq_full_takes_one_for_each_message(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	const uint32_t max_wr = srq_query(srq).max_wr;
	struct ibv_sge list = sge(target, 0, 100);
	uint64_t next = max_wr;

	for (uint32_t i = 0; i < max_wr; i++)
		REQUIRE_EQUAL(post_srq_recv_try(srq, i, &list, 1), 0);
	for (uint64_t i = 0; i < 8; i++) {
		REQUIRE_EQUAL(post_srq_recv_try(srq, 9999, &list, 1), ENOMEM);
		srq_send(pair, mem, i);
		poll_success(pair.server->recv_cq, i);
		poll_success(pair.client->send_cq, i);
		REQUIRE_EQUAL(post_srq_recv_try(srq, next++, &list, 1), 0);
	}
	for (uint64_t i = 8; i < 12; i++) {
		srq_send(pair, mem, i);
		poll_success(pair.server->recv_cq, i);
		poll_success(pair.client->send_cq, i);
	}
}

static void srq_too_many_sges_are_einval(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	const uint32_t max_sge = srq_query(srq).max_sge;
	struct ibv_sge list[CONFORM_MAX_SGE + 1];

	REQUIRE(max_sge >= 1);
	if (max_sge > CONFORM_MAX_SGE)
		conform_skip("the device grants more SGEs");
	for (uint32_t i = 0; i <= max_sge; i++)
		list[i] = sge(target, (size_t)i * 8, 8);
	REQUIRE_EQUAL(post_srq_recv_try(srq, 1, list, (int)max_sge + 1),
		      EINVAL);
	REQUIRE_EQUAL(post_srq_recv_try(srq, 1, list, (int)max_sge), 0);
}

/* A limit above the size is refused, and the old one stays. */
static void srq_limit_above_size_is_einval(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	const uint32_t max_wr = srq_query(srq).max_wr;

	REQUIRE_EQUAL(srq_query(srq).srq_limit, 0);
	REQUIRE_EQUAL(srq_modify(srq, 5), 0);
	REQUIRE_EQUAL(srq_query(srq).srq_limit, 5);
	REQUIRE_EQUAL(srq_modify(srq, max_wr + 1), EINVAL);
	REQUIRE_EQUAL(srq_query(srq).srq_limit, 5);
	REQUIRE_EQUAL(srq_query(srq).max_wr, max_wr);
	REQUIRE_EQUAL(srq_modify(srq, 0), 0);
	REQUIRE_EQUAL(srq_query(srq).srq_limit, 0);
}

/* Posted requests stay, in their order. */
static void srq_resize_keeps_requests(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 1 << 16, CONFORM_ALL_ACCESS);
	const uint32_t max_wr = srq_query(srq).max_wr;

	if (!(conform_device()->orig_attr.device_cap_flags &
	      IBV_DEVICE_SRQ_RESIZE))
		conform_skip("SRQs cannot be resized");
	mem_fill(mem, 0, 100, 4);
	for (uint64_t i = 0; i < 10; i++)
		post_srq_recv(srq, target, i * 200, 100, i);
	for (uint64_t i = 0; i < 4; i++) {
		srq_send(pair, mem, i);
		poll_success(pair.server->recv_cq, i);
		poll_success(pair.client->send_cq, i);
	}
	REQUIRE_EQUAL(srq_resize(srq, max_wr + 100), 0);
	REQUIRE(srq_query(srq).max_wr >= max_wr + 100);
	for (uint64_t i = 10; i < max_wr + 100; i++)
		post_srq_recv(srq, target, (i % 100) * 200, 100, i);
	for (uint64_t i = 4; i < max_wr + 100; i++) {
		if (i >= 100)
			memset(target->view + (i % 100) * 200, 0, 100);
		srq_send(pair, mem, i);
		REQUIRE_EQUAL(poll_success(pair.server->recv_cq, i).byte_len,
			      100);
		poll_success(pair.client->send_cq, i);
		mem_require(target, (i % 100) * 200, 100, 4);
		mem_require_value(target, (i % 100) * 200 + 100, 100, 0);
	}
	poll_nothing(pair.server->recv_cq, 0);
}

/* Fewer places than posted requests is refused, and nothing is lost. */
static void srq_resize_below_requests_is_refused(void)
{
	struct srq *srq = srq_new(SERVER, 1000, 1);
	struct pair pair = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	const uint32_t max_wr = srq_query(srq).max_wr;

	if (!(conform_device()->orig_attr.device_cap_flags &
	      IBV_DEVICE_SRQ_RESIZE))
		conform_skip("SRQs cannot be resized");
	for (uint32_t i = 0; i < max_wr; i++)
		post_srq_recv(srq, target, 0, 100, i);
	REQUIRE(srq_resize(srq, 1) != 0);
	REQUIRE_EQUAL(srq_query(srq).max_wr, max_wr);
	for (uint32_t i = 0; i < 10; i++) {
		srq_send(pair, mem, i);
		poll_success(pair.server->recv_cq, i);
		poll_success(pair.client->send_cq, i);
	}
}

/* Requests of the SRQ are not flushed with a QP; another QP takes them. */
static void srq_destroyed_qp_leaves_requests(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq), other = srq_pair_new(srq);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	for (uint64_t i = 0; i < 3; i++)
		post_srq_recv(srq, target, i * 1000, 1000, i);
	srq_send(pair, mem, 0);
	poll_success(pair.server->recv_cq, 0);
	poll_success(pair.client->send_cq, 0);
	REQUIRE_EQUAL(qp_to_state(pair.server, IBV_QPS_RESET), 0);
	REQUIRE_EQUAL(qp_destroy(pair.server), 0);
	poll_nothing(pair.server->recv_cq, 0);
	for (uint64_t i = 1; i < 3; i++) {
		srq_send(other, mem, i);
		poll_success(other.server->recv_cq, i);
		poll_success(other.client->send_cq, i);
	}
}

/* A QP with an SRQ has no receive queue of its own. */
static void srq_post_recv_of_its_qp_is_refused(void)
{
	struct srq *srq = srq_new(SERVER, 16, 1);
	struct pair pair = srq_pair_new(srq);
	struct qp own = *pair.server;

	own.srq = NULL; /* ibv_post_recv() */
	REQUIRE(post_recv_try(&own, 1, NULL, 0) != 0);
	poll_nothing(pair.server->recv_cq, 0);
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
	{ "srq.full_takes_one_for_each_message",
	  srq_full_takes_one_for_each_message, NEED_SRQ },
	{ "srq.too_many_sges_are_einval", srq_too_many_sges_are_einval,
	  NEED_SRQ },
	{ "srq.limit_above_size_is_einval", srq_limit_above_size_is_einval,
	  NEED_SRQ },
	{ "srq.resize_keeps_requests", srq_resize_keeps_requests, NEED_SRQ },
	{ "srq.resize_below_requests_is_refused",
	  srq_resize_below_requests_is_refused, NEED_SRQ },
	{ "srq.destroyed_qp_leaves_requests", srq_destroyed_qp_leaves_requests,
	  NEED_SRQ },
	{ "srq.post_recv_of_its_qp_is_refused",
	  srq_post_recv_of_its_qp_is_refused, NEED_SRQ },
	{},
};
