/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Service id resolution: request and reply, losses, and several clients. */
#include "cm/cm_engine.h"
#include "librdmacm/cm/cm_net.h"
#include "librdmacm/cm/sample_mads.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SIDR_TIMEOUT_NS (4096 * CM_NET_MS)

static struct cm_net net;
static struct cm_net_host *const client = &net.hosts[CM_NET_CLIENT];
static struct cm_net_host *const server = &net.hosts[CM_NET_SERVER];

static int setup(void **state)
{
	cm_net_init(&net, 1);
	return 0;
}

static struct cm_sidr_param resolve_param(uint32_t request_id)
{
	struct cm_connect_param connect;
	struct cm_sidr_param param = {
		.timeout = 20,
		.max_retries = 15,
		.req = {
			.request_id = request_id,
			.pkey = CM_PKEY,
			.service_id = CM_NET_SIDR_ID,
			.private_data = { 1, 2, 3 },
		},
	};

	cm_net_connect_param(&connect, 0);
	param.path = connect.path;
	return param;
}

/* The client sends a SIDR_REQ. */
static struct cm_sidr *resolve(uint32_t request_id)
{
	const struct cm_sidr_param param = resolve_param(request_id);
	struct cm_sidr *sidr = &client->sidrs[client->nr_sidrs++];

	cm_sidr_init(sidr);
	assert_int_equal(cm_sidr_resolve(&client->cm, sidr, &param, net.now_ns,
					 &net.out),
			 0);
	cm_net_flush(&net, client);
	return sidr;
}

static void reply(struct cm_sidr *sidr, enum cm_sidr_status status)
{
	const struct cm_sidr_rep rep = {
		.status = (uint8_t)status,
		.qpn = 0x13,
		.qkey = 0x01234567,
		.private_data = { 4, 5 },
	};

	assert_int_equal(cm_sidr_reply(&server->cm, sidr, &rep, 0, &net.out),
			 0);
	cm_net_flush(&net, server);
}

static void sidr_with_listener_returns_qpn_and_qkey(void **state)
{
	struct cm_sidr *sidr = resolve(7);

	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(server->sidr_logs[0].nr[CM_EVENT_SIDR_REQUEST], 1);
	assert_int_equal(server->received.sidr_req.private_data[2], 3);
	assert_int_equal(server->sidr_listener.nr_pending, 1);
	reply(&server->sidrs[0], CM_SIDR_OK);
	assert_int_equal(server->sidr_listener.nr_pending, 0);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "C.SIDR_REQ S.SIDR_REP");
	assert_int_equal(client->sidr_logs[0].nr[CM_EVENT_SIDR_REPLY], 1);
	assert_int_equal(client->sidr_logs[0].status, CM_SIDR_OK);
	assert_int_equal(client->received.sidr_rep.qpn, 0x13);
	assert_int_equal(client->received.sidr_rep.qkey, 0x01234567);
	assert_int_equal(client->received.sidr_rep.service_id, CM_NET_SIDR_ID);
	assert_int_equal(client->received.sidr_rep.private_data[1], 5);
	assert_int_equal(sidr->state, CM_SIDR_IDLE);
}

static void sidr_without_listener_returns_status_1(void **state)
{
	cm_listener_remove(&server->cm, &server->sidr_listener);
	(void)resolve(7);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "C.SIDR_REQ S.SIDR_REP");
	assert_int_equal(client->sidr_logs[0].status, CM_SIDR_NO_SERVICE);
}

/* The replies of a captured server */
static void sidr_captured_request_gets_captured_reply(void **state)
{
	static struct list_node buckets[CM_NR_TABLES];
	const struct cm_config config = { .ca_guid = 1 };
	struct cm_listener listener = {
		.service_id = 0x1111b5c,
		.is_sidr = true,
		.backlog = 1,
	};
	const struct sample_mad *request =
		sample_mads_find("sidr_req_port_7004_180_bytes_of_0x5a");
	const struct sample_mad *success = sample_mads_find("sidr_rep_success");
	struct cm_path path = { .hop_limit = 64 };
	static struct cm_output out;
	struct cm_engine cm;
	struct cm_sidr sidr;
	struct cm_mad rep;

	cm_engine_init(&cm, &config, buckets, 1);
	assert_int_equal(cm_listener_add(&cm, &listener), 0);
	cm_sidr_init(&sidr);
	assert_int_equal(cm_engine_receive(&cm, &path, request->bytes,
					   CM_MAD_LEN, 0, NULL, &sidr, &out),
			 0);
	assert_int_equal(cm_mad_decode(success->bytes, CM_MAD_LEN, &rep), 0);
	rep.sidr_rep.request_id = 0;
	rep.sidr_rep.service_id = 0;
	assert_int_equal(cm_sidr_reply(&cm, &sidr, &rep.sidr_rep, 0, &out), 0);
	assert_memory_equal(out.sends[0].bytes, success->bytes, CM_MAD_LEN);
}

static void sidr_req_lost_is_retransmitted_after_timeout(void **state)
{
	net.drop_attr = CM_SIDR_REQ;
	net.nr_drops = 1;
	(void)resolve(7);
	assert_int_equal(cm_engine_deadline(&client->cm),
			 net.now_ns + SIDR_TIMEOUT_NS);
	cm_net_run(&net, SIDR_TIMEOUT_NS + 10 * CM_NET_MS);
	reply(&server->sidrs[0], CM_SIDR_OK);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "(C.SIDR_REQ) C.SIDR_REQ S.SIDR_REP");
	assert_int_equal(client->sidr_logs[0].nr[CM_EVENT_SIDR_REPLY], 1);
}

static void sidr_rep_lost_makes_request_appear_again(void **state)
{
	(void)resolve(7);
	net.drop_attr = CM_SIDR_REP;
	net.nr_drops = 1;
	cm_net_run(&net, 10 * CM_NET_MS);
	reply(&server->sidrs[0], CM_SIDR_OK);
	cm_net_run(&net, SIDR_TIMEOUT_NS);
	assert_int_equal(server->nr_sidrs, 2);
	reply(&server->sidrs[1], CM_SIDR_OK);
	cm_net_run_to_end(&net);
	assert_int_equal(client->sidr_logs[0].nr[CM_EVENT_SIDR_REPLY], 1);
}

static void sidr_never_replied_is_unreachable_after_16_times(void **state)
{
	struct cm_sidr *sidr = resolve(7);
	uint64_t start_ns = net.now_ns;

	cm_net_run_until(&net, start_ns + 16 * SIDR_TIMEOUT_NS);
	assert_int_equal(client->sidr_logs[0].nr[CM_EVENT_UNREACHABLE], 0);
	cm_net_run(&net, 1);
	assert_int_equal(client->sidr_logs[0].nr[CM_EVENT_UNREACHABLE], 1);
	assert_int_equal(client->sidr_logs[0].status, -ETIMEDOUT);
	assert_int_equal(sidr->state, CM_SIDR_IDLE);
	/* Of 16 requests, the owner has seen one. */
	assert_int_equal(server->nr_sidrs, 1);
}

static void sidr_same_id_of_two_hosts_is_kept_apart(void **state)
{
	struct cm_mad request = { .attr = CM_SIDR_REQ };
	struct cm_path path = { .sgid = { 9 } };
	uint8_t bytes[CM_MAD_LEN];

	(void)resolve(7);
	cm_net_run(&net, 10 * CM_NET_MS);
	request.sidr_req.request_id = 7;
	request.sidr_req.service_id = CM_NET_SIDR_ID;
	assert_int_equal(cm_mad_encode(&request, bytes), 0);
	cm_sidr_init(&server->sidrs[1]);
	assert_int_equal(cm_engine_receive(&server->cm, &path, bytes,
					   CM_MAD_LEN, net.now_ns, NULL,
					   &server->sidrs[1], &net.out),
			 0);
	assert_int_equal(net.out.event.type, CM_EVENT_SIDR_REQUEST);
	assert_int_equal(net.out.event.sidr->path.dgid[0], 9);
	assert_int_equal(server->sidr_listener.nr_pending, 2);
}

static void sidr_with_full_backlog_is_dropped(void **state)
{
	for (uint32_t i = 0; i < 9; i++)
		(void)resolve(i + 1);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(server->nr_sidrs, 8);
	for (int i = 0; i < 8; i++)
		reply(&server->sidrs[i], CM_SIDR_OK);
	cm_net_run(&net, SIDR_TIMEOUT_NS);
	assert_int_equal(server->nr_sidrs, 9);
}

static void sidr_removed_while_pending_is_rejected(void **state)
{
	struct cm_sidr *sidr = resolve(7);

	cm_net_run(&net, 10 * CM_NET_MS);
	cm_sidr_remove(&server->cm, &server->sidrs[0], &net.out);
	cm_net_flush(&net, server);
	cm_net_run_to_end(&net);
	assert_int_equal(client->sidr_logs[0].status, CM_SIDR_REJECTED);
	/* Removal of the active side sends nothing. */
	net.trace_len = 0;
	sidr = resolve(8);
	cm_sidr_remove(&client->cm, sidr, &net.out);
	assert_int_equal(net.out.nr_sends, 0);
	assert_true(cm_engine_deadline(&client->cm) == UINT64_MAX);
	cm_net_run(&net, 10 * CM_NET_MS);
	cm_listener_remove(&server->cm, &server->sidr_listener);
	assert_null(server->sidrs[1].listener);
	reply(&server->sidrs[1], CM_SIDR_OK);
	cm_net_run_to_end(&net);
	assert_string_equal(net.trace, "C.SIDR_REQ S.SIDR_REP");
}

static void sidr_calls_in_wrong_state_are_refused(void **state)
{
	struct cm_sidr_param param = resolve_param(7);
	const struct cm_sidr_rep rep = { .qpn = CM_QPN_MASK + 1 };
	struct cm_sidr *sidr = resolve(7);
	struct cm_sidr other;

	cm_sidr_init(&other);
	assert_int_equal(
		cm_sidr_resolve(&client->cm, sidr, &param, 0, &net.out),
		-EISCONN);
	assert_int_equal(
		cm_sidr_resolve(&client->cm, &other, &param, 0, &net.out),
		-EEXIST);
	assert_int_equal(cm_sidr_reply(&client->cm, sidr, &rep, 0, &net.out),
			 -EINVAL);
	cm_net_run(&net, 10 * CM_NET_MS);
	assert_int_equal(cm_sidr_reply(&server->cm, &server->sidrs[0], &rep, 0,
				       &net.out),
			 -ERANGE);
	assert_int_equal(server->sidrs[0].state, CM_SIDR_REQ_RCVD);
}

#define SIDR_TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIDR_TEST(sidr_with_listener_returns_qpn_and_qkey),
		SIDR_TEST(sidr_without_listener_returns_status_1),
		SIDR_TEST(sidr_captured_request_gets_captured_reply),
		SIDR_TEST(sidr_req_lost_is_retransmitted_after_timeout),
		SIDR_TEST(sidr_rep_lost_makes_request_appear_again),
		SIDR_TEST(sidr_never_replied_is_unreachable_after_16_times),
		SIDR_TEST(sidr_same_id_of_two_hosts_is_kept_apart),
		SIDR_TEST(sidr_with_full_backlog_is_dropped),
		SIDR_TEST(sidr_removed_while_pending_is_rejected),
		SIDR_TEST(sidr_calls_in_wrong_state_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
