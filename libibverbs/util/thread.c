/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See thread.h. */
#include "util/thread.h"

#include "util/cancel.h"

int verbs_thread_start(void *(*run)(void *arg), void *arg,
		       pthread_t *ret_thread)
{
	pthread_t thread;
	sigset_t before;
	int ret;

	signals_block(&before);
	ret = pthread_create(&thread, NULL, run, arg);
	signals_restore(&before);
	if (ret)
		return -ret;
	if (ret_thread)
		*ret_thread = thread;
	else
		(void)pthread_detach(thread);
	return 0;
}

void verbs_thread_join(pthread_t thread)
{
	int state = cancel_disable();

	(void)pthread_join(thread, NULL); /* fails on misuse only */
	cancel_restore(state);
}
