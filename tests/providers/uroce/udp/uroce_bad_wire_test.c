/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of UROCE_WIRE_FAULTS, on the port that sends. Packets have their
 * position as PSN.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "uroce/wire/uroce_icrc.h"
#include "uroce_members.h"
#include "uroce_netns.h"
#include "uroce_port_pair.h"

#define LEN 200

/* Calls of sendmsg() that a signal interrupts */
static atomic_uint nr_interrupts;

static struct port_pair *pair;
static struct uroce_path path;

ssize_t __real_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (nr_interrupts) {
		nr_interrupts--;
		errno = EINTR;
		return -1;
	}
	return __real_nocancel_sendmsg(fd, msg, flags);
}

static void wire_start(const char *settings)
{
	void *state;

	assert_int_equal(setenv("UROCE_WIRE_FAULTS", settings, 1), 0);
	assert_int_equal(port_pair_setup(&state), 0);
	pair = state;
	path = path_between("127.0.0.1", "127.0.0.1");
}

static void wire_stop(void)
{
	void *state = pair;

	assert_int_equal(port_pair_teardown(&state), 0);
}

static uint32_t peer(uint32_t index)
{
	return qpn_of(pair->port[1], index);
}

static void put_packets(uint32_t qpn, uint32_t nr)
{
	for (uint32_t psn = 1; psn <= nr; psn++)
		put(pair, &path, qpn, UROCE_SEND_ONLY, psn, LEN);
}

/* Checks the PSNs that have arrived; the list ends with 0. */
static void assert_seen(const uint32_t *psns)
{
	uint32_t nr = 0;

	for (; psns[nr]; nr++) {
		assert_true(nr < pair->seen.nr);
		assert_int_equal(pair->seen.packets[nr].psn, psns[nr]);
	}
	assert_int_equal(pair->seen.nr, nr);
}

#define assert_seen_psns(...) assert_seen((const uint32_t[]){ __VA_ARGS__, 0 })

/* Waits until @nr packets have arrived. */
static void receive_until(uint32_t nr)
{
	struct pollfd wait = { .fd = uroce_port_fd(pair->port[1]),
			       .events = POLLIN };

	while (pair->seen.nr < nr) {
		assert_int_equal(poll(&wait, 1, 10000), 1);
		receive(pair, 1);
	}
}

static void wire_drop_loses_packets(void **state)
{
	wire_start("drop @ every=3");
	put_packets(peer(5), 7);
	flush(pair);
	assert_seen_psns(1, 2, 4, 5, 7);
	wire_stop();
}

static void wire_dup_sends_packet_twice(void **state)
{
	wire_start("dup @ nth=2; drop @ nth=3");
	put_packets(peer(5), 4);
	flush(pair);
	/* the first rule acts on the second packet alone */
	assert_seen_psns(1, 2, 2, 3);
	wire_stop();
}

static void wire_signals_lose_no_packet(void **state)
{
	wire_start("drop @ nth=1");
	put_packets(peer(5), 1);
	uroce_port_flush(pair->port[0]);
	nr_interrupts = 100;
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 2, LEN);
	flush(pair);
	assert_int_equal(nr_interrupts, 0);
	assert_seen_psns(2);
	wire_stop();
}

static void on_damaged(void *arg, struct uroce_packet *packet)
{
	uint32_t *nr_damaged = arg;

	*nr_damaged += packet->icrc_check->finish(packet->icrc_check) != 0;
}

static void wire_corrupt_breaks_icrc(void **state)
{
	uint32_t nr_damaged = 0;

	wire_start("corrupt @ p=100%,limit=20");
	put_packets(peer(5), 30);
	uroce_port_flush(pair->port[0]);
	while (uroce_port_receive(pair->port[1], on_damaged, &nr_damaged))
		;
	nr_damaged += (uint32_t)counters(pair, 1).rx_bad;
	assert_int_equal(nr_damaged, 20);
	wire_stop();
}

static void wire_reorder_lets_packets_overtake(void **state)
{
	wire_start("reorder=2 @ nth=1");
	put_packets(peer(5), 5);
	flush(pair);
	assert_seen_psns(2, 3, 1, 4, 5);
	wire_stop();
}

static void wire_reorder_of_last_packet_arrives(void **state)
{
	wire_start("reorder=2 @ nth=3");
	put_packets(peer(5), 3);
	uroce_port_flush(pair->port[0]);
	receive_until(3);
	assert_seen_psns(1, 2, 3);
	wire_stop();
}

static void wire_delay_sends_packet_later(void **state)
{
	wire_start("delay=5ms..10ms @ nth=2");
	put_packets(peer(5), 3);
	uroce_port_flush(pair->port[0]);
	receive_until(3);
	assert_seen_psns(1, 3, 2);
	wire_stop();
}

static void wire_delayed_packet_is_lost_at_end(void **state)
{
	wire_start("delay=1000s @ nth=1");
	put_packets(peer(5), 1);
	flush(pair);
	assert_int_equal(pair->seen.nr, 0);
	wire_stop();
}

static void wire_time_selects_packets(void **state)
{
	wire_start("drop @ before=1000s,bytes=1-100;"
		   "drop @ after=1000s; dup @ bytes=200-300,nth=1");
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 1, 20);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 2, LEN);
	flush(pair);
	assert_seen_psns(2, 2);
	wire_stop();
}

static void wire_qpn_selects_flow_and_flows_count_alone(void **state)
{
	char settings[100];

	wire_start("drop @ nth=2");
	for (uint32_t psn = 1; psn <= 3; psn++) {
		put(pair, &path, peer(5), UROCE_SEND_ONLY, psn, LEN);
		put(pair, &path, peer(6), UROCE_SEND_ONLY, psn + 10, LEN);
	}
	flush(pair);
	assert_seen_psns(1, 11, 3, 13);
	(void)snprintf(settings, sizeof(settings), "drop @ qpn=%u", peer(6));
	wire_stop();
	wire_start(settings);
	put_packets(peer(5), 2);
	put_packets(peer(6), 2);
	flush(pair);
	assert_seen_psns(1, 2);
	wire_stop();
}

static uint32_t lose_some(const char *settings, uint32_t *psns)
{
	uint32_t nr;

	wire_start(settings);
	put_packets(peer(5), 300);
	flush(pair);
	nr = pair->seen.nr;
	for (uint32_t i = 0; i < nr; i++)
		psns[i] = pair->seen.packets[i].psn;
	wire_stop();
	return nr;
}

static void wire_seed_repeats_faults(void **state)
{
	uint32_t first[300] = {}, again[300] = {}, other[300] = {};
	uint32_t nr = lose_some("seed=7; drop @ p=20%", first);

	assert_in_range(nr, 180, 290);
	assert_int_equal(lose_some("seed=7; drop @ p=20%", again), nr);
	assert_memory_equal(first, again, sizeof(first));
	(void)lose_some("seed=8; drop @ p=20%", other);
	assert_memory_not_equal(first, other, sizeof(first));
}

/* The kernel would split it; with rules, each packet is a datagram. */
static void wire_packets_of_long_message_have_faults(void **state)
{
	wire_start("drop @ nth=3");
	put_run(pair, &path, peer(5), 6, 1024);
	uroce_port_flush(pair->port[0]);
	receive(pair, 1);
	assert_int_equal(pair->seen.nr, 6);
	assert_int_equal(pair->seen.packets[1].psn, 1);
	assert_int_equal(pair->seen.packets[2].psn, 3);
	wire_stop();
}

static void wire_mistake_leaves_packets_alone(void **state)
{
	static const char *const mistakes[] = {
		"drop",
		"drop @",
		"drop=1 @ nth=1",
		"lose @ nth=1",
		"drop @ nth=0",
		"drop @ nth=1,nth=2",
		"drop @ op=SEND",
		"drop @ after=2s,before=1s",
		"delay @ nth=1",
		"delay=2ms..1ms @ nth=1",
		"reorder=0 @ nth=1",
		"seed=x",
		"drop @ qpn=0",
		"drop @ bytes=2-1",
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		wire_start(mistakes[i]);
		put_packets(peer(5), 2);
		flush(pair);
		assert_seen_psns(1, 2);
		wire_stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_drop_loses_packets),
		cmocka_unit_test(wire_dup_sends_packet_twice),
		cmocka_unit_test(wire_signals_lose_no_packet),
		cmocka_unit_test(wire_corrupt_breaks_icrc),
		cmocka_unit_test(wire_reorder_lets_packets_overtake),
		cmocka_unit_test(wire_reorder_of_last_packet_arrives),
		cmocka_unit_test(wire_delay_sends_packet_later),
		cmocka_unit_test(wire_delayed_packet_is_lost_at_end),
		cmocka_unit_test(wire_time_selects_packets),
		cmocka_unit_test(wire_qpn_selects_flow_and_flows_count_alone),
		cmocka_unit_test(wire_seed_repeats_faults),
		cmocka_unit_test(wire_packets_of_long_message_have_faults),
		cmocka_unit_test(wire_mistake_leaves_packets_alone),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, uroce_members_start,
				      uroce_members_stop);
}
