/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups of UD queue pairs: ibv_attach_mcast(3). */
#include <infiniband/verbs.h>

#include "api/api_check.h"
#include "api/api_err.h"

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	if (!API_EXISTS(qp) || !gid)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		VERBS_CALL_OP(qp->context, attach_mcast, qp, gid, lid));
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	if (!API_EXISTS(qp) || !gid)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		VERBS_CALL_OP(qp->context, detach_mcast, qp, gid, lid));
}
