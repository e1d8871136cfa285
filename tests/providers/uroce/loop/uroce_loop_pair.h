/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two QPs of this process that are connected to each other by the fake port. */
#ifndef UROCE_LOOP_PAIR_H
#define UROCE_LOOP_PAIR_H

#include <stdint.h>

#include "uroce_side.h"

/* ACK timeouts: 4.096 us * 2^n. */
#define SHORT 4	 /* 65 us */
#define LONG  24 /* 68 s: no thread is kept from a processor for so long */

struct pair {
	struct side side[2];
	struct side_address address[2];
};

void open_pair(struct pair *pair, uint8_t timeout);

/*
 * Until the helper sleeps and has given back the lock, and nothing but what
 * comes next will wake it. For a pair that has not sent anything.
 */
void settle_pair(const struct pair *pair);

/* With it the port is closed and has no addresses left. */
void close_pair(struct pair *pair);

/* For cmocka, before each test. */
int loop_pair_setup(void **state);

#endif
