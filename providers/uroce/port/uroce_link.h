/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Being told that interfaces or addresses have changed, by rtnetlink. What has
 * changed is then read with uroce_netdev_read().
 */
#ifndef UROCE_LINK_H
#define UROCE_LINK_H

/** uroce_link_open() - a descriptor to be watched for reading, or -errno */
int uroce_link_open(void);

/** uroce_link_drain() - throw away what it says */
void uroce_link_drain(int fd);

#endif
