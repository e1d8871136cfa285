/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The migration state and the two paths of a QP. */
#include "uroce/qp/uroce_migration.h"

#include <errno.h>

int uroce_migration_check(const struct uroce_qp *qp,
			  const struct ibv_qp_attr *attr, int mask)
{
	if (!(mask & IBV_QP_PATH_MIG_STATE))
		return 0;
	if (attr->path_mig_state == IBV_MIG_REARM)
		return (mask & IBV_QP_ALT_PATH) || qp->alternate.loaded
			       ? 0
			       : -EINVAL;
	return qp->mig_state == IBV_MIG_REARM ? -EINVAL : 0;
}

static void change_state(struct uroce_qp *qp, enum ibv_mig_state state,
			 bool moved)
{
	qp->mig_state = (uint8_t)state;
	qp->ops->migration_changed(qp, moved);
	uroce_qp_tell(qp);
}

static void exchange_paths(struct uroce_qp *qp)
{
	const struct uroce_alternate old = {
		.loaded = true,
		.timeout = qp->timeout,
		.ah_attr = qp->ah_attr,
		.path = qp->path,
	};

	qp->timeout = qp->alternate.timeout;
	qp->ah_attr = qp->alternate.ah_attr;
	qp->path = qp->alternate.path;
	qp->alternate = old;
}

void uroce_migration_modify(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
			    int mask, const struct uroce_path *path)
{
	if (mask & IBV_QP_ALT_PATH)
		qp->alternate = (struct uroce_alternate){
			.loaded = true,
			.timeout = attr->alt_timeout,
			.ah_attr = attr->alt_ah_attr,
			.path = *path,
		};
	if (!(mask & IBV_QP_PATH_MIG_STATE))
		return;
	if (attr->path_mig_state == IBV_MIG_REARM) {
		qp->alternate.refused = false;
		change_state(qp, IBV_MIG_REARM, false);
	} else {
		(void)uroce_migration_migrate(qp);
	}
}

void uroce_migration_arm(struct uroce_qp *qp)
{
	change_state(qp, IBV_MIG_ARMED, false);
}

bool uroce_migration_migrate(struct uroce_qp *qp)
{
	if (qp->mig_state != IBV_MIG_ARMED)
		return false;
	exchange_paths(qp);
	change_state(qp, IBV_MIG_MIGRATED, true);
	uroce_qp_event(qp, IBV_EVENT_PATH_MIG);
	return true;
}

void uroce_migration_refuse(struct uroce_qp *qp)
{
	if (qp->alternate.refused)
		return;
	qp->alternate.refused = true;
	uroce_qp_event(qp, IBV_EVENT_PATH_MIG_ERR);
}
