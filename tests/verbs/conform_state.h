/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conformance tests of verbs: a connection and its memory, for the tests of
 * states with traffic.
 */
#ifndef CONFORM_STATE_H
#define CONFORM_STATE_H

#include "conform.h"

#define STATE_MEM 65536

struct state_rig {
	struct pair pair;
	struct mem *mem, *target; /* of the client, of the server */
};

struct state_rig state_rig_new(const struct connect_args *args);
/** state_post_send() - a SEND of the client, from the start of its memory */
void state_post_send(struct state_rig *rig, uint32_t length, uint64_t wr_id);
/** state_use() - a SEND in each direction, a WRITE and a READ; nothing else
 * arrives. Uses wr_id @seed to @seed + 5
 */
void state_use(struct state_rig *rig, uint32_t length, uint32_t seed);

#endif
