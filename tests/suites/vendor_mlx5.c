/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program linked with libmlx5.so.1: the results of libmlx5 without a device,
 * for a device of another driver, and for its own device.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "step_lines.h"

static void without_device(void)
{
	struct mlx5dv_vfio_context_attr vfio = {
		.pci_name = "0000:ff:1f.7",
	};
	struct ibv_device **list;

	errno = 0;
	list = mlx5dv_get_vfio_device_list(&vfio);
	if (walk_made("get_vfio_device_list", list))
		ibv_free_device_list(list);
}

static void query_device(struct ibv_context *context)
{
	struct mlx5dv_context attr = {
		.comp_mask = MLX5DV_CONTEXT_MASK_SWP |
			     MLX5DV_CONTEXT_MASK_STRIDING_RQ |
			     MLX5DV_CONTEXT_MASK_DYN_BFREGS,
	};
	struct ibv_values_ex values = {
		.comp_mask = IBV_VALUES_MASK_RAW_CLOCK,
	};

	errno = 0;
	if (walk_done("query_device", mlx5dv_query_device(context, &attr)))
		walk_say("attr", "%u %#llx %#llx %u", attr.version,
			 (unsigned long long)attr.flags,
			 (unsigned long long)attr.comp_mask,
			 attr.max_dynamic_bfregs);
	errno = 0;
	(void)walk_done("query_rt_values",
			ibv_query_rt_values_ex(context, &values));
}

/* libmlx5 reads these objects, so their layouts must match. */
static void look_into_objects(struct ibv_pd *pd, struct ibv_cq *cq,
			      struct ibv_qp *qp)
{
	struct mlx5dv_pd out_pd = {};
	struct mlx5dv_cq out_cq = {};
	struct mlx5dv_qp out_qp = {};
	struct mlx5dv_obj obj = {
		.pd = { .in = pd, .out = &out_pd },
		.cq = { .in = cq, .out = &out_cq },
		.qp = { .in = qp, .out = &out_qp },
	};

	errno = 0;
	if (walk_done("init_obj",
		      mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD | MLX5DV_OBJ_CQ |
						    MLX5DV_OBJ_QP)))
		walk_say("objects", "%u %u %u %u %u %u", out_pd.pdn, out_cq.cqn,
			 out_cq.cqe_cnt, out_cq.cqe_size, out_qp.sq.wqe_cnt,
			 out_qp.rq.wqe_cnt);
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct mlx5dv_qp_init_attr own = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = mlx5dv_create_qp(pd->context, &attr, &own);
	if (walk_made("create_qp", qp)) {
		struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);

		walk_say("qp_ex", "%d %d", ex != NULL,
			 ex && mlx5dv_qp_ex_from_ibv_qp_ex(ex) != NULL);
	}
	return qp;
}

static void use_device(struct ibv_context *context)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 30 };
	struct mlx5dv_cq_init_attr own = {
		.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
		.cqe_size = 128,
	};
	struct ibv_cq_ex *cq_ex;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_pd *pd;

	errno = 0;
	pd = ibv_alloc_pd(context);
	(void)walk_made("alloc_pd", pd);
	errno = 0;
	cq_ex = mlx5dv_create_cq(context, &cq_attr, &own);
	if (!walk_made("create_cq", cq_ex) || !pd)
		return;
	cq = ibv_cq_ex_to_cq(cq_ex);
	qp = create_qp(pd, cq);
	if (qp) {
		look_into_objects(pd, cq, qp);
		(void)walk_done("destroy_qp", ibv_destroy_qp(qp));
	}
	(void)walk_done("destroy_cq", ibv_destroy_cq(cq));
	(void)walk_done("dealloc_pd", ibv_dealloc_pd(pd));
}

static void try_device(struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = 0 };
	struct ibv_context *context;

	walk_set_device(ibv_get_device_name(device));
	walk_say("is_supported", "%d", mlx5dv_is_supported(device));
	errno = 0;
	context = mlx5dv_open_device(device, &attr);
	if (!walk_made("mlx5dv_open_device", context)) {
		errno = 0;
		context = ibv_open_device(device);
		(void)walk_made("ibv_open_device", context);
	}
	if (context) {
		query_device(context);
		if (mlx5dv_is_supported(device))
			use_device(context);
		(void)walk_done("close", ibv_close_device(context));
	}
	walk_set_device("-");
}

int main(void)
{
	struct ibv_device **list;
	int nr = -1;

	without_device();
	errno = 0;
	list = ibv_get_device_list(&nr);
	if (!walk_made("list", list))
		return 0;
	walk_say("devices", "%d", nr);
	for (int i = 0; i < nr; i++)
		try_device(list[i]);
	ibv_free_device_list(list);
	return 0;
}
