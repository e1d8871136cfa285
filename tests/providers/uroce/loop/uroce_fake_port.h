/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port without a network, in place of the real one: what is put comes back
 * in, as packets to the same engine. Interfaces are what the test says. All is
 * counted, so that a test can see what the loop has asked for.
 */
#ifndef UROCE_FAKE_PORT_H
#define UROCE_FAKE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/port/uroce_netdev.h"

#define FAKE_SLOT	7
#define FAKE_OPS	4
#define FAKE_ROOM_BYTES 100000

struct fake_port {
	/* for the test to set */
	int open_error;
	int add_error;
	int join_error;
	uint32_t lose;		 /* so many packets */
	uint32_t refuse;	 /* so many packets as too long */
	uint32_t full;		 /* so many times there is no room */
	struct uroce_netdev dev; /* what is read by uroce_netdev_refresh() */
	int refresh_error;

	/* for the test to read; with fake_lock() if there are threads */
	uint32_t nr_open;
	uint32_t nr_addresses;
	uint32_t nr_joined, nr_join_calls;
	uint32_t nr_put, nr_received, nr_served;
	bool reports_header;
	int unflushed;	      /* packets that were put and not flushed */
	uint8_t op[FAKE_OPS]; /* of the first packets since nr_put was 0 */
};

extern struct fake_port fake;

/* As new; nothing may be attached. */
void fake_reset(void);

void fake_lock(void);
void fake_unlock(void);

/* A member is at the door; the loop is to serve it. */
void fake_knock(void);

/*
 * The helper is at the door, without the lock, until it may go on: what is done
 * meanwhile is done by the test. There must be a loop, and one that ends must
 * have its helper back.
 */
void fake_hold_helper(void);
void fake_free_helper(void);

/* Interfaces have changed; the loop is to refresh them. */
void fake_change_link(void);

/* An interface with addresses ::1 and 127.0.0.1. */
struct uroce_netdev fake_netdev(void);

#endif
