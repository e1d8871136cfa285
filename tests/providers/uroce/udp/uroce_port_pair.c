/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Setup of the ports, and contents of packets. */
#include "uroce_port_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "uroce/wire/uroce_icrc.h"
#include "uroce_members.h"
#include "uroce_netns.h"

static uint8_t payload[MAX_SEEN * 1024];

static void serve(void *arg)
{
	uroce_port_serve(arg);
}

static struct uroce_port *open_port(const struct uroce_netdev *dev)
{
	struct uroce_port *port;

	assert_int_equal(uroce_port_open(&port), 0);
	assert_int_equal(uroce_port_claim(port, 0), 0);
	assert_int_equal(uroce_port_acquire_sockets(port, -1), 0);
	uroce_members_add(uroce_port_member_fd(port), serve, port);
	for (uint32_t i = 0; i < dev->nr_gids; i++)
		assert_int_equal(uroce_port_add_address(port, dev->gids[i],
							dev->ifindex),
				 0);
	return port;
}

static void close_port(struct uroce_port *port)
{
	uroce_members_remove(uroce_port_member_fd(port));
	uroce_port_close(port);
}

int port_pair_setup(void **state)
{
	struct port_pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + i / 251);
	assert_int_equal(uroce_netdev_read("lo", &pair->dev), 0);
	pair->port[0] = open_port(&pair->dev);
	pair->port[1] = open_port(&pair->dev);
	*state = pair;
	return 0;
}

int port_pair_teardown(void **state)
{
	struct port_pair *pair = *state;

	close_port(pair->port[0]);
	close_port(pair->port[1]);
	free(pair);
	if (uroce_netns_entered())
		uroce_netns_set_mtu("lo", 65536);
	return 0;
}

struct uroce_path path_between(const char *from, const char *to)
{
	struct uroce_path path = { .hop_limit = 17, .tclass = 0x28 };

	uroce_netns_gid(from, path.sgid);
	uroce_netns_gid(to, path.dgid);
	return path;
}

uint32_t qpn_of(const struct uroce_port *port, uint32_t index)
{
	return uroce_port_slot(port) << 16 | index;
}

void put(struct port_pair *pair, struct uroce_path *path, uint32_t qpn,
	 uint8_t op, uint32_t psn, uint32_t len)
{
	struct iovec iov[2] = { { payload + psn, len / 3 },
				{ payload + psn + len / 3, len - len / 3 } };
	struct uroce_packet packet = {
		.path = path,
		.opcode = op,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = qpn,
		.psn = psn,
		.payload_len = len,
	};

	path->sport = uroce_port_sport(pair->port[0], qpn);
	uroce_port_put(pair->port[0], &packet, iov, len ? 2 : 0, pair);
}

void put_run(struct port_pair *pair, struct uroce_path *path, uint32_t qpn,
	     uint32_t nr, uint32_t mtu)
{
	struct uroce_packet packet = {
		.path = path,
		.opcode = UROCE_SEND_MIDDLE,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = qpn,
		.psn = 1,
		.payload_len = mtu,
	};

	assert_true((size_t)mtu * (nr + 1) <= sizeof(payload));
	pair->seen.nr = 0;
	pair->seen.stride = mtu;
	put(pair, path, qpn, UROCE_SEND_FIRST, 0, mtu);
	uroce_port_put_run(pair->port[0], &packet, payload + mtu, nr, pair);
}

void on_packet(void *arg, struct uroce_packet *packet)
{
	struct seen *seen = arg;
	struct uroce_icrc *icrc = (struct uroce_icrc *)packet->icrc_check;

	assert_true(seen->nr < MAX_SEEN);
	assert_memory_equal(packet->payload,
			    payload + (size_t)packet->psn *
					      (seen->stride ? seen->stride : 1),
			    packet->payload_len);
	assert_int_equal(packet->icrc_check->finish(packet->icrc_check), 0);
	seen->packets[seen->nr] = *packet;
	seen->paths[seen->nr] = *packet->path;
	seen->ip_id[seen->nr] = icrc->ip_id;
	seen->nr++;
}

void receive(struct port_pair *pair, unsigned int at)
{
	while (uroce_port_receive(pair->port[at], on_packet, &pair->seen))
		;
}

struct uroce_port_counters counters(const struct port_pair *pair,
				    unsigned int at)
{
	struct uroce_port_counters found;

	uroce_port_counters(pair->port[at], &found);
	return found;
}

void flush(struct port_pair *pair)
{
	uroce_port_flush(pair->port[0]);
	receive(pair, 1);
}

void put_message(struct port_pair *pair, struct uroce_path *path, uint32_t nr,
		 uint32_t mtu, uint32_t last)
{
	uint32_t qpn = qpn_of(pair->port[1], 5);

	put(pair, path, qpn, UROCE_SEND_FIRST, 0, mtu);
	for (uint32_t i = 1; i < nr - 1; i++)
		put(pair, path, qpn, UROCE_SEND_MIDDLE, i, mtu);
	put(pair, path, qpn, UROCE_SEND_LAST, nr - 1, last);
	flush(pair);
	assert_int_equal(pair->seen.nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(pair->seen.packets[i].psn, i);
}
