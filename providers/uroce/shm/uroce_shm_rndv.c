/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of ../roce/uroce_rndv.c that accesses the memory of the peer.
 * uroce_shm_direct.c describes why that is safe: a process that copies
 * publishes it, and a process that withdraws memory waits for it.
 */
#include "uroce/shm/uroce_shm_rndv.h"

#include <errno.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/clock.h"
#include "util/nocancel.h"

static bool shm_rndv_choose(struct uroce_channel *channel,
			    enum uroce_sink_kind kind, uint32_t qpn,
			    uint32_t psn)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	if (!channel->direct_copy)
		return false;
	if (peer->shm->config.rndv != UROCE_SHM_RNDV_TRY)
		return peer->shm->config.rndv == UROCE_SHM_RNDV_ALWAYS;
	return uroce_selection_begin(&peer->selection[kind], qpn, psn,
				     verbs_now_ns()) == UROCE_PROTOCOL_RNDV;
}

static void shm_rndv_learn(struct uroce_channel *channel,
			   enum uroce_sink_kind kind, uint32_t qpn,
			   uint32_t psn, uint32_t bytes)
{
	struct uroce_peer *peer = uroce_peer_of(channel);

	if (peer->shm->config.rndv == UROCE_SHM_RNDV_TRY)
		uroce_selection_end(&peer->selection[kind], qpn, psn, bytes,
				    verbs_now_ns());
}

static struct uroce_wanted wanted_of(const struct uroce_peer *peer,
				     const struct uroce_qpn_pair *qpns)
{
	return (struct uroce_wanted){
		.qpn = qpns->qpn,
		.token = peer->shm->token,
		.dest_qpn = qpns->dest_qpn,
	};
}

static bool is_open(struct uroce_channel *channel,
		    const struct uroce_qpn_pair *qpns)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);
	const struct uroce_wanted wanted = wanted_of(peer, qpns);
	bool pulls;

	return channel->direct_copy &&
	       uroce_shm_remote_is_open(&peer->remote, &wanted, &pulls) &&
	       pulls;
}

static bool shm_rndv_find(struct uroce_channel *channel,
			  const struct uroce_qpn_pair *qpns,
			  enum uroce_sink_kind kind,
			  struct uroce_sink *ret_sink)
{
	return uroce_shm_remote_sink(&uroce_peer_of(channel)->remote,
				     qpns->dest_qpn, kind, ret_sink);
}

/* The peer does not wait for this process, or is dead. */
static bool is_lost(const struct uroce_peer *peer)
{
	return !peer->channel.direct_copy || !peer->shm->directory.memory ||
	       peer->protocol_error || peer->dying;
}

static int transfer(struct uroce_peer *peer, uint64_t address, bool write,
		    const struct iovec *iov)
{
	const struct uroce_transfer transfer = {
		.address = address,
		.bytes = (uint32_t)iov->iov_len,
		.write = write,
		.iov = iov,
		.nr_iov = 1,
	};
	struct uroce_shm_counters *counters = &peer->shm->counters;
	int ret = uroce_cma_copy(&peer->cma, &transfer);

	if (ret == -EPERM) /* it was permitted before, and is no longer */
		peer->channel.direct_copy = NULL;
	if (ret)
		return ret;
	if (write)
		counters->pushed_bytes += iov->iov_len;
	else
		counters->pulled_bytes += iov->iov_len;
	return 0;
}

static int push_locked(struct uroce_peer *peer,
		       const struct uroce_qpn_pair *qpns,
		       enum uroce_sink_kind kind, const struct uroce_sink *sink,
		       uint32_t from, const struct iovec *iov)
{
	struct uroce_sink now;

	if (!is_open(&peer->channel, qpns) ||
	    !shm_rndv_find(&peer->channel, qpns, kind, &now) ||
	    now.psn != sink->psn || now.address != sink->address ||
	    from > now.bytes || iov->iov_len > now.bytes - from)
		return -EACCES;
	return transfer(peer, now.address + from, true, iov);
}

static int shm_rndv_push(struct uroce_channel *channel,
			 const struct uroce_qpn_pair *qpns,
			 enum uroce_sink_kind kind,
			 const struct uroce_sink *sink, uint32_t from,
			 const struct iovec *iov)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	int ret;

	if (is_lost(peer))
		return -ENOTCONN;
	uroce_shm_directory_begin(&peer->shm->directory, peer->slot);
	ret = push_locked(peer, qpns, kind, sink, from, iov);
	uroce_shm_directory_end(&peer->shm->directory, peer->slot);
	return ret;
}

static int pull(struct uroce_channel *channel,
		const struct uroce_qpn_pair *qpns, uint64_t address,
		const struct iovec *iov)
{
	struct uroce_peer *peer = uroce_peer_of(channel);
	int ret;

	if (is_lost(peer))
		return -ENOTCONN;
	uroce_shm_directory_begin(&peer->shm->directory, peer->slot);
	ret = is_open(channel, qpns) ? transfer(peer, address, false, iov)
				     : -EACCES;
	uroce_shm_directory_end(&peer->shm->directory, peer->slot);
	return ret;
}

static void shm_rndv_publish(struct uroce_channel *channel, uint32_t qpn,
			     enum uroce_sink_kind kind,
			     const struct uroce_sink *sink)
{
	uroce_shm_directory_publish_sink(
		&uroce_peer_of(channel)->shm->directory, qpn, kind, sink);
}

static uint32_t copying(const struct uroce_peer *peer)
{
	return uroce_shm_remote_copying(&peer->remote, peer->shm->config.slot);
}

/* Even: no access; one wait that was given up is enough, for all QPs. */
static uint32_t shm_rndv_accesses(struct uroce_channel *channel)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);
	uint32_t count;

	if (!peer->remote.memory) /* in a child of fork() */
		return 0;
	count = copying(peer);
	return count % 2 && count != peer->given_up ? count : 0;
}

static bool shm_rndv_is_quiet(struct uroce_channel *channel, uint32_t accesses)
{
	const struct uroce_peer *peer = uroce_peer_of(channel);

	return copying(peer) != accesses ||
	       __atomic_load_n(&peer->dead, __ATOMIC_RELAXED);
}

static void shm_rndv_give_up(struct uroce_channel *channel, uint32_t accesses)
{
	uroce_peer_of(channel)->given_up = accesses;
}

const struct uroce_rndv_ops uroce_shm_rndv_ops = {
	.choose = shm_rndv_choose,
	.learn = shm_rndv_learn,
	.is_open = is_open,
	.find = shm_rndv_find,
	.push = shm_rndv_push,
	.pull = pull,
	.publish = shm_rndv_publish,
	.accesses = shm_rndv_accesses,
	.is_quiet = shm_rndv_is_quiet,
	.give_up = shm_rndv_give_up,
};
