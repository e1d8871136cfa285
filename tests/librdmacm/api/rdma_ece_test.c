/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Enhanced connection establishment of ids whose QP the application creates. */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct rdma_event_channel *client_channel, *server_channel;
static struct rdma_cm_id *listener, *client, *server;

static int setup_channels(void **state)
{
	(void)api_net_reset(state);
	client_channel = api_net_channel();
	server_channel = api_net_channel();
	return 0;
}

static int teardown_channels(void **state)
{
	rdma_destroy_event_channel(client_channel);
	rdma_destroy_event_channel(server_channel);
	return 0;
}

/* A client with ECE 7/70 whose request the server has */
static void begin_request(enum rdma_port_space ps)
{
	struct ibv_ece ece = { .vendor_id = 7, .options = 70 };
	struct rdma_conn_param param = { .qp_num = 5 };
	struct rdma_cm_event *event;

	listener = api_net_listen_in(server_channel, ps);
	client = api_net_route_in(client_channel, ps);
	rdma_destroy_qp(client);
	assert_int_equal(rdma_set_local_ece(client, &ece), 0);
	assert_int_equal(rdma_connect(client, &param), 0);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	server = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
}

static void accept_with_ece(void)
{
	struct ibv_ece ece = { .vendor_id = 0x123456, .options = 0x87654321 };
	struct rdma_conn_param param = { .qp_num = 6 };

	assert_int_equal(rdma_set_local_ece(server, &ece), 0);
	assert_int_equal(rdma_accept(server, &param), 0);
	api_net_deliver();
}

static void expect_remote_ece(struct rdma_cm_id *id, uint32_t vendor_id,
			      uint32_t options)
{
	struct ibv_ece ece = { .vendor_id = 1, .options = 1, .comp_mask = 1 };

	assert_int_equal(rdma_get_remote_ece(id, &ece), 0);
	assert_int_equal(ece.vendor_id, vendor_id);
	assert_int_equal(ece.options, options);
	assert_int_equal(ece.comp_mask, 0);
}

static void end_ids(void)
{
	api_net_destroy(client);
	api_net_destroy(server);
	api_net_destroy(listener);
	api_net_deliver();
}

static void expect_einval(int ret)
{
	assert_int_equal(ret, -1);
	assert_int_equal(errno, EINVAL);
}

static void set_local_ece_reaches_both_sides_of_connection(void **state)
{
	begin_request(RDMA_PS_TCP);
	expect_remote_ece(client, 0, 0);
	expect_remote_ece(server, 7, 70);
	accept_with_ece();
	api_net_expect(client_channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	expect_remote_ece(client, 0x123456, 0x87654321);
	end_ids();
}

static void set_local_ece_of_datagram_server_reaches_client(void **state)
{
	begin_request(RDMA_PS_UDP);
	expect_remote_ece(server, 0, 0); /* a SIDR_REQ has no ECE */
	accept_with_ece();
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect_remote_ece(client, 0x123456, 0x87654321);
	end_ids();
}

static void set_local_ece_invalid_fails_with_einval(void **state)
{
	struct ibv_ece ece = { .vendor_id = 1 };

	client = api_net_route(client_channel);
	expect_einval(rdma_set_local_ece(client, &ece));
	expect_einval(rdma_get_remote_ece(client, &ece));
	rdma_destroy_qp(client);
	expect_einval(rdma_set_local_ece(NULL, &ece));
	expect_einval(rdma_set_local_ece(client, NULL));
	expect_einval(rdma_get_remote_ece(client, NULL));
	ece.comp_mask = 1;
	expect_einval(rdma_set_local_ece(client, &ece));
	ece = (struct ibv_ece){ .options = 1 };
	expect_einval(rdma_set_local_ece(client, &ece));
	api_net_destroy(client);
}

static void connect_ece_vendor_too_large_fails_with_einval(void **state)
{
	struct ibv_ece ece = { .vendor_id = 1 << 24 };
	struct rdma_conn_param param = { .qp_num = 5 };

	client = api_net_route(client_channel);
	rdma_destroy_qp(client);
	assert_int_equal(rdma_set_local_ece(client, &ece), 0);
	expect_einval(rdma_connect(client, &param));
	api_net_destroy(client);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_channels, teardown_channels)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(set_local_ece_reaches_both_sides_of_connection),
		TEST(set_local_ece_of_datagram_server_reaches_client),
		TEST(set_local_ece_invalid_fails_with_einval),
		TEST(connect_ece_vendor_too_large_fails_with_einval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
