/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mistakes in requests that the provider accepts, whose completions have an
 * error, and queues that are full.
 */
#include "libibverbs/layers/validate_steps.h"

#include <errno.h>
#include <sys/mman.h>

struct ibv_sge step_sge(uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)fixture.memory, length,
				 fixture.mr->lkey };
}

struct ibv_send_wr step_write(struct ibv_sge *sge)
{
	struct ibv_send_wr wr = { .sg_list = sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED };

	*sge = step_sge(8);
	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	return wr;
}

void step_connect_to_itself(struct ibv_qp *qp)
{
	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
}

struct ibv_qp *step_new_qp_to_itself(void)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);

	step_connect_to_itself(qp);
	return qp;
}

void step_datagram_begin(struct step_datagram *step)
{
	int mask;
	struct ibv_qp_attr attr = validate_step_attr(IBV_QPS_RTR, &mask);

	step->qp = fixture_new_qp(IBV_QPT_UD);
	step_connect_to_itself(step->qp);
	step->ah = ibv_create_ah(fixture.pd, &attr.ah_attr);
	assert_non_null(step->ah);
	step->wr = step_write(&step->sge);
	step->wr.opcode = IBV_WR_SEND;
	step->wr.wr.ud.ah = step->ah;
	step->wr.wr.ud.remote_qpn = step->qp->qp_num;
	step->wr.wr.ud.remote_qkey = 0x1234;
}

void step_datagram_end(const struct step_datagram *step)
{
	assert_int_equal(ibv_destroy_qp(step->qp), 0);
	assert_int_equal(ibv_destroy_ah(step->ah), 0);
}

static void post_request(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(qp, wr, &bad), 0);
}

/* The completion of a mistake has the status. */
static void complete(struct ibv_send_wr *wr, bool mistake,
		     enum ibv_wc_status status)
{
	post_request(fixture.left, wr);
	assert_int_equal(fixture_poll(fixture.cq).status,
			 mistake ? status : IBV_WC_SUCCESS);
}

/* ------------------------------------------------------------------------ */
/* Keys                                                                      */
/* ------------------------------------------------------------------------ */

static void step_KY_001(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	if (mistake)
		sge.lkey += 0x1000;
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
}

static void step_KY_002(bool mistake)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 8, 0);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	if (mistake)
		assert_int_equal(ibv_dereg_mr(mr), 0);
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
	if (!mistake)
		assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void step_KY_003(bool mistake)
{
	struct ibv_context *ctx = fixture_open();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_mr *mr = ibv_reg_mr(pd, fixture.memory, 8, 0);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_non_null(mr);
	assert_int_not_equal(mr->lkey, fixture.mr->lkey);
	if (mistake)
		sge.lkey = mr->lkey;
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

static void step_KY_004(bool mistake)
{
	struct ibv_pd *pd = ibv_alloc_pd(fixture.ctx);
	struct ibv_mr *mr =
		ibv_reg_mr(mistake ? pd : fixture.pd, fixture.memory, 8, 0);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static void step_KY_005(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	sge.addr += FIXTURE_BYTES - 8;
	sge.length = mistake ? 9 : 8;
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
}

static void step_KY_006(bool mistake)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 8,
				       mistake ? 0 : IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	wr.opcode = IBV_WR_RDMA_READ;
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void step_KY_011(bool mistake)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 64,
				       IBV_ACCESS_ZERO_BASED);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	if (!mistake)
		sge.addr = 8;
	complete(&wr, mistake, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* ------------------------------------------------------------------------ */
/* Operands                                                                  */
/* ------------------------------------------------------------------------ */

static struct ibv_send_wr fetch_add(struct ibv_sge *sge)
{
	struct ibv_send_wr wr = step_write(sge);
	uint64_t remote_addr = wr.wr.rdma.remote_addr;
	uint32_t rkey = wr.wr.rdma.rkey;

	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr.wr.atomic.remote_addr = remote_addr + 64;
	wr.wr.atomic.rkey = rkey;
	wr.wr.atomic.compare_add = 1;
	return wr;
}

/* The peer permits atomics. */
static void permit_atomics(void)
{
	struct ibv_qp_attr attr = {
		.qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC |
				   IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};

	assert_int_equal(
		ibv_modify_qp(fixture.right, &attr, IBV_QP_ACCESS_FLAGS), 0);
}

static void step_AT_001(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = fetch_add(&sge);

	permit_atomics();
	if (mistake)
		wr.wr.atomic.remote_addr += 4;
	complete(&wr, mistake, IBV_WC_REM_INV_REQ_ERR);
}

static void step_AT_002(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = fetch_add(&sge);

	permit_atomics();
	if (mistake)
		sge.length = 4;
	complete(&wr, mistake, IBV_WC_LOC_LEN_ERR);
}

/* The request with the mistake does not complete. */
static void step_RC_005(bool mistake)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);
	struct ibv_qp_attr attr;
	int mask;

	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	attr = validate_step_attr(IBV_QPS_RTS, &mask);
	attr.max_rd_atomic = mistake ? 0 : 1;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
	wr.opcode = IBV_WR_RDMA_READ;
	post_request(qp, &wr);
	if (!mistake)
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* Two SGEs with the same pages, which exist only once they are read. */
static void step_PO_008(bool mistake)
{
	size_t length = (size_t)1 << 30;
	uint8_t *memory = mmap(NULL, length, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, memory, length, 0);
	struct ibv_sge sges[2];
	struct ibv_send_wr wr = step_write(&sges[0]);
	struct ibv_port_attr port;

	assert_non_null(mr);
	assert_int_equal(ibv_query_port(fixture.ctx, 1, &port), 0);
	for (int i = 0; i < 2; i++)
		sges[i] = (struct ibv_sge){ (uintptr_t)memory, 8, mr->lkey };
	wr.num_sge = 2;
	if (mistake) {
		sges[0].length = port.max_msg_sz / 2;
		sges[1].length = port.max_msg_sz - sges[0].length + 1;
	}
	complete(&wr, mistake, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(munmap(memory, length), 0);
}

/* ------------------------------------------------------------------------ */
/* Full queues                                                               */
/* ------------------------------------------------------------------------ */

/* No receive request is posted, so no request completes and no entry is free.
 */
static void fill_send_queue(bool is_signaled, int nr, bool mistake)
{
	struct ibv_qp *qp = step_new_qp_to_itself();
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge), *bad;
	int ret = 0;

	wr.opcode = IBV_WR_SEND;
	if (!is_signaled)
		wr.send_flags = 0;
	for (int i = 0; i < nr && ret == 0; i++)
		ret = ibv_post_send(qp, &wr, &bad);
	assert_int_equal(ret, mistake ? ENOMEM : 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_PO_001(bool mistake)
{
	fill_send_queue(true, mistake ? 1000 : 8, mistake);
}

static void step_PO_002(bool mistake)
{
	fill_send_queue(false, mistake ? 1000 : 8, mistake);
}

static void step_PO_003(bool mistake)
{
	struct ibv_qp *qp = step_new_qp_to_itself();
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int ret = 0;

	for (int i = 0; i < (mistake ? 1000 : 8) && ret == 0; i++)
		ret = ibv_post_recv(qp, &wr, &bad);
	assert_int_equal(ret, mistake ? ENOMEM : 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_SR_001(bool mistake)
{
	struct ibv_srq_init_attr attr = { .attr = { 8, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(fixture.pd, &attr);
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int ret = 0;

	assert_non_null(srq);
	for (int i = 0; i < (mistake ? 1000 : 8) && ret == 0; i++)
		ret = ibv_post_srq_recv(srq, &wr, &bad);
	assert_int_equal(ret, mistake ? ENOMEM : 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
}

/* The layer refuses the mistake, since the provider would crash. */
static void step_PO_007(bool mistake)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge), *bad = NULL;

	if (mistake) {
		wr.sg_list = NULL;
		assert_int_equal(ibv_post_send(fixture.left, &wr, &bad),
				 EINVAL);
		assert_ptr_equal(bad, &wr);
	} else {
		complete(&wr, false, IBV_WC_SUCCESS);
	}
}

/* ------------------------------------------------------------------------ */
/* Datagrams                                                                 */
/* ------------------------------------------------------------------------ */

static void step_UD_001(bool mistake)
{
	struct step_datagram step;
	struct ibv_sge sge = step_sge(mistake ? 39 : 40);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	step_datagram_begin(&step);
	assert_int_equal(ibv_post_recv(step.qp, &wr, &bad), 0);
	step_datagram_end(&step);
}

/* The interface has an MTU of 1500 bytes, so that of the port is 1024. */
static void step_UD_002(bool mistake)
{
	struct step_datagram step;

	step_datagram_begin(&step);
	step.sge.length = mistake ? 1025 : 1024;
	post_request(step.qp, &step.wr);
	assert_int_equal(fixture_poll(fixture.cq).status,
			 mistake ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS);
	step_datagram_end(&step);
}

/* The receiver has no receive request, which matters to no sender. */
static void step_UD_004(bool mistake)
{
	struct step_datagram step;

	step_datagram_begin(&step);
	if (mistake)
		step.wr.wr.ud.remote_qkey++;
	post_request(step.qp, &step.wr);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	step_datagram_end(&step);
}

static void step_UD_005(bool mistake)
{
	struct step_datagram step;

	step_datagram_begin(&step);
	if (mistake)
		step.wr.wr.ud.remote_qkey |= UINT32_C(1) << 31;
	post_request(step.qp, &step.wr);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	step_datagram_end(&step);
}

const struct validate_step validate_steps_requests[] = {
	VALIDATE_STEP(AT, 001),	      VALIDATE_STEP(AT, 002),
	VALIDATE_STEP(KY, 001),	      VALIDATE_STEP(KY, 002),
	VALIDATE_STEP(KY, 003),	      VALIDATE_STEP(KY, 004),
	VALIDATE_STEP(KY, 005),	      VALIDATE_STEP(KY, 006),
	VALIDATE_STEP(KY, 011),	      VALIDATE_STEP(PO, 001),
	VALIDATE_STEP(PO, 002),	      VALIDATE_STEP(PO, 003),
	VALIDATE_STEP(PO, 007),	      VALIDATE_STEP(PO, 008),
	VALIDATE_STEP(RC, 005),	      VALIDATE_STEP(SR, 001),
	VALIDATE_STEP(UD, 001),	      VALIDATE_STEP(UD, 002),
	VALIDATE_STEP(UD, 004),	      VALIDATE_STEP(UD, 005),
	{ .rule = LAYERS_RULE_NONE },
};
