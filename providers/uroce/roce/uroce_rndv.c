/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rendezvous protocol, see uroce_rndv.h. The requester, the responder and
 * uroce_completion.c call it; ../shm/uroce_shm_rndv.c accesses the memory
 * of the peer and selects the messages for which the protocol is faster.
 */
#include "uroce/roce/uroce_rndv.h"

#include <errno.h>

#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_request.h"

/* Minimum length of a chunk, in packets. */
#define MIN_PACKETS 4

/* Lookups of a sink before the sender gives up: some us. */
#define LOOKS 500

static const struct uroce_rndv_ops *ops_of(const struct uroce_qp *qp)
{
	return qp->type == IBV_QPT_RC && qp->roce->channel
		       ? qp->roce->channel->rndv
		       : NULL;
}

static struct uroce_qpn_pair qpn_pair_of(const struct uroce_qp *qp)
{
	return (struct uroce_qpn_pair){ .qpn = qp->qpn,
					.dest_qpn = qp->dest_qpn };
}

static bool is_write(const struct uroce_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_RDMA_WRITE ||
	       wqe->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static enum uroce_sink_kind kind_of(const struct uroce_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_RDMA_READ ? UROCE_SINK_READ
					       : UROCE_SINK_RECEIVE;
}

/* Publishes a sink, in the list of uroce_rndv_withdraw_all(). */
static void rndv_publish(struct uroce_qp *qp, enum uroce_sink_kind kind,
			 const struct uroce_sink *sink)
{
	ops_of(qp)->publish(qp->roce->channel, qp->qpn, kind, sink);
	qp->roce->rndv.published[kind] = true;
	if (list_empty(&qp->roce->publishing))
		list_add_tail(&qp->roce->engine->publishing,
			      &qp->roce->publishing);
}

static void rndv_withdraw_sink(struct uroce_qp *qp, enum uroce_sink_kind kind)
{
	const struct uroce_sink none = { .bytes = 0 };

	if (!qp->roce->rndv.published[kind])
		return;
	qp->roce->rndv.published[kind] = false;
	qp->roce->channel->rndv->publish(qp->roce->channel, qp->qpn, kind,
					 &none);
	if (!qp->roce->rndv.published[!kind])
		list_del(&qp->roce->publishing);
}

/* Publishes @sge as a sink, unless its region is about to be withdrawn. */
static bool publish_sge(struct uroce_qp *qp, enum uroce_sink_kind kind,
			uint32_t psn, uint32_t pd, const struct ibv_sge *sge)
{
	struct uroce_memory *memory = qp->core->memory;
	struct uroce_sink sink = { .psn = psn, .bytes = sge->length };
	uint8_t *ptr;

	if (uroce_memory_is_dmabuf(memory, sge->lkey) ||
	    uroce_memory_local(memory, pd, sge, true, &ptr) || !ptr ||
	    uroce_memory_find(memory, sge->lkey)->withdrawn)
		return false;
	sink.address = (uintptr_t)ptr;
	rndv_publish(qp, kind, &sink);
	return true;
}

/*
 * Whether READs or atomics are outstanding: their responses arrive later than
 * pushed data, and may be for the same memory.
 */
static bool awaits_answers(const struct uroce_qp *qp)
{
	return qp->roce->req.rd_first != qp->roce->req.rd_last;
}

bool uroce_rndv_begin(struct uroce_qp *qp, const struct uroce_send_wqe *wqe)
{
	const struct uroce_rndv_ops *ops = ops_of(qp);
	enum uroce_sink_kind kind = kind_of(wqe);

	qp->roce->rndv.sending = false;
	if (wqe->length < UROCE_RNDV_MIN || !ops || qp->roce->kbps ||
	    !ops->choose(qp->roce->channel, kind, qp->qpn, wqe->psn))
		return false;
	if (kind != UROCE_SINK_READ) {
		qp->roce->rndv.sending = true;
		qp->roce->rndv.sent = (struct uroce_rndv_state){};
		return true;
	}
	return wqe->nr_sge == 1 && !qp->roce->rndv.refused &&
	       !awaits_answers(qp) &&
	       publish_sge(qp, kind, wqe->psn, qp->pd, &wqe->sge[0]);
}

void uroce_rndv_end(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		    bool failed)
{
	const struct uroce_rndv_ops *ops = ops_of(qp);
	enum uroce_sink_kind kind = kind_of(wqe);

	if (wqe->length < UROCE_RNDV_MIN || !ops || !wqe->begun)
		return;
	if (!failed)
		ops->learn(qp->roce->channel, kind, qp->qpn, wqe->psn,
			   wqe->length);
	/* the sink is that of the oldest READ: see uroce_rndv_begin() */
	if (kind == UROCE_SINK_READ)
		rndv_withdraw_sink(qp, kind);
}

void uroce_rndv_publish_receive(struct uroce_qp *qp, uint32_t psn)
{
	const struct uroce_receive *receive = &qp->receive;

	if (ops_of(qp) && receive->nr_sge &&
	    receive->sge[0].length >= UROCE_RNDV_MIN)
		(void)publish_sge(qp, UROCE_SINK_RECEIVE, psn, qp->rq->pd,
				  &receive->sge[0]);
}

void uroce_rndv_end_receive(struct uroce_qp *qp)
{
	rndv_withdraw_sink(qp, UROCE_SINK_RECEIVE);
}

uint32_t uroce_rndv_withdraw(struct uroce_qp *qp)
{
	const struct uroce_rndv_ops *ops = ops_of(qp);

	qp->roce->rndv.sending = false;
	qp->roce->rndv.refused = false;
	if (!ops)
		return 0;
	rndv_withdraw_sink(qp, UROCE_SINK_RECEIVE);
	rndv_withdraw_sink(qp, UROCE_SINK_READ);
	return ops->accesses(qp->roce->channel);
}

bool uroce_rndv_is_quiet(const struct uroce_qp *qp, uint32_t accesses)
{
	return qp->roce->channel->rndv->is_quiet(qp->roce->channel, accesses);
}

void uroce_rndv_give_up(const struct uroce_qp *qp, uint32_t accesses)
{
	qp->roce->channel->rndv->give_up(qp->roce->channel, accesses);
}

void uroce_rndv_withdraw_all(struct uroce_engine *engine)
{
	while (!list_empty(&engine->publishing)) {
		struct uroce_qp *qp = list_entry(engine->publishing.next,
						 struct uroce_roce, publishing)
					      ->qp;

		rndv_withdraw_sink(qp, UROCE_SINK_RECEIVE);
		rndv_withdraw_sink(qp, UROCE_SINK_READ);
	}
}

/* A part of a message that may be sent as a chunk. */
struct chunk {
	struct uroce_qp *qp;
	struct uroce_rndv_state *state;
	const struct uroce_send_wqe *write; /* NULL: not a WRITE */
	enum uroce_sink_kind kind;
	uint32_t first_psn; /* of the message */
	uint32_t offset;    /* in the message */
	uint32_t nr_packets;
	struct iovec iov;
};

static int push_write(const struct chunk *chunk)
{
	struct uroce_channel *channel = chunk->qp->roce->channel;
	const struct uroce_send_wqe *wqe = chunk->write;
	const struct uroce_direct_access copy = {
		.access = IBV_ACCESS_REMOTE_WRITE,
		.qpn = chunk->qp->qpn,
		.dest_qpn = chunk->qp->dest_qpn,
		.rkey = wqe->remote.rkey,
		.va = wqe->remote.va,
		.bytes = wqe->length,
		.offset = chunk->offset,
		.chunk = (uint32_t)chunk->iov.iov_len,
		.iov = &chunk->iov,
		.nr_iov = 1,
	};

	/* older messages in flight arrive later, maybe for the same memory */
	if (uroce_psn_before(chunk->qp->roce->req.una_psn, wqe->psn))
		return -EBUSY;
	return channel->direct_copy ? channel->direct_copy(channel, &copy)
				    : -EPERM;
}

/* Looks up the peer's sink; whether the whole chunk lies in it. */
static bool rndv_find(const struct chunk *chunk, uint32_t psn,
		      struct uroce_sink *ret_sink, uint32_t *ret_from)
{
	const struct uroce_qp *qp = chunk->qp;
	const struct uroce_qpn_pair qpns = qpn_pair_of(qp);
	uint64_t from;

	if (!qp->roce->channel->rndv->find(qp->roce->channel, &qpns,
					   chunk->kind, ret_sink))
		return false;
	from = (uint64_t)uroce_psn_diff(psn, ret_sink->psn) * qp->mtu;
	*ret_from = (uint32_t)from;
	/* the sink may be of an older message; a READ has many requests */
	if (chunk->kind == UROCE_SINK_RECEIVE)
		return chunk->first_psn == ret_sink->psn &&
		       from + chunk->iov.iov_len <= ret_sink->bytes;
	return !uroce_psn_before(psn, ret_sink->psn) &&
	       from + chunk->iov.iov_len <= ret_sink->bytes;
}

/* Polls for the sink: unless the peer is busy, it publishes it soon. */
static bool await(const struct chunk *chunk, uint32_t psn,
		  struct uroce_sink *ret_sink, uint32_t *ret_from)
{
	bool found = rndv_find(chunk, psn, ret_sink, ret_from);

	for (int i = 0; !found && !chunk->state->waited && i < LOOKS; i++)
		found = rndv_find(chunk, psn, ret_sink, ret_from);
	chunk->state->waited = true;
	return found;
}

static int rndv_push(const struct chunk *chunk, uint32_t psn)
{
	const struct uroce_qp *qp = chunk->qp;
	const struct uroce_qpn_pair qpns = qpn_pair_of(qp);
	struct uroce_sink sink;
	uint32_t from;

	if (chunk->write)
		return push_write(chunk);
	if (!await(chunk, psn, &sink, &from))
		return -EAGAIN;
	return qp->roce->channel->rndv->push(qp->roce->channel, &qpns,
					     chunk->kind, &sink, from,
					     &chunk->iov);
}

/* Sends a chunk. The sides take turns; the peer first, to keep it busy. */
static bool send_chunk(const struct chunk *chunk, struct uroce_packet *packet)
{
	const struct uroce_qp *qp = chunk->qp;
	const struct uroce_qpn_pair qpns = qpn_pair_of(qp);

	if (!qp->roce->channel->rndv->is_open(qp->roce->channel, &qpns))
		return false;
	if (chunk->state->pulled) {
		if (rndv_push(chunk, packet->psn))
			return false;
	} else {
		packet->source = (uintptr_t)chunk->iov.iov_base;
	}
	chunk->state->pulled = !chunk->state->pulled;
	packet->nr_absent = chunk->nr_packets;
	packet->payload_len = (uint32_t)chunk->iov.iov_len;
	return true;
}

/* Returns the number of packets that @out represents. */
static uint32_t try_chunk(const struct chunk *chunk, struct uroce_out *out)
{
	if (!send_chunk(chunk, &out->packet))
		return 1;
	out->iovecs.nr = 0;
	return chunk->nr_packets;
}

/* Number of packets that are contiguous in memory, from @out on. */
static uint32_t rndv_count_packets(const struct uroce_qp *qp,
				   const struct uroce_send_wqe *wqe,
				   const struct uroce_out *out, uint32_t max)
{
	const struct uroce_sge_list list = uroce_sq_sge_list(qp, wqe, false);
	struct uroce_cursor cursor = qp->roce->req.out;
	struct uroce_iovecs more;
	uint32_t nr;

	if (out->iovecs.nr != 1 || !max || cursor.sge >= wqe->nr_sge ||
	    uroce_memory_is_dmabuf(list.memory, wqe->sge[cursor.sge].lkey))
		return 0;
	nr = uroce_sge_run(&list, &cursor, qp->mtu, max - 1, &more);
	if (!nr || more.on_demand ||
	    more.iov[0].iov_base !=
		    (uint8_t *)out->iovecs.iov[0].iov_base + qp->mtu)
		return 0;
	return nr + 1;
}

/* Maximum length of a chunk; at the end each side copies half of the rest. */
static uint32_t max_packets(const struct uroce_qp *qp,
			    const struct uroce_rndv_state *state, uint32_t left)
{
	uint32_t max = UROCE_CHANNEL_CHUNK / qp->mtu;

	if (!state->pulled && left < 2 * max)
		left = (left + 1) / 2;
	return left < max ? left : max;
}

uint32_t uroce_rndv_request(struct uroce_qp *qp,
			    const struct uroce_send_wqe *wqe,
			    struct uroce_out *out)
{
	uint32_t at = (uint32_t)uroce_psn_diff(out->packet.psn, wqe->psn);
	struct chunk chunk = {
		.qp = qp,
		.state = &qp->roce->rndv.sent,
		.write = is_write(wqe) ? wqe : NULL,
		.kind = UROCE_SINK_RECEIVE,
		.first_psn = wqe->psn,
		.offset = at * qp->mtu,
	};

	/* the first packet of a SEND is needed to select the receive WQE */
	if (!qp->roce->rndv.sending || qp->roce->kbps || (!chunk.write && !at))
		return 1;
	/* the last packet has payload, so that its data is stored last */
	chunk.nr_packets = rndv_count_packets(
		qp, wqe, out,
		max_packets(qp, chunk.state, wqe->nr_packets - 1 - at));
	if (chunk.nr_packets < MIN_PACKETS)
		return 1;
	chunk.iov = (struct iovec){
		.iov_base = out->iovecs.iov[0].iov_base,
		.iov_len = (size_t)chunk.nr_packets * qp->mtu,
	};
	return try_chunk(&chunk, out);
}

/* Memory of the READ at @offset; NULL: no access, or no ordinary memory. */
static uint8_t *find_answer(const struct uroce_qp *qp,
			    const struct uroce_resource *res, uint64_t offset,
			    uint64_t bytes)
{
	const struct uroce_remote_access wanted = {
		.va = res->va + offset,
		.bytes = bytes,
		.rkey = res->rkey,
		.pd = qp->pd,
		.qpn = qp->qpn,
		.access = IBV_ACCESS_REMOTE_READ,
	};
	uint8_t *ptr;

	if (uroce_memory_is_dmabuf(qp->core->memory, res->rkey))
		return NULL;
	return uroce_memory_remote(qp->core->memory, &wanted, &ptr) ? NULL
								    : ptr;
}

uint32_t uroce_rndv_response(struct uroce_qp *qp,
			     const struct uroce_resource *res,
			     struct uroce_out *out)
{
	uint32_t psn = out->packet.psn;
	uint32_t at = (uint32_t)uroce_psn_diff(psn, res->psn);
	struct chunk chunk = {
		.qp = qp,
		.state = &qp->roce->rndv.response,
		.kind = UROCE_SINK_READ,
		.first_psn = res->psn,
		.offset = at * qp->mtu,
	};
	struct uroce_sink sink;
	uint32_t from;

	/*
	 * A packet that may have been sent before contains its payload: the
	 * requester ignores a duplicate, and with it the source address.
	 */
	if (!ops_of(qp) || res->asked_again || res->dma_len < UROCE_RNDV_MIN)
		return 1;
	/* the requester pulls with the rkey, which needs an open QP */
	if (!uroce_qp_is_open(qp))
		return 1;
	if (!at)
		*chunk.state = (struct uroce_rndv_state){};
	chunk.nr_packets = max_packets(
		qp, chunk.state, (uint32_t)uroce_psn_diff(res->until_psn, psn));
	if (chunk.nr_packets < MIN_PACKETS)
		return 1;
	chunk.iov.iov_len = (size_t)chunk.nr_packets * qp->mtu;
	chunk.iov.iov_base =
		find_answer(qp, res, chunk.offset, chunk.iov.iov_len);
	/* without a sink the requester expects packets with payload */
	if (!chunk.iov.iov_base || !rndv_find(&chunk, psn, &sink, &from))
		return 1;
	return try_chunk(&chunk, out);
}

int uroce_rndv_copy(const struct uroce_qp *qp,
		    const struct uroce_packet *packet,
		    const struct uroce_iovecs *iovecs)
{
	const struct uroce_rndv_ops *ops = ops_of(qp);
	const struct uroce_qpn_pair qpns = qpn_pair_of(qp);
	uint64_t address = packet->source;
	int ret = ops ? 0 : -EPERM;

	if (!address)
		return 0;
	for (uint32_t i = 0; !ret && i < iovecs->nr; i++) {
		const struct iovec *iov = &iovecs->iov[i];

		/* data for the null region is discarded */
		if (iov->iov_base)
			ret = ops->pull(qp->roce->channel, &qpns, address, iov);
		address += iov->iov_len;
	}
	/* CMA may have been lost: publish whether the QP still pulls */
	if (ret)
		uroce_qp_tell(qp);
	return ret;
}
