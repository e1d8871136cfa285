/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Long messages between two engines that use rendezvous. */
#ifndef UROCE_LONG_MESSAGE_H
#define UROCE_LONG_MESSAGE_H

#include "uroce/roce/uroce_rndv.h"
#include "uroce_fake_rndv.h"

#define LONG UROCE_RNDV_MIN
#define MTU  UROCE_CHANNEL_MTU
#define PART UROCE_CHANNEL_CHUNK

/* Source and target of most messages; odd, so that nothing is aligned. */
#define FROM (FAKE_FROM + 77)
#define TO   (FAKE_TO + 4099)

#define MAX_BATCH_IOVECS 6

/* One or more SGEs, with gaps between them. */
struct place {
	struct ibv_sge sge[MAX_BATCH_IOVECS];
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

bool message_is_send(const struct message *m);
bool message_takes_receive(const struct message *m);

/* @lengths ends with 0; the rest of @length is in the last SGE. */
struct place place_with_sges(struct fake *fake, unsigned int side, uint32_t at,
			     uint32_t length, const uint32_t *lengths);
struct place place_with_sge(struct fake *fake, unsigned int side, uint32_t at,
			    uint32_t length);

/* A message of side 0 with one SGE on each side; or @at bytes further. */
struct message message_new(struct fake *fake, enum ibv_wr_opcode opcode,
			   uint32_t length);
struct message message_new_at(struct fake *fake, unsigned int side,
			      enum ibv_wr_opcode opcode, uint32_t length,
			      uint32_t at);

/* The sides that its bytes come from and go to. */
unsigned int message_sender(const struct message *m);
unsigned int message_receiver(const struct message *m);

/* Bytes that each side has copied; or bytes in packets of all messages. */
uint32_t message_bytes_by_sender(const struct fake *fake,
				 const struct message *m);
uint32_t message_bytes_by_receiver(const struct fake *fake,
				   const struct message *m);
uint32_t message_bytes_by_payload(const struct fake *fake,
				  const struct message *m);
void message_check_not_rndv(const struct fake *fake);

/* @seed is the wr_id as well; the wr_id of the receive is 100 more. */
void message_post(struct fake *fake, const struct message *m, uint32_t seed);
/* message_post() calls both. */
void message_post_receive(struct fake *fake, const struct message *m,
			  uint32_t seed);
void message_post_request(struct fake *fake, const struct message *m,
			  uint32_t seed);

/* Checks that the next completions belong to the message. */
void message_expect_completions(struct fake *fake, const struct message *m,
				uint32_t seed);
void message_expect_no_completion(struct fake *fake);
/* Checks completions and data of the message. */
void message_check(struct fake *fake, const struct message *m, uint32_t seed);

/* Posts the message, runs the pair and checks the result. */
void message_transfer(struct fake *fake, const struct message *m,
		      uint32_t seed);

#endif
