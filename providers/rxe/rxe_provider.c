/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The soft-RoCE provider as the library sees it: the match table, opening a
 * context, and the op table.
 *
 * The op table omits everything that the kernel driver lacks, among it XRC, raw
 * packets, work queues, flow steering, CQ moderation, parent domains, device
 * memory and timestamps. GID queries, event descriptors and P_Keys use the
 * library's defaults for kernel devices.
 */
#include <infiniband/ib_user_ioctl_verbs.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>

#include "rxe/rxe.h"
#include "soft/soft.h"

/*
 * Version 1 of the driver ABI has another layout where 64-bit fields are not
 * aligned to 8 bytes, that is on 32-bit x86.
 */
#define RXE_MIN_ABI_VERSION (__alignof__(uint64_t) == 8 ? 1 : 2)
#define RXE_MAX_ABI_VERSION 2

static const struct verbs_context_ops rxe_context_ops = {
	.query_device = soft_query_device,
	.query_port = verbs_cmd_query_port,

	.alloc_pd = soft_alloc_pd,
	.dealloc_pd = soft_dealloc_pd,

	.reg_mr = rxe_reg_mr,
	.reg_dmabuf_mr = rxe_reg_dmabuf_mr,
	.rereg_mr = rxe_rereg_mr,
	.dereg_mr = soft_dereg_mr,
	.advise_mr = rxe_advise_mr,
	.alloc_mw = rxe_alloc_mw,
	.dealloc_mw = rxe_dealloc_mw,

	.create_ah = rxe_create_ah,
	.destroy_ah = rxe_destroy_ah,
	.attach_mcast = verbs_cmd_attach_mcast,
	.detach_mcast = verbs_cmd_detach_mcast,

	.create_cq = rxe_create_cq,
	.resize_cq = rxe_resize_cq,
	.destroy_cq = rxe_destroy_cq,

	.create_srq = rxe_create_srq,
	.modify_srq = rxe_modify_srq,
	.query_srq = verbs_cmd_query_srq,
	.destroy_srq = rxe_destroy_srq,

	.create_qp = rxe_create_qp,
	.modify_qp = rxe_modify_qp,
	.query_qp = verbs_cmd_query_qp,
	.destroy_qp = rxe_destroy_qp,

	.poll_cq = rxe_poll_cq,
	.req_notify_cq = rxe_req_notify_cq,
	.post_send = rxe_post_send,
	.post_recv = rxe_post_recv,
	.post_srq_recv = rxe_post_srq_recv,
	.bind_mw = rxe_bind_mw,
};

static int rxe_open_context(struct verbs_device *dev,
			    struct verbs_cmd_file cmd_file,
			    struct verbs_context **ret_vctx)
{
	return soft_open_context(dev, cmd_file, sizeof(struct rxe_context),
				 NULL, &rxe_context_ops, ret_vctx);
}

static const struct verbs_match rxe_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = RDMA_DRIVER_RXE },
	/* Without netlink only the name is known; usually it is "rxe0". */
	{ .kind = VERBS_MATCH_NAME, .prefix = "rxe" },
	{ .kind = VERBS_MATCH_END },
};

/* The only symbol that the module exports. */
extern const struct verbs_device_ops verbs_provider_rxe
	__attribute__((visibility("default")));

const struct verbs_device_ops verbs_provider_rxe = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "rxe",
	.min_abi_version = RXE_MIN_ABI_VERSION,
	.max_abi_version = RXE_MAX_ABI_VERSION,
	.match = rxe_match,
	.open_context = rxe_open_context,
	.close_context = verbs_context_free,
};
