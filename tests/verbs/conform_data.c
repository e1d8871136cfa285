// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conformance tests of verbs: data of every size arrives as it was sent, and
 * nothing is written beside it.
 */
#include "conform.h"

static void data_send_every_size_arrives_intact(void)
{
	struct pair pair = pair_new(NULL, NULL);
	struct mem *from = mem_new(CLIENT, 70000, IBV_ACCESS_LOCAL_WRITE);
	struct mem *to = mem_new(SERVER, 70000, IBV_ACCESS_LOCAL_WRITE);
	struct work work = work_send(from, 0, 65537);
	struct ibv_wc wc;

	mem_fill(from, 0, 65537, 3);
	work.wr_id = 5;
	post_recv(pair.server, to, 0, 70000, 9);
	post(pair.client, &work);
	poll_success(pair.client->send_cq, 5);
	wc = poll_success(pair.server->recv_cq, 9);
	REQUIRE_EQUAL(wc.byte_len, 65537);
	mem_require(to, 0, 65537, 3);
	mem_require_value(to, 65537, 70000 - 65537, 0);
}

const struct conform_test conform_data[] = {
	{ "data.send_every_size_arrives_intact",
	  data_send_every_size_arrives_intact, NEED_RC },
	{},
};
