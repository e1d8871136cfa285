/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The queue pair of a connection. One CQ has the completions of both queues.
 * The receive queue has entries for all messages that the peer may have
 * outstanding, DATA and control.
 */
#include "rsocket/stream_qp.h"

#include "rsocket/rsocket_config.h"
#include "rsocket/socket_waiter.h"
#include "rsocket/stream_memory.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define QP_NR_COMPLETIONS 16

/* The upper half of a work request id; the lower one is a length. */
enum qp_request {
	QP_RECV,
	QP_DATA,
	QP_CONTROL,
	QP_PART, /* the write of a message on iWARP; it has no completion */
};

static uint64_t request_id(enum qp_request request, uint32_t len)
{
	return (uint64_t)request << 32 | len;
}

/* @slot: of the received word, on iWARP */
static int qp_post_recv(const struct stream_qp *qp, uint32_t slot)
{
	struct ibv_sge sge = { .length = STREAM_WORD_LEN };
	struct ibv_recv_wr wr = { .wr_id = request_id(QP_RECV, slot) };
	struct ibv_recv_wr *bad;

	if (qp->is_iwarp) {
		sge.addr = (uintptr_t)&qp->words[slot * STREAM_WORD_LEN];
		sge.lkey = qp->words_mr->lkey;
		wr.sg_list = &sge;
		wr.num_sge = 1;
	}
	return -ibv_post_recv(qp->qp, &wr, &bad);
}

static int qp_post_recvs(const struct stream_qp *qp, uint32_t nr)
{
	int ret = 0;

	while (nr-- && !ret)
		ret = qp_post_recv(qp, nr);
	return ret;
}

static int cq_open(struct rsocket *socket, uint32_t nr_entries)
{
	struct stream_qp *qp = &socket->qp;
	struct ibv_context *context = socket->id->verbs;
	int flags;

	qp->channel = ibv_create_comp_channel(context);
	if (!qp->channel)
		return -errno;
	flags = fcntl(qp->channel->fd, F_GETFL);
	if (flags < 0 ||
	    fcntl(qp->channel->fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return -errno;
	qp->cq =
		ibv_create_cq(context, (int)nr_entries, socket, qp->channel, 0);
	return qp->cq ? 0 : -errno;
}

/* Requests of a message: on iWARP, a write and a word */
static uint32_t qp_nr_requests(const struct stream_qp *qp)
{
	return qp->is_iwarp ? 2 : 1;
}

/* Sizes within the limits of the device */
static int sizes_choose(const struct rsocket *socket,
			struct stream_sizes *ret_sizes)
{
	const struct rsocket_options *options = &socket->options;
	struct ibv_device_attr attr;
	uint32_t max;
	int ret = ibv_query_device(socket->id->verbs, &attr);

	if (ret)
		return -ret;
	max = (uint32_t)attr.max_qp_wr / qp_nr_requests(&socket->qp);
	if (max < RSOCKET_MIN_QUEUE + STREAM_MAX_CONTROLS)
		return -EINVAL;
	max = rsocket_size_clamp(max, RSOCKET_MIN_QUEUE, RSOCKET_MAX_QUEUE) -
	      STREAM_MAX_CONTROLS;
	*ret_sizes = (struct stream_sizes){
		.half_len = options->recv_len / 2,
		.send_len = options->send_len,
		.nr_recvs = (uint16_t)rsocket_size_clamp(
			options->nr_recvs, RSOCKET_MIN_QUEUE, max),
		.nr_sends = rsocket_size_clamp(options->nr_sends,
					       RSOCKET_MIN_QUEUE, max) -
			    STREAM_MAX_CONTROLS,
	};
	return 0;
}

static int qp_open(struct rsocket *socket, const struct stream_sizes *sizes)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = socket->qp.cq,
		.recv_cq = socket->qp.cq,
		.cap = { .max_send_wr = qp_nr_requests(&socket->qp) *
					(sizes->nr_sends + STREAM_MAX_CONTROLS),
			 .max_recv_wr = (uint32_t)sizes->nr_recvs +
					STREAM_MAX_CONTROLS,
			 .max_send_sge = 2,
			 .max_recv_sge = 1,
			 .max_inline_data = socket->options.max_inline },
		.qp_type = IBV_QPT_RC,
	};

	if (rdma_create_qp(socket->id, NULL, &attr) != 0) {
		/* The device may have less inline data, or none. */
		attr.cap.max_inline_data = socket->qp.is_iwarp ? STREAM_WORD_LEN
							       : 0;
		if (rdma_create_qp(socket->id, NULL, &attr) != 0)
			return -errno;
	}
	socket->qp.qp = socket->id->qp;
	socket->qp.max_inline = attr.cap.max_inline_data;
	return 0;
}

int stream_qp_open_locked(struct rsocket *socket,
			  struct stream_setup *ret_setup)
{
	struct stream_qp *qp = &socket->qp;
	uint32_t nr_iomaps = socket->options.nr_iomaps;
	struct stream_sizes sizes = { 0 };
	int ret;

	qp->is_iwarp = socket->id->verbs->device->transport_type ==
		       IBV_TRANSPORT_IWARP;
	ret = sizes_choose(socket, &sizes);
	if (!ret)
		ret = stream_memory_open(qp, socket->id->pd, &sizes, nr_iomaps);
	if (!ret)
		ret = cq_open(socket,
			      qp_nr_requests(qp) * (sizes.nr_sends +
						    STREAM_MAX_CONTROLS) +
				      sizes.nr_recvs + STREAM_MAX_CONTROLS);
	if (!ret)
		ret = qp_open(socket, &sizes);
	if (!ret)
		ret = qp_post_recvs(qp, (uint32_t)sizes.nr_recvs +
						STREAM_MAX_CONTROLS);
	if (ret)
		return ret;
	stream_flow_init(&socket->flow, &sizes, qp->messages);
	stream_memory_setup(qp, &sizes, nr_iomaps, ret_setup);
	return 0;
}

void stream_qp_close(struct rsocket *socket)
{
	struct stream_qp *qp = &socket->qp;

	if (qp->qp)
		rdma_destroy_qp(socket->id);
	if (qp->cq)
		(void)ibv_destroy_cq(qp->cq);
	if (qp->channel)
		(void)ibv_destroy_comp_channel(qp->channel);
	iomap_table_fini(&socket->iomaps);
	stream_memory_close(qp);
	*qp = (struct stream_qp){ 0 };
}

/* A QP in the error state sends nothing, and refuses the writes of the peer. */
static void qp_fail_locked(struct rsocket *socket, int error)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	stream_flow_end(&socket->flow, error);
	(void)ibv_modify_qp(socket->qp.qp, &attr, IBV_QP_STATE);
}

/*
 * Posts a write with immediate data as two requests: the word follows the
 * write, if that has any bytes.
 */
static int iwarp_post_message(struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	uint32_t word = be32toh(wr->imm_data);
	struct ibv_sge sge = {
		.addr = (uintptr_t)&word,
		.length = STREAM_WORD_LEN,
	};
	struct ibv_send_wr send = {
		.wr_id = wr->wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};
	struct ibv_send_wr part = *wr;
	struct ibv_send_wr *bad;

	part.wr_id = request_id(QP_PART, 0);
	part.opcode = IBV_WR_RDMA_WRITE;
	part.send_flags &= ~(unsigned int)IBV_SEND_SIGNALED;
	part.next = &send;
	return ibv_post_send(qp, wr->num_sge ? &part : &send, &bad);
}

static void qp_post_send_locked(struct rsocket *socket, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int ret;

	if (socket->qp.is_iwarp && wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		ret = iwarp_post_message(socket->qp.qp, wr);
	else
		ret = ibv_post_send(socket->qp.qp, wr, &bad);
	if (!ret)
		return;
	if (wr->wr_id >> 32 == QP_DATA)
		stream_flow_data_done(&socket->flow, (uint32_t)wr->wr_id);
	else
		stream_flow_control_done(&socket->flow);
	qp_fail_locked(socket, -ret);
}

static int send_sges_fill(const struct rsocket *socket,
			  const struct stream_message *message,
			  struct ibv_sge sges[2])
{
	uint32_t send_len = socket->flow.sizes.send_len;
	uint32_t to_end = send_len - message->send_at;
	const struct stream_qp *qp = &socket->qp;

	sges[0] = (struct ibv_sge){
		.addr = (uintptr_t)&qp->send[message->send_at],
		.length = message->len < to_end ? message->len : to_end,
		.lkey = qp->send_mr->lkey,
	};
	if (message->len <= to_end)
		return 1;
	sges[1] = (struct ibv_sge){
		.addr = (uintptr_t)qp->send,
		.length = message->len - to_end,
		.lkey = qp->send_mr->lkey,
	};
	return 2;
}

void stream_qp_post_locked(struct rsocket *socket,
			   const struct stream_message *message,
			   const void *inline_data, bool has_imm)
{
	struct ibv_sge sges[2];
	struct ibv_send_wr wr = {
		.wr_id = request_id(QP_DATA, inline_data ? 0 : message->len),
		.sg_list = sges,
		.num_sge = 1,
		.opcode = has_imm ? IBV_WR_RDMA_WRITE_WITH_IMM
				  : IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htobe32(message->imm),
		.wr.rdma = { .remote_addr = message->remote_address,
			     .rkey = message->rkey },
	};

	if (inline_data) {
		wr.send_flags |= IBV_SEND_INLINE;
		sges[0] = (struct ibv_sge){ .addr = (uintptr_t)inline_data,
					    .length = message->len };
	} else {
		wr.num_sge = send_sges_fill(socket, message, sges);
	}
	qp_post_send_locked(socket, &wr);
}

/* Control messages complete in order, so a ring of payloads has room. */
static void control_post_locked(struct rsocket *socket,
				const struct stream_message *message)
{
	struct stream_qp *qp = &socket->qp;
	uint8_t *payload = &qp->send[socket->flow.sizes.send_len +
				     qp->control_at * STREAM_IOMAP_LEN];
	struct ibv_sge sge = { .addr = (uintptr_t)payload,
			       .length = message->len,
			       .lkey = qp->send_mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = request_id(QP_CONTROL, 0),
		.sg_list = &sge,
		.num_sge = message->len ? 1 : 0,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htobe32(message->imm),
		.wr.rdma = { .remote_addr = message->remote_address,
			     .rkey = message->rkey },
	};

	memcpy(payload, message->payload, sizeof(message->payload));
	qp->control_at = (qp->control_at + 1) % STREAM_MAX_CONTROLS;
	qp_post_send_locked(socket, &wr);
}

void stream_qp_flush_locked(struct rsocket *socket)
{
	struct stream_message message;
	uint32_t index;

	/* The RTU may be missing: the peer's QP is perhaps not ready. */
	if (socket->state != RSOCKET_CONNECTED || socket->has_cm_end)
		return;
	while (iomap_table_find_pending(&socket->iomaps, &index) &&
	       stream_flow_take_iomap(&socket->flow, index,
				      &socket->iomaps.slots[index].entry,
				      &message)) {
		iomap_table_set_sent(&socket->iomaps, index);
		control_post_locked(socket, &message);
	}
	while (stream_flow_take_control(&socket->flow, &message))
		control_post_locked(socket, &message);
}

void stream_qp_keepalive_locked(struct rsocket *socket)
{
	struct ibv_send_wr wr = {
		.wr_id = request_id(QP_CONTROL, 0),
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
	};

	stream_qp_progress_locked(socket);
	if (socket->state == RSOCKET_CONNECTED && !socket->has_cm_end &&
	    stream_flow_take_keepalive(&socket->flow))
		qp_post_send_locked(socket, &wr);
}

static int recv_complete_locked(struct rsocket *socket, const struct ibv_wc *wc)
{
	const struct stream_qp *qp = &socket->qp;
	struct stream_flow *flow = &socket->flow;
	uint32_t slot = (uint32_t)wc->wr_id;
	int ret = -EPROTO;

	if (!qp->is_iwarp && wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		ret = stream_flow_receive(flow, be32toh(wc->imm_data),
					  wc->byte_len, qp->sgl);
	else if (qp->is_iwarp && wc->byte_len == STREAM_WORD_LEN)
		ret = stream_flow_receive_word(
			flow,
			stream_word_decode(&qp->words[slot * STREAM_WORD_LEN],
					   flow->peer.is_big_endian),
			qp->sgl);
	return ret ? ret : qp_post_recv(qp, slot);
}

static void completion_process_locked(struct rsocket *socket,
				      const struct ibv_wc *wc)
{
	struct stream_flow *flow = &socket->flow;
	int ret = 0;

	switch (wc->wr_id >> 32) {
	case QP_DATA:
		stream_flow_data_done(flow, (uint32_t)wc->wr_id);
		break;
	case QP_CONTROL:
		stream_flow_control_done(flow);
		break;
	case QP_PART:
		break;
	default:
		if (wc->status == IBV_WC_SUCCESS)
			ret = recv_complete_locked(socket, wc);
		break;
	}
	/* After the end, requests may be flushed. */
	if (wc->status != IBV_WC_SUCCESS && (flow->can_read || flow->can_write))
		ret = -EIO;
	else if (wc->status != IBV_WC_SUCCESS)
		stream_flow_end(flow, 0);
	if (ret)
		qp_fail_locked(socket, ret);
}

void stream_qp_progress_locked(struct rsocket *socket)
{
	struct ibv_wc completions[QP_NR_COMPLETIONS];
	const uint32_t nr_readable = socket->flow.nr_readable;
	bool has_changed = false;
	int nr, nr_rounds;
	short events;

	if (!socket->qp.cq || !socket->flow.is_started)
		return;
	events = socket->ops->events_locked(socket);
	/* All of now, but not forever those that a peer adds meanwhile. */
	nr_rounds = socket->qp.cq->cqe / QP_NR_COMPLETIONS + 1;
	do {
		nr = ibv_poll_cq(socket->qp.cq, QP_NR_COMPLETIONS, completions);
		for (int i = 0; i < nr; i++)
			completion_process_locked(socket, &completions[i]);
		if (nr < 0)
			qp_fail_locked(socket, -EIO);
		has_changed = has_changed || nr != 0;
	} while (nr == QP_NR_COMPLETIONS && --nr_rounds);
	if (!has_changed)
		return;
	stream_qp_flush_locked(socket);
	/* Completions of writes and grants of space alone are no edge. */
	if (socket->flow.nr_readable != nr_readable ||
	    (socket->ops->events_locked(socket) & ~events))
		socket_notify_locked(socket);
	else
		socket_wake_locked(socket);
}

int stream_qp_arm_locked(struct rsocket *socket)
{
	if (!socket->qp.cq || !socket->flow.is_started)
		return -1;
	if (ibv_req_notify_cq(socket->qp.cq, 0) != 0)
		qp_fail_locked(socket, -EIO);
	return socket->qp.channel->fd;
}

void stream_qp_take_events_locked(struct rsocket *socket)
{
	bool has_events = false;
	struct ibv_cq *cq;
	void *context;

	if (!socket->qp.channel)
		return;
	while (ibv_get_cq_event(socket->qp.channel, &cq, &context) == 0) {
		ibv_ack_cq_events(cq, 1);
		has_events = true;
	}
	if (has_events)
		stream_qp_progress_locked(socket);
}
