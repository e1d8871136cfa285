/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RC connections between two devices of the process. */
#include "librdmacm/api/api_net.h"

#include "cm/cm_mad.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MASK_INIT 0x39
#define MASK_RTR  0x129181
#define MASK_RTS  0x12e01

static struct rdma_event_channel *client_channel, *server_channel;

static int setup_channels(void **state)
{
	(void)api_net_reset(state);
	client_channel = api_net_channel();
	server_channel = api_net_channel();
	return 0;
}

/* Every test destroys its ids, and nothing is left. */
static int teardown_channels(void **state)
{
	return api_net_end(client_channel, server_channel);
}

/* The id of the request that the client sends, with a QP */
static struct rdma_cm_id *request_from(struct rdma_cm_id *client)
{
	struct rdma_cm_id *server;

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	server = api_net_fetch_request(server_channel);
	api_net_create_qp(server);
	return server;
}

static void expect_change(const struct rdma_cm_id *id, unsigned int index,
			  enum ibv_qp_state state, int mask)
{
	const struct api_net_qp *qp = api_net_qp_of(id);

	assert_true(index < qp->nr_changes);
	assert_int_equal(qp->changes[index].attr.qp_state, state);
	assert_int_equal(qp->changes[index].mask, mask);
}

static void connect_to_listener_moves_both_qps_to_rts(void **state)
{
	const struct ibv_qp_attr *left, *right;
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	/* INIT by rdma_create_qp(), and the three of the connection */
	for (int i = 0; i < 2; i++) {
		const struct rdma_cm_id *id = i ? server : client;

		expect_change(id, 0, IBV_QPS_INIT, MASK_INIT);
		/* Only a request id knows its peer at that time. */
		assert_int_equal(
			api_net_qp_of(id)->changes[0].attr.qp_access_flags,
			i ? IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
					IBV_ACCESS_REMOTE_ATOMIC
			  : 0);
		expect_change(id, 1, IBV_QPS_INIT, MASK_INIT);
		expect_change(id, 2, IBV_QPS_RTR, MASK_RTR);
		expect_change(id, 3, IBV_QPS_RTS, MASK_RTS);
		assert_int_equal(api_net_qp_of(id)->nr_changes, 4);
		assert_int_equal(
			api_net_qp_of(id)->changes[1].attr.qp_access_flags,
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_ATOMIC);
	}
	left = &api_net_qp_of(client)->changes[2].attr;
	right = &api_net_qp_of(server)->changes[2].attr;
	assert_int_equal(left->dest_qp_num, server->qp->qp_num);
	assert_int_equal(right->dest_qp_num, client->qp->qp_num);
	assert_int_equal(left->max_dest_rd_atomic, API_NET_MAX_RD);
	assert_int_equal(left->path_mtu, IBV_MTU_1024);
	assert_int_equal(left->ah_attr.grh.sgid_index, 3);
	assert_int_equal(left->ah_attr.grh.dgid.raw[15], 2);
	assert_int_equal(right->ah_attr.grh.dgid.raw[15], 1);
	assert_int_equal(left->ah_attr.grh.flow_label,
			 right->ah_attr.grh.flow_label);
	assert_int_equal(left->rq_psn,
			 api_net_qp_of(server)->changes[3].attr.sq_psn);
	assert_int_equal(right->rq_psn,
			 api_net_qp_of(client)->changes[3].attr.sq_psn);
	assert_int_equal(api_net_qp_of(client)->changes[3].attr.retry_cnt, 7);
	assert_int_equal(api_net_qp_of(server)->changes[3].attr.timeout, 17);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void connect_request_has_parameters_of_peer(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "hello",
		.private_data_len = 6,
		.responder_resources = 3,
		.initiator_depth = 2,
		.flow_control = 1,
		.retry_count = 9,
		.rnr_retry_count = 5,
	};
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_event *event;
	char zeros[CM_REQ_PRIVATE_LEN] = "";

	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_ptr_equal(event->listen_id, listener);
	assert_ptr_equal(event->id->context, listener->context);
	assert_ptr_equal(event->id->channel, server_channel);
	assert_int_equal(event->param.conn.responder_resources, 2);
	assert_int_equal(event->param.conn.initiator_depth, 3);
	assert_int_equal(event->param.conn.flow_control, 1);
	assert_int_equal(event->param.conn.retry_count, 7);
	assert_int_equal(event->param.conn.rnr_retry_count, 5);
	assert_int_equal(event->param.conn.qp_num, client->qp->qp_num);
	assert_int_equal(event->param.conn.private_data_len, 56);
	assert_string_equal(event->param.conn.private_data, "hello");
	assert_memory_equal((const char *)event->param.conn.private_data + 6,
			    zeros, 50);
	assert_int_equal(rdma_get_src_port(event->id), htons(API_NET_PORT));
	assert_int_equal(rdma_get_dst_port(event->id),
			 rdma_get_src_port(client));
	assert_int_equal(event->id->route.addr.addr.ibaddr.sgid.raw[15], 2);
	api_net_destroy(client);
	assert_int_equal(rdma_destroy_id(event->id), 0);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(listener);
}

static void connect_invalid_parameters_fail_with_einval(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "",
		.private_data_len = 57,
	};
	struct rdma_cm_id *client = api_net_route(client_channel);

	api_net_expect_errno(rdma_connect(client, &param), EINVAL);
	param.private_data_len = 0;
	param.responder_resources = API_NET_MAX_RD + 1;
	api_net_expect_errno(rdma_connect(client, &param), EINVAL);
	param.responder_resources = API_NET_MAX_RD;
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_expect_errno(rdma_connect(client, &param), EINVAL);
	api_net_destroy(client);
	api_net_deliver();
}

static void connect_without_listener_is_rejected_at_once(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_REJECTED,
		       CM_REJ_INVALID_SERVICE_ID);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	api_net_expect_errno(rdma_connect(client, NULL), EINVAL);
	api_net_destroy(client);
}

static void connect_lost_requests_end_as_unreachable(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);

	api_net.nr_drops = 1000;
	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_advance(16 * 4608 * API_NET_MS);
	assert_int_equal(api_net.nr_sent, 16);
	api_net_expect(client_channel, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	api_net_expect_errno(rdma_connect(client, NULL), EINVAL);
	api_net_destroy(client);
}

static void connect_lost_reply_is_retransmitted(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server;

	server = request_from(client);
	api_net.nr_drops = 1;
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect_nothing(client_channel);
	api_net_advance(5000 * API_NET_MS);
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_deliver();
	api_net_expect(server_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
	api_net_deliver();
}

static void connect_without_qp_needs_establish(void **state)
{
	struct rdma_conn_param param = { .qp_num = 77 };
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;
	int mask = 0;

	rdma_destroy_qp(client);
	api_net_expect_errno(rdma_connect(client, NULL), EINVAL);
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_expect_errno(rdma_establish(client), EINVAL);
	api_net_expect_errno(rdma_init_qp_attr(client, &attr, &mask), EINVAL);
	api_net_deliver();
	server = api_net_fetch_request(server_channel);
	param.qp_num = 78;
	param.private_data = "reply";
	param.private_data_len = 6;
	assert_int_equal(rdma_accept(server, &param), 0);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(event->param.conn.qp_num, 78);
	assert_int_equal(event->param.conn.private_data_len, 196);
	assert_string_equal(event->param.conn.private_data, "reply");
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(rdma_init_qp_attr(client, &attr, &mask), 0);
	assert_int_equal(mask, MASK_RTR);
	assert_int_equal(attr.dest_qp_num, 78);
	api_net_expect_nothing(server_channel);
	assert_int_equal(rdma_establish(client), 0);
	api_net_deliver();
	api_net_expect(server_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_expect_nothing(client_channel);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
	api_net_deliver();
}

static void request_after_migration_is_on_new_channel(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(client_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server;

	assert_int_equal(rdma_migrate_id(listener, server_channel), 0);
	server = request_from(client);
	assert_ptr_equal(server->channel, server_channel);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
	api_net_deliver();
}

static void notify_of_early_data_establishes_connection(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server;

	server = request_from(client);
	api_net_expect_errno(rdma_notify(server, IBV_EVENT_COMM_EST), EINVAL);
	assert_int_equal(rdma_accept(server, NULL), 0);
	assert_int_equal(rdma_notify(server, IBV_EVENT_COMM_EST), 0);
	api_net_expect(server_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_expect_errno(rdma_notify(server, IBV_EVENT_COMM_EST), EISCONN);
	api_net_expect_errno(rdma_notify(server, IBV_EVENT_SM_CHANGE), EINVAL);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
	api_net_deliver();
}

static void reject_of_request_reaches_client_with_data(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	server = api_net_fetch_request(server_channel);
	api_net_expect_errno(rdma_reject(server, "", 149), EINVAL);
	assert_int_equal(rdma_reject(server, "go away", 8), 0);
	api_net_expect_errno(rdma_reject(server, NULL, 0), EINVAL);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_REJECTED);
	assert_int_equal(event->status, CM_REJ_CONSUMER);
	assert_int_equal(event->param.conn.private_data_len, 148);
	assert_string_equal(event->param.conn.private_data, "go away");
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
}

static void reject_ece_of_request_has_reason_of_vendor(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server = request_from(client);
	char zeros[148] = "";
	struct rdma_cm_event *event;

	api_net_expect_errno(rdma_reject_ece(server, zeros, 149), EINVAL);
	api_net_expect_errno(rdma_reject_ece(server, NULL, 1), EINVAL);
	assert_int_equal(rdma_reject_ece(server, zeros, 148), 0);
	/* The QP of the server is not moved. */
	assert_int_equal(server->qp->state, IBV_QPS_INIT);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_REJECTED);
	assert_int_equal(event->status, 35);
	assert_int_equal(event->param.conn.private_data_len, 148);
	assert_memory_equal(event->param.conn.private_data, zeros, 148);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
}

static void reject_by_client_after_response_reaches_server(void **state)
{
	struct rdma_conn_param param = { .qp_num = 77 };
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;

	rdma_destroy_qp(client);
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	server = api_net_fetch_request(server_channel);
	api_net_create_qp(server);
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	assert_int_equal(rdma_reject(client, "no", 3), 0);
	api_net_expect_errno(rdma_establish(client), EINVAL);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_REJECTED);
	assert_int_equal(event->status, CM_REJ_CONSUMER);
	assert_string_equal(event->param.conn.private_data, "no");
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(server->qp->state, IBV_QPS_ERR);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
}

static void accept_data_too_long_rejects_request(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "",
		.private_data_len = 197,
	};
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server;

	server = request_from(client);
	api_net_expect_errno(rdma_accept(server, &param), EINVAL);
	assert_int_equal(server->qp->state, IBV_QPS_ERR);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_REJECTED, CM_REJ_CONSUMER);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
}

static void accept_failing_transition_sends_nothing(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server;
	unsigned int nr_sent;

	server = request_from(client);
	nr_sent = api_net.nr_sent;
	api_net.modify_ret = ENOMEM;
	api_net_expect_errno(rdma_accept(server, NULL), ENOMEM);
	assert_int_equal(api_net.nr_sent, nr_sent);
	api_net.modify_ret = 0;
	api_net_destroy(server);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_REJECTED, CM_REJ_CONSUMER);
	api_net_destroy(client);
	api_net_destroy(listener);
}

static void connect_failing_transition_reports_connect_error(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server;

	server = request_from(client);
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net.modify_ret = ENOMEM;
	api_net_expect(client_channel, RDMA_CM_EVENT_CONNECT_ERROR, -ENOMEM);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	api_net.modify_ret = 0;
	api_net_destroy(server);
	api_net_deliver();
	api_net_expect_nothing(client_channel); /* not a second end */
	api_net_destroy(client);
	api_net_destroy(listener);
}

static void disconnect_by_client_ends_when_server_disconnects(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	api_net_deliver();
	api_net_expect(server_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(server->qp->state, IBV_QPS_RTS);
	api_net_expect_nothing(client_channel);
	assert_int_equal(rdma_disconnect(server), 0);
	assert_int_equal(rdma_disconnect(server), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_expect_nothing(server_channel);
	api_net_advance(511 * API_NET_MS);
	api_net_expect_nothing(client_channel);
	api_net_advance(1 * API_NET_MS);
	api_net_expect(client_channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	api_net_expect(server_channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void disconnect_by_both_sides_has_event_on_each(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(rdma_disconnect(server), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_expect(server_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_advance(1000 * API_NET_MS);
	api_net_expect_nothing(client_channel);
	api_net_expect_nothing(server_channel);
	/* The time wait begins with a DREP. */
	assert_int_equal(rdma_disconnect(client), 0);
	api_net_deliver();
	api_net_advance(512 * API_NET_MS);
	api_net_expect(client_channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_deliver();
}

static void disconnect_without_response_ends_with_timeout(void **state)
{
	struct rdma_cm_id *client, *server;
	unsigned int nr_sent;

	api_net_connect(client_channel, server_channel, &client, &server);
	nr_sent = api_net.nr_sent;
	api_net.nr_drops = 1000;
	assert_int_equal(rdma_disconnect(client), 0);
	api_net_expect_nothing(client_channel);
	api_net_advance(16 * 6200 * API_NET_MS);
	assert_int_equal(api_net.nr_sent, nr_sent + 16);
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, -ETIMEDOUT);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void disconnect_while_connecting_moves_only_qp(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);

	api_net.nr_drops = 1;
	assert_int_equal(rdma_connect(client, NULL), 0);
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	assert_int_equal(api_net.nr_sent, 1);
	api_net_expect_nothing(client_channel);
	api_net_destroy(client);
	api_net_deliver();
}

static void notify_of_migrated_path_leaves_connection(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	assert_int_equal(rdma_notify(client, IBV_EVENT_PATH_MIG), 0);
	assert_int_equal(rdma_notify(server, IBV_EVENT_PATH_MIG), 0);
	assert_int_equal(rdma_disconnect(client), 0);
	api_net_deliver();
	api_net_expect(server_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(server), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void disconnect_never_connected_fails_with_einval(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *idle = NULL;

	api_net_expect_errno(rdma_disconnect(client), EINVAL);
	assert_int_equal(
		rdma_create_id(client_channel, &idle, NULL, RDMA_PS_TCP), 0);
	api_net_expect_errno(rdma_disconnect(idle), EINVAL);
	api_net_destroy(idle);
	api_net_destroy(client);
}

static void destroy_id_established_disconnects_peer(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	api_net_destroy(server);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_destroy(client);
}

static void peer_process_ended_disconnects_without_dreq(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	api_net_end_owner(1);
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_expect_nothing(server_channel);
	assert_int_equal(client->qp->state, IBV_QPS_RTS);
	api_net_end_owner(1);
	api_net_expect_nothing(client_channel); /* not a second end */
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	api_net_advance(512 * API_NET_MS);
	api_net_expect(client_channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void peer_process_ended_ends_waiting_disconnect(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net_connect(client_channel, server_channel, &client, &server);
	assert_int_equal(rdma_disconnect(server), 0);
	api_net_end_owner(0);
	api_net_expect(server_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_destroy(client);
	api_net_destroy(server);
}

/* Processes of other hosts may have the prefix of one of this host. */
static void remote_peer_outlives_local_process_of_same_prefix(void **state)
{
	struct rdma_cm_id *client, *server;

	api_net.watch_ret = EADDRNOTAVAIL;
	api_net_connect(client_channel, server_channel, &client, &server);
	api_net_end_owner(0);
	api_net_end_owner(1);
	api_net_expect_nothing(client_channel);
	api_net_expect_nothing(server_channel);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void peer_process_ended_before_rtu_disconnects_at_once(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server = request_from(client);

	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net.watch_ret = ESRCH;
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
}

static void destroy_id_listening_rejects_queued_requests(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *client = api_net_route(client_channel);

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	api_net_destroy(listener);
	api_net_expect_nothing(server_channel);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_REJECTED, CM_REJ_CONSUMER);
	api_net_destroy(client);
}

static void listen_full_backlog_delays_second_request(void **state)
{
	struct rdma_cm_id *listener = NULL;
	struct rdma_cm_id *clients[2];
	struct rdma_cm_id *servers[2];

	assert_int_equal(
		rdma_create_id(server_channel, &listener, NULL, RDMA_PS_TCP),
		0);
	assert_int_equal(
		rdma_bind_addr(listener, api_net_address(0, API_NET_PORT)), 0);
	assert_int_equal(rdma_listen(listener, 1), 0);
	api_net_expect_errno(rdma_listen(listener, 1), EINVAL);
	for (int i = 0; i < 2; i++) {
		clients[i] = api_net_route(client_channel);
		assert_int_equal(rdma_connect(clients[i], NULL), 0);
	}
	api_net_deliver();
	servers[0] = api_net_fetch_request(server_channel);
	api_net_expect_nothing(server_channel);
	api_net_advance(4608 * API_NET_MS);
	servers[1] = api_net_fetch_request(server_channel);
	for (int i = 0; i < 2; i++) {
		api_net_destroy(servers[i]);
		api_net_destroy(clients[i]);
	}
	api_net_destroy(listener);
	api_net_deliver();
}

static void listen_unbound_has_wildcard_address_and_port(void **state)
{
	struct rdma_cm_id *listener = NULL;

	assert_int_equal(
		rdma_create_id(server_channel, &listener, NULL, RDMA_PS_TCP),
		0);
	assert_int_equal(rdma_listen(listener, 0), 0);
	assert_int_not_equal(rdma_get_src_port(listener), 0);
	assert_int_equal(listener->route.addr.src_addr.sa_family, AF_INET);
	assert_null(listener->verbs);
	api_net_destroy(listener);
}

static void create_qp_twice_or_with_foreign_pd_fails(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };
	struct ibv_pd foreign = { .context = NULL };

	assert_int_equal(api_net.nr_cqs, 2);
	assert_int_equal(client->send_cq->cqe, 4);
	assert_int_equal(client->recv_cq->cqe, 8);
	assert_ptr_equal(client->recv_cq->cq_context, client);
	api_net_expect_errno(rdma_create_qp(client, NULL, &attr), EINVAL);
	rdma_destroy_qp(client);
	assert_null(client->qp);
	assert_int_equal(api_net.nr_cqs, 0);
	api_net_expect_errno(rdma_create_qp(client, &foreign, &attr), EINVAL);
	api_net_destroy(client);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_channels, teardown_channels)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(connect_to_listener_moves_both_qps_to_rts),
		TEST(connect_request_has_parameters_of_peer),
		TEST(connect_invalid_parameters_fail_with_einval),
		TEST(connect_without_listener_is_rejected_at_once),
		TEST(connect_lost_requests_end_as_unreachable),
		TEST(connect_lost_reply_is_retransmitted),
		TEST(connect_without_qp_needs_establish),
		TEST(request_after_migration_is_on_new_channel),
		TEST(notify_of_early_data_establishes_connection),
		TEST(reject_of_request_reaches_client_with_data),
		TEST(reject_ece_of_request_has_reason_of_vendor),
		TEST(reject_by_client_after_response_reaches_server),
		TEST(accept_data_too_long_rejects_request),
		TEST(accept_failing_transition_sends_nothing),
		TEST(connect_failing_transition_reports_connect_error),
		TEST(disconnect_by_client_ends_when_server_disconnects),
		TEST(disconnect_by_both_sides_has_event_on_each),
		TEST(disconnect_without_response_ends_with_timeout),
		TEST(disconnect_while_connecting_moves_only_qp),
		TEST(notify_of_migrated_path_leaves_connection),
		TEST(disconnect_never_connected_fails_with_einval),
		TEST(destroy_id_established_disconnects_peer),
		TEST(peer_process_ended_disconnects_without_dreq),
		TEST(peer_process_ended_ends_waiting_disconnect),
		TEST(remote_peer_outlives_local_process_of_same_prefix),
		TEST(peer_process_ended_before_rtu_disconnects_at_once),
		TEST(destroy_id_listening_rejects_queued_requests),
		TEST(listen_full_backlog_delays_second_request),
		TEST(listen_unbound_has_wildcard_address_and_port),
		TEST(create_qp_twice_or_with_foreign_pd_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
