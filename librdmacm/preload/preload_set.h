/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rsockets in epoll sets of the application. */
#ifndef PRELOAD_PRELOAD_SET_H
#define PRELOAD_PRELOAD_SET_H

/** preload_set_forget() - a descriptor is about to be closed
 *
 * Removes it from all sets; if it is a set, its rsockets are removed.
 */
void preload_set_forget(int fd);

#endif
