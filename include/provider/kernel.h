/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel commands, for kernel-backed providers only: each function performs
 * one verbs call on the uverbs device of a context. libibverbs/kernel/ chooses
 * the form of the command (native ioctl, write command inside an ioctl,
 * write(2)) by the features of the running kernel.
 *
 * All functions return 0 or -errno and do not set errno for the caller. On
 * failure they leave outputs unchanged. Driver data is passed as a struct
 * verbs_udata; NULL means that the driver has none.
 *
 * Destroy functions follow RDMAV_ALLOW_DISASSOC_DESTROY: if it is set and the
 * device is gone (EIO), they succeed and return an event count of zero.
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
 * header under <rdma/>. The kernel may write to out even when a command fails.
 * Bytes that it does not fill keep their value, so pass zeroes.
 */
struct verbs_udata {
	const void *in;
	size_t in_len; /* bytes; a multiple of 4 */
	void *out;
	size_t out_len; /* bytes; a multiple of 4 */
	/*
	 * Attributes of the driver, added behind those of the method. Changes
	 * by the kernel are copied back on success. A command with a mandatory
	 * attribute is sent only as an ioctl.
	 */
	struct ib_uverbs_attr *attrs;
	size_t nr_attrs;
	/* Never fall back to a form other than the ioctl. */
	bool ioctl_only;
};

/* -- context, device, port -- */

/* Fills num_comp_vectors. Other commands can be used afterwards. */
int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata);
/* The same for an imported descriptor: ibv_import_device(3). */
int verbs_cmd_query_context(struct ibv_context *ctx,
			    const struct verbs_udata *udata);
int verbs_cmd_alloc_async_fd(struct ibv_context *ctx, int *ret_fd);
int verbs_cmd_create_comp_channel(struct ibv_context *ctx, int *ret_fd);

/*
 * @attr: zeroed; all fields that fit @attr_size and that the kernel returns
 *	are filled, except fw_ver
 * @ret_fw_ver: the driver's firmware version number, which the provider
 *	formats
 */
int verbs_cmd_query_device(struct ibv_context *ctx,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   uint64_t *ret_fw_ver,
			   const struct verbs_udata *udata);
/*
 * The same, and also returns the kernel's response of <rdma/ib_user_verbs.h>,
 * of which response_length bytes are filled. If the extended command is not
 * needed or not supported, these are the members of the plain one.
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
 * Returns the number of entries; -EINVAL if @max_entries is too small.
 * @entries is undefined after a failure.
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
/* Fills the members that @flags select. */
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
/* Queries an existing MR by @handle; fills length as well. */
int verbs_cmd_query_mr(struct ibv_pd *pd, uint32_t handle,
		       struct verbs_mr *vmr);
/*
 * ibv_reg_mr_ex(3) without IBV_REG_MR_MASK_BUF. On kernels without the method,
 * verbs_cmd_reg_mr() is used if it is equivalent, else it returns -EOPNOTSUPP.
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
/* @pg_off: offset in the device's pages, as for mmap(2) */
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
 * verbs_cmd_create_cq() - create a CQ that verbs_init_cq() has initialized
 * @attr: cqe, channel, comp_vector; wc_flags and flags if comp_mask or the
 *	extended form select them
 *
 * Fills handle and cqe. Without timestamps and flags, the plain command is
 * sufficient for every kernel; with them, the function returns -EOPNOTSUPP if
 * the kernel has no form for them.
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
 * verbs_cmd_create_cq_buf() - create a CQ in ring memory of the driver
 * @buf: either addr (fd is -1) or fd and fd_offset is used. Native ioctl only.
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
 * Fills handle, attr->attr (real sizes), and for type XRC srq_num. For type
 * BASIC, only the ibv_srq of @vsrq is accessed.
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
 * verbs_cmd_create_qp() - create a QP that verbs_init_qp() has initialized
 *
 * Fills handle, qp_num and attr->cap (real sizes). max_tso_header,
 * rx_hash_conf and send_ops_flags are not sent; the provider handles them.
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
/* Always the extended command, the only one with a driver response. */
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
/* Updates wq->state. */
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

/* -- completion counters: native ioctl only -- */

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

/* -- data path through the kernel: for drivers without queues in user space.
 *    The first has the convention of ibv_poll_cq(3), the others return 0 or
 *    -errno and set *ret_bad to the first rejected work request. -- */

int verbs_cmd_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int verbs_cmd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			struct ibv_send_wr **ret_bad);
int verbs_cmd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **ret_bad);
int verbs_cmd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **ret_bad);

/*
 * verbs_cmd_ring_send_doorbell() - notify the driver of new work requests
 *
 * The POST_SEND command without a work request. Drivers whose send queue is
 * shared memory process the queue then. Data path: one system call, no
 * allocation, and errno is not kept.
 */
int verbs_cmd_ring_send_doorbell(struct ibv_qp *qp);

#endif
