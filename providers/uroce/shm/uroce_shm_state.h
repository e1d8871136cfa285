/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State that uroce_shm.c, uroce_shm_connect.c, uroce_shm_serve.c and
 * uroce_shm_path.c share.
 *
 * States of a peer: the handshake creates it, enters it into the table and
 * passes it to the data path (arrived). When the peer dies, it is removed from
 * the table and marked dead. The data path, notified by "news", receives the
 * remaining packets and moves the peer from the list active to failed.
 * uroce_shm_take_failed() moves it to the third list, and it is freed when it
 * has no references.
 */
#ifndef UROCE_SHM_STATE_H
#define UROCE_SHM_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/shm/uroce_peer.h"
#include "uroce/shm/uroce_shm.h"
#include "util/list.h"
#include "util/lock.h"

#define UROCE_SHM_SLOTS	  256 /* a slot has 8 bits in a QPN */
#define UROCE_SHM_CLIENTS 128 /* concurrent handshakes */

/* Values of "refused" that are no process id. */
#define UROCE_SHM_REJECT_NONE (-1)
#define UROCE_SHM_REJECT_ALL  (-2)

/* A client: a process that has connected and is no peer yet. */
struct uroce_shm_client {
	int fd;			 /* -1: none */
	uint64_t until_ms;	 /* deadline of the handshake */
	struct uroce_peer *peer; /* NULL: the hello has not come */
	int pid;		 /* 0: in another pid namespace */
};

/* The data of an epoll event: a source, and an index in the low bits. */
enum uroce_shm_source {
	UROCE_SHM_SOURCE_LISTENER = 0 << 16,
	UROCE_SHM_SOURCE_CLIENT = 1 << 16,
	UROCE_SHM_SOURCE_PAIR = 2 << 16,
	UROCE_SHM_SOURCE_MASK = 3 << 16,
};

struct uroce_shm {
	struct uroce_shm_config config;
	uint64_t token; /* of this process */
	int epoll;
	int listener;
	bool abandoned;

	/* The data path: with the engine lock. */
	struct uroce_shm_directory
		directory; /* the own MR directory; constant fd */
	uint32_t polls;	   /* own polls that were published */
	uint32_t seen_news;
	uint32_t nr_active;
	/* of struct uroce_peer.node */
	struct list_node active, failed, reported;
	struct list_node sent;	/* of struct uroce_peer.sent */
	struct list_node *turn; /* in "active": the ring to poll next */
	uint32_t left;		/* packets to take from this ring */
	struct uroce_shm_counters counters;

	/* Atomic. */
	/* changes when a peer arrives, dies, or gives a memory file */
	uint32_t news;
	struct uroce_peer *arrived;

	/* The handshake. The mutex is a leaf; only cond waits with it. */
	struct verbs_mutex mutex;
	pthread_cond_t changed;
	struct uroce_peer *table[UROCE_SHM_SLOTS]; /* live peers */
	int rejected_pids[UROCE_SHM_SLOTS];	   /* pid that was rejected */
	bool connecting[UROCE_SHM_SLOTS];	   /* a handshake as client */
	bool has_network;			   /* uroce_shm_set_network() */
	int connections[UROCE_SHM_SLOTS];	   /* its socket, or -1 */
	int pending_confirm[UROCE_SHM_SLOTS]; /* unconfirmed client, or -1 */

	/* The thread that calls uroce_shm_serve(). */
	struct uroce_shm_client clients[UROCE_SHM_CLIENTS];
	uint32_t nr_clients;
	bool paused;	 /* the listener is paused */
	bool out_of_fds; /* because of the descriptor limit */
	bool rejected;	 /* because another user has connected */
};

/** uroce_shm_signal_locked() - wake the threads that wait for a change */
void uroce_shm_signal_locked(struct uroce_shm *shm);

/** uroce_shm_watch_fd() - add a socket to the epoll set; 0 or -errno */
int uroce_shm_watch_fd(struct uroce_shm *shm, int op, int fd, uint32_t source,
		       uint32_t index);

/**
 * uroce_shm_enter_locked() - enter a peer into the table: it is a pair now
 * @peer: with its socket; the table owns it afterwards
 * @op: EPOLL_CTL_ADD, or EPOLL_CTL_MOD if the socket is watched already
 *
 * Return: 0, or -errno without a change.
 */
int uroce_shm_enter_locked(struct uroce_shm *shm, struct uroce_peer *peer,
			   int op);

/**
 * uroce_shm_remove_locked() - remove a dead peer; the data path does the rest
 */
void uroce_shm_remove_locked(struct uroce_shm *shm, struct uroce_peer *peer);

/**
 * uroce_shm_reject_locked() - reject a process in a slot permanently
 * @pid: the process; a later process with the slot may become a peer. Or
 *	UROCE_SHM_REJECT_ALL
 */
void uroce_shm_reject_locked(struct uroce_shm *shm, uint32_t slot, int pid);

/** uroce_shm_rejects_locked() - return whether a process was rejected */
bool uroce_shm_rejects_locked(const struct uroce_shm *shm, uint32_t slot,
			      int pid);

#endif
