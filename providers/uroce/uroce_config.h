/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Configuration by the user. No interface becomes an RDMA device unless the
 * environment variable UROCE_DEVICES or, if that is not set, the line
 * "devices = ..." of the configuration file selects it:
 *
 *   auto                all interfaces that are up and have an address; the
 *                       loopback interface only if there is no other
 *   eth0,192.0.2.1,lo   interfaces by name or by address
 *   mlx5_0=eth0         a device with a chosen name on an interface
 *   none                none
 *
 * Programs that run with the rights of another user ignore the variable.
 *
 * UROCE_LOCAL=none disables shared memory with other processes of the host;
 * UROCE_CMA selects the system calls of CMA, UROCE_RNDV the rendezvous
 * protocol.
 */
#ifndef UROCE_CONFIG_H
#define UROCE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "uroce/shm/uroce_shm.h"
#include "uroce/udp/uroce_netdev.h"

#define UROCE_DEVICES_VARIABLE "UROCE_DEVICES"
#define UROCE_LOCAL_VARIABLE   "UROCE_LOCAL"
#define UROCE_CMA_VARIABLE     "UROCE_CMA"
#define UROCE_RNDV_VARIABLE    "UROCE_RNDV"
#define UROCE_WORKERS_VARIABLE "UROCE_WORKERS"
#define UROCE_CHAOS_VARIABLE   "UROCE_CHAOS"

/* The device of eth0 is uroce_eth0 unless its name is chosen. */
#define UROCE_NAME_PREFIX "uroce_"

/* Former name of UROCE_RNDV_VARIABLE: ignored with a warning. */
#define UROCE_OLD_RNDV_VARIABLE "UROCE_SPLIT"

#define UROCE_WISH_LEN 1024

#define UROCE_MAX_WORKERS 16

/**
 * uroce_config_read() - read the selection of interfaces
 * @file: path of the configuration file
 * @ret_wish: receives the value; "" if none is set
 *
 * Invalid lines are logged and ignored.
 */
void uroce_config_read(const char *file, char ret_wish[UROCE_WISH_LEN]);

/**
 * uroce_config_wants() - whether an interface is selected as a device
 * @wish: from uroce_config_read()
 * @dev: the interface
 * @only_loopback: whether all interfaces are loopback interfaces
 */
bool uroce_config_wants(const char *wish, const struct uroce_netdev *dev,
			bool only_loopback);

/* A chosen name, and the name or an address of the interface. */
typedef int uroce_config_name_fn(void *arg, const char *name,
				 const char *interface);

/**
 * uroce_config_for_each_name() - call a function for each chosen device name
 * @wish: from uroce_config_read()
 * @reports: whether to log the names that are invalid
 * @fn: called in the order of the list
 * @arg: for @fn
 *
 * Omits invalid names, and names that an earlier entry has.
 *
 * Return: 0, or the first result of @fn that is not 0.
 */
int uroce_config_for_each_name(const char *wish, bool reports,
			       uroce_config_name_fn *fn, void *arg);

/** uroce_config_is_on() - whether @word is a name or address of an interface */
bool uroce_config_is_on(const struct uroce_netdev *dev, const char *word);

/** uroce_config_local() - whether shared memory is enabled */
bool uroce_config_local(void);

/**
 * uroce_config_cma_kinds() - read the system calls that CMA may use
 *
 * Return: mask of enum uroce_cma_kind.
 */
unsigned int uroce_config_cma_kinds(void);

/** uroce_config_workers() - read the largest number of workers; > 0 */
uint32_t uroce_config_workers(void);

/** uroce_config_chaos() - read the seed of chaos mode; 0: off */
uint64_t uroce_config_chaos(void);

/** uroce_config_rndv() - read when to use the rendezvous protocol */
enum uroce_shm_rndv uroce_config_rndv(void);

#endif
