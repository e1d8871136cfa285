/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains a failed ibv_reg_mr(3). If no rule is broken
 * (layers/check_memory.c), the errno decides.
 */
#include "layers/checks.h"

static void memory_add_errno_meaning(struct explain_text *text, int error)
{
	switch (error) {
	case ENOMEM:
		explain_add(text, "the kernel has no memory, or the device has "
				  "no room for another region (max_mr)");
		break;
	case EFAULT:
		explain_add(text,
			    "the kernel cannot pin the pages; memory of "
			    "devices and some files cannot be registered");
		break;
	case EPERM:
		explain_add(text, "the process may not lock memory (RLIMIT_"
				  "MEMLOCK, CAP_IPC_LOCK)");
		break;
	default:
		explain_add(text, "the provider refused the region; compare "
				  "the access flags with the capabilities of "
				  "the device (ibv_devinfo -v)");
	}
}

void explain_reg_mr(struct ibv_pd *pd, const void *addr, size_t length,
		    int access, int error)
{
	struct explain_text text = {};
	unsigned int flags = (unsigned int)access;

	explain_add(&text, "ibv_reg_mr(%s, %p, %zu bytes, access 0x%x): ",
		    pd->context->device->name, addr, length, flags);
	explain_add_errno(&text, error);
	explain_add(&text, ": ");
	if (!check_reg_mr(&text, pd->context, addr, length, flags, error))
		memory_add_errno_meaning(&text, error);
	explain_add(&text, ".");
	explain_print(EXPLAIN_REG_MR, &text);
}
