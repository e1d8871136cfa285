/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the running kernel offers, asked in one place. Nothing is probed: a
 * form is offered until the kernel has refused it, and kernel_cap_learn() is
 * told of every failure. The table is in kernel_caps.c.
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
	KERNEL_CAP_CREATE_CQ_BUF, /* the same, with memory of the driver */
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
	/* write commands that have an older form */
	KERNEL_CAP_EX_QUERY_DEVICE,

	KERNEL_CAP_NR /* number of rows, not a capability */
};

enum kernel_cap_kind {
	KERNEL_CAP_KIND_TRANSPORT, /* a system call */
	KERNEL_CAP_KIND_METHOD,	   /* an ioctl method: needs KERNEL_CAP_IOCTL */
	KERNEL_CAP_KIND_COMMAND	   /* a write command, whatever carries it */
};

struct kernel_cap {
	const char *name;
	enum kernel_cap_kind kind;
	uint16_t object, method; /* METHOD: UVERBS_OBJECT_*, UVERBS_METHOD_* */
	const char *since;	 /* kernel release that brought it */
	/* errno values that mean "not in this kernel"; others are results */
	int refusal, refusal2;
};

extern const struct kernel_cap kernel_caps[KERNEL_CAP_NR];

/** kernel_cap_row() - the table's row of @cap */
static inline const struct kernel_cap *kernel_cap_row(enum verbs_kernel_cap cap)
{
	assert(cap < KERNEL_CAP_NR);
	return &kernel_caps[cap];
}

/** kernel_cap_is_refused() - whether any of the rows of @bits was refused */
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
 * Context: any thread; in front of every ioctl.
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
 * kernel_cap_offered() - whether @cap is worth trying
 *
 * False for what was refused before, for ioctl methods without ioctl, and for
 * write(2) on an imported context. A method of an imported context is always
 * tried: there is nothing else that could be.
 *
 * Context: any thread.
 */
bool kernel_cap_offered(const struct verbs_kernel_state *state,
			enum verbs_kernel_cap cap);

/**
 * kernel_cap_learn() - take note of a failure
 * @err: errno value that an attempt of @cap ended with, > 0
 *
 * Context: any thread.
 * Return: true if the kernel does not have the form, so that another may be
 * tried; false if @err is the command's result.
 */
bool kernel_cap_learn(struct verbs_kernel_state *state,
		      enum verbs_kernel_cap cap, int err);

#endif
