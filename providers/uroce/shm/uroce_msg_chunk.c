/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Long messages: which way the data take, and chunks.
 *
 * The data of a message are copied twice through the ring, by both processes,
 * or once by the kernel: by the receiver of a SEND or WRITE, which gets entries
 * with the addresses of chunks, or by the requester of a WRITE or READ (direct
 * access). Which way is faster depends on the caches that the two processors
 * share. So the receiver of a ring measures how long it copies a fragment out
 * of the ring, and publishes it. A message of LONG_BYTES or more is copied by
 * the kernel if that is expected to take less time:
 *
 *   CALL_NS + bytes / BYTES_A_NS  <  bytes / UROCE_MSG_FRAGMENT * fragment_ns
 *
 * One of SAMPLE_EVERY long messages uses the ring for its first fragment (a
 * READ: for all of it), and one of MEASURE_EVERY fragments is measured.
 *
 * A chunk that the receiver cannot read, since CMA was forbidden later, causes
 * a NAK, and the requester sends the message again, with payload.
 */
#include <string.h>

#include "uroce/qp/uroce_place.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_msg_state.h"
#include "uroce/wire/uroce_packet.h"
#include "util/clock.h"
#include "util/min.h"

#define LONG_BYTES    (16 * 1024)
#define CALL_NS	      1200
#define BYTES_A_NS    14
#define SAMPLE_EVERY  512
#define MEASURE_EVERY 16
/* The last bytes of a WRITE are payload: more than a word, less than a line. */
#define WRITE_TAIL 16

bool uroce_msg_is_for_kernel(const struct uroce_msg_pair *pair,
			     uint32_t fragment_ns, uint32_t bytes)
{
	uint64_t ring_ns = (uint64_t)fragment_ns * bytes / UROCE_MSG_FRAGMENT;

	if (bytes < LONG_BYTES || !pair->channel || !pair->channel->rndv ||
	    !pair->channel->direct_copy)
		return false;
	return pair->always_chunks || CALL_NS + bytes / BYTES_A_NS < ring_ns;
}

bool uroce_msg_wants_sample(struct uroce_msg_pair *pair)
{
	return pair->nr_long++ % SAMPLE_EVERY == SAMPLE_EVERY - 1 &&
	       !pair->always_chunks;
}

void uroce_msg_mark_sample(struct uroce_msg_pair *pair,
			   struct uroce_msg_entry *entry)
{
	entry->word = 0;
	if ((entry->flags & UROCE_MSG_LAST) ||
	    pair->nr_samples++ % MEASURE_EVERY)
		return;
	entry->word = UROCE_MSG_MEASURED;
}

/* The contiguous memory of the message at @offset; *bytes becomes shorter. */
static uint8_t *msg_chunk_find_memory(struct uroce_msg_qp *mqp,
				      const struct uroce_send_wqe *wqe,
				      uint32_t offset, uint32_t *bytes)
{
	struct uroce_memory *memory = mqp->qp->core->memory;
	const struct uroce_region *region;
	struct ibv_sge sge;
	uint8_t *ptr;
	uint32_t i = 0;

	while (i < wqe->nr_sge && offset >= wqe->sge[i].length)
		offset -= wqe->sge[i++].length;
	if (i == wqe->nr_sge)
		return NULL;
	sge = wqe->sge[i];
	*bytes = min_u32(*bytes, sge.length - offset);
	sge.addr += offset;
	sge.length = *bytes;
	region = uroce_memory_find(memory, sge.lkey);
	if (!region || region->kind != UROCE_REGION_MEMORY ||
	    uroce_memory_local(memory, mqp->qp->pd, &sge, false, &ptr))
		return NULL;
	return ptr;
}

/* Whether the peer copies chunks of this QP; a hint. */
static bool msg_chunk_is_possible(const struct uroce_msg_qp *mqp)
{
	struct uroce_channel *channel = mqp->pair->channel;
	const struct uroce_qpn_pair qpns = {
		.qpn = mqp->qp->qpn,
		.dest_qpn = mqp->qp->dest_qpn,
	};

	return uroce_msg_is_reliable(mqp) && !mqp->req.no_chunks &&
	       channel->rndv->is_open(channel, &qpns);
}

bool uroce_msg_find_chunk(struct uroce_msg_qp *mqp,
			  const struct uroce_send_wqe *wqe,
			  struct uroce_msg_chunk *ret_chunk)
{
	struct uroce_msg_pair *pair = mqp->pair;
	uint32_t offset = mqp->req.offset;
	uint32_t bytes = wqe->length - offset;
	const uint8_t *ptr;

	if (wqe->length < LONG_BYTES || (wqe->flags & IBV_SEND_INLINE) ||
	    !uroce_msg_is_for_kernel(
		    pair, uroce_msg_ring_fragment_ns(&pair->out), bytes) ||
	    !msg_chunk_is_possible(mqp))
		return false;
	if (!offset && uroce_msg_wants_sample(pair)) {
		pair->nr_samples = 0; /* measure this fragment */
		return false;
	}
	if (uroce_sq_kind(wqe) == UROCE_SQ_WRITE)
		bytes -= WRITE_TAIL;
	bytes = min_u32(bytes, UROCE_MSG_CHUNK);
	ptr = msg_chunk_find_memory(mqp, wqe, offset, &bytes);
	*ret_chunk = (struct uroce_msg_chunk){
		.source = (uintptr_t)ptr,
		.bytes = bytes,
	};
	return ptr && bytes > UROCE_MSG_FRAGMENT;
}

static bool msg_chunk_pull(const struct uroce_msg_qp *mqp,
			   const struct uroce_msg_received *in,
			   const struct uroce_iovecs *iovecs)
{
	struct uroce_channel *channel = mqp->pair->channel;
	const struct uroce_qpn_pair qpns = {
		.qpn = mqp->qp->qpn,
		.dest_qpn = mqp->qp->dest_qpn,
	};
	uint64_t from = in->source;

	if (!channel || !channel->rndv)
		return false;
	for (uint32_t i = 0; i < iovecs->nr; i++) {
		const struct iovec *iov = &iovecs->iov[i];

		if (iov->iov_base && iov->iov_len &&
		    channel->rndv->pull(channel, &qpns, from, iov))
			return false;
		from += iov->iov_len;
	}
	return true;
}

static void msg_chunk_copy_payload(const uint8_t *from,
				   const struct uroce_iovecs *iovecs,
				   bool place)
{
	for (uint32_t i = 0; i < iovecs->nr; i++) {
		const struct iovec *iov = &iovecs->iov[i];

		if (iov->iov_base && place)
			uroce_place(iov->iov_base, from, iov->iov_len);
		else if (iov->iov_base)
			memcpy(iov->iov_base, from, iov->iov_len);
		from += iov->iov_len;
	}
}

bool uroce_msg_copy(struct uroce_msg_qp *mqp,
		    const struct uroce_msg_received *in,
		    const struct uroce_iovecs *iovecs, bool place)
{
	bool measured = in->entry.word == UROCE_MSG_MEASURED &&
			!(in->entry.flags & UROCE_MSG_LAST) &&
			in->entry.bytes == UROCE_MSG_FRAGMENT;
	uint64_t begun_ns = measured ? verbs_now_ns() : 0;

	if (in->source) {
		if (msg_chunk_pull(mqp, in, iovecs))
			return true;
		mqp->resp.kind = UROCE_MSG_KIND_NONE;
		mqp->resp.dropping = true;
		uroce_msg_nak(mqp, UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ,
			      UROCE_MSG_NO_CHUNKS);
		/* CMA may have been lost: publish whether the QP still pulls */
		uroce_qp_tell(mqp->qp);
		return false;
	}
	msg_chunk_copy_payload(in->payload, iovecs, place);
	if (measured)
		uroce_msg_ring_measured(&mqp->pair->in,
					verbs_now_ns() - begun_ns);
	return true;
}
