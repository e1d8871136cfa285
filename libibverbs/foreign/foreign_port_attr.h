/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much of a struct ibv_port_attr there is. The struct grew while the
 * private ABI kept the number 34, and providers of before pass short ones of
 * their own to the query command. Only of the library's own buffer, which comes
 * back through the provider's op, is it known that it is long.
 */
#ifndef FOREIGN_FOREIGN_PORT_ATTR_H
#define FOREIGN_FOREIGN_PORT_ATTR_H

#include <infiniband/verbs.h>
#include <stddef.h>

/* What every provider has room for: all in front of active_speed_ex. */
#define FOREIGN_PORT_ATTR_MIN_SIZE \
	offsetof(struct ibv_port_attr, active_speed_ex)

/**
 * foreign_port_attr_size() - bytes that may be written at @attr
 * @attr: as a provider of private ABI 34 handed it to the query command
 */
size_t foreign_port_attr_size(const struct ibv_port_attr *attr);

/**
 * foreign_port_attr_set_own() - say which buffer is the library's
 * @attr: the buffer, or NULL; for this thread, until the next call
 *
 * Return: the buffer until now, to be set again afterwards: a provider's op may
 * query a port by the public function.
 */
const struct ibv_port_attr *
foreign_port_attr_set_own(const struct ibv_port_attr *attr);

#endif
