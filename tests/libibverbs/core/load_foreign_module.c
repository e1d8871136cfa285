/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A module that registers itself, like those of other releases, for
 * provider_module_test.c. CMake builds several variants. MODULE_NAME is the
 * name that it registers. Optional definitions:
 *
 *	MODULE_IS_MUTE	does not register
 *	MODULE_WARNS	does not register, and warns about the reason
 *	MODULE_NEEDS	a function that it calls
 */
#include <provider/provider.h>

#include "core/foreign_hooks.h"
#include "core/log.h"
#include "core/provider_registry.h"

static const struct verbs_device_ops module_ops;

static const void *origin(const struct verbs_device_ops *provider)
{
	return &module_ops;
}

static const struct verbs_foreign_hooks hooks = {
	.origin = origin,
};

static const struct verbs_device_ops module_ops = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = MODULE_NAME,
	.foreign = &hooks,
};

#ifdef MODULE_NEEDS
void MODULE_NEEDS(void);
#endif

__attribute__((constructor)) static void register_module(void)
{
#ifdef MODULE_NEEDS
	MODULE_NEEDS();
#endif
#if defined(MODULE_WARNS)
	verbs_warn("it is as it is");
#elif !defined(MODULE_IS_MUTE)
	(void)verbs_provider_register(&module_ops);
#endif
}
