/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two engines whose channels offer the rendezvous protocol. A copy into the
 * memory of the peer is a memcpy() here, which a test can make fail. Packets
 * travel in both directions, a few at a time; otherwise a message would be sent
 * entirely before any packet of it arrives. The fake checks that no packet
 * without payload has a PSN that was sent before, or ends a message.
 */
#ifndef UROCE_FAKE_RNDV_H
#define UROCE_FAKE_RNDV_H

#include "uroce_pair.h"

#define KB 1024u
#define MB (1024u * KB)

/* Offsets in the memory of a side: source data; received data up to the end. */
#define FAKE_FROM   0
#define FAKE_TO	    (3 * MB)
#define FAKE_MEMORY (6 * MB)

/* Immediate data of all requests. */
#define FAKE_IMM 0x12345678

/* Selects the calls that fail. */
struct fake_trouble {
	unsigned int after, times;
	unsigned int nr; /* calls so far */
};

#define FAKE_ALWAYS UINT32_MAX

struct fake_side {
	/* set by the test */
	uint32_t unwilling; /* number of messages that do not use it */
	uint32_t blind;	    /* number of lookups that find no sink */
	bool closed;	    /* the peer may not read this memory */
	bool idle;	    /* does not poll: direct access is possible */
	bool stale;	    /* lookups still return withdrawn sinks */
	struct fake_trouble push, pull;
	uint32_t room;	   /* packets sent at a time */
	uint32_t accesses; /* number of the peer's access; 0: none */
	uint32_t given_up; /* access that the engine does not wait for */

	/* published state */
	bool open; /* from the last on_qp() */
	struct uroce_sink sink[UROCE_NR_SINKS];
	struct uroce_sink last[UROCE_NR_SINKS]; /* published before */

	/* performed actions */
	uint32_t pushed, pulled; /* bytes */
	unsigned int nr_refused; /* pushes to a withdrawn sink */
	unsigned int nr_looks;	 /* sink lookups */
	unsigned int nr_chosen, nr_learned, nr_notified;
	unsigned int nr_absent;	 /* packets without payload */
	unsigned int nr_packets; /* all packets */
	uint32_t learned;	 /* bytes of the last learn() */

	char log[256]; /* fake_log() */
	uint32_t left, nr_cqes;
	uint32_t youngest[2]; /* PSNs of requests, of responses */
	bool any[2];
};

struct fake {
	struct pair *pair;
	struct fake_side side[2];
	/* set by the test: decides whether a packet is lost */
	bool (*loses)(struct fake *fake, unsigned int from,
		      const struct uroce_packet *packet);
	unsigned int nr_lost;
	unsigned int from; /* for @loses */
	uint32_t psn;
};

/*
 * Creates an RC QP on each side, with room for 4 packets. Ends with
 * fake_free().
 */
struct fake *fake_new(void);
struct fake *fake_new_with(const struct pair_options *options);
struct pair_options fake_defaults(void);
void fake_free(struct fake *fake);

/* Moves a QP to RESET, ERR or SQD without other attributes. */
void fake_modify(struct fake *fake, unsigned int side, enum ibv_qp_state state);

/* Like the pair_*() functions. */
bool fake_step(struct fake *fake);
void fake_run(struct fake *fake);

/* Runs until a side has pushed so many bytes. */
void fake_run_until_pushed(struct fake *fake, unsigned int side,
			   uint32_t bytes);

/*
 * Actions of a side, in order:
 *
 *   l L   publishes the sink of a message, of a READ response
 *   x X   withdraws it
 *   s     asks whether the peer accesses its memory
 *   t e   publishes that its QP is open, is closed
 *   |     a completion
 */
const char *fake_log(struct fake *fake, unsigned int side);
void fake_forget_log(struct fake *fake, unsigned int side);

uint8_t *fake_at(struct fake *fake, unsigned int side,
		 const struct ibv_sge *sge);

/* Fills SGEs of a side with bytes that differ for each @seed. */
void fake_fill(struct fake *fake, unsigned int side, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t seed);
/* Checks that the bytes have arrived, and clears them. */
void fake_take(struct fake *fake, unsigned int side, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t seed);
/* Clears an SGE behind FAKE_TO. */
void fake_clear(struct fake *fake, unsigned int side,
		const struct ibv_sge *sge);
/* Checks that nothing has arrived behind FAKE_TO except cleared bytes. */
void fake_check_rest(struct fake *fake, unsigned int side);

/* Posts a signaled request; @there: offset in the memory of the peer. */
void fake_post(struct fake *fake, unsigned int side, uint64_t wr_id,
	       enum ibv_wr_opcode opcode, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t there);

#endif
