/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send and receive WQEs as the rings store them, one message each. verbs/ fills
 * them when the application posts; the engine never reads an ibv_send_wr.
 */
#ifndef UROCE_WQE_H
#define UROCE_WQE_H

#include <infiniband/verbs.h>

#include "uroce/qp/uroce_ring.h"
#include "uroce/wire/uroce_address.h"

#define UROCE_MAX_SGE	 32
#define UROCE_MAX_INLINE 512
/*
 * Longest message, in bytes. IBTA 9.7.7.1.1 allows 2^31; with half of that the
 * PSNs of a message cover less than half of the PSN space at any MTU.
 */
#define UROCE_MAX_MESSAGE (1u << 30)

struct uroce_send_wqe {
	uint64_t wr_id;
	union {
		struct {
			uint64_t va;
			uint64_t compare_add; /* atomics: compare, or add */
			uint64_t swap;
			uint32_t rkey;
			uint32_t xrc_srqn; /* XRC: also of SEND */
		} remote;		   /* WRITE, READ, atomics, FLUSH */
		struct {
			struct uroce_path path;
			uint32_t qpn;
			uint32_t qkey;
		} ud;
		struct {
			uint32_t window_key;
			uint32_t new_key; /* low 8 bits are the new tag */
			uint32_t memory_key;
			unsigned int access;
			uint64_t va;
			uint64_t bytes;
		} bind; /* BIND_MW */
	};
	uint32_t length; /* bytes of all SGEs; FLUSH: of the range */
	union {
		__be32 imm;
		uint32_t inv_rkey; /* SEND_WITH_INV, LOCAL_INV */
	};
	uint8_t opcode; /* enum ibv_wr_opcode */
	uint8_t flags;	/* enum ibv_send_flags */
	uint8_t nr_sge;
	uint8_t flush_placement; /* FLUSH: enum ibv_placement_type */
	uint8_t flush_level;	 /* FLUSH: enum ibv_selectivity_level */

	/* Written by the engine; valid once begun is set. */
	bool begun;
	uint8_t part_bits;   /* READ: log2 of the packets per request */
	uint8_t status;	     /* enum ibv_wc_status; set by local checks */
	uint32_t psn;	     /* of the first packet */
	uint32_t nr_packets; /* PSNs of the message; READ: of the responses */

	/* the SGEs, or with IBV_SEND_INLINE the payload itself */
	struct ibv_sge sge[];
};

struct uroce_recv_wqe {
	uint64_t wr_id;
	uint32_t length; /* bytes of all SGEs */
	uint32_t nr_sge;
	struct ibv_sge sge[];
};

struct uroce_cq;

/* The RQ of a QP, or an SRQ. verbs/ adds WQEs, the engine removes them. */
struct uroce_rq {
	struct uroce_ring ring;
	uint32_t max_sge;
	uint32_t pd;
	bool shared;
	/* SRQ: event if fewer WQEs are left; 0: disarmed. Atomic. */
	uint32_t limit;

	/* Written by the engine. */
	bool limit_event; /* the worker reports IBV_EVENT_SRQ_LIMIT_REACHED */
	bool in_events;
	struct uroce_rq *next_event;
	void *owner; /* object of verbs/; opaque to the engine */

	/* XRC SRQ (uroce_xrc.h); does not change while it is in the table */
	uint32_t xrc_number;
	const void *xrc_domain;
	struct uroce_cq *xrc_cq;
};

/**
 * uroce_sq_init() - allocate the ring of a send queue
 * @sq: memory of the caller
 * @size: number of WQEs
 * @max_sge: SGEs of a WQE; up to UROCE_MAX_SGE
 * @max_inline: bytes of inline data of a WQE; up to UROCE_MAX_INLINE
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int uroce_sq_init(struct uroce_ring *sq, uint32_t size, uint32_t max_sge,
		  uint32_t max_inline);

/**
 * uroce_rq_init() - initialize an empty RQ or SRQ
 * @rq: memory of the caller
 * @size: number of WQEs
 * @max_sge: SGEs of a WQE; up to UROCE_MAX_SGE
 * @pd: protection domain of the SGEs
 * @shared: true: an SRQ
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int uroce_rq_init(struct uroce_rq *rq, uint32_t size, uint32_t max_sge,
		  uint32_t pd, bool shared);

void uroce_rq_fini(struct uroce_rq *rq);

#endif
