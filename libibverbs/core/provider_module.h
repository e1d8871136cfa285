/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finding the module of one name, and having its provider registered. */
#ifndef CORE_PROVIDER_MODULE_H
#define CORE_PROVIDER_MODULE_H

#include <stdbool.h>

#include "core/provider_name.h"

/**
 * verbs_provider_module_load() - load the best module of a name that works
 *
 * Says so if there is none, and about each that does not work.
 *
 * Context: runs constructors of modules; not to be called by two threads at
 * once, and with no lock that a constructor may want.
 * Return: whether a module of that name is loaded now and has registered.
 */
bool verbs_provider_module_load(const struct verbs_provider_name *name);

/**
 * verbs_provider_module_load_beside() - load a module of the install tree
 *
 * Looks only for this library's own kind of module, and only in the folder
 * libibverbs/ beside the running library. Warns about a module that is unusable
 * but not about a missing one.
 *
 * Context, return: as above.
 */
bool verbs_provider_module_load_beside(const struct verbs_provider_name *name);

#endif
