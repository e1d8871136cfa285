/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Called by ../progress/uroce_worker_gsi.c. */
#include "uroce/gsi/uroce_gsi_budget.h"

#define BURST_NS  (UROCE_GSI_BURST * UROCE_GSI_NS_PER_MAD)
#define EXCESS_NS (UROCE_GSI_MAX_EXCESS * UROCE_GSI_NS_PER_MAD)

bool uroce_gsi_budget_is_spent(const struct uroce_gsi_budget *budget,
			       uint64_t now_ns)
{
	return budget->full_ns >= now_ns + BURST_NS;
}

void uroce_gsi_budget_spend(struct uroce_gsi_budget *budget, uint32_t cost,
			    uint64_t now_ns)
{
	uint64_t latest_ns = now_ns + BURST_NS + EXCESS_NS;

	if (budget->full_ns < now_ns)
		budget->full_ns = now_ns;
	budget->full_ns += cost * UROCE_GSI_NS_PER_MAD;
	if (budget->full_ns > latest_ns)
		budget->full_ns = latest_ns;
}
