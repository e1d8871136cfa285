/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The clock of the connection manager; tests have their own. */
#include "api/host_clock.h"

#include <time.h>

uint64_t host_clock_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
