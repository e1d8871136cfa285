// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Back and forth: see pingpong.h. On each queue pair a side sends when its last
 * message has left and the other's has arrived; the client begins. It ends when
 * as many messages as were asked for, over all queue pairs, went each way.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/pingpong.h"
#include "tools/tool_queue.h"

/* Identifiers of requests. */
enum { RECEIVE = 1, SEND = 2 };

/* One completion, whichever way it was read. */
struct completion {
	uint64_t wr_id;
	enum ibv_wc_status status;
	uint32_t qp_num;
	uint64_t timestamp;
};

struct traffic {
	struct pp_world *world;
	struct pp_clock *clock;
	uint32_t posted; /* messages that were given to a queue pair */
	uint32_t sent;	 /* that have left */
	uint32_t received;
	uint32_t receives; /* requests that are waiting for a message */
	unsigned int events;
};

uint32_t pp_post_receives(struct pp_world *world, uint32_t count)
{
	struct ibv_sge message = pp_message(world, true);
	struct ibv_recv_wr wr = { .wr_id = RECEIVE,
				  .sg_list = &message,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;
	uint32_t posted;

	for (posted = 0; posted < count; posted++)
		if (world->srq ? ibv_post_srq_recv(world->srq, &wr, &bad)
			       : ibv_post_recv(world->qps->qp, &wr, &bad))
			break;
	return posted;
}

static int send_new(struct pp_world *world, struct pp_qp *qp,
		    struct ibv_sge message)
{
	struct ibv_qp_ex *qp_ex = qp->qp_ex;

	ibv_wr_start(qp_ex);
	qp_ex->wr_id = SEND;
	qp_ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp_ex);
	if (world->send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(qp_ex, world->buffer, message.length);
	else
		ibv_wr_set_sge(qp_ex, message.lkey, message.addr,
			       message.length);
	return ibv_wr_complete(qp_ex);
}

static int send_old(struct pp_world *world, struct pp_qp *qp,
		    uint32_t remote_qpn, struct ibv_sge message)
{
	struct ibv_send_wr wr = { .wr_id = SEND,
				  .sg_list = &message,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED |
						world->send_flags };
	struct ibv_send_wr *bad;

	if (qp->ah) {
		wr.wr.ud.ah = qp->ah;
		wr.wr.ud.remote_qpn = remote_qpn;
		wr.wr.ud.remote_qkey = PP_UD_QKEY;
	}
	return ibv_post_send(qp->qp, &wr, &bad);
}

static int send_message(struct traffic *traffic, struct pp_qp *qp)
{
	struct pp_world *world = traffic->world;
	struct ibv_sge message = pp_message(world, false);
	uint32_t remote_qpn = world->remote[qp - world->qps].qpn;
	int ret;

	if (traffic->posted == world->options->iters)
		return 0;
	ret = qp->qp_ex ? send_new(world, qp, message)
			: send_old(world, qp, remote_qpn, message);
	if (ret) {
		fprintf(stderr, "Couldn't post send: %s\n", strerror(ret));
		return -EIO;
	}
	qp->sending = true;
	qp->waiting = true;
	traffic->posted++;
	return 0;
}

/* The time from one received message to the next, in ticks of the device. */
static void note_time(struct traffic *traffic, uint64_t now)
{
	uint64_t mask = traffic->world->device.completion_timestamp_mask;
	struct pp_clock *clock = traffic->clock;

	if (traffic->received > 1) {
		uint64_t ticks = (now - clock->last) & mask;

		if (ticks > clock->max)
			clock->max = ticks;
		if (ticks < clock->min || clock->count == 0)
			clock->min = ticks;
		clock->sum += ticks;
		clock->count++;
	}
	clock->last = now;
}

static int refill(struct traffic *traffic)
{
	const struct pp_options *options = traffic->world->options;
	uint32_t missing = options->rx_depth - traffic->receives;

	traffic->receives += pp_post_receives(traffic->world, missing);
	if (traffic->receives >= options->rx_depth)
		return 0;
	fprintf(stderr, "Couldn't post receive (%u)\n", traffic->receives);
	return -EIO;
}

static struct pp_qp *find_qp(struct pp_world *world, uint32_t qp_num)
{
	for (uint32_t i = 0; i < world->options->nr_qps; i++)
		if (world->qps[i].qp->qp_num == qp_num)
			return &world->qps[i];
	return NULL;
}

static int handle(struct traffic *traffic, const struct completion *done)
{
	struct pp_world *world = traffic->world;
	struct pp_qp *qp = world->kind->srq ? find_qp(world, done->qp_num)
					    : world->qps;
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
	if (done->wr_id == SEND) {
		qp->sending = false;
		traffic->sent++;
	} else {
		qp->waiting = false;
		traffic->received++;
		traffic->receives--;
		if (world->options->timestamps)
			note_time(traffic, done->timestamp);
		/* each queue pair needs one, and one more is on its way */
		if (traffic->receives <= world->options->nr_qps)
			ret = refill(traffic);
	}
	if (ret == 0 && !qp->sending && !qp->waiting)
		ret = send_message(traffic, qp);
	return ret;
}

static bool finished(const struct traffic *traffic)
{
	uint32_t iters = traffic->world->options->iters;

	return traffic->received >= iters && traffic->sent >= iters;
}

/* What has completed: 0 when there is nothing more, or it is finished. */
static int poll_all(struct traffic *traffic)
{
	struct ibv_cq *cq = traffic->world->cq;

	while (!finished(traffic)) {
		struct ibv_wc wc;
		struct completion done;
		int ret = ibv_poll_cq(cq, 1, &wc);

		if (ret < 0) {
			fprintf(stderr, "poll CQ failed %d\n", ret);
			return -EIO;
		}
		if (ret == 0)
			return 0;
		done = (struct completion){ .wr_id = wc.wr_id,
					    .status = wc.status,
					    .qp_num = wc.qp_num };
		ret = handle(traffic, &done);
		if (ret)
			return ret;
	}
	return 0;
}

/* The same for a queue whose completions have a time. */
static int poll_all_ex(struct traffic *traffic)
{
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)traffic->world->cq;
	struct ibv_poll_cq_attr attr = {};
	int ret = ibv_start_poll(cq, &attr);

	if (ret == ENOENT)
		return 0;
	while (ret == 0) {
		struct completion done = { .wr_id = cq->wr_id,
					   .status = cq->status };

		if (done.status == IBV_WC_SUCCESS)
			done.timestamp = ibv_wc_read_completion_ts(cq);
		ret = handle(traffic, &done);
		if (ret || finished(traffic)) {
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

int pp_traffic(struct pp_world *world, uint32_t receives,
	       struct pp_clock *ret_clock)
{
	struct traffic traffic = { .world = world,
				   .clock = ret_clock,
				   .receives = receives };
	int ret = 0;

	for (uint32_t i = 0; i < world->options->nr_qps && ret == 0; i++) {
		world->qps[i].waiting = true;
		if (world->options->host)
			ret = send_message(&traffic, &world->qps[i]);
	}
	while (ret == 0 && !finished(&traffic)) {
		if (world->channel)
			ret = tool_wait(world->channel, world->cq,
					&traffic.events);
		if (ret == 0)
			ret = world->options->timestamps ? poll_all_ex(&traffic)
							 : poll_all(&traffic);
	}
	if (traffic.events)
		ibv_ack_cq_events(world->cq, traffic.events);
	return ret;
}
