/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The encoding of what two stream sockets exchange: the setup data of the
 * connection, the immediate data of each message, and the entries that one side
 * writes into the memory of the other.
 */
#ifndef RSOCKET_STREAM_WIRE_H
#define RSOCKET_STREAM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_SETUP_LEN 40
#define STREAM_SGE_LEN	 16
#define STREAM_IOMAP_LEN 24
/* The immediate data as a message of its own, on iWARP */
#define STREAM_WORD_LEN 4
/* A receive buffer has two halves, and an SGE for each. */
#define STREAM_NR_SGES 2
/* The greatest number of iomap entries that the setup data can express */
#define STREAM_MAX_IOMAPS (0x7f << 8)

/* The private data of REQ and REP */
struct stream_setup {
	bool is_big_endian;
	uint16_t credits;   /* messages that the peer may have outstanding */
	uint32_t nr_iomaps; /* entries after the SGEs */
	uint64_t sgl_address;
	uint32_t sgl_rkey;
	uint64_t data_address; /* of the first half of the receive buffer */
	uint32_t data_rkey;
	uint32_t data_len; /* of the half */
};

/* Memory of the other side */
struct stream_sge {
	uint64_t address;
	uint32_t rkey;
	uint32_t len;
};

/* Memory of the other side, by the offset that its application chose */
struct stream_iomap {
	uint64_t offset;
	struct stream_sge sge;
};

enum stream_op {
	STREAM_DATA = 0,  /* with the number of bytes */
	STREAM_SGL = 4,	  /* with a limit of the sequence numbers */
	STREAM_IOMAP = 6, /* with the index of the entry */
	STREAM_CTRL = 7,  /* with an enum stream_ctrl */
};

enum stream_ctrl {
	STREAM_CTRL_DISCONNECT = 0,
	STREAM_CTRL_SHUTDOWN = 2, /* the sender sends no more data */
};

void stream_setup_encode(const struct stream_setup *setup,
			 uint8_t bytes[STREAM_SETUP_LEN]);

/**
 * stream_setup_decode() - check and decode the setup data of the peer
 * @len: bytes at @bytes; those after the setup data are ignored
 *
 * Return: 0; -ENOTSUP for another version; -EPROTO for invalid data.
 */
int stream_setup_decode(const uint8_t *bytes, size_t len,
			struct stream_setup *ret_setup);

/** stream_iomaps_round() - the number of iomaps that the setup data expresses
 * @nr: wanted; the result is the next smaller number that can be encoded
 */
uint32_t stream_iomaps_round(uint32_t nr);

/** stream_host_is_big_endian() - the byte order of SGEs in local memory */
bool stream_host_is_big_endian(void);

/**
 * stream_word_decode() - immediate data that was sent as a message
 * @is_big_endian: the byte order of its sender
 *
 * Return: the immediate data in host order.
 */
uint32_t stream_word_decode(const uint8_t bytes[STREAM_WORD_LEN],
			    bool is_big_endian);

/* @is_big_endian: the byte order of the host whose memory has the entry */
void stream_sge_encode(const struct stream_sge *sge, bool is_big_endian,
		       uint8_t bytes[STREAM_SGE_LEN]);
void stream_sge_decode(const uint8_t bytes[STREAM_SGE_LEN],
		       struct stream_sge *ret_sge);
void stream_iomap_encode(const struct stream_iomap *iomap, bool is_big_endian,
			 uint8_t bytes[STREAM_IOMAP_LEN]);
void stream_iomap_decode(const uint8_t bytes[STREAM_IOMAP_LEN],
			 struct stream_iomap *ret_iomap);

/* Immediate data in host order */
#define STREAM_IMM_DATA_MASK 0x1fffffffu

static inline uint32_t stream_imm(enum stream_op op, uint32_t data)
{
	return (uint32_t)op << 29 | (data & STREAM_IMM_DATA_MASK);
}

static inline unsigned int stream_imm_op(uint32_t imm)
{
	return imm >> 29;
}

static inline uint32_t stream_imm_data(uint32_t imm)
{
	return imm & STREAM_IMM_DATA_MASK;
}

#endif
