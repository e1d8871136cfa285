/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares the copies from and to the structs of the kernel member by member.
 * Every byte of the source has a different value, so that the test detects a
 * member that was copied from its neighbour.
 */
#include "api/marshall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UNTOUCHED 0xee

static void fill_with_counter(void *mem, size_t len)
{
	uint8_t *bytes = mem;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i + 1);
}

#define assert_same(a, b, member) assert_int_equal((a).member, (b).member)

static void assert_ah_attr(const struct ibv_ah_attr *verbs,
			   const struct ib_uverbs_ah_attr *kern)
{
	assert_memory_equal(verbs->grh.dgid.raw, kern->grh.dgid, 16);
	assert_same(*verbs, *kern, grh.flow_label);
	assert_same(*verbs, *kern, grh.sgid_index);
	assert_same(*verbs, *kern, grh.hop_limit);
	assert_same(*verbs, *kern, grh.traffic_class);
	assert_same(*verbs, *kern, dlid);
	assert_same(*verbs, *kern, sl);
	assert_same(*verbs, *kern, src_path_bits);
	assert_same(*verbs, *kern, static_rate);
	assert_same(*verbs, *kern, is_global);
	assert_same(*verbs, *kern, port_num);
}

static void copy_ah_attr_from_kern_copies_every_member(void **state)
{
	struct ib_uverbs_ah_attr kern;
	struct ibv_ah_attr verbs;

	fill_with_counter(&kern, sizeof(kern));
	memset(&verbs, UNTOUCHED, sizeof(verbs));
	ibv_copy_ah_attr_from_kern(&verbs, &kern);
	assert_ah_attr(&verbs, &kern);
}

static void copy_qp_attr_from_kern_copies_members(void **state)
{
	struct ib_uverbs_qp_attr kern;
	struct ibv_qp_attr verbs;

	fill_with_counter(&kern, sizeof(kern));
	memset(&verbs, UNTOUCHED, sizeof(verbs));
	ibv_copy_qp_attr_from_kern(&verbs, &kern);

	assert_same(verbs, kern, cur_qp_state);
	assert_same(verbs, kern, path_mtu);
	assert_same(verbs, kern, path_mig_state);
	assert_same(verbs, kern, qkey);
	assert_same(verbs, kern, rq_psn);
	assert_same(verbs, kern, sq_psn);
	assert_same(verbs, kern, dest_qp_num);
	assert_int_equal((__u32)verbs.qp_access_flags, kern.qp_access_flags);
	assert_int_equal(verbs.cap.max_send_wr, kern.max_send_wr);
	assert_int_equal(verbs.cap.max_recv_wr, kern.max_recv_wr);
	assert_int_equal(verbs.cap.max_send_sge, kern.max_send_sge);
	assert_int_equal(verbs.cap.max_recv_sge, kern.max_recv_sge);
	assert_int_equal(verbs.cap.max_inline_data, kern.max_inline_data);
	assert_ah_attr(&verbs.ah_attr, &kern.ah_attr);
	assert_ah_attr(&verbs.alt_ah_attr, &kern.alt_ah_attr);
	assert_same(verbs, kern, pkey_index);
	assert_same(verbs, kern, alt_pkey_index);
	assert_same(verbs, kern, en_sqd_async_notify);
	assert_same(verbs, kern, sq_draining);
	assert_same(verbs, kern, max_rd_atomic);
	assert_same(verbs, kern, max_dest_rd_atomic);
	assert_same(verbs, kern, min_rnr_timer);
	assert_same(verbs, kern, port_num);
	assert_same(verbs, kern, timeout);
	assert_same(verbs, kern, retry_cnt);
	assert_same(verbs, kern, rnr_retry);
	assert_same(verbs, kern, alt_port_num);
	assert_same(verbs, kern, alt_timeout);
}

/*
 * librdmacm sets the requested state in the struct before it gets the other
 * attributes from the kernel.
 */
static void copy_qp_attr_from_kern_keeps_qp_state_and_rate_limit(void **state)
{
	struct ibv_qp_attr verbs = { .qp_state = IBV_QPS_RTR,
				     .rate_limit = 77 };
	struct ib_uverbs_qp_attr kern;

	fill_with_counter(&kern, sizeof(kern));
	ibv_copy_qp_attr_from_kern(&verbs, &kern);
	assert_int_equal(verbs.qp_state, IBV_QPS_RTR);
	assert_int_equal(verbs.rate_limit, 77);
}

static void assert_path_rec(const struct ibv_sa_path_rec *verbs,
			    const struct ib_user_path_rec *kern)
{
	assert_memory_equal(verbs->dgid.raw, kern->dgid, 16);
	assert_memory_equal(verbs->sgid.raw, kern->sgid, 16);
	assert_same(*verbs, *kern, dlid);
	assert_same(*verbs, *kern, slid);
	assert_int_equal((__u32)verbs->raw_traffic, kern->raw_traffic);
	assert_same(*verbs, *kern, flow_label);
	assert_same(*verbs, *kern, hop_limit);
	assert_same(*verbs, *kern, traffic_class);
	assert_int_equal((__u32)verbs->reversible, kern->reversible);
	assert_same(*verbs, *kern, numb_path);
	assert_same(*verbs, *kern, pkey);
	assert_same(*verbs, *kern, sl);
	assert_same(*verbs, *kern, mtu_selector);
	assert_same(*verbs, *kern, mtu);
	assert_same(*verbs, *kern, rate_selector);
	assert_same(*verbs, *kern, rate);
	assert_same(*verbs, *kern, packet_life_time_selector);
	assert_same(*verbs, *kern, packet_life_time);
	assert_same(*verbs, *kern, preference);
}

static void copy_path_rec_from_kern_copies_every_member(void **state)
{
	struct ib_user_path_rec kern;
	struct ibv_sa_path_rec verbs;

	fill_with_counter(&kern, sizeof(kern));
	kern.mtu = IBV_MTU_4096; /* struct ibv_sa_path_rec has 8 bits */
	memset(&verbs, UNTOUCHED, sizeof(verbs));
	ibv_copy_path_rec_from_kern(&verbs, &kern);
	assert_path_rec(&verbs, &kern);
}

static void copy_path_rec_to_kern_copies_every_member(void **state)
{
	struct ib_user_path_rec kern;
	struct ibv_sa_path_rec verbs;

	fill_with_counter(&verbs, sizeof(verbs));
	memset(&kern, UNTOUCHED, sizeof(kern));
	ibv_copy_path_rec_to_kern(&kern, &verbs);
	assert_path_rec(&verbs, &kern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copy_ah_attr_from_kern_copies_every_member),
		cmocka_unit_test(copy_qp_attr_from_kern_copies_members),
		cmocka_unit_test(
			copy_qp_attr_from_kern_keeps_qp_state_and_rate_limit),
		cmocka_unit_test(copy_path_rec_from_kern_copies_every_member),
		cmocka_unit_test(copy_path_rec_to_kern_copies_every_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
