/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The least RTT of each peer: a table without lists, in which peers collide. */
#include "uroce/roce/uroce_path_rtts.h"

#include <string.h>

static uint32_t gid_hash(const uint8_t *gid)
{
	uint32_t hash = 0;

	for (unsigned int i = 0; i < UROCE_GID_LEN; i++)
		hash = (hash ^ gid[i]) * 16777619u; /* FNV-1a */
	return hash ^ hash >> 16;
}

uint64_t uroce_path_rtts_least(struct uroce_path_rtts *rtts, const uint8_t *gid,
			       uint64_t ns)
{
	struct uroce_path_rtt *path =
		&rtts->paths[gid_hash(gid) % UROCE_PATH_RTTS];

	if (!path->ns || memcmp(path->gid, gid, UROCE_GID_LEN) != 0) {
		memcpy(path->gid, gid, UROCE_GID_LEN);
		path->ns = ns;
	} else if (ns && ns < path->ns) {
		path->ns = ns;
	}
	return path->ns;
}
