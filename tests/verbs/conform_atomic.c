// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: fetch-and-add and compare-and-swap.
 */
#include "conform.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define ATOMIC_NR_ADDERS    6
#define ATOMIC_NR_ADDS	    128 /* of each adder */
#define ATOMIC_MAX_CPU_ADDS 10000000u

/* A connection; a target of the server, and memory for results. */
struct atomic_rig {
	struct pair pair;
	struct mem *old, *target;
};

static struct atomic_rig atomic_rig_new(const struct connect_args *args)
{
	return (struct atomic_rig){
		.pair = pair_new(NULL, args),
		.old = mem_new(CLIENT, 4096, IBV_ACCESS_LOCAL_WRITE),
		.target = mem_new(SERVER, 4096,
				  IBV_ACCESS_LOCAL_WRITE |
					  IBV_ACCESS_REMOTE_ATOMIC),
	};
}

static uint64_t *atomic_word(const struct mem *mem, size_t offset)
{
	return (uint64_t *)(void *)(mem->view + offset);
}

/* One operation on @value; checks the result, and the bytes around both. */
static void atomic_require(const struct atomic_rig *rig,
			   enum ibv_wr_opcode opcode, uint64_t value,
			   uint64_t compare_add, uint64_t swap, uint64_t after)
{
	struct work work = work_atomic(opcode, rig->old, 64, rig->target, 128,
				       compare_add, swap);
	struct ibv_wc wc;

	conform_context("opcode %d, %#llx, operands %#llx, %#llx", (int)opcode,
			(unsigned long long)value,
			(unsigned long long)compare_add,
			(unsigned long long)swap);
	memset(rig->old->view, 0x5a, 256);
	memset(rig->target->view, 0xa5, 256);
	*atomic_word(rig->target, 128) = value;
	work.wr_id = ~value;
	post(rig->pair.client, &work);
	wc = poll_success(rig->pair.client->send_cq, ~value);
	REQUIRE_EQUAL(wc.opcode, opcode == IBV_WR_ATOMIC_FETCH_AND_ADD
					 ? IBV_WC_FETCH_ADD
					 : IBV_WC_COMP_SWAP);
	REQUIRE_EQUAL(wc.qp_num, rig->pair.client->num);
	REQUIRE_EQUAL(wc.byte_len, 8);
	REQUIRE_EQUAL(*atomic_word(rig->old, 64), value);
	REQUIRE_EQUAL(*atomic_word(rig->target, 128), after);
	mem_require_value(rig->old, 0, 64, 0x5a);
	mem_require_value(rig->old, 72, 184, 0x5a);
	mem_require_value(rig->target, 0, 128, 0xa5);
	mem_require_value(rig->target, 136, 120, 0xa5);
	poll_nothing(rig->pair.client->send_cq, 0);
	poll_nothing(rig->pair.server->recv_cq, 0);
}

static const uint64_t atomic_values[] = {
	0,
	1,
	UINT64_C(0x0102030405060708),
	UINT64_C(0xffffffff),
	UINT64_C(0x100000000),
	UINT64_C(0x8000000000000000),
	UINT64_MAX,
};
#define ATOMIC_NR_VALUES (sizeof(atomic_values) / sizeof(atomic_values[0]))

static void atomic_fetch_add_returns_old_value(void)
{
	struct atomic_rig rig = atomic_rig_new(NULL);

	for (size_t i = 0; i < ATOMIC_NR_VALUES; i++) {
		for (size_t k = 0; k < ATOMIC_NR_VALUES; k++)
			atomic_require(&rig, IBV_WR_ATOMIC_FETCH_AND_ADD,
				       atomic_values[i], atomic_values[k], 0x77,
				       atomic_values[i] + atomic_values[k]);
	}
}

static void atomic_equal_compare_swaps(void)
{
	struct atomic_rig rig = atomic_rig_new(NULL);

	for (size_t i = 0; i < ATOMIC_NR_VALUES; i++) {
		for (size_t k = 0; k < ATOMIC_NR_VALUES; k++)
			atomic_require(&rig, IBV_WR_ATOMIC_CMP_AND_SWP,
				       atomic_values[i], atomic_values[i],
				       atomic_values[k], atomic_values[k]);
	}
}

/* Each single bit of the value is compared. */
static void atomic_unequal_compare_changes_nothing(void)
{
	struct atomic_rig rig = atomic_rig_new(NULL);
	const uint64_t value = UINT64_C(0x0102030405060708);

	for (int bit = 0; bit < 64; bit += 7)
		atomic_require(&rig, IBV_WR_ATOMIC_CMP_AND_SWP, value,
			       value ^ (UINT64_C(1) << bit), 0, value);
	atomic_require(&rig, IBV_WR_ATOMIC_CMP_AND_SWP, value, be64toh(value),
		       0, value);
}

/* -- where the operands are -- */

static void atomic_result_is_scattered(void)
{
	struct atomic_rig rig = atomic_rig_new(NULL);
	struct work work = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, rig.old, 0,
				       rig.target, 8, 1, 0);
	const uint64_t value = UINT64_C(0x1122334455667788);
	uint8_t bytes[8];

	*atomic_word(rig.target, 8) = value;
	memcpy(bytes, &value, 8);
	work.nr_sge = 3;
	work.sge[0] = sge(rig.old, 501, 1);
	work.sge[1] = sge(rig.old, 100, 4);
	work.sge[2] = sge(rig.old, 303, 3);
	post(rig.pair.client, &work);
	poll_success(rig.pair.client->send_cq, 0);
	REQUIRE_EQUAL(*atomic_word(rig.target, 8), value + 1);
	REQUIRE(memcmp(rig.old->view + 501, bytes, 1) == 0);
	REQUIRE(memcmp(rig.old->view + 100, bytes + 1, 4) == 0);
	REQUIRE(memcmp(rig.old->view + 303, bytes + 5, 3) == 0);
	mem_require_value(rig.old, 0, 100, 0);
	mem_require_value(rig.old, 104, 199, 0);
	mem_require_value(rig.old, 306, 195, 0);
	mem_require_value(rig.old, 502, 1000, 0);
}

static void atomic_region_borders_are_reached(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *old = mem_new(CLIENT, 16, IBV_ACCESS_LOCAL_WRITE);
	struct mem *target = mem_new(SERVER, 8192 + 8, CONFORM_ALL_ACCESS);
	const size_t offsets[] = { 0, 4088, 4096, 8192 };

	for (size_t i = 0; i < 4; i++) {
		struct work work = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, old,
					       8, target, offsets[i], 3, 0);

		*atomic_word(target, offsets[i]) = 40 + i;
		post(pair.client, &work);
		poll_success(pair.client->send_cq, 0);
		REQUIRE_EQUAL(*atomic_word(old, 8), 40 + i);
		REQUIRE_EQUAL(*atomic_word(target, offsets[i]), 43 + i);
	}
}

/* The request fails, and neither operand changes. */
static void atomic_require_refused(enum ibv_wr_opcode opcode,
				   struct mem *target, int64_t offset,
				   enum ibv_wc_status status)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *old = mem_new(CLIENT, 64, IBV_ACCESS_LOCAL_WRITE);
	struct work work[2] = {
		work_atomic(opcode, old, 0, target, 0, 0, 7),
		work_atomic(opcode, old, 8, target, 0, 0, 7),
	};

	conform_context("opcode %d at offset %lld", (int)opcode,
			(long long)offset);
	work[0].compare_add = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	work[1].compare_add = work[0].compare_add;
	work[0].remote_addr += (uint64_t)offset;
	work[0].wr_id = 1;
	work[1].wr_id = 2;
	post_list(pair.client, work, 2);
	REQUIRE_EQUAL(poll_status(pair.client->send_cq, status).wr_id, 1);
	REQUIRE_EQUAL(
		poll_status(pair.client->send_cq, IBV_WC_WR_FLUSH_ERR).wr_id,
		2);
	qp_wait_state(pair.client, IBV_QPS_ERR);
	qp_wait_state(pair.server, IBV_QPS_ERR);
	poll_nothing(pair.client->send_cq, 0);
	poll_nothing(pair.server->recv_cq, 0);
	mem_require_value(old, 0, 64, 0);
	mem_require_value(target, 0, target->length, 0);
}

static void atomic_unaligned_is_rem_inv_req(void)
{
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);

	for (int64_t offset = 1; offset < 8; offset += 3) {
		atomic_require_refused(IBV_WR_ATOMIC_FETCH_AND_ADD, target,
				       offset, IBV_WC_REM_INV_REQ_ERR);
		atomic_require_refused(IBV_WR_ATOMIC_CMP_AND_SWP, target,
				       offset + 64, IBV_WC_REM_INV_REQ_ERR);
	}
}

static void atomic_across_region_border_is_rem_access(void)
{
	struct mem *target = mem_new(SERVER, 4100, CONFORM_ALL_ACCESS);

	atomic_require_refused(IBV_WR_ATOMIC_FETCH_AND_ADD, target, 4096,
			       IBV_WC_REM_ACCESS_ERR);
	atomic_require_refused(IBV_WR_ATOMIC_CMP_AND_SWP, target, 4104,
			       IBV_WC_REM_ACCESS_ERR);
	atomic_require_refused(IBV_WR_ATOMIC_CMP_AND_SWP, target, -8,
			       IBV_WC_REM_ACCESS_ERR);
}

static void atomic_without_right_is_rem_access(void)
{
	struct mem *target =
		mem_new(SERVER, 4096,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ);

	atomic_require_refused(IBV_WR_ATOMIC_FETCH_AND_ADD, target, 0,
			       IBV_WC_REM_ACCESS_ERR);
	atomic_require_refused(IBV_WR_ATOMIC_CMP_AND_SWP, target, 0,
			       IBV_WC_REM_ACCESS_ERR);
}

/* -- order, and outstanding requests -- */

static void atomic_between_writes_and_reads_is_in_order(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *local = mem_new(CLIENT, 64, CONFORM_ALL_ACCESS);
	struct mem *target = mem_new(SERVER, 64, CONFORM_ALL_ACCESS);
	struct work work[5] = {
		work_rdma(IBV_WR_RDMA_WRITE, local, 0, 8, target, 8),
		work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, local, 8, target, 8, 5,
			    0),
		work_rdma(IBV_WR_RDMA_READ, local, 16, 8, target, 8),
		work_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, local, 24, target, 8,
			    105, 9),
		work_rdma(IBV_WR_RDMA_READ, local, 32, 8, target, 8),
	};

	/* IBTA 10.8.3.3: an atomic may overtake a READ without a fence. */
	work[3].flags = IBV_SEND_FENCE;
	for (int round = 0; round < 20; round++) {
		memset(local->view, 0, 64);
		*atomic_word(local, 0) = 100;
		post_list(pair.client, work, 5);
		for (int i = 0; i < 5; i++)
			poll_success(pair.client->send_cq, 0);
		REQUIRE_EQUAL(*atomic_word(local, 8), 100);
		REQUIRE_EQUAL(*atomic_word(local, 16), 105);
		REQUIRE_EQUAL(*atomic_word(local, 24), 105);
		REQUIRE_EQUAL(*atomic_word(local, 32), 9);
		REQUIRE_EQUAL(*atomic_word(target, 8), 9);
	}
}

/* More requests than may be outstanding: they wait, and none is lost. */
static void atomic_many_with_limit(uint8_t rd_atomic)
{
	const struct connect_args args = { .rd_atomic = rd_atomic };
	struct atomic_rig rig = atomic_rig_new(&args);
	struct work work[64];

	conform_context("max_rd_atomic %d", (int)rd_atomic);
	for (size_t part = 0; part < 2; part++) {
		for (size_t i = 0; i < 64; i++) {
			work[i] = work_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD,
					      rig.old, (part * 64 + i) * 8,
					      rig.target, 0, 1, 0);
			work[i].wr_id = part * 64 + i;
		}
		post_list(rig.pair.client, work, 64);
	}
	for (uint64_t i = 0; i < 128; i++) {
		poll_success(rig.pair.client->send_cq, i);
		REQUIRE_EQUAL(*atomic_word(rig.old, i * 8), i);
	}
	REQUIRE_EQUAL(*atomic_word(rig.target, 0), 128);
	poll_nothing(rig.pair.client->send_cq, 0);
}

static void atomic_more_than_outstanding_limit_complete(void)
{
	atomic_many_with_limit(1);
	atomic_many_with_limit(3);
	atomic_many_with_limit(16);
	atomic_many_with_limit(128);
}

static void atomic_limit_above_device_is_refused(void)
{
	const int limit = conform_device()->orig_attr.max_qp_init_rd_atom;
	struct qp *qp = qp_new(CLIENT, NULL);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = (uint8_t)(limit + 1),
	};
	const int mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_MAX_QP_RD_ATOMIC;

	if (limit >= UINT8_MAX)
		conform_skip("the device has no limit");
	REQUIRE_EQUAL(qp_to_init(qp, NULL), 0);
	REQUIRE_EQUAL(qp_to_rtr(qp, qp, NULL), 0);
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), EINVAL);
	REQUIRE_EQUAL(qp_query(qp).qp_state, IBV_QPS_RTR);
	attr.max_rd_atomic = (uint8_t)limit;
	REQUIRE_EQUAL(qp_modify(qp, &attr, mask), 0);
	REQUIRE_EQUAL(qp_query(qp).max_rd_atomic, limit);
}

/* -- concurrent adders -- */

/* The CPU adds to the upper half of the target. */
struct atomic_cpu {
	uint64_t *word;
	pthread_t thread;
	uint64_t nr;
	bool end;
};

static void *atomic_cpu_run(void *arg)
{
	struct atomic_cpu *cpu = arg;

	while (!__atomic_load_n(&cpu->end, __ATOMIC_RELAXED) &&
	       cpu->nr < ATOMIC_MAX_CPU_ADDS) {
		(void)__atomic_fetch_add(cpu->word, UINT64_C(1) << 32,
					 __ATOMIC_SEQ_CST);
		cpu->nr++;
	}
	return NULL;
}

/* The QPs add 1; every value from 0 on must have been returned once. */
static uint64_t atomic_add_by_qps(struct mem *target)
{
	bool seen[ATOMIC_NR_ADDERS * ATOMIC_NR_ADDS] = {};
	struct pair pair[ATOMIC_NR_ADDERS];
	struct mem *old[ATOMIC_NR_ADDERS];
	struct work work[64];
	struct ibv_wc wc;

	for (int q = 0; q < ATOMIC_NR_ADDERS; q++) {
		enum end end = q % 3 == 2 ? SERVER : CLIENT;

		pair[q].client = qp_new(end, NULL);
		pair[q].server = qp_new(SERVER, NULL);
		qp_connect(pair[q].client, pair[q].server, NULL);
		old[q] = mem_new(end, 8 * ATOMIC_NR_ADDS,
				 IBV_ACCESS_LOCAL_WRITE);
	}
	for (int part = 0; part < ATOMIC_NR_ADDS / 64; part++) {
		for (int q = 0; q < ATOMIC_NR_ADDERS; q++) {
			for (size_t i = 0; i < 64; i++)
				work[i] = work_atomic(
					IBV_WR_ATOMIC_FETCH_AND_ADD, old[q],
					((size_t)part * 64 + i) * 8, target, 64,
					1, 0);
			post_list(pair[q].client, work, 64);
		}
	}
	for (int q = 0; q < ATOMIC_NR_ADDERS; q++) {
		for (size_t i = 0; i < ATOMIC_NR_ADDS; i++) {
			uint32_t value;

			if (poll_some(pair[q].client->send_cq, &wc, 1,
				      CONFORM_WAIT_MS) != 1 ||
			    wc.status != IBV_WC_SUCCESS)
				return 0;
			value = (uint32_t)*atomic_word(old[q], i * 8);
			if (value >= sizeof(seen) || seen[value])
				return 0;
			seen[value] = true;
		}
	}
	return sizeof(seen);
}

/* The thread must end before the test does, so nothing is required before. */
static void atomic_concurrent_adders_sum_exact(void)
{
	const bool with_cpu = conform_device()->orig_attr.atomic_cap ==
			      IBV_ATOMIC_GLOB;
	struct mem *target = mem_new(SERVER, 4096, CONFORM_ALL_ACCESS);
	static struct atomic_cpu cpu;
	uint64_t sum;

	cpu = (struct atomic_cpu){ .word = atomic_word(target, 64) };
	if (with_cpu)
		REQUIRE_EQUAL(
			pthread_create(&cpu.thread, NULL, atomic_cpu_run, &cpu),
			0);
	sum = atomic_add_by_qps(target);
	__atomic_store_n(&cpu.end, true, __ATOMIC_RELAXED);
	if (with_cpu)
		REQUIRE_EQUAL(pthread_join(cpu.thread, NULL), 0);
	REQUIRE_EQUAL(sum, ATOMIC_NR_ADDERS * ATOMIC_NR_ADDS);
	REQUIRE_EQUAL(*atomic_word(target, 64), (cpu.nr << 32) + sum);
}

const struct conform_test conform_atomic[] = {
	{ "atomic.fetch_add_returns_old_value",
	  atomic_fetch_add_returns_old_value, NEED_ATOMIC },
	{ "atomic.equal_compare_swaps", atomic_equal_compare_swaps,
	  NEED_ATOMIC },
	{ "atomic.unequal_compare_changes_nothing",
	  atomic_unequal_compare_changes_nothing, NEED_ATOMIC },
	{ "atomic.result_is_scattered", atomic_result_is_scattered,
	  NEED_ATOMIC },
	{ "atomic.region_borders_are_reached",
	  atomic_region_borders_are_reached, NEED_ATOMIC },
	{ "atomic.unaligned_is_rem_inv_req", atomic_unaligned_is_rem_inv_req,
	  NEED_ATOMIC },
	{ "atomic.across_region_border_is_rem_access",
	  atomic_across_region_border_is_rem_access, NEED_ATOMIC },
	{ "atomic.without_right_is_rem_access",
	  atomic_without_right_is_rem_access, NEED_ATOMIC },
	{ "atomic.between_writes_and_reads_is_in_order",
	  atomic_between_writes_and_reads_is_in_order, NEED_ATOMIC },
	{ "atomic.more_than_outstanding_limit_complete",
	  atomic_more_than_outstanding_limit_complete, NEED_ATOMIC },
	{ "atomic.limit_above_device_is_refused",
	  atomic_limit_above_device_is_refused, NEED_ATOMIC },
	{ "atomic.concurrent_adders_sum_exact",
	  atomic_concurrent_adders_sum_exact, NEED_ATOMIC },
	{},
};
