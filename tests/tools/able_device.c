// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The user-space device with abilities that it does not have, for programs that
 * want to use them: preloaded, this makes XRC out of reliable connections with
 * a shared receive queue, device memory out of memory, and on-demand paging out
 * of ordinary registration. What is sent really travels. ABLE names what there
 * is: "xrc", "dm", "odp", or several.
 *
 * XRC is enough for one domain with one SRQ in a process: a sending queue pair
 * is a connection that never receives, a receiving one takes from that SRQ.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define SRQ_NUMBER  0x5e7
#define DM_SIZE	    (1 << 20)
#define MAX_XRC_QPS 64

static struct ibv_srq *xrc_srq;
static struct ibv_cq *xrc_srq_cq;
static uint32_t xrc_qps[MAX_XRC_QPS];
static int nr_xrc_qps;
static int (*real_query_device)(struct ibv_context *context,
				const struct ibv_query_device_ex_input *input,
				struct ibv_device_attr_ex *attr, size_t size);

static bool able(const char *what)
{
	const char *list = getenv("ABLE");

	return list && strstr(list, what);
}

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static int query_device(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	int ret = real_query_device(context, input, attr, size);
	const uint32_t odp = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
			     IBV_ODP_SUPPORT_SRQ_RECV;

	if (ret || size < offsetof(struct ibv_device_attr_ex, phys_port_cnt_ex))
		return ret;
	if (able("xrc"))
		attr->orig_attr.device_cap_flags |= IBV_DEVICE_XRC;
	if (able("dm"))
		attr->max_dm_size = DM_SIZE;
	if (able("odp")) {
		attr->odp_caps.general_caps = IBV_ODP_SUPPORT;
		attr->odp_caps.per_transport_caps.rc_odp_caps = odp;
		attr->xrc_odp_caps = odp;
	}
	return 0;
}

/* -- XRC -- */

static struct ibv_xrcd *open_xrcd(struct ibv_context *context,
				  struct ibv_xrcd_init_attr *attr)
{
	static struct ibv_xrcd domain;

	domain.context = context;
	return &domain;
}

static int close_xrcd(struct ibv_xrcd *xrcd)
{
	return 0;
}

static struct ibv_srq *create_srq_ex(struct ibv_context *context,
				     struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr plain = { .attr = attr->attr };

	xrc_srq = ibv_create_srq(attr->pd, &plain);
	xrc_srq_cq = attr->cq;
	return xrc_srq;
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	*srq_num = SRQ_NUMBER;
	return srq == xrc_srq ? 0 : EINVAL;
}

/* A connection; one that takes from the SRQ if @receives. */
static struct ibv_qp *make_connection(struct ibv_pd *pd, struct ibv_cq *send_cq,
				      uint32_t max_send_wr, bool receives)
{
	struct ibv_qp *(*create)(struct ibv_pd *, struct ibv_qp_init_attr *) =
		(struct ibv_qp *
		 (*)(struct ibv_pd *, struct ibv_qp_init_attr *))
			next("ibv_create_qp");
	struct ibv_qp_init_attr attr = {
		.send_cq = send_cq,
		.recv_cq = receives ? xrc_srq_cq : send_cq,
		.srq = receives ? xrc_srq : NULL,
		.cap = { .max_send_wr = max_send_wr, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = create(pd, &attr);

	if (qp && nr_xrc_qps < MAX_XRC_QPS)
		xrc_qps[nr_xrc_qps++] = qp->qp_num;
	return qp;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type == IBV_QPT_XRC_RECV && xrc_srq)
		return make_connection(xrc_srq->pd, xrc_srq_cq, 1, true);
	if (attr->qp_type == IBV_QPT_XRC_SEND)
		return make_connection(attr->pd, attr->send_cq,
				       attr->cap.max_send_wr, false);
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *(*create)(struct ibv_pd *, struct ibv_qp_init_attr *) =
		(struct ibv_qp *
		 (*)(struct ibv_pd *, struct ibv_qp_init_attr *))
			next("ibv_create_qp");

	if (able("xrc") && attr->qp_type == IBV_QPT_XRC_SEND)
		return make_connection(pd, attr->send_cq, attr->cap.max_send_wr,
				       false);
	return create(pd, attr);
}

/* A connection needs attributes that half of one does not have. */
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int (*modify)(struct ibv_qp *, struct ibv_qp_attr *, int) =
		(int (*)(struct ibv_qp *, struct ibv_qp_attr *, int))next(
			"ibv_modify_qp");

	for (int i = 0; i < nr_xrc_qps; i++) {
		if (xrc_qps[i] != qp->qp_num)
			continue;
		if (attr->qp_state == IBV_QPS_RTR)
			mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER;
		else if (attr->qp_state == IBV_QPS_RTS)
			mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_MAX_QP_RD_ATOMIC;
	}
	return modify(qp, attr, mask);
}

/* -- device memory -- */

struct memory {
	struct ibv_dm dm;
	size_t length;
	uint8_t bytes[];
};

static int copy_to(struct ibv_dm *dm, uint64_t offset, const void *from,
		   size_t length)
{
	struct memory *memory = (struct memory *)dm;

	if (offset > memory->length || length > memory->length - offset)
		return EINVAL;
	memcpy(memory->bytes + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *dm, uint64_t offset,
		     size_t length)
{
	struct memory *memory = (struct memory *)dm;

	if (offset > memory->length || length > memory->length - offset)
		return EINVAL;
	memcpy(to, memory->bytes + offset, length);
	return 0;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context,
			       struct ibv_alloc_dm_attr *attr)
{
	struct memory *memory = calloc(1, sizeof(*memory) + attr->length);

	if (!memory)
		return NULL;
	memory->length = attr->length;
	memory->dm.context = context;
	memory->dm.memcpy_to_dm = copy_to;
	memory->dm.memcpy_from_dm = copy_from;
	return &memory->dm;
}

static int free_dm(struct ibv_dm *dm)
{
	free(dm);
	return 0;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				uint64_t offset, size_t length,
				unsigned int access)
{
	struct memory *memory = (struct memory *)dm;

	return ibv_reg_mr_iova(pd, memory->bytes + offset, length, 0,
			       access & ~IBV_ACCESS_ZERO_BASED);
}

/* -- on-demand paging -- */

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	struct ibv_mr *(*reg)(struct ibv_pd *, void *, size_t, int) =
		(struct ibv_mr * (*)(struct ibv_pd *, void *, size_t, int))
			next("ibv_reg_mr");

	return reg(pd, addr, length,
		   able("odp") ? access & ~IBV_ACCESS_ON_DEMAND : access);
}

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		     uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sges)
{
	return able("noadvice") ? EOPNOTSUPP : 0;
}

/* -- late completions: at most one, after a message or when nothing comes -- */

#define PATIENCE 1000 /* empty polls */

static int (*real_poll)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
static int (*real_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			struct ibv_send_wr **bad_wr);
static struct ibv_wc held;
static int waiting; /* polls for which it is kept back */

/* Until then the request has its place in a queue of one. */
static int late_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad_wr)
{
	if (waiting && held.qp_num == qp->qp_num) {
		*bad_wr = wr;
		return ENOMEM;
	}
	return real_send(qp, wr, bad_wr);
}

static int late_poll(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	int ret = 0;

	if (waiting != 1)
		ret = real_poll(cq, 1, wc);
	if (waiting == 0 && ret == 1 && wc->status == IBV_WC_SUCCESS &&
	    wc->opcode == IBV_WC_SEND) {
		held = *wc;
		waiting = PATIENCE;
		return 0;
	}
	if (waiting == 0 || ret < 0)
		return ret;
	if (ret == 1) {
		waiting = 1; /* the next one */
		return ret;
	}
	if (--waiting > 0)
		return 0;
	*wc = held;
	return 1;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*open)(struct ibv_device *) =
		(struct ibv_context * (*)(struct ibv_device *))
			next("ibv_open_device");
	struct ibv_context *context = open(device);
	struct verbs_context *table;

	if (!context)
		return NULL;
	table = verbs_get_ctx(context);
	real_query_device = table->query_device_ex;
	table->query_device_ex = query_device;
	if (able("xrc")) {
		table->open_xrcd = open_xrcd;
		table->close_xrcd = close_xrcd;
		table->create_srq_ex = create_srq_ex;
		table->get_srq_num = get_srq_num;
		table->create_qp_ex = create_qp_ex;
	}
	if (able("dm")) {
		table->alloc_dm = alloc_dm;
		table->free_dm = free_dm;
		table->reg_dm_mr = reg_dm_mr;
	}
	if (able("late")) {
		real_poll = context->ops.poll_cq;
		context->ops.poll_cq = late_poll;
		real_send = context->ops.post_send;
		context->ops.post_send = late_send;
	}
	if (able("odp"))
		table->advise_mr = advise_mr;
	return context;
}
