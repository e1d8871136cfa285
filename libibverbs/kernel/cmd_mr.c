/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c. api/ sets the public members addr,
 * length and pd.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"
#include "kernel/uapi_newer.h"

/* The SGE list of advise_mr is passed to the kernel unchanged. */
_Static_assert(sizeof(struct ibv_sge) == sizeof(struct ib_uverbs_sge), "sge");

static void cmd_mr_init(struct verbs_mr *vmr, struct ibv_context *ctx,
			enum verbs_mr_type type, int access)
{
	vmr->ibv_mr.context = ctx;
	vmr->mr_type = type;
	vmr->access = access;
}

/*
 * The kernel's value for the length. On-demand paging of the whole address
 * space, SIZE_MAX in ibv_reg_mr(3), is UINT64_MAX for the kernel.
 */
static int cmd_mr_length_to_kernel(const void *addr, size_t length, int access,
				   uint64_t *ret_length)
{
	bool whole_space = (access & IBV_ACCESS_ON_DEMAND) &&
			   length == SIZE_MAX;

	if (whole_space && addr)
		return -EINVAL;
	*ret_length = whole_space ? UINT64_MAX : length;
	return 0;
}

int verbs_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t iova, int access, struct verbs_mr *vmr,
		     const struct verbs_udata *udata)
{
	uint64_t kernel_length = 0;
	struct ib_uverbs_reg_mr in = {
		.start = cmd_addr(addr),
		.hca_va = iova,
		.pd_handle = pd->handle,
		.access_flags = (uint32_t)access,
	};
	struct ib_uverbs_reg_mr_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_REG_MR,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret;

	ret = cmd_mr_length_to_kernel(addr, length, access, &kernel_length);
	if (ret)
		return ret;
	in.length = kernel_length;
	ret = submit_write(pd->context, &req);
	if (ret)
		return ret;
	vmr->ibv_mr.handle = out.mr_handle;
	vmr->ibv_mr.lkey = out.lkey;
	vmr->ibv_mr.rkey = out.rkey;
	cmd_mr_init(vmr, pd->context, VERBS_MR_TYPE_MR, access);
	return 0;
}

int verbs_cmd_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		       void *addr, size_t length, uint64_t iova, int access,
		       const struct verbs_udata *udata)
{
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = vmr->ibv_mr.handle,
		.flags = (uint32_t)flags,
		.start = cmd_addr(addr),
		.length = length,
		.hca_va = iova,
		.access_flags = (uint32_t)access,
	};
	struct ib_uverbs_rereg_mr_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_REREG_MR,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret;

	if (flags & IBV_REREG_MR_CHANGE_PD)
		in.pd_handle = pd->handle;

	ret = submit_write(vmr->ibv_mr.context, &req);
	if (ret)
		return ret;
	vmr->ibv_mr.lkey = out.lkey;
	vmr->ibv_mr.rkey = out.rkey;
	if (flags & IBV_REREG_MR_CHANGE_PD)
		vmr->ibv_mr.context = pd->context;
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		vmr->access = access;
	return 0;
}

int verbs_cmd_dereg_mr(struct verbs_mr *vmr)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DEREG_MR,
		.handle_attr = UVERBS_ATTR_DESTROY_MR_HANDLE,
		.write_command = IB_USER_VERBS_CMD_DEREG_MR,
	};

	return cmd_destroy_by_handle(vmr->ibv_mr.context, &destroy,
				     vmr->ibv_mr.handle);
}

int verbs_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, const struct ibv_sge *sg_list,
			uint32_t num_sge)
{
	struct cmd cmd;

	/* Limit of an attribute; also keeps the product below in range. */
	if (num_sge > UINT16_MAX / sizeof(*sg_list))
		return -EINVAL;

	cmd_init(&cmd, KERNEL_CAP_ADVISE_MR);
	cmd_in_obj(&cmd, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, pd->handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_ADVISE_MR_ADVICE, advice);
	cmd_in_u32(&cmd, UVERBS_ATTR_ADVISE_MR_FLAGS, flags);
	cmd_in_ptr(&cmd, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sg_list,
		   num_sge * sizeof(*sg_list));
	return submit_ioctl_only(pd->context, &cmd);
}

int verbs_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			    uint64_t iova, int fd, int access,
			    struct verbs_mr *vmr,
			    const struct verbs_udata *udata)
{
	uint32_t handle = 0, lkey = 0, rkey = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_REG_DMABUF_MR);
	cmd_out_obj(&cmd, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, &handle);
	cmd_in_obj(&cmd, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, pd->handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, offset);
	cmd_in_u64(&cmd, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, length);
	cmd_in_u64(&cmd, UVERBS_ATTR_REG_DMABUF_MR_IOVA, iova);
	/* The kernel declares this descriptor as a plain number. */
	cmd_in_u32(&cmd, UVERBS_ATTR_REG_DMABUF_MR_FD, (uint32_t)fd);
	cmd_in_u32(&cmd, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
		   (uint32_t)access);
	cmd_out_ptr(&cmd, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &lkey,
		    sizeof(lkey));
	cmd_out_ptr(&cmd, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &rkey,
		    sizeof(rkey));
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl_only(pd->context, &cmd);
	if (ret)
		return ret;
	vmr->ibv_mr.handle = handle;
	vmr->ibv_mr.lkey = lkey;
	vmr->ibv_mr.rkey = rkey;
	cmd_mr_init(vmr, pd->context, VERBS_MR_TYPE_DMABUF_MR, access);
	return 0;
}

static bool cmd_mr_attr_has(const struct ibv_mr_init_attr *attr, uint64_t bit)
{
	return attr->comp_mask & bit;
}

/* Either process memory or a dma-buf, each with its required fields. */
static int cmd_mr_check_attr(const struct ibv_mr_init_attr *attr)
{
	const uint64_t known = IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_ADDR |
			       IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET |
			       IBV_REG_MR_MASK_DMAH;

	if (attr->comp_mask & ~known)
		return -EOPNOTSUPP;
	if (!cmd_mr_attr_has(attr, IBV_REG_MR_MASK_FD))
		return !cmd_mr_attr_has(attr, IBV_REG_MR_MASK_ADDR) ||
				       cmd_mr_attr_has(
					       attr, IBV_REG_MR_MASK_FD_OFFSET)
			       ? -EINVAL
			       : 0;
	if (!cmd_mr_attr_has(attr, IBV_REG_MR_MASK_FD_OFFSET) ||
	    !cmd_mr_attr_has(attr, IBV_REG_MR_MASK_IOVA) ||
	    cmd_mr_attr_has(attr, IBV_REG_MR_MASK_ADDR))
		return -EINVAL;
	return attr->fd < 0 ? -EBADF : 0;
}

/* The IOVA is the virtual address by default. */
static uint64_t cmd_mr_attr_iova(const struct ibv_mr_init_attr *attr)
{
	return cmd_mr_attr_has(attr, IBV_REG_MR_MASK_IOVA)
		       ? attr->iova
		       : cmd_addr(attr->addr);
}

static int cmd_mr_reg_ioctl(struct ibv_pd *pd,
			    const struct ibv_mr_init_attr *attr,
			    struct verbs_mr *vmr,
			    const struct verbs_udata *udata)
{
	uint32_t handle = 0, lkey = 0, rkey = 0;
	bool dmabuf = cmd_mr_attr_has(attr, IBV_REG_MR_MASK_FD);
	uint64_t length = attr->length;
	struct cmd cmd;
	int ret;

	if (!dmabuf) {
		ret = cmd_mr_length_to_kernel(attr->addr, attr->length,
					      attr->access, &length);
		if (ret)
			return ret;
	}
	cmd_init(&cmd, KERNEL_CAP_REG_MR);
	cmd_out_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_HANDLE, &handle);
	cmd_in_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_PD_HANDLE, pd->handle);
	if (cmd_mr_attr_has(attr, IBV_REG_MR_MASK_DMAH))
		cmd_in_obj(
			&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_DMA_HANDLE,
			verbs_container_of(attr->dmah, struct verbs_dmah, dmah)
				->handle);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_IOVA,
		   cmd_mr_attr_iova(attr));
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_LENGTH, length);
	cmd_in_u32(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_ACCESS_FLAGS,
		   (uint32_t)attr->access);
	if (dmabuf) {
		cmd_in_fd(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_FD, attr->fd);
		cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_FD_OFFSET,
			   attr->fd_offset);
	} else {
		cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_ADDR,
			   cmd_addr(attr->addr));
	}
	cmd_out_ptr(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_RESP_LKEY, &lkey,
		    sizeof(lkey));
	cmd_out_ptr(&cmd, VERBS_UAPI_UVERBS_ATTR_REG_MR_RESP_RKEY, &rkey,
		    sizeof(rkey));
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl(pd->context, &cmd);
	if (ret)
		return ret;
	vmr->ibv_mr.handle = handle;
	vmr->ibv_mr.lkey = lkey;
	vmr->ibv_mr.rkey = rkey;
	cmd_mr_init(vmr, pd->context,
		    dmabuf ? VERBS_MR_TYPE_DMABUF_MR : VERBS_MR_TYPE_MR,
		    attr->access);
	return 0;
}

int verbs_cmd_reg_mr_ex(struct ibv_pd *pd, const struct ibv_mr_init_attr *attr,
			struct verbs_mr *vmr, const struct verbs_udata *udata)
{
	int ret = cmd_mr_check_attr(attr);

	if (ret)
		return ret;
	ret = cmd_mr_reg_ioctl(pd, attr, vmr, udata);
	if (ret != SUBMIT_NOT_OFFERED)
		return ret;
	if (cmd_mr_attr_has(attr, IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_DMAH))
		return -EOPNOTSUPP;
	return verbs_cmd_reg_mr(pd, attr->addr, attr->length,
				cmd_mr_attr_iova(attr), attr->access, vmr,
				udata);
}

int verbs_cmd_query_mr(struct ibv_pd *pd, uint32_t handle, struct verbs_mr *vmr)
{
	uint32_t lkey = 0, rkey = 0;
	uint64_t length = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_QUERY_MR);
	cmd_in_obj(&cmd, UVERBS_ATTR_QUERY_MR_HANDLE, handle);
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &lkey, sizeof(lkey));
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &rkey, sizeof(rkey));
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &length,
		    sizeof(length));
	ret = submit_ioctl_only(pd->context, &cmd);
	if (ret)
		return ret;
	vmr->ibv_mr.handle = handle;
	vmr->ibv_mr.lkey = lkey;
	vmr->ibv_mr.rkey = rkey;
	vmr->ibv_mr.length = length > SIZE_MAX ? SIZE_MAX : (size_t)length;
	cmd_mr_init(vmr, pd->context, VERBS_MR_TYPE_IMPORTED_MR, 0);
	return 0;
}
