/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication through shared memory with other processes of this host and
 * user. Called by ../uroce_worker*.c and ../uroce_instance.c only.
 *
 * Two processes that have a slot each (../udp/uroce_slots.h) become a pair
 * when the first QP of one is connected to a QP of the other: over the
 * bootstrap socket "local.<slot>" they check each other's identity and pass
 * each other a ring in shared memory. The socket stays open: a message on it
 * (the doorbell) wakes a sleeping peer, and its end shows that the peer has
 * died. A process is also a pair with itself.
 *
 * Whether two processes are a pair is decided once, and both know the result.
 * If they are not a pair, both use the network for all QPs between them.
 *
 * Locks: the caller owns the engine lock; functions that need it say so.
 * Connecting and serving wait for other processes and must be called without
 * the engine lock.
 */
#ifndef UROCE_SHM_H
#define UROCE_SHM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_share.h"
#include "uroce/shm/uroce_shm_directory.h"
#include "uroce/wire/uroce_packet.h"

struct uroce_shm;

/* Whether both sides copy long messages (../roce/uroce_rndv.h). */
enum uroce_shm_rndv {
	UROCE_SHM_RNDV_TRY, /* if measurements show that it is faster */
	UROCE_SHM_RNDV_NEVER,
	UROCE_SHM_RNDV_ALWAYS,
};

struct uroce_shm_config {
	uint32_t slot;	      /* of this process */
	uint32_t patience_ms; /* timeout of a peer in the handshake */
	/*
	 * Kinds of CMA (enum uroce_cma_kind) that this process may use for the
	 * memory of peers, and whether peers may use any for its memory; 0: the
	 * responder executes all WRITEs and READs, except in shared memory.
	 */
	unsigned int cma_kinds;
	enum uroce_shm_rndv rndv;
	struct uroce_shares *shares; /* memory files that peers may map */
	/*
	 * is_ours() - whether a GID is one of an open device of this process
	 *
	 * Called by uroce_shm_connect() and uroce_shm_serve().
	 */
	bool (*is_ours)(void *arg, const uint8_t *gid);
	void *arg;
};

/**
 * uroce_shm_open() - accept connections of peers
 * @config: copied
 * @ret_shm: receives it; to be given back to uroce_shm_close()
 *
 * Return: 0, -ENOMEM, -EADDRINUSE if the name is taken, or -errno.
 */
int uroce_shm_open(const struct uroce_shm_config *config,
		   struct uroce_shm **ret_shm);

/**
 * uroce_shm_set_network() - QPs of this process that get no channel can use
 * the network from now on; any thread
 */
void uroce_shm_set_network(struct uroce_shm *shm);

/** uroce_shm_close() - free it; no QP is bound to a channel */
void uroce_shm_close(struct uroce_shm *shm);

/**
 * uroce_shm_abandon() - in a child of fork()
 *
 * Closes the descriptors: while the child had them, peers would not notice the
 * death of the parent. The child has no mapping of the rings. Afterwards no
 * packet arrives, and none can be sent.
 */
void uroce_shm_abandon(struct uroce_shm *shm);

/** uroce_shm_fd() - call uroce_shm_serve() when this is readable */
int uroce_shm_fd(const struct uroce_shm *shm);

/**
 * uroce_shm_serve() - continue handshakes, read bells, notice dead peers
 *
 * Never waits for a peer.
 *
 * Context: one thread, without the engine lock.
 * Return: whether another user has connected. Then no connection is accepted
 * until uroce_shm_end_pause(), so that a flood of connections costs little;
 * call this function again after that.
 */
bool uroce_shm_serve(struct uroce_shm *shm);

/** uroce_shm_end_pause() - accept connections again; the same thread */
void uroce_shm_end_pause(struct uroce_shm *shm);

/**
 * uroce_shm_connect() - get the channel to the process with a slot
 * @shm: served meanwhile by another thread
 * @slot: of the remote QP
 * @dgid: GID of the remote QP, presumably one of this host
 * @ret_channel: receives the channel, with a reference that
 *	uroce_shm_put_channel() drops
 *
 * Waits for the peer up to patience_ms, and up to three times as long if the
 * peer connects to this process at the same time.
 *
 * Return: 0; -ENOENT if no such process exists, it does not have @dgid, or the
 * two are not a pair: use the network; -ENOMEM, -EMFILE.
 */
int uroce_shm_connect(struct uroce_shm *shm, uint32_t slot, const uint8_t *dgid,
		      struct uroce_channel **ret_channel);

/** uroce_shm_put_channel() - drop a reference; with the engine lock */
void uroce_shm_put_channel(struct uroce_shm *shm,
			   struct uroce_channel *channel);

/**
 * uroce_shm_publish_pd() - uroce_shm_directory_publish_pd(); with the engine
 * lock
 */
void uroce_shm_publish_pd(struct uroce_shm *shm, uint32_t context, uint32_t pd,
			  bool exists);

/**
 * uroce_shm_quiesce() - quiesce: wait until no peer accesses memory of this
 * process by directory entries that were withdrawn
 * @until_ms: deadline: CLOCK_MONOTONIC, in ms
 *
 * Call this after uroce_shm_publish_region() or uroce_shm_publish_qp() has
 * withdrawn an entry, and before the memory is used for other purposes.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY if a peer is still copying: it was stopped.
 */
int uroce_shm_quiesce(struct uroce_shm *shm, uint64_t until_ms);

/**
 * uroce_shm_share_gone() - report the end of a share to the peers that map it
 *
 * No peer copies to its regions any more. Context: any thread, without the
 * engine lock.
 */
void uroce_shm_share_gone(struct uroce_shm *shm, uint64_t share);

/* The data path. All functions need the engine lock. */

/** uroce_shm_publish_region() - publish, change or withdraw a region */
void uroce_shm_publish_region(struct uroce_shm *shm,
			      const struct uroce_published_region *region);

/**
 * uroce_shm_publish_qp() - publish whether a QP permits direct access
 * @qp: all members but the token
 * @channel: the channel of the QP; NULL: none
 */
void uroce_shm_publish_qp(struct uroce_shm *shm,
			  const struct uroce_published_qp *qp,
			  struct uroce_channel *channel);

/** uroce_shm_polled() - note that the application polls; @now: ns */
void uroce_shm_polled(struct uroce_shm *shm, uint64_t now);

/** uroce_shm_put() - send a packet over a channel that is not full */
void uroce_shm_put(struct uroce_channel *channel,
		   const struct uroce_packet *packet, const struct iovec *iov,
		   uint32_t nr_iov);

/** uroce_shm_next_put() - uroce_shm_ring_next_put() of a channel */
const void *uroce_shm_next_put(struct uroce_channel *channel);

/** uroce_shm_put_eager() - send an encoded packet, like uroce_shm_put() */
void uroce_shm_put_eager(struct uroce_channel *channel,
			 const struct uroce_eager_entry *eager);

/** uroce_shm_has_room() - return whether a packet can be put */
bool uroce_shm_has_room(struct uroce_channel *channel);

/** uroce_shm_flush() - wake the sleeping peers to which packets were sent */
void uroce_shm_flush(struct uroce_shm *shm);

/** uroce_shm_begin() - take in new and dead peers before receiving */
void uroce_shm_begin(struct uroce_shm *shm);

/**
 * uroce_shm_take() - take the next received packet
 * @shm: after uroce_shm_begin()
 * @ret_eager: receives the packet, unchecked: the caller decodes it with
 *	uroce_shm_ring_decode() or checks the header itself. The payload stays
 *	in the ring, and the peer can change it at any time
 *
 * Polls all rings; takes a bounded number of packets from each.
 *
 * Return: the channel, to be given to uroce_shm_done(); or NULL.
 */
struct uroce_channel *uroce_shm_take(struct uroce_shm *shm,
				     struct uroce_eager_entry *ret_eager);

/**
 * uroce_shm_done() - release the ring entries of a packet
 * @is_packet: false: a protocol error of the peer; nothing more is received
 *	from it
 */
void uroce_shm_done(struct uroce_channel *channel,
		    const struct uroce_eager_entry *eager, bool is_packet);

/**
 * uroce_shm_take_failed() - return a channel whose peer died or broke the
 * protocol
 *
 * Returns each such channel once, after all of its packets were received, and
 * only if it has references. It exists until the last reference is dropped.
 * Call this after uroce_shm_take() until it returns NULL; it costs nothing if
 * no peer died.
 */
struct uroce_channel *uroce_shm_take_failed(struct uroce_shm *shm);

/**
 * uroce_shm_watch() - set whether the peers must wake this process
 *
 * Call this before each sleep, because each peer rings its bell once. After the
 * first call since a packet arrived, the caller looks again after a moment: a
 * packet that a peer was just putting may be visible only then
 * (uroce_shm_ring_seems_watched()).
 *
 * Return: true if a packet is there: then do not sleep.
 */
bool uroce_shm_watch(struct uroce_shm *shm, bool watched);

/** uroce_shm_seems_empty() - return whether no packet and no news is there */
bool uroce_shm_seems_empty(const struct uroce_shm *shm);

/** uroce_shm_is_empty() - return whether this process is in no pair */
bool uroce_shm_is_empty(const struct uroce_shm *shm);

struct uroce_shm_counters {
	uint64_t rx_packets, rx_bytes;
	uint64_t tx_packets, tx_bytes;
	uint64_t tx_bells; /* system calls that woke another process */
	uint64_t pairs;	   /* present ones that the data path knows */
	uint64_t pairs_lost;
	uint64_t rx_bad; /* rings with a protocol error */
	/* copies for direct WRITEs and READs, by kind of CMA */
	uint64_t copies_vm, copies_mem; /* enum uroce_cma_kind */
	uint64_t copied_bytes;
	uint64_t mapped; /* direct operations in mapped memory files */
	/* of long messages that both sides copied: by this side */
	uint64_t pushed_bytes, pulled_bytes;
};

/** uroce_shm_counters() - read the counters; with the engine lock */
void uroce_shm_counters(const struct uroce_shm *shm,
			struct uroce_shm_counters *ret_counters);

#endif
