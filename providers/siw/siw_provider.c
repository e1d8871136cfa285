/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The soft-iWARP provider as the library sees it: the match table, opening a
 * context, and the op table.
 *
 * The op table omits everything that the kernel driver lacks, among it address
 * handles, multicast, memory windows, resizing, and every QP type except RC.
 * GID queries, event descriptors and P_Keys use the library's defaults for
 * kernel devices.
 */
#include <infiniband/ib_user_ioctl_verbs.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <provider/provider.h>

#include "siw/siw.h"
#include "soft/soft.h"

static const struct verbs_context_ops siw_context_ops = {
	.query_device = soft_query_device,
	.query_port = verbs_cmd_query_port,

	.alloc_pd = soft_alloc_pd,
	.dealloc_pd = soft_dealloc_pd,

	.reg_mr = siw_reg_mr,
	.dereg_mr = soft_dereg_mr,

	.create_cq = siw_create_cq,
	.destroy_cq = siw_destroy_cq,

	.create_srq = siw_create_srq,
	.modify_srq = siw_modify_srq,
	.query_srq = verbs_cmd_query_srq,
	.destroy_srq = siw_destroy_srq,

	.create_qp = siw_create_qp,
	.modify_qp = siw_modify_qp,
	.query_qp = verbs_cmd_query_qp,
	.destroy_qp = siw_destroy_qp,

	.poll_cq = siw_poll_cq,
	.req_notify_cq = siw_req_notify_cq,
	.post_send = siw_post_send,
	.post_recv = siw_post_recv,
	.post_srq_recv = siw_post_srq_recv,
};

static int siw_open_context(struct verbs_device *dev,
			    struct verbs_cmd_file cmd_file,
			    struct verbs_context **ret_vctx)
{
	struct siw_uresp_alloc_ctx resp = {};
	const struct verbs_udata udata = {
		.out = &resp,
		.out_len = sizeof(resp),
	};

	return soft_open_context(dev, cmd_file, sizeof(struct verbs_context),
				 &udata, &siw_context_ops, ret_vctx);
}

static const struct verbs_match siw_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = RDMA_DRIVER_SIW },
	/* Without netlink only the name is known; usually it is "siw0". */
	{ .kind = VERBS_MATCH_NAME, .prefix = "siw" },
	{ .kind = VERBS_MATCH_END },
};

/* The only symbol that the module exports. */
extern const struct verbs_device_ops verbs_provider_siw
	__attribute__((visibility("default")));

const struct verbs_device_ops verbs_provider_siw = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "siw",
	.min_abi_version = SIW_ABI_VERSION,
	.max_abi_version = SIW_ABI_VERSION,
	.match = siw_match,
	.open_context = siw_open_context,
	.close_context = verbs_context_free,
};
