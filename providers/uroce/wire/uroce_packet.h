/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A RoCEv2 packet after decoding or before encoding: the only form in which
 * roce/ handles packets. Members are in host byte order, except the
 * immediate, which is passed unchanged to and from the application.
 *
 * "IBTA" is the InfiniBand Architecture Specification, volume 1; annex A17 of
 * it is RoCEv2, annex A14 the extended reliable connection (XRC), annex A19 the
 * memory placement extensions.
 */
#ifndef UROCE_PACKET_H
#define UROCE_PACKET_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uroce/wire/uroce_address.h"

/* Opcode of the BTH, bits 7-5: the transport (IBTA 9.2.1). */
enum uroce_transport {
	UROCE_RC = 0x00,
	UROCE_UC = 0x20,
	UROCE_UD = 0x60,
	UROCE_XRC = 0xa0, /* annex A14; operations are those of RC */
	UROCE_TRANSPORT_MASK = 0xe0,
};

/* Congestion notification packet, the whole opcode (A17.9.3) */
#define UROCE_CNP	0x81
#define UROCE_CNP_BYTES 16 /* reserved, behind the BTH */

/* Opcode of the BTH, bits 4-0 (IBTA 9.2.1, table 35; the last two A19.4). */
enum uroce_op {
	UROCE_SEND_FIRST = 0x00,
	UROCE_SEND_MIDDLE = 0x01,
	UROCE_SEND_LAST = 0x02,
	UROCE_SEND_LAST_IMM = 0x03,
	UROCE_SEND_ONLY = 0x04,
	UROCE_SEND_ONLY_IMM = 0x05,
	UROCE_WRITE_FIRST = 0x06,
	UROCE_WRITE_MIDDLE = 0x07,
	UROCE_WRITE_LAST = 0x08,
	UROCE_WRITE_LAST_IMM = 0x09,
	UROCE_WRITE_ONLY = 0x0a,
	UROCE_WRITE_ONLY_IMM = 0x0b,
	UROCE_READ_REQUEST = 0x0c,
	UROCE_READ_RESP_FIRST = 0x0d,
	UROCE_READ_RESP_MIDDLE = 0x0e,
	UROCE_READ_RESP_LAST = 0x0f,
	UROCE_READ_RESP_ONLY = 0x10,
	UROCE_ACKNOWLEDGE = 0x11,
	UROCE_ATOMIC_ACK = 0x12,
	UROCE_CMP_SWAP = 0x13,
	UROCE_FETCH_ADD = 0x14,
	UROCE_SEND_LAST_INV = 0x16,
	UROCE_SEND_ONLY_INV = 0x17,
	UROCE_FLUSH = 0x1c,
	UROCE_ATOMIC_WRITE = 0x1d,
	UROCE_OP_MASK = 0x1f,
	UROCE_NR_OPS = 0x20,
};

/* Properties of an opcode: struct uroce_packet.traits. */
enum uroce_trait {
	UROCE_T_RETH = 1 << 0, /* extension headers, in the order on the wire */
	UROCE_T_DETH = 1 << 1,
	UROCE_T_AETH = 1 << 2,
	UROCE_T_ATOMIC_ETH = 1 << 3,
	UROCE_T_ATOMIC_ACK_ETH = 1 << 4,
	UROCE_T_IMM = 1 << 5,
	UROCE_T_IETH = 1 << 6,
	UROCE_T_FETH = 1 << 7,
	UROCE_T_PAYLOAD = 1 << 8, /* may have a payload */
	UROCE_T_FIRST = 1 << 9,	  /* begins a message; also of ONLY */
	UROCE_T_LAST = 1 << 10,	  /* ends a message; also of ONLY */
	UROCE_T_SEND = 1 << 11,
	UROCE_T_WRITE = 1 << 12,
	UROCE_T_READ_RESP = 1 << 13,
	UROCE_T_RESPONSE = 1 << 14,  /* to the requester: ACKs and responses */
	UROCE_T_NONPOSTED = 1 << 15, /* a request with a response of its own */
	UROCE_T_XRCETH = 1 << 16,    /* precedes all other extension headers */
	UROCE_T_CNP = 1 << 17,
};

/* Syndrome of the AETH, bits 6-5: kind, bits 4-0: value (IBTA 9.7.5.2.4). */
enum uroce_syndrome {
	UROCE_AETH_ACK = 0x00, /* and the credit count */
	UROCE_AETH_RNR = 0x20, /* and the timer */
	UROCE_AETH_NAK = 0x60, /* and the NAK code */
	UROCE_AETH_KIND = 0xe0,
	UROCE_AETH_VALUE = 0x1f,
	UROCE_AETH_NO_CREDITS = 0x1f, /* limits are not in use (9.7.7.2.3) */
};

/* NAK codes (IBTA 9.7.5.2.2, table 47). */
enum uroce_nak {
	UROCE_NAK_PSN_SEQ = 0,
	UROCE_NAK_INVALID_REQUEST = 1,
	UROCE_NAK_REMOTE_ACCESS = 2,
	UROCE_NAK_REMOTE_OP = 3,
};

/* Bytes of the longest headers from the BTH on. */
#define UROCE_MAX_HEADER 44
#define UROCE_BTH_LEN	 12
#define UROCE_ICRC_LEN	 4
#define UROCE_UDP_PORT	 4791 /* A17.5.1 */

/* Management datagrams to QP 1 (IBTA 10.2.5, 13.4.2). */
#define UROCE_GSI_QKEY	0x80010000
#define UROCE_MAD_BYTES 256

/*
 * Pending ICRC verification of a packet, so that it takes place while the
 * payload is copied. wire/ implements the callbacks. Until finish() succeeds,
 * every byte of the packet is untrusted.
 */
struct uroce_icrc_check {
	/* verify the next @len bytes; copy them to @dst unless it is NULL */
	void (*copy)(struct uroce_icrc_check *check, void *dst, size_t len);
	/* verify the rest; 0, or -EBADMSG */
	int (*finish)(struct uroce_icrc_check *check);
};

struct uroce_channel;

struct uroce_packet {
	const struct uroce_path *path; /* valid as long as the packet is */
	/* shm peer that sent it, then @path is NULL; NULL: from the network */
	const struct uroce_channel *channel;
	const uint8_t *payload;		     /* received packets only */
	struct uroce_icrc_check *icrc_check; /* NULL: no ICRC left to verify */
	uint32_t payload_len;		     /* bytes, without padding */
	uint32_t traits; /* enum uroce_trait; set by the opcode */

	/* BTH (IBTA 9.2) */
	uint8_t opcode;
	bool solicited;
	bool ack_req;
	bool mig_req;
	bool fecn; /* of received packets: marked in IP or the BTH */
	bool becn; /* packets of the receiver were marked (roce/uroce_ecn.h) */
	/*
	 * Requests: the sender understands a NAK with a payload, which lists
	 * the packets behind the gap that have arrived (roce/uroce_reorder.h).
	 * A reserved bit of the BTH, which other devices ignore.
	 */
	bool selective;
	uint16_t pkey;
	uint32_t dest_qpn;
	uint32_t psn;

	/* shm: PSN of an ACK that travels with the packet */
	bool carries_ack;
	uint32_t carried_psn;
	/*
	 * shm, rendezvous protocol (roce/uroce_rndv.h): number of packets
	 * that this one stands for, without their payload. All are full, none
	 * is the last of its message; payload_len is their total. 0: an
	 * ordinary packet.
	 */
	uint32_t nr_absent;
	uint64_t source; /* address in the sender's memory; 0: in place */

	/* AETH (9.3.5) */
	uint8_t syndrome;
	/* FETH (A19.4.2): ibv_placement_type and ibv_selectivity_level */
	uint8_t feth_placement;
	uint8_t feth_level;
	uint32_t msn;

	/* DETH (9.3.3) */
	uint32_t qkey;
	uint32_t src_qpn;

	/* XRCETH (A14): the SRQ of the responder, 24 bits */
	uint32_t xrc_srqn;

	/* RETH (9.3.4) and AtomicETH (9.3.6) */
	uint64_t va;
	uint32_t rkey;
	uint32_t dma_len;
	uint64_t swap_add;
	uint64_t compare;

	/* AtomicAckETH (9.5.3) */
	uint64_t orig;

	/* ImmDt (9.5.1), IETH (9.5.4) */
	__be32 imm;
	uint32_t inv_rkey;
};

#endif
