/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads one numbered file of a port in sysfs: see kernel/port_file.c. */
#ifndef KERNEL_PORT_FILE_H
#define KERNEL_PORT_FILE_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/**
 * port_file_read() - read <device>/ports/<port>/<table>/<index>
 * @table: directory of the port, such as "pkeys"
 * @buf: receives the text as a string, without its newline
 * @size: bytes at @buf, > 0
 *
 * Does not change errno.
 *
 * Return: 0; -ENODEV if the device has no directory in sysfs; -ENAMETOOLONG if
 * the path is too long; -EOVERFLOW if the text is longer than @size; -EPROTO if
 * it contains a NUL; or -errno of open() or read().
 */
int port_file_read(const struct ibv_context *ctx, uint32_t port_num,
		   const char *table, uint32_t index, char *buf, size_t size);

#endif
