/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections with lost, duplicated and late MADs: retransmission with the
 * timeouts of Linux, MRA, and the point at which each side gives up.
 */
#include "cm/cm_bytes.h"
#include "cm/cm_engine.h"
#include "librdmacm/cm/cm_net.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* 2 * 2^(18 - 8) + 2^(20 - 8), and 2^(20 - 8) */
#define ACTIVE_TIMEOUT_NS  (6144 * CM_NET_MS)
#define PASSIVE_TIMEOUT_NS (4096 * CM_NET_MS)
#define TIMEWAIT_NS	   (2048 * CM_NET_MS)
/* 2^(24 - 8) ms of the MRA, and the ACK timeout */
#define MRA_TIMEOUT_NS (65536 * CM_NET_MS + TIMEWAIT_NS)

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

static unsigned int events(struct cm_net_host *host, const struct cm_conn *conn,
			   enum cm_event_type type)
{
	return cm_net_log_of(host, conn)->nr[type];
}

static void drop(enum cm_attr attr, unsigned int nr)
{
	net.drop_attr = attr;
	net.nr_drops = nr;
}

/* Both sides established, with an empty trace; returns the client's one. */
static struct cm_conn *connect_polite(void)
{
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
	net.trace[0] = 0;
	net.trace_len = 0;
	return conn;
}

static void req_lost_is_retransmitted_after_timeout(void **state)
{
	struct cm_conn *conn;

	drop(CM_REQ, 1);
	conn = cm_net_connect(&net);
	assert_int_equal(cm_engine_deadline(&client->cm),
			 net.now_ns + ACTIVE_TIMEOUT_NS);
	cm_net_run(&net, ACTIVE_TIMEOUT_NS + 10 * CM_NET_MS);
	assert_string_equal(net.trace, "(C.REQ) C.REQ S.REP C.RTU");
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

static void req_with_time_out_of_range_has_longest(void **state)
{
	struct cm_connect_param param;
	struct cm_conn *conn = &client->conns[0];

	cm_net_connect_param(&param, 1);
	param.packet_life_time = 255;	 /* as 31 */
	param.req.remote_cm_timeout = 0; /* 1 ms, as all up to 8 */
	assert_int_equal(cm_conn_add(&client->cm, conn, 1), 0);
	assert_int_equal(
		cm_conn_connect(&client->cm, conn, &param, 0, &net.out), 0);
	assert_int_equal(cm_engine_deadline(&client->cm),
			 (2 * (CM_NET_MS << 23)) + CM_NET_MS);
}

static void req_never_received_is_unreachable_after_16_times(void **state)
{
	struct cm_conn *conn;
	uint64_t start_ns = net.now_ns;

	drop(CM_REQ, 1000);
	conn = cm_net_connect(&net);
	cm_net_run_until(&net, start_ns + 16 * ACTIVE_TIMEOUT_NS - 1);
	assert_int_equal(events(client, conn, CM_EVENT_UNREACHABLE), 0);
	cm_net_run(&net, 2);
	assert_int_equal(events(client, conn, CM_EVENT_UNREACHABLE), 1);
	assert_int_equal(cm_net_log_of(client, conn)->status, -ETIMEDOUT);
	assert_int_equal(net.nr_drops, 1000 - 16);
	assert_int_equal(conn->state, CM_IDLE);
	cm_net_run_to_end(&net);
}

static void rep_lost_is_retransmitted_after_timeout(void **state)
{
	struct cm_conn *conn;

	drop(CM_REP, 1);
	conn = cm_net_connect(&net);
	cm_net_run(&net, CM_NET_MS);
	assert_int_equal(cm_engine_deadline(&server->cm),
			 net.now_ns - CM_NET_MS + net.delay_ns +
				 PASSIVE_TIMEOUT_NS);
	cm_net_run(&net, PASSIVE_TIMEOUT_NS + 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ (S.REP) S.REP C.RTU");
	assert_int_equal(conn->state, CM_ESTABLISHED);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
}

static void rep_with_long_timeout_of_peer_ends_in_minutes(void **state)
{
	static const uint64_t interval_ns = CM_NET_MS << 14;
	struct cm_mad message = { .attr = CM_REQ };
	struct cm_connect_param param;

	cm_net_connect_param(&param, 1);
	message.req = param.req;
	message.req.local_comm_id = 1;
	message.req.local_cm_timeout = 31;
	message.req.max_cm_retries = 15;
	drop(CM_REP, 1000);
	cm_net_inject(&net, CM_NET_SERVER, &message);
	assert_int_equal(server->listener.nr_pending, 1);
	assert_int_equal(cm_engine_deadline(&server->cm),
			 net.now_ns + interval_ns);
	cm_net_run(&net, 16 * interval_ns + CM_NET_MS);
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_UNREACHABLE), 1);
	assert_int_equal(server->listener.nr_pending, 0);
}

static void rtu_lost_is_repeated_for_duplicate_rep(void **state)
{
	struct cm_conn *conn;

	drop(CM_RTU, 1);
	conn = cm_net_connect(&net);
	cm_net_run(&net, PASSIVE_TIMEOUT_NS + 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REP (C.RTU) S.REP C.RTU");
	assert_int_equal(events(client, conn, CM_EVENT_REPLY), 1);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
}

static void rtu_never_received_is_unreachable_after_16_reps(void **state)
{
	struct cm_conn *conn;

	drop(CM_RTU, 1000);
	conn = cm_net_connect(&net);
	cm_net_run(&net, 16 * PASSIVE_TIMEOUT_NS + 10 * CM_NET_MS);
	assert_int_equal(net.nr_drops, 1000 - 16);
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_UNREACHABLE), 1);
	assert_int_equal(server->conns[0].state, CM_IDLE);
	/* The active side cannot know, and ends by its own DREQ. */
	assert_int_equal(conn->state, CM_ESTABLISHED);
	cm_net_disconnect(&net, client, conn);
	cm_net_run_to_end(&net);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(
		cm_net_log_of(client, conn)->nr[CM_EVENT_TIMEWAIT_EXIT], 1);
}

static void mads_all_duplicated_have_no_effect_twice(void **state)
{
	struct cm_conn *conn;

	net.duplication = 100;
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REP C.RTU C.RTU");
	assert_int_equal(server->nr_conns, 1);
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_ESTABLISHED), 1);
	cm_net_disconnect(&net, client, conn);
	cm_net_run_to_end(&net);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_DISCONNECTED), 1);
}

/* As captured with an application that accepts after 8 s */
static void req_duplicate_while_pending_gets_mra(void **state)
{
	struct cm_conn *conn;
	uint64_t mra_ns;

	server->on_event = NULL;
	conn = cm_net_connect(&net);
	mra_ns = net.now_ns + ACTIVE_TIMEOUT_NS + 2 * net.delay_ns;
	cm_net_run(&net, 8000 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ C.REQ S.MRA");
	assert_int_equal(client->received.attr, 0); /* no event */
	assert_int_equal(conn->state, CM_MRA_REQ_RCVD);
	assert_int_equal(server->conns[0].state, CM_MRA_REQ_SENT);
	assert_int_equal(cm_engine_deadline(&client->cm),
			 mra_ns + MRA_TIMEOUT_NS);
	cm_net_accept(&net, server, &server->conns[0]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ C.REQ S.MRA S.REP C.RTU");
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

static void mra_second_does_not_extend_timeout(void **state)
{
	struct cm_mad mra = { .attr = CM_MRA };
	struct cm_conn *conn;
	uint64_t deadline_ns;

	server->on_event = NULL;
	conn = cm_net_connect(&net);
	mra.mra.local_comm_id = 0x99;
	mra.mra.remote_comm_id = conn->local_comm_id;
	mra.mra.service_timeout = 31; /* as 24 */
	cm_net_inject(&net, CM_NET_CLIENT, &mra);
	deadline_ns = cm_engine_deadline(&client->cm);
	assert_int_equal(deadline_ns, net.now_ns + MRA_TIMEOUT_NS);
	cm_net_run(&net, 5000 * CM_NET_MS);
	cm_net_inject(&net, CM_NET_CLIENT, &mra);
	assert_int_equal(cm_engine_deadline(&client->cm), deadline_ns);
	/* Nothing more arrives: 15 retransmissions as without the MRA */
	cm_net_run(&net, MRA_TIMEOUT_NS + 16 * ACTIVE_TIMEOUT_NS);
	assert_int_equal(events(client, conn, CM_EVENT_UNREACHABLE), 1);
}

static void mra_about_message_not_sent_is_ignored(void **state)
{
	struct cm_mad mra = { .attr = CM_MRA };
	struct cm_conn *conn;

	server->on_event = NULL;
	conn = cm_net_connect(&net);
	mra.mra.remote_comm_id = conn->local_comm_id;
	mra.mra.message = CM_MESSAGE_REP;
	cm_net_inject(&net, CM_NET_CLIENT, &mra);
	mra.mra.message = CM_MESSAGE_OTHER;
	cm_net_inject(&net, CM_NET_CLIENT, &mra);
	mra.mra.message = CM_MESSAGE_REQ;
	mra.mra.remote_comm_id ^= 1;
	cm_net_inject(&net, CM_NET_CLIENT, &mra);
	assert_int_equal(conn->state, CM_REQ_SENT);
}

static void rep_duplicate_while_pending_gets_mra(void **state)
{
	struct cm_conn *conn;

	client->on_event = NULL;
	conn = cm_net_connect(&net);
	cm_net_run(&net, 6000 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REP S.REP C.MRA");
	assert_int_equal(conn->state, CM_MRA_REP_SENT);
	assert_int_equal(server->conns[0].state, CM_MRA_REP_RCVD);
	assert_int_equal(events(client, conn, CM_EVENT_REPLY), 1);
	cm_net_confirm(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
	assert_true(cm_engine_deadline(&server->cm) == UINT64_MAX);
}

static void rej_lost_makes_request_appear_again(void **state)
{
	struct cm_conn *conn;

	server->on_event = NULL;
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	drop(CM_REJ, 1);
	cm_net_reject(&net, server, &server->conns[0], CM_REJ_CONSUMER);
	cm_net_run(&net, ACTIVE_TIMEOUT_NS);
	assert_int_equal(server->nr_conns, 2);
	cm_net_reject(&net, server, &server->conns[1], CM_REJ_CONSUMER);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "C.REQ (S.REJ) C.REQ S.REJ");
	assert_int_equal(events(client, conn, CM_EVENT_REJECTED), 1);
}

static void dreq_lost_is_retransmitted_after_timeout(void **state)
{
	struct cm_conn *conn = connect_polite();

	drop(CM_DREQ, 1);
	cm_net_disconnect(&net, client, conn);
	assert_int_equal(cm_engine_deadline(&client->cm),
			 net.now_ns + ACTIVE_TIMEOUT_NS);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "(C.DREQ) C.DREQ S.DREP");
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
}

static void dreq_of_passive_side_has_timeout_of_rep(void **state)
{
	struct cm_conn *conn = connect_polite();

	drop(CM_DREQ, 1);
	cm_net_disconnect(&net, server, &server->conns[0]);
	assert_int_equal(cm_engine_deadline(&server->cm),
			 net.now_ns + PASSIVE_TIMEOUT_NS);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "(S.DREQ) S.DREQ C.DREP");
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
}

static void dreq_never_received_ends_with_timeout(void **state)
{
	struct cm_conn *conn = connect_polite();

	drop(CM_DREQ, 1000);
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 16 * ACTIVE_TIMEOUT_NS + CM_NET_MS);
	assert_int_equal(net.nr_drops, 1000 - 16);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(cm_net_log_of(client, conn)->status, -ETIMEDOUT);
	assert_int_equal(conn->state, CM_TIMEWAIT);
	cm_net_run_to_end(&net);
	assert_int_equal(events(client, conn, CM_EVENT_TIMEWAIT_EXIT), 1);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
}

static void drep_lost_is_repeated_for_duplicate_dreq(void **state)
{
	struct cm_conn *conn = connect_polite();
	struct cm_conn *peer = &server->conns[0];
	struct cm_mad dreq = { .attr = CM_DREQ, .tid = 5 };

	drop(CM_DREP, 1);
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(peer->state, CM_TIMEWAIT);
	dreq.dreq.local_comm_id = conn->local_comm_id;
	dreq.dreq.remote_comm_id = peer->local_comm_id;
	dreq.dreq.remote_qpn = peer->local_qpn;
	cm_net_inject(&net, CM_NET_SERVER, &dreq);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.DREQ (S.DREP) S.DREP");
	assert_int_equal(conn->state, CM_TIMEWAIT);
	assert_int_equal(events(server, peer, CM_EVENT_DISCONNECTED), 1);
	/* After the time wait the connection is unknown, with the same effect.
	 */
	cm_net_run_to_end(&net);
	cm_net_inject(&net, CM_NET_SERVER, &dreq);
	assert_string_equal(net.trace, "C.DREQ (S.DREP) S.DREP S.DREP");
}

static void dreq_duplicate_before_owner_disconnects_is_ignored(void **state)
{
	struct cm_conn *conn = connect_polite();

	server->on_event = NULL;
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 2 * ACTIVE_TIMEOUT_NS + CM_NET_MS);
	assert_string_equal(net.trace, "C.DREQ C.DREQ C.DREQ");
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_DISCONNECTED), 1);
}

static void notify_replaces_lost_rtu_once(void **state)
{
	struct cm_conn *peer = &server->conns[0];

	drop(CM_RTU, 1);
	(void)cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(peer->state, CM_REP_SENT);
	assert_int_equal(cm_conn_notify(&server->cm, peer, &net.out), 0);
	cm_net_flush(&net, server);
	assert_int_equal(events(server, peer, CM_EVENT_ESTABLISHED), 1);
	assert_int_equal(cm_conn_notify(&server->cm, peer, &net.out), -EISCONN);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "C.REQ S.REP (C.RTU)");
	assert_int_equal(events(server, peer, CM_EVENT_ESTABLISHED), 1);
}

static void dreq_instead_of_lost_rtu_disconnects(void **state)
{
	struct cm_conn *conn;
	struct cm_conn *peer = &server->conns[0];

	drop(CM_RTU, 1);
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_disconnect(&net, client, conn);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "C.REQ S.REP (C.RTU) C.DREQ S.DREP");
	assert_int_equal(events(server, peer, CM_EVENT_ESTABLISHED), 0);
	assert_int_equal(events(server, peer, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
}

/* A REJ with the ids of a connection, from its peer */
static void inject_rej(const struct cm_conn *conn, enum cm_message about,
		       enum cm_reject_reason reason)
{
	struct cm_mad rej = { .attr = CM_REJ };

	rej.rej.local_comm_id = conn->remote_comm_id;
	rej.rej.remote_comm_id = conn->local_comm_id;
	rej.rej.message = (uint8_t)about;
	rej.rej.reason = (uint16_t)reason;
	cm_net_inject(&net, CM_NET_CLIENT, &rej);
}

static void rej_of_established_connection_begins_timewait(void **state)
{
	struct cm_conn *conn = connect_polite();

	inject_rej(conn, CM_MESSAGE_REQ, CM_REJ_CONSUMER);
	assert_int_equal(conn->state, CM_ESTABLISHED);
	inject_rej(conn, CM_MESSAGE_OTHER, CM_REJ_CONSUMER);
	assert_int_equal(conn->state, CM_TIMEWAIT);
	assert_int_equal(events(client, conn, CM_EVENT_REJECTED), 1);
	inject_rej(conn, CM_MESSAGE_OTHER, CM_REJ_CONSUMER);
	assert_int_equal(events(client, conn, CM_EVENT_REJECTED), 1);
}

static void rej_instead_of_drep_disconnects(void **state)
{
	struct cm_conn *conn = connect_polite();

	drop(CM_DREQ, 1);
	cm_net_disconnect(&net, client, conn);
	inject_rej(conn, CM_MESSAGE_OTHER, CM_REJ_CONSUMER);
	assert_int_equal(conn->state, CM_TIMEWAIT);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(events(client, conn, CM_EVENT_REJECTED), 0);
}

static void rej_stale_of_request_begins_timewait(void **state)
{
	struct cm_conn *conn;

	drop(CM_REQ, 1);
	conn = cm_net_connect(&net);
	inject_rej(conn, CM_MESSAGE_REQ, CM_REJ_STALE_CONNECTION);
	assert_int_equal(conn->state, CM_TIMEWAIT);
	assert_int_equal(cm_net_log_of(client, conn)->status,
			 CM_REJ_STALE_CONNECTION);
	assert_int_equal(cm_engine_deadline(&client->cm),
			 net.now_ns + TIMEWAIT_NS);
}

static void rej_timeout_without_guid_is_ignored(void **state)
{
	struct cm_conn *conn = connect_polite();
	struct cm_mad rej = { .attr = CM_REJ };

	rej.rej.local_comm_id = conn->remote_comm_id;
	rej.rej.reason = CM_REJ_TIMEOUT;
	cm_bytes_put(rej.rej.ari, 8, conn->remote_ca_guid);
	rej.rej.ari_len = 7;
	cm_net_inject(&net, CM_NET_CLIENT, &rej);
	assert_int_equal(conn->state, CM_ESTABLISHED);
	rej.rej.ari_len = 8;
	cm_net_inject(&net, CM_NET_CLIENT, &rej);
	assert_int_equal(conn->state, CM_TIMEWAIT);
}

/* Every message with ids that match only on one side */
static void mads_with_wrong_ids_change_nothing(void **state)
{
	struct cm_conn *conn = connect_polite();

	for (int attr = CM_MRA; attr <= CM_DREP; attr++) {
		struct cm_mad message = { .attr = (enum cm_attr)attr };

		/* REP, MRA etc. have both ids at the same place */
		message.rtu.local_comm_id = conn->remote_comm_id ^ 1;
		message.rtu.remote_comm_id = conn->local_comm_id;
		cm_net_inject(&net, CM_NET_CLIENT, &message);
		message.rtu.local_comm_id = conn->remote_comm_id;
		message.rtu.remote_comm_id = conn->local_comm_id ^ 1;
		cm_net_inject(&net, CM_NET_CLIENT, &message);
	}
	/* Only the DREQs have a response. */
	assert_string_equal(net.trace, "C.DREP C.DREP");
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

static void mads_that_do_not_decode_are_refused(void **state)
{
	const struct cm_path path = { .hop_limit = 64 };
	static const uint8_t zeros[CM_MAD_LEN];

	assert_int_equal(cm_engine_receive(&client->cm, &path, zeros,
					   CM_MAD_LEN, 0, NULL, NULL, &net.out),
			 -EPROTO);
	assert_int_equal(cm_engine_receive(&client->cm, &path, zeros, 12, 0,
					   NULL, NULL, &net.out),
			 -EMSGSIZE);
	assert_int_equal(net.out.nr_sends, 0);
	assert_int_equal(net.out.event.type, CM_EVENT_NONE);
}

static void req_without_spare_is_dropped(void **state)
{
	struct cm_conn *conn;

	server->nr_conns = CM_NET_CONNS;
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ");
	server->nr_conns = 0;
	cm_net_run(&net, ACTIVE_TIMEOUT_NS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

#define RECOVERY_TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECOVERY_TEST(req_lost_is_retransmitted_after_timeout),
		RECOVERY_TEST(req_with_time_out_of_range_has_longest),
		RECOVERY_TEST(req_never_received_is_unreachable_after_16_times),
		RECOVERY_TEST(rep_lost_is_retransmitted_after_timeout),
		RECOVERY_TEST(rep_with_long_timeout_of_peer_ends_in_minutes),
		RECOVERY_TEST(rtu_lost_is_repeated_for_duplicate_rep),
		RECOVERY_TEST(rtu_never_received_is_unreachable_after_16_reps),
		RECOVERY_TEST(mads_all_duplicated_have_no_effect_twice),
		RECOVERY_TEST(req_duplicate_while_pending_gets_mra),
		RECOVERY_TEST(mra_second_does_not_extend_timeout),
		RECOVERY_TEST(mra_about_message_not_sent_is_ignored),
		RECOVERY_TEST(rep_duplicate_while_pending_gets_mra),
		RECOVERY_TEST(rej_lost_makes_request_appear_again),
		RECOVERY_TEST(dreq_lost_is_retransmitted_after_timeout),
		RECOVERY_TEST(dreq_of_passive_side_has_timeout_of_rep),
		RECOVERY_TEST(dreq_never_received_ends_with_timeout),
		RECOVERY_TEST(drep_lost_is_repeated_for_duplicate_dreq),
		RECOVERY_TEST(
			dreq_duplicate_before_owner_disconnects_is_ignored),
		RECOVERY_TEST(notify_replaces_lost_rtu_once),
		RECOVERY_TEST(dreq_instead_of_lost_rtu_disconnects),
		RECOVERY_TEST(rej_of_established_connection_begins_timewait),
		RECOVERY_TEST(rej_instead_of_drep_disconnects),
		RECOVERY_TEST(rej_stale_of_request_begins_timewait),
		RECOVERY_TEST(rej_timeout_without_guid_is_ignored),
		RECOVERY_TEST(mads_with_wrong_ids_change_nothing),
		RECOVERY_TEST(mads_that_do_not_decode_are_refused),
		RECOVERY_TEST(req_without_spare_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
