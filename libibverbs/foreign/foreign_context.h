/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts of foreign providers. The provider allocates the verbs_context of
 * its release; the ibv_context that applications see is at its end. Relative to
 * the ibv_context, every member is at the same offset in all releases. Older
 * releases do not have the members in front of query_port, and the library does
 * not write there.
 *
 * A verbs_context is a void pointer here, because its size depends on the node,
 * which is the number in the function name.
 */
#ifndef FOREIGN_FOREIGN_CONTEXT_H
#define FOREIGN_FOREIGN_CONTEXT_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/**
 * foreign_context_of() - find the ibv_context in a verbs_context of a provider
 * @node: 34, 57, ...: private node of the function that the provider called
 * @vctx: start of the verbs_context, from _verbs_init_and_alloc_context()
 *
 * Return: NULL if @vctx is not a verbs_context of @node.
 */
struct ibv_context *foreign_context_of(unsigned int node, void *vctx);

/**
 * foreign_init_and_alloc_context() - allocate a context for a provider
 * @device: device of the provider
 * @cmd_fd: owned by the context; closed on failure
 * @alloc_size: bytes of the provider's struct
 * @context_offset: offset of the verbs_context in that struct; rdma-core
 *	declares it as a pointer
 * @driver_id: sent with each command
 *
 * Exported as _verbs_init_and_alloc_context().
 *
 * Return: the struct, zeroed except for the context; or NULL with errno set to
 * EINVAL or ENOMEM.
 */
void *foreign_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				     size_t alloc_size, void *context_offset,
				     uint32_t driver_id);

/**
 * foreign_set_ops_34() - add ops of a provider to a context
 * @ops: op table in the layout of the node; a NULL member keeps the op set
 *	before
 *
 * Exported as verbs_set_ops(). May be called any number of times, even on a
 * context that is in use.
 */
void foreign_set_ops_34(void *vctx, const void *ops);
void foreign_set_ops_57(void *vctx, const void *ops);
void foreign_set_ops_59(void *vctx, const void *ops);
void foreign_set_ops_64(void *vctx, const void *ops);
void foreign_set_ops_65(void *vctx, const void *ops);

/**
 * foreign_uninit_context_34() - release the resources of a context
 *
 * Exported as verbs_uninit_context(). The provider frees the memory.
 */
void foreign_uninit_context_34(void *vctx);
void foreign_uninit_context_57(void *vctx);
void foreign_uninit_context_59(void *vctx);
void foreign_uninit_context_64(void *vctx);
void foreign_uninit_context_65(void *vctx);

#endif
