/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moderation of completion events. Callers hold the engine lock. */
#ifndef UROCE_MODERATE_H
#define UROCE_MODERATE_H

#include "uroce/progress/uroce_worker_state.h"

/** uroce_moderate_holds() - defer the event of @cq; false: deliver it now */
bool uroce_moderate_holds(struct uroce_worker *worker, struct uroce_cq *cq);

/** uroce_moderate_deliver() - deliver the deferred events that are due */
void uroce_moderate_deliver(struct uroce_worker *worker);

/** uroce_moderate_deadline() - time of the next event, or UROCE_NEVER */
uint64_t uroce_moderate_deadline(const struct uroce_worker *worker);

#endif
