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
 * There is no daemon. A process has its slot because it has bound an abstract
 * unix socket of that name, and on this socket it hands out copies of the
 * descriptors to those who come. Joining is one after the other, by another
 * such name. All names vanish with the process.
 */
#ifndef UROCE_SLOTS_H
#define UROCE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UROCE_NR_SLOTS	 256
#define UROCE_SLOT_BLOCK 16
#define UROCE_SLOT_SHIFT 16 /* of a QPN */

struct uroce_slots {
	uint32_t slot;
	uint32_t nr;		 /* sockets there are; a multiple of a block */
	int fds[UROCE_NR_SLOTS]; /* by slot */
	int listener;		 /* to be watched for reading */
	int inbox;		 /* likewise */
};

/**
 * uroce_slots_join() - get a slot
 * @ret_slots: receives it; to be given back to uroce_slots_leave()
 *
 * Waits for another process that is joining, and for members to answer.
 * What came to the slot before is thrown away.
 *
 * Return: 0; -EADDRINUSE if the port is another user's or the kernel's;
 * -EUSERS if all slots are taken; -ETIMEDOUT if no member answers; or -errno.
 */
int uroce_slots_join(struct uroce_slots *ret_slots);

/** uroce_slots_leave() - give the slot back */
void uroce_slots_leave(struct uroce_slots *slots);

/**
 * uroce_slots_serve() - answer one who is at the listener
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
 * @slot: its
 * @data: what it is to receive from uroce_slots_inbox()
 * @len: bytes
 *
 * Return: 0, or -errno; then it is lost.
 */
int uroce_slots_forward(const struct uroce_slots *slots, uint32_t slot,
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
