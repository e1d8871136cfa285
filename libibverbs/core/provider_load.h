/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads providers into the process. The *.driver files, RDMAV_DRIVERS and
 * IBV_DRIVERS name them. A static build loads no modules.
 */
#ifndef CORE_PROVIDER_LOAD_H
#define CORE_PROVIDER_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * verbs_provider_load_opt_in() - load the providers that the user has enabled
 *
 * Some providers have devices without a kernel driver, which appear only if
 * the user enables them (OPT_IN in cmake/VerbsProvider.cmake). They are loaded
 * if their environment variable is set, or if their configuration file exists.
 * The providers in RDMAV_DRIVERS (or IBV_DRIVERS) are loaded as well, since
 * they may be of this kind.
 *
 * Cheap if there is nothing to do. Context and result as below.
 */
bool verbs_provider_load_opt_in(void);

/**
 * verbs_provider_load_for() - load the provider of one kernel driver
 * @driver_id: enum rdma_driver_id
 *
 * The providers in RDMAV_DRIVERS (or IBV_DRIVERS) are loaded first. Then the
 * driver's provider is loaded if the configuration contains it. If there is no
 * configuration folder, the module of the driver's name beside the library is
 * loaded.
 *
 * Context: any thread; may run constructors of a module, so no lock of the
 * library may be held.
 * Return: whether a provider has registered.
 */
bool verbs_provider_load_for(uint32_t driver_id);

/**
 * verbs_provider_load_all() - load every configured provider
 *
 * Has an effect once in a process; later calls return false at once. Without a
 * configuration folder, the modules beside the library that have the name of a
 * kernel driver are loaded. Context and result as above.
 */
bool verbs_provider_load_all(void);

#endif
