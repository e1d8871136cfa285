/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A provider module for provider_load_test.c. CMake builds several variants:
 * MODULE_SYMBOL is the exported object, MODULE_NAME and MODULE_ABI are its
 * members.
 */
#include <provider/provider.h>

extern const struct verbs_device_ops MODULE_SYMBOL;

const struct verbs_device_ops MODULE_SYMBOL = {
	.provider_abi = MODULE_ABI,
	.name = MODULE_NAME,
};
