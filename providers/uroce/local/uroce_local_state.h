/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What uroce_local.c, uroce_local_connect.c, uroce_local_serve.c and
 * uroce_local_path.c share.
 *
 * The life of a peer: the handshake makes it, enters it into the table and
 * hands it to the data path (arrived). When the other side dies it is taken out
 * of the table and marked dead. The data path, which is told so by "news",
 * receives what is left, and moves it from the list active to lost; from there
 * it goes to told when uroce_local_take_lost() has returned it. It is freed
 * when it has no uses any more, and from then on only.
 */
#ifndef UROCE_LOCAL_STATE_H
#define UROCE_LOCAL_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/local/uroce_local.h"
#include "uroce/local/uroce_peer.h"
#include "util/list.h"
#include "util/lock.h"

#define UROCE_LOCAL_SLOTS  256 /* a slot has 8 bits in a QPN */
#define UROCE_LOCAL_GUESTS 128 /* that are being talked to at the same time */

/* Instead of a process id. */
#define UROCE_REFUSE_NOBODY (-1)
#define UROCE_REFUSE_ALL    (-2)

/* One who has connected to us and is no peer yet. */
struct uroce_guest {
	int fd;			 /* -1: none */
	uint64_t until_ms;	 /* then it has to be one */
	struct uroce_peer *peer; /* NULL: the hello has not come */
	int pid;		 /* 0: it cannot be seen from here */
};

/* What the low bits of an event's data are: an index, and what has it. */
enum uroce_local_source {
	UROCE_SOURCE_LISTENER = 0 << 16,
	UROCE_SOURCE_GUEST = 1 << 16,
	UROCE_SOURCE_PAIR = 2 << 16,
	UROCE_SOURCE_MASK = 3 << 16,
};

struct uroce_local {
	struct uroce_local_config config;
	uint64_t token; /* ours */
	int epoll;
	int listener;
	bool abandoned;

	/* The data path: the engine lock. */
	struct uroce_tables tables; /* what we show; its descriptor is const */
	uint32_t polls;		    /* of ours that were told */
	uint32_t seen_news;
	uint32_t nr_active;
	struct list_node active, lost, told; /* of struct uroce_peer.node */
	struct list_node sent;		     /* of struct uroce_peer.sent */
	struct list_node *turn; /* in "active": whose inbox is looked at */
	uint32_t left;		/* packets, then it is the next one's turn */
	struct uroce_local_counters counters;

	/* Atomic. */
	/* changes when somebody has arrived, has died, or has given something
	 */
	uint32_t news;
	struct uroce_peer *arrived;

	/* The handshake. The mutex is a leaf; nothing waits with it but cond.
	 */
	struct verbs_mutex mutex;
	pthread_cond_t changed;
	struct uroce_peer *table[UROCE_LOCAL_SLOTS]; /* who lives */
	int refused[UROCE_LOCAL_SLOTS];	    /* process there that is no pair */
	bool connecting[UROCE_LOCAL_SLOTS]; /* we are a guest there */
	bool has_network;		    /* uroce_local_set_network() */
	int calls[UROCE_LOCAL_SLOTS];	    /* the socket of it, or -1 */
	int awaited[UROCE_LOCAL_SLOTS];	    /* of who has our OK, or -1 */
	struct uroce_shares shares;	    /* ours; its member maps is const */

	/* The thread that serves. */
	struct uroce_guest guests[UROCE_LOCAL_GUESTS];
	uint32_t nr_guests;
	bool deaf;     /* the listener is not watched */
	bool starved;  /* because there was no descriptor */
	bool rejected; /* likewise, because another user has connected */
};

/** uroce_local_tell_locked() - something has changed; wakes who waits for it */
void uroce_local_tell_locked(struct uroce_local *local);

/** uroce_local_watch_fd() - have serve() called for a socket; 0 or -errno */
int uroce_local_watch_fd(struct uroce_local *local, int op, int fd,
			 uint32_t source, uint32_t index);

/**
 * uroce_local_enter_locked() - a peer is one of a pair from now on
 * @peer: with its socket; it is the table's then
 * @op: EPOLL_CTL_ADD, or EPOLL_CTL_MOD if the socket is watched already
 *
 * Return: 0, or -errno; then nothing has changed.
 */
int uroce_local_enter_locked(struct uroce_local *local, struct uroce_peer *peer,
			     int op);

/** uroce_local_bury_locked() - a peer is dead; the data path sees to the rest
 */
void uroce_local_bury_locked(struct uroce_local *local,
			     struct uroce_peer *peer);

/**
 * uroce_local_refuse_locked() - a process is no pair with us, once and for all
 * @pid: which one; there may come another one that is. Or UROCE_REFUSE_ALL
 */
void uroce_local_refuse_locked(struct uroce_local *local, uint32_t slot,
			       int pid);

/** uroce_local_refuses_locked() - whether it is known to be none */
bool uroce_local_refuses_locked(const struct uroce_local *local, uint32_t slot,
				int pid);

#endif
