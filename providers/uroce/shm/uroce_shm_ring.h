/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring: packets from one process to another, in memory that both map.
 *
 *   status   one page: entries consumed, and whether the receiver sleeps
 *   entries  UROCE_SHM_RING_ENTRIES of 64 bytes: headers, short payloads
 *   area     longer payloads, each contiguous, never across the end
 *
 * A ring has one sender and one receiver; neither waits for the other. An entry
 * is valid when its sequence number, which is stored last, is the expected one;
 * a free entry has the number of the lap before. The receiver publishes how
 * many entries it has consumed, which frees their payloads as well.
 *
 * The two processes do not trust each other: each copies a field of the other
 * before it checks the field, and never reads back a field of its own.
 */
#ifndef UROCE_SHM_RING_H
#define UROCE_SHM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/roce/uroce_channel.h"
#include "uroce/wire/uroce_packet.h"

#define UROCE_SHM_RING_ENTRIES 512
#define UROCE_SHM_RING_AREA    (256 * 1024)

struct uroce_shm_ring_entry; /* uroce_shm_ring_layout.h */

/* The sending end. */
struct uroce_shm_ring_sender {
	void *memory;	    /* NULL: none */
	uint64_t head;	    /* entries that were put */
	uint64_t consumed;  /* entries, as last read; never decreases */
	uint64_t area_head; /* bytes that were put or skipped */
	uint64_t area_tail; /* bytes that were freed */
	/* first of a batch whose publication is delayed, or NULL */
	struct uroce_shm_ring_entry *held;
	uint32_t held_sequence;
	uint32_t nr_held;
	bool broken;   /* protocol error of the receiver */
	bool has_erms; /* of the processor: uroce_shm_copy.h */
	uint64_t area_end[UROCE_SHM_RING_ENTRIES]; /* area_head after the entry
						    */
};

/* The receiving end. */
struct uroce_shm_ring_receiver {
	void *memory;	    /* NULL: none */
	uint64_t tail;	    /* entries that were taken */
	uint64_t published; /* of these, stored in status.consumed */
	uint32_t bytes;	    /* of payloads since that store */
};

/** uroce_shm_ring_create() - create the memory of a ring
 *
 * The size of the memfd is sealed, so that neither process can cause a fault in
 * the other one.
 *
 * Return: the descriptor, or -errno.
 */
int uroce_shm_ring_create(void);

/** uroce_shm_ring_open_receiver() - map a ring that this process has created
 *
 * Return: 0, or -errno. The caller keeps the descriptor.
 */
int uroce_shm_ring_open_receiver(int fd,
				 struct uroce_shm_ring_receiver *ret_end);

/** uroce_shm_ring_open_sender() - map a ring that another process has created
 *
 * A child of fork() inherits the mapping of neither end.
 *
 * Return: 0; -EPROTO if the size is wrong or not sealed; or -errno.
 */
int uroce_shm_ring_open_sender(int fd, struct uroce_shm_ring_sender *ret_end);

void uroce_shm_ring_close_receiver(struct uroce_shm_ring_receiver *end);
void uroce_shm_ring_close_sender(struct uroce_shm_ring_sender *end);

/**
 * uroce_shm_ring_forget_sender() - reset the end in a child of fork()
 *
 * The child has no mapping. From then on the ring has no room.
 */
void uroce_shm_ring_forget_sender(struct uroce_shm_ring_sender *end);

/**
 * uroce_shm_ring_has_room() - check for room for one packet of any size
 *
 * Always false once @end is broken: the receiver claims to have consumed
 * packets that were not sent.
 */
bool uroce_shm_ring_has_room(struct uroce_shm_ring_sender *end);

/**
 * uroce_shm_ring_put() - put a packet
 * @end: has room
 * @packet: payload_len up to UROCE_CHANNEL_MTU, or a rendezvous chunk
 * @iov: the payload
 * @nr_iov: number of elements of @iov
 *
 * The path of @packet is not transferred.
 */
void uroce_shm_ring_put(struct uroce_shm_ring_sender *end,
			const struct uroce_packet *packet,
			const struct iovec *iov, uint32_t nr_iov);

/**
 * uroce_shm_ring_publish() - make all packets visible to the receiver
 *
 * Must follow the last put: uroce_shm_ring_put_eager() delays the publication
 * of packets that others follow.
 */
void uroce_shm_ring_publish(struct uroce_shm_ring_sender *end);

/**
 * uroce_shm_ring_next_put() - get the entry of the next packet
 *
 * For prefetch_for_write() only. The receiver polls that line, so a prefetch
 * that is much too early has no effect.
 */
const void *uroce_shm_ring_next_put(const struct uroce_shm_ring_sender *end);

/** uroce_shm_ring_put_eager() - put an encoded packet; @end has room */
void uroce_shm_ring_put_eager(struct uroce_shm_ring_sender *end,
			      const struct uroce_eager_entry *eager);

/**
 * uroce_shm_ring_is_watched() - check whether the receiver needs the doorbell
 *
 * Called after a packet is published, and ordered with uroce_shm_ring_watch():
 * if that call misses the packet, this one returns true. It returns true once
 * for each uroce_shm_ring_watch() with @watched, and once for a new ring.
 */
bool uroce_shm_ring_is_watched(struct uroce_shm_ring_sender *end);

/**
 * uroce_shm_ring_seems_watched() - the same, without a memory fence
 *
 * A fence takes as long as the transfer of a packet to the other CPU. Without
 * the fence, the receiver may find no packet and go to sleep, while this
 * function still reads that it is awake: the receiver must look again later.
 */
bool uroce_shm_ring_seems_watched(struct uroce_shm_ring_sender *end);

/**
 * uroce_shm_ring_take() - take the next packet
 * @end: the receiving end
 * @ret_packet: receives the packet; its payload is in the ring, where the
 *	sender can change it at any time; undefined unless 1 is returned
 *
 * Return: 1; 0 without a packet; -EBADMSG if the packet does not parse, or its
 * payload is outside the area: a protocol error of the sender, after which the
 * ring must not be used any more.
 */
int uroce_shm_ring_take(struct uroce_shm_ring_receiver *end,
			struct uroce_packet *ret_packet);

/** uroce_shm_ring_has_any() - check for a packet; cheap */
bool uroce_shm_ring_has_any(const struct uroce_shm_ring_receiver *end);

/**
 * uroce_shm_ring_take_eager() - take the next packet without decoding it
 *
 * The caller must check the headers, by uroce_shm_ring_decode() or itself.
 * Otherwise like uroce_shm_ring_take().
 */
int uroce_shm_ring_take_eager(struct uroce_shm_ring_receiver *end,
			      struct uroce_eager_entry *ret_eager);

/** uroce_shm_ring_expect_more() - prefetch entries ahead, after several in a
 * row
 */
void uroce_shm_ring_expect_more(const struct uroce_shm_ring_receiver *end);

/**
 * uroce_shm_ring_decode() - decode a packet of uroce_shm_ring_take_eager()
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_shm_ring_decode(const struct uroce_eager_entry *eager,
			  struct uroce_packet *ret_packet);

/**
 * uroce_shm_ring_done() - free all entries that were taken
 *
 * Publishes them in batches, but always before the sender has to wait.
 */
void uroce_shm_ring_done(struct uroce_shm_ring_receiver *end);

/**
 * uroce_shm_ring_watch() - arm or disarm the doorbell
 * @end: the receiving end
 * @watched: true: this process sleeps, and the sender must ring
 *
 * Return: true if a packet is in the ring: then do not sleep.
 */
bool uroce_shm_ring_watch(struct uroce_shm_ring_receiver *end, bool watched);

#endif
