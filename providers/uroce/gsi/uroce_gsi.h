/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The general services interface of a process (GSI, IBTA 13.5.1): MADs of
 * communication management on QP 1, and their owners.
 *
 * All processes of a user share one socket for QP 1 (../udp/uroce_slots.h), and
 * any of them receives a MAD from it. uroce_gsi_push() queues the MAD, and
 * uroce_gsi_work(), in the helper thread, passes it to the process that owns it
 * (uroce_gsi_claim.h). The owner's uroce_gsi_work() calls its user.
 */
#ifndef UROCE_GSI_H
#define UROCE_GSI_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "uroce/gsi/uroce_gsi_route.h"
#include "util/list.h"

struct uroce_gsi;

/* A user of the GSI: struct verbs_gsi of <provider/gsi.h>. */
struct uroce_gsi_user {
	struct list_node entry, claims;
	uint32_t prefix; /* of its communication ids */
	/* receive() - without locks; called by uroce_gsi_work() */
	void (*receive)(void *arg, const struct uroce_gsi_mad *mad);
	/*
	 * owner_ended() - the process of a prefix has ended, as far as this
	 * process has a connection to it; like receive()
	 */
	void (*owner_ended)(void *arg, uint32_t prefix);
	void *arg;
};

struct uroce_gsi_config {
	/* find_interface() - see uroce_gsi_route.h; without locks */
	struct uroce_gsi_interface (*find_interface)(void *arg,
						     const uint8_t *gid);
	/* send_reply() - send a MAD; without locks */
	int (*send_reply)(void *arg, const struct uroce_gsi_mad *mad);
	void *arg;
};

/* All members are uint64_t. */
struct uroce_gsi_counters {
	uint64_t received;  /* from the network */
	uint64_t overflow;  /* of them lost: the queue was full */
	uint64_t forwarded; /* passed to their owner */
	uint64_t lost;	    /* the owner had no room */
	uint64_t replies;   /* of this process, without an owner */
	uint64_t no_owner;  /* without owner and reply */
	uint64_t delivered; /* to a user of this process */
	uint64_t bad;	    /* messages of other processes that are no MADs */
};

/**
 * uroce_gsi_new() - create the GSI of a process
 * @config: copied
 * @ret_gsi: receives it; uroce_gsi_free() frees it
 *
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE.
 */
int uroce_gsi_new(const struct uroce_gsi_config *config,
		  struct uroce_gsi **ret_gsi);

/** uroce_gsi_free() - free it; it has no users any more */
void uroce_gsi_free(struct uroce_gsi *gsi);

/** uroce_gsi_fd() - return the descriptor to poll for uroce_gsi_work() */
int uroce_gsi_fd(const struct uroce_gsi *gsi);

/**
 * uroce_gsi_watch() - let the descriptor report a socket as well
 * @fd: socket of QP 1, which is read by the caller
 */
void uroce_gsi_watch(struct uroce_gsi *gsi, int fd);

/** uroce_gsi_lock() - for fork(): hold off new descriptors; never waits long */
void uroce_gsi_lock(struct uroce_gsi *gsi);

void uroce_gsi_unlock(struct uroce_gsi *gsi);

/**
 * uroce_gsi_abandon() - close all descriptors in a child of fork()
 *
 * Context: with uroce_gsi_lock(). Afterwards only uroce_gsi_free() and
 * uroce_gsi_remove_user() are permitted, and do nothing but to free memory.
 */
void uroce_gsi_abandon(struct uroce_gsi *gsi);

/** uroce_gsi_push() - queue a MAD from the network; any thread, never waits */
void uroce_gsi_push(struct uroce_gsi *gsi, const struct uroce_gsi_mad *mad);

/**
 * uroce_gsi_send_local() - pass a MAD of this process to an address of the host
 *
 * The remote address is that of a device of this process. Like any datagram the
 * MAD may be lost.
 *
 * Context: any thread, without locks of uroce; never waits.
 */
void uroce_gsi_send_local(struct uroce_gsi *gsi,
			  const struct uroce_gsi_mad *mad);

/**
 * uroce_gsi_watch_owner() - let owner_ended() report the end of a process
 * @id: a communication id of the process, which is of this host and user
 *
 * Ends when the process keeps connections to more than UROCE_GSI_NR_LINKS
 * owners.
 *
 * Context: any thread, without locks of uroce; never waits.
 * Return: 0; -ECONNREFUSED if it has ended already; or -errno.
 */
int uroce_gsi_watch_owner(struct uroce_gsi *gsi, uint32_t id);

/* Attempts to deliver a MAD in one call of uroce_gsi_work(). */
#define UROCE_GSI_MAX_DELIVERED 32

/**
 * uroce_gsi_work() - pass on queued MADs, and deliver those of other processes
 * @readable: whether the descriptor was readable
 * @ret_unowned: receives the number of MADs without an owner
 *
 * A bounded number of MADs. Context: helper thread, without locks.
 *
 * Return: the number of attempts to deliver a MAD; UROCE_GSI_MAX_DELIVERED:
 * more MADs may wait. -EPERM or -EPROTO if another process did not behave: the
 * caller should pause before the next call with @readable.
 */
int uroce_gsi_work(struct uroce_gsi *gsi, bool readable, uint32_t *ret_unowned);

/**
 * uroce_gsi_drain() - pass on the queued MADs of a process that exits
 *
 * Context: any thread, without locks; waits for no other thread.
 *
 * Return: whether MADs may be left, because another thread passes on one.
 */
bool uroce_gsi_drain(struct uroce_gsi *gsi);

/**
 * uroce_gsi_add_user() - claim a random prefix, and add a user
 * @user: memory of the caller; receive, owner_ended and arg are set
 *
 * Return: 0; -EADDRINUSE if no prefix is free; -ENOMEM; or what
 * uroce_rendezvous_listen_gsi() returns.
 */
int uroce_gsi_add_user(struct uroce_gsi *gsi, struct uroce_gsi_user *user);

/**
 * uroce_gsi_remove_user() - release all claims of a user
 *
 * No call of the functions of @user runs or starts after it. Not from one of
 * them.
 */
void uroce_gsi_remove_user(struct uroce_gsi *gsi, struct uroce_gsi_user *user);

/**
 * uroce_gsi_claim() - claim a service id for a user
 * @gid: address; NULL: all addresses of the interface @ifindex
 *
 * Return: 0, -EADDRINUSE, -ENOMEM, or -errno.
 */
int uroce_gsi_claim(struct uroce_gsi *gsi, struct uroce_gsi_user *user,
		    const uint8_t *gid, unsigned int ifindex,
		    uint64_t service_id);

/** uroce_gsi_release() - undo uroce_gsi_claim() */
void uroce_gsi_release(struct uroce_gsi *gsi, struct uroce_gsi_user *user,
		       const uint8_t *gid, unsigned int ifindex,
		       uint64_t service_id);

/** uroce_gsi_counters() - copy the counters; any thread */
void uroce_gsi_counters(struct uroce_gsi *gsi,
			struct uroce_gsi_counters *ret_counters);

#endif
