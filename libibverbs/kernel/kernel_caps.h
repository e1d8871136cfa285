/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capabilities of the running kernel: one table, one row per capability.
 * Nothing is probed: a capability counts as offered until the kernel refuses
 * it. Callers report every failure to kernel_cap_learn().
 */
#ifndef KERNEL_KERNEL_CAPS_H
#define KERNEL_KERNEL_CAPS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel_state.h"

/*
 * The capabilities: ROW() takes the constant and the initialisers of its struct
 * kernel_cap. METHOD() and METHOD_NEWER() are defined in kernel_caps.c.
 */
/* clang-format off */
#define KERNEL_CAPS(ROW) \
	/* the two system calls that carry commands */ \
	ROW(KERNEL_CAP_IOCTL, \
	    .name = "ioctl", .since = "4.14", \
	    .kind = KERNEL_CAP_KIND_SYSCALL, .refusal = ENOTTY) \
	/* \
	 * The kernel returns EACCES if the credentials of the process have \
	 * changed since it opened the descriptor; fork() is enough for that. \
	 * EACCES can also be the result of a command, so it is learned only \
	 * where the same command then succeeds by ioctl. \
	 */ \
	ROW(KERNEL_CAP_WRITE, \
	    .name = "write", .since = "2.6.11", \
	    .kind = KERNEL_CAP_KIND_SYSCALL, .refusal = EACCES) \
	/* ioctl methods */ \
	ROW(KERNEL_CAP_INVOKE_WRITE, \
	    .name = "invoke_write", .since = "5.0", \
	    METHOD(DEVICE, INVOKE_WRITE)) \
	ROW(KERNEL_CAP_GET_CONTEXT, \
	    .name = "get_context", .since = "5.6", \
	    METHOD(DEVICE, GET_CONTEXT)) \
	ROW(KERNEL_CAP_QUERY_CONTEXT, \
	    .name = "query_context", .since = "5.9", \
	    METHOD(DEVICE, QUERY_CONTEXT)) \
	ROW(KERNEL_CAP_ALLOC_ASYNC_FD, \
	    .name = "alloc_async_fd", .since = "5.6", \
	    METHOD(ASYNC_EVENT, ASYNC_EVENT_ALLOC)) \
	ROW(KERNEL_CAP_QUERY_PORT, \
	    .name = "query_port", .since = "5.0", \
	    METHOD(DEVICE, QUERY_PORT)) \
	ROW(KERNEL_CAP_QUERY_PORT_SPEED, \
	    .name = "query_port_speed", .since = "7.0", \
	    METHOD_NEWER(UVERBS_OBJECT_DEVICE, QUERY_PORT_SPEED)) \
	ROW(KERNEL_CAP_QUERY_GID_TABLE, \
	    .name = "query_gid_table", .since = "5.10", \
	    METHOD(DEVICE, QUERY_GID_TABLE)) \
	ROW(KERNEL_CAP_QUERY_GID_ENTRY, \
	    .name = "query_gid_entry", .since = "5.10", \
	    METHOD(DEVICE, QUERY_GID_ENTRY)) \
	ROW(KERNEL_CAP_DEALLOC_PD, \
	    .name = "dealloc_pd", .since = "5.0", \
	    METHOD(PD, PD_DESTROY)) \
	ROW(KERNEL_CAP_CLOSE_XRCD, \
	    .name = "close_xrcd", .since = "5.0", \
	    METHOD(XRCD, XRCD_DESTROY)) \
	ROW(KERNEL_CAP_DEREG_MR, \
	    .name = "dereg_mr", .since = "5.0", \
	    METHOD(MR, MR_DESTROY)) \
	ROW(KERNEL_CAP_ADVISE_MR, \
	    .name = "advise_mr", .since = "5.0", \
	    METHOD(MR, ADVISE_MR)) \
	ROW(KERNEL_CAP_QUERY_MR, \
	    .name = "query_mr", .since = "5.9", \
	    METHOD(MR, QUERY_MR)) \
	ROW(KERNEL_CAP_REG_DMABUF_MR, \
	    .name = "reg_dmabuf_mr", .since = "5.12", \
	    METHOD(MR, REG_DMABUF_MR)) \
	ROW(KERNEL_CAP_REG_MR, \
	    .name = "reg_mr", .since = "6.17", \
	    METHOD_NEWER(UVERBS_OBJECT_MR, REG_MR)) \
	ROW(KERNEL_CAP_REG_DM_MR, \
	    .name = "reg_dm_mr", .since = "4.17", \
	    METHOD(MR, DM_MR_REG)) \
	ROW(KERNEL_CAP_DEALLOC_MW, \
	    .name = "dealloc_mw", .since = "5.0", \
	    METHOD(MW, MW_DESTROY)) \
	ROW(KERNEL_CAP_ALLOC_DM, \
	    .name = "alloc_dm", .since = "4.17", \
	    METHOD(DM, DM_ALLOC)) \
	ROW(KERNEL_CAP_FREE_DM, \
	    .name = "free_dm", .since = "4.17", \
	    METHOD(DM, DM_FREE)) \
	ROW(KERNEL_CAP_EXPORT_DMABUF, \
	    .name = "export_dmabuf", .since = "7.0", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_DMABUF, DMABUF_ALLOC)) \
	ROW(KERNEL_CAP_ALLOC_DMAH, \
	    .name = "alloc_dmah", .since = "6.17", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_DMAH, DMAH_ALLOC)) \
	ROW(KERNEL_CAP_FREE_DMAH, \
	    .name = "free_dmah", .since = "6.17", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_DMAH, DMAH_FREE)) \
	ROW(KERNEL_CAP_DESTROY_AH, \
	    .name = "destroy_ah", .since = "5.0", \
	    METHOD(AH, AH_DESTROY)) \
	ROW(KERNEL_CAP_CREATE_CQ, \
	    .name = "create_cq", .since = "5.0", \
	    METHOD(CQ, CQ_CREATE)) \
	/* CREATE_CQ with memory of the driver */ \
	ROW(KERNEL_CAP_CREATE_CQ_BUF, \
	    .name = "create_cq_buf", .since = "6.17", \
	    METHOD(CQ, CQ_CREATE)) \
	ROW(KERNEL_CAP_DESTROY_CQ, \
	    .name = "destroy_cq", .since = "5.0", \
	    METHOD(CQ, CQ_DESTROY)) \
	ROW(KERNEL_CAP_CREATE_QP, \
	    .name = "create_qp", .since = "5.8", \
	    METHOD(QP, QP_CREATE)) \
	ROW(KERNEL_CAP_DESTROY_QP, \
	    .name = "destroy_qp", .since = "5.8", \
	    METHOD(QP, QP_DESTROY)) \
	ROW(KERNEL_CAP_CREATE_SRQ, \
	    .name = "create_srq", .since = "5.8", \
	    METHOD(SRQ, SRQ_CREATE)) \
	ROW(KERNEL_CAP_DESTROY_SRQ, \
	    .name = "destroy_srq", .since = "5.8", \
	    METHOD(SRQ, SRQ_DESTROY)) \
	ROW(KERNEL_CAP_CREATE_WQ, \
	    .name = "create_wq", .since = "5.8", \
	    METHOD(WQ, WQ_CREATE)) \
	ROW(KERNEL_CAP_DESTROY_WQ, \
	    .name = "destroy_wq", .since = "5.8", \
	    METHOD(WQ, WQ_DESTROY)) \
	ROW(KERNEL_CAP_DESTROY_RWQ_IND_TABLE, \
	    .name = "destroy_rwq_ind_table", .since = "5.0", \
	    METHOD(RWQ_IND_TBL, RWQ_IND_TBL_DESTROY)) \
	ROW(KERNEL_CAP_DESTROY_FLOW, \
	    .name = "destroy_flow", .since = "5.0", \
	    METHOD(FLOW, FLOW_DESTROY)) \
	ROW(KERNEL_CAP_CREATE_FLOW_ACTION_ESP, \
	    .name = "create_flow_action_esp", .since = "4.17", \
	    METHOD(FLOW_ACTION, FLOW_ACTION_ESP_CREATE)) \
	ROW(KERNEL_CAP_MODIFY_FLOW_ACTION_ESP, \
	    .name = "modify_flow_action_esp", .since = "4.17", \
	    METHOD(FLOW_ACTION, FLOW_ACTION_ESP_MODIFY)) \
	ROW(KERNEL_CAP_DESTROY_FLOW_ACTION, \
	    .name = "destroy_flow_action", .since = "4.17", \
	    METHOD(FLOW_ACTION, FLOW_ACTION_DESTROY)) \
	ROW(KERNEL_CAP_CREATE_COUNTERS, \
	    .name = "create_counters", .since = "4.18", \
	    METHOD(COUNTERS, COUNTERS_CREATE)) \
	ROW(KERNEL_CAP_READ_COUNTERS, \
	    .name = "read_counters", .since = "4.18", \
	    METHOD(COUNTERS, COUNTERS_READ)) \
	ROW(KERNEL_CAP_DESTROY_COUNTERS, \
	    .name = "destroy_counters", .since = "4.18", \
	    METHOD(COUNTERS, COUNTERS_DESTROY)) \
	ROW(KERNEL_CAP_QUERY_COMP_CNTR_CAPS, \
	    .name = "query_comp_cntr_caps", .since = "after 7.0", \
	    METHOD_NEWER(UVERBS_OBJECT_DEVICE, QUERY_COMP_CNTR_CAPS)) \
	ROW(KERNEL_CAP_CREATE_COMP_CNTR, \
	    .name = "create_comp_cntr", .since = "after 7.0", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_CREATE)) \
	ROW(KERNEL_CAP_MODIFY_COMP_CNTR, \
	    .name = "modify_comp_cntr", .since = "after 7.0", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_MODIFY)) \
	ROW(KERNEL_CAP_READ_COMP_CNTR, \
	    .name = "read_comp_cntr", .since = "after 7.0", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_READ)) \
	ROW(KERNEL_CAP_DESTROY_COMP_CNTR, \
	    .name = "destroy_comp_cntr", .since = "after 7.0", \
	    METHOD_NEWER(VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR, COMP_CNTR_DESTROY)) \
	ROW(KERNEL_CAP_ATTACH_COMP_CNTR, \
	    .name = "attach_comp_cntr", .since = "after 7.0", \
	    METHOD_NEWER(UVERBS_OBJECT_QP, QP_ATTACH_COMP_CNTR)) \
	/* \
	 * Write commands with an older command to fall back to. Kernels \
	 * before 4.20 return ENOSYS. \
	 */ \
	ROW(KERNEL_CAP_EX_QUERY_DEVICE, \
	    .name = "ex_query_device", .since = "3.19", \
	    .kind = KERNEL_CAP_KIND_COMMAND, .refusal = EOPNOTSUPP, .refusal2 = ENOSYS)
/* One bit each in verbs_kernel_state.refused; at most 64. */
enum verbs_kernel_cap {
#define ROW(cap, ...) cap,
	KERNEL_CAPS(ROW)
#undef ROW
	KERNEL_CAP_NR /* number of capabilities */
};
/* clang-format on */

enum kernel_cap_kind {
	KERNEL_CAP_KIND_SYSCALL, /* a system call */
	KERNEL_CAP_KIND_METHOD,	 /* an ioctl method: needs KERNEL_CAP_IOCTL */
	KERNEL_CAP_KIND_COMMAND	 /* a write command, by either system call */
};

struct kernel_cap {
	const char *name;
	enum kernel_cap_kind kind;
	uint16_t object, method; /* METHOD: UVERBS_OBJECT_*, UVERBS_METHOD_* */
	const char *since;	 /* first kernel release that has it */
	/* Only these errno values mean "this kernel does not have it". */
	int refusal, refusal2;
};

extern const struct kernel_cap kernel_caps[KERNEL_CAP_NR];

/** kernel_cap_row() - get the row of @cap */
static inline const struct kernel_cap *kernel_cap_row(enum verbs_kernel_cap cap)
{
	assert(cap < KERNEL_CAP_NR);
	return &kernel_caps[cap];
}

/** kernel_cap_is_refused() - check whether any cap in @bits is refused */
static inline bool kernel_cap_is_refused(const struct verbs_kernel_state *state,
					 uint64_t bits)
{
	/* Relaxed: no other data depends on the bits. */
	return atomic_load_explicit(&state->refused, memory_order_relaxed) &
	       bits;
}

#define KERNEL_CAP_BIT(cap) (UINT64_C(1) << (cap))

/**
 * kernel_cap_method_offered() - kernel_cap_offered() for an ioctl method
 *
 * Context: any thread; called before every ioctl.
 */
static inline bool
kernel_cap_method_offered(const struct verbs_kernel_state *state,
			  enum verbs_kernel_cap cap)
{
	const uint64_t needed = KERNEL_CAP_BIT(KERNEL_CAP_IOCTL) |
				KERNEL_CAP_BIT(cap);

	return !kernel_cap_is_refused(state, needed) || state->imported;
}

/**
 * kernel_cap_write_offered() - kernel_cap_offered() for write(2)
 *
 * Context: any thread; data path.
 */
static inline bool
kernel_cap_write_offered(const struct verbs_kernel_state *state)
{
	return !state->imported &&
	       !kernel_cap_is_refused(state, KERNEL_CAP_BIT(KERNEL_CAP_WRITE));
}

/**
 * kernel_cap_offered() - check whether to try @cap
 *
 * False if the kernel refused @cap before, for ioctl methods if it refused
 * ioctl, and for write(2) on an imported context. On an imported context every
 * ioctl method is offered, because there is no form to fall back to.
 *
 * Context: any thread.
 */
bool kernel_cap_offered(const struct verbs_kernel_state *state,
			enum verbs_kernel_cap cap);

/**
 * kernel_cap_learn() - record whether a failure means that @cap is missing
 * @err: errno value of a failed attempt to use @cap, > 0
 *
 * Context: any thread.
 * Return: true if the kernel does not have @cap, so the caller may fall back to
 * another form; false if @err is the result of the command.
 */
bool kernel_cap_learn(struct verbs_kernel_state *state,
		      enum verbs_kernel_cap cap, int err);

#endif
