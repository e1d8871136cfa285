/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What posting accepts in each state and for each type of QP (IBTA 10.3.1,
 * ibv_post_send(3), ibv_post_recv(3)), and ibv_req_notify_cq() on a CQ without
 * a completion channel.
 */
#include <errno.h>
#include <string.h>

#include "verbs_fixture.h"

static int send_8_bytes(struct ibv_qp *qp)
{
	const struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	return fixture_post(qp, wr, fixture.memory, 8);
}

static int receive(struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory + 1024, 1024,
			       fixture.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1 },
			   *bad = NULL;
	int err = ibv_post_recv(qp, &wr, &bad);

	if (err)
		assert_ptr_equal(bad, &wr);
	return err;
}

static void verbs_post_send_before_rts_returns_einval(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);

	assert_int_equal(send_8_bytes(qp), EINVAL);
	fixture_to_init(qp);
	assert_int_equal(send_8_bytes(qp), EINVAL);
	fixture_to_rtr(qp, fixture.right);
	assert_int_equal(send_8_bytes(qp), EINVAL);
	fixture_to_rts(qp);
	assert_int_equal(send_8_bytes(qp), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void verbs_wr_complete_before_rts_returns_einval(void **state)
{
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	for (int i = 0; i < 3; i++) {
		ibv_wr_start(qpx);
		ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, fixture.mr->lkey, (uintptr_t)fixture.memory,
			       8);
		assert_int_equal(ibv_wr_complete(qpx), EINVAL);
		if (i == 0)
			fixture_to_init(qp);
		else if (i == 1)
			fixture_to_rtr(qp, fixture.right);
	}
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void verbs_post_recv_in_reset_returns_einval(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);

	assert_int_equal(receive(qp, 1), EINVAL);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void verbs_post_recv_in_init_and_rtr_gets_messages(void **state)
{
	struct ibv_qp *qps[2];

	for (int i = 0; i < 2; i++) {
		qps[i] = fixture_new_qp(IBV_QPT_RC);
		fixture_to_init(qps[i]);
		assert_int_equal(receive(qps[i], 1), 0);
	}
	for (int i = 0; i < 2; i++) {
		fixture_to_rtr(qps[i], qps[!i]);
		assert_int_equal(receive(qps[i], 2), 0);
	}
	fixture_to_rts(qps[0]);
	for (uint64_t wr_id = 1; wr_id <= 2; wr_id++) {
		unsigned int received = 0;

		assert_int_equal(send_8_bytes(qps[0]), 0);
		for (int i = 0; i < 2; i++) {
			struct ibv_wc wc = fixture_poll(fixture.cq);

			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			if (wc.opcode != IBV_WC_RECV)
				continue;
			assert_int_equal(wc.wr_id, wr_id);
			received++;
		}
		assert_int_equal(received, 1);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(ibv_destroy_qp(qps[i]), 0);
}

static void verbs_post_in_err_completes_with_flush_error(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp *qp = fixture.left;

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(send_8_bytes(qp), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(receive(qp, 1), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_WR_FLUSH_ERR);
}

/* -- UD -- */

static struct ibv_ah *new_ah(void)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct ibv_ah *ah;

	attr.grh.sgid_index = fixture_gid_index();
	assert_int_equal(ibv_query_gid(fixture.ctx, 1, fixture_gid_index(),
				       &attr.grh.dgid),
			 0);
	ah = ibv_create_ah(fixture.pd, &attr);
	assert_non_null(ah);
	return ah;
}

static struct ibv_send_wr datagram(const struct ibv_qp *to, struct ibv_ah *ah)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = to->qp_num;
	wr.wr.ud.remote_qkey = 0x1234;
	return wr;
}

static void verbs_post_send_rdma_to_ud_returns_einval(void **state)
{
	static const enum ibv_wr_opcode rejected[] = {
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_INV,
		IBV_WR_LOCAL_INV,
		IBV_WR_BIND_MW,
	};
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_UD);
	struct ibv_ah *ah = new_ah();
	struct ibv_send_wr wr = datagram(qp, ah);

	fixture_to_init(qp);
	assert_int_equal(receive(qp, 1), 0);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
	for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
		wr.opcode = rejected[i];
		assert_int_equal(fixture_post(qp, wr, fixture.memory, 8),
				 EINVAL);
	}
	/* the QP still works */
	assert_int_equal(qp->state, IBV_QPS_RTS);
	wr.opcode = IBV_WR_SEND;
	assert_int_equal(fixture_post(qp, wr, fixture.memory, 8), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void verbs_post_send_list_stops_at_rejected_request(void **state)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_UD);
	struct ibv_ah *ah = new_ah();
	struct ibv_sge sge = { (uintptr_t)fixture.memory, 8, fixture.mr->lkey };
	struct ibv_send_wr wr[3], *bad = NULL;

	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
	for (int i = 0; i < 3; i++) {
		wr[i] = datagram(qp, ah);
		wr[i].wr_id = (uint64_t)i;
		wr[i].send_flags = IBV_SEND_SIGNALED;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	wr[1].opcode = IBV_WR_RDMA_WRITE;
	assert_int_equal(ibv_post_send(qp, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	assert_int_equal(fixture_poll(fixture.cq).wr_id, 0);
	/* the next completion is that of a later request */
	assert_int_equal(ibv_post_send(qp, &wr[2], &bad), 0);
	assert_int_equal(fixture_poll(fixture.cq).wr_id, 2);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* -- CQ -- */

static void verbs_req_notify_cq_without_channel_has_no_effect(void **state)
{
	const uint64_t to = (uintptr_t)fixture.memory + 8;

	for (int solicited = 0; solicited < 2; solicited++)
		for (int i = 0; i < 3; i++) {
			assert_int_equal(
				ibv_req_notify_cq(fixture.cq, solicited), 0);
			assert_int_equal(fixture_write(fixture.memory, to,
						       fixture.mr->rkey),
					 IBV_WC_SUCCESS);
		}
	assert_int_equal(fixture.cq->comp_events_completed, 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(verbs_post_send_before_rts_returns_einval),
		TEST(verbs_wr_complete_before_rts_returns_einval),
		TEST(verbs_post_recv_in_reset_returns_einval),
		TEST(verbs_post_recv_in_init_and_rtr_gets_messages),
		TEST(verbs_post_in_err_completes_with_flush_error),
		TEST(verbs_post_send_rdma_to_ud_returns_einval),
		TEST(verbs_post_send_list_stops_at_rejected_request),
		TEST(verbs_req_notify_cq_without_channel_has_no_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
