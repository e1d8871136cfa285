/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connection between the engine and the rings in shared memory.
 * uroce_worker_peer.c connects to the processes of this host.
 */
#include "uroce/progress/uroce_worker_shm.h"

#include <errno.h>
#include <provider/log.h>
#include <string.h>

#include "uroce/progress/uroce_worker_ud.h"
#include "uroce/qp/uroce_comp_cntr.h"
#include "uroce/roce/uroce_fast.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/udp/uroce_slots.h"
#include "uroce/uroce_config.h"
#include "util/clock.h"

/* Copies from this size on need much of the validity time of a poll. */
#define MANY_BYTES 4096

/*
 * Timeout of the handshake: a busy process responds as soon as its helper
 * thread gets a processor; a stopped process does not respond.
 */
#define PATIENCE_MS 5000

bool uroce_worker_is_ours(void *arg, const uint8_t *gid)
{
	struct uroce_worker *worker = arg;
	struct list_node *pos;
	bool found = false;

	(void)pthread_mutex_lock(&worker->process->netdev_mutex);
	list_for_each (pos, &worker->process->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		found = uroce_netdev_has_gid(&instance->dev, gid);
		if (found)
			break;
	}
	(void)pthread_mutex_unlock(&worker->process->netdev_mutex);
	return found;
}

/*
 * Rights of processes that import the region. Their accesses are system calls,
 * so on-demand regions can be imported, too.
 */
static uint32_t import_rights(const struct uroce_region *region)
{
	if (region->kind != UROCE_REGION_MEMORY &&
	    region->kind != UROCE_REGION_ON_DEMAND)
		return 0;
	return (region->access & UROCE_IMPORT_RIGHTS) | UROCE_IMPORT_POSSIBLE;
}

/* Publish the rights for direct access: memory regions only, no windows. */
static void publish_region(void *arg, const struct uroce_region *region)
{
	const unsigned int rights = IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ |
				    IBV_ACCESS_REMOTE_ATOMIC;
	const struct uroce_worker *worker = arg;
	const bool is_memory = region->kind == UROCE_REGION_MEMORY;
	const struct uroce_published_region published = {
		.key = region->key,
		.pd = region->pd,
		.access = is_memory ? region->access & rights : 0,
		.import = import_rights(region),
		.base = (uintptr_t)region->base,
		.iova = region->iova,
		.bytes = region->bytes,
		.share = region->share,
		.share_offset = region->share_offset,
	};

	if (worker->shm)
		uroce_shm_publish_region(worker->shm, &published);
}

void uroce_process_publish_region(void *arg, const struct uroce_region *region)
{
	const struct uroce_process *process = arg;

	for (uint32_t i = 0; i < process->nr_workers; i++)
		publish_region(process->workers[i], region);
}

static void worker_shm_on_qp(void *arg, const struct uroce_qp *qp)
{
	const unsigned int with_response = IBV_ACCESS_REMOTE_READ |
					   IBV_ACCESS_REMOTE_ATOMIC;
	const struct uroce_worker *worker = arg;
	const unsigned int access = uroce_comp_cntr_access(qp);
	const struct uroce_published_qp published = {
		.qpn = qp->qpn,
		.ready = uroce_qp_is_open(qp),
		.dest_qpn = qp->dest_qpn,
		.pd = qp->pd,
		.access = qp->roce->resp.max_resources
				  ? access
				  : access & ~with_response,
		.pulls = qp->roce->channel && qp->roce->channel->rndv &&
			 qp->roce->channel->direct_copy,
	};

	uroce_shm_publish_qp(worker->shm, &published, qp->roce->channel);
}

static int open_slot(struct uroce_worker *worker, uint32_t slot)
{
	const struct uroce_shm_config config = {
		.slot = slot,
		.cma_kinds = uroce_config_cma_kinds(),
		.rndv = uroce_config_rndv(),
		.shares = &worker->process->shares,
		.patience_ms = PATIENCE_MS,
		.is_ours = uroce_worker_is_ours,
		.arg = worker,
	};

	return uroce_shm_open(&config, &worker->shm);
}

static void worker_shm_report(int ret)
{
	if (ret)
		verbs_log(NULL, VERBS_LOG_INFO,
			  "uroce: no shared memory with other processes: %s",
			  strerror(-ret));
}

int uroce_worker_open_shm(struct uroce_worker *worker, uint32_t slot)
{
	int ret;

	if (!uroce_config_local())
		return 0;
	ret = open_slot(worker, slot);
	if (ret != -EADDRINUSE)
		worker_shm_report(ret);
	return ret;
}

void uroce_worker_publish_shm(struct uroce_worker *worker)
{
	if (!worker->shm)
		return;
	uroce_memory_for_each(worker->engine.core.memory, publish_region,
			      worker);
	worker->engine.core.on_qp = worker_shm_on_qp;
	worker->engine.core.arg = worker;
}

static void worker_shm_receive(struct uroce_worker *worker,
			       struct uroce_channel *channel,
			       struct uroce_packet *packet)
{
	struct uroce_path path;

	/* an RNR NAK may start a short timer, which needs the exact time */
	if ((packet->traits & UROCE_T_AETH) &&
	    (packet->syndrome & UROCE_AETH_KIND) != UROCE_AETH_ACK)
		worker->now = verbs_now_ns();
	if ((packet->opcode & UROCE_TRANSPORT_MASK) != UROCE_UD)
		packet->channel = channel;
	else if (!uroce_worker_unpack_datagram(worker, packet, &path))
		return;
	uroce_engine_receive(&worker->engine, packet, worker->now);
}

/* Returns false if @eager is not a valid packet. */
static bool receive_eager(struct uroce_worker *worker,
			  struct uroce_channel *channel,
			  const struct uroce_eager_entry *eager)
{
	struct uroce_packet packet;

	if (eager->payload_len >= MANY_BYTES)
		worker->copied_much = true;
	if (uroce_fast_receive(&worker->engine, channel, eager, worker->now))
		return true;
	if (uroce_shm_ring_decode(eager, &packet))
		return false;
	worker_shm_receive(worker, channel, &packet);
	return true;
}

static void fail_peer(struct uroce_worker *worker,
		      struct uroce_channel *channel)
{
	list_del(&channel->entry);
	uroce_channel_fail(&worker->engine, channel);
	uroce_worker_forget_datagrams(worker, channel);
}

bool uroce_worker_receive_shm(struct uroce_worker *worker)
{
	uint64_t received = worker->received;
	struct uroce_channel *channel;
	struct uroce_eager_entry eager;

	if (!worker->shm)
		return false;
	uroce_shm_begin(worker->shm);
	while ((channel = uroce_shm_take(worker->shm, &eager))) {
		bool is_packet = receive_eager(worker, channel, &eager);

		uroce_shm_done(channel, &eager, is_packet);
		worker->received += is_packet;
	}
	worker->traffic += worker->received - received;
	while ((channel = uroce_shm_take_failed(worker->shm)))
		fail_peer(worker, channel);
	return worker->received != received;
}

void uroce_worker_resume_shm(struct uroce_worker *worker)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &worker->full) {
		struct uroce_channel *channel =
			list_entry(pos, struct uroce_channel, entry);

		if (!uroce_shm_has_room(channel))
			continue;
		list_del(&channel->entry);
		worker->full_ns = worker->now;
		uroce_channel_resume(&worker->engine, channel);
	}
}

/* Call after each put: QPs of a full channel have to wait. */
static void check_room(struct uroce_worker *worker,
		       struct uroce_channel *channel)
{
	if (uroce_shm_has_room(channel))
		return;
	channel->full = true;
	worker->full_ns = worker->now;
	list_add_tail(&worker->full, &channel->entry);
}

static void worker_shm_put(struct uroce_worker *worker,
			   struct uroce_channel *channel,
			   const struct uroce_packet *packet,
			   const struct iovec *iov, uint32_t nr_iov)
{
	if (packet->payload_len >= MANY_BYTES)
		worker->copied_much = true;
	uroce_shm_put(channel, packet, iov, nr_iov);
	check_room(worker, channel);
}

void uroce_worker_send_eager(struct uroce_worker *worker, struct uroce_qp *qp)
{
	struct uroce_eager_entry eager;

	while (!qp->roce->channel->full &&
	       uroce_fast_next(qp, worker->now, &eager)) {
		worker->traffic++;
		uroce_shm_put_eager(qp->roce->channel, &eager);
		check_room(worker, qp->roce->channel);
	}
	__atomic_store_n(&qp->roce->next_put,
			 uroce_shm_next_put(qp->roce->channel),
			 __ATOMIC_RELAXED);
}

static void put_datagram(struct uroce_worker *worker,
			 struct uroce_channel *channel,
			 const struct uroce_out *out)
{
	struct iovec iov[1 + UROCE_MAX_SGE];
	struct uroce_packet packet = out->packet;
	struct uroce_datagram_path path;

	uroce_worker_pack_datagram(&packet, &path);
	packet.payload_len += (uint32_t)sizeof(path);
	iov[0] = (struct iovec){ .iov_base = &path, .iov_len = sizeof(path) };
	memcpy(iov + 1, out->iovecs.iov, out->iovecs.nr * sizeof(*iov));
	worker_shm_put(worker, channel, &packet, iov, 1 + out->iovecs.nr);
}

bool uroce_worker_put_shm(struct uroce_worker *worker,
			  const struct uroce_out *out)
{
	struct uroce_channel *channel = out->qp->roce->channel;

	if (!channel) {
		channel = uroce_worker_datagram_way(worker, &out->packet);
		if (channel)
			put_datagram(worker, channel, out);
	} else if (!channel->failed) {
		worker_shm_put(worker, channel, &out->packet, out->iovecs.iov,
			       out->iovecs.nr);
	}
	return channel;
}

bool uroce_worker_owes_shm(const struct uroce_worker *worker)
{
	struct list_node *pos, *of_qp;

	list_for_each (pos, &worker->full) {
		const struct uroce_channel *channel =
			list_entry(pos, struct uroce_channel, entry);

		list_for_each (of_qp, &channel->waiting)
			if (uroce_qp_owes(
				    list_entry(of_qp, struct uroce_roce, active)
					    ->qp))
				return true;
	}
	return false;
}

bool uroce_worker_watch_shm(struct uroce_worker *worker, bool watch)
{
	if (!worker->shm || (!watch && !worker->watched))
		return false;
	worker->watched = watch;
	return uroce_shm_watch(worker->shm, watch) && watch;
}
