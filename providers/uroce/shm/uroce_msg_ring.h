/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A message ring: entries from one process to another, in memory that both map.
 *
 *   status   one page: entries consumed, and whether the receiver sleeps
 *   entries  UROCE_MSG_ENTRIES of 64 bytes
 *   area     longer payloads, each contiguous, never across the end
 *
 * A ring has one sender and one receiver; neither waits for the other. An entry
 * is valid when its sequence number, which is stored last, is the expected one.
 * The receiver publishes how many entries it has consumed, which frees their
 * payloads as well.
 *
 * The two processes do not trust each other: each copies a field of the other
 * before it checks the field, and never reads back a field of its own.
 */
#ifndef UROCE_MSG_RING_H
#define UROCE_MSG_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/shm/uroce_msg_entry.h"

/* Two lines, since the sender reads the second one more often. */
struct uroce_msg_ring_status {
	uint32_t consumed; /* entries, modulo 2^32 */
	uint8_t pad[UROCE_MSG_LINE - sizeof(uint32_t)];
	/*
	 * 0: the receiver sleeps, and the sender rings the doorbell once. New
	 * memory is 0: the receiver has not read the ring yet.
	 */
	uint32_t awake;
	/* how long the receiver copies a fragment; 0: unknown */
	uint32_t fragment_ns;
};

struct uroce_msg_ring_memory {
	struct uroce_msg_ring_status status;
	uint8_t pad[4096 - sizeof(struct uroce_msg_ring_status)];
	struct uroce_msg_entry entries[UROCE_MSG_ENTRIES];
	uint8_t area[UROCE_MSG_AREA_BYTES];
};

/* The sending end. Counts are modulo 2^32. */
struct uroce_msg_sender {
	struct uroce_msg_ring_memory *memory; /* NULL: none */
	uint32_t head;			      /* entries that were put */
	uint32_t consumed;		      /* entries, as last read */
	uint32_t area_head; /* bytes that were put or skipped */
	uint32_t area_tail; /* bytes that were freed */
	/* first of a batch, which is published last; NULL: none */
	struct uroce_msg_entry *held;
	uint32_t held_sequence;
	uint32_t nr_held;
	uint32_t announced; /* entries, for uroce_msg_ring_needs_bell() */
	bool broken;	    /* protocol error of the receiver */
	/* area_head after each entry */
	uint32_t area_end[UROCE_MSG_ENTRIES];
};

/* The receiving end. */
struct uroce_msg_receiver {
	struct uroce_msg_ring_memory *memory; /* NULL: none */
	uint32_t tail;			      /* entries that were taken */
	uint32_t published;		      /* of these */
	uint32_t fragment_ns;		      /* as published */
	uint32_t bytes; /* of payloads since the last publication */
};

/* A received entry, and its payload. */
struct uroce_msg_received {
	struct uroce_msg_entry entry; /* a copy, checked */
	const uint8_t *payload;
	uint32_t bytes;	 /* of the payload or of the chunk */
	uint64_t source; /* of a chunk; 0: a payload */
};

/**
 * uroce_msg_ring_create() - create the memory of a ring, with a sealed size
 *
 * Return: the descriptor, or -errno.
 */
int uroce_msg_ring_create(void);

/**
 * uroce_msg_ring_open_receiver() - map a ring that this process has created
 *
 * A child of fork() inherits the mapping of neither end.
 *
 * Return: 0, or -errno. The caller keeps the descriptor.
 */
int uroce_msg_ring_open_receiver(int fd, struct uroce_msg_receiver *ret_end);

/**
 * uroce_msg_ring_open_sender() - map a ring that another process has created
 *
 * Return: 0; -EPROTO if the size is wrong or not sealed; or -errno.
 */
int uroce_msg_ring_open_sender(int fd, struct uroce_msg_sender *ret_end);

void uroce_msg_ring_close_receiver(struct uroce_msg_receiver *end);
void uroce_msg_ring_close_sender(struct uroce_msg_sender *end);

/**
 * uroce_msg_ring_has_room() - check for room for one entry of any length
 *
 * Always false without memory, and once @end is broken: the receiver claims to
 * have consumed entries that were not sent.
 */
bool uroce_msg_ring_has_room(struct uroce_msg_sender *end);

/**
 * uroce_msg_ring_begin() - get the next entry to fill; @end has room
 *
 * The caller sets all members but the sequence, and calls
 * uroce_msg_ring_commit().
 */
static inline struct uroce_msg_entry *
uroce_msg_ring_begin(const struct uroce_msg_sender *end)
{
	return &end->memory->entries[end->head % UROCE_MSG_ENTRIES];
}

/**
 * uroce_msg_ring_begin_payload() - get the memory for the payload of an entry
 * @end: has room
 * @entry: of uroce_msg_ring_begin(), with its type and flags; the function sets
 *	bytes and, in the area, the flag and the place
 * @bytes: up to UROCE_MSG_FRAGMENT
 */
uint8_t *uroce_msg_ring_begin_payload(struct uroce_msg_sender *end,
				      struct uroce_msg_entry *entry,
				      uint32_t bytes);

/**
 * uroce_msg_ring_commit() - end the entry of uroce_msg_ring_begin()
 * @more: another entry follows at once; then uroce_msg_ring_publish() must
 *	follow, too
 */
void uroce_msg_ring_commit(struct uroce_msg_sender *end,
			   struct uroce_msg_entry *entry, bool more);

/** uroce_msg_ring_publish() - make all entries visible to the receiver */
void uroce_msg_ring_publish(struct uroce_msg_sender *end);

/**
 * uroce_msg_ring_measured() - publish the time that a copy of a full fragment
 * out of the ring took
 *
 * The published value follows a smaller time at once, a larger one slowly.
 */
void uroce_msg_ring_measured(struct uroce_msg_receiver *end, uint64_t ns);

/** uroce_msg_ring_fragment_ns() - that time; 0: not measured yet */
static inline uint32_t
uroce_msg_ring_fragment_ns(const struct uroce_msg_sender *end)
{
	/* a hint */
	return end->memory ? __atomic_load_n(&end->memory->status.fragment_ns,
					     __ATOMIC_RELAXED)
			   : 0;
}

/**
 * uroce_msg_ring_needs_bell() - check whether the receiver sleeps
 *
 * Called after entries were published. Returns true once for each sleep, and
 * only if there are new entries. Makes
 * no fence, so the receiver looks at the ring again a moment after it has armed
 * the doorbell.
 */
bool uroce_msg_ring_needs_bell(struct uroce_msg_sender *end);

/** uroce_msg_ring_has_any() - check for an entry; cheap */
static inline bool uroce_msg_ring_has_any(const struct uroce_msg_receiver *end)
{
	const struct uroce_msg_entry *entry =
		&end->memory->entries[end->tail % UROCE_MSG_ENTRIES];

	/* pairs with the release in uroce_msg_ring_commit() */
	return __atomic_load_n(&entry->sequence, __ATOMIC_ACQUIRE) ==
	       end->tail + 1;
}

/**
 * uroce_msg_ring_take() - take the next entry
 * @end: the receiving end
 * @ret: receives a copy of the entry, and the address of its payload, which the
 *	sender can change at any time if it is in the area
 *
 * Return: 1; 0 without an entry; -EBADMSG if it is malformed: a protocol error
 * of the sender, after which the ring must not be used any more.
 */
int uroce_msg_ring_take(struct uroce_msg_receiver *end,
			struct uroce_msg_received *ret);

/**
 * uroce_msg_ring_done() - free all entries that were taken
 *
 * Publishes them in batches, but always before the sender has to wait.
 */
void uroce_msg_ring_done(struct uroce_msg_receiver *end);

/**
 * uroce_msg_ring_arm() - arm or disarm the doorbell
 *
 * Return: true if an entry is in the ring: then do not sleep.
 */
bool uroce_msg_ring_arm(struct uroce_msg_receiver *end, bool on);

#endif
