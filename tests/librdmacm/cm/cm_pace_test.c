/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pace of REQs and DREQs: a burst is sent at once, the rest later. The
 * burst precedes the connections under test.
 */
#include "cm/cm_engine.h"
#include "librdmacm/cm/cm_net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ACTIVE_TIMEOUT_NS (6144 * CM_NET_MS)
/* The interval of two messages, rounded up to milliseconds, and the link */
#define SOON_NS (2 * CM_NET_MS)
/* Not one of cm_net */
#define COMM_ID 0x10000000

static struct cm_net net;
static struct cm_net_host *const client = &net.hosts[CM_NET_CLIENT];
static struct cm_net_host *const server = &net.hosts[CM_NET_SERVER];

static int setup(void **state)
{
	cm_net_init(&net, 1);
	client->on_event = cm_net_be_polite;
	server->on_event = cm_net_be_polite;
	return 0;
}

/* Sends a burst of REQs, whose connections do not stay; returns their number.
 */
static unsigned int burst_send(void)
{
	struct cm_connect_param param;
	struct cm_output out;
	struct cm_conn conn;
	unsigned int nr_sent = 0;

	cm_net_connect_param(&param, 0x100);
	for (unsigned int i = 0; i < CM_PACE_BURST; i++) {
		assert_int_equal(cm_conn_add(&client->cm, &conn, COMM_ID), 0);
		assert_int_equal(cm_conn_connect(&client->cm, &conn, &param,
						 net.now_ns, &out),
				 0);
		nr_sent += out.nr_sends;
		cm_conn_remove(&client->cm, &conn, &out);
	}
	return nr_sent;
}

static void burst_of_requests_is_sent_at_once(void **state)
{
	assert_int_equal(burst_send(), CM_PACE_BURST);
}

static void request_after_burst_is_sent_soon(void **state)
{
	struct cm_conn *conn;

	(void)burst_send();
	conn = cm_net_connect(&net);
	assert_string_equal(net.trace, "");
	assert_int_equal(conn->state, CM_REQ_SENT);
	cm_net_run(&net, SOON_NS);
	assert_memory_equal(net.trace, "C.REQ", 5);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

static void requests_after_burst_have_rate(void **state)
{
	net.without_trace = true;
	(void)burst_send();
	for (unsigned int i = 0; i < CM_NET_CONNS; i++)
		(void)cm_net_connect(&net);
	server->listener.backlog = CM_NET_CONNS;
	cm_net_run(&net, CM_NET_MS * 1000 * CM_NET_CONNS / CM_PACE_RATE / 2);
	assert_int_not_equal(client->conns[0].state, CM_REQ_SENT);
	assert_int_equal(client->conns[CM_NET_CONNS - 1].state, CM_REQ_SENT);
	cm_net_run(&net, CM_NET_MS * 1000 * CM_NET_CONNS / CM_PACE_RATE / 2 +
				 SOON_NS);
	for (unsigned int i = 0; i < CM_NET_CONNS; i++)
		assert_int_equal(client->conns[i].state, CM_ESTABLISHED);
}

static void request_deferred_has_all_retransmissions(void **state)
{
	struct cm_conn *conn;

	(void)burst_send();
	net.without_trace = true;
	conn = cm_net_connect(&net);
	net.drop_attr = CM_REQ;
	net.nr_drops = 1000000;
	cm_net_run(&net, 16 * ACTIVE_TIMEOUT_NS);
	assert_int_equal(cm_net_log_of(client, conn)->nr[CM_EVENT_UNREACHABLE],
			 0);
	cm_net_run(&net, 2 * CM_NET_MS);
	assert_int_equal(cm_net_log_of(client, conn)->nr[CM_EVENT_UNREACHABLE],
			 1);
}

static void request_deferred_and_removed_sends_nothing(void **state)
{
	struct cm_conn *conn;

	(void)burst_send();
	conn = cm_net_connect(&net);
	cm_net_remove(&net, client, conn);
	assert_string_equal(net.trace, "");
}

static void disconnect_after_burst_is_sent_soon(void **state)
{
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	(void)burst_send();
	net.trace_len = 0;
	net.trace[0] = 0;
	cm_net_disconnect(&net, client, conn);
	assert_string_equal(net.trace, "");
	cm_net_run(&net, SOON_NS);
	assert_memory_equal(net.trace, "C.DREQ", 6);
}

static void disconnect_deferred_and_removed_informs_peer(void **state)
{
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	(void)burst_send();
	net.trace_len = 0;
	net.trace[0] = 0;
	cm_net_disconnect(&net, client, conn);
	assert_string_equal(net.trace, "");
	cm_net_remove(&net, client, conn);
	assert_string_equal(net.trace, "C.DREQ");
}

#define PACE_TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PACE_TEST(burst_of_requests_is_sent_at_once),
		PACE_TEST(request_after_burst_is_sent_soon),
		PACE_TEST(requests_after_burst_have_rate),
		PACE_TEST(request_deferred_has_all_retransmissions),
		PACE_TEST(request_deferred_and_removed_sends_nothing),
		PACE_TEST(disconnect_after_burst_is_sent_soon),
		PACE_TEST(disconnect_deferred_and_removed_informs_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
