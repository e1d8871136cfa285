/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interop_rc DEVICE GID_INDEX PORT [ADDRESS] - every operation of RC with the
 * process at the other end: one byte, one packet, many packets, 1 MB.
 */
#include "interop_end.h"

static const uint32_t sizes[] = { 0, 1, 1023, 1024, 1025, 3072, 10001 };

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define STRIDE	 16384

static bool sends_of_all_sizes(struct end *end)
{
	for (uint32_t i = 0; !end->asks && i < NR_SIZES; i++)
		if (!receive(end, i, i * STRIDE, STRIDE))
			return false;
	if (!meet())
		return false;
	for (uint32_t i = 0; end->asks && i < NR_SIZES; i++) {
		struct ibv_sge list = sge(end, SOURCE + i * STRIDE, sizes[i]);
		struct ibv_send_wr wr = request(end, IBV_WR_SEND, &list, 0);

		/* only the last one reports */
		wr.send_flags = i + 1 == NR_SIZES ? IBV_SEND_SIGNALED : 0;
		fill(SOURCE + i * STRIDE, i, sizes[i]);
		if (!post(end, &wr))
			return false;
	}
	if (end->asks)
		return sent(end, IBV_WC_SEND) && meet() && quiet(end);
	for (uint32_t i = 0; i < NR_SIZES; i++) {
		struct ibv_wc wc;

		if (!completes(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.wr_id == i && wc.byte_len == sizes[i]);
		if (!filled(i * STRIDE, i, sizes[i]))
			return false;
	}
	return meet();
}

static bool send_with_immediate(struct end *end)
{
	struct ibv_sge list = sge(end, SOURCE, 100);
	struct ibv_send_wr wr = request(end, IBV_WR_SEND_WITH_IMM, &list, 0);
	struct ibv_wc wc;

	if (!end->asks) {
		if (!receive(end, 1, 0, 5000) || !receive(end, 2, 5000, 5000) ||
		    !meet() || !completes(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == 100 && (wc.wc_flags & IBV_WC_WITH_IMM));
		NEED(wc.imm_data == htobe32(0x12345678));
		if (!filled(0, 5, 100) || !completes(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == 2100 && wc.imm_data == htobe32(6));
		return filled(5000, 6, 2100);
	}
	fill(SOURCE, 5, 100);
	wr.send_flags |= IBV_SEND_INLINE | IBV_SEND_SOLICITED;
	if (!meet() || !post_and_wait(end, &wr, IBV_WC_SEND))
		return false;
	fill(SOURCE, 6, 2100);
	list.length = 2100;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.imm_data = htobe32(6);
	return post_and_wait(end, &wr, IBV_WC_SEND);
}

static bool writes_of_all_sizes(struct end *end)
{
	if (!end->asks) {
		if (!meet())
			return false;
		for (uint32_t i = 0; i < NR_SIZES; i++)
			if (!filled(i * STRIDE, i, sizes[i]))
				return false;
		return true;
	}
	for (uint32_t i = 0; i < NR_SIZES; i++) {
		struct ibv_sge list[2] = { sge(end, SOURCE, sizes[i] / 3) };
		struct ibv_send_wr wr =
			request(end, IBV_WR_RDMA_WRITE, list, i * STRIDE);

		fill(SOURCE, i, sizes[i]);
		list[1] = sge(end, SOURCE + sizes[i] / 3,
			      sizes[i] - sizes[i] / 3);
		wr.num_sge = 2;
		if (!post_and_wait(end, &wr, IBV_WC_RDMA_WRITE))
			return false;
	}
	return meet();
}

static bool write_with_immediate(struct end *end)
{
	static const uint32_t lengths[] = { 0, 5, 1024, 3000 };

	for (uint32_t i = 0; i < 4; i++) {
		struct ibv_sge list = sge(end, SOURCE, lengths[i]);
		struct ibv_send_wr wr = request(end, IBV_WR_RDMA_WRITE_WITH_IMM,
						&list, i * STRIDE);
		struct ibv_wc wc;

		if (end->asks) {
			fill(SOURCE, i, lengths[i]);
			wr.imm_data = htobe32(i);
			if (!meet() ||
			    !post_and_wait(end, &wr, IBV_WC_RDMA_WRITE))
				return false;
			continue;
		}
		if (!receive(end, i, MEMORY - 1, 1) || !meet() ||
		    !completes(end, &wc, IBV_WC_RECV_RDMA_WITH_IMM))
			return false;
		NEED(wc.wr_id == i && wc.imm_data == htobe32(i));
		NEED((wc.wc_flags & IBV_WC_WITH_IMM) &&
		     wc.byte_len == lengths[i]);
		if (!filled(i * STRIDE, i, lengths[i]))
			return false;
	}
	return true;
}

/* More at a time than the other end answers. */
static bool reads_of_all_sizes(struct end *end)
{
	if (!end->asks) {
		for (uint32_t i = 0; i < NR_SIZES; i++)
			fill(SOURCE + i * STRIDE, i, sizes[i]);
		return meet() && meet();
	}
	if (!meet())
		return false;
	for (uint32_t i = 0; i < NR_SIZES; i++) {
		struct ibv_sge list = sge(end, i * STRIDE, sizes[i]);
		struct ibv_send_wr wr = request(end, IBV_WR_RDMA_READ, &list,
						SOURCE + i * STRIDE);

		if (!post(end, &wr))
			return false;
	}
	for (uint32_t i = 0; i < NR_SIZES; i++)
		if (!sent(end, IBV_WC_RDMA_READ) ||
		    !filled(i * STRIDE, i, sizes[i]))
			return false;
	return meet();
}

static bool atomics(struct end *end)
{
	uint64_t *word = (void *)memory, *result = (void *)(memory + SOURCE);
	struct ibv_sge list = sge(end, SOURCE, 8);
	struct ibv_send_wr wr =
		request(end, IBV_WR_ATOMIC_FETCH_AND_ADD, &list, 0);

	if (!end->asks) {
		*word = 0xfffffffffULL;
		if (!meet() || !meet())
			return false;
		NEED(*word == 7);
		return true;
	}
	wr.wr.atomic.compare_add = 5;
	if (!meet() || !post_and_wait(end, &wr, IBV_WC_FETCH_ADD))
		return false;
	NEED(*result == 0xfffffffffULL);
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 0x1000000004ULL;
	wr.wr.atomic.swap = 7;
	if (!post_and_wait(end, &wr, IBV_WC_COMP_SWAP))
		return false;
	NEED(*result == 0x1000000004ULL);
	wr.wr.atomic.swap = 8; /* it is 7 now, so nothing is swapped */
	if (!post_and_wait(end, &wr, IBV_WC_COMP_SWAP))
		return false;
	NEED(*result == 7);
	return meet();
}

/* A megabyte by each of the three, in order. */
static bool a_megabyte(struct end *end)
{
	const uint32_t len = 1 << 20;
	struct ibv_sge list = sge(end, SOURCE, len);
	struct ibv_send_wr wr = request(end, IBV_WR_SEND, &list, 0);
	struct ibv_wc wc;

	if (!end->asks) {
		if (!receive(end, 1, 0, len) || !meet() ||
		    !completes(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == len);
		return filled(0, 1, len) && meet() && meet() &&
		       filled(0, 2, len) && meet();
	}
	fill(SOURCE, 1, len);
	if (!meet() || !post_and_wait(end, &wr, IBV_WC_SEND) || !meet())
		return false;
	fill(SOURCE, 2, len);
	wr.opcode = IBV_WR_RDMA_WRITE;
	if (!post_and_wait(end, &wr, IBV_WC_RDMA_WRITE) || !meet())
		return false;
	wr.opcode = IBV_WR_RDMA_READ;
	list = sge(end, 0, len);
	return post_and_wait(end, &wr, IBV_WC_RDMA_READ) && filled(0, 2, len) &&
	       meet();
}

/*
 * rdma_rxe stays silent for ever if what it asks for behind a fence, or the
 * answer, is lost. INTEROP_NO_FENCE names devices, by how they begin, that wait
 * for the completion instead.
 */
static bool can_fence(void)
{
	const char *name = getenv("INTEROP_NO_FENCE");

	return !name || strncmp(ibv_get_device_name(ctx->device), name,
				strlen(name)) != 0;
}

/* All kinds in one call; the fence makes the write wait for the read. */
static bool a_list_of_all_kinds(struct end *end)
{
	const bool fence = can_fence();
	uint64_t *word = (void *)(memory + 4 * STRIDE);
	struct ibv_sge list[] = {
		sge(end, SOURCE, 3000),	      sge(end, STRIDE, 3000),
		sge(end, SOURCE + 3000, 100), sge(end, SOURCE + 8192, 8),
		sge(end, SOURCE, 2000),
	};
	struct ibv_send_wr wr[] = {
		request(end, IBV_WR_RDMA_WRITE, &list[0], 0),
		request(end, IBV_WR_RDMA_READ, &list[1], 0),
		request(end, IBV_WR_RDMA_WRITE, &list[2], 0),
		request(end, IBV_WR_ATOMIC_FETCH_AND_ADD, &list[3], 4 * STRIDE),
		request(end, IBV_WR_SEND_WITH_IMM, &list[4], 0),
	};
	struct ibv_wc wc;

	if (!end->asks) {
		if (!receive(end, 1, 2 * STRIDE, STRIDE) || !meet() ||
		    !completes(end, &wc, IBV_WC_RECV))
			return false;
		NEED(*word == 3);
		NEED(memory[0] == pattern(2, 0) &&
		     memory[99] == pattern(2, 99));
		NEED(memory[100] == pattern(1, 100));
		return filled(2 * STRIDE, 1, 2000);
	}
	fill(SOURCE, 1, 3000);
	fill(SOURCE + 3000, 2, 100);
	if (fence)
		wr[2].send_flags |= IBV_SEND_FENCE;
	wr[3].wr.atomic.compare_add = 3;
	for (int i = 0; i < 4; i++)
		wr[i].next = i == 1 && !fence ? NULL : &wr[i + 1];
	return meet() && post(end, wr) && sent(end, IBV_WC_RDMA_WRITE) &&
	       sent(end, IBV_WC_RDMA_READ) && (fence || post(end, &wr[2])) &&
	       sent(end, IBV_WC_RDMA_WRITE) && sent(end, IBV_WC_FETCH_ADD) &&
	       sent(end, IBV_WC_SEND) && filled(STRIDE, 1, 3000);
}

static bool both_ends_send(struct end *end)
{
	const uint32_t nr = 12;
	unsigned int received = 0, reported = 0;
	struct ibv_wc wc;

	for (uint32_t i = 0; i < nr; i++)
		if (!receive(end, i, i * STRIDE, STRIDE))
			return false;
	fill(SOURCE, 9, 10001);
	if (!meet())
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		struct ibv_sge list = sge(end, SOURCE, 10001);
		struct ibv_send_wr wr = request(end, IBV_WR_SEND, &list, 0);

		if (!post(end, &wr))
			return false;
	}
	while (received < nr || reported < nr) {
		if (!complete(end, &wc))
			return false;
		NEED(wc.status == IBV_WC_SUCCESS);
		if (!(wc.opcode & IBV_WC_RECV)) {
			reported++;
			continue;
		}
		NEED(wc.wr_id == received);
		if (!filled(received++ * STRIDE, 9, 10001))
			return false;
	}
	return meet();
}

/* -- ibv_wr_*(), and what only newer kernels have -- */

/*
 * FLUSH is not among them: rdma_rxe 6.12 computes its ICRC over the headers
 * twice (its table of opcodes does not say where the data of a FLUSH would
 * begin), so that it understands nobody but itself.
 */
#define CAP_ATOMIC_WRITE (1ULL << 40) /* of device_cap_flags_ex */

static bool atomic_write(struct end *end)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(end->qp);

	if (!end->asks) {
		if (!meet())
			return false;
		NEED(memcmp(memory + 16, "12345678\0", 9) == 0);
		return true;
	}
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_atomic_write(qpx, end->other.rkey, end->other.addr + 16,
			    "12345678");
	NEED(ibv_wr_complete(qpx) == 0);
	return sent(end, IBV_WC_ATOMIC_WRITE) && meet();
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
	{ "RC list of all kinds", a_list_of_all_kinds, { RC } },
	{ "RC both ends send", both_ends_send, { RC } },
	{ "RC megabyte", a_megabyte, { RC } },
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
