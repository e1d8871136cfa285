// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: ATOMIC_WRITE and FLUSH (IBTA, annex A19).
 */
#include "conform.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define EXT_CAP_FLUSH_PERSISTENT (UINT64_C(1) << 39)
#define EXT_NR_WRITES		 512
#define EXT_MAX_LOADS		 20000000u

/* FLUSH is posted by ibv_wr_*() only. */
static const struct qp_args ext_qp_args = { .wr_api = true };
static const struct connect_args ext_connect_args = {
	.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
};
static const struct connect_args ext_flush_args = {
	.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_FLUSH_GLOBAL,
};

static uint64_t *ext_word(const struct mem *mem, size_t offset)
{
	return (uint64_t *)(void *)(mem->view + offset);
}

/* The only request fails, both QPs are in ERR, and @target is zero. */
static void ext_require_refused(struct pair pair, const struct mem *target,
				const struct work *work,
				enum ibv_wc_status status)
{
	conform_context("opcode %d, offset %lld, key %#x", (int)work->opcode,
			(long long)(work->remote_addr - target->addr),
			work->rkey);
	post(pair.client, work);
	REQUIRE_EQUAL(poll_status(pair.client->send_cq, status).wr_id,
		      work->wr_id);
	qp_wait_state(pair.client, IBV_QPS_ERR);
	qp_wait_state(pair.server, IBV_QPS_ERR);
	poll_nothing(pair.client->send_cq, 0);
	poll_nothing(pair.server->recv_cq, 0);
	mem_require_value(target, 0, target->length, 0);
}

/* -- ATOMIC_WRITE -- */

static void ext_atomic_write_is_8_bytes(void)
{
	static const uint64_t values[] = {
		0,
		UINT64_C(0x0102030405060708),
		UINT64_C(0xffffffff00000000),
		UINT64_MAX,
	};
	struct pair pair = pair_new(&ext_qp_args, &ext_connect_args);
	struct mem *target = mem_new(
		SERVER, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	const size_t offsets[] = { 0, 8, 2040, 4088 };

	for (size_t i = 0; i < 16; i++) {
		size_t offset = offsets[i % 4];
		struct work work =
			work_atomic_write(target, offset, values[i / 4]);
		struct ibv_wc wc;

		memset(target->view, 0x5a, 4096);
		work.wr_id = 900 + i;
		post(pair.client, &work);
		wc = poll_success(pair.client->send_cq, 900 + i);
		REQUIRE_EQUAL(wc.opcode, IBV_WC_ATOMIC_WRITE);
		REQUIRE_EQUAL(wc.qp_num, pair.client->num);
		REQUIRE_EQUAL(*ext_word(target, offset), values[i / 4]);
		mem_require_value(target, 0, offset, 0x5a);
		mem_require_value(target, offset + 8, 4088 - offset, 0x5a);
	}
	poll_nothing(pair.client->send_cq, 0);
	poll_nothing(pair.server->recv_cq, 0);
}

/* Loads 8 bytes at once until @end; all must have one value. */
struct ext_watch {
	const uint64_t *word;
	pthread_t thread;
	uint64_t torn; /* a value with different bytes, or 0 */
	bool end;
};

static void *ext_watch_run(void *arg)
{
	struct ext_watch *watch = arg;

	for (uint32_t i = 0; i < EXT_MAX_LOADS; i++) {
		uint64_t value = __atomic_load_n(watch->word, __ATOMIC_RELAXED);

		if (value != (value & 0xff) * UINT64_C(0x0101010101010101))
			watch->torn = value;
		if (__atomic_load_n(&watch->end, __ATOMIC_RELAXED))
			break;
		if (i % 4096 == 0)
			sched_yield();
	}
	return NULL;
}

/* The last value that has arrived, or UINT64_MAX. */
static uint64_t ext_write_many(struct pair pair, const struct mem *target)
{
	uint64_t value = 0;
	struct work work[32];
	struct ibv_wc wc;

	for (uint64_t nr = 0; nr < EXT_NR_WRITES; nr += 32) {
		for (uint64_t i = 0; i < 32; i++) {
			value = ((nr + i) % 251 + 1) *
				UINT64_C(0x0101010101010101);
			work[i] = work_atomic_write(target, 64, value);
		}
		if (post_try(pair.client, work, 32, NULL))
			return UINT64_MAX;
		for (int i = 0; i < 32; i++) {
			if (poll_some(pair.client->send_cq, &wc, 1,
				      CONFORM_WAIT_MS) != 1 ||
			    wc.status != IBV_WC_SUCCESS)
				return UINT64_MAX;
		}
	}
	return value;
}

static void ext_atomic_write_is_single_copy(void)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_connect_args);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	static struct ext_watch watch;
	uint64_t last;

	watch = (struct ext_watch){ .word = ext_word(target, 64) };
	REQUIRE_EQUAL(
		pthread_create(&watch.thread, NULL, ext_watch_run, &watch), 0);
	last = ext_write_many(pair, target);
	__atomic_store_n(&watch.end, true, __ATOMIC_RELAXED);
	REQUIRE_EQUAL(pthread_join(watch.thread, NULL), 0);
	REQUIRE_EQUAL(watch.torn, 0);
	REQUIRE_EQUAL(*ext_word(target, 64), last);
}

static void ext_atomic_write_precedes_later_send(void)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_connect_args);
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	struct mem *mem = mem_new(CLIENT, 4096, CONFORM_ALL_ACCESS);

	for (uint64_t i = 1; i <= 20; i++) {
		struct work work[3] = {
			work_rdma(IBV_WR_RDMA_WRITE, mem, 0, 4096, target, 0),
			work_atomic_write(target, 8, i),
			work_send(mem, 0, 0),
		};

		memset(mem->view, 0xee, 4096);
		REQUIRE_EQUAL(post_recv_try(pair.server, i, NULL, 0), 0);
		post_list(pair.client, work, 3);
		poll_success(pair.server->recv_cq, i);
		REQUIRE_EQUAL(*ext_word(target, 0),
			      UINT64_C(0xeeeeeeeeeeeeeeee));
		REQUIRE_EQUAL(*ext_word(target, 8), i);
		for (int k = 0; k < 3; k++)
			poll_success(pair.client->send_cq, 0);
	}
}

static void ext_refuse_atomic_write(unsigned int access, size_t length,
				    int64_t offset, uint32_t key_flip,
				    enum ibv_wc_status status)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_connect_args);
	struct mem *target = mem_new(SERVER, length, access);
	struct work work = work_atomic_write(target, 0, UINT64_MAX);

	work.remote_addr += (uint64_t)offset;
	work.rkey ^= key_flip;
	ext_require_refused(pair, target, &work, status);
}

static void ext_atomic_write_unaligned_is_rem_inv_req(void)
{
	for (int64_t offset = 1; offset < 8; offset += 3)
		ext_refuse_atomic_write(CONFORM_ALL_ACCESS, 4096, offset, 0,
					IBV_WC_REM_INV_REQ_ERR);
}

static void ext_atomic_write_bad_access_is_rem_access(void)
{
	const unsigned int others = CONFORM_ALL_ACCESS &
				    ~(unsigned int)IBV_ACCESS_REMOTE_WRITE;

	ext_refuse_atomic_write(CONFORM_ALL_ACCESS, 4096, 0, 0x100,
				IBV_WC_REM_ACCESS_ERR);
	ext_refuse_atomic_write(CONFORM_ALL_ACCESS, 4100, 4096, 0,
				IBV_WC_REM_ACCESS_ERR);
	ext_refuse_atomic_write(CONFORM_ALL_ACCESS, 4096, -8, 0,
				IBV_WC_REM_ACCESS_ERR);
	ext_refuse_atomic_write(others, 4096, 0, 0, IBV_WC_REM_ACCESS_ERR);
}

/* -- FLUSH -- */

static struct mem *ext_flush_target(size_t length)
{
	return mem_new(SERVER, length,
		       CONFORM_ALL_ACCESS | IBV_ACCESS_FLUSH_GLOBAL);
}

/* The data of all earlier WRITEs is there when the FLUSH is complete. */
static void ext_flush_level_completes_after_placement(uint8_t level)
{
	static const uint32_t lengths[] = { 1, 4097, 65536, 300001 };
	struct pair pair = pair_new(&ext_qp_args, &ext_flush_args);
	struct mem *mem = mem_new(CLIENT, 300001, CONFORM_ALL_ACCESS);
	struct mem *target = ext_flush_target(300001);

	for (uint32_t i = 0; i < 4; i++) {
		struct work work[2] = {
			work_rdma(IBV_WR_RDMA_WRITE, mem, 0, lengths[i], target,
				  0),
			work_flush(target, 0, lengths[i], IBV_FLUSH_GLOBAL,
				   level),
		};
		struct ibv_wc wc;

		conform_context("level %d, %u bytes", (int)level, lengths[i]);
		mem_fill(mem, 0, lengths[i], i);
		work[0].unsignaled = true;
		work[1].wr_id = 50 + i;
		post_list(pair.client, work, 2);
		wc = poll_success(pair.client->send_cq, 50 + i);
		REQUIRE_EQUAL(wc.opcode, IBV_WC_FLUSH);
		REQUIRE_EQUAL(wc.qp_num, pair.client->num);
		mem_require(target, 0, lengths[i], i);
		mem_require_value(target, lengths[i], 300001 - lengths[i], 0);
		memset(target->view, 0, 300001);
	}
	poll_nothing(pair.client->send_cq, 0);
	poll_nothing(pair.server->recv_cq, 0);
}

static void ext_flush_completes_after_placement(void)
{
	ext_flush_level_completes_after_placement(IBV_FLUSH_RANGE);
	ext_flush_level_completes_after_placement(IBV_FLUSH_MR);
}

static void ext_flush_changes_nothing(void)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_flush_args);
	struct mem *target = ext_flush_target(8192);
	const size_t offsets[] = { 0, 1, 4095, 8191 };

	mem_fill(target, 0, 8192, 1);
	for (int i = 0; i < 4; i++) {
		struct work work =
			work_flush(target, offsets[i], 8192 - offsets[i],
				   IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);

		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
	}
	mem_require(target, 0, 8192, 1);
}

static void ext_refuse_flush(unsigned int access, size_t offset, size_t length,
			     uint32_t key_flip)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_flush_args);
	struct mem *target = mem_new(SERVER, 4096, access);
	struct work work = work_flush(target, offset, length, IBV_FLUSH_GLOBAL,
				      IBV_FLUSH_RANGE);

	work.rkey ^= key_flip;
	work.wr_id = 8;
	ext_require_refused(pair, target, &work, IBV_WC_REM_ACCESS_ERR);
}

static void ext_flush_beyond_region_is_rem_access(void)
{
	const unsigned int all = CONFORM_ALL_ACCESS | IBV_ACCESS_FLUSH_GLOBAL;

	ext_refuse_flush(all, 0, 4097, 0);
	ext_refuse_flush(all, 4096, 1, 0);
}

static void ext_flush_bad_key_is_rem_access(void)
{
	ext_refuse_flush(CONFORM_ALL_ACCESS | IBV_ACCESS_FLUSH_GLOBAL, 0, 64,
			 0x100);
}

static void ext_flush_without_right_is_rem_access(void)
{
	ext_refuse_flush(CONFORM_ALL_ACCESS, 0, 64, 0);
}

/* With the level of the region, the range is ignored. */
static void ext_flush_of_region_ignores_range(void)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_flush_args);
	struct mem *target = ext_flush_target(4096);
	struct work work =
		work_flush(target, 0, 100000, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR);

	post(pair.client, &work);
	REQUIRE_EQUAL(poll_success(pair.client->send_cq, 0).opcode,
		      IBV_WC_FLUSH);
}

/* Global visibility does not include the right to make data persistent. */
static void ext_flush_persistent_needs_right(void)
{
	struct pair pair = pair_new(&ext_qp_args, &ext_flush_args);
	struct mem *target = ext_flush_target(4096);
	struct work work = work_flush(target, 0, 64, IBV_FLUSH_PERSISTENT,
				      IBV_FLUSH_RANGE);

	if (!(conform_device()->device_cap_flags_ex & EXT_CAP_FLUSH_PERSISTENT))
		conform_skip("no FLUSH to persistent memory");
	ext_require_refused(pair, target, &work, IBV_WC_REM_ACCESS_ERR);
}

const struct conform_test conform_ext[] = {
	{ "ext.atomic_write_is_8_bytes", ext_atomic_write_is_8_bytes,
	  NEED_ATOMIC_WRITE },
	{ "ext.atomic_write_is_single_copy", ext_atomic_write_is_single_copy,
	  NEED_ATOMIC_WRITE },
	{ "ext.atomic_write_precedes_later_send",
	  ext_atomic_write_precedes_later_send, NEED_ATOMIC_WRITE },
	{ "ext.atomic_write_unaligned_is_rem_inv_req",
	  ext_atomic_write_unaligned_is_rem_inv_req, NEED_ATOMIC_WRITE },
	{ "ext.atomic_write_bad_access_is_rem_access",
	  ext_atomic_write_bad_access_is_rem_access, NEED_ATOMIC_WRITE },
	{ "ext.flush_completes_after_placement",
	  ext_flush_completes_after_placement, NEED_FLUSH },
	{ "ext.flush_changes_nothing", ext_flush_changes_nothing, NEED_FLUSH },
	{ "ext.flush_beyond_region_is_rem_access",
	  ext_flush_beyond_region_is_rem_access, NEED_FLUSH },
	{ "ext.flush_bad_key_is_rem_access", ext_flush_bad_key_is_rem_access,
	  NEED_FLUSH },
	{ "ext.flush_without_right_is_rem_access",
	  ext_flush_without_right_is_rem_access, NEED_FLUSH },
	{ "ext.flush_of_region_ignores_range",
	  ext_flush_of_region_ignores_range, NEED_FLUSH },
	{ "ext.flush_persistent_needs_right", ext_flush_persistent_needs_right,
	  NEED_FLUSH },
	{},
};
