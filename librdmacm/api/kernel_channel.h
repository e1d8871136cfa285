/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event channels with ids in the kernel: such a channel watches a descriptor of
 * the kernel's connection manager, which the first id opens.
 */
#ifndef API_KERNEL_CHANNEL_H
#define API_KERNEL_CHANNEL_H

#include "channel/event_channel.h"

/**
 * kernel_channel_open() - get the descriptor of a channel
 *
 * Opens it if the channel has none. It belongs to the channel.
 *
 * Context: any thread; may wait for modprobe(8).
 * Return: 0; -EPERM if the version of the kernel's interface is unknown; or the
 * -errno of ucm_node_open() or epoll_ctl(2).
 */
int kernel_channel_open(struct channel *channel, int *ret_fd);

/* Frees a channel and closes its descriptor. */
void kernel_channel_free(struct channel *channel);

#endif
