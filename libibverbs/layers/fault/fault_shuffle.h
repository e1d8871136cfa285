/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Another order of completions, for rules with shuffle. */
#ifndef LAYERS_FAULT_SHUFFLE_H
#define LAYERS_FAULT_SHUFFLE_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* At most this number is given another order at a time. */
#define FAULT_MAX_SHUFFLED 64U

/**
 * fault_shuffle() - change the order of completions
 * @nr: at most FAULT_MAX_SHUFFLED
 * @hash: selects the order
 *
 * The completions of each QP stay in order.
 */
void fault_shuffle(struct ibv_wc *wcs, unsigned int nr, uint64_t hash);

#endif
