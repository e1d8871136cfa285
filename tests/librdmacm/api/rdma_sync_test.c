/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Synchronous ids and endpoints: the client and the server wait for events in
 * threads of their own, and a third thread delivers MADs.
 */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int setup_net(void **state)
{
	(void)api_net_reset(state);
	api_net_start_thread();
	return 0;
}

static int teardown_net(void **state)
{
	api_net_stop_thread();
	return 0;
}

static struct ibv_qp_init_attr qp_attr(void)
{
	return (struct ibv_qp_init_attr){
		.cap = { .max_send_wr = 4, .max_recv_wr = 8 },
		.qp_type = IBV_QPT_RC,
	};
}

static struct rdma_cm_id *new_endpoint_in(enum rdma_port_space ps,
					  const char *node, int flags)
{
	struct rdma_addrinfo hints = {
		.ai_flags = flags,
		.ai_port_space = ps,
	};
	struct ibv_qp_init_attr attr = qp_attr();
	struct rdma_addrinfo *res = NULL;
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_getaddrinfo(node, "7174", &hints, &res), 0);
	assert_int_equal(rdma_create_ep(&id, res, NULL, &attr), 0);
	rdma_freeaddrinfo(res);
	return id;
}

static struct rdma_cm_id *new_endpoint(const char *node, int flags)
{
	return new_endpoint_in(RDMA_PS_TCP, node, flags);
}

/* A server of one connection: fails with a step, or returns NULL. */
static void *serve_connection(void *listener)
{
	struct rdma_cm_id *id = NULL;

	if (rdma_get_request(listener, &id) != 0)
		return (void *)(uintptr_t) "rdma_get_request";
	if (!id->qp || id->event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return (void *)(uintptr_t) "request";
	if (rdma_accept(id, NULL) != 0)
		return (void *)(uintptr_t) "rdma_accept";
	if (id->event->event != RDMA_CM_EVENT_ESTABLISHED)
		return (void *)(uintptr_t) "established";
	/* Blocks until the client disconnects. */
	if (rdma_disconnect(id) != 0)
		return (void *)(uintptr_t) "rdma_disconnect";
	rdma_destroy_ep(id);
	return NULL;
}

static void endpoint_client_and_server_connect_and_disconnect(void **state)
{
	struct rdma_cm_id *listener = new_endpoint("127.0.0.2", RAI_PASSIVE);
	struct rdma_cm_id *client;
	pthread_t server;
	void *failed;

	assert_null(listener->qp);
	assert_int_equal(rdma_listen(listener, 4), 0);
	assert_int_equal(
		pthread_create(&server, NULL, serve_connection, listener), 0);
	client = new_endpoint("127.0.0.2", 0);
	assert_non_null(client->qp);
	assert_int_equal(client->event->event, RDMA_CM_EVENT_ROUTE_RESOLVED);
	assert_int_equal(rdma_connect(client, NULL), 0);
	assert_int_equal(client->event->event, RDMA_CM_EVENT_ESTABLISHED);
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(pthread_join(server, &failed), 0);
	if (failed)
		fail_msg("%s", (const char *)failed);
	rdma_destroy_ep(client);
	rdma_destroy_ep(listener);
	assert_int_equal(api_net.nr_claims, 0);
}

/* A server of one datagram client: fails with a step, or returns NULL. */
static void *serve_datagrams(void *listener)
{
	struct rdma_cm_id *id = NULL;

	if (rdma_get_request(listener, &id) != 0)
		return (void *)(uintptr_t) "rdma_get_request";
	if (!id->qp || id->event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return (void *)(uintptr_t) "request";
	/* Does not wait, since no event follows. */
	if (rdma_accept(id, NULL) != 0 || id->event)
		return (void *)(uintptr_t) "rdma_accept";
	if (rdma_disconnect(id) != 0)
		return (void *)(uintptr_t) "rdma_disconnect";
	rdma_destroy_ep(id);
	return NULL;
}

static void endpoint_datagram_client_and_server_connect(void **state)
{
	struct rdma_cm_id *listener =
		new_endpoint_in(RDMA_PS_UDP, "127.0.0.2", RAI_PASSIVE);
	struct rdma_cm_id *client;
	pthread_t server;
	void *failed;

	assert_int_equal(listener->qp_type, IBV_QPT_UD);
	assert_int_equal(rdma_listen(listener, 4), 0);
	assert_int_equal(
		pthread_create(&server, NULL, serve_datagrams, listener), 0);
	client = new_endpoint_in(RDMA_PS_UDP, "127.0.0.2", 0);
	assert_int_equal(rdma_connect(client, NULL), 0);
	assert_int_equal(client->event->event, RDMA_CM_EVENT_ESTABLISHED);
	assert_int_equal(client->event->param.ud.qkey, RDMA_UDP_QKEY);
	assert_int_equal(rdma_disconnect(client), 0);
	assert_int_equal(pthread_join(server, &failed), 0);
	if (failed)
		fail_msg("%s", (const char *)failed);
	rdma_destroy_ep(client);
	rdma_destroy_ep(listener);
	assert_int_equal(api_net.nr_claims, 0);
}

static void connect_synchronous_rejected_fails_with_econnrefused(void **state)
{
	struct rdma_cm_id *client = new_endpoint("127.0.0.2", 0);

	errno = 0;
	assert_int_equal(rdma_connect(client, NULL), -1);
	assert_int_equal(errno, ECONNREFUSED);
	assert_int_equal(client->event->event, RDMA_CM_EVENT_REJECTED);
	rdma_destroy_ep(client);
}

static void get_request_of_asynchronous_id_fails_with_einval(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = api_net_listen(channel);
	struct rdma_cm_id *id = NULL;

	errno = 0;
	assert_int_equal(rdma_get_request(listener, &id), -1);
	assert_int_equal(errno, EINVAL);
	api_net_destroy(listener);
	rdma_destroy_event_channel(channel);
}

static void getaddrinfo_invalid_returns_code_of_resolver(void **state)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_NUMERICHOST };
	struct rdma_addrinfo *res = NULL;

	errno = 0;
	assert_int_equal(rdma_getaddrinfo(NULL, NULL, NULL, &res), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rdma_getaddrinfo("no address", NULL, &hints, &res),
			 EAI_NONAME);
	hints.ai_qp_type = IBV_QPT_UD;
	hints.ai_port_space = RDMA_PS_TCP;
	assert_int_equal(rdma_getaddrinfo("127.0.0.1", NULL, &hints, &res),
			 EAI_SOCKTYPE);
	assert_null(res);
}

static void getaddrinfo_passive_returns_source_address(void **state)
{
	struct rdma_addrinfo hints = {
		.ai_flags = RAI_PASSIVE,
		.ai_family = AF_INET,
	};
	struct rdma_addrinfo *res = NULL;

	assert_int_equal(rdma_getaddrinfo(NULL, "7174", &hints, &res), 0);
	assert_int_equal(res->ai_flags, RAI_PASSIVE);
	assert_int_equal(res->ai_family, AF_INET);
	assert_int_equal(res->ai_qp_type, IBV_QPT_RC);
	assert_int_equal(res->ai_port_space, RDMA_PS_TCP);
	assert_int_equal(res->ai_src_len, sizeof(struct sockaddr_in));
	assert_null(res->ai_dst_addr);
	assert_null(res->ai_next);
	rdma_freeaddrinfo(res);
	rdma_freeaddrinfo(NULL);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_net, teardown_net)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(endpoint_client_and_server_connect_and_disconnect),
		TEST(endpoint_datagram_client_and_server_connect),
		TEST(connect_synchronous_rejected_fails_with_econnrefused),
		TEST(get_request_of_asynchronous_id_fails_with_einval),
		TEST(getaddrinfo_invalid_returns_code_of_resolver),
		TEST(getaddrinfo_passive_returns_source_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
