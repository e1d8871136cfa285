/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See siw_fake.h. Sizes are what the kernel's driver computes for the same
 * request: the next power of two.
 */
#include "siw_fake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMFD_LEN  (1 << 20)
#define RINGS_NAME "siw_rings"

struct fake_kernel fake;

int fake_setup(void **state)
{
	int fd = memfd_create(RINGS_NAME, MFD_CLOEXEC);

	fake = (struct fake_kernel){};
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, MEMFD_LEN), 0);
	fake.ctx.context.cmd_fd = fd;
	return 0;
}

/* Rings that nobody has unmapped. */
static unsigned int nr_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int nr = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, RINGS_NAME) != NULL;
	assert_int_equal(fclose(maps), 0);
	return nr;
}

static void ring_unmap(struct fake_ring *ring)
{
	if (ring->map)
		assert_int_equal(munmap(ring->map, ring->map_len), 0);
	*ring = (struct fake_ring){};
}

int fake_teardown(void **state)
{
	ring_unmap(&fake.sq);
	ring_unmap(&fake.rq);
	ring_unmap(&fake.cq);
	ring_unmap(&fake.srq);
	assert_int_equal(nr_mappings(), 0);
	assert_int_equal(fake.nr_created, fake.nr_destroyed);
	assert_int_equal(fake.nr_inits, 0);
	return close(fake.ctx.context.cmd_fd);
}

struct ibv_context *fake_context(void)
{
	return &fake.ctx.context;
}

/* -- rings -- */

static void ring_make(struct fake_ring *ring, uint32_t wanted, size_t elem_size,
		      size_t tail_size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t nr = 1;
	size_t len;

	while (nr < wanted)
		nr *= 2;
	len = (nr * elem_size + tail_size + page - 1) / page * page;
	ring_unmap(ring);
	assert_true(fake.next_offset + len <= MEMFD_LEN);
	*ring = (struct fake_ring){
		.map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fake.ctx.context.cmd_fd, (off_t)fake.next_offset),
		.map_len = len,
		.key = fake.key ? fake.key : fake.next_offset,
		.nr = nr,
	};
	assert_ptr_not_equal(ring->map, MAP_FAILED);
	fake.next_offset += len;
}

static uint32_t told_nr(const struct fake_ring *ring)
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

static int take_err(void)
{
	int err = fake.err;

	fake.err = 0;
	return err;
}

static int created(void)
{
	int err = take_err();

	if (!err)
		fake.nr_created++;
	return err;
}

static int destroyed(void)
{
	int err = take_err();

	if (!err)
		fake.nr_destroyed++;
	return err;
}

/* -- the library's own part -- */

struct verbs_context *verbs_context_new(struct verbs_device *dev, int cmd_fd,
					size_t size)
{
	return calloc(1, size);
}

void verbs_context_free(struct verbs_context *vctx)
{
	free(vctx);
}

void verbs_context_set_ops(struct verbs_context *vctx,
			   const struct verbs_context_ops *ops)
{
}

void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *ctx,
		   struct ibv_comp_channel *channel, void *cq_context)
{
	cq->context = ctx;
	cq->channel = channel;
	cq->cq_context = cq_context;
	fake.nr_inits++;
}

void verbs_init_srq(struct verbs_srq *vsrq, struct ibv_context *ctx,
		    const struct ibv_srq_init_attr_ex *attr)
{
	vsrq->srq.context = ctx;
	fake.nr_inits++;
}

void verbs_init_qp(struct verbs_qp *vqp, struct ibv_context *ctx,
		   const struct ibv_qp_init_attr_ex *attr)
{
	vqp->qp.context = ctx;
	vqp->qp.qp_type = attr->qp_type;
	fake.nr_inits++;
}

void verbs_fini_cq(struct ibv_cq *cq)
{
	fake.nr_inits--;
}

void verbs_fini_srq(struct ibv_srq *srq)
{
	fake.nr_inits--;
}

void verbs_fini_qp(struct ibv_qp *qp)
{
	fake.nr_inits--;
}

static void check_raised(const struct verbs_event_count *raised)
{
	assert_int_equal(raised->async_events, 3);
	fake.nr_waits++;
}

void verbs_wait_cq_acked(struct ibv_cq *cq,
			 const struct verbs_event_count *raised)
{
	check_raised(raised);
}

void verbs_wait_srq_acked(struct ibv_srq *srq,
			  const struct verbs_event_count *raised)
{
	check_raised(raised);
}

void verbs_wait_qp_acked(struct ibv_qp *qp,
			 const struct verbs_event_count *raised)
{
	check_raised(raised);
}

/* -- commands -- */

int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata)
{
	/* The driver refuses a process that has no room for its answer. */
	if (!udata || udata->out_len < sizeof(struct siw_uresp_alloc_ctx))
		return -EINVAL;
	return take_err();
}

int verbs_cmd_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   uint64_t *ret_fw_ver,
			   const struct verbs_udata *udata)
{
	int err = take_err();

	assert_null(udata); /* the driver refuses any */
	if (!err)
		*ret_fw_ver = fake.fw_ver;
	return err;
}

int verbs_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr)
{
	attr->state = IBV_PORT_ACTIVE;
	return take_err();
}

int verbs_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
		       const struct verbs_udata *udata)
{
	pd->context = ctx;
	return created();
}

int verbs_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return destroyed();
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
	return created();
}

int verbs_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return destroyed();
}

int verbs_cmd_create_cq(struct ibv_context *ctx, struct ibv_cq *cq,
			const struct ibv_cq_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct siw_uresp_create_cq *resp = udata->out;
	int err = created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	ring_make(&fake.cq, attr->cqe, sizeof(struct siw_cqe),
		  sizeof(struct siw_cq_ctrl));
	resp->num_cqe = told_nr(&fake.cq);
	resp->cq_key = fake.cq.key;
	cq->cqe = (int)fake.cq.nr;
	return 0;
}

int verbs_cmd_destroy_cq(struct ibv_cq *cq,
			 struct verbs_event_count *ret_raised)
{
	*ret_raised = (struct verbs_event_count){ .async_events = 3 };
	return destroyed();
}

int verbs_cmd_create_srq(struct ibv_context *ctx, struct verbs_srq *vsrq,
			 struct ibv_srq_init_attr_ex *attr,
			 const struct verbs_udata *udata)
{
	struct siw_uresp_create_srq *resp = udata->out;
	int err = created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	ring_make(&fake.srq, attr->attr.max_wr, sizeof(struct siw_rqe), 0);
	resp->num_rqe = told_nr(&fake.srq);
	resp->srq_key = fake.srq.key;
	return 0;
}

int verbs_cmd_modify_srq(struct ibv_srq *srq, const struct ibv_srq_attr *attr,
			 int attr_mask, const struct verbs_udata *udata)
{
	return take_err();
}

int verbs_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *ret_attr)
{
	return take_err();
}

int verbs_cmd_destroy_srq(struct ibv_srq *srq,
			  struct verbs_event_count *ret_raised)
{
	*ret_raised = (struct verbs_event_count){ .async_events = 3 };
	return destroyed();
}

int verbs_cmd_create_qp(struct ibv_context *ctx, struct ibv_qp *qp,
			struct ibv_qp_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct siw_uresp_create_qp *resp = udata->out;
	int err = created();

	if (err)
		return err;
	assert_int_equal(udata->out_len, sizeof(*resp));
	ring_make(&fake.sq, attr->cap.max_send_wr, sizeof(struct siw_sqe), 0);
	resp->num_sqe = told_nr(&fake.sq);
	resp->sq_key = fake.sq.key;
	if (!attr->srq && attr->cap.max_recv_wr) {
		ring_make(&fake.rq, attr->cap.max_recv_wr,
			  sizeof(struct siw_rqe), 0);
		resp->num_rqe = fake.rq.nr;
		resp->rq_key = fake.rq.key;
	}
	if (fake.max_sge)
		attr->cap.max_send_sge = fake.max_sge;
	qp->qp_num = 17;
	return 0;
}

int verbs_cmd_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			int attr_mask, const struct verbs_udata *udata)
{
	return take_err();
}

int verbs_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	return take_err();
}

int verbs_cmd_destroy_qp(struct ibv_qp *qp,
			 struct verbs_event_count *ret_raised)
{
	*ret_raised = (struct verbs_event_count){ .async_events = 3 };
	return destroyed();
}

int verbs_cmd_ring_send_doorbell(struct ibv_qp *qp)
{
	fake.nr_doorbells++;
	return fake.doorbell_err;
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
	return to_siw_qp(&vqp->qp);
}

void fake_qp_free(struct siw_qp *qp)
{
	assert_int_equal(siw_destroy_qp(&qp->vqp.qp), 0);
}
