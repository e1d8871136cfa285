/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posts work requests through the kernel, for drivers whose queues are not
 * mapped into the process. Called by such providers through
 * <provider/kernel.h>, calls submit.c.
 *
 * A list is sent in batches. A batch holds as many work requests as fit into
 * the buffer: the header, then all work requests, then the scatter/gather
 * entries of all work requests. The kernel reports the first work request of a
 * batch that it did not post, counting from 1.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <string.h>

#include "kernel/submit.h"

/* Room for a send work request with 251 SGEs; drivers allow about 32. */
#define POST_BUF_LEN 4096

/* struct ib_uverbs_post_send, _recv, _srq_recv without the work requests. */
struct post_header {
	uint64_t response;
	uint32_t handle, wr_count, sge_count, wqe_size;
};

#define SAME_HEADER(type, handle_field)                                       \
	_Static_assert(sizeof(struct post_header) == sizeof(struct type) &&   \
			       offsetof(struct post_header, handle) ==        \
				       offsetof(struct type, handle_field) && \
			       offsetof(struct post_header, sge_count) ==     \
				       offsetof(struct type, sge_count) &&    \
			       offsetof(struct post_header, wqe_size) ==      \
				       offsetof(struct type, wqe_size),       \
		       "header layout")
SAME_HEADER(ib_uverbs_post_send, qp_handle);
SAME_HEADER(ib_uverbs_post_recv, qp_handle);
SAME_HEADER(ib_uverbs_post_srq_recv, srq_handle);

/* Values that are passed to the kernel unchanged. */
_Static_assert(sizeof(struct ibv_sge) == sizeof(struct ib_uverbs_sge), "sge");
_Static_assert((int)IBV_WR_RDMA_WRITE == IB_UVERBS_WR_RDMA_WRITE &&
		       (int)IBV_WR_ATOMIC_FETCH_AND_ADD ==
			       IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD &&
		       (int)IBV_WR_SEND_WITH_INV ==
			       IB_UVERBS_WR_SEND_WITH_INV &&
		       (int)IBV_WR_TSO == IB_UVERBS_WR_TSO,
	       "opcodes");

/* One command with the work requests of one batch. */
struct post_batch {
	struct ibv_context *ctx;
	uint32_t command; /* IB_USER_VERBS_CMD_POST_* */
	struct post_header header;
	uint64_t buf[POST_BUF_LEN / sizeof(uint64_t)];
};

static size_t cmd_post_len(const struct post_header *header)
{
	return sizeof(*header) + (size_t)header->wr_count * header->wqe_size +
	       (size_t)header->sge_count * sizeof(struct ib_uverbs_sge);
}

/* Counts one more work request. Returns false if it does not fit. */
static bool cmd_post_reserve(struct post_header *header, int num_sge)
{
	struct post_header more = *header;

	if (num_sge < 0 || num_sge > POST_BUF_LEN)
		return false;
	more.wr_count++;
	more.sge_count += (uint32_t)num_sge;
	if (cmd_post_len(&more) > POST_BUF_LEN)
		return false;
	*header = more;
	return true;
}

/* Address of work request number @i. */
static void *cmd_post_wr(struct post_batch *batch, uint32_t i)
{
	return (char *)batch->buf + sizeof(batch->header) +
	       (size_t)i * batch->header.wqe_size;
}

/* Address of the SGEs; wr_count must be final. */
static char *cmd_post_first_sge(struct post_batch *batch)
{
	return cmd_post_wr(batch, batch->header.wr_count);
}

static char *cmd_post_copy_sges(char *to, const struct ibv_sge *sg_list,
				int num_sge)
{
	size_t len = (size_t)num_sge * sizeof(*sg_list);

	if (len)
		memcpy(to, sg_list, len);
	return to + len;
}

/* @ret_bad: counts from 1; 0 if the kernel does not report it */
static int cmd_post_submit(struct post_batch *batch, uint32_t *ret_bad)
{
	struct ib_uverbs_post_send_resp out = {};
	const struct write_cmd req = {
		.command = batch->command,
		.in = batch->buf,
		.in_len = cmd_post_len(&batch->header),
		WRITE_OUT(out),
		.out_on_error = true,
	};
	int ret;

	memcpy(batch->buf, &batch->header, sizeof(batch->header));
	ret = submit_write(batch->ctx, &req);
	*ret_bad = out.bad_wr <= batch->header.wr_count ? out.bad_wr : 0;
	return ret;
}

/* ------------------------------------------------------------------------ */
/* Send work requests                                                        */
/* ------------------------------------------------------------------------ */

static struct ib_uverbs_send_wr
cmd_post_send_wr_to_kernel(const struct ibv_send_wr *wr, bool is_ud)
{
	struct ib_uverbs_send_wr ret = {
		.wr_id = wr->wr_id,
		.num_sge = (uint32_t)wr->num_sge,
		.opcode = wr->opcode,
		.send_flags = wr->send_flags,
		.ex.imm_data = wr->imm_data, /* or invalidate_rkey */
	};

	if (is_ud) {
		ret.wr.ud.ah = wr->wr.ud.ah->handle;
		ret.wr.ud.remote_qpn = wr->wr.ud.remote_qpn;
		ret.wr.ud.remote_qkey = wr->wr.ud.remote_qkey;
		return ret;
	}
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		ret.wr.rdma.remote_addr = wr->wr.rdma.remote_addr;
		ret.wr.rdma.rkey = wr->wr.rdma.rkey;
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ret.wr.atomic.remote_addr = wr->wr.atomic.remote_addr;
		ret.wr.atomic.compare_add = wr->wr.atomic.compare_add;
		ret.wr.atomic.swap = wr->wr.atomic.swap;
		ret.wr.atomic.rkey = wr->wr.atomic.rkey;
		break;
	default:
		break;
	}
	return ret;
}

/* Fills @batch with as many work requests of the list as fit. */
static void cmd_post_fill_sends(struct post_batch *batch,
				const struct ibv_send_wr *first, bool is_ud)
{
	const struct ibv_send_wr *wr = first;
	char *sges;

	batch->header.wr_count = 0;
	batch->header.sge_count = 0;
	for (; wr; wr = wr->next)
		if ((is_ud && !wr->wr.ud.ah) ||
		    !cmd_post_reserve(&batch->header, wr->num_sge))
			break;

	sges = cmd_post_first_sge(batch);
	wr = first;
	for (uint32_t i = 0; i < batch->header.wr_count; i++, wr = wr->next) {
		const struct ib_uverbs_send_wr to =
			cmd_post_send_wr_to_kernel(wr, is_ud);

		memcpy(cmd_post_wr(batch, i), &to, sizeof(to));
		sges = cmd_post_copy_sges(sges, wr->sg_list, wr->num_sge);
	}
}

static struct ibv_send_wr *cmd_post_skip_sends(struct ibv_send_wr *wr,
					       uint32_t nr)
{
	while (wr && nr--)
		wr = wr->next;
	return wr;
}

/* An empty list is also sent: some drivers use it as a doorbell. */
int verbs_cmd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			struct ibv_send_wr **ret_bad)
{
	struct post_batch batch;

	batch.ctx = qp->context;
	batch.command = IB_USER_VERBS_CMD_POST_SEND;
	batch.header = (struct post_header){
		.handle = qp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	do {
		uint32_t bad = 0;
		int ret = -EINVAL;

		cmd_post_fill_sends(&batch, wr, qp->qp_type == IBV_QPT_UD);
		if (batch.header.wr_count || !wr)
			ret = cmd_post_submit(&batch, &bad);
		if (ret) {
			*ret_bad = cmd_post_skip_sends(wr, bad ? bad - 1 : 0);
			return ret;
		}
		wr = cmd_post_skip_sends(wr, batch.header.wr_count);
	} while (wr);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Receive work requests                                                     */
/* ------------------------------------------------------------------------ */

static void cmd_post_fill_recvs(struct post_batch *batch,
				const struct ibv_recv_wr *first)
{
	const struct ibv_recv_wr *wr = first;
	char *sges;

	batch->header.wr_count = 0;
	batch->header.sge_count = 0;
	for (; wr; wr = wr->next)
		if (!cmd_post_reserve(&batch->header, wr->num_sge))
			break;

	sges = cmd_post_first_sge(batch);
	wr = first;
	for (uint32_t i = 0; i < batch->header.wr_count; i++, wr = wr->next) {
		const struct ib_uverbs_recv_wr to = {
			.wr_id = wr->wr_id,
			.num_sge = (uint32_t)wr->num_sge,
		};

		memcpy(cmd_post_wr(batch, i), &to, sizeof(to));
		sges = cmd_post_copy_sges(sges, wr->sg_list, wr->num_sge);
	}
}

static struct ibv_recv_wr *cmd_post_skip_recvs(struct ibv_recv_wr *wr,
					       uint32_t nr)
{
	while (wr && nr--)
		wr = wr->next;
	return wr;
}

static int cmd_post_recv_list(struct ibv_context *ctx, uint32_t command,
			      uint32_t handle, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **ret_bad)
{
	struct post_batch batch;

	batch.ctx = ctx;
	batch.command = command;
	batch.header = (struct post_header){
		.handle = handle,
		.wqe_size = sizeof(struct ib_uverbs_recv_wr),
	};
	do {
		uint32_t bad = 0;
		int ret = -EINVAL;

		cmd_post_fill_recvs(&batch, wr);
		if (batch.header.wr_count || !wr)
			ret = cmd_post_submit(&batch, &bad);
		if (ret) {
			*ret_bad = cmd_post_skip_recvs(wr, bad ? bad - 1 : 0);
			return ret;
		}
		wr = cmd_post_skip_recvs(wr, batch.header.wr_count);
	} while (wr);
	return 0;
}

int verbs_cmd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **ret_bad)
{
	return cmd_post_recv_list(qp->context, IB_USER_VERBS_CMD_POST_RECV,
				  qp->handle, wr, ret_bad);
}

int verbs_cmd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **ret_bad)
{
	return cmd_post_recv_list(srq->context, IB_USER_VERBS_CMD_POST_SRQ_RECV,
				  srq->handle, wr, ret_bad);
}
