/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Providers of a static build: those that RDMA_STATIC_PROVIDERS names, which
 * are linked into the application. Replaces provider_load.c, so that the
 * dynamic linker is not needed.
 */
/* Makes the header declare the names that a static build uses. */
#define RDMA_STATIC_PROVIDERS none
#include <infiniband/verbs.h>
#include <stdarg.h>

#include "core/log.h"
#include "core/provider_load.h"
#include "core/provider_registry.h"

/*
 * The keyword "none". Programs that were compiled with the headers of other
 * releases also pass it to fill the list of providers up to 20 names.
 */
const struct verbs_device_ops verbs_provider_none = {
	.provider_abi = VERBS_PROVIDER_ABI,
};

static void static_provider_register(const struct verbs_device_ops *ops)
{
	if (ops->name && verbs_provider_register(ops) != 0)
		verbs_warn("provider %s: cannot be registered", ops->name);
	if (!ops->members)
		return;
	for (size_t i = 0; ops->members[i]; i++)
		static_provider_register(ops->members[i]);
}

void ibv_static_providers(void *unused, ...)
{
	const struct verbs_device_ops *ops;
	va_list args;

	va_start(args, unused);
	while ((ops = va_arg(args, const struct verbs_device_ops *)) != NULL)
		static_provider_register(ops);
	va_end(args);
}

bool verbs_provider_load_opt_in(void)
{
	return false;
}

bool verbs_provider_load_for(uint32_t driver_id)
{
	return false;
}

bool verbs_provider_load_all(void)
{
	return false;
}
