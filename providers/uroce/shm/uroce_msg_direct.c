/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access in the transport of messages: the requester executes a WRITE,
 * READ or atomic itself, in memory that both processes have mapped, or by CMA
 * (../roce/uroce_direct_step.h). Only the oldest WQE, with nothing in flight,
 * so the order is kept. It gets no message number, because the peer sees
 * nothing.
 */
#include "uroce/qp/uroce_completion.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_msg_state.h"

static bool msg_direct_is_free(const struct uroce_msg_qp *mqp)
{
	const struct uroce_msg_requester *req = &mqp->req;
	const struct uroce_qp *qp = mqp->qp;

	return uroce_msg_is_reliable(mqp) && uroce_qp_is_running(qp) &&
	       !mqp->pair->failed && qp->cur == qp->sq.tail &&
	       req->una_msn == req->next_msn && !req->not_ready;
}

static enum uroce_direct msg_direct_step(struct uroce_msg_qp *mqp,
					 struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = mqp->pair->channel;

	if (!mqp->req.direct.copied && uroce_channel_is_shared(channel) &&
	    uroce_direct_do_short(mqp->qp, channel, wqe))
		return UROCE_DIRECT_DONE;
	return uroce_direct_step(mqp->qp, channel, wqe, &mqp->req.direct);
}

enum uroce_direct uroce_msg_try_direct(struct uroce_msg_qp *mqp,
				       struct uroce_send_wqe *wqe)
{
	const struct uroce_channel *channel = mqp->pair->channel;
	struct uroce_qp *qp = mqp->qp;
	enum uroce_direct done = UROCE_DIRECT_NO;

	if (channel && (channel->direct_copy || channel->nr_shared) &&
	    msg_direct_is_free(mqp))
		done = msg_direct_step(mqp, wqe);
	else
		mqp->req.direct.copied = 0;
	if (done != UROCE_DIRECT_DONE)
		return done;
	/* complete first: with qp->cur at the tail it counts as not sent */
	uroce_complete_send(qp, IBV_WC_SUCCESS);
	qp->cur++;
	uroce_sq_check_oldest(qp);
	return UROCE_DIRECT_DONE;
}
