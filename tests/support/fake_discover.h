/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces libibverbs/discover/ in tests of the folders that use it:
 * verbs_discover() returns the records that the test has added here. Any thread
 * may change the records at any time.
 */
#ifndef SUPPORT_FAKE_DISCOVER_H
#define SUPPORT_FAKE_DISCOVER_H

#include <provider/device.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_DISCOVER_MAX 64

/*
 * Kernel driver and ABI version of the records that fake_discover_record()
 * makes.
 */
#define FAKE_DRIVER_ID	 UINT32_C(1000)
#define FAKE_ABI_VERSION 2

/**
 * fake_discover_record() - make the record of device <n>, as netlink returns it
 *
 * The record names fake<n>, uverbs<n>, 231:<192 + n>, index n, one port, GUID n
 * + 1.
 */
struct verbs_kernel_device fake_discover_record(unsigned int n);

/**
 * fake_discover_reset() - remove all devices and failures, zero the counters
 */
void fake_discover_reset(void);

/**
 * fake_discover_add() - append a device
 */
void fake_discover_add(const struct verbs_kernel_device *record);

/**
 * fake_discover_remove() - remove a device
 *
 * Return: false if the array has no such device.
 */
bool fake_discover_remove(const char *ibdev_name);

/**
 * fake_discover_fail() - make scans return @err
 * @err: -errno; 0 makes scans succeed again
 */
void fake_discover_fail(int err);

/**
 * fake_discover_on_scan() - call @hook(arg) at the end of each scan
 */
void fake_discover_on_scan(void (*hook)(void *arg), void *arg);

/**
 * fake_discover_nr_scans() - count the scans since the last reset
 */
unsigned int fake_discover_nr_scans(void);

#endif
