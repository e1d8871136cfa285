/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notifications by rtnetlink that interfaces or addresses have changed. The
 * caller reads the new state with uroce_netdev_refresh().
 */
#ifndef UROCE_LINK_H
#define UROCE_LINK_H

/** uroce_link_open() - return a descriptor to poll for reading, or -errno */
int uroce_link_open(void);

/** uroce_link_drain() - discard the notifications that have arrived */
void uroce_link_drain(int fd);

#endif
