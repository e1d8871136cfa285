/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Called by ../progress/uroce_worker_gsi.c. */
#include "uroce/gsi/uroce_gsi_budget.h"

#define BURST_NS (UROCE_GSI_BURST * UROCE_GSI_NS_PER_MAD)

bool uroce_gsi_budget_spend(struct uroce_gsi_budget *budget, uint32_t nr,
			    uint64_t now_ns)
{
	if (budget->full_ns < now_ns)
		budget->full_ns = now_ns;
	budget->full_ns += nr * UROCE_GSI_NS_PER_MAD;
	if (budget->full_ns - now_ns <= BURST_NS)
		return false;
	/* never beyond a burst: the pauses of the caller limit the rate */
	budget->full_ns = now_ns + BURST_NS;
	return true;
}
