/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel drivers and what they add to the responses of the uverbs core:
 * object numbers, limits, and offsets for mmap(). The structures are those of
 * the kernel's headers. The values are plausible, large enough for
 * provider_walk.c, and different from each other, so that a mix-up of two
 * fields is visible.
 */
#ifndef UVERBS_SHIM_RESPONSES_H
#define UVERBS_SHIM_RESPONSES_H

#include "shim.h"

extern const struct shim_driver responses_bnxt_re, responses_cxgb4,
	responses_efa, responses_erdma, responses_hns, responses_ionic,
	responses_irdma, responses_mana, responses_mlx4, responses_mlx5,
	responses_mthca, responses_ocrdma, responses_qedr, responses_rvt,
	responses_rxe, responses_siw, responses_vmw_pvrdma;

/**
 * response_copy() - copy as much of a response as @room allows
 */
int response_copy(void *buf, size_t room, const void *from, size_t len);

/**
 * response_power_of_two() - return the smallest power of two that is >= @n
 */
uint32_t response_power_of_two(uint32_t n);

/*
 * Defines a function that responds with a structure; the member values may use
 * "call".
 */
#define RESPONSE(function, type, ...)                                 \
	static int function(const struct shim_call *call, void *buf,  \
			    size_t room)                              \
	{                                                             \
		const type resp = __VA_ARGS__;                        \
                                                                      \
		(void)call;                                           \
		return response_copy(buf, room, &resp, sizeof(resp)); \
	}

/* Offsets for mmap(): page-aligned, far from each other. */
#define RESPONSE_KEY(what, object) \
	(((uint64_t)(what) << 32) + ((uint64_t)(object)->number << 12))

#endif
