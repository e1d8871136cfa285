/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations that answer as they are told: see support/fake_provider.h. An
 * operation first writes down its name and arguments, then fails if it is to.
 */
#include "support/fake_provider.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/fake_discover.h"

struct fake_provider fake_provider = {
	.async_write_fd = -1,
	.comp_write_fd = -1,
	.last_cmd_fd = -1,
};

static void close_end(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

void fake_provider_reset(void)
{
	close_end(fake_provider.async_write_fd);
	close_end(fake_provider.comp_write_fd);
	fake_provider = (struct fake_provider){
		.async_write_fd = -1,
		.comp_write_fd = -1,
		.last_cmd_fd = -1,
	};
}

/* Begins an operation: what it returns unless it can do more. */
static int seen(const char *op, const struct fake_args *args)
{
	fake_provider.last_op = op;
	fake_provider.args = *args;
	return fake_provider.ret;
}

/* SEEN(op, .member = argument, ...) */
#define SEEN(op, ...) seen(op, &(struct fake_args){ __VA_ARGS__ })

/* The same for an operation whose only argument is an object. */
static int seen_object(const char *op, const void *object)
{
	return SEEN(op, .attr = object);
}

static void *object_new(size_t size)
{
	void *object = calloc(1, size);

	if (object)
		fake_provider.nr_objects++;
	return object;
}

static void object_free(void *object)
{
	fake_provider.nr_objects--;
	free(object);
}

/* An operation that frees an object, whose memory begins with it. */
static int object_end(const char *op, void *object)
{
	int ret = seen_object(op, object);

	if (ret == 0)
		object_free(object);
	return ret;
}

/* A pipe whose writing end the test gets. */
static int event_pipe(int *write_fd, int *ret_fd)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	close_end(*write_fd);
	*write_fd = ends[1];
	*ret_fd = ends[0];
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Device, port, addresses, events                                           */
/* ------------------------------------------------------------------------ */

static int fake_query_device(struct ibv_context *ctx,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size)
{
	int ret = SEEN("query_device", .ctx = ctx, .input = input,
		       .size = attr_size);

	if (ret == 0)
		*attr = fake_provider.device_attr;
	return ret;
}

static int fake_query_port(struct ibv_context *ctx, uint8_t port_num,
			   struct ibv_port_attr *attr)
{
	int ret = SEEN("query_port", .ctx = ctx, .port_num = port_num);

	if (ret == 0)
		*attr = fake_provider.port_attr;
	return ret;
}

static bool is_empty(const union ibv_gid *gid)
{
	return !gid->global.subnet_prefix && !gid->global.interface_id;
}

static int fake_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
				uint32_t gid_index,
				struct ibv_gid_entry *ret_entry)
{
	int ret = SEEN("query_gid_entry", .ctx = ctx, .port_num = port_num);

	if (ret)
		return ret;
	if (gid_index >= fake_provider.nr_gids)
		return -EINVAL;
	if (is_empty(&fake_provider.gids[gid_index].gid))
		return -ENODATA;
	*ret_entry = fake_provider.gids[gid_index];
	return 0;
}

static ssize_t fake_query_gid_table(struct ibv_context *ctx,
				    struct ibv_gid_entry *entries,
				    size_t max_entries)
{
	size_t count = 0;
	int ret = seen(
		"query_gid_table",
		&(struct fake_args){ .ctx = ctx, .max_entries = max_entries });

	if (ret)
		return ret;
	for (size_t i = 0; i < fake_provider.nr_gids; i++) {
		if (is_empty(&fake_provider.gids[i].gid))
			continue;
		if (count == max_entries)
			return -EINVAL;
		entries[count++] = fake_provider.gids[i];
	}
	return (ssize_t)count;
}

static int fake_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
			   __be16 *ret_pkey)
{
	int ret = SEEN("query_pkey", .ctx = ctx, .port_num = port_num);

	if (ret)
		return ret;
	if (index < 0 || (size_t)index >= fake_provider.nr_pkeys)
		return -EINVAL;
	*ret_pkey = fake_provider.pkeys[index];
	return 0;
}

static int fake_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	if (fake_provider.alloc_async_fd_ret)
		return fake_provider.alloc_async_fd_ret;
	return event_pipe(&fake_provider.async_write_fd, ret_fd);
}

static int fake_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	int ret = seen_object("create_comp_channel", ctx);

	return ret ? ret : event_pipe(&fake_provider.comp_write_fd, ret_fd);
}

static void fake_cq_event(struct ibv_cq *cq)
{
	fake_provider.event_cq = cq;
}

static void fake_async_event(struct ibv_context *ctx,
			     struct ibv_async_event *event)
{
	fake_provider.event = *event;
}

/* ------------------------------------------------------------------------ */
/* Protection domains, XRC domains, memory, address handles                  */
/* ------------------------------------------------------------------------ */

static int fake_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	struct ibv_pd *pd;
	int ret = SEEN("alloc_pd", .ctx = ctx);

	if (ret)
		return ret;
	pd = object_new(sizeof(*pd));
	if (!pd)
		return -ENOMEM;
	pd->context = ctx;
	*ret_pd = pd;
	return 0;
}

static int fake_dealloc_pd(struct ibv_pd *pd)
{
	return object_end("dealloc_pd", pd);
}

static int fake_open_xrcd(struct ibv_context *ctx,
			  const struct ibv_xrcd_init_attr *attr,
			  struct ibv_xrcd **ret_xrcd)
{
	struct verbs_xrcd *vxrcd;
	int ret = SEEN("open_xrcd", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vxrcd = object_new(sizeof(*vxrcd));
	if (!vxrcd)
		return -ENOMEM;
	vxrcd->xrcd.context = ctx;
	*ret_xrcd = &vxrcd->xrcd;
	return 0;
}

static int fake_close_xrcd(struct ibv_xrcd *xrcd)
{
	return object_end("close_xrcd", xrcd);
}

static int mr_new(struct ibv_mr **ret_mr)
{
	struct verbs_mr *vmr = object_new(sizeof(*vmr));

	if (!vmr)
		return -ENOMEM;
	*ret_mr = &vmr->ibv_mr;
	return 0;
}

static int fake_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		       uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	int ret = SEEN("reg_mr", .pd = pd, .addr = addr, .length = length,
		       .iova = iova, .access = access);

	return ret ? ret : mr_new(ret_mr);
}

static int fake_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			      uint64_t iova, int fd, int access,
			      struct ibv_mr **ret_mr)
{
	int ret = SEEN("reg_dmabuf_mr", .pd = pd, .offset = offset,
		       .length = length, .iova = iova, .fd = fd,
		       .access = access);

	return ret ? ret : mr_new(ret_mr);
}

static int fake_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			 void *addr, size_t length, int access)
{
	return SEEN("rereg_mr", .pd = pd, .flags = flags, .addr = addr,
		    .length = length, .access = access);
}

static int fake_dereg_mr(struct verbs_mr *vmr)
{
	return object_end("dereg_mr", vmr);
}

static int fake_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			  uint32_t flags, struct ibv_sge *sg_list,
			  uint32_t num_sge)
{
	return SEEN("advise_mr", .pd = pd, .advice = advice,
		    .flags = (int)flags, .sg_list = sg_list,
		    .num_sge = num_sge);
}

static int fake_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			 struct ibv_mw **ret_mw)
{
	struct ibv_mw *mw;
	int ret = SEEN("alloc_mw", .pd = pd, .mw_type = type);

	if (ret)
		return ret;
	mw = object_new(sizeof(*mw));
	if (!mw)
		return -ENOMEM;
	mw->context = pd->context;
	mw->pd = pd;
	mw->type = type;
	*ret_mw = mw;
	return 0;
}

static int fake_dealloc_mw(struct ibv_mw *mw)
{
	return object_end("dealloc_mw", mw);
}

static int fake_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			  struct ibv_ah **ret_ah)
{
	struct ibv_ah *ah;
	int ret = SEEN("create_ah", .pd = pd, .attr = attr);

	if (ret)
		return ret;
	ah = object_new(sizeof(*ah));
	if (!ah)
		return -ENOMEM;
	ah->context = pd->context;
	ah->pd = pd;
	*ret_ah = ah;
	return 0;
}

static int fake_destroy_ah(struct ibv_ah *ah)
{
	return object_end("destroy_ah", ah);
}

static int fake_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid)
{
	return SEEN("attach_mcast", .attr = qp, .gid = gid, .lid = lid);
}

static int fake_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid)
{
	return SEEN("detach_mcast", .attr = qp, .gid = gid, .lid = lid);
}

/* ------------------------------------------------------------------------ */
/* Queues                                                                    */
/* ------------------------------------------------------------------------ */

static int fake_create_cq(struct ibv_context *ctx,
			  const struct ibv_cq_init_attr_ex *attr, bool extended,
			  struct verbs_cq **ret_vcq)
{
	struct verbs_cq *vcq;
	int ret = SEEN("create_cq", .ctx = ctx, .cq_attr = *attr,
		       .extended = extended);

	if (ret)
		return ret;
	vcq = object_new(sizeof(*vcq));
	if (!vcq)
		return -ENOMEM;
	verbs_init_cq(&vcq->cq, ctx, attr->channel, attr->cq_context);
	vcq->cq.cqe = (int)attr->cqe;
	*ret_vcq = vcq;
	return 0;
}

static int fake_resize_cq(struct ibv_cq *cq, int cqe)
{
	return SEEN("resize_cq", .attr = cq, .cqe = cqe);
}

static int fake_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	return seen_object("modify_cq", attr);
}

static int fake_destroy_cq(struct ibv_cq *cq)
{
	int ret = seen_object("destroy_cq", cq);

	if (ret)
		return ret;
	verbs_wait_cq_acked(cq, &fake_provider.raised);
	verbs_fini_cq(cq);
	object_free(verbs_container_of(cq, struct verbs_cq, cq));
	return 0;
}

static int fake_create_srq(struct ibv_context *ctx,
			   struct ibv_srq_init_attr_ex *attr,
			   struct verbs_srq **ret_vsrq)
{
	struct verbs_srq *vsrq;
	int ret = SEEN("create_srq", .ctx = ctx, .srq_attr = *attr);

	if (ret)
		return ret;
	vsrq = object_new(sizeof(*vsrq));
	if (!vsrq)
		return -ENOMEM;
	verbs_init_srq(vsrq, ctx, attr);
	vsrq->srq_num = 77;
	attr->attr = fake_provider.srq_attr;
	*ret_vsrq = vsrq;
	return 0;
}

static int fake_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			   int attr_mask)
{
	return seen(
		"modify_srq",
		&(struct fake_args){ .attr = attr, .attr_mask = attr_mask });
}

static int fake_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	int ret = seen_object("query_srq", srq);

	if (ret == 0)
		*attr = fake_provider.srq_attr;
	return ret;
}

static int fake_destroy_srq(struct ibv_srq *srq)
{
	int ret = seen_object("destroy_srq", srq);

	if (ret)
		return ret;
	verbs_wait_srq_acked(srq, &fake_provider.raised);
	verbs_fini_srq(srq);
	object_free(verbs_container_of(srq, struct verbs_srq, srq));
	return 0;
}

static int fake_create_qp(struct ibv_context *ctx,
			  struct ibv_qp_init_attr_ex *attr,
			  struct verbs_qp **ret_vqp)
{
	struct verbs_qp *vqp;
	int ret = SEEN("create_qp", .ctx = ctx, .qp_attr = *attr);

	if (ret)
		return ret;
	vqp = object_new(sizeof(*vqp));
	if (!vqp)
		return -ENOMEM;
	verbs_init_qp(vqp, ctx, attr);
	vqp->comp_mask |= fake_provider.qp_mask;
	attr->cap = fake_provider.qp_cap;
	*ret_vqp = vqp;
	return 0;
}

static int fake_open_qp(struct ibv_context *ctx, struct ibv_qp_open_attr *attr,
			struct verbs_qp **ret_vqp)
{
	const struct ibv_qp_init_attr_ex init = {
		.qp_context = attr->qp_context,
		.qp_type = attr->qp_type,
	};
	struct verbs_qp *vqp;
	int ret = SEEN("open_qp", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vqp = object_new(sizeof(*vqp));
	if (!vqp)
		return -ENOMEM;
	verbs_init_qp(vqp, ctx, &init);
	vqp->qp.qp_num = attr->qp_num;
	*ret_vqp = vqp;
	return 0;
}

static int fake_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			  int attr_mask)
{
	return SEEN("modify_qp", .attr = attr, .attr_mask = attr_mask);
}

static int fake_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	int ret = SEEN("query_qp", .attr = qp, .attr_mask = attr_mask);

	if (ret == 0)
		*attr = fake_provider.qp_attr;
	return ret;
}

static int fake_destroy_qp(struct ibv_qp *qp)
{
	int ret = seen_object("destroy_qp", qp);

	if (ret)
		return ret;
	verbs_wait_qp_acked(qp, &fake_provider.raised);
	verbs_fini_qp(qp);
	object_free(verbs_container_of(qp, struct verbs_qp, qp));
	return 0;
}

static int fake_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return seen_object("set_ece", ece);
}

static int fake_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	int ret = seen_object("query_ece", qp);

	if (ret == 0)
		*ece = fake_provider.ece;
	return ret;
}

const struct verbs_context_ops fake_provider_ops = {
	.query_device = fake_query_device,
	.query_port = fake_query_port,
	.query_gid_entry = fake_query_gid_entry,
	.query_gid_table = fake_query_gid_table,
	.query_pkey = fake_query_pkey,
	.alloc_async_fd = fake_alloc_async_fd,
	.create_comp_channel = fake_create_comp_channel,
	.cq_event = fake_cq_event,
	.async_event = fake_async_event,
	.alloc_pd = fake_alloc_pd,
	.dealloc_pd = fake_dealloc_pd,
	.open_xrcd = fake_open_xrcd,
	.close_xrcd = fake_close_xrcd,
	.reg_mr = fake_reg_mr,
	.reg_dmabuf_mr = fake_reg_dmabuf_mr,
	.rereg_mr = fake_rereg_mr,
	.dereg_mr = fake_dereg_mr,
	.advise_mr = fake_advise_mr,
	.alloc_mw = fake_alloc_mw,
	.dealloc_mw = fake_dealloc_mw,
	.create_ah = fake_create_ah,
	.destroy_ah = fake_destroy_ah,
	.attach_mcast = fake_attach_mcast,
	.detach_mcast = fake_detach_mcast,
	.create_cq = fake_create_cq,
	.resize_cq = fake_resize_cq,
	.modify_cq = fake_modify_cq,
	.destroy_cq = fake_destroy_cq,
	.create_srq = fake_create_srq,
	.modify_srq = fake_modify_srq,
	.query_srq = fake_query_srq,
	.destroy_srq = fake_destroy_srq,
	.create_qp = fake_create_qp,
	.open_qp = fake_open_qp,
	.modify_qp = fake_modify_qp,
	.query_qp = fake_query_qp,
	.destroy_qp = fake_destroy_qp,
	.set_ece = fake_set_ece,
	.query_ece = fake_query_ece,
};

/* ------------------------------------------------------------------------ */
/* The provider                                                              */
/* ------------------------------------------------------------------------ */

static int fake_list_devices(int (*add)(void *arg, const char *name,
					int node_type, __be64 node_guid),
			     void *arg)
{
	for (size_t i = 0; i < FAKE_PROVIDER_MAX_OFFERS; i++) {
		int ret;

		if (!fake_provider.offers[i])
			break;
		ret = add(arg, fake_provider.offers[i], IBV_NODE_UNSPECIFIED,
			  fake_provider.offer_guid);
		if (ret)
			return ret;
	}
	return fake_provider.list_devices_ret;
}

static int fake_open_context(struct verbs_device *dev, int cmd_fd,
			     struct verbs_context **ret_vctx)
{
	struct verbs_context *vctx;

	fake_provider.last_cmd_fd = cmd_fd;
	if (fake_provider.open_ret) {
		close_end(cmd_fd); /* it is ours now */
		return fake_provider.open_ret;
	}
	vctx = verbs_context_new(dev, cmd_fd, sizeof(*vctx));
	if (!vctx)
		return -ENOMEM;
	if (fake_provider.open_ret_late) {
		verbs_context_free(vctx);
		return fake_provider.open_ret_late;
	}
	verbs_context_set_ops(vctx, &fake_provider_ops);
	fake_provider.nr_opens++;
	*ret_vctx = vctx;
	return 0;
}

static void fake_close_context(struct verbs_context *vctx)
{
	fake_provider.nr_closes++;
	verbs_context_free(vctx);
}

static const struct verbs_match fake_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = FAKE_DRIVER_ID },
	{ .kind = VERBS_MATCH_END },
};

const struct verbs_device_ops verbs_provider_fake = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "fake",
	.min_abi_version = FAKE_ABI_VERSION,
	.max_abi_version = FAKE_ABI_VERSION,
	.match = fake_match,
	.list_devices = fake_list_devices,
	.open_context = fake_open_context,
	.close_context = fake_close_context,
};
