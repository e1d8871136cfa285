/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command functions that modules of rdma-core releases call:
 * foreign_cmd_x() is exported to them as ibv_cmd_x(). Each function calls
 * verbs_cmd_x() of <provider/kernel.h> and converts buffers, object members and
 * results to what such a module expects.
 *
 * Unless its comment differs, a function
 * - returns 0 or a positive errno, and sets errno on failure;
 * - takes @cmd and @resp as foreign/foreign_udata.h describes them: EINVAL if
 *   one is smaller than the core struct, NULL for none;
 * - fills those members of the core struct in @resp that the provider reads
 *   from it and not from the object; this concerns commands that were never an
 *   ioctl method;
 * - takes a chain of command buffers (@link), or NULL. The attributes are sent
 *   to the kernel with the command and are written back after it;
 * - may be called from any thread, and blocks as long as the kernel does.
 *
 * A function whose name ends with a number exists because the signature, or the
 * number of bytes that may be written, depends on the private ABI.
 */
#ifndef FOREIGN_FOREIGN_CMD_H
#define FOREIGN_FOREIGN_CMD_H

#include <infiniband/verbs.h>
#include <provider/objects.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "foreign/foreign_abi.h"

/* -- command buffers (foreign_ioctl.c) -- */

/*
 * Returns the number of attributes of a command and of its chain @link; never
 * fails.
 */
unsigned int foreign_final_num_attrs(unsigned int num_attrs,
				     struct foreign_command_buffer *link);
/*
 * Sends @cmd together with the buffers linked to it, which must have its
 * method.
 */
int foreign_execute_ioctl(struct ibv_context *ctx,
			  struct foreign_command_buffer *cmd);

/* -- context (foreign_cmd_context.c) -- */

/*
 * @vctx: verbs_context of the provider
 * @fd_arr: descriptors for the driver, or NULL; ignored if the kernel does not
 *	support them
 */
int foreign_cmd_get_context_34(void *vctx, const void *cmd, size_t cmd_size,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size);
int foreign_cmd_get_context_57(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size);
int foreign_cmd_get_context_59(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size);
int foreign_cmd_get_context_64(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size);
int foreign_cmd_get_context_65(void *vctx, const void *cmd, size_t cmd_size,
			       const struct foreign_fd_arr *fd_arr,
			       struct ib_uverbs_get_context_resp *resp,
			       size_t resp_size);
int foreign_cmd_query_context(struct ibv_context *ctx,
			      struct foreign_command_buffer *link);

/* -- device (foreign_cmd_device.c) -- */

/*
 * @attr: zeroed, then filled with everything that the kernel reports; the
 *	provider fills the rest
 * @resp: receives the response of the kernel; may be NULL together with
 *	@resp_size
 * @resp_size: in: bytes at @resp; out: bytes of the core struct that are valid
 */
int foreign_cmd_query_device_any(struct ibv_context *ctx,
				 const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr,
				 size_t attr_size,
				 struct ib_uverbs_ex_query_device_resp *resp,
				 size_t *resp_size);

/* -- port (foreign_cmd_port.c) -- */

/*
 * _34 writes active_speed_ex and what follows only into a buffer of the
 * library.
 */
int foreign_cmd_query_port_34(struct ibv_context *ctx, uint8_t port_num,
			      struct ibv_port_attr *attr, const void *cmd,
			      size_t cmd_size);
int foreign_cmd_query_port(struct ibv_context *ctx, uint8_t port_num,
			   struct ibv_port_attr *attr, const void *cmd,
			   size_t cmd_size);
int foreign_cmd_query_port_speed(struct ibv_context *ctx, uint32_t port_num,
				 uint64_t *speed);

/* -- protection domains, XRC domains -- */

int foreign_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
			 const void *cmd, size_t cmd_size,
			 struct ib_uverbs_alloc_pd_resp *resp,
			 size_t resp_size);
int foreign_cmd_dealloc_pd(struct ibv_pd *pd);
/* @xrcd_size: bytes at @xrcd; the handle is stored only if it fits */
int foreign_cmd_open_xrcd(struct ibv_context *ctx, struct verbs_xrcd *xrcd,
			  int xrcd_size, struct ibv_xrcd_init_attr *attr,
			  const void *cmd, size_t cmd_size,
			  struct ib_uverbs_open_xrcd_resp *resp,
			  size_t resp_size);
int foreign_cmd_close_xrcd(struct verbs_xrcd *xrcd);

/* -- memory regions (foreign_cmd_mr.c), memory windows -- */

int foreign_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		       uint64_t hca_va, int access, struct verbs_mr *vmr,
		       const void *cmd, size_t cmd_size,
		       struct ib_uverbs_reg_mr_resp *resp, size_t resp_size);
int foreign_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr,
			 size_t length, uint64_t hca_va, int access,
			 struct ibv_pd *pd, const void *cmd, size_t cmd_size,
			 struct ib_uverbs_rereg_mr_resp *resp,
			 size_t resp_size);
int foreign_cmd_dereg_mr(struct verbs_mr *vmr);
int foreign_cmd_query_mr(struct ibv_pd *pd, struct verbs_mr *vmr,
			 uint32_t mr_handle);
int foreign_cmd_advise_mr(struct ibv_pd *pd,
			  enum ib_uverbs_advise_mr_advice advice,
			  uint32_t flags, struct ibv_sge *sg_list,
			  uint32_t num_sge);
/*
 * _34 ignores @link unless the provider is of v54 or later: older ones do not
 * pass it.
 */
int foreign_cmd_reg_dmabuf_mr_34(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access, struct verbs_mr *vmr,
				 struct foreign_command_buffer *link);
int foreign_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			      uint64_t iova, int fd, int access,
			      struct verbs_mr *vmr,
			      struct foreign_command_buffer *link);
int foreign_cmd_reg_mr_ex(struct ibv_pd *pd, struct verbs_mr *vmr,
			  struct ibv_mr_init_attr *attr);
int foreign_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			 struct ibv_mw *mw, const void *cmd, size_t cmd_size,
			 struct ib_uverbs_alloc_mw_resp *resp,
			 size_t resp_size);
int foreign_cmd_dealloc_mw(struct ibv_mw *mw);

/* -- device memory, DMA handles -- */

int foreign_cmd_alloc_dm(struct ibv_context *ctx,
			 const struct ibv_alloc_dm_attr *attr,
			 struct verbs_dm *dm,
			 struct foreign_command_buffer *link);
int foreign_cmd_free_dm(struct verbs_dm *dm);
int foreign_cmd_reg_dm_mr(struct ibv_pd *pd, struct verbs_dm *dm,
			  uint64_t offset, size_t length, unsigned int access,
			  struct verbs_mr *vmr,
			  struct foreign_command_buffer *link);
/* Returns a descriptor, or -1 with errno set. */
int foreign_cmd_export_dmabuf_fd(struct ibv_context *ctx, off_t pg_off);
int foreign_cmd_alloc_dmah(struct ibv_context *ctx, struct verbs_dmah *dmah,
			   struct ibv_dmah_init_attr *attr);
int foreign_cmd_free_dmah(struct verbs_dmah *dmah);

/* -- address handles, multicast -- */

int foreign_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
			  struct ibv_ah_attr *attr,
			  struct ib_uverbs_create_ah_resp *resp,
			  size_t resp_size);
int foreign_cmd_destroy_ah(struct ibv_ah *ah);
int foreign_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid);
int foreign_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			     uint16_t lid);

/* -- completion queues (foreign_cmd_cq.c) -- */

/* Bits of @cmd_flags. */
enum foreign_create_cq_flags {
	/*
	 * The device always provides time stamps; the request may be dropped.
	 */
	FOREIGN_CQ_TS_IGNORED_EX = 1 << 0,
	/* The provider allocated the ring, which prov_attr describes. */
	FOREIGN_CQ_WITH_MEM_VA = 1 << 1,
	FOREIGN_CQ_WITH_MEM_DMABUF = 1 << 2,
};

int foreign_cmd_create_cq(struct ibv_context *ctx, int cqe,
			  struct ibv_comp_channel *channel, int comp_vector,
			  struct ibv_cq *cq, const void *cmd, size_t cmd_size,
			  struct ib_uverbs_create_cq_resp *resp,
			  size_t resp_size);
int foreign_cmd_create_cq_ex_34(struct ibv_context *ctx,
				const struct ibv_cq_init_attr_ex *attr,
				struct verbs_cq *cq, const void *cmd,
				size_t cmd_size,
				struct ib_uverbs_ex_create_cq_resp *resp,
				size_t resp_size, uint32_t cmd_flags);
int foreign_cmd_create_cq_ex(struct ibv_context *ctx,
			     const struct ibv_cq_init_attr_ex *attr,
			     const struct foreign_cq_prov_attr *prov_attr,
			     struct verbs_cq *cq, const void *cmd,
			     size_t cmd_size,
			     struct ib_uverbs_ex_create_cq_resp *resp,
			     size_t resp_size, uint32_t cmd_flags);
int foreign_cmd_create_cq_ex2_34(struct ibv_context *ctx,
				 const struct ibv_cq_init_attr_ex *attr,
				 struct verbs_cq *cq, const void *cmd,
				 size_t cmd_size,
				 struct ib_uverbs_ex_create_cq_resp *resp,
				 size_t resp_size, uint32_t cmd_flags,
				 struct foreign_command_buffer *link);
int foreign_cmd_create_cq_ex2(struct ibv_context *ctx,
			      const struct ibv_cq_init_attr_ex *attr,
			      const struct foreign_cq_prov_attr *prov_attr,
			      struct verbs_cq *cq, const void *cmd,
			      size_t cmd_size,
			      struct ib_uverbs_ex_create_cq_resp *resp,
			      size_t resp_size, uint32_t cmd_flags,
			      struct foreign_command_buffer *link);
int foreign_cmd_resize_cq(struct ibv_cq *cq, int cqe, const void *cmd,
			  size_t cmd_size,
			  struct ib_uverbs_resize_cq_resp *resp,
			  size_t resp_size);
int foreign_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
			  const void *cmd, size_t cmd_size);
int foreign_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only);
/*
 * Blocks until all events are acknowledged, as the other destroy commands do.
 */
int foreign_cmd_destroy_cq(struct ibv_cq *cq);

/* -- shared receive queues (foreign_cmd_srq.c) -- */

int foreign_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
			   struct ibv_srq_init_attr *attr, const void *cmd,
			   size_t cmd_size,
			   struct ib_uverbs_create_srq_resp *resp,
			   size_t resp_size);
int foreign_cmd_create_srq_ex(struct ibv_context *ctx, struct verbs_srq *vsrq,
			      struct ibv_srq_init_attr_ex *attr,
			      const void *cmd, size_t cmd_size,
			      struct ib_uverbs_create_srq_resp *resp,
			      size_t resp_size);
int foreign_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			   int attr_mask, const void *cmd, size_t cmd_size);
int foreign_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  const void *cmd, size_t cmd_size);
int foreign_cmd_destroy_srq(struct ibv_srq *srq);

/* -- queue pairs (foreign_cmd_qp.c, foreign_cmd_qp_attr.c) -- */

int foreign_cmd_create_qp(struct ibv_pd *pd, struct ibv_qp *qp,
			  struct ibv_qp_init_attr *attr, const void *cmd,
			  size_t cmd_size,
			  struct ib_uverbs_create_qp_resp *resp,
			  size_t resp_size);
int foreign_cmd_create_qp_ex(struct ibv_context *ctx, struct verbs_qp *vqp,
			     struct ibv_qp_init_attr_ex *attr, const void *cmd,
			     size_t cmd_size,
			     struct ib_uverbs_create_qp_resp *resp,
			     size_t resp_size);
int foreign_cmd_create_qp_ex2_34(struct ibv_context *ctx, struct verbs_qp *vqp,
				 struct ibv_qp_init_attr_ex *attr,
				 const void *cmd, size_t cmd_size,
				 struct ib_uverbs_ex_create_qp_resp *resp,
				 size_t resp_size);
int foreign_cmd_create_qp_ex2(struct ibv_context *ctx, struct verbs_qp *vqp,
			      struct ibv_qp_init_attr_ex *attr, const void *cmd,
			      size_t cmd_size,
			      struct ib_uverbs_ex_create_qp_resp *resp,
			      size_t resp_size,
			      struct foreign_command_buffer *link);
/* @vqp_size: bytes at @vqp; the XRC domain is stored only if it fits */
int foreign_cmd_open_qp(struct ibv_context *ctx, struct verbs_qp *vqp,
			int vqp_size, struct ibv_qp_open_attr *attr,
			const void *cmd, size_t cmd_size,
			struct ib_uverbs_create_qp_resp *resp,
			size_t resp_size);
int foreign_cmd_destroy_qp(struct ibv_qp *qp);
int foreign_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask, struct ibv_qp_init_attr *init_attr,
			 const void *cmd, size_t cmd_size);
int foreign_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			  int attr_mask, const void *cmd, size_t cmd_size);
int foreign_cmd_modify_qp_ex(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			     int attr_mask, const void *cmd, size_t cmd_size,
			     struct ib_uverbs_ex_modify_qp_resp *resp,
			     size_t resp_size);

/* -- work queues (foreign_cmd_wq.c) -- */

/* The caller initialises the state, the mutex and the condition variable. */
int foreign_cmd_create_wq(struct ibv_context *ctx,
			  struct ibv_wq_init_attr *attr, struct ibv_wq *wq,
			  const void *cmd, size_t cmd_size,
			  struct ib_uverbs_ex_create_wq_resp *resp,
			  size_t resp_size);
int foreign_cmd_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr,
			  const void *cmd, size_t cmd_size);
int foreign_cmd_destroy_wq(struct ibv_wq *wq);
int foreign_cmd_create_rwq_ind_table(
	struct ibv_context *ctx, struct ibv_rwq_ind_table_init_attr *attr,
	struct ibv_rwq_ind_table *table,
	struct ib_uverbs_ex_create_rwq_ind_table_resp *resp, size_t resp_size);
int foreign_cmd_destroy_rwq_ind_table(struct ibv_rwq_ind_table *table);

/* -- flows, flow actions, counters -- */

/* @ucmd: driver data, without a header or core struct in front of it */
int foreign_cmd_create_flow(struct ibv_qp *qp, struct ibv_flow *flow,
			    struct ibv_flow_attr *attr, void *ucmd,
			    size_t ucmd_size);
int foreign_cmd_destroy_flow(struct ibv_flow *flow);
int foreign_cmd_create_flow_action_esp(struct ibv_context *ctx,
				       struct ibv_flow_action_esp_attr *attr,
				       struct verbs_flow_action *action,
				       struct foreign_command_buffer *link);
int foreign_cmd_modify_flow_action_esp(struct verbs_flow_action *action,
				       struct ibv_flow_action_esp_attr *attr,
				       struct foreign_command_buffer *link);
int foreign_cmd_destroy_flow_action(struct verbs_flow_action *action);
int foreign_cmd_create_counters(struct ibv_context *ctx,
				struct ibv_counters_init_attr *attr,
				struct verbs_counters *vcounters,
				struct foreign_command_buffer *link);
int foreign_cmd_read_counters(struct verbs_counters *vcounters,
			      uint64_t *values, uint32_t nr_values,
			      uint32_t flags,
			      struct foreign_command_buffer *link);
int foreign_cmd_destroy_counters(struct verbs_counters *vcounters);

/* -- completion counters (foreign_cmd_comp_cntr.c) -- */

int foreign_cmd_query_comp_cntr_caps(struct ibv_context *ctx,
				     struct ibv_comp_cntr_caps *caps,
				     size_t caps_size);
int foreign_cmd_create_comp_cntr(struct ibv_context *ctx,
				 struct ibv_comp_cntr *cntr,
				 struct foreign_command_buffer *link);
int foreign_cmd_destroy_comp_cntr(struct ibv_comp_cntr *cntr);
int foreign_cmd_set_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value);
int foreign_cmd_set_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t value);
int foreign_cmd_inc_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount);
int foreign_cmd_inc_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t amount);
int foreign_cmd_read_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value);
int foreign_cmd_read_err_comp_cntr(struct ibv_comp_cntr *cntr, uint64_t *value);
int foreign_cmd_qp_attach_comp_cntr(struct ibv_qp *qp,
				    struct ibv_comp_cntr *cntr,
				    struct ibv_qp_attach_comp_cntr_attr *attr);

/* -- data path through the kernel (foreign_cmd_post.c) -- */

/* Returns the number of completions, or -1. */
int foreign_cmd_poll_cq(struct ibv_cq *cq, int ne, struct ibv_wc *wc);
int foreign_cmd_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			  struct ibv_send_wr **bad_wr);
int foreign_cmd_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad_wr);
int foreign_cmd_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr);

/* -- memory that a confidential VM shares (foreign_heap.c) -- */

/* A heap of the kernel, opaque to providers. */
struct foreign_heap;

/* Returns NULL with errno set if the kernel has no such heap. */
struct foreign_heap *foreign_heap_cc_shared_init(void);
void foreign_heap_destroy(struct foreign_heap *heap);
/* Returns mapped memory and its dma-buf, or NULL with errno set. */
void *foreign_heap_alloc(struct foreign_heap *heap, size_t size,
			 int *dmabuf_fd);
/* @buf, @dmabuf_fd: from foreign_heap_alloc() */
void foreign_heap_free(void *buf, size_t size, int dmabuf_fd);

/*
 * First release that exports a command, for those that modules of several
 * releases with one private ABI number import; ROW() takes the exported name
 * and the release. Read by foreign_detect.c.
 */
/* clang-format off */
#define FOREIGN_COMMANDS_SINCE(ROW) \
	ROW("ibv_cmd_create_cq_ex2", 53) \
	ROW("ibv_cmd_alloc_dmah", 59) \
	ROW("ibv_cmd_free_dmah", 59) \
	ROW("ibv_cmd_reg_mr_ex", 59) \
	ROW("ibv_cmd_export_dmabuf_fd", 62) \
	ROW("ibv_cmd_query_port_speed", 62)
/* clang-format on */

#endif
