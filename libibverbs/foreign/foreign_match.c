/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Match rules of rdma-core releases. An entry names the kernel driver, or is a
 * pattern for the device name or for the modalias of the bus; or a function of
 * the provider decides. core/ calls this through foreign_hooks, with the list
 * mutex held.
 */
#include "foreign/foreign_match.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "foreign/foreign_abi.h"
#include "foreign/foreign_provider.h"
#include "util/sysfs_root.h"
#include "util/text_file.h"

static const struct foreign_match_ent *
foreign_match_find_driver(const struct foreign_match_ent *table,
			  uint32_t driver_id)
{
	if (!table || driver_id == RDMA_DRIVER_UNKNOWN)
		return NULL;
	for (; table->kind != FOREIGN_MATCH_SENTINEL; table++) {
		if (table->kind == FOREIGN_MATCH_DRIVER_ID &&
		    table->u.driver_id == driver_id)
			return table;
	}
	return NULL;
}

static bool foreign_match_entry(const struct foreign_match_ent *entry,
				const char *text)
{
	char pattern[sizeof("pci:v12345678d12345678sv*")];

	switch (entry->kind) {
	case FOREIGN_MATCH_PCI:
		(void)snprintf(pattern, sizeof(pattern), "pci:v%08Xd%08Xsv*",
			       entry->vendor, entry->device);
		return fnmatch(pattern, text, 0) == 0;
	case FOREIGN_MATCH_MODALIAS:
		return entry->u.modalias &&
		       fnmatch(entry->u.modalias, text, 0) == 0;
	default:
		return false;
	}
}

static const struct foreign_match_ent *
foreign_match_find_pattern(const struct foreign_match_ent *table,
			   const char *text)
{
	for (; *text && table->kind != FOREIGN_MATCH_SENTINEL; table++) {
		if (foreign_match_entry(table, text))
			return table;
	}
	return NULL;
}

/*
 * Modalias of the bus of the device. Software devices such as rxe0 have none.
 */
static const char *foreign_match_modalias(struct verbs_candidate *candidate,
					  const char *ibdev_path)
{
	char path[PATH_MAX];

	if (candidate->has_modalias)
		return candidate->modalias;
	candidate->has_modalias = true;
	(void)snprintf(path, sizeof(path), "%s/device/modalias", ibdev_path);
	if (text_file_read_at(AT_FDCWD, path, candidate->modalias,
			      sizeof(candidate->modalias)) < 0)
		candidate->modalias[0] = '\0';
	return candidate->modalias;
}

/* Match by kernel driver, then by device name, then by bus. */
static void foreign_match_find_entry(const struct foreign_match_ent *table,
				     struct verbs_candidate *candidate,
				     struct foreign_sysfs_dev *sysfs)
{
	char name[sizeof("rdma_device:N") + VERBS_DEVICE_NAME_LEN];

	if (!table)
		return;
	sysfs->match = foreign_match_find_driver(table, sysfs->driver_id);
	if (sysfs->match)
		return;
	(void)snprintf(name, sizeof(name), "rdma_device:N%s",
		       sysfs->ibdev_name);
	sysfs->match = foreign_match_find_pattern(table, name);
	if (sysfs->match)
		return;
	(void)snprintf(sysfs->modalias, sizeof(sysfs->modalias), "%s",
		       foreign_match_modalias(candidate, sysfs->ibdev_path));
	sysfs->flags |= FOREIGN_SYSFS_READ_MODALIAS;
	sysfs->match = foreign_match_find_pattern(table, sysfs->modalias);
}

static struct foreign_sysfs_dev *
foreign_match_sysfs_new(const struct verbs_kernel_device *record)
{
	struct foreign_sysfs_dev *sysfs = calloc(1, sizeof(*sysfs));
	int len;

	if (!sysfs)
		return NULL;
	sysfs->entry.next = sysfs->entry.prev = &sysfs->entry;
	(void)snprintf(sysfs->sysfs_name, sizeof(sysfs->sysfs_name), "%s",
		       record->uverbs_name);
	sysfs->sysfs_cdev = record->cdev;
	(void)snprintf(sysfs->ibdev_name, sizeof(sysfs->ibdev_name), "%s",
		       record->ibdev_name);
	len = snprintf(sysfs->ibdev_path, sizeof(sysfs->ibdev_path),
		       "%s/class/infiniband/%s", sysfs_root(),
		       record->ibdev_name);
	if (len < 0 || (size_t)len >= sizeof(sysfs->ibdev_path))
		sysfs->ibdev_path[0] = '\0';
	if (record->has_node_guid) {
		sysfs->node_guid = be64toh(record->node_guid);
		sysfs->flags |= FOREIGN_SYSFS_READ_NODE_GUID;
	}
	sysfs->driver_id = record->driver_id;
	sysfs->node_type = record->node_type;
	sysfs->ibdev_idx = record->ibdev_index;
	sysfs->num_ports = record->nr_ports;
	sysfs->abi_ver = record->abi_version;
	sysfs->time_created = record->created;
	return sysfs;
}

/* Warns once for each provider, not in each refresh of the device list. */
static bool foreign_match_check_abi(struct foreign_provider *provider,
				    const struct foreign_sysfs_dev *sysfs)
{
	const struct foreign_device_ops *module_ops = provider->module_ops;

	if (sysfs->abi_ver >= module_ops->match_min_abi_version &&
	    sysfs->abi_ver <= module_ops->match_max_abi_version)
		return true;
	if (!atomic_flag_test_and_set(&provider->warned))
		verbs_warn("provider %s: supports versions %u to %u of its "
			   "kernel driver's ABI, but %s has version %u",
			   module_ops->name, module_ops->match_min_abi_version,
			   module_ops->match_max_abi_version, sysfs->ibdev_name,
			   sysfs->abi_ver);
	return false;
}

bool foreign_match_device(const struct verbs_device_ops *ops,
			  enum verbs_match_kind kind,
			  struct verbs_candidate *candidate)
{
	struct foreign_provider *provider = foreign_provider_of(ops);
	const struct foreign_device_ops *module_ops = provider->module_ops;
	struct foreign_sysfs_dev *sysfs;
	bool claims;

	if (kind == VERBS_MATCH_DRIVER_ID &&
	    !foreign_match_find_driver(module_ops->match_table,
				       candidate->kernel->driver_id))
		return false;
	sysfs = foreign_match_sysfs_new(candidate->kernel);
	if (!sysfs)
		return false;

	foreign_match_find_entry(module_ops->match_table, candidate, sysfs);
	claims = module_ops->match_device ? module_ops->match_device(sysfs)
					  : sysfs->match != NULL;
	if (!claims || !foreign_match_check_abi(provider, sysfs)) {
		free(sysfs);
		return false;
	}
	candidate->claim = sysfs;
	return true;
}
