/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registered memory and fork(). The device keeps writing to the pages that were
 * registered; after a fork the parent would get copies of them on its first
 * write, and device and parent would no longer see the same memory. So the
 * child does not inherit such pages (MADV_DONTFORK), or newer kernels copy them
 * for the child.
 */
#ifndef CORE_FORK_GUARD_H
#define CORE_FORK_GUARD_H

#include <infiniband/verbs.h>
#include <stddef.h>

/**
 * verbs_fork_init() - from now on, keep registered memory from children
 *
 * Does nothing where the kernel takes care of it, and if it is on already.
 *
 * Return: 0; -EINVAL if memory was registered before; -ENOSYS if the kernel
 * knows no such advice; -ENOMEM.
 */
int verbs_fork_init(void);

/** verbs_fork_status() - asks the kernel each time */
enum ibv_fork_status verbs_fork_status(void);

/**
 * verbs_fork_guard_add() - memory is about to be registered
 * @base, @size: bytes; a @base of NULL or a @size of 0 is nothing
 *
 * Calls are counted for each page. Before verbs_fork_init() it only remembers
 * that it is too late for that.
 *
 * Return: 0; -EINVAL if this is no range; -ENOMEM, also when the kernel has no
 * room for more mappings; what else madvise(2) says. Nothing has changed then.
 */
int verbs_fork_guard_add(void *base, size_t size);

/**
 * verbs_fork_guard_remove() - memory is no longer registered
 *
 * The opposite of a verbs_fork_guard_add() of the same range. The memory may be
 * gone meanwhile: pages that the kernel does not take back are passed over.
 *
 * Return: 0; -EINVAL; -ENOMEM: then the memory stays kept from children.
 */
int verbs_fork_guard_remove(void *base, size_t size);

#endif
