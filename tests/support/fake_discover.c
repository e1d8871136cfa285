/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces libibverbs/discover/ by an array of devices: see
 * support/fake_discover.h.
 */
#include "support/fake_discover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "discover/discover.h"
#include "util/lock.h"

/* The caller's memory pointer refers to this object after the first scan. */
struct verbs_discover_cache {
	int unused;
};

static struct verbs_discover_cache scan_memory;

static struct verbs_mutex mutex = VERBS_MUTEX_INIT;
static struct verbs_kernel_device devices[FAKE_DISCOVER_MAX] GUARDED_BY(mutex);
static size_t nr_devices GUARDED_BY(mutex);
static int error GUARDED_BY(mutex);
static unsigned int nr_scans GUARDED_BY(mutex);
static void (*on_scan)(void *arg) GUARDED_BY(mutex);
static void *on_scan_arg GUARDED_BY(mutex);

struct verbs_kernel_device fake_discover_record(unsigned int n)
{
	struct verbs_kernel_device record = {
		.cdev = makedev(231, 192 + n),
		.ibdev_index = (int)n,
		.driver_id = FAKE_DRIVER_ID,
		.abi_version = FAKE_ABI_VERSION,
		.nr_ports = 1,
		.has_node_guid = true,
		.node_guid = htobe64(n + 1),
		.node_type = IBV_NODE_CA,
	};

	(void)snprintf(record.ibdev_name, sizeof(record.ibdev_name), "fake%u",
		       n);
	(void)snprintf(record.uverbs_name, sizeof(record.uverbs_name),
		       "uverbs%u", n);
	return record;
}

void fake_discover_reset(void)
{
	verbs_mutex_lock(&mutex);
	nr_devices = 0;
	error = 0;
	nr_scans = 0;
	on_scan = NULL;
	verbs_mutex_unlock(&mutex);
}

void fake_discover_add(const struct verbs_kernel_device *record)
{
	verbs_mutex_lock(&mutex);
	if (nr_devices == FAKE_DISCOVER_MAX)
		abort();
	devices[nr_devices++] = *record;
	verbs_mutex_unlock(&mutex);
}

static bool remove_device_locked(const char *ibdev_name) REQUIRES(mutex)
{
	for (size_t i = 0; i < nr_devices; i++) {
		if (strcmp(devices[i].ibdev_name, ibdev_name) != 0)
			continue;
		nr_devices--;
		memmove(&devices[i], &devices[i + 1],
			(nr_devices - i) * sizeof(devices[0]));
		return true;
	}
	return false;
}

bool fake_discover_remove(const char *ibdev_name)
{
	bool found;

	verbs_mutex_lock(&mutex);
	found = remove_device_locked(ibdev_name);
	verbs_mutex_unlock(&mutex);
	return found;
}

void fake_discover_fail(int err)
{
	verbs_mutex_lock(&mutex);
	error = err;
	verbs_mutex_unlock(&mutex);
}

void fake_discover_on_scan(void (*hook)(void *arg), void *arg)
{
	verbs_mutex_lock(&mutex);
	on_scan = hook;
	on_scan_arg = arg;
	verbs_mutex_unlock(&mutex);
}

unsigned int fake_discover_nr_scans(void)
{
	unsigned int count;

	verbs_mutex_lock(&mutex);
	count = nr_scans;
	verbs_mutex_unlock(&mutex);
	return count;
}

static int copy_records_locked(struct verbs_device_records *ret_records)
	REQUIRES(mutex)
{
	struct verbs_kernel_device *copy = NULL;

	nr_scans++;
	if (error)
		return error;
	if (nr_devices) {
		copy = calloc(nr_devices, sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		memcpy(copy, devices, nr_devices * sizeof(*copy));
	}
	ret_records->devices = copy;
	ret_records->count = nr_devices;
	return 0;
}

int verbs_discover(struct verbs_discover_cache **memory,
		   struct verbs_device_records *ret_records)
{
	void (*hook)(void *arg);
	void *arg;
	int ret;

	/* The caller passes the pointer that the first scan returned. */
	if (*memory && *memory != &scan_memory)
		abort();
	*memory = &scan_memory;

	verbs_mutex_lock(&mutex);
	ret = copy_records_locked(ret_records);
	hook = on_scan;
	arg = on_scan_arg;
	verbs_mutex_unlock(&mutex);
	if (hook)
		hook(arg);
	return ret;
}

void verbs_device_records_free(struct verbs_device_records *records)
{
	free(records->devices);
	*records = (struct verbs_device_records){};
}

void verbs_discover_cache_free(struct verbs_discover_cache *memory)
{
	if (memory && memory != &scan_memory)
		abort();
}
