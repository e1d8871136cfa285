/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of datagram ids between two devices of the process. */
#include "librdmacm/api/api_net.h"

#include "cm/cm_mad.h"
#include "cm/cm_service.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MASK_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)

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

/* A client and a request for a listener, which is destroyed at the end. */
static void begin_request(struct rdma_cm_id **ret_listener,
			  struct rdma_cm_id **ret_client,
			  struct rdma_cm_id **ret_server)
{
	*ret_listener = api_net_listen_in(server_channel, RDMA_PS_UDP);
	*ret_client = api_net_route_in(client_channel, RDMA_PS_UDP);
	assert_int_equal(rdma_connect(*ret_client, NULL), 0);
	api_net_deliver();
	*ret_server = api_net_fetch_request(server_channel);
}

static void end_ids(struct rdma_cm_id *listener, struct rdma_cm_id *client,
		    struct rdma_cm_id *server)
{
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
	api_net_deliver();
}

static void create_qp_of_datagram_id_moves_qp_to_rts(void **state)
{
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);
	const struct api_net_qp *qp = api_net_qp_of(id);

	assert_int_equal(qp->nr_changes, 3);
	assert_int_equal(qp->changes[0].attr.qp_state, IBV_QPS_INIT);
	assert_int_equal(qp->changes[0].mask, MASK_INIT);
	assert_int_equal(qp->changes[0].attr.qkey, RDMA_UDP_QKEY);
	assert_int_equal(qp->changes[0].attr.port_num, 1);
	assert_int_equal(qp->changes[1].attr.qp_state, IBV_QPS_RTR);
	assert_int_equal(qp->changes[1].mask, IBV_QP_STATE);
	assert_int_equal(qp->changes[2].attr.qp_state, IBV_QPS_RTS);
	assert_int_equal(qp->changes[2].mask, IBV_QP_STATE | IBV_QP_SQ_PSN);
	assert_int_equal(qp->changes[2].attr.sq_psn, 0);
	api_net_destroy(id);
}

static void init_qp_attr_of_datagram_id_has_qkey(void **state)
{
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	int mask = 0;

	assert_int_equal(rdma_init_qp_attr(id, &attr, &mask), 0);
	assert_int_equal(mask, MASK_INIT);
	assert_int_equal(attr.qkey, RDMA_UDP_QKEY);
	api_net_destroy(id);
}

static void connect_of_datagram_id_requests_with_private_data(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "hello",
		.private_data_len = 6,
	};
	struct rdma_cm_id *listener =
		api_net_listen_in(server_channel, RDMA_PS_UDP);
	struct rdma_cm_id *client =
		api_net_route_in(client_channel, RDMA_PS_UDP);
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;
	char zeros[180] = "";

	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	server = event->id;
	assert_ptr_equal(event->listen_id, listener);
	assert_ptr_equal(server->context, listener->context);
	assert_ptr_equal(server->channel, server_channel);
	assert_non_null(server->verbs);
	assert_int_equal(server->port_num, 1);
	assert_int_equal(server->ps, RDMA_PS_UDP);
	assert_int_equal(server->qp_type, IBV_QPT_UD);
	assert_int_equal(server->route.num_paths, 0);
	assert_int_equal(event->param.ud.qp_num, 0);
	assert_int_equal(event->param.ud.private_data_len, 180);
	assert_string_equal(event->param.ud.private_data, "hello");
	assert_memory_equal((const char *)event->param.ud.private_data + 6,
			    zeros, 174);
	assert_int_equal(rdma_get_src_port(server), htons(API_NET_PORT));
	assert_int_equal(rdma_get_dst_port(server), rdma_get_src_port(client));
	assert_int_equal(server->route.addr.addr.ibaddr.sgid.raw[15], 2);
	assert_int_equal(server->route.addr.addr.ibaddr.dgid.raw[15], 1);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	end_ids(listener, client, server);
}

static void accept_of_datagram_id_returns_qp_and_address(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "reply",
		.private_data_len = 6,
		.qp_num = 1, /* not used: there is a QP */
	};
	struct rdma_cm_id *listener, *client, *server;
	struct rdma_cm_event *event;

	begin_request(&listener, &client, &server);
	api_net_create_qp(server);
	assert_int_equal(rdma_accept(server, &param), 0);
	api_net_expect_errno(rdma_accept(server, &param), EINVAL);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_int_equal(event->status, 0);
	assert_int_equal(event->param.ud.qp_num, server->qp->qp_num);
	assert_int_equal(event->param.ud.qkey, RDMA_UDP_QKEY);
	assert_int_equal(event->param.ud.private_data_len, 136);
	assert_string_equal(event->param.ud.private_data, "reply");
	assert_int_equal(event->param.ud.ah_attr.is_global, 1);
	assert_int_equal(event->param.ud.ah_attr.port_num, 1);
	assert_int_equal(event->param.ud.ah_attr.grh.dgid.raw[15], 2);
	assert_int_equal(event->param.ud.ah_attr.grh.sgid_index, 3);
	assert_int_equal(event->param.ud.ah_attr.grh.hop_limit, 64);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	/* Neither the other side nor the QP has a change. */
	api_net_expect_nothing(server_channel);
	assert_int_equal(api_net_qp_of(client)->nr_changes, 3);
	end_ids(listener, client, server);
	api_net_expect_nothing(client_channel);
}

static void accept_without_qp_returns_qpn_of_parameters(void **state)
{
	struct rdma_conn_param param = { .qp_num = 0x123456 };
	struct rdma_cm_id *listener, *client, *server;
	struct rdma_cm_event *event;

	begin_request(&listener, &client, &server);
	api_net_expect_errno(rdma_accept(server, NULL), EINVAL);
	assert_int_equal(rdma_accept(server, &param), 0);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_int_equal(event->param.ud.qp_num, 0x123456);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	end_ids(listener, client, server);
}

static void accept_datagram_data_too_long_rejects_request(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "",
		.private_data_len = 137,
	};
	struct rdma_cm_id *listener, *client, *server;

	begin_request(&listener, &client, &server);
	api_net_create_qp(server);
	api_net_expect_errno(rdma_accept(server, &param), EINVAL);
	assert_int_equal(server->qp->state, IBV_QPS_ERR);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_UNREACHABLE,
		       CM_SIDR_REJECTED);
	end_ids(listener, client, server);
}

static void accept_lost_reply_leads_to_second_request(void **state)
{
	struct rdma_cm_id *listener, *client, *server;

	begin_request(&listener, &client, &server);
	api_net_create_qp(server);
	api_net.nr_drops = 1;
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect_nothing(client_channel);
	api_net_destroy(server);
	api_net_advance(4096 * API_NET_MS);
	server = api_net_fetch_request(server_channel);
	api_net_create_qp(server);
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	end_ids(listener, client, server);
}

static void connect_datagram_data_too_long_fails_with_einval(void **state)
{
	struct rdma_conn_param param = {
		.private_data = "",
		.private_data_len = 181,
	};
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);

	api_net_expect_errno(rdma_connect(id, &param), EINVAL);
	param.private_data_len = 1;
	assert_int_equal(rdma_connect(id, &param), 0);
	api_net_expect_errno(rdma_connect(id, &param), EINVAL);
	api_net_destroy(id);
	api_net_deliver();
}

static void datagram_private_data_of_largest_size_arrives(void **state)
{
	struct rdma_cm_id *listener =
		api_net_listen_in(server_channel, RDMA_PS_UDP);
	struct rdma_cm_id *client =
		api_net_route_in(client_channel, RDMA_PS_UDP);
	struct rdma_conn_param param = { .private_data_len = 180 };
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;
	char bytes[180];

	memset(bytes, 0xa5, sizeof(bytes));
	param.private_data = bytes;
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_memory_equal(event->param.ud.private_data, bytes, 180);
	server = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	param.private_data_len = 136;
	assert_int_equal(rdma_accept(server, &param), 0);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_memory_equal(event->param.ud.private_data, bytes, 136);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	end_ids(listener, client, server);
}

static void connect_datagram_without_qp_needs_parameters(void **state)
{
	struct rdma_conn_param param = {
		.responder_resources = API_NET_MAX_RD + 1, /* not used */
	};
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);

	rdma_destroy_qp(id);
	api_net_expect_errno(rdma_connect(id, NULL), EINVAL);
	assert_int_equal(rdma_connect(id, &param), 0);
	api_net_expect_errno(rdma_establish(id), EINVAL);
	api_net_expect_errno(rdma_notify(id, IBV_EVENT_COMM_EST), EINVAL);
	api_net_expect_errno(rdma_accept(id, &param), EINVAL);
	api_net_expect_errno(rdma_reject(id, NULL, 0), EINVAL);
	api_net_destroy(id);
	api_net_deliver();
}

static void connect_to_port_of_connections_reports_no_service(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);

	assert_int_equal(rdma_connect(id, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_UNREACHABLE,
		       CM_SIDR_NO_SERVICE);
	api_net_expect_nothing(server_channel);
	/* The QP stays as it is, and the id cannot be used again. */
	assert_int_equal(id->qp->state, IBV_QPS_RTS);
	api_net_expect_errno(rdma_connect(id, NULL), EINVAL);
	api_net_destroy(id);
	api_net_destroy(listener);
}

static void connect_lost_resolutions_end_as_unreachable(void **state)
{
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);

	api_net.nr_drops = 1000;
	assert_int_equal(rdma_connect(id, NULL), 0);
	api_net_advance(16 * 4096 * API_NET_MS - 1);
	api_net_expect_nothing(client_channel);
	api_net_advance(1);
	assert_int_equal(api_net.nr_sent, 16);
	api_net_expect(client_channel, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	api_net_destroy(id);
}

static void reject_of_datagram_request_has_private_data(void **state)
{
	struct rdma_cm_id *listener, *client, *server;
	struct rdma_cm_event *event;

	begin_request(&listener, &client, &server);
	api_net_expect_errno(rdma_reject(server, "", 137), EINVAL);
	assert_int_equal(rdma_reject(server, "go away", 8), 0);
	api_net_expect_errno(rdma_reject(server, NULL, 0), EINVAL);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_UNREACHABLE);
	assert_int_equal(event->status, CM_SIDR_REJECTED);
	assert_int_equal(event->param.ud.private_data_len, 136);
	assert_string_equal(event->param.ud.private_data, "go away");
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(client->qp->state, IBV_QPS_RTS);
	end_ids(listener, client, server);
}

static void disconnect_of_datagram_id_sends_nothing(void **state)
{
	struct rdma_cm_id *listener, *client, *server;
	unsigned int nr_sent;

	begin_request(&listener, &client, &server);
	api_net_create_qp(server);
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	nr_sent = api_net.nr_sent;
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(rdma_disconnect(server), 0);
	assert_int_equal(client->qp->state, IBV_QPS_ERR);
	assert_int_equal(server->qp->state, IBV_QPS_ERR);
	end_ids(listener, client, server);
	assert_int_equal(api_net.nr_sent, nr_sent);
	api_net_expect_nothing(client_channel);
	api_net_expect_nothing(server_channel);
}

static void disconnect_of_unconnected_datagram_id_fails(void **state)
{
	struct rdma_cm_id *id = api_net_route_in(client_channel, RDMA_PS_UDP);

	api_net_expect_errno(rdma_disconnect(id), EINVAL);
	api_net_destroy(id);
}

static void destroy_id_of_datagram_request_rejects_peer(void **state)
{
	struct rdma_cm_id *listener, *client, *server;

	begin_request(&listener, &client, &server);
	api_net_destroy(server);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_UNREACHABLE,
		       CM_SIDR_REJECTED);
	api_net_destroy(client);
	api_net_destroy(listener);
}

static void destroy_id_listening_rejects_queued_datagram_request(void **state)
{
	struct rdma_cm_id *listener =
		api_net_listen_in(server_channel, RDMA_PS_UDP);
	struct rdma_cm_id *client =
		api_net_route_in(client_channel, RDMA_PS_UDP);

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	api_net_destroy(listener);
	api_net_expect_nothing(server_channel);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_UNREACHABLE,
		       CM_SIDR_REJECTED);
	api_net_destroy(client);
}

static void destroy_id_resolving_drops_late_reply(void **state)
{
	struct rdma_cm_id *listener, *client, *server;

	begin_request(&listener, &client, &server);
	api_net_create_qp(server);
	api_net_destroy(client);
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect_nothing(client_channel);
	api_net_destroy(server);
	api_net_destroy(listener);
}

static void listen_both_transports_on_same_port_separates(void **state)
{
	struct rdma_cm_id *tcp = api_net_listen(server_channel);
	struct rdma_cm_id *udp = api_net_listen_in(server_channel, RDMA_PS_UDP);
	struct rdma_cm_id *clients[] = {
		api_net_route(client_channel),
		api_net_route_in(client_channel, RDMA_PS_UDP),
	};
	struct rdma_cm_event *event;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(rdma_connect(clients[i], NULL), 0);
		api_net_deliver();
		event = api_net_fetch(server_channel,
				      RDMA_CM_EVENT_CONNECT_REQUEST);
		assert_ptr_equal(event->listen_id, i ? udp : tcp);
		assert_int_equal(rdma_destroy_id(event->id), 0);
		assert_int_equal(rdma_ack_cm_event(event), 0);
		api_net_destroy(clients[i]);
	}
	api_net_destroy(tcp);
	api_net_destroy(udp);
	api_net_deliver();
}

static void listen_full_backlog_delays_datagram_request(void **state)
{
	struct rdma_cm_id *listener = NULL;
	struct rdma_cm_id *clients[2];
	struct rdma_cm_event *event;

	assert_int_equal(
		rdma_create_id(server_channel, &listener, NULL, RDMA_PS_UDP),
		0);
	assert_int_equal(
		rdma_bind_addr(listener, api_net_address(0, API_NET_PORT)), 0);
	assert_int_equal(rdma_listen(listener, 1), 0);
	for (int i = 0; i < 2; i++) {
		clients[i] = api_net_route_in(client_channel, RDMA_PS_UDP);
		assert_int_equal(rdma_connect(clients[i], NULL), 0);
	}
	api_net_deliver();
	for (int i = 0; i < 2; i++) {
		event = api_net_fetch(server_channel,
				      RDMA_CM_EVENT_CONNECT_REQUEST);
		assert_int_equal(rdma_reject(event->id, NULL, 0), 0);
		assert_int_equal(rdma_destroy_id(event->id), 0);
		assert_int_equal(rdma_ack_cm_event(event), 0);
		api_net_expect_nothing(server_channel);
		api_net_advance(4096 * API_NET_MS);
	}
	api_net_destroy(clients[0]);
	api_net_destroy(clients[1]);
	api_net_destroy(listener);
}

/* A SIDR_REQ of another host for the port of the tests */
static void inject_request(uint32_t request_id, uint8_t header_version,
			   uint8_t last_byte_of_address)
{
	struct cm_ip_header header = { .ip_version = 4 };
	struct cm_mad message = {
		.attr = CM_SIDR_REQ,
		.sidr_req = {
			.request_id = request_id,
			.pkey = CM_PKEY,
			.service_id = cm_service_id(RDMA_PS_UDP, API_NET_PORT),
		},
	};
	uint8_t mad[CM_MAD_LEN];

	header.dst_addr[12] = 127;
	header.dst_addr[15] = last_byte_of_address;
	assert_int_equal(
		cm_ip_header_encode(&header, message.sidr_req.private_data), 0);
	message.sidr_req.private_data[0] = header_version;
	assert_int_equal(cm_mad_encode(&message, mad), 0);
	api_net_inject(mad);
	api_net_deliver();
}

static void receive_invalid_datagram_request_is_rejected(void **state)
{
	struct rdma_cm_id *listener =
		api_net_listen_in(server_channel, RDMA_PS_UDP);
	struct rdma_cm_event *event;

	inject_request(1, 1, 2); /* unknown header */
	inject_request(2, 0, 3); /* address of no listener */
	assert_int_equal(api_net.nr_sent, 4);
	api_net_expect_nothing(server_channel);
	inject_request(3, 0, 2);
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(rdma_destroy_id(event->id), 0);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(listener);
	api_net_deliver();
}

static void ipoib_id_has_no_device(void **state)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(
		rdma_create_id(client_channel, &id, NULL, RDMA_PS_IPOIB), 0);
	api_net_expect_errno(rdma_bind_addr(id, api_net_address(1, 0)), EINVAL);
	assert_int_equal(rdma_resolve_addr(id, NULL,
					   api_net_address(2, API_NET_PORT),
					   1000),
			 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_ADDR_ERROR, -EINVAL);
	assert_null(id->verbs);
	api_net_destroy(id);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_channels, teardown_channels)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_qp_of_datagram_id_moves_qp_to_rts),
		TEST(init_qp_attr_of_datagram_id_has_qkey),
		TEST(connect_of_datagram_id_requests_with_private_data),
		TEST(accept_of_datagram_id_returns_qp_and_address),
		TEST(accept_without_qp_returns_qpn_of_parameters),
		TEST(accept_datagram_data_too_long_rejects_request),
		TEST(accept_lost_reply_leads_to_second_request),
		TEST(connect_datagram_data_too_long_fails_with_einval),
		TEST(datagram_private_data_of_largest_size_arrives),
		TEST(connect_datagram_without_qp_needs_parameters),
		TEST(connect_to_port_of_connections_reports_no_service),
		TEST(connect_lost_resolutions_end_as_unreachable),
		TEST(reject_of_datagram_request_has_private_data),
		TEST(disconnect_of_datagram_id_sends_nothing),
		TEST(disconnect_of_unconnected_datagram_id_fails),
		TEST(destroy_id_of_datagram_request_rejects_peer),
		TEST(destroy_id_listening_rejects_queued_datagram_request),
		TEST(destroy_id_resolving_drops_late_reply),
		TEST(listen_both_transports_on_same_port_separates),
		TEST(listen_full_backlog_delays_datagram_request),
		TEST(receive_invalid_datagram_request_is_rejected),
		TEST(ipoib_id_has_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
