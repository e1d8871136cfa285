/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files foreign_adapt_*.c: each has the adapters of one group of
 * ops and adds them to the op table. foreign_call.h shows what an adapter is.
 */
#ifndef FOREIGN_FOREIGN_ADAPT_GROUP_H
#define FOREIGN_FOREIGN_ADAPT_GROUP_H

#include <provider/provider.h>

#include "foreign/foreign_call.h"
#include "foreign/foreign_ops.h"
#include "foreign/foreign_state.h"

/* Each function sets the members of one group in @ops, which is zeroed. */
void foreign_adapt_device(const struct foreign_ops *foreign,
			  struct verbs_context_ops *ops);
void foreign_adapt_pd(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_mr(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_dm(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_ah(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_cq(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_srq(const struct foreign_ops *foreign,
		       struct verbs_context_ops *ops);
void foreign_adapt_qp(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_wq(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops);
void foreign_adapt_flow(const struct foreign_ops *foreign,
			struct verbs_context_ops *ops);
void foreign_adapt_comp_cntr(const struct foreign_ops *foreign,
			     struct verbs_context_ops *ops);

#endif
