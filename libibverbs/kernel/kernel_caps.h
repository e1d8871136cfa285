/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capabilities of the running kernel. Nothing is probed: a capability counts as
 * offered until the kernel refuses it. Callers report every failure to
 * kernel_cap_learn(). The table is in kernel_caps.c.
 */
#ifndef KERNEL_KERNEL_CAPS_H
#define KERNEL_KERNEL_CAPS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel_state.h"

/* One bit each in verbs_kernel_state.refused; at most 64. */
enum verbs_kernel_cap {
	/* transports: the two system calls that reach the kernel */
	KERNEL_CAP_IOCTL,
	KERNEL_CAP_WRITE,
	/* ioctl methods */
	KERNEL_CAP_INVOKE_WRITE,
	KERNEL_CAP_GET_CONTEXT,
	KERNEL_CAP_QUERY_CONTEXT,
	KERNEL_CAP_ALLOC_ASYNC_FD,
	KERNEL_CAP_QUERY_PORT,
	KERNEL_CAP_QUERY_PORT_SPEED,
	KERNEL_CAP_QUERY_GID_TABLE,
	KERNEL_CAP_QUERY_GID_ENTRY,
	KERNEL_CAP_DEALLOC_PD,
	KERNEL_CAP_CLOSE_XRCD,
	KERNEL_CAP_DEREG_MR,
	KERNEL_CAP_ADVISE_MR,
	KERNEL_CAP_QUERY_MR,
	KERNEL_CAP_REG_DMABUF_MR,
	KERNEL_CAP_REG_MR,
	KERNEL_CAP_REG_DM_MR,
	KERNEL_CAP_DEALLOC_MW,
	KERNEL_CAP_ALLOC_DM,
	KERNEL_CAP_FREE_DM,
	KERNEL_CAP_EXPORT_DMABUF,
	KERNEL_CAP_ALLOC_DMAH,
	KERNEL_CAP_FREE_DMAH,
	KERNEL_CAP_DESTROY_AH,
	KERNEL_CAP_CREATE_CQ,
	KERNEL_CAP_CREATE_CQ_BUF, /* CREATE_CQ with memory of the driver */
	KERNEL_CAP_DESTROY_CQ,
	KERNEL_CAP_CREATE_QP,
	KERNEL_CAP_DESTROY_QP,
	KERNEL_CAP_CREATE_SRQ,
	KERNEL_CAP_DESTROY_SRQ,
	KERNEL_CAP_CREATE_WQ,
	KERNEL_CAP_DESTROY_WQ,
	KERNEL_CAP_DESTROY_RWQ_IND_TABLE,
	KERNEL_CAP_DESTROY_FLOW,
	KERNEL_CAP_CREATE_FLOW_ACTION_ESP,
	KERNEL_CAP_MODIFY_FLOW_ACTION_ESP,
	KERNEL_CAP_DESTROY_FLOW_ACTION,
	KERNEL_CAP_CREATE_COUNTERS,
	KERNEL_CAP_READ_COUNTERS,
	KERNEL_CAP_DESTROY_COUNTERS,
	KERNEL_CAP_QUERY_COMP_CNTR_CAPS,
	KERNEL_CAP_CREATE_COMP_CNTR,
	KERNEL_CAP_MODIFY_COMP_CNTR,
	KERNEL_CAP_READ_COMP_CNTR,
	KERNEL_CAP_DESTROY_COMP_CNTR,
	KERNEL_CAP_ATTACH_COMP_CNTR,
	/* write commands with an older command to fall back to */
	KERNEL_CAP_EX_QUERY_DEVICE,

	KERNEL_CAP_NR /* number of capabilities */
};

enum kernel_cap_kind {
	KERNEL_CAP_KIND_TRANSPORT, /* a system call */
	KERNEL_CAP_KIND_METHOD,	   /* an ioctl method: needs KERNEL_CAP_IOCTL */
	KERNEL_CAP_KIND_COMMAND	   /* a write command, on any transport */
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
