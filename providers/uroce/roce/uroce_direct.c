/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access, by uroce_channel.direct_copy (CMA) or in memory that both
 * processes have mapped. uroce_requester_next() and quick posts call
 * uroce_direct_try() for each request whose turn has come.
 */
#include "uroce/roce/uroce_direct.h"

#include "uroce/qp/uroce_completion.h"
#include "uroce/roce/uroce_direct_parts.h"
#include "uroce/roce/uroce_engine.h"

static bool is_possible(const struct uroce_qp *qp,
			const struct uroce_send_wqe *wqe)
{
	const struct uroce_channel *channel = qp->roce->channel;

	return channel && (channel->direct_copy || channel->nr_shared) &&
	       uroce_direct_is_free(qp) && wqe->length <= UROCE_DIRECT_MAX;
}

enum uroce_direct uroce_direct_try(struct uroce_qp *qp,
				   struct uroce_send_wqe *wqe)
{
	struct uroce_direct_state *state = &qp->roce->req.direct;
	enum uroce_direct done = UROCE_DIRECT_NO;

	if (is_possible(qp, wqe))
		done = uroce_direct_step(qp, qp->roce->channel, wqe, state);
	else
		state->copied = 0;
	if (done != UROCE_DIRECT_DONE)
		return done;
	qp->cur++;
	uroce_complete_send(qp, IBV_WC_SUCCESS);
	uroce_sq_check_oldest(qp);
	return UROCE_DIRECT_DONE;
}
