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
 * @rndv: messages are long, and both sides copy them
 */
void hostile_flow(struct fuzz_reader *reader, bool scribbles, bool rndv);

/**
 * hostile_directory() - read the directory of the other side
 * @scribbles: the other side changes the directory while it is read
 */
void hostile_directory(struct fuzz_reader *reader, bool scribbles);

/**
 * hostile_peers() - run handshakes with several processes, and their traffic
 * @rndv: messages are long, and both sides copy them
 */
void hostile_peers(struct fuzz_reader *reader, bool rndv);

/**
 * hostile_rndv_channel() - return a channel with rendezvous messages
 * @sink_parts: length of the first sink; 0: the maximum
 */
struct uroce_channel *hostile_rndv_channel(uint8_t sink_parts);

/**
 * hostile_rndv_begin() - attach a new connection to the channel
 */
void hostile_rndv_begin(struct flow *flow);

/**
 * hostile_rndv_change() - change the published sinks and access rights
 */
void hostile_rndv_change(struct fuzz_reader *reader);

/**
 * hostile_rndv_check() - assert the invariants after a step
 */
void hostile_rndv_check(void);

/**
 * hostile_rndv_end() - assert that no memory of this process is published
 */
void hostile_rndv_end(void);

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
