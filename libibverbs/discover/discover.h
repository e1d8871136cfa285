/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the RDMA devices that are usable through a uverbs device node, by
 * netlink or, if netlink is unusable, by sysfs. The result is an array of
 * records. This folder does not use the device list or providers, and has no
 * global state.
 */
#ifndef DISCOVER_DISCOVER_H
#define DISCOVER_DISCOVER_H

#include "discover/records.h"

/* Opaque: state that makes the next scan cheaper. */
struct verbs_discover_cache;

/**
 * verbs_discover() - scan for devices
 * @memory: owned by the caller, NULL before the first scan; pass the same
 *	pointer to each scan. It only saves system calls and never changes the
 *	result.
 * @ret_records: the caller frees it with verbs_device_records_free()
 *
 * Context: the caller serialises calls that share @memory. May sleep in the
 * kernel (which may load a module).
 * Return: 0, also if there is no device; -ENOSYS if this kernel has no RDMA
 * support; -EPERM if access is denied; -ENOMEM; -EMFILE or -ENFILE if no file
 * descriptor is available. @ret_records is unchanged after a failure.
 */
int verbs_discover(struct verbs_discover_cache **memory,
		   struct verbs_device_records *ret_records);

void verbs_discover_cache_free(struct verbs_discover_cache *memory);

#endif
