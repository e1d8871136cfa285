/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two engines whose channels can split messages: what one side does in the
 * memory of the other one is a memcpy() here, and can be told to fail. Packets
 * go both ways, a few at a time, as else all of a message would be sent before
 * anything of it has come.
 *
 * Of all packets it is checked that none without payload has a PSN that was
 * sent before, or ends a message.
 */
#ifndef UROCE_FAKE_SPLIT_H
#define UROCE_FAKE_SPLIT_H

#include "uroce_pair.h"

#define KB 1024u
#define MB (1024u * KB)

/* Where in the memory of a side: what is sent; what comes, up to the end. */
#define FAKE_FROM   0
#define FAKE_TO	    (3 * MB)
#define FAKE_MEMORY (6 * MB)

/* Of all requests. */
#define FAKE_IMM 0x12345678

/* Of calls: those that fail. */
struct fake_trouble {
	unsigned int after, times;
	unsigned int nr; /* calls so far */
};

#define FAKE_ALWAYS UINT32_MAX

struct fake_side {
	/* of the test */
	uint32_t unwilling; /* to split so many messages */
	uint32_t blind;	    /* finds no landing so many times */
	bool closed;	    /* the other one may not read its memory */
	bool idle;	    /* does not poll: some is done without packets */
	bool stale;	    /* landings are found when they are hidden again */
	struct fake_trouble push, pull;
	uint32_t room; /* packets that it sends at a time */

	/* what it shows */
	bool open; /* as on_qp() was told last */
	struct uroce_landing landing[UROCE_NR_LANDINGS];
	struct uroce_landing last[UROCE_NR_LANDINGS]; /* shown before */

	/* what it has done */
	uint32_t pushed, pulled; /* bytes */
	unsigned int nr_refused; /* pushes to what is not shown */
	unsigned int nr_looks;	 /* for a landing */
	unsigned int nr_chosen, nr_learned, nr_told;
	unsigned int nr_absent;	 /* packets without payload */
	unsigned int nr_packets; /* packets */
	uint32_t learned;	 /* bytes of the last one */

	char log[256]; /* fake_log() */
	uint32_t left, nr_cqes;
	uint32_t youngest[2]; /* PSNs of requests, of answers */
	bool any[2];
};

struct fake {
	struct pair *pair;
	struct fake_side side[2];
	/* of the test: whether a packet is lost */
	bool (*loses)(struct fake *fake, unsigned int from,
		      const struct uroce_packet *packet);
	unsigned int nr_lost;
	unsigned int from; /* of @loses */
	uint32_t psn;
};

/* Of an RC QP, with room for 4 packets. Ends with fake_free(). */
struct fake *fake_new(void);
struct fake *fake_new_with(const struct pair_options *options);
struct pair_options fake_defaults(void);
void fake_free(struct fake *fake);

/* To RESET, ERR or SQD: no other attributes. */
void fake_modify(struct fake *fake, unsigned int side, enum ibv_qp_state state);

/* As those of the pair. */
bool fake_step(struct fake *fake);
void fake_run(struct fake *fake);

/* Until so many bytes were pushed by a side. */
void fake_run_until_pushed(struct fake *fake, unsigned int side,
			   uint32_t bytes);

/*
 * What a side has done, in order:
 *
 *   l L   shows where a message, the answer to a READ lands
 *   x X   hides it
 *   s     has waited for the other side
 *   t e   says that its QP is open, or is no longer
 *   |     a completion
 */
const char *fake_log(struct fake *fake, unsigned int side);
void fake_forget_log(struct fake *fake, unsigned int side);

uint8_t *fake_at(struct fake *fake, unsigned int side,
		 const struct ibv_sge *sge);

/* Bytes that are different for each @seed, in pieces of a side's memory. */
void fake_fill(struct fake *fake, unsigned int side, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t seed);
/* They are there; and clears them. */
void fake_take(struct fake *fake, unsigned int side, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t seed);
/* As if nothing had come to a piece behind FAKE_TO. */
void fake_clear(struct fake *fake, unsigned int side,
		const struct ibv_sge *sge);
/* Nothing has, behind FAKE_TO, but for what was cleared. */
void fake_check_rest(struct fake *fake, unsigned int side);

/* A signaled request of a side; @there: in the memory of the other one. */
void fake_post(struct fake *fake, unsigned int side, uint64_t wr_id,
	       enum ibv_wr_opcode opcode, const struct ibv_sge *sge,
	       uint32_t nr_sge, uint32_t there);

#endif
