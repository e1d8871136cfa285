/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces core/provider_load.c in tests of its callers: the test sets which
 * provider "loading" registers, and the calls are counted.
 */
#ifndef CORE_TEST_FAKE_LOAD_H
#define CORE_TEST_FAKE_LOAD_H

#include <provider/provider.h>

struct fake_load {
	/* Registered by the first verbs_provider_load_opt_in(), if set. */
	const struct verbs_device_ops *for_opt_in;
	/* Registered by the first verbs_provider_load_for(), if set. */
	const struct verbs_device_ops *for_driver;
	/* Registered by the first verbs_provider_load_all(), if set. */
	const struct verbs_device_ops *for_all;
	/* Called while loading, with no lock held. */
	void (*hook)(void);

	unsigned int nr_load_for;
	unsigned int nr_load_all;
	uint32_t last_driver_id;
};

extern struct fake_load fake_load;

#endif
