/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The helper thread, and when it sleeps. It is there for applications that do
 * not poll: it takes in packets, lets timers expire, and answers processes that
 * want to share the port. While an application polls it keeps out of the way.
 *
 * Whoever polls renews a lease. As long as that is valid the helper does no
 * work; and if there is traffic it does not even watch the socket, since each
 * packet would wake it, but looks again when the lease ends. Without a lease it
 * watches, and with neither packets nor deadlines it never wakes up.
 *
 * An application may poll now and then and look at memory in between, waiting
 * for a WRITE to appear. Then the lease only keeps the helper from work that
 * nobody else does. It notices that packets have been lying there when a few
 * leases in a row ended, and becomes attentive: a lease is then good for a few
 * microseconds only, until it was woken for nothing many times, or has seen a
 * few times that there is somebody who polls all the time. Who has done so for
 * a while is looked after a third as often.
 */
#ifndef UROCE_HELPER_H
#define UROCE_HELPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define UROCE_ATTENTION 64 /* wakes for nothing until that ends */
#define UROCE_SUSPICION 4  /* leases in a row that ended so, until it begins */
#define UROCE_TRUST	8 /* leases in a row that held, until they are longer */
#define UROCE_LEASE_NS	UINT64_C(1000000)
#define UROCE_TRUST_NS	UINT64_C(2000000) /* by which they are longer then */
#define UROCE_GLANCE_NS UINT64_C(10000)	  /* of a lease, while attentive */
#define UROCE_LINGER_NS UINT64_C(10000000)

/* How the helper is to sleep. */
struct uroce_sleep {
	bool watch;	   /* a packet wakes it */
	uint64_t until_ns; /* UROCE_NEVER: nothing else does */
};

/* What that depends on. */
struct uroce_sleep_facts {
	uint64_t now_ns;
	uint64_t lease_ns;    /* end of the lease */
	uint64_t deadline_ns; /* of the engine; UROCE_NEVER: none */
	bool packet;	      /* a packet was what woke it */
	bool traffic;	      /* packets came or went since the last time */
	bool more;	      /* it has stopped before all was taken in */
};

/** uroce_helper_plan() - how to sleep; pure */
struct uroce_sleep uroce_helper_plan(const struct uroce_sleep_facts *facts);

/* How far the helper trusts that whoever has polled polls again. */
struct uroce_alertness {
	uint32_t suspicion; /* leases in a row after which packets were left */
	uint32_t attention; /* above 0 leases are to be UROCE_GLANCE_NS long */
	uint32_t trust;	    /* at UROCE_TRUST they are longer */
};

/**
 * uroce_helper_attend() - how alert to be after a wake; pure
 * @alertness: before, and after
 * @was_blind: whether no packet could have woken it
 * @packet: whether a packet has
 * @leased: whether it has left the work to somebody who polls
 * @found: whether it was the helper who took packets in
 */
void uroce_helper_attend(struct uroce_alertness *alertness, bool was_blind,
			 bool packet, bool leased, bool found);

/* What can make it get up, besides the time. */
enum uroce_wake {
	UROCE_WAKE_PACKET = 1 << 0,
	UROCE_WAKE_INBOX = 1 << 1,
	UROCE_WAKE_MEMBER = 1 << 2,
	UROCE_WAKE_LINK = 1 << 3,
	UROCE_WAKE_LOCAL = 1 << 4,
};
#define UROCE_NR_WAKES 5

/* So long is a source left alone after another user has used it. */
#define UROCE_PAUSE_NS UINT64_C(5000000)

struct uroce_helper;

struct uroce_helper_config {
	int fds[UROCE_NR_WAKES]; /* in the order of enum uroce_wake; -1: none */
	void *arg;
	/*
	 * work() - do what there is to do; @wake: mask of enum uroce_wake
	 *
	 * Must call uroce_helper_sleep() before it gives back the lock under
	 * which deadlines are made.
	 */
	void (*work)(void *arg, unsigned int wake);
};

struct uroce_helper {
	struct uroce_helper_config config;
	pthread_t thread;
	int doorbell;
	unsigned int paused; /* mask of enum uroce_wake; the thread's own */
	uint64_t resume_ns;
	bool watch; /* atomic, as all below */
	bool stop;
	uint64_t until_ns;
	uint64_t wakes;
};

/**
 * uroce_helper_start() - start the thread
 * @helper: memory of the caller
 * @config: copied
 *
 * Return: 0, or -errno.
 */
int uroce_helper_start(struct uroce_helper *helper,
		       const struct uroce_helper_config *config);

/**
 * uroce_helper_start_thread() - start a thread that receives no signals
 *
 * Return: 0, or -errno.
 */
int uroce_helper_start_thread(pthread_t *ret_thread, void *(*run)(void *arg),
			      void *arg);

/**
 * uroce_helper_watch() - watch a descriptor from now on; any thread
 * @wake: the source, which had no descriptor
 */
void uroce_helper_watch(struct uroce_helper *helper, enum uroce_wake wake,
			int fd);

/** uroce_helper_stop() - end it, and wait for that; not with a lock held */
void uroce_helper_stop(struct uroce_helper *helper);

/** uroce_helper_abandon() - in a child of fork(), where there is no thread */
void uroce_helper_abandon(struct uroce_helper *helper);

/** uroce_helper_sleep() - how it is to sleep; from work() only */
void uroce_helper_sleep(struct uroce_helper *helper,
			const struct uroce_sleep *how);

/**
 * uroce_helper_pause() - do not watch some sources for UROCE_PAUSE_NS
 * @wake: mask of enum uroce_wake; work() gets it again after the pause
 *
 * UROCE_WAKE_LOCAL is watched all the same: only its listener pauses
 * (uroce_local_serve()). Context: from work() only.
 */
void uroce_helper_pause(struct uroce_helper *helper, unsigned int wake);

/** uroce_helper_is_paused() - whether the pause goes on; from work() only */
static inline bool uroce_helper_is_paused(const struct uroce_helper *helper,
					  enum uroce_wake wake)
{
	return helper->paused & wake;
}

/** uroce_helper_ring() - have it call work() soon; any thread */
void uroce_helper_ring(struct uroce_helper *helper);

/**
 * uroce_helper_need() - have it call work() at @at_ns at the latest
 *
 * Costs nothing if it does that anyway. Context: the lock of deadlines.
 */
static inline void uroce_helper_need(struct uroce_helper *helper,
				     uint64_t at_ns)
{
	if (at_ns < __atomic_load_n(&helper->until_ns, __ATOMIC_RELAXED))
		uroce_helper_ring(helper);
}

/** uroce_helper_is_blind() - whether no packet would wake it */
static inline bool uroce_helper_is_blind(const struct uroce_helper *helper)
{
	return !__atomic_load_n(&helper->watch, __ATOMIC_RELAXED);
}

/** uroce_helper_wakes() - how often it has got up */
static inline uint64_t uroce_helper_wakes(const struct uroce_helper *helper)
{
	return __atomic_load_n(&helper->wakes, __ATOMIC_RELAXED);
}

/** uroce_helper_now() - CLOCK_MONOTONIC in ns */
uint64_t uroce_helper_now(void);

#endif
