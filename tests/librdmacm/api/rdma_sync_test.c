/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Synchronous ids and endpoints: the client and the server wait for events in
 * threads of their own, and a third thread delivers MADs.
 */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

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

static void create_ep_without_qp_fails_and_leaves_nothing(void **state)
{
	struct rdma_addrinfo res = {
		.ai_qp_type = IBV_QPT_UD,
		.ai_port_space = RDMA_PS_UDP,
		.ai_dst_len = sizeof(struct sockaddr_in),
		.ai_dst_addr = api_net_address(2, API_NET_PORT),
	};
	struct ibv_qp_init_attr attr = qp_attr();
	struct rdma_cm_id *id = NULL;

	api_net.create_ret = ENOSPC;
	api_net_expect_errno(rdma_create_ep(&id, &res, NULL, &attr), ENOSPC);
	assert_null(id);
	assert_int_equal(api_net.nr_pds, 0);
	assert_int_equal(api_net.nr_cqs, 0);
	api_net.create_ret = 0;
	assert_int_equal(rdma_create_ep(&id, &res, NULL, &attr), 0);
	/* The attributes describe the QP. */
	assert_int_equal(attr.qp_type, IBV_QPT_UD);
	assert_ptr_equal(attr.send_cq, id->send_cq);
	assert_int_equal(id->qp->qp_type, IBV_QPT_UD);
	rdma_destroy_ep(id);
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

static void *connect_without_response(void *client)
{
	errno = 0;
	(void)rdma_connect(client, NULL);
	return (void *)(uintptr_t)errno;
}

static void connect_synchronous_unreachable_fails_with_etimedout(void **state)
{
	struct rdma_cm_id *client = new_endpoint("127.0.0.2", 0);
	pthread_t thread;
	void *error;

	api_net.nr_drops = 1000;
	assert_int_equal(
		pthread_create(&thread, NULL, connect_without_response, client),
		0);
	while (!api_net.nr_sent)
		(void)sched_yield();
	api_net_advance(16 * 4608 * API_NET_MS);
	assert_int_equal(pthread_join(thread, &error), 0);
	assert_int_equal((uintptr_t)error, ETIMEDOUT);
	assert_int_equal(client->event->event, RDMA_CM_EVENT_UNREACHABLE);
	assert_int_equal(client->event->status, -ETIMEDOUT);
	rdma_destroy_ep(client);
}

static void connect_synchronous_datagram_has_errno_of_status(void **state)
{
	struct rdma_cm_id *client =
		new_endpoint_in(RDMA_PS_UDP, "127.0.0.2", 0);

	/* No id listens: the status is 1. */
	api_net_expect_errno(rdma_connect(client, NULL), 1);
	assert_int_equal(client->event->event, RDMA_CM_EVENT_UNREACHABLE);
	assert_int_equal(client->event->status, 1);
	rdma_destroy_ep(client);
}

static void resolve_addr_synchronous_failure_keeps_event(void **state)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(NULL, &id, NULL, RDMA_PS_IPOIB), 0);
	api_net_expect_errno(rdma_resolve_addr(id, NULL,
					       api_net_address(2, API_NET_PORT),
					       1000),
			     EINVAL);
	assert_int_equal(id->event->event, RDMA_CM_EVENT_ADDR_ERROR);
	api_net_destroy(id);
}

static void reject_synchronous_returns_without_event(void **state)
{
	struct rdma_cm_id *listener = new_endpoint("127.0.0.2", RAI_PASSIVE);
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *client = api_net_route(channel);
	struct rdma_cm_id *server = NULL;

	assert_int_equal(rdma_listen(listener, 4), 0);
	assert_int_equal(rdma_connect(client, NULL), 0);
	assert_int_equal(rdma_get_request(listener, &server), 0);
	assert_null(listener->event);
	/* The new id is synchronous. */
	assert_ptr_not_equal(server->channel, listener->channel);
	api_net_expect_errno(rdma_migrate_id(server, NULL), EINVAL);
	assert_int_equal(rdma_reject(server, NULL, 0), 0);
	rdma_destroy_ep(server);
	api_net_destroy(client);
	rdma_destroy_event_channel(channel);
	rdma_destroy_ep(listener);
}

static void get_request_of_unexpected_event_keeps_event(void **state)
{
	struct rdma_cm_id *listener = new_endpoint("127.0.0.2", RAI_PASSIVE);
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_listen(listener, 4), 0);
	assert_int_equal(
		rdma_write_cm_event(listener, RDMA_CM_EVENT_USER, 0, 5), 0);
	assert_int_equal(
		rdma_write_cm_event(listener, RDMA_CM_EVENT_USER, -EXDEV, 6),
		0);
	api_net_expect_errno(rdma_get_request(listener, &id), EINVAL);
	assert_int_equal(listener->event->event, RDMA_CM_EVENT_USER);
	assert_true(listener->event->param.arg == 5);
	api_net_expect_errno(rdma_get_request(listener, &id), EXDEV);
	assert_true(listener->event->param.arg == 6);
	assert_null(id);
	rdma_destroy_ep(listener);
}

/* A client with a request to the listener */
static struct rdma_cm_id *begin_request(struct rdma_event_channel *channel,
					struct rdma_cm_id *listener)
{
	struct rdma_cm_id *client = api_net_route(channel);
	struct pollfd wait = { .fd = listener->channel->fd, .events = POLLIN };

	assert_int_equal(rdma_listen(listener, 4), 0);
	assert_int_equal(rdma_connect(client, NULL), 0);
	assert_int_equal(poll(&wait, 1, -1), 1);
	return client;
}

static void end_rejected(struct rdma_event_channel *channel,
			 struct rdma_cm_id *client)
{
	struct pollfd wait = { .fd = channel->fd, .events = POLLIN };

	assert_int_equal(poll(&wait, 1, -1), 1);
	api_net_expect(channel, RDMA_CM_EVENT_REJECTED, 28);
	api_net_destroy(client);
	rdma_destroy_event_channel(channel);
}

static void get_request_without_qp_rejects_request(void **state)
{
	struct rdma_cm_id *listener = new_endpoint("127.0.0.2", RAI_PASSIVE);
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *client = begin_request(channel, listener);
	struct rdma_cm_id *id = NULL;

	api_net.create_ret = ENOSPC;
	api_net_expect_errno(rdma_get_request(listener, &id), ENOSPC);
	assert_null(id);
	assert_null(listener->event);
	end_rejected(channel, client);
	rdma_destroy_ep(listener);
}

/* The request is not an event, and the next event is expected. */
static void get_request_without_descriptor_drops_request(void **state)
{
	struct rdma_cm_id *listener = new_endpoint("127.0.0.2", RAI_PASSIVE);
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *client = begin_request(channel, listener);
	struct rdma_cm_id *id = NULL;
	struct rlimit before, none;

	assert_int_equal(fcntl(listener->channel->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	api_net_expect_errno(rdma_get_request(listener, &id), EAGAIN);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_null(id);
	end_rejected(channel, client);
	rdma_destroy_ep(listener);
}

static atomic_bool is_acknowledged;

static void *acknowledge_later(void *event)
{
	(void)usleep(20000);
	is_acknowledged = true;
	(void)rdma_ack_cm_event(event);
	return NULL;
}

static void destroy_id_with_fetched_event_waits_for_ack(void **state)
{
	struct rdma_event_channel *channels[] = { api_net_channel(),
						  api_net_channel() };
	struct rdma_cm_id *id = NULL;
	struct rdma_cm_event *event;
	pthread_t thread;

	assert_int_equal(rdma_create_id(channels[0], &id, NULL, RDMA_PS_TCP),
			 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			rdma_write_cm_event(id, RDMA_CM_EVENT_USER, 0, 0), 0);
		event = api_net_fetch(channels[i], RDMA_CM_EVENT_USER);
		is_acknowledged = false;
		assert_int_equal(
			pthread_create(&thread, NULL, acknowledge_later, event),
			0);
		assert_int_equal(i ? rdma_destroy_id(id)
				   : rdma_migrate_id(id, channels[1]),
				 0);
		assert_true(is_acknowledged);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	rdma_destroy_event_channel(channels[0]);
	rdma_destroy_event_channel(channels[1]);
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
		TEST(create_ep_without_qp_fails_and_leaves_nothing),
		TEST(connect_synchronous_unreachable_fails_with_etimedout),
		TEST(connect_synchronous_datagram_has_errno_of_status),
		TEST(resolve_addr_synchronous_failure_keeps_event),
		TEST(reject_synchronous_returns_without_event),
		TEST(get_request_of_unexpected_event_keeps_event),
		TEST(get_request_without_qp_rejects_request),
		TEST(get_request_without_descriptor_drops_request),
		TEST(destroy_id_with_fetched_event_waits_for_ack),
		TEST(get_request_of_asynchronous_id_fails_with_einval),
		TEST(getaddrinfo_invalid_returns_code_of_resolver),
		TEST(getaddrinfo_passive_returns_source_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
