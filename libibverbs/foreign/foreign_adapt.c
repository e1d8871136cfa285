/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts the op table of a foreign provider together from the groups of
 * foreign_adapt_*.c. Called by foreign_context.c whenever a provider sets ops.
 */
#include "foreign/foreign_adapt.h"

#include "foreign/foreign_adapt_group.h"

void foreign_adapt(const struct foreign_ops *theirs,
		   struct verbs_context_ops *ret_ours)
{
	struct verbs_context_ops ours = {};

	foreign_adapt_device(theirs, &ours);
	foreign_adapt_pd(theirs, &ours);
	foreign_adapt_mr(theirs, &ours);
	foreign_adapt_dm(theirs, &ours);
	foreign_adapt_ah(theirs, &ours);
	foreign_adapt_cq(theirs, &ours);
	foreign_adapt_srq(theirs, &ours);
	foreign_adapt_qp(theirs, &ours);
	foreign_adapt_wq(theirs, &ours);
	foreign_adapt_flow(theirs, &ours);
	foreign_adapt_comp_cntr(theirs, &ours);
	*ret_ours = ours;
}
