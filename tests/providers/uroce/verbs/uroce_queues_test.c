/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creating, changing and destroying queues:
 * verbs/uroce_{cq,srq,queue_pair,mcast,object}.c.
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct uroce_context *ctx;
static struct ibv_context *ibctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static int setup(void **state)
{
	ctx = fake_worker_context();
	ibctx = &ctx->vctx.context;
	pd = new_pd(ctx);
	cq = new_cq(ctx, 16, NULL);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

/* -- completion queues -- */

static int try_cq(const struct ibv_cq_init_attr_ex *attr)
{
	struct verbs_cq *vcq = NULL;
	int ret = uroce_create_cq(ibctx, attr, true, &vcq);

	if (ret == 0)
		assert_int_equal(uroce_destroy_cq(&vcq->cq), 0);
	return ret;
}

static void uroce_create_cq_has_requested_size(void **state)
{
	assert_int_equal(cq->cqe, 16);
	assert_int_equal(try_cq(&(struct ibv_cq_init_attr_ex){
				 .cqe = UROCE_MAX_CQE + 1 }),
			 -EINVAL);
	assert_int_equal(try_cq(&(struct ibv_cq_init_attr_ex){
				 .cqe = 1, .comp_vector = 1 }),
			 -EINVAL);
}

static void uroce_create_cq_unsupported_field_is_rejected(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1,
		.wc_flags = UROCE_WC_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};

	assert_int_equal(try_cq(&attr), 0);
	attr.wc_flags |= IBV_WC_EX_WITH_CVLAN;
	assert_int_equal(try_cq(&attr), -EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.flags |= IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	assert_int_equal(try_cq(&attr), -EOPNOTSUPP);
}

static void uroce_resize_cq_changes_size(void **state)
{
	assert_int_equal(uroce_resize_cq(cq, 100), 0);
	assert_int_equal(cq->cqe, 100);
	assert_int_equal(uroce_resize_cq(cq, UROCE_MAX_CQE + 1), -EINVAL);
	assert_int_equal(cq->cqe, 100);
}

static void uroce_modify_cq_sets_moderation(void **state)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 16, .cq_period = 10 },
	};
	const struct uroce_moderate *moderate = &to_uroce_cq(cq)->cq.moderate;

	assert_int_equal(moderate->count, 0);
	assert_int_equal(uroce_modify_cq(cq, &attr), 0);
	assert_int_equal(moderate->count, 16);
	assert_int_equal(moderate->period_us, 10);
	attr = (struct ibv_modify_cq_attr){};
	assert_int_equal(uroce_modify_cq(cq, &attr), 0);
	assert_int_equal(moderate->count, 16);
}

static void uroce_destroy_cq_in_use_returns_ebusy(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_RC, NULL);

	assert_int_equal(uroce_destroy_cq(cq), -EBUSY);
	assert_int_equal(uroce_dealloc_pd(pd), -EBUSY);
	assert_int_equal(uroce_destroy_qp(qp), 0);
}

/* -- shared receive queues -- */

static int try_srq(uint32_t max_wr, uint32_t max_sge, struct ibv_srq **ret)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct verbs_srq *vsrq = NULL;
	int err = uroce_create_srq(ibctx, &attr, &vsrq);

	if (err == 0)
		*ret = &vsrq->srq;
	return err;
}

static void uroce_create_srq_above_limit_returns_einval(void **state)
{
	struct ibv_srq_attr attr = {};
	struct ibv_srq *srq = NULL;

	assert_int_equal(try_srq(0, 1, &srq), -EINVAL);
	assert_int_equal(try_srq(UROCE_MAX_SRQ_WR + 1, 1, &srq), -EINVAL);
	assert_int_equal(try_srq(1, UROCE_MAX_SGE + 1, &srq), -EINVAL);
	assert_int_equal(try_srq(10, 2, &srq), 0);
	assert_int_equal(uroce_query_srq(srq, &attr), 0);
	assert_int_equal(attr.max_wr, 10);
	assert_int_equal(attr.max_sge, 2);
	assert_int_equal(attr.srq_limit, 0);
	assert_int_equal(uroce_dealloc_pd(pd), -EBUSY);
	assert_int_equal(uroce_destroy_srq(srq), 0);
}

static void uroce_create_srq_unsupported_type_returns_eopnotsupp(void **state)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 1, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE,
		.pd = pd,
		.srq_type = IBV_SRQT_TM,
	};
	struct verbs_srq *vsrq;

	assert_int_equal(uroce_create_srq(ibctx, &attr, &vsrq), -EOPNOTSUPP);
}

static void assert_srq(struct ibv_srq *srq, uint32_t max_wr, uint32_t limit)
{
	struct ibv_srq_attr attr;

	assert_int_equal(uroce_query_srq(srq, &attr), 0);
	assert_int_equal(attr.max_wr, max_wr);
	assert_int_equal(attr.srq_limit, limit);
}

static int modify_srq(struct ibv_srq *srq, uint32_t max_wr, uint32_t limit,
		      int mask)
{
	struct ibv_srq_attr attr = { .max_wr = max_wr, .srq_limit = limit };

	return uroce_modify_srq(srq, &attr, mask);
}

static void uroce_modify_srq_changes_size_and_limit(void **state)
{
	struct ibv_sge sge = { .length = 1 };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_srq *srq = NULL;

	assert_int_equal(try_srq(2, 1, &srq), 0);
	for (wr.wr_id = 0; wr.wr_id < 2; wr.wr_id++)
		assert_int_equal(uroce_post_srq_recv(srq, &wr, &bad), 0);
	assert_int_equal(uroce_post_srq_recv(srq, &wr, &bad), ENOMEM);
	assert_int_equal(modify_srq(srq, 1, 0, IBV_SRQ_MAX_WR), -EINVAL);
	assert_int_equal(modify_srq(srq, 0, 0, IBV_SRQ_MAX_WR), -EINVAL);
	assert_int_equal(modify_srq(srq, 4, 3, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT),
			 0);
	assert_srq(srq, 4, 3);
	assert_int_equal(uroce_post_srq_recv(srq, &wr, &bad), 0);
	assert_int_equal(modify_srq(srq, 0, 5, IBV_SRQ_LIMIT), -EINVAL);
	assert_int_equal(modify_srq(srq, 0, 0, 1 << 5), -EINVAL);
	assert_int_equal(modify_srq(srq, 0, 4, IBV_SRQ_LIMIT), 0);
	assert_srq(srq, 4, 4);
	assert_int_equal(uroce_destroy_srq(srq), 0);
}

static void uroce_destroy_srq_in_use_returns_ebusy(void **state)
{
	struct ibv_srq *srq = NULL;
	struct ibv_qp *qp;

	assert_int_equal(try_srq(2, 1, &srq), 0);
	qp = new_qp(pd, cq, IBV_QPT_RC, srq);
	assert_int_equal(uroce_destroy_srq(srq), -EBUSY);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_int_equal(uroce_destroy_srq(srq), 0);
}

/* -- queue pairs -- */

static struct ibv_qp_init_attr_ex qp_attr(void)
{
	return (struct ibv_qp_init_attr_ex){
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 5,
			 .max_send_sge = 3,
			 .max_recv_sge = 2,
			 .max_inline_data = 100 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
}

static int try_qp(struct ibv_qp_init_attr_ex *attr)
{
	struct verbs_qp *vqp = NULL;
	int ret = uroce_create_qp(ibctx, attr, &vqp);

	if (ret == 0)
		assert_int_equal(uroce_destroy_qp(&vqp->qp), 0);
	return ret;
}

static void uroce_create_qp_has_requested_attributes(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct ibv_qp_init_attr init = {};
	struct ibv_qp_attr now = {};
	struct verbs_qp *vqp = NULL;

	attr.sq_sig_all = 1;
	attr.qp_context = &now;
	assert_int_equal(uroce_create_qp(ibctx, &attr, &vqp), 0);
	assert_int_not_equal(vqp->qp.qp_num, 0);
	assert_int_equal(vqp->comp_mask, 0);
	assert_int_equal(uroce_query_qp(&vqp->qp, &now, IBV_QP_CAP, &init), 0);
	assert_memory_equal(&now.cap, &attr.cap, sizeof(now.cap));
	assert_memory_equal(&init.cap, &attr.cap, sizeof(now.cap));
	assert_int_equal(now.cap.max_inline_data, 100);
	assert_int_equal(now.qp_state, IBV_QPS_RESET);
	assert_int_equal(init.sq_sig_all, 1);
	assert_int_equal(init.qp_type, IBV_QPT_RC);
	assert_ptr_equal(init.send_cq, cq);
	assert_ptr_equal(init.qp_context, &now);
	assert_int_equal(uroce_destroy_qp(&vqp->qp), 0);
}

static void uroce_create_qp_above_limit_returns_einval(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();

	attr.cap.max_send_wr = UROCE_MAX_QP_WR + 1;
	assert_int_equal(try_qp(&attr), -EINVAL);
	attr = qp_attr();
	attr.cap.max_recv_wr = UROCE_MAX_QP_WR + 1;
	assert_int_equal(try_qp(&attr), -EINVAL);
	attr = qp_attr();
	attr.cap.max_send_sge = UROCE_MAX_SGE + 1;
	assert_int_equal(try_qp(&attr), -EINVAL);
	attr = qp_attr();
	attr.cap.max_recv_sge = UROCE_MAX_SGE + 1;
	assert_int_equal(try_qp(&attr), -EINVAL);
	attr = qp_attr();
	attr.cap.max_inline_data = UROCE_MAX_INLINE + 1;
	assert_int_equal(try_qp(&attr), -EINVAL);
}

static void uroce_create_qp_zero_capabilities_succeeds(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();

	attr.cap = (struct ibv_qp_cap){};
	assert_int_equal(try_qp(&attr), 0);
	assert_int_equal(attr.cap.max_send_sge, 1);
	assert_int_equal(attr.cap.max_send_wr, 0);
}

static void uroce_create_qp_inline_capacity_covers_sges(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();

	attr.cap.max_inline_data = 0;
	assert_int_equal(try_qp(&attr), 0);
	assert_int_equal(attr.cap.max_inline_data, 3 * sizeof(struct ibv_sge));
	attr = qp_attr();
	attr.cap.max_send_sge = UROCE_MAX_SGE;
	assert_int_equal(try_qp(&attr), 0);
	assert_int_equal(attr.cap.max_inline_data, UROCE_MAX_INLINE);
}

static void uroce_create_qp_unsupported_type_is_rejected(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();

	attr.qp_type = IBV_QPT_RAW_PACKET;
	assert_int_equal(try_qp(&attr), -EOPNOTSUPP);
	attr = qp_attr();
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	assert_int_equal(try_qp(&attr), 0);
	attr.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	assert_int_equal(try_qp(&attr), -EOPNOTSUPP);
	attr = qp_attr();
	attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = IBV_QP_EX_WITH_TSO;
	assert_int_equal(try_qp(&attr), -EOPNOTSUPP);
	/* each QP type supports its own operations only */
	attr.send_ops_flags = UROCE_RC_SEND_OPS;
	assert_int_equal(try_qp(&attr), 0);
	attr.qp_type = IBV_QPT_UC;
	assert_int_equal(try_qp(&attr), -EOPNOTSUPP);
	attr.send_ops_flags = UROCE_UC_SEND_OPS;
	assert_int_equal(try_qp(&attr), 0);
	attr.qp_type = IBV_QPT_UD;
	assert_int_equal(try_qp(&attr), -EOPNOTSUPP);
	attr.send_ops_flags = UROCE_UD_SEND_OPS;
	assert_int_equal(try_qp(&attr), 0);
	attr = qp_attr();
	attr.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
	assert_int_equal(try_qp(&attr), -EOPNOTSUPP);
}

static void uroce_create_qp_with_srq_has_no_receive_queue(void **state)
{
	struct ibv_qp_init_attr_ex attr = qp_attr();
	struct ibv_srq *srq = NULL;

	assert_int_equal(try_srq(2, 1, &srq), 0);
	attr.srq = srq;
	attr.cap.max_recv_wr = UROCE_MAX_QP_WR + 1; /* ignored */
	assert_int_equal(try_qp(&attr), 0);
	assert_int_equal(attr.cap.max_recv_wr, 0);
	assert_int_equal(attr.cap.max_recv_sge, 0);
	assert_int_equal(uroce_destroy_srq(srq), 0);
}

static void uroce_query_qp_returns_modified_attributes(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	connect_qp(qp, qp);
	assert_int_equal(uroce_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	assert_int_equal(attr.path_mtu, IBV_MTU_1024);
	assert_int_equal(attr.dest_qp_num, qp->qp_num);
	assert_int_equal(attr.timeout, 14);
	assert_int_equal(attr.ah_attr.grh.sgid_index, FAKE_GID_IPV4);
	assert_memory_equal(to_uroce_qp(qp)->qp->path.dgid,
			    fake_worker.dev.gids[FAKE_GID_IPV4], 16);
	assert_int_equal(uroce_destroy_qp(qp), 0);
}

static int to_rtr(struct ibv_qp *qp, enum ibv_mtu mtu, uint8_t sgid_index)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh.sgid_index = sgid_index },
	};

	memcpy(attr.ah_attr.grh.dgid.raw, fake_worker.dev.gids[FAKE_GID_IPV6],
	       UROCE_GID_LEN);
	return uroce_modify_qp(qp, &attr,
			       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN);
}

static void uroce_modify_qp_bad_port_or_path_returns_einval(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_UC, NULL);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), -EINVAL);
	assert_int_equal(uroce_modify_qp(qp, &attr,
					 IBV_QP_STATE | IBV_QP_PORT |
						 IBV_QP_PKEY_INDEX |
						 IBV_QP_ACCESS_FLAGS),
			 0);
	/* an IP MTU of 1500 permits a path MTU of 1024 */
	assert_int_equal(to_rtr(qp, IBV_MTU_2048, FAKE_GID_IPV6), -EINVAL);
	assert_int_equal(to_rtr(qp, IBV_MTU_1024, FAKE_GID_IPV4), -EINVAL);
	assert_int_equal(to_rtr(qp, IBV_MTU_1024, FAKE_GID_IPV6), 0);
	assert_int_equal(uroce_destroy_qp(qp), 0);
}

static void uroce_modify_qp_in_child_after_fork_returns_eio(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	fake_worker.dead = true;
	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), -EIO);
	assert_int_equal(uroce_destroy_qp(qp), 0);
}

static void uroce_destroy_qp_quarantines_qpn(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	uint32_t index = qp->qp_num & 0xffff;

	connect_qp(qp, qp);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_in_range(fake_worker.engine.qpn_free_ns[index],
			fake_worker.now + UROCE_QUARANTINE_NS, UINT64_MAX);
}

/* RESET forgets the timeout, but packets may still arrive that long. */
static void uroce_destroy_qp_in_reset_quarantines_qpn(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .timeout = 20 };
	uint32_t index = qp->qp_num & 0xffff;

	connect_qp(qp, qp);
	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_TIMEOUT), 0);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_in_range(fake_worker.engine.qpn_free_ns[index],
			fake_worker.now + (UINT64_C(2 * 4096) << 20),
			UINT64_MAX);
}

static void uroce_destroy_qp_never_connected_frees_qpn(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	uint32_t index = qp->qp_num & 0xffff;

	assert_int_equal(uroce_modify_qp(qp, &attr,
					 IBV_QP_STATE | IBV_QP_PORT |
						 IBV_QP_PKEY_INDEX |
						 IBV_QP_ACCESS_FLAGS),
			 0);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_in_range(fake_worker.engine.qpn_free_ns[index], 0,
			fake_worker.now);
}

/* -- multicast -- */

static const union ibv_gid group = {
	.raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 },
};

static void uroce_attach_mcast_twice_joins_once(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_UD, NULL);

	assert_int_equal(uroce_attach_mcast(qp, &group, 0), 0);
	assert_int_equal(uroce_attach_mcast(qp, &group, 0), 0);
	assert_int_equal(fake_worker.nr_joined, 1);
	assert_int_equal(fake_worker.engine.nr_groups, 1);
	assert_int_equal(uroce_detach_mcast(qp, &group, 0), 0);
	assert_int_equal(uroce_detach_mcast(qp, &group, 0), -EINVAL);
	assert_int_equal(fake_worker.nr_joined, 0);
	assert_int_equal(uroce_destroy_qp(qp), 0);
}

static void uroce_destroy_qp_attached_returns_ebusy(void **state)
{
	struct ibv_qp *qp = new_qp(pd, cq, IBV_QPT_UD, NULL);

	assert_int_equal(uroce_attach_mcast(qp, &group, 0), 0);
	assert_int_equal(uroce_destroy_qp(qp), -EBUSY);
	assert_int_equal(fake_worker.nr_joined, 1);
	assert_int_equal(uroce_detach_mcast(qp, &group, 0), 0);
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_int_equal(fake_worker.engine.nr_groups, 0);
}

static void uroce_attach_mcast_failed_join_attaches_nothing(void **state)
{
	struct ibv_qp *ud = new_qp(pd, cq, IBV_QPT_UD, NULL);
	struct ibv_qp *rc = new_qp(pd, cq, IBV_QPT_RC, NULL);

	assert_int_equal(uroce_attach_mcast(rc, &group, 0), -EINVAL);
	assert_int_equal(fake_worker.nr_joined, 0);
	fake_worker.join_ret = -ENODEV;
	assert_int_equal(uroce_attach_mcast(ud, &group, 0), -ENODEV);
	assert_int_equal(fake_worker.engine.nr_groups, 0);
	assert_int_equal(uroce_destroy_qp(rc), 0);
	assert_int_equal(uroce_destroy_qp(ud), 0);
}

/* -- closing a context -- */

static uint8_t memory[64];

static void uroce_close_context_removes_leftover_objects(void **state)
{
	struct uroce_context *other = calloc(1, sizeof(*other));
	struct uroce_context *mine = ctx;
	struct ibv_pd *domain;
	struct ibv_cq *queue;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_mw *mw = NULL;

	/* another context of the same worker */
	assert_non_null(other);
	uroce_context_init(other);
	other->memory = mine->memory;
	domain = new_pd(other);
	queue = new_cq(other, 4, NULL);
	qp = new_qp(domain, queue, IBV_QPT_UD, NULL);
	mr = new_mr(domain, memory, sizeof(memory), 0);
	assert_int_equal(uroce_alloc_mw(domain, IBV_MW_TYPE_1, &mw), 0);
	assert_int_equal(uroce_attach_mcast(qp, &group, 0), 0);

	uroce_context_abandon(other);
	assert_int_equal(fake_worker.engine.nr_qps, 0);
	assert_int_equal(fake_worker.nr_joined, 0);
	assert_null(
		uroce_memory_find(fake_worker.engine.core.memory, mr->lkey));
	assert_null(
		uroce_memory_find(fake_worker.engine.core.memory, mw->rkey));

	/* the context does not own the memory */
	free(to_uroce_mw(mw));
	free(verbs_container_of(mr, struct uroce_mr, vmr.ibv_mr));
	uroce_rq_fini(&to_uroce_qp(qp)->recv.rq);
	free(to_uroce_qp(qp));
	uroce_cq_fini(&to_uroce_cq(queue)->cq);
	free(to_uroce_cq(queue));
	free(to_uroce_pd(domain));
	free(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_create_cq_has_requested_size),
		TEST(uroce_create_cq_unsupported_field_is_rejected),
		TEST(uroce_resize_cq_changes_size),
		TEST(uroce_modify_cq_sets_moderation),
		TEST(uroce_destroy_cq_in_use_returns_ebusy),
		TEST(uroce_create_srq_above_limit_returns_einval),
		TEST(uroce_create_srq_unsupported_type_returns_eopnotsupp),
		TEST(uroce_modify_srq_changes_size_and_limit),
		TEST(uroce_destroy_srq_in_use_returns_ebusy),
		TEST(uroce_create_qp_has_requested_attributes),
		TEST(uroce_create_qp_above_limit_returns_einval),
		TEST(uroce_create_qp_zero_capabilities_succeeds),
		TEST(uroce_create_qp_inline_capacity_covers_sges),
		TEST(uroce_create_qp_unsupported_type_is_rejected),
		TEST(uroce_create_qp_with_srq_has_no_receive_queue),
		TEST(uroce_query_qp_returns_modified_attributes),
		TEST(uroce_modify_qp_bad_port_or_path_returns_einval),
		TEST(uroce_modify_qp_in_child_after_fork_returns_eio),
		TEST(uroce_destroy_qp_quarantines_qpn),
		TEST(uroce_destroy_qp_in_reset_quarantines_qpn),
		TEST(uroce_destroy_qp_never_connected_frees_qpn),
		TEST(uroce_attach_mcast_twice_joins_once),
		TEST(uroce_destroy_qp_attached_returns_ebusy),
		TEST(uroce_attach_mcast_failed_join_attaches_nothing),
		TEST(uroce_close_context_removes_leftover_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
