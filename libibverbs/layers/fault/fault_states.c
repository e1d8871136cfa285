/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moves QPs to RESET and ERR, with the requests that this layer holds back. */
#include "layers/fault/fault.h"
#include "layers/fault/fault_receives.h"
#include "layers/fault/fault_requests.h"

int fault_qp_end(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int ret;

	fault_requests_suspend(qp);
	fault_receives_suspend(qp);
	ret = fault_below(qp->context)->modify_qp(qp, attr, attr_mask);
	fault_receives_resume(qp, ret == 0 && attr->qp_state == IBV_QPS_RESET);
	if (ret == 0)
		fault_requests_end(qp, attr->qp_state);
	else
		fault_requests_resume(qp);
	return ret;
}

/*
 * A QP that the provider does not move has no requests, or is in ERR. As with a
 * device that does it, qp->state keeps the state that the program has set.
 */
void fault_qp_fail(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	(void)fault_qp_end(qp, &attr, IBV_QP_STATE);
}
