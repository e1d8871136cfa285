/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of the library, which block all signals. */
#include "rsocket/socket_thread.h"

#include <pthread.h>
#include <signal.h>

int socket_thread_start(void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int ret;

	ret = pthread_attr_init(&attr);
	if (ret)
		return -ret;
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, &attr, run, arg);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return -ret;
}
