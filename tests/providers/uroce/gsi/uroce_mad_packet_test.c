/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The engine passes on packets to QP 1 only if they are MADs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_engine.h"

static struct uroce_memory memory;
static struct uroce_engine engine;
static struct uroce_path path;
static uint8_t payload[UROCE_MAX_MTU];
static unsigned int nr_mads;
static int icrc_result;

static void on_mad(void *arg, const struct uroce_packet *packet)
{
	assert_ptr_equal(arg, &engine);
	assert_ptr_equal(packet->path, &path);
	assert_ptr_equal(packet->payload, payload);
	nr_mads++;
}

static int finish_icrc(struct uroce_icrc_check *check)
{
	return icrc_result;
}

static struct uroce_icrc_check icrc_check = { .finish = finish_icrc };

static struct uroce_packet make_packet(void)
{
	return (struct uroce_packet){
		.path = &path,
		.payload = payload,
		.icrc_check = &icrc_check,
		.payload_len = UROCE_MAD_BYTES,
		.opcode = UROCE_UD | UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = UROCE_QPN_GSI,
		.qkey = UROCE_GSI_QKEY,
		.src_qpn = UROCE_QPN_GSI,
	};
}

static uint64_t count(enum uroce_counter counter)
{
	return engine.core.counters.count[counter];
}

static int setup(void **state)
{
	struct uroce_engine_config config = { .memory = &memory, .seed = 1 };

	uroce_memory_init(&memory, 1);
	assert_int_equal(uroce_engine_init(&engine, &config), 0);
	engine.on_mad = on_mad;
	engine.on_mad_arg = &engine;
	nr_mads = 0;
	icrc_result = 0;
	return 0;
}

static int teardown(void **state)
{
	uroce_engine_fini(&engine);
	uroce_memory_fini(&memory);
	return 0;
}

static void assert_dropped(struct uroce_packet packet,
			   enum uroce_counter reason)
{
	uint64_t before = count(reason);

	uroce_engine_receive(&engine, &packet, 0);
	assert_int_equal(nr_mads, 0);
	assert_int_equal(count(reason), before + 1);
}

static void mad_packet_valid_is_passed_on(void **state)
{
	struct uroce_packet packet = make_packet();

	uroce_engine_receive(&engine, &packet, 0);
	assert_int_equal(nr_mads, 1);
}

static void mad_packet_of_limited_member_is_passed_on(void **state)
{
	struct uroce_packet packet = make_packet();

	packet.pkey = 0x7fff;
	uroce_engine_receive(&engine, &packet, 0);
	assert_int_equal(nr_mads, 1);
}

static void mad_packet_wrong_qkey_is_dropped(void **state)
{
	struct uroce_packet packet = make_packet();

	packet.qkey = 0x80010001;
	assert_dropped(packet, UROCE_C_BAD_QKEY);
}

static void mad_packet_wrong_pkey_is_dropped(void **state)
{
	struct uroce_packet packet = make_packet();

	packet.pkey = 0x8001;
	assert_dropped(packet, UROCE_C_BAD_PKEY);
}

static void mad_packet_wrong_length_is_dropped(void **state)
{
	static const uint32_t lengths[] = { 0, 1, 255, 257, UROCE_MAX_MTU };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct uroce_packet packet = make_packet();

		packet.payload_len = lengths[i];
		assert_dropped(packet, UROCE_C_BAD_LENGTH);
	}
}

static void mad_packet_wrong_opcode_is_dropped(void **state)
{
	static const uint8_t opcodes[] = { UROCE_UD | UROCE_SEND_ONLY_IMM,
					   UROCE_RC | UROCE_SEND_ONLY,
					   UROCE_UC | UROCE_SEND_ONLY };

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct uroce_packet packet = make_packet();

		packet.opcode = opcodes[i];
		assert_dropped(packet, UROCE_C_BAD_TRANSPORT);
	}
}

static void mad_packet_of_ordinary_qp_is_dropped(void **state)
{
	struct uroce_packet packet = make_packet();

	packet.src_qpn = 0x10002;
	assert_dropped(packet, UROCE_C_BAD_SOURCE);
}

static void mad_packet_wrong_icrc_is_dropped(void **state)
{
	icrc_result = -EBADMSG;
	assert_dropped(make_packet(), UROCE_C_BAD_ICRC);
}

static void mad_packet_of_shm_peer_is_dropped(void **state)
{
	struct uroce_packet packet = make_packet();

	packet.channel = (const void *)&path;
	assert_dropped(packet, UROCE_C_NO_QP);
}

static void mad_packet_without_gsi_is_dropped(void **state)
{
	engine.on_mad = NULL;
	assert_dropped(make_packet(), UROCE_C_NO_QP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mad_packet_valid_is_passed_on),
		TEST(mad_packet_of_limited_member_is_passed_on),
		TEST(mad_packet_wrong_qkey_is_dropped),
		TEST(mad_packet_wrong_pkey_is_dropped),
		TEST(mad_packet_wrong_length_is_dropped),
		TEST(mad_packet_wrong_opcode_is_dropped),
		TEST(mad_packet_of_ordinary_qp_is_dropped),
		TEST(mad_packet_wrong_icrc_is_dropped),
		TEST(mad_packet_of_shm_peer_is_dropped),
		TEST(mad_packet_without_gsi_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
