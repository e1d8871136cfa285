/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The specifications behind a struct ibv_flow_attr, as the kernel wants them:
 * see kernel/flow_spec.c.
 */
#ifndef KERNEL_FLOW_SPEC_H
#define KERNEL_FLOW_SPEC_H

#include <stddef.h>

/* Kernels take 10; the rest is for those to come. */
#define FLOW_SPEC_MAX 32
/* The longest, of IPv6, has this many bytes for the kernel. */
#define FLOW_SPEC_MAX_LEN 88

/**
 * flow_spec_to_kernel() - translate one specification
 * @spec: the application's, at any alignment; not longer than it says
 * @to: room for FLOW_SPEC_MAX_LEN bytes, zeroed
 * @ret_from_len: bytes of @spec: where the next one begins
 * @ret_to_len: bytes of @to in use, a multiple of 8
 *
 * Return: 0; -EINVAL if the type is unknown or the size too small for it, or
 * the object of an action is missing; -EOPNOTSUPP if it wants to match bytes
 * that this library does not know.
 */
int flow_spec_to_kernel(const void *spec, void *to, size_t *ret_from_len,
			size_t *ret_to_len);

#endif
