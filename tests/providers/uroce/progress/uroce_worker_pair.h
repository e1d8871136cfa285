/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two QPs of this process that the fake port connects to each other. */
#ifndef UROCE_WORKER_PAIR_H
#define UROCE_WORKER_PAIR_H

#include <stdint.h>

#include "uroce_side.h"

/* ACK timeouts: 4.096 us * 2^n. */
#define SHORT 4	 /* 65 us */
#define LONG  24 /* 68 s: longer than any thread waits for a processor */

struct pair {
	struct side side[2];
	struct side_address address[2];
};

void open_pair(struct pair *pair, uint8_t timeout);

/*
 * Waits until the helper sleeps and has released the lock, so that only the
 * test wakes it. For a pair that has not sent anything.
 */
void quiesce_pair(const struct pair *pair);

/* Closes the port, which has no addresses left. */
void close_pair(struct pair *pair);

/* Setup function of cmocka. */
int worker_pair_setup(void **state);

#endif
