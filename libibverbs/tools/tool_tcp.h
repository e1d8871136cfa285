/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The TCP connection over which two pingpongs meet, and GIDs as they are
 * written there.
 */
#ifndef TOOLS_TOOL_TCP_H
#define TOOLS_TOOL_TCP_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

/** tool_tcp_listen() - on all addresses; descriptor or -errno, after a message
 */
int tool_tcp_listen(uint16_t port);
/** tool_tcp_accept() - the next client; descriptor or -errno, after a message
 */
int tool_tcp_accept(int listener);
/** tool_tcp_connect() - descriptor or -errno, after a message */
int tool_tcp_connect(const char *host, uint16_t port);
void tool_tcp_close(int fd);

/** tool_tcp_send() - all of @size bytes; 0 or -errno, without a message */
int tool_tcp_send(int fd, const void *data, size_t size);
/** tool_tcp_receive() - all of @size bytes; -ECONNRESET at an early end */
int tool_tcp_receive(int fd, void *data, size_t size);

/** Digits of a GID. */
#define TOOL_GID_DIGITS 32

/** tool_gid_format() - 32 digits, without colons, and a NUL */
void tool_gid_format(const union ibv_gid *gid, char *text);
/** tool_gid_parse() - 0, -EINVAL unless @text is 32 digits */
int tool_gid_parse(const char *text, union ibv_gid *ret_gid);

#endif
