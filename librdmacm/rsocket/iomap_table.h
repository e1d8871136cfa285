/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that an application opens for the riowrite() of its peer: a slot
 * for each entry in the table of the peer. No I/O; the caller provides locking.
 */
#ifndef RSOCKET_IOMAP_TABLE_H
#define RSOCKET_IOMAP_TABLE_H

#include "rsocket/stream_wire.h"

#include <infiniband/verbs.h>

struct iomap_slot {
	void *address; /* NULL: free */
	struct ibv_mr *mr;
	struct stream_iomap entry;
	bool is_pending; /* the peer does not have the entry yet */
};

/* All zero: a table without slots */
struct iomap_table {
	struct iomap_slot *slots;
	uint32_t nr_slots;
	uint32_t nr_pending;
};

/** iomap_table_init() - @nr_slots: the number of entries of the peer */
int iomap_table_init(struct iomap_table *table, uint32_t nr_slots);

/** iomap_table_fini() - deregister all memory */
void iomap_table_fini(struct iomap_table *table);

/**
 * iomap_table_add() - open memory
 * @mr: of the memory; the table owns it if the function succeeds
 *
 * Return: 0; -ENOMEM if the table is full.
 */
int iomap_table_add(struct iomap_table *table, void *address, uint32_t len,
		    uint64_t offset, struct ibv_mr *mr);

/**
 * iomap_table_remove() - close memory, and deregister it
 *
 * An empty entry becomes pending, so that the peer does not write any more.
 *
 * Return: 0; -EINVAL if there is no such memory.
 */
int iomap_table_remove(struct iomap_table *table, const void *address,
		       size_t len);

/** iomap_table_find_pending() - the first slot whose entry is pending
 *
 * Return: whether there is one.
 */
bool iomap_table_find_pending(const struct iomap_table *table,
			      uint32_t *ret_index);

/** iomap_table_set_sent() - the entry of a slot is no longer pending */
void iomap_table_set_sent(struct iomap_table *table, uint32_t index);

#endif
