/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_resolve_eth_l2_from_gid(): libibverbs/api/eth_l2.c. Checks the query to
 * the neighbour resolution and the use of the result.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "neigh/neigh.h"

static const union ibv_gid source = { .raw = { 0xfe, 0x80, [15] = 1 } };
static const union ibv_gid target = { .raw = { 0xfe, 0x80, [15] = 2 } };
static const uint8_t mac[ETHERNET_LL_SIZE] = { 2, 3, 4, 5, 6, 7 };

static struct {
	int gid_ret;
	int resolve_ret;
	struct verbs_neigh_query query;
} fake;

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	assert_int_equal(port_num, 1);
	assert_int_equal(gid_index, 3);
	assert_int_equal(entry_size, sizeof(*entry));
	if (fake.gid_ret)
		return fake.gid_ret;
	*entry = (struct ibv_gid_entry){ .gid = source, .ndev_ifindex = 42 };
	return 0;
}

int verbs_neigh_resolve(const struct verbs_neigh_query *query,
			uint8_t ret_mac[VERBS_NEIGH_MAC_LEN],
			uint16_t *ret_vlan)
{
	fake.query = *query;
	if (fake.resolve_ret)
		return fake.resolve_ret;
	memcpy(ret_mac, mac, sizeof(mac));
	*ret_vlan = 5;
	return 0;
}

static int reset_fake(void **state)
{
	memset(&fake, 0, sizeof(fake));
	errno = 0;
	return 0;
}

static int resolve_target(uint8_t *ret_mac, uint16_t *ret_vid)
{
	struct ibv_ah_attr attr = {
		.grh = { .dgid = target, .sgid_index = 3 },
		.port_num = 1,
	};

	return ibv_resolve_eth_l2_from_gid(NULL, &attr, ret_mac, ret_vid);
}

static void resolve_eth_l2_passes_gids_and_interface(void **state)
{
	uint8_t found[ETHERNET_LL_SIZE];
	uint16_t vid;

	assert_int_equal(resolve_target(found, &vid), 0);
	assert_memory_equal(fake.query.src_gid, source.raw, 16);
	assert_memory_equal(fake.query.dst_gid, target.raw, 16);
	assert_int_equal(fake.query.src_ifindex, 42);
	assert_memory_equal(found, mac, sizeof(mac));
	assert_int_equal(vid, 5);
	assert_int_equal(errno, 0);
}

static void resolve_eth_l2_without_vlan_pointer_returns_mac(void **state)
{
	uint8_t found[ETHERNET_LL_SIZE];

	assert_int_equal(resolve_target(found, NULL), 0);
	assert_memory_equal(found, mac, sizeof(mac));
}

static void
resolve_eth_l2_neighbour_failure_returns_negative_errno(void **state)
{
	uint8_t found[ETHERNET_LL_SIZE];
	uint16_t vid;

	fake.resolve_ret = -EHOSTUNREACH;
	assert_int_equal(resolve_target(found, &vid), -EHOSTUNREACH);
	assert_int_equal(errno, EHOSTUNREACH);
}

static void resolve_eth_l2_gid_query_failure_returns_minus_1(void **state)
{
	uint8_t found[ETHERNET_LL_SIZE];
	uint16_t vid;

	fake.gid_ret = ENOTSUP;
	assert_int_equal(resolve_target(found, &vid), -1);
	assert_int_equal(errno, ENOTSUP);
}

static void resolve_eth_l2_empty_gid_entry_uses_zero_source(void **state)
{
	static const uint8_t zeroes[16];
	uint8_t found[ETHERNET_LL_SIZE];
	uint16_t vid;

	fake.gid_ret = ENODATA;
	fake.resolve_ret = -EINVAL;
	assert_int_equal(resolve_target(found, &vid), -EINVAL);
	assert_memory_equal(fake.query.src_gid, zeroes, sizeof(zeroes));
	assert_int_equal(fake.query.src_ifindex, 0);
}

#define ETH_L2_TEST(f) cmocka_unit_test_setup(f, reset_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ETH_L2_TEST(resolve_eth_l2_passes_gids_and_interface),
		ETH_L2_TEST(resolve_eth_l2_without_vlan_pointer_returns_mac),
		ETH_L2_TEST(
			resolve_eth_l2_neighbour_failure_returns_negative_errno),
		ETH_L2_TEST(resolve_eth_l2_gid_query_failure_returns_minus_1),
		ETH_L2_TEST(resolve_eth_l2_empty_gid_entry_uses_zero_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
