/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A completion queue: the engine adds CQEs, ibv_poll_cq() takes them out.
 * Taking out needs no lock except the one that verbs/ has between pollers of
 * the same CQ.
 */
#ifndef UROCE_CQ_RING_H
#define UROCE_CQ_RING_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/qp/uroce_ring.h"
#include "util/list.h"

struct uroce_cqe {
	uint64_t wr_id;
	uint64_t stamp_ns; /* if the CQ has a clock: time of the push */
	uint32_t byte_len;
	uint32_t qpn;
	uint32_t src_qpn; /* UD */
	union {
		__be32 imm;
		uint32_t inv_rkey;
	};
	uint16_t wc_flags; /* enum ibv_wc_flags */
	uint8_t status;	   /* enum ibv_wc_status */
	uint8_t opcode;	   /* enum ibv_wc_opcode */
	uint8_t sl;	   /* UD: kind of the packet; uroce_grh.h */
};

/* Completions that raise an event; set by uroce_cq_arm(). */
enum uroce_cq_armed {
	UROCE_CQ_IDLE,
	UROCE_CQ_SOLICITED, /* solicited completions, and errors */
	UROCE_CQ_NEXT,	    /* any completion */
};

/* Moderation: an event waits for @count completions or @period_us. */
struct uroce_moderate {
	uint32_t count, period_us; /* count 1 or 0, or period 0: off */
	uint32_t from;		   /* ring.head when the wait began, less 1 */
	uint64_t until_ns;
	struct list_node entry; /* in the worker's list of waiting events */
};

struct uroce_cq {
	struct uroce_ring ring;
	uint32_t armed;	  /* enum uroce_cq_armed; atomic */
	bool has_channel; /* else arming has no effect */
	bool overrun;	  /* a completion was lost; no more are added */
	bool shared;	  /* QPs of several engines complete into it */
	/* clock() - time for timestamps, ns; NULL: CQEs have none */
	uint64_t (*clock)(void);

	/* Of the engine: link in its list of CQs with events. */
	struct uroce_cq *next_event;
	bool in_events;
	bool wake; /* result for the worker: raise a completion event */
	bool report_overrun; /* result for the worker: IBV_EVENT_CQ_ERR */
	void *owner;	     /* set by verbs/; opaque to the engine */
	struct uroce_moderate moderate;
};

/**
 * uroce_cq_init() - initialize an empty completion queue
 * @cq: memory of the caller
 * @size: completions; > 0
 * @has_channel: whether the CQ has a completion channel
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int uroce_cq_init(struct uroce_cq *cq, uint32_t size, bool has_channel);

void uroce_cq_fini(struct uroce_cq *cq);

/**
 * uroce_cq_resize() - change the size, keeping the CQEs
 *
 * Context: no thread polls, and none is in the engine.
 * Return: 0; -ENOMEM; -EINVAL if @size is 0 or below the number of CQEs.
 */
int uroce_cq_resize(struct uroce_cq *cq, uint32_t size);

/**
 * uroce_cq_purge() - discard the CQEs of a QP
 *
 * Context: no thread polls, and none is in the engine.
 */
void uroce_cq_purge(struct uroce_cq *cq, uint32_t qpn);

/**
 * uroce_cq_push() - add a CQE
 * @cq: the queue
 * @cqe: copied
 * @solicited: whether it matches a CQ that is armed for solicited completions;
 *	errors always do
 * @ret_wake: receives whether the CQ was armed for it; the CQ is disarmed then
 *
 * Context: with the engine lock.
 * Return: 0; -ENOBUFS if the CQ is full or has overrun: @cqe is lost.
 */
int uroce_cq_push(struct uroce_cq *cq, const struct uroce_cqe *cqe,
		  bool solicited, bool *ret_wake);

/**
 * uroce_cq_vacant() - get the slot of the next CQE, which uroce_ring_put() adds
 *
 * The members of the slot are undefined. The caller sets all of them,
 * stamp_ns by uroce_cq_time(). If the CQ has a channel, it calls
 * uroce_cq_grant() after uroce_ring_put().
 *
 * Context: with the engine lock.
 * Return: the slot, or NULL if uroce_cq_push() would fail.
 */
static inline struct uroce_cqe *uroce_cq_vacant(const struct uroce_cq *cq)
{
	return cq->overrun ? NULL : uroce_ring_vacant(&cq->ring);
}

/** uroce_cq_time() - get the timestamp of a CQE that is added now; or 0 */
static inline uint64_t uroce_cq_time(const struct uroce_cq *cq)
{
	return cq->clock ? cq->clock() : 0;
}

/**
 * uroce_cq_grant() - disarm a CQ if the CQE that was just added matches
 *
 * Return: whether it matched: the caller raises an event.
 */
bool uroce_cq_grant(struct uroce_cq *cq, bool solicited);

/**
 * uroce_cq_arm() - request an event for the next completion
 * @cq: the queue
 * @solicited_only: only for a solicited one, or one that failed
 *
 * The caller polls once more afterwards: CQEs that were added before raise no
 * event (IBTA 11.4.2.2). A CQ that is armed for any completion stays so.
 *
 * Context: any thread.
 */
void uroce_cq_arm(struct uroce_cq *cq, bool solicited_only);

#endif
