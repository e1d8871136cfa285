/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A malicious process of this host, for fuzz_uroce_shm_ring: it writes any
 * bytes to memory that it may write to, and sends any messages.
 */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "fuzz/fuzz_target.h"

struct flow;
struct uroce_channel;

/**
 * hostile_flow() - run packets of a connection through a ring
 * @scribbles: the other side changes entries while they are read
 * @splits: messages are long, and both sides copy them
 */
void hostile_flow(struct fuzz_reader *reader, bool scribbles, bool splits);

/**
 * hostile_directory() - read the directory of the other side
 * @scribbles: the other side changes the directory while it is read
 */
void hostile_directory(struct fuzz_reader *reader, bool scribbles);

/**
 * hostile_peers() - run handshakes with several processes, and their traffic
 * @splits: messages are long, and both sides copy them
 */
void hostile_peers(struct fuzz_reader *reader, bool splits);

/**
 * hostile_split_channel() - return a channel with rendezvous messages
 * @landing_parts: length of the first landing; 0: the maximum
 */
struct uroce_channel *hostile_split_channel(uint8_t landing_parts);

/**
 * hostile_split_begin() - attach a new connection to the channel
 */
void hostile_split_begin(struct flow *flow);

/**
 * hostile_split_change() - change the published landings and access rights
 */
void hostile_split_change(struct fuzz_reader *reader);

/**
 * hostile_split_check() - assert the invariants after a step
 */
void hostile_split_check(void);

/**
 * hostile_split_end() - assert that no memory of this process is published
 */
void hostile_split_end(void);

/**
 * scribbler_start() - let memory change while it is read
 * @at: the memory
 * @bytes: its length
 * @seed: equal seeds give equal changes
 */
void scribbler_start(void *at, size_t bytes, uint32_t seed);

/**
 * scribbler_stop() - stop the changes
 */
void scribbler_stop(void);

#endif
