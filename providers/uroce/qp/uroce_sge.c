/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SGE lists. The requester resolves the payload of its messages and the
 * destination of READ responses, the responder the memory of receive WQEs.
 */
#include "uroce/qp/uroce_sge.h"

#include <errno.h>

#include "util/min.h"

/* Contents of the null region. */
static const uint8_t zeros[UROCE_MAX_PART];

/* Moves the cursor to @offset, forward or from the beginning of the list. */
static int seek(const struct uroce_sge_list *list, struct uroce_cursor *cursor,
		uint32_t offset)
{
	if (offset < cursor->offset)
		*cursor = (struct uroce_cursor){};
	while (cursor->offset < offset) {
		uint32_t left, step = offset - cursor->offset;

		if (cursor->sge >= list->nr_sge)
			return -EMSGSIZE;
		left = list->sge[cursor->sge].length - cursor->sge_offset;
		if (step < left) {
			cursor->sge_offset += step;
		} else {
			step = left;
			cursor->sge++;
			cursor->sge_offset = 0;
		}
		cursor->offset += step;
	}
	return 0;
}

static void add_iovec(struct uroce_iovecs *iovecs, uint8_t *ptr, uint32_t bytes,
		      bool write)
{
	struct iovec *iov = &iovecs->iov[iovecs->nr++];

	/* zeros is const: a caller that passes @write false only reads it */
	iov->iov_base = ptr || write ? ptr : (uint8_t *)zeros;
	iov->iov_len = bytes;
}

int uroce_sge_resolve(const struct uroce_sge_list *list,
		      struct uroce_cursor *cursor, uint32_t offset,
		      uint32_t bytes, struct uroce_iovecs *ret_iovecs)
{
	int ret = seek(list, cursor, offset);

	ret_iovecs->nr = 0;
	ret_iovecs->on_demand = false;
	while (!ret && bytes) {
		struct ibv_sge part;
		uint8_t *ptr;

		if (cursor->sge >= list->nr_sge)
			return -EMSGSIZE;
		part = list->sge[cursor->sge];
		part.addr += cursor->sge_offset;
		part.length -= cursor->sge_offset;
		if (part.length > bytes)
			part.length = bytes;
		if (part.length) {
			ret = uroce_memory_local(list->memory, list->pd, &part,
						 list->write, &ptr);
			if (ret < 0)
				return ret;
			if (ret == UROCE_MEMORY_ON_DEMAND)
				ret_iovecs->on_demand = true;
			add_iovec(ret_iovecs, ptr, part.length, list->write);
		}
		ret = seek(list, cursor, cursor->offset + part.length);
		if (!part.length)
			cursor->sge++;
		bytes -= part.length;
	}
	return ret;
}

uint32_t uroce_sge_run(const struct uroce_sge_list *list,
		       struct uroce_cursor *cursor, uint32_t bytes,
		       uint32_t max, struct uroce_iovecs *ret_iovecs)
{
	struct ibv_sge part;
	uint8_t *ptr = NULL;
	uint32_t nr;
	int ret;

	if (cursor->sge >= list->nr_sge)
		return 0;
	part = list->sge[cursor->sge];
	nr = (part.length - cursor->sge_offset) / bytes;
	if (nr > max)
		nr = max;
	part.addr += cursor->sge_offset;
	part.length = nr * bytes;
	ret = uroce_memory_local(list->memory, list->pd, &part, false, &ptr);
	/* the null region has no address: all its parts share zeros */
	if (ret < 0 || !ptr)
		return 0;
	if (ret == UROCE_MEMORY_ON_DEMAND) {
		nr = min_u32(nr, UROCE_MAX_COPIED_RUN / bytes);
		part.length = nr * bytes;
	}
	uroce_iovecs_set(ret_iovecs, ptr, part.length, false);
	ret_iovecs->on_demand = ret == UROCE_MEMORY_ON_DEMAND;
	cursor->offset += part.length;
	cursor->sge_offset += part.length;
	if (cursor->sge_offset == list->sge[cursor->sge].length) {
		cursor->sge++;
		cursor->sge_offset = 0;
	}
	return nr;
}

void uroce_iovecs_set(struct uroce_iovecs *iovecs, uint8_t *ptr, uint32_t bytes,
		      bool write)
{
	iovecs->nr = 0;
	iovecs->on_demand = false;
	if (bytes)
		add_iovec(iovecs, ptr, bytes, write);
}
