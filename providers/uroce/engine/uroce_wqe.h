/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work requests as they lie in the rings, a whole message each. verbs/ fills
 * them when the application posts; the engine never sees an ibv_send_wr.
 */
#ifndef UROCE_WQE_H
#define UROCE_WQE_H

#include <infiniband/verbs.h>

#include "uroce/engine/uroce_ring.h"
#include "uroce/wire/uroce_packet.h"

#define UROCE_MAX_SGE	 32
#define UROCE_MAX_INLINE 512
/*
 * Longest message. The standard allows 2^31 (IBTA 9.7.7.1.1); half of it keeps
 * all packets of one message within the half circle of PSNs at any MTU.
 */
#define UROCE_MAX_MESSAGE (1u << 30)

struct uroce_send_wqe {
	uint64_t wr_id;
	union {
		struct {
			uint64_t va;
			uint64_t
				compare_add; /* atomics: expected, or summand */
			uint64_t swap;
			uint32_t rkey;
		} remote; /* WRITE, READ, atomics, FLUSH */
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
	uint32_t length; /* bytes of all pieces; FLUSH: of the range */
	union {
		__be32 imm;
		uint32_t inv_rkey; /* SEND_WITH_INV, LOCAL_INV */
	};
	uint8_t opcode; /* enum ibv_wr_opcode */
	uint8_t flags;	/* enum ibv_send_flags */
	uint8_t nr_sge;
	uint8_t flush_placement; /* FLUSH: enum ibv_placement_type */
	uint8_t flush_level;	 /* FLUSH: enum ibv_selectivity_level */

	/* Of the engine, from when the message is begun. */
	bool begun;
	bool long_parts;     /* of a READ (UROCE_LONG_READ_PART) */
	uint8_t status;	     /* enum ibv_wc_status, once it failed here */
	uint32_t psn;	     /* of its first packet */
	uint32_t nr_packets; /* PSNs it takes; a READ: of its responses */

	/* the pieces, or with IBV_SEND_INLINE the data itself */
	struct ibv_sge sge[];
};

struct uroce_recv_wqe {
	uint64_t wr_id;
	uint32_t length; /* bytes of all pieces */
	uint32_t nr_sge;
	struct ibv_sge sge[];
};

/* A receive queue, of one QP or shared. verbs/ puts in, the engine takes out.
 */
struct uroce_rq {
	struct uroce_ring ring;
	uint32_t max_sge;
	uint32_t pd;
	bool shared;
	/* shared: event when fewer are left; 0: never. Atomic. */
	uint32_t limit;

	/* Of the engine. */
	bool limit_event; /* result for the loop: IBV_EVENT_SRQ_LIMIT_REACHED */
	bool in_events;
	struct uroce_rq *next_event;
	void *owner; /* of verbs/; the engine passes it on */
};

/**
 * uroce_sq_init() - rings for send requests
 * @sq: memory of the caller
 * @size: requests
 * @max_sge: pieces of each; up to UROCE_MAX_SGE
 * @max_inline: bytes of inline data of each; up to UROCE_MAX_INLINE
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int uroce_sq_init(struct uroce_ring *sq, uint32_t size, uint32_t max_sge,
		  uint32_t max_inline);

/**
 * uroce_rq_init() - an empty receive queue
 * @rq: memory of the caller
 * @size: requests
 * @max_sge: pieces of each; up to UROCE_MAX_SGE
 * @pd: that the pieces belong to
 * @shared: whether it is an SRQ
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int uroce_rq_init(struct uroce_rq *rq, uint32_t size, uint32_t max_sge,
		  uint32_t pd, bool shared);

void uroce_rq_fini(struct uroce_rq *rq);

#endif
