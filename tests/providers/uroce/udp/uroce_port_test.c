/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets in batches, with and without GSO, over IPv4 and IPv6. */
#include "uroce/udp/uroce_port.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce_members.h"
#include "uroce_netns.h"
#include "uroce_port_pair.h"

/* With and without the header fields that only the GRH of datagrams needs. */
static void assert_packets(struct port_pair *pair, const char *from,
			   const char *to)
{
	struct uroce_path path = path_between(from, to);

	for (uint32_t i = 0; i < 3; i++) {
		const struct uroce_path *got = &pair->seen.paths[i];
		bool reported = i == 1;

		uroce_port_report_header(pair->port[1], reported);
		put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 3,
		    101);
		flush(pair);
		assert_int_equal(pair->seen.nr, i + 1);
		assert_int_equal(pair->seen.packets[i].payload_len, 101);
		assert_int_equal(pair->seen.packets[i].psn, 3);
		assert_memory_equal(got->sgid, path.sgid, UROCE_GID_LEN);
		assert_memory_equal(got->dgid, path.dgid, UROCE_GID_LEN);
		assert_int_equal(got->sport, path.sport);
		assert_int_equal(got->hop_limit, reported ? 17 : 0);
		assert_int_equal(got->tclass, reported ? 0x28 : 0);
		assert_int_equal(pair->seen.ip_id[i], 0);
		assert_false(pair->seen.packets[i].fecn);
	}
}

static void port_sends_packets_over_ipv4(void **state)
{
	assert_packets(*state, "127.0.0.1", "127.0.0.1");
}

static void port_sends_packets_over_ipv6(void **state)
{
	assert_packets(*state, "::1", "::1");
}

static void port_slot_and_source_port_are_distinct(void **state)
{
	struct port_pair *pair = *state;
	uint16_t sport = uroce_port_sport(pair->port[0], 7);

	assert_int_equal(uroce_port_slot(pair->port[0]), 0);
	assert_int_equal(uroce_port_slot(pair->port[1]), 1);
	assert_true(sport >= 0xc000);
	/* one host, two slots: packets must not be merged */
	assert_int_not_equal(sport, uroce_port_sport(pair->port[0], 0x10007));
	assert_int_not_equal(sport, uroce_port_sport(pair->port[1], 7));
	assert_int_equal(sport, uroce_port_sport(pair->port[0], 8));
}

static void port_room_equals_socket_buffer(void **state)
{
	struct port_pair *pair = *state;
	int bytes = 0;
	socklen_t len = sizeof(bytes);

	assert_int_equal(getsockopt(uroce_port_fd(pair->port[0]), SOL_SOCKET,
				    SO_RCVBUF, &bytes, &len),
			 0);
	assert_true(bytes > 0);
	assert_int_equal(uroce_port_room_bytes(pair->port[0]), bytes);
}

static void port_long_message_needs_single_call(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	put_message(pair, &path, 60, 1024, 17);
	assert_int_equal(counters(pair, 0).tx_calls, 1);
	assert_int_equal(counters(pair, 0).tx_datagrams, 60);
	/* one buffer at a receiver with GRO, too, as the ids show */
	for (uint32_t i = 0; i < 60; i++)
		assert_int_equal(pair->seen.ip_id[i], i);
	assert_int_equal(counters(pair, 1).rx_datagrams, 60);
	assert_int_equal(counters(pair, 1).rx_calls, 1);
}

/* The receiver can process a batch while the rest is built. */
static void port_full_batch_is_sent_at_once(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");
	uint32_t qpn = qpn_of(pair->port[1], 5);

	/* 64 packets, or as many as fit into a datagram */
	for (uint32_t i = 0; i < 64; i++) {
		assert_int_equal(counters(pair, 0).tx_calls, 0);
		put(pair, &path, qpn, UROCE_SEND_MIDDLE, i, 256);
	}
	assert_int_equal(counters(pair, 0).tx_calls, 1);
	for (uint32_t i = 0; i < 15; i++) {
		assert_int_equal(counters(pair, 0).tx_calls, 1);
		put(pair, &path, qpn, UROCE_SEND_MIDDLE, 64 + i, 4096);
	}
	assert_int_equal(counters(pair, 0).tx_calls, 2);
	flush(pair);
	assert_int_equal(counters(pair, 0).tx_calls, 2);
	assert_int_equal(pair->seen.nr, 64 + 15);
}

/* Receives one message, then two, ...; and one again after a pause. */
static void port_receive_batch_grows_with_load(void **state)
{
	static const uint32_t seen[] = { 1, 3, 7, 15, 16 };
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	for (int again = 0; again < 2; again++) {
		pair->seen.nr = 0;
		/* to many QPs, so that packets cannot share a message */
		for (uint32_t i = 0; i < 16; i++)
			put(pair, &path, qpn_of(pair->port[1], i),
			    UROCE_SEND_ONLY, i, 64);
		uroce_port_flush(pair->port[0]);
		for (int i = 0; i < 5; i++) {
			bool more = uroce_port_receive(pair->port[1], on_packet,
						       &pair->seen);

			assert_int_equal(pair->seen.nr, seen[i]);
			assert_int_equal(more, i < 4);
		}
		assert_false(uroce_port_receive(pair->port[1], on_packet,
						&pair->seen));
	}
}

static void port_message_is_split_at_gso_limits(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("::1", "::1");

	/* 64 packets of 256 bytes, then 15 of 4096 bytes in each call */
	put_message(pair, &path, 500, 256, 256);
	pair->seen.nr = 0;
	put_message(pair, &path, 40, 4096, 1);
	assert_int_equal(counters(pair, 0).tx_failed, 0);
}

/* Equal to single packets, in at most as many calls. */
static void port_run_equals_single_packets(void **state)
{
	static const uint32_t mtus[] = { 64, 256, 1024, 4096 };
	struct port_pair *pair = *state;

	for (size_t i = 0; i < 8; i++) {
		const char *address = i % 2 ? "::1" : "127.0.0.1";
		struct uroce_path path = path_between(address, address);
		uint32_t qpn = qpn_of(pair->port[1], 5);
		uint32_t mtu = mtus[i / 2], nr = 400 * 1024 / 4096;
		uint64_t sent = counters(pair, 0).tx_datagrams;
		uint64_t calls = counters(pair, 0).tx_calls;

		put_run(pair, &path, qpn, nr, mtu);
		flush(pair);
		assert_int_equal(counters(pair, 0).tx_datagrams - sent, nr + 1);
		calls = counters(pair, 0).tx_calls - calls;
		assert_int_equal(pair->seen.nr, nr + 1);
		for (uint32_t k = 0; k <= nr; k++) {
			assert_int_equal(pair->seen.packets[k].psn, k);
			assert_int_equal(pair->seen.packets[k].payload_len,
					 mtu);
			assert_int_equal(pair->seen.packets[k].opcode,
					 k ? UROCE_SEND_MIDDLE
					   : UROCE_SEND_FIRST);
		}
		assert_int_equal(calls,
				 mtu == 4096 ? (nr + 15) / 15 : (nr + 64) / 64);
	}
	assert_int_equal(counters(pair, 0).tx_failed, 0);
}

static void port_real_mtus_are_segmented_by_kernel(void **state)
{
	static const int mtus[] = { 1500, 4300, 9000 };
	struct port_pair *pair = *state;
	struct uroce_path ipv4 = path_between("127.0.0.1", "127.0.0.1");
	struct uroce_path ipv6 = path_between("::1", "::1");

	if (!uroce_netns_entered()) {
		print_message("skipped: needs a network namespace\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(mtus) / sizeof(mtus[0]); i++) {
		uint32_t mtu = uroce_netdev_payload((uint32_t)mtus[i]);

		uroce_netns_set_mtu("lo", mtus[i]);
		pair->seen.nr = 0;
		put_message(pair, &ipv4, 40, mtu, 333);
		pair->seen.nr = 0;
		put_message(pair, &ipv6, 40, mtu, mtu);
	}
	assert_int_equal(counters(pair, 0).tx_failed, 0);

	/* larger than the path MTU: lost, and counted */
	uroce_netns_set_mtu("lo", 1500);
	pair->seen.nr = 0;
	put(pair, &ipv4, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 0, 4096);
	flush(pair);
	assert_int_equal(pair->seen.nr, 0);
	assert_int_equal(counters(pair, 0).tx_failed, 1);
	assert_ptr_equal(uroce_port_take_refused(pair->port[0]), pair);
	assert_null(uroce_port_take_refused(pair->port[0]));

	/* likewise in one call, which does not disable GSO */
	for (uint32_t psn = 0; psn < 3; psn++)
		put(pair, &ipv4, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, psn,
		    psn < 2 ? 4096 : 100);
	flush(pair);
	assert_int_equal(pair->seen.nr, 1);
	assert_int_equal(counters(pair, 0).tx_failed, 3);
	assert_ptr_equal(uroce_port_take_refused(pair->port[0]), pair);
	assert_null(uroce_port_take_refused(pair->port[0]));
	pair->seen.nr = 0;
	put_message(pair, &ipv4, 5, 1024, 1024);
	assert_int_equal(pair->seen.ip_id[4], 4);
}

/* A message contains packets of one QP and one length only. */
static void port_batch_separates_qps_and_lengths(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path ipv4 = path_between("127.0.0.1", "127.0.0.1");
	struct uroce_path other = ipv4;
	struct uroce_path ipv6 = path_between("::1", "::1");
	uint32_t psn = 0;

	other.tclass = 0x40;
	for (uint32_t i = 0; i < 90; i++) {
		uint32_t qpn = qpn_of(pair->port[1], 5 + i % 3);
		struct uroce_path *path = i % 7 == 0   ? &ipv6
					  : i % 5 == 0 ? &other
						       : &ipv4;

		put(pair, path, qpn, UROCE_SEND_ONLY, psn++, 1 + i * 11 % 300);
		put(pair, path, qpn, UROCE_SEND_ONLY, psn++, 1 + i * 11 % 300);
	}
	flush(pair);
	assert_int_equal(pair->seen.nr, 180);
	for (uint32_t i = 0; i < 180; i++) {
		const struct uroce_packet *packet = &pair->seen.packets[i];

		assert_int_equal(packet->psn, i);
		assert_int_equal(packet->payload_len, 1 + i / 2 * 11 % 300);
		assert_int_equal(packet->dest_qpn,
				 qpn_of(pair->port[1], 5 + i / 2 % 3));
	}
}

/* Equal source ports and lengths, but different slots: separate messages. */
static void port_batch_separates_slots(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");
	struct uroce_packet packet = {
		.path = &path,
		.opcode = UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
	};

	path.sport = uroce_port_sport(pair->port[0], 0);
	for (uint32_t i = 0; i < 10; i++) {
		packet.dest_qpn = qpn_of(pair->port[i % 2], 5);
		uroce_port_put(pair->port[0], &packet, NULL, 0, NULL);
	}
	flush(pair);
	assert_int_equal(pair->seen.nr, 5);
	receive(pair, 0);
	assert_int_equal(pair->seen.nr, 10);
	assert_int_equal(counters(pair, 0).rx_foreign, 0);
	assert_int_equal(counters(pair, 1).rx_foreign, 0);
}

static void port_missing_route_loses_packets(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path good = path_between("127.0.0.1", "127.0.0.1");
	/* documentation addresses (RFC 5737), and a foreign source */
	struct uroce_path bad = path_between("192.0.2.1", "192.0.2.2");
	uint32_t qpn = qpn_of(pair->port[1], 5);

	for (uint32_t psn = 0; psn < 10; psn++)
		put(pair, &bad, qpn, UROCE_SEND_ONLY, psn, 8);
	put(pair, &good, qpn, UROCE_SEND_ONLY, 10, 8);
	flush(pair);
	assert_int_equal(pair->seen.nr, 1);
	assert_int_equal(pair->seen.packets[0].psn, 10);
	assert_int_equal(counters(pair, 0).tx_failed, 10);
	/* GSO stays enabled */
	pair->seen.nr = 0;
	put_message(pair, &good, 5, 1024, 1024);
	assert_int_equal(pair->seen.ip_id[4], 4);
}

static void port_ecn_mark_is_reported(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("::1", "::1");

	uroce_port_report_header(pair->port[1], true);
	path.tclass = 3; /* RFC 3168: congestion experienced */
	put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 1, 8);
	flush(pair);
	assert_int_equal(pair->seen.nr, 1);
	assert_true(pair->seen.packets[0].fecn);
}

static unsigned int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	assert_int_equal(closedir(dir), 0);
	return nr;
}

static void assert_sent_from(struct port_pair *pair, struct uroce_path *path,
			     uint8_t hop_limit)
{
	path->hop_limit = hop_limit;
	pair->seen.nr = 0;
	uroce_port_report_header(pair->port[1], true);
	put(pair, path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 3, 500);
	flush(pair);
	assert_int_equal(pair->seen.nr, 1);
	assert_memory_equal(pair->seen.paths[0].sgid, path->sgid,
			    UROCE_GID_LEN);
	assert_int_equal(pair->seen.paths[0].sport, path->sport);
	assert_int_equal(pair->seen.paths[0].hop_limit, hop_limit);
	assert_int_equal(pair->seen.ip_id[0], 0);
}

/*
 * A socket is bound to each own address; another address is passed explicitly.
 */
static void port_source_address_matches_path(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.9", "127.0.0.1");
	unsigned int before = count_descriptors();

	assert_sent_from(pair, &path, 64);
	assert_int_equal(uroce_port_add_address(pair->port[0], path.sgid, 1),
			 0);
	assert_sent_from(pair, &path, 64);
	assert_sent_from(pair, &path, 63);
	assert_int_equal(count_descriptors(), before + 1);
	uroce_port_remove_address(pair->port[0], path.sgid, 1);
	assert_int_equal(count_descriptors(), before);
	assert_sent_from(pair, &path, 64);
	assert_sent_from(pair, &path, 1);
}

/* The socket of an address is closed with the address. */
static void port_address_can_be_removed_and_added(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");

	for (int again = 0; again < 3; again++) {
		put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 0,
		    64);
		flush(pair);
		assert_int_equal(pair->seen.nr, again + 1);
		uroce_port_remove_address(pair->port[0], path.sgid,
					  pair->dev.ifindex);
		assert_int_equal(uroce_port_add_address(pair->port[0],
							path.sgid,
							pair->dev.ifindex),
				 0);
	}
	assert_int_equal(counters(pair, 0).tx_failed, 0);
}

#define TEST(name)                                             \
	cmocka_unit_test_setup_teardown(name, port_pair_setup, \
					port_pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(port_sends_packets_over_ipv4),
		TEST(port_sends_packets_over_ipv6),
		TEST(port_slot_and_source_port_are_distinct),
		TEST(port_room_equals_socket_buffer),
		TEST(port_long_message_needs_single_call),
		TEST(port_full_batch_is_sent_at_once),
		TEST(port_receive_batch_grows_with_load),
		TEST(port_message_is_split_at_gso_limits),
		TEST(port_run_equals_single_packets),
		TEST(port_real_mtus_are_segmented_by_kernel),
		TEST(port_batch_separates_qps_and_lengths),
		TEST(port_batch_separates_slots),
		TEST(port_missing_route_loses_packets),
		TEST(port_ecn_mark_is_reported),
		TEST(port_source_address_matches_path),
		TEST(port_address_can_be_removed_and_added),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, uroce_members_start,
				      uroce_members_stop);
}
