/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairing of processes: one connects, all connect at once, a process connects
 * to itself, or no pair is created. All processes are children of this one, in
 * a network namespace of their own.
 */
#include "uroce/shm/uroce_shm.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_node.h"

#define FIRST_SLOT 200

/* Slots of tests with two nodes. */
enum { LEFT = FIRST_SLOT, RIGHT };

static struct got got;

static void start_both(struct node *nodes,
		       void (*left)(struct node *node, uint32_t arg),
		       void (*right)(struct node *node, uint32_t arg))
{
	node_start(&nodes[0], left, LEFT);
	node_start(&nodes[1], right, RIGHT);
}

/* -- packets in both directions ------------------------------------------- */

#define NR_ECHOED  3000
#define ONE_BY_ONE 100 /* of these; then so many at a time: */
#define AT_A_TIME  16

static uint32_t length_of(uint32_t psn)
{
	return psn % 3 ? psn % 60 : psn * 7 % 8193;
}

static void send_for_echo(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	struct side side;
	uint32_t fds;

	side_open(&side, slot);
	node_meet(node);
	fds = nr_open_fds();
	CHECK(uroce_shm_is_empty(side.shm));
	channel = side_connect(&side, RIGHT);
	CHECK(!uroce_shm_is_empty(side.shm));
	/* the socket of the pair, and memory without descriptors */
	CHECK(nr_open_fds() == fds + 1);
	CHECK(nr_rings() == 2);
	for (uint32_t psn = 0; psn < NR_ECHOED; psn++) {
		side_put(&side, channel, psn, length_of(psn));
		if (psn < ONE_BY_ONE || psn % AT_A_TIME == 0)
			side_receive(&side, &got, psn + 1);
	}
	side_receive(&side, &got, NR_ECHOED);
	for (uint32_t psn = 0; psn < NR_ECHOED; psn++) {
		CHECK(got.psn[psn] == psn);
		CHECK(got.channel[psn] == channel);
	}
	/* one channel, no matter which side connected first */
	CHECK(side_connect(&side, RIGHT) == channel);
	CHECK(nr_open_fds() == fds + 1);
	uroce_shm_put_channel(side.shm, channel);
	uroce_shm_put_channel(side.shm, channel);
	node_meet(node);
	side_close(&side);
	CHECK(nr_rings() == 0);
}

static void echo(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	for (uint32_t psn = 0; psn < NR_ECHOED; psn++) {
		side_receive(&side, &got, psn + 1);
		side_put(&side, got.channel[psn], psn, length_of(psn));
	}
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.pairs == 1 && counters.pairs_lost == 0);
	CHECK(counters.rx_packets == NR_ECHOED);
	CHECK(counters.tx_packets == NR_ECHOED);
	CHECK(counters.rx_bytes == counters.tx_bytes);
	CHECK(counters.rx_bytes > NR_ECHOED);
	node_meet(node);
	side_close(&side);
}

static void shm_pair_passes_packets_in_both_directions(void **state)
{
	struct node nodes[2];

	start_both(nodes, send_for_echo, echo);
	nodes_meet(nodes, 2);
	nodes_meet(nodes, 2);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

/* -- connecting from the accepting side ----------------------------------- */

static void connect_first(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	channel = side_connect(&side, RIGHT);
	side_put(&side, channel, 1, 1);
	side_receive(&side, &got, 1);
	CHECK(got.channel[0] == channel);
	CHECK(nr_rings() == 2);
	uroce_shm_put_channel(side.shm, channel);
	node_meet(node);
	side_close(&side);
}

static void connect_back(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	side_receive(&side, &got, 1);
	channel = side_connect(&side, LEFT);
	CHECK(channel == got.channel[0]);
	side_put(&side, channel, 2, 1);
	CHECK(nr_rings() == 2);
	uroce_shm_put_channel(side.shm, channel);
	node_meet(node);
	side_close(&side);
}

static void shm_server_connect_returns_existing_pair(void **state)
{
	struct node nodes[2];

	start_both(nodes, connect_first, connect_back);
	nodes_meet(nodes, 2);
	nodes_meet(nodes, 2);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

/* -- pairing with itself -------------------------------------------------- */

static void connect_own_slot(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel, *none;
	struct pollfd poll_fd;
	uint8_t gid[UROCE_GID_LEN];
	struct side side;
	uint32_t fds;

	side_open(&side, slot);
	fds = nr_open_fds();
	poll_fd = (struct pollfd){ uroce_shm_fd(side.shm), POLLIN, 0 };
	side_gid(RIGHT, gid);
	CHECK(uroce_shm_connect(side.shm, slot, gid, &none) == -ENOENT);
	channel = side_connect(&side, slot);
	CHECK(side_connect(&side, slot) == channel);
	CHECK(nr_open_fds() == fds + 1);
	for (uint32_t psn = 0; psn < 2000; psn++) {
		side_put(&side, channel, psn, length_of(psn));
		side_receive(&side, &got, psn + 1);
		CHECK(got.channel[psn] == channel && got.psn[psn] == psn);
	}
	/* no sleeping thread misses it */
	uroce_shm_serve(side.shm);
	CHECK(poll(&poll_fd, 1, 0) == 0);
	CHECK(!uroce_shm_watch(side.shm, true));
	side_put(&side, channel, 1, 1);
	CHECK(poll(&poll_fd, 1, 0) == 1);
	uroce_shm_serve(side.shm);
	CHECK(poll(&poll_fd, 1, 0) == 0);
	CHECK(uroce_shm_watch(side.shm, true));
	uroce_shm_put_channel(side.shm, channel);
	uroce_shm_put_channel(side.shm, channel);
	side_close(&side);
	CHECK(nr_rings() == 0);
}

static void shm_process_pairs_with_own_slot(void **state)
{
	struct node node;

	node_start(&node, connect_own_slot, LEFT);
	node_end(&node);
}

/* -- concurrent connects -------------------------------------------------- */

#define NR_STORM    8
#define NR_STORMS   100
#define STORM_ORDER 5 /* coprime to the number of nodes */

static void connect_to_all(struct node *node, uint32_t slot)
{
	struct uroce_channel *channels[NR_STORM] = {};
	struct uroce_shm_counters counters;
	uint32_t me = slot - FIRST_SLOT;
	struct side side;

	got.nr = 0;
	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	for (uint32_t i = 0; i < NR_STORM; i++) {
		uint32_t other = (me + i * STORM_ORDER) % NR_STORM;

		channels[other] = side_connect(&side, FIRST_SLOT + other);
		side_put(&side, channels[other], me, me);
	}
	side_receive(&side, &got, NR_STORM);
	for (uint32_t i = 0; i < NR_STORM; i++)
		CHECK(channels[got.psn[i]] == got.channel[i]);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.pairs == NR_STORM && counters.pairs_lost == 0);
	CHECK(nr_rings() == 2 * NR_STORM);
	CHECK(!uroce_shm_take_failed(side.shm));
	for (uint32_t i = 0; i < NR_STORM; i++)
		uroce_shm_put_channel(side.shm, channels[i]);
	node_meet(node);
	side_close(&side);
}

static void shm_concurrent_connects_pair_all(void **state)
{
	struct node nodes[NR_STORM];

	for (uint32_t round = 0; round < NR_STORMS; round++) {
		for (uint32_t i = 0; i < NR_STORM; i++)
			node_start(&nodes[i], connect_to_all, FIRST_SLOT + i);
		nodes_meet(nodes, NR_STORM);
		nodes_meet(nodes, NR_STORM);
		for (uint32_t i = 0; i < NR_STORM; i++)
			node_end(&nodes[i]);
	}
}

/* -- no pair -------------------------------------------------------------- */

static void connect_missing_peer(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	struct side side;

	side_open(&side, slot);
	side_gid(RIGHT, gid);
	CHECK(uroce_shm_connect(side.shm, RIGHT, gid, &channel) == -ENOENT);
	CHECK(uroce_shm_connect(side.shm, 256, gid, &channel) == -ENOENT);
	node_meet(node);
	/* the failure is not cached for a later process */
	channel = side_connect(&side, RIGHT);
	/* a foreign GID is not cached either */
	side_gid(LEFT, gid);
	CHECK(uroce_shm_connect(side.shm, RIGHT, gid, &channel) == -ENOENT);
	CHECK(side_connect(&side, RIGHT) == channel);
	side_close(&side);
	node_go(node);
}

static void serve_peer(struct node *node, uint32_t slot)
{
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	node_wait(node);
	side_close(&side);
}

static void shm_missing_peer_is_retried(void **state)
{
	struct node nodes[2];

	node_start(&nodes[0], connect_missing_peer, LEFT);
	node_wait(&nodes[0]);
	node_start(&nodes[1], serve_peer, RIGHT);
	node_wait(&nodes[1]);
	node_go(&nodes[0]);
	node_go(&nodes[1]);
	node_wait(&nodes[0]);
	node_go(&nodes[1]);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

static void connect_wrong_gid(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	struct side side;

	side_open(&side, slot);
	node_meet(node);
	side_gid(LEFT, gid);
	CHECK(uroce_shm_connect(side.shm, RIGHT, gid, &channel) == -ENOENT);
	CHECK(nr_rings() == 0);
	CHECK(side_connect(&side, RIGHT));
	side_close(&side);
	node_go(node);
}

static void shm_wrong_gid_is_retried(void **state)
{
	struct node nodes[2];

	start_both(nodes, connect_wrong_gid, serve_peer);
	nodes_meet(nodes, 2);
	node_wait(&nodes[0]);
	node_go(&nodes[1]);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

static void connect_stopped_peer(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	struct side side;
	uint32_t fds;

	side_open(&side, slot);
	side.shm->config.patience_ms = 1000;
	side_serve(&side);
	fds = nr_open_fds();
	node_meet(node);
	side_gid(RIGHT, gid);
	CHECK(uroce_shm_connect(side.shm, RIGHT, gid, &channel) == -ENOENT);
	CHECK(nr_open_fds() == fds);
	node_meet(node);
	CHECK(uroce_shm_connect(side.shm, RIGHT, gid, &channel) == -ENOENT);
	node_meet(node);
	(void)side_take(&side, NULL);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.pairs == 0 && counters.pairs_lost == 0);
	CHECK(nr_rings() == 0);
	side_close(&side);
}

static void serve_and_be_stopped(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;
	uint8_t gid[UROCE_GID_LEN];
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	node_meet(node);
	/* the peer has given up, and both sides have noticed */
	side_gid(LEFT, gid);
	CHECK(uroce_shm_connect(side.shm, LEFT, gid, &channel) == -ENOENT);
	CHECK(uroce_shm_connect(side.shm, LEFT, gid, &channel) == -ENOENT);
	node_meet(node);
	(void)side_take(&side, NULL);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.pairs == 0 && counters.pairs_lost == 0);
	side_close(&side);
}

static void shm_unresponsive_peer_is_rejected_permanently(void **state)
{
	struct node nodes[2];
	int status;

	start_both(nodes, connect_stopped_peer, serve_and_be_stopped);
	node_wait(&nodes[1]);
	node_wait(&nodes[0]);
	assert_int_equal(kill(nodes[1].pid, SIGSTOP), 0);
	assert_int_equal(waitpid(nodes[1].pid, &status, WUNTRACED),
			 nodes[1].pid);
	node_go(&nodes[0]);
	node_wait(&nodes[0]);
	assert_int_equal(kill(nodes[1].pid, SIGCONT), 0);
	node_go(&nodes[1]);
	node_wait(&nodes[1]);
	node_go(&nodes[0]);
	node_go(&nodes[1]);
	nodes_meet(nodes, 2);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

/* -- wake-ups ------------------------------------------------------------- */

/* Sends two packets while the peer waits; reports the number of bells. */
static void ring_bell(struct node *node, uint32_t slot)
{
	static const uint64_t bells[] = { 1, 2, 2 };
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	node_meet(node);
	channel = side_connect(&side, RIGHT);
	for (uint32_t i = 0; i < 3; i++) {
		side_put(&side, channel, 2 * i, 1);
		side_put(&side, channel, 2 * i + 1, 1);
		uroce_shm_counters(side.shm, &counters);
		CHECK(counters.tx_bells == bells[i]);
		node_meet(node);
		node_meet(node);
	}
	side_close(&side);
}

static void wait_for_bell(struct node *node, uint32_t slot)
{
	struct pollfd poll_fd = { .events = POLLIN };
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	poll_fd.fd = uroce_shm_fd(side.shm);
	node_meet(node);
	/* a receiver that never polled is woken, and cannot sleep */
	node_meet(node);
	side_stop_serving(&side);
	uroce_shm_serve(side.shm);
	CHECK(uroce_shm_watch(side.shm, true));
	side_receive(&side, &got, 2);
	uroce_shm_serve(side.shm);
	CHECK(poll(&poll_fd, 1, 0) == 0);
	CHECK(!uroce_shm_watch(side.shm, true));
	/* a sleeping receiver is woken */
	node_meet(node);
	node_meet(node);
	CHECK(poll(&poll_fd, 1, 0) == 1);
	uroce_shm_serve(side.shm);
	CHECK(poll(&poll_fd, 1, 0) == 0);
	CHECK(uroce_shm_watch(side.shm, false));
	/* an awake receiver is not */
	node_meet(node);
	node_meet(node);
	CHECK(poll(&poll_fd, 1, 0) == 0);
	side_receive(&side, &got, 6);
	CHECK(!uroce_shm_watch(side.shm, true));
	node_meet(node);
	side_close(&side);
}

static void shm_sleeping_receiver_is_woken(void **state)
{
	struct node nodes[2];

	start_both(nodes, ring_bell, wait_for_bell);
	for (int i = 0; i < 7; i++)
		nodes_meet(nodes, 2);
	node_end(&nodes[0]);
	node_end(&nodes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shm_pair_passes_packets_in_both_directions),
		cmocka_unit_test(shm_server_connect_returns_existing_pair),
		cmocka_unit_test(shm_process_pairs_with_own_slot),
		cmocka_unit_test(shm_concurrent_connects_pair_all),
		cmocka_unit_test(shm_missing_peer_is_retried),
		cmocka_unit_test(shm_wrong_gid_is_retried),
		cmocka_unit_test(shm_unresponsive_peer_is_rejected_permanently),
		cmocka_unit_test(shm_sleeping_receiver_is_woken),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
