/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of a port, for foreign providers. Calls kernel/cmd_port.c. The
 * kernel does not pass this command to its drivers, so driver data behind the
 * request is not sent.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <string.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_port_attr.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

static int foreign_cmd_query_port_size(struct ibv_context *ctx,
				       uint8_t port_num,
				       struct ibv_port_attr *attr, size_t size,
				       const void *cmd, size_t cmd_size)
{
	struct ibv_port_attr all = {};
	struct verbs_udata unused;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_query_port), NULL, 0,
				 0, &unused);
	if (ret)
		return foreign_errno(ret);

	ret = verbs_cmd_query_port(ctx, port_num, &all);
	if (!ret)
		memcpy(attr, &all, size);
	return foreign_errno(ret);
}

int foreign_cmd_query_port_34(struct ibv_context *ctx, uint8_t port_num,
			      struct ibv_port_attr *attr, const void *cmd,
			      size_t cmd_size)
{
	return foreign_cmd_query_port_size(ctx, port_num, attr,
					   foreign_port_attr_size(attr), cmd,
					   cmd_size);
}
FOREIGN_EXPORT(foreign_cmd_query_port_34, ibv_cmd_query_port, 34)

int foreign_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			   struct ibv_port_attr *attr, const void *cmd,
			   size_t cmd_size)
{
	return foreign_cmd_query_port_size(ctx, port_num, attr, sizeof(*attr),
					   cmd, cmd_size);
}
FOREIGN_EXPORT_FROM_57(foreign_cmd_query_port, ibv_cmd_query_port)

int foreign_cmd_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
				 uint64_t *speed)
{
	return foreign_errno(verbs_cmd_query_port_speed(ctx, port_num, speed));
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_query_port_speed, ibv_cmd_query_port_speed)
