/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program linked with libmlx4.so.1: see vendor_mlx5.c. libmlx4 has no
 * function to recognise its devices, so this program uses their names.
 */
#include <errno.h>
#include <infiniband/mlx4dv.h>
#include <stdint.h>
#include <string.h>

#include "step_lines.h"

static void look_into_objects(struct ibv_cq *cq, struct ibv_qp *qp)
{
	struct mlx4dv_cq out_cq = {};
	struct mlx4dv_qp out_qp = {};
	struct mlx4dv_obj obj = {
		.cq = { .in = cq, .out = &out_cq },
		.qp = { .in = qp, .out = &out_qp },
	};

	errno = 0;
	if (walk_done("init_obj",
		      mlx4dv_init_obj(&obj, MLX4DV_OBJ_CQ | MLX4DV_OBJ_QP)))
		walk_say("objects", "%u %u %d %d", out_cq.cqn, out_cq.cqe_cnt,
			 out_qp.sq.wqe_cnt, out_qp.rq.wqe_cnt);
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct mlx4dv_qp_init_attr own = {
		.comp_mask = MLX4DV_QP_INIT_ATTR_MASK_INL_RECV,
		.inl_recv_sz = 32,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = mlx4dv_create_qp(pd->context, &attr, &own);
	(void)walk_made("create_qp", qp);
	return qp;
}

static void use_device(struct ibv_context *context)
{
	struct mlx4dv_context attr = {};
	uint8_t stride = 7;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_pd *pd;

	errno = 0;
	if (walk_done("query_device", mlx4dv_query_device(context, &attr)))
		walk_say("attr", "%u %u", attr.version, attr.max_inl_recv_sz);
	errno = 0;
	(void)walk_done("set_context_attr",
			mlx4dv_set_context_attr(
				context, MLX4DV_SET_CTX_ATTR_LOG_WQS_RANGE_SZ,
				&stride));
	errno = 0;
	pd = ibv_alloc_pd(context);
	(void)walk_made("alloc_pd", pd);
	errno = 0;
	cq = ibv_create_cq(context, 30, NULL, NULL, 0);
	if (!walk_made("create_cq", cq) || !pd)
		return;
	qp = create_qp(pd, cq);
	if (qp) {
		look_into_objects(cq, qp);
		(void)walk_done("destroy_qp", ibv_destroy_qp(qp));
	}
	(void)walk_done("destroy_cq", ibv_destroy_cq(cq));
	(void)walk_done("dealloc_pd", ibv_dealloc_pd(pd));
}

static void try_device(struct ibv_device *device)
{
	struct ibv_context *context;

	walk_set_device(ibv_get_device_name(device));
	errno = 0;
	context = ibv_open_device(device);
	if (walk_made("open", context)) {
		if (!strncmp(ibv_get_device_name(device), "mlx4", 4))
			use_device(context);
		(void)walk_done("close", ibv_close_device(context));
	}
	walk_set_device("-");
}

int main(void)
{
	struct mlx4dv_obj nothing = {};
	struct ibv_device **list;
	int nr = -1;

	errno = 0;
	(void)walk_done("init_nothing", mlx4dv_init_obj(&nothing, 0));
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
