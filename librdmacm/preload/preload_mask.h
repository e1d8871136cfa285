/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits that have a signal mask, such as ppoll(2). librdmacm has none; but it
 * sleeps in poll(), which this library defines, and which applies the mask.
 */
#ifndef PRELOAD_PRELOAD_MASK_H
#define PRELOAD_PRELOAD_MASK_H

#include <poll.h>
#include <signal.h>

/**
 * preload_mask_begin() - begin a wait with a signal mask
 * @mask: during the wait; NULL: the mask does not change
 * @ret_before: for preload_mask_end()
 *
 * Blocks the signals of @mask. Those that @mask unblocks stay blocked, so that
 * they arrive only while the thread sleeps, and end its sleep.
 */
void preload_mask_begin(const sigset_t *mask, sigset_t *ret_before);

/** preload_mask_end() - restore the mask; errno is kept */
void preload_mask_end(const sigset_t *mask, const sigset_t *before);

/**
 * preload_mask_apply() - librdmacm sleeps with a mask
 * @mask: kept until the next call; NULL: of the thread
 *
 * A poll() with the timeout 0 does not sleep, and has no mask.
 */
void preload_mask_apply(const sigset_t *mask);

/** preload_mask_poll() - poll(2) of the C library, called by librdmacm */
int preload_mask_poll(struct pollfd *fds, nfds_t nr, int timeout_ms);

#endif
