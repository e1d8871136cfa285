/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Brings providers into the process: the *.driver files, RDMAV_DRIVERS and
 * IBV_DRIVERS name them, the provider folder holds their modules. In a static
 * build nothing is ever loaded.
 */
#ifndef CORE_PROVIDER_LOAD_H
#define CORE_PROVIDER_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * verbs_provider_load_opt_in() - load what takes part only when asked to
 *
 * Some providers have devices that the kernel does not know, and that nobody
 * sees who does not want them (OPT_IN in cmake/VerbsProvider.cmake). They are
 * loaded if their environment variable is set, or if their configuration file
 * is there. The providers that RDMAV_DRIVERS (or IBV_DRIVERS) names are loaded
 * as well, since they may be of this kind.
 *
 * Cheap if there is nothing to do. Context and result as below.
 */
bool verbs_provider_load_opt_in(void);

/**
 * verbs_provider_load_for() - load the provider of one kernel driver
 * @driver_id: enum rdma_driver_id
 *
 * The providers that RDMAV_DRIVERS (or IBV_DRIVERS) names come first, as the
 * user wants them. Loads nothing if the configuration does not list the driver.
 *
 * Context: may run constructors of a module; no lock of the library may be
 * held. Any thread.
 * Return: whether a provider was registered that was not there before.
 */
bool verbs_provider_load_for(uint32_t driver_id);

/**
 * verbs_provider_load_all() - load every provider that is configured
 *
 * Works once in a process; later calls return false at once. Context and
 * result as above.
 */
bool verbs_provider_load_all(void);

#endif
