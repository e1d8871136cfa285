/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors of calls in a state that does not allow them, and of arguments that
 * are invalid. The values are those of the kernel's connection manager.
 */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define NR_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

static struct rdma_event_channel *client_channel, *server_channel;

static int setup_net(void **state)
{
	(void)api_net_reset(state);
	client_channel = api_net_channel();
	server_channel = api_net_channel();
	return 0;
}

static int teardown_net(void **state)
{
	rdma_destroy_event_channel(client_channel);
	rdma_destroy_event_channel(server_channel);
	return 0;
}

/* -- states -- */

/* Ids that a test needs: the one of the call, and those of the peer */
struct state_ids {
	struct rdma_cm_id *id, *peer, *listener;
};

static struct rdma_cm_id *id_new(enum rdma_port_space ps)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(client_channel, &id, NULL, ps), 0);
	return id;
}

static void begin_idle(struct state_ids *ids)
{
	ids->id = id_new(RDMA_PS_TCP);
}

static void begin_bound(struct state_ids *ids)
{
	begin_idle(ids);
	assert_int_equal(rdma_bind_addr(ids->id, api_net_address(1, 0)), 0);
}

static void begin_listening(struct state_ids *ids)
{
	ids->id = api_net_listen(server_channel);
}

static void begin_addr_resolved(struct state_ids *ids)
{
	begin_idle(ids);
	assert_int_equal(rdma_resolve_addr(ids->id, NULL,
					   api_net_address(2, API_NET_PORT),
					   1000),
			 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
}

static void begin_route_resolved(struct state_ids *ids)
{
	ids->id = api_net_route(client_channel);
}

static void begin_connecting(struct state_ids *ids)
{
	ids->listener = api_net_listen(server_channel);
	begin_route_resolved(ids);
	assert_int_equal(rdma_connect(ids->id, NULL), 0);
}

/* The id of the call is that of the passive side. */
static void begin_requested(struct state_ids *ids)
{
	struct rdma_cm_event *event;

	begin_connecting(ids);
	api_net_deliver();
	event = api_net_fetch(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	ids->peer = ids->id;
	ids->id = event->id;
	assert_int_equal(rdma_ack_cm_event(event), 0);
	api_net_create_qp(ids->id);
}

static void begin_rejected(struct state_ids *ids)
{
	begin_requested(ids);
	assert_int_equal(rdma_reject(ids->id, NULL, 0), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_REJECTED, 28);
	api_net_destroy(ids->id);
	ids->id = ids->peer;
	ids->peer = NULL;
}

static void begin_established(struct state_ids *ids)
{
	api_net_connect(client_channel, server_channel, &ids->id, &ids->peer);
}

static void begin_accepted(struct state_ids *ids)
{
	api_net_connect(client_channel, server_channel, &ids->peer, &ids->id);
}

static void begin_disconnected(struct state_ids *ids)
{
	begin_established(ids);
	assert_int_equal(rdma_disconnect(ids->id), 0);
	api_net_deliver();
	api_net_expect(server_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	assert_int_equal(rdma_disconnect(ids->peer), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void end_ids(struct state_ids *ids)
{
	struct rdma_cm_id *const all[] = { ids->id, ids->peer, ids->listener };

	for (size_t i = 0; i < NR_ROWS(all); i++) {
		if (all[i])
			api_net_destroy(all[i]);
	}
	api_net_deliver();
}

enum {
	IDLE,
	BOUND,
	LISTENING,
	ADDR_RESOLVED,
	ROUTE_RESOLVED,
	CONNECTING,
	REQUESTED,
	REJECTED,
	ESTABLISHED,
	ACCEPTED,
	DISCONNECTED,
	NR_STATES
};

static const struct {
	const char *name;
	void (*begin)(struct state_ids *ids);
} id_states[NR_STATES] = {
	[IDLE] = { "idle", begin_idle },
	[BOUND] = { "bound", begin_bound },
	[LISTENING] = { "listening", begin_listening },
	[ADDR_RESOLVED] = { "address resolved", begin_addr_resolved },
	[ROUTE_RESOLVED] = { "route resolved", begin_route_resolved },
	[CONNECTING] = { "connecting", begin_connecting },
	[REQUESTED] = { "request", begin_requested },
	[REJECTED] = { "rejected", begin_rejected },
	[ESTABLISHED] = { "established", begin_established },
	[ACCEPTED] = { "established, passive side", begin_accepted },
	[DISCONNECTED] = { "disconnected", begin_disconnected },
};

/* -- calls -- */

static int call_bind_addr(struct rdma_cm_id *id)
{
	return rdma_bind_addr(id, api_net_address(1, 0));
}

static int call_listen(struct rdma_cm_id *id)
{
	return rdma_listen(id, 1);
}

static int call_resolve_addr(struct rdma_cm_id *id)
{
	return rdma_resolve_addr(id, NULL, api_net_address(2, API_NET_PORT),
				 1000);
}

static int call_resolve_route(struct rdma_cm_id *id)
{
	return rdma_resolve_route(id, 1000);
}

static int call_connect(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .qp_num = 7 };

	return rdma_connect(id, &param);
}

static int call_accept(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .qp_num = 7 };

	return rdma_accept(id, &param);
}

static int call_reject(struct rdma_cm_id *id)
{
	return rdma_reject(id, NULL, 0);
}

static int call_reject_ece(struct rdma_cm_id *id)
{
	return rdma_reject_ece(id, NULL, 0);
}

static int call_establish(struct rdma_cm_id *id)
{
	return rdma_establish(id);
}

/* EISCONN means that the connection needs no notification. */
static int call_notify(struct rdma_cm_id *id)
{
	int ret = rdma_notify(id, IBV_EVENT_COMM_EST);

	return ret == -1 && errno == EISCONN ? 0 : ret;
}

static int call_disconnect(struct rdma_cm_id *id)
{
	return rdma_disconnect(id);
}

static int get_attr(struct rdma_cm_id *id, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	return rdma_init_qp_attr(id, &attr, &mask);
}

static int call_attr_of_init(struct rdma_cm_id *id)
{
	return get_attr(id, IBV_QPS_INIT);
}

static int call_attr_of_rtr(struct rdma_cm_id *id)
{
	return get_attr(id, IBV_QPS_RTR);
}

static int call_attr_of_sqd(struct rdma_cm_id *id)
{
	return get_attr(id, IBV_QPS_SQD);
}

static int call_create_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
		.qp_type = IBV_QPT_RC,
	};

	return rdma_create_qp(id, NULL, &attr);
}

static int call_create_srq(struct rdma_cm_id *id)
{
	struct ibv_srq_init_attr attr = { .attr.max_wr = 1 };
	int ret = rdma_create_srq(id, NULL, &attr);

	if (!ret)
		rdma_destroy_srq(id);
	return ret;
}

static int call_join_multicast(struct rdma_cm_id *id)
{
	return rdma_join_multicast(id, api_net_address(2, 0), NULL);
}

static int call_set_ece(struct rdma_cm_id *id)
{
	struct ibv_ece ece = { .vendor_id = 1 };

	return rdma_set_local_ece(id, &ece);
}

static int call_get_ece(struct rdma_cm_id *id)
{
	struct ibv_ece ece;

	return rdma_get_remote_ece(id, &ece);
}

static int set_boolean(struct rdma_cm_id *id, int name, int value)
{
	return rdma_set_option(id, RDMA_OPTION_ID, name, &value, sizeof(value));
}

static int call_clear_reuse(struct rdma_cm_id *id)
{
	return set_boolean(id, RDMA_OPTION_ID_REUSEADDR, 0);
}

static int call_set_reuse(struct rdma_cm_id *id)
{
	return set_boolean(id, RDMA_OPTION_ID_REUSEADDR, 1);
}

static int call_set_family_only(struct rdma_cm_id *id)
{
	return set_boolean(id, RDMA_OPTION_ID_AFONLY, 1);
}

static int call_set_tos(struct rdma_cm_id *id)
{
	uint8_t tos = 8;

	return rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 1);
}

static int call_get_request(struct rdma_cm_id *id)
{
	struct rdma_cm_id *request;

	return rdma_get_request(id, &request);
}

static int call_query_addrinfo(struct rdma_cm_id *id)
{
	struct rdma_addrinfo *info;

	return rdma_query_addrinfo(id, &info);
}

#define IN(state) (1U << (state))
#define IN_ALL	  (IN(NR_STATES) - 1)
#define IN_DEVICE (IN_ALL & ~IN(IDLE))
#define IN_PAIR	  (IN(ESTABLISHED) | IN(ACCEPTED))
#define IN_ENDED  (IN(REJECTED) | IN(DISCONNECTED))
#define IN_OPEN	  (IN(CONNECTING) | IN(REQUESTED) | IN_PAIR)
#define IN_QP	  (IN(ROUTE_RESOLVED) | IN_OPEN | IN_ENDED)

static const struct {
	const char *name;
	int (*call)(struct rdma_cm_id *id);
	unsigned int works;   /* in these states */
	unsigned int unknown; /* in these, no result of the kernel is known */
	int error;	      /* in all others */
} id_calls[] = {
	{ "bind_addr", call_bind_addr, IN(IDLE), 0, EINVAL },
	{ "listen", call_listen, IN(IDLE) | IN(BOUND), 0, EINVAL },
	{ "resolve_addr", call_resolve_addr, IN(IDLE) | IN(BOUND), 0, EINVAL },
	{ "resolve_route", call_resolve_route, IN(ADDR_RESOLVED), 0, EINVAL },
	{ "connect", call_connect, IN(ROUTE_RESOLVED), 0, EINVAL },
	{ "accept", call_accept, IN(REQUESTED), 0, EINVAL },
	{ "reject", call_reject, IN(REQUESTED), IN(CONNECTING), EINVAL },
	{ "reject_ece", call_reject_ece, IN(REQUESTED), IN(CONNECTING),
	  EINVAL },
	{ "establish", call_establish, 0, 0, EINVAL },
	{ "notify", call_notify, IN_PAIR, 0, EINVAL },
	{ "disconnect", call_disconnect, IN_OPEN | IN_ENDED, IN(LISTENING),
	  EINVAL },
	{ "init_qp_attr, INIT", call_attr_of_init, IN_DEVICE, IN_ENDED,
	  EINVAL },
	{ "init_qp_attr, RTR", call_attr_of_rtr, IN_DEVICE & ~IN(CONNECTING),
	  IN_ENDED, EINVAL },
	{ "init_qp_attr, SQD", call_attr_of_sqd, IN_DEVICE & ~IN_OPEN, IN_ENDED,
	  EINVAL },
	{ "create_qp", call_create_qp, IN_DEVICE & ~IN_QP, 0, EINVAL },
	{ "create_srq", call_create_srq, IN_DEVICE, 0, EINVAL },
	{ "join_multicast", call_join_multicast, 0, 0, EINVAL },
	{ "set_local_ece", call_set_ece, IN_ALL & ~IN_QP, 0, EINVAL },
	{ "get_remote_ece", call_get_ece, IN_ALL & ~IN_QP, 0, EINVAL },
	{ "set_option, no REUSEADDR", call_clear_reuse, IN(IDLE), 0, EINVAL },
	{ "set_option, REUSEADDR", call_set_reuse, IN_ALL & ~IN(LISTENING), 0,
	  EINVAL },
	{ "set_option, AFONLY", call_set_family_only, IN(IDLE) | IN(BOUND), 0,
	  EINVAL },
	{ "set_option, TOS", call_set_tos, IN_ALL, 0, 0 },
	{ "get_request", call_get_request, 0, 0, EINVAL },
	{ "query_addrinfo", call_query_addrinfo, 0, 0, ENOENT },
};

static int id_call_error(size_t call, size_t id_state)
{
	return id_calls[call].works & IN(id_state) ? 0 : id_calls[call].error;
}

static void call_in_each_state_has_error_of_kernel(void **state)
{
	unsigned int nr_failed = 0;

	for (size_t i = 0; i < NR_ROWS(id_calls) * NR_STATES; i++) {
		const size_t call = i / NR_STATES, id_state = i % NR_STATES;
		const int expected = id_call_error(call, id_state);
		struct state_ids ids = { 0 };
		int ret, error;

		if (id_calls[call].unknown & IN(id_state))
			continue;
		id_states[id_state].begin(&ids);
		errno = 0;
		ret = id_calls[call].call(ids.id);
		error = ret ? errno : 0;
		if (error != expected || (ret && ret != -1)) {
			nr_failed++;
			print_error("%s, %s: %d, errno %d instead of %d\n",
				    id_calls[call].name,
				    id_states[id_state].name, ret, error,
				    expected);
		}
		end_ids(&ids);
		(void)teardown_net(state);
		(void)setup_net(state);
	}
	assert_int_equal(nr_failed, 0);
}

/* -- arguments -- */

static struct sockaddr_storage address_of_family(sa_family_t family)
{
	return (struct sockaddr_storage){ .ss_family = family };
}

static void resolve_addr_invalid_address_fails_with_einval(void **state)
{
	struct sockaddr_storage unknown = address_of_family(AF_UNIX);
	struct sockaddr_storage ipv6 = address_of_family(AF_INET6);
	struct sockaddr *const bad = (struct sockaddr *)&unknown;
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);

	api_net_expect_errno(rdma_resolve_addr(id, NULL, NULL, 1), EINVAL);
	api_net_expect_errno(rdma_resolve_addr(id, NULL, bad, 1), EINVAL);
	api_net_expect_errno(
		rdma_resolve_addr(id, bad, api_net_address(2, 1), 1), EINVAL);
	api_net_expect_errno(rdma_resolve_addr(id, (struct sockaddr *)&ipv6,
					       api_net_address(2, 1), 1),
			     EINVAL);
	/* The id can still be used. */
	assert_int_equal(rdma_resolve_addr(id, api_net_address(1, 0),
					   api_net_address(2, 1), 1),
			 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	api_net_destroy(id);
}

static void resolve_addr_bound_id_ignores_source(void **state)
{
	struct sockaddr_storage ipv6 = address_of_family(AF_INET6);
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);

	assert_int_equal(rdma_bind_addr(id, api_net_address(2, 0)), 0);
	assert_int_equal(rdma_resolve_addr(id, (struct sockaddr *)&ipv6,
					   api_net_address(1, 1), 1),
			 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(id->route.addr.addr.ibaddr.sgid.raw[15], 2);
	api_net_destroy(id);
}

/* The kernel copies the value before it looks at the option. */
static void set_option_value_is_checked_as_by_kernel(void **state)
{
	static const struct {
		int level, name;
		size_t len;
		bool has_value;
		int error;
	} rows[] = {
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 0, true, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 0, false, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 2, true, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 1, false, EFAULT },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, 1, true, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, 8, true, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, 4, false, EFAULT },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, 1, true, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, 4, false, EFAULT },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, 4, true, EINVAL },
		{ RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, 1, false,
		  EFAULT },
		{ RDMA_OPTION_ID, 4, 4, true, ENOSYS },
		{ RDMA_OPTION_ID, 4, 4, false, EFAULT },
		{ RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, 1, true, EINVAL },
		{ RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, 0, false, EINVAL },
		{ RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, 72, false, EFAULT },
		{ RDMA_OPTION_IB, 2, 4, true, ENOSYS },
		{ 2, 1, 4, true, ENOSYS },
		{ 2, 1, 4, false, EFAULT },
	};
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);
	uint8_t value[8] = { 1 };

	for (size_t i = 0; i < NR_ROWS(rows); i++)
		api_net_expect_errno(
			rdma_set_option(id, rows[i].level, rows[i].name,
					rows[i].has_value ? value : NULL,
					rows[i].len),
			rows[i].error);
	api_net_destroy(id);
}

static void set_option_ack_timeout_of_datagram_id_fails(void **state)
{
	struct rdma_cm_id *id = id_new(RDMA_PS_UDP);
	uint8_t timeout = 14;

	api_net_expect_errno(rdma_set_option(id, RDMA_OPTION_ID,
					     RDMA_OPTION_ID_ACK_TIMEOUT,
					     &timeout, sizeof(timeout)),
			     EINVAL);
	api_net_destroy(id);
}

static void create_qp_with_foreign_cq_fails_with_einval(void **state)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);
	struct ibv_cq foreign = { 0 };
	struct ibv_cq own = { 0 };

	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	id->send_cq = &own;
	attr.send_cq = &foreign;
	api_net_expect_errno(rdma_create_qp(id, NULL, &attr), EINVAL);
	id->send_cq = NULL;
	id->recv_cq = &own;
	attr.recv_cq = &foreign;
	api_net_expect_errno(rdma_create_qp(id, NULL, &attr), EINVAL);
	id->recv_cq = NULL;
	assert_null(id->qp);
	api_net_destroy(id);
}

static void create_qp_refused_by_verbs_keeps_cqs_of_id(void **state)
{
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);
	struct ibv_cq own = { 0 };

	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	api_net.create_ret = ENOSPC;
	api_net_expect_errno(call_create_qp(id), ENOSPC);
	assert_null(id->recv_cq);
	id->recv_cq = &own;
	api_net_expect_errno(call_create_qp(id), ENOSPC);
	assert_ptr_equal(id->recv_cq, &own);
	assert_null(id->send_cq);
	assert_int_equal(api_net.nr_cqs, 0);
	assert_int_equal(api_net.nr_comp_channels, 0);
	id->recv_cq = NULL;
	api_net_destroy(id);
}

static void create_qp_that_cannot_move_has_error_of_verbs(void **state)
{
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);

	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	api_net.modify_ret = ENOMEM;
	api_net_expect_errno(call_create_qp(id), ENOMEM);
	assert_null(id->qp);
	assert_null(id->send_cq);
	assert_int_equal(api_net.nr_qps, 0);
	assert_int_equal(api_net.nr_cqs, 0);
	assert_int_equal(api_net.nr_comp_channels, 0);
	api_net.modify_ret = 0;
	assert_int_equal(call_create_qp(id), 0);
	api_net_destroy(id);
}

static void init_qp_attr_before_connect_has_mask_of_init(void **state)
{
	struct rdma_cm_id *id = id_new(RDMA_PS_TCP);
	struct ibv_qp_attr attr;
	int mask;

	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	for (int qp_state = IBV_QPS_RESET; qp_state <= IBV_QPS_ERR;
	     qp_state++) {
		attr.qp_state = (enum ibv_qp_state)qp_state;
		assert_int_equal(rdma_init_qp_attr(id, &attr, &mask), 0);
		assert_int_equal(mask, 0x39);
		assert_int_equal(attr.port_num, 1);
		assert_int_equal(attr.qp_access_flags, 0);
	}
	attr.qp_state = IBV_QPS_UNKNOWN;
	api_net_expect_errno(rdma_init_qp_attr(id, &attr, &mask), EINVAL);
	api_net_destroy(id);
}

static void connect_without_qp_needs_parameters(void **state)
{
	struct rdma_cm_id *id = api_net_route(client_channel);

	rdma_destroy_qp(id);
	api_net_expect_errno(rdma_connect(id, NULL), EINVAL);
	assert_int_equal(call_connect(id), 0);
	api_net_destroy(id);
	api_net_deliver();
}

static void accept_without_qp_needs_parameters(void **state)
{
	struct state_ids ids = { 0 };

	begin_requested(&ids);
	rdma_destroy_qp(ids.id);
	api_net_expect_errno(rdma_accept(ids.id, NULL), EINVAL);
	assert_int_equal(call_accept(ids.id), 0);
	end_ids(&ids);
}

static void bind_addr_different_families_share_port(void **state)
{
	struct sockaddr_in6 ipv6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(API_NET_PORT),
	};
	struct rdma_cm_id *left = id_new(RDMA_PS_TCP);
	struct rdma_cm_id *right = id_new(RDMA_PS_TCP);

	assert_int_equal(rdma_bind_addr(left, api_net_address(0, API_NET_PORT)),
			 0);
	api_net_expect_errno(rdma_bind_addr(right, (struct sockaddr *)&ipv6),
			     EADDRNOTAVAIL);
	assert_int_equal(call_set_family_only(right), 0);
	assert_int_equal(rdma_bind_addr(right, (struct sockaddr *)&ipv6), 0);
	api_net_destroy(left);
	api_net_destroy(right);
}

static void bind_addr_port_spaces_have_own_ports(void **state)
{
	static const enum rdma_port_space spaces[] = { RDMA_PS_TCP, RDMA_PS_UDP,
						       RDMA_PS_IB };
	struct rdma_cm_id *ids[NR_ROWS(spaces)];

	for (size_t i = 0; i < NR_ROWS(spaces); i++) {
		ids[i] = id_new(spaces[i]);
		assert_int_equal(
			rdma_bind_addr(ids[i],
				       api_net_address(2, API_NET_PORT)),
			0);
	}
	for (size_t i = 0; i < NR_ROWS(spaces); i++)
		api_net_destroy(ids[i]);
}

static void create_ep_port_in_use_fails_and_leaves_nothing(void **state)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);
	struct sockaddr *address = api_net_address(2, API_NET_PORT);
	struct rdma_addrinfo res = {
		.ai_flags = RAI_PASSIVE,
		.ai_family = AF_INET,
		.ai_qp_type = IBV_QPT_RC,
		.ai_port_space = RDMA_PS_TCP,
		.ai_src_addr = address,
		.ai_src_len = sizeof(struct sockaddr_in),
	};
	const unsigned int nr_pds = api_net.nr_pds;
	struct rdma_cm_id *id = NULL;

	api_net_expect_errno(rdma_create_ep(&id, &res, NULL, NULL), EADDRINUSE);
	assert_null(id);
	assert_int_equal(api_net.nr_pds, nr_pds);
	res.ai_src_addr = NULL;
	api_net_expect_errno(rdma_create_ep(&id, &res, NULL, NULL), EINVAL);
	res.ai_port_space = 0;
	api_net_expect_errno(rdma_create_ep(&id, &res, NULL, NULL), EINVAL);
	api_net_destroy(listener);
}

/* -- nothing to work with -- */

/* The first test: the library never closes a device. */
static void functions_without_device_fail_only_if_device_is_needed(void **state)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_NUMERICHOST };
	struct rdma_addrinfo *res = NULL;
	struct rdma_cm_id *id;
	int nr = 1;

	api_net.nr_devices = 0;
	errno = 0;
	assert_null(rdma_get_devices(&nr));
	assert_int_equal(errno, ENODEV);
	assert_int_equal(nr, 0);
	assert_int_equal(rdma_getaddrinfo("127.0.0.2", NULL, &hints, &res), 0);
	rdma_freeaddrinfo(res);
	id = id_new(RDMA_PS_TCP);
	assert_int_equal(call_resolve_addr(id), 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	/* The failure is not stored. */
	api_net.nr_devices = 2;
	assert_int_equal(call_resolve_addr(id), 0);
	api_net_expect(client_channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	api_net_destroy(id);
}

static void null_pointers_fail_with_einval_or_do_nothing(void **state)
{
	struct rdma_cm_id *id = id_new(RDMA_PS_UDP);
	struct rdma_cm_event *event;

	api_net_expect_errno(rdma_get_cm_event(NULL, &event), EINVAL);
	api_net_expect_errno(rdma_bind_addr(id, NULL), EINVAL);
	assert_int_equal(rdma_bind_addr(id, api_net_address(1, 0)), 0);
	api_net_expect_errno(rdma_join_multicast(id, NULL, NULL), EINVAL);
	api_net_expect_errno(rdma_join_multicast_ex(id, NULL, NULL), EINVAL);
	api_net_expect_errno(rdma_leave_multicast(id, NULL), EINVAL);
	api_net_expect_errno(rdma_connect(id, NULL), EINVAL);
	rdma_destroy_qp(id);
	rdma_destroy_srq(id);
	rdma_destroy_event_channel(NULL);
	rdma_free_devices(NULL);
	api_net_destroy(id);
}

/* Other releases, too, report the missing descriptor of a synchronous id as
 * missing memory. */
static void create_without_descriptors_fails(void **state)
{
	struct rlimit before, none;
	struct rdma_cm_id *id = NULL;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 0;
	assert_null(rdma_create_event_channel());
	assert_int_equal(errno, EMFILE);
	api_net_expect_errno(rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP),
			     ENOMEM);
	assert_null(id);
	id = id_new(RDMA_PS_TCP);
	api_net_expect_errno(rdma_migrate_id(id, NULL), EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_ptr_equal(id->channel, client_channel);
	api_net_destroy(id);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_net, teardown_net)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_without_device_fail_only_if_device_is_needed),
		TEST(null_pointers_fail_with_einval_or_do_nothing),
		TEST(call_in_each_state_has_error_of_kernel),
		TEST(resolve_addr_invalid_address_fails_with_einval),
		TEST(resolve_addr_bound_id_ignores_source),
		TEST(set_option_value_is_checked_as_by_kernel),
		TEST(set_option_ack_timeout_of_datagram_id_fails),
		TEST(create_qp_with_foreign_cq_fails_with_einval),
		TEST(create_qp_refused_by_verbs_keeps_cqs_of_id),
		TEST(create_qp_that_cannot_move_has_error_of_verbs),
		TEST(init_qp_attr_before_connect_has_mask_of_init),
		TEST(connect_without_qp_needs_parameters),
		TEST(accept_without_qp_needs_parameters),
		TEST(bind_addr_different_families_share_port),
		TEST(bind_addr_port_spaces_have_own_ports),
		TEST(create_ep_port_in_use_fails_and_leaves_nothing),
		TEST(create_without_descriptors_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
