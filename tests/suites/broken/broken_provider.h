/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between a provider module of rdma-core and the library, as far
 * as the broken modules need it; the layout is that of all releases since 34.
 * NODE is the number of the private interface for which the module is built.
 */
#ifndef BROKEN_BROKEN_PROVIDER_H
#define BROKEN_BROKEN_PROVIDER_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum match_kind {
	MATCH_END,
	MATCH_PCI,
	MATCH_MODALIAS,
	MATCH_DRIVER_ID,
};

struct match_entry {
	void *driver_data;
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor, device;
	uint8_t kind;
};

struct device_ops {
	const char *name;
	uint32_t min_abi, max_abi;
	const struct match_entry *match_table;
	const struct device_ops **static_providers;
	_Bool (*match_device)(void *sysfs_device);
	void *(*alloc_context)(void *device, int cmd_fd, void *private_data);
	void *(*import_context)(void *device, int cmd_fd);
	void *(*alloc_device)(void *sysfs_device);
	void (*uninit_device)(void *device);
};

#define JOIN(a, b)  a##b
#define NAME(a, b)  JOIN(a, b)
#define register_me NAME(verbs_register_driver_, NODE)

void register_me(const struct device_ops *ops);

/* Larger than the library's part of a device, which is at its beginning. */
#define DEVICE_BYTES 1024

static inline void *new_device(void *sysfs_device)
{
	(void)sysfs_device;
	return calloc(1, DEVICE_BYTES);
}

static inline void free_device(void *device)
{
	free(device);
}

static inline void *no_context(void *device, int cmd_fd, void *private_data)
{
	(void)device;
	(void)cmd_fd;
	(void)private_data;
	errno = EIO;
	return NULL;
}

#endif
