/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A channel: packets travel through shared memory to one peer process instead
 * of the network. A connected QP is bound to its channel when it enters RTR,
 * until RESET. It accepts packets of that channel only; packets of the network
 * are dropped.
 *
 * A channel loses no packets, but it can be full, and the peer can be dead.
 */
#ifndef UROCE_CHANNEL_H
#define UROCE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"

/*
 * Payload bytes of a packet, whatever the MTU of the QP: large enough that the
 * cost of a packet is small against the copy of its data, small enough that the
 * receiver copies out of the cache what the sender has copied in.
 */
#define UROCE_CHANNEL_MTU 16384

/* Maximum bytes of a chunk: packets sent as one, without their payload. */
#define UROCE_CHANNEL_CHUNK (512 * 1024)

struct uroce_channel;
struct iovec;

/* Bytes for headers; more than the longest need (UROCE_MAX_HEADER). */
#define UROCE_EAGER_HEADER 48
#define UROCE_EAGER_SHORT                                  \
	40 /* bytes that uroce_shm_ring_put_eager() copies \
	    */
#define UROCE_EAGER_ACK 0x80000000u /* flag; low 24 bits: PSN */

/*
 * A packet in a channel: the bytes of its headers from the BTH on, and its
 * contiguous payload. An ACK between the same two QPs can be piggybacked.
 */
struct uroce_eager_entry {
	uint32_t ack; /* PSN | UROCE_EAGER_ACK; 0: none */
	uint32_t header_len;
	uint32_t payload_len;
	bool in_stream;	    /* the sender has many packets outstanding */
	bool more;	    /* another packet follows at once */
	uint32_t nr_absent; /* as in struct uroce_packet, like @source */
	uint64_t source;
	const uint8_t *payload;
	/* whole words; bytes after header_len are undefined */
	_Alignas(uint64_t) uint8_t header[UROCE_EAGER_HEADER];
};

/* A WRITE, READ or atomic that the requester executes itself. */
struct uroce_direct_access {
	bool read;
	uint32_t access; /* required right: enum ibv_access_flags */
	uint32_t qpn;	 /* local QP */
	uint32_t dest_qpn;
	uint32_t rkey;
	uint64_t va;
	uint32_t bytes;		 /* of the request; all must be accessible */
	uint32_t offset, chunk;	 /* bytes of the request to access now */
	const struct iovec *iov; /* local memory, @chunk bytes */
	uint32_t nr_iov;
};

/*
 * Sinks of the rendezvous protocol: memory into which the sender of a long
 * message writes, published to that sender. A QP has at most one of each kind.
 */
enum uroce_sink_kind {
	UROCE_SINK_RECEIVE, /* of a SEND: the buffer of its receive WQE */
	UROCE_SINK_READ,    /* of a READ: the local buffer */
	UROCE_NR_SINKS,
};

struct uroce_sink {
	uint32_t psn; /* of the first packet of the message */
	uint32_t bytes;
	uint64_t address; /* in the address space of the publisher */
};

/* QPN pair of a connection: the local QP and the QP of the peer. */
struct uroce_qpn_pair {
	uint32_t qpn;
	uint32_t dest_qpn;
};

/* Operations of the rendezvous protocol (uroce_rndv.h). */
struct uroce_rndv_ops {
	/*
	 * choose() - whether a message that begins now uses the rendezvous
	 * protocol
	 *
	 * Protocol selection compares the durations of both protocols: @learn
	 * is called when a message for which choose() was called completes
	 * successfully.
	 */
	bool (*choose)(struct uroce_channel *channel, enum uroce_sink_kind kind,
		       uint32_t qpn, uint32_t psn);
	void (*learn)(struct uroce_channel *channel, enum uroce_sink_kind kind,
		      uint32_t qpn, uint32_t psn, uint32_t bytes);
	/* is_open() - whether the peer's QP pulls from local memory; a hint */
	bool (*is_open)(struct uroce_channel *channel,
			const struct uroce_qpn_pair *qpns);
	/*
	 * find() - look up the sink of the peer's QP; a hint. Returns whether
	 * there is one
	 */
	bool (*find)(struct uroce_channel *channel,
		     const struct uroce_qpn_pair *qpns,
		     enum uroce_sink_kind kind, struct uroce_sink *ret_sink);
	/*
	 * push() - write to the peer's sink, if it is still published
	 *
	 * @from: offset in the sink, bytes. Returns 0 or -errno.
	 */
	int (*push)(struct uroce_channel *channel,
		    const struct uroce_qpn_pair *qpns,
		    enum uroce_sink_kind kind, const struct uroce_sink *sink,
		    uint32_t from, const struct iovec *iov);
	/*
	 * pull() - read memory of the peer, if its QP is still connected to the
	 * local QP
	 */
	int (*pull)(struct uroce_channel *channel,
		    const struct uroce_qpn_pair *qpns, uint64_t address,
		    const struct iovec *iov);
	/* publish() - publish a local sink; with bytes 0: withdraw it */
	void (*publish)(struct uroce_channel *channel, uint32_t qpn,
			enum uroce_sink_kind kind,
			const struct uroce_sink *sink);
	/*
	 * accesses() - number of the access of the peer that is in progress: a
	 * write to a sink, or a read of memory that earlier packets referred
	 * to. 0: none, or it was given up. An access that begins later does not
	 * find a sink that was withdrawn before.
	 */
	uint32_t (*accesses)(struct uroce_channel *channel);
	/* is_quiet() - whether that access has ended */
	bool (*is_quiet)(struct uroce_channel *channel, uint32_t accesses);
	/* give_up() - regard that access as ended */
	void (*give_up)(struct uroce_channel *channel, uint32_t accesses);
};

/* Protected by the engine lock. */
struct uroce_channel {
	struct list_node qps;	  /* QPs bound to the channel */
	struct list_node waiting; /* QPs whose packets have no room */
	struct list_node entry;	  /* in the caller's list of full channels */
	bool full;		  /* the engine takes no packets of its QPs */
	bool stuck;		  /* full, and a wait for room has timed out */
	bool failed;		  /* the peer process is gone */
	/*
	 * Executes a chunk of a WRITE or READ by CMA, without the peer, after
	 * the checks of a responder. Returns 0, or -errno: then the request
	 * must be sent. NULL: CMA is not available.
	 */
	int (*direct_copy)(struct uroce_channel *channel,
			   const struct uroce_direct_access *copy);
	/* with @direct_copy or @nr_shared: maximum bytes of one step */
	uint32_t chunk;
	/*
	 * With @direct_copy: whether the application of the peer polls. Then
	 * sending a request is faster than copying @bytes by system calls. A
	 * hint, queried once for each request. The function reads the clock,
	 * which the engine's time may be ahead of.
	 */
	bool (*is_recently_polling)(struct uroce_channel *channel,
				    uint32_t bytes);
	/*
	 * Atomic: number of MRs of the peer that this process could map. NULL:
	 * no MR can be mapped; otherwise @direct_begin and @direct_end are set.
	 */
	const uint32_t *nr_shared;
	/*
	 * Returns the address of the chunk in memory that this process has
	 * mapped, after the checks of a responder. NULL: the request must be
	 * sent. The mapping stays valid until @direct_end, which must follow
	 * soon.
	 */
	uint8_t *(*direct_begin)(struct uroce_channel *channel,
				 const struct uroce_direct_access *copy);
	void (*direct_end)(struct uroce_channel *channel);
	/*
	 * NULL: long messages never use the rendezvous protocol. Otherwise
	 * constant, but unused without @direct_copy.
	 */
	const struct uroce_rndv_ops *rndv;
};

/** uroce_channel_is_shared() - whether @direct_begin may find memory */
static inline bool uroce_channel_is_shared(const struct uroce_channel *channel)
{
	/* relaxed: a hint */
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
	channel->failed = false;
	channel->direct_copy = NULL;
	channel->chunk = 0;
	channel->is_recently_polling = NULL;
	channel->nr_shared = NULL;
	channel->direct_begin = NULL;
	channel->direct_end = NULL;
	channel->rndv = NULL;
}

struct uroce_engine;
struct uroce_qp;

/**
 * uroce_channel_bind() - bind a QP to a channel
 * @channel: outlives the binding
 * @qp: RC or UC, in INIT; RESET unbinds it
 *
 * The address vector of the QP is unused then.
 */
void uroce_channel_bind(struct uroce_channel *channel, struct uroce_qp *qp);

/** uroce_channel_unbind() - unbind a QP; a QP without a channel is allowed */
void uroce_channel_unbind(struct uroce_qp *qp);

/**
 * uroce_channel_await_room() - queue a QP that has packets until there is room
 *
 * If the channel stays full, its requests fail when the retries are exhausted.
 */
void uroce_channel_await_room(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_channel_resume() - activate QPs when the channel has room again
 *
 * Clears @full, which the caller has set.
 */
void uroce_channel_resume(struct uroce_engine *engine,
			  struct uroce_channel *channel);

/**
 * uroce_channel_fail() - handle the death of the peer process
 * @engine: has no packets handed out
 * @channel: the caller drops packets for it from now on
 *
 * Outstanding and later requests fail with IBV_WC_RETRY_EXC_ERR when all
 * retries would have been exhausted, as if a host on the network vanished.
 * Programs rely on that time: many peers exit when they have received enough,
 * while requests to them are still outstanding. QPs with a timeout of 0, which
 * would wait for ever, fail at once.
 */
void uroce_channel_fail(struct uroce_engine *engine,
			struct uroce_channel *channel);

#endif
