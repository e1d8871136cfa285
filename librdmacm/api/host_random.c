/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random numbers of comm ids, PSNs and ports. The kernel gives many at once. A
 * child of fork() may repeat those of its parent; the prefix of its comm ids is
 * another one.
 */
#include "api/host_clock.h"

#include "util/lock.h"

#include <sys/random.h>

#define RANDOM_NR 64 /* getrandom() returns up to 256 bytes uninterrupted */

static struct verbs_mutex random_mutex = VERBS_MUTEX_INIT;
static uint32_t random_bits[RANDOM_NR] GUARDED_BY(random_mutex);
static unsigned int random_nr_left GUARDED_BY(random_mutex);

uint32_t host_random(void)
{
	uint32_t bits;

	verbs_mutex_lock(&random_mutex);
	if (!random_nr_left) {
		(void)!getrandom(random_bits, sizeof(random_bits), 0);
		random_nr_left = RANDOM_NR;
	}
	bits = random_bits[--random_nr_left];
	random_bits[random_nr_left] = 0;
	verbs_mutex_unlock(&random_mutex);
	return bits;
}
