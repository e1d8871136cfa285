/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A libibverbs with two devices, whose GSIs are connected, and a third one. */
#include "librdmacm/api/api_net.h"

#include "api/host_clock.h"
#include "kernel/ucm_node.h"

#include <errno.h>
#include <fcntl.h>
#include <provider/gsi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef ibv_get_device_list
#undef ibv_query_port

#define NET_NR_DEVICES 3
#define NET_NR_GSIS    2
#define NET_NR_PACKETS 1024
#define NET_PREFIX     0xab010000u

struct verbs_gsi {
	struct verbs_gsi_handler handler;
	uint32_t prefix;
};

static struct net_device {
	struct ibv_device device;
	struct verbs_context verbs;
	struct verbs_gsi gsi;
	union ibv_gid gid;
} devices[NET_NR_DEVICES];

struct api_net api_net;

static pthread_mutex_t net_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t net_changed = PTHREAD_COND_INITIALIZER;
static struct net_packet {
	struct verbs_gsi_address address;
	uint8_t mad[VERBS_MAD_SIZE];
} packets[NET_NR_PACKETS];
static unsigned int first_packet, nr_packets;
static bool thread_must_end;
static pthread_t net_thread;

static uint64_t clock_ns = 1000000000;
static uint64_t timer_ns = UINT64_MAX;
static void (*timer_expire)(void);

/* -- clock and timer -- */

uint64_t host_clock_now_ns(void)
{
	return __atomic_load_n(&clock_ns, __ATOMIC_SEQ_CST);
}

int host_timer_set(uint64_t deadline_ns, void (*expire)(void))
{
	timer_ns = deadline_ns;
	timer_expire = expire;
	return 0;
}

void api_net_advance(uint64_t duration_ns)
{
	uint64_t end_ns = clock_ns + duration_ns;

	while (timer_ns <= end_ns) {
		clock_ns = timer_ns;
		timer_expire();
		api_net_deliver();
	}
	clock_ns = end_ns;
}

/* -- the link -- */

static struct net_device *device_of_gid(const union ibv_gid *gid)
{
	for (unsigned int i = 0; i < NET_NR_DEVICES; i++) {
		if (memcmp(&devices[i].gid, gid, sizeof(*gid)) == 0)
			return &devices[i];
	}
	return NULL;
}

/* Takes a packet; false: there is none. */
static bool net_take(bool waits, struct net_packet *ret_packet)
{
	bool has_packet;

	(void)pthread_mutex_lock(&net_mutex);
	while (waits && !nr_packets && !thread_must_end)
		(void)pthread_cond_wait(&net_changed, &net_mutex);
	has_packet = nr_packets != 0;
	if (has_packet) {
		*ret_packet = packets[first_packet];
		first_packet = (first_packet + 1) % NET_NR_PACKETS;
		nr_packets--;
	}
	(void)pthread_mutex_unlock(&net_mutex);
	return has_packet;
}

static void packet_deliver(const struct net_packet *packet)
{
	struct verbs_gsi_address address = packet->address;
	struct net_device *to = device_of_gid(&packet->address.remote_gid);

	if (!to || !to->gsi.handler.receive)
		return;
	address.local_gid = packet->address.remote_gid;
	address.remote_gid = packet->address.local_gid;
	to->gsi.handler.receive(to->gsi.handler.owner, &address, packet->mad);
}

void api_net_deliver(void)
{
	struct net_packet packet;

	while (net_take(false, &packet))
		packet_deliver(&packet);
}

static void *net_thread_run(void *arg)
{
	struct net_packet packet;

	while (net_take(true, &packet))
		packet_deliver(&packet);
	return arg;
}

void api_net_start_thread(void)
{
	thread_must_end = false;
	assert_int_equal(
		pthread_create(&net_thread, NULL, net_thread_run, NULL), 0);
}

void api_net_stop_thread(void)
{
	(void)pthread_mutex_lock(&net_mutex);
	thread_must_end = true;
	(void)pthread_cond_signal(&net_changed);
	(void)pthread_mutex_unlock(&net_mutex);
	assert_int_equal(pthread_join(net_thread, NULL), 0);
}

static unsigned int device_index(const struct ibv_context *context)
{
	unsigned int i = 0;

	while (context != &devices[i].verbs.context)
		i++;
	return i;
}

/* -- the GSI -- */

static int net_gsi_open(struct ibv_context *context, uint8_t port_num,
			const struct verbs_gsi_handler *handler,
			struct verbs_gsi **gsi)
{
	struct net_device *device = &devices[device_index(context)];

	device->gsi.handler = *handler;
	*gsi = &device->gsi;
	return 0;
}

static void net_gsi_close(struct verbs_gsi *gsi)
{
	gsi->handler.receive = NULL;
}

static uint32_t net_gsi_prefix(const struct verbs_gsi *gsi)
{
	return gsi->prefix;
}

static int net_gsi_send(struct verbs_gsi *gsi,
			const struct verbs_gsi_address *address,
			const uint8_t *mad)
{
	struct net_packet *packet;

	(void)pthread_mutex_lock(&net_mutex);
	api_net.nr_sent++;
	if (api_net.nr_drops) {
		api_net.nr_drops--;
	} else {
		if (nr_packets == NET_NR_PACKETS)
			abort();
		packet = &packets[(first_packet + nr_packets++) %
				  NET_NR_PACKETS];
		packet->address = *address;
		memcpy(packet->mad, mad, VERBS_MAD_SIZE);
		(void)pthread_cond_signal(&net_changed);
	}
	(void)pthread_mutex_unlock(&net_mutex);
	return 0;
}

void api_net_inject(const uint8_t *mad)
{
	const struct verbs_gsi_address address = {
		.local_gid = devices[0].gid,
		.remote_gid = devices[1].gid,
	};

	(void)net_gsi_send(&devices[0].gsi, &address, mad);
}

static int net_gsi_claim(struct verbs_gsi *gsi, const union ibv_gid *local_gid,
			 uint64_t service_id)
{
	if (!api_net.claim_ret)
		api_net.nr_claims++;
	return api_net.claim_ret;
}

static void net_gsi_release(struct verbs_gsi *gsi,
			    const union ibv_gid *local_gid, uint64_t service_id)
{
	api_net.nr_claims--;
}

static int net_gsi_watch(struct verbs_gsi *gsi, const union ibv_gid *remote_gid,
			 uint32_t id)
{
	return api_net.watch_ret;
}

void api_net_end_owner(unsigned int device)
{
	for (unsigned int i = 0; i < NET_NR_GSIS; i++) {
		const struct verbs_gsi_handler *handler =
			&devices[i].gsi.handler;

		if (handler->owner_ended)
			handler->owner_ended(handler->owner,
					     devices[device].gsi.prefix);
	}
}

const struct verbs_gsi_ops *verbs_get_gsi_ops(struct ibv_context *context,
					      uint32_t version)
{
	static const struct verbs_gsi_ops ops = {
		.version = VERBS_GSI_VERSION,
		.open = net_gsi_open,
		.close = net_gsi_close,
		.id_prefix = net_gsi_prefix,
		.send = net_gsi_send,
		.claim_service = net_gsi_claim,
		.release_service = net_gsi_release,
		.watch_owner = net_gsi_watch,
	};

	return version == VERBS_GSI_VERSION &&
			       context != &devices[NET_NR_GSIS].verbs.context
		       ? &ops
		       : NULL;
}

/* -- the node of the kernel -- */

int ucm_node_find(struct ucm_node *ret_node)
{
	*ret_node = (struct ucm_node){ .has_number = false };
	return 0;
}

int ucm_node_open(const struct ucm_node *node, int *ret_fd)
{
	return api_net.open_node ? api_net.open_node(ret_fd) : -ENOENT;
}

/* -- libibverbs -- */

struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct ibv_device **list =
		calloc(NET_NR_DEVICES + 1, sizeof(struct ibv_device *));

	for (unsigned int i = 0; list && i < api_net.nr_devices; i++) {
		struct net_device *device = &devices[i];

		(void)snprintf(device->device.name, sizeof(device->device.name),
			       "net%u", i);
		device->gid = (union ibv_gid){ 0 };
		device->gid.raw[10] = 0xff;
		device->gid.raw[11] = 0xff;
		device->gid.raw[12] = i < NET_NR_GSIS ? 127 : 10;
		device->gid.raw[15] = (uint8_t)(i + 1);
		device->gsi.prefix = NET_PREFIX + (i << 16);
		list[i] = &device->device;
	}
	return list;
}

int ibv_get_device_index(struct ibv_device *device)
{
	return -1;
}

void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	for (unsigned int i = 0; i < NET_NR_DEVICES; i++) {
		if (device == &devices[i].device) {
			devices[i].verbs.context.device = device;
			api_net_set_ops(&devices[i].verbs);
			return &devices[i].verbs.context;
		}
	}
	return NULL;
}

int ibv_close_device(struct ibv_context *context)
{
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->node_guid = htobe64(17 + device_index(context));
	attr->max_qp_rd_atom = API_NET_MAX_RD;
	attr->max_qp_init_rd_atom = API_NET_MAX_RD;
	attr->local_ca_ack_delay = 15;
	return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	((struct ibv_port_attr *)(void *)port_attr)->active_mtu = IBV_MTU_1024;
	return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	unsigned int index = device_index(context);

	entries[0] = (struct ibv_gid_entry){
		.gid = devices[index].gid,
		.gid_index = 3,
		.port_num = 1,
		.gid_type = IBV_GID_TYPE_ROCE_V2,
	};
	if (index || !api_net.has_ipv6)
		return 1;
	entries[1] = entries[0];
	entries[1].gid = (union ibv_gid){ .raw[15] = 1 };
	entries[1].gid_index = 4;
	return 2;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	if (pd)
		pd->context = context;
	api_net.nr_pds++;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	api_net.nr_pds--;
	free(pd);
	return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	api_net.nr_comp_channels++;
	return calloc(1, sizeof(struct ibv_comp_channel));
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	api_net.nr_comp_channels--;
	free(channel);
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context, struct ibv_comp_channel *channel,
			     int comp_vector)
{
	struct ibv_cq *cq = calloc(1, sizeof(*cq));

	if (cq) {
		cq->cqe = cqe;
		cq->cq_context = cq_context;
		cq->channel = channel;
	}
	api_net.nr_cqs++;
	return cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	api_net.nr_cqs--;
	free(cq);
	return 0;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct ibv_srq *srq = calloc(1, sizeof(*srq));

	if (srq)
		srq->context = pd->context;
	return srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	free(srq);
	return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	static uint32_t next_qpn = 100;
	struct api_net_qp *qp;

	if (api_net.create_ret) {
		errno = api_net.create_ret;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	qp->qp.context = pd->context;
	qp->qp.pd = pd;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.srq = attr->srq;
	qp->qp.qp_num = __atomic_fetch_add(&next_qpn, 1, __ATOMIC_SEQ_CST);
	attr->cap.max_inline_data = 64;
	api_net.nr_qps++;
	return &qp->qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	api_net.nr_qps--;
	free(qp);
	return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct api_net_qp *net_qp = (struct api_net_qp *)(void *)qp;

	if (api_net.modify_ret && attr->qp_state != IBV_QPS_ERR)
		return api_net.modify_ret;
	if (net_qp->nr_changes < API_NET_NR_CHANGES) {
		net_qp->changes[net_qp->nr_changes].attr = *attr;
		net_qp->changes[net_qp->nr_changes++].mask = attr_mask;
	}
	qp->state = attr->qp_state;
	return 0;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	if (api_net.attach_ret)
		return api_net.attach_ret;
	((struct api_net_qp *)(void *)qp)->group = *gid;
	api_net.nr_attached++;
	return 0;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	api_net.nr_attached--;
	return 0;
}

/* -- helpers of tests -- */

int api_net_reset(void **state)
{
	api_net = (struct api_net){ .nr_devices = NET_NR_GSIS };
	nr_packets = 0;
	return 0;
}

struct sockaddr *api_net_address(uint8_t host, uint16_t port)
{
	static _Thread_local struct sockaddr_in addresses[4];
	static _Thread_local unsigned int next;
	struct sockaddr_in *address = &addresses[next++ % 4];

	*address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr =
			htonl(host ? INADDR_LOOPBACK - 1 + host : INADDR_ANY),
	};
	return (struct sockaddr *)address;
}

struct api_net_qp *api_net_qp_of(const struct rdma_cm_id *id)
{
	return (struct api_net_qp *)(void *)id->qp;
}

struct rdma_cm_event *api_net_fetch(struct rdma_event_channel *channel,
				    enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event = NULL;

	if (rdma_get_cm_event(channel, &event) != 0)
		fail_msg("no event instead of %s", rdma_event_str(type));
	if (event->event != type)
		fail_msg("%s instead of %s", rdma_event_str(event->event),
			 rdma_event_str(type));
	return event;
}

void api_net_expect(struct rdma_event_channel *channel,
		    enum rdma_cm_event_type type, int status)
{
	struct rdma_cm_event *event = api_net_fetch(channel, type);

	assert_int_equal(event->status, status);
	assert_int_equal(rdma_ack_cm_event(event), 0);
}

void api_net_expect_errno(int ret, int expected)
{
	assert_int_equal(ret, -1);
	assert_int_equal(errno, expected);
}

void api_net_expect_nothing(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event = NULL;

	errno = 0;
	assert_int_equal(rdma_get_cm_event(channel, &event), -1);
	assert_int_equal(errno, EAGAIN);
}

struct rdma_event_channel *api_net_channel(void)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();

	assert_non_null(channel);
	assert_int_equal(fcntl(channel->fd, F_SETFL, O_NONBLOCK), 0);
	return channel;
}

struct rdma_cm_id *api_net_listen_in(struct rdma_event_channel *channel,
				     enum rdma_port_space ps)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, channel, ps), 0);
	assert_int_equal(rdma_bind_addr(id, api_net_address(2, API_NET_PORT)),
			 0);
	assert_int_equal(rdma_listen(id, 0), 0);
	return id;
}

struct rdma_cm_id *api_net_listen(struct rdma_event_channel *channel)
{
	return api_net_listen_in(channel, RDMA_PS_TCP);
}

void api_net_create_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 8 },
		.qp_type = id->qp_type,
	};

	assert_int_equal(rdma_create_qp(id, NULL, &attr), 0);
}

struct rdma_cm_id *api_net_route_to(struct rdma_event_channel *channel,
				    enum rdma_port_space ps,
				    struct sockaddr *src, struct sockaddr *dst)
{
	struct rdma_cm_id *id = NULL;

	assert_int_equal(rdma_create_id(channel, &id, NULL, ps), 0);
	assert_int_equal(rdma_resolve_addr(id, src, dst, 1000), 0);
	api_net_expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	assert_int_equal(rdma_resolve_route(id, 1000), 0);
	api_net_expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	api_net_create_qp(id);
	return id;
}

struct rdma_cm_id *api_net_route_in(struct rdma_event_channel *channel,
				    enum rdma_port_space ps)
{
	return api_net_route_to(channel, ps, NULL,
				api_net_address(2, API_NET_PORT));
}

struct rdma_cm_id *api_net_route(struct rdma_event_channel *channel)
{
	return api_net_route_in(channel, RDMA_PS_TCP);
}

struct rdma_cm_id *api_net_fetch_request(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event =
		api_net_fetch(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct rdma_cm_id *id = event->id;

	assert_int_equal(rdma_ack_cm_event(event), 0);
	return id;
}

void api_net_connect(struct rdma_event_channel *client_channel,
		     struct rdma_event_channel *server_channel,
		     struct rdma_cm_id **ret_client,
		     struct rdma_cm_id **ret_server)
{
	struct rdma_cm_id *listener = api_net_listen(server_channel);

	*ret_client = api_net_route(client_channel);
	assert_int_equal(rdma_connect(*ret_client, NULL), 0);
	api_net_deliver();
	*ret_server = api_net_fetch_request(server_channel);
	api_net_create_qp(*ret_server);
	assert_int_equal(rdma_accept(*ret_server, NULL), 0);
	api_net_deliver();
	api_net_expect(client_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	api_net_deliver();
	api_net_expect(server_channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	assert_int_equal(rdma_destroy_id(listener), 0);
}

int api_net_end(struct rdma_event_channel *client_channel,
		struct rdma_event_channel *server_channel)
{
	rdma_destroy_event_channel(client_channel);
	rdma_destroy_event_channel(server_channel);
	return api_net.nr_claims || api_net.nr_pds || api_net.nr_cqs ||
			       api_net.nr_qps || api_net.nr_comp_channels
		       ? -1
		       : 0;
}

void api_net_destroy(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	assert_int_equal(rdma_destroy_id(id), 0);
}
