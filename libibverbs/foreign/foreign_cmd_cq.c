/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues, for foreign providers. Calls kernel/cmd_cq.c. The adapter
 * (foreign_adapt_cq.c) initialises the members for events after the provider's
 * op has returned.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <stdbool.h>

#include "foreign/foreign_cmd.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_result.h"
#include "foreign/foreign_udata.h"
#include "kernel/kernel_caps.h"

#define CQ_WITH_MEM (FOREIGN_CQ_WITH_MEM_VA | FOREIGN_CQ_WITH_MEM_DMABUF)
#define CQ_TIMESTAMPS                          \
	(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

int foreign_cmd_create_cq(struct ibv_context *ctx, int cqe,
			  struct ibv_comp_channel *channel, int comp_vector,
			  struct ibv_cq *cq, const void *cmd, size_t cmd_size,
			  struct ib_uverbs_create_cq_resp *resp,
			  size_t resp_size)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)cqe,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_create_cq), resp,
				 resp_size, sizeof(*resp), &udata);
	if (ret)
		return foreign_errno(ret);
	cq->context = ctx;
	return foreign_errno(verbs_cmd_create_cq(ctx, cq, &attr, &udata));
}
FOREIGN_EXPORT_ALL(foreign_cmd_create_cq, ibv_cmd_create_cq)

static bool
foreign_cmd_cq_only_timestamps(const struct ibv_cq_init_attr_ex *attr)
{
	return (attr->wc_flags & CQ_TIMESTAMPS) &&
	       !((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
		 (attr->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN));
}

/*
 * Create a CQ with time stamps on a device that always provides them. The ioctl
 * method carries the request. The write command cannot carry it, but a CQ
 * without the request has time stamps on such a device too.
 */
static int
foreign_cmd_create_cq_timestamped(struct ibv_context *ctx, struct ibv_cq *cq,
				  const struct ibv_cq_init_attr_ex *attr,
				  const struct verbs_udata *udata)
{
	const struct verbs_kernel_state *state = verbs_kernel_state(ctx);
	struct ibv_cq_init_attr_ex plain = *attr;
	struct verbs_udata native = *udata;
	int ret;

	native.ioctl_only = true;
	ret = verbs_cmd_create_cq(ctx, cq, attr, &native);
	if (ret != -EOPNOTSUPP)
		return ret;
	/*
	 * The kernel has the method and rejected the request itself. With
	 * attributes of the driver, it may have rejected one of these instead.
	 */
	if (kernel_cap_offered(state, KERNEL_CAP_CREATE_CQ) && !udata->nr_attrs)
		return ret;
	plain.wc_flags &= ~(uint64_t)CQ_TIMESTAMPS;
	return verbs_cmd_create_cq(ctx, cq, &plain, udata);
}

static int
foreign_cmd_create_cq_in_buf(struct ibv_context *ctx, struct ibv_cq *cq,
			     const struct ibv_cq_init_attr_ex *attr,
			     const struct foreign_cq_prov_attr *prov_attr,
			     uint32_t kind, const struct verbs_udata *udata)
{
	struct verbs_cq_buf buf = { .fd = -1 };

	if (!prov_attr || kind == CQ_WITH_MEM)
		return -EINVAL;
	buf.length = prov_attr->buffer.length;
	if (kind == FOREIGN_CQ_WITH_MEM_VA) {
		buf.addr = prov_attr->buffer.ptr;
	} else {
		if (prov_attr->buffer.dmabuf.fd < 0)
			return -EBADF;
		buf.fd = prov_attr->buffer.dmabuf.fd;
		buf.fd_offset = prov_attr->buffer.dmabuf.offset;
	}
	return verbs_cmd_create_cq_buf(ctx, cq, attr, &buf, udata);
}

int foreign_cmd_create_cq_ex2(struct ibv_context *ctx,
			      const struct ibv_cq_init_attr_ex *attr,
			      const struct foreign_cq_prov_attr *prov_attr,
			      struct verbs_cq *cq, const void *cmd,
			      size_t cmd_size,
			      struct ib_uverbs_ex_create_cq_resp *resp,
			      size_t resp_size, uint32_t cmd_flags,
			      struct foreign_command_buffer *link)
{
	struct verbs_udata udata;
	struct foreign_link driver;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_EX_CMD_LEN(ib_uverbs_ex_create_cq),
				 resp, resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = foreign_link_collect(link, FOREIGN_METHOD_WITH_UHW,
					   &driver, &udata);
	if (ret)
		return foreign_errno(ret);

	cq->cq.context = ctx;
	if (cmd_flags & CQ_WITH_MEM)
		ret = foreign_cmd_create_cq_in_buf(
			ctx, &cq->cq, attr, prov_attr, cmd_flags & CQ_WITH_MEM,
			&udata);
	else if ((cmd_flags & FOREIGN_CQ_TS_IGNORED_EX) &&
		 foreign_cmd_cq_only_timestamps(attr))
		ret = foreign_cmd_create_cq_timestamped(ctx, &cq->cq, attr,
							&udata);
	else
		ret = verbs_cmd_create_cq(ctx, &cq->cq, attr, &udata);
	if (!ret)
		foreign_link_write_back(&driver);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_create_cq_ex2, ibv_cmd_create_cq_ex2)

int foreign_cmd_create_cq_ex(struct ibv_context *ctx,
			     const struct ibv_cq_init_attr_ex *attr,
			     const struct foreign_cq_prov_attr *prov_attr,
			     struct verbs_cq *cq, const void *cmd,
			     size_t cmd_size,
			     struct ib_uverbs_ex_create_cq_resp *resp,
			     size_t resp_size, uint32_t cmd_flags)
{
	return foreign_cmd_create_cq_ex2(ctx, attr, prov_attr, cq, cmd,
					 cmd_size, resp, resp_size, cmd_flags,
					 NULL);
}
FOREIGN_EXPORT_FROM_59(foreign_cmd_create_cq_ex, ibv_cmd_create_cq_ex)

int foreign_cmd_create_cq_ex2_34(struct ibv_context *ctx,
				 const struct ibv_cq_init_attr_ex *attr,
				 struct verbs_cq *cq, const void *cmd,
				 size_t cmd_size,
				 struct ib_uverbs_ex_create_cq_resp *resp,
				 size_t resp_size, uint32_t cmd_flags,
				 struct foreign_command_buffer *link)
{
	return foreign_cmd_create_cq_ex2(ctx, attr, NULL, cq, cmd, cmd_size,
					 resp, resp_size, cmd_flags, link);
}
FOREIGN_EXPORT(foreign_cmd_create_cq_ex2_34, ibv_cmd_create_cq_ex2, 34)
FOREIGN_EXPORT(foreign_cmd_create_cq_ex2_34, ibv_cmd_create_cq_ex2, 57)

int foreign_cmd_create_cq_ex_34(struct ibv_context *ctx,
				const struct ibv_cq_init_attr_ex *attr,
				struct verbs_cq *cq, const void *cmd,
				size_t cmd_size,
				struct ib_uverbs_ex_create_cq_resp *resp,
				size_t resp_size, uint32_t cmd_flags)
{
	return foreign_cmd_create_cq_ex2(ctx, attr, NULL, cq, cmd, cmd_size,
					 resp, resp_size, cmd_flags, NULL);
}
FOREIGN_EXPORT(foreign_cmd_create_cq_ex_34, ibv_cmd_create_cq_ex, 34)
FOREIGN_EXPORT(foreign_cmd_create_cq_ex_34, ibv_cmd_create_cq_ex, 57)

int foreign_cmd_resize_cq(struct ibv_cq *cq, int cqe, const void *cmd,
			  size_t cmd_size,
			  struct ib_uverbs_resize_cq_resp *resp,
			  size_t resp_size)
{
	struct verbs_udata udata;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_CMD_LEN(ib_uverbs_resize_cq), resp,
				 resp_size, sizeof(*resp), &udata);
	if (!ret)
		ret = verbs_cmd_resize_cq(cq, cqe, &udata);
	if (!ret && resp)
		resp->cqe = (uint32_t)cq->cqe;
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_resize_cq, ibv_cmd_resize_cq)

/* The kernel does not pass this command to its drivers: no driver data. */
int foreign_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
			  const void *cmd, size_t cmd_size)
{
	struct verbs_udata unused;
	int ret;

	ret = foreign_udata_init(cmd, cmd_size,
				 FOREIGN_EX_CMD_LEN(ib_uverbs_ex_modify_cq),
				 NULL, 0, 0, &unused);
	if (!ret)
		ret = verbs_cmd_modify_cq(cq, attr);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_modify_cq, ibv_cmd_modify_cq)

int foreign_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return foreign_errno(verbs_cmd_req_notify_cq(cq, solicited_only));
}
FOREIGN_EXPORT_ALL(foreign_cmd_req_notify_cq, ibv_cmd_req_notify_cq)

int foreign_cmd_destroy_cq(struct ibv_cq *cq)
{
	struct verbs_event_count raised;
	int ret = verbs_cmd_destroy_cq(cq, &raised);

	if (!ret)
		verbs_wait_cq_acked(cq, &raised);
	return foreign_errno(ret);
}
FOREIGN_EXPORT_ALL(foreign_cmd_destroy_cq, ibv_cmd_destroy_cq)
