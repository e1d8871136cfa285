/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs that the library creates on devices with a kernel driver: enhanced
 * connection establishment (ECE), XRC.
 */
#include "librdmacm/api/kernel_ids.h"

#include <errno.h>

#define VENDOR 0x15b3

/* -- ECE -- */

static void set_device_ece(uint32_t options)
{
	api_net.ece =
		(struct ibv_ece){ .vendor_id = VENDOR, .options = options };
}

static void expect_qp_ece(const struct rdma_cm_id *id, uint32_t options)
{
	const struct api_net_qp *qp = api_net_qp_of(id);

	assert_int_equal(qp->ece.vendor_id, VENDOR);
	assert_int_equal(qp->ece.options, options);
}

static void post_response(uint32_t vendor_id, uint32_t options)
{
	struct ucma_abi_event_resp response =
		ucm_kernel_event(RDMA_CM_EVENT_CONNECT_RESPONSE, 0);

	response.ece.vendor_id = vendor_id;
	response.ece.attr_mod = options;
	ucm_kernel_post(&response);
}

/* An id that has sent a request with the options of its QP */
static struct rdma_cm_id *connect_with_ece(struct rdma_event_channel *channel)
{
	const struct ucma_abi_connect *command;
	struct rdma_cm_id *id;

	set_device_ece(0x17);
	id = test_route_new(channel, RDMA_PS_TCP);
	assert_int_equal(rdma_connect(id, NULL), 0);
	command = UCM_KERNEL_LAST(UCMA_CMD_CONNECT, ucma_abi_connect);
	assert_int_equal(command->ece.vendor_id, VENDOR);
	assert_int_equal(command->ece.attr_mod, 0x17);
	return id;
}

static void ece_of_reply_is_set_before_qp_is_connected(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = connect_with_ece(channel);

	post_response(VENDOR, 0x13);
	api_net_expect(channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect_qp_ece(id, 0x13);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void reply_without_ece_disables_options(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = connect_with_ece(channel);

	post_response(0, 0);
	api_net_expect(channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	expect_qp_ece(id, 0);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void reply_with_ece_of_foreign_vendor_is_connect_error(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = connect_with_ece(channel);

	post_response(VENDOR + 1, 0x13);
	api_net_expect(channel, RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL);
	assert_int_equal(id->qp->state, IBV_QPS_ERR);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

/* Accepts a request with these options; returns those of the reply. */
static struct ucma_abi_ece accept_ece(uint32_t vendor_id, uint32_t options,
				      uint32_t qp_options)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *listener = test_listener_new(channel);
	struct ucma_abi_event_resp request = test_request_event();
	struct rdma_cm_event *event;
	struct ucma_abi_ece reply;
	struct rdma_cm_id *id;

	request.ece.vendor_id = vendor_id;
	request.ece.attr_mod = options;
	(void)ucm_kernel_post_request(&request);
	event = api_net_fetch(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	id = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_create_qp(id);
	assert_int_equal(rdma_accept(id, NULL), 0);
	if (api_net.ece.vendor_id)
		expect_qp_ece(id, qp_options);
	reply = UCM_KERNEL_LAST(UCMA_CMD_ACCEPT, ucma_abi_accept)->ece;
	api_net_destroy(id);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(channel);
	return reply;
}

static void accept_replies_with_options_that_qp_accepts(void **state)
{
	struct ucma_abi_ece reply;

	set_device_ece(0x17);
	reply = accept_ece(VENDOR, 0x33, 0x13);
	assert_int_equal(reply.vendor_id, VENDOR);
	assert_int_equal(reply.attr_mod, 0x13);
}

static void accept_of_foreign_vendor_replies_without_options(void **state)
{
	struct ucma_abi_ece reply;

	set_device_ece(0x17);
	reply = accept_ece(VENDOR + 1, 0x33, 0);
	assert_int_equal(reply.vendor_id, VENDOR + 1);
	assert_int_equal(reply.attr_mod, 0);
}

static void accept_without_ece_replies_without_options(void **state)
{
	struct ucma_abi_ece reply = accept_ece(VENDOR, 0x33, 0);

	assert_int_equal(reply.vendor_id, VENDOR);
	assert_int_equal(reply.attr_mod, 0);
}

/* -- XRC -- */

static void xrc_recv_qp_has_domain_of_device(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_XRC_RECV };
	struct ibv_xrcd *xrcd;

	rdma_destroy_qp(id);
	api_net_expect_errno(rdma_create_qp_ex(id, &attr), EOPNOTSUPP);
	api_net.has_xrc = true;
	attr = (struct ibv_qp_init_attr_ex){ .qp_type = IBV_QPT_XRC_RECV };
	assert_int_equal(rdma_create_qp_ex(id, &attr), 0);
	xrcd = attr.xrcd;
	assert_non_null(xrcd);
	assert_ptr_equal(api_net_qp_of(id)->xrcd, xrcd);
	assert_null(id->recv_cq);
	rdma_destroy_qp(id);
	attr.comp_mask = 0;
	attr.xrcd = NULL;
	assert_int_equal(rdma_create_qp_ex(id, &attr), 0);
	assert_ptr_equal(attr.xrcd, xrcd);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void xrc_srq_has_cq_of_id(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE,
		.srq_type = IBV_SRQT_XRC,
		.attr.max_wr = 3,
	};

	rdma_destroy_qp(id);
	api_net.has_xrc = true;
	assert_int_equal(rdma_create_srq_ex(id, &attr), 0);
	assert_non_null(id->recv_cq_channel);
	assert_non_null(id->recv_cq);
	assert_int_equal(id->recv_cq->cqe, 3);
	assert_ptr_equal(attr.cq, id->recv_cq);
	assert_non_null(attr.xrcd);
	assert_ptr_equal(id->srq->srq_context, id->recv_cq);
	rdma_destroy_srq(id);
	assert_null(id->recv_cq);
	assert_int_equal(api_net.nr_cqs, 0);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

static void destroy_qp_keeps_cq_of_xrc_srq(void **state)
{
	struct rdma_event_channel *channel = api_net_channel();
	struct rdma_cm_id *id = test_route_new(channel, RDMA_PS_TCP);
	struct ibv_qp_init_attr_ex qp = { .qp_type = IBV_QPT_XRC_RECV };
	struct ibv_srq_init_attr_ex srq = {
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE,
		.srq_type = IBV_SRQT_XRC,
		.attr.max_wr = 3,
	};

	rdma_destroy_qp(id);
	api_net.has_xrc = true;
	id->qp_type = IBV_QPT_XRC_RECV; /* as rdma_create_ep() */
	assert_int_equal(rdma_create_srq_ex(id, &srq), 0);
	assert_int_equal(rdma_create_qp_ex(id, &qp), 0);
	rdma_destroy_qp(id);
	assert_ptr_equal(id->recv_cq, srq.cq);
	rdma_destroy_srq(id);
	assert_null(id->recv_cq);
	assert_int_equal(api_net.nr_cqs, 0);
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(ece_of_reply_is_set_before_qp_is_connected),
		KERNEL_TEST(reply_without_ece_disables_options),
		KERNEL_TEST(reply_with_ece_of_foreign_vendor_is_connect_error),
		KERNEL_TEST(accept_replies_with_options_that_qp_accepts),
		KERNEL_TEST(accept_of_foreign_vendor_replies_without_options),
		KERNEL_TEST(accept_without_ece_replies_without_options),
		KERNEL_TEST(xrc_recv_qp_has_domain_of_device),
		KERNEL_TEST(xrc_srq_has_cq_of_id),
		KERNEL_TEST(destroy_qp_keeps_cq_of_xrc_srq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
