/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of the fake provider on queues, address handles and multicast
 * groups.
 */
#include <errno.h>

#include "support/fake_provider_internal.h"

static int fake_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			  struct ibv_ah **ret_ah)
{
	struct ibv_ah *ah;
	int ret = RECORD_OP("create_ah", .pd = pd, .attr = attr);

	if (ret)
		return ret;
	ah = fake_object_new(sizeof(*ah));
	if (!ah)
		return -ENOMEM;
	ah->context = pd->context;
	ah->pd = pd;
	*ret_ah = ah;
	return 0;
}

static int fake_destroy_ah(struct ibv_ah *ah)
{
	return fake_object_end("destroy_ah", ah);
}

static int fake_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid)
{
	return RECORD_OP("attach_mcast", .attr = qp, .gid = gid, .lid = lid);
}

static int fake_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid)
{
	return RECORD_OP("detach_mcast", .attr = qp, .gid = gid, .lid = lid);
}

static int fake_create_cq(struct ibv_context *ctx,
			  const struct ibv_cq_init_attr_ex *attr, bool extended,
			  struct verbs_cq **ret_vcq)
{
	struct verbs_cq *vcq;
	int ret = RECORD_OP("create_cq", .ctx = ctx, .cq_attr = *attr,
			    .extended = extended);

	if (ret)
		return ret;
	vcq = fake_object_new(sizeof(*vcq));
	if (!vcq)
		return -ENOMEM;
	verbs_init_cq(&vcq->cq, ctx, attr->channel, attr->cq_context);
	vcq->cq.cqe = (int)attr->cqe;
	*ret_vcq = vcq;
	return 0;
}

static int fake_resize_cq(struct ibv_cq *cq, int cqe)
{
	return RECORD_OP("resize_cq", .attr = cq, .cqe = cqe);
}

static int fake_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	return fake_record_object_op("modify_cq", attr);
}

static int fake_destroy_cq(struct ibv_cq *cq)
{
	int ret = fake_record_object_op("destroy_cq", cq);

	if (ret)
		return ret;
	verbs_wait_cq_acked(cq, &fake_provider.raised);
	verbs_fini_cq(cq);
	fake_object_free(verbs_container_of(cq, struct verbs_cq, cq));
	return 0;
}

static int fake_create_srq(struct ibv_context *ctx,
			   struct ibv_srq_init_attr_ex *attr,
			   struct verbs_srq **ret_vsrq)
{
	struct verbs_srq *vsrq;
	int ret = RECORD_OP("create_srq", .ctx = ctx, .srq_attr = *attr);

	if (ret)
		return ret;
	vsrq = fake_object_new(sizeof(*vsrq));
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
	return fake_record_op(
		"modify_srq",
		&(struct fake_args){ .attr = attr, .attr_mask = attr_mask });
}

static int fake_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	int ret = fake_record_object_op("query_srq", srq);

	if (ret == 0)
		*attr = fake_provider.srq_attr;
	return ret;
}

static int fake_destroy_srq(struct ibv_srq *srq)
{
	int ret = fake_record_object_op("destroy_srq", srq);

	if (ret)
		return ret;
	verbs_wait_srq_acked(srq, &fake_provider.raised);
	verbs_fini_srq(srq);
	fake_object_free(verbs_container_of(srq, struct verbs_srq, srq));
	return 0;
}

static int fake_create_qp(struct ibv_context *ctx,
			  struct ibv_qp_init_attr_ex *attr,
			  struct verbs_qp **ret_vqp)
{
	struct verbs_qp *vqp;
	int ret = RECORD_OP("create_qp", .ctx = ctx, .qp_attr = *attr);

	if (ret)
		return ret;
	vqp = fake_object_new(sizeof(*vqp));
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
	int ret = RECORD_OP("open_qp", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vqp = fake_object_new(sizeof(*vqp));
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
	return RECORD_OP("modify_qp", .attr = attr, .attr_mask = attr_mask);
}

static int fake_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	int ret = RECORD_OP("query_qp", .attr = qp, .attr_mask = attr_mask);

	if (ret == 0)
		*attr = fake_provider.qp_attr;
	return ret;
}

static int fake_destroy_qp(struct ibv_qp *qp)
{
	int ret = fake_record_object_op("destroy_qp", qp);

	if (ret)
		return ret;
	verbs_wait_qp_acked(qp, &fake_provider.raised);
	verbs_fini_qp(qp);
	fake_object_free(verbs_container_of(qp, struct verbs_qp, qp));
	return 0;
}

static int fake_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return fake_record_object_op("set_ece", ece);
}

static int fake_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	int ret = fake_record_object_op("query_ece", qp);

	if (ret == 0)
		*ece = fake_provider.ece;
	return ret;
}

static int fake_modify_qp_rate_limit(struct ibv_qp *qp,
				     struct ibv_qp_rate_limit_attr *attr)
{
	return RECORD_OP("modify_qp_rate_limit", .attr = attr, .object = qp);
}

static int fake_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op,
				       uint32_t flags)
{
	(void)RECORD_OP("query_qp_data_in_order", .object = qp, .opcode = op,
			.flags = (int)flags);
	return (int)fake_provider.value;
}

static int fake_create_wq(struct ibv_context *ctx,
			  struct ibv_wq_init_attr *attr, struct ibv_wq **ret_wq)
{
	int ret = RECORD_OP("create_wq", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	*ret_wq = fake_object_new(sizeof(**ret_wq));
	return *ret_wq ? 0 : -ENOMEM;
}

static int fake_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	return RECORD_OP("modify_wq", .attr = attr, .object = wq);
}

static int fake_destroy_wq(struct ibv_wq *wq)
{
	return fake_object_end("destroy_wq", wq);
}

static int fake_create_rwq_ind_table(struct ibv_context *ctx,
				     struct ibv_rwq_ind_table_init_attr *attr,
				     struct ibv_rwq_ind_table **ret_table)
{
	struct ibv_rwq_ind_table *table;
	int ret = RECORD_OP("create_rwq_ind_table", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	table = fake_object_new(sizeof(*table));
	if (!table)
		return -ENOMEM;
	table->context = ctx;
	*ret_table = table;
	return 0;
}

static int fake_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table)
{
	return fake_object_end("destroy_rwq_ind_table", table);
}

/* Data path operation: returns a positive errno. */
static int fake_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
			     struct ibv_ops_wr **bad_op)
{
	int ret = RECORD_OP("post_srq_ops", .attr = op, .object = srq);

	if (ret)
		*bad_op = op;
	return -ret;
}

const struct verbs_context_ops fake_provider_queue_ops = {
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
	.modify_qp_rate_limit = fake_modify_qp_rate_limit,
	.query_qp_data_in_order = fake_query_qp_data_in_order,
	.create_wq = fake_create_wq,
	.modify_wq = fake_modify_wq,
	.destroy_wq = fake_destroy_wq,
	.create_rwq_ind_table = fake_create_rwq_ind_table,
	.destroy_rwq_ind_table = fake_destroy_rwq_ind_table,
	.post_srq_ops = fake_post_srq_ops,
};
