/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The response to an atomic on the fast path and on the ordinary path. Each
 * scene runs on two pairs, which must stay in the same state, and on a third
 * pair that shows which path takes the response. Side 0 is the requester. The
 * response comes from side 1, or is a hostile variant of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_fast_parts.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/wire/uroce_wire.h"
#include "uroce_expect.h"
#include "uroce_fast_compare.h"

#define ORIG   UINT64_C(0x1122334455667788) /* at TARGET */
#define RESULT 64			    /* offset of the result in side 0 */
#define WR_ID  77

enum way {
	SHORT,
	ORDINARY,
	NEITHER, /* uroce_fast_receive() is not called */
};

struct scene {
	/* posts the requests of side 0, which are in flight afterwards */
	void (*post_requests)(struct pair *pair);
	/* changes the pair and the response; or NULL */
	void (*then)(struct pair *pair, struct uroce_eager_entry *response);
	enum way way;
};

static struct uroce_requester *req_of(struct pair *pair)
{
	return &pair->side[0].qp->roce->req;
}

static struct uroce_region *region_of(struct pair *pair)
{
	return uroce_memory_find(pair->side[0].engine.core.memory,
				 pair->side[0].key);
}

/* -- requests ------------------------------------------------------------- */

static struct uroce_send_wqe atomic_wqe(const struct pair *pair,
					enum ibv_wr_opcode opcode)
{
	struct uroce_send_wqe wqe = request(pair, WR_ID, opcode);

	wqe.remote.compare_add = ORIG;
	wqe.remote.swap = 6;
	return wqe;
}

static void post_atomic(struct pair *pair, enum ibv_wr_opcode opcode)
{
	const struct uroce_send_wqe wqe = atomic_wqe(pair, opcode);
	const struct ibv_sge sge = pair_sge(pair, 0, RESULT, 8);

	pair_post(pair, 0, &wqe, &sge);
}

static void ask_add(struct pair *pair)
{
	post_atomic(pair, IBV_WR_ATOMIC_FETCH_AND_ADD);
}

static void ask_swap(struct pair *pair)
{
	post_atomic(pair, IBV_WR_ATOMIC_CMP_AND_SWP);
}

static void ask_twice(struct pair *pair)
{
	ask_add(pair);
	ask_swap(pair);
}

/* The next PSN is 0. */
static void ask_at_the_last_psn(struct pair *pair)
{
	while (req_of(pair)->una_psn != UROCE_PSN_MASK) {
		pair_request(pair, 1, IBV_WR_RDMA_WRITE, 8, TARGET + 64);
		pair_run(pair);
	}
	ask_twice(pair);
}

static void ask_unsignaled(struct pair *pair)
{
	struct uroce_send_wqe wqe =
		atomic_wqe(pair, IBV_WR_ATOMIC_FETCH_AND_ADD);
	const struct ibv_sge sge = pair_sge(pair, 0, RESULT, 8);

	wqe.flags = 0;
	pair_post(pair, 0, &wqe, &sge);
}

/* More than max_rd_atomic: the last ones wait. */
static void ask_many(struct pair *pair)
{
	for (int i = pair->side[0].qp->max_rd_atomic + 2; i > 0; i--)
		ask_add(pair);
}

static void ask_in_small_window(struct pair *pair)
{
	req_of(pair)->cwnd.packets = 1;
	ask_twice(pair);
}

static void request_two_sges(struct pair *pair)
{
	struct uroce_send_wqe wqe =
		atomic_wqe(pair, IBV_WR_ATOMIC_FETCH_AND_ADD);
	const struct ibv_sge sges[] = { pair_sge(pair, 0, RESULT, 3),
					pair_sge(pair, 0, 2048, 5) };

	wqe.nr_sge = 2;
	pair_post(pair, 0, &wqe, sges);
}

static void ask_with(struct pair *pair, const struct ibv_sge *sge)
{
	const struct uroce_send_wqe wqe =
		atomic_wqe(pair, IBV_WR_ATOMIC_FETCH_AND_ADD);

	pair_post(pair, 0, &wqe, sge);
}

static void ask_with_bad_key(struct pair *pair)
{
	struct ibv_sge sge = pair_sge(pair, 0, RESULT, 8);

	sge.lkey ^= 1;
	ask_with(pair, &sge);
}

/* The last byte is outside of the region. */
static void ask_with_bad_address(struct pair *pair)
{
	const struct ibv_sge sge = pair_sge(pair, 0, PAIR_MEMORY - 7, 8);

	ask_with(pair, &sge);
}

/* Too short for a response: the request fails locally, nothing is sent. */
static void ask_for_half(struct pair *pair)
{
	const struct ibv_sge sge = pair_sge(pair, 0, RESULT, 4);

	ask_with(pair, &sge);
}

static void ask_nothing(struct pair *pair)
{
}

static void ask_behind_others(struct pair *pair)
{
	pair_request(pair, 1, IBV_WR_RDMA_WRITE, 8, TARGET + 64);
	pair_request(pair, 2, IBV_WR_SEND, 8, 0);
	ask_add(pair);
}

/* The next request has already failed when it becomes the oldest. */
static void ask_before_failure(struct pair *pair)
{
	struct uroce_send_wqe wqe = request(pair, 2, IBV_WR_SEND);
	struct ibv_sge sge = pair_sge(pair, 0, 0, 8);

	sge.lkey ^= 1;
	ask_add(pair);
	pair_post(pair, 0, &wqe, &sge);
}

static void ask_with_full_cq(struct pair *pair)
{
	pair->side[0].send_cq.ring.size = 0;
	ask_add(pair);
}

static void ask_with_armed_cq(struct pair *pair)
{
	pair->side[0].send_cq.has_channel = true;
	uroce_cq_arm(&pair->side[0].send_cq, false);
	ask_add(pair);
}

/* -- requests other than atomics ------------------------------------------ */

static void ask_write(struct pair *pair)
{
	pair_request(pair, WR_ID, IBV_WR_RDMA_WRITE, 8, TARGET);
}

static void ask_write_imm(struct pair *pair)
{
	pair_request(pair, WR_ID, IBV_WR_RDMA_WRITE_WITH_IMM, 8, TARGET);
}

static void ask_send(struct pair *pair)
{
	pair_request(pair, WR_ID, IBV_WR_SEND, 8, 0);
}

static void ask_read(struct pair *pair)
{
	pair_request(pair, WR_ID, IBV_WR_RDMA_READ, 8, TARGET);
}

static void ask_atomic_write(struct pair *pair)
{
	pair_request(pair, WR_ID, IBV_WR_ATOMIC_WRITE, 8, TARGET);
}

static void ask_flush(struct pair *pair)
{
	pair_request(pair, WR_ID, IBV_WR_FLUSH, 8, TARGET);
}

/* -- events before the response ------------------------------------------- */

static uint32_t psn_of(const struct uroce_eager_entry *eager)
{
	const uint8_t *psn = eager->header + 9;

	return (uint32_t)psn[0] << 16 | (uint32_t)psn[1] << 8 | psn[2];
}

static void shift_psn(struct uroce_eager_entry *response, uint32_t by)
{
	uroce_wire_set_psn(response->header,
			   uroce_psn_add(psn_of(response), by));
}

/* The engine has not processed the request yet. */
static void then_posted(struct pair *pair, struct uroce_eager_entry *response)
{
	ask_add(pair);
}

/* The engine has processed the request, which fails: a disallowed opcode. */
static void then_failed(struct pair *pair, struct uroce_eager_entry *response)
{
	struct uroce_out out;

	pair->side[0].qp->max_rd_atomic = 0;
	ask_add(pair);
	assert_false(uroce_engine_next(&pair->side[0].engine, pair->now, &out));
}

static void then_stale(struct pair *pair, struct uroce_eager_entry *response)
{
	shift_psn(response, UROCE_PSN_MASK); /* adds -1 */
}

static void then_ahead(struct pair *pair, struct uroce_eager_entry *response)
{
	shift_psn(response, 1);
}

static void then_other_pd(struct pair *pair, struct uroce_eager_entry *response)
{
	region_of(pair)->pd++;
}

static void then_read_only(struct pair *pair,
			   struct uroce_eager_entry *response)
{
	region_of(pair)->access &= ~(unsigned int)IBV_ACCESS_LOCAL_WRITE;
}

static void then_not_memory(struct pair *pair,
			    struct uroce_eager_entry *response)
{
	region_of(pair)->kind = UROCE_REGION_NULL;
}

/* The response is late: the requests have been retransmitted, or not yet. */
static void then_late(struct pair *pair, struct uroce_eager_entry *response)
{
	struct uroce_engine *engine = &pair->side[0].engine;

	while (!req_of(pair)->recovering) {
		pair->now = uroce_engine_deadline(engine);
		(void)uroce_engine_expire(engine, pair->now);
	}
	assert_int_not_equal(req_of(pair)->next_psn, req_of(pair)->sent_psn);
}

static void then_sent_again(struct pair *pair,
			    struct uroce_eager_entry *response)
{
	struct uroce_out out;

	then_late(pair, response);
	while (uroce_engine_next(&pair->side[0].engine, pair->now, &out))
		continue;
	uroce_engine_sent(&pair->side[0].engine, pair->now);
	assert_int_equal(req_of(pair)->next_psn, req_of(pair)->sent_psn);
}

static void then_payload(struct pair *pair, struct uroce_eager_entry *response)
{
	response->payload_len = 8;
	response->payload = pair->side[0].memory;
}

static void then_ack_along(struct pair *pair,
			   struct uroce_eager_entry *response)
{
	response->ack = UROCE_EAGER_ACK | req_of(pair)->una_psn;
}

static void then_error(struct pair *pair, struct uroce_eager_entry *response)
{
	uroce_qp_fault(pair->side[0].qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
	uroce_core_apply_faults(pair->side[0].qp->core, pair->now);
}

static void then_drained(struct pair *pair, struct uroce_eager_entry *response)
{
	pair->side[0].qp->state = IBV_QPS_SQD;
	pair->side[0].qp->sqd_notify = true;
}

/* -- running a scene ------------------------------------------------------ */

/* Converts a packet of any kind into the form of a ring entry. */
static struct uroce_eager_entry to_eager(const struct uroce_out *out)
{
	static uint8_t payload[UROCE_CHANNEL_MTU];
	struct uroce_eager_entry eager = { .payload = payload };
	int len = uroce_wire_encode(&out->packet, eager.header);

	assert_in_range(len, UROCE_BTH_LEN, UROCE_EAGER_HEADER);
	eager.header_len = (uint32_t)len;
	for (uint32_t i = 0; i < out->iovecs.nr; i++) {
		const struct iovec *iov = &out->iovecs.iov[i];

		memcpy(payload + eager.payload_len, iov->iov_base,
		       iov->iov_len);
		eager.payload_len += (uint32_t)iov->iov_len;
	}
	return eager;
}

/* Delivers all requests to side 1. */
static void bring_requests(struct pair *pair)
{
	struct uroce_engine *engine = &pair->side[0].engine;
	struct uroce_out out;

	while (uroce_engine_next(engine, pair->now, &out)) {
		const struct uroce_eager_entry eager = to_eager(&out);

		(void)fast_compare_receive(pair, 1, &eager, true);
	}
	uroce_engine_sent(engine, pair->now);
}

/* A response with a PSN whose request expects another response. */
static struct uroce_eager_entry forge_response(struct pair *pair)
{
	const struct uroce_qp *qp = pair->side[0].qp;
	const struct uroce_out out = {
		.packet = { .opcode = UROCE_RC | UROCE_ATOMIC_ACK,
			    .mig_req = true,
			    .pkey = qp->pkey,
			    .dest_qpn = qp->qpn,
			    .psn = qp->roce->req.una_psn,
			    .syndrome = UROCE_AETH_ACK | UROCE_AETH_NO_CREDITS,
			    .orig = 1 },
	};

	return to_eager(&out);
}

static struct uroce_eager_entry next_response(struct pair *pair)
{
	struct uroce_eager_entry eager = {}; /* zeroes the payload as well */

	if (!uroce_fast_next(pair->side[1].qp, pair->now, &eager))
		return forge_response(pair);
	assert_int_equal(eager.header[0], UROCE_RC | UROCE_ATOMIC_ACK);
	return eager;
}

/* The first response is lost. */
static void then_next_one(struct pair *pair, struct uroce_eager_entry *response)
{
	*response = next_response(pair);
}

/* Creates a pair; the response has arrived but has not been received. */
static struct pair *scene_begin(const struct scene *scene,
				struct uroce_eager_entry *ret_response)
{
	struct pair *pair = fast_compare_new(false);
	const uint64_t orig = ORIG;

	memset(pair->side[0].memory, 0x5a, 4096);
	memcpy(pair->side[1].memory + TARGET, &orig, sizeof(orig));
	for (uint64_t i = 0; i < 4; i++)
		post_recv(pair, i, 64);
	scene->post_requests(pair);
	bring_requests(pair);
	*ret_response = next_response(pair);
	if (scene->then)
		scene->then(pair, ret_response);
	return pair;
}

static void assert_way(const struct scene *scene)
{
	struct uroce_eager_entry response;
	struct pair *pair;

	if (scene->way == NEITHER)
		return;
	pair = scene_begin(scene, &response);
	assert_int_equal(uroce_fast_take_atomic(pair->side[0].qp,
						psn_of(&response), 9,
						pair->now),
			 scene->way == SHORT);
	pair_free(pair);
}

static void scene_play(const struct scene *scene)
{
	struct pair *pairs[2];

	for (int i = 0; i < 2; i++) {
		struct uroce_eager_entry response;

		pairs[i] = scene_begin(scene, &response);
		(void)fast_compare_receive(pairs[i], 0, &response, i == 0);
	}
	assert_same(pairs[0], pairs[1]);
	/* requests that were not sent yet get their responses later */
	for (int i = 0; i < 2; i++)
		pair_run(pairs[i]);
	assert_same(pairs[0], pairs[1]);
	assert_memory_equal(pairs[0]->side[1].memory + TARGET,
			    pairs[1]->side[1].memory + TARGET, 128);
	for (int i = 0; i < 2; i++)
		pair_free(pairs[i]);
	assert_way(scene);
}

static void play_all(const struct scene *scenes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		scene_play(&scenes[i]);
}

#define PLAY(scenes) play_all(scenes, sizeof(scenes) / sizeof((scenes)[0]))

/* -- tests ---------------------------------------------------------------- */

static void fast_atomic_usual_response_matches_ordinary_path(void **state)
{
	static const struct scene scenes[] = {
		{ ask_add, NULL, SHORT },
		{ ask_swap, NULL, SHORT },
		{ ask_unsignaled, NULL, SHORT },
		{ ask_twice, NULL, SHORT },
		{ ask_at_the_last_psn, NULL, SHORT },
		{ ask_many, NULL, SHORT },
		{ ask_in_small_window, NULL, SHORT },
		{ ask_with_full_cq, NULL, SHORT },
		{ ask_with_armed_cq, NULL, SHORT },
		{ ask_before_failure, NULL, SHORT },
		{ ask_twice, then_sent_again, SHORT },
	};

	PLAY(scenes);
}

static void fast_atomic_unusual_sge_matches_ordinary_path(void **state)
{
	static const struct scene scenes[] = {
		{ request_two_sges, NULL, ORDINARY },
		{ ask_for_half, NULL, ORDINARY },
		{ ask_with_bad_key, NULL, ORDINARY },
		{ ask_with_bad_address, NULL, ORDINARY },
		{ ask_add, then_other_pd, ORDINARY },
		{ ask_add, then_read_only, ORDINARY },
		{ ask_add, then_not_memory, ORDINARY },
	};

	PLAY(scenes);
}

static void
fast_atomic_response_out_of_order_matches_ordinary_path(void **state)
{
	static const struct scene scenes[] = {
		{ ask_add, then_stale, ORDINARY },
		{ ask_add, then_ahead, ORDINARY }, /* never sent */
		{ ask_twice, then_ahead, ORDINARY },
		{ ask_twice, then_next_one, ORDINARY },
		{ ask_behind_others, NULL, ORDINARY },
		{ ask_add, then_late, ORDINARY },
		{ ask_twice, then_late, ORDINARY },
		{ ask_many, then_late, ORDINARY },
		{ ask_add, then_error, NEITHER },
		{ ask_add, then_drained, NEITHER },
	};

	PLAY(scenes);
}

static void fast_atomic_unexpected_response_matches_ordinary_path(void **state)
{
	static const struct scene scenes[] = {
		{ ask_nothing, NULL, ORDINARY },
		{ ask_nothing, then_posted, ORDINARY },
		{ ask_nothing, then_failed, ORDINARY },
		{ ask_write, NULL, ORDINARY },
		{ ask_write_imm, NULL, ORDINARY },
		{ ask_send, NULL, ORDINARY },
		{ ask_read, NULL, ORDINARY },
		{ ask_atomic_write, NULL, ORDINARY },
		{ ask_flush, NULL, ORDINARY },
		{ ask_add, then_payload, NEITHER },
		{ ask_add, then_ack_along, NEITHER },
	};

	PLAY(scenes);
}

/* Header byte in which one bit is wrong; another bit each time. */
static uint8_t wrong_byte;

static void then_damaged(struct pair *pair, struct uroce_eager_entry *response)
{
	response->header[wrong_byte] ^= (uint8_t)(1 << wrong_byte % 8);
}

static void fast_atomic_damaged_response_matches_ordinary_path(void **state)
{
	static const struct scene scene = { ask_twice, then_damaged, NEITHER };

	for (wrong_byte = 0; wrong_byte < 24; wrong_byte++)
		scene_play(&scene);
}

/* Both paths must do what an application expects. */
static void fast_atomic_response_completes_request(void **state)
{
	static const struct {
		void (*post_requests)(struct pair *pair);
		enum ibv_wc_opcode opcode;
		uint64_t after;
	} wanted[] = {
		{ ask_add, IBV_WC_FETCH_ADD, 2 * ORIG },
		{ ask_swap, IBV_WC_COMP_SWAP, 6 },
	};

	for (size_t i = 0; i < 2; i++) {
		const struct scene scene = { wanted[i].post_requests, NULL,
					     SHORT };
		struct uroce_eager_entry response;
		struct pair *pair = scene_begin(&scene, &response);
		struct pair_side *side = &pair->side[0];
		uint32_t psn = req_of(pair)->una_psn;
		const uint64_t orig = ORIG;
		struct uroce_cqe cqe;

		expect_none(&side->send_cq);
		assert_true(fast_compare_receive(pair, 0, &response, true));
		assert_true(pair_poll(&side->send_cq, &cqe));
		assert_int_equal(cqe.wr_id, WR_ID);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		assert_int_equal(cqe.opcode, wanted[i].opcode);
		assert_int_equal(cqe.byte_len, 8);
		assert_int_equal(cqe.wc_flags, 0);
		expect_none(&side->send_cq);
		assert_memory_equal(side->memory + RESULT, &orig, 8);
		assert_int_equal(side->memory[RESULT - 1], 0x5a);
		assert_int_equal(side->memory[RESULT + 8], 0x5a);
		assert_memory_equal(pair->side[1].memory + TARGET,
				    &wanted[i].after, 8);
		assert_int_equal(req_of(pair)->una_psn, uroce_psn_add(psn, 1));
		assert_int_equal(uroce_ring_used(&side->qp->sq), 0);
		assert_true(req_of(pair)->ack_ns == UROCE_NEVER);
		pair_free(pair);
	}
}

static void fast_atomic_bad_lkey_returns_loc_prot_err(void **state)
{
	static const struct scene scene = { ask_with_bad_key, NULL, ORDINARY };
	struct uroce_eager_entry response;
	struct pair *pair = scene_begin(&scene, &response);

	assert_true(fast_compare_receive(pair, 0, &response, true));
	uroce_engine_sent(&pair->side[0].engine, pair->now);
	expect(&pair->side[0].send_cq, WR_ID, IBV_WC_LOC_PROT_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	assert_int_equal(pair->side[0].memory[RESULT], 0x5a);
	pair_free(pair);
}

static void fast_atomic_lost_response_is_requested_again(void **state)
{
	static const struct scene scene = { ask_twice, then_next_one,
					    ORDINARY };
	struct uroce_eager_entry response;
	struct pair *pair = scene_begin(&scene, &response);

	assert_true(fast_compare_receive(pair, 0, &response, true));
	assert_int_equal(pair_count(pair, 0, UROCE_C_IMPLIED_NAKS), 1);
	expect_none(&pair->side[0].send_cq);
	pair_run(pair);
	expect(&pair->side[0].send_cq, WR_ID, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, WR_ID, IBV_WC_SUCCESS);
	pair_free(pair);
}

static void fast_atomic_response_allows_next_request(void **state)
{
	static void (*const asks[])(struct pair * pair) = {
		ask_many,
		ask_in_small_window,
	};

	for (size_t i = 0; i < 2; i++) {
		const struct scene scene = { asks[i], NULL, SHORT };
		struct uroce_eager_entry response, request;
		struct pair *pair = scene_begin(&scene, &response);
		struct uroce_qp *qp = pair->side[0].qp;
		struct uroce_out out;

		assert_false(uroce_fast_next(qp, pair->now, &request));
		assert_false(uroce_engine_next(&pair->side[0].engine, pair->now,
					       &out));
		assert_true(fast_compare_receive(pair, 0, &response, true));
		/* one more request, which the worker sends by itself */
		assert_true(uroce_engine_next(&pair->side[0].engine, pair->now,
					      &out));
		assert_false(uroce_engine_next(&pair->side[0].engine, pair->now,
					       &out));
		pair_free(pair);
	}
}

/* The response to the previous request makes this one the oldest. */
static void fast_atomic_response_completes_failed_successor(void **state)
{
	static const struct scene scene = { ask_before_failure, NULL, SHORT };
	struct uroce_eager_entry response;
	struct pair *pair = scene_begin(&scene, &response);

	expect_state(pair, 0, IBV_QPS_RTS);
	assert_true(fast_compare_receive(pair, 0, &response, true));
	uroce_engine_sent(&pair->side[0].engine, pair->now);
	expect(&pair->side[0].send_cq, WR_ID, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_LOC_PROT_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			fast_atomic_usual_response_matches_ordinary_path),
		cmocka_unit_test(fast_atomic_unusual_sge_matches_ordinary_path),
		cmocka_unit_test(
			fast_atomic_response_out_of_order_matches_ordinary_path),
		cmocka_unit_test(
			fast_atomic_unexpected_response_matches_ordinary_path),
		cmocka_unit_test(
			fast_atomic_damaged_response_matches_ordinary_path),
		cmocka_unit_test(fast_atomic_response_completes_request),
		cmocka_unit_test(fast_atomic_bad_lkey_returns_loc_prot_err),
		cmocka_unit_test(fast_atomic_lost_response_is_requested_again),
		cmocka_unit_test(fast_atomic_response_allows_next_request),
		cmocka_unit_test(
			fast_atomic_response_completes_failed_successor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
