// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of the framework of the conformance tests: errors of all kinds must be
 * noticed, and the next test must work. expect/framework.txt lists the tests
 * that must fail. Not part of the program conform.
 */
#include "conform.h"

#include <unistd.h>

static void framework_send(struct pair pair, struct mem *from, struct mem *to)
{
	struct work work = work_send(from, 0, 100);

	post_recv(pair.server, to, 0, 100, 1);
	work.wr_id = 2;
	post(pair.client, &work);
}

static void framework_false_require_fails(void)
{
	REQUIRE(conform_mtu() == 0);
}

static void framework_unequal_numbers_fail(void)
{
	REQUIRE_EQUAL(conform_mtu(), 1);
}

static void framework_wrong_byte_fails(void)
{
	struct mem *mem = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	mem_fill(mem, 0, 100, 1);
	mem->view[99] ^= 1;
	mem_require(mem, 0, 100, 1);
}

static void framework_nonzero_byte_fails(void)
{
	struct mem *mem = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	mem->view[0] = 1;
	mem_require_value(mem, 0, 100, 0);
}

/* Found at the end of the test. */
static void framework_write_beside_region_fails(void)
{
	struct mem *mem = mem_new(SERVER, 5000, IBV_ACCESS_LOCAL_WRITE);

	mem->view[8191] = 1;
}

static void framework_missing_completion_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct ibv_wc wc;

	REQUIRE_EQUAL(poll_some(pair.server->recv_cq, &wc, 1, 10), 1);
}

static void framework_unexpected_completion_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 100, 0);
	struct mem *to = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	framework_send(pair, from, to);
	poll_nothing(pair.server->recv_cq, 5000);
}

static void framework_other_status_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 100, 0);
	struct mem *to = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	framework_send(pair, from, to);
	poll_status(pair.client->send_cq, IBV_WC_WR_FLUSH_ERR);
}

static void framework_other_wr_id_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 100, 0);
	struct mem *to = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	framework_send(pair, from, to);
	poll_success(pair.server->recv_cq, 7);
}

static void framework_refused_post_fails(void)
{
	struct qp *qp = qp_new(CLIENT, NULL);
	struct mem *from = mem_new(CLIENT, 100, 0);
	struct work work = work_send(from, 0, 100);

	post(qp, &work); /* in RESET */
}

static void framework_other_event_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct conform_event event;

	REQUIRE(event_wait(SERVER, &event, 10) && event.id == pair.server->id);
}

static void framework_call_of_killed_server_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);

	server_kill();
	(void)qp_query(pair.server);
}

/* After a server was killed, and after one was stopped. */
static void framework_next_server_works(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 100, 0);
	struct mem *to = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	mem_fill(from, 0, 100, 5);
	framework_send(pair, from, to);
	poll_success(pair.client->send_cq, 2);
	poll_success(pair.server->recv_cq, 1);
	mem_require(to, 0, 100, 5);
}

static void framework_call_of_stopped_server_fails(void)
{
	struct pair pair = pair_new(NULL, NULL);

	server_stop();
	(void)qp_query(pair.server);
}

static void framework_crash_of_server_fails(void)
{
	struct mem *mem = mem_new(SERVER, 100, IBV_ACCESS_LOCAL_WRITE);

	mem->addr = 8; /* not memory */
	server_spin_byte(mem, 0, 1, 0, 1);
	(void)server_spin_result();
}

static void framework_skip_is_reported(void)
{
	conform_skip("to see it");
}

/* Only if it is named: the program ends. */
static void endless_test_ends_program(void)
{
	for (;;)
		pause();
}

const struct conform_test conform_framework[] = {
	{ "framework.false_require_fails", framework_false_require_fails, 0 },
	{ "framework.unequal_numbers_fail", framework_unequal_numbers_fail, 0 },
	{ "framework.wrong_byte_fails", framework_wrong_byte_fails, 0 },
	{ "framework.nonzero_byte_fails", framework_nonzero_byte_fails, 0 },
	{ "framework.write_beside_region_fails",
	  framework_write_beside_region_fails, 0 },
	{ "framework.missing_completion_fails",
	  framework_missing_completion_fails, 0 },
	{ "framework.unexpected_completion_fails",
	  framework_unexpected_completion_fails, 0 },
	{ "framework.other_status_fails", framework_other_status_fails, 0 },
	{ "framework.other_wr_id_fails", framework_other_wr_id_fails, 0 },
	{ "framework.refused_post_fails", framework_refused_post_fails, 0 },
	{ "framework.other_event_fails", framework_other_event_fails, 0 },
	{ "framework.call_of_killed_server_fails",
	  framework_call_of_killed_server_fails, NEED_TWO_PROCESSES },
	{ "framework.next_server_works", framework_next_server_works, 0 },
	{ "framework.call_of_stopped_server_fails",
	  framework_call_of_stopped_server_fails, NEED_TWO_PROCESSES },
	{ "framework.continued_server_works", framework_next_server_works, 0 },
	{ "framework.crash_of_server_fails", framework_crash_of_server_fails,
	  NEED_TWO_PROCESSES },
	{ "framework.server_after_crash_works", framework_next_server_works,
	  0 },
	{ "framework.skip_is_reported", framework_skip_is_reported, 0 },
	{ "endless.test_ends_program", endless_test_ends_program, 0 },
	{},
};
