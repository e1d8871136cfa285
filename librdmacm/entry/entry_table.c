/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chooses the connection manager of the process, once, since objects of one are
 * of no use to the other.
 */
#include "entry/entry_table.h"

#include "api/own_table.h"
#include "rsocket/rsocket_table.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static const struct forward_table *entry_table;
static pthread_once_t entry_once = PTHREAD_ONCE_INIT;

static void entry_table_choose(void)
{
	const struct forward_table *distribution;

	entry_table = &own_table;
	if (access(RDMACM_DEVICE_NODE, F_OK) != 0)
		return;
	distribution = forward_table_get();
	if (distribution->rdma_create_event_channel)
		entry_table = distribution;
}

const struct forward_table *entry_table_get(void)
{
	int saved_errno = errno;

	(void)pthread_once(&entry_once, entry_table_choose);
	errno = saved_errno;
	return entry_table;
}

const struct forward_table *entry_rsocket_table_get(void)
{
	const struct forward_table *table = entry_table_get();

	return table == &own_table ? &rsocket_table : table;
}
