/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces libibverbs/neigh/ in tests that resolve no neighbours. */
#include <errno.h>

#include "neigh/neigh.h"

int verbs_neigh_resolve(const struct verbs_neigh_query *query,
			uint8_t ret_mac[VERBS_NEIGH_MAC_LEN],
			uint16_t *ret_vlan)
{
	return -EHOSTUNREACH;
}
