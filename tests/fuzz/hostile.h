/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process of this host that is out of its mind, for fuzz_uroce_inbox: it
 * writes whatever it may write to, and says whatever it can say.
 */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "fuzz/fuzz_target.h"

/**
 * hostile_flow() - packets of a connection, in an inbox
 * @scribbles: the other side changes slots while they are read
 */
void hostile_flow(struct fuzz_reader *reader, bool scribbles);

/** hostile_view() - tables of the other side; @scribbles: likewise */
void hostile_view(struct fuzz_reader *reader, bool scribbles);

/** hostile_guests() - processes that want to pair up, and what follows */
void hostile_guests(struct fuzz_reader *reader);

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
