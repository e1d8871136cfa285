/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of ibv_init_ah_from_wc(3) and ibv_create_ah_from_wc(3). The headers
 * are those of real datagrams, valid and damaged; the tests define the port,
 * its GIDs and the address handles.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/layer_load.h"

#undef ibv_query_port

#define PORT	2
#define BTH	0x1b
#define UDP	17
#define HDR_LEN 40

/* The receiver is fe80::aa and 10.99.0.1, the sender fe80::bb and 10.99.0.2. */
#define GID_LOCAL_LL                               \
	{                                          \
		.raw = { 0xfe, 0x80, [15] = 0xaa } \
	}
#define GID_PEER_LL                                \
	{                                          \
		.raw = { 0xfe, 0x80, [15] = 0xbb } \
	}
#define GID_LOCAL_V4                                       \
	{                                                  \
		.raw = { [10] = 0xff, 0xff, 10, 99, 0, 1 } \
	}
#define GID_PEER_V4                                        \
	{                                                  \
		.raw = { [10] = 0xff, 0xff, 10, 99, 0, 2 } \
	}

/* GID table of the port; slots without a member are empty. */
static const struct ibv_gid_entry table[] = {
	[0] = { .gid = GID_LOCAL_LL, .gid_type = IBV_GID_TYPE_ROCE_V1 },
	[1] = { .gid = GID_LOCAL_LL, .gid_type = IBV_GID_TYPE_ROCE_V2 },
	[2] = { .gid = GID_LOCAL_V4, .gid_type = IBV_GID_TYPE_ROCE_V1 },
	[4] = { .gid = GID_LOCAL_V4, .gid_type = IBV_GID_TYPE_ROCE_V2 },
};
static const union ibv_gid no_gid;

/* Inputs of the library, and counts of its queries. */
static struct {
	int port_ret;
	int gid_ret;
	int gid_tbl_len;
	uint32_t nr_gid_queries;
	bool ah_fails;
	struct ibv_ah_attr ah_attr;
} fake;

static struct ibv_ah fake_ah;

int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr)
{
	assert_int_equal(port_num, PORT);
	((struct ibv_port_attr *)port_attr)->gid_tbl_len = fake.gid_tbl_len;
	return fake.port_ret;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	assert_int_equal(port_num, PORT);
	assert_int_equal(flags, 0);
	assert_int_equal(entry_size, sizeof(*entry));
	fake.nr_gid_queries++;
	if (fake.gid_ret)
		return fake.gid_ret;
	if (gid_index >= sizeof(table) / sizeof(table[0]) ||
	    memcmp(&table[gid_index].gid, &no_gid, sizeof(no_gid)) == 0)
		return ENODATA;
	*entry = table[gid_index];
	return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	if (fake.ah_fails) {
		errno = ENOMEM;
		return NULL;
	}
	fake.ah_attr = *attr;
	fake_ah.context = pd->context;
	return &fake_ah;
}

/* No layer is enabled. */
bool verbs_layer_object_exists(const char *function, enum layers_kind kind,
			       const void *object)
{
	return true;
}

/* 20 undefined bytes, then IPv4, as rxe writes it */
static const uint8_t ipv4_packet[HDR_LEN] = {
	/* clang-format off */
	[20] = 0x45, 0xb8, 0x01, 0x4c, 0x00, 0x00, 0x40, 0x00,
	       0x3f, UDP, 0x25, 0x21, 10, 99, 0, 2, 10, 99, 0, 1,
	/* clang-format on */
};

/* Traffic class 0x5a, flow label 0xabcde */
static const uint8_t ipv6_packet[HDR_LEN] = {
	/* clang-format off */
	0x65, 0xaa, 0xbc, 0xde, 0x01, 0x00, UDP, 0x3e,
	0xfe, 0x80, [23] = 0xbb,
	0xfe, 0x80, [39] = 0xaa,
	/* clang-format on */
};

static struct ibv_context ctx;

static int ah_from_wc_reset(void **state)
{
	memset(&fake, 0, sizeof(fake));
	fake.gid_tbl_len = 8;
	errno = 0;
	return 0;
}

/* Calls the function with a header. */
static int ah_init_from_header(const uint8_t *packet, struct ibv_ah_attr *attr)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH,
			     .slid = 0x1234,
			     .sl = 3,
			     .dlid_path_bits = 5 };
	struct ibv_grh grh;

	memcpy(&grh, packet, sizeof(grh));
	return ibv_init_ah_from_wc(&ctx, PORT, &wc, &grh, attr);
}

static void assert_refused(const uint8_t *packet, int err)
{
	struct ibv_ah_attr attr = { .dlid = 0x7777 };

	errno = 0;
	assert_int_equal(ah_init_from_header(packet, &attr), -1);
	assert_int_equal(errno, err);
	assert_int_equal(attr.dlid, 0x7777);
}

static void ah_from_wc_without_grh_uses_lid(void **state)
{
	struct ibv_wc wc = { .slid = 0x1234, .sl = 3, .dlid_path_bits = 5 };
	struct ibv_ah_attr attr, expected = {
		.dlid = 0x1234, .sl = 3, .src_path_bits = 5, .port_num = PORT
	};

	memset(&attr, 0xee, sizeof(attr));
	assert_int_equal(ibv_init_ah_from_wc(&ctx, PORT, &wc, NULL, &attr), 0);
	assert_memory_equal(&attr.grh.dgid, &no_gid, sizeof(no_gid));
	assert_int_equal(attr.is_global, 0);
	assert_int_equal(attr.dlid, expected.dlid);
	assert_int_equal(attr.sl, expected.sl);
	assert_int_equal(attr.src_path_bits, expected.src_path_bits);
	assert_int_equal(attr.static_rate, 0);
	assert_int_equal(attr.port_num, expected.port_num);
	assert_int_equal(fake.nr_gid_queries, 0);
}

static void ah_from_wc_ipv4_sender_is_mapped_gid(void **state)
{
	const union ibv_gid peer = GID_PEER_V4;
	struct ibv_ah_attr attr;

	assert_int_equal(ah_init_from_header(ipv4_packet, &attr), 0);
	assert_memory_equal(&attr.grh.dgid, &peer, sizeof(peer));
	assert_int_equal(attr.is_global, 1);
	assert_int_equal(attr.grh.sgid_index, 4);
	assert_int_equal(attr.grh.traffic_class, 0xb8);
	assert_int_equal(attr.grh.hop_limit, 0x3f);
	assert_int_equal(attr.grh.flow_label, 0);
	assert_int_equal(attr.dlid, 0x1234);
	assert_int_equal(attr.sl, 3);
	assert_int_equal(attr.src_path_bits, 5);
	assert_int_equal(attr.port_num, PORT);
}

static void ah_from_wc_gid_search_ends_at_match(void **state)
{
	struct ibv_ah_attr attr;

	assert_int_equal(ah_init_from_header(ipv4_packet, &attr), 0);
	assert_int_equal(fake.nr_gid_queries, 5);
}

/* The first 20 bytes of an IPv4 datagram are undefined. */
static void ah_from_wc_ipv4_behind_nibble_6_is_detected(void **state)
{
	uint8_t packet[HDR_LEN];
	struct ibv_ah_attr attr;

	memcpy(packet, ipv4_packet, sizeof(packet));
	memset(packet, 0x66, 20);
	assert_int_equal(ah_init_from_header(packet, &attr), 0);
	assert_int_equal(attr.grh.sgid_index, 4);
}

/*
 * Devices may leave a wrong checksum; it is not needed if the header cannot be
 * IPv6.
 */
static void ah_from_wc_ipv4_checksum_is_checked_behind_nibble_6(void **state)
{
	uint8_t packet[HDR_LEN];
	struct ibv_ah_attr attr;

	memcpy(packet, ipv4_packet, sizeof(packet));
	packet[30] ^= 0x55;
	assert_int_equal(ah_init_from_header(packet, &attr), 0);
	assert_int_equal(attr.grh.sgid_index, 4);

	packet[0] = 0x60;
	packet[6] = UDP;
	assert_refused(packet, ENOENT); /* as IPv6, the address is not local */
}

static void ah_from_wc_ipv6_sender_is_destination(void **state)
{
	const union ibv_gid peer = GID_PEER_LL;
	struct ibv_ah_attr attr;

	assert_int_equal(ah_init_from_header(ipv6_packet, &attr), 0);
	assert_memory_equal(&attr.grh.dgid, &peer, sizeof(peer));
	assert_int_equal(attr.is_global, 1);
	assert_int_equal(attr.grh.sgid_index, 1);
	assert_int_equal(attr.grh.traffic_class, 0x5a);
	assert_int_equal(attr.grh.hop_limit, 0x3e);
	assert_int_equal(attr.grh.flow_label, 0xabcde);
}

static void ah_from_wc_grh_selects_v1_gid(void **state)
{
	uint8_t packet[HDR_LEN];
	struct ibv_ah_attr attr;

	memcpy(packet, ipv6_packet, sizeof(packet));
	packet[6] = BTH;
	assert_int_equal(ah_init_from_header(packet, &attr), 0);
	assert_int_equal(attr.grh.sgid_index, 0);
}

static void ah_from_wc_unknown_next_header_is_rejected(void **state)
{
	uint8_t packet[HDR_LEN];

	memcpy(packet, ipv6_packet, sizeof(packet));
	for (int next = 0; next <= UINT8_MAX; next++) {
		if (next == UDP || next == BTH)
			continue;
		packet[6] = (uint8_t)next;
		assert_refused(packet, EPROTONOSUPPORT);
	}
}

static void ah_from_wc_unknown_version_is_rejected(void **state)
{
	uint8_t packet[HDR_LEN] = {};

	for (int nibble = 0; nibble < 16; nibble++) {
		if (nibble == 6)
			continue;
		packet[0] = (uint8_t)(nibble << 4);
		assert_refused(packet, EPROTONOSUPPORT);
	}
}

static void ah_from_wc_multicast_destination_is_rejected(void **state)
{
	uint8_t packet[HDR_LEN];

	memcpy(packet, ipv6_packet, sizeof(packet));
	packet[24] = 0xff;
	assert_refused(packet, EINVAL);

	memcpy(packet, ipv4_packet, sizeof(packet));
	packet[36] = 239;
	assert_refused(packet, EINVAL);
}

/*
 * The address contains 0x45 at the offset of an IPv4 header, but the checksum
 * is wrong.
 */
static void ah_from_wc_ipv6_address_is_not_ipv4_header(void **state)
{
	uint8_t packet[HDR_LEN];
	struct ibv_ah_attr attr;

	memcpy(packet, ipv6_packet, sizeof(packet));
	packet[20] = 0x45;
	assert_int_equal(ah_init_from_header(packet, &attr), 0);
	assert_int_equal(attr.grh.sgid_index, 1);
}

static void ah_from_wc_nonlocal_address_is_enoent(void **state)
{
	uint8_t packet[HDR_LEN];

	memcpy(packet, ipv6_packet, sizeof(packet));
	packet[39] = 0xcc;
	assert_refused(packet, ENOENT);
	assert_int_equal(fake.nr_gid_queries, 8);
}

static void ah_from_wc_gid_search_ends_at_index_limit(void **state)
{
	uint8_t packet[HDR_LEN];

	fake.gid_tbl_len = 1000;
	memcpy(packet, ipv6_packet, sizeof(packet));
	packet[39] = 0xcc;
	assert_refused(packet, ENOENT);
	assert_int_equal(fake.nr_gid_queries, 256);
}

static void ah_from_wc_flipped_bits_are_harmless(void **state)
{
	for (int bit = 0; bit < HDR_LEN * 8; bit++) {
		uint8_t four[HDR_LEN], six[HDR_LEN];
		struct ibv_ah_attr attr;

		memcpy(four, ipv4_packet, sizeof(four));
		memcpy(six, ipv6_packet, sizeof(six));
		four[bit / 8] ^= (uint8_t)(1 << bit % 8);
		six[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_in_range(ah_init_from_header(four, &attr) + 1, 0, 1);
		assert_in_range(ah_init_from_header(six, &attr) + 1, 0, 1);
	}
}

static void ah_from_wc_query_errors_are_returned(void **state)
{
	fake.gid_ret = EIO;
	assert_refused(ipv6_packet, EIO);
	assert_int_equal(fake.nr_gid_queries, 1);

	fake.port_ret = ENODEV;
	assert_refused(ipv6_packet, ENODEV);
	assert_int_equal(fake.nr_gid_queries, 1);
}

static void ah_from_wc_create_passes_attributes(void **state)
{
	const union ibv_gid peer = GID_PEER_V4;
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct ibv_pd pd = { .context = &ctx };
	struct ibv_grh grh;

	memcpy(&grh, ipv4_packet, sizeof(grh));
	assert_ptr_equal(ibv_create_ah_from_wc(&pd, &wc, &grh, PORT), &fake_ah);
	assert_memory_equal(&fake.ah_attr.grh.dgid, &peer, sizeof(peer));
	assert_int_equal(fake.ah_attr.port_num, PORT);
}

static void ah_from_wc_create_failure_sets_errno(void **state)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct ibv_pd pd = { .context = &ctx };
	struct ibv_grh grh = {};

	assert_null(ibv_create_ah_from_wc(&pd, &wc, &grh, PORT));
	assert_int_equal(errno, EPROTONOSUPPORT);

	memcpy(&grh, ipv4_packet, sizeof(grh));
	fake.ah_fails = true;
	assert_null(ibv_create_ah_from_wc(&pd, &wc, &grh, PORT));
	assert_int_equal(errno, ENOMEM);
}

#define test(f) cmocka_unit_test_setup(f, ah_from_wc_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(ah_from_wc_without_grh_uses_lid),
		test(ah_from_wc_ipv4_sender_is_mapped_gid),
		test(ah_from_wc_gid_search_ends_at_match),
		test(ah_from_wc_ipv4_behind_nibble_6_is_detected),
		test(ah_from_wc_ipv4_checksum_is_checked_behind_nibble_6),
		test(ah_from_wc_ipv6_sender_is_destination),
		test(ah_from_wc_grh_selects_v1_gid),
		test(ah_from_wc_unknown_next_header_is_rejected),
		test(ah_from_wc_unknown_version_is_rejected),
		test(ah_from_wc_multicast_destination_is_rejected),
		test(ah_from_wc_ipv6_address_is_not_ipv4_header),
		test(ah_from_wc_nonlocal_address_is_enoent),
		test(ah_from_wc_gid_search_ends_at_index_limit),
		test(ah_from_wc_flipped_bits_are_harmless),
		test(ah_from_wc_query_errors_are_returned),
		test(ah_from_wc_create_passes_attributes),
		test(ah_from_wc_create_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
