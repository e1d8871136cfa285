/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ICRC: what it covers, and solving for the IP identification.
 *
 * Sent packets: start, uroce_crc32() over the payload, end. Received packets:
 * open, then the seal's two functions, which the engine calls while it copies.
 */
#include "uroce/wire/uroce_icrc.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "uroce/wire/uroce_crc32.h"

/* Lengths before the BTH: in place of a link header, IP, UDP (A17.3.3). */
#define DUMMY_LEN 8
#define IPV4_LEN  20
#define IPV6_LEN  40
#define UDP_LEN	  8
#define MAX_LEN	  (DUMMY_LEN + IPV6_LEN + UDP_LEN)

#define IP_PROTO_UDP 17
#define IPV4_DF	     0x40 /* in byte 6 */
#define BTH_RESV8A   4	  /* with FECN and BECN; may change on the way */

/* Bytes from the IP identification to the BTH. */
#define ID_TO_BTH (IPV4_LEN - 4 + UDP_LEN)

/* All from the BTH to the padding comes in words. */
#define MAX_WORDS ((UROCE_MAX_HEADER + UROCE_MAX_MTU) / 4)

/* x^-n, n being the bits from the id to the end of a packet of so many words */
static uint32_t back_to_id[MAX_WORDS + 1];
/* what a DF that is not set makes of the register at the id */
static uint32_t df_at_id;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init_once(void)
{
	/* powers repeat after 2^32 - 1, so x^-n is x^(2^32 - 1 - n) */
	uint32_t word = uroce_crc32_x_power(UINT32_MAX - 32);
	uint32_t power = uroce_crc32_x_power(UINT32_MAX - 8 * ID_TO_BTH);

	for (size_t i = 0; i <= MAX_WORDS; i++) {
		back_to_id[i] = power;
		power = uroce_crc32_multiply(power, word);
	}
	/* DF is in the byte that comes 16 bits behind the id */
	df_at_id = uroce_crc32_multiply(IPV4_DF,
					uroce_crc32_x_power(UINT32_MAX - 16));
}

void uroce_icrc_init(void)
{
	uroce_crc32_init();
	(void)pthread_once(&once, init_once); /* cannot fail */
}

bool uroce_path_is_ipv4(const struct uroce_path *path)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(path->dgid, mapped, sizeof(mapped)) == 0 &&
	       memcmp(path->sgid, mapped, sizeof(mapped)) == 0;
}

static void put16(uint8_t *pos, uint32_t value)
{
	pos[0] = (uint8_t)(value >> 8);
	pos[1] = (uint8_t)value;
}

/* @pos was filled with ones; returns the length of the header. */
static uint32_t put_ipv4(uint8_t *pos, const struct uroce_path *path,
			 uint16_t ip_id, uint32_t udp_len)
{
	pos[0] = 0x45; /* version, words; then the type of service as ones */
	put16(pos + 2, IPV4_LEN + udp_len);
	put16(pos + 4, ip_id);
	put16(pos + 6, IPV4_DF << 8);
	pos[9] = IP_PROTO_UDP; /* between time to live and checksum as ones */
	memcpy(pos + 12, path->sgid + 12, 4);
	memcpy(pos + 16, path->dgid + 12, 4);
	return IPV4_LEN;
}

static uint32_t put_ipv6(uint8_t *pos, const struct uroce_path *path,
			 uint32_t udp_len)
{
	pos[0] = 0x6f; /* version; traffic class and flow label as ones */
	put16(pos + 4, udp_len);
	pos[6] = IP_PROTO_UDP; /* and the hop limit as ones */
	memcpy(pos + 8, path->sgid, UROCE_GID_LEN);
	memcpy(pos + 24, path->dgid, UROCE_GID_LEN);
	return IPV6_LEN;
}

uint32_t uroce_icrc_start(const struct uroce_path *path, uint16_t ip_id,
			  const uint8_t *headers, uint32_t header_len,
			  uint32_t rest_len)
{
	uint32_t udp_len = UDP_LEN + header_len + rest_len + UROCE_ICRC_LEN;
	uint8_t bytes[MAX_LEN + UROCE_MAX_HEADER];
	uint8_t *pos = bytes + DUMMY_LEN;

	memset(bytes, 0xff, MAX_LEN);
	if (uroce_path_is_ipv4(path))
		pos += put_ipv4(pos, path, ip_id, udp_len);
	else
		pos += put_ipv6(pos, path, udp_len);
	put16(pos, path->sport);
	put16(pos + 2, UROCE_UDP_PORT);
	put16(pos + 4, udp_len);
	pos += UDP_LEN; /* its checksum as ones */
	memcpy(pos, headers, header_len);
	pos[BTH_RESV8A] = 0xff;
	pos += header_len;
	return uroce_crc32(UINT32_MAX, bytes, (size_t)(pos - bytes));
}

/* As with the CRC of Ethernet the lowest byte of the register comes first. */
void uroce_icrc_end(uint32_t reg, uint8_t *ret_icrc)
{
	reg = ~reg;
	for (int i = 0; i < UROCE_ICRC_LEN; i++)
		ret_icrc[i] = (uint8_t)(reg >> 8 * i);
}

static uint32_t read_icrc(const uint8_t *pos)
{
	return (uint32_t)pos[0] | (uint32_t)pos[1] << 8 |
	       (uint32_t)pos[2] << 16 | (uint32_t)pos[3] << 24;
}

/*
 * @difference is that of two registers after packets of @len_bytes that differ
 * in the id alone. Moved back to the id it must fit into the 16 bits of the id;
 * the register takes bytes in from the low end, so they are the low ones.
 */
static int solve_ip_id(uint32_t difference, uint32_t len_bytes,
		       uint16_t *ret_ip_id)
{
	uint32_t at_id = difference;

	if (difference)
		at_id = uroce_crc32_multiply(difference,
					     back_to_id[len_bytes / 4]);
	if (at_id > UINT16_MAX)
		at_id ^= df_at_id; /* sent by somebody who allows fragments */
	if (at_id > UINT16_MAX)
		return -EBADMSG;
	*ret_ip_id = (uint16_t)(at_id << 8 | at_id >> 8);
	return 0;
}

static void seal_take(struct uroce_seal *seal, void *dst, size_t len)
{
	struct uroce_icrc *icrc = (struct uroce_icrc *)seal;

	if (len > icrc->left_bytes)
		len = icrc->left_bytes;
	if (dst)
		icrc->reg = uroce_crc32_copy(icrc->reg, dst, icrc->next, len);
	else
		icrc->reg = uroce_crc32(icrc->reg, icrc->next, len);
	icrc->next += len;
	icrc->left_bytes -= (uint32_t)len;
}

static int seal_finish(struct uroce_seal *seal)
{
	struct uroce_icrc *icrc = (struct uroce_icrc *)seal;
	uint32_t difference;

	seal_take(seal, NULL, icrc->left_bytes);
	difference = ~icrc->reg ^ icrc->received;
	if (icrc->ipv4)
		return solve_ip_id(difference, icrc->len_bytes, &icrc->ip_id);
	return difference ? -EBADMSG : 0;
}

/* @header_len: what is not payload at the front; @len: without the ICRC */
static void open_at(struct uroce_icrc *icrc, const struct uroce_path *path,
		    const uint8_t *buf, uint32_t header_len, uint32_t len)
{
	*icrc = (struct uroce_icrc){
		.seal = { .take = seal_take, .finish = seal_finish },
		.reg = uroce_icrc_start(path, 0, buf, header_len,
					len - header_len),
		.received = read_icrc(buf + len),
		.len_bytes = len,
		.left_bytes = len - header_len,
		.next = buf + header_len,
		.ipv4 = uroce_path_is_ipv4(path),
	};
}

static bool length_is_possible(size_t len)
{
	return len >= UROCE_BTH_LEN + UROCE_ICRC_LEN && len % 4 == 0 &&
	       len <= UROCE_MAX_HEADER + UROCE_MAX_MTU + UROCE_ICRC_LEN;
}

int uroce_icrc_open(struct uroce_icrc *icrc, const struct uroce_path *path,
		    const uint8_t *buf, size_t len,
		    const struct uroce_packet *packet)
{
	if (!length_is_possible(len))
		return -EBADMSG;
	open_at(icrc, path, buf, (uint32_t)(packet->payload - buf),
		(uint32_t)len - UROCE_ICRC_LEN);
	return 0;
}

int uroce_icrc_verify(const struct uroce_path *path, const uint8_t *buf,
		      size_t len)
{
	struct uroce_icrc icrc;

	if (!length_is_possible(len))
		return -EBADMSG;
	open_at(&icrc, path, buf, UROCE_BTH_LEN,
		(uint32_t)len - UROCE_ICRC_LEN);
	return seal_finish(&icrc.seal);
}
