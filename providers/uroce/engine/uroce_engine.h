/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine: RoCEv2 without sockets, clocks and threads. Packets go in and
 * come out, time is an argument, completions appear in rings.
 *
 * Time is that of a clock which runs on. Where struct uroce_engine.exact is
 * false it may be one of before: then "vague" says so, and what is to happen
 * after a while happens later, but never too early.
 *
 * Locks: there are none in here. All that belongs to one engine is used by one
 * thread at a time, which the caller's lock sees to ("the engine lock"), but
 * for what is marked "any thread": the rings, arming a CQ, uroce_engine_kick().
 * Pieces of memory that the engine hands out for sending are valid until the
 * lock is given up, so regions cannot vanish under them.
 *
 * How the loop calls it is in ../README.md.
 */
#ifndef UROCE_ENGINE_H
#define UROCE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/engine/uroce_counters.h"
#include "uroce/engine/uroce_memory.h"
#include "uroce/engine/uroce_qp.h"

#define UROCE_QP_TABLE_BITS  16 /* QPs of an engine: 64 K */
#define UROCE_QP_TABLE_PAGE  256
#define UROCE_QP_TABLE_PAGES ((1 << UROCE_QP_TABLE_BITS) / UROCE_QP_TABLE_PAGE)

struct uroce_engine_config {
	uint32_t slot;	       /* bits 23-16 of its QPNs (../README.md) */
	uint32_t seed;	       /* for keys and QPNs; random, if it can be */
	uint32_t window_bytes; /* that a QP may have on the way; 0: 256 KB */
	uint32_t room_bytes;   /* of the socket; 0: what it has by default */
};

/* Who waits for longer than this does not notice a time some ms late. */
#define UROCE_LONG_NS UINT64_C(30000000)

/* Attached QPs of a multicast group. */
struct uroce_group {
	uint8_t gid[UROCE_GID_LEN];
	struct uroce_qp *qp;
};

struct uroce_engine {
	struct uroce_memory memory;
	struct uroce_counters counters;
	uint32_t slot;
	uint32_t window_bytes;
	uint32_t room_bytes;
	/* on_qp() - state or attributes have changed; NULL: as in memory */
	void (*on_qp)(void *arg, const struct uroce_qp *qp);
	void *arg;

	/* uroce_qp_table.c */
	struct uroce_qp **qp_pages[UROCE_QP_TABLE_PAGES];
	uint64_t *qpn_free_ns; /* by index: not to be used before that */
	uint32_t qpn_next;     /* where the search for a free one begins */
	uint32_t nr_qps, nr_datagram_qps;

	/* uroce_engine.c */
	struct list_node active;
	struct list_node unsent;
	struct list_node landed;  /* uroce_split.c */
	struct uroce_qp *kicks;	  /* atomic */
	struct uroce_qp *put_off; /* whose ACK waits; NULL: none */
	bool answered;		  /* since that was set */
	struct uroce_qp *held;	  /* whose ACK waits longer; NULL: none */
	uint64_t held_ns;	  /* until then */
	uint32_t burst;		  /* packets in a row of the first active QP */
	/*
	 * The application would notice a time that is some ms late, or a region
	 * in a dma-buf was registered, whose accesses end with a run.
	 */
	bool exact;
	bool vague; /* set by the caller: "now" is the time of an earlier run */
	/* uroce_fast_ack.c: an ACK that came along, to be looked at later */
	bool may_be_late; /* set by the caller: there can be one */
	uint32_t late_psn;
	struct uroce_qp *late; /* NULL: there is none */
	struct uroce_cq *cq_events;
	struct uroce_rq *rq_events;
	struct uroce_qp *qp_events;

	/* uroce_timers.c: a heap, the earliest first */
	struct uroce_qp **timers;
	uint32_t nr_timers, max_timers;

	/* multicast */
	struct uroce_group *groups;
	uint32_t nr_groups, max_groups;
};

/* A packet to be sent. */
struct uroce_out {
	struct uroce_qp *qp;	    /* whose it is */
	struct uroce_packet packet; /* payload_len is set, payload is not */
	struct uroce_pieces pieces; /* the payload */
};

/**
 * uroce_engine_init() - an engine without QPs and regions
 * @engine: memory of the caller
 * @config: of it
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_engine_init(struct uroce_engine *engine,
		      const struct uroce_engine_config *config);

/** uroce_engine_fini() - free its tables; its QPs must be gone */
void uroce_engine_fini(struct uroce_engine *engine);

/* What a QP is made of. */
struct uroce_qp_config {
	enum ibv_qp_type type; /* RC, UC or UD */
	uint32_t pd;
	bool sig_all;
	uint32_t max_send_wr, max_send_sge, max_inline;
	struct uroce_rq *rq; /* own or shared; the caller's */
	struct uroce_cq *send_cq, *recv_cq;
	void *owner;
};

/**
 * uroce_engine_new_qp() - a QP in state RESET
 * @engine: the engine
 * @config: what it is made of
 * @now: ns
 * @ret_qp: receives it; to be given back to uroce_engine_free_qp()
 *
 * Return: 0, -EINVAL, -ENOMEM, or -ENOSPC if there are too many.
 */
int uroce_engine_new_qp(struct uroce_engine *engine,
			const struct uroce_qp_config *config, uint64_t now,
			struct uroce_qp **ret_qp);

/**
 * uroce_engine_free_qp() - take a QP out and free it
 * @engine: the engine
 * @qp: the QP; nobody posts to it any more, its requests are thrown away
 * @now: ns
 * @quarantine_ns: how long its QPN is not to be used again
 */
void uroce_engine_free_qp(struct uroce_engine *engine, struct uroce_qp *qp,
			  uint64_t now, uint64_t quarantine_ns);

/**
 * uroce_engine_qpn_free_ns() - when the next QPN leaves its quarantine
 * @engine: the engine
 *
 * Return: a time, which may be over, or UROCE_NEVER if all QPNs are in use.
 */
uint64_t uroce_engine_qpn_free_ns(const struct uroce_engine *engine);

/** uroce_engine_find_qp() - the QP of a QPN, or NULL */
struct uroce_qp *uroce_engine_find_qp(const struct uroce_engine *engine,
				      uint32_t qpn);

/**
 * uroce_engine_kick() - something was put into a queue of @qp
 *
 * After each post of send requests, and of receive requests if the QP is in
 * ERR.
 *
 * Context: any thread; never blocks. The QP must not be freed meanwhile.
 */
void uroce_engine_kick(struct uroce_engine *engine, struct uroce_qp *qp);

/** uroce_engine_has_kicks() - whether anybody kicked; any thread */
bool uroce_engine_has_kicks(const struct uroce_engine *engine);

/**
 * uroce_engine_receive() - a packet has come
 * @engine: the engine
 * @packet: with path; if it has a seal, that is used up
 * @now: ns
 *
 * Never fails: what is wrong with the packet is counted, and answered if the
 * protocol wants that.
 */
void uroce_engine_receive(struct uroce_engine *engine,
			  struct uroce_packet *packet, uint64_t now);

/**
 * uroce_engine_next() - the next packet to be sent
 * @engine: the engine
 * @now: ns
 * @ret_out: receives it
 *
 * Packets of one QP follow each other for a while, so that they can travel in
 * one system call. Before the engine is given another packet or a QP is
 * modified the caller must have sent all and called uroce_engine_sent().
 *
 * Return: whether there was one.
 */
bool uroce_engine_next(struct uroce_engine *engine, uint64_t now,
		       struct uroce_out *ret_out);

/**
 * uroce_engine_next_run() - packets that follow the last one and are much alike
 * @engine: the engine
 * @now: ns
 * @max: so many at most
 * @out: what uroce_engine_next() has just given; receives the first of them
 *
 * They are from the middle of a message: their PSNs count up, their payloads
 * are of one length and lie behind each other in memory, in one piece, and
 * there is no other difference. To make many of them takes hardly longer than
 * to make one.
 *
 * Return: how many; 0: there is nothing of that kind, @out is unchanged, and
 * uroce_engine_next() is to be asked.
 */
uint32_t uroce_engine_next_run(struct uroce_engine *engine, uint64_t now,
			       uint32_t max, struct uroce_out *out);

/**
 * uroce_engine_next_of() - the next packet of one QP
 * @engine: the engine
 * @qp: the QP, which has a channel; called for until it returns false
 * @now: ns
 * @ret_out: receives it
 *
 * As uroce_engine_next(), but nobody else is asked, and kicks are left alone.
 * To be used where nothing that uroce_engine_next() gave is still to be sent.
 *
 * Return: whether there was one.
 */
bool uroce_engine_next_of(struct uroce_engine *engine, struct uroce_qp *qp,
			  uint64_t now, struct uroce_out *ret_out);

/** uroce_engine_next_active() - a QP with something to send, or NULL */
static inline struct uroce_qp *
uroce_engine_next_active(const struct uroce_engine *engine)
{
	return list_empty(&engine->active)
		       ? NULL
		       : list_entry(engine->active.next, struct uroce_qp,
				    active);
}

/**
 * uroce_engine_sent() - all packets that were handed out are sent
 *
 * Completes the requests of UC and UD among them: only now may the application
 * write to their memory again.
 */
void uroce_engine_sent(struct uroce_engine *engine, uint64_t now);

/**
 * uroce_engine_put_off() - let an ACK wait for the answer to the message
 *
 * Whoever gets a message often answers it. Then both can travel together, with
 * the answer in front: the peer waits for it, and not for the ACK.
 *
 * @writes: also for a WRITE, since a process that polls its memory may respond;
 *	else only for a message that is still in its CQ, or has arrived in part
 * @again: also if the same ACK was put off before; without that the ACKs of a
 *	stream are sent every other time, and the window of the peer stays open
 *
 * Return: whether all that there is to send is one such ACK. Then
 * uroce_engine_next() must be called soon, whatever happens; it gives requests
 * of that QP first.
 */
bool uroce_engine_put_off(struct uroce_engine *engine, bool writes, bool again);

/** uroce_engine_call_in() - there was no answer; the ACK is to be sent next */
void uroce_engine_call_in(struct uroce_engine *engine);

/**
 * uroce_engine_release() - an ACK has waited for long enough
 *
 * Some peers do not wait for the ACK of a message that was answered, but send
 * the next one: then one ACK does for a few messages. Which peers do so is
 * tried out, the rarer the more often it was wrong. While engine->held is set
 * this must be called at engine->held_ns, or earlier: when nobody is going to
 * look at the time, and before objects go.
 */
void uroce_engine_release(struct uroce_engine *engine);

/**
 * uroce_engine_expire() - let time pass
 *
 * What there is to send afterwards uroce_engine_next() gives.
 *
 * Return: when to call it next, in ns; UROCE_NEVER if no timer runs. It may be
 * too early, never too late; receiving and sending can make it earlier.
 */
uint64_t uroce_engine_expire(struct uroce_engine *engine, uint64_t now);

/** uroce_engine_deadline() - what uroce_engine_expire() would return now */
uint64_t uroce_engine_deadline(const struct uroce_engine *engine);

/**
 * uroce_engine_take_cq() - a CQ with events: see its wake, report_overrun
 *
 * The caller looks at the two members and resets them. NULL: no more.
 */
struct uroce_cq *uroce_engine_take_cq(struct uroce_engine *engine);

/** uroce_engine_take_rq() - an SRQ that has reached its limit, or NULL */
struct uroce_rq *uroce_engine_take_rq(struct uroce_engine *engine);

/** uroce_engine_take_qp() - a QP with events, which the caller resets, or NULL
 */
struct uroce_qp *uroce_engine_take_qp(struct uroce_engine *engine);

/** uroce_engine_forget_cq() - before a CQ is freed: drop its events */
void uroce_engine_forget_cq(struct uroce_engine *engine, struct uroce_cq *cq);

/** uroce_engine_forget_rq() - before an SRQ is freed: drop its events */
void uroce_engine_forget_rq(struct uroce_engine *engine, struct uroce_rq *rq);

/**
 * uroce_engine_attach() - let a UD QP receive what is sent to a group
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

/** uroce_engine_detach() - undo it; 0, or -EINVAL if it was not attached */
int uroce_engine_detach(struct uroce_engine *engine, struct uroce_qp *qp,
			const uint8_t *gid);

/* The rest is for the files of the engine. */

/** uroce_engine_count() - add to a counter */
static inline void uroce_engine_count(struct uroce_engine *engine,
				      enum uroce_counter counter, uint64_t n)
{
	engine->counters.count[counter] += n;
}

/** uroce_engine_take_kicks() - activate all QPs that were kicked */
void uroce_engine_take_kicks(struct uroce_engine *engine);

/** uroce_engine_activate() - @qp may have something to send */
void uroce_engine_activate(struct uroce_engine *engine, struct uroce_qp *qp);

/** uroce_engine_cq_event() - @cq is to be found by uroce_engine_take_cq() */
void uroce_engine_cq_event(struct uroce_engine *engine, struct uroce_cq *cq);

/** uroce_engine_rq_event() - likewise, for an SRQ */
void uroce_engine_rq_event(struct uroce_engine *engine, struct uroce_rq *rq);

#endif
