/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast groups of a QP. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

int verbs_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid)
{
	struct ib_uverbs_attach_mcast in = {
		.qp_handle = qp->handle,
		.mlid = lid,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_ATTACH_MCAST,
		WRITE_IN(in),
	};

	memcpy(in.gid, gid, sizeof(in.gid));
	return submit_write(qp->context, &req);
}

int verbs_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid)
{
	struct ib_uverbs_detach_mcast in = {
		.qp_handle = qp->handle,
		.mlid = lid,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_DETACH_MCAST,
		WRITE_IN(in),
	};
	int ret;

	memcpy(in.gid, gid, sizeof(in.gid));
	ret = submit_write(qp->context, &req);
	return cmd_destroy_device_gone(ret) ? 0 : ret;
}
