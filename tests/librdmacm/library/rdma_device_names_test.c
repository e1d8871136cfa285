/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections by IP address where two devices have the same network interface:
 * the first device is used, on the loopback interface.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT_MS 30000

static struct rdma_event_channel *channel;

/* Waits for an event of this type; returns its id. */
static struct rdma_cm_id *expect_event(enum rdma_cm_event_type type)
{
	struct pollfd poll_fd = { .fd = channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	assert_int_equal(poll(&poll_fd, 1, LIMIT_MS), 1);
	assert_int_equal(rdma_get_cm_event(channel, &event), 0);
	assert_int_equal(event->event, type);
	assert_int_equal(event->status, 0);
	id = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	return id;
}

static struct rdma_cm_id *id_new(void)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	return id;
}

/* A listener at an IPv4 address; port 0 selects one. */
static struct rdma_cm_id *listener_new(in_addr_t address, uint16_t *port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = address,
		.sin_port = *port,
	};
	struct rdma_cm_id *id = id_new();

	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&to), 0);
	assert_int_equal(rdma_listen(id, 4), 0);
	*port = rdma_get_src_port(id);
	return id;
}

static void qp_new(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};

	assert_int_equal(rdma_create_qp(id, NULL, &attr), 0);
}

static void expect_connection(uint16_t port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = port,
	};
	struct rdma_conn_param param = {};
	struct rdma_cm_id *client = id_new(), *server;

	assert_int_equal(
		rdma_resolve_addr(client, NULL, (struct sockaddr *)&to, 2000),
		0);
	assert_ptr_equal(expect_event(RDMA_CM_EVENT_ADDR_RESOLVED), client);
	assert_int_equal(rdma_resolve_route(client, 2000), 0);
	assert_ptr_equal(expect_event(RDMA_CM_EVENT_ROUTE_RESOLVED), client);
	assert_string_equal(ibv_get_device_name(client->verbs->device),
			    "mlx5_0");
	qp_new(client);
	assert_int_equal(rdma_connect(client, &param), 0);
	server = expect_event(RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_ptr_equal(server->verbs, client->verbs);
	qp_new(server);
	assert_int_equal(rdma_accept(server, &param), 0);
	for (int i = 0; i < 2; i++)
		(void)expect_event(RDMA_CM_EVENT_ESTABLISHED);
	rdma_destroy_qp(server);
	assert_int_equal(rdma_destroy_id(server), 0);
	(void)expect_event(RDMA_CM_EVENT_DISCONNECTED);
	rdma_destroy_qp(client);
	assert_int_equal(rdma_destroy_id(client), 0);
}

static int setup(void **state)
{
	channel = rdma_create_event_channel();
	assert_non_null(channel);
	return 0;
}

static int teardown(void **state)
{
	rdma_destroy_event_channel(channel);
	return 0;
}

static void rdma_devices_of_same_interface_are_all_listed(void **state)
{
	int nr = 0;
	struct ibv_context **list = rdma_get_devices(&nr);

	assert_non_null(list);
	assert_int_equal(nr, 2);
	assert_string_equal(ibv_get_device_name(list[0]->device), "mlx5_0");
	assert_string_equal(ibv_get_device_name(list[1]->device), "mlx5_1");
	rdma_free_devices(list);
}

static void rdma_any_address_of_two_devices_accepts_connections(void **state)
{
	uint16_t port = 0;
	struct rdma_cm_id *listener = listener_new(INADDR_ANY, &port);

	expect_connection(port);
	expect_connection(port);
	assert_int_equal(rdma_destroy_id(listener), 0);
}

static void rdma_address_of_two_devices_accepts_connections(void **state)
{
	uint16_t port = 0;
	struct rdma_cm_id *listener =
		listener_new(htonl(INADDR_LOOPBACK), &port);

	expect_connection(port);
	assert_int_equal(rdma_destroy_id(listener), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rdma_devices_of_same_interface_are_all_listed),
		TEST(rdma_any_address_of_two_devices_accepts_connections),
		TEST(rdma_address_of_two_devices_accepts_connections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
