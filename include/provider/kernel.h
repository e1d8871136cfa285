/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel commands, for kernel-backed providers only: each function is one
 * verbs call carried to the uverbs device of a context and back. How it gets
 * there (native ioctl, write command inside an ioctl, write(2)) is decided in
 * libibverbs/kernel/ from what the running kernel can do.
 *
 * All functions return 0 or -errno, never touch errno for the caller's use,
 * and leave outputs alone when they fail. Driver data travels as a struct
 * verbs_udata; NULL means that the driver wants none.
 *
 * Destroy functions follow RDMAV_ALLOW_DISASSOC_DESTROY: when it is on and the
 * device is gone (EIO) they succeed, and report no event to wait for.
 *
 * Context: any thread; they block as long as the kernel does.
 */
#ifndef PROVIDER_KERNEL_H
#define PROVIDER_KERNEL_H

#include <infiniband/verbs.h>
#include <provider/objects.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Driver specific input and output of one command, as laid out in the driver's
 * header under <rdma/>. The kernel may write to out even when a command fails;
 * what it does not fill stays as it was, so hand in zeroes.
 */
struct verbs_udata {
	const void *in;
	size_t in_len; /* bytes; a multiple of 4 */
	void *out;
	size_t out_len; /* bytes; a multiple of 4 */
};

/* -- context, device, port -- */

/* Fills num_comp_vectors; the descriptor's context can be used from then on. */
int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata);
int verbs_cmd_alloc_async_fd(struct ibv_context *ctx, int *ret_fd);
int verbs_cmd_create_comp_channel(struct ibv_context *ctx, int *ret_fd);

/*
 * @attr: zeroed; every field that fits @attr_size and that the kernel answers
 *	is filled, except fw_ver
 * @ret_fw_ver: the driver's firmware version number, to be formatted by the
 *	provider
 */
int verbs_cmd_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   uint64_t *ret_fw_ver,
			   const struct verbs_udata *udata);
int verbs_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr);

/* -- addresses; -ENODATA: the slot is empty -- */

int verbs_cmd_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			      uint32_t gid_index,
			      struct ibv_gid_entry *ret_entry);
/*
 * Returns the number of entries; -EINVAL if @max_entries are too few. @entries
 * is undefined after a failure.
 */
ssize_t verbs_cmd_query_gid_table(struct ibv_context *ctx,
				  struct ibv_gid_entry *entries,
				  size_t max_entries);
int verbs_cmd_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
			 __be16 *ret_pkey);

/* -- protection domains, XRC domains -- */

/* Fills context and handle. */
int verbs_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
		       const struct verbs_udata *udata);
int verbs_cmd_dealloc_pd(struct ibv_pd *pd);
int verbs_cmd_open_xrcd(struct ibv_context *ctx, struct verbs_xrcd *xrcd,
			const struct ibv_xrcd_init_attr *attr,
			const struct verbs_udata *udata);
int verbs_cmd_close_xrcd(struct verbs_xrcd *xrcd);

/* -- memory; fill handle, lkey, rkey, context, mr_type and access -- */

int verbs_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t iova, int access, struct verbs_mr *vmr,
		     const struct verbs_udata *udata);
/* Fills what @flags change. */
int verbs_cmd_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		       void *addr, size_t length, uint64_t iova, int access,
		       const struct verbs_udata *udata);
int verbs_cmd_dereg_mr(struct verbs_mr *vmr);
int verbs_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, const struct ibv_sge *sg_list,
			uint32_t num_sge);
int verbs_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			    uint64_t iova, int fd, int access,
			    struct verbs_mr *vmr,
			    const struct verbs_udata *udata);
/* Looks an existing MR up by @handle; fills length too. */
int verbs_cmd_query_mr(struct ibv_pd *pd, uint32_t handle,
		       struct verbs_mr *vmr);
/* Fills context, pd, rkey, handle and type. */
int verbs_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       struct ibv_mw *mw, const struct verbs_udata *udata);
int verbs_cmd_dealloc_mw(struct ibv_mw *mw);

/* -- address handles, multicast -- */

/* Fills context, pd and handle. */
int verbs_cmd_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr,
			struct ibv_ah *ah, const struct verbs_udata *udata);
int verbs_cmd_destroy_ah(struct ibv_ah *ah);
int verbs_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid);
int verbs_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			   uint16_t lid);

/* -- completion queues -- */

/*
 * verbs_cmd_create_cq() - make a CQ that verbs_init_cq() has prepared
 * @attr: cqe, channel, comp_vector; wc_flags and flags where comp_mask or the
 *	extended form ask for them
 *
 * Fills handle and cqe. Without a timestamp wish and without flags the plain
 * command is enough for every kernel; with them, -EOPNOTSUPP where the kernel
 * has no form that carries them.
 */
int verbs_cmd_create_cq(struct ibv_context *ctx, struct ibv_cq *cq,
			const struct ibv_cq_init_attr_ex *attr,
			const struct verbs_udata *udata);
/* Fills cqe. */
int verbs_cmd_resize_cq(struct ibv_cq *cq, int cqe,
			const struct verbs_udata *udata);
int verbs_cmd_modify_cq(struct ibv_cq *cq,
			const struct ibv_modify_cq_attr *attr);
int verbs_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int verbs_cmd_destroy_cq(struct ibv_cq *cq,
			 struct verbs_event_count *ret_raised);

/* -- shared receive queues -- */

/* Fills handle, attr->attr (real sizes), and for type XRC srq_num. */
int verbs_cmd_create_srq(struct ibv_context *ctx, struct verbs_srq *vsrq,
			 struct ibv_srq_init_attr_ex *attr,
			 const struct verbs_udata *udata);
int verbs_cmd_modify_srq(struct ibv_srq *srq, const struct ibv_srq_attr *attr,
			 int attr_mask, const struct verbs_udata *udata);
int verbs_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *ret_attr);
int verbs_cmd_destroy_srq(struct ibv_srq *srq,
			  struct verbs_event_count *ret_raised);

/* -- queue pairs -- */

/*
 * verbs_cmd_create_qp() - make a QP that verbs_init_qp() has prepared
 *
 * Fills handle, qp_num and attr->cap (real sizes). max_tso_header, rx_hash_conf
 * and send_ops_flags are the provider's business and are not sent.
 */
int verbs_cmd_create_qp(struct ibv_context *ctx, struct verbs_qp *vqp,
			struct ibv_qp_init_attr_ex *attr,
			const struct verbs_udata *udata);
/* Fills handle, qp_num, state (UNKNOWN), comp_mask and xrcd. */
int verbs_cmd_open_qp(struct ibv_context *ctx, struct verbs_qp *vqp,
		      const struct ibv_qp_open_attr *attr,
		      const struct verbs_udata *udata);
/* attr_mask may contain IBV_QP_RATE_LIMIT. */
int verbs_cmd_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			int attr_mask, const struct verbs_udata *udata);
int verbs_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr);
int verbs_cmd_destroy_qp(struct ibv_qp *qp,
			 struct verbs_event_count *ret_raised);

/*
 * verbs_cmd_ring_send_doorbell() - tell the driver that its send ring has work
 *
 * The POST_SEND command without any work request in it: how drivers whose send
 * queue is shared memory are started. Data path: one system call, no
 * allocation.
 */
int verbs_cmd_ring_send_doorbell(struct ibv_qp *qp);

#endif
