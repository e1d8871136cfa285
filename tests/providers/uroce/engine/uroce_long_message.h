/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Long messages between two engines that can split them. */
#ifndef UROCE_LONG_MESSAGE_H
#define UROCE_LONG_MESSAGE_H

#include "uroce/engine/uroce_split.h"
#include "uroce_fake_split.h"

#define LONG UROCE_SPLIT_MIN
#define MTU  UROCE_CHANNEL_MTU
#define PART UROCE_CHANNEL_PART

/* Source and target of most messages; odd, so that nothing is aligned. */
#define FROM (FAKE_FROM + 77)
#define TO   (FAKE_TO + 4099)

#define MAX_PIECES 6

/* One or more SGEs, with gaps between them. */
struct place {
	struct ibv_sge sge[MAX_PIECES];
	uint32_t nr;
};

struct message {
	enum ibv_wr_opcode opcode;
	unsigned int side; /* requester */
	uint32_t length;
	struct place from, to;
	uint32_t room; /* extra bytes in the receive work request */
};

/*
 * SEND and WRITE without and with immediate data, and READ, which is the last.
 */
#define NR_OPCODES 5
extern const enum ibv_wr_opcode opcodes[NR_OPCODES];

bool is_send(const struct message *m);
bool takes_receive(const struct message *m);

/* @lengths ends with 0; the rest of @length is in the last SGE. */
struct place pieces(struct fake *fake, unsigned int side, uint32_t at,
		    uint32_t length, const uint32_t *lengths);
struct place piece(struct fake *fake, unsigned int side, uint32_t at,
		   uint32_t length);

/* A message of side 0 with one SGE on each side; or @at bytes further. */
struct message message(struct fake *fake, enum ibv_wr_opcode opcode,
		       uint32_t length);
struct message message_at(struct fake *fake, unsigned int side,
			  enum ibv_wr_opcode opcode, uint32_t length,
			  uint32_t at);

/* The sides that its bytes come from and go to. */
unsigned int sender(const struct message *m);
unsigned int receiver(const struct message *m);

/* Bytes that each side has copied; or bytes in packets of all messages. */
uint32_t by_sender(const struct fake *fake, const struct message *m);
uint32_t by_receiver(const struct fake *fake, const struct message *m);
uint32_t by_payload(const struct fake *fake, const struct message *m);
void check_not_split(const struct fake *fake);

/* @seed is the wr_id as well; the wr_id of the receive is 100 more. */
void post(struct fake *fake, const struct message *m, uint32_t seed);
/* The two halves of post(). */
void post_receive(struct fake *fake, const struct message *m, uint32_t seed);
void post_request(struct fake *fake, const struct message *m, uint32_t seed);

/* Checks that the next completions belong to the message. */
void expect_done(struct fake *fake, const struct message *m, uint32_t seed);
void expect_no_more(struct fake *fake);
/* Checks completions and data of the message. */
void check(struct fake *fake, const struct message *m, uint32_t seed);

/* Posts the message, runs the pair and checks the result. */
void do_message(struct fake *fake, const struct message *m, uint32_t seed);

#endif
