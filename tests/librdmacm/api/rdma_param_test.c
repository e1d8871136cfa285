/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parameters of connections and of QPs, and their default values. */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct rdma_event_channel *client_channel, *server_channel;
static struct rdma_cm_id *listener;

static int setup_listener(void **state)
{
	(void)api_net_reset(state);
	client_channel = api_net_channel();
	server_channel = api_net_channel();
	listener = api_net_listen(server_channel);
	return 0;
}

/* Every test destroys its other ids, and nothing is left. */
static int teardown_listener(void **state)
{
	if (listener)
		api_net_destroy(listener);
	api_net_deliver();
	return api_net_end(client_channel, server_channel);
}

/* The id of the request that the client sends, with a QP */
static struct rdma_cm_id *request_with(struct rdma_cm_id *client,
				       struct rdma_conn_param *param)
{
	struct rdma_cm_id *id;

	assert_int_equal(rdma_connect(client, param), 0);
	api_net_deliver();
	id = api_net_fetch_request(server_channel);
	api_net_create_qp(id);
	return id;
}

static void connect_without_parameters_requests_device_maxima(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);
	char zeros[56] = "";
	struct rdma_cm_event *event;

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(event->status, 0);
	assert_int_equal(event->param.conn.responder_resources, API_NET_MAX_RD);
	assert_int_equal(event->param.conn.initiator_depth, API_NET_MAX_RD);
	assert_int_equal(event->param.conn.flow_control, 0);
	assert_int_equal(event->param.conn.retry_count, 7);
	assert_int_equal(event->param.conn.rnr_retry_count, 7);
	assert_int_equal(event->param.conn.srq, 0);
	assert_int_equal(event->param.conn.private_data_len, 56);
	assert_memory_equal(event->param.conn.private_data, zeros, 56);
	api_net_destroy(client);
	assert_int_equal(rdma_destroy_id(event->id), 0);
	assert_int_equal(rdma_ack_cm_event(event), 0);
}

static void connect_with_srq_and_large_counts_clips_counts(void **state)
{
	struct rdma_conn_param param = {
		.responder_resources = RDMA_MAX_RESP_RES,
		.initiator_depth = RDMA_MAX_INIT_DEPTH,
		.retry_count = 8,
		.rnr_retry_count = 255,
	};
	struct ibv_srq_init_attr srq = { .attr.max_wr = 1 };
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_event *event;

	rdma_destroy_qp(client);
	assert_int_equal(rdma_create_srq(client, NULL, &srq), 0);
	api_net_create_qp(client);
	assert_ptr_equal(client->qp->srq, client->srq);
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_int_equal(event->param.conn.responder_resources, API_NET_MAX_RD);
	assert_int_equal(event->param.conn.initiator_depth, API_NET_MAX_RD);
	assert_int_equal(event->param.conn.retry_count, 7);
	assert_int_equal(event->param.conn.rnr_retry_count, 7);
	assert_int_equal(event->param.conn.srq, 1);
	rdma_destroy_qp(client);
	rdma_destroy_srq(client);
	api_net_destroy(client);
	assert_int_equal(rdma_destroy_id(event->id), 0);
	assert_int_equal(rdma_ack_cm_event(event), 0);
}

static int connect_with_depths(struct rdma_cm_id *id, uint8_t resources,
			       uint8_t depth)
{
	struct rdma_conn_param param = {
		.responder_resources = resources,
		.initiator_depth = depth,
	};

	return rdma_connect(id, &param);
}

static void connect_depths_are_limited_in_port_space_tcp(void **state)
{
	const uint8_t too_many = API_NET_MAX_RD + 1;
	struct rdma_cm_id *tcp = api_net_route_in(client_channel, RDMA_PS_TCP);
	struct rdma_cm_id *ib = api_net_route_in(client_channel, RDMA_PS_IB);

	api_net_expect_errno(connect_with_depths(tcp, too_many, 1), EINVAL);
	api_net_expect_errno(connect_with_depths(tcp, 1, too_many), EINVAL);
	assert_int_equal(connect_with_depths(tcp, RDMA_MAX_RESP_RES,
					     RDMA_MAX_INIT_DEPTH),
			 0);
	assert_int_equal(connect_with_depths(ib, too_many, too_many), 0);
	api_net_destroy(tcp);
	api_net_destroy(ib);
	api_net_deliver();
}

static void private_data_of_largest_size_arrives(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_conn_param param = { .private_data_len = 56 };
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;
	char bytes[196];

	memset(bytes, 0xa5, sizeof(bytes));
	param.private_data = bytes;
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_memory_equal(event->param.conn.private_data, bytes, 56);
	server = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_create_qp(server);
	param.private_data_len = 196;
	assert_int_equal(rdma_accept(server, &param), 0);
	api_net_deliver();
	event = api_net_fetch(client_channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_memory_equal(event->param.conn.private_data, bytes, 196);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(client);
	api_net_destroy(server);
}

/* A client with 3 and 2 operations, and the id of its request */
static struct rdma_cm_id *request_with_depths(struct rdma_cm_id **ret_client)
{
	struct rdma_conn_param param = {
		.responder_resources = 3,
		.initiator_depth = 2,
	};

	*ret_client = api_net_route(client_channel);
	return request_with(*ret_client, &param);
}

static void expect_depths(const struct rdma_cm_id *id, uint8_t resources,
			  uint8_t depth)
{
	const struct api_net_qp *qp = api_net_qp_of(id);

	assert_int_equal(qp->nr_changes, 4);
	assert_int_equal(qp->changes[2].attr.max_dest_rd_atomic, resources);
	assert_int_equal(qp->changes[3].attr.max_rd_atomic, depth);
}

static void accept_depths_are_those_of_request_or_parameters(void **state)
{
	struct rdma_conn_param params[] = {
		{ .responder_resources = RDMA_MAX_RESP_RES,
		  .initiator_depth = RDMA_MAX_INIT_DEPTH },
		{ .responder_resources = 1, .initiator_depth = 0 },
	};
	struct rdma_conn_param *rows[] = { NULL, &params[0], &params[1] };

	for (int i = 0; i < 3; i++) {
		struct rdma_cm_id *client;
		struct rdma_cm_id *server = request_with_depths(&client);
		struct rdma_cm_event *event;

		assert_int_equal(rdma_accept(server, rows[i]), 0);
		api_net_deliver();
		event = api_net_fetch(client_channel,
				      RDMA_CM_EVENT_ESTABLISHED);
		assert_int_equal(event->param.conn.responder_resources,
				 i < 2 ? 3 : 0);
		assert_int_equal(event->param.conn.initiator_depth,
				 i < 2 ? 2 : 1);
		assert_int_equal(event->param.conn.private_data_len, 196);
		assert_int_equal(rdma_ack_cm_event(event), 0);
		expect_depths(server, i < 2 ? 2 : 1, i < 2 ? 3 : 0);
		expect_depths(client, i < 2 ? 3 : 0, i < 2 ? 2 : 1);
		api_net_destroy(client);
		api_net_destroy(server);
		api_net_deliver();
	}
}

static void accept_depths_above_device_maximum_fail_with_einval(void **state)
{
	struct rdma_conn_param param = {
		.responder_resources = API_NET_MAX_RD + 1,
	};
	struct rdma_cm_id *client, *server = request_with_depths(&client);

	api_net_expect_errno(rdma_accept(server, &param), EINVAL);
	param.responder_resources = 0;
	param.initiator_depth = API_NET_MAX_RD + 1;
	api_net_expect_errno(rdma_accept(server, &param), EINVAL);
	/* The request is still pending. */
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_destroy(client);
	api_net_destroy(server);
}

static void established_of_server_has_no_parameters(void **state)
{
	static const struct rdma_conn_param zeros;
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server = request_with(client, NULL);
	struct rdma_cm_event *event;

	/* The request outlives its listener. */
	api_net_destroy(listener);
	listener = NULL;
	assert_int_equal(rdma_accept(server, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_memory_equal(&event->param.conn, &zeros, sizeof(zeros));
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_deliver();
}

static void accept_after_client_is_destroyed_fails_with_einval(void **state)
{
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_id *server = request_with(client, NULL);

	api_net_destroy(client);
	api_net_deliver();
	api_net_expect_nothing(server_channel);
	api_net_expect_errno(rdma_accept(server, NULL), EINVAL);
	api_net_expect_errno(rdma_reject(server, NULL, 0), EINVAL);
	api_net_destroy(server);
}

static void init_qp_attr_access_depends_on_responder_resources(void **state)
{
	struct rdma_conn_param param = { .qp_num = 77 };
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask = 0;

	rdma_destroy_qp(client);
	assert_int_equal(rdma_connect(client, &param), 0);
	assert_int_equal(rdma_init_qp_attr(client, &attr, &mask), 0);
	assert_int_equal(mask, 0x39);
	assert_int_equal(attr.qp_access_flags, IBV_ACCESS_REMOTE_WRITE);
	attr.qp_state = IBV_QPS_RTS;
	api_net_expect_errno(rdma_init_qp_attr(client, &attr, &mask), EINVAL);
	api_net_destroy(client);
	api_net_deliver();
}

static void create_qp_attributes_name_objects_of_id(void **state)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 8 },
		.qp_type = IBV_QPT_UD,
	};
	struct rdma_cm_id *left = api_net_route(client_channel);
	struct rdma_cm_id *right = api_net_route(client_channel);

	rdma_destroy_qp(left);
	rdma_destroy_qp(right);
	assert_int_equal(rdma_create_qp(left, NULL, &attr), 0);
	assert_int_equal(left->qp->qp_type, IBV_QPT_UD);
	assert_int_equal(attr.cap.max_inline_data, 64); /* of the device */
	assert_ptr_equal(attr.send_cq, left->send_cq);
	assert_ptr_equal(attr.recv_cq, left->recv_cq);
	assert_ptr_equal(left->qp->pd, left->pd);
	assert_ptr_not_equal(left->send_cq_channel, left->recv_cq_channel);
	/* The second id has no CQs of its own. */
	assert_int_equal(rdma_create_qp(right, NULL, &attr), 0);
	assert_ptr_equal(right->qp->send_cq, left->send_cq);
	assert_null(right->send_cq);
	assert_int_equal(api_net.nr_cqs, 2);
	api_net_destroy(right);
	assert_int_equal(api_net.nr_cqs, 2);
	/* A queue without requests needs no CQ. */
	rdma_destroy_qp(left);
	attr = (struct ibv_qp_init_attr){ .cap.max_recv_wr = 1 };
	attr.qp_type = IBV_QPT_RC;
	assert_int_equal(rdma_create_qp(left, NULL, &attr), 0);
	assert_null(left->send_cq);
	assert_non_null(left->recv_cq);
	api_net_destroy(left);
}

static void create_qp_ex_without_pd_uses_pd_of_id(void **state)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 8 },
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_cm_id *client = api_net_route(client_channel);

	api_net_expect_errno(rdma_create_qp_ex(client, &attr), EINVAL);
	rdma_destroy_qp(client);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	api_net_expect_errno(rdma_create_qp_ex(client, &attr), EINVAL);
	attr.comp_mask = 0;
	assert_int_equal(rdma_create_qp_ex(client, &attr), 0);
	assert_int_equal(attr.comp_mask, IBV_QP_INIT_ATTR_PD);
	assert_ptr_equal(attr.pd, client->pd);
	assert_ptr_equal(client->qp->pd, client->pd);
	api_net_destroy(client);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_listener, teardown_listener)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(connect_without_parameters_requests_device_maxima),
		TEST(connect_with_srq_and_large_counts_clips_counts),
		TEST(private_data_of_largest_size_arrives),
		TEST(connect_depths_are_limited_in_port_space_tcp),
		TEST(accept_depths_are_those_of_request_or_parameters),
		TEST(accept_depths_above_device_maximum_fail_with_einval),
		TEST(established_of_server_has_no_parameters),
		TEST(accept_after_client_is_destroyed_fails_with_einval),
		TEST(init_qp_attr_access_depends_on_responder_resources),
		TEST(create_qp_attributes_name_objects_of_id),
		TEST(create_qp_ex_without_pd_uses_pd_of_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
