/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A completion queue: the engine puts completions in, the application's
 * ibv_poll_cq takes them out. Taking out needs no lock but one between pollers
 * of the same queue, which is theirs.
 */
#ifndef UROCE_CQ_RING_H
#define UROCE_CQ_RING_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/engine/uroce_ring.h"
#include "util/list.h"

struct uroce_cqe {
	uint64_t wr_id;
	uint64_t now_ns; /* when it was put in */
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
	uint8_t sl;	   /* UD: what kind of packet it was; uroce_grh.h */
};

/* What wakes the application: uroce_cq_arm(). */
enum uroce_cq_armed {
	UROCE_CQ_IDLE,
	UROCE_CQ_SOLICITED, /* solicited completions, and errors */
	UROCE_CQ_NEXT,	    /* any completion */
};

/* How long a wake may wait: for so many completions, or microseconds. */
struct uroce_moderate {
	uint32_t count, period_us; /* 1 or 0: not at all */
	uint32_t from;		   /* ring.head when it began */
	uint64_t until_ns;
	struct list_node entry; /* of those that wait; the loop's */
};

struct uroce_cq {
	struct uroce_ring ring;
	uint32_t armed;	  /* enum uroce_cq_armed; atomic */
	bool has_channel; /* else nobody waits, and arming does nothing */
	bool overrun;	  /* a completion was lost; the queue is dead */

	/* Of the engine: queues to wake, queues that overran. */
	struct uroce_cq *next_event;
	bool in_events;
	bool wake;	     /* result for the loop: raise a completion event */
	bool report_overrun; /* result for the loop: IBV_EVENT_CQ_ERR */
	void *owner;	     /* of verbs/; the engine passes it on */
	struct uroce_moderate moderate;
};

/**
 * uroce_cq_init() - an empty completion queue
 * @cq: memory of the caller
 * @size: completions; > 0
 * @has_channel: whether anyone can wait for it
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int uroce_cq_init(struct uroce_cq *cq, uint32_t size, bool has_channel);

void uroce_cq_fini(struct uroce_cq *cq);

/**
 * uroce_cq_resize() - change the size, keeping what is in it
 *
 * Context: no poller, and nothing in the engine.
 * Return: 0, -ENOMEM, or -EINVAL if it holds more than @size or that is 0.
 */
int uroce_cq_resize(struct uroce_cq *cq, uint32_t size);

/**
 * uroce_cq_purge() - throw away the completions of a QP
 *
 * Context: no poller, and nothing in the engine.
 */
void uroce_cq_purge(struct uroce_cq *cq, uint32_t qpn);

/**
 * uroce_cq_push() - put a completion in
 * @cq: the queue
 * @cqe: copied
 * @solicited: whether it wakes one who waits for solicited completions only
 * @ret_wake: receives whether the queue was armed for it; it is no longer
 *
 * Context: the engine.
 * Return: 0, or -ENOBUFS if it is full or was before; then @cqe is lost.
 */
int uroce_cq_push(struct uroce_cq *cq, const struct uroce_cqe *cqe,
		  bool solicited, bool *ret_wake);

/**
 * uroce_cq_vacant() - slot for a completion, which uroce_ring_put() then adds
 *
 * The members of it have any values. Who has put it in asks uroce_cq_grant() if
 * the queue has a channel.
 *
 * Context: the engine.
 * Return: NULL if uroce_cq_push() would fail.
 */
static inline struct uroce_cqe *uroce_cq_vacant(const struct uroce_cq *cq)
{
	return cq->overrun ? NULL : uroce_ring_vacant(&cq->ring);
}

/** uroce_cq_grant() - whether a completion wakes somebody; once it is put in */
bool uroce_cq_grant(struct uroce_cq *cq, bool solicited);

/**
 * uroce_cq_arm() - ask for an event with the next completion
 * @cq: the queue
 * @solicited_only: only a solicited one, or one that failed
 *
 * The caller polls once more afterwards: what was put in before is not counted
 * (IBTA 11.4.2.2). A stronger wish is not weakened by a weaker one.
 *
 * Context: any thread.
 */
void uroce_cq_arm(struct uroce_cq *cq, bool solicited_only);

#endif
