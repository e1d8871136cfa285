/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A peer: the other process of a pair, or this process itself. The struct
 * groups its members by their users: the handshake (mutex of struct
 * uroce_shm), the data path (engine lock), and both (atomics).
 */
#ifndef UROCE_PEER_H
#define UROCE_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_cma.h"
#include "uroce/shm/uroce_mapping.h"
#include "uroce/shm/uroce_selection.h"
#include "uroce/shm/uroce_shm_directory.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/wire/uroce_packet.h"
#include "util/list.h"

#define UROCE_PEER_GIDS 8

struct uroce_shm;

struct uroce_peer {
	/* Constant after the handshake. */
	struct uroce_shm *shm;
	uint32_t slot;
	bool self;	    /* this worker */
	bool is_own_memory; /* another worker of this process */
	uint64_t token;	    /* of the peer */
	int pid;	    /* 0: in another pid namespace */
	int fd; /* socket of the pair, or an eventfd; the data path closes it */
	struct uroce_shm_remote remote; /* its MR directory; may be none */
	struct uroce_cma cma;		/* CMA, if channel.direct_copy is set */
	struct uroce_mappings
		mappings; /* with a directory: its mapped memory files */

	/* The data path. */
	struct uroce_channel channel;
	struct uroce_selection selection[UROCE_NR_SINKS]; /* of protocols */
	/* copy counter at the last failed quiesce; odd */
	uint32_t given_up;
	struct uroce_shm_ring_receiver in;
	bool protocol_error; /* after a protocol error: packets are ignored */
	bool was_active; /* its application was active since the last request */
	uint32_t packet_polls; /* uroce_shm.polls at that time */
	bool dying; /* dead, with packets that are not received yet */
	struct list_node node; /* in a list of struct uroce_shm */
	struct list_node sent; /* in "sent" of uroce_shm, or in none */
	struct uroce_shm_ring_sender out;

	/* The handshake. */
	uint8_t gids[UROCE_PEER_GIDS][UROCE_GID_LEN]; /* of the peer */
	uint32_t nr_gids;	      /* ever learned; the last ones are kept */
	uint64_t given[UROCE_SHARES]; /* own files that it requested */

	/* Atomic. The number of uses of a dead peer does not grow. */
	uint32_t uses;
	bool dead;
	struct uroce_peer *next; /* in the list "arrived" */
};

/** uroce_peer_of() - return the peer of a channel */
static inline struct uroce_peer *uroce_peer_of(struct uroce_channel *its)
{
	return list_entry(its, struct uroce_peer, channel);
}

/**
 * uroce_peer_new() - create a peer that has an own ring and nothing else
 * @ret_ring: receives a descriptor of the ring, which the caller closes
 * @ret_peer: receives the peer, to be freed with uroce_peer_free()
 *
 * Return: 0, -ENOMEM, or -errno.
 */
int uroce_peer_new(struct uroce_shm *shm, uint32_t slot, int *ret_ring,
		   struct uroce_peer **ret_peer);

/**
 * uroce_peer_open_memory() - find out whether CMA reaches the memory of a peer
 * @peer: with its pid; no other thread knows it yet
 * @directory: descriptor of its MR directory, which the caller closes; -1: none
 * @kinds: permitted kinds of CMA (enum uroce_cma_kind)
 *
 * If CMA works, the channel permits direct access (uroce_shm_direct.c). If not,
 * the directory still shows which memory files of the peer can be mapped, and
 * whether the peer copies to or from the memory of this process.
 */
void uroce_peer_open_memory(struct uroce_peer *peer, int directory,
			    unsigned int kinds);

/** uroce_peer_free() - unmap the memory of a peer, close its socket, free it */
void uroce_peer_free(struct uroce_peer *peer);

/** uroce_peer_forget() - in a child of fork(): close descriptors only */
void uroce_peer_forget(struct uroce_peer *peer);

/** uroce_peer_hang_up() - close the socket of a peer, keep its memory */
void uroce_peer_hang_up(struct uroce_peer *peer);

/** uroce_peer_ring() - wake the helper thread of a peer */
void uroce_peer_ring(const struct uroce_peer *peer);

/**
 * uroce_peer_receive() - receive messages of the socket, a bounded number of
 * them
 * @shares: own memory files; with their lock
 *
 * Return: 0, or -EPROTO if the peer is gone or broke the protocol.
 */
int uroce_peer_receive(struct uroce_peer *peer, struct uroce_shares *shares);

/** uroce_peer_share_gone() - notify a peer that has a file; the same lock */
void uroce_peer_share_gone(struct uroce_peer *peer, uint64_t share);

/** uroce_peer_is_gone() - return whether the peer died; reads no message */
bool uroce_peer_is_gone(const struct uroce_peer *peer);

/** uroce_peer_knows_gid() - return whether a GID is known to be the peer's */
bool uroce_peer_knows_gid(const struct uroce_peer *peer, const uint8_t *gid);

/** uroce_peer_learn_gid() - remember a GID that the peer has confirmed */
void uroce_peer_learn_gid(struct uroce_peer *peer, const uint8_t *gid);

#endif
