/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The helper thread: it calls work(), which plans the next sleep, and sleeps.
 * uroce_instance.c starts it; uroce_worker.c implements work().
 */
#include "uroce/progress/uroce_helper.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "uroce/roce/uroce_roce.h"
#include "util/clock.h"
#include "util/nocancel.h"
#include "util/thread.h"

#define TIMERSLACK_NS 1000 /* retransmission timers start at 4 us */

struct uroce_sleep uroce_helper_plan(const struct uroce_sleep_facts *facts)
{
	bool leased = facts->lease_ns > facts->now_ns;
	struct uroce_sleep how = {
		.watch = true,
		.until_ns = facts->deadline_ns,
	};

	if (facts->more && !leased)
		return (struct uroce_sleep){ true, facts->now_ns };
	if (leased && (facts->packet || facts->traffic))
		return (struct uroce_sleep){ false, facts->lease_ns };
	/* the thread that polls handles deadlines, too */
	if (leased && how.until_ns < facts->lease_ns)
		how.until_ns = facts->lease_ns;
	/*
	 * After traffic more is likely. Then most deadlines are later than the
	 * end of this sleep, so uroce_helper_need() does not ring the doorbell.
	 */
	if (facts->traffic &&
	    how.until_ns > facts->now_ns + UROCE_TRAFFIC_SLEEP_NS)
		how.until_ns = facts->now_ns + UROCE_TRAFFIC_SLEEP_NS;
	return how;
}

void uroce_helper_update_policy(struct uroce_wake_policy *wake_policy,
				bool was_blind, bool packet, bool leased,
				bool found)
{
	if (!leased)
		wake_policy->renewed_leases = 0;
	else if (wake_policy->renewed_leases < UROCE_RENEWED_LEASES)
		wake_policy->renewed_leases++;
	if (leased) {
		if (was_blind)
			wake_policy->missed_leases = 0;
		wake_policy->short_leases /= 2;
	} else if (found && wake_policy->short_leases) {
		wake_policy->short_leases = UROCE_SHORT_LEASES;
	} else if (found && was_blind) {
		/* a single time, perhaps the application was not scheduled */
		if (++wake_policy->missed_leases >= UROCE_MISSED_LEASES)
			wake_policy->short_leases = UROCE_SHORT_LEASES;
	} else if (!found && packet && wake_policy->short_leases) {
		wake_policy->short_leases--;
	}
}

void uroce_helper_sleep(struct uroce_helper *helper,
			const struct uroce_sleep *how)
{
	__atomic_store_n(&helper->watch, how->watch, __ATOMIC_RELAXED);
	__atomic_store_n(&helper->until_ns, how->until_ns, __ATOMIC_RELAXED);
}

void uroce_helper_pause(struct uroce_helper *helper, unsigned int wake)
{
	if (!helper->paused)
		helper->resume_ns = verbs_now_ns() + UROCE_PAUSE_NS;
	helper->paused |= wake;
}

/* Ends a pause that is over; returns the sources that it excluded. */
static unsigned int take_paused(struct uroce_helper *helper)
{
	unsigned int wake = helper->paused;

	if (!wake || verbs_now_ns() < helper->resume_ns)
		return 0;
	helper->paused = 0;
	return wake;
}

void uroce_helper_ring(struct uroce_helper *helper)
{
	uint64_t one = 1;

	/* 0: no thread needs to ring again until the helper is awake */
	__atomic_store_n(&helper->until_ns, 0, __ATOMIC_RELAXED);
	/* fails only if the counter is at 2^64 - 2 */
	(void)!write(helper->doorbell, &one, sizeof(one));
}

/* fds[] is in the order of enum uroce_wake; the doorbell is the last. */
static unsigned int sleep_now(struct uroce_helper *helper)
{
	uint64_t until_ns =
		__atomic_load_n(&helper->until_ns, __ATOMIC_RELAXED);
	uint64_t now_ns = verbs_now_ns();
	struct timespec left;
	struct pollfd fds[UROCE_NR_WAKES + 1];
	unsigned int wake = 0;
	uint64_t rings;

	if (helper->paused && until_ns > helper->resume_ns)
		until_ns = helper->resume_ns;
	left = verbs_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
	for (int i = 0; i < UROCE_NR_WAKES; i++) {
		fds[i] = (struct pollfd){
			.fd = __atomic_load_n(&helper->config.fds[i],
					      __ATOMIC_ACQUIRE),
			.events = POLLIN,
		};
		if (helper->paused & ~UROCE_WAKE_LOCAL & 1u << i)
			fds[i].fd = -1; /* ignored by ppoll() */
	}
	if (uroce_helper_is_blind(helper))
		fds[0].fd = -1;
	fds[UROCE_NR_WAKES] = (struct pollfd){
		.fd = helper->doorbell,
		.events = POLLIN,
	};
	if (ppoll(fds, UROCE_NR_WAKES + 1,
		  until_ns == UROCE_NEVER ? NULL : &left, NULL) <= 0)
		return 0;
	for (int i = 0; i < UROCE_NR_WAKES; i++)
		if (fds[i].revents)
			wake |= 1u << i;
	if (fds[UROCE_NR_WAKES].revents)
		(void)!read(helper->doorbell, &rings, sizeof(rings));
	return wake;
}

static void *run_helper(void *arg)
{
	struct uroce_helper *helper = arg;
	unsigned int wake = 0;

	(void)prctl(PR_SET_TIMERSLACK, TIMERSLACK_NS, 0, 0, 0);
	(void)pthread_setname_np(pthread_self(), "uroce");
	while (!__atomic_load_n(&helper->stop, __ATOMIC_ACQUIRE)) {
		helper->config.work(helper->config.arg, wake);
		wake = sleep_now(helper) | take_paused(helper);
		/* 0: the helper is awake, no thread needs to ring */
		__atomic_store_n(&helper->until_ns, 0, __ATOMIC_RELAXED);
		__atomic_fetch_add(&helper->wakes, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int uroce_helper_start(struct uroce_helper *helper,
		       const struct uroce_helper_config *config)
{
	int ret;

	*helper = (struct uroce_helper){
		.config = *config,
		.doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	if (helper->doorbell < 0)
		return -errno;
	ret = verbs_thread_start(run_helper, helper, &helper->thread);
	if (ret)
		(void)close(helper->doorbell);
	return ret;
}

void uroce_helper_watch(struct uroce_helper *helper, enum uroce_wake wake,
			int fd)
{
	int *entry = &helper->config.fds[__builtin_ctz(wake)];

	/* pairs with the load in sleep_now() */
	__atomic_store_n(entry, fd, __ATOMIC_RELEASE);
	uroce_helper_ring(helper);
}

void uroce_helper_stop(struct uroce_helper *helper)
{
	/* pairs with the load in run_helper() */
	__atomic_store_n(&helper->stop, true, __ATOMIC_RELEASE);
	uroce_helper_ring(helper);
	verbs_thread_join(helper->thread);
	(void)close(helper->doorbell);
}

void uroce_helper_abandon(struct uroce_helper *helper)
{
	(void)close(helper->doorbell);
}
