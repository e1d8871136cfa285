/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capabilities of the kernel; the rows of the table are in kernel_caps.h.
 * Called by submit.c for everything that goes through an ioctl, and by the few
 * commands that fall back to an older command. Makes no system call.
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
#define ROW(cap, ...) [cap] = { __VA_ARGS__ },
	KERNEL_CAPS(ROW)
#undef ROW
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
