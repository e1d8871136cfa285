/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Size of READ requests: the responses must fit into the socket buffer, which
 * all QPs share and which cannot report that it is full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/roce/uroce_requester.h"
#include "uroce_expect.h"

/* Requested packets that have not been sent. */
struct requested {
	uint32_t mtu, now, most;
};

static enum pair_action count_requested(struct pair *pair, unsigned int from,
					const struct uroce_packet *packet)
{
	struct requested *requested = pair->filter_data;

	if (from == 1) {
		requested->now--;
		return PAIR_PASS;
	}
	assert_int_equal(packet->opcode, UROCE_READ_REQUEST);
	assert_true(packet->dma_len <= UROCE_MAX_READ_PART);
	requested->now +=
		(packet->dma_len + requested->mtu - 1) / requested->mtu;
	if (requested->now > requested->most)
		requested->most = requested->now;
	return PAIR_PASS;
}

/*
 * Posts three READs over @room_bytes. Return: the maximum of outstanding
 * packets.
 */
static uint32_t most_requested(enum ibv_mtu mtu, uint32_t room_bytes)
{
	struct requested requested = { .mtu = 128u << mtu };
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.mtu = mtu;
	o.room_bytes = room_bytes;
	pair = pair_new(&o);
	pair->filter = count_requested;
	pair->filter_data = &requested;
	for (uint64_t i = 0; i < 3; i++)
		post(pair, i, IBV_WR_RDMA_READ, 200000);
	pair_run(pair);
	for (uint64_t i = 0; i < 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	assert_int_equal(requested.now, 0);
	pair_free(pair);
	return requested.most;
}

/* Bytes that Linux accounts for them: see count_room() of uroce_requester.c. */
static uint32_t bytes_of(uint32_t nr, enum ibv_mtu mtu)
{
	static const uint32_t packet[] = {
		[IBV_MTU_256] = 1280,  [IBV_MTU_512] = 1280,
		[IBV_MTU_1024] = 2304, [IBV_MTU_2048] = 4352,
		[IBV_MTU_4096] = 8448,
	};

	return nr * packet[mtu];
}

static void read_request_fits_into_socket_buffer(void **state)
{
	for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		uint32_t part = UROCE_READ_PART / (128u << mtu);
		uint32_t most = most_requested(mtu, 0);

		assert_true(most >= part);
		assert_true(bytes_of(most, mtu) <= 416 * 1024);
	}
}

static void read_request_fills_small_socket_buffer(void **state)
{
	const uint32_t room = 40000, others = room / 8;

	for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		uint32_t most = most_requested(mtu, room);

		assert_true(bytes_of(most, mtu) <= room - others);
		assert_true(bytes_of(2 * most + 1, mtu) > room - others);
	}
}

static void read_request_without_room_asks_for_single_packet(void **state)
{
	assert_int_equal(most_requested(IBV_MTU_4096, 1), 1);
}

static void read_request_grows_with_socket_buffer(void **state)
{
	assert_true(most_requested(IBV_MTU_1024, 1 << 30) >
		    most_requested(IBV_MTU_1024, 200 * 1024));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_request_fits_into_socket_buffer),
		cmocka_unit_test(read_request_fills_small_socket_buffer),
		cmocka_unit_test(
			read_request_without_room_asks_for_single_packet),
		cmocka_unit_test(read_request_grows_with_socket_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
