// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The message exchange of a pingpong: see pingpong.h. On each queue pair, a
 * side sends the next message when its last send has completed and the peer's
 * message has arrived. The client sends first. The exchange ends when all queue
 * pairs together have sent and received the requested number of messages.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/pingpong.h"
#include "tools/tool_queue.h"

/* Values of wr_id. */
enum { PP_WR_RECEIVE = 1, PP_WR_SEND = 2 };

/* A work completion, from ibv_poll_cq() or ibv_start_poll(). */
struct pp_completion {
	uint64_t wr_id;
	enum ibv_wc_status status;
	uint32_t qp_num;
	uint64_t timestamp;
};

struct pp_traffic_state {
	struct pp_session *session;
	struct pp_clock_stats *clock;
	uint32_t posted; /* sends that were posted */
	uint32_t sent;	 /* sends that have completed */
	uint32_t received;
	uint32_t receives; /* posted receives that have not completed */
	unsigned int events;
};

uint32_t pp_post_receives(struct pp_session *session, uint32_t count)
{
	struct ibv_sge message = pp_message_sge(session, true);
	struct ibv_recv_wr wr = { .wr_id = PP_WR_RECEIVE,
				  .sg_list = &message,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;
	uint32_t posted;

	for (posted = 0; posted < count; posted++)
		if (session->srq ? ibv_post_srq_recv(session->srq, &wr, &bad)
				 : ibv_post_recv(session->qps->qp, &wr, &bad))
			break;
	return posted;
}

static int pp_send_extended(struct pp_session *session, struct pp_qp *qp,
			    struct ibv_sge message)
{
	struct ibv_qp_ex *qp_ex = qp->qp_ex;

	ibv_wr_start(qp_ex);
	qp_ex->wr_id = PP_WR_SEND;
	qp_ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp_ex);
	if (session->send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(qp_ex, session->buffer, message.length);
	else
		ibv_wr_set_sge(qp_ex, message.lkey, message.addr,
			       message.length);
	return ibv_wr_complete(qp_ex);
}

static int pp_send_basic(struct pp_session *session, struct pp_qp *qp,
			 uint32_t remote_qpn, struct ibv_sge message)
{
	struct ibv_send_wr wr = { .wr_id = PP_WR_SEND,
				  .sg_list = &message,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED |
						session->send_flags };
	struct ibv_send_wr *bad;

	if (qp->ah) {
		wr.wr.ud.ah = qp->ah;
		wr.wr.ud.remote_qpn = remote_qpn;
		wr.wr.ud.remote_qkey = PP_UD_QKEY;
	}
	return ibv_post_send(qp->qp, &wr, &bad);
}

static int pp_send_message(struct pp_traffic_state *traffic, struct pp_qp *qp)
{
	struct pp_session *session = traffic->session;
	struct ibv_sge message = pp_message_sge(session, false);
	uint32_t remote_qpn = session->remote[qp - session->qps].qpn;
	int ret;

	if (traffic->posted == session->options->iters)
		return 0;
	ret = qp->qp_ex ? pp_send_extended(session, qp, message)
			: pp_send_basic(session, qp, remote_qpn, message);
	if (ret) {
		fprintf(stderr, "Couldn't post send: %s\n", strerror(ret));
		return -EIO;
	}
	qp->sending = true;
	qp->waiting = true;
	traffic->posted++;
	return 0;
}

/* Records the device clock ticks since the previous received message. */
static void pp_record_timestamp(struct pp_traffic_state *traffic, uint64_t now)
{
	uint64_t mask = traffic->session->device.completion_timestamp_mask;
	struct pp_clock_stats *clock = traffic->clock;

	if (traffic->received > 1) {
		uint64_t ticks = (now - clock->last) & mask;

		if (ticks > clock->max)
			clock->max = ticks;
		if (ticks < clock->min || clock->count == 0)
			clock->min = ticks;
		clock->sum += (double)ticks;
		clock->count++;
	}
	clock->last = now;
}

static int pp_refill_receives(struct pp_traffic_state *traffic)
{
	const struct pp_options *options = traffic->session->options;
	uint32_t missing = options->rx_depth - traffic->receives;

	traffic->receives += pp_post_receives(traffic->session, missing);
	if (traffic->receives >= options->rx_depth)
		return 0;
	fprintf(stderr, "Couldn't post receive (%u)\n", traffic->receives);
	return -EIO;
}

static struct pp_qp *pp_find_qp(struct pp_session *session, uint32_t qp_num)
{
	for (uint32_t i = 0; i < session->options->nr_qps; i++)
		if (session->qps[i].qp->qp_num == qp_num)
			return &session->qps[i];
	return NULL;
}

static int pp_handle_completion(struct pp_traffic_state *traffic,
				const struct pp_completion *done)
{
	struct pp_session *session = traffic->session;
	struct pp_qp *qp = session->kind->srq
				   ? pp_find_qp(session, done->qp_num)
				   : session->qps;
	int ret = 0;

	if (done->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "Failed status %s (%d) for wr_id %d\n",
			ibv_wc_status_str(done->status), done->status,
			(int)done->wr_id);
		return -EIO;
	}
	if (!qp) {
		fprintf(stderr, "Couldn't find QPN %06x\n", done->qp_num);
		return -EIO;
	}
	if (done->wr_id == PP_WR_SEND) {
		qp->sending = false;
		traffic->sent++;
	} else {
		qp->waiting = false;
		traffic->received++;
		traffic->receives--;
		if (session->options->timestamps)
			pp_record_timestamp(traffic, done->timestamp);
		/*
		 * Each queue pair needs a posted receive, and one more message
		 * may be in flight.
		 */
		if (traffic->receives <= session->options->nr_qps)
			ret = pp_refill_receives(traffic);
	}
	if (ret == 0 && !qp->sending && !qp->waiting)
		ret = pp_send_message(traffic, qp);
	return ret;
}

static bool pp_traffic_is_finished(const struct pp_traffic_state *traffic)
{
	uint32_t iters = traffic->session->options->iters;

	return traffic->received >= iters && traffic->sent >= iters;
}

/* Handles completions until the CQ is empty or the exchange is finished. */
static int pp_poll_cq(struct pp_traffic_state *traffic)
{
	struct ibv_cq *cq = traffic->session->cq;

	while (!pp_traffic_is_finished(traffic)) {
		struct ibv_wc wc;
		struct pp_completion done;
		int ret = ibv_poll_cq(cq, 1, &wc);

		if (ret < 0) {
			fprintf(stderr, "poll CQ failed %d\n", ret);
			return -EIO;
		}
		if (ret == 0)
			return 0;
		done = (struct pp_completion){ .wr_id = wc.wr_id,
					       .status = wc.status,
					       .qp_num = wc.qp_num };
		ret = pp_handle_completion(traffic, &done);
		if (ret)
			return ret;
	}
	return 0;
}

/* Same as pp_poll_cq(), for a CQ with completion timestamps. */
static int pp_poll_cq_ex(struct pp_traffic_state *traffic)
{
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)traffic->session->cq;
	struct ibv_poll_cq_attr attr = {};
	int ret = ibv_start_poll(cq, &attr);

	if (ret == ENOENT)
		return 0;
	while (ret == 0) {
		struct pp_completion done = { .wr_id = cq->wr_id,
					      .status = cq->status };

		if (done.status == IBV_WC_SUCCESS)
			done.timestamp = ibv_wc_read_completion_ts(cq);
		ret = pp_handle_completion(traffic, &done);
		if (ret || pp_traffic_is_finished(traffic)) {
			ibv_end_poll(cq);
			return ret;
		}
		ret = ibv_next_poll(cq);
	}
	ibv_end_poll(cq);
	if (ret == ENOENT)
		return 0;
	fprintf(stderr, "poll CQ failed %d\n", ret);
	return -EIO;
}

int pp_exchange_messages(struct pp_session *session, uint32_t receives,
			 struct pp_clock_stats *ret_clock)
{
	struct pp_traffic_state traffic = { .session = session,
					    .clock = ret_clock,
					    .receives = receives };
	int ret = 0;

	for (uint32_t i = 0; i < session->options->nr_qps && ret == 0; i++) {
		session->qps[i].waiting = true;
		if (session->options->host)
			ret = pp_send_message(&traffic, &session->qps[i]);
	}
	while (ret == 0 && !pp_traffic_is_finished(&traffic)) {
		if (session->channel)
			ret = tool_wait_cq_event(session->channel, session->cq,
						 &traffic.events);
		if (ret == 0)
			ret = session->options->timestamps
				      ? pp_poll_cq_ex(&traffic)
				      : pp_poll_cq(&traffic);
	}
	if (traffic.events)
		ibv_ack_cq_events(session->cq, traffic.events);
	return ret;
}
