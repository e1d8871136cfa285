/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory layout of an MR directory. All processes must agree on it, so a change
 * needs a new VERSION (uroce_pairing.c). Every member that changes is atomic.
 *
 * A row is read without a lock. The owner changes the guard of the row (the key
 * of an MR, the sequence of a QP, the PSN of a sink) before and
 * after the other members. These stores are release or stronger, the loads
 * acquire or stronger. A reader loads the guard again at the end: if it has
 * read any new member, it sees that the guard has changed.
 */
#ifndef UROCE_SHM_DIRECTORY_LAYOUT_H
#define UROCE_SHM_DIRECTORY_LAYOUT_H

#include <stdint.h>

#include "uroce/roce/uroce_channel.h"

#define UROCE_SHM_DIRECTORY_MAGIC   UINT64_C(0x75726f63652d7462)
#define UROCE_SHM_DIRECTORY_LINE    64
#define UROCE_SHM_DIRECTORY_PEERS   256
#define UROCE_SHM_DIRECTORY_QPS	    65536 /* index: low 16 bits of a QPN */
#define UROCE_SHM_DIRECTORY_REGIONS 65536 /* MRs above are not published */
#define UROCE_SHM_DIRECTORY_PDS	    1024  /* further PDs are not published */

struct uroce_shm_directory_region {
	uint32_t key; /* 0: none */
	uint32_t pd;
	uint32_t access; /* of peers: enum ibv_access_flags; 0: none */
	uint32_t import; /* of processes that import it; 0: not possible */
	uint64_t base;
	uint64_t iova;
	uint64_t bytes;
	uint64_t share;	       /* that contains the MR; 0: none */
	uint64_t share_offset; /* of its first byte */
};

struct uroce_shm_directory_qp {
	uint32_t sequence; /* odd: change in progress */
	uint32_t qpn;	   /* 0: no direct access */
	uint32_t dest_qpn;
	uint32_t pd;
	uint32_t access; /* enum ibv_access_flags */
	uint32_t pulls;	 /* the owner can read the peer's memory */
	uint64_t token;	 /* of the peer process */
	struct {
		/* with UROCE_SHM_DIRECTORY_PUBLISHED; 0: no buffer */
		uint32_t psn;
		uint32_t bytes;
		uint64_t address;
	} sink[UROCE_NR_SINKS];
};

#define UROCE_SHM_DIRECTORY_PUBLISHED 0x80000000u

struct uroce_shm_directory_memory {
	uint64_t magic;
	uint64_t nonce;		/* at nonce_address in memory of the owner */
	uint64_t nonce_address; /* 0: no CMA */
	uint32_t nonce_is_unique;
	uint32_t nr_shared; /* MRs in a share */
	uint8_t pad[UROCE_SHM_DIRECTORY_LINE - 3 * sizeof(uint64_t) -
		    2 * sizeof(uint32_t)];
	struct {
		uint64_t ns; /* time of the last poll of the application */
		uint8_t pad[UROCE_SHM_DIRECTORY_LINE - sizeof(uint64_t)];
	} polled;
	struct {
		/*
		 * odd: the owner accesses memory of the process in that slot,
		 * for a QP or in an imported MR
		 */
		uint32_t count, imports;
		/* of the process whose accesses the owner waits for; or 0 */
		uint64_t token;
		uint8_t pad[UROCE_SHM_DIRECTORY_LINE - 2 * sizeof(uint64_t)];
	} copying[UROCE_SHM_DIRECTORY_PEERS];
	/* number of a context << 32 | number of a PD; 0: none */
	uint64_t pds[UROCE_SHM_DIRECTORY_PDS];
	struct uroce_shm_directory_qp qps[UROCE_SHM_DIRECTORY_QPS];
	struct uroce_shm_directory_region regions[UROCE_SHM_DIRECTORY_REGIONS];
};

_Static_assert(sizeof(struct uroce_shm_directory_memory) ==
		       (2 + UROCE_SHM_DIRECTORY_PEERS) *
				       UROCE_SHM_DIRECTORY_LINE +
			       UROCE_SHM_DIRECTORY_PDS * 8 +
			       UROCE_SHM_DIRECTORY_QPS * 64 +
			       UROCE_SHM_DIRECTORY_REGIONS * 56,
	       "no gaps");

#endif
