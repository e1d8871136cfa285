/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A provider that a module of an existing release has registered, as the rest
 * of the library sees it.
 */
#ifndef FOREIGN_FOREIGN_PROVIDER_H
#define FOREIGN_FOREIGN_PROVIDER_H

#include <provider/provider.h>
#include <stdatomic.h>

#include "foreign/foreign_abi.h"
#include "foreign/foreign_variant.h"

/* Constant once it is registered, but for the flag. Lives for ever. */
struct foreign_provider {
	struct verbs_device_ops ops; /* first */
	const struct foreign_device_ops *module_ops;
	const struct foreign_variant *variant;
	unsigned int release; /* foreign_release() */
	/* The user was told that it cannot drive a device that it claims. */
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
 * @ops: copied; the name in the copy is that of @module_ops
 * @variant: private ABI of the module
 * @release: see foreign_release()
 *
 * Return: 0; -EALREADY if @module_ops is registered; -ENOSPC if there are too
 * many providers; or the error of verbs_provider_register().
 */
int foreign_provider_add(const struct foreign_device_ops *module_ops,
			 const struct verbs_device_ops *ops,
			 const struct foreign_variant *variant,
			 unsigned int release);

/**
 * foreign_provider_of_module() - the provider that a table belongs to
 * @module_ops: a table that need not have been registered, as long as another
 *one of the same module was
 *
 * Return: NULL if no foreign module has it, or there are too many tables.
 */
const struct foreign_provider *
foreign_provider_of_module(const struct foreign_device_ops *module_ops);

#endif
