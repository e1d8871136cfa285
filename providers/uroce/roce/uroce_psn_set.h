/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A set of PSNs, of which the first and the last are less than 8192 apart. */
#ifndef UROCE_PSN_SET_H
#define UROCE_PSN_SET_H

#include <stdbool.h>
#include <stdint.h>

#define UROCE_PSN_SET	    8192
#define UROCE_PSN_SET_BYTES (UROCE_PSN_SET / 8)

/* A ring: a PSN modulo 8192 is the number of its bit. All 0: empty. */
struct uroce_psn_set {
	uint8_t bits[UROCE_PSN_SET_BYTES];
};

static inline uint32_t uroce_psn_set_at(uint32_t psn)
{
	return psn % UROCE_PSN_SET;
}

static inline bool uroce_psn_set_has(const struct uroce_psn_set *set,
				     uint32_t psn)
{
	uint32_t at = uroce_psn_set_at(psn);

	return set->bits[at / 8] >> at % 8 & 1;
}

static inline void uroce_psn_set_add(struct uroce_psn_set *set, uint32_t psn)
{
	uint32_t at = uroce_psn_set_at(psn);

	set->bits[at / 8] |= (uint8_t)(1 << at % 8);
}

static inline void uroce_psn_set_remove(struct uroce_psn_set *set, uint32_t psn)
{
	uint32_t at = uroce_psn_set_at(psn);

	set->bits[at / 8] &= (uint8_t) ~(1 << at % 8);
}

/** uroce_psn_set_byte() - the PSNs @psn (lowest bit) to @psn + 7 of a set */
static inline uint8_t uroce_psn_set_byte(const struct uroce_psn_set *set,
					 uint32_t psn)
{
	uint32_t at = uroce_psn_set_at(psn);
	uint32_t both = set->bits[at / 8] |
			set->bits[(at / 8 + 1) % UROCE_PSN_SET_BYTES] << 8;

	return (uint8_t)(both >> at % 8);
}

#endif
