/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Port sharing: the processes of one user share UDP port 4791 in a network
 * namespace.
 *
 * Each process has a slot, a number that is bits 23-16 of its QPNs. A slot has
 * a socket on the port. The sockets are a group (SO_REUSEPORT), and a classic
 * BPF program selects the socket whose index in the group is the slot of the
 * destination QPN. Indexes change when a socket is closed, so every process has
 * the sockets of all slots, and all stay open as long as one process exists.
 * Sockets are created in blocks, since a group cannot have gaps.
 *
 * There is no daemon. A process claims a slot by binding the bootstrap sockets
 * with the names of the slot, which never waits. The process joins the group by
 * receiving copies of the sockets from a member, and then is a member that
 * serves other processes. All names vanish with the process.
 */
#ifndef UROCE_SLOTS_H
#define UROCE_SLOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/ipc/uroce_directory.h"

#define UROCE_NR_SLOTS	 256
#define UROCE_SLOT_BLOCK 16
#define UROCE_SLOT_SHIFT 16 /* bits of a QPN below the slot */

/*
 * The slot of QP 1 (../gsi/uroce_gsi.h). No worker claims it: every process
 * receives from its socket, so no MAD waits for a process that is stopped, and
 * nothing is handed over when a process ends.
 */
#define UROCE_GSI_SLOT	 0
#define UROCE_FIRST_SLOT 1

/* Time limit of uroce_slots_join(). */
#define UROCE_JOIN_MS 2000

struct uroce_slots {
	uint32_t slot;
	uint32_t nr;  /* sockets; a multiple of the block; 0: not joined */
	int listener; /* when readable: uroce_slots_serve() */
	int inbox;    /* when readable: uroce_slots_inbox() */
	/*
	 * Held while a thread creates or receives a descriptor of a shared
	 * socket, or of a connection that can carry shared sockets, until the
	 * descriptor is in one of the arrays, so that a child of fork() can
	 * close all of them. Never held across a wait.
	 */
	pthread_mutex_t fds_mutex;
	int fds[UROCE_NR_SLOTS];	 /* by slot; -1: none */
	int connections[UROCE_NR_SLOTS]; /* to members while joining, or -1 */
	/* cache of uroce_slots_forward() */
	struct uroce_directory directory;
	uint64_t directory_ms; /* time of reading it; 0: never */
};

/** uroce_slots_init() - initialise the state of a process without a slot */
void uroce_slots_init(struct uroce_slots *slots);

/**
 * uroce_slots_claim() - claim a free slot
 * @slots: initialised; uroce_slots_leave() releases the slot
 * @from: lowest slot to claim
 *
 * Never waits. Skips names that other users have taken.
 *
 * Return: 0; -EUSERS if all slots are taken; or -errno.
 */
int uroce_slots_claim(struct uroce_slots *slots, uint32_t from);

/**
 * uroce_slots_join() - get the sockets of the group, or create the group
 * @slots: has a slot, which it keeps on failure; the caller may try again
 * @stop_fd: becomes readable to cancel the attempt; -1: never
 *
 * Takes up to UROCE_JOIN_MS and holds no lock while it waits. Asks one member
 * first, and twice as many after each pause without a response, up to all.
 * Discards packets that arrived at the slot before.
 *
 * Context: one thread at a time.
 * Return: 0; -EADDRINUSE if another user or the kernel has the port; -ETIMEDOUT
 * if no member responds; -EPERM if the user id has changed since the claim;
 * -ECANCELED; or -errno.
 */
int uroce_slots_join(struct uroce_slots *slots, int stop_fd);

/** uroce_slots_leave() - release the slot and close the sockets */
void uroce_slots_leave(struct uroce_slots *slots);

/**
 * uroce_slots_serve() - respond to one process at the listener
 *
 * Called soon after the listener has become readable.
 *
 * Context: one thread at a time, together with uroce_slots_leave().
 * Return: whether another user has connected: then the caller pauses before the
 * next call, so that a flood of connections costs little.
 */
bool uroce_slots_serve(struct uroce_slots *slots);

/**
 * uroce_slots_forward() - forward a packet to the process with its slot
 * @slots: slots of this process
 * @slot: slot of the destination
 * @data: bytes that uroce_slots_inbox() returns to the destination
 * @len: number of bytes
 *
 * Return: 0; or -errno: the packet is lost.
 */
int uroce_slots_forward(struct uroce_slots *slots, uint32_t slot,
			const void *data, size_t len);

/**
 * uroce_slots_inbox() - receive a packet that another process forwarded
 * @slots: slots of this process
 * @buf: receives the packet
 * @size: size of @buf in bytes
 *
 * Return: bytes; -EAGAIN if no packet waits; -EMSGSIZE if the packet does not
 * fit; -EPERM if another user sent it; or -errno.
 */
int uroce_slots_inbox(const struct uroce_slots *slots, void *buf, size_t size);

#endif
