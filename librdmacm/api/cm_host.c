/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engines of the connection manager and their lock. MADs arrive in a thread
 * of the provider, deadlines in the timer thread. MADs of connections that make
 * progress are sent without the lock, and threads are woken up without it, so
 * that other threads do not wait. Others are sent with the lock, which the GSI
 * allows: it calls the receive handler without locks.
 */
#include "api/cm_host.h"

#include "api/cm_device_list.h"
#include "api/conn_event.h"
#include "api/host_clock.h"
#include "api/request_event.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lists of each table of an engine */
#define HOST_NR_BUCKETS 4096
/* Attempts to find a comm id that is not in use, of 65536 in a process */
#define HOST_MAX_COMM_ID_TRIES 100000

/* The bits of a comm id that are the prefix of its process */
#define HOST_PREFIX_MASK UINT32_C(0xffff0000)

/* Attempts to take the lock when the process exits */
#define HOST_EXIT_TRIES 1000

struct verbs_mutex host_mutex = VERBS_MUTEX_INIT;
/* The process that has started connection management */
static pid_t host_pid;

static void mad_send(const struct own_device *device, const struct cm_send *mad)
{
	struct verbs_gsi_address address = {
		.traffic_class = mad->path.traffic_class,
		.hop_limit = mad->path.hop_limit,
		.flow_label = mad->path.flow_label,
	};

	memcpy(address.local_gid.raw, mad->path.sgid, CM_GID_LEN);
	memcpy(address.remote_gid.raw, mad->path.dgid, CM_GID_LEN);
	/* A MAD that cannot be sent is lost, as on the wire. */
	(void)device->gsi_ops->send(device->gsi, &address, mad->bytes);
}

void host_send(const struct own_device *device, const struct cm_output *out)
{
	for (unsigned int i = 0; i < out->nr_sends; i++)
		mad_send(device, &out->sends[i]);
}

static void host_set_timer_locked(void) REQUIRES(host_mutex)
{
	uint64_t deadline_ns = UINT64_MAX;

	for (struct own_device *device = device_first(); device;
	     device = device_next(device)) {
		uint64_t next_ns = device->gsi ? cm_engine_deadline(&device->cm)
					       : UINT64_MAX;

		if (next_ns < deadline_ns)
			deadline_ns = next_ns;
	}
	/* Without a thread, MADs are not retransmitted. */
	(void)host_timer_set(deadline_ns, host_expire);
}

enum own_id_state host_id_state(const struct own_id *own)
{
	enum own_id_state state;

	verbs_mutex_lock(&host_mutex);
	state = own->state;
	verbs_mutex_unlock(&host_mutex);
	return state;
}

void host_id_set_state(struct own_id *own, enum own_id_state state)
{
	verbs_mutex_lock(&host_mutex);
	own->state = state;
	verbs_mutex_unlock(&host_mutex);
}

int host_conn_add_locked(struct own_id *own)
{
	struct own_device *device = own->device;
	uint32_t prefix = device->gsi_ops->id_prefix(device->gsi);

	for (int i = 0; i < HOST_MAX_COMM_ID_TRIES; i++) {
		uint32_t comm_id = prefix | (host_random() & 0xffff);

		if (comm_id &&
		    cm_conn_add(&device->cm, &own->conn, comm_id) == 0) {
			own->has_conn = true;
			own->is_peer_watched = false;
			list_add_tail(&device->conns, &own->conn_entry);
			return 0;
		}
	}
	return -EADDRNOTAVAIL;
}

int host_sidr_resolve_locked(struct own_id *own, struct cm_sidr_param *param)
{
	struct own_device *device = own->device;
	uint32_t prefix = device->gsi_ops->id_prefix(device->gsi);
	struct cm_output out;

	cm_sidr_init(&own->sidr);
	for (int i = 0; i < HOST_MAX_COMM_ID_TRIES; i++) {
		param->req.request_id = prefix | (host_random() & 0xffff);
		if (param->req.request_id &&
		    cm_sidr_resolve(&device->cm, &own->sidr, param,
				    host_clock_now_ns(), &out) == 0) {
			own->has_sidr = true;
			list_add_tail(&device->conns, &own->conn_entry);
			host_flush_locked(device, &out);
			return 0;
		}
	}
	return -EADDRNOTAVAIL;
}

void host_conn_remove_locked(struct own_id *own)
{
	struct cm_output out;

	if (!own->has_conn && !own->has_sidr)
		return;
	list_del(&own->conn_entry);
	if (own->has_conn)
		cm_conn_remove(&own->device->cm, &own->conn, &out);
	else
		cm_sidr_remove(&own->device->cm, &own->sidr, &out);
	own->has_conn = false;
	own->has_sidr = false;
	host_flush_locked(own->device, &out);
}

static void host_conn_end_locked(struct own_id *own) REQUIRES(host_mutex)
{
	struct cm_output out;

	cm_conn_end(&own->device->cm, &own->conn, &out);
	host_deliver_locked(own->device, &out);
}

void host_watch_peer_locked(struct own_id *own)
{
	const struct own_device *device = own->device;
	union ibv_gid peer;
	int ret;

	memcpy(peer.raw, own->conn.path.dgid, CM_GID_LEN);
	ret = device->gsi_ops->watch_owner(device->gsi, &peer,
					   own->conn.remote_comm_id);
	own->is_peer_watched = !ret;
	if (ret == ESRCH)
		host_conn_end_locked(own);
}

int host_conn_confirm(struct own_id *own)
{
	struct cm_output out;
	int ret = -EINVAL;

	verbs_mutex_lock(&host_mutex);
	if (own->has_conn)
		ret = cm_conn_confirm(&own->device->cm, &own->conn, &out);
	if (!ret) {
		host_deliver_locked(own->device, &out);
		host_watch_peer_locked(own);
	}
	verbs_mutex_unlock(&host_mutex);
	if (!ret)
		host_send(own->device, &out);
	return ret;
}

static void host_end_conns_locked(void) REQUIRES(host_mutex)
{
	struct list_node *node, *next;

	for (struct own_device *device = device_first(); device;
	     device = device_next(device))
		list_for_each_safe (node, next, &device->conns)
			host_conn_remove_locked(
				list_entry(node, struct own_id, conn_entry));
}

/*
 * Ends the connections of a process that exits, as the kernel does by closing
 * the descriptor of rdma_cm. Does nothing if a signal handler calls exit() in
 * the thread that has the lock.
 */
static void host_exit(void)
{
	if (getpid() != host_pid)
		return;
	for (int i = 0; i < HOST_EXIT_TRIES; i++) {
		if (verbs_mutex_trylock(&host_mutex)) {
			host_end_conns_locked();
			verbs_mutex_unlock(&host_mutex);
			return;
		}
		(void)sched_yield();
	}
}

/* No id of the application listens at the address of the request. */
static void request_refuse_locked(struct own_device *device, struct own_id *own)
	REQUIRES(host_mutex)
{
	const struct cm_reject_param param = {
		.reason = CM_REJ_CONSUMER,
		.is_anonymous = true,
	};
	struct cm_output out;

	if (own->has_conn) {
		(void)cm_conn_reject(&device->cm, &own->conn, &param,
				     host_clock_now_ns(), &out);
		host_send(device, &out);
	}
	/* This rejects a SIDR_REQ. */
	host_conn_remove_locked(own);
	request_spare_free(own);
}

/* The spare of the kind of request is in use now. */
static struct channel *request_take_locked(struct own_device *device,
					   const struct cm_output *out)
	REQUIRES(host_mutex)
{
	struct channel *channel = NULL;
	struct own_id *own;

	if (out->event.type == CM_EVENT_REQUEST) {
		own = device->spare;
		device->spare = NULL;
	} else {
		own = device->spare_sidr;
		device->spare_sidr = NULL;
		own->has_sidr = true;
		list_add_tail(&device->conns, &own->conn_entry);
	}
	if (request_deliver_locked(own, &out->received, &channel) != 0)
		request_refuse_locked(device, own);
	return channel;
}

/* As channel_queue() */
static struct channel *host_queue_locked(struct own_device *device,
					 const struct cm_output *out)
	REQUIRES(host_mutex)
{
	struct channel *channel = NULL;

	if (out->event.type == CM_EVENT_REQUEST ||
	    out->event.type == CM_EVENT_SIDR_REQUEST)
		channel = request_take_locked(device, out);
	else if (out->event.type != CM_EVENT_NONE)
		channel = conn_event_deliver_locked(out);
	host_set_timer_locked();
	return channel;
}

void host_deliver_locked(struct own_device *device, const struct cm_output *out)
{
	struct channel *channel = host_queue_locked(device, out);

	if (channel)
		channel_signal(channel);
}

void host_flush_locked(struct own_device *device, const struct cm_output *out)
{
	host_send(device, out);
	host_deliver_locked(device, out);
}

static struct own_id *spare_get_locked(struct own_device *device)
	REQUIRES(host_mutex)
{
	if (!device->spare) {
		device->spare = request_spare_new(device);
		if (device->spare && host_conn_add_locked(device->spare) != 0) {
			request_spare_free(device->spare);
			device->spare = NULL;
		}
	}
	return device->spare;
}

/* An id for the request, if one listens and has room for it. */
static struct own_id *request_prepare_locked(struct own_device *device,
					     const uint8_t *mad)
	REQUIRES(host_mutex)
{
	struct cm_mad message;

	if (cm_mad_decode(mad, VERBS_MAD_SIZE, &message) != 0 ||
	    (message.attr != CM_REQ && message.attr != CM_SIDR_REQ) ||
	    !request_has_room_locked(device, &message))
		return NULL;
	if (message.attr == CM_REQ)
		return spare_get_locked(device);
	if (!device->spare_sidr)
		device->spare_sidr = request_spare_new(device);
	return device->spare_sidr;
}

static void host_receive(void *owner, const struct verbs_gsi_address *address,
			 const uint8_t *mad)
{
	struct own_device *device = owner;
	struct cm_path path = {
		.flow_label = address->flow_label,
		.traffic_class = address->traffic_class,
		.hop_limit = address->hop_limit,
	};
	struct channel *channel = NULL;
	struct own_id *spare;
	struct cm_output out;
	int ret;

	memcpy(path.sgid, address->remote_gid.raw, CM_GID_LEN);
	memcpy(path.dgid, address->local_gid.raw, CM_GID_LEN);
	verbs_mutex_lock(&host_mutex);
	spare = request_prepare_locked(device, mad);
	ret = cm_engine_receive(
		&device->cm, &path, mad, VERBS_MAD_SIZE, host_clock_now_ns(),
		spare ? &spare->conn : NULL, spare ? &spare->sidr : NULL, &out);
	if (!ret)
		channel = host_queue_locked(device, &out);
	verbs_mutex_unlock(&host_mutex);
	if (channel)
		channel_signal(channel);
	if (!ret)
		host_send(device, &out);
}

static void host_owner_ended(void *owner, uint32_t prefix)
{
	struct own_device *device = owner;
	struct list_node *node;

	verbs_mutex_lock(&host_mutex);
	list_for_each (node, &device->conns) {
		struct own_id *own =
			list_entry(node, struct own_id, conn_entry);

		if (own->has_conn && own->is_peer_watched &&
		    (own->conn.remote_comm_id & HOST_PREFIX_MASK) == prefix)
			host_conn_end_locked(own);
	}
	verbs_mutex_unlock(&host_mutex);
}

void host_expire(void)
{
	struct cm_output out;
	uint64_t now_ns;

	verbs_mutex_lock(&host_mutex);
	now_ns = host_clock_now_ns();
	for (struct own_device *device = device_first(); device;
	     device = device_next(device)) {
		while (device->gsi &&
		       cm_engine_expire(&device->cm, now_ns, &out))
			host_flush_locked(device, &out);
	}
	host_set_timer_locked();
	verbs_mutex_unlock(&host_mutex);
}

int host_device_start(struct own_device *device)
{
	const struct verbs_gsi_handler handler = {
		.receive = host_receive,
		.owner_ended = host_owner_ended,
		.owner = device,
	};
	struct cm_config config = {
		.tid_high = host_random(),
		.hash_seed = (uint64_t)host_random() << 32 | host_random(),
	};
	struct verbs_gsi *gsi;
	int ret;

	memcpy(&config.ca_guid, &device->attr.node_guid,
	       sizeof(config.ca_guid));
	config.ca_guid = be64toh(config.ca_guid);
	device->buckets = calloc((size_t)CM_NR_TABLES * HOST_NR_BUCKETS,
				 sizeof(*device->buckets));
	if (!device->buckets)
		return -ENOMEM;
	cm_engine_init(&device->cm, &config, device->buckets, HOST_NR_BUCKETS);
	ret = device->gsi_ops->open(device->context, OWN_PORT_NUM, &handler,
				    &gsi);
	if (ret) {
		free(device->buckets);
		device->buckets = NULL;
		return -ret;
	}
	verbs_mutex_lock(&host_mutex);
	device->gsi = gsi;
	if (!host_pid) {
		host_pid = getpid();
		/* Without memory, no message reports the exit. */
		(void)atexit(host_exit);
	}
	verbs_mutex_unlock(&host_mutex);
	return 0;
}
