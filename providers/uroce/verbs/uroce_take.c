/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Series of unsuccessful polls. */
#include "uroce/verbs/uroce_take.h"

#include <sched.h>

/*
 * Unsuccessful polls in a row after which a poller yields its CPU, counted in
 * quick polls. A full poll counts as ALL_UNITS: it makes one or two system
 * calls and takes about half a microsecond. The shortest round trip takes as
 * long as about 12 full polls.
 */
#define PATIENCE  800
#define ALL_UNITS 16

void uroce_poll_yield(const unsigned int *in_vain)
{
	if (__atomic_load_n(in_vain, __ATOMIC_RELAXED) >= PATIENCE)
		(void)sched_yield(); /* cannot fail */
}

void uroce_polled(unsigned int *in_vain, enum uroce_pass pass)
{
	unsigned int nr = 0;

	/* shared by all pollers; a lost update is harmless */
	if (pass != UROCE_PASS_FOUND)
		nr = __atomic_load_n(in_vain, __ATOMIC_RELAXED) +
		     (pass == UROCE_PASS_FULL ? ALL_UNITS : 1);
	if (nr > PATIENCE)
		nr = PATIENCE;
	__atomic_store_n(in_vain, nr, __ATOMIC_RELAXED);
}
