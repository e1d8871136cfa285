/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of a process's tables. All processes must agree on it, so a change
 * is a new VERSION (uroce_pairing.c). Every member that changes is atomic.
 *
 * A row is read without a lock. Its guard (the key of a region, the sequence of
 * a QP, the PSN of a landing) is changed before and after the rest, all of that
 * is stored with release and loaded with acquire, and a reader looks at the
 * guard again: if it has seen anything new, it sees that the guard is another
 * one.
 */
#ifndef UROCE_TABLES_LAYOUT_H
#define UROCE_TABLES_LAYOUT_H

#include <stdint.h>

#include "uroce/engine/uroce_channel.h"

#define UROCE_TABLES_MAGIC   UINT64_C(0x75726f63652d7462)
#define UROCE_TABLES_LINE    64
#define UROCE_TABLES_PEERS   256
#define UROCE_TABLES_QPS     65536 /* by the low 16 bits of a QPN */
#define UROCE_TABLES_REGIONS 65536 /* by index; later ones are not shown */

struct uroce_tables_region {
	uint32_t key; /* 0: none */
	uint32_t pd;
	uint32_t access; /* enum ibv_access_flags */
	uint32_t reserved;
	uint64_t base;
	uint64_t iova;
	uint64_t bytes;
	uint64_t share;	       /* that all of it lies in; 0: none */
	uint64_t share_offset; /* of its first byte */
};

struct uroce_tables_qp {
	uint32_t sequence; /* odd: is being changed */
	uint32_t qpn;	   /* 0: takes no WRITEs and READs */
	uint32_t dest_qpn;
	uint32_t pd;
	uint32_t access; /* enum ibv_access_flags */
	uint32_t pulls;	 /* it can read the memory of the other end */
	uint64_t token;	 /* of the process at the other end */
	struct {
		uint32_t psn; /* and UROCE_TABLES_LANDED; 0: there is none */
		uint32_t bytes;
		uint64_t address;
	} landing[UROCE_NR_LANDINGS];
};

#define UROCE_TABLES_LANDED 0x80000000u

struct uroce_tables_memory {
	uint64_t magic;
	uint64_t nonce; /* that is at nonce_address in the owner's memory */
	uint64_t nonce_address; /* 0: it is not to be reached */
	uint32_t nonce_is_unique;
	uint32_t nr_shared; /* regions that lie in a share */
	uint8_t pad[UROCE_TABLES_LINE - 3 * sizeof(uint64_t) -
		    2 * sizeof(uint32_t)];
	struct {
		uint64_t ns; /* when the application has polled last */
		uint8_t pad[UROCE_TABLES_LINE - sizeof(uint64_t)];
	} polled;
	struct {
		/* odd: the owner copies to or from the memory of that slot */
		uint32_t count;
		uint8_t pad[UROCE_TABLES_LINE - sizeof(uint32_t)];
	} copying[UROCE_TABLES_PEERS];
	struct uroce_tables_qp qps[UROCE_TABLES_QPS];
	struct uroce_tables_region regions[UROCE_TABLES_REGIONS];
};

_Static_assert(sizeof(struct uroce_tables_memory) ==
		       (2 + UROCE_TABLES_PEERS) * UROCE_TABLES_LINE +
			       UROCE_TABLES_QPS * 64 +
			       UROCE_TABLES_REGIONS * 56,
	       "no gaps");

#endif
