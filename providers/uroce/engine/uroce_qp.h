/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue pair: what the engine knows of a connection. Made by verbs/ through
 * uroce_engine.h; this header is for the files of the engine, and for reading
 * attributes.
 */
#ifndef UROCE_QP_H
#define UROCE_QP_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "uroce/engine/uroce_channel.h"
#include "uroce/engine/uroce_cq_ring.h"
#include "uroce/engine/uroce_qp_state.h"
#include "uroce/engine/uroce_sge.h"
#include "uroce/engine/uroce_wqe.h"
#include "uroce/wire/uroce_packet.h"
#include "util/list.h"

#define UROCE_NEVER UINT64_MAX /* of a deadline: there is none */

/*
 * The sending side. PSNs, from the oldest to the youngest:
 *
 *   una_psn   first that is not acknowledged
 *   next_psn  of the next packet; falls back to una_psn or so to send again
 *   sent_psn  first that never was sent (READ: asked for); the highest next_psn
 *   new_psn   first that no message has
 *
 * The oldest message that is not complete is at the ring's tail; the one that
 * next_psn is in, or the first that is not begun, is at @cur.
 */
struct uroce_requester {
	uint32_t cur; /* index in the send ring */
	uint32_t una_psn, next_psn, sent_psn, new_psn;
	struct uroce_cursor out; /* in the pieces of @cur */
	struct uroce_cursor in;	 /* in the pieces of the READ at the tail */

	/*
	 * Last PSNs of the outstanding READs, atomics, ...: a ring of at least
	 * max_rd_atomic entries, a power of two; NULL if that is 0.
	 */
	uint32_t *rd_end;
	uint8_t rd_mask;	   /* entries - 1 */
	uint8_t rd_first, rd_last; /* run on and wrap */

	uint8_t retry_left, rnr_left;
	bool recovering; /* went back; nothing was acknowledged since */
	bool vague;	 /* ack_ns may be too early, by any time */
	uint8_t unasked; /* packets since the last that wanted an ACK */
	uint32_t window; /* packets that may be unacknowledged */
	uint32_t grow;	 /* packets acknowledged since it last grew */
	uint32_t copied; /* bytes of @cur, without a packet (uroce_direct.h) */
	uint32_t room;	 /* packets of answers that the socket holds */
	uint32_t read_part; /* packets that one READ request asks for */
	uint64_t ack_ns;    /* deadline of the acknowledge timer */
	uint64_t resume_ns; /* end of the wait for a receiver that is not ready
			     */
};

/* A READ, atomic, FLUSH or ATOMIC WRITE that was executed (IBTA 9.7.5.1.4). */
struct uroce_resource {
	uint64_t va;
	uint64_t orig; /* atomics: the answer */
	uint32_t rkey;
	uint32_t psn, last_psn; /* that the answer takes */
	uint32_t dma_len;
	uint32_t msn;
	uint8_t op; /* enum uroce_op of the request; 0: none was executed */

	/* the answer that is being given; again if the request is repeated */
	bool pending;
	bool repeated;	  /* not for the first time */
	bool asked_again; /* maybe before all of it was answered */
	uint32_t from_psn, next_psn, until_psn;
};

/* What the responder owes besides the answers in the resources. */
enum uroce_reply {
	UROCE_REPLY_NONE,
	UROCE_REPLY_ACK,       /* for all up to epsn - 1 */
	UROCE_REPLY_DUPLICATE, /* for what was repeated */
	UROCE_REPLY_NAK,
};

/* What is being received. */
enum uroce_message {
	UROCE_MESSAGE_NONE,
	UROCE_MESSAGE_SEND,
	UROCE_MESSAGE_WRITE,
};

/* A receive request in use; a copy, so that an SRQ can go on. */
struct uroce_receive {
	bool held;
	uint64_t wr_id;
	uint32_t length;
	uint32_t nr_sge;
	struct ibv_sge sge[UROCE_MAX_SGE];
};

/* The receiving side. */
struct uroce_responder {
	uint32_t epsn; /* expected */
	uint32_t msn;  /* messages completed */

	/* the message that is being received */
	uint8_t message; /* enum uroce_message */
	uint32_t offset; /* bytes of it so far */
	uint64_t va;	 /* WRITE: of the whole message */
	uint32_t rkey;
	uint32_t dma_len;
	struct uroce_cursor cursor; /* SEND: in the pieces of @receive */

	bool established; /* COMM_EST was reported */
	bool nak_sent;	  /* until epsn arrives no other NAK for the same gap */
	uint32_t dropped_psn; /* youngest packet that was dropped for it */
	uint8_t reply;	      /* enum uroce_reply */
	bool ack_deferred;    /* since the last ACK */
	uint8_t syndrome;     /* of the NAK */
	uint8_t nr_held;      /* messages that the next ACK has waited for */
	uint32_t not_held;    /* so many ACKs are not to wait */
	uint32_t distrust;    /* what that was when it began; 0: not yet */
	uint32_t ack_psn;     /* DUPLICATE, NAK */
	uint8_t max_resources;
	uint8_t nr_pending; /* resources whose answer is not given */
	uint8_t res_next;   /* in the ring of resources: the oldest one */
	/* no pending resource is older than this one; if there is any */
	uint8_t res_pending;
	/* ring of max_resources entries; NULL if that is 0 */
	struct uroce_resource *resource;

	struct uroce_receive receive;
};

/** uroce_resource_after() - the entry behind @at, in the ring of resources */
static inline uint8_t uroce_resource_after(const struct uroce_responder *resp,
					   uint8_t at)
{
	return at + 1 < resp->max_resources ? (uint8_t)(at + 1) : 0;
}

/* Long messages that both sides copy; uroce_split.c. */
struct uroce_split_state {
	bool pulled; /* the part before was for the other side */
	bool waited; /* for the landing, in vain or not */
};

struct uroce_split {
	bool sending;			   /* the request at cur is split */
	struct uroce_split_state sent;	   /* of that request */
	struct uroce_split_state answered; /* of the READ being answered */
	bool refused; /* a part of a READ could not be taken: not again */
	bool landed[UROCE_NR_LANDINGS]; /* is shown */
};

struct uroce_engine;

struct uroce_qp {
	/* Asked for each packet. */
	uint32_t qpn;
	uint32_t dest_qpn;
	uint8_t type;  /* enum ibv_qp_type */
	uint8_t state; /* enum ibv_qp_state; written by the engine, atomic */
	uint8_t transport;
	bool sig_all;
	uint16_t pkey;
	uint16_t mtu; /* bytes of payload of a packet */
	uint32_t pd;
	uint32_t qkey;
	unsigned int access; /* enum ibv_access_flags */
	struct uroce_engine *engine;
	struct uroce_path path; /* of packets to the peer */
	/* instead of the network; NULL: none */
	struct uroce_channel *channel;
	struct list_node bound; /* QPs of the channel */
	struct uroce_split split;
	struct list_node landed; /* QPs that show where messages land */
	/*
	 * Atomic: for prefetch_for_write(), where the next packet may be
	 * written to; of its memory nothing is known.
	 */
	const void *next_put;

	struct uroce_requester req;
	struct uroce_responder resp;

	struct uroce_ring sq; /* verbs/ puts in, the engine takes out */
	struct uroce_rq *rq;  /* own or shared */
	struct uroce_cq *send_cq, *recv_cq;

	/* Attributes as they were set; the rest is where it is used. */
	uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	uint8_t max_rd_atomic, max_dest_rd_atomic;
	uint8_t path_mtu; /* enum ibv_mtu */
	uint8_t port_num;
	uint32_t rq_psn, sq_psn;
	bool was_connected;	 /* it was in RTR; RESET changes neither this */
	uint8_t longest_timeout; /* nor this, since packets may still come */
	bool sqd_notify;
	bool condemned;		    /* to go to ERR once all is sent */
	bool path_failed;	    /* condemned for that reason */
	struct ibv_ah_attr ah_attr; /* as the application gave it */

	/* Of uroce_engine.c. */
	struct list_node active; /* QPs with something to send, or such that
				  * wait for room in their channel */
	struct list_node unsent; /* QPs to look at once all is sent */
	struct uroce_qp *next_kick;
	uint32_t kicked;  /* atomic */
	uint32_t heap_at; /* place among the timers + 1; 0: none */
	uint64_t heap_ns;

	/* Asynchronous events for the loop: 1 << enum ibv_event_type. */
	uint32_t events;
	bool in_events;
	struct uroce_qp *next_event;
	void *owner; /* of verbs/; the engine passes it on */
};

/** uroce_qp_state() - state of a QP; any thread */
static inline enum ibv_qp_state uroce_qp_state(const struct uroce_qp *qp)
{
	return (enum ibv_qp_state)__atomic_load_n(&qp->state, __ATOMIC_RELAXED);
}

/** uroce_qp_is_open() - whether peers may be in our memory for it, on their own
 */
static inline bool uroce_qp_is_open(const struct uroce_qp *qp)
{
	/* in RTR the first packet is an event; it has to come as one */
	return qp->type == IBV_QPT_RC &&
	       (qp->state == IBV_QPS_RTS ||
		(qp->state == IBV_QPS_RTR && qp->resp.established));
}

/** uroce_qp_tell() - what peers are shown of a QP may have changed */
void uroce_qp_tell(const struct uroce_qp *qp);

/** uroce_qp_owes() - whether the peer is to get an answer or an ACK */
static inline bool uroce_qp_owes(const struct uroce_qp *qp)
{
	return qp->resp.nr_pending || qp->resp.reply != UROCE_REPLY_NONE;
}

/**
 * uroce_qp_modify() - change attributes and state
 * @qp: the QP
 * @attr: what the application wants
 * @mask: which members of it are valid
 * @max_mtu: of the port
 * @path: where attr->ah_attr leads; ignored without IBV_QP_AV
 * @now: ns
 *
 * Return: 0, -ENOMEM, or what uroce_qp_state_check() returns.
 */
int uroce_qp_modify(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		    int mask, enum ibv_mtu max_mtu,
		    const struct uroce_path *path, uint64_t now);

/** uroce_qp_query() - all attributes but cap; any thread that may modify */
void uroce_qp_query(const struct uroce_qp *qp, struct ibv_qp_attr *ret_attr);

/** uroce_qp_event() - tell the application; @event: enum ibv_event_type */
void uroce_qp_event(struct uroce_qp *qp, enum ibv_event_type event);

/**
 * uroce_qp_set_error() - to ERR: all requests complete as flushed
 *
 * No event; who calls it knows which, if any.
 */
void uroce_qp_set_error(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_qp_condemn() - to ERR as soon as all that was handed out is sent
 *
 * For where packets may have been handed out that point to memory which the
 * application may reuse once its requests are flushed.
 */
void uroce_qp_condemn(struct uroce_qp *qp);

/**
 * uroce_qp_path_error() - the network refuses packets of the QP's MTU
 * @qp: the QP; a datagram of UD is merely lost
 *
 * That MTU cannot change, so nothing will ever get through. To be called with
 * what uroce_engine_next() has handed out, before uroce_engine_sent(), which
 * takes the QP to ERR: its oldest request completes with IBV_WC_LOC_QP_OP_ERR,
 * and the event is IBV_EVENT_QP_FATAL.
 */
void uroce_qp_path_error(struct uroce_qp *qp);

/**
 * uroce_qp_fail_send() - the oldest send request has failed (IBTA 10.3.1)
 * @qp: the QP; goes to ERR if it is RC, else to SQE
 * @status: of its completion
 * @now: ns
 */
void uroce_qp_fail_send(struct uroce_qp *qp, enum ibv_wc_status status,
			uint64_t now);

/** uroce_qp_flush() - complete what was posted after the QP had failed */
void uroce_qp_flush(struct uroce_qp *qp, uint64_t now);

#endif
