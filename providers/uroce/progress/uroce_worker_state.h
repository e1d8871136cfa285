/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of the process and its workers, private to uroce_worker*.c
 * (packets, timers, events), uroce_process.c (the set of workers),
 * uroce_instance.c (attach and detach of devices) and uroce_moderate.c.
 *
 * Locks, in the order in which they are taken:
 *   process_mutex  the pointer to the process; held while a worker is created
 *                  and while its threads end, never while it waits for another
 *                  process
 *   netdev_mutex   instances and the state of their interfaces; held while the
 *                  kernel is queried about an interface
 *   engine_lock    "the engine lock": engine, port, and all other state of a
 *                  worker; held while packets are sent, which may wait for a
 *                  full socket. A thread that takes several takes them in the
 *                  order of the workers
 *   pass_lock      see struct uroce_process
 */
#ifndef UROCE_WORKER_STATE_H
#define UROCE_WORKER_STATE_H

#include <pthread.h>

#include "uroce/gsi/uroce_gsi.h"
#include "uroce/gsi/uroce_gsi_budget.h"
#include "uroce/progress/uroce_helper.h"
#include "uroce/progress/uroce_instance.h"
#include "uroce/qp/uroce_lock.h"
#include "uroce/shm/uroce_shm.h"
#include "uroce/udp/uroce_port.h"
#include "uroce/uroce_config.h"
#include "util/list.h"
#include "util/lock.h"

/*
 * What all devices of the process share. It exists while one is attached.
 *
 * "All engine locks" are taken by uroce_process_lock(). State that is written
 * with all of them can be read with any of them.
 */
struct uroce_process {
	struct uroce_gsi *gsi; /* NULL: none */
	/* helper thread of the first worker only */
	struct uroce_gsi_budget gsi_budget;
	bool gsi_behind;  /* MADs wait for a user of this process */
	bool gsi_ended;	  /* receive no MADs; lock of the first worker */
	uint32_t mad_psn; /* of the next MAD; lock of the first worker */
	/* plain: clang's analysis cannot follow the locks around fork() */
	pthread_mutex_t netdev_mutex;
	/* written with netdev_mutex and all engine locks, read with any */
	struct list_node instances;
	const struct uroce_worker_ops *ops;
	/* refresh() - query all interfaces again; without locks */
	void (*refresh)(struct uroce_process *process);
	uint32_t uses;	       /* instances; with process_mutex */
	uint32_t next_pd;      /* atomic */
	uint32_t next_context; /* atomic */
	/*
	 * Passes of different workers exclude each other by pass_lock, because
	 * they would access the same dma-bufs, windows or CQs. Written with all
	 * engine locks.
	 */
	bool exclusive;
	uint32_t nr_shared_cqs;	    /* likewise */
	uint32_t nr_workers;	    /* atomic; written with all engine locks */
	struct uroce_chaos *chaos;  /* of the only worker; NULL: no chaos */
	struct uroce_memory memory; /* written with all engine locks */
	struct uroce_shares shares; /* memory files of the regions */
	int link_fd;		    /* -1: no notification of changes */
	/*
	 * The first worker exists from the start and has UDP port 4791 before
	 * the others are created. All are freed together. A worker is in the
	 * table before its helper thread starts.
	 */
	struct uroce_worker *workers[UROCE_MAX_WORKERS];
	/* atomic: the last thread that polled the worker; 0: none */
	uintptr_t pollers[UROCE_MAX_WORKERS];
	uint32_t max_workers; /* with process_mutex */
	uint32_t next_worker; /* with process_mutex: counts, modulo max */
	struct uroce_lock pass_lock;
};

struct uroce_instance {
	struct uroce_process *process;
	struct list_node entry;
	void *owner;
	/* written with netdev_mutex and all engine locks, read with any */
	struct uroce_netdev dev;
};

#define UROCE_MAX_UD_PEERS 256 /* slots of a host */

/* A UD peer: a process of this host that receives datagrams from this one. */
struct uroce_ud_peer {
	struct uroce_channel *channel; /* with a reference, or NULL */
	/* atomic: time of the next handshake; UROCE_NEVER: connected */
	uint64_t next_ns;
};

struct uroce_worker {
	struct uroce_process *process;
	struct uroce_lock engine_lock;
	bool dead; /* set in a child of fork() before it has threads */
	bool has_pass_lock;
	uint32_t index;	     /* in process->workers */
	uint32_t next_other; /* atomic: index of the worker to poll next */

	struct uroce_engine engine;
	struct uroce_port *port; /* atomic; NULL: not joined, see port_error */
	int port_error;		 /* atomic */
	/* uroce_worker_port.c */
	struct uroce_port *new_port;   /* has a slot, but no sockets */
	struct verbs_mutex join_mutex; /* leaf */
	pthread_cond_t joined;
	bool first_attempt; /* in progress; with join_mutex */
	bool has_joiner;
	pthread_t joiner;
	int stop_joining;	    /* eventfd, or -1 */
	bool reports_header;	    /* uroce_port_report_header() */
	bool receives_gsi;	    /* in uroce_worker_receive_gsi() */
	struct list_node groups;    /* joined multicast groups */
	struct uroce_shm *shm;	    /* NULL: no shared memory, network only */
	struct list_node full;	    /* channels without room */
	uint64_t full_ns;	    /* time of the last change of that list */
	struct list_node moderated; /* CQs: uroce_moderate.c */
	struct uroce_ud_peer ud_peers[UROCE_MAX_UD_PEERS];
	bool watched;		   /* peers ring the doorbell */
	uint64_t socket_ns;	   /* time of the last receive call */
	uint64_t socket_packet_ns; /* time of the last one with packets */
	uint64_t now;	   /* when the lock was taken; a quick poll keeps it */
	uint64_t traffic;  /* packets in both directions */
	uint64_t received; /* packets */
	bool socket_full;  /* atomic: packets wait for socket room */
	uint32_t nr_armed; /* armed CQs that are bound to this worker */

	uint64_t lease_ns; /* atomic: end of the lease */
	bool copied_much;  /* long copy after the poll time was published */

	/* uroce_worker_quick.c */
	uint32_t poll_budget;	   /* what is left of the quick poll budget */
	uint32_t poll_budget_size; /* its value after the last full pass */
	uint64_t full_pass_ns;	   /* time of the last full pass of a poll */

	struct uroce_helper helper;
	uint64_t seen_traffic;		      /* at the helper's last wake-up */
	struct uroce_wake_policy wake_policy; /* the helper's wake-up policy */
};

/** uroce_worker_acquire() - take the engine lock */
void uroce_worker_acquire(struct uroce_worker *worker);

/** uroce_worker_release() - release the engine lock, then serve new kicks */
void uroce_worker_release(struct uroce_worker *worker);

/**
 * uroce_worker_flush_acks() - flush deferred ACKs and responses; never waits
 *
 * Return: whether some may be left: another thread has the engine lock, or the
 * ring to a peer has no room.
 */
bool uroce_worker_flush_acks(struct uroce_worker *worker);

/** uroce_worker_work() - make progress in the helper thread; @arg: the worker
 */
void uroce_worker_work(void *arg, unsigned int wake);

/**
 * uroce_worker_watch() - make the helper thread watch for packets, after a CQ
 * was armed
 *
 * Context: with the engine lock.
 */
void uroce_worker_watch(struct uroce_worker *worker);

/** uroce_worker_unbind_cq() - undo uroce_worker_bind_cq() */
void uroce_worker_unbind_cq(struct uroce_worker *worker, struct uroce_cq *cq);

/** uroce_worker_is_first() - check for the first worker of the process */
static inline bool uroce_worker_is_first(const struct uroce_worker *worker)
{
	return worker->process->workers[0] == worker;
}

/**
 * uroce_worker_flush() - send deferred and delayed ACKs
 *
 * Call it before objects are freed. Context: with the engine lock, which may
 * have been taken by uroce_process_lock().
 */
void uroce_worker_flush(struct uroce_worker *worker);

/**
 * uroce_worker_finish() - make a pass without receiving, as the last step
 * before the engine lock is released
 */
void uroce_worker_finish(struct uroce_worker *worker);

/** uroce_process_nr() - return the number of workers; any thread */
static inline uint32_t uroce_process_nr(const struct uroce_process *process)
{
	/* pairs with the store in uroce_process_add_worker() */
	return __atomic_load_n(&process->nr_workers, __ATOMIC_ACQUIRE);
}

/** uroce_process_lock() - take all engine locks */
void uroce_process_lock(struct uroce_process *process);

/** uroce_process_unlock() - release all engine locks, then serve new kicks */
void uroce_process_unlock(struct uroce_process *process);

/**
 * uroce_process_open() - create a process with one worker
 *
 * Context: with process_mutex, as the functions below.
 * Return: 0, or -errno.
 */
int uroce_process_open(const struct uroce_worker_ops *ops,
		       void (*refresh)(struct uroce_process *process),
		       struct uroce_process **ret_process);

/** uroce_process_close() - stop the threads and free everything */
void uroce_process_close(struct uroce_process *process);

/**
 * uroce_process_next_worker() - select a worker, see
 * uroce_instance_next_worker()
 * @ret_new: whether the worker was created; then the caller calls
 *	uroce_worker_await_port()
 */
struct uroce_worker *uroce_process_next_worker(struct uroce_process *process,
					       bool *ret_new);

#endif
