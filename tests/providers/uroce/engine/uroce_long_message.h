/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Long messages between two engines that can split them. */
#ifndef UROCE_LONG_MESSAGE_H
#define UROCE_LONG_MESSAGE_H

#include "uroce/engine/uroce_split.h"
#include "uroce_fake_split.h"

#define LONG UROCE_SPLIT_MIN
#define MTU  UROCE_CHANNEL_MTU
#define PART UROCE_CHANNEL_PART

/* Where most of them come from and go to; odd, so that nothing is aligned. */
#define FROM (FAKE_FROM + 77)
#define TO   (FAKE_TO + 4099)

#define MAX_PIECES 6

/* One or more pieces, with gaps between them. */
struct place {
	struct ibv_sge sge[MAX_PIECES];
	uint32_t nr;
};

struct message {
	enum ibv_wr_opcode opcode;
	unsigned int side; /* whose request it is */
	uint32_t length;
	struct place from, to;
	uint32_t room; /* in the receive request behind the message */
};

/* SEND and WRITE without and with an immediate, and READ, which is the last. */
#define NR_OPCODES 5
extern const enum ibv_wr_opcode opcodes[NR_OPCODES];

bool is_send(const struct message *m);
bool takes_receive(const struct message *m);

/* @lengths ends with 0; what is left of @length comes last. */
struct place pieces(struct fake *fake, unsigned int side, uint32_t at,
		    uint32_t length, const uint32_t *lengths);
struct place piece(struct fake *fake, unsigned int side, uint32_t at,
		   uint32_t length);

/* Of side 0, in one piece at both sides; or @at bytes behind it. */
struct message message(struct fake *fake, enum ibv_wr_opcode opcode,
		       uint32_t length);
struct message message_at(struct fake *fake, unsigned int side,
			  enum ibv_wr_opcode opcode, uint32_t length,
			  uint32_t at);

/* The sides that its bytes come from and go to. */
unsigned int sender(const struct message *m);
unsigned int receiver(const struct message *m);

/* Bytes that both have copied; or the packets of all messages brought. */
uint32_t by_sender(const struct fake *fake, const struct message *m);
uint32_t by_receiver(const struct fake *fake, const struct message *m);
uint32_t by_payload(const struct fake *fake, const struct message *m);
void check_not_split(const struct fake *fake);

/* @seed is wr_id, too; that of a receive request is 100 more. */
void post(struct fake *fake, const struct message *m, uint32_t seed);
/* The two of them. */
void post_receive(struct fake *fake, const struct message *m, uint32_t seed);
void post_request(struct fake *fake, const struct message *m, uint32_t seed);

/* The next completions are its own. */
void expect_done(struct fake *fake, const struct message *m, uint32_t seed);
void expect_no_more(struct fake *fake);
/* That, and what it was to bring has come; nothing else. */
void check(struct fake *fake, const struct message *m, uint32_t seed);

/* All of that. */
void do_message(struct fake *fake, const struct message *m, uint32_t seed);

#endif
