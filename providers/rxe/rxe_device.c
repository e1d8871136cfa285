/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capability bits of the device. They come from the kernel and decide which
 * optional opcodes a QP may post.
 */
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "rxe/rxe.h"

/* Set in rxe_context.caps after the query; no capability has this bit. */
#define RXE_CAPS_KNOWN (UINT64_C(1) << 63)

bool rxe_device_has(struct ibv_context *ctx, uint64_t caps)
{
	struct rxe_context *rctx = to_rxe_context(ctx);
	struct ibv_device_attr_ex attr = {};
	uint64_t known, fw_ver;

	/* Relaxed: one self-contained word; a second query is harmless. */
	known = __atomic_load_n(&rctx->caps, __ATOMIC_RELAXED);
	if (!known) {
		if (verbs_cmd_query_device(ctx, NULL, &attr, sizeof(attr),
					   &fw_ver, NULL) != 0)
			return false;
		known = attr.device_cap_flags_ex | RXE_CAPS_KNOWN;
		__atomic_store_n(&rctx->caps, known, __ATOMIC_RELAXED);
	}
	return (known & caps) != 0;
}
