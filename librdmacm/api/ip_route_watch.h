/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notices changes of routes and addresses of this host. */
#ifndef API_IP_ROUTE_WATCH_H
#define API_IP_ROUTE_WATCH_H

#include <stdbool.h>

/**
 * ip_route_changed() - may a route or an address have changed since the last
 * call?
 *
 * True in the first call of a process, also in a child of fork(), and always if
 * the kernel gives no netlink socket.
 *
 * Context: one thread at a time; never blocks.
 */
bool ip_route_changed(void);

#endif
