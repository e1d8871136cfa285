/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See rxe_fake.h. Sizes and limits are those that the kernel driver computes
 * for the same request, as far as the provider can observe them.
 */
#include "rxe_fake.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct fake_kernel fake;

int fake_setup(void **state)
{
	soft_fake_start();
	fake = (struct fake_kernel){ .ah_num = 7 };
	fake.ctx.base.context.cmd_fd = soft.fd;
	/* ::ffff:10.0.0.1 */
	memcpy(fake.sgid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	return 0;
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
	return &fake.ctx.base.context;
}

/* -- rings -- */

void fake_ring_unmap(struct fake_ring *ring)
{
	if (ring->buf)
		assert_int_equal(munmap(ring->buf, ring->map_len), 0);
	*ring = (struct fake_ring){};
}

void fake_ring_make(struct fake_ring *ring, uint32_t mask,
		    uint32_t log2_elem_size)
{
	size_t len =
		sizeof(*ring->buf) + (((size_t)mask + 1) << log2_elem_size);
	uint64_t offset;

	fake_ring_unmap(ring);
	ring->buf = soft_fake_map(len, &offset, &ring->map_len);
	ring->info = (struct mminfo){
		.offset = offset,
		.size = (uint32_t)ring->map_len,
	};
	ring->mask = mask;
	ring->log2_elem_size = log2_elem_size;

	ring->buf->log2_elem_size = log2_elem_size;
	ring->buf->index_mask = mask;
	if (fake.spoil_ring)
		fake.spoil_ring(ring);
	fake.spoil_ring = NULL;
}

void *fake_ring_elem(const struct fake_ring *ring, uint32_t index)
{
	assert_true(index <= ring->mask);
	return ring->buf->data + ((size_t)index << ring->log2_elem_size);
}

struct rxe_send_wqe *fake_send_wqe(uint32_t index)
{
	return fake_ring_elem(&fake.sq, index);
}

void fake_cq_push(const struct ib_uverbs_wc *wc)
{
	struct rxe_queue_buf *buf = fake.cq.buf;
	uint32_t next = (buf->producer_index + 1) & fake.cq.mask;

	assert_int_not_equal(next, buf->consumer_index);
	memcpy(fake_ring_elem(&fake.cq, buf->producer_index), wc, sizeof(*wc));
	buf->producer_index = next;
}

/* Allocates the ring that the kernel makes for @nr elements of @len bytes. */
static void fake_ring_make_for(struct fake_ring *ring, uint32_t nr, size_t len)
{
	uint32_t log2_elem_size = 6; /* a cache line */
	uint32_t slots = 1;

	while (((size_t)1 << log2_elem_size) < len)
		log2_elem_size++;
	while (slots < nr + 1)
		slots *= 2;
	fake_ring_make(ring, slots - 1, log2_elem_size);
}

int ibv_resolve_eth_l2_from_gid(struct ibv_context *context,
				struct ibv_ah_attr *attr,
				uint8_t eth_mac[ETHERNET_LL_SIZE],
				uint16_t *vid)
{
	memcpy(eth_mac, "\x02\x11\x22\x33\x44\x55", 6);
	*vid = 0xffff;
	return fake.resolve_err;
}

/* -- commands -- */

int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata)
{
	return soft_fake_err();
}

int verbs_cmd_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   uint64_t *ret_fw_ver,
			   const struct verbs_udata *udata)
{
	int err = soft_fake_err();

	fake.nr_device_queries++;
	if (err)
		return err;
	if (attr_size >=
	    offsetof(struct ibv_device_attr_ex, device_cap_flags_ex) +
		    sizeof(attr->device_cap_flags_ex))
		attr->device_cap_flags_ex = fake.device_caps;
	*ret_fw_ver = fake.fw_ver;
	return 0;
}

int verbs_cmd_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			      uint32_t gid_index,
			      struct ibv_gid_entry *ret_entry)
{
	fake.nr_gid_queries++;
	ret_entry->gid = fake.sgid;
	return soft_fake_err();
}

int verbs_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t iova, int access, struct verbs_mr *vmr,
		     const struct verbs_udata *udata)
{
	fake.reg_access = access;
	vmr->ibv_mr.lkey = 0x1100;
	return soft_fake_created();
}

int verbs_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			    uint64_t iova, int fd, int access,
			    struct verbs_mr *vmr,
			    const struct verbs_udata *udata)
{
	return soft_fake_created();
}

int verbs_cmd_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		       void *addr, size_t length, uint64_t iova, int access,
		       const struct verbs_udata *udata)
{
	fake.rereg_flags = flags;
	return soft_fake_err();
}

int verbs_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, const struct ibv_sge *sg_list,
			uint32_t num_sge)
{
	return soft_fake_err();
}

int verbs_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       struct ibv_mw *mw, const struct verbs_udata *udata)
{
	mw->context = pd->context;
	mw->pd = pd;
	mw->type = type;
	mw->rkey = 0x222200;
	return soft_fake_created();
}

int verbs_cmd_dealloc_mw(struct ibv_mw *mw)
{
	return soft_fake_destroyed();
}

int verbs_cmd_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr,
			struct ibv_ah *ah, const struct verbs_udata *udata)
{
	struct rxe_create_ah_resp *resp = udata->out;

	assert_int_equal(udata->out_len, sizeof(*resp));
	resp->ah_num = fake.ah_num;
	ah->pd = pd;
	return soft_fake_created();
}

int verbs_cmd_destroy_ah(struct ibv_ah *ah)
{
	return soft_fake_destroyed();
}

int verbs_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid)
{
	return soft_fake_err();
}

int verbs_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid)
{
	return soft_fake_err();
}

int verbs_cmd_create_cq(struct ibv_context *ctx, struct ibv_cq *cq,
			const struct ibv_cq_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct rxe_create_cq_resp *resp = udata->out;
	int err = soft_fake_created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	fake_ring_make_for(&fake.cq, attr->cqe, 64);
	resp->mi = fake.cq.info;
	cq->cqe = (int)fake.cq.mask;
	return 0;
}

/* Moves the unpolled CQEs to the new ring. */
int verbs_cmd_resize_cq(struct ibv_cq *cq, int cqe,
			const struct verbs_udata *udata)
{
	struct rxe_resize_cq_resp *resp = udata->out;
	struct fake_ring old = fake.cq;
	uint32_t index = old.buf->consumer_index;
	int err = soft_fake_err();

	if (err)
		return err;
	fake.cq = (struct fake_ring){};
	fake_ring_make_for(&fake.cq, (uint32_t)cqe, 64);
	for (; index != old.buf->producer_index; index = (index + 1) & old.mask)
		fake_cq_push(fake_ring_elem(&old, index));
	fake_ring_unmap(&old);
	resp->mi = fake.cq.info;
	cq->cqe = (int)fake.cq.mask;
	return 0;
}

int verbs_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return soft_fake_err();
}

int verbs_cmd_create_srq(struct ibv_context *ctx, struct verbs_srq *vsrq,
			 struct ibv_srq_init_attr_ex *attr,
			 const struct verbs_udata *udata)
{
	struct rxe_create_srq_resp *resp = udata->out;
	int err = soft_fake_created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	fake_ring_make_for(&fake.srq, attr->attr.max_wr,
			   sizeof(struct rxe_recv_wqe) +
				   attr->attr.max_sge * 16);
	resp->mi = fake.srq.info;
	return 0;
}

int verbs_cmd_modify_srq(struct ibv_srq *srq, const struct ibv_srq_attr *attr,
			 int attr_mask, const struct verbs_udata *udata)
{
	const struct rxe_modify_srq_cmd *cmd = udata->in;
	struct mminfo *info = (struct mminfo *)(uintptr_t)cmd->mmap_info_addr;
	int err = soft_fake_err();

	assert_int_equal(udata->in_len, sizeof(*cmd));
	fake.srq_info_addr = cmd->mmap_info_addr;
	if (err || !(attr_mask & IBV_SRQ_MAX_WR))
		return err;
	fake_ring_make_for(&fake.srq, attr->max_wr,
			   (size_t)1 << fake.srq.log2_elem_size);
	*info = fake.srq.info;
	return 0;
}

int verbs_cmd_create_qp(struct ibv_context *ctx, struct ibv_qp *qp,
			struct ibv_qp_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct rxe_create_qp_resp *resp = udata->out;
	struct ibv_qp_cap *cap = &attr->cap;
	size_t len = (size_t)cap->max_send_sge * 16;
	int err = soft_fake_created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	if (len < cap->max_inline_data)
		len = cap->max_inline_data;
	cap->max_send_sge = (uint32_t)len / 16;
	cap->max_inline_data = (uint32_t)len;
	fake_ring_make_for(&fake.sq, cap->max_send_wr,
			   sizeof(struct rxe_send_wqe) + len);
	resp->sq_mi = fake.sq.info;
	if (!attr->srq) {
		fake_ring_make_for(&fake.rq, cap->max_recv_wr,
				   sizeof(struct rxe_recv_wqe) +
					   (size_t)cap->max_recv_sge * 16);
		resp->rq_mi = fake.rq.info;
	}
	qp->qp_num = 17;
	return 0;
}

/* -- helpers -- */

struct rxe_qp *fake_qp_new(const struct fake_qp_args *args)
{
	static struct ibv_pd pd;
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &pd,
		.qp_type = args->type ? args->type : IBV_QPT_RC,
		.srq = args->srq,
		.cap = {
			.max_send_wr = args->send_wr ? args->send_wr : 7,
			.max_recv_wr = args->recv_wr ? args->recv_wr : 7,
			.max_send_sge = args->send_sge ? args->send_sge : 4,
			.max_recv_sge = args->recv_sge ? args->recv_sge : 4,
			.max_inline_data = args->inline_data,
		},
	};
	struct verbs_qp *vqp = NULL;

	if (args->send_ops) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = args->send_ops;
	}
	assert_int_equal(rxe_create_qp(fake_context(), &attr, &vqp), 0);
	if (!args->reset)
		vqp->qp.state = IBV_QPS_RTS;
	return to_rxe_qp(&vqp->qp);
}

void fake_qp_free(struct rxe_qp *qp)
{
	assert_int_equal(rxe_destroy_qp(&qp->vqp.qp), 0);
}
