/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between members of the group, and functions that uroce_slots.c and
 * uroce_slots_join.c share.
 *
 *   the process that joins             the member
 *   GIVE, number of its sockets ---->
 *                               <----  BLOCK with 16 sockets, one for each
 *                                      block that follows those sockets
 *   COUNT                       ---->
 *                               <----  COUNT, number of its sockets
 *   TAKE with 16 sockets        ---->
 *                               <----  COUNT
 */
#ifndef UROCE_SLOTS_MESSAGE_H
#define UROCE_SLOTS_MESSAGE_H

#include "uroce/udp/uroce_slots.h"

enum uroce_slots_kind {
	UROCE_SLOTS_GIVE,
	UROCE_SLOTS_COUNT,
	UROCE_SLOTS_TAKE,  /* with a block */
	UROCE_SLOTS_BLOCK, /* with a block */
};

struct uroce_slots_message {
	uint32_t magic;
	uint32_t kind;
	uint32_t nr; /* sockets of the sender; TAKE: with the block */
};

/**
 * uroce_slots_send() - send a message, without waiting; 0 or -errno
 * @fds: a block of descriptors to pass; NULL: none
 */
int uroce_slots_send(int fd, enum uroce_slots_kind kind, uint32_t nr,
		     const int *fds);

/**
 * uroce_slots_receive() - receive a message
 * @slots: may get a block of sockets
 * @fd: a connection that is readable
 * @ret_message: receives the message
 *
 * Adds a block that follows the sockets of @slots to them, after a check of
 * each descriptor. Closes other descriptors.
 *
 * Return: 0; -EPROTO if the message is invalid; or -errno.
 */
int uroce_slots_receive(struct uroce_slots *slots, int fd,
			struct uroce_slots_message *ret_message);

/**
 * uroce_slots_await() - wait until a descriptor is readable
 * @fd: a connection; -1: none
 * @stop_fd: becomes readable to cancel the wait; -1: never
 * @timeout_ms: time limit
 *
 * Return: 0; -EAGAIN after the timeout; -ECANCELED if @stop_fd is readable.
 */
int uroce_slots_await(int fd, int stop_fd, unsigned int timeout_ms);

/** uroce_slots_now_ms() - read CLOCK_MONOTONIC, in milliseconds */
uint64_t uroce_slots_now_ms(void);

/** uroce_slots_close_fds() - close the sockets of all slots */
void uroce_slots_close_fds(struct uroce_slots *slots);

#endif
