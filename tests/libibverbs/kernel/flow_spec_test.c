/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translation of flow specifications: all fields of each type, and valid and
 * invalid sizes. The specification is at the end of an allocated block, so that
 * a sanitizer detects reads past its end.
 */
#include "kernel/flow_spec.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/objects.h>
#include <rdma/ib_user_verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Must follow the four headers above. */
#include <cmocka.h>

#define INNER IBV_FLOW_SPEC_INNER

/* Output of the translation. */
struct kernel_spec {
	uint64_t bytes[FLOW_SPEC_MAX_LEN / 8];
	size_t from_len, len;
};

static int translate_spec(const void *spec, size_t size,
			  struct kernel_spec *kernel_spec)
{
	/* an odd address, so that nothing is aligned */
	char *block = malloc(size + 1);
	int ret;

	assert_non_null(block);
	memcpy(block + 1, spec, size);
	*kernel_spec = (struct kernel_spec){};
	ret = flow_spec_to_kernel(block + 1, kernel_spec->bytes,
				  &kernel_spec->from_len, &kernel_spec->len);
	free(block);
	return ret;
}

static void check_translation(const void *spec, size_t size,
			      const void *expected, size_t len)
{
	struct kernel_spec kernel_spec;

	assert_int_equal(translate_spec(spec, size, &kernel_spec), 0);
	assert_int_equal(kernel_spec.from_len, size);
	assert_int_equal(kernel_spec.len, len);
	assert_int_equal(len % 8, 0);
	assert_memory_equal(kernel_spec.bytes, expected, len);
}

#define CHECK_TRANSLATION(spec, expected) \
	check_translation(&(spec), sizeof(spec), &(expected), sizeof(expected))

/* ------------------------------------------------------------------------ */
/* Filters                                                                   */
/* ------------------------------------------------------------------------ */

static void flow_spec_eth_is_translated(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		const struct ibv_flow_spec_eth spec = {
			.type = IBV_FLOW_SPEC_ETH | inner,
			.size = sizeof(spec),
			.val = { { 1, 2, 3, 4, 5, 6 },
				 { 7, 8, 9, 10, 11, 12 },
				 0x0d0e,
				 0x0f10 },
			.mask = { { 21, 22, 23, 24, 25, 26 },
				  { 27, 28, 29, 30, 31, 32 },
				  0x3334,
				  0x3536 },
		};
		const struct ib_uverbs_flow_spec_eth expected = {
			.type = 0x20 | inner,
			.size = sizeof(expected),
			.val = { { 1, 2, 3, 4, 5, 6 },
				 { 7, 8, 9, 10, 11, 12 },
				 0x0d0e,
				 0x0f10 },
			.mask = { { 21, 22, 23, 24, 25, 26 },
				  { 27, 28, 29, 30, 31, 32 },
				  0x3334,
				  0x3536 },
		};

		CHECK_TRANSLATION(spec, expected);
	}
}

static void flow_spec_ipv4_translates_addresses_only(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		const struct ibv_flow_spec_ipv4 spec = {
			.type = IBV_FLOW_SPEC_IPV4 | inner,
			.size = sizeof(spec),
			.val = { 0x01020304, 0x05060708 },
			.mask = { 0x11121314, 0x15161718 },
		};
		const struct ib_uverbs_flow_spec_ipv4 expected = {
			.type = 0x30 | inner,
			.size = sizeof(expected),
			.val = { .src_ip = 0x01020304, .dst_ip = 0x05060708 },
			.mask = { .src_ip = 0x11121314, .dst_ip = 0x15161718 },
		};

		CHECK_TRANSLATION(spec, expected);
	}
}

static struct ibv_flow_spec_ipv4_ext ipv4_ext(uint32_t inner)
{
	return (struct ibv_flow_spec_ipv4_ext){
		.type = IBV_FLOW_SPEC_IPV4_EXT | inner,
		.size = sizeof(struct ibv_flow_spec_ipv4_ext),
		.val = { 0x01020304, 0x05060708, 9, 10, 11, 12 },
		.mask = { 0x11121314, 0x15161718, 19, 20, 21, 22 },
	};
}

static const struct ib_uverbs_flow_spec_ipv4 kernel_ipv4 = {
	.type = 0x30,
	.size = sizeof(kernel_ipv4),
	.val = { 0x01020304, 0x05060708, 9, 10, 11, 12 },
	.mask = { 0x11121314, 0x15161718, 19, 20, 21, 22 },
};

static void flow_spec_ipv4_ext_becomes_kernel_ipv4(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		const struct ibv_flow_spec_ipv4_ext spec = ipv4_ext(inner);
		struct ib_uverbs_flow_spec_ipv4 expected = kernel_ipv4;

		expected.type |= inner;
		CHECK_TRANSLATION(spec, expected);
	}
}

static struct ibv_flow_spec_ipv6 ipv6(void)
{
	struct ibv_flow_spec_ipv6 spec = {
		.type = IBV_FLOW_SPEC_IPV6,
		.size = sizeof(spec),
		.val = { .flow_label = 0x01020304,
			 .next_hdr = 5,
			 .traffic_class = 6,
			 .hop_limit = 7 },
		.mask = { .flow_label = 0x11121314,
			  .next_hdr = 15,
			  .traffic_class = 16,
			  .hop_limit = 17 },
	};

	memset(spec.val.src_ip, 0xa1, 16);
	memset(spec.val.dst_ip, 0xa2, 16);
	memset(spec.mask.src_ip, 0xb1, 16);
	memset(spec.mask.dst_ip, 0xb2, 16);
	return spec;
}

static struct ib_uverbs_flow_spec_ipv6 kernel_ipv6(void)
{
	struct ib_uverbs_flow_spec_ipv6 spec = {
		.type = 0x31,
		.size = sizeof(spec),
		.val = { .flow_label = 0x01020304,
			 .next_hdr = 5,
			 .traffic_class = 6,
			 .hop_limit = 7 },
		.mask = { .flow_label = 0x11121314,
			  .next_hdr = 15,
			  .traffic_class = 16,
			  .hop_limit = 17 },
	};

	memset(spec.val.src_ip, 0xa1, 16);
	memset(spec.val.dst_ip, 0xa2, 16);
	memset(spec.mask.src_ip, 0xb1, 16);
	memset(spec.mask.dst_ip, 0xb2, 16);
	return spec;
}

static void flow_spec_ipv6_is_translated(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		struct ibv_flow_spec_ipv6 spec = ipv6();
		struct ib_uverbs_flow_spec_ipv6 expected = kernel_ipv6();

		spec.type |= inner;
		expected.type |= inner;
		CHECK_TRANSLATION(spec, expected);
	}
}

/* The kernel's reserved byte is padding in the application's struct. */
static void flow_spec_ipv6_padding_is_not_copied(void **state)
{
	struct ibv_flow_spec_ipv6 spec = ipv6();
	const struct ib_uverbs_flow_spec_ipv6 expected = kernel_ipv6();

	((uint8_t *)&spec.val)[39] = 0xee;
	((uint8_t *)&spec.mask)[39] = 0xff;
	CHECK_TRANSLATION(spec, expected);
}

static void flow_spec_esp_is_translated(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		const struct ibv_flow_spec_esp spec = {
			.type = IBV_FLOW_SPEC_ESP | inner,
			.size = sizeof(spec),
			.val = { 0x01020304, 0x05060708 },
			.mask = { 0x11121314, 0x15161718 },
		};
		const struct ib_uverbs_flow_spec_esp expected = {
			.type = 0x34 | inner,
			.size = sizeof(expected),
			.val = { .spi = 0x01020304, .seq = 0x05060708 },
			.mask = { .spi = 0x11121314, .seq = 0x15161718 },
		};

		CHECK_TRANSLATION(spec, expected);
	}
}

static void flow_spec_tcp_and_udp_are_translated(void **state)
{
	for (uint32_t type = 0x40; type <= 0x41; type++) {
		for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
			const struct ibv_flow_spec_tcp_udp spec = {
				.type = type | inner,
				.size = sizeof(spec),
				.val = { 0x0102, 0x0304 },
				.mask = { 0x1112, 0x1314 },
			};
			const struct ib_uverbs_flow_spec_tcp_udp expected = {
				.type = type | inner,
				.size = sizeof(expected),
				.val = { .dst_port = 0x0102,
					 .src_port = 0x0304 },
				.mask = { .dst_port = 0x1112,
					  .src_port = 0x1314 },
			};

			CHECK_TRANSLATION(spec, expected);
		}
	}
}

static struct ibv_flow_spec_tunnel vxlan(void)
{
	return (struct ibv_flow_spec_tunnel){
		.type = IBV_FLOW_SPEC_VXLAN_TUNNEL,
		.size = sizeof(struct ibv_flow_spec_tunnel),
		.val = { 0x01020304 },
		.mask = { 0x11121314 },
	};
}

static const struct ib_uverbs_flow_spec_tunnel kernel_vxlan = {
	.type = 0x50,
	.size = sizeof(kernel_vxlan),
	.val = { 0x01020304 },
	.mask = { 0x11121314 },
};

static void flow_spec_vxlan_is_translated(void **state)
{
	const struct ibv_flow_spec_tunnel spec = vxlan();

	CHECK_TRANSLATION(spec, kernel_vxlan);
}

static void flow_spec_gre_is_translated(void **state)
{
	const struct ibv_flow_spec_gre spec = {
		.type = IBV_FLOW_SPEC_GRE,
		.size = sizeof(spec),
		.val = { 0x0102, 0x0304, 0x05060708 },
		.mask = { 0x1112, 0x1314, 0x15161718 },
	};
	const struct ib_uverbs_flow_spec_gre expected = {
		.type = 0x51,
		.size = sizeof(expected),
		.val = { .c_ks_res0_ver = 0x0102,
			 .protocol = 0x0304,
			 .key = 0x05060708 },
		.mask = { .c_ks_res0_ver = 0x1112,
			  .protocol = 0x1314,
			  .key = 0x15161718 },
	};

	CHECK_TRANSLATION(spec, expected);
}

static void flow_spec_mpls_is_translated(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		const struct ibv_flow_spec_mpls spec = {
			.type = IBV_FLOW_SPEC_MPLS | inner,
			.size = sizeof(spec),
			.val = { 0x01020304 },
			.mask = { 0x11121314 },
		};
		const struct ib_uverbs_flow_spec_mpls expected = {
			.type = 0x60 | inner,
			.size = sizeof(expected),
			.val = { .label = 0x01020304 },
			.mask = { .label = 0x11121314 },
		};

		CHECK_TRANSLATION(spec, expected);
	}
}

/* ------------------------------------------------------------------------ */
/* Actions                                                                   */
/* ------------------------------------------------------------------------ */

static void flow_spec_action_tag_is_translated(void **state)
{
	const struct ibv_flow_spec_action_tag spec = {
		.type = IBV_FLOW_SPEC_ACTION_TAG,
		.size = sizeof(spec),
		.tag_id = 0x01020304,
	};
	const struct ib_uverbs_flow_spec_action_tag expected = {
		.type = 0x1000,
		.size = sizeof(expected),
		.tag_id = 0x01020304,
	};

	CHECK_TRANSLATION(spec, expected);
}

static void flow_spec_action_drop_is_translated(void **state)
{
	const struct ibv_flow_spec_action_drop spec = {
		.type = IBV_FLOW_SPEC_ACTION_DROP,
		.size = sizeof(spec),
	};
	const struct ib_uverbs_flow_spec_action_drop expected = {
		.type = 0x1001,
		.size = sizeof(expected),
	};

	CHECK_TRANSLATION(spec, expected);
}

static void flow_spec_action_handle_comes_from_object(void **state)
{
	const struct verbs_flow_action action = { .handle = 48 };
	struct ibv_flow_spec_action_handle spec = {
		.type = IBV_FLOW_SPEC_ACTION_HANDLE,
		.size = sizeof(spec),
		.action = &action.action,
	};
	const struct ib_uverbs_flow_spec_action_handle expected = {
		.type = 0x1002,
		.size = sizeof(expected),
		.handle = 48,
	};
	struct kernel_spec kernel_spec;

	CHECK_TRANSLATION(spec, expected);
	spec.action = NULL;
	assert_int_equal(translate_spec(&spec, sizeof(spec), &kernel_spec),
			 -EINVAL);
}

static void flow_spec_counters_handle_comes_from_object(void **state)
{
	struct verbs_counters counters = { .handle = 41 };
	struct ibv_flow_spec_counter_action spec = {
		.type = IBV_FLOW_SPEC_ACTION_COUNT,
		.size = sizeof(spec),
		.counters = &counters.counters,
	};
	const struct ib_uverbs_flow_spec_action_count expected = {
		.type = 0x1003,
		.size = sizeof(expected),
		.handle = 41,
	};
	struct kernel_spec kernel_spec;

	CHECK_TRANSLATION(spec, expected);
	spec.counters = NULL;
	assert_int_equal(translate_spec(&spec, sizeof(spec), &kernel_spec),
			 -EINVAL);
}

/* ------------------------------------------------------------------------ */
/* Sizes                                                                     */
/* ------------------------------------------------------------------------ */

/* A filter whose length follows from the size of the specification. */
struct sized_spec {
	uint32_t type;
	uint16_t size, padding;
	uint8_t filters[120];
};

static struct sized_spec sized_spec(uint32_t type, const void *val,
				    const void *mask, size_t known, size_t len)
{
	struct sized_spec ret = { .type = type,
				  .size = (uint16_t)(8 + 2 * len) };
	size_t copied = known < len ? known : len;

	memcpy(ret.filters, val, copied);
	memcpy(ret.filters + len, mask, copied);
	return ret;
}

static void flow_spec_longer_filter_moves_mask_offset(void **state)
{
	const struct ibv_flow_spec_ipv4_ext v4 = ipv4_ext(0);
	const struct ibv_flow_spec_tunnel tunnel = vxlan();
	const struct ibv_flow_spec_ipv6 v6 = ipv6();
	const struct ib_uverbs_flow_spec_ipv6 kernel_v6 = kernel_ipv6();

	for (size_t more = 0; more <= 16; more++) {
		struct sized_spec spec = sized_spec(v4.type, &v4.val, &v4.mask,
						    sizeof(v4.val), 12 + more);

		check_translation(&spec, spec.size, &kernel_ipv4,
				  sizeof(kernel_ipv4));
		spec = sized_spec(v6.type, &v6.val, &v6.mask, sizeof(v6.val),
				  40 + more);
		check_translation(&spec, spec.size, &kernel_v6,
				  sizeof(kernel_v6));
		spec = sized_spec(tunnel.type, &tunnel.val, &tunnel.mask,
				  sizeof(tunnel.val), 4 + more);
		check_translation(&spec, spec.size, &kernel_vxlan,
				  sizeof(kernel_vxlan));
		/* an odd byte after value and mask */
		spec.size++;
		check_translation(&spec, spec.size, &kernel_vxlan,
				  sizeof(kernel_vxlan));
	}
}

static void flow_spec_unknown_value_with_zero_mask_is_ignored(void **state)
{
	const struct ibv_flow_spec_tunnel tunnel = vxlan();
	struct sized_spec spec = sized_spec(
		tunnel.type, &tunnel.val, &tunnel.mask, sizeof(tunnel.val), 8);
	struct kernel_spec kernel_spec;

	memset(spec.filters + 4, 0xff, 4);
	check_translation(&spec, spec.size, &kernel_vxlan,
			  sizeof(kernel_vxlan));
	for (size_t i = 12; i < 16; i++) {
		spec.filters[i] = 1;
		assert_int_equal(translate_spec(&spec, spec.size, &kernel_spec),
				 -EOPNOTSUPP);
		spec.filters[i] = 0;
	}
}

static void flow_spec_unknown_mask_returns_eopnotsupp(void **state)
{
	const struct ibv_flow_spec_ipv6 v6 = ipv6();
	const struct ibv_flow_spec_ipv4_ext v4 = ipv4_ext(0);
	struct sized_spec spec =
		sized_spec(v6.type, &v6.val, &v6.mask, sizeof(v6.val), 44);
	struct kernel_spec kernel_spec;

	spec.filters[87] = 1;
	assert_int_equal(translate_spec(&spec, spec.size, &kernel_spec),
			 -EOPNOTSUPP);
	spec = sized_spec(v4.type, &v4.val, &v4.mask, sizeof(v4.val), 13);
	spec.filters[25] = 0x80;
	assert_int_equal(translate_spec(&spec, spec.size, &kernel_spec),
			 -EOPNOTSUPP);
}

static void flow_spec_shorter_filter_leaves_rest_zero(void **state)
{
	const struct ibv_flow_spec_ipv4_ext v4 = ipv4_ext(0);
	const struct ibv_flow_spec_ipv6 v6 = ipv6();

	for (size_t len = 8; len < 12; len++) {
		const struct sized_spec spec = sized_spec(
			v4.type, &v4.val, &v4.mask, sizeof(v4.val), len);
		struct ib_uverbs_flow_spec_ipv4 expected = kernel_ipv4;

		memset((char *)&expected.val + len, 0, 12 - len);
		memset((char *)&expected.mask + len, 0, 12 - len);
		check_translation(&spec, spec.size, &expected,
				  sizeof(expected));
	}
	for (size_t len = 32; len < 40; len++) {
		const struct sized_spec spec = sized_spec(
			v6.type, &v6.val, &v6.mask, sizeof(v6.val), len);
		struct ib_uverbs_flow_spec_ipv6 expected = kernel_ipv6();

		memset((char *)&expected.val + len, 0, 40 - len);
		memset((char *)&expected.mask + len, 0, 40 - len);
		check_translation(&spec, spec.size, &expected,
				  sizeof(expected));
	}
}

/* Minimum size of each type, without padding. */
static const struct {
	uint32_t type;
	uint16_t min_size;
	uint16_t size;
} min_sizes[] = {
	{ IBV_FLOW_SPEC_ETH, 38, sizeof(struct ibv_flow_spec_eth) },
	{ IBV_FLOW_SPEC_IPV4, 24, sizeof(struct ibv_flow_spec_ipv4) },
	{ IBV_FLOW_SPEC_IPV4_EXT, 24, sizeof(struct ibv_flow_spec_ipv4_ext) },
	{ IBV_FLOW_SPEC_IPV6, 72, sizeof(struct ibv_flow_spec_ipv6) },
	{ IBV_FLOW_SPEC_ESP, 24, sizeof(struct ibv_flow_spec_esp) },
	{ IBV_FLOW_SPEC_TCP, 14, sizeof(struct ibv_flow_spec_tcp_udp) },
	{ IBV_FLOW_SPEC_UDP, 14, sizeof(struct ibv_flow_spec_tcp_udp) },
	{ IBV_FLOW_SPEC_VXLAN_TUNNEL, 16, sizeof(struct ibv_flow_spec_tunnel) },
	{ IBV_FLOW_SPEC_GRE, 24, sizeof(struct ibv_flow_spec_gre) },
	{ IBV_FLOW_SPEC_MPLS, 16, sizeof(struct ibv_flow_spec_mpls) },
	{ IBV_FLOW_SPEC_ACTION_TAG, 12,
	  sizeof(struct ibv_flow_spec_action_tag) },
	{ IBV_FLOW_SPEC_ACTION_DROP, 6,
	  sizeof(struct ibv_flow_spec_action_drop) },
};
#define NR_SIZES (sizeof(min_sizes) / sizeof(*min_sizes))

static void flow_spec_size_below_minimum_is_refused(void **state)
{
	for (size_t i = 0; i < NR_SIZES; i++) {
		for (uint16_t size = 0; size <= min_sizes[i].size; size++) {
			struct sized_spec spec = { .type = min_sizes[i].type,
						   .size = size };
			/* the header is always present */
			size_t len = size < 6 ? 6 : size;
			struct kernel_spec kernel_spec;
			int ret = translate_spec(&spec, len, &kernel_spec);

			assert_int_equal(ret, size < min_sizes[i].min_size
						      ? -EINVAL
						      : 0);
			if (!ret)
				assert_int_equal(kernel_spec.from_len, size);
		}
	}
}

/* Actions with an object require the whole struct. */
static void flow_spec_action_size_below_full_struct_is_refused(void **state)
{
	const uint16_t least = sizeof(struct ibv_flow_spec_action_handle);

	for (uint32_t type = 0x1002; type <= 0x1003; type++) {
		for (uint16_t size = 0; size < least; size++) {
			struct sized_spec spec = { .type = type, .size = size };
			struct kernel_spec kernel_spec;

			memset(spec.filters, 0xff, sizeof(spec.filters));
			assert_int_equal(translate_spec(&spec,
							size < 6 ? 6 : size,
							&kernel_spec),
					 -EINVAL);
		}
	}
}

static void flow_spec_unknown_type_is_refused(void **state)
{
	static const uint32_t types[] = { 0,	  0x21,	  0x33,
					  0x61,	  0x100,  0x1004,
					  0x1100, 0x1102, UINT32_MAX };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct sized_spec spec = { .type = types[i],
						 .size = 120 };
		struct kernel_spec kernel_spec;

		assert_int_equal(translate_spec(&spec, spec.size, &kernel_spec),
				 -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_spec_eth_is_translated),
		cmocka_unit_test(flow_spec_ipv4_translates_addresses_only),
		cmocka_unit_test(flow_spec_ipv4_ext_becomes_kernel_ipv4),
		cmocka_unit_test(flow_spec_ipv6_is_translated),
		cmocka_unit_test(flow_spec_ipv6_padding_is_not_copied),
		cmocka_unit_test(flow_spec_esp_is_translated),
		cmocka_unit_test(flow_spec_tcp_and_udp_are_translated),
		cmocka_unit_test(flow_spec_vxlan_is_translated),
		cmocka_unit_test(flow_spec_gre_is_translated),
		cmocka_unit_test(flow_spec_mpls_is_translated),
		cmocka_unit_test(flow_spec_action_tag_is_translated),
		cmocka_unit_test(flow_spec_action_drop_is_translated),
		cmocka_unit_test(flow_spec_action_handle_comes_from_object),
		cmocka_unit_test(flow_spec_counters_handle_comes_from_object),
		cmocka_unit_test(flow_spec_longer_filter_moves_mask_offset),
		cmocka_unit_test(
			flow_spec_unknown_value_with_zero_mask_is_ignored),
		cmocka_unit_test(flow_spec_unknown_mask_returns_eopnotsupp),
		cmocka_unit_test(flow_spec_shorter_filter_leaves_rest_zero),
		cmocka_unit_test(flow_spec_size_below_minimum_is_refused),
		cmocka_unit_test(
			flow_spec_action_size_below_full_struct_is_refused),
		cmocka_unit_test(flow_spec_unknown_type_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
