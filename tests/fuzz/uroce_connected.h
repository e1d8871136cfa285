/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs of the fuzz targets: connected, so that they take packets, and with
 * receives for what comes.
 */
#ifndef FUZZ_UROCE_CONNECTED_H
#define FUZZ_UROCE_CONNECTED_H

#include "uroce/engine/uroce_channel.h"
#include "uroce/engine/uroce_engine.h"

#define FUZZ_MEMORY 20000 /* bytes, of which there is a region */
#define FUZZ_IOVA   UINT64_C(0x10000)

/**
 * fuzz_connect() - a new QP of RC, UC or UD goes to RTS
 * @channel: that its packets come through; NULL: over the network
 * @path: to its peer
 * @now: ns
 */
void fuzz_connect(struct uroce_qp *qp, struct uroce_channel *channel,
		  const struct uroce_path *path, uint64_t now);

/** fuzz_post_receives() - until there is no room */
void fuzz_post_receives(struct uroce_rq *rq, uint32_t key);

#endif
