/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which QPs get a channel, and that each channel is released: ibv_modify_qp()
 * and ibv_destroy_qp() of verbs/uroce_queue_pair.c.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <string.h>

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp, *peer;

static void new_qps(enum ibv_qp_type type)
{
	qp = new_qp(pd, cq, type, NULL);
	peer = new_qp(pd, cq, type, NULL);
}

static int setup(void **state)
{
	ctx = fake_worker_context();
	fake_worker.connect_ret = 0;
	pd = new_pd(ctx);
	cq = new_cq(ctx, 32, NULL);
	return 0;
}

/* fake_worker_close() fails if a channel was not released. */
static int teardown(void **state)
{
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_int_equal(uroce_destroy_qp(peer), 0);
	assert_true(list_empty(&fake_worker.channel.qps));
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

static struct uroce_channel *channel_of(struct ibv_qp *ibqp)
{
	return to_uroce_qp(ibqp)->qp->roce->channel;
}

static int to_state(enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return uroce_modify_qp(qp, &attr, IBV_QP_STATE);
}

static int to_rtr(enum ibv_mtu mtu)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = 0x123456,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh.sgid_index = FAKE_GID_IPV6 },
	};
	struct ibv_qp_attr was;
	struct ibv_qp_init_attr ignored;

	memcpy(&attr.ah_attr.grh.dgid, fake_worker.dev.gids[FAKE_GID_IPV6],
	       UROCE_GID_LEN);
	assert_int_equal(uroce_query_qp(qp, &was, 0, &ignored), 0);
	if (was.qp_state == IBV_QPS_RESET)
		assert_int_equal(uroce_modify_qp(qp, &init,
						 IBV_QP_STATE |
							 IBV_QP_PKEY_INDEX |
							 IBV_QP_PORT |
							 IBV_QP_ACCESS_FLAGS),
				 0);
	return uroce_modify_qp(qp, &attr,
			       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				       IBV_QP_MAX_DEST_RD_ATOMIC |
				       IBV_QP_MIN_RNR_TIMER);
}

static void modify_qp_rc_to_rtr_gets_channel(void **state)
{
	struct ibv_send_wr wr = {
		.wr_id = 3,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_recv_wr recv = { .wr_id = 4 };
	struct ibv_send_wr *bad;
	struct ibv_recv_wr *bad_recv;

	new_qps(IBV_QPT_RC);
	connect_qp(qp, peer);
	connect_qp(peer, qp);
	assert_ptr_equal(channel_of(qp), &fake_worker.channel);
	assert_int_equal(fake_worker.nr_channels, 2);
	assert_int_equal(uroce_post_recv(peer, &recv, &bad_recv), 0);
	assert_int_equal(uroce_post_send(qp, &wr, &bad), 0);
	assert_int_equal(poll_one(cq).wr_id, 4);
	assert_int_equal(poll_one(cq).wr_id, 3);
}

static void modify_qp_channel_is_requested_for_peer(void **state)
{
	new_qps(IBV_QPT_RC);
	assert_int_equal(to_rtr(IBV_MTU_1024), 0);
	assert_int_equal(fake_worker.connect_qpn, 0x123456);
	assert_memory_equal(fake_worker.connect_path.dgid,
			    fake_worker.dev.gids[FAKE_GID_IPV6], UROCE_GID_LEN);
}

static void modify_qp_ud_gets_no_channel(void **state)
{
	new_qps(IBV_QPT_UD);
	connect_qp(qp, peer);
	assert_null(channel_of(qp));
	assert_int_equal(fake_worker.nr_channels, 0);
}

static void modify_qp_without_channel_uses_network(void **state)
{
	new_qps(IBV_QPT_RC);
	fake_worker.connect_ret = -ENOENT;
	assert_int_equal(to_rtr(IBV_MTU_1024), 0);
	assert_null(channel_of(qp));
}

static void modify_qp_failure_keeps_no_channel(void **state)
{
	new_qps(IBV_QPT_RC);
	fake_worker.connect_ret = -EMFILE;
	assert_int_equal(to_rtr(IBV_MTU_1024), -EMFILE);
	assert_int_equal(uroce_qp_state(to_uroce_qp(qp)->qp), IBV_QPS_INIT);

	/* the MTU exceeds that of the interface */
	fake_worker.connect_ret = 0;
	assert_int_not_equal(to_rtr(IBV_MTU_4096), 0);
	assert_null(channel_of(qp));
	assert_int_equal(fake_worker.nr_channels, 0);

	assert_int_equal(to_rtr(IBV_MTU_1024), 0);
	assert_int_equal(fake_worker.nr_channels, 1);
}

static void modify_qp_channel_is_kept_until_reset(void **state)
{
	new_qps(IBV_QPT_RC);
	assert_int_equal(to_rtr(IBV_MTU_1024), 0);
	assert_int_equal(to_state(IBV_QPS_ERR), 0);
	assert_int_equal(fake_worker.nr_channels, 1);
	assert_int_equal(fake_worker.nr_settled, 0);
	assert_int_equal(to_state(IBV_QPS_RESET), 0);
	assert_int_equal(fake_worker.nr_settled, 1);
	assert_int_equal(fake_worker.nr_channels, 0);
	assert_null(channel_of(qp));
	assert_int_equal(to_rtr(IBV_MTU_1024), 0);
	assert_int_equal(fake_worker.nr_channels, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void post_datagram(struct ibv_ah *ah, uint32_t qpn)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.wr.ud = { .ah = ah, .remote_qpn = qpn },
	};
	struct ibv_send_wr *bad;

	assert_int_equal(uroce_post_send(qp, &wr, &bad), 0);
}

static void start_datagrams(bool here)
{
	fake_worker.here = here;
	new_qps(IBV_QPT_UD);
	connect_qp(qp, peer);
}

static void post_send_first_datagram_connects_peer(void **state)
{
	struct ibv_ah *ah;

	start_datagrams(true);
	ah = new_ah(pd);
	post_datagram(ah, 0x20005);
	assert_int_equal(fake_worker.nr_met, 1);
	assert_int_equal(fake_worker.met_qpn, 0x20005);
	assert_memory_equal(&fake_worker.met_path, &to_uroce_ah(ah)->path,
			    sizeof(struct uroce_path));
	post_datagram(ah, 0x20005);
	assert_int_equal(fake_worker.nr_met, 1);
	post_datagram(ah, 0x30005);
	assert_int_equal(fake_worker.nr_met, 2);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

static void post_send_datagram_to_remote_host_connects_no_peer(void **state)
{
	struct ibv_ah *ah;

	start_datagrams(false);
	ah = new_ah(pd);
	post_datagram(ah, 0x20005);
	assert_int_equal(fake_worker.nr_met, 0);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

static void wr_section_first_datagram_connects_peer(void **state)
{
	struct ibv_qp_ex *qpx;
	struct ibv_ah *ah;

	fake_worker.here = true;
	qp = new_qp_ex(pd, cq, IBV_QPT_UD);
	peer = new_qp(pd, cq, IBV_QPT_UD, NULL);
	connect_qp(qp, peer);
	ah = new_ah(pd);
	qpx = &to_uroce_qp(qp)->vqp.qp_ex;
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, 0x20005, 0);
	assert_int_equal(fake_worker.nr_met, 0);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_worker.nr_met, 1);
	assert_int_equal(fake_worker.met_qpn, 0x20005);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(modify_qp_rc_to_rtr_gets_channel),
		TEST(modify_qp_channel_is_requested_for_peer),
		TEST(modify_qp_ud_gets_no_channel),
		TEST(modify_qp_without_channel_uses_network),
		TEST(modify_qp_failure_keeps_no_channel),
		TEST(modify_qp_channel_is_kept_until_reset),
		cmocka_unit_test_setup_teardown(
			post_send_first_datagram_connects_peer, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			post_send_datagram_to_remote_host_connects_no_peer,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			wr_section_first_datagram_connects_peer, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
