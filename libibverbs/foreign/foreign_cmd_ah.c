/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address handles, for foreign providers. Calls kernel/cmd_ah.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
			  struct ibv_ah_attr *attr,
			  struct ib_uverbs_create_ah_resp *resp,
			  size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(NULL, 0, 0, resp, resp_size, sizeof(*resp),
				 &udata);
	if (!ret)
		ret = verbs_cmd_create_ah(pd, attr, ah, &udata);
	if (!ret && resp)
		resp->ah_handle = ah->handle;
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_ah, ibv_cmd_create_ah)

int foreign_cmd_destroy_ah(struct ibv_ah *ah)
{
	return foreign_errno(verbs_cmd_destroy_ah(ah));
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_ah, ibv_cmd_destroy_ah)
