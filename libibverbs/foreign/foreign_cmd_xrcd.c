/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* XRC domains, for foreign providers. Calls kernel/cmd_xrcd.c. */
#include <errno.h>
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_open_xrcd(struct ibv_context *ctx, struct verbs_xrcd *xrcd,
			  int xrcd_size, struct ibv_xrcd_init_attr *attr,
			  const void *cmd, size_t cmd_size,
			  struct ib_uverbs_open_xrcd_resp *resp,
			  size_t resp_size)
{
	struct verbs_xrcd opened = {};
	struct verbs_udata udata;
	int ret;

	if (xrcd_size < (int)sizeof(xrcd->xrcd))
		return foreign_errno(-EINVAL);
	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_open_xrcd), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_open_xrcd(ctx, &opened, attr, &udata);
	if (ret)
		return foreign_errno(ret);

	if (xrcd_size < (int)sizeof(opened))
		xrcd->xrcd = opened.xrcd;
	else
		*xrcd = opened;
	if (resp)
		resp->xrcd_handle = opened.handle;
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_open_xrcd, ibv_cmd_open_xrcd)

int foreign_cmd_close_xrcd(struct verbs_xrcd *xrcd)
{
	return foreign_errno(verbs_cmd_close_xrcd(xrcd));
}
FOREIGN_EXPORT_ALL(foreign_cmd_close_xrcd, ibv_cmd_close_xrcd)
