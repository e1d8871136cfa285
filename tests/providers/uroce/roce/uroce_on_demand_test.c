/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between on-demand regions over the network: how many system calls
 * copy them, and invalid pages at any place of a message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/qp/uroce_odp.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_wire.h"
#include "uroce_expect.h"

#define MTU   1024
#define BYTES (60 * MTU + 100) /* of a message */
#define SPAN  (1u << 20)       /* of a region */
/* Where a region begins: only the first packet of its first page is in it. */
#define SHIFT (4096 - MTU)

static unsigned int nr_stores, nr_loads;
static bool is_short; /* no memory is left to gather data */

void *__real_uroce_pages_take(struct uroce_pages *pages, size_t bytes);
void *__wrap_uroce_pages_take(struct uroce_pages *pages, size_t bytes);
ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags);

void *__wrap_uroce_pages_take(struct uroce_pages *pages, size_t bytes)
{
	return is_short ? NULL : __real_uroce_pages_take(pages, bytes);
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here,
				unsigned long nr_here,
				const struct iovec *there,
				unsigned long nr_there, unsigned long flags)
{
	nr_stores++;
	return __real_process_vm_readv(pid, here, nr_here, there, nr_there,
				       flags);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here,
				 unsigned long nr_here,
				 const struct iovec *there,
				 unsigned long nr_there, unsigned long flags)
{
	nr_loads++;
	return __real_process_vm_writev(pid, here, nr_here, there, nr_there,
					flags);
}

/* The regions of both sides, at PAIR_IOVA and on demand. */
struct fixture {
	struct pair *pair;
	uint8_t *memory[2];
	/* the packets of this time arrive together, also if they overtake */
	uint64_t pause_ns;
};

static void use_bad_wire(struct fixture *f, uint32_t seed)
{
	f->pair->faults = (struct pair_faults){ 30, 30, 100, 30 };
	f->pause_ns = seed % 5 * 50000;
}

static void use_memory(struct fixture *f, unsigned int side)
{
	struct pair_side *end = &f->pair->side[side];
	struct uroce_region region =
		*uroce_memory_find(&end->regions, end->key);

	uint8_t *pages = mmap(NULL, SPAN + SHIFT, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	f->memory[side] = pages + SHIFT;
	region.base = f->memory[side];
	region.kind = UROCE_REGION_ON_DEMAND;
	assert_int_equal(uroce_memory_change(&end->regions, end->key, &region),
			 0);
}

static struct fixture new_fixture_of(uint32_t nr_qps, uint32_t seed)
{
	struct pair_options o = pair_defaults();
	struct fixture f = {};

	o.nr_qps = nr_qps;
	o.seed = seed;
	f.pair = pair_new(&o);
	use_memory(&f, 0);
	use_memory(&f, 1);
	for (uint32_t i = 0; i < BYTES; i++) {
		f.memory[0][i] = (uint8_t)(i * 7 + i / MTU + seed);
		f.memory[1][TARGET + i] = (uint8_t)(i * 5 + i / MTU + seed);
	}
	nr_stores = 0;
	nr_loads = 0;
	return f;
}

static struct fixture new_fixture(uint32_t seed)
{
	return new_fixture_of(1, seed);
}

static void free_fixture(struct fixture *f)
{
	assert_int_equal(munmap(f->memory[0] - SHIFT, SPAN + SHIFT), 0);
	assert_int_equal(munmap(f->memory[1] - SHIFT, SPAN + SHIFT), 0);
	pair_free(f->pair);
}

static void skip_unless_possible(void)
{
	if (!uroce_odp_is_possible()) /* in some emulators */
		skip();
}

static void post_request(struct fixture *f, enum ibv_wr_opcode opcode)
{
	if (opcode == IBV_WR_SEND)
		post_recv(f->pair, 9, BYTES);
	post(f->pair, 1, opcode, BYTES);
}

static void run_request(struct fixture *f, enum ibv_wr_opcode opcode)
{
	post_request(f, opcode);
	while (pair_step(f->pair))
		f->pair->now += f->pause_ns;
}

static const enum ibv_wr_opcode opcodes[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE,
					      IBV_WR_RDMA_READ };

static void on_demand_runs_are_copied_at_once(void **state)
{
	skip_unless_possible();
	for (unsigned int i = 0; i < 3; i++) {
		struct fixture f = new_fixture(1);

		run_request(&f, opcodes[i]);
		expect(&f.pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
		assert_memory_equal(f.memory[0], f.memory[1] + TARGET, BYTES);
		assert_in_range(nr_stores, 1, 20);
		assert_in_range(nr_loads, 1, 30);
		free_fixture(&f);
	}
}

/* Returns the number of stores; packets of the QPs alternate. */
static unsigned int count_stores(enum ibv_wr_opcode opcode, uint32_t nr_qps)
{
	struct fixture f = new_fixture_of(nr_qps, 1);

	f.pair->side[0].engine.max_burst = 1;
	f.pair->side[1].engine.max_burst = 1;
	for (unsigned int i = 0; i < nr_qps; i++) {
		pair_use_qp(f.pair, i);
		post_request(&f, opcode);
	}
	pair_run(f.pair);
	for (unsigned int i = 0; i < nr_qps; i++)
		expect(&f.pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_memory_equal(f.memory[0], f.memory[1] + TARGET, BYTES);
	free_fixture(&f);
	return nr_stores;
}

static void on_demand_alternating_qps_gather_separately(void **state)
{
	skip_unless_possible();
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(count_stores(opcodes[i], PAIR_QPS),
				 PAIR_QPS * count_stores(opcodes[i], 1));
}

static void on_demand_packets_are_stored_without_memory(void **state)
{
	skip_unless_possible();
	is_short = true;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(count_stores(opcodes[i], 1), BYTES / MTU + 1);
	is_short = false;
}

/* The first packet arrives, and its QP is reset before the pass ends. */
static enum pair_action reset_receiver(struct pair *pair, unsigned int from,
				       const struct uroce_packet *packet)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct uroce_packet received = *packet;

	assert_int_equal(from, 0);
	received.path = &pair->side[0].path;
	received.payload = pair->side[0].memory;
	received.traits = uroce_wire_traits(received.opcode);
	pair->filter = NULL;
	uroce_engine_receive(&pair->side[1].engine, &received, pair->now);
	assert_int_equal(uroce_qp_modify(pair->side[1].qp, &attr, IBV_QP_STATE,
					 IBV_MTU_4096, NULL, pair->now),
			 0);
	uroce_engine_end_receive(&pair->side[1].engine);
	return PAIR_DROP;
}

static void on_demand_reset_drops_gathered_data(void **state)
{
	struct fixture f;

	skip_unless_possible();
	f = new_fixture(1);
	f.pair->filter = reset_receiver;
	run_request(&f, IBV_WR_RDMA_WRITE);
	assert_int_equal(nr_stores, 0);
	expect(&f.pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	free_fixture(&f);
}

static void on_demand_messages_survive_bad_wire(void **state)
{
	skip_unless_possible();
	for (uint32_t seed = 1; seed < 60; seed++) {
		struct fixture f = new_fixture(seed);

		use_bad_wire(&f, seed);
		run_request(&f, opcodes[seed % 3]);
		expect(&f.pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
		assert_memory_equal(f.memory[0], f.memory[1] + TARGET, BYTES);
		free_fixture(&f);
	}
}

/* A page of side @side is invalid, at @at of the message. */
static void assert_fails(enum ibv_wr_opcode opcode, unsigned int side,
			 uint32_t at, uint32_t seed)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct fixture f = new_fixture(seed);
	uint8_t *ptr = f.memory[side] + (side ? TARGET : 0) + at;
	enum ibv_wc_status status = IBV_WC_LOC_PROT_ERR;
	struct uroce_cqe cqe;

	if (side)
		status = opcode == IBV_WR_SEND ? IBV_WC_REM_OP_ERR
					       : IBV_WC_REM_ACCESS_ERR;
	if (seed > 1)
		use_bad_wire(&f, seed);
	assert_int_equal(mprotect(ptr - (uintptr_t)ptr % page, page, PROT_NONE),
			 0);
	run_request(&f, opcode);
	assert_true(pair_poll(&f.pair->side[0].send_cq, &cqe));
	/* a NAK that is lost is not sent again */
	if (seed == 1 || cqe.status != IBV_WC_RETRY_EXC_ERR)
		assert_int_equal(cqe.status, status);
	expect_state(f.pair, 0, IBV_QPS_ERR);
	if (side && opcode == IBV_WR_SEND)
		expect(&f.pair->side[1].recv_cq, 9, IBV_WC_LOC_PROT_ERR);
	else
		expect_none(&f.pair->side[1].recv_cq);
	free_fixture(&f);
}

static void on_demand_invalid_page_fails_message(void **state)
{
	skip_unless_possible();
	for (uint32_t at = 0; at < BYTES; at += 3 * MTU)
		for (unsigned int i = 0; i < 6; i++)
			assert_fails(opcodes[i % 3], i / 3, at, 1);
}

static void on_demand_invalid_page_fails_message_on_bad_wire(void **state)
{
	skip_unless_possible();
	for (uint32_t seed = 2; seed < 200; seed++)
		assert_fails(opcodes[seed % 3], seed / 3 % 2,
			     seed * 977 % BYTES, seed);
}

#define LATE_PACKETS 4

/* A wire on which packet @late of a response arrives behind the last one. */
struct late_wire {
	const uint8_t *payload; /* of the response */
	uint32_t late, first_psn;
	struct uroce_packet packet;
	bool passed;
};

static enum pair_action delay_packet(struct pair *pair, unsigned int from,
				     const struct uroce_packet *packet)
{
	struct late_wire *wire = pair->filter_data;
	int32_t at;

	if (!from || wire->passed)
		return PAIR_PASS;
	if (packet->opcode == (UROCE_RC | UROCE_READ_RESP_FIRST))
		wire->first_psn = packet->psn;
	at = uroce_psn_diff(packet->psn, wire->first_psn);
	if (at == (int32_t)wire->late) {
		wire->packet = *packet;
		return PAIR_DROP;
	}
	if (at != LATE_PACKETS - 1)
		return PAIR_PASS;
	wire->passed = true;
	pair_inject(pair, from, packet, wire->payload + at * MTU);
	pair_inject(pair, from, &wire->packet,
		    wire->payload + wire->late * MTU);
	return PAIR_DROP;
}

/* A packet that is not the last one of the response completes the READ. */
static void on_demand_invalid_page_at_gap_fails_read(void **state)
{
	skip_unless_possible();
	for (uint32_t late = 0; late < LATE_PACKETS - 1; late++) {
		struct fixture f = new_fixture(1);
		struct late_wire wire = { .payload = f.memory[1] + TARGET,
					  .late = late };

		f.pair->filter = delay_packet;
		f.pair->filter_data = &wire;
		assert_int_equal(mprotect(f.memory[0] - SHIFT, 4096, PROT_NONE),
				 0);
		post(f.pair, 1, IBV_WR_RDMA_READ, LATE_PACKETS * MTU);
		pair_run(f.pair);
		assert_true(wire.passed);
		expect(&f.pair->side[0].send_cq, 1, IBV_WC_LOC_PROT_ERR);
		free_fixture(&f);
	}
}

/* Each packet of the response arrives in a pass of its own. */
static void on_demand_invalid_page_of_earlier_pass_fails_read(void **state)
{
	struct fixture f;

	skip_unless_possible();
	f = new_fixture(1);
	f.pair->link[1] = (struct pair_link){
		.bits_per_s = 1000000000,
		.queue_bytes = SPAN,
	};
	assert_int_equal(mprotect(f.memory[0] - SHIFT, 4096, PROT_NONE), 0);
	run_request(&f, IBV_WR_RDMA_READ);
	expect(&f.pair->side[0].send_cq, 1, IBV_WC_LOC_PROT_ERR);
	free_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_demand_runs_are_copied_at_once),
		cmocka_unit_test(on_demand_alternating_qps_gather_separately),
		cmocka_unit_test(on_demand_packets_are_stored_without_memory),
		cmocka_unit_test(on_demand_reset_drops_gathered_data),
		cmocka_unit_test(on_demand_messages_survive_bad_wire),
		cmocka_unit_test(on_demand_invalid_page_fails_message),
		cmocka_unit_test(on_demand_invalid_page_at_gap_fails_read),
		cmocka_unit_test(
			on_demand_invalid_page_of_earlier_pass_fails_read),
		cmocka_unit_test(
			on_demand_invalid_page_fails_message_on_bad_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
