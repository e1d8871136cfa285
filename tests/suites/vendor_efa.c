/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program linked with libefa.so.1: see vendor_mlx5.c. libefa refuses devices
 * of other drivers.
 */
#include <errno.h>
#include <infiniband/efadv.h>
#include <stdint.h>

#include "step_lines.h"

static struct ibv_qp *create_srd(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_DRIVER,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = efadv_create_driver_qp(pd, &attr, EFADV_QP_DRIVER_TYPE_SRD);
	(void)walk_made("create_driver_qp", qp);
	return qp;
}

static struct ibv_qp *create_srd_ex(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct efadv_qp_init_attr own = {
		.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = efadv_create_qp_ex(pd->context, &attr, &own, sizeof(own));
	if (walk_made("create_qp_ex", qp))
		walk_say("qp_ex", "%d", ibv_qp_to_qp_ex(qp) != NULL);
	return qp;
}

static void query_ah(struct ibv_pd *pd)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct efadv_ah_attr own = {};
	struct ibv_ah *ah;

	attr.grh.dgid.raw[0] = 0xfe;
	attr.grh.dgid.raw[1] = 0x80;
	errno = 0;
	ah = ibv_create_ah(pd, &attr);
	if (!walk_made("create_ah", ah))
		return;
	errno = 0;
	if (walk_done("query_ah", efadv_query_ah(ah, &own, sizeof(own))))
		walk_say("ahn", "%u", own.ahn);
	(void)walk_done("destroy_ah", ibv_destroy_ah(ah));
}

static void use_device(struct ibv_context *context)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 30 };
	struct efadv_cq_init_attr own = {};
	struct ibv_qp *qps[2] = {};
	struct ibv_cq_ex *cq_ex;
	struct ibv_pd *pd;
	struct ibv_cq *cq;

	errno = 0;
	pd = ibv_alloc_pd(context);
	(void)walk_made("alloc_pd", pd);
	errno = 0;
	cq_ex = efadv_create_cq(context, &attr, &own, sizeof(own));
	if (!walk_made("create_cq", cq_ex) || !pd)
		return;
	cq = ibv_cq_ex_to_cq(cq_ex);
	walk_say("cq", "%d", efadv_cq_from_ibv_cq_ex(cq_ex) != NULL);
	qps[0] = create_srd(pd, cq);
	qps[1] = create_srd_ex(pd, cq);
	query_ah(pd);
	for (int i = 0; i < 2; i++)
		if (qps[i])
			(void)walk_done("destroy_qp", ibv_destroy_qp(qps[i]));
	(void)walk_done("destroy_cq", ibv_destroy_cq(cq));
	(void)walk_done("dealloc_pd", ibv_dealloc_pd(pd));
}

static void try_device(struct ibv_device *device)
{
	struct efadv_device_attr attr = {};
	struct ibv_context *context;

	walk_set_device(ibv_get_device_name(device));
	errno = 0;
	context = ibv_open_device(device);
	if (walk_made("open", context)) {
		errno = 0;
		if (walk_done(
			    "query_device",
			    efadv_query_device(context, &attr, sizeof(attr)))) {
			walk_say("attr", "%u %u %u %u %#x %u", attr.max_sq_wr,
				 attr.max_rq_wr, attr.max_sq_sge,
				 attr.inline_buf_size, attr.device_caps,
				 attr.max_rdma_size);
			use_device(context);
		}
		(void)walk_done("close", ibv_close_device(context));
	}
	walk_set_device("-");
}

int main(void)
{
	struct ibv_device **list;
	int nr = -1;

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
