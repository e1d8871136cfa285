/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Protection domains, for foreign providers. Calls kernel/cmd_pd.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
			 const void *cmd, size_t cmd_size,
			 struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_alloc_pd), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_alloc_pd(ctx, pd, &udata);
	if (!ret && resp)
		resp->pd_handle = pd->handle;
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_alloc_pd, ibv_cmd_alloc_pd)

int foreign_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return foreign_errno(verbs_cmd_dealloc_pd(pd));
}
FOREIGN_EXPORT_ALL(foreign_cmd_dealloc_pd, ibv_cmd_dealloc_pd)
