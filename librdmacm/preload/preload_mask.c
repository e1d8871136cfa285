/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signal masks of waits; the descriptor of signals is a signalfd. */
#include "preload/preload_mask.h"

#include "preload/preload_libc.h"

#include <errno.h>
#include <stddef.h>
#include <sys/signalfd.h>

/* Whether a signal runs a handler, or ends the process */
static bool signal_has_effect(int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) != 0 ||
	    action.sa_handler == SIG_IGN)
		return false;
	return action.sa_handler != SIG_DFL ||
	       (number != SIGCHLD && number != SIGCONT && number != SIGURG &&
		number != SIGWINCH);
}

int preload_mask_begin(struct preload_mask *wait, const sigset_t *mask)
{
	sigset_t signals;
	bool any = false;

	wait->during = mask;
	wait->fd = -1;
	if (!mask)
		return -1;
	(void)pthread_sigmask(SIG_BLOCK, mask, &wait->before);
	(void)sigemptyset(&signals);
	for (int number = 1; number < NSIG; number++) {
		if (sigismember(&wait->before, number) != 1 ||
		    sigismember(mask, number) != 0 ||
		    !signal_has_effect(number))
			continue;
		(void)sigaddset(&signals, number);
		any = true;
	}
	if (any)
		wait->fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return wait->fd;
}

void preload_mask_end(struct preload_mask *wait, bool has_signal)
{
	int saved_errno = errno;

	if (!wait->during)
		return;
	if (has_signal)
		(void)pthread_sigmask(SIG_SETMASK, wait->during, NULL);
	if (wait->fd >= 0)
		(void)preload_libc_get()->close(wait->fd);
	(void)pthread_sigmask(SIG_SETMASK, &wait->before, NULL);
	errno = saved_errno;
}
