/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Device memory, for foreign providers. Calls kernel/cmd_dm.c. */
#include <errno.h>
#include <provider/kernel.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"

int foreign_cmd_alloc_dm(struct ibv_context *ctx,
			 const struct ibv_alloc_dm_attr *attr,
			 struct verbs_dm *dm,
			 struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_alloc_dm(ctx, attr, dm, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_alloc_dm, ibv_cmd_alloc_dm)

int foreign_cmd_free_dm(struct verbs_dm *dm)
{
	return foreign_errno(verbs_cmd_free_dm(dm));
}
FOREIGN_EXPORT_ALL(foreign_cmd_free_dm, ibv_cmd_free_dm)

int foreign_cmd_reg_dm_mr(struct ibv_pd *pd, struct verbs_dm *dm,
			  uint64_t offset, size_t length, unsigned int access,
			  struct verbs_mr *vmr,
			  struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_reg_dm_mr(pd, dm, offset, length, access, vmr,
					  &udata);
	if (ret)
		return foreign_errno(ret);
	foreign_link_write_back(&driver);
	vmr->ibv_mr.addr = NULL;
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_reg_dm_mr, ibv_cmd_reg_dm_mr)

int foreign_cmd_export_dmabuf_fd(struct ibv_context *ctx, off_t pg_off)
{
	int fd = -1;
	int ret = verbs_cmd_export_dmabuf_fd(ctx, pg_off, &fd);

	return foreign_errno(ret) ? -1 : fd;
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_export_dmabuf_fd, ibv_cmd_export_dmabuf_fd)
