/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See siw_fake.h. Sizes are those that the kernel driver computes for the same
 * request: the next power of two.
 */
#include "siw_fake.h"

#include <errno.h>
#include <sys/mman.h>

struct fake_kernel fake;

int fake_setup(void **state)
{
	soft_fake_start();
	fake = (struct fake_kernel){};
	fake.ctx.context.cmd_fd = soft.fd;
	return 0;
}

static void fake_ring_unmap(struct fake_ring *ring)
{
	if (ring->map)
		assert_int_equal(munmap(ring->map, ring->map_len), 0);
	*ring = (struct fake_ring){};
}

int fake_teardown(void **state)
{
	fake_ring_unmap(&fake.sq);
	fake_ring_unmap(&fake.rq);
	fake_ring_unmap(&fake.cq);
	fake_ring_unmap(&fake.srq);
	return soft_fake_end();
}

struct ibv_context *fake_context(void)
{
	return &fake.ctx.context;
}

/* -- rings -- */

static void fake_ring_make(struct fake_ring *ring, uint32_t wanted,
			   size_t elem_size, size_t tail_size)
{
	uint32_t nr = 1;

	while (nr < wanted)
		nr *= 2;
	fake_ring_unmap(ring);
	ring->map = soft_fake_map(nr * elem_size + tail_size, &ring->key,
				  &ring->map_len);
	ring->nr = nr;
	if (fake.key)
		ring->key = fake.key;
}

static uint32_t reported_nr(const struct fake_ring *ring)
{
	return fake.nr ? fake.nr : ring->nr;
}

struct siw_sqe *fake_sqe(uint32_t index)
{
	assert_true(index < fake.sq.nr);
	return (struct siw_sqe *)fake.sq.map + index;
}

struct siw_rqe *fake_rqe(const struct fake_ring *ring, uint32_t index)
{
	assert_true(index < ring->nr);
	return (struct siw_rqe *)ring->map + index;
}

struct siw_cqe *fake_cqe(uint32_t index)
{
	assert_true(index < fake.cq.nr);
	return (struct siw_cqe *)fake.cq.map + index;
}

struct siw_cq_ctrl *fake_cq_ctrl(void)
{
	struct siw_cqe *end = (struct siw_cqe *)fake.cq.map + fake.cq.nr;

	return (struct siw_cq_ctrl *)end;
}

/* -- commands -- */

int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata)
{
	/* The driver rejects a command without room for its response. */
	if (!udata || udata->out_len < sizeof(struct siw_uresp_alloc_ctx))
		return -EINVAL;
	return soft_fake_err();
}

int verbs_cmd_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   uint64_t *ret_fw_ver,
			   const struct verbs_udata *udata)
{
	int err = soft_fake_err();

	assert_null(udata); /* the driver rejects any udata */
	if (!err)
		*ret_fw_ver = fake.fw_ver;
	return err;
}

int verbs_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t iova, int access, struct verbs_mr *vmr,
		     const struct verbs_udata *udata)
{
	const struct siw_ureq_reg_mr *req = udata->in;

	assert_int_equal(udata->in_len, sizeof(*req));
	assert_int_equal(udata->out_len, sizeof(struct siw_uresp_reg_mr));
	fake.stag_key = req->stag_key;
	vmr->ibv_mr.lkey = 0x1100u | req->stag_key;
	return soft_fake_created();
}

int verbs_cmd_create_cq(struct ibv_context *ctx, struct ibv_cq *cq,
			const struct ibv_cq_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct siw_uresp_create_cq *resp = udata->out;
	int err = soft_fake_created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	fake_ring_make(&fake.cq, attr->cqe, sizeof(struct siw_cqe),
		       sizeof(struct siw_cq_ctrl));
	resp->num_cqe = reported_nr(&fake.cq);
	resp->cq_key = fake.cq.key;
	cq->cqe = (int)fake.cq.nr;
	return 0;
}

int verbs_cmd_create_srq(struct ibv_context *ctx, struct verbs_srq *vsrq,
			 struct ibv_srq_init_attr_ex *attr,
			 const struct verbs_udata *udata)
{
	struct siw_uresp_create_srq *resp = udata->out;
	int err = soft_fake_created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	fake_ring_make(&fake.srq, attr->attr.max_wr, sizeof(struct siw_rqe), 0);
	resp->num_rqe = reported_nr(&fake.srq);
	resp->srq_key = fake.srq.key;
	return 0;
}

int verbs_cmd_modify_srq(struct ibv_srq *srq, const struct ibv_srq_attr *attr,
			 int attr_mask, const struct verbs_udata *udata)
{
	return soft_fake_err();
}

int verbs_cmd_create_qp(struct ibv_context *ctx, struct ibv_qp *qp,
			struct ibv_qp_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct siw_uresp_create_qp *resp = udata->out;
	int err = soft_fake_created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	fake_ring_make(&fake.sq, attr->cap.max_send_wr, sizeof(struct siw_sqe),
		       0);
	resp->num_sqe = reported_nr(&fake.sq);
	resp->sq_key = fake.sq.key;
	if (!attr->srq && attr->cap.max_recv_wr) {
		fake_ring_make(&fake.rq, attr->cap.max_recv_wr,
			       sizeof(struct siw_rqe), 0);
		resp->num_rqe = fake.rq.nr;
		resp->rq_key = fake.rq.key;
	}
	if (fake.max_sge)
		attr->cap.max_send_sge = fake.max_sge;
	qp->qp_num = 17;
	return 0;
}

/* -- helpers -- */

struct siw_qp *fake_qp_new(const struct fake_qp_args *args)
{
	static struct ibv_pd pd;
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &pd,
		.qp_type = IBV_QPT_RC,
		.srq = args->srq,
		.sq_sig_all = args->signal_all,
		.cap = {
			.max_send_wr = args->send_wr ? args->send_wr : 4,
			.max_recv_wr = args->no_recv ? 0 : 4,
			.max_send_sge = 3,
			.max_recv_sge = 3,
		},
	};
	struct verbs_qp *vqp = NULL;

	if (args->send_ops) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = args->send_ops;
	}
	assert_int_equal(siw_create_qp(fake_context(), &attr, &vqp), 0);
	/* The library's verbs_init_qp() does this; the fake's does not. */
	vqp->qp.send_cq = args->cq;
	vqp->qp.recv_cq = args->cq;
	return to_siw_qp(&vqp->qp);
}

void fake_qp_free(struct siw_qp *qp)
{
	assert_int_equal(siw_destroy_qp(&qp->vqp.qp), 0);
}
