/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_cmd_query_device_any(): attributes of a device, for foreign providers.
 * Calls kernel/cmd_device.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <string.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_query_device_any(struct ibv_context *ctx,
				 const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr,
				 size_t attr_size,
				 struct ib_uverbs_ex_query_device_resp *resp,
				 size_t *resp_size)
{
	struct ib_uverbs_ex_query_device_resp core_resp = {};
	struct verbs_udata udata;
	int ret;

	if ((input && input->comp_mask) || attr_size < sizeof(attr->orig_attr))
		return foreign_errno(-EINVAL);
	ret = foreign_udata_init(NULL, 0, 0, resp, resp ? *resp_size : 0,
				 sizeof(core_resp), &udata);
	if (ret)
		return foreign_errno(ret);

	memset(attr, 0, attr_size);
	ret = verbs_cmd_query_device_resp(ctx, input, attr, attr_size,
					  &core_resp, &udata);
	if (ret)
		return foreign_errno(ret);
	if (resp) {
		*resp = core_resp;
		*resp_size = core_resp.response_length;
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_query_device_any, ibv_cmd_query_device_any)
