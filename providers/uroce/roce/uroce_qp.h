/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue pair: state of requester and responder, and attributes. verbs/
 * creates it through uroce_engine.h. The files of the engine use this header;
 * others use it only to read attributes.
 */
#ifndef UROCE_QP_H
#define UROCE_QP_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "uroce/qp/uroce_cq_ring.h"
#include "uroce/qp/uroce_qp_state.h"
#include "uroce/qp/uroce_sge.h"
#include "uroce/qp/uroce_wqe.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/wire/uroce_packet.h"
#include "util/list.h"

#define UROCE_NEVER UINT64_MAX /* no deadline */

/*
 * The requester. PSNs, from the oldest to the youngest:
 *
 *   una_psn   first that is not acknowledged
 *   next_psn  of the next packet; returns to una_psn for a retransmission
 *   sent_psn  first that was never sent (READ: requested); highest next_psn
 *   new_psn   first that no message has
 *
 * The tail of the send ring is the oldest incomplete message. @cur is the
 * message that contains next_psn, or the first that has not begun.
 */
struct uroce_requester {
	uint32_t cur; /* index in the send ring */
	uint32_t una_psn, next_psn, sent_psn, new_psn;
	struct uroce_cursor out; /* in the SGEs of @cur */
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
	uint8_t packets_since_ack_req;
	uint32_t window;    /* maximum number of unacknowledged packets */
	uint32_t grow;	    /* packets acknowledged since the window grew */
	uint32_t copied;    /* bytes of @cur done by direct access */
	uint32_t room;	    /* response packets that fit into the socket */
	uint64_t ack_ns;    /* deadline of the acknowledge timer */
	uint64_t resume_ns; /* end of the RNR wait */
};

/* A READ, atomic, FLUSH or ATOMIC WRITE that was executed (IBTA 9.7.5.1.4). */
struct uroce_resource {
	uint64_t va;
	uint64_t orig; /* atomics: original value, for the response */
	uint32_t rkey;
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

/* Copy of the receive WQE in use; other QPs continue to use the SRQ. */
struct uroce_receive {
	bool in_use; /* a receive WQE is in use */
	uint64_t wr_id;
	uint32_t length;
	uint32_t nr_sge;
	struct ibv_sge sge[UROCE_MAX_SGE];
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
	/* ring of max_resources entries; NULL if that is 0 */
	struct uroce_resource *resource;

	struct uroce_receive receive;
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

/* Which work request completes with an error; all others are flushed. */
enum uroce_fault_side {
	UROCE_FAULT_NONE,
	UROCE_FAULT_SQ, /* the oldest send WQE */
	UROCE_FAULT_RQ, /* the receive WQE in use */
	UROCE_FAULT_QP, /* none */
};

/* Why a QP fails. uroce_qp_fault() records it, and nothing else happens. */
struct uroce_fault {
	uint8_t side;	/* enum uroce_fault_side */
	uint8_t status; /* enum ibv_wc_status of the work request */
	bool fatal;	/* ERR, also if a send of a UC or UD QP fails */
};

/*
 * Wait until the peer no longer accesses memory that was withdrawn; only then
 * are work requests completed, because the application may reuse the memory.
 */
struct uroce_quiesce {
	uint32_t accesses; /* from uroce_rndv_withdraw(); 0: no wait */
	uint64_t until_ns; /* then the wait is given up */
};

struct uroce_engine;

struct uroce_qp {
	/* Used for each packet. */
	uint32_t qpn;
	uint32_t dest_qpn;
	uint8_t type;  /* enum ibv_qp_type */
	uint8_t state; /* enum ibv_qp_state; the engine writes it; atomic */
	uint8_t transport;
	bool sig_all;
	uint16_t pkey;
	uint16_t mtu; /* maximum payload of a packet, bytes */
	uint32_t pd;
	uint32_t qkey;
	unsigned int access;	  /* enum ibv_access_flags */
	struct uroce_fault fault; /* until it has been applied */
	struct uroce_engine *engine;
	struct uroce_path path; /* of packets to the peer */
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

	struct uroce_ring sq; /* verbs/ adds WQEs, the engine removes them */
	struct uroce_rq *rq;  /* own or shared */
	struct uroce_cq *send_cq, *recv_cq;

	/* Attributes as set; the others are next to the code that uses them. */
	uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	uint8_t max_rd_atomic, max_dest_rd_atomic;
	uint8_t path_mtu; /* enum ibv_mtu */
	uint8_t port_num;
	uint32_t rq_psn, sq_psn;
	/* RESET keeps these two, since packets of the peer may still arrive. */
	bool was_connected; /* the QP was in RTR */
	uint8_t longest_timeout;
	bool sqd_notify;
	struct ibv_ah_attr ah_attr; /* as the application gave it */

	/* Used by uroce_engine.c. */
	struct list_node active;  /* in the QPs with packets to send, or in
				   * those that wait for room in a channel */
	struct list_node unsent;  /* in the QPs to handle once all is sent */
	struct list_node delayed; /* in the QPs with a delayed ACK */
	uint64_t delack_ns;	  /* end of that delay */
	struct uroce_qp *next_kick;
	uint32_t kicked;  /* atomic */
	uint32_t heap_at; /* index in the heap of timers + 1; 0: none */
	uint64_t heap_ns;
	struct uroce_quiesce quiesce;

	/* Asynchronous events for the worker: 1 << enum ibv_event_type. */
	uint32_t events;
	bool in_events;
	struct uroce_qp *next_event;
	void *owner; /* object of verbs/; the engine only stores it */
};

/** uroce_qp_state() - return the state of a QP; any thread */
static inline enum ibv_qp_state uroce_qp_state(const struct uroce_qp *qp)
{
	return (enum ibv_qp_state)__atomic_load_n(&qp->state, __ATOMIC_RELAXED);
}

/** uroce_qp_is_stopped() - whether a fault waits until it can be applied */
static inline bool uroce_qp_is_stopped(const struct uroce_qp *qp)
{
	return qp->fault.side != UROCE_FAULT_NONE;
}

/** uroce_qp_is_running() - whether a QP is in RTS and has no fault */
static inline bool uroce_qp_is_running(const struct uroce_qp *qp)
{
	return qp->state == IBV_QPS_RTS && !uroce_qp_is_stopped(qp);
}

/** uroce_qp_is_open() - whether the peer may use direct access through a QP */
static inline bool uroce_qp_is_open(const struct uroce_qp *qp)
{
	/* in RTR the first packet raises COMM_EST; direct access would not */
	return qp->type == IBV_QPT_RC &&
	       (qp->state == IBV_QPS_RTS ||
		(qp->state == IBV_QPS_RTR && qp->resp.established));
}

/** uroce_qp_tell() - publish the state of a QP, which may have changed */
void uroce_qp_tell(const struct uroce_qp *qp);

/** uroce_qp_owes() - whether a response, ACK or NAK to the peer is pending */
static inline bool uroce_qp_owes(const struct uroce_qp *qp)
{
	return qp->resp.nr_pending || qp->resp.reply != UROCE_REPLY_NONE;
}

/**
 * uroce_qp_modify() - change attributes and state
 * @qp: the QP
 * @attr: new attributes
 * @mask: enum ibv_qp_attr_mask of the valid members of @attr
 * @max_mtu: MTU of the port
 * @path: path for attr->ah_attr; ignored without IBV_QP_AV
 * @now: ns
 *
 * Return: 0, -ENOMEM, or what uroce_qp_state_check() returns.
 */
int uroce_qp_modify(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		    int mask, enum ibv_mtu max_mtu,
		    const struct uroce_path *path, uint64_t now);

/** uroce_qp_query() - read all attributes but cap; with the engine lock */
void uroce_qp_query(const struct uroce_qp *qp, struct ibv_qp_attr *ret_attr);

/** uroce_qp_event() - raise an asynchronous event of the QP */
void uroce_qp_event(struct uroce_qp *qp, enum ibv_event_type event);

/**
 * uroce_qp_fault() - record that a QP fails
 * @qp: the QP; nothing happens if it has a fault already or is in ERR
 * @side: which work request fails
 * @status: status of its completion; ignored for UROCE_FAULT_QP
 *
 * The QP then sends no request and accepts no packet, but still sends a NAK.
 * uroce_engine_sent() applies the fault: packets that are not sent yet may
 * point to memory of the work requests.
 */
__attribute__((cold)) void uroce_qp_fault(struct uroce_qp *qp,
					  enum uroce_fault_side side,
					  enum ibv_wc_status status);

/**
 * uroce_qp_apply_fault() - do what a fault requires (IBTA 10.3.1)
 *
 * A fault of the send queue of a UC or UD QP completes the WQE, flushes the
 * send queue, and the state is SQE. In all other cases the state is ERR, and
 * work requests are completed as soon as the peer is quiet, at the latest
 * after 2 s: now, or in uroce_qp_check_quiet().
 */
__attribute__((cold)) void uroce_qp_apply_fault(struct uroce_qp *qp,
						uint64_t now);

/** uroce_qp_check_quiet() - complete the work requests if the peer is quiet */
void uroce_qp_check_quiet(struct uroce_qp *qp, uint64_t now);

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

/** uroce_qp_flush() - flush WQEs that were posted after the failure */
void uroce_qp_flush(struct uroce_qp *qp);

#endif
