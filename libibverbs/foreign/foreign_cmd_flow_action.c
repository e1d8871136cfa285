/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow actions of type ESP, for foreign providers. Calls
 * kernel/cmd_flow_action.c.
 */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_create_flow_action_esp(struct ibv_context *ctx,
				       struct ibv_flow_action_esp_attr *attr,
				       struct verbs_flow_action *action,
				       struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_create_flow_action_esp(ctx, action, attr,
						       &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_flow_action_esp,
		   ibv_cmd_create_flow_action_esp)

int foreign_cmd_modify_flow_action_esp(struct verbs_flow_action *action,
				       struct ibv_flow_action_esp_attr *attr,
				       struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_modify_flow_action_esp(action, attr, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_modify_flow_action_esp,
		   ibv_cmd_modify_flow_action_esp)

int foreign_cmd_destroy_flow_action(struct verbs_flow_action *action)
{
	return foreign_errno(verbs_cmd_destroy_flow_action(action));
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_flow_action, ibv_cmd_destroy_flow_action)
