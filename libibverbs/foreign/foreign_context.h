/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of foreign providers. The memory is theirs: a verbs_context of their
 * release, at whose end is the ibv_context that applications see. Measured
 * from the ibv_context, every member is where ours is; what is in front of
 * query_port is missing in older releases, and must not be touched there.
 *
 * A verbs_context is a void pointer here, because its size depends on the node,
 * which is the number in the function's name.
 */
#ifndef FOREIGN_FOREIGN_CONTEXT_H
#define FOREIGN_FOREIGN_CONTEXT_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/**
 * foreign_context_of() - the ibv_context in a provider's verbs_context
 * @node: 34, 57, ...: of the function that the provider called
 * @vctx: start of its verbs_context, made by
 *	_verbs_init_and_alloc_context()
 *
 * Return: NULL if @vctx is not such a struct of that node.
 */
struct ibv_context *foreign_context_of(unsigned int node, void *vctx);

/**
 * foreign_init_and_alloc_context() - _verbs_init_and_alloc_context()
 * @device: of the provider's
 * @cmd_fd: becomes the context's; is closed on failure
 * @alloc_size: bytes of the provider's struct
 * @context_offset: in fact a number: of the verbs_context in that struct
 * @driver_id: sent with each command
 *
 * Return: the struct, zeroed but for the context; or NULL and errno: EINVAL,
 * ENOMEM.
 */
void *foreign_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				     size_t alloc_size, void *context_offset,
				     uint32_t driver_id);

/**
 * foreign_set_ops_34() - verbs_set_ops()
 * @ops: a table of that node; members that are NULL leave what was there
 *
 * May be called any number of times, also when the device is open.
 */
void foreign_set_ops_34(void *vctx, const void *ops);
void foreign_set_ops_57(void *vctx, const void *ops);
void foreign_set_ops_59(void *vctx, const void *ops);
void foreign_set_ops_64(void *vctx, const void *ops);
void foreign_set_ops_65(void *vctx, const void *ops);

/** foreign_uninit_context_34() - verbs_uninit_context(); the memory remains */
void foreign_uninit_context_34(void *vctx);
void foreign_uninit_context_57(void *vctx);
void foreign_uninit_context_59(void *vctx);
void foreign_uninit_context_64(void *vctx);
void foreign_uninit_context_65(void *vctx);

#endif
