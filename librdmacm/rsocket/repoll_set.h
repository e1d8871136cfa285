/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of descriptors to wait for, like those of epoll(7). */
#ifndef RSOCKET_REPOLL_SET_H
#define RSOCKET_REPOLL_SET_H

#include "rsocket/socket_object.h"

#include <sys/epoll.h>

/**
 * repoll_set_new() - an empty set, as a socket without a descriptor
 *
 * Return: 0 or -ENOMEM. The operation free() frees it.
 */
int repoll_set_new(struct rsocket **ret_set);

/**
 * repoll_set_control() - epoll_ctl(2)
 *
 * Return: 0; -EBADF if @set is another kind of socket; -EINVAL; -EEXIST;
 * -ENOENT; -ENOMEM.
 */
int repoll_set_control(struct rsocket *set, int op, int fd,
		       const struct epoll_event *event);

/**
 * repoll_set_wait() - epoll_wait(2)
 *
 * Return: the number of events; -EBADF; -EINVAL; -EINTR; -ENOMEM.
 */
int repoll_set_wait(struct rsocket *set, struct epoll_event *events,
		    int max_events, int timeout_ms);

#endif
