/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow counters, for foreign providers. Calls kernel/cmd_counters.c. */
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_create_counters(struct ibv_context *ctx,
				struct ibv_counters_init_attr *attr,
				struct verbs_counters *vcounters,
				struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_create_counters(ctx, vcounters, attr, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_counters, ibv_cmd_create_counters)

int foreign_cmd_read_counters(struct verbs_counters *vcounters,
			      uint64_t *values, uint32_t nr_values,
			      uint32_t flags,
			      struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_read_counters(vcounters, values, nr_values,
					      flags, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_read_counters, ibv_cmd_read_counters)

int foreign_cmd_destroy_counters(struct verbs_counters *vcounters)
{
	return foreign_errno(verbs_cmd_destroy_counters(vcounters));
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_counters, ibv_cmd_destroy_counters)
