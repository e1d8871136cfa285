/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the kernel as events of channels. */
#ifndef API_KERNEL_EVENT_H
#define API_KERNEL_EVENT_H

#include "channel/event_channel.h"

struct own_id;

/**
 * kernel_event_read() - the channel_read_fn of the kernel's descriptor
 *
 * Makes an id of each request. Discards events of ids that the application does
 * not have yet, and events of types that it does not know.
 */
int kernel_event_read(int fd, struct channel_event **ret_event,
		      struct channel_source **ret_source);

/* Forgets an id that ends, and that a request may have made. */
void kernel_event_forget(struct own_id *own);

#endif
