/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses and routes of a network namespace: its interface has the address
 * 192.0.2.1, which no device has.
 */
#include "librdmacm/api/api_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce_netns.h"

#define NR_PORTS	4
#define PORT_RANGE_FILE "/proc/sys/net/ipv4/ip_local_port_range"
#define PORT_RANGE	"40000 40003"
#define LABEL		"lo:1"
#define LOCAL_ADDRESS	"192.0.2.1"
#define NEAR_ADDRESS	"192.0.2.9"
#define FAR_ADDRESS	"198.51.100.1"
#define BINDV6ONLY_FILE "/proc/sys/net/ipv6/bindv6only"

static struct rdma_event_channel *channel;
static bool has_port_range;

/* Returns false if the namespace does not permit the change. */
static bool set_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written;

	if (fd < 0)
		return false;
	is_written = write(fd, value, strlen(value)) == (ssize_t)strlen(value);
	(void)close(fd);
	return is_written;
}

static int setup_channel(void **state)
{
	(void)api_net_reset(state);
	channel = api_net_channel();
	if (uroce_netns_entered())
		uroce_netns_set_address(LABEL, LOCAL_ADDRESS);
	return 0;
}

static int teardown_channel(void **state)
{
	rdma_destroy_event_channel(channel);
	return 0;
}

static struct rdma_cm_id *new_id(struct rdma_event_channel *of_id)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(of_id, &id, NULL, RDMA_PS_TCP), 0);
	return id;
}

static struct sockaddr *text_address(const char *text)
{
	static struct sockaddr_in address;

	address = (struct sockaddr_in){ .sin_family = AF_INET };
	assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
	return (struct sockaddr *)&address;
}

/* The first test: the library never closes a device. */
static void listen_wildcard_covers_device_that_is_added_later(void **state)
{
	struct rdma_event_channel *client_channel = api_net_channel();
	struct rdma_cm_id *client, *listener = new_id(channel);
	struct rdma_cm_event *event;

	api_net.nr_devices = 0;
	assert_int_equal(
		rdma_bind_addr(listener, api_net_address(0, API_NET_PORT)), 0);
	assert_int_equal(rdma_listen(listener, 0), 0);
	api_net.nr_devices = 2;
	client = api_net_route(client_channel);
	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	event = api_net_fetch(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	assert_ptr_equal(event->listen_id, listener);
	assert_int_equal(rdma_destroy_id(event->id), 0);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(client);
	api_net_destroy(listener);
	api_net_deliver();
	rdma_destroy_event_channel(client_channel);
}

static void bind_addr_without_free_port_fails_with_eaddrnotavail(void **state)
{
	struct rdma_cm_id *ids[NR_PORTS];
	struct rdma_cm_id *id;

	if (!has_port_range)
		skip();
	id = new_id(channel);
	for (int i = 0; i < NR_PORTS; i++) {
		unsigned int port;

		ids[i] = new_id(channel);
		assert_int_equal(rdma_bind_addr(ids[i], api_net_address(1, 0)),
				 0);
		port = ntohs(rdma_get_src_port(ids[i]));
		assert_in_range(port, 40000, 40000 + NR_PORTS - 1);
	}
	api_net_expect_errno(rdma_bind_addr(id, api_net_address(1, 0)),
			     EADDRNOTAVAIL);
	api_net_expect_errno(
		rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1),
		EADDRNOTAVAIL);
	api_net_expect_nothing(channel);
	/* With another address, the ports are free. */
	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	api_net_destroy(id);
	for (int i = 0; i < NR_PORTS; i++)
		api_net_destroy(ids[i]);
}

static void bind_addr_interface_without_device_fails_with_enodev(void **state)
{
	struct rdma_cm_id *id;

	if (!uroce_netns_entered())
		skip();
	id = new_id(channel);
	api_net_expect_errno(rdma_bind_addr(id, text_address(LOCAL_ADDRESS)),
			     ENODEV);
	api_net_expect_errno(rdma_bind_addr(id, text_address(FAR_ADDRESS)),
			     EADDRNOTAVAIL);
	/* The id can still be bound. */
	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	api_net_destroy(id);
}

static void resolve_addr_without_route_fails_with_enetunreach(void **state)
{
	struct rdma_cm_id *id;

	if (!uroce_netns_entered())
		skip();
	id = new_id(channel);
	api_net_expect_errno(
		rdma_resolve_addr(id, NULL, text_address(FAR_ADDRESS), 1),
		ENETUNREACH);
	api_net_expect_nothing(channel);
	assert_int_equal(rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	api_net_destroy(id);
}

static void resolve_addr_route_without_device_has_addr_error(void **state)
{
	struct rdma_cm_id *id;

	if (!uroce_netns_entered())
		skip();
	id = new_id(channel);
	assert_int_equal(
		rdma_resolve_addr(id, NULL, text_address(NEAR_ADDRESS), 1), 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	assert_null(id->verbs);
	/* A second call is permitted after this event. */
	assert_int_equal(rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	api_net_destroy(id);
}

static void resolve_addr_synchronous_has_errno_of_status(void **state)
{
	struct rdma_cm_id *id;

	if (!uroce_netns_entered())
		skip();
	id = new_id(NULL);
	api_net_expect_errno(
		rdma_resolve_addr(id, NULL, text_address(NEAR_ADDRESS), 1),
		ENODEV);
	assert_int_equal(id->event->event, RDMA_CM_EVENT_ADDR_ERROR);
	assert_int_equal(id->event->status, -ENODEV);
	api_net_destroy(id);
}

static void resolve_addr_source_without_device_fails_at_once(void **state)
{
	struct sockaddr_in source = { .sin_family = AF_INET };
	struct rdma_cm_id *id;

	if (!uroce_netns_entered())
		skip();
	id = new_id(channel);
	source.sin_addr.s_addr = inet_addr(LOCAL_ADDRESS);
	api_net_expect_errno(rdma_resolve_addr(id, (struct sockaddr *)&source,
					       text_address(NEAR_ADDRESS), 1),
			     ENODEV);
	source.sin_addr.s_addr = inet_addr(FAR_ADDRESS);
	api_net_expect_errno(rdma_resolve_addr(id, (struct sockaddr *)&source,
					       text_address(NEAR_ADDRESS), 1),
			     EADDRNOTAVAIL);
	api_net_expect_nothing(channel);
	api_net_destroy(id);
}

/* Programs for datagrams give the source address of a group. */
static void resolve_addr_multicast_with_source_resolves(void **state)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_UDP), 0);
	assert_int_equal(rdma_resolve_addr(id, api_net_address(1, 0),
					   text_address("239.1.2.3"), 1),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_non_null(id->verbs);
	assert_int_equal(id->route.addr.addr.ibaddr.dgid.raw[12], 239);
	assert_int_equal(
		rdma_join_multicast(id, text_address("239.1.2.3"), NULL), 0);
	api_net_expect(channel, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	api_net_destroy(id);
}

/* -- IPv6 wildcard addresses -- */

static struct rdma_cm_id *listen_ipv6(const int *family_only)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(API_NET_PORT),
	};
	struct rdma_cm_id *id = new_id(channel);
	int value = family_only ? *family_only : 0;

	if (family_only)
		assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID,
						 RDMA_OPTION_ID_AFONLY, &value,
						 sizeof(value)),
				 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(id, 0), 0);
	return id;
}

/* Connects from IPv4, and returns whether the listener has the request. */
static bool listener_covers_ipv4(const int *family_only)
{
	struct rdma_event_channel *client_channel = api_net_channel();
	struct rdma_cm_id *listener = listen_ipv6(family_only);
	struct rdma_cm_id *client = api_net_route(client_channel);
	struct rdma_cm_event *event = NULL;
	bool has_request;

	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	has_request = rdma_get_cm_event(channel, &event) == 0;
	if (has_request) {
		struct rdma_cm_id *id = event->id;

		assert_int_equal(event->event, RDMA_CM_EVENT_CONNECT_REQUEST);
		assert_int_equal(rdma_ack_cm_event(event), 0);
		api_net_destroy(id);
	}
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_REJECTED, 28);
	api_net_destroy(client);
	api_net_destroy(listener);
	rdma_destroy_event_channel(client_channel);
	return has_request;
}

static void listen_ipv6_wildcard_covers_ipv4_without_afonly(void **state)
{
	const int no = 0, yes = 1;

	assert_false(listener_covers_ipv4(&yes));
	assert_true(listener_covers_ipv4(&no));
	if (!uroce_netns_entered() || !set_sysctl(BINDV6ONLY_FILE, "0"))
		skip();
	assert_true(listener_covers_ipv4(NULL));
}

static void listen_ipv6_wildcard_follows_bindv6only(void **state)
{
	const int no = 0;

	if (!uroce_netns_entered() || !set_sysctl(BINDV6ONLY_FILE, "1"))
		skip();
	assert_false(listener_covers_ipv4(NULL));
	/* The option has precedence. */
	assert_true(listener_covers_ipv4(&no));
	assert_true(set_sysctl(BINDV6ONLY_FILE, "0"));
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_channel, teardown_channel)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(listen_wildcard_covers_device_that_is_added_later),
		TEST(bind_addr_without_free_port_fails_with_eaddrnotavail),
		TEST(bind_addr_interface_without_device_fails_with_enodev),
		TEST(resolve_addr_without_route_fails_with_enetunreach),
		TEST(resolve_addr_route_without_device_has_addr_error),
		TEST(resolve_addr_synchronous_has_errno_of_status),
		TEST(resolve_addr_source_without_device_fails_at_once),
		TEST(resolve_addr_multicast_with_source_resolves),
		TEST(listen_ipv6_wildcard_covers_ipv4_without_afonly),
		TEST(listen_ipv6_wildcard_follows_bindv6only),
	};

	/* The library reads the range once. */
	has_port_range = uroce_netns_enter() &&
			 set_sysctl(PORT_RANGE_FILE, PORT_RANGE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
