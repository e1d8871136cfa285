/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An entry of a message ring (uroce_msg_ring.h): a message between two QPs, a
 * fragment of one, or a response. The layout is shared by both processes, so a
 * change needs a new VERSION (uroce_pairing.c).
 *
 *   type          body
 *   SEND          payload
 *   WRITE         range, payload
 *   ATOMIC_WRITE  range, payload
 *   READ_REQ      range
 *   FLUSH         struct uroce_msg_flush
 *   ATOMIC_REQ    struct uroce_msg_atomic
 *   READ_RESP     struct uroce_msg_data, payload
 *   ATOMIC_RESP   original value, 8 bytes
 *   RESP          struct uroce_msg_status
 *   SEND_CHUNK    struct uroce_msg_chunk
 *   WRITE_CHUNK   range, struct uroce_msg_chunk
 *
 * A chunk is a part of a SEND or WRITE without payload: the receiver copies it
 * out of the memory of the sender (uroce_msg_chunk.c).
 *
 * A payload that does not fit into the body is in the area of the ring; with
 * UROCE_MSG_AREA the body contains its place instead.
 */
#ifndef UROCE_MSG_ENTRY_H
#define UROCE_MSG_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#define UROCE_MSG_BODY 40
/* Payload bytes of an entry. A longer message has several entries. */
#define UROCE_MSG_FRAGMENT   8192
#define UROCE_MSG_CHUNK	     (512 * 1024) /* bytes of a chunk, at most */
#define UROCE_MSG_LINE	     64 /* bytes of an entry; granularity of the area */
#define UROCE_MSG_ENTRIES    512
#define UROCE_MSG_AREA_BYTES (256 * 1024)

enum uroce_msg_type {
	UROCE_MSG_SEND = 1,
	UROCE_MSG_WRITE,
	UROCE_MSG_ATOMIC_WRITE,
	UROCE_MSG_READ_REQ,
	UROCE_MSG_FLUSH,
	UROCE_MSG_ATOMIC_REQ,
	UROCE_MSG_READ_RESP,
	UROCE_MSG_ATOMIC_RESP,
	UROCE_MSG_RESP,
	UROCE_MSG_SEND_CHUNK,
	UROCE_MSG_WRITE_CHUNK,
	UROCE_MSG_NR_TYPES,
};

enum uroce_msg_flag {
	UROCE_MSG_FIRST = 1 << 0, /* of the entries of a message */
	UROCE_MSG_LAST = 1 << 1,
	UROCE_MSG_IMM = 1 << 2, /* word: immediate */
	UROCE_MSG_INV = 1 << 3, /* word: key to invalidate */
	UROCE_MSG_SOLICITED = 1 << 4,
	UROCE_MSG_ACK = 1 << 5,	 /* ack_msn is valid */
	UROCE_MSG_AREA = 1 << 6, /* the payload is in the area */
	UROCE_MSG_UC = 1 << 7,	 /* of a UC QP; else RC */
};

struct uroce_msg_entry {
	uint32_t sequence; /* entries are counted from 1, modulo 2^32 */
	uint8_t type;	   /* enum uroce_msg_type */
	uint8_t flags;	   /* enum uroce_msg_flag */
	uint16_t bytes;	   /* of the payload */
	uint32_t qpn;	   /* QP of the receiver */
	/*
	 * Message sequence number, 24 bits: of the message, or of the message
	 * that a response is for. The first one is the PSN attribute.
	 */
	uint32_t msn;
	uint32_t ack_msn; /* all messages before it were executed */
	uint32_t word;	  /* not the last one: UROCE_MSG_MEASURED, or 0 */
	uint8_t body[UROCE_MSG_BODY];
};

struct uroce_msg_range {
	uint64_t va;
	uint32_t rkey;
	uint32_t bytes; /* of the whole message */
};

/* In "word" of a fragment: its receiver measures the time of the copy. */
#define UROCE_MSG_MEASURED 1

struct uroce_msg_chunk {
	uint64_t source; /* address in the memory of the sender */
	uint32_t bytes;
};

/* In "resume" of a NAK for a gap: a chunk failed, so send payload instead. */
#define UROCE_MSG_NO_CHUNKS 1

struct uroce_msg_flush {
	struct uroce_msg_range range;
	uint8_t placement; /* mask of enum ibv_placement_type */
	uint8_t level;	   /* enum ibv_selectivity_level */
};

struct uroce_msg_atomic {
	uint64_t va;
	uint64_t compare;
	uint64_t operand; /* to swap or to add */
	uint32_t rkey;
	uint32_t add; /* 1: FetchAdd, 0: CmpSwap */
};

struct uroce_msg_data {
	uint32_t offset; /* of the payload in the data of the READ */
	uint32_t reserved;
};

struct uroce_msg_status {
	uint8_t syndrome; /* as in an AETH: ACK, RNR and timer, NAK and code */
	uint8_t reserved[3];
	/* RNR: offset at which the requester goes on; or UROCE_MSG_NO_CHUNKS */
	uint32_t resume;
};

_Static_assert(sizeof(struct uroce_msg_entry) == UROCE_MSG_LINE,
	       "an entry is a line");

/** uroce_msg_payload_at() - offset of the payload in the body of a type */
static inline uint32_t uroce_msg_payload_at(uint8_t type)
{
	switch (type) {
	case UROCE_MSG_WRITE:
	case UROCE_MSG_ATOMIC_WRITE:
	case UROCE_MSG_WRITE_CHUNK:
		return sizeof(struct uroce_msg_range);
	case UROCE_MSG_READ_RESP:
		return sizeof(struct uroce_msg_data);
	default:
		return 0;
	}
}

/**
 * uroce_msg_entry_check() - check an entry of another process
 * @entry: a copy of the entry
 * @area: the area of the ring
 * @ret_payload: receives the payload, in @entry or in @area; if it is in @area,
 *	the sender can change it at any time
 *
 * Checks type, flags, lengths, and that the payload is in the entry or in the
 * area. All of the body that belongs to the type may be read then.
 *
 * Return: 0 or -EBADMSG.
 */
int uroce_msg_entry_check(const struct uroce_msg_entry *entry,
			  const uint8_t *area, const uint8_t **ret_payload);

/** uroce_msg_is_chunk() - whether an entry is a chunk */
static inline bool uroce_msg_is_chunk(const struct uroce_msg_entry *entry)
{
	return entry->type >= UROCE_MSG_SEND_CHUNK;
}

/** uroce_msg_is_response() - whether the entry is for the requester */
static inline bool uroce_msg_is_response(const struct uroce_msg_entry *entry)
{
	return entry->type >= UROCE_MSG_READ_RESP &&
	       entry->type <= UROCE_MSG_RESP;
}

#endif
