/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the op table of a foreign provider to the library's own. */
#ifndef FOREIGN_FOREIGN_ADAPT_H
#define FOREIGN_FOREIGN_ADAPT_H

#include <provider/provider.h>

#include "foreign/foreign_ops.h"

/**
 * foreign_adapt() - an op table that leads to a foreign provider
 * @foreign: what the provider has set so far, as it is in the context's private
 *	block: the adapters find it there again when they are called
 * @ret_ops: written whole. A member is set where the provider has what it
 *	needs, and where the default of core/ does not suit foreign objects; the
 *	others are NULL. The data path leads to the provider without a detour.
 *
 * Whether an op is there is decided here, once: foreign_adapt() must be called
 * again when @foreign has changed.
 */
void foreign_adapt(const struct foreign_ops *foreign,
		   struct verbs_context_ops *ret_ops);

#endif
