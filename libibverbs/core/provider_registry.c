/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The registered providers. The array has a fixed size: a provider is never
 * removed and there are few, so a registration needs no memory.
 */
#include "core/provider_registry.h"

#include <errno.h>
#include <string.h>

#include "util/lock.h"

static struct verbs_mutex registry_mutex = VERBS_MUTEX_INIT;
static const struct verbs_device_ops *
	registry[VERBS_MAX_PROVIDERS] GUARDED_BY(registry_mutex);
static size_t nr_registered GUARDED_BY(registry_mutex);

static int provider_register_locked(const struct verbs_device_ops *ops)
	REQUIRES(registry_mutex)
{
	for (size_t i = 0; i < nr_registered; i++) {
		if (registry[i] == ops)
			return 0;
		if (strcmp(registry[i]->name, ops->name) == 0)
			return -EEXIST;
	}
	if (nr_registered == VERBS_MAX_PROVIDERS)
		return -ENOSPC;

	registry[nr_registered++] = ops;
	return 0;
}

int verbs_provider_register(const struct verbs_device_ops *ops)
{
	int ret;

	if (ops->provider_abi != VERBS_PROVIDER_ABI || !ops->name)
		return -EINVAL;

	verbs_mutex_lock(&registry_mutex);
	ret = provider_register_locked(ops);
	verbs_mutex_unlock(&registry_mutex);
	return ret;
}

bool verbs_provider_known(const char *name)
{
	bool known = false;

	verbs_mutex_lock(&registry_mutex);
	for (size_t i = 0; i < nr_registered && !known; i++)
		known = strcmp(registry[i]->name, name) == 0;
	verbs_mutex_unlock(&registry_mutex);
	return known;
}

size_t verbs_provider_snapshot(const struct verbs_device_ops **ret_ops)
{
	size_t count;

	verbs_mutex_lock(&registry_mutex);
	count = nr_registered;
	memcpy(ret_ops, registry, count * sizeof(*ret_ops));
	verbs_mutex_unlock(&registry_mutex);
	return count;
}
