/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces uverbs device nodes by nodes that can be opened without a kernel
 * driver: a folder replaces /dev/infiniband, and an ioctl on one of its nodes
 * responds as a kernel with one idle port does. It replaces open, stat, fstat
 * and ioctl by --wrap (FAKE_UVERBS_WRAP in CMake).
 *
 * It keeps no state, so any number of threads may use it. Unknown commands fail
 * with EPROTONOSUPPORT.
 */
#ifndef SUPPORT_FAKE_UVERBS_H
#define SUPPORT_FAKE_UVERBS_H

#include <stdint.h>

#define FAKE_UVERBS_GID_TABLE_LEN 4

/**
 * fake_uverbs_start() - make the nodes uverbs0 ... uverbs<nr_nodes - 1>
 *
 * Fails the test on an error.
 */
void fake_uverbs_start(unsigned int nr_nodes);

/** fake_uverbs_stop() - remove the folder */
void fake_uverbs_stop(void);

/**
 * fake_uverbs_chardev() - return the number of node @n as netlink encodes it
 */
uint32_t fake_uverbs_chardev(unsigned int n);

#endif
