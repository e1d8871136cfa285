/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The handshake with a process of this host, before the first message: for an
 * RC or UC QP when it enters RTR, for UD before the first datagram. The caller
 * has no lock.
 */
#include <errno.h>

#include "uroce/progress/uroce_worker_shm.h"
#include "uroce/progress/uroce_worker_ud.h"
#include "uroce/udp/uroce_slots.h"
#include "util/clock.h"

/* Delay until the next handshake after a failed one. */
#define RETRY_NS UINT64_C(10000000)

int uroce_worker_connect(struct uroce_worker *worker,
			 const struct uroce_instance *instance,
			 const struct uroce_path *path, uint32_t dest_qpn,
			 struct uroce_channel **ret_channel)
{
	if (!worker->shm || worker->dead)
		return -ENOENT;
	if (!uroce_worker_is_ours(worker, path->dgid) &&
	    !uroce_netdev_is_here(path->dgid, instance->dev.ifindex))
		return -ENOENT;
	return uroce_shm_connect(worker->shm, dest_qpn >> UROCE_SLOT_SHIFT,
				 path->dgid, ret_channel);
}

void uroce_worker_disconnect(struct uroce_worker *worker,
			     struct uroce_channel *channel)
{
	uroce_shm_put_channel(worker->shm, channel);
}

void uroce_worker_resolve_ud_peer(struct uroce_worker *worker,
				  const struct uroce_path *path, uint32_t qpn)
{
	struct uroce_ud_peer *ud_peer = uroce_worker_find_ud_peer(worker, qpn);
	struct uroce_channel *channel;
	int ret;

	if (!ud_peer || !worker->shm || worker->dead)
		return;
	/* in a signal handler: the next datagram makes the handshake */
	if (uroce_lock_is_own(&worker->engine_lock))
		return;
	ret = uroce_shm_connect(worker->shm, qpn >> UROCE_SLOT_SHIFT,
				path->dgid, &channel);
	uroce_worker_acquire(worker);
	if (!ret && (ud_peer->channel || channel->failed))
		uroce_shm_put_channel(worker->shm, channel);
	else if (!ret)
		uroce_ud_peer_set_channel(ud_peer, channel, UROCE_NEVER);
	if (!ud_peer->channel)
		uroce_ud_peer_set_channel(ud_peer, NULL,
					  verbs_now_ns() + RETRY_NS);
	uroce_worker_release(worker);
}
