/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups of datagram ids. */
#include "librdmacm/api/api_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BOTH_ATTRS \
	(RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS)

static struct rdma_event_channel *channel;
static struct rdma_cm_id *datagram_id;

/* An id that is bound, and has no QP yet */
static int setup_id(void **state)
{
	(void)api_net_reset(state);
	channel = api_net_channel();
	if (rdma_create_id(channel, &datagram_id, NULL, RDMA_PS_UDP) != 0)
		return -1;
	return rdma_bind_addr(datagram_id, api_net_address(1, 0));
}

static int teardown_id(void **state)
{
	api_net_destroy(datagram_id);
	rdma_destroy_event_channel(channel);
	return api_net.nr_claims || api_net.nr_pds || api_net.nr_qps ? -1 : 0;
}

static struct sockaddr *group_address(uint16_t port)
{
	static struct sockaddr_in address;

	address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = inet_addr("239.1.2.3"),
	};
	return (struct sockaddr *)&address;
}

static void join_multicast_attaches_qp_and_returns_address(void **state)
{
	static const uint8_t gid[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2, 3,
	};
	const struct rdma_ud_param *param;
	struct rdma_cm_event *event;
	int context;

	api_net_create_qp(datagram_id);
	assert_int_equal(
		rdma_join_multicast(datagram_id, group_address(0), &context),
		0);
	assert_int_equal(api_net.nr_attached, 0);
	event = api_net_fetch(channel, RDMA_CM_EVENT_MULTICAST_JOIN);
	param = &event->param.ud;
	assert_int_equal(event->status, 0);
	assert_ptr_equal(event->id, datagram_id);
	assert_ptr_equal(param->private_data, &context);
	assert_int_equal(param->private_data_len, 0);
	assert_int_equal(param->qp_num, 0xffffff);
	assert_int_equal(param->qkey, RDMA_UDP_QKEY);
	assert_int_equal(param->ah_attr.is_global, 1);
	assert_int_equal(param->ah_attr.dlid, 0);
	assert_int_equal(param->ah_attr.port_num, 1);
	assert_int_equal(param->ah_attr.grh.hop_limit, 64);
	assert_int_equal(param->ah_attr.grh.sgid_index, 3);
	assert_memory_equal(param->ah_attr.grh.dgid.raw, gid, 16);
	assert_int_equal(rdma_ack_cm_event(event), 0);
	assert_int_equal(api_net.nr_attached, 1);
	assert_memory_equal(api_net_qp_of(datagram_id)->group.raw, gid, 16);
	assert_int_equal(rdma_leave_multicast(datagram_id, group_address(0)),
			 0);
	assert_int_equal(api_net.nr_attached, 0);
}

static void join_multicast_without_qp_attaches_nothing(void **state)
{
	assert_int_equal(
		rdma_join_multicast(datagram_id, group_address(0), NULL), 0);
	api_net_expect(channel, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	api_net_create_qp(datagram_id);
	assert_int_equal(rdma_leave_multicast(datagram_id, group_address(0)),
			 0);
	assert_int_equal(api_net.nr_attached, 0);
}

static void join_multicast_ex_send_only_attaches_nothing(void **state)
{
	struct rdma_cm_join_mc_attr_ex attr = {
		.comp_mask = BOTH_ATTRS,
		.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
		.addr = group_address(0),
	};

	api_net_create_qp(datagram_id);
	assert_int_equal(rdma_join_multicast_ex(datagram_id, &attr, NULL), 0);
	api_net_expect(channel, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	assert_int_equal(api_net.nr_attached, 0);
	/* The id ends with the group. */
}

static void join_multicast_ex_invalid_attributes_fail(void **state)
{
	struct rdma_cm_join_mc_attr_ex attr = {
		.comp_mask = BOTH_ATTRS,
		.addr = api_net_address(0, 0),
	};

	api_net_expect_errno(rdma_join_multicast_ex(datagram_id, &attr, NULL),
			     EINVAL);
	attr.addr = NULL;
	api_net_expect_errno(rdma_join_multicast_ex(datagram_id, &attr, NULL),
			     EINVAL);
	attr.addr = group_address(0);
	attr.join_flags = RDMA_MC_JOIN_FLAG_RESERVED;
	api_net_expect_errno(rdma_join_multicast_ex(datagram_id, &attr, NULL),
			     EINVAL);
	attr.join_flags = RDMA_MC_JOIN_FLAG_FULLMEMBER;
	attr.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS;
	api_net_expect_errno(rdma_join_multicast_ex(datagram_id, &attr, NULL),
			     EINVAL);
	attr.comp_mask = RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
	api_net_expect_errno(rdma_join_multicast_ex(datagram_id, &attr, NULL),
			     EINVAL);
	attr.comp_mask = BOTH_ATTRS | RDMA_CM_JOIN_MC_ATTR_RESERVED;
	api_net_expect_errno(rdma_join_multicast_ex(datagram_id, &attr, NULL),
			     ENOTSUP);
	api_net_expect_nothing(channel);
}

static void join_multicast_of_unbound_or_connected_id_fails(void **state)
{
	struct sockaddr_in6 group = { .sin6_family = AF_INET6 };
	struct rdma_cm_id *ids[] = {
		NULL,
		api_net_route(channel),
		api_net_route_in(channel, RDMA_PS_UDP),
	};

	assert_int_equal(rdma_create_id(channel, &ids[0], NULL, RDMA_PS_UDP),
			 0);
	for (int i = 0; i < 3; i++) {
		api_net_expect_errno(
			rdma_join_multicast(ids[i], group_address(0), NULL),
			EINVAL);
		api_net_destroy(ids[i]);
	}
	/* The id has a source address of IPv4. */
	group.sin6_addr.s6_addr[0] = 0xff;
	group.sin6_addr.s6_addr[15] = 1;
	api_net_expect_errno(rdma_join_multicast(datagram_id,
						 (struct sockaddr *)&group,
						 NULL),
			     EINVAL);
}

static void join_multicast_failing_attach_reports_error(void **state)
{
	api_net_create_qp(datagram_id);
	assert_int_equal(
		rdma_join_multicast(datagram_id, group_address(0), NULL), 0);
	api_net.attach_ret = EINVAL;
	api_net_expect(channel, RDMA_CM_EVENT_MULTICAST_ERROR, -1);
	assert_int_equal(rdma_leave_multicast(datagram_id, group_address(0)),
			 0);
	assert_int_equal(api_net.nr_attached, 0);
}

static void leave_multicast_of_unknown_address_fails(void **state)
{
	assert_int_equal(
		rdma_join_multicast(datagram_id, group_address(7), NULL), 0);
	api_net_expect_errno(
		rdma_leave_multicast(datagram_id, group_address(8)),
		EADDRNOTAVAIL);
	assert_int_equal(rdma_leave_multicast(datagram_id, group_address(7)),
			 0);
	api_net_expect_errno(
		rdma_leave_multicast(datagram_id, group_address(7)),
		EADDRNOTAVAIL);
	/* The event has left the queue. */
	api_net_expect_nothing(channel);
}

static void destroy_id_with_groups_frees_groups_and_events(void **state)
{
	/* The id is destroyed by the teardown. */
	for (uint16_t port = 1; port < 4; port++)
		assert_int_equal(rdma_join_multicast(datagram_id,
						     group_address(port), NULL),
				 0);
	api_net_expect(channel, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
}

static void leave_multicast_of_synchronous_id_gives_up_event(void **state)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(NULL, &id, NULL, RDMA_PS_UDP), 0);
	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	assert_int_equal(rdma_join_multicast(id, group_address(0), NULL), 0);
	assert_int_equal(id->event->event, RDMA_CM_EVENT_MULTICAST_JOIN);
	assert_int_equal(rdma_leave_multicast(id, group_address(0)), 0);
	assert_null(id->event);
	api_net_destroy(id);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_id, teardown_id)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(join_multicast_attaches_qp_and_returns_address),
		TEST(join_multicast_without_qp_attaches_nothing),
		TEST(join_multicast_ex_send_only_attaches_nothing),
		TEST(join_multicast_ex_invalid_attributes_fail),
		TEST(join_multicast_of_unbound_or_connected_id_fails),
		TEST(join_multicast_failing_attach_reports_error),
		TEST(leave_multicast_of_unknown_address_fails),
		TEST(destroy_id_with_groups_frees_groups_and_events),
		TEST(leave_multicast_of_synchronous_id_gives_up_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
