/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translation of flow specifications: each type field by field, the sizes they
 * may have, and those they may not. A specification stands at the end of a
 * block of memory, so that a sanitizer sees when more of it is read.
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

/* last: it needs the four above */
#include <cmocka.h>

#define INNER IBV_FLOW_SPEC_INNER

/* What came out: the kernel's bytes. */
struct answer {
	uint64_t bytes[FLOW_SPEC_MAX_LEN / 8];
	size_t from_len, len;
};

static int translate(const void *spec, size_t size, struct answer *answer)
{
	/* an odd address: nothing is aligned */
	char *block = malloc(size + 1);
	int ret;

	assert_non_null(block);
	memcpy(block + 1, spec, size);
	*answer = (struct answer){};
	ret = flow_spec_to_kernel(block + 1, answer->bytes, &answer->from_len,
				  &answer->len);
	free(block);
	return ret;
}

static void check(const void *spec, size_t size, const void *expected,
		  size_t len)
{
	struct answer answer;

	assert_int_equal(translate(spec, size, &answer), 0);
	assert_int_equal(answer.from_len, size);
	assert_int_equal(answer.len, len);
	assert_int_equal(len % 8, 0);
	assert_memory_equal(answer.bytes, expected, len);
}

#define CHECK(spec, expected) \
	check(&(spec), sizeof(spec), &(expected), sizeof(expected))

/* ------------------------------------------------------------------------ */
/* Filters                                                                   */
/* ------------------------------------------------------------------------ */

static void eth_is_translated(void **state)
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

		CHECK(spec, expected);
	}
}

static void ipv4_has_only_addresses(void **state)
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

		CHECK(spec, expected);
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

static void ipv4_ext_is_the_kernels_ipv4(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		const struct ibv_flow_spec_ipv4_ext spec = ipv4_ext(inner);
		struct ib_uverbs_flow_spec_ipv4 expected = kernel_ipv4;

		expected.type |= inner;
		CHECK(spec, expected);
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

static void ipv6_is_translated(void **state)
{
	for (uint32_t inner = 0; inner <= INNER; inner += INNER) {
		struct ibv_flow_spec_ipv6 spec = ipv6();
		struct ib_uverbs_flow_spec_ipv6 expected = kernel_ipv6();

		spec.type |= inner;
		expected.type |= inner;
		CHECK(spec, expected);
	}
}

/* The byte that the kernel calls reserved is padding in our struct. */
static void padding_of_ipv6_is_not_sent(void **state)
{
	struct ibv_flow_spec_ipv6 spec = ipv6();
	const struct ib_uverbs_flow_spec_ipv6 expected = kernel_ipv6();

	((uint8_t *)&spec.val)[39] = 0xee;
	((uint8_t *)&spec.mask)[39] = 0xff;
	CHECK(spec, expected);
}

static void esp_is_translated(void **state)
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

		CHECK(spec, expected);
	}
}

static void tcp_and_udp_are_translated(void **state)
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

			CHECK(spec, expected);
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

static void vxlan_is_translated(void **state)
{
	const struct ibv_flow_spec_tunnel spec = vxlan();

	CHECK(spec, kernel_vxlan);
}

static void gre_is_translated(void **state)
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

	CHECK(spec, expected);
}

static void mpls_is_translated(void **state)
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

		CHECK(spec, expected);
	}
}

/* ------------------------------------------------------------------------ */
/* Actions                                                                   */
/* ------------------------------------------------------------------------ */

static void tag_is_translated(void **state)
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

	CHECK(spec, expected);
}

static void drop_is_translated(void **state)
{
	const struct ibv_flow_spec_action_drop spec = {
		.type = IBV_FLOW_SPEC_ACTION_DROP,
		.size = sizeof(spec),
	};
	const struct ib_uverbs_flow_spec_action_drop expected = {
		.type = 0x1001,
		.size = sizeof(expected),
	};

	CHECK(spec, expected);
}

static void handle_of_an_action_is_taken_from_the_object(void **state)
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
	struct answer answer;

	CHECK(spec, expected);
	spec.action = NULL;
	assert_int_equal(translate(&spec, sizeof(spec), &answer), -EINVAL);
}

static void handle_of_counters_is_taken_from_the_object(void **state)
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
	struct answer answer;

	CHECK(spec, expected);
	spec.counters = NULL;
	assert_int_equal(translate(&spec, sizeof(spec), &answer), -EINVAL);
}

/* ------------------------------------------------------------------------ */
/* Sizes                                                                     */
/* ------------------------------------------------------------------------ */

/* A filter of the length that the specification's size implies. */
struct sized {
	uint32_t type;
	uint16_t size, padding;
	uint8_t filters[120];
};

static struct sized sized(uint32_t type, const void *val, const void *mask,
			  size_t known, size_t len)
{
	struct sized ret = { .type = type, .size = (uint16_t)(8 + 2 * len) };
	size_t copied = known < len ? known : len;

	memcpy(ret.filters, val, copied);
	memcpy(ret.filters + len, mask, copied);
	return ret;
}

static void a_longer_filter_has_its_mask_further_back(void **state)
{
	const struct ibv_flow_spec_ipv4_ext v4 = ipv4_ext(0);
	const struct ibv_flow_spec_tunnel tunnel = vxlan();
	const struct ibv_flow_spec_ipv6 v6 = ipv6();
	const struct ib_uverbs_flow_spec_ipv6 kernel_v6 = kernel_ipv6();

	for (size_t more = 0; more <= 16; more++) {
		struct sized spec = sized(v4.type, &v4.val, &v4.mask,
					  sizeof(v4.val), 12 + more);

		check(&spec, spec.size, &kernel_ipv4, sizeof(kernel_ipv4));
		spec = sized(v6.type, &v6.val, &v6.mask, sizeof(v6.val),
			     40 + more);
		check(&spec, spec.size, &kernel_v6, sizeof(kernel_v6));
		spec = sized(tunnel.type, &tunnel.val, &tunnel.mask,
			     sizeof(tunnel.val), 4 + more);
		check(&spec, spec.size, &kernel_vxlan, sizeof(kernel_vxlan));
		/* a byte that belongs to neither half */
		spec.size++;
		check(&spec, spec.size, &kernel_vxlan, sizeof(kernel_vxlan));
	}
}

static void unknown_values_do_not_matter_without_a_mask(void **state)
{
	const struct ibv_flow_spec_tunnel tunnel = vxlan();
	struct sized spec = sized(tunnel.type, &tunnel.val, &tunnel.mask,
				  sizeof(tunnel.val), 8);
	struct answer answer;

	memset(spec.filters + 4, 0xff, 4);
	check(&spec, spec.size, &kernel_vxlan, sizeof(kernel_vxlan));
	for (size_t i = 12; i < 16; i++) {
		spec.filters[i] = 1;
		assert_int_equal(translate(&spec, spec.size, &answer),
				 -EOPNOTSUPP);
		spec.filters[i] = 0;
	}
}

static void a_mask_of_unknown_fields_is_not_supported(void **state)
{
	const struct ibv_flow_spec_ipv6 v6 = ipv6();
	const struct ibv_flow_spec_ipv4_ext v4 = ipv4_ext(0);
	struct sized spec =
		sized(v6.type, &v6.val, &v6.mask, sizeof(v6.val), 44);
	struct answer answer;

	spec.filters[87] = 1;
	assert_int_equal(translate(&spec, spec.size, &answer), -EOPNOTSUPP);
	spec = sized(v4.type, &v4.val, &v4.mask, sizeof(v4.val), 13);
	spec.filters[25] = 0x80;
	assert_int_equal(translate(&spec, spec.size, &answer), -EOPNOTSUPP);
}

static void a_shorter_filter_does_not_match_the_rest(void **state)
{
	const struct ibv_flow_spec_ipv4_ext v4 = ipv4_ext(0);
	const struct ibv_flow_spec_ipv6 v6 = ipv6();

	for (size_t len = 8; len < 12; len++) {
		const struct sized spec =
			sized(v4.type, &v4.val, &v4.mask, sizeof(v4.val), len);
		struct ib_uverbs_flow_spec_ipv4 expected = kernel_ipv4;

		memset((char *)&expected.val + len, 0, 12 - len);
		memset((char *)&expected.mask + len, 0, 12 - len);
		check(&spec, spec.size, &expected, sizeof(expected));
	}
	for (size_t len = 32; len < 40; len++) {
		const struct sized spec =
			sized(v6.type, &v6.val, &v6.mask, sizeof(v6.val), len);
		struct ib_uverbs_flow_spec_ipv6 expected = kernel_ipv6();

		memset((char *)&expected.val + len, 0, 40 - len);
		memset((char *)&expected.mask + len, 0, 40 - len);
		check(&spec, spec.size, &expected, sizeof(expected));
	}
}

/* What the struct of each type needs at least, its padding not counted. */
static const struct {
	uint32_t type;
	uint16_t min_size;
	uint16_t size;
} sizes[] = {
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
#define NR_SIZES (sizeof(sizes) / sizeof(*sizes))

static void each_size_below_the_least_is_refused(void **state)
{
	for (size_t i = 0; i < NR_SIZES; i++) {
		for (uint16_t size = 0; size <= sizes[i].size; size++) {
			struct sized spec = { .type = sizes[i].type,
					      .size = size };
			/* the head is always there */
			size_t len = size < 6 ? 6 : size;
			struct answer answer;
			int ret = translate(&spec, len, &answer);

			assert_int_equal(ret, size < sizes[i].min_size ? -EINVAL
								       : 0);
			if (!ret)
				assert_int_equal(answer.from_len, size);
		}
	}
}

/* Of actions with an object all must be there. */
static void each_size_below_an_objects_address_is_refused(void **state)
{
	const uint16_t least = sizeof(struct ibv_flow_spec_action_handle);

	for (uint32_t type = 0x1002; type <= 0x1003; type++) {
		for (uint16_t size = 0; size < least; size++) {
			struct sized spec = { .type = type, .size = size };
			struct answer answer;

			memset(spec.filters, 0xff, sizeof(spec.filters));
			assert_int_equal(
				translate(&spec, size < 6 ? 6 : size, &answer),
				-EINVAL);
		}
	}
}

static void unknown_types_are_refused(void **state)
{
	static const uint32_t types[] = { 0,	  0x21,	  0x33,
					  0x61,	  0x100,  0x1004,
					  0x1100, 0x1102, UINT32_MAX };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct sized spec = { .type = types[i], .size = 120 };
		struct answer answer;

		assert_int_equal(translate(&spec, spec.size, &answer), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eth_is_translated),
		cmocka_unit_test(ipv4_has_only_addresses),
		cmocka_unit_test(ipv4_ext_is_the_kernels_ipv4),
		cmocka_unit_test(ipv6_is_translated),
		cmocka_unit_test(padding_of_ipv6_is_not_sent),
		cmocka_unit_test(esp_is_translated),
		cmocka_unit_test(tcp_and_udp_are_translated),
		cmocka_unit_test(vxlan_is_translated),
		cmocka_unit_test(gre_is_translated),
		cmocka_unit_test(mpls_is_translated),
		cmocka_unit_test(tag_is_translated),
		cmocka_unit_test(drop_is_translated),
		cmocka_unit_test(handle_of_an_action_is_taken_from_the_object),
		cmocka_unit_test(handle_of_counters_is_taken_from_the_object),
		cmocka_unit_test(a_longer_filter_has_its_mask_further_back),
		cmocka_unit_test(unknown_values_do_not_matter_without_a_mask),
		cmocka_unit_test(a_mask_of_unknown_fields_is_not_supported),
		cmocka_unit_test(a_shorter_filter_does_not_match_the_rest),
		cmocka_unit_test(each_size_below_the_least_is_refused),
		cmocka_unit_test(each_size_below_an_objects_address_is_refused),
		cmocka_unit_test(unknown_types_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
