/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An inbox: packets from one process to one other, in memory that both map.
 *
 *   status   a page; written by the receiver, read by the sender
 *   slots    UROCE_INBOX_SLOTS of 64 bytes: headers, and short payloads
 *   area     longer payloads, one after the other, never across the end
 *
 * One sends, one receives, neither ever waits for the other. A slot is there
 * once its sequence number is the expected one, which is stored last; a free
 * one has that of the lap before. The receiver publishes how many slots it has
 * done with, and that frees their payloads too.
 *
 * The two do not trust each other: what the other side writes is copied before
 * it is checked, and what one's own side has written is never read back.
 */
#ifndef UROCE_INBOX_H
#define UROCE_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/engine/uroce_channel.h"
#include "uroce/wire/uroce_packet.h"

#define UROCE_INBOX_SLOTS 512
#define UROCE_INBOX_AREA  (256 * 1024)

struct uroce_inbox_slot; /* of uroce_inbox.c, as is all of the layout */

/* The end that puts packets in. */
struct uroce_inbox_sender {
	void *memory;	    /* NULL: none */
	uint64_t head;	    /* slots that were put */
	uint64_t consumed;  /* as it was last seen; only ever grows */
	uint64_t area_head; /* bytes that were put, with those skipped */
	uint64_t area_tail; /* bytes that are free again */
	/* the first of some that are not to be seen yet, or NULL */
	struct uroce_inbox_slot *held;
	uint32_t held_sequence;
	uint32_t nr_held;
	bool broken; /* the other side is out of its mind */
	uint64_t area_end[UROCE_INBOX_SLOTS]; /* area_head after the slot */
};

/* The end that takes packets out. */
struct uroce_inbox_receiver {
	void *memory;	    /* NULL: none */
	uint64_t tail;	    /* slots that were taken */
	uint64_t published; /* what the sender has been told of them */
	uint32_t bytes;	    /* of payloads since then */
};

/** uroce_inbox_create() - memory for an inbox
 *
 * A memfd whose size is sealed, so that neither side can make the other one
 * fault.
 *
 * Return: the descriptor, or -errno.
 */
int uroce_inbox_create(void);

/** uroce_inbox_open_receiver() - map an inbox that we have made
 *
 * Return: 0, or -errno. The descriptor stays the caller's.
 */
int uroce_inbox_open_receiver(int fd, struct uroce_inbox_receiver *ret_end);

/** uroce_inbox_open_sender() - map an inbox that another process has made
 *
 * The memory is none of a child of fork(): neither end is.
 *
 * Return: 0; -EPROTO if it has another size, or is not sealed; or -errno.
 */
int uroce_inbox_open_sender(int fd, struct uroce_inbox_sender *ret_end);

void uroce_inbox_close_receiver(struct uroce_inbox_receiver *end);
void uroce_inbox_close_sender(struct uroce_inbox_sender *end);

/**
 * uroce_inbox_forget_sender() - in a child of fork(), which has not the memory
 *
 * From then on there is no room.
 */
void uroce_inbox_forget_sender(struct uroce_inbox_sender *end);

/**
 * uroce_inbox_has_room() - for one more packet, whatever its size
 *
 * False for ever once @end is broken: the receiver claims to have done with
 * packets that were not sent.
 */
bool uroce_inbox_has_room(struct uroce_inbox_sender *end);

/**
 * uroce_inbox_put() - put a packet in
 * @end: has room
 * @packet: payload_len up to UROCE_CHANNEL_MTU
 * @iov: the payload
 * @nr_iov: pieces of it
 *
 * Its path is not passed on.
 */
void uroce_inbox_put(struct uroce_inbox_sender *end,
		     const struct uroce_packet *packet, const struct iovec *iov,
		     uint32_t nr_iov);

/**
 * uroce_inbox_publish() - all that was put is to be seen
 *
 * To be called at the end: uroce_inbox_put_brief() may hold packets back while
 * others follow.
 */
void uroce_inbox_publish(struct uroce_inbox_sender *end);

/**
 * uroce_inbox_next_put() - where the next packet will be written to first
 *
 * For prefetch_for_write() and nothing else. The receiver looks at that line
 * all the time, so who fetches it much too early does so in vain.
 */
const void *uroce_inbox_next_put(const struct uroce_inbox_sender *end);

/** uroce_inbox_put_brief() - the same, for a packet that is encoded already */
void uroce_inbox_put_brief(struct uroce_inbox_sender *end,
			   const struct uroce_brief *brief);

/**
 * uroce_inbox_is_watched() - whether the receiver sleeps and wants a call
 *
 * After uroce_inbox_put(). Orders it with uroce_inbox_watch(): if a packet is
 * not seen there, this returns true. It does so once: who has slept says so
 * again before it sleeps again. A new inbox is watched.
 */
bool uroce_inbox_is_watched(struct uroce_inbox_sender *end);

/**
 * uroce_inbox_seems_watched() - the same, without waiting for memory
 *
 * That takes as long as a packet's way to the other side. So the receiver's
 * look may come before both the packet and this, and see nothing, while this
 * sees that it has not slept: it must look again some time later.
 */
bool uroce_inbox_seems_watched(struct uroce_inbox_sender *end);

/**
 * uroce_inbox_take() - the next packet
 * @end: the receiver
 * @ret_packet: receives it; its payload is in the inbox, and may change under
 *	the reader's eyes; undefined if it is none
 *
 * Return: 1; 0 if there is none; -EBADMSG if it is not a packet, or its payload
 * would not be in the area: then the other side is out of its mind, and the
 * inbox must not be used any more.
 */
int uroce_inbox_take(struct uroce_inbox_receiver *end,
		     struct uroce_packet *ret_packet);

/** uroce_inbox_has_any() - whether there is a packet; to be called often */
bool uroce_inbox_has_any(const struct uroce_inbox_receiver *end);

/**
 * uroce_inbox_take_brief() - the next packet, as it was put
 *
 * What is in its headers is still to be checked: by uroce_inbox_decode(), or by
 * who knows them well. The rest as uroce_inbox_take().
 */
int uroce_inbox_take_brief(struct uroce_inbox_receiver *end,
			   struct uroce_brief *ret_brief);

/** uroce_inbox_expect_more() - several were taken in a row: fetch those ahead
 */
void uroce_inbox_expect_more(const struct uroce_inbox_receiver *end);

/**
 * uroce_inbox_decode() - what uroce_inbox_take() makes of it
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_inbox_decode(const struct uroce_brief *brief,
		       struct uroce_packet *ret_packet);

/**
 * uroce_inbox_done() - done with all that was taken; the sender may go on
 *
 * It is told when that is worth it, and always before it has to wait.
 */
void uroce_inbox_done(struct uroce_inbox_receiver *end);

/**
 * uroce_inbox_watch() - say whether we sleep
 * @end: the receiver
 * @watched: true: the sender is to call
 *
 * Return: whether a packet is there: then do not sleep.
 */
bool uroce_inbox_watch(struct uroce_inbox_receiver *end, bool watched);

#endif
