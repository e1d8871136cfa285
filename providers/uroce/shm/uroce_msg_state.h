/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State of the transport of messages, private to uroce_msg*.c.
 *
 * A message has a number, 24 bits, that its WQE stores as its PSN. From the
 * oldest to the youngest: sq.tail is the oldest incomplete message (una_msn),
 * qp->cur the first that is not wholly in the ring; next_msn is that of the
 * next message to begin. After uroce_msg_go_back() the tail can pass qp->cur.
 */
#ifndef UROCE_MSG_STATE_H
#define UROCE_MSG_STATE_H

#include "uroce/qp/uroce_rx.h"
#include "uroce/roce/uroce_direct_step.h"
#include "uroce/shm/uroce_msg.h"

struct uroce_msg {
	struct uroce_transport_base transport; /* first */
	struct uroce_msg_config config;
	struct uroce_qp *last; /* QP of the last message, or NULL */
	struct list_node pairs;
	struct list_node ready; /* QPs that may have something to send */
	struct list_node
		partial;	/* QPs whose turn continues in the next pass */
	struct list_node owing; /* QPs that owe an acknowledgement */
	struct list_node untimed; /* QPs whose deadline is to be set */
	struct list_node timed;	  /* QPs with a deadline */
	uint64_t next_ns;	  /* the first deadline, or an earlier time */
	uint64_t now;		  /* of the last progress() */
	uint32_t pass;		  /* number of the current pass */
	uint32_t full_pass;	  /* of the last progress() */
	struct uroce_msg_counters counters;
};

/* A READ or atomic that was executed, and whose response is not sent. */
struct uroce_msg_owed {
	uint8_t type; /* UROCE_MSG_READ_RESP or UROCE_MSG_ATOMIC_RESP */
	uint32_t msn;
	struct uroce_msg_range range; /* READ */
	uint32_t offset;	      /* READ: bytes that were sent */
	uint64_t orig;		      /* atomic: original value */
};

enum uroce_msg_kind {
	UROCE_MSG_KIND_NONE,
	UROCE_MSG_KIND_SEND,
	UROCE_MSG_KIND_WRITE,
};

struct uroce_msg_requester {
	uint32_t next_msn, una_msn;
	uint32_t
		begun_msn; /* after the last message of which a part was sent */
	uint32_t sent_msn; /* after the last message that was sent once */
	uint32_t offset;   /* bytes of the message at qp->cur that were sent */
	uint32_t received; /* bytes of the READ at the tail that came */
	struct uroce_cursor out; /* in the SGEs of qp->cur */
	struct uroce_cursor in;	 /* in the SGEs of the READ at the tail */
	/* WQEs from the tail to qp->cur that have a response of their own */
	uint32_t nr_unanswered;
	uint8_t rnr_left, retry_left;
	struct uroce_direct_state direct; /* of qp->cur */
	bool partial;			  /* in msg->partial */
	bool no_chunks;			  /* the peer cannot copy them */
	bool not_ready;			  /* the RNR wait */
	uint8_t rnr_timer;		  /* of that wait */
	bool has_moved;			  /* the deadline begins anew */
	uint64_t at_ns;			  /* deadline, or end of the RNR wait */
};

struct uroce_msg_responder {
	uint32_t rx_msn;  /* of the next message to execute */
	uint8_t kind;	  /* enum uroce_msg_kind: the message in progress */
	bool established; /* COMM_EST was reported */
	/* after an RNR NAK: drop the rest of the message */
	bool dropping;
	uint8_t syndrome;	    /* of the NAK to send; 0: none */
	uint32_t resume;	    /* of an RNR NAK */
	uint32_t offset;	    /* bytes of the message in progress */
	struct uroce_rx_range all;  /* WRITE */
	struct uroce_cursor cursor; /* SEND: in the SGEs of qp->receive */
	/* READs and atomics: a ring of max_owed */
	struct uroce_msg_owed *owed;
	uint8_t max_owed, first_owed, nr_owed;
	uint32_t pass;	      /* of the last message */
	uint32_t nr_messages; /* executed in that pass */
};

struct uroce_msg_qp {
	struct uroce_qp *qp;
	struct uroce_msg *msg;
	struct uroce_msg_pair *pair;
	const struct uroce_transport_ops *former; /* its other transport */
	struct uroce_msg_requester req;
	struct uroce_msg_responder resp;
	struct list_node bound;
	struct list_node ready; /* in msg->ready, msg->partial, pair->blocked */
	struct list_node owing;
	struct list_node timer; /* in msg->untimed or msg->timed */
};

/** uroce_msg_of() - the state of a transport */
static inline struct uroce_msg *
uroce_msg_of(struct uroce_transport_base *transport)
{
	return list_entry(transport, struct uroce_msg, transport);
}

/** uroce_msg_diff() - a - b, modulo 2^24 */
static inline uint32_t uroce_msg_diff(uint32_t a, uint32_t b)
{
	return (a - b) & UROCE_PSN_MASK;
}

/** uroce_msg_is_reliable() - whether messages get a response */
static inline bool uroce_msg_is_reliable(const struct uroce_msg_qp *mqp)
{
	return mqp->qp->type == IBV_QPT_RC;
}

/** uroce_msg_next() - the number after @msn */
static inline uint32_t uroce_msg_next(uint32_t msn)
{
	return (msn + 1) & UROCE_PSN_MASK;
}

/** uroce_msg_wake() - let the next pass, or this one, send for a QP */
static inline void uroce_msg_wake(struct uroce_msg_qp *mqp)
{
	if (list_empty(&mqp->ready))
		list_add_tail(&mqp->msg->ready, &mqp->ready);
}

/** uroce_msg_owe() - an acknowledgement is due */
static inline void uroce_msg_owe(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_responder *resp = &mqp->resp;

	if (resp->pass != mqp->msg->pass) {
		resp->pass = mqp->msg->pass;
		resp->nr_messages = 0;
	}
	resp->nr_messages++;
	if (list_empty(&mqp->owing))
		list_add_tail(&mqp->msg->owing, &mqp->owing);
}

/** uroce_msg_time() - set the deadline of a QP in the next full pass */
static inline void uroce_msg_time(struct uroce_msg_qp *mqp)
{
	if (list_empty(&mqp->timer))
		list_add_tail(&mqp->msg->untimed, &mqp->timer);
}

/* Operations of struct uroce_transport_ops for the worker; uroce_msg.c. */
void uroce_msg_post(struct uroce_qp *qp);
bool uroce_msg_owes(const struct uroce_qp *qp);
unsigned int uroce_msg_poll(struct uroce_transport_base *transport);
unsigned int uroce_msg_progress(struct uroce_transport_base *transport,
				uint64_t now, bool receive);
bool uroce_msg_flush(struct uroce_transport_base *transport);
uint64_t uroce_msg_deadline(const struct uroce_transport_base *transport);
bool uroce_msg_arm(struct uroce_transport_base *transport, bool on);

/**
 * uroce_msg_has_room() - check for room for one entry; else the QP is blocked
 *
 * A failed pair has no room.
 */
bool uroce_msg_has_room(struct uroce_msg_qp *mqp);

/** uroce_msg_begin() - begin an entry of a QP; there is room */
struct uroce_msg_entry *uroce_msg_begin(struct uroce_msg_qp *mqp,
					enum uroce_msg_type type, uint8_t flags,
					uint32_t msn);

/** uroce_msg_commit() - end an entry; @more: as in uroce_msg_ring_commit() */
void uroce_msg_commit(struct uroce_msg_qp *mqp, struct uroce_msg_entry *entry,
		      bool more);

/** uroce_msg_publish() - publish the entries of a pair, and wake the peer */
void uroce_msg_publish(struct uroce_msg_pair *pair);

/** uroce_msg_yield() - continue to send for a QP in the next pass */
void uroce_msg_yield(struct uroce_msg_qp *mqp);

/**
 * uroce_msg_awaits_turn() - whether a WQE waits until nothing is in flight, so
 * that it can be executed by direct access
 */
bool uroce_msg_awaits_turn(const struct uroce_msg_qp *mqp,
			   const struct uroce_send_wqe *wqe);

/**
 * uroce_msg_try_direct() - execute the WQE at qp->cur by direct access;
 * uroce_msg_direct.c
 *
 * Return: UROCE_DIRECT_DONE: it is complete, and qp->cur is the next one.
 */
enum uroce_direct uroce_msg_try_direct(struct uroce_msg_qp *mqp,
				       struct uroce_send_wqe *wqe);

/* Long messages; uroce_msg_chunk.c. */

/**
 * uroce_msg_is_for_kernel() - whether a copy of @bytes by CMA is faster than
 * through the ring
 * @fragment_ns: time of a copy of a fragment out of that ring; 0: unknown
 */
bool uroce_msg_is_for_kernel(const struct uroce_msg_pair *pair,
			     uint32_t fragment_ns, uint32_t bytes);

/**
 * uroce_msg_wants_sample() - whether a long message uses the ring to measure
 *
 * Call it once for each long message.
 */
bool uroce_msg_wants_sample(struct uroce_msg_pair *pair);

/** uroce_msg_mark_sample() - let the peer measure a fragment, from time to time
 */
void uroce_msg_mark_sample(struct uroce_msg_pair *pair,
			   struct uroce_msg_entry *entry);

/**
 * uroce_msg_find_chunk() - the next part of a SEND or WRITE, as a chunk
 * @ret_chunk: receives its place in the memory of this process
 *
 * Return: false: to be sent as a fragment.
 */
bool uroce_msg_find_chunk(struct uroce_msg_qp *mqp,
			  const struct uroce_send_wqe *wqe,
			  struct uroce_msg_chunk *ret_chunk);

/**
 * uroce_msg_copy() - copy a fragment or a chunk to its destination
 * @place: the destination is the target of a WRITE: the last word is stored
 *	after all other bytes of a fragment
 *
 * Return: false if the chunk cannot be read; the requester sends payload then.
 */
bool uroce_msg_copy(struct uroce_msg_qp *mqp,
		    const struct uroce_msg_received *in,
		    const struct uroce_iovecs *iovecs, bool place);

/** uroce_msg_start_requester() - initialize for RTS; uroce_msg_requester.c */
void uroce_msg_start_requester(struct uroce_msg_qp *mqp);

/**
 * uroce_msg_go_back() - send all messages again from the oldest one on
 * @resume: offset in the oldest message at which to begin
 */
void uroce_msg_go_back(struct uroce_msg_qp *mqp, uint32_t resume);

/** uroce_msg_send_requests() - send WQEs; uroce_msg_requester.c */
void uroce_msg_send_requests(struct uroce_msg_qp *mqp);

/** uroce_msg_acknowledge() - all messages before @until were executed */
void uroce_msg_acknowledge(struct uroce_msg_qp *mqp, uint32_t until);

/** uroce_msg_receive_response() - process a response; uroce_msg_response.c */
void uroce_msg_receive_response(struct uroce_msg_qp *mqp,
				const struct uroce_msg_received *in);

/** uroce_msg_start_responder() - initialize for RTR; uroce_msg_responder.c */
void uroce_msg_start_responder(struct uroce_msg_qp *mqp);

/** uroce_msg_receive_request() - execute a request; uroce_msg_responder.c */
void uroce_msg_receive_request(struct uroce_msg_qp *mqp,
			       const struct uroce_msg_received *in);

/* Outcomes of a message; uroce_msg_outcome.c. */

/** uroce_msg_nak() - send a NAK; @resume: of an RNR NAK */
void uroce_msg_nak(struct uroce_msg_qp *mqp, uint8_t syndrome, uint32_t resume);

/** uroce_msg_refuse() - reject an invalid request (IBTA 9.7.4.1, 9.9.3) */
void uroce_msg_refuse(struct uroce_msg_qp *mqp, struct uroce_rx_result result);

/** uroce_msg_refuse_invalid() - reject it as an invalid request */
void uroce_msg_refuse_invalid(struct uroce_msg_qp *mqp,
			      enum uroce_counter counter);

/**
 * uroce_msg_not_ready() - no receive WQE is posted
 * @resume: offset in the message at which the requester goes on after the wait
 */
void uroce_msg_not_ready(struct uroce_msg_qp *mqp, uint32_t resume);

/** uroce_msg_executed() - a message was executed, or a fragment of it */
void uroce_msg_executed(struct uroce_msg_qp *mqp,
			const struct uroce_msg_entry *entry);

/** uroce_msg_execute_write() - execute a WRITE; uroce_msg_remote.c */
void uroce_msg_execute_write(struct uroce_msg_qp *mqp,
			     const struct uroce_msg_received *in);

/** uroce_msg_execute_nonposted() - a READ, atomic, FLUSH or ATOMIC WRITE */
void uroce_msg_execute_nonposted(struct uroce_msg_qp *mqp,
				 const struct uroce_msg_received *in);

/**
 * uroce_msg_send_responses() - send data of READs, results of atomics and the
 * NAK; uroce_msg_reply.c
 *
 * Return: whether none is left.
 */
bool uroce_msg_send_responses(struct uroce_msg_qp *mqp);

/** uroce_msg_send_ack() - send the acknowledgement that is due, if any */
void uroce_msg_send_ack(struct uroce_msg_qp *mqp);

/** uroce_msg_take_ack() - piggyback the acknowledgement on a request, if due */
void uroce_msg_take_ack(struct uroce_msg_qp *mqp,
			struct uroce_msg_entry *entry);

/** uroce_msg_drop_responses() - cancel responses of READs and atomics */
void uroce_msg_drop_responses(struct uroce_msg_qp *mqp);

/** uroce_msg_set_timer() - look at a failed QP again; uroce_msg_timer.c */
void uroce_msg_set_timer(struct uroce_qp *qp, uint64_t at_ns);

/** uroce_msg_expire() - handle deadlines that have passed; uroce_msg_timer.c */
void uroce_msg_expire(struct uroce_msg *msg);

#endif
