/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Consecutive long messages, and messages in both directions at once: no
 * message uses the sink of another one, and the last message to an address
 * determines its contents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uroce_long_message.h"

static const uint32_t rooms[] = { 1, 2, 4, 7, 40, 1000 };
#define NR_ROOMS (sizeof(rooms) / sizeof(rooms[0]))

static struct fake *new_with_room(uint32_t room)
{
	struct fake *fake = fake_new();

	fake->side[0].room = room;
	fake->side[1].room = room;
	return fake;
}

#define NR_BEHIND 4

static void each_behind_the_other(enum ibv_wr_opcode opcode, uint32_t room,
				  bool stale)
{
	struct fake *fake = new_with_room(room);
	struct message m[NR_BEHIND];

	fake->side[0].stale = stale;
	fake->side[1].stale = stale;
	for (uint32_t i = 0; i < NR_BEHIND; i++) {
		m[i] = message_new_at(fake, 0, opcode, LONG + i * 70001,
				      i * 600000);
		message_post(fake, &m[i], i);
	}
	fake_run(fake);
	for (uint32_t i = 0; i < NR_BEHIND; i++) {
		message_expect_completions(fake, &m[i], i);
		fake_take(fake, message_receiver(&m[i]), m[i].to.sge, 1, i);
	}
	message_expect_no_completion(fake);
	fake_check_rest(fake, message_receiver(&m[0]));
	/* the sink of another message was not tried */
	assert_int_equal(fake->side[message_sender(&m[0])].nr_refused, 0);
	fake_free(fake);
}

static void rndv_messages_complete_in_order(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++)
		for (size_t n = 0; n < NR_ROOMS; n++)
			each_behind_the_other(opcodes[i], rooms[n], false);
}

/* The sink was looked up just before it was withdrawn. */
static void rndv_stale_sink_is_not_used(void **state)
{
	for (size_t i = 0; i < NR_OPCODES; i++)
		for (size_t n = 0; n < NR_ROOMS; n++)
			each_behind_the_other(opcodes[i], rooms[n], true);
}

/* The receive work request has room for more than its message. */
static void rndv_sink_is_used_for_single_message(void **state)
{
	struct fake *fake = new_with_room(2);
	struct message m[NR_BEHIND];

	fake->side[1].stale = true;
	for (uint32_t i = 0; i < NR_BEHIND; i++) {
		m[i] = message_new_at(fake, 0, IBV_WR_SEND, LONG, i * 600000);
		m[i].room = 300000;
		message_post(fake, &m[i], i);
	}
	fake_run(fake);
	for (uint32_t i = 0; i < NR_BEHIND; i++) {
		message_expect_completions(fake, &m[i], i);
		fake_take(fake, 1, m[i].to.sge, 1, i);
	}
	fake_check_rest(fake, 1);
	assert_int_equal(fake->side[0].nr_refused, 0);
	assert_true(fake->side[0].pushed);
	fake_free(fake);
}

/*
 * The previous message is still being received, into a sink with room for
 * both.
 */
static void rndv_sink_excludes_next_message(void **state)
{
	struct fake *fake = new_with_room(1);
	struct message m[2];

	for (uint32_t i = 0; i < 2; i++) {
		m[i] = message_new_at(fake, 0, IBV_WR_SEND, LONG, i * 600000);
		m[i].room = 300000;
		message_post(fake, &m[i], i);
	}
	while (!fake->side[1].sink[UROCE_SINK_RECEIVE].bytes)
		assert_true(fake_step(fake));
	/* everything, before any of it is received */
	fake->side[0].room = 1000;
	fake_run(fake);
	for (uint32_t i = 0; i < 2; i++) {
		message_expect_completions(fake, &m[i], i);
		fake_take(fake, 1, m[i].to.sge, 1, i);
	}
	fake_check_rest(fake, 1);
	assert_true(fake->side[0].pushed);
	assert_true(fake->side[0].pushed < LONG);
	fake_free(fake);
}

static void mix_messages(uint32_t room)
{
	static const struct {
		unsigned int side;
		enum ibv_wr_opcode opcode;
	} kinds[] = {
		{ 0, IBV_WR_SEND },	  { 1, IBV_WR_SEND },
		{ 0, IBV_WR_RDMA_READ },  { 1, IBV_WR_RDMA_READ },
		{ 0, IBV_WR_RDMA_WRITE }, { 1, IBV_WR_SEND_WITH_IMM },
	};
	const uint32_t nr = sizeof(kinds) / sizeof(kinds[0]);
	struct message m[sizeof(kinds) / sizeof(kinds[0])];
	struct fake *fake = new_with_room(room);

	for (uint32_t i = 0; i < nr; i++) {
		m[i] = message_new_at(fake, kinds[i].side, kinds[i].opcode,
				      LONG + 101 * i, i * 300000);
		message_post(fake, &m[i], i);
	}
	fake_run(fake);
	for (uint32_t i = 0; i < nr; i++) {
		message_expect_completions(fake, &m[i], i);
		fake_take(fake, message_receiver(&m[i]), m[i].to.sge, 1, i);
	}
	message_expect_no_completion(fake);
	fake_check_rest(fake, 0);
	fake_check_rest(fake, 1);
	if (room <= 4)
		for (unsigned int i = 0; i < 2; i++)
			assert_true(fake->side[i].pushed &&
				    fake->side[i].pulled);
	assert_true(list_empty(&fake->pair->side[0].engine.publishing));
	assert_true(list_empty(&fake->pair->side[1].engine.publishing));
	fake_free(fake);
}

static void rndv_works_in_both_directions_at_once(void **state)
{
	for (size_t n = 0; n < NR_ROOMS; n++)
		mix_messages(rooms[n]);
}

/* A READ response lands while a message is received. */
static void rndv_read_and_receive_land_at_once(void **state)
{
	struct fake *fake = new_with_room(1);
	struct message read = message_new(fake, IBV_WR_RDMA_READ, MB);
	struct message send =
		message_new_at(fake, 1, IBV_WR_SEND, 2 * MB - 10000, MB + 5000);

	message_post(fake, &send, 2);
	fake_run_until_pushed(fake, 1, PART);
	message_post(fake, &read, 1);
	fake_run(fake);
	assert_string_equal(fake_log(fake, 0), "lLX|x|");
	message_expect_completions(fake, &read, 1);
	message_expect_completions(fake, &send, 2);
	message_expect_no_completion(fake);
	fake_take(fake, 0, read.to.sge, 1, 1);
	fake_take(fake, 0, send.to.sge, 1, 2);
	fake_check_rest(fake, 0);
	assert_true(fake->side[1].pushed > 2 * PART);
	assert_true(fake->side[0].pulled > 2 * PART);
	fake_free(fake);
}

/* -- order -- */

/* Earlier data arrives first: a push must not overtake it. */
static void rndv_last_write_to_same_address_wins(void **state)
{
	static const uint32_t lengths[] = { 8, 5000, 200000, LONG, MB };

	for (size_t i = 0; i < sizeof(lengths) / 4; i++)
		for (size_t n = 0; n < 7 * NR_ROOMS; n++) {
			struct fake *fake = new_with_room(rooms[n / 7]);
			uint32_t at = (uint32_t)(n % 7) * 130000;
			struct message before = message_new_at(
				fake, 0, IBV_WR_RDMA_WRITE, lengths[i], 0);
			struct message m = message_new_at(
				fake, 0, IBV_WR_RDMA_WRITE, 2 * MB, 0);

			before.to.sge[0].addr += at;
			m.from.sge[0].addr += MB;
			message_post(fake, &before, 1);
			message_post(fake, &m, 2);
			fake_run(fake);
			message_expect_completions(fake, &before, 1);
			message_check(fake, &m, 2);
			fake_free(fake);
		}
}

static bool change_at_the_end(struct fake *fake, unsigned int from,
			      const struct uroce_packet *packet)
{
	struct ibv_sge sge = pair_sge(fake->pair, 1, FROM, MB);

	if (from == 1 && packet->psn == fake->psn)
		fake_fill(fake, 1, &sge, 1, 2);
	return false;
}

/* Two READs to the same address; in between the source changes. */
static void rndv_last_read_to_same_address_wins(void **state)
{
	for (size_t n = 0; n < NR_ROOMS; n++) {
		struct fake *fake = new_with_room(rooms[n]);
		struct message before =
			message_new(fake, IBV_WR_RDMA_READ, 100 * MTU);
		struct message m = message_new(fake, IBV_WR_RDMA_READ, MB);

		fake->side[0].unwilling = 1;
		fake->loses = change_at_the_end;
		fake->psn = (fake->pair->side[0].qp->roce->req.next_psn + 99) &
			    UROCE_PSN_MASK;
		message_post(fake, &before, 1);
		message_post(fake, &m, 1);
		fake_run(fake);
		message_expect_completions(fake, &before, 1);
		message_expect_completions(fake, &m, 1);
		fake_take(fake, 0, m.to.sge, 1, 2);
		fake_free(fake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rndv_messages_complete_in_order),
		cmocka_unit_test(rndv_stale_sink_is_not_used),
		cmocka_unit_test(rndv_sink_is_used_for_single_message),
		cmocka_unit_test(rndv_sink_excludes_next_message),
		cmocka_unit_test(rndv_works_in_both_directions_at_once),
		cmocka_unit_test(rndv_read_and_receive_land_at_once),
		cmocka_unit_test(rndv_last_write_to_same_address_wins),
		cmocka_unit_test(rndv_last_read_to_same_address_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
