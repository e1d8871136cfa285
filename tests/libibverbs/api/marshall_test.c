/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies from and to the kernel's structs, member by member. The source holds
 * another byte in each place, so that no member can be taken for its neighbour.
 */
#include "api/marshall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UNTOUCHED 0xee

static void fill_counting(void *mem, size_t len)
{
	uint8_t *bytes = mem;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i + 1);
}

#define assert_same(a, b, member) assert_int_equal((a).member, (b).member)

static void assert_ah_attr(const struct ibv_ah_attr *ours,
			   const struct ib_uverbs_ah_attr *theirs)
{
	assert_memory_equal(ours->grh.dgid.raw, theirs->grh.dgid, 16);
	assert_same(*ours, *theirs, grh.flow_label);
	assert_same(*ours, *theirs, grh.sgid_index);
	assert_same(*ours, *theirs, grh.hop_limit);
	assert_same(*ours, *theirs, grh.traffic_class);
	assert_same(*ours, *theirs, dlid);
	assert_same(*ours, *theirs, sl);
	assert_same(*ours, *theirs, src_path_bits);
	assert_same(*ours, *theirs, static_rate);
	assert_same(*ours, *theirs, is_global);
	assert_same(*ours, *theirs, port_num);
}

static void ah_attr_is_copied(void **state)
{
	struct ib_uverbs_ah_attr theirs;
	struct ibv_ah_attr ours;

	fill_counting(&theirs, sizeof(theirs));
	memset(&ours, UNTOUCHED, sizeof(ours));
	ibv_copy_ah_attr_from_kern(&ours, &theirs);
	assert_ah_attr(&ours, &theirs);
}

static void qp_attr_is_copied(void **state)
{
	struct ib_uverbs_qp_attr theirs;
	struct ibv_qp_attr ours;

	fill_counting(&theirs, sizeof(theirs));
	memset(&ours, UNTOUCHED, sizeof(ours));
	ibv_copy_qp_attr_from_kern(&ours, &theirs);

	assert_same(ours, theirs, cur_qp_state);
	assert_same(ours, theirs, path_mtu);
	assert_same(ours, theirs, path_mig_state);
	assert_same(ours, theirs, qkey);
	assert_same(ours, theirs, rq_psn);
	assert_same(ours, theirs, sq_psn);
	assert_same(ours, theirs, dest_qp_num);
	assert_int_equal((__u32)ours.qp_access_flags, theirs.qp_access_flags);
	assert_int_equal(ours.cap.max_send_wr, theirs.max_send_wr);
	assert_int_equal(ours.cap.max_recv_wr, theirs.max_recv_wr);
	assert_int_equal(ours.cap.max_send_sge, theirs.max_send_sge);
	assert_int_equal(ours.cap.max_recv_sge, theirs.max_recv_sge);
	assert_int_equal(ours.cap.max_inline_data, theirs.max_inline_data);
	assert_ah_attr(&ours.ah_attr, &theirs.ah_attr);
	assert_ah_attr(&ours.alt_ah_attr, &theirs.alt_ah_attr);
	assert_same(ours, theirs, pkey_index);
	assert_same(ours, theirs, alt_pkey_index);
	assert_same(ours, theirs, en_sqd_async_notify);
	assert_same(ours, theirs, sq_draining);
	assert_same(ours, theirs, max_rd_atomic);
	assert_same(ours, theirs, max_dest_rd_atomic);
	assert_same(ours, theirs, min_rnr_timer);
	assert_same(ours, theirs, port_num);
	assert_same(ours, theirs, timeout);
	assert_same(ours, theirs, retry_cnt);
	assert_same(ours, theirs, rnr_retry);
	assert_same(ours, theirs, alt_port_num);
	assert_same(ours, theirs, alt_timeout);
}

/* librdmacm puts the state it wants there before it asks for the rest. */
static void qp_state_and_rate_limit_are_left_alone(void **state)
{
	struct ibv_qp_attr ours = { .qp_state = IBV_QPS_RTR, .rate_limit = 77 };
	struct ib_uverbs_qp_attr theirs;

	fill_counting(&theirs, sizeof(theirs));
	ibv_copy_qp_attr_from_kern(&ours, &theirs);
	assert_int_equal(ours.qp_state, IBV_QPS_RTR);
	assert_int_equal(ours.rate_limit, 77);
}

static void assert_path_rec(const struct ibv_sa_path_rec *ours,
			    const struct ib_user_path_rec *theirs)
{
	assert_memory_equal(ours->dgid.raw, theirs->dgid, 16);
	assert_memory_equal(ours->sgid.raw, theirs->sgid, 16);
	assert_same(*ours, *theirs, dlid);
	assert_same(*ours, *theirs, slid);
	assert_int_equal((__u32)ours->raw_traffic, theirs->raw_traffic);
	assert_same(*ours, *theirs, flow_label);
	assert_same(*ours, *theirs, hop_limit);
	assert_same(*ours, *theirs, traffic_class);
	assert_int_equal((__u32)ours->reversible, theirs->reversible);
	assert_same(*ours, *theirs, numb_path);
	assert_same(*ours, *theirs, pkey);
	assert_same(*ours, *theirs, sl);
	assert_same(*ours, *theirs, mtu_selector);
	assert_same(*ours, *theirs, mtu);
	assert_same(*ours, *theirs, rate_selector);
	assert_same(*ours, *theirs, rate);
	assert_same(*ours, *theirs, packet_life_time_selector);
	assert_same(*ours, *theirs, packet_life_time);
	assert_same(*ours, *theirs, preference);
}

static void path_rec_is_copied_from_the_kernel(void **state)
{
	struct ib_user_path_rec theirs;
	struct ibv_sa_path_rec ours;

	fill_counting(&theirs, sizeof(theirs));
	theirs.mtu = IBV_MTU_4096; /* ours has eight bits */
	memset(&ours, UNTOUCHED, sizeof(ours));
	ibv_copy_path_rec_from_kern(&ours, &theirs);
	assert_path_rec(&ours, &theirs);
}

static void path_rec_is_copied_to_the_kernel(void **state)
{
	struct ib_user_path_rec theirs;
	struct ibv_sa_path_rec ours;

	fill_counting(&ours, sizeof(ours));
	memset(&theirs, UNTOUCHED, sizeof(theirs));
	ibv_copy_path_rec_to_kern(&theirs, &ours);
	assert_path_rec(&ours, &theirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ah_attr_is_copied),
		cmocka_unit_test(qp_attr_is_copied),
		cmocka_unit_test(qp_state_and_rate_limit_are_left_alone),
		cmocka_unit_test(path_rec_is_copied_from_the_kernel),
		cmocka_unit_test(path_rec_is_copied_to_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
