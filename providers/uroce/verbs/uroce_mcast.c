/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast groups of UD QPs: the engine keeps the list of attached QPs, each
 * of which receives a copy; the worker joins the group on the network
 * interface.
 */
#include <errno.h>
#include <string.h>

#include "uroce/verbs/uroce_verbs.h"

/* Whether the QP is already attached; the engine keeps no attach count. */
static bool has_group(const struct uroce_engine *engine,
		      const struct uroce_qp *qp, const uint8_t *gid)
{
	for (uint32_t i = 0; i < engine->nr_groups; i++)
		if (engine->groups[i].qp == qp &&
		    memcmp(engine->groups[i].gid, gid, UROCE_GID_LEN) == 0)
			return true;
	return false;
}

static int attach_locked(struct uroce_verbs_qp *qp, const uint8_t *gid)
{
	int ret;

	ret = uroce_worker_join(qp->worker, qp->ctx->instance, gid);
	if (ret)
		return ret;
	ret = uroce_engine_attach(qp->qp->roce->engine, qp->qp, gid);
	if (ret)
		uroce_worker_leave(qp->worker, qp->ctx->instance, gid);
	return ret;
}

int uroce_attach_mcast(struct ibv_qp *ibqp, const union ibv_gid *gid,
		       uint16_t lid)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	int ret = uroce_check_qp(ibqp);

	if (ret)
		return ret;
	if (ibqp->qp_type != IBV_QPT_UD)
		return -EINVAL;
	uroce_worker_lock(qp->worker);
	if (!has_group(qp->qp->roce->engine, qp->qp, gid->raw))
		ret = attach_locked(qp, gid->raw);
	uroce_worker_unlock(qp->worker);
	return ret;
}

int uroce_detach_mcast(struct ibv_qp *ibqp, const union ibv_gid *gid,
		       uint16_t lid)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	int ret;

	ret = uroce_check_qp(ibqp);
	if (ret)
		return ret;
	uroce_worker_lock(qp->worker);
	ret = uroce_engine_detach(qp->qp->roce->engine, qp->qp, gid->raw);
	if (ret == 0)
		uroce_worker_leave(qp->worker, qp->ctx->instance, gid->raw);
	uroce_worker_unlock(qp->worker);
	return ret;
}

bool uroce_mcast_has_any(const struct uroce_verbs_qp *qp)
{
	const struct uroce_engine *engine = qp->qp->roce->engine;

	for (uint32_t i = 0; i < engine->nr_groups; i++)
		if (engine->groups[i].qp == qp->qp)
			return true;
	return false;
}

void uroce_mcast_leave_locked(struct uroce_verbs_qp *qp)
{
	const struct uroce_engine *engine = qp->qp->roce->engine;

	for (uint32_t i = 0; i < engine->nr_groups; i++)
		if (engine->groups[i].qp == qp->qp)
			uroce_worker_leave(qp->worker, qp->ctx->instance,
					   engine->groups[i].gid);
}
