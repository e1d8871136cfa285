/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs of the fuzz targets: connected, so that they accept packets, and with
 * posted receives.
 */
#ifndef FUZZ_UROCE_CONNECTED_H
#define FUZZ_UROCE_CONNECTED_H

#include "uroce/roce/uroce_channel.h"
#include "uroce/roce/uroce_engine.h"

#define FUZZ_MEMORY 20000 /* bytes of the memory region */
#define FUZZ_IOVA   UINT64_C(0x10000)

/**
 * fuzz_connect() - move a new RC, UC, UD or XRC QP to RTS
 * @channel: channel of its packets; NULL: the network
 * @path: path to its peer
 * @now: ns
 */
void fuzz_connect(struct uroce_qp *qp, struct uroce_channel *channel,
		  const struct uroce_path *path, uint64_t now);

/**
 * fuzz_post_receives() - post receives until the queue is full
 */
void fuzz_post_receives(struct uroce_rq *rq, uint32_t key);

#endif
