// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: device memory (ibv_alloc_dm(3)), which is
 * accessed by copies and through zero-based memory regions. Offsets and lengths
 * of copies are multiples of 4, which some devices require.
 */
#include "conform.h"

#include <errno.h>
#include <string.h>

#define DM_BYTES 65536u

/* Memory of an end: the device memory, a region of it, and a buffer. */
struct dm_rig {
	struct dm *dm;
	struct mem *region, *buffer;
};

static struct dm_rig dm_rig_new(enum end end, unsigned int access)
{
	struct dm_rig rig = {
		.dm = dm_new(end, DM_BYTES),
		.buffer = mem_new(end, DM_BYTES, IBV_ACCESS_LOCAL_WRITE),
	};

	rig.region = dm_mem_new(rig.dm, 0, DM_BYTES, access);
	return rig;
}

/* All bytes of the device memory get one value. */
static void dm_set(const struct dm_rig *rig, uint8_t value)
{
	memset(rig->buffer->view, value, DM_BYTES);
	REQUIRE_EQUAL(dm_copy_to(rig->dm, 0, rig->buffer, 0, DM_BYTES), 0);
}

static void dm_fill(const struct dm_rig *rig, uint32_t seed)
{
	mem_fill(rig->buffer, 0, DM_BYTES, seed);
	REQUIRE_EQUAL(dm_copy_to(rig->dm, 0, rig->buffer, 0, DM_BYTES), 0);
}

/* Copies the device memory to the buffer, which had other values. */
static void dm_fetch(const struct dm_rig *rig)
{
	memset(rig->buffer->view, 0x3c, DM_BYTES);
	REQUIRE_EQUAL(dm_copy_from(rig->buffer, 0, rig->dm, 0, DM_BYTES), 0);
}

/* -- allocation -- */

static void dm_more_than_limit_fails(void)
{
	size_t limit = conform_device()->max_dm_size;

	REQUIRE(dm_new_try(CLIENT, limit + 1, 0, NULL) != 0);
	REQUIRE(dm_new_try(CLIENT, SIZE_MAX, 0, NULL) != 0);
	(void)dm_new(CLIENT, 4);
}

static void dm_freed_memory_is_available_again(void)
{
	size_t half = conform_device()->max_dm_size / 2;
	struct dm *parts[2];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2; i++)
			parts[i] = dm_new(CLIENT, half);
		REQUIRE_EQUAL(dm_new_try(CLIENT, half, 0, NULL), ENOMEM);
		for (int i = 0; i < 2; i++)
			REQUIRE_EQUAL(dm_free(parts[i]), 0);
	}
}

static void dm_alignments_are_accepted(void)
{
	for (uint32_t log_align = 0; log_align <= 12; log_align++) {
		struct dm *dm = NULL;

		conform_context("alignment 2^%u", log_align);
		REQUIRE_EQUAL(dm_new_try(CLIENT, 100, log_align, &dm), 0);
		REQUIRE_EQUAL(dm_free(dm), 0);
	}
}

static void dm_free_with_region_fails(void)
{
	struct dm_rig rig = dm_rig_new(CLIENT, IBV_ACCESS_LOCAL_WRITE);
	struct mem *second = dm_mem_new(rig.dm, 8, 16, 0);

	REQUIRE_EQUAL(dm_free(rig.dm), EBUSY);
	REQUIRE_EQUAL(mem_dereg(rig.region), 0);
	REQUIRE_EQUAL(dm_free(rig.dm), EBUSY);
	REQUIRE_EQUAL(mem_dereg(second), 0);
	REQUIRE_EQUAL(dm_free(rig.dm), 0);
}

/* -- copies -- */

static void dm_copies_return_data(void)
{
	struct dm *dm = dm_new(CLIENT, DM_BYTES);
	struct mem *from = mem_new(CLIENT, DM_BYTES, 0);
	struct mem *to = mem_new(CLIENT, DM_BYTES, IBV_ACCESS_LOCAL_WRITE);
	static const size_t offsets[] = { 0, 4, 4096, 4100, DM_BYTES - 8 };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		size_t offset = offsets[i], length = DM_BYTES - offset - 4;

		conform_context("offset %zu", offset);
		memset(from->view, 0, DM_BYTES);
		REQUIRE_EQUAL(dm_copy_to(dm, 0, from, 0, DM_BYTES), 0);
		mem_fill(from, offset, length, (uint32_t)i);
		REQUIRE_EQUAL(dm_copy_to(dm, offset, from, offset, length), 0);
		REQUIRE_EQUAL(dm_copy_from(to, 0, dm, 0, DM_BYTES), 0);
		mem_require_value(to, 0, offset, 0);
		mem_require(to, offset, length, (uint32_t)i);
		mem_require_value(to, offset + length, 4, 0);
	}
	REQUIRE_EQUAL(dm_copy_to(dm, 0, from, 0, 0), 0);
	REQUIRE_EQUAL(dm_copy_from(to, 0, dm, DM_BYTES, 0), 0);
}

static void dm_copy_outside_fails(void)
{
	struct dm_rig rig = dm_rig_new(CLIENT, IBV_ACCESS_LOCAL_WRITE);
	static const struct {
		size_t offset, length;
	} rows[] = {
		{ DM_BYTES, 4 },     { 0, DM_BYTES + 4 },    { 4, DM_BYTES },
		{ DM_BYTES + 4, 0 }, { (size_t)-4, 4 },	     { (size_t)-4, 8 },
		{ 4, (size_t)-4 },   { (size_t)1 << 31, 4 },
	};

	dm_set(&rig, 0xa5);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		conform_context("offset %zu, %zu bytes", rows[i].offset,
				rows[i].length);
		memset(rig.buffer->view, 0, DM_BYTES);
		REQUIRE(dm_copy_to(rig.dm, rows[i].offset, rig.buffer, 0,
				   rows[i].length) != 0);
		REQUIRE(dm_copy_from(rig.buffer, 0, rig.dm, rows[i].offset,
				     rows[i].length) != 0);
		mem_require_value(rig.buffer, 0, DM_BYTES, 0);
		dm_fetch(&rig);
		mem_require_value(rig.buffer, 0, DM_BYTES, 0xa5);
	}
}

/* -- regions -- */

static void dm_region_must_be_zero_based(void)
{
	struct dm *dm = dm_new(CLIENT, DM_BYTES);

	REQUIRE_EQUAL(dm_reg_try(dm, 0, DM_BYTES, IBV_ACCESS_LOCAL_WRITE),
		      EINVAL);
	REQUIRE_EQUAL(dm_reg_try(dm, 0, DM_BYTES, 0), EINVAL);
}

static void dm_region_needs_local_write_for_remote_write(void)
{
	struct dm *dm = dm_new(CLIENT, DM_BYTES);

	REQUIRE_EQUAL(
		dm_reg_try(dm, 0, DM_BYTES,
			   IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE),
		EINVAL);
}

static void dm_region_outside_fails(void)
{
	struct dm *dm = dm_new(CLIENT, DM_BYTES);

	REQUIRE_EQUAL(dm_reg_try(dm, 0, DM_BYTES + 1, IBV_ACCESS_ZERO_BASED),
		      EINVAL);
	REQUIRE_EQUAL(dm_reg_try(dm, 4, DM_BYTES, IBV_ACCESS_ZERO_BASED),
		      EINVAL);
	REQUIRE_EQUAL(dm_reg_try(dm, DM_BYTES + 4, 4, IBV_ACCESS_ZERO_BASED),
		      EINVAL);
	REQUIRE_EQUAL(dm_reg_try(dm, SIZE_MAX - 3, 8, IBV_ACCESS_ZERO_BASED),
		      EINVAL);
}

/* -- work requests -- */

static const uint32_t dm_lengths[] = { 1, 4, 7, 64, 1024, 4097, 60000 };
#define DM_NR_LENGTHS (sizeof(dm_lengths) / sizeof(dm_lengths[0]))

static void dm_send_moves_data_between_device_memories(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct dm_rig from = dm_rig_new(CLIENT, IBV_ACCESS_LOCAL_WRITE);
	struct dm_rig to = dm_rig_new(SERVER, IBV_ACCESS_LOCAL_WRITE);

	for (uint32_t i = 0; i < DM_NR_LENGTHS; i++) {
		uint32_t length = dm_lengths[i];
		struct work work = work_send(from.region, 0, length);

		conform_context("%u bytes", length);
		dm_fill(&from, i);
		dm_set(&to, 0xa5);
		post_recv(pair.server, to.region, 8, length, 1);
		post(pair.client, &work);
		poll_success(pair.server->recv_cq, 1);
		poll_success(pair.client->send_cq, 0);
		dm_fetch(&to);
		mem_require_value(to.buffer, 0, 8, 0xa5);
		mem_require(to.buffer, 8, length, i);
		mem_require_value(to.buffer, 8 + length, DM_BYTES - 8 - length,
				  0xa5);
	}
}

static void dm_write_and_read_reach_device_memory(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct dm_rig local = dm_rig_new(CLIENT, IBV_ACCESS_LOCAL_WRITE);
	struct dm_rig remote = dm_rig_new(
		SERVER, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ);

	for (uint32_t i = 0; i < DM_NR_LENGTHS; i++) {
		uint32_t length = dm_lengths[i];
		struct work work = work_rdma(IBV_WR_RDMA_WRITE, local.region, 0,
					     length, remote.region, 12);

		conform_context("%u bytes", length);
		dm_fill(&local, i);
		dm_set(&remote, 0xa5);
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
		dm_fetch(&remote);
		mem_require_value(remote.buffer, 0, 12, 0xa5);
		mem_require(remote.buffer, 12, length, i);
		mem_require_value(remote.buffer, 12 + length,
				  DM_BYTES - 12 - length, 0xa5);

		dm_fill(&remote, i + 100);
		dm_set(&local, 0x5a);
		work = work_rdma(IBV_WR_RDMA_READ, local.region, 16, length,
				 remote.region, 0);
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
		dm_fetch(&local);
		mem_require_value(local.buffer, 0, 16, 0x5a);
		mem_require(local.buffer, 16, length, i + 100);
		mem_require_value(local.buffer, 16 + length,
				  DM_BYTES - 16 - length, 0x5a);
	}
}

static void dm_atomics_change_device_memory(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *old = mem_new(CLIENT, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct dm_rig target = dm_rig_new(
		SERVER, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	const uint64_t *result = (const uint64_t *)(const void *)old->view;
	const uint64_t *value =
		(const uint64_t *)(const void *)target.buffer->view;
	struct work work = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, old, 0,
				       target.region, 64, 5, 0);

	dm_set(&target, 0);
	for (uint64_t i = 0; i < 100; i++) {
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
		REQUIRE_EQUAL(*result, 5 * i);
	}
	work = work_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, old, 0, target.region, 64,
			   500, UINT64_MAX);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	REQUIRE_EQUAL(*result, 500);
	dm_fetch(&target);
	REQUIRE_EQUAL(value[8], UINT64_MAX);
	mem_require_value(target.buffer, 0, 64, 0);
	mem_require_value(target.buffer, 72, DM_BYTES - 72, 0);
}

/* Address 0 of a region is its first byte, not that of the device memory. */
static void dm_region_begins_at_offset(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct dm_rig to = dm_rig_new(SERVER, 0);
	struct mem *part =
		dm_mem_new(to.dm, 4096, 64,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct work work = work_rdma(IBV_WR_RDMA_WRITE, from, 0, 64, part, 0);

	mem_fill(from, 0, 64, 1);
	dm_set(&to, 0);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 0);
	dm_fetch(&to);
	mem_require_value(to.buffer, 0, 4096, 0);
	mem_require(to.buffer, 4096, 64, 1);
	mem_require_value(to.buffer, 4160, DM_BYTES - 4160, 0);
}

/* A WRITE to a region of bytes 4096 to 4159 that must be refused. */
static void dm_require_refused(size_t at, uint32_t length, unsigned int access)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 4096, 0);
	struct dm_rig to = dm_rig_new(SERVER, 0);
	struct mem *part = dm_mem_new(to.dm, 4096, 64, access);
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, from, 0, length, part, at);

	mem_fill(from, 0, 4096, 1);
	dm_set(&to, 0x77);
	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
	dm_fetch(&to);
	mem_require_value(to.buffer, 0, DM_BYTES, 0x77);
}

static void dm_write_outside_region_fails(void)
{
	const unsigned int access = IBV_ACCESS_LOCAL_WRITE |
				    IBV_ACCESS_REMOTE_WRITE;

	dm_require_refused(0, 65, access);
	dm_require_refused(64, 1, access);
	dm_require_refused((size_t)-1, 1, access);
}

static void dm_write_without_right_fails(void)
{
	dm_require_refused(0, 64, IBV_ACCESS_LOCAL_WRITE);
	dm_require_refused(0, 64,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
}

static void dm_local_request_outside_region_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct dm_rig from = dm_rig_new(CLIENT, 0);
	struct mem *part = dm_mem_new(from.dm, 0, 64, 0);
	struct work work = work_send(part, 32, 33);

	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_LOC_PROT_ERR);
}

static void dm_deregistered_region_is_refused(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 64, 0);
	struct dm_rig to = dm_rig_new(SERVER, IBV_ACCESS_LOCAL_WRITE |
						      IBV_ACCESS_REMOTE_WRITE);
	struct work work =
		work_rdma(IBV_WR_RDMA_WRITE, from, 0, 64, to.region, 0);

	/* the peer has used the region, and may have mapped its memory */
	for (int i = 0; i < 20; i++) {
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
	}
	REQUIRE_EQUAL(mem_dereg(to.region), 0);
	dm_set(&to, 0x77);
	mem_fill(from, 0, 64, 1);
	post(pair.client, &work);
	poll_status(pair.client->send_cq, IBV_WC_REM_ACCESS_ERR);
	dm_fetch(&to);
	mem_require_value(to.buffer, 0, DM_BYTES, 0x77);
}

const struct conform_test conform_dm[] = {
	{ "dm.more_than_limit_fails", dm_more_than_limit_fails, NEED_DM },
	{ "dm.freed_memory_is_available_again",
	  dm_freed_memory_is_available_again, NEED_DM },
	{ "dm.alignments_are_accepted", dm_alignments_are_accepted, NEED_DM },
	{ "dm.free_with_region_fails", dm_free_with_region_fails, NEED_DM },
	{ "dm.copies_return_data", dm_copies_return_data, NEED_DM },
	{ "dm.copy_outside_fails", dm_copy_outside_fails, NEED_DM },
	{ "dm.region_must_be_zero_based", dm_region_must_be_zero_based,
	  NEED_DM },
	{ "dm.region_needs_local_write_for_remote_write",
	  dm_region_needs_local_write_for_remote_write, NEED_DM },
	{ "dm.region_outside_fails", dm_region_outside_fails, NEED_DM },
	{ "dm.send_moves_data_between_device_memories",
	  dm_send_moves_data_between_device_memories, NEED_DM },
	{ "dm.write_and_read_reach_device_memory",
	  dm_write_and_read_reach_device_memory, NEED_DM },
	{ "dm.atomics_change_device_memory", dm_atomics_change_device_memory,
	  NEED_DM | NEED_ATOMIC },
	{ "dm.region_begins_at_offset", dm_region_begins_at_offset, NEED_DM },
	{ "dm.write_outside_region_fails", dm_write_outside_region_fails,
	  NEED_DM },
	{ "dm.write_without_right_fails", dm_write_without_right_fails,
	  NEED_DM },
	{ "dm.local_request_outside_region_fails",
	  dm_local_request_outside_region_fails, NEED_DM },
	{ "dm.deregistered_region_is_refused",
	  dm_deregistered_region_is_refused, NEED_DM },
	{},
};
