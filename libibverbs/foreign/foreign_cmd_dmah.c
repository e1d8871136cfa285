/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DMA handles, for foreign providers. Calls kernel/cmd_dmah.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"

int foreign_cmd_alloc_dmah(struct ibv_context *ctx, struct verbs_dmah *dmah,
			   struct ibv_dmah_init_attr *attr)
{
	return foreign_errno(verbs_cmd_alloc_dmah(ctx, attr, dmah));
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_alloc_dmah, ibv_cmd_alloc_dmah)

int foreign_cmd_free_dmah(struct verbs_dmah *dmah)
{
	return foreign_errno(verbs_cmd_dealloc_dmah(dmah));
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_free_dmah, ibv_cmd_free_dmah)
