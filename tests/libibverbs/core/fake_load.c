/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Simulates loading: see libibverbs/core/fake_load.h. */
#include "libibverbs/core/fake_load.h"

#include "core/provider_load.h"
#include "core/provider_registry.h"

struct fake_load fake_load;

static bool fake_load_provider(const struct verbs_device_ops **ops)
{
	bool found = *ops && verbs_provider_register(*ops) == 0;

	*ops = NULL;
	if (fake_load.hook)
		fake_load.hook();
	return found;
}

bool verbs_provider_load_opt_in(void)
{
	return fake_load_provider(&fake_load.for_opt_in);
}

bool verbs_provider_load_for(uint32_t driver_id)
{
	fake_load.nr_load_for++;
	fake_load.last_driver_id = driver_id;
	return fake_load_provider(&fake_load.for_driver);
}

bool verbs_provider_load_all(void)
{
	fake_load.nr_load_all++;
	return fake_load_provider(&fake_load.for_all);
}
