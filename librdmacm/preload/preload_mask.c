/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signal masks of waits; the kernel applies them in ppoll(). */
#include "preload/preload_mask.h"

#include "preload/preload_libc.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

/* Of the wait in which the thread is; NULL: none */
static __thread const sigset_t *wait_mask;

void preload_mask_begin(const sigset_t *mask, sigset_t *ret_before)
{
	if (mask)
		(void)pthread_sigmask(SIG_BLOCK, mask, ret_before);
}

void preload_mask_end(const sigset_t *mask, const sigset_t *before)
{
	int saved_errno = errno;

	if (mask)
		(void)pthread_sigmask(SIG_SETMASK, before, NULL);
	errno = saved_errno;
}

void preload_mask_apply(const sigset_t *mask)
{
	wait_mask = mask;
}

int preload_mask_poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	const struct preload_libc *libc = preload_libc_get();
	const sigset_t *mask = wait_mask;
	struct timespec timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = timeout_ms % 1000 * 1000000L,
	};
	unsigned int nr_entered;
	int ret;

	if (!mask || !timeout_ms)
		return libc->poll(fds, nr, timeout_ms);
	/* Calls of a signal handler are those of the application. */
	wait_mask = NULL;
	nr_entered = preload_suspend();
	ret = libc->ppoll(fds, nr, timeout_ms < 0 ? NULL : &timeout, mask);
	preload_resume(nr_entered);
	wait_mask = mask;
	return ret;
}
