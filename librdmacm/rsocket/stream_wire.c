/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The encoding of the stream protocol. Setup data is big-endian; the entries
 * have the byte order of the host that reads them.
 */
#include "rsocket/stream_wire.h"

#include "rsocket/wire_bytes.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define SETUP_VERSION	      1
#define SETUP_FLAG_BIG_ENDIAN 1
#define SETUP_FLAG_IOMAP      2

/* Offsets in the setup data */
#define SETUP_AT_FLAGS	   1
#define SETUP_AT_CREDITS   2
#define SETUP_AT_IOMAPS	   7
#define SETUP_AT_SGL	   8
#define SETUP_AT_SGL_RKEY  16
#define SETUP_AT_NR_SGES   20
#define SETUP_AT_DATA	   24
#define SETUP_AT_DATA_RKEY 32
#define SETUP_AT_DATA_LEN  36

/* Numbers above this one are encoded in units of 256. */
#define IOMAPS_MAX_EXACT 128
#define IOMAPS_SCALED	 0x80

static void wire_put_be64(uint8_t *bytes, uint64_t value)
{
	value = htobe64(value);
	memcpy(bytes, &value, sizeof(value));
}

static uint64_t wire_get_be64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

static uint8_t iomaps_encode(uint32_t nr)
{
	if (nr <= IOMAPS_MAX_EXACT)
		return (uint8_t)nr;
	if (nr > STREAM_MAX_IOMAPS)
		nr = STREAM_MAX_IOMAPS;
	/* The scaled form of fewer than 256 would mean 128. */
	return nr < 256 ? IOMAPS_MAX_EXACT
			: (uint8_t)(IOMAPS_SCALED | (nr >> 8));
}

static uint32_t iomaps_decode(uint8_t scaled)
{
	if (scaled <= IOMAPS_MAX_EXACT)
		return scaled;
	return (uint32_t)(scaled & ~IOMAPS_SCALED) << 8;
}

uint32_t stream_iomaps_round(uint32_t nr)
{
	return iomaps_decode(iomaps_encode(nr));
}

bool stream_host_is_big_endian(void)
{
	return __BYTE_ORDER == __BIG_ENDIAN;
}

void stream_setup_encode(const struct stream_setup *setup,
			 uint8_t bytes[STREAM_SETUP_LEN])
{
	memset(bytes, 0, STREAM_SETUP_LEN);
	bytes[0] = SETUP_VERSION;
	bytes[SETUP_AT_FLAGS] = SETUP_FLAG_IOMAP;
	if (setup->is_big_endian)
		bytes[SETUP_AT_FLAGS] |= SETUP_FLAG_BIG_ENDIAN;
	bytes[SETUP_AT_CREDITS] = (uint8_t)(setup->credits >> 8);
	bytes[SETUP_AT_CREDITS + 1] = (uint8_t)setup->credits;
	bytes[SETUP_AT_IOMAPS] = iomaps_encode(setup->nr_iomaps);
	wire_put_be64(&bytes[SETUP_AT_SGL], setup->sgl_address);
	wire_put_be32(&bytes[SETUP_AT_SGL_RKEY], setup->sgl_rkey);
	wire_put_be32(&bytes[SETUP_AT_NR_SGES], STREAM_NR_SGES);
	wire_put_be64(&bytes[SETUP_AT_DATA], setup->data_address);
	wire_put_be32(&bytes[SETUP_AT_DATA_RKEY], setup->data_rkey);
	wire_put_be32(&bytes[SETUP_AT_DATA_LEN], setup->data_len);
}

int stream_setup_decode(const uint8_t *bytes, size_t len,
			struct stream_setup *ret_setup)
{
	struct stream_setup setup;

	if (len < STREAM_SETUP_LEN)
		return -EPROTO;
	if (bytes[0] != SETUP_VERSION)
		return -ENOTSUP;
	setup = (struct stream_setup){
		.is_big_endian =
			(bytes[SETUP_AT_FLAGS] & SETUP_FLAG_BIG_ENDIAN) != 0,
		.credits = (uint16_t)(bytes[SETUP_AT_CREDITS] << 8 |
				      bytes[SETUP_AT_CREDITS + 1]),
		.sgl_address = wire_get_be64(&bytes[SETUP_AT_SGL]),
		.sgl_rkey = wire_get_be32(&bytes[SETUP_AT_SGL_RKEY]),
		.data_address = wire_get_be64(&bytes[SETUP_AT_DATA]),
		.data_rkey = wire_get_be32(&bytes[SETUP_AT_DATA_RKEY]),
		.data_len = wire_get_be32(&bytes[SETUP_AT_DATA_LEN]),
	};
	if (bytes[SETUP_AT_FLAGS] & SETUP_FLAG_IOMAP)
		setup.nr_iomaps = iomaps_decode(bytes[SETUP_AT_IOMAPS]);
	/* A grant alternates between two entries. */
	if (wire_get_be32(&bytes[SETUP_AT_NR_SGES]) != STREAM_NR_SGES ||
	    !setup.credits || !setup.data_len)
		return -EPROTO;
	*ret_setup = setup;
	return 0;
}

void stream_sge_encode(const struct stream_sge *sge, bool is_big_endian,
		       uint8_t bytes[STREAM_SGE_LEN])
{
	uint64_t address = is_big_endian ? htobe64(sge->address)
					 : htole64(sge->address);
	uint32_t rkey = is_big_endian ? htobe32(sge->rkey) : htole32(sge->rkey);
	uint32_t len = is_big_endian ? htobe32(sge->len) : htole32(sge->len);

	memcpy(bytes, &address, sizeof(address));
	memcpy(&bytes[8], &rkey, sizeof(rkey));
	memcpy(&bytes[12], &len, sizeof(len));
}

void stream_sge_decode(const uint8_t bytes[STREAM_SGE_LEN],
		       struct stream_sge *ret_sge)
{
	memcpy(&ret_sge->address, bytes, sizeof(ret_sge->address));
	memcpy(&ret_sge->rkey, &bytes[8], sizeof(ret_sge->rkey));
	memcpy(&ret_sge->len, &bytes[12], sizeof(ret_sge->len));
}

uint32_t stream_word_decode(const uint8_t bytes[STREAM_WORD_LEN],
			    bool is_big_endian)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return is_big_endian ? be32toh(word) : le32toh(word);
}

void stream_iomap_encode(const struct stream_iomap *iomap, bool is_big_endian,
			 uint8_t bytes[STREAM_IOMAP_LEN])
{
	uint64_t offset = is_big_endian ? htobe64(iomap->offset)
					: htole64(iomap->offset);

	memcpy(bytes, &offset, sizeof(offset));
	stream_sge_encode(&iomap->sge, is_big_endian, &bytes[8]);
}

void stream_iomap_decode(const uint8_t bytes[STREAM_IOMAP_LEN],
			 struct stream_iomap *ret_iomap)
{
	memcpy(&ret_iomap->offset, bytes, sizeof(ret_iomap->offset));
	stream_sge_decode(&bytes[8], &ret_iomap->sge);
}
