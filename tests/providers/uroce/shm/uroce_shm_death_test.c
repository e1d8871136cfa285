/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The peer of a pair dies, or violates the protocol, or forks; then another
 * process gets its slot. Packets that it has sent are received. Then its
 * channel is lost, once, and all of its resources are released.
 */
#include "uroce/shm/uroce_shm.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "uroce/shm/uroce_shm_state.h"
#include "uroce_netns.h"
#include "uroce_shm_node.h"

#define FIRST_SLOT 200

enum { LEFT = FIRST_SLOT, RIGHT };

#define NR_SENT 300

static struct got got;

static struct uroce_peer *peer_of(struct uroce_channel *channel)
{
	return list_entry(channel, struct uroce_peer, channel);
}

/* Sends all packets to the left process, and runs until it is killed. */
static void send_and_wait(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	channel = side_connect(&side, LEFT);
	for (uint32_t psn = 0; psn < NR_SENT; psn++)
		side_put(&side, channel, psn, psn);
	node_meet(node);
	(void)pause();
}

/* -- killed --------------------------------------------------------------- */

static void left_receive_after_death(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;
	struct side side;
	uint32_t fds;

	side_open(&side, slot);
	side_serve(&side);
	fds = nr_open_fds();
	node_meet(node);
	channel = side_connect(&side, RIGHT);
	CHECK(nr_open_fds() == fds + 1);
	node_meet(node);
	/* the peer is dead, and nothing has been received */
	CHECK(side_wait_lost(&side, &got) == channel);
	CHECK(got.nr == NR_SENT && got.psn[NR_SENT - 1] == NR_SENT - 1);
	CHECK(channel->failed);
	CHECK(!uroce_shm_take_failed(side.shm));
	CHECK(uroce_shm_is_empty(side.shm));
	CHECK(nr_open_fds() == fds);
	/* the memory exists as long as it is in use */
	CHECK(nr_rings() == 2);
	side_put(&side, channel, 1, 1);
	uroce_shm_put_channel(side.shm, channel);
	CHECK(nr_rings() == 0);
	uroce_shm_flush(side.shm);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.pairs == 0 && counters.pairs_lost == 1);
	CHECK(counters.rx_bad == 0);
	node_meet(node);
	side_close(&side);
}

static void shm_packets_of_dead_peer_are_received(void **state)
{
	struct node left, right;

	node_start(&left, left_receive_after_death, LEFT);
	node_start(&right, send_and_wait, RIGHT);
	node_wait(&left);
	nodes_meet(&right, 1);
	node_wait(&right);
	node_go(&left);
	node_wait(&left);
	node_kill(&right);
	node_go(&left);
	nodes_meet(&left, 1);
	node_end(&left);
}

static void left_leave_pair_unused(struct node *node, uint32_t slot)
{
	struct list_node full = LIST_INIT(full);
	struct side side;
	uint32_t fds;

	side_open(&side, slot);
	side_serve(&side);
	fds = nr_open_fds();
	node_meet(node);
	side_receive(&side, &got, NR_SENT);
	CHECK(nr_open_fds() == fds + 1);
	/* as a QP leaves it that has been destroyed */
	list_add_tail(&full, &got.channel[0]->entry);
	node_meet(node);
	while (!uroce_shm_is_empty(side.shm)) {
		(void)side_take(&side, NULL);
		/* the channel has no user */
		CHECK(!uroce_shm_take_failed(side.shm));
	}
	/* an unused pair releases everything at once */
	while (nr_rings() || nr_open_fds() != fds)
		(void)side_take(&side, NULL);
	CHECK(list_empty(&full));
	node_meet(node);
	side_close(&side);
}

static void shm_unused_pair_of_dead_peer_ends(void **state)
{
	struct node left, right;

	node_start(&left, left_leave_pair_unused, LEFT);
	node_wait(&left);
	node_start(&right, send_and_wait, RIGHT);
	node_wait(&right);
	node_go(&left);
	node_go(&right);
	node_wait(&left);
	node_kill(&right);
	node_go(&left);
	nodes_meet(&left, 1);
	node_end(&left);
}

/* -- a new process in the slot -------------------------------------------- */

static void check_all_came(const struct uroce_channel *channel)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < got.nr; i++)
		if (got.channel[i] == channel)
			CHECK(got.psn[i] == nr++);
	CHECK(nr == NR_SENT);
}

static void left_connect_next_process(struct node *node, uint32_t slot)
{
	struct uroce_channel *first, *second;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	first = side_connect(&side, RIGHT);
	/* from here on the death of the first process is not noticed */
	side_stop_serving(&side);
	node_meet(node);
	node_meet(node);
	side_serve(&side);
	node_meet(node);
	CHECK(side_wait_lost(&side, &got) == first);
	second = side_connect(&side, RIGHT);
	CHECK(second != first);
	side_receive(&side, &got, 2 * NR_SENT);
	check_all_came(first);
	check_all_came(second);
	CHECK(!uroce_shm_take_failed(side.shm));
	uroce_shm_put_channel(side.shm, first);
	CHECK(nr_rings() == 2);
	uroce_shm_put_channel(side.shm, second);
	node_meet(node);
	side_close(&side);
}

static void shm_new_process_in_slot_gets_new_pair(void **state)
{
	struct node left, right, next;

	node_start(&left, left_connect_next_process, LEFT);
	node_start(&right, send_and_wait, RIGHT);
	node_wait(&left);
	nodes_meet(&right, 1);
	node_wait(&right);
	node_go(&left);
	node_wait(&left);
	node_kill(&right);
	node_start(&next, send_and_wait, RIGHT);
	node_wait(&next);
	node_go(&left);
	/* left does not serve yet, so this process waits for it */
	node_go(&next);
	nodes_meet(&left, 1);
	node_wait(&next);
	nodes_meet(&left, 1);
	nodes_meet(&left, 1);
	node_kill(&next);
	node_end(&left);
}

static void left_find_next_process(struct node *node, uint32_t slot)
{
	struct uroce_channel *first, *second;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	first = side_connect(&side, RIGHT);
	side_stop_serving(&side);
	node_meet(node);
	/* connect detects that the process in the slot has changed */
	side_serve(&side);
	second = side_connect(&side, RIGHT);
	CHECK(second != first);
	side_put(&side, second, 0, 0);
	CHECK(side_wait_lost(&side, &got) == first);
	node_meet(node);
	side_close(&side);
}

static void next_process_run(struct node *node, uint32_t slot)
{
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	side_receive(&side, &got, 1);
	(void)pause();
}

static void shm_connect_returns_no_dead_channel(void **state)
{
	struct node left, right, next;

	node_start(&left, left_find_next_process, LEFT);
	node_start(&right, send_and_wait, RIGHT);
	node_wait(&left);
	nodes_meet(&right, 1);
	node_wait(&right);
	node_go(&left);
	node_wait(&left);
	node_kill(&right);
	node_start(&next, next_process_run, RIGHT);
	nodes_meet(&next, 1);
	node_go(&left);
	nodes_meet(&left, 1);
	node_kill(&next);
	node_end(&left);
}

/* -- protocol errors ------------------------------------------------------ */

/* Announces the next packet, which has an invalid opcode. */
static void write_bad_opcode(struct uroce_peer *peer)
{
	struct uroce_shm_ring_memory *ring = peer->out.memory;
	struct uroce_shm_ring_entry *entry =
		&ring->entries[peer->out.head % UROCE_SHM_RING_ENTRIES];

	memset(entry->bytes, 0xff, sizeof(entry->bytes));
	entry->header_len = UROCE_BTH_LEN;
	__atomic_store_n(&entry->sequence, (uint32_t)peer->out.head + 1,
			 __ATOMIC_RELEASE);
}

/* Likewise, with a header length above the maximum. */
static void write_bad_header_len(struct uroce_peer *peer)
{
	struct uroce_shm_ring_memory *ring = peer->out.memory;
	struct uroce_shm_ring_entry *entry =
		&ring->entries[peer->out.head % UROCE_SHM_RING_ENTRIES];

	entry->header_len = UROCE_MAX_HEADER + 1;
	entry->payload_len = 0;
	__atomic_store_n(&entry->sequence, (uint32_t)peer->out.head + 1,
			 __ATOMIC_RELEASE);
}

/* Announces consumed packets that were never written. */
static void consume_unwritten_packets(struct uroce_peer *peer)
{
	struct uroce_shm_ring_memory *ring = peer->in.memory;

	__atomic_store_n(&ring->status.consumed, 0x12345678, __ATOMIC_RELAXED);
}

static void violate_protocol(struct node *node, uint32_t slot,
			     void (*fn)(struct uroce_peer *peer))
{
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	channel = side_connect(&side, LEFT);
	for (uint32_t psn = 0; psn < NR_SENT; psn++)
		side_put(&side, channel, psn, psn);
	fn(peer_of(channel));
	/* both sides lose the channel */
	while (!__atomic_load_n(&peer_of(channel)->dead, __ATOMIC_ACQUIRE))
		(void)sched_yield();
	CHECK(side_wait_lost(&side, &got) == channel);
	node_meet(node);
	side_close(&side);
}

static void send_bad_opcode(struct node *node, uint32_t slot)
{
	violate_protocol(node, slot, write_bad_opcode);
}

static void send_bad_header_len(struct node *node, uint32_t slot)
{
	violate_protocol(node, slot, write_bad_header_len);
}

static void receive_unwritten_packets(struct node *node, uint32_t slot)
{
	violate_protocol(node, slot, consume_unwritten_packets);
}

static void left_expect_bad_reader(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;
	struct side side;
	uint32_t nr = 0;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	channel = side_connect(&side, RIGHT);
	do {
		while (uroce_shm_has_room(channel))
			side_put(&side, channel, nr++, 1);
		uroce_shm_counters(side.shm, &counters);
	} while (!counters.rx_bad);
	CHECK(!uroce_shm_has_room(channel));
	CHECK(side_wait_lost(&side, &got) == channel);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.rx_bad == 1 && counters.pairs_lost == 1);
	CHECK(nr <= 2 * UROCE_SHM_RING_ENTRIES);
	uroce_shm_put_channel(side.shm, channel);
	CHECK(nr_rings() == 0);
	node_meet(node);
	side_close(&side);
}

static void left_expect_bad_writer(struct node *node, uint32_t slot)
{
	struct uroce_shm_counters counters;
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	side_serve(&side);
	node_meet(node);
	channel = side_connect(&side, RIGHT);
	CHECK(side_wait_lost(&side, &got) == channel);
	/* packets from before the error */
	CHECK(got.nr == NR_SENT);
	uroce_shm_counters(side.shm, &counters);
	CHECK(counters.rx_bad == 1 && counters.pairs_lost == 1);
	uroce_shm_put_channel(side.shm, channel);
	CHECK(nr_rings() == 0);
	node_meet(node);
	side_close(&side);
}

static void run_both(void (*left_fn)(struct node *node, uint32_t arg),
		     void (*right_fn)(struct node *node, uint32_t arg))
{
	struct node left, right;

	node_start(&left, left_fn, LEFT);
	node_start(&right, right_fn, RIGHT);
	node_wait(&left);
	node_wait(&right);
	node_go(&left);
	node_go(&right);
	node_wait(&left);
	node_wait(&right);
	node_go(&left);
	node_go(&right);
	node_end(&left);
	node_end(&right);
}

static void shm_malformed_packets_lose_channel(void **state)
{
	run_both(left_expect_bad_writer, send_bad_opcode);
}

static void shm_invalid_slots_lose_channel(void **state)
{
	run_both(left_expect_bad_writer, send_bad_header_len);
}

static void shm_invalid_consumed_index_loses_channel(void **state)
{
	run_both(left_expect_bad_reader, receive_unwritten_packets);
}

/* -- forked --------------------------------------------------------------- */

static void left_fork_child(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	struct side side;
	uint32_t fds = nr_open_fds();
	int pid;

	side_open(&side, slot);
	node_meet(node);
	channel = side_connect(&side, RIGHT);
	side_put(&side, channel, 0, 0);
	CHECK(side_connect(&side, slot));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		uroce_shm_abandon(side.shm);
		uroce_shares_fini(&side.shares);
		CHECK(nr_open_fds() == fds);
		CHECK(nr_rings() == 0);
		CHECK(!uroce_shm_has_room(channel));
		CHECK(!side_take(&side, NULL));
		CHECK(!uroce_shm_take_failed(side.shm));
		CHECK(!uroce_shm_watch(side.shm, true));
		CHECK(uroce_shm_is_empty(side.shm));
		uroce_shm_flush(side.shm);
		uroce_shm_serve(side.shm);
		uroce_shm_put_channel(side.shm, channel);
		uroce_shm_close(side.shm);
		/*
		 * the child uses a slot of its own, and may not use the
		 * parent's pair
		 */
		side_open(&side, slot + 10);
		CHECK(side_connect(&side, RIGHT));
		node_go(node);
		node_wait(node);
		_exit(0);
	}
	(void)pause();
}

static void right_expect_death_of_parent(struct node *node, uint32_t slot)
{
	struct uroce_channel *channel;
	struct side side;

	side_open(&side, slot);
	/* the left process will not confirm the GID: a pair lasts */
	side.shm->config.patience_ms = 5000;
	side_serve(&side);
	node_meet(node);
	side_receive(&side, &got, 1);
	channel = side_connect(&side, LEFT);
	CHECK(channel == got.channel[0]);
	node_meet(node);
	/* the parent is dead, its child is not */
	CHECK(side_wait_lost(&side, &got) == channel);
	CHECK(nr_rings() == 4);
	uroce_shm_put_channel(side.shm, channel);
	CHECK(nr_rings() == 2);
	node_meet(node);
	side_close(&side);
}

static void shm_forked_child_does_not_keep_parent_channel(void **state)
{
	struct node left, right;

	node_start(&right, right_expect_death_of_parent, RIGHT);
	node_start(&left, left_fork_child, LEFT);
	node_wait(&left);
	nodes_meet(&right, 1);
	node_go(&left);
	node_wait(&left); /* from the child */
	node_wait(&right);
	assert_int_equal(kill(left.pid, SIGKILL), 0);
	node_go(&right);
	nodes_meet(&right, 1);
	node_go(&left); /* to the child */
	node_kill(&left);
	node_end(&right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shm_packets_of_dead_peer_are_received),
		cmocka_unit_test(shm_unused_pair_of_dead_peer_ends),
		cmocka_unit_test(shm_new_process_in_slot_gets_new_pair),
		cmocka_unit_test(shm_connect_returns_no_dead_channel),
		cmocka_unit_test(shm_malformed_packets_lose_channel),
		cmocka_unit_test(shm_invalid_slots_lose_channel),
		cmocka_unit_test(shm_invalid_consumed_index_loses_channel),
		cmocka_unit_test(shm_forked_child_does_not_keep_parent_channel),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
