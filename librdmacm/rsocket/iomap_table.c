/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory that the peer may write to by offset. */
#include "rsocket/iomap_table.h"

#include <errno.h>
#include <stdlib.h>

int iomap_table_init(struct iomap_table *table, uint32_t nr_slots)
{
	*table = (struct iomap_table){ 0 };
	if (!nr_slots)
		return 0;
	table->slots = calloc(nr_slots, sizeof(*table->slots));
	if (!table->slots)
		return -ENOMEM;
	table->nr_slots = nr_slots;
	return 0;
}

void iomap_table_fini(struct iomap_table *table)
{
	for (uint32_t i = 0; i < table->nr_slots; i++) {
		if (table->slots[i].mr)
			(void)ibv_dereg_mr(table->slots[i].mr);
	}
	free(table->slots);
	*table = (struct iomap_table){ 0 };
}

static void slot_set_pending(struct iomap_table *table, struct iomap_slot *slot)
{
	if (!slot->is_pending)
		table->nr_pending++;
	slot->is_pending = true;
}

int iomap_table_add(struct iomap_table *table, void *address, uint32_t len,
		    uint64_t offset, struct ibv_mr *mr)
{
	for (uint32_t i = 0; i < table->nr_slots; i++) {
		struct iomap_slot *slot = &table->slots[i];

		if (slot->mr)
			continue;
		slot->address = address;
		slot->mr = mr;
		slot->entry = (struct stream_iomap){
			.offset = offset,
			.sge = { .address = (uintptr_t)address,
				 .rkey = mr->rkey,
				 .len = len },
		};
		slot_set_pending(table, slot);
		return 0;
	}
	return -ENOMEM;
}

int iomap_table_remove(struct iomap_table *table, const void *address,
		       size_t len)
{
	for (uint32_t i = 0; i < table->nr_slots; i++) {
		struct iomap_slot *slot = &table->slots[i];

		if (!slot->mr || slot->address != address ||
		    slot->entry.sge.len != len)
			continue;
		(void)ibv_dereg_mr(slot->mr);
		slot->mr = NULL;
		slot->address = NULL;
		slot->entry = (struct stream_iomap){ 0 };
		slot_set_pending(table, slot);
		return 0;
	}
	return -EINVAL;
}

bool iomap_table_find_pending(const struct iomap_table *table,
			      uint32_t *ret_index)
{
	if (!table->nr_pending)
		return false;
	for (uint32_t i = 0; i < table->nr_slots; i++) {
		if (table->slots[i].is_pending) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

void iomap_table_set_sent(struct iomap_table *table, uint32_t index)
{
	table->slots[index].is_pending = false;
	table->nr_pending--;
}
