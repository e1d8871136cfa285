/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the processes of one user share UDP port 4791 in a network namespace.
 *
 * Each has a slot, a number that is bits 23-16 of its QPNs. A slot has a socket
 * on the port, and the kernel gives a packet to the socket whose place in the
 * group is the slot of the destination QPN (a classic BPF program). Places move
 * when a socket is closed, so every process holds the sockets of all slots and
 * none is ever closed as long as there is one process. Sockets come in blocks,
 * since a group cannot have gaps.
 *
 * There is no daemon. A process claims a slot by binding the bootstrap sockets
 * of that name, which never waits. It joins the group by getting copies of the
 * sockets from a member, and becomes a member that serves others. All names
 * vanish with the process.
 */
#ifndef UROCE_SLOTS_H
#define UROCE_SLOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/port/uroce_directory.h"

#define UROCE_NR_SLOTS	 256
#define UROCE_SLOT_BLOCK 16
#define UROCE_SLOT_SHIFT 16 /* of a QPN */

/* A join takes no longer than this. */
#define UROCE_JOIN_MS 2000

struct uroce_slots {
	uint32_t slot;
	uint32_t nr;  /* sockets; a multiple of a block; 0: not joined */
	int listener; /* to be watched for reading */
	int inbox;    /* likewise */
	/*
	 * Held while a descriptor of a shared socket, or one by which shared
	 * sockets can be received, is created or received, until it is in one
	 * of the arrays, so that a child of fork() can close all of them. Never
	 * held across a wait.
	 */
	pthread_mutex_t fds_mutex;
	int fds[UROCE_NR_SLOTS];	 /* by slot; -1: none */
	int connections[UROCE_NR_SLOTS]; /* to members while joining, or -1 */
	/* for uroce_slots_forward() */
	struct uroce_directory directory;
	uint64_t directory_ms; /* when it was read; 0: never */
};

/** uroce_slots_init() - a process without a slot */
void uroce_slots_init(struct uroce_slots *slots);

/**
 * uroce_slots_claim() - claim a free slot
 * @slots: initialised; to be given back to uroce_slots_leave()
 * @from: the lowest slot that will do
 *
 * Never waits. Names that other users have taken are skipped.
 *
 * Return: 0; -EUSERS if all slots are taken; or -errno.
 */
int uroce_slots_claim(struct uroce_slots *slots, uint32_t from);

/**
 * uroce_slots_join() - get the sockets of the group, or create the group
 * @slots: with a slot; on failure it keeps the slot and can be tried again
 * @stop_fd: becomes readable to end the attempt; -1: never
 *
 * Takes up to UROCE_JOIN_MS and holds no lock while it waits. All members are
 * asked, first one, and twice as many after each moment without a response.
 * What came to the slot before is thrown away.
 *
 * Context: one thread at a time.
 * Return: 0; -EADDRINUSE if the port is another user's or the kernel's;
 * -ETIMEDOUT if no member responds; -EPERM if the process has another user id
 * than at the claim; -ECANCELED; or -errno.
 */
int uroce_slots_join(struct uroce_slots *slots, int stop_fd);

/** uroce_slots_leave() - give the slot and the sockets back */
void uroce_slots_leave(struct uroce_slots *slots);

/**
 * uroce_slots_serve() - respond to one process at the listener
 *
 * To be called soon after the listener has become readable.
 *
 * Context: one thread at a time, together with uroce_slots_leave().
 * Return: whether another user has connected: then the next call should come
 * after a pause, so that a flood of connections costs little.
 */
bool uroce_slots_serve(struct uroce_slots *slots);

/**
 * uroce_slots_forward() - pass a packet on to the process that it is for
 * @slots: ours
 * @slot: of that process
 * @data: what it is to receive from uroce_slots_inbox()
 * @len: bytes
 *
 * Return: 0, or -errno; then it is lost.
 */
int uroce_slots_forward(struct uroce_slots *slots, uint32_t slot,
			const void *data, size_t len);

/**
 * uroce_slots_inbox() - next packet that another process has passed on
 * @slots: ours
 * @buf: receives it
 * @size: of @buf
 *
 * Return: bytes, -EAGAIN if there is none, -EMSGSIZE if it did not fit,
 * -EPERM if it is from another user.
 */
int uroce_slots_inbox(const struct uroce_slots *slots, void *buf, size_t size);

#endif
