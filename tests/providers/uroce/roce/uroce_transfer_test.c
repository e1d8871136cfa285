/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every operation over a wire without losses: data, completions, and the form
 * of the packets.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_expect.h"

#define SOURCE 0

static void fill_bytes(uint8_t *bytes, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

static struct uroce_cqe expect_cqe(struct uroce_cq *cq, uint64_t wr_id,
				   enum ibv_wc_opcode opcode)
{
	struct uroce_cqe cqe;

	assert_true(pair_poll(cq, &cqe));
	assert_int_equal(cqe.wr_id, wr_id);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_int_equal(cqe.opcode, opcode);
	return cqe;
}

/* Sizes around packet boundaries. */
static const uint32_t sizes[] = {
	0,    1,    2,	  3,	255,  256,  257,   511,	  1023,	 1024,	1025,
	2047, 2048, 2049, 4095, 4096, 4097, 12288, 65536, 65537, 200001
};
#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void check_size(struct pair *pair, enum ibv_wr_opcode opcode,
		       uint32_t size)
{
	struct ibv_sge from = pair_sge(pair, 0, SOURCE, size);
	struct ibv_sge to = pair_sge(pair, 1, TARGET, 250000);
	struct uroce_send_wqe wqe = request(pair, 77, opcode);
	bool receives = opcode != IBV_WR_RDMA_WRITE;
	struct uroce_cqe cqe;

	fill_bytes(pair->side[0].memory + SOURCE, size, size);
	memset(pair->side[1].memory + TARGET, 0xee, size + 1);
	wqe.imm = (__be32)0x11223344;
	if (receives)
		pair_post_recv(pair, 1, 5, &to, 1);
	pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77,
			 opcode == IBV_WR_RDMA_WRITE ||
					 opcode == IBV_WR_RDMA_WRITE_WITH_IMM
				 ? IBV_WC_RDMA_WRITE
				 : IBV_WC_SEND);
	assert_memory_equal(pair->side[1].memory + TARGET,
			    pair->side[0].memory + SOURCE, size);
	assert_int_equal(pair->side[1].memory[TARGET + size], 0xee);
	if (receives) {
		cqe = expect_cqe(&pair->side[1].recv_cq, 5,
				 opcode == IBV_WR_RDMA_WRITE_WITH_IMM
					 ? IBV_WC_RECV_RDMA_WITH_IMM
					 : IBV_WC_RECV);
		assert_int_equal(cqe.byte_len, size);
		assert_int_equal(cqe.qpn, pair->side[1].qp->qpn);
		assert_int_equal(cqe.wc_flags,
				 opcode == IBV_WR_SEND ? 0 : IBV_WC_WITH_IMM);
		if (opcode != IBV_WR_SEND)
			assert_int_equal(cqe.imm, 0x11223344);
	}
	expect_none(&pair->side[1].recv_cq);
	expect_none(&pair->side[0].send_cq);
}

static void check_sizes(struct pair_options o)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM
	};

	for (int mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		struct pair *pair;

		o.mtu = (enum ibv_mtu)mtu;
		pair = pair_new(&o);
		for (size_t i = 0; i < NR_SIZES; i++)
			for (size_t k = 0; k < 4; k++)
				check_size(pair, opcodes[k], sizes[i]);
		/* no packet twice, none refused */
		assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 0);
		assert_int_equal(pair_count(pair, 1, UROCE_C_DUPLICATES), 0);
		assert_int_equal(pair_count(pair, 1, UROCE_C_OUT_OF_SEQUENCE),
				 0);
		assert_int_equal(pair_count(pair, 0, UROCE_C_STALE_ACKS), 0);
		pair_free(pair);
	}
}

static void transfer_rc_send_and_write_of_every_size_arrive(void **state)
{
	struct pair_options o = pair_defaults();

	check_sizes(o);
	o.bound = true;
	check_sizes(o);
	o.bound = false;
	o.ipv6 = true;
	o.shared = true;
	check_sizes(o);
}

static void transfer_uc_send_and_write_of_every_size_arrive(void **state)
{
	struct pair_options o = pair_defaults();

	o.type = IBV_QPT_UC;
	check_sizes(o);
}

static void transfer_read_of_every_size_arrives(void **state)
{
	struct pair_options o = pair_defaults();

	for (int mtu = IBV_MTU_256; mtu <= IBV_MTU_4096 + 1; mtu++) {
		struct pair *pair;

		o.bound = mtu > IBV_MTU_4096;
		o.mtu = o.bound ? IBV_MTU_256 : (enum ibv_mtu)mtu;
		o.rd_atomic = (uint8_t)(1 + mtu);
		pair = pair_new(&o);
		for (size_t i = 0; i < NR_SIZES; i++) {
			uint32_t size = sizes[i];
			struct uroce_send_wqe wqe =
				request(pair, 77, IBV_WR_RDMA_READ);
			struct ibv_sge to = pair_sge(pair, 0, SOURCE, size);
			struct uroce_cqe cqe;

			fill_bytes(pair->side[1].memory + TARGET, size,
				   size + 1);
			memset(pair->side[0].memory + SOURCE, 0xee, size + 1);
			pair_post(pair, 0, &wqe, &to);
			pair_run(pair);
			cqe = expect_cqe(&pair->side[0].send_cq, 77,
					 IBV_WC_RDMA_READ);
			assert_int_equal(cqe.byte_len, size);
			assert_memory_equal(pair->side[0].memory + SOURCE,
					    pair->side[1].memory + TARGET,
					    size);
			assert_int_equal(pair->side[0].memory[size], 0xee);
		}
		assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 0);
		assert_int_equal(pair_count(pair, 0, UROCE_C_IMPLIED_NAKS), 0);
		assert_int_equal(pair_count(pair, 1, UROCE_C_DUPLICATES), 0);
		pair_free(pair);
	}
}

static void transfer_sge_lists_on_both_sides_arrive(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_send_wqe wqe = request(pair, 77, IBV_WR_SEND);
	struct ibv_sge from[UROCE_MAX_SGE], to[UROCE_MAX_SGE];
	uint8_t expected[32 * 500], got[32 * 500];
	size_t nr = 0;

	fill_bytes(pair->side[0].memory, 100000, 3);
	for (uint32_t i = 0; i < UROCE_MAX_SGE; i++) {
		from[i] = pair_sge(pair, 0, 2000 * i, 37 * i % 500);
		to[i] = pair_sge(pair, 1, 90000 - 1500 * i, 499 - 13 * i);
		memcpy(expected + nr, pair->side[0].memory + 2000 * i,
		       from[i].length);
		nr += from[i].length;
	}
	wqe.nr_sge = UROCE_MAX_SGE;
	pair_post_recv(pair, 1, 1, to, UROCE_MAX_SGE);
	pair_post(pair, 0, &wqe, from);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_SEND);
	assert_int_equal(
		expect_cqe(&pair->side[1].recv_cq, 1, IBV_WC_RECV).byte_len,
		nr);
	nr = 0;
	for (uint32_t i = 0; i < UROCE_MAX_SGE; i++) {
		memcpy(got + nr, pair->side[1].memory + 90000 - 1500 * i,
		       to[i].length);
		nr += to[i].length;
	}
	assert_memory_equal(got, expected, 7000);
	pair_free(pair);
}

static void transfer_inline_data_arrives(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;
	struct uroce_send_wqe wqe, *slot;
	struct ibv_sge to;

	o.mtu = IBV_MTU_256; /* two packets */
	pair = pair_new(&o);
	to = pair_sge(pair, 1, TARGET, 1000);
	wqe = request(pair, 77, IBV_WR_SEND);
	wqe.flags |= IBV_SEND_INLINE;
	wqe.nr_sge = 0;
	wqe.length = 500;
	pair_post_recv(pair, 1, 1, &to, 1);
	slot = uroce_ring_vacant(&pair->side[0].qp->sq);
	fill_bytes((uint8_t *)slot->sge, 500, 9);
	pair_post(pair, 0, &wqe, NULL);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_SEND);
	assert_memory_equal(pair->side[1].memory + TARGET, slot->sge, 500);
	pair_free(pair);
}

static uint64_t *number(struct pair *pair, unsigned int side, uint32_t offset)
{
	return (uint64_t *)(void *)(pair->side[side].memory + offset);
}

static void transfer_atomic_returns_original_value(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_send_wqe wqe;
	struct ibv_sge to = pair_sge(pair, 0, SOURCE, 8);

	*number(pair, 1, TARGET) = 1000;
	wqe = request(pair, 77, IBV_WR_ATOMIC_FETCH_AND_ADD);
	wqe.remote.compare_add = UINT64_C(0x100000000);
	pair_post(pair, 0, &wqe, &to);
	pair_run(pair);
	assert_int_equal(
		expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_FETCH_ADD)
			.byte_len,
		8);
	assert_int_equal(*number(pair, 0, SOURCE), 1000);
	assert_int_equal(*number(pair, 1, TARGET), UINT64_C(0x1000003e8));

	wqe = request(pair, 77, IBV_WR_ATOMIC_CMP_AND_SWP);
	wqe.remote.compare_add = 5; /* does not match */
	wqe.remote.swap = 6;
	pair_post(pair, 0, &wqe, &to);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_COMP_SWAP);
	assert_int_equal(*number(pair, 0, SOURCE), UINT64_C(0x1000003e8));
	assert_int_equal(*number(pair, 1, TARGET), UINT64_C(0x1000003e8));

	wqe.remote.compare_add = UINT64_C(0x1000003e8);
	pair_post(pair, 0, &wqe, &to);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_COMP_SWAP);
	assert_int_equal(*number(pair, 0, SOURCE), UINT64_C(0x1000003e8));
	assert_int_equal(*number(pair, 1, TARGET), 6);
	pair_free(pair);
}

static void transfer_atomic_write_and_flush_complete(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_send_wqe wqe = request(pair, 77, IBV_WR_ATOMIC_WRITE);
	struct ibv_sge from = pair_sge(pair, 0, SOURCE, 8);

	*number(pair, 0, SOURCE) = UINT64_C(0x0123456789abcdef);
	pair_post(pair, 0, &wqe, &from);
	wqe = request(pair, 77, IBV_WR_FLUSH);
	wqe.nr_sge = 0;
	wqe.length = 4096;
	wqe.flush_placement = IBV_FLUSH_GLOBAL;
	wqe.flush_level = IBV_FLUSH_RANGE;
	pair_post(pair, 0, &wqe, NULL);
	wqe.flush_level = IBV_FLUSH_MR;
	wqe.remote.va = 0; /* ignored */
	pair_post(pair, 0, &wqe, NULL);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_ATOMIC_WRITE);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_FLUSH);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_FLUSH);
	assert_int_equal(*number(pair, 1, TARGET),
			 UINT64_C(0x0123456789abcdef));
	pair_free(pair);
}

/* A window of side 1 is bound, used by a WRITE, and invalidated by a SEND. */
static void transfer_window_is_bound_used_and_invalidated(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_region window = { .pd = PAIR_PD,
				       .kind = UROCE_REGION_WINDOW_2 };
	struct uroce_send_wqe bind = { .wr_id = 1,
				       .opcode = IBV_WR_BIND_MW,
				       .flags = IBV_SEND_SIGNALED };
	struct ibv_sge from = pair_sge(pair, 0, SOURCE, 100);
	struct ibv_sge to = pair_sge(pair, 1, 0, 100);
	struct uroce_send_wqe wqe;
	struct uroce_cqe cqe;
	uint32_t key;

	assert_int_equal(uroce_memory_add(pair->side[1].engine.core.memory,
					  &window, &key),
			 0);
	bind.bind.window_key = key;
	bind.bind.new_key = key + 1;
	bind.bind.memory_key = pair->side[1].key;
	bind.bind.access = IBV_ACCESS_REMOTE_WRITE;
	bind.bind.va = PAIR_IOVA + TARGET;
	bind.bind.bytes = 100;
	pair_post(pair, 1, &bind, NULL);
	pair_run(pair);
	(void)expect_cqe(&pair->side[1].send_cq, 1, IBV_WC_BIND_MW);

	key = (key & ~0xffu) | ((key + 1) & 0xff);
	fill_bytes(pair->side[0].memory, 100, 4);
	wqe = request(pair, 77, IBV_WR_RDMA_WRITE);
	wqe.remote.rkey = key;
	pair_post(pair, 0, &wqe, &from);
	wqe = request(pair, 77, IBV_WR_SEND_WITH_INV);
	wqe.inv_rkey = key;
	pair_post_recv(pair, 1, 9, &to, 1);
	pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_RDMA_WRITE);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_SEND);
	assert_memory_equal(pair->side[1].memory + TARGET, pair->side[0].memory,
			    100);
	cqe = expect_cqe(&pair->side[1].recv_cq, 9, IBV_WC_RECV);
	assert_int_equal(cqe.wc_flags, IBV_WC_WITH_INV);
	assert_int_equal(cqe.inv_rkey, key);
	assert_int_equal(
		uroce_memory_find(pair->side[1].engine.core.memory, key)->bytes,
		0);

	/* a local invalidate fails when nothing is bound */
	bind.opcode = IBV_WR_LOCAL_INV;
	bind.inv_rkey = key;
	pair_post(pair, 1, &bind, NULL);
	pair_run(pair);
	assert_true(pair_poll(&pair->side[1].send_cq, &cqe));
	assert_int_equal(cqe.status, IBV_WC_LOC_QP_OP_ERR);
	pair_free(pair);
}

static void transfer_unsignaled_requests_raise_no_completion(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct ibv_sge from = pair_sge(pair, 0, SOURCE, 10);

	for (int i = 0; i < 1000; i++) {
		struct uroce_send_wqe wqe =
			request(pair, 77, IBV_WR_RDMA_WRITE);

		wqe.wr_id = (uint64_t)i;
		wqe.flags = i % 10 == 9 ? IBV_SEND_SIGNALED : 0;
		pair_post(pair, 0, &wqe, &from);
		if (i % 50 == 49)
			pair_run(pair);
	}
	for (int i = 9; i < 1000; i += 10)
		(void)expect_cqe(&pair->side[0].send_cq, (uint64_t)i,
				 IBV_WC_RDMA_WRITE);
	expect_none(&pair->side[0].send_cq);
	pair_free(pair);
}

struct seen {
	unsigned int nr_acks, nr_requests;
};

static enum pair_action count_acks(struct pair *pair, unsigned int from,
				   const struct uroce_packet *packet)
{
	struct seen *seen = pair->filter_data;

	if (packet->opcode == (UROCE_RC | UROCE_ACKNOWLEDGE))
		seen->nr_acks++;
	else
		seen->nr_requests++;
	return PAIR_PASS;
}

/* Requests that arrive together are acknowledged once. */
static void transfer_acks_are_coalesced(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct ibv_sge from = pair_sge(pair, 0, SOURCE, 10);
	struct uroce_send_wqe wqe = request(pair, 77, IBV_WR_RDMA_WRITE);
	struct seen seen = {};

	pair->filter = count_acks;
	pair->filter_data = &seen;
	for (int i = 0; i < 50; i++)
		pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	assert_int_equal(seen.nr_requests, 50);
	assert_int_equal(seen.nr_acks, 1);
	for (int i = 0; i < 50; i++)
		(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_RDMA_WRITE);
	pair_free(pair);
}

static void transfer_fence_waits_for_read(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct ibv_sge here = pair_sge(pair, 0, SOURCE, 30000);
	struct ibv_sge other = pair_sge(pair, 0, 100000, 30000);
	struct uroce_send_wqe wqe = request(pair, 77, IBV_WR_RDMA_READ);

	memset(pair->side[1].memory + TARGET, 'a', 30000);
	memset(pair->side[0].memory + 100000, 'b', 30000);
	pair_post(pair, 0, &wqe, &here);
	wqe = request(pair, 77, IBV_WR_RDMA_WRITE);
	wqe.flags |= IBV_SEND_FENCE;
	pair_post(pair, 0, &wqe, &other);
	pair_run(pair);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_RDMA_READ);
	(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_RDMA_WRITE);
	for (int i = 0; i < 30000; i++) {
		assert_int_equal(pair->side[0].memory[SOURCE + i], 'a');
		assert_int_equal(pair->side[1].memory[TARGET + i], 'b');
	}
	pair_free(pair);
}

static struct uroce_send_wqe datagram_wqe(const struct pair *pair)
{
	return (struct uroce_send_wqe){
		.wr_id = 77,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
		.nr_sge = 1,
		.imm = (__be32)99,
		.ud = { .path = pair->side[0].path,
			.qpn = pair->side[1].qp->qpn,
			.qkey = 0x1ee7 },
	};
}

static void transfer_ud_receive_begins_with_grh(void **state)
{
	static const uint8_t ipv4[] = {
		0x45, 8, 0, 164, 0, 0, 0x40, 0, 64, 17
	};

	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		struct pair_options o = pair_defaults();
		struct ibv_sge from, to;
		struct uroce_send_wqe wqe;
		struct uroce_cqe cqe;
		struct pair *pair;
		const uint8_t *grh;

		o.type = IBV_QPT_UD;
		o.ipv6 = ipv6;
		pair = pair_new(&o);
		grh = pair->side[1].memory + TARGET;
		from = pair_sge(pair, 0, SOURCE, 101);
		to = pair_sge(pair, 1, TARGET, 200);
		fill_bytes(pair->side[0].memory, 101, 1);
		wqe = datagram_wqe(pair);
		pair_post_recv(pair, 1, 3, &to, 1);
		pair_post(pair, 0, &wqe, &from);
		pair_run(pair);
		(void)expect_cqe(&pair->side[0].send_cq, 77, IBV_WC_SEND);
		cqe = expect_cqe(&pair->side[1].recv_cq, 3, IBV_WC_RECV);
		assert_int_equal(cqe.byte_len, 141);
		assert_int_equal(cqe.src_qpn, pair->side[0].qp->qpn);
		assert_int_equal(cqe.wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
		assert_memory_equal(grh + 40, pair->side[0].memory, 101);
		if (ipv6) {
			assert_int_equal(cqe.sl, 9);
			assert_int_equal(grh[0], 0x60);
			assert_int_equal(grh[1], 0x8a);
			assert_int_equal(grh[5], 8 + 12 + 8 + 4 + 104 + 4);
			assert_int_equal(grh[6], 17);
			assert_int_equal(grh[7], 64);
			assert_memory_equal(grh + 8, pair->side[0].path.sgid,
					    32);
		} else {
			assert_int_equal(cqe.sl, 10);
			assert_int_equal(grh[0], 0);
			/* total length: 20 + 8 + 12 + 8 + 4 + 104 + 4 */
			assert_memory_equal(grh + 20, ipv4, 3);
			assert_int_equal(grh[23], 160);
			assert_memory_equal(grh + 24, ipv4 + 4, 6);
			assert_memory_equal(grh + 32,
					    pair->side[0].path.sgid + 12, 4);
			assert_memory_equal(grh + 36,
					    pair->side[0].path.dgid + 12, 4);
		}
		pair_free(pair);
	}
}

static void transfer_ud_multicast_reaches_all_attached_qps(void **state)
{
	struct pair_options o = pair_defaults();
	struct ibv_sge from, to;
	struct uroce_send_wqe wqe;
	struct pair *pair;
	struct pair_side *side;

	o.type = IBV_QPT_UD;
	o.ipv6 = true;
	pair = pair_new(&o);
	side = &pair->side[1];
	from = pair_sge(pair, 0, SOURCE, 10);
	to = pair_sge(pair, 1, TARGET, 100);
	pair_post_recv(pair, 1, 3, &to, 1);
	pair_post_recv(pair, 1, 4, &to, 1);
	wqe = datagram_wqe(pair);
	wqe.ud.qpn = UROCE_QPN_MULTICAST;
	/* the wire of the pair knows one address, which suffices */
	pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_GROUP), 1);
	assert_int_equal(uroce_engine_attach(&side->engine, side->qp,
					     pair->side[0].path.dgid),
			 0);
	assert_int_equal(uroce_engine_attach(&side->engine, side->qp,
					     pair->side[0].path.dgid),
			 0);
	pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	(void)expect_cqe(&side->recv_cq, 3, IBV_WC_RECV);
	expect_none(&side->recv_cq);
	assert_int_equal(uroce_engine_detach(&side->engine, side->qp,
					     pair->side[0].path.dgid),
			 0);
	assert_int_equal(uroce_engine_detach(&side->engine, side->qp,
					     pair->side[0].path.dgid),
			 -EINVAL);
	pair_free(pair);
}

static void transfer_solicited_send_wakes_armed_cq(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;
	struct ibv_sge from, to;
	struct uroce_send_wqe wqe;
	struct uroce_cq *cq;

	o.channel = true;
	pair = pair_new(&o);
	from = pair_sge(pair, 0, SOURCE, 10);
	to = pair_sge(pair, 1, TARGET, 100);
	wqe = request(pair, 77, IBV_WR_SEND);
	cq = &pair->side[1].recv_cq;
	pair_post_recv(pair, 1, 1, &to, 1);
	pair_post_recv(pair, 1, 2, &to, 1);
	uroce_cq_arm(cq, true);
	pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	assert_null(uroce_core_take_cq(&pair->side[1].engine.core));
	wqe.flags |= IBV_SEND_SOLICITED;
	pair_post(pair, 0, &wqe, &from);
	pair_run(pair);
	assert_ptr_equal(uroce_core_take_cq(&pair->side[1].engine.core), cq);
	assert_true(cq->wake);
	assert_null(uroce_core_take_cq(&pair->side[1].engine.core));
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			transfer_rc_send_and_write_of_every_size_arrive),
		cmocka_unit_test(
			transfer_uc_send_and_write_of_every_size_arrive),
		cmocka_unit_test(transfer_read_of_every_size_arrives),
		cmocka_unit_test(transfer_sge_lists_on_both_sides_arrive),
		cmocka_unit_test(transfer_inline_data_arrives),
		cmocka_unit_test(transfer_atomic_returns_original_value),
		cmocka_unit_test(transfer_atomic_write_and_flush_complete),
		cmocka_unit_test(transfer_window_is_bound_used_and_invalidated),
		cmocka_unit_test(
			transfer_unsignaled_requests_raise_no_completion),
		cmocka_unit_test(transfer_acks_are_coalesced),
		cmocka_unit_test(transfer_fence_waits_for_read),
		cmocka_unit_test(transfer_ud_receive_begins_with_grh),
		cmocka_unit_test(
			transfer_ud_multicast_reaches_all_attached_qps),
		cmocka_unit_test(transfer_solicited_send_wakes_armed_cq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
