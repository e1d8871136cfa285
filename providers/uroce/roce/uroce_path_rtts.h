/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The least RTT to each of the peers that QPs of an engine had last, by GID. An
 * RTT that is too low only makes losses count as congestion.
 */
#ifndef UROCE_PATH_RTTS_H
#define UROCE_PATH_RTTS_H

#include <stdint.h>

#include "uroce/wire/uroce_packet.h"

#define UROCE_PATH_RTTS 64u /* a power of two */

struct uroce_path_rtt {
	uint8_t gid[UROCE_GID_LEN];
	uint64_t ns; /* 0: not used */
};

struct uroce_path_rtts {
	struct uroce_path_rtt paths[UROCE_PATH_RTTS];
};

/**
 * uroce_path_rtts_least() - record an RTT
 * @rtts: the RTTs
 * @gid: of the peer, whose RTT may replace that of another one
 * @ns: the RTT; 0: none
 *
 * Return: the least RTT that was recorded for the peer; 0: none
 */
uint64_t uroce_path_rtts_least(struct uroce_path_rtts *rtts, const uint8_t *gid,
			       uint64_t ns);

#endif
