/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory windows, for foreign providers. Calls kernel/cmd_mw.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			 struct ibv_mw *mw, const void *cmd, size_t cmd_size,
			 struct ib_uverbs_alloc_mw_resp *resp, size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_alloc_mw), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_alloc_mw(pd, type, mw, &udata);
	if (ret)
		return foreign_errno(ret);
	if (resp) {
		resp->mw_handle = mw->handle;
		resp->rkey = mw->rkey;
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_alloc_mw, ibv_cmd_alloc_mw)

int foreign_cmd_dealloc_mw(struct ibv_mw *mw)
{
	return foreign_errno(verbs_cmd_dealloc_mw(mw));
}
FOREIGN_EXPORT_ALL(foreign_cmd_dealloc_mw, ibv_cmd_dealloc_mw)
