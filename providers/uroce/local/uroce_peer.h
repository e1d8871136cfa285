/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A peer: the other process of a pair, or this one. Who may touch which member
 * is told here, as three parties do: the handshake (the mutex of struct
 * uroce_local), the data path (the engine lock), and whoever frees it.
 */
#ifndef UROCE_PEER_H
#define UROCE_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/engine/uroce_channel.h"
#include "uroce/local/uroce_inbox.h"
#include "uroce/local/uroce_mapping.h"
#include "uroce/local/uroce_reach.h"
#include "uroce/local/uroce_tables.h"
#include "uroce/local/uroce_trial.h"
#include "uroce/wire/uroce_packet.h"
#include "util/list.h"

#define UROCE_PEER_GIDS 8

struct uroce_local;

struct uroce_peer {
	/* Set before anybody else knows it. */
	struct uroce_local *local;
	uint32_t slot;
	bool self;	/* we are both sides */
	uint64_t token; /* of the other side */
	int pid;	/* likewise; 0: it cannot be seen from here */
	int fd; /* the pair's socket, or an eventfd; closed by the data path */
	struct uroce_view view;	  /* what it shows; none: we show it nothing */
	struct uroce_reach reach; /* its memory, if channel.copy is set */
	struct uroce_mappings
		mappings; /* with a view: what of it is ours, too */

	/* The data path. */
	struct uroce_channel channel;
	struct uroce_trial trial[UROCE_NR_LANDINGS]; /* what is faster */
	/* odd: so far its copies were when it was waited for in vain */
	uint32_t given_up;
	struct uroce_inbox_receiver in;
	bool mad;   /* nothing of it is believed any more */
	bool heard; /* its application did something since it was asked for */
	uint32_t heard_polls; /* uroce_local.polls then */
	bool dying; /* it is dead; what it has sent is still to be received */
	struct list_node node; /* in one of the lists of struct uroce_local */
	struct list_node sent; /* in its list "sent", or in none */
	struct uroce_inbox_sender out;

	/* The handshake. */
	uint8_t gids[UROCE_PEER_GIDS][UROCE_GID_LEN]; /* that are its own */
	uint32_t nr_gids; /* that were learned; the last ones are known */
	uint64_t given[UROCE_SHARES]; /* shares of ours that it has asked for */

	/* Atomic. Once dead, uses does not grow any more. */
	uint32_t uses;
	bool dead;
	struct uroce_peer *next; /* in the list "arrived" of new ones */
};

/** uroce_peer_of() - whose channel it is */
static inline struct uroce_peer *uroce_peer_of(struct uroce_channel *its)
{
	return list_entry(its, struct uroce_peer, channel);
}

/**
 * uroce_peer_new() - a peer with an inbox of ours, and nothing else
 * @ret_inbox: receives a descriptor of it, which is the caller's
 * @ret_peer: receives it; to be given back to uroce_peer_free()
 *
 * Return: 0, -ENOMEM, or -errno.
 */
int uroce_peer_new(struct uroce_local *local, uint32_t slot, int *ret_inbox,
		   struct uroce_peer **ret_peer);

/**
 * uroce_peer_look() - see whether its memory can be reached from here
 * @peer: with its pid; nobody else knows it yet
 * @tables: a descriptor of its tables, which stays the caller's; -1: none
 * @ways: that may be used; enum uroce_reach_way
 *
 * If so its channel can copy (uroce_copy.c). If not, its tables still tell what
 * of it can be mapped, and whether it copies to or from our memory: the system
 * may let it.
 */
void uroce_peer_look(struct uroce_peer *peer, int tables, unsigned int ways);

/** uroce_peer_free() - unmap its memory, close its socket */
void uroce_peer_free(struct uroce_peer *peer);

/** uroce_peer_forget() - in a child of fork(): close, but there is no memory */
void uroce_peer_forget(struct uroce_peer *peer);

/** uroce_peer_hang_up() - close its socket, but keep its memory */
void uroce_peer_hang_up(struct uroce_peer *peer);

/** uroce_peer_ring() - wake the one who sleeps there */
void uroce_peer_ring(const struct uroce_peer *peer);

/**
 * uroce_peer_hear() - take in what there is at the socket, or some of it
 * @shares: ours; with the lock of these
 *
 * Return: 0, or -EPROTO if the other side is gone, or has gone mad.
 */
int uroce_peer_hear(struct uroce_peer *peer, const struct uroce_shares *shares);

/** uroce_peer_share_gone() - tell it, if it has asked; with the same lock */
void uroce_peer_share_gone(struct uroce_peer *peer, uint64_t share);

/** uroce_peer_is_gone() - whether the other side is; bells are left alone */
bool uroce_peer_is_gone(const struct uroce_peer *peer);

/** uroce_peer_knows_gid() - whether it is known to have a GID */
bool uroce_peer_knows_gid(const struct uroce_peer *peer, const uint8_t *gid);

/** uroce_peer_learn_gid() - it has told us that it has */
void uroce_peer_learn_gid(struct uroce_peer *peer, const uint8_t *gid);

#endif
