/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sections in which pthread_cancel(3) does not end the calling thread. */
#ifndef UTIL_CANCEL_H
#define UTIL_CANCEL_H

#include <pthread.h>

/**
 * cancel_disable() - disable cancellation of the calling thread
 *
 * Return: the state for cancel_restore().
 */
static inline int cancel_disable(void)
{
	int state;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

/** cancel_restore() - @state: of cancel_disable() */
static inline void cancel_restore(int state)
{
	(void)pthread_setcancelstate(state, NULL);
}

#endif
