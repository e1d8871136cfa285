/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow steering rules, for foreign providers. Calls kernel/cmd_flow.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_create_flow(struct ibv_qp *qp, struct ibv_flow *flow,
			    struct ibv_flow_attr *attr, void *ucmd,
			    size_t ucmd_size)
{
	struct verbs_udata udata;
	int ret = foreign_udata_init(ucmd, ucmd_size, 0, NULL, 0, 0, &udata);

	if (!ret)
		ret = verbs_cmd_create_flow(qp, flow, attr, &udata);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_flow, ibv_cmd_create_flow)

int foreign_cmd_destroy_flow(struct ibv_flow *flow)
{
	return foreign_errno(verbs_cmd_destroy_flow(flow));
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_flow, ibv_cmd_destroy_flow)
