/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The helper thread and its sleep. It makes progress while the application does
 * not poll: it receives packets, expires timers, and serves processes that join
 * port sharing. While the application polls, it leaves the work to that thread.
 *
 * Each poll renews a lease. While the lease is valid, the helper does no work;
 * and if there is traffic, it does not watch the socket either, since each
 * packet would wake it, but wakes up when the lease ends. Without a lease it
 * watches the socket; with neither packets nor deadlines it never wakes up.
 *
 * An application may poll rarely and read memory in between, to wait for a
 * WRITE to appear. Then the lease only delays the work of the helper. If the
 * helper finds packets at the end of a few leases in a row, it shortens leases
 * to a few microseconds. This ends after many wake-ups without packets to
 * receive, or a few that find a valid lease. If a number of wake-ups in a row
 * find a valid lease, leases become three times as long, so that the helper
 * wakes up a third as often.
 */
#ifndef UROCE_HELPER_H
#define UROCE_HELPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define UROCE_SHORT_LEASES     64 /* idle wake-ups until short leases end */
#define UROCE_MISSED_LEASES    4 /* leases with packets left until they begin */
#define UROCE_RENEWED_LEASES   8 /* valid leases until they get longer */
#define UROCE_LEASE_NS	       UINT64_C(1000000)
#define UROCE_LONGER_LEASE_NS  UINT64_C(2000000) /* added to a longer lease */
#define UROCE_SHORT_LEASE_NS   UINT64_C(10000)	 /* duration of a short lease */
#define UROCE_TRAFFIC_SLEEP_NS UINT64_C(10000000)

/* Wake-up conditions of a sleep. */
struct uroce_sleep {
	bool watch;	   /* packets wake the helper */
	uint64_t until_ns; /* UROCE_NEVER: no limit */
};

/* Input of uroce_helper_plan(). */
struct uroce_sleep_facts {
	uint64_t now_ns;
	uint64_t lease_ns;    /* end of the lease */
	uint64_t deadline_ns; /* next one of the worker; UROCE_NEVER: none */
	bool packet;	      /* a packet has ended the last sleep */
	bool traffic;	      /* packets sent or received since then */
	bool more;	      /* there may be more packets to receive */
};

/** uroce_helper_plan() - compute the wake-up conditions; pure function */
struct uroce_sleep uroce_helper_plan(const struct uroce_sleep_facts *facts);

/* Wake-up policy: state that determines the duration of leases. */
struct uroce_wake_policy {
	uint32_t missed_leases;	 /* expired leases in a row with packets left */
	uint32_t short_leases;	 /* above 0: leases last UROCE_SHORT_LEASE_NS */
	uint32_t renewed_leases; /* valid leases in a row */
};

/**
 * uroce_helper_update_policy() - update the wake-up policy after a wake-up;
 * pure
 * @was_blind: whether the helper did not watch for packets
 * @packet: whether a packet has woken it
 * @leased: whether a lease is valid, so that another thread does the work
 * @found: whether the helper has received packets
 */
void uroce_helper_update_policy(struct uroce_wake_policy *wake_policy,
				bool was_blind, bool packet, bool leased,
				bool found);

/* Sources that wake the helper, besides time. */
enum uroce_wake {
	UROCE_WAKE_PACKET = 1 << 0, /* socket of the slot */
	UROCE_WAKE_INBOX = 1 << 1,  /* packets forwarded by other slots */
	UROCE_WAKE_MEMBER = 1 << 2, /* a process joins port sharing */
	UROCE_WAKE_LINK = 1 << 3,   /* an interface changes */
	UROCE_WAKE_LOCAL = 1 << 4,  /* shm: peers and doorbell */
	UROCE_WAKE_GSI = 1 << 5,    /* MADs: QP 1, and other processes */
};
#define UROCE_NR_WAKES 6

/* Time without watching a source that another user has used. */
#define UROCE_PAUSE_NS UINT64_C(5000000)

struct uroce_helper;

struct uroce_helper_config {
	int fds[UROCE_NR_WAKES]; /* in the order of enum uroce_wake; -1: none */
	void *arg;
	/*
	 * work() - make progress; @wake: mask of enum uroce_wake
	 *
	 * Must call uroce_helper_sleep() before it releases the lock that
	 * protects the deadlines.
	 */
	void (*work)(void *arg, unsigned int wake);
};

struct uroce_helper {
	struct uroce_helper_config config;
	pthread_t thread;
	int doorbell;
	unsigned int paused; /* mask of enum uroce_wake; thread only */
	uint64_t resume_ns;
	bool watch; /* atomic, like all members below */
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
 * uroce_helper_watch() - set the descriptor of a source; any thread
 * @wake: a source without a descriptor so far
 */
void uroce_helper_watch(struct uroce_helper *helper, enum uroce_wake wake,
			int fd);

/** uroce_helper_stop() - stop and join the thread; call it without locks */
void uroce_helper_stop(struct uroce_helper *helper);

/** uroce_helper_abandon() - release it in a child of fork(), without thread */
void uroce_helper_abandon(struct uroce_helper *helper);

/** uroce_helper_sleep() - set the next wake-up conditions; from work() only */
void uroce_helper_sleep(struct uroce_helper *helper,
			const struct uroce_sleep *how);

/**
 * uroce_helper_pause() - stop watching some sources for UROCE_PAUSE_NS
 * @wake: mask of enum uroce_wake; passed to work() after the pause
 *
 * UROCE_WAKE_LOCAL stays watched: only its listener pauses
 * (uroce_shm_serve()). Context: from work() only.
 */
void uroce_helper_pause(struct uroce_helper *helper, unsigned int wake);

/** uroce_helper_is_paused() - whether @wake is paused; from work() only */
static inline bool uroce_helper_is_paused(const struct uroce_helper *helper,
					  enum uroce_wake wake)
{
	return helper->paused & wake;
}

/** uroce_helper_ring() - wake the helper to call work(); any thread */
void uroce_helper_ring(struct uroce_helper *helper);

/**
 * uroce_helper_need() - make the helper call work() at @at_ns at the latest
 *
 * No system call if the helper wakes up by then anyway. Context: with the lock
 * that protects the deadlines.
 */
static inline void uroce_helper_need(struct uroce_helper *helper,
				     uint64_t at_ns)
{
	if (at_ns < __atomic_load_n(&helper->until_ns, __ATOMIC_RELAXED))
		uroce_helper_ring(helper);
}

/** uroce_helper_is_blind() - whether packets do not wake the helper */
static inline bool uroce_helper_is_blind(const struct uroce_helper *helper)
{
	return !__atomic_load_n(&helper->watch, __ATOMIC_RELAXED);
}

/** uroce_helper_wakes() - number of wake-ups since the start */
static inline uint64_t uroce_helper_wakes(const struct uroce_helper *helper)
{
	return __atomic_load_n(&helper->wakes, __ATOMIC_RELAXED);
}

#endif
