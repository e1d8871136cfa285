/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes the place of discover/ in tests of the floors above: verbs_discover()
 * returns the records that the test has put here. Any thread may change them at
 * any time.
 */
#ifndef SUPPORT_FAKE_DISCOVER_H
#define SUPPORT_FAKE_DISCOVER_H

#include <provider/device.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_DISCOVER_MAX 64

/* Kernel driver and ABI version of the records that are made here. */
#define FAKE_DRIVER_ID	 UINT32_C(1000)
#define FAKE_ABI_VERSION 2

/**
 * fake_discover_record() - the record of device <n>, as netlink gives it
 *
 * fake<n>, uverbs<n>, 231:<192 + n>, index n, one port, GUID n + 1.
 */
struct verbs_kernel_device fake_discover_record(unsigned int n);

/** fake_discover_reset() - no devices, no failure, counters at 0 */
void fake_discover_reset(void);

/** fake_discover_add() - a device appears, behind the others */
void fake_discover_add(const struct verbs_kernel_device *record);

/** fake_discover_remove() - it vanishes; returns false if it was not there */
bool fake_discover_remove(const char *ibdev_name);

/** fake_discover_fail() - scans return @err, -errno, until it is 0 again */
void fake_discover_fail(int err);

/** fake_discover_on_scan() - call @hook(arg) at the end of each scan */
void fake_discover_on_scan(void (*hook)(void *arg), void *arg);

/** fake_discover_nr_scans() - scans since the last reset */
unsigned int fake_discover_nr_scans(void);

#endif
