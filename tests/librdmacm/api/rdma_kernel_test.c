/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids of devices with a kernel driver: the selection of the back end,
 * addresses, destruction and migration.
 */
#include "librdmacm/api/kernel_ids.h"

#include <errno.h>

/* -- selection -- */

static void create_id_sends_no_command(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	assert_int_equal(ucm_kernel.nr_files, 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void bind_address_of_kernel_device_selects_kernel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	assert_int_equal(rdma_bind_addr(id, ucm_kernel_address(3, 0)), 0);
	assert_non_null(id->verbs);
	assert_non_null(id->pd);
	assert_int_equal(id->port_num, 2);
	assert_int_equal(ntohs(rdma_get_src_port(id)), 40000);
	assert_int_equal(id->route.addr.addr.ibaddr.sgid.raw[12], 10);
	assert_int_equal(api_net.nr_claims, 0);
	api_net_expect_errno(rdma_bind_addr(id, ucm_kernel_address(3, 0)),
			     EINVAL);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void bind_address_of_engine_sends_no_command(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	assert_int_equal(id->port_num, 1);
	assert_int_equal(ucm_kernel.nr_files, 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void bind_without_node_fails_with_eaddrnotavail(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	api_net.open_node = NULL;
	api_net_expect_errno(rdma_bind_addr(id, ucm_kernel_address(3, 0)),
			     EADDRNOTAVAIL);
	/* The engine remains. */
	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static int open_forbidden_node(int *ret_fd)
{
	return -EACCES;
}

static void bind_with_forbidden_node_fails_with_eacces(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	api_net.open_node = open_forbidden_node;
	api_net_expect_errno(rdma_bind_addr(id, ucm_kernel_address(3, 0)),
			     EACCES);
	/* Wildcards do without the kernel if there are other devices. */
	assert_int_equal(rdma_listen(id, 0), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void bind_refused_by_kernel_leaves_id_idle(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.errors[UCMA_CMD_BIND] = EADDRINUSE;
	api_net_expect_errno(
		rdma_bind_addr(id, ucm_kernel_address(3, TEST_PORT)),
		EADDRINUSE);
	assert_int_equal(ucm_kernel.nr_ids, 0);
	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void options_before_bind_reach_kernel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);
	uint8_t tos = 8, timeout = 15;
	int on = 1;

	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS,
					 &tos, 1),
			 0);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID,
					 RDMA_OPTION_ID_AFONLY, &on,
					 sizeof(on)),
			 0);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID,
					 RDMA_OPTION_ID_REUSEADDR, &on,
					 sizeof(on)),
			 0);
	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID,
					 RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
					 1),
			 0);
	assert_int_equal(rdma_bind_addr(id, ucm_kernel_address(3, 0)), 0);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_SET_OPTION], 4);
	/* The kernel decides on options of its ids. */
	ucm_kernel.errors[UCMA_CMD_SET_OPTION] = ENOSYS;
	api_net_expect_errno(rdma_set_option(id, 9, 9, &on, sizeof(on)),
			     ENOSYS);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_SET_OPTION], 5);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

/* -- wildcards -- */

/* The sysctl net.ipv6.bindv6only may have the opposite value. */
static void option_afonly_0_before_bind_reaches_kernel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);
	int off = 0;

	assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID,
					 RDMA_OPTION_ID_AFONLY, &off,
					 sizeof(off)),
			 0);
	assert_int_equal(rdma_bind_addr(id, ucm_kernel_address(3, 0)), 0);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_SET_OPTION], 1);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void wildcard_listener_has_requests_of_both_back_ends(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_event_channel *clients = api_net_channel();
	struct rdma_cm_id *listener = test_id_new(channel);
	struct rdma_cm_id *of_kernel, *of_engine, *client;
	struct rdma_cm_event *event;
	uint32_t number;

	assert_int_equal(
		rdma_bind_addr(listener, api_net_address(0, API_NET_PORT)), 0);
	assert_int_equal(rdma_listen(listener, 3), 0);
	assert_int_equal(
		UCM_KERNEL_LAST(UCMA_CMD_LISTEN, ucma_abi_listen)->backlog, 3);
	of_kernel = test_request_fetch(channel, &number);
	assert_int_equal(of_kernel->port_num, 2);
	client = api_net_route(clients);
	assert_int_equal(rdma_connect(client, NULL), 0);
	api_net_deliver();
	event = api_net_fetch(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	of_engine = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(of_engine->port_num, 1);
	assert_ptr_not_equal(of_engine->verbs, of_kernel->verbs);
	assert_int_equal(rdma_destroy_id(of_kernel), 0);
	assert_int_equal(rdma_destroy_id(of_engine), 0);
	api_net_destroy(client);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(clients);
	rdma_destroy_event_channel(channel);
}

static void wildcard_port_in_use_in_kernel_is_not_chosen(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.errors[UCMA_CMD_BIND] = EADDRINUSE;
	assert_int_equal(rdma_bind_addr(id, api_net_address(0, 0)), 0);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_BIND], 2);
	assert_int_equal(ucm_kernel.nr_ids, 1);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void wildcard_given_port_in_use_in_kernel_fails(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.port_in_use = TEST_PORT;
	api_net_expect_errno(rdma_bind_addr(id, api_net_address(0, TEST_PORT)),
			     EADDRINUSE);
	assert_int_equal(api_net.nr_claims, 0);
	assert_int_equal(rdma_get_src_port(id), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void wildcard_listen_refused_by_kernel_can_be_repeated(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.errors[UCMA_CMD_LISTEN] = ENOMEM;
	api_net_expect_errno(rdma_listen(id, 0), ENOMEM);
	assert_int_equal(rdma_listen(id, 0), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void resolve_after_wildcard_bind_drops_kernel_part(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	assert_int_equal(rdma_bind_addr(id, api_net_address(0, 0)), 0);
	assert_int_equal(ucm_kernel.nr_ids, 1);
	assert_int_equal(rdma_resolve_addr(id, NULL,
					   api_net_address(2, API_NET_PORT),
					   1000),
			 0);
	assert_int_equal(ucm_kernel.nr_ids, 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

/* -- addresses -- */

static void resolve_in_kernel_fills_device_addresses_and_path(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);
	struct ibv_context **list = rdma_get_devices(NULL);

	assert_ptr_equal(id->verbs, list[2]);
	rdma_free_devices(list);
	assert_int_equal(ntohs(rdma_get_dst_port(id)), TEST_PORT);
	assert_int_equal(id->route.addr.addr.ibaddr.dgid.raw[15], 4);
	assert_int_equal(id->route.num_paths, 1);
	assert_int_equal(id->route.path_rec->pkey, htobe16(0xffff));
	assert_int_equal(api_net_qp_of(id)->changes[0].attr.port_num, 2);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void resolve_in_kernel_reports_errors_of_command(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.errors[UCMA_CMD_RESOLVE_ADDR] = ENETUNREACH;
	api_net_expect_errno(rdma_resolve_addr(id, ucm_kernel_address(3, 0),
					       ucm_kernel_address(4, 1), 1000),
			     ENETUNREACH);
	assert_int_equal(ucm_kernel.nr_ids, 0);
	/* Another destination can be reached. */
	assert_int_equal(rdma_resolve_addr(id, NULL,
					   api_net_address(2, API_NET_PORT),
					   1000),
			 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void resolve_to_unknown_device_is_address_error(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.node_guid = 99;
	assert_int_equal(rdma_resolve_addr(id, ucm_kernel_address(3, 0),
					   ucm_kernel_address(4, 1), 1000),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	api_net_expect_errno(rdma_resolve_route(id, 1000), EINVAL);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void responses_with_invalid_lengths_are_errors(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_id_new(channel);

	ucm_kernel.src_size = 100; /* no address has this length */
	api_net_expect_errno(rdma_bind_addr(id, ucm_kernel_address(3, 0)),
			     EPROTO);
	ucm_kernel.src_size = 0;
	ucm_kernel.skips_response = true;
	api_net_expect_errno(rdma_bind_addr(id, ucm_kernel_address(3, 0)),
			     EPROTO);
	/* The kernel has an id whose number is unknown. */
	ucm_kernel.nr_ids--;
	ucm_kernel.num_paths = UINT32_MAX - 1;
	assert_int_equal(rdma_resolve_addr(id, ucm_kernel_address(3, 0),
					   ucm_kernel_address(4, 1), 1000),
			 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(rdma_resolve_route(id, 1000), 0);
	api_net_expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	assert_int_equal(id->route.num_paths, 1);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

/* -- destruction and migration -- */

static void destroy_refused_by_kernel_keeps_id(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);

	rdma_destroy_qp(id);
	ucm_kernel.errors[UCMA_CMD_DESTROY_ID] = EBADF;
	api_net_expect_errno(rdma_destroy_id(id), EBADF);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void destroyed_listener_drops_requests_not_fetched(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp request = test_request_event();

	(void)ucm_kernel_post_request(&request);
	assert_int_equal(rdma_destroy_id(listener), 0);
	api_net_expect_nothing(channel);
	rdma_destroy_event_channel(channel);
}

static void migrated_id_has_queued_events_on_new_channel(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_event_channel *other = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);

	test_post(RDMA_CM_EVENT_ADDR_CHANGE, 0);
	assert_int_equal(rdma_migrate_id(id, other), 0);
	assert_ptr_equal(id->channel, other);
	assert_int_equal(ucm_kernel.nr_files, 2);
	api_net_expect_nothing(channel);
	api_net_expect(other, RDMA_CM_EVENT_ADDR_CHANGE, 0);
	ucm_kernel.errors[UCMA_CMD_MIGRATE_ID] = ENOENT;
	api_net_expect_errno(rdma_migrate_id(id, channel), ENOENT);
	assert_ptr_equal(id->channel, other);
	api_net_destroy(id);
	rdma_destroy_event_channel(other);
	rdma_destroy_event_channel(channel);
}

static void synchronous_request_has_new_channel(void **state)
{
	struct rdma_cm_id *listener = test_listener_new(NULL), *id = NULL;
	struct ucma_abi_event_resp request = test_request_event();

	(void)ucm_kernel_post_request(&request);
	assert_int_equal(rdma_get_request(listener, &id), 0);
	assert_ptr_not_equal(id->channel, listener->channel);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_MIGRATE_ID], 1);
	assert_int_equal(id->event->param.conn.qp_num, 77);
	assert_int_equal(rdma_destroy_id(id), 0);
	assert_int_equal(rdma_destroy_id(listener), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_id_sends_no_command),
		KERNEL_TEST(bind_address_of_kernel_device_selects_kernel),
		KERNEL_TEST(bind_address_of_engine_sends_no_command),
		KERNEL_TEST(bind_without_node_fails_with_eaddrnotavail),
		KERNEL_TEST(bind_with_forbidden_node_fails_with_eacces),
		KERNEL_TEST(bind_refused_by_kernel_leaves_id_idle),
		KERNEL_TEST(options_before_bind_reach_kernel),
		KERNEL_TEST(option_afonly_0_before_bind_reaches_kernel),
		KERNEL_TEST(wildcard_listener_has_requests_of_both_back_ends),
		KERNEL_TEST(wildcard_port_in_use_in_kernel_is_not_chosen),
		KERNEL_TEST(wildcard_given_port_in_use_in_kernel_fails),
		KERNEL_TEST(wildcard_listen_refused_by_kernel_can_be_repeated),
		KERNEL_TEST(resolve_after_wildcard_bind_drops_kernel_part),
		KERNEL_TEST(resolve_in_kernel_fills_device_addresses_and_path),
		KERNEL_TEST(resolve_in_kernel_reports_errors_of_command),
		KERNEL_TEST(resolve_to_unknown_device_is_address_error),
		KERNEL_TEST(responses_with_invalid_lengths_are_errors),
		KERNEL_TEST(destroy_refused_by_kernel_keeps_id),
		KERNEL_TEST(destroyed_listener_drops_requests_not_fetched),
		KERNEL_TEST(migrated_id_has_queued_events_on_new_channel),
		KERNEL_TEST(synchronous_request_has_new_channel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
