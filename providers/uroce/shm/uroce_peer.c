/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A single peer: two rings and a socket. uroce_shm*.c have the set of peers
 * and their states.
 */
#include "uroce/shm/uroce_peer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_direct.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/shm/uroce_shm_rndv.h"
#include "uroce/shm/uroce_shm_state.h"
#include "util/nocancel.h"

/* A peer that has sent more messages is served again later. */
#define MAX_NOTES 64

static struct uroce_peer *alloc_peer(void)
{
	/* whole cache lines that no other object shares */
	size_t size = (sizeof(struct uroce_peer) + UROCE_SHM_RING_LINE - 1) /
		      UROCE_SHM_RING_LINE * UROCE_SHM_RING_LINE;
	struct uroce_peer *peer = aligned_alloc(UROCE_SHM_RING_LINE, size);

	if (!peer)
		return NULL;
	memset(peer, 0, size);
	peer->fd = -1;
	peer->cma.mem = -1;
	uroce_channel_init(&peer->channel);
	list_init(&peer->node);
	list_init(&peer->sent);
	return peer;
}

int uroce_peer_new(struct uroce_shm *shm, uint32_t slot, int *ret_ring,
		   struct uroce_peer **ret_peer)
{
	struct uroce_peer *peer = alloc_peer();
	int ring, ret;

	if (!peer)
		return -ENOMEM;
	peer->shm = shm;
	peer->slot = slot;
	ret = ring = uroce_shm_ring_create();
	if (ring < 0)
		goto err_free;
	ret = uroce_shm_ring_open_receiver(ring, &peer->in);
	if (ret)
		goto err_close;
	*ret_ring = ring;
	*ret_peer = peer;
	return 0;

err_close:
	(void)close(ring);
err_free:
	uroce_peer_free(peer);
	return ret;
}

/* The nr_shared of another worker of this process. */
static const uint32_t any_share = 1;

void uroce_peer_open_memory(struct uroce_peer *peer, int directory,
			    unsigned int kinds)
{
	struct uroce_nonce nonce;

	if (directory < 0 || uroce_shm_remote_open(directory, &peer->remote))
		return;
	peer->channel.chunk = UROCE_SHM_DIRECT_CHUNK;
	peer->channel.direct_begin = uroce_shm_direct_begin;
	peer->channel.direct_end = uroce_shm_direct_end;
	if (peer->pid == getpid()) {
		peer->is_own_memory = true;
		peer->channel.nr_shared = &any_share;
		return;
	}
	if (!uroce_mappings_open(&peer->mappings))
		peer->channel.nr_shared =
			uroce_shm_remote_nr_shared(&peer->remote);
	nonce = uroce_shm_remote_nonce(&peer->remote);
	/*
	 * keep the directory: the peer may reach this process, and quiesce
	 * waits for it
	 */
	if (!kinds || !nonce.address ||
	    uroce_cma_open(peer->pid, kinds, &nonce, &peer->cma))
		return;
	peer->channel.is_recently_polling = uroce_shm_is_recently_polling;
	peer->channel.direct_copy = uroce_shm_direct_copy;
	if (peer->cma.vm && !peer->self &&
	    peer->shm->config.rndv != UROCE_SHM_RNDV_NEVER)
		peer->channel.rndv = &uroce_shm_rndv_ops;
}

void uroce_peer_hang_up(struct uroce_peer *peer)
{
	if (peer->fd >= 0)
		(void)close(peer->fd);
	peer->fd = -1;
}

void uroce_peer_free(struct uroce_peer *peer)
{
	if (!peer)
		return;
	list_del(&peer->node);
	list_del(&peer->sent);
	uroce_shm_ring_close_receiver(&peer->in);
	uroce_shm_ring_close_sender(&peer->out);
	uroce_mappings_close(&peer->mappings);
	uroce_shm_remote_close(&peer->remote);
	uroce_cma_close(&peer->cma);
	uroce_peer_hang_up(peer);
	free(peer);
}

void uroce_peer_forget(struct uroce_peer *peer)
{
	uroce_peer_hang_up(peer);
	peer->in.memory = NULL;
	peer->remote.memory = NULL;
	peer->channel.direct_copy = NULL;
	peer->channel.nr_shared = NULL;
	uroce_mappings_forget(&peer->mappings);
	uroce_cma_close(&peer->cma);
	uroce_shm_ring_forget_sender(&peer->out);
	list_del(&peer->sent);
}

void uroce_peer_ring(const struct uroce_peer *peer)
{
	uint64_t one = 1;

	/*
	 * Neither can be full, as one bell is sent for each sleep. If the peer
	 * is gone, the end of its socket shows it.
	 */
	if (peer->self)
		(void)!write(peer->fd, &one, sizeof(one));
	else
		(void)uroce_pairing_send(peer->fd, UROCE_PAIRING_DOORBELL);
}

/*
 * A peer asks once for a file. A file that cannot be passed is not mapped, and
 * its operations use other paths; a file that is gone may have been requested
 * in good faith.
 */
static int give(struct uroce_peer *peer, struct uroce_shares *shares,
		uint64_t share)
{
	uint64_t *given = &peer->given[share % UROCE_SHARES];
	int ret = 0;
	int fd;

	verbs_mutex_lock(&shares->mutex);
	fd = uroce_shares_fd(shares, share);
	if (fd < 0) {
		(void)uroce_pairing_send_share(
			peer->fd, UROCE_PAIRING_FILE_GONE, share, -1);
	} else if (*given == share) {
		ret = -EPROTO;
	} else {
		*given = share;
		(void)uroce_pairing_send_share(peer->fd, UROCE_PAIRING_FILE,
					       share, fd);
	}
	verbs_mutex_unlock(&shares->mutex);
	return ret;
}

void uroce_peer_share_gone(struct uroce_peer *peer, uint64_t share)
{
	uint64_t *given = &peer->given[share % UROCE_SHARES];

	if (*given != share)
		return;
	*given = 0;
	/* a peer that does not receive it keeps a mapping that it never uses */
	(void)uroce_pairing_send_share(peer->fd, UROCE_PAIRING_FILE_GONE, share,
				       -1);
}

static int receive_note(struct uroce_peer *peer, struct uroce_shares *shares,
			const struct uroce_pair_message *note)
{
	switch (note->what) {
	case UROCE_PAIRING_DOORBELL:
		return 0;
	case UROCE_PAIRING_FILE_REQUEST:
		return give(peer, shares, note->share);
	case UROCE_PAIRING_FILE:
		return uroce_mappings_given(&peer->mappings, note->share,
					    note->fd);
	case UROCE_PAIRING_FILE_GONE:
		return uroce_mappings_gone(&peer->mappings, note->share);
	default:
		return -EPROTO;
	}
}

int uroce_peer_receive(struct uroce_peer *peer, struct uroce_shares *shares)
{
	struct uroce_pair_message note;
	uint64_t rings;
	int ret = 0;

	if (peer->self) {
		(void)!read(peer->fd, &rings, sizeof(rings));
		return 0;
	}
	for (int left = MAX_NOTES; left && !ret; left--) {
		ret = uroce_pairing_receive(peer->fd, &note);
		if (ret)
			break;
		ret = receive_note(peer, shares, &note);
		if (note.fd >= 0)
			(void)close(note.fd);
	}
	return ret == -EAGAIN ? 0 : ret;
}

bool uroce_peer_is_gone(const struct uroce_peer *peer)
{
	struct pollfd poll_fd = { .fd = peer->fd, .events = POLLRDHUP };

	return !peer->self && poll(&poll_fd, 1, 0) > 0;
}

bool uroce_peer_knows_gid(const struct uroce_peer *peer, const uint8_t *gid)
{
	for (uint32_t i = 0; i < UROCE_PEER_GIDS && i < peer->nr_gids; i++)
		if (!memcmp(peer->gids[i], gid, UROCE_GID_LEN))
			return true;
	return false;
}

void uroce_peer_learn_gid(struct uroce_peer *peer, const uint8_t *gid)
{
	memcpy(peer->gids[peer->nr_gids % UROCE_PEER_GIDS], gid, UROCE_GID_LEN);
	peer->nr_gids++;
}
