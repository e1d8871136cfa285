/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine apart from the protocol: QPNs, timers, kicks from other threads,
 * the order in which QPs send, and queries.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_timers.h"
#include "uroce_pair.h"

struct fixture {
	struct uroce_memory regions;
	struct uroce_engine engine;
	struct uroce_cq cq;
	struct uroce_rq rq;
};

static int setup(void **state)
{
	struct fixture *f = aligned_alloc(UROCE_CACHE_LINE, sizeof(*f));
	struct uroce_engine_config config = { .memory = &f->regions,
					      .slot = 0xab };

	assert_non_null(f);
	uroce_memory_init(&f->regions, 0);
	assert_int_equal(uroce_engine_init(&f->engine, &config), 0);
	assert_int_equal(uroce_cq_init(&f->cq, 16, false), 0);
	assert_int_equal(uroce_rq_init(&f->rq, 16, 1, 1, true), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	uroce_engine_fini(&f->engine);
	uroce_memory_fini(&f->regions);
	uroce_cq_fini(&f->cq);
	uroce_rq_fini(&f->rq);
	free(f);
	return 0;
}

static int try_new_qp(struct fixture *f, uint64_t now, struct uroce_qp **ret_qp)
{
	struct uroce_qp_config config = {
		.type = IBV_QPT_RC,
		.max_send_wr = 4,
		.rq = &f->rq,
		.send_cq = &f->cq,
		.recv_cq = &f->cq,
	};

	return uroce_engine_new_qp(&f->engine, &config, now, ret_qp);
}

static struct uroce_qp *new_qp(struct fixture *f, uint64_t now)
{
	struct uroce_qp *qp;

	assert_int_equal(try_new_qp(f, now, &qp), 0);
	return qp;
}

static void engine_qpn_contains_slot_and_finds_qp(void **state)
{
	struct fixture *f = *state;
	struct uroce_qp *qps[600];

	for (size_t i = 0; i < 600; i++) {
		qps[i] = new_qp(f, 0);
		assert_int_equal(qps[i]->qpn >> 16, 0xab);
		assert_true((qps[i]->qpn & 0xffff) >= 2);
	}
	for (size_t i = 0; i < 600; i++) {
		assert_ptr_equal(uroce_engine_find_qp(&f->engine, qps[i]->qpn),
				 qps[i]);
		assert_null(uroce_engine_find_qp(&f->engine,
						 qps[i]->qpn ^ 0x10000));
	}
	assert_null(uroce_engine_find_qp(&f->engine, 0));
	assert_null(uroce_engine_find_qp(&f->engine, 0xffffff));
	for (size_t i = 0; i < 600; i++) {
		uint32_t qpn = qps[i]->qpn;

		uroce_engine_free_qp(&f->engine, qps[i], 0, 0);
		assert_null(uroce_engine_find_qp(&f->engine, qpn));
	}
}

/* 65536 indices except the first two and the last. */
#define NR_QPNS 65533

static void engine_qpn_is_quarantined_after_free(void **state)
{
	struct fixture *f = *state;
	struct uroce_qp *qp, *other;
	uint32_t first;

	qp = new_qp(f, 0);
	first = qp->qpn;
	uroce_engine_free_qp(&f->engine, qp, 1000, 5000);
	for (uint32_t i = 1; i < NR_QPNS; i++) {
		qp = new_qp(f, 1000);
		assert_int_not_equal(qp->qpn, first);
		uroce_engine_free_qp(&f->engine, qp, 1000, 5000);
	}
	assert_int_equal(try_new_qp(f, 5999, &qp), -ENOSPC);
	assert_int_equal(uroce_engine_qpn_free_ns(&f->engine), 6000);
	qp = new_qp(f, 6000);
	assert_int_equal(qp->qpn, first);
	other = new_qp(f, 6000);
	assert_int_equal(other->qpn, first + 1);
	uroce_engine_free_qp(&f->engine, qp, 6000, 0);
	uroce_engine_free_qp(&f->engine, other, 6000, 0);
}

static void engine_first_qpn_depends_on_seed(void **state)
{
	struct fixture *f = *state;
	uint32_t last = 0;

	for (uint32_t seed = 1; seed < 20; seed++) {
		struct uroce_engine_config config = { .memory = &f->regions,
						      .seed = seed };
		struct uroce_qp *qp;

		uroce_engine_fini(&f->engine);
		assert_int_equal(uroce_engine_init(&f->engine, &config), 0);
		qp = new_qp(f, 0);
		assert_int_not_equal(qp->qpn, last);
		last = qp->qpn;
		uroce_engine_free_qp(&f->engine, qp, 0, 0);
	}
}

static void engine_new_qp_bad_config_returns_einval(void **state)
{
	struct fixture *f = *state;
	struct uroce_qp_config config = {
		.type = IBV_QPT_RAW_PACKET,
		.rq = &f->rq,
		.send_cq = &f->cq,
		.recv_cq = &f->cq,
	};
	struct uroce_qp *qp = NULL;

	assert_int_equal(uroce_engine_new_qp(&f->engine, &config, 0, &qp),
			 -EINVAL);
	config.type = IBV_QPT_UC;
	config.max_send_sge = UROCE_MAX_SGE + 1;
	assert_int_equal(uroce_engine_new_qp(&f->engine, &config, 0, &qp),
			 -EINVAL);
	config.max_send_sge = 1;
	config.max_inline = UROCE_MAX_INLINE + 1;
	assert_int_equal(uroce_engine_new_qp(&f->engine, &config, 0, &qp),
			 -EINVAL);
	assert_null(qp);
	assert_int_equal(f->engine.nr_qps, 0);
}

/* Gives QPs arbitrary deadlines; they must expire in that order. */
static void engine_timers_expire_in_order(void **state)
{
	enum { NR = 100 };
	struct fixture *f = *state;
	struct uroce_qp *qps[NR];
	uint64_t last = 0;

	for (uint32_t i = 0; i < NR; i++) {
		qps[i] = new_qp(f, 0);
		uroce_timers_set(&f->engine, qps[i], 1000 + i * 7919 % NR);
	}
	/*
	 * a later deadline changes nothing, an earlier one moves the QP forward
	 */
	uroce_timers_set(&f->engine, qps[5], 100000);
	uroce_timers_set(&f->engine, qps[7], 5);
	assert_int_equal(uroce_engine_deadline(&f->engine), 5);
	uroce_timers_remove(&f->engine, qps[7]);
	for (uint32_t i = 0; i < NR; i += 3)
		uroce_timers_remove(&f->engine, qps[i]);
	while (f->engine.nr_timers) {
		assert_true(uroce_engine_deadline(&f->engine) >= last);
		last = uroce_engine_deadline(&f->engine);
		uroce_timers_remove(&f->engine, f->engine.timers[0]->qp);
	}
	assert_int_equal(uroce_engine_deadline(&f->engine), UROCE_NEVER);
	for (uint32_t i = 0; i < NR; i++)
		uroce_engine_free_qp(&f->engine, qps[i], 0, 0);
}

struct kicker {
	struct uroce_engine *engine;
	struct uroce_qp *qp;
	uint32_t *kicks; /* contents of the QP's simulated queue */
};

#define KICKS 20000

static void *kick_often(void *arg)
{
	struct kicker *kicker = arg;

	for (int i = 0; i < KICKS; i++) {
		(void)__atomic_add_fetch(kicker->kicks, 1, __ATOMIC_SEQ_CST);
		uroce_engine_kick(kicker->engine, kicker->qp);
	}
	return NULL;
}

/*
 * No kick is lost: after the last kick each QP is active or has been visited.
 */
static void engine_kick_from_many_threads_is_never_lost(void **state)
{
	struct fixture *f = *state;
	struct kicker kickers[4];
	pthread_t threads[4];
	uint32_t kicks[4] = {}, seen[4] = {}, nr_seen = 0;

	for (size_t i = 0; i < 4; i++) {
		kickers[i] =
			(struct kicker){ &f->engine, new_qp(f, 0), &kicks[i] };
		kickers[i].qp->state =
			IBV_QPS_RTR; /* only such a QP can become active */
	}
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, kick_often,
						&kickers[i]),
				 0);
	while (nr_seen < 4 * KICKS) {
		uroce_engine_take_kicks(&f->engine);
		for (size_t i = 0; i < 4; i++) {
			if (list_empty(&kickers[i].qp->roce->active))
				continue;
			list_del(&kickers[i].qp->roce->active);
			seen[i] = __atomic_load_n(&kicks[i], __ATOMIC_SEQ_CST);
		}
		nr_seen = seen[0] + seen[1] + seen[2] + seen[3];
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		uroce_engine_free_qp(&f->engine, kickers[i].qp, 0, 0);
	}
}

#define ITEMS 200000

static void *put_items(void *arg)
{
	struct uroce_ring *ring = arg;

	for (uint64_t i = 0; i < ITEMS;) {
		uint64_t *slot = uroce_ring_vacant(ring);

		if (!slot) {
			sched_yield();
			continue;
		}
		slot[0] = i;
		slot[1] = ~i++;
		uroce_ring_put(ring);
	}
	return NULL;
}

static void ring_passes_items_between_threads(void **state)
{
	struct uroce_ring *ring =
		aligned_alloc(UROCE_CACHE_LINE, sizeof(*ring));
	pthread_t thread;

	assert_non_null(ring);
	assert_int_equal(uroce_ring_init(ring, 100, 16), 0);
	assert_int_equal(pthread_create(&thread, NULL, put_items, ring), 0);
	for (uint64_t i = 0; i < ITEMS;) {
		const uint64_t *slot = uroce_ring_front(ring);

		if (!slot) {
			sched_yield();
			continue;
		}
		if (slot[0] != i || slot[1] != ~i)
			fail_msg("item %llu is wrong", (unsigned long long)i);
		uroce_ring_take(ring);
		i++;
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	uroce_ring_fini(ring);
	free(ring);
}

static void qp_query_returns_modified_attributes(void **state)
{
	struct pair_options o = pair_defaults();
	struct ibv_qp_attr attr;
	struct pair *pair;

	o.min_rnr_timer = 9;
	o.rnr_retry = 4;
	o.retry_cnt = 3;
	o.timeout = 17;
	o.rd_atomic = 5;
	o.mtu = IBV_MTU_2048;
	pair = pair_new(&o);
	uroce_qp_query(pair->side[0].qp, &attr);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	assert_int_equal(attr.cur_qp_state, IBV_QPS_RTS);
	assert_int_equal(attr.path_mtu, IBV_MTU_2048);
	assert_int_equal(attr.path_mig_state, IBV_MIG_MIGRATED);
	assert_int_equal(attr.sq_psn, o.psn);
	assert_int_equal(attr.rq_psn, o.psn / 2);
	assert_int_equal(attr.dest_qp_num, pair->side[1].qp->qpn);
	assert_int_equal(attr.qp_access_flags, PAIR_ALL_RIGHTS);
	assert_int_equal(attr.min_rnr_timer, 9);
	assert_int_equal(attr.rnr_retry, 4);
	assert_int_equal(attr.retry_cnt, 3);
	assert_int_equal(attr.timeout, 17);
	assert_int_equal(attr.max_rd_atomic, 5);
	assert_int_equal(attr.max_dest_rd_atomic, 5);
	assert_int_equal(attr.port_num, 1);
	assert_true(attr.ah_attr.is_global);
	pair_free(pair);
}

/* A reset QP keeps no request and raises no completion. */
static void qp_reset_discards_requests_and_completions(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct ibv_sge sge = pair_sge(pair, 0, 0, 10);
	struct uroce_send_wqe wqe = { .opcode = IBV_WR_SEND, .nr_sge = 1 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct uroce_cqe cqe;

	pair_post_recv(pair, 0, 1, &sge, 1);
	pair_post(pair, 0, &wqe, &sge);
	(void)pair_step(pair);
	assert_int_equal(uroce_qp_modify(pair->side[0].qp, &attr, IBV_QP_STATE,
					 IBV_MTU_4096, NULL, pair->now),
			 0);
	pair_run(pair);
	assert_false(pair_poll(&pair->side[0].send_cq, &cqe));
	assert_false(pair_poll(&pair->side[0].recv_cq, &cqe));
	assert_int_equal(uroce_ring_used(&pair->side[0].qp->sq), 0);
	assert_int_equal(uroce_ring_used(&pair->side[0].rq.ring), 0);
	assert_int_equal(uroce_engine_deadline(&pair->side[0].engine),
			 UROCE_NEVER);
	uroce_qp_query(pair->side[0].qp, &attr);
	assert_int_equal(attr.qp_state, IBV_QPS_RESET);
	assert_int_equal(attr.sq_psn, 0);
	assert_int_equal(attr.dest_qp_num, 0);
	pair_free(pair);
}

static void engine_counter_names_are_unique(void **state)
{
	for (int i = 0; i < UROCE_NR_COUNTERS; i++) {
		const char *name = uroce_counter_name((enum uroce_counter)i);

		assert_non_null(name);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
				name,
				uroce_counter_name((enum uroce_counter)k));
	}
	assert_string_equal(uroce_counter_name(UROCE_NR_COUNTERS), "unknown");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(engine_qpn_contains_slot_and_finds_qp),
		TEST(engine_qpn_is_quarantined_after_free),
		TEST(engine_first_qpn_depends_on_seed),
		TEST(engine_new_qp_bad_config_returns_einval),
		TEST(engine_timers_expire_in_order),
		TEST(engine_kick_from_many_threads_is_never_lost),
		cmocka_unit_test(ring_passes_items_between_threads),
		cmocka_unit_test(qp_query_returns_modified_attributes),
		cmocka_unit_test(qp_reset_discards_requests_and_completions),
		cmocka_unit_test(engine_counter_names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
