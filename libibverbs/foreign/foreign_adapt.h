/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Builds the op table of a context from the ops of a foreign provider. */
#ifndef FOREIGN_FOREIGN_ADAPT_H
#define FOREIGN_FOREIGN_ADAPT_H

#include <provider/provider.h>

#include "foreign/foreign_ops.h"

/**
 * foreign_adapt() - fill an op table with adapters for a foreign provider
 * @foreign: all ops that the provider has set so far. The adapters read them
 *	again from the private block of the context (foreign_ops()) in each
 *	call.
 * @ret_ops: every member is written. A member is set if the provider has the
 *	ops that it needs, or if the default of core/ does not suit foreign
 *	objects; the others are NULL. Data path ops are the provider's own
 *	functions.
 *
 * The table depends on which members of @foreign are NULL: call foreign_adapt()
 * again after each change.
 */
void foreign_adapt(const struct foreign_ops *foreign,
		   struct verbs_context_ops *ret_ops);

#endif
