/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_cmd_get_context(), the first command of a foreign provider, and
 * ibv_cmd_query_context(). Calls kernel/cmd_context.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <string.h>

#include "core/core_context.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_context.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"
#include "kernel/uapi_newer.h"

/*
 * verbs_device has a member for the core_support mask, which is the same in all
 * contexts of a device.
 */
static void foreign_cmd_store_core_support(const struct ibv_context *ctx)
{
	struct foreign_device *dev =
		verbs_container_of(ctx->device, struct foreign_device, device);

	/*
	 * Several threads may open contexts at once; they store the same value.
	 */
	__atomic_store_n(&dev->core_support,
			 verbs_kernel_state(ctx)->core_support,
			 __ATOMIC_RELAXED);
}

/*
 * Adds an array of int as an attribute; an array of 8 bytes or less is inline.
 */
static int foreign_cmd_add_fd_arr(const struct foreign_fd_arr *fd_arr,
				  struct ib_uverbs_attr *attr,
				  struct verbs_udata *udata)
{
	size_t len;

	if (fd_arr->count > UINT16_MAX / sizeof(int))
		return -EINVAL;
	len = fd_arr->count * sizeof(int);
	*attr = (struct ib_uverbs_attr){
		.attr_id = VERBS_UAPI_UVERBS_ATTR_GET_CONTEXT_FD_ARR,
		.len = (uint16_t)len,
		.flags = UVERBS_ATTR_F_MANDATORY,
	};
	if (len > sizeof(attr->data))
		attr->data = cmd_addr(fd_arr->arr);
	else
		memcpy(&attr->data, fd_arr->arr, len);
	udata->attrs = attr;
	udata->nr_attrs = 1;
	return 0;
}

static int foreign_cmd_get_context(struct ibv_context *ctx, const void *cmd,
				   size_t cmd_size,
				   const struct foreign_fd_arr *fd_arr,
				   struct ib_uverbs_get_context_resp *resp,
				   size_t resp_size)
{
	struct ib_uverbs_attr fds;
	struct verbs_udata udata;
	int ret;

	if (!ctx)
		return foreign_errno(-EINVAL);
	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_get_context), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret && fd_arr && fd_arr->count)
		ret = foreign_cmd_add_fd_arr(fd_arr, &fds, &udata);
	if (ret)
		return foreign_errno(ret);

	ret = verbs_cmd_get_context(ctx, &udata);
	/*
	 * A kernel without this attribute rejects the method; send it without
	 * the attribute.
	 */
	if (ret == -EOPNOTSUPP && udata.nr_attrs) {
		udata.nr_attrs = 0;
		ret = verbs_cmd_get_context(ctx, &udata);
	}
	if (!ret)
		foreign_cmd_store_core_support(ctx);
	return foreign_errno(ret);
}

int foreign_cmd_get_context_34(void *vctx, const void *cmd, size_t cmd_size,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size)
{
	return foreign_cmd_get_context(foreign_context_of(34, vctx), cmd,
				       cmd_size, NULL, resp, resp_size);
}
FOREIGN_EXPORT(foreign_cmd_get_context_34, ibv_cmd_get_context, 34)

int foreign_cmd_get_context_57(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size)
{
	return foreign_cmd_get_context(foreign_context_of(57, vctx), cmd,
				       cmd_size, fd_arr, resp, resp_size);
}
FOREIGN_EXPORT(foreign_cmd_get_context_57, ibv_cmd_get_context, 57)

int foreign_cmd_get_context_59(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size)
{
	return foreign_cmd_get_context(foreign_context_of(59, vctx), cmd,
				       cmd_size, fd_arr, resp, resp_size);
}
FOREIGN_EXPORT(foreign_cmd_get_context_59, ibv_cmd_get_context, 59)

int foreign_cmd_get_context_64(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size)
{
	return foreign_cmd_get_context(foreign_context_of(64, vctx), cmd,
				       cmd_size, fd_arr, resp, resp_size);
}
FOREIGN_EXPORT(foreign_cmd_get_context_64, ibv_cmd_get_context, 64)

int foreign_cmd_get_context_65(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size)
{
	return foreign_cmd_get_context(foreign_context_of(65, vctx), cmd,
				       cmd_size, fd_arr, resp, resp_size);
}
FOREIGN_EXPORT(foreign_cmd_get_context_65, ibv_cmd_get_context, 65)

int foreign_cmd_query_context(struct ibv_context *ctx,
			      struct foreign_command_buffer *link)
{
	struct verbs_udata udata = {};
	struct foreign_link driver;
	int ret = foreign_link_collect(link, FOREIGN_METHOD_WITHOUT_UHW,
				       &driver, &udata);

	if (!ret)
		ret = verbs_cmd_query_context(ctx, &udata);
	if (ret)
		return foreign_errno(ret);
	/*
	 * Modules send this command only from their import_context(). Its
	 * arguments have no place for the mark, so the context is marked here.
	 */
	verbs_kernel_state(ctx)->imported = true;
	foreign_link_write_back(&driver);
	foreign_cmd_store_core_support(ctx);
	return 0;
}
FOREIGN_EXPORT_ALL(foreign_cmd_query_context, ibv_cmd_query_context)
