/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process of this host that is out of its mind, for fuzz_uroce_inbox: it
 * writes whatever it may write to, and says whatever it can say.
 */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "fuzz/fuzz_target.h"

struct flow;
struct uroce_channel;

/**
 * hostile_flow() - packets of a connection, in an inbox
 * @scribbles: the other side changes slots while they are read
 * @splits: messages are long, and both sides copy them
 */
void hostile_flow(struct fuzz_reader *reader, bool scribbles, bool splits);

/** hostile_view() - tables of the other side; @scribbles: likewise */
void hostile_view(struct fuzz_reader *reader, bool scribbles);

/**
 * hostile_guests() - processes that want to pair up, and what follows
 * @splits: likewise
 */
void hostile_guests(struct fuzz_reader *reader, bool splits);

/**
 * hostile_split_channel() - a channel, of which messages are split
 * @landing_parts: how long the first landing is; 0: as long as can be
 */
struct uroce_channel *hostile_split_channel(uint8_t landing_parts);

/** hostile_split_begin() - of a new connection on it */
void hostile_split_begin(struct flow *flow);

/** hostile_split_change() - what the other side shows, and lets us do, now */
void hostile_split_change(struct fuzz_reader *reader);

/** hostile_split_check() - what must be so after each step */
void hostile_split_check(void);

/** hostile_split_end() - nothing of ours may be shown any more */
void hostile_split_end(void);

/**
 * scribbler_start() - let some memory change while it is read
 * @at: the memory
 * @bytes: of it
 * @seed: what comes of the same is the same
 */
void scribbler_start(void *at, size_t bytes, uint32_t seed);

/** scribbler_stop() - and no longer */
void scribbler_stop(void);

#endif
