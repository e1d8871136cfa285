/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps the device list: compares the discovered devices with the list,
 * chooses providers for new devices, and removes devices that are gone.
 * api/device.c calls it.
 *
 * One refresh, in order: verbs_discover(), refresh_remove_vanished_locked(),
 * refresh_adopt_new_locked(). While no provider claims some of the records,
 * verbs_device_list_get() drops the mutex, loads providers, and calls
 * refresh_adopt_new_locked() again. At the end each provider lists its devices
 * that have no kernel driver. Providers that the user must enable are loaded
 * before all of this.
 *
 * Invariants, under list_mutex:
 * - the list holds one reference on each of its devices;
 * - no two devices in the list are the same kernel device.
 */
#include "core/device_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_match.h"
#include "core/log.h"
#include "core/provider_load.h"
#include "core/provider_registry.h"
#include "discover/discover.h"
#include "util/lock.h"

static struct verbs_mutex list_mutex = VERBS_MUTEX_INIT;
static struct list_node
	device_list GUARDED_BY(list_mutex) = LIST_INIT(device_list);
static size_t nr_devices GUARDED_BY(list_mutex);
static struct verbs_discover_cache *discover_memory GUARDED_BY(list_mutex);
/*
 * Number of scans, so that a refresh that dropped the mutex detects another
 * scan.
 */
static unsigned int generation GUARDED_BY(list_mutex);
/* Every configured provider was tried, so loading cannot help any more. */
static bool all_loaded GUARDED_BY(list_mutex);

/* ------------------------------------------------------------------------ */
/* Comparing the list with a scan                                           */
/* ------------------------------------------------------------------------ */

/*
 * Whether a record describes the same incarnation of a device. The kernel
 * never reuses a netlink index. Without an index, the modification time of the
 * sysfs folder distinguishes incarnations.
 */
static bool record_is_device(const struct verbs_kernel_device *a,
			     const struct verbs_kernel_device *b)
{
	if (a->ibdev_index != b->ibdev_index || a->cdev != b->cdev ||
	    strcmp(a->ibdev_name, b->ibdev_name) != 0 ||
	    strcmp(a->uverbs_name, b->uverbs_name) != 0)
		return false;
	return a->ibdev_index >= 0 ||
	       (a->created.tv_sec == b->created.tv_sec &&
		a->created.tv_nsec == b->created.tv_nsec);
}

/* State of one record in a refresh. */
enum record_state {
	RECORD_NEW,   /* no provider has claimed it */
	RECORD_KNOWN, /* its device is in the list */
};

struct refresh {
	struct verbs_device_records records;
	unsigned char *state; /* enum record_state, one for each record */
	size_t nr_new;
	size_t next;		 /* index at which the search begins */
	size_t nr_providers;	 /* at the last adoption of new records */
	unsigned int generation; /* value of the counter at the scan */
	bool kernel_has_rdma;	 /* false: discovery returned -ENOSYS */
	bool drivers_tried;	 /* loading by kernel driver was tried */
	bool all_tried;		 /* loading of all providers was tried */
};

/* Takes ownership of the records, on failure as well. */
static int refresh_begin(struct refresh *refresh,
			 struct verbs_device_records records)
{
	*refresh = (struct refresh){
		.records = records,
		.state = calloc(records.count + 1, 1),
		.nr_new = records.count,
	};
	return refresh->state ? 0 : -ENOMEM;
}

static void refresh_end(struct refresh *refresh)
{
	free(refresh->state);
	verbs_device_records_free(&refresh->records);
}

/*
 * The list and the records have nearly the same order, so each search begins
 * behind the previous match.
 */
static bool refresh_mark_known(struct refresh *refresh,
			       const struct verbs_device *dev)
{
	size_t count = refresh->records.count;

	for (size_t tried = 0; tried < count; tried++) {
		size_t i = (refresh->next + tried) % count;

		if (refresh->state[i] == RECORD_NEW &&
		    record_is_device(&refresh->records.devices[i],
				     &dev->kernel)) {
			refresh->state[i] = RECORD_KNOWN;
			refresh->nr_new--;
			refresh->next = i + 1;
			return true;
		}
	}
	return false;
}

static void device_list_remove_locked(struct verbs_device *dev)
	REQUIRES(list_mutex)
{
	list_del(&dev->entry);
	nr_devices--;
	verbs_device_put(dev);
}

static void refresh_remove_vanished_locked(struct refresh *refresh)
	REQUIRES(list_mutex)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &device_list) {
		struct verbs_device *dev =
			list_entry(pos, struct verbs_device, entry);

		if (dev->has_node && !refresh_mark_known(refresh, dev))
			device_list_remove_locked(dev);
	}
}

/* Removes @provider from an array. Return: the new number of entries. */
static size_t provider_array_remove(const struct verbs_device_ops **providers,
				    size_t count,
				    const struct verbs_device_ops *provider)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (providers[i] != provider)
			providers[kept++] = providers[i];
	}
	return kept;
}

/*
 * A provider may claim a device and then fail to make it; the remaining
 * providers are tried then. Return: 0, -ENODEV if no provider makes the
 * device, or -ENOMEM.
 */
static int
refresh_make_device_locked(const struct verbs_kernel_device *record,
			   const struct verbs_device_ops *const *providers,
			   size_t count, struct verbs_device **ret_dev)
	REQUIRES(list_mutex)
{
	const struct verbs_device_ops *remaining[VERBS_MAX_PROVIDERS];
	struct verbs_candidate candidate = { .kernel = record };

	memcpy(remaining, providers, count * sizeof(*remaining));
	for (;;) {
		const struct verbs_device_ops *provider =
			verbs_match_device(&candidate, remaining, count);
		int ret;

		if (!provider)
			return -ENODEV;
		ret = verbs_device_new_kernel(provider, &candidate, ret_dev);
		if (ret == 0 || ret == -ENOMEM)
			return ret;
		candidate.claim = NULL; /* make_device() has freed it */
		count = provider_array_remove(remaining, count, provider);
	}
}

/*
 * Adds new devices in front of older ones, in the kernel's order. Either all
 * new devices enter the list or none, so that a failed call does not change
 * the order.
 */
static int refresh_adopt_new_locked(struct refresh *refresh)
	REQUIRES(list_mutex)
{
	const struct verbs_device_ops *providers[VERBS_MAX_PROVIDERS];
	size_t count = verbs_provider_snapshot(providers);
	struct list_node adopted = LIST_INIT(adopted);
	struct list_node *before = device_list.next;
	struct list_node *pos, *tmp;

	refresh->nr_providers = count;
	for (size_t i = 0; i < refresh->records.count; i++) {
		struct verbs_device *dev;
		int ret;

		if (refresh->state[i] != RECORD_NEW)
			continue;
		ret = refresh_make_device_locked(&refresh->records.devices[i],
						 providers, count, &dev);
		if (ret == -ENOMEM)
			goto err_put_adopted;
		if (ret)
			continue;
		list_add_tail(&adopted, &dev->entry);
		refresh->state[i] = RECORD_KNOWN;
		refresh->nr_new--;
	}
	list_for_each_safe (pos, tmp, &adopted) {
		list_del(pos);
		list_insert_before(before, pos);
		nr_devices++;
	}
	return 0;

err_put_adopted:
	list_for_each_safe (pos, tmp, &adopted)
		verbs_device_put(list_entry(pos, struct verbs_device, entry));
	return -ENOMEM;
}

/* ------------------------------------------------------------------------ */
/* Devices without a kernel driver                                          */
/* ------------------------------------------------------------------------ */

struct provider_scan {
	const struct verbs_device_ops *provider;
	struct list_node found; /* devices that the provider has listed */
};

/* The add() argument of verbs_device_ops.list_devices(). */
static int provider_scan_add_device(void *arg, const char *name, int node_type,
				    __be64 node_guid)
{
	struct provider_scan *scan = arg;
	struct verbs_device *dev;

	dev = verbs_device_new(scan->provider, name, node_type);
	if (!dev)
		return -ENOMEM;
	atomic_init(&dev->node_guid, node_guid);
	list_add_tail(&scan->found, &dev->entry);
	return 0;
}

/*
 * If the list has a device of the same name, moves it to the scan, in front of
 * @dev.
 */
static bool provider_scan_keep_known_locked(struct verbs_device *dev)
	REQUIRES(list_mutex)
{
	struct list_node *pos;

	list_for_each (pos, &device_list) {
		struct verbs_device *known =
			list_entry(pos, struct verbs_device, entry);

		if (known->provider == dev->provider && !known->has_node &&
		    strcmp(known->pub->name, dev->pub->name) == 0) {
			list_del(&known->entry);
			nr_devices--;
			list_insert_before(&dev->entry, &known->entry);
			return true;
		}
	}
	return false;
}

/*
 * Replaces the provider's devices in the list by those of the scan. Devices
 * that are in both keep their object.
 */
static void provider_scan_merge_locked(struct provider_scan *scan)
	REQUIRES(list_mutex)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &scan->found) {
		struct verbs_device *dev =
			list_entry(pos, struct verbs_device, entry);

		if (provider_scan_keep_known_locked(dev)) {
			list_del(&dev->entry);
			verbs_device_put(dev);
		}
	}
	list_for_each_safe (pos, tmp, &device_list) {
		struct verbs_device *dev =
			list_entry(pos, struct verbs_device, entry);

		if (!dev->has_node && dev->provider == scan->provider)
			device_list_remove_locked(dev);
	}
	list_for_each_safe (pos, tmp, &scan->found) {
		list_del(pos);
		list_add_tail(&device_list, pos);
		nr_devices++;
	}
}

static int refresh_provider_devices_locked(void) REQUIRES(list_mutex)
{
	const struct verbs_device_ops *providers[VERBS_MAX_PROVIDERS];
	size_t count = verbs_provider_snapshot(providers);

	for (size_t i = 0; i < count; i++) {
		struct provider_scan scan = { .provider = providers[i] };
		struct list_node *pos, *tmp;
		int ret;

		if (!providers[i]->list_devices)
			continue;
		list_init(&scan.found);
		ret = providers[i]->list_devices(provider_scan_add_device,
						 &scan);
		if (ret == 0) {
			provider_scan_merge_locked(&scan);
			continue;
		}
		list_for_each_safe (pos, tmp, &scan.found)
			verbs_device_put(
				list_entry(pos, struct verbs_device, entry));
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Refresh                                                                  */
/* ------------------------------------------------------------------------ */

/* Whether an unclaimed record before @index has the same kernel driver. */
static bool refresh_driver_was_tried(const struct refresh *refresh,
				     size_t index)
{
	const struct verbs_kernel_device *devices = refresh->records.devices;

	for (size_t i = 0; i < index; i++) {
		if (refresh->state[i] == RECORD_NEW &&
		    devices[i].driver_id == devices[index].driver_id)
			return true;
	}
	return false;
}

/* Loads the providers that the kernel drivers of the unclaimed records name. */
static void refresh_load_by_driver(const struct refresh *refresh)
{
	for (size_t i = 0; i < refresh->records.count; i++) {
		if (refresh->state[i] == RECORD_NEW &&
		    !refresh_driver_was_tried(refresh, i))
			(void)verbs_provider_load_for(
				refresh->records.devices[i].driver_id);
	}
}

static size_t registered_provider_count(void)
{
	const struct verbs_device_ops *ignored[VERBS_MAX_PROVIDERS];

	return verbs_provider_snapshot(ignored);
}

static void refresh_warn_unclaimed(const struct refresh *refresh)
{
	for (size_t i = 0; i < refresh->records.count; i++) {
		if (refresh->state[i] == RECORD_NEW)
			verbs_warn(
				"no provider for %s (kernel driver %s, "
				"ABI %u)",
				refresh->records.devices[i].ibdev_name,
				verbs_driver_name(
					refresh->records.devices[i].driver_id)
					?: "unknown",
				refresh->records.devices[i].abi_version);
	}
}

/*
 * Loads providers that may claim the new records: first those that the kernel
 * drivers name, and all if no provider has registered since the last adoption.
 * The list mutex is not held, because a module's constructor may use the
 * library.
 */
static void refresh_load_providers(struct refresh *refresh)
{
	if (!refresh->drivers_tried)
		refresh_load_by_driver(refresh);
	refresh->drivers_tried = true;
	if (registered_provider_count() == refresh->nr_providers) {
		(void)verbs_provider_load_all(); /* adoption sees its result */
		refresh->all_tried = true;
	}
}

/*
 * Scans, removes devices that are gone, and adopts new ones whose providers
 * are loaded. A kernel without RDMA support has no devices. refresh_end() must
 * follow, after an error as well.
 */
static int refresh_scan_locked(struct refresh *refresh) REQUIRES(list_mutex)
{
	struct verbs_device_records records;
	bool kernel_has_rdma;
	int ret;

	*refresh = (struct refresh){};
	ret = verbs_discover(&discover_memory, &records);
	if (ret && ret != -ENOSYS)
		return ret;
	kernel_has_rdma = ret == 0;
	if (!kernel_has_rdma)
		records = (struct verbs_device_records){};

	ret = refresh_begin(refresh, records);
	if (ret)
		return ret;
	refresh->kernel_has_rdma = kernel_has_rdma;
	refresh->generation = ++generation;
	refresh_remove_vanished_locked(refresh);
	return refresh_adopt_new_locked(refresh);
}

/*
 * Continues after refresh_load_providers(). If another thread has scanned in
 * the meantime, the records are out of date, and the refresh starts again.
 */
static int refresh_resume_locked(struct refresh *refresh) REQUIRES(list_mutex)
{
	if (refresh->all_tried)
		all_loaded = true;
	if (generation == refresh->generation)
		return refresh_adopt_new_locked(refresh);
	refresh_end(refresh);
	return refresh_scan_locked(refresh);
}

static int refresh_finish_locked(const struct refresh *refresh)
	REQUIRES(list_mutex)
{
	int ret;

	refresh_warn_unclaimed(refresh);
	ret = refresh_provider_devices_locked();
	if (ret == 0 && !refresh->kernel_has_rdma && nr_devices == 0)
		ret = -ENOSYS;
	return ret;
}

static int device_list_copy_locked(struct ibv_device ***ret_array,
				   int *ret_count) REQUIRES(list_mutex)
{
	struct ibv_device **array;
	struct list_node *pos;
	int count = 0;

	array = malloc((nr_devices + 1) * sizeof(*array));
	if (!array)
		return -ENOMEM;
	list_for_each (pos, &device_list) {
		struct verbs_device *dev =
			list_entry(pos, struct verbs_device, entry);

		verbs_device_get(dev);
		array[count++] = dev->pub;
	}
	array[count] = NULL;
	*ret_array = array;
	*ret_count = count;
	return 0;
}

int verbs_device_list_get(struct ibv_device ***ret_array, int *ret_count)
{
	struct refresh refresh;
	int ret;

	(void)verbs_provider_load_opt_in(); /* the refresh uses the result */
	verbs_mutex_lock(&list_mutex);
	ret = refresh_scan_locked(&refresh);
	/*
	 * The loop ends: each turn either increases the number of providers or
	 * sets all_loaded.
	 */
	while (ret == 0 && refresh.nr_new > 0 && !all_loaded) {
		verbs_mutex_unlock(&list_mutex);
		refresh_load_providers(&refresh);
		verbs_mutex_lock(&list_mutex);
		ret = refresh_resume_locked(&refresh);
	}
	if (ret == 0)
		ret = refresh_finish_locked(&refresh);
	if (ret == 0)
		ret = device_list_copy_locked(ret_array, ret_count);
	verbs_mutex_unlock(&list_mutex);
	refresh_end(&refresh);
	return ret;
}

/* Drops the references of @array from element @i on, and frees @array. */
static __attribute__((noinline)) void
device_list_put_from(struct ibv_device **array, size_t i)
{
	for (; array[i]; i++) {
		struct verbs_device *dev = verbs_device_of(array[i]);

		if (dev)
			verbs_device_put(dev);
	}
	free(array);
}

/*
 * The list of devices has a reference to each device that exists, so this
 * function usually frees none. It leaves that to another one, because it would
 * save registers for the calls.
 */
void verbs_device_list_put(struct ibv_device **array)
{
	size_t i;

	for (i = 0; array[i]; i++) {
		struct verbs_device *dev = verbs_device_linked(array[i]);

		if (!dev || !verbs_device_put_not_last(dev)) {
			device_list_put_from(array, i);
			return;
		}
	}
	free(array);
}
