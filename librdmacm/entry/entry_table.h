/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection manager of the process: the own one or the distribution's. */
#ifndef ENTRY_ENTRY_TABLE_H
#define ENTRY_ENTRY_TABLE_H

#include "forward/forward_table.h"

/**
 * entry_table_get() - the functions of the connection manager
 *
 * The first call chooses: the distribution's library if it can be loaded and
 * the kernel has its connection manager, otherwise the own one.
 *
 * Context: any thread.
 * Return: never NULL; a member is NULL if the function is not implemented.
 */
const struct forward_table *entry_table_get(void);

/**
 * entry_rsocket_table_get() - the rsocket functions
 *
 * The choice is that of entry_table_get(), so that rsocket and rdma_* functions
 * agree on the devices.
 *
 * Context: any thread.
 * Return: never NULL; a member is NULL if the function is not implemented.
 */
const struct forward_table *entry_rsocket_table_get(void);

#endif
