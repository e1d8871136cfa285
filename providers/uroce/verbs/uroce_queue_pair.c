/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs of type RC, UC, UD and XRC: create, modify, query, destroy. The
 * engine checks and performs changes of state (qp/uroce_qp_state.c,
 * qp/uroce_qp.c). uroce_post.c and uroce_wr.c post requests.
 */
#include <errno.h>

#include "uroce/roce/uroce_pace.h"
#include "uroce/verbs/uroce_verbs.h"
#include "util/clock.h"
#include "util/nocancel.h"

/* Room for the 8 bytes of an ATOMIC WRITE in each slot (IBTA A19.4.4). */
#define MIN_SEND_SGE 1

/*
 * Longest and shortest wait for a QPN in quarantine, when a QP is created.
 * After the shortest wait several QPNs may have left quarantine.
 */
#define MAX_QPN_WAIT_NS (10 * VERBS_NS_PER_S)
#define QPN_NAP_NS	UINT64_C(1000000)

#define KNOWN_MASK                                             \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | \
	 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

static uint64_t send_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return UROCE_RC_SEND_OPS;
	case IBV_QPT_UC:
		return UROCE_UC_SEND_OPS;
	case IBV_QPT_UD:
		return UROCE_UD_SEND_OPS;
	case IBV_QPT_XRC_SEND:
		return UROCE_XRC_SEND_OPS;
	default:
		return 0;
	}
}

static int queue_pair_check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	const struct ibv_qp_cap *cap = &attr->cap;

	uint32_t known = KNOWN_MASK;

	if (attr->qp_type == IBV_QPT_XRC_RECV)
		known |= IBV_QP_INIT_ATTR_XRCD;
	else if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UC &&
		 attr->qp_type != IBV_QPT_UD &&
		 attr->qp_type != IBV_QPT_XRC_SEND)
		return -EOPNOTSUPP;
	if ((attr->comp_mask & ~known) ||
	    ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
	     attr->create_flags) ||
	    ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	     (attr->send_ops_flags & ~send_ops(attr->qp_type))))
		return -EOPNOTSUPP;
	if (cap->max_send_wr > UROCE_MAX_QP_WR ||
	    cap->max_send_sge > UROCE_MAX_SGE ||
	    cap->max_inline_data > UROCE_MAX_INLINE)
		return -EINVAL;
	if (!attr->srq && (cap->max_recv_wr > UROCE_MAX_QP_WR ||
			   cap->max_recv_sge > UROCE_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* The attributes without those that the type does not use (the library). */
static struct ibv_qp_init_attr_ex
used_attr(const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr_ex used = *attr;

	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_XRCD))
		used.xrcd = NULL;
	if (attr->qp_type == IBV_QPT_XRC_RECV) {
		used.comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_PD;
		used.pd = NULL;
		used.send_cq = NULL;
		used.cap = (struct ibv_qp_cap){};
	}
	if (attr->qp_type == IBV_QPT_XRC_RECV ||
	    attr->qp_type == IBV_QPT_XRC_SEND) {
		used.recv_cq = NULL;
		used.srq = NULL;
		used.cap.max_recv_wr = 0;
		used.cap.max_recv_sge = 0;
	}
	return used;
}

static int check_objects(const struct ibv_qp_init_attr_ex *attr)
{
	int ret = uroce_check_pd(attr->pd);

	if (ret == 0)
		ret = uroce_check_xrcd(attr->xrcd);
	if (ret == 0)
		ret = uroce_check_cq(attr->send_cq);
	if (ret == 0)
		ret = uroce_check_cq(attr->recv_cq);
	if (ret == 0)
		ret = uroce_check_srq(attr->srq);
	/* A14: only targets use it, by its number */
	if (ret == 0 && attr->srq &&
	    to_uroce_srq(attr->srq)->vsrq.srq_type == IBV_SRQT_XRC)
		ret = -EINVAL;
	return ret;
}

/* Capacities of the QP; with an SRQ, no receive queue (IBTA 11.2.4.1). */
static struct ibv_qp_cap real_cap(const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_cap cap = attr->cap;
	uint32_t inline_bytes;

	if (cap.max_send_sge < MIN_SEND_SGE)
		cap.max_send_sge = MIN_SEND_SGE;
	/*
	 * The SGEs of a WQE have the same memory as its inline data. Some
	 * programs send a few bytes inline without a requested capacity.
	 */
	inline_bytes = cap.max_send_sge * (uint32_t)sizeof(struct ibv_sge);
	if (cap.max_inline_data < inline_bytes)
		cap.max_inline_data = inline_bytes;
	if (attr->srq) {
		cap.max_recv_wr = 0;
		cap.max_recv_sge = 0;
	}
	return cap;
}

static void wait_for_qpn(uint64_t wait_ns)
{
	struct timespec nap;

	if (wait_ns < QPN_NAP_NS)
		wait_ns = QPN_NAP_NS;
	nap = verbs_timespec(wait_ns);
	(void)nanosleep(&nap, NULL); /* a signal only shortens the wait */
}

/* The worker that already serves an object of the QP, or NULL. */
static struct uroce_worker *
queue_pair_find_worker(const struct uroce_verbs_qp *qp,
		       const struct uroce_verbs_cq *send_cq,
		       const struct uroce_verbs_cq *recv_cq)
{
	if (qp->vqp.qp.qp_type == IBV_QPT_XRC_RECV)
		return uroce_instance_first_worker(qp->ctx->instance);
	if (qp->srq && qp->srq->worker)
		return qp->srq->worker;
	if (recv_cq && recv_cq->worker)
		return recv_cq->worker;
	return send_cq ? send_cq->worker : NULL;
}

void uroce_bind_cq_locked(struct uroce_verbs_cq *cq,
			  struct uroce_worker *worker)
{
	if (cq->worker == worker || cq->cq.shared)
		return;
	if (cq->worker) {
		uroce_instance_share_cq(cq->ctx->instance, cq->worker, &cq->cq);
		worker = NULL;
	} else {
		uroce_worker_bind_cq(worker, &cq->cq);
	}
	__atomic_store_n(&cq->worker, worker, __ATOMIC_RELAXED);
}

/* With uroce_instance_lock(). */
static int queue_pair_new_locked(struct uroce_verbs_qp *qp,
				 const struct uroce_qp_config *config,
				 uint64_t now)
{
	int ret = uroce_engine_new_qp(uroce_worker_engine(qp->worker), config,
				      now, &qp->qp);

	if (ret)
		return ret;
	list_add_tail(&qp->ctx->qps, &qp->entry);
	if (config->send_cq)
		uroce_bind_cq_locked(config->send_cq->owner, qp->worker);
	if (config->recv_cq)
		uroce_bind_cq_locked(config->recv_cq->owner, qp->worker);
	if (qp->srq)
		qp->srq->worker = qp->worker;
	return 0;
}

/*
 * Creates the QP in the engine of a worker: of the one that serves its SRQ or
 * its CQs, or of the next one. If every free QPN is in quarantine, waits until
 * the first one leaves it.
 *
 * Return: 0, -EINVAL, -ENOMEM, or -ENOSPC if the wait would be too long or all
 * QPNs are in use.
 */
static int new_engine_qp(struct uroce_verbs_qp *qp,
			 const struct uroce_qp_config *config)
{
	struct uroce_instance *instance = qp->ctx->instance;
	struct uroce_worker *next = NULL;

	for (;;) {
		uint64_t now, free_ns = UROCE_NEVER;
		int ret = -EAGAIN;

		uroce_instance_lock(instance);
		now = uroce_worker_now();
		qp->worker = queue_pair_find_worker(
			qp, config->send_cq ? config->send_cq->owner : NULL,
			config->recv_cq ? config->recv_cq->owner : NULL);
		if (!qp->worker)
			qp->worker = next;
		if (qp->worker)
			ret = queue_pair_new_locked(qp, config, now);
		if (ret == -ENOSPC)
			free_ns = uroce_engine_qpn_free_ns(
				uroce_worker_engine(qp->worker));
		uroce_instance_unlock(instance);
		if (ret == -EAGAIN)
			next = uroce_instance_next_worker(instance);
		else if (ret != -ENOSPC || free_ns > now + MAX_QPN_WAIT_NS)
			return ret;
		else
			wait_for_qpn(free_ns > now ? free_ns - now : 0);
	}
}

static void use_pd(struct uroce_pd *pd)
{
	uroce_use(&pd->users);
}

static void unuse(uint32_t *users)
{
	(void)uroce_unuse(users);
}

/*
 * Calls @fn with the number of users of each object that the QP uses, and
 * @fn_pd with its PD.
 */
static void queue_pair_for_each_use(const struct uroce_verbs_qp *qp,
				    void (*fn_pd)(struct uroce_pd *pd),
				    void (*fn)(uint32_t *users))
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;

	if (ibqp->pd)
		fn_pd(to_uroce_pd(ibqp->pd));
	if (ibqp->send_cq)
		fn(&to_uroce_cq(ibqp->send_cq)->users);
	if (ibqp->recv_cq)
		fn(&to_uroce_cq(ibqp->recv_cq)->users);
	if (qp->srq)
		fn(&qp->srq->users);
	if (qp->vqp.comp_mask & VERBS_QP_MASK_XRCD)
		fn(&to_uroce_xrcd(&qp->vqp.xrcd->xrcd)->users);
}

/* Creates the QP in the engine, and counts it as a user of PD, CQs, SRQ. */
static int queue_pair_enter(struct uroce_verbs_qp *qp,
			    const struct ibv_qp_init_attr_ex *attr,
			    const struct ibv_qp_cap *cap)
{
	/* an XRC initiator has one CQ, a target none */
	struct ibv_cq *receive_cq = attr->qp_type == IBV_QPT_XRC_SEND
					    ? attr->send_cq
					    : attr->recv_cq;
	const struct uroce_qp_config config = {
		.type = attr->qp_type,
		.pd = attr->pd ? to_uroce_pd(attr->pd)->number : 0,
		.sig_all = attr->sq_sig_all,
		.max_send_wr = cap->max_send_wr,
		.max_send_sge = cap->max_send_sge,
		.max_inline = cap->max_inline_data,
		.rq = qp->srq ? &qp->srq->recv.rq : &qp->recv.rq,
		.send_cq = attr->send_cq ? &to_uroce_cq(attr->send_cq)->cq
					 : NULL,
		.recv_cq = receive_cq ? &to_uroce_cq(receive_cq)->cq : NULL,
		.xrc_domain = attr->xrcd ? to_uroce_xrcd(attr->xrcd)->domain
					 : NULL,
		.owner = qp,
	};
	int ret;

	ret = new_engine_qp(qp, &config);
	if (ret)
		return ret;
	queue_pair_for_each_use(qp, use_pd, uroce_use);
	return 0;
}

int uroce_create_qp(struct ibv_context *ibctx,
		    struct ibv_qp_init_attr_ex *init_attr,
		    struct verbs_qp **ret_vqp)
{
	const struct ibv_qp_init_attr_ex attr = used_attr(init_attr);
	const struct ibv_qp_cap cap = real_cap(&attr);
	struct uroce_verbs_qp *qp;
	int ret;

	ret = queue_pair_check_attr(&attr);
	if (ret == 0)
		ret = check_objects(&attr);
	if (ret == 0)
		ret = uroce_qp_object_new(ibctx, &attr, &cap, &qp);
	if (ret)
		return ret;
	ret = queue_pair_enter(qp, &attr, &cap);
	if (ret) {
		uroce_qp_object_free(qp);
		return ret;
	}
	uroce_qp_object_identify(qp);
	if (attr.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		uroce_wr_init(&qp->vqp.qp_ex);
		qp->vqp.comp_mask |= VERBS_QP_MASK_EX;
	}
	init_attr->cap = cap;
	*ret_vqp = &qp->vqp;
	return 0;
}

/*
 * Completions that are still in the CQs must not be taken for completions after
 * the QP, or its QPN, is used again (IBTA 10.3.1.1).
 */
static void forget_completions(const struct ibv_qp *ibqp)
{
	/* those of an XRC target are of its SRQs, which go on */
	if (ibqp->send_cq)
		uroce_cq_forget_qp(to_uroce_cq(ibqp->send_cq), ibqp->qp_num);
	if (ibqp->recv_cq && ibqp->recv_cq != ibqp->send_cq)
		uroce_cq_forget_qp(to_uroce_cq(ibqp->recv_cq), ibqp->qp_num);
}

/*
 * Selects shm or network once, at INIT -> RTR. *ret_channel: the shm
 * connection, or NULL for the network and for other changes.
 */
static int choose_way(const struct uroce_verbs_qp *qp,
		      const struct ibv_qp_attr *attr, int attr_mask,
		      const struct uroce_path *path,
		      struct uroce_channel **ret_channel)
{
	const int needed = IBV_QP_STATE | IBV_QP_AV | IBV_QP_DEST_QPN;
	int ret;

	*ret_channel = NULL;
	/* XRC uses the network */
	if (qp->qp->xrc != UROCE_XRC_NONE || (attr_mask & needed) != needed ||
	    attr->qp_state != IBV_QPS_RTR ||
	    uroce_qp_state(qp->qp) != IBV_QPS_INIT)
		return 0;
	ret = uroce_worker_connect(qp->worker, qp->ctx->instance, path,
				   attr->dest_qp_num, ret_channel);
	return ret == -ENOENT ? 0 : ret;
}

static uint32_t dest_of(const struct uroce_verbs_qp *qp,
			const struct ibv_qp_attr *attr, int attr_mask)
{
	return attr_mask & IBV_QP_DEST_QPN ? attr->dest_qp_num
					   : qp->qp->dest_qpn;
}

/*
 * Paths of packets for attr->ah_attr and attr->alt_ah_attr.
 *
 * Return: 0, or -EINVAL.
 */
static int resolve_paths(const struct uroce_verbs_qp *qp,
			 const struct ibv_qp_attr *attr, int attr_mask,
			 struct uroce_path *ret_paths)
{
	uint32_t qpn = qp->qp->qpn, dest_qpn = dest_of(qp, attr, attr_mask);
	int ret = 0;

	if (attr_mask & IBV_QP_AV)
		ret = uroce_path_resolve(qp->ctx, &attr->ah_attr, qpn, dest_qpn,
					 &ret_paths[0]);
	if (ret == 0 && (attr_mask & IBV_QP_ALT_PATH))
		ret = uroce_path_resolve(qp->ctx, &attr->alt_ah_attr, qpn,
					 dest_qpn, &ret_paths[1]);
	return ret;
}

/*
 * Gives the alternate path another UDP source port than the path in use. So the
 * network may choose another route for it, even if the addresses are the same.
 */
static void separate_paths(const struct uroce_verbs_qp *qp,
			   const struct ibv_qp_attr *attr, int attr_mask,
			   struct uroce_path *paths)
{
	uint16_t in_use = attr_mask & IBV_QP_AV ? paths[0].sport
						: qp->qp->path.sport;

	if ((attr_mask & IBV_QP_ALT_PATH) && paths[1].sport == in_use)
		paths[1].sport = uroce_instance_other_sport(
			qp->ctx->instance, qp->qp->qpn,
			dest_of(qp, attr, attr_mask));
}

/*
 * With the engine lock. @channel: shm connection, bound to the QP if the change
 * succeeds, else released. Also releases the old one if the change unbinds the
 * QP.
 */
static int modify_locked(struct uroce_verbs_qp *qp,
			 const struct ibv_qp_attr *attr, int attr_mask,
			 const struct uroce_netdev *dev,
			 struct uroce_path *paths,
			 struct uroce_channel *channel)
{
	struct uroce_channel *old = qp->qp->roce->channel;
	bool binds = channel && uroce_qp_state(qp->qp) == IBV_QPS_INIT;
	int ret;

	separate_paths(qp, attr, attr_mask, paths);
	if (binds)
		uroce_channel_bind(channel, qp->qp);
	ret = uroce_qp_modify(qp->qp, attr, attr_mask, uroce_port_mtu(dev),
			      paths, uroce_worker_now());
	if (ret == 0 && (attr_mask & IBV_QP_AV))
		uroce_pace_limit_path(qp->qp, paths[0].max_kbps);
	if (binds && ret)
		uroce_channel_unbind(qp->qp);
	if (channel && qp->qp->roce->channel != channel)
		uroce_worker_disconnect(qp->worker, channel);
	if (old && !qp->qp->roce->channel)
		uroce_worker_disconnect(qp->worker, old);
	return ret;
}

int uroce_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	struct uroce_context *ctx = qp->ctx;
	struct uroce_channel *channel;
	struct uroce_path paths[2] = {};
	struct uroce_netdev dev;
	int ret;

	ret = uroce_check_qp(ibqp);
	if (ret)
		return ret;
	if (uroce_instance_dead(ctx->instance))
		return -EIO;
	ret = resolve_paths(qp, attr, attr_mask, paths);
	if (ret)
		return ret;
	ret = choose_way(qp, attr, attr_mask, &paths[0], &channel);
	if (ret)
		return ret;
	if ((attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET)
		uroce_worker_flush_qp(qp->worker, qp->qp);
	uroce_instance_netdev(ctx->instance, &dev);
	uroce_worker_lock(qp->worker);
	ret = modify_locked(qp, attr, attr_mask, &dev, paths, channel);
	uroce_worker_unlock(qp->worker);
	if (!ret && (attr_mask & IBV_QP_STATE) &&
	    (attr->qp_state == IBV_QPS_RESET || attr->qp_state == IBV_QPS_ERR))
		/* -EBUSY: a stopped peer ends its copy once it continues */
		(void)uroce_instance_await_copies(ctx->instance);
	if (!ret && (attr_mask & IBV_QP_STATE) &&
	    attr->qp_state == IBV_QPS_RESET)
		forget_completions(ibqp);
	return ret;
}

int uroce_modify_qp_rate_limit(struct ibv_qp *ibqp,
			       struct ibv_qp_rate_limit_attr *attr)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	bool has_burst = attr->max_burst_sz || attr->typical_pkt_sz;
	int ret = uroce_check_qp(ibqp);

	if (ret)
		return ret;
	if (attr->rate_limit > UROCE_MAX_KBPS ||
	    (has_burst && !attr->rate_limit) || qp->qp->xrc == UROCE_XRC_TARGET)
		return -EINVAL;
	uroce_worker_lock(qp->worker);
	if (qp->qp->state == IBV_QPS_RTS)
		uroce_pace_limit(qp->qp, attr->rate_limit, attr->max_burst_sz);
	else
		ret = -EINVAL;
	uroce_worker_unlock(qp->worker);
	return ret;
}

int uroce_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	int ret = uroce_check_qp(ibqp);

	if (ret)
		return ret;
	uroce_worker_lock(qp->worker);
	uroce_qp_query(qp->qp, attr);
	uroce_worker_unlock(qp->worker);
	attr->cap = (struct ibv_qp_cap){
		.max_send_wr = qp->qp->sq.size,
		.max_send_sge = qp->max_send_sge,
		.max_inline_data = qp->max_inline,
		.max_recv_wr = qp->recv.rq.ring.size,
		.max_recv_sge = qp->recv.rq.max_sge,
	};
	*init_attr = (struct ibv_qp_init_attr){
		.qp_context = ibqp->qp_context,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
		.srq = ibqp->srq,
		.cap = attr->cap,
		.qp_type = ibqp->qp_type,
		.sq_sig_all = qp->sig_all,
	};
	return 0;
}

/*
 * Time until no packet of the last connections can arrive, not even a
 * retransmitted one. No peer has packets for a QP that was never in RTR.
 */
static uint64_t quarantine_ns(const struct uroce_qp *qp)
{
	/* IBTA 9.7.6.1.3: 4.096 us * 2^timeout */
	uint64_t timeout = UINT64_C(4096) << qp->longest_timeout;

	if (!qp->was_connected)
		return 0;
	return 2 * timeout > UROCE_QUARANTINE_NS ? 2 * timeout
						 : UROCE_QUARANTINE_NS;
}

int uroce_destroy_qp(struct ibv_qp *ibqp)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	struct uroce_context *ctx = qp->ctx;
	int ret;

	ret = uroce_check_qp(ibqp);
	if (ret)
		return ret;
	uroce_worker_flush_qp(qp->worker, qp->qp);
	uroce_instance_lock(ctx->instance);
	/* IBTA 11.2.4.4: not while it is attached to a group */
	ret = uroce_mcast_has_any(qp)
		      ? -EBUSY
		      : uroce_events_forget(ctx, ibqp, NULL, &qp->raised);
	if (ret == 0) {
		struct uroce_channel *channel = qp->qp->roce->channel;

		uroce_qp_handle_close_locked(qp, quarantine_ns(qp->qp));
		list_del(&qp->entry);
		if (channel)
			uroce_worker_disconnect(qp->worker, channel);
	}
	uroce_instance_unlock(ctx->instance);
	if (ret)
		return ret;
	(void)uroce_instance_await_copies(
		ctx->instance); /* as in uroce_modify_qp() */
	verbs_wait_qp_acked(ibqp, &qp->raised);
	forget_completions(ibqp);
	queue_pair_for_each_use(qp, uroce_pd_put, unuse);
	uroce_qp_object_free(qp);
	return 0;
}
