/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops of devices, protection domains, memory and addresses. */
#include "layers/fault/fault.h"
#include "layers/fault/fault_act.h"
#include "layers/fault/fault_async.h"

/* Of a port that is down: the IBTA's PortPhysicalState. */
#define PHYS_STATE_DISABLED 3

static int fault_query_device(struct ibv_context *ctx,
			      const struct ibv_query_device_ex_input *input,
			      struct ibv_device_attr_ex *attr, size_t attr_size)
{
	int ret = fault_control(FAULT_QUERY_DEVICE, ctx, 0);

	return ret ? ret
		   : fault_below(ctx)->query_device(ctx, input, attr,
						    attr_size);
}

static int fault_query_port(struct ibv_context *ctx, uint8_t port_num,
			    struct ibv_port_attr *attr)
{
	int ret = fault_control(FAULT_QUERY_PORT, ctx, 0);

	if (ret == 0)
		ret = fault_below(ctx)->query_port(ctx, port_num, attr);
	if (ret == 0 && fault_port_is_down(ctx, port_num)) {
		attr->state = IBV_PORT_DOWN;
		attr->phys_state = PHYS_STATE_DISABLED;
	}
	return ret;
}

static int fault_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
				 uint32_t gid_index,
				 struct ibv_gid_entry *ret_entry)
{
	int ret = fault_control(FAULT_QUERY_GID, ctx, 0);

	return ret ? ret
		   : fault_below(ctx)->query_gid_entry(ctx, port_num, gid_index,
						       ret_entry);
}

static int fault_query_pkey(struct ibv_context *ctx, uint8_t port_num,
			    int index, __be16 *ret_pkey)
{
	int ret = fault_control(FAULT_QUERY_PKEY, ctx, 0);

	return ret ? ret
		   : fault_below(ctx)->query_pkey(ctx, port_num, index,
						  ret_pkey);
}

static int fault_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	int ret = fault_control(FAULT_CREATE_COMP_CHANNEL, ctx, 0);

	return ret ? ret : fault_below(ctx)->create_comp_channel(ctx, ret_fd);
}

static int fault_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	int ret = fault_control(FAULT_ALLOC_PD, ctx, 0);

	return ret ? ret : fault_below(ctx)->alloc_pd(ctx, ret_pd);
}

static int fault_dealloc_pd(struct ibv_pd *pd)
{
	int ret = fault_control(FAULT_DEALLOC_PD, pd->context, 0);

	return ret ? ret : fault_below(pd->context)->dealloc_pd(pd);
}

static int fault_open_xrcd(struct ibv_context *ctx,
			   const struct ibv_xrcd_init_attr *attr,
			   struct ibv_xrcd **ret_xrcd)
{
	int ret = fault_control(FAULT_OPEN_XRCD, ctx, 0);

	return ret ? ret : fault_below(ctx)->open_xrcd(ctx, attr, ret_xrcd);
}

static int fault_close_xrcd(struct ibv_xrcd *xrcd)
{
	int ret = fault_control(FAULT_CLOSE_XRCD, xrcd->context, 0);

	return ret ? ret : fault_below(xrcd->context)->close_xrcd(xrcd);
}

static int fault_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	int ret = fault_control(FAULT_REG_MR, pd->context, length);

	return ret ? ret
		   : fault_below(pd->context)
			       ->reg_mr(pd, addr, length, iova, access, ret_mr);
}

static int fault_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
			       size_t length, uint64_t iova, int fd, int access,
			       struct ibv_mr **ret_mr)
{
	int ret = fault_control(FAULT_REG_DMABUF_MR, pd->context, length);

	return ret ? ret
		   : fault_below(pd->context)
			       ->reg_dmabuf_mr(pd, offset, length, iova, fd,
					       access, ret_mr);
}

static int fault_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			  void *addr, size_t length, int access)
{
	int ret = fault_control(FAULT_REREG_MR, vmr->ibv_mr.context, 0);

	return ret ? ret
		   : fault_below(vmr->ibv_mr.context)
			       ->rereg_mr(vmr, flags, pd, addr, length, access);
}

static int fault_dereg_mr(struct verbs_mr *vmr)
{
	int ret = fault_control(FAULT_DEREG_MR, vmr->ibv_mr.context,
				vmr->ibv_mr.length);

	return ret ? ret : fault_below(vmr->ibv_mr.context)->dereg_mr(vmr);
}

static int fault_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			  struct ibv_mw **ret_mw)
{
	int ret = fault_control(FAULT_ALLOC_MW, pd->context, 0);

	return ret ? ret : fault_below(pd->context)->alloc_mw(pd, type, ret_mw);
}

static int fault_dealloc_mw(struct ibv_mw *mw)
{
	int ret = fault_control(FAULT_DEALLOC_MW, mw->context, 0);

	return ret ? ret : fault_below(mw->context)->dealloc_mw(mw);
}

static int fault_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			   struct ibv_ah **ret_ah)
{
	int ret = fault_control(FAULT_CREATE_AH, pd->context, 0);

	return ret ? ret
		   : fault_below(pd->context)->create_ah(pd, attr, ret_ah);
}

static int fault_destroy_ah(struct ibv_ah *ah)
{
	int ret = fault_control(FAULT_DESTROY_AH, ah->context, 0);

	return ret ? ret : fault_below(ah->context)->destroy_ah(ah);
}

static int fault_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			      uint16_t lid)
{
	int ret = fault_control(FAULT_ATTACH_MCAST, qp, 0);

	return ret ? ret : fault_below(qp->context)->attach_mcast(qp, gid, lid);
}

static int fault_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			      uint16_t lid)
{
	int ret = fault_control(FAULT_DETACH_MCAST, qp, 0);

	return ret ? ret : fault_below(qp->context)->detach_mcast(qp, gid, lid);
}

void fault_replace_object_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, fault, query_device);
	LAYERS_REPLACE(table, fault, query_port);
	LAYERS_REPLACE(table, fault, query_gid_entry);
	LAYERS_REPLACE(table, fault, query_pkey);
	LAYERS_REPLACE(table, fault, create_comp_channel);
	LAYERS_REPLACE(table, fault, alloc_pd);
	LAYERS_REPLACE(table, fault, dealloc_pd);
	LAYERS_REPLACE(table, fault, open_xrcd);
	LAYERS_REPLACE(table, fault, close_xrcd);
	LAYERS_REPLACE(table, fault, reg_mr);
	LAYERS_REPLACE(table, fault, reg_dmabuf_mr);
	LAYERS_REPLACE(table, fault, rereg_mr);
	LAYERS_REPLACE(table, fault, dereg_mr);
	LAYERS_REPLACE(table, fault, alloc_mw);
	LAYERS_REPLACE(table, fault, dealloc_mw);
	LAYERS_REPLACE(table, fault, create_ah);
	LAYERS_REPLACE(table, fault, destroy_ah);
	LAYERS_REPLACE(table, fault, attach_mcast);
	LAYERS_REPLACE(table, fault, detach_mcast);
}
