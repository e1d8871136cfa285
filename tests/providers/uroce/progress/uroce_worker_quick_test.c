/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Quick posts and polls compared with ordinary ones: two connected QPs of this
 * process run the same scenario, once with quick calls and once with full
 * passes. Completions, counters and memory must be equal.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/progress/uroce_worker_state.h"
#include "uroce_netns.h"
#include "uroce_side.h"

#define LONG_TIMEOUT  24 /* 68 s: a delay of some ms is irrelevant */
#define SHORT_TIMEOUT 12 /* 17 ms */
#define MAX_LOG	      4096
#define NR_WARM_UPS   10
#define NR_WARM	      200
#define MEMORY	      (SIDE_MEMORY / 4)

/* Events of a scenario, in the order of each side. */
struct scenario {
	struct side side[2];
	struct side_address address[2];
	struct uroce_cqe log[2][MAX_LOG];
	uint32_t nr_log[2];
	struct uroce_counters counters;
	unsigned int quick_posts; /* that made no full pass */
	uint8_t memory[2][MEMORY];
};

static struct scenario quick, full;
static unsigned int nr_quick_posts; /* with the engine lock */

/* NOLINTBEGIN(bugprone-reserved-identifier) */
bool __real_uroce_worker_quick_post(struct uroce_worker *worker,
				    struct uroce_qp *qp);
bool __wrap_uroce_worker_quick_post(struct uroce_worker *worker,
				    struct uroce_qp *qp);

bool __wrap_uroce_worker_quick_post(struct uroce_worker *worker,
				    struct uroce_qp *qp)
{
	bool done = __real_uroce_worker_quick_post(worker, qp);

	nr_quick_posts += done;
	return done;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void open_scenario(struct scenario *scenario, uint8_t timeout)
{
	struct uroce_netdev dev;

	memset(scenario, 0, sizeof(*scenario));
	nr_quick_posts = 0;
	assert_int_equal(uroce_netdev_read("lo", &dev), 0);
	for (int i = 0; i < 2; i++)
		side_open(&scenario->side[i], &dev);
	for (int i = 0; i < 2; i++)
		scenario->address[i] = side_address(&scenario->side[i], 1);
	for (int i = 0; i < 2; i++)
		side_connect(&scenario->side[i], &scenario->address[i],
			     &scenario->address[!i], IBV_MTU_1024, timeout);
	assert_non_null(scenario->side[0].qp->roce->channel);
}

static void disable_quick_calls(struct scenario *scenario)
{
	struct uroce_instance *instance = scenario->side[0].instance;
	struct uroce_memory *memory = uroce_instance_memory(instance);

	uroce_instance_lock(instance);
	assert_int_equal(memory->nr_dmabufs, 0);
	memory->nr_dmabufs = 1;
	uroce_instance_unlock(instance);
}

static void close_scenario(struct scenario *scenario)
{
	struct uroce_worker *worker = scenario->side[0].worker;

	uroce_worker_lock(scenario->side[0].worker);
	scenario->counters = worker->engine.core.counters;
	scenario->quick_posts = nr_quick_posts;
	uroce_worker_unlock(scenario->side[0].worker);
	for (int i = 0; i < 2; i++)
		memcpy(scenario->memory[i], scenario->side[i].memory, MEMORY);
	for (int i = 0; i < 2; i++)
		side_close(&scenario->side[i]);
}

/* Adds the next completion of a side to its log. */
static void expect(struct scenario *scenario, int i)
{
	struct uroce_cqe *cqe = &scenario->log[i][scenario->nr_log[i]++];

	assert_in_range(scenario->nr_log[i], 1, MAX_LOG);
	side_poll(&scenario->side[i], cqe);
}

/* Prepares the next request; its data is sometimes unaligned. */
static struct uroce_send_wqe *prepare(struct scenario *scenario, int i,
				      enum ibv_wr_opcode opcode, uint32_t len)
{
	struct uroce_send_wqe *wqe =
		uroce_ring_vacant(&scenario->side[i].qp->sq);

	assert_non_null(wqe);
	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = (uint8_t)opcode;
	wqe->length = len;
	if (opcode == IBV_WR_SEND_WITH_IMM ||
	    opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wqe->imm = 0x12345678 + len;
	wqe->remote.va = scenario->address[!i].va + MEMORY / 2;
	wqe->remote.rkey = scenario->address[!i].key;
	wqe->nr_sge = 1;
	wqe->sge[0] = (struct ibv_sge){
		.addr = scenario->address[i].va + len % 7,
		.length = len,
		.lkey = scenario->address[i].key,
	};
	if (opcode == IBV_WR_RDMA_READ) /* not over data in flight */
		wqe->sge[0].addr += MEMORY / 4;
	return wqe;
}

static void post(struct scenario *scenario, int i)
{
	struct side *side = &scenario->side[i];

	uroce_ring_put(&side->qp->sq);
	uroce_worker_post(side->worker, side->qp);
}

static void send_one(struct scenario *scenario, int i,
		     enum ibv_wr_opcode opcode, uint32_t len)
{
	(void)prepare(scenario, i, opcode, len);
	post(scenario, i);
}

static void paint(struct scenario *scenario, uint32_t seed)
{
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t at = 0; at < MEMORY / 2; at++)
			scenario->side[i].memory[at] =
				(uint8_t)(seed + at * 7 + i * 3);
}

/* One message in each direction; each side waits for both completions. */
static void ping_pong(struct scenario *scenario, enum ibv_wr_opcode opcode,
		      uint32_t len)
{
	for (int i = 0; i < 2; i++) {
		side_receive(&scenario->side[!i], len);
		send_one(scenario, i, opcode, len);
		expect(scenario, !i);
		expect(scenario, i);
	}
}

/* Polls must be fast for a while before the worker permits quick ones. */
static void warm_up(struct scenario *scenario)
{
	for (int i = 0; i < NR_WARM; i++)
		ping_pong(scenario, IBV_WR_SEND, 8);
}

static void run_sizes(struct scenario *scenario)
{
	static const uint32_t lengths[] = { 0,	  1,	8,    34,   35,
					    36,	  55,	64,   1000, 1024,
					    1025, 8192, 8193, 30000 };

	warm_up(scenario);
	paint(scenario, 5);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		ping_pong(scenario, IBV_WR_SEND, lengths[i]);
		ping_pong(scenario, IBV_WR_SEND_WITH_IMM, lengths[i]);
		ping_pong(scenario, IBV_WR_RDMA_WRITE_WITH_IMM, lengths[i]);
	}
}

/* Operations with responses, and others that must keep their order. */
static void run_mixture(struct scenario *scenario)
{
	warm_up(scenario);
	paint(scenario, 9);
	for (uint32_t round = 0; round < 50; round++) {
		send_one(scenario, 0, IBV_WR_RDMA_WRITE, 8 + round);
		expect(scenario, 0);
		send_one(scenario, 0, IBV_WR_RDMA_READ, 8 + round * 100);
		expect(scenario, 0);
		side_receive(&scenario->side[1], 8);
		send_one(scenario, 0, IBV_WR_RDMA_READ, 8 + round);
		/* not in the range of the READ, which may be executed later */
		prepare(scenario, 0, IBV_WR_RDMA_WRITE, 100)->remote.va += 8192;
		post(scenario, 0);
		prepare(scenario, 0, IBV_WR_SEND, 8)->flags =
			IBV_SEND_FENCE | IBV_SEND_SOLICITED;
		post(scenario, 0);
		for (int i = 0; i < 3; i++)
			expect(scenario, 0);
		expect(scenario, 1);
	}
}

/* More than a ring holds, so that the channel is full sometimes. */
static void run_flood(struct scenario *scenario)
{
	warm_up(scenario);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < SIDE_DEPTH; i++)
			side_receive(&scenario->side[1], 8000);
		for (int i = 0; i < SIDE_DEPTH; i++)
			send_one(scenario, 0, IBV_WR_SEND, 8000);
		for (int i = 0; i < SIDE_DEPTH; i++)
			expect(scenario, 1);
		for (int i = 0; i < SIDE_DEPTH; i++)
			expect(scenario, 0);
	}
}

/* A receive that is too short, in the middle of a burst. */
static void run_length_error(struct scenario *scenario)
{
	warm_up(scenario);
	for (int i = 0; i < 8; i++)
		side_receive(&scenario->side[1], i == 4 ? 7 : 8);
	for (int i = 0; i < 8; i++)
		send_one(scenario, 0, IBV_WR_SEND, 8);
	for (int i = 0; i < 8; i++) {
		expect(scenario, 0);
		expect(scenario, 1);
	}
}

static void run_wrong_rkey(struct scenario *scenario)
{
	warm_up(scenario);
	send_one(scenario, 0, IBV_WR_RDMA_WRITE, 8);
	prepare(scenario, 0, IBV_WR_RDMA_WRITE, 8)->remote.rkey ^= 1;
	post(scenario, 0);
	expect(scenario, 0);
	expect(scenario, 0);
	side_receive(&scenario->side[1], 8);
	uroce_worker_post(scenario->side[1].worker, scenario->side[1].qp);
	expect(scenario, 1);
}

static void run_wrong_lkey(struct scenario *scenario)
{
	warm_up(scenario);
	prepare(scenario, 0, IBV_WR_SEND, 8)->sge[0].lkey ^= 1;
	post(scenario, 0);
	expect(scenario, 0);
	send_one(scenario, 0, IBV_WR_SEND, 8);
	expect(scenario, 0);
}

/* Both directions at once, so that requests precede ACKs. */
static void run_crossing(struct scenario *scenario)
{
	warm_up(scenario);
	for (uint32_t round = 0; round < 100; round++) {
		for (int i = 0; i < 2; i++)
			side_receive(&scenario->side[i], 64);
		for (int i = 0; i < 2; i++)
			send_one(scenario, i, IBV_WR_SEND, round % 64);
		for (int i = 0; i < 2; i++) {
			expect(scenario, i);
			expect(scenario, i);
		}
	}
}

static bool is_recv(const struct uroce_cqe *cqe)
{
	return cqe->opcode & IBV_WC_RECV;
}

static void assert_same_cqe(const struct uroce_cqe *a,
			    const struct uroce_cqe *b)
{
	assert_int_equal(a->byte_len, b->byte_len);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->opcode, b->opcode);
	assert_int_equal(a->imm, b->imm);
	assert_int_equal(a->wc_flags, b->wc_flags);
}

/* Receives and sends are in order; their interleaving depends on timing. */
static void assert_same_log(int i, bool recv)
{
	uint32_t a = 0, b = 0;

	for (;; a++, b++) {
		while (a < quick.nr_log[i] && is_recv(&quick.log[i][a]) != recv)
			a++;
		while (b < full.nr_log[i] && is_recv(&full.log[i][b]) != recv)
			b++;
		if (a == quick.nr_log[i] || b == full.nr_log[i])
			break;
		assert_same_cqe(&quick.log[i][a], &full.log[i][b]);
	}
	assert_int_equal(a, quick.nr_log[i]);
	assert_int_equal(b, full.nr_log[i]);
}

/*
 * The number of ACKs, and so of packets, may differ, as may the number of
 * packets in flight when a QP failed. All other counters are equal.
 */
static void assert_same_counters(void)
{
	for (int i = UROCE_C_NO_QP; i < UROCE_NR_COUNTERS; i++)
		if (i != UROCE_C_BAD_STATE)
			assert_int_equal(quick.counters.count[i],
					 full.counters.count[i]);
	if (quick.counters.count[UROCE_C_BAD_STATE] ||
	    full.counters.count[UROCE_C_BAD_STATE])
		return;
	assert_int_equal(quick.counters.count[UROCE_C_TX_BYTES],
			 full.counters.count[UROCE_C_TX_BYTES]);
	assert_int_equal(quick.counters.count[UROCE_C_RX_BYTES],
			 full.counters.count[UROCE_C_RX_BYTES]);
}

static void compare(void (*tell)(struct scenario *scenario))
{
	struct scenario *scenarios[] = { &full, &quick };

	for (int i = 0; i < 2; i++) {
		open_scenario(scenarios[i], LONG_TIMEOUT);
		if (scenarios[i] == &full)
			disable_quick_calls(&full);
		tell(scenarios[i]);
		close_scenario(scenarios[i]);
	}
	for (int i = 0; i < 2; i++) {
		assert_same_log(i, false);
		assert_same_log(i, true);
		assert_memory_equal(quick.memory[i], full.memory[i], MEMORY);
	}
	assert_same_counters();
	assert_int_equal(full.quick_posts, 0);
	/* on a busy machine few polls are fast enough */
	assert_true(quick.quick_posts > 0);
}

static void worker_quick_messages_of_all_sizes_match(void **state)
{
	compare(run_sizes);
}

static void worker_quick_mixed_operations_match(void **state)
{
	compare(run_mixture);
}

static void worker_quick_full_ring_matches(void **state)
{
	compare(run_flood);
}

static void worker_quick_short_receive_matches(void **state)
{
	compare(run_length_error);
}

static void worker_quick_bad_rkey_matches(void **state)
{
	compare(run_wrong_rkey);
}

static void worker_quick_bad_lkey_matches(void **state)
{
	compare(run_wrong_lkey);
}

static void worker_quick_crossing_messages_match(void **state)
{
	compare(run_crossing);
}

static void worker_quick_short_timeout_posts_quickly(void **state)
{
	open_scenario(&quick, SHORT_TIMEOUT);
	warm_up(&quick);
	close_scenario(&quick);
	assert_true(quick.quick_posts > 0);
}

static void *keep_on(void *arg)
{
	struct scenario *scenario = arg;

	for (int i = 0; i < NR_WARM_UPS; i++) {
		scenario->nr_log[0] = 0;
		scenario->nr_log[1] = 0;
		warm_up(scenario);
	}
	return NULL;
}

/* The lock holder does the work of the other thread, quick or not. */
static void worker_quick_two_threads_complete(void **state)
{
	struct scenario *scenarios[] = { &full, &quick };
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		open_scenario(scenarios[i], LONG_TIMEOUT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, keep_on,
						scenarios[i]),
				 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 2; i++)
		close_scenario(scenarios[i]);
	for (int i = 0; i < 2; i++)
		for (uint32_t n = 0; n < 2 * NR_WARM; n++) {
			assert_int_equal(full.log[i][n].status, IBV_WC_SUCCESS);
			assert_int_equal(quick.log[i][n].status,
					 IBV_WC_SUCCESS);
		}
	assert_true(quick.quick_posts > 0);
	assert_int_equal(quick.counters.count[UROCE_C_TIMEOUTS], 0);
	assert_int_equal(quick.counters.count[UROCE_C_DUPLICATES], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worker_quick_messages_of_all_sizes_match),
		cmocka_unit_test(worker_quick_mixed_operations_match),
		cmocka_unit_test(worker_quick_full_ring_matches),
		cmocka_unit_test(worker_quick_short_receive_matches),
		cmocka_unit_test(worker_quick_bad_rkey_matches),
		cmocka_unit_test(worker_quick_bad_lkey_matches),
		cmocka_unit_test(worker_quick_crossing_messages_match),
		cmocka_unit_test(worker_quick_two_threads_complete),
		cmocka_unit_test(worker_quick_short_timeout_posts_quickly),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
