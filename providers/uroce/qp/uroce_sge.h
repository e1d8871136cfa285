/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SGE lists: resolve a part of a message to addresses. */
#ifndef UROCE_SGE_H
#define UROCE_SGE_H

#include <sys/uio.h>

#include <infiniband/verbs.h>

#include "uroce/qp/uroce_memory.h"
#include "uroce/qp/uroce_wqe.h"

/*
 * Bytes of the longest part of a message that is sent at once: the payload of
 * a packet, or of an entry of a ring.
 */
#define UROCE_MAX_PART 16384

/* Bytes of the longest run of parts that is copied from an on-demand region. */
#define UROCE_MAX_COPIED_RUN 65536

/* Position in an SGE list, behind the last packet. All 0: the beginning. */
struct uroce_cursor {
	uint32_t offset; /* bytes of the message in front of the position */
	uint32_t sge;
	uint32_t sge_offset;
};

/* An SGE list, and the PD and access that its lkeys are checked for. */
struct uroce_sge_list {
	struct uroce_memory *memory;
	const struct ibv_sge *sge;
	uint32_t nr_sge;
	uint32_t pd;
	bool write; /* the memory of the SGEs is written to */
};

/* Addresses of a part of a message. */
struct uroce_iovecs {
	uint32_t nr;
	bool on_demand; /* some are in on-demand regions: use uroce_odp.h */
	/* iov_base is NULL where written data is discarded */
	struct iovec iov[UROCE_MAX_SGE];
};

/**
 * uroce_sge_resolve() - find the memory of a part of a message
 * @list: SGEs of the message
 * @cursor: end of the previous part, or all 0; moves to the end of this part
 * @offset: of the part in the message; may be in front of @cursor
 * @bytes: of the part; a part of a null region that is read may have
 *	UROCE_MAX_PART bytes
 * @ret_iovecs: receives the addresses
 *
 * Return: 0; -EACCES for a key, range or right; -EMSGSIZE if the list is too
 * short. After an error @cursor and @ret_iovecs are undefined.
 */
int uroce_sge_resolve(const struct uroce_sge_list *list,
		      struct uroce_cursor *cursor, uint32_t offset,
		      uint32_t bytes, struct uroce_iovecs *ret_iovecs);

/**
 * uroce_sge_run() - find parts of equal length that are contiguous in memory
 * @list: SGEs of the message, which are only read
 * @cursor: end of the previous part; moves to the end of the last one
 * @bytes: of each part
 * @max: maximum number of parts
 * @ret_iovecs: receives the address of all parts, which are one range; if it is
 *	in an on-demand region, they have UROCE_MAX_COPIED_RUN bytes at most
 *
 * Return: number of parts; 0: @cursor is unchanged, use uroce_sge_resolve().
 */
uint32_t uroce_sge_run(const struct uroce_sge_list *list,
		       struct uroce_cursor *cursor, uint32_t bytes,
		       uint32_t max, struct uroce_iovecs *ret_iovecs);

/** uroce_iovecs_set() - set one range; @ptr NULL: discards writes, reads 0 */
void uroce_iovecs_set(struct uroce_iovecs *iovecs, uint8_t *ptr, uint32_t bytes,
		      bool write);

#endif
