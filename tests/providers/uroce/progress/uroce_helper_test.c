/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sleep decisions of the helper thread, as a pure function and in a thread. */
#include "uroce/progress/uroce_helper.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/roce/uroce_roce.h"
#include "util/clock.h"

#define NOW   UINT64_C(1000000000)
#define LEASE (NOW + UROCE_LEASE_NS)
#define FAR   (NOW + 10 * UROCE_TRAFFIC_SLEEP_NS)

static void assert_sleep(struct uroce_sleep_facts facts, bool watch,
			 uint64_t until_ns)
{
	struct uroce_sleep how;

	facts.now_ns = NOW;
	how = uroce_helper_plan(&facts);
	assert_int_equal(how.watch, watch);
	assert_int_equal(how.until_ns, until_ns);
}

static void helper_idle_sleeps_forever(void **state)
{
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = UROCE_NEVER },
		     true, UROCE_NEVER);
	/* with a lease, too: an application that polls without a result */
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = UROCE_NEVER,
						 .lease_ns = LEASE },
		     true, UROCE_NEVER);
	/* the packet that woke the helper was the last one */
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = UROCE_NEVER,
						 .packet = true },
		     true, UROCE_NEVER);
}

static void helper_without_lease_wakes_at_deadline(void **state)
{
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = NOW + 5 }, true,
		     NOW + 5);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = NOW + 5,
						 .lease_ns = NOW },
		     true, NOW + 5);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = FAR }, true,
		     FAR);
	assert_sleep(
		(struct uroce_sleep_facts){ .deadline_ns = FAR, .more = true },
		true, NOW);
}

static void helper_after_traffic_polls_for_linger_time(void **state)
{
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = UROCE_NEVER,
						 .traffic = true },
		     true, NOW + UROCE_TRAFFIC_SLEEP_NS);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = NOW + 5,
						 .traffic = true },
		     true, NOW + 5);
}

static void helper_with_lease_sleeps_until_lease_ends(void **state)
{
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = NOW + 5,
						 .lease_ns = LEASE },
		     true, LEASE);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = FAR,
						 .lease_ns = LEASE },
		     true, FAR);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = NOW + 5,
						 .lease_ns = LEASE,
						 .traffic = true },
		     false, LEASE);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = UROCE_NEVER,
						 .lease_ns = LEASE,
						 .packet = true },
		     false, LEASE);
	assert_sleep((struct uroce_sleep_facts){ .deadline_ns = UROCE_NEVER,
						 .lease_ns = LEASE,
						 .more = true,
						 .packet = true },
		     false, LEASE);
}

/* Reason of the wake-up, and its result. */
enum {
	BLIND = 1 << 0,
	PACKET = 1 << 1,
	LEASED = 1 << 2,
	FOUND = 1 << 3,
};

static void wake_up(struct uroce_wake_policy *wake_policy, int how)
{
	uroce_helper_update_policy(wake_policy, how & BLIND, how & PACKET,
				   how & LEASED, how & FOUND);
}

static void helper_trust_grows_until_polling_stops(void **state)
{
	struct uroce_wake_policy wake_policy = {};

	for (uint32_t i = 1; i <= 3 * UROCE_RENEWED_LEASES; i++) {
		wake_up(&wake_policy, i % 2 ? BLIND | LEASED : PACKET | LEASED);
		assert_int_equal(
			wake_policy.renewed_leases,
			i < UROCE_RENEWED_LEASES ? i : UROCE_RENEWED_LEASES);
	}
	wake_up(&wake_policy, BLIND);
	assert_int_equal(wake_policy.renewed_leases, 0);
	wake_up(&wake_policy, BLIND | LEASED);
	wake_up(&wake_policy, BLIND | FOUND);
	assert_int_equal(wake_policy.renewed_leases, 0);
}

static void helper_unpolled_packets_raise_attention(void **state)
{
	struct uroce_wake_policy wake_policy = {};

	/* woken by a packet that the helper took: the normal case */
	for (int i = 0; i < 2 * UROCE_MISSED_LEASES; i++)
		wake_up(&wake_policy, PACKET | FOUND);
	assert_int_equal(wake_policy.short_leases, 0);
	/* a lease ended, and packets were pending */
	for (int i = 1; i < UROCE_MISSED_LEASES; i++)
		wake_up(&wake_policy, BLIND | FOUND);
	assert_int_equal(wake_policy.short_leases, 0);
	wake_up(&wake_policy, BLIND | FOUND);
	assert_int_equal(wake_policy.short_leases, UROCE_SHORT_LEASES);
	/*
	 * the application takes the packets: short_leases falls, and may rise
	 * again
	 */
	wake_up(&wake_policy, PACKET);
	assert_int_equal(wake_policy.short_leases, UROCE_SHORT_LEASES - 1);
	wake_up(&wake_policy, PACKET | FOUND);
	assert_int_equal(wake_policy.short_leases, UROCE_SHORT_LEASES);
	for (int i = 0; i < UROCE_SHORT_LEASES; i++)
		wake_up(&wake_policy, PACKET);
	assert_int_equal(wake_policy.short_leases, 0);
	/* timers change nothing */
	wake_policy.short_leases = 3;
	wake_up(&wake_policy, 0);
	assert_int_equal(wake_policy.short_leases, 3);
}

static void helper_constant_polling_lowers_attention(void **state)
{
	struct uroce_wake_policy wake_policy = {};

	/* sometimes preempted */
	for (int i = 0; i < 10 * UROCE_MISSED_LEASES; i++)
		wake_up(&wake_policy, i % 3 ? BLIND | FOUND : BLIND | LEASED);
	assert_int_equal(wake_policy.short_leases, 0);
	/* polled rarely before, and polls often now */
	wake_policy.short_leases = UROCE_SHORT_LEASES;
	for (int i = 0; i < 7; i++)
		wake_up(&wake_policy, i % 2 ? PACKET | LEASED : BLIND | LEASED);
	assert_int_equal(wake_policy.short_leases, 0);
}

struct worker {
	struct uroce_helper helper;
	struct uroce_sleep how; /* needs no atomics: protected by sem */
	sem_t worked, go;
	unsigned int wake;
	int fd;
};

static void work(void *arg, unsigned int wake)
{
	struct worker *worker = arg;
	uint64_t count;

	if (wake)
		(void)!read(worker->fd, &count, sizeof(count));
	worker->wake = wake;
	(void)sem_post(&worker->worked);
	(void)sem_wait(&worker->go);
	uroce_helper_sleep(&worker->helper, &worker->how);
}

/* Lets the helper sleep once. Return: reason of the wake-up. */
static unsigned int sleep_like(struct worker *worker, bool watch,
			       uint64_t until_ns)
{
	worker->how = (struct uroce_sleep){ watch, until_ns };
	(void)sem_post(&worker->go);
	(void)sem_wait(&worker->worked);
	return worker->wake;
}

static void start(struct worker *worker, enum uroce_wake wake)
{
	struct uroce_helper_config config = {
		.fds = { -1, -1, -1, -1, -1, -1 },
		.arg = worker,
		.work = work,
	};

	*worker = (struct worker){ .fd = eventfd(0, EFD_NONBLOCK) };
	(void)sem_init(&worker->worked, 0, 0);
	(void)sem_init(&worker->go, 0, 0);
	for (int i = 0; i < UROCE_NR_WAKES; i++)
		if (wake == 1u << i)
			config.fds[i] = worker->fd;
	assert_int_equal(uroce_helper_start(&worker->helper, &config), 0);
	(void)sem_wait(&worker->worked);
}

static void stop(struct worker *worker)
{
	/* a second time, because the helper has not slept */
	worker->how = (struct uroce_sleep){ false, UROCE_NEVER };
	(void)sem_post(&worker->go);
	(void)sem_post(&worker->go);
	uroce_helper_stop(&worker->helper);
	(void)sem_destroy(&worker->worked);
	(void)sem_destroy(&worker->go);
	(void)close(worker->fd);
}

static void helper_wakes_for_each_descriptor(void **state)
{
	static const enum uroce_wake wakes[] = {
		UROCE_WAKE_PACKET, UROCE_WAKE_INBOX, UROCE_WAKE_MEMBER,
		UROCE_WAKE_LINK,   UROCE_WAKE_LOCAL, UROCE_WAKE_GSI,
	};

	for (int i = 0; i < UROCE_NR_WAKES; i++) {
		uint64_t one = 1;
		struct worker worker;

		start(&worker, wakes[i]);
		assert_int_equal(write(worker.fd, &one, sizeof(one)),
				 sizeof(one));
		assert_int_equal(sleep_like(&worker, true, UROCE_NEVER),
				 wakes[i]);
		stop(&worker);
	}
}

static void helper_wakes_at_deadline_and_when_rung(void **state)
{
	struct worker worker;

	start(&worker, UROCE_WAKE_PACKET);
	assert_int_equal(sleep_like(&worker, true, 0), 0);
	assert_int_equal(sleep_like(&worker, true, verbs_now_ns() + 1000), 0);
	uroce_helper_ring(&worker.helper);
	assert_int_equal(sleep_like(&worker, true, UROCE_NEVER), 0);
	stop(&worker);
}

static void helper_blind_ignores_packets(void **state)
{
	struct worker worker;
	uint64_t one = 1;

	start(&worker, UROCE_WAKE_PACKET);
	assert_int_equal(write(worker.fd, &one, sizeof(one)), sizeof(one));
	assert_int_equal(sleep_like(&worker, false, verbs_now_ns() + 1000), 0);
	assert_true(uroce_helper_is_blind(&worker.helper));
	assert_int_equal(sleep_like(&worker, true, UROCE_NEVER),
			 UROCE_WAKE_PACKET);
	stop(&worker);
}

/* Only an earlier deadline rings; afterwards until_ns is 0. */
static void helper_known_deadline_needs_no_ring(void **state)
{
	struct worker worker;

	start(&worker, UROCE_WAKE_PACKET);
	(void)sleep_like(&worker, true, 1);
	worker.helper.until_ns = 100;
	uroce_helper_need(&worker.helper, 100);
	assert_int_equal(worker.helper.until_ns, 100);
	uroce_helper_need(&worker.helper, 99);
	assert_int_equal(worker.helper.until_ns, 0);
	assert_int_equal(sleep_like(&worker, true, UROCE_NEVER), 0);
	assert_true(uroce_helper_wakes(&worker.helper) >= 2);
	stop(&worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(helper_idle_sleeps_forever),
		cmocka_unit_test(helper_without_lease_wakes_at_deadline),
		cmocka_unit_test(helper_after_traffic_polls_for_linger_time),
		cmocka_unit_test(helper_with_lease_sleeps_until_lease_ends),
		cmocka_unit_test(helper_trust_grows_until_polling_stops),
		cmocka_unit_test(helper_unpolled_packets_raise_attention),
		cmocka_unit_test(helper_constant_polling_lowers_attention),
		cmocka_unit_test(helper_wakes_for_each_descriptor),
		cmocka_unit_test(helper_wakes_at_deadline_and_when_rung),
		cmocka_unit_test(helper_blind_ignores_packets),
		cmocka_unit_test(helper_known_deadline_needs_no_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
