/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interop_rest DEVICE GID_INDEX PORT [ADDRESS] - operations that interop_rc
 * does not cover: UC, UD, memory windows, a receiver that is not ready, and
 * requests that the responder must refuse.
 */
#include "interop_end.h"

/* -- UC, UD -- */

static bool uc_sends_and_writes(struct end *end)
{
	static const uint32_t sizes[] = { 0, 1, 1024, 1025, 5000 };
	struct ibv_wc wc;

	for (uint32_t i = 0; i < 5; i++) {
		struct ibv_sge list = sge(end, SOURCE, sizes[i]);
		struct ibv_send_wr wr[] = {
			make_wr(end, IBV_WR_RDMA_WRITE, &list, 100000),
			make_wr(end, IBV_WR_SEND, &list, 0),
			make_wr(end, IBV_WR_SEND_WITH_IMM, &list, 0),
			make_wr(end, IBV_WR_RDMA_WRITE_WITH_IMM, &list, 0),
		};

		if (end->is_requester) {
			fill_pattern(SOURCE, i, sizes[i]);
			wr[2].imm_data = wr[3].imm_data = htobe32(i);
			if (!wait_for_other() ||
			    !post_and_wait(end, &wr[0], IBV_WC_RDMA_WRITE) ||
			    !post_and_wait(end, &wr[1], IBV_WC_SEND) ||
			    !post_and_wait(end, &wr[2], IBV_WC_SEND) ||
			    !post_and_wait(end, &wr[3], IBV_WC_RDMA_WRITE) ||
			    !wait_for_other())
				return false;
			continue;
		}
		memset(memory, 0, 200000);
		if (!receive(end, 1, 150000, 10000) ||
		    !receive(end, 2, 50000, 10000) || !receive(end, 3, 0, 0) ||
		    !wait_for_other() ||
		    !expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == sizes[i] &&
		     !(wc.wc_flags & IBV_WC_WITH_IMM));
		if (!expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.byte_len == sizes[i] && wc.imm_data == htobe32(i));
		if (!expect_completion(end, &wc, IBV_WC_RECV_RDMA_WITH_IMM))
			return false;
		NEED(wc.byte_len == sizes[i] && wc.imm_data == htobe32(i));
		if (!has_pattern(0, i, sizes[i]) ||
		    !has_pattern(50000, i, sizes[i]) ||
		    !has_pattern(100000, i, sizes[i]) ||
		    !has_pattern(150000, i, sizes[i]) || !wait_for_other())
			return false;
	}
	return true;
}

/* The header of a received datagram contains its source. */
static bool header_is_right(struct end *end)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const struct ibv_grh *grh = (void *)memory;
	union ibv_gid own;

	NEED(ibv_query_gid(ctx, 1, gid_index, &own) == 0);
	if (memcmp(&own, mapped, sizeof(mapped)) == 0) {
		NEED(memory[20] == 0x45);
		NEED(memcmp(memory + 32, end->other.gid.raw + 12, 4) == 0);
		NEED(memcmp(memory + 36, own.raw + 12, 4) == 0);
	} else {
		NEED(ntohl(grh->version_tclass_flow) >> 28 == 6);
		NEED(memcmp(&grh->sgid, &end->other.gid, sizeof(own)) == 0);
		NEED(memcmp(&grh->dgid, &own, sizeof(own)) == 0);
	}
	return true;
}

static bool ud_send(struct end *end, struct ibv_ah *ah, uint32_t qpn,
		    uint32_t qkey, uint32_t seed, uint32_t len)
{
	struct ibv_sge list = sge(end, SOURCE, len);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND_WITH_IMM, &list, 0);

	fill_pattern(SOURCE, seed, len);
	wr.imm_data = htobe32(seed);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = qkey;
	return post_and_wait(end, &wr, IBV_WC_SEND);
}

static bool ud_receive(struct end *end, uint32_t seed, uint32_t len,
		       struct ibv_wc *wc)
{
	if (!expect_completion(end, wc, IBV_WC_RECV))
		return false;
	NEED(wc->byte_len == GRH + len && wc->src_qp == end->other.qpn);
	NEED((wc->wc_flags & IBV_WC_GRH) && wc->imm_data == htobe32(seed));
	return has_pattern(GRH, seed, len) && header_is_right(end);
}

/* One datagram with a wrong Q_Key, one with the right one, and the response. */
static bool ud_datagrams(struct end *end)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = end->other.gid, .hop_limit = 64 },
	};
	struct ibv_ah *ah;
	struct ibv_wc wc;

	attr.grh.sgid_index = (uint8_t)gid_index;
	if (!receive(end, 1, 0, 2000) || !wait_for_other())
		return false;
	if (end->is_requester) {
		NEED(ah = ibv_create_ah(pd, &attr));
		if (!ud_send(end, ah, end->other.qpn, QKEY + 1, 1, 100) ||
		    !ud_send(end, ah, end->other.qpn, QKEY, 2, 1024) ||
		    !wait_for_other() || !ud_receive(end, 3, 77, &wc))
			return false;
	} else {
		/* else the response may arrive before rxe reports the send */
		if (!ud_receive(end, 2, 1024, &wc) || !wait_for_other())
			return false;
		NEED(ah = ibv_create_ah_from_wc(pd, &wc, (void *)memory, 1));
		if (!ud_send(end, ah, wc.src_qp, QKEY, 3, 77))
			return false;
	}
	NEED(ibv_destroy_ah(ah) == 0);
	return wait_for_other();
}

/* -- a receiver that is not ready -- */

static bool late_receives(struct end *end)
{
	struct ibv_sge list = sge(end, SOURCE, 3000);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND, &list, 0);
	struct ibv_wc wc;

	if (end->is_requester) {
		uint64_t limit = now_ms() + 50;

		fill_pattern(SOURCE, 4, 3000);
		if (!post_wr(end, &wr) || !post_wr(end, &wr))
			return false;
		while (now_ms() < limit)
			if (!no_completion_left(end))
				return false;
		return wait_for_other() && expect_sent(end, IBV_WC_SEND) &&
		       expect_sent(end, IBV_WC_SEND) && wait_for_other();
	}
	if (!wait_for_other() || !receive(end, 1, 0, 4000) ||
	    !receive(end, 2, 5000, 4000))
		return false;
	for (uint64_t i = 1; i <= 2; i++) {
		if (!expect_completion(end, &wc, IBV_WC_RECV))
			return false;
		NEED(wc.wr_id == i && wc.byte_len == 3000);
	}
	return has_pattern(0, 4, 3000) && has_pattern(5000, 4, 3000) &&
	       wait_for_other();
}

/*
 * Posts a work request that fails with one of two errors, and the ones after
 * it.
 */
static bool is_refused(struct end *end, struct ibv_send_wr *wr,
		       enum ibv_wc_status status, enum ibv_wc_status or)
{
	struct ibv_sge list = sge(end, SOURCE, 1);
	struct ibv_send_wr next = make_wr(end, IBV_WR_RDMA_WRITE, &list, 0);
	struct ibv_wc wc;

	if (!post_wr(end, wr) || !poll_completion(end, &wc))
		return false;
	if (wc.status != status && wc.status != or)
		FAIL("%s", ibv_wc_status_str(wc.status));
	if (!post_wr(end, &next) || !poll_completion(end, &wc))
		return false;
	NEED(wc.status == IBV_WC_WR_FLUSH_ERR);
	return true;
}

static bool no_receive(struct end *end)
{
	struct ibv_sge list = sge(end, SOURCE, 100);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND, &list, 0);

	return (!end->is_requester ||
		is_refused(end, &wr, IBV_WC_RNR_RETRY_EXC_ERR,
			   IBV_WC_RNR_RETRY_EXC_ERR)) &&
	       wait_for_other();
}

/* -- refused requests -- */

static bool too_long_a_send(struct end *end)
{
	struct ibv_sge list = sge(end, SOURCE, 3000);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_SEND, &list, 0);
	struct ibv_wc wc;

	if (end->is_requester)
		return wait_for_other() &&
		       is_refused(end, &wr, IBV_WC_REM_INV_REQ_ERR,
				  IBV_WC_REM_OP_ERR) && /* rxe */
		       wait_for_other();
	if (!receive(end, 1, 0, 1500) || !wait_for_other() ||
	    !poll_completion(end, &wc))
		return false;
	NEED(wc.status != IBV_WC_SUCCESS && wc.wr_id == 1);
	NEED(memory[1500] == 0);
	return wait_for_other();
}

static bool refused_access(struct end *end, enum ibv_wr_opcode opcode,
			   uint32_t key_bits, uint32_t remote, uint32_t len)
{
	struct ibv_sge list = sge(end, SOURCE, len);
	struct ibv_send_wr wr = make_wr(end, opcode, &list, remote);

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		wr.wr.atomic.rkey ^= key_bits;
	else
		wr.wr.rdma.rkey ^= key_bits;
	if (end->is_requester) {
		fill_pattern(SOURCE, 1, len);
		return wait_for_other() &&
		       is_refused(end, &wr, IBV_WC_REM_ACCESS_ERR,
				  IBV_WC_REM_ACCESS_ERR) &&
		       wait_for_other();
	}
	if (!wait_for_other() || !wait_for_other())
		return false;
	for (uint32_t i = 0; i < MEMORY; i++)
		NEED(memory[i] == 0);
	return true;
}

static bool write_with_a_wrong_key(struct end *end)
{
	return refused_access(end, IBV_WR_RDMA_WRITE, 0x5500, 0, 100);
}

static bool write_with_an_old_key(struct end *end)
{
	return refused_access(end, IBV_WR_RDMA_WRITE, 0x11, 0, 3000);
}

static bool read_with_a_wrong_key(struct end *end)
{
	return refused_access(end, IBV_WR_RDMA_READ, 0x5500, 0, 100);
}

static bool atomic_with_a_wrong_key(struct end *end)
{
	return refused_access(end, IBV_WR_ATOMIC_FETCH_AND_ADD, 0x5500, 0, 8);
}

static bool write_after_region(struct end *end)
{
	return refused_access(end, IBV_WR_RDMA_WRITE, 0, MEMORY - 99, 100);
}

static bool read_after_region(struct end *end)
{
	return refused_access(end, IBV_WR_RDMA_READ, 0, MEMORY - 99, 100);
}

/* -- windows -- */

/* Binds a window to the first 4 KB of this end's memory, and sends its key. */
static bool open_window(struct end *end, struct ibv_mw **ret_mw)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw.bind_info = {
			.mr = end->mr,
			.addr = (uintptr_t)memory,
			.length = 4096,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		},
	};
	uint32_t key;

	NEED(*ret_mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2));
	key = ibv_inc_rkey((*ret_mw)->rkey);
	wr.bind_mw.mw = *ret_mw;
	wr.bind_mw.rkey = key;
	return post_and_wait(end, &wr, IBV_WC_BIND_MW) &&
	       send_to_other(&key, sizeof(key));
}

/* A write through the window, a remote invalidation, then a refused write. */
static bool window(struct end *end, uint32_t len)
{
	struct ibv_sge list = sge(end, SOURCE, len);
	struct ibv_send_wr wr = make_wr(end, IBV_WR_RDMA_WRITE, &list, 0);
	struct ibv_send_wr last = make_wr(end, IBV_WR_SEND_WITH_INV, &list, 0);
	struct ibv_mw *mw = NULL;
	struct ibv_wc wc;
	uint32_t key;

	if (end->is_requester) {
		if (!receive_from_other(&key, sizeof(key)))
			return false;
		fill_pattern(SOURCE, 8, len);
		wr.wr.rdma.rkey = key;
		last.invalidate_rkey = key;
		return wait_for_other() &&
		       post_and_wait(end, &wr, IBV_WC_RDMA_WRITE) &&
		       post_and_wait(end, &last, IBV_WC_SEND) &&
		       is_refused(end, &wr, IBV_WC_REM_ACCESS_ERR,
				  IBV_WC_REM_ACCESS_ERR) &&
		       wait_for_other();
	}
	if (!open_window(end, &mw) || !receive(end, 1, 8192, 4096) ||
	    !wait_for_other() || !expect_completion(end, &wc, IBV_WC_RECV))
		return false;
	key = ibv_inc_rkey(mw->rkey);
	/*
	 * rxe reports the flag by the kernel's number, which is that of another
	 * flag; the distribution's provider passes it on unchanged.
	 */
	if (!(wc.wc_flags & (IBV_WC_WITH_INV | IBV_WC_IP_CSUM_OK)))
		FAIL("flags 0x%x", (unsigned int)wc.wc_flags);
	NEED(wc.invalidated_rkey == key || wc.invalidated_rkey == mw->rkey);
	if (!has_pattern(0, 8, len) || !has_pattern(8192, 8, len) ||
	    !wait_for_other())
		return false;
	NEED(ibv_dealloc_mw(mw) == 0);
	return true;
}

static bool window_of_one_packet(struct end *end)
{
	return window(end, 1000);
}

static bool window_of_many_packets(struct end *end)
{
	return window(end, 3000);
}

#define RC .type = IBV_QPT_RC

static const struct check checks[] = {
	{ "UC send and write", uc_sends_and_writes, { .type = IBV_QPT_UC } },
	{ "UD in both directions", ud_datagrams, { .type = IBV_QPT_UD } },
	{ "RC late receives", late_receives, { RC } },
	{ "RC no receive", no_receive, { RC, .no_rnr_retry = true } },
	{ "RC too long a send", too_long_a_send, { RC } },
	{ "RC write with a wrong key", write_with_a_wrong_key, { RC } },
	{ "RC write with an old key", write_with_an_old_key, { RC } },
	{ "RC read with a wrong key", read_with_a_wrong_key, { RC } },
	{ "RC atomic with a wrong key", atomic_with_a_wrong_key, { RC } },
	{ "RC write after the end of the region", write_after_region, { RC } },
	{ "RC read after the end of the region", read_after_region, { RC } },
	{ "RC window, one packet", window_of_one_packet, { RC } },
	{ "RC window, many packets", window_of_many_packets, { RC } },
	{},
};

int main(int argc, char **argv)
{
	return run_checks(argc, argv, checks);
}
