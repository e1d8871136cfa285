/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals during a wait that has a signal mask, such as ppoll(2). */
#ifndef PRELOAD_PRELOAD_MASK_H
#define PRELOAD_PRELOAD_MASK_H

#include <signal.h>
#include <stdbool.h>

struct preload_mask {
	const sigset_t *during; /* NULL: the mask does not change */
	sigset_t before;
	int fd; /* -1: none */
};

/**
 * preload_mask_begin() - begin a wait with a signal mask
 * @mask: during the wait, kept until preload_mask_end(); NULL: no change
 *
 * A signal that the mask unblocks must end the wait also if it arrives just
 * before the thread sleeps. So it stays blocked, and makes a descriptor
 * readable.
 *
 * Return: the descriptor to wait for; -1 if there is no such signal.
 */
int preload_mask_begin(struct preload_mask *wait, const sigset_t *mask);

/**
 * preload_mask_end() - restore the mask
 * @has_signal: the signal, and nothing else, has ended the wait: run its
 *	handler
 *
 * errno is kept.
 */
void preload_mask_end(struct preload_mask *wait, bool has_signal);

#endif
