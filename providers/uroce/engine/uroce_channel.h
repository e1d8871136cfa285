/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A way for packets besides the network: memory that is shared with one other
 * process. Connected QPs are bound to a channel once and for all when they
 * enter RTR, and then take packets from there only; a packet of the network is
 * none of theirs.
 *
 * A channel loses nothing, but it can be full, and the other side can be gone.
 */
#ifndef UROCE_CHANNEL_H
#define UROCE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"

/*
 * Bytes of payload of a packet, whatever the MTU of the QP: large enough that
 * what a packet costs does not count beside the copy of its data, small enough
 * that one side copies out of the cache what the other one copies in.
 */
#define UROCE_CHANNEL_MTU 8192

/* Bytes of payload that some packets in one can be without, at most. */
#define UROCE_CHANNEL_PART (512 * 1024)

struct uroce_channel;
struct iovec;

/* Room for the longest headers (UROCE_MAX_HEADER), and then some. */
#define UROCE_BRIEF_HEADER 48
#define UROCE_BRIEF_SHORT  40 /* all that uroce_inbox_put_brief() puts */
#define UROCE_BRIEF_ACK	   0x80000000u /* the rest is the PSN */

/*
 * A packet as a channel has it: the bytes of its headers from the BTH on, and
 * its payload in one piece. An ACK may travel with it, from the QP that it
 * comes from to the one that it goes to.
 */
struct uroce_brief {
	uint32_t ack; /* PSN, and UROCE_BRIEF_ACK; 0: none */
	uint32_t header_len;
	uint32_t payload_len;
	bool in_stream;	    /* of many that are on the way */
	bool more;	    /* another one follows at once */
	uint32_t nr_absent; /* as in struct uroce_packet, as is the next one */
	uint64_t source;
	const uint8_t *payload;
	/* whole words, the last one filled up with anything */
	_Alignas(uint64_t) uint8_t header[UROCE_BRIEF_HEADER];
};

/* A WRITE or READ that the requester wants to do itself. */
struct uroce_copy {
	bool read;
	uint32_t access; /* the right that is needed: enum ibv_access_flags */
	uint32_t qpn;	 /* ours */
	uint32_t dest_qpn;
	uint32_t rkey;
	uint64_t va;
	uint32_t bytes;		 /* all of them must be allowed */
	uint32_t offset, part;	 /* and these are to be copied now */
	const struct iovec *iov; /* our memory, as long as the part */
	uint32_t nr_iov;
};

/*
 * Memory that a message is to be written to, shown to who sends it. There is at
 * most one of each kind for a QP.
 */
enum uroce_landing_kind {
	UROCE_LANDING_RECEIVE, /* of a SEND, in the receive request it has met
				*/
	UROCE_LANDING_READ,    /* of the answer to a READ */
	UROCE_NR_LANDINGS,
};

struct uroce_landing {
	uint32_t psn; /* of its first packet */
	uint32_t bytes;
	uint64_t address; /* in the memory of who shows it */
};

/* Between two QPs that are connected: ours and the one at the other side. */
struct uroce_hop {
	uint32_t qpn;
	uint32_t dest_qpn;
};

/* What both sides can do when a message is split (uroce_split.h). */
struct uroce_split_ops {
	/*
	 * choose() - whether a message that begins now is to be split
	 *
	 * Which way is faster is learned from how long they took: @learn is
	 * called at the end of each one that was asked for.
	 */
	bool (*choose)(struct uroce_channel *channel,
		       enum uroce_landing_kind kind, uint32_t qpn,
		       uint32_t psn);
	void (*learn)(struct uroce_channel *channel,
		      enum uroce_landing_kind kind, uint32_t qpn, uint32_t psn,
		      uint32_t bytes);
	/* is_open() - whether the other side's QP reads our memory; a hint */
	bool (*is_open)(struct uroce_channel *channel,
			const struct uroce_hop *hop);
	/* find() - its landing; a hint. Returns whether there is one */
	bool (*find)(struct uroce_channel *channel, const struct uroce_hop *hop,
		     enum uroce_landing_kind kind,
		     struct uroce_landing *ret_landing);
	/*
	 * push() - write to its landing, if that is still there
	 *
	 * @from: where in the landing. Returns 0 or -errno.
	 */
	int (*push)(struct uroce_channel *channel, const struct uroce_hop *hop,
		    enum uroce_landing_kind kind,
		    const struct uroce_landing *landing, uint32_t from,
		    const struct iovec *iov);
	/* pull() - read from its memory, if its QP still is connected to ours
	 */
	int (*pull)(struct uroce_channel *channel, const struct uroce_hop *hop,
		    uint64_t address, const struct iovec *iov);
	/* show() - a landing of ours; with bytes 0 it is gone */
	void (*show)(struct uroce_channel *channel, uint32_t qpn,
		     enum uroce_landing_kind kind,
		     const struct uroce_landing *landing);
	/*
	 * settle() - wait until the other side does not write to what was shown
	 * before, or read what we sent
	 */
	void (*settle)(struct uroce_channel *channel);
};

/* With the engine lock. */
struct uroce_channel {
	struct list_node qps;	  /* that are bound to it */
	struct list_node waiting; /* QPs with packets for which is no room */
	struct list_node entry;	  /* of the caller's list of full ones */
	bool full;		  /* QPs are not asked for packets */
	bool stuck;		  /* and have been waited for in vain */
	bool lost;		  /* nobody is at the other end any more */
	/*
	 * Does it without the other side, after the checks that its responder
	 * would do; returns 0, or -errno: then it is to be asked. NULL: cannot.
	 */
	int (*copy)(struct uroce_channel *channel,
		    const struct uroce_copy *copy);
	/* with @copy or @nr_shared: how much at most to do at once */
	uint32_t part;
	/*
	 * With @copy: whether the application at the other side polls. Then it
	 * is faster to ask it than to copy so many bytes by system calls. A
	 * hint, to be asked for once for each request. It reads the clock,
	 * which the engine's time may be ahead of.
	 */
	bool (*is_attended)(struct uroce_channel *channel, uint32_t bytes);
	/*
	 * Atomic: regions of the other side that could be our memory as well.
	 * NULL: there are none. Then the next two are there, too.
	 */
	const uint32_t *nr_shared;
	/*
	 * Returns where the part is in memory of ours, after the checks that
	 * the other side's responder would do; NULL: it is to be asked. What is
	 * found stays there until @leave, which has to follow soon.
	 */
	uint8_t *(*enter)(struct uroce_channel *channel,
			  const struct uroce_copy *copy);
	void (*leave)(struct uroce_channel *channel);
	/*
	 * NULL: long messages are never split. Else it stays there, but nothing
	 * comes of it without @copy.
	 */
	const struct uroce_split_ops *split;
};

/** uroce_channel_is_shared() - whether to try its member enter */
static inline bool uroce_channel_is_shared(const struct uroce_channel *channel)
{
	/* a hint */
	return channel->nr_shared &&
	       __atomic_load_n(channel->nr_shared, __ATOMIC_RELAXED);
}

static inline void uroce_channel_init(struct uroce_channel *channel)
{
	list_init(&channel->qps);
	list_init(&channel->waiting);
	list_init(&channel->entry);
	channel->full = false;
	channel->stuck = false;
	channel->lost = false;
	channel->copy = NULL;
	channel->part = 0;
	channel->is_attended = NULL;
	channel->nr_shared = NULL;
	channel->enter = NULL;
	channel->leave = NULL;
	channel->split = NULL;
}

struct uroce_engine;
struct uroce_qp;

/**
 * uroce_channel_bind() - packets of a QP go through a channel
 * @channel: outlives the binding
 * @qp: RC or UC, in INIT; a later RESET undoes it
 *
 * The path to the peer is an attribute without use then.
 */
void uroce_channel_bind(struct uroce_channel *channel, struct uroce_qp *qp);

/** uroce_channel_unbind() - undo it; of a QP that was never bound, too */
void uroce_channel_unbind(struct uroce_qp *qp);

/**
 * uroce_channel_await_room() - a QP that has packets waits for a full channel
 *
 * If no room comes, its requests fail when the retries are exhausted.
 */
void uroce_channel_await_room(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_channel_resume() - there is room again
 *
 * Undoes @full, which the caller has set when there was none.
 */
void uroce_channel_resume(struct uroce_engine *engine,
			  struct uroce_channel *channel);

/**
 * uroce_channel_lose() - the other side is gone
 * @engine: has no packets handed out
 * @channel: packets for it are to be thrown away from now on
 * @now: ns
 *
 * Nothing else happens: what is on the way, or sent later, fails with
 * IBV_WC_RETRY_EXC_ERR when all retries would have been in vain, as it does if
 * a host on the network vanishes. Programs count on that time: many a one has
 * what it needs, and leaves while requests are still on their way to it. QPs
 * with a timeout of 0, which wait for ever, fail at once.
 */
void uroce_channel_lose(struct uroce_engine *engine,
			struct uroce_channel *channel, uint64_t now);

#endif
