/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets are received from several peers in turn: the left process receives,
 * and the right and third processes have sent more than fits into a turn.
 * Failures of the right process must not affect the third one.
 */
#include "uroce/shm/uroce_shm.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/shm/uroce_shm_ring.h"
#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_node.h"

enum { LEFT = 200, RIGHT, THIRD };

#define OF_RIGHT 200
#define OF_THIRD 100
#define A_TURN	 64 /* maximum of packets of one peer */
#define BAD_PSN	 3  /* of the right process */
#define NEVER	 UINT32_MAX

/* Channels of the left process to the right and the third one. */
static struct uroce_channel *channels[2];
static uint32_t nr_taken[2];

/* -- senders -------------------------------------------------------------- */

/* Signals when all packets are sent; then sends more until the end. */
static void send_many(struct node *node, uint32_t slot)
{
	uint32_t nr = slot == RIGHT ? OF_RIGHT : OF_THIRD, psn = 0;
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	channel = side_connect(&side, LEFT);
	for (; psn < nr; psn++)
		side_put(&side, channel, psn, 1);
	node_meet(node);
	node_meet(node);
	for (; psn < 2 * nr; psn++)
		side_put(&side, channel, psn, 1);
	node_meet(node);
	node_meet(node);
	side_close(&side);
}

static void start_all(struct node *nodes,
		      void (*left)(struct node *node, uint32_t arg))
{
	node_start(&nodes[0], left, LEFT);
	node_start(&nodes[1], send_many, RIGHT);
	node_start(&nodes[2], send_many, THIRD);
	nodes_meet(nodes, 3);
	nodes_meet(nodes, 3); /* all packets are sent */
}

/* -- receiver ------------------------------------------------------------- */

static void open_and_connect(struct node *node, uint32_t slot,
			     struct side *side)
{
	side_open(side, slot);
	side_serve(side);
	node_meet(node);
	channels[0] = side_connect(side, RIGHT);
	channels[1] = side_connect(side, THIRD);
	node_meet(node);
}

/*
 * Checks that a packet is the next one of its sender. Return: whether it is
 * valid.
 */
static bool check(const struct uroce_channel *channel,
		  const struct uroce_eager_entry *eager, uint32_t bad_psn)
{
	bool third = channel == channels[1];
	struct uroce_packet packet;

	CHECK(channel == channels[third]);
	CHECK(!uroce_shm_ring_decode(eager, &packet));
	CHECK(packet.psn == nr_taken[third]);
	if (!third && packet.psn == bad_psn)
		return false;
	nr_taken[third]++;
	return true;
}

/* A round of turns. Return: the number of packets. */
static uint32_t receive_round(struct side *side, uint32_t bad_psn)
{
	const uint32_t before[2] = { nr_taken[0], nr_taken[1] };
	struct uroce_channel *channel;
	struct uroce_eager_entry eager;

	uroce_shm_begin(side->shm);
	while ((channel = uroce_shm_take(side->shm, &eager)))
		uroce_shm_done(channel, &eager,
			       check(channel, &eager, bad_psn));
	CHECK(nr_taken[0] - before[0] <= A_TURN);
	CHECK(nr_taken[1] - before[1] <= A_TURN);
	return nr_taken[0] - before[0] + nr_taken[1] - before[1];
}

static struct uroce_channel *take_until_lost(struct side *side)
{
	struct uroce_channel *lost;

	while (!(lost = uroce_shm_take_failed(side->shm)))
		if (!receive_round(side, NEVER))
			(void)sched_yield();
	return lost;
}

/* The right process is lost; the third one sends the rest, which arrives. */
static void receive_rest_of_third(struct node *node, struct side *side)
{
	struct uroce_shm_counters counters;

	CHECK(!uroce_shm_take_failed(side->shm));
	CHECK(nr_taken[1] == OF_THIRD);
	CHECK(nr_rings() == 4);
	uroce_shm_put_channel(side->shm, channels[0]);
	CHECK(nr_rings() == 2);
	node_meet(node);
	node_meet(node);
	while (receive_round(side, NEVER))
		continue;
	CHECK(nr_taken[1] == 2 * OF_THIRD);
	uroce_shm_counters(side->shm, &counters);
	CHECK(counters.pairs == 1 && counters.pairs_lost == 1);
	CHECK(counters.rx_packets == nr_taken[0] + nr_taken[1]);
	CHECK(!uroce_shm_take_failed(side->shm));
	node_meet(node);
	side_close(side);
}

/* -- fairness ------------------------------------------------------------- */

static void receive_in_turn(struct node *node, uint32_t slot)
{
	/* of each: 64 and 64, 64 and 36, 64 and none, 8 and none, none */
	static const uint32_t right[] = { 64, 128, 192, 200, 200 };
	static const uint32_t third[] = { 64, 100, 100, 100, 100 };
	struct side side;

	open_and_connect(node, slot, &side);
	for (int i = 0; i < 5; i++) {
		CHECK(uroce_shm_seems_empty(side.shm) == (i == 4));
		(void)receive_round(&side, NEVER);
		CHECK(nr_taken[0] == right[i]);
		CHECK(nr_taken[1] == third[i]);
	}
	CHECK(!uroce_shm_take_failed(side.shm));
	for (int i = 0; i < 3; i++)
		node_meet(node);
	side_close(&side);
}

static void shm_receive_serves_peers_in_turn(void **state)
{
	struct node nodes[3];

	start_all(nodes, receive_in_turn);
	for (int i = 0; i < 3; i++)
		nodes_meet(nodes, 3);
	for (int i = 0; i < 3; i++)
		node_end(&nodes[i]);
}

/* -- invalid packet ------------------------------------------------------- */

static void receive_bad_packet(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct side side;

	open_and_connect(node, slot, &side);
	/* ends the turn of the right process only */
	CHECK(receive_round(&side, BAD_PSN) == BAD_PSN + A_TURN);
	CHECK(nr_taken[0] == BAD_PSN);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.rx_bad == 1);
	CHECK(counters.rx_packets == BAD_PSN + A_TURN);
	CHECK(take_until_lost(&side) == channels[0]);
	/* nothing behind the invalid packet is received */
	CHECK(nr_taken[0] == BAD_PSN);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.rx_bad == 1);
	while (receive_round(&side, NEVER))
		continue;
	receive_rest_of_third(node, &side);
}

static void shm_peer_with_protocol_error_is_lost_alone(void **state)
{
	struct node nodes[3];

	start_all(nodes, receive_bad_packet);
	for (int i = 0; i < 3; i++)
		nodes_meet(nodes, 3);
	for (int i = 0; i < 3; i++)
		node_end(&nodes[i]);
}

/* -- dead ----------------------------------------------------------------- */

static void receive_from_dead_peer(struct node *node, uint32_t slot)
{
	struct side side;

	open_and_connect(node, slot, &side);
	node_meet(node); /* the process is dead */
	CHECK(take_until_lost(&side) == channels[0]);
	CHECK(nr_taken[0] == OF_RIGHT);
	receive_rest_of_third(node, &side);
}

static void shm_packets_of_dead_peer_are_received_in_turn(void **state)
{
	struct node nodes[3];

	start_all(nodes, receive_from_dead_peer);
	node_wait(&nodes[0]);
	node_kill(&nodes[1]);
	nodes[1] = nodes[2];
	node_go(&nodes[0]);
	for (int i = 0; i < 3; i++)
		nodes_meet(nodes, 2);
	for (int i = 0; i < 2; i++)
		node_end(&nodes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shm_receive_serves_peers_in_turn),
		cmocka_unit_test(shm_peer_with_protocol_error_is_lost_alone),
		cmocka_unit_test(shm_packets_of_dead_peer_are_received_in_turn),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
