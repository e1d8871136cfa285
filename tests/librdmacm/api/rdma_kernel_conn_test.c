/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids of devices with a kernel driver: connections, datagrams, multicast. */
#include "librdmacm/api/kernel_ids.h"

#include <errno.h>
#include <string.h>

/* -- connections -- */

static void connect_response_moves_qp_and_confirms(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);
	struct rdma_conn_param param = {
		.private_data = "hello",
		.private_data_len = 6,
		.responder_resources = RDMA_MAX_RESP_RES,
		.initiator_depth = 2,
		.retry_count = 9,
	};
	struct ucma_abi_event_resp response =
		ucm_kernel_event(RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	const struct ucma_abi_connect *command;
	struct rdma_cm_event *event;

	assert_int_equal(rdma_connect(id, &param), 0);
	command = UCM_KERNEL_LAST(UCMA_CMD_CONNECT, ucma_abi_connect);
	assert_int_equal(command->conn_param.valid, 1);
	assert_int_equal(command->conn_param.qp_num, id->qp->qp_num);
	assert_int_equal(command->conn_param.responder_resources,
			 API_NET_MAX_RD);
	assert_int_equal(command->conn_param.initiator_depth, 2);
	assert_int_equal(command->conn_param.retry_count, 7);
	assert_string_equal(command->conn_param.private_data, "hello");
	response.param.conn.private_data_len = 255;
	response.param.conn.private_data[254] = 0x17;
	ucm_kernel_post(&response);
	event = api_net_fetch(channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_int_equal(event->param.conn.private_data_len, 255);
	assert_int_equal(((const uint8_t *)event->param.conn.private_data)[254],
			 0x17);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(id->qp->state, IBV_QPS_RTS);
	assert_int_equal(api_net_qp_of(id)->changes[3].attr.max_rd_atomic, 12);
	assert_int_equal(UCM_KERNEL_LAST(UCMA_CMD_ACCEPT, ucma_abi_accept)
				 ->conn_param.valid,
			 0);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void connect_response_without_qp_is_left_to_application(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);
	struct rdma_conn_param param = { .qp_num = 5 };

	rdma_destroy_qp(id);
	assert_int_equal(rdma_connect(id, &param), 0);
	test_post(RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	api_net_expect(channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_ACCEPT], 0);
	assert_int_equal(rdma_establish(id), 0);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_ACCEPT], 1);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void connect_response_with_failing_qp_is_connect_error(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);

	assert_int_equal(rdma_connect(id, NULL), 0);
	api_net.modify_ret = ENOMEM;
	test_post(RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	api_net_expect(channel, RDMA_CM_EVENT_CONNECT_ERROR, -ENOMEM);
	assert_int_equal(id->qp->state, IBV_QPS_ERR);
	/* The end of that connection is known. */
	test_post(RDMA_CM_EVENT_REJECTED, 28);
	api_net_expect_nothing(channel);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void connect_rejected_moves_qp_to_error(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);

	assert_int_equal(rdma_connect(id, NULL), 0);
	test_post(RDMA_CM_EVENT_REJECTED, 8);
	api_net_expect(channel, RDMA_CM_EVENT_REJECTED, 8);
	assert_int_equal(id->qp->state, IBV_QPS_ERR);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void request_has_parameters_device_and_context(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp request = test_request_event();
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	(void)ucm_kernel_post_request(&request);
	event = api_net_fetch(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	id = event->id;
	assert_ptr_equal(event->listen_id, listener);
	assert_ptr_equal(id->context, listener->context);
	assert_ptr_equal(id->channel, channel);
	assert_int_equal(id->port_num, 2);
	assert_int_equal(id->route.num_paths, 1);
	assert_int_equal(ntohs(rdma_get_dst_port(id)), 555);
	assert_int_equal(event->param.conn.responder_resources, 5);
	assert_int_equal(event->param.conn.qp_num, 77);
	assert_int_equal(event->param.conn.private_data_len, 56);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
}

static void accept_moves_qp_with_depths_of_reply(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp event =
		ucm_kernel_event(RDMA_CM_EVENT_ESTABLISHED, 0);
	const struct ucma_abi_accept *command;
	struct rdma_cm_id *id;
	uint32_t number;

	id = test_request_fetch(channel, &number);
	api_net_create_qp(id);
	assert_int_equal(rdma_accept(id, NULL), 0);
	command = UCM_KERNEL_LAST(UCMA_CMD_ACCEPT, ucma_abi_accept);
	assert_int_equal(command->conn_param.valid, 1);
	assert_int_equal(command->conn_param.responder_resources, 5);
	assert_int_equal(command->conn_param.initiator_depth, 6);
	assert_int_equal(id->qp->state, IBV_QPS_RTS);
	assert_int_equal(api_net_qp_of(id)->changes[2].attr.max_dest_rd_atomic,
			 5);
	assert_int_equal(api_net_qp_of(id)->changes[3].attr.max_rd_atomic, 6);
	ucm_kernel_post_to(number, &event);
	api_net_expect(channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_destroy(id);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
}

static void accept_refused_by_kernel_moves_qp_to_error(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct rdma_cm_id *id;
	uint32_t number;

	id = test_request_fetch(channel, &number);
	api_net_create_qp(id);
	ucm_kernel.errors[UCMA_CMD_ACCEPT] = EINVAL;
	api_net_expect_errno(rdma_accept(id, NULL), EINVAL);
	assert_int_equal(id->qp->state, IBV_QPS_ERR);
	api_net_destroy(id);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
}

static void reject_sends_private_data_and_reason(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	const struct ucma_abi_reject *command;
	struct rdma_cm_id *id;
	uint32_t number;

	id = test_request_fetch(channel, &number);
	api_net_expect_errno(rdma_reject(id, NULL, 1), EINVAL);
	assert_int_equal(rdma_reject(id, "no", 3), 0);
	command = UCM_KERNEL_LAST(UCMA_CMD_REJECT, ucma_abi_reject);
	assert_int_equal(command->id, number);
	assert_int_equal(command->reason, 28);
	assert_string_equal(command->private_data, "no");
	assert_int_equal(rdma_reject_ece(id, NULL, 0), 0);
	command = UCM_KERNEL_LAST(UCMA_CMD_REJECT, ucma_abi_reject);
	assert_int_equal(command->reason, 35);
	assert_int_equal(rdma_destroy_id(id), 0);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
}

static void request_that_cannot_be_queried_is_dropped(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp request = test_request_event();

	(void)ucm_kernel_post_request(&request);
	ucm_kernel.errors[UCMA_CMD_QUERY] = ENXIO;
	api_net_expect_nothing(channel);
	assert_int_equal(ucm_kernel.nr_ids, 1);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
}

static void event_before_accept_is_discarded(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp event =
		ucm_kernel_event(RDMA_CM_EVENT_REJECTED, 4);
	struct rdma_cm_id *id;
	uint32_t number;

	id = test_request_fetch(channel, &number);
	ucm_kernel_post_to(number, &event);
	api_net_expect_nothing(channel);
	/* Newer than the library, of an id that the application has */
	event.event = 40;
	ucm_kernel_post(&event);
	api_net_expect_nothing(channel);
	assert_int_equal(rdma_destroy_id(listener), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(channel);
}

static void established_without_uid_reaches_id(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp event =
		ucm_kernel_event(RDMA_CM_EVENT_ESTABLISHED, 0);
	struct rdma_cm_event *established;
	struct rdma_cm_id *id;
	uint32_t number;

	/* Old kernels store the uid after the event. */
	id = test_request_fetch(channel, &number);
	ucm_kernel_post_to(number, &event);
	established = api_net_fetch(channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_ptr_equal(established->id, id);
	assert_int_equal(rdma_ack_cm_event(established), 0);
	assert_int_equal(rdma_destroy_id(id), 0);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
}

static void disconnect_moves_qp_and_sends_command(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);

	assert_int_equal(rdma_connect(id, NULL), 0);
	assert_int_equal(rdma_disconnect(id), 0);
	assert_int_equal(id->qp->state, IBV_QPS_ERR);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_DISCONNECT], 1);
	test_post(RDMA_CM_EVENT_DISCONNECTED, 0);
	api_net_expect(channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	ucm_kernel.errors[UCMA_CMD_DISCONNECT] = ENXIO;
	api_net_expect_errno(rdma_disconnect(id), ENXIO);
	assert_int_equal(rdma_notify(id, IBV_EVENT_COMM_EST), 0);
	assert_int_equal(ucm_kernel.nr_commands[UCMA_CMD_NOTIFY], 1);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

/* -- datagrams -- */

static void multicast_join_attaches_qp_to_group_of_event(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_UDP);
	struct sockaddr_in group = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(0xe0000105),
	};
	struct rdma_cm_event *event;
	int context;

	assert_int_equal(
		rdma_join_multicast(id, (struct sockaddr *)&group, &context),
		0);
	assert_int_equal(
		UCM_KERNEL_LAST(UCMA_CMD_JOIN_MCAST, ucma_abi_join_mcast)
			->join_flags,
		RDMA_MC_JOIN_FLAG_FULLMEMBER);
	ucm_kernel_post_join(RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	event = api_net_fetch(channel, RDMA_CM_EVENT_MULTICAST_JOIN);
	assert_ptr_equal(event->id, id);
	assert_ptr_equal(event->param.ud.private_data, &context);
	assert_int_equal(event->param.ud.ah_attr.dlid, 0xc001);
	assert_int_equal(api_net_qp_of(id)->group.raw[0], 0xff);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	ucm_kernel.errors[UCMA_CMD_LEAVE_MCAST] = ENXIO;
	api_net_expect_errno(
		rdma_leave_multicast(id, (struct sockaddr *)&group), ENXIO);
	assert_int_equal(rdma_leave_multicast(id, (struct sockaddr *)&group),
			 0);
	assert_int_equal(api_net.nr_attached, 0);
	/* The events of the group count for the id, too. */
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void datagram_established_has_address_of_peer(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_UDP);
	struct ucma_abi_event_resp reply =
		ucm_kernel_event(RDMA_CM_EVENT_ESTABLISHED, 0);
	struct rdma_cm_event *event;

	assert_int_equal(rdma_connect(id, NULL), 0);
	reply.param.ud.qp_num = 99;
	reply.param.ud.qkey = RDMA_UDP_QKEY;
	reply.param.ud.private_data_len = 136;
	reply.param.ud.private_data[1] = 0x42;
	ucm_kernel_post(&reply);
	event = api_net_fetch(channel, RDMA_CM_EVENT_ESTABLISHED);
	assert_int_equal(event->param.ud.qp_num, 99);
	assert_int_equal(event->param.ud.qkey, RDMA_UDP_QKEY);
	assert_int_equal(((const uint8_t *)event->param.ud.private_data)[1],
			 0x42);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(id->qp->state, IBV_QPS_RTS);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(connect_response_moves_qp_and_confirms),
		KERNEL_TEST(connect_response_without_qp_is_left_to_application),
		KERNEL_TEST(connect_response_with_failing_qp_is_connect_error),
		KERNEL_TEST(connect_rejected_moves_qp_to_error),
		KERNEL_TEST(request_has_parameters_device_and_context),
		KERNEL_TEST(accept_moves_qp_with_depths_of_reply),
		KERNEL_TEST(accept_refused_by_kernel_moves_qp_to_error),
		KERNEL_TEST(reject_sends_private_data_and_reason),
		KERNEL_TEST(request_that_cannot_be_queried_is_dropped),
		KERNEL_TEST(event_before_accept_is_discarded),
		KERNEL_TEST(established_without_uid_reaches_id),
		KERNEL_TEST(disconnect_moves_qp_and_sends_command),
		KERNEL_TEST(multicast_join_attaches_qp_to_group_of_event),
		KERNEL_TEST(datagram_established_has_address_of_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
