/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drivers and what they add to the answers of the core: numbers of objects,
 * limits, and keys by which memory is mapped. The structures are those of the
 * kernel's headers; values are plausible, large enough for provider_walk.c, and
 * different from each other where a mix-up should show.
 */
#ifndef UVERBS_SHIM_ANSWERS_H
#define UVERBS_SHIM_ANSWERS_H

#include "shim.h"

extern const struct shim_driver answers_bnxt_re, answers_cxgb4, answers_efa,
	answers_erdma, answers_hns, answers_ionic, answers_irdma, answers_mana,
	answers_mlx4, answers_mlx5, answers_mthca, answers_ocrdma, answers_qedr,
	answers_rvt, answers_rxe, answers_siw, answers_vmw_pvrdma;

/** answer_copy() - as much of an answer as there is room for */
int answer_copy(void *buf, size_t room, const void *from, size_t len);

/** answer_power_of_two() - the smallest that is not below @n */
uint32_t answer_power_of_two(uint32_t n);

/* A function that answers with a structure; its members may look at "call". */
#define ANSWER(function, type, ...)                                  \
	static int function(const struct shim_call *call, void *buf, \
			    size_t room)                             \
	{                                                            \
		const type resp = __VA_ARGS__;                       \
                                                                     \
		(void)call;                                          \
		return answer_copy(buf, room, &resp, sizeof(resp));  \
	}

/* Keys of mappings: pages, far from each other. */
#define ANSWER_KEY(what, object) \
	(((uint64_t)(what) << 32) + ((uint64_t)(object)->number << 12))

#endif
