/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ICRC: the bytes that it covers, and the solution for the IP
 * identification.
 *
 * Sent packets: begin, uroce_crc32() over the payload, end. Received packets:
 * open, then the two callbacks of struct uroce_icrc_check, which the engine
 * calls while it copies. uroce_icrc_path() prepares the part that all packets
 * of one path have in common.
 */
#include "uroce/wire/uroce_icrc.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_ip_header.h"

/* Bytes in front of the BTH: dummy link header, IP, UDP (A17.3.3). */
#define DUMMY_LEN  8
#define MAX_LEN	   (DUMMY_LEN + UROCE_IPV6_LEN + UROCE_UDP_LEN + UROCE_BTH_LEN)
#define BTH_RESV8A 4 /* with FECN, BECN; may change in the network */

/* Bytes from the IP identification to the BTH. */
#define ID_TO_BTH (UROCE_IPV4_LEN - 4 + UROCE_UDP_LEN)
/* Bytes of the BTH in front of the word with the PSN. */
#define COMMON_LEN 8

/* The length from the BTH to the padding is a multiple of 4. */
#define MAX_WORDS ((UROCE_MAX_HEADER + UROCE_MAX_MTU) / 4)

/* By words of a packet: x^-n, with n bits from the id to the end. */
static uint32_t back_to_id[MAX_WORDS + 1];
/* difference that a clear DF makes to the register at the id */
static uint32_t df_at_id;
/*
 * Contribution of the lengths to the register behind the BTH, by words from the
 * BTH to the padding, and contribution of each byte of the id.
 */
static uint32_t of_len_v4[MAX_WORDS + 1], of_len_v6[MAX_WORDS + 1];
static uint32_t of_id_high[256], of_id_low[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/*
 * The CRC is linear: the CRC of bytes that are 0 except in one field is the
 * contribution of that field to the register, for any values of other fields.
 */
static void init_lengths(void)
{
	uint8_t v4[UROCE_IPV4_LEN + UROCE_UDP_LEN + UROCE_BTH_LEN] = {};
	uint8_t v6[UROCE_IPV6_LEN + UROCE_UDP_LEN + UROCE_BTH_LEN] = {};

	for (uint32_t i = 0; i <= MAX_WORDS; i++) {
		uint32_t udp_len = UROCE_UDP_LEN + 4 * i + UROCE_ICRC_LEN;

		uroce_put16(v4 + 2, (uint16_t)(UROCE_IPV4_LEN + udp_len));
		uroce_put16(v4 + UROCE_IPV4_LEN + 4, (uint16_t)udp_len);
		of_len_v4[i] = uroce_crc32(0, v4, sizeof(v4));
		uroce_put16(v6 + 4, (uint16_t)udp_len);
		uroce_put16(v6 + UROCE_IPV6_LEN + 4, (uint16_t)udp_len);
		of_len_v6[i] = uroce_crc32(0, v6, sizeof(v6));
	}
}

static void init_ids(void)
{
	uint8_t bytes[4 + ID_TO_BTH + UROCE_BTH_LEN] = {};

	for (uint32_t i = 0; i < 256; i++) {
		bytes[4] = (uint8_t)i;
		of_id_high[i] = uroce_crc32(0, bytes, sizeof(bytes));
		bytes[4] = 0;
		bytes[5] = (uint8_t)i;
		of_id_low[i] = uroce_crc32(0, bytes, sizeof(bytes));
		bytes[5] = 0;
	}
}

static void icrc_init_once(void)
{
	/* powers repeat after 2^32 - 1, so x^-n is x^(2^32 - 1 - n) */
	uint32_t word = uroce_crc32_x_power(UINT32_MAX - 32);
	uint32_t power = uroce_crc32_x_power(UINT32_MAX - 8 * ID_TO_BTH);

	for (size_t i = 0; i <= MAX_WORDS; i++) {
		back_to_id[i] = power;
		power = uroce_crc32_multiply(power, word);
	}
	/* DF is in the byte 16 bits behind the start of the id */
	df_at_id = uroce_crc32_multiply(UROCE_IPV4_DF,
					uroce_crc32_x_power(UINT32_MAX - 16));
	init_lengths();
	init_ids();
}

void uroce_icrc_init(void)
{
	uroce_crc32_init();
	(void)pthread_once(&once, icrc_init_once); /* cannot fail */
}

bool uroce_path_is_ipv4(const struct uroce_path *path)
{
	return uroce_gid_is_ipv4(path->dgid) && uroce_gid_is_ipv4(path->sgid);
}

/*
 * Writes the IP header as the ICRC covers it: bytes that change in the network
 * are ones. The length is 0, init_lengths() adds it. Returns the header length.
 */
static uint32_t icrc_put_ip(uint8_t *pos, const struct uroce_path *path,
			    bool ipv4)
{
	if (!ipv4) {
		uroce_ipv6_put(pos, path, 0, 0xff, 0);
		memset(pos + 1, 0xff, 3);
		pos[0] |= 0xf;
		return UROCE_IPV6_LEN;
	}
	uroce_ipv4_put(pos, path, 0xff, 0);
	pos[1] = 0xff;
	uroce_put16(pos + 2, 0);
	memset(pos + 10, 0xff, 2); /* the checksum */
	return UROCE_IPV4_LEN;
}

void uroce_icrc_path(const struct uroce_path *path,
		     struct uroce_icrc_path *ret_base)
{
	uint8_t bytes[MAX_LEN];
	uint8_t *pos = bytes + DUMMY_LEN;
	bool ipv4 = uroce_path_is_ipv4(path);

	memset(bytes, 0xff, sizeof(bytes));
	pos += icrc_put_ip(pos, path, ipv4);
	uroce_put16(pos, path->sport);
	uroce_put16(pos + 2, UROCE_UDP_PORT);
	uroce_put16(pos + 4, 0);
	pos += UROCE_UDP_LEN; /* the checksum stays ones */
	memset(pos, 0, UROCE_BTH_LEN);
	pos += UROCE_BTH_LEN;
	*ret_base = (struct uroce_icrc_path){
		.reg = uroce_crc32(UINT32_MAX, bytes, (size_t)(pos - bytes)),
		.ipv4 = ipv4,
	};
}

/* Contribution of the BTH without its last word to the register behind it. */
static uint32_t take_common(struct uroce_icrc_path *base, const uint8_t *bytes)
{
	/* requests and responses alternate; mostly ACKs have 0x10 set */
	size_t kind = bytes[0] >> 4 & 1;
	uint8_t bth[UROCE_BTH_LEN] = {};
	uint64_t words;

	memcpy(bth, bytes, COMMON_LEN);
	bth[BTH_RESV8A] = 0xff;
	memcpy(&words, bth, COMMON_LEN);
	if (base->last[kind].words != words) {
		base->last[kind].words = words;
		base->last[kind].made = uroce_crc32(0, bth, sizeof(bth));
	}
	return base->last[kind].made;
}

uint32_t uroce_icrc_begin(struct uroce_icrc_path *base, uint16_t ip_id,
			  const uint8_t *bytes, uint32_t begin_len,
			  uint32_t len)
{
	uint32_t reg = base->reg;

	if (base->ipv4)
		reg ^= of_len_v4[len / 4] ^ of_id_high[ip_id >> 8] ^
		       of_id_low[ip_id & 0xff];
	else
		reg ^= of_len_v6[len / 4];
	reg ^= take_common(base, bytes) ^ uroce_crc32_word(bytes + COMMON_LEN);
	return begin_len == UROCE_BTH_LEN
		       ? reg
		       : uroce_crc32(reg, bytes + UROCE_BTH_LEN,
				     begin_len - UROCE_BTH_LEN);
}

uint32_t uroce_icrc_start(const struct uroce_path *path, uint16_t ip_id,
			  const uint8_t *headers, uint32_t header_len,
			  uint32_t rest_len)
{
	struct uroce_icrc_path base;

	uroce_icrc_path(path, &base);
	return uroce_icrc_begin(&base, ip_id, headers, header_len,
				header_len + rest_len);
}

/* As in the CRC of Ethernet, the lowest byte of the register is first. */
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
 * @difference: of the registers behind two packets of @len_bytes that differ in
 * the id only. Moved back to the id it must fit into the 16 bits of the id.
 * Bytes enter the register at its low end, so these are the low bits.
 * @ip_id: the expected id; receives the id of the packet.
 * @ret_df: false if the solution requires a clear DF.
 */
static int solve_ip_id(uint32_t difference, uint32_t len_bytes, uint16_t *ip_id,
		       bool *ret_df)
{
	uint32_t at_id = 0;

	*ret_df = true;
	if (difference)
		at_id = uroce_crc32_multiply(difference,
					     back_to_id[len_bytes / 4]);
	if (at_id > UINT16_MAX) {
		/* the sender allows fragmentation */
		at_id ^= df_at_id;
		*ret_df = false;
	}
	if (at_id > UINT16_MAX)
		return -EBADMSG;
	*ip_id ^= (uint16_t)(at_id << 8 | at_id >> 8);
	return 0;
}

static void icrc_check_copy(struct uroce_icrc_check *check, void *dst,
			    size_t len)
{
	struct uroce_icrc *icrc = (struct uroce_icrc *)check;

	if (len > icrc->left_bytes)
		len = icrc->left_bytes;
	if (dst)
		icrc->reg = uroce_crc32_copy(icrc->reg, dst, icrc->next, len);
	else
		icrc->reg = uroce_crc32(icrc->reg, icrc->next, len);
	icrc->next += len;
	icrc->left_bytes -= (uint32_t)len;
}

static uint32_t difference_of(struct uroce_icrc *icrc)
{
	if (icrc->left_bytes)
		icrc_check_copy(&icrc->check, NULL, icrc->left_bytes);
	return ~icrc->reg ^ icrc->received;
}

/*
 * Not inlined, because packets with the expected segment number, which do not
 * come here, would pay for its stack frame.
 */
static __attribute__((noinline)) int check_ip_id(struct uroce_icrc *icrc,
						 uint32_t difference)
{
	uint16_t ip_id = icrc->ip_id;
	bool df;
	int ret;

	ret = solve_ip_id(difference, icrc->len_bytes, &ip_id, &df);
	if (ret) {
		if (icrc->source)
			uroce_ip_id_note_bad(icrc->source);
		return ret;
	}
	ret = uroce_ip_id_check(icrc->source, ip_id, df);
	if (ret == 0)
		icrc->ip_id = ip_id;
	return ret;
}

static int icrc_check_finish(struct uroce_icrc_check *check)
{
	struct uroce_icrc *icrc = (struct uroce_icrc *)check;
	uint32_t difference = difference_of(icrc);

	if (!icrc->ipv4)
		return difference ? -EBADMSG : 0;
	if (!difference && icrc->source &&
	    icrc->source->state == UROCE_IP_ID_SEGMENT)
		return 0;
	return check_ip_id(icrc, difference);
}

uint16_t uroce_icrc_solve(const struct uroce_icrc *icrc)
{
	struct uroce_icrc copy = *icrc;
	uint16_t ip_id = icrc->ip_id;
	bool df;

	(void)solve_ip_id(difference_of(&copy), copy.len_bytes, &ip_id, &df);
	return ip_id;
}

/* @header_len: leading bytes to add at once; @len: without the ICRC */
static void open_at(struct uroce_icrc *icrc, struct uroce_icrc_path *base,
		    uint16_t ip_id, const uint8_t *buf, uint32_t header_len,
		    uint32_t len)
{
	icrc->check.copy = icrc_check_copy;
	icrc->check.finish = icrc_check_finish;
	icrc->reg = uroce_icrc_begin(base, ip_id, buf, header_len, len);
	icrc->received = read_icrc(buf + len);
	icrc->len_bytes = len;
	icrc->left_bytes = len - header_len;
	icrc->next = buf + header_len;
	icrc->ipv4 = base->ipv4;
	icrc->ip_id = ip_id;
	icrc->source = base->source;
}

static bool length_is_possible(size_t len)
{
	return len >= UROCE_BTH_LEN + UROCE_ICRC_LEN && len % 4 == 0 &&
	       len <= UROCE_MAX_HEADER + UROCE_MAX_MTU + UROCE_ICRC_LEN;
}

int uroce_icrc_open_next(struct uroce_icrc *icrc, struct uroce_icrc_path *base,
			 uint16_t ip_id, const uint8_t *buf, size_t len,
			 const struct uroce_packet *packet)
{
	if (!length_is_possible(len))
		return -EBADMSG;
	open_at(icrc, base, ip_id, buf, (uint32_t)(packet->payload - buf),
		(uint32_t)len - UROCE_ICRC_LEN);
	return 0;
}

int uroce_icrc_open(struct uroce_icrc *icrc, const struct uroce_path *path,
		    const uint8_t *buf, size_t len,
		    const struct uroce_packet *packet)
{
	struct uroce_icrc_path base;

	uroce_icrc_path(path, &base);
	return uroce_icrc_open_next(icrc, &base, 0, buf, len, packet);
}

int uroce_icrc_verify(const struct uroce_path *path, const uint8_t *buf,
		      size_t len)
{
	struct uroce_icrc_path base;
	struct uroce_icrc icrc;

	if (!length_is_possible(len))
		return -EBADMSG;
	uroce_icrc_path(path, &base);
	open_at(&icrc, &base, 0, buf, UROCE_BTH_LEN,
		(uint32_t)len - UROCE_ICRC_LEN);
	return icrc_check_finish(&icrc.check);
}
