/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a queue pair in the RoCE protocol: requester and responder. Only
 * the files of roce/ change it.
 */
#ifndef UROCE_ROCE_H
#define UROCE_ROCE_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/qp/uroce_qp.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/roce/uroce_cwnd.h"
#include "uroce/wire/uroce_packet.h"

/*
 * The requester. PSNs, from the oldest to the youngest:
 *
 *   una_psn   first that is not acknowledged
 *   next_psn  of the next packet; returns to una_psn for a retransmission
 *   sent_psn  first that was never sent (READ: requested); highest next_psn
 *   new_psn   first that no message has
 *
 * The tail of the send ring is the oldest incomplete message. qp->cur is
 * the message that contains next_psn, or the first that has not begun.
 */
struct uroce_requester {
	uint32_t una_psn, next_psn, sent_psn, new_psn;
	struct uroce_cursor out; /* in the SGEs of qp->cur */
	struct uroce_cursor in;	 /* in the SGEs of the READ at the tail */

	/*
	 * Last PSNs of the outstanding READs, atomics, ...: a ring of at least
	 * max_rd_atomic entries, a power of two; NULL if that is 0.
	 */
	uint32_t *rd_end;
	uint8_t rd_mask;	   /* entries - 1 */
	uint8_t rd_first, rd_last; /* free-running; wrap at 256 */

	uint8_t retry_left, rnr_left;
	bool recovering; /* retransmitting; no ACK has come since then */
	bool stale;	 /* ack_ns is from a stale time and may be too early */
	bool probing;	 /* the last packet is sent again */
	bool selective;	 /* the peer goes on with interrupted responses */
	bool lost_read;	 /* request the READ at lost_psn again */
	uint8_t packets_since_ack_req;
	uint8_t nr_probes;	/* since something was acknowledged */
	uint8_t nr_late;	/* how often a lost packet was only late */
	struct uroce_cwnd cwnd; /* maximum of unacknowledged packets */
	/* sent_psn when a loss last reduced it; later losses reduce it again */
	uint32_t reduced_psn;
	uint32_t lost_psn;  /* of the last READ request that was lost */
	uint64_t lost_ns;   /* time of its NAK */
	uint32_t copied;    /* bytes of qp->cur done by direct access */
	uint32_t room;	    /* response packets that fit into the socket */
	uint64_t ack_ns;    /* deadline of the acknowledge timer */
	uint64_t probe_ns;  /* then the last packet is sent again */
	uint64_t resume_ns; /* end of the RNR wait */
};

/* A READ, atomic, FLUSH or ATOMIC WRITE that was executed (IBTA 9.7.5.1.4). */
struct uroce_resource {
	uint64_t va;
	uint64_t orig; /* atomics: original value, for the response */
	uint32_t rkey;
	uint32_t pd;		/* XRC: of the SRQ; else of the QP */
	uint32_t psn, last_psn; /* of the response */
	uint32_t dma_len;
	uint32_t msn;
	uint8_t op; /* enum uroce_op of the request; 0: none was executed */

	/* the response to send; a duplicate request sets it again */
	bool pending;
	bool sent_before; /* a complete response was sent before */
	bool asked_again; /* a duplicate came, maybe during the response */
	uint32_t from_psn, next_psn, until_psn;
};

/* Pending ACK or NAK of the responder; resources hold the responses. */
enum uroce_reply {
	UROCE_REPLY_NONE,
	UROCE_REPLY_ACK,       /* for all PSNs up to epsn - 1 */
	UROCE_REPLY_DUPLICATE, /* ACK for a duplicate request */
	UROCE_REPLY_NAK,
};

/* Kind of the message that is being received. */
enum uroce_message {
	UROCE_MESSAGE_NONE,
	UROCE_MESSAGE_SEND,
	UROCE_MESSAGE_WRITE,
};

/* Where an ACK waits that is all that the QP has to send; uroce_delack.c. */
enum uroce_delack_state {
	UROCE_DELACK_NONE,     /* it does not wait */
	UROCE_DELACK_DEFERRED, /* for the next pass, or a post to the QP */
	UROCE_DELACK_LAST,     /* for the requests of the QP */
	UROCE_DELACK_DELAYED,  /* for the next message, or for delack_ns */
};

struct uroce_delack {
	uint8_t state;	       /* enum uroce_delack_state */
	bool parked;	       /* DEFERRED: in the engine's list of these */
	bool request_sent;     /* LAST: a request was sent */
	bool deferred_before;  /* since the last ACK */
	uint32_t nr_messages;  /* messages for which the ACK was delayed */
	uint32_t nr_quickacks; /* next ACKs that are not delayed */
	uint32_t backoff;      /* last value of nr_quickacks; 0: none */
};

struct uroce_interrupted;

/* The responder. */
struct uroce_responder {
	uint32_t epsn; /* expected PSN */
	uint32_t msn;  /* messages completed */

	/* the message that is being received */
	uint8_t message; /* enum uroce_message */
	uint32_t offset; /* bytes received so far */
	uint64_t va;	 /* WRITE: of the whole message */
	uint32_t rkey;
	uint32_t dma_len;
	struct uroce_cursor cursor; /* SEND: in the SGEs of @receive */

	bool established;     /* COMM_EST was reported */
	bool nak_sent;	      /* no other NAK for the gap until epsn arrives */
	uint32_t dropped_psn; /* latest packet dropped because of the gap */
	uint8_t reply;	      /* enum uroce_reply */
	uint8_t syndrome;     /* of the NAK */
	struct uroce_delack delack;
	uint32_t ack_psn; /* PSN of a DUPLICATE or NAK */
	uint8_t max_resources;
	uint8_t nr_pending; /* resources with a pending response */
	uint8_t res_next;   /* oldest entry of the ring of resources */
	/* if nr_pending: no pending resource is older than this one */
	uint8_t res_pending;
	bool selective; /* the peer allows selective retransmission */
	/* ring of max_resources entries; NULL if that is 0 */
	struct uroce_resource *resource;
	struct uroce_interrupted *interrupted; /* uroce_interrupted.c */
};

/** uroce_resource_after() - index after @at in the ring of resources */
static inline uint8_t uroce_resource_after(const struct uroce_responder *resp,
					   uint8_t at)
{
	return at + 1 < resp->max_resources ? (uint8_t)(at + 1) : 0;
}

/* Rendezvous protocol: both processes copy a long message; uroce_rndv.c. */
struct uroce_rndv_state {
	bool pulled; /* the peer copied the previous chunk */
	bool waited; /* the wait for the published destination is over */
};

struct uroce_rndv {
	bool sending; /* the WQE at cur uses the rendezvous protocol */
	struct uroce_rndv_state sent;	  /* of that WQE */
	struct uroce_rndv_state response; /* of the current READ response */
	bool refused; /* copying a READ response failed: no rendezvous READs */
	bool published[UROCE_NR_SINKS]; /* a destination is published */
};

struct uroce_ecn {
	bool marked;	 /* a request was, and no response reports it yet */
	bool cnp_due;	 /* send one */
	uint64_t cnp_ns; /* no other CNP before this time */
};

/* Rate limit; uroce_pace.c. */
struct uroce_pace {
	uint32_t limit_kbps;  /* of the QP; 0: none */
	uint32_t path_kbps;   /* static rate of the path; 0: none */
	uint32_t burst_bytes; /* chosen by the application; 0: none */
	int64_t credit;	      /* microbits, may be below 0 */
	uint64_t since_ns;    /* time of @credit */
	uint64_t until_ns;    /* end of the wait for credit */
};

/*
 * Received data for an on-demand region that one call will store: payloads of
 * consecutive packets of a message. It is stored before the pass ends that has
 * received them; uroce_copy.c.
 */
struct uroce_gather {
	uint8_t *data; /* UROCE_MAX_COPIED_RUN bytes of the QP; NULL: no data */
	uint8_t *to;
	uint32_t bytes;
};

struct uroce_engine;
struct uroce_reorder;
struct uroce_sack;

struct uroce_roce {
	struct uroce_qp *qp;
	struct uroce_engine *engine;
	uint8_t opcode; /* enum uroce_transport: bits of the opcodes */
	/*
	 * RC in MIGRATED without a rate limit: fast path, direct access are
	 * possible
	 */
	bool shortcuts;
	uint32_t kbps; /* rate limit that applies; 0: none; uroce_pace.c */
	/* shared memory that replaces the network; NULL: none */
	struct uroce_channel *channel;
	struct list_node bound; /* in the QPs of the channel */
	struct uroce_rndv rndv;
	struct list_node publishing; /* in the QPs that publish a destination */
	/*
	 * Atomic: address of the next ring entry, for prefetch_for_write()
	 * only; the memory may be unmapped.
	 */
	const void *next_put;

	struct uroce_requester req;
	struct uroce_responder resp;
	struct uroce_ecn ecn;
	struct uroce_sack *sack; /* uroce_sack.c; NULL: nothing was lost */
	struct uroce_reorder *reorder; /* uroce_reorder.c; NULL: none waits */
	struct uroce_gather requests, responses; /* data of received ones */
	struct list_node gathering; /* in the QPs that have such data */

	/* Used by uroce_engine.c and uroce_schedule.c. */
	struct list_node active;  /* in the QPs with packets to send, or in
				   * those that wait for room in a channel */
	struct list_node unsent;  /* in the QPs to handle once all is sent */
	struct list_node delayed; /* in the QPs with a delayed ACK */
	uint64_t delack_ns;	  /* end of that delay */
	/* in the QPs with a received ACK to be processed later; its PSN */
	struct list_node postponed;
	uint32_t postponed_psn;
	struct uroce_qp *next_kick;
	uint32_t kicked;  /* atomic */
	uint32_t heap_at; /* index in the heap of timers + 1; 0: none */
	uint64_t heap_ns;
	struct uroce_pace pace;
};

/** uroce_roce_ops - what qp/ calls; uroce_roce.c */
extern const struct uroce_qp_ops uroce_roce_ops;

/** uroce_qp_is_open() - whether the peer may use direct access through a QP */
static inline bool uroce_qp_is_open(const struct uroce_qp *qp)
{
	/*
	 * Direct access sends no packet: none would raise COMM_EST in RTR, or
	 * show the migration state of the peer.
	 */
	return qp->type == IBV_QPT_RC && qp->mig_state == IBV_MIG_MIGRATED &&
	       (qp->state == IBV_QPS_RTS ||
		(qp->state == IBV_QPS_RTR && qp->roce->resp.established));
}

/** uroce_qp_owes() - whether a response, ACK or NAK to the peer is pending */
static inline bool uroce_qp_owes(const struct uroce_qp *qp)
{
	return qp->roce->resp.nr_pending ||
	       qp->roce->resp.reply != UROCE_REPLY_NONE;
}

/**
 * uroce_qp_path_error() - fail a QP whose MTU the network does not accept
 * @qp: the QP; UD stays as it is, its datagram is lost
 *
 * The MTU of a QP cannot change, so no packet of that size will arrive. Call it
 * for packets of uroce_engine_next(), before uroce_engine_sent(): the oldest
 * send WQE completes with IBV_WC_LOC_QP_OP_ERR, and the event is
 * IBV_EVENT_QP_FATAL.
 */
void uroce_qp_path_error(struct uroce_qp *qp);

#endif
