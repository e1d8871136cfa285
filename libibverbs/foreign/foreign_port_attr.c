/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records which port attributes are in a buffer of the library. The adapter of
 * query_port sets it; the query command, which the provider's op calls, reads
 * it.
 */
#include "foreign/foreign_port_attr.h"

/*
 * The buffer that the query_port op in this thread fills, or NULL.
 *
 * The length of the buffer cannot be an argument: the op query_port(ctx,
 * port_num, attr) and ibv_cmd_query_port(ctx, port_num, attr, cmd, cmd_size)
 * pass a pointer only. As a member of the context it would be a list with a
 * lock, because several threads may query ports of one context at a time.
 */
static _Thread_local const struct ibv_port_attr *own_attr;

size_t foreign_port_attr_size(const struct ibv_port_attr *attr)
{
	return attr == own_attr ? sizeof(*attr) : FOREIGN_PORT_ATTR_MIN_SIZE;
}

const struct ibv_port_attr *
foreign_port_attr_set_own(const struct ibv_port_attr *attr)
{
	const struct ibv_port_attr *before = own_attr;

	own_attr = attr;
	return before;
}
