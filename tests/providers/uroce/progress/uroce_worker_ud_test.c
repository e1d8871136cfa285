/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagrams to processes of the same host: uroce_worker_ud.c with the real
 * port and the real shm/. Most tests use one process, which is on the same
 * host as well.
 */
#include "uroce/progress/uroce_worker_ud.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/udp/uroce_slots.h"
#include "uroce_netns.h"
#include "uroce_side.h"

#define GRH	  40
#define LOOPBACK  1 /* index of 127.0.0.1 */
#define NEXT_SLOT (1u << UROCE_SLOT_SHIFT)

static struct side side;
static struct side_address self;

static void open_side(void)
{
	struct uroce_netdev dev;

	assert_int_equal(uroce_netdev_read("lo", &dev), 0);
	side_open_datagrams(&side, &dev);
	assert_int_equal(uroce_instance_port_error(side.instance), 0);
	self = side_address(&side, LOOPBACK);
}

static int setup(void **state)
{
	open_side();
	return 0;
}

static int teardown(void **state)
{
	side_close(&side);
	return 0;
}

static struct uroce_instance_counters counters(void)
{
	struct uroce_instance_counters counters;

	uroce_instance_counters(side.instance, &counters);
	return counters;
}

static struct uroce_path path_to(const struct side_address *peer)
{
	struct uroce_path path = {
		.here = uroce_instance_is_here(side.instance, peer->gid),
	};

	memcpy(path.dgid, peer->gid, UROCE_GID_LEN);
	return path;
}

static void meet(const struct side_address *peer)
{
	struct uroce_path path = path_to(peer);

	uroce_worker_resolve_ud_peer(side.worker, &path, peer->qpn);
}

static struct uroce_cqe next_receive(void)
{
	struct uroce_cqe cqe;

	do {
		side_poll(&side, &cqe);
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	} while (!(cqe.opcode & IBV_WC_RECV));
	return cqe;
}

/* Sends a datagram to the own QP and checks it. */
static void send_and_check(uint32_t length)
{
	uint8_t *from = side.memory + SIDE_MEMORY / 2;
	struct uroce_cqe cqe;

	for (uint32_t i = 0; i < length; i++)
		from[i] = (uint8_t)(length + i * 7);
	memset(side.memory, 0xee, GRH + length);
	side_receive(&side, GRH + length);
	side_send_datagram(&side, &self, from, length);
	cqe = next_receive();
	assert_int_equal(cqe.byte_len, GRH + length);
	assert_int_equal(cqe.src_qpn, self.qpn);
	assert_memory_equal(side.memory + GRH, from, length);
	/* 20 zero bytes, then the IPv4 header */
	assert_int_equal(side.memory[0], 0);
	assert_int_equal(side.memory[20], 0x45);
	assert_memory_equal(side.memory + 32, self.gid + 12, 4);
	assert_memory_equal(side.memory + 36, self.gid + 12, 4);
}

static void worker_datagram_to_unknown_peer_uses_network(void **state)
{
	assert_true(path_to(&self).here);
	assert_false(uroce_worker_has_ud_peer(side.worker, self.qpn));
	send_and_check(100);
	assert_int_equal(counters().shm.tx_packets, 0);
	assert_true(counters().port.tx_datagrams > 0);
}

static void worker_datagram_to_connected_peer_uses_shm(void **state)
{
	static const uint32_t lengths[] = { 0, 1, 8, 24, 1000, 4096 };

	meet(&self);
	assert_true(uroce_worker_has_ud_peer(side.worker, self.qpn));
	meet(&self); /* a second time changes nothing */
	for (uint32_t i = 0; i < 300; i++)
		send_and_check(lengths[i % 6]);
	assert_int_equal(counters().shm.tx_packets, 300);
	assert_int_equal(counters().port.tx_datagrams, 0);
}

/* All are sent before any is received. */
static void worker_datagram_without_room_uses_network(void **state)
{
	uint64_t through_memory, over_the_network;

	meet(&self);
	uroce_worker_lock(side.worker);
	for (int i = 0; i < SIDE_DEPTH; i++)
		side_fill_datagram(&side, &self, side.memory, 4096);
	uroce_engine_kick(uroce_worker_engine(side.worker), side.qp);
	uroce_engine_flush_deferred(uroce_worker_engine(side.worker));
	uroce_worker_unlock(side.worker);
	through_memory = counters().shm.tx_packets;
	over_the_network = counters().port.tx_datagrams;
	assert_int_equal(through_memory + over_the_network, SIDE_DEPTH);
	assert_true(through_memory > 50);
	assert_true(over_the_network > 50);
}

static void worker_datagram_missing_peer_is_retried_rarely(void **state)
{
	struct side_address absent = self;
	uint64_t start_ns = uroce_worker_now();
	bool met;

	absent.qpn += NEXT_SLOT;
	meet(&absent);
	met = uroce_worker_has_ud_peer(side.worker, absent.qpn);
	assert_true(met || uroce_worker_now() >= start_ns + 10000000);
	/* retried after a while */
	while (uroce_worker_has_ud_peer(side.worker, absent.qpn))
		(void)sched_yield();
	assert_true(uroce_worker_now() >= start_ns + 10000000);
	/* a multicast group has no process */
	assert_true(uroce_worker_has_ud_peer(side.worker, UROCE_QPN_MULTICAST));
	side_send_datagram(&side, &absent, side.memory, 8);
	assert_int_equal(counters().shm.tx_packets, 0);
}

static void worker_foreign_address_is_not_local(void **state)
{
	static const uint8_t other[UROCE_GID_LEN] = { [10] = 0xff, 0xff, 192,
						      0,	   2,	 1 };
	static const uint8_t group[UROCE_GID_LEN] = { [10] = 0xff, 0xff, 224,
						      0,	   0,	 9 };
	static const uint8_t group6[UROCE_GID_LEN] = { 0xff, 0x02, [15] = 9 };

	assert_false(uroce_instance_is_here(side.instance, other));
	assert_false(uroce_instance_is_here(side.instance, group));
	assert_false(uroce_instance_is_here(side.instance, group6));
}

/* Data that another process may write into the ring. */
static void worker_malformed_local_datagram_is_dropped(void **state)
{
	struct uroce_worker *worker = side.worker;
	struct {
		struct uroce_datagram_path path;
		uint8_t data[UROCE_MAX_MTU + 1];
	} bytes = { .path = { .flow_label = 0xffffffff, .tclass = 3 } };
	struct uroce_packet packet = { .payload = (uint8_t *)&bytes };
	struct uroce_packet from = { .path = &(struct uroce_path){} };
	struct uroce_path path = path_to(&self);

	uroce_worker_lock(side.worker);
	packet.payload_len = sizeof(bytes.path) - 1;
	assert_false(uroce_worker_unpack_datagram(worker, &packet, &path));
	packet.payload_len = sizeof(bytes.path) + UROCE_MAX_MTU + 1;
	assert_false(uroce_worker_unpack_datagram(worker, &packet, &path));
	packet.payload_len = sizeof(bytes.path) + 5;
	assert_false(uroce_worker_unpack_datagram(worker, &packet, &path));
	memcpy(bytes.path.dgid, self.gid, UROCE_GID_LEN);
	packet.dest_qpn = UROCE_QPN_MULTICAST;
	assert_false(uroce_worker_unpack_datagram(worker, &packet, &path));
	packet.dest_qpn = self.qpn;
	assert_true(uroce_worker_unpack_datagram(worker, &packet, &path));
	assert_int_equal(packet.payload_len, 5);
	assert_ptr_equal(packet.payload, bytes.data);
	assert_int_equal(path.flow_label, UROCE_FLOW_LABEL_MASK);
	assert_int_equal(path.tclass, 3);
	assert_false(path.here);
	/* no channel to an unconnected process */
	assert_null(uroce_worker_datagram_way(worker, &from));
	uroce_worker_unlock(side.worker);
}

/* ------------------------------------------------------------------------ */
/* With another process                                                      */
/* ------------------------------------------------------------------------ */

static void hand_over(int fd, struct side_address *address)
{
	assert_int_equal(send(fd, address, sizeof(*address), MSG_NOSIGNAL),
			 sizeof(*address));
}

static void take_over(int fd, struct side_address *address)
{
	assert_int_equal(recv(fd, address, sizeof(*address), MSG_WAITALL),
			 sizeof(*address));
}

/* Sends every datagram back, until it is killed. */
static __attribute__((noreturn)) void be_echo(int fd)
{
	struct side_address peer;

	open_side();
	hand_over(fd, &self);
	take_over(fd, &peer);
	meet(&peer);
	for (int i = 0; i < SIDE_DEPTH; i++)
		side_receive(&side, GRH + 64);
	hand_over(fd, &self); /* ready */
	for (;;) {
		struct uroce_cqe cqe = next_receive();

		side_receive(&side, GRH + 64);
		side_send_datagram(&side, &peer, side.memory + GRH,
				   cqe.byte_len - GRH);
	}
}

static pid_t start_echo(int *ret_fd, struct side_address *ret_peer)
{
	int pair[2];
	pid_t pid;

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (dup2(pair[1], 3) == 3)
			(void)execl("/proc/self/exe", "echo", (char *)NULL);
		_exit(127);
	}
	(void)close(pair[1]);
	take_over(pair[0], ret_peer);
	hand_over(pair[0], &self);
	take_over(pair[0], ret_peer);
	*ret_fd = pair[0];
	return pid;
}

static void kill_echo(pid_t pid, int fd)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	(void)close(fd);
}

static void exchange(const struct side_address *peer, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		memset(side.memory + 1000, i, 64);
		side_receive(&side, GRH + 64);
		side_send_datagram(&side, peer, side.memory + 1000, 64);
		assert_int_equal(next_receive().src_qpn, peer->qpn);
		assert_memory_equal(side.memory + GRH, side.memory + 1000, 64);
	}
}

/* A new process has the slot and needs a new connection. */
static void worker_datagram_to_restarted_peer_reconnects(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct side_address peer;
		int fd;
		pid_t pid = start_echo(&fd, &peer);
		uint64_t before = counters().shm.tx_packets;

		assert_false(uroce_worker_has_ud_peer(side.worker, peer.qpn));
		meet(&peer);
		exchange(&peer, 100);
		assert_int_equal(counters().shm.tx_packets - before, 100);
		assert_int_equal(counters().shm.pairs, 1);
		kill_echo(pid, fd);
		while (uroce_worker_has_ud_peer(side.worker, peer.qpn))
			uroce_worker_poll(side.worker);
		assert_int_equal(counters().shm.pairs_lost, i + 1);
		/* reaches no process */
		side_send_datagram(&side, &peer, side.memory, 8);
	}
	assert_int_equal(counters().port.tx_datagrams, 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			worker_datagram_to_unknown_peer_uses_network, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			worker_datagram_to_connected_peer_uses_shm, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			worker_datagram_without_room_uses_network, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			worker_datagram_missing_peer_is_retried_rarely, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			worker_foreign_address_is_not_local, setup, teardown),
		cmocka_unit_test_setup_teardown(
			worker_malformed_local_datagram_is_dropped, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			worker_datagram_to_restarted_peer_reconnects, setup,
			teardown),
	};

	if (strcmp(argv[0], "echo") == 0)
		be_echo(3);
	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
