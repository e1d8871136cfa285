/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CRC-32 by carry-less multiplication for x86-64: 128, 256 or 512 bits at a
 * time.
 *
 * A block B that is n bits ahead of another block contributes B * x^n to it.
 * The halves of B are multiplied by x^n mod P, and the short products are added
 * to the other block: the data gets shorter, and its CRC stays the same. (The
 * two constants are for n + 32 and n - 32, because the product of bit-reversed
 * numbers is one bit too low, and because a half of 64 bits times a constant of
 * 32 bits leaves 32 bits unused.) The last 16 bytes are reduced to the register
 * by multiplication as well: to 64 bits by folding, and then by Barrett
 * reduction, which multiplies by an inverse instead of dividing. Blocks shorter
 * than 16 bytes get leading zeros, which do not change the CRC.
 */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "uroce/wire/uroce_crc32_method.h"

/* Minimum bytes for which the wider registers are faster (measured). */
#define VPCLMUL_MIN    512
#define VPCLMUL512_MIN 256

#define PCLMUL_CODE  __attribute__((target("pclmul,sse4.1")))
#define VPCLMUL_CODE __attribute__((target("vpclmulqdq,pclmul,avx2")))
#define AVX512_CODE  __attribute__((target("vpclmulqdq,pclmul,avx2,avx512f")))
/*
 * Functions that are compiled once with and once without copying. Their four
 * blocks are written out, so that each stays in a register.
 */
#define BOTH_WAYS __attribute__((always_inline))

/* The polynomial with all of its 33 bits, and x^64 divided by it. */
#define BARRETT_POLYNOMIAL UINT64_C(0x1db710641)
#define BARRETT_QUOTIENT   UINT64_C(0x1f7011641)

/* Multipliers of the two halves of a block for one folding distance. */
struct fold {
	uint64_t low, high;
};

static struct fold fold_128, fold_256, fold_512, fold_1024, fold_2048;
static struct fold fold_96_64; /* 64 bits by 96, 32 bits by 64 */

static void make_fold(struct fold *fold, uint32_t bits)
{
	fold->low = (uint64_t)uroce_crc32_x_power(bits + 32) << 1;
	fold->high = (uint64_t)uroce_crc32_x_power(bits - 32) << 1;
}

PCLMUL_CODE static inline __m128i constant(const struct fold *fold)
{
	return _mm_set_epi64x((long long)fold->high, (long long)fold->low);
}

/* Moves @block by the distance of @by and adds it to @onto. */
PCLMUL_CODE static inline __m128i crc32_fold(__m128i block, __m128i by,
					     __m128i onto)
{
	__m128i low = _mm_clmulepi64_si128(block, by, 0x00);
	__m128i high = _mm_clmulepi64_si128(block, by, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

PCLMUL_CODE static inline BOTH_WAYS __m128i take_128(uint8_t *dst,
						     const uint8_t *src,
						     size_t at)
{
	__m128i block = _mm_loadu_si128((const void *)(src + at));

	if (dst)
		_mm_storeu_si128((void *)(dst + at), block);
	return block;
}

/* Returns the register after @block, starting from 0. */
PCLMUL_CODE static inline uint32_t reduce(__m128i block)
{
	__m128i by = constant(&fold_96_64);
	__m128i barrett = _mm_set_epi64x((long long)BARRETT_QUOTIENT,
					 (long long)BARRETT_POLYNOMIAL);
	__m128i low_word = _mm_set_epi32(0, 0, 0, -1);
	__m128i rest, quotient;

	/* 16 bytes to 12, to 8 */
	rest = _mm_xor_si128(_mm_clmulepi64_si128(block, by, 0x00),
			     _mm_srli_si128(block, 8));
	rest = _mm_xor_si128(
		_mm_clmulepi64_si128(_mm_and_si128(rest, low_word), by, 0x10),
		_mm_srli_si128(rest, 4));
	quotient = _mm_clmulepi64_si128(_mm_and_si128(rest, low_word), barrett,
					0x10);
	quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_word),
					barrett, 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(rest, quotient), 1);
}

static inline uint64_t load64(const uint8_t *src)
{
	uint64_t word;

	memcpy(&word, src, sizeof(word));
	return word;
}

static inline uint64_t load32(const uint8_t *src)
{
	uint32_t word;

	memcpy(&word, src, sizeof(word));
	return word;
}

/* @len: 4 to 15. Two overlapping words contain all bytes. */
PCLMUL_CODE static inline uint32_t run_short(uint32_t reg, const uint8_t *src,
					     size_t len)
{
	unsigned __int128 bytes;

	if (len >= 8)
		bytes = load64(src) | (unsigned __int128)load64(src + len - 8)
					      << 8 * (len - 8);
	else
		bytes = load32(src) | load32(src + len - 4) << 8 * (len - 4);
	bytes = (bytes ^ reg) << 8 * (16 - len);
	return reduce(
		_mm_set_epi64x((long long)(bytes >> 64), (long long)bytes));
}

/* @len: less than 16 */
PCLMUL_CODE static inline BOTH_WAYS uint32_t run_tail(uint32_t reg,
						      uint8_t *dst,
						      const uint8_t *src,
						      size_t len)
{
	if (len < 4)
		return uroce_crc32_table(reg, dst, src, len);
	reg = run_short(reg, src, len);
	if (dst)
		memcpy(dst, src, len);
	return reg;
}

/* Adds the remaining whole blocks to @block, then the tail. */
PCLMUL_CODE static inline BOTH_WAYS uint32_t crc32_finish(__m128i block,
							  uint8_t *dst,
							  const uint8_t *src,
							  size_t len)
{
	__m128i by = constant(&fold_128);
	uint32_t reg;
	size_t at = 0;

	for (; len - at >= 16; at += 16)
		block = crc32_fold(block, by, take_128(dst, src, at));
	reg = reduce(block);
	return len == at ? reg
			 : run_tail(reg, dst ? dst + at : NULL, src + at,
				    len - at);
}

/* @len: less than 64 */
PCLMUL_CODE static uint32_t run_small(uint32_t reg, uint8_t *dst,
				      const uint8_t *src, size_t len)
{
	__m128i block;

	if (len < 16)
		return run_tail(reg, dst, src, len);
	block = _mm_xor_si128(take_128(dst, src, 0),
			      _mm_cvtsi32_si128((int)reg));
	return crc32_finish(block, dst ? dst + 16 : NULL, src + 16, len - 16);
}

/* @len: 64 or more */
PCLMUL_CODE static inline BOTH_WAYS uint32_t run_128(uint32_t reg, uint8_t *dst,
						     const uint8_t *src,
						     size_t len)
{
	__m128i by = constant(&fold_512), step = constant(&fold_128);
	__m128i block[4];
	size_t at = 64;

	block[0] = take_128(dst, src, 0);
	block[1] = take_128(dst, src, 16);
	block[2] = take_128(dst, src, 32);
	block[3] = take_128(dst, src, 48);
	block[0] = _mm_xor_si128(block[0], _mm_cvtsi32_si128((int)reg));
	for (; len - at >= 64; at += 64) {
		block[0] = crc32_fold(block[0], by, take_128(dst, src, at));
		block[1] =
			crc32_fold(block[1], by, take_128(dst, src, at + 16));
		block[2] =
			crc32_fold(block[2], by, take_128(dst, src, at + 32));
		block[3] =
			crc32_fold(block[3], by, take_128(dst, src, at + 48));
	}
	block[1] = crc32_fold(block[0], step, block[1]);
	block[2] = crc32_fold(block[1], step, block[2]);
	block[3] = crc32_fold(block[2], step, block[3]);
	return crc32_finish(block[3], dst ? dst + at : NULL, src + at,
			    len - at);
}

PCLMUL_CODE static uint32_t crc_pclmul(uint32_t reg, uint8_t *dst,
				       const uint8_t *src, size_t len)
{
	if (len < 64)
		return run_small(reg, dst, src, len);
	/* compiled twice: one copy of the code does not store */
	return dst ? run_128(reg, dst, src, len) : run_128(reg, NULL, src, len);
}

VPCLMUL_CODE static inline __m256i fold_wide(__m256i block, __m256i by,
					     __m256i onto)
{
	__m256i low = _mm256_clmulepi64_epi128(block, by, 0x00);
	__m256i high = _mm256_clmulepi64_epi128(block, by, 0x11);

	return _mm256_xor_si256(_mm256_xor_si256(low, high), onto);
}

VPCLMUL_CODE static inline BOTH_WAYS __m256i take_256(uint8_t *dst,
						      const uint8_t *src,
						      size_t at)
{
	__m256i block = _mm256_loadu_si256((const void *)(src + at));

	if (dst)
		_mm256_storeu_si256((void *)(dst + at), block);
	return block;
}

VPCLMUL_CODE static inline __m256i constant_wide(const struct fold *fold)
{
	return _mm256_set_epi64x((long long)fold->high, (long long)fold->low,
				 (long long)fold->high, (long long)fold->low);
}

/* @len: 128 or more */
VPCLMUL_CODE static inline BOTH_WAYS uint32_t run_256(uint32_t reg,
						      uint8_t *dst,
						      const uint8_t *src,
						      size_t len)
{
	__m256i by = constant_wide(&fold_1024);
	__m256i step = constant_wide(&fold_256);
	__m256i block[4];
	__m128i half;
	size_t at = 128;

	block[0] = take_256(dst, src, 0);
	block[1] = take_256(dst, src, 32);
	block[2] = take_256(dst, src, 64);
	block[3] = take_256(dst, src, 96);
	block[0] = _mm256_xor_si256(
		block[0], _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, (int)reg));
	for (; len - at >= 128; at += 128) {
		block[0] = fold_wide(block[0], by, take_256(dst, src, at));
		block[1] = fold_wide(block[1], by, take_256(dst, src, at + 32));
		block[2] = fold_wide(block[2], by, take_256(dst, src, at + 64));
		block[3] = fold_wide(block[3], by, take_256(dst, src, at + 96));
	}
	block[1] = fold_wide(block[0], step, block[1]);
	block[2] = fold_wide(block[1], step, block[2]);
	block[3] = fold_wide(block[2], step, block[3]);
	half = crc32_fold(_mm256_castsi256_si128(block[3]), constant(&fold_128),
			  _mm256_extracti128_si256(block[3], 1));
	return crc32_finish(half, dst ? dst + at : NULL, src + at, len - at);
}

VPCLMUL_CODE static uint32_t crc_vpclmul(uint32_t reg, uint8_t *dst,
					 const uint8_t *src, size_t len)
{
	if (len < VPCLMUL_MIN)
		return crc_pclmul(reg, dst, src, len);
	return dst ? run_256(reg, dst, src, len) : run_256(reg, NULL, src, len);
}

AVX512_CODE static inline __m512i fold_widest(__m512i block, __m512i by,
					      __m512i onto)
{
	__m512i low = _mm512_clmulepi64_epi128(block, by, 0x00);
	__m512i high = _mm512_clmulepi64_epi128(block, by, 0x11);

	return _mm512_xor_si512(_mm512_xor_si512(low, high), onto);
}

AVX512_CODE static inline BOTH_WAYS __m512i take_512(uint8_t *dst,
						     const uint8_t *src,
						     size_t at)
{
	__m512i block = _mm512_loadu_si512(src + at);

	if (dst)
		_mm512_storeu_si512(dst + at, block);
	return block;
}

AVX512_CODE static inline __m512i constant_widest(const struct fold *fold)
{
	return _mm512_broadcast_i32x4(constant(fold));
}

/* Folds the four quarters of @block into one. */
AVX512_CODE static inline __m128i fold_quarters(__m512i block)
{
	__m128i by = constant(&fold_128);
	__m128i sum = crc32_fold(_mm512_castsi512_si128(block), by,
				 _mm512_extracti32x4_epi32(block, 1));

	sum = crc32_fold(sum, by, _mm512_extracti32x4_epi32(block, 2));
	return crc32_fold(sum, by, _mm512_extracti32x4_epi32(block, 3));
}

/* @len: 256 or more */
AVX512_CODE static inline BOTH_WAYS uint32_t run_512(uint32_t reg, uint8_t *dst,
						     const uint8_t *src,
						     size_t len)
{
	__m512i by = constant_widest(&fold_2048);
	__m512i step = constant_widest(&fold_512);
	__m512i block[4];
	size_t at = 256;

	block[0] = take_512(dst, src, 0);
	block[1] = take_512(dst, src, 64);
	block[2] = take_512(dst, src, 128);
	block[3] = take_512(dst, src, 192);
	block[0] = _mm512_xor_si512(
		block[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)reg)));
	for (; len - at >= 256; at += 256) {
		block[0] = fold_widest(block[0], by, take_512(dst, src, at));
		block[1] =
			fold_widest(block[1], by, take_512(dst, src, at + 64));
		block[2] =
			fold_widest(block[2], by, take_512(dst, src, at + 128));
		block[3] =
			fold_widest(block[3], by, take_512(dst, src, at + 192));
	}
	block[1] = fold_widest(block[0], step, block[1]);
	block[2] = fold_widest(block[1], step, block[2]);
	block[3] = fold_widest(block[2], step, block[3]);
	for (; len - at >= 64; at += 64)
		block[3] = fold_widest(block[3], step, take_512(dst, src, at));
	return crc32_finish(fold_quarters(block[3]), dst ? dst + at : NULL,
			    src + at, len - at);
}

AVX512_CODE static uint32_t crc_vpclmul512(uint32_t reg, uint8_t *dst,
					   const uint8_t *src, size_t len)
{
	if (len < VPCLMUL512_MIN)
		return crc_pclmul(reg, dst, src, len);
	return dst ? run_512(reg, dst, src, len) : run_512(reg, NULL, src, len);
}

static bool has_vpclmul(void)
{
	return __builtin_cpu_supports("avx2") &&
	       __builtin_cpu_supports("vpclmulqdq");
}

uroce_crc32_fn *uroce_crc32_x86_find(enum uroce_crc32_method method)
{
	if (!__builtin_cpu_supports("pclmul") ||
	    !__builtin_cpu_supports("sse4.1"))
		return NULL;
	make_fold(&fold_128, 128);
	fold_96_64.low = (uint64_t)uroce_crc32_x_power(96) << 1;
	fold_96_64.high = (uint64_t)uroce_crc32_x_power(64) << 1;
	make_fold(&fold_256, 256);
	make_fold(&fold_512, 512);
	make_fold(&fold_1024, 1024);
	make_fold(&fold_2048, 2048);
	if (method == UROCE_CRC32_PCLMUL)
		return crc_pclmul;
	if (method == UROCE_CRC32_VPCLMUL && has_vpclmul())
		return crc_vpclmul;
	if (method == UROCE_CRC32_VPCLMUL512 && has_vpclmul() &&
	    __builtin_cpu_supports("avx512f"))
		return crc_vpclmul512;
	return NULL;
}
#endif
