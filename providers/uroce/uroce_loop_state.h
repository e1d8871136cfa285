/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What uroce_loop.c (packets, timers, events) and uroce_instance.c (devices
 * that come and go) share. Not for anybody else.
 *
 * Locks, in the order in which they are taken:
 *   loop_mutex     which loop there is; never held across a wait
 *   netdev_mutex   instances, and what their interfaces are like; held while
 *                  the kernel is asked about an interface
 *   engine_lock    "the engine lock": engine, port, and all else; held while
 *                  packets are sent, which may wait for a full socket
 */
#ifndef UROCE_LOOP_STATE_H
#define UROCE_LOOP_STATE_H

#include <pthread.h>

#include "uroce/engine/uroce_lock.h"
#include "uroce/local/uroce_local.h"
#include "uroce/port/uroce_port.h"
#include "uroce/uroce_helper.h"
#include "uroce/uroce_loop.h"
#include "util/list.h"
#include "util/lock.h"

struct uroce_instance {
	struct uroce_loop *loop;
	struct list_node entry;
	void *owner;
	/* changed with netdev_mutex and the engine lock, read with either */
	struct uroce_netdev dev;
};

#define UROCE_MAX_ACQUAINTANCES 256 /* slots of a host */

/* A process of this host that datagrams were sent to: uroce_loop_datagram.c. */
struct uroce_acquaintance {
	struct uroce_channel *channel; /* a use of it, or NULL */
	uint64_t next_ns; /* atomic: when to try to meet it; UROCE_NEVER: met */
};

struct uroce_loop {
	/* plain: clang's analysis knows none that can be tried */
	pthread_mutex_t netdev_mutex;
	struct uroce_lock engine_lock;
	/* changed with netdev_mutex and the engine lock, read with either */
	struct list_node instances;
	uint32_t uses;	  /* with loop_mutex */
	uint32_t next_pd; /* atomic */
	bool dead;	  /* set in a child before it has threads */

	const struct uroce_loop_ops *ops;
	struct uroce_engine engine;
	struct uroce_port *port; /* NULL: no packets; port_error says why */
	int port_error;		 /* atomic */
	/* uroce_loop_port.c */
	struct uroce_port *new_port;   /* has a slot, and no sockets yet */
	struct verbs_mutex join_mutex; /* a leaf */
	pthread_cond_t joined;
	bool first_attempt; /* with join_mutex: it goes on */
	bool has_joiner;
	pthread_t joiner;
	int stop_joining;	    /* an eventfd, or -1 */
	bool reports_header;	    /* uroce_port_report_header() */
	struct list_node groups;    /* of uroce_instance.c */
	struct uroce_local *local;  /* NULL: all packets go over the network */
	struct list_node full;	    /* channels */
	uint64_t full_ns;	    /* when one has become so, or no longer */
	struct list_node moderated; /* CQs: uroce_moderate.c */
	struct uroce_acquaintance met[UROCE_MAX_ACQUAINTANCES];
	bool watched;		   /* others ring the bell */
	uint64_t socket_ns;	   /* when the socket was last looked at */
	uint64_t socket_packet_ns; /* when last anything was there */
	uint64_t now;		   /* when the lock was taken */
	uint64_t traffic;	   /* packets in both directions */
	uint64_t received;	   /* packets */
	bool held;		   /* atomic: not all could be sent */
	uint64_t armed_ns;	   /* when a CQ was armed last */
	uint32_t nr_armed;	   /* CQs */

	uint64_t lease_ns; /* atomic: its end */
	bool copied_much;  /* from or to others, since a poll told them so */

	/* uroce_loop_quick.c */
	uint32_t glances; /* polls that need not look at the clock */
	uint32_t allowed; /* so many it were at first */
	uint64_t look_ns; /* when a poll did so last */
	uint64_t quick_posts, quick_polls; /* so many were */

	struct uroce_helper helper;
	uint64_t seen_traffic;		  /* by the helper */
	struct uroce_alertness alertness; /* of the helper */
	int link_fd;			  /* -1: changes go unnoticed */
};

/** uroce_loop_lease() - the end of the lease, as far as the helper cares */
uint64_t uroce_loop_lease(const struct uroce_loop *loop);

/** uroce_loop_deliver() - events of the engine, to verbs/; with the lock */
void uroce_loop_deliver(struct uroce_loop *loop);

/**
 * uroce_loop_need_helper() - whoever has a deadline must find somebody awake
 *
 * With the engine lock.
 */
void uroce_loop_need_helper(struct uroce_loop *loop);

/** uroce_loop_acquire() - take the engine lock */
void uroce_loop_acquire(struct uroce_loop *loop);

/** uroce_loop_release() - give it back, and do what was asked for meanwhile */
void uroce_loop_release(struct uroce_loop *loop);

/**
 * uroce_loop_call_in() - send what was put off; never waits
 *
 * Return: whether something may still be owed: somebody else has the lock, or a
 * process has no room for it.
 */
bool uroce_loop_call_in(struct uroce_loop *loop);

/** uroce_loop_work() - the helper's work; @arg: the loop */
void uroce_loop_work(void *arg, unsigned int wake);

/** uroce_loop_refresh() - some interface has changed; with no lock held */
void uroce_loop_refresh(struct uroce_loop *loop);

#endif
