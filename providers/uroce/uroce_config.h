/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which interfaces are to be RDMA devices. Nobody sees a device who has not
 * asked for one, by the environment variable UROCE_DEVICES or, where that is
 * not set, by the line "devices = ..." of the configuration file:
 *
 *   auto                all interfaces that are up and have an address; the
 *                       loopback interface only if there is no other
 *   eth0,192.0.2.1,lo   these: names, or addresses of the interface
 *   none                none
 *
 * Programs that run with the rights of another user ignore the variable.
 *
 * And whether to use memory that is shared with other processes of the host:
 * UROCE_LOCAL=none says no.
 */
#ifndef UROCE_CONFIG_H
#define UROCE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "uroce/local/uroce_local.h"
#include "uroce/port/uroce_netdev.h"

#define UROCE_DEVICES_VARIABLE "UROCE_DEVICES"
#define UROCE_LOCAL_VARIABLE   "UROCE_LOCAL"
#define UROCE_CMA_VARIABLE     "UROCE_CMA"
#define UROCE_SPLIT_VARIABLE   "UROCE_SPLIT"
#define UROCE_WISH_LEN	       1024

/**
 * uroce_config_read() - what the user wants
 * @file: path of the configuration file
 * @ret_wish: receives the value; "" if nobody wants anything
 *
 * Lines that are not understood are logged and passed over.
 */
void uroce_config_read(const char *file, char ret_wish[UROCE_WISH_LEN]);

/**
 * uroce_config_wants() - whether an interface is to be a device
 * @wish: of uroce_config_read()
 * @dev: the interface
 * @only_loopback: whether there is no other kind
 */
bool uroce_config_wants(const char *wish, const struct uroce_netdev *dev,
			bool only_loopback);

/** uroce_config_local() - whether packets may go through shared memory */
bool uroce_config_local(void);

/**
 * uroce_config_reach_ways() - ways into the memory of other processes that may
 * be tried: enum uroce_reach_way
 */
unsigned int uroce_config_reach_ways(void);

/** uroce_config_split() - whether both sides copy long messages */
enum uroce_local_split uroce_config_split(void);

#endif
