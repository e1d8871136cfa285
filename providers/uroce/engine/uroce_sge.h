/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a piece of a message to the memory it is in: the lists of pieces of a
 * work request, resolved to addresses a packet at a time, and the one copy that
 * received data sees.
 */
#ifndef UROCE_SGE_H
#define UROCE_SGE_H

#include <sys/uio.h>

#include <infiniband/verbs.h>

#include "uroce/engine/uroce_memory.h"
#include "uroce/engine/uroce_wqe.h"
#include "uroce/wire/uroce_packet.h"

/* Where in a list of pieces the last packet ended. All 0: at its beginning. */
struct uroce_cursor {
	uint32_t offset; /* bytes of the message in front of it */
	uint32_t sge;
	uint32_t sge_offset;
};

/* A list of pieces, and who may use it. */
struct uroce_sge_list {
	struct uroce_memory *memory;
	const struct ibv_sge *sge;
	uint32_t nr_sge;
	uint32_t pd;
	bool write; /* the pieces are written to */
};

/* Addresses of a part of a message. */
struct uroce_pieces {
	uint32_t nr;
	/* iov_base is NULL where what is written is thrown away */
	struct iovec iov[UROCE_MAX_SGE];
};

/**
 * uroce_sge_resolve() - find the memory of a part of a message
 * @list: the pieces
 * @cursor: where the part before ended, or all 0; is moved behind this part
 * @offset: of the part in the message; going back is allowed
 * @bytes: of the part
 * @ret_pieces: receives the addresses
 *
 * Return: 0; -EACCES for a key, range or right; -EMSGSIZE if the list is too
 * short. @cursor may have moved, @ret_pieces is undefined then.
 */
int uroce_sge_resolve(const struct uroce_sge_list *list,
		      struct uroce_cursor *cursor, uint32_t offset,
		      uint32_t bytes, struct uroce_pieces *ret_pieces);

/**
 * uroce_sge_run() - equal parts of a message that lie behind each other
 * @list: the pieces, which are not written to
 * @cursor: where the part before ended; is moved behind the last one
 * @bytes: of each part
 * @max: so many at most
 * @ret_ptr: receives the address of the first one
 *
 * Return: how many; 0: @cursor is as it was, to be resolved one by one.
 */
uint32_t uroce_sge_run(const struct uroce_sge_list *list,
		       struct uroce_cursor *cursor, uint32_t bytes,
		       uint32_t max, uint8_t **ret_ptr);

/** uroce_pieces_set() - one piece of memory; NULL is swallowed or reads 0 */
void uroce_pieces_set(struct uroce_pieces *pieces, uint8_t *ptr, uint32_t bytes,
		      bool write);

/**
 * uroce_copy_in() - store the payload of a packet
 * @pieces: where; together as long as the payload
 * @packet: its seal is checked while copying, and is gone afterwards
 *
 * Return: 0, or -EBADMSG: the packet was damaged on the way. The memory was
 * written to then, so it must be memory whose content is not defined yet.
 */
int uroce_copy_in(const struct uroce_pieces *pieces,
		  struct uroce_packet *packet);

/**
 * uroce_packet_check() - check the seal of a packet if that is still to be done
 *
 * Return: 0, or -EBADMSG.
 */
int uroce_packet_check(struct uroce_packet *packet);

#endif
