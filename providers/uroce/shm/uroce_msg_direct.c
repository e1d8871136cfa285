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

static bool msg_direct_has_address(const struct uroce_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_RDMA_WRITE ||
	       wqe->opcode == IBV_WR_RDMA_READ ||
	       wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	       wqe->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
}

/* The ring that the data of @wqe would take is slower than CMA. */
static bool msg_direct_is_faster(const struct uroce_msg_qp *mqp,
				 const struct uroce_send_wqe *wqe)
{
	const struct uroce_msg_pair *pair = mqp->pair;
	uint32_t fragment_ns = wqe->opcode == IBV_WR_RDMA_READ
				       ? pair->in.fragment_ns
				       : uroce_msg_ring_fragment_ns(&pair->out);

	return uroce_msg_is_for_kernel(pair, fragment_ns, wqe->length);
}

bool uroce_msg_awaits_turn(const struct uroce_msg_qp *mqp,
			   const struct uroce_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_RDMA_READ &&
	       mqp->req.una_msn != mqp->req.next_msn &&
	       uroce_msg_is_reliable(mqp) && uroce_qp_is_running(mqp->qp) &&
	       !mqp->pair->failed && msg_direct_is_faster(mqp, wqe);
}

static bool msg_direct_uses_cma(const struct uroce_msg_qp *mqp,
				const struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = mqp->pair->channel;

	if (!channel->direct_copy)
		return false;
	if (msg_direct_is_faster(mqp, wqe) &&
	    !uroce_msg_wants_sample(mqp->pair))
		return true;
	return !channel->is_recently_polling(channel, wqe->length);
}

static enum uroce_direct msg_direct_step(struct uroce_msg_qp *mqp,
					 struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = mqp->pair->channel;
	struct uroce_direct_state *state = &mqp->req.direct;
	bool shared = uroce_channel_is_shared(channel);

	if (!state->copied) {
		if (shared && uroce_direct_do_short(mqp->qp, channel, wqe))
			return UROCE_DIRECT_DONE;
		state->always = msg_direct_uses_cma(mqp, wqe);
		if (!shared && !state->always)
			return UROCE_DIRECT_NO;
	}
	return uroce_direct_step(mqp->qp, channel, wqe, state);
}

enum uroce_direct uroce_msg_try_direct(struct uroce_msg_qp *mqp,
				       struct uroce_send_wqe *wqe)
{
	const struct uroce_channel *channel = mqp->pair->channel;
	struct uroce_qp *qp = mqp->qp;
	enum uroce_direct done = UROCE_DIRECT_NO;

	if (!msg_direct_has_address(wqe))
		return UROCE_DIRECT_NO;
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
