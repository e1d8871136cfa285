/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Received packets that need special treatment: malformed packets, other slots,
 * multicast groups.
 */
#include "uroce/udp/uroce_port.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"
#include "uroce_members.h"
#include "uroce_netns.h"
#include "uroce_port_pair.h"

static void port_packet_to_foreign_address_is_dropped(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.5");

	put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 1, 8);
	flush(pair);
	assert_int_equal(pair->seen.nr, 0);
	assert_int_equal(counters(pair, 1).rx_bad, 1);

	assert_int_equal(uroce_port_add_address(pair->port[1], path.dgid, 1),
			 0);
	assert_int_equal(uroce_port_add_address(pair->port[1], path.dgid, 1),
			 0);
	uroce_port_remove_address(pair->port[1], path.dgid, 1);
	put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 1, 8);
	flush(pair);
	assert_int_equal(pair->seen.nr, 1);
	uroce_port_remove_address(pair->port[1], path.dgid, 1);
	put(pair, &path, qpn_of(pair->port[1], 5), UROCE_SEND_ONLY, 1, 8);
	flush(pair);
	assert_int_equal(pair->seen.nr, 1);
}

static void port_malformed_packet_is_dropped(void **state)
{
	static const size_t lens[] = { 1, 7, 15, 16, 100, 5000 };
	struct port_pair *pair = *state;
	struct sockaddr_in6 to = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(UROCE_UDP_PORT),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	/* an undefined opcode, for slot 1 */
	uint8_t junk[5000] = { [0] = 0xff, [5] = 1 };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	for (size_t i = 2; i < sizeof(lens) / sizeof(lens[0]); i++)
		assert_int_equal(sendto(fd, junk, lens[i], 0,
					(struct sockaddr *)&to, sizeof(to)),
				 lens[i]);
	receive(pair, 1);
	assert_int_equal(pair->seen.nr, 0);
	assert_int_equal(counters(pair, 1).rx_bad, 4);
	/* too short for a QPN: delivered to slot 0 */
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sendto(fd, junk, lens[i], 0,
					(struct sockaddr *)&to, sizeof(to)),
				 lens[i]);
	receive(pair, 0);
	assert_int_equal(counters(pair, 0).rx_bad, 2);
	(void)close(fd);
}

/* Builds the bytes of a packet without payload. */
static size_t build(const struct uroce_path *path, uint32_t qpn, uint16_t ip_id,
		    uint8_t *bytes)
{
	struct uroce_packet packet = {
		.path = path,
		.opcode = UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = qpn,
		.psn = ip_id,
	};
	int len = uroce_wire_encode(&packet, bytes);

	assert_true(len > 0);
	uroce_icrc_end(uroce_icrc_start(path, ip_id, bytes, (uint32_t)len, 0),
		       bytes + len);
	return (size_t)len + UROCE_ICRC_LEN;
}

/*
 * rdma_rxe and hardware send no checksum; Linux drops such packets by default.
 */
static void port_packet_without_udp_checksum_is_received(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("::1", "::1");
	struct sockaddr_in6 from = { .sin6_family = AF_INET6 };
	struct sockaddr_in6 to = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(UROCE_UDP_PORT),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	socklen_t from_len = sizeof(from);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint8_t bytes[UROCE_BTH_LEN + UROCE_ICRC_LEN];
	int on = 1;

	assert_int_equal(
		setsockopt(fd, IPPROTO_UDP, UDP_NO_CHECK6_TX, &on, sizeof(on)),
		0);
	assert_int_equal(bind(fd, (struct sockaddr *)&from, from_len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&from, &from_len),
			 0);
	path.sport = ntohs(from.sin6_port);
	assert_int_equal(build(&path, qpn_of(pair->port[1], 5), 0, bytes),
			 sizeof(bytes));
	assert_int_equal(sendto(fd, bytes, sizeof(bytes), 0,
				(struct sockaddr *)&to, sizeof(to)),
			 sizeof(bytes));
	(void)close(fd);
	receive(pair, 1);
	assert_int_equal(pair->seen.nr, 1);
}

/* Sends two packets in a message, as merged by GRO. */
static void send_merged(struct uroce_path *path, uint32_t first_qpn,
			uint32_t second_qpn)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(UROCE_UDP_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t from_len = sizeof(from);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint8_t bytes[2 * (UROCE_BTH_LEN + UROCE_ICRC_LEN)];
	int segment = sizeof(bytes) / 2;

	assert_int_equal(bind(fd, (struct sockaddr *)&from, from_len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&from, &from_len),
			 0);
	path->sport = ntohs(from.sin_port);
	assert_int_equal(build(path, first_qpn, 0, bytes), segment);
	assert_int_equal(build(path, second_qpn, 1, bytes + segment), segment);
	assert_int_equal(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment,
				    sizeof(segment)),
			 0);
	assert_int_equal(sendto(fd, bytes, sizeof(bytes), 0,
				(struct sockaddr *)&to, sizeof(to)),
			 sizeof(bytes));
	(void)close(fd);
}

static void port_merged_packet_of_second_slot_is_forwarded(void **state)
{
	struct port_pair *pair = *state;
	struct uroce_path path = path_between("127.0.0.1", "127.0.0.1");
	struct pollfd inbox = {
		.fd = uroce_port_inbox_fd(pair->port[1]),
		.events = POLLIN,
	};

	send_merged(&path, qpn_of(pair->port[0], 5), qpn_of(pair->port[1], 6));
	assert_int_equal(poll(&inbox, 1, 0), 0);
	receive(pair, 0);
	assert_int_equal(pair->seen.nr, 1);
	assert_int_equal(pair->seen.packets[0].dest_qpn,
			 qpn_of(pair->port[0], 5));
	assert_int_equal(counters(pair, 0).rx_foreign, 1);

	assert_int_equal(poll(&inbox, 1, 0), 1);
	uroce_port_receive_inbox(pair->port[1], on_packet, &pair->seen);
	assert_int_equal(pair->seen.nr, 2);
	assert_int_equal(pair->seen.packets[1].dest_qpn,
			 qpn_of(pair->port[1], 6));
	assert_int_equal(pair->seen.ip_id[1], 1);
	assert_memory_equal(pair->seen.paths[1].sgid, path.sgid, UROCE_GID_LEN);
	assert_int_equal(pair->seen.paths[1].sport, path.sport);
	assert_int_equal(poll(&inbox, 1, 0), 0);

	/* slot 66 has no member */
	send_merged(&path, qpn_of(pair->port[0], 5), 66 << 16 | 6);
	receive(pair, 0);
	assert_int_equal(counters(pair, 0).rx_foreign, 2);
	assert_int_equal(pair->seen.nr, 3);
}

/* Return: whether a packet to the group reaches port 1. */
static bool comes_to_group(struct port_pair *pair, struct uroce_path *path)
{
	pair->seen.nr = 0;
	put(pair, path, UROCE_QPN_MULTICAST, UROCE_SEND_ONLY, 1, 8);
	flush(pair);
	if (!pair->seen.nr)
		return false;
	assert_int_equal(pair->seen.nr, 1);
	assert_memory_equal(pair->seen.paths[0].dgid, path->dgid,
			    UROCE_GID_LEN);
	return true;
}

static void join_and_leave(struct port_pair *pair, const char *ifname,
			   const char *from, const char *group)
{
	struct uroce_path path = path_between(from, group);
	unsigned int ifindex = if_nametoindex(ifname);
	struct uroce_port *port = pair->port[1];

	assert_int_equal(
		uroce_port_add_address(pair->port[0], path.sgid, ifindex), 0);
	assert_false(comes_to_group(pair, &path));
	assert_int_equal(uroce_port_join(port, path.dgid, ifindex, true), 0);
	/* a group that the previous owner of the slot did not leave */
	assert_int_equal(uroce_port_join(port, path.dgid, ifindex, true), 0);
	assert_true(comes_to_group(pair, &path));
	assert_int_equal(uroce_port_join(port, path.dgid, ifindex, false), 0);
	assert_false(comes_to_group(pair, &path));
	assert_int_equal(uroce_port_join(port, path.sgid, ifindex, true),
			 -EINVAL);
	uroce_port_remove_address(pair->port[0], path.sgid, ifindex);
}

static void port_multicast_group_is_joined_and_left(void **state)
{
	struct port_pair *pair = *state;

	if (!uroce_netns_entered()) {
		print_message("skipped: needs a network namespace\n");
		skip();
	}
	join_and_leave(pair, "lo", "127.0.0.1", "239.1.2.3");
	/* Linux has no route to IPv6 groups on the loopback interface */
	uroce_netns_add_veth("up0", "up1", 0);
	uroce_netns_add_ipv6("up0", "fd00::1");
	join_and_leave(pair, "up0", "fd00::1", "ff1e::4242");
}

#define TEST(name)                                             \
	cmocka_unit_test_setup_teardown(name, port_pair_setup, \
					port_pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(port_packet_to_foreign_address_is_dropped),
		TEST(port_malformed_packet_is_dropped),
		TEST(port_packet_without_udp_checksum_is_received),
		TEST(port_merged_packet_of_second_slot_is_forwarded),
		TEST(port_multicast_group_is_joined_and_left),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, uroce_members_start,
				      uroce_members_stop);
}
