/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids of tests in the kernel of ucm_kernel.h. */
#include "librdmacm/api/kernel_ids.h"

struct rdma_cm_id *test_id_new_in(struct rdma_event_channel *channel,
				  enum rdma_port_space ps)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, channel, ps), 0);
	return id;
}

struct rdma_cm_id *test_id_new(struct rdma_event_channel *channel)
{
	return test_id_new_in(channel, RDMA_PS_TCP);
}

struct rdma_cm_id *test_route_new(struct rdma_event_channel *channel,
				  enum rdma_port_space ps)
{
	return api_net_route_to(channel, ps, ucm_kernel_address(3, 0),
				ucm_kernel_address(4, TEST_PORT));
}

struct rdma_cm_id *test_listener_new(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *id = test_id_new(channel);

	assert_int_equal(rdma_bind_addr(id, ucm_kernel_address(3, TEST_PORT)),
			 0);
	assert_int_equal(rdma_listen(id, 7), 0);
	return id;
}

/* The request of a peer with some parameters */
struct ucma_abi_event_resp test_request_event(void)
{
	struct ucma_abi_event_resp event =
		ucm_kernel_event(RDMA_CM_EVENT_CONNECT_REQUEST, 0);

	event.param.conn.responder_resources = 5;
	event.param.conn.initiator_depth = 6;
	event.param.conn.qp_num = 77;
	event.param.conn.private_data_len = 56;
	event.param.conn.private_data[0] = 0xab;
	return event;
}

/* An id of a request, whose event is acknowledged */
struct rdma_cm_id *test_request_fetch(struct rdma_event_channel *channel,
				      uint32_t *ret_number)
{
	struct ucma_abi_event_resp request = test_request_event();

	*ret_number = ucm_kernel_post_request(&request);
	return api_net_fetch_request(channel);
}

void test_post(enum rdma_cm_event_type type, int status)
{
	struct ucma_abi_event_resp event = ucm_kernel_event(type, status);

	ucm_kernel_post(&event);
}
