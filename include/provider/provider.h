/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the library and a provider: the provider's tables, and
 * the preconditions and results of each function. Read it from top to bottom;
 * providers/README.md describes how to add a provider.
 *
 * Conventions, unless the comment of a member says otherwise:
 * - int functions return 0 or -errno, and leave errno and all outputs
 *   unchanged on failure; the library sets errno for the application.
 * - Arguments were checked as far as the man page promises: objects are
 *   non-NULL and of one context, masks contain known bits only.
 * - No lock of the library is held.
 * - A create function allocates the object, which the application then owns;
 *   the destroy function of the object frees it, and leaves it usable if it
 *   fails.
 * - A member that is NULL means "not supported", or that the op has a default
 *   (core/op_defaults_*.c).
 */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include <infiniband/verbs.h>
#include <provider/device.h>
#include <provider/gsi.h>
#include <provider/log.h>
#include <provider/objects.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Incremented with every change of this folder that requires modules to be
 * rebuilt.
 */
#define VERBS_PROVIDER_ABI	  1
#define VERBS_PROVIDER_ABI_STRING "1"

/* ------------------------------------------------------------------------ */
/* Matching of devices                                                      */
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
struct ib_uverbs_async_event_desc;

/* The uverbs descriptor that a context is opened with. */
struct verbs_cmd_file {
	/* open; -1: a device without a kernel driver, unless imported */
	int fd;
	/* ibv_import_device(3): the descriptor has a context already. */
	bool imported;
};

/* ------------------------------------------------------------------------ */
/* The provider                                                             */
/* ------------------------------------------------------------------------ */

/*
 * One constant object per provider, called verbs_provider_<name>. A loadable
 * module exports it; a static build refers to it by name. (The public header
 * declares this type name for static builds.)
 */
struct verbs_device_ops {
	uint32_t provider_abi; /* VERBS_PROVIDER_ABI */
	const char *name;      /* "rxe", as in "driver rxe" */

	/* Supported range of verbs_kernel_device.abi_version. */
	uint32_t min_abi_version;
	uint32_t max_abi_version;
	const struct verbs_match *match; /* NULL: no kernel devices */

	/*
	 * Set only in verbs_provider_all, which represents all providers of a
	 * static build: these providers, NULL-terminated.
	 */
	const struct verbs_device_ops *const *members;

	/*
	 * list_devices() - optional: list devices without a kernel driver
	 *
	 * Calls add(arg, name, node_type, node_guid) once for each device.
	 * Called with the list mutex held, at each scan: it must not call the
	 * library except through @add, and must not block.
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
	 * Calls verbs_context_new(), the provider's own initialization
	 * (verbs_cmd_get_context() for a kernel device), then
	 * verbs_context_set_ops(). If the initialization fails, it calls
	 * verbs_context_free().
	 */
	int (*open_context)(struct verbs_device *dev,
			    struct verbs_cmd_file cmd_file,
			    struct verbs_context **ret_vctx);

	/*
	 * is_cmd_file() - optional: whether a descriptor is the cmd_fd of a
	 * context of this device, which has no kernel driver, in any process
	 *
	 * ibv_import_device(3) then calls open_context() with this descriptor.
	 */
	bool (*is_cmd_file)(const struct ibv_device *device, int fd);

	/*
	 * close_context() - undo open_context(), including
	 * verbs_context_free(). Cannot fail.
	 */
	void (*close_context)(struct verbs_context *vctx);

	/*
	 * NULL, except for modules that were built for another library and
	 * have their own matching and devices: core/foreign_hooks.h.
	 */
	const struct verbs_foreign_hooks *foreign;
};

/**
 * verbs_context_new() - allocate and initialize a context
 * @dev: its device
 * @cmd_file: the context owns its descriptor, which is closed on failure
 * @size: bytes of the provider's struct, which begins with a verbs_context
 *
 * The memory is zeroed, every op returns "not supported", and kernel commands
 * can be sent.
 *
 * Return: the context, or NULL when there is no memory.
 */
struct verbs_context *verbs_context_new(struct verbs_device *dev,
					struct verbs_cmd_file cmd_file,
					size_t size);

/** verbs_context_free() - close the descriptors, put the device, free */
void verbs_context_free(struct verbs_context *vctx);

struct verbs_context_ops;

/**
 * verbs_context_set_ops() - fill the op table of a context
 * @vctx: context made by verbs_context_new()
 * @ops: members that are not NULL replace those of the context
 */
void verbs_context_set_ops(struct verbs_context *vctx,
			   const struct verbs_context_ops *ops);

/** verbs_context_nr_ports() - return the port count from netlink, 0: unknown */
uint32_t verbs_context_nr_ports(const struct ibv_context *ctx);

/* ------------------------------------------------------------------------ */
/* Operations of a context                                                  */
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

	/* query_port() - @attr is zeroed and has its full current size */
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

	/*
	 * get_gsi_ops() - see verbs_get_gsi_ops(), which does not set errno
	 * Return: the functions; NULL if there are none of @version.
	 */
	const struct verbs_gsi_ops *(*get_gsi_ops)(struct ibv_context *ctx,
						   uint32_t version);

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

	/*
	 * get_async_event() - wait for an event unless O_NONBLOCK is set
	 * Default: read(2) of async_fd.
	 * Return: 0; -errno; -EIO if the device no longer exists.
	 */
	int (*get_async_event)(struct ibv_context *ctx,
			       struct ib_uverbs_async_event_desc *ret_event);

	/* cq_event() - optional: an event of @cq was read from its channel */
	void (*cq_event)(struct ibv_cq *cq);
	/* async_event() - optional: an event was read but not yet returned */
	void (*async_event)(struct ibv_context *ctx,
			    struct ibv_async_event *event);

	/*
	 * describe_error() - optional: which packet made a QP fail
	 * @buf: receives a clause of a sentence without its full stop
	 *
	 * VERBS_EXPLAIN calls it when a completion has an error, possibly
	 * between ibv_start_poll() and ibv_end_poll(). It takes no lock, and
	 * the QP may be destroyed already.
	 *
	 * Return: 0; -ENOENT if the cause is unknown.
	 */
	int (*describe_error)(struct ibv_context *ctx, uint32_t qp_num,
			      char *buf, size_t size);

	/* -- protection domains, XRC domains -- */

	int (*alloc_pd)(struct ibv_context *ctx, struct ibv_pd **ret_pd);
	int (*dealloc_pd)(struct ibv_pd *pd);
	/* import_pd() - ibv_import_pd(3); unimport_pd() drops the object */
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
	/*
	 * rereg_mr() - @flags select which of @pd, @addr, @length, @access are
	 * used
	 */
	int (*rereg_mr)(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			void *addr, size_t length, int access);
	int (*dereg_mr)(struct verbs_mr *vmr);
	int (*advise_mr)(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			 uint32_t flags, struct ibv_sge *sg_list,
			 uint32_t num_sge);
	/*
	 * reg_mr_ex() - ibv_reg_mr_ex(3) after IBV_REG_MR_MASK_BUF was
	 * resolved. Default: reg_mr() or reg_dmabuf_mr().
	 */
	int (*reg_mr_ex)(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
			 struct ibv_mr **ret_mr);
	/* alloc_null_mr() - also fills context and pd */
	int (*alloc_null_mr)(struct ibv_pd *pd, struct ibv_mr **ret_mr);
	/* import_mr() - ibv_import_mr(3); unimport_mr() drops the object */
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
	/* reg_dm_mr() - also fills context and pd */
	int (*reg_dm_mr)(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			 size_t length, unsigned int access,
			 struct ibv_mr **ret_mr);
	/* dm_export_dmabuf_fd() - a new descriptor, which the caller owns */
	int (*dm_export_dmabuf_fd)(struct ibv_dm *dm, int *ret_fd);
	int (*import_dm)(struct ibv_context *ctx, uint32_t handle,
			 struct ibv_dm **ret_dm);
	void (*unimport_dm)(struct ibv_dm *dm);
	int (*alloc_dmah)(struct ibv_context *ctx,
			  struct ibv_dmah_init_attr *attr,
			  struct ibv_dmah **ret_dmah);
	int (*dealloc_dmah)(struct ibv_dmah *dmah);
	/*
	 * alloc_buf() - ibv_alloc_buf(3); fills the buffer's addr, size, pd
	 * and dmabuf_fd (-1: plain memory). free_buf() frees it. Default:
	 * page-aligned memory of the process.
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
	 * @extended: the application needs an ibv_cq_ex, so the poll and read
	 *	functions for attr->wc_flags must be set. wc_flags are within
	 *	IBV_CREATE_CQ_SUP_WC_FLAGS.
	 *
	 * Call verbs_init_cq() before the CQ is created in the device.
	 */
	int (*create_cq)(struct ibv_context *ctx,
			 const struct ibv_cq_init_attr_ex *attr, bool extended,
			 struct verbs_cq **ret_vcq);
	int (*resize_cq)(struct ibv_cq *cq, int cqe);
	int (*modify_cq)(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
	/* destroy_cq() - calls verbs_wait_cq_acked() before it frees the CQ */
	int (*destroy_cq)(struct ibv_cq *cq);

	/* -- shared receive queues -- */

	/*
	 * create_srq() - ibv_create_srq(3) and ibv_create_srq_ex(3)
	 * @attr: comp_mask has PD; attr->attr returns the real sizes
	 *
	 * Call verbs_init_srq() before the SRQ is created in the device.
	 */
	int (*create_srq)(struct ibv_context *ctx,
			  struct ibv_srq_init_attr_ex *attr,
			  struct verbs_srq **ret_vsrq);
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask);
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	/*
	 * get_srq_num() - default: number in the object, -EINVAL unless type
	 * XRC
	 */
	int (*get_srq_num)(struct ibv_srq *srq, uint32_t *ret_srq_num);
	/*
	 * destroy_srq() - calls verbs_wait_srq_acked() before it frees the SRQ
	 */
	int (*destroy_srq)(struct ibv_srq *srq);

	/* -- queue pairs -- */

	/*
	 * create_qp() - ibv_create_qp(3) and ibv_create_qp_ex(3)
	 * @attr: cap returns the real sizes
	 *
	 * Call verbs_init_qp() before the QP is created in the device. With
	 * IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, set the ibv_wr_* functions of the
	 * object and VERBS_QP_MASK_EX.
	 */
	int (*create_qp)(struct ibv_context *ctx,
			 struct ibv_qp_init_attr_ex *attr,
			 struct verbs_qp **ret_vqp);
	int (*open_qp)(struct ibv_context *ctx, struct ibv_qp_open_attr *attr,
		       struct verbs_qp **ret_vqp);
	/* modify_qp() - the library updates qp->state afterwards */
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr *init_attr);
	/* destroy_qp() - calls verbs_wait_qp_acked() before it frees the QP */
	int (*destroy_qp)(struct ibv_qp *qp);
	int (*modify_qp_rate_limit)(struct ibv_qp *qp,
				    struct ibv_qp_rate_limit_attr *attr);
	int (*set_ece)(struct ibv_qp *qp, struct ibv_ece *ece);
	int (*query_ece)(struct ibv_qp *qp, struct ibv_ece *ece);
	/*
	 * query_qp_data_in_order() - return the bits of enum
	 * ibv_query_qp_data_in_order_caps that hold. Default: none.
	 */
	int (*query_qp_data_in_order)(struct ibv_qp *qp, enum ibv_wr_opcode op,
				      uint32_t flags);
	/*
	 * qp_to_ex() - the extended QP, or NULL. Default: by VERBS_QP_MASK_EX
	 * of the object.
	 */
	struct ibv_qp_ex *(*qp_to_ex)(struct ibv_qp *qp);

	/* -- work queues, receive side scaling -- */

	/*
	 * create_wq() - max_wr and max_sge of @attr return the real sizes. The
	 * library fills context, pd, cq and wq_type afterwards; the
	 * application's inline function fills wq_context and the members for
	 * events.
	 */
	int (*create_wq)(struct ibv_context *ctx, struct ibv_wq_init_attr *attr,
			 struct ibv_wq **ret_wq);
	int (*modify_wq)(struct ibv_wq *wq, struct ibv_wq_attr *attr);
	/* destroy_wq() - calls verbs_wait_wq_acked() before it frees the WQ */
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

	/* -- flow counters -- */

	int (*create_counters)(struct ibv_context *ctx,
			       struct ibv_counters_init_attr *attr,
			       struct ibv_counters **ret_counters);
	int (*destroy_counters)(struct ibv_counters *counters);
	int (*attach_counters_point_flow)(struct ibv_counters *counters,
					  struct ibv_counter_attach_attr *attr,
					  struct ibv_flow *flow);
	int (*read_counters)(struct ibv_counters *counters, uint64_t *values,
			     uint32_t nr_values, uint32_t flags);

	/* -- completion counters -- */

	/*
	 * query_comp_cntr_caps() - @caps is zeroed and has its full current
	 * size
	 */
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

	/* -- data path: applications call these ops directly, so they return
	 *    the values of the man page (a positive errno, or a count) -- */

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
