/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See verbs_fixture.h. */
#include "verbs_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORT	1
#define PAGE	4096
#define LIMIT_S 60
#define ALL_ACCESS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

struct verbs_fixture fixture;

uint8_t fixture_gid_index(void)
{
	const char *text = getenv("VERBS_TEST_GID");

	return text ? (uint8_t)atoi(text) : 1;
}

struct ibv_context *fixture_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	assert_non_null(list);
	assert_non_null(list[0]);
	ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	assert_non_null(ctx);
	return ctx;
}

struct ibv_qp *fixture_new_qp_ex(uint64_t send_ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = fixture.pd,
		.send_ops_flags = send_ops,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(fixture.ctx, &attr);

	assert_non_null(qp);
	return qp;
}

struct ibv_qp *fixture_create_qp(struct ibv_pd *pd,
				 struct ibv_qp_init_attr attr)
{
	struct ibv_qp *qp = ibv_create_qp(pd, &attr);

	assert_non_null(qp);
	return qp;
}

struct ibv_qp *fixture_new_qp(enum ibv_qp_type type)
{
	const struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = type,
	};

	return fixture_create_qp(fixture.pd, attr);
}

void fixture_to_init(struct ibv_qp *qp)
{
	const unsigned int access = IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qkey = 0x1234,
		.qp_access_flags = access,
	};
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	int own = qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;

	assert_int_equal(ibv_modify_qp(qp, &reset, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					       IBV_QP_PORT | own),
			 0);
}

void fixture_to_rtr(struct ibv_qp *qp, const struct ibv_qp *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp_num,
		.max_dest_rd_atomic = 1,
		.ah_attr = { .is_global = 1, .port_num = PORT },
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			IBV_QP_MIN_RNR_TIMER;
	attr.ah_attr.grh.sgid_index = fixture_gid_index();
	assert_int_equal(ibv_query_gid(qp->context, PORT, fixture_gid_index(),
				       &attr.ah_attr.grh.dgid),
			 0);
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

void fixture_to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

void fixture_connect(struct ibv_qp *left, struct ibv_qp *right)
{
	struct ibv_qp *const qps[] = { left, right };

	for (int i = 0; i < 2; i++)
		fixture_to_init(qps[i]);
	for (int i = 0; i < 2; i++)
		fixture_to_rtr(qps[i], qps[!i]);
	for (int i = 0; i < 2; i++)
		fixture_to_rts(qps[i]);
}

void fixture_rearm(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_AV, &init), 0);
	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = attr.port_num;
	attr.path_mig_state = IBV_MIG_REARM;
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE),
			 0);
}

void fixture_migrate(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .path_mig_state = IBV_MIG_MIGRATED };

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_PATH_MIG_STATE), 0);
}

void fixture_set_up_on(struct ibv_context *ctx)
{
	fixture.ctx = ctx;
	fixture.pd = ibv_alloc_pd(fixture.ctx);
	fixture.cq = ibv_create_cq(fixture.ctx, 32, NULL, NULL, 0);
	fixture.memory = aligned_alloc(PAGE, FIXTURE_BYTES);
	assert_non_null(fixture.pd);
	assert_non_null(fixture.cq);
	assert_non_null(fixture.memory);
	memset(fixture.memory, 0, FIXTURE_BYTES);
	fixture.mr = ibv_reg_mr(fixture.pd, fixture.memory, FIXTURE_BYTES,
				ALL_ACCESS);
	assert_non_null(fixture.mr);
	fixture.left = fixture_new_qp(IBV_QPT_RC);
	fixture.right = fixture_new_qp(IBV_QPT_RC);
	fixture_connect(fixture.left, fixture.right);
}

int fixture_setup(void **state)
{
	fixture_set_up_on(fixture_open());
	return 0;
}

int fixture_teardown(void **state)
{
	assert_int_equal(ibv_destroy_qp(fixture.left), 0);
	assert_int_equal(ibv_destroy_qp(fixture.right), 0);
	assert_int_equal(ibv_dereg_mr(fixture.mr), 0);
	assert_int_equal(ibv_destroy_cq(fixture.cq), 0);
	assert_int_equal(ibv_dealloc_pd(fixture.pd), 0);
	assert_int_equal(ibv_close_device(fixture.ctx), 0);
	free(fixture.memory);
	return 0;
}

int fixture_post(struct ibv_qp *qp, struct ibv_send_wr wr, uint8_t *addr,
		 uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)addr, length, fixture.mr->lkey };
	struct ibv_send_wr *bad = NULL;
	int err;

	wr.sg_list = &sge;
	wr.num_sge = length ? 1 : 0;
	wr.send_flags |= IBV_SEND_SIGNALED;
	err = ibv_post_send(qp, &wr, &bad);
	if (err)
		assert_ptr_equal(bad, &wr);
	return err;
}

enum ibv_wc_status fixture_write(uint8_t *from, uint64_t to, uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	wr.wr.rdma.remote_addr = to;
	wr.wr.rdma.rkey = rkey;
	assert_int_equal(fixture_post(fixture.left, wr, from, 8), 0);
	return fixture_poll(fixture.cq).status;
}

struct ibv_wc fixture_poll(struct ibv_cq *cq)
{
	time_t limit = time(NULL) + LIMIT_S;
	struct ibv_wc wc;
	int nr;

	do
		nr = ibv_poll_cq(cq, 1, &wc);
	while (nr == 0 && time(NULL) < limit);
	assert_int_equal(nr, 1);
	return wc;
}
