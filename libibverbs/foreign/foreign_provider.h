/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Providers that modules of rdma-core releases have registered. */
#ifndef FOREIGN_FOREIGN_PROVIDER_H
#define FOREIGN_FOREIGN_PROVIDER_H

#include <provider/provider.h>
#include <stdatomic.h>

#include "foreign/foreign_abi.h"
#include "foreign/foreign_variant.h"

/* Constant after registration, except for the flag. Never freed. */
struct foreign_provider {
	struct verbs_device_ops ops; /* first */
	const struct foreign_device_ops *module_ops;
	const struct foreign_variant *variant;
	unsigned int release; /* foreign_release() */
	/*
	 * A warning about a matching device that the provider cannot drive was
	 * logged.
	 */
	atomic_flag warned;
};

static inline struct foreign_provider *
foreign_provider_of(const struct verbs_device_ops *ops)
{
	return (struct foreign_provider *)(uintptr_t)ops;
}

/**
 * foreign_provider_add() - register a provider with the library
 * @module_ops: table of the module; never freed
 * @ops: template; the provider gets a copy with the name of @module_ops
 * @variant: private ABI of the module
 * @release: see foreign_release()
 *
 * Return: 0; -EALREADY if @module_ops is registered; -ENOSPC if there are too
 * many providers or memory is short; or the error of
 * verbs_provider_register().
 */
int foreign_provider_add(const struct foreign_device_ops *module_ops,
			 const struct verbs_device_ops *ops,
			 const struct foreign_variant *variant,
			 unsigned int release);

/**
 * foreign_provider_of_module() - find the provider that a table belongs to
 * @module_ops: a table; if it is not registered, another table of the same
 *	module must be
 *
 * Return: NULL if the table belongs to no module with a registered provider, or
 * if there are too many tables.
 */
const struct foreign_provider *
foreign_provider_of_module(const struct foreign_device_ops *module_ops);

#endif
