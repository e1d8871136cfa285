/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops: "not supported" in the return convention of each op, the
 * kernel's own answers for kernel-backed devices, and the merge of what a
 * provider supplies. Used by core/core_context.c.
 */
#include "core/op_table.h"

#include <errno.h>
#include <provider/kernel.h>
#include <stddef.h>
#include <string.h>

/* The table is nothing but pointers to functions: the merge walks over it. */
typedef void (*any_op)(void);

#define NR_OPS (sizeof(struct verbs_context_ops) / sizeof(any_op))

_Static_assert(sizeof(struct verbs_context_ops) % sizeof(any_op) == 0,
	       "only function pointers in the op table");

static int no_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size)
{
	return -EOPNOTSUPP;
}

static int no_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr)
{
	return -EOPNOTSUPP;
}

static int no_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			      uint32_t gid_index,
			      struct ibv_gid_entry *ret_entry)
{
	return -EOPNOTSUPP;
}

static ssize_t no_query_gid_table(struct ibv_context *ctx,
				  struct ibv_gid_entry *entries,
				  size_t max_entries)
{
	return -EOPNOTSUPP;
}

static int no_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
			 __be16 *ret_pkey)
{
	return -EOPNOTSUPP;
}

static int no_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	return -EOPNOTSUPP;
}

static int no_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	return -EOPNOTSUPP;
}

static void no_cq_event(struct ibv_cq *cq)
{
}

static void no_async_event(struct ibv_context *ctx,
			   struct ibv_async_event *event)
{
}

static int no_alloc_pd(struct ibv_context *ctx, struct ibv_pd **ret_pd)
{
	return -EOPNOTSUPP;
}

static int no_dealloc_pd(struct ibv_pd *pd)
{
	return -EOPNOTSUPP;
}

static int no_open_xrcd(struct ibv_context *ctx,
			const struct ibv_xrcd_init_attr *attr,
			struct ibv_xrcd **ret_xrcd)
{
	return -EOPNOTSUPP;
}

static int no_close_xrcd(struct ibv_xrcd *xrcd)
{
	return -EOPNOTSUPP;
}

static int no_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

static int no_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			    uint64_t iova, int fd, int access,
			    struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

static int no_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		       void *addr, size_t length, int access)
{
	return -EOPNOTSUPP;
}

static int no_dereg_mr(struct verbs_mr *vmr)
{
	return -EOPNOTSUPP;
}

static int no_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, struct ibv_sge *sg_list,
			uint32_t num_sge)
{
	return -EOPNOTSUPP;
}

static int no_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       struct ibv_mw **ret_mw)
{
	return -EOPNOTSUPP;
}

static int no_dealloc_mw(struct ibv_mw *mw)
{
	return -EOPNOTSUPP;
}

static int no_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			struct ibv_ah **ret_ah)
{
	return -EOPNOTSUPP;
}

static int no_destroy_ah(struct ibv_ah *ah)
{
	return -EOPNOTSUPP;
}

static int no_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid)
{
	return -EOPNOTSUPP;
}

static int no_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid)
{
	return -EOPNOTSUPP;
}

static int no_create_cq(struct ibv_context *ctx,
			const struct ibv_cq_init_attr_ex *attr, bool extended,
			struct verbs_cq **ret_vcq)
{
	return -EOPNOTSUPP;
}

static int no_resize_cq(struct ibv_cq *cq, int cqe)
{
	return -EOPNOTSUPP;
}

static int no_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	return -EOPNOTSUPP;
}

static int no_destroy_cq(struct ibv_cq *cq)
{
	return -EOPNOTSUPP;
}

static int no_create_srq(struct ibv_context *ctx,
			 struct ibv_srq_init_attr_ex *attr,
			 struct verbs_srq **ret_vsrq)
{
	return -EOPNOTSUPP;
}

static int no_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			 int attr_mask)
{
	return -EOPNOTSUPP;
}

static int no_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	return -EOPNOTSUPP;
}

static int no_destroy_srq(struct ibv_srq *srq)
{
	return -EOPNOTSUPP;
}

static int no_create_qp(struct ibv_context *ctx,
			struct ibv_qp_init_attr_ex *attr,
			struct verbs_qp **ret_vqp)
{
	return -EOPNOTSUPP;
}

static int no_open_qp(struct ibv_context *ctx, struct ibv_qp_open_attr *attr,
		      struct verbs_qp **ret_vqp)
{
	return -EOPNOTSUPP;
}

static int no_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask)
{
	return -EOPNOTSUPP;
}

static int no_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	return -EOPNOTSUPP;
}

static int no_destroy_qp(struct ibv_qp *qp)
{
	return -EOPNOTSUPP;
}

static int no_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return -EOPNOTSUPP;
}

static int no_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return -EOPNOTSUPP;
}

static int no_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	return -EOPNOTSUPP; /* a positive value is a count */
}

static int no_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return EOPNOTSUPP;
}

static int no_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			struct ibv_send_wr **bad_wr)
{
	*bad_wr = wr;
	return EOPNOTSUPP;
}

static int no_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	*bad_wr = wr;
	return EOPNOTSUPP;
}

static int no_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	*bad_wr = wr;
	return EOPNOTSUPP;
}

static int no_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		      struct ibv_mw_bind *bind)
{
	return EOPNOTSUPP;
}

static const struct verbs_context_ops unsupported_ops = {
	.query_device = no_query_device,
	.query_port = no_query_port,
	.query_gid_entry = no_query_gid_entry,
	.query_gid_table = no_query_gid_table,
	.query_pkey = no_query_pkey,
	.alloc_async_fd = no_alloc_async_fd,
	.create_comp_channel = no_create_comp_channel,
	.cq_event = no_cq_event,
	.async_event = no_async_event,
	.alloc_pd = no_alloc_pd,
	.dealloc_pd = no_dealloc_pd,
	.open_xrcd = no_open_xrcd,
	.close_xrcd = no_close_xrcd,
	.reg_mr = no_reg_mr,
	.reg_dmabuf_mr = no_reg_dmabuf_mr,
	.rereg_mr = no_rereg_mr,
	.dereg_mr = no_dereg_mr,
	.advise_mr = no_advise_mr,
	.alloc_mw = no_alloc_mw,
	.dealloc_mw = no_dealloc_mw,
	.create_ah = no_create_ah,
	.destroy_ah = no_destroy_ah,
	.attach_mcast = no_attach_mcast,
	.detach_mcast = no_detach_mcast,
	.create_cq = no_create_cq,
	.resize_cq = no_resize_cq,
	.modify_cq = no_modify_cq,
	.destroy_cq = no_destroy_cq,
	.create_srq = no_create_srq,
	.modify_srq = no_modify_srq,
	.query_srq = no_query_srq,
	.destroy_srq = no_destroy_srq,
	.create_qp = no_create_qp,
	.open_qp = no_open_qp,
	.modify_qp = no_modify_qp,
	.query_qp = no_query_qp,
	.destroy_qp = no_destroy_qp,
	.set_ece = no_set_ece,
	.query_ece = no_query_ece,
	.poll_cq = no_poll_cq,
	.req_notify_cq = no_req_notify_cq,
	.post_send = no_post_send,
	.post_recv = no_post_recv,
	.post_srq_recv = no_post_srq_recv,
	.bind_mw = no_bind_mw,
};

/* What the kernel answers for any of its devices, whatever the driver. */
static const struct verbs_context_ops kernel_ops = {
	.query_gid_entry = verbs_cmd_query_gid_entry,
	.query_gid_table = verbs_cmd_query_gid_table,
	.query_pkey = verbs_cmd_query_pkey,
	.alloc_async_fd = verbs_cmd_alloc_async_fd,
	.create_comp_channel = verbs_cmd_create_comp_channel,
};

void verbs_op_table_merge(struct verbs_context_ops *table,
			  const struct verbs_context_ops *ops)
{
	any_op old[NR_OPS], new[NR_OPS];

	memcpy(old, table, sizeof(old));
	memcpy(new, ops, sizeof(new));
	for (size_t i = 0; i < NR_OPS; i++) {
		if (new[i])
			old[i] = new[i];
	}
	memcpy(table, old, sizeof(old));
}

void verbs_op_table_init(struct verbs_context_ops *table, bool kernel_backed)
{
	*table = unsupported_ops;
	if (kernel_backed)
		verbs_op_table_merge(table, &kernel_ops);
}

void verbs_op_table_mirror(const struct verbs_context_ops *table,
			   struct ibv_context_ops *public_ops)
{
	public_ops->poll_cq = table->poll_cq;
	public_ops->req_notify_cq = table->req_notify_cq;
	public_ops->post_send = table->post_send;
	public_ops->post_recv = table->post_recv;
	public_ops->post_srq_recv = table->post_srq_recv;
	public_ops->bind_mw = table->bind_mw;
}
