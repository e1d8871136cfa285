/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Batches of long messages between the two ends of the program "rndv". Each
 * message has unique contents. The program compares each byte at its target
 * address, and the bytes around the target, which must not change.
 */
#ifndef RNDV_DATA_H
#define RNDV_DATA_H

#include "rndv_end.h"

#define GUARD		0x5c
#define GAP		100 /* between SGEs */
#define MAX_SGES	3
#define MAX_SLOTS	256
#define LONGER		5000 /* surplus bytes of a receive */
#define OTHER_REGION_US 50

enum from { FROM_0, FROM_1, FROM_BOTH };

struct batch {
	const char *name;
	uint32_t bytes;
	int nr_qps;
	int depth; /* messages of a QP in flight at once */
	enum from from;
	enum ibv_wr_opcode opcodes[4]; /* in turn */
	int nr_opcodes;
	bool several_sges;
	bool longer;
	bool srq;
	bool register_other_region; /* meanwhile */
};

/* Memory of one message. */
struct slot {
	unsigned char *begin, *end; /* including the guard bytes */
	struct ibv_sge sges[MAX_SGES];
	int nr;
};

static int rndv_batch_nr;

static inline bool report_mismatch(const char *what, uint64_t slot,
				   uint64_t offset)
{
	fprintf(stderr, "batch %d, message %llu, byte %llu: %s\n",
		rndv_batch_nr, (unsigned long long)slot,
		(unsigned long long)offset, what);
	return false;
}

/* ---- contents ---- */

/* The content of message @nr of @side. */
static inline uint64_t tag_of(int side, int nr)
{
	return (uint64_t)rndv_batch_nr << 32 | (uint64_t)side << 31 |
	       (uint64_t)nr;
}

static inline uint64_t word_of(uint64_t tag, uint64_t offset)
{
	return (tag + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
	       (offset / 8 + 1) * UINT64_C(0xff51afd7ed558ccd);
}

static inline unsigned char byte_of(uint64_t tag, uint64_t offset)
{
	return (unsigned char)(word_of(tag, offset) >> offset % 8 * 8);
}

/* @offset: in the message */
static inline void fill(unsigned char *to, uint64_t tag, uint64_t offset,
			uint64_t bytes)
{
	uint64_t i = 0;

	for (; i < bytes && (offset + i) % 8; i++)
		to[i] = byte_of(tag, offset + i);
	for (; i + 8 <= bytes; i += 8) {
		uint64_t word = word_of(tag, offset + i);

		memcpy(to + i, &word, 8);
	}
	for (; i < bytes; i++)
		to[i] = byte_of(tag, offset + i);
}

/* Return: the number of right bytes. */
static inline uint64_t count_right(const unsigned char *at, uint64_t tag,
				   uint64_t offset, uint64_t bytes)
{
	uint64_t i = 0;

	for (; i < bytes && (offset + i) % 8; i++)
		if (at[i] != byte_of(tag, offset + i))
			return i;
	for (; i + 8 <= bytes; i += 8) {
		uint64_t word;

		memcpy(&word, at + i, 8);
		if (word != word_of(tag, offset + i))
			break;
	}
	for (; i < bytes; i++)
		if (at[i] != byte_of(tag, offset + i))
			return i;
	return bytes;
}

static inline bool is_guard(const unsigned char *at, const unsigned char *end)
{
	static unsigned char guard[PAGE];

	memset(guard, GUARD, sizeof(guard));
	while (at < end) {
		size_t part = (size_t)(end - at);

		part = part < sizeof(guard) ? part : sizeof(guard);
		if (memcmp(at, guard, part) != 0)
			return false;
		at += part;
	}
	return true;
}

/* ---- placement of messages ---- */

static inline enum ibv_wr_opcode opcode_of(const struct batch *batch, int nr)
{
	return batch->opcodes[nr / batch->nr_qps % batch->nr_opcodes];
}

static inline bool is_send(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM;
}

static inline bool has_imm(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
	       opcode == IBV_WR_SEND_WITH_IMM;
}

static inline size_t stride_of(const struct batch *batch)
{
	return (batch->bytes + LONGER) / PAGE * PAGE + 2 * PAGE;
}

/* No placement is aligned to a word. */
static inline size_t place_of(const struct batch *batch, int nr)
{
	return (size_t)nr * stride_of(batch) + 64 + (size_t)nr * 3 % 61;
}

/* The remote side of an operation has one SGE. */
static inline struct slot find_slot(const struct end *end,
				    const struct batch *batch, int nr, bool in)
{
	unsigned char *area = in ? end_in(end) : end_out(end);
	unsigned char *at = area + place_of(batch, nr);
	enum ibv_wr_opcode opcode = opcode_of(batch, nr);
	const bool read = opcode == IBV_WR_RDMA_READ;
	const bool cut = batch->several_sges &&
			 (in ? read || is_send(opcode) : !read);
	const uint32_t half = batch->bytes / 2 + 7;
	const uint32_t cuts[2][MAX_SGES] = {
		{ half + batch->bytes / 8, 13, 0 },
		{ half, batch->bytes / 4, 0 },
	};
	struct slot slot = { .begin = area + (size_t)nr * stride_of(batch) };
	uint32_t left = batch->bytes;

	slot.end = slot.begin + stride_of(batch);
	while (left) {
		uint32_t part = cut ? cuts[in][slot.nr] : left;

		part = part ? part : left;
		slot.sges[slot.nr++] = (struct ibv_sge){
			.addr = (uintptr_t)at,
			.length = part,
			.lkey = end->mr->lkey,
		};
		at += part + GAP;
		left -= part;
	}
	return slot;
}

static inline bool posts(const struct end *end, const struct batch *batch)
{
	return batch->from == FROM_BOTH || (int)batch->from == end->side;
}

static inline bool other_posts(const struct end *end, const struct batch *batch)
{
	return batch->from == FROM_BOTH || (int)batch->from != end->side;
}

/* Return: whether a message arrives in this end's slot. */
static inline bool arrives_here(const struct end *end,
				const struct batch *batch, int nr)
{
	return opcode_of(batch, nr) == IBV_WR_RDMA_READ
		       ? posts(end, batch)
		       : other_posts(end, batch);
}

static inline int nr_slots(const struct batch *batch)
{
	return batch->nr_qps * batch->depth;
}

static inline void prepare(const struct end *end, const struct batch *batch)
{
	NEED(nr_slots(batch) <= MAX_SLOTS &&
	     (size_t)nr_slots(batch) * stride_of(batch) <= END_AREA);
	memset(end_in(end), GUARD, (size_t)nr_slots(batch) * stride_of(batch));
	for (int nr = 0; nr < nr_slots(batch); nr++) {
		struct slot slot = find_slot(end, batch, nr, false);
		uint64_t offset = 0;

		for (int i = 0; i < slot.nr; i++) {
			fill((unsigned char *)slot.sges[i].addr,
			     tag_of(end->side, nr), offset,
			     slot.sges[i].length);
			offset += slot.sges[i].length;
		}
	}
}

/* @tag 0: no message to this slot */
static inline bool slot_is_right(const struct slot *slot, uint64_t tag, int nr)
{
	const unsigned char *at = slot->begin;
	uint64_t offset = 0;

	for (int i = 0; tag && i < slot->nr; i++) {
		const struct ibv_sge *sge = &slot->sges[i];
		const unsigned char *piece = (unsigned char *)sge->addr;
		uint64_t right = count_right(piece, tag, offset, sge->length);

		if (!is_guard(at, piece))
			return report_mismatch(
				"byte before the message changed", (uint64_t)nr,
				offset);
		if (right < sge->length)
			return report_mismatch("wrong", (uint64_t)nr,
					       offset + right);
		offset += sge->length;
		at = piece + sge->length;
	}
	return is_guard(at, slot->end) ||
	       report_mismatch("byte after the message changed", (uint64_t)nr,
			       offset);
}

/* ---- work requests ---- */

static inline void post_receive(const struct end *end,
				const struct batch *batch, int nr)
{
	struct slot slot = find_slot(end, batch, nr, true);
	struct ibv_recv_wr wr = { .wr_id = (uint64_t)nr,
				  .sg_list = slot.sges,
				  .num_sge = slot.nr };
	struct ibv_recv_wr *bad;

	if (batch->longer)
		slot.sges[slot.nr - 1].length += LONGER - 3 * GAP;
	if (!is_send(opcode_of(batch, nr)))
		wr.num_sge = 0;
	if (end->srq)
		NEED(ibv_post_srq_recv(end->srq, &wr, &bad) == 0);
	else
		NEED(ibv_post_recv(end->qp[nr % batch->nr_qps], &wr, &bad) ==
		     0);
}

static inline void post_request(const struct end *end,
				const struct batch *batch, int nr)
{
	enum ibv_wr_opcode opcode = opcode_of(batch, nr);
	bool read = opcode == IBV_WR_RDMA_READ;
	const struct peer_address *other = &end->other[nr % batch->nr_qps];
	struct slot slot = find_slot(end, batch, nr, read);
	struct ibv_send_wr wr = {
		.wr_id = MAX_SLOTS + (uint64_t)nr,
		.opcode = opcode,
		.sg_list = slot.sges,
		.num_sge = slot.nr,
		.imm_data = htobe32((uint32_t)nr),
	};
	struct ibv_send_wr *bad;

	wr.wr.rdma.rkey = other->rkey;
	wr.wr.rdma.remote_addr =
		other->addr + (read ? 0 : END_AREA) + place_of(batch, nr);
	NEED(ibv_post_send(end->qp[nr % batch->nr_qps], &wr, &bad) == 0);
}

static inline bool receives(const struct end *end, const struct batch *batch,
			    int nr)
{
	enum ibv_wr_opcode opcode = opcode_of(batch, nr);

	return other_posts(end, batch) &&
	       (is_send(opcode) || opcode == IBV_WR_RDMA_WRITE_WITH_IMM);
}

/* The message in each slot; for an SRQ it is known only at the end. */
struct found {
	int message[MAX_SLOTS];
	int received[END_QPS];
};

static inline void record_message(const struct end *end,
				  const struct batch *batch,
				  const struct ibv_wc *wc, struct found *found)
{
	int nr = (int)wc->wr_id, q = 0;

	NEED(wc->status == IBV_WC_SUCCESS);
	if (wc->wr_id >= MAX_SLOTS)
		return;
	while (end->qp[q]->qp_num != wc->qp_num)
		q++;
	if (end->srq)
		found->message[nr] = found->received[q]++ * batch->nr_qps + q;
	NEED(wc->byte_len == batch->bytes);
	if (has_imm(opcode_of(batch, found->message[nr])))
		NEED(be32toh(wc->imm_data) == (uint32_t)found->message[nr]);
}

/* Registers, changes and deregisters another region. */
static inline void register_other_region(void)
{
	static unsigned char other[1 << 20];
	struct ibv_mr *mr =
		ibv_reg_mr(peer_pd, other, sizeof(other) / 2, PEER_ACCESS);

	NEED(mr);
	NEED(ibv_rereg_mr(mr,
			  IBV_REREG_MR_CHANGE_TRANSLATION |
				  IBV_REREG_MR_CHANGE_ACCESS,
			  NULL, other, sizeof(other),
			  IBV_ACCESS_LOCAL_WRITE) == 0);
	NEED(ibv_dereg_mr(mr) == 0);
}

static inline void await(const struct end *end, const struct batch *batch,
			 int nr, struct found *found)
{
	uint64_t begin = peer_now_us(), meddled = begin, now = begin;
	struct ibv_wc wc[16];

	while (nr) {
		int some = ibv_poll_cq(end->cq, 16, wc);

		NEED(some >= 0 && some <= nr);
		for (int i = 0; i < some; i++)
			record_message(end, batch, &wc[i], found);
		nr -= some;
		now = peer_now_us();
		NEED(now - begin < LIMIT_US);
		if (batch->register_other_region &&
		    now - meddled > OTHER_REGION_US) {
			register_other_region();
			meddled = peer_now_us();
		}
	}
}

static inline void compare(const struct end *end, const struct batch *batch,
			   const struct found *found)
{
	for (int nr = 0; nr < nr_slots(batch); nr++) {
		struct slot slot = find_slot(end, batch, nr, true);
		uint64_t tag = tag_of(!end->side, found->message[nr]);

		NEED(slot_is_right(&slot,
				   arrives_here(end, batch, nr) ? tag : 0, nr));
	}
}

static inline void run_batch(struct end *end, const struct batch *batch)
{
	struct found found = {};
	int nr_events = 0;

	rndv_batch_nr++;
	end_connect(end, batch->nr_qps, batch->srq);
	prepare(end, batch);
	for (int nr = 0; nr < nr_slots(batch); nr++) {
		found.message[nr] = nr;
		if (!receives(end, batch, nr))
			continue;
		post_receive(end, batch, nr);
		nr_events++;
	}
	end_barrier(end);
	for (int nr = 0; posts(end, batch) && nr < nr_slots(batch); nr++) {
		post_request(end, batch, nr);
		nr_events++;
	}
	await(end, batch, nr_events, &found);
	end_barrier(end);
	compare(end, batch, &found);
	end_barrier(end);
	end_disconnect(end);
}

#endif
