/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random requests in both directions over a wire that drops, duplicates,
 * reorders and damages packets, compared with a model of memory and
 * completions. The model of each direction:
 *
 *   source    slots that requests send from; constant until the completion
 *   written   target of WRITEs, in the order of posting; compared when idle
 *   constant  source of READs; never written
 *   numbers   atomics; each result is known when the request is posted
 *
 * When a connection is lost, which a loss of 30 % causes, all remaining
 * requests must complete as flushed; then the connection is set up again.
 * UROCE_LOSSY_OPS is the number of requests of each run; the default suits
 * daily use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_pair.h"

#define NR_SLOTS  16
#define SLOT_SIZE 12000
#define NR_RECVS  6

/* Offsets in the memory of a side. */
#define SOURCES	   0
#define RESULTS	   (SOURCES + NR_SLOTS * SLOT_SIZE)
#define RECVS	   (RESULTS + NR_SLOTS * SLOT_SIZE)
#define WRITTEN	   (RECVS + NR_RECVS * SLOT_SIZE)
#define CONSTANT   (WRITTEN + 100000)
#define NUMBERS	   (CONSTANT + 100000)
#define NR_NUMBERS 4
_Static_assert(NUMBERS + 8 * NR_NUMBERS <= PAIR_MEMORY, "does not fit");

/* Expected result of a posted request. */
struct request {
	uint8_t opcode;
	uint32_t slot;
	uint32_t length;
	uint32_t offset; /* READ: offset in the constant part */
	uint64_t orig;	 /* atomics */
};

/* A message that the peer will receive. */
struct message {
	uint32_t length;
	uint32_t seed;
	bool with_imm, is_write;
	__be32 imm;
};

#define RING 256 /* more than the maximum of outstanding requests */

struct direction {
	struct request requests[RING];
	uint32_t posted, completed;
	struct message messages[RING];
	uint32_t sent, received;
	uint8_t written[100000];
	uint64_t numbers[NR_NUMBERS];
	uint32_t next_recv, recv_completed;
	uint32_t nr_ops;
	uint32_t nr_losses;
};

struct model {
	struct pair *pair;
	struct pair_options options;
	struct direction direction[2]; /* indexed by the requester */
	uint32_t nr_lost;
};

static uint8_t byte_of(uint32_t seed, uint32_t i)
{
	return (uint8_t)((seed + i) * 2654435761u >> 21);
}

static void fill_bytes(uint8_t *bytes, uint32_t len, uint32_t seed)
{
	for (uint32_t i = 0; i < len; i++)
		bytes[i] = byte_of(seed, i);
}

static void check_fill(const uint8_t *bytes, uint32_t len, uint32_t seed)
{
	for (uint32_t i = 0; i < len; i++)
		if (bytes[i] != byte_of(seed, i))
			assert_int_equal(bytes[i], byte_of(seed, i));
}

/* Mostly small, sometimes many packets. */
static uint32_t choose_length(struct pair *pair)
{
	if (pair_random(pair, 4))
		return pair_random(pair, 600);
	return pair_random(pair, SLOT_SIZE + 1);
}

static void post_recvs(struct model *m, unsigned int side)
{
	struct direction *d = &m->direction[side];
	struct pair *pair = m->pair;

	/* sometimes too late, so that the sender gets an RNR NAK */
	if (!pair_random(pair, 4))
		return;
	while (d->next_recv - d->recv_completed < NR_RECVS) {
		uint32_t slot = d->next_recv % NR_RECVS;
		uint32_t cut = pair_random(pair, SLOT_SIZE);
		uint32_t at = RECVS + slot * SLOT_SIZE;
		struct ibv_sge sge[2] = {
			pair_sge(pair, side, at, cut),
			pair_sge(pair, side, at + cut, SLOT_SIZE - cut),
		};

		pair_post_recv(pair, side, d->next_recv++, sge, 2);
	}
}

static void expect_message(struct direction *d, const struct request *request,
			   uint32_t seed, bool is_write, bool with_imm,
			   __be32 imm)
{
	d->messages[d->sent++ % RING] = (struct message){
		.length = request->length,
		.seed = seed,
		.with_imm = with_imm,
		.is_write = is_write,
		.imm = imm,
	};
}

static void fill_write(struct model *m, struct direction *d,
		       struct request *request, struct uroce_send_wqe *wqe,
		       const uint8_t *source)
{
	uint32_t at = pair_random(m->pair, 100000 - request->length + 1);

	wqe->remote.va = PAIR_IOVA + WRITTEN + at;
	memcpy(d->written + at, source, request->length);
}

static void fill_atomic(struct model *m, struct direction *d,
			struct request *request, struct uroce_send_wqe *wqe)
{
	uint32_t which = pair_random(m->pair, NR_NUMBERS);
	uint64_t *number = &d->numbers[which];

	request->length = 8;
	request->orig = *number;
	wqe->remote.va = PAIR_IOVA + NUMBERS + 8 * which;
	if (request->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wqe->remote.compare_add = pair_random(m->pair, 1u << 31);
		*number += wqe->remote.compare_add;
	} else {
		/* half of them swap */
		wqe->remote.compare_add = *number + pair_random(m->pair, 2);
		wqe->remote.swap = pair_random(m->pair, 1u << 31);
		if (wqe->remote.compare_add == *number)
			*number = wqe->remote.swap;
	}
}

static void post_request(struct model *m, unsigned int side)
{
	static const uint8_t opcodes[] = {
		IBV_WR_SEND,
		IBV_WR_SEND_WITH_IMM,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_ATOMIC_WRITE,
		IBV_WR_FLUSH,
	};
	struct direction *d = &m->direction[side];
	struct pair *pair = m->pair;
	struct request *request = &d->requests[d->posted % RING];
	uint32_t seed = pair->net.random, slot = d->posted % NR_SLOTS;
	struct uroce_send_wqe wqe = { .wr_id = d->posted };
	uint8_t *source = pair->side[side].memory + SOURCES + slot * SLOT_SIZE;
	uint32_t at = SOURCES + slot * SLOT_SIZE;
	struct ibv_sge sge[2];
	uint32_t cut;

	*request = (struct request){
		.opcode = opcodes[pair_random(pair, sizeof(opcodes))],
		.slot = slot,
		.length = choose_length(pair),
	};
	wqe.opcode = request->opcode;
	wqe.flags = IBV_SEND_SIGNALED;
	wqe.nr_sge = 2;
	wqe.remote.rkey = pair->side[!side].key;
	if (!pair_random(pair, 8))
		wqe.flags |= IBV_SEND_FENCE;

	switch (request->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		fill_bytes(source, request->length, seed);
		break;
	case IBV_WR_RDMA_READ:
		request->offset =
			pair_random(pair, 100000 - request->length + 1);
		wqe.remote.va = PAIR_IOVA + CONSTANT + request->offset;
		at = RESULTS + slot * SLOT_SIZE;
		break;
	case IBV_WR_ATOMIC_WRITE: {
		uint32_t which = pair_random(pair, NR_NUMBERS);

		request->length = 8;
		fill_bytes(source, 8, seed);
		memcpy(&d->numbers[which], source, 8);
		wqe.remote.va = PAIR_IOVA + NUMBERS + 8 * which;
		break;
	}
	case IBV_WR_FLUSH:
		wqe.remote.va = PAIR_IOVA + WRITTEN;
		wqe.flush_placement = IBV_FLUSH_GLOBAL;
		wqe.length = request->length;
		wqe.nr_sge = 0;
		break;
	default:
		fill_atomic(m, d, request, &wqe);
		at = RESULTS + slot * SLOT_SIZE;
	}
	wqe.imm = (__be32)seed;
	if (request->opcode == IBV_WR_RDMA_WRITE ||
	    request->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		fill_write(m, d, request, &wqe, source);
	if (request->opcode == IBV_WR_SEND ||
	    request->opcode == IBV_WR_SEND_WITH_IMM ||
	    request->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		expect_message(d, request, seed,
			       request->opcode == IBV_WR_RDMA_WRITE_WITH_IMM,
			       request->opcode != IBV_WR_SEND, wqe.imm);
	/* two SGEs, divided at any offset */
	cut = pair_random(pair, request->length + 1);
	sge[0] = pair_sge(pair, side, at, cut);
	sge[1] = pair_sge(pair, side, at + cut, request->length - cut);
	pair_post(pair, side, &wqe, sge);
	d->posted++;
	d->nr_ops++;
}

static void check_request(struct model *m, unsigned int side,
			  const struct request *request)
{
	const uint8_t *result = m->pair->side[side].memory + RESULTS +
				request->slot * SLOT_SIZE;
	const uint8_t *constant = m->pair->side[!side].memory + CONSTANT;
	uint64_t orig;

	switch (request->opcode) {
	case IBV_WR_RDMA_READ:
		assert_memory_equal(result, constant + request->offset,
				    request->length);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		memcpy(&orig, result, sizeof(orig));
		assert_int_equal(orig, request->orig);
		break;
	default:
		break;
	}
}

/* Checks completions of requests, in the order of posting. */
static bool poll_requests(struct model *m, unsigned int side)
{
	struct direction *d = &m->direction[side];
	struct uroce_cqe cqe;

	while (pair_poll(&m->pair->side[side].send_cq, &cqe)) {
		assert_int_equal(cqe.wr_id, d->completed);
		if (cqe.status != IBV_WC_SUCCESS) {
			assert_int_equal(cqe.status, IBV_WC_RETRY_EXC_ERR);
			d->completed++;
			return false;
		}
		check_request(m, side, &d->requests[d->completed % RING]);
		d->completed++;
	}
	return true;
}

/* Checks messages of side !@side, in the order of sending. */
static void poll_messages(struct model *m, unsigned int side)
{
	struct direction *from = &m->direction[!side];
	struct direction *d = &m->direction[side];
	struct uroce_cqe cqe;

	while (pair_poll(&m->pair->side[side].recv_cq, &cqe)) {
		const struct message *message =
			&from->messages[from->received % RING];
		uint32_t slot = d->recv_completed % NR_RECVS;

		assert_int_equal(cqe.wr_id, d->recv_completed);
		d->recv_completed++;
		if (cqe.status == IBV_WC_WR_FLUSH_ERR)
			continue;
		assert_int_equal(cqe.status, IBV_WC_SUCCESS);
		assert_true(from->received != from->sent);
		from->received++;
		assert_int_equal(cqe.byte_len, message->length);
		assert_int_equal(cqe.opcode, message->is_write
						     ? IBV_WC_RECV_RDMA_WITH_IMM
						     : IBV_WC_RECV);
		assert_int_equal(!!(cqe.wc_flags & IBV_WC_WITH_IMM),
				 message->with_imm);
		if (message->with_imm)
			assert_int_equal(cqe.imm, message->imm);
		if (!message->is_write)
			check_fill(m->pair->side[side].memory + RECVS +
					   slot * SLOT_SIZE,
				   message->length, message->seed);
	}
}

/* Nothing is outstanding, so the contents of both memories are known. */
static void check_rest(struct model *m)
{
	for (unsigned int side = 0; side < 2; side++) {
		struct direction *d = &m->direction[side];
		const uint8_t *memory = m->pair->side[!side].memory;

		assert_int_equal(d->completed, d->posted);
		assert_int_equal(d->received, d->sent);
		assert_memory_equal(memory + WRITTEN, d->written, 100000);
		assert_memory_equal(memory + NUMBERS, d->numbers,
				    sizeof(d->numbers));
	}
}

/* All remaining requests are flushed; some of them may have been executed. */
static void reconnect_side(struct model *m, unsigned int side)
{
	struct direction *d = &m->direction[side];
	struct uroce_cqe cqe;

	m->nr_lost++;
	while (pair_poll(&m->pair->side[side].send_cq, &cqe)) {
		assert_int_equal(cqe.wr_id, d->completed++);
		assert_int_equal(cqe.status, IBV_WC_WR_FLUSH_ERR);
	}
	assert_int_equal(d->completed, d->posted);
	assert_int_equal(uroce_qp_state(m->pair->side[side].qp), IBV_QPS_ERR);
	pair_reconnect(m->pair, &m->options);
	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *memory = m->pair->side[!i].memory;

		d = &m->direction[i];
		d->completed = d->posted;
		d->received = d->sent;
		d->recv_completed = d->next_recv;
		memcpy(d->written, memory + WRITTEN, 100000);
		memcpy(d->numbers, memory + NUMBERS, sizeof(d->numbers));
	}
}

static bool has_outstanding(const struct model *m)
{
	return m->direction[0].completed != m->direction[0].posted ||
	       m->direction[1].completed != m->direction[1].posted;
}

static void model_step(struct model *m, uint32_t nr_ops)
{
	for (unsigned int side = 0; side < 2; side++) {
		struct direction *d = &m->direction[side];

		post_recvs(m, side);
		while (d->nr_ops < nr_ops &&
		       d->posted - d->completed < NR_SLOTS &&
		       pair_random(m->pair, 3))
			post_request(m, side);
	}
	(void)pair_step(m->pair);
	for (unsigned int side = 0; side < 2; side++) {
		poll_messages(m, side);
		if (!poll_requests(m, side)) {
			reconnect_side(m, side);
			break;
		}
	}
}

static uint32_t wanted_ops(void)
{
	const char *text = getenv("UROCE_LOSSY_OPS");

	return text ? (uint32_t)strtoul(text, NULL, 10) : 3000;
}

static struct model *model_run(struct pair_options options,
			       struct pair_faults faults)
{
	struct model *m = calloc(1, sizeof(*m));
	uint32_t nr_ops = wanted_ops();

	assert_non_null(m);
	m->options = options;
	m->pair = pair_new(&options);
	m->pair->faults = faults;
	for (unsigned int side = 0; side < 2; side++)
		fill_bytes(m->pair->side[side].memory + CONSTANT, 100000,
			   side + 9);
	while (m->direction[0].nr_ops < nr_ops ||
	       m->direction[1].nr_ops < nr_ops || has_outstanding(m))
		model_step(m, nr_ops);
	check_rest(m);
	return m;
}

static uint64_t total(const struct model *m, enum uroce_counter counter)
{
	return pair_count(m->pair, 0, counter) +
	       pair_count(m->pair, 1, counter);
}

static void model_finish(struct model *m, const char *what)
{
	print_message("%s: %u lost, %llu retransmitted, %llu timeouts, "
		      "%llu implied, %llu rnr, %llu bad icrc\n",
		      what, m->nr_lost,
		      (unsigned long long)total(m, UROCE_C_RETRANSMITTED),
		      (unsigned long long)total(m, UROCE_C_TIMEOUTS),
		      (unsigned long long)total(m, UROCE_C_IMPLIED_NAKS),
		      (unsigned long long)total(m, UROCE_C_NAKS_RNR),
		      (unsigned long long)total(m, UROCE_C_BAD_ICRC));
	/* the peer has made no protocol error */
	assert_int_equal(total(m, UROCE_C_NAKS_FATAL), 0);
	for (int c = UROCE_C_BAD_KEY; c <= UROCE_C_BAD_RANGE; c++)
		assert_int_equal(total(m, (enum uroce_counter)c), 0);
	assert_int_equal(total(m, UROCE_C_BAD_OP_SEQUENCE), 0);
	assert_int_equal(total(m, UROCE_C_TOO_MANY_READS), 0);
	assert_int_equal(total(m, UROCE_C_BAD_LENGTH), 0);
	pair_free(m->pair);
	free(m);
}

static void lossy_without_faults_retransmits_nothing(void **state)
{
	struct pair_options o = pair_defaults();
	struct model *m = model_run(o, (struct pair_faults){});

	assert_int_equal(total(m, UROCE_C_TIMEOUTS), 0);
	assert_int_equal(total(m, UROCE_C_IMPLIED_NAKS), 0);
	assert_int_equal(total(m, UROCE_C_BAD_ICRC), 0);
	assert_int_equal(m->nr_lost, 0);
	assert_true(total(m, UROCE_C_NAKS_RNR) > 0);
	model_finish(m, "good wire");
}

static void lossy_channel_retransmits_nothing(void **state)
{
	struct pair_options o = pair_defaults();
	struct model *m;

	o.bound = true;
	m = model_run(o, (struct pair_faults){});
	assert_int_equal(total(m, UROCE_C_TIMEOUTS), 0);
	assert_int_equal(total(m, UROCE_C_IMPLIED_NAKS), 0);
	assert_int_equal(m->nr_lost, 0);
	model_finish(m, "channel");
}

static void lossy_every_loss_rate_keeps_data(void **state)
{
	static const unsigned int rates[] = { 1, 5, 20, 50, 100, 200, 300 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct pair_options o = pair_defaults();
		struct model *m;
		char what[32];

		o.seed = (uint32_t)i + 10;
		o.mtu = i % 2 ? IBV_MTU_256 : IBV_MTU_1024;
		o.go_back_n = i % 3 == 0;
		m = model_run(o, (struct pair_faults){ .loss = rates[i] });
		assert_true(total(m, UROCE_C_RETRANSMITTED) > 0);
		if (rates[i] <= 50)
			assert_int_equal(m->nr_lost, 0);
		snprintf(what, sizeof(what), "loss %u", rates[i]);
		model_finish(m, what);
	}
}

static void lossy_each_single_fault_keeps_data(void **state)
{
	struct pair_options o = pair_defaults();
	struct model *m;

	o.seed = 77;
	m = model_run(o, (struct pair_faults){ .duplicate = 300 });
	assert_true(total(m, UROCE_C_DUPLICATES) > 0);
	assert_int_equal(m->nr_lost, 0);
	model_finish(m, "duplicates");
	m = model_run(o, (struct pair_faults){ .reorder = 300 });
	assert_true(total(m, UROCE_C_OUT_OF_SEQUENCE) > 0);
	assert_int_equal(m->nr_lost, 0);
	model_finish(m, "reordering");
	o.ipv6 = true; /* with IPv6 the ICRC covers every bit, so every error is
			  detected */
	m = model_run(o, (struct pair_faults){ .corrupt = 100 });
	assert_true(total(m, UROCE_C_BAD_ICRC) > 0);
	model_finish(m, "damage");
}

static void lossy_all_faults_with_many_seeds_keep_data(void **state)
{
	static const uint8_t rd_atomic[] = { 1, 6, 16, UROCE_MAX_RD_ATOMIC };

	for (uint32_t seed = 1; seed <= 8; seed++) {
		struct pair_options o = pair_defaults();
		char what[32];

		o.seed = seed;
		o.ipv6 = true;
		o.mtu = (enum ibv_mtu)(IBV_MTU_256 + seed % 5);
		o.rd_atomic = rd_atomic[seed % 4];
		o.shared = seed % 2;
		o.go_back_n = seed % 3 == 0;
		snprintf(what, sizeof(what), "seed %u", seed);
		model_finish(
			model_run(o, (struct pair_faults){ .loss = 10 * seed,
							   .duplicate = 50,
							   .reorder = 100,
							   .corrupt = 20 }),
			what);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lossy_without_faults_retransmits_nothing),
		cmocka_unit_test(lossy_channel_retransmits_nothing),
		cmocka_unit_test(lossy_every_loss_rate_keeps_data),
		cmocka_unit_test(lossy_each_single_fault_keeps_data),
		cmocka_unit_test(lossy_all_faults_with_many_seeds_keep_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
