/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interop_rc DEVICE GID_INDEX PORT [ADDRESS] - every RC operation with the
 * process at the other end: one byte, one packet, many packets, 1 MB.
 */
#include "interop_end.h"

static const uint32_t sizes[] = { 0, 1, 1023, 1024, 1025, 3072, 10001 };

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define STRIDE	 16384

static bool sends_of_all_sizes(struct end *end)
{
	for (uint32_t i = 0; !end->is_requester && i < NR_SIZES; i++)
		if (!receive(end, i, i * STRIDE, STRIDE))
			return false;
	if (!wait_for_other())
		return false;
	for (uint32_t i = 0; end->is_requester && i < NR_SIZES; i++) {
		struct ibv_sge list = sge(end, SOURCE + i * STRIDE, sizes[i]);
		struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND, &list, 0);

		/* only the last one generates a completion */
		wr.send_flags = i + 1 == NR_SIZES ? IBV_SEND_SIGNALED : 0;
		fill_pattern(SOURCE + i * STRIDE, i, sizes[i]);
		if (!post_wr(end, &wr))
			return false;
	}
	if (end->is_requester)
		return expect_sent(end, IBV_WC_SEND) && wait_for_other() &&
		       no_completion_left(end);
	for (uint32_t i = 0; i < NR_SIZES; i++) {
		struct ibv_wc wc;

		if (!expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.wr_id == i && wc.byte_len == sizes[i]);
		if (!has_pattern(i * STRIDE, i, sizes[i]))
			return false;
	}
	return wait_for_other();
}

static bool send_with_immediate(struct end *end)
{
	struct ibv_sge list = sge(end, SOURCE, 100);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND_WITH_IMM, &list, 0);
	struct ibv_wc wc;

	if (!end->is_requester) {
		if (!receive(end, 1, 0, 5000) || !receive(end, 2, 5000, 5000) ||
		    !wait_for_other() ||
		    !expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == 100 && (wc.wc_flags & IBV_WC_WITH_IMM));
		NEED(wc.imm_data == htobe32(0x12345678));
		if (!has_pattern(0, 5, 100) ||
		    !expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == 2100 && wc.imm_data == htobe32(6));
		return has_pattern(5000, 6, 2100);
	}
	fill_pattern(SOURCE, 5, 100);
	wr.send_flags |= IBV_SEND_INLINE | IBV_SEND_SOLICITED;
	if (!wait_for_other() || !post_and_wait(end, &wr, IBV_WC_SEND))
		return false;
	fill_pattern(SOURCE, 6, 2100);
	list.length = 2100;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.imm_data = htobe32(6);
	return post_and_wait(end, &wr, IBV_WC_SEND);
}

static bool writes_of_all_sizes(struct end *end)
{
	if (!end->is_requester) {
		if (!wait_for_other())
			return false;
		for (uint32_t i = 0; i < NR_SIZES; i++)
			if (!has_pattern(i * STRIDE, i, sizes[i]))
				return false;
		return true;
	}
	for (uint32_t i = 0; i < NR_SIZES; i++) {
		struct ibv_sge list[2] = { sge(end, SOURCE, sizes[i] / 3) };
		struct ibv_send_wr wr =
			make_wr(end, IBV_WR_RDMA_WRITE, list, i * STRIDE);

		fill_pattern(SOURCE, i, sizes[i]);
		list[1] = sge(end, SOURCE + sizes[i] / 3,
			      sizes[i] - sizes[i] / 3);
		wr.num_sge = 2;
		if (!post_and_wait(end, &wr, IBV_WC_RDMA_WRITE))
			return false;
	}
	return wait_for_other();
}

static bool write_with_immediate(struct end *end)
{
	static const uint32_t lengths[] = { 0, 5, 1024, 3000 };

	for (uint32_t i = 0; i < 4; i++) {
		struct ibv_sge list = sge(end, SOURCE, lengths[i]);
		struct ibv_send_wr wr = make_wr(end, IBV_WR_RDMA_WRITE_WITH_IMM,
						&list, i * STRIDE);
		struct ibv_wc wc;

		if (end->is_requester) {
			fill_pattern(SOURCE, i, lengths[i]);
			wr.imm_data = htobe32(i);
			if (!wait_for_other() ||
			    !post_and_wait(end, &wr, IBV_WC_RDMA_WRITE))
				return false;
			continue;
		}
		if (!receive(end, i, MEMORY - 1, 1) || !wait_for_other() ||
		    !expect_completion(end, &wc, IBV_WC_RECV_RDMA_WITH_IMM))
			return false;
		NEED(wc.wr_id == i && wc.imm_data == htobe32(i));
		NEED((wc.wc_flags & IBV_WC_WITH_IMM) &&
		     wc.byte_len == lengths[i]);
		if (!has_pattern(i * STRIDE, i, lengths[i]))
			return false;
	}
	return true;
}

/* More READs at a time than the responder's resources. */
static bool reads_of_all_sizes(struct end *end)
{
	if (!end->is_requester) {
		for (uint32_t i = 0; i < NR_SIZES; i++)
			fill_pattern(SOURCE + i * STRIDE, i, sizes[i]);
		return wait_for_other() && wait_for_other();
	}
	if (!wait_for_other())
		return false;
	for (uint32_t i = 0; i < NR_SIZES; i++) {
		struct ibv_sge list = sge(end, i * STRIDE, sizes[i]);
		struct ibv_send_wr wr = make_wr(end, IBV_WR_RDMA_READ, &list,
						SOURCE + i * STRIDE);

		if (!post_wr(end, &wr))
			return false;
	}
	for (uint32_t i = 0; i < NR_SIZES; i++)
		if (!expect_sent(end, IBV_WC_RDMA_READ) ||
		    !has_pattern(i * STRIDE, i, sizes[i]))
			return false;
	return wait_for_other();
}

static bool atomics(struct end *end)
{
	uint64_t *word = (void *)memory, *result = (void *)(memory + SOURCE);
	struct ibv_sge list = sge(end, SOURCE, 8);
	struct ibv_send_wr wr =
		make_wr(end, IBV_WR_ATOMIC_FETCH_AND_ADD, &list, 0);

	if (!end->is_requester) {
		*word = 0xfffffffffULL;
		if (!wait_for_other() || !wait_for_other())
			return false;
		NEED(*word == 7);
		return true;
	}
	wr.wr.atomic.compare_add = 5;
	if (!wait_for_other() || !post_and_wait(end, &wr, IBV_WC_FETCH_ADD))
		return false;
	NEED(*result == 0xfffffffffULL);
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 0x1000000004ULL;
	wr.wr.atomic.swap = 7;
	if (!post_and_wait(end, &wr, IBV_WC_COMP_SWAP))
		return false;
	NEED(*result == 0x1000000004ULL);
	wr.wr.atomic.swap = 8; /* the value is 7 now, so no swap happens */
	if (!post_and_wait(end, &wr, IBV_WC_COMP_SWAP))
		return false;
	NEED(*result == 7);
	return wait_for_other();
}

/* A megabyte by each of the three operations, in order. */
static bool one_megabyte(struct end *end)
{
	const uint32_t len = 1 << 20;
	struct ibv_sge list = sge(end, SOURCE, len);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND, &list, 0);
	struct ibv_wc wc;

	if (!end->is_requester) {
		if (!receive(end, 1, 0, len) || !wait_for_other() ||
		    !expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == len);
		return has_pattern(0, 1, len) && wait_for_other() &&
		       wait_for_other() && has_pattern(0, 2, len) &&
		       wait_for_other();
	}
	fill_pattern(SOURCE, 1, len);
	if (!wait_for_other() || !post_and_wait(end, &wr, IBV_WC_SEND) ||
	    !wait_for_other())
		return false;
	fill_pattern(SOURCE, 2, len);
	wr.opcode = IBV_WR_RDMA_WRITE;
	if (!post_and_wait(end, &wr, IBV_WC_RDMA_WRITE) || !wait_for_other())
		return false;
	wr.opcode = IBV_WR_RDMA_READ;
	list = sge(end, 0, len);
	return post_and_wait(end, &wr, IBV_WC_RDMA_READ) &&
	       has_pattern(0, 2, len) && wait_for_other();
}

/*
 * rdma_rxe stops responding for ever if a fenced request, or its response, is
 * lost. INTEROP_NO_FENCE lists prefixes of device names for which the check
 * waits for the completion instead.
 */
static bool can_fence(void)
{
	const char *name = getenv("INTEROP_NO_FENCE");

	return !name || strncmp(ibv_get_device_name(ctx->device), name,
				strlen(name)) != 0;
}

/* All opcodes in one call; the fence makes the WRITE wait for the READ. */
static bool list_of_all_opcodes(struct end *end)
{
	const bool fence = can_fence();
	uint64_t *word = (void *)(memory + 4 * STRIDE);
	struct ibv_sge list[] = {
		sge(end, SOURCE, 3000),	      sge(end, STRIDE, 3000),
		sge(end, SOURCE + 3000, 100), sge(end, SOURCE + 8192, 8),
		sge(end, SOURCE, 2000),
	};
	struct ibv_send_wr wr[] = {
		make_wr(end, IBV_WR_RDMA_WRITE, &list[0], 0),
		make_wr(end, IBV_WR_RDMA_READ, &list[1], 0),
		make_wr(end, IBV_WR_RDMA_WRITE, &list[2], 0),
		make_wr(end, IBV_WR_ATOMIC_FETCH_AND_ADD, &list[3], 4 * STRIDE),
		make_wr(end, IBV_WR_SEND_WITH_IMM, &list[4], 0),
	};
	struct ibv_wc wc;

	if (!end->is_requester) {
		if (!receive(end, 1, 2 * STRIDE, STRIDE) || !wait_for_other() ||
		    !expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(*word == 3);
		NEED(memory[0] == pattern(2, 0) &&
		     memory[99] == pattern(2, 99));
		NEED(memory[100] == pattern(1, 100));
		return has_pattern(2 * STRIDE, 1, 2000);
	}
	fill_pattern(SOURCE, 1, 3000);
	fill_pattern(SOURCE + 3000, 2, 100);
	if (fence)
		wr[2].send_flags |= IBV_SEND_FENCE;
	wr[3].wr.atomic.compare_add = 3;
	for (int i = 0; i < 4; i++)
		wr[i].next = i == 1 && !fence ? NULL : &wr[i + 1];
	return wait_for_other() && post_wr(end, wr) &&
	       expect_sent(end, IBV_WC_RDMA_WRITE) &&
	       expect_sent(end, IBV_WC_RDMA_READ) &&
	       (fence || post_wr(end, &wr[2])) &&
	       expect_sent(end, IBV_WC_RDMA_WRITE) &&
	       expect_sent(end, IBV_WC_FETCH_ADD) &&
	       expect_sent(end, IBV_WC_SEND) && has_pattern(STRIDE, 1, 3000);
}

static bool both_ends_send(struct end *end)
{
	const uint32_t nr = 12;
	unsigned int received = 0, reported = 0;
	struct ibv_wc wc;

	for (uint32_t i = 0; i < nr; i++)
		if (!receive(end, i, i * STRIDE, STRIDE))
			return false;
	fill_pattern(SOURCE, 9, 10001);
	if (!wait_for_other())
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		struct ibv_sge list = sge(end, SOURCE, 10001);
		struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND, &list, 0);

		if (!post_wr(end, &wr))
			return false;
	}
	while (received < nr || reported < nr) {
		if (!poll_completion(end, &wc))
			return false;
		NEED(wc.status == IBV_WC_SUCCESS);
		if (!(wc.opcode & IBV_WC_RECV)) {
			reported++;
			continue;
		}
		NEED(wc.wr_id == received);
		if (!has_pattern(received++ * STRIDE, 9, 10001))
			return false;
	}
	return wait_for_other();
}

/* -- ibv_wr_*(), and operations of newer kernels only -- */

/*
 * FLUSH is missing: rdma_rxe 6.12 computes its ICRC over the headers twice (its
 * table of opcodes does not define where the data of a FLUSH begins), so only
 * rxe accepts its packets.
 */
#define CAP_ATOMIC_WRITE (1ULL << 40) /* of device_cap_flags_ex */

static bool atomic_write(struct end *end)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(end->qp);

	if (!end->is_requester) {
		if (!wait_for_other())
			return false;
		NEED(memcmp(memory + 16, "12345678\0", 9) == 0);
		return true;
	}
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(qpx, end->other.rkey, end->other.addr + 16,
			    "12345678");
	NEED(ibv_wr_complete(qpx) == 0);
	return expect_sent(end, IBV_WC_ATOMIC_WRITE) && wait_for_other();
}

#define RC .type = IBV_QPT_RC

static const struct check checks[] = {
	{ "RC send", sends_of_all_sizes, { RC } },
	{ "RC send, SRQ", sends_of_all_sizes, { RC, .srq = true } },
	{ "RC send with immediate", send_with_immediate, { RC } },
	{ "RC write", writes_of_all_sizes, { RC } },
	{ "RC write with immediate", write_with_immediate, { RC } },
	{ "RC read", reads_of_all_sizes, { RC } },
	{ "RC atomics", atomics, { RC } },
	{ "RC list of all opcodes", list_of_all_opcodes, { RC } },
	{ "RC both ends send", both_ends_send, { RC } },
	{ "RC megabyte", one_megabyte, { RC } },
	{ "RC atomic write",
	  atomic_write,
	  { RC, .caps = CAP_ATOMIC_WRITE,
	    .send_ops = IBV_QP_EX_WITH_ATOMIC_WRITE } },
	{},
};

int main(int argc, char **argv)
{
	return run_checks(argc, argv, checks);
}
