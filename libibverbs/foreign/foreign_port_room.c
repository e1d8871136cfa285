/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Remembers, from the adapter of query_port to the query command that the
 * provider's op calls in between, which port attributes are the library's own.
 */
#include "foreign/foreign_port_room.h"

static _Thread_local const struct ibv_port_attr *own_attr;

size_t foreign_port_attr_room(const struct ibv_port_attr *attr)
{
	return attr == own_attr ? sizeof(*attr) : FOREIGN_PORT_ATTR_FIRST;
}

const struct ibv_port_attr *
foreign_port_attr_own(const struct ibv_port_attr *attr)
{
	const struct ibv_port_attr *before = own_attr;

	own_attr = attr;
	return before;
}
