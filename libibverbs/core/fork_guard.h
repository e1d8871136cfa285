/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registered memory and fork(). A device keeps writing to registered pages.
 * After a fork the parent gets copies of these pages on its first write, and
 * the device and the parent would use different memory. Therefore the child
 * does not inherit registered pages (MADV_DONTFORK), or the kernel copies them
 * for the child at the fork.
 */
#ifndef CORE_FORK_GUARD_H
#define CORE_FORK_GUARD_H

#include <infiniband/verbs.h>
#include <stddef.h>

/**
 * verbs_fork_init() - exclude registered memory from children from now on
 *
 * Does nothing if the kernel copies pinned pages at the fork, or if the guard
 * is on already.
 *
 * Return: 0; -EINVAL if memory was registered before; -ENOSYS if the kernel
 * does not support the advice; -ENOMEM.
 */
int verbs_fork_init(void);

/** verbs_fork_status() - query the state; reads it from the kernel each time */
enum ibv_fork_status verbs_fork_status(void);

/**
 * verbs_fork_guard_add() - exclude a range from children; call it before the
 * registration
 * @base, @size: bytes; a @base of NULL or a @size of 0 does nothing
 *
 * Calls are counted for each page. Before verbs_fork_init() this only records
 * that it is too late to turn the guard on.
 *
 * Return: 0; -EINVAL if the range wraps; -ENOMEM, also at the limit of
 * mappings; otherwise -errno of madvise(2). On failure nothing has changed.
 */
int verbs_fork_guard_add(void *base, size_t size);

/**
 * verbs_fork_guard_remove() - undo verbs_fork_guard_add() of the same range
 *
 * The memory may have been unmapped in the meantime: pages that the kernel
 * rejects are skipped.
 *
 * Return: 0; -EINVAL; -ENOMEM: the memory stays excluded from children.
 */
int verbs_fork_guard_remove(void *base, size_t size);

#endif
