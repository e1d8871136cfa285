/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Size of a buffer for struct ibv_port_attr. The struct grew while the private
 * ABI kept the number 34, and providers built before that pass short buffers of
 * their own to the query command. Only the buffer of the library, which it
 * passes to the provider's op, is known to be long.
 */
#ifndef FOREIGN_FOREIGN_PORT_ATTR_H
#define FOREIGN_FOREIGN_PORT_ATTR_H

#include <infiniband/verbs.h>
#include <stddef.h>

/* Size in the oldest release: all members in front of active_speed_ex. */
#define FOREIGN_PORT_ATTR_MIN_SIZE \
	offsetof(struct ibv_port_attr, active_speed_ex)

/**
 * foreign_port_attr_size() - return how many bytes of @attr may be written
 * @attr: argument of the query command of a provider of private ABI 34
 */
size_t foreign_port_attr_size(const struct ibv_port_attr *attr);

/**
 * foreign_port_attr_set_own() - set which buffer belongs to the library
 * @attr: the buffer, or NULL; for this thread, until the next call
 *
 * Return: the previous buffer, to be set again afterwards. A provider's op may
 * call the public function to query a port, so that calls nest.
 */
const struct ibv_port_attr *
foreign_port_attr_set_own(const struct ibv_port_attr *attr);

#endif
