/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rsockets in epoll sets of the application. */
#ifndef PRELOAD_PRELOAD_SET_H
#define PRELOAD_PRELOAD_SET_H

/**
 * preload_set_forget() - descriptors from @first to @last are about to be
 * closed
 *
 * Removes them from all sets; of those that are sets, the rsockets are removed.
 */
void preload_set_forget(unsigned int first, unsigned int last);

#endif
