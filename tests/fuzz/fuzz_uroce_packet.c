/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: a datagram on the RoCEv2 port, from the BTH to the ICRC. The
 * first byte is the mode: bit 0 IPv6, bit 1 write a correct ICRC, bits 2-3 the
 * method of the CRC. If a packet parses, the encoder must reproduce it.
 */
#include "fuzz/fuzz_target.h"
#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"

#define MODE_IPV6    0x01
#define MODE_ICRC    0x02
#define METHOD_SHIFT 2
#define METHOD_MASK  7
#define MAX_DATAGRAM (UROCE_MAX_HEADER + UROCE_MAX_MTU + UROCE_ICRC_LEN)

static const struct uroce_path paths[2] = {
	{
		.sgid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
		.dgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
		.sport = 0xc000,
	},
	{
		.sgid = { 0xfe, 0x80, [15] = 1 },
		.dgid = { 0xfe, 0x80, [15] = 2 },
		.sport = 0xffff,
	},
};

/* Writes the ICRC as a sender does, over any bytes. */
static void write_icrc(const struct uroce_path *path, uint8_t *bytes,
		       size_t len)
{
	uint32_t rest = (uint32_t)(len - UROCE_BTH_LEN - UROCE_ICRC_LEN);
	uint32_t reg;

	reg = uroce_icrc_start(path, 0, bytes, UROCE_BTH_LEN, rest);
	reg = uroce_crc32(reg, bytes + UROCE_BTH_LEN, rest);
	uroce_icrc_end(reg, bytes + len - UROCE_ICRC_LEN);
}

static void check_encoding(const struct uroce_packet *packet,
			   const uint8_t *bytes)
{
	uint8_t headers[UROCE_MAX_HEADER], headers_again[UROCE_MAX_HEADER];
	struct uroce_packet again;
	int len = uroce_wire_encode(packet, headers);

	fuzz_assert(len >= UROCE_BTH_LEN && len <= UROCE_MAX_HEADER);
	fuzz_assert(packet->payload == bytes + len);
	/* all bits except reserved ones are equal, so no byte gains a bit */
	for (int i = 0; i < len; i++)
		fuzz_assert(!(headers[i] & ~bytes[i]));
	/* without payload, and therefore without padding */
	headers[1] &= 0xcf;
	fuzz_assert(uroce_wire_decode(headers, (size_t)len, &again) == 0);
	fuzz_assert(again.traits == packet->traits && !again.payload_len);
	fuzz_assert(uroce_wire_encode(&again, headers_again) == len);
	fuzz_assert(memcmp(headers, headers_again, (size_t)len) == 0);
}

/* Both ways to verify the ICRC agree, and the copy equals the payload. */
static void check_icrc(const struct uroce_path *path, const uint8_t *bytes,
		       size_t len, const struct uroce_packet *packet,
		       bool is_signed)
{
	static uint8_t copy[UROCE_MAX_MTU];
	struct uroce_icrc icrc;
	int ret = uroce_icrc_verify(path, bytes, len);

	fuzz_assert(!is_signed || ret == 0);
	fuzz_assert(uroce_icrc_open(&icrc, path, bytes, len, packet) == 0);
	icrc.check.copy(&icrc.check, copy, packet->payload_len / 2);
	icrc.check.copy(&icrc.check, copy + packet->payload_len / 2,
			packet->payload_len - packet->payload_len / 2);
	fuzz_assert(memcmp(copy, packet->payload, packet->payload_len) == 0);
	fuzz_assert(icrc.check.finish(&icrc.check) == ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct uroce_path *path;
	struct uroce_packet packet;
	uint8_t *bytes, mode;
	bool is_signed;

	if (len < 1 || len > MAX_DATAGRAM + 64)
		return 0;
	mode = *data++;
	len--;
	path = &paths[mode & MODE_IPV6];
	(void)uroce_crc32_use(
		(enum uroce_crc32_method)(mode >> METHOD_SHIFT & METHOD_MASK));
	uroce_icrc_init();

	/* exactly as large, so that the address sanitizer checks its end */
	bytes = malloc(len ? len : 1);
	fuzz_assert(bytes);
	memcpy(bytes, data, len);
	is_signed = (mode & MODE_ICRC) && len % 4 == 0 &&
		    len >= UROCE_BTH_LEN + UROCE_ICRC_LEN &&
		    len <= MAX_DATAGRAM;
	if (is_signed)
		write_icrc(path, bytes, len);
	(void)uroce_icrc_verify(path, bytes, len);
	if (len >= UROCE_ICRC_LEN &&
	    uroce_wire_decode(bytes, len - UROCE_ICRC_LEN, &packet) == 0) {
		check_encoding(&packet, bytes);
		check_icrc(path, bytes, len, &packet, is_signed);
	}
	free(bytes);
	return 0;
}
