/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Other processes of this host, of the same user, with whom packets are
 * exchanged through memory. Called by ../uroce_loop.c and
 * ../uroce_instance.c only.
 *
 * Two processes that have a slot each (../port/uroce_slots.h) pair up when the
 * first QP of one is connected to one of the other: over an abstract unix
 * socket, "local.<slot>", they show who they are and pass each other an inbox.
 * The socket stays: it is the bell for who sleeps, and it tells when the other
 * one dies. A process is paired with itself as well.
 *
 * Whether two processes are a pair is decided once, and both know: if they are
 * not, for whatever reason, each uses the network for all its QPs to the other.
 *
 * Locks: "the engine lock" is the caller's; what needs it says so. Connecting
 * and serving wait for other processes and must not be called with it.
 */
#ifndef UROCE_LOCAL_H
#define UROCE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/engine/uroce_channel.h"
#include "uroce/local/uroce_tables.h"
#include "uroce/wire/uroce_packet.h"

struct uroce_local;

/* Whether long messages are copied by both sides (../engine/uroce_split.h). */
enum uroce_local_split {
	UROCE_LOCAL_SPLIT_TRY, /* if that is faster */
	UROCE_LOCAL_SPLIT_NEVER,
	UROCE_LOCAL_SPLIT_ALWAYS,
};

struct uroce_local_config {
	uint32_t slot;	      /* ours */
	uint32_t patience_ms; /* with one who does not answer */
	/*
	 * Ways into the memory of others, and whether they may come into ours
	 * (enum uroce_reach_way); 0: each does for himself what others want,
	 * but for memory that is shared.
	 */
	unsigned int reach_ways;
	enum uroce_local_split split;
	/*
	 * is_ours() - whether a GID is one of an open device of this process
	 *
	 * Called by uroce_local_connect() and uroce_local_serve().
	 */
	bool (*is_ours)(void *arg, const uint8_t *gid);
	void *arg;
};

/**
 * uroce_local_open() - let others find us
 * @config: copied
 * @ret_local: receives it; to be given back to uroce_local_close()
 *
 * Return: 0, -ENOMEM, -EADDRINUSE if our name is taken, or -errno.
 */
int uroce_local_open(const struct uroce_local_config *config,
		     struct uroce_local **ret_local);

/**
 * uroce_local_set_network() - QPs of this process that get no channel can use
 * the network from now on; any thread
 */
void uroce_local_set_network(struct uroce_local *local);

/** uroce_local_close() - no QP is bound to a channel any more */
void uroce_local_close(struct uroce_local *local);

/**
 * uroce_local_abandon() - in a child of fork()
 *
 * Closes what the child must not keep: its parent would never seem dead. The
 * memory of inboxes is not the child's. Afterwards nothing arrives, and nothing
 * can be sent.
 */
void uroce_local_abandon(struct uroce_local *local);

/** uroce_local_fd() - to be watched for reading: then uroce_local_serve() */
int uroce_local_fd(const struct uroce_local *local);

/**
 * uroce_local_serve() - pair up with who has come, hear the bell, see who died
 *
 * Never waits for a process that does not answer.
 *
 * Context: one thread, without the engine lock.
 * Return: whether another user has connected. Then new processes are left
 * waiting until uroce_local_end_pause(), so that a flood of connections costs
 * little, and this function is to be called again after that.
 */
bool uroce_local_serve(struct uroce_local *local);

/** uroce_local_end_pause() - let others connect again; the same thread */
void uroce_local_end_pause(struct uroce_local *local);

/**
 * uroce_local_connect() - the channel to the process with a slot
 * @local: ours; served meanwhile by another thread
 * @slot: of the QP to connect to
 * @dgid: its address, one of this host as far as is known
 * @ret_channel: receives it, with a use that is to be given back to
 *	uroce_local_put_channel()
 *
 * Waits for the other one, as long as it has patience; up to three times as
 * long for one that asks us meanwhile.
 *
 * Return: 0; -ENOENT if there is no such process, it does not have @dgid, or
 * the two are no pair: use the network; -ENOMEM, -EMFILE.
 */
int uroce_local_connect(struct uroce_local *local, uint32_t slot,
			const uint8_t *dgid,
			struct uroce_channel **ret_channel);

/** uroce_local_put_channel() - give a use back; with the engine lock */
void uroce_local_put_channel(struct uroce_local *local,
			     struct uroce_channel *channel);

/**
 * uroce_local_settle() - wait until nobody copies to or from our memory by what
 * was shown before
 * @until_ms: how long to wait at most: CLOCK_MONOTONIC, in ms
 *
 * To be called after uroce_local_show_region() or uroce_local_show_qp() has
 * hidden something, and before the memory is used for something else.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY if somebody is still at it: it was stopped.
 */
int uroce_local_settle(struct uroce_local *local, uint64_t until_ms);

/**
 * uroce_local_get_share() - find the memory file that a region lies in
 * @memory: of the region
 * @bytes: of the region
 * @ret_share: receives its share (uroce_share.h), to be given back to
 *	uroce_local_put_share(); as it is if there is none
 * @ret_offset: receives where it begins there; likewise
 *
 * Context: any thread, without the engine lock; some system calls.
 */
void uroce_local_get_share(struct uroce_local *local, const void *memory,
			   uint64_t bytes, uint64_t *ret_share,
			   uint64_t *ret_offset);

/**
 * uroce_local_put_share() - the region is gone, and nobody copies to it
 * @share: 0: it had none
 *
 * If it was the last one the peers unmap the file.
 */
void uroce_local_put_share(struct uroce_local *local, uint64_t share);

/* The data path. All with the engine lock. */

/** uroce_local_show_region() - a region has come, has changed, or is gone */
void uroce_local_show_region(struct uroce_local *local,
			     const struct uroce_shown_region *region);

/**
 * uroce_local_show_qp() - a QP takes WRITEs and READs of its peer, or does not
 * @qp: but for the token
 * @channel: that it is bound to; NULL: none
 */
void uroce_local_show_qp(struct uroce_local *local,
			 const struct uroce_shown_qp *qp,
			 struct uroce_channel *channel);

/** uroce_local_polled() - the application polls; @now: ns */
void uroce_local_polled(struct uroce_local *local, uint64_t now);

/** uroce_local_put() - send a packet; its channel is not full */
void uroce_local_put(struct uroce_channel *channel,
		     const struct uroce_packet *packet, const struct iovec *iov,
		     uint32_t nr_iov);

/** uroce_local_next_put() - uroce_inbox_next_put() of a channel */
const void *uroce_local_next_put(struct uroce_channel *channel);

/** uroce_local_put_brief() - the same, for a packet that is encoded already */
void uroce_local_put_brief(struct uroce_channel *channel,
			   const struct uroce_brief *brief);

/** uroce_local_has_room() - whether a packet can be put */
bool uroce_local_has_room(struct uroce_channel *channel);

/** uroce_local_flush() - ring the bell of all who sleep and were sent to */
void uroce_local_flush(struct uroce_local *local);

/** uroce_local_begin() - see who has come and died, and begin to take */
void uroce_local_begin(struct uroce_local *local);

/**
 * uroce_local_take() - the next packet that has come
 * @local: after uroce_local_begin()
 * @ret_brief: receives it, not looked at yet: uroce_inbox_decode(), or by who
 *	knows headers well; its payload stays in the inbox, and may change
 *	under the reader's eyes
 *
 * Looks at all inboxes; takes a bounded number from each.
 *
 * Return: its channel, to be given to uroce_local_done(); or NULL.
 */
struct uroce_channel *uroce_local_take(struct uroce_local *local,
				       struct uroce_brief *ret_brief);

/**
 * uroce_local_done() - done with what was taken
 * @is_packet: what it is; if not, that process is not believed any more
 */
void uroce_local_done(struct uroce_channel *channel,
		      const struct uroce_brief *brief, bool is_packet);

/**
 * uroce_local_take_lost() - a channel whose other side is gone, or has gone mad
 *
 * Each is returned once, and only when all that it had sent was received; not
 * at all if it has no uses. It is there until the last use is given back. To be
 * called after uroce_local_take() until it returns NULL; it costs nothing if
 * nobody died.
 */
struct uroce_channel *uroce_local_take_lost(struct uroce_local *local);

/**
 * uroce_local_watch() - say to all whether we sleep, and want to be called
 *
 * To be said before each sleep: each of them calls once. Who has said so for
 * the first time since something came looks again after a moment: a packet that
 * was just being put may be seen only then (uroce_inbox_seems_watched()).
 *
 * Return: whether a packet is there: then do not sleep.
 */
bool uroce_local_watch(struct uroce_local *local, bool watched);

/** uroce_local_seems_empty() - whether there was nothing to take, and no news
 */
bool uroce_local_seems_empty(const struct uroce_local *local);

/** uroce_local_is_empty() - whether there is no pair; then nothing can come */
bool uroce_local_is_empty(const struct uroce_local *local);

struct uroce_local_counters {
	uint64_t rx_packets, rx_bytes;
	uint64_t tx_packets, tx_bytes;
	uint64_t tx_bells; /* system calls that woke another process */
	uint64_t pairs;	   /* that there are, and the data path knows of */
	uint64_t pairs_lost;
	uint64_t rx_bad; /* inboxes with something else than packets */
	/* WRITEs and READs that we have done for others, in parts: how */
	uint64_t copies_vm, copies_mem; /* enum uroce_reach_way */
	uint64_t copied_bytes;
	uint64_t mapped; /* and atomics; in memory that is ours, too */
	/* of long messages that both sides have copied, our part */
	uint64_t pushed_bytes, pulled_bytes;
};

/** uroce_local_counters() - what was counted; with the engine lock */
void uroce_local_counters(const struct uroce_local *local,
			  struct uroce_local_counters *ret_counters);

#endif
