/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The op of a context that returns the GSI: <provider/gsi.h>. */
#ifndef UROCE_GSI_OPS_H
#define UROCE_GSI_OPS_H

#include <provider/provider.h>

/** uroce_get_gsi_ops() - see verbs_get_gsi_ops() */
const struct verbs_gsi_ops *uroce_get_gsi_ops(struct ibv_context *ctx,
					      uint32_t version);

#endif
