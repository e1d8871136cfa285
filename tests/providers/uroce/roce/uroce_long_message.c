/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce_long_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

const enum ibv_wr_opcode opcodes[NR_OPCODES] = {
	IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
	IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ
};

bool message_is_send(const struct message *m)
{
	return m->opcode == IBV_WR_SEND || m->opcode == IBV_WR_SEND_WITH_IMM;
}

bool message_takes_receive(const struct message *m)
{
	return message_is_send(m) || m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

struct place place_with_sges(struct fake *fake, unsigned int side, uint32_t at,
			     uint32_t length, const uint32_t *lengths)
{
	struct place place = { .nr = 0 };

	while (*lengths && *lengths < length) {
		place.sge[place.nr++] =
			pair_sge(fake->pair, side, at, *lengths);
		at += *lengths + 333;
		length -= *lengths++;
	}
	assert_true(place.nr < MAX_BATCH_IOVECS);
	place.sge[place.nr++] = pair_sge(fake->pair, side, at, length);
	return place;
}

struct place place_with_sge(struct fake *fake, unsigned int side, uint32_t at,
			    uint32_t length)
{
	static const uint32_t none;

	return place_with_sges(fake, side, at, length, &none);
}

unsigned int message_sender(const struct message *m)
{
	return m->opcode == IBV_WR_RDMA_READ ? !m->side : m->side;
}

unsigned int message_receiver(const struct message *m)
{
	return !message_sender(m);
}

struct message message_new_at(struct fake *fake, unsigned int side,
			      enum ibv_wr_opcode opcode, uint32_t length,
			      uint32_t at)
{
	struct message m = {
		.opcode = opcode,
		.side = side,
		.length = length,
	};

	m.from = place_with_sge(fake, message_sender(&m), FROM + at, length);
	m.to = place_with_sge(fake, message_receiver(&m), TO + at, length);
	return m;
}

struct message message_new(struct fake *fake, enum ibv_wr_opcode opcode,
			   uint32_t length)
{
	return message_new_at(fake, 0, opcode, length, 0);
}

uint32_t message_bytes_by_sender(const struct fake *fake,
				 const struct message *m)
{
	return fake->side[message_sender(m)].pushed;
}

uint32_t message_bytes_by_receiver(const struct fake *fake,
				   const struct message *m)
{
	return fake->side[message_receiver(m)].pulled;
}

uint32_t message_bytes_by_payload(const struct fake *fake,
				  const struct message *m)
{
	return m->length - message_bytes_by_sender(fake, m) -
	       message_bytes_by_receiver(fake, m);
}

void message_check_not_rndv(const struct fake *fake)
{
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(fake->side[i].nr_absent, 0);
		assert_int_equal(fake->side[i].push.nr, 0);
		assert_int_equal(fake->side[i].pull.nr, 0);
	}
}

void message_post_receive(struct fake *fake, const struct message *m,
			  uint32_t seed)
{
	struct place to = m->to;

	to.sge[to.nr - 1].length += m->room;
	pair_post_recv(fake->pair, !m->side, 100 + seed, to.sge,
		       message_is_send(m) ? to.nr : 0);
}

void message_post_request(struct fake *fake, const struct message *m,
			  uint32_t seed)
{
	bool read = m->opcode == IBV_WR_RDMA_READ;
	const struct place *local = read ? &m->to : &m->from;
	const struct place *remote = read ? &m->from : &m->to;

	fake_fill(fake, message_sender(m), m->from.sge, m->from.nr, seed);
	fake_post(fake, m->side, seed, m->opcode, local->sge, local->nr,
		  (uint32_t)(remote->sge[0].addr - PAIR_IOVA));
}

void message_post(struct fake *fake, const struct message *m, uint32_t seed)
{
	if (message_takes_receive(m))
		message_post_receive(fake, m, seed);
	message_post_request(fake, m, seed);
}

static void expect_received(struct fake *fake, const struct message *m,
			    uint32_t seed)
{
	struct uroce_cqe cqe;
	bool with_imm = m->opcode == IBV_WR_SEND_WITH_IMM ||
			!message_is_send(m);

	assert_true(pair_poll(&fake->pair->side[!m->side].recv_cq, &cqe));
	assert_int_equal(cqe.wr_id, 100 + seed);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_int_equal(cqe.byte_len, m->length);
	assert_int_equal(cqe.opcode, message_is_send(m)
					     ? IBV_WC_RECV
					     : IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(cqe.wc_flags, with_imm ? IBV_WC_WITH_IMM : 0);
	if (with_imm)
		assert_int_equal(cqe.imm, FAKE_IMM);
}

static void expect_sent(struct fake *fake, const struct message *m,
			uint32_t seed)
{
	struct uroce_cqe cqe;

	assert_true(pair_poll(&fake->pair->side[m->side].send_cq, &cqe));
	assert_int_equal(cqe.wr_id, seed);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	if (m->opcode == IBV_WR_RDMA_READ)
		assert_int_equal(cqe.byte_len, m->length);
}

void message_expect_completions(struct fake *fake, const struct message *m,
				uint32_t seed)
{
	expect_sent(fake, m, seed);
	if (message_takes_receive(m))
		expect_received(fake, m, seed);
}

void message_expect_no_completion(struct fake *fake)
{
	struct uroce_cqe cqe;

	for (unsigned int i = 0; i < 2; i++) {
		struct pair_side *side = &fake->pair->side[i];

		assert_false(pair_poll(&side->send_cq, &cqe));
		assert_false(pair_poll(&side->recv_cq, &cqe));
		assert_int_equal(uroce_qp_state(side->qp), IBV_QPS_RTS);
	}
}

void message_check(struct fake *fake, const struct message *m, uint32_t seed)
{
	message_expect_completions(fake, m, seed);
	message_expect_no_completion(fake);
	fake_take(fake, message_receiver(m), m->to.sge, m->to.nr, seed);
	fake_check_rest(fake, message_receiver(m));
}

void message_transfer(struct fake *fake, const struct message *m, uint32_t seed)
{
	message_post(fake, m, seed);
	fake_run(fake);
	message_check(fake, m, seed);
}
