/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interop_cm OWN_ADDRESS PORT [ADDRESS] - checks of connection management
 * between two processes, which print one line for each: "ok NAME" or "FAIL
 * NAME: WHY". PORT and ADDRESS are of the TCP connection between them. Each
 * check runs twice, with either process as the active end. The ids have no
 * queue pairs, so the program itself confirms replies.
 *
 * With INTEROP_FAULTS the network loses or duplicates messages, so only some of
 * the checks run.
 */
#include "interop_cm_end.h"

/* Private data of an application, at most (IBTA 12.6; 36 bytes are the header
 * of IP addresses) */
#define REQ_DATA      56
#define REP_DATA      196
#define REJ_DATA      148
#define SIDR_REQ_DATA 180
#define SIDR_REP_DATA 136

#define QKEY	  0x01234567
#define FIRST_QPN 0x400000
#define UD_QPN	  0x300000

/* Reasons of a REJ (IBTA 12.6.7.2), and status of a SIDR_REP (12.11.2.2) */
enum {
	REJ_INVALID_SERVICE_ID = 8,
	REJ_STALE_CONNECTION = 10,
	REJ_CONSUMER = 28,
	SIDR_NO_SERVICE = 1,
	SIDR_REJECTED = 2,
};

struct check {
	const char *name;
	bool (*run)(struct end *end);
};

static uint8_t bytes[256];

static const uint8_t *pattern_bytes(uint32_t seed)
{
	for (uint32_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = pattern(seed, i);
	return bytes;
}

static bool end_has_data(const struct end *end, uint32_t seed, uint8_t len)
{
	if (end->data_len != len)
		FAIL("%u bytes of private data", end->data_len);
	if (memcmp(end->data, pattern_bytes(seed), len) != 0)
		FAIL("wrong private data");
	return true;
}

static bool end_has_no_data(const struct end *end)
{
	static const uint8_t zeros[sizeof(end->data)];

	NEED(memcmp(end->data, zeros, end->data_len) == 0);
	return true;
}

/* -- steps -- */

/* A number that no other connection of the device has. */
static uint32_t next_qpn(void)
{
	static uint32_t nr;

	return FIRST_QPN | (uint32_t)(getpid() & 0xfff) << 8 | nr++;
}

static bool end_connect(struct end *end, uint32_t qpn)
{
	struct rdma_conn_param param = {
		.private_data = pattern_bytes(1),
		.private_data_len = REQ_DATA,
		.responder_resources = 3,
		.initiator_depth = 2,
		.flow_control = 1,
		.retry_count = 5,
		.rnr_retry_count = 6,
		.srq = 1,
		.qp_num = qpn,
	};

	NEED(rdma_connect(end->id, &param) == 0);
	return true;
}

static bool end_has_request(const struct end *end)
{
	const struct rdma_conn_param *param = &end->event.param.conn;
	struct ibv_ece ece = { .vendor_id = 1 };

	NEED(param->responder_resources == 2);
	NEED(param->initiator_depth == 3);
	NEED(param->flow_control == 1);
	NEED(param->retry_count == 5);
	NEED(param->rnr_retry_count == 6);
	NEED(param->srq == 1);
	NEED(param->qp_num >= FIRST_QPN);
	NEED(rdma_get_remote_ece(end->id, &ece) == 0);
	NEED(!ece.vendor_id && !ece.options);
	return end_has_data(end, 1, REQ_DATA);
}

static bool end_accept(struct end *end)
{
	struct rdma_conn_param param = {
		.private_data = pattern_bytes(2),
		.private_data_len = REP_DATA,
		.responder_resources = 2,
		.initiator_depth = 1,
		.flow_control = 1,
		.rnr_retry_count = 4,
		.srq = 1,
		.qp_num = next_qpn(),
	};

	NEED(rdma_accept(end->id, &param) == 0);
	return true;
}

static bool end_has_reply(const struct end *end)
{
	const struct rdma_conn_param *param = &end->event.param.conn;
	struct ibv_ece ece = { .vendor_id = 1 };

	NEED(param->responder_resources == 1);
	NEED(param->initiator_depth == 2);
	NEED(param->flow_control == 1);
	NEED(param->rnr_retry_count == 4);
	NEED(param->srq == 1);
	NEED(param->qp_num >= FIRST_QPN);
	NEED(rdma_get_remote_ece(end->id, &ece) == 0);
	NEED(!ece.vendor_id && !ece.options);
	return end_has_data(end, 2, REP_DATA);
}

/* From the route to the reply: the active end confirms, rejects or gives up. */
static bool exchange_reply(struct end *end)
{
	if (!end_begin(end, RDMA_PS_TCP))
		return false;
	if (end->is_active)
		return end_connect(end, next_qpn()) &&
		       end_expect(end, RDMA_CM_EVENT_CONNECT_RESPONSE, 0) &&
		       end_has_reply(end);
	return end_expect_request(end) && end_has_request(end) &&
	       end_accept(end);
}

static bool confirm_reply(struct end *end)
{
	if (!end->is_active)
		return end_expect(end, RDMA_CM_EVENT_ESTABLISHED, 0);
	NEED(rdma_establish(end->id) == 0);
	return true;
}

static bool establish(struct end *end)
{
	return exchange_reply(end) && confirm_reply(end) && wait_for_other();
}

static bool end_disconnect(struct end *end)
{
	NEED(rdma_disconnect(end->id) == 0);
	return true;
}

/* Afterwards the kernel responds to a retransmitted DREQ only without an id. */
static bool end_leave_timewait(struct end *end)
{
	return end_expect(end, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0) &&
	       end_destroy_id(&end->id);
}

static bool disconnect(struct end *end, bool is_first)
{
	return (!is_first || end_disconnect(end)) &&
	       end_expect(end, RDMA_CM_EVENT_DISCONNECTED, 0) &&
	       (is_first || end_disconnect(end)) && end_leave_timewait(end);
}

/* Gives each request the same response, until the other end has finished its
 * part of the check: if a response is lost, the next request is a new one. */
static bool respond(struct end *end, bool (*to_request)(struct end *end))
{
	struct pollfd fds[] = {
		{ .fd = end->channel->fd, .events = POLLIN },
		{ .fd = control, .events = POLLIN },
	};

	for (;;) {
		NEED(poll(fds, 2, WAIT_MS) > 0);
		if (!fds[0].revents)
			return true;
		if (!end_expect_request(end) || !to_request(end) ||
		    (end->id && !end_destroy_id(&end->id)))
			return false;
	}
}

/* -- the checks -- */

static bool active_disconnects(struct end *end)
{
	return establish(end) && disconnect(end, end->is_active);
}

static bool passive_disconnects(struct end *end)
{
	return establish(end) && disconnect(end, !end->is_active);
}

/* The request of the other end is taken for a response. The second call
 * responds to it, for which that end waits if the first message of this one was
 * lost. */
static bool both_disconnect(struct end *end)
{
	return establish(end) && end_disconnect(end) &&
	       end_expect(end, RDMA_CM_EVENT_DISCONNECTED, 0) &&
	       end_disconnect(end) && end_leave_timewait(end);
}

static bool one_destroys(struct end *end, bool is_destroyer)
{
	if (!establish(end))
		return false;
	return is_destroyer ? end_destroy_id(&end->id)
			    : end_expect(end, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static bool active_destroys(struct end *end)
{
	return one_destroys(end, end->is_active);
}

static bool passive_destroys(struct end *end)
{
	return one_destroys(end, !end->is_active);
}

/* The active end has retransmitted its request, so it has an MRA. */
static bool late_reply(struct end *end)
{
	if (!end_begin(end, RDMA_PS_TCP))
		return false;
	if (end->is_active)
		return end_connect(end, next_qpn()) &&
		       end_expect(end, RDMA_CM_EVENT_CONNECT_RESPONSE, 0) &&
		       confirm_reply(end);
	if (!end_expect_request(end))
		return false;
	sleep(8); /* first retransmission of 6.1: 6.1 s */
	return end_accept(end) && confirm_reply(end);
}

static bool reject(struct end *end)
{
	NEED(rdma_reject(end->id, pattern_bytes(3),
			 end->id->ps == RDMA_PS_UDP ? SIDR_REP_DATA
						    : REJ_DATA) == 0);
	return true;
}

static bool request_rejected(struct end *end)
{
	if (!end_begin(end, RDMA_PS_TCP))
		return false;
	if (!end->is_active)
		return respond(end, reject);
	return end_connect(end, next_qpn()) &&
	       end_expect(end, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER) &&
	       end_has_data(end, 3, REJ_DATA);
}

static bool destroy_request(struct end *end)
{
	return end_destroy_id(&end->id);
}

static bool request_destroyed(struct end *end)
{
	if (!end_begin(end, RDMA_PS_TCP))
		return false;
	if (!end->is_active)
		return respond(end, destroy_request);
	return end_connect(end, next_qpn()) &&
	       end_expect(end, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER) &&
	       end_has_no_data(end);
}

static bool listener_destroyed(struct end *end)
{
	struct pollfd fd;

	if (!end_begin(end, RDMA_PS_TCP))
		return false;
	if (end->is_active)
		return end_connect(end, next_qpn()) &&
		       end_expect(end, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER);
	fd = (struct pollfd){ .fd = end->channel->fd, .events = POLLIN };
	NEED(poll(&fd, 1, WAIT_MS) == 1);
	return end_destroy_id(&end->listener);
}

static bool no_listener(struct end *end)
{
	struct sockaddr_storage to;

	if (!end->is_active)
		return end_bind(end, RDMA_PS_TCP) && end_send_address(end);
	return receive_from_other(&to, sizeof(to)) &&
	       end_resolve(end, RDMA_PS_TCP, &to) &&
	       end_connect(end, next_qpn()) &&
	       end_expect(end, RDMA_CM_EVENT_REJECTED, REJ_INVALID_SERVICE_ID);
}

static bool reply_rejected(struct end *end)
{
	if (!exchange_reply(end))
		return false;
	if (end->is_active)
		return reject(end);
	return end_expect(end, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER) &&
	       end_has_data(end, 3, REJ_DATA);
}

static bool destroyed_after_reply(struct end *end, bool is_destroyer)
{
	if (!exchange_reply(end) || !wait_for_other())
		return false;
	return is_destroyer
		       ? end_destroy_id(&end->id)
		       : end_expect(end, RDMA_CM_EVENT_REJECTED, REJ_CONSUMER);
}

static bool active_destroyed_after_reply(struct end *end)
{
	return destroyed_after_reply(end, end->is_active);
}

static bool passive_destroyed_after_reply(struct end *end)
{
	return destroyed_after_reply(end, !end->is_active);
}

/* A second connection of the same QP: the passive end rejects it and ends the
 * first one, of which the active end seems to have no knowledge. */
static bool stale_connection(struct end *end)
{
	struct rdma_cm_id *first = NULL;
	struct sockaddr_storage to;
	uint32_t qpn = next_qpn();

	if (!end->is_active)
		return end_listen(end, RDMA_PS_TCP) &&
		       end_expect_request(end) && end_accept(end) &&
		       confirm_reply(end) && wait_for_other() &&
		       end_expect(end, RDMA_CM_EVENT_DISCONNECTED, 0);
	if (!receive_from_other(&to, sizeof(to)) ||
	    !end_resolve(end, RDMA_PS_TCP, &to) || !end_connect(end, qpn) ||
	    !end_expect(end, RDMA_CM_EVENT_CONNECT_RESPONSE, 0) ||
	    !confirm_reply(end) || !wait_for_other())
		return false;
	first = end->id;
	NEED(end_resolve(end, RDMA_PS_TCP, &to));
	NEED(end_connect(end, qpn));
	for (int i = 0; i < 2; i++) {
		NEED(end_fetch_event(end));
		if (end->event.id == first) {
			NEED(end->event.event == RDMA_CM_EVENT_DISCONNECTED);
			NEED(rdma_disconnect(first) == 0);
		} else {
			NEED(end->event.event == RDMA_CM_EVENT_REJECTED);
			NEED(end->event.status == REJ_STALE_CONNECTION);
		}
	}
	return end_destroy_id(&first);
}

static bool datagram_connect(struct end *end)
{
	struct rdma_conn_param param = {
		.private_data = pattern_bytes(4),
		.private_data_len = SIDR_REQ_DATA,
	};

	NEED(rdma_connect(end->id, &param) == 0);
	return true;
}

static bool datagram_accept(struct end *end)
{
	struct rdma_conn_param param = {
		.private_data_len = SIDR_REP_DATA,
		.qp_num = UD_QPN,
	};

	if (!end_has_data(end, 4, SIDR_REQ_DATA))
		return false;
	param.private_data = pattern_bytes(5);
	NEED(rdma_accept(end->id, &param) == 0);
	return true;
}

static bool datagram_accepted(struct end *end)
{
	if (!end_begin(end, RDMA_PS_UDP))
		return false;
	if (!end->is_active)
		return respond(end, datagram_accept);
	if (!datagram_connect(end) ||
	    !end_expect(end, RDMA_CM_EVENT_ESTABLISHED, 0))
		return false;
	NEED(end->event.param.ud.qp_num == UD_QPN);
	NEED(end->event.param.ud.qkey == QKEY);
	NEED(end->event.param.ud.ah_attr.is_global);
	return end_has_data(end, 5, SIDR_REP_DATA);
}

static bool datagram_rejected(struct end *end)
{
	if (!end_begin(end, RDMA_PS_UDP))
		return false;
	if (!end->is_active)
		return respond(end, reject);
	return datagram_connect(end) &&
	       end_expect(end, RDMA_CM_EVENT_UNREACHABLE, SIDR_REJECTED) &&
	       end_has_data(end, 3, SIDR_REP_DATA);
}

static bool datagram_without_listener(struct end *end)
{
	struct sockaddr_storage to;

	if (!end->is_active)
		return end_bind(end, RDMA_PS_UDP) && end_send_address(end);
	return receive_from_other(&to, sizeof(to)) &&
	       end_resolve(end, RDMA_PS_UDP, &to) && datagram_connect(end) &&
	       end_expect(end, RDMA_CM_EVENT_UNREACHABLE, SIDR_NO_SERVICE);
}

static const struct check checks[] = {
	{ "active end disconnects", active_disconnects },
	{ "passive end disconnects", passive_disconnects },
	{ "both ends disconnect", both_disconnect },
	{ "request rejected", request_rejected },
	{ "request destroyed", request_destroyed },
	{ "no listener", no_listener },
	{ "datagrams accepted", datagram_accepted },
	{ "datagrams rejected", datagram_rejected },
	{ "datagrams without listener", datagram_without_listener },
	{ NULL, NULL },
};

/* With a message that is sent just once, without a response */
static const struct check exact_checks[] = {
	{ "active end destroys its id", active_destroys },
	{ "passive end destroys its id", passive_destroys },
	{ "late reply", late_reply },
	{ "listener destroyed", listener_destroyed },
	{ "reply rejected", reply_rejected },
	{ "active id destroyed after the reply", active_destroyed_after_reply },
	{ "passive id destroyed after the reply",
	  passive_destroyed_after_reply },
	{ "stale connection", stale_connection },
	{ NULL, NULL },
};

static bool run_check(const struct check *check, bool is_active)
{
	struct end end = { .is_active = is_active };
	bool ok;

	why[0] = 0;
	other_has_ended = false;
	ok = both_passed(check->run(&end)) && end_finish(&end);
	if (ok)
		printf("ok %s: %s\n", is_active ? "active" : "passive",
		       check->name);
	else
		printf("FAIL %s: %s: %s\n", is_active ? "active" : "passive",
		       check->name, why);
	return ok;
}

static int run_checks(const struct check *list, bool is_client)
{
	int failed = 0;

	for (; list->name; list++) {
		failed += !run_check(list, is_client);
		failed += !run_check(list, !is_client);
	}
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!set_own_address(argv[1]) ||
	    !find_other_end(atoi(argv[2]), argc > 3 ? argv[3] : NULL)) {
		printf("FAIL open: %s\n", why);
		return 1;
	}
	failed += run_checks(checks, argc > 3);
	if (!getenv("INTEROP_FAULTS"))
		failed += run_checks(exact_checks, argc > 3);
	close(control);
	return failed > 0;
}
