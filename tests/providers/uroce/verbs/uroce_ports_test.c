/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of device and port: verbs/uroce_{device,ports}.c. */
#include "providers/uroce/verbs/fake_worker.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static struct uroce_context *ctx;
static struct ibv_context *ibctx;

static int setup(void **state)
{
	ctx = fake_worker_context();
	ibctx = &ctx->vctx.context;
	return 0;
}

static int teardown(void **state)
{
	fake_worker_close(ctx);
	return 0;
}

static struct ibv_port_attr query_port(void)
{
	struct ibv_port_attr attr = {};

	assert_int_equal(uroce_query_port(ibctx, 1, &attr), 0);
	return attr;
}

/* -- device -- */

static void uroce_query_device_returns_limits(void **state)
{
	struct ibv_device_attr_ex attr = {};

	assert_int_equal(uroce_query_device(ibctx, NULL, &attr, sizeof(attr)),
			 0);
	assert_memory_equal(&attr.orig_attr.node_guid,
			    fake_worker.dev.node_guid, 8);
	assert_int_equal(attr.orig_attr.max_sge, UROCE_MAX_SGE);
	assert_int_equal(attr.orig_attr.max_qp_wr, UROCE_MAX_QP_WR);
	assert_int_equal(attr.orig_attr.max_qp_rd_atom, 128);
	assert_int_equal(attr.orig_attr.max_qp_init_rd_atom, 128);
	assert_true(attr.orig_attr.max_res_rd_atom >= 128);
	assert_int_equal(attr.orig_attr.atomic_cap, IBV_ATOMIC_HCA);
	assert_int_equal(attr.orig_attr.phys_port_cnt, 1);
	assert_int_equal(attr.phys_port_cnt_ex, 1);
	assert_int_equal(attr.hca_core_clock, 1000000);
	assert_int_equal(attr.cq_mod_caps.max_cq_count, 65535);
	assert_int_equal(attr.cq_mod_caps.max_cq_period, 65535);
	/* the bits of ATOMIC WRITE and FLUSH are above 32 */
	assert_true(attr.device_cap_flags_ex ==
		    (attr.orig_attr.device_cap_flags | UINT64_C(1) << 40 |
		     UINT64_C(1) << 38));
	assert_int_equal(attr.orig_attr.vendor_id, 0xffffff);
}

static void uroce_query_device_chosen_name_has_own_node_guid(void **state)
{
	struct ibv_device *device = ibctx->device;
	struct ibv_device first = { .name = "mlx5_0" };
	struct ibv_device second = { .name = "mlx5_1" };
	struct ibv_device_attr_ex attrs[2] = {};

	ibctx->device = &first;
	assert_int_equal(
		uroce_query_device(ibctx, NULL, &attrs[0], sizeof(attrs[0])),
		0);
	ibctx->device = &second;
	assert_int_equal(
		uroce_query_device(ibctx, NULL, &attrs[1], sizeof(attrs[1])),
		0);
	ibctx->device = device;
	assert_true(attrs[0].orig_attr.node_guid !=
		    attrs[1].orig_attr.node_guid);
	assert_true(attrs[0].orig_attr.node_guid ==
		    uroce_device_guid("mlx5_0", &fake_worker.dev));
	for (int i = 0; i < 2; i++) {
		const uint8_t *guid =
			(const uint8_t *)&attrs[i].orig_attr.node_guid;

		assert_memory_not_equal(guid, fake_worker.dev.node_guid, 8);
		assert_int_equal(guid[0] & 3, 2);
		assert_memory_equal(&attrs[i].orig_attr.sys_image_guid,
				    fake_worker.dev.node_guid, 8);
	}
}

static void uroce_query_device_short_struct_is_not_overrun(void **state)
{
	struct ibv_device_attr_ex attr = {};

	assert_int_equal(
		uroce_query_device(ibctx, NULL, &attr, sizeof(attr.orig_attr)),
		0);
	assert_int_equal(attr.orig_attr.max_sge, UROCE_MAX_SGE);
	assert_int_equal(attr.completion_timestamp_mask, 0);
	assert_int_equal(attr.hca_core_clock, 0);
	assert_int_equal(attr.cq_mod_caps.max_cq_count, 0);
	assert_int_equal(attr.phys_port_cnt_ex, 0);
}

static void uroce_query_rt_values_matches_completion_clock(void **state)
{
	struct ibv_values_ex values = { .comp_mask = 0xff };

	assert_int_equal(uroce_query_rt_values(ibctx, &values), 0);
	assert_int_equal(values.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	assert_int_equal(values.raw_clock.tv_nsec, (long)fake_worker.now);
	values.comp_mask = 0;
	values.raw_clock.tv_nsec = 5;
	assert_int_equal(uroce_query_rt_values(ibctx, &values), 0);
	assert_int_equal(values.raw_clock.tv_nsec, 5);
}

/* -- port -- */

static void uroce_query_port_returns_ethernet_port(void **state)
{
	struct ibv_port_attr attr = query_port();

	assert_int_equal(attr.state, IBV_PORT_ACTIVE);
	assert_int_equal(attr.phys_state, 5);
	assert_int_equal(attr.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(attr.flags, IBV_QPF_GRH_REQUIRED);
	assert_int_equal(attr.lid, 0);
	assert_int_equal(attr.gid_tbl_len, UROCE_MAX_GIDS);
	assert_int_equal(attr.pkey_tbl_len, 1);
	assert_int_equal(attr.max_msg_sz, UROCE_MAX_MESSAGE);
}

static void uroce_query_port_follows_interface_state(void **state)
{
	fake_worker.dev.up = false;
	assert_int_equal(query_port().state, IBV_PORT_DOWN);
	assert_int_equal(query_port().phys_state, 3);
	fake_worker.dev.up = true;
	fake_worker.port_error = -EADDRINUSE;
	assert_int_equal(query_port().state, IBV_PORT_DOWN);
	fake_worker.port_error = 0;
	fake_worker.dev.mtu = 100;
	assert_int_equal(query_port().state, IBV_PORT_DOWN);
}

static void uroce_query_port_active_mtu_fits_interface(void **state)
{
	static const struct {
		uint32_t bytes;
		enum ibv_mtu mtu;
	} cases[] = {
		{ 400, IBV_MTU_256 },	{ 600, IBV_MTU_512 },
		{ 1500, IBV_MTU_1024 }, { 4000, IBV_MTU_2048 },
		{ 4300, IBV_MTU_4096 }, { 65536, IBV_MTU_4096 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_worker.dev.mtu = cases[i].bytes;
		assert_int_equal(query_port().active_mtu, cases[i].mtu);
		assert_int_equal(query_port().max_mtu, IBV_MTU_4096);
	}
}

static void assert_speed(uint32_t mbits, uint8_t width, uint8_t code)
{
	struct ibv_port_attr attr;
	uint64_t speed = 0;

	fake_worker.dev.speed_mbits = mbits;
	attr = query_port();
	assert_int_equal(attr.active_width, width);
	assert_int_equal(attr.active_speed, code);
	assert_int_equal(uroce_query_port_speed(ibctx, 1, &speed), 0);
	assert_int_equal(speed, mbits ? mbits / 100 : 100);
}

static void uroce_query_port_speed_follows_interface(void **state)
{
	assert_speed(0, 1, 4); /* unknown: 10 Gb/s */
	assert_speed(1000, 1, 1);
	assert_speed(10000, 1, 4);
	assert_speed(25000, 1, 32);
	assert_speed(100000, 2, 32);
	assert_speed(800000, 2, 128);
}

static void uroce_query_port_unknown_port_returns_einval(void **state)
{
	struct ibv_port_attr attr = {};
	uint64_t speed;
	__be16 pkey;

	assert_int_equal(uroce_query_port(ibctx, 0, &attr), -EINVAL);
	assert_int_equal(uroce_query_port(ibctx, 2, &attr), -EINVAL);
	assert_int_equal(uroce_query_port_speed(ibctx, 2, &speed), -EINVAL);
	assert_int_equal(uroce_query_pkey(ibctx, 2, 0, &pkey), -EINVAL);
}

static void uroce_query_pkey_unknown_index_returns_einval(void **state)
{
	__be16 pkey = 0;

	assert_int_equal(uroce_query_pkey(ibctx, 1, 0, &pkey), 0);
	assert_int_equal(be16toh(pkey), 0xffff);
	assert_int_equal(uroce_query_pkey(ibctx, 1, 1, &pkey), -EINVAL);
	assert_int_equal(uroce_query_pkey(ibctx, 1, -1, &pkey), -EINVAL);
}

/* -- addresses -- */

static void uroce_query_gid_entry_returns_addresses(void **state)
{
	struct ibv_gid_entry entry = {};

	assert_int_equal(uroce_query_gid_entry(ibctx, 1, FAKE_GID_IPV4, &entry),
			 0);
	assert_memory_equal(entry.gid.raw, fake_worker.dev.gids[FAKE_GID_IPV4],
			    16);
	assert_int_equal(entry.gid_index, FAKE_GID_IPV4);
	assert_int_equal(entry.port_num, 1);
	assert_int_equal(entry.gid_type, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(entry.ndev_ifindex, 7);
}

static void uroce_query_gid_entry_empty_slot_returns_enodata(void **state)
{
	struct ibv_gid_entry entry;

	assert_int_equal(uroce_query_gid_entry(ibctx, 1, FAKE_NR_GIDS, &entry),
			 -ENODATA);
	memset(fake_worker.dev.gids[0], 0, UROCE_GID_LEN);
	assert_int_equal(uroce_query_gid_entry(ibctx, 1, 0, &entry), -ENODATA);
	assert_int_equal(
		uroce_query_gid_entry(ibctx, 1, UROCE_MAX_GIDS, &entry),
		-EINVAL);
	assert_int_equal(uroce_query_gid_entry(ibctx, 2, 0, &entry), -EINVAL);
}

static void uroce_query_gid_table_returns_used_slots(void **state)
{
	struct ibv_gid_entry entries[FAKE_NR_GIDS] = {};

	memset(fake_worker.dev.gids[0], 0, UROCE_GID_LEN);
	assert_int_equal(uroce_query_gid_table(ibctx, entries, FAKE_NR_GIDS),
			 2);
	assert_int_equal(entries[0].gid_index, FAKE_GID_IPV4);
	assert_int_equal(entries[1].gid_index, FAKE_GID_IPV6);
	assert_int_equal(uroce_query_gid_table(ibctx, entries, 1), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_query_device_returns_limits),
		TEST(uroce_query_device_chosen_name_has_own_node_guid),
		TEST(uroce_query_device_short_struct_is_not_overrun),
		TEST(uroce_query_rt_values_matches_completion_clock),
		TEST(uroce_query_port_returns_ethernet_port),
		TEST(uroce_query_port_follows_interface_state),
		TEST(uroce_query_port_active_mtu_fits_interface),
		TEST(uroce_query_port_speed_follows_interface),
		TEST(uroce_query_port_unknown_port_returns_einval),
		TEST(uroce_query_pkey_unknown_index_returns_einval),
		TEST(uroce_query_gid_entry_returns_addresses),
		TEST(uroce_query_gid_entry_empty_slot_returns_enodata),
		TEST(uroce_query_gid_table_returns_used_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
