// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: memory regions in the arenas of both ends. The
 * rest of a region's last page and the page after it must stay zero during a
 * test: memory_check().
 */
#include "conform_call.h"

#include <stdio.h>
#include <string.h>

#define PAGE_BYTES	 4096u
#define MAX_MEMORY_PARTS 1024

struct memory_part {
	enum end end;
	size_t offset, length; /* in the arena */
};

static struct memory_part memory_parts[MAX_MEMORY_PARTS];
static int memory_nr_parts;
static size_t memory_used[2];
static int memory_null_mr[2]; /* lkey of the null MR, if it is alive */
static bool memory_has_null_mr[2];

/* Bytes with the page that follows. */
static size_t memory_span(size_t length)
{
	return (length + 2 * PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

int pd_new(enum end end)
{
	struct call call = { .kind = CALL_PD_NEW };
	struct reply reply;

	object_call(end, &call, &reply, "ibv_alloc_pd()");
	object_track(end, reply.object, "PD");
	return reply.object;
}

struct mem *mem_new_in_pd(enum end end, int pd, size_t length,
			  unsigned int access)
{
	size_t span = memory_span(length), offset = memory_used[end];
	struct mem *mem = object_alloc(sizeof(*mem));
	struct call call = {
		.kind = CALL_MR_NEW,
		.pd = pd,
		.addr = end_address(end) + offset,
		.length = length,
		.access = access,
	};
	struct reply reply;

	if (span > CONFORM_ARENA_BYTES - offset ||
	    memory_nr_parts == MAX_MEMORY_PARTS)
		conform_fail("the arena has no room for %zu bytes", length);
	memory_parts[memory_nr_parts++] = (struct memory_part){
		.end = end,
		.offset = offset,
		.length = length,
	};
	memory_used[end] += span;
	memset(end_view(end) + offset, 0, span);
	object_call(end, &call, &reply, "ibv_reg_mr()");
	*mem = (struct mem){
		.end = end,
		.id = reply.object,
		.view = end_view(end) + offset,
		.addr = call.addr,
		.length = length,
		.lkey = reply.lkey,
		.rkey = reply.rkey,
	};
	object_track(end, mem->id, "MR");
	return mem;
}

struct mem *mem_new(enum end end, size_t length, unsigned int access)
{
	return mem_new_in_pd(end, 0, length, access);
}

int mem_dereg(struct mem *mem)
{
	return object_destroy(mem->end, mem->id);
}

int mem_rereg(struct mem *mem, int flags, int pd, unsigned int access)
{
	struct call call = {
		.kind = CALL_MR_REREG,
		.object = mem->id,
		.mask = flags,
		.pd = pd,
		.addr = mem->addr,
		.length = mem->length,
		.access = access,
	};
	struct reply reply;

	end_call(mem->end, &call, &reply);
	if (reply.error)
		return reply.error;
	mem->lkey = reply.lkey;
	mem->rkey = reply.rkey;
	return reply.nr;
}

/* -- device memory -- */

int dm_new_try(enum end end, size_t length, uint32_t log_align,
	       struct dm **ret_dm)
{
	struct call call = {
		.kind = CALL_DM_NEW,
		.length = length,
		.nr = (int)log_align,
	};
	struct reply reply;
	struct dm *dm;

	end_call(end, &call, &reply);
	if (reply.error)
		return reply.error;
	object_track(end, reply.object, "device memory");
	dm = object_alloc(sizeof(*dm));
	*dm = (struct dm){ end, reply.object, length };
	if (ret_dm)
		*ret_dm = dm;
	return 0;
}

struct dm *dm_new(enum end end, size_t length)
{
	struct dm *dm = NULL;
	int err = dm_new_try(end, length, 0, &dm);

	if (err)
		conform_fail("ibv_alloc_dm(): %s", strerror(err));
	return dm;
}

int dm_free(struct dm *dm)
{
	return object_destroy(dm->end, dm->id);
}

static int dm_copy(const struct dm *dm, size_t dm_offset, const struct mem *mem,
		   size_t offset, size_t length, bool to_dm)
{
	struct call call = {
		.kind = CALL_DM_COPY,
		.object = dm->id,
		.addr = mem->addr + offset,
		.length = length,
		.copy_addr = dm_offset,
		.flag = to_dm,
	};
	struct reply reply;

	end_call(dm->end, &call, &reply);
	return reply.error;
}

int dm_copy_to(struct dm *dm, size_t dm_offset, const struct mem *mem,
	       size_t offset, size_t length)
{
	return dm_copy(dm, dm_offset, mem, offset, length, true);
}

int dm_copy_from(const struct mem *mem, size_t offset, struct dm *dm,
		 size_t dm_offset, size_t length)
{
	return dm_copy(dm, dm_offset, mem, offset, length, false);
}

static void dm_reg(const struct dm *dm, size_t offset, size_t length,
		   unsigned int access, struct reply *ret_reply)
{
	struct call call = {
		.kind = CALL_MR_DM,
		.object = dm->id,
		.addr = offset,
		.length = length,
		.access = access,
	};

	end_call(dm->end, &call, ret_reply);
	if (!ret_reply->error)
		object_track(dm->end, ret_reply->object, "MR");
}

struct mem *dm_mem_new(struct dm *dm, size_t offset, size_t length,
		       unsigned int access)
{
	struct mem *mem = object_alloc(sizeof(*mem));
	struct reply reply;

	dm_reg(dm, offset, length, access | IBV_ACCESS_ZERO_BASED, &reply);
	if (reply.error)
		conform_fail("ibv_reg_dm_mr(): %s", strerror(reply.error));
	*mem = (struct mem){
		.end = dm->end,
		.id = reply.object,
		.length = length,
		.lkey = reply.lkey,
		.rkey = reply.rkey,
	};
	return mem;
}

int dm_reg_try(struct dm *dm, size_t offset, size_t length, unsigned int access)
{
	struct reply reply;

	dm_reg(dm, offset, length, access, &reply);
	return reply.error;
}

struct ibv_sge sge_null(enum end end, uint32_t length)
{
	struct call call = { .kind = CALL_MR_NULL };
	struct reply reply;

	if (!memory_has_null_mr[end]) {
		end_call(end, &call, &reply);
		if (reply.error)
			conform_skip("the device has no null MR");
		object_track(end, reply.object, "null MR");
		memory_null_mr[end] = (int)reply.lkey;
		memory_has_null_mr[end] = true;
	}
	return (struct ibv_sge){
		.addr = 0,
		.length = length,
		.lkey = (uint32_t)memory_null_mr[end],
	};
}

struct ibv_sge sge(const struct mem *mem, size_t offset, uint32_t length)
{
	return (struct ibv_sge){
		.addr = mem->addr + offset,
		.length = length,
		.lkey = mem->lkey,
	};
}

/* -- patterns -- */

static uint8_t memory_pattern(size_t offset, uint32_t seed)
{
	uint64_t mix = (offset + 1) * UINT64_C(0x9e3779b97f4a7c15) +
		       seed * UINT64_C(0xff51afd7ed558ccd);

	return (uint8_t)(mix >> 56);
}

static void memory_require_range(const struct mem *mem, size_t offset,
				 size_t length)
{
	if (offset > mem->length || length > mem->length - offset)
		conform_fail("a range beyond %zu bytes of memory", mem->length);
}

/* The pattern depends on the offset in the range, not in @mem. */
void mem_fill(struct mem *mem, size_t offset, size_t length, uint32_t seed)
{
	memory_require_range(mem, offset, length);
	for (size_t i = 0; i < length; i++)
		mem->view[offset + i] = memory_pattern(i, seed);
}

void mem_require(const struct mem *mem, size_t offset, size_t length,
		 uint32_t seed)
{
	memory_require_range(mem, offset, length);
	for (size_t i = 0; i < length; i++) {
		uint8_t want = memory_pattern(i, seed);

		if (mem->view[offset + i] != want)
			conform_fail("byte %zu of %zu is %#x instead of %#x", i,
				     length, mem->view[offset + i], want);
	}
}

void mem_require_value(const struct mem *mem, size_t offset, size_t length,
		       uint8_t value)
{
	memory_require_range(mem, offset, length);
	for (size_t i = 0; i < length; i++) {
		if (mem->view[offset + i] != value)
			conform_fail("byte %zu of %zu is %#x instead of %#x", i,
				     length, mem->view[offset + i], value);
	}
}

/* -- the end of a test -- */

const char *memory_check(void)
{
	static char text[120];

	for (int i = 0; i < memory_nr_parts; i++) {
		const struct memory_part *part = &memory_parts[i];
		const uint8_t *view = end_view(part->end) + part->offset;
		size_t span = memory_span(part->length);

		for (size_t k = part->length; k < span; k++) {
			if (!view[k])
				continue;
			snprintf(
				text, sizeof(text),
				"memory of the %s was changed, %zu bytes after "
				"the end of a region of %zu bytes",
				part->end == CLIENT ? "client" : "server",
				k - part->length, part->length);
			return text;
		}
	}
	return NULL;
}

void memory_reset(void)
{
	memory_nr_parts = 0;
	memory_used[CLIENT] = 0;
	memory_used[SERVER] = 0;
	memory_has_null_mr[CLIENT] = false;
	memory_has_null_mr[SERVER] = false;
}
