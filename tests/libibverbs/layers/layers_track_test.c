/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests in flight: layers/layers_track.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "layers/layers_track.h"

/* last: needs the headers above */
#include <cmocka.h>

#define NR 16

static struct layers_track track;

static int track_setup(void **state)
{
	const struct layers_track from = { .max_wr = NR, .max_sge = 8 };

	layers_track_is_on = true;
	layers_track_start(&track, &from);
	assert_true(layers_track_is_seen(&track));
	return 0;
}

static int track_teardown(void **state)
{
	layers_track_end(&track);
	return 0;
}

/* The result of the post is @error; @wr is the list. */
static void track_post_list(struct ibv_send_wr *wr, struct ibv_send_wr *bad,
			    int error)
{
	struct layers_posting posting = layers_track_sends(&track, wr);

	layers_track_sent(&track, &posting, wr, bad, error);
}

static void track_post(uint64_t wr_id, unsigned int flags)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .send_flags = flags };

	track_post_list(&wr, NULL, 0);
}

static bool track_complete(uint64_t wr_id, bool has_error)
{
	return layers_track_match(&track, wr_id, has_error,
				  LAYERS_MATCH_REMOVE);
}

static void expect_in_flight(uint32_t nr)
{
	assert_int_equal(layers_track_count(&track, false), nr);
}

static void track_completion_ends_unsignaled_before(void **state)
{
	track_post(1, 0);
	track_post(2, IBV_SEND_SIGNALED);
	track_post(3, 0);
	assert_true(track_complete(2, false));
	expect_in_flight(1);
}

static void track_completion_keeps_signaled_before(void **state)
{
	track_post(1, IBV_SEND_SIGNALED);
	track_post(2, IBV_SEND_SIGNALED);
	assert_true(track_complete(2, false));
	expect_in_flight(1);
	assert_true(track_complete(1, false));
	expect_in_flight(0);
}

static void track_equal_wr_ids_complete_first_signaled(void **state)
{
	track_post(1, 0);
	track_post(1, IBV_SEND_SIGNALED);
	track_post(1, IBV_SEND_SIGNALED);
	assert_true(track_complete(1, false));
	expect_in_flight(1);
}

static void track_error_completes_unsignaled_request(void **state)
{
	track_post(1, 0);
	track_post(2, IBV_SEND_SIGNALED);
	assert_false(track_complete(1, false));
	assert_true(track_complete(1, true));
	expect_in_flight(1);
}

static void track_unknown_completion_is_not_found(void **state)
{
	track_post(1, IBV_SEND_SIGNALED);
	assert_false(track_complete(2, true));
	expect_in_flight(1);
}

static void track_refused_requests_are_removed(void **state)
{
	struct ibv_send_wr wrs[3] = {};

	for (int i = 0; i < 3; i++) {
		wrs[i].wr_id = (uint64_t)i;
		wrs[i].next = i < 2 ? &wrs[i + 1] : NULL;
	}
	track_post_list(wrs, &wrs[1], ENOMEM);
	expect_in_flight(1);
	assert_false(track_complete(1, true));
	assert_true(track_complete(0, true));
	assert_true(layers_track_is_seen(&track));
}

static void track_full_queue_refuses_without_loss(void **state)
{
	struct ibv_send_wr wr = { .wr_id = 99 };

	for (int i = 0; i < NR; i++)
		track_post((uint64_t)i, IBV_SEND_SIGNALED);
	track_post_list(&wr, &wr, ENOMEM);
	expect_in_flight(NR);
	assert_true(layers_track_is_seen(&track));
}

static void track_more_than_capacity_is_partly_seen(void **state)
{
	for (int i = 0; i < NR + 1; i++)
		track_post((uint64_t)i, IBV_SEND_SIGNALED);
	assert_false(layers_track_is_seen(&track));
	layers_track_reset(&track);
	assert_true(layers_track_is_seen(&track));
	expect_in_flight(0);
}

static void track_many_rounds_match(void **state)
{
	for (uint64_t i = 0; i < 1000; i++) {
		track_post(i, 0);
		track_post(i, IBV_SEND_SIGNALED);
		if (i >= 5)
			assert_true(track_complete(i - 5, false));
	}
	assert_true(layers_track_is_seen(&track));
}

static void track_sges_with_many_keys_are_marked(void **state)
{
	struct ibv_sge sges[LAYERS_MAX_KEYS + 2] = {};
	struct layers_request request = {};

	for (uint32_t i = 0; i < LAYERS_MAX_KEYS + 2; i++)
		sges[i] = (struct ibv_sge){ 0, 8, i / 2 };
	layers_request_add_sges(&request, sges, LAYERS_MAX_KEYS + 2);
	assert_int_equal(request.nr_keys, LAYERS_MAX_KEYS);
	sges[0].lkey = 1000;
	layers_request_add_sges(&request, sges, 1);
	assert_int_equal(request.nr_keys, LAYERS_MANY_KEYS);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, track_setup, track_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(track_completion_ends_unsignaled_before),
		TEST(track_completion_keeps_signaled_before),
		TEST(track_equal_wr_ids_complete_first_signaled),
		TEST(track_error_completes_unsignaled_request),
		TEST(track_unknown_completion_is_not_found),
		TEST(track_refused_requests_are_removed),
		TEST(track_full_queue_refuses_without_loss),
		TEST(track_more_than_capacity_is_partly_seen),
		TEST(track_many_rounds_match),
		TEST(track_sges_with_many_keys_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
