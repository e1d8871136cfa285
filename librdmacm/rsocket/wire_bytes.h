/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Big-endian numbers at any alignment, in the messages of both protocols. */
#ifndef RSOCKET_WIRE_BYTES_H
#define RSOCKET_WIRE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline void wire_put_be32(uint8_t *bytes, uint32_t value)
{
	value = htobe32(value);
	memcpy(bytes, &value, sizeof(value));
}

static inline uint32_t wire_get_be32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

#endif
