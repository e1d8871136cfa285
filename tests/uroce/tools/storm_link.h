/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue pair of one process of storm.c to one process of another place. Every
 * word of a message contains the source process, the destination process and
 * the number of the message: a word for another process ends the program. Three
 * kinds of operations alternate: SEND, WRITE with immediate, and READ of the
 * other process's read target.
 *
 * A link that has lost its peer must get one IBV_WC_RETRY_EXC_ERR, and flush
 * errors for all other work requests, in time.
 */
#ifndef STORM_LINK_H
#define STORM_LINK_H

#include "storm_board.h"

#include <inttypes.h>
#include <poll.h>

#define DEPTH	 3
#define LONGEST	 3000
#define TIMEOUT	 17 /* 0.54 s: a living peer may wait for a processor */
#define RETRIES	 7
#define NO_PLACE 0xff
/* Bits of a wr_id; the rest is the address of the link. */
#define SLOT_BITS   UINT64_C(7)
#define READ_BIT    UINT64_C(8)
#define RECEIVE_BIT UINT64_C(16)
#define ID_BITS	    UINT64_C(63)

/*
 * IBTA 9.9.2.1.2: a timeout may take four times the requested one. Three more
 * seconds are for a machine under load.
 */
static const uint64_t limit_us =
	(UINT64_C(4096) << TIMEOUT) / 1000 * 4 * (RETRIES + 1) + 3000000;

struct link {
	struct link *next; /* in the list of lost links */
	uint32_t place, generation;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	/* DEPTH slots to receive, DEPTH to send, 2 * DEPTH for the peer. */
	unsigned char *memory;
	struct offer offer, other;
	bool connected, started, lost;
	uint32_t sends, receives; /* posted and not completed */
	uint32_t nr_out, nr_in;	  /* numbers of messages */
	uint32_t turn;
	uint32_t retry_errors;
	uint64_t lost_us;
};

static uint32_t self, self_generation;
static uint32_t message_bytes;
static struct ibv_cq *link_cq;
static uint64_t nr_messages;

static inline uint64_t word_of(uint32_t from, uint32_t from_generation,
			       uint32_t to, uint32_t to_generation,
			       uint32_t number)
{
	return (uint64_t)from << 56 | (uint64_t)to << 48 |
	       (uint64_t)(from_generation & 0xffff) << 32 |
	       (uint64_t)(to_generation & 0xffff) << 16 | (number & 0xffff);
}

static inline void fill(void *at, uint64_t word)
{
	uint64_t *words = at;

	for (uint32_t i = 0; i < message_bytes / 8; i++)
		words[i] = word;
}

static inline void assert_words(const struct link *link, const void *at,
				uint64_t word, const char *what)
{
	const uint64_t *words = at;

	for (uint32_t i = 0; i < message_bytes / 8; i++) {
		if (words[i] == word)
			continue;
		fprintf(stderr,
			"place %u, process %u: %s from %u, process %u: word "
			"%u is %016" PRIx64 ", not %016" PRIx64 "\n",
			self, self_generation, what, link->place,
			link->generation, i, words[i], word);
		exit(1);
	}
}

static inline uint64_t word_in(const struct link *link, uint32_t number)
{
	return word_of(link->place, link->generation, self, self_generation,
		       number);
}

static inline unsigned char *receive_slot(const struct link *link,
					  uint32_t number)
{
	return link->memory + number % DEPTH * LONGEST;
}

static inline unsigned char *send_slot(const struct link *link, uint64_t slot)
{
	return link->memory + (DEPTH + slot) * LONGEST;
}

/* Return: a slot that the peer may write while DEPTH others are unchecked. */
static inline unsigned char *write_slot(unsigned char *target, uint32_t number)
{
	return target + number % (2 * DEPTH) * LONGEST;
}

static inline unsigned char *target_of(const struct link *link)
{
	return link->memory + 2 * DEPTH * LONGEST;
}

static inline void link_receive(struct link *link, uint32_t number)
{
	peer_receive(link->qp, link->mr, (uintptr_t)link | RECEIVE_BIT,
		     receive_slot(link, number), message_bytes);
	link->receives++;
}

static inline struct link *link_new(uint32_t place, uint32_t generation,
				    const struct read_target *read_target)
{
	struct link *link = aligned_alloc(64, (sizeof(*link) + 63) / 64 * 64);
	const size_t bytes = (size_t)4 * DEPTH * LONGEST;

	NEED(link);
	*link = (struct link){ .place = place, .generation = generation };
	link->memory = calloc(1, bytes);
	NEED(link->memory);
	link->mr = ibv_reg_mr(peer_pd, link->memory, bytes, PEER_ACCESS);
	NEED(link->mr);
	link->qp = peer_qp(link_cq, DEPTH);
	for (uint32_t i = 0; i < DEPTH; i++)
		link_receive(link, i);
	link->offer = (struct offer){
		.label = board_label(self_generation, generation),
		.target = peer_address(link->qp, link->mr),
		.read_target = *read_target,
	};
	link->offer.target.addr = (uintptr_t)target_of(link);
	board_put_offer(&board->offers[self][place], &link->offer);
	return link;
}

/* The peer, or no process, has written every byte of the memory. */
static inline void link_free(struct link *link)
{
	const uint64_t mask = ~UINT64_C(0xffff);
	const uint64_t *words = (const uint64_t *)target_of(link);

	for (uint32_t i = 0; i < 2 * DEPTH * LONGEST / 8; i++)
		NEED(!words[i] || (words[i] & mask) == word_in(link, 0));
	NEED(ibv_destroy_qp(link->qp) == 0);
	NEED(ibv_dereg_mr(link->mr) == 0);
	free(link->memory);
	free(link);
}

static inline void post_op(struct link *link, uint64_t slot, uint64_t id,
			   struct ibv_send_wr *wr)
{
	struct ibv_sge sge = { .addr = (uintptr_t)send_slot(link, slot),
			       .length = message_bytes,
			       .lkey = link->mr->lkey };
	struct ibv_send_wr *bad;

	wr->wr_id = (uintptr_t)link | slot | id;
	wr->sg_list = &sge;
	wr->num_sge = 1;
	NEED(ibv_post_send(link->qp, wr, &bad) == 0);
	link->sends++;
}

static inline void link_read(struct link *link, uint64_t slot)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { .remote_addr = link->other.read_target.addr,
			     .rkey = link->other.read_target.rkey },
	};

	memset(send_slot(link, slot), 0, message_bytes);
	post_op(link, slot, READ_BIT, &wr);
}

static inline void link_message(struct link *link, uint64_t slot, bool write)
{
	uint32_t number = link->nr_out++;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	fill(send_slot(link, slot), word_of(self, self_generation, link->place,
					    link->generation, number));
	if (write) {
		wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.imm_data = number;
		wr.wr.rdma.remote_addr = (uintptr_t)write_slot(
			(unsigned char *)(uintptr_t)link->other.target.addr,
			number);
		wr.wr.rdma.rkey = link->other.target.rkey;
	}
	post_op(link, slot, 0, &wr);
}

static inline void link_request(struct link *link, uint64_t slot)
{
	uint32_t turn = link->turn++ % 3;

	if (turn == 2)
		link_read(link, slot);
	else
		link_message(link, slot, turn == 1);
}

/* The peer is dead. Only an operation on it makes the error visible. */
static inline void link_lose(struct link *link)
{
	if (!link->lost) {
		link->lost = true;
		link->lost_us = peer_now_us();
		board_add(&board->losses, 1);
	}
	if (!link->sends && !link->retry_errors)
		link_message(link, 0, false);
}

static inline void handle_receive(struct link *link, const struct ibv_wc *wc)
{
	uint32_t number = link->nr_in++;
	const void *at = receive_slot(link, number);

	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
		NEED(wc->imm_data == number);
		at = write_slot(target_of(link), number);
	}
	assert_words(link, at, word_in(link, number), "a message");
	nr_messages++;
	if (!link->lost)
		link_receive(link, number);
}

static inline void link_failed(struct link *link, const struct ibv_wc *wc)
{
	if (wc->status == IBV_WC_RETRY_EXC_ERR)
		link->retry_errors++;
	if ((wc->status == IBV_WC_RETRY_EXC_ERR ||
	     (wc->status == IBV_WC_WR_FLUSH_ERR && link->retry_errors)) &&
	    board_is_dead(link->place, link->generation))
		return;
	fprintf(stderr, "place %u, process %u: %s from %u, process %u, %s\n",
		self, self_generation, ibv_wc_status_str(wc->status),
		link->place, link->generation,
		board_is_dead(link->place, link->generation) ? "which is dead"
							     : "which lives");
	exit(1);
}

static inline void link_complete(const struct ibv_wc *wc)
{
	struct link *link = (struct link *)(uintptr_t)(wc->wr_id & ~ID_BITS);
	bool receive = wc->wr_id & RECEIVE_BIT;
	uint64_t slot = wc->wr_id & SLOT_BITS;

	if (receive)
		link->receives--;
	else
		link->sends--;
	if (wc->status != IBV_WC_SUCCESS) {
		link_failed(link, wc);
		return;
	}
	if (receive) {
		handle_receive(link, wc);
		return;
	}
	if (wc->wr_id & READ_BIT)
		assert_words(
			link, send_slot(link, slot),
			word_of(link->place, link->generation, NO_PLACE, 0, 0),
			"the read target");
	if (link->lost)
		link_lose(link);
	else
		link_request(link, slot);
}

/* The time limit has passed without the expected errors. */
static inline void link_fail_overdue(const struct link *link, int state)
{
	fprintf(stderr,
		"place %u, process %u: %u, process %u, has been dead for "
		"%" PRIu64 " us: %u sends and %u receives are left, %u retry "
		"errors, state %d\n",
		self, self_generation, link->place, link->generation,
		peer_now_us() - link->lost_us, link->sends, link->receives,
		link->retry_errors, state);
	exit(1);
}

static inline bool link_is_late(const struct link *link)
{
	return peer_now_us() - link->lost_us >= limit_us;
}

/* Return: whether a lost link has received all its errors. */
static inline bool link_is_over(const struct link *link)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if ((link->sends || link->receives) && !link_is_late(link))
		return false;
	NEED(ibv_query_qp(link->qp, &attr, IBV_QP_STATE, &init) == 0);
	if (link->sends || link->receives || link->retry_errors != 1 ||
	    attr.qp_state != IBV_QPS_ERR)
		link_fail_overdue(link, attr.qp_state);
	board_slowest(peer_now_us() - link->lost_us);
	return true;
}

#endif
