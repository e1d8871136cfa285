/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asks the kernel which RDMA devices exist and can be used through a uverbs
 * node: netlink first, sysfs where netlink cannot. Plain records out; nothing
 * here knows of a device list, of providers, or keeps state of its own.
 */
#ifndef DISCOVER_DISCOVER_H
#define DISCOVER_DISCOVER_H

#include "discover/records.h"

/* Opaque: what one scan remembers to make the next one cheaper. */
struct verbs_discover_memory;

/**
 * verbs_discover() - scan
 * @memory: owned by the caller, NULL before the first scan; the same pointer is
 *	given to each scan. It only saves system calls; it never changes the
 *	result.
 * @ret_records: the caller frees it with verbs_device_records_free()
 *
 * Context: the caller serialises calls that share @memory. May sleep in the
 * kernel (which may load a module).
 * Return: 0, also for no device; -ENOSYS if this kernel has no RDMA support;
 * -EPERM if it may not be asked; -ENOMEM; -EMFILE or -ENFILE if there was no
 * descriptor to ask with. @ret_records is untouched after a failure.
 */
int verbs_discover(struct verbs_discover_memory **memory,
		   struct verbs_device_records *ret_records);

void verbs_discover_memory_free(struct verbs_discover_memory *memory);

#endif
