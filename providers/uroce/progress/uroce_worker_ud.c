/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * UD peers: the processes of this host that datagrams are sent to, by slot. The
 * thread that sends the first datagram to a process makes the handshake
 * (uroce_worker_peer.c). If it fails, datagrams use the network for a while.
 */
#include "uroce/progress/uroce_worker_ud.h"

#include <string.h>

#include "uroce/udp/uroce_slots.h"
#include "util/clock.h"

struct uroce_ud_peer *uroce_worker_find_ud_peer(struct uroce_worker *worker,
						uint32_t qpn)
{
	uint32_t slot = qpn >> UROCE_SLOT_SHIFT;

	if (qpn == UROCE_QPN_MULTICAST || slot >= UROCE_MAX_UD_PEERS)
		return NULL;
	return &worker->ud_peers[slot];
}

bool uroce_instance_is_here(struct uroce_instance *instance, const uint8_t *gid)
{
	const struct uroce_worker *worker = instance->process->workers[0];

	return worker->shm && !worker->dead &&
	       uroce_netdev_is_here(gid, instance->dev.ifindex);
}

bool uroce_worker_has_ud_peer(struct uroce_worker *worker, uint32_t qpn)
{
	const struct uroce_ud_peer *ud_peer =
		uroce_worker_find_ud_peer(worker, qpn);
	uint64_t next_ns;

	if (!ud_peer)
		return true;
	next_ns = __atomic_load_n(&ud_peer->next_ns, __ATOMIC_RELAXED);
	return next_ns == UROCE_NEVER || next_ns > verbs_now_ns();
}

void uroce_ud_peer_set_channel(struct uroce_ud_peer *ud_peer,
			       struct uroce_channel *channel, uint64_t next_ns)
{
	ud_peer->channel = channel;
	__atomic_store_n(&ud_peer->next_ns, next_ns, __ATOMIC_RELAXED);
}

struct uroce_channel *
uroce_worker_datagram_way(struct uroce_worker *worker,
			  const struct uroce_packet *packet)
{
	const struct uroce_ud_peer *ud_peer;
	struct uroce_channel *channel;

	if (!packet->path->here)
		return NULL;
	ud_peer = uroce_worker_find_ud_peer(worker, packet->dest_qpn);
	channel = ud_peer ? ud_peer->channel : NULL;
	return channel && !channel->full && !channel->failed ? channel : NULL;
}

void uroce_worker_pack_datagram(const struct uroce_packet *packet,
				struct uroce_datagram_path *ret_path)
{
	const struct uroce_path *path = packet->path;

	*ret_path = (struct uroce_datagram_path){
		.flow_label = path->flow_label,
		.tclass = path->tclass,
		.hop_limit = path->hop_limit,
	};
	memcpy(ret_path->sgid, path->sgid, UROCE_GID_LEN);
	memcpy(ret_path->dgid, path->dgid, UROCE_GID_LEN);
}

/* As for a socket, the destination must be a local address. */
static bool ud_is_ours(const struct uroce_worker *worker, const uint8_t *gid)
{
	struct list_node *pos;

	list_for_each (pos, &worker->process->instances) {
		const struct uroce_instance *instance =
			list_entry(pos, struct uroce_instance, entry);

		if (uroce_netdev_has_gid(&instance->dev, gid))
			return true;
	}
	return false;
}

bool uroce_worker_unpack_datagram(struct uroce_worker *worker,
				  struct uroce_packet *packet,
				  struct uroce_path *ret_path)
{
	struct uroce_datagram_path path;

	if (packet->payload_len < sizeof(path) ||
	    packet->payload_len - sizeof(path) > UROCE_MAX_MTU ||
	    packet->dest_qpn == UROCE_QPN_MULTICAST)
		return false;
	/* a copy: the peer can write to the payload at any time */
	memcpy(&path, packet->payload, sizeof(path));
	if (!ud_is_ours(worker, path.dgid))
		return false;
	*ret_path = (struct uroce_path){
		.flow_label = path.flow_label & UROCE_FLOW_LABEL_MASK,
		.tclass = path.tclass,
		.hop_limit = path.hop_limit,
	};
	memcpy(ret_path->sgid, path.sgid, UROCE_GID_LEN);
	memcpy(ret_path->dgid, path.dgid, UROCE_GID_LEN);
	packet->path = ret_path;
	packet->payload += sizeof(path);
	packet->payload_len -= (uint32_t)sizeof(path);
	return true;
}

void uroce_worker_forget_datagrams(struct uroce_worker *worker,
				   const struct uroce_channel *channel)
{
	for (uint32_t i = 0; i < UROCE_MAX_UD_PEERS; i++) {
		struct uroce_ud_peer *ud_peer = &worker->ud_peers[i];

		if (ud_peer->channel != channel)
			continue;
		uroce_shm_put_channel(worker->shm, ud_peer->channel);
		uroce_ud_peer_set_channel(ud_peer, NULL, 0);
		return; /* one UD peer for each channel */
	}
}

void uroce_worker_release_ud_peers(struct uroce_worker *worker)
{
	for (uint32_t i = 0; i < UROCE_MAX_UD_PEERS; i++)
		if (worker->ud_peers[i].channel)
			uroce_worker_forget_datagrams(
				worker, worker->ud_peers[i].channel);
}
