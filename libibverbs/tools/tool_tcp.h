/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The TCP connection over which two pingpongs exchange addresses, and the text
 * form of GIDs on it.
 */
#ifndef TOOLS_TOOL_TCP_H
#define TOOLS_TOOL_TCP_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

/**
 * tool_tcp_listen() - listen on all addresses
 *
 * Return: a descriptor, or -errno after a message on standard error.
 */
int tool_tcp_listen(uint16_t port);
/**
 * tool_tcp_accept() - accept the next client
 *
 * Return: a descriptor, or -errno after a message on standard error.
 */
int tool_tcp_accept(int listener);
/**
 * tool_tcp_connect() - connect to a server
 *
 * Return: a descriptor, or -errno after a message on standard error.
 */
int tool_tcp_connect(const char *host, uint16_t port);
void tool_tcp_close(int fd);

/**
 * tool_tcp_send() - send all @size bytes; return 0 or -errno, without a message
 */
int tool_tcp_send(int fd, const void *data, size_t size);
/**
 * tool_tcp_receive() - receive exactly @size bytes
 *
 * Prints no message.
 *
 * Return: 0, -errno, or -ECONNRESET when the connection ends early.
 */
int tool_tcp_receive(int fd, void *data, size_t size);

/** Number of hexadecimal digits of a GID. */
#define TOOL_GID_DIGITS 32

/** tool_gid_format() - write 32 hexadecimal digits without colons, and a NUL */
void tool_gid_format(const union ibv_gid *gid, char *text);
/** tool_gid_parse() - parse 32 hexadecimal digits; return 0 or -EINVAL */
int tool_gid_parse(const char *text, union ibv_gid *ret_gid);

#endif
