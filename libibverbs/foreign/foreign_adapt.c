/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Assembles the op table of a context from the groups of adapters in
 * foreign_adapt_*.c. Called by foreign_context.c whenever a provider sets ops.
 */
#include "foreign/foreign_adapt.h"

#include "foreign/foreign_adapt_group.h"

void foreign_adapt(const struct foreign_ops *foreign,
		   struct verbs_context_ops *ret_ops)
{
	struct verbs_context_ops ops = {};

	foreign_adapt_device(foreign, &ops);
	foreign_adapt_pd(foreign, &ops);
	foreign_adapt_mr(foreign, &ops);
	foreign_adapt_dm(foreign, &ops);
	foreign_adapt_ah(foreign, &ops);
	foreign_adapt_cq(foreign, &ops);
	foreign_adapt_srq(foreign, &ops);
	foreign_adapt_qp(foreign, &ops);
	foreign_adapt_wq(foreign, &ops);
	foreign_adapt_flow(foreign, &ops);
	foreign_adapt_comp_cntr(foreign, &ops);
	*ret_ops = ops;
}
