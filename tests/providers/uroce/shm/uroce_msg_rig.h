/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two ends of the transport of messages in one process: each has a transport, a
 * pair of rings and a QP that is connected to the QP of the other end. Nothing
 * happens but what the test calls, and time is a variable.
 */
#ifndef UROCE_MSG_RIG_H
#define UROCE_MSG_RIG_H

#include "uroce/roce/uroce_engine.h"
#include "uroce/shm/uroce_msg.h"

#define RIG_BYTES (512u * 1024 + 64)
#define RIG_IOVA  UINT64_C(0x100000)
#define RIG_PSN	  0xfffffeu	     /* wraps after two messages */
#define RIG_T_NS  UINT64_C(67108864) /* timeout 14 */
#define RIG_DEPTH 64

struct rig_end {
	struct uroce_memory memory;
	struct uroce_engine engine;
	struct uroce_cq cq;
	struct uroce_rq rq;
	struct uroce_qp *qp;
	struct uroce_transport_base *transport;
	struct uroce_msg_pair pair;
	uint8_t bytes[RIG_BYTES];
	uint32_t key;
	uint32_t nr_bells;
};

struct rig {
	struct rig_end left, right;
	enum ibv_qp_type type;
	uint64_t now;
};

/** rig_open() - connect two QPs; the state of both is RTS */
struct rig *rig_open(enum ibv_qp_type type);

/** rig_open_init() - the same, but the right QP is still in INIT */
struct rig *rig_open_init(enum ibv_qp_type type);

void rig_close(struct rig *rig);

/** rig_modify() - go from INIT to RTR, or from RTR to RTS */
void rig_modify(struct rig *rig, struct rig_end *end, enum ibv_qp_state to);

/** rig_post() - post a request of @bytes from the beginning of the memory */
void rig_post(struct rig_end *end, enum ibv_wr_opcode opcode, uint32_t bytes);

/** rig_post_receive() - post a receive for @bytes at the beginning */
void rig_post_receive(struct rig_end *end, uint32_t bytes);

/** rig_poll() - a quick pass; returns the number of messages */
unsigned int rig_poll(struct rig *rig, struct rig_end *end);

/** rig_progress() - a full pass at rig->now */
unsigned int rig_progress(struct rig *rig, struct rig_end *end);

/** rig_run() - passes of both ends until nothing happens any more */
void rig_run(struct rig *rig);

/** rig_expect() - the next completion has this opcode and status */
void rig_expect(struct rig_end *end, enum ibv_wc_opcode opcode,
		enum ibv_wc_status status);

/** rig_expect_none() - there is no completion */
void rig_expect_none(const struct rig_end *end);

/** rig_forge() - put an entry into the ring from the left to the right end */
void rig_forge(struct rig *rig, const struct uroce_msg_entry *entry);

#endif
