/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completions with an error that no other rule explains. Each end has a CQ, so
 * that only one of them polls the error.
 */
#include "layers/layers.h"
#include "libibverbs/layers/validate_steps.h"

#define BYTES 16

struct ends {
	struct ibv_cq *left_cq, *right_cq;
	struct ibv_qp *left, *right;
	struct ibv_sge sge;
	struct ibv_send_wr wr; /* a SEND of BYTES */
};

static struct ibv_qp *end_new_qp(struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	assert_non_null(qp);
	return qp;
}

static void ends_begin(struct ends *ends)
{
	ends->left_cq = ibv_create_cq(fixture.ctx, 16, NULL, NULL, 0);
	ends->right_cq = ibv_create_cq(fixture.ctx, 16, NULL, NULL, 0);
	assert_non_null(ends->left_cq);
	assert_non_null(ends->right_cq);
	ends->left = end_new_qp(ends->left_cq);
	ends->right = end_new_qp(ends->right_cq);
	fixture_connect(ends->left, ends->right);
	ends->wr = step_write(&ends->sge);
	ends->wr.opcode = IBV_WR_SEND;
	ends->sge.length = BYTES;
}

static void ends_end(const struct ends *ends)
{
	assert_int_equal(ibv_destroy_qp(ends->left), 0);
	assert_int_equal(ibv_destroy_qp(ends->right), 0);
	assert_int_equal(ibv_destroy_cq(ends->left_cq), 0);
	assert_int_equal(ibv_destroy_cq(ends->right_cq), 0);
}

static void ends_post(struct ends *ends)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(ends->left, &ends->wr, &bad), 0);
}

static void ends_post_recv(const struct ends *ends, uint32_t length,
			   uint32_t lkey)
{
	struct ibv_sge sge = step_sge(length);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	sge.lkey = lkey;
	assert_int_equal(ibv_post_recv(ends->right, &wr, &bad), 0);
}

static void end_expect(struct ibv_cq *cq, bool mistake,
		       enum ibv_wc_status status)
{
	assert_int_equal(fixture_poll(cq).status,
			 mistake ? status : IBV_WC_SUCCESS);
}

/* A region of BYTES whose access flags the layer does not know. */
static struct ibv_mr *new_region_of_unknown_access(int access)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, BYTES, 0);

	assert_non_null(mr);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS,
				      fixture.pd, NULL, 0, access),
			 0);
	return mr;
}

/* ------------------------------------------------------------------------ */
/* Steps                                                                     */
/* ------------------------------------------------------------------------ */

static void step_WC_001(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	ends_post_recv(&ends, mistake ? BYTES - 1 : BYTES, fixture.mr->lkey);
	ends_post(&ends);
	end_expect(ends.right_cq, mistake, IBV_WC_LOC_LEN_ERR);
	ends_end(&ends);
}

/* No window has the key. */
static void step_WC_002(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	if (mistake) {
		ends.wr.opcode = IBV_WR_LOCAL_INV;
		ends.wr.num_sge = 0;
		ends.wr.invalidate_rkey = fixture.mr->rkey + 1000;
	} else {
		ends.wr.opcode = IBV_WR_RDMA_WRITE;
	}
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_LOC_QP_OP_ERR);
	ends_end(&ends);
}

static void step_WC_003(bool mistake)
{
	struct ibv_mr *mr = new_region_of_unknown_access(
		mistake ? 0 : IBV_ACCESS_LOCAL_WRITE);
	struct ends ends;

	ends_begin(&ends);
	ends.wr.opcode = IBV_WR_RDMA_READ;
	ends.sge.lkey = mr->lkey;
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_LOC_PROT_ERR);
	ends_end(&ends);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* The flushed request follows one that failed. */
static void step_WC_004(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	ends.wr.opcode = IBV_WR_RDMA_WRITE;
	if (mistake)
		ends.wr.wr.rdma.rkey += 1000;
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_REM_ACCESS_ERR);
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_WR_FLUSH_ERR);
	ends_end(&ends);
}

static void step_WC_005(bool mistake)
{
	struct ibv_mr *mr =
		new_region_of_unknown_access(mistake ? 0 : IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(fixture.pd, IBV_MW_TYPE_2);
	struct ends ends;

	assert_non_null(mw);
	ends_begin(&ends);
	ends.wr.opcode = IBV_WR_BIND_MW;
	ends.wr.num_sge = 0;
	ends.wr.bind_mw.mw = mw;
	ends.wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	ends.wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = mr,
		.addr = (uintptr_t)fixture.memory,
		.length = BYTES,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ,
	};
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_MW_BIND_ERR);
	ends_end(&ends);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* The peer accepts READs and WRITEs only. */
static void step_WC_006(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	ends.sge.length = 8;
	if (mistake) {
		ends.wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		ends.wr.wr.atomic.remote_addr = (uintptr_t)fixture.memory;
		ends.wr.wr.atomic.rkey = fixture.mr->rkey;
	} else {
		ends.wr.opcode = IBV_WR_RDMA_WRITE;
	}
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_REM_INV_REQ_ERR);
	ends_end(&ends);
}

static void step_WC_007(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	ends.wr.opcode = IBV_WR_RDMA_WRITE;
	if (mistake)
		ends.wr.wr.rdma.rkey += 1000;
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_REM_ACCESS_ERR);
	ends_end(&ends);
}

static void step_WC_008(bool mistake)
{
	struct ibv_mr *mr = new_region_of_unknown_access(
		mistake ? 0 : IBV_ACCESS_LOCAL_WRITE);
	struct ends ends;

	ends_begin(&ends);
	ends_post_recv(&ends, BYTES, mr->lkey);
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_REM_OP_ERR);
	ends_end(&ends);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void end_modify_retries(struct ibv_qp *qp, uint8_t timeout,
			       uint8_t rnr_retry)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = timeout,
		.retry_cnt = 1,
		.rnr_retry = rnr_retry,
		.max_rd_atomic = 1,
	};

	assert_int_equal(
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				      IBV_QP_MAX_QP_RD_ATOMIC),
		0);
}

/* Moves the left end to RTS once more; the right one is reset if @gone. */
static void ends_connect_again(const struct ends *ends, bool gone,
			       uint8_t rnr_retry)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	if (gone)
		assert_int_equal(
			ibv_modify_qp(ends->right, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(ends->left, &attr, IBV_QP_STATE), 0);
	fixture_to_init(ends->left);
	fixture_to_rtr(ends->left, ends->right);
	end_modify_retries(ends->left, 8, rnr_retry);
}

static void step_WC_009(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	ends_connect_again(&ends, mistake, 7);
	ends.wr.opcode = IBV_WR_RDMA_WRITE;
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_RETRY_EXC_ERR);
	ends_end(&ends);
}

static void step_WC_010(bool mistake)
{
	struct ends ends;

	ends_begin(&ends);
	ends_connect_again(&ends, false, 0);
	if (!mistake)
		ends_post_recv(&ends, BYTES, fixture.mr->lkey);
	ends_post(&ends);
	end_expect(ends.left_cq, mistake, IBV_WC_RNR_RETRY_EXC_ERR);
	ends_end(&ends);
}

/* A device that fails. No provider of this tree has the status. */
static int poll_failed_device(struct ibv_cq *cq, int num_entries,
			      struct ibv_wc *wc)
{
	*wc = (struct ibv_wc){
		.status = IBV_WC_GENERAL_ERR,
		.qp_num = fixture.left->qp_num,
	};
	return 1;
}

static void step_WC_011(bool mistake)
{
	struct verbs_context_ops *below = &layers_context(fixture.ctx)->below;
	const struct verbs_context_ops saved = *below;
	struct ibv_wc wc;

	if (mistake)
		below->poll_cq = poll_failed_device;
	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &wc), mistake);
	*below = saved;
}

const struct validate_step validate_steps_statuses[] = {
	VALIDATE_STEP(WC, 001),
	VALIDATE_STEP(WC, 002),
	VALIDATE_STEP(WC, 003),
	{ .rule = AV_WC_004,
	  .variant = "",
	  .run = step_WC_004,
	  .settings = "hints=on,off=AV-WC-007" },
	VALIDATE_STEP(WC, 005),
	VALIDATE_STEP(WC, 006),
	VALIDATE_STEP(WC, 007),
	VALIDATE_STEP(WC, 008),
	VALIDATE_STEP(WC, 009),
	VALIDATE_STEP(WC, 010),
	VALIDATE_STEP(WC, 011),
	{ .rule = LAYERS_RULE_NONE },
};
