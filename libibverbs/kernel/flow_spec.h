/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translates the specifications that follow a struct ibv_flow_attr into structs
 * of the kernel: see kernel/flow_spec.c.
 */
#ifndef KERNEL_FLOW_SPEC_H
#define KERNEL_FLOW_SPEC_H

#include <stddef.h>

/* Kernels accept 10; the rest is reserve for later kernels. */
#define FLOW_SPEC_MAX 32
/* Bytes of the longest kernel struct, that of IPv6. */
#define FLOW_SPEC_MAX_LEN 88

/**
 * flow_spec_to_kernel() - translate one specification
 * @spec: specification of the application, at any alignment; its size member
 *	must be correct
 * @to: FLOW_SPEC_MAX_LEN zero bytes
 * @ret_from_len: length of @spec; the next specification follows it
 * @ret_to_len: bytes used at @to, a multiple of 8
 *
 * Return: 0; -EINVAL if the type is unknown, the size is too small for the
 * type, or the object of an action is missing; -EOPNOTSUPP if the mask selects
 * bytes that this library does not support.
 */
int flow_spec_to_kernel(const void *spec, void *to, size_t *ret_from_len,
			size_t *ret_to_len);

#endif
