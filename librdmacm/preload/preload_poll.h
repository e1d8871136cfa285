/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Timeouts of functions that wait. */
#ifndef PRELOAD_PRELOAD_POLL_H
#define PRELOAD_PRELOAD_POLL_H

#include <stdbool.h>
#include <time.h>

/** preload_timeout_is_valid() - as the kernel checks it; NULL is valid */
bool preload_timeout_is_valid(const struct timespec *timeout);

/** preload_timeout_to_ms() - of a valid timeout, rounded up; NULL: -1 */
int preload_timeout_to_ms(const struct timespec *timeout);

#endif
