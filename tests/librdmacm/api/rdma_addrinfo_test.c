/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as addresses, also with an event of an id. Names are numeric. */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct rdma_addrinfo numeric = { .ai_flags = RAI_NUMERICHOST };

static struct rdma_event_channel *channel;
static struct rdma_cm_id *id;

static int setup_id(void **state)
{
	(void)api_net_reset(state);
	channel = api_net_channel();
	return rdma_create_id(channel, &id, NULL, RDMA_PS_TCP);
}

static int teardown_id(void **state)
{
	api_net_destroy(id);
	rdma_destroy_event_channel(channel);
	return 0;
}

static void resolve_addrinfo_of_name_has_event_and_result(void **state)
{
	struct rdma_addrinfo *info = NULL;

	api_net_expect_errno(rdma_query_addrinfo(id, &info), ENOENT);
	assert_int_equal(
		rdma_resolve_addrinfo(id, "127.0.0.2", "7174", &numeric), 0);
	api_net_expect_errno(
		rdma_resolve_addrinfo(id, "127.0.0.2", "7174", &numeric),
		EBUSY);
	api_net_expect(channel, RDMA_CM_EVENT_ADDRINFO_RESOLVED, 0);
	assert_int_equal(rdma_query_addrinfo(id, &info), 0);
	assert_non_null(info);
	assert_int_equal(info->ai_family, AF_INET);
	assert_int_equal(info->ai_dst_len, sizeof(struct sockaddr_in));
	rdma_freeaddrinfo(info);
	api_net_expect_errno(rdma_query_addrinfo(id, &info), ENOENT);
}

static void resolve_addrinfo_without_query_is_freed_with_id(void **state)
{
	/* The id is destroyed by the teardown. */
	assert_int_equal(rdma_resolve_addrinfo(id, "127.0.0.2", NULL, &numeric),
			 0);
}

static void resolve_addrinfo_invalid_fails_without_event(void **state)
{
	struct rdma_addrinfo *info = NULL;
	struct rdma_addrinfo hints = numeric;

	api_net_expect_errno(rdma_resolve_addrinfo(id, NULL, NULL, NULL),
			     EINVAL);
	api_net_expect_errno(
		rdma_resolve_addrinfo(id, "no address", NULL, &hints), ENOENT);
	hints.ai_qp_type = IBV_QPT_UD;
	hints.ai_port_space = RDMA_PS_TCP;
	api_net_expect_errno(
		rdma_resolve_addrinfo(id, "127.0.0.2", NULL, &hints), EINVAL);
	api_net_expect_errno(rdma_query_addrinfo(id, &info), ENOENT);
	api_net_expect_nothing(channel);
}

static void resolve_addrinfo_by_subnet_administrator_fails(void **state)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_SA };

	api_net_expect_errno(rdma_resolve_addrinfo(id, NULL, "1", &hints),
			     EINVAL);
	api_net_expect_errno(rdma_resolve_addrinfo(id, "node", "1", &hints),
			     EOPNOTSUPP);
	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	api_net_expect_errno(rdma_resolve_addrinfo(id, NULL, "1", &hints),
			     EOPNOTSUPP);
	hints.ai_flags = RAI_SA | RAI_DNS;
	api_net_expect_errno(rdma_resolve_addrinfo(id, NULL, "1", &hints),
			     EOPNOTSUPP);
}

static void getaddrinfo_by_subnet_administrator_fails_with_enoent(void **state)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_SA };
	struct rdma_addrinfo *info = NULL;

	api_net_expect_errno(rdma_getaddrinfo("127.0.0.2", NULL, &hints, &info),
			     ENOENT);
	assert_null(info);
}

static void getaddrinfo_without_names_returns_hints(void **state)
{
	struct rdma_addrinfo hints = {
		.ai_flags = RAI_PASSIVE | RAI_NOROUTE,
		.ai_family = AF_INET,
		.ai_qp_type = IBV_QPT_UD,
		.ai_port_space = RDMA_PS_UDP,
		.ai_src_len = sizeof(struct sockaddr_in),
		.ai_src_addr = api_net_address(1, 0),
		.ai_dst_len = sizeof(struct sockaddr_in),
		.ai_dst_addr = api_net_address(2, API_NET_PORT),
	};
	struct rdma_addrinfo *info = NULL;

	assert_int_equal(rdma_getaddrinfo(NULL, NULL, &hints, &info), 0);
	assert_int_equal(info->ai_flags, hints.ai_flags);
	assert_int_equal(info->ai_family, AF_INET);
	assert_int_equal(info->ai_qp_type, IBV_QPT_UD);
	assert_int_equal(info->ai_port_space, RDMA_PS_UDP);
	assert_memory_equal(info->ai_src_addr, hints.ai_src_addr,
			    sizeof(struct sockaddr_in));
	assert_memory_equal(info->ai_dst_addr, hints.ai_dst_addr,
			    sizeof(struct sockaddr_in));
	rdma_freeaddrinfo(info);
}

static void getaddrinfo_active_returns_destination_and_source(void **state)
{
	struct rdma_addrinfo hints = {
		.ai_flags = RAI_NUMERICHOST | RAI_NOROUTE | 0x80,
		.ai_family = AF_IB, /* is not used without RAI_FAMILY */
		.ai_port_space = RDMA_PS_UDP,
		.ai_src_len = sizeof(struct sockaddr_in),
		.ai_src_addr = api_net_address(1, 0),
	};
	struct rdma_addrinfo *info = NULL;

	assert_int_equal(rdma_getaddrinfo("127.0.0.2", "7174", &hints, &info),
			 0);
	assert_int_equal(info->ai_flags, 0);
	assert_int_equal(info->ai_family, AF_INET);
	assert_int_equal(info->ai_qp_type, IBV_QPT_UD);
	assert_int_equal(info->ai_port_space, RDMA_PS_UDP);
	assert_int_equal(info->ai_src_len, sizeof(struct sockaddr_in));
	assert_memory_equal(info->ai_src_addr, hints.ai_src_addr,
			    sizeof(struct sockaddr_in));
	assert_memory_equal(info->ai_dst_addr, api_net_address(2, API_NET_PORT),
			    sizeof(struct sockaddr_in));
	assert_null(info->ai_src_canonname);
	assert_null(info->ai_dst_canonname);
	assert_int_equal(info->ai_route_len, 0);
	assert_int_equal(info->ai_connect_len, 0);
	assert_null(info->ai_next);
	rdma_freeaddrinfo(info);
}

static void getaddrinfo_without_node_returns_loopback(void **state)
{
	struct rdma_addrinfo hints = { .ai_family = AF_INET };
	struct rdma_addrinfo *info = NULL;

	assert_int_equal(rdma_getaddrinfo(NULL, "7174", &hints, &info), 0);
	assert_memory_equal(info->ai_dst_addr, api_net_address(1, API_NET_PORT),
			    sizeof(struct sockaddr_in));
	assert_int_equal(info->ai_qp_type, IBV_QPT_RC);
	assert_int_equal(info->ai_port_space, RDMA_PS_TCP);
	rdma_freeaddrinfo(info);
}

static void getaddrinfo_unknown_service_returns_eai_service(void **state)
{
	struct rdma_addrinfo hints = {
		.ai_flags = RAI_NUMERICHOST,
		.ai_port_space = RDMA_PS_TCP,
		.ai_qp_type = IBV_QPT_RC,
	};
	struct rdma_addrinfo *info = NULL;

	assert_int_equal(
		rdma_getaddrinfo("127.0.0.2", "no service", &hints, &info),
		EAI_SERVICE);
	assert_null(info);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_id, teardown_id)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(resolve_addrinfo_of_name_has_event_and_result),
		TEST(resolve_addrinfo_without_query_is_freed_with_id),
		TEST(resolve_addrinfo_invalid_fails_without_event),
		TEST(resolve_addrinfo_by_subnet_administrator_fails),
		TEST(getaddrinfo_by_subnet_administrator_fails_with_enoent),
		TEST(getaddrinfo_without_names_returns_hints),
		TEST(getaddrinfo_active_returns_destination_and_source),
		TEST(getaddrinfo_without_node_returns_loopback),
		TEST(getaddrinfo_unknown_service_returns_eai_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
