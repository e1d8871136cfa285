/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections without lost MADs: both sides of the handshake, every reason for
 * which a message is refused, and the end of a connection.
 */
#include "cm/cm_engine.h"
#include "librdmacm/cm/cm_net.h"
#include "librdmacm/cm/sample_mads.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct cm_net net;
static struct cm_net_host *const client = &net.hosts[CM_NET_CLIENT];
static struct cm_net_host *const server = &net.hosts[CM_NET_SERVER];

static int setup(void **state)
{
	cm_net_init(&net, 1);
	return 0;
}

static unsigned int events(struct cm_net_host *host, const struct cm_conn *conn,
			   enum cm_event_type type)
{
	return cm_net_log_of(host, conn)->nr[type];
}

static int last_status(struct cm_net_host *host, const struct cm_conn *conn)
{
	return cm_net_log_of(host, conn)->status;
}

/* The trace from here on is that of the test's subject. */
static void trace_restart(void)
{
	net.trace[0] = 0;
	net.trace_len = 0;
}

/* Both sides established; returns the client's connection. */
static struct cm_conn *connect_polite(void)
{
	struct cm_conn *conn;

	client->on_event = cm_net_be_polite;
	server->on_event = cm_net_be_polite;
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
	assert_int_equal(server->conns[server->nr_conns - 1].state,
			 CM_ESTABLISHED);
	return conn;
}

/* The REP of a target has its QPN in the place of the EECN. */
static void conn_xrc_target_sends_eecn(void **state)
{
	struct cm_connect_param param;
	struct cm_conn *conn = &client->conns[client->nr_conns++];
	struct cm_rep rep = { .local_qpn = 0x777, .srq = true };
	struct cm_mad sent;

	cm_net_connect_param(&param, 0x123);
	param.req.service_type = CM_SERVICE_EXTENDED;
	param.req.extended_type = CM_EXTENDED_XRC;
	assert_int_equal(cm_conn_add(&client->cm, conn, 5), 0);
	assert_int_equal(cm_conn_connect(&client->cm, conn, &param, net.now_ns,
					 &net.out),
			 0);
	cm_net_flush(&net, client);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(events(server, server->conns, CM_EVENT_REQUEST), 1);
	assert_true(cm_req_is_xrc(&server->received.req));
	assert_int_equal(cm_conn_accept(&server->cm, server->conns, &rep, 0,
					net.now_ns, &net.out),
			 0);
	assert_int_equal(
		cm_mad_decode(net.out.sends[0].bytes, CM_MAD_LEN, &sent), 0);
	assert_int_equal(sent.rep.local_qpn, 0);
	assert_int_equal(sent.rep.local_eecn, 0x777);
	cm_net_flush(&net, server);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(events(client, conn, CM_EVENT_REPLY), 1);
	assert_int_equal(conn->remote_qpn, 0x777);
	assert_int_equal(client->received.rep.local_qpn, 0x777);
	cm_net_confirm(&net, client, conn);
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	/* The DREQ names the target. */
	assert_int_equal(events(server, server->conns, CM_EVENT_DISCONNECTED),
			 1);
}

static void conn_polite_owners_are_established(void **state)
{
	struct cm_conn *conn = connect_polite();
	struct cm_conn *peer = &server->conns[0];

	assert_string_equal(net.trace, "C.REQ S.REP C.RTU");
	assert_int_equal(events(client, conn, CM_EVENT_REPLY), 1);
	assert_int_equal(events(client, conn, CM_EVENT_ESTABLISHED), 0);
	assert_int_equal(events(server, peer, CM_EVENT_REQUEST), 1);
	assert_int_equal(events(server, peer, CM_EVENT_ESTABLISHED), 1);
	assert_int_equal(conn->remote_comm_id, peer->local_comm_id);
	assert_int_equal(peer->remote_comm_id, conn->local_comm_id);
	assert_int_equal(conn->remote_qpn, peer->local_qpn);
	assert_int_equal(peer->remote_qpn, conn->local_qpn);
	assert_int_equal(peer->path.flow_label, 0x1f4f2);
	assert_int_equal(server->listener.nr_pending, 0);
	assert_true(cm_engine_deadline(&client->cm) == UINT64_MAX);
	assert_true(cm_engine_deadline(&server->cm) == UINT64_MAX);
}

/*
 * The capture has REQ, REP, RTU, DREQ and DREP of one connection. An engine
 * with the comm id and the GUID of the captured host sends the same bytes.
 */
static void conn_with_captured_parameters_sends_captured_mads(void **state)
{
	static const char *const names[] = { "req_with_a_qp", "rep_to_it",
					     "rtu", "dreq_from_the_client",
					     "drep_from_the_server" };
	const struct cm_config config = {
		.ca_guid = 0xc42b32fffea26c93,
		.tid_high = 2,
	};
	static struct list_node buckets[CM_NR_TABLES];
	struct cm_connect_param param = { .packet_life_time = 18 };
	const struct sample_mad *samples[5];
	struct cm_path back = { .hop_limit = 64 };
	static struct cm_output out;
	struct cm_engine cm;
	struct cm_conn conn;
	struct cm_mad req;

	for (int i = 0; i < 5; i++)
		samples[i] = sample_mads_find(names[i]);
	assert_int_equal(cm_mad_decode(samples[0]->bytes, CM_MAD_LEN, &req), 0);
	cm_engine_init(&cm, &config, buckets, 1);
	assert_int_equal(cm_conn_add(&cm, &conn, 0x5ca553ed), 0);
	param.req = req.req;
	param.req.local_comm_id = 0;
	param.req.local_ca_guid = 0;
	assert_int_equal(cm_conn_connect(&cm, &conn, &param, 0, &out), 0);
	assert_memory_equal(out.sends[0].bytes, samples[0]->bytes, CM_MAD_LEN);
	assert_int_equal(cm_engine_receive(&cm, &back, samples[1]->bytes,
					   CM_MAD_LEN, 0, NULL, NULL, &out),
			 0);
	assert_int_equal(out.event.type, CM_EVENT_REPLY);
	assert_int_equal(cm_conn_confirm(&cm, &conn, &out), 0);
	assert_memory_equal(out.sends[0].bytes, samples[2]->bytes, CM_MAD_LEN);
	assert_int_equal(cm_conn_disconnect(&cm, &conn, 0, &out), 0);
	assert_memory_equal(out.sends[0].bytes, samples[3]->bytes, CM_MAD_LEN);
	assert_int_equal(cm_engine_receive(&cm, &back, samples[4]->bytes,
					   CM_MAD_LEN, 0, NULL, NULL, &out),
			 0);
	assert_int_equal(out.event.type, CM_EVENT_DISCONNECTED);
	assert_int_equal(conn.state, CM_TIMEWAIT);
}

static void server_with_captured_request_sends_captured_replies(void **state)
{
	const struct cm_config config = { .ca_guid = 0xbcd439fffe726805 };
	static struct list_node buckets[CM_NR_TABLES];
	struct cm_listener listener = {
		.service_id = 0x1061b5a,
		.backlog = 1,
	};
	struct cm_path path = { .hop_limit = 64 };
	static struct cm_output out;
	struct cm_mad rep, rej;
	struct cm_engine cm;
	struct cm_conn conn;

	cm_engine_init(&cm, &config, buckets, 1);
	assert_int_equal(cm_listener_add(&cm, &listener), 0);
	assert_int_equal(cm_conn_add(&cm, &conn, 0x5fa553ed), 0);
	assert_int_equal(
		cm_engine_receive(&cm, &path,
				  sample_mads_find("req_with_a_qp")->bytes,
				  CM_MAD_LEN, 0, &conn, NULL, &out),
		0);
	assert_int_equal(out.event.type, CM_EVENT_REQUEST);
	assert_int_equal(cm_mad_decode(sample_mads_find("rep_to_it")->bytes,
				       CM_MAD_LEN, &rep),
			 0);
	rep.rep.local_comm_id = 0;
	rep.rep.remote_comm_id = 0;
	rep.rep.local_ca_guid = 0;
	assert_int_equal(cm_conn_accept(&cm, &conn, &rep.rep, 0, 0, &out), 0);
	assert_memory_equal(out.sends[0].bytes,
			    sample_mads_find("rep_to_it")->bytes, CM_MAD_LEN);
	/* The captured MRA and REJ differ in their ids only. */
	cm_listener_remove(&cm, &listener);
	assert_int_equal(
		cm_mad_decode(sample_mads_find("rej_8_no_listener")->bytes,
			      CM_MAD_LEN, &rej),
		0);
	assert_int_equal(cm_mad_decode(sample_mads_find("req_with_a_qp")->bytes,
				       CM_MAD_LEN, &rep),
			 0);
	rep.tid = rej.tid;
	rep.req.local_comm_id = rej.rej.remote_comm_id;
	rep.req.local_qpn = 0x999;
	assert_int_equal(cm_mad_encode(&rep, conn.unacknowledged), 0);
	assert_int_equal(cm_engine_receive(&cm, &path, conn.unacknowledged,
					   CM_MAD_LEN, 0, NULL, NULL, &out),
			 0);
	assert_memory_equal(out.sends[0].bytes,
			    sample_mads_find("rej_8_no_listener")->bytes,
			    CM_MAD_LEN);
}

static void connect_without_listener_is_rejected_with_8(void **state)
{
	struct cm_conn *conn;

	cm_listener_remove(&server->cm, &server->listener);
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REJ");
	assert_int_equal(events(client, conn, CM_EVENT_REJECTED), 1);
	assert_int_equal(last_status(client, conn), CM_REJ_INVALID_SERVICE_ID);
	assert_int_equal(client->received.rej.local_comm_id, 0);
	assert_int_equal(conn->state, CM_IDLE);
}

static void connect_rejected_by_owner_reports_reason_and_data(void **state)
{
	struct cm_reject_param param = {
		.reason = CM_REJ_CONSUMER,
		.ari_len = 2,
		.ari = { 7, 8 },
		.private_data = { 'n', 'o' },
	};
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(server->listener.nr_pending, 1);
	assert_int_equal(cm_conn_reject(&server->cm, &server->conns[0], &param,
					net.now_ns, &net.out),
			 0);
	cm_net_flush(&net, server);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REJ");
	assert_int_equal(last_status(client, conn), CM_REJ_CONSUMER);
	assert_int_equal(client->received.rej.message, CM_MESSAGE_REQ);
	assert_int_equal(client->received.rej.local_comm_id,
			 server->conns[0].local_comm_id);
	assert_memory_equal(client->received.rej.private_data, "no", 3);
	assert_int_equal(client->received.rej.ari_len, 2);
	assert_int_equal(server->listener.nr_pending, 0);
	assert_int_equal(server->conns[0].state, CM_IDLE);
}

static void connect_refused_anonymously_carries_no_local_id(void **state)
{
	struct cm_reject_param param = {
		.reason = CM_REJ_INVALID_GID,
		.is_anonymous = true,
	};
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(cm_conn_reject(&server->cm, &server->conns[0], &param,
					net.now_ns, &net.out),
			 0);
	cm_net_flush(&net, server);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(last_status(client, conn), CM_REJ_INVALID_GID);
	assert_int_equal(client->received.rej.local_comm_id, 0);
}

static void reply_rejected_by_active_side_ends_both(void **state)
{
	struct cm_conn *conn;

	server->on_event = cm_net_be_polite;
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_REP_RCVD);
	cm_net_reject(&net, client, conn, CM_REJ_CONSUMER);
	assert_int_equal(conn->state, CM_TIMEWAIT);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REP C.REJ");
	assert_int_equal(server->received.rej.message, CM_MESSAGE_REP);
	assert_int_equal(last_status(server, &server->conns[0]),
			 CM_REJ_CONSUMER);
	assert_int_equal(server->conns[0].state, CM_IDLE);
	cm_net_run_to_end(&net);
	assert_int_equal(events(client, conn, CM_EVENT_TIMEWAIT_EXIT), 1);
}

static void connect_with_full_backlog_waits_for_retransmission(void **state)
{
	struct cm_conn *conns[9];

	for (int i = 0; i < 9; i++)
		conns[i] = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(server->listener.nr_pending, 8);
	assert_int_equal(server->nr_conns, 8);
	client->on_event = cm_net_be_polite;
	server->on_event = cm_net_be_polite;
	for (int i = 0; i < 8; i++)
		cm_net_accept(&net, server, &server->conns[i]);
	cm_net_run(&net, 7000 * CM_NET_MS);
	for (int i = 0; i < 9; i++)
		assert_int_equal(conns[i]->state, CM_ESTABLISHED);
}

static void accept_without_rtu_leaves_backlog_full(void **state)
{
	struct cm_conn *conns[9];

	for (int i = 0; i < 9; i++)
		conns[i] = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	for (int i = 0; i < 8; i++)
		cm_net_accept(&net, server, &server->conns[i]);
	cm_net_run(&net, 7000 * CM_NET_MS);
	assert_int_equal(server->nr_conns, 8);
	assert_int_equal(server->listener.nr_pending, 8);
	/* the last REQ arrived first */
	cm_net_confirm(&net, client, conns[8]);
	cm_net_run(&net, 7000 * CM_NET_MS);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
	assert_int_equal(server->nr_conns, 9);
	assert_int_equal(server->listener.nr_pending, 8);
}

static void accept_before_listener_removed_is_established(void **state)
{
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_accept(&net, server, &server->conns[0]);
	assert_int_equal(server->listener.nr_pending, 1);
	cm_listener_remove(&server->cm, &server->listener);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_confirm(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
}

static void listener_second_for_service_is_refused(void **state)
{
	struct cm_listener again = { .service_id = CM_NET_SERVICE_ID };
	struct cm_listener sidr = {
		.service_id = CM_NET_SERVICE_ID,
		.is_sidr = true,
	};

	assert_int_equal(cm_listener_add(&server->cm, &again), -EADDRINUSE);
	assert_int_equal(cm_listener_add(&server->cm, &sidr), 0);
	cm_listener_remove(&server->cm, &sidr);
}

static void listener_removed_leaves_pending_requests(void **state)
{
	struct cm_conn *conn = cm_net_connect(&net);

	cm_net_run(&net, 10 * CM_NET_MS);
	cm_listener_remove(&server->cm, &server->listener);
	assert_null(server->conns[0].listener);
	client->on_event = cm_net_be_polite;
	cm_net_accept(&net, server, &server->conns[0]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

static void conn_calls_in_wrong_state_are_refused(void **state)
{
	const struct cm_reject_param reject = { .reason = CM_REJ_CONSUMER };
	struct cm_connect_param param;
	struct cm_rep rep = { .local_qpn = 1 };
	struct cm_conn *conn = cm_net_connect(&net);
	struct cm_conn *same_id = &client->conns[5];

	cm_net_connect_param(&param, 1);
	assert_int_equal(
		cm_conn_connect(&client->cm, conn, &param, 0, &net.out),
		-EISCONN);
	assert_int_equal(
		cm_conn_accept(&client->cm, conn, &rep, 0, 0, &net.out),
		-EINVAL);
	assert_int_equal(cm_conn_confirm(&client->cm, conn, &net.out), -EINVAL);
	assert_int_equal(
		cm_conn_reject(&client->cm, conn, &reject, 0, &net.out),
		-EINVAL);
	assert_int_equal(cm_conn_notify(&client->cm, conn, &net.out), -EINVAL);
	assert_int_equal(cm_conn_disconnect(&client->cm, conn, 0, &net.out),
			 -ENOTCONN);
	assert_int_equal(cm_conn_add(&client->cm, same_id, conn->local_comm_id),
			 -EEXIST);
	assert_int_equal(net.out.nr_sends, 0);
}

static void calls_with_values_too_large_change_nothing(void **state)
{
	struct cm_reject_param reject = { .ari_len = CM_ARI_LEN + 1 };
	const struct cm_rep rep = { .local_qpn = CM_QPN_MASK + 1 };
	struct cm_connect_param param;
	struct cm_conn *conn = &client->conns[0];

	cm_net_connect_param(&param, CM_QPN_MASK + 1);
	assert_int_equal(cm_conn_add(&client->cm, conn, 5), 0);
	assert_int_equal(
		cm_conn_connect(&client->cm, conn, &param, 0, &net.out),
		-ERANGE);
	assert_int_equal(conn->state, CM_IDLE);
	(void)cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	conn = &server->conns[0];
	assert_int_equal(
		cm_conn_accept(&server->cm, conn, &rep, 0, 0, &net.out),
		-ERANGE);
	assert_int_equal(
		cm_conn_reject(&server->cm, conn, &reject, 0, &net.out),
		-ERANGE);
	assert_int_equal(conn->state, CM_REQ_RCVD);
	assert_int_equal(server->listener.nr_pending, 1);
}

static void disconnect_with_polite_peer_waits_and_exits(void **state)
{
	struct cm_conn *conn = connect_polite();
	struct cm_conn *peer = &server->conns[0];
	uint64_t start_ns;

	trace_restart();
	cm_net_disconnect(&net, client, conn);
	assert_int_equal(conn->state, CM_DREQ_SENT);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.DREQ S.DREP");
	assert_int_equal(conn->state, CM_TIMEWAIT);
	assert_int_equal(peer->state, CM_TIMEWAIT);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(last_status(client, conn), 0);
	assert_int_equal(events(server, peer, CM_EVENT_DISCONNECTED), 1);
	/* 2^(19 - 8) ms after it began */
	start_ns = net.now_ns;
	cm_net_run(&net, 2037 * CM_NET_MS);
	assert_int_equal(events(client, conn, CM_EVENT_TIMEWAIT_EXIT), 0);
	cm_net_run_until(&net, start_ns + 2048 * CM_NET_MS);
	assert_int_equal(events(client, conn, CM_EVENT_TIMEWAIT_EXIT), 1);
	assert_int_equal(events(server, peer, CM_EVENT_TIMEWAIT_EXIT), 1);
	assert_int_equal(conn->state, CM_IDLE);
}

static void disconnect_by_passive_side_names_qpn_of_peer(void **state)
{
	struct cm_conn *conn = connect_polite();

	trace_restart();
	cm_net_disconnect(&net, server, &server->conns[0]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "S.DREQ C.DREP");
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(client->received.dreq.remote_qpn, conn->local_qpn);
}

static void disconnect_waits_until_peer_disconnects(void **state)
{
	struct cm_conn *conn = connect_polite();

	server->on_event = NULL;
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 5000 * CM_NET_MS);
	assert_int_equal(server->conns[0].state, CM_DREQ_RCVD);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 0);
	cm_net_disconnect(&net, server, &server->conns[0]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_DISCONNECTED), 1);
}

static void disconnect_by_both_sides_reports_once_each(void **state)
{
	struct cm_conn *conn = connect_polite();
	struct cm_conn *peer = &server->conns[0];

	client->on_event = NULL;
	server->on_event = NULL;
	trace_restart();
	cm_net_disconnect(&net, client, conn);
	cm_net_disconnect(&net, server, peer);
	cm_net_run(&net, 100000 * CM_NET_MS);
	assert_string_equal(net.trace, "C.DREQ S.DREQ");
	assert_int_equal(conn->state, CM_DREQ_RCVD);
	assert_int_equal(peer->state, CM_DREQ_RCVD);
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(peer->state, CM_TIMEWAIT);
	assert_int_equal(events(client, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(events(server, peer, CM_EVENT_DISCONNECTED), 1);
}

static void dreq_with_wrong_qpn_is_ignored(void **state)
{
	struct cm_conn *conn = connect_polite();
	struct cm_conn *peer = &server->conns[0];
	struct cm_mad dreq = { .attr = CM_DREQ };

	dreq.dreq.local_comm_id = conn->local_comm_id;
	dreq.dreq.remote_comm_id = peer->local_comm_id;
	dreq.dreq.remote_qpn = peer->local_qpn ^ 1;
	trace_restart();
	cm_net_inject(&net, CM_NET_SERVER, &dreq);
	assert_int_equal(peer->state, CM_ESTABLISHED);
	assert_string_equal(net.trace, "");
}

static void dreq_of_unknown_connection_gets_drep(void **state)
{
	struct cm_mad dreq = { .attr = CM_DREQ, .tid = 0x1234 };
	struct cm_mad drep;

	dreq.dreq.local_comm_id = 0x11;
	dreq.dreq.remote_comm_id = 0x22;
	cm_net_inject(&net, CM_NET_SERVER, &dreq);
	assert_string_equal(net.trace, "S.DREP");
	assert_int_equal(cm_mad_decode(net.packets[0].bytes, CM_MAD_LEN, &drep),
			 0);
	assert_int_equal(drep.tid, 0x1234);
	assert_int_equal(drep.drep.local_comm_id, 0x22);
	assert_int_equal(drep.drep.remote_comm_id, 0x11);
}

static void req_with_qp_in_use_is_stale_and_ends_old(void **state)
{
	struct cm_conn *old = connect_polite();
	struct cm_conn *peer = &server->conns[0];
	struct cm_connect_param param;
	struct cm_conn *conn = &client->conns[client->nr_conns++];

	/* The client has lost its connection and uses the QP again. */
	trace_restart();
	cm_net_connect_param(&param, old->local_qpn);
	cm_conn_remove(&client->cm, old, &net.out);
	assert_int_equal(cm_conn_add(&client->cm, conn, 77), 0);
	assert_int_equal(cm_conn_connect(&client->cm, conn, &param, net.now_ns,
					 &net.out),
			 0);
	cm_net_flush(&net, client);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REJ S.DREQ C.DREP");
	assert_int_equal(last_status(client, conn), CM_REJ_STALE_CONNECTION);
	assert_int_equal(client->logs[1].nr[CM_EVENT_REJECTED], 1);
	assert_int_equal(events(server, peer, CM_EVENT_DISCONNECTED), 1);
	/* Then the QP is free again. */
	cm_net_run_to_end(&net);
	assert_int_equal(cm_conn_connect(&client->cm, conn, &param, net.now_ns,
					 &net.out),
			 0);
	cm_net_flush(&net, client);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
}

static void rep_with_qp_in_use_is_rejected_as_stale(void **state)
{
	struct cm_conn *old = connect_polite();
	struct cm_conn *conn;
	struct cm_mad rep = { .attr = CM_REP };

	conn = cm_net_connect(&net);
	net.nr_drops = 99; /* the server has no say in this */
	net.drop_attr = CM_REP;
	rep.rep.local_comm_id = 0x4711;
	rep.rep.remote_comm_id = conn->local_comm_id;
	rep.rep.local_ca_guid = old->remote_ca_guid;
	rep.rep.local_qpn = old->remote_qpn;
	trace_restart();
	cm_net_inject(&net, CM_NET_CLIENT, &rep);
	assert_string_equal(net.trace, "C.REJ C.DREQ");
	assert_int_equal(conn->state, CM_REQ_SENT);
	assert_int_equal(old->state, CM_DREQ_SENT);
	/* A REP with the comm id of another connection is dropped. */
	rep.rep.local_comm_id = old->remote_comm_id;
	cm_net_inject(&net, CM_NET_CLIENT, &rep);
	assert_int_equal(conn->state, CM_REQ_SENT);
	assert_string_equal(net.trace, "C.REJ C.DREQ");
}

static void remove_informs_peer_once_in_each_state(void **state)
{
	struct cm_conn *conn = cm_net_connect(&net);

	/* waiting for the REP */
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_remove(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ C.REJ");
	assert_int_equal(server->received.rej.reason, CM_REJ_TIMEOUT);
	assert_int_equal(server->received.rej.message, CM_MESSAGE_OTHER);
	assert_int_equal(server->received.rej.ari_len, 8);
	assert_int_equal(last_status(server, &server->conns[0]),
			 CM_REJ_TIMEOUT);
	assert_int_equal(server->listener.nr_pending, 0);
	/* before accepting */
	trace_restart();
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_remove(&net, server, &server->conns[1]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REJ");
	assert_int_equal(last_status(client, conn), CM_REJ_CONSUMER);
	/* waiting for the RTU, which the client has not sent yet */
	trace_restart();
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_accept(&net, server, &server->conns[2]);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_remove(&net, server, &server->conns[2]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REP S.REJ");
	assert_int_equal(conn->state, CM_TIMEWAIT);
	assert_int_equal(last_status(client, conn), CM_REJ_CONSUMER);
	/* having a REP */
	trace_restart();
	conn = cm_net_connect(&net);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_accept(&net, server, &server->conns[3]);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_remove(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.REQ S.REP C.REJ");
	assert_int_equal(server->received.rej.message, CM_MESSAGE_REP);
}

static void remove_without_peer_sends_nothing(void **state)
{
	struct cm_conn *conn = connect_polite();

	trace_restart();
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_remove(&net, client, conn); /* in its time wait */
	cm_net_run_to_end(&net);
	cm_net_remove(&net, server, &server->conns[0]); /* idle */
	assert_string_equal(net.trace, "C.DREQ S.DREP");
	assert_false(cm_engine_expire(&server->cm, net.now_ns, &net.out));
	assert_int_equal(net.out.event.type, CM_EVENT_NONE);
}

static void remove_established_sends_dreq_once(void **state)
{
	struct cm_conn *conn = connect_polite();

	trace_restart();
	net.nr_drops = 1;
	net.drop_attr = CM_DREQ;
	cm_net_remove(&net, client, conn);
	cm_net_run(&net, 100000 * CM_NET_MS);
	assert_string_equal(net.trace, "(C.DREQ)");
	assert_int_equal(server->conns[0].state, CM_ESTABLISHED);
	/* The server's DREQ finds no connection. */
	cm_net_disconnect(&net, server, &server->conns[0]);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "(C.DREQ) S.DREQ C.DREP");
	assert_int_equal(last_status(server, &server->conns[0]), 0);
	assert_int_equal(
		events(server, &server->conns[0], CM_EVENT_TIMEWAIT_EXIT), 1);
}

static void remove_after_dreq_sends_drep(void **state)
{
	struct cm_conn *conn = connect_polite();

	server->on_event = NULL;
	trace_restart();
	cm_net_disconnect(&net, client, conn);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_net_remove(&net, server, &server->conns[0]);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_string_equal(net.trace, "C.DREQ S.DREP");
	assert_int_equal(conn->state, CM_TIMEWAIT);
}

static void connection_of_host_with_itself_is_established(void **state)
{
	struct cm_connect_param param;
	struct cm_conn *conn = &server->conns[0];

	server->on_event = cm_net_be_polite;
	assert_int_equal(cm_conn_add(&server->cm, conn, 9), 0);
	server->nr_conns = 1;
	cm_net_connect_param(&param, 0x55);
	memcpy(param.path.sgid, param.path.dgid, CM_GID_LEN);
	memcpy(param.req.primary.local_gid, param.path.dgid, CM_GID_LEN);
	assert_int_equal(cm_conn_connect(&server->cm, conn, &param, net.now_ns,
					 &net.out),
			 0);
	cm_net_flush(&net, server);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(conn->state, CM_ESTABLISHED);
	assert_int_equal(server->conns[1].state, CM_ESTABLISHED);
	cm_net_disconnect(&net, server, conn);
	cm_net_run_to_end(&net);
	assert_int_equal(events(server, conn, CM_EVENT_DISCONNECTED), 1);
	assert_int_equal(
		events(server, &server->conns[1], CM_EVENT_DISCONNECTED), 1);
}

/* A host with several GIDs may send a REQ from another one. */
static void reply_goes_to_gid_in_request(void **state)
{
	struct cm_path path = { .sgid = { 1 }, .dgid = { 2 }, .sl = 5 };
	const struct cm_rep rep = { .local_qpn = 4 };
	struct cm_mad req = { .attr = CM_REQ };
	uint8_t bytes[CM_MAD_LEN];
	struct cm_conn *conn = &server->conns[0];

	req.req.local_comm_id = 0x77;
	req.req.service_id = CM_NET_SERVICE_ID;
	req.req.primary.local_gid[0] = 3;
	req.req.primary.traffic_class = 32;
	req.req.primary.hop_limit = 9;
	assert_int_equal(cm_mad_encode(&req, bytes), 0);
	assert_int_equal(cm_conn_add(&server->cm, conn, 0x88), 0);
	assert_int_equal(cm_engine_receive(&server->cm, &path, bytes,
					   CM_MAD_LEN, 0, conn, NULL, &net.out),
			 0);
	assert_int_equal(
		cm_conn_accept(&server->cm, conn, &rep, 0, 0, &net.out), 0);
	assert_int_equal(net.out.sends[0].path.dgid[0], 3);
	assert_int_equal(net.out.sends[0].path.sgid[0], 2);
	assert_int_equal(net.out.sends[0].path.traffic_class, 32);
	assert_int_equal(net.out.sends[0].path.hop_limit, 9);
}

#define CONN_TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONN_TEST(conn_xrc_target_sends_eecn),
		CONN_TEST(conn_polite_owners_are_established),
		CONN_TEST(conn_with_captured_parameters_sends_captured_mads),
		CONN_TEST(server_with_captured_request_sends_captured_replies),
		CONN_TEST(connect_without_listener_is_rejected_with_8),
		CONN_TEST(connect_rejected_by_owner_reports_reason_and_data),
		CONN_TEST(connect_refused_anonymously_carries_no_local_id),
		CONN_TEST(reply_rejected_by_active_side_ends_both),
		CONN_TEST(connect_with_full_backlog_waits_for_retransmission),
		CONN_TEST(accept_without_rtu_leaves_backlog_full),
		CONN_TEST(accept_before_listener_removed_is_established),
		CONN_TEST(listener_second_for_service_is_refused),
		CONN_TEST(listener_removed_leaves_pending_requests),
		CONN_TEST(conn_calls_in_wrong_state_are_refused),
		CONN_TEST(calls_with_values_too_large_change_nothing),
		CONN_TEST(disconnect_with_polite_peer_waits_and_exits),
		CONN_TEST(disconnect_by_passive_side_names_qpn_of_peer),
		CONN_TEST(disconnect_waits_until_peer_disconnects),
		CONN_TEST(disconnect_by_both_sides_reports_once_each),
		CONN_TEST(dreq_with_wrong_qpn_is_ignored),
		CONN_TEST(dreq_of_unknown_connection_gets_drep),
		CONN_TEST(req_with_qp_in_use_is_stale_and_ends_old),
		CONN_TEST(rep_with_qp_in_use_is_rejected_as_stale),
		CONN_TEST(remove_informs_peer_once_in_each_state),
		CONN_TEST(remove_without_peer_sends_nothing),
		CONN_TEST(remove_established_sends_dreq_once),
		CONN_TEST(remove_after_dreq_sends_drep),
		CONN_TEST(reply_goes_to_gid_in_request),
		CONN_TEST(connection_of_host_with_itself_is_established),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
