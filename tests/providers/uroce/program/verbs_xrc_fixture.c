/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See verbs_xrc_fixture.h. */
#include "verbs_xrc_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct xrc_fixture xrc;

#define ACCESS                                              \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct ibv_xrcd *xrc_open_domain_of(struct ibv_context *of, int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = oflags,
	};

	return ibv_open_xrcd(of, &attr);
}

struct ibv_xrcd *xrc_open_domain(int fd, int oflags)
{
	return xrc_open_domain_of(xrc.ctx, fd, oflags);
}

struct ibv_srq *xrc_create_srq(struct ibv_xrcd *domain, struct ibv_pd *of_pd,
			       struct ibv_cq *of_cq)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = MAX_WR, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = of_pd,
		.cq = of_cq,
		.xrcd = domain,
	};

	return ibv_create_srq_ex(domain->context, &attr);
}

void xrc_srq_set_up(struct target_srq *srq, struct ibv_xrcd *domain)
{
	srq->pd = ibv_alloc_pd(domain->context);
	assert_non_null(srq->pd);
	srq->cq = ibv_create_cq(domain->context, 2 * MAX_WR, NULL, NULL, 0);
	assert_non_null(srq->cq);
	srq->srq = xrc_create_srq(domain, srq->pd, srq->cq);
	assert_non_null(srq->srq);
	assert_int_equal(ibv_get_srq_num(srq->srq, &srq->number), 0);
	srq->memory = aligned_alloc(4096, PART);
	assert_non_null(srq->memory);
	memset(srq->memory, 0, PART);
	srq->mr = ibv_reg_mr(srq->pd, srq->memory, PART, ACCESS);
	assert_non_null(srq->mr);
}

void xrc_srq_tear_down(struct target_srq *srq)
{
	if (srq->srq)
		assert_int_equal(ibv_destroy_srq(srq->srq), 0);
	assert_int_equal(ibv_destroy_cq(srq->cq), 0);
	assert_int_equal(ibv_dereg_mr(srq->mr), 0);
	assert_int_equal(ibv_dealloc_pd(srq->pd), 0);
	free(srq->memory);
}

struct ibv_qp *xrc_create_initiator(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_SEND,
		.send_cq = xrc.cq,
		.cap = { .max_send_wr = MAX_WR, .max_send_sge = 2 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = xrc.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND |
				  IBV_QP_EX_WITH_RDMA_WRITE,
	};

	return ibv_create_qp_ex(xrc.ctx, &attr);
}

struct ibv_qp *xrc_create_target(struct ibv_xrcd *domain)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = domain,
	};

	return ibv_create_qp_ex(xrc.ctx, &attr);
}

void xrc_to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					       IBV_QP_PORT |
					       IBV_QP_ACCESS_FLAGS),
			 0);
}

void xrc_to_rtr(struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.rq_psn = 0xfffffe,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (qp->qp_type == IBV_QPT_XRC_RECV)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	attr.ah_attr.grh.sgid_index = fixture_gid_index();
	assert_int_equal(ibv_query_gid(xrc.ctx, 1, fixture_gid_index(),
				       &attr.ah_attr.grh.dgid),
			 0);
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

void xrc_to_rts(struct ibv_qp *qp, uint8_t rnr_retry)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = rnr_retry,
		.sq_psn = 0xfffffe,
		.max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;

	if (qp->qp_type == IBV_QPT_XRC_SEND)
		mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

void xrc_connect_qps(uint8_t rnr_retry)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(ibv_modify_qp(xrc.initiator, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(xrc.target, &attr, IBV_QP_STATE), 0);
	xrc_to_init(xrc.initiator);
	xrc_to_init(xrc.target);
	xrc_to_rtr(xrc.target, xrc.initiator->qp_num);
	xrc_to_rtr(xrc.initiator, xrc.target->qp_num);
	xrc_to_rts(xrc.initiator, rnr_retry);
}

int xrc_setup(void **state)
{
	xrc.ctx = fixture_open();
	xrc.pd = ibv_alloc_pd(xrc.ctx);
	assert_non_null(xrc.pd);
	xrc.cq = ibv_create_cq(xrc.ctx, 2 * MAX_WR, NULL, NULL, 0);
	assert_non_null(xrc.cq);
	xrc.memory = aligned_alloc(4096, PART);
	assert_non_null(xrc.memory);
	memset(xrc.memory, 0, PART);
	xrc.mr = ibv_reg_mr(xrc.pd, xrc.memory, PART, ACCESS);
	assert_non_null(xrc.mr);
	xrc.xrcd = xrc_open_domain(-1, O_CREAT);
	assert_non_null(xrc.xrcd);
	for (int i = 0; i < 2; i++)
		xrc_srq_set_up(&xrc.srqs[i], xrc.xrcd);
	xrc.initiator = xrc_create_initiator();
	assert_non_null(xrc.initiator);
	xrc.target = xrc_create_target(xrc.xrcd);
	assert_non_null(xrc.target);
	xrc_connect_qps(7);
	return 0;
}

int xrc_teardown(void **state)
{
	assert_int_equal(ibv_destroy_qp(xrc.initiator), 0);
	assert_int_equal(ibv_destroy_qp(xrc.target), 0);
	for (int i = 0; i < 2; i++)
		xrc_srq_tear_down(&xrc.srqs[i]);
	assert_int_equal(ibv_close_xrcd(xrc.xrcd), 0);
	assert_int_equal(ibv_dereg_mr(xrc.mr), 0);
	assert_int_equal(ibv_destroy_cq(xrc.cq), 0);
	assert_int_equal(ibv_dealloc_pd(xrc.pd), 0);
	assert_int_equal(ibv_close_device(xrc.ctx), 0);
	free(xrc.memory);
	return 0;
}

struct ibv_sge xrc_local_sge(uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)xrc.memory, length, xrc.mr->lkey };
}

int xrc_try_post(struct ibv_send_wr wr, struct ibv_sge sge, uint32_t srqn)
{
	struct ibv_send_wr *bad;

	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags |= IBV_SEND_SIGNALED;
	wr.qp_type.xrc.remote_srqn = srqn;
	return ibv_post_send(xrc.initiator, &wr, &bad);
}

void xrc_post(enum ibv_wr_opcode opcode, uint32_t length,
	      const struct target_srq *to)
{
	struct ibv_send_wr wr = { .opcode = opcode, .imm_data = htobe32(7) };

	wr.wr.rdma.remote_addr = (uintptr_t)to->memory;
	wr.wr.rdma.rkey = to->mr->rkey;
	assert_int_equal(xrc_try_post(wr, xrc_local_sge(length), to->number),
			 0);
}

void xrc_post_receive(const struct target_srq *srq, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)srq->memory, PART, srq->mr->lkey };
	struct ibv_recv_wr wr = { wr_id, NULL, &sge, 1 }, *bad;

	assert_int_equal(ibv_post_srq_recv(srq->srq, &wr, &bad), 0);
}

void xrc_expect_sent(enum ibv_wc_status status)
{
	struct ibv_wc wc = fixture_poll(xrc.cq);

	assert_int_equal(wc.status, status);
	assert_int_equal(wc.qp_num, xrc.initiator->qp_num);
}

void xrc_expect_received(const struct target_srq *srq, uint64_t wr_id,
			 uint32_t length)
{
	struct ibv_wc wc = fixture_poll(srq->cq);

	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.byte_len, length);
	assert_int_equal(wc.qp_num, xrc.target->qp_num);
}

void xrc_fill(uint8_t seed)
{
	for (size_t i = 0; i < PART; i++)
		xrc.memory[i] = (uint8_t)(seed + i % 251);
}

struct ibv_async_event xrc_next_event(void)
{
	struct ibv_async_event event;

	do {
		assert_int_equal(ibv_get_async_event(xrc.ctx, &event), 0);
		ibv_ack_async_event(&event);
	} while (event.event_type == IBV_EVENT_COMM_EST);
	return event;
}

void xrc_expect_event(enum ibv_event_type type, const struct ibv_qp *qp)
{
	struct ibv_async_event event = xrc_next_event();

	assert_int_equal(event.event_type, type);
	assert_ptr_equal(event.element.qp, qp);
}
