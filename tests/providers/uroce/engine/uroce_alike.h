/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two pairs of QPs in the same state get the same bytes; one pair may take them
 * the fast way. Whatever the bytes are, and whatever the state, the two are to
 * stay alike.
 */
#ifndef UROCE_ALIKE_H
#define UROCE_ALIKE_H

#include "uroce_pair.h"

/* Bound to channels, with few retries. */
struct pair *alike_new(bool shared);

/* The engine of a side gets a packet; whether it was taken the fast way. */
bool alike_receive(struct pair *pair, unsigned int side,
		   const struct uroce_brief *brief, bool may_be_fast);

/* All that shows; takes the completions of both. */
void assert_same_side(struct pair_side *a, struct pair_side *b);
void assert_same(struct pair *a, struct pair *b);

#endif
