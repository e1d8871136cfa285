/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Polls completion queues through the kernel, for drivers whose completion
 * queues are not mapped into the process. Called by such providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/submit.h"

/* Completions per command; limits the buffer on the stack. */
#define POLL_BATCH 32

/* struct ib_uverbs_poll_cq_resp with its completions. */
struct poll_resp {
	uint32_t count, reserved;
	struct ib_uverbs_wc wc[POLL_BATCH];
};

_Static_assert(offsetof(struct poll_resp, wc) ==
		       offsetof(struct ib_uverbs_poll_cq_resp, wc),
	       "response layout");

static struct ibv_wc cmd_poll_wc_from_kernel(const struct ib_uverbs_wc *from)
{
	return (struct ibv_wc){
		.wr_id = from->wr_id,
		.status = from->status,
		.opcode = from->opcode,
		.vendor_err = from->vendor_err,
		.byte_len = from->byte_len,
		.imm_data = from->ex.imm_data, /* or invalidated_rkey */
		.qp_num = from->qp_num,
		.src_qp = from->src_qp,
		.wc_flags = from->wc_flags,
		.pkey_index = from->pkey_index,
		.slid = from->slid,
		.sl = from->sl,
		.dlid_path_bits = from->dlid_path_bits,
	};
}

/* Returns the number of completions, at most @nr. */
static int cmd_poll_batch(struct ibv_cq *cq, uint32_t nr, struct ibv_wc *wc)
{
	const struct ib_uverbs_poll_cq in = {
		.cq_handle = cq->handle,
		.ne = nr,
	};
	struct poll_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_POLL_CQ,
		WRITE_IN(in),
		.out = &out,
		.out_len =
			offsetof(struct poll_resp, wc) + nr * sizeof(out.wc[0]),
	};
	int ret = submit_write(cq->context, &req);

	if (ret)
		return ret;
	if (out.count > nr)
		return -EPROTO;
	for (uint32_t i = 0; i < out.count; i++)
		wc[i] = cmd_poll_wc_from_kernel(&out.wc[i]);
	return (int)out.count;
}

/*
 * Completions that were polled before an error are returned first; the next
 * call then gets the error.
 */
int verbs_cmd_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	int done = 0;

	if (num_entries < 0)
		return -EINVAL;
	while (done < num_entries) {
		int left = num_entries - done;
		int nr = left < POLL_BATCH ? left : POLL_BATCH;
		int got = cmd_poll_batch(cq, (uint32_t)nr, wc + done);

		if (got < 0)
			return done ? done : got;
		done += got;
		if (got < nr)
			break;
	}
	return done;
}
