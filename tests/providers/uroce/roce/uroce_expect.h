/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of side 0 to the memory of side 1, and their expected results. */
#ifndef UROCE_EXPECT_H
#define UROCE_EXPECT_H

#include "uroce_pair.h"

/* Offset in the memory of side 1. */
#define TARGET 300000

/* A signaled request with one SGE to TARGET. */
struct uroce_send_wqe request(const struct pair *pair, uint64_t wr_id,
			      enum ibv_wr_opcode opcode);

/* Posts a request for the first bytes of side 0. */
void post(struct pair *pair, uint64_t wr_id, enum ibv_wr_opcode opcode,
	  uint32_t length);
void post_recv(struct pair *pair, uint64_t wr_id, uint32_t length);

/* Checks the next completion; checks that there is none. */
void expect(struct uroce_cq *cq, uint64_t wr_id, enum ibv_wc_status status);
void expect_none(struct uroce_cq *cq);

/* @events: mask of 1 << enum ibv_event_type, of the next QP with events */
void expect_events(struct pair *pair, unsigned int side, uint32_t events);
void expect_state(const struct pair *pair, unsigned int side,
		  enum ibv_qp_state state);

#endif
