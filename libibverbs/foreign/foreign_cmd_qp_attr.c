/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of an existing queue pair, for foreign providers. Calls
 * kernel/cmd_qp_attr.c.
 */
#include <errno.h>
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

/* The kernel does not pass this command to its drivers: no driver data. */
int foreign_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask, struct ibv_qp_init_attr *init_attr,
			 const void *cmd, size_t cmd_size)
{
	struct verbs_udata unused;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_query_qp), NULL, 0,
				 0, &unused);
	if (!ret)
		ret = verbs_cmd_query_qp(qp, attr, attr_mask, init_attr);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_query_qp, ibv_cmd_query_qp)

int foreign_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			  int attr_mask, const void *cmd, size_t cmd_size)
{
	struct verbs_udata udata;
	int ret;

	/* The write command has no member for a rate limit. */
	if (attr_mask & IBV_QP_RATE_LIMIT)
		return foreign_errno(-EOPNOTSUPP);
	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_modify_qp), NULL, 0,
				 0, &udata);
	if (!ret)
		ret = verbs_cmd_modify_qp(qp, attr, attr_mask, &udata);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_modify_qp, ibv_cmd_modify_qp)

int foreign_cmd_modify_qp_ex(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			     int attr_mask, const void *cmd, size_t cmd_size,
			     struct ib_uverbs_ex_modify_qp_resp *resp,
			     size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_EX_CMD_LEN(ib_uverbs_ex_modify_qp),
				 resp, resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_modify_qp_ex(qp, attr, attr_mask, &udata);
	if (ret)
		return foreign_errno(ret);
	if (resp) {
		/* No kernel has a longer core response. */
		resp->comp_mask = 0;
		resp->response_length = sizeof(*resp);
	}
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_modify_qp_ex, ibv_cmd_modify_qp_ex)
