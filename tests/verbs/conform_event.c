// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: completion events.
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

const struct conform_test conform_event[] = {
	{ "event.arm_then_poll_misses_nothing",
	  event_arm_then_poll_misses_nothing, NEED_RC },
	{ "event.each_arm_gives_one_event", event_each_arm_gives_one_event,
	  NEED_RC },
	{ "event.solicited_only_ignores_unsolicited",
	  event_solicited_only_ignores_unsolicited, NEED_RC },
	{},
};
