/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The providers of this process, in the order of their registration. */
#ifndef CORE_PROVIDER_REGISTRY_H
#define CORE_PROVIDER_REGISTRY_H

#include <provider/provider.h>
#include <stdbool.h>
#include <stddef.h>

/* More than all drivers that the kernel ever had. */
#define VERBS_MAX_PROVIDERS 64

/**
 * verbs_provider_register() - add a provider
 * @ops: must stay valid until the process ends. A second registration has no
 *	effect.
 *
 * Context: any thread; takes registry_mutex only.
 * Return: 0; -EINVAL if @ops was built for another VERBS_PROVIDER_ABI or has
 * no name; -EEXIST if another provider has its name; -ENOSPC.
 */
int verbs_provider_register(const struct verbs_device_ops *ops);

/**
 * verbs_provider_known() - check whether a provider of a name has registered
 */
bool verbs_provider_known(const char *name);

/**
 * verbs_provider_snapshot() - copy the array of all providers
 * @ret_ops: room for VERBS_MAX_PROVIDERS
 *
 * Return: the number of providers.
 */
size_t verbs_provider_snapshot(const struct verbs_device_ops **ret_ops);

#endif
