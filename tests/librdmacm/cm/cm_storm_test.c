/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many connections over a link that loses, duplicates and reorders MADs,
 * between owners that decide late and differently. For each seed, every
 * connection ends, its owners see each end once, and nothing remains in the
 * engines.
 */
#include "cm/cm_engine.h"
#include "librdmacm/cm/cm_net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define NR_SEEDS	300
#define MAX_ACTIONS	512
#define CLIENTS_PER_RUN 24
#define SECOND_NS	(1000 * CM_NET_MS)

/* Something that the owner of a connection does later. */
struct action {
	uint64_t at_ns;
	struct cm_net_host *host;
	struct cm_conn *conn; /* NULL: begin a connection */
};

static struct cm_net net;
static struct cm_net_host *const client = &net.hosts[CM_NET_CLIENT];
static struct cm_net_host *const server = &net.hosts[CM_NET_SERVER];
static struct action actions[MAX_ACTIONS];
static unsigned int nr_actions;
/* What the owners have done */
static bool confirmed[CM_NET_CONNS], accepted[CM_NET_CONNS];

static void action_add(struct cm_net_host *host, struct cm_conn *conn,
		       uint64_t within_ns)
{
	assert_true(nr_actions < MAX_ACTIONS);
	actions[nr_actions++] = (struct action){
		.at_ns = net.now_ns + cm_net_random(&net, within_ns),
		.host = host,
		.conn = conn,
	};
}

static void owner_on_event(struct cm_net *same, struct cm_net_host *host,
			   const struct cm_event *event)
{
	switch (event->type) {
	case CM_EVENT_REQUEST:
	case CM_EVENT_REPLY:
		action_add(host, event->conn, 12 * SECOND_NS);
		break;
	case CM_EVENT_ESTABLISHED:
		action_add(host, event->conn, 60 * SECOND_NS);
		break;
	case CM_EVENT_DISCONNECTED:
		action_add(host, event->conn, 10 * SECOND_NS);
		break;
	default:
		break;
	}
}

static void owner_decide(struct cm_net_host *host, struct cm_conn *conn)
{
	bool refuses = cm_net_random(&net, 5) == 0;

	switch (conn->state) {
	case CM_REQ_RCVD:
	case CM_MRA_REQ_SENT:
		if (refuses) {
			cm_net_reject(&net, host, conn, CM_REJ_CONSUMER);
		} else {
			accepted[conn - host->conns] = true;
			cm_net_accept(&net, host, conn);
		}
		break;
	case CM_REP_RCVD:
	case CM_MRA_REP_SENT:
		if (refuses) {
			cm_net_reject(&net, host, conn, CM_REJ_CONSUMER);
		} else {
			confirmed[conn - host->conns] = true;
			cm_net_confirm(&net, host, conn);
			action_add(host, conn, 60 * SECOND_NS);
		}
		break;
	case CM_ESTABLISHED:
	case CM_DREQ_RCVD:
		cm_net_disconnect(&net, host, conn);
		break;
	default:
		break; /* the peer was faster */
	}
}

/* Runs the net, and each action at its time. */
static void run_all_actions(void)
{
	while (nr_actions) {
		unsigned int first = 0;
		struct action action;

		for (unsigned int i = 1; i < nr_actions; i++)
			if (actions[i].at_ns < actions[first].at_ns)
				first = i;
		action = actions[first];
		actions[first] = actions[--nr_actions];
		/* Events may add earlier actions, which are then late. */
		if (action.at_ns > net.now_ns)
			cm_net_run_until(&net, action.at_ns);
		if (action.conn)
			owner_decide(action.host, action.conn);
		else
			(void)cm_net_connect(&net);
	}
}

static void expect_active(unsigned int i)
{
	const unsigned int *nr = client->logs[i].nr;
	unsigned int refusals =
		nr[CM_EVENT_REJECTED] + nr[CM_EVENT_UNREACHABLE];

	assert_true(nr[CM_EVENT_REPLY] <= 1);
	if (confirmed[i])
		assert_int_equal(
			nr[CM_EVENT_DISCONNECTED] + nr[CM_EVENT_REJECTED], 1);
	else
		assert_int_equal(nr[CM_EVENT_DISCONNECTED], 0);
	if (!nr[CM_EVENT_REPLY])
		assert_int_equal(refusals, 1);
}

static void expect_passive(unsigned int i)
{
	const unsigned int *nr = server->logs[i].nr;

	assert_int_equal(nr[CM_EVENT_REQUEST], 1);
	assert_true(nr[CM_EVENT_ESTABLISHED] <= accepted[i]);
	assert_int_equal(nr[CM_EVENT_DISCONNECTED] + nr[CM_EVENT_REJECTED] +
				 nr[CM_EVENT_UNREACHABLE],
			 accepted[i]);
}

static void expect_empty_tables(const struct cm_net_host *host)
{
	unsigned int begin = CM_TABLE_REMOTE_ID * CM_NET_BUCKETS;
	unsigned int end = CM_NR_TABLES * CM_NET_BUCKETS;

	for (unsigned int i = begin; i < end; i++)
		assert_true(list_empty(&host->buckets[i]));
}

static void storm_run(uint64_t seed)
{
	cm_net_init(&net, seed);
	net.without_trace = true;
	net.loss = (unsigned int)cm_net_random(&net, 40);
	net.duplication = (unsigned int)cm_net_random(&net, 30);
	/* Half of the runs reorder MADs by more than a retransmission. */
	net.jitter_ns = seed % 2 ? 20 * CM_NET_MS : 8 * SECOND_NS;
	client->on_event = owner_on_event;
	server->on_event = owner_on_event;
	for (unsigned int i = 0; i < CM_NET_CONNS; i++) {
		confirmed[i] = false;
		accepted[i] = false;
	}
	for (int i = 0; i < CLIENTS_PER_RUN; i++)
		action_add(client, NULL, 30 * SECOND_NS);
	for (int i = 0; i < 20; i++) {
		run_all_actions();
		cm_net_run(&net, 200 * SECOND_NS);
	}
	cm_net_run_to_end(&net);
	assert_int_equal(nr_actions, 0);
	assert_int_equal(server->listener.nr_pending, 0);
	for (unsigned int i = 0; i < client->nr_conns; i++) {
		assert_int_equal(client->conns[i].state, CM_IDLE);
		expect_active(i);
	}
	for (unsigned int i = 0; i < server->nr_conns; i++) {
		assert_int_equal(server->conns[i].state, CM_IDLE);
		expect_passive(i);
	}
	expect_empty_tables(client);
	expect_empty_tables(server);
}

static void storm_of_connections_ends_each_once(void **state)
{
	unsigned int established = 0, refused = 0;

	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		storm_run(seed);
		for (unsigned int i = 0; i < CLIENTS_PER_RUN; i++) {
			established += confirmed[i];
			refused += !confirmed[i];
		}
	}
	print_message("%u connections established, %u not\n", established,
		      refused);
	assert_true(established > NR_SEEDS * CLIENTS_PER_RUN / 3);
	assert_true(refused > NR_SEEDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(storm_of_connections_ends_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
