/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the module of a name and registers its provider. */
#ifndef CORE_PROVIDER_MODULE_H
#define CORE_PROVIDER_MODULE_H

#include <stdbool.h>

#include "core/provider_name.h"

/**
 * verbs_provider_module_load() - load the first module of a name that works
 *
 * Warns if there is none, and about each unusable module.
 *
 * Context: runs constructors of modules. Two threads must not call it at the
 * same time, and no lock that a constructor may take may be held.
 * Return: whether a module of that name is loaded and has registered.
 */
bool verbs_provider_module_load(const struct verbs_provider_name *name);

/**
 * verbs_provider_module_load_beside() - load a module of the install tree
 *
 * Searches only for this library's own kind of module, and only in the folder
 * libibverbs/ beside the running library. Warns about an unusable module, but
 * not about a missing one.
 *
 * Context, return: as above.
 */
bool verbs_provider_module_load_beside(const struct verbs_provider_name *name);

#endif
