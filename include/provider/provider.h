/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the library and a provider: what a provider hands in,
 * and what each of its functions may rely on and must leave behind. Read it
 * top to bottom; providers/README.md says how to add one.
 *
 * Conventions, unless the comment of a member says otherwise:
 *  - int functions return 0 or -errno, and leave errno and all outputs alone
 *    when they fail; the library sets errno for the application.
 *  - Arguments were checked as far as the man page promises: objects are
 *    non-NULL and of one context, masks hold known bits only.
 *  - No lock of the library is held.
 *  - A create function allocates the object and hands its ownership to the
 *    application; the destroy function of the same object frees it, and
 *    leaves it whole and usable when it fails.
 *  - A member that is NULL answers "not supported" (core/op_defaults_*.c).
 */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include <infiniband/verbs.h>
#include <provider/device.h>
#include <provider/log.h>
#include <provider/objects.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Rises with every change of this folder that a module must be rebuilt for. */
#define VERBS_PROVIDER_ABI	  1
#define VERBS_PROVIDER_ABI_STRING "1"

/* ------------------------------------------------------------------------ */
/* Which devices are the provider's                                          */
/* ------------------------------------------------------------------------ */

enum verbs_match_kind {
	VERBS_MATCH_END,       /* ends the table */
	VERBS_MATCH_DRIVER_ID, /* driver_id equals the kernel's */
	VERBS_MATCH_NAME,      /* the RDMA device's name begins with prefix */
};

struct verbs_match {
	enum verbs_match_kind kind;
	uint32_t driver_id; /* DRIVER_ID: enum rdma_driver_id */
	const char *prefix; /* NAME */
};

/* Opaque: one device of the list, see core/device_list.h. */
struct verbs_device;
struct verbs_foreign_hooks;

/* The uverbs descriptor of a context, from open_context() to its free. */
struct verbs_cmd_file {
	int fd; /* open, or -1 for a device without a kernel driver */
	/* ibv_import_device(3): the descriptor has a kernel context already. */
	bool imported;
};

/* ------------------------------------------------------------------------ */
/* The provider                                                              */
/* ------------------------------------------------------------------------ */

/*
 * One constant object per provider, called verbs_provider_<name>. A loadable
 * module exports it; a static build refers to it by name. (The type name is
 * the one that the public header declares for static builds.)
 */
struct verbs_device_ops {
	uint32_t provider_abi; /* VERBS_PROVIDER_ABI */
	const char *name;      /* "rxe", as in "driver rxe" */

	/* Range of verbs_kernel_device.abi_version that the code understands.
	 */
	uint32_t min_abi_version;
	uint32_t max_abi_version;
	const struct verbs_match *match; /* NULL: no kernel device is its own */

	/*
	 * Set in verbs_provider_all only, which stands for all providers of a
	 * static build: those providers, and NULL at the end.
	 */
	const struct verbs_device_ops *const *members;

	/*
	 * list_devices() - optional: devices that the kernel does not know
	 *
	 * Calls add(arg, name, node_type, node_guid) once for each device.
	 * Called with the list mutex held, on each scan: it must not call into
	 * the library other than through @add, and must not block.
	 * Return: 0, or the first error of @add, or -errno.
	 */
	int (*list_devices)(int (*add)(void *arg, const char *name,
				       int node_type, __be64 node_guid),
			    void *arg);

	/*
	 * open_context() - make a context of the device
	 * @dev: device; the context takes a reference of its own
	 * @cmd_file: pass it to verbs_context_new() first of all
	 *
	 * To be done with verbs_context_new(), the provider's own set-up
	 * (verbs_cmd_get_context() for a kernel device), then
	 * verbs_context_set_ops(). If that fails, verbs_context_free().
	 */
	int (*open_context)(struct verbs_device *dev,
			    struct verbs_cmd_file cmd_file,
			    struct verbs_context **ret_vctx);

	/*
	 * close_context() - undo open_context(), up to and including
	 * verbs_context_free(). Cannot fail.
	 */
	void (*close_context)(struct verbs_context *vctx);

	/*
	 * NULL. For modules that were built for another library, which have
	 * their own ways of matching and making devices: core/foreign_hooks.h.
	 */
	const struct verbs_foreign_hooks *foreign;
};

/**
 * verbs_context_new() - allocate and prepare a context
 * @dev: its device
 * @cmd_file: its descriptor becomes the context's, and is closed on failure
 * @size: bytes of the provider's struct, which begins with a verbs_context
 *
 * The memory is zeroed; every op answers "not supported"; kernel commands can
 * be sent.
 *
 * Return: the context, or NULL when there is no memory.
 */
struct verbs_context *verbs_context_new(struct verbs_device *dev,
					struct verbs_cmd_file cmd_file,
					size_t size);

/** verbs_context_free() - close the descriptors, drop the device, free */
void verbs_context_free(struct verbs_context *vctx);

struct verbs_context_ops;

/**
 * verbs_context_set_ops() - fill the op table of a context
 * @vctx: context made by verbs_context_new()
 * @ops: members that are not NULL replace what was there
 */
void verbs_context_set_ops(struct verbs_context *vctx,
			   const struct verbs_context_ops *ops);

/** verbs_context_nr_ports() - ports as netlink told them, 0 if unknown */
uint32_t verbs_context_nr_ports(const struct ibv_context *ctx);

/* ------------------------------------------------------------------------ */
/* What can be done with a context                                           */
/* ------------------------------------------------------------------------ */

struct verbs_context_ops {
	/* -- device, port, addresses -- */

	/*
	 * query_device() - ibv_query_device(3), ibv_query_device_ex(3)
	 * @attr: zeroed, @attr_size bytes
	 * @attr_size: at least sizeof(struct ibv_device_attr); fields that end
	 *	behind it must not be written
	 */
	int (*query_device)(struct ibv_context *ctx,
			    const struct ibv_query_device_ex_input *input,
			    struct ibv_device_attr_ex *attr, size_t attr_size);

	/* query_port() - @attr is zeroed and has its full present size */
	int (*query_port)(struct ibv_context *ctx, uint8_t port_num,
			  struct ibv_port_attr *attr);

	/*
	 * query_gid_entry() - one slot of the GID table
	 * Return: 0, -ENODATA for an empty slot, or -errno. flags are 0.
	 * Default for kernel devices: verbs_cmd_query_gid_entry().
	 */
	int (*query_gid_entry)(struct ibv_context *ctx, uint32_t port_num,
			       uint32_t gid_index,
			       struct ibv_gid_entry *ret_entry);

	/*
	 * query_gid_table() - all used slots of all ports
	 * Return: number of entries written, -EINVAL if there are more than
	 * @max_entries, or -errno. flags are 0.
	 * Default for kernel devices: verbs_cmd_query_gid_table().
	 */
	ssize_t (*query_gid_table)(struct ibv_context *ctx,
				   struct ibv_gid_entry *entries,
				   size_t max_entries);

	/* query_pkey() - default for kernel devices: from sysfs */
	int (*query_pkey)(struct ibv_context *ctx, uint8_t port_num, int index,
			  __be16 *ret_pkey);

	/* query_port_speed() - ibv_query_port_speed(3), in 100 Mb/s */
	int (*query_port_speed)(struct ibv_context *ctx, uint32_t port_num,
				uint64_t *ret_speed);

	/* query_rt_values() - ibv_query_rt_values_ex(3): the raw clock */
	int (*query_rt_values)(struct ibv_context *ctx,
			       struct ibv_values_ex *values);

	/* -- events -- */

	/*
	 * alloc_async_fd() - descriptor that carries asynchronous events
	 * (struct ib_uverbs_async_event_desc). Called once, after open.
	 * Default for kernel devices: verbs_cmd_alloc_async_fd().
	 */
	int (*alloc_async_fd)(struct ibv_context *ctx, int *ret_fd);

	/*
	 * create_comp_channel() - descriptor that carries completion events
	 * (struct ib_uverbs_comp_event_desc).
	 * Default for kernel devices: verbs_cmd_create_comp_channel().
	 */
	int (*create_comp_channel)(struct ibv_context *ctx, int *ret_fd);

	/* cq_event() - optional: @cq's event was taken from its channel */
	void (*cq_event)(struct ibv_cq *cq);
	/* async_event() - optional: an event was read, before it is returned */
	void (*async_event)(struct ibv_context *ctx,
			    struct ibv_async_event *event);

	/* -- protection domains, XRC domains -- */

	int (*alloc_pd)(struct ibv_context *ctx, struct ibv_pd **ret_pd);
	int (*dealloc_pd)(struct ibv_pd *pd);
	/* import_pd() - ibv_import_pd(3); unimport_pd() forgets it again */
	int (*import_pd)(struct ibv_context *ctx, uint32_t handle,
			 struct ibv_pd **ret_pd);
	void (*unimport_pd)(struct ibv_pd *pd);
	int (*alloc_td)(struct ibv_context *ctx, struct ibv_td_init_attr *attr,
			struct ibv_td **ret_td);
	int (*dealloc_td)(struct ibv_td *td);
	/* alloc_parent_domain() - freed by dealloc_pd() */
	int (*alloc_parent_domain)(struct ibv_context *ctx,
				   struct ibv_parent_domain_init_attr *attr,
				   struct ibv_pd **ret_pd);
	int (*open_xrcd)(struct ibv_context *ctx,
			 const struct ibv_xrcd_init_attr *attr,
			 struct ibv_xrcd **ret_xrcd);
	int (*close_xrcd)(struct ibv_xrcd *xrcd);

	/* -- memory -- */

	/*
	 * reg_mr() - ibv_reg_mr(3) in its most general form. The library fills
	 * context, pd, addr and length of the object afterwards.
	 */
	int (*reg_mr)(struct ibv_pd *pd, void *addr, size_t length,
		      uint64_t iova, int access, struct ibv_mr **ret_mr);
	int (*reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset, size_t length,
			     uint64_t iova, int fd, int access,
			     struct ibv_mr **ret_mr);
	/* rereg_mr() - @pd, @addr, @length, @access as @flags say */
	int (*rereg_mr)(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			void *addr, size_t length, int access);
	int (*dereg_mr)(struct verbs_mr *vmr);
	int (*advise_mr)(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			 uint32_t flags, struct ibv_sge *sg_list,
			 uint32_t num_sge);
	/*
	 * reg_mr_ex() - ibv_reg_mr_ex(3); IBV_REG_MR_MASK_BUF is resolved
	 * already. Default: reg_mr() or reg_dmabuf_mr().
	 */
	int (*reg_mr_ex)(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
			 struct ibv_mr **ret_mr);
	/* alloc_null_mr() - fills context and pd too */
	int (*alloc_null_mr)(struct ibv_pd *pd, struct ibv_mr **ret_mr);
	/* import_mr() - ibv_import_mr(3); unimport_mr() forgets it again */
	int (*import_mr)(struct ibv_pd *pd, uint32_t handle,
			 struct ibv_mr **ret_mr);
	void (*unimport_mr)(struct ibv_mr *mr);
	int (*alloc_mw)(struct ibv_pd *pd, enum ibv_mw_type type,
			struct ibv_mw **ret_mw);
	int (*dealloc_mw)(struct ibv_mw *mw);

	/* -- device memory, DMA hints, buffers -- */

	int (*alloc_dm)(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr,
			struct ibv_dm **ret_dm);
	int (*free_dm)(struct ibv_dm *dm);
	/* reg_dm_mr() - fills context and pd too */
	int (*reg_dm_mr)(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			 size_t length, unsigned int access,
			 struct ibv_mr **ret_mr);
	/* dm_export_dmabuf_fd() - a new descriptor, the caller's */
	int (*dm_export_dmabuf_fd)(struct ibv_dm *dm, int *ret_fd);
	int (*import_dm)(struct ibv_context *ctx, uint32_t handle,
			 struct ibv_dm **ret_dm);
	void (*unimport_dm)(struct ibv_dm *dm);
	int (*alloc_dmah)(struct ibv_context *ctx,
			  struct ibv_dmah_init_attr *attr,
			  struct ibv_dmah **ret_dmah);
	int (*dealloc_dmah)(struct ibv_dmah *dmah);
	/*
	 * alloc_buf() - ibv_alloc_buf(3); the buffer's addr, size, pd and
	 * dmabuf_fd (-1: plain memory) are filled. Default: page-aligned memory
	 * of the process. free_buf() takes what alloc_buf() gave.
	 */
	int (*alloc_buf)(struct ibv_pd *pd, size_t size,
			 struct ibv_buf **ret_buf);
	void (*free_buf)(struct ibv_buf *buf);

	/* -- address handles, multicast -- */

	int (*create_ah)(struct ibv_pd *pd, struct ibv_ah_attr *attr,
			 struct ibv_ah **ret_ah);
	int (*destroy_ah)(struct ibv_ah *ah);
	int (*attach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid,
			    uint16_t lid);
	int (*detach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid,
			    uint16_t lid);

	/* -- completion queues -- */

	/*
	 * create_cq() - ibv_create_cq(3) and ibv_create_cq_ex(3)
	 * @extended: the application asked for an ibv_cq_ex: the poll and read
	 *	functions for attr->wc_flags must be set. wc_flags are within
	 *	IBV_CREATE_CQ_SUP_WC_FLAGS.
	 *
	 * Call verbs_init_cq() before the device knows the CQ.
	 */
	int (*create_cq)(struct ibv_context *ctx,
			 const struct ibv_cq_init_attr_ex *attr, bool extended,
			 struct verbs_cq **ret_vcq);
	int (*resize_cq)(struct ibv_cq *cq, int cqe);
	int (*modify_cq)(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
	/* destroy_cq() - ends with verbs_wait_cq_acked() before it frees */
	int (*destroy_cq)(struct ibv_cq *cq);

	/* -- shared receive queues -- */

	/*
	 * create_srq() - ibv_create_srq(3) and ibv_create_srq_ex(3)
	 * @attr: comp_mask has PD; attr->attr returns the real sizes
	 *
	 * Call verbs_init_srq() before the device knows the SRQ.
	 */
	int (*create_srq)(struct ibv_context *ctx,
			  struct ibv_srq_init_attr_ex *attr,
			  struct verbs_srq **ret_vsrq);
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask);
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	/* get_srq_num() - default: of the object, -EINVAL unless type XRC */
	int (*get_srq_num)(struct ibv_srq *srq, uint32_t *ret_srq_num);
	/* destroy_srq() - ends with verbs_wait_srq_acked() before it frees */
	int (*destroy_srq)(struct ibv_srq *srq);

	/* -- queue pairs -- */

	/*
	 * create_qp() - ibv_create_qp(3) and ibv_create_qp_ex(3)
	 * @attr: cap returns the real sizes
	 *
	 * Call verbs_init_qp() before the device knows the QP. With
	 * IBV_QP_INIT_ATTR_SEND_OPS_FLAGS set the ibv_wr_* functions of the
	 * object and VERBS_QP_MASK_EX.
	 */
	int (*create_qp)(struct ibv_context *ctx,
			 struct ibv_qp_init_attr_ex *attr,
			 struct verbs_qp **ret_vqp);
	int (*open_qp)(struct ibv_context *ctx, struct ibv_qp_open_attr *attr,
		       struct verbs_qp **ret_vqp);
	/* modify_qp() - the library keeps qp->state afterwards */
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr *init_attr);
	/* destroy_qp() - ends with verbs_wait_qp_acked() before it frees */
	int (*destroy_qp)(struct ibv_qp *qp);
	int (*modify_qp_rate_limit)(struct ibv_qp *qp,
				    struct ibv_qp_rate_limit_attr *attr);
	int (*set_ece)(struct ibv_qp *qp, struct ibv_ece *ece);
	int (*query_ece)(struct ibv_qp *qp, struct ibv_ece *ece);
	/*
	 * query_qp_data_in_order() - the bits of
	 * enum ibv_query_qp_data_in_order_caps that hold. Default: none.
	 */
	int (*query_qp_data_in_order)(struct ibv_qp *qp, enum ibv_wr_opcode op,
				      uint32_t flags);
	/*
	 * qp_to_ex() - the extended view, NULL if the QP has none. Default: by
	 * VERBS_QP_MASK_EX of the object.
	 */
	struct ibv_qp_ex *(*qp_to_ex)(struct ibv_qp *qp);

	/* -- work queues, receive side scaling -- */

	/*
	 * create_wq() - max_wr and max_sge of @attr return the real sizes. The
	 * library fills context, pd, cq and wq_type afterwards, and the
	 * application's inline function what events need, and wq_context.
	 */
	int (*create_wq)(struct ibv_context *ctx, struct ibv_wq_init_attr *attr,
			 struct ibv_wq **ret_wq);
	int (*modify_wq)(struct ibv_wq *wq, struct ibv_wq_attr *attr);
	/* destroy_wq() - ends with verbs_wait_wq_acked() before it frees */
	int (*destroy_wq)(struct ibv_wq *wq);
	int (*create_rwq_ind_table)(struct ibv_context *ctx,
				    struct ibv_rwq_ind_table_init_attr *attr,
				    struct ibv_rwq_ind_table **ret_table);
	int (*destroy_rwq_ind_table)(struct ibv_rwq_ind_table *table);

	/* -- flow steering -- */

	int (*create_flow)(struct ibv_qp *qp, struct ibv_flow_attr *attr,
			   struct ibv_flow **ret_flow);
	int (*destroy_flow)(struct ibv_flow *flow);
	int (*create_flow_action_esp)(struct ibv_context *ctx,
				      struct ibv_flow_action_esp_attr *attr,
				      struct ibv_flow_action **ret_action);
	int (*modify_flow_action_esp)(struct ibv_flow_action *action,
				      struct ibv_flow_action_esp_attr *attr);
	int (*destroy_flow_action)(struct ibv_flow_action *action);

	/* -- counters of flows -- */

	int (*create_counters)(struct ibv_context *ctx,
			       struct ibv_counters_init_attr *attr,
			       struct ibv_counters **ret_counters);
	int (*destroy_counters)(struct ibv_counters *counters);
	int (*attach_counters_point_flow)(struct ibv_counters *counters,
					  struct ibv_counter_attach_attr *attr,
					  struct ibv_flow *flow);
	int (*read_counters)(struct ibv_counters *counters, uint64_t *values,
			     uint32_t nr_values, uint32_t flags);

	/* -- counters of completions -- */

	/* query_comp_cntr_caps() - @caps is zeroed and of its present size */
	int (*query_comp_cntr_caps)(struct ibv_context *ctx,
				    struct ibv_comp_cntr_caps *caps);
	int (*create_comp_cntr)(struct ibv_context *ctx,
				struct ibv_comp_cntr_init_attr *attr,
				struct ibv_comp_cntr **ret_cntr);
	int (*destroy_comp_cntr)(struct ibv_comp_cntr *cntr);
	int (*qp_attach_comp_cntr)(struct ibv_qp *qp,
				   struct ibv_comp_cntr *cntr,
				   struct ibv_qp_attach_comp_cntr_attr *attr);
	int (*read_comp_cntr)(struct ibv_comp_cntr *cntr, uint64_t *ret_value);
	int (*set_comp_cntr)(struct ibv_comp_cntr *cntr, uint64_t value);
	int (*inc_comp_cntr)(struct ibv_comp_cntr *cntr, uint64_t amount);
	int (*read_err_comp_cntr)(struct ibv_comp_cntr *cntr,
				  uint64_t *ret_value);
	int (*set_err_comp_cntr)(struct ibv_comp_cntr *cntr, uint64_t value);
	int (*inc_err_comp_cntr)(struct ibv_comp_cntr *cntr, uint64_t amount);

	/* -- data path: called by applications directly, so they return what
	 *    the man page says (a positive errno, or a count) -- */

	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	int (*req_notify_cq)(struct ibv_cq *cq, int solicited_only);
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
	int (*post_recv)(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr);
	int (*post_srq_recv)(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr);
	int (*post_srq_ops)(struct ibv_srq *srq, struct ibv_ops_wr *op,
			    struct ibv_ops_wr **bad_op);
	int (*bind_mw)(struct ibv_qp *qp, struct ibv_mw *mw,
		       struct ibv_mw_bind *bind);
};

#endif
