/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The simulated link between two communication managers. */
#include "librdmacm/cm/cm_net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DAY_NS (86400ULL * 1000 * CM_NET_MS)

static const uint8_t gids[2][CM_GID_LEN] = {
	{ [10] = 0xff, 0xff, 10, 8, 0, 1 },
	{ [10] = 0xff, 0xff, 10, 8, 0, 2 },
};

uint64_t cm_net_random(struct cm_net *net, uint64_t below)
{
	uint64_t value;

	net->random += 0x9e3779b97f4a7c15ULL;
	value = net->random;
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
	return (value ^ value >> 31) % below;
}

/* Makes the connection behind those in use the spare. */
static struct cm_conn *host_spare(struct cm_net *net, struct cm_net_host *host)
{
	struct cm_conn *conn = &host->conns[host->nr_conns];

	if (host->nr_conns == CM_NET_CONNS)
		return NULL;
	while (!conn->local_comm_id) {
		uint32_t id = (uint32_t)cm_net_random(net, UINT32_MAX) + 1;

		if (cm_conn_add(&host->cm, conn, id) == 0)
			break;
	}
	return conn;
}

static struct cm_sidr *host_spare_sidr(struct cm_net_host *host)
{
	if (host->nr_sidrs == CM_NET_SIDRS)
		return NULL;
	cm_sidr_init(&host->sidrs[host->nr_sidrs]);
	return &host->sidrs[host->nr_sidrs];
}

void cm_net_init(struct cm_net *net, uint64_t seed)
{
	memset(net, 0, sizeof(*net));
	net->random = seed;
	net->delay_ns = CM_NET_MS / 10;
	net->now_ns = 1000 * CM_NET_MS;
	for (int side = 0; side < 2; side++) {
		struct cm_net_host *host = &net->hosts[side];
		const struct cm_config config = {
			.ca_guid = 0xc42b32fffea26c00 + (uint64_t)side,
			.tid_high = 2,
			.hash_seed = seed,
		};

		host->side = (enum cm_net_side)side;
		cm_engine_init(&host->cm, &config, host->buckets,
			       CM_NET_BUCKETS);
	}
	net->hosts[CM_NET_SERVER].listener = (struct cm_listener){
		.service_id = CM_NET_SERVICE_ID,
		.backlog = 8,
	};
	net->hosts[CM_NET_SERVER].sidr_listener = (struct cm_listener){
		.service_id = CM_NET_SIDR_ID,
		.is_sidr = true,
		.backlog = 8,
	};
	assert_int_equal(cm_listener_add(&net->hosts[CM_NET_SERVER].cm,
					 &net->hosts[CM_NET_SERVER].listener),
			 0);
	assert_int_equal(
		cm_listener_add(&net->hosts[CM_NET_SERVER].cm,
				&net->hosts[CM_NET_SERVER].sidr_listener),
		0);
}

static void trace_add(struct cm_net *net, enum cm_net_side from,
		      enum cm_attr attr, bool is_lost)
{
	static const char *const names[] = { "REQ",  "MRA",	 "REJ",
					     "REP",  "RTU",	 "DREQ",
					     "DREP", "SIDR_REQ", "SIDR_REP" };
	int n;

	if (net->without_trace)
		return;
	n = snprintf(net->trace + net->trace_len,
		     sizeof(net->trace) - net->trace_len, "%s%s%c.%s%s",
		     net->trace_len ? " " : "", is_lost ? "(" : "",
		     from == CM_NET_CLIENT ? 'C' : 'S', names[attr - CM_REQ],
		     is_lost ? ")" : "");
	assert_true(n > 0 && net->trace_len + (size_t)n < sizeof(net->trace));
	net->trace_len += (size_t)n;
}

static void link_add(struct cm_net *net, enum cm_net_side to,
		     const struct cm_send *send)
{
	for (unsigned int i = 0; i < CM_NET_PACKETS; i++) {
		struct cm_net_packet *packet = &net->packets[i];

		if (packet->used)
			continue;
		packet->used = true;
		packet->to = to;
		packet->path = send->path;
		memcpy(packet->bytes, send->bytes, CM_MAD_LEN);
		packet->arrival_ns = net->now_ns + net->delay_ns;
		if (net->jitter_ns)
			packet->arrival_ns +=
				cm_net_random(net, net->jitter_ns);
		return;
	}
	fail_msg("more than %d MADs in flight", CM_NET_PACKETS);
}

static void link_send(struct cm_net *net, struct cm_net_host *from,
		      const struct cm_send *send)
{
	enum cm_net_side to = memcmp(send->path.dgid, gids[0], CM_GID_LEN) == 0
				      ? CM_NET_CLIENT
				      : CM_NET_SERVER;
	enum cm_attr attr = (enum cm_attr)send->bytes[17];
	bool is_lost = net->loss > cm_net_random(net, 100);

	assert_memory_equal(send->path.sgid, gids[from->side], CM_GID_LEN);
	assert_memory_equal(send->path.dgid, gids[to], CM_GID_LEN);
	if (net->nr_drops && attr == net->drop_attr) {
		net->nr_drops--;
		is_lost = true;
	}
	trace_add(net, from->side, attr, is_lost);
	if (is_lost)
		return;
	link_add(net, to, send);
	if (net->duplication > cm_net_random(net, 100))
		link_add(net, to, send);
}

struct cm_net_log *cm_net_log_of(struct cm_net_host *host,
				 const struct cm_conn *conn)
{
	return &host->logs[conn - host->conns];
}

void cm_net_flush(struct cm_net *net, struct cm_net_host *host)
{
	const struct cm_event event = net->out.event;
	struct cm_net_log *log;

	for (unsigned int i = 0; i < net->out.nr_sends; i++)
		link_send(net, host, &net->out.sends[i]);
	if (event.type == CM_EVENT_NONE)
		return;
	if (event.type == CM_EVENT_REQUEST)
		assert_ptr_equal(event.conn, &host->conns[host->nr_conns++]);
	if (event.type == CM_EVENT_SIDR_REQUEST)
		assert_ptr_equal(event.sidr, &host->sidrs[host->nr_sidrs++]);
	log = event.conn ? cm_net_log_of(host, event.conn)
			 : &host->sidr_logs[event.sidr - host->sidrs];
	log->nr[event.type]++;
	log->status = event.status;
	host->received = net->out.received;
	if (host->on_event)
		host->on_event(net, host, &event);
}

static void host_receive(struct cm_net *net, struct cm_net_host *host,
			 const struct cm_path *path, const uint8_t *bytes)
{
	assert_int_equal(cm_engine_receive(&host->cm, path, bytes, CM_MAD_LEN,
					   net->now_ns, host_spare(net, host),
					   host_spare_sidr(host), &net->out),
			 0);
	cm_net_flush(net, host);
}

/* The earliest packet, deadline or the end; processes it. */
static bool net_step(struct cm_net *net, uint64_t end_ns)
{
	struct cm_net_packet *first = NULL;
	struct cm_net_host *expired = NULL;
	uint64_t at_ns = end_ns;

	for (unsigned int i = 0; i < CM_NET_PACKETS; i++)
		if (net->packets[i].used &&
		    net->packets[i].arrival_ns <= at_ns) {
			first = &net->packets[i];
			at_ns = first->arrival_ns;
		}
	for (int side = 0; side < 2; side++) {
		uint64_t deadline_ns = cm_engine_deadline(&net->hosts[side].cm);

		if (deadline_ns < at_ns) {
			expired = &net->hosts[side];
			at_ns = deadline_ns;
		}
	}
	if (at_ns > net->now_ns)
		net->now_ns = at_ns;
	if (expired) {
		assert_true(
			cm_engine_expire(&expired->cm, net->now_ns, &net->out));
		cm_net_flush(net, expired);
	} else if (first) {
		first->used = false;
		host_receive(net, &net->hosts[first->to], &first->path,
			     first->bytes);
	} else {
		return false;
	}
	return true;
}

void cm_net_run_until(struct cm_net *net, uint64_t end_ns)
{
	while (net_step(net, end_ns))
		;
}

void cm_net_run(struct cm_net *net, uint64_t duration_ns)
{
	cm_net_run_until(net, net->now_ns + duration_ns);
}

void cm_net_run_to_end(struct cm_net *net)
{
	cm_net_run(net, DAY_NS);
	for (int side = 0; side < 2; side++)
		assert_true(cm_engine_deadline(&net->hosts[side].cm) ==
			    UINT64_MAX);
}

void cm_net_inject(struct cm_net *net, enum cm_net_side to,
		   const struct cm_mad *message)
{
	struct cm_path path = { .hop_limit = 64 };
	uint8_t bytes[CM_MAD_LEN];

	memcpy(path.sgid, gids[!to], CM_GID_LEN);
	memcpy(path.dgid, gids[to], CM_GID_LEN);
	assert_int_equal(cm_mad_encode(message, bytes), 0);
	host_receive(net, &net->hosts[to], &path, bytes);
}

void cm_net_connect_param(struct cm_connect_param *ret_param, uint32_t qpn)
{
	struct cm_connect_param param = {
		.packet_life_time = 18,
		.path = { .flow_label = 0x1f4f2, .hop_limit = 64 },
		.req = {
			.service_id = CM_NET_SERVICE_ID,
			.local_qpn = qpn,
			.remote_cm_timeout = 20,
			.local_cm_timeout = 20,
			.starting_psn = 0x1ca681,
			.max_cm_retries = 15,
			.pkey = CM_PKEY,
			.primary = {
				.flow_label = 0x1f4f2,
				.hop_limit = 64,
				.local_ack_timeout = 19,
			},
		},
	};

	memcpy(param.path.sgid, gids[CM_NET_CLIENT], CM_GID_LEN);
	memcpy(param.path.dgid, gids[CM_NET_SERVER], CM_GID_LEN);
	memcpy(param.req.primary.local_gid, gids[CM_NET_CLIENT], CM_GID_LEN);
	memcpy(param.req.primary.remote_gid, gids[CM_NET_SERVER], CM_GID_LEN);
	*ret_param = param;
}

struct cm_conn *cm_net_connect(struct cm_net *net)
{
	struct cm_net_host *client = &net->hosts[CM_NET_CLIENT];
	struct cm_conn *conn = host_spare(net, client);
	struct cm_connect_param param;

	assert_non_null(conn);
	client->nr_conns++;
	cm_net_connect_param(&param, 0x100 + client->nr_conns);
	assert_int_equal(cm_conn_connect(&client->cm, conn, &param, net->now_ns,
					 &net->out),
			 0);
	cm_net_flush(net, client);
	return conn;
}

void cm_net_accept(struct cm_net *net, struct cm_net_host *host,
		   struct cm_conn *conn)
{
	const struct cm_rep rep = {
		.local_qpn = 0x800 + (uint32_t)(conn - host->conns),
	};

	assert_int_equal(cm_conn_accept(&host->cm, conn, &rep, 0, net->now_ns,
					&net->out),
			 0);
	cm_net_flush(net, host);
}

void cm_net_confirm(struct cm_net *net, struct cm_net_host *host,
		    struct cm_conn *conn)
{
	assert_int_equal(cm_conn_confirm(&host->cm, conn, &net->out), 0);
	cm_net_flush(net, host);
}

void cm_net_reject(struct cm_net *net, struct cm_net_host *host,
		   struct cm_conn *conn, enum cm_reject_reason reason)
{
	const struct cm_reject_param param = { .reason = reason };

	assert_int_equal(
		cm_conn_reject(&host->cm, conn, &param, net->now_ns, &net->out),
		0);
	cm_net_flush(net, host);
}

void cm_net_disconnect(struct cm_net *net, struct cm_net_host *host,
		       struct cm_conn *conn)
{
	assert_int_equal(
		cm_conn_disconnect(&host->cm, conn, net->now_ns, &net->out), 0);
	cm_net_flush(net, host);
}

void cm_net_remove(struct cm_net *net, struct cm_net_host *host,
		   struct cm_conn *conn)
{
	cm_conn_remove(&host->cm, conn, &net->out);
	cm_net_flush(net, host);
}

void cm_net_be_polite(struct cm_net *net, struct cm_net_host *host,
		      const struct cm_event *event)
{
	if (event->type == CM_EVENT_REQUEST)
		cm_net_accept(net, host, event->conn);
	else if (event->type == CM_EVENT_REPLY)
		cm_net_confirm(net, host, event->conn);
	else if (event->type == CM_EVENT_DISCONNECTED &&
		 event->conn->state == CM_DREQ_RCVD)
		cm_net_disconnect(net, host, event->conn);
}
