// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: completion events, and asynchronous events.
 */
#include "conform.h"

struct event_rig {
	struct pair pair;
	struct channel *channel;
	struct cq *cq; /* receive CQ of the server */
	struct mem *mem, *target;
};

static struct event_rig event_rig_new(void)
{
	struct event_rig rig = { .channel = channel_new(SERVER) };
	struct qp_args args = {};

	rig.cq = cq_new(SERVER, 256, rig.channel);
	args.recv_cq = rig.cq;
	rig.pair.client = qp_new(CLIENT, NULL);
	rig.pair.server = qp_new(SERVER, &args);
	qp_connect(rig.pair.client, rig.pair.server, NULL);
	rig.mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	rig.target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	return rig;
}

static void event_send(struct event_rig *rig, uint64_t wr_id,
		       unsigned int flags)
{
	struct work work = work_send(rig->mem, 0, 100);

	work.wr_id = wr_id;
	work.flags = flags;
	post_recv(rig->pair.server, rig->target, 0, 100, wr_id);
	post(rig->pair.client, &work);
	poll_success(rig->pair.client->send_cq, wr_id);
}

static void event_arm_then_poll_misses_nothing(void)
{
	struct event_rig rig = event_rig_new();

	for (uint64_t i = 0; i < 200; i++) {
		REQUIRE_EQUAL(cq_req_notify(rig.cq, false), 0);
		event_send(&rig, i, 0);
		REQUIRE(cq_event_wait(rig.channel, rig.cq, CONFORM_WAIT_MS));
		poll_success(rig.cq, i);
	}
}

static void event_each_arm_gives_one_event(void)
{
	struct event_rig rig = event_rig_new();

	REQUIRE_EQUAL(cq_req_notify(rig.cq, false), 0);
	event_send(&rig, 1, 0);
	event_send(&rig, 2, 0);
	REQUIRE(cq_event_wait(rig.channel, rig.cq, CONFORM_WAIT_MS));
	REQUIRE(!cq_event_wait(rig.channel, rig.cq, 2));
	poll_success(rig.cq, 1);
	poll_success(rig.cq, 2);
}

static void event_solicited_only_ignores_unsolicited(void)
{
	struct event_rig rig = event_rig_new();

	REQUIRE_EQUAL(cq_req_notify(rig.cq, true), 0);
	event_send(&rig, 1, 0);
	REQUIRE(!cq_event_wait(rig.channel, rig.cq, 2));
	event_send(&rig, 2, IBV_SEND_SOLICITED);
	REQUIRE(cq_event_wait(rig.channel, rig.cq, CONFORM_WAIT_MS));
	poll_success(rig.cq, 1);
	poll_success(rig.cq, 2);
}

/* A request does not report completions that are there already. */
static void event_arm_with_completions_present_needs_poll(void)
{
	struct event_rig rig = event_rig_new();

	for (uint64_t i = 0; i < 100; i += 4) {
		event_send(&rig, i, 0);
		event_send(&rig, i + 1, 0);
		REQUIRE_EQUAL(cq_req_notify(rig.cq, false), 0);
		if (i == 0)
			REQUIRE(!cq_event_wait(rig.channel, rig.cq, 2));
		poll_success(rig.cq, i);
		/* Polling does not disarm. */
		event_send(&rig, i + 2, 0);
		REQUIRE(cq_event_wait(rig.channel, rig.cq, CONFORM_WAIT_MS));
		poll_success(rig.cq, i + 1);
		poll_success(rig.cq, i + 2);
		/* The event disarms. */
		event_send(&rig, i + 3, 0);
		if (i == 0)
			REQUIRE(!cq_event_wait(rig.channel, rig.cq, 2));
		poll_success(rig.cq, i + 3);
	}
	REQUIRE(!cq_event_wait(rig.channel, rig.cq, 1));
}

/* Without the wait of event_send() for the requester, each send races. */
static void event_arm_while_completions_arrive_misses_nothing(void)
{
	struct event_rig rig = event_rig_new();
	uint64_t next = 0;

	for (uint64_t sent = 0; sent < 300; sent += 3) {
		struct work work[3];

		for (uint64_t i = 0; i < 3; i++) {
			post_recv(rig.pair.server, rig.target, 0, 100,
				  sent + i);
			work[i] = work_send(rig.mem, 0, 100);
			work[i].unsignaled = i < 2;
			work[i].wr_id = sent + i;
		}
		post_list(rig.pair.client, work, 3);
		while (next < sent + 3) {
			struct ibv_wc wc;

			/* arm, poll, and wait only if there was nothing */
			REQUIRE_EQUAL(cq_req_notify(rig.cq, false), 0);
			if (!poll_some(rig.cq, &wc, 1, 0)) {
				REQUIRE(cq_event_wait(rig.channel, rig.cq,
						      CONFORM_WAIT_MS));
				continue;
			}
			REQUIRE_EQUAL(wc.status, IBV_WC_SUCCESS);
			REQUIRE_EQUAL(wc.wr_id, next++);
		}
		poll_success(rig.pair.client->send_cq, sent + 2);
		while (cq_event_wait(rig.channel, rig.cq, 0))
			;
	}
	poll_nothing(rig.cq, 0);
}

static void event_two_cqs_of_a_channel_are_named(void)
{
	struct channel *channel = channel_new(CLIENT);
	struct cq *cq[2] = { cq_new(CLIENT, 16, channel),
			     cq_new(CLIENT, 16, channel) };
	const struct qp_args args = { .send_cq = cq[0], .recv_cq = cq[1] };
	struct pair pair = pair_new(&args, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	for (int i = 0; i < 20; i++) {
		const bool receives = i & 1;
		struct work work = work_send(receives ? target : mem, 0, 10);

		REQUIRE_EQUAL(cq_req_notify(cq[0], false), 0);
		REQUIRE_EQUAL(cq_req_notify(cq[1], false), 0);
		post_recv(receives ? pair.client : pair.server,
			  receives ? mem : target, 100, 10, 0);
		post(receives ? pair.server : pair.client, &work);
		REQUIRE(cq_event_wait(channel, cq[receives], CONFORM_WAIT_MS));
		poll_success(cq[receives], 0);
		poll_success(receives ? pair.server->send_cq
				      : pair.server->recv_cq,
			     0);
	}
	REQUIRE(!cq_event_wait(channel, NULL, 1));
}

static void event_unacknowledged_blocks_destroy(void)
{
	struct event_rig rig = event_rig_new();

	for (uint64_t i = 0; i < 3; i++) {
		REQUIRE_EQUAL(cq_req_notify(rig.cq, false), 0);
		event_send(&rig, i, 0);
		REQUIRE(cq_event_get(rig.channel, rig.cq, CONFORM_WAIT_MS));
		poll_success(rig.cq, i);
	}
	cq_event_ack(rig.cq, 2);
	REQUIRE_EQUAL(qp_destroy(rig.pair.server), 0);
	REQUIRE(cq_destroy_acking(rig.cq, 1, 20));
}

/* An event that was not read belongs to no one after the CQ is destroyed. */
static void event_destroy_drops_unread_events(void)
{
	struct event_rig rig = event_rig_new();

	REQUIRE_EQUAL(cq_req_notify(rig.cq, false), 0);
	event_send(&rig, 0, 0);
	poll_success(rig.cq, 0);
	REQUIRE_EQUAL(qp_destroy(rig.pair.server), 0);
	REQUIRE_EQUAL(cq_destroy(rig.cq), 0);
	REQUIRE(!cq_event_wait(rig.channel, NULL, 1));
}

/* -- asynchronous events -- */

static void event_server_to_rtr(struct qp *client, struct qp *server)
{
	REQUIRE_EQUAL(qp_to_init(client, NULL), 0);
	REQUIRE_EQUAL(qp_to_init(server, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(client, server, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(server, client, NULL), 0);
	REQUIRE_EQUAL(qp_to_rts(client, NULL), 0);
}

/* Once, with the first message of a QP in RTR. */
static void event_comm_est_in_rtr(void)
{
	struct qp *client = qp_new(CLIENT, NULL),
		  *server = qp_new(SERVER, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_send(mem, 0, 100);
	struct conform_event event;

	event_server_to_rtr(client, server);
	REQUIRE(!event_wait(SERVER, &event, 2));
	for (uint64_t i = 0; i < 3; i++) {
		post_recv(server, target, 0, 100, i);
		post(client, &work);
		poll_success(server->recv_cq, i);
		poll_success(client->send_cq, 0);
		if (i == 0)
			event_require(SERVER, IBV_EVENT_COMM_EST, server->id);
		REQUIRE_EQUAL(qp_query(server).qp_state, IBV_QPS_RTR);
	}
	REQUIRE_EQUAL(qp_to_rts(server, NULL), 0);
	post_recv(server, target, 0, 100, 9);
	post(client, &work);
	poll_success(server->recv_cq, 9);
	poll_success(client->send_cq, 0);
	REQUIRE(!event_wait(SERVER, &event, 1));
	REQUIRE(!event_wait(CLIENT, &event, 0));
}

static void event_no_comm_est_in_rts(void)
{
	struct event_rig rig = event_rig_new();
	struct conform_event event;

	event_send(&rig, 0, 0);
	poll_success(rig.cq, 0);
	REQUIRE(!event_wait(SERVER, &event, 1));
	REQUIRE(!event_wait(CLIENT, &event, 0));
}

/* One completion more than fit into the CQ. */
static void event_cq_overrun_reported(void)
{
	struct cq *cq = cq_new(CLIENT, 4, NULL);
	struct qp_args args = { .recv_cq = cq };
	struct pair pair = pair_new(&args, NULL);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);
	struct mem *source = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct work work = work_send(source, 0, 100);
	struct conform_event event;

	if (cq->cqe >= 120)
		conform_skip("the smallest CQ is larger than the queues");
	for (int i = 0; i <= cq->cqe; i++)
		post_recv(pair.client, mem, 0, 100, (uint64_t)i);
	for (int i = 0; i < cq->cqe; i++) {
		post(pair.server, &work);
		poll_success(pair.server->send_cq, 0);
	}
	REQUIRE(!event_wait(CLIENT, &event, 2));
	REQUIRE_EQUAL(qp_query(pair.client).qp_state, IBV_QPS_RTS);
	post(pair.server, &work);
	event_require(CLIENT, IBV_EVENT_CQ_ERR, cq->id);
	qp_wait_state(pair.client, IBV_QPS_ERR);
}

const struct conform_test conform_event[] = {
	{ "event.arm_then_poll_misses_nothing",
	  event_arm_then_poll_misses_nothing, NEED_RC },
	{ "event.each_arm_gives_one_event", event_each_arm_gives_one_event,
	  NEED_RC },
	{ "event.solicited_only_ignores_unsolicited",
	  event_solicited_only_ignores_unsolicited, NEED_RC },
	{ "event.arm_with_completions_present_needs_poll",
	  event_arm_with_completions_present_needs_poll, NEED_RC },
	{ "event.arm_while_completions_arrive_misses_nothing",
	  event_arm_while_completions_arrive_misses_nothing, NEED_RC },
	{ "event.two_cqs_of_a_channel_are_named",
	  event_two_cqs_of_a_channel_are_named, NEED_RC },
	{ "event.unacknowledged_blocks_destroy",
	  event_unacknowledged_blocks_destroy, NEED_RC },
	{ "event.destroy_drops_unread_events",
	  event_destroy_drops_unread_events, NEED_RC },
	{ "event.comm_est_in_rtr", event_comm_est_in_rtr, NEED_RC },
	{ "event.no_comm_est_in_rts", event_no_comm_est_in_rts, NEED_RC },
	{ "event.cq_overrun_reported", event_cq_overrun_reported, NEED_RC },
	{},
};
