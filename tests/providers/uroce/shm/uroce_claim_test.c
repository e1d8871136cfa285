/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process of the same user sends a hello with the slot of another process, or
 * with a free one. The left and the right process are children of this
 * one, which sends the wrong hello.
 */
#include "uroce/shm/uroce_shm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_ring.h"
#include "uroce_netns.h"
#include "uroce_shm_node.h"

enum { LEFT = 200, RIGHT, FREE };

#define NR_PACKETS 10

static struct got got;

/* Waits, then exchanges packets, then checks that the pair is there. */
static void exchange(struct node *node, struct side *side, uint32_t other)
{
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;

	channel = side_connect(side, other);
	node_meet(node);
	node_meet(node);
	for (uint32_t psn = 0; psn < NR_PACKETS; psn++)
		side_put(side, channel, psn, psn);
	side_receive(side, &got, NR_PACKETS);
	CHECK(got.channel[0] == channel);
	CHECK(side_connect(side, other) == channel);
	uroce_shm_counters(side->shm, &counters);
	CHECK(counters.pairs == 1 && counters.pairs_lost == 0);
	uroce_shm_put_channel(side->shm, channel);
	uroce_shm_put_channel(side->shm, channel);
	node_meet(node);
}

static void run_side(struct node *node, uint32_t slot)
{
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	node_meet(node);
	exchange(node, &side, slot == LEFT ? RIGHT : LEFT);
	side_close(&side);
}

/* The left process's result about a hello of this process. */
static enum uroce_pairing_result claim(uint32_t slot)
{
	uint64_t until_ms = uroce_pairing_now_ms() + SIDE_PATIENCE_MS;
	struct uroce_passed ours = { .ring = uroce_shm_ring_create(),
				     .directory = -1 };
	struct uroce_passed theirs;
	enum uroce_pairing_result result;
	uint8_t gid[UROCE_GID_LEN];
	uint64_t token;
	int fd;

	side_gid(LEFT, gid);
	assert_true(ours.ring >= 0);
	fd = uroce_pairing_connect(LEFT, until_ms);
	assert_true(fd >= 0);
	assert_int_equal(uroce_pairing_request(fd, slot, 1, gid, &ours,
					       until_ms, &result, &token,
					       &theirs),
			 0);
	(void)uroce_pairing_send(fd, UROCE_PAIRING_CONFIRM);
	uroce_pairing_close(&theirs);
	uroce_pairing_close(&ours);
	(void)close(fd);
	return result;
}

static void shm_claim_of_foreign_slot_is_rejected(void **state)
{
	struct node nodes[2];

	node_start(&nodes[0], run_side, LEFT);
	node_start(&nodes[1], run_side, RIGHT);
	nodes_meet(nodes, 2);
	/* before the two are a pair */
	assert_int_equal(claim(RIGHT), UROCE_PAIRING_REJECTED);
	assert_int_equal(claim(FREE), UROCE_PAIRING_REJECTED);
	nodes_meet(nodes, 2);
	nodes_meet(nodes, 2);
	/* while they are one */
	assert_int_equal(claim(RIGHT), UROCE_PAIRING_REJECTED);
	nodes_meet(nodes, 2);
	nodes_meet(nodes, 2);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shm_claim_of_foreign_slot_is_rejected),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
