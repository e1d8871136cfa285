/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random numbers of comm ids, PSNs and ports. */
#include "api/host_clock.h"

#include <sys/random.h>

uint32_t host_random(void)
{
	uint32_t bits = 0;

	/* Up to 256 bytes are never interrupted. */
	(void)!getrandom(&bits, sizeof(bits), 0);
	return bits;
}
