/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the real port without a network: sent packets return to the same
 * engine. The test sets the interfaces. All calls are counted, so that a test
 * can check the requests of the worker.
 */
#ifndef UROCE_FAKE_PORT_H
#define UROCE_FAKE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/udp/uroce_netdev.h"

#define FAKE_SLOT	7
#define FAKE_OPS	4
#define FAKE_ROOM_BYTES 100000

struct fake_port {
	/* set by the test */
	int open_error;
	int add_error;
	int join_error;
	uint32_t lose;		 /* number of packets to drop */
	uint32_t refuse;	 /* number of packets to reject as too long */
	uint32_t full;		 /* number of sends without room */
	struct uroce_netdev dev; /* returned by uroce_netdev_refresh() */
	int refresh_error;

	/* read by the test; with fake_lock() if there are threads */
	uint32_t nr_open;
	uint32_t nr_addresses;
	uint32_t nr_joined, nr_join_calls;
	uint32_t nr_put, nr_received, nr_served;
	bool reports_header;
	int unflushed;	      /* packets put, but not flushed */
	uint8_t op[FAKE_OPS]; /* opcodes of the first packets since nr_put was 0
			       */
};

extern struct fake_port fake;

/* Resets the fake; nothing may be attached. */
void fake_reset(void);

void fake_lock(void);
void fake_unlock(void);

/* Announces a new member, which the worker must serve. */
void fake_knock(void);

/*
 * Stops the helper before it takes the lock, until the test releases it; until
 * then only the test makes progress. Requires a worker. Release the helper
 * before the worker ends.
 */
void fake_hold_helper(void);
void fake_free_helper(void);

/* Announces a change of interfaces, which the worker must refresh. */
void fake_change_link(void);

/* Returns an interface with addresses ::1 and 127.0.0.1. */
struct uroce_netdev fake_netdev(void);

#endif
