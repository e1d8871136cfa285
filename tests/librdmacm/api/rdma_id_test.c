/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids: creation, ports, addresses, routes, options, migration. */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static struct rdma_cm_id *new_id(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	return id;
}

static void create_id_unknown_port_space_fails_with_einval(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = NULL;

	api_net_expect_errno(rdma_create_id(channel, &id, NULL, 0), EINVAL);
	api_net_expect_errno(rdma_create_id(channel, &id, NULL, 0x1234),
			     EINVAL);
	assert_null(id);
	rdma_destroy_event_channel(channel);
}

static void create_id_valid_has_type_of_port_space(void **state)
{
	static const struct {
		enum rdma_port_space ps;
		enum ibv_qp_type type;
	} rows[] = {
		{ RDMA_PS_TCP, IBV_QPT_RC },
		{ RDMA_PS_UDP, IBV_QPT_UD },
		{ RDMA_PS_IPOIB, IBV_QPT_UD },
		{ RDMA_PS_IB, IBV_QPT_RC },
	};
	struct rdma_event_channel *channel = api_net_channel();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdma_cm_id *id = NULL;

		assert_int_equal(rdma_create_id(channel, &id, (void *)&rows[i],
						rows[i].ps),
				 0);
		assert_int_equal(id->qp_type, rows[i].type);
		assert_ptr_equal(id->context, &rows[i]);
		assert_ptr_equal(id->channel, channel);
		assert_null(id->verbs);
		assert_null(id->qp);
		assert_int_equal(id->port_num, 0);
		assert_int_equal(rdma_get_local_addr(id)->sa_family, AF_UNSPEC);
		assert_int_equal(rdma_get_peer_addr(id)->sa_family, AF_UNSPEC);
		assert_int_equal(rdma_get_src_port(id), 0);
		assert_int_equal(rdma_get_dst_port(id), 0);
		api_net_destroy(id);
	}
	rdma_destroy_event_channel(channel);
}

static void bind_addr_of_device_sets_device_and_address(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	assert_non_null(id->verbs);
	assert_non_null(id->pd);
	assert_int_equal(id->port_num, 1);
	assert_int_not_equal(rdma_get_src_port(id), 0);
	assert_int_equal(id->route.addr.addr.ibaddr.sgid.raw[15], 2);
	assert_int_equal(api_net.nr_pds, 1);
	assert_int_equal(api_net.nr_claims, 1);
	api_net_expect_errno(rdma_bind_addr(id, api_net_address(2, 0)), EINVAL);
	api_net_destroy(id);
	assert_int_equal(api_net.nr_pds, 0);
	assert_int_equal(api_net.nr_claims, 0);
	rdma_destroy_event_channel(channel);
}

static void bind_addr_wildcard_has_no_device(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	assert_int_equal(rdma_bind_addr(id, api_net_address(0, 0)), 0);
	assert_null(id->verbs);
	assert_int_equal(id->port_num, 0);
	assert_int_not_equal(rdma_get_src_port(id), 0);
	assert_int_equal(api_net.nr_claims, 2); /* each device */
	api_net_destroy(id);
	assert_int_equal(api_net.nr_claims, 0);
	rdma_destroy_event_channel(channel);
}

static void bind_addr_invalid_address_fails(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	struct sockaddr_in remote = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(0xcb007101), /* TEST-NET-3 */
	};
	struct sockaddr_in6 link_local = { .sin6_family = AF_INET6 };
	struct sockaddr unix_address = { .sa_family = AF_UNIX };
	struct sockaddr_storage ib = { .ss_family = AF_IB };

	link_local.sin6_addr.s6_addr[0] = 0xfe;
	link_local.sin6_addr.s6_addr[1] = 0x80;
	api_net_expect_errno(rdma_bind_addr(id, &unix_address), EINVAL);
	/* Only the kernel, which is absent, has this family. */
	api_net_expect_errno(rdma_bind_addr(id, (struct sockaddr *)&ib),
			     ENODEV);
	api_net_expect_errno(rdma_bind_addr(id, (struct sockaddr *)&link_local),
			     EINVAL);
	api_net_expect_errno(rdma_bind_addr(id, (struct sockaddr *)&remote),
			     EADDRNOTAVAIL);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void bind_addr_port_in_use_fails_as_kernel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *first = new_id(channel);
	struct rdma_cm_id *second = new_id(channel);
	struct rdma_cm_id *third = new_id(channel);

	assert_int_equal(rdma_bind_addr(first, api_net_address(2, 5000)), 0);
	api_net_expect_errno(rdma_bind_addr(second, api_net_address(2, 5000)),
			     EADDRINUSE);
	api_net_expect_errno(rdma_bind_addr(second, api_net_address(0, 5000)),
			     EADDRNOTAVAIL);
	assert_int_equal(rdma_bind_addr(second, api_net_address(1, 5000)), 0);
	api_net_destroy(first);
	assert_int_equal(rdma_bind_addr(third, api_net_address(2, 5000)), 0);
	api_net_destroy(second);
	api_net_destroy(third);
	rdma_destroy_event_channel(channel);
}

static void bind_addr_port_of_another_process_fails(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	api_net.claim_ret = EADDRINUSE;
	api_net_expect_errno(rdma_bind_addr(id, api_net_address(2, 5000)),
			     EADDRINUSE);
	api_net.claim_ret = 0;
	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 5000)), 0);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static int set_reuse(struct rdma_cm_id *id)
{
	int yes = 1;

	return rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR,
			       &yes, sizeof(yes));
}

static void bind_addr_reuse_by_single_id_fails_with_eaddrinuse(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *left = new_id(channel);
	struct rdma_cm_id *right = new_id(channel);

	assert_int_equal(rdma_bind_addr(left, api_net_address(2, API_NET_PORT)),
			 0);
	assert_int_equal(set_reuse(right), 0);
	api_net_expect_errno(
		rdma_bind_addr(right, api_net_address(2, API_NET_PORT)),
		EADDRINUSE);
	assert_int_equal(set_reuse(left), 0);
	assert_int_equal(
		rdma_bind_addr(right, api_net_address(2, API_NET_PORT)), 0);
	api_net_destroy(left);
	api_net_destroy(right);
	rdma_destroy_event_channel(channel);
}

static void bind_addr_port_of_socket_succeeds(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct sockaddr *address = api_net_address(2, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct rdma_cm_id *id = new_id(channel);
	socklen_t len = sizeof(struct sockaddr_in);

	assert_int_equal(bind(fd, address, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, address, &len), 0);
	assert_int_equal(rdma_bind_addr(id, address), 0);
	assert_int_equal(rdma_listen(id, 1), 0);
	assert_int_equal(rdma_get_src_port(id),
			 ((struct sockaddr_in *)(void *)address)->sin_port);
	api_net_destroy(id);
	assert_int_equal(close(fd), 0);
	rdma_destroy_event_channel(channel);
}

static void set_effective_capabilities(uint32_t low)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	data[0].effective = data[0].permitted & low;
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

static void bind_addr_low_port_without_capability_fails(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	set_effective_capabilities(~(1U << CAP_NET_BIND_SERVICE));
	api_net_expect_errno(rdma_bind_addr(id, api_net_address(2, 1023)),
			     EACCES);
	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 1024)), 0);
	set_effective_capabilities(UINT32_MAX);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void set_option_reuse_of_two_ids_allows_single_listener(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *ids[2];

	for (int i = 0; i < 2; i++) {
		ids[i] = new_id(channel);
		assert_int_equal(set_reuse(ids[i]), 0);
		assert_int_equal(
			rdma_bind_addr(ids[i], api_net_address(2, 5000)), 0);
	}
	api_net_expect_errno(rdma_listen(ids[1], 1), EADDRNOTAVAIL);
	api_net_destroy(ids[0]);
	assert_int_equal(rdma_listen(ids[1], 1), 0);
	api_net_destroy(ids[1]);
	rdma_destroy_event_channel(channel);
}

static void set_option_invalid_fails_as_kernel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	uint8_t byte = 32;
	int yes = 1;

	api_net_expect_errno(rdma_set_option(id, RDMA_OPTION_ID,
					     RDMA_OPTION_ID_TOS, &yes,
					     sizeof(yes)),
			     EINVAL);
	api_net_expect_errno(rdma_set_option(id, RDMA_OPTION_ID,
					     RDMA_OPTION_ID_ACK_TIMEOUT, &byte,
					     sizeof(byte)),
			     EINVAL);
	api_net_expect_errno(
		rdma_set_option(id, RDMA_OPTION_ID, 9, &yes, sizeof(yes)),
		ENOSYS);
	api_net_expect_errno(rdma_set_option(id, 7, 0, &yes, sizeof(yes)),
			     ENOSYS);
	api_net_expect_errno(rdma_set_option(id, RDMA_OPTION_ID,
					     RDMA_OPTION_ID_TOS, NULL, 1),
			     EFAULT);
	assert_int_equal(rdma_listen(id, 1), 0);
	api_net_expect_errno(rdma_set_option(id, RDMA_OPTION_ID,
					     RDMA_OPTION_ID_AFONLY, &yes,
					     sizeof(yes)),
			     EINVAL);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_addr_to_server_finds_source_and_gids(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	uint8_t tos = 8, timeout = 20;

	assert_int_equal(rdma_resolve_addr(id, NULL,
					   api_net_address(2, API_NET_PORT),
					   1000),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(id->route.addr.addr.ibaddr.sgid.raw[15], 1);
	assert_int_equal(id->route.addr.addr.ibaddr.dgid.raw[15], 2);
	assert_int_equal(id->route.addr.addr.ibaddr.pkey, 0);
	assert_non_null(id->verbs);
	assert_non_null(id->pd);
	assert_int_equal(id->port_num, 1);
	assert_int_not_equal(rdma_get_src_port(id), 0);
	assert_int_equal(rdma_get_dst_port(id), htons(API_NET_PORT));
	api_net_expect_errno(
		rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1000),
		EINVAL);

	api_net_expect_errno(rdma_resolve_route(id, 0), EINVAL);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS,
					 &tos, 1),
			 0);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID,
					 RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
					 1),
			 0);
	assert_int_equal(rdma_resolve_route(id, 1000), 0);
	api_net_expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	assert_int_equal(id->route.num_paths, 1);
	assert_int_equal(id->route.path_rec->traffic_class, 8);
	assert_int_equal(id->route.path_rec->packet_life_time, 19);
	assert_int_equal(id->route.path_rec->hop_limit, 64);
	assert_int_equal(id->route.path_rec->mtu, IBV_MTU_1024);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_addr_families_differ_fails_with_einval(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	struct sockaddr_in6 dst = { .sin6_family = AF_INET6 };

	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	api_net_expect_errno(
		rdma_resolve_addr(id, NULL, (struct sockaddr *)&dst, 1000),
		EINVAL);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_route_source_without_device_fails(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	/* 127.0.0.3 is local, and no device has it. */
	api_net_expect_errno(rdma_resolve_route(id, 1000), EINVAL);
	assert_int_equal(rdma_bind_addr(id, api_net_address(3, 0)), 0);
	assert_null(id->verbs);
	assert_int_equal(id->port_num, 0);
	assert_int_equal(
		rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1000), 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	api_net_expect_errno(rdma_resolve_route(id, 1000), ENODEV);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_route_of_new_id_has_path_of_kernel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = api_net_route(channel);
	const struct ibv_sa_path_rec *path = id->route.path_rec;
	uint32_t label = 31U * ntohs(rdma_get_src_port(id)) + API_NET_PORT;

	assert_int_equal(id->route.num_paths, 1);
	assert_int_equal(path->pkey, htons(0xffff));
	assert_int_equal(path->mtu_selector, 2);
	assert_int_equal(path->rate_selector, 2);
	assert_int_equal(path->rate, 0);
	assert_int_equal(path->packet_life_time, 16);
	assert_int_equal(path->preference, 0x43);
	assert_int_equal(path->hop_limit, 64);
	assert_int_equal(path->traffic_class, 0);
	assert_int_equal(path->reversible, 1);
	assert_int_equal(path->numb_path, 1);
	assert_int_equal(path->flow_label, htonl(label & 0xfffff));
	api_net_expect_errno(rdma_resolve_route(id, 1000), EINVAL);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_route_ipv6_source_has_flow_label_of_address(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct sockaddr_in6 address = {
		.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
		.sin6_flowinfo = htonl(0x12345),
	};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool has_ipv6 =
		bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	struct rdma_cm_id *id;

	(void)close(fd);
	if (!has_ipv6) {
		rdma_destroy_event_channel(channel);
		skip();
	}
	api_net.has_ipv6 = true;
	id = api_net_route_to(channel, RDMA_PS_TCP, (struct sockaddr *)&address,
			      (struct sockaddr *)&address);
	assert_int_equal(id->route.path_rec->flow_label, htonl(0x12345));
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_addr_wildcard_is_address_of_source(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	struct sockaddr_in *peer;

	assert_int_equal(rdma_resolve_addr(id, NULL,
					   api_net_address(0, API_NET_PORT), 1),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	peer = (struct sockaddr_in *)(void *)rdma_get_peer_addr(id);
	assert_int_equal(peer->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	assert_int_equal(peer->sin_port, htons(API_NET_PORT));
	assert_memory_equal(&id->route.addr.addr.ibaddr.dgid,
			    &id->route.addr.addr.ibaddr.sgid, 16);
	assert_int_equal(id->route.addr.addr.ibaddr.sgid.raw[12], 127);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void migrate_id_with_queued_event_moves_event(void **state)
{
	struct rdma_event_channel *from = api_net_channel();
	struct rdma_event_channel *to = api_net_channel();
	struct rdma_cm_id *id = new_id(from);

	assert_int_equal(
		rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1000), 0);
	assert_int_equal(rdma_migrate_id(id, to), 0);
	assert_ptr_equal(id->channel, to);
	api_net_expect(to, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	api_net_expect_nothing(from);
	api_net_destroy(id);
	rdma_destroy_event_channel(from);
	rdma_destroy_event_channel(to);
}

static void migrate_id_with_many_events_keeps_order(void **state)
{
	struct rdma_event_channel *from = api_net_channel();
	struct rdma_event_channel *to = api_net_channel();
	struct rdma_cm_id *id = new_id(from);

	for (int status = -1; status > -9; status--)
		assert_int_equal(
			rdma_write_cm_event(id, RDMA_CM_EVENT_USER, status, 0),
			0);
	api_net_expect(from, RDMA_CM_EVENT_USER, -1);
	assert_int_equal(rdma_migrate_id(id, to), 0);
	for (int status = -2; status > -9; status--)
		api_net_expect(to, RDMA_CM_EVENT_USER, status);
	api_net_expect_nothing(to);
	api_net_destroy(id);
	rdma_destroy_event_channel(from);
	rdma_destroy_event_channel(to);
}

static void destroy_id_with_queued_events_removes_events(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *left = new_id(channel);
	struct rdma_cm_id *right = new_id(channel);

	assert_int_equal(rdma_write_cm_event(left, RDMA_CM_EVENT_USER, -1, 0),
			 0);
	assert_int_equal(rdma_write_cm_event(right, RDMA_CM_EVENT_USER, -2, 0),
			 0);
	api_net_destroy(left);
	api_net_expect(channel, RDMA_CM_EVENT_USER, -2);
	api_net_expect_nothing(channel);
	api_net_destroy(right);
	rdma_destroy_event_channel(channel);
}

static void migrate_id_to_no_channel_makes_synchronous(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	assert_int_equal(rdma_migrate_id(id, NULL), 0);
	api_net_expect_errno(rdma_migrate_id(id, NULL), EINVAL);
	assert_int_equal(
		rdma_resolve_addr(id, NULL, api_net_address(2, 1), 1000), 0);
	assert_int_equal(id->event->event, RDMA_CM_EVENT_ADDR_RESOLVED);
	assert_int_equal(rdma_migrate_id(id, channel), 0);
	assert_null(id->event);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void get_devices_twice_returns_contexts_of_ids(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	struct ibv_context **left, **right;
	int nr = 0;

	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	left = rdma_get_devices(&nr);
	right = rdma_get_devices(NULL);
	assert_int_equal(nr, 2);
	assert_ptr_equal(left[1], id->verbs);
	assert_ptr_equal(left[0], right[0]);
	assert_ptr_equal(left[1], right[1]);
	assert_null(left[2]);
	rdma_free_devices(left);
	rdma_free_devices(right);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void get_cm_event_without_event_pointer_fails(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();

	api_net_expect_errno(rdma_get_cm_event(channel, NULL), EINVAL);
	api_net_expect_errno(rdma_ack_cm_event(NULL), EINVAL);
	api_net_expect_nothing(channel);
	rdma_destroy_event_channel(channel);
}

static void event_str_of_each_value_is_name(void **state)
{
#define EVENT(name) [name] = #name
	static const char *const names[] = {
		EVENT(RDMA_CM_EVENT_ADDR_RESOLVED),
		EVENT(RDMA_CM_EVENT_ADDR_ERROR),
		EVENT(RDMA_CM_EVENT_ROUTE_RESOLVED),
		EVENT(RDMA_CM_EVENT_ROUTE_ERROR),
		EVENT(RDMA_CM_EVENT_CONNECT_REQUEST),
		EVENT(RDMA_CM_EVENT_CONNECT_RESPONSE),
		EVENT(RDMA_CM_EVENT_CONNECT_ERROR),
		EVENT(RDMA_CM_EVENT_UNREACHABLE),
		EVENT(RDMA_CM_EVENT_REJECTED),
		EVENT(RDMA_CM_EVENT_ESTABLISHED),
		EVENT(RDMA_CM_EVENT_DISCONNECTED),
		EVENT(RDMA_CM_EVENT_DEVICE_REMOVAL),
		EVENT(RDMA_CM_EVENT_MULTICAST_JOIN),
		EVENT(RDMA_CM_EVENT_MULTICAST_ERROR),
		EVENT(RDMA_CM_EVENT_ADDR_CHANGE),
		EVENT(RDMA_CM_EVENT_TIMEWAIT_EXIT),
		EVENT(RDMA_CM_EVENT_ADDRINFO_RESOLVED),
		EVENT(RDMA_CM_EVENT_ADDRINFO_ERROR),
	};
#undef EVENT

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(rdma_event_str((enum rdma_cm_event_type)i),
				    names[i]);
	assert_string_equal(rdma_event_str(RDMA_CM_EVENT_USER),
			    "UNKNOWN EVENT");
	assert_string_equal(rdma_event_str(RDMA_CM_EVENT_INTERNAL),
			    "UNKNOWN EVENT");
	assert_string_equal(rdma_event_str((enum rdma_cm_event_type) - 1),
			    "UNKNOWN EVENT");
}

static void write_cm_event_of_user_arrives_with_argument(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);
	struct rdma_cm_event *event;

	api_net_expect_errno(
		rdma_write_cm_event(id, RDMA_CM_EVENT_ESTABLISHED, 0, 0),
		EINVAL);
	assert_int_equal(
		rdma_write_cm_event(id, RDMA_CM_EVENT_USER, -7, UINT64_MAX - 1),
		0);
	event = api_net_fetch(channel, RDMA_CM_EVENT_USER);
	assert_ptr_equal(event->id, id);
	assert_int_equal(event->status, -7);
	assert_true(event->param.arg == UINT64_MAX - 1);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void create_srq_ex_basic_uses_pd_of_id(void **state)
{
	struct ibv_srq_init_attr_ex attr = { .attr.max_wr = 1 };
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = new_id(channel);

	attr.comp_mask = IBV_SRQ_INIT_ATTR_TYPE;
	api_net_expect_errno(rdma_create_srq_ex(id, &attr), EINVAL);
	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	attr.comp_mask = 0;
	api_net_expect_errno(rdma_create_srq_ex(id, &attr), EINVAL);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_TYPE;
	attr.srq_type = IBV_SRQT_XRC;
	api_net_expect_errno(rdma_create_srq_ex(id, &attr), EOPNOTSUPP);
	attr.srq_type = IBV_SRQT_BASIC;
	assert_int_equal(rdma_create_srq_ex(id, &attr), 0);
	assert_non_null(id->srq);
	assert_ptr_equal(attr.pd, id->pd);
	api_net_expect_errno(rdma_create_srq_ex(id, &attr), EINVAL);
	rdma_destroy_srq(id);
	assert_null(id->srq);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

#define TEST(name) cmocka_unit_test_setup(name, api_net_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_id_unknown_port_space_fails_with_einval),
		TEST(create_id_valid_has_type_of_port_space),
		TEST(bind_addr_of_device_sets_device_and_address),
		TEST(bind_addr_wildcard_has_no_device),
		TEST(bind_addr_invalid_address_fails),
		TEST(bind_addr_port_in_use_fails_as_kernel),
		TEST(bind_addr_port_of_another_process_fails),
		TEST(bind_addr_reuse_by_single_id_fails_with_eaddrinuse),
		TEST(bind_addr_port_of_socket_succeeds),
		TEST(bind_addr_low_port_without_capability_fails),
		TEST(set_option_reuse_of_two_ids_allows_single_listener),
		TEST(set_option_invalid_fails_as_kernel),
		TEST(resolve_addr_to_server_finds_source_and_gids),
		TEST(resolve_addr_families_differ_fails_with_einval),
		TEST(resolve_route_source_without_device_fails),
		TEST(resolve_route_of_new_id_has_path_of_kernel),
		TEST(resolve_route_ipv6_source_has_flow_label_of_address),
		TEST(resolve_addr_wildcard_is_address_of_source),
		TEST(migrate_id_with_queued_event_moves_event),
		TEST(migrate_id_with_many_events_keeps_order),
		TEST(destroy_id_with_queued_events_removes_events),
		TEST(migrate_id_to_no_channel_makes_synchronous),
		TEST(get_devices_twice_returns_contexts_of_ids),
		TEST(get_cm_event_without_event_pointer_fails),
		TEST(event_str_of_each_value_is_name),
		TEST(write_cm_event_of_user_arrives_with_argument),
		TEST(create_srq_ex_basic_uses_pd_of_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
