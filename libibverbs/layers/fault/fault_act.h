/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a rule does when it acts on a call. */
#ifndef LAYERS_FAULT_ACT_H
#define LAYERS_FAULT_ACT_H

#include <stdint.h>

#include "layers/fault/fault_events.h"

/**
 * fault_act() - wait if the rule has delay=, or raise the event of event=
 *
 * Return: 0; -errno of a rule with errno=; -EIO: the device was removed.
 */
int fault_act(struct fault_decision decision);

/**
 * fault_control() - decide on a call, and act
 * @object: context, QP, CQ or SRQ
 * @bytes: of a memory region; 0 for other calls
 *
 * Return: as fault_act().
 */
int fault_control(enum fault_call call, const void *object, uint64_t bytes);

#endif
