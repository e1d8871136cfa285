/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions. The driver takes the low byte of the STag from the provider.
 * It changes with every registration, so that the STag of a deregistered region
 * is not reused soon. The driver has neither re-registration nor advice nor
 * dma-buf.
 */
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdatomic.h>

#include "siw/siw.h"
#include "soft/soft.h"

/* The value is arbitrary; it only has to change. */
static uint8_t siw_next_stag_key(void)
{
	static atomic_uint counter;

	return (uint8_t)atomic_fetch_add_explicit(&counter, 1,
						  memory_order_relaxed);
}

int siw_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
	       int access, struct ibv_mr **ret_mr)
{
	const struct siw_ureq_reg_mr req = { .stag_key = siw_next_stag_key() };
	struct siw_uresp_reg_mr resp = {};
	const struct verbs_udata udata = {
		.in = &req,
		.in_len = sizeof(req),
		.out = &resp,
		.out_len = sizeof(resp),
	};

	return soft_reg_mr(pd, addr, length, iova, access, &udata, ret_mr);
}
