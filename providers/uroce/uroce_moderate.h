/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CQs whose events wait for more completions, or for a time. With the lock. */
#ifndef UROCE_MODERATE_H
#define UROCE_MODERATE_H

#include "uroce/uroce_loop_state.h"

/** uroce_moderate_holds() - whether the event of @cq is to wait; it does then
 */
bool uroce_moderate_holds(struct uroce_loop *loop, struct uroce_cq *cq);

/** uroce_moderate_deliver() - give the events that have waited for enough */
void uroce_moderate_deliver(struct uroce_loop *loop);

/** uroce_moderate_deadline() - when the next one has; UROCE_NEVER: there is
 * none
 */
uint64_t uroce_moderate_deadline(const struct uroce_loop *loop);

#endif
