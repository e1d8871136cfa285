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
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
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
	/*
	 * Attributes of the driver's own, added behind those of the method.
	 * What the kernel changes in them is copied back on success. A
	 * mandatory one rules out every form of the command but the ioctl.
	 */
	struct ib_uverbs_attr *attrs;
	size_t nr_attrs;
	/* Never fall back to a form other than the ioctl. */
	bool ioctl_only;
};

/* -- context, device, port -- */

/* Fills num_comp_vectors; the descriptor's context can be used from then on. */
int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata);
/* The same as far as an imported descriptor allows: ibv_import_device(3). */
int verbs_cmd_query_context(struct ibv_context *ctx,
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
/*
 * The same, and the kernel's own answer of <rdma/ib_user_verbs.h>, of which
 * response_length bytes are filled: where the extended command is not wanted
 * or not there, those of the plain one.
 */
struct ib_uverbs_ex_query_device_resp;
int verbs_cmd_query_device_resp(struct ibv_context *ctx,
				const struct ibv_query_device_ex_input *input,
				struct ibv_device_attr_ex *attr,
				size_t attr_size,
				struct ib_uverbs_ex_query_device_resp *ret_resp,
				const struct verbs_udata *udata);
int verbs_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			 struct ibv_port_attr *attr);
/* In 100 Mb/s. */
int verbs_cmd_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
			       uint64_t *ret_speed);

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
/*
 * ibv_reg_mr_ex(3) without IBV_REG_MR_MASK_BUF. Kernels without the method get
 * verbs_cmd_reg_mr() where it says the same, else -EOPNOTSUPP.
 */
int verbs_cmd_reg_mr_ex(struct ibv_pd *pd, const struct ibv_mr_init_attr *attr,
			struct verbs_mr *vmr, const struct verbs_udata *udata);
/* Fills context, pd, rkey, handle and type. */
int verbs_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       struct ibv_mw *mw, const struct verbs_udata *udata);
int verbs_cmd_dealloc_mw(struct ibv_mw *mw);

/* -- device memory, DMA hints: native ioctl only -- */

/* Fills handle, dm.handle, dm.context and dm.comp_mask. */
int verbs_cmd_alloc_dm(struct ibv_context *ctx,
		       const struct ibv_alloc_dm_attr *attr,
		       struct verbs_dm *vdm, const struct verbs_udata *udata);
int verbs_cmd_free_dm(struct verbs_dm *vdm);
/* Fills handle, lkey, rkey, length, context, pd and mr_type. */
int verbs_cmd_reg_dm_mr(struct ibv_pd *pd, struct verbs_dm *vdm,
			uint64_t offset, size_t length, unsigned int access,
			struct verbs_mr *vmr, const struct verbs_udata *udata);
/* @pg_off: place in the device's pages, as mmap(2) takes it */
int verbs_cmd_export_dmabuf_fd(struct ibv_context *ctx, off_t pg_off,
			       int *ret_fd);
int verbs_cmd_alloc_dmah(struct ibv_context *ctx,
			 const struct ibv_dmah_init_attr *attr,
			 struct verbs_dmah *vdmah);
int verbs_cmd_dealloc_dmah(struct verbs_dmah *vdmah);

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

/*
 * verbs_cmd_create_cq_buf() - the same, with ring memory that the driver brings
 * @buf: exactly one of addr (fd is -1) or fd and fd_offset is used. Native
 *	ioctl only.
 */
struct verbs_cq_buf {
	void *addr;
	int fd; /* dma-buf, or -1 */
	uint64_t fd_offset;
	uint64_t length; /* bytes */
};
int verbs_cmd_create_cq_buf(struct ibv_context *ctx, struct ibv_cq *cq,
			    const struct ibv_cq_init_attr_ex *attr,
			    const struct verbs_cq_buf *buf,
			    const struct verbs_udata *udata);

/* -- shared receive queues -- */

/*
 * Fills handle, attr->attr (real sizes), and for type XRC srq_num. A @vsrq of
 * type BASIC is not touched behind its ibv_srq.
 */
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
int verbs_cmd_create_qp(struct ibv_context *ctx, struct ibv_qp *qp,
			struct ibv_qp_init_attr_ex *attr,
			const struct verbs_udata *udata);
/* Fills handle, qp_num and state (UNKNOWN). */
int verbs_cmd_open_qp(struct ibv_context *ctx, struct ibv_qp *qp,
		      const struct ibv_qp_open_attr *attr,
		      const struct verbs_udata *udata);
/* attr_mask may contain IBV_QP_RATE_LIMIT. */
int verbs_cmd_modify_qp(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			int attr_mask, const struct verbs_udata *udata);
/* Always the extended command: the only one with an answer of the driver. */
int verbs_cmd_modify_qp_ex(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			   int attr_mask, const struct verbs_udata *udata);
int verbs_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr);
int verbs_cmd_destroy_qp(struct ibv_qp *qp,
			 struct verbs_event_count *ret_raised);

/* -- work queues -- */

/* Fills handle, wq_num; attr->max_wr and max_sge (real sizes). */
int verbs_cmd_create_wq(struct ibv_context *ctx, struct ibv_wq *wq,
			struct ibv_wq_init_attr *attr,
			const struct verbs_udata *udata);
/* Keeps wq->state. */
int verbs_cmd_modify_wq(struct ibv_wq *wq, const struct ibv_wq_attr *attr,
			const struct verbs_udata *udata);
int verbs_cmd_destroy_wq(struct ibv_wq *wq,
			 struct verbs_event_count *ret_raised);
/* Fills context, ind_tbl_handle and ind_tbl_num. */
int verbs_cmd_create_rwq_ind_table(
	struct ibv_context *ctx, struct ibv_rwq_ind_table *table,
	const struct ibv_rwq_ind_table_init_attr *attr,
	const struct verbs_udata *udata);
int verbs_cmd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table);

/* -- flows, flow actions, counters -- */

/* @attr is followed by its specifications. Fills context and handle. */
int verbs_cmd_create_flow(struct ibv_qp *qp, struct ibv_flow *flow,
			  const struct ibv_flow_attr *attr,
			  const struct verbs_udata *udata);
int verbs_cmd_destroy_flow(struct ibv_flow *flow);
/* Fills context, handle and type. Native ioctl only, like what follows. */
int verbs_cmd_create_flow_action_esp(
	struct ibv_context *ctx, struct verbs_flow_action *action,
	const struct ibv_flow_action_esp_attr *attr,
	const struct verbs_udata *udata);
int verbs_cmd_modify_flow_action_esp(
	struct verbs_flow_action *action,
	const struct ibv_flow_action_esp_attr *attr,
	const struct verbs_udata *udata);
int verbs_cmd_destroy_flow_action(struct verbs_flow_action *action);
/* Fills context and handle. */
int verbs_cmd_create_counters(struct ibv_context *ctx,
			      struct verbs_counters *vcounters,
			      const struct ibv_counters_init_attr *attr,
			      const struct verbs_udata *udata);
/* @values is undefined after a failure. */
int verbs_cmd_read_counters(struct verbs_counters *vcounters, uint64_t *values,
			    uint32_t nr_values, uint32_t flags,
			    const struct verbs_udata *udata);
int verbs_cmd_destroy_counters(struct verbs_counters *vcounters);

/* -- counters of completions: native ioctl only -- */

int verbs_cmd_query_comp_cntr_caps(struct ibv_context *ctx,
				   struct ibv_comp_cntr_caps *caps);
/* Fills context and handle. */
int verbs_cmd_create_comp_cntr(struct ibv_context *ctx,
			       struct ibv_comp_cntr *cntr,
			       const struct verbs_udata *udata);
int verbs_cmd_destroy_comp_cntr(struct ibv_comp_cntr *cntr);
int verbs_cmd_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value);
int verbs_cmd_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value);
int verbs_cmd_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount);
int verbs_cmd_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount);
int verbs_cmd_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *ret_value);
int verbs_cmd_read_err_comp_cntr(struct ibv_comp_cntr *cntr,
				 uint64_t *ret_value);
int verbs_cmd_qp_attach_comp_cntr(
	struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
	const struct ibv_qp_attach_comp_cntr_attr *attr);

/* -- data path through the kernel: for drivers without queues of their own.
 *    The first has the convention of ibv_poll_cq(3), the others return 0 or
 *    -errno and set *ret_bad to the first request that was not taken. -- */

int verbs_cmd_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int verbs_cmd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			struct ibv_send_wr **ret_bad);
int verbs_cmd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **ret_bad);
int verbs_cmd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **ret_bad);

/*
 * verbs_cmd_ring_send_doorbell() - tell the driver that its send ring has work
 *
 * The POST_SEND command without any work request in it: how drivers whose send
 * queue is shared memory are started. Data path: one system call, no
 * allocation, and errno is not kept.
 */
int verbs_cmd_ring_send_doorbell(struct ibv_qp *qp);

#endif
