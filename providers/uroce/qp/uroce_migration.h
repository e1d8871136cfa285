/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Automatic path migration (IBTA 17.2.8): a QP of type RC, UC or XRC has an
 * alternate path to its peer. Both ends arm; then either may migrate, and the
 * other one follows. The MigReq bit of each packet is 1 if its sender is in
 * MIGRATED, so that no packet more is needed:
 *
 *                 modify              packet with MigReq 0
 *     MIGRATED -----------> REARM --------------------------> ARMED
 *         ^                                                     |
 *         '-----------------------------------------------------'
 *           modify; the requester has no retry left;
 *           packet with MigReq 1 on the alternate path
 *
 * roce/uroce_dispatch.c looks at the packets, roce/uroce_retry.c counts the
 * retries. Paths and their attributes are exchanged by a migration, so that the
 * next one returns to the old path unless the application loads another one.
 */
#ifndef UROCE_MIGRATION_H
#define UROCE_MIGRATION_H

#include "uroce/qp/uroce_qp.h"

/**
 * uroce_migration_check() - check new attributes against the state of a QP
 * @qp: the QP
 * @attr, @mask: that uroce_qp_state_check() has accepted
 *
 * Return: 0; -EINVAL if REARM is requested without an alternate path, or
 * MIGRATED in REARM, in which the peer might not follow.
 */
int uroce_migration_check(const struct uroce_qp *qp,
			  const struct ibv_qp_attr *attr, int mask);

/**
 * uroce_migration_modify() - load an alternate path, arm or migrate
 * @qp: the QP
 * @attr, @mask: that uroce_migration_check() has accepted
 * @path: for attr->alt_ah_attr; ignored without IBV_QP_ALT_PATH
 */
void uroce_migration_modify(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
			    int mask, const struct uroce_path *path);

/** uroce_migration_arm() - REARM to ARMED: the peer has rearmed, too */
void uroce_migration_arm(struct uroce_qp *qp);

/**
 * uroce_migration_migrate() - use the alternate path from now on
 * @qp: the QP
 *
 * Raises IBV_EVENT_PATH_MIG.
 *
 * Return: false if the QP is not in ARMED, and nothing changes.
 */
bool uroce_migration_migrate(struct uroce_qp *qp);

/**
 * uroce_migration_refuse() - a packet of a peer that has migrated is dropped
 * @qp: the QP, in REARM or ARMED
 *
 * Raises IBV_EVENT_PATH_MIG_ERR, once until the QP is armed again: anyone can
 * send such packets.
 */
void uroce_migration_refuse(struct uroce_qp *qp);

#endif
