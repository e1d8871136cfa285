/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion counters: each counts successful completions and errors. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c. The
 * commands exist as ioctl methods only.
 */
#include <errno.h>
#include <infiniband/ib_user_ioctl_verbs.h>
#include <provider/kernel.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"
#include "kernel/uapi_newer.h"

#define ATTACH_OPS                                                           \
	(IBV_QP_ATTACH_COMP_CNTR_OP_SEND | IBV_QP_ATTACH_COMP_CNTR_OP_RECV | \
	 IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ |                              \
	 IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ |                       \
	 IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE |                             \
	 IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE)

/* Same bits as in the kernel: the mask is passed unchanged. */
_Static_assert(ATTACH_OPS ==
		       (IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_SEND |
			IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RECV |
			IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RDMA_READ |
			IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ |
			IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE |
			IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE),
	       "operations");

int verbs_cmd_query_comp_cntr_caps(struct ibv_context *ctx,
				   struct ibv_comp_cntr_caps *caps)
{
	uint32_t max_counters = 0, ops = 0;
	uint64_t max_value = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_QUERY_COMP_CNTR_CAPS);
	cmd_out_ptr(&cmd,
		    VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_COUNTERS,
		    &max_counters, sizeof(max_counters));
	cmd_out_ptr(&cmd, VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_MAX_VALUE,
		    &max_value, sizeof(max_value));
	cmd_out_ptr(
		&cmd,
		VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_SUPPORTED_QP_ATTACH_OPS,
		&ops, sizeof(ops));
	ret = submit_ioctl_only(ctx, &cmd);
	if (ret)
		return ret;
	caps->max_value = max_value;
	caps->max_counters = max_counters;
	caps->supported_qp_attach_ops = ops & ATTACH_OPS;
	return 0;
}

int verbs_cmd_create_comp_cntr(struct ibv_context *ctx,
			       struct ibv_comp_cntr *cntr,
			       const struct verbs_udata *udata)
{
	uint32_t handle = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_CREATE_COMP_CNTR);
	cmd_out_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_CREATE_COMP_CNTR_HANDLE,
		    &handle);
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl_only(ctx, &cmd);
	if (ret)
		return ret;
	cntr->context = ctx;
	cntr->handle = handle;
	return 0;
}

int verbs_cmd_destroy_comp_cntr(struct ibv_comp_cntr *cntr)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_COMP_CNTR,
		.handle_attr = VERBS_UAPI_UVERBS_ATTR_DESTROY_COMP_CNTR_HANDLE,
		.ioctl_only = true,
	};

	return cmd_destroy_by_handle(cntr->context, &destroy, cntr->handle);
}

static int cmd_comp_cntr_modify(struct ibv_comp_cntr *cntr,
				enum ib_uverbs_comp_cntr_entry entry,
				enum ib_uverbs_comp_cntr_modify_op op,
				uint64_t value)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_MODIFY_COMP_CNTR);
	cmd_in_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_HANDLE,
		   cntr->handle);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_ENTRY, entry);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_OP, op);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_VALUE, value);
	return submit_ioctl_only(cntr->context, &cmd);
}

int verbs_cmd_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return cmd_comp_cntr_modify(cntr, IB_UVERBS_COMP_CNTR_ENTRY_COMP,
				    IB_UVERBS_COMP_CNTR_MODIFY_OP_SET, value);
}

int verbs_cmd_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return cmd_comp_cntr_modify(cntr, IB_UVERBS_COMP_CNTR_ENTRY_ERR,
				    IB_UVERBS_COMP_CNTR_MODIFY_OP_SET, value);
}

int verbs_cmd_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return cmd_comp_cntr_modify(cntr, IB_UVERBS_COMP_CNTR_ENTRY_COMP,
				    IB_UVERBS_COMP_CNTR_MODIFY_OP_INC, amount);
}

int verbs_cmd_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return cmd_comp_cntr_modify(cntr, IB_UVERBS_COMP_CNTR_ENTRY_ERR,
				    IB_UVERBS_COMP_CNTR_MODIFY_OP_INC, amount);
}

static int cmd_comp_cntr_read_entry(struct ibv_comp_cntr *cntr,
				    enum ib_uverbs_comp_cntr_entry entry,
				    uint64_t *ret_value)
{
	uint64_t value = 0;
	struct cmd cmd;
	int ret;

	cmd_init(&cmd, KERNEL_CAP_READ_COMP_CNTR);
	cmd_in_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_HANDLE,
		   cntr->handle);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_ENTRY, entry);
	cmd_out_ptr(&cmd, VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_RESP_VALUE,
		    &value, sizeof(value));
	ret = submit_ioctl_only(cntr->context, &cmd);
	if (!ret)
		*ret_value = value;
	return ret;
}

int verbs_cmd_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value)
{
	return cmd_comp_cntr_read_entry(cntr, IB_UVERBS_COMP_CNTR_ENTRY_COMP,
					ret_value);
}

int verbs_cmd_read_err_comp_cntr(struct ibv_comp_cntr *cntr,
				 uint64_t *ret_value)
{
	return cmd_comp_cntr_read_entry(cntr, IB_UVERBS_COMP_CNTR_ENTRY_ERR,
					ret_value);
}

int verbs_cmd_qp_attach_comp_cntr(
	struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
	const struct ibv_qp_attach_comp_cntr_attr *attr)
{
	struct cmd cmd;

	if (attr->comp_mask || (attr->op_mask & ~(uint32_t)ATTACH_OPS))
		return -EOPNOTSUPP;

	cmd_init(&cmd, KERNEL_CAP_ATTACH_COMP_CNTR);
	cmd_in_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_HANDLE,
		   qp->handle);
	cmd_in_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_CNTR_HANDLE,
		   cntr->handle);
	cmd_in_u32(&cmd, VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_OP_MASK,
		   attr->op_mask);
	return submit_ioctl_only(qp->context, &cmd);
}
