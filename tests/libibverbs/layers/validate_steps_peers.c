/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mistakes that both ends of a connection show: attributes that do not fit each
 * other, and regions that do not permit the access of the peer.
 */
#include "libibverbs/layers/validate_steps.h"

#define MESSAGE_BYTES 1024

/* Changes the attributes of a transition. */
typedef void peer_edit(struct ibv_qp_attr *attr);

/* Few and short attempts, for requests that the peer does not acknowledge. */
static void peer_connect(struct ibv_qp *qp, const struct ibv_qp *peer,
			 peer_edit *edit)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	for (int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		int mask;

		attr = validate_step_attr((enum ibv_qp_state)state, &mask);
		attr.qp_access_flags = IBV_ACCESS_REMOTE_READ |
				       IBV_ACCESS_REMOTE_WRITE;
		attr.dest_qp_num = peer->qp_num;
		attr.timeout = 8;
		attr.retry_cnt = 1;
		if (edit)
			edit(&attr);
		assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
	}
}

/* The completion of a mistake has the status. */
static void peer_complete(struct ibv_send_wr *wr, bool mistake,
			  enum ibv_wc_status status)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(fixture.left, wr, &bad), 0);
	assert_int_equal(fixture_poll(fixture.cq).status,
			 mistake ? status : IBV_WC_SUCCESS);
}

/* ------------------------------------------------------------------------ */
/* Attributes                                                                */
/* ------------------------------------------------------------------------ */

static void edit_no_reads(struct ibv_qp_attr *attr)
{
	attr->max_dest_rd_atomic = 0;
}

static void step_RC_007(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	peer_connect(fixture.right, fixture.left,
		     mistake ? edit_no_reads : NULL);
	peer_connect(fixture.left, fixture.right, NULL);
	wr.opcode = IBV_WR_RDMA_READ;
	peer_complete(&wr, mistake, IBV_WC_REM_INV_REQ_ERR);
}

static void edit_small_mtu(struct ibv_qp_attr *attr)
{
	attr->path_mtu = IBV_MTU_512;
}

static void step_RC_008(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	peer_connect(fixture.right, fixture.left,
		     mistake ? edit_small_mtu : NULL);
	peer_connect(fixture.left, fixture.right, NULL);
	sge.length = MESSAGE_BYTES;
	peer_complete(&wr, mistake, IBV_WC_REM_INV_REQ_ERR);
}

static void edit_wrong_psn(struct ibv_qp_attr *attr)
{
	attr->rq_psn = 0x100;
	attr->sq_psn = 0;
}

static void step_RC_009(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	peer_connect(fixture.left, fixture.right, NULL);
	peer_connect(fixture.right, fixture.left,
		     mistake ? edit_wrong_psn : NULL);
	peer_complete(&wr, mistake, IBV_WC_RETRY_EXC_ERR);
}

static void step_RC_010(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	peer_connect(fixture.left, fixture.right, NULL);
	peer_connect(fixture.right, mistake ? fixture.right : fixture.left,
		     NULL);
	peer_complete(&wr, mistake, IBV_WC_RETRY_EXC_ERR);
}

/* ------------------------------------------------------------------------ */
/* Regions                                                                   */
/* ------------------------------------------------------------------------ */

/* A WRITE of 8 bytes to a region of the process. */
static void write_to_region(struct ibv_pd *pd, size_t length, int access,
			    bool mistake)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, fixture.memory + 64, length, access);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_non_null(mr);
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory + 64;
	wr.wr.rdma.rkey = mr->rkey;
	peer_complete(&wr, mistake, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void step_KY_012_right(bool mistake)
{
	write_to_region(fixture.pd, 8,
			IBV_ACCESS_LOCAL_WRITE |
				(mistake ? IBV_ACCESS_REMOTE_READ
					 : IBV_ACCESS_REMOTE_WRITE),
			mistake);
}

static void step_KY_012_range(bool mistake)
{
	write_to_region(fixture.pd, mistake ? 7 : 8,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
			mistake);
}

static void step_KY_012_pd(bool mistake)
{
	struct ibv_pd *pd = ibv_alloc_pd(fixture.ctx);

	assert_non_null(pd);
	write_to_region(mistake ? pd : fixture.pd, 8,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
			mistake);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

const struct validate_step validate_steps_peers[] = {
	VALIDATE_VARIANT(KY, 012, right),
	VALIDATE_VARIANT(KY, 012, range),
	VALIDATE_VARIANT(KY, 012, pd),
	VALIDATE_STEP(RC, 007),
	{ .rule = AV_RC_008,
	  .variant = "",
	  .run = step_RC_008,
	  .uses_packets = true },
	VALIDATE_STEP(RC, 009),
	VALIDATE_STEP(RC, 010),
	{ .rule = LAYERS_RULE_NONE },
};
