/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine: RoCEv2 without sockets, clocks and threads. Packets are input and
 * output, time is an argument, completions are added to rings.
 *
 * Time is that of a monotonic clock. The caller may use the time of an earlier
 * pass and sets struct uroce_engine.stale then. Timers that start with such a
 * time expire late, but never early. Timestamps of CQEs come from the CQ
 * (struct uroce_cq.clock).
 *
 * Locks: the engine takes none. One thread at a time uses the objects of an
 * engine, which a lock of the caller ensures ("the engine lock"). Exceptions
 * are marked "any thread": the rings, arming a CQ, uroce_engine_kick().
 * Addresses of payload that the engine hands out for sending are valid until
 * the lock is released, so MRs cannot disappear meanwhile.
 *
 * README.md shows how the worker calls the engine.
 */
#ifndef UROCE_ENGINE_H
#define UROCE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/qp/uroce_core.h"
#include "uroce/roce/uroce_pages.h"
#include "uroce/roce/uroce_path_rtts.h"
#include "uroce/roce/uroce_roce.h"

#define UROCE_QP_TABLE_BITS  16 /* QPs of an engine: 64 K */
#define UROCE_QP_TABLE_PAGE  256
#define UROCE_QP_TABLE_PAGES ((1 << UROCE_QP_TABLE_BITS) / UROCE_QP_TABLE_PAGE)

/* Packets of a QP in a row: as many as a system call can take. */
#define UROCE_MAX_BURST 64

struct uroce_engine_config {
	struct uroce_memory *memory; /* owned by the caller */
	struct uroce_chaos *chaos;   /* likewise; NULL: no chaos mode */
	uint32_t slot;		     /* bits 23-16 of its QPNs (README.md) */
	uint32_t seed;		     /* for QPNs; random if possible */
	uint32_t room_bytes;	     /* of the socket; 0: the system default */
};

/* A QP that is attached to a multicast group. */
struct uroce_group {
	uint8_t gid[UROCE_GID_LEN];
	struct uroce_qp *qp;
};

struct uroce_engine {
	struct uroce_core core;
	uint32_t slot;
	uint32_t room_bytes;

	/* uroce_qp_table.c */
	struct uroce_qp **qp_pages[UROCE_QP_TABLE_PAGES];
	uint64_t *qpn_free_ns; /* by index: not to be reused before */
	uint32_t qpn_next;     /* where the search for a free one begins */
	uint32_t nr_qps, nr_datagram_qps;
	bool wants_marks; /* the port must report ECN marks */

	uint64_t held_bytes; /* memory of uroce_reorder.c */
	struct uroce_pages reorder_pages, sack_pages;

	struct uroce_path_rtts path_rtts; /* uroce_retry.c */

	/* uroce_engine.c */
	struct list_node active;
	struct list_node unsent;
	struct list_node publishing;   /* QPs with published sinks */
	struct uroce_qp *kicks;	       /* atomic */
	struct list_node parked;       /* active, but their ACK is deferred */
	uint32_t nr_deferred;	       /* deferred ACKs */
	struct list_node delayed_acks; /* QPs with a delayed one; by time */
	uint32_t burst;	    /* packets in a row of the first active QP, */
	uint32_t max_burst; /* and how many it may send */
	bool stale; /* set by the caller: the time is from an earlier pass */
	/* uroce_fast_ack.c: piggybacked ACKs to be processed later */
	bool may_postpone_ack;		 /* set by the caller: they may be */
	struct list_node postponed_acks; /* QPs with such an ACK */

	/* uroce_timers.c: a heap, the earliest first */
	struct uroce_roce **timers;
	uint32_t nr_timers, max_timers;

	/*
	 * on_mad() - set by the caller: a MAD for QP 1 has arrived; NULL: there
	 * is no QP 1. packet->payload has UROCE_MAD_BYTES, valid until the
	 * return.
	 */
	void (*on_mad)(void *arg, const struct uroce_packet *packet);
	void *on_mad_arg;

	/* multicast */
	struct uroce_group *groups;
	uint32_t nr_groups, max_groups;

	/* uroce_copy.c: received data for on-demand regions */
	struct list_node gathering; /* QPs that have such data */
	struct uroce_pages gather_pages;
	/* the payload of the last packet or run to send, if it is from one */
	uint8_t copied_payload[UROCE_MAX_COPIED_RUN];
};

/* A packet to send. */
struct uroce_out {
	struct uroce_qp *qp;	    /* the sender */
	struct uroce_packet packet; /* payload_len is set, payload is not */
	/* addresses of the payload, valid until the next packet is made */
	struct uroce_iovecs iovecs;
};

/**
 * uroce_engine_init() - initialize an engine without QPs and MRs
 * @engine: memory of the caller
 * @config: slot, seed and limits
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_engine_init(struct uroce_engine *engine,
		      const struct uroce_engine_config *config);

/** uroce_engine_fini() - free the tables; all QPs must have been freed */
void uroce_engine_fini(struct uroce_engine *engine);

/* Attributes of a new QP. */
struct uroce_qp_config {
	enum ibv_qp_type type; /* RC, UC, UD, XRC_SEND or XRC_RECV */
	uint32_t pd;
	bool sig_all;
	uint32_t max_send_wr, max_send_sge, max_inline;
	struct uroce_rq *rq; /* own or shared; owned by the caller */
	struct uroce_cq *send_cq, *recv_cq; /* XRC_RECV: ignored */
	const void *xrc_domain;		    /* XRC_RECV */
	void *owner;
};

/**
 * uroce_engine_new_qp() - create a QP in state RESET
 * @engine: the engine
 * @config: its attributes
 * @now: ns
 * @ret_qp: receives the QP; uroce_engine_free_qp() frees it
 *
 * Return: 0, -EINVAL, -ENOMEM, or -ENOSPC if no QPN is free.
 */
int uroce_engine_new_qp(struct uroce_engine *engine,
			const struct uroce_qp_config *config, uint64_t now,
			struct uroce_qp **ret_qp);

/**
 * uroce_engine_free_qp() - remove a QP and free it
 * @engine: the engine
 * @qp: the QP; no thread posts to it any more, its WQEs are discarded
 * @now: ns
 * @quarantine_ns: time in which its QPN is not reused
 */
void uroce_engine_free_qp(struct uroce_engine *engine, struct uroce_qp *qp,
			  uint64_t now, uint64_t quarantine_ns);

/**
 * uroce_engine_qpn_free_ns() - get the time when the next QPN leaves quarantine
 * @engine: the engine
 *
 * Return: ns, maybe in the past; UROCE_NEVER if all QPNs are in use.
 */
uint64_t uroce_engine_qpn_free_ns(const struct uroce_engine *engine);

/** uroce_engine_find_qp() - look up a QP by its QPN; NULL if none has it */
struct uroce_qp *uroce_engine_find_qp(const struct uroce_engine *engine,
				      uint32_t qpn);

/**
 * uroce_engine_kick() - schedule a QP to which WQEs were posted
 *
 * To be called after each post of send WQEs, and of receive WQEs if the QP is
 * in ERR.
 *
 * Context: any thread; never blocks. The QP must not be freed meanwhile.
 */
void uroce_engine_kick(struct uroce_engine *engine, struct uroce_qp *qp);

/** uroce_engine_has_kicks() - whether a QP was kicked; any thread */
static inline bool uroce_engine_has_kicks(const struct uroce_engine *engine)
{
	return __atomic_load_n(&engine->kicks, __ATOMIC_SEQ_CST);
}

/**
 * uroce_engine_receive() - process a received packet
 * @engine: the engine
 * @packet: has a path unless it has a channel; a pending ICRC check is used up
 * @now: ns
 *
 * Never fails: an invalid packet is counted, and rejected with a NAK if the
 * protocol requires that. uroce_engine_end_receive() must follow the last
 * packet before any other function of the engine is called.
 */
void uroce_engine_receive(struct uroce_engine *engine,
			  struct uroce_packet *packet, uint64_t now);

/**
 * uroce_engine_end_receive() - store the data that QPs have gathered
 *
 * A message whose data cannot be stored fails.
 */
void uroce_engine_end_receive(struct uroce_engine *engine);

/**
 * uroce_engine_next() - get the next packet to send
 * @engine: the engine
 * @now: ns
 * @ret_out: receives the packet
 *
 * Packets of one QP follow each other for a while, so that one system call can
 * send them. Before the caller passes a packet to the engine or modifies a QP,
 * it must send all packets and call uroce_engine_sent().
 *
 * Return: whether there was a packet.
 */
bool uroce_engine_next(struct uroce_engine *engine, uint64_t now,
		       struct uroce_out *ret_out);

/**
 * uroce_engine_next_run() - get packets that continue the last one
 * @engine: the engine
 * @now: ns
 * @max: maximum number of packets
 * @out: result of the last uroce_engine_next(); receives the first packet, with
 *	the payload of all of them
 *
 * The packets are from the middle of one message: consecutive PSNs, payloads of
 * equal length that are contiguous in memory, and no other difference. A run
 * takes hardly longer than one packet.
 *
 * Return: number of packets; 0: no such packets, @out is unchanged, and the
 * caller continues with uroce_engine_next().
 */
uint32_t uroce_engine_next_run(struct uroce_engine *engine, uint64_t now,
			       uint32_t max, struct uroce_out *out);

/**
 * uroce_engine_next_of() - get the next packet of one QP
 * @engine: the engine
 * @qp: the QP, which has a channel; the caller repeats the call until it
 *	returns false
 * @now: ns
 * @ret_out: receives the packet
 *
 * Like uroce_engine_next(), but without other QPs and without processing kicks.
 * No packet of uroce_engine_next() may still be unsent.
 *
 * Return: whether there was a packet.
 */
bool uroce_engine_next_of(struct uroce_engine *engine, struct uroce_qp *qp,
			  uint64_t now, struct uroce_out *ret_out);

/** uroce_engine_next_active() - get a QP with something to send, or NULL */
static inline struct uroce_qp *
uroce_engine_next_active(const struct uroce_engine *engine)
{
	return list_empty(&engine->active)
		       ? NULL
		       : list_entry(engine->active.next, struct uroce_roce,
				    active)
				 ->qp;
}

/**
 * uroce_engine_sent() - report that all packets handed out are sent
 *
 * Completes the requests of UC and UD among them: only now may the application
 * write to their memory again. QPs with an error pending go to ERR.
 */
void uroce_engine_sent(struct uroce_engine *engine, uint64_t now);

/**
 * uroce_engine_defer_acks() - defer ACKs until the application has responded
 * @again: also if the same ACK was deferred before; without it every other ACK
 *	of a stream is sent, and the window of the peer stays open
 *
 * Applications often respond to a message. The response and the ACK then travel
 * together, the response in front: the peer waits for it, not for the ACK. A
 * deferred ACK is sent behind the requests that are posted to its QP, or after
 * uroce_engine_flush_deferred(), which the caller must call soon in any case.
 *
 * Return: whether all that is left to send was deferred; else nothing was.
 */
bool uroce_engine_defer_acks(struct uroce_engine *engine, bool again);

/**
 * uroce_engine_defer_only_ack() - defer the ACK of the last packet
 *
 * Like uroce_engine_defer_acks(), but only if a single QP has something to
 * send, and also for a WRITE, since a process that polls its memory may
 * respond.
 */
bool uroce_engine_defer_only_ack(struct uroce_engine *engine);

/** uroce_engine_flush_deferred() - end the deferral: the ACKs are sent next */
void uroce_engine_flush_deferred(struct uroce_engine *engine);

/**
 * uroce_engine_flush_delayed() - flush delayed ACKs
 * @engine: the engine
 * @until_ns: only ACKs whose delay ends at this time or before; UROCE_NEVER:
 *	all, required before the caller stops checking the time, and before
 *	objects are freed
 *
 * Some peers do not wait for the ACK of a message after its response, but send
 * the next message: then one ACK covers several messages. The engine tries
 * this with each peer, more rarely the more often a delay was in vain.
 */
void uroce_engine_flush_delayed(struct uroce_engine *engine, uint64_t until_ns);

/** uroce_engine_delayed_deadline() - end of the first delay; or UROCE_NEVER */
static inline uint64_t
uroce_engine_delayed_deadline(const struct uroce_engine *engine)
{
	/* All delays have the same length, so they end in the order of the
	 * list. */
	return list_empty(&engine->delayed_acks)
		       ? UROCE_NEVER
		       : list_entry(engine->delayed_acks.next,
				    struct uroce_roce, delayed)
				 ->delack_ns;
}

/**
 * uroce_engine_expire() - expire timers
 *
 * uroce_engine_next() returns the packets that result.
 *
 * Return: when to call it next, in ns; UROCE_NEVER if no timer runs. The time
 * may be too early, never too late; receiving and sending can make it earlier.
 */
uint64_t uroce_engine_expire(struct uroce_engine *engine, uint64_t now);

/** uroce_engine_deadline() - get what uroce_engine_expire() would return now */
uint64_t uroce_engine_deadline(const struct uroce_engine *engine);

/**
 * uroce_engine_attach() - attach a UD QP to a multicast group
 * @engine: the engine
 * @qp: a UD QP
 * @gid: of the group
 *
 * Attaching twice is the same as once.
 *
 * Return: 0, -EINVAL for another type of QP, or -ENOMEM.
 */
int uroce_engine_attach(struct uroce_engine *engine, struct uroce_qp *qp,
			const uint8_t *gid);

/** uroce_engine_detach() - detach a QP; 0, or -EINVAL if it was not attached */
int uroce_engine_detach(struct uroce_engine *engine, struct uroce_qp *qp,
			const uint8_t *gid);

/**
 * uroce_engine_chaos() - a step of chaos mode, in each pass before it sends
 *
 * Changes the order of the QPs with packets to send, and how many each sends in
 * a row. Stores late data and adds late completions (qp/uroce_chaos.h).
 */
void uroce_engine_chaos(struct uroce_engine *engine);

/* The rest is for the files of the engine. */

/** uroce_engine_take_kicks() - activate all QPs that were kicked */
void uroce_engine_take_kicks(struct uroce_engine *engine);

/** uroce_engine_activate() - schedule a QP that may have something to send */
void uroce_engine_activate(struct uroce_engine *engine, struct uroce_qp *qp);

#endif
