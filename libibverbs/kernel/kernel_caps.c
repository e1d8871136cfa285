/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capabilities of the kernel: one table, one row per capability. Called by
 * submit.c for everything that goes through an ioctl, and by the few commands
 * that fall back to an older command. Makes no system call.
 *
 * The result of the first use of a capability decides. ENOTTY means that the
 * descriptor supports no uverbs ioctl at all, EPROTONOSUPPORT that the kernel
 * lacks the method or one of its mandatory attributes.
 */
#include "kernel/kernel_caps.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stddef.h>

#include "kernel/uapi_newer.h"

_Static_assert(KERNEL_CAP_NR <= 64, "one bit per row");

/* clang-format would break the columns of the table. */
/* clang-format off */
#define METHOD(obj, meth) \
	.kind = KERNEL_CAP_KIND_METHOD, \
	.object = UVERBS_OBJECT_##obj, .method = UVERBS_METHOD_##meth, \
	.refusal = EPROTONOSUPPORT

/* A method that the oldest supported kernel headers do not define. */
#define METHOD_NEWER(obj, meth) \
	.kind = KERNEL_CAP_KIND_METHOD, .object = obj, \
	.method = VERBS_UAPI_UVERBS_METHOD_##meth, \
	.refusal = EPROTONOSUPPORT

const struct kernel_cap kernel_caps[KERNEL_CAP_NR] = {
	[KERNEL_CAP_IOCTL] = {
		.name = "ioctl", .since = "4.14",
		.kind = KERNEL_CAP_KIND_TRANSPORT, .refusal = ENOTTY },
	/*
	 * The kernel returns EACCES if the credentials of the process have
	 * changed since it opened the descriptor; fork() is enough for that.
	 * EACCES can also be the result of a command, so it is learned only
	 * where the same command then succeeds by ioctl.
	 */
	[KERNEL_CAP_WRITE] = {
		.name = "write", .since = "2.6.11",
		.kind = KERNEL_CAP_KIND_TRANSPORT, .refusal = EACCES },

	[KERNEL_CAP_INVOKE_WRITE] = {
		.name = "invoke_write", .since = "5.0",
		METHOD(DEVICE, INVOKE_WRITE) },
	[KERNEL_CAP_GET_CONTEXT] = {
		.name = "get_context", .since = "5.6",
		METHOD(DEVICE, GET_CONTEXT) },
	[KERNEL_CAP_QUERY_CONTEXT] = {
		.name = "query_context", .since = "5.9",
		METHOD(DEVICE, QUERY_CONTEXT) },
	[KERNEL_CAP_ALLOC_ASYNC_FD] = {
		.name = "alloc_async_fd", .since = "5.6",
		METHOD(ASYNC_EVENT, ASYNC_EVENT_ALLOC) },
	[KERNEL_CAP_QUERY_PORT] = {
		.name = "query_port", .since = "5.0",
		METHOD(DEVICE, QUERY_PORT) },
	[KERNEL_CAP_QUERY_PORT_SPEED] = {
		.name = "query_port_speed", .since = "7.0",
		METHOD_NEWER(UVERBS_OBJECT_DEVICE, QUERY_PORT_SPEED) },
	[KERNEL_CAP_QUERY_GID_TABLE] = {
		.name = "query_gid_table", .since = "5.10",
		METHOD(DEVICE, QUERY_GID_TABLE) },
	[KERNEL_CAP_QUERY_GID_ENTRY] = {
		.name = "query_gid_entry", .since = "5.10",
		METHOD(DEVICE, QUERY_GID_ENTRY) },
	[KERNEL_CAP_DEALLOC_PD] = {
		.name = "dealloc_pd", .since = "5.0",
		METHOD(PD, PD_DESTROY) },
	[KERNEL_CAP_CLOSE_XRCD] = {
		.name = "close_xrcd", .since = "5.0",
		METHOD(XRCD, XRCD_DESTROY) },
	[KERNEL_CAP_DEREG_MR] = {
		.name = "dereg_mr", .since = "5.0",
		METHOD(MR, MR_DESTROY) },
	[KERNEL_CAP_ADVISE_MR] = {
		.name = "advise_mr", .since = "5.0",
		METHOD(MR, ADVISE_MR) },
	[KERNEL_CAP_QUERY_MR] = {
		.name = "query_mr", .since = "5.9",
		METHOD(MR, QUERY_MR) },
	[KERNEL_CAP_REG_DMABUF_MR] = {
		.name = "reg_dmabuf_mr", .since = "5.12",
		METHOD(MR, REG_DMABUF_MR) },
	[KERNEL_CAP_REG_MR] = {
		.name = "reg_mr", .since = "6.17",
		METHOD_NEWER(UVERBS_OBJECT_MR, REG_MR) },
	[KERNEL_CAP_REG_DM_MR] = {
		.name = "reg_dm_mr", .since = "4.17",
		METHOD(MR, DM_MR_REG) },
	[KERNEL_CAP_DEALLOC_MW] = {
		.name = "dealloc_mw", .since = "5.0",
		METHOD(MW, MW_DESTROY) },
	[KERNEL_CAP_ALLOC_DM] = {
		.name = "alloc_dm", .since = "4.17",
		METHOD(DM, DM_ALLOC) },
	[KERNEL_CAP_FREE_DM] = {
		.name = "free_dm", .since = "4.17",
		METHOD(DM, DM_FREE) },
	[KERNEL_CAP_EXPORT_DMABUF] = {
		.name = "export_dmabuf", .since = "7.0",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_DMABUF, DMABUF_ALLOC) },
	[KERNEL_CAP_ALLOC_DMAH] = {
		.name = "alloc_dmah", .since = "6.17",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_DMAH, DMAH_ALLOC) },
	[KERNEL_CAP_FREE_DMAH] = {
		.name = "free_dmah", .since = "6.17",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_DMAH, DMAH_FREE) },
	[KERNEL_CAP_DESTROY_AH] = {
		.name = "destroy_ah", .since = "5.0",
		METHOD(AH, AH_DESTROY) },
	[KERNEL_CAP_CREATE_CQ] = {
		.name = "create_cq", .since = "5.0",
		METHOD(CQ, CQ_CREATE) },
	[KERNEL_CAP_CREATE_CQ_BUF] = {
		.name = "create_cq_buf", .since = "6.17",
		METHOD(CQ, CQ_CREATE) },
	[KERNEL_CAP_DESTROY_CQ] = {
		.name = "destroy_cq", .since = "5.0",
		METHOD(CQ, CQ_DESTROY) },
	[KERNEL_CAP_CREATE_QP] = {
		.name = "create_qp", .since = "5.8",
		METHOD(QP, QP_CREATE) },
	[KERNEL_CAP_DESTROY_QP] = {
		.name = "destroy_qp", .since = "5.8",
		METHOD(QP, QP_DESTROY) },
	[KERNEL_CAP_CREATE_SRQ] = {
		.name = "create_srq", .since = "5.8",
		METHOD(SRQ, SRQ_CREATE) },
	[KERNEL_CAP_DESTROY_SRQ] = {
		.name = "destroy_srq", .since = "5.8",
		METHOD(SRQ, SRQ_DESTROY) },
	[KERNEL_CAP_CREATE_WQ] = {
		.name = "create_wq", .since = "5.8",
		METHOD(WQ, WQ_CREATE) },
	[KERNEL_CAP_DESTROY_WQ] = {
		.name = "destroy_wq", .since = "5.8",
		METHOD(WQ, WQ_DESTROY) },
	[KERNEL_CAP_DESTROY_RWQ_IND_TABLE] = {
		.name = "destroy_rwq_ind_table", .since = "5.0",
		METHOD(RWQ_IND_TBL, RWQ_IND_TBL_DESTROY) },
	[KERNEL_CAP_DESTROY_FLOW] = {
		.name = "destroy_flow", .since = "5.0",
		METHOD(FLOW, FLOW_DESTROY) },
	[KERNEL_CAP_CREATE_FLOW_ACTION_ESP] = {
		.name = "create_flow_action_esp", .since = "4.17",
		METHOD(FLOW_ACTION, FLOW_ACTION_ESP_CREATE) },
	[KERNEL_CAP_MODIFY_FLOW_ACTION_ESP] = {
		.name = "modify_flow_action_esp", .since = "4.17",
		METHOD(FLOW_ACTION, FLOW_ACTION_ESP_MODIFY) },
	[KERNEL_CAP_DESTROY_FLOW_ACTION] = {
		.name = "destroy_flow_action", .since = "4.17",
		METHOD(FLOW_ACTION, FLOW_ACTION_DESTROY) },
	[KERNEL_CAP_CREATE_COUNTERS] = {
		.name = "create_counters", .since = "4.18",
		METHOD(COUNTERS, COUNTERS_CREATE) },
	[KERNEL_CAP_READ_COUNTERS] = {
		.name = "read_counters", .since = "4.18",
		METHOD(COUNTERS, COUNTERS_READ) },
	[KERNEL_CAP_DESTROY_COUNTERS] = {
		.name = "destroy_counters", .since = "4.18",
		METHOD(COUNTERS, COUNTERS_DESTROY) },
	[KERNEL_CAP_QUERY_COMP_CNTR_CAPS] = {
		.name = "query_comp_cntr_caps", .since = "after 7.0",
		METHOD_NEWER(UVERBS_OBJECT_DEVICE, QUERY_COMP_CNTR_CAPS) },
	[KERNEL_CAP_CREATE_COMP_CNTR] = {
		.name = "create_comp_cntr", .since = "after 7.0",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_CREATE) },
	[KERNEL_CAP_MODIFY_COMP_CNTR] = {
		.name = "modify_comp_cntr", .since = "after 7.0",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_MODIFY) },
	[KERNEL_CAP_READ_COMP_CNTR] = {
		.name = "read_comp_cntr", .since = "after 7.0",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_READ) },
	[KERNEL_CAP_DESTROY_COMP_CNTR] = {
		.name = "destroy_comp_cntr", .since = "after 7.0",
		METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_DESTROY) },
	[KERNEL_CAP_ATTACH_COMP_CNTR] = {
		.name = "attach_comp_cntr", .since = "after 7.0",
		METHOD_NEWER(UVERBS_OBJECT_QP, QP_ATTACH_COMP_CNTR) },

	/* Kernels before 4.20 return ENOSYS. */
	[KERNEL_CAP_EX_QUERY_DEVICE] = {
		.name = "ex_query_device", .since = "3.19",
		.kind = KERNEL_CAP_KIND_COMMAND,
		.refusal = EOPNOTSUPP, .refusal2 = ENOSYS },
};
/* clang-format on */

static void kernel_cap_mark_refused(struct verbs_kernel_state *state,
				    enum verbs_kernel_cap cap)
{
	(void)atomic_fetch_or_explicit(&state->refused, KERNEL_CAP_BIT(cap),
				       memory_order_relaxed); /* old value */
}

bool kernel_cap_offered(const struct verbs_kernel_state *state,
			enum verbs_kernel_cap cap)
{
	if (cap == KERNEL_CAP_WRITE)
		return kernel_cap_write_offered(state);
	if (kernel_caps[cap].kind == KERNEL_CAP_KIND_METHOD)
		return kernel_cap_method_offered(state, cap);
	return !kernel_cap_is_refused(state, KERNEL_CAP_BIT(cap));
}

bool kernel_cap_learn(struct verbs_kernel_state *state,
		      enum verbs_kernel_cap cap, int err)
{
	const struct kernel_cap *row = kernel_cap_row(cap);

	if (row->kind == KERNEL_CAP_KIND_METHOD &&
	    err == kernel_caps[KERNEL_CAP_IOCTL].refusal) {
		kernel_cap_mark_refused(state, KERNEL_CAP_IOCTL);
		return true;
	}
	if (err == row->refusal || (row->refusal2 && err == row->refusal2)) {
		kernel_cap_mark_refused(state, cap);
		return true;
	}
	return false;
}
