/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two pairs of QPs in the same state get the same bytes; one pair may use the
 * fast path. Both pairs must stay in the same state, for any bytes and any
 * state.
 */
#ifndef UROCE_FAST_COMPARE_H
#define UROCE_FAST_COMPARE_H

#include "uroce_pair.h"

/* Creates a pair that is bound to channels, with few retries. */
struct pair *fast_compare_new(bool shared);

/*
 * Delivers a packet to the engine of a side. Return: whether the fast path took
 * it.
 */
bool fast_compare_receive(struct pair *pair, unsigned int side,
			  const struct uroce_eager_entry *eager,
			  bool may_be_fast);

/* Compares all visible state; removes the completions of both sides. */
void assert_same_side(struct pair_side *a, struct pair_side *b);
void assert_same(struct pair *a, struct pair *b);

#endif
