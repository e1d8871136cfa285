/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The op table of foreign providers: all ops of all releases of the private ABI
 * in one struct. The table of one release has a subset of these members at its
 * own offsets (foreign_variant.c); the function types never changed. The ops
 * follow the convention of the man pages: they return an object or NULL with
 * errno set, or 0 or a positive errno.
 *
 * Source of names and types: the tables that the providers of v34 to v65 fill.
 */
#ifndef FOREIGN_FOREIGN_OPS_H
#define FOREIGN_FOREIGN_OPS_H

#include <infiniband/verbs.h>
#include <provider/objects.h>

/*
 * Function pointers only; a member is NULL if the provider does not have the
 * op.
 */
struct foreign_ops {
	int (*advise_mr)(struct ibv_pd *, enum ib_uverbs_advise_mr_advice,
			 uint32_t, struct ibv_sge *, uint32_t);
	void *(*alloc_buf)(struct ibv_pd *, size_t, struct ibv_buf **);
	struct ibv_dm *(*alloc_dm)(struct ibv_context *,
				   struct ibv_alloc_dm_attr *);
	struct ibv_dmah *(*alloc_dmah)(struct ibv_context *,
				       struct ibv_dmah_init_attr *);
	struct ibv_mw *(*alloc_mw)(struct ibv_pd *, enum ibv_mw_type);
	struct ibv_mr *(*alloc_null_mr)(struct ibv_pd *);
	struct ibv_pd *(*alloc_parent_domain)(
		struct ibv_context *, struct ibv_parent_domain_init_attr *);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *);
	struct ibv_td *(*alloc_td)(struct ibv_context *,
				   struct ibv_td_init_attr *);
	void (*async_event)(struct ibv_context *, struct ibv_async_event *);
	int (*attach_counters_point_flow)(struct ibv_counters *,
					  struct ibv_counter_attach_attr *,
					  struct ibv_flow *);
	int (*attach_mcast)(struct ibv_qp *, const union ibv_gid *, uint16_t);
	int (*bind_mw)(struct ibv_qp *, struct ibv_mw *, struct ibv_mw_bind *);
	int (*close_xrcd)(struct ibv_xrcd *);
	void (*cq_event)(struct ibv_cq *);
	struct ibv_ah *(*create_ah)(struct ibv_pd *, struct ibv_ah_attr *);
	struct ibv_comp_cntr *(*create_comp_cntr)(
		struct ibv_context *, struct ibv_comp_cntr_init_attr *);
	struct ibv_counters *(*create_counters)(
		struct ibv_context *, struct ibv_counters_init_attr *);
	struct ibv_cq *(*create_cq)(struct ibv_context *, int,
				    struct ibv_comp_channel *, int);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *,
					  struct ibv_cq_init_attr_ex *);
	struct ibv_flow *(*create_flow)(struct ibv_qp *,
					struct ibv_flow_attr *);
	struct ibv_flow_action *(*create_flow_action_esp)(
		struct ibv_context *, struct ibv_flow_action_esp_attr *);
	struct ibv_qp *(*create_qp)(struct ibv_pd *, struct ibv_qp_init_attr *);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *,
				       struct ibv_qp_init_attr_ex *);
	struct ibv_rwq_ind_table *(*create_rwq_ind_table)(
		struct ibv_context *, struct ibv_rwq_ind_table_init_attr *);
	struct ibv_srq *(*create_srq)(struct ibv_pd *,
				      struct ibv_srq_init_attr *);
	struct ibv_srq *(*create_srq_ex)(struct ibv_context *,
					 struct ibv_srq_init_attr_ex *);
	struct ibv_wq *(*create_wq)(struct ibv_context *,
				    struct ibv_wq_init_attr *);
	int (*dealloc_dmah)(struct ibv_dmah *);
	int (*dealloc_mw)(struct ibv_mw *);
	int (*dealloc_pd)(struct ibv_pd *);
	int (*dealloc_td)(struct ibv_td *);
	int (*dereg_mr)(struct verbs_mr *);
	int (*destroy_ah)(struct ibv_ah *);
	int (*destroy_comp_cntr)(struct ibv_comp_cntr *);
	int (*destroy_counters)(struct ibv_counters *);
	int (*destroy_cq)(struct ibv_cq *);
	int (*destroy_flow)(struct ibv_flow *);
	int (*destroy_flow_action)(struct ibv_flow_action *);
	int (*destroy_qp)(struct ibv_qp *);
	int (*destroy_rwq_ind_table)(struct ibv_rwq_ind_table *);
	int (*destroy_srq)(struct ibv_srq *);
	int (*destroy_wq)(struct ibv_wq *);
	int (*detach_mcast)(struct ibv_qp *, const union ibv_gid *, uint16_t);
	int (*dm_export_dmabuf_fd)(struct ibv_dm *);
	void (*free_buf)(struct ibv_buf *);
	void (*free_context)(struct ibv_context *);
	int (*free_dm)(struct ibv_dm *);
	int (*get_srq_num)(struct ibv_srq *, uint32_t *);
	struct ibv_dm *(*import_dm)(struct ibv_context *, uint32_t);
	struct ibv_mr *(*import_mr)(struct ibv_pd *, uint32_t);
	struct ibv_pd *(*import_pd)(struct ibv_context *, uint32_t);
	int (*inc_comp_cntr)(struct ibv_comp_cntr *, uint64_t);
	int (*inc_err_comp_cntr)(struct ibv_comp_cntr *, uint64_t);
	int (*modify_cq)(struct ibv_cq *, struct ibv_modify_cq_attr *);
	int (*modify_flow_action_esp)(struct ibv_flow_action *,
				      struct ibv_flow_action_esp_attr *);
	int (*modify_qp)(struct ibv_qp *, struct ibv_qp_attr *, int);
	int (*modify_qp_rate_limit)(struct ibv_qp *,
				    struct ibv_qp_rate_limit_attr *);
	int (*modify_srq)(struct ibv_srq *, struct ibv_srq_attr *, int);
	int (*modify_wq)(struct ibv_wq *, struct ibv_wq_attr *);
	struct ibv_qp *(*open_qp)(struct ibv_context *,
				  struct ibv_qp_open_attr *);
	struct ibv_xrcd *(*open_xrcd)(struct ibv_context *,
				      struct ibv_xrcd_init_attr *);
	int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *);
	int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *,
			 struct ibv_recv_wr **);
	int (*post_send)(struct ibv_qp *, struct ibv_send_wr *,
			 struct ibv_send_wr **);
	int (*post_srq_ops)(struct ibv_srq *, struct ibv_ops_wr *,
			    struct ibv_ops_wr **);
	int (*post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *,
			     struct ibv_recv_wr **);
	int (*qp_attach_comp_cntr)(struct ibv_qp *, struct ibv_comp_cntr *,
				   struct ibv_qp_attach_comp_cntr_attr *);
	int (*query_comp_cntr_caps)(struct ibv_context *,
				    struct ibv_comp_cntr_caps *, size_t);
	int (*query_device_ex)(struct ibv_context *,
			       const struct ibv_query_device_ex_input *,
			       struct ibv_device_attr_ex *, size_t);
	int (*query_ece)(struct ibv_qp *, struct ibv_ece *);
	int (*query_port)(struct ibv_context *, uint8_t,
			  struct ibv_port_attr *);
	int (*query_port_speed)(struct ibv_context *, uint32_t, uint64_t *);
	int (*query_qp)(struct ibv_qp *, struct ibv_qp_attr *, int,
			struct ibv_qp_init_attr *);
	int (*query_qp_data_in_order)(struct ibv_qp *, enum ibv_wr_opcode,
				      uint32_t);
	int (*query_rt_values)(struct ibv_context *, struct ibv_values_ex *);
	int (*query_srq)(struct ibv_srq *, struct ibv_srq_attr *);
	int (*read_comp_cntr)(struct ibv_comp_cntr *, uint64_t *);
	int (*read_counters)(struct ibv_counters *, uint64_t *, uint32_t,
			     uint32_t);
	int (*read_err_comp_cntr)(struct ibv_comp_cntr *, uint64_t *);
	struct ibv_mr *(*reg_dm_mr)(struct ibv_pd *, struct ibv_dm *, uint64_t,
				    size_t, unsigned int);
	struct ibv_mr *(*reg_dmabuf_mr)(struct ibv_pd *, uint64_t, size_t,
					uint64_t, int, int);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *, void *, size_t, uint64_t,
				 int);
	struct ibv_mr *(*reg_mr_ex)(struct ibv_pd *, struct ibv_mr_init_attr *);
	int (*req_notify_cq)(struct ibv_cq *, int);
	int (*rereg_mr)(struct verbs_mr *, int, struct ibv_pd *, void *, size_t,
			int);
	int (*resize_cq)(struct ibv_cq *, int);
	int (*set_comp_cntr)(struct ibv_comp_cntr *, uint64_t);
	int (*set_ece)(struct ibv_qp *, struct ibv_ece *);
	int (*set_err_comp_cntr)(struct ibv_comp_cntr *, uint64_t);
	void (*unimport_dm)(struct ibv_dm *);
	void (*unimport_mr)(struct ibv_mr *);
	void (*unimport_pd)(struct ibv_pd *);
};

/*
 * First variant (foreign_variant.h) of each op that v36 does not have; ROW()
 * takes the member and the variant. Read by foreign_variant.c.
 */
/* clang-format off */
#define FOREIGN_OPS_SINCE(ROW) \
	ROW(alloc_dmah, FOREIGN_59A) \
	ROW(dealloc_dmah, FOREIGN_59A) \
	ROW(reg_mr_ex, FOREIGN_59A) \
	ROW(dm_export_dmabuf_fd, FOREIGN_59B) \
	ROW(query_port_speed, FOREIGN_59B) \
	ROW(alloc_buf, FOREIGN_64) \
	ROW(free_buf, FOREIGN_64) \
	ROW(create_comp_cntr, FOREIGN_65) \
	ROW(destroy_comp_cntr, FOREIGN_65) \
	ROW(inc_comp_cntr, FOREIGN_65) \
	ROW(inc_err_comp_cntr, FOREIGN_65) \
	ROW(qp_attach_comp_cntr, FOREIGN_65) \
	ROW(query_comp_cntr_caps, FOREIGN_65) \
	ROW(read_comp_cntr, FOREIGN_65) \
	ROW(read_err_comp_cntr, FOREIGN_65) \
	ROW(set_comp_cntr, FOREIGN_65) \
	ROW(set_err_comp_cntr, FOREIGN_65)
/* clang-format on */

#endif
