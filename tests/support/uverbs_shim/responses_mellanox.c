/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses of mlx4, mlx5 and mthca. */
#include <errno.h>
#include <linux/if_ether.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx4-abi.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mthca-abi.h>
#include <string.h>

#include "responses.h"

RESPONSE(
	mlx5_context, struct mlx5_ib_alloc_ucontext_resp,
	{
		.qp_tab_size = 1u << 18,
		.bf_reg_size = 512,
		.tot_bfregs = 16,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = 32768,
		.max_recv_wr = 32768,
		.max_srq_recv_wr = 32767,
		.num_ports = 1,
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET,
		.response_length = sizeof(resp),
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
				 MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.hca_core_clock_offset = 0x1000,
		.log_uar_size = 12,
		.num_uars_per_page = 1,
		.num_dyn_bfregs = 16,
	})
RESPONSE(mlx5_device, struct mlx5_ib_query_device_resp,
	 {
		 .response_length = sizeof(resp),
		 .tso_caps = { .max_tso = 65536, .supported_qpts = 1 << 8 },
		 .rss_caps = { .rx_hash_fields_mask = 0xff,
			       .rx_hash_function = 1 },
		 .cqe_comp_caps = { .max_num = 64, .supported_format = 3 },
		 .mlx5_ib_support_multi_pkt_send_wqes = MLX5_IB_ALLOW_MPW,
	 })
RESPONSE(mlx5_pd, struct mlx5_ib_alloc_pd_resp, { .pdn = call->object->number })
RESPONSE(mlx5_cq, struct mlx5_ib_create_cq_resp,
	 { .cqn = call->object->number })
RESPONSE(mlx5_srq, struct mlx5_ib_create_srq_resp,
	 { .srqn = call->object->number })
RESPONSE(mlx5_qp, struct mlx5_ib_create_qp_resp, { .bfreg_index = 4 })
RESPONSE(mlx5_ah, struct mlx5_ib_create_ah_resp,
	 { .response_length = sizeof(resp), .dmac = { 2, 0, 0, 0, 0, 1 } })
RESPONSE(mlx5_wq, struct mlx5_ib_create_wq_resp,
	 { .response_length = sizeof(resp) })
RESPONSE(mlx5_table, struct mlx5_ib_create_rwq_ind_tbl_resp,
	 { .response_length = sizeof(resp) })
RESPONSE(mlx5_modify_qp, struct mlx5_ib_modify_qp_resp,
	 { .response_length = sizeof(resp), .dctn = call->object->number })

static const struct shim_response mlx5_responses[] = {
	{ "GET_CONTEXT", mlx5_context },
	{ "QUERY_CONTEXT", mlx5_context },
	{ "QUERY_DEVICE_EX", mlx5_device },
	{ "ALLOC_PD", mlx5_pd },
	{ "CREATE_CQ", mlx5_cq },
	{ "CREATE_SRQ", mlx5_srq },
	{ "CREATE_XSRQ", mlx5_srq },
	{ "CREATE_QP", mlx5_qp },
	{ "CREATE_AH", mlx5_ah },
	{ "CREATE_WQ", mlx5_wq },
	{ "CREATE_RWQ_IND_TBL", mlx5_table },
	{ "MODIFY_QP", mlx5_modify_qp },
	{},
};

const struct shim_driver responses_mlx5 = {
	.name = "mlx5",
	.responses = mlx5_responses,
};

RESPONSE(mlx4_context, struct mlx4_ib_alloc_ucontext_resp,
	 {
		 .dev_caps = MLX4_USER_DEV_CAP_LARGE_CQE,
		 .qp_tab_size = 1u << 16,
		 .bf_reg_size = 512,
		 .bf_regs_per_page = 8,
		 .cqe_size = 64,
	 })
RESPONSE(mlx4_device, struct mlx4_uverbs_ex_query_device_resp,
	 {
		 .comp_mask = MLX4_IB_QUERY_DEV_RESP_MASK_CORE_CLOCK_OFFSET,
		 .response_length = sizeof(resp),
		 .hca_core_clock_offset = 0x100,
		 .max_inl_recv_sz = 64,
		 .rss_caps = { .rx_hash_fields_mask = 0xff,
			       .rx_hash_function = 1 },
	 })
RESPONSE(mlx4_pd, struct mlx4_ib_alloc_pd_resp, { .pdn = call->object->number })

/*
 * The kernel marks the entries of a new queue as owned by the hardware. The
 * shim refuses to resize a queue, because the provider would wait until the
 * hardware writes the completion of the resize.
 */
#define MLX4_CQE_BYTES 64
#define MLX4_CQE_MARK  0xcc

static int mlx4_cq(const struct shim_call *call, void *buf, size_t room)
{
	const struct mlx4_ib_create_cq_resp resp = {
		.cqn = call->object->number
	};
	struct mlx4_ib_create_cq request;

	if (call->uhw_in_len < sizeof(request))
		return -EINVAL;
	memcpy(&request, call->uhw_in, sizeof(request));
	memset((void *)(uintptr_t)request.buf_addr, MLX4_CQE_MARK,
	       ((size_t)call->object->depth + 1) * MLX4_CQE_BYTES);
	return response_copy(buf, room, &resp, sizeof(resp));
}

static int mlx4_resize_cq(const struct shim_call *call, void *buf, size_t room)
{
	(void)call;
	(void)buf;
	(void)room;
	return -ENOSYS;
}

RESPONSE(mlx4_srq, struct mlx4_ib_create_srq_resp,
	 { .srqn = call->object->number })
RESPONSE(mlx4_table, struct mlx4_ib_create_rwq_ind_tbl_resp,
	 { .response_length = sizeof(resp) })

static const struct shim_response mlx4_responses[] = {
	{ "GET_CONTEXT", mlx4_context },
	{ "QUERY_DEVICE_EX", mlx4_device },
	{ "ALLOC_PD", mlx4_pd },
	{ "CREATE_CQ", mlx4_cq },
	{ "RESIZE_CQ", mlx4_resize_cq },
	{ "CREATE_SRQ", mlx4_srq },
	{ "CREATE_XSRQ", mlx4_srq },
	{ "CREATE_RWQ_IND_TBL", mlx4_table },
	{},
};

const struct shim_driver responses_mlx4 = {
	.name = "mlx4",
	.responses = mlx4_responses,
};

RESPONSE(mthca_context, struct mthca_alloc_ucontext_resp,
	 { .qp_tab_size = 1u << 16, .uarc_size = 1u << 18 })
RESPONSE(mthca_pd, struct mthca_alloc_pd_resp, { .pdn = call->object->number })
RESPONSE(mthca_cq, struct mthca_create_cq_resp, { .cqn = call->object->number })
RESPONSE(mthca_srq, struct mthca_create_srq_resp,
	 { .srqn = call->object->number })

static const struct shim_response mthca_responses[] = {
	{ "GET_CONTEXT", mthca_context },
	{ "ALLOC_PD", mthca_pd },
	{ "CREATE_CQ", mthca_cq },
	{ "CREATE_SRQ", mthca_srq },
	{},
};

const struct shim_driver responses_mthca = {
	.name = "mthca",
	.responses = mthca_responses,
	.noise = { "RESIZE_CQ", 4, 4 },
};
