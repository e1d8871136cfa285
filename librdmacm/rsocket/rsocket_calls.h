/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of rsocket.h, except sending and receiving, for descriptors of
 * the own connection manager.
 */
#ifndef RSOCKET_RSOCKET_CALLS_H
#define RSOCKET_RSOCKET_CALLS_H

#include <rdma/rsocket.h>

int own_rsocket(int domain, int type, int protocol);
int own_rclose(int fd);
int own_rshutdown(int fd, int how);
int own_rfcntl(int fd, int cmd, ... /* arg */);
int own_rsetsockopt(int fd, int level, int name, const void *value,
		    socklen_t len);
int own_rgetsockopt(int fd, int level, int name, void *value, socklen_t *len);
int own_rbind(int fd, const struct sockaddr *address, socklen_t len);
int own_rlisten(int fd, int backlog);
int own_raccept(int fd, struct sockaddr *address, socklen_t *len);
int own_rconnect(int fd, const struct sockaddr *address, socklen_t len);
int own_rgetsockname(int fd, struct sockaddr *address, socklen_t *len);
int own_rgetpeername(int fd, struct sockaddr *address, socklen_t *len);

#endif
