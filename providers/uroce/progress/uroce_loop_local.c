/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connection between the engine and the rings in shared memory. For an RC
 * or UC QP uroce_loop_connect() selects shared memory or the network once, when
 * the QP enters RTR.
 */
#include "uroce/progress/uroce_loop_local.h"

#include <errno.h>
#include <provider/log.h>
#include <sched.h>
#include <string.h>

#include "uroce/engine/uroce_direct.h"
#include "uroce/engine/uroce_fast.h"
#include "uroce/engine/uroce_split.h"
#include "uroce/local/uroce_inbox.h"
#include "uroce/port/uroce_slots.h"
#include "uroce/progress/uroce_loop_datagram.h"
#include "uroce/uroce_config.h"

/* A copy takes a millisecond; after this time its process was stopped. */
#define COPIES_MS 2000

/* Copies from this size on need much of the validity time of a poll. */
#define MANY_BYTES 4096

/*
 * Timeout of the handshake: a busy process responds as soon as its helper
 * thread gets a processor; a stopped process does not respond.
 */
#define PATIENCE_MS 5000

static bool is_ours(void *arg, const uint8_t *gid)
{
	struct uroce_loop *loop = arg;
	struct list_node *pos;
	bool found = false;

	(void)pthread_mutex_lock(&loop->netdev_mutex);
	list_for_each (pos, &loop->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		found = uroce_netdev_has_gid(&instance->dev, gid);
		if (found)
			break;
	}
	(void)pthread_mutex_unlock(&loop->netdev_mutex);
	return found;
}

/* Publish the rights for direct access: memory regions only, no windows. */
static void on_region(void *arg, const struct uroce_region *region)
{
	const unsigned int rights = IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ |
				    IBV_ACCESS_REMOTE_ATOMIC;
	const struct uroce_loop *loop = arg;
	const bool is_memory = region->kind == UROCE_REGION_MEMORY;
	const struct uroce_shown_region shown = {
		.key = region->key,
		.pd = region->pd,
		.access = is_memory ? region->access & rights : 0,
		.base = (uintptr_t)region->base,
		.iova = region->iova,
		.bytes = region->bytes,
		.share = region->share,
		.share_offset = region->share_offset,
	};

	uroce_local_show_region(loop->local, &shown);
}

static void on_qp(void *arg, const struct uroce_qp *qp)
{
	const unsigned int answered = IBV_ACCESS_REMOTE_READ |
				      IBV_ACCESS_REMOTE_ATOMIC;
	const struct uroce_loop *loop = arg;
	const struct uroce_shown_qp shown = {
		.qpn = qp->qpn,
		.ready = uroce_qp_is_open(qp),
		.dest_qpn = qp->dest_qpn,
		.pd = qp->pd,
		.access = qp->resp.max_resources ? qp->access
						 : qp->access & ~answered,
		.pulls = qp->channel && qp->channel->split && qp->channel->copy,
	};

	uroce_local_show_qp(loop->local, &shown, qp->channel);
}

static int open_slot(struct uroce_loop *loop, uint32_t slot)
{
	const struct uroce_local_config config = {
		.slot = slot,
		.reach_ways = uroce_config_reach_ways(),
		.split = uroce_config_split(),
		.patience_ms = PATIENCE_MS,
		.is_ours = is_ours,
		.arg = loop,
	};

	return uroce_local_open(&config, &loop->local);
}

static void report(int ret)
{
	if (ret)
		verbs_log(NULL, VERBS_LOG_INFO,
			  "uroce: no shared memory with other processes: %s",
			  strerror(-ret));
}

int uroce_loop_open_local(struct uroce_loop *loop, uint32_t slot)
{
	int ret;

	if (!uroce_config_local())
		return 0;
	ret = open_slot(loop, slot);
	if (ret != -EADDRINUSE)
		report(ret);
	return ret;
}

void uroce_loop_show_local(struct uroce_loop *loop)
{
	if (!loop->local)
		return;
	loop->engine.memory.on_change = on_region;
	loop->engine.memory.arg = loop;
	loop->engine.on_qp = on_qp;
	loop->engine.arg = loop;
}

int uroce_loop_await_copies(struct uroce_instance *instance)
{
	struct uroce_loop *loop = instance->loop;
	uint64_t until_ms = uroce_loop_now() / 1000000 + COPIES_MS;

	if (!loop->local || loop->dead)
		return 0;
	return uroce_local_settle(loop->local, until_ms);
}

int uroce_loop_hide_region(struct uroce_instance *instance, uint32_t key)
{
	struct uroce_loop *loop = instance->loop;
	const struct uroce_shown_region none = { .key = key };

	if (!loop->local || loop->dead)
		return 0;
	uroce_loop_acquire(loop);
	uroce_local_show_region(loop->local, &none);
	uroce_memory_hide(&loop->engine.memory, key);
	uroce_split_hide_all(&loop->engine);
	uroce_loop_release(loop);
	return uroce_loop_await_copies(instance);
}

void uroce_loop_get_share(struct uroce_instance *instance, const void *memory,
			  uint64_t bytes, uint64_t *ret_share,
			  uint64_t *ret_offset)
{
	struct uroce_loop *loop = instance->loop;

	if (loop->local && !loop->dead)
		uroce_local_get_share(loop->local, memory, bytes, ret_share,
				      ret_offset);
}

void uroce_loop_put_share(struct uroce_instance *instance, uint64_t share)
{
	struct uroce_loop *loop = instance->loop;

	if (loop->local && !loop->dead)
		uroce_local_put_share(loop->local, share);
}

int uroce_loop_connect(struct uroce_instance *instance,
		       const struct uroce_path *path, uint32_t dest_qpn,
		       struct uroce_channel **ret_channel)
{
	struct uroce_loop *loop = instance->loop;

	if (!loop->local || loop->dead)
		return -ENOENT;
	if (!is_ours(loop, path->dgid) &&
	    !uroce_netdev_is_here(path->dgid, instance->dev.ifindex))
		return -ENOENT;
	return uroce_local_connect(loop->local, dest_qpn >> UROCE_SLOT_SHIFT,
				   path->dgid, ret_channel);
}

void uroce_loop_disconnect(struct uroce_instance *instance,
			   struct uroce_channel *channel)
{
	uroce_local_put_channel(instance->loop->local, channel);
}

static void receive(struct uroce_loop *loop, struct uroce_channel *channel,
		    struct uroce_packet *packet)
{
	struct uroce_path path;

	/* an RNR NAK may start a short timer, which needs the exact time */
	if ((packet->traits & UROCE_T_AETH) &&
	    (packet->syndrome & UROCE_AETH_KIND) != UROCE_AETH_ACK)
		loop->now = uroce_loop_now();
	if ((packet->opcode & UROCE_TRANSPORT_MASK) != UROCE_UD)
		packet->channel = channel;
	else if (!uroce_loop_unpack_datagram(loop, packet, &path))
		return;
	uroce_engine_receive(&loop->engine, packet, loop->now);
}

/* Returns false if @brief is not a valid packet. */
static bool receive_brief(struct uroce_loop *loop,
			  struct uroce_channel *channel,
			  const struct uroce_brief *brief)
{
	struct uroce_packet packet;

	if (brief->payload_len >= MANY_BYTES)
		loop->copied_much = true;
	if (uroce_fast_receive(&loop->engine, channel, brief, loop->now))
		return true;
	if (uroce_inbox_decode(brief, &packet))
		return false;
	receive(loop, channel, &packet);
	return true;
}

static void lose(struct uroce_loop *loop, struct uroce_channel *channel)
{
	list_del(&channel->entry);
	uroce_channel_lose(&loop->engine, channel, loop->now);
	uroce_loop_forget_datagrams(loop, channel);
}

bool uroce_loop_receive_local(struct uroce_loop *loop)
{
	uint64_t received = loop->received;
	struct uroce_channel *channel;
	struct uroce_brief brief;

	if (!loop->local)
		return false;
	uroce_local_begin(loop->local);
	while ((channel = uroce_local_take(loop->local, &brief))) {
		bool is_packet = receive_brief(loop, channel, &brief);

		uroce_local_done(channel, &brief, is_packet);
		loop->received += is_packet;
	}
	loop->traffic += loop->received - received;
	while ((channel = uroce_local_take_lost(loop->local)))
		lose(loop, channel);
	return loop->received != received;
}

void uroce_loop_resume_local(struct uroce_loop *loop)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &loop->full) {
		struct uroce_channel *channel =
			list_entry(pos, struct uroce_channel, entry);

		if (!uroce_local_has_room(channel))
			continue;
		list_del(&channel->entry);
		loop->full_ns = loop->now;
		uroce_channel_resume(&loop->engine, channel);
	}
}

/* Call after each put: QPs of a full channel have to wait. */
static void check_room(struct uroce_loop *loop, struct uroce_channel *channel)
{
	if (uroce_local_has_room(channel))
		return;
	channel->full = true;
	loop->full_ns = loop->now;
	list_add_tail(&loop->full, &channel->entry);
}

static void put(struct uroce_loop *loop, struct uroce_channel *channel,
		const struct uroce_packet *packet, const struct iovec *iov,
		uint32_t nr_iov)
{
	if (packet->payload_len >= MANY_BYTES)
		loop->copied_much = true;
	uroce_local_put(channel, packet, iov, nr_iov);
	check_room(loop, channel);
}

void uroce_loop_send_briefs(struct uroce_loop *loop, struct uroce_qp *qp)
{
	struct uroce_brief brief;

	while (!qp->channel->full && uroce_fast_next(qp, loop->now, &brief)) {
		loop->traffic++;
		uroce_local_put_brief(qp->channel, &brief);
		check_room(loop, qp->channel);
	}
	__atomic_store_n(&qp->next_put, uroce_local_next_put(qp->channel),
			 __ATOMIC_RELAXED);
}

static void put_datagram(struct uroce_loop *loop, struct uroce_channel *channel,
			 const struct uroce_out *out)
{
	struct iovec iov[1 + UROCE_MAX_SGE];
	struct uroce_packet packet = out->packet;
	struct uroce_datagram_path path;

	uroce_loop_pack_datagram(&packet, &path);
	packet.payload_len += (uint32_t)sizeof(path);
	iov[0] = (struct iovec){ .iov_base = &path, .iov_len = sizeof(path) };
	memcpy(iov + 1, out->pieces.iov, out->pieces.nr * sizeof(*iov));
	put(loop, channel, &packet, iov, 1 + out->pieces.nr);
}

bool uroce_loop_put_local(struct uroce_loop *loop, const struct uroce_out *out)
{
	struct uroce_channel *channel = out->qp->channel;

	if (!channel) {
		channel = uroce_loop_datagram_way(loop, &out->packet);
		if (channel)
			put_datagram(loop, channel, out);
	} else if (!channel->lost) {
		put(loop, channel, &out->packet, out->pieces.iov,
		    out->pieces.nr);
	}
	return channel;
}

/* Lets waiting threads run; they need not get the lock before this thread. */
static void let_others(struct uroce_loop *loop)
{
	uroce_loop_release(loop);
	(void)sched_yield();
	uroce_loop_acquire(loop);
}

/* After let_others() the QP may have changed, so all state is read again. */
bool uroce_loop_copy(struct uroce_loop *loop, struct uroce_qp *qp)
{
	bool any = false;

	while (!loop->dead && uroce_ring_has(&qp->sq, qp->req.cur)) {
		struct uroce_send_wqe *wqe =
			uroce_ring_at(&qp->sq, qp->req.cur);
		enum uroce_direct done = UROCE_DIRECT_NO;

		if (!wqe->begun)
			done = uroce_direct_try(qp, wqe, loop->now);
		if (done == UROCE_DIRECT_NO)
			return false;
		if (done == UROCE_DIRECT_MORE)
			let_others(loop);
		any = true;
	}
	/* else a receive WQE may have to be flushed, in a full pass */
	if (any)
		uroce_loop_deliver(loop);
	return any;
}

bool uroce_loop_owes_local(const struct uroce_loop *loop)
{
	struct list_node *pos, *of_qp;

	list_for_each (pos, &loop->full) {
		const struct uroce_channel *channel =
			list_entry(pos, struct uroce_channel, entry);

		list_for_each (of_qp, &channel->waiting)
			if (uroce_qp_owes(
				    list_entry(of_qp, struct uroce_qp, active)))
				return true;
	}
	return false;
}

bool uroce_loop_watch_local(struct uroce_loop *loop, bool watch)
{
	if (!loop->local || (!watch && !loop->watched))
		return false;
	loop->watched = watch;
	return uroce_local_watch(loop->local, watch) && watch;
}
